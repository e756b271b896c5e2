//! Traces: messages with their times.

pub(crate) mod json;
mod recording;
mod table;

use crate::monitor::Monitors;
use crate::system::System;
use crate::time;
use crate::types::Type;
use crate::value::Value;
use json::{Line, LineReader};
use std::fmt;
use std::io::{BufRead, Seek, Write};
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

/// How a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A line of JSON for each message.
    Lines,
    /// A table.
    Csv,
    /// A recording.
    Mcap,
}

impl Format {
    /// By the name of a file; lines of JSON unless it says something else.
    pub fn of_name(name: &str) -> Format {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Format::Csv,
            "mcap" => Format::Mcap,
            _ => Format::Lines,
        }
    }

    /// By the first bytes of a trace: a recording begins with its mark, and a table with the names of its columns.
    pub fn of_bytes(bytes: &[u8]) -> Format {
        if bytes.starts_with(b"\x89MCAP") {
            return Format::Mcap;
        }
        let text = String::from_utf8_lossy(bytes);
        let first = text.trim_start_matches('\u{feff}').trim_start().lines().next().unwrap_or_default();
        if !first.starts_with('{') && first.contains("at_ms") && first.contains(',') {
            return Format::Csv;
        }
        Format::Lines
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
        let end = each(input, format, &|_| true, &|_| None, &mut |message| {
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
    pub fn write_mcap(&self, output: impl Write + Seek) -> Result<(), TraceError> {
        recording::write(self, output).map_err(|what| TraceError { line: None, what })
    }
}

fn went_back(from: u64, to: u64) -> String {
    format!("time goes back from {} ms to {} ms", time::shown_ms(from), time::shown_ms(to))
}

/// Judges a trace while it is read. Messages that nobody cares about are not even looked at.
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
    judge(input, format, monitors, &type_of, &|message| match system.channel(&message.channel) {
        Some(channel) => {
            let conformed = channel.of.conform(message.value);
            let value = conformed.map_err(|why| format!("a message on `{}`: {why}", message.channel))?;
            Ok(Message { value, ..message })
        }
        None => Ok(message),
    })
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
    let end = each(input, format, &|channel| channels.contains(channel), type_of, &mut |message| {
        last = message.at;
        monitors.see(typed(message)?).map_err(|error| error.to_string())
    })?;
    monitors.pass_to(end.max(last)).map_err(|error| TraceError { line: None, what: error.to_string() })
}

/// Calls something with each message that is cared about; until when the trace lasts.
fn each(
    mut input: impl BufRead,
    format: Format,
    cares: &dyn Fn(&str) -> bool,
    type_of: &dyn Fn(&str) -> Option<Type>,
    see: &mut dyn FnMut(Message) -> Result<(), String>,
) -> Result<u64, TraceError> {
    let unreadable = |error: std::io::Error| TraceError { line: None, what: error.to_string() };
    let mut last = 0;
    let mut seen = |message: Message| {
        if message.at < last {
            return Err(went_back(last, message.at));
        }
        last = message.at;
        if cares(&message.channel) { see(message) } else { Ok(()) }
    };
    match format {
        Format::Csv => table::read(input, type_of, &mut seen)?,
        Format::Mcap => {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(unreadable)?;
            let end = recording::read(&bytes, cares, &mut seen)?;
            return Ok(end.max(last));
        }
        Format::Lines => return each_line(input, cares, see),
    }
    Ok(last)
}

fn each_line(
    mut input: impl BufRead,
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
        let said = reader.read(line, cares).map_err(wrong)?;
        let at = match &said {
            Line::Message(message) => message.at,
            Line::Time { at, .. } => *at,
        };
        if at < last {
            return Err(wrong(went_back(last, at)));
        }
        last = at;
        match said {
            Line::Message(message) => see(message).map_err(wrong)?,
            Line::Time { ends, .. } => has_ended = ends,
        }
    }
}
