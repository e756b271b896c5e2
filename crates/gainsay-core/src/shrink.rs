//! Shrinking: from a failing case to the smallest that fails in the same way.
//!
//! **The contract of a pass.** A pass edits the choices of the best case so far and proposes the result with
//! [`Shrinker::consider`], which runs the generator on it and takes it only if it is smaller in shortlex order and fails in the same
//! way. A pass is deterministic, goes over the case once, and may go on from what it improved; it never loops until nothing
//! changes: that is the business of [`shrink`], which repeats the passes until none of them makes progress. Passes know choices
//! and spans, never values or generators.

mod passes;

use crate::choice::Choice;
use crate::outcome::{Kind, Outcome, Status};
use crate::record::{Record, shortlex};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the shrinker asks of the runner.
pub(crate) trait Oracle {
    /// Draws the case of these choices. If the property draws all its arguments first it is not run
    /// ([`Status::Unjudged`]); otherwise its outcome is known already.
    fn draw(&mut self, choices: &[Choice]) -> (Outcome, Record);
    /// Runs the property on a drawn case.
    fn judge(&mut self, record: &Record) -> Outcome;
    /// Judges several drawn cases, in order, up to and including the first that fails with `kind`; how many were
    /// judged is up to the oracle, the answer is not.
    fn judge_all(&mut self, records: &[Record], kind: &Kind) -> Vec<Outcome>;
    /// Enumerates cases from the smallest; false from `visit` ends it.
    fn enumerate(&mut self, cases_max: usize, visit: &mut dyn FnMut(&mut Self, Record) -> bool)
    where
        Self: Sized;
    /// Whether there is time to go on.
    fn has_time(&mut self, shrinker: Progress) -> bool;
}

/// How far shrinking has come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Progress {
    pub(crate) evaluations: u64,
    pub(crate) choices: usize,
    pub(crate) choices_before: usize,
}

/// What shrinking came to.
#[derive(Debug)]
pub(crate) struct Shrunk {
    pub(crate) record: Record,
    pub(crate) outcome: Outcome,
    pub(crate) evaluations: u64,
    /// Failures of other kinds met on the way, smallest of each kind.
    pub(crate) others: Vec<(Kind, Record)>,
    /// Why it ended before nothing was left to try, if it did.
    pub(crate) stopped: bool,
    /// The best cases, in order, as numbers of choices and evaluations.
    pub(crate) history: Vec<(usize, u64)>,
}

pub(crate) struct Shrinker<'a, O: Oracle> {
    oracle: &'a mut O,
    best: Record,
    outcome: Outcome,
    kind: Kind,
    tried: HashSet<u64>,
    judged: HashSet<u64>,
    evaluations: u64,
    evaluations_max: u64,
    choices_before: usize,
    others: Vec<(Kind, Record)>,
    stopped: bool,
    history: Vec<(usize, u64)>,
}

/// Shrinks a failing case.
pub(crate) fn shrink<O: Oracle>(oracle: &mut O, record: Record, outcome: Outcome, evaluations_max: u64) -> Shrunk {
    let kind = outcome.kind().cloned().unwrap_or_else(|| Kind(String::new()));
    let mut shrinker = Shrinker {
        oracle,
        choices_before: record.choices.len(),
        tried: HashSet::new(),
        judged: HashSet::from([hash(&record.choices)]),
        best: record,
        outcome,
        kind,
        evaluations: 0,
        evaluations_max,
        others: Vec::new(),
        stopped: false,
        history: Vec::new(),
    };
    shrinker.run();
    Shrunk {
        record: shrinker.best,
        outcome: shrinker.outcome,
        evaluations: shrinker.evaluations,
        others: shrinker.others,
        stopped: shrinker.stopped,
        history: shrinker.history,
    }
}

fn hash(choices: &[Choice]) -> u64 {
    let mut hasher = DefaultHasher::new();
    choices.len().hash(&mut hasher);
    for choice in choices {
        choice.value.hash(&mut hasher);
    }
    hasher.finish()
}

