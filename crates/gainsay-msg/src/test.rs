//! Tests of running systems: traces are drawn, sent, watched and judged, one after the other.

mod features;
mod lines;
mod live;
mod runner;
mod small;

use crate::bus::{Bus, Trouble, TroubleKind};
use crate::classify::Class;
use crate::consumer::consumers;
use crate::guide::Guide;
use crate::monitor::{Exercise, Monitors, Violation};
use crate::rule::Rule;
use crate::schema::{Clash, Schema, clashes, specialised};
use crate::system::System;
use crate::trace::{Message, Trace};
use gainsay_core::{Case, Error, GaveUp, Report, Settings, Verdict, settings};
use runner::{Early, Runner, Running};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A test of one property of a system.
///
/// ```
/// use gainsay_msg::{Channel, EmbeddedBus, Message, Node, Outbox, System, SystemTest, message};
/// use gainsay_msg::types::{MessageType, Type, Types};
///
/// /// Stops, but not for what is very near.
/// struct Rover;
///
/// impl Node for Rover {
///     fn receive(&mut self, message: &Message, out: &mut Outbox) {
///         if let Some(gainsay_msg::Value::Float(dist)) = message.value.at("dist")
///             && *dist < 40.0
///             && *dist > 2.0
///         {
///             out.publish("/stop", gainsay_msg::message([]));
///         }
///     }
/// }
///
/// let mut types = Types::new();
/// types.add(MessageType::new("Laser", vec![("dist".into(), Type::Float64)], vec![]));
/// let channels = vec![
///     Channel::input("/laser", types.named("Laser", None)?),
///     Channel::output("/stop", types.named("std_msgs/Empty", None)?),
/// ];
/// let system = System::new("rover", channels)
///     .with_properties("globally: /laser {dist < 40} causes /stop within 500 ms\nglobally: no /laser {dist < 1}")?;
/// let mut bus = EmbeddedBus::of_node(|_| Rover);
/// let settings = gainsay_core::settings().seed(1).without_corpus();
/// let tested = SystemTest::new(&system, "p1").settings(settings).run(&mut bus)?;
/// assert_eq!(tested.report.verdict.counterexample().unwrap().notes[0].value, "@  0 ms    /laser {dist: 1.0}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SystemTest<'s> {
    system: &'s System,
    id: String,
    rule: Option<Arc<Rule>>,
    settings: Settings,
    guidance: Guidance,
    axioms: Vec<Arc<Rule>>,
    judges: Vec<Judge>,
}

/// What traces are guided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guidance {
    /// The property, taken apart into schemas, and everything that the specification mentions.
    #[default]
    Schemas,
    /// Nothing but the axioms.
    Empty,
}

/// Somebody else who judges traces: a machine or a formula, say.
struct Judge {
    name: String,
    judge: Box<Judging>,
}

type Judging = dyn FnMut(&Trace) -> Result<(), String> + Send;

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Judge({})", self.name)
    }
}

/// What became of a test.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Tested {
    /// The property.
    pub rule: Arc<Rule>,
    /// What the engine says.
    pub report: Report,
    /// What was seen in the smallest failing run.
    pub seen: Option<Trace>,
    /// Its violation.
    pub violation: Option<Violation>,
    /// What is wrong with the system besides.
    pub trouble: Option<Trouble>,
    /// Traces that were begun, until one failed.
    pub drawn: u64,
    /// How many of them could not be drawn to their end within the axioms.
    pub refused: u64,
    /// The axioms that are to blame for that, with the number of traces, most first.
    pub blamed: Vec<(String, u64)>,
    /// How many of them were run and thrown away, since the inputs that were seen broke an axiom.
    pub discarded: u64,
    /// How often the property was put to the test in runs that did not fail.
    pub exercise: Exercise,
    /// Schemas that cannot be followed within the axioms.
    pub clashes: Vec<(String, Vec<String>, String)>,
    /// For how long traces were looked for, if no number of them was asked for.
    pub budget: Option<Duration>,
}

