//! What failing properties print. Each holds unless the environment plants its bug; a child process without a corpus runs it then.

use gainsay::prelude::*;
use std::process::Command;

const PLANTED: &str = "MACROS_TEST_PLANTED";

fn planted() -> bool {
    std::env::var_os(PLANTED).is_some()
}

/// The output of the test of this name with its bug planted.
fn report(test: &str) -> String {
    let program = std::env::current_exe().expect("the program is known");
    let output = Command::new(program)
        .args(["--exact", &format!("reports::{test}"), "--nocapture"])
        .env(PLANTED, "1")
        .env("GAINSAY_CORPUS", "off")
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "`{test}` passes with its bug planted:\n{text}");
    text.into_owned()
}

#[track_caller]
fn assert_lines(test: &str, lines: &[&str]) {
    let report = report(test);
    for line in lines {
        assert!(report.lines().any(|shown| shown.trim_end() == *line), "no line `{line}` in\n{report}");
    }
}

/// The places of `wanted` in `text`.
fn indices(text: &str, wanted: char) -> Vec<usize> {
    let characters: Vec<char> = text.chars().collect();
    let end = if planted() { characters.len().saturating_sub(1) } else { characters.len() };
    (0..end).filter(|i| characters[*i] == wanted).collect()
}

#[property(seed = 1)]
fn indices_are_exactly_the_matches(s: &str, c: char) -> Property {
    let found = indices(s, c);
    for_each(0..s.chars().count(), |i| found.contains(&i).iff(s.chars().nth(i) == Some(c)))
}

#[test]
fn arguments_are_shown_by_name_and_minimal() {
    assert_lines(
        "indices_are_exactly_the_matches",
        &[
            "    s = \"a\"",
            "    c = 'a'",
            "  the sides of ⇔ differ (left is false, right is true)",
            "  for the item 0",
        ],
    );
}

#[property(seed = 1)]
fn borrowed_mutably(items: &mut Vec<u8>, #[with(0..10)] limit: u8) {
    items.retain(|n| *n < limit);
    if planted() && items.len() > 1 {
        items.push(limit);
    }
    assert!(items.iter().all(|n| *n < limit), "something at the limit is left");
}

#[test]
fn a_mutable_argument_is_shown_as_it_was_drawn() {
    assert_lines("borrowed_mutably", &["    items = [0, 0]", "    limit = 1"]);
}

#[property(seed = 1)]
fn patterns((a, b): (u8, u8), _: bool, [c, _]: [u8; 2]) -> bool {
    !planted() || a < 3 || b < 1 || c < 2
}

#[test]
fn a_pattern_is_shown_as_it_is_written() {
    assert_lines("patterns", &["    (a, b) = (3, 1)", "    [c, _] = [2, 0]"]);
}

#[property(seed = 1)]
fn drawing_while_it_runs(case: &mut Case, n: u8) -> Result<(), String> {
    let m = case.int(0..=n);
    case.note("m", &m);
    if planted() && m > 4 { Err("too large".into()) } else { Ok(()) }
}

#[test]
fn notes_stand_with_the_arguments() {
    assert_lines("drawing_while_it_runs", &["    n = 5", "    m = 5", "  error: \"too large\""]);
}

#[property(seed = 1)]
async fn asynchronous(r#type: u16) -> bool {
    std::future::ready(()).await;
    !planted() || r#type < 300
}

#[test]
fn asynchronous_properties_shrink_too() {
    assert_lines("asynchronous", &["    type = 300", "  the property is false"]);
}

#[property(seed = 1, threads = 3)]
fn threaded(n: u32) {
    assert!(!planted() || n < 1000, "too large");
}

#[test]
fn threads_come_to_the_same_minimum() {
    assert_lines("threaded", &["    n = 1000"]);
}

#[property(seed = 1, isolate, cases = 200)]
fn isolated(n: u32) {
    if planted() && n >= 100 {
        std::process::abort();
    }
}

#[test]
fn a_process_that_ends_is_a_failure_that_shrinks() {
    let report = report("isolated");
    assert!(report.contains("the process aborted"), "{report}");
    assert!(report.contains(":100' cargo test -- --exact reports::isolated"), "{report}");
}

#[test]
fn a_failure_points_at_the_property() {
    let line = 1 + include_str!("reports.rs")
        .lines()
        .position(|l| l.starts_with("fn threaded"))
        .expect("it is there");
    let report = report("threaded");
    assert!(report.contains(&format!("tests/macros/reports.rs:{line}:4:")), "no line {line} in\n{report}");
    assert!(report.contains("cargo test -- --exact reports::threaded"), "{report}");
}
