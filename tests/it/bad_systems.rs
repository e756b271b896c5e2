//! Systems that break their protocol: what is told, how long it takes, and what is left behind.

use crate::desk::{ANSWERED, Desk, SMALL};
use crate::support::assert_contains;
use std::time::{Duration, Instant};

/// However a system behaves, somebody is told by then.
const SOON: Duration = Duration::from_secs(30);

/// A system that behaves badly is told so, with exit code 4, and leaves nobody behind; what was printed.
#[track_caller]
fn told(behaviour: &str, more: &str, parts: &[&str]) -> String {
    let desk = Desk::new(behaviour);
    desk.stdio(
        &[behaviour],
        &format!("time = \"virtual\"\nreset = true\n{more}"),
        &format!("{ANSWERED}{SMALL}"),
    );
    let begun = Instant::now();
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "50"]);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    ended.said(4, parts);
    let json = desk.gainsay(&[
        "test",
        "system.toml",
        "--seed",
        "1",
        "--cases",
        "50",
        "--no-corpus",
        "--format",
        "json",
    ]);
    let line = &json.lines()[0];
    assert_eq!(line["verdict"], "trouble", "{line}");
    assert_contains(line["trouble"].as_str().unwrap(), parts[0]);
    ended.out
}

#[test]
fn one_that_exits_at_once() {
    let out =
        told("exits", "", &["the system did not start", "exit status: 3", "said last: there is no licence"]);
    assert!(!out.contains("shrunk"), "there is nothing to shrink: {out}");
}

#[test]
fn one_that_is_never_ready() {
    told(
        "never-ready",
        "start_ms = 200",
        &[
            "the system did not start",
            "was not ready within 200ms: it did not say `{\"idle\":true}` (if it never does, say `ready = \"now\"`)",
        ],
    );
}

#[test]
fn one_that_dies_of_its_third_message() {
    let out =
        told("dies-third", "", &["the system died", "exit status: 7", "out of luck", "shrunk to 3 messages"]);
    assert_eq!(out.matches("/in {n: 0}").count(), 3, "{out}");
}

#[test]
fn one_that_dies_of_a_seven() {
    told(
        "dies-seven",
        "",
        &["the system died", "exit status: 7", "out of luck", "shrunk to 1 message", "@0 ms    /in {n: 7}"],
    );
}

#[test]
fn one_that_does_not_answer() {
    told("silent", "answer_ms = 60", &["the system does not answer", "nothing came for 60ms"]);
}

#[test]
fn one_that_floods() {
    told(
        "floods",
        "",
        &[
            "the system floods",
            "more than 20000 messages in one run",
            "shrunk to 1 message",
            "@0 ms    /in {n: 0}",
        ],
    );
}

#[test]
fn one_that_sends_on_an_undeclared_channel() {
    told(
        "undeclared",
        "",
        &["the system sends on an undeclared channel", "/other {n: 0}", "shrunk to 1 message"],
    );
    // Whoever says so does not care.
    let desk = Desk::new("ignored");
    let asked = "# id: asked\nglobally: /out as B requires /in {n = @B.n}\n";
    desk.stdio(&["undeclared"], "time = \"virtual\"\nreset = true\nundeclared = \"ignore\"", asked);
    desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "20", "--allow-vacuous"])
        .said(0, &["passed 20 traces"]);
}

#[test]
fn one_that_sends_what_is_not_of_its_type() {
    told(
        "ill-typed",
        "",
        &["the system sends an ill-typed message", "n: \"seven\" is text, not int32", "shrunk to 1 message"],
    );
    told("fieldless", "", &["the system sends an ill-typed message", "the field `n` of Number is missing"]);
}

#[test]
fn one_that_sends_what_is_not_json() {
    let out = told(
        "garbage",
        "",
        &["the system sends what cannot be read", "expected value (column 1), in `hello, world`"],
    );
    assert_contains(&out, "@0 ms    /in {n: 0}");
}

#[test]
fn one_whose_clock_goes_back_or_ahead() {
    told(
        "past",
        "",
        &[
            "the system's clock is wrong",
            "a message on `/out` is at 0 ms, when it is 1 ms",
            "shrunk to 1 message",
        ],
    );
    told(
        "future",
        "",
        &["the system's clock is wrong", "a message on `/out` is at 100000 ms", "shrunk to 1 message"],
    );
}

#[test]
fn one_that_cannot_be_reset_though_it_is_said_to_be() {
    told("no-reset", "answer_ms = 60", &["the system does not answer", "{\"reset\":true}"]);
}

#[test]
fn one_that_says_very_long_lines() {
    let out = told("long-line", "", &["the system sends an ill-typed message"]);
    assert!(out.len() < 20_000, "who should read {} characters?", out.len());
    let out = told("endless-line", "", &["it said a line of more than 64 MB"]);
    assert!(out.len() < 20_000, "who should read {} characters?", out.len());
}

