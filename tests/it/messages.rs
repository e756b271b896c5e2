//! Message systems in process: buses, and properties tested from `cargo test`.

use gainsay_core::{Case, Settings, Verdict, settings};
use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{
    AsyncBus, Bus, Channel, EmbeddedBus, Guidance, Message, Node, Outbox, Ready, Starting, StdioBus, System,
    SystemTest, Tested, Trace, TroubleKind, Value, conformance, message,
};
use std::sync::Arc;
use std::time::Duration;

const MS: u64 = 1_000_000;

fn quick(seed: u64) -> Settings {
    settings().seed(seed).cases(300).without_corpus()
}

fn number(message: &Message) -> i128 {
    match message.value.at("n") {
        Some(Value::Int(n)) => *n,
        other => panic!("no number: {other:?}"),
    }
}

/// A system with `/in` and `/out`, each `{n: int32}`.
fn numbers(properties: &str) -> System {
    let mut types = Types::new();
    types.add(MessageType::new("Number", vec![("n".into(), Type::Int { signed: true, bits: 32 })], vec![]));
    let of = types.named("Number", None).unwrap();
    let channels = vec![Channel::input("/in", of.clone()), Channel::output("/out", of)];
    System::new("numbers", channels).with_properties(properties).unwrap()
}

/// Answers after a while, but what is asked before that is lost if it is larger.
struct Slow {
    after: u64,
    loses: bool,
    waiting: Vec<(u64, Value)>,
}

impl Slow {
    fn new(after: u64, loses: bool) -> Slow {
        Slow { after, loses, waiting: Vec::new() }
    }
}

impl Node for Slow {
    fn subscribes(&self, channel: &str) -> bool {
        channel == "/in"
    }

    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        if self.after == 0 {
            out.publish("/out", message.value.clone());
            return;
        }
        let is_larger =
            |(_, last): &(u64, Value)| matches!(last.at("n"), Some(Value::Int(n)) if *n < number(message));
        if !(self.loses && self.waiting.last().is_some_and(is_larger)) {
            self.waiting.push((message.at + self.after, message.value.clone()));
        }
    }

    fn wake_at(&self) -> Option<u64> {
        self.waiting.first().map(|(at, _)| *at)
    }

    fn wake(&mut self, _: u64, out: &mut Outbox) {
        let (_, value) = self.waiting.remove(0);
        out.publish("/out", value);
    }
}

fn stdio(behaviour: &str, is_virtual: bool, can_reset: bool) -> StdioBus {
    let mut starting = Starting::new([env!("CARGO_BIN_EXE_stdio_system"), behaviour]);
    starting.ready = if is_virtual { Ready::Idle } else { Ready::Now };
    StdioBus::new(starting, is_virtual, can_reset)
}

/// Answers at once.
fn echo() -> AsyncBus {
    AsyncBus::new(|_, mut inbox, out| async move {
        while let Some(message) = inbox.recv().await {
            out.publish("/out", message.value);
        }
    })
}

#[test]
fn buses_conform() {
    conformance::bus(&mut EmbeddedBus::of_node(|_| Slow::new(0, false)));
    conformance::bus(&mut echo());
    conformance::bus(&mut stdio("echo", true, true));
    conformance::bus(&mut stdio("echo", true, false));
    conformance::bus(&mut stdio("echo-real", false, false));
    // Whatever they are ready by, whether they say that they rest or not.
    for (behaviour, ready) in [
        ("echo", Ready::Now),
        ("no-greeting", Ready::Now),
        ("echo", Ready::Words("".into())),
        ("stale", Ready::Idle),
    ] {
        let mut starting = Starting::new([env!("CARGO_BIN_EXE_stdio_system"), behaviour]);
        starting.ready = ready;
        conformance::bus(&mut StdioBus::new(starting.clone(), true, false));
        conformance::bus(&mut StdioBus::new(starting, true, true));
    }
}

