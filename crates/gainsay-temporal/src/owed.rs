//! What is owed from the next element on: ways to meet it, each a set of parts that must hold then.

use crate::closure::{Closure, Node, Part};
use crate::shape::Bound;

/// A part that must hold from the next element on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Duty {
    pub(crate) part: Part,
    /// How long ago its time began, if it is bounded by time.
    pub(crate) age: u64,
    /// If there is no next element, it holds.
    pub(crate) weak: bool,
    /// It is bounded by time, which begins with the next element.
    pub(crate) waits: bool,
}

/// Duties that must all be met; in order, none twice.
pub(crate) type Way = Vec<Duty>;

/// Ways, of which one must be gone; none of them is harder than another. Without a way it cannot be met; a way without duties means that it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Owed {
    pub(crate) ways: Vec<Way>,
}

/// There are more ways than anybody can look at.
#[derive(Debug)]
pub(crate) struct TooMany;

/// So many ways are kept.
const WAYS_MAX: usize = 4000;

/// So much work is done at one element.
const WORK_MAX: u64 = 5_000_000;

impl Owed {
    /// It is met.
    pub(crate) fn nothing() -> Owed {
        Owed { ways: vec![Vec::new()] }
    }

    /// It cannot be met.
    pub(crate) fn impossible() -> Owed {
        Owed { ways: Vec::new() }
    }

    pub(crate) fn constant(holds: bool) -> Owed {
        if holds { Owed::nothing() } else { Owed::impossible() }
    }

    pub(crate) fn duty(duty: Duty) -> Owed {
        Owed { ways: vec![vec![duty]] }
    }

    pub(crate) fn is_met(&self) -> bool {
        matches!(self.ways.as_slice(), [way] if way.is_empty())
    }

    pub(crate) fn is_impossible(&self) -> bool {
        self.ways.is_empty()
    }

    /// Whether it is met if there is no next element.
    pub(crate) fn is_met_at_end(&self) -> bool {
        self.ways.iter().any(|way| way.iter().all(|duty| duty.weak))
    }

    /// Adds a way, unless there is an easier one; harder ones go.
    fn add(&mut self, way: Way, closure: &Closure) {
        closure.count(1 + self.ways.len());
        if self.ways.iter().any(|known| is_easier(known, &way, closure)) {
            return;
        }
        self.ways.retain(|known| !is_easier(&way, known, closure));
        self.ways.push(way);
    }

    fn is_too_much(&self, closure: &Closure) -> bool {
        self.ways.len() > WAYS_MAX || closure.work() > WORK_MAX
    }

    fn sorted(mut self) -> Owed {
        self.ways.sort();
        self
    }

    pub(crate) fn or(self, other: Owed, closure: &Closure) -> Result<Owed, TooMany> {
        if self.is_met() || other.is_impossible() {
            return Ok(self);
        }
        if other.is_met() || self.is_impossible() {
            return Ok(other);
        }
        let mut either = self;
        for way in other.ways {
            either.add(way, closure);
        }
        if either.is_too_much(closure) { Err(TooMany) } else { Ok(either.sorted()) }
    }

    pub(crate) fn and(self, other: Owed, closure: &Closure) -> Result<Owed, TooMany> {
        if self.is_impossible() || other.is_met() {
            return Ok(self);
        }
        if other.is_impossible() || self.is_met() {
            return Ok(other);
        }
        let mut both = Owed::impossible();
        for one in &self.ways {
            for two in &other.ways {
                let mut way = one.clone();
                two.iter().for_each(|duty| demand(&mut way, *duty, closure));
                way.sort();
                both.add(way, closure);
            }
            if both.is_too_much(closure) {
                return Err(TooMany);
            }
        }
        Ok(both.sorted())
    }

    /// All duties that occur.
    pub(crate) fn duties(&self) -> impl Iterator<Item = &Duty> {
        self.ways.iter().flatten()
    }
}

/// Adds a duty to others, unless one of them implies it.
fn demand(way: &mut Way, duty: Duty, closure: &Closure) {
    if way.iter().any(|known| implies(*known, duty, closure)) {
        return;
    }
    way.retain(|known| !implies(duty, *known, closure));
    way.push(duty);
}

/// Whether whoever meets the duties of the second way meets those of the first.
pub(crate) fn is_easier(one: &Way, two: &Way, closure: &Closure) -> bool {
    one.iter().all(|duty| two.iter().any(|other| implies(*other, *duty, closure)))
}

/// Whether a duty that is met meets another.
fn implies(one: Duty, other: Duty, closure: &Closure) -> bool {
    if one.part != other.part || one.weak && !other.weak || one.waits != other.waits {
        return false;
    }
    match closure.node(one.part) {
        // What is due earlier, and what goes on longer, is more.
        Node::Until(Bound::Time(0, Some(_)), ..) => one.age >= other.age,
        Node::Release(Bound::Time(0, Some(_)), ..) => one.age <= other.age,
        _ => one.age == other.age,
    }
}