#[test]
fn one_that_speaks_before_it_is_ready() {
    // What was said before the start is not judged, and is shown.
    let desk = Desk::new("greets");
    let properties = "# id: never_one\nglobally: no /out {n = 1}\n# id: quiet\nglobally: no /out {n >= 5}\n# id: a\nglobally: no /in {n < 5}\n";
    desk.stdio(&["greets"], "time = \"virtual\"\n", properties);
    let run = |more: &[&str]| {
        let all = ["test", "system.toml", "--seed", "1", "--cases", "60", "--no-corpus"];
        desk.gainsay(&[&all, more].concat())
    };
    run(&[]).said(1, &["✓ never_one", "✗ quiet", "before start    /out {n: 1}", "@0 ms    /out {n: 5}"]);
    let lines = run(&["--format", "json"]).lines();
    assert_eq!(lines[1]["before_start"][0]["msg"]["n"], 1, "{}", lines[1]);
    assert_eq!(lines[1]["trace"].as_array().unwrap().len(), 2, "{}", lines[1]);
}

#[test]
fn one_that_only_goes_by_what_it_is_told() {
    // Its timers fire when time passes, and at no other time, not even when a message is later than they are.
    let desk = Desk::new("told");
    let late = "# id: later\nglobally: /in as A causes /out {n = @A.n} within 51 ms\n# id: not_before\nglobally: /in as A forbids /out {n = @A.n} within 50 ms\n\
        # id: once\nglobally: /in as A forbids /in {n = @A.n} within 100 ms\n";
    desk.stdio(&["late-told"], "time = \"virtual\"\nreset = true", late);
    desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "200"])
        .said(0, &["✓ later", "✓ not_before"]);
}

#[test]
fn programs_that_are_not_there() {
    let desk = Desk::new("not-there");
    desk.stdio(&[], "time = \"virtual\"", ANSWERED);
    let text = desk.read("system.toml").replace(env!("CARGO_BIN_EXE_stdio_system"), "no-such-program");
    desk.write("system.toml", text);
    desk.gainsay(&["test", "system.toml"]).said(4, &["the system did not start", "no-such-program"]);
    desk.gainsay(&["doctor", "system.toml"]).said(4, &["there is no program `no-such-program`"]);
}

#[test]
fn what_a_system_has_started_ends_with_it() {
    for reset in ["reset = true", "reset = false"] {
        let desk = Desk::new(&format!("children-{}", &reset[8..]));
        let file = desk.path().join("ids");
        let file = file.to_str().unwrap();
        desk.stdio(&["has-child", file], &format!("time = \"virtual\"\n{reset}"), ANSWERED);
        // (That none is left is checked by a mark in their environment as well.)
        desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "20"]).said(0, &["passed 20 traces"]);
        let ids: Vec<String> = desk.read("ids").lines().map(String::from).collect();
        assert!(ids.len() >= if reset == "reset = true" { 2 } else { 40 }, "{ids:?}");
        for id in ids {
            let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let is_ours = state.contains("(sleep)") || state.contains("(stdio_system)");
            // (The dead that nobody has buried yet do no harm.)
            assert!(!is_ours || state.contains(") Z "), "{id} is left: {state}");
        }
    }
}

#[test]
fn what_was_found_before_the_trouble_is_kept() {
    let desk = Desk::new("found-before");
    let file = desk.path().join("starts");
    desk.stdio(
        &["starts-no-more", file.to_str().unwrap()],
        "time = \"virtual\"",
        &format!("{ANSWERED}{SMALL}"),
    );
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1"]);
    ended.said(4, &["the system did not start", "the disk is full"]);
    let failures = desk.failures();
    assert!(!failures.is_empty(), "{}", ended.out);
    // When it starts again, the next run begins with the failure.
    std::fs::remove_file(&file).unwrap();
    let kept: Vec<String> = failures.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(kept.iter().any(|text| text.contains("violated")), "{kept:?}");
    desk.stdio(&["forgetful"], "time = \"virtual\"\nreset = true", &format!("{ANSWERED}{SMALL}"));
    desk.gainsay(&["test", "system.toml", "--seed", "2"]).said(1, &["falsified after 1 trace", "/in {n: 7}"]);
}

