//! What each fuzz target does with its bytes. Nothing here may panic, take a second, or 512 MB, whatever the bytes are; and where something is read
//! and written, what is written is read as the same.

#![cfg(fuzzing)]

use gainsay_core::Case;
use gainsay_model::machine::Finite;
use gainsay_msg::ros::{Decoder, Encoding};
use gainsay_msg::{AnyChannels, Format, Message, SystemFile, Trace, hpl, parse_schema, resolve};
use gainsay_temporal::mfotl::{Language, fact};
use gainsay_temporal::{Atom, atom, parse};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Once;

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Properties: read, resolved, and formatted; what is formatted is read as the same.
pub fn hpl(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let file = hpl::parse(text);
    let _ = resolve(&file.properties, &AnyChannels);
    if file.troubles.is_empty() {
        let formatted = hpl::format(&file);
        let again = hpl::parse(&formatted);
        assert!(again.troubles.is_empty(), "{formatted}\n{:?}", again.troubles);
        assert_eq!(hpl::format(&again), formatted);
    }
}

/// Schemas written by hand.
pub fn schema(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let _ = parse_schema("fuzzed", text, &AnyChannels);
}

/// System files, and how what is wrong with them is shown.
pub fn system_file(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Err(found) = SystemFile::parse("fuzzed.toml", text, Path::new("nowhere")) {
        let _ = found.to_string();
    }
}

/// Machines in the DOT language; what is written is the same machine.
pub fn dot(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Ok(machine) = Finite::from_dot(text) {
        let written = machine.to_dot_text();
        let again = Finite::from_dot(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(again.table(), machine.table(), "{written}");
    }
}

fn trace(bytes: &[u8], format: Format) {
    let Ok(trace) = Trace::read(bytes, format) else { return };
    for message in &trace.messages {
        let line = message.to_json();
        if let Err(error) = Message::from_json(&line) {
            panic!("{error}\n{line}");
        }
    }
}

/// Traces as lines of JSON.
pub fn json_lines(bytes: &[u8]) {
    trace(bytes, Format::Lines);
}

/// Traces as tables.
pub fn csv(bytes: &[u8]) {
    trace(bytes, Format::Csv);
}

/// Recordings. (Their reader contains panics of the crate `mcap`, which the fuzzer would take for findings.)
pub fn mcap(bytes: &[u8]) {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))));
    trace(bytes, Format::Mcap);
}

/// Bags of ROS 1.
pub fn rosbag(bytes: &[u8]) {
    trace(bytes, Format::Rosbag);
}

/// Definitions of messages, up to a zero, and a message behind it.
pub fn ros(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let Some(definition) = text(&bytes[..end]) else { return };
    for encoding in [Encoding::Ros1, Encoding::Cdr] {
        if let Ok(decoder) = Decoder::new("demo/Fuzzed", definition, encoding) {
            let _ = decoder.decode(bytes.get(end + 1..).unwrap_or_default());
        }
    }
}

/// Values of `GAINSAY_REPLAY`.
pub fn replay_value(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    gainsay_core::fuzz::replay_value(text);
}

/// Files of the corpus.
pub fn corpus_file(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    gainsay_core::fuzz::corpus_file(text);
}

/// What an isolated child and its parent say.
pub fn child_lines(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    gainsay_core::fuzz::child_lines(text);
}

/// What harnesses of other languages say.
pub fn harness_lines(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    text.lines().for_each(gainsay_subject::fuzz::harness_line);
}

/// What systems on standard input and output say.
pub fn system_lines(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    gainsay_msg::fuzz::system_lines(text);
}

/// What is written has brackets that were not there, and may be nested deeper than is read.
fn is_limit(message: &str, written: &str) {
    assert!(message.contains("deep at most"), "{message}\n{written}");
}

/// Temporal formulas; small ones are evaluated, whose cost is exponential in their size.
pub fn temporal(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let atoms: Vec<Atom<u8>> = vec![
        atom("a", |n: &u8| n & 1 != 0),
        atom("b", |n: &u8| n & 2 != 0),
        atom("a b`", |n: &u8| n & 4 != 0),
    ];
    match parse(text, &atoms) {
        Ok(formula) => {
            let written = formula.to_string();
            match parse(&written, &atoms) {
                Ok(again) => assert_eq!(again.to_string(), written),
                Err(error) => is_limit(error.message(), &written),
            }
            if formula.size() <= 8 {
                formula.holds(&[1, 2, 4]);
            }
        }
        Err(error) => drop(error.to_string()),
    }
}

/// Formulas with data.
pub fn mfotl(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let p = fact("p", |n: &i64| Some([*n]));
    let q = fact("q", |n: &i64| Some([*n, n + 1]));
    let language = Language::new().fact(&p).fact(&q).test("odd", 1, |values: &[&i64]| values[0] % 2 != 0);
    match language.parse(text) {
        Ok(formula) => {
            let written = formula.to_string();
            match language.parse(&written) {
                Ok(again) => assert_eq!(again.to_string(), written),
                Err(error) => is_limit(error.message(), &written),
            }
        }
        Err(error) => drop(error.to_string()),
    }
}

/// Generators, driven by bytes: every input is a case.
pub fn case(bytes: &[u8]) {
    let mut case = Case::from_bytes(bytes);
    case.any::<Vec<(i8, Option<u64>)>>();
    case.any::<(String, char, f32, f64, i128)>();
    case.any::<BTreeMap<u8, HashSet<bool>>>();
    case.int(-5..=1_000_000_i64);
    case.float_favouring(0.0..=1.0, &[0.5]);
    case.string(0..=9);
    case.vec(0..=9, |case| case.one_of(&[&|case| case.int(0..=9u32), &|_| 7]));
}
