//! The search for a failing case: enumeration and random cases.

use super::Run;
use crate::case::{Burst, Case, Gate, size_of_late};
use crate::choice::{Choice, Kind, Shape};
use crate::lab::Subject;
use crate::outcome::{Outcome, Status};
use crate::quiet;
use crate::record::Record;
use crate::settings::{Limits, Mode};
use crate::shrink::Oracle;
use crate::source::mutated::Mutated;
use crate::source::replay::Replay;
use crate::source::targeted::Targeted;
use crate::source::walk::Walk;
use crate::tally::Coverage;
use crate::verdict::{Inconclusive, Origin, Passed, Proved, Scope, Vacuous, Verdict};
use crate::watch::{IDLE, joined};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The size of random case `index`: it grows over the first tenth of the run, or over as many cases as it is told to, and then goes around.
pub(super) fn size_of(index: u64, limits: &Limits) -> u32 {
    let max = u64::from(limits.size_max);
    let steps = limits.size_steps.unwrap_or(limits.cases_max / 10).clamp(1, 100);
    if index < steps {
        (max * (index + 1) / steps).max(1) as u32
    } else {
        size_of_late(index, limits.size_max)
    }
}

/// Whether a run is over as far as coverage is concerned.
enum Covered {
    More,
    Done(Option<Verdict>),
}

/// How a walk ended.
enum Walked {
    /// All cases were seen.
    Ended,
    /// All cases up to the wanted cost were seen.
    UpTo(u64),
    /// There are more.
    Cut {
        by_time: bool,
    },
    Failed(Outcome),
    Unsteady,
}

