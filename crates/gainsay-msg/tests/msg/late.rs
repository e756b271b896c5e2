//! What comes too late is told by monitors: what, when, and before when it was needed.

use gainsay_msg::{AnyChannels, Message, Monitors, hpl, message, resolve};

/// What is told of each violation. `a1@5` is a message on `/a` with `{x: 1}` at 5 ms.
#[track_caller]
fn told(property: &str, slack_ms: u64, trace: &str) -> Vec<String> {
    let (rules, troubles) = resolve(&hpl::parse(property).properties, &AnyChannels);
    assert!(troubles.is_empty(), "{troubles:?}");
    let mut monitors = Monitors::with_slack(rules, slack_ms * 1_000_000);
    for word in trace.split_whitespace() {
        let (name, at) = word.split_once('@').unwrap();
        let (channel, x) = name.split_at(1);
        let said = message([("x", x.parse::<i64>().unwrap().into())]);
        monitors.see(Message::at_ms(at.parse().unwrap(), format!("/{channel}"), said)).unwrap();
    }
    let judged = &monitors.judged()[0];
    for violation in judged.violations {
        assert_eq!(violation.late.is_some(), violation.what.contains(" came at "), "{violation}");
        assert!(violation.late.as_ref().is_none_or(|late| late.at >= violation.at), "{violation}");
    }
    judged.violations.iter().map(ToString::to_string).collect()
}

#[test]
fn a_late_answer_is_told_with_both_times() {
    let causes = "globally: /a causes /b {x > 0} within 100 ms";
    assert_eq!(
        told(causes, 0, "a1@1000 b0@1050 b7@1100 b8@1200"),
        [
            "at 1100 ms: no /b {x > 0} since @1000 ms  /a {x: 1}; /b {x: 7} came at 1100 ms, needed before 1100 ms"
        ]
    );
    // What is forgiven belongs to the time until which it is needed.
    assert_eq!(
        told(causes, 20, "a1@1000 b7@1121"),
        [
            "at 1120 ms: no /b {x > 0} since @1000 ms  /a {x: 1}; /b {x: 7} came at 1121 ms, needed before 1120 ms"
        ]
    );
    assert_eq!(told(causes, 0, "a1@1000 b7@1099"), Vec::<String>::new());
    assert_eq!(told(causes, 0, "a1@1000 b0@1200"), ["at 1100 ms: no /b {x > 0} since @1000 ms  /a {x: 1}"]);
    // One that is late for the first is in time for the second.
    assert_eq!(
        told(causes, 0, "a1@0 a2@50 b7@110"),
        ["at 100 ms: no /b {x > 0} since @0 ms  /a {x: 1}; /b {x: 7} came at 110 ms, needed before 100 ms"]
    );
}

#[test]
fn each_stimulus_has_its_own_late_answer() {
    // By a key, and by looking at each.
    for (condition, late) in [("x = @A.x", ["/b {x: 1}", "/b {x: 2}"]), ("x >= @A.x", ["/b {x: 2}"; 2])] {
        let property = format!("globally: /a as A causes /b {{{condition}}} within 10 ms");
        let since = |x: u64, at: u64, came: u64, late: &str| {
            format!(
                "at {needed} ms: no /b {{{condition}}} since @{at} ms  /a {{x: {x}}}; {late} came at {came} ms, \
                 needed before {needed} ms",
                needed = at + 10
            )
        };
        let first = if late[0] == late[1] { 21 } else { 22 };
        assert_eq!(
            told(&property, 0, "a1@0 a2@1 a3@2 b2@21 b1@22"),
            [
                since(1, 0, first, late[0]),
                since(2, 1, 21, late[1]),
                format!("at 12 ms: no /b {{{condition}}} since @2 ms  /a {{x: 3}}")
            ]
        );
    }
}

#[test]
fn what_some_missed_may_come_late() {
    let some = "after /p: some /b {x > 0} within 10 ms";
    assert_eq!(
        told(some, 0, "p1@5 b0@6 b0@16 b3@17 b4@18"),
        ["at 15 ms: no /b {x > 0}; /b {x: 3} came at 17 ms, needed before 15 ms"]
    );
    assert_eq!(told(some, 0, "p1@5 b3@14 b3@17"), Vec::<String>::new());
}

#[test]
fn what_comes_after_the_scope_is_not_late_but_missing() {
    let scoped = "after /p until /q: /a causes /b within 10 ms";
    let missing = "at 11 ms: no /b since @1 ms  /a {x: 1}";
    assert_eq!(told(scoped, 0, "p0@0 a1@1 q0@20 b1@30"), [missing]);
    assert_eq!(told(scoped, 0, "p0@0 a1@1 q0@20 p0@25 b1@30"), [missing]);
    assert_eq!(
        told(scoped, 0, "p0@0 a1@1 b1@20 q0@30"),
        [format!("{missing}; /b {{x: 1}} came at 20 ms, needed before 11 ms")]
    );
    let some = "after /p until /q: some /b within 10 ms";
    assert_eq!(told(some, 0, "p0@0 q0@20 p0@25 b1@30"), ["at 10 ms: no /b"]);
}
