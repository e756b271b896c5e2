//! Monitors: judges of properties, one message after the other.
//!
//! ```
//! use gainsay_msg::{AnyChannels, Message, Monitors, hpl, message, resolve};
//!
//! let file = hpl::parse("globally: /ask as A causes /answer {id = @A.id} within 500 ms");
//! let (rules, troubles) = resolve(&file.properties, &AnyChannels);
//! assert!(troubles.is_empty());
//!
//! let mut monitors = Monitors::new(rules);
//! monitors.see(Message::at_ms(0, "/ask", message([("id", 7.into())])))?;
//! monitors.see(Message::at_ms(1, "/ask", message([("id", 8.into())])))?;
//! monitors.see(Message::at_ms(2, "/answer", message([("id", 7.into())])))?;
//! monitors.pass_to(501_000_000)?;
//! let judged = &monitors.judged()[0];
//! assert_eq!(judged.violations[0].to_string(), "at 501 ms: no /answer {id = @A.id} since @1 ms  /ask {id: 8}");
//! # Ok::<(), gainsay_core::Error>(())
//! ```

mod exercise;
pub(crate) mod link;
mod overdue;
mod pool;

use crate::hpl::PatternKind;
use crate::rule::{EventRule, Rule};
use crate::show::shown_message;
use crate::term::{Messages, Slot};
use crate::time;
use crate::trace::Message;
pub use exercise::Exercise;
use gainsay_core::Error;
use link::{Link, links};
use overdue::Overdue;
use pool::Pool;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::sync::Arc;

/// Judges of several properties, who see the same messages.
#[derive(Debug, Clone)]
pub struct Monitors {
    /// The channels that somebody speaks of.
    channels: Arc<FxHashMap<Arc<str>, usize>>,
    recent: Recent,
    /// Who cares about each of them.
    interested: Arc<[Vec<usize>]>,
    /// How many messages came on each of them.
    heard: Vec<u64>,
    /// How many came in all.
    seen: u64,
    monitors: Vec<Monitor>,
    now: u64,
    has_ended: bool,
}

/// The channels of the last messages, by their pointers: messages mostly share them, and need no look at the text then.
#[derive(Debug, Default)]
struct Recent {
    /// (They are kept, so that no other text gets their addresses.)
    places: Vec<(Arc<str>, Option<usize>)>,
    oldest: usize,
}

impl Recent {
    const MAX: usize = 8;

    fn add(&mut self, channel: &Arc<str>, place: Option<usize>) {
        let known = (Arc::clone(channel), place);
        if self.places.len() < Recent::MAX {
            self.places.push(known);
        } else {
            self.places[self.oldest] = known;
            self.oldest = (self.oldest + 1) % Recent::MAX;
        }
    }
}

impl Clone for Recent {
    /// Copies of monitors are many, and learn by themselves.
    fn clone(&self) -> Recent {
        Recent::default()
    }
}

/// What is known of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// It was violated, and nothing can repair that.
    Violated,
    /// Nothing that may come can violate it.
    Satisfied,
    /// Neither.
    Pending {
        /// Whether something is missing so far.
        owed: bool,
    },
}

/// A violation of a property.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// Since when, in nanoseconds.
    pub at: u64,
    /// The messages that show it.
    pub witness: Vec<Witness>,
    /// What is wrong, for people.
    pub what: String,
    /// The event that is missing, if that is what is wrong.
    pub missing: Option<String>,
    /// What was missing, if it came after all, in the same scope: it was needed before `at`.
    pub late: Option<Arc<Message>>,
}

/// A message that shows a violation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Witness {
    /// What it is in the property.
    pub role: Role,
    /// The message.
    pub message: Arc<Message>,
}

/// What a message is in a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It opened the scope.
    Activator,
    /// What must be answered, forbids something, or is needed.
    Stimulus,
    /// What must or must not be seen.
    Behaviour,
    /// It closed the scope.
    Terminator,
}

impl Role {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Role::Activator => "activator",
            Role::Stimulus => "stimulus",
            Role::Behaviour => "behaviour",
            Role::Terminator => "terminator",
        }
    }
}

