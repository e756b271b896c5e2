//! quickcheck.

use super::workload::{DEPTH_MAX, LENGTH_MAX, Purpose, Tree, Workload, accepts, property};
use super::{Contender, SEED};
use ::quickcheck::{Arbitrary, Gen, QuickCheck, TestResult, Testable};

pub(super) const CONTENDER: Contender = Contender { name: "quickcheck", run };

fn run(workload: Workload, cases: u64, purpose: Purpose) {
    match workload {
        Workload::Pair => check(cases, property::<(u64, u64)>(purpose)),
        Workload::Vec => check(cases, property::<Vec<i64>>(purpose)),
        Workload::String => check(cases, property::<String>(purpose)),
        Workload::Tree => check(cases, property::<Tree>(purpose)),
        Workload::Rejecting => check::<fn((u64, u64)) -> TestResult>(
            cases,
            match purpose {
                Purpose::Time => |pair| assume(pair, Purpose::Time),
                Purpose::Count => |pair| assume(pair, Purpose::Count),
            },
        ),
    }
}

fn check<T: Testable>(cases: u64, property: T) {
    let mut check =
        QuickCheck::new().rng(Gen::from_size_and_seed(LENGTH_MAX + 1, SEED)).tests(cases).max_tests(u64::MAX);
    assert_eq!(check.quicktest(property).ok(), Some(cases), "the property holds");
}

fn assume(pair: (u64, u64), purpose: Purpose) -> TestResult {
    let accepted = accepts(&pair);
    property(purpose)(pair);
    if accepted { TestResult::passed() } else { TestResult::discard() }
}

impl Arbitrary for Tree {
    fn arbitrary(g: &mut Gen) -> Tree {
        tree(g, DEPTH_MAX)
    }
}

/// Forks three times out of four.
fn tree(g: &mut Gen, depth: u32) -> Tree {
    if depth > 0 && g.choose(&[true, true, true, false]) == Some(&true) {
        let left = tree(g, depth - 1);
        let right = tree(g, depth - 1);
        Tree::Fork(Box::new(left), Box::new(right))
    } else {
        Tree::Leaf(i64::arbitrary(g))
    }
}
