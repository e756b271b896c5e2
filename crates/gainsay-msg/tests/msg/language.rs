//! The language: what is read, how it is printed, and what is refused.

use gainsay_msg::diagnostic::Source;
use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{AnyChannels, Channel, System, hpl, resolve};

/// Properties, and how they are printed.
const READ: &[(&str, &str)] = &[
    // Scopes and patterns.
    ("globally:no /a", "globally: no /a"),
    ("globally :\n  some /a\twithin 5s", "globally: some /a within 5 s"),
    ("after /a: some b", "after /a: some b"),
    ("until /a: /b causes /c", "until /a: /b causes /c"),
    ("after /a until /b: /c requires /d within 10 ms", "after /a until /b: /c requires /d within 10 ms"),
    ("globally: /c forbids /c within 20ms", "globally: /c forbids /c within 20 ms"),
    // Times.
    ("globally: no /a within .5 s", "globally: no /a within 0.5 s"),
    ("globally: no /a within 1.5s", "globally: no /a within 1.5 s"),
    ("globally: no /a within 0.25 ms", "globally: no /a within 0.25 ms"),
    ("globally: no /a within 2000 ms", "globally: no /a within 2000 ms"),
    ("globally: no /a within 1e3 ms", "globally: no /a within 1000 ms"),
    // Channels.
    ("globally: no ~a", "globally: no ~a"),
    ("globally: no a/b", "globally: no a/b"),
    ("globally: no /a-b/1", "globally: no /a-b/1"),
    ("globally: no ~robot/arm-2/pose {x > 0}", "globally: no ~robot/arm-2/pose {x > 0}"),
    ("globally: some_thing causes no_thing within 1 s", "globally: some_thing causes no_thing within 1 s"),
    // Events.
    ("globally: no (/a or /b {x = 1})", "globally: no (/a or /b {x = 1})"),
    ("globally: no (/a)", "globally: no /a"),
    (
        "after (/a as M or /b as M {x>0}): no /c {x=@M.x}",
        "after (/a as M or /b as M {x > 0}): no /c {x = @M.x}",
    ),
    (
        "globally: /a as A causes /b {x = @1.x and @A.y = y}",
        "globally: /a as A causes /b {x = @1.x and @A.y = y}",
    ),
    ("after /a: /b causes /c {x = @1.x + @2.x}", "after /a: /b causes /c {x = @1.x + @2.x}"),
    // Which binds more tightly.
    ("globally: no /a {p and q or r and s}", "globally: no /a {p and q or r and s}"),
    ("globally: no /a {p and (q or r) and s}", "globally: no /a {p and (q or r) and s}"),
    ("globally: no /a {p implies q or r iff s}", "globally: no /a {p implies q or r iff s}"),
    ("globally: no /a {p implies (q implies r)}", "globally: no /a {p implies (q implies r)}"),
    ("globally: no /a {(p implies q) implies r}", "globally: no /a {p implies q implies r}"),
    ("globally: no /a {not x = 1 and y}", "globally: no /a {not x = 1 and y}"),
    ("globally: no /a {not (x = 1 and y)}", "globally: no /a {not (x = 1 and y)}"),
    ("globally: no /a {not not p}", "globally: no /a {not not p}"),
    ("globally: no /a {(not p) = q}", "globally: no /a {(not p) = q}"),
    ("globally: no /a {x + y * z ** 2 < -w}", "globally: no /a {x + y * z ** 2 < -w}"),
    ("globally: no /a {(x + y) * z - (w - 1) > 0}", "globally: no /a {(x + y) * z - (w - 1) > 0}"),
    ("globally: no /a {x - 1 - 2 = x / 2 / 2}", "globally: no /a {x - 1 - 2 = x / 2 / 2}"),
    ("globally: no /a {-x ** 2 = -(x ** 2)}", "globally: no /a {-x ** 2 = -(x ** 2)}"),
    ("globally: no /a {--x = 1}", "globally: no /a {--x = 1}"),
    ("globally: no /a {(x)=((1))}", "globally: no /a {x = 1}"),
    // Sets, ranges, arrays, quantifiers.
    ("globally: no /a {x in {1,2, 3}}", "globally: no /a {x in {1, 2, 3}}"),
    ("globally: no /a {x in [0 to 10]}", "globally: no /a {x in [0 to 10]}"),
    ("globally: no /a {x in ![0 to 10]!}", "globally: no /a {x in ![0 to 10]!}"),
    (
        "globally: no /a {x in [-1 to 2 * y]! and xs[0]!=1}",
        "globally: no /a {x in [-1 to 2 * y]! and xs[0] != 1}",
    ),
    ("globally: no /a {xs[i + 1].y[2] > 0}", "globally: no /a {xs[i + 1].y[2] > 0}"),
    ("globally: no /a {forall i in xs: xs[@i] > 0}", "globally: no /a {forall i in xs: xs[@i] > 0}"),
    (
        "globally: no /a {forall i in xs: exists j in [0 to 3]: xs[$i] = $j or p}",
        "globally: no /a {forall i in xs: exists j in [0 to 3]: xs[$i] = $j or p}",
    ),
    (
        "globally: no /a {not forall i in {1, 2}: (@i = x and p)}",
        "globally: no /a {not forall i in {1, 2}: (@i = x and p)}",
    ),
    // Names that begin like words of the language.
    (
        "globally: no /a {notify = 1 and Error and PIN > PI}",
        "globally: no /a {notify = 1 and Error and PIN > PI}",
    ),
    (
        "globally: no /a {existsx in {orange, android, into}}",
        "globally: no /a {existsx in {orange, android, into}}",
    ),
    ("globally: nothing causes somebody within 1 s", "globally: nothing causes somebody within 1 s"),
    ("globally: no /a {x.no.some.in = 1 and True}", "globally: no /a {x.no.some.in = 1 and True}"),
    ("after afterwards until untilted: no globallyx", "after afterwards until untilted: no globallyx"),
    // Numbers, text, functions.
    (
        "globally: no /a {x in {1, 1.0, .5, 1e3, 2E-3, 1.}}",
        "globally: no /a {x in {1, 1.0, 0.5, 1000.0, 0.002, 1.0}}",
    ),
    ("globally: no /a {s = 'it''s'}", ""),
    (
        "globally: no /a {s = 'say \"hi\"' or s != \"a\\nb\\\\\"}",
        "globally: no /a {s = \"say \\\"hi\\\"\" or s != \"a\\nb\\\\\"}",
    ),
    (
        "globally: no /a {x < INF and x != NAN and x > -E}",
        "globally: no /a {x < INF and x != NAN and x > -E}",
    ),
    (
        "globally: no /a {max(x, y, abs(z)) > len(xs) + sum([1 to 3])}",
        "globally: no /a {max(x, y, abs(z)) > len(xs) + sum([1 to 3])}",
    ),
    (
        "globally: no /a {x = 170141183460469231731687303715884105727}",
        "globally: no /a {x = 170141183460469231731687303715884105727}",
    ),
];

