//! Deviations: what if somebody who is called does something else than he should?
//!
//! A deviation has a name, and sits at a call-out ([`CallOut::deviation`](crate::callout::CallOut::deviation)) or in the model of a
//! component ([`Operation::deviation`](crate::Operation::deviation)). In ordinary runs nothing deviates. A *consequence run* lets one
//! deviation after the other happen, and says what comes of it; everything is judged by the unchanged specification.

use super::{Cluster, Model};
use gainsay_core::{Counterexample, Error, Report, Settings, Verdict, plural};
use std::fmt::{self, Debug, Display};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// When deviations happen, of all the times they could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acts {
    /// The first time in a test.
    Once,
    /// From the n-th time in a test on; the first is 1.
    From(u64),
    /// Every time.
    Always,
}

impl Display for Acts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Acts::Once => f.write_str("once"),
            Acts::From(n) => write!(f, "from call {n}"),
            Acts::Always => f.write_str("always"),
        }
    }
}

/// Which deviations a consequence run lets happen, and when.
#[derive(Debug, Clone)]
#[must_use]
pub struct Deviations {
    /// Without names, all that are met.
    names: Option<Vec<String>>,
    acts: Vec<Acts>,
    pairs: bool,
}

/// All deviations that are met, once and always.
impl Default for Deviations {
    fn default() -> Deviations {
        Deviations { names: None, acts: vec![Acts::Once, Acts::Always], pairs: false }
    }
}

impl Deviations {
    /// All deviations that are met, once and always.
    pub fn all() -> Deviations {
        Deviations::default()
    }

    /// These deviations, whether they are met or not; each once, however often it is named.
    pub fn named(names: impl IntoIterator<Item = impl Into<String>>) -> Deviations {
        let mut distinct: Vec<String> = Vec::new();
        for name in names.into_iter().map(Into::into) {
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        }
        Deviations { names: Some(distinct), ..Deviations::default() }
    }

    /// When they happen: one row of the table for each.
    pub fn acting(mut self, acts: impl IntoIterator<Item = Acts>) -> Deviations {
        self.acts = acts.into_iter().collect();
        self
    }

    /// Two at a time as well.
    pub fn and_pairs(mut self) -> Deviations {
        self.pairs = true;
        self
    }
}

/// What deviations have led to.
#[derive(Debug)]
pub struct Consequences {
    /// One row for each deviation, or pair of them, and time.
    pub rows: Vec<Consequence>,
}

/// What one deviation has led to.
#[derive(Debug)]
pub struct Consequence {
    /// One name, or two.
    pub deviations: Vec<String>,
    /// When they happened.
    pub acts: Acts,
    /// What came of it.
    pub effect: Effect,
}

/// What comes of a deviation.
#[derive(Debug)]
#[non_exhaustive]
pub enum Effect {
    /// No test met it.
    NotReached,
    /// Tests met it, and all was as specified.
    NotSeen {
        /// How many tests met it; 0 if they ran in another process.
        tests: u64,
        /// How often it happened in them.
        times: u64,
    },
    /// The specification does not hold any more.
    Visible(Box<Counterexample>),
    /// Something panicked, or the process ended.
    Crash(Box<Counterexample>),
    /// It did not end; found with [`isolate`](gainsay_core::Settings::isolate).
    Hang(Box<Counterexample>),
    /// Nothing is known, for this reason.
    Unknown(String),
}

impl Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Effect::NotReached => f.write_str("not reached"),
            Effect::NotSeen { tests: 0, .. } => f.write_str("not seen"),
            Effect::NotSeen { tests, times } => {
                write!(f, "not seen in {} that met it {}", plural(*tests, "test"), plural(*times, "time"))
            }
            Effect::Visible(by) => write!(f, "visible: {}", story(by)),
            Effect::Crash(by) => write!(f, "crash: {}", story(by)),
            Effect::Hang(by) => write!(f, "hang: {}", story(by)),
            Effect::Unknown(why) => write!(f, "unknown: {why}"),
        }
    }
}

