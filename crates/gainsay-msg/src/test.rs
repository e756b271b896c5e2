//! Tests of running systems: traces are drawn, sent, watched and judged, one after the other.

use crate::bus::{Bus, Trouble, TroubleKind};
use crate::classify::{Class, Direction};
use crate::draw::Drawing;
use crate::guide::Guide;
use crate::hpl::PatternKind;
use crate::monitor::{Judgement, Monitors, Violation};
use crate::rule::{EventRule, Rule};
use crate::schema::{Clash, Schema, Statement, base, clashes, specialised};
use crate::system::System;
use crate::time::{self, MS};
use crate::trace::{Message, Trace};
use gainsay_core::{Case, Error, Failure, Kind, Outcome, Report, Settings, Status, settings};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
    judge: Box<dyn FnMut(&Trace) -> Result<(), String>>,
}

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
    /// Traces that were drawn, and how many of them were thrown away, and why.
    pub drawn: u64,
    /// Traces that could not be drawn within the axioms.
    pub refused: u64,
    /// Runs that were thrown away since the inputs that were seen broke an axiom.
    pub discarded: u64,
    /// Schemas that cannot be followed within the axioms.
    pub clashes: Vec<(String, Vec<String>, String)>,
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
        judge: impl FnMut(&Trace) -> Result<(), String> + 'static,
    ) -> Self {
        self.judges.push(Judge { name: name.into(), judge: Box::new(judge) });
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// If there is no such property, or it cannot be tested.
    pub fn run(self, bus: &mut dyn Bus) -> Result<Tested, Error> {
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
        let mut runner = Runner::new(system, Arc::clone(&rule), &guide, bus, self.judges);
        let stop = Arc::new(AtomicBool::new(false));
        let name = format!("{}.{}", system.name, rule.id);
        let settings = self.settings.random_only().without_explanation().until(Arc::clone(&stop));
        let report = settings.report_outcomes(&name, &mut |case| {
            let outcome = runner.run(case);
            if runner.fatal.is_some() {
                stop.store(true, Relaxed);
            }
            outcome
        })?;
        let Runner { last, fatal, drawn, refused, discarded, .. } = runner;
        let failed = report.verdict.counterexample().is_some();
        let (seen, violation, trouble) = match last {
            Some(last) if failed => (Some(last.trace), last.violation, last.trouble),
            _ => (None, None, None),
        };
        let clashes = found.into_iter().map(|(name, clash)| (name, clash.axioms, clash.why)).collect();
        Ok(Tested {
            rule,
            report,
            seen,
            violation,
            trouble: fatal.or(trouble),
            drawn,
            refused,
            discarded,
            clashes,
        })
    }
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
    let guide = Guide::new(rule, &system.rules, axioms, inputs, schemas, system.policy.clone());
    (guide, found)
}

/// What was seen in the last run that was shown.
struct Last {
    trace: Trace,
    violation: Option<Violation>,
    trouble: Option<Trouble>,
}

struct Runner<'r> {
    system: &'r System,
    guide: &'r Guide,
    bus: &'r mut dyn Bus,
    axioms: Monitors,
    /// Axioms on what was really seen.
    observed: Monitors,
    monitors: Monitors,
    judges: Vec<Judge>,
    /// How long the system is watched after the last message.
    rest: u64,
    last: Option<Last>,
    /// What was seen in the last run that failed.
    recorded: Option<Trace>,
    fatal: Option<Trouble>,
    has_started: bool,
    drawn: u64,
    refused: u64,
    discarded: u64,
}

/// A run that ended early.
enum Early {
    /// Nothing follows from it.
    Refused(&'static str),
    /// The system is in trouble.
    Trouble(Trouble),
    /// Only the choices were wanted.
    Unjudged,
    /// It would not fail as the one before did.
    Foreseen,
}

impl From<Trouble> for Early {
    fn from(trouble: Trouble) -> Early {
        Early::Trouble(trouble)
    }
}

/// A run so far.
struct Running {
    seen: Vec<Arc<Message>>,
    /// So many of them have been judged.
    judged: usize,
    end: u64,
}

impl<'r> Runner<'r> {
    fn new(
        system: &'r System,
        rule: Arc<Rule>,
        guide: &'r Guide,
        bus: &'r mut dyn Bus,
        judges: Vec<Judge>,
    ) -> Runner<'r> {
        let bounds = guide.axioms.iter().map(|axiom| axiom.within).chain([rule.within]).flatten();
        // What has no bound may still need some time.
        let usual = if bus.is_virtual() { 1000 * MS } else { 500 * MS };
        let least = if rule.within.is_none() { usual } else { 0 };
        let rest = system.rest.unwrap_or_else(|| bounds.max().unwrap_or(usual).max(least) + system.slack);
        let slack = if bus.is_virtual() { 0 } else { system.slack };
        Runner {
            system,
            guide,
            bus,
            axioms: Monitors::new(guide.axioms.iter().cloned()),
            observed: Monitors::new(guide.axioms.iter().cloned()),
            monitors: Monitors::with_slack([rule], slack),
            judges,
            rest,
            last: None,
            recorded: None,
            fatal: None,
            has_started: false,
            drawn: 0,
            refused: 0,
            discarded: 0,
        }
    }

