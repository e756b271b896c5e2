//! How traces are drawn: which values, which channels, how many.

use gainsay_core::{Settings, settings};
use gainsay_msg::types::{MessageType, Types};
use gainsay_msg::{Channel, EmbeddedBus, Message, Node, Outbox, System, SystemTest, Tested, Value, message};
use std::sync::{Arc, Mutex};

/// What was sent, by trace.
type Sent = Arc<Mutex<Vec<Vec<Message>>>>;

/// A node that notes what it receives, and answers.
struct Noting {
    sent: Sent,
    answer: fn(&Message, &mut Outbox),
}

impl Node for Noting {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        self.sent.lock().unwrap().last_mut().unwrap().push(message.clone());
        (self.answer)(message, out);
    }
}

/// Channels with types by the text of a `.msg` file's fields: `"units int32"`.
fn system(channels: &[(&str, &str, bool)], properties: &str) -> System {
    let mut all = Vec::new();
    for (name, fields, is_input) in channels {
        let types = Types::new();
        let fields = fields.split(',').filter(|field| !field.is_empty());
        let fields = fields.map(|field| field.trim().split_once(' ').unwrap());
        let fields =
            fields.map(|(name, kind)| (name.to_string(), types.named(kind, None).unwrap())).collect();
        let mut types = Types::new();
        types.add(MessageType::new("Of", fields, vec![]));
        let of = types.named("Of", None).unwrap();
        all.push(if *is_input { Channel::input(*name, of) } else { Channel::output(*name, of) });
    }
    System::new("noting", all).with_properties(properties).unwrap()
}

fn drawn(
    system: &System,
    id: &str,
    settings: Settings,
    answer: fn(&Message, &mut Outbox),
) -> (Tested, Vec<Vec<Message>>) {
    let sent = Sent::default();
    let noted = Arc::clone(&sent);
    let mut bus = EmbeddedBus::of_node(move |_| {
        noted.lock().unwrap().push(Vec::new());
        Noting { sent: Arc::clone(&noted), answer }
    });
    let settings = settings.without_corpus().allow_vacuous();
    let tested = SystemTest::new(system, id).settings(settings).run(&mut bus).unwrap();
    let sent = std::mem::take(&mut *sent.lock().unwrap());
    (tested, sent)
}

#[test]
fn values_of_conditions_on_outputs_are_tried_in_inputs() {
    let system = system(
        &[("/request", "units int32, patient int64", true), ("/dose", "units int32", false)],
        "globally: no /dose {units > 10}",
    );
    let (tested, sent) = drawn(&system, "p1", settings().seed(1).cases(300), |message, out| {
        if let Some(Value::Int(units @ 0..=10)) = message.value.at("units") {
            out.publish("/dose", gainsay_msg::message([("units", (*units as i64).into())]));
        }
    });
    assert!(tested.report.verdict.is_good());
    let all: Vec<&Message> = sent.iter().flatten().collect();
    let near = all.iter().filter(|one| matches!(one.value.at("units"), Some(Value::Int(9..=12)))).count();
    assert!(near * 10 > all.len(), "{near} of {} requests are near to the limit", all.len());
}

#[test]
fn all_inputs_of_a_system_are_sent_and_each_is_left_out_at_times() {
    let inputs = ["/a", "/b", "/c", "/d", "/e", "/f"].map(|name| (name, "n int32", true));
    let mut channels = inputs.to_vec();
    channels.push(("/out", "n int32", false));
    let system = system(&channels, "globally: /a {n > 5} causes /out within 100 ms");
    let (tested, sent) = drawn(&system, "p1", settings().seed(1).cases(400), |message, out| {
        if &*message.channel == "/a" {
            out.publish("/out", message.value.clone());
        }
    });
    assert!(tested.report.verdict.is_good());
    for channel in ["/b", "/c", "/d", "/e", "/f"] {
        let with = sent.iter().filter(|trace| trace.iter().any(|one| &*one.channel == channel)).count();
        let share = 100 * with / sent.len();
        assert!((30..=90).contains(&share), "{channel} is in {share} % of the traces");
    }
}

#[test]
fn what_a_trace_is_does_not_depend_on_how_many_there_are() {
    let system = system(
        &[("/in", "n int32", true), ("/out", "n int32", false)],
        "globally: /in causes /out within 100 ms",
    );
    let echo: fn(&Message, &mut Outbox) = |message, out| out.publish("/out", message.value.clone());
    let (_, few) = drawn(&system, "p1", settings().seed(3).cases(60), echo);
    let (_, many) = drawn(&system, "p1", settings().seed(3).cases(400), echo);
    assert!(few.len() >= 60 && many.len() > few.len());
    assert_eq!(few[..60], many[..60]);
}

