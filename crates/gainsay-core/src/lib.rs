//! The engine of gainsay: choices, sources, generators, shrinking, enumeration, corpus, verdicts.
//!
//! A test case is a sequence of typed [choices](choice); generators are functions from [`Case`] to values. Who decides a choice is a
//! [`source`]: random, exhaustive, replayed, targeted, or a fuzzer's bytes. One runner tries cases, one shrinker makes failing ones
//! small, one [`Verdict`] says what came of it. Users depend on the crate `gainsay`, which re-exports this one.
//!
//! # Limitations
//! - A generator must be deterministic: all that varies must be drawn from the case.
//! - A property that ends the process (stack overflow, abort) is contained only with [`Settings::isolate`]; otherwise
//!   the next run finds out which case it was.
//! - `panic = "abort"` is refused: failures are caught by unwinding.
//! - Isolation needs loopback TCP and runs this program again, with the name of the test as its argument.

#![expect(clippy::print_stderr, reason = "remarks of a run go where the test harness shows them")]

mod arbitrary;
mod case;
mod check;
pub mod choice;
pub mod conformance;
mod corpus;
mod error;
mod escape;
mod file;
mod generate;
mod index;
mod int;
mod isolate;
mod lab;
mod logic;
mod outcome;
mod plan;
mod private;
mod progress;
mod quiet;
mod record;
mod rng;
mod row;
mod run;
mod settings;
mod shrink;
pub mod source;
mod space;
mod tally;
mod tape;
mod tyche;
mod verdict;
mod watch;
mod wire;

#[cfg(feature = "regex")]
pub use arbitrary::string_matching;
pub use arbitrary::{Arbitrary, Function, Indexable, cardinality_of_all};
#[doc(hidden)]
pub use case::List;
pub use case::{Case, Note, Rejected};
pub use check::{
    Async, Quantified, QuantifiedSync, Threaded, block_on, cardinality, check, check_each, check_exhaustive,
    check_property, check_with, finish, for_all, verdict, verdict_each, verdict_exhaustive, verdict_for_all,
    verdict_with,
};
pub use corpus::prune;
pub use error::Error;
pub use escape::escaped;
pub use file::{TEXT_MAX, read_named_text, read_text, read_text_of, write_text, write_whole};
pub use generate::{
    Any, Boxed, Gen, Generator, Lengths, ListOf, any, generator, just, list_of, one_of, option_of,
    permutation, recursive, sampled, sized, subset, vec_of, weighted,
};
pub use index::{Index, nth};
pub use int::Int;
pub use logic::{
    Claim, INSTANCES_MAX, Property, Truth, at_least, at_most, close, equal, exists, for_each, greater, less,
    unequal, values,
};
pub use outcome::{Failure, Kind, Outcome, Status};
pub use plan::Plan;
pub use private::private_folder;
#[doc(hidden)]
pub use quiet::{failure_of, quietly};
pub use record::{Record, Span, shortlex};
pub use settings::{Limits, Settings, settings};
pub use space::{Grammar, Space};
#[doc(hidden)]
pub use verdict::plural;
pub use verdict::{
    Counterexample, Falsified, Flaky, GaveUp, Inconclusive, LabelCount, Origin, Passed, Proved, Report,
    Scope, Vacuous, Verdict,
};
pub use watch::EXIT_HANG;

/// What a fuzzer feeds.
#[cfg(fuzzing)]
pub mod fuzz {
    /// A value of `GAINSAY_REPLAY`. What is read is written, and read as the same.
    pub fn replay_value(text: &str) {
        let Ok(named) = crate::wire::parse_replay(text) else { return };
        let again = match &named {
            crate::wire::Named::Record(record) => crate::wire::replay_of(record),
            crate::wire::Named::Random { seed, index, size } => {
                crate::wire::replay_of_random(*seed, *index, *size)
            }
            crate::wire::Named::Walk { seed, run } => crate::wire::replay_of_walk(*seed, *run),
            crate::wire::Named::Entry(_) => return,
        };
        assert_eq!(crate::wire::parse_replay(&again).ok(), Some(named), "{again}");
    }

    /// A file of the corpus, and the case in it.
    pub fn corpus_file(text: &str) {
        crate::corpus::fuzz(text);
    }

    /// What a child and its parent say to each other.
    pub fn child_lines(text: &str) {
        crate::isolate::fuzz(text);
    }
}
