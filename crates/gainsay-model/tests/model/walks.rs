//! Random walks: how far they get, how short a failure is made, and when they have tested nothing.

use gainsay_core::{Report, Settings, Verdict, settings};
use gainsay_model::machine::{Finite, Goal, Machine, Method, conformance, implementation, machine};

const DIGITS: u32 = 6;
const LENGTH: u32 = 8;

fn quiet() -> Settings {
    settings().seed(1).without_corpus()
}

/// A lock: each digit but the right one leads to where no digit leads away from.
fn lock() -> impl Machine<State = u32, Input = u32, Output = bool> {
    machine(0, |place: &u32, digit: &u32| {
        let next = if *place < LENGTH && *digit == place * 5 % DIGITS { place + 1 } else { LENGTH + 1 };
        [(next, vec![next == LENGTH])]
    })
}

/// A lock that may forgive one wrong digit, at some place.
fn built(forgives: Option<u32>, goal: Goal<u32>) -> Report {
    let real = implementation(
        || 0u32,
        move |place: &mut u32, digit: &u32| {
            let is_right = *place < LENGTH && *digit == *place * 5 % DIGITS;
            let is_forgiven = Some(*place) == forgives && *digit == 3;
            *place = if is_right || is_forgiven { *place + 1 } else { LENGTH + 1 };
            Some(*place == LENGTH)
        },
    );
    conformance("lock", lock(), real).inputs(0..DIGITS).settings(quiet()).report_until(goal).unwrap()
}

#[test]
fn walks_get_out_of_where_most_inputs_lead() {
    assert!(built(None, Goal::inputs(500_000)).verdict.is_good());
    // It shows only if the last digits come after the wrong one.
    for forgives in [4, 6] {
        let report = built(Some(forgives), Goal::inputs(500_000));
        let found = report.verdict.counterexample().unwrap_or_else(|| panic!("{report}"));
        assert_eq!(found.notes.len(), LENGTH as usize, "{report}");
    }
}

/// From 0, three times `a` leads to where one `b` leads; `x` tells it.
fn detour() -> impl Machine<State = u8, Input = char, Output = u8> {
    machine(0, |state: &u8, input: &char| match (state, input) {
        (0..3, 'a') => [(state + 1, vec![0])],
        (0, 'b') => [(3, vec![0])],
        (3, 'x') => [(0, vec![1])],
        _ => [(*state, vec![0])],
    })
}

#[test]
fn a_failure_is_shortened_by_another_way() {
    let tested = |answer: u8| {
        let real = implementation(
            || 0u8,
            move |state: &mut u8, input: &char| {
                let (next, answer) = match (*state, input) {
                    (0..3, 'a') => (*state + 1, 0),
                    (0, 'b') => (3, 0),
                    (3, 'x') => (0, answer),
                    _ => (*state, 0),
                };
                *state = next;
                Some(answer)
            },
        );
        let mut test = conformance("detour", detour(), real).inputs(['a', 'b', 'x']).settings(quiet());
        test.report_sequences([['a', 'a', 'a', 'x'].as_slice()]).unwrap()
    };
    assert!(tested(1).verdict.is_good());
    let report = tested(2);
    let found = report.verdict.counterexample().unwrap();
    let steps: Vec<&str> = found.notes.iter().map(|note| note.value.as_str()).collect();
    assert_eq!(steps, ["'b' → [0]", "'x' → [2]"], "{report}");
}

/// An implementation that does the same as a machine.
fn same(machine: &Finite<u32, u32, bool>) -> impl gainsay_model::machine::Implementation<u32, bool> + use<> {
    let machine = machine.clone();
    implementation(
        || 0u32,
        move |state: &mut u32, input: &u32| {
            let mut next = gainsay_model::machine::Next::default();
            Machine::step(&machine, state, input, &mut next);
            let way = next.listed().next().map(|(to, outputs)| (*to, outputs.to_vec()));
            way.map(|(to, outputs)| {
                *state = to;
                outputs[0]
            })
        },
    )
}

