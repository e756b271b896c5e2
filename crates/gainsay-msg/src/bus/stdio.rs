//! Systems that are spoken with in lines of JSON, by their standard input and output.
//!
//! Both ways one object a line: messages `{"at_ms":40,"channel":"/laser","msg":{…}}`; in virtual time also `{"advance_to_ms":500}`, answered by
//! messages and then `{"idle":true,"next_timer_ms":600}`; and `{"reset":true}`, answered by `{"idle":true,…}`. The book has all of it.

use super::{Bus, Trouble, TroubleKind, check_flood};
use crate::time;
use crate::trace::Message;
use crate::trace::json::{Heard, LineReader};
use gainsay_core::Case;
use gainsay_subject::{Heard as Line, Speaker};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a system is started.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Starting {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs; otherwise here.
    pub directory: Option<PathBuf>,
    /// Variables of its environment, besides ours.
    pub environment: Vec<(String, String)>,
    /// When it is ready.
    pub ready: Ready,
    /// It may take so long until it is ready: 20 s.
    pub start_max: Duration,
    /// It may take so long to answer: 10 s.
    pub answer_max: Duration,
}

impl Starting {
    /// A program with its arguments, which says when it is ready.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Starting {
        Starting {
            command: command.into_iter().map(Into::into).collect(),
            directory: None,
            environment: Vec::new(),
            ready: Ready::Idle,
            start_max: Duration::from_secs(20),
            answer_max: Duration::from_secs(10),
        }
    }

    /// The command, ready to be run.
    pub fn command(&self) -> Result<Command, Trouble> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(Trouble::new(TroubleKind::Start, "there is no program to start"));
        };
        let mut command = Command::new(program);
        command.args(arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        Ok(command)
    }
}

/// When a system is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ready {
    /// At once.
    Now,
    /// When it says `{"idle":true}`.
    Idle,
    /// When the first message comes on a channel.
    Channel(String),
    /// When it says this on its standard error.
    Words(String),
    /// When it listens to a port of this machine.
    Port(u16),
}

/// A system that is spoken with in lines, in virtual or in real time.
#[derive(Debug)]
pub struct StdioBus {
    starting: Starting,
    is_virtual: bool,
    /// Whether it can be made as new without being started again.
    can_reset: bool,
    speaker: Option<Speaker>,
    reader: LineReader,
    now: u64,
    begun: Instant,
    /// Virtual time: what it was told, and is not known to have done.
    waiting: VecDeque<Told>,
    /// Lines that are not sent yet.
    unsent: String,
    /// The time that it was last told to advance to.
    advanced: u64,
    /// The time at which it last had nothing more to do.
    idle_at: Option<u64>,
    next_timer: Option<u64>,
    knows_timer: bool,
    /// Whether it was seen that messages are not answered by idle lines of their own.
    is_in_step: bool,
    /// So many times it is still waited for what nobody asked for, once something is wrong.
    lingers: usize,
    /// How often this process was reset.
    resets: u64,
    /// What was heard while that was looked at.
    early: VecDeque<Heard>,
}

/// What a system in virtual time is told.
#[derive(Debug)]
enum Told {
    Message(Arc<Message>),
    /// Let time pass until then: it is answered.
    Advance(u64),
}

impl Told {
    /// The time of a message.
    fn at(&self) -> Option<u64> {
        match self {
            Told::Message(sent) => Some(sent.at),
            Told::Advance(_) => None,
        }
    }
}

impl StdioBus {
    /// A system, not started yet.
    pub fn new(starting: Starting, is_virtual: bool, can_reset: bool) -> StdioBus {
        StdioBus {
            starting,
            is_virtual,
            can_reset,
            speaker: None,
            reader: LineReader::default(),
            now: 0,
            begun: Instant::now(),
            waiting: VecDeque::new(),
            unsent: String::new(),
            advanced: 0,
            idle_at: None,
            next_timer: None,
            knows_timer: false,
            is_in_step: false,
            lingers: LINGERS,
            resets: 0,
            early: VecDeque::new(),
        }
    }

