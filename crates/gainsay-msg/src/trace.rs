//! Traces: messages with their times.

mod format;
pub(crate) mod json;
mod mcap;
mod merge;
mod raw;
mod recording;
mod rosbag;
mod table;

pub use format::Format;
pub use merge::{Source, monitor_all};

use crate::monitor::Monitors;
use crate::system::System;
use crate::time;
use crate::types::Type;
use crate::value::Value;
use format::LINE;
use json::{Line, LineReader};
use std::fmt;
use std::io::{BufRead, Write};
use std::sync::Arc;

/// A message that was seen on a channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// When, in nanoseconds since the start.
    pub at: u64,
    /// Where.
    pub channel: Arc<str>,
    /// What it says.
    pub value: Value,
}

impl Message {
    /// A message at a time in nanoseconds.
    pub fn new(at: u64, channel: impl Into<Arc<str>>, value: impl Into<Value>) -> Message {
        Message { at, channel: channel.into(), value: value.into() }
    }

    /// A line of JSON as a message: `{"at_ms":40,"channel":"/laser","msg":{"dist":50.0}}`.
    ///
    /// # Errors
    /// If it is none.
    pub fn from_json(line: &str) -> Result<Message, TraceError> {
        match LineReader::default().read(line, &|_| true) {
            Ok(Line::Message(message)) => Ok(message),
            Ok(Line::Time { .. }) => Err(TraceError { line: None, what: "there is no message in it".into() }),
            Err(what) => Err(TraceError { line: None, what }),
        }
    }

    /// It as a line of JSON.
    pub fn to_json(&self) -> String {
        json::write_message(self)
    }

    /// A message at a time in whole milliseconds.
    pub fn at_ms(at_ms: u64, channel: impl Into<Arc<str>>, value: impl Into<Value>) -> Message {
        Message::new(at_ms.saturating_mul(time::MS), channel, value)
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{} ms  {} {}", time::shown_ms(self.at), self.channel, shown_value(&self.value))
    }
}

/// Values are shown up to so many characters.
const SHOWN_MAX: usize = 300;

/// A value for people, who do not read all of it if it is long.
pub(crate) fn shown_value(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((at, _)) => format!("{}… ({} characters)", &text[..at], text.chars().count()),
        None => text,
    }
}

/// What was seen of a system: messages in order, and until when it was watched.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// What was said before the start, and is not judged.
    pub before: Vec<Arc<Message>>,
    /// The messages; their times do not go back.
    pub messages: Vec<Arc<Message>>,
    /// Until when it was watched, in nanoseconds: at least until the last message.
    pub end: u64,
}

impl Trace {
    /// Messages, and until when no other came.
    pub fn new(messages: Vec<Message>, end: u64) -> Trace {
        let end = messages.last().map_or(end, |last| end.max(last.at));
        Trace { before: Vec::new(), messages: messages.into_iter().map(Arc::new).collect(), end }
    }
}

/// A value from JSON.
///
/// # Errors
/// If it is none.
pub fn json_value(text: &str) -> Result<Value, TraceError> {
    LineReader::default().value(text, "").map_err(|what| TraceError { line: None, what })
}

impl Value {
    /// It as JSON. Floats that JSON has no numbers for are text: `"NaN"`, `"Infinity"`.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        json::write_value(self, &mut text);
        text
    }
}

/// A trace that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceError {
    /// The line, from 1, where there are lines.
    pub line: Option<u64>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for TraceError {}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// If it cannot be read, or its times go back.
    pub fn read(input: impl BufRead, format: Format) -> Result<Trace, TraceError> {
        let mut trace = Trace::default();
        let mut clock = Clock::relative();
        let end = each(input, format, &mut clock, &|_| true, &|_| None, &mut |message| {
            if message.at < trace.end {
                return Err(went_back(trace.end, message.at));
            }
            trace.end = message.at;
            trace.messages.push(Arc::new(message));
            Ok(())
        })?;
        trace.end = trace.end.max(end);
        Ok(trace)
    }

    /// Writes it as lines of JSON.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_lines(&self, mut output: impl Write) -> std::io::Result<()> {
        for message in &self.messages {
            writeln!(output, "{}", message.to_json())?;
        }
        writeln!(output, "{{\"at_ms\":{},\"end\":true}}", time::shown_ms(self.end))
    }

    /// Writes it as a recording.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_mcap(&self, output: impl Write) -> Result<(), TraceError> {
        recording::write(self, output).map_err(|what| TraceError { line: None, what })
    }
}

fn went_back(from: u64, to: u64) -> String {
    let (from, to) = (time::shown_ms(from), time::shown_ms(to));
    format!("time goes back from {from} ms to {to} ms, and a trace is in the order of its times")
}

/// Times beyond this are those of a clock on a wall: they count from 1970 on.
const YEAR: u64 = 365 * 24 * 60 * 60 * 1_000_000_000;

/// Makes times of a recording times since its start. Where they are those of a clock on a wall, the first message is at 0.
struct Clock {
    is_relative: bool,
    /// The time of the first message, whether somebody cares about it or not.
    first: Option<u64>,
    /// The time of the last one, as it is written.
    last: u64,
    /// How many messages there were that nobody cares about.
    others: u64,
}

impl Clock {
    fn relative() -> Clock {
        Clock { is_relative: true, first: None, last: 0, others: 0 }
    }

    /// One that leaves times as they are.
    fn absolute() -> Clock {
        Clock { is_relative: false, first: None, last: 0, others: 0 }
    }

    fn is_wall(&self) -> bool {
        self.first.is_some_and(|first| first > YEAR)
    }

