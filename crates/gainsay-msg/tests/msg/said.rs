//! What is said: warnings and hints about properties, and the lines of a failing trace.

use gainsay_core::settings;
use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{
    AnyChannels, Channel, EmbeddedBus, Message, Node, Outbox, System, SystemTest, Trace, Value, hpl, message,
    resolve, trace_lines,
};
use std::sync::Arc;

/// Everything that is said of a text, each as its message and its help.
fn said(text: &str) -> Vec<String> {
    let file = hpl::parse(text);
    let (_, troubles) = resolve(&file.properties, &AnyChannels);
    let all = file.troubles.into_iter().chain(troubles);
    all.map(|one| format!("{}; {}", one.message, one.help.unwrap_or_default())).collect()
}

#[track_caller]
fn says(text: &str, wanted: &[&str]) {
    assert_eq!(said(text), wanted, "{text}");
}

#[test]
fn an_activator_that_is_also_the_end_is_told_without_types() {
    const NO_SCOPE: &str =
        "this opens no scope: it is also the end of one; a message that ends a scope does not open one";
    for (activator, terminator) in [
        ("/p", "/p"),
        ("/p {x > 0.5}", "/p {x > 0.5}"),
        ("/p {x > 1.5}", "/p {x > 0.5}"),
        ("/p {x = 3}", "/p {x in [0 to 9]}"),
        ("/p {x in {1, 2}}", "/p {x in {1, 2, 3}}"),
        ("/p {x in {1, 2}}", "/p {x < 2.5}"),
        ("/p {v[0] > 1 and ok}", "/p {ok}"),
        ("/p {v[0] > 1 and y = 2}", "/p {v[0] >= 1}"),
        ("/p {x = 1 or x = 2}", "/p {x < 3}"),
        ("/p {5 < x}", "/p {x != 5}"),
        ("/p {x = \"a\"}", "/p {not x = \"b\"}"),
        ("/p {forall i in v: v[@i] > 0}", "/p {forall i in v: v[@i] > 0}"),
        ("/p {x > 9}", "(/q or /p {x > 5})"),
    ] {
        says(&format!("after {activator} until {terminator}: no /b"), &[NO_SCOPE]);
    }
    for (activator, terminator) in [
        ("/p", "/q"),
        ("/p", "/p {x > 0}"),
        ("/p {x > 0}", "/p {x > 1}"),
        ("/p {x != 1}", "/p {x > 1}"),
        ("/p {x in {1, 2}}", "/p {x < 2}"),
        ("/p {x = 1 or x = 2}", "/p {x < 2}"),
        ("/p {not x > 1}", "/p {x <= 1}"),
        ("/p as P {x > 0}", "/p {x = @P.x}"),
    ] {
        says(&format!("after {activator} until {terminator}: no /b"), &[]);
    }
}

#[test]
fn a_variable_beyond_its_quantifier_is_told_with_brackets() {
    let beyond = |name: &str, meant: &str| {
        format!("`@{name}` is beyond its quantifier; put all of it in brackets: `{meant}`")
    };
    for (condition, name, meant) in [
        ("forall i in v: v[@i] > 0 and v[@i] < 5", "i", "forall i in v: (v[@i] > 0 and v[@i] < 5)"),
        (
            "x > 1 and exists i in v: v[@i] > 0 and v[@i] < 5 or y",
            "i",
            "exists i in v: (v[@i] > 0 and v[@i] < 5)",
        ),
        (
            "not forall i in v: v[@i] > 0 implies v[@i] < 5",
            "i",
            "forall i in v: (v[@i] > 0 implies v[@i] < 5)",
        ),
        (
            "forall i in v: v[$i] > 0 or (v[$i] < 5 and x)",
            "i",
            "forall i in v: (v[$i] > 0 or v[$i] < 5 and x)",
        ),
        (
            "forall i in v: forall j in w: v[@i] > w[@j] and w[@j] < 5",
            "j",
            "forall i in v: forall j in w: (v[@i] > w[@j] and w[@j] < 5)",
        ),
    ] {
        let found = said(&format!("globally: no /b {{{condition}}}"));
        assert_eq!(found.len(), 1, "{condition}: {found:?}");
        assert_eq!(found[0], beyond(name, meant), "{condition}");
    }
    // What is meant is read, and who speaks of a message, or has brackets, means that.
    says("globally: no /b {forall i in v: (v[@i] > 0 and v[@i] < 5)}", &[]);
    says("globally: no /b {forall i in v: v[@i] > 0 and x < 5}", &[]);
    says("globally: /a as A causes /b {(forall i in v: v[@i] > 0) and x = @A.x}", &[]);
    says(
        "globally: no /b {(forall i in v: v[@i] > 0) and v[@i] < 5}",
        &["no message before this one is called `i`; name an earlier event: `/channel as i`"],
    );
}