#[test]
fn properties_are_printed_in_one_form_which_is_read_again() {
    for (text, printed) in READ {
        let file = hpl::parse(text);
        if printed.is_empty() {
            assert!(!file.troubles.is_empty(), "{text}");
            continue;
        }
        assert!(file.troubles.is_empty(), "{text}: {:?}", file.troubles);
        let [property] = file.properties.as_slice() else { panic!("{text}: {:?}", file.properties) };
        assert_eq!(property.to_string(), *printed);
        let again = hpl::parse(printed);
        assert!(again.troubles.is_empty(), "{printed}: {:?}", again.troubles);
        assert_eq!(again.properties[0].to_string(), *printed);
        // Whole files are in their form at once.
        let formatted = hpl::format(&file);
        assert_eq!(hpl::format(&hpl::parse(&formatted)), formatted);
    }
}

#[test]
fn the_listings_of_the_paper_are_read() {
    let listings = "globally: no /laser {data < 0}\n\
                    after /bumper as B {state = PRESSED} until /bumper {state = RELEASED and bumper = @B.bumper}: no /cmd_vel {linear.x > 0.0}\n\
                    globally: /joy_teleop/cmd_vel as V causes /cmd_vel {linear = @V.linear and angular = @V.angular} within 100 ms\n\
                    globally: /cmd_vel {linear.x > 0} requires /laser {forall i in ranges: ranges[@i] > 0.5} within 1 s\n\
                    until /start: no (/cmd_vel {linear.x != 0} or /cmd_vel {angular.z != 0})";
    let file = hpl::parse(listings);
    assert!(file.troubles.is_empty(), "{:?}", file.troubles);
    let (rules, troubles) = resolve(&file.properties, &AnyChannels);
    // (Without types nobody knows of constants.)
    let warned: Vec<&str> = troubles.iter().map(|trouble| trouble.message.as_str()).collect();
    assert_eq!(warned, ["`PRESSED` is read as a field", "`RELEASED` is read as a field"]);
    assert_eq!(rules.len(), 5);
}