#[test]
#[should_panic(expected = "all is answered once")]
fn a_bus_whose_system_answers_late_does_not() {
    conformance::bus(&mut EmbeddedBus::of_node(|_| Slow::new(2000 * MS, false)));
}

/// What a bus sees of messages at given times, until one second.
fn seen(bus: &mut dyn Bus, times_ms: &[u64]) -> Vec<String> {
    let mut seen = Vec::new();
    bus.begin(&mut Case::random(1, 1)).unwrap();
    for (n, at) in times_ms.iter().enumerate() {
        let sent = Arc::new(Message::at_ms(*at, "/in", message([("n", (n as i64).into())])));
        bus.publish(&sent, &mut seen).unwrap();
    }
    bus.pass(1000 * MS, false, &mut seen).unwrap();
    bus.finish();
    seen.iter()
        .map(|message| format!("{} {} {}", message.at / MS, message.channel, number(message)))
        .collect()
}

#[test]
fn all_buses_in_virtual_time_see_the_same() {
    let mut nodes = EmbeddedBus::of_node(|_| Slow::new(50 * MS, false));
    let mut tasks = AsyncBus::new(|_, mut inbox, out| async move {
        while let Some(message) = inbox.recv().await {
            let out = out.clone();
            tokio::task::spawn_local(async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                out.publish("/out", message.value);
            });
        }
    });
    let mut process = stdio("late", true, true);
    // The third comes when the first is answered: messages are taken before timers.
    let wanted = ["10 /in 0", "30 /in 1", "60 /in 2", "60 /out 0", "80 /out 1", "110 /out 2"];
    for bus in [&mut nodes as &mut dyn Bus, &mut tasks, &mut process] {
        assert_eq!(seen(bus, &[10, 30, 60]), wanted);
        assert_eq!(seen(bus, &[10, 30, 60]), wanted, "a second run is as the first");
        assert!(bus.is_virtual());
    }
}

#[test]
fn a_timer_of_the_beginning_does_not_mix_messages_up() {
    // What comes of the first message is seen before the second, and the timer fires once.
    let mut ticks = stdio("ticks", true, true);
    for _ in 0..2 {
        assert_eq!(
            seen(&mut ticks, &[0, 0, 0, 7]),
            [
                "0 /in 0",
                "0 /out 0",
                "0 /out -1",
                "1 /in 1",
                "1 /out 1",
                "1 /in 2",
                "1 /out 2",
                "7 /in 3",
                "7 /out 3"
            ]
        );
        assert_eq!(seen(&mut ticks, &[0]), ["0 /in 0", "0 /out 0", "0 /out -1"]);
        assert_eq!(seen(&mut ticks, &[5, 5])[..3], ["0 /out -1", "5 /in 0", "5 /out 0"]);
    }
}

#[test]
fn a_node_that_never_rests_is_told() {
    struct Restless;
    impl Node for Restless {
        fn receive(&mut self, _: &Message, _: &mut Outbox) {}

        fn wake_at(&self) -> Option<u64> {
            Some(5 * MS)
        }
    }
    let mut bus = EmbeddedBus::of_node(|_| Restless);
    bus.begin(&mut Case::random(1, 1)).unwrap();
    let trouble = bus.pass(1000 * MS, false, &mut Vec::new()).unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Clock);
    assert_eq!(
        trouble.to_string(),
        "the system's clock is wrong: it wants to be woken again and again at 5 ms"
    );
}

#[test]
fn two_nodes_that_answer_each_other_for_ever_flood() {
    struct Parrot;
    impl Node for Parrot {
        fn receive(&mut self, message: &Message, out: &mut Outbox) {
            out.publish("/out", message.value.clone());
        }
    }
    let mut bus = EmbeddedBus::new(|_| vec![Box::new(Parrot), Box::new(Parrot)]);
    let system = numbers("globally: /in causes /out within 1 s");
    let tested = SystemTest::new(&system, "p1").settings(quick(1)).run(&mut bus).unwrap();
    assert_eq!(tested.trouble.unwrap().kind, TroubleKind::Flood);
    assert_eq!(tested.seen.unwrap().messages[0].to_string(), "@0 ms  /in {n: 0}");
}

