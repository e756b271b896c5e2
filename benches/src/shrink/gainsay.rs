//! gainsay: generators are functions that draw from a case; nobody writes shrinkers.

use super::Contender;
use super::problems::{self, Expression, Heap, Problem};
use ::gainsay::{Case, Claim, Generator, Verdict, any, recursive, settings};
use std::fmt::Debug;

pub(super) const CONTENDER: Contender = Contender { name: "gainsay", minimal };

/// Enough for every seed to find its failure.
const CASES: u64 = 1_000_000;

fn minimal(problem: Problem, seed: u64) -> String {
    let pairs = |case: &mut Case| (case.int(1..=i64::MAX), case.int(1..=i64::MAX));
    match problem {
        Problem::Reverse => falsify(seed, any::<Vec<i64>>(), |xs| problems::reverse(xs)),
        Problem::LargeUnion => falsify(seed, any::<Vec<Vec<i64>>>(), |lists| problems::large_union(lists)),
        Problem::Bound5 => falsify(seed, any::<[Vec<i16>; 5]>(), problems::bound5),
        Problem::Nested => falsify(seed, any::<Vec<Vec<i64>>>(), |lists| problems::nested(lists)),
        Problem::Distinct => falsify(seed, any::<Vec<i64>>(), |xs| problems::distinct(xs)),
        Problem::LengthList => falsify(seed, length_list, |xs| problems::length_list(xs)),
        Problem::Coupling => {
            let indices = |case: &mut Case| case.vec(0..=usize::MAX, |case| case.int(0..=10usize));
            falsify(seed, indices, |xs| problems::coupling(xs))
        }
        Problem::Deletion => falsify(seed, list_with_index, |(xs, index)| problems::deletion(xs, *index)),
        Problem::Difference1 => falsify(seed, pairs, |&(x, y)| problems::difference1(x, y)),
        Problem::Difference2 => falsify(seed, pairs, |&(x, y)| problems::difference2(x, y)),
        Problem::Difference3 => falsify(seed, pairs, |&(x, y)| problems::difference3(x, y)),
        Problem::Calculator => falsify(seed, expressions(), problems::calculator),
        Problem::Binheap => falsify(seed, |case: &mut Case| heap(case, 0, HEAP_DEPTH), problems::binheap),
    }
}

/// Random cases alone: the beginning of the enumeration, which gainsay tries first, would often be small already.
fn falsify<G: Generator<Value: Debug>>(
    seed: u64,
    generator: G,
    judge: impl Fn(&G::Value) -> Option<bool>,
) -> String {
    let verdict = settings()
        .random_only()
        .cases(CASES)
        .seed(seed)
        .without_corpus()
        .without_explanation()
        .limits(|limits| limits.rejected_factor_max = 100)
        .verdict_with(generator, |value| match judge(&value) {
            None => false.implies(|| true),
            Some(holds) => holds.property(),
        });
    match verdict {
        Verdict::Falsified(falsified) => falsified.counterexample.notes[0].value.clone(),
        verdict => panic!("seed {seed} found no failure: {verdict}"),
    }
}

fn length_list(case: &mut Case) -> Vec<i64> {
    let length = case.int(1..=100usize);
    (0..length).map(|_| case.int(0..=1000)).collect()
}

fn list_with_index(case: &mut Case) -> (Vec<i64>, usize) {
    let list = case.vec(1..=usize::MAX, Case::any);
    let index = case.int(0..list.len());
    (list, index)
}

fn expressions() -> impl Generator<Value = Expression> {
    recursive(
        5,
        |case| Expression::Int(case.any()),
        |case, smaller| {
            let make = [Expression::Add, Expression::Div][case.index(2)];
            make(Box::new(smaller(case)), Box::new(smaller(case)))
        },
    )
}

const HEAP_DEPTH: u32 = 5;

fn heap(case: &mut Case, least: i64, depth: u32) -> Heap {
    if depth == 0 || !case.flag() {
        return Heap::EMPTY;
    }
    let value = case.int(least..);
    let left = heap(case, value, depth - 1);
    let right = heap(case, value, depth - 1);
    Heap::new(value, left, right)
}
