//! An independent decision of what formulas say of words without end, and of words with one.
//!
//! A formula is put down to atoms, `!`, `&`, `|`, next, until, previous and since. A node of the graph says of each next and until what holds from
//! here on, and of each previous and since what held before: all such nodes there are (Vardi and Wolper, "An automata-theoretic approach to
//! automatic program verification", 1986). From which of them a word without end goes on is a greatest fixed point (Emerson and Lei, 1986).
//! Nothing here is shared with what it is compared with.

use gainsay_temporal::{
    Atom, Formula, Truth, always, back_to, bits, eventually, historically, next, once, previous, release,
    since, until, weak_next, weak_previous, weak_until,
};
use std::collections::HashMap;

/// A formula as a tree.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Atom(u8),
    One(One, Bound, Box<Tree>),
    Two(Two, Bound, Box<Tree>, Box<Tree>),
}

/// At least and at most so many elements away.
pub(crate) type Bound = Option<(u64, u64)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum One {
    Not,
    Next,
    WeakNext,
    Always,
    Eventually,
    Previous,
    WeakPrevious,
    Historically,
    Once,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Two {
    And,
    Or,
    Implies,
    Iff,
    Until,
    WeakUntil,
    Release,
    Since,
    BackTo,
}

thread_local! {
    static BITS: Vec<Atom<u8>> = bits();
}

/// All operators with one operand; those that look ahead come first.
pub(crate) const ONES: [One; 9] = [
    One::Not,
    One::Next,
    One::WeakNext,
    One::Always,
    One::Eventually,
    One::Previous,
    One::WeakPrevious,
    One::Historically,
    One::Once,
];

pub(crate) const TWOS: [Two; 9] = [
    Two::And,
    Two::Or,
    Two::Implies,
    Two::Iff,
    Two::Until,
    Two::WeakUntil,
    Two::Release,
    Two::Since,
    Two::BackTo,
];

impl Tree {
    /// The same for gainsay.
    pub(crate) fn formula(&self) -> Formula<u8> {
        let within = |formula: Formula<u8>, bound: &Bound| match *bound {
            Some((from, to)) => formula.within(from..=to),
            None => formula,
        };
        match self {
            Tree::Atom(atom) => BITS.with(|bits| bits[usize::from(*atom)].clone().into()),
            Tree::One(operator, bound, of) => {
                let of = of.formula();
                let formula = match operator {
                    One::Not => !of,
                    One::Next => next(of),
                    One::WeakNext => weak_next(of),
                    One::Always => always(of),
                    One::Eventually => eventually(of),
                    One::Previous => previous(of),
                    One::WeakPrevious => weak_previous(of),
                    One::Historically => historically(of),
                    One::Once => once(of),
                };
                within(formula, bound)
            }
            Tree::Two(operator, bound, one, two) => {
                let (one, two) = (one.formula(), two.formula());
                let formula = match operator {
                    Two::And => one & two,
                    Two::Or => one | two,
                    Two::Implies => one.implies(two),
                    Two::Iff => one.iff(two),
                    Two::Until => until(one, two),
                    Two::WeakUntil => weak_until(one, two),
                    Two::Release => release(one, two),
                    Two::Since => since(one, two),
                    Two::BackTo => back_to(one, two),
                };
                within(formula, bound)
            }
        }
    }
}

/// An operator of the small language, with operands by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    True,
    Atom(u8),
    Not(usize),
    And(usize, usize),
    Next(usize),
    Until(usize, usize),
    Previous(usize),
    Since(usize, usize),
}

/// The nodes of a formula, operands first.
#[derive(Debug, Default)]
struct Nodes {
    nodes: Vec<Node>,
    numbers: HashMap<Node, usize>,
}

