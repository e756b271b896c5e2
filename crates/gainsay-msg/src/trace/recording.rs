//! Traces as robots record them: MCAP, with messages in JSON, in CDR (ROS 2) or as ROS 1 writes them.

use super::Trace;
use super::json::write_value;
use super::mcap::{self, Record};
use super::raw::{Coding, Recorded};
use crate::ros::{Decoder, Encoding};
use crate::time::TIME_MAX;
use std::collections::BTreeMap;
use std::io::Write;

/// Our own note in a recording: until when the system was watched.
const NOTE: &str = "gainsay";
const END: &str = "end_ns";

/// All messages of a recording that somebody cares about.
pub(super) fn read(bytes: &[u8], cares: &dyn Fn(&str) -> bool) -> Result<Recorded, String> {
    let mut reading = Reading::default();
    mcap::read(bytes, &mut |record| reading.take(record, cares))?;
    Ok(reading.found)
}

/// What is known so far.
#[derive(Default)]
struct Reading {
    schemas: BTreeMap<u16, Schema>,
    /// Channels by number; nothing if nobody cares about it.
    channels: BTreeMap<u16, Option<usize>>,
    found: Recorded,
}

/// How messages of a type are written.
struct Schema {
    name: String,
    /// The language of the definition.
    encoding: String,
    definition: Vec<u8>,
}

impl Reading {
    fn take(&mut self, record: Record<'_>, cares: &dyn Fn(&str) -> bool) -> Result<(), String> {
        match record {
            Record::Schema { id, name, encoding, data } => {
                let (name, encoding, definition) = (name.into(), encoding.into(), data.into());
                self.schemas.insert(id, Schema { name, encoding, definition });
            }
            // (Channels are told again at the end.)
            Record::Channel { id, schema, topic, encoding } if !self.channels.contains_key(&id) => {
                let number = match cares(topic) {
                    true => Some(self.channel(topic, encoding, schema)?),
                    false => None,
                };
                self.channels.insert(id, number);
            }
            Record::Channel { .. } => {}
            Record::Message { channel, at, data } => {
                let Some(known) = self.channels.get(&channel) else {
                    return Err(format!("this is no recording: there is no channel {channel}"));
                };
                self.found.add(at, *known, data)?;
            }
            Record::Metadata { name, values } => {
                let end = values.get(END).filter(|_| name == NOTE).and_then(|end| end.parse().ok());
                let end = end.filter(|end| *end <= TIME_MAX);
                self.found.end = self.found.end.max(end.unwrap_or(0));
            }
        }
        Ok(())
    }

    /// A channel that somebody cares about.
    fn channel(&mut self, topic: &str, encoding: &str, schema: u16) -> Result<usize, String> {
        let (encoding, language) = match encoding {
            "json" => return Ok(self.found.channel(topic, Coding::Json)),
            "cdr" => (Encoding::Cdr, "ros2msg"),
            "ros1" => (Encoding::Ros1, "ros1msg"),
            other => {
                return Err(format!(
                    "messages on `{topic}` are encoded as `{other}`, and only `json`, `cdr` and `ros1` are read here"
                ));
            }
        };
        let Some(schema) = self.schemas.get(&schema) else {
            return Err(format!(
                "messages on `{topic}` cannot be read: their schema is not in the recording"
            ));
        };
        if schema.encoding != language {
            return Err(format!(
                "the schema of `{topic}` is written in `{}`, and only `{language}` is read here",
                schema.encoding
            ));
        }
        let decoder = Decoder::new(&schema.name, &String::from_utf8_lossy(&schema.definition), encoding);
        let decoder = decoder.map_err(|why| format!("messages on `{topic}`: {why}"))?;
        Ok(self.found.channel(topic, Coding::Ros(Box::new(decoder))))
    }
}

/// Writes a trace as a recording.
pub(super) fn write(trace: &Trace, output: impl Write) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let mut writer = mcap::Writer::new(output).map_err(text)?;
    let mut channels: BTreeMap<&str, u16> = BTreeMap::new();
    for (sequence, message) in trace.messages.iter().enumerate() {
        let channel = match channels.get(&*message.channel) {
            Some(known) => *known,
            None => {
                let new = writer.channel(&message.channel, "json");
                let new = new.ok_or("a recording has 65536 channels at most")?;
                channels.insert(&message.channel, new);
                new
            }
        };
        let mut data = String::new();
        write_value(&message.value, &mut data);
        writer.message(channel, sequence as u32, message.at, data.as_bytes()).map_err(text)?;
    }
    writer.finish(NOTE, &[(END, trace.end.to_string())]).map_err(text)
}
