//! Properties that nothing puts to the test are not passed.

use gainsay_core::{Settings, Verdict, settings};
use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{
    AnyChannels, Channel, EmbeddedBus, Message, Monitors, Node, Outbox, System, SystemTest, hpl, message,
    resolve,
};

/// What never came, of a property on a trace in short: `a1 b2` is a message on `/a` with `{x: 1}`, and then one on `/b` with `{x: 2}`.
fn never(property: &str, trace: &str, spoke: Option<bool>) -> Vec<String> {
    let file = hpl::parse(property);
    assert!(file.troubles.is_empty(), "{:?}", file.troubles);
    let mut monitors = Monitors::new(resolve(&file.properties, &AnyChannels).0);
    for (place, word) in trace.split_whitespace().enumerate() {
        let (channel, x) = word.split_at(1);
        let x: i64 = x.parse().unwrap();
        monitors
            .see(Message::at_ms(place as u64, format!("/{channel}"), message([("x", x.into())])))
            .unwrap();
    }
    let judged = &monitors.judged()[0];
    judged.exercise.never(judged.rule, spoke)
}

#[track_caller]
fn check(property: &str, traces: &[(&str, &str)]) {
    for (trace, wanted) in traces {
        assert_eq!(never(property, trace, None).join(", "), *wanted, "`{property}` on `{trace}`");
    }
}

#[test]
fn each_pattern_says_what_puts_it_to_the_test() {
    check("globally: no /b {x > 5}", &[("", "a message on `/b`"), ("a9", "a message on `/b`"), ("b1", "")]);
    check("globally: no (/b {x > 5} or /c {x > 5})", &[("a1", "a message on `/b` or `/c`"), ("c1", "")]);
    check(
        "after /p {x > 5}: no /b",
        &[("b1 p1 b1", "the activator `/p {x > 5}`"), ("p6", "a message on `/b`"), ("b1 p6", "")],
    );
    check("after /p: some /b", &[("b1", "the activator `/p`"), ("p1", "`/b` before the end"), ("p1 b1", "")]);
    check(
        "globally: /a {x > 5} causes /b",
        &[("b1 a1", "the trigger `/a {x > 5}`"), ("a6", "an answer `/b` before the end"), ("a6 b1", "")],
    );
    check(
        "after /p until /q: /a causes /b",
        &[("a1 b1 p1 q1 a1 b1", "the trigger `/a` in an open scope"), ("p1 a1 b1 q1", "")],
    );
    check("globally: /b {x > 5} requires /a", &[("a1 b1", "`/b {x > 5}`"), ("a1 b6", "")]);
    check("until /q: /b requires /a", &[("q1 a1 b1", "`/b` in an open scope"), ("a1 b1 q1", "")]);
    check("globally: /a forbids /b", &[("b1", "the trigger `/a`"), ("a1", ""), ("b1 a1", "")]);
}

#[test]
fn a_condition_that_is_so_of_every_message_is_none() {
    for property in ["globally: no /b", "globally: no /b {True}", "globally: no /b {1 < 2}"] {
        // Silence is what is wanted, if the system speaks at all.
        assert_eq!(never(property, "a1", Some(true)), Vec::<String>::new(), "{property}");
        assert_eq!(never(property, "a1", Some(false)), ["a message on `/b`"], "{property}");
    }
    let never_so = "globally: no /b {False}";
    assert_eq!(never(never_so, "a1", Some(true)), ["a message on `/b`"]);
}

#[test]
fn a_prohibition_is_put_to_no_test_by_its_trigger_alone() {
    let spoke = |trace: &str| {
        let file = hpl::parse("globally: /a forbids /b within 5 ms");
        let mut monitors = Monitors::new(resolve(&file.properties, &AnyChannels).0);
        for (place, channel) in trace.split_whitespace().enumerate() {
            let message = Message::at_ms(place as u64, format!("/{channel}"), message([]));
            monitors.see(message).unwrap();
        }
        monitors.others_spoke()
    };
    assert_eq!(spoke("a a"), [Some(false)]);
    assert_eq!(spoke("a c"), [Some(true)]);
    assert_eq!(never("globally: /a forbids /b", "a1", Some(false)), ["a message of the system"]);
}

#[test]
fn silence_on_a_channel_where_every_message_is_wrong_is_what_is_wanted() {
    let never = |property, spoke| never(property, "a1", spoke).join(", ");
    assert_eq!(never("globally: no /error", Some(true)), "");
    assert_eq!(never("globally: no /error", Some(false)), "a message on `/error`");
    // Nobody knows whether that channel was recorded.
    assert_eq!(never("globally: no /error", None), "a message on `/error`");
    // Here a message may be right.
    assert_eq!(never("globally: no /error within 1 s", Some(true)), "a message on `/error`");
    assert_eq!(never("until /a: no /error", Some(true)), "a message on `/error`");
    assert_eq!(never("globally: /a forbids /error", Some(true)), "");
    assert_eq!(never("globally: /a forbids /error", Some(false)), "a message of the system");
}

