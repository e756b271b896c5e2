//! Values: what has one, and what is so of them.

use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{
    AnyChannels, Channel, Channels, Message, Monitors, System, Value, hpl, json_value, message, resolve,
};

/// Whether a condition is so of a message.
#[track_caller]
fn is_so_of(channels: &dyn Channels, condition: &str, value: Value) -> bool {
    let file = hpl::parse(&format!("globally: no /a {{{condition}}}"));
    assert!(file.troubles.is_empty(), "{condition}: {:?}", file.troubles);
    let (rules, troubles) = resolve(&file.properties, channels);
    assert!(troubles.iter().all(|trouble| !trouble.is_error()), "{condition}: {troubles:?}");
    let mut monitors = Monitors::new(rules);
    monitors.see(Message::at_ms(1, "/a", value)).unwrap();
    !monitors.judged()[0].violations.is_empty()
}

/// Each condition with whether it is so.
#[track_caller]
fn check(value: &str, conditions: &[(&str, bool)]) {
    for (condition, wanted) in conditions {
        let value = json_value(value).unwrap();
        assert_eq!(is_so_of(&AnyChannels, condition, value), *wanted, "{condition}");
    }
}

#[test]
fn what_has_no_value_makes_relations_false_and_their_opposite_true() {
    check(
        r#"{"n": 3, "xs": [1, 2], "gone": null}"#,
        &[
            // A field that is missing, or says nothing.
            ("m = 1", false),
            ("m != 1", false),
            ("not m = 1", true),
            ("not m != 1", true),
            ("m = m", false),
            ("gone = 1 or gone != 1", false),
            ("m in {1, 2}", false),
            ("not m in {1, 2}", true),
            ("m", false),
            ("not m", true),
            ("n.x = 1", false),
            ("m.x.y < 1", false),
            // An index out of range.
            ("xs[2] >= 0", false),
            ("not xs[2] >= 0", true),
            ("xs[1] = 2", true),
            ("xs[n - 2] = 2", true),
            ("xs[0.5] = 1", false),
            // Division by zero, and what is out of the domain.
            ("1 / (n - 3) = 0", false),
            ("not 1 / (n - 3) = 0", true),
            ("0 / (n - 3.0) != 1", false),
            ("sqrt(n - 4) >= 0 or sqrt(n - 4) < 0", false),
            ("log(n - 3) < 0", false),
            ("log(n - 4) < 0", false),
            ("asin(n) = 1", false),
            // Overflow.
            ("170141183460469231731687303715884105727 + n > 0", false),
            ("not 170141183460469231731687303715884105727 + n > 0", true),
            ("10 ** (10 * n) > 0", true),
            ("10 ** (20 * n) > 0", false),
            ("170141183460469231731687303715884105727 * 1.0 + n > 0", true),
            // And, or, implies, iff of these are as usual.
            ("m = 1 implies n = 4", true),
            ("m = 1 iff n = 4", true),
            ("n = 3 and not m = 1", true),
        ],
    );
}