#[test]
fn comments_are_kept_and_keys_are_read() {
    let text = "# id: one\n# title: \"A title: with a colon\"\n# owner: nobody\n# just a remark\nglobally: no /a # at its end\n\n\
                globally: # inside\n  no /b\n# the last word\n";
    let file = hpl::parse(text);
    assert!(file.troubles.is_empty());
    let one = &file.properties[0];
    assert_eq!((one.id(), one.metadata("owner")), (Some("one"), Some("nobody")));
    assert_eq!(one.metadata("title"), Some("\"A title: with a colon\""));
    let formatted = hpl::format(&file);
    assert_eq!(
        formatted,
        "# id: one\n# title: \"A title: with a colon\"\n# owner: nobody\n# just a remark\n# at its end\nglobally: no /a\n\n# inside\n\
         globally: no /b\n\n# the last word\n"
    );
    assert_eq!(hpl::format(&hpl::parse(&formatted)), formatted);
}

#[test]
fn long_properties_are_written_on_several_lines() {
    let long = format!("globally: /a {{{}x = 1}} causes /b within 5 s", "x != 0 and ".repeat(9));
    let formatted = hpl::format(&hpl::parse(&long));
    // One for the scope, one for each part of the condition, and one for the end.
    assert_eq!(formatted.lines().count(), 12, "{formatted}");
    assert!(formatted.ends_with("\n  causes /b within 5 s\n"), "{formatted}");
    let again = hpl::parse(&formatted);
    assert_eq!((again.properties[0].to_string(), hpl::format(&again)), (long, formatted));
}

/// What cannot be read, and what is said of it.
const REFUSED: &[(&str, &str)] = &[
    ("no /a", "expected a scope, found `no`"),
    ("always: no /a", "expected a scope, found `always`"),
    ("globally no /a", "expected `:`, found `no`"),
    ("globally:", "expected a channel, found the end"),
    ("globally: no", "expected a channel, found the end"),
    ("globally: no {x}", "expected a channel, found `{`"),
    ("globally: no until", "expected a channel, found `until`"),
    ("globally: /a", "expected `causes`, `forbids` or `requires`, found the end"),
    ("globally: /a leads /b", "expected `causes`, `forbids` or `requires`, found `leads`"),
    ("globally: no /a within", "expected a time, found the end"),
    ("globally: no /a within 5", "expected a unit of time, found the end"),
    ("globally: no /a within 5 minutes", "expected a unit of time, found `minutes`"),
    ("globally: no /a within 0 ms", "nothing happens within no time"),
    ("globally: no /a within 0.000 ms", "nothing happens within no time"),
    ("globally: no /a {x < 1e400}", "this number is too large"),
    ("# assume: maybe\nglobally: no /a", "`maybe` is no answer"),
    ("globally: no /a within -5 ms", "expected a time, found `-`"),
    ("globally: no /a within 1e99 s", "`1e99` is no time here: it is too large"),
    ("globally: no /a {x = 1", "expected `}` or an operator, found the end"),
    ("globally: no /a {}", "expected a condition, found `}`"),
    ("globally: no /a {x =}", "expected a value, found `}`"),
    ("globally: no /a {0 <= x < 40}", "relations do not chain"),
    ("globally: no /a {x = y = z}", "relations do not chain"),
    ("globally: no /a {x == 1}", "there is no `==`"),
    ("globally: no /a {x && y}", "there is no `&&`"),
    ("globally: no /a {x = \u{201c}a\u{201d}}", "unexpected character `\u{201c}`"),
    ("globally: no /a {s = \"open}", "text without an end"),
    ("globally: no /a {x in [1, 2]}", "expected `to`, found `,`"),
    ("globally: no /a {x in [1 to 2}", "expected `]`, found `}`"),
    ("globally: no /a {xs[1 > 0}", "expected `]`, found `>`"),
    ("globally: no /a {x = not y}", "expected a value, found `not`"),
    ("globally: no /a {1 + forall i in xs: p}", "expected a value, found `forall`"),
    ("globally: no /a {forall in in xs: p}", "expected a variable, found `in`"),
    ("globally: no /a {forall i of xs: p}", "expected `in`, found `of`"),
    ("globally: no /a {forall i in xs p}", "expected `:`, found `p`"),
    ("globally: no /a {cube(x) = 1}", "there is no function `cube`"),
    ("globally: no /a {abs() = 1}", "`abs` takes 1 argument, not 0"),
    ("globally: no /a {abs(x, y) = 1}", "`abs` takes 1 argument, not 2"),
    ("globally: no /a {atan2(x) = 1}", "`atan2` takes 2 arguments, not 1"),
    ("globally: no /a {log(x, 2, 3) = 1}", "`log` takes 1 to 2 arguments, not 3"),
    ("globally: no /a as some {x = 1}", "expected a name for the message, found `some`"),
    ("globally: no (/a or)", "expected a channel, found `)`"),
    ("globally: no (/a, /b)", "expected `)`, found `,`"),
    ("globally: no /a {x. = 1}", "expected the name of a field, found `=`"),
    ("globally: no /a {@ = 1}", "expected the name or number of a message, found `=`"),
    ("globally: no /a {x = 999999999999999999999999999999999999999999}", "this whole number is too large"),
    ("globally: no /a {x = 1} /b", "expected the end of the property, found `/`"),
];

