//! Traces of inputs, drawn by a guide: first the messages that a schema demands, then others between them; and axioms are kept.

use crate::construct::{Wish, construct};
use crate::guide::Guide;
use crate::hpl::PatternKind;
use crate::monitor::{Monitor, Monitors};
use crate::rule::{Alternative, EventRule};
use crate::schema::{Schema, Statement};
use crate::term::{Messages, Slot, Term};
use crate::time::MS;
use crate::trace::Message;
use crate::types::Type;
use crate::value::Value;
use gainsay_core::Case;
use std::sync::Arc;

/// A trace that is being drawn.
pub(crate) struct Drawing<'g> {
    guide: &'g Guide,
    /// The judges of the axioms, who have seen all that was sent.
    axioms: Monitors,
    sent: Vec<Arc<Message>>,
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
    /// So many of them are there for the sake of the schema; others come behind.
    pub(crate) demanded: usize,
}

/// A message that must be sent.
struct Demanded {
    message: Arc<Message>,
    slot: Slot,
}

/// What is sent after the last one that must be: this many messages at most to keep promises.
const PROMISES_MAX: usize = 24;

/// Why a trace could not be drawn.
pub(crate) type Refused = &'static str;

impl<'g> Drawing<'g> {
    pub(crate) fn new(guide: &'g Guide, axioms: &Monitors) -> Drawing<'g> {
        let mut axioms = axioms.clone();
        axioms.reset();
        let bound = [const { None }; Slot::COUNT];
        Drawing { guide, axioms, sent: Vec::new(), bound, now: 0, horizon: guide.horizons[0], begun: None }
    }

    /// Chooses one of the schemas, and how long the trace may be.
    pub(crate) fn schema(&mut self, case: &mut Case) -> &'g Schema {
        let count = self.guide.schemas.len();
        let place = if count > 1 { case.index(count) } else { 0 };
        // (Most of what a property speaks of happens within its own bound; and some of it needs a state that takes longer.)
        let [own, largest] = self.guide.horizons;
        if largest > own && case.index_weighted(&[3, 1]) == 1 {
            self.horizon = largest;
        }
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

    /// Takes account of messages that were drawn elsewhere; whether they keep the axioms.
    pub(crate) fn send_all(&mut self, messages: &[Arc<Message>]) -> bool {
        messages.iter().for_each(|message| self.send(Arc::clone(message)));
        !self.axioms.is_violated()
    }

    /// Draws the messages of a part of a schema that has nothing to wait for before its end. `is_last`: nothing follows, and nothing is waited for.
    pub(crate) fn part(
        &mut self,
        case: &mut Case,
        statements: &[Statement],
        is_last: bool,
    ) -> Result<Part, Refused> {
        let begun = self.sent.len();
        self.begun = (!is_last).then(|| (self.axioms.clone(), begun, self.now));
        let demanded = self.demanded(case, statements)?;
        let mut forbidden: Vec<&EventRule> = Vec::new();
        let mut next = 0;
        for statement in statements {
            match statement {
                Statement::Forbid(event) => forbidden.push(event),
                Statement::Await { .. } => {}
                Statement::Publish { .. } => {
                    let message = Arc::clone(&demanded[next].message);
                    self.others(case, &forbidden, message.at, &demanded[next..]);
                    if !self.keep_promises(case, message.at) {
                        return Err("promises of axioms cannot be kept");
                    }
                    self.send(message);
                    self.bound[demanded[next].slot as usize] = Some(Arc::clone(&demanded[next].message));
                    forbidden.clear();
                    next += 1;
                }
            }
        }
        // What the system is waited for may need something to answer to.
        let count = self.sent.len() - begun;
        self.others(case, &forbidden, self.now + self.horizon, &[]);
        self.keep_promises(case, if is_last { u64::MAX } else { self.now + self.horizon });
        let _ = self.axioms.pass_to(self.now);
        if self.axioms.is_violated() {
            return Err("an axiom would be broken");
        }
        Ok(Part { messages: self.sent[begun..].to_vec(), demanded: count })
    }

    /// Only so many messages of the last part were sent: what was waited for came before the others.
    pub(crate) fn cut(&mut self, count: usize) {
        let Some((axioms, begun, now)) = self.begun.take() else { return };
        let sent = self.sent.split_off(begun);
        (self.axioms, self.now) = (axioms, now);
        sent.into_iter().take(count).for_each(|message| self.send(message));
    }

    fn send(&mut self, message: Arc<Message>) {
        self.now = self.now.max(message.at);
        // (Times do not go back: messages are sent in their order.)
        let _ = self.axioms.see(Arc::clone(&message));
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
            let mut worth = self.guide.delays_ms.clone();
            worth.extend([low, low + 1, high - 1, high]);
            let delay = case.span("delay", |case| case.int_favouring(low..=high, &worth));
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
                    None => return Err("no message of the schema keeps the axioms"),
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
    fn others(&mut self, case: &mut Case, forbidden: &[&EventRule], until: u64, ahead: &[Demanded]) {
        if self.guide.inputs.is_empty() {
            return;
        }
        case.repeat(0..=self.guide.others_max, |case| {
            case.span("message", |case| self.other(case, forbidden, until, ahead))
        });
    }

    fn other(&mut self, case: &mut Case, forbidden: &[&EventRule], until: u64, ahead: &[Demanded]) -> bool {
        let guide = self.guide;
        // (Some messages come soon after each other, however much time there is.)
        let left = (until.saturating_sub(self.now) / MS) >> (2 * case.index(4));
        let delay = case.int_favouring(0..=i128::from(left), &guide.delays_ms);
        // (A trace that does without some inputs gets further with the others.)
        let place = if guide.inputs.len() > 1 { case.option(guide.inputs.len(), &guide.weights) } else { 0 };
        let (channel, of) = &guide.inputs[place];
        let flavours = guide.flavours.get(channel).map_or(&[][..], Vec::as_slice);
        // Any message, or one that meets a condition, or one that does not.
        let flavour = if flavours.is_empty() { 0 } else { case.index(1 + 2 * flavours.len()) };
        let mut at = self.now + delay as u64 * MS;
        // What was promised and is sent now stays, whatever becomes of this message.
        let before = self.sent.len();
        if !self.keep_promises(case, at) {
            return self.sent.len() > before;
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
                return self.sent.len() > before;
            }
            if axiom_wishes(&self.axioms, at, channel, &mut wishes)
                && self.ahead_wishes(at, channel, ahead, &mut wishes)
                && let Some(value) = self.make(case, channel, of, &wishes)
            {
                drop(wishes);
                self.send(Arc::new(Message { at, channel: Arc::clone(channel), value }));
                return true;
            }
            match release(&self.axioms, at).filter(|later| *later <= until) {
                Some(later) => at = later.div_ceil(MS) * MS,
                None => return self.sent.len() > before,
            }
            // (While it waits, something that was promised may fall due.)
            let is_due = self
                .axioms
                .monitors()
                .iter()
                .filter_map(Monitor::promise)
                .any(|(deadline, _)| deadline <= at);
            if at > until || is_due {
                return self.sent.len() > before;
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
    fn keep_promises(&mut self, case: &mut Case, until: u64) -> bool {
        for _ in 0..PROMISES_MAX {
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
            self.send(Arc::new(Message { at, channel: Arc::clone(&one.channel), value }));
        }
        // Promises without end: the run ends before the first that is not kept.
        true
    }

    fn make(&self, case: &mut Case, channel: &Arc<str>, of: &Type, wishes: &[Wish<'_>]) -> Option<Value> {
        let guide = self.guide;
        let worth = |path: &str| {
            if guide.flavours.is_empty() && guide.worth.is_empty() {
                return Vec::new();
            }
            let mut values =
                guide.worth.get(&(Arc::clone(channel), path.to_string())).cloned().unwrap_or_default();
            // What was said before, under this name, may be said again.
            let name = path.rsplit('.').next().unwrap_or(path);
            for message in self.sent.iter().rev().take(6) {
                let said =
                    if message.channel == *channel { message.value.at(path) } else { message.value.at(name) };
                values.extend(
                    said.filter(|value| !matches!(value, Value::Record(_) | Value::List(_))).cloned(),
                );
            }
            values
        };
        construct(case, of, wishes, &guide.policy, &worth)
    }
}

fn messages(bound: &[Option<Arc<Message>>; Slot::COUNT]) -> Messages<'_> {
    let mut messages: Messages<'_> = [None; Slot::COUNT];
    for (place, message) in bound.iter().enumerate() {
        messages[place] = message.as_ref().map(|message| &message.value);
    }
    messages
}

/// That a message is of a kind, or is not.
fn wish<'a>(one: &Alternative, slot: Slot, known: Messages<'a>, wanted: bool) -> Option<Wish<'a>> {
    one.condition.as_ref().map(|condition| Wish { term: condition.clone(), wanted, unknown: slot, known })
}

/// What axioms want of a message on a channel at a time; false if they want none.
fn axiom_wishes<'a>(axioms: &'a Monitors, at: u64, channel: &str, wishes: &mut Vec<Wish<'a>>) -> bool {
    axioms.monitors().iter().all(|monitor| axiom_wish(monitor, at, channel, wishes))
}

fn axiom_wish<'a>(monitor: &'a Monitor, at: u64, channel: &str, wishes: &mut Vec<Wish<'a>>) -> bool {
    let crate::monitor::State::Open { since, activator } = &monitor.state else { return true };
    let rule = &monitor.rule;
    let mut known: Messages<'a> = [None; Slot::COUNT];
    known[Slot::Activator as usize] = activator.as_ref().map(|message| &message.value);
    let on = |event: &'a EventRule| {
        event.alternatives.iter().enumerate().filter(|(_, one)| *one.channel == *channel)
    };
    let in_time = |since: u64| monitor.bound.is_none_or(|bound| at.saturating_sub(since) < bound);
    match rule.kind {
        PatternKind::No if in_time(*since) => on(&rule.first).all(|(_, one)| {
            wishes.extend(wish(one, Slot::First, known, false));
            one.condition.is_some()
        }),
        PatternKind::Forbids => {
            let Some(second) = &rule.second else { return true };
            on(second).all(|(place, one)| {
                // (Of those that ask for the same, one is enough; many are looked at when all is done.)
                let kept = monitor.pool.messages().rev().filter(|kept| in_time(kept.at));
                let most = if monitor.links[place].is_linked { 8 } else { 1 };
                kept.take(most).all(|kept| {
                    let mut known = known;
                    known[Slot::First as usize] = Some(&kept.value);
                    wishes.extend(wish(one, Slot::Second, known, false));
                    one.condition.is_some()
                })
            })
        }
        PatternKind::Requires => on(&rule.first).all(|(_, one)| {
            let links = || monitor.links.iter().enumerate();
            let kept = |place: usize| monitor.pool.messages_of(place).filter(|kept| in_time(kept.at));
            if links().any(|(place, link)| !link.is_linked && kept(place).next().is_some()) {
                return true;
            }
            let found = links().find_map(|(place, link)| Some((link, kept(place).last()?)));
            match (found, &one.condition) {
                (Some((link, kept)), condition) => {
                    let mut known = known;
                    known[Slot::Second as usize] = Some(&kept.value);
                    let Some(joined) = &link.condition else { return true };
                    let term = match condition {
                        Some(condition) => Term::Or(
                            Box::new(Term::Not(Box::new(condition.clone()))),
                            Box::new(joined.clone()),
                        ),
                        None => joined.clone(),
                    };
                    wishes.push(Wish { term, wanted: true, unknown: Slot::First, known });
                    true
                }
                (None, Some(_)) => {
                    wishes.extend(wish(one, Slot::First, known, false));
                    true
                }
                (None, None) => false,
            }
        }),
        _ => true,
    }
}

/// When the next thing that is forbidden for a while is allowed again.
fn release(axioms: &Monitors, at: u64) -> Option<u64> {
    let forbid = axioms.monitors().iter().filter(|monitor| monitor.rule.kind == PatternKind::Forbids);
    let ends =
        forbid.flat_map(|monitor| monitor.pool.messages().filter_map(|kept| Some(kept.at + monitor.bound?)));
    ends.filter(|end| *end > at).min()
}
