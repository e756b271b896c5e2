//! The problems of the Shrinking Challenge: plain functions over plain values.
//!
//! A judge says `Some(true)` where its property holds, `Some(false)` where it fails and `None` where the
//! precondition does not hold. Each evaluation is counted (see [`tally`](super::tally)).

use super::tally::judged;
use std::collections::BTreeSet;
use std::fmt;

/// One row of the challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    Reverse,
    LargeUnion,
    Bound5,
    Nested,
    Distinct,
    LengthList,
    Coupling,
    Deletion,
    Difference1,
    Difference2,
    Difference3,
    Calculator,
    Binheap,
}

impl Problem {
    /// All of them, in the order of the table.
    pub(super) const ALL: [Problem; 13] = [
        Problem::Reverse,
        Problem::LargeUnion,
        Problem::Bound5,
        Problem::Nested,
        Problem::Distinct,
        Problem::LengthList,
        Problem::Coupling,
        Problem::Deletion,
        Problem::Difference1,
        Problem::Difference2,
        Problem::Difference3,
        Problem::Calculator,
        Problem::Binheap,
    ];

    /// The name in the table and on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Problem::Reverse => "reverse",
            Problem::LargeUnion => "large-union",
            Problem::Bound5 => "bound5",
            Problem::Nested => "nested",
            Problem::Distinct => "distinct",
            Problem::LengthList => "length-list",
            Problem::Coupling => "coupling",
            Problem::Deletion => "deletion",
            Problem::Difference1 => "difference1",
            Problem::Difference2 => "difference2",
            Problem::Difference3 => "difference3",
            Problem::Calculator => "calculator",
            Problem::Binheap => "binheap",
        }
    }

    /// The smallest failure there is, as `Debug` shows it. Numbers are ordered 0, 1, −1, 2, −2 …; of equally
    /// small failures the one whose first parts are the smallest is meant.
    pub(super) fn smallest(self) -> &'static str {
        match self {
            Problem::Reverse => "[0, 1]",
            Problem::LargeUnion => "[[0, 1, -1, 2, -2]]",
            Problem::Bound5 => "[[], [], [], [-1], [-32768]]",
            Problem::Nested => "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]",
            Problem::Distinct => "[0, 1, -1]",
            Problem::LengthList => "[900]",
            Problem::Coupling => "[1, 0]",
            Problem::Deletion => "([0, 0], 0)",
            Problem::Difference1 => "(10, 10)",
            Problem::Difference2 => "(10, 6)",
            Problem::Difference3 => "(10, 9)",
            Problem::Calculator => "(0 / (0 + 0))",
            Problem::Binheap => "(0, None, (0, (0, None, None), (1, None, None)))",
        }
    }
}

/// A list equals its reverse.
pub(super) fn reverse(xs: &[i64]) -> Option<bool> {
    judged(Some(xs.iter().eq(xs.iter().rev())))
}

/// The union of lists has at most four distinct elements.
pub(super) fn large_union(lists: &[Vec<i64>]) -> Option<bool> {
    let union: BTreeSet<i64> = lists.iter().flatten().copied().collect();
    judged(Some(union.len() <= 4))
}

/// Five lists that each sum to less than 256 sum to less than 5 · 256, in 16 bits that wrap.
pub(super) fn bound5(lists: &[Vec<i16>; 5]) -> Option<bool> {
    let sum = |list: &Vec<i16>| list.iter().fold(0_i16, |sum, &x| sum.wrapping_add(x));
    let sums = lists.each_ref().map(sum);
    let met = sums.iter().all(|&sum| sum < 256);
    let total = sums.into_iter().fold(0, i16::wrapping_add);
    judged(met.then_some(total < 5 * 256))
}

/// The lengths of lists sum to at most ten.
pub(super) fn nested(lists: &[Vec<i64>]) -> Option<bool> {
    judged(Some(lists.iter().map(Vec::len).sum::<usize>() <= 10))
}

