//! Scopes, patterns, ends and references, sentence by sentence, on small traces.

use gainsay_msg::{AnyChannels, Format, Judgement, Message, Monitors, Rule, hpl, message, monitor, resolve};

const VIOLATED: Judgement = Judgement::Violated;
const SATISFIED: Judgement = Judgement::Satisfied;
const OWED: Judgement = Judgement::Pending { owed: true };
const PENDING: Judgement = Judgement::Pending { owed: false };

#[track_caller]
fn rules(property: &str) -> Vec<Rule> {
    let file = hpl::parse(property);
    assert!(file.troubles.is_empty(), "{property}: {:?}", file.troubles);
    let (rules, troubles) = resolve(&file.properties, &AnyChannels);
    assert!(troubles.iter().all(|trouble| !trouble.is_error()), "{property}: {troubles:?}");
    rules
}

/// A trace in short: `a1@5 b@7 .20` is a message on `/a` with `{x: 1}` at 5 ms, one on `/b` with `{x: 0}` at 7 ms, and the end at 20 ms.
#[track_caller]
fn judged_with(property: &str, slack_ms: u64, trace: &str) -> (Judgement, Vec<u64>) {
    let mut monitors = Monitors::with_slack(rules(property), slack_ms * 1_000_000);
    for word in trace.split_whitespace() {
        if let Some(end) = word.strip_prefix('.') {
            monitors.pass_to(end.parse::<u64>().unwrap() * 1_000_000).unwrap();
            continue;
        }
        let (name, at) = word.split_once('@').unwrap();
        let (channel, x) = name.split_at(1);
        let x: i64 = if x.is_empty() { 0 } else { x.parse().unwrap() };
        let seen = Message::at_ms(at.parse().unwrap(), format!("/{channel}"), message([("x", x.into())]));
        monitors.see(seen).unwrap();
    }
    let judged = &monitors.judged()[0];
    (judged.judgement, judged.violations.iter().map(|violation| violation.at / 1_000_000).collect())
}

/// Each trace with what is known after it, and the times of violations.
#[track_caller]
fn check(property: &str, traces: &[(&str, Judgement, &[u64])]) {
    for (trace, judgement, violations) in traces {
        let wanted = (*judgement, violations.to_vec());
        assert_eq!(judged_with(property, 0, trace), wanted, "`{property}` on `{trace}`");
    }
}

// Positions and time.

#[test]
fn within_means_less_than() {
    check(
        "globally: no /b within 10 ms",
        &[("b@9", VIOLATED, &[9]), ("b@10", SATISFIED, &[]), ("b@0", VIOLATED, &[0])],
    );
    check(
        "globally: some /b within 10 ms",
        &[("b@9", SATISFIED, &[]), ("b@10", VIOLATED, &[10]), ("b@0", SATISFIED, &[])],
    );
    check(
        "globally: /a causes /b within 10 ms",
        &[("a@5 b@14 .20", PENDING, &[]), ("a@5 b@15", VIOLATED, &[15])],
    );
    check(
        "globally: /a forbids /b within 10 ms",
        &[("a@5 b@14", VIOLATED, &[14]), ("a@5 b@15", PENDING, &[])],
    );
    check(
        "globally: /b requires /a within 10 ms",
        &[("a@5 b@14", PENDING, &[]), ("a@5 b@15", VIOLATED, &[15])],
    );
}

#[test]
fn order_is_that_of_the_list_also_at_equal_times() {
    check(
        "globally: /a causes /b within 10 ms",
        &[("a@5 b@5 .30", PENDING, &[]), ("b@5 a@5 .30", VIOLATED, &[15])],
    );
    check("globally: /a forbids /b", &[("a@5 b@5", VIOLATED, &[5]), ("b@5 a@5", PENDING, &[])]);
    check("globally: /b requires /a", &[("a@5 b@5", SATISFIED, &[]), ("b@5 a@5", VIOLATED, &[5])]);
    check("after /p: no /b", &[("b@5 p@5", PENDING, &[]), ("p@5 b@5", VIOLATED, &[5])]);
    check("until /q: no /b", &[("q@5 b@5", SATISFIED, &[]), ("b@5 q@5", VIOLATED, &[5])]);
}

