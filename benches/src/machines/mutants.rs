//! Whether suites find every single mistake in machines learned from real implementations.

use super::data::{Learned, expected, folder};
use gainsay::Case;
use gainsay::machine::{Method, Suite, Table};
use std::time::Instant;

/// Machines with more states than this have too many mutants to try all.
const STATES_ALL: usize = 30;

/// So many are tried of them.
const SAMPLED: usize = 2000;

/// A table that differs in one answer, or in where one transition leads.
fn mutant(table: &Table, state: u32, input: u32, next: Option<u32>) -> Option<Table> {
    let (before, answer) = table.step(state, input)?;
    let mut mutant = table.clone();
    match next {
        Some(next) if next == before => return None,
        Some(next) => mutant.set(state, input, next, answer),
        // (An answer that nobody gives otherwise is the easiest to see: another one that is given is taken.)
        None => mutant.set(state, input, before, if answer == 0 { 1 } else { answer - 1 }),
    }
    Some(mutant)
}

fn all(table: &Table) -> Vec<Table> {
    let (states, inputs) = (table.states() as u32, table.inputs() as u32);
    let mut mutants = Vec::new();
    for state in 0..states {
        for input in 0..inputs {
            mutants.extend(mutant(table, state, input, None));
            mutants.extend((0..states).filter_map(|next| mutant(table, state, input, Some(next))));
        }
    }
    mutants
}

fn sampled(table: &Table) -> Vec<Table> {
    let (states, inputs) = (table.states(), table.inputs());
    let drawn = (0..).filter_map(|number| {
        let mut case = Case::random(1, number);
        let (state, input) = (case.index(states) as u32, case.index(inputs) as u32);
        let next = case.flag().then(|| case.index(states) as u32);
        mutant(table, state, input, next)
    });
    drawn.take(SAMPLED).collect()
}

fn kills(suite: &[Vec<u32>], specification: &Table, implementation: &Table) -> bool {
    suite.iter().any(|inputs| {
        let (mut here, mut there) = (0, 0);
        inputs.iter().any(|input| {
            match (specification.step(here, *input), implementation.step(there, *input)) {
                (Some((next, answer)), Some((reached, given))) => {
                    (here, there) = (next, reached);
                    answer != given
                }
                _ => false,
            }
        })
    })
}

/// How many of the wrong ones are found by all suites, and how many there are.
pub(super) fn compare() -> (usize, usize) {
    let begun = Instant::now();
    let (mut killed, mut wrong, mut same) = (0, 0, 0);
    for expected in expected() {
        let Ok(machine) = Learned::read_dot(&folder().join(&expected.file)) else { continue };
        let (table, _) = machine.table().minimised();
        let suites: Vec<Vec<Vec<u32>>> = Method::ALL
            .iter()
            .filter_map(|method| Some(Suite::complete(&table, *method, 0).ok()?.iter().collect()))
            .collect();
        let mutants = if table.states() <= STATES_ALL { all(&table) } else { sampled(&table) };
        for mutant in mutants {
            if table.difference(&mutant, true).is_none() {
                same += 1;
                continue;
            }
            wrong += 1;
            let is_killed =
                suites.len() == Method::ALL.len() && suites.iter().all(|suite| kills(suite, &table, &mutant));
            killed += usize::from(is_killed);
        }
    }
    println!(
        "mutants of real machines: {killed} of {wrong} found by W, Wp, HSI, H and SPYH each, {same} that do the same left out, {:.0} s",
        begun.elapsed().as_secs_f64()
    );
    (killed, wrong)
}
