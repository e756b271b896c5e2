//! What messages are on the wire.

use gainsay_msg::types::Type;
use gainsay_msg::{Value, json_value, message};

/// How messages are written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Codec {
    /// As JSON: an object is a message; any other value `x` is read as `{data: x}`.
    #[default]
    Json,
    /// A number as people write it, `{data: 21.5}`.
    Number,
    /// Text, `{data: "open"}`.
    Text,
    /// Bytes, `{data: [1, 255]}`.
    Bytes,
}

impl Codec {
    /// The names of all.
    pub const NAMES: [&str; 4] = ["json", "number", "text", "bytes"];

    /// The one of a name.
    pub fn named(name: &str) -> Option<Codec> {
        match name {
            "json" => Some(Codec::Json),
            "number" => Some(Codec::Number),
            "text" => Some(Codec::Text),
            "bytes" => Some(Codec::Bytes),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Json => "json",
            Codec::Number => "number",
            Codec::Text => "text",
            Codec::Bytes => "bytes",
        }
    }

    /// How a payload seems to be written.
    pub(crate) fn of(payload: &[u8]) -> Codec {
        let all = [Codec::Number, Codec::Json, Codec::Text];
        all.into_iter().find(|codec| codec.read(payload).is_ok()).unwrap_or(Codec::Bytes)
    }

    /// How two messages can both be written, if one is written so, and one so.
    pub(crate) fn wider(self, other: Codec) -> Codec {
        match (self, other) {
            (Codec::Bytes, _) | (_, Codec::Bytes) => Codec::Bytes,
            (Codec::Text, _) | (_, Codec::Text) => Codec::Text,
            (Codec::Number, Codec::Number) => Codec::Number,
            // (A number is JSON too, nearly always.)
            _ => Codec::Json,
        }
    }

    /// Whether messages of a type can be written so; why not, if they cannot.
    pub(crate) fn check(self, of: &Type) -> Result<(), String> {
        let (wanted, is_right): (&str, fn(&Type) -> bool) = match self {
            Codec::Json => return Ok(()),
            Codec::Number => ("a number", Type::is_number),
            Codec::Text => ("text", |of| matches!(of, Type::Text)),
            Codec::Bytes => (
                "an array of uint8",
                |of| matches!(of, Type::Array(item, _) if matches!(**item, Type::Int { signed: false, bits: 8 })),
            ),
        };
        match of {
            Type::Any => Ok(()),
            Type::Record(record)
                if record.fields.len() == 1 && record.field("data").is_some_and(is_right) =>
            {
                Ok(())
            }
            other => Err(format!("`{other}` is not a record of one field `data` which is {wanted}")),
        }
    }

    /// Writes a message.
    pub(crate) fn write(self, value: &Value) -> Result<Vec<u8>, String> {
        let data = value.at("data");
        match (self, data) {
            (Codec::Json, _) => Ok(value.to_json().into_bytes()),
            (Codec::Number, Some(Value::Int(number))) => Ok(number.to_string().into_bytes()),
            // (Without an exponent: not everybody reads those.)
            (Codec::Number, Some(Value::Float(number))) => Ok(number.to_string().into_bytes()),
            (Codec::Text, Some(Value::Text(text))) => Ok(text.as_bytes().to_vec()),
            (Codec::Bytes, Some(Value::List(items))) => items
                .iter()
                .map(|item| match item {
                    Value::Int(byte) => u8::try_from(*byte).map_err(|_| format!("{byte} is no byte")),
                    other => Err(format!("{} is no byte", other.kind())),
                })
                .collect(),
            _ => Err(format!("{value} has no `data` for it")),
        }
    }

    /// Reads a message.
    pub(crate) fn read(self, payload: &[u8]) -> Result<Value, String> {
        let text = || std::str::from_utf8(payload).map_err(|_| "it is no text in UTF-8".to_string());
        let data = match self {
            Codec::Json => match json_value(text()?).map_err(|error| error.to_string())? {
                record @ Value::Record(_) => return Ok(record),
                other => other,
            },
            Codec::Number => number(text()?.trim())?,
            Codec::Text => Value::from(text()?),
            Codec::Bytes => Value::from(payload.to_vec()),
        };
        Ok(message([("data", data)]))
    }
}

fn number(text: &str) -> Result<Value, String> {
    if let Ok(whole) = text.parse::<i128>() {
        return Ok(Value::Int(whole));
    }
    text.parse::<f64>().map(Value::Float).map_err(|_| "it is no number".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(value: impl Into<Value>) -> Value {
        message([("data", value.into())])
    }

    #[test]
    fn what_is_written_is_read() {
        let all = [
            (
                Codec::Json,
                message([("on", true.into()), ("level", 0.5.into())]),
                r#"{"on":true,"level":0.5}"#,
            ),
            (Codec::Number, data(21.5), "21.5"),
            (Codec::Number, data(-3), "-3"),
            (Codec::Text, data("off"), "off"),
            (Codec::Bytes, data(vec![104_u8, 105]), "hi"),
        ];
        for (codec, value, written) in all {
            assert_eq!(codec.write(&value).as_deref(), Ok(written.as_bytes()));
            assert_eq!(codec.read(written.as_bytes()), Ok(value));
        }
        assert_eq!(Codec::Json.read(b"[1, 2]"), Ok(data(vec![1, 2])));
        assert_eq!(Codec::Number.read(b" 1e3\n"), Ok(data(1000.0)));
        assert_eq!(Codec::Number.write(&data(1e21)), Ok(b"1000000000000000000000".to_vec()));
    }

    #[test]
    fn payloads_tell_how_they_are_written() {
        let of = |payloads: &[&[u8]]| payloads.iter().map(|payload| Codec::of(payload)).reduce(Codec::wider);
        assert_eq!(of(&[b"1", b"2.5"]), Some(Codec::Number));
        assert_eq!(of(&[b"1", b"true"]), Some(Codec::Json));
        assert_eq!(of(&[b"{\"a\":1}"]), Some(Codec::Json));
        assert_eq!(of(&[b"1", b"open"]), Some(Codec::Text));
        assert_eq!(of(&[b"open", &[0xff]]), Some(Codec::Bytes));
        assert!(Codec::NAMES.iter().all(|name| Codec::named(name).map(Codec::name) == Some(name)));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        assert_eq!(Codec::Number.read(b"warm"), Err("it is no number".into()));
        assert_eq!(Codec::Text.read(&[0xff]), Err("it is no text in UTF-8".into()));
        assert!(Codec::Json.read(b"{").is_err());
        assert!(Codec::Json.read(b"").is_err());
        assert_eq!(Codec::Bytes.write(&data(vec![256])), Err("256 is no byte".into()));
        assert_eq!(Codec::Number.write(&data("x")), Err("{data: \"x\"} has no `data` for it".into()));
    }
}
