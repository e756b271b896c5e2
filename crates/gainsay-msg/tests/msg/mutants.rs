//! Mutants that survive: those that could have been found, apart from those that could not.

use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{Apart, Channel, System, told_apart};

fn system(properties: &str) -> System {
    let mut types = Types::new();
    types.add(MessageType::new("Number", vec![("n".into(), Type::Int { signed: true, bits: 16 })], vec![]));
    let of = types.named("Number", None).unwrap();
    let channels = vec![Channel::input("/in", of.clone()), Channel::output("/out", of)];
    System::new("mutants", channels).with_properties(properties).unwrap()
}

/// How the second of two properties is told from the first.
fn apart(one: &str, two: &str) -> &'static str {
    let system = system(&format!("{one}\n{two}"));
    match told_apart(&system, &system.rules[0], &system.rules[1], 300, 1) {
        Apart::By(_) => "by a trace",
        Apart::Implied => "implied",
        Apart::Never => "never",
    }
}

#[test]
fn what_follows_from_a_property_is_no_survivor() {
    let above_5 = "globally: no /out {n > 5}";
    assert_eq!(apart(above_5, "globally: no /out {n > 6}"), "implied");
    assert_eq!(apart(above_5, "globally: no /out {n >= 6}"), "never");
    assert_eq!(apart(above_5, "globally: no /out {n > 4}"), "by a trace");
    assert_eq!(apart(above_5, "globally: no /out {n > 5} within 1 s"), "implied");
    assert_eq!(apart(above_5, "globally: no /out"), "by a trace");
    let answered = "globally: /in as A causes /out {n = @A.n} within 100 ms";
    assert_eq!(apart(answered, "globally: /in as A causes /out {n = @A.n} within 200 ms"), "implied");
    assert_eq!(apart(answered, "globally: /in as A causes /out {n = @A.n} within 99 ms"), "by a trace");
    assert_eq!(apart(answered, "globally: /in causes /out within 100 ms"), "implied");
    assert_eq!(apart(answered, "globally: /in as A causes /out {not n != @A.n} within 100 ms"), "never");
    assert_eq!(apart("after /in: no /out", "globally: no /out"), "by a trace");
    assert_eq!(apart("globally: no /out", "after /in: no /out"), "implied");
}

#[test]
fn the_trace_that_tells_a_mutant_apart_keeps_the_property() {
    let system = system("globally: no /out {n > 5}\nglobally: no /out {n > 4}");
    let Apart::By(trace) = told_apart(&system, &system.rules[0], &system.rules[1], 300, 1) else {
        panic!("they differ in 5");
    };
    let judged = |rule: usize| {
        let lines = gainsay_msg::trace_lines(&system, &system.rules[rule], &trace).unwrap();
        lines.iter().any(|line| line.contains("must not come"))
    };
    assert_eq!((judged(0), judged(1)), (false, true));
}