#[test]
fn one_property_in_trouble_does_not_hide_another() {
    // Each is tested by a schema of its own: nothing that kills the system is sent for the first, and nothing else for the second.
    let desk = Desk::new("mixed");
    let never = "# id: never\nglobally: no /out {n = 3}\n# id: answered\nglobally: /in {n = 7} causes /out within 1 s\n";
    desk.stdio(&["dies-seven"], "time = \"virtual\"\nreset = true", never);
    let schemas = "\n[schemas]\nnever = \"\"\"\nforbid /in {n >= 7}\n+0..1: publish /in {n = 3}\nforbid /in {n >= 7}\n\"\"\"\n\
        answered = \"\"\"\nforbid /in\n+0..1: publish /in {n = 7}\nforbid /in\n\"\"\"\n";
    desk.write("system.toml", format!("{}{schemas}", desk.read("system.toml")));
    for seed in ["1", "2", "3"] {
        let ended = desk.gainsay(&["test", "system.toml", "--seed", seed, "--no-corpus", "--format", "json"]);
        ended.with(1);
        let verdicts: Vec<_> = ended.lines().iter().map(|line| line["verdict"].clone()).collect();
        assert_eq!(verdicts[..2], ["falsified", "trouble"], "seed {seed}");
    }
}

#[test]
fn what_was_wrong_before_the_system_died_is_wrong() {
    let desk = Desk::new("wrong-then-dead");
    desk.stdio(
        &["dies-seven"],
        "time = \"virtual\"\nreset = true",
        "# id: never\nglobally: no /out {n = 3}\n# id: not_at_first\nglobally: /in {n = 7} requires /in {n = 3}\n",
    );
    let schema = "\n[schemas]\nnever = \"+0..1: publish /in {n = 3}\\n+5..6: publish /in {n = 7}\"\n";
    desk.write("system.toml", format!("{}{schema}", desk.read("system.toml")));
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1"]);
    ended.said(1, &["✗ never", "@0 ms    /out {n: 3}    ← must not come"]);
    assert!(!ended.out.contains("died"), "{}", ended.out);
}

#[test]
fn what_was_wrong_before_an_ill_typed_message_is_wrong() {
    let desk = Desk::new("wrong-then-ill-typed");
    desk.stdio(&["ill-typed-later"], "time = \"virtual\"\nreset = true", "# id: never\nglobally: no /out\n");
    for seed in ["1", "2", "3"] {
        let ended = desk.gainsay(&["test", "system.toml", "--seed", seed, "--no-corpus"]);
        ended.said(1, &["✗ never", "shrunk to 1 message", "@0 ms    /out {n: 0}    ← must not come"]);
    }
}

#[test]
fn one_that_speaks_where_only_tests_do() {
    let out = told(
        "speaks-for-us",
        "",
        &["the system sends on an undeclared channel", "`/in` is declared as an input, on which tests send"],
    );
    assert_contains(&out, "shrunk to");
}

#[test]
fn one_that_says_nothing_in_real_time_is_told_by_its_first_trace() {
    // It is watched until the last bound is over, counted from when the last message was really sent.
    let desk = Desk::new("mute-real");
    desk.stdio(
        &["mute-real"],
        "time = \"real\"\nready = \"now\"",
        "# id: answered\nglobally: /in as A causes /out {n = @A.n} within 30 ms\n",
    );
    for seed in ["1", "2", "3"] {
        let ended = desk.gainsay(&["test", "system.toml", "--seed", seed, "--no-corpus"]);
        ended.said(1, &["falsified after 1 trace", "shrunk to 1 message"]);
    }
}

#[test]
fn a_system_is_started_for_runs_that_are_judged_and_no_others() {
    let desk = Desk::new("starts");
    let file = desk.path().join("starts");
    desk.stdio(
        &["counts-starts", file.to_str().unwrap()],
        "time = \"virtual\"",
        &format!("{ANSWERED}{SMALL}"),
    );
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1", "--format", "json"]);
    let lines = ended.lines();
    assert_eq!(lines[0]["verdict"], "falsified");
    let runs = lines[0]["traces"].as_u64().unwrap() + lines[0]["evaluations"].as_u64().unwrap();
    let starts = desk.read("starts").lines().count() as u64;
    // (Some more to confirm a failure, and to show it.)
    assert!(starts <= 2 * runs + 20, "{starts} starts for {runs} runs");
}

#[test]
fn real_time() {
    let desk = Desk::new("real");
    desk.stdio(
        &["echo-real"],
        "time = \"real\"\nready = \"now\"\nslack_ms = 500",
        &format!("{ANSWERED}{SMALL}"),
    );
    desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "3"])
        .said(0, &["✓ answered", "passed 3 traces"]);
    let dies = Desk::new("real-dies");
    dies.stdio(
        &["dies-seven"],
        "time = \"real\"\nready = \"now\"\nrest_ms = 20",
        "# id: never\nglobally: no /out {n < 0}\n# id: a\nglobally: no /in {n < 7}\n",
    );
    let ended = dies.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "5"]);
    ended.said(4, &["the system died", "out of luck", "/in {n: 7}"]);
}
