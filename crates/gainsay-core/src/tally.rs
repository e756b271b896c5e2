//! Counts of a run: statuses, labels, scores, reasons of rejection.

use crate::case::{Case, KNOWN, Label, Reason};
use crate::outcome::{Outcome, Status};
use crate::record::{Record, shortlex};
use crate::run::Novelty;
use crate::verdict::LabelCount;
use std::collections::BTreeMap;

/// What was seen in a run so far.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) rejected: u64,
    pub(crate) undefined: u64,
    /// Why the first case could not be decided that says so.
    pub(crate) undecided: Option<String>,
    pub(crate) overrun: u64,
    pub(crate) failed: u64,
    /// Something infinite was cut short in some case.
    pub(crate) cut: bool,
    reasons: BTreeMap<Reason, u64>,
    labels: BTreeMap<(Option<&'static str>, String), Count>,
    targets: BTreeMap<String, (f64, Record)>,
    pub(crate) novelty: Novelty,
    /// The table of which the smallest case is kept for each value.
    keeps: Option<&'static str>,
    kept: BTreeMap<String, Record>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    cases: u64,
    of: u64,
    required_percent: Option<f64>,
}

impl Tally {
    pub(crate) fn new(keeps: Option<&'static str>) -> Tally {
        Tally { keeps, ..Tally::default() }
    }

    /// Counts a case.
    #[inline]
    pub(crate) fn add(&mut self, outcome: &Outcome, case: &Case) {
        self.cut |= outcome.cut || case.remarks.cut;
        match outcome.status {
            Status::Passed => self.passed += 1,
            Status::Rejected => {
                self.rejected += 1;
                self.add_reason(case);
                self.add_known(case);
                return;
            }
            Status::Undefined => {
                self.undefined += 1;
                if let (None, Some(failure)) = (&self.undecided, &outcome.failure) {
                    self.undecided = Some(failure.message.clone());
                }
            }
            Status::Overrun => {
                self.overrun += 1;
                self.add_reason(case);
                return;
            }
            Status::Failed => self.failed += 1,
            Status::Unjudged => return,
        }
        if case.is_touched() {
            self.add_remarks(case);
            if outcome.status == Status::Passed {
                self.keep(case);
            }
        }
    }

    /// Keeps a case that has passed, if it is the smallest with one of its labels.
    pub(crate) fn keep(&mut self, case: &Case) {
        let Some(table) = self.keeps else { return };
        for label in case.remarks.labels.iter().filter(|label| label.table == Some(table)) {
            let smaller = |kept: &Record| shortlex(case.choices(), &kept.choices).is_lt();
            if self.kept.get(&label.text).is_none_or(smaller) {
                self.kept.insert(label.text.clone(), case.record());
            }
        }
    }

    pub(crate) fn kept(&self) -> &BTreeMap<String, Record> {
        &self.kept
    }

    fn add_known(&mut self, case: &Case) {
        for label in case.remarks.labels.iter().filter(|label| label.table == Some(KNOWN)) {
            self.labels.entry((label.table, label.text.clone())).or_default().cases += 1;
        }
    }