#[test]
fn without_a_number_traces_are_drawn_for_a_while() {
    let system = system(
        &[("/in", "n int32", true), ("/out", "n int32", false)],
        "globally: /in causes /out within 1 s",
    );
    let echo: fn(&Message, &mut Outbox) = |message, out| out.publish("/out", message.value.clone());
    let (tested, _) = drawn(&system, "p1", settings().seed(3), echo);
    assert!(tested.report.verdict.cases() >= 500 && tested.budget.is_some());
    let (tested, _) = drawn(&system, "p1", settings().seed(3).cases(70), echo);
    assert_eq!((tested.report.verdict.cases(), tested.budget), (70, None));
}

#[test]
fn elements_of_arrays_that_are_spoken_of_are_there() {
    let system = system(
        &[("/scan", "ranges float64[], n int32", true), ("/stop", "", false)],
        "globally: /scan {ranges[5] < 1.5 and n > 3} causes /stop within 100 ms",
    );
    let (tested, _) = drawn(&system, "p1", settings().seed(1).cases(300), |_, out| {
        out.publish("/stop", message([]));
    });
    assert!(tested.report.verdict.is_good());
    assert_eq!(tested.refused, 0, "of {} traces", tested.drawn);
}

#[test]
fn the_axiom_that_leaves_out_most_traces_is_named() {
    let system = system(
        &[("/in", "a int32, b int32", true), ("/out", "", false)],
        "# id: p
         globally: /in {a > 5} causes /out within 100 ms
         # id: harmless
         globally: no /in {a < -1000}
         # id: narrow
         globally: no /in {a * b != 1234567}",
    );
    let answer: fn(&Message, &mut Outbox) = |_, out| out.publish("/out", message([]));
    let (tested, _) = drawn(&system, "p", settings().seed(1).cases(50), answer);
    assert!(tested.refused > 0);
    assert_eq!(tested.blamed.first().map(|(axiom, _)| axiom.as_str()), Some("narrow"), "{:?}", tested.blamed);
}

#[test]
fn without_a_bound_a_system_is_watched_as_long_as_any_property_needs() {
    struct Late(Option<u64>);
    impl Node for Late {
        fn receive(&mut self, message: &Message, _: &mut Outbox) {
            self.0 = Some(message.at + 2_900_000_000);
        }
        fn wake_at(&self) -> Option<u64> {
            self.0
        }
        fn wake(&mut self, _: u64, out: &mut Outbox) {
            self.0 = None;
            out.publish("/out", message([]));
        }
    }
    let system = system(
        &[("/in", "n int32", true), ("/out", "", false)],
        "# id: never\nglobally: no /out\n# id: slow\nglobally: /in causes /out within 3 s",
    );
    let mut bus = EmbeddedBus::of_node(|_| Late(None));
    let settings = settings().seed(1).cases(50).without_corpus();
    let tested = SystemTest::new(&system, "never").settings(settings).run(&mut bus).unwrap();
    let found = tested.report.verdict.counterexample().unwrap();
    let lines: Vec<&str> = found.notes.iter().map(|note| note.value.as_str()).collect();
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(lines[0].contains("/in {n: 0}") && lines[1].contains("@2900 ms"), "{lines:#?}");
}

/// Ticks every 50 ms, says so, and complains about a message that comes after the tick of its instant.
struct Ticking {
    next: u64,
    last: Option<u64>,
    received: Arc<Mutex<usize>>,
}

impl Node for Ticking {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        *self.received.lock().unwrap() += usize::from(message.at == self.next);
        if self.last == Some(message.at) {
            out.publish("/late", gainsay_msg::message([("n", 0i64.into())]));
        }
    }

    fn wake_at(&self) -> Option<u64> {
        Some(self.next)
    }

    fn wake(&mut self, at: u64, out: &mut Outbox) {
        self.last = Some(at);
        self.next = at + 50 * 1_000_000;
        out.publish("/tick", gainsay_msg::message([("n", 0i64.into())]));
    }
}

#[test]
fn at_one_instant_inputs_come_before_timers_while_a_system_is_listened_to() {
    let system = system(
        &[("/in", "n int32", true), ("/tick", "n int32", false), ("/late", "n int32", false)],
        "globally: no /late within 100 ms",
    );
    let received = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&received);
    let mut bus = EmbeddedBus::of_node(move |_| Ticking {
        next: 50 * 1_000_000,
        last: None,
        received: Arc::clone(&counted),
    });
    let settings = settings().seed(1).cases(2000).without_corpus().allow_vacuous();
    let tested = SystemTest::new(&system, "p1").settings(settings).run(&mut bus).unwrap();
    assert!(tested.report.verdict.is_good(), "{}", tested.report.verdict);
    let received = *received.lock().unwrap();
    assert!(received > 20, "only {received} messages came at the instant of a tick");
}