#[test]
fn what_ends_a_scope_and_plays_no_part_in_it_is_told() {
    const NO_PART: &str = "this plays no part: it is also the end of the scope; the message that ends a scope is not in it; let the scope end with \
                           something else";
    says("until /x: /a causes /x", &[NO_PART]);
    says("after /p until /x {n > 1}: /a causes /x {n > 2}", &[NO_PART]);
    says("until /x: no /x", &[NO_PART]);
    says("until (/y or /x): /a forbids (/b or /x {n = 1})", &[NO_PART]);
    says("until /x {n > 1}: /a causes /x", &[]);
    says("after /p as P until /x {n = @P.n}: /a causes /x", &[]);
}

#[test]
fn odd_quantifiers_and_truth_values_are_told() {
    says("globally: no /a {forall i in v: x > 0}", &["the variable `i` is not used; say something of `@i`"]);
    says(
        "globally: no /a {forall i in v: v[i] > 0}",
        &["the variable `i` is not used; `i` alone is a field of the message: write `@i`"],
    );
    says(
        "globally: no /a {forall x in xs: @x > 0}",
        &["`@x` is an index of `xs`, not an element; its elements are `xs[@x]`"],
    );
    says("globally: no /a {forall i in xs: xs[@i] > @i}", &[]);
    says("globally: no /a {exists i in [0 to 3]: @i = n}", &[]);
    says("globally: no /a {abs(x)}", &["a number is no truth value: this is never so; compare it: `x > 0`"]);
    says(
        "globally: no /a {x and x > 3}",
        &[
            "`x` is a number elsewhere, and a truth value here; a number is never true: compare it, as in `x > 0`",
        ],
    );
    says("globally: no /a {ok and x > 3}", &[]);
    says("globally: no /a {x = true}", &["`true` is read as a field; the truth value is `True`"]);
}

#[test]
fn signs_of_other_languages_are_told_once_with_ours() {
    says("globally: no /a {x == 1}", &["there is no `==`; equality is `=`"]);
    says("globally: no /a {x =< 1}", &["there is no `=<`; at most is `<=`"]);
    says("globally: no /a {x > 0 && y}", &["there is no `&&`; both is `and`"]);
    says("globally: no /a {x > 0 || y}", &["there is no `||`; one of both is `or`"]);
    says("globally: no /a {!ok}", &["there is no `!`; a negation is `not`"]);
    says("globally: no /a {x in [0 to 3]! and v[0]!=1}", &[]);
    says(
        "globally: no /a {}",
        &["expected a condition, found `}`; `/a` alone is any message on that channel"],
    );
    const BRACKETS: &str =
        "expected the end of the event, found `or`; alternatives stand in brackets: `(/a {x > 0} or /b)`";
    says("globally: no /a or /b", &[BRACKETS]);
    says("globally: /a {x > 0} or /b causes /c", &[BRACKETS]);
}

