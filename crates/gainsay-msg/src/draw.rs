//! Traces of inputs, drawn by a guide: first the messages that a schema demands, then others between them; and axioms are kept.

mod axioms;
mod listener;

pub(crate) use axioms::Refused;
pub(crate) use listener::{Listener, Nobody};

use self::axioms::{axiom_wishes, release, wish};
use crate::construct::{Favoured, Wish, construct};
use crate::guide::Guide;
use crate::hpl::PatternKind;
use crate::monitor::{Monitor, Monitors};
use crate::rule::EventRule;
use crate::schema::{Schema, Statement};
use crate::term::{Messages, Slot, Term};
use crate::time::MS;
use crate::trace::Message;
use crate::types::Type;
use crate::value::Value;
use crate::worth::each_value;
use gainsay_core::Case;
use std::sync::Arc;

/// A trace that is being drawn.
pub(crate) struct Drawing<'g> {
    guide: &'g Guide,
    /// The judges of the axioms, who have seen all that was sent.
    axioms: Monitors,
    sent: Vec<Arc<Message>>,
    /// What the system has said so far, as far as it was listened to.
    heard: Vec<Arc<Message>>,
    /// Nothing more is to be sent.
    pub(crate) is_over: bool,
    /// Whether the trace favours channels that the property speaks of.
    is_focused: bool,
    /// Whether the system is heard before a message that may take what it has produced.
    is_attentive: bool,
    /// Messages besides those that must be sent, before each of these.
    others_max: usize,
    /// The messages that later ones may speak of.
    bound: [Option<Arc<Message>>; Slot::COUNT],
    now: u64,
    /// How far apart messages are at most where nothing says otherwise.
    pub(crate) horizon: u64,
    /// The axioms, how much was sent, and the time, when the last part began.
    begun: Option<(Monitors, usize, u64)>,
}

/// The messages of a part of a schema.
pub(crate) struct Part {
    pub(crate) messages: Vec<Arc<Message>>,
    /// So many of them are there for the sake of the schema; others come behind. (What was sent while it was drawn is not among them.)
    pub(crate) demanded: usize,
}

/// A message that must be sent.
struct Demanded {
    message: Arc<Message>,
    slot: Slot,
}

/// Some traces are so many times longer than others.
const LONG: usize = 4;

/// What is sent after the last one that must be: this many messages at most to keep promises.
const PROMISES_MAX: usize = 24;

impl<'g> Drawing<'g> {
    pub(crate) fn new(guide: &'g Guide, axioms: &Monitors) -> Drawing<'g> {
        let mut axioms = axioms.clone();
        axioms.reset();
        let bound = [const { None }; Slot::COUNT];
        Drawing {
            guide,
            axioms,
            sent: Vec::new(),
            heard: Vec::new(),
            is_over: false,
            is_focused: false,
            is_attentive: false,
            others_max: guide.others_max,
            bound,
            now: 0,
            horizon: guide.horizons[0],
            begun: None,
        }
    }

    /// Chooses one of the schemas, and how long the trace may be. `is_quick`: time costs nothing.
    pub(crate) fn schema(&mut self, case: &mut Case, is_quick: bool) -> &'g Schema {
        let count = self.guide.schemas.len();
        let place = if count > 1 { case.index(count) } else { 0 };
        // (Most of what a property speaks of happens within its own bound; and some of it needs a state that takes longer.)
        let [own, largest] = self.guide.horizons;
        let weights: &[u32] = if is_quick { &[4, 2, 2] } else { &[3, 1] };
        if largest > own || is_quick {
            let manner = case.index_weighted(weights);
            self.horizon = if manner == 0 { own } else { largest };
            if manner == 2 {
                self.horizon = largest.saturating_mul(LONG as u64);
                self.others_max *= LONG;
            }
        }
        // (What matters may be on any channel: swarm testing, Groce et al. 2012.)
        self.is_focused = case.index_weighted(&[3, 1]) == 1;
        // (To hear a system takes time, of a program in another process most of all.)
        self.is_attentive = is_quick && !self.guide.consumers.is_empty() && case.flag();
        &self.guide.schemas[place]
    }

    /// A message of the system that later ones may speak of.
    pub(crate) fn bind(&mut self, slot: Slot, message: &Arc<Message>) {
        self.bound[slot as usize] = Some(Arc::clone(message));
    }

