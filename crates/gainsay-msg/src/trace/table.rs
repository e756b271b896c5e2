//! Traces as tables: the columns `at_ms` and `channel`, and one for each field, or one `msg` with JSON.

use super::json::LineReader;
use super::{Message, TraceError};
use crate::time;
use crate::types::Type;
use crate::value::{Record, Value};
use std::io::Read;

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
        for (place, header) in headers.iter().enumerate() {
            let is_field = ![Some(at_column), Some(channel_column), msg_column].contains(&Some(place));
            if is_field && !cell(place).is_empty() {
                put(&mut value, header, Value::Text(cell(place).into())).map_err(|why| wrong(line, why))?;
            }
        }
        value = match typed(channel) {
            Some(of) => typed_cells(&of, value),
            None => plain_cells(value),
        };
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
            let empty = message
                .fields
                .iter()
                .filter(|(name, kind)| *kind == Type::Text && record.get(name).is_none());
            let empty = empty.map(|(name, _)| (name.clone(), Value::Text("".into())));
            let said = record.iter().map(|(name, value)| {
                let of = message.field(name).unwrap_or(&Type::Any);
                (name.to_string(), typed_cells(of, value.clone()))
            });
            Value::Record(said.chain(empty).collect())
        }
        (_, value) => plain_cells(value),
    }
}

/// Puts a cell at a path of names.
fn put(into: &mut Value, path: &str, value: Value) -> Result<(), String> {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let Value::Record(record) = &*into else {
        return Err(format!("`{path}` is a field of something that has a value already"));
    };
    let mut fields: Vec<(String, Value)> =
        record.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let known = fields.iter().position(|(known, _)| known == name);
    let place = known.unwrap_or_else(|| {
        fields.push((name.to_string(), Value::Record(Record::empty())));
        fields.len() - 1
    });
    match rest {
        None if known.is_some() => return Err(format!("`{path}` has a value already")),
        None => fields[place].1 = value,
        Some(rest) => put(&mut fields[place].1, rest, value)?,
    }
    *into = Value::Record(fields.into_iter().collect());
    Ok(())
}
