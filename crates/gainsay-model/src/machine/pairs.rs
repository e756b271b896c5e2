//! The H method: any two states that are reached are told apart, by whatever is in the tests already, or lengthens them least.

use super::separate::Separators;
use super::suite::Building;
use super::tree::{Node, ROOT, Tree};

/// Somewhere in the tests, and the state there.
type At = (Node, u32);

pub(super) fn add(building: &mut Building<'_>, cover: &[Vec<u32>], separators: &Separators<'_>) {
    let mut states: Vec<At> = Vec::new();
    building.each_after(cover, |_, _, _, _| {});
    for inputs in cover {
        let node = building.tree.add(ROOT, inputs);
        states.push((node, building.table.after(0, inputs).unwrap_or_default()));
    }
    let steps_max = building.steps_max;
    let mut pairs = Pairs { table: building.table, tree: &mut building.tree, separators, steps_max };
    for (place, one) in states.iter().enumerate() {
        states[..place].iter().for_each(|two| pairs.tell_apart(*one, *two));
    }
    let mut before = Vec::new();
    for at in &states {
        pairs.tell_apart_after(*at, building.longest, &states, &mut before);
    }
}

struct Pairs<'a> {
    table: &'a super::Table,
    tree: &'a mut Tree,
    separators: &'a Separators<'a>,
    steps_max: usize,
}

impl Pairs<'_> {
    /// Tells apart what is reached from here from all states of the cover, and from what was passed on the way.
    fn tell_apart_after(&mut self, at: At, left: usize, cover: &[At], before: &mut Vec<At>) {
        if left == 0 || self.tree.steps() > self.steps_max {
            return;
        }
        for input in 0..self.table.inputs() as u32 {
            let Some((state, _)) = self.table.step(at.1, input) else { continue };
            let next = (self.tree.child(at.0, input), state);
            cover.iter().for_each(|one| self.tell_apart(*one, next));
            before.iter().for_each(|one| self.tell_apart(*one, next));
            before.push(next);
            self.tell_apart_after(next, left - 1, cover, before);
            before.pop();
        }
    }

    fn tell_apart(&mut self, one: At, two: At) {
        if one.1 == two.1 || self.are_told_apart(one, two) {
            return;
        }
        // (The shortest ones do not cost more.)
        let most = 2 * (self.separators.length(one.1, two.1).unwrap_or(0) as usize + BRANCH) + 1;
        let (_, inputs) = self.cheapest((Some(one.0), one.1), (Some(two.0), two.1), most);
        self.tree.add(one.0, &inputs);
        self.tree.add(two.0, &inputs);
    }

    /// Whether some inputs in the tests tell them apart.
    fn are_told_apart(&self, one: At, two: At) -> bool {
        // (Mostly little goes on from one of them.)
        let (one, two) =
            if self.tree.count(two.0) < self.tree.count(one.0) { (two, one) } else { (one, two) };
        self.tree.children(one.0).any(|(input, here)| {
            let Some(there) = self.tree.find(two.0, input) else { return false };
            match (self.table.step(one.1, input), self.table.step(two.1, input)) {
                (Some((one, answer)), Some((two, given))) => {
                    answer != given || one != two && self.are_told_apart((here, one), (there, two))
                }
                _ => false,
            }
        })
    }

    /// The inputs that tell two states apart and lengthen the tests least, and by how much: a test more costs its beginning as well.
    /// None if it were not by less than the most.
    fn cheapest(&self, one: (Option<Node>, u32), two: (Option<Node>, u32), most: usize) -> (usize, Vec<u32>) {
        let Some(length) = self.separators.length(one.1, two.1) else { return (usize::MAX, Vec::new()) };
        if one.0.is_none() && two.0.is_none() {
            return (2 * length as usize, self.separators.inputs(one.1, two.1));
        }
        let mut best = (most, Vec::new());
        // (A shortest one comes first: most others cannot be better than that.)
        let first = self.separators.first(one.1, two.1);
        let others = (0..self.table.inputs() as u32).filter(|input| Some(*input) != first);
        for input in first.into_iter().chain(others) {
            let (Some((here, answer)), Some((there, given))) =
                (self.table.step(one.1, input), self.table.step(two.1, input))
            else {
                continue;
            };
            let (cost_here, node_here) = self.lengthen(one.0, input);
            let (cost_there, node_there) = self.lengthen(two.0, input);
            let cost = cost_here + cost_there;
            if cost >= best.0 {
                continue;
            }
            if answer != given {
                best = (cost, vec![input]);
                continue;
            }
            // So many inputs are to come at least, and are new where nothing goes on.
            let Some(left) = self.separators.length(here, there) else { continue };
            let new = usize::from(node_here.is_none()) + usize::from(node_there.is_none());
            if cost + new * left as usize >= best.0 {
                continue;
            }
            let (rest, inputs) = self.cheapest((node_here, here), (node_there, there), best.0 - cost);
            if !inputs.is_empty() && cost + rest < best.0 {
                best = (cost + rest, std::iter::once(input).chain(inputs).collect());
            }
        }
        best
    }

    /// What another input costs there, and where it leads in the tests.
    fn lengthen(&self, node: Option<Node>, input: u32) -> (usize, Option<Node>) {
        let Some(node) = node else { return (1, None) };
        match self.tree.find(node, input) {
            Some(found) => (0, Some(found)),
            // To go on from an end is cheap; a branch is a test of its own.
            None if self.tree.is_end(node) => (1, None),
            None => (BRANCH, None),
        }
    }
}

/// What a test costs that begins like another: roughly its beginning, and to start anew.
const BRANCH: usize = 8;
