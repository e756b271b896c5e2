//! Machines: implementations tested by what they must answer.

use crate::support::{assert_contains, found, seeded};
use gainsay::machine::{
    Conformance, Finite, Machine, Method, Next, Relation, Stopped, conformance, implementation, machine,
    stepwise,
};
use gainsay::{Settings, Verdict};
use std::cell::Cell;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum In {
    Up,
    Down,
    Get,
}

const INPUTS: [In; 3] = [In::Up, In::Down, In::Get];

/// Counts from zero to a most, and tells the count.
fn counter(most: u32) -> impl Machine<State = u32, Input = In, Output = u32> {
    machine(0, move |count: &u32, input: &In| match input {
        In::Up => [((count + 1).min(most), vec![])],
        In::Down => [(count.saturating_sub(1), vec![])],
        In::Get => [(*count, vec![*count])],
    })
}

fn settings() -> Settings {
    seeded(1).cases(200)
}

/// The same as it may be built, with something wrong at a count.
fn built(most: u32, wrong: Option<u32>) -> Conformance<impl Machine<State = u32, Input = In, Output = u32>> {
    let real = implementation(
        || 0u32,
        move |count: &mut u32, input: &In| {
            match input {
                In::Up => *count = (*count + 1).min(most),
                In::Down if Some(*count) == wrong => {}
                In::Down => *count = count.saturating_sub(1),
                In::Get => return Some(*count),
            }
            None
        },
    );
    conformance("counter", counter(most), real).inputs(INPUTS).settings(settings())
}

#[test]
fn what_is_right_is_proved_with_what_is_assumed() {
    let report = built(3, None).report().unwrap();
    let told = report.to_string();
    assert!(matches!(report.verdict, Verdict::Proved(_)), "{told}");
    assert_contains(&told, "proved up to 5 states");
    assert_contains(&told, "the implementation has at most 5 states, when minimised");
    assert_contains(&told, "it answers alike whenever it is asked alike; it starts anew when it is told to");
    assert_contains(&told, "random walks as well: passed");
}

#[test]
fn what_is_wrong_is_shrunk_to_the_shortest_inputs() {
    let verdict = built(3, Some(2)).verdict();
    let told = verdict.to_string();
    let steps: Vec<&str> = found(&verdict).notes.iter().map(|note| note.value.as_str()).collect();
    assert_eq!(steps, ["Up → []", "Up → []", "Down → []", "Get → [2]"], "{told}");
    assert_contains(&told, "Get was answered with [2]\n  in state 1: expected [1]");
}

#[test]
fn each_way_to_test_finds_it_alone() {
    type Way = fn(&mut Conformance<Box<dyn Machine<State = u32, Input = In, Output = u32>>>) -> Verdict;
    let ways: [(&str, Way); 7] = [
        ("walk", |test| test.report_walk().unwrap().verdict),
        ("W", |test| test.report_suite(Method::W, 0).unwrap().verdict),
        ("Wp", |test| test.report_suite(Method::Wp, 0).unwrap().verdict),
        ("HSI", |test| test.report_suite(Method::Hsi, 0).unwrap().verdict),
        ("H", |test| test.report_suite(Method::H, 0).unwrap().verdict),
        ("SPYH", |test| test.report_suite(Method::Spyh, 0).unwrap().verdict),
        ("all", |test| test.report_exhaustive(5).unwrap().verdict),
    ];
    for (name, way) in ways {
        for wrong in [None, Some(2)] {
            let real = implementation(
                || 0u32,
                move |count: &mut u32, input: &In| {
                    match input {
                        In::Up => *count = (*count + 1).min(3),
                        In::Down if Some(*count) == wrong => {}
                        In::Down => *count = count.saturating_sub(1),
                        In::Get => return Some(*count),
                    }
                    None
                },
            );
            let specification: Box<dyn Machine<State = u32, Input = In, Output = u32>> = Box::new(counter(3));
            let mut test = conformance("counter", specification, real).inputs(INPUTS).settings(settings());
            let verdict = way(&mut test);
            assert_eq!(verdict.is_good(), wrong.is_none(), "{name}: {verdict}");
            if wrong.is_some() {
                assert_eq!(found(&verdict).notes.len(), 4, "{name}: {verdict}");
            }
        }
    }
}

