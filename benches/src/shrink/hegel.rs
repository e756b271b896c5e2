//! hegeltest: generators compose and shrink by themselves.

use super::Contender;
use super::problems::{self, Expression, Heap, Problem};
use ::hegel::generators::{self as gs, Generator};
use ::hegel::{HealthCheck, Hegel, Settings, TestCase, Verbosity};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) const CONTENDER: Contender = Contender { name: "hegel", minimal };

/// Enough for every seed to find its failure.
const CASES: u64 = 1_000_000;

fn minimal(problem: Problem, seed: u64) -> String {
    let integers = gs::integers::<i64>;
    let positive = || integers().min_value(1);
    let pairs = || gs::tuples!(positive(), positive());
    match problem {
        Problem::Reverse => falsify(seed, gs::vecs(integers()), |xs| problems::reverse(xs)),
        Problem::LargeUnion => {
            falsify(seed, gs::vecs(gs::vecs(integers())), |lists| problems::large_union(lists))
        }
        Problem::Bound5 => falsify(seed, gs::arrays(gs::vecs(gs::integers::<i16>())), problems::bound5),
        Problem::Nested => falsify(seed, gs::vecs(gs::vecs(integers())), |lists| problems::nested(lists)),
        Problem::Distinct => falsify(seed, gs::vecs(integers()), |xs| problems::distinct(xs)),
        Problem::LengthList => falsify(seed, length_lists(), |xs| problems::length_list(xs)),
        Problem::Coupling => {
            let indices = gs::integers::<usize>().max_value(10);
            falsify(seed, gs::vecs(indices), |xs| problems::coupling(xs))
        }
        Problem::Deletion => falsify(seed, lists_with_index(), |(xs, index)| problems::deletion(xs, *index)),
        Problem::Difference1 => falsify(seed, pairs(), |&(x, y)| problems::difference1(x, y)),
        Problem::Difference2 => falsify(seed, pairs(), |&(x, y)| problems::difference2(x, y)),
        Problem::Difference3 => falsify(seed, pairs(), |&(x, y)| problems::difference3(x, y)),
        Problem::Calculator => falsify(seed, expressions(), problems::calculator),
        Problem::Binheap => falsify(seed, heaps(0, HEAP_DEPTH), problems::binheap),
    }
}

/// Runs the property to the end. Hegel replays what it arrived at last, so the last failure is the smallest.
fn falsify<T: Debug>(seed: u64, generator: impl Generator<T>, judge: impl Fn(&T) -> Option<bool>) -> String {
    let settings = Settings::from_profile("base")
        .test_cases(CASES)
        .seed(Some(seed))
        .database(None)
        .verbosity(Verbosity::Quiet)
        .print_blob(false)
        .suppress_health_check([
            HealthCheck::FilterTooMuch,
            HealthCheck::TooSlow,
            HealthCheck::LargeInitialTestCase,
        ]);
    let mut last = None;
    let property = |case: TestCase| {
        let value = case.draw_silent(&generator);
        match judge(&value) {
            None => case.reject(),
            Some(true) => {}
            Some(false) => {
                last = Some(format!("{value:?}"));
                panic!("falsified");
            }
        }
    };
    let run = Hegel::new(property).settings(settings);
    // A failing run ends with the panic of its last case.
    let end = catch_unwind(AssertUnwindSafe(|| run.run()));
    assert!(end.is_err(), "seed {seed} found no failure");
    last.expect("a run that failed has judged a failure")
}

fn length_lists() -> impl Generator<Vec<i64>> {
    let lengths = gs::integers::<usize>().min_value(1).max_value(100);
    lengths.flat_map(|length| {
        let element = gs::integers::<i64>().min_value(0).max_value(1000);
        gs::vecs(element).min_size(length).max_size(length)
    })
}

fn lists_with_index() -> impl Generator<(Vec<i64>, usize)> {
    ::hegel::compose!(|case| {
        let list = case.draw(gs::vecs(gs::integers::<i64>()).min_size(1));
        let index = case.draw(gs::integers::<usize>().max_value(list.len() - 1));
        (list, index)
    })
}

fn expressions() -> impl Generator<Expression> {
    let literals = gs::integers::<i64>().map(Expression::Int);
    gs::recursive(literals, |inner| {
        let pairs = || {
            let boxed = || inner.clone().map(Box::new);
            gs::tuples!(boxed(), boxed())
        };
        ::hegel::one_of!(
            pairs().map(|(a, b)| Expression::Add(a, b)),
            pairs().map(|(a, b)| Expression::Div(a, b)),
        )
    })
}

const HEAP_DEPTH: u32 = 5;

#[::hegel::composite]
fn heaps(case: &TestCase, least: i64, depth: u32) -> Heap {
    if depth == 0 || !case.draw(gs::booleans()) {
        return Heap::EMPTY;
    }
    let value = case.draw(gs::integers::<i64>().min_value(least));
    let left = case.draw(heaps(value, depth - 1));
    let right = case.draw(heaps(value, depth - 1));
    Heap::new(value, left, right)
}
