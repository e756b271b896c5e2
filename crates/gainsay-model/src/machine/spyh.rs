//! The SPYH method: what follows a sequence of inputs may be tested after any other that is known to lead to the same state.
//!
//! Sequences are in one class if every implementation that passes the tests, and has no more states than assumed, answers alike after all
//! of them to whatever is specified. At first there is a class for each state, with one sequence, and all of these are told apart. Then
//! transitions are verified one by one. Such a sequence joins the class of the state that it leads to, as soon as all that is reached
//! from both, by as many inputs as there may be more states, is told apart from all states, and from what was passed on the way.
//!
//! Why that is enough: suppose that the answers differ after all, first after some inputs. These are more than were tried, or it would have
//! been seen. Each of their beginnings that were tried, one more than there may be more states, leads the implementation from the two
//! sequences into two states, both taken for the same state of the specification. Link these two. No links make a circle: the longer a
//! beginning, the fewer inputs are left that tell its two states apart, and in a circle the link with the fewest would be between states
//! that answer alike to so many by all the other links. So each link leaves one group of states less, and there are fewer groups than
//! states of the specification. But these are told apart, and have a group each.

use super::Table;
use super::separate::Separators;
use super::suite::Building;
use super::tree::{Node, ROOT, Tree};
use std::cell::RefCell;

/// The number of a class. The first ones are those of the states, in their order.
type Class = u32;

/// Somewhere in the tests, and how many inputs lead there.
type At = (Node, usize);

/// What a search for an end has seen: the class, how many inputs lead on from there, the first of them, and where the next one is.
type Step = (Class, usize, u32, usize);

/// Of so many inputs that go on from a class, one is looked for in a row of all inputs.
const MANY: usize = 8;

const NONE: Class = Class::MAX;

/// So many states are tried for the inputs that tell a class from most of them at once. (More are not worth their time.)
const TRIED: usize = 32;

/// So many classes are looked at for an end from which a test can go on.
const LOOKED_AT: usize = 64;

/// No test goes on from an end after so many inputs: a case has room for so many choices only, and is easier to shrink if it is short.
const LENGTH_MAX: usize = 500;

pub(super) fn add(building: &mut Building<'_>, cover: &[Vec<u32>], separators: &Separators<'_>) {
    let table = building.table;
    let steps_max = building.steps_max;
    let mut classes = Classes::new(table, &mut building.tree, separators, cover);
    let transitions = (0..table.states() as u32)
        .flat_map(|state| (0..table.inputs() as u32).map(move |input| (state, input)))
        .filter_map(|(state, input)| Some((state, input, table.step(state, input)?.0)));
    // (They are needed anyway, and serve to tell states apart.)
    transitions.clone().for_each(|(state, input, _)| _ = classes.add(state, &[input]));
    (0..table.states() as u32).for_each(|state| classes.tell_from_states(state));
    classes.states_are_told_apart = true;
    classes.steps_max = steps_max;
    transitions.for_each(|(state, input, to)| classes.verify(state, input, to, building.longest - 1));
}

/// Sequences that lead to the same state.
#[derive(Debug)]
struct Sequences {
    state: u32,
    /// Where inputs lead that are in the tests; and by input, once they are many.
    next: Vec<(u32, Class)>,
    row: Vec<Class>,
    /// From where, and by which inputs, they come. (A class that is not yet one of a state has a single such.)
    before: Vec<(Class, u32)>,
    /// Those after which nothing comes, unless they are too long.
    ends: Vec<At>,
    shortest: At,
}

struct Classes<'a> {
    table: &'a Table,
    tree: &'a mut Tree,
    separators: &'a Separators<'a>,
    all: Vec<Sequences>,
    /// Numbers of classes that have been put into others.
    free: Vec<Class>,
    states_are_told_apart: bool,
    steps_max: usize,
    /// What was seen in the last search for an end.
    seen: RefCell<Vec<Step>>,
}