    fn run(&mut self, case: &mut Case) -> Outcome {
        self.monitors.reset();
        self.observed.reset();
        let mut running = Running { seen: Vec::new(), judged: 0, end: 0 };
        let outcome = match self.run_to_the_end(case, &mut running) {
            Ok(()) => self.judged(case, &mut running),
            Err(Early::Unjudged) => Outcome::of(Status::Unjudged),
            Err(Early::Foreseen) => Outcome::of(Status::Passed),
            Err(Early::Refused(why)) => {
                self.refused += 1;
                case.collect("refused", why);
                Outcome::of(Status::Rejected)
            }
            Err(Early::Trouble(trouble)) => self.troubled(case, running, trouble),
        };
        self.bus.finish();
        // There are always longer traces.
        Outcome { cut: true, ..outcome }
    }

    /// Makes the system as new.
    fn begin(&mut self, case: &mut Case) -> Result<(), Early> {
        let begun = case.span("system", |case| self.bus.begin(case));
        if let Err(trouble) = begun {
            if !self.has_started {
                self.fatal = Some(trouble.clone());
            }
            return Err(trouble.into());
        }
        self.has_started = true;
        Ok(())
    }

    /// Draws a trace and sends it, part after part, until all is sent and has come to rest, or a violation was seen.
    fn run_to_the_end(&mut self, case: &mut Case, running: &mut Running) -> Result<(), Early> {
        // What differs from run to run is drawn first; where time is real, nothing is, and a start may take long.
        let is_virtual = self.bus.is_virtual();
        let mut has_begun = is_virtual;
        if is_virtual {
            self.begin(case)?;
        }
        let mut drawing = Drawing::new(self.guide, &self.axioms);
        let schema = drawing.schema(case);
        self.drawn += 1;
        case.collect("schema", &schema.name);
        let mut statements = schema.statements.as_slice();
        loop {
            let await_at =
                statements.iter().position(|statement| matches!(statement, Statement::Await { .. }));
            let (part, rest) = statements.split_at(await_at.unwrap_or(statements.len()));
            let sent = drawing.part(case, part, rest.is_empty()).map_err(Early::Refused)?;
            if case.is_over() {
                return Err(Early::Refused("the case is over"));
            }
            // If nothing depends on the system any more, the choices are all there.
            if rest.is_empty() && !case.ready() {
                return Err(Early::Unjudged);
            }
            if !has_begun {
                if rest.is_empty() && !self.may_fail(&sent) {
                    return Err(Early::Foreseen);
                }
                self.begin(case)?;
                has_begun = true;
            }
            for message in &sent {
                self.bus.publish(message, &mut running.seen)?;
                running.end = running.end.max(message.at);
                if self.look(running)? {
                    return Ok(());
                }
            }
            let Some((Statement::Await { event }, rest)) = rest.split_first() else { break };
            if !self.await_event(event, &mut drawing, running)? {
                break;
            }
            statements = rest;
        }
        let end = running.end.saturating_add(self.rest);
        // A promise that nobody keeps any more ends the run before it is broken.
        let promised = drawing.promised_until();
        let end = promised.map_or(end, |until| end.min(until.saturating_sub(1))).max(running.end);
        running.end = self.bus.pass(end, false, &mut running.seen)?.max(end);
        self.look(running)?;
        Ok(())
    }

