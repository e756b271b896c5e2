//! The lab: runs a property on one case after another.

use crate::case::{Case, Gate, Note, Remarks};
use crate::choice::Choice;
use crate::isolate::Host;
use crate::outcome::{Outcome, Status};
use crate::quiet;
use crate::record::Record;
use crate::settings::Settings;
use crate::shrink::{Oracle, Progress};
use crate::source::replay::Replay;
use crate::source::walk::Walk;
use crate::watch::{Watch, joined};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A property as the engine sees it.
pub(crate) enum Subject<'a> {
    /// Runs on one thread.
    One(&'a mut dyn FnMut(&mut Case) -> Outcome),
    /// Runs on one thread, on cases that somebody writes: the numbers of all choices of the next one, or that there is none.
    Scripted(&'a mut dyn FnMut(&mut Case) -> Outcome, &'a mut dyn FnMut(&mut Vec<u64>) -> bool),
    /// Runs on several.
    Shared(&'a (dyn Fn(&mut Case) -> Outcome + Sync)),
}

/// A property, a case to run it on, and somebody who watches.
pub(crate) struct Lab<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) case: Case,
    pub(crate) watch: Arc<Watch>,
    /// The child in which cases run, if they are isolated.
    pub(crate) host: Option<Host>,
    pub(crate) threads: usize,
    pub(crate) size: u32,
    pub(crate) deadline: Option<Instant>,
    pub(crate) progress: crate::progress::Line,
    /// How often a case that may fail is run until it does.
    pub(crate) repeats: u32,
    /// Every case is shown, since somebody wants to view them all.
    pub(crate) shows_all: bool,
    /// How long the last case took, if all are shown.
    pub(crate) took: Duration,
}

impl<'a> Lab<'a> {
    pub(crate) fn new(
        subject: Subject<'a>,
        settings: &Settings,
        watch: Arc<Watch>,
        host: Option<Host>,
    ) -> Lab<'a> {
        quiet::install_hook();
        let mut case = Case::with_choices_max(settings.limits.choices_max);
        case.set_terms(settings.terms.clone());
        Lab {
            subject,
            case,
            watch,
            host,
            threads: settings.threads,
            size: settings.limits.size_max,
            deadline: None,
            progress: crate::progress::Line::default(),
            repeats: 1,
            shows_all: settings.tyche.is_some(),
            took: Duration::ZERO,
        }
    }

    /// Runs the property on the case as it stands rewound.
    #[inline]
    pub(crate) fn run(&mut self) -> Outcome {
        if !self.shows_all {
            return self.run_unseen();
        }
        let start = Instant::now();
        let outcome = self.run_unseen();
        self.took = start.elapsed();
        outcome
    }

    #[inline]
    fn run_unseen(&mut self) -> Outcome {
        match &mut self.subject {
            Subject::One(property) | Subject::Scripted(property, _) => quiet::run(property, &mut self.case),
            Subject::Shared(property) => {
                let property = *property;
                quiet::run(&mut |case| property(case), &mut self.case)
            }
        }
    }

    /// Runs random case `index`.
    #[inline]
    pub(crate) fn run_random(&mut self, seed: u64, index: u64, size: u32) -> Outcome {
        self.watch.random_case(joined(index, size));
        if let Some(host) = &mut self.host {
            let outcome = host.run_random(&mut self.case, seed, index, size);
            return self.case.excused(outcome);
        }
        self.case.rewind_to_random(seed, index, size);
        if self.shows_all {
            self.case.show();
        }
        self.run()
    }

    /// Runs a case decided by some other source.
    pub(crate) fn run_source(&mut self, source: Box<dyn crate::source::Source>, size: u32) -> Outcome {
        self.case.rewind_to(source, size);
        self.run()
    }

    /// Runs a case that was recorded, or edited.
    pub(crate) fn run_replay(&mut self, replay: Replay, size: u32) -> Outcome {
        self.watch.replayed_case(replay.clone(), size);
        if let Some(host) = &mut self.host {
            let outcome = host.run_replay(&mut self.case, &replay, size);
            return self.case.excused(outcome);
        }
        self.case.rewind_to_replay(replay, size);
        self.run()
    }

    /// Runs the next case that was written for the property; nothing if there is none. (It is not recorded.)
    pub(crate) fn run_script(&mut self) -> Option<Outcome> {
        let Subject::Scripted(_, write) = &mut self.subject else { return None };
        let script = self.case.rewind_to_script();
        script.numbers.clear();
        script.rows.clear();
        if !write(&mut script.numbers) {
            return None;
        }
        if self.host.is_some() {
            let replay = Replay::of_numbers(&script.numbers);
            return Some(self.run_replay(replay, crate::case::SIZE_USUAL));
        }
        self.watch.written_case(&script.numbers, crate::case::SIZE_USUAL);
        if self.shows_all {
            self.case.show();
        }
        Some(self.run())
    }

    /// Runs a recorded case again, finding its place by labels where the structure has changed.
    pub(crate) fn run_record(&mut self, record: &Record) -> Outcome {
        self.run_replay(Replay::of_record(record), record.size)
    }

    /// Runs a recorded case for the report.
    pub(crate) fn run_shown(&mut self, record: &Record) -> (Outcome, Remarks, String) {
        let replay = Replay::of_record(record);
        self.watch.replayed_case(replay.clone(), record.size);
        let outcome = match &mut self.host {
            Some(host) => host.run_shown(&mut self.case, &replay, record.size),
            None => {
                self.case.rewind_to_replay(replay, record.size);
                self.case.show();
                self.run()
            }
        };
        let mut remarks = std::mem::take(&mut self.case.remarks);
        for calls in std::mem::take(&mut remarks.calls) {
            let calls = calls.lock().map(|calls| calls.clone()).unwrap_or_default();
            if !calls.is_empty() {
                let shown: Vec<String> = calls.iter().map(|(x, y)| format!("{x} => {y}")).collect();
                remarks.notes.push(Note { name: "calls".into(), value: shown.join(", "), choices: None });
            }
        }
        (outcome, remarks, self.case.transcript().to_string())
    }

    /// Runs the next case of a walk. The case must hold one.
    #[inline]
    pub(crate) fn run_walk(&mut self) -> Outcome {
        self.case.rewind_walk();
        if self.shows_all {
            self.case.show();
        }
        let outcome = self.run();
        self.case.settle();
        outcome
    }

    /// Runs what run number `run` of an enumeration would. The cases before it are drawn, and not judged where the property draws
    /// all its arguments first.
    pub(crate) fn run_walk_to(&mut self, seed: u64, run: u64) -> Outcome {
        self.start_walk(seed);
        self.watch.walking(seed);
        self.case.set_gate(Gate::Closed);
        for _ in 0..run {
            if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
                self.case.set_gate(Gate::Open);
                return Outcome::of(Status::Unjudged);
            }
            self.run_walk();
            if !self.case.walking().is_some_and(Walk::advance) {
                break;
            }
        }
        self.case.set_gate(Gate::Open);
        self.watch.random_case(joined(run, 0));
        self.run_walk()
    }

    pub(crate) fn start_walk(&mut self, seed: u64) {
        self.case.set_walk(Walk::new(seed));
    }

    /// Runs a case until it fails, as often as it may need.
    fn run_until_failure(&mut self, record: &Record) -> Outcome {
        let mut outcome = self.run_replay(Replay::of_choices(&record.choices), record.size);
        for _ in 1..self.repeats {
            if outcome.status == Status::Failed {
                break;
            }
            outcome = self.run_replay(Replay::of_choices(&record.choices), record.size);
        }
        outcome
    }
}

