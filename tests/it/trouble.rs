//! Bad input: each kind gets a message that names the culprit, and nothing hangs.

use crate::support::{Folder, assert_contains, found, gave_up, proved, seeded};
use gainsay::prelude::*;
use gainsay::{Arbitrary, Grammar, Space};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

/// `file:line`, as messages have it.
macro_rules! here {
    ($lines:expr) => {
        format!("{}:{}", file!(), line!() + $lines)
    };
}

#[test]
fn a_filter_that_never_holds_is_named() {
    let place = here!(1);
    let never = || generator(0..=9u8).filter(|n| *n > 9);
    let random = seeded(1).random_only().verdict_with(never(), |_| true);
    assert_contains(gave_up(&random), &format!("by the filter at {place}"));
    assert_contains(gave_up(&random), "generate what is wanted instead of filtering it out");
    let all = seeded(1).exhaustive().verdict_with(never(), |_| true);
    assert_contains(
        gave_up(&all),
        &format!("all 10 cases were rejected, 10 of them by the filter at {place}"),
    );
    assert_contains(gave_up(&seeded(1).verdict_with(never(), |_| true)), &place);
    let twin = seeded(1).exhaustive().verdict_with(generator(0..=9u8).filter(|n| *n > 8), |n| n == 9);
    assert_eq!(proved(&twin), 1);
}

#[test]
fn an_assumption_that_never_holds_is_named() {
    let place = here!(1);
    let verdict = seeded(1).verdict(|case| case.any::<Vec<u64>>().len() < usize::MAX && case.assume(false));
    assert_contains(gave_up(&verdict), &format!("by the assumption at {place}"));
    let premise = seeded(1).verdict_for_all(|n: u64| (n != n).implies(|| true));
    assert_contains(gave_up(&premise), "by the premise of the property");
    assert_contains(gave_up(&premise), " 0 were not");
}

#[test]
fn the_reason_named_is_the_most_frequent_one() {
    let place = here!(3);
    let verdict = seeded(1).random_only().verdict(|case| {
        let n: u64 = case.any();
        case.assume(n.is_multiple_of(64)) && case.assume(n > 1 << 62) && case.assume(false)
    });
    assert_contains(gave_up(&verdict), &place);
}

#[test]
fn a_set_that_cannot_be_large_enough_is_named() {
    let place = here!(3);
    let too_many = |case: &mut Case| {
        let mut set = BTreeSet::new();
        case.distinct(3..=3, |case| case.flag(), |flag, _| set.insert(flag));
        set
    };
    for settings in [seeded(1).random_only(), seeded(1).exhaustive(), seeded(1)] {
        let verdict = settings.verdict_with(too_many, |_| true);
        assert_contains(gave_up(&verdict), &format!("the set of distinct elements at {place}"));
    }
}

/// Every value contains another.
#[derive(Debug)]
#[expect(dead_code, reason = "no value is ever made")]
enum Endless {
    Left(Box<Endless>),
    Right(u8, Box<Endless>),
}

impl Arbitrary for Endless {
    fn arbitrary(case: &mut Case) -> Endless {
        case.span("Endless", |case| match case.variant::<Endless>(&[1, 1]) {
            0 => Endless::Left(case.any()),
            _ => Endless::Right(case.any(), case.any()),
        })
    }

    fn space(grammar: &mut Grammar) -> Space {
        let inner = grammar.of::<Endless>();
        let byte = grammar.of::<u8>();
        let right = grammar.seq(vec![byte, inner]);
        grammar.alternatives(vec![inner, right])
    }
}

#[test]
fn a_recursive_type_without_a_base_case_is_named() {
    for settings in [seeded(1), seeded(1).random_only(), seeded(1).exhaustive()] {
        let verdict = settings.verdict_for_all(|_: Endless| true);
        assert!(!verdict.is_good());
        assert_contains(&verdict.to_string(), "trouble::Endless` has no finite value");
    }
}

