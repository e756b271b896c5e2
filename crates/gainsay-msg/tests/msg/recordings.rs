//! Recordings of robots: bags of ROS 1, and MCAP of ROS 1 and ROS 2. `tests/recordings/generate.py` writes them by other people's software.

use gainsay_core::{Case, settings};
use gainsay_msg::ros::{Decoder, Encoding};
use gainsay_msg::types::{Type, Types};
use gainsay_msg::{
    AnyChannels, Format, Monitors, Record, Source, Trace, Value, hpl, monitor, monitor_all, resolve,
};
use std::fs;
use std::path::Path;

fn bytes(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name)).unwrap()
}

fn trace(name: &str) -> Result<Trace, String> {
    let bytes = bytes(name);
    let format = Format::of(name, &bytes).map_err(|error| error.to_string())?;
    Trace::read(bytes.as_slice(), format).map_err(|error| error.to_string())
}

/// A field of a message, by its path.
fn field<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, name| match (value, name.parse::<usize>()) {
        (Value::List(items), Ok(place)) => &items[place],
        (Value::Record(record), _) => {
            record.get(name).unwrap_or_else(|| panic!("there is no `{name}` in {value}"))
        }
        _ => panic!("there is no `{name}` in {value}"),
    })
}

#[test]
fn recordings_of_ros_are_read() {
    for name in ["plain.bag", "ros1.mcap", "ros2.mcap"] {
        let trace = trace(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let seen: Vec<(u64, &str)> =
            trace.messages.iter().map(|message| (message.at / 1_000_000, &*message.channel)).collect();
        // (Times are those of a clock on a wall: the first message is at 0.)
        let expected = [
            (0, "/laser"),
            (250, "/battery"),
            (500, "/laser"),
            (750, "/battery"),
            (1000, "/laser"),
            (1000, "/tf"),
        ];
        assert_eq!(seen, expected, "{name}");
        assert_eq!(trace.end, 1_000_000_000);
        let at = |place: usize, path: &str| field(&trace.messages[place].value, path).to_string();
        assert_eq!([at(0, "range"), at(2, "range"), at(4, "range")], ["5.0", "0.5", "4.0"], "{name}");
        assert_eq!(at(0, "header.frame_id"), "\"laser\"");
        assert_eq!(at(0, "radiation_type"), "1");
        assert_eq!([at(1, "percentage"), at(3, "percentage")], ["0.5", "0.25"]);
        assert_eq!([at(1, "cell_voltage"), at(1, "cell_temperature")], ["[4.25, 4.0]", "[]"]);
        assert_eq!([at(1, "location"), at(1, "present")], ["\"slot é\"", "true"]);
        assert_eq!(at(5, "transforms.0.transform.translation"), "{x: 1.0, y: 2.0, z: 3.0}");
        assert_eq!(at(5, "transforms.0.child_frame_id"), "\"base\"");
        let (seconds, sequence) = match name {
            "ros2.mcap" => ("header.stamp.sec", None),
            _ => ("header.stamp.secs", Some(at(0, "header.seq"))),
        };
        assert_eq!(at(0, seconds), "1700000001", "{name}");
        assert_eq!(sequence.as_deref(), (name != "ros2.mcap").then_some("1000"));
    }
}

/// What monitors of properties say of several recordings as one.
fn judged(names: &[&str], property: &str, slack: u64) -> Result<Vec<String>, String> {
    let file = hpl::parse(property);
    let (rules, found) = resolve(&file.properties, &AnyChannels);
    assert!(found.is_empty(), "{property}: {found:?}");
    let mut monitors = Monitors::with_slack(rules, slack);
    let contents: Vec<Vec<u8>> = names.iter().map(|name| bytes(name)).collect();
    let sources = names.iter().zip(&contents).map(|(name, bytes)| Source {
        name: (*name).to_string(),
        format: Format::of(name, bytes).unwrap(),
        input: Box::new(bytes.as_slice()),
    });
    monitor_all(sources.collect(), &mut monitors, None).map_err(|error| error.to_string())?;
    let judged = monitors.judged();
    Ok(judged.iter().flat_map(|one| one.violations.iter().map(ToString::to_string)).collect())
}

#[test]
fn several_recordings_are_one() {
    let within = |ms: u32| {
        format!("globally: /laser {{range < 1}} causes /battery {{percentage < 0.4}} within {ms} ms")
    };
    for names in [&["bz2.bag", "lz4.bag"][..], &["lz4.bag", "bz2.bag"], &["ros2.mcap"], &["plain.bag"]] {
        assert_eq!(judged(names, &within(300), 0).unwrap(), Vec::<String>::new(), "{names:?}");
        assert_eq!(judged(names, &within(200), 0).unwrap().len(), 1, "{names:?}");
        // Time may be forgiven.
        assert_eq!(judged(names, &within(200), 100_000_000).unwrap().len(), 0, "{names:?}");
    }
    // The one without the other.
    assert_eq!(judged(&["bz2.bag"], &within(300), 0).unwrap().len(), 1);
}

#[test]
fn times_of_a_clock_on_a_wall_count_from_the_first_message_on() {
    let lines = |start: u64| {
        format!(
            "{{\"at_ms\":{},\"channel\":\"/a\",\"msg\":{{}}}}\n{{\"at_ms\":{},\"channel\":\"/b\",\"msg\":{{}}}}\n",
            start,
            start + 20
        )
    };
    let times = |text: &str, format: Format| {
        let trace = Trace::read(text.as_bytes(), format).unwrap();
        (
            trace.messages.iter().map(|message| message.at / 1_000_000).collect::<Vec<_>>(),
            trace.end / 1_000_000,
        )
    };
    assert_eq!(times(&lines(1_700_000_000_000), Format::Lines), (vec![0, 20], 20));
    assert_eq!(times(&lines(1_000), Format::Lines), (vec![1000, 1020], 1020));
    let table = "at_ms,channel\n1700000000000,/a\n1700000000020.5,/b\n";
    assert_eq!(times(table, Format::Csv), (vec![0, 20], 20));
    // What counts from elsewhere cannot be merged with it.
    let file = hpl::parse("globally: no /b");
    let (rules, _) = resolve(&file.properties, &AnyChannels);
    let (wall, other) = (lines(1_700_000_000_000), lines(0));
    let source = |name: &str, text: &str| Source {
        name: name.into(),
        format: Format::Lines,
        input: Box::new(std::io::Cursor::new(text.to_string())),
    };
    let mut monitors = Monitors::with_slack(rules.clone(), 0);
    let merged = monitor_all(vec![source("one", &wall), source("two", &other)], &mut monitors, None);
    assert_eq!(
        merged.unwrap_err().to_string(),
        "the times of one are those of a clock on a wall, and those of two are not: they cannot be merged"
    );
    let mut monitors = Monitors::with_slack(rules, 0);
    monitor_all(vec![source("one", &wall), source("two", &wall)], &mut monitors, None).unwrap();
    assert_eq!(monitors.judged()[0].violations[0].at, 20_000_000);
}

#[test]
fn other_files_are_named() {
    let of = |name: &str, bytes: &[u8]| Format::of(name, bytes).map_err(|error| error.to_string());
    let database = of("ros2.db3", &bytes("ros2.db3")).unwrap_err();
    assert_eq!(
        database,
        "this is no trace but an SQLite database, in which ROS 2 may record (`.db3`): convert it to MCAP, by `ros2 bag \
         convert` or by `rosbags-convert` of PyPI"
    );
    assert!(of("a.bag", b"#ROSBAG V1.2\n").unwrap_err().contains("a bag of an old version"));
    assert!(of("a.mcap.zst", b"\x28\xb5\x2f\xfd....").unwrap_err().contains("packed by Zstandard"));
    assert!(of("a.jsonl.gz", b"\x1f\x8b....").unwrap_err().contains("packed by gzip"));
    // The bytes are believed, and then the name.
    assert_eq!(of("trace", &bytes("plain.bag")), Ok(Format::Rosbag));
    assert_eq!(of("trace.csv", &bytes("ros2.mcap")), Ok(Format::Mcap));
    assert_eq!(of("trace.csv", b"{"), Ok(Format::Csv));
    assert_eq!(of("trace.txt", b"at_ms,channel\n"), Ok(Format::Csv));
    assert_eq!(of("trace.txt", b"{"), Ok(Format::Lines));
    assert_eq!(of("trace.yaml", b"\xef\xbb\xbf\n{\"at_ms\":1"), Ok(Format::Lines));
    // What is empty is told by whoever reads it.
    assert_eq!(of("trace", b"\n"), Ok(Format::Lines));
    assert_eq!(of("trace.bag", b""), Ok(Format::Rosbag));
}

#[test]
fn what_is_taken_for_a_trace_and_is_none_is_told_with_the_formats() {
    let of = |name: &str, bytes: &[u8]| Format::of(name, bytes).unwrap_err().to_string();
    let read = "\n  = note: traces are lines of JSON such as `{\"at_ms\":40,\"channel\":\"/laser\",\"msg\":{\"dist\":50.0}}`,\n    \
                tables (CSV) with the columns `at_ms` and `channel`, recordings as MCAP, or bags of ROS 1\n  = help: ";
    for (name, bytes, taken, way_out) in [
        (
            "folder.d/q.yaml",
            &b"a: b\nc: d"[..],
            "by its ending `.yaml` this is taken for YAML, which is not read here; it begins with `a: b`",
            "write each message as a line of JSON",
        ),
        (
            "x.DB3",
            b"foo",
            "by its ending `.db3` this is taken for an SQLite database, which is not read here; it begins with `foo`",
            "convert the recording to MCAP, by `ros2 bag convert` or by `rosbags-convert` of PyPI",
        ),
        (
            "x.mcap",
            b"\x00\x01\xff",
            "by its ending `.mcap` this is taken for a recording as MCAP, but it begins with the bytes 00 01 ff",
            "if it is not damaged, give it the ending of what it is",
        ),
        (
            "x.bag",
            b"foo",
            "by its ending `.bag` this is taken for a bag of ROS 1, but it begins with `foo`",
            "if it is not damaged, give it the ending of what it is",
        ),
        (
            "x.jsonl",
            b"[{\"at_ms\":1}]",
            "by its ending `.jsonl` this is taken for lines of JSON, but it begins with `[{\"at_ms\":1}]`",
            "write each message of the array as a line: `jq -c '.[]'`",
        ),
        (
            "x.txt",
            b"the first line of a story",
            "by its ending `.txt`, which is that of no other format, this is taken for lines of JSON, but it begins with \
             `the first line of a `",
            "convert it to one of these",
        ),
        (
            "standard input",
            b"foo",
            "without an ending this is taken for lines of JSON, but it begins with `foo`",
            "convert it to one of these",
        ),
    ] {
        assert_eq!(of(name, bytes), format!("{taken}{read}{way_out}"));
    }
}

#[test]
fn messages_that_no_property_names_are_heard_all_the_same() {
    let rules = |text: &str| resolve(&hpl::parse(text).properties, &AnyChannels).0;
    let forbids = "globally: /laser forbids /nothing";
    let never = |name: &str, text: &str| {
        let mut monitors = Monitors::new(rules(text));
        let bytes = bytes(name);
        monitor(bytes.as_slice(), Format::of(name, &bytes).unwrap(), &mut monitors).unwrap();
        let (one, two) =
            (monitors.others_spoke(), monitors.judged()[0].exercise.never(&rules(text)[0], Some(true)));
        (one[0], two)
    };
    // Whether another property speaks of the battery makes no difference.
    for name in ["plain.bag", "ros1.mcap", "ros2.mcap"] {
        assert_eq!(never(name, forbids), (Some(true), vec![]));
        assert_eq!(never(name, &format!("{forbids}\nglobally: no /battery")), (Some(true), vec![]));
    }
    let spoke = |text: &str, format: Format| {
        let mut monitors = Monitors::new(rules(forbids));
        monitor(text.as_bytes(), format, &mut monitors).unwrap();
        monitors.others_spoke()[0]
    };
    let line = |channel: &str| format!("{{\"at_ms\":1,\"channel\":\"{channel}\",\"msg\":{{}}}}\n");
    assert_eq!(spoke(&line("/laser"), Format::Lines), Some(false));
    assert_eq!(spoke(&(line("/laser") + "{\"at_ms\":2,\"end\":true}"), Format::Lines), Some(false));
    assert_eq!(spoke(&(line("/laser") + &line("/other")), Format::Lines), Some(true));
    assert_eq!(spoke("at_ms,channel\n1,/laser\n", Format::Csv), Some(false));
    assert_eq!(spoke("at_ms,channel\n1,/laser\n1,/other\n", Format::Csv), Some(true));
    let mut monitors = Monitors::new(rules(forbids));
    let (one, two) = (line("/laser"), line("/other"));
    let source = |text: &str| Source {
        name: "t".into(),
        input: Box::new(std::io::Cursor::new(text.to_string())),
        format: Format::Lines,
    };
    monitor_all(vec![source(&one), source(&two)], &mut monitors, None).unwrap();
    assert_eq!(monitors.others_spoke(), [Some(true)]);
}

#[test]
fn the_first_line_that_is_no_message_is_told_with_one_that_is() {
    let error = |text: &str| Trace::read(text.as_bytes(), Format::Lines).unwrap_err().to_string();
    let such =
        "each line is a message such as `{\"at_ms\":40,\"channel\":\"/laser\",\"msg\":{\"dist\":50.0}}`";
    assert_eq!(
        error("{\n  \"at_ms\": 1\n}"),
        format!("line 1: this is no JSON: EOF while parsing an object (column 1); {such}")
    );
    assert_eq!(error("{\"time\":1}"), format!("line 1: there is no `at_ms`; {such}"));
    // Whoever has begun well has made a mistake.
    let good = "{\"at_ms\":1,\"channel\":\"/a\",\"msg\":{}}";
    assert_eq!(error(&format!("{good}\nhello")), "line 2: this is no JSON: expected value (column 1)");
    let table = |text: &str| Trace::read(text.as_bytes(), Format::Csv).unwrap_err().to_string();
    let columns = "line 1: a table of messages has the columns `at_ms` and `channel`, and this, which is read as one (CSV), has";
    assert_eq!(
        table("\n"),
        "line 1: this table (CSV) is empty: its first line names the columns `at_ms` and `channel`"
    );
    for format in [Format::Mcap, Format::Rosbag] {
        assert_eq!(Trace::read(&b""[..], format).unwrap_err().to_string(), "this recording is empty");
    }
    assert_eq!(table("time,channel\n5,/bad"), format!("{columns} `time`, `channel`"));
    assert_eq!(
        table("at_ms;channel\n5;/bad"),
        format!("{columns} `at_ms;channel`; columns are separated by commas")
    );
    assert_eq!(
        table(good),
        format!(
            "{columns} `{{\"at_ms\":1`, `channel:\"/a\"`, `msg:{{}}}}`; it begins like lines of JSON: let its name end in \
             `.jsonl`"
        )
    );
}

#[test]
fn an_answer_that_is_stamped_before_its_question_is_told_and_not_judged() {
    // Times since the start, and those of a clock on a wall, where the first message is at 0.
    for start in [0_u64, 1_700_000_000_000] {
        let (first, second) = (start + 5, start + 4);
        let lines = format!(
            "{{\"at_ms\":{first},\"channel\":\"/ask\",\"msg\":{{}}}}\n{{\"at_ms\":{second},\"channel\":\"/answer\",\"msg\":{{}}}}\n"
        );
        let table = format!("at_ms,channel\n{first},/ask\n{second},/answer\n");
        let rules = || resolve(&hpl::parse("globally: /answer requires /ask").properties, &AnyChannels).0;
        for (text, format, line) in [(lines, Format::Lines, 2), (table, Format::Csv, 3)] {
            let told = format!(
                "line {line}: time goes back from {first} ms to {second} ms, and a trace is in the order of its times"
            );
            let mut monitors = Monitors::new(rules());
            assert_eq!(monitor(text.as_bytes(), format, &mut monitors).unwrap_err().to_string(), told);
            assert_eq!(Trace::read(text.as_bytes(), format).unwrap_err().to_string(), told);
            let source = Source { name: "answers".into(), input: Box::new(text.as_bytes()), format };
            let merged = monitor_all(vec![source], &mut Monitors::new(rules()), None);
            assert_eq!(merged.unwrap_err().to_string(), format!("answers: {told}"));
        }
    }
}

#[test]
fn what_is_written_as_a_recording_is_read_again() {
    // (Enough for several chunks; `GAINSAY_KEEP_MCAP` names a file in which it is kept, for other readers.)
    let texts = (0..30_000_u64).map(|number| {
        let padding = "x".repeat(number as usize % 100);
        format!(
            "{{\"at_ms\":{number},\"channel\":\"/c{}\",\"msg\":{{\"data\":\"{padding}\"}}}}\n",
            number % 3
        )
    });
    let lines = texts.chain(["{\"at_ms\":40000,\"end\":true}\n".into()]).collect::<String>();
    let trace = Trace::read(lines.as_bytes(), Format::Lines).unwrap();
    let mut written = Vec::new();
    trace.write_mcap(&mut written).unwrap();
    let read = Trace::read(written.as_slice(), Format::Mcap).unwrap();
    assert_eq!((read.messages == trace.messages, read.end), (true, trace.end));
    if let Some(path) = std::env::var_os("GAINSAY_KEEP_MCAP") {
        std::fs::write(path, &written).unwrap();
    }
    // Nothing at all is a trace as well.
    let nothing = Trace::read(&b"{\"at_ms\":5,\"end\":true}\n"[..], Format::Lines).unwrap();
    let mut written = Vec::new();
    nothing.write_mcap(&mut written).unwrap();
    assert_eq!(Trace::read(written.as_slice(), Format::Mcap).unwrap().end, 5_000_000);
}

#[test]
fn damaged_recordings_are_refused_or_read_and_nobody_stumbles() {
    for name in ["plain.bag", "bz2.bag", "lz4.bag", "ros1.mcap", "ros2.mcap", "others.mcap"] {
        let whole = bytes(name);
        let format = Format::of_name(name);
        for length in (0..whole.len()).step_by(61) {
            let read = Trace::read(&whole[..length], format);
            assert!(length > whole.len() / 2 || read.is_err(), "{name} is no recording after {length} bytes");
        }
        for at in (0..whole.len()).step_by(23) {
            for change in [1, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] ^= change;
                drop(Trace::read(damaged.as_slice(), format));
            }
        }
    }
    let error = |bytes: &[u8]| Trace::read(bytes, Format::Rosbag).unwrap_err().to_string();
    assert_eq!(error(b"#ROSBAG V3.0\n"), "this is no bag of version 2.0");
    assert_eq!(error(&bytes("plain.bag")[..60]), "this bag is damaged: it ends in the middle of a record");
}

