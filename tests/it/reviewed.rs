//! What a close look at the engine brought to light.

use crate::support::{assert_contains, found, gave_up, minimum, proved, seeded};
use gainsay::prelude::*;
use gainsay::{Function, Grammar, Space, nth};
use std::num::{NonZeroI8, NonZeroI64};
use std::panic::catch_unwind;

#[test]
fn the_least_of_the_signed_integers_without_zero_is_one_of_them() {
    let verdict = seeded(1).exhaustive().verdict_for_all(|n: NonZeroI8| n.get() != i8::MIN);
    assert_eq!(minimum(&verdict), "-128");
    assert_eq!(proved(&verdict_exhaustive(|n: NonZeroI8| n.get() != 0)), 255);
    assert_eq!(Index::<NonZeroI8>::new().len(), Some(255));
    let verdict = seeded(1).cases(20_000).verdict_for_all(|n: NonZeroI64| n.get().checked_abs().is_some());
    assert_eq!(minimum(&verdict), i64::MIN.to_string());
}

#[test]
fn bounds_inside_bounds_skip_nothing() {
    let verdict = seeded(0).exhaustive().verdict(|case| {
        let (a, b) = case.within(2, |case| case.within(3, |case| (case.flag(), case.flag())));
        let n = case.int(0..=2u8);
        !(a && b && n == 0)
    });
    assert_eq!(found(&verdict).draws, "true, true, 0");
    let verdict = seeded(0).exhaustive().verdict(|case| case.within(2, |case| case.int(0..=u32::MAX)) <= 2);
    assert_eq!(proved(&verdict), 3);
}

#[test]
fn what_was_cut_short_proves_nothing_even_if_it_was_rejected() {
    let verdict = seeded(0).exhaustive().verdict_for_all(|a: bool| {
        if a { true.and(true) } else { for_each(0u64.., |n| (n > 20_000).implies(|| false)) }
    });
    assert!(matches!(verdict, Verdict::Passed(_)), "{verdict}");
}

#[test]
fn an_enumeration_of_functions_proves_nothing_and_a_failing_one_shows_its_calls() {
    let verdict = seeded(0).exhaustive().verdict_for_all(|f: Function<bool, ()>| {
        f.call(&true);
    });
    assert!(matches!(verdict, Verdict::Passed(_)), "{verdict}");
    let verdict = seeded(1).verdict_for_all(|f: Function<u8, u8>| f.call(&0) == f.call(&1));
    let calls = found(&verdict).value("calls").unwrap();
    assert!(calls.contains("0 => ") && calls.contains("1 => "), "{calls}");
}

#[test]
fn arguments_that_matter_are_not_said_not_to() {
    for seed in 0..50 {
        let shown = seeded(seed).verdict_for_all(|s: Option<u8>| s.is_none()).to_string();
        assert!(!shown.contains("any other value"), "{shown}");
        let shown = seeded(seed).verdict_for_all(|n: u8| n < 9).to_string();
        assert!(!shown.contains("any other value"), "{shown}");
        let shown = seeded(seed).verdict_for_all(|v: Vec<u8>| v.len() < 2).to_string();
        assert!(!shown.contains("any other value"), "{shown}");
    }
    let shown = seeded(1).verdict_for_all(|n: u8, _: u8| n < 9).to_string();
    assert_contains(&shown, "#2 = 0    (any other value fails too)");
}

#[test]
fn numbers_with_gaps_between_them_shrink() {
    for seed in 0..10 {
        let run = || seeded(seed).random_only();
        let least = |verdict: Verdict| {
            assert!(found(&verdict).evaluations < 1000, "{verdict}");
            minimum(&verdict)
        };
        assert_eq!(least(run().verdict_for_all(|n: u32| !(n > 10 && n.is_multiple_of(2)))), "12");
        assert_eq!(least(run().verdict_for_all(|n: u64| !(n > 1000 && n % 3 == 1))), "1003");
        assert_eq!(least(run().verdict_for_all(|n: u64| !(n > 100_000 && n % 10 == 7))), "100007");
        assert_eq!(least(run().verdict_for_all(|n: i32| !(n < -1000 && n % 2 != 0))), "-1001");
        let sevens = any::<u32>().filter(|n| n % 7 == 3);
        assert_eq!(least(run().verdict_with(sevens, |n| n < 1000)), "1004");
    }
}

#[test]
fn lists_whose_length_has_gaps_shrink() {
    for seed in 0..5 {
        let verdict = seeded(seed).random_only().verdict_for_all(|v: Vec<u8>| {
            v.len().is_multiple_of(10).implies(|| v.iter().map(|x| u32::from(*x)).sum::<u32>() < 2000)
        });
        assert_eq!(minimum(&verdict).split(',').count(), 10, "{verdict}");
    }
}

#[test]
fn a_target_does_not_hide_a_failure_from_threads() {
    for threads in [1, 2, 4] {
        let verdict =
            settings().seed(126).without_corpus().random_only().cases(30).threads(threads).verdict(|case| {
                let n: u8 = case.any();
                case.target("n", f64::from(n));
                n != 77
            });
        assert_eq!(found(&verdict).draws, "77");
        assert_eq!(verdict.cases(), 1);
    }
}

#[test]
fn a_budget_of_evaluations_ends_alike_for_all_numbers_of_threads() {
    for seed in 0..10 {
        let run = |threads| {
            let settings = seeded(seed).random_only().limits(|limits| limits.shrinks_max = 30);
            let sum = |v: &[u16]| v.iter().map(|x| u64::from(*x)).sum::<u64>();
            let verdict = settings.threads(threads).verdict_for_all(move |v: Vec<u16>| sum(&v) < 100_000);
            (minimum(&verdict), found(&verdict).evaluations)
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(5));
    }
}

