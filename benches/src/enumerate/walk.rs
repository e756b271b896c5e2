//! The sets of values that are enumerated.

use std::hint::black_box;

/// A set of values to visit one by one, each handed to [`black_box`] or to a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    /// The first [`PAIRS`] pairs of integers in antidiagonal order, judged by [`judged`].
    Pairs,
    /// All lists of at most [`LENGTH_MAX`] flags.
    Lists,
    /// The same lists, each computed from its index.
    ListsByIndex,
    /// All binary trees of at most [`NODES_MAX`] nodes.
    Trees,
}

impl Walk {
    pub(super) const ALL: [Walk; 4] = [Walk::Pairs, Walk::Lists, Walk::ListsByIndex, Walk::Trees];

    pub(super) fn name(self) -> &'static str {
        match self {
            Walk::Pairs => "pairs",
            Walk::Lists => "lists",
            Walk::ListsByIndex => "lists-by-index",
            Walk::Trees => "trees",
        }
    }

    /// How many values the set has.
    pub(super) fn len(self) -> u64 {
        match self {
            Walk::Pairs => PAIRS,
            Walk::Lists | Walk::ListsByIndex => (1 << (LENGTH_MAX + 1)) - 1,
            // The Catalan numbers 1, 1, 2, 5 … 4 862, 16 796 of trees with 0 to 10 forks.
            Walk::Trees => 23_714,
        }
    }
}

pub(super) const PAIRS: u64 = 4_000_000;

pub(super) const LENGTH_MAX: usize = 20;

/// Forks and leaves. Nine in ten of these trees have 19 or 21 nodes.
pub(super) const NODES_MAX: usize = 21;

/// A binary tree.
#[derive(Debug, ::exhaustive::Exhaustive)]
pub(super) enum Tree {
    Leaf,
    #[expect(dead_code, reason = "trees are enumerated for their own sake")]
    Fork(Box<Tree>, Box<Tree>),
}

/// Lets a walk over pairs meet a property that holds, behind a `dyn` that the compiler cannot see through.
pub(super) fn judged(walk: impl FnOnce(&mut dyn FnMut(i64, i64) -> bool) -> u64) -> u64 {
    let property: &mut dyn FnMut(i64, i64) -> bool = &mut |a, b| black_box(a) ^ b != i64::MIN;
    walk(black_box(property))
}
