//! Systems that break the protocol are told so, and are not said to break a property.

use gainsay_core::settings;
use gainsay_msg::types::{MessageType, Types};
use gainsay_msg::{
    Bus, Channel, EmbeddedBus, Message, Node, Outbox, Starting, StdioBus, System, SystemTest, Tested,
    TroubleKind,
};

/// Questions and answers of a number each.
fn system() -> System {
    let mut types = Types::new();
    let number = types.named("uint8", None).unwrap();
    types.add(MessageType::new("Number", vec![("n".into(), number)], vec![]));
    let of = types.named("Number", None).unwrap();
    let channels = vec![
        Channel::input("/ask", of.clone()),
        Channel::input("/other", of.clone()),
        Channel::output("/ans", of),
    ];
    System::new("asked", channels).with_properties("globally: /ask causes /ans within 10 ms").unwrap()
}

fn tested(bus: &mut dyn Bus, seed: u64) -> Tested {
    let settings = settings().seed(seed).cases(300).without_corpus();
    SystemTest::new(&system(), "p1").settings(settings).run(bus).unwrap()
}

/// Answers; a question that is not small with a number that is too large.
struct Answering {
    most: i64,
}

impl Node for Answering {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        if *message.channel == *"/ask" {
            let n = message.value.at("n").and_then(|n| n.to_string().parse().ok()).unwrap_or(0);
            let n: i64 = if n > self.most { 300 } else { n };
            out.publish("/ans", gainsay_msg::message([("n", n.into())]));
        }
    }
}

#[test]
fn an_answer_that_is_no_message_is_that_and_not_a_missing_one() {
    for seed in 1..=10 {
        let tested_one = tested(&mut EmbeddedBus::of_node(|_| Answering { most: 100 }), seed);
        let kind = tested_one.trouble.as_ref().map(|trouble| trouble.kind);
        assert_eq!(kind, Some(TroubleKind::IllTyped), "seed {seed}: {}", tested_one.report.verdict);
        assert_eq!(tested_one.seen.map(|trace| trace.messages.len()), Some(2), "seed {seed}");
        let twin = tested(&mut EmbeddedBus::of_node(|_| Answering { most: 255 }), seed);
        assert!(twin.report.verdict.is_good(), "seed {seed}: {}", twin.report.verdict);
    }
}

/// A program that answers each question, and says too often that it is idle: on messages that hold these words.
fn idling(on: &str) -> StdioBus {
    answering(on, "${at%%,*}")
}

/// The same with the time that an answer bears, by the time `at` of the question.
fn answering(on: &str, stamp: &str) -> StdioBus {
    let script = format!(
        r#"echo '{{"idle":true}}'
        while read -r line; do
            case "$line" in
                *advance_to_ms*|*reset*) echo '{{"idle":true}}' ;;
                *{on}*) echo '{{"idle":true}}' ;;
            esac
            case "$line" in
                *'"/ask"'*)
                    at=${{line#*at_ms*:}}
                    echo "{{\"at_ms\":{stamp},\"channel\":\"/ans\",\"msg\":{{\"n\":1}}}}" ;;
            esac
        done"#
    );
    StdioBus::new(Starting::new(["sh", "-c", &script]), true, true)
}

#[test]
fn a_system_that_is_idle_too_often_after_some_messages_is_told_so() {
    for on in ["'\"/other\"'", "'\"/ask\"'"] {
        let told = tested(&mut idling(on), 1);
        let trouble = told.trouble.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(trouble.contains("came though nobody asked"), "{on}: {trouble}{}", told.report.verdict);
    }
    let twin = tested(&mut idling("nothing"), 1);
    assert!(twin.report.verdict.is_good(), "{}", twin.report.verdict);
}

#[test]
fn an_answer_that_bears_a_time_before_its_question_is_trouble_with_the_clock() {
    for seed in 1..=5 {
        // (At the beginning there is no time before.)
        let told = tested(&mut answering("nothing", "$((${at%%,*} > 5 ? ${at%%,*} - 1 : ${at%%,*}))"), seed);
        let kind = told.trouble.as_ref().map(|trouble| trouble.kind);
        assert_eq!(kind, Some(TroubleKind::Clock), "seed {seed}: {}", told.report.verdict);
        let twin = tested(&mut answering("nothing", "$((${at%%,*} + 0))"), seed);
        assert!(twin.report.verdict.is_good(), "seed {seed}: {}", twin.report.verdict);
    }
}

/// A program that answers so many questions and no more, which a reset may make good.
fn tiring(reset: &str) -> StdioBus {
    let script = format!(
        r#"asked=0
        echo '{{"idle":true}}'
        while read -r line; do
            case "$line" in
                *reset*) {reset}; echo '{{"idle":true}}' ;;
                *advance_to_ms*) echo '{{"idle":true}}' ;;
                *'"/ask"'*)
                    asked=$((asked + 1))
                    [ $asked -gt 90 ] || echo "{{\"channel\":\"/ans\",\"msg\":{{\"n\":1}}}}" ;;
            esac
        done"#
    );
    StdioBus::new(Starting::new(["sh", "-c", &script]), true, true)
}

#[test]
fn what_fails_only_after_earlier_runs_is_flaky_and_the_reset_is_suspected() {
    for seed in 1..=3 {
        let drifting = tested(&mut tiring(":"), seed).report;
        assert!(matches!(drifting.verdict, gainsay_core::Verdict::Flaky(_)), "{drifting}");
        assert!(drifting.remarks.iter().any(|remark| remark.contains("a reset that is not complete")));
        let twin = tested(&mut tiring("asked=0"), seed).report;
        assert!(twin.verdict.is_good(), "{twin}");
    }
}

/// A program that says once too often that it is idle, after the third message of a run, and answers by a timer.
fn idle_once_too_often(is_so: bool) -> StdioBus {
    let idle = if is_so { "[ $heard = 3 ] && echo '{\"idle\":true}'" } else { ":" };
    let script = format!(
        r#"heard=0; echo '{{"idle":true}}'
        while read -r line; do
            case "$line" in
                *reset*) heard=0; echo '{{"idle":true}}' ;;
                *advance_to_ms*) echo '{{"idle":true}}' ;;
                *) heard=$((heard + 1)); {idle} ;;
            esac
        done"#
    );
    StdioBus::new(Starting::new(["sh", "-c", &script]), true, true)
}

#[test]
fn trouble_that_is_not_seen_each_time_is_trouble_all_the_same() {
    let system = system()
        .with_properties("# id: silent\nglobally: /ans {n = 1} causes /ans {n = 2} within 5 ms\n")
        .unwrap();
    for seed in 1..=4 {
        let run = |is_so: bool| {
            let settings = settings().seed(seed).cases(60).without_corpus().allow_vacuous();
            SystemTest::new(&system, "silent")
                .settings(settings)
                .run(&mut idle_once_too_often(is_so))
                .unwrap()
        };
        let kind = run(true).trouble.map(|trouble| trouble.kind);
        assert_eq!(kind, Some(TroubleKind::Malformed), "seed {seed}");
        let twin = run(false);
        assert!(
            twin.trouble.is_none() && twin.report.verdict.is_good(),
            "seed {seed}: {}",
            twin.report.verdict
        );
    }
}