impl<'s> SystemTest<'s> {
    /// A test of the property with this id.
    pub fn new(system: &'s System, id: impl Into<String>) -> SystemTest<'s> {
        SystemTest {
            system,
            id: id.into(),
            rule: None,
            settings: settings(),
            guidance: Guidance::Schemas,
            axioms: system.axioms(),
            judges: Vec::new(),
        }
    }

    /// A test of a property that the system does not have.
    pub fn of_rule(system: &'s System, rule: impl Into<Arc<Rule>>) -> SystemTest<'s> {
        let rule: Arc<Rule> = rule.into();
        SystemTest { rule: Some(Arc::clone(&rule)), ..SystemTest::new(system, rule.id.clone()) }
    }

    /// Settings of the engine.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// What traces are guided by.
    #[must_use]
    pub fn guidance(mut self, guidance: Guidance) -> Self {
        self.guidance = guidance;
        self
    }

    /// Further assumptions about inputs.
    #[must_use]
    pub fn assume(mut self, axioms: impl IntoIterator<Item = Arc<Rule>>) -> Self {
        self.axioms.extend(axioms);
        self
    }

    /// Somebody else who judges what was seen: an error is a failure.
    #[must_use]
    pub fn judge(
        mut self,
        name: impl Into<String>,
        judge: impl FnMut(&Trace) -> Result<(), String> + Send + 'static,
    ) -> Self {
        self.judges.push(Judge { name: name.into(), judge: Box::new(judge) });
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// If there is no such property, or it cannot be tested.
    pub fn run<B: Bus + ?Sized>(self, bus: &mut B) -> Result<Tested, Error> {
        self.run_by(vec![bus], searched)
    }

    /// Runs it on several systems of the same kind, side by side: what is found is the same, and sooner, where runs take real time.
    ///
    /// # Errors
    /// If there is no such property, or it cannot be tested, or there is no system.
    pub fn run_side_by_side<B: Bus + Send>(self, buses: &mut [B]) -> Result<Tested, Error> {
        if buses.is_empty() {
            return Err(Error::specification("there is no system to test"));
        }
        self.run_by(buses.iter_mut().collect(), searched_side_by_side)
    }

    fn run_by<B: Bus + ?Sized>(self, buses: Vec<&mut B>, search: Search<B>) -> Result<Tested, Error> {
        let system = self.system;
        let rule = match self.rule.clone() {
            Some(rule) => rule,
            None => system.rule(&self.id).cloned().ok_or_else(|| {
                Error::specification(format!("`{}` has no property `{}`", system.name, self.id))
            })?,
        };
        match system.class(&rule) {
            Class::Testable => {}
            class => return Err(Error::specification(format!("`{}` is {class}", rule.id))),
        }
        let (guide, found) = guide(system, &rule, &self.axioms, self.guidance);
        let judges = Arc::new(Mutex::new(self.judges));
        let runner = |bus| Runner::new(system, Arc::clone(&rule), &guide, bus, Arc::clone(&judges));
        let mut runners: Vec<_> = buses.into_iter().map(runner).collect();
        let name = format!("{}.{}", system.name, rule.id);
        let is_virtual = runners.iter().all(|runner| runner.bus.is_virtual());
        let mut settings = budgeted(self.settings.random_only().without_explanation(), is_virtual);
        let budget = settings.budgeted();
        if rule.may_be_vacuous() {
            settings = settings.allow_vacuous();
        }
        let is_replay = settings.is_replay();
        runners.iter_mut().for_each(|runner| runner.is_replay = is_replay);
        // What was demanded by hand is not left out.
        let is_by_hand = system.schemas.iter().any(|(id, _)| *id == rule.id);
        let mut report = if is_by_hand {
            search(&mut runners, settings, &name)?
        } else {
            tested(&mut runners, search, settings, &name)?
        };
        // (What nobody has noticed by now is asked for before it is called good.)
        let late = match report.verdict.is_good() {
            true => runners.iter_mut().find_map(|runner| runner.bus.in_step().err()),
            false => None,
        };
        if let Some(trouble) = &late {
            report.verdict = Verdict::GaveUp(GaveUp::because(trouble.to_string(), report.verdict.cases()));
        }
        let sum = |count: fn(&Runner<'_, B>) -> u64| runners.iter().map(count).sum();
        let (drawn, refused, discarded) =
            (sum(|runner| runner.drawn), sum(|runner| runner.refused), sum(|runner| runner.discarded));
        let mut blamed: BTreeMap<String, u64> = BTreeMap::new();
        for (axiom, count) in
            runners.iter().flat_map(|runner| &runner.blamed).filter(|(id, _)| !id.is_empty())
        {
            *blamed.entry(axiom.clone()).or_default() += count;
        }
        let mut blamed: Vec<(String, u64)> = blamed.into_iter().collect();
        blamed.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut exercise = Exercise::default();
        runners.iter().for_each(|runner| exercise += runner.exercise);
        // (One trace that is run again need not show everything.)
        if !is_replay {
            let spoke = runners.iter().any(|runner| runner.spoke);
            report.never_exercised(exercise.never(&rule, Some(spoke)));
        }
        let kind = report.verdict.counterexample().map(|one| &one.kind);
        let met = kind.and_then(TroubleKind::of_failure).and_then(|kind| {
            runners.iter().flat_map(|runner| &runner.troubles).find(|trouble| trouble.kind == kind).cloned()
        });
        let kind = kind.map(|kind| &kind.0);
        let is_flaky = matches!(report.verdict, Verdict::Flaky(_)) && met.is_none();
        if is_flaky && runners.iter().any(|runner| runner.passed_afresh) {
            report.remarks.push(AFRESH.into());
        }
        let fatal = runners.iter().find_map(|runner| runner.fatal.clone());
        // (Who has shown it last is the first.)
        let lasts = runners.into_iter().next().map(|runner| runner.lasts).unwrap_or_default();
        // (Whoever asks for one trace wants to see it, whatever came of it.)
        let kind = kind.map(String::as_str).or(is_replay.then_some(""));
        let last =
            lasts.into_iter().rev().find(|(known, _)| Some(known.as_str()) == kind).map(|(_, last)| last);
        let (seen, violation, trouble) = match last {
            Some(last) => (Some(last.trace), last.violation, last.trouble),
            None => (None, None, None),
        };
        let clashes = found.into_iter().map(|(name, clash)| (name, clash.axioms, clash.why)).collect();
        Ok(Tested {
            rule,
            report,
            seen,
            violation,
            trouble: fatal.or(trouble).or(met).or(late),
            drawn,
            refused,
            blamed,
            discarded,
            exercise,
            clashes,
            budget,
        })
    }
}

/// How much is done for a property, if nobody says: what takes no time of its own is done for a while. What a trace is like does not depend on how
/// many there are.
fn budgeted(settings: Settings, is_virtual: bool) -> Settings {
    let settings = settings.limits(|limits| limits.size_steps = limits.size_steps.or(Some(SIZE_STEPS)));
    if is_virtual { settings.budget(TRACES_MIN, BUDGET) } else { settings }
}

/// What is said of a failure that a system does not show when it is started for it.
const AFRESH: &str = "it did not fail in a system that was started again: what is left of earlier runs may matter (a reset that is not complete)";

/// In virtual time, at least so many traces are drawn for a property.
const TRACES_MIN: u64 = 500;
/// And as many more as there is time for.
const BUDGET: Duration = Duration::from_secs(2);
/// After so many traces they are as large as they get.
const SIZE_STEPS: u64 = 10;

/// Looks for a failing trace.
type Search<B> = fn(&mut [Runner<'_, B>], Settings, &str) -> Result<Report, Error>;

/// Looks for a failing trace, and makes it small: as a plain list of messages, so that what a schema demands can be left out; if that does not
/// fail, as it was drawn.
fn tested<B: Bus + ?Sized>(
    runners: &mut [Runner<'_, B>],
    search: Search<B>,
    settings: Settings,
    name: &str,
) -> Result<Report, Error> {
    if settings.is_replay() {
        return searched(runners, settings, name);
    }
    let mut report = search(
        runners,
        settings.again().limits(|limits| (limits.shrinks_max, limits.failures_max) = (0, 1)),
        name,
    )?;
    let is_falsified = matches!(report.verdict, Verdict::Falsified(_));
    if !is_falsified || !settings.shrinks() {
        return Ok(report);
    }
    let Some(plain) = small::made_small(&mut runners[0], &settings, name)? else { return Ok(report) };
    report.time += plain.time;
    if runners[0].fatal.is_some() {
        return Ok(report);
    }
    match (&mut report.verdict, plain.verdict) {
        (Verdict::Falsified(found), Verdict::Falsified(plain))
            if plain.counterexample.kind == found.counterexample.kind =>
        {
            let before = std::mem::replace(&mut found.counterexample, plain.counterexample);
            found.counterexample.choices_before = before.choices_before;
            settings.keep_instead(name, &before, &mut found.counterexample);
            Ok(report)
        }
        // It needs its schema: the same trace again, shrunk as it is.
        _ => {
            let cases = report.verdict.cases() + 1;
            let again = searched(runners, settings.again().seed(report.seed).cases(cases), name)?;
            Ok(if again.verdict.counterexample().is_some() { again } else { report })
        }
    }
}

/// One trace after the other.
fn searched<B: Bus + ?Sized>(
    runners: &mut [Runner<'_, B>],
    settings: Settings,
    name: &str,
) -> Result<Report, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let runner = &mut runners[0];
    settings.until(Arc::clone(&stop)).report_outcomes(name, &mut |case| {
        let outcome = runner.run(case);
        if runner.fatal.is_some() {
            stop.store(true, Relaxed);
        }
        outcome
    })
}

/// Several traces at once, each on a system of its own.
fn searched_side_by_side<B: Bus + Send>(
    runners: &mut [Runner<'_, B>],
    settings: Settings,
    name: &str,
) -> Result<Report, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let count = runners.len();
    let free = Mutex::new(runners.iter_mut().collect());
    let report = settings.until(Arc::clone(&stop)).report_outcomes_shared(name, count, &|case| {
        let mut taken = Taken::from(&free);
        let runner = taken.runner.as_mut().expect("there are as many runners as threads");
        let outcome = runner.run(case);
        if runner.fatal.is_some() {
            stop.store(true, Relaxed);
        }
        outcome
    });
    // Who has shown a failure goes on with it.
    runners.sort_by_key(|runner| runner.lasts.is_empty());
    report
}

/// A runner that goes back to the free ones, whatever happens.
struct Taken<'f, R> {
    free: &'f Mutex<Vec<R>>,
    runner: Option<R>,
}

impl<'f, R> Taken<'f, R> {
    fn from(free: &'f Mutex<Vec<R>>) -> Taken<'f, R> {
        Taken { free, runner: free.lock().unwrap_or_else(PoisonError::into_inner).pop() }
    }
}

impl<R> Drop for Taken<'_, R> {
    fn drop(&mut self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).extend(self.runner.take());
    }
}

/// A trace as lines for people, with what is wrong with it by a property: what was sent, and what was seen on the channels that the property speaks of.
///
/// # Errors
/// If its times go back.
pub fn trace_lines(system: &System, rule: &Arc<Rule>, trace: &Trace) -> Result<Vec<String>, Error> {
    let mut monitors = Monitors::with_slack([Arc::clone(rule)], system.slack);
    trace.messages.iter().try_for_each(|message| monitors.see(Arc::clone(message)))?;
    monitors.pass_to(trace.end)?;
    Ok(lines::lines(system, rule, trace, monitors.judged()[0].violations))
}

/// What traces of a property are drawn by, and the schemas that clash with axioms.
fn guide(
    system: &System,
    rule: &Rule,
    axioms: &[Arc<Rule>],
    guidance: Guidance,
) -> (Guide, Vec<(String, Clash)>) {
    let inputs = system.inputs();
    if guidance == Guidance::Empty {
        return (Guide::unguided(axioms, inputs, system.policy.clone()), Vec::new());
    }
    let direction = |channel: &str| system.channel(channel).map(|channel| channel.direction);
    let by_hand: Vec<Schema> =
        system.schemas.iter().filter(|(id, _)| *id == rule.id).map(|(_, schema)| schema.clone()).collect();
    let all = if by_hand.is_empty() { specialised(rule, &direction) } else { by_hand };
    let (mut schemas, mut found) = (Vec::new(), Vec::new());
    for schema in all {
        match clashes(&schema, axioms).into_iter().next() {
            Some(clash) => found.push((schema.name.clone(), clash)),
            None => schemas.push(schema),
        }
    }
    if schemas.is_empty() {
        schemas.push(Schema::empty());
    }
    let mut guide = Guide::new(rule, &system.rules, axioms, inputs, schemas, system.policy.clone());
    guide.consumers = consumers(&guide.inputs, &system.outputs(), &system.policy);
    (guide, found)
}

impl SystemTest<'_> {
    /// Sends given messages, and judges what was seen: the trace, and what is wrong with it.
    ///
    /// # Errors
    /// If there is no such property, or the system is in trouble.
    pub fn run_trace(
        self,
        bus: &mut dyn Bus,
        inputs: &[Message],
    ) -> Result<(Trace, Option<Violation>), Error> {
        let missing =
            || Error::specification(format!("`{}` has no property `{}`", self.system.name, self.id));
        let rule = self.rule.clone().or_else(|| self.system.rule(&self.id).cloned()).ok_or_else(missing)?;
        let guide = Guide::unguided(&[], Vec::new(), self.system.policy.clone());
        let mut runner = Runner::new(self.system, rule, &guide, bus, Arc::default());
        let mut running = Running::default();
        let mut send = || -> Result<(), Trouble> {
            running.before = runner.bus.begin(&mut Case::random(0, 0))?;
            for message in inputs {
                runner.publish_unseen(&Arc::new(message.clone()), &mut running)?;
            }
            let end = running.end.saturating_add(runner.rest);
            running.end = runner.bus.pass(end, false, &mut running.seen)?.max(end);
            Ok(())
        };
        let sent = send();
        runner.bus.finish();
        sent.map_err(|trouble| Error::specification(trouble.to_string()))?;
        if let Err(Early::Trouble(trouble)) = runner.look(&mut running) {
            return Err(Error::specification(trouble.to_string()));
        }
        let end = running.end.max(running.seen.last().map_or(0, |last| last.at));
        let _ = runner.monitors.pass_to(end);
        let violation = runner.monitors.judged()[0].violations.first().cloned();
        Ok((Trace { before: running.before, messages: running.seen, end }, violation))
    }
}
