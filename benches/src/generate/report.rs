//! Runs the contenders and prints their rates.

use super::workload::{Counts, Purpose, Workload, counted};
use super::{CONTENDERS, Contender};
use crate::measure::{Work, rates};
use crate::table::{self, ratio};
use cpu_time::ProcessTime;
use std::time::Duration;

/// A run takes at least this much CPU time, so that starting it and reading the clock do not count.
const RUN: Duration = Duration::from_millis(20);

/// One contender at one workload.
struct Job {
    contender: &'static Contender,
    workload: Workload,
    /// How many passing cases make up a run.
    passing: u64,
    /// What is generated in a run, rejected cases included.
    counts: Counts,
}

impl Job {
    fn new(contender: &'static Contender, workload: Workload) -> Job {
        let mut passing = 256;
        loop {
            let start = ProcessTime::now();
            (contender.run)(workload, passing, Purpose::Time);
            if start.elapsed() >= RUN {
                break;
            }
            passing *= 2;
        }
        counted();
        (contender.run)(workload, passing, Purpose::Count);
        Job { contender, workload, passing, counts: counted() }
    }

    /// Counts generated cases.
    fn work(&self) -> Work<'_> {
        Box::new(|| {
            (self.contender.run)(self.workload, self.passing, Purpose::Time);
            self.counts.cases
        })
    }

    /// Elements per case.
    fn size(&self) -> f64 {
        self.counts.elements as f64 / self.counts.cases as f64
    }

    fn row(&self, rate: f64) -> Vec<String> {
        let rejected = 1.0 - self.passing as f64 / self.counts.cases as f64;
        vec![
            format!("{} {}", self.workload.name(), self.contender.name),
            format!("{:.3} M/s", rate / 1e6),
            format!("{:.2} M/s", rate * self.size() / 1e6),
            format!("{:.1}", self.size()),
            format!("{:.0} %", 100.0 * rejected),
        ]
    }
}

/// Prints a row for each workload and contender, and the result line.
pub(crate) fn compare() {
    let contenders = |workload| CONTENDERS.iter().map(move |contender| Job::new(contender, workload));
    let jobs: Vec<Job> = Workload::ALL.into_iter().flat_map(contenders).collect();
    let mut works: Vec<Work> = jobs.iter().map(Job::work).collect();
    let rates = rates(&mut works);
    let mut rows = vec![["", "cases", "elements", "mean size", "rejected"].map(str::to_owned).to_vec()];
    rows.extend(jobs.iter().zip(&rates).map(|(job, &rate)| job.row(rate)));
    table::print(&rows);

    let find = |name: &str, workload| {
        let mut jobs = jobs.iter().zip(&rates);
        jobs.find(|(job, _)| job.contender.name == name && job.workload == workload)
    };
    let cases = |name, workload| find(name, workload).map(|(_, &rate)| rate);
    let elements = |name, workload| find(name, workload).map(|(job, &rate)| rate * job.size());
    let rejecting = |name| ratio(cases(name, Workload::Rejecting), cases(name, Workload::Pair));
    for contender in CONTENDERS {
        println!("{}: rejecting over pair {}", contender.name, rejecting(contender.name));
    }
    let mut figures = Vec::new();
    for peer in ["proptest", "quickcheck"] {
        for workload in [Workload::Pair, Workload::Vec, Workload::String, Workload::Tree] {
            let ratio = ratio(elements("gainsay", workload), elements(peer, workload));
            figures.push(format!("{}_vs_{peer}={ratio}", workload.name()));
        }
    }
    println!("result: {} reject_ratio={}", figures.join(" "), rejecting("gainsay"));
}
