//! Runs of one property: from a case to an outcome.

use super::Judge;
use super::features::Features;
use super::lines::lines;
use super::live::Live;
use crate::bus::{Bus, Trouble, TroubleKind};
use crate::classify::Direction;
use crate::draw::{Drawing, Nobody, Part, Refused};
use crate::guide::Guide;
use crate::monitor::{Exercise, Judgement, Monitors, Violation};
use crate::plain::{self, Planned};
use crate::rule::{EventRule, Rule};
use crate::schema::Statement;
use crate::system::System;
use crate::time::MS;
use crate::trace::{Message, Trace};
use gainsay_core::{Case, Error, Failure, Kind, Outcome, Status};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was seen in the last run that was shown.
pub(super) struct Last {
    pub(super) trace: Trace,
    pub(super) violation: Option<Violation>,
    pub(super) trouble: Option<Trouble>,
}

pub(super) struct Runner<'r, B: ?Sized> {
    pub(super) system: &'r System,
    guide: &'r Guide,
    pub(super) bus: &'r mut B,
    axioms: Monitors,
    /// Axioms on what was really seen.
    observed: Monitors,
    pub(super) monitors: Monitors,
    judges: Arc<Mutex<Vec<Judge>>>,
    /// How long the system is watched after the last message.
    pub(super) rest: u64,
    /// The first trouble of each kind: what is not seen again when it is to be shown was trouble all the same.
    pub(super) troubles: Vec<Trouble>,
    /// By kind of failure: what was seen when it was shown last.
    pub(super) lasts: Vec<(String, Last)>,
    /// The choices that were made before its trace was drawn.
    prefix: Option<Vec<u64>>,
    /// A failure is made small: no trace follows a schema.
    pub(super) is_plain: bool,
    /// One trace is run again, and wanted whatever comes of it.
    pub(super) is_replay: bool,
    /// What was seen in the last run that failed.
    recorded: Option<Trace>,
    pub(super) fatal: Option<Trouble>,
    /// What was to be shown as a failure did not fail in a system that was started for it.
    pub(super) passed_afresh: bool,
    /// What traces show leads to others.
    is_led: bool,
    /// What is run from now on makes it small.
    has_failed: bool,
    pub(super) drawn: u64,
    pub(super) refused: u64,
    /// How many of them because of which axiom; of none, if it is not known.
    pub(super) blamed: BTreeMap<String, u64>,
    pub(super) discarded: u64,
    /// How often the property was put to the test in runs that did not fail, and whether the system said anything in them.
    pub(super) exercise: Exercise,
    pub(super) spoke: bool,
}

/// A run that ended early.
pub(super) enum Early {
    /// Nothing follows from it.
    Refused(Refused),
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
#[derive(Default)]
pub(super) struct Running {
    /// What was said before the start.
    pub(super) before: Vec<Arc<Message>>,
    pub(super) seen: Vec<Arc<Message>>,
    /// So many of ours were sent.
    published: usize,
    /// Those of them that were not seen on the bus yet.
    unseen: Vec<Arc<Message>>,
    /// So many of them have been waited for, or came before.
    awaited: usize,
    /// So many of them have been judged.
    pub(super) judged: usize,
    pub(super) end: u64,
    /// One of the messages of the system is none: what follows it was not judged.
    is_spoilt: bool,
    /// What it has shown.
    features: Features,
}

/// How long the system is watched after the last message: as long as the property and the axioms need; where the property has no bound, as long as any
/// property of the system does, and a while at least.
fn rest(system: &System, rule: &Rule, axioms: &[Arc<Rule>], is_virtual: bool) -> u64 {
    if let Some(rest) = system.rest {
        return rest;
    }
    let usual = if is_virtual { 1000 * MS } else { 500 * MS };
    let own = axioms.iter().map(|axiom| axiom.within).chain([rule.within]).flatten().max();
    let all = system.rules.iter().filter_map(|rule| rule.within).max();
    let rest = match rule.within {
        Some(_) => own,
        None => own.max(all).max(Some(usual)),
    };
    rest.unwrap_or(usual) + system.slack
}

/// What became of messages that were to be sent.
enum Sent {
    /// Something is wrong already.
    Wrong,
    /// What was waited for has come.
    UntilItCame,
    /// They were.
    All,
}

impl<'r, B: Bus + ?Sized> Runner<'r, B> {
    pub(super) fn new(
        system: &'r System,
        rule: Arc<Rule>,
        guide: &'r Guide,
        bus: &'r mut B,
        judges: Arc<Mutex<Vec<Judge>>>,
    ) -> Runner<'r, B> {
        let rest = rest(system, &rule, &guide.axioms, bus.is_virtual());
        let slack = if bus.is_virtual() { 0 } else { system.slack };
        Runner {
            system,
            guide,
            bus,
            axioms: Monitors::new(guide.axioms.iter().cloned()),
            // (Our own messages come late as well.)
            observed: Monitors::with_slack(guide.axioms.iter().cloned(), slack),
            monitors: Monitors::with_slack([rule], slack),
            judges,
            rest,
            lasts: Vec::new(),
            troubles: Vec::new(),
            prefix: None,
            is_plain: false,
            is_replay: false,
            recorded: None,
            fatal: None,
            passed_afresh: false,
            is_led: false,
            has_failed: false,
            drawn: 0,
            refused: 0,
            blamed: BTreeMap::new(),
            discarded: 0,
            exercise: Exercise::default(),
            spoke: false,
        }
    }