/// A type, as it is written, and what it is.
fn random_type(case: &mut Case, depth: u32, texts: &mut Vec<(String, String)>) -> (String, Type) {
    let primitives = [
        "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32",
        "float64", "string",
    ];
    let (name, of) = if depth > 0 && case.flag_weighted(1, 2) {
        random_message(case, depth - 1, texts)
    } else {
        let name = primitives[case.index(primitives.len())];
        (name.to_string(), Type::primitive(name).unwrap())
    };
    match case.index_weighted(&[4, 1, 1]) {
        0 => (name, of),
        1 => (format!("{name}[]"), Type::Array(Box::new(of), None)),
        _ => {
            let length = case.int(0..=3usize);
            (format!("{name}[{length}]"), Type::Array(Box::new(of), Some(length)))
        }
    }
}

fn random_message(case: &mut Case, depth: u32, texts: &mut Vec<(String, String)>) -> (String, Type) {
    let fields = case.vec(1..=4, |case| random_type(case, depth, texts));
    let name = format!("demo/M{}", texts.len());
    let lines = fields.iter().enumerate().map(|(place, (kind, _))| format!("{kind} f{place}  # a field\n"));
    texts.push((name.clone(), lines.collect()));
    let fields = fields.into_iter().enumerate().map(|(place, (_, of))| (format!("f{place}"), of));
    (
        name.clone(),
        Type::Record(gainsay_msg::types::MessageType::new(name, fields.collect(), Vec::new()).into()),
    )
}

