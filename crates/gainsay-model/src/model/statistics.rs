//! What a run has seen of its model.

use super::Model;
use gainsay_core::{Report, Verdict};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// How often each operation came so far.
#[derive(Debug)]
pub(super) struct Statistics {
    operations: Vec<Counts>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// Chosen in a state that allows it, with arguments that are allowed.
    allowed: u64,
    /// With others.
    refused: u64,
    executed: u64,
}

impl Statistics {
    pub(super) fn new(operations: usize) -> Statistics {
        Statistics { operations: vec![Counts::default(); operations] }
    }

    #[inline]
    pub(super) fn drawn(&mut self, operation: usize, allowed: bool) {
        let counts = &mut self.operations[operation];
        if allowed { counts.allowed += 1 } else { counts.refused += 1 }
    }

    #[inline]
    pub(super) fn executed(&mut self, operation: usize) {
        self.operations[operation].executed += 1;
    }
}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Adds to a report what the run has shown about the model itself.
    pub(super) fn remarked(&self, mut report: Report, statistics: &Statistics) -> Report {
        for (operation, counts) in self.operations.iter().zip(&statistics.operations) {
            if counts.executed > 0 || !report.verdict.is_good() {
                continue;
            }
            let name = operation.name();
            report.remarks.push(match (counts.refused, counts.allowed) {
                (0, 0) => format!(
                    "the operation `{name}` was never possible: no state that was reached allows it (`when`, `weight`)"
                ),
                (refused, 0) => format!(
                    "the operation `{name}` never ran: its {} held for none of {refused} proposed arguments",
                    if operation.is_blocking() { "precondition and guard" } else { "precondition" }
                ),
                _ => format!("the operation `{name}` never ran"),
            });
        }
        if report.verdict.is_good() {
            self.remark_requirements(&mut report, statistics);
        }
        if let Verdict::GaveUp(gave_up) = &mut report.verdict
            && statistics.operations.iter().all(|counts| counts.allowed == 0)
        {
            gave_up.reason = format!(
                "no operation of the model `{}` is possible at the start; {}",
                self.name,
                self.why_none(statistics)
            );
        }
        report
    }

    /// Which requirements the passed tests have covered, if the model names any.
    fn remark_requirements(&self, report: &mut Report, statistics: &Statistics) {
        let (mut covered, mut all) = (BTreeSet::new(), BTreeSet::new());
        for (operation, counts) in self.operations.iter().zip(&statistics.operations) {
            all.extend(operation.tags());
            if counts.executed > 0 {
                covered.extend(operation.tags());
            }
        }
        let missed: Vec<&str> = all.difference(&covered).map(|tag| tag.as_str()).collect();
        match (all.is_empty(), missed.is_empty()) {
            (true, _) => {}
            (false, true) => report.remarks.push(format!("all {} requirements are covered", all.len())),
            (false, false) => report.remarks.push(format!(
                "{} of {} requirements are covered, not {}",
                covered.len(),
                all.len(),
                missed.join(", ")
            )),
        }
    }

    fn why_none(&self, statistics: &Statistics) -> String {
        let reasons = self.operations.iter().zip(&statistics.operations).map(|(operation, counts)| {
            match counts.refused {
                0 => format!("`{}` is not allowed in that state", operation.name()),
                _ => format!("the precondition of `{}` never held", operation.name()),
            }
        });
        reasons.collect::<Vec<_>>().join(", ")
    }
}
