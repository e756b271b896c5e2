//! The Shrinking Challenge (github.com/jlink/shrinking-challenge): how small do failures get, at what price?
//!
//! For each problem, contender and seed a run searches until the problem's judge fails, then shrinks. The
//! price is the number of evaluations of the judge after the first failure, those that do not meet the
//! precondition included; all contenders share the judges of [`problems`], which count. What a contender
//! arrives at is compared as text.

mod gainsay;
mod hegel;
mod problems;
mod proptest;
mod quickcheck;
mod report;
mod tally;

use problems::Problem;

pub(crate) use report::{compare, explain};

/// A library that finds and shrinks failures.
struct Contender {
    name: &'static str,
    /// Falsifies the problem from this seed and shows (`Debug`) what the failure was shrunk to.
    minimal: fn(Problem, u64) -> String,
}

/// The columns of the table. Gainsay joins by one more line, `gainsay::CONTENDER`, under the name `gainsay`.
const CONTENDERS: &[Contender] =
    &[gainsay::CONTENDER, hegel::CONTENDER, proptest::CONTENDER, quickcheck::CONTENDER];