/// Lines of the smallest failing trace.
#[track_caller]
fn lines(tested: &Tested) -> Vec<&str> {
    let counterexample = tested.report.verdict.counterexample();
    let counterexample = counterexample.unwrap_or_else(|| panic!("not falsified: {}", tested.report.verdict));
    counterexample.notes.iter().map(|note| note.value.as_str()).collect()
}

#[track_caller]
fn assert_passed(tested: &Tested) {
    assert!(matches!(tested.report.verdict, Verdict::Passed(_)), "{}", tested.report.verdict);
    assert!(tested.trouble.is_none() && tested.violation.is_none());
}

const ANSWERED: &str = "globally: /in as A causes /out {n = @A.n} within 100 ms\nglobally: no /in {n < 0}";

#[test]
fn a_bug_of_a_node_is_found_and_shrunk_and_its_twin_passes() {
    let system = numbers(ANSWERED);
    let test = |loses: bool| {
        let mut bus = EmbeddedBus::of_node(move |_| Slow::new(60 * MS, loses));
        SystemTest::new(&system, "p1").settings(quick(1)).run(&mut bus).unwrap()
    };
    let tested = test(true);
    assert_eq!(
        lines(&tested),
        [
            "@  0 ms    /in {n: 0}",
            "@  0 ms    /in {n: 1}    ← not answered",
            "@ 60 ms    /out {n: 0}",
            "@100 ms    nothing on /out {n = @A.n} since, where @A.n is 1"
        ]
    );
    let violation = tested.violation.as_ref().unwrap();
    assert_eq!(violation.to_string(), "at 100 ms: no /out {n = @A.n} since @0 ms  /in {n: 1}");
    assert_eq!(tested.seen.as_ref().unwrap().messages.len(), 3);
    let twin = test(false);
    assert_passed(&twin);
    assert!(twin.drawn >= 300);
}

#[test]
fn a_bug_of_asynchronous_code_is_found_and_shrunk_and_its_twin_passes() {
    let system = numbers(ANSWERED);
    // Who handles one after the other is late for the second.
    let test = |one_by_one: bool| {
        let mut bus = AsyncBus::new(move |_, mut inbox, out| async move {
            while let Some(message) = inbox.recv().await {
                let out = out.clone();
                let handle = async move {
                    tokio::time::sleep(Duration::from_millis(60)).await;
                    out.publish("/out", message.value);
                };
                if one_by_one { handle.await } else { drop(tokio::task::spawn_local(handle)) }
            }
        });
        SystemTest::new(&system, "p1").settings(quick(1)).run(&mut bus).unwrap()
    };
    let found = test(true);
    assert_eq!(
        lines(&found),
        [
            "@  0 ms    /in {n: 0}",
            "@  0 ms    /in {n: 1}    ← not answered",
            "@ 60 ms    /out {n: 0}",
            "@100 ms    nothing on /out {n = @A.n} since, where @A.n is 1"
        ]
    );
    assert_passed(&test(false));
}

#[test]
fn a_panic_of_the_system_is_a_failure() {
    struct Picky;
    impl Node for Picky {
        fn receive(&mut self, message: &Message, _: &mut Outbox) {
            assert!(number(message) < 100, "too much");
        }
    }
    let system = numbers("globally: no /out");
    let tested =
        SystemTest::new(&system, "p1").settings(quick(1)).run(&mut EmbeddedBus::of_node(|_| Picky)).unwrap();
    let counterexample = tested.report.verdict.counterexample().unwrap();
    assert!(counterexample.message.contains("too much"), "{}", counterexample.message);
    let mut bus = AsyncBus::new(|_, mut inbox, _| async move {
        while let Some(message) = inbox.recv().await {
            assert!(number(&message) < 100, "too much");
        }
    });
    let tested = SystemTest::new(&system, "p1").settings(quick(1)).run(&mut bus).unwrap();
    let counterexample = tested.report.verdict.counterexample().unwrap();
    assert!(counterexample.message.contains("too much"), "{}", counterexample.message);
}