#[test]
fn what_cannot_be_read_is_told_at_its_place() {
    for (text, message) in REFUSED {
        let file = hpl::parse(text);
        let first = file.troubles.first().unwrap_or_else(|| panic!("nothing is wrong with {text}"));
        assert!(first.is_error());
        assert_eq!(first.message, *message, "{text}");
        let shown = Source::new("a.hpl", *text).show(first, false);
        assert!(shown.contains("a.hpl:1:") && shown.contains(message), "{shown}");
    }
}

#[test]
fn bounds_finer_than_times_are_rounded_up() {
    // Times are whole nanoseconds: what is less than 1.5 ns apart is less than 2 ns apart.
    for (written, read) in [
        ("1.0000000001 s", "1.000000001 s"),
        ("0.0000015 ms", "0.000002 ms"),
        ("0.0000001 ms", "0.000001 ms"),
    ] {
        let file = hpl::parse(&format!("globally: no /a within {written}"));
        assert_eq!(file.properties[0].to_string(), format!("globally: no /a within {read}"));
    }
}

#[test]
fn marks_and_addresses_are_no_trouble() {
    let file = hpl::parse(
        "\u{feff}# see http://example.org\n# http://example.org\n# id: a\n# id: b\nglobally: no /a",
    );
    assert_eq!(file.properties[0].id(), Some("a"));
    let troubles: Vec<&str> = file.troubles.iter().map(|trouble| trouble.message.as_str()).collect();
    assert_eq!(troubles, ["this property has an id already"]);
    assert!(hpl::format(&file).contains("# http://example.org\n"));
}