impl Nodes {
    fn add(&mut self, node: Node) -> usize {
        if let Some(number) = self.numbers.get(&node) {
            return *number;
        }
        self.nodes.push(node);
        self.numbers.insert(node, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn not(&mut self, of: usize) -> usize {
        match self.nodes[of] {
            Node::Not(of) => of,
            _ => self.add(Node::Not(of)),
        }
    }

    fn or(&mut self, one: usize, two: usize) -> usize {
        let (one, two) = (self.not(one), self.not(two));
        let neither = self.add(Node::And(one, two));
        self.not(neither)
    }

    /// Until, or since, with a bound.
    fn until(&mut self, is_past: bool, bound: Bound, one: usize, two: usize) -> usize {
        let Some((from, to)) = bound else {
            return self.add(if is_past { Node::Since(one, two) } else { Node::Until(one, two) });
        };
        if to == 0 {
            return two;
        }
        let rest = self.until(is_past, Some((from.saturating_sub(1), to - 1)), one, two);
        let there = self.add(if is_past { Node::Previous(rest) } else { Node::Next(rest) });
        let far = self.add(Node::And(one, there));
        if from == 0 { self.or(two, far) } else { far }
    }

    fn tree(&mut self, tree: &Tree) -> usize {
        let always = self.add(Node::True);
        match tree {
            Tree::Atom(atom) => self.add(Node::Atom(*atom)),
            Tree::One(operator, bound, of) => {
                let of = self.tree(of);
                let is_past = matches!(operator, One::Historically | One::Once);
                match operator {
                    One::Not => self.not(of),
                    One::Next => self.add(Node::Next(of)),
                    One::Previous => self.add(Node::Previous(of)),
                    One::WeakNext | One::WeakPrevious => {
                        let not = self.not(of);
                        let strong =
                            if *operator == One::WeakNext { Node::Next(not) } else { Node::Previous(not) };
                        let strong = self.add(strong);
                        self.not(strong)
                    }
                    One::Eventually | One::Once => self.until(is_past, *bound, always, of),
                    One::Always | One::Historically => {
                        let not = self.not(of);
                        let broken = self.until(is_past, *bound, always, not);
                        self.not(broken)
                    }
                }
            }
            Tree::Two(operator, bound, one, two) => {
                let (one, two) = (self.tree(one), self.tree(two));
                self.two(*operator, *bound, one, two, always)
            }
        }
    }

    fn two(&mut self, operator: Two, bound: Bound, one: usize, two: usize, always: usize) -> usize {
        let (not_one, not_two) = (self.not(one), self.not(two));
        match operator {
            Two::And => self.add(Node::And(one, two)),
            Two::Or => self.or(one, two),
            Two::Implies => self.or(not_one, two),
            Two::Iff => {
                let (there, back) = (self.or(not_one, two), self.or(not_two, one));
                self.add(Node::And(there, back))
            }
            Two::Until | Two::Since => self.until(operator == Two::Since, bound, one, two),
            Two::Release => {
                let broken = self.until(false, bound, not_one, not_two);
                self.not(broken)
            }
            // The second comes, or the first goes on for as long as the bound says.
            Two::WeakUntil | Two::BackTo => {
                let is_past = operator == Two::BackTo;
                let comes = self.until(is_past, bound, one, two);
                let broken = self.until(is_past, bound.map(|(_, to)| (0, to)), always, not_one);
                let goes_on = self.not(broken);
                self.or(comes, goes_on)
            }
        }
    }
}

/// One step of a word.
#[derive(Debug, Clone, Copy)]
struct Step {
    from: usize,
    to: usize,
    letter: u64,
    /// Whether the formula holds here.
    holds: bool,
    /// The untils that are not open here, as bits.
    met: u64,
}

/// All words of a formula.
#[derive(Debug)]
pub(crate) struct Reference {
    steps: Vec<Step>,
    /// By node, where its steps begin.
    starts: Vec<usize>,
    /// From where a word without end goes on.
    is_live: Vec<bool>,
    /// From where a word with an end goes on.
    can_end: Vec<bool>,
    ahead: usize,
    atoms: usize,
}

/// With more operators of time, in the small language, there would be too many nodes.
const BITS_MAX: usize = 12;

impl Reference {
    /// Nothing if the formula is too large.
    pub(crate) fn new(tree: &Tree, atoms: usize) -> Option<Reference> {
        let mut nodes = Nodes::default();
        let root = nodes.tree(tree);
        let nodes = nodes.nodes;
        let ahead: Vec<usize> = places(&nodes, |node| matches!(node, Node::Next(_) | Node::Until(..)));
        let back: Vec<usize> = places(&nodes, |node| matches!(node, Node::Previous(_) | Node::Since(..)));
        if ahead.len() + back.len() > BITS_MAX {
            return None;
        }
        let mut steps = Vec::new();
        let mut values = vec![false; nodes.len()];
        for before in 0..1usize << back.len() {
            for later in 0..1usize << ahead.len() {
                for letter in 0..1u64 << atoms {
                    evaluate(&nodes, &ahead, &back, before, later, letter, &mut values);
                    let now = packed(&ahead, |place| match nodes[place] {
                        Node::Next(of) => values[of],
                        _ => values[place],
                    });
                    let then = packed(&back, |place| match nodes[place] {
                        Node::Previous(of) => values[of],
                        _ => values[place],
                    });
                    let met = packed(&ahead, |place| match nodes[place] {
                        Node::Until(_, two) => values[two] || !values[place],
                        _ => true,
                    });
                    steps.push(Step {
                        from: before << ahead.len() | now,
                        to: then << ahead.len() | later,
                        letter,
                        holds: values[root],
                        met: met as u64,
                    });
                }
            }
        }
        let count = 1 << (ahead.len() + back.len());
        steps.sort_by_key(|step| step.from);
        let starts = (0..=count).map(|node| steps.partition_point(|step| step.from < node)).collect();
        let is_live = live(&steps, count, ahead.len());
        // (After the last element nothing is next, and no until is met.)
        let ends = (0..count).map(|node| node & ((1 << ahead.len()) - 1) == 0).collect();
        let can_end = backwards(&steps, ends, &vec![true; count]);
        Some(Reference { steps, starts, is_live, can_end, ahead: ahead.len(), atoms })
    }

    /// The steps that a word may begin with.
    fn first(&self, holds: bool) -> impl Iterator<Item = &Step> {
        let end = self.starts[1 << self.ahead];
        self.steps[..end].iter().filter(move |step| step.holds == holds)
    }

    /// Whether some word without end satisfies it, or breaks it.
    pub(crate) fn is_satisfiable(&self, holds: bool) -> bool {
        self.first(holds).any(|step| self.is_live[step.to])
    }

    /// Whether some word with an end does, that has an element.
    pub(crate) fn is_satisfiable_with_end(&self, holds: bool) -> bool {
        self.first(holds).any(|step| self.can_end[step.to])
    }

    /// Whether some continuation without end satisfies it after a beginning, or breaks it.
    fn can_be(&self, word: &[u8], holds: bool) -> bool {
        let mask = (1 << self.atoms) - 1;
        let Some((first, rest)) = word.split_first() else { return self.is_satisfiable(holds) };
        let begins = |step: &&Step| step.letter == u64::from(*first) & mask;
        let mut here = vec![false; self.is_live.len()];
        self.first(holds).filter(begins).for_each(|step| here[step.to] = true);
        for letter in rest {
            let mut there = vec![false; here.len()];
            for from in (0..here.len()).filter(|node| here[*node]) {
                let steps = &self.steps[self.starts[from]..self.starts[from + 1]];
                let goes_on = |step: &&Step| step.letter == u64::from(*letter) & mask;
                steps.iter().filter(goes_on).for_each(|step| there[step.to] = true);
            }
            here = there;
        }
        here.iter().zip(&self.is_live).any(|(here, is_live)| *here && *is_live)
    }

    /// What a beginning says.
    pub(crate) fn truth(&self, word: &[u8], holds: bool) -> Truth {
        match (self.can_be(word, true), self.can_be(word, false)) {
            (false, _) => Truth::False,
            (_, false) => Truth::True,
            _ if holds => Truth::PresumablyTrue,
            _ => Truth::PresumablyFalse,
        }
    }
}

fn places(nodes: &[Node], is_one: impl Fn(&Node) -> bool) -> Vec<usize> {
    (0..nodes.len()).filter(|place| is_one(&nodes[*place])).collect()
}

fn packed(places: &[usize], value: impl Fn(usize) -> bool) -> usize {
    places.iter().enumerate().fold(0, |bits, (bit, place)| bits | usize::from(value(*place)) << bit)
}

/// The truth of all nodes at an element, by what was before, what is later, and the element itself.
fn evaluate(
    nodes: &[Node],
    ahead: &[usize],
    back: &[usize],
    before: usize,
    later: usize,
    letter: u64,
    values: &mut [bool],
) {
    let (mut ahead_bit, mut back_bit) = (0, 0);
    for (place, node) in nodes.iter().enumerate() {
        let of_later = later >> ahead_bit & 1 == 1;
        let of_before = before >> back_bit & 1 == 1;
        values[place] = match *node {
            Node::True => true,
            Node::Atom(atom) => letter >> atom & 1 == 1,
            Node::Not(of) => !values[of],
            Node::And(one, two) => values[one] && values[two],
            Node::Next(_) => of_later,
            Node::Until(one, two) => values[two] || values[one] && of_later,
            Node::Previous(_) => of_before,
            Node::Since(one, two) => values[two] || values[one] && of_before,
        };
        ahead_bit += usize::from(ahead.get(ahead_bit) == Some(&place));
        back_bit += usize::from(back.get(back_bit) == Some(&place));
    }
}

/// All nodes from which one of these is reached by nodes that may be used.
fn backwards(steps: &[Step], mut reached: Vec<bool>, may_use: &[bool]) -> Vec<bool> {
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); reached.len()];
    for step in steps.iter().filter(|step| may_use[step.from] && may_use[step.to]) {
        into[step.to].push(step.from);
    }
    let mut open: Vec<usize> = (0..reached.len()).filter(|node| reached[*node]).collect();
    while let Some(node) = open.pop() {
        for from in &into[node] {
            if !reached[*from] {
                reached[*from] = true;
                open.push(*from);
            }
        }
    }
    reached
}

/// The nodes from which there is a way without end on which each until is met, or is not there, again and again: of each until, a step at which
/// it is so is reached within these nodes, and leads to one of them.
fn live(steps: &[Step], count: usize, untils: usize) -> Vec<bool> {
    let mut live = vec![true; count];
    loop {
        let before = live.clone();
        for until in 0..untils.max(1) {
            let mut meets = vec![false; count];
            for step in steps {
                let is_met = untils == 0 || step.met >> until & 1 == 1;
                meets[step.from] |= live[step.from] && live[step.to] && is_met;
            }
            let reaches = backwards(steps, meets, &live);
            live.iter_mut().zip(reaches).for_each(|(live, reaches)| *live &= reaches);
        }
        if live == before {
            return live;
        }
    }
}
