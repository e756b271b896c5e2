//! Verdicts: what a run came to, as data, with its assumptions.

use crate::case::Note;
use crate::escape::Escaping;
use crate::outcome::Kind;
use crate::record::Record;
use std::fmt::{self, Write as _};
use std::time::Duration;

/// What a run came to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Verdict {
    /// Every case was judged and holds.
    Proved(Proved),
    /// No case was found that does not hold.
    Passed(Passed),
    /// A case does not hold.
    Falsified(Box<Falsified>),
    /// Nothing can be said: too many cases were rejected, or a limit was met.
    GaveUp(GaveUp),
    /// The property could not be decided.
    Inconclusive(Inconclusive),
    /// A case failed, and did not always fail again.
    Flaky(Box<Flaky>),
    /// No case failed, but what the specification speaks of never occurred: nothing was tested.
    Vacuous(Vacuous),
}

/// Every case was judged and holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Proved {
    /// The cases that count.
    pub cases: u64,
    /// Cases the property says nothing about.
    pub rejected: u64,
    /// What was covered.
    pub scope: Scope,
    /// What was taken for granted: the proof is worth as much as these.
    pub assumptions: Vec<String>,
}

/// What a proof covers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// All cases there are.
    All,
    /// All cases up to this cost (the sum of their numbers).
    UpToSize(u64),
    /// All cases up to a bound of another kind, such as "3 commands".
    UpTo(String),
    /// All cases over something, such as "the 12 states that can be reached".
    Over(String),
    /// The values that were given.
    Given,
}

/// No case was found that does not hold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Passed {
    /// The cases that count.
    pub cases: u64,
    /// Cases the property says nothing about.
    pub rejected: u64,
    /// Cases that could not be decided.
    pub undefined: u64,
    /// The time limit ended the run.
    pub by_time: bool,
}

/// A case does not hold.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Falsified {
    /// The smallest case found.
    pub counterexample: Counterexample,
    /// Failures of other kinds met in the same run.
    pub others: Vec<Counterexample>,
    /// Cases judged before the failure.
    pub cases: u64,
}

/// A failing case.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Counterexample {
    /// Arguments and notes.
    pub notes: Vec<Note>,
    /// The draws of a property that draws while it runs.
    pub draws: String,
    /// What tells this failure from others.
    pub kind: Kind,
    /// What there is to say about the failure.
    pub message: String,
    /// Its choices.
    pub record: Record,
    /// The number of choices of the case found first.
    pub choices_before: usize,
    /// How often the property was evaluated while shrinking.
    pub evaluations: u64,
    /// Shrinking was ended by a limit.
    pub cut: bool,
    /// The best case after each step of shrinking: choices, and evaluations so far.
    pub history: Vec<(usize, u64)>,
    /// The environment variable and its value that make this case again.
    pub replay: String,
    /// The command that replays it.
    pub command: String,
    /// The file it was saved in.
    pub saved: Option<String>,
    /// Where it came from.
    pub origin: Origin,
    /// The names of arguments that may have any value.
    pub irrelevant: Vec<String>,
    /// How often it failed when it was run again, and of how many runs, if not always.
    pub rate: Option<(u32, u32)>,
}

/// Where a failing case came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A run of new cases.
    Search,
    /// An example given with the property.
    Example,
    /// The corpus.
    Corpus,
    /// A replay asked for.
    Replay,
    /// Met while another failure was being shrunk.
    Shrinking,
}

/// Nothing can be said.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GaveUp {
    /// Why, with the culprit.
    pub reason: String,
    /// The cases that count.
    pub cases: u64,
    /// Cases the property says nothing about.
    pub rejected: u64,
}

impl GaveUp {
    /// Somebody who tests for others gave up, after so many cases.
    #[doc(hidden)]
    pub fn because(reason: String, cases: u64) -> GaveUp {
        GaveUp { reason, cases, rejected: 0 }
    }
}

/// No case failed, but what the specification speaks of never occurred.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Vacuous {
    /// What never occurred, such as "the operation `pop`".
    pub never: Vec<String>,
    /// The cases that count.
    pub cases: u64,
    /// Cases the property says nothing about.
    pub rejected: u64,
}

/// The property could not be decided.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Inconclusive {
    /// Why.
    pub reason: String,
    /// Cases tried.
    pub cases: u64,
}

/// A case failed, and did not always fail again.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Flaky {
    /// The case.
    pub counterexample: Counterexample,
    /// How often it failed when run again.
    pub failed: u32,
    /// How often it was run again.
    pub runs: u32,
    /// What seems to be wrong.
    pub reason: String,
    /// Cases judged before the failure.
    pub cases: u64,
}

impl Verdict {
    /// Whether nothing speaks against the property: proved or passed.
    pub fn is_good(&self) -> bool {
        matches!(self, Verdict::Proved(_) | Verdict::Passed(_))
    }