impl Violation {
    /// The message that has a role in it.
    pub fn of(&self, role: Role) -> Option<&Arc<Message>> {
        self.witness.iter().find(|witness| witness.role == role).map(|witness| &witness.message)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} ms: {}", time::shown_ms(self.at), self.what)
    }
}

/// A property and what became of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Judged<'m> {
    /// The property.
    pub rule: &'m Rule,
    /// What is known of it.
    pub judgement: Judgement,
    /// All violations, in the order of time.
    pub violations: &'m [Violation],
    /// How often it was put to the test.
    pub exercise: Exercise,
}

impl Monitors {
    /// Judges who have seen nothing yet.
    pub fn new(rules: impl IntoIterator<Item = impl Into<Arc<Rule>>>) -> Monitors {
        Monitors::with_slack(rules, 0)
    }

    /// Judges who forgive so much time: what must come may come that much later, and what must not come is missed that much earlier.
    pub fn with_slack(rules: impl IntoIterator<Item = impl Into<Arc<Rule>>>, slack: u64) -> Monitors {
        let mut channels: FxHashMap<Arc<str>, usize> = FxHashMap::default();
        let mut interested: Vec<Vec<usize>> = Vec::new();
        let mut monitors = Vec::new();
        for (number, rule) in rules.into_iter().enumerate() {
            let rule: Arc<Rule> = rule.into();
            for channel in rule.channels() {
                let next = channels.len();
                let place = *channels.entry(channel.into()).or_insert(next);
                interested.resize(interested.len().max(place + 1), Vec::new());
                interested[place].push(number);
            }
            monitors.push(Monitor::new(rule, slack));
        }
        for monitor in &mut monitors {
            let mut roles: Vec<Roles> = interested.iter().map(|_| Roles::default()).collect();
            for (channel, place) in &channels {
                roles[*place] = Roles::of(&monitor.rule, channel);
            }
            monitor.roles = roles.into();
        }
        let heard = vec![0; interested.len()];
        let seen = 0;
        let (channels, interested) = (Arc::new(channels), interested.into());
        Monitors {
            channels,
            recent: Recent::default(),
            interested,
            heard,
            seen,
            monitors,
            now: 0,
            has_ended: false,
        }
    }

    /// The channels that somebody speaks of.
    pub(crate) fn channels_of_interest(&self) -> FxHashSet<Arc<str>> {
        self.channels.keys().cloned().collect()
    }

    /// Takes account of a message. Its time must not be before that of the last one.
    ///
    /// # Errors
    /// If it is, or the trace has ended.
    pub fn see(&mut self, message: impl Into<Arc<Message>>) -> Result<(), Error> {
        let message = message.into();
        self.go_to(message.at)?;
        self.seen += 1;
        if let Some(place) = self.place(&message.channel) {
            self.heard[place] += 1;
            for number in &self.interested[place] {
                self.monitors[*number].see(place, &message);
            }
        }
        Ok(())
    }

    /// So many messages came on channels that nobody speaks of.
    pub(crate) fn hear_others(&mut self, count: u64) {
        self.seen += count;
    }

    /// The place of a channel, if somebody speaks of it.
    #[inline]
    fn place(&mut self, channel: &Arc<str>) -> Option<usize> {
        let mut recent = self.recent.places.iter();
        match recent.find(|(known, _)| Arc::ptr_eq(known, channel)) {
            Some((_, place)) => *place,
            None => self.look_up(channel),
        }
    }

    #[cold]
    fn look_up(&mut self, channel: &Arc<str>) -> Option<usize> {
        let place = self.channels.get(channel).copied();
        self.recent.add(channel, place);
        place
    }

    /// Time passes, without a message.
    ///
    /// # Errors
    /// If it would go back, or the trace has ended.
    pub fn pass_to(&mut self, at: u64) -> Result<(), Error> {
        self.go_to(at)?;
        self.monitors.iter_mut().for_each(|monitor| monitor.pass_to(at));
        Ok(())
    }