/// The commands of a counterexample on one line; of a long one, its beginning and its end.
fn story(counterexample: &Counterexample) -> String {
    let mut told: Vec<(String, usize)> = Vec::new();
    for note in &counterexample.notes {
        let line = note.value.trim();
        match told.last_mut() {
            Some((last, times)) if last == line => *times += 1,
            _ => told.push((line.to_string(), 1)),
        }
    }
    let mut told: Vec<String> = told
        .into_iter()
        .map(|(line, times)| if times == 1 { line } else { format!("{line} ({times} times)") })
        .collect();
    if told.len() > 6 {
        told.splice(3..told.len() - 3, ["…".to_string()]);
    }
    told.join("; ")
}

impl Display for Consequences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows.is_empty() {
            return f.write_str("no deviation was met");
        }
        let cells: Vec<[String; 3]> = self
            .rows
            .iter()
            .map(|row| [row.deviations.join(" + "), row.acts.to_string(), row.effect.to_string()])
            .collect();
        let titles = ["deviation", "happens", "consequence"];
        let width = |column: usize| {
            let cells = cells.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(titles[column].chars().count())
        };
        let (first, second) = (width(0), width(1));
        write!(f, "{:first$}  {:second$}  {}", titles[0], titles[1], titles[2])?;
        cells
            .iter()
            .try_for_each(|[name, acts, effect]| write!(f, "\n{name:first$}  {acts:second$}  {effect}"))
    }
}

/// The deviations that happen in a run.
#[derive(Debug, Default)]
pub(crate) struct Active {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// What happens: names, and how often each could have in this test.
    which: Vec<(String, u64)>,
    acts: Option<Acts>,
    /// Every name that was met.
    known: Vec<String>,
    tests: u64,
    times: u64,
    /// Which of them have happened in this test.
    happened: Vec<usize>,
    /// How often something has happened in this test.
    times_here: u64,
}