impl Run<'_> {
    /// Judges all cases.
    pub(super) fn enumerate(&mut self, cost_max: Option<u64>) -> Verdict {
        if self.lab.host.is_some() {
            return self.gave_up("an exhaustive run cannot be isolated: it would start too many children");
        }
        let walked = self.walk(self.settings.limits.exhaustive_cases_max, cost_max);
        match self.ended(walked) {
            Ok(verdict) => verdict,
            Err(by_time) => self.passed(by_time),
        }
    }

    /// Judges given values: an enumeration of their places.
    pub(super) fn enumerate_given(&mut self, ended: bool) -> Verdict {
        if self.lab.host.is_some() {
            return self.given_in_child(ended);
        }
        let walked = self.walk(self.settings.limits.exhaustive_cases_max, None);
        match self.ended(walked) {
            Ok(Verdict::Proved(proved)) if ended => Verdict::Proved(Proved { scope: Scope::Given, ..proved }),
            Ok(Verdict::Proved(_)) => self.passed(false),
            Ok(verdict) => verdict,
            Err(by_time) => self.passed(by_time),
        }
    }

    /// Judges the cases that are written for the property.
    pub(super) fn run_scripts(&mut self) -> Verdict {
        let deadline = after(self.start, self.settings.limits.time_max);
        let mut pace = Pace::new();
        let mut unseen = 0;
        while let Some(outcome) = self.lab.run_script() {
            self.tally.add(&outcome, &self.lab.case);
            if let Some(tyche) = &mut self.tyche {
                tyche.case(&outcome, &self.lab.case, "written", Some(self.lab.took));
            }
            if outcome.status == Status::Failed {
                // A script is not recorded; a replay is.
                let script = self.lab.case.script_numbers();
                if self.lab.host.is_none() {
                    self.lab.run_replay(Replay::of_numbers(&script), crate::case::SIZE_USUAL);
                }
                let record = self.record();
                return self.failed(record, outcome, Origin::Search, None);
            }
            unseen += 1;
            if unseen > pace.burst {
                unseen = 0;
                self.lab.progress.searching(self.tally.cases(), self.settings.limits.cases_max);
                if pace.is_after(deadline) {
                    return self.passed(true);
                }
            }
        }
        match self.ended(Walked::Ended) {
            Ok(verdict) => verdict,
            Err(by_time) => self.passed(by_time),
        }
    }

    /// Given values in a child: one replay each.
    fn given_in_child(&mut self, ended: bool) -> Verdict {
        let values = self.about.cardinality.unwrap_or(0) as u64;
        for place in 0..values {
            let shape = Shape::new(Kind::Index, values - 1);
            let outcome = self
                .lab
                .run_replay(Replay::of_choices(&[Choice { value: place, shape }]), crate::case::SIZE_USUAL);
            self.tally.add(&outcome, &self.lab.case);
            if outcome.status == Status::Failed {
                let record = self.record();
                return self.failed(record, outcome, Origin::Search, None);
            }
        }
        match self.ended(Walked::Ended) {
            Ok(Verdict::Proved(proved)) if ended => Verdict::Proved(Proved { scope: Scope::Given, ..proved }),
            Ok(Verdict::Proved(_)) | Err(_) => self.passed(false),
            Ok(verdict) => verdict,
        }
    }

    /// The verdict of a walk; if there are more cases, whether time was the reason.
    fn ended(&mut self, walked: Walked) -> Result<Verdict, bool> {
        let scope = match walked {
            Walked::Ended => Scope::All,
            Walked::UpTo(cost) => Scope::UpToSize(cost),
            Walked::Cut { by_time } => return Err(by_time),
            Walked::Failed(outcome) => {
                let record = self.walked_record();
                return Ok(self.failed(record, outcome, Origin::Search, None));
            }
            Walked::Unsteady => return Ok(self.gave_up(self.unsteady())),
        };
        let (cases, rejected) = (self.tally.cases(), self.tally.rejected);
        if let Some(label) = self.tally.exactly_missed() {
            return Ok(self.not_covered(&label));
        }
        if self.tally.overrun > 0 {
            let reason = self.overrun();
            return Ok(self.gave_up(reason));
        }
        if cases == 0 && self.about.cardinality == Some(0) {
            return Ok(self.vacuous("a value: none was given".into()));
        }
        if cases == 0 {
            let never = format!("a case that counts: all {rejected} cases were rejected{}", self.culprit());
            return Ok(self.vacuous(never));
        }
        if self.tally.undefined > 0 {
            let reason = format!("{} of all {cases} cases could not be decided", self.tally.undefined);
            return Ok(Verdict::Inconclusive(Inconclusive { reason, cases }));
        }
        if self.tally.cut {
            self.remarks.push(
                "not proved: something infinite was cut short inside the property, a function was drawn, or a known \
                 failure left out"
                    .into(),
            );
            return Ok(self.passed(false));
        }
        Ok(Verdict::Proved(Proved { cases, rejected, scope, assumptions: Vec::new() }))
    }

    /// The case that a walk has just run, with its spans: an enumeration records none, a replay does.
    fn walked_record(&mut self) -> Record {
        let complete = self.lab.case.walk_is_complete();
        let made = self.lab.case.walking().map_or(0, |walk| walk.made());
        let mut walked = Record { size: crate::case::SIZE_USUAL, ..self.record() };
        if !complete {
            // The rest was drawn by the case before.
            walked.choices.truncate(made);
        }
        self.lab.size = walked.size;
        let (_, drawn) = self.lab.draw(&walked.choices);
        // Where the code under test does not answer as before, another case is drawn: not the one that failed.
        if drawn.values() == walked.values() { drawn } else { walked }
    }

    /// Why a walk went wrong.
    fn unsteady(&self) -> &'static str {
        if self.lab.case.is_typed() {
            "the generator is not deterministic: after the same choices it asked for another one; \
             draw everything that varies from the case"
        } else {
            "after the same choices another one was asked for: the generator or the code under test is not \
             deterministic; draw everything that varies from the case, and let every case begin anew"
        }
    }

    /// Walks the enumeration for at most `cases_max` cases, rejected ones included.
    fn walk(&mut self, cases_max: u64, cost_max: Option<u64>) -> Walked {
        if cases_max == 0 {
            return Walked::Cut { by_time: false };
        }
        self.lab.start_walk(self.settings.perturbed);
        self.lab.watch.walking(self.settings.perturbed);
        let deadline = after(self.start, self.settings.limits.time_max);
        let mut walked = 0u64;
        let mut runs = 0u64;
        let mut pace = Pace::new();
        let mut sights = 0;
        loop {
            self.lab.watch.random_case(joined(runs, 0));
            let left =
                if self.tyche.is_some() { 0 } else { cases_max.saturating_sub(walked + 1).min(pace.burst) };
            *self.lab.case.burst() = Burst::new(0, runs, left, 0, Arc::clone(&self.lab.watch));
            let outcome = self.lab.run_walk();
            let case = &mut self.lab.case;
            let burst = std::mem::take(case.burst());
            let (index, rejected, unjudged) = (burst.index(), burst.rejected, burst.unjudged);
            let passed = index - runs - rejected - unjudged;
            runs = index + 1;
            walked += passed + rejected;
            self.tally.passed += passed;
            self.tally.rejected += rejected;
            // A rejected case of less than the level's cost was met before, and a property that draws while it runs was
            // judged before. If it fails now, it did not fail then: all the more it must not be lost.
            let failed = outcome.status == Status::Failed;
            if outcome.status != Status::Unjudged && (failed || case.walk_is_complete()) {
                walked += 1;
                self.tally.add(&outcome, case);
                if let Some(tyche) = &mut self.tyche {
                    tyche.case(&outcome, case, "enumerated", Some(self.lab.took));
                }
                if failed {
                    return Walked::Failed(outcome);
                }
            }
            let Some(walk) = case.walking() else {
                return Walked::Unsteady;
            };
            let more = walk.advance();
            if walk.is_unsteady() {
                return Walked::Unsteady;
            }
            if !more {
                return Walked::Ended;
            }
            if cost_max.is_some_and(|cost| walk.level() > cost) {
                return Walked::UpTo(walk.level() - 1);
            }
            if walked >= cases_max || self.settings.is_enough() {
                return self.peek();
            }
            if self.is_unsteady_on_second_sight(&mut sights) {
                return Walked::Unsteady;
            }
            if pace.is_after(deadline) {
                return Walked::Cut { by_time: true };
            }
            self.lab.progress.searching(walked, cases_max);
        }
    }

    /// After the last case that may be judged: whether there is another one.
    fn peek(&mut self) -> Walked {
        const RUNS_MAX: u32 = 1000;
        if !self.lab.case.is_typed() {
            return Walked::Cut { by_time: false };
        }
        self.lab.case.set_gate(Gate::Closed);
        let mut walked = Walked::Cut { by_time: false };
        for _ in 0..RUNS_MAX {
            self.lab.run_walk();
            if self.lab.case.walk_is_complete() {
                break;
            }
            if !self.lab.case.walking().is_some_and(Walk::advance) {
                walked = Walked::Ended;
                break;
            }
        }
        self.lab.case.set_gate(Gate::Open);
        walked
    }

    /// Draws the same case again, now and then, and looks whether it asks the same questions.
    fn is_unsteady_on_second_sight(&mut self, sights: &mut u32) -> bool {
        *sights += 1;
        if !self.lab.case.is_typed() || *sights > 16 && !sights.is_multiple_of(256) {
            return false;
        }
        self.lab.case.set_gate(Gate::Closed);
        for _ in 0..2 {
            self.lab.run_walk();
        }
        self.lab.case.set_gate(Gate::Open);
        self.lab.case.walking().is_some_and(|walk| walk.is_unsteady())
    }

    /// The first of the enumeration, then random cases.
    pub(super) fn search(&mut self) -> Verdict {
        let cases_max = self.settings.limits.cases_max;
        if self.settings.mode == Mode::Usual && self.lab.host.is_none() && cases_max > 0 {
            let few = (cases_max / 10).min(100);
            let small = self.about.cardinality.is_some_and(|n| n <= u128::from(cases_max));
            let walked = self.walk(if small { cases_max } else { few }, None);
            match walked {
                Walked::Cut { by_time: false } => {}
                Walked::Ended if self.tally.cases() == 0 && self.tally.rejected == 0 => {}
                // Code under test that may answer in several ways is tested by random cases.
                Walked::Unsteady if !self.lab.case.is_typed() => {
                    self.remarks.push(format!("nothing is proved: {}", self.unsteady()));
                }
                walked => match self.ended(walked) {
                    Ok(verdict) => return verdict,
                    Err(by_time) => return self.passed(by_time),
                },
            }
        }
        if self.settings.is_enough() {
            return self.passed(false);
        }
        self.lab.watch.random_again();
        let verdict = match &self.lab.subject {
            Subject::Shared(_) if self.settings.threads > 1 && self.lab.host.is_none() => {
                self.search_threads()
            }
            _ => self.search_in_turn(0),
        };
        verdict.unwrap_or_else(|| self.passed(false))
    }

    /// All cases have been judged: whether more are needed to see that demands for coverage are met.
    fn covered(&mut self, cases_max: &mut u64) -> Covered {
        match self.tally.coverage() {
            Coverage::Met if self.start.elapsed() < self.settings.limits.time_min => {
                *cases_max = self.tally.cases() + CASES_BETWEEN_LOOKS;
                Covered::More
            }
            Coverage::Met => Covered::Done(None),
            Coverage::Missed(label) => Covered::Done(Some(self.not_covered(&label))),
            Coverage::Open
                if *cases_max >= self.settings.limits.cases_max.saturating_mul(COVER_FACTOR_MAX) =>
            {
                Covered::Done(Some(self.gave_up(format!(
                    "after {} cases it is still open whether all demands for coverage are met",
                    self.tally.cases()
                ))))
            }
            Coverage::Open => {
                *cases_max = cases_max.saturating_mul(2);
                Covered::More
            }
        }
    }

    fn rejected_max(&self) -> u64 {
        self.settings.limits.cases_max.saturating_mul(self.settings.limits.rejected_factor_max).max(100)
    }

    /// Random cases from number `index` on.
    fn search_in_turn(&mut self, mut index: u64) -> Option<Verdict> {
        let deadline = after(self.start, self.settings.limits.time_max);
        let mut cases_max = self.settings.limits.cases_max;
        let rejected_max = self.rejected_max();
        let mut judged = 0;
        let mut pace = Pace::new();
        loop {
            let outcome = self.run_burst(&mut index, cases_max, pace.burst);
            judged += u64::from(outcome.status > Status::Overrun);
            if outcome.status == Status::Failed {
                let record = self.record();
                return Some(self.failed(record, outcome, Origin::Search, None));
            }
            if self.settings.is_enough() {
                return None;
            }
            if self.tally.cases() >= cases_max {
                match self.covered(&mut cases_max) {
                    Covered::More => {}
                    Covered::Done(verdict) => return verdict,
                }
            }
            if let Some(verdict) = self.unhealthy(rejected_max) {
                return Some(verdict);
            }
            self.lab.progress.searching(self.tally.cases(), cases_max);
            if pace.is_after(deadline) {
                return Some(if judged == 0 {
                    self.gave_up("no case was finished in time")
                } else {
                    self.passed(true)
                });
            }
        }
    }

    /// Runs random case `index` and, where the property can go on by itself, the cases after it.
    fn run_burst(&mut self, index: &mut u64, cases_max: u64, burst_max: u64) -> Outcome {
        let plain = self.tyche.is_none() && self.lab.host.is_none() && !self.tally.is_guided();
        // No burst runs past a limit.
        let cases_left = cases_max.saturating_sub(self.tally.cases()).saturating_sub(1);
        let rejected_left = self.rejected_max().saturating_sub(self.tally.rejected);
        let left = if *index > 100 && plain { cases_left.min(rejected_left).min(burst_max) } else { 0 };
        let size_max = self.settings.limits.size_max;
        let watch = Arc::clone(&self.lab.watch);
        *self.lab.case.burst() = Burst::new(crate::rng::key(self.seed), *index, left, size_max, watch);
        let outcome = self.run_case(*index);
        let burst = std::mem::take(self.lab.case.burst());
        let (last, rejected) = (burst.index(), burst.rejected);
        let passed = last - *index - rejected;
        *index = last + 1;
        self.tally.passed += passed;
        self.tally.rejected += rejected;
        outcome
    }

    /// Runs random case `index`, or near the best case of a target in the second half of a run that has targets, or one that goes on from a case
    /// that has shown something new.
    #[inline]
    fn run_case(&mut self, index: u64) -> Outcome {
        let size = size_of(index, &self.settings.limits);
        let targeted = self.tally.has_targets()
            && !index.is_multiple_of(4)
            && index > self.settings.limits.cases_max / 5
            && self.lab.host.is_none();
        let base = if targeted { self.tally.target(index) } else { None };
        let outcome = match base {
            Some(base) => {
                let source = Targeted::new(base.choices.clone(), self.seed, index, base.size);
                let size = base.size;
                self.lab.run_source(Box::new(source), size)
            }
            _ => match self.mutated(index) {
                Some((source, size)) => self.lab.run_source(Box::new(source), size),
                None => self.lab.run_random(self.seed, index, size),
            },
        };
        self.tally.add(&outcome, &self.lab.case);
        if let Some(tyche) = &mut self.tyche {
            tyche.case(&outcome, &self.lab.case, "random", Some(self.lab.took));
        }
        outcome
    }

    /// Three of four cases go on from one that has shown something new, if there is one.
    fn mutated(&mut self, index: u64) -> Option<(Mutated, u32)> {
        if index.is_multiple_of(4) || self.lab.host.is_some() {
            return None;
        }
        let (base, other) = self.tally.novelty.choose(self.seed, index)?;
        Some((Mutated::new(base, other, self.seed, index), base.size))
    }

    /// Blocks of cases on several threads; the stopping rules are those of one thread, applied in order afterwards.
    fn search_threads(&mut self) -> Option<Verdict> {
        let Subject::Shared(property) = &self.lab.subject else {
            return None;
        };
        let property = *property;
        let threads = self.settings.threads.min(THREADS_MAX) as u64;
        let deadline = after(self.start, self.settings.limits.time_max);
        let mut cases_max = self.settings.limits.cases_max;
        let rejected_max = self.rejected_max();
        let keep_all = self.tyche.is_some();
        let mut start = 0u64;
        // Blocks grow as long as they are quick, so that slow cases are not run in vain.
        let mut usual = threads;
        loop {
            let left = cases_max.saturating_sub(self.tally.cases());
            // No case beyond the last that may count is run, so that none of them can fail.
            let block = usual.min(left.max(1));
            let begun = Instant::now();
            // No case behind one that fails is of interest.
            let failed_at = AtomicU64::new(u64::MAX);
            let (settings, failed_at) = (&self.settings, &failed_at);
            let (limits, seed) = (&self.settings.limits, self.seed);
            let (choices_max, terms) = (limits.choices_max, self.settings.terms.clone());
            self.lab.watch.random_case(joined(start, size_of(start, limits)));
            self.lab.watch.elsewhere(true);
            let words: Vec<_> = (0..threads).map(|_| self.lab.watch.worker()).collect();
            // Workers keep what the tally needs: the case itself only where something was said about it.
            let blocks: Vec<Vec<(u64, Outcome, Option<Case>)>> = std::thread::scope(|scope| {
                let workers: Vec<_> = (0..threads)
                    .map(|worker| {
                        let terms = terms.clone();
                        let word = Arc::clone(&words[worker as usize]);
                        scope.spawn(move || {
                            let fresh = || {
                                let mut case = Case::with_choices_max(choices_max);
                                case.set_terms(terms.clone());
                                case
                            };
                            let mut case = fresh();
                            let mut results = Vec::new();
                            for index in (start + worker..start + block).step_by(threads as usize) {
                                if index > failed_at.load(Relaxed) || settings.is_enough() {
                                    break;
                                }
                                let size = size_of(index, limits);
                                word.store(joined(index, size), Relaxed);
                                case.rewind_to_random(seed, index, size);
                                if keep_all {
                                    case.show();
                                }
                                let outcome = quiet::run(&mut |case| property(case), &mut case);
                                if outcome.status == Status::Failed {
                                    failed_at.fetch_min(index, Relaxed);
                                }
                                let keep = keep_all || outcome.status == Status::Failed || case.has_remarks();
                                let kept = keep.then(|| std::mem::replace(&mut case, fresh()));
                                results.push((index, outcome, kept));
                            }
                            word.store(IDLE, Relaxed);
                            results
                        })
                    })
                    .collect();
                workers.into_iter().map(|worker| worker.join().unwrap_or_default()).collect()
            });
            self.lab.watch.no_workers();
            self.lab.watch.elsewhere(false);
            let mut results: Vec<_> = blocks.into_iter().flatten().collect();
            results.sort_by_key(|(index, ..)| *index);
            let any_failed = results.iter().any(|(_, outcome, _)| outcome.status == Status::Failed);
            let plain = Case::with_choices_max(choices_max);
            for (index, outcome, case) in results {
                let case = case.as_ref().unwrap_or(&plain);
                self.tally.add(&outcome, case);
                if let Some(tyche) = &mut self.tyche {
                    tyche.case(&outcome, case, "random", None);
                }
                if !any_failed && self.tally.cases() >= cases_max {
                    match self.covered(&mut cases_max) {
                        Covered::More => {}
                        Covered::Done(verdict) => return verdict,
                    }
                }
                if outcome.status == Status::Failed {
                    let record = case.record();
                    return Some(self.failed(record, outcome, Origin::Search, None));
                }
                if !any_failed && self.tally.is_guided() {
                    // Each case may depend on the ones before: from here on, one thread.
                    return self.search_in_turn(index + 1);
                }
                // (A failure that was seen goes before every reason to give up.)
                if !any_failed && let Some(verdict) = self.unhealthy(rejected_max) {
                    return Some(verdict);
                }
            }
            start += block;
            if self.settings.is_enough() {
                return None;
            }
            let took = begun.elapsed();
            if took < BLOCK_TIME {
                usual = (2 * usual).min(64 * threads);
            } else if took > 4 * BLOCK_TIME {
                usual = (usual / 2).max(threads);
            }
            self.lab.progress.searching(self.tally.cases(), cases_max);
            if self.tally.cases() < cases_max && Instant::now() > deadline {
                return Some(self.passed(true));
            }
        }
    }

    /// Whether the run should end because most of it is in vain.
    fn unhealthy(&mut self, rejected_max: u64) -> Option<Verdict> {
        let (rejected, overrun, cases) = (self.tally.rejected, self.tally.overrun, self.tally.cases());
        // (A run may go on past its cases.)
        let rejected_max = rejected_max.max(cases.saturating_mul(self.settings.limits.rejected_factor_max));
        if rejected > rejected_max {
            let reason = format!(
                "{rejected} cases were rejected and {cases} were not{}; \
                 generate what is wanted instead of filtering it out",
                self.culprit()
            );
            return Some(self.gave_up(reason));
        }
        if overrun > 100 && overrun > 10 * cases {
            let reason = self.overrun();
            return Some(self.gave_up(reason));
        }
        None
    }

    /// What is wrong with a generator that makes too many choices.
    fn overrun(&self) -> String {
        let reason = self.tally.main_reason().map_or_else(String::new, |(reason, _)| format!(" ({reason})"));
        format!(
            "{} cases made more than {} choices and {} did not: the generator makes its values too large, \
             or a recursion in it has no end{reason}",
            self.tally.overrun,
            self.settings.limits.choices_max,
            self.tally.cases(),
        )
    }

    /// What rejected most cases, for a message.
    fn culprit(&self) -> String {
        match self.tally.main_reason() {
            Some((reason, n)) => format!(", {n} of them by {reason}"),
            None => ", by the premise of the property".to_string(),
        }
    }

    /// Nothing failed, and nothing was tested.
    fn vacuous(&self, never: String) -> Verdict {
        let (cases, rejected) = (self.tally.cases(), self.tally.rejected);
        Verdict::Vacuous(Vacuous { never: vec![never], cases, rejected })
    }

    fn passed(&self, by_time: bool) -> Verdict {
        let (cases, rejected, undefined) = (self.tally.cases(), self.tally.rejected, self.tally.undefined);
        if cases == 0 && self.tally.overrun > 0 {
            return self.gave_up(self.overrun());
        }
        if cases == 0 {
            return self.gave_up(format!("all {rejected} cases were rejected{}", self.culprit()));
        }
        if undefined == cases {
            let reason = "no case could be decided".to_string();
            return Verdict::Inconclusive(Inconclusive { reason, cases });
        }
        Verdict::Passed(Passed { cases, rejected, undefined, by_time })
    }
}