    fn go_to(&mut self, at: u64) -> Result<(), Error> {
        if self.has_ended {
            return Err(Error::specification("the trace has ended"));
        }
        if at < self.now {
            return Err(Error::specification(format!(
                "time goes back from {} ms to {} ms",
                time::shown_ms(self.now),
                time::shown_ms(at)
            )));
        }
        self.now = at;
        Ok(())
    }

    /// How many messages came on such channels, of those that somebody speaks of.
    pub fn heard(&self, is_such: impl Fn(&str) -> bool) -> u64 {
        let such = self.channels.iter().filter(|(channel, _)| is_such(channel));
        such.map(|(_, place)| self.heard[*place]).sum()
    }

    /// How many properties there are.
    pub fn count(&self) -> usize {
        self.monitors.len()
    }

    /// Where it is not known whose messages are whose: of each property that forbids something after another, whether any message came but those that
    /// it waits for. With these alone, it is put to no test.
    pub fn others_spoke(&self) -> Vec<Option<bool>> {
        let spoke = |rule: &Rule| {
            let awaited = [Some(&rule.first), rule.activator.as_ref()].into_iter().flatten();
            let is_awaited = |channel: &str| {
                awaited.clone().flat_map(|event| &event.alternatives).any(|one| *one.channel == *channel)
            };
            (rule.kind == PatternKind::Forbids).then(|| self.seen > self.heard(is_awaited))
        };
        self.monitors.iter().map(|monitor| spoke(&monitor.rule)).collect()
    }

    /// Starts over.
    pub fn reset(&mut self) {
        (self.now, self.seen) = (0, 0);
        self.heard.fill(0);
        self.has_ended = false;
        self.monitors.iter_mut().for_each(Monitor::reset);
    }

    /// What is known of each property at the time so far.
    pub fn judged(&mut self) -> Vec<Judged<'_>> {
        let now = self.now;
        self.monitors
            .iter_mut()
            .map(|monitor| {
                monitor.pass_to(now);
                Judged {
                    judgement: monitor.judgement(now),
                    rule: &monitor.rule,
                    violations: &monitor.violations,
                    exercise: monitor.exercise,
                }
            })
            .collect()
    }

    /// Whether any property is violated at the time so far.
    pub(crate) fn is_violated(&mut self) -> bool {
        let now = self.now;
        self.monitors.iter_mut().any(|monitor| {
            // (Who was not spoken to has not looked at the clock.)
            monitor.pass_to(now);
            !monitor.violations.is_empty()
        })
    }

    pub(crate) fn monitors(&self) -> &[Monitor] {
        &self.monitors
    }
}

/// Which alternatives of which events a channel may be.
#[derive(Debug, Clone, Default)]
struct Roles {
    activator: Vec<usize>,
    terminator: Vec<usize>,
    first: Vec<usize>,
    second: Vec<usize>,
    /// Whether what must or must not be seen is on it.
    is_of_behaviour: bool,
}

impl Roles {
    fn of(rule: &Rule, channel: &str) -> Roles {
        let places = |event: Option<&EventRule>| {
            let alternatives = event.map_or(&[][..], |event| &event.alternatives);
            let on = alternatives.iter().enumerate().filter(|(_, one)| &*one.channel == channel);
            on.map(|(place, _)| place).collect()
        };
        Roles {
            activator: places(rule.activator.as_ref()),
            terminator: places(rule.terminator.as_ref()),
            first: places(Some(&rule.first)),
            second: places(rule.second.as_ref()),
            is_of_behaviour: rule.behaviour().alternatives.iter().any(|one| &*one.channel == channel),
        }
    }
}

/// Where in its scopes a property is.
#[derive(Debug, Clone)]
pub(crate) enum State {
    /// No scope is open.
    Waiting,
    /// One is, since then.
    Open { since: u64, activator: Option<Arc<Message>> },
    /// None will be open any more.
    Closed,
}

/// The judge of one property.
#[derive(Debug, Clone)]
pub(crate) struct Monitor {
    pub(crate) rule: Arc<Rule>,
    /// By channel.
    roles: Arc<[Roles]>,
    pub(crate) links: Arc<[Link]>,
    /// The bound of time, with what is forgiven.
    pub(crate) bound: Option<u64>,
    pub(crate) state: State,
    pub(crate) pool: Pool,
    /// `some`: whether it has been seen.
    pub(crate) is_met: bool,
    pub(crate) violations: Vec<Violation>,
    /// What was missing in the scope that is open, and may still come.
    overdue: Overdue,
    exercise: Exercise,
}

