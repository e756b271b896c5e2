//! Messages of recordings, which are decoded when it is their turn.

use super::Message;
use super::json::LineReader;
use crate::ros::Decoder;
use crate::time::TIME_MAX;
use std::sync::Arc;

/// How the messages of a channel are written.
pub(super) enum Coding {
    Json,
    Ros(Box<Decoder>),
}

/// What is in a recording.
#[derive(Default)]
pub(super) struct Recorded {
    channels: Vec<(Arc<str>, Coding)>,
    messages: Vec<Raw>,
    /// The time of the first message, whether somebody cares about it or not.
    pub(super) first: Option<u64>,
    /// Until when it lasts.
    pub(super) end: u64,
    /// How many messages there are that nobody cares about.
    pub(super) others: u64,
}

struct Raw {
    at: u64,
    channel: usize,
    bytes: Box<[u8]>,
}

impl Recorded {
    /// Adds a channel; its number.
    pub(super) fn channel(&mut self, name: &str, coding: Coding) -> usize {
        self.channels.push((name.into(), coding));
        self.channels.len() - 1
    }

    /// Adds a message on a channel, if somebody cares about it.
    ///
    /// # Errors
    /// If its time is too late to be counted with.
    pub(super) fn add(&mut self, at: u64, channel: Option<usize>, bytes: &[u8]) -> Result<(), String> {
        if at > TIME_MAX {
            return Err(format!("the time of a message is {at} ns, and times are at most {TIME_MAX} ns"));
        }
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.end = self.end.max(at);
        match channel {
            Some(channel) => self.messages.push(Raw { at, channel, bytes: bytes.into() }),
            None => self.others += 1,
        }
        Ok(())
    }

    /// Calls something with each message, in the order of time.
    pub(super) fn each(mut self, see: &mut dyn FnMut(Message) -> Result<(), String>) -> Result<(), String> {
        let mut json = LineReader::default();
        // Chunks may overlap; of messages at one time, the order stays.
        self.messages.sort_by_key(|message| message.at);
        for Raw { at, channel, bytes } in self.messages {
            let (channel, coding) = &self.channels[channel];
            let value = match coding {
                Coding::Ros(decoder) => decoder.decode(&bytes),
                Coding::Json => match std::str::from_utf8(&bytes) {
                    Ok(text) => json.value(text, channel),
                    Err(error) => Err(error.to_string()),
                },
            };
            let value = value.map_err(|why| format!("a message on `{channel}`: {why}"))?;
            see(Message::new(at, Arc::clone(channel), value))?;
        }
        Ok(())
    }
}