    /// Time has passed, while the system was waited for.
    pub(crate) fn pass_to(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    /// The messages of the system so far, of which the end of a scope or a condition may speak.
    pub(crate) fn known(&self) -> Messages<'_> {
        let mut messages: Messages<'_> = [None; Slot::COUNT];
        for (place, message) in self.bound.iter().enumerate() {
            messages[place] = message.as_ref().map(|message| &message.value);
        }
        messages
    }

    /// When the first promise of an axiom is broken that was not kept, after all that was sent.
    pub(crate) fn promised_until(&self) -> Option<u64> {
        self.axioms.monitors().iter().filter_map(Monitor::promise).map(|(at, _)| at).min()
    }

    /// Takes account of messages that were drawn elsewhere, if they keep the axioms.
    pub(crate) fn send_all(&mut self, messages: &[Arc<Message>]) -> Result<(), Refused> {
        messages.iter().for_each(|message| self.send(Arc::clone(message), &mut Nobody));
        self.unbroken()
    }

    /// Draws the messages of a part of a schema that has nothing to wait for before its end, and sends them if there is somebody who listens: all
    /// of them if it is the last part, and otherwise those that must be sent before what is waited for.
    pub(crate) fn part(
        &mut self,
        case: &mut Case,
        statements: &[Statement],
        is_last: bool,
        system: &mut dyn Listener,
    ) -> Result<Part, Refused> {
        let is_sent = system.is_there();
        let mut begun = self.begin_part(is_last);
        let demanded = self.demanded(case, statements)?;
        let mut forbidden: Vec<&EventRule> = Vec::new();
        let mut next = 0;
        for statement in statements {
            match statement {
                Statement::Forbid(event) => forbidden.push(event),
                Statement::Await { .. } => {}
                Statement::Publish { .. } => {
                    let message = Arc::clone(&demanded[next].message);
                    self.others(case, &forbidden, message.at, &demanded[next..], system);
                    if !self.keep_promises(case, message.at, system) {
                        return Err(Refused::by(self.promising(), "what it promises cannot be sent in time"));
                    }
                    self.send(message, system);
                    self.bound[demanded[next].slot as usize] = Some(Arc::clone(&demanded[next].message));
                    forbidden.clear();
                    next += 1;
                }
            }
        }
        if is_sent && !is_last {
            begun = self.begin_part(false);
        }
        // What the system is waited for may need something to answer to.
        let count = self.sent.len() - begun;
        let system: &mut dyn Listener = if is_last { system } else { &mut Nobody };
        self.others(case, &forbidden, self.now + self.horizon, &[], system);
        self.keep_promises(case, if is_last { u64::MAX } else { self.now + self.horizon }, system);
        let _ = self.axioms.pass_to(self.now);
        self.unbroken()?;
        let is_sent = is_sent && is_last;
        let messages = if is_sent { Vec::new() } else { self.sent[begun..].to_vec() };
        Ok(Part { messages, demanded: if is_sent { 0 } else { count } })
    }

    /// From here on messages may have to be taken back, unless they are the last ones. How many were sent before.
    fn begin_part(&mut self, is_last: bool) -> usize {
        let begun = self.sent.len();
        self.begun = (!is_last).then(|| (self.axioms.clone(), begun, self.now));
        begun
    }

    /// Only so many messages of the last part were sent: what was waited for came before the others.
    pub(crate) fn cut(&mut self, count: usize) {
        let Some((axioms, begun, now)) = self.begun.take() else { return };
        let sent = self.sent.split_off(begun);
        (self.axioms, self.now) = (axioms, now);
        sent.into_iter().take(count).for_each(|message| self.send(message, &mut Nobody));
    }

    fn send(&mut self, message: Arc<Message>, system: &mut dyn Listener) {
        if self.is_over {
            return;
        }
        self.now = self.now.max(message.at);
        // (Times do not go back: messages are sent in their order.)
        let _ = self.axioms.see(Arc::clone(&message));
        self.is_over = !system.send(&message, &mut self.heard);
        self.sent.push(message);
    }

