//! What a run has seen of its model.

use super::Model;
use gainsay_core::{Case, Report, Settings, Verdict};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering::Relaxed;

/// How often each operation came so far, and how long tests were.
#[derive(Debug)]
pub(super) struct Statistics {
    operations: Vec<Counts>,
    /// By the number of bits of the length.
    lengths: [u64; 64],
    /// Where the model has been, if somebody wants to know.
    places: Option<Places>,
    /// Tests that were begun; none if they run in another process.
    attempts: u64,
    /// The operation that is being drawn.
    pub(super) at: usize,
    /// All sequences up to a length are run.
    pub(super) is_whole: bool,
    /// One test is run that was asked for.
    is_replay: bool,
}

/// States and transitions, by the hash of how they are shown.
#[derive(Debug, Default)]
struct Places {
    states: HashSet<u64>,
    transitions: HashSet<u64>,
    /// The state at the moment.
    at: u64,
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
    /// None, of a run with these settings.
    pub(super) fn new(operations: usize, settings: &Settings) -> Statistics {
        let places = settings.wants_statistics().then(Places::default);
        Statistics {
            operations: vec![Counts::default(); operations],
            lengths: [0; 64],
            places,
            attempts: 0,
            at: 0,
            is_whole: false,
            is_replay: settings.is_replay(),
        }
    }

    #[inline]
    pub(super) fn begun_to_draw(&mut self) {
        self.attempts += 1;
    }

    /// A test has so many commands.
    #[inline]
    pub(super) fn tested(&mut self, length: usize) {
        self.lengths[63.min(usize::BITS - length.leading_zeros()) as usize] += 1;
    }

    /// A test begins in this state.
    #[inline]
    pub(super) fn begun(&mut self, start: &dyn Debug) {
        if let Some(places) = &mut self.places {
            places.at = hash(&format!("{start:?}"));
            places.states.insert(places.at);
        }
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

    /// The model has moved on to a state by an operation.
    #[inline]
    pub(super) fn moved(&mut self, operation: usize, state: &dyn Debug) {
        if let Some(places) = &mut self.places {
            let after = hash(&format!("{state:?}"));
            places.states.insert(after);
            places.transitions.insert(hash(&(places.at, operation, after)));
            places.at = after;
        }
    }
}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Adds to a report what the run has shown about the model itself.
    pub(super) fn remarked(&self, mut report: Report, statistics: &Statistics) -> Report {
        self.doubted(&mut report);
        if statistics.attempts == 0 {
            return report;
        }
        if report.verdict.is_good() {
            self.remark_requirements(&mut report);
            self.count(&mut report, statistics);
            let never = self.never_ran(statistics);
            match statistics.is_whole {
                // What is impossible in so few commands was seen to be.
                true => report.remarks.extend(never.into_iter().map(|what| format!("never met {what}"))),
                false => report.never_exercised(never),
            }
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

    /// The operations that never ran, and why; all do if one case was asked for and nothing else.
    fn never_ran(&self, statistics: &Statistics) -> Vec<String> {
        if statistics.is_replay {
            return Vec::new();
        }
        let operations = self.operations.iter().zip(&statistics.operations);
        let never = operations.filter(|(_, counts)| counts.executed == 0).map(|(operation, counts)| {
            let name = operation.name();
            match (counts.refused, counts.allowed) {
                (0, 0) => {
                    format!("the operation `{name}` (no state that was reached allows it: `when`, `weight`)")
                }
                (refused, 0) => format!(
                    "the operation `{name}` (its {} held for none of {refused} proposed arguments)",
                    if operation.is_blocking() { "precondition and guard" } else { "precondition" }
                ),
                _ => format!("the operation `{name}`"),
            }
        });
        never.collect()
    }

    /// Adds what was counted to the labels of a report.
    fn count(&self, report: &mut Report, statistics: &Statistics) {
        let executed = statistics.operations.iter().map(|counts| counts.executed).sum();
        for (operation, counts) in self.operations.iter().zip(&statistics.operations) {
            report.add_count("operation", operation.name(), counts.executed, executed);
        }
        let tests = statistics.lengths.iter().sum();
        for (bits, &count) in statistics.lengths.iter().enumerate().filter(|(_, count)| **count > 0) {
            let label = match bits {
                0 => "0".into(),
                1 => "1".into(),
                bits => format!("{}–{}", 1u64 << (bits - 1), (1u64 << bits) - 1),
            };
            report.add_count("length", label, count, tests);
        }
        if let Some(Places { states, transitions, .. }) = &statistics.places
            && !states.is_empty()
        {
            report.remarks.push(format!(
                "the model was in {} states and took {} different transitions",
                states.len(),
                transitions.len()
            ));
        }
    }

    /// Says which requirements a passed test has covered.
    pub(super) fn cover(&self, case: &mut Case, operations: impl Iterator<Item = usize>) {
        if self.operations.iter().all(|operation| operation.tags().is_empty()) {
            return;
        }
        let tags: BTreeSet<&String> = operations.flat_map(|place| self.operations[place].tags()).collect();
        for tag in tags {
            case.collect("requirement", tag);
        }
    }

    /// A claim that could not be decided proves nothing.
    pub(super) fn doubted(&self, report: &mut Report) {
        for (name, count) in self.doubt.take_tolerated() {
            let times = if count == 1 { "once".into() } else { format!("{count} times") };
            report.remarks.push(format!("tolerated {times}: {name}"));
        }
        let (undefined, cut) = (self.doubt.undefined.load(Relaxed), self.doubt.cut.load(Relaxed));
        if !matches!(report.verdict, Verdict::Proved(_)) {
            return;
        }
        if undefined {
            report.withdraw_proof(Some("a claim of the model could not be decided in some case".into()));
        } else if cut {
            report
                .remarks
                .push("not proved: something infinite was cut short inside a claim of the model".into());
            report.withdraw_proof(None);
        }
    }

    /// Which requirements the passed tests have covered, if the model names any.
    fn remark_requirements(&self, report: &mut Report) {
        let all = self.operations.iter().flat_map(|operation| operation.tags().to_vec());
        let all: BTreeSet<String> = all.collect();
        let labels = report.labels.iter().filter(|label| label.table.as_deref() == Some("requirement"));
        let covered: BTreeSet<String> = labels.map(|label| label.label.clone()).collect();
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

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
