//! Several threads: the same answer, whatever their number.

use crate::support::seeded;
use gainsay::prelude::*;
use gainsay::{Counterexample, QuantifiedSync, Report, Settings};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Everything in a report that must not depend on threads.
fn essence(report: &Report) -> String {
    let failure = |failure: &Counterexample| {
        let numbers = failure.record.values();
        format!(
            "{} {} {numbers:?} {} {:?}",
            failure.kind,
            failure.shown(),
            failure.choices_before,
            failure.irrelevant
        )
    };
    let others = match &report.verdict {
        Verdict::Falsified(falsified) => falsified.others.iter().map(failure).collect(),
        _ => Vec::new(),
    };
    let counts = (report.verdict.cases(), &report.statuses, &report.labels, &report.scores);
    let verdict = match report.verdict.counterexample() {
        Some(found) => format!("falsified {}", failure(found)),
        None => report.verdict.to_string(),
    };
    format!("{verdict}\n{others:?}\n{counts:?}")
}

#[track_caller]
fn same_for_all<A, P: QuantifiedSync<A> + Copy>(settings: impl Fn() -> Settings, property: P) -> String {
    let answers = [1, 2, 3, 8].map(|threads| {
        let report = settings().threads(threads).report_for_all(property).unwrap();
        (threads, essence(&report))
    });
    for (threads, answer) in &answers {
        assert_eq!(*answer, answers[0].1, "with {threads} threads and with one");
    }
    answers[0].1.clone()
}

#[test]
fn passing_runs_have_equal_counts() {
    for seed in 0..4 {
        let answer = same_for_all(
            || seeded(seed).random_only(),
            |a: u64, b: u64| a.wrapping_add(b) == b.wrapping_add(a),
        );
        assert!(answer.starts_with("passed: 1000 cases\n"), "{answer}");
        same_for_all(|| seeded(seed), |list: Vec<u8>| list.len() < 1000);
        same_for_all(|| seeded(seed).cases(37), |list: Vec<u8>| list.len() < 1000);
        same_for_all(|| seeded(seed), |n: u64| n.is_multiple_of(3).implies(|| n / 3 * 3 == n));
    }
}

#[test]
fn the_lowest_failing_case_wins_and_shrinks_to_the_same_minimum() {
    for seed in 0..4 {
        let run = || seeded(seed).random_only().cases(5000);
        let answer = same_for_all(run, |n: u32, list: Vec<i8>| list.len() < 30 || n < 1_000_000);
        assert!(answer.contains("#1 = 1000000, #2 = [0, 0, 0, 0, 0, 0"), "{answer}");
        same_for_all(run, |list: Vec<u32>| {
            assert!(list.iter().all(|n| *n <= 1_000_000), "too large");
            assert!(list.iter().all(|n| *n < 700), "suspicious");
        });
        same_for_all(run, |s: String, n: u16| n < 5000 || s.len() == s.chars().count());
    }
}

#[test]
fn a_property_that_draws_gives_the_same_answer_too() {
    let property = |case: &mut Case| {
        let n = case.int(1..=50usize);
        let list: Vec<u16> = (0..n).map(|_| case.any()).collect();
        list.windows(2).all(|pair| pair[0] <= pair[1])
    };
    let answers = [1, 2, 3, 8].map(|threads| essence(&seeded(3).threads(threads).report(property).unwrap()));
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    assert!(answers[0].contains("[2, 1, 0]") || answers[0].contains("[1, 1, 0]"), "{}", answers[0]);
}

#[test]
fn giving_up_happens_at_the_same_case() {
    for seed in 0..4 {
        let answer = same_for_all(|| seeded(seed).random_only(), |n: u64| (n % 64 == 9).implies(|| true));
        assert!(answer.starts_with("gave up"), "{answer}");
    }
}

/// Threads are on another way: `check` hands over the case itself.
#[track_caller]
fn same_for_check<C: Claim>(
    settings: impl Fn() -> Settings,
    property: impl Fn(&mut Case) -> C + Sync + Copy,
) -> String {
    let answers = [1, 2, 3, 8].map(|threads| essence(&settings().threads(threads).report(property).unwrap()));
    for answer in &answers {
        assert_eq!(*answer, answers[0]);
    }
    answers[0].clone()
}

#[test]
fn labels_are_counted_alike() {
    let labelled = |case: &mut Case| {
        let n: i16 = case.any();
        case.classify("negative", n < 0);
        case.collect("digits", n.unsigned_abs().checked_ilog10().unwrap_or(0));
    };
    let answer = same_for_check(|| seeded(4), labelled);
    assert!(answer.contains("negative"), "{answer}");
}

#[test]
fn coverage_that_is_missed_fails_on_any_number_of_threads() {
    let missed = |case: &mut Case| {
        let n: u64 = case.any();
        case.cover(60.0, "even", n.is_multiple_of(2));
    };
    let answer = same_for_check(|| seeded(4).random_only(), missed);
    assert!(answer.starts_with("falsified"), "{answer}");
    let met = |case: &mut Case| {
        let n: u64 = case.any();
        case.cover(30.0, "even", n.is_multiple_of(2));
    };
    let answer = same_for_check(|| seeded(4).random_only(), met);
    assert!(answer.starts_with("passed"), "{answer}");
}

#[test]
fn targets_are_pursued_on_any_number_of_threads() {
    let property = |case: &mut Case| {
        let guess: [u16; 3] = case.any();
        let distance: u32 =
            guess.iter().zip([12_345, 54_321, 31_415]).map(|(a, b)| u32::from(a.abs_diff(b))).sum();
        case.target("near", -f64::from(distance));
    };
    let answer = same_for_check(|| seeded(4).random_only().cases(2000), property);
    assert!(answer.contains("near"), "{answer}");
}

#[test]
fn cases_really_run_on_several_threads() {
    let threads = std::sync::Mutex::new(std::collections::HashSet::new());
    let judged = AtomicU64::new(0);
    seeded(1).random_only().threads(3).check(|case| {
        let _: u8 = case.any();
        judged.fetch_add(1, Relaxed);
        threads.lock().unwrap().insert(std::thread::current().id());
    });
    assert!(threads.lock().unwrap().len() >= 3);
    assert!(judged.load(Relaxed) >= 1000);
}
