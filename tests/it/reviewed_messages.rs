//! What was found by looking hard at tests of message systems, so that it is not lost again.

use gainsay_core::{Settings, Verdict, settings};
use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{Channel, EmbeddedBus, Message, Node, Outbox, System, SystemTest, Tested, Trace, Value};

const MS: u64 = 1_000_000;

fn quick(seed: u64) -> Settings {
    settings().seed(seed).cases(300).without_corpus()
}

/// Inputs `/a`, `/b`, `/heart`, and an output `/o`, each `{n: int16, v: int8[]}`.
fn system(properties: &str) -> System {
    let mut types = Types::new();
    let list = Type::Array(Box::new(Type::Int { signed: true, bits: 8 }), None);
    let fields = vec![("n".into(), Type::Int { signed: true, bits: 16 }), ("v".into(), list)];
    types.add(MessageType::new("N", fields, vec![]));
    let of = types.named("N", None).unwrap();
    let mut channels: Vec<Channel> =
        ["/a", "/b", "/heart"].into_iter().map(|name| Channel::input(name, of.clone())).collect();
    channels.push(Channel::output("/o", of));
    System::new("reviewed", channels).with_properties(properties).unwrap()
}

fn number(message: &Message) -> i128 {
    match message.value.at("n") {
        Some(Value::Int(n)) => *n,
        other => panic!("no number: {other:?}"),
    }
}

/// A node that is a function of what it has received so far, the last one included: what it says.
struct Says<F>(Vec<Message>, F);

impl<F: FnMut(&[Message]) -> Vec<Value>> Node for Says<F> {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        if &*message.channel == "/o" {
            return;
        }
        self.0.push(message.clone());
        (self.1)(&self.0).into_iter().for_each(|value| out.publish("/o", value));
    }
}

fn test(system: &System, seed: u64, says: fn(&[Message]) -> Vec<Value>) -> Tested {
    let mut bus = EmbeddedBus::of_node(move |_| Says(Vec::new(), says));
    SystemTest::new(system, "p").settings(quick(seed)).run(&mut bus).unwrap()
}

fn inputs<'t>(trace: &'t Trace, channel: &'t str) -> impl Iterator<Item = &'t Message> {
    trace.messages.iter().map(|message| &**message).filter(move |message| &*message.channel == channel)
}

#[track_caller]
fn assert_passed(tested: &Tested) {
    assert!(matches!(tested.report.verdict, Verdict::Passed(_)), "{}", tested.report.verdict);
}

/// Whatever comes on `/b` must be answered; whoever sends it promises to say it again on `/heart`, which is what is answered.
const PROMISED: &str = "# id: p\nglobally: /b as B causes /o {n = @B.n} within 60 ms\n\
    # id: promise\nglobally: /b as X causes /heart {n = @X.n} within 40 ms\n\
    # id: rate\nglobally: /heart forbids /heart within 5 ms\n\
    # id: others\nglobally: /a forbids /a within 30 ms\n";

fn heart_answers(seen: &[Message]) -> Vec<Value> {
    let last = &seen[seen.len() - 1];
    if &*last.channel == "/heart" { vec![last.value.clone()] } else { Vec::new() }
}

#[test]
fn promises_of_axioms_are_kept_so_that_nobody_is_blamed_who_relies_on_them() {
    let system = system(PROMISED);
    for seed in 1..=5 {
        let tested = test(&system, seed, heart_answers);
        assert!(
            !matches!(tested.report.verdict, Verdict::Falsified(_) | Verdict::Flaky(_)),
            "{}",
            tested.report.verdict
        );
        assert_eq!(tested.discarded, 0);
    }
}

#[test]
fn promises_of_axioms_are_kept_in_the_smallest_trace() {
    let system = system(PROMISED);
    // It forgets the second of them.
    let forgets = |seen: &[Message]| {
        let hearts = seen.iter().filter(|message| &*message.channel == "/heart").count();
        if hearts == 2 { Vec::new() } else { heart_answers(seen) }
    };
    for seed in 1..=5 {
        let tested = test(&system, seed, forgets);
        let trace = tested.seen.unwrap_or_else(|| panic!("{}", tested.report.verdict));
        for asked in inputs(&trace, "/b") {
            let is_kept = inputs(&trace, "/heart").any(|heart| {
                number(heart) == number(asked) && heart.at >= asked.at && heart.at < asked.at + 40 * MS
            });
            assert!(is_kept, "seed {seed}: {:#?}", trace.messages);
        }
        assert_eq!(inputs(&trace, "/a").count(), 0, "seed {seed}: {:#?}", trace.messages);
    }
}

