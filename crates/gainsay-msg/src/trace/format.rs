//! How traces are written, and what other files are.

use super::TraceError;
use super::rosbag;

/// How a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A line of JSON for each message.
    Lines,
    /// A table.
    Csv,
    /// A recording as MCAP, with messages in JSON, in CDR (ROS 2) or as ROS 1 writes them.
    Mcap,
    /// A recording of ROS 1: a bag of version 2.0.
    Rosbag,
}

/// Files that are no traces, by their first bytes, and what to do with them.
const OTHERS: [(&[u8], &str); 11] = [
    (
        b"SQLite format 3\0",
        "an SQLite database, in which ROS 2 may record (`.db3`): convert it to MCAP, by `ros2 bag convert` or by `rosbags-convert` of PyPI",
    ),
    (b"#ROSBAG V1", "a bag of an old version: convert it by `rosbag fix`"),
    (b"rosbag2_bagfile_information:", "the description of a ROS 2 bag: name the recordings beside it"),
    (b"ULog\x01\x12\x35", "a flight log of PX4 (ULog): convert it to CSV or JSON lines"),
    (b"PAR1", "a Parquet file: convert it to CSV"),
    (b"\x1f\x8b", "packed by gzip: unpack it first (`gunzip`)"),
    (b"\x28\xb5\x2f\xfd", "packed by Zstandard: unpack it first (`zstd -d`)"),
    (b"\x04\x22\x4d\x18", "packed by LZ4: unpack it first (`lz4 -d`)"),
    (b"BZh", "packed by bzip2: unpack it first (`bunzip2`)"),
    (b"\xfd7zXZ\0", "packed by xz: unpack it first (`unxz`)"),
    (b"PK\x03\x04", "a ZIP archive: unpack it first (`unzip`)"),
];

impl Format {
    /// By the name of a file; lines of JSON unless it says something else.
    pub fn of_name(name: &str) -> Format {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Format::Csv,
            "mcap" => Format::Mcap,
            "bag" => Format::Rosbag,
            _ => Format::Lines,
        }
    }

    /// By the first bytes of a trace: a recording begins with its mark, and a table with the names of its columns.
    pub fn of_bytes(bytes: &[u8]) -> Format {
        if bytes.starts_with(b"\x89MCAP") {
            return Format::Mcap;
        }
        if bytes.starts_with(rosbag::MARK) {
            return Format::Rosbag;
        }
        let text = String::from_utf8_lossy(bytes);
        let first = text.trim_start_matches('\u{feff}').trim_start().lines().next().unwrap_or_default();
        if !first.starts_with('{') && first.contains("at_ms") && first.contains(',') {
            return Format::Csv;
        }
        Format::Lines
    }

    /// By the name of a file and its first bytes; where they disagree, the bytes of a recording are believed.
    ///
    /// # Errors
    /// If the bytes are known to be no trace: what they are, and what to do.
    pub fn of(name: &str, bytes: &[u8]) -> Result<Format, TraceError> {
        if let Some((_, what)) = OTHERS.iter().find(|(mark, _)| bytes.starts_with(mark)) {
            return Err(TraceError { line: None, what: format!("this is no trace but {what}") });
        }
        Ok(match (Format::of_bytes(bytes), Format::of_name(name)) {
            (found @ (Format::Mcap | Format::Rosbag), _) | (found, Format::Lines) => found,
            (_, named) => named,
        })
    }
}