impl<'a> Classes<'a> {
    /// A class for each state, with the sequence of a cover.
    fn new(
        table: &'a Table,
        tree: &'a mut Tree,
        separators: &'a Separators<'a>,
        cover: &[Vec<u32>],
    ) -> Classes<'a> {
        let mut classes = Classes {
            table,
            tree,
            separators,
            all: Vec::new(),
            free: Vec::new(),
            states_are_told_apart: false,
            steps_max: usize::MAX,
            seen: RefCell::default(),
        };
        for (state, inputs) in cover.iter().enumerate() {
            let node = classes.tree.add(ROOT, inputs);
            classes.new_class(state as u32, (node, inputs.len()));
        }
        for (state, inputs) in cover.iter().enumerate() {
            if let Some((last, inputs)) = inputs.split_last()
                && let Some(before) = table.after(0, inputs)
            {
                classes.link(before, *last, state as Class);
            }
        }
        for class in &mut classes.all {
            class.ends.extend(Some(class.shortest).filter(|at| classes.tree.is_end(at.0)));
        }
        classes
    }

    fn new_class(&mut self, state: u32, shortest: At) -> Class {
        let (next, row, before, ends) = Default::default();
        let new = Sequences { state, next, row, before, ends, shortest };
        if let Some(class) = self.free.pop() {
            self.all[class as usize] = new;
            return class;
        }
        self.all.push(new);
        self.all.len() as Class - 1
    }

    fn link(&mut self, from: Class, input: u32, to: Class) {
        let inputs = self.table.inputs();
        let Sequences { next, row, .. } = &mut self.all[from as usize];
        next.push((input, to));
        if next.len() == MANY && inputs > MANY {
            *row = vec![NONE; inputs];
            next.iter().for_each(|(input, to)| row[*input as usize] = *to);
        } else if let Some(place) = row.get_mut(input as usize) {
            *place = to;
        }
        self.all[to as usize].before.push((from, input));
    }

    #[inline]
    fn of(&self, class: Class) -> &Sequences {
        &self.all[class as usize]
    }

    /// Whether it is the class of a state.
    #[inline]
    fn is_of_state(&self, class: Class) -> bool {
        (class as usize) < self.table.states()
    }

    /// Where an input leads, if it is in the tests.
    #[inline]
    fn next(&self, class: Class, input: u32) -> Option<Class> {
        let Sequences { next, row, .. } = self.of(class);
        if let Some(class) = row.get(input as usize) {
            return Some(*class).filter(|class| *class != NONE);
        }
        next.iter().find(|(taken, _)| *taken == input).map(|(_, class)| *class)
    }

    /// Brings a transition into the class of the state that it leads to.
    fn verify(&mut self, state: u32, input: u32, to: u32, extra: usize) {
        let reached = self.add(state, &[input]);
        if self.is_of_state(reached) {
            return;
        }
        self.tell_apart_after(reached, to, extra, &mut Vec::new());
        self.all[state as usize].next.retain(|(taken, _)| *taken != input);
        self.link(state, input, to);
        self.merge(reached, to);
    }

    /// Puts a class into another, and what follows the one into what follows the other.
    ///
    /// A class that is not one of a state is reached from one other only, and so is all that follows it: nothing else knows its number.
    fn merge(&mut self, one: Class, two: Class) {
        let from = &mut self.all[one as usize];
        from.row = Vec::new();
        let (next, ends, shortest) =
            (std::mem::take(&mut from.next), std::mem::take(&mut from.ends), from.shortest);
        let into = &mut self.all[two as usize];
        into.ends.extend(ends);
        into.shortest = std::cmp::min_by_key(into.shortest, shortest, |at| at.1);
        self.free.push(one);
        for (input, class) in next {
            match self.next(two, input) {
                Some(known) => self.merge(class, known),
                None => {
                    self.all[class as usize].before.clear();
                    self.link(two, input, class);
                }
            }
        }
    }

    /// Tells apart what is reached from two classes by so many inputs: from all states, and from what was passed on the way.
    fn tell_apart_after(&mut self, one: Class, two: Class, left: usize, before: &mut Vec<Class>) {
        // (What is too long is thrown away.)
        if self.tree.steps() > self.steps_max {
            return;
        }
        for class in [one, two] {
            self.tell_from_states(class);
            before.iter().for_each(|other| self.tell_apart(class, *other));
        }
        if left == 0 {
            return;
        }
        before.extend([one, two]);
        for input in 0..self.table.inputs() as u32 {
            if self.table.step(self.of(two).state, input).is_some() {
                let (one, two) = (self.add(one, &[input]), self.add(two, &[input]));
                self.tell_apart_after(one, two, left - 1, before);
            }
        }
        before.truncate(before.len() - 2);
    }

    /// Tells a class from those of all other states, first by what costs least for each of those it is told from.
    fn tell_from_states(&mut self, class: Class) {
        let mut others: Vec<u32> = (0..self.table.states() as u32).collect();
        let state = self.of(class).state;
        others.retain(|other| *other != state && !self.are_told_apart(class, *other));
        while !others.is_empty() {
            let tried = others.iter().take(TRIED).map(|&other| {
                let (cost, inputs) = self.cheapest(class, other, usize::MAX);
                let is_told = |other: &&u32| self.separators.cut(state, **other, &inputs).is_some();
                (cost as f64 / others.iter().filter(is_told).count() as f64, other, inputs)
            });
            let Some((_, other, inputs)) = tried.min_by(|one, two| one.0.total_cmp(&two.0)) else { break };
            self.add(class, &inputs);
            self.add(other, &inputs);
            others.retain(|other| !self.are_told_apart(class, *other));
        }
    }

    fn tell_apart(&mut self, one: Class, two: Class) {
        if self.of(one).state == self.of(two).state || self.are_told_apart(one, two) {
            return;
        }
        let (_, inputs) = self.cheapest(one, two, usize::MAX);
        self.add(one, &inputs);
        self.add(two, &inputs);
    }

    /// Whether some inputs in the tests tell them apart. They need not be in one test: each follows some sequence of its class.
    fn are_told_apart(&self, one: Class, two: Class) -> bool {
        if one == two {
            return false;
        }
        // (All others are left behind after some inputs: only what is verified leads back.)
        if self.states_are_told_apart && self.is_of_state(one) && self.is_of_state(two) {
            return true;
        }
        // (Mostly little comes after one of them.)
        let is_shorter = self.of(two).next.len() < self.of(one).next.len();
        let (one, two) = if is_shorter { (two, one) } else { (one, two) };
        let (here, there) = (self.of(one).state, self.of(two).state);
        self.of(one).next.iter().any(|&(input, one)| {
            let Some(two) = self.next(two, input) else { return false };
            match (self.table.step(here, input), self.table.step(there, input)) {
                (Some((_, answer)), Some((_, given))) => answer != given || self.are_told_apart(one, two),
                _ => false,
            }
        })
    }

    /// The inputs that tell two classes apart and lengthen the tests least, and by how much; none if it were not by less than the most.
    fn cheapest(&self, one: Class, two: Class, most: usize) -> (usize, Vec<u32>) {
        let (here, there) = (self.of(one).state, self.of(two).state);
        let (cost_here, cost_there) = (1 + self.cost_to_go_on(one), 1 + self.cost_to_go_on(two));
        let mut best = (most, Vec::new());
        // (A shortest one comes first: most others cannot be better than that.)
        let first = self.separators.first(here, there);
        let others = (0..self.table.inputs() as u32).filter(|input| Some(*input) != first);
        for input in first.into_iter().chain(others) {
            let (Some((here, answer)), Some((there, given))) =
                (self.table.step(here, input), self.table.step(there, input))
            else {
                continue;
            };
            let (next_here, next_there) = (self.next(one, input), self.next(two, input));
            let cost = next_here.map_or(cost_here, |_| 0) + next_there.map_or(cost_there, |_| 0);
            if cost >= best.0 {
                continue;
            }
            if answer != given {
                best = (cost, vec![input]);
                continue;
            }
            // So many inputs are to come at least, and are new where nothing goes on.
            let Some(left) = self.separators.length(here, there) else { continue };
            let new = usize::from(next_here.is_none()) + usize::from(next_there.is_none());
            if cost + new * left as usize >= best.0 {
                continue;
            }
            let (rest, inputs) = match (next_here, next_there) {
                (Some(one), Some(two)) => self.cheapest(one, two, best.0 - cost),
                // (What is new on one side at least is kept short.)
                _ => {
                    let inputs = self.separators.inputs(here, there);
                    (self.cost(next_here, &inputs) + self.cost(next_there, &inputs), inputs)
                }
            };
            if !inputs.is_empty() && cost + rest < best.0 {
                best = (cost + rest, std::iter::once(input).chain(inputs).collect());
            }
        }
        best
    }

    /// By how much inputs lengthen the tests; without a class, all of them are new.
    fn cost(&self, class: Option<Class>, inputs: &[u32]) -> usize {
        let Some(class) = class else { return inputs.len() };
        match self.known(class, inputs) {
            (_, []) => 0,
            (class, new) => new.len() + self.cost_to_go_on(class),
        }
    }

    /// Where inputs lead as far as they are in the tests, and those that are not.
    fn known<'b>(&self, class: Class, inputs: &'b [u32]) -> (Class, &'b [u32]) {
        let (mut class, mut inputs) = (class, inputs);
        while let [input, rest @ ..] = inputs
            && let Some(next) = self.next(class, *input)
        {
            (class, inputs) = (next, rest);
        }
        (class, inputs)
    }

    /// What it costs to get into a class where nothing else comes after it.
    fn cost_to_go_on(&self, class: Class) -> usize {
        let seen = &mut *self.seen.borrow_mut();
        match self.look_for_end(class, seen) {
            true => seen.last().map_or(0, |step| step.1),
            false => self.cost_of_test(class),
        }
    }

    /// What it costs to get into a class by a test of its own: its beginning, and to start anew.
    fn cost_of_test(&self, class: Class) -> usize {
        self.of(class).shortest.1 + 1
    }

    /// A class with an end, and the inputs that lead from there into a class; nothing if a test of its own costs no more.
    fn nearest_end(&self, class: Class) -> Option<(Class, Vec<u32>)> {
        let seen = &mut *self.seen.borrow_mut();
        if !self.look_for_end(class, seen) {
            return None;
        }
        let &(end, length, ..) = seen.last()?;
        let way = std::iter::successors(seen.last(), |step| seen.get(step.3));
        Some((end, way.take(length).map(|step| step.2).collect()))
    }

    /// Whether there is a class with an end near enough: breadth first. The last that was seen is that class.
    fn look_for_end(&self, class: Class, seen: &mut Vec<Step>) -> bool {
        seen.clear();
        seen.push((class, 0, 0, 0));
        if !self.of(class).ends.is_empty() {
            return true;
        }
        let most = self.cost_of_test(class);
        let mut at = 0;
        while at < seen.len().min(LOOKED_AT) && seen[at].1 + 1 < most {
            let (class, length, ..) = seen[at];
            for &(before, input) in &self.of(class).before {
                if seen.iter().any(|(known, ..)| *known == before) {
                    continue;
                }
                seen.push((before, length + 1, input, at));
                if !self.of(before).ends.is_empty() {
                    return true;
                }
            }
            at += 1;
        }
        false
    }

    /// Puts inputs into the tests, after whichever sequence of a class lengthens them least, and says where they lead.
    fn add(&mut self, class: Class, inputs: &[u32]) -> Class {
        let (class, new) = self.known(class, inputs);
        if new.is_empty() {
            return class;
        }
        let (from, mut inputs) = self.nearest_end(class).unwrap_or((class, Vec::new()));
        inputs.extend(new);
        let from_class = &mut self.all[from as usize];
        let at = from_class.ends.pop().unwrap_or(from_class.shortest);
        self.append(from, at, &inputs)
    }

    /// Puts inputs into the tests after a sequence of a class, and says where they lead.
    fn append(&mut self, class: Class, at: At, inputs: &[u32]) -> Class {
        let (mut class, mut at) = (class, at);
        for input in inputs {
            let Some((state, _)) = self.table.step(self.of(class).state, *input) else { break };
            at = (self.tree.child(at.0, *input), at.1 + 1);
            let next = self.next(class, *input).unwrap_or_else(|| {
                let new = self.new_class(state, at);
                self.link(class, *input, new);
                new
            });
            let shortest = &mut self.all[next as usize].shortest;
            *shortest = std::cmp::min_by_key(*shortest, at, |at| at.1);
            class = next;
        }
        if at.1 < LENGTH_MAX {
            self.all[class as usize].ends.push(at);
        }
        class
    }
}