    /// First the messages that must be sent, each at its time.
    fn demanded(&mut self, case: &mut Case, statements: &[Statement]) -> Result<Vec<Demanded>, Refused> {
        let mut demanded = Vec::new();
        let mut axioms = self.axioms.clone();
        let mut bound = self.bound.clone();
        let mut now = self.now;
        for statement in statements {
            let Statement::Publish { least, most, event } = statement else { continue };
            let least_ms = least.div_ceil(MS);
            let most_ms = most.map_or(least_ms + self.horizon / MS, |most| (most - 1) / MS).max(least_ms);
            let (low, high) = (i128::from(least_ms), i128::from(most_ms));
            let worth = || {
                let mut worth = if now == self.now { self.delays() } else { self.guide.delays_ms.clone() };
                worth.extend([low, low + 1, high - 1, high]);
                worth
            };
            let delay = case.span("delay", |case| case.int_favouring_by(low..=high, worth));
            let mut at = now + delay as u64 * MS;
            let place = if event.alternatives.len() > 1 { case.index(event.alternatives.len()) } else { 0 };
            let alternative = &event.alternatives[place];
            let value = loop {
                let _ = axioms.pass_to(at);
                let known = messages(&bound);
                let mut wishes: Vec<Wish<'_>> = Vec::new();
                wishes.extend(wish(alternative, event.slot, known, true));
                if axiom_wishes(&axioms, at, &alternative.channel, &mut wishes)
                    && let Some(value) = self.make(case, &alternative.channel, &alternative.of, &wishes)
                {
                    break value;
                }
                // An axiom may only ask for more time.
                match release(&axioms, at).filter(|later| *later - now <= most_ms * MS) {
                    Some(later) => at = later.div_ceil(MS) * MS,
                    None => {
                        let axiom = self.to_blame(&axioms, at, alternative, event.slot, messages(&bound));
                        return Err(Refused::by(axiom, "it leaves no message that the schema demands"));
                    }
                }
            };
            let message = Arc::new(Message { at, channel: Arc::clone(&alternative.channel), value });
            let _ = axioms.see(Arc::clone(&message));
            bound[event.slot as usize] = Some(Arc::clone(&message));
            demanded.push(Demanded { message, slot: event.slot });
            now = at;
        }
        Ok(demanded)
    }

    /// Then others, up to a time, that break no axiom and are not forbidden here.
    fn others(
        &mut self,
        case: &mut Case,
        forbidden: &[&EventRule],
        until: u64,
        ahead: &[Demanded],
        system: &mut dyn Listener,
    ) {
        if self.guide.inputs.is_empty() {
            return;
        }
        case.repeat(0..=self.others_max, |case| {
            !self.is_over && case.span("message", |case| self.other(case, forbidden, until, ahead, system))
        });
    }

    /// How long after now the next message comes, in milliseconds. Some come soon after each other, however much time there is; and some are an answer
    /// to what the system says next.
    fn delay(&mut self, case: &mut Case, until: u64, system: &mut dyn Listener) -> u64 {
        let manner = if system.is_there() {
            case.index_weighted(&[4, 1, 1, 1, 2])
        } else {
            case.index_weighted(&[1, 1, 1, 1])
        };
        if manner == 4 {
            // (No promise is broken meanwhile.)
            let promised = self.promised_until().map_or(u64::MAX, |until| until.saturating_sub(MS));
            let patience = self.now + self.guide.horizons[1] / 2;
            let limit = until.min(patience).min(promised);
            if limit > self.now {
                match system.wait(limit, &mut self.heard) {
                    // (Messages are sent at whole milliseconds.)
                    Some(reached) => self.now = self.now.max(reached.div_ceil(MS) * MS).min(until),
                    None => self.is_over = true,
                }
            }
        }
        let left = (until.saturating_sub(self.now) / MS) >> (2 * (manner % 4));
        case.int_favouring_by(0..=i128::from(left), || self.delays()) as u64
    }

    /// Delays from now on that are worth trying, in milliseconds: bounds from now on, or from an earlier message on, be it ours or the system's; and
    /// how long something took before.
    fn delays(&self) -> Vec<i128> {
        let guide = self.guide;
        let mut delays = guide.delays_ms.clone();
        if self.heard.is_empty() {
            return delays;
        }
        let since = |message: &Message| i128::from(self.now.saturating_sub(message.at).div_ceil(MS));
        let recent = self.heard.iter().rev().take(3).chain(self.sent.iter().rev().take(3));
        for message in recent {
            let since = since(message);
            if since > 0 {
                delays.extend(guide.bounds_ms.iter().map(|bound| bound - since));
            }
            each_value("", &message.value, &mut |_, value| {
                if let Value::Int(number @ 1..=1_000_000) = value {
                    delays.extend([*number, 1000 * number]);
                }
            });
        }
        let took = self.heard.iter().rev().zip(self.heard.iter().rev().skip(1)).take(2);
        delays.extend(took.map(|(later, earlier)| i128::from((later.at - earlier.at) / MS)));
        delays.retain(|delay| *delay >= 0);
        delays
    }

