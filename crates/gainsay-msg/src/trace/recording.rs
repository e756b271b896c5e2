//! Traces as robots record them: MCAP, with messages in JSON.

use super::json::{LineReader, write_value};
use super::{Message, Trace, TraceError};
use std::collections::BTreeMap;
use std::io::{Seek, Write};

/// Times beyond this are those of a clock on a wall.
const YEAR: u64 = 365 * 24 * 60 * 60 * 1_000_000_000;

/// Calls something with each message of a recording. Where times are those of a clock on a wall, the first message is at 0.
pub(super) fn read(
    bytes: &[u8],
    see: &mut dyn FnMut(Message) -> Result<(), String>,
) -> Result<(), TraceError> {
    let wrong = |what: String| TraceError { line: None, what };
    let of_mcap = |error: mcap::McapError| wrong(format!("this is no recording: {error}"));
    let mut json = LineReader::default();
    let mut found = Vec::new();
    for message in mcap::MessageStream::new(bytes).map_err(of_mcap)? {
        let message = message.map_err(of_mcap)?;
        let encoding = &message.channel.message_encoding;
        if encoding != "json" {
            return Err(wrong(format!(
                "messages on `{}` are encoded as `{encoding}`, and only `json` is read here",
                message.channel.topic
            )));
        }
        let text = std::str::from_utf8(&message.data).map_err(|error| wrong(error.to_string()))?;
        let topic = &message.channel.topic;
        let value = json.value(text, topic).map_err(|why| wrong(format!("a message on `{topic}`: {why}")))?;
        found.push(Message::new(message.log_time, topic.as_str(), value));
    }
    // Chunks may overlap; of messages at one time, the order stays.
    found.sort_by_key(|message| message.at);
    let start = found.first().map_or(0, |first| if first.at > YEAR { first.at } else { 0 });
    for mut message in found {
        message.at -= start;
        see(message).map_err(wrong)?;
    }
    Ok(())
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
    writer.finish().map_err(text)?;
    Ok(())
}
