//! Traces as tables: the columns `at_ms` and `channel`, and one for each field, or one `msg` with JSON.

use super::json::LineReader;
use super::{Message, TraceError};
use crate::time;
use crate::types::Type;
use crate::value::{DEPTH_MAX, Names, Record, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::Read;
use std::sync::Arc;

/// Calls something with each message of a table. What cells say depends on the type of the channel, if `typed` knows it.
pub(super) fn read(
    input: impl Read,
    typed: &dyn Fn(&str) -> Option<Type>,
    see: &mut dyn FnMut(Message) -> Result<(), String>,
) -> Result<(), TraceError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).flexible(false).from_reader(input);
    let wrong = |line: u64, what: String| TraceError { line: Some(line), what };
    let of_csv = |error: csv::Error| TraceError {
        line: error.position().map(csv::Position::line),
        what: error.to_string(),
    };
    let headers = reader.headers().map_err(of_csv)?.clone();
    let column = |name: &str| headers.iter().position(|header| header == name);
    let (Some(at_column), Some(channel_column)) = (column("at_ms"), column("channel")) else {
        return Err(wrong(1, no_table(&headers)));
    };
    let mut names: Vec<&str> = headers.iter().collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|two| two[0] == two[1]) {
        return Err(wrong(1, format!("two columns are called `{}`", twice[0])));
    }
    let msg_column = column("msg");
    let is_field = |place: usize| ![Some(at_column), Some(channel_column), msg_column].contains(&Some(place));
    let mut fields: Vec<(usize, Vec<&str>)> = Vec::new();
    for (place, header) in headers.iter().enumerate().filter(|(place, _)| is_field(*place)) {
        // (Counted before they are taken apart: there may be very many.)
        if header.matches('.').count() >= DEPTH_MAX {
            let header: String = header.chars().take(40).collect();
            return Err(wrong(
                1,
                format!(
                    "the column `{header}…` is nested more than {DEPTH_MAX} deep: it has more than {} dots",
                    DEPTH_MAX - 1
                ),
            ));
        }
        fields.push((place, header.split('.').collect()));
    }
    let mut json = LineReader::default();
    for row in reader.records() {
        let row = row.map_err(of_csv)?;
        let line = row.position().map_or(0, csv::Position::line);
        let cell = |place: usize| row.get(place).unwrap_or_default();
        let at = time::scaled(cell(at_column), time::MS)
            .map_err(|why| wrong(line, format!("`at_ms` is `{}`: {why}", cell(at_column))))?;
        let channel = cell(channel_column);
        if channel.is_empty() {
            return Err(wrong(line, "there is no channel".into()));
        }
        let mut value = match msg_column {
            Some(place) if !cell(place).is_empty() => {
                json.value(cell(place), channel).map_err(|why| wrong(line, why))?
            }
            _ => Value::Record(Record::empty()),
        };
        if !fields.is_empty() {
            let mut draft = Draft::of(value);
            for (place, path) in &fields {
                if !cell(*place).is_empty() {
                    draft.put(path, cell(*place)).map_err(|why| wrong(line, why))?;
                }
            }
            value = draft.value();
        }
        value = match typed(channel) {
            Some(of) => typed_cells(&of, value),
            None => plain_cells(value),
        };
        // (A cell may be JSON, which is nested as well.)
        if value.depth() > DEPTH_MAX {
            return Err(wrong(line, format!("the message is nested more than {DEPTH_MAX} deep")));
        }
        see(Message::new(at, channel, value)).map_err(|why| wrong(line, why))?;
    }
    Ok(())
}

/// Why something that is read as a table is none.
fn no_table(headers: &csv::StringRecord) -> String {
    if headers.is_empty() {
        return "this table (CSV) is empty: its first line names the columns `at_ms` and `channel`".into();
    }
    let first = headers.get(0).unwrap_or_default();
    let hint = match () {
        () if first.starts_with('{') => "; it begins like lines of JSON: let its name end in `.jsonl`",
        () if first.contains([';', '\t']) => "; columns are separated by commas",
        () => "",
    };
    let columns: Vec<String> = headers.iter().take(8).map(|name| format!("`{name}`")).collect();
    let more = if headers.len() > 8 { " …" } else { "" };
    format!(
        "a table of messages has the columns `at_ms` and `channel`, and this, which is read as one (CSV), has {}{more}{hint}",
        columns.join(", ")
    )
}

