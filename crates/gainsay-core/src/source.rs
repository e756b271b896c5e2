//! Sources: who decides the next choice.
//!
//! Random testing, enumeration, replay, targeted search and fuzzing differ only here. Generators never ask which source
//! is at work.

pub(crate) mod bytes;
pub(crate) mod mutated;
pub(crate) mod random;
pub(crate) mod replay;
pub(crate) mod script;
pub(crate) mod targeted;
pub(crate) mod walk;

use crate::case::Note;
use crate::choice::{Choice, Shape};
use crate::plan::Plan;

/// What a generator knows about a choice beyond its shape. Only a random source listens: hints steer the distribution
/// and never what is possible.
#[derive(Debug, Clone, Copy)]
pub enum Hint<'a> {
    /// Nothing.
    None,
    /// The relative weight of each alternative.
    Weights(&'a [u32]),
    /// The relative weight of each alternative, of which a case may do without some; none if all are equal.
    Options(&'a [u32]),
    /// The variants of a type, which may be recursive, and how many spans are open.
    Variants(&'a Plan, usize),
    /// The lower half of an integer whose upper half was drawn before.
    Lower,
    /// Whether a recursive value grows further, inside this many open spans.
    Growing(usize),
    /// Numbers that are worth trying more often than others.
    Favoured(Favoured<'a>),
}

/// Numbers that are worth trying, found out when a source wants one of them.
#[derive(Clone, Copy)]
pub struct Favoured<'a>(pub(crate) &'a dyn Fn() -> Vec<u64>);

impl std::fmt::Debug for Favoured<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries((self.0)()).finish()
    }
}

/// Decides choices.
///
/// A source is asked for a number in `0..=shape.max` and must answer within it; `None` ends the case (everything drawn
/// afterwards is the simplest value, and the outcome does not count). `so_far` holds the choices already made. Given the
/// same questions, a source must give the same answers. [`conformance::source`](crate::conformance::source) checks this.
pub trait Source: Send {
    /// The next choice.
    fn choose(&mut self, shape: &Shape, hint: Hint<'_>, so_far: &[Choice]) -> Option<u64>;

    /// A span begins; `so_far` choices were made.
    fn enter(&mut self, _label: &'static str, _so_far: usize) {}

    /// The innermost span ends.
    fn leave(&mut self, _so_far: usize) {}

    /// A list of `min..=max` elements begins inside `depth` open spans: the length it shall have, if the source decides that beforehand.
    /// With a `factor` it is one of things that are done one after the other, as much longer than usual.
    fn open_list(
        &mut self,
        _min: usize,
        _max: usize,
        _depth: usize,
        _so_far: usize,
        _factor: u32,
    ) -> Option<usize> {
        None
    }

    /// The innermost list ends.
    fn close_list(&mut self) {}

    /// All choices after the first `so_far` were taken back: a filter failed, and random draws may be repeated.
    fn retract(&mut self, _so_far: usize) {}

    /// A choice was made without asking: the length of its list had been decided.
    fn decided(&mut self, _choice: &Choice) {}

    /// A value was noted for the report.
    fn noted(&mut self, _note: &Note) {}

    /// Whether choices are random, so that a failed filter may draw again.
    fn is_random(&self) -> bool {
        false
    }

    /// What a case leans to in something that it decides again and again: a number that is the same in the whole case, 0 if it leans to
    /// nothing. It may change weights, and nothing else.
    fn leans(&mut self, _of: u64) -> u64 {
        0
    }

    /// Whether values are enumerated, so that equal values must come from equal choices.
    fn is_exhaustive(&self) -> bool {
        false
    }
}