#[test]
fn a_generator_that_draws_for_ever_is_stopped() {
    let endless = |case: &mut Case| -> u32 {
        loop {
            case.flag();
        }
    };
    for settings in [seeded(1).random_only(), seeded(1), seeded(1).exhaustive()] {
        let few =
            |limits: &mut gainsay::Limits| (limits.choices_max, limits.exhaustive_cases_max) = (500, 300);
        let verdict = settings.limits(few).verdict_with(endless, |_| true);
        assert!(!verdict.is_good(), "{verdict}");
        assert_contains(&verdict.to_string(), "more than 500 choices");
        assert_contains(&verdict.to_string(), "recursi");
    }
    // With the usual limits too, and soon.
    let verdict = seeded(1).random_only().verdict_with(endless, |_| true);
    assert_contains(gave_up(&verdict), "more than 65536 choices");
}

#[test]
fn some_cases_that_are_too_large_do_no_harm() {
    let sometimes = |case: &mut Case| case.vec(0..=usize::MAX, |case| case.int(0..=9u8)).len();
    let verdict = seeded(1).limits(|limits| limits.choices_max = 100).verdict_with(sometimes, |n| n < 50);
    assert_eq!(verdict.to_string(), "passed: 1000 cases");
}

#[test]
fn a_generator_that_is_not_deterministic_is_named() {
    let calls = Cell::new(0u32);
    let moody = |case: &mut Case| {
        calls.set(calls.get() + 1);
        let first = if calls.get().is_multiple_of(2) { case.int(0..=9u32) } else { case.int(0..=99) };
        first + case.int(0..=9)
    };
    let verdict = seeded(1).exhaustive().verdict_with(moody, |_| true);
    assert_contains(gave_up(&verdict), "the generator is not deterministic");
    let fixed = Cell::new(0u32);
    let random = seeded(1).random_only().verdict_with(
        |case: &mut Case| {
            fixed.set(fixed.get() + 1);
            // Whatever was chosen, no two runs draw the same.
            (case.any::<u8>(), fixed.get())
        },
        |(_, n)| n != 50,
    );
    let Verdict::Flaky(flaky) = &random else { panic!("{random}") };
    assert_eq!((flaky.failed, flaky.cases), (0, 50));
    assert_contains(&random.to_string(), "flaky: failed once, then 0 of 20 times");
}

