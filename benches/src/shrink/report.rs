//! Runs the contenders and prints what they cost.

use super::problems::Problem;
use super::{CONTENDERS, Contender, tally};
use crate::table;
use std::collections::BTreeMap;

/// How often each problem is falsified afresh.
const SEEDS: u64 = 50;

/// What one contender made of one problem.
struct Outcome {
    /// Mean evaluations of the judge after the first failure.
    evaluations: f64,
    /// What the failures were shrunk to, and how often.
    results: BTreeMap<String, u64>,
}

impl Outcome {
    fn of(contender: &Contender, problem: Problem) -> Outcome {
        let mut evaluations = 0;
        let mut results = BTreeMap::new();
        for seed in 0..SEEDS {
            tally::reset();
            let result = (contender.minimal)(problem, seed);
            evaluations += tally::tally().shrinking;
            *results.entry(result).or_default() += 1;
        }
        Outcome { evaluations: evaluations as f64 / SEEDS as f64, results }
    }

    /// Is there one result, the smallest there is?
    fn is_normal(&self, problem: Problem) -> bool {
        self.results.len() == 1 && self.results.contains_key(problem.smallest())
    }

    /// Evaluations and distinct results, with a star for the one normal form.
    fn cell(&self, problem: Problem) -> String {
        let star = if self.is_normal(problem) { '*' } else { ' ' };
        format!("{:.0}/{}{star}", self.evaluations, self.results.len())
    }
}

/// Prints a row for each problem and the result line.
pub(crate) fn compare() {
    println!("mean evaluations to shrink / distinct results of {SEEDS} seeds (* all the smallest)");
    let mut rows = vec![heading("problem")];
    let mut normal = 0;
    let mut against_hegel = None;
    for problem in Problem::ALL {
        let outcomes: Vec<Outcome> =
            CONTENDERS.iter().filter(|c| only(c)).map(|c| Outcome::of(c, problem)).collect();
        let mut row = vec![problem.name().to_owned()];
        row.extend(outcomes.iter().map(|outcome| outcome.cell(problem)));
        rows.push(row);
        let by_name =
            |name| CONTENDERS.iter().filter(|c| only(c)).position(|c| c.name == name).map(|at| &outcomes[at]);
        if let (Some(ours), Some(hegel)) = (by_name("gainsay"), by_name("hegel")) {
            normal += u32::from(ours.is_normal(problem));
            let ratio = ours.evaluations / hegel.evaluations;
            against_hegel = Some(against_hegel.map_or(ratio, |worst: f64| worst.max(ratio)));
        }
    }
    table::print(&rows);
    match against_hegel {
        Some(ratio) => {
            let problems = Problem::ALL.len();
            println!("result: normal={normal}/{problems} evals_vs_hegel={ratio:.2}");
        }
        None => println!("result: normal=n/a evals_vs_hegel=n/a"),
    }
}

/// Prints all results of one problem.
pub(crate) fn explain(name: &str) -> Result<(), String> {
    let names: Vec<&str> = Problem::ALL.iter().map(|problem| problem.name()).collect();
    let Some(at) = names.iter().position(|&known| known == name) else {
        return Err(format!("no problem `{name}`: choose from {}", names.join(", ")));
    };
    let problem = Problem::ALL[at];
    println!("{name}, smallest {}", problem.smallest());
    for contender in CONTENDERS.iter().filter(|c| only(c)) {
        let outcome = Outcome::of(contender, problem);
        println!("{} {}", contender.name, outcome.cell(problem));
        for (result, count) in &outcome.results {
            println!("  {count:>2} {result}");
        }
    }
    Ok(())
}

fn heading(first: &str) -> Vec<String> {
    let names = CONTENDERS.iter().map(|contender| contender.name);
    std::iter::once(first).chain(names).map(str::to_owned).collect()
}

/// Whether a contender takes part: `BENCH_ONLY` names the only one while something is being tuned.
fn only(contender: &Contender) -> bool {
    std::env::var("BENCH_ONLY").map_or(true, |name| name.is_empty() || name == contender.name)
}
