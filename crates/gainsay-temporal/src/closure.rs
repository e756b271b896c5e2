//! Formulas in the form in which they are stepped: negations stand before atoms only, and every part has a number.

use crate::evaluate::spelt_out;
use crate::shape::{Binary, Bound, Shape, Unary};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of a part.
pub(crate) type Part = u32;

/// A part of a formula, by its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    Atom {
        atom: u32,
        holds: bool,
    },
    And(Part, Part),
    Or(Part, Part),
    Next {
        weak: bool,
        of: Part,
    },
    Previous {
        weak: bool,
        of: Part,
    },
    /// The second operand at some time, and the first until then.
    Until(Bound, Part, Part),
    /// The second operand as long as the bound says, or until the first.
    Release(Bound, Part, Part),
    Since(Bound, Part, Part),
    /// The mirror image of `Release`.
    Trigger(Bound, Part, Part),
}

/// Something that must be remembered of the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Remembered {
    /// The truth of a part at the element before.
    Truth(Part),
    /// The elements that count for a past operator which is bounded by time.
    Window(Part),
}

impl Remembered {
    /// Of which part.
    pub(crate) fn part(self) -> Part {
        match self {
            Remembered::Truth(part) | Remembered::Window(part) => part,
        }
    }
}

impl Node {
    pub(crate) fn operands(&self) -> impl Iterator<Item = Part> + use<> {
        let (one, two) = match *self {
            Node::True | Node::False | Node::Atom { .. } => (None, None),
            Node::Next { of, .. } | Node::Previous { of, .. } => (Some(of), None),
            Node::And(one, two)
            | Node::Or(one, two)
            | Node::Until(_, one, two)
            | Node::Release(_, one, two)
            | Node::Since(_, one, two)
            | Node::Trigger(_, one, two) => (Some(one), Some(two)),
        };
        one.into_iter().chain(two)
    }
}

/// All parts of some formulas, and what may be left of them.
#[derive(Debug, Default)]
pub(crate) struct Closure {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Part>,
    /// What must be remembered of the past.
    pub(crate) remembered: Vec<Remembered>,
    places: FxHashMap<Remembered, usize>,
    /// Equivalences that were met in the formula at hand, by where they are in memory.
    met: FxHashMap<(usize, bool), Part>,
    /// How deep in that formula we are.
    depth: usize,
    /// How many parts were looked at and ways compared since somebody began to count.
    work: AtomicU64,
}

impl Closure {
    pub(crate) fn node(&self, part: Part) -> &Node {
        &self.nodes[part as usize]
    }

    /// How many parts there are. Operands come before what they are operands of.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Counts from here on how much work there is.
    pub(crate) fn count_anew(&self) {
        self.work.store(0, Relaxed);
    }

    /// How many parts were looked at and ways compared.
    pub(crate) fn work(&self) -> u64 {
        self.work.load(Relaxed)
    }

    /// Takes account of so many.
    pub(crate) fn count(&self, more: usize) {
        self.work.store(self.work() + more as u64, Relaxed);
    }

    /// Where something is remembered.
    pub(crate) fn place(&self, what: Remembered) -> usize {
        self.places[&what]
    }

    fn number(&mut self, node: Node) -> Part {
        if let Some(part) = self.numbers.get(&node) {
            return *part;
        }
        let part = self.nodes.len() as Part;
        self.nodes.push(node.clone());
        self.numbers.insert(node.clone(), part);
        // What may be left of it is numbered as well, so that nothing new is met later.
        match node {
            Node::Until(..) | Node::Release(..) => {
                if let Some(rest) = self.shortened(part) {
                    self.number(rest);
                }
            }
            // (With a bound of time, the window is remembered.)
            Node::Since(Bound::Time(..), ..) | Node::Trigger(Bound::Time(..), ..) => {
                self.remember(Remembered::Window(part))
            }
            Node::Since(..) | Node::Trigger(..) => {
                if let Some(rest) = self.shortened(part) {
                    let rest = self.number(rest);
                    self.remember(Remembered::Truth(rest));
                }
            }
            Node::Previous { of, .. } => self.remember(Remembered::Truth(of)),
            _ => {}
        }
        part
    }

    fn remember(&mut self, what: Remembered) {
        let count = self.remembered.len();
        self.places.entry(what).or_insert_with(|| {
            self.remembered.push(what);
            count
        });
    }

    /// What a bounded operator is one element further; nothing if it ends here.
    fn shortened(&self, part: Part) -> Option<Node> {
        let shorter = |bound: Bound| match bound {
            Bound::Steps(0, Some(0)) => None,
            Bound::Steps(from, to) => {
                Some(Bound::Steps(from.saturating_sub(1), to.map(|to| to.saturating_sub(1))))
            }
            bound => Some(bound),
        };
        Some(match *self.node(part) {
            Node::Until(bound, one, two) => Node::Until(shorter(bound)?, one, two),
            Node::Release(bound, one, two) => Node::Release(shorter(bound)?, one, two),
            Node::Since(bound, one, two) => Node::Since(shorter(bound)?, one, two),
            Node::Trigger(bound, one, two) => Node::Trigger(shorter(bound)?, one, two),
            _ => return None,
        })
    }