    /// Whether a smaller trace may fail as one before it did: it is judged with what the system said then. (A run in real time is dear, and most of what
    /// is tried while a failure shrinks need not be run.)
    fn may_fail(&mut self, inputs: &[Arc<Message>]) -> bool {
        let Some(recorded) = &self.recorded else { return true };
        let is_output = |message: &&Arc<Message>| {
            self.system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::Out)
        };
        let mut messages: Vec<Arc<Message>> = recorded.messages.iter().filter(is_output).cloned().collect();
        messages.extend(inputs.iter().cloned());
        messages.sort_by_key(|message| message.at);
        let end = inputs.last().map_or(0, |last| last.at).saturating_add(self.rest).max(recorded.end);
        self.monitors.reset();
        let seen = messages.into_iter().all(|message| self.monitors.see(message).is_ok());
        let _ = self.monitors.pass_to(end);
        let may_fail = !seen || self.monitors.judged()[0].judgement == Judgement::Violated;
        self.monitors.reset();
        may_fail
    }

    /// Waits for a message of the system; whether it came.
    fn await_event(
        &mut self,
        event: &EventRule,
        drawing: &mut Drawing<'_>,
        running: &mut Running,
    ) -> Result<bool, Early> {
        let until = running.end.saturating_add(self.guide.horizon.max(self.rest));
        loop {
            let from = running.seen.len();
            let now = self.bus.pass(until, true, &mut running.seen)?;
            running.end = running.end.max(now);
            drawing.pass_to(now);
            if self.look(running)? {
                return Ok(false);
            }
            let known = drawing.known();
            let mut new = running.seen[from..].iter();
            let found = new.find(|message| event.is_met(&message.channel, &message.value, known)).cloned();
            if let Some(message) = found {
                drawing.bind(event.slot, &message);
                return Ok(true);
            }
            if now >= until {
                return Ok(false);
            }
        }
    }

    /// Judges what is new; whether something is wrong already.
    fn look(&mut self, running: &mut Running) -> Result<bool, Early> {
        while running.judged < running.seen.len() {
            let place = running.judged;
            running.judged += 1;
            let message = Arc::clone(&running.seen[place]);
            let Some(channel) = self.system.channel(&message.channel) else {
                if self.system.ignores_undeclared {
                    continue;
                }
                return Err(Trouble::new(TroubleKind::Undeclared, format!("{message}")).into());
            };
            let message = if channel.direction == Direction::Out {
                let conformed = channel
                    .of
                    .conform(message.value.clone())
                    .map_err(|why| Trouble::new(TroubleKind::IllTyped, format!("{message}: {why}")))?;
                Arc::new(Message { value: conformed, ..(*message).clone() })
            } else {
                message
            };
            running.seen[place] = Arc::clone(&message);
            let clock = |error: Error| Trouble::new(TroubleKind::Clock, error.to_string());
            self.monitors.see(Arc::clone(&message)).map_err(clock)?;
            if channel.direction == Direction::In {
                self.observed.see(message).map_err(clock)?;
            }
        }
        Ok(self.monitors.is_violated() && self.judges.is_empty())
    }

    fn judged(&mut self, case: &mut Case, running: &mut Running) -> Outcome {
        // What was sent may have come later than it should have.
        if self.observed.is_violated() {
            self.discarded += 1;
            return Outcome::of(Status::Rejected);
        }
        let end = running.end.max(running.seen.last().map_or(0, |last| last.at));
        let _ = self.monitors.pass_to(end);
        let (judgement, violation) = {
            let judged = self.monitors.judged();
            (judged[0].judgement, judged[0].violations.first().cloned())
        };
        let trace = Trace { messages: std::mem::take(&mut running.seen), end };
        let mut failure = violation
            .as_ref()
            .map(|violation| Failure::new("", violation.to_string()).with_signature("violated"));
        if failure.is_none() {
            failure = self.judges.iter_mut().find_map(|judge| {
                let what = (judge.judge)(&trace).err()?;
                Some(Failure { kind: Kind(format!("judged by {}", judge.name)), ..Failure::new("", what) })
            });
        }
        let outcome = match (failure, judgement) {
            (Some(failure), _) => {
                if violation.is_some() && !self.bus.is_virtual() {
                    self.recorded = Some(trace.clone());
                }
                Outcome::failed(failure)
            }
            (None, Judgement::Pending { owed: true }) => Outcome::of(Status::Undefined),
            _ => Outcome::of(Status::Passed),
        };
        if case.is_shown() {
            self.tell(case, &trace, violation.as_ref());
            self.last = Some(Last { trace, violation, trouble: None });
        }
        outcome
    }

    fn troubled(&mut self, case: &mut Case, running: Running, trouble: Trouble) -> Outcome {
        let end = running.seen.last().map_or(running.end, |last| last.at);
        let trace = Trace { messages: running.seen, end };
        if case.is_shown() {
            self.tell(case, &trace, None);
            self.last = Some(Last { trace, violation: None, trouble: Some(trouble.clone()) });
        }
        if self.fatal.is_some() || trouble.kind == TroubleKind::Lost {
            // Nothing follows about the system: somebody else is gone.
            self.fatal.get_or_insert(trouble);
            return Outcome::of(Status::Undefined);
        }
        Outcome::failed(Failure::new("", trouble.to_string()).with_signature(trouble.kind.words()))
    }
}

/// More lines of a trace are not shown.
const SHOWN_MAX: usize = 60;

impl Runner<'_> {
    /// Shows what was sent, and what was seen on the channels that the property speaks of, up to what is wrong.
    fn tell(&self, case: &mut Case, trace: &Trace, violation: Option<&Violation>) {
        let rule = &self.monitors.monitors()[0].rule;
        lines(self.system, rule, trace, violation).into_iter().for_each(|line| case.tell(|| line));
    }
}

