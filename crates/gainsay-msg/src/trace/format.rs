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

/// A line of a trace, for those who have written it otherwise.
pub(super) const LINE: &str = "{\"at_ms\":40,\"channel\":\"/laser\",\"msg\":{\"dist\":50.0}}";

/// What files with other endings mostly are, and what to do with them.
const OTHER_ENDINGS: [(&[&str], &str, &str); 4] = [
    (&["yaml", "yml"], "YAML", "write each message as a line of JSON"),
    (
        &["db3", "sqlite", "sqlite3"],
        "an SQLite database",
        "convert the recording to MCAP, by `ros2 bag convert` or by `rosbags-convert` of PyPI",
    ),
    (&["ulg"], "a flight log of PX4 (ULog)", "convert it to CSV or JSON lines"),
    (&["xml"], "XML", "write each message as a line of JSON"),
];

impl Format {
    /// By the name of a file; lines of JSON unless it says something else.
    pub fn of_name(name: &str) -> Format {
        match ending(name).as_str() {
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
    /// If this is no trace: what it is taken for, by what, what is read instead, and what to do.
    pub fn of(name: &str, bytes: &[u8]) -> Result<Format, TraceError> {
        if let Some((_, what)) = OTHERS.iter().find(|(mark, _)| bytes.starts_with(mark)) {
            return Err(TraceError { line: None, what: format!("this is no trace but {what}") });
        }
        let (found, named) = (Format::of_bytes(bytes), Format::of_name(name));
        let start = bytes.trim_ascii_start();
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        match (found, named) {
            (Format::Mcap | Format::Rosbag, _) => Ok(found),
            (_, Format::Csv) | (Format::Csv, Format::Lines) => Ok(Format::Csv),
            // (What is empty is told by whoever reads it.)
            (_, named) if start.is_empty() => Ok(named),
            (_, Format::Lines) if start.starts_with(b"{") => Ok(Format::Lines),
            (_, named) => Err(TraceError { line: None, what: unlike(name, named, start) }),
        }
    }
}

fn ending(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    file.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase()
}

/// Why something is no trace that does not begin like what it is taken for by its name.
fn unlike(name: &str, named: Format, start: &[u8]) -> String {
    let ending = ending(name);
    let other = OTHER_ENDINGS.iter().find(|(endings, ..)| endings.contains(&ending.as_str()));
    let (kind, way_out) = match (named, other) {
        (_, Some((_, kind, way_out))) => (*kind, *way_out),
        (Format::Mcap, _) => {
            ("a recording as MCAP", "if it is not damaged, give it the ending of what it is")
        }
        (Format::Rosbag, _) => ("a bag of ROS 1", "if it is not damaged, give it the ending of what it is"),
        _ if start.starts_with(b"[") => {
            ("lines of JSON", "write each message of the array as a line: `jq -c '.[]'`")
        }
        _ => ("lines of JSON", "convert it to one of these"),
    };
    let why = match ending.as_str() {
        "" => "without an ending".to_string(),
        "json" | "jsonl" | "ndjson" | "mcap" | "bag" => format!("by its ending `.{ending}`"),
        _ if other.is_some() => format!("by its ending `.{ending}`"),
        _ => format!("by its ending `.{ending}`, which is that of no other format,"),
    };
    let but = if other.is_some() { "which is not read here; it" } else { "but it" };
    format!(
        "{why} this is taken for {kind}, {but} begins with {}\n  = note: traces are lines of JSON such as `{LINE}`,\n    \
         tables (CSV) with the columns `at_ms` and `channel`, recordings as MCAP, or bags of ROS 1\n  = help: {way_out}",
        beginning(start)
    )
}

/// The first bytes, for people.
fn beginning(start: &[u8]) -> String {
    let line = start.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let text: String = String::from_utf8_lossy(line).chars().take(20).collect();
    if text.chars().all(|c| !c.is_control() && c != char::REPLACEMENT_CHARACTER) {
        return format!("`{text}`");
    }
    let bytes: Vec<String> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("the bytes {}", bytes.join(" "))
}
