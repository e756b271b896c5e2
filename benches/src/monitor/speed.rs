//! How fast messages are judged, in memory and from files.

use super::random::rule;
use crate::measure::{Work, rates};
use baselines::{Event, Kind, data, trace};
use gainsay_msg::{Format, Message, Monitors, Names, Record, Value, message};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every request is answered by a response with its id within half a second.
pub(super) const PROPERTY: &str = "globally: /request as R causes /response {id = @R.id} within 500 ms";

/// The same, within an hour.
const PATIENT: &str = "globally: /request as R causes /response {id = @R.id} within 3600 s";

pub(super) const EVENTS: usize = 1_000_000;

/// Events of requests that are answered at once.
pub(super) const PAIRED: usize = 100_000;

/// Requests before them that stay open.
pub(super) const PENDING: usize = 2_000;

/// Events per CPU second.
#[derive(Debug)]
pub(super) struct Rates {
    pub(super) hand: f64,
    /// Each message has been made by itself.
    pub(super) memory: f64,
    /// Messages share the names of their fields, as those that are read do.
    pub(super) memory_shared: f64,
    pub(super) lines: f64,
    pub(super) values: f64,
    pub(super) alone: f64,
    pub(super) pending: f64,
}

/// The works take turns, so the rates may be compared.
pub(super) fn measure() -> Rates {
    let (events, violations) = trace(EVENTS);
    let count = events.len() as u64;
    let alone: Vec<Arc<Message>> = messages(&events, |id| message([("id", id.into())]));
    let names = Arc::new(Names::new(["id"]));
    let shared = messages(&events, |id| Record::of(Arc::clone(&names), vec![id.into()]).into());
    let file = Lines::write(&shared);
    let pairs = pairs();
    let idle = Monitors::new([rule(PATIENT).expect("it is a property")]);
    let busy = busy(&idle);
    let mut works: Vec<Work<'_>> = vec![
        Box::new(|| {
            assert_eq!(data(black_box(&events)), violations);
            count
        }),
        Box::new(|| {
            assert_eq!(violations_in(black_box(&alone)), violations);
            count
        }),
        Box::new(|| {
            assert_eq!(violations_in(black_box(&shared)), violations);
            count
        }),
        Box::new(|| {
            assert_eq!(violations_read(&file.path), violations);
            count
        }),
        Box::new(|| {
            assert_eq!(read_values(&file.path), count);
            count
        }),
        Box::new(|| answered(&idle, black_box(&pairs))),
        Box::new(|| answered(&busy, black_box(&pairs))),
    ];
    let rates = rates(&mut works);
    let [hand, memory, memory_shared, lines, values, alone, pending] = rates[..] else {
        unreachable!("a rate for each work")
    };
    Rates { hand, memory, memory_shared, lines, values, alone, pending }
}

/// The events as messages on three channels.
fn messages(events: &[Event], value: impl Fn(u64) -> Value) -> Vec<Arc<Message>> {
    let [request, response, tick]: [Arc<str>; 3] = ["/request", "/response", "/tick"].map(Into::into);
    let one = |event: &Event| {
        let channel = match event.kind {
            Kind::Request => &request,
            Kind::Response => &response,
            Kind::Tick => &tick,
        };
        Arc::new(Message::at_ms(event.at_ms, Arc::clone(channel), value(event.id)))
    };
    events.iter().map(one).collect()
}

fn violations_in(messages: &[Arc<Message>]) -> usize {
    let mut monitors = Monitors::new([rule(PROPERTY).expect("it is a property")]);
    for message in messages {
        monitors.see(Arc::clone(message)).expect("time goes on");
    }
    monitors.judged()[0].violations.len()
}

fn violations_read(path: &Path) -> usize {
    let mut monitors = Monitors::new([rule(PROPERTY).expect("it is a property")]);
    let file = BufReader::new(File::open(path).expect("it is there"));
    gainsay_msg::monitor(file, Format::Lines, &mut monitors).expect("it is a trace");
    monitors.judged()[0].violations.len()
}

/// Reads each line into a tree, and counts them.
///
/// The features of serde_json are those that gainsay-msg asks for, here as well: floats are read exactly (`float_roundtrip`), which
/// takes longer. There are none in these lines.
fn read_values(path: &Path) -> u64 {
    let mut file = BufReader::new(File::open(path).expect("it is there"));
    let (mut text, mut lines) = (String::new(), 0);
    while file.read_line(&mut text).expect("it can be read") > 0 {
        let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        black_box(value);
        text.clear();
        lines += 1;
    }
    lines
}

/// Request and response in turns, a millisecond apart.
fn pairs() -> Vec<Arc<Message>> {
    let event = |at_ms: u64| {
        let kind = if at_ms.is_multiple_of(2) { Kind::Request } else { Kind::Response };
        Event { at_ms, kind, id: at_ms / 2 }
    };
    let events: Vec<Event> = (0..PAIRED as u64).map(event).collect();
    messages(&events, |id| message([("id", id.into())]))
}

/// A judge who waits for answers that do not come.
fn busy(idle: &Monitors) -> Monitors {
    let mut busy = idle.clone();
    for number in 0..PENDING as i64 {
        let open = message([("id", (-1 - number).into())]);
        busy.see(Message::at_ms(0, "/request", open)).expect("time goes on");
    }
    busy
}

/// Judges pairs after what was seen before. (The copy takes part in the time; that is little.)
fn answered(before: &Monitors, messages: &[Arc<Message>]) -> u64 {
    let mut monitors = before.clone();
    for message in messages {
        monitors.see(Arc::clone(message)).expect("time goes on");
    }
    assert!(monitors.judged()[0].violations.is_empty(), "the hour is not over");
    messages.len() as u64
}

/// A file that goes away with this.
struct Lines {
    path: PathBuf,
}

impl Lines {
    fn write(messages: &[Arc<Message>]) -> Lines {
        let path = std::env::temp_dir().join(format!("gainsay-bench-monitor-{}.jsonl", std::process::id()));
        let mut file = BufWriter::new(File::create(&path).expect("there is room"));
        for message in messages {
            writeln!(file, "{}", message.to_json()).expect("there is room");
        }
        file.flush().expect("there is room");
        Lines { path }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // Who cannot remove it leaves it to the system.
        let _ = std::fs::remove_file(&self.path);
    }
}
