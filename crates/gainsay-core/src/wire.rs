//! How cases are written down: in the corpus, in the replay variable, and between a test and its child.

use crate::choice::{Choice, Kind, Shape};
use crate::error::Error;
use crate::record::{Record, Span};
use std::collections::HashSet;
use std::sync::Mutex;

/// The version of all written forms.
pub(crate) const VERSION: u32 = 1;

/// A case, as it can be named from outside.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Named {
    /// These choices.
    Record(Record),
    /// Case `index` of the run with `seed`.
    Random { seed: u64, index: u64, size: u32 },
    /// The case that run number `run` of an enumeration makes, permuted by `seed`.
    Walk { seed: u64, run: u64 },
    /// The entry of the corpus whose name begins like this.
    Entry(String),
}

/// The value of `GAINSAY_REPLAY` for some choices: version, size, numbers.
pub(crate) fn replay_of(record: &Record) -> String {
    let numbers: Vec<String> = record.choices.iter().map(|choice| choice.value.to_string()).collect();
    format!("{VERSION}:{}:{}", record.size, numbers.join(","))
}

/// The value of `GAINSAY_REPLAY` for a random case.
pub(crate) fn replay_of_random(seed: u64, index: u64, size: u32) -> String {
    format!("{VERSION}:{size}:seed={seed},case={index}")
}

/// The value of `GAINSAY_REPLAY` for a case of an enumeration.
pub(crate) fn replay_of_walk(seed: u64, run: u64) -> String {
    format!("{VERSION}:0:walk={run},seed={seed}")
}

/// Reads a value of `GAINSAY_REPLAY`.
pub(crate) fn parse_replay(text: &str) -> Result<Named, Error> {
    let trouble = |trouble: &str| Error::replay(text, trouble);
    if let Some(entry) = text.strip_prefix("entry=") {
        return Ok(Named::Entry(entry.to_string()));
    }
    let mut parts = text.splitn(3, ':');
    let version: u32 = parts
        .next()
        .and_then(|version| version.parse().ok())
        .ok_or_else(|| trouble("it should look like `1:100:0,7,1` (version, size, numbers)"))?;
    if version != VERSION {
        return Err(trouble(&format!(
            "it is of version {version}, and this is a build that knows version {VERSION}"
        )));
    }
    let size = parts
        .next()
        .and_then(|size| size.parse().ok())
        .ok_or_else(|| trouble("its second part should be the size, a whole number"))?;
    let rest = parts.next().ok_or_else(|| trouble("its third part, the numbers, is missing"))?;
    if let Some((seed, index)) = rest.strip_prefix("seed=").and_then(|rest| rest.split_once(",case=")) {
        return match (seed.parse(), index.parse()) {
            (Ok(seed), Ok(index)) => Ok(Named::Random { seed, index, size }),
            _ => Err(trouble("seed and case should be whole numbers")),
        };
    }
    if let Some((run, seed)) = rest.strip_prefix("walk=").and_then(|rest| rest.split_once(",seed=")) {
        return match (run.parse(), seed.parse()) {
            (Ok(run), Ok(seed)) => Ok(Named::Walk { seed, run }),
            _ => Err(trouble("walk and seed should be whole numbers")),
        };
    }
    let numbers: Result<Vec<u64>, _> =
        rest.split(',').filter(|n| !n.is_empty()).map(|n| n.trim().parse()).collect();
    let numbers = numbers.map_err(|_| trouble("its numbers should be whole and separated by commas"))?;
    // Nothing is known about the shapes, so nothing is claimed.
    let choices = numbers
        .into_iter()
        .map(|value| Choice {
            value,
            shape: Shape { max: u64::MAX, below: 0, kind: Kind::Int, owner: UNKNOWN },
        })
        .collect();
    Ok(Named::Record(Record { size, choices, spans: Vec::new() }))
}

/// The owner of choices of which only the numbers are known.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Choices with their kinds: `m1 i7 m0`.
pub(crate) fn write_choices(choices: &[Choice]) -> String {
    let letter = |c: &Choice| if c.shape.owner == UNKNOWN { '?' } else { c.shape.kind.letter() };
    let words: Vec<String> = choices.iter().map(|c| format!("{}{}", letter(c), c.value)).collect();
    words.join(" ")
}