#[test]
fn times_do_not_go_back_and_nothing_follows_the_end() {
    let mut monitors = Monitors::new(rules("globally: no /b"));
    monitors.see(Message::at_ms(5, "/a", message([]))).unwrap();
    let error = monitors.see(Message::at_ms(4, "/a", message([]))).unwrap_err();
    assert!(error.to_string().contains("time goes back from 5 ms to 4 ms"), "{error}");
    // Whoever starts over begins at 0.
    monitors.reset();
    monitors.see(Message::at_ms(0, "/b", message([]))).unwrap();
    assert_eq!(monitors.judged()[0].violations.len(), 1);
    monitors.reset();
    assert_eq!(monitors.judged()[0].violations.len(), 0);
}

// Scopes.

#[test]
fn globally_and_until_open_at_the_start() {
    check(
        "globally: some /b within 10 ms",
        &[("a@3", OWED, &[]), (".9", OWED, &[]), (".10", VIOLATED, &[10])],
    );
    check(
        "until /q: some /b within 10 ms",
        &[(".10", VIOLATED, &[10]), ("q@3", VIOLATED, &[3]), ("b@2 q@3", SATISFIED, &[])],
    );
    check("until /q: no /b", &[("b@1", VIOLATED, &[1]), ("q@1 b@2", SATISFIED, &[]), ("c@1", PENDING, &[])]);
}

#[test]
fn after_opens_at_the_first_only() {
    check(
        "after /p: some /b within 10 ms",
        &[
            ("p@5 b@7 p@20 .100", SATISFIED, &[]),
            ("p@5 p@14 b@16", VIOLATED, &[15]),
            ("b@1 .100", PENDING, &[]),
            ("b@1 p@2 .20", VIOLATED, &[12]),
        ],
    );
    // The first is what others refer to.
    check(
        "after /p as P: no /b {x = @P.x}",
        &[("p1@1 p2@2 b2@3", PENDING, &[]), ("p1@1 p2@2 b1@3", VIOLATED, &[3])],
    );
}

#[test]
fn after_until_opens_again_and_again() {
    check(
        "after /p until /q: no /b",
        &[
            ("p@1 b@2 q@3 b@4 p@5 b@6", VIOLATED, &[2, 6]),
            ("q@1 b@2", PENDING, &[]),
            ("p@1 q@2 q@3 b@4 .9", PENDING, &[]),
        ],
    );
    check(
        "after /p until /q: some /b",
        &[("p@1 b@2 q@3 p@4 q@6", VIOLATED, &[6]), ("p@1 q@2 p@3 q@4", VIOLATED, &[2, 4])],
    );
    // Inside of an open scope, the activator does nothing.
    check(
        "after /p as P until /q: no /b {x = @P.x}",
        &[("p1@1 p2@2 b2@3", PENDING, &[]), ("p1@1 p2@2 q@3 p2@4 b2@5", VIOLATED, &[5])],
    );
    check("after /p until /q: some /b within 10 ms", &[("p@1 p@9 b@12", VIOLATED, &[11])]);
}

#[test]
fn what_closes_any_scope_opens_none() {
    check(
        "after /p {x > 0} until /p {x > 1}: no /b",
        &[
            ("p2@1 b@2", PENDING, &[]),
            ("p1@1 b@2", VIOLATED, &[2]),
            ("p1@1 p2@2 b@3", PENDING, &[]),
            ("p2@1 p1@2 b@3", VIOLATED, &[3]),
        ],
    );
    // One that refers to the activator is read only while a scope is open.
    check(
        "after /p as P until /p {x = @P.x}: no /b",
        &[
            ("p1@1 b@2", VIOLATED, &[2]),
            ("p1@1 p2@2 b@3", VIOLATED, &[3]),
            ("p1@1 p1@2 b@3", PENDING, &[]),
            ("p1@1 p1@2 p1@3 b@4", VIOLATED, &[4]),
        ],
    );
    // Each alternative for itself.
    check(
        "after /p as P until (/p {x = @P.x} or /p {x = 7}): no /b",
        &[("p7@1 b@2", PENDING, &[]), ("p1@1 b@2 p7@3 b@4", VIOLATED, &[2])],
    );
}

