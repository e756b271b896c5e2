//! Formulas without their atoms: these have numbers. Everything that does not look at elements works on shapes, and is compiled once.

use std::sync::Arc;

/// A formula whose atoms are numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    True,
    False,
    Atom(u32),
    Not(Arc<Shape>),
    And(Arc<Shape>, Arc<Shape>),
    Or(Arc<Shape>, Arc<Shape>),
    Implies(Arc<Shape>, Arc<Shape>),
    Iff(Arc<Shape>, Arc<Shape>),
    /// After so many elements; where there is none, it is `weak` that decides.
    Next {
        weak: bool,
        steps: u32,
        of: Arc<Shape>,
    },
    Previous {
        weak: bool,
        steps: u32,
        of: Arc<Shape>,
    },
    /// One operand, now and at other times.
    One(Unary, Bound, Arc<Shape>),
    Two(Binary, Bound, Arc<Shape>, Arc<Shape>),
}

/// Operators with one operand and a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Always,
    Eventually,
    Historically,
    Once,
}

impl Unary {
    /// As it is written.
    pub(crate) fn letter(self) -> char {
        match self {
            Unary::Always => 'G',
            Unary::Eventually => 'F',
            Unary::Historically => 'H',
            Unary::Once => 'O',
        }
    }
}

/// Operators with two operands and a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Until,
    WeakUntil,
    Release,
    Since,
    BackTo,
}

impl Binary {
    /// The operands that must hold whenever they are looked at.
    pub(crate) fn whole(self) -> &'static [usize] {
        match self {
            Binary::Until | Binary::WeakUntil | Binary::Since | Binary::BackTo => &[0],
            Binary::Release => &[1],
        }
    }

    /// As it is written.
    pub(crate) fn letter(self) -> char {
        match self {
            Binary::Until => 'U',
            Binary::WeakUntil => 'W',
            Binary::Release => 'R',
            Binary::Since => 'S',
            Binary::BackTo => 'B',
        }
    }
}

/// How far away something may be. Both ends count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Bound {
    /// Anywhere.
    None,
    /// So many elements.
    Steps(u64, Option<u64>),
    /// So many nanoseconds.
    Time(u64, Option<u64>),
}

impl Bound {
    /// Whether it says nothing.
    pub(crate) fn is_none(self) -> bool {
        matches!(self, Bound::None | Bound::Steps(0, None) | Bound::Time(0, None))
    }

    /// Whether something so many elements and nanoseconds away counts.
    pub(crate) fn contains(self, steps: u64, time: u64) -> bool {
        match self {
            Bound::None => true,
            Bound::Steps(from, to) => steps >= from && to.is_none_or(|to| steps <= to),
            Bound::Time(from, to) => time >= from && to.is_none_or(|to| time <= to),
        }
    }

    /// The same from here on: whatever is nearer counts too.
    pub(crate) fn begun(self) -> Bound {
        match self {
            Bound::None => Bound::None,
            Bound::Steps(_, to) => Bound::Steps(0, to),
            Bound::Time(_, to) => Bound::Time(0, to),
        }
    }
}

impl Shape {
    pub(crate) fn not(of: Shape) -> Shape {
        Shape::Not(Arc::new(of))
    }

    /// Calls something with each operand.
    pub(crate) fn each_part(&self, mut see: impl FnMut(&Arc<Shape>)) {
        match self {
            Shape::True | Shape::False | Shape::Atom(_) => {}
            Shape::Not(of) | Shape::Next { of, .. } | Shape::Previous { of, .. } | Shape::One(_, _, of) => {
                see(of)
            }
            Shape::And(one, two)
            | Shape::Or(one, two)
            | Shape::Implies(one, two)
            | Shape::Iff(one, two)
            | Shape::Two(_, _, one, two) => {
                see(one);
                see(two);
            }
        }
    }

    /// The same with other operands.
    pub(crate) fn with_parts(&self, mut change: impl FnMut(&Arc<Shape>) -> Arc<Shape>) -> Shape {
        match self {
            Shape::True => Shape::True,
            Shape::False => Shape::False,
            Shape::Atom(number) => Shape::Atom(*number),
            Shape::Not(of) => Shape::Not(change(of)),
            Shape::Next { weak, steps, of } => Shape::Next { weak: *weak, steps: *steps, of: change(of) },
            Shape::Previous { weak, steps, of } => {
                Shape::Previous { weak: *weak, steps: *steps, of: change(of) }
            }
            Shape::One(operator, bound, of) => Shape::One(*operator, *bound, change(of)),
            Shape::And(one, two) => Shape::And(change(one), change(two)),
            Shape::Or(one, two) => Shape::Or(change(one), change(two)),
            Shape::Implies(one, two) => Shape::Implies(change(one), change(two)),
            Shape::Iff(one, two) => Shape::Iff(change(one), change(two)),
            Shape::Two(operator, bound, one, two) => Shape::Two(*operator, *bound, change(one), change(two)),
        }
    }

    /// The same with other numbers of atoms.
    pub(crate) fn renumbered(&self, number: &impl Fn(u32) -> u32) -> Shape {
        match self {
            Shape::Atom(atom) => Shape::Atom(number(*atom)),
            other => other.with_parts(|part| Arc::new(part.renumbered(number))),
        }
    }

    /// Whether some bound is one of time.
    pub(crate) fn is_timed(&self) -> bool {
        let mut is_timed =
            matches!(self, Shape::One(_, Bound::Time(..), _) | Shape::Two(_, Bound::Time(..), _, _));
        self.each_part(|part| is_timed |= part.is_timed());
        is_timed
    }

    /// How many operators and atoms it has.
    pub(crate) fn size(&self) -> usize {
        let mut size = 1;
        self.each_part(|part| size += part.size());
        size
    }
}