fn random_value(case: &mut Case, of: &Type) -> Value {
    match of {
        Type::Bool => Value::Bool(case.flag()),
        Type::Int { signed: true, bits } => {
            let most = (1_i128 << (bits - 1)) - 1;
            Value::Int(i128::from(case.int(i64::MIN..=i64::MAX)).clamp(-most - 1, most))
        }
        Type::Int { bits, .. } => Value::Int(i128::from(case.int(0..=u64::MAX)).min((1 << bits) - 1)),
        Type::Float32 => Value::Float(f64::from(case.int(-1000..=1000i16)) / 8.0),
        Type::Float64 => Value::Float(case.int(-1_000_000..=1_000_000i32).into()),
        Type::Text => Value::Text(["", "a", "map", "é", "four"][case.index(5)].into()),
        Type::Array(of, length) => {
            let length = length.unwrap_or_else(|| case.int(0..=3usize));
            Value::List((0..length).map(|_| random_value(case, of)).collect())
        }
        Type::Record(message) => {
            let values = message.fields.iter().map(|(_, of)| random_value(case, of)).collect();
            Value::Record(Record::of(message.names().clone(), values))
        }
        _ => unreachable!(),
    }
}

/// Writes values as the two serialisations have it: a second pair of eyes.
struct Encoder {
    bytes: Vec<u8>,
    /// The greatest alignment; none in ROS 1.
    aligned: Option<usize>,
    is_big_endian: bool,
}

