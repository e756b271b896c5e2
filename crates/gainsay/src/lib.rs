//! Specification-based testing: you state what your system must do; gainsay does its best to contradict you, and hands you the
//! smallest contradiction.
//!
//! ```
//! use gainsay::prelude::*;
//!
//! /// The places of `wanted` in `text`.
//! fn indices(text: &str, wanted: char) -> Vec<usize> {
//!     text.chars().enumerate().filter(|(_, c)| *c == wanted).map(|(i, _)| i).collect()
//! }
//!
//! #[property]
//! fn indices_are_exactly_the_matches(s: &str, c: char) -> Property {
//!     let found = indices(s, c);
//!     for_each(0..s.chars().count(), |i| found.contains(&i).iff(s.chars().nth(i) == Some(c)))
//! }
//!
//! let law = verdict_exhaustive(|a: bool, b: bool| !(a && b) == (!a || !b));
//! assert_eq!(law.to_string(), "proved: all 4 cases");
//! ```
//!
//! This crate is a facade: the engine lives in `gainsay-core`, whose documentation lists the limitations.

#[cfg(doctest)]
mod book;

pub use gainsay_core::*;
#[cfg(feature = "macros")]
pub use gainsay_macros::{Arbitrary, mock, property};
pub use gainsay_model::*;
#[cfg(feature = "msg")]
pub use gainsay_msg as msg;
pub use gainsay_temporal as temporal;

/// Everything a test usually needs.
pub mod prelude {
    #[cfg(feature = "macros")]
    pub use crate::property;
    #[cfg(feature = "regex")]
    pub use crate::string_matching;
    pub use crate::{
        Arbitrary, Case, Claim, Function, Gen, Generator, Index, Indexable, Property, Truth, Verdict, any,
        at_least, at_most, check, check_each, check_exhaustive, check_with, close, equal, exists, for_all,
        for_each, generator, greater, just, less, list_of, model, nth, one_of, option_of, permutation,
        recursive, sampled, settings, sized, subset, unequal, values, vec_of, verdict, verdict_each,
        verdict_exhaustive, verdict_for_all, verdict_with, weighted,
    };
}