    fn start(&mut self, before: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        // The one before ends first.
        self.speaker = None;
        if self.can_reset {
            // (What was found out about one process need not be so of the next; where each run has its own, no stray line outlives it.)
            (self.is_in_step, self.lingers, self.resets) = (false, LINGERS, 0);
        }
        let trouble = |what: String| Trouble::new(TroubleKind::Start, what);
        let command = self.starting.command()?;
        let mut speaker = Speaker::program(command).map_err(|error| trouble(error.to_string()))?;
        let begun = Instant::now();
        loop {
            let left = self.starting.start_max.saturating_sub(begun.elapsed());
            if left.is_zero() {
                let said = speaker.words();
                let said = if said.is_empty() { said } else { format!("; it said: {said}") };
                // (It may have nothing to say.)
                let hint = match self.starting.ready {
                    Ready::Idle => {
                        ": it did not say `{\"idle\":true}` (if it never does, say `ready = \"now\"`)"
                    }
                    _ => "",
                };
                return Err(trouble(format!(
                    "`{}` was not ready within {:?}{hint}{said}",
                    self.starting.command.join(" "),
                    self.starting.start_max
                )));
            }
            let is_ready = match &self.starting.ready {
                Ready::Now => true,
                Ready::Idle | Ready::Channel(_) => match speaker.hear(left) {
                    Line::Nothing => continue,
                    Line::Gone => return Err(trouble(speaker.last_words())),
                    Line::Line(line) if line.trim().is_empty() => continue,
                    Line::Line(line) => match (self.reader.hear(&line), &self.starting.ready) {
                        (Ok(Heard::Idle { next }), Ready::Idle) => {
                            (self.next_timer, self.knows_timer) = (next, true);
                            true
                        }
                        (Ok(Heard::Message { channel, value, .. }), ready) => {
                            let is_wanted = matches!(ready, Ready::Channel(wanted) if **wanted == *channel);
                            before.push(Arc::new(Message { at: 0, channel, value }));
                            check_flood(before)?;
                            is_wanted
                        }
                        (Ok(_), _) => false,
                        (Err(why), _) => {
                            return Err(Trouble::new(
                                TroubleKind::Malformed,
                                format!("{why}, in `{}`", shortened(&line)),
                            ));
                        }
                    },
                },
                Ready::Words(words) => {
                    let is_said = speaker.words().contains(words.as_str());
                    self.await_life(&mut speaker)?;
                    is_said
                }
                Ready::Port(port) => {
                    let address = SocketAddr::from(([127, 0, 0, 1], *port));
                    let listens = gainsay_subject::connect(&address, Duration::from_millis(200)).is_ok();
                    self.await_life(&mut speaker)?;
                    listens
                }
            };
            if is_ready {
                self.speaker = Some(speaker);
                return if self.is_virtual && self.starting.ready != Ready::Idle {
                    self.find_idle(before)
                } else {
                    Ok(())
                };
            }
        }
    }