impl Encoder {
    fn number(&mut self, little: &[u8]) {
        while let Some(aligned) = self.aligned
            && !self.bytes.len().is_multiple_of(little.len().min(aligned))
        {
            self.bytes.push(0);
        }
        match self.is_big_endian {
            true => self.bytes.extend(little.iter().rev()),
            false => self.bytes.extend(little),
        }
    }

    fn value(&mut self, of: &Type, value: &Value) {
        match (of, value) {
            (Type::Bool, Value::Bool(bit)) => self.number(&[u8::from(*bit)]),
            (Type::Int { bits, .. }, Value::Int(int)) => {
                self.number(&int.to_le_bytes()[..usize::from(bits / 8)])
            }
            (Type::Float32, Value::Float(float)) => self.number(&(*float as f32).to_le_bytes()),
            (Type::Float64, Value::Float(float)) => self.number(&float.to_le_bytes()),
            (Type::Text, Value::Text(text)) => {
                let zero = usize::from(self.aligned.is_some());
                self.number(&((text.len() + zero) as u32).to_le_bytes());
                self.bytes.extend(text.as_bytes());
                self.bytes.extend(&[0][..zero]);
            }
            (Type::Array(of, length), Value::List(items)) => {
                if length.is_none() {
                    self.number(&(items.len() as u32).to_le_bytes());
                }
                items.iter().for_each(|item| self.value(of, item));
            }
            (Type::Record(message), Value::Record(record)) => {
                for ((_, of), value) in message.fields.iter().zip(record.values()) {
                    self.value(of, value);
                }
            }
            _ => unreachable!(),
        }
    }
}

