//! Traces as robots record them: MCAP, with messages in JSON.

use super::json::{LineReader, write_value};
use super::{Message, Trace, TraceError};
use mcap::records::{Channel, Record};
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::BTreeMap;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Times beyond this are those of a clock on a wall.
const YEAR: u64 = 365 * 24 * 60 * 60 * 1_000_000_000;

/// Our own note in a recording: until when the system was watched.
const NOTE: &str = "gainsay";
const END: &str = "end_ns";

/// No record is longer, and none than the whole recording by more than this, packed as it may be.
const RECORD_MAX: usize = 1 << 28;

/// Calls something with each message of a recording that somebody cares about; until when it lasts. Where times are those of a clock on a wall, the
/// first message is at 0.
pub(super) fn read(
    bytes: &[u8],
    cares: &dyn Fn(&str) -> bool,
    see: &mut dyn FnMut(Message) -> Result<(), String>,
) -> Result<u64, TraceError> {
    let wrong = |what: String| TraceError { line: None, what };
    // (Whoever reads damaged recordings may stumble.)
    let records = catch_unwind(AssertUnwindSafe(|| records(bytes, cares)));
    let records =
        records.unwrap_or_else(|_| Err("this is no recording: it is damaged".into())).map_err(wrong)?;
    let Records { mut messages, end, first } = records;
    // Chunks may overlap; of messages at one time, the order stays.
    messages.sort_by_key(|message| message.at);
    let start = first.filter(|first| *first > YEAR).unwrap_or(0);
    for mut message in messages {
        message.at -= start;
        see(message).map_err(wrong)?;
    }
    Ok(end.saturating_sub(start))
}

/// What is in a recording.
#[derive(Default)]
struct Records {
    messages: Vec<Message>,
    /// The time of the first message, whether somebody cares about it or not.
    first: Option<u64>,
    end: u64,
}

fn records(bytes: &[u8], cares: &dyn Fn(&str) -> bool) -> Result<Records, String> {
    let of_mcap = |error: mcap::McapError| format!("this is no recording: {error}");
    let options =
        LinearReaderOptions::default().with_record_length_limit(bytes.len().saturating_add(RECORD_MAX));
    let mut reader = LinearReader::new_with_options(options);
    let mut left = bytes;
    let mut json = LineReader::default();
    let mut channels: BTreeMap<u16, Channel> = BTreeMap::new();
    let mut found = Records::default();
    while let Some(event) = reader.next_event() {
        let record = match event.map_err(of_mcap)? {
            LinearReadEvent::ReadRequest(need) => {
                let (next, rest) = left.split_at(need.min(left.len()));
                reader.insert(next.len()).copy_from_slice(next);
                reader.notify_read(next.len());
                left = rest;
                continue;
            }
            LinearReadEvent::Record { opcode, data } => mcap::parse_record(opcode, data).map_err(of_mcap)?,
        };
        match record {
            Record::Channel(channel) => drop(channels.insert(channel.id, channel)),
            Record::Message { header, data } => {
                let Some(channel) = channels.get(&header.channel_id) else {
                    return Err(format!("this is no recording: there is no channel {}", header.channel_id));
                };
                let (at, topic) = (header.log_time, &channel.topic);
                found.first = Some(found.first.map_or(at, |first| first.min(at)));
                found.end = found.end.max(at);
                if !cares(topic) {
                    continue;
                }
                if channel.message_encoding != "json" {
                    return Err(format!(
                        "messages on `{topic}` are encoded as `{}`, and only `json` is read here",
                        channel.message_encoding
                    ));
                }
                let wrong = |why: String| format!("a message on `{topic}`: {why}");
                let text = std::str::from_utf8(&data).map_err(|error| wrong(error.to_string()))?;
                let value = json.value(text, topic).map_err(wrong)?;
                found.messages.push(Message::new(at, topic.as_str(), value));
            }
            Record::Metadata(note) if note.name == NOTE => {
                let end = note.metadata.get(END).and_then(|end| end.parse().ok());
                found.end = found.end.max(end.unwrap_or(0));
            }
            _ => {}
        }
    }
    Ok(found)
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