#[test]
fn border_messages_play_no_role() {
    check("after /b: no /b", &[("b@1", PENDING, &[]), ("b@1 b@2", VIOLATED, &[2])]);
    check("until /b: no /b", &[("b@1", SATISFIED, &[]), ("a@1 b@2", SATISFIED, &[])]);
    check("until /b: some /b", &[("b@1", VIOLATED, &[1])]);
    check(
        "after /a: /a causes /b within 10 ms",
        &[("a@1 .50", PENDING, &[]), ("a@1 a@2 .50", VIOLATED, &[12])],
    );
    check("after /a: /b requires /a", &[("a@1 b@2", VIOLATED, &[2]), ("a@1 a@2 b@3", SATISFIED, &[])]);
    check("after /a until /q: /a forbids /b", &[("a@1 b@2", PENDING, &[]), ("a@1 a@2 b@3", VIOLATED, &[3])]);
    check("after /p until /b: /a causes /b within 10 ms", &[("p@1 a@2 b@3", VIOLATED, &[3])]);
    check("until /b: /b requires /a", &[("b@2", SATISFIED, &[])]);
}

// Patterns.

#[test]
fn each_forbidden_message_is_told() {
    check("globally: no /b {x > 0}", &[("b1@1 b0@2 b2@3", VIOLATED, &[1, 3]), ("b0@1", PENDING, &[])]);
    check("globally: no /b within 5 ms", &[("b@1 b@4 b@5 b@9", VIOLATED, &[1, 4]), ("a@9", SATISFIED, &[])]);
}

#[test]
fn each_unanswered_message_is_told() {
    check(
        "globally: /a causes /b within 10 ms",
        &[
            ("a@1 a@2 b@3 .50", PENDING, &[]),
            ("a@1 a@5 b@12 .50", VIOLATED, &[11]),
            ("a@1 a@2 .50", VIOLATED, &[11, 12]),
            ("a@1 .10", OWED, &[]),
            ("a@1 .11", VIOLATED, &[11]),
            ("b@1 a@2 .9", OWED, &[]),
        ],
    );
    // Without a bound, only the end of a scope shows it.
    check("globally: /a causes /b", &[("a@1 .999999", OWED, &[]), ("a@1 b@2", PENDING, &[])]);
    check("until /q: /a causes /b", &[("a@1 a@2 q@3", VIOLATED, &[3, 3]), ("a@1 b@2 q@3", SATISFIED, &[])]);
}

#[test]
fn a_message_plays_every_role_but_none_towards_itself() {
    // A rate limit.
    check(
        "globally: /c forbids /c within 10 ms",
        &[("c@1 c@11 c@21", PENDING, &[]), ("c@1 c@10 c@19", VIOLATED, &[10, 19]), ("c@1", PENDING, &[])],
    );
    // It answers the one before, and is the next to be answered.
    check(
        "globally: /c causes /c within 10 ms",
        &[("c@1 c@5 c@9 .12", OWED, &[]), ("c@1 c@5 .30", VIOLATED, &[15]), ("c@1 .30", VIOLATED, &[11])],
    );
    check("globally: /c requires /c", &[("c@1 c@2 c@3", VIOLATED, &[1]), ("d@1", PENDING, &[])]);
    check(
        "globally: /c {x > 0} causes /c {x > 1} within 10 ms",
        &[("c2@1 .30", VIOLATED, &[11]), ("c1@1 c2@2 c2@3 .30", VIOLATED, &[13])],
    );
}

#[test]
fn what_is_required_lies_in_the_same_scope() {
    check(
        "after /p until /q: /b requires /a",
        &[
            ("a@1 p@2 b@3", VIOLATED, &[3]),
            ("p@1 a@2 b@3", PENDING, &[]),
            ("p@1 a@2 q@3 p@4 b@5", VIOLATED, &[5]),
        ],
    );
    check(
        "after /p until /q: /a forbids /b",
        &[("a@1 p@2 b@3", PENDING, &[]), ("p@1 a@2 q@3 p@4 b@5", PENDING, &[])],
    );
}