#[test]
fn what_is_encoded_is_decoded_again() {
    settings().seed(1).cases(2000).without_corpus().check(|case| {
        let mut texts = Vec::new();
        let (name, of) = random_message(case, 2, &mut texts);
        // The message itself comes last, and those that it is made of stand behind it.
        let (_, mut definition) = texts.pop().unwrap();
        for (name, text) in texts {
            definition += &format!("{}\nMSG: {name}\n{text}", "=".repeat(80));
        }
        let value = random_value(case, &of);
        for (encoding, kind, aligned, is_big_endian) in [
            (Encoding::Ros1, None, None, false),
            (Encoding::Cdr, Some(1), Some(8), false),
            (Encoding::Cdr, Some(0), Some(8), true),
            (Encoding::Cdr, Some(7), Some(4), false),
        ] {
            let mut encoder = Encoder { bytes: Vec::new(), aligned, is_big_endian };
            encoder.value(&of, &value);
            let mut bytes: Vec<u8> = kind.map(|kind| vec![0, kind, 0, 0]).unwrap_or_default();
            bytes.extend(encoder.bytes);
            let decoder = Decoder::new(&name, &definition, encoding)
                .unwrap_or_else(|error| panic!("{error}\n{definition}"));
            assert_eq!(decoder.decode(&bytes).as_ref(), Ok(&value), "{encoding:?} {definition}");
            // What is cut short is refused, unless only padding or nothing was cut.
            if let Some(cut) = bytes.len().checked_sub(1) {
                let _ = decoder.decode(&bytes[..case.int(0..=cut)]);
            }
        }
    });
}

