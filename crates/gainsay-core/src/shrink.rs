//! Shrinking: from a failing case to the smallest that fails in the same way.
//!
//! **The contract of a pass.** A pass edits the choices of the best case so far and proposes the result with
//! [`Shrinker::consider`], which runs the generator on it and takes it only if it is smaller in shortlex order and fails in the same
//! way. A pass is deterministic, goes over the case once, and may go on from what it improved; it never loops until nothing
//! changes: that is the business of [`shrink`], which repeats the passes until none of them makes progress. Passes know choices
//! and spans, never values or generators.

mod passes;

use crate::choice::{self, Choice};
use crate::outcome::{Kind, Outcome, Status};
use crate::record::{Record, shortlex};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the shrinker asks of the runner.
pub(crate) trait Oracle {
    /// Draws the case of these choices. If the property draws all its arguments first it is not run
    /// ([`Status::Unjudged`]); otherwise its outcome is known already.
    fn draw(&mut self, choices: &[Choice]) -> (Outcome, Record);
    /// Like [`draw`](Oracle::draw), with random choices past the end.
    fn draw_on(&mut self, choices: &[Choice], seed: u64) -> (Outcome, Record);
    /// Runs the property on a drawn case.
    fn judge(&mut self, record: &Record) -> Outcome;
    /// Judges several drawn cases.
    fn judge_all(&mut self, records: &[Record]) -> Vec<Outcome>;
    /// How many cases are best judged at once.
    fn width(&self) -> usize;
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
pub(crate) fn shrink<O: Oracle>(
    oracle: &mut O,
    record: Record,
    outcome: Outcome,
    evaluations_max: u64,
) -> Shrunk {
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
        stopped: evaluations_max == 0,
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
    choices.iter().fold(choices.len() as u64, |hash, choice| hashed(hash, choice.value))
}

/// Edited choices may have the numbers of others and still be another case: a number is read only where its kind fits.
fn hash_with_kinds(choices: &[Choice]) -> u64 {
    choices.iter().fold(0, |hash, choice| hashed(hashed(hash, choice.value), choice.shape.kind as u64))
}

/// Many long cases are hashed, and nobody wants them to collide.
#[inline]
fn hashed(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word ^ 0xa076_1d64_78bd_642f)
        * u128::from(hash.rotate_left(32) ^ 0xe703_7ed1_a0b4_28db);
    (product as u64) ^ (product >> 64) as u64
}

