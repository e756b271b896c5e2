//! The right controller passes what finds the forgetful one, and that one is shown by its smallest trace.

use gainsay::settings;
use gainsay_msg::{EmbeddedBus, Message, SystemTest, Tested};
use safety_controller::{SafetyController, VELOCITY, WHEEL_DROP, system};

fn tested(id: &str, make: fn(u64) -> SafetyController, seed: u64, cases: u64) -> Tested {
    let settings = settings().seed(seed).cases(cases).without_corpus();
    let test = SystemTest::new(&system().system, id).settings(settings).run(&mut SafetyController::bus(make));
    test.expect("the property can be tested")
}

#[test]
fn the_right_controller_passes() {
    let all = system().system.testable();
    assert_eq!(all.len(), 7);
    for rule in all {
        let verdict = tested(&rule.id, SafetyController::new, 1, 300).report.verdict;
        assert!(verdict.is_good(), "{}: {verdict}", rule.id);
    }
}

/// What was sent and seen, without times.
fn smallest(seed: u64) -> (Vec<String>, Vec<String>) {
    let tested = tested("dropped_stands_still", SafetyController::forgetful, seed, 1000);
    let Some(trace) = tested.seen else { panic!("{}", tested.report.verdict) };
    let violation = tested.violation.expect("it is falsified");
    let lines = trace.messages.iter().filter(|message| message.at <= violation.at);
    let lines = lines.map(|message| format!("{} {}", message.channel, message.value));
    lines.partition(|line| !line.starts_with(VELOCITY))
}

#[test]
fn the_forgetful_one_is_shown_by_its_smallest_trace() {
    for seed in 0..8 {
        let (sent, seen) = smallest(seed);
        // One wheel has dropped, the other one has not, and there is something to back off from: a bump or a cliff.
        assert_eq!(sent.len(), 3, "seed {seed}: {sent:#?}");
        let wheels: Vec<&String> = sent.iter().filter(|line| line.starts_with(WHEEL_DROP)).collect();
        let wheel = |wheel: u8, state: u8| format!("{WHEEL_DROP} {{wheel: {wheel}, state: {state}}}");
        let either = [[wheel(0, 1), wheel(1, 0)], [wheel(1, 1), wheel(0, 0)]];
        assert!(either.iter().any(|either| wheels == either.each_ref()), "seed {seed}: {wheels:?}");
        let last = seen.last().expect("it is seen to move");
        assert!(last.starts_with(&format!("{VELOCITY} {{linear: {{x: -0.1")), "seed {seed}: {last}");
    }
}

#[test]
fn no_message_of_the_smallest_trace_can_be_dropped() {
    let system = system().system;
    let property = || SystemTest::new(&system, "dropped_stands_still");
    let bus = || EmbeddedBus::of_node(|_| SafetyController::forgetful(0));
    let fails = |inputs: &[Message]| {
        property().run_trace(&mut bus(), inputs).expect("the trace can be sent").1.is_some()
    };
    for seed in 0..8 {
        let settings = settings().seed(seed).cases(1000).without_corpus();
        let tested = property().settings(settings).run(&mut bus()).expect("the property can be tested");
        let trace = tested.seen.expect("it is falsified");
        let inputs = trace.messages.iter().filter(|message| *message.channel != *VELOCITY);
        let inputs: Vec<Message> = inputs.map(|message| Message::clone(message)).collect();
        assert!(fails(&inputs), "seed {seed}: {inputs:?}");
        for at in 0..inputs.len() {
            let mut fewer = inputs.clone();
            fewer.remove(at);
            assert!(!fails(&fewer), "seed {seed}: message {at} of {inputs:?} can be dropped");
        }
    }
}
