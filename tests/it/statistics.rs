//! Labels, coverage, targets, explanations, lines for viewers.

use crate::support::{Folder, assert_contains, found, seeded};
use gainsay::prelude::*;
use gainsay::{LabelCount, Status};
use serde_json::Value;

fn label<'a>(labels: &'a [LabelCount], name: &str) -> &'a LabelCount {
    labels
        .iter()
        .find(|label| label.label == name)
        .unwrap_or_else(|| panic!("no label `{name}` in {labels:?}"))
}

#[test]
fn classes_are_counted_exactly() {
    let report = seeded(1).exhaustive().report(|case| {
        let n: u8 = case.any();
        case.classify("small", n < 64);
        case.classify("small", n < 32);
        case.classify("even", n.is_multiple_of(2));
        case.classify("never", false);
        case.collect("last digit", n % 10);
    });
    let report = report.unwrap();
    let small = label(&report.labels, "small");
    assert_eq!((small.cases, small.of, small.required_percent), (64, 256, None), "given twice, counted once");
    assert_eq!(label(&report.labels, "even").cases, 128);
    assert!(report.labels.iter().all(|label| label.label != "never"));
    let seven = label(&report.labels, "7");
    assert_eq!((seven.table.as_deref(), seven.cases), (Some("last digit"), 25));
    assert_contains(&report.to_string(), "25.0 %  small");
    assert_eq!(report.statuses, [(Status::Passed, 256)]);
}

#[test]
fn rejected_cases_have_no_labels() {
    let report = seeded(1).exhaustive().report(|case| {
        let n: u8 = case.any();
        case.classify("any", true);
        let _ = case.assume(n < 100);
    });
    let report = report.unwrap();
    assert_eq!((label(&report.labels, "any").cases, label(&report.labels, "any").of), (100, 100));
    assert_eq!(report.statuses, [(Status::Passed, 100), (Status::Rejected, 156)]);
}

/// A share of even numbers is demanded that random numbers have, or have not.
fn cover(percent: f64, seed: u64) -> Verdict {
    seeded(seed).random_only().verdict(|case| {
        let n: u64 = case.int(0..=999_999);
        case.cover(percent, "even", n.is_multiple_of(2));
    })
}

#[test]
fn coverage_that_is_met_passes_and_that_is_missed_fails() {
    for seed in 0..20 {
        let met = cover(40.0, seed);
        assert!(met.is_good(), "seed {seed}: {met}");
        let missed = cover(60.0, seed);
        assert_contains(&found(&missed).message, "`even` holds in");
        assert_contains(&found(&missed).message, "at least 60 % are required");
        assert_contains(&found(&missed).command, &format!("GAINSAY_SEED={seed} "));
    }
}

#[test]
fn a_run_goes_on_until_coverage_is_certain() {
    // So near that a thousand cases cannot tell.
    let met = cover(48.0, 1);
    assert!(met.is_good() && met.cases() >= 1000, "{met}");
    let missed = cover(53.0, 1);
    assert!(found(&missed).message.contains("`even` holds in") && missed.cases() > 1000, "{missed}");
}

#[test]
fn an_enumeration_is_held_to_its_coverage_too() {
    let share = |percent: f64| {
        seeded(1).exhaustive().verdict(move |case| {
            let n: u8 = case.any();
            case.cover(percent, "small", n < 128);
        })
    };
    assert_eq!(share(50.0).to_string(), "proved: all 256 cases");
    assert_contains(&found(&share(90.0)).message, "`small` holds in 50.0 % of 256 cases");
    // All cases are known: nothing is left to chance.
    assert_contains(&found(&share(51.0)).message, "`small` holds in 50.0 % of 256 cases");
}

/// Three bytes of a password are hard to guess, unless one is told how near a guess is.
fn needle(case: &mut Case, told: bool) -> bool {
    let guess: [u16; 3] = case.any();
    let wanted = [12_345, 54_321, 31_415];
    let distance: f64 = guess.iter().zip(wanted).map(|(a, b)| f64::from(a.abs_diff(b))).sum();
    if told {
        case.target("near", -distance);
    }
    distance > 300.0
}

#[test]
fn a_target_finds_what_random_cases_do_not() {
    for seed in [1, 2, 3] {
        let run = || seeded(seed).cases(20_000).without_explanation();
        let blind = run().verdict(|case| needle(case, false));
        assert!(blind.is_good(), "{blind}");
        let told = run().verdict(|case| needle(case, true));
        assert!(told.counterexample().is_some(), "seed {seed}: {told}");
    }
    let report = seeded(1).cases(2000).report(|case| {
        let n: u32 = case.any();
        case.target("nan", f64::NAN);
        case.target("size", f64::from(n));
    });
    let scores = report.unwrap().scores;
    assert_eq!(
        scores,
        [("size".to_string(), f64::from(u32::MAX))],
        "and scores that are no numbers do not count"
    );
}