#[test]
fn words_of_other_languages_are_told_with_ours() {
    for (text, wanted) in [
        ("globaly: no /e", "is it `globally`?"),
        ("Globally: no /e", "is it `globally`?"),
        ("always: no /e", "always is `globally:`"),
        ("globally: never /e", "what must not come is `no /channel`"),
        ("globally: not /e", "what must not come is `no /channel`, and after another event `/a forbids /b`"),
        ("globally: /a causes no /b", "what must not come after another event is `/a forbids /b`"),
        ("between /a and /b: no /c", "write `after /start until /stop:`"),
        ("globally: /a leads to /b", "what must follow is said by `/a causes /b`"),
        ("globally: /a causes /b in 500 ms", "a bound of time is `within 500 ms`"),
        (
            "after /a until /b within 5 s: no /c",
            "a bound of time belongs to the pattern, at its end: `globally: no /a within 5 s`",
        ),
        ("globally: no /a {0 < x < 3}", "write `0 < x and x < …`"),
        ("globally: no /a {x is True}", "equality is `=`"),
        ("globally: no /a {x > 1, y}", "both is `and`, and one of both is `or`"),
        ("globally: no /a {x in (1, 2)}", "sets are written `{1, 2}`"),
        ("globally: no /a {x in 1..5}", "ranges are written `[0 to 10]`"),
        ("globally: no /a {x > 1 & y}", "both is `and`"),
        (
            "globally: /a causes /b {id = /a.id}",
            "another message is spoken of by its name: `/ask as A …`, and then `@A.id`",
        ),
        ("globally: /a as A causes /b {id = A.id}", "the message is `@A`"),
        (
            "globally: no /a {x = null}",
            "no relation with a field that is missing is so: `not x = x` says that there is no `x`",
        ),
    ] {
        let found = said(text);
        assert!(
            found.first().is_some_and(|first| first.ends_with(&format!("; {wanted}"))),
            "{text}: {found:?}"
        );
    }
    says(
        "globally: no /laser dist < 0",
        &[
            "expected the end of the property, found `dist`; a property ends with its pattern, and perhaps `within 500 ms`; \
           conditions stand in braces: `/laser {dist < 0}`",
        ],
    );
    // Channels and fields may be called like that.
    says("globally: no never {is > 0 and all}\nglobally: always causes between", &[]);
}

#[test]
fn names_of_variables_and_truth_values_are_hinted_at_where_types_are_known() {
    let system = system(Type::Float64, "");
    let said = |text: &str| system.clone().with_properties(text).unwrap_err();
    assert!(said("globally: no /b {forall i in v: v[i] > 0}").contains("is it `@i`?"));
    assert!(said("globally: no /b {x = true}").contains("is it `True`?"));
    assert!(said("globally: no /b {x == 1}").contains("equality is `=`"));
}

#[test]
fn what_cannot_be_sent_is_not_blamed_on_axioms_that_are_not_there() {
    let text = "globally: /a {x > 5 and x < 5} causes /b within 1 s";
    let system = system(Type::Float64, text);
    let class = system.class(&system.rules[0]).to_string();
    assert!(!class.contains("axioms") && !class.contains("()"), "{class}");
}