    fn add_reason(&mut self, case: &Case) {
        // Rejection by a formula has no place.
        if let Some(reason) = case.reason() {
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    fn add_remarks(&mut self, case: &Case) {
        // A label given twice to one case counts once.
        let mut labels: Vec<&Label> = case.remarks.labels.iter().collect();
        labels.sort_by(|a, b| (a.table, &a.text, !a.holds).cmp(&(b.table, &b.text, !b.holds)));
        for label in &labels {
            // Of two demands the higher one counts.
            if let Some(percent) = label.required_percent {
                let count = self.labels.entry((label.table, label.text.clone())).or_default();
                count.required_percent =
                    Some(count.required_percent.map_or(percent, |known| known.max(percent)));
            }
        }
        labels.dedup_by(|a, b| a.table == b.table && a.text == b.text);
        for label in labels {
            let count = self.labels.entry((label.table, label.text.clone())).or_default();
            count.cases += u64::from(label.holds);
            count.of += 1;
        }
        if !case.remarks.features.is_empty() {
            self.novelty.see(&case.remarks.features, || case.record());
        }
        for (label, score) in &case.remarks.scores {
            let better = self.targets.get(label).is_none_or(|(best, _)| score > best);
            if better {
                self.targets.insert(label.clone(), (*score, case.record()));
            }
        }
    }

    /// The cases that count.
    pub(crate) fn cases(&self) -> u64 {
        self.passed + self.undefined + self.failed
    }

    /// What rejected most cases, and how many.
    pub(crate) fn main_reason(&self) -> Option<(Reason, u64)> {
        self.reasons.iter().max_by_key(|(_, n)| **n).map(|(reason, n)| (*reason, *n))
    }

    /// Whether a case may depend on those before it.
    pub(crate) fn is_guided(&self) -> bool {
        self.has_targets() || !self.novelty.is_empty()
    }

    pub(crate) fn has_targets(&self) -> bool {
        !self.targets.is_empty()
    }

    /// The best case of target number `n`, counted around.
    pub(crate) fn target(&self, n: u64) -> Option<&Record> {
        let at = n as usize % self.targets.len().max(1);
        self.targets.values().nth(at).map(|(_, record)| record)
    }

    pub(crate) fn scores(&self) -> Vec<(String, f64)> {
        self.targets.iter().map(|(label, (score, _))| (label.clone(), *score)).collect()
    }

    pub(crate) fn labels(&self) -> Vec<LabelCount> {
        let cases = self.cases();
        let mut counts: Vec<LabelCount> = self
            .labels
            .iter()
            .map(|((table, label), count)| LabelCount {
                table: table.map(String::from),
                label: label.clone(),
                cases: count.cases,
                of: cases,
                required_percent: count.required_percent,
            })
            .collect();
        counts.sort_by(|a, b| (&a.table, b.cases, &a.label).cmp(&(&b.table, a.cases, &b.label)));
        counts
    }

    pub(crate) fn statuses(&self) -> Vec<(Status, u64)> {
        [
            (Status::Passed, self.passed),
            (Status::Failed, self.failed),
            (Status::Rejected, self.rejected),
            (Status::Undefined, self.undefined),
            (Status::Overrun, self.overrun),
        ]
        .into_iter()
        .filter(|(_, n)| *n > 0)
        .collect()
    }

    /// When all cases there are have been judged: a demand for coverage that is not met.
    pub(crate) fn exactly_missed(&self) -> Option<LabelCount> {
        self.labels().into_iter().find(|label| {
            label
                .required_percent
                .is_some_and(|percent| 100.0 * (label.cases as f64) < percent * label.of as f64)
        })
    }

    /// Whether all demands for coverage are met, by a test that is wrong once in a billion runs.
    pub(crate) fn coverage(&self) -> Coverage {
        let cases = self.cases();
        let mut open = false;
        for label in self.labels() {
            let Some(percent) = label.required_percent else {
                continue;
            };
            let required = percent / 100.0;
            let (low, high) = wilson(label.cases, cases);
            if high < required {
                return Coverage::Missed(label);
            }
            // Met if the share is surely within a tenth of what is required: exactly met could never be shown.
            open |= low < 0.9 * required;
        }
        if open { Coverage::Open } else { Coverage::Met }
    }
}

#[derive(Debug)]
pub(crate) enum Coverage {
    Met,
    /// More cases would tell.
    Open,
    Missed(LabelCount),
}

/// Wilson's interval for a share, at a certainty of 1 − 10⁻⁹.
fn wilson(hits: u64, of: u64) -> (f64, f64) {
    if of == 0 {
        return (0.0, 1.0);
    }
    let z = 6.109_410_24_f64;
    let (n, p) = (of as f64, hits as f64 / of as f64);
    let middle = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (((middle - spread) / scale).max(0.0), ((middle + spread) / scale).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::wilson;

    #[test]
    fn the_interval_holds_the_share_and_narrows() {
        let (low, high) = wilson(500, 1000);
        assert!(low < 0.5 && 0.5 < high && high - low < 0.2);
        let (low, high) = wilson(50_000, 100_000);
        assert!(0.49 < low && high < 0.51);
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }
}
