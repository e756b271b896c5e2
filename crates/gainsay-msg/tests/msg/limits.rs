//! Whatever is read has limits, and a message names the one that is met: nothing takes all memory, all of the stack, or minutes.

use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{Channel, Format, Message, System, SystemFile, Trace, hpl, mutants};
use std::path::Path;
use std::time::{Duration, Instant};

fn table(text: &str) -> Result<Trace, String> {
    Trace::read(text.as_bytes(), Format::Csv).map_err(|error| error.to_string())
}

fn system_file(types: &str) -> Result<SystemFile, String> {
    let text = format!("[system]\nbus = \"embedded\"\n{types}");
    SystemFile::parse("s.toml", &text, Path::new("."))
        .map(|(file, _)| file)
        .map_err(|found| found.to_string())
}

/// Does something that must not take long, on whatever machine.
fn soon<T>(what: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = what();
    assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
    done
}

#[test]
fn a_column_of_very_many_dots_is_refused() {
    let refused = table(&format!("at_ms,channel,{}\n0,/a,1\n", ".".repeat(100_000))).unwrap_err();
    assert_eq!(
        refused,
        format!(
            "line 1: the column `{}…` is nested more than 64 deep: it has more than 63 dots",
            ".".repeat(40)
        )
    );
}

#[test]
fn what_is_read_from_a_table_can_be_read_as_lines() {
    let path = |names: usize| vec!["x"; names].join(".");
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    // (The message itself is a record: the first name is in it.)
    for (names, arrays) in [(1, 0), (64, 0), (1, 63), (32, 32), (63, 1)] {
        let cell = if arrays == 0 { "1".to_string() } else { nested(arrays) };
        let trace = table(&format!("at_ms,channel,{}\n0,/a,{cell}\n", path(names))).unwrap();
        let line = trace.messages[0].to_json();
        assert_eq!(Message::from_json(&line).unwrap(), *trace.messages[0], "{names} names, {arrays} arrays");
    }
    for (names, arrays) in [(2, 63), (64, 1), (33, 32)] {
        let refused =
            table(&format!("at_ms,channel,{}\n0,/a,{}\n", path(names), nested(arrays))).unwrap_err();
        assert_eq!(
            refused, "line 2: the message is nested more than 64 deep",
            "{names} names, {arrays} arrays"
        );
    }
    assert!(
        table(&format!("at_ms,channel,{}\n0,/a,1\n", path(65))).unwrap_err().contains("more than 64 deep")
    );
    // Lines are nested as deep as tables.
    let line =
        |depth: usize| format!("{{\"at_ms\":0,\"channel\":\"/a\",\"msg\":{{\"x\":{}}}}}", nested(depth));
    assert!(Message::from_json(&line(63)).is_ok());
    let refused = Message::from_json(&line(64)).unwrap_err().to_string();
    assert!(refused.contains("nested more than 64 deep"), "{refused}");
}

#[test]
fn a_table_of_very_many_columns_is_read_in_time() {
    let columns: Vec<String> = (0..16_000).map(|place| format!("a{place}")).collect();
    let cells = vec!["1"; columns.len()].join(",");
    let text = format!("at_ms,channel,{}\n0,/a,{cells}\n1,/a,{cells}\n", columns.join(","));
    let trace = soon(|| table(&text)).unwrap();
    assert_eq!(trace.messages[1].value.at("a15999"), Some(&1.into()));
    // The same of a line.
    let line = trace.messages[0].to_json();
    assert_eq!(soon(|| Message::from_json(&line)).unwrap().value, trace.messages[0].value);
    // And of one whose type is known.
    let fields = columns.iter().map(|name| (name.clone(), Type::Int { signed: true, bits: 8 })).collect();
    let of = Type::Record(MessageType::new("A", fields, vec![]).into());
    assert!(soon(|| of.conform(trace.messages[0].value.clone())).is_ok());
}

