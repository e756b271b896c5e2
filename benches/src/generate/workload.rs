//! What is generated, and the properties that take it.

use std::cell::Cell;
use std::hint::black_box;

/// A kind of value. Sizes are meant to be alike in all libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Workload {
    /// Two numbers.
    Pair,
    /// At most [`LENGTH_MAX`] numbers, about half as many on average.
    Vec,
    /// At most [`LENGTH_MAX`] characters, about half as many on average.
    String,
    /// A [`Tree`] of depth [`DEPTH_MAX`] at most, of about 32 nodes on average: so many has one that forks
    /// three times out of four.
    Tree,
    /// Two numbers, of which nine in ten pairs do not meet the precondition [`accepts`].
    Rejecting,
}

impl Workload {
    pub(super) const ALL: [Workload; 5] =
        [Workload::Pair, Workload::Vec, Workload::String, Workload::Tree, Workload::Rejecting];

    pub(super) fn name(self) -> &'static str {
        match self {
            Workload::Pair => "pair",
            Workload::Vec => "vec",
            Workload::String => "string",
            Workload::Tree => "tree",
            Workload::Rejecting => "rejecting",
        }
    }
}

/// The longest list and the longest string.
pub(super) const LENGTH_MAX: usize = 100;

/// The deepest tree; a leaf alone has depth 0.
pub(super) const DEPTH_MAX: u32 = 6;

/// A binary tree.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Leaf(#[expect(dead_code, reason = "values are generated for their own sake")] i64),
    Fork(Box<Tree>, Box<Tree>),
}

/// The precondition of [`Workload::Rejecting`]: true for one pair in ten, however the numbers are
/// distributed.
pub(super) fn accepts(&(a, b): &(u64, u64)) -> bool {
    (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) < u64::MAX / 10
}

/// A value made of countable parts.
pub(super) trait Elements {
    fn elements(&self) -> u64;
}

impl Elements for (u64, u64) {
    fn elements(&self) -> u64 {
        2
    }
}

impl Elements for Vec<i64> {
    fn elements(&self) -> u64 {
        self.len() as u64
    }
}

impl Elements for String {
    fn elements(&self) -> u64 {
        self.chars().count() as u64
    }
}

impl Elements for Tree {
    fn elements(&self) -> u64 {
        match self {
            Tree::Leaf(_) => 1,
            Tree::Fork(left, right) => 1 + left.elements() + right.elements(),
        }
    }
}

/// Why a workload is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To time it.
    Time,
    /// To count cases and elements.
    Count,
}

/// The property of this purpose. It always passes.
pub(super) fn property<T: Elements>(purpose: Purpose) -> fn(T) {
    match purpose {
        Purpose::Time => take,
        Purpose::Count => count,
    }
}

fn take<T>(value: T) {
    black_box(value);
}

/// Cases and elements.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) cases: u64,
    pub(super) elements: u64,
}

thread_local! {
    static COUNTS: Cell<Counts> = Cell::default();
}

fn count<T: Elements>(value: T) {
    let Counts { cases, elements } = COUNTS.get();
    COUNTS.set(Counts { cases: cases + 1, elements: elements + value.elements() });
}

/// What has been counted since the last call.
pub(super) fn counted() -> Counts {
    COUNTS.take()
}