#[test]
fn what_forbids_is_witnessed_by_the_latest() {
    let mut monitors = Monitors::new(rules("after /p until /q: /a forbids /b"));
    for (at, channel) in [(1, "/p"), (2, "/a"), (3, "/a"), (4, "/b"), (5, "/b")] {
        monitors.see(Message::at_ms(at, channel, message([]))).unwrap();
    }
    let judged = monitors.judged();
    let shown: Vec<String> = judged[0].violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["at 4 ms: @4 ms  /b {}, after @3 ms  /a {}", "at 5 ms: @5 ms  /b {}, after @3 ms  /a {}"]
    );
    let roles: Vec<(&str, u64)> = judged[0].violations[0]
        .witness
        .iter()
        .map(|witness| (witness.role.word(), witness.message.at / 1_000_000))
        .collect();
    assert_eq!(roles, [("activator", 1), ("stimulus", 3), ("behaviour", 4)]);
}

#[test]
fn violations_say_what_is_wrong() {
    let shown = |property: &str, trace: &[(u64, &str)]| {
        let mut monitors = Monitors::new(rules(property));
        for (at, channel) in trace {
            monitors.see(Message::at_ms(*at, *channel, message([]))).unwrap();
        }
        monitors.judged()[0].violations[0].to_string()
    };
    assert_eq!(shown("globally: no /b", &[(1, "/b")]), "at 1 ms: @1 ms  /b {}");
    assert_eq!(shown("globally: some /b within 2 ms", &[(9, "/a")]), "at 2 ms: no /b");
    assert_eq!(shown("until /q: some /b", &[(9, "/q")]), "at 9 ms: no /b before @9 ms  /q {}");
    assert_eq!(shown("globally: /b requires /a", &[(1, "/b")]), "at 1 ms: @1 ms  /b {} without /a before it");
    assert_eq!(
        shown("until /q: /a causes /b", &[(1, "/a"), (9, "/q")]),
        "at 9 ms: no /b since @1 ms  /a {}, before @9 ms  /q {}"
    );
}

// Closing and end.

#[test]
fn a_scope_that_closes_too_early_is_violated_then() {
    check(
        "after /p until /q: some /b within 10 ms",
        &[("p@1 q@5", VIOLATED, &[5]), ("p@1 q@50", VIOLATED, &[11]), ("p@1 b@2 q@5", PENDING, &[])],
    );
    check(
        "after /p until /q: /a causes /b within 10 ms",
        &[("p@1 a@2 q@5", VIOLATED, &[5]), ("p@1 a@2 b@3 q@5 .50", PENDING, &[])],
    );
    // At the very moment when the bound is over, the bound counts.
    check("after /p until /q: some /b within 10 ms", &[("p@1 q@11", VIOLATED, &[11])]);
}

#[test]
fn what_is_known_is_satisfied_pending_or_owed() {
    check("globally: no /b", &[("a@1", PENDING, &[])]);
    check("globally: no /b within 5 ms", &[(".4", PENDING, &[]), (".5", SATISFIED, &[])]);
    check("globally: some /b", &[(".999", OWED, &[]), ("b@1", SATISFIED, &[])]);
    check("globally: /a causes /b", &[("b@1", PENDING, &[])]);
    check("globally: /b requires /a", &[("c@1", PENDING, &[]), ("a@1", SATISFIED, &[])]);
    check("globally: /b requires /a within 5 ms", &[("a@1", PENDING, &[])]);
    check("globally: /b requires /a {x = @1.x}", &[("a@1", PENDING, &[])]);
    check("globally: /a forbids /b", &[("a@1", PENDING, &[])]);
    check("after /p: some /b", &[("b@1", PENDING, &[]), ("p@1", OWED, &[]), ("p@1 b@2", SATISFIED, &[])]);
    check("until /q: no /b", &[("q@1", SATISFIED, &[])]);
    check("after /p until /q: some /b", &[("p@1 b@2", PENDING, &[]), ("p@1", OWED, &[])]);
    check("after /p: no /b within 5 ms", &[("p@1 .6", SATISFIED, &[]), ("p@1 .5", PENDING, &[])]);
}