    pub(super) fn run(&mut self, case: &mut Case) -> Outcome {
        self.monitors.reset();
        self.observed.reset();
        // (What takes real time is seldom the same twice.)
        self.is_led = self.guide.leads && self.bus.is_virtual() && !self.is_plain;
        let mut running = Running::default();
        let outcome = match self.run_to_the_end(case, &mut running) {
            Ok(()) => self.judged(case, &mut running),
            Err(Early::Unjudged) => Outcome::of(Status::Unjudged),
            Err(Early::Foreseen) => Outcome::of(Status::Passed),
            Err(Early::Refused(Refused { why, axiom })) => {
                if !self.has_failed {
                    self.refused += 1;
                    let axiom = axiom.map_or_else(String::new, |axiom| axiom.id.clone());
                    *self.blamed.entry(axiom).or_default() += 1;
                }
                case.collect("refused", why);
                Outcome::of(Status::Rejected)
            }
            // What was wrong before the trouble is wrong all the same.
            Err(Early::Trouble(_)) if self.fatal.is_none() && self.was_violated(&mut running) => {
                self.judged(case, &mut running)
            }
            Err(Early::Trouble(trouble)) => self.troubled(case, running, trouble),
        };
        self.bus.finish();
        self.passed_afresh |= case.is_shown() && self.has_failed && outcome.status == Status::Passed;
        self.has_failed |= outcome.failure.is_some();
        // There are always longer traces.
        Outcome { cut: true, ..outcome }
    }

    fn judges(&self) -> MutexGuard<'_, Vec<Judge>> {
        self.judges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the system as new.
    fn begin(&mut self, case: &mut Case, running: &mut Running) -> Result<(), Early> {
        if case.is_shown() {
            self.bus.start_again();
        }
        match case.span("system", |case| self.bus.begin(case)) {
            Ok(before) => running.before = before,
            Err(trouble) => {
                // What keeps a system from starting, or from being as new, is nothing that it was sent.
                self.fatal = Some(trouble.clone());
                return Err(trouble.into());
            }
        }
        Ok(())
    }

