//! How fast are values generated? A property that always passes runs through each library's ordinary runner.
//!
//! The timed property only hands its value to [`black_box`](std::hint::black_box). Sizes are counted
//! beforehand, in a run of the same cases from the same seed, so that counting costs no one time.

pub(crate) mod distribution;
mod gainsay;
mod hegel;
mod proptest;
mod quickcheck;
mod report;
mod workload;

use workload::{Purpose, Workload};

pub(crate) use report::compare;

/// A library that generates values.
struct Contender {
    name: &'static str,
    /// Runs a workload until this many cases have passed, from a fixed seed.
    run: fn(Workload, u64, Purpose),
}

/// The rows of the table. Gainsay joins by one more line, `gainsay::CONTENDER`, under the name `gainsay`.
const CONTENDERS: &[Contender] =
    &[gainsay::CONTENDER, hegel::CONTENDER, proptest::CONTENDER, quickcheck::CONTENDER];

/// The seed of all runs.
const SEED: u64 = 0;
