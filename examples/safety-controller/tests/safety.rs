//! The right controller passes what finds the forgetful one, and that one is shown by its smallest trace.

use gainsay::settings;
use gainsay_msg::{SystemTest, Tested};
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
    let all: Vec<_> = (0..8).map(smallest).collect();
    // The scope may have been closed and opened again before: that is how some of them are found.
    assert!(all.iter().all(|(sent, _)| sent.len() <= 6), "{all:#?}");
    let (sent, seen) =
        all.iter().min_by_key(|(sent, seen)| (sent.len(), seen.len())).expect("there are some");
    // One wheel has dropped, the other one has not, and there is something to back off from: a bump or a cliff.
    let (wheels, others): (Vec<&str>, Vec<&str>) =
        sent.iter().map(String::as_str).partition(|line| line.starts_with(WHEEL_DROP));
    let wheel = |wheel: u8, state: u8| format!("{WHEEL_DROP} {{wheel: {wheel}, state: {state}}}");
    assert_eq!(wheels, [wheel(0, 1), wheel(1, 0)]);
    assert_eq!(others.len(), 1, "{others:?}");
    let backs_off = "{linear: {x: -0.1, y: 0.0, z: 0.0}, angular: {x: 0.0, y: 0.0, z: -0.4}}";
    assert_eq!(seen.last(), Some(&format!("{VELOCITY} {backs_off}")));
}