#[test]
fn a_property_that_is_not_deterministic_is_flaky_with_its_rate() {
    // Fails for large numbers, three times in four.
    let runs = Cell::new(0u32);
    let verdict = seeded(1).random_only().verdict_for_all(|n: u32| {
        runs.set(runs.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        n < 1000 || runs.get() >> 30 == 0
    });
    match &verdict {
        Verdict::Flaky(flaky) => {
            assert!(flaky.failed > 0 && flaky.failed < flaky.runs, "{} of {}", flaky.failed, flaky.runs);
            assert!(flaky.counterexample.notes[0].value.parse::<u32>().unwrap() >= 1000);
            assert_contains(&flaky.reason, "the property depends on something else");
        }
        // If it happened to fail again at once it was taken for steady; the minimum is a failure all the same.
        Verdict::Falsified(falsified) => {
            assert!(falsified.counterexample.notes[0].value.parse::<u32>().unwrap() >= 1000);
        }
        other => panic!("{other}"),
    }
    assert!(!verdict.is_good());
}

#[test]
fn a_property_that_fails_once_is_flaky_and_never_lost() {
    let folder = Folder::new("once");
    let failed = Cell::new(false);
    let verdict = seeded(1)
        .random_only()
        .corpus(folder.path())
        .verdict_for_all(|n: u32| n < 1000 || failed.replace(true));
    let Verdict::Flaky(flaky) = &verdict else { panic!("{verdict}") };
    assert_eq!((flaky.failed, flaky.runs), (0, 20));
    assert_contains(&verdict.to_string(), "the same choices do not always fail");
    assert_contains(&flaky.counterexample.command, "GAINSAY_REPLAY='1:");
    assert_eq!(folder.only_file().display().to_string(), flaky.counterexample.saved.clone().unwrap());
}

#[test]
fn empty_ranges_and_lists_are_refused_where_they_are_written() {
    let message = |run: fn(&mut Case)| {
        let panic = std::panic::catch_unwind(|| run(&mut Case::random(1, 1))).unwrap_err();
        panic
            .downcast_ref::<String>()
            .cloned()
            .or(panic.downcast_ref::<&str>().map(|s| s.to_string()))
            .unwrap()
    };
    #[expect(clippy::reversed_empty_ranges, reason = "that is the mistake")]
    let empty = message(|case| _ = case.int(5..5u8) + case.int(9..=1u8));
    assert_contains(&empty, "of integers is empty");
    #[expect(clippy::reversed_empty_ranges, reason = "that is the mistake")]
    let list = message(|case| drop(case.vec(3..=2, Case::flag)));
    assert_contains(&list, "at least 3 and at most 2 elements");
    assert_contains(&message(|case| _ = case.index(0)), "no alternative");
    assert_contains(&message(|_| drop(sampled::<u8>(&[]))), "no value to sample from");
}

#[test]
fn absurd_settings_are_borne() {
    let holds = |n: u64| n == n;
    for cases in [0, 1, 5, 9] {
        let verdict = seeded(1).cases(cases).verdict_for_all(holds);
        assert!(verdict.is_good() && verdict.cases() <= cases.max(1), "{cases} cases: {verdict}");
    }
    let good = |settings: gainsay::Settings| {
        let verdict = settings.cases(20).verdict_for_all(holds);
        assert!(verdict.is_good(), "{verdict}");
    };
    good(seeded(1).time(Duration::MAX));
    good(seeded(1).time(Duration::ZERO));
    good(seeded(1).limits(|limits| (limits.size_max, limits.repeats_max, limits.failures_max) = (0, 0, 0)));
    good(seeded(1).limits(|limits| limits.size_max = u32::MAX));
    good(seeded(1).limits(|limits| limits.case_time_max = Duration::MAX));
    good(seeded(1).limits(|limits| limits.rejected_factor_max = u64::MAX));
    good(seeded(u64::MAX).perturbed(u64::MAX));
}

#[test]
fn absurd_limits_on_shrinking_are_borne() {
    let fails = |settings: gainsay::Settings| {
        let verdict = settings.random_only().verdict_for_all(|n: u64| n < 1000);
        assert!(found(&verdict).notes[0].value.parse::<u64>().unwrap() >= 1000);
    };
    fails(seeded(1).limits(|limits| limits.shrink_time_max = Duration::MAX));
    fails(seeded(1).limits(|limits| limits.shrink_time_max = Duration::ZERO));
    fails(seeded(1).limits(|limits| limits.shrinks_max = 0));
    fails(seeded(1).limits(|limits| (limits.repeats_max, limits.failures_max) = (0, 0)));
}

#[test]
fn no_exhaustive_cases_prove_nothing() {
    let none = seeded(1).limits(|limits| limits.exhaustive_cases_max = 0).exhaustive();
    let verdict = none.verdict_for_all(|_: bool| true);
    assert!(!matches!(verdict, Verdict::Proved(_)) && verdict.cases() == 0, "{verdict}");
    let tiny = seeded(1).limits(|limits| limits.choices_max = 0).verdict_for_all(|_: u64| true);
    assert_contains(gave_up(&tiny), "more than 0 choices");
}

#[test]
fn more_threads_than_a_machine_has_are_borne() {
    let verdict = seeded(1).random_only().cases(50).threads(usize::MAX).verdict_for_all(|n: u64| n == n);
    assert_eq!(verdict.to_string(), "passed: 50 cases");
}