/// What a cell says, where nobody knows.
fn plain(cell: &str) -> Value {
    match cell {
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        _ if cell.starts_with(['[', '{']) => {
            LineReader::default().value(cell, "").unwrap_or_else(|_| Value::Text(cell.into()))
        }
        _ => match (cell.parse::<i128>(), cell.parse::<f64>()) {
            (Ok(int), _) => Value::Int(int),
            (_, Ok(float)) => Value::Float(float),
            _ => Value::Text(cell.into()),
        },
    }
}

fn plain_cells(value: Value) -> Value {
    match value {
        Value::Text(cell) => plain(&cell),
        Value::Record(record) => {
            let cells = record.iter().map(|(name, value)| (name.to_string(), plain_cells(value.clone())));
            Value::Record(cells.collect())
        }
        other => other,
    }
}

/// The same where it is known: text stays as it is, and a cell with nothing in it is text without letters.
fn typed_cells(of: &Type, value: Value) -> Value {
    match (of, value) {
        (Type::Text, text @ Value::Text(_)) => text,
        (Type::Record(message), Value::Record(record)) => {
            let known: FxHashMap<&str, &Type> =
                message.fields.iter().map(|(name, of)| (name.as_str(), of)).rev().collect();
            let there: FxHashSet<&str> = record.iter().map(|(name, _)| name).collect();
            let empty = message
                .fields
                .iter()
                .filter(|(name, kind)| *kind == Type::Text && !there.contains(name.as_str()));
            let empty = empty.map(|(name, _)| (name.clone(), Value::Text("".into())));
            let said = record.iter().map(|(name, value)| {
                let of = known.get(name).copied().unwrap_or(&Type::Any);
                (name.to_string(), typed_cells(of, value.clone()))
            });
            Value::Record(said.chain(empty).collect())
        }
        (_, value) => plain_cells(value),
    }
}

/// A message while the cells of a row are put into it: fields are found by their names without looking through all of them.
enum Draft {
    Value(Value),
    Record { names: Vec<Box<str>>, drafts: Vec<Draft>, places: FxHashMap<Box<str>, usize> },
}

impl Draft {
    /// A draft of what is there already.
    fn of(value: Value) -> Draft {
        let Value::Record(record) = &value else { return Draft::Value(value) };
        let names: Vec<Box<str>> = record.iter().map(|(name, _)| name.into()).collect();
        let places = names.iter().cloned().zip(0..).collect();
        let drafts = record.values().iter().map(|value| Draft::Value(value.clone())).collect();
        Draft::Record { names, drafts, places }
    }

    /// Puts a cell at a path of names.
    fn put(&mut self, path: &[&str], cell: &str) -> Result<(), String> {
        if let Draft::Value(value @ Value::Record(_)) = self {
            *self = Draft::of(std::mem::replace(value, Value::Null));
        }
        let Draft::Record { names, drafts, places } = self else {
            return Err(format!("`{}` is a field of something that has a value already", path.join(".")));
        };
        let [name, rest @ ..] = path else { return Ok(()) };
        let known = places.get(*name).copied();
        let place = known.unwrap_or_else(|| {
            places.insert((*name).into(), names.len());
            names.push((*name).into());
            drafts.push(Draft::Value(Value::Record(Record::empty())));
            drafts.len() - 1
        });
        if !rest.is_empty() {
            return drafts[place].put(rest, cell);
        }
        if known.is_some() {
            return Err(format!("`{name}` has a value already"));
        }
        drafts[place] = Draft::Value(Value::Text(cell.into()));
        Ok(())
    }

    fn value(self) -> Value {
        match self {
            Draft::Value(value) => value,
            Draft::Record { names, drafts, .. } => {
                let values = drafts.into_iter().map(Draft::value).collect();
                Value::Record(Record::of(Arc::new(Names::new(names)), values))
            }
        }
    }
}
