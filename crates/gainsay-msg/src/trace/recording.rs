//! Traces as robots record them: MCAP, with messages in JSON, in CDR (ROS 2) or as ROS 1 writes them.

mod lengths;

use super::Trace;
use super::json::write_value;
use super::raw::{Coding, Recorded};
use crate::ros::{Decoder, Encoding};
use crate::time::TIME_MAX;
use mcap::records::{Record, SchemaHeader};
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::BTreeMap;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Our own note in a recording: until when the system was watched.
const NOTE: &str = "gainsay";
const END: &str = "end_ns";

/// No record is longer, and none than the whole recording by more than this, packed as it may be.
const RECORD_MAX: usize = 1 << 28;

/// All messages of a recording that somebody cares about.
pub(super) fn read(bytes: &[u8], cares: &dyn Fn(&str) -> bool) -> Result<Recorded, String> {
    // (Whoever reads damaged recordings may stumble.)
    let records = catch_unwind(AssertUnwindSafe(|| records(bytes, cares)));
    records.unwrap_or_else(|_| Err(DAMAGED.into()))
}

const DAMAGED: &str = "this is no recording: it is damaged";

/// What is known so far.
#[derive(Default)]
struct Reading {
    schemas: BTreeMap<u16, (SchemaHeader, Vec<u8>)>,
    /// Channels by number; nothing if nobody cares about it.
    channels: BTreeMap<u16, Option<usize>>,
    found: Recorded,
}

fn records(bytes: &[u8], cares: &dyn Fn(&str) -> bool) -> Result<Recorded, String> {
    let of_mcap = |error: mcap::McapError| format!("this is no recording: {error}");
    let options =
        LinearReaderOptions::default().with_record_length_limit(bytes.len().saturating_add(RECORD_MAX));
    let mut reader = LinearReader::new_with_options(options);
    let mut left = bytes;
    let mut reading = Reading::default();
    while let Some(event) = reader.next_event() {
        let record = match event.map_err(of_mcap)? {
            LinearReadEvent::ReadRequest(need) => {
                let (next, rest) = left.split_at(need.min(left.len()));
                reader.insert(next.len()).copy_from_slice(next);
                reader.notify_read(next.len());
                left = rest;
                continue;
            }
            LinearReadEvent::Record { opcode, .. } if !lengths::are_read(opcode) => continue,
            LinearReadEvent::Record { opcode, data } => {
                if !lengths::fit(opcode, data) {
                    return Err(DAMAGED.into());
                }
                mcap::parse_record(opcode, data).map_err(of_mcap)?
            }
        };
        match record {
            Record::Schema { header, data } => {
                reading.schemas.insert(header.id, (header, data.into_owned()));
            }
            // (Channels are told again at the end.)
            Record::Channel(channel) if !reading.channels.contains_key(&channel.id) => {
                let number = match cares(&channel.topic) {
                    true => Some(reading.channel(&channel)?),
                    false => None,
                };
                reading.channels.insert(channel.id, number);
            }
            Record::Message { header, data } => {
                let Some(channel) = reading.channels.get(&header.channel_id) else {
                    return Err(format!("this is no recording: there is no channel {}", header.channel_id));
                };
                reading.found.add(header.log_time, *channel, &data)?;
            }
            Record::Metadata(note) if note.name == NOTE => {
                let end = note.metadata.get(END).and_then(|end| end.parse().ok());
                let end = end.filter(|end| *end <= TIME_MAX);
                reading.found.end = reading.found.end.max(end.unwrap_or(0));
            }
            _ => {}
        }
    }
    Ok(reading.found)
}

impl Reading {
    /// A channel that somebody cares about.
    fn channel(&mut self, channel: &mcap::records::Channel) -> Result<usize, String> {
        let (topic, encoding) = (&channel.topic, channel.message_encoding.as_str());
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
        let Some((header, definition)) = self.schemas.get(&channel.schema_id) else {
            return Err(format!(
                "messages on `{topic}` cannot be read: their schema is not in the recording"
            ));
        };
        if header.encoding != language {
            return Err(format!(
                "the schema of `{topic}` is written in `{}`, and only `{language}` is read here",
                header.encoding
            ));
        }
        let decoder = Decoder::new(&header.name, &String::from_utf8_lossy(definition), encoding);
        let decoder = decoder.map_err(|why| format!("messages on `{topic}`: {why}"))?;
        Ok(self.found.channel(topic, Coding::Ros(Box::new(decoder))))
    }
}

/// Writes a trace as a recording.
pub(super) fn write(trace: &Trace, output: impl Write + Seek) -> Result<(), String> {
    let text = |error: mcap::McapError| error.to_string();
    let mut writer = mcap::WriteOptions::new().compression(None).create(output).map_err(text)?;
    let mut channels: BTreeMap<&str, u16> = BTreeMap::new();
    for (sequence, message) in trace.messages.iter().enumerate() {
        let channel_id = match channels.get(&*message.channel) {
            Some(known) => *known,
            None => {
                let new = writer.add_channel(0, &message.channel, "json", &BTreeMap::new()).map_err(text)?;
                channels.insert(&message.channel, new);
                new
            }
        };
        let mut data = String::new();
        write_value(&message.value, &mut data);
        let header = mcap::records::MessageHeader {
            channel_id,
            sequence: sequence as u32,
            log_time: message.at,
            publish_time: message.at,
        };
        writer.write_to_known_channel(&header, data.as_bytes()).map_err(text)?;
    }
    let metadata = [(END.to_string(), trace.end.to_string())].into();
    writer.write_metadata(&mcap::records::Metadata { name: NOTE.into(), metadata }).map_err(text)?;
    writer.finish().map_err(text)?;
    Ok(())
}