    fn at(&mut self, time: u64) -> u64 {
        let first = *self.first.get_or_insert(time);
        if self.is_relative && self.is_wall() { time.saturating_sub(first) } else { time }
    }

    /// The same where what comes later must not be before.
    fn next(&mut self, time: u64) -> Result<u64, String> {
        if time < self.last {
            return Err(went_back(self.last, time));
        }
        self.last = time;
        Ok(self.at(time))
    }
}

/// Judges a trace while it is read. Messages that nobody cares about are not even looked at. Where times are those of a clock on a wall (more than
/// a year after 0), the first message is at 0.
///
/// # Errors
/// If it cannot be read, or its times go back.
pub fn monitor(input: impl BufRead, format: Format, monitors: &mut Monitors) -> Result<(), TraceError> {
    judge(input, format, monitors, &|_| None, &|message| Ok(message))
}

/// The same for the trace of a system: messages are of the types that its channels have.
///
/// # Errors
/// The same, and if a message is not of its type.
pub fn monitor_system(
    input: impl BufRead,
    format: Format,
    monitors: &mut Monitors,
    system: &System,
) -> Result<(), TraceError> {
    let type_of = |channel: &str| system.channel(channel).map(|channel| channel.of.clone());
    judge(input, format, monitors, &type_of, &|message| typed(system, message))
}

/// A message as its channel's type has it.
fn typed(system: &System, message: Message) -> Result<Message, String> {
    let Some(channel) = system.channel(&message.channel) else { return Ok(message) };
    let conformed = channel.of.conform(message.value);
    let value = conformed.map_err(|why| format!("a message on `{}`: {why}", message.channel))?;
    Ok(Message { value, ..message })
}

fn judge(
    input: impl BufRead,
    format: Format,
    monitors: &mut Monitors,
    type_of: &dyn Fn(&str) -> Option<Type>,
    typed: &dyn Fn(Message) -> Result<Message, String>,
) -> Result<(), TraceError> {
    let channels = monitors.channels_of_interest();
    let mut last = 0;
    let mut clock = Clock::relative();
    let cares = |channel: &str| channels.contains(channel);
    let end = each(input, format, &mut clock, &cares, type_of, &mut |message| {
        last = message.at;
        monitors.see(typed(message)?).map_err(|error| error.to_string())
    })?;
    monitors.hear_others(clock.others);
    monitors.pass_to(end.max(last)).map_err(|error| TraceError { line: None, what: error.to_string() })
}

/// Calls something with each message that is cared about; until when the trace lasts.
fn each(
    mut input: impl BufRead,
    format: Format,
    clock: &mut Clock,
    cares: &dyn Fn(&str) -> bool,
    type_of: &dyn Fn(&str) -> Option<Type>,
    see: &mut dyn FnMut(Message) -> Result<(), String>,
) -> Result<u64, TraceError> {
    let wrong = |what: String| TraceError { line: None, what };
    let recorded = match format {
        Format::Lines => return each_line(input, clock, cares, see),
        Format::Csv => {
            let mut last = 0;
            table::read(input, type_of, &mut |mut message| {
                message.at = clock.next(message.at)?;
                last = message.at;
                if cares(&message.channel) {
                    return see(message);
                }
                clock.others += 1;
                Ok(())
            })?;
            return Ok(last);
        }
        Format::Mcap | Format::Rosbag => {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
            let recorded = match format {
                _ if bytes.is_empty() => Err("this recording is empty".into()),
                Format::Mcap => recording::read(&bytes, cares),
                _ => rosbag::read(&bytes, cares),
            };
            recorded.map_err(wrong)?
        }
    };
    (clock.first, clock.others) = (recorded.first, recorded.others);
    // (What has no messages has no clock.)
    let end = recorded.first.map_or(recorded.end, |_| clock.at(recorded.end));
    let seen = recorded.each(&mut |mut message| {
        message.at = clock.at(message.at);
        see(message)
    });
    seen.map_err(wrong)?;
    Ok(end)
}

fn each_line(
    mut input: impl BufRead,
    clock: &mut Clock,
    cares: &dyn Fn(&str) -> bool,
    see: &mut dyn FnMut(Message) -> Result<(), String>,
) -> Result<u64, TraceError> {
    let mut reader = LineReader::default();
    let mut text = String::new();
    // (Some editors begin a file with a mark.)
    if input.fill_buf().is_ok_and(|first| first.starts_with(b"\xef\xbb\xbf")) {
        input.consume(3);
    }
    let (mut number, mut last, mut has_ended) = (0, 0, false);
    loop {
        text.clear();
        number += 1;
        let wrong = |what: String| TraceError { line: Some(number), what };
        if input.read_line(&mut text).map_err(|error| wrong(error.to_string()))? == 0 {
            return Ok(last);
        }
        let line = text.trim();
        if line.is_empty() {
            continue;
        }
        if has_ended {
            return Err(wrong("there is something after the end".into()));
        }
        let mut said = reader.read(line, cares).map_err(|what| match clock.first {
            // (Whoever begins like that has something else in mind.)
            None => wrong(format!("{what}; each line is a message such as `{LINE}`")),
            Some(_) => wrong(what),
        })?;
        let at = match &mut said {
            Line::Message(Message { at, .. }) | Line::Time { at, .. } => at,
        };
        *at = clock.next(*at).map_err(wrong)?;
        last = *at;
        match said {
            Line::Message(message) => see(message).map_err(wrong)?,
            Line::Time { ends: true, .. } => has_ended = true,
            Line::Time { ends: false, .. } => clock.others += 1,
        }
    }
}
