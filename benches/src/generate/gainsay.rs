//! gainsay.

use super::workload::{DEPTH_MAX, LENGTH_MAX, Purpose, Tree, Workload, accepts, property};
use super::{Contender, SEED};
use ::gainsay::{Case, Claim, Settings, Verdict, settings};

pub(super) const CONTENDER: Contender = Contender { name: "gainsay", run };

fn run(workload: Workload, cases: u64, purpose: Purpose) {
    let settings = settings().random_only().cases(cases).seed(SEED).without_corpus().limits(|limits| {
        limits.size_max = LENGTH_MAX as u32;
        limits.rejected_factor_max = 100;
    });
    let verdict = match workload {
        Workload::Pair => settings.verdict_for_all(|a: u64, b: u64| property(purpose)((a, b))),
        Workload::Vec => settings.verdict_for_all(property::<Vec<i64>>(purpose)),
        Workload::String => settings.verdict_for_all(property::<String>(purpose)),
        Workload::Tree => settings.verdict_with(|case: &mut Case| tree(case, DEPTH_MAX), property(purpose)),
        Workload::Rejecting => rejecting(settings, purpose),
    };
    assert_eq!(verdict.cases(), cases, "{verdict}");
}

fn rejecting(settings: Settings, purpose: Purpose) -> Verdict {
    settings.verdict_for_all(|a: u64, b: u64| {
        let accepted = accepts(&(a, b));
        property(purpose)((a, b));
        accepted.implies(|| true)
    })
}

/// Forks three times out of four.
fn tree(case: &mut Case, depth: u32) -> Tree {
    if depth > 0 && case.flag_weighted(3, 1) {
        let left = tree(case, depth - 1);
        let right = tree(case, depth - 1);
        Tree::Fork(Box::new(left), Box::new(right))
    } else {
        Tree::Leaf(case.any())
    }
}
