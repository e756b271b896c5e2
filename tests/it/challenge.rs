//! The problems of the Shrinking Challenge: one answer each, the known smallest, whatever the seed.

use crate::support::{minimum, seeded};
use gainsay::prelude::*;
use std::collections::BTreeSet;
use std::fmt::{self, Debug};

const SEEDS: [u64; 12] = [0, 1, 2, 3, 14, 15, 92, 65, 358, 979, 3238, u64::MAX];

/// A judge says whether its property holds; `None` where it says nothing.
fn falsify<G: Generator<Value: Debug>>(
    seed: u64,
    generator: G,
    judge: impl Fn(&G::Value) -> Option<bool>,
) -> Verdict {
    seeded(seed)
        .random_only()
        .cases(100_000)
        .without_explanation()
        .limits(|limits| limits.rejected_factor_max = 100)
        .verdict_with(generator, |value| match judge(&value) {
            None => false.implies(|| true),
            Some(holds) => holds.property(),
        })
}

/// Every seed finds the smallest, with no more evaluations than this.
#[track_caller]
fn smallest<G: Generator<Value: Debug>>(
    generator: impl Fn() -> G,
    judge: impl Fn(&G::Value) -> Option<bool> + Copy,
    expected: &str,
    evaluations_max: u64,
) {
    for seed in SEEDS {
        let verdict = falsify(seed, generator(), judge);
        assert_eq!(minimum(&verdict), expected, "seed {seed}");
        let evaluations = verdict.counterexample().unwrap().evaluations;
        assert!(evaluations <= evaluations_max, "seed {seed}: {evaluations} evaluations");
    }
}

#[test]
fn reverse() {
    smallest(any::<Vec<i64>>, |xs| Some(xs.iter().eq(xs.iter().rev())), "[0, 1]", 200);
}

#[test]
fn large_union_list() {
    let union = |lists: &Vec<Vec<i64>>| lists.iter().flatten().collect::<BTreeSet<_>>().len();
    smallest(any::<Vec<Vec<i64>>>, |lists| Some(union(lists) <= 4), "[[0, 1, -1, 2, -2]]", 2000);
}

#[test]
fn bound5() {
    let judge = |lists: &[Vec<i16>; 5]| {
        let sums = lists.each_ref().map(|list| list.iter().fold(0_i16, |sum, &x| sum.wrapping_add(x)));
        let total = sums.iter().fold(0_i16, |sum, &x| sum.wrapping_add(x));
        sums.iter().all(|&sum| sum < 256).then_some(total < 5 * 256)
    };
    smallest(any::<[Vec<i16>; 5]>, judge, "[[], [], [], [-1], [-32768]]", 2000);
}

#[test]
fn nested_lists() {
    let judge = |lists: &Vec<Vec<i64>>| Some(lists.iter().map(Vec::len).sum::<usize>() <= 10);
    smallest(any::<Vec<Vec<i64>>>, judge, "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]", 500);
}

#[test]
fn distinct() {
    let judge = |xs: &Vec<i64>| Some(xs.iter().collect::<BTreeSet<_>>().len() < 3);
    smallest(any::<Vec<i64>>, judge, "[0, 1, -1]", 500);
}

#[test]
fn length_list() {
    let generator = |case: &mut Case| {
        let length = case.int(1..=100usize);
        (0..length).map(|_| case.int(0..=1000i64)).collect::<Vec<_>>()
    };
    smallest(|| generator, |xs| xs.iter().max().map(|&max| max < 900), "[900]", 500);
}

#[test]
fn coupling() {
    let generator = |case: &mut Case| case.vec(0..=usize::MAX, |case| case.int(0..=10usize));
    let judge = |xs: &Vec<usize>| {
        let coupled = |i: usize| xs[i] != i && xs[xs[i]] == i;
        xs.iter().all(|&x| x < xs.len()).then(|| !(0..xs.len()).any(coupled))
    };
    smallest(|| generator, judge, "[1, 0]", 1000);
}

#[test]
fn deletion() {
    let generator = |case: &mut Case| {
        let list: Vec<i64> = case.vec(1..=usize::MAX, Case::any);
        let index = case.int(0..list.len());
        (list, index)
    };
    // Removing the first of equal elements leaves the others.
    let judge = |(xs, index): &(Vec<i64>, usize)| {
        let x = xs[*index];
        Some(xs.iter().filter(|&&y| y == x).count() == 1)
    };
    smallest(|| generator, judge, "([0, 0], 0)", 500);
}

#[test]
fn differences() {
    let pairs = |case: &mut Case| (case.int(1..=i64::MAX), case.int(1..=i64::MAX));
    smallest(|| pairs, |&(x, y)| Some(x < 10 || x != y), "(10, 10)", 1000);
    let near = |&(x, y): &(i64, i64)| Some(x < 10 || !(1..=4).contains(&x.abs_diff(y)));
    smallest(|| pairs, near, "(10, 6)", 1000);
    smallest(|| pairs, |&(x, y)| Some(x < 10 || x.abs_diff(y) != 1), "(10, 9)", 1000);
}

