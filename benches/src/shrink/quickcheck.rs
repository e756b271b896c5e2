//! quickcheck: types know how to shrink; what the crate does not know is written by hand, as its users do.

use super::Contender;
use super::problems::{self, Expression, Heap, Node, Problem};
use ::quickcheck::{Arbitrary, Gen, QuickCheck, TestResult};
use std::cell::RefCell;
use std::fmt::Debug;

pub(super) const CONTENDER: Contender = Contender { name: "quickcheck", minimal };

/// Enough for every seed to find its failure.
const CASES: u64 = 10_000_000;

/// The crate's default.
const SIZE: usize = 100;

fn minimal(problem: Problem, seed: u64) -> String {
    match problem {
        Problem::Reverse => falsify(seed, |xs: Vec<i64>| verdict(&xs, problems::reverse(&xs))),
        Problem::LargeUnion => falsify(seed, |xs: Vec<Vec<i64>>| verdict(&xs, problems::large_union(&xs))),
        Problem::Bound5 => falsify(seed, |xs: [Vec<i16>; 5]| verdict(&xs, problems::bound5(&xs))),
        Problem::Nested => falsify(seed, |xs: Vec<Vec<i64>>| verdict(&xs, problems::nested(&xs))),
        Problem::Distinct => falsify(seed, |xs: Vec<i64>| verdict(&xs, problems::distinct(&xs))),
        Problem::LengthList => falsify(seed, |LengthList(xs)| verdict(&xs, problems::length_list(&xs))),
        Problem::Coupling => falsify(seed, |xs: Vec<Index>| {
            let xs: Vec<usize> = xs.into_iter().map(|Index(x)| x).collect();
            verdict(&xs, problems::coupling(&xs))
        }),
        Problem::Deletion => falsify(seed, |ListWithIndex(xs, index)| {
            let judged = problems::deletion(&xs, index);
            verdict(&(xs, index), judged)
        }),
        Problem::Difference1 => {
            falsify(seed, |(Positive(x), Positive(y))| verdict(&(x, y), problems::difference1(x, y)))
        }
        Problem::Difference2 => {
            falsify(seed, |(Positive(x), Positive(y))| verdict(&(x, y), problems::difference2(x, y)))
        }
        Problem::Difference3 => {
            falsify(seed, |(Positive(x), Positive(y))| verdict(&(x, y), problems::difference3(x, y)))
        }
        Problem::Calculator => falsify(seed, |e: Expression| verdict(&e, problems::calculator(&e))),
        Problem::Binheap => falsify(seed, |heap: Heap| verdict(&heap, problems::binheap(&heap))),
    }
}

thread_local! {
    /// The last failure. Properties are plain functions, so it cannot be captured.
    static LAST: RefCell<String> = RefCell::default();
}

/// Shrinking goes on from each failure it meets, so the last one is the smallest.
fn falsify<T: Arbitrary + Debug>(seed: u64, property: fn(T) -> TestResult) -> String {
    let mut check = QuickCheck::new().rng(Gen::from_size_and_seed(SIZE, seed)).tests(CASES).max_tests(CASES);
    assert!(check.quicktest(property).is_err(), "seed {seed} found no failure");
    LAST.take()
}

fn verdict(value: &impl Debug, judged: Option<bool>) -> TestResult {
    match judged {
        None => TestResult::discard(),
        Some(true) => TestResult::passed(),
        Some(false) => {
            LAST.set(format!("{value:?}"));
            TestResult::failed()
        }
    }
}

/// A number in 0..=10.
#[derive(Clone, Debug)]
struct Index(usize);