    /// Draws a trace and sends it, part after part, until all is sent and has come to rest, or a violation was seen.
    fn run_to_the_end(&mut self, case: &mut Case, running: &mut Running) -> Result<(), Early> {
        // What differs from run to run is drawn first; where nothing does, only what is judged is started. In virtual time, what the system says is
        // listened to while the trace is drawn.
        let is_live = self.bus.is_virtual();
        let mut has_begun = self.bus.draws();
        if has_begun {
            self.begin(case, running)?;
        }
        if case.is_shown() {
            self.prefix = Some(case.record().choices.iter().map(|choice| choice.value).collect());
        }
        let mut drawing = Drawing::new(self.guide, &self.axioms);
        // Random traces follow a schema; what they found is made small without one.
        if case.index_weighted(&[0, 1]) == 0 {
            return self.run_plain(case, running, &mut drawing);
        }
        if self.is_plain {
            return Err(Early::Refused("a plain trace is wanted".into()));
        }
        let schema = drawing.schema(case, is_live);
        self.drawn += u64::from(!self.has_failed);
        case.collect("schema", &schema.name);
        let mut statements = schema.statements.as_slice();
        loop {
            let await_at =
                statements.iter().position(|statement| matches!(statement, Statement::Await { .. }));
            let (part, rest) = statements.split_at(await_at.unwrap_or(statements.len()));
            if is_live && !has_begun {
                self.begin(case, running)?;
                has_begun = true;
            }
            let part = if is_live {
                let mut live = Live { runner: self, running, early: None };
                let part = drawing.part(case, part, rest.is_empty(), &mut live);
                live.early.map_or(Ok(()), Err)?;
                part
            } else {
                drawing.part(case, part, rest.is_empty(), &mut Nobody)
            };
            let part = part.map_err(Early::Refused)?;
            if case.is_over() {
                return Err(Early::Refused("the case is over".into()));
            }
            if drawing.is_over {
                return Ok(());
            }
            // If nothing depends on the system any more, the choices are all there.
            if rest.is_empty() && !is_live && !case.ready() {
                return Err(Early::Unjudged);
            }
            if !has_begun {
                if rest.is_empty() && !self.may_fail(&part.messages) {
                    return Err(Early::Foreseen);
                }
                self.begin(case, running)?;
                has_begun = true;
            }
            let awaited = match rest.first() {
                Some(Statement::Await { event }) => Some(event),
                _ => None,
            };
            match self.send(&part, awaited, &mut drawing, running)? {
                Sent::Wrong => return Ok(()),
                Sent::All => return self.rest(&drawing, running),
                Sent::UntilItCame => statements = &rest[1..],
            }
            // (In virtual time, what is sent at one instant comes before timers: now they have fired.)
            drawing.pass_to(if is_live { (running.end / MS + 1) * MS } else { running.end });
        }
    }

    /// Sends the messages of a part. If something is waited for behind them, those that need not be sent are sent until it comes.
    fn send(
        &mut self,
        part: &Part,
        awaited: Option<&EventRule>,
        drawing: &mut Drawing<'_>,
        running: &mut Running,
    ) -> Result<Sent, Early> {
        let after = running.published + part.demanded;
        for (place, message) in part.messages.iter().enumerate() {
            // (What is sent at one time is sent at once.)
            let is_later = place >= part.demanded && message.at > running.end;
            if let Some(event) = awaited.filter(|_| is_later) {
                if self.watch(event, after, message.at - 1, drawing, running)? {
                    drawing.cut(place);
                    return Ok(Sent::UntilItCame);
                }
                if self.is_wrong() {
                    return Ok(Sent::Wrong);
                }
            }
            if self.publish(message, running)? {
                return Ok(Sent::Wrong);
            }
        }
        let Some(event) = awaited else { return Ok(Sent::All) };
        // A promise that nobody keeps any more is not waited for.
        let promised = drawing.promised_until().map_or(u64::MAX, |until| until.saturating_sub(1));
        let until = running.end.saturating_add(drawing.horizon.max(self.rest)).min(promised).max(running.end);
        let has_come = self.watch(event, after, until, drawing, running)?;
        Ok(if has_come { Sent::UntilItCame } else { Sent::All })
    }

    /// Sends a message; whether something is wrong already.
    pub(super) fn publish(&mut self, message: &Arc<Message>, running: &mut Running) -> Result<bool, Early> {
        self.publish_unseen(message, running)?;
        self.look(running)
    }

