//! Implementations that do not start anew, or answer at random: no good verdict after a wrong answer, and nobody else is blamed.

use gainsay_core::{Report, Settings, Verdict, settings};
use gainsay_model::machine::{
    Conformance, Goal, Implementation, Machine, Method, Stopped, conformance, implementation, machine,
};
use std::cell::Cell;
use std::rc::Rc;

const INPUTS: [char; 2] = ['p', 'a'];

/// A lamp: it is pressed, and asked.
fn lamp() -> impl Machine<State = bool, Input = char, Output = &'static str> {
    machine(false, |is_on: &bool, input: &char| match (is_on, input) {
        (false, 'p') => [(true, vec!["click"])],
        (true, 'p') => [(false, vec!["clack"])],
        (false, _) => [(false, vec!["dark"])],
        (true, _) => [(true, vec!["light"])],
    })
}

/// What is wrong with a lamp, and when.
#[derive(Debug, Clone, Copy)]
enum Fault {
    None,
    /// At the n-th input it answers wrongly, once.
    Once(u64),
    /// From the n-th start on it starts in the other state.
    Drifts(u64),
    /// At random, so many of a thousand answers are wrong.
    Random(u64),
}

/// A lamp with a fault, and whether anybody has seen it.
struct Lamp {
    fault: Fault,
    is_on: bool,
    starts: u64,
    inputs: u64,
    random: u64,
    is_right: bool,
    was_wrong: Rc<Cell<bool>>,
}

impl Implementation<char, &'static str> for Lamp {
    fn reset(&mut self) -> Result<(), Stopped> {
        self.starts += 1;
        self.is_right = true;
        self.is_on = matches!(self.fault, Fault::Drifts(start) if self.starts >= start);
        Ok(())
    }

    fn step(&mut self, input: &char, outputs: &mut Vec<&'static str>) -> Result<(), Stopped> {
        self.inputs += 1;
        let answer = match (self.is_on, input) {
            (false, 'p') => "click",
            (true, 'p') => "clack",
            (false, _) => "dark",
            (true, _) => "light",
        };
        self.is_on ^= *input == 'p';
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let is_wrong = match self.fault {
            Fault::None => false,
            Fault::Drifts(start) => self.starts >= start,
            Fault::Once(place) => self.inputs == place,
            Fault::Random(share) => (self.random >> 33) % 1000 < share,
        };
        outputs.push(if is_wrong && !matches!(self.fault, Fault::Drifts(_)) { "bang" } else { answer });
        if is_wrong {
            self.was_wrong.set(true);
        }
        Ok(())
    }
}

