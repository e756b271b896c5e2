//! One JSON line a case, in the words of the Tyche viewer.

use crate::case::Case;
use crate::error::Error;
use crate::outcome::{Outcome, Status};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

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

    pub(crate) fn case(&mut self, outcome: &Outcome, case: &Case, how: &str) {
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
             \"representation\":{},\"arguments\":{{\"choices\":[{}]}},\"how_generated\":{},\"features\":{{{features}}},\
             \"coverage\":null,\"timing\":{{}},\"metadata\":{{\"size\":{}}}}}\n",
            string(&self.property),
            self.start,
            string(&reason),
            string(&numbers.join(" ")),
            numbers.join(","),
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