#[derive(Clone, PartialEq)]
enum Sum {
    Int(i64),
    Add(Box<Sum>, Box<Sum>),
    Div(Box<Sum>, Box<Sum>),
}

impl Sum {
    fn divides_by_literal_zero(&self) -> bool {
        match self {
            Sum::Int(_) => false,
            Sum::Div(_, by) if **by == Sum::Int(0) => true,
            Sum::Add(a, b) | Sum::Div(a, b) => a.divides_by_literal_zero() || b.divides_by_literal_zero(),
        }
    }

    fn value(&self) -> Option<i64> {
        match self {
            Sum::Int(n) => Some(*n),
            Sum::Add(a, b) => Some(a.value()?.wrapping_add(b.value()?)),
            Sum::Div(a, b) => match (a.value()?, b.value()?) {
                (_, 0) => None,
                (a, b) => Some(a.wrapping_div(b)),
            },
        }
    }
}

impl Debug for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sum::Int(n) => write!(f, "{n}"),
            Sum::Add(a, b) => write!(f, "({a:?} + {b:?})"),
            Sum::Div(a, b) => write!(f, "({a:?} / {b:?})"),
        }
    }
}

#[test]
fn calculator() {
    let sums = || {
        let make = |case: &mut Case, smaller: &dyn Fn(&mut Case) -> Sum| {
            let make = [Sum::Add, Sum::Div][case.index(2)];
            make(Box::new(smaller(case)), Box::new(smaller(case)))
        };
        recursive(5, |case| Sum::Int(case.any()), make)
    };
    let judge = |sum: &Sum| (!sum.divides_by_literal_zero()).then(|| sum.value().is_some());
    smallest(sums, judge, "(0 / (0 + 0))", 1000);
}

#[derive(Clone)]
struct Heap(Option<Box<(i64, Heap, Heap)>>);

impl Heap {
    fn draw(case: &mut Case, least: i64, depth: u32) -> Heap {
        if depth == 0 || !case.flag() {
            return Heap(None);
        }
        let value = case.int(least..);
        let left = Heap::draw(case, value, depth - 1);
        let right = Heap::draw(case, value, depth - 1);
        Heap(Some(Box::new((value, left, right))))
    }

    /// From the top down, right before left.
    fn to_list(&self) -> Vec<i64> {
        let mut list = Vec::new();
        let mut todo = vec![self];
        while let Some(heap) = todo.pop() {
            if let Some(node) = &heap.0 {
                list.push(node.0);
                todo.extend([&node.1, &node.2]);
            }
        }
        list
    }

    fn merge(&self, other: &Heap) -> Heap {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(a), Some(b)) if a.0 <= b.0 => Heap(Some(Box::new((a.0, a.2.merge(other), a.1.clone())))),
            (Some(_), Some(b)) => Heap(Some(Box::new((b.0, b.2.merge(self), b.1.clone())))),
        }
    }

    /// The planted bug: only the top is taken off in order.
    fn to_sorted_list(&self) -> Vec<i64> {
        self.0.as_ref().map_or_else(Vec::new, |node| [vec![node.0], node.1.merge(&node.2).to_list()].concat())
    }
}

impl Debug for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("None"),
            Some(node) => write!(f, "({}, {:?}, {:?})", node.0, node.1, node.2),
        }
    }
}

#[test]
fn binheap() {
    let judge = |heap: &Heap| {
        let mut sorted = heap.to_list();
        sorted.sort_unstable();
        Some(heap.to_sorted_list() == sorted)
    };
    let expected = "(0, None, (0, (0, None, None), (1, None, None)))";
    smallest(|| |case: &mut Case| Heap::draw(case, 0, 5), judge, expected, 2000);
}

/// The twins without a bug pass the same test.
#[test]
fn correct_twins_pass() {
    for seed in SEEDS {
        let holds = |judge: fn(&Vec<i64>) -> bool| {
            let verdict = seeded(seed).random_only().verdict_with(any::<Vec<i64>>(), |xs| judge(&xs));
            assert_eq!(verdict.to_string(), "passed: 1000 cases");
        };
        holds(|xs| xs.iter().eq(xs.iter().rev().rev()));
        holds(|xs| xs.iter().collect::<BTreeSet<_>>().len() <= xs.len());
        let sorted = |heap: Heap| {
            let (mut rest, mut list) = (heap.clone(), Vec::new());
            while let Some(node) = rest.0 {
                list.push(node.0);
                rest = node.1.merge(&node.2);
            }
            let mut expected = heap.to_list();
            expected.sort_unstable();
            list == expected
        };
        let verdict =
            seeded(seed).random_only().verdict_with(|case: &mut Case| Heap::draw(case, 0, 5), sorted);
        assert!(verdict.is_good(), "{verdict}");
    }
}