impl Active {
    fn of(which: &[String], acts: Option<Acts>) -> Arc<Active> {
        let which = which.iter().map(|name| (name.clone(), 0)).collect();
        Arc::new(Active { inner: Mutex::new(Inner { which, acts, ..Inner::default() }) })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A test begins.
    pub(crate) fn begin(&self) {
        let mut inner = self.inner();
        inner.happened.clear();
        inner.times_here = 0;
        inner.which.iter_mut().for_each(|(_, met)| *met = 0);
    }

    /// Somebody could deviate: does he?
    pub(crate) fn happens(&self, name: &str) -> bool {
        let mut inner = self.inner();
        if !inner.known.iter().any(|known| known == name) {
            inner.known.push(name.to_string());
        }
        let acts = inner.acts;
        let Some(place) = inner.which.iter().position(|(known, _)| known == name) else { return false };
        let met = &mut inner.which[place].1;
        *met += 1;
        let happens = match acts {
            None => false,
            Some(Acts::Once) => *met == 1,
            Some(Acts::From(n)) => *met >= n,
            Some(Acts::Always) => true,
        };
        if happens {
            inner.happened(place);
        }
        happens
    }
}

impl Inner {
    /// A deviation has happened. A test counts when all that shall happen have.
    fn happened(&mut self, place: usize) {
        let all = self.happened.len() == self.which.len();
        self.times_here += 1;
        if all {
            self.times += 1;
        } else if !self.happened.contains(&place) {
            self.happened.push(place);
            if self.happened.len() == self.which.len() {
                self.tests += 1;
                self.times += self.times_here;
            }
        }
    }
}

/// Runs everything once for each deviation.
///
/// # Errors
/// If the settings or the environment make no sense.
fn consequences(
    deviations: &Deviations,
    settings: &Settings,
    run: &mut dyn FnMut(Settings, &str, &Arc<Active>) -> Result<Report, Error>,
) -> Result<Consequences, Error> {
    let mut run = |which: &[String], acts: Option<Acts>| {
        let active = Active::of(which, acts);
        // (What never ran is in the table.)
        let settings = settings.again().without_corpus().allow_vacuous();
        // What is met must be counted here, and without deviations nothing ends a process.
        let settings = if acts.is_none() { settings.not_isolated() } else { settings };
        let about = match acts {
            None => "without deviations".to_string(),
            Some(acts) => format!("with {} {acts}", which.join(" and ")),
        };
        let report = run(settings, &about, &active)?;
        Ok::<_, Error>((report.verdict, active))
    };
    let (verdict, active) = run(&[], None)?;
    if !verdict.is_good() {
        return Err(Error::specification(format!(
            "what deviations lead to cannot be said: without any, it is {verdict}"
        )));
    }
    let known = active.inner().known.clone();
    let names = deviations.names.clone().unwrap_or_else(|| {
        let mut names = known.clone();
        names.sort_unstable();
        names
    });
    let mut sets: Vec<Vec<String>> = names.iter().map(|name| vec![name.clone()]).collect();
    if deviations.pairs {
        for (place, name) in names.iter().enumerate() {
            sets.extend(names[place + 1..].iter().map(|other| vec![name.clone(), other.clone()]));
        }
    }
    let mut rows = Vec::new();
    for set in &sets {
        for &acts in &deviations.acts {
            let (verdict, active) = run(set, Some(acts))?;
            // (What went wrong without them is told all the same.)
            let is_met = set.iter().all(|name| known.contains(name)) || !verdict.is_good();
            let effect = match is_met {
                true => effect(verdict, &active.inner(), settings.is_isolated()),
                false => Effect::NotReached,
            };
            rows.push(Consequence { deviations: set.clone(), acts, effect });
        }
    }
    Ok(Consequences { rows })
}

fn effect(verdict: Verdict, seen: &Inner, isolated: bool) -> Effect {
    match verdict {
        Verdict::Falsified(falsified) => {
            let by = Box::new(falsified.counterexample);
            let kind = by.kind.0.clone();
            if kind.starts_with("hang: ") {
                Effect::Hang(by)
            } else if kind.starts_with("panic at ") || kind == "panic" || kind.starts_with("crash: ") {
                Effect::Crash(by)
            } else {
                Effect::Visible(by)
            }
        }
        verdict if !verdict.is_good() => Effect::Unknown(verdict.to_string()),
        // Another process has counted.
        _ if seen.times == 0 && !isolated => Effect::NotReached,
        _ => Effect::NotSeen { tests: seen.tests, times: seen.times },
    }
}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Lets deviations of the things that are called happen, one after the other, and says what comes of each.
    ///
    /// # Panics
    /// If the model is falsified without deviations, or the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn consequences(self, deviations: &Deviations) -> Consequences {
        self.report_consequences(deviations).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Like [`consequences`](Model::consequences).
    ///
    /// # Errors
    /// If the model is falsified without deviations, or the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn report_consequences(mut self, deviations: &Deviations) -> Result<Consequences, Error> {
        if let Some(operation) = self.operations.iter().find(|operation| operation.has_deviations()) {
            return Err(Error::specification(format!(
                "`{}` of the model `{}` deviates itself, which others notice: ask a cluster for the consequences, or name the \
                 deviations of call-outs",
                operation.name(),
                self.name
            )));
        }
        let settings = self.take_settings();
        let name = self.name.clone();
        consequences(deviations, &settings, &mut |settings, about, active| {
            self.deviating = Some(Arc::clone(active));
            self.name = format!("{name} {about}");
            self.run_report(settings)
        })
    }
}

impl Cluster {
    /// Lets deviations in the models of components happen, one after the other, and says what comes of each: does whoever calls them
    /// still get what he takes for granted? Nothing real is called.
    ///
    /// # Panics
    /// If the specifications disagree without deviations, or the cluster, the settings or the environment make no sense.
    #[track_caller]
    pub fn consequences(self, deviations: &Deviations) -> Consequences {
        self.report_consequences(deviations).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Like [`consequences`](Cluster::consequences).
    ///
    /// # Errors
    /// If the specifications disagree without deviations, or the cluster, the settings or the environment make no sense.
    #[track_caller]
    pub fn report_consequences(mut self, deviations: &Deviations) -> Result<Consequences, Error> {
        let settings = self.take_settings();
        consequences(deviations, &settings, &mut |settings, about, active| {
            self.run_alone(settings, about, Some(active))
        })
    }
}
