//! How fast are values enumerated? All contenders of a walk visit the same values, in an order of their own.

mod exhaustigen;
mod exhaustive;
mod gainsay;
mod loops;
mod report;
mod walk;

use walk::Walk;

pub(crate) use report::compare;

/// A way to enumerate.
struct Contender {
    name: &'static str,
    /// The walks it can do.
    walks: &'static [(Walk, Visit)],
    /// Other figures of the result line, by their keys.
    figures: &'static [(&'static str, Measure)],
}

/// Does one whole walk and says how many values it visited.
type Visit = fn() -> u64;

/// Finds out one figure.
type Measure = fn() -> f64;

/// The rows of the table. Gainsay joins by one more line, `gainsay::CONTENDER`, under the name `gainsay`.
const CONTENDERS: &[Contender] = &[
    gainsay::CONTENDER,
    gainsay::OWNED,
    loops::CONTENDER,
    exhaustigen::CONTENDER,
    exhaustigen::COLLECTED,
    exhaustive::CONTENDER,
    exhaustive::BY_HAND,
];