/// A list has fewer than three distinct elements.
pub(super) fn distinct(xs: &[i64]) -> Option<bool> {
    let distinct: BTreeSet<i64> = xs.iter().copied().collect();
    judged(Some(distinct.len() < 3))
}

/// The greatest element of a list of 1..=100 numbers in 0..=1000, its length chosen first, is less than 900.
pub(super) fn length_list(xs: &[i64]) -> Option<bool> {
    judged(xs.iter().max().map(|&max| max < 900))
}

/// No two elements of a list of indices (numbers in 0..=10, all less than its length) point at each other.
pub(super) fn coupling(xs: &[usize]) -> Option<bool> {
    let met = xs.iter().all(|&x| x < xs.len());
    let coupled = |i: usize| xs[i] != i && xs[xs[i]] == i;
    judged(met.then(|| !(0..xs.len()).any(coupled)))
}

/// Once the (first) element equal to the one at `index` is removed, it is no longer in the list.
pub(super) fn deletion(xs: &[i64], index: usize) -> Option<bool> {
    let gone = |&x: &i64| xs.iter().filter(|&&y| y == x).count() == 1;
    judged(xs.get(index).map(gone))
}

/// Two positive numbers differ, unless the first is less than ten.
pub(super) fn difference1(x: i64, y: i64) -> Option<bool> {
    judged(Some(x < 10 || x != y))
}

/// Two positive numbers do not differ by 1..=4, unless the first is less than ten.
pub(super) fn difference2(x: i64, y: i64) -> Option<bool> {
    judged(Some(x < 10 || !(1..=4).contains(&x.abs_diff(y))))
}

/// Two positive numbers do not differ by one, unless the first is less than ten.
pub(super) fn difference3(x: i64, y: i64) -> Option<bool> {
    judged(Some(x < 10 || x.abs_diff(y) != 1))
}

/// An expression in which nothing is divided by the literal 0 evaluates without a division by zero.
pub(super) fn calculator(expression: &Expression) -> Option<bool> {
    let met = !expression.divides_by_literal_zero();
    judged(met.then(|| expression.value().is_some()))
}

/// The (wrongly) sorted list of a heap is sorted, and has the elements of the heap.
pub(super) fn binheap(heap: &Heap) -> Option<bool> {
    let mut sorted = heap.to_list();
    sorted.sort_unstable();
    judged(Some(heap.to_sorted_list_wrongly() == sorted))
}

/// Arithmetic over 64-bit integers that wrap.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Expression {
    Int(i64),
    Add(Box<Expression>, Box<Expression>),
    Div(Box<Expression>, Box<Expression>),
}

impl Expression {
    fn divides_by_literal_zero(&self) -> bool {
        match self {
            Expression::Int(_) => false,
            Expression::Div(_, by) if **by == Expression::Int(0) => true,
            Expression::Add(a, b) | Expression::Div(a, b) => {
                a.divides_by_literal_zero() || b.divides_by_literal_zero()
            }
        }
    }

    /// `None` for a division by zero.
    fn value(&self) -> Option<i64> {
        match self {
            Expression::Int(n) => Some(*n),
            Expression::Add(a, b) => Some(a.value()?.wrapping_add(b.value()?)),
            Expression::Div(a, b) => match (a.value()?, b.value()?) {
                (_, 0) => None,
                (a, b) => Some(a.wrapping_div(b)),
            },
        }
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Expression::Int(n) => write!(f, "{n}"),
            Expression::Add(a, b) => write!(f, "({a:?} + {b:?})"),
            Expression::Div(a, b) => write!(f, "({a:?} / {b:?})"),
        }
    }
}

/// A binary heap: no value is less than the one above it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Heap(pub(super) Option<Box<Node>>);

/// The top of a heap that is not empty.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) value: i64,
    pub(super) left: Heap,
    pub(super) right: Heap,
}

impl Heap {
    pub(super) const EMPTY: Heap = Heap(None);