#[test]
fn quantifiers_over_arrays_go_over_indices() {
    check(
        r#"{"xs": [5, 6, 7], "none": [], "n": 1, "points": [{"x": 1}, {"x": 2}], "p": {"a": [1, 2]}, "q": {"a": [2, 3]}}"#,
        &[
            ("forall i in xs: xs[@i] > 4", true),
            ("forall i in xs: xs[$i] > 5", false),
            ("exists i in xs: xs[@i] = 7", true),
            ("exists i in xs: @i = 7", false),
            ("forall i in xs: @i < 3", true),
            ("forall i in none: False", true),
            ("exists i in none: True", false),
            ("forall i in missing: True", false),
            ("exists i in missing: True", false),
            ("not forall i in missing: True", true),
            ("forall i in n: True", false),
            ("forall i in {5, 6}: @i in xs", true),
            ("exists i in {1, n, missing}: @i = 1", true),
            // What is said of each element is said of one without value as well.
            ("forall i in {1, missing}: @i = 1", false),
            ("forall i in {1, missing}: not @i = 2", true),
            ("exists i in {missing}: not @i = 1", true),
            ("exists i in {missing}: @i = @i", false),
            ("forall i in [5 to 7]: @i in xs", true),
            ("forall i in ![4 to 8]!: @i in xs", true),
            ("forall i in [5 to 8]: @i in xs", false),
            ("forall i in [4.5 to 7.5]: @i in xs", true),
            ("forall i in [1 to 0]: False", true),
            ("exists i in [1 to 0]: True", false),
            ("forall i in [0 to missing]: True", false),
            ("forall i in points: points[@i].x = @i + 1", true),
            ("forall i in xs: exists j in xs: xs[@j] = 12 - xs[@i]", true),
            ("exists i in [0 to 1]: xs[@i + 1] = 7", true),
            // Variables that are records or arrays themselves.
            ("exists r in {p, q}: exists j in @r.a: @r.a[@j] = 3", true),
            ("exists r in {p, q}: exists j in @r.a: @r.a[@j] = 4", false),
            ("forall r in {p, q}: exists j in @r.a: @r.a[@j] = 2", true),
            ("exists l in {xs, none}: @l[2] = 7", true),
            ("exists l in {xs, none}: @l[0] = 7", false),
            ("6 in xs", true),
            ("8 in xs", false),
            ("6 in missing", false),
            ("6 in none", false),
        ],
    );
}

#[test]
fn of_a_message_that_is_of_one_type_or_another_the_common_fields_are_known() {
    let mut types = Types::new();
    let dist = || ("dist".to_string(), Type::Float32);
    types.add(MessageType::new("One", vec![dist()], vec![]));
    types.add(MessageType::new("Two", vec![dist(), ("extra".into(), Type::Bool)], vec![]));
    let of = |name: &str| types.named(name, None).unwrap();
    let channels = vec![
        Channel::input("/one", of("One")),
        Channel::input("/two", of("Two")),
        Channel::output("/o", of("One")),
    ];
    let system = System::new("either", channels);
    let resolved = |condition: &str| {
        let text = format!("globally: (/one as A or /two as A) forbids /o {{{condition}}}");
        resolve(&hpl::parse(&text).properties, &system)
    };
    // A literal is rounded as their fields are.
    let (rules, troubles) = resolved("@A.dist = 0.1");
    assert!(troubles.is_empty(), "{troubles:?}");
    let mut monitors = Monitors::new(rules);
    let tenth = || message([("dist", Value::Float(f64::from(0.1f32)))]);
    monitors.see(Message::at_ms(1, "/one", tenth())).unwrap();
    monitors.see(Message::at_ms(2, "/o", tenth())).unwrap();
    assert_eq!(monitors.judged()[0].violations.len(), 1);
    // What one of them has may be spoken of, what none has may not.
    assert!(resolved("@A.extra").1.is_empty());
    assert_eq!(resolved("@A.nosuch = 1").1[0].message, "One or Two has no field `nosuch`");
    assert_eq!(resolved("@A.dist = \"x\"").1[0].message, "a float32 is never text");
}

#[test]
fn whole_numbers_of_more_than_64_bits_are_exact() {
    check(
        r#"{"n": 18446744073709551616, "deep": [{"m": -170141183460469231731687303715884105728, "n": 1}, 1e30, "9"], "f": 1e19, "again": 1, "again": 2}"#,
        &[
            ("n = 18446744073709551616", true),
            ("n = 18446744073709551617", false),
            ("n + 1 = 18446744073709551617", true),
            ("n > 18446744073709551615", true),
            ("deep[0].m < -170141183460469231731687303715884105727", true),
            ("deep[0].n = 1", true),
            ("deep[1] = 1e30", true),
            ("deep[2] = \"9\"", true),
            ("f = 10000000000000000000", true),
            ("again = 2", true),
        ],
    );
    let line = r#"{"at_ms":1,"channel":"/a","msg":{"n":-9223372036854775809,"x":0.5}}"#;
    assert_eq!(Message::from_json(line).unwrap().to_json(), line);
}