#[test]
fn what_cannot_be_decoded_is_told() {
    let decoder = |definition: &str, encoding| Decoder::new("demo/A", definition, encoding);
    let ros1 = |definition: &str, bytes: &[u8]| {
        decoder(definition, Encoding::Ros1).unwrap().decode(bytes).unwrap_err()
    };
    assert_eq!(ros1("uint16 x", b"1"), "x: the message ends too early: 2 bytes are needed, and 1 are left");
    assert_eq!(ros1("uint8 x", b"12"), "1 bytes are left behind the message: it is of another type");
    assert_eq!(
        ros1("float64[] x", b"\xff\xff\xff\xff1234"),
        "x: an array of 4294967295 is longer than the 4 bytes that are left"
    );
    let cdr = |bytes: &[u8]| decoder("uint8 x", Encoding::Cdr).unwrap().decode(bytes).unwrap_err();
    assert_eq!(cdr(b"\0\x01"), "CDR begins with a header of 4 bytes, and there are 2");
    assert_eq!(cdr(b"\0\x03\0\0\x01"), "CDR of kind 3 is not read here: only plain CDR is (0, 1, 6, 7)");
    let error = |definition: &str, encoding| decoder(definition, encoding).unwrap_err();
    assert_eq!(
        error("wstring s", Encoding::Cdr),
        "the field `s` of `demo/A` is a wstring, which is not read here"
    );
    assert_eq!(error("B b", Encoding::Ros1), "the definition of `demo/A`: there is no type `B`");
    let cycle = format!("B b\n{}\nMSG: demo/B\nA a\n", "=".repeat(80));
    assert!(error(&cycle, Encoding::Ros1).contains("there is no type"), "{}", error(&cycle, Encoding::Ros1));
    // Arrays of nothing take no bytes, and have an end all the same.
    let nothing =
        format!("E[1000] a\nE[1000] b\n{0}\nMSG: demo/E\nF[100] f\n{0}\nMSG: demo/F\n", "=".repeat(80));
    assert!(ros1(&nothing, b"").ends_with("it has more than 65536 elements that take no bytes"));
    let nothing = nothing.replace("1000]", "100000]");
    assert!(error(&nothing, Encoding::Ros1).contains("has more than 1000000 values"));
    // (Found by the fuzzer: this took more than a second.)
    let nothing = format!("E[] a\n{}\nMSG: demo/E\nuint8[0] f\n", "=".repeat(80));
    assert!(
        ros1(&nothing, b"\xff\xff\xff\xff").ends_with("it has more than 65536 elements that take no bytes")
    );
    // A definition that says nothing of its parts: those that robots share are known.
    assert!(decoder("Header header\nuint8 X=3\nstring s \"a=b\"", Encoding::Ros1).is_ok());
}