#[test]
fn side_by_side_the_same_is_found() {
    let system = numbers("globally: /in as A causes /out {n = @A.n} within 100 ms\nglobally: no /in {n < 0}");
    for behaviour in ["forgetful", "late", "dies-third"] {
        let buses =
            |count: usize| -> Vec<StdioBus> { (0..count).map(|_| stdio(behaviour, true, true)).collect() };
        let test = || SystemTest::new(&system, "p1").settings(quick(1));
        let alone = test().run(&mut buses(1)[0]).unwrap();
        for count in [1, 2, 4] {
            let together = test().run_side_by_side(&mut buses(count)).unwrap();
            assert_eq!(
                together.report.verdict.to_string(),
                alone.report.verdict.to_string(),
                "{behaviour}, {count}"
            );
            assert_eq!((&together.seen, &together.violation), (&alone.seen, &alone.violation));
            assert_eq!(together.trouble, alone.trouble);
        }
    }
    let none: &mut [StdioBus] = &mut [];
    let error = SystemTest::new(&system, "p1").run_side_by_side(none).unwrap_err();
    assert!(error.to_string().contains("there is no system to test"), "{error}");
}

#[test]
fn systems_that_do_not_start_are_told_side_by_side_as_well() {
    let system = numbers(ANSWERED);
    let mut buses: Vec<StdioBus> = (0..3).map(|_| stdio("exits", true, true)).collect();
    let tested = SystemTest::new(&system, "p1").settings(quick(1)).run_side_by_side(&mut buses).unwrap();
    assert_eq!(tested.trouble.unwrap().kind, TroubleKind::Start);
}

#[test]
fn whatever_the_system_draws_belongs_to_the_case() {
    // It is broken in one of four ways: which one is a choice as any other.
    let system = numbers(ANSWERED);
    let mut bus = EmbeddedBus::new(|case| {
        let loses = case.index(4) == 3;
        vec![Box::new(Slow::new(60 * MS, loses)) as Box<dyn Node>]
    });
    let tested = SystemTest::new(&system, "p1").settings(quick(1)).run(&mut bus).unwrap();
    assert_eq!(lines(&tested).len(), 4, "{:?}", lines(&tested));
}

#[test]
fn others_may_judge_besides() {
    let system = numbers("globally: no /out {n < 0}\nglobally: no /in {n < 0}");
    let sums = |most: i128| {
        let judge = move |trace: &Trace| {
            let answers = trace.messages.iter().filter(|message| &*message.channel == "/out");
            let sum: i128 = answers.map(|message| number(message)).sum();
            if sum <= most { Ok(()) } else { Err(format!("the sum is {sum}")) }
        };
        let mut bus = EmbeddedBus::of_node(|_| Slow::new(0, false));
        SystemTest::new(&system, "p1").settings(quick(1)).judge("sum", judge).run(&mut bus).unwrap()
    };
    let tested = sums(99);
    assert_eq!(lines(&tested), ["@0 ms    /in {n: 100}", "@0 ms    /out {n: 100}"]);
    assert!(tested.report.verdict.counterexample().unwrap().message.contains("the sum is 100"));
    assert_passed(&sums(i128::MAX));
}

#[test]
fn values_are_as_the_policy_says() {
    let mut system = numbers("globally: no /out {n < 0}");
    system.policy.ranges = vec![("Number.n".into(), 3.0, 9.0)];
    let judge =
        |trace: &Trace| match trace.messages.iter().find(|message| !(3..=9).contains(&number(message))) {
            Some(outside) => Err(outside.to_string()),
            None => Ok(()),
        };
    for guidance in [Guidance::Schemas, Guidance::Empty] {
        let mut bus = EmbeddedBus::of_node(|_| Slow::new(0, false));
        let test = SystemTest::new(&system, "p1").settings(quick(1)).guidance(guidance);
        assert_passed(&test.judge("range", judge).run(&mut bus).unwrap());
    }
}