#[test]
fn columns_that_contradict_each_other_are_told() {
    assert_eq!(
        table("at_ms,channel,a,a.b\n0,/a,1,2\n").unwrap_err(),
        "line 2: `b` is a field of something that has a value already"
    );
    assert_eq!(table("at_ms,channel,a.b,a\n0,/a,1,2\n").unwrap_err(), "line 2: `a` has a value already");
    let both = table("at_ms,channel,msg,a.b,a.c\n0,/a,\"{\"\"a\"\":{\"\"x\"\":0}}\",1,2\n").unwrap();
    assert_eq!(both.messages[0].value.to_json(), r#"{"a":{"x":0,"b":1,"c":2}}"#);
}

#[test]
fn numbers_at_the_limit_have_mutants() {
    let most = i128::MAX;
    let of = Type::Record(
        MessageType::new("N", vec![("n".into(), Type::Int { signed: false, bits: 64 })], vec![]).into(),
    );
    let system = System::new("limits", vec![Channel::input("/a", of.clone()), Channel::output("/b", of)])
        .with_properties(&format!(
            "globally: no /b {{n = {most}}}\nglobally: no /b {{n < {} or n > -{most}}}",
            u64::MAX
        ))
        .unwrap();
    for rule in &system.rules {
        assert!(!mutants(rule, &system).is_empty());
    }
}

#[test]
fn very_many_chained_types_are_refused_soon() {
    // (In the order in which each comes before what it is made of.)
    let chain = |types: usize| {
        let types = (0..types).map(|n| format!("[types.T{n:04}]\nx = \"T{:04}\"\n", n + 1));
        let types: String = types.collect();
        format!("{types}[types.T{:04}]\nx = \"float64\"\n", types.matches("[types").count())
    };
    assert!(system_file(&chain(60)).is_ok());
    let refused = soon(|| system_file(&chain(1000))).unwrap_err();
    assert_eq!(refused.matches("is nested more than 64 deep").count(), 1, "{refused}");
    // The same of definitions as ROS has them.
    let between = format!("\n{}\n", "=".repeat(80));
    let parts: Vec<String> = (1..1000).map(|n| format!("MSG: p/T{n}\nT{} x", n + 1)).collect();
    let definition = format!("T1 x{between}{}{between}MSG: p/T1000\nfloat64 x", parts.join(&between));
    let decoder =
        soon(|| gainsay_msg::ros::Decoder::new("p/T0", &definition, gainsay_msg::ros::Encoding::Ros1));
    let refused = decoder.unwrap_err();
    assert!(refused.ends_with("is nested more than 64 deep"), "{refused}");
}

#[test]
fn a_type_that_doubles_again_and_again_is_refused() {
    let types = (1..=60).map(|n| format!("[types.T{n}]\na = \"T{m}\"\nb = \"T{m}\"\n", m = n - 1));
    let types =
        format!("[types.T0]\nx = \"float64\"\n{}[channels]\n\"/a\" = \"T60\"\n", types.collect::<String>());
    let refused = soon(|| system_file(&types)).unwrap_err();
    assert!(refused.contains("a message of type `T19` has more than 1000000 values"), "{refused}");
    let types = Types::new();
    let refused = types.named("float64[100000][100000]", None).unwrap_err();
    assert!(refused.contains("has more than 1000000 values"), "{refused}");
    assert!(types.named("float64[][100000]", None).is_ok() && types.named("float64[100000]", None).is_ok());
}

#[test]
fn an_endless_device_is_no_file_of_a_system() {
    if !Path::new("/dev/zero").exists() {
        return;
    }
    for section in ["properties", "types"] {
        let refused = soon(|| system_file(&format!("[{section}]\nfiles = [\"/dev/zero\"]\n"))).unwrap_err();
        assert!(refused.contains("failed to read `/dev/zero`: it is no regular file"), "{refused}");
    }
}

#[test]
fn conditions_are_bounded_in_height_however_they_are_nested() {
    let chain = |of: &str, operator: &str, terms: usize| vec![of; terms].join(operator);
    let troubles = |condition: &str| hpl::parse(&format!("globally: no /a {{{condition}}}")).troubles;
    assert!(troubles(&chain("x = 1", " and ", 400)).is_empty());
    let long = troubles(&chain("x = 1", " and ", 200_000));
    assert_eq!(long[0].message, "more than 400 operators in a row");
    let mut nested = String::from("x = 1");
    for _ in 0..90 {
        nested = format!("({nested}) and {}", chain("x = 1", " or ", 1) + &" and x = 1".repeat(300));
    }
    assert_eq!(troubles(&nested)[0].message, "more than 1000 operators above one another");
}

/// Found by the fuzzer: such a time was read from a recording, and could not be read as a line.
#[test]
fn a_time_of_a_recording_that_no_line_can_have_is_refused() {
    let read = |at: u64| {
        let mut recording = Vec::new();
        let trace = Trace::new(vec![Message::new(0, "/a", 1), Message::new(at, "/a", 1)], 0);
        trace.write_mcap(std::io::Cursor::new(&mut recording)).unwrap();
        Trace::read(recording.as_slice(), Format::Mcap)
    };
    let most = u64::MAX / 4;
    let trace = read(most).unwrap();
    assert!(Message::from_json(&trace.messages[1].to_json()).is_ok());
    let refused = read(most + 1).unwrap_err().to_string();
    assert_eq!(refused, format!("the time of a message is {} ns, and times are at most {most} ns", most + 1));
}

/// Found by the fuzzer: the crate `mcap` makes room for as much.
#[test]
fn a_text_of_a_recording_that_claims_gigabytes_is_refused() {
    let mut recording = Vec::new();
    let trace = Trace::new(vec![Message::at_ms(1, "/a", 1)], 0);
    trace.write_mcap(std::io::Cursor::new(&mut recording)).unwrap();
    // The name of a channel: four bytes of its length, and then itself.
    let at = recording.windows(6).position(|bytes| bytes == b"\x02\0\0\0/a").unwrap();
    recording[at + 3] = 0x50;
    let refused = Trace::read(recording.as_slice(), Format::Mcap).unwrap_err().to_string();
    assert_eq!(refused, "this is no recording: it ends in the middle of a record");
}

#[test]
fn a_folder_of_very_many_files_is_not_looked_through() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("very-many-files");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..=20_000 {
        std::fs::File::create(folder.join(number.to_string())).unwrap();
    }
    let refused = system_file(&format!("[types]\nfiles = [\"{}\"]\n", folder.display())).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(refused.contains("there are more than 20000 files in"), "{refused}");
}
