//! The enumeration against brute force: random programs that draw, walked by the engine and by a naive odometer.

use crate::support::{gave_up, seeded};
use gainsay::choice::{Choice, Shape};
use gainsay::prelude::*;
use gainsay::recursive;
use gainsay::source::{Hint, Source};
use std::collections::BTreeSet;

/// A generator, as data: what it draws may depend on what it has drawn.
#[derive(Debug, Clone)]
enum Program {
    /// An integer between `low` and `low + width`, the width lessened by the last value drawn if `depends`.
    Int {
        low: i8,
        width: u8,
        depends: bool,
    },
    Flag,
    Index(u8),
    /// At least `min` and at most `min + more` elements.
    List {
        min: u8,
        more: u8,
        item: Box<Program>,
    },
    /// At most so many flags, drawn as a list of their type. If it `depends`, there are as many fewer as the last value drawn says, and
    /// there must be one if that was odd.
    Flags {
        max: u8,
        depends: bool,
    },
    /// At most one byte, drawn as a list of its type.
    Byte,
    /// Distinct integers of `0..=max`.
    Set {
        more: u8,
        max: u8,
    },
    Seq(Vec<Program>),
    /// In a span of its own.
    Span(Box<Program>),
    /// If the last value drawn is odd.
    IfOdd(Box<Program>, Box<Program>),
    /// As often as the last value drawn says, at most twice.
    Repeat(Box<Program>),
    /// Rejects what is drawn if its number has this remainder by three.
    Filter(u8, Box<Program>),
    /// Rejects everything drawn so far if the last value is this one.
    Assume(i8),
}

/// Draws what the program says; `last` is the last value drawn.
fn run(program: &Program, case: &mut Case, last: &mut i64) {
    match program {
        Program::Int { low, width, depends } => {
            let width = if *depends {
                i64::from(*width) - last.abs().min(i64::from(*width))
            } else {
                (*width).into()
            };
            *last = case.int(i64::from(*low)..=i64::from(*low) + width);
        }
        Program::Flag => *last = case.flag().into(),
        Program::Index(n) => *last = case.index(usize::from(*n) + 1) as i64,
        Program::List { min, more, item } => {
            case.vec((*min).into()..=usize::from(*min + *more), |case| run(item, case, last));
        }
        Program::Flags { max, depends } => {
            let less = if *depends { last.unsigned_abs() } else { 0 };
            let max = u64::from(*max).saturating_sub(less) as usize;
            let flags = case.list::<bool>(max.min(less as usize % 2)..=max);
            *last = flags.iter().fold(0, |last, &flag| 2 * last % 8 + i64::from(flag));
        }
        Program::Byte => {
            let bytes = case.list::<u8>(0..=1);
            *last = bytes.first().copied().unwrap_or(7).into();
        }
        Program::Set { more, max } => {
            let mut set = BTreeSet::new();
            case.distinct(0..=(*more).into(), |case| case.int(0..=*max), |item, _| set.insert(item));
            *last = set.len() as i64;
        }
        Program::Seq(parts) => parts.iter().for_each(|part| run(part, case, last)),
        Program::Span(inner) => case.span("part", |case| run(inner, case, last)),
        Program::IfOdd(odd, even) => run(if *last % 2 != 0 { odd } else { even }, case, last),
        Program::Repeat(inner) => (0..last.unsigned_abs().min(2)).for_each(|_| run(inner, case, last)),
        Program::Filter(remainder, inner) => {
            let before = *last;
            let draw = |case: &mut Case| {
                let mut last = before;
                run(inner, case, &mut last);
                last
            };
            *last = case.filter(draw, |last| last.unsigned_abs() % 3 != u64::from(*remainder));
        }
        Program::Assume(value) => {
            let _ = case.assume(*last != i64::from(*value));
        }
    }
}

fn programs() -> impl Generator<Value = Program> {
    vec_of(1..=4, parts()).map(Program::Seq)
}

fn parts() -> impl Generator<Value = Program> {
    recursive(
        3,
        |case| match case.index(7) {
            0 => Program::Flag,
            1 => Program::Int { low: case.int(-2..=1), width: case.int(0..=3), depends: case.flag() },
            2 => Program::Index(case.int(0..=2)),
            3 => Program::Flags { max: case.int(0..=3), depends: case.flag() },
            6 => Program::Byte,
            4 => Program::Set { more: case.int(0..=3), max: case.int(0..=2) },
            _ => Program::Assume(case.int(-1..=2)),
        },
        |case, smaller| match case.index(6) {
            0 => Program::Seq(case.vec(0..=3, smaller)),
            1 => Program::Span(Box::new(smaller(case))),
            2 => Program::IfOdd(Box::new(smaller(case)), Box::new(smaller(case))),
            3 => Program::Repeat(Box::new(smaller(case))),
            4 => Program::Filter(case.int(0..=2), Box::new(smaller(case))),
            _ => Program::List { min: case.int(0..=1), more: case.int(0..=2), item: Box::new(smaller(case)) },
        },
    )
}

/// Answers with given numbers, then with 0.
struct Odometer(Vec<u64>);

