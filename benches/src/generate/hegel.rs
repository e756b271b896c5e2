//! hegeltest. Lengths are drawn first: left to itself, it makes lists and strings of a handful of elements.

use super::workload::{DEPTH_MAX, Elements, LENGTH_MAX, Purpose, Tree, Workload, accepts, property};
use super::{Contender, SEED};
use ::hegel::generators::{self as gs, Generator};
use ::hegel::{HealthCheck, Hegel, Settings, TestCase, Verbosity};

pub(super) const CONTENDER: Contender = Contender { name: "hegel", run };

fn run(workload: Workload, cases: u64, purpose: Purpose) {
    let pairs = || gs::tuples!(gs::integers::<u64>(), gs::integers::<u64>());
    let lengths = || gs::integers::<usize>().max_value(LENGTH_MAX);
    match workload {
        Workload::Pair => check(cases, purpose, pairs()),
        Workload::Vec => {
            let lists = lengths()
                .flat_map(|length| gs::vecs(gs::integers::<i64>()).min_size(length).max_size(length));
            check(cases, purpose, lists);
        }
        Workload::String => {
            let strings = lengths().flat_map(|length| gs::text().min_size(length).max_size(length));
            check(cases, purpose, strings);
        }
        Workload::Tree => check(cases, purpose, trees()),
        Workload::Rejecting => {
            let property = property(purpose);
            run_property(cases, |case| {
                let pair = case.draw_silent(pairs());
                let accepted = accepts(&pair);
                property(pair);
                case.assume(accepted);
            });
        }
    }
}

fn check<T: Elements>(cases: u64, purpose: Purpose, generator: impl Generator<T>) {
    let property = property(purpose);
    run_property(cases, |case| property(case.draw_silent(&generator)));
}

fn run_property(cases: u64, property: impl FnMut(TestCase)) {
    let settings = Settings::from_profile("base")
        .test_cases(cases)
        .seed(Some(SEED))
        .database(None)
        .verbosity(Verbosity::Quiet)
        .suppress_health_check([HealthCheck::FilterTooMuch, HealthCheck::TooSlow]);
    Hegel::new(property).settings(settings).run();
}

fn trees() -> impl Generator<Tree> {
    let leaves = gs::integers::<i64>().map(Tree::Leaf);
    let trees = gs::recursive(leaves, |inner| {
        let boxed = || inner.clone().map(Box::new);
        gs::tuples!(boxed(), boxed()).map(|(left, right)| Tree::Fork(left, right))
    });
    trees.max_depth(DEPTH_MAX as usize).max_leaves(48)
}