/// Judges lines of JSON.
#[track_caller]
fn lines(property: &str, text: &str) -> Result<(Judgement, Vec<u64>), String> {
    let mut monitors = Monitors::new(rules(property));
    monitor(text.as_bytes(), Format::Lines, &mut monitors).map_err(|error| error.to_string())?;
    let judged = &monitors.judged()[0];
    Ok((judged.judgement, judged.violations.iter().map(|violation| violation.at).collect()))
}

#[test]
fn a_file_ends_with_its_last_message_or_says_so() {
    let some = "globally: some /b within 10 ms";
    let line =
        |at: &str, channel: &str| format!("{{\"at_ms\":{at},\"channel\":\"{channel}\",\"msg\":{{}}}}\n");
    assert_eq!(lines(some, ""), Ok((OWED, vec![])));
    assert_eq!(lines(some, &line("9", "/a")), Ok((OWED, vec![])));
    // Also messages that nobody speaks of say that time has passed.
    assert_eq!(lines(some, &line("10", "/a")), Ok((VIOLATED, vec![10_000_000])));
    assert_eq!(lines(some, "{\"at_ms\":10,\"end\":true}\n"), Ok((VIOLATED, vec![10_000_000])));
    assert_eq!(lines(some, "{\"at_ms\":9.999999,\"end\":true}\n"), Ok((OWED, vec![])));
    assert_eq!(lines(some, &line("9.999999", "/b")), Ok((SATISFIED, vec![])));
    // Times are read exactly.
    let no = "globally: no /b";
    assert_eq!(lines(no, &line("9007199254.740993", "/b")), Ok((VIOLATED, vec![9_007_199_254_740_993])));
    assert_eq!(lines(no, &line("1.5e-3", "/b")), Ok((VIOLATED, vec![1_500])));
    let twice = "{\"at_ms\":1,\"end\":true}\n{\"at_ms\":2,\"end\":true}\n";
    assert_eq!(lines(no, twice), Err("line 2: there is something after the end".into()));
    assert_eq!(
        lines(no, &(line("5", "/a") + "\n" + &line("4", "/a"))),
        Err("line 3: time goes back from 5 ms to 4 ms, and a trace is in the order of its times".into())
    );
    let begins = |text: &str, error: &str| lines(no, text).unwrap_err().starts_with(error);
    assert!(begins("{\"channel\":\"/b\",\"msg\":{}}", "line 1: there is no `at_ms`; "));
    assert!(begins("{\"at_ms\":1,\"channel\":\"/b\"}", "line 1: there is no `msg`; "));
    assert!(lines(no, "{\"at_ms\":-1,\"channel\":\"/b\",\"msg\":{}}").unwrap_err().contains("it is below 0"));
    assert!(
        lines(no, &(line("1", "/a") + "hello"))
            .unwrap_err()
            .starts_with("line 2: this is no JSON: expected value")
    );
}

#[test]
fn slack_only_ever_forgives() {
    for (property, trace, exact, slack) in [
        ("globally: some /b within 10 ms", "b@12", &[10][..], &[][..]),
        ("globally: some /b within 10 ms", "b@15", &[10], &[15]),
        ("globally: /a causes /b within 10 ms", "a@1 b@14", &[11], &[]),
        ("globally: /b requires /a within 10 ms", "a@1 b@14", &[14], &[]),
        ("globally: no /b within 10 ms", "b@7", &[7], &[]),
        ("globally: no /b within 10 ms", "b@4", &[4], &[4]),
        ("globally: /a forbids /b within 10 ms", "a@1 b@8", &[8], &[]),
        // Not below 0: then nothing is within.
        ("globally: no /b within 3 ms", "b@0", &[0], &[]),
        // Without a bound there is nothing to forgive.
        ("globally: no /b", "b@1", &[1], &[1]),
    ] {
        assert_eq!(judged_with(property, 0, trace).1, exact, "{property} on {trace}");
        assert_eq!(judged_with(property, 5, trace).1, slack, "{property} on {trace} with slack");
    }
}