#[test]
fn a_message_that_is_not_sent_after_all_leaves_no_trace() {
    // (A message that waits for its turn, and does not get it, must not take the others' turn.)
    let system = system(
        "# id: p\nglobally: /a as A causes /o {n = @A.n} within 100 ms\n\
         # id: all\nglobally: (/a or /b) forbids (/a or /b) within 7 ms\n\
         # id: same\nglobally: /a as X forbids /b {n = @X.n} within 50 ms\n",
    );
    for seed in 1..=5 {
        let tested = test(&system, seed, |seen| {
            let last = &seen[seen.len() - 1];
            if &*last.channel == "/a" { vec![last.value.clone()] } else { Vec::new() }
        });
        assert_passed(&tested);
        assert_eq!(tested.discarded, 0, "in virtual time everything comes when it is sent");
    }
}

#[test]
fn plausible_ranges_hold_for_the_smallest_trace() {
    let mut system = system("# id: p\nglobally: /a as A {len(v) = 2} causes /o {n = @A.n} within 60 ms\n");
    system.policy.ranges = vec![("N.n".into(), 10.0, 20.0)];
    for seed in 1..=5 {
        let tested = test(&system, seed, |seen| {
            let last = &seen[seen.len() - 1];
            if number(last) < 15 { vec![last.value.clone()] } else { Vec::new() }
        });
        let counterexample = tested.report.verdict.counterexample().unwrap();
        assert_eq!(counterexample.notes[0].value, "@ 0 ms    /a {n: 15, v: [0, 0]}", "seed {seed}");
    }
}

#[test]
fn a_violation_and_a_panic_are_not_mixed() {
    let system =
        system("# id: p\nglobally: /a as A causes /o {n = @A.n} within 60 ms\nglobally: no /a {n < 0}\n");
    let (mut violated, mut panicked) = (0, 0);
    for seed in 1..=12 {
        let tested = test(&system, seed, |seen| {
            let last = &seen[seen.len() - 1];
            assert!(number(last) < 10_000, "too much");
            if number(last) < 500 { vec![last.value.clone()] } else { Vec::new() }
        });
        let counterexample = tested.report.verdict.counterexample().unwrap();
        let first = counterexample.notes.first().map(|note| note.value.trim_start_matches("@ 0 ms").trim());
        if tested.violation.is_some() {
            violated += 1;
            assert_eq!(first, Some("/a {n: 500, v: []}"), "seed {seed}");
        } else {
            panicked += 1;
            assert!(counterexample.message.contains("too much"), "seed {seed}: {}", counterexample.message);
        }
    }
    assert!(violated > 0 && panicked > 0, "both are met: {violated} and {panicked}");
}

/// The schemas of the first property that axioms leave nothing of, each with the axiom.
fn left_out(properties: &str) -> Vec<String> {
    let system = system(properties);
    let rule = system.rule("p").unwrap();
    let clashes = system.schemas_of(rule).clashes;
    clashes
        .into_iter()
        .map(|(name, _, axioms, why)| format!("{name}: {why} ({})", axioms.join(", ")))
        .collect()
}

#[test]
fn schemas_that_no_axiom_allows_are_not_drawn() {
    const ASKED: &str = "# id: p\nuntil /b {n > 5}: /a {n > 0} causes /o within 100 ms\n# id: apart\n";
    let apart = |axiom: &str| left_out(&format!("{ASKED}globally: {axiom}\n"));
    let closed = "closed in time: it comes less than 100 ms after /a {n > 0} (apart)";
    assert_eq!(apart("(/a or /heart) forbids /b within 100 ms"), [closed]);
    assert_eq!(apart("/a {n > 0} forbids (/heart or /b {n > 3}) within 100 ms"), [closed]);
    // For ever, whether it is closed in time or late.
    let for_ever = |name: &str| format!("{name}: it comes after /a {{n > 0}} (apart)");
    assert_eq!(apart("/a forbids /b"), [for_ever("closed in time"), for_ever("closed late")]);
    // Where there is a way, it is tried: a shorter bound, conditions that need not hold, what depends on what is said.
    for axiom in [
        "/a forbids /b within 99 ms",
        "/a {n > 1} forbids /b within 100 ms",
        "/a forbids /b {n > 6} within 100 ms",
        "/a as A forbids /b {n != @A.n} within 100 ms",
        "/b forbids /a within 100 ms",
    ] {
        assert_eq!(apart(axiom), [""; 0], "{axiom}");
    }
    // How long the system is waited for, nobody knows.
    let waits = "# id: p\nafter /a until /b: /o {n > 0} causes /o {n < 0} within 100 ms\n# id: apart\nglobally: /a forbids /b within 1 s\n";
    assert_eq!(left_out(waits), [""; 0]);
}

/// A bug is found with each of a few seeds, and its twin passes with all of them.
#[track_caller]
fn assert_told_apart(system: &System, bug: fn(&[Message]) -> Vec<Value>, twin: fn(&[Message]) -> Vec<Value>) {
    for seed in 1..=3 {
        let tested = test(system, seed, bug);
        assert!(tested.violation.is_some(), "seed {seed}: {}", tested.report.verdict);
        let tested = test(system, seed, twin);
        assert_passed(&tested);
        assert_eq!(tested.discarded, 0);
    }
}