#[derive(Debug)]
#[expect(dead_code, reason = "it has no value")]
struct Endless {
    next: Box<Endless>,
}

impl Arbitrary for Endless {
    fn arbitrary(case: &mut Case) -> Endless {
        case.span("Endless", |case| Endless { next: case.any() })
    }

    fn space(grammar: &mut Grammar) -> Space {
        grammar.of::<Box<Endless>>()
    }
}

impl Indexable for Endless {}

#[test]
fn a_type_without_end_is_named_wherever_it_is_asked_for() {
    let said = |run: fn()| {
        let payload = catch_unwind(run).unwrap_err();
        payload.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    assert_contains(&said(|| drop(nth::<Endless>(0))), "Endless` has no finite value");
    assert_contains(&said(|| drop(values::<Endless>().next())), "Endless` cannot be walked");
    assert_contains(
        &said(|| assert!(values::<[u8; 70_000]>().next().is_none())),
        "needs more than 65536 choices",
    );
    assert_eq!(nth::<Vec<Endless>>(0).map(|list| list.len()), Some(0));
    assert!(nth::<Vec<Endless>>(1).is_none());
}

#[test]
fn a_list_longer_than_memory_is_given_up() {
    let verdict = seeded(0).cases(20).verdict(|case| {
        case.vec(1 << 62..=usize::MAX, |case| case.flag());
    });
    assert_contains(gave_up(&verdict), "made more than");
}

#[test]
fn a_panic_that_was_caught_is_not_the_failure() {
    let verdict = seeded(1).verdict_for_all(|n: u32| {
        let _ = catch_unwind(|| assert!(n % 2 == 1, "harmless"));
        if n >= 50 {
            std::panic::resume_unwind(Box::new("trouble".to_string()));
        }
    });
    assert_contains(&found(&verdict).message, "trouble");
    assert_eq!(minimum(&verdict), "50");
}

#[test]
fn of_two_demands_on_one_label_the_higher_one_counts() {
    let verdict = seeded(1).verdict(|case| {
        let n: u8 = case.any();
        case.cover(10.0, "even", n.is_multiple_of(2));
        case.cover(90.0, "even", n.is_multiple_of(2));
    });
    assert_contains(&found(&verdict).message, "at least 90 % are required");
}

#[test]
fn given_values_are_all_judged_even_if_nobody_knows_how_many_there_are() {
    let text: String = (0..5000).map(|n| format!("{n}\n")).collect();
    let lines: Vec<String> = text.lines().map(String::from).collect();
    let endless = || lines.iter().map(String::as_str).filter(|_| true);
    let verdict = seeded(0).verdict_each(endless(), |line| line != "4000");
    assert_eq!(minimum(&verdict), "\"4000\"");
    assert_eq!(proved(&seeded(0).verdict_each(endless(), |line| !line.is_empty())), 5000);
    assert_contains(gave_up(&seeded(0).verdict_each(Vec::<u8>::new(), |_| true)), "none was given");
}

/// A set of sets of sets …
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Nested(std::collections::BTreeSet<Nested>);

impl Arbitrary for Nested {
    fn arbitrary(case: &mut Case) -> Nested {
        case.span("Nested", |case| Nested(case.any()))
    }
}

#[test]
fn sets_of_sets_are_drawn_in_reasonable_time() {
    let verdict =
        seeded(1).cases(500).time(std::time::Duration::from_secs(30)).verdict_for_all(|_: Nested| true);
    assert!(verdict.to_string().starts_with("passed: 500 cases"), "{verdict}");
}

#[test]
fn a_share_is_between_nothing_and_all() {
    let verdict = seeded(1).verdict(|case| case.cover(f64::NAN, "odd", true));
    assert_contains(&found(&verdict).message, "a share is between 0 and 100 percent, not NaN");
}

#[test]
fn what_was_looked_at_has_ended_before_the_next_is_drawn() {
    static LOCK: std::sync::Mutex<u8> = std::sync::Mutex::new(0);
    let guarded = |case: &mut Case| {
        let number: u8 = case.any();
        (LOCK.try_lock().expect("nobody else has it"), number)
    };
    assert!(seeded(1).verdict_ref(guarded, |(guard, _)| **guard == 0).is_good());
}

/// Must be closed before it ends.
#[derive(Debug)]
struct Door {
    number: u8,
    open: std::cell::Cell<bool>,
}

impl Drop for Door {
    fn drop(&mut self) {
        assert!(!self.open.get() || std::thread::panicking(), "left open");
    }
}

impl gainsay::Arbitrary for Door {
    fn arbitrary(case: &mut Case) -> Door {
        Door { number: case.int(0..=200), open: std::cell::Cell::new(false) }
    }
}

#[test]
fn ends_of_what_was_looked_at_belong_to_their_case() {
    let leaves = |door: &Door| door.open.set(door.number == 5);
    let verdict = seeded(1).exhaustive().verdict_ref(any::<Door>(), leaves);
    assert!(minimum(&verdict).contains("number: 5"), "{verdict}");
    let verdict =
        seeded(1).exhaustive().verdict_ref(any::<Vec<Door>>(), |doors| doors.iter().for_each(leaves));
    assert!(minimum(&verdict).contains("number: 5"), "{verdict}");
}

#[gainsay::property]
fn views_borrow_from_other_arguments(bytes: &[u8], #[with(just(bytes))] view: &&[u8]) -> bool {
    *view == bytes
}
