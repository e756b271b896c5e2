//! The container format MCAP (<https://mcap.dev/spec>), as far as traces need it: its records in order, chunks unpacked, and a writer.
//!
//! Checksums are not checked, and written as 0, which means that there are none.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

/// How a recording begins and ends.
const MAGIC: &[u8] = b"\x89MCAP0\r\n";

/// No chunk is longer, unpacked.
const CHUNK_MAX: u64 = 1 << 28;

/// A chunk that is written ends after so many bytes.
const CHUNK_ENOUGH: usize = 1 << 20;

mod op {
    pub(super) const HEADER: u8 = 0x01;
    pub(super) const FOOTER: u8 = 0x02;
    pub(super) const SCHEMA: u8 = 0x03;
    pub(super) const CHANNEL: u8 = 0x04;
    pub(super) const MESSAGE: u8 = 0x05;
    pub(super) const CHUNK: u8 = 0x06;
    pub(super) const MESSAGE_INDEX: u8 = 0x07;
    pub(super) const CHUNK_INDEX: u8 = 0x08;
    pub(super) const STATISTICS: u8 = 0x0b;
    pub(super) const METADATA: u8 = 0x0c;
    pub(super) const METADATA_INDEX: u8 = 0x0d;
    pub(super) const SUMMARY_OFFSET: u8 = 0x0e;
    pub(super) const DATA_END: u8 = 0x0f;
}

/// A record that says something about messages.
#[derive(Debug)]
pub(super) enum Record<'a> {
    Schema { id: u16, name: &'a str, encoding: &'a str, data: &'a [u8] },
    Channel { id: u16, schema: u16, topic: &'a str, encoding: &'a str },
    Message { channel: u16, at: u64, data: &'a [u8] },
    Metadata { name: &'a str, values: BTreeMap<&'a str, &'a str> },
}

/// Calls something with each record, in the order in which they are recorded.
///
/// # Errors
/// If it is no recording, or a part of it is missing; or what `see` says.
pub(super) fn read(
    bytes: &[u8],
    see: &mut dyn FnMut(Record<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let damaged = |why: String| format!("this is no recording: {why}");
    let mut left = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("it does not begin like one".into()))?;
    loop {
        let (opcode, content) = record(&mut left).map_err(damaged)?;
        match opcode {
            op::FOOTER if left.starts_with(MAGIC) => return Ok(()),
            op::FOOTER => return Err(damaged("it does not end like one".into())),
            op::CHUNK => {
                let chunk = chunk(content).map_err(damaged)?;
                let mut left = &*chunk;
                while !left.is_empty() {
                    let (opcode, content) = record(&mut left).map_err(damaged)?;
                    // (A chunk inside of a chunk is not allowed, and passed over like all that nobody knows.)
                    if let Some(record) = parsed(opcode, content).map_err(damaged)? {
                        see(record)?;
                    }
                }
            }
            _ => {
                if let Some(record) = parsed(opcode, content).map_err(damaged)? {
                    see(record)?;
                }
            }
        }
    }
}

/// What a record is, and what is in it.
fn record<'a>(left: &mut &'a [u8]) -> Result<(u8, &'a [u8]), String> {
    let [opcode] = array(left)?;
    let length = u64::from_le_bytes(array(left)?);
    Ok((opcode, take(left, length)?))
}

fn parsed(opcode: u8, mut left: &[u8]) -> Result<Option<Record<'_>>, String> {
    let left = &mut left;
    Ok(Some(match opcode {
        op::SCHEMA => Record::Schema {
            id: u16::from_le_bytes(array(left)?),
            name: text(left)?,
            encoding: text(left)?,
            data: part(left)?,
        },
        op::CHANNEL => Record::Channel {
            id: u16::from_le_bytes(array(left)?),
            schema: u16::from_le_bytes(array(left)?),
            topic: text(left)?,
            encoding: text(left)?,
        },
        op::MESSAGE => {
            let channel = u16::from_le_bytes(array(left)?);
            let _sequence: [u8; 4] = array(left)?;
            let at = u64::from_le_bytes(array(left)?);
            let _published: [u8; 8] = array(left)?;
            Record::Message { channel, at, data: left }
        }
        op::METADATA => {
            let name = text(left)?;
            let mut pairs = part(left)?;
            let mut values = BTreeMap::new();
            while !pairs.is_empty() {
                values.insert(text(&mut pairs)?, text(&mut pairs)?);
            }
            Record::Metadata { name, values }
        }
        _ => return Ok(None),
    }))
}