    pub(super) fn new(value: i64, left: Heap, right: Heap) -> Heap {
        Heap(Some(Box::new(Node { value, left, right })))
    }

    /// The values from the top down, right before left.
    fn to_list(&self) -> Vec<i64> {
        let mut list = Vec::new();
        let mut todo = vec![self];
        while let Some(heap) = todo.pop() {
            if let Some(node) = &heap.0 {
                list.push(node.value);
                todo.extend([&node.left, &node.right]);
            }
        }
        list
    }

    /// The planted bug: only the top is taken off in order, the rest is listed as it stands.
    fn to_sorted_list_wrongly(&self) -> Vec<i64> {
        let Some(node) = &self.0 else {
            return Vec::new();
        };
        let mut list = vec![node.value];
        list.extend(merge(&node.left, &node.right).to_list());
        list
    }
}

/// One heap with the values of two.
fn merge(a: &Heap, b: &Heap) -> Heap {
    match (&a.0, &b.0) {
        (None, _) => b.clone(),
        (_, None) => a.clone(),
        (Some(top), Some(other)) if top.value <= other.value => {
            Heap::new(top.value, merge(&top.right, b), top.left.clone())
        }
        (Some(_), Some(top)) => Heap::new(top.value, merge(&top.right, a), top.left.clone()),
    }
}

impl fmt::Debug for Heap {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.0 {
            None => f.write_str("None"),
            Some(node) => write!(f, "({}, {:?}, {:?})", node.value, node.left, node.right),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(value: i64) -> Heap {
        Heap::new(value, Heap::EMPTY, Heap::EMPTY)
    }

    fn int(n: i64) -> Box<Expression> {
        Box::new(Expression::Int(n))
    }

    #[test]
    fn the_smallest_failures_fail() {
        assert_eq!(reverse(&[0, 1]), Some(false));
        assert_eq!(large_union(&[vec![0, 1, -1, 2, -2]]), Some(false));
        assert_eq!(bound5(&[vec![], vec![], vec![], vec![-1], vec![-32768]]), Some(false));
        assert_eq!(nested(&[vec![0; 11]]), Some(false));
        assert_eq!(distinct(&[0, 1, -1]), Some(false));
        assert_eq!(length_list(&[900]), Some(false));
        assert_eq!(coupling(&[1, 0]), Some(false));
        assert_eq!(deletion(&[0, 0], 0), Some(false));
        assert_eq!(difference1(10, 10), Some(false));
        assert_eq!(difference2(10, 6), Some(false));
        assert_eq!(difference3(10, 9), Some(false));
        let zero = Box::new(Expression::Add(int(0), int(0)));
        let expression = Expression::Div(int(0), zero);
        assert_eq!(format!("{expression:?}"), Problem::Calculator.smallest());
        assert_eq!(calculator(&expression), Some(false));
        let heap = Heap::new(0, Heap::EMPTY, Heap::new(0, leaf(0), leaf(1)));
        assert_eq!(format!("{heap:?}"), Problem::Binheap.smallest());
        assert_eq!(binheap(&heap), Some(false));
    }

    #[test]
    fn preconditions_reject() {
        assert_eq!(bound5(&[vec![256], vec![], vec![], vec![], vec![]]), None);
        assert_eq!(coupling(&[2, 0]), None);
        assert_eq!(deletion(&[0, 0], 2), None);
        assert_eq!(length_list(&[]), None);
        assert_eq!(calculator(&Expression::Div(int(1), int(0))), None);
    }

    #[test]
    fn small_values_pass() {
        assert_eq!(reverse(&[0, 1, 0]), Some(true));
        assert_eq!(coupling(&[0, 1, 2]), Some(true));
        assert_eq!(deletion(&[0, 1], 1), Some(true));
        assert_eq!(difference2(10, 5), Some(true));
        assert_eq!(binheap(&Heap::new(0, leaf(2), leaf(1))), Some(true));
    }
}
