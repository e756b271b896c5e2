//! Definitions of messages as ROS writes them: `float64 x`, `uint8 PRESSED=1`.

use super::Type;
use crate::diagnostic::Diagnostic;
use crate::value::Value;

/// Fields by the names of their types, and constants.
#[derive(Debug, Clone, Default)]
pub(crate) struct Definition {
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) constants: Vec<(String, Value)>,
}

/// Reads a definition.
pub(crate) fn parse_msg(text: &str) -> Result<Definition, Diagnostic> {
    let mut definition = Definition::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let span = start..start + line.trim_end().len();
        start += line.len();
        // Text constants may have a `#` in them.
        let plain = line.split('#').next().unwrap_or_default().trim();
        if plain.is_empty() {
            continue;
        }
        let trouble = |message: String| Diagnostic::error(span.clone(), message);
        let Some((kind, rest)) = plain.split_once(char::is_whitespace) else {
            return Err(trouble(format!("`{plain}` has no name")).help("a field is written `float64 x`"));
        };
        let rest = rest.trim();
        match rest.split_once('=') {
            // (A default of ROS 2 may be a text with a `=` in it.)
            Some((name, value)) if !kind.ends_with(']') && !name.trim().contains(char::is_whitespace) => {
                let value = if kind == "string" {
                    let raw = line.split_once('=').map_or("", |(_, raw)| raw).trim();
                    Value::Text(raw.trim_matches(['"', '\'']).into())
                } else {
                    let value = value.trim();
                    let number = constant(value).ok_or_else(|| trouble(format!("`{value}` is no number")))?;
                    match (Type::primitive(kind), number) {
                        (Some(Type::Bool), Value::Int(bit @ (0 | 1))) => Value::Bool(bit == 1),
                        (Some(of), number) => of.conform(number).map_err(trouble)?,
                        (None, number) => number,
                    }
                };
                definition.constants.push((name.trim().to_string(), value));
            }
            // A default of ROS 2 (`float64 x 1.0`) says nothing about which values there may be.
            _ => {
                let name = rest.split_whitespace().next().unwrap_or(rest);
                if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return Err(trouble(format!("`{name}` is no name of a field")));
                }
                definition.fields.push((kind.to_string(), name.to_string()));
            }
        }
    }
    Ok(definition)
}

/// A number, or a truth value.
pub(crate) fn constant(text: &str) -> Option<Value> {
    match text {
        "True" | "true" => return Some(Value::Bool(true)),
        "False" | "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return i128::from_str_radix(digits, 16).ok().map(Value::Int);
    }
    text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::Float)).ok()
}
