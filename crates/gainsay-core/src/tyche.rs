//! One JSON line a case, in the words of the Tyche viewer.

use crate::case::Case;
use crate::error::Error;
use crate::outcome::{Outcome, Status};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Writes what the Tyche viewer reads.
#[derive(Debug)]
pub(crate) struct Tyche {
    file: BufWriter<File>,
    property: String,
    start: f64,
}

impl Tyche {
    pub(crate) fn open(path: &Path, property: &str) -> Result<Tyche, Error> {
        let file = File::options()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|error| Error::file("open the file for cases", path, error))?;
        let start = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
        Ok(Tyche { file: BufWriter::new(file), property: property.to_string(), start })
    }

    /// Writes a case that was shown, and how long it took if that is known.
    pub(crate) fn case(&mut self, outcome: &Outcome, case: &Case, how: &str, took: Option<Duration>) {
        let status = match outcome.status {
            Status::Passed | Status::Undefined => "passed",
            Status::Failed => "failed",
            Status::Rejected | Status::Overrun | Status::Unjudged => "gave_up",
        };
        let reason = match (&outcome.failure, case.reason()) {
            (Some(failure), _) => failure.message.clone(),
            (None, Some(reason)) => reason.to_string(),
            _ => String::new(),
        };
        let numbers: Vec<String> = case.choices().iter().map(|c| c.value.to_string()).collect();
        let notes = &case.remarks.notes;
        let shown = match (notes.as_slice(), case.transcript()) {
            ([], "") => numbers.join(" "),
            ([], draws) => draws.to_string(),
            (notes, _) => notes
                .iter()
                .map(|note| format!("{} = {}", note.name, note.value))
                .collect::<Vec<_>>()
                .join("\n"),
        };
        let arguments: Vec<String> = match notes.as_slice() {
            [] => vec![format!("\"choices\":[{}]", numbers.join(","))],
            notes => {
                notes.iter().map(|note| format!("{}:{}", string(&note.name), string(&note.value))).collect()
            }
        };
        let timing =
            took.map_or_else(String::new, |took| format!("\"execute:test\":{:.9}", took.as_secs_f64()));
        let mut features = String::new();
        for label in &case.remarks.labels {
            let name = label.table.unwrap_or(&label.text);
            let value = if label.table.is_some() { string(&label.text) } else { label.holds.to_string() };
            let comma = if features.is_empty() { "" } else { "," };
            let _ = write!(features, "{comma}{}:{value}", string(name));
        }
        for (label, score) in &case.remarks.scores {
            let comma = if features.is_empty() { "" } else { "," };
            let _ = write!(features, "{comma}{}:{score}", string(label));
        }
        let line = format!(
            "{{\"type\":\"test_case\",\"property\":{},\"run_start\":{:.6},\"status\":\"{status}\",\"status_reason\":{},\
             \"representation\":{},\"arguments\":{{{}}},\"how_generated\":{},\"features\":{{{features}}},\
             \"coverage\":null,\"timing\":{{{timing}}},\"metadata\":{{\"size\":{}}}}}\n",
            string(&self.property),
            self.start,
            string(&reason),
            string(&shown),
            arguments.join(","),
            string(how),
            case.size()
        );
        // A viewer's file is no reason to fail a test.
        let _ = self.file.write_all(line.as_bytes());
    }
}

/// A JSON string.
fn string(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(json, "\\u{:04x}", u32::from(c));
            }
            c => json.push(c),
        }
    }
    json.push('"');
    json
}
