//! Runs the contenders and prints their rates.

use super::workload::{Counts, counted};
use super::{CONTENDERS, Contender};
use crate::measure::{Work, rates};
use crate::table::{self, ratio};
use cpu_time::ProcessTime;
use std::time::Duration;

/// A run takes at least this much CPU time, so that starting it and reading the clock do not count.
const RUN: Duration = Duration::from_millis(20);

/// One contender and the length of its runs.
struct Job {
    contender: &'static Contender,
    /// Sequences in a run.
    cases: u64,
    /// What a run does.
    counts: Counts,
}

impl Job {
    fn new(contender: &'static Contender) -> Job {
        let mut cases = 64;
        loop {
            counted();
            let start = ProcessTime::now();
            (contender.run)(cases);
            if start.elapsed() >= RUN {
                break;
            }
            cases *= 2;
        }
        Job { contender, cases, counts: counted() }
    }

    /// Counts executed commands.
    fn work(&self) -> Work<'_> {
        Box::new(|| {
            (self.contender.run)(self.cases);
            let Counts { pushes, pops, .. } = counted();
            pushes + pops
        })
    }

    fn row(&self, rate: f64) -> Vec<String> {
        let Counts { cases, pushes, pops } = self.counts;
        let commands = (pushes + pops) as f64;
        vec![
            self.contender.name.to_owned(),
            format!("{:.3} M/s", rate / 1e6),
            format!("{:.1}", commands / cases as f64),
            format!("{:.0} %", 100.0 * pushes as f64 / commands),
        ]
    }
}

/// Prints a row for each contender, and the result line.
pub(crate) fn compare() {
    let jobs: Vec<Job> = CONTENDERS.iter().map(Job::new).collect();
    let mut works: Vec<Work> = jobs.iter().map(Job::work).collect();
    let rates = rates(&mut works);
    let mut rows = vec![["", "commands", "mean length", "pushes"].map(str::to_owned).to_vec()];
    rows.extend(jobs.iter().zip(&rates).map(|(job, &rate)| job.row(rate)));
    table::print(&rows);

    let (ours, theirs): (Vec<_>, Vec<_>) =
        jobs.iter().zip(&rates).partition(|(job, _)| job.contender.name == "gainsay");
    let best = |rates: &[(&Job, &f64)]| rates.iter().map(|&(_, &rate)| rate).reduce(f64::max);
    for &(job, &rate) in &theirs {
        println!("gainsay over {}: {}", job.contender.name, ratio(best(&ours), Some(rate)));
    }
    println!(
        "result: commands_vs_best_peer={} races={} twins={}",
        ratio(best(&ours), best(&theirs)),
        figure("races"),
        figure("twins"),
    );
}

/// A figure that only one contender has.
fn figure(key: &str) -> String {
    let mut figures = CONTENDERS.iter().flat_map(|contender| contender.figures);
    match figures.find(|(known, _)| *known == key) {
        Some((_, measure)) => measure(),
        None => "n/a".to_owned(),
    }
}
