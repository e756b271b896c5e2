//! How fast are commands generated and executed on a bounded queue beside its model? And which races are found?
//!
//! Each contender runs sequences of [`workload::LENGTH_MAX`] commands at most through its ordinary runner, and
//! checks [`workload::invariant`] after each command.

mod gainsay;
mod hegel;
mod proptest;
mod report;
mod stack;
mod workload;

pub(crate) use report::compare;

/// A library that tests against models.
struct Contender {
    name: &'static str,
    /// Runs this many passing sequences, from a fixed seed.
    run: fn(u64),
    /// Other figures of the result line, by their keys: `races` and `twins`.
    figures: &'static [(&'static str, Measure)],
}

/// Finds out one figure, as it is printed.
type Measure = fn() -> String;

/// The rows of the table.
const CONTENDERS: &[Contender] = &[
    gainsay::CONTENDER,
    proptest::UNION,
    proptest::CONTENDER,
    proptest::BY_HAND,
    hegel::CONTENDER,
    hegel::BY_HAND,
];

/// The seed of all runs.
const SEED: u64 = 0;
