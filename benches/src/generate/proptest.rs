//! proptest.
//!
//! Strings are its default ones, `\PC`, from an expression that is parsed once. The default strategy itself,
//! a `&str`, parses it again for each case and makes about 0.6 times as many characters; a list of
//! `any::<char>()`, which is another distribution, makes about 2.5 times as many.

use super::workload::{DEPTH_MAX, Elements, LENGTH_MAX, Purpose, Tree, Workload, accepts, property};
use super::{Contender, SEED};
use ::proptest::collection::vec;
use ::proptest::prelude::*;
use ::proptest::string::string_regex;
use ::proptest::test_runner::{RngSeed, TestRunner};

pub(super) const CONTENDER: Contender = Contender { name: "proptest", run };

fn run(workload: Workload, cases: u64, purpose: Purpose) {
    match workload {
        Workload::Pair => check(cases, purpose, any::<(u64, u64)>()),
        Workload::Vec => check(cases, purpose, vec(any::<i64>(), 0..=LENGTH_MAX)),
        Workload::String => {
            let strings = string_regex(&format!("\\PC{{0,{LENGTH_MAX}}}"));
            check(cases, purpose, strings.expect("the expression is well formed"));
        }
        Workload::Tree => check(cases, purpose, trees()),
        Workload::Rejecting => {
            let property = property(purpose);
            let end = runner(cases).run(&any::<(u64, u64)>(), |pair| {
                let accepted = accepts(&pair);
                property(pair);
                prop_assume!(accepted);
                Ok(())
            });
            end.expect("the property holds");
        }
    }
}

fn check<S: Strategy>(cases: u64, purpose: Purpose, strategy: S)
where
    S::Value: Elements,
{
    let property = property(purpose);
    let end = runner(cases).run(&strategy, |value| {
        property(value);
        Ok(())
    });
    end.expect("the property holds");
}

fn runner(cases: u64) -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases: cases.try_into().expect("a run is short"),
        max_global_rejects: u32::MAX,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(SEED),
        ..ProptestConfig::default()
    })
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaves = any::<i64>().prop_map(Tree::Leaf);
    // The desired size is a wish: 256 makes 34 nodes on average.
    leaves.prop_recursive(DEPTH_MAX, 256, 2, |inner| {
        let pairs = (inner.clone(), inner);
        pairs.prop_map(|(left, right)| Tree::Fork(Box::new(left), Box::new(right)))
    })
}