impl Source for Odometer {
    fn choose(&mut self, _: &Shape, _: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        Some(self.0.get(so_far.len()).copied().unwrap_or(0))
    }

    fn is_exhaustive(&self) -> bool {
        true
    }
}

/// All choice sequences of a program, depth first, those of rejected cases apart; `None` if they are many.
fn brute_force(program: &Program) -> Option<(Vec<Vec<u64>>, usize)> {
    const MANY: usize = 600;
    let (mut accepted, mut rejected) = (Vec::new(), 0);
    let mut next = Some(Vec::new());
    while let Some(numbers) = next {
        let mut case = Case::from_source(Box::new(Odometer(numbers)));
        run(program, &mut case, &mut 0);
        let choices = case.record().choices;
        if case.is_over() {
            rejected += 1;
        } else {
            accepted.push(choices.iter().map(|choice| choice.value).collect());
        }
        if accepted.len() + rejected > MANY {
            return None;
        }
        let last = choices.iter().rposition(|choice| choice.value < choice.shape.max);
        next = last.map(|last| {
            let mut numbers: Vec<u64> = choices[..=last].iter().map(|choice| choice.value).collect();
            numbers[last] += 1;
            numbers
        });
    }
    Some((accepted, rejected))
}

/// What the engine judges, and what it says about it.
fn walked(program: &Program, perturbed: Option<u64>) -> (Vec<Vec<u64>>, Verdict) {
    let mut judged = Vec::new();
    let generator = |case: &mut Case| {
        run(program, case, &mut 0);
        case.record().values()
    };
    let settings = seeded(0).exhaustive();
    let settings = if let Some(seed) = perturbed { settings.perturbed(seed) } else { settings };
    let verdict = settings.verdict_with(generator, |numbers| judged.push(numbers));
    (judged, verdict)
}

fn cost(numbers: &[u64]) -> u64 {
    numbers.iter().sum()
}

/// The walk is the odometer, sorted by cost.
fn agrees(program: &Program, accepted: Vec<Vec<u64>>, rejected: usize) {
    let (judged, verdict) = walked(program, None);
    let mut by_cost = accepted;
    by_cost.sort_by_key(|numbers| cost(numbers));
    assert_eq!(judged, by_cost);
    match (&verdict, by_cost.len()) {
        (Verdict::Proved(proof), n) => assert_eq!((proof.cases, proof.rejected), (n as u64, rejected as u64)),
        (_, 0) => {
            assert!(gave_up(&verdict).contains(&format!("all {rejected} cases were rejected")), "{verdict}")
        }
        _ => panic!("{verdict}"),
    }
}

#[test]
fn an_exhaustive_walk_is_what_brute_force_finds_in_order_of_cost() {
    let mut interesting = 0;
    seeded(20).random_only().cases(3000).check_with(programs(), |program| {
        let Some((accepted, rejected)) = brute_force(&program) else { return };
        interesting += u32::from(accepted.len() > 5 && accepted.iter().any(|numbers| numbers.len() > 3));
        agrees(&program, accepted, rejected);
    });
    assert!(interesting > 600, "{interesting} programs had something to get wrong");
}

#[test]
fn a_perturbed_walk_is_what_brute_force_finds_in_any_order_inside_a_level() {
    seeded(21).random_only().cases(1000).check_with(programs(), |program| {
        let Some((mut accepted, _)) = brute_force(&program) else { return };
        let (mut judged, _) = walked(&program, Some(9));
        assert!(judged.is_sorted_by_key(|numbers| cost(numbers)));
        accepted.sort();
        judged.sort();
        assert_eq!(judged, accepted);
    });
}

/// The test above can fail: a walk that forgets a case, or repeats one, is seen.
#[test]
fn a_case_too_few_or_too_many_is_noticed() {
    let program = Program::Seq(vec![Program::Flag, Program::Flag]);
    let (accepted, rejected) = brute_force(&program).unwrap();
    assert_eq!(accepted, [[0, 0], [0, 1], [1, 0], [1, 1]]);
    agrees(&program, accepted.clone(), rejected);
    for wrong in [accepted[1..].to_vec(), [accepted.clone(), accepted[3..].to_vec()].concat()] {
        assert!(std::panic::catch_unwind(|| agrees(&program, wrong, rejected)).is_err());
    }
}

/// Lists in a walk are decided as a whole where their elements allow it; not so within a bound.
#[test]
fn what_is_within_a_bound_is_all_that_costs_no_more() {
    let mut seen = Vec::new();
    let lists = |case: &mut Case| (case.within(2, |case| case.list::<bool>(0..=3)), case.list::<bool>(0..=1));
    let verdict = seeded(0).exhaustive().verdict_with(lists, |lists| seen.push(lists));
    let within = [vec![], vec![false], vec![true], vec![false, false]];
    let others = [vec![], vec![false], vec![true]];
    let mut all: Vec<_> = within.iter().flat_map(|a| others.iter().map(|b| (a.clone(), b.clone()))).collect();
    assert!(matches!(&verdict, Verdict::Proved(proof) if proof.cases == 12), "{verdict}");
    all.sort();
    seen.sort();
    assert_eq!(seen, all);
}
