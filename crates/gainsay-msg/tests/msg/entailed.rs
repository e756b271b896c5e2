//! Warnings of activators that are also the end: those of many conditions, held against all messages of a sample.

use gainsay_core::Case;
use gainsay_msg::{AnyChannels, Message, Monitors, Rule, Value, hpl, message, resolve};

/// Whether it is told that a scope never opens, and the rule.
fn told(activator: &str, terminator: &str) -> (bool, Vec<Rule>) {
    let text = format!("after /p {{{activator}}} until /p {{{terminator}}}: no /b");
    let file = hpl::parse(&text);
    assert!(file.troubles.is_empty(), "{text}: {:?}", file.troubles);
    let (rules, troubles) = resolve(&file.properties, &AnyChannels);
    assert!(!troubles.iter().any(|trouble| trouble.is_error()), "{text}: {troubles:?}");
    (troubles.iter().any(|trouble| trouble.message.starts_with("this opens no scope")), rules)
}

#[test]
fn quantifiers_and_magnitudes_that_are_also_the_end_are_told() {
    for (activator, terminator) in [
        ("abs(x) > 5", "abs(x) > 3"),
        ("x > 5", "abs(x) > 3"),
        ("x < -5", "abs(x) >= 5"),
        ("abs(x) < 3", "x < 4 and x > -4"),
        ("abs(x) < 3", "x in [-3 to 3]"),
        ("x in [-1 to 1]", "abs(x) <= 1"),
        ("x >= -1 and x <= 1", "abs(x) < 2"),
        ("abs(x) > 5", "x > 4 or x < -4"),
        ("abs(x) > 5 and x > 0", "x > 5"),
        ("x = -3", "abs(x) = 3"),
        ("abs(v[0]) > 2 and y", "abs(v[0]) > 1"),
        ("-x > 3", "x < -2"),
        ("not abs(x) > 3", "not abs(x) > 5"),
        ("not (x > 3 and y > 3)", "not x > 3 or not y > 3"),
        ("a implies b", "not a or b"),
        ("(a implies b) and a", "b"),
        ("x < y", "y > x"),
        ("x < y", "x != y"),
        ("forall i in v: v[@i] > 2", "forall i in v: v[@i] > 1"),
        ("exists i in v: v[@i] > 2", "exists j in v: v[@j] >= 2"),
        ("forall i in v: (v[@i] > 2 and v[@i] < 5)", "forall i in v: abs(v[@i]) < 6"),
        ("forall i in v: abs(v[@i]) < 1", "forall i in v: v[@i] < 1"),
        ("forall i in [0 to 3]: v[@i] > 2", "forall i in [1 to 2]: v[@i] > 1"),
        ("exists i in {1, 2}: v[@i] > 2", "exists i in {0, 1, 2}: v[@i] > 2"),
        ("forall i in {0, 1}: v[@i] > 2", "exists i in {0, 1}: v[@i] > 1"),
        ("v[1] > 2", "exists i in v: v[@i] > 0"),
        ("forall i in v: exists j in w: v[@i] > w[@j]", "forall i in v: exists j in w: w[@j] < v[@i]"),
        ("not exists i in v: v[@i] > 1", "not exists i in v: v[@i] > 2"),
        ("x > 5 and (forall i in v: v[@i] > 2)", "x > 3 and (forall i in v: v[@i] > 1)"),
    ] {
        assert!(told(activator, terminator).0, "{activator} is also {terminator}");
    }
    for (activator, terminator) in [
        ("abs(x) > 3", "abs(x) > 5"),
        ("abs(x) > 3", "x > 3"),
        ("x < 3", "abs(x) < 3"),
        ("abs(x) > -1", "x > -1"),
        // Text is not unequal in its magnitude, which it has not.
        ("x != 3 and x != -3", "abs(x) != 3"),
        // There may be no elements, and no array.
        ("forall i in v: v[@i] > 2", "exists i in v: v[@i] > 1"),
        ("forall i in v: v[@i] > 2", "v[0] > 2"),
        ("x > 3", "exists i in v: x > 2"),
        ("not (forall i in v: v[@i] > 2)", "exists i in v: not v[@i] > 2"),
        ("exists i in v: v[@i] > 2", "forall i in v: v[@i] > 2"),
        ("forall i in [1 to 2]: v[@i] > 2", "forall i in [0 to 2]: v[@i] > 2"),
        ("exists i in {0, 1}: v[@i] > 2", "exists i in {1, 2}: v[@i] > 2"),
        ("x <= y", "x < y"),
        ("x = y", "x <= y"),
    ] {
        assert!(!told(activator, terminator).0, "{activator} need not be {terminator}");
    }
}