// References.

#[test]
fn messages_are_numbered_from_the_activator() {
    check(
        "after /p: /a causes /b {x = @1.x + @2.x} within 10 ms",
        &[("p1@1 a2@2 b3@3 .50", PENDING, &[]), ("p1@1 a2@2 b4@3 .50", VIOLATED, &[12])],
    );
    check(
        "globally: /a causes /b {x = @1.x} within 10 ms",
        &[("a2@1 a3@2 b3@3 b2@4 .50", PENDING, &[]), ("a2@1 b3@2 .50", VIOLATED, &[11])],
    );
    check(
        "after /p until /q {x = @1.x}: no /b",
        &[("p1@1 q2@2 b@3", VIOLATED, &[3]), ("p1@1 q1@2 b@3", PENDING, &[])],
    );
    // Its own number is its own.
    check("globally: no /b {@1.x = 2}", &[("b1@1 b2@2", VIOLATED, &[2])]);
}

#[test]
fn in_b_requires_a_the_a_may_refer_to_b() {
    let property = "globally: /b as B requires /a {x = @B.x} within 10 ms";
    check(
        property,
        &[
            ("a1@1 a2@2 b1@3 b2@4", PENDING, &[]),
            ("a1@1 b2@2", VIOLATED, &[2]),
            ("a1@1 b1@11", VIOLATED, &[11]),
            ("a1@1 a1@5 b1@11", PENDING, &[]),
        ],
    );
    check(
        "globally: /b requires /a {x < @1.x}",
        &[("a1@1 b2@2", PENDING, &[]), ("a2@1 b2@2", VIOLATED, &[2])],
    );
    check(
        "after /p as P: /b as B requires /a {x = @B.x + @P.x}",
        &[("p1@1 a3@2 b2@3", PENDING, &[]), ("p1@1 a2@2 b2@3", VIOLATED, &[3])],
    );
}

#[test]
fn the_first_alternative_that_matches_binds_the_name() {
    check(
        "globally: (/a as M {x > 0} or /c as M) causes /b {x = @M.x} within 10 ms",
        &[
            ("a1@1 b1@2 .50", PENDING, &[]),
            ("a0@1 .50", PENDING, &[]),
            ("c0@1 b0@2 .50", PENDING, &[]),
            ("c3@1 b0@2 .50", VIOLATED, &[11]),
        ],
    );
    check(
        "globally: /a as A causes (/b {x = @A.x} or /c) within 10 ms",
        &[
            ("a1@1 b2@2 .50", VIOLATED, &[11]),
            ("a1@1 c9@2 .50", PENDING, &[]),
            ("a1@1 b1@2 .50", PENDING, &[]),
        ],
    );
    check(
        "after (/p as P {x > 5} or /s as P): no /b {x = @P.x}",
        &[("p1@1 s2@2 b2@3", VIOLATED, &[3]), ("p6@1 s2@2 b2@3", PENDING, &[])],
    );
    // A name in one alternative may be used inside of it.
    let file = hpl::parse("globally: no (/a as A {@A.x = 1} or /b)");
    assert!(resolve(&file.properties, &AnyChannels).1.is_empty());
}

#[test]
fn alternatives_play_their_roles_together() {
    check(
        "globally: (/a or /c) forbids (/b {x > 1} or /d) within 10 ms",
        &[("a@1 b2@2 c@3 d@4", VIOLATED, &[2, 4]), ("a@1 b1@2", PENDING, &[])],
    );
    check(
        "globally: /b requires (/a or /c {x = 1})",
        &[("c1@1 b@2", SATISFIED, &[]), ("c0@1 b@2", VIOLATED, &[2])],
    );
    check(
        "until (/q or /r {x = 1}): no /b",
        &[("r0@1 b@2", VIOLATED, &[2]), ("r1@1 b@2", SATISFIED, &[]), ("q@1 b@2", SATISFIED, &[])],
    );
}