    /// The counterexample, if there is one.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match self {
            Verdict::Falsified(falsified) => Some(&falsified.counterexample),
            Verdict::Flaky(flaky) => Some(&flaky.counterexample),
            _ => None,
        }
    }

    /// The cases that count.
    pub fn cases(&self) -> u64 {
        match self {
            Verdict::Proved(proved) => proved.cases,
            Verdict::Passed(passed) => passed.cases,
            Verdict::Falsified(falsified) => falsified.cases,
            Verdict::GaveUp(gave_up) => gave_up.cases,
            Verdict::Inconclusive(inconclusive) => inconclusive.cases,
            Verdict::Flaky(flaky) => flaky.cases,
            Verdict::Vacuous(vacuous) => vacuous.cases,
        }
    }
}

impl Counterexample {
    /// The value noted under `name`, as shown.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.notes.iter().find(|note| note.name == name).map(|note| note.value.as_str())
    }

    /// All arguments and notes on one line.
    pub fn shown(&self) -> String {
        if self.notes.is_empty() {
            return self.draws.clone();
        }
        let notes: Vec<String> = self
            .notes
            .iter()
            .map(|note| {
                if note.name.is_empty() {
                    note.value.clone()
                } else {
                    format!("{} = {}", note.name, note.value)
                }
            })
            .collect();
        notes.join(", ")
    }
}

/// A number of things: `1 case`, `2 cases`.
pub fn plural(n: u64, noun: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{ending}")
}

fn besides(rejected: u64) -> String {
    if rejected == 0 { String::new() } else { format!(" ({rejected} rejected)") }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // (What is told of a subject may be in its own words.)
        let f = &mut Escaping(f);
        match self {
            Verdict::Proved(Proved { cases, rejected, scope, assumptions }) => {
                let besides = besides(*rejected);
                match scope {
                    Scope::All => write!(f, "proved: all {}{besides}", plural(*cases, "case")),
                    Scope::UpTo(bound) => {
                        write!(f, "proved up to {bound}: all {}{besides}", plural(*cases, "case"))
                    }
                    Scope::Over(what) => {
                        write!(f, "proved over {what}: all {}{besides}", plural(*cases, "case"))
                    }
                    Scope::UpToSize(size) => {
                        write!(f, "proved up to size {size}: all {}{besides}", plural(*cases, "case"))
                    }
                    Scope::Given => {
                        write!(f, "proved over the given values: all {}{besides}", plural(*cases, "case"))
                    }
                }?;
                match assumptions.as_slice() {
                    [] => Ok(()),
                    assumptions => write!(f, "\n  assuming {}", assumptions.join("; ")),
                }
            }
            Verdict::Passed(passed) => {
                write!(f, "passed: {}{}", plural(passed.cases, "case"), besides(passed.rejected))?;
                if passed.undefined > 0 {
                    write!(f, ", {} undefined", passed.undefined)?;
                }
                if passed.by_time { write!(f, ", ended by the time limit") } else { Ok(()) }
            }
            Verdict::Falsified(falsified) => {
                writeln!(f, "falsified after {}", plural(falsified.cases, "case"))?;
                write!(f, "{}", falsified.counterexample)?;
                for other in &falsified.others {
                    write!(f, "\n\nanother failure, met in the same run\n{other}")?;
                }
                Ok(())
            }
            Verdict::GaveUp(gave_up) => {
                write!(
                    f,
                    "gave up after {} ({} rejected): {}",
                    plural(gave_up.cases, "case"),
                    gave_up.rejected,
                    gave_up.reason
                )
            }
            Verdict::Vacuous(vacuous) => {
                write!(f, "vacuous after {}", plural(vacuous.cases, "case"))?;
                write!(f, "{}: never met {}", besides(vacuous.rejected), vacuous.never.join(", nor "))
            }
            Verdict::Inconclusive(inconclusive) => {
                write!(
                    f,
                    "inconclusive after {}: {}",
                    plural(inconclusive.cases, "case"),
                    inconclusive.reason
                )
            }
            Verdict::Flaky(flaky) => {
                writeln!(
                    f,
                    "flaky: failed once, then {} of {} times when run again; {}",
                    flaky.failed, flaky.runs, flaky.reason
                )?;
                write!(f, "{}", flaky.counterexample)
            }
        }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Escaping(f);
        let origin = match self.origin {
            Origin::Search | Origin::Shrinking => "",
            Origin::Example => ", an example given with the property",
            Origin::Corpus => ", from the corpus",
            Origin::Replay => ", replayed",
        };
        let (before, after) = (self.choices_before, self.record.choices.len());
        if self.evaluations > 0 {
            let cut = if self.cut { ", ended by a limit" } else { "" };
            writeln!(
                f,
                "  {} shrunk to {after} with {}{cut}{origin}",
                plural(before as u64, "choice"),
                plural(self.evaluations, "evaluation")
            )?;
        } else {
            writeln!(f, "  {}{origin}", plural(after as u64, "choice"))?;
        }
        let told = |note: &Note| note.choices.is_some() || note.name.is_empty();
        if !self.draws.is_empty() && !self.notes.iter().any(told) {
            writeln!(f, "    draws: {}", self.draws)?;
        }
        for group in self.notes.chunk_by(|a, b| a.name.is_empty() && b.name.is_empty() && a.value == b.value)
        {
            let note = &group[0];
            let any =
                if self.irrelevant.contains(&note.name) { "    (any other value fails too)" } else { "" };
            if note.name.is_empty() {
                // What is told many times over is told once.
                let times =
                    if group.len() > 1 { format!("    ({} times)", group.len()) } else { String::new() };
                writeln!(f, "    {}{times}", note.value)?;
                continue;
            }
            writeln!(f, "    {} = {}{any}", note.name, note.value)?;
        }
        for line in self.message.lines() {
            writeln!(f, "  {line}")?;
        }
        if let Some((failed, runs)) = self.rate {
            writeln!(f, "  fails   {failed} of {runs} times when run again")?;
        }
        if let Some(saved) = &self.saved {
            writeln!(f, "  saved   {saved}")?;
        }
        write!(f, "  replay  {}", self.command)
    }
}

