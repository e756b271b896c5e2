//! exhaustigen: a test body draws from a `Gen` and is run until every combination of draws has been seen.

use super::Contender;
use super::walk::{LENGTH_MAX, Walk};
use ::exhaustigen::Gen;
use std::hint::black_box;

/// The fastest natural way: all lists in one buffer.
pub(super) const CONTENDER: Contender =
    Contender { name: "exhaustigen", walks: &[(Walk::Lists, lists)], figures: &[] };

/// A new list for each run, as the crate's examples collect them. For information.
pub(super) const COLLECTED: Contender =
    Contender { name: "exhaustigen, collected", walks: &[(Walk::Lists, new_lists)], figures: &[] };

fn lists() -> u64 {
    let mut source = Gen::new();
    let mut list = Vec::new();
    let mut visited = 0;
    while !source.done() {
        list.clear();
        list.extend(source.gen_bound_by(LENGTH_MAX, |source| source.flip()));
        black_box(&list);
        visited += 1;
    }
    visited
}

fn new_lists() -> u64 {
    let mut source = Gen::new();
    let mut visited = 0;
    while !source.done() {
        let list: Vec<bool> = source.gen_bound_by(LENGTH_MAX, |source| source.flip()).collect();
        black_box(&list);
        visited += 1;
    }
    visited
}
