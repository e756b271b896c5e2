//! Shrinking: the obvious minimum, the same failure, within its budget.

use crate::support::{Folder, Tree, assert_contains, found, minimum, seeded};
use gainsay::prelude::*;
use gainsay::{Arbitrary, Origin, Record, shortlex};
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

/// The minimum that every one of a few seeds finds.
#[track_caller]
fn shrinks_to<T: Arbitrary + Debug>(holds: impl Fn(&T) -> bool, expected: &str) {
    for seed in [1, 22, 333] {
        let run = seeded(seed).random_only().cases(20_000).without_explanation();
        let verdict = run.verdict_with(any::<T>(), |value: T| holds(&value));
        assert_eq!(minimum(&verdict), expected, "seed {seed}");
        let evaluations = found(&verdict).evaluations;
        assert!(evaluations < 1000, "seed {seed}: {evaluations} evaluations");
    }
    // The twin: a claim about nothing but what types promise.
    let verdict = seeded(1).verdict_with(any::<T>(), |value: T| !holds(&value) || holds(&value));
    assert!(verdict.is_good(), "{verdict}");
}

#[test]
fn integers_shrink_to_the_bound_nearest_to_zero() {
    shrinks_to::<u64>(|&n| n < 1_000_003, "1000003");
    shrinks_to::<i32>(|&n| n > -500, "-500");
    shrinks_to::<i64>(|&n| n.unsigned_abs() < 100, "100");
    shrinks_to::<u128>(|&n| n < 1 << 70, "1180591620717411303424");
    shrinks_to::<i128>(|&n| n > -(1 << 70), "-1180591620717411303424");
}

#[test]
fn the_first_cases_of_the_enumeration_are_judged_in_the_end() {
    shrinks_to::<i64>(|&n| n % 1000 != 7, "7");
}

#[test]
fn floats_shrink_to_short_ones() {
    shrinks_to::<f64>(|&x| x < 100.0 || x.is_nan(), "100.0");
    shrinks_to::<f64>(|&x| x > -0.25 || x.is_nan(), "-1.0");
    shrinks_to::<f64>(|x| !x.is_nan(), "NaN");
    shrinks_to::<f64>(|x| x.is_finite(), "inf");
    shrinks_to::<f32>(|&x| x.fract() == 0.0 || !x.is_finite(), "0.5");
    shrinks_to::<f64>(|&x| !(x > 0.0 && x < 1.0), "0.5");
}

#[test]
fn characters_and_strings_shrink_to_letters() {
    shrinks_to::<char>(|c| !c.is_uppercase(), "'A'");
    shrinks_to::<char>(|c| c.is_ascii(), "'\\u{80}'");
    shrinks_to::<String>(|s| s.chars().count() < 4, "\"aaaa\"");
    shrinks_to::<String>(|s| !s.contains(|c: char| c.is_ascii_digit()), "\"0\"");
    shrinks_to::<String>(|s| s.len() == s.chars().count(), "\"\\u{80}\"");
}

#[test]
fn options_results_and_maps_shrink_to_small_ones() {
    shrinks_to::<Option<Option<u8>>>(|o| o.flatten().is_none(), "Some(Some(0))");
    shrinks_to::<Result<u8, Vec<u8>>>(|r| r.as_ref().err().is_none_or(Vec::is_empty), "Err([0])");
    shrinks_to::<BTreeMap<u8, bool>>(
        |map| map.values().filter(|yes| **yes).count() < 2,
        "{0: true, 1: true}",
    );
    shrinks_to::<HashMap<u16, String>>(|map| map.values().all(String::is_empty), "{0: \"a\"}");
    shrinks_to::<BTreeSet<i32>>(|set| set.len() < 3, "{-1, 0, 1}");
    shrinks_to::<Vec<BTreeSet<String>>>(|sets| sets.iter().all(|set| set.len() < 2), "[{\"\", \"a\"}]");
}

#[test]
fn recursive_types_shrink_to_small_trees() {
    shrinks_to::<Tree>(|tree| tree.depth() < 2, "Fork(Leaf(false), Fork(Leaf(false), Leaf(false)))");
    shrinks_to::<Tree>(|tree| tree.leaves() < 3, "Fork(Leaf(false), Fork(Leaf(false), Leaf(false)))");
    shrinks_to::<Box<Tree>>(|tree| **tree != Tree::Leaf(true), "Leaf(true)");
}

