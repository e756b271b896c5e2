//! Messages as ROS writes them: definitions, and the two serialisations, that of ROS 1 and CDR of ROS 2.
//!
//! ```
//! use gainsay_msg::ros::{Decoder, Encoding};
//!
//! let decoder = Decoder::new("demo/Laser", "float32 dist\nstring frame", Encoding::Ros1)?;
//! let value = decoder.decode(b"\x00\x00\x48\x42\x03\x00\x00\x00map")?;
//! assert_eq!(value.to_json(), r#"{"dist":50.0,"frame":"map"}"#);
//! # Ok::<(), String>(())
//! ```
//!
//! # Limits
//! Types are nested 64 deep at most, and have at most 1 000 000 values apart from arrays of any length. An array is not longer than the bytes that are left. `wstring` is not read. Text that is not UTF-8 is read
//! with a replacement for what is not.

mod wire;

use crate::types::{Type, Types, parse_msg};
use crate::value::{Record, Value};
use std::sync::Arc;
use wire::Reader;

/// How messages become bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// The serialisation of ROS 1: little-endian, nothing is aligned.
    Ros1,
    /// The common data representation (OMG), as ROS 2 uses it: behind a header that says how; numbers are aligned.
    Cdr,
}

/// Reads messages of a type.
#[derive(Debug, Clone)]
pub struct Decoder {
    of: Type,
    encoding: Encoding,
}

impl Decoder {
    /// A reader of messages of this type (`package/Type` or `package/msg/Type`). Its definition is the text of its `.msg` file, with those of the
    /// types that it is made of behind it, as recordings have it: each after a line of `=` and a line `MSG: package/Type`.
    ///
    /// # Errors
    /// What is wrong with the definition.
    pub fn new(name: &str, definition: &str, encoding: Encoding) -> Result<Decoder, String> {
        let name = name.replace("/msg/", "/");
        let mut texts = Vec::new();
        for (place, text) in parts(definition).into_iter().enumerate() {
            let (name, text) = match place {
                0 => (name.clone(), text),
                _ => {
                    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
                    let inner = first.trim().strip_prefix("MSG:").map(str::trim);
                    let inner = inner.ok_or_else(|| {
                        format!("`{}` does not name a type (`MSG: package/Type`)", first.trim())
                    })?;
                    (inner.replace("/msg/", "/"), rest.to_string())
                }
            };
            let parsed = parse_msg(&text)
                .map_err(|trouble| format!("the definition of `{name}`: {}", trouble.message))?;
            if encoding == Encoding::Cdr
                && let Some((_, field)) = parsed.fields.iter().find(|(kind, _)| kind.starts_with("wstring"))
            {
                return Err(format!("the field `{field}` of `{name}` is a wstring, which is not read here"));
            }
            texts.push((name, parsed));
        }
        let mut types = Types::new();
        types.add_msgs(texts).map_err(|(name, why)| format!("the definition of `{name}`: {why}"))?;
        Ok(Decoder { of: types.named(&name, None)?, encoding })
    }

    /// The type of the messages.
    pub fn message_type(&self) -> &Type {
        &self.of
    }

    /// Reads a message.
    ///
    /// # Errors
    /// Where the bytes are no message of this type, and why.
    pub fn decode(&self, bytes: &[u8]) -> Result<Value, String> {
        let mut reader = match self.encoding {
            Encoding::Ros1 => Reader::ros1(bytes),
            Encoding::Cdr => Reader::cdr(bytes)?,
        };
        let value = read(&self.of, &mut reader)?;
        reader.finish()?;
        Ok(value)
    }
}

/// The parts of a definition, which lines of `=` are between.
fn parts(definition: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in definition.lines() {
        let is_between = line.len() >= 10 && line.bytes().all(|byte| byte == b'=');
        match parts.last_mut() {
            Some(last) if !is_between => {
                last.push_str(line);
                last.push('\n');
            }
            _ => parts.push(String::new()),
        }
    }
    parts
}

/// Whether values of a type take any bytes.
fn takes_bytes(of: &Type) -> bool {
    match of {
        Type::Record(message) => message.fields.iter().any(|(_, of)| takes_bytes(of)),
        Type::Array(of, Some(length)) => *length > 0 && takes_bytes(of),
        _ => true,
    }
}

fn read(of: &Type, reader: &mut Reader<'_>) -> Result<Value, String> {
    Ok(match of {
        Type::Bool => Value::Bool(reader.bytes::<1>()?[0] != 0),
        Type::Int { signed, bits } => Value::Int(reader.int(*signed, *bits)?),
        Type::Float32 => Value::Float(f64::from(f32::from_bits(reader.int(false, 32)? as u32))),
        Type::Float64 => Value::Float(f64::from_bits(reader.int(false, 64)? as u64)),
        Type::Text => Value::Text(reader.text()?),
        Type::Array(of, length) => {
            let length = match length {
                Some(length) => *length,
                None => reader.length(takes_bytes(of))?,
            };
            let mut items = Vec::with_capacity(length.min(reader.left()));
            for place in 0..length {
                reader.element()?;
                items.push(read(of, reader).map_err(|why| format!("[{place}]: {why}"))?);
            }
            Value::List(items)
        }
        Type::Record(message) => {
            let mut values = Vec::with_capacity(message.fields.len());
            for (name, of) in &message.fields {
                values.push(read(of, reader).map_err(|why| format!("{name}: {why}"))?);
            }
            Value::Record(Record::of(Arc::clone(message.names()), values))
        }
        Type::Any => return Err("nothing is known of its type".into()),
    })
}