#[test]
fn arguments_that_do_not_matter_are_marked() {
    let property = |a: u32, _: u64, _: (i16, u32), d: u32| a < 100 || d > 5;
    let verdict = seeded(1).verdict_for_all(property);
    assert_eq!(found(&verdict).irrelevant, ["#2", "#3"]);
    assert_eq!(found(&verdict).shown(), "#1 = 100, #2 = 0, #3 = (0, 0), #4 = 0");
    assert_contains(&verdict.to_string(), "#2 = 0    (any other value fails too)");
    let plain = seeded(1).without_explanation().verdict_for_all(property);
    assert!(found(&plain).irrelevant.is_empty());
    // An argument that matters a little is not marked.
    let mostly = seeded(1).verdict_for_all(|a: u32, b: u8| a < 100 || b % 4 == 1);
    assert_eq!(found(&mostly).irrelevant, [""; 0]);
}

#[test]
fn arguments_of_small_types_that_do_not_matter_are_marked_too() {
    let verdict = seeded(1).verdict_for_all(|a: u32, _: bool, _: u8, _: char| a < 100);
    assert_eq!(found(&verdict).irrelevant, ["#2", "#3", "#4"]);
}

/// The lines written for the viewer while a property runs.
fn lines(name: &str, run: impl FnOnce(gainsay::Settings)) -> Vec<Value> {
    let folder = Folder::new(name);
    let path = folder.path().join("lines.jsonl");
    run(seeded(1).cases(50).name("viewed \"property\"\n").tyche(&path));
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn each_case_is_a_line_with_the_fields_that_viewers_read() {
    let lines = lines("tyche", |settings| {
        settings.check(|case| {
            let n: u8 = case.any();
            case.collect("parity", if n.is_multiple_of(2) { "even \"\\\u{1}" } else { "odd" });
            case.classify("large", n > 100);
            case.target("n", f64::from(n) / 3.0);
            let _ = case.assume(n != 1);
        });
    });
    assert!(lines.len() > 50, "50 that count, and one rejected: {}", lines.len());
    for line in &lines {
        assert_eq!(line["type"], "test_case");
        assert_eq!(line["property"], "viewed \"property\"\n");
        assert!(line["run_start"].as_f64().unwrap() > 1.7e9, "{line}");
        assert!(["passed", "gave_up"].contains(&line["status"].as_str().unwrap()), "{line}");
        assert!(line["status_reason"].is_string() && line["representation"].is_string(), "{line}");
        assert!(line["arguments"].is_object() && line["features"].is_object(), "{line}");
        assert!(line["how_generated"].is_string() && line["metadata"].is_object(), "{line}");
        let fields = line.as_object().unwrap();
        assert!(fields.contains_key("coverage") && fields.contains_key("timing"), "{line}");
        assert!(["even \"\\\u{1}", "odd"].contains(&line["features"]["parity"].as_str().unwrap()), "{line}");
        assert!(line["features"]["n"].is_number(), "{line}");
    }
    let rejected: Vec<_> = lines.iter().filter(|line| line["status"] == "gave_up").collect();
    assert!(!rejected.is_empty());
    assert_contains(rejected[0]["status_reason"].as_str().unwrap(), "the assumption at");
}

#[test]
fn a_failing_case_is_a_line_with_its_reason() {
    let failed = lines("tyche-failed", |settings| {
        let verdict = settings.without_corpus().verdict_for_all(|n: u16| assert!(n < 30, "{n} \"quoted\""));
        assert_eq!(found(&verdict).notes[0].value, "30");
    });
    let last = failed.last().unwrap();
    assert_eq!(last["status"], "failed");
    assert_contains(last["status_reason"].as_str().unwrap(), "\"quoted\"");
    let passed = failed[..failed.len() - 1].iter().all(|line| line["status"] == "passed");
    assert!(passed, "only the last one failed");
}

#[test]
fn cases_on_several_threads_are_lines_too() {
    let threads = lines("tyche-threads", |settings| settings.random_only().threads(2).for_all(|_: u64| true));
    assert_eq!(threads.len(), 50);
    assert!(threads.iter().all(|line| line["arguments"]["#1"].is_string()), "{}", threads[0]);
}

#[test]
fn lines_show_values_and_times() {
    let lines = lines("tyche-values", |settings| settings.for_all(|_: Vec<bool>, _: u8| true));
    for line in &lines {
        let list = line["arguments"]["#1"].as_str().unwrap();
        let byte: u8 = line["arguments"]["#2"].as_str().unwrap().parse().unwrap();
        assert_eq!(line["representation"], format!("#1 = {list}\n#2 = {byte}"));
        assert!(line["timing"]["execute:test"].is_number(), "{line}");
    }
    assert!(lines.iter().any(|line| line["arguments"]["#1"] == "[false]"));
}
