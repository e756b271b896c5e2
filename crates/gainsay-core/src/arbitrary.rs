//! Types whose values can be generated without being told how.

mod collections;
mod function;
mod numbers;
mod standard;
mod text;
mod tuples;

pub use function::Function;
#[cfg(feature = "regex")]
pub use text::string_matching;

use crate::case::{Case, List};
use crate::choice::Shape;
use crate::space::{Grammar, Space};

/// A type that knows how to generate its values: at random, and all of them, small to large.
///
/// Usually derived: `#[derive(Arbitrary)]`. By hand, [`arbitrary`](Arbitrary::arbitrary) is enough:
///
/// ```
/// use gainsay_core::{Arbitrary, Case};
/// struct Percent(u8);
/// impl Arbitrary for Percent {
///     fn arbitrary(case: &mut Case) -> Percent { Percent(case.int(0..=100)) }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not know how to generate its values",
    note = "derive it with `#[derive(Arbitrary)]`, implement `Arbitrary`, or name a generator: `#[with(…)]`"
)]
pub trait Arbitrary: Sized + 'static {
    /// Draws a value.
    fn arbitrary(case: &mut Case) -> Self;

    /// Draws elements of a list whose length is known, as far as that can be done faster than one by one.
    #[doc(hidden)]
    #[inline]
    fn fill(case: &mut Case, list: &mut List, items: &mut Vec<Self>) {
        while case.next_planned(list) {
            items.push(case.any());
        }
    }

    /// The shape of a choice, if each value is one.
    #[doc(hidden)]
    #[inline]
    fn one_choice() -> Option<Shape> {
        None
    }

    /// If each value is one choice: the one that a number stands for.
    #[doc(hidden)]
    fn of_number(_number: u64) -> Self {
        unreachable!("a value is not one choice")
    }

    /// Whether a value that was only looked at is kept to be [filled again](Arbitrary::refill). Not where somebody could notice that the
    /// one is gone only when the next is there: values that end with more than giving back memory.
    const REFILLS: bool = false;

    /// Draws another value in place of this one. Types that hold memory use it again: where very many values are shown one after the
    /// other, that is faster.
    #[inline]
    fn refill(&mut self, case: &mut Case) {
        *self = case.any();
    }

    /// Describes the choices that [`arbitrary`](Arbitrary::arbitrary) makes, exactly. What is not described can be generated and
    /// enumerated, but not [indexed](Indexable).
    fn space(grammar: &mut Grammar) -> Space {
        grammar.opaque()
    }
}

/// A type whose [`space`](Arbitrary::space) is described completely, so that its values can be counted and the n-th be
/// found: see [`Index`](crate::index::Index).
#[diagnostic::on_unimplemented(
    message = "the values of `{Self}` cannot be indexed",
    note = "some part of it is drawn by a generator about which nothing is known, or by a filter (sets and maps are)"
)]
pub trait Indexable: Arbitrary {}

/// How many values several types have together, if each has a number of them that is known. Used by `#[property]`.
#[doc(hidden)]
pub fn cardinality_of_all(each: &[Option<u128>]) -> Option<u128> {
    each.iter().try_fold(1, |all: u128, one| all.checked_mul((*one)?))
}