/// A number as a message of ours.
fn said(n: i128) -> Vec<Value> {
    vec![gainsay_msg::message([("n", Value::Int(n)), ("v", Value::List(Vec::new()))])]
}

#[test]
fn what_is_waited_for_is_provoked() {
    // It answers with twice the number, and must not take the next number for another question.
    let system = system(
        "# id: p\nafter /o as C: /a {n = @C.n + 1} forbids /o {n = 0} within 10 ms\n# id: small\nglobally: no /a {n < 1 or n > 100}\n",
    );
    fn answers(seen: &[Message], is_wrong: bool) -> Vec<Value> {
        let numbers: Vec<i128> = seen.iter().filter(|one| &*one.channel == "/a").map(number).collect();
        match numbers.as_slice() {
            [.., last] if &*seen[seen.len() - 1].channel == "/a" => {
                let is_next = numbers.first().is_some_and(|first| *last == 2 * first + 1);
                said(if is_wrong && is_next && numbers.len() > 1 { 0 } else { 2 * last })
            }
            _ => Vec::new(),
        }
    }
    assert_told_apart(&system, |seen| answers(seen, true), |seen| answers(seen, false));
}

#[test]
fn promises_are_kept_while_the_system_is_waited_for() {
    let system = system(
        "# id: p\nafter /o as O: /a {n = @O.n} forbids /o {n < 0} within 300 ms\n# id: beats\nglobally: some /heart within 100 ms\n\
         # id: answered\nglobally: /b causes /heart within 50 ms\n# id: small\nglobally: no /a {n < 0}\n",
    );
    for seed in 1..=3 {
        let tested = test(&system, seed, |seen| if seen.len() == 3 { said(5) } else { Vec::new() });
        assert_eq!(tested.discarded, 0, "{}", tested.report.verdict);
        assert!(!matches!(tested.report.verdict, Verdict::Falsified(_)), "{}", tested.report.verdict);
    }
}

#[test]
fn what_needs_longer_than_the_bound_of_the_property_is_found() {
    let system = system(
        "# id: p\nglobally: /o as B requires /a {n = @B.n} within 1 ms\n# id: other\nglobally: /b causes /o within 400 ms\n",
    );
    fn answers(seen: &[Message], is_wrong: bool) -> Vec<Value> {
        let last = &seen[seen.len() - 1];
        let waited = seen.len() > 1 && last.at - seen[0].at > 350 * MS;
        match &*last.channel {
            "/a" if is_wrong && waited => said(number(last) + 1),
            "/a" => said(number(last)),
            _ => Vec::new(),
        }
    }
    assert_told_apart(&system, |seen| answers(seen, true), |seen| answers(seen, false));
}

#[test]
fn messages_come_soon_after_each_other_as_well() {
    let system = system("# id: p\nglobally: no /o within 2 s\n");
    fn burst(seen: &[Message], count: usize) -> Vec<Value> {
        let last = &seen[seen.len() - 1];
        let near = seen.iter().filter(|one| last.at - one.at < 20 * MS && last.at < 60 * MS).count();
        // (After two seconds everybody may speak.)
        if near >= count || last.at >= 2000 * MS { said(1) } else { Vec::new() }
    }
    assert_told_apart(&system, |seen| burst(seen, 3), |seen| burst(seen, usize::MAX));
}

#[test]
fn schemas_of_alternatives_are_printed_as_they_are_read() {
    let system = system(
        "# id: p\nuntil (/b {n > 5} or /heart): (/a as X {n > 0} or /b as X {n < 0}) causes (/o {n = @X.n} or /o {n < 0}) within 100 ms\n\
         # id: small\nglobally: no (/a {n > 9 or n < -9} or /b {n = 3})\n",
    );
    let schemas = system.schemas_of(system.rule("p").unwrap());
    let all = [&schemas.base, &schemas.refined].into_iter().chain(&schemas.specialised);
    for schema in all {
        let text = schema.to_string();
        let again = gainsay_msg::parse_schema(&schema.name, &text, &system);
        let again = again.unwrap_or_else(|troubles| panic!("{text}\n{troubles:?}"));
        assert_eq!(again.to_string(), text);
    }
    assert!(
        schemas
            .refined
            .to_string()
            .contains("publish (/a as X {n > 0 and not (n > 9 or n < -9)} or /b as X {n < 0 and not n = 3})")
    );
    let meaning = gainsay_msg::mfotl::translate(system.rule("p").unwrap()).to_string();
    assert!(meaning.contains("/b(w) & {n > 5}(w) | /heart(w)"), "{meaning}");
}