#[test]
fn formatting_keeps_units_and_breaks_long_conditions() {
    let formatted = |text: &str| {
        let file = hpl::parse(text);
        assert!(file.troubles.is_empty(), "{:?}", file.troubles);
        hpl::format(&file)
    };
    assert_eq!(formatted("globally: some /a within 0.1s"), "globally: some /a within 0.1 s\n");
    assert_eq!(formatted("globally: some /a within 1500ms"), "globally: some /a within 1500 ms\n");
    assert_eq!(formatted("globally: some /a within 2 s"), "globally: some /a within 2 s\n");
    let long = "after /position as Here {x > 0 and y > 0 and z > 0} until (/position {x != @Here.x or y != @Here.y} or /reset {why = \"asked\"}): \
                /goal {x = @Here.x and y = @Here.y and (important or urgent) and not cancelled and priority in [1 to 9]} \
                forbids /velocity {linear.x > 0} within 0.3 s";
    let wanted = "after /position as Here {x > 0 and y > 0 and z > 0}
    until (/position {x != @Here.x or y != @Here.y} or /reset {why = \"asked\"}):
  /goal {x = @Here.x
      and y = @Here.y
      and (important or urgent)
      and not cancelled
      and priority in [1 to 9]}
  forbids /velocity {linear.x > 0} within 0.3 s
";
    assert_eq!(formatted(long), wanted);
    assert_eq!(formatted(wanted), wanted);
    // Nothing of what it says is changed.
    let one_line = |text: &str| hpl::parse(text).properties[0].to_string();
    assert_eq!(one_line(wanted), one_line(long));
}

/// `/a` and `/stop` go in, `/b` and `/c` come out; each `{x, v}`.
fn system(of: Type, properties: &str) -> System {
    let mut types = Types::new();
    let array = Type::Array(Box::new(of.clone()), Some(2));
    types.add(MessageType::new("M", vec![("x".into(), of), ("v".into(), array)], vec![]));
    let of = types.named("M", None).unwrap();
    let channels = vec![
        Channel::input("/a", of.clone()),
        Channel::input("/stop", of.clone()),
        Channel::output("/b", of.clone()),
        Channel::output("/c", of),
    ];
    System::new("said", channels).with_properties(properties).unwrap()
}

/// Says something at once, and something else a little later, for each message that it hears.
struct Late {
    at_once: fn(&Value) -> Vec<Value>,
    late_ms: u64,
    due: Vec<(u64, Value)>,
}

impl Node for Late {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        (self.at_once)(&message.value).into_iter().for_each(|value| out.publish("/b", value));
        if self.late_ms > 0 {
            self.due.push((message.at + self.late_ms * 1_000_000, message.value.clone()));
        }
    }

    fn wake_at(&self) -> Option<u64> {
        self.due.iter().map(|(at, _)| *at).min()
    }

    fn wake(&mut self, now: u64, out: &mut Outbox) {
        for (_, value) in self.due.extract_if(.., |(at, _)| *at <= now) {
            out.publish("/b", value);
        }
    }
}

/// The lines of a failing trace, of messages that are given.
fn lines(
    system: &System,
    inputs: &[(u64, &str, f64)],
    late_ms: u64,
    at_once: fn(&Value) -> Vec<Value>,
) -> Vec<String> {
    let value = |x: f64| message([("x", x.into()), ("v", Value::List(vec![x.into(), x.into()]))]);
    let given: Vec<Message> =
        inputs.iter().map(|(at, channel, x)| Message::at_ms(*at, *channel, value(*x))).collect();
    let mut bus = EmbeddedBus::of_node(move |_| Late { at_once, late_ms, due: Vec::new() });
    let test = SystemTest::new(system, "p1").settings(settings().without_corpus());
    let (trace, violation) = test.run_trace(&mut bus, &given).unwrap();
    assert!(violation.is_some(), "{trace:?}");
    trace_lines(system, &system.rules[0], &trace).unwrap()
}

#[test]
fn of_two_equal_messages_the_wrong_one_is_marked() {
    let system = system(Type::Float64, "after /stop: no /b");
    let echo: fn(&Value) -> Vec<Value> = |value| vec![value.clone()];
    assert_eq!(
        lines(&system, &[(0, "/a", 1.0), (0, "/stop", 1.0)], 0, echo),
        [
            "@0 ms    /a {x: 1.0, v: [1.0, 1.0]}",
            "@0 ms    /b {x: 1.0, v: [1.0, 1.0]}",
            "@0 ms    /stop {x: 1.0, v: [1.0, 1.0]}",
            "@0 ms    /b {x: 1.0, v: [1.0, 1.0]}    ← must not come",
        ]
    );
}

#[test]
fn what_is_hidden_is_counted_by_channel_and_what_is_marked_is_not_hidden() {
    let system = system(Type::Float64, "globally: /a as A causes /b {x = @A.x + 1} within 50 ms");
    let burst: fn(&Value) -> Vec<Value> = |value| vec![value.clone(); 5];
    assert_eq!(
        lines(&system, &[(0, "/a", 3.0)], 0, burst),
        [
            "@ 0 ms    /a {x: 3.0, v: [3.0, 3.0]}",
            "@ 0 ms    /b {x: 3.0, v: [3.0, 3.0]}",
            "          … 3 more on /b",
            "@ 0 ms    /b {x: 3.0, v: [3.0, 3.0]}",
            "@50 ms    nothing on /b {x = @A.x + 1} since, where @A.x is 3.0",
        ]
    );
}

#[test]
fn messages_on_channels_that_the_property_does_not_name_are_counted() {
    let of = || Type::Record(Arc::new(MessageType::new("Number", vec![("n".into(), Type::Float64)], vec![])));
    let channels = ["/b", "/status", "/odom"].map(|channel| Channel::output(channel, of()));
    let channels = [Channel::input("/a", of())].into_iter().chain(channels).collect();
    let system =
        System::new("many", channels).with_properties("globally: /a causes /b within 50 ms").unwrap();
    let said = |at, channel: &str| Message::at_ms(at, channel, message([("n", 1.0.into())]));
    let lines = |messages: Vec<Message>, before: &[&str]| {
        let mut trace = Trace::new(messages, 60);
        trace.before = before.iter().map(|channel| Arc::new(said(0, channel))).collect();
        trace_lines(&system, &system.rules[0], &trace).unwrap()
    };
    let busy =
        vec![said(0, "/a"), said(1, "/odom"), said(2, "/status"), said(3, "/odom"), said(60, "/status")];
    assert_eq!(
        lines(busy, &["/odom", "/b"]),
        [
            "before start    … 1 more: 1 on /odom",
            "before start    /b {n: 1.0}",
            "@ 0 ms    /a {n: 1.0}",
            "          … 3 not shown: 2 on /odom, 1 on /status",
            "@50 ms    nothing on /b since",
        ]
    );
    assert_eq!(
        lines(vec![said(0, "/a"), said(60, "/status")], &[]),
        ["@ 0 ms    /a {n: 1.0}", "@50 ms    nothing on /b since"]
    );
}

#[test]
fn an_answer_at_the_excluded_bound_is_shown_as_that_and_unanswered_stimuli_are_marked() {
    let system = system(Type::Float64, "globally: /a as A causes /b {x = @A.x} within 50 ms");
    let nothing: fn(&Value) -> Vec<Value> = |_| Vec::new();
    assert_eq!(
        lines(&system, &[(0, "/a", 3.0)], 50, nothing),
        [
            "@ 0 ms    /a {x: 3.0, v: [3.0, 3.0]}",
            "@50 ms    /b {x: 3.0, v: [3.0, 3.0]}    ← came at 50 ms, needed before 50 ms",
        ]
    );
    let small: fn(&Value) -> Vec<Value> = |value| {
        let is_small = matches!(value.at("x"), Some(Value::Float(x)) if *x < 2.0);
        if is_small { vec![value.clone()] } else { Vec::new() }
    };
    assert_eq!(
        lines(&system, &[(0, "/a", 1.0), (0, "/a", 3.0), (10, "/a", 4.0)], 0, small),
        [
            "@ 0 ms    /a {x: 1.0, v: [1.0, 1.0]}",
            "@ 0 ms    /b {x: 1.0, v: [1.0, 1.0]}",
            "@ 0 ms    /a {x: 3.0, v: [3.0, 3.0]}    ← not answered",
            "@10 ms    /a {x: 4.0, v: [4.0, 4.0]}",
            "@50 ms    nothing on /b {x = @A.x} since, where @A.x is 3.0",
        ]
    );
}

#[test]
fn floats_of_single_precision_are_shown_as_such() {
    let system = system(Type::Float32, "globally: /a as A causes /b {x = @A.x} within 50 ms");
    let nothing: fn(&Value) -> Vec<Value> = |_| Vec::new();
    let x = f64::from(0.1_f32);
    assert_eq!(
        lines(&system, &[(0, "/a", x)], 0, nothing),
        [
            "@ 0 ms    /a {x: 0.1, v: [0.1, 0.1]}",
            "@50 ms    nothing on /b {x = @A.x} since, where @A.x is 0.1"
        ]
    );
    let mut bus = EmbeddedBus::of_node(move |_| Late { at_once: nothing, late_ms: 0, due: Vec::new() });
    let given =
        [Message::at_ms(0, "/a", message([("x", x.into()), ("v", Value::List(vec![x.into(), x.into()]))]))];
    let (_, violation) = SystemTest::new(&system, "p1").run_trace(&mut bus, &given).unwrap();
    assert_eq!(
        violation.unwrap().to_string(),
        "at 50 ms: no /b {x = @A.x} since @0 ms  /a {x: 0.1, v: [0.1, 0.1]}"
    );
}