#[test]
fn a_tour_proves_nothing() {
    let report = built(3, None).report_tour().unwrap();
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{report}");
}

#[test]
fn given_sequences_are_tried_and_must_be_of_the_inputs() {
    let deep = [In::Up, In::Up, In::Up, In::Down, In::Down, In::Get];
    let verdict = built(3, Some(2)).report_sequences([deep.as_slice()]).unwrap().verdict;
    assert_eq!(found(&verdict).notes.len(), 4);
    let mut few = built(3, None).inputs([In::Up]);
    let told = few.report_sequences([deep.as_slice()]).unwrap_err().to_string();
    assert_contains(&told, "Down is not among the inputs of `counter`");
}

#[test]
fn forecasts_say_how_long_a_suite_is() {
    let (tests, steps) = built(3, None).forecast(Method::Wp, 0).unwrap();
    let (more_tests, more_steps) = built(3, None).forecast(Method::Wp, 1).unwrap();
    assert!(tests < more_tests && steps < more_steps && tests < steps);
}

/// A coin that may fall either way, told later.
fn coin() -> impl Machine<State = Option<bool>, Input = bool, Output = &'static str> {
    machine(None, |fallen: &Option<bool>, throw: &bool| match (fallen, throw) {
        (_, true) => vec![(Some(false), vec![]), (Some(true), vec![])],
        (Some(side), false) => vec![(None, vec![if *side { "heads" } else { "tails" }])],
        (None, false) => vec![],
    })
}

#[test]
fn all_states_that_a_specification_may_be_in_are_known() {
    let fair = |told: &'static [&'static str]| {
        let throws = Cell::new(0);
        implementation(
            || (),
            move |(): &mut (), throw: &bool| {
                throws.set(throws.get() + 1);
                (!throw).then(|| told[throws.get() % told.len()])
            },
        )
    };
    let test = |told| conformance("coin", coin(), fair(told)).inputs([true, false]).settings(settings());
    assert!(test(&["heads", "tails"]).verdict().is_good());
    let verdict = test(&["heads", "edge"]).verdict();
    let told = verdict.to_string();
    // It comes and goes, and is wrong when it comes.
    assert!(matches!(verdict, Verdict::Falsified(_)), "{told}");
    assert_contains(&told, "false was answered with [\"edge\"]");
    assert_contains(&told, "in state Some(false): expected [\"tails\"]");
    assert_contains(&told, "in state Some(true): expected [\"heads\"]");
}

/// After a nondeterministic step, an input is specified in one of two states.
fn half() -> impl Machine<State = u8, Input = char, Output = u8> {
    machine(0, |state: &u8, input: &char| match (state, input) {
        (0, 'a') => vec![(1, vec![]), (2, vec![])],
        (1, 'b') => vec![(0, vec![1])],
        _ => vec![],
    })
}

#[test]
fn what_is_specified_in_some_states_only_is_tested_on_request() {
    let odd = || implementation(|| (), |(): &mut (), input: &char| (*input == 'b').then_some(7u8));
    let test = || conformance("half", half(), odd()).inputs(['a', 'b']).settings(settings());
    // (An input that is never given where it is specified is not tested.)
    let verdict = test().verdict();
    assert!(matches!(verdict, Verdict::Vacuous(_)), "{verdict}");
    assert_contains(&verdict.to_string(), "never met the input 'b' where it is specified");
    assert!(test().settings(settings().allow_vacuous()).verdict().is_good());
    let verdict = test().relation(Relation::Ioco).verdict();
    assert_contains(&verdict.to_string(), "in state 2: nothing is specified");
}