    /// The number of what a bounded operator is one element further; nothing if it ends here.
    pub(crate) fn rest(&self, part: Part) -> Option<Part> {
        self.numbers.get(&self.shortened(part)?).copied()
    }

    /// Numbers a formula, or its negation.
    pub(crate) fn add(&mut self, shape: &Shape, holds: bool) -> Part {
        // An equivalence has each of its operands as it is and negated: what was numbered once is not gone through again, or a chain of them
        // would take twice as long with each.
        let known = (std::ptr::from_ref(shape) as usize, holds);
        if let (Shape::Iff(..), Some(part)) = (shape, self.met.get(&known)) {
            return *part;
        }
        self.depth += 1;
        let part = self.added(shape, holds);
        self.depth -= 1;
        if let Shape::Iff(..) = shape {
            self.met.insert(known, part);
        }
        // (Where something is in memory says nothing later on. Until then it stays there: what is spelt out on the way is itself no equivalence.)
        if self.depth == 0 {
            self.met.clear();
        }
        part
    }

    fn added(&mut self, shape: &Shape, holds: bool) -> Part {
        match shape {
            Shape::True | Shape::False => {
                let is_true = matches!(shape, Shape::True) == holds;
                self.number(if is_true { Node::True } else { Node::False })
            }
            Shape::Atom(atom) => self.number(Node::Atom { atom: *atom, holds }),
            Shape::Not(of) => self.add(of, !holds),
            Shape::And(one, two) => self.both(one, holds, two, holds, holds),
            Shape::Or(one, two) => self.both(one, holds, two, holds, !holds),
            Shape::Implies(one, two) => self.both(one, !holds, two, holds, !holds),
            Shape::Iff(one, two) => {
                let same = self.both(one, true, two, holds, true);
                let other = self.both(one, false, two, !holds, true);
                self.or(same, other)
            }
            Shape::Next { weak, steps, of } => {
                let of = self.add(of, holds);
                (0..*steps).fold(of, |of, _| self.number(Node::Next { weak: *weak == holds, of }))
            }
            Shape::Previous { weak, steps, of } => {
                let of = self.add(of, holds);
                (0..*steps).fold(of, |of, _| self.number(Node::Previous { weak: *weak == holds, of }))
            }
            Shape::One(operator, bound, of) => {
                let of = self.add(of, holds);
                let goes_on = matches!(operator, Unary::Always | Unary::Historically) == holds;
                let is_past = matches!(operator, Unary::Historically | Unary::Once);
                let one = self.number(if goes_on { Node::False } else { Node::True });
                self.bounded(is_past, goes_on, *bound, one, of)
            }
            Shape::Two(Binary::WeakUntil | Binary::BackTo, ..) => self.add(&spelt_out(shape), holds),
            Shape::Two(operator, bound, one, two) => {
                let (one, two) = (self.add(one, holds), self.add(two, holds));
                let goes_on = (*operator == Binary::Release) == holds;
                self.bounded(*operator == Binary::Since, goes_on, *bound, one, two)
            }
        }
    }

    fn bounded(&mut self, is_past: bool, goes_on: bool, bound: Bound, one: Part, two: Part) -> Part {
        let bound = if bound.is_none() { Bound::None } else { bound };
        self.number(match (is_past, goes_on) {
            (false, false) => Node::Until(bound, one, two),
            (false, true) => Node::Release(bound, one, two),
            (true, false) => Node::Since(bound, one, two),
            (true, true) => Node::Trigger(bound, one, two),
        })
    }

    fn both(&mut self, one: &Shape, one_holds: bool, two: &Shape, two_holds: bool, is_and: bool) -> Part {
        let (one, two) = (self.add(one, one_holds), self.add(two, two_holds));
        if is_and { self.and(one, two) } else { self.or(one, two) }
    }

    fn and(&mut self, one: Part, two: Part) -> Part {
        match (self.node(one), self.node(two)) {
            (Node::False, _) | (_, Node::True) => one,
            (Node::True, _) | (_, Node::False) => two,
            _ if one == two => one,
            _ => self.number(Node::And(one.min(two), one.max(two))),
        }
    }

    fn or(&mut self, one: Part, two: Part) -> Part {
        match (self.node(one), self.node(two)) {
            (Node::True, _) | (_, Node::False) => one,
            (Node::False, _) | (_, Node::True) => two,
            _ if one == two => one,
            _ => self.number(Node::Or(one.min(two), one.max(two))),
        }
    }
}