pub(crate) fn read_choices(text: &str) -> Result<Vec<Choice>, String> {
    text.split_whitespace()
        .map(|word| {
            let mut letters = word.chars();
            let letter = letters.next();
            let (kind, owner) = match letter {
                // Only the number is known.
                Some('?') => (Some(Kind::Int), UNKNOWN),
                letter => (letter.and_then(Kind::of_letter), 0),
            };
            match (kind, letters.as_str().parse()) {
                (Some(kind), Ok(value)) => {
                    Ok(Choice { value, shape: Shape { max: u64::MAX, below: 0, kind, owner } })
                }
                _ => Err(format!("`{word}` is not a choice such as `i7`")),
            }
        })
        .collect()
}

/// Spans: `vec 0..3 depth 0; …`.
pub(crate) fn write_spans(spans: &[Span]) -> String {
    let words: Vec<String> = spans
        .iter()
        .map(|span| format!("{} {} {} {}", label(span.label), span.start, span.end, span.depth))
        .collect();
    words.join("; ")
}

pub(crate) fn read_spans(text: &str) -> Result<Vec<Span>, String> {
    text.split(';')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(|word| {
            let parts: Vec<&str> = word.split(' ').collect();
            match parts.as_slice() {
                [label, start, end, depth] => match (start.parse(), end.parse(), depth.parse()) {
                    (Ok(start), Ok(end), Ok(depth)) if start <= end => {
                        Ok(Span { label: interned(&unlabel(label)), start, end, depth })
                    }
                    _ => Err(format!("`{word}` is not a span such as `vec 0 3 0`")),
                },
                _ => Err(format!("`{word}` is not a span such as `vec 0 3 0`")),
            }
        })
        .collect()
}

/// A label as one word.
pub(crate) fn label(label: &str) -> String {
    let mut word = String::new();
    for c in label.chars() {
        match c {
            '%' | ';' => word += &format!("%{:02x}", u32::from(c)),
            c if c.is_whitespace() || c.is_control() => word += &format!("%{:02x}", u32::from(c).min(0xff)),
            c => word.push(c),
        }
    }
    if word.is_empty() { "%".to_string() } else { word }
}

pub(crate) fn unlabel(word: &str) -> String {
    let mut label = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('%') {
        label += before;
        let code =
            after.get(..2).and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        label.extend(code);
        rest = after.get(2..).unwrap_or_default();
    }
    label + rest
}

/// Labels are static where they are made; those that are read live as long as the program, once each.
pub(crate) fn interned(label: &str) -> &'static str {
    static LABELS: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut labels = LABELS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let labels = labels.get_or_insert_default();
    match labels.get(label) {
        Some(known) => known,
        None => {
            let leaked: &'static str = Box::leak(label.to_string().into_boxed_str());
            labels.insert(leaked);
            leaked
        }
    }
}

/// Puts text on one line.
pub(crate) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

pub(crate) fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('r') => plain.push('\r'),
                Some(other) => plain.push(other),
                None => {}
            },
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "tab\there \\n and\nnew line\r";
        assert_eq!(unescape(&escape(text)), text);
        let choices = read_choices("m1 i7 m0 c3 f9 b1 x2 w4").unwrap();
        assert_eq!(write_choices(&choices), "m1 i7 m0 c3 f9 b1 x2 w4");
        let spans = read_spans("vec 0 3 0; Shape 3 9 1").unwrap();
        assert_eq!(write_spans(&spans), "vec 0 3 0; Shape 3 9 1");
        assert_eq!(parse_replay("1:3:seed=5,case=6").unwrap(), Named::Random { seed: 5, index: 6, size: 3 });
    }

    #[test]
    fn what_is_malformed_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "should look like"),
            ("x:1:2", "should look like"),
            ("9:1:2", "version 9"),
            ("1:q:2", "size"),
            ("1:3", "missing"),
            ("1:3:a,b", "separated by commas"),
            ("1:3:seed=x,case=1", "whole numbers"),
        ] {
            let error = parse_replay(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert!(read_choices("z9").is_err() && read_choices("i").is_err() && read_choices("é").is_err());
        assert!(read_spans("vec 3 1 0").is_err() && read_spans("vec 3").is_err());
    }
}