#[test]
fn the_types_of_common_packages_are_known() {
    for (name, fields, constants) in [
        ("sensor_msgs/PointCloud2", 9, 0),
        ("sensor_msgs/PointField", 4, 8),
        ("sensor_msgs/BatteryState", 16, 21),
        ("nav_msgs/OccupancyGrid", 3, 0),
        ("nav_msgs/MapMetaData", 5, 0),
        ("tf2_msgs/TFMessage", 1, 0),
        ("geometry_msgs/TransformStamped", 3, 0),
        ("diagnostic_msgs/DiagnosticArray", 2, 0),
        ("diagnostic_msgs/DiagnosticStatus", 5, 4),
    ] {
        let Ok(Type::Record(message)) = Types::new().named(name, None) else { panic!("{name}") };
        assert_eq!((message.fields.len(), message.constants.len()), (fields, constants), "{name}");
    }
    // They are those of the definitions in a recording of somebody else's.
    let trace = trace("ros1.mcap").unwrap();
    for (place, name) in [(1, "sensor_msgs/BatteryState"), (5, "tf2_msgs/TFMessage")] {
        let of = Types::new().named(name, None).unwrap();
        let value = trace.messages[place].value.clone();
        assert_eq!(of.conform(value.clone()).as_ref(), Ok(&value), "{name}");
    }
}