    /// Sends a message, and does not look at what comes of it.
    pub(super) fn publish_unseen(
        &mut self,
        message: &Arc<Message>,
        running: &mut Running,
    ) -> Result<(), Trouble> {
        running.published += 1;
        running.unseen.push(Arc::clone(message));
        self.bus.publish(message, &mut running.seen)?;
        running.end = running.end.max(message.at);
        Ok(())
    }

    /// The same with a plain list of messages.
    fn run_plain(
        &mut self,
        case: &mut Case,
        running: &mut Running,
        drawing: &mut Drawing<'_>,
    ) -> Result<(), Early> {
        let form = self.form();
        let planned = plain::draw(case, &form);
        let sent: Vec<Arc<Message>> = planned.iter().map(|planned| Arc::clone(&planned.message)).collect();
        let takes = planned.iter().any(Planned::takes);
        if !takes {
            drawing.send_all(&sent).map_err(Early::Refused)?;
        }
        if case.is_over() {
            return Err(Early::Refused("the case is over".into()));
        }
        if !case.ready() {
            return Err(Early::Unjudged);
        }
        if !self.bus.draws() {
            if !self.may_fail(&sent) {
                return Err(Early::Foreseen);
            }
            self.begin(case, running)?;
        }
        if takes {
            return self.send_filled(&planned, drawing, running);
        }
        let part = Part { demanded: sent.len(), messages: sent };
        match self.send(&part, None, drawing, running)? {
            Sent::Wrong => Ok(()),
            _ => self.rest(drawing, running),
        }
    }

    /// Sends a plain list, some of whose messages take what the system has produced by then.
    fn send_filled(
        &mut self,
        planned: &[Planned],
        drawing: &mut Drawing<'_>,
        running: &mut Running,
    ) -> Result<(), Early> {
        for planned in planned {
            let mut message = Arc::clone(&planned.message);
            if planned.takes() {
                // (All that comes before it has been said.)
                let until = message.at.saturating_sub(1) / MS * MS;
                if self.catch_up(running)? || until > running.end && self.pass(until, running)? {
                    return Ok(());
                }
                message = planned.filled(&self.form(), &running.seen);
            }
            drawing.send_all(std::slice::from_ref(&message)).map_err(Early::Refused)?;
            if self.publish(&message, running)? {
                return Ok(());
            }
        }
        self.rest(drawing, running)
    }

    /// Lets time pass until then; whether something is wrong already.
    fn pass(&mut self, until: u64, running: &mut Running) -> Result<bool, Early> {
        running.end = self.bus.pass(until, false, &mut running.seen)?.max(running.end);
        self.look(running)
    }

    /// Hears what the system says to all that it was sent, at the time it is; whether something is wrong already.
    pub(super) fn catch_up(&mut self, running: &mut Running) -> Result<bool, Early> {
        if running.unseen.is_empty() {
            return Ok(false);
        }
        let now = self.bus.pass(running.end, true, &mut running.seen)?;
        running.end = running.end.max(now);
        self.look(running)
    }

