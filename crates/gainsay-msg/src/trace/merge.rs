//! Several traces as one.

use super::{Clock, Format, Message, TraceError, each, typed};
use crate::monitor::Monitors;
use crate::system::System;
use crate::time;
use std::fmt;
use std::io::BufRead;

/// Something that a trace is read from.
pub struct Source<'a> {
    /// What it is called.
    pub name: String,
    /// Its bytes.
    pub input: Box<dyn BufRead + 'a>,
    /// How it is written.
    pub format: Format,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// Judges several traces as one: their messages are merged in the order of their times, and those of one time in the order of the traces. Where times
/// are those of a clock on a wall, the first message of all is at 0. Messages that somebody cares about are kept in memory.
///
/// # Errors
/// If a trace cannot be read, its times go back, a message is not of the type that its channel has in the system, or only some of the traces have
/// the times of a clock on a wall; the error names the trace.
pub fn monitor_all(
    sources: Vec<Source<'_>>,
    monitors: &mut Monitors,
    system: Option<&System>,
) -> Result<(), TraceError> {
    let channels = monitors.channels_of_interest();
    let type_of = |channel: &str| system?.channel(channel).map(|channel| channel.of.clone());
    let mut messages: Vec<Message> = Vec::new();
    let mut spans: Vec<(String, Clock, u64)> = Vec::new();
    for Source { name, input, format } in sources {
        let named = |error: TraceError| TraceError { line: None, what: format!("{name}: {error}") };
        let mut clock = Clock::absolute();
        let end = each(
            input,
            format,
            &mut clock,
            &|channel| channels.contains(channel),
            &type_of,
            &mut |message| {
                messages.push(match system {
                    Some(system) => typed(system, message)?,
                    None => message,
                });
                Ok(())
            },
        );
        let end = end.map_err(named)?;
        monitors.hear_others(clock.others);
        // (What has no messages has no times.)
        if clock.first.is_some() {
            spans.push((name, clock, end));
        }
    }
    let wrong = |what: String| TraceError { line: None, what };
    let on_wall = spans.iter().find(|(_, clock, _)| clock.is_wall());
    if let (Some((wall, ..)), Some((other, ..))) =
        (on_wall, spans.iter().find(|(_, clock, _)| !clock.is_wall()))
    {
        return Err(wrong(format!(
            "the times of {wall} are those of a clock on a wall, and those of {other} are not: they cannot be merged"
        )));
    }
    let first = spans.iter().filter_map(|(_, clock, _)| clock.first).min();
    let start = on_wall.and(first).unwrap_or(0);
    let end = spans.iter().map(|(_, _, end)| *end).max().unwrap_or(0);
    messages.sort_by_key(|message| message.at);
    for mut message in messages {
        message.at -= start;
        let at = message.at;
        let seen = monitors.see(message);
        seen.map_err(|error| wrong(format!("the message at {} ms: {error}", time::shown_ms(at))))?;
    }
    monitors.pass_to(end.saturating_sub(start)).map_err(|error| wrong(error.to_string()))
}
