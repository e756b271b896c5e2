//! Recordings of ROS 1: bags of version 2.0 (<http://wiki.ros.org/Bags/Format/2.0>), whole or without an index, with chunks that are packed by bz2 or
//! lz4, or not at all.

use super::raw::{Coding, Recorded};
use crate::ros::{Decoder, Encoding};
use std::collections::BTreeMap;
use std::io::Read;

pub(super) const MARK: &[u8] = b"#ROSBAG V2.0\n";

/// No chunk is longer, unpacked. (Recorders write chunks of less than a megabyte.)
const CHUNK_MAX: u64 = 1 << 28;

/// All messages of a bag that somebody cares about.
pub(super) fn read(bytes: &[u8], cares: &dyn Fn(&str) -> bool) -> Result<Recorded, String> {
    let mut bag = Bag { connections: BTreeMap::new(), found: Recorded::default(), cares };
    let records = bytes.strip_prefix(MARK).ok_or("this is no bag of version 2.0")?;
    bag.records(records, false).map_err(|why| format!("this bag is damaged: {why}"))?;
    Ok(bag.found)
}

struct Bag<'a> {
    /// The channels of connections, by number; nothing if nobody cares about it.
    connections: BTreeMap<u32, Option<usize>>,
    found: Recorded,
    cares: &'a dyn Fn(&str) -> bool,
}

impl Bag<'_> {
    fn records(&mut self, mut bytes: &[u8], is_chunk: bool) -> Result<(), String> {
        while !bytes.is_empty() {
            let header = fields(part(&mut bytes)?)?;
            let data = part(&mut bytes)?;
            match header.get("op").copied() {
                Some([0x02]) => self.message(&header, data)?,
                Some([0x05]) if !is_chunk => self.records(&chunk(&header, data)?, true)?,
                Some([0x07]) => self.connection(&header, data)?,
                // What is left: the head of the bag, and indexes.
                Some(_) => {}
                None => return Err("a record does not say what it is".into()),
            }
        }
        Ok(())
    }

    fn connection(&mut self, header: &Fields<'_>, data: &[u8]) -> Result<(), String> {
        let number = number(header, "conn")?;
        if self.connections.contains_key(&number) {
            return Ok(());
        }
        let topic = text(header, "topic")?;
        let mut channel = None;
        if (self.cares)(&topic) {
            let of = fields(data)?;
            let name = text(&of, "type")?;
            let decoder = Decoder::new(&name, &text(&of, "message_definition")?, Encoding::Ros1);
            let decoder = decoder.map_err(|why| format!("messages on `{topic}`: {why}"))?;
            channel = Some(self.found.channel(&topic, Coding::Ros(Box::new(decoder))));
        }
        self.connections.insert(number, channel);
        Ok(())
    }

    fn message(&mut self, header: &Fields<'_>, data: &[u8]) -> Result<(), String> {
        let connection = number(header, "conn")?;
        let time = header.get("time").and_then(|time| <[u8; 8]>::try_from(*time).ok());
        let time = u64::from_le_bytes(time.ok_or("a message has no time")?);
        let (seconds, nanoseconds) = (time & 0xffff_ffff, time >> 32);
        let at = seconds * 1_000_000_000 + nanoseconds;
        let channel = self.connections.get(&connection);
        let channel = channel.ok_or_else(|| format!("there is no connection {connection}"))?;
        self.found.add(at, *channel, data)
    }
}

type Fields<'a> = BTreeMap<String, &'a [u8]>;

/// A length, and as many bytes.
fn part<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], String> {
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or("it ends in the middle of a record")?;
    let length = u32::from_le_bytes(*length) as usize;
    let (part, rest) = rest.split_at_checked(length).ok_or("it ends in the middle of a record")?;
    *bytes = rest;
    Ok(part)
}

/// Fields, each a name and its value.
fn fields(mut bytes: &[u8]) -> Result<Fields<'_>, String> {
    let mut fields = Fields::new();
    while !bytes.is_empty() {
        let field = part(&mut bytes)?;
        let equals = field.iter().position(|byte| *byte == b'=').ok_or("a field has no name")?;
        fields.insert(String::from_utf8_lossy(&field[..equals]).into_owned(), &field[equals + 1..]);
    }
    Ok(fields)
}

fn number(fields: &Fields<'_>, name: &str) -> Result<u32, String> {
    let bytes = fields.get(name).and_then(|bytes| <[u8; 4]>::try_from(*bytes).ok());
    bytes.map(u32::from_le_bytes).ok_or_else(|| format!("a record has no `{name}`"))
}

fn text(fields: &Fields<'_>, name: &str) -> Result<String, String> {
    let bytes = fields.get(name).ok_or_else(|| format!("a record has no `{name}`"))?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// What is in a chunk.
fn chunk(header: &Fields<'_>, data: &[u8]) -> Result<Vec<u8>, String> {
    let size = u64::from(number(header, "size")?);
    if size > CHUNK_MAX {
        return Err(format!("a chunk of {size} bytes is longer than the {CHUNK_MAX} that are read"));
    }
    let packing = text(header, "compression")?;
    let mut unpacked = Vec::new();
    // (Whatever is packed, no more than was promised is unpacked.)
    let result = match packing.as_str() {
        "none" => data.take(size + 1).read_to_end(&mut unpacked),
        "bz2" => bzip2::read::BzDecoder::new(data).take(size + 1).read_to_end(&mut unpacked),
        "lz4" => {
            lz4::Decoder::new(data).and_then(|decoder| decoder.take(size + 1).read_to_end(&mut unpacked))
        }
        other => return Err(format!("a chunk is packed by `{other}`, and only bz2 and lz4 are read here")),
    };
    result.map_err(|error| format!("a chunk cannot be unpacked: {error}"))?;
    if unpacked.len() as u64 != size {
        return Err(format!("a chunk has {} bytes instead of {size}", unpacked.len()));
    }
    Ok(unpacked)
}