    /// How far the trace has come.
    fn stage(&self) -> (usize, usize, u64) {
        (self.sent.len(), self.heard.len(), self.now)
    }

    fn other(
        &mut self,
        case: &mut Case,
        forbidden: &[&EventRule],
        until: u64,
        ahead: &[Demanded],
        system: &mut dyn Listener,
    ) -> bool {
        let guide = self.guide;
        // What was promised and is sent now stays, whatever becomes of this message; and so does time that has passed.
        let before = self.stage();
        let delay = self.delay(case, until, system);
        if self.is_over {
            return true;
        }
        // (A trace that does without some inputs gets further with the others.)
        let weights = if self.is_focused { guide.weights.as_slice() } else { &[] };
        let place = if guide.inputs.len() > 1 { case.option(guide.inputs.len(), weights) } else { 0 };
        let (channel, of) = &guide.inputs[place];
        self.catch_up(channel, system);
        if self.is_over {
            return true;
        }
        let flavours = guide.flavours.get(channel).map_or(&[][..], Vec::as_slice);
        // Any message, or one that meets a condition, or one that does not.
        let flavour = if flavours.is_empty() { 0 } else { case.index(1 + 2 * flavours.len()) };
        let mut at = self.now + delay * MS;
        if !self.keep_promises(case, at, system) {
            return self.stage() > before;
        }
        at = at.max(self.now);
        loop {
            let known = self.known();
            let mut wishes: Vec<Wish<'_>> = Vec::new();
            if flavour > 0 {
                let (slot, condition) = &flavours[(flavour - 1) / 2];
                wishes.push(Wish {
                    term: condition.clone(),
                    wanted: flavour % 2 == 1,
                    unknown: *slot,
                    known,
                });
            }
            let is_allowed = forbidden.iter().all(|event| {
                event.alternatives.iter().filter(|one| one.channel == *channel).all(|one| {
                    wishes.extend(wish(one, event.slot, known, false));
                    one.condition.is_some()
                })
            });
            if !is_allowed {
                return self.stage() > before;
            }
            if axiom_wishes(&self.axioms, at, channel, &mut wishes)
                && self.ahead_wishes(at, channel, ahead, &mut wishes)
                && let Some(value) = self.make(case, channel, of, &wishes)
            {
                drop(wishes);
                self.send(Arc::new(Message { at, channel: Arc::clone(channel), value }), system);
                return true;
            }
            match release(&self.axioms, at).filter(|later| *later <= until) {
                Some(later) => at = later.div_ceil(MS) * MS,
                None => return self.stage() > before,
            }
            // (While it waits, something that was promised may fall due.)
            let is_due = self
                .axioms
                .monitors()
                .iter()
                .filter_map(Monitor::promise)
                .any(|(deadline, _)| deadline <= at);
            if at > until || is_due {
                return self.stage() > before;
            }
        }
    }