    /// What a plain list is made of.
    fn form(&self) -> plain::Form<'r> {
        // (In real time, all is sent as it was drawn.)
        let consumers = self.bus.is_virtual().then_some(&self.guide.consumers);
        plain::Form { inputs: &self.guide.inputs, policy: &self.guide.policy, consumers }
    }

    /// Watches the system until the last bound is over.
    fn rest(&mut self, drawing: &Drawing<'_>, running: &mut Running) -> Result<(), Early> {
        // (In real time, what was sent was sent a little later than it was meant to be.)
        let is_ours = |message: &&Arc<Message>| {
            self.system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::In)
        };
        let last = running.seen.iter().rev().find(is_ours).map_or(0, |message| message.at);
        let end = running.end.max(last).saturating_add(self.rest);
        // A promise that nobody keeps any more ends the run before it is broken.
        let promised = drawing.promised_until();
        let end = promised.map_or(end, |until| end.min(until.saturating_sub(1))).max(running.end);
        running.end = self.bus.pass(end, false, &mut running.seen)?.max(end);
        self.look(running)?;
        Ok(())
    }

    /// The inputs of the last run that was shown, as a plain list.
    pub(super) fn last_inputs(&self) -> Option<Vec<Planned>> {
        Some(self.form().planned(&self.lasts.last()?.1.trace.messages))
    }

    /// The choices that make given inputs, as a plain list of messages, after what was drawn for the last run that was shown.
    pub(super) fn plainly(&self, inputs: &[Planned]) -> Option<Vec<u64>> {
        let mut numbers = self.prefix.clone()?;
        numbers.push(0);
        numbers.extend(plain::numbers(inputs, &self.form())?);
        Some(numbers)
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

    /// Watches the system until then, for a message of it behind so many of ours; whether it came.
    fn watch(
        &mut self,
        event: &EventRule,
        after: usize,
        until: u64,
        drawing: &mut Drawing<'_>,
        running: &mut Running,
    ) -> Result<bool, Early> {
        loop {
            let now = self.bus.pass(until, true, &mut running.seen)?;
            running.end = running.end.max(now);
            if self.look(running)? {
                return Ok(false);
            }
            let mut ours = 0;
            let found = running.seen.iter().enumerate().position(|(place, message)| {
                let channel = self.system.channel(&message.channel);
                let is_ours = channel.is_some_and(|channel| channel.direction == Direction::In);
                ours += usize::from(is_ours);
                let is_new = place >= running.awaited && ours >= after && !is_ours;
                is_new && event.is_met(&message.channel, &message.value, drawing.known())
            });
            if let Some(place) = found {
                running.awaited = place + 1;
                drawing.bind(event.slot, &running.seen[place]);
                return Ok(true);
            }
            if now >= until {
                return Ok(false);
            }
        }
    }

    /// On inputs nobody speaks but we.
    fn check_sender(&self, message: &Message, running: &mut Running) -> Result<(), Trouble> {
        let channel = self.system.channel(&message.channel);
        if channel.is_none_or(|channel| channel.direction != Direction::In) {
            return Ok(());
        }
        // (Nothing of ours is seen before its time; a value may come back in another form.)
        let is_it = |sent: &Arc<Message>| sent.channel == message.channel && sent.at <= message.at;
        match running.unseen.iter().position(is_it) {
            Some(place) => drop(running.unseen.remove(place)),
            None if self.system.ignores_undeclared => {}
            None => {
                let what =
                    format!("{message}: `{}` is declared as an input, on which tests send", message.channel);
                return Err(Trouble::new(TroubleKind::Undeclared, what));
            }
        }
        Ok(())
    }

    /// Whether there is nothing more to be seen.
    fn is_wrong(&mut self) -> bool {
        self.judges().is_empty() && self.monitors.is_violated()
    }

    /// Judges what is new; whether something is wrong already.
    pub(super) fn look(&mut self, running: &mut Running) -> Result<bool, Early> {
        let looked = self.look_at_each(running);
        running.is_spoilt |= looked.is_err();
        looked
    }

    fn look_at_each(&mut self, running: &mut Running) -> Result<bool, Early> {
        while running.judged < running.seen.len() {
            let place = running.judged;
            running.judged += 1;
            let message = Arc::clone(&running.seen[place]);
            self.check_sender(&message, running)?;
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
            if self.is_led {
                let monitor = &self.monitors.monitors()[0];
                running.features.see(self.system, &message, &self.guide.worth.numbers, monitor);
            }
            if channel.direction == Direction::In {
                self.observed.see(message).map_err(clock)?;
            }
        }
        Ok(self.is_wrong())
    }

    /// Whether something was wrong already when the system got into trouble, by what it has said: what it was told after that, and when, it may never
    /// have heard of.
    fn was_violated(&mut self, running: &mut Running) -> bool {
        if running.is_spoilt {
            // It was not answered, say, since the answer was no message: that is the trouble.
            let was_violated = self.monitors.is_violated();
            if was_violated {
                running.seen.truncate(running.judged - 1);
            }
            return was_violated;
        }
        let is_said = |message: &Arc<Message>| {
            self.system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::Out)
        };
        let said = running.seen.iter().rposition(is_said).map_or(0, |last| last + 1).max(running.judged);
        let mut told_after = running.seen.split_off(said);
        // (It may be in trouble again after that.)
        let _ = self.look(running);
        let was_violated = self.monitors.is_violated();
        if !was_violated {
            running.seen.append(&mut told_after);
        }
        was_violated
    }

    /// Whether the system said it.
    fn is_of_system(&self, message: &Message) -> bool {
        self.system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::Out)
    }

    fn judged(&mut self, case: &mut Case, running: &mut Running) -> Outcome {
        // What was sent may have come later than it should have.
        let _ = self.observed.pass_to(running.end);
        if self.observed.is_violated() {
            self.discarded += u64::from(!self.has_failed);
            return Outcome::of(Status::Rejected);
        }
        if self.is_led {
            std::mem::take(&mut running.features).tell(case);
        }
        let end = running.end.max(running.seen.last().map_or(0, |last| last.at));
        let _ = self.monitors.pass_to(end);
        let (judgement, violation, exercise) = {
            let judged = self.monitors.judged();
            (judged[0].judgement, judged[0].violations.first().cloned(), judged[0].exercise)
        };
        let trace = Trace {
            before: std::mem::take(&mut running.before),
            messages: std::mem::take(&mut running.seen),
            end,
        };
        let mut failure = violation
            .as_ref()
            .map(|violation| Failure::new("", violation.to_string()).with_signature("violated"));
        if failure.is_none() {
            failure = self.judges().iter_mut().find_map(|judge| {
                let what = (judge.judge)(&trace).err()?;
                Some(Failure { kind: Kind(format!("judged by {}", judge.name)), ..Failure::new("", what) })
            });
        }
        if failure.is_some()
            && let Err(trouble) = self.bus.in_step()
        {
            let (before, seen) = (trace.before, trace.messages);
            return self.troubled(case, Running { before, seen, end, ..Running::default() }, trouble);
        }
        let outcome = match (failure, judgement) {
            (Some(failure), _) => {
                if violation.is_some() && !self.bus.is_virtual() {
                    self.recorded = Some(trace.clone());
                }
                Outcome::failed(failure)
            }
            (None, judgement) => {
                self.exercise += exercise;
                self.spoke |= trace.messages.iter().any(|message| self.is_of_system(message));
                let is_owed = judgement == Judgement::Pending { owed: true };
                Outcome::of(if is_owed { Status::Undefined } else { Status::Passed })
            }
        };
        if case.is_shown() || self.is_replay {
            self.tell(case, &trace, violation.as_ref());
            let kind = outcome.failure.as_ref().map_or_else(String::new, |failure| failure.kind.0.clone());
            self.lasts.push((kind, Last { trace, violation, trouble: None }));
        }
        outcome
    }

    fn troubled(&mut self, case: &mut Case, running: Running, trouble: Trouble) -> Outcome {
        let end = running.seen.last().map_or(running.end, |last| last.at);
        let trace = Trace { before: running.before, messages: running.seen, end };
        if !self.troubles.iter().any(|known| known.kind == trouble.kind) {
            self.troubles.push(trouble.clone());
        }
        if case.is_shown() {
            self.tell(case, &trace, None);
            let last = Last { trace, violation: None, trouble: Some(trouble.clone()) };
            self.lasts.push((trouble.kind.words().to_string(), last));
        }
        if self.fatal.is_some() || trouble.kind == TroubleKind::Lost {
            // Nothing follows about the system: somebody else is gone.
            self.fatal.get_or_insert(trouble);
            return Outcome::of(Status::Undefined);
        }
        Outcome::failed(Failure::new("", trouble.to_string()).with_signature(trouble.kind.words()))
    }
}

impl<B: Bus + ?Sized> Runner<'_, B> {
    /// Shows what was sent and seen, and what is wrong with it.
    fn tell(&self, case: &mut Case, trace: &Trace, violation: Option<&Violation>) {
        let monitor = &self.monitors.monitors()[0];
        let violations = if violation.is_some() { monitor.violations.as_slice() } else { &[] };
        lines(self.system, &monitor.rule, trace, violations).into_iter().for_each(|line| case.tell(|| line));
    }
}