#[test]
fn what_needs_no_number_at_all_is_shrunk() {
    let mut types = Types::new();
    types.add(MessageType::new("Level", vec![("x".into(), Type::Float64)], vec![]));
    let of = types.named("Level", None).unwrap();
    let channels = vec![Channel::input("/in", of.clone()), Channel::output("/out", of)];
    let mut system = System::new("levels", channels).with_properties("globally: no /out").unwrap();
    (system.policy.nan, system.policy.infinite) = (true, true);
    /// Answers what is so.
    struct Picks(fn(f64) -> bool);
    impl Node for Picks {
        fn receive(&mut self, message: &Message, out: &mut Outbox) {
            if let Some(Value::Float(x)) = message.value.at("x")
                && (self.0)(*x)
            {
                out.publish("/out", message.value.clone());
            }
        }
    }
    for (picks, wanted) in [
        (f64::is_nan as fn(f64) -> bool, "@0 ms    /in {x: NaN}"),
        (f64::is_infinite, "@0 ms    /in {x: inf}"),
    ] {
        let mut bus = EmbeddedBus::of_node(move |_| Picks(picks));
        let tested = SystemTest::new(&system, "p1").settings(quick(1)).run(&mut bus).unwrap();
        assert_eq!((lines(&tested).len(), lines(&tested)[0]), (2, wanted));
    }
}

#[test]
fn given_messages_are_sent_and_judged() {
    let system = numbers(ANSWERED);
    let run = |lines: &[&str]| {
        let inputs: Vec<Message> = lines.iter().map(|line| Message::from_json(line).unwrap()).collect();
        let mut bus = EmbeddedBus::of_node(|_| Slow::new(60 * MS, true));
        let (trace, violation) = SystemTest::new(&system, "p1").run_trace(&mut bus, &inputs).unwrap();
        (trace.messages.len(), violation.map(|violation| violation.to_string()))
    };
    let first = r#"{"at_ms":5,"channel":"/in","msg":{"n":1}}"#;
    let second = r#"{"at_ms":7.5,"channel":"/in","msg":{"n":2}}"#;
    assert_eq!(run(&[first]), (2, None));
    assert_eq!(
        run(&[first, second]),
        (3, Some("at 107.5 ms: no /out {n = @A.n} since @7.5 ms  /in {n: 2}".into()))
    );
}

#[test]
fn what_cannot_be_tested_is_an_error() {
    let system = numbers("globally: no /in {n < 0}\nglobally: /in causes /out\nglobally: /in requires /out");
    let error = |id: &str| {
        let mut bus = EmbeddedBus::of_node(|_| Slow::new(0, false));
        SystemTest::new(&system, id).settings(quick(1)).run(&mut bus).unwrap_err().to_string()
    };
    assert!(error("p0").contains("`numbers` has no property `p0`"));
    assert!(error("p1").contains("`p1` is axiom"));
    assert!(error("p2").contains("`p2` is not falsifiable: `/out` may always come later; add `within …`"));
    assert!(error("p3").contains("`p3` is not testable: `/in` is sent by the test, not by the system"));
    let system = numbers(
        "globally: /in {n = 3} causes /out within 1 s\n# id: small\nglobally: no /in {n > 2}\n# id: other\nglobally: no /in {n = 9}",
    );
    assert_eq!(
        system.class(&system.rules[0]).to_string(),
        "not falsifiable: axioms leave out `publish /in {n = 3}`: no such message is left (small)"
    );
    let wrong = System::new("none", Vec::new()).with_properties("globally: no /in").unwrap_err();
    assert!(wrong.contains("there is no channel `/in`"), "{wrong}");
}
