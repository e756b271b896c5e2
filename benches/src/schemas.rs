//! Tests of message systems guided by schemas: true properties of a safety controller pass, false ones fall, and so do the bugs of a rover.

mod kobuki;
mod rover;

use crate::table::print;
use gainsay_msg::Tested;
use std::time::Instant;

/// What is counted is counted with each of these.
const SEEDS: [u64; 3] = [1, 2, 3];

/// A test, in a few numbers.
struct Outcome {
    is_falsified: bool,
    /// Traces up to the first counterexample, and to the last, smallest one.
    first: u64,
    last: u64,
    drawn: u64,
    refused: u64,
}

impl Outcome {
    fn of(tested: &Tested) -> Outcome {
        let verdict = &tested.report.verdict;
        // (The one that failed is among them.)
        let first = verdict.cases();
        let shrinking = verdict.counterexample().map_or(0, |counterexample| counterexample.evaluations);
        Outcome {
            is_falsified: verdict.counterexample().is_some(),
            first,
            last: first + shrinking,
            drawn: tested.drawn,
            refused: tested.refused,
        }
    }
}

fn mean(numbers: impl Iterator<Item = u64> + Clone) -> f64 {
    numbers.clone().sum::<u64>() as f64 / numbers.count().max(1) as f64
}

/// What was found in an example.
pub(crate) fn compare() -> Result<(), String> {
    let catalogue = kobuki::Catalogue::read()?;
    let program = rover::built()?;
    let begun = Instant::now();
    let kobuki = kobuki::compare(&catalogue)?;
    let rover = rover::compare(&program)?;
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "result: true={}/{} p5_without_axiom={} killed={}/{} first={:.1} final={:.1} seconds={seconds:.1} rover_base={:.1}/10 rover_empty={:.1}/10 rover_true={}/{}",
        kobuki.kept,
        kobuki.properties,
        if kobuki.is_fifth_falsified { "falsified" } else { "passed" },
        kobuki.killed,
        kobuki.mutants,
        kobuki.first,
        kobuki.last,
        rover.base,
        rover.empty,
        rover.kept,
        rover.properties
    );
    Ok(())
}