#[test]
fn outputs_may_be_judged_instead_of_listed() {
    let any_even = || {
        stepwise(0u32, |least: &u32, _: &(), next: &mut Next<u32, u32>| {
            let least = *least;
            next.judge(move |outputs| match outputs {
                [n] if n % 2 == 0 && *n >= least => vec![*n],
                _ => vec![],
            });
        })
    };
    let counting = |by| {
        implementation(
            || 0u32,
            move |n: &mut u32, (): &()| {
                *n += by;
                [*n]
            },
        )
    };
    let test = |by| conformance("even", any_even(), counting(by)).inputs([()]).settings(settings());
    assert!(test(2).verdict().is_good());
    let verdict = test(3).verdict();
    assert_contains(&verdict.to_string(), "() was answered with [3]\n  in state 0: that is refused");
    let told = test(2).report_suite(Method::H, 0).unwrap_err().to_string();
    assert_contains(&told, "are judged, not listed: a machine like that can be tested on the fly only");
}

#[test]
fn whoever_panics_or_does_not_start_is_told() {
    let panics = implementation(
        || 0,
        |n: &mut i32, _: &In| {
            *n += 1;
            assert!(*n < 3, "too often");
            (*n > 100).then_some(0u32)
        },
    );
    let silent = machine(0, |_: &u8, _: &In| [(0, Vec::<u32>::new())]);
    let verdict = conformance("panics", silent, panics).inputs(INPUTS).settings(settings()).verdict();
    assert_contains(&verdict.to_string(), "too often");
    assert_eq!(found(&verdict).notes.len(), 3);

    struct Absent;
    impl gainsay::machine::Implementation<In, u32> for Absent {
        fn reset(&mut self) -> Result<(), Stopped> {
            Err(Stopped::Untestable("there is no such server".into()))
        }
        fn step(&mut self, _: &In, _: &mut Vec<u32>) -> Result<(), Stopped> {
            Ok(())
        }
    }
    let told = conformance("absent", counter(1), Absent).inputs(INPUTS).settings(settings()).report();
    assert_contains(&told.unwrap_err().to_string(), "absent cannot be tested: there is no such server");
}

#[test]
fn whoever_answers_now_so_and_now_so_is_flaky() {
    let turns = std::rc::Rc::new(Cell::new(0));
    let moody = implementation(
        || (),
        move |(): &mut (), input: &In| {
            turns.set(turns.get() + 1);
            (*input == In::Get).then_some(u32::from(turns.get() % 7 == 0))
        },
    );
    let zero = machine(0, |_: &u8, input: &In| [(0, if *input == In::Get { vec![0u32] } else { vec![] })]);
    let verdict = conformance("moody", zero, moody).inputs(INPUTS).settings(settings()).verdict();
    assert!(matches!(verdict, Verdict::Flaky(_)), "{verdict}");
}

#[test]
fn bad_specifications_are_refused_by_name() {
    let told = conformance("nothing", counter(1), implementation(|| (), |(): &mut (), _: &In| [0u32]))
        .settings(settings())
        .report()
        .unwrap_err()
        .to_string();
    assert_contains(&told, "nobody has said which inputs `nothing` is tested with");
    let told = Finite::explore(&coin(), [true, false], 100).unwrap_err().to_string();
    assert_contains(&told, "the machine is not deterministic: in state None, true leads to");
    let endless = machine(0u64, |n: &u64, (): &()| [(n + 1, vec![*n])]);
    let told = Finite::explore(&endless, [()], 100).unwrap_err().to_string();
    assert_contains(&told, "the machine has more than 100 states (one of them is 100)");
}

#[test]
fn finite_machines_are_minimised_and_compared() {
    // Counts modulo six, and tells whether that is even.
    let parity = |modulus: u32, wrong: u32| {
        let parity = machine(0, move |n: &u32, (): &()| {
            let answer = n.is_multiple_of(2) || *n == wrong;
            [((n + 1) % modulus, vec![answer])]
        });
        Finite::explore(&parity, [()], 100).unwrap()
    };
    let six = parity(6, 99);
    assert_eq!((six.states().len(), six.minimised().states().len()), (6, 2));
    assert_eq!(six.difference(&six.minimised()), None);
    assert_eq!(six.difference(&parity(2, 99)), None);
    assert_eq!(six.difference(&parity(4, 3)), Some(vec![(); 4]));
}