#[test]
fn whole_numbers_are_exact_and_floats_are_compared_by_their_exact_value() {
    check(
        r#"{"n": 9007199254740993, "f": 9007199254740992.0, "u": 18446744073709551615, "half": 0.5, "tenth": 0.1}"#,
        &[
            ("n = 9007199254740993", true),
            ("n = 9007199254740992", false),
            ("f = 9007199254740992", true),
            ("n = f", false),
            ("n > f", true),
            ("f < n", true),
            ("n != f", true),
            ("n >= f and not n <= f", true),
            ("n - 1 = f", true),
            // One float makes the operation one of floats.
            ("n * 1.0 = f", true),
            ("n in {9007199254740992.0}", false),
            ("u = 18446744073709551615", true),
            ("u + 1 = 18446744073709551616", true),
            ("u * u * u > 0", false),
            // Division is that of reals.
            ("1 / 2 = half", true),
            ("7 / 2 = 3", false),
            ("6 / 2 = 3", true),
            ("2 ** 3 = 8 and 2 ** -1 = half", true),
            ("tenth + 0.2 = 0.3", false),
            ("tenth + 0.2 > 0.3", true),
            ("tenth = 0.1", true),
            ("tenth = 1 / 10", true),
            ("half = 5e-1", true),
        ],
    );
}

#[test]
fn what_is_no_number_is_only_unequal() {
    let check = |value: f64, conditions: &[(&str, bool)]| {
        for (condition, wanted) in conditions {
            let said = is_so_of(&AnyChannels, condition, message([("x", value.into()), ("n", 1.into())]));
            assert_eq!(said, *wanted, "{condition} of {value}");
        }
    };
    check(
        f64::NAN,
        &[
            ("x = x", false),
            ("x != x", true),
            ("not x = x", true),
            ("x < 1 or x >= 1", false),
            ("x != NAN", true),
            ("x = NAN", false),
            ("x in {NAN, 1}", false),
            ("x in [-INF to INF]", false),
            ("x + 1 != x", true),
            ("abs(x) > 0", false),
            ("sqrt(x) != 0", true),
        ],
    );
    check(
        f64::INFINITY,
        &[
            ("x = INF", true),
            ("x > 1e308", true),
            ("-x < n", true),
            ("x in ![0 to INF]", true),
            ("x in [0 to INF]!", false),
        ],
    );
    check(-0.0, &[("x = 0", true), ("x = 0.0", true), ("x < 0", false), ("1 / x = 1", false)]);
}

#[test]
fn truth_values_and_text_are_no_numbers() {
    check(
        r#"{"yes": true, "no_": false, "one": 1, "word": "one", "digit": "1"}"#,
        &[
            ("yes", true),
            ("no_", false),
            ("yes = True", true),
            ("yes != no_", true),
            ("yes = one", false),
            ("yes != one", true),
            ("one", false),
            ("not one", true),
            ("yes > no_", false),
            ("yes + 1 = 2", false),
            ("no_ in [0 to 1]", false),
            ("yes in {True}", true),
            ("word = \"one\"", true),
            ("word != 'One'", true),
            ("word in {\"one\", \"two\"}", true),
            ("word < digit", false),
            ("digit = one", false),
            ("digit + 1 = 2", false),
            ("(one = 1) = yes", true),
            ("yes iff one = 1", true),
        ],
    );
}