impl<O: Oracle> Shrinker<'_, O> {
    fn run(&mut self) {
        loop {
            let before = self.evaluated_best();
            self.repeat_usual();
            let usual = before != self.evaluated_best();
            let progress = passes::special().into_iter().any(|pass| {
                let before = self.evaluated_best();
                pass(self);
                before != self.evaluated_best()
            });
            if self.stopped || !progress && !usual && !self.smallest_first() {
                break;
            }
        }
    }

    /// Repeats the usual passes while they remove something. Numbers that only get a little lower in each round are usually
    /// linked: that is for the special passes.
    fn repeat_usual(&mut self) {
        loop {
            let before = self.best.choices.len();
            passes::usual(self);
            if self.stopped || before == self.best.choices.len() {
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
        if self.stopped || !self.tried.insert(hash_with_kinds(choices)) {
            return false;
        }
        let (outcome, record) = self.oracle.draw(choices);
        self.take(outcome, record)
    }

    /// Proposes a case that goes on at random; true if it is the best now, and nothing if the property draws all its arguments first.
    fn consider_on(&mut self, choices: &[Choice], seed: u64) -> Option<bool> {
        if self.stopped {
            return None;
        }
        let (outcome, record) = self.oracle.draw_on(choices, seed);
        (outcome.status != Status::Unjudged).then(|| self.take(outcome, record))
    }

    /// Draws a case that goes on at random after these choices, and forgets what came of it.
    fn drawn_on(&mut self, choices: &[Choice], seed: u64) -> Option<Record> {
        if self.stopped {
            return None;
        }
        let (outcome, record) = self.oracle.draw_on(choices, seed);
        if outcome.status != Status::Unjudged {
            self.count();
        }
        Some(record)
    }

    /// Proposes several cases, all edits of the best one, in order: the number of the first that is the best now. With more than
    /// one thread they are judged side by side, and what comes after the first is forgotten: so the answer is
    /// that of one thread.
    fn consider_first(&mut self, candidates: &[Vec<Choice>]) -> Option<usize> {
        if candidates.len() < 2 || self.oracle.width() < 2 {
            return candidates.iter().position(|choices| self.consider(choices));
        }
        let mut open: Vec<(usize, Record)> = Vec::new();
        for (number, choices) in candidates.iter().enumerate() {
            if self.tried.contains(&hash_with_kinds(choices)) {
                continue;
            }
            let (outcome, record) = self.oracle.draw(choices);
            if outcome.status != Status::Unjudged {
                // The property draws while it runs: nothing can be judged side by side.
                return candidates[number..]
                    .iter()
                    .position(|choices| self.consider(choices))
                    .map(|i| number + i);
            }
            // Two edits may come to the same case.
            let known = |(_, other): &(usize, Record)| other.choices == record.choices;
            if self.is_new(&record) && !open.iter().any(known) {
                open.push((number, record));
            }
        }
        let records: Vec<Record> = open.iter().map(|(_, record)| record.clone()).collect();
        let outcomes = self.oracle.judge_all(&records);
        let mut first = None;
        for ((number, record), outcome) in open.into_iter().zip(outcomes) {
            if self.stopped {
                break;
            }
            self.judged.insert(hash(&record.choices));
            self.count();
            if self.weigh(outcome, record, true) {
                first = Some(number);
                break;
            }
        }
        let seen = first.map_or(candidates.len(), |number| number + 1);
        self.tried.extend(candidates[..seen].iter().map(|choices| hash_with_kinds(choices)));
        first
    }

    /// Whether a drawn case is smaller than the best and has not been judged.
    fn is_new(&self, record: &Record) -> bool {
        shortlex(&record.choices, &self.best.choices) == Ordering::Less
            && !self.judged.contains(&hash(&record.choices))
    }

    fn take(&mut self, outcome: Outcome, record: Record) -> bool {
        if outcome.status != Status::Unjudged {
            // The property ran while its case was drawn: that cost an evaluation, whatever it is worth.
            self.count();
            let smaller = shortlex(&record.choices, &self.best.choices) == Ordering::Less;
            self.judged.insert(hash(&record.choices));
            return self.weigh(outcome, record, smaller);
        }
        if !self.is_new(&record) {
            return false;
        }
        self.judged.insert(hash(&record.choices));
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
                    Some((_, known)) if shortlex(&record.choices, &known.choices) == Ordering::Less => {
                        *known = record
                    }
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

    /// The best case without some choices.
    fn without(&self, start: usize, end: usize) -> Vec<Choice> {
        let mut choices = self.best.choices.clone();
        choices.drain(start..end.min(self.best.choices.len()));
        choices
    }

    /// The last pass: judges the first cases of the enumeration, a few of each shape (numbers aside). What no other pass
    /// could reach is often among them.
    fn smallest_first(&mut self) -> bool {
        if self.stopped {
            return false;
        }
        const CASES_OF_A_SHAPE: u32 = 4;
        const CASES_OF_OWN_SHAPE: u32 = 16;
        const ENUMERATED_MAX: usize = 4000;
        let evaluations_max = (self.evaluations + self.evaluations.clamp(100, 500)).min(self.evaluations_max);
        let mut shapes: HashMap<u64, u32> = HashMap::new();
        let own = shape(&self.best.choices);
        let mut found = None;
        let Shrinker { oracle, best, judged, kind, evaluations, .. } = self;
        oracle.enumerate(ENUMERATED_MAX, &mut |oracle, record| {
            let shape = shape(&record.choices);
            let seen = shapes.entry(shape).or_default();
            let cases_max = if shape == own { CASES_OF_OWN_SHAPE } else { CASES_OF_A_SHAPE };
            if shortlex(&record.choices, &best.choices) == Ordering::Less && *seen < cases_max {
                *seen += 1;
                if judged.insert(hash(&record.choices)) {
                    let outcome = oracle.judge(&record);
                    *evaluations += 1;
                    if outcome.kind() == Some(kind) {
                        found = Some((outcome, record));
                        return false;
                    }
                }
            }
            *evaluations < evaluations_max
        });
        self.stopped |= self.evaluations >= self.evaluations_max;
        // An enumeration records no spans; a replay does.
        found.is_some_and(|(outcome, record)| {
            let (_, record) = self.oracle.draw(&record.choices);
            self.weigh(outcome, record, true)
        })
    }
}

/// A case without its numbers: kinds, and what lists, flags and alternatives were decided on.
fn shape(choices: &[Choice]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for choice in choices {
        let number = match choice.shape.kind {
            choice::Kind::Int | choice::Kind::Wide | choice::Kind::Float | choice::Kind::Char => 0,
            choice::Kind::Flag | choice::Kind::Index | choice::Kind::More => choice.value,
        };
        (choice.shape.kind, number).hash(&mut hasher);
    }
    hasher.finish()
}
