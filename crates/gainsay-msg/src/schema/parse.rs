//! Schemas as they are written by hand.

use super::{Schema, Statement};
use crate::diagnostic::Diagnostic;
use crate::rule::{Channels, resolve_event};
use crate::time;

/// Reads a schema: lines `forbid EVENT`, `+m..n: publish EVENT`, `+m..: publish EVENT`, `await EVENT`; times in milliseconds.
///
/// # Errors
/// What is wrong with it.
pub fn parse(name: &str, text: &str, channels: &dyn Channels) -> Result<Schema, Vec<Diagnostic>> {
    let mut statements = Vec::new();
    let mut troubles = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let at = start + indent;
        start += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match statement(line, at, channels) {
            Ok(statement) => statements.push(statement),
            Err(found) => troubles.extend(found),
        }
    }
    if troubles.is_empty() { Ok(Schema { name: name.to_string(), statements }) } else { Err(troubles) }
}

fn statement(line: &str, at: usize, channels: &dyn Channels) -> Result<Statement, Vec<Diagnostic>> {
    let wrong = |message: &str| {
        let help =
            "lines are `forbid EVENT`, `+0..500: publish EVENT`, `+0..: publish EVENT` and `await EVENT`";
        vec![Diagnostic::error(at..at + line.len(), message).help(help)]
    };
    let event = |text: &str| {
        let offset = at + (text.as_ptr() as usize - line.as_ptr() as usize);
        resolve_event(text, channels).map_err(|troubles| {
            let moved = troubles.into_iter().map(|mut trouble| {
                trouble.span = trouble.span.start + offset..trouble.span.end + offset;
                trouble
            });
            moved.collect::<Vec<_>>()
        })
    };
    if let Some(rest) = line.strip_prefix("forbid ") {
        return Ok(Statement::Forbid(event(rest)?));
    }
    if let Some(rest) = line.strip_prefix("await ") {
        return Ok(Statement::Await { event: event(rest)? });
    }
    let Some((bounds, rest)) = line.strip_prefix('+').and_then(|line| line.split_once(':')) else {
        return Err(wrong("this is no line of a schema"));
    };
    let Some((least, most)) = bounds.split_once("..") else { return Err(wrong("expected `+m..n:`")) };
    let number =
        |text: &str| time::scaled(text.trim(), time::MS).map_err(|why| wrong(&format!("`{text}`: {why}")));
    let least = number(least)?;
    let most = if most.trim().is_empty() { None } else { Some(number(most)?) };
    if most.is_some_and(|most| most <= least) {
        return Err(wrong("nothing is between these times: the second does not count"));
    }
    let Some(rest) = rest.trim_start().strip_prefix("publish ") else {
        return Err(wrong("expected `publish`"));
    };
    Ok(Statement::Publish { least, most, event: event(rest)? })
}