    /// A system in virtual time that is ready by something else may have said that it rests, may say so soon, or never. It is asked once, and whatever it
    /// has said by then, and a little later, is no answer to what comes.
    fn find_idle(&mut self, before: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        self.say(r#"{"advance_to_ms":0}"#.into())?;
        let mut limit = self.starting.start_max;
        loop {
            match self.hear(limit)? {
                Some(Heard::Idle { next }) => {
                    (self.next_timer, self.knows_timer) = (next, true);
                    limit = LINGER;
                }
                Some(Heard::Message { channel, value, .. }) => {
                    before.push(Arc::new(Message { at: 0, channel, value }));
                    check_flood(before)?;
                }
                None if self.knows_timer => return Ok(()),
                None => {
                    let what = format!("it did not answer `{{\"advance_to_ms\":0}}` within {limit:?}");
                    return Err(self.give_up(TroubleKind::Start, what));
                }
            }
        }
    }

    /// Waits a little for a system that says nothing yet.
    fn await_life(&self, speaker: &mut Speaker) -> Result<(), Trouble> {
        if speaker.has_ended() {
            return Err(Trouble::new(TroubleKind::Start, speaker.last_words()));
        }
        std::thread::park_timeout(Duration::from_millis(2));
        Ok(())
    }

    fn say(&mut self, line: String) -> Result<(), Trouble> {
        let limit = self.starting.answer_max;
        match &mut self.speaker {
            Some(speaker) => {
                speaker.say(line, limit);
                Ok(())
            }
            None => Err(Trouble::new(TroubleKind::Died, "it has ended before")),
        }
    }

    /// The system has ended, or does not do as agreed: it is started again for the next run.
    fn give_up(&mut self, kind: TroubleKind, what: impl Into<String>) -> Trouble {
        self.speaker = None;
        Trouble::new(kind, what)
    }

    /// The next thing it says before the limit.
    fn hear(&mut self, limit: Duration) -> Result<Option<Heard>, Trouble> {
        match self.early.pop_front() {
            Some(heard) => Ok(Some(heard)),
            None => self.hear_more(limit),
        }
    }

    fn hear_more(&mut self, limit: Duration) -> Result<Option<Heard>, Trouble> {
        loop {
            let Some(speaker) = &mut self.speaker else {
                return Err(Trouble::new(TroubleKind::Died, "it has ended before"));
            };
            match speaker.hear(limit) {
                Line::Nothing => return Ok(None),
                Line::Gone => {
                    let words = speaker.last_words();
                    return Err(self.give_up(TroubleKind::Died, words));
                }
                Line::Line(line) if line.trim().is_empty() => {}
                Line::Line(line) => match self.reader.hear(&line) {
                    Ok(heard) => return Ok(Some(heard)),
                    Err(why) => {
                        let what = format!("{why}, in `{}`", shortened(&line));
                        return Err(self.give_up(TroubleKind::Malformed, what));
                    }
                },
            }
        }
    }

    /// Virtual time: notes that time is to pass until then.
    fn note_advance(&mut self, until: u64) {
        let _ = writeln!(self.unsent, "{{\"advance_to_ms\":{}}}", time::shown_ms(until));
        self.waiting.push_back(Told::Advance(until));
        self.advanced = until;
    }

    /// Lets virtual time pass until then, with all that was noted before, and hears what comes of it: not later than the limit.
    fn advance(&mut self, until: u64, limit: u64, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        let last = self.waiting.iter().rev().find_map(Told::at).unwrap_or(0);
        let limit = limit.max(last);
        self.note_advance(until);
        let lines = std::mem::take(&mut self.unsent);
        self.say(lines.trim_end().to_string())?;
        let has_message = self.waiting.iter().any(|told| told.at().is_some());
        let mut heard = self.hear_all(limit, seen);
        if heard.is_ok() && has_message && !self.is_in_step {
            heard = self.check_step();
        }
        if heard.is_err() {
            // What it was told last may be what it could not bear.
            while !self.waiting.is_empty() {
                self.take_messages(seen);
                self.waiting.pop_front();
            }
        }
        heard
    }

    /// A system that says that it is idle after each message is heard too early from then on: its answers are those to the line before. Whoever does
    /// so is still speaking when the first answers are all there.
    fn check_step(&mut self) -> Result<(), Trouble> {
        let mut due = self.waiting.iter().filter(|told| told.at().is_none()).count();
        loop {
            match self.hear_more(LINGER)? {
                Some(Heard::Idle { .. }) if due > 0 => due -= 1,
                Some(Heard::Idle { .. }) => return Err(self.give_up(TroubleKind::Malformed, UNASKED)),
                Some(message) => self.early.push_back(message),
                None => {
                    self.is_in_step = true;
                    return Ok(());
                }
            }
        }
    }

    /// All questions were answered: nothing that is said now may be an answer.
    fn expect_silence(&mut self, limit: Duration) -> Result<(), Trouble> {
        while let Some(heard) = self.hear_more(limit)? {
            match heard {
                Heard::Idle { .. } => return Err(self.give_up(TroubleKind::Malformed, UNASKED)),
                message => self.early.push_back(message),
            }
        }
        Ok(())
    }

    /// The messages that it was told before it was told anything else.
    fn take_messages(&mut self, seen: &mut Vec<Arc<Message>>) {
        while let Some(Told::Message(sent)) = self.waiting.front() {
            self.now = self.now.max(sent.at);
            seen.push(Arc::clone(sent));
            self.waiting.pop_front();
        }
    }

    /// Hears all answers.
    fn hear_all(&mut self, limit: u64, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        while !self.waiting.is_empty() {
            match self.hear(self.starting.answer_max)? {
                None => {
                    let what = format!("nothing came for {:?}", self.starting.answer_max);
                    return Err(self.give_up(TroubleKind::Silent, what));
                }
                Some(Heard::Idle { next }) => {
                    (self.next_timer, self.knows_timer) = (next, true);
                    self.take_messages(seen);
                    if let Some(Told::Advance(until)) = self.waiting.pop_front() {
                        self.now = self.now.max(until);
                        self.idle_at = Some(self.now);
                    }
                }
                Some(Heard::Message { at, channel, value }) => {
                    let at =
                        at.unwrap_or_else(|| self.waiting.front().and_then(Told::at).unwrap_or(self.now));
                    while let Some(Told::Message(sent)) = self.waiting.front()
                        && sent.at <= at
                    {
                        self.now = self.now.max(sent.at);
                        seen.push(Arc::clone(sent));
                        self.waiting.pop_front();
                    }
                    // (It was idle before it was sent a message: only timers between the two come before it.)
                    if let Some(Told::Message(sent)) = self.waiting.front()
                        && self.idle_at.is_some_and(|idle_at| at <= idle_at)
                    {
                        self.now = self.now.max(sent.at);
                    }
                    if at < self.now || at > limit {
                        self.check_step()?;
                        let what = format!(
                            "a message on `{channel}` is at {} ms, when it is {} ms, and {} ms at most",
                            time::shown_ms(at),
                            time::shown_ms(self.now),
                            time::shown_ms(limit)
                        );
                        return Err(self.give_up(TroubleKind::Clock, what));
                    }
                    self.now = at;
                    seen.push(Arc::new(Message { at, channel, value }));
                    if let Err(trouble) = check_flood(seen) {
                        self.speaker = None;
                        return Err(trouble);
                    }
                }
            }
        }
        Ok(())
    }

    /// Virtual time: notes a message. Whatever comes before it is done first, by a clock that does not go back: timers of earlier instants, but not those
    /// of its own.
    fn note_message(&mut self, message: &Arc<Message>) {
        let last = self.waiting.iter().rev().find_map(Told::at);
        let mut message = Arc::clone(message);
        if last.is_some_and(|last| {
            last > message.at || last == 0 && message.at == 0 && self.next_timer == Some(0)
        }) {
            // There is no time before the beginning to which it could be advanced, so that a timer of the beginning waits for the second
            // message: it comes a little later, and so do those that would come before it.
            let at = last.unwrap_or(0).max(time::MS);
            message = Arc::new(Message { at, ..(*message).clone() });
        }
        let just_before = message.at.saturating_sub(1) / time::MS * time::MS;
        if last == Some(message.at) {
            // What comes of the last one is said before this one is sent.
            self.note_advance(self.advanced);
        } else if message.at > 0 && (last.is_some() || just_before > self.advanced) {
            self.note_advance(just_before.max(last.unwrap_or(0)).max(self.advanced));
        }
        self.unsent.push_str(&message.to_json());
        self.unsent.push('\n');
        self.waiting.push_back(Told::Message(message));
    }

    /// Waits until a real moment, hearing what is said meanwhile; with `stop`, until something is.
    fn wait_until(&mut self, at: u64, stop: bool, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        loop {
            let left = Duration::from_nanos(at).saturating_sub(self.begun.elapsed());
            let heard = self.hear(left)?;
            let now = nanoseconds(self.begun.elapsed()).max(self.now);
            self.now = now;
            match heard {
                Some(Heard::Message { channel, value, .. }) => {
                    seen.push(Arc::new(Message { at: now, channel, value }));
                    if let Err(trouble) = check_flood(seen) {
                        self.speaker = None;
                        return Err(trouble);
                    }
                    if stop {
                        return Ok(());
                    }
                }
                Some(Heard::Idle { .. }) => {}
                None => {
                    if now >= at {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// What is said of a system that is idle too often.
const UNASKED: &str =
    "`{\"idle\":true}` came though nobody asked: it answers `advance_to_ms` and `reset`, not each message";

/// Of so many wrong runs it is waited whether the system has more to say.
const LINGERS: usize = 8;

/// Whoever was asked and has answered may still say what it wanted to say before.
const LINGER: Duration = Duration::from_millis(30);

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_string(),
    }
}

impl Bus for StdioBus {
    fn begin(&mut self, _: &mut Case) -> Result<Vec<Arc<Message>>, Trouble> {
        self.waiting.clear();
        self.unsent.clear();
        self.early.clear();
        self.advanced = 0;
        self.idle_at = None;
        let mut before = Vec::new();
        let is_running = self.speaker.as_mut().is_some_and(|speaker| !speaker.has_ended());
        if is_running && self.can_reset {
            self.say(r#"{"reset":true}"#.into())?;
            // (What was on its way belongs to the run before.)
            let mut old = Vec::new();
            loop {
                match self.hear(self.starting.answer_max)? {
                    Some(Heard::Idle { next }) => {
                        (self.next_timer, self.knows_timer) = (next, true);
                        break;
                    }
                    Some(Heard::Message { at, channel, value }) => {
                        old.push(Arc::new(Message { at: at.unwrap_or(0), channel, value }));
                        check_flood(&old)?;
                    }
                    None => {
                        return Err(
                            self.give_up(TroubleKind::Silent, "it does not answer `{\"reset\":true}`")
                        );
                    }
                }
            }
            // An answer too many puts all later runs of the process out of step. Whether there was one is looked at ever more seldom: what is out of step
            // stays so.
            self.resets += 1;
            if self.is_virtual && self.resets.is_power_of_two() {
                self.expect_silence(LINGER)?;
            }
        } else {
            self.start(&mut before)?;
        }
        self.now = 0;
        self.begun = Instant::now();
        Ok(before)
    }

    fn publish(&mut self, message: &Arc<Message>, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        if self.is_virtual {
            self.note_message(message);
            return Ok(());
        }
        self.wait_until(message.at, false, seen)?;
        let sent = Arc::new(Message { at: self.now.max(message.at), ..(**message).clone() });
        self.now = sent.at;
        self.say(sent.to_json())?;
        seen.push(sent);
        Ok(())
    }

    fn pass(&mut self, until: u64, stop: bool, seen: &mut Vec<Arc<Message>>) -> Result<u64, Trouble> {
        if !self.is_virtual {
            self.wait_until(until, stop, seen)?;
            return Ok(self.now);
        }
        let before = seen.len();
        let mut has_advanced = false;
        if stop && (!self.knows_timer || !self.waiting.is_empty()) {
            let now = self.advanced;
            self.advance(now, until, seen)?;
            if seen.len() > before {
                return Ok(self.now);
            }
        }
        loop {
            // (A timer that is said to be due, and does not fire, is not waited for.)
            let next = match self.next_timer.filter(|_| stop) {
                Some(timer) if timer > self.now || !has_advanced => timer.max(self.now).min(until),
                Some(_) => self.now.saturating_add(time::MS).min(until),
                None => until.max(self.now),
            };
            self.advance(next, next, seen)?;
            (self.now, has_advanced) = (next, true);
            if next >= until || stop && seen.len() > before {
                return Ok(next);
            }
        }
    }

    fn in_step(&mut self) -> Result<(), Trouble> {
        if !self.is_virtual || self.speaker.is_none() || !self.waiting.is_empty() {
            return Ok(());
        }
        // (All questions were answered: what comes now is an answer too many. It is mostly there already.)
        let limit = if self.lingers > 0 { LINGER } else { Duration::ZERO };
        self.lingers = self.lingers.saturating_sub(1);
        self.expect_silence(limit)
    }

    fn start_again(&mut self) {
        self.speaker = None;
    }

    fn is_virtual(&self) -> bool {
        self.is_virtual
    }
}
