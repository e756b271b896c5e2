//! What a run has seen of its model.

use super::Model;
use gainsay_core::{Report, Verdict};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// How often each operation came so far.
#[derive(Debug)]
pub(super) struct Statistics {
    /// Chosen in a state that allows it.
    pub(super) offered: Vec<u64>,
    /// With arguments that are allowed.
    pub(super) allowed: Vec<u64>,
    pub(super) executed: Vec<u64>,
}

impl Statistics {
    pub(super) fn new(operations: usize) -> Statistics {
        let none = vec![0; operations];
        Statistics { offered: none.clone(), allowed: none.clone(), executed: none }
    }
}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Adds to a report what the run has shown about the model itself.
    pub(super) fn remarked(&self, mut report: Report, statistics: &Statistics) -> Report {
        for (place, operation) in self.operations.iter().enumerate() {
            if statistics.executed[place] > 0 || !report.verdict.is_good() {
                continue;
            }
            let name = operation.name();
            report.remarks.push(match (statistics.offered[place], statistics.allowed[place]) {
                (0, _) => format!(
                    "the operation `{name}` was never possible: no state that was reached allows it (`when`, `weight`)"
                ),
                (offered, 0) => format!(
                    "the operation `{name}` never ran: its precondition held for none of {offered} proposed arguments"
                ),
                _ => format!("the operation `{name}` never ran"),
            });
        }
        if report.verdict.is_good() {
            self.remark_requirements(&mut report, statistics);
        }
        if let Verdict::GaveUp(gave_up) = &mut report.verdict
            && statistics.allowed.iter().all(|&allowed| allowed == 0)
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
        for (operation, &executed) in self.operations.iter().zip(&statistics.executed) {
            all.extend(operation.tags());
            if executed > 0 {
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
        let reasons =
            self.operations.iter().zip(&statistics.offered).map(|(operation, &offered)| match offered {
                0 => format!("`{}` is not allowed in that state", operation.name()),
                _ => format!("the precondition of `{}` never held", operation.name()),
            });
        reasons.collect::<Vec<_>>().join(", ")
    }
}