impl Arbitrary for Index {
    fn arbitrary(g: &mut Gen) -> Index {
        Index(usize::arbitrary(g) % 11)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Index>> {
        Box::new(self.0.shrink().map(Index))
    }
}

/// A number in 1..=1000: uniform in all 64 bits, two would never come near each other.
#[derive(Clone, Debug)]
struct Positive(i64);

impl Arbitrary for Positive {
    fn arbitrary(g: &mut Gen) -> Positive {
        Positive(i64::from(u16::arbitrary(g) % 1000) + 1)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Positive>> {
        Box::new(self.0.shrink().filter(|&n| n > 0).map(Positive))
    }
}

/// 1..=100 numbers in 0..=1000.
#[derive(Clone, Debug)]
struct LengthList(Vec<i64>);

impl Arbitrary for LengthList {
    fn arbitrary(g: &mut Gen) -> LengthList {
        let length = usize::arbitrary(g) % 100 + 1;
        LengthList((0..length).map(|_| i64::from(u16::arbitrary(g) % 1001)).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = LengthList>> {
        Box::new(self.0.shrink().filter(|xs| !xs.is_empty()).map(LengthList))
    }
}

/// A list that is not empty, and one of its indices.
#[derive(Clone, Debug)]
struct ListWithIndex(Vec<i64>, usize);

impl Arbitrary for ListWithIndex {
    fn arbitrary(g: &mut Gen) -> ListWithIndex {
        let mut xs = Vec::arbitrary(g);
        xs.push(i64::arbitrary(g));
        let index = usize::arbitrary(g) % xs.len();
        ListWithIndex(xs, index)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = ListWithIndex>> {
        let smaller = (self.0.clone(), self.1).shrink();
        let valid = smaller.filter(|(xs, index)| *index < xs.len());
        Box::new(valid.map(|(xs, index)| ListWithIndex(xs, index)))
    }
}

const EXPRESSION_DEPTH: u32 = 5;

fn expression(g: &mut Gen, depth: u32) -> Expression {
    let form = if depth == 0 { 0 } else { u8::arbitrary(g) % 3 };
    let mut operand = || Box::new(expression(g, depth - 1));
    match form {
        0 => Expression::Int(i64::arbitrary(g)),
        1 => Expression::Add(operand(), operand()),
        _ => Expression::Div(operand(), operand()),
    }
}

impl Arbitrary for Expression {
    fn arbitrary(g: &mut Gen) -> Expression {
        expression(g, EXPRESSION_DEPTH)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Expression>> {
        let compound = |a: &Expression, b: &Expression, make: Make| {
            let operands = [a.clone(), b.clone()].into_iter();
            let smaller = (Box::new(a.clone()), Box::new(b.clone())).shrink();
            Box::new(operands.chain(smaller.map(move |(a, b)| make(a, b))))
        };
        match self {
            Expression::Int(n) => Box::new(n.shrink().map(Expression::Int)),
            Expression::Add(a, b) => compound(a, b, Expression::Add),
            Expression::Div(a, b) => compound(a, b, Expression::Div),
        }
    }
}

type Make = fn(Box<Expression>, Box<Expression>) -> Expression;

const HEAP_DEPTH: u32 = 5;

fn heap(g: &mut Gen, least: i64, depth: u32) -> Heap {
    if depth == 0 || bool::arbitrary(g) {
        return Heap::EMPTY;
    }
    let value = least + i64::from(u16::arbitrary(g));
    let left = heap(g, value, depth - 1);
    let right = heap(g, value, depth - 1);
    Heap::new(value, left, right)
}

impl Heap {
    fn is_at_least(&self, least: i64) -> bool {
        self.0.as_ref().is_none_or(|node| node.value >= least)
    }
}

impl Arbitrary for Heap {
    fn arbitrary(g: &mut Gen) -> Heap {
        heap(g, 0, HEAP_DEPTH)
    }

    /// The empty heap, a child, then one smaller part at a time as long as the order of the heap is kept.
    fn shrink(&self) -> Box<dyn Iterator<Item = Heap>> {
        let Some(node) = &self.0 else {
            return ::quickcheck::empty_shrinker();
        };
        let Node { value, left, right } = (**node).clone();
        let smaller = (value, left.clone(), right.clone()).shrink();
        let ordered = smaller.filter(|(value, left, right)| {
            *value >= 0 && left.is_at_least(*value) && right.is_at_least(*value)
        });
        let rebuilt = ordered.map(|(value, left, right)| Heap::new(value, left, right));
        Box::new([Heap::EMPTY, left, right].into_iter().chain(rebuilt))
    }
}
