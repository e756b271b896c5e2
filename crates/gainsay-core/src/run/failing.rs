//! What happens to a failing case: kept, confirmed, shrunk, explained, shown.

use super::Run;
use crate::case::Note;
use crate::choice::Choice;
use crate::outcome::{Failure, Kind, Outcome, Status};
use crate::record::Record;
use crate::rng::Rng;
use crate::shrink::{Shrunk, shrink};
use crate::verdict::{Counterexample, Falsified, Flaky, LabelCount, Origin, Verdict};
use crate::wire::{self, Named};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longer replays refer to the file in the corpus.
const REPLAY_LENGTH_MAX: usize = 400;
/// How often a case that was shrunk is run again to see that it fails each time, if that takes no longer than [`STEADY_TIME`].
const STEADY_RUNS: u32 = 4;
const STEADY_TIME: Duration = Duration::from_millis(500);
/// How often each argument is replaced to see whether it matters.
const EXPLAIN_TRIES: u64 = 40;

/// A failing case after it was shrunk.
struct Shown {
    counterexample: Counterexample,
    /// How often it failed when it was run again, and of how many runs, if it did not always.
    rate: Option<(u32, u32)>,
    /// Failures of other kinds, met on the way.
    others: Vec<(Kind, Record)>,
}

impl Run<'_> {
    /// A case has failed.
    pub(super) fn failed(
        &mut self,
        record: Record,
        outcome: Outcome,
        origin: Origin,
        file: Option<PathBuf>,
    ) -> Verdict {
        let cases = self.tally.cases();
        let kind = outcome.kind().cloned().unwrap_or_else(|| Kind(String::new()));
        // At once: whatever happens from here on, the failure is not lost.
        let file = file.or_else(|| self.keep(None, &kind, &record, "not shrunk yet"));
        if let Some(told) = self.settings.on_failure.clone() {
            let mut counterexample = self.bare(record.clone(), &outcome, origin);
            self.saved(&mut counterexample, file.as_deref());
            told(&counterexample);
        }
        let conclusive = outcome.failure.as_ref().is_some_and(|failure| failure.conclusive);
        let (failed, runs) = self.confirm(&record, &kind);
        let mut reason =
            "the same choices do not always fail: the property depends on something else".to_string();
        if failed == 0 {
            if self.lab.case.choices() != record.choices {
                reason =
                    "the same choices led to another case: the generator or the code under test depends \
                          on something else"
                        .into();
            }
            let (mut counterexample, _) = self.show(record, &outcome, origin, 1);
            self.saved(&mut counterexample, file.as_deref());
            if conclusive {
                counterexample.rate = Some((failed, runs));
                return Verdict::Falsified(Box::new(Falsified { counterexample, others: Vec::new(), cases }));
            }
            return Verdict::Flaky(Box::new(Flaky { counterexample, failed, runs, reason, cases }));
        }
        self.lab.repeats = repeats_for(failed, runs, self.settings.limits.repeats_max);
        let Shown { mut counterexample, rate, others } = self.shrink_and_show(record, outcome, origin);
        let file = self.keep(file.as_deref(), &kind, &counterexample.record, &counterexample.shown());
        self.saved(&mut counterexample, file.as_deref());
        counterexample.rate = rate.filter(|(failed, runs)| failed < runs || self.lab.repeats > 1);
        if let Some((failed, runs)) = rate.filter(|(failed, runs)| failed < runs && !conclusive) {
            return Verdict::Flaky(Box::new(Flaky { counterexample, failed, runs, reason, cases }));
        }
        let others = self.shrink_others(others, &kind);
        Verdict::Falsified(Box::new(Falsified { counterexample, others, cases }))
    }

    /// Shrinks a failing case and runs the result again: how often it failed then, of how many runs, unless it always did. If it never
    /// failed again the case that it was shrunk from is shown, should that fail.
    fn shrink_and_show(&mut self, record: Record, outcome: Outcome, origin: Origin) -> Shown {
        let before = record.choices.len();
        let shrunk = self.shrink(record.clone(), outcome.clone());
        let others = shrunk.others.clone();
        let (mut counterexample, mut failed_at) = self.present(shrunk, before, origin);
        if failed_at.is_none() && counterexample.record != record {
            let runs = self.settings.limits.repeats_max;
            let (original, original_failed_at) = self.show(record, &outcome, origin, runs);
            if original_failed_at.is_some() {
                (counterexample, failed_at) = (original, original_failed_at);
            }
        }
        let kind = counterexample.kind.clone();
        let mut rate = None;
        if self.lab.repeats > 1 || failed_at != Some(1) || !self.is_steady(&counterexample.record, &kind) {
            let (failed, mut runs) = self.rate(&counterexample.record, &kind);
            // A run that did not fail was seen, whatever the fresh runs say.
            runs += u32::from(failed == runs && self.lab.repeats == 1);
            rate = Some((failed, runs));
        } else if self.settings.explain && self.lab.host.is_none() {
            counterexample.irrelevant = self.irrelevant(&counterexample);
        }
        Shown { counterexample, rate, others }
    }

    /// Runs a case a few times more, if that is quick: whether it fails each time.
    fn is_steady(&mut self, record: &Record, kind: &Kind) -> bool {
        let begun = Instant::now();
        (0..STEADY_RUNS)
            .all(|_| begun.elapsed() > STEADY_TIME || self.lab.run_record(record).kind() == Some(kind))
    }

    /// A case has failed that was asked for: it is shown as it is.
    pub(super) fn failed_unshrunk(&mut self, record: Record, outcome: Outcome, origin: Origin) -> Verdict {
        let cases = self.tally.cases();
        let (counterexample, _) = self.show(record, &outcome, origin, self.settings.limits.repeats_max);
        Verdict::Falsified(Box::new(Falsified { counterexample, others: Vec::new(), cases }))
    }

    pub(super) fn failed_example(&mut self, shown: String, failure: &Failure) -> Verdict {
        let cases = self.tally.cases();
        let size = self.settings.limits.size_max;
        let outcome = Outcome::failed(failure.clone());
        let mut counterexample = self.bare(super::search::empty(size), &outcome, Origin::Example);
        counterexample.notes = vec![Note { name: "example".into(), value: shown, choices: None }];
        counterexample.command = self.command.clone();
        Verdict::Falsified(Box::new(Falsified { counterexample, others: Vec::new(), cases }))
    }

    /// A demand for coverage is surely not met.
    pub(super) fn not_covered(&mut self, label: &LabelCount) -> Verdict {
        let share = 100.0 * label.cases as f64 / label.of.max(1) as f64;
        let failure = Failure::new(
            &format!("coverage of `{}`", label.label),
            format!(
                "`{}` holds in {share:.1} % of {} cases, and at least {} % are required",
                label.label,
                label.of,
                label.required_percent.unwrap_or_default()
            ),
        );
        let outcome = Outcome::failed(failure);
        let mut counterexample = self.bare(super::search::empty(0), &outcome, Origin::Search);
        counterexample.command = format!("GAINSAY_SEED={} {}", self.seed, self.command);
        let cases = self.tally.cases();
        Verdict::Falsified(Box::new(Falsified { counterexample, others: Vec::new(), cases }))
    }

    /// Runs a failing case again: once if it fails again at once, otherwise as often as allowed. Returns how often it failed, of how
    /// many runs.
    fn confirm(&mut self, record: &Record, kind: &Kind) -> (u32, u32) {
        let fails = |run: &mut Run<'_>| run.lab.run_record(record).kind() == Some(kind);
        if fails(self) {
            return (1, 1);
        }
        let runs = self.settings.limits.repeats_max.max(1);
        let failed = (1..runs).filter(|_| fails(self)).count() as u32;
        (failed, runs)
    }

    /// How often a case fails, by fresh runs.
    fn rate(&mut self, record: &Record, kind: &Kind) -> (u32, u32) {
        let runs = self.settings.limits.repeats_max.max(1);
        let failed = (0..runs).filter(|_| self.lab.run_record(record).kind() == Some(kind)).count() as u32;
        (failed, runs)
    }

    fn shrink(&mut self, record: Record, outcome: Outcome) -> Shrunk {
        self.lab.size = record.size;
        self.lab.deadline = Some(super::search::after(Instant::now(), self.settings.limits.shrink_time_max));
        let shrunk = shrink(&mut self.lab, record, outcome, self.settings.limits.shrinks_max);
        self.lab.progress.clear();
        shrunk
    }

    /// Failures of other kinds, met on the way, are failures too.
    fn shrink_others(&mut self, found: Vec<(Kind, Record)>, first: &Kind) -> Vec<Counterexample> {
        let mut known = vec![first.clone()];
        let mut waiting = found;
        let mut shown = Vec::new();
        while let Some((kind, record)) = waiting.pop() {
            if known.contains(&kind) || shown.len() + 1 >= self.settings.limits.failures_max {
                continue;
            }
            known.push(kind.clone());
            let outcome = self.lab.run_record(&record);
            let file = self.keep(None, &kind, &record, "not shrunk yet");
            if outcome.kind() != Some(&kind) {
                self.remarks.push(format!("another failure was met while shrinking, and not again: {kind}"));
                continue;
            }
            let Shown { mut counterexample, rate, others } =
                self.shrink_and_show(record, outcome, Origin::Shrinking);
            counterexample.rate = rate;
            waiting.extend(others);
            let file = self.keep(file.as_deref(), &kind, &counterexample.record, &counterexample.shown());
            self.saved(&mut counterexample, file.as_deref());
            shown.push(counterexample);
        }
        shown
    }

    fn present(&mut self, shrunk: Shrunk, before: usize, origin: Origin) -> (Counterexample, Option<u32>) {
        let runs = self.settings.limits.repeats_max.max(self.lab.repeats);
        let (mut counterexample, failed_at) = self.show(shrunk.record, &shrunk.outcome, origin, runs);
        counterexample.choices_before = before;
        counterexample.evaluations = shrunk.evaluations;
        counterexample.cut = shrunk.stopped;
        counterexample.history = shrunk.history;
        (counterexample, failed_at)
    }

    /// Runs a failing case again, at most `runs` times until it fails, to write down its arguments and notes. Returns the number of the
    /// run in which it failed as well.
    fn show(
        &mut self,
        record: Record,
        outcome: &Outcome,
        origin: Origin,
        runs: u32,
    ) -> (Counterexample, Option<u32>) {
        let runs = runs.max(1);
        for run in 1..=runs {
            let (shown, remarks, draws) = self.lab.run_shown(&record);
            let failed = shown.kind() == outcome.kind();
            if !failed && run < runs {
                continue;
            }
            // The last run has the message that belongs to the values shown, unless it did not fail.
            let mut counterexample = self.bare(record, if failed { &shown } else { outcome }, origin);
            (counterexample.notes, counterexample.draws) = (remarks.notes, draws);
            if !failed {
                show_unrepeated(&mut counterexample, outcome, runs);
            }
            return (counterexample, failed.then_some(run));
        }
        unreachable!("there is at least one run")
    }

    /// The arguments and notes of a case that passed; nothing if it fails now.
    pub(super) fn show_passing(&mut self, record: &Record) -> Result<String, Outcome> {
        let (outcome, remarks, draws) = self.lab.run_shown(record);
        if outcome.status == Status::Failed {
            return Err(outcome);
        }
        let mut counterexample = self.bare(record.clone(), &outcome, Origin::Corpus);
        counterexample.notes = remarks.notes;
        counterexample.draws = draws;
        Ok(counterexample.shown())
    }

    fn bare(&self, record: Record, outcome: &Outcome, origin: Origin) -> Counterexample {
        let failure = outcome.failure.as_deref().cloned();
        let Failure { kind, message, .. } = failure.unwrap_or_else(|| Failure::new("", ""));
        let replay = wire::replay_of(&record);
        Counterexample {
            notes: Vec::new(),
            draws: String::new(),
            kind,
            message,
            choices_before: record.choices.len(),
            evaluations: 0,
            cut: false,
            history: Vec::new(),
            command: self.replay_command(&replay),
            replay,
            record,
            saved: None,
            origin,
            irrelevant: Vec::new(),
            rate: None,
        }
    }

    /// Says where the failure was saved; a long replay refers to that file.
    fn saved(&self, counterexample: &mut Counterexample, file: Option<&Path>) {
        let Some(file) = file else { return };
        // Tests run in the folder of their package: from there the path is short.
        let here = std::env::current_dir().ok();
        let shown = here.and_then(|here| file.strip_prefix(here).ok()).unwrap_or(file);
        counterexample.saved = Some(shown.display().to_string());
        if counterexample.replay.len() > REPLAY_LENGTH_MAX {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            counterexample.replay = format!("entry={name}");
            counterexample.command = self.replay_command(&counterexample.replay);
        }
    }

    /// Writes a failure to the corpus, in place of `before` if given.
    fn keep(&mut self, before: Option<&Path>, kind: &Kind, record: &Record, shown: &str) -> Option<PathBuf> {
        let corpus = self.corpus.as_ref()?;
        let case = Named::Record(record.clone());
        let saved = match before {
            Some(before) => corpus.replace(before, kind, &case, shown),
            None => corpus.save(kind, &case, shown),
        };
        match saved {
            Ok(path) => Some(path),
            Err(error) => {
                // (It is saved again when it is shrunk.)
                if !std::mem::replace(&mut self.is_unsaved, true) {
                    self.remarks.push(format!("the failure could not be saved: {error}"));
                }
                None
            }
        }
    }

    /// The arguments that may be anything: in place of each, other values are tried.
    fn irrelevant(&mut self, counterexample: &Counterexample) -> Vec<String> {
        let mut names = Vec::new();
        for note in &counterexample.notes {
            let Some((start, end)) = note.choices.filter(|(start, end)| start < end) else {
                continue;
            };
            let record = &counterexample.record;
            // A generator that is not deterministic may have drawn something else this time.
            let Some(free) = record.choices.get(start..end) else { continue };
            if free.iter().all(|c| c.shape.max == 0) {
                continue;
            }
            let mut rng = Rng::of_case(self.seed, start as u64);
            let (mut others, mut all_fail) = (HashSet::new(), true);
            // Of a small type all other values are enough.
            let values = free.iter().fold(1u64, |n, c| n.saturating_mul(c.shape.max.saturating_add(1)));
            let enough = (EXPLAIN_TRIES / 4).min(values - 1) as usize;
            for try_number in 0..EXPLAIN_TRIES {
                let mut choices = record.choices.clone();
                let mut stop = end;
                if try_number == 0 {
                    // The simplest, which may need fewer choices: `None`, or an empty list.
                    choices.splice(start..end, [Choice { value: 0, ..free[0] }]);
                    stop = start + 1;
                }
                // Something else of the same shape, or longer: then what follows is drawn as the simplest. Every other try is small.
                for choice in choices[start..stop].iter_mut().filter(|_| try_number > 0) {
                    let most = if try_number % 2 == 1 {
                        choice.shape.max.min(1 + try_number)
                    } else {
                        choice.shape.max
                    };
                    let shift = if most > 255 { rng.up_to(63) } else { 0 };
                    choice.value = rng.up_to(most >> shift);
                }
                let outcome =
                    self.lab.run_replay(crate::source::replay::Replay::of_choices(&choices), record.size);
                let ran = self.lab.case.choices();
                let same_rest = ran.len() == choices.len() && ran.get(stop..) == record.choices.get(end..);
                if !same_rest
                    || ran[start..stop] == record.choices[start..end]
                    || outcome.status <= Status::Rejected
                {
                    continue;
                }
                others.insert(ran[start..stop].iter().map(|c| c.value).collect::<Vec<u64>>());
                if outcome.kind() != Some(&counterexample.kind) {
                    all_fail = false;
                    break;
                }
            }
            if all_fail && others.len() >= enough.max(1) {
                names.push(note.name.clone());
            }
        }
        names
    }
}

/// A case that was seen to fail, and not in any of the runs that were to show it: what is shown is what happened when it failed, if
/// anybody has written that down.
fn show_unrepeated(counterexample: &mut Counterexample, seen: &Outcome, runs: u32) {
    let Some(story) = seen.failure.as_ref().and_then(|failure| failure.story.as_ref()) else {
        counterexample.message += &format!(
            "\n(it did not fail when it was shown: the values are those of the last of {runs} runs)"
        );
        return;
    };
    let note = |line: &String| Note { name: String::new(), value: line.clone(), choices: None };
    (counterexample.notes, counterexample.draws) = (story.iter().map(note).collect(), String::new());
    counterexample.message += "\n(what is shown is the run that failed, and not one of those after it)";
}

/// How often a case that fails `failed` of `runs` times must be run so that it fails with 95 %.
fn repeats_for(failed: u32, runs: u32, max: u32) -> u32 {
    if failed >= runs {
        return 1;
    }
    let miss = 1.0 - f64::from(failed) / f64::from(runs);
    ((0.05f64.ln() / miss.ln()).ceil() as u32).clamp(2, max.max(2))
}