#[test]
fn nesting_and_chains_have_a_limit() {
    let deep = format!("globally: no /a {{{}x{} = 1}}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(hpl::parse(&deep).troubles[0].message, "nested more than 100 deep");
    let minus = format!("globally: no /a {{{}x = 1}}", "-".repeat(100_000));
    assert_eq!(hpl::parse(&minus).troubles[0].message, "nested more than 100 deep");
    let not = format!("globally: no /a {{{}x}}", "not ".repeat(100_000));
    assert_eq!(hpl::parse(&not).troubles[0].message, "nested more than 100 deep");
    let long = format!("globally: no /a {{x{} = 1}}", " + x".repeat(100_000));
    assert_eq!(hpl::parse(&long).troubles[0].message, "more than 400 operators in a row");
    let fields = format!("globally: no /a {{x{} = 1}}", ".x".repeat(100_000));
    // However it is read, nothing overflows.
    let _ = resolve(&hpl::parse(&fields).properties, &AnyChannels);
    let indices = format!("globally: no /a {{x{} = 1}}", "[0]".repeat(100_000));
    assert_eq!(hpl::parse(&indices).troubles[0].message, "too many indices");
    let alternatives = format!("globally: no (/a{})", " or /a {x = 1}".repeat(10_000));
    assert_eq!(hpl::parse(&alternatives).troubles[0].message, "more than 400 alternatives");
    let errors = "globally: no\n".repeat(1000);
    assert_eq!(hpl::parse(&errors).troubles.len(), 50, "so many are enough to go on with");
}

#[test]
fn one_mistake_does_not_hide_the_next() {
    let text =
        "globally: no\nglobally: no /b\nafter: no /c\n\n# id: d\nglobally: some /d within\nuntil /e: no /f";
    let file = hpl::parse(text);
    let read: Vec<String> = file.properties.iter().map(ToString::to_string).collect();
    assert_eq!(read, ["globally: no /b", "until /e: no /f"]);
    let source = Source::new("", text);
    let lines: Vec<usize> = file.troubles.iter().map(|trouble| source.place(trouble.span.start).0).collect();
    assert_eq!(lines.len(), 3, "{:?}", file.troubles);
}

/// Channels with types: `/in {n, xs[], pair[2], flag, word, single, PRESSED}`, `/out` likewise.
fn typed() -> System {
    let mut types = Types::new();
    let array = |length| Type::Array(Box::new(Type::Int { signed: false, bits: 8 }), length);
    types.add(MessageType::new(
        "Thing",
        vec![
            ("n".into(), Type::Int { signed: true, bits: 32 }),
            ("xs".into(), array(None)),
            ("pair".into(), array(Some(2))),
            ("flag".into(), Type::Bool),
            ("word".into(), Type::Text),
            ("single".into(), Type::Float32),
        ],
        vec![("PRESSED".into(), 1.into())],
    ));
    let of = types.named("Thing", None).unwrap();
    System::new("typed", vec![Channel::input("/in", of.clone()), Channel::output("/out", of)])
}

/// What makes no sense with declared types, or never does.
const SENSELESS: &[(&str, &str)] = &[
    ("globally: no /ins", "there is no channel `/ins`"),
    ("globally: no /in {m = 1}", "Thing has no field `m`"),
    ("globally: no /in {n.x = 1}", "an int32 has no fields"),
    ("globally: no /in {n[0] = 1}", "an int32 has no elements"),
    ("globally: no /in {pair[2] = 1}", "there is no element 2: there are 2 elements, from 0"),
    ("globally: no /in {xs[-1] = 1}", "there is no element -1"),
    ("globally: no /in {n}", "this is no condition"),
    ("globally: no /in {not word}", "this is no condition"),
    ("globally: no /in {n = \"a\"}", "an int32 is never text"),
    ("globally: no /in {flag = 1}", "a truth value is never a whole number"),
    ("globally: no /in {flag < True}", "`<` compares numbers"),
    ("globally: no /in {word < \"b\"}", "`<` compares numbers"),
    ("globally: no /in {flag + 1 = 2}", "expected a number"),
    ("globally: no /in {-word = 2}", "expected a number"),
    ("globally: no /in {n in {1, \"a\"}}", "an int32 is never text"),
    ("globally: no /in {n in word}", "expected an array, a set or a range"),
    ("globally: no /in {word in xs}", "expected an array, a set or a range"),
    ("globally: no /in {{1, 2} = 1}", "a set or range is no value"),
    ("globally: no /in {len(n) = 1}", "`len` cannot take an int32"),
    (
        "globally: no /in {exists v in [0 to 10000001]: @v = n}",
        "there is too much in this range to look at each number",
    ),
    ("globally: no /in {sum([0 to 1e17]) = n}", "there is too much in this range to look at each number"),
    ("globally: no /in {sqrt(word) = 1}", "`sqrt` cannot take text"),
    ("globally: no /in {yaw(n, n) = 1}", "`yaw` cannot take an int32, an int32"),
    ("globally: no /in {forall i in xs: forall i in xs: xs[@i] = 1}", "`i` is a variable already"),
    ("globally: no /in {$i = 1}", "there is no variable `i`"),
    ("globally: no /in {@X.n = 1}", "no message before this one is called `X`"),
    ("globally: no /in {@2.n = 1}", "there is no message 2 yet"),
    ("globally: no /in {@0.n = 1}", "there is no message 0 yet"),
    ("globally: /in {n = @2.n} causes /out", "there is no message 2 yet"),
    ("globally: /in {n = @B.n} causes /out as B", "no message before this one is called `B`"),
    ("after /in as A: /in as A causes /out {n = @A.n}", "`A` is another message already"),
    ("after /in as A until /out {n = @2.n}: no /out {n = @A.n}", "there is no message 2 yet"),
    ("after /in until /out {n = @B.n}: no /out as B", "no message before this one is called `B`"),
    ("globally: (/in as A or /out) causes /out {n = @A.n}", "it may be that there is no `A`"),
    ("globally: /in as A causes /out {@A = 1}", "a message as a whole is no value"),
];

#[test]
fn what_makes_no_sense_is_told() {
    let system = typed();
    for (text, message) in SENSELESS {
        let file = hpl::parse(text);
        assert!(file.troubles.is_empty(), "{text}: {:?}", file.troubles);
        let (rules, troubles) = resolve(&file.properties, &system);
        let errors: Vec<&str> =
            troubles.iter().filter(|one| one.is_error()).map(|one| one.message.as_str()).collect();
        assert_eq!((rules.len(), errors.as_slice()), (0, &[*message][..]), "{text}");
    }
}

#[test]
fn hints_say_what_may_be_meant() {
    let system = typed();
    let help = |text: &str| {
        let troubles = resolve(&hpl::parse(text).properties, &system).1;
        troubles.into_iter().find_map(|trouble| trouble.help).unwrap_or_default()
    };
    assert_eq!(help("globally: no /inn"), "is it `/in`?");
    assert_eq!(help("globally: no /in {sinlge > 1}"), "is it `single`?");
    assert_eq!(help("globally: no /in {n = PRESED}"), "is it `PRESSED`?");
    assert_eq!(help("globally: /in as Ask causes /out {n = @Asc.n}"), "is it `Ask`?");
    assert_eq!(help("globally: no /in {zzz > 1}"), "its fields are n, xs, pair, flag, word, single");
}

#[test]
fn what_looks_odd_is_a_warning() {
    let system = typed();
    let warnings = |text: &str| -> Vec<String> {
        let file = hpl::parse(text);
        let (rules, troubles) = resolve(&file.properties, &system);
        assert_eq!(rules.len(), 1, "{troubles:?}");
        assert!(troubles.iter().all(|trouble| !trouble.is_error()));
        troubles.into_iter().map(|trouble| trouble.message).collect()
    };
    assert_eq!(warnings("globally: no /in as A"), ["nobody refers to `A`"]);
    assert_eq!(warnings("globally: no /in as A {@A.n = 1}"), [""; 0]);
    assert_eq!(warnings("globally: no /in {1 = 2}"), ["this is never so"]);
    assert_eq!(warnings("globally: no /in {n = 1 / 0}"), ["this has no value"]);
    assert_eq!(warnings("globally: no /in {n in {}}"), ["nothing is in an empty set"]);
    assert_eq!(warnings("globally: no /in {n in [5 to 1]}"), ["nothing is in this range"]);
    assert_eq!(warnings("globally: no /in {n = PRESSED and single > 1.5}"), [""; 0]);
    assert_eq!(warnings("after /in as A until /out {n = @A.n}: no /out"), [""; 0]);
}

#[test]
fn a_scope_whose_beginning_is_its_end_is_a_warning() {
    // "Warn when p implies q": such a message opens nothing, ever. (Of arrays and of floats that are no numbers, less is known.)
    let mut types = Types::new();
    let fields = vec![("n".into(), Type::Int { signed: true, bits: 32 }), ("flag".into(), Type::Bool)];
    types.add(MessageType::new("Plain", fields, vec![]));
    let of = types.named("Plain", None).unwrap();
    let system = System::new("plain", vec![Channel::input("/in", of.clone()), Channel::output("/out", of)]);
    for text in [
        "after /in until /in: no /out",
        "after /in {n = 1} until /in {n > 0}: no /out",
        "after /in {n > 2 and flag} until (/out or /in {n > 1}): no /out",
    ] {
        let (rules, troubles) = resolve(&hpl::parse(text).properties, &system);
        assert_eq!(rules.len(), 1);
        assert!(troubles.iter().any(|trouble| !trouble.is_error()), "no warning for `{text}`");
    }
}

#[test]
fn ids_are_given_once() {
    let file = hpl::parse(
        "globally: no /a\n# id: p1\nglobally: no /b\n# id: x\nglobally: no /c\n# id: x\nglobally: no /d",
    );
    let (rules, troubles) = resolve(&file.properties, &AnyChannels);
    let ids: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids, ["p1", "x"]);
    let messages: Vec<&str> = troubles.iter().map(|trouble| trouble.message.as_str()).collect();
    assert_eq!(messages, ["two properties are called `p1`", "two properties are called `x`"]);
}