#[test]
fn linked_values_shrink_together() {
    shrinks_to::<(u32, u32)>(|(a, b)| *a != *b || *a < 50, "(50, 50)");
    shrinks_to::<Vec<u16>>(|xs| xs.iter().map(|x| u32::from(*x)).sum::<u32>() < 1000, "[1000]");
}

/// A few properties of several shapes, by number: each fails somewhere.
fn fails(which: u64, list: &[i64], text: &str) -> bool {
    match which {
        0 => list.iter().any(|x| x.unsigned_abs() > 99),
        1 => list.windows(2).any(|pair| pair[0] > pair[1]),
        2 => text.chars().count() > list.len() + 2,
        3 => list.len() > 3 && text.chars().any(|c| !c.is_ascii_lowercase()),
        _ => list.iter().map(|x| i128::from(*x)).sum::<i128>() < -1000,
    }
}

/// The contract, tested by the engine itself: the last case still fails, is not larger than the first, and shrinks no further.
#[test]
fn the_shrinkers_contract_holds() {
    let folder = Folder::new("contract");
    seeded(5).cases(60).check(|case| {
        let (which, seed) = (case.int(0..=4u64), case.int(0..=u64::MAX));
        let first: Cell<Option<Record>> = Cell::new(None);
        let property = |case: &mut Case| {
            let (list, text) = (case.any::<Vec<i64>>(), case.any::<String>());
            let failed = fails(which, &list, &text);
            if failed && first.take().map(|known| first.set(Some(known))).is_none() {
                first.set(Some(case.record()));
            }
            !failed
        };
        let run = || seeded(seed).cases(5000).corpus(folder.path()).name(&format!("contract {which} {seed}"));
        let verdict = run().verdict(property);
        let failure = found(&verdict);
        let first = first.take().unwrap();
        assert_ne!(shortlex(&failure.record.choices, &first.choices), Ordering::Greater, "larger than found");
        assert!(failure.history.is_sorted_by_key(|(choices, _)| std::cmp::Reverse(*choices)));
        // From the corpus, where it is the first case now.
        let again = run().verdict(|case| !fails(which, &case.any::<Vec<i64>>(), &case.any::<String>()));
        let again = found(&again);
        assert_eq!(again.origin, Origin::Corpus);
        assert_eq!(again.record.values(), failure.record.values(), "shrinking again changed something");
        assert_eq!(again.kind, failure.kind);
    });
}

/// Two bugs: shrinking the large numbers leads through the middling ones.
fn two_bugs(list: &[u32]) {
    assert!(list.iter().all(|n| *n <= 1_000_000), "too large: {list:?}");
    assert!(list.iter().all(|n| *n < 700), "suspicious: {list:?}");
}

#[test]
fn shrinking_one_bug_never_drifts_to_another() {
    let mut both = 0;
    for seed in 0..16 {
        let verdict = seeded(seed).random_only().verdict_for_all(|list: Vec<u32>| two_bugs(&list));
        let Verdict::Falsified(falsified) = &verdict else { panic!("{verdict}") };
        for failure in std::iter::once(&falsified.counterexample).chain(&falsified.others) {
            let expected = if failure.message.contains("too large") { "[1000001]" } else { "[700]" };
            assert_eq!(failure.notes[0].value, expected, "{}", failure.message);
        }
        if let [other] = falsified.others.as_slice() {
            both += 1;
            assert_ne!(other.kind, falsified.counterexample.kind);
            assert_eq!(other.origin, Origin::Shrinking);
            assert_contains(&verdict.to_string(), "another failure, met in the same run");
        }
    }
    // Which failure is found first is a matter of luck; on the way down from the larger one the other is met.
    assert!(both >= 8, "{both} of 16 runs met both bugs");
    let twin = |list: Vec<u32>| two_bugs(&list.iter().map(|n| n % 700).collect::<Vec<_>>());
    assert_eq!(seeded(0).random_only().verdict_for_all(twin).to_string(), "passed: 1000 cases");
}

#[test]
fn no_more_failures_are_shrunk_than_asked_for() {
    let run = |most| seeded(1).random_only().limits(|limits| limits.failures_max = most);
    let others = |most| match run(most)
        .verdict_for_all(|n: u64| assert!(n < 10, "{}", "x".repeat(n.ilog2() as usize)))
    {
        Verdict::Falsified(falsified) => falsified.others.len(),
        verdict => panic!("{verdict}"),
    };
    assert_eq!((others(1), others(2), others(4)), (0, 1, 3));
}