/// A run: its verdict and what was seen on the way.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The name of the test.
    pub name: String,
    /// What it came to.
    pub verdict: Verdict,
    /// The seed of the random cases.
    pub seed: u64,
    /// How long it took.
    pub time: Duration,
    /// The labels of the cases and how often each was given.
    pub labels: Vec<LabelCount>,
    /// The best score of each target.
    pub scores: Vec<(String, f64)>,
    /// How many cases ended with each status.
    pub statuses: Vec<(crate::outcome::Status, u64)>,
    /// What the user should know besides.
    pub remarks: Vec<String>,
    pub(crate) show_statistics: bool,
    pub(crate) allow_vacuous: bool,
}

/// How often a label was given.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LabelCount {
    /// The table it belongs to, for collected values.
    pub table: Option<String>,
    /// The label.
    pub label: String,
    /// Cases with it.
    pub cases: u64,
    /// Cases in which it was asked for.
    pub of: u64,
    /// The share it must have.
    pub required_percent: Option<f64>,
}

impl Report {
    /// Takes a proof back: nothing is decided, for this reason, or without one it has only passed.
    #[doc(hidden)]
    pub fn withdraw_proof(&mut self, undecided: Option<String>) {
        let Verdict::Proved(Proved { cases, rejected, .. }) = self.verdict else { return };
        self.verdict = match undecided {
            Some(reason) => Verdict::Inconclusive(Inconclusive { reason, cases }),
            None => Verdict::Passed(Passed { cases, rejected, undefined: 0, by_time: false }),
        };
    }

    /// Says at the end of a run what of the specification never occurred. A good verdict becomes [`Verdict::Vacuous`], unless
    /// [`Settings::allow_vacuous`](crate::Settings::allow_vacuous) was said: then a remark tells it. Other verdicts
    /// stay as they are, and so does every verdict if `never` is empty.
    pub fn never_exercised(&mut self, never: Vec<String>) {
        let (cases, rejected) = match &self.verdict {
            _ if never.is_empty() => return,
            Verdict::Proved(proved) => (proved.cases, proved.rejected),
            Verdict::Passed(passed) => (passed.cases, passed.rejected),
            _ => return,
        };
        if self.allow_vacuous {
            self.remarks.push(format!("vacuous, which is allowed: never met {}", never.join(", nor ")));
        } else {
            self.verdict = Verdict::Vacuous(Vacuous { never, cases, rejected });
        }
    }

    /// Adds a count to the labels, for a table of something else than cases.
    #[doc(hidden)]
    pub fn add_count(&mut self, table: &str, label: impl Into<String>, count: u64, of: u64) {
        let (table, label) = (Some(table.to_string()), label.into());
        self.labels.push(LabelCount { table, label, cases: count, of, required_percent: None });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Escaping(f);
        write!(f, "{}: {}", self.name, self.verdict)?;
        for label in &self.labels {
            let share = 100.0 * label.cases as f64 / label.of.max(1) as f64;
            write!(f, "\n  {share:5.1} %  ")?;
            if let Some(table) = &label.table {
                write!(f, "{table}: ")?;
            }
            write!(f, "{}", label.label)?;
            if let Some(percent) = label.required_percent {
                write!(f, "  (at least {percent} % required)")?;
            }
        }
        for (label, score) in &self.scores {
            write!(f, "\n  highest {label}: {score}")?;
        }
        for remark in &self.remarks {
            write!(f, "\n  {remark}")?;
        }
        Ok(())
    }
}