/// A trace as lines for people.
fn lines(system: &System, rule: &Rule, trace: &Trace, violation: Option<&Violation>) -> Vec<String> {
    let spoken_of = rule.channels();
    let cut = violation.map_or(u64::MAX, |violation| violation.at);
    let is_of_interest = |message: &&Arc<Message>| {
        let is_input =
            system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::In);
        message.at <= cut && (is_input || violation.is_none() || spoken_of.contains(&&*message.channel))
    };
    let shown: Vec<&Arc<Message>> = trace.messages.iter().filter(is_of_interest).collect();
    let times = shown.iter().map(|message| message.at).chain(violation.map(|violation| violation.at));
    let width = times.map(|at| time::shown_ms(at).len()).max().unwrap_or(1);
    let at = |at: u64| format!("@{:>width$} ms", time::shown_ms(at));
    let behaviour = violation.and_then(|violation| {
        violation.witness.iter().find(|witness| witness.role == crate::monitor::Role::Behaviour)
    });
    let mut lines = Vec::new();
    let is_same = |one: &Message, two: &Message| one.channel == two.channel && one.value == two.value;
    for (place, message) in shown.iter().enumerate() {
        if lines.len() >= SHOWN_MAX {
            lines.push(format!("… and {} more", shown.len() - place));
            break;
        }
        // What is said again and again is told at its beginning and at its end.
        let again = |other: Option<&&Arc<Message>>| other.is_some_and(|other| is_same(other, message));
        let before = place.checked_sub(1).and_then(|before| shown.get(before));
        if again(before) && again(shown.get(place + 1)) {
            let first_of_run = place < 2 || !is_same(shown[place - 2], message);
            if first_of_run {
                lines.push(format!("{:>width$}    …", "", width = width + 4));
            }
            continue;
        }
        let is_wrong = behaviour.is_some_and(|witness| witness.message == **message);
        let mark = match rule.kind {
            _ if !is_wrong => "",
            PatternKind::Requires => "    ← nothing before it allows it",
            _ => "    ← must not come",
        };
        lines.push(format!("{}    {} {}{mark}", at(message.at), message.channel, message.value));
    }
    if let Some(Violation { at: when, missing: Some(missing), .. }) = violation {
        lines.push(format!("{}    nothing on {missing} since", at(*when)));
    }
    lines
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
        let mut runner = Runner::new(self.system, rule, &guide, bus, Vec::new());
        let mut running = Running { seen: Vec::new(), judged: 0, end: 0 };
        let mut send = || -> Result<(), Trouble> {
            runner.bus.begin(&mut Case::random(0, 0))?;
            for message in inputs {
                runner.bus.publish(&Arc::new(message.clone()), &mut running.seen)?;
                running.end = running.end.max(message.at);
            }
            let end = running.end.saturating_add(runner.rest);
            running.end = runner.bus.pass(end, false, &mut running.seen)?.max(end);
            Ok(())
        };
        let sent = send();
        runner.bus.finish();
        sent.map_err(|trouble| Error::specification(trouble.to_string()))?;
        match runner.look(&mut running) {
            Err(Early::Trouble(trouble)) => return Err(Error::specification(trouble.to_string())),
            Ok(_) | Err(_) => {}
        }
        let end = running.end.max(running.seen.last().map_or(0, |last| last.at));
        let _ = runner.monitors.pass_to(end);
        let violation = runner.monitors.judged()[0].violations.first().cloned();
        Ok((Trace { messages: running.seen, end }, violation))
    }
}

/// The schemas of a property.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Schemas {
    /// What all counterexamples follow.
    pub base: Schema,
    /// The same, with what the axioms say.
    pub refined: Schema,
    /// Each for something else; together they are as good as the base one.
    pub specialised: Vec<Schema>,
    /// Those that cannot be followed: their name, the line, the axioms that clash with it, and why.
    pub clashes: Vec<(String, String, Vec<String>, String)>,
}

impl System {
    /// The schemas of a property.
    pub fn schemas_of(&self, rule: &Rule) -> Schemas {
        let direction = |channel: &str| self.channel(channel).map(|channel| channel.direction);
        let axioms = self.axioms();
        let base = base(rule, &direction);
        let refined = base.refined(&axioms);
        let mut all = specialised(rule, &direction);
        all.extend(self.schemas.iter().filter(|(id, _)| *id == rule.id).map(|(_, schema)| schema.clone()));
        let clash = |schema: &Schema| {
            let clash = clashes(schema, &axioms).into_iter().next()?;
            Some((schema.name.clone(), clash.line, clash.axioms, clash.why))
        };
        let clashes = std::iter::once(&base).chain(&all).filter_map(clash).collect();
        Schemas { base, refined, specialised: all, clashes }
    }
}