#[test]
fn inputs_that_are_listed_twice_are_given_all_the_same() {
    let twice = |input: &In| if *input == In::Get { Some(77u32) } else { None };
    let silent = machine(0u32, |_: &u32, input: &In| [(0, if *input == In::Get { vec![1] } else { vec![] })]);
    let real = implementation(|| (), move |(): &mut (), input: &In| twice(input));
    let mut tested =
        conformance("twice", silent, real).inputs([In::Up, In::Up, In::Get]).settings(settings());
    for method in Method::ALL {
        let verdict = tested.report_suite(method, 0).unwrap().verdict;
        assert!(verdict.counterexample().is_some(), "{method}: {verdict}");
    }
}

#[test]
fn whoever_may_choose_is_not_proved_by_all_sequences() {
    let coin = machine((), |(): &(), (): &()| [((), vec![0u32]), ((), vec![1])]);
    let steps = std::rc::Rc::new(Cell::new(0u32));
    let real = implementation(
        || (),
        move |(): &mut (), (): &()| {
            steps.set(steps.get() + 1);
            Some(steps.get() % 2)
        },
    );
    let report =
        conformance("coin", coin, real).inputs([()]).settings(settings()).report_exhaustive(4).unwrap();
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{}", report.verdict);
}

#[test]
fn what_a_suite_needs_is_told_by_names() {
    let partial = || {
        machine("off", |state: &&str, input: &In| match (*state, input) {
            ("off", In::Up) => Some(("on", vec![1u32])),
            ("on", In::Up) => None,
            (_, In::Down) => Some(("off", vec![0])),
            (state, In::Get) => {
                Some((if state == "on" { "on" } else { "off" }, vec![u32::from(state == "on")]))
            }
            _ => None,
        })
    };
    let real = || implementation(|| (), |(): &mut (), _: &In| None::<u32>);
    let error = conformance("lamp", partial(), real()).inputs(INPUTS).report_suite(Method::W, 0).unwrap_err();
    assert_contains(&error.to_string(), "nothing is specified for input Up in state \"on\"");
    let error =
        conformance("lamp", partial(), real()).inputs(INPUTS).report_suite(Method::H, 1 << 32).unwrap_err();
    assert_contains(&error.to_string(), "assume at most 1000");
    let error = conformance("lamp", partial(), real()).inputs([]).report().unwrap_err();
    assert_contains(&error.to_string(), "nobody has said which inputs `lamp` is tested with");
    let dot = "digraph { __start0 -> off; off -> on [label=\"press / click\"]; on -> off [label=\"press / clack\"]; }";
    let lamp = Finite::from_dot(dot).unwrap();
    let clicks = implementation(|| (), |(): &mut (), _: &String| Some("click".to_string()));
    let verdict =
        conformance("lamp", lamp, clicks).inputs(["press".to_string()]).settings(settings()).verdict();
    assert_contains(&verdict.to_string(), "in state \"on\": expected [\"clack\"]");
}

#[test]
fn why_nothing_is_proved_is_told() {
    let tested = |dot: &str, inputs: &[&str]| {
        let clicks = implementation(|| (), |(): &mut (), _: &String| Some("click".to_string()));
        let inputs = inputs.iter().map(ToString::to_string);
        let lamp = Finite::from_dot(dot).unwrap();
        conformance("lamp", lamp, clicks).inputs(inputs).settings(settings()).report().unwrap()
    };
    let open = "digraph { __start0 -> off; off -> on [label=\"press / click\"]; on -> off [label=\"pull / click\"]; }";
    let report = tested(open, &["press", "pull"]);
    let told = "no complete suite was run: states \"off\" and \"on\" answer alike to all inputs specified in both: SPYH needs";
    assert!(report.remarks.iter().any(|remark| remark.starts_with(told)), "{:?}", report.remarks);
    // What is no input of the specification is told.
    let report =
        tested("digraph { __start0 -> off; off -> off [label=\"press / click\"]; }", &["press", "pres"]);
    assert!(matches!(report.verdict, Verdict::Proved(_)), "{report}");
    let told = "the input \"pres\" is specified in no state that can be reached";
    assert!(report.remarks.iter().any(|remark| remark == told), "{:?}", report.remarks);
}
