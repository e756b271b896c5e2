//! The right valve passes what finds the wrong ones, and each of those is shown by its smallest stream.

use boiler::demands;
use boiler::valves::{anxious, hesitant, impatient, right, thrifty};
use gainsay::temporal::StreamTest;
use gainsay::{Verdict, settings};

fn verdicts(tests: [StreamTest<i32, bool>; 3], seed: u64) -> [Verdict; 3] {
    tests.map(|test| test.settings(settings().seed(seed).without_corpus()).verdict())
}

/// What was put in and came out, one after the other.
fn shown(verdict: &Verdict) -> Vec<String> {
    verdict
        .counterexample()
        .unwrap_or_else(|| panic!("{verdict}"))
        .notes
        .iter()
        .map(|note| note.value.clone())
        .collect()
}

#[test]
fn the_right_valve_passes() {
    for verdict in verdicts(demands(right), 1) {
        assert!(verdict.is_good(), "{verdict}");
    }
}

#[test]
fn each_wrong_valve_is_shown_by_its_smallest_stream() {
    for seed in 0..5 {
        let [opens, _, _] = verdicts(demands(hesitant), seed);
        assert_eq!(shown(&opens), ["11 → false", "11 → false", "0 → false"]);
        let [_, stays, _] = verdicts(demands(impatient), seed);
        let shown_last = shown(&stays);
        assert!(shown_last.len() <= 5 && shown_last.ends_with(&["10 → false".into()]), "{stays}");
        let [_, _, for_nothing] = verdicts(demands(anxious), seed);
        assert_eq!(shown(&for_nothing), ["10 → false", "10 → false", "0 → true"]);
        let [_, stays, _] = verdicts(demands(thrifty), seed);
        assert_eq!(shown(&stays).len(), 8, "{stays}");
    }
}