type Tested = Conformance<Box<dyn Machine<State = bool, Input = char, Output = &'static str>>>;
type Mode = (&'static str, fn(&mut Tested) -> Report);

const MODES: [Mode; 12] = [
    ("all", |test| test.report().unwrap()),
    ("walk", |test| test.report_walk().unwrap()),
    ("until", |test| test.report_until(Goal::inputs(500)).unwrap()),
    ("tour", |test| test.report_tour().unwrap()),
    ("sequences", |test| {
        let one = ['p', 'a', 'p', 'a'];
        let two = ['a', 'p', 'p', 'p', 'a'];
        test.report_sequences((0..100).map(|turn| if turn % 2 == 0 { &one[..] } else { &two[..] })).unwrap()
    }),
    ("exhaustive", |test| test.report_exhaustive(5).unwrap()),
    ("W", |test| test.report_suite(Method::W, 2).unwrap()),
    ("Wp", |test| test.report_suite(Method::Wp, 2).unwrap()),
    ("HSI", |test| test.report_suite(Method::Hsi, 2).unwrap()),
    ("H", |test| test.report_suite(Method::H, 2).unwrap()),
    ("SPYH", |test| test.report_suite(Method::Spyh, 2).unwrap()),
    ("SPYH 3", |test| test.report_suite(Method::Spyh, 3).unwrap()),
];

fn quiet(seed: u64) -> Settings {
    settings().seed(seed).without_corpus().cases(50)
}

/// The report, and whether a wrong answer was given.
fn tested(fault: Fault, seed: u64, mode: &Mode) -> (Report, bool) {
    let was_wrong = Rc::new(Cell::new(false));
    let lamp_at_work = Lamp {
        fault,
        is_on: false,
        starts: 0,
        inputs: 0,
        random: seed,
        is_right: true,
        was_wrong: Rc::clone(&was_wrong),
    };
    let specification: Box<dyn Machine<State = bool, Input = char, Output = &'static str>> = Box::new(lamp());
    let mut test =
        conformance("lamp", specification, lamp_at_work).inputs(INPUTS).settings(quiet(seed)).length(30);
    let report = mode.1(&mut test);
    (report, was_wrong.get())
}

/// After a wrong answer there is no good verdict, and the generator is not blamed.
fn assert_told(fault: Fault, seed: u64, mode: &Mode) {
    let (report, was_wrong) = tested(fault, seed, mode);
    let verdict = &report.verdict;
    match was_wrong {
        true => {
            let is_told = matches!(verdict, Verdict::Falsified(_) | Verdict::Flaky(_));
            assert!(is_told, "{}, {fault:?}, {seed}: {report}", mode.0);
            assert!(!report.to_string().contains("generator"), "{}, {fault:?}, {seed}: {report}", mode.0);
        }
        false => assert!(verdict.is_good(), "{}, {fault:?}, {seed}: {report}", mode.0),
    }
}

#[test]
fn lamps_that_are_right_pass_in_every_mode() {
    MODES.iter().for_each(|mode| assert_told(Fault::None, 1, mode));
}

#[test]
fn one_wrong_answer_is_never_lost() {
    for mode in &MODES {
        (1..=200).for_each(|place| assert_told(Fault::Once(place), 1, mode));
    }
}

#[test]
fn a_start_that_drifts_is_never_lost() {
    for mode in &MODES {
        (1..=200).for_each(|start| assert_told(Fault::Drifts(start), 1, mode));
    }
}

#[test]
fn answers_at_random_are_never_lost() {
    for mode in &MODES {
        for share in [1, 10, 100, 500] {
            (1..=25).for_each(|seed| assert_told(Fault::Random(share), seed, mode));
        }
    }
}

#[test]
fn both_answers_and_the_place_where_they_parted_are_told() {
    let (report, _) = tested(Fault::Once(40), 1, &MODES[10]);
    let Verdict::Flaky(flaky) = &report.verdict else { panic!("{report}") };
    let told = &flaky.reason;
    assert!(told.starts_with("the implementation is not deterministic, or does not start anew: "), "{told}");
    assert!(told.contains(" was answered with [\"bang\"] once and answered with ["), "{told}");
    // Who is wrong from some start on was right before.
    let (report, _) = tested(Fault::Drifts(15), 1, &MODES[0]);
    let told = report.to_string();
    assert!(matches!(report.verdict, Verdict::Falsified(_)), "{told}");
    assert!(
        told.contains(
            "at the start, 'p' was answered with [\"click\"] once and answered with [\"clack\"] another time"
        ) || told.contains(
            "at the start, 'a' was answered with [\"dark\"] once and answered with [\"light\"] another time"
        ),
        "{told}"
    );
}

/// Who may choose is not blamed for answering in two ways.
#[test]
fn whoever_may_choose_answers_in_two_ways_and_passes() {
    let coin = || machine((), |(): &(), (): &()| [((), vec![0u32]), ((), vec![1])]);
    let turns = Rc::new(Cell::new(0u32));
    let real = implementation(
        || (),
        move |(): &mut (), (): &()| {
            turns.set(turns.get() + 1);
            Some(turns.get() / 3 % 2)
        },
    );
    let report = conformance("coin", coin(), real).inputs([()]).settings(quiet(1)).report().unwrap();
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{report}");
}