/// What is in a chunk.
fn chunk(mut left: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    let left = &mut left;
    let _times: [u8; 16] = array(left)?;
    let size = u64::from_le_bytes(array(left)?);
    let _checksum: [u8; 4] = array(left)?;
    let packing = text(left)?;
    let length = u64::from_le_bytes(array(left)?);
    let data = take(left, length)?;
    if size > CHUNK_MAX {
        return Err(format!("a chunk of {size} bytes is too long: at most {CHUNK_MAX} are read"));
    }
    let mut unpacked = Vec::new();
    // (Whatever is packed, no more than was promised is unpacked.)
    let result = match packing {
        "" => return Ok(Cow::Borrowed(data)),
        "lz4" => lz4::Decoder::new(data)
            .and_then(|decoder| decoder.take(size.saturating_add(1)).read_to_end(&mut unpacked)),
        "zstd" => zstd::Decoder::new(data)
            .and_then(|decoder| decoder.take(size.saturating_add(1)).read_to_end(&mut unpacked)),
        other => {
            return Err(format!("a chunk is packed by `{other}`, and only lz4 and zstd are read here"));
        }
    };
    result.map_err(|error| format!("a chunk cannot be unpacked: {error}"))?;
    if unpacked.len() as u64 != size {
        return Err(format!("a chunk has {} bytes instead of {size}", unpacked.len()));
    }
    Ok(Cow::Owned(unpacked))
}

fn take<'a>(left: &mut &'a [u8], length: u64) -> Result<&'a [u8], String> {
    let parts = usize::try_from(length).ok().and_then(|length| left.split_at_checked(length));
    let (part, rest) = parts.ok_or("it ends in the middle of a record")?;
    *left = rest;
    Ok(part)
}

fn array<const N: usize>(left: &mut &[u8]) -> Result<[u8; N], String> {
    let (array, rest) = left.split_first_chunk().ok_or("it ends in the middle of a record")?;
    *left = rest;
    Ok(*array)
}

/// A length, and as many bytes.
fn part<'a>(left: &mut &'a [u8]) -> Result<&'a [u8], String> {
    let length = u32::from_le_bytes(array(left)?);
    take(left, length.into())
}

fn text<'a>(left: &mut &'a [u8]) -> Result<&'a str, String> {
    std::str::from_utf8(part(left)?).map_err(|_| "a name is no text".into())
}

/// Writes a recording of messages without schemas, in chunks that are not packed, with an index of them.
pub(super) struct Writer<W> {
    output: W,
    /// So much is written.
    place: u64,
    /// The channels, as they are repeated at the end.
    channels: Vec<u8>,
    /// How many messages each of them has.
    counts: Vec<u64>,
    chunk: Chunk,
    chunks: Vec<u8>,
    chunk_count: u32,
    /// The times of the first and the last message.
    times: Option<(u64, u64)>,
}

/// A chunk that is not written yet.
#[derive(Default)]
struct Chunk {
    records: Vec<u8>,
    times: Option<(u64, u64)>,
    /// The times of the messages of each channel, and where they are.
    index: BTreeMap<u16, Vec<(u64, u64)>>,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(output: W) -> io::Result<Writer<W>> {
        let (channels, counts, chunks) = (Vec::new(), Vec::new(), Vec::new());
        let chunk = Chunk::default();
        let mut writer =
            Writer { output, place: 0, channels, counts, chunk, chunks, chunk_count: 0, times: None };
        writer.put(MAGIC)?;
        let mut header = Vec::new();
        put_part(&mut header, b"");
        put_part(&mut header, concat!("gainsay ", env!("CARGO_PKG_VERSION")).as_bytes());
        writer.put(&framed(op::HEADER, &header))?;
        Ok(writer)
    }

    /// Adds a channel; its number, if there are not too many.
    pub(super) fn channel(&mut self, topic: &str, encoding: &str) -> Option<u16> {
        let id = u16::try_from(self.counts.len()).ok()?;
        let mut channel = Vec::from(id.to_le_bytes());
        channel.extend(0_u16.to_le_bytes());
        put_part(&mut channel, topic.as_bytes());
        put_part(&mut channel, encoding.as_bytes());
        put_part(&mut channel, b"");
        let channel = framed(op::CHANNEL, &channel);
        self.chunk.records.extend(&channel);
        self.channels.extend(&channel);
        self.counts.push(0);
        Some(id)
    }