    /// What is sent now must not spoil what must be sent later.
    fn ahead_wishes<'a>(
        &self,
        at: u64,
        channel: &str,
        ahead: &'a [Demanded],
        wishes: &mut Vec<Wish<'a>>,
    ) -> bool {
        for axiom in &self.guide.axioms {
            let (PatternKind::Forbids, None, None, Some(second)) =
                (axiom.kind, &axiom.activator, &axiom.terminator, &axiom.second)
            else {
                continue;
            };
            for later in ahead {
                let is_near = axiom.within.is_none_or(|bound| later.message.at.saturating_sub(at) < bound);
                if !is_near {
                    continue;
                }
                for one in axiom.first.alternatives.iter().filter(|one| *one.channel == *channel) {
                    for two in second.alternatives.iter().filter(|two| two.channel == later.message.channel) {
                        let mut known: Messages<'a> = [None; Slot::COUNT];
                        known[Slot::Second as usize] = Some(&later.message.value);
                        let both = match (&one.condition, &two.condition) {
                            (None, None) => return false,
                            (Some(one), None) => one.clone(),
                            (None, Some(two)) => two.clone(),
                            (Some(one), Some(two)) => Term::And(Box::new(one.clone()), Box::new(two.clone())),
                        };
                        wishes.push(Wish { term: both, wanted: false, unknown: Slot::First, known });
                    }
                }
            }
        }
        true
    }

    /// Sends what axioms promise before a time; false if that cannot be done.
    fn keep_promises(&mut self, case: &mut Case, until: u64, system: &mut dyn Listener) -> bool {
        for _ in 0..PROMISES_MAX {
            if self.is_over {
                return true;
            }
            let due = |monitor: &Monitor| {
                monitor
                    .promise()
                    .filter(|(deadline, _)| *deadline <= until)
                    .map(|(deadline, asked)| (deadline, asked.cloned()))
            };
            let monitors = self.axioms.monitors().iter().enumerate();
            let first = monitors.filter_map(|(place, monitor)| due(monitor).map(|due| (due.0, place, due.1)));
            let Some((deadline, place, asked)) = first.min_by_key(|(deadline, place, _)| (*deadline, *place))
            else {
                return true;
            };
            let (rule, activator) = {
                let monitor = &self.axioms.monitors()[place];
                (Arc::clone(&monitor.rule), monitor.activator().cloned())
            };
            let earliest = asked.as_ref().map_or(self.now, |asked| self.now.max(asked.at));
            if earliest >= deadline {
                return false;
            }
            let left = (deadline - 1 - earliest) / MS;
            let delay = case.int_favouring(0..=i128::from(left), &self.guide.delays_ms);
            let at = earliest + delay as u64 * MS;
            let event = rule.behaviour();
            let one = &event.alternatives
                [if event.alternatives.len() > 1 { case.index(event.alternatives.len()) } else { 0 }];
            let mut known: Messages<'_> = [None; Slot::COUNT];
            known[Slot::Activator as usize] = activator.as_ref().map(|message| &message.value);
            if asked.is_some() {
                known[Slot::First as usize] = asked.as_ref().map(|message| &message.value);
            }
            let mut at = at;
            let value = loop {
                let mut wishes: Vec<Wish<'_>> = Vec::new();
                wishes.extend(wish(one, event.slot, known, true));
                if axiom_wishes(&self.axioms, at, &one.channel, &mut wishes)
                    && let Some(value) = self.make(case, &one.channel, &one.of, &wishes)
                {
                    break Some(value);
                }
                // Another axiom may only ask for more time.
                match release(&self.axioms, at)
                    .map(|later| later.div_ceil(MS) * MS)
                    .filter(|later| *later < deadline)
                {
                    Some(later) => at = later,
                    None => break None,
                }
            };
            let Some(value) = value else { return false };
            self.send(Arc::new(Message { at, channel: Arc::clone(&one.channel), value }), system);
        }
        // Promises without end: the run ends before the first that is not kept.
        true
    }

    fn make(&self, case: &mut Case, channel: &Arc<str>, of: &Type, wishes: &[Wish<'_>]) -> Option<Value> {
        let guide = self.guide;
        let worth = Trying { guide, channel, sent: &self.sent, heard: &self.heard };
        construct(case, of, wishes, &guide.policy, &worth)
    }

    /// Hears what the system has said to all that was sent, before a message that may take what it has produced is drawn.
    fn catch_up(&mut self, channel: &str, system: &mut dyn Listener) {
        if self.is_attentive
            && self.guide.consumers.contains_key(channel)
            && !system.catch_up(&mut self.heard)
        {
            self.is_over = true;
        }
    }
}

/// What is worth trying in the fields of a message.
struct Trying<'t> {
    guide: &'t Guide,
    channel: &'t Arc<str>,
    sent: &'t [Arc<Message>],
    heard: &'t [Arc<Message>],
}

impl Favoured for Trying<'_> {
    fn values(&self, path: &str) -> Vec<Value> {
        self.guide.worth.values(self.channel, path, self.sent, self.heard)
    }

    fn produced(&self, path: &str) -> Vec<Value> {
        let consumers = self.guide.consumers.get(self.channel).map_or(&[][..], Vec::as_slice);
        let consumer = consumers.iter().find(|consumer| consumer.path == path);
        consumer.map_or_else(Vec::new, |consumer| consumer.produced(self.heard.iter()))
    }
}

fn messages(bound: &[Option<Arc<Message>>; Slot::COUNT]) -> Messages<'_> {
    let mut messages: Messages<'_> = [None; Slot::COUNT];
    for (place, message) in bound.iter().enumerate() {
        messages[place] = message.as_ref().map(|message| &message.value);
    }
    messages
}