impl Monitor {
    fn new(rule: Arc<Rule>, slack: u64) -> Monitor {
        let bound = rule.within.map(|bound| match rule.kind {
            PatternKind::Some | PatternKind::Causes | PatternKind::Requires => bound.saturating_add(slack),
            PatternKind::No | PatternKind::Forbids => bound.saturating_sub(slack),
        });
        let links: Arc<[Link]> = links(&rule).into();
        let pool = Pool::new(&rule, &links);
        let mut monitor = Monitor {
            rule,
            roles: [].into(),
            links,
            bound,
            state: State::Waiting,
            pool,
            is_met: false,
            violations: Vec::new(),
            overdue: Overdue::default(),
            exercise: Exercise::default(),
        };
        monitor.reset();
        monitor
    }

    fn reset(&mut self) {
        self.violations.clear();
        self.pool.clear();
        self.overdue = Overdue::default();
        self.exercise = Exercise::default();
        self.state = State::Waiting;
        if self.rule.activator.is_none() {
            self.open(0, None);
        }
    }

    /// A scope opens.
    fn open(&mut self, since: u64, activator: Option<Arc<Message>>) {
        self.state = State::Open { since, activator };
        self.is_met = false;
        self.exercise.scopes += 1;
        self.exercise.obligations += u64::from(!self.rule.kind.is_binary());
    }

    fn see(&mut self, channel: usize, message: &Arc<Message>) {
        self.pass_to(message.at);
        self.exercise.heard += u64::from(self.roles[channel].is_of_behaviour);
        match &self.state {
            State::Closed => {}
            State::Waiting => {
                if self.opens(channel, message) {
                    self.open(message.at, Some(Arc::clone(message)));
                }
            }
            State::Open { since, activator } => {
                let (since, activator) = (*since, activator.clone());
                let mut messages: Messages<'_> = [None; Slot::COUNT];
                messages[Slot::Activator as usize] = activator.as_deref().map(|message| &message.value);
                if self.closes(channel, message, messages) {
                    self.close(message, activator.as_ref());
                } else {
                    self.see_inside(channel, message, messages, since, activator.as_ref());
                }
            }
        }
    }

    fn opens(&self, channel: usize, message: &Message) -> bool {
        let Some(activator) = &self.rule.activator else { return false };
        let roles = &self.roles[channel];
        let mut messages: Messages<'_> = [None; Slot::COUNT];
        messages[Slot::Activator as usize] = Some(&message.value);
        if !roles.activator.iter().any(|place| activator.alternatives[*place].is_met(&messages)) {
            return false;
        }
        // What would close a scope, whatever opened it, opens none.
        messages[Slot::Activator as usize] = None;
        messages[Slot::Terminator as usize] = Some(&message.value);
        let Some(terminator) = &self.rule.terminator else { return true };
        !roles.terminator.iter().any(|place| {
            let alternative = &terminator.alternatives[*place];
            !alternative.mentions(Slot::Activator) && alternative.is_met(&messages)
        })
    }