fn pick<'a>(case: &mut Case, of: &[&'a str]) -> &'a str {
    of[case.index(of.len())]
}

/// A random condition over the fields `x`, `y` and `v`.
fn condition(case: &mut Case, depth: u32) -> String {
    if depth > 0 && case.index(2) == 0 {
        let (one, two) = (condition(case, depth - 1), condition(case, depth - 1));
        return match case.index(4) {
            0 => format!("not ({one})"),
            1 => format!("(({one}) or ({two}))"),
            _ => format!("(({one}) and ({two}))"),
        };
    }
    let relation = pick(case, &["<", "<=", ">", ">=", "=", "!="]);
    let number = pick(case, &["-2", "-1", "0", "1", "1.5", "2"]);
    let quantifier = pick(case, &["forall i in", "exists i in"]);
    let domain = pick(case, &["v", "v", "[0 to 1]", "[0 to 2]", "{0, 1}"]);
    let field = pick(case, &["x", "x", "y", "v[0]"]);
    match case.index(8) {
        0 | 1 => format!("{field} {relation} {number}"),
        2 => format!("abs({field}) {relation} {number}"),
        3 => format!("-{field} {relation} {number}"),
        4 => format!("{number} {relation} {field}"),
        5 => format!("x {relation} y"),
        6 => format!("({quantifier} {domain}: v[@i] {relation} {number})"),
        _ => format!("({quantifier} {domain}: abs(v[@i]) {relation} {number})"),
    }
}

/// Messages with all kinds of values, or none.
fn sample() -> Vec<Value> {
    let float = |value: f64| Value::Float(value);
    let plain: Vec<Option<Value>> = vec![
        None,
        Some(Value::Int(-3)),
        Some(Value::Int(-1)),
        Some(Value::Int(0)),
        Some(Value::Int(2)),
        Some(float(1.5)),
        Some(float(f64::NAN)),
        Some(Value::Text("1".into())),
        Some(Value::Bool(true)),
    ];
    let list = |items: &[f64]| Some(Value::List(items.iter().copied().map(float).collect()));
    let lists =
        [None, list(&[]), list(&[1.0]), list(&[-2.0, 1.5]), list(&[0.0, 2.0, -1.0]), list(&[f64::NAN, 3.0])];
    let mut all = Vec::new();
    for x in &plain {
        for y in [&plain[0], &plain[2], &plain[4], &plain[7]] {
            for v in &lists {
                let fields = [("x", x), ("y", y), ("v", v)];
                let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
                all.push(message(fields));
            }
        }
    }
    all
}

#[test]
fn no_scope_opens_where_it_is_told_that_none_does() {
    let messages = sample();
    let (mut warned, mut found) = (0, 0);
    for seed in 0..6000 {
        let mut case = Case::random(seed, 30);
        let activator = condition(&mut case, 1);
        let terminator = condition(&mut case, 1);
        // (Most random conditions have nothing to do with each other.)
        let terminator = if seed % 2 == 0 { format!("({activator}) or ({terminator})") } else { terminator };
        let (is_told, rules) = told(&activator, &terminator);
        let mut monitors = Monitors::new(rules);
        for (place, value) in messages.iter().enumerate() {
            monitors.see(Message::at_ms(place as u64, "/p", value.clone())).unwrap();
        }
        let opened = monitors.judged()[0].exercise.scopes;
        assert!(!is_told || opened == 0, "seed {seed}: {activator} is not always {terminator}");
        warned += u32::from(is_told);
        found += u32::from(opened == 0);
    }
    assert!(warned > 3000, "only {warned} of {found} were told");
}