#[test]
fn functions_say_what_they_are_called() {
    check(
        r#"{"xs": [4, -2, 1], "none": [], "f": -2.5, "word": "four", "yes": true, "q": {"x": 0, "y": 0, "z": 0.7071067811865476, "w": 0.7071067811865476}}"#,
        &[
            ("abs(f) = 2.5 and abs(xs[1]) = 2", true),
            ("len(xs) = 3 and len(none) = 0 and len(word) = 4", true),
            ("len(missing) = 0", false),
            ("sum(xs) = 3 and prod(xs) = -8", true),
            ("sum(none) = 0 and prod(none) = 1", true),
            ("min(xs) = -2 and max(xs) = 4 and max(1, 9, f) = 9", true),
            ("max(none) = 0 or max(none) != 0", false),
            ("sum({1, 2, xs[0]}) = 7 and sum([1 to 4]) = 10", true),
            ("sum(word) = 0", false),
            ("sqrt(xs[0]) = 2 and ceil(f) = -2 and floor(f) = -3", true),
            ("log(E) = 1 and log(8, 2) = 3", true),
            ("sin(0) = 0 and cos(0) = 1 and tan(0) = 0 and atan2(0, 1) = 0", true),
            ("deg(PI) = 180 and rad(180) = PI", true),
            ("gcd(12, 18) = 6 and gcd(-4, 6) = 2", true),
            ("gcd(f, 2) = 1", false),
            ("int(f) = -2 and int(2.9) = 2", true),
            ("float(1) = 1.0 and str(1) = \"1\"", true),
            ("bool(1) and not bool(0)", true),
            ("abs(yaw(q) - PI / 2) < 1e-9 and abs(roll(q)) < 1e-9 and abs(pitch(q)) < 1e-9", true),
            ("yaw(xs) = 0", false),
            ("abs(-170141183460469231731687303715884105727 - 1) > 0", false),
        ],
    );
}

#[test]
fn literals_beside_floats_of_single_precision_are_of_single_precision() {
    let mut types = Types::new();
    let fields = vec![("single".into(), Type::Float32), ("double".into(), Type::Float64)];
    types.add(MessageType::new("Floats", fields, vec![]));
    let system = System::new("floats", vec![Channel::input("/a", types.named("Floats", None).unwrap())]);
    let tenth = || message([("single", f64::from(0.1f32).into()), ("double", 0.1.into())]);
    for (condition, wanted) in [
        ("single = 0.1", true),
        ("single > 0.1", false),
        ("0.1 = single", true),
        ("single in {0.1, 0.2}", true),
        ("single in [0.1 to 0.2]", true),
        ("abs(single) = 0.1", true),
        ("double = 0.1", true),
        ("single = double", false),
        ("single > double", true),
    ] {
        assert_eq!(is_so_of(&system, condition, tenth()), wanted, "{condition}");
    }
    // Without types, all floats are as they are.
    assert!(!is_so_of(&AnyChannels, "single = 0.1", tenth()));
    let large = message([("single", f64::from(16_777_217i32 as f32).into()), ("double", 0.0.into())]);
    assert!(is_so_of(&system, "single = 16777217", large));
}

#[test]
fn equal_keys_find_each_other_however_they_are_written() {
    // Messages are looked up by what they must equal.
    let file = hpl::parse("globally: /a as A causes /b {k = @A.k} within 10 ms");
    let (rules, _) = resolve(&file.properties, &AnyChannels);
    let answered = |asked: Value, answer: Value| {
        let mut monitors = Monitors::new(rules.clone());
        monitors.see(Message::at_ms(0, "/a", message([("k", asked)]))).unwrap();
        monitors.see(Message::at_ms(1, "/b", message([("k", answer)]))).unwrap();
        monitors.pass_to(20_000_000).unwrap();
        monitors.judged()[0].violations.is_empty()
    };
    assert!(answered(1.into(), 1.0.into()));
    assert!(answered(0.0.into(), (-0.0).into()));
    assert!(!answered((1i64 << 53).into(), ((1i64 << 53) + 1).into()));
    assert!(!answered(((1i64 << 53) + 1).into(), ((1i64 << 53) as f64).into()));
    assert!(answered(2f64.powi(100).into(), (1i128 << 100).into()));
    assert!(!answered(f64::NAN.into(), f64::NAN.into()));
    assert!(!answered(1.into(), true.into()));
    assert!(!answered("1".into(), 1.into()));
    assert!(answered(vec![1, 2].into(), vec![1.0, 2.0].into()));
    assert!(!answered(vec![1, 2].into(), vec![2, 1].into()));
    assert!(answered(
        message([("x", 1.into()), ("y", 2.into())]),
        message([("y", 2.0.into()), ("x", 1.into())])
    ));
    assert!(!answered(Value::Null, Value::Null));
}