#[test]
fn what_was_demanded_and_met_is_counted() {
    let file = hpl::parse("after /p until /q: /a as A causes /b {x = @A.x} within 1 s");
    let mut monitors = Monitors::new(resolve(&file.properties, &AnyChannels).0);
    for (at, (channel, x)) in
        [("/p", 0), ("/a", 1), ("/a", 2), ("/b", 2), ("/b", 1), ("/q", 0), ("/b", 5), ("/p", 0), ("/a", 3)]
            .into_iter()
            .enumerate()
    {
        monitors.see(Message::at_ms(at as u64, channel, message([("x", x.into())]))).unwrap();
    }
    let exercise = monitors.judged()[0].exercise;
    assert_eq!((exercise.scopes, exercise.obligations, exercise.met, exercise.heard), (2, 3, 2, 3));
    monitors.reset();
    assert_eq!(monitors.judged()[0].exercise.scopes, 0);
}

/// Answers on `/b` what it hears on `/a`, and alarms never; or says nothing at all.
struct Echo {
    speaks: bool,
}

impl Node for Echo {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        if self.speaks && &*message.channel == "/a" {
            out.publish("/b", message.value.clone());
        }
    }
}

const PROPERTIES: &str = "
# id: absent
globally: no /b {x > 300}
# id: silent_alarm
globally: no /alarm
# id: late_alarm
after /a: no /alarm
# id: answered
globally: /a as A causes /b {x = @A.x} within 10 ms
# id: needs
globally: /b requires /a
# id: forbids
globally: /a forbids /alarm
# id: some
after /a: some /b within 10 ms
# id: unreachable
after /b {x > 255}: no /b
# id: rare
after /b {x > 255}: no /b
";

fn verdict(id: &str, speaks: bool, settings: Settings) -> String {
    let mut types = Types::new();
    types.add(MessageType::new("Number", vec![("x".into(), Type::Int { signed: false, bits: 16 })], vec![]));
    types.add(MessageType::new("Small", vec![("x".into(), Type::Int { signed: false, bits: 8 })], vec![]));
    let of = |name: &str| types.named(name, None).unwrap();
    let channels = vec![
        Channel::input("/a", of("Small")),
        Channel::output("/b", of("Number")),
        Channel::output("/alarm", of("Number")),
    ];
    let text = PROPERTIES.replace("# id: rare", "# id: rare\n# allow_vacuous: true");
    let system = System::new("echo", channels).with_properties(&text).unwrap();
    let settings = settings.cases(50).seed(1).without_corpus();
    let test = SystemTest::new(&system, id).settings(settings);
    let tested = test.run(&mut EmbeddedBus::of_node(move |_| Echo { speaks })).unwrap();
    match &tested.report.verdict {
        Verdict::Vacuous(vacuous) => format!("vacuous: {}", vacuous.never.join(", ")),
        Verdict::Falsified(_) => "falsified".into(),
        Verdict::Passed(_) => format!("passed {}", tested.report.remarks.join("; ")).trim_end().to_string(),
        other => other.to_string(),
    }
}

#[test]
fn a_system_that_never_speaks_passes_nothing() {
    let silent = |id| verdict(id, false, settings());
    assert_eq!(silent("absent"), "vacuous: a message on `/b`");
    assert_eq!(silent("silent_alarm"), "vacuous: a message on `/alarm`");
    assert_eq!(silent("late_alarm"), "vacuous: a message on `/alarm`");
    assert_eq!(silent("answered"), "falsified");
    assert_eq!(silent("needs"), "vacuous: `/b`");
    assert_eq!(silent("forbids"), "vacuous: a message of the system");
    assert_eq!(silent("some"), "falsified");
}

#[test]
fn its_twin_that_speaks_passes_what_it_keeps() {
    let speaking = |id| verdict(id, true, settings());
    assert_eq!(speaking("absent"), "passed");
    assert_eq!(speaking("silent_alarm"), "passed");
    assert_eq!(speaking("late_alarm"), "vacuous: a message on `/alarm`");
    assert_eq!(speaking("answered"), "passed");
    assert_eq!(speaking("needs"), "passed");
    assert_eq!(speaking("forbids"), "passed");
    assert_eq!(speaking("some"), "passed");
}

#[test]
fn a_scope_that_never_opens_is_vacuous_unless_that_is_allowed() {
    let never = "the activator `/b {x > 255}`";
    assert_eq!(verdict("unreachable", true, settings()), format!("vacuous: {never}"));
    let allowed = format!("passed vacuous, which is allowed: never met {never}");
    assert_eq!(verdict("unreachable", true, settings().allow_vacuous()), allowed);
    // By the line before the property.
    assert_eq!(verdict("rare", true, settings()), allowed);
}