#[test]
fn every_method_tells_a_lock_from_one_that_forgives() {
    let right = Finite::explore(&lock(), 0..DIGITS, 100).unwrap();
    for method in Method::ALL {
        let mut test = conformance("lock", lock(), same(&right)).inputs(0..DIGITS).settings(quiet());
        let report = test.report_suite(method, 0).unwrap();
        assert!(matches!(report.verdict, Verdict::Proved(_)), "{method}: {report}");
    }
}

/// Only after `a`, `b` is specified; only after both, `c`.
fn stairs() -> impl Machine<State = u8, Input = char, Output = u8> {
    machine(0u8, |state: &u8, input: &char| match (state, input) {
        (0, 'a') => Some((1, vec![0])),
        (1, 'b') => Some((2, vec![1])),
        (2, 'c') => Some((0, vec![2])),
        _ => None,
    })
}

#[test]
fn whoever_was_not_given_all_inputs_was_not_tested() {
    let test = || {
        let real = implementation(|| (), |(): &mut (), input: &char| Some(*input as u8 - b'a'));
        conformance("stairs", stairs(), real).inputs(['a', 'b', 'c']).settings(quiet())
    };
    let short = test().length(2).report_walk().unwrap();
    let Verdict::Vacuous(vacuous) = &short.verdict else { panic!("{short}") };
    assert_eq!(vacuous.never, ["the input 'c' where it is specified"]);
    assert!(test().length(3).report_walk().unwrap().verdict.is_good());
    assert!(test().length(2).settings(quiet().allow_vacuous()).report_walk().unwrap().verdict.is_good());
    // Two inputs do not get there, three do.
    let short = test().report_exhaustive(2).unwrap();
    assert!(matches!(short.verdict, Verdict::Vacuous(_)), "{short}");
    assert!(matches!(test().report_exhaustive(3).unwrap().verdict, Verdict::Proved(_)));
    // Who gives sequences says what is enough.
    let given = test().report_sequences([['a', 'b'].as_slice()]).unwrap();
    assert!(matches!(given.verdict, Verdict::Passed(_)), "{given}");
}

#[test]
fn whoever_was_given_nothing_was_not_tested() {
    let nothing = machine(0u8, |_: &u8, _: &char| None::<(u8, Vec<u8>)>);
    let real = implementation(|| (), |(): &mut (), _: &char| None::<u8>);
    let report = conformance("nothing", nothing, real)
        .draw(|_| 'a')
        .settings(quiet().cases(20))
        .report_walk()
        .unwrap();
    assert!(!report.verdict.is_good(), "{report}");
}

#[test]
fn moore_machines_and_dfas_are_read() {
    // (As AALpy writes them.)
    let moore = Finite::from_dot(
        "digraph m { s0 [label=\"s0|off\", shape=record, style=rounded]; s1 [label=\"s1|on\", shape=record]; \
         s0 -> s1 [label=press]; s1 -> s0 [label=press]; s1 -> s1 [label=\"look/see\"]; __start0 [label=\"\", shape=none]; \
         __start0 -> s0 [label=\"\"]; }",
    );
    assert!(moore.is_err(), "an output beside those of states is a mistake");
    let moore = Finite::from_dot(
        "digraph m { s0 [label=\"s0|off\", shape=record, style=rounded]; s1 [label=\"s1|on\", shape=record]; \
         s0 -> s1 [label=press]; s1 -> s0 [label=press]; s1 -> s1 [label=look]; __start0 [label=\"\", shape=none]; \
         __start0 -> s0 [label=\"\"]; }",
    )
    .unwrap();
    assert_eq!(moore.states(), ["s0", "s1"]);
    assert_eq!(moore.inputs(), ["press", "look"]);
    let answer =
        |state, input| moore.table().step(state, input).map(|(_, answer)| &moore.answers()[answer as usize]);
    assert_eq!(answer(0, 0), Some(&vec!["on".to_string()]));
    assert_eq!(answer(1, 0), Some(&vec!["off".to_string()]));
    assert_eq!(answer(0, 1), None);
    let dfa = Finite::from_dot(
        "digraph d { s0 [label=s0]; s1 [label=s1, shape=doublecircle]; s0 -> s1 [label=a]; s1 -> s0 [label=a]; \
         __start0 [label=\"\", shape=none]; __start0 -> s0 [label=\"\"]; }",
    )
    .unwrap();
    assert_eq!(dfa.answers(), [["true"], ["false"]]);
}