impl<O: Oracle> Shrinker<'_, O> {
    fn run(&mut self) {
        loop {
            self.repeat_usual();
            let progress = passes::special().into_iter().any(|pass| {
                let before = self.evaluated_best();
                pass(self);
                before != self.evaluated_best()
            });
            if self.stopped || !progress && !self.smallest_first() {
                break;
            }
        }
    }

    fn repeat_usual(&mut self) {
        loop {
            let before = self.evaluated_best();
            passes::usual(self);
            if self.stopped || before == self.evaluated_best() {
                break;
            }
        }
    }

    /// Tells whether a pass has found a better case.
    fn evaluated_best(&self) -> usize {
        self.history.len()
    }

    /// Proposes a case; true if it is the best now.
    fn consider(&mut self, choices: &[Choice]) -> bool {
        if self.stopped || !self.tried.insert(hash(choices)) {
            return false;
        }
        let (outcome, record) = self.oracle.draw(choices);
        self.take(outcome, record)
    }

    fn take(&mut self, outcome: Outcome, record: Record) -> bool {
        if outcome.status != Status::Unjudged {
            // The property ran while its case was drawn: that cost an evaluation, whatever it is worth.
            self.count();
            let smaller = shortlex(&record.choices, &self.best.choices) == Ordering::Less;
            self.judged.insert(hash(&record.choices));
            return self.weigh(outcome, record, smaller);
        }
        if shortlex(&record.choices, &self.best.choices) != Ordering::Less
            || !self.judged.insert(hash(&record.choices))
        {
            return false;
        }
        let outcome = self.oracle.judge(&record);
        self.count();
        self.weigh(outcome, record, true)
    }

    fn count(&mut self) {
        self.evaluations += 1;
        let progress = Progress {
            evaluations: self.evaluations,
            choices: self.best.choices.len(),
            choices_before: self.choices_before,
        };
        self.stopped |= self.evaluations >= self.evaluations_max || !self.oracle.has_time(progress);
    }

    fn weigh(&mut self, outcome: Outcome, record: Record, smaller: bool) -> bool {
        match outcome.kind() {
            Some(kind) if *kind == self.kind => {
                if smaller {
                    self.best = record;
                    self.outcome = outcome;
                    self.history.push((self.best.choices.len(), self.evaluations));
                }
                smaller
            }
            Some(kind) => {
                match self.others.iter_mut().find(|(other, _)| other == kind) {
                    Some((_, known)) if shortlex(&record.choices, &known.choices) == Ordering::Less => *known = record,
                    Some(_) => {}
                    None => self.others.push((kind.clone(), record)),
                }
                false
            }
            None => false,
        }
    }

    /// Proposes the best case with some choices replaced.
    fn consider_with(&mut self, edits: &[(usize, u64)]) -> bool {
        let mut choices = self.best.choices.clone();
        for &(at, value) in edits {
            choices[at].value = value;
        }
        self.consider(&choices)
    }

    /// Proposes the best case without some choices.
    fn consider_without(&mut self, start: usize, end: usize) -> bool {
        let mut choices = self.best.choices.clone();
        choices.drain(start..end.min(self.best.choices.len()));
        self.consider(&choices)
    }

    /// The last pass: judges the first cases of the enumeration. What is smaller than anything the other passes could
    /// reach is often among them.
    fn smallest_first(&mut self) -> bool {
        // At most doubles the cost of shrinking.
        let evaluations_max = self.evaluations + self.evaluations.clamp(16, 200);
        let mut found: Option<Record> = None;
        let (best, judged, kind) = (self.best.choices.clone(), &mut self.judged, self.kind.clone());
        let mut evaluations = self.evaluations;
        self.oracle.enumerate(5000, &mut |oracle, record| {
            if record.choices.len() >= best.len() || !judged.insert(hash(&record.choices)) {
                return evaluations < evaluations_max;
            }
            let outcome = oracle.judge(&record);
            evaluations += 1;
            if outcome.kind() == Some(&kind) {
                found = Some(record);
                return false;
            }
            evaluations < evaluations_max
        });
        self.evaluations = evaluations;
        found.is_some_and(|record| {
            let outcome = self.oracle.judge(&record);
            self.weigh(outcome, record, true)
        })
    }
}
