//! proptest: strategies compose, and shrink by simplifying and complicating a value tree.

use super::Contender;
use super::problems::{self, Expression, Heap, Problem};
use ::proptest::collection::vec;
use ::proptest::prelude::*;
use ::proptest::sample::Index;
use ::proptest::test_runner::{RngSeed, TestError, TestRunner};
use std::fmt::Debug;

pub(super) const CONTENDER: Contender = Contender { name: "proptest", minimal };

/// Enough for every seed to find its failure; four times as many steps may shrink it.
const CASES: u32 = 10_000_000;

fn minimal(problem: Problem, seed: u64) -> String {
    let lists = any::<Vec<i64>>;
    let lists_of_lists = any::<Vec<Vec<i64>>>;
    // Uniform in all 64 bits, the two would never come near each other.
    let pairs = || (1..=1000_i64, 1..=1000_i64);
    match problem {
        Problem::Reverse => falsify(seed, lists(), |xs| problems::reverse(xs)),
        Problem::LargeUnion => falsify(seed, lists_of_lists(), |xs| problems::large_union(xs)),
        Problem::Bound5 => falsify(seed, any::<[Vec<i16>; 5]>(), problems::bound5),
        Problem::Nested => falsify(seed, lists_of_lists(), |xs| problems::nested(xs)),
        Problem::Distinct => falsify(seed, lists(), |xs| problems::distinct(xs)),
        Problem::LengthList => {
            let lists = (1..=100_usize).prop_flat_map(|length| vec(0..=1000_i64, length));
            falsify(seed, lists, |xs| problems::length_list(xs))
        }
        Problem::Coupling => {
            let lists = vec(0..=10_usize, 0..100);
            falsify(seed, lists, |xs| problems::coupling(xs))
        }
        Problem::Deletion => falsify(seed, lists_with_index(), |(xs, index)| problems::deletion(xs, *index)),
        Problem::Difference1 => falsify(seed, pairs(), |&(x, y)| problems::difference1(x, y)),
        Problem::Difference2 => falsify(seed, pairs(), |&(x, y)| problems::difference2(x, y)),
        Problem::Difference3 => falsify(seed, pairs(), |&(x, y)| problems::difference3(x, y)),
        Problem::Calculator => falsify(seed, expressions(), problems::calculator),
        Problem::Binheap => falsify(seed, heaps(), problems::binheap),
    }
}

fn falsify<S: Strategy>(seed: u64, strategy: S, judge: impl Fn(&S::Value) -> Option<bool>) -> String
where
    S::Value: Debug,
{
    let config = ProptestConfig {
        cases: CASES,
        max_global_rejects: u32::MAX,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    };
    let end = TestRunner::new(config).run(&strategy, |value| match judge(&value) {
        None => Err(TestCaseError::reject("precondition")),
        Some(true) => Ok(()),
        Some(false) => Err(TestCaseError::fail("falsified")),
    });
    match end {
        Err(TestError::Fail(_, value)) => format!("{value:?}"),
        Err(TestError::Abort(why)) => panic!("seed {seed} gave up: {why}"),
        Ok(()) => panic!("seed {seed} found no failure"),
    }
}

fn lists_with_index() -> impl Strategy<Value = (Vec<i64>, usize)> {
    // Uniform in all 64 bits, a list would never hold a number twice.
    let lists = vec(-100..=100_i64, 1..100);
    (lists, any::<Index>()).prop_map(|(xs, index)| {
        let index = index.index(xs.len());
        (xs, index)
    })
}

fn expressions() -> impl Strategy<Value = Expression> {
    let literals = any::<i64>().prop_map(Expression::Int);
    literals.prop_recursive(5, 32, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Expression::Add(a, b)),
            (boxed.clone(), boxed).prop_map(|(a, b)| Expression::Div(a, b)),
        ]
    })
}

/// Heaps of steps from value to value, added up at the end: regenerating children for each value that is
/// tried, as `prop_flat_map` does, takes millions of evaluations here.
fn heaps() -> impl Strategy<Value = Heap> {
    let steps = Just(Heap::EMPTY).prop_recursive(5, 32, 2, |inner| {
        let node = (0..=1000_i64, inner.clone(), inner);
        node.prop_map(|(step, left, right)| Heap::new(step, left, right))
    });
    steps.prop_map(|steps| raised(steps, 0))
}

fn raised(steps: Heap, base: i64) -> Heap {
    Heap(steps.0.map(|mut node| {
        node.value += base;
        node.left = raised(node.left, node.value);
        node.right = raised(node.right, node.value);
        node
    }))
}