    fn closes<'a>(&self, channel: usize, message: &'a Message, mut messages: Messages<'a>) -> bool {
        let Some(terminator) = &self.rule.terminator else { return false };
        messages[Slot::Terminator as usize] = Some(&message.value);
        let places = &self.roles[channel].terminator;
        places.iter().any(|place| terminator.alternatives[*place].is_met(&messages))
    }

    /// A scope ends: what is missing then, is missing.
    fn close(&mut self, message: &Arc<Message>, activator: Option<&Arc<Message>>) {
        match self.rule.kind {
            PatternKind::Some if !self.is_met => {
                let what = format!("no {} before {}", self.rule.first.text, self.shown(message));
                self.violate(message.at, what, activator, None, None, Some(message));
            }
            PatternKind::Causes => {
                let pending: Vec<Arc<Message>> = self.pool.messages().cloned().collect();
                for stimulus in pending {
                    let missing = &self.rule.behaviour().text;
                    let (since, end) = (self.shown(&stimulus), self.shown(message));
                    let what = format!("no {missing} since {since}, before {end}");
                    self.violate(message.at, what, activator, Some(&stimulus), None, Some(message));
                }
            }
            _ => {}
        }
        self.pool.clear();
        self.overdue = Overdue::default();
        self.state = if self.rule.is_reentrant { State::Waiting } else { State::Closed };
    }

    /// A message plays every role it matches, never towards itself: first it answers, then it asks.
    fn see_inside<'a>(
        &mut self,
        channel: usize,
        message: &'a Arc<Message>,
        mut messages: Messages<'a>,
        since: u64,
        activator: Option<&'a Arc<Message>>,
    ) {
        let is_first = |monitor: &Monitor, mut messages: Messages<'a>| {
            messages[Slot::First as usize] = Some(&message.value);
            let places = &monitor.roles[channel].first;
            places.iter().any(|place| monitor.rule.first.alternatives[*place].is_met(&messages))
        };
        match self.rule.kind {
            PatternKind::No => {
                if self.is_in_time(since, message.at) && is_first(self, messages) {
                    self.violate(message.at, self.shown(message), activator, None, Some(message), None);
                }
            }
            PatternKind::Some => {
                if !self.is_met && self.is_in_time(since, message.at) && is_first(self, messages) {
                    self.is_met = true;
                    self.exercise.met += 1;
                } else if self.overdue.is_missed() && is_first(self, messages) {
                    self.see_missed(message);
                }
            }
            PatternKind::Causes => {
                messages[Slot::Second as usize] = Some(&message.value);
                if self.overdue.has_stimuli() {
                    self.see_late(channel, message, messages);
                }
                let pending = self.pool.count();
                for place in &self.roles[channel].second {
                    self.pool.answer(&self.links[*place], *place, messages);
                }
                self.exercise.met += (pending - self.pool.count()) as u64;
                messages[Slot::Second as usize] = None;
                if is_first(self, messages) {
                    self.exercise.obligations += 1;
                    self.pool.add(&self.links, message, messages);
                }
            }
            PatternKind::Forbids => {
                messages[Slot::Second as usize] = Some(&message.value);
                let found = self.roles[channel].second.iter();
                let found = found.filter_map(|place| self.pool.latest(&self.links[*place], *place, messages));
                if let Some(stimulus) =
                    found.max_by_key(|(number, _)| *number).map(|(_, message)| Arc::clone(message))
                {
                    let what = format!("{}, after {}", self.shown(message), self.shown(&stimulus));
                    self.violate(message.at, what, activator, Some(&stimulus), Some(message), None);
                }
                messages[Slot::Second as usize] = None;
                if is_first(self, messages) {
                    self.exercise.obligations += 1;
                    self.pool.add(&self.links, message, messages);
                }
            }
            PatternKind::Requires => {
                if is_first(self, messages) {
                    messages[Slot::First as usize] = Some(&message.value);
                    let mut links = self.links.iter().enumerate();
                    let is_met = links.any(|(place, link)| self.pool.latest(link, place, messages).is_some());
                    self.exercise.obligations += 1;
                    self.exercise.met += u64::from(is_met);
                    if !is_met {
                        let needed = self.rule.stimulus().map_or("", |event| event.text.as_str());
                        let what = format!("{} without {needed} before it", self.shown(message));
                        self.violate(message.at, what, activator, None, Some(message), None);
                    }
                    messages[Slot::First as usize] = None;
                }
                messages[Slot::Second as usize] = Some(&message.value);
                for place in &self.roles[channel].second {
                    self.pool.offer(&self.links, *place, message, messages);
                }
            }
        }
    }

    fn shown(&self, message: &Message) -> String {
        shown_message(&self.rule, message)
    }

    /// Whether something at a time is within the bound from another on.
    #[inline]
    fn is_in_time(&self, since: u64, at: u64) -> bool {
        self.bound.is_none_or(|bound| at - since < bound)
    }

    /// Time passes: what is missing when its bound is over, is missing.
    #[inline]
    pub(crate) fn pass_to(&mut self, now: u64) {
        let (Some(bound), State::Open { since, .. }) = (self.bound, &self.state) else { return };
        match self.rule.kind {
            PatternKind::No => {}
            PatternKind::Some => {
                if !self.is_met && now - *since >= bound {
                    self.miss(*since + bound);
                }
            }
            PatternKind::Forbids | PatternKind::Requires => {
                while self.pool.take_expired(now, bound).is_some() {}
            }
            PatternKind::Causes => {
                while let Some(stimulus) = self.pool.take_expired(now, bound) {
                    self.expire(&stimulus, bound);
                }
            }
        }
    }

    #[cold]
    fn miss(&mut self, at: u64) {
        let State::Open { activator, .. } = self.state.clone() else { return };
        let what = format!("no {}", self.rule.first.text);
        self.violate(at, what, activator.as_ref(), None, None, None);
        // It is told once.
        self.is_met = true;
        self.overdue.miss();
    }

    #[cold]
    fn expire(&mut self, stimulus: &Arc<Message>, bound: u64) {
        let State::Open { activator, .. } = self.state.clone() else { return };
        let what = format!("no {} since {}", self.rule.behaviour().text, self.shown(stimulus));
        self.violate(stimulus.at + bound, what, activator.as_ref(), Some(stimulus), None, None);
        self.overdue.keep(&self.rule, &self.links, stimulus, activator.as_ref());
    }

    fn violate(
        &mut self,
        at: u64,
        what: String,
        activator: Option<&Arc<Message>>,
        stimulus: Option<&Arc<Message>>,
        behaviour: Option<&Arc<Message>>,
        terminator: Option<&Arc<Message>>,
    ) {
        let roles = [
            (Role::Activator, activator),
            (Role::Stimulus, stimulus),
            (Role::Behaviour, behaviour),
            (Role::Terminator, terminator),
        ];
        let witness = roles.into_iter().filter_map(|(role, message)| Some((role, Arc::clone(message?))));
        let witness = witness.map(|(role, message)| Witness { role, message }).collect();
        let is_missing = matches!(self.rule.kind, PatternKind::Some | PatternKind::Causes);
        let missing = is_missing.then(|| self.rule.behaviour().text.clone());
        self.violations.push(Violation { at, witness, what, missing, late: None });
    }

    /// The message that opened the scope that is open.
    pub(crate) fn activator(&self) -> Option<&Arc<Message>> {
        match &self.state {
            State::Open { activator, .. } => activator.as_ref(),
            _ => None,
        }
    }

    /// What must still come, and before when: with the message that asks for it, if there is one.
    pub(crate) fn promise(&self) -> Option<(u64, Option<&Arc<Message>>)> {
        let (State::Open { since, .. }, Some(bound)) = (&self.state, self.bound) else { return None };
        match self.rule.kind {
            PatternKind::Some if !self.is_met => Some((since + bound, None)),
            PatternKind::Causes => {
                let oldest = self.pool.messages().next()?;
                Some((oldest.at + bound, Some(oldest)))
            }
            _ => None,
        }
    }

    /// What is known now.
    pub(crate) fn judgement(&self, now: u64) -> Judgement {
        if !self.violations.is_empty() {
            return Judgement::Violated;
        }
        let since = match self.state {
            State::Closed => return Judgement::Satisfied,
            State::Waiting => return Judgement::Pending { owed: false },
            State::Open { since, .. } => since,
        };
        let (is_safe, owed) = match self.rule.kind {
            PatternKind::No => (!self.is_in_time(since, now), false),
            PatternKind::Some => (self.is_met, !self.is_met),
            PatternKind::Causes => (false, !self.pool.is_empty()),
            PatternKind::Forbids => (false, false),
            // What is needed was seen, and for good.
            PatternKind::Requires => {
                let mut links = self.links.iter().enumerate();
                let has = links.any(|(place, link)| !link.is_linked && self.pool.has_any(place));
                (self.bound.is_none() && has, false)
            }
        };
        if is_safe && !self.rule.is_reentrant { Judgement::Satisfied } else { Judgement::Pending { owed } }
    }
}