impl Oracle for Lab<'_> {
    fn draw(&mut self, choices: &[Choice]) -> (Outcome, Record) {
        if self.host.is_some() {
            // Cases of a child are drawn there, and run.
            let outcome = self.run_replay(Replay::of_choices(choices), self.size);
            return (outcome, self.case.record());
        }
        self.case.set_gate(Gate::Closed);
        let mut outcome = self.run_replay(Replay::of_choices(choices), self.size);
        self.case.set_gate(Gate::Open);
        let mut record = self.case.record();
        for _ in 1..self.repeats {
            // An unjudged case is repeated when it is judged.
            if !matches!(outcome.status, Status::Passed | Status::Undefined) {
                break;
            }
            outcome = self.run_replay(Replay::of_choices(choices), self.size);
            record = self.case.record();
        }
        (outcome, record)
    }

    fn draw_on(&mut self, choices: &[Choice], seed: u64) -> (Outcome, Record) {
        if self.host.is_some() {
            return (Outcome::of(Status::Unjudged), self.case.record());
        }
        self.case.set_gate(Gate::Closed);
        let outcome = self.run_replay(Replay::of_choices(choices).and_on(seed, self.size), self.size);
        self.case.set_gate(Gate::Open);
        (outcome, self.case.record())
    }

    fn judge(&mut self, record: &Record) -> Outcome {
        self.run_until_failure(record)
    }

    fn judge_all(&mut self, records: &[Record]) -> Vec<Outcome> {
        let Subject::Shared(property) = &self.subject else {
            return records.iter().map(|record| self.judge(record)).collect();
        };
        let (property, repeats) = (*property, self.repeats);
        let (choices_max, terms) = (self.case.choices_max(), self.case.terms());
        std::thread::scope(|scope| {
            let workers: Vec<_> = records
                .iter()
                .map(|record| {
                    let terms = terms.clone();
                    scope.spawn(move || {
                        let mut case = Case::with_choices_max(choices_max);
                        case.set_terms(terms);
                        let mut outcome = Outcome::of(Status::Unjudged);
                        for _ in 0..repeats {
                            case.rewind_to_replay(Replay::of_choices(&record.choices), record.size);
                            outcome = quiet::run(&mut |case| property(case), &mut case);
                            if outcome.status == Status::Failed {
                                break;
                            }
                        }
                        outcome
                    })
                })
                .collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|_| Outcome::of(Status::Unjudged)))
                .collect()
        })
    }

    fn width(&self) -> usize {
        match self.subject {
            Subject::Shared(_) if self.host.is_none() => self.threads,
            _ => 1,
        }
    }

    fn enumerate(&mut self, cases_max: usize, visit: &mut dyn FnMut(&mut Self, Record) -> bool) {
        if self.host.is_some() {
            return;
        }
        let mut walk = Walk::new(0);
        for _ in 0..cases_max {
            self.case.set_walk(walk);
            self.case.set_gate(Gate::Closed);
            let outcome = self.run_walk();
            self.case.set_gate(Gate::Open);
            let complete = outcome.status == Status::Unjudged && self.case.is_complete();
            let record = self.case.record();
            let Some(mut taken) = self.case.take_walk() else {
                return;
            };
            let more = taken.advance();
            // A property that draws while it runs has been judged by this: too dear to enumerate.
            let interleaved =
                !matches!(outcome.status, Status::Unjudged | Status::Rejected | Status::Overrun);
            if interleaved || complete && !visit(self, record) || !more {
                return;
            }
            walk = taken;
        }
    }

    fn has_time(&mut self, progress: Progress) -> bool {
        self.progress.shrinking(progress);
        self.deadline.is_none_or(|deadline| Instant::now() < deadline)
    }
}