#[test]
fn claims_are_told_apart_by_their_names_and_by_what_they_say() {
    let named = |n: u32| (n < 1000).named("small").and((n % 7 != 3 || n < 20).named("not three"));
    let verdict = seeded(1).random_only().verdict_for_all(named);
    let Verdict::Falsified(falsified) = &verdict else { panic!("{verdict}") };
    let all: Vec<_> = std::iter::once(&falsified.counterexample).chain(&falsified.others).collect();
    assert_eq!(all.len(), 2, "{verdict}");
    for failure in all {
        let small = failure.kind.to_string().contains("`small`");
        let (clause, minimum) = if small { ("small", "1000") } else { ("not three", "24") };
        assert_contains(&failure.message, &format!("clause `{clause}` is false"));
        assert_eq!(failure.notes[0].value, minimum);
    }
    // Without names, by the comparison that does not hold.
    let unnamed = |n: u32| if n > 1000 { equal(n, 0) } else { less(n % 100, 80) };
    let verdict = seeded(1).random_only().verdict_for_all(unnamed);
    let Verdict::Falsified(falsified) = &verdict else { panic!("{verdict}") };
    assert_eq!((found(&verdict).notes[0].value.as_str(), falsified.others.len()), ("1001", 1), "{verdict}");
}

#[test]
fn a_signature_of_the_users_decides_what_is_the_same_failure() {
    let property = |n: u32| {
        if n >= 10 {
            let failure = gainsay::Failure::new("somewhere", format!("{n}")).with_signature("mine");
            std::panic::panic_any(failure);
        }
    };
    let verdict = seeded(1).random_only().verdict_for_all(property);
    assert_eq!((found(&verdict).kind.to_string().as_str(), minimum(&verdict).as_str()), ("mine", "10"));
}

#[test]
fn a_budget_is_kept_and_reported() {
    let unsorted = |list: &Vec<i64>| list.iter().any(|x| *x > 1000) && list.len() > 2;
    let judged = Cell::new(0u64);
    let shrink = |budget: u64| {
        judged.set(0);
        let failing = Cell::new(None);
        let run = seeded(9).random_only().without_explanation().limits(|limits| limits.shrinks_max = budget);
        let verdict = run.verdict_for_all(|list: Vec<i64>| {
            judged.set(judged.get() + 1);
            if unsorted(&list) && failing.get().is_none() {
                failing.set(Some(judged.get()));
            }
            !unsorted(&list)
        });
        // All runs after the first failure, less those that confirm and show it.
        let spent = judged.get() - failing.get().unwrap();
        (found(&verdict).evaluations, found(&verdict).cut, spent, verdict.to_string())
    };
    let (whole, cut, ..) = shrink(20_000);
    assert!(!cut && whole > 10, "{whole}");
    for budget in [0, 1, 2, 5, 20, whole - 1] {
        let (evaluations, cut, spent, shown) = shrink(budget);
        assert!(evaluations <= budget, "{evaluations} evaluations with a budget of {budget}");
        assert!(spent <= budget + 7, "{spent} evaluations with a budget of {budget}");
        assert!(cut, "a budget of {budget} ends shrinking");
        assert!(evaluations == 0 || shown.contains("ended by a limit"), "{shown}");
    }
}

#[test]
fn a_budget_holds_for_the_last_pass_too() {
    // A failure that cannot be shrunk: all there is to do is the pass over the enumeration.
    let limit = |budget: u64| seeded(1).random_only().limits(|limits| limits.shrinks_max = budget);
    let hard = |list: &Vec<bool>| list.len() > 9 && list.iter().filter(|yes| **yes).count() == 5;
    for budget in [10, 30, 60, 90] {
        let verdict = limit(budget).verdict_for_all(|list: Vec<bool>| !hard(&list));
        assert!(found(&verdict).evaluations <= budget, "{} of {budget}", found(&verdict).evaluations);
    }
}

#[test]
fn two_numbers_that_are_moved_together_may_make_the_case_shorter() {
    // The first number says how many follow; which lists fail is a matter of luck, so that all orders of edits are met.
    let is_good = |list: &[u32]| list.iter().fold(7u32, |mixed, n| mixed.wrapping_mul(31) ^ n) % 3 != 0;
    for seed in 0..200 {
        let run = seeded(seed).random_only().without_explanation();
        let verdict = run.verdict(|case| {
            let first = case.int(0..=600u32);
            let list: Vec<u32> = (0..first / 100).map(|_| case.int(0..=600u32)).collect();
            list.len() < 2 || is_good(&list)
        });
        let first = &found(&verdict).record.choices[0];
        assert_eq!(first.value, 200, "seed {seed}: {verdict}");
    }
}