    /// Adds a message on a channel of this recording.
    pub(super) fn message(&mut self, channel: u16, sequence: u32, at: u64, data: &[u8]) -> io::Result<()> {
        let mut message = Vec::from(channel.to_le_bytes());
        message.extend(sequence.to_le_bytes());
        message.extend(at.to_le_bytes());
        message.extend(at.to_le_bytes());
        message.extend(data);
        let place = self.chunk.records.len() as u64;
        self.chunk.index.entry(channel).or_default().push((at, place));
        self.chunk.records.extend(framed(op::MESSAGE, &message));
        self.counts[usize::from(channel)] += 1;
        for times in [&mut self.times, &mut self.chunk.times] {
            *times = Some(times.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
        }
        if self.chunk.records.len() >= CHUNK_ENOUGH { self.end_chunk() } else { Ok(()) }
    }

    /// Ends the recording with a note.
    pub(super) fn finish(mut self, note: &str, values: &[(&str, String)]) -> io::Result<()> {
        if !self.chunk.records.is_empty() {
            self.end_chunk()?;
        }
        let mut metadata = Vec::new();
        put_part(&mut metadata, note.as_bytes());
        let mut pairs = Vec::new();
        for (key, value) in values {
            put_part(&mut pairs, key.as_bytes());
            put_part(&mut pairs, value.as_bytes());
        }
        put_part(&mut metadata, &pairs);
        let metadata = framed(op::METADATA, &metadata);
        let mut index = Vec::from(self.place.to_le_bytes());
        index.extend((metadata.len() as u64).to_le_bytes());
        put_part(&mut index, note.as_bytes());
        self.put(&metadata)?;
        self.put(&framed(op::DATA_END, &0_u32.to_le_bytes()))?;

        let start = self.place;
        let groups = [
            (op::CHANNEL, std::mem::take(&mut self.channels)),
            (op::STATISTICS, framed(op::STATISTICS, &self.statistics())),
            (op::CHUNK_INDEX, std::mem::take(&mut self.chunks)),
            (op::METADATA_INDEX, framed(op::METADATA_INDEX, &index)),
        ];
        let mut offsets = Vec::new();
        for (opcode, group) in groups.iter().filter(|(_, group)| !group.is_empty()) {
            let mut offset = vec![*opcode];
            offset.extend(self.place.to_le_bytes());
            offset.extend((group.len() as u64).to_le_bytes());
            offsets.extend(framed(op::SUMMARY_OFFSET, &offset));
            self.put(group)?;
        }
        let mut footer = Vec::from(start.to_le_bytes());
        footer.extend(self.place.to_le_bytes());
        footer.extend(0_u32.to_le_bytes());
        self.put(&offsets)?;
        self.put(&framed(op::FOOTER, &footer))?;
        self.put(MAGIC)?;
        self.output.flush()
    }

    /// Writes the chunk, and the indexes of its messages.
    fn end_chunk(&mut self) -> io::Result<()> {
        let Chunk { records, times, index } = std::mem::take(&mut self.chunk);
        let (first, last) = times.unwrap_or_default();
        let size = records.len() as u64;
        let mut chunk = Vec::with_capacity(records.len() + 64);
        chunk.extend(first.to_le_bytes());
        chunk.extend(last.to_le_bytes());
        chunk.extend(size.to_le_bytes());
        chunk.extend(0_u32.to_le_bytes());
        put_part(&mut chunk, b"");
        chunk.extend(size.to_le_bytes());
        chunk.extend(records);
        let start = self.place;
        self.put(&framed(op::CHUNK, &chunk))?;
        let length = self.place - start;
        let mut offsets = Vec::new();
        for (channel, messages) in index {
            offsets.extend(channel.to_le_bytes());
            offsets.extend(self.place.to_le_bytes());
            let mut of_channel = Vec::from(channel.to_le_bytes());
            let places = messages.iter().flat_map(|(at, place)| [at.to_le_bytes(), place.to_le_bytes()]);
            put_part(&mut of_channel, &places.flatten().collect::<Vec<u8>>());
            self.put(&framed(op::MESSAGE_INDEX, &of_channel))?;
        }
        let mut of_chunk = Vec::new();
        for number in [first, last, start, length] {
            of_chunk.extend(number.to_le_bytes());
        }
        put_part(&mut of_chunk, &offsets);
        of_chunk.extend((self.place - start - length).to_le_bytes());
        put_part(&mut of_chunk, b"");
        of_chunk.extend(size.to_le_bytes());
        of_chunk.extend(size.to_le_bytes());
        self.chunks.extend(framed(op::CHUNK_INDEX, &of_chunk));
        self.chunk_count += 1;
        Ok(())
    }

    fn statistics(&self) -> Vec<u8> {
        let (first, last) = self.times.unwrap_or_default();
        let mut all = Vec::from(self.counts.iter().sum::<u64>().to_le_bytes());
        all.extend(0_u16.to_le_bytes());
        // Channels, attachments, notes, chunks.
        for count in [self.counts.len() as u32, 0, 1, self.chunk_count] {
            all.extend(count.to_le_bytes());
        }
        all.extend(first.to_le_bytes());
        all.extend(last.to_le_bytes());
        let mut counts = Vec::new();
        for (channel, count) in (0_u16..).zip(&self.counts) {
            counts.extend(channel.to_le_bytes());
            counts.extend(count.to_le_bytes());
        }
        put_part(&mut all, &counts);
        all
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.place += bytes.len() as u64;
        self.output.write_all(bytes)
    }
}

fn framed(opcode: u8, content: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(content.len() + 9);
    record.push(opcode);
    record.extend((content.len() as u64).to_le_bytes());
    record.extend(content);
    record
}

/// A length, and as many bytes. (No name, and no index of a chunk, is longer than its length can say.)
fn put_part(to: &mut Vec<u8>, part: &[u8]) {
    to.extend((part.len() as u32).to_le_bytes());
    to.extend(part);
}