/// A block of cases on several threads takes about as long, if it can.
const BLOCK_TIME: Duration = Duration::from_millis(100);

/// How many threads a run may have, whatever is asked for.
const THREADS_MAX: usize = 256;

/// How many cases a run that is given time judges between two looks at the clock.
const CASES_BETWEEN_LOOKS: u64 = 16;

/// How many cases follow each other without a look at the clock: many if they are quick, one if they are slow.
struct Pace {
    burst: u64,
    looked: Instant,
}

impl Pace {
    const BURST_MAX: u64 = 255;
    /// A burst takes about as long, or less.
    const BURST_TIME: Duration = Duration::from_millis(1);

    fn new() -> Pace {
        Pace { burst: 0, looked: Instant::now() }
    }

    /// Looks at the clock after a burst: whether the deadline is over.
    #[inline]
    fn is_after(&mut self, deadline: Instant) -> bool {
        let now = Instant::now();
        if now - self.looked > 4 * Pace::BURST_TIME {
            self.burst = 0;
        } else if now - self.looked < Pace::BURST_TIME {
            self.burst = (2 * self.burst + 1).min(Pace::BURST_MAX);
        }
        self.looked = now;
        now > deadline
    }
}

/// How many times the usual number of cases is spent on finding out whether coverage is met.
const COVER_FACTOR_MAX: u64 = 128;

/// A time that may be too far away to be told.
pub(super) fn after(start: Instant, limit: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    start + limit.min(FAR)
}

/// A record of nothing.
pub(super) fn empty(size: u32) -> Record {
    Record { size, ..Record::default() }
}
