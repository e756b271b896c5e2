//! What a hostile reader found in models, and must not find again.

use crate::support::{assert_contains, found, proved, seeded};
use gainsay::prelude::*;
use gainsay::{Consistency, Controlled, Model, Oracle, Parallel, Scenario, model};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

#[test]
fn the_place_of_an_operation_is_not_the_size_of_its_arguments() {
    let seven = || {
        (0..7).fold(model(|| (), || ()), |model, place| {
            model.operation(&format!("op{place}"), |_, _| (), |_, ()| (), |operation| operation)
        })
    };
    assert_eq!(proved(&seven().settings(seeded(0)).verdict_exhaustive(2, 0)), 7 + 49);
    let stack = |wrong: bool| {
        model(Vec::<u8>::new, Vec::<u8>::new)
            .operation(
                "push",
                |_, case| case.int(0..=1u8),
                |stack, item| stack.push(*item),
                |push| push.next(|state, item| state.push(*item)),
            )
            .operation("len", |_, _| (), |stack, ()| stack.len(), |len| len.returns(|state, ()| state.len()))
            .operation(
                "peek",
                |_, _| (),
                move |stack, ()| if wrong { stack.first().copied() } else { stack.last().copied() },
                |peek| peek.returns(|state, ()| state.last().copied()),
            )
            .settings(seeded(0))
    };
    assert_contains(&found(&stack(true).verdict_exhaustive(3, 1)).message, "peek() returned Some(0)");
    // So many sequences of at most three commands, of four that there are.
    assert_eq!(proved(&stack(false).verdict_exhaustive(3, 1)), 4 + 16 + 64);
}

#[test]
fn a_claim_that_cannot_be_decided_proves_nothing() {
    let counter = || {
        model(|| 0u8, || 0u8).operation("add", |_, _| (), |_, ()| (), |add| add.next(|state, ()| *state += 1))
    };
    let never = |_: &u8| for_each(0u64.., |n| n < 1_000_000);
    let cut =
        counter().invariant("cut", move |state, _| never(state)).settings(seeded(0)).verdict_exhaustive(2, 1);
    assert!(matches!(cut, Verdict::Passed(_)), "{cut}");
    let undefined = counter().law("cut", |_| exists(0u64.., |n| n == 1_000_000)).settings(seeded(0));
    let undefined = undefined.verdict_exhaustive(2, 1);
    assert!(matches!(undefined, Verdict::Inconclusive(_)), "{undefined}");
    let ensured = model(|| 0u8, || 0u8)
        .operation(
            "add",
            |_, _| (),
            |_, ()| (),
            |add| add.ensures(|_, (), ()| exists(0u64.., |n| n == 1_000_000)),
        )
        .settings(seeded(0))
        .verdict_exhaustive(2, 1);
    assert!(matches!(ensured, Verdict::Inconclusive(_)), "{ensured}");
    let decided = counter().invariant("small", |_, _| for_each(0u64..9, |n| n < 9)).settings(seeded(0));
    assert_eq!(proved(&decided.verdict_exhaustive(2, 1)), 2);
}

#[test]
fn a_next_that_is_not_deterministic_is_noticed_in_every_run() {
    let counter = |steady: bool| {
        let ticks = AtomicU64::new(0);
        model(|| 0u64, || Arc::new(AtomicU64::new(0)))
            .operation(
                "add",
                |_, _| (),
                |count, ()| {
                    count.fetch_add(1, SeqCst);
                },
                move |add| {
                    add.next(move |state, ()| {
                        if steady || !ticks.fetch_add(1, SeqCst).is_multiple_of(3) {
                            *state += 1;
                        }
                    })
                },
            )
            .settings(seeded(0))
    };
    let says = "`next` of `add` is not deterministic";
    let unsteady = counter(false).verdict().to_string();
    assert_contains(&unsteady, "deterministic");
    assert_contains(&counter(false).verdict_exhaustive(4, 2).to_string(), "not deterministic");
    assert_contains(&counter(false).verdict_model_only().to_string(), says);
    assert!(counter(true).verdict().is_good() && counter(true).verdict_exhaustive(4, 2).is_good());
}

/// A lock that is correct: locking waits until it is free.
fn lock() -> Model<bool, Arc<(Mutex<bool>, Condvar)>> {
    model(|| false, || Arc::new((Mutex::new(false), Condvar::new())))
        .operation(
            "lock",
            |_, _| (),
            |lock, ()| *lock.1.wait_while(lock.0.lock().unwrap(), |held| *held).unwrap() = true,
            |op| op.enabled(|held, ()| !held).next(|held, ()| *held = true),
        )
        .operation(
            "unlock",
            |_, _| (),
            |lock, ()| {
                let held = std::mem::replace(&mut *lock.0.lock().unwrap(), false);
                lock.1.notify_one();
                held
            },
            |op| op.when(|held| *held).returns(|_, ()| true).next(|held, ()| *held = false),
        )
}

#[test]
fn what_depends_on_a_call_that_would_wait_for_ever_is_dropped_with_it() {
    for seed in 0..3 {
        let verdict = lock().settings(seeded(seed).cases(200)).verdict_parallel();
        assert!(verdict.is_good(), "{verdict}");
    }
}

#[test]
fn three_branches_of_a_growing_thing_are_drawn_in_reasonable_time() {
    let how = Parallel { branches_max: 3, repeats: 1, ..Parallel::default() };
    let list = model(Vec::<u8>::new, || Arc::new(Mutex::new(Vec::<u8>::new()))).operation(
        "push",
        |_, case| case.any::<u8>(),
        |list, item| list.lock().unwrap().push(*item),
        |push| push.next(|state, item| state.push(*item)),
    );
    let report = list.settings(seeded(0).cases(30)).report_parallel(&how).unwrap();
    assert!(report.verdict.is_good(), "{}", report.verdict);
}

#[test]
fn after_each_sees_a_state_that_explains_what_was_done() {
    let list = || {
        model(|| 0usize, || Arc::new(Mutex::new(Vec::<u8>::new()))).operation(
            "push",
            |_, case| case.any::<u8>(),
            |list, item| list.lock().unwrap().push(*item),
            |push| push.next(|state, _| *state += 1),
        )
    };
    let right = list().after_each(|state, list| assert_eq!(*state, list.lock().unwrap().len()));
    assert!(right.settings(seeded(0).cases(50)).verdict_parallel().is_good());
    let wrong =
        list().after_each(|state, list| assert!(*state == 0 || list.lock().unwrap().is_empty(), "left over"));
    assert_contains(&found(&wrong.settings(seeded(0)).verdict_parallel()).message, "left over");
}

#[test]
fn the_end_is_validated_whatever_the_consistency() {
    let counter = |racy: bool| {
        model(|| 0u64, || Arc::new(AtomicU64::new(0)))
            .operation(
                "add",
                |_, _| (),
                move |count, ()| {
                    if racy {
                        let before = count.load(SeqCst);
                        count.store(before + 1, SeqCst);
                    } else {
                        count.fetch_add(1, SeqCst);
                    }
                },
                |add| add.next(|state, ()| *state += 1),
            )
            .invariant("counts", |state, count| count.load(SeqCst) == *state)
    };
    let how = Parallel { consistency: Consistency::Sequential, ..Parallel::default() };
    let report = counter(true).settings(seeded(0)).report_parallel(&how).unwrap();
    assert_contains(&found(&report.verdict).message, "the invariant `counts` does not hold");
    assert!(counter(false).settings(seeded(0).cases(100)).report_parallel(&how).unwrap().verdict.is_good());
    let how = Parallel { oracle: Oracle::Itself, ..Parallel::default() };
    let report = counter(false).settings(seeded(0).cases(20)).report_parallel(&how).unwrap();
    assert_contains(&report.remarks.join("\n"), "invariants and laws were not judged");
}

#[test]
fn slow_things_are_not_hanging_things() {
    let slow = |constructing: u64| {
        let new = move || {
            std::thread::sleep(Duration::from_millis(constructing));
            Arc::new(())
        };
        model(|| (), new).operation(
            "nap",
            |_, _| (),
            |_, ()| std::thread::sleep(Duration::from_millis(20)),
            |nap| nap,
        )
    };
    let how = Parallel {
        patience: Duration::from_millis(400),
        commands_max: 1,
        prefix_max: 16,
        repeats: 2,
        ..Parallel::default()
    };
    let report = slow(0).settings(seeded(0).cases(3)).report_parallel(&how).unwrap();
    assert!(report.verdict.is_good(), "{}", report.verdict);
    let how = Parallel { patience: Duration::from_millis(100), repeats: 1, commands_max: 1, ..how };
    let report = slow(250).settings(seeded(0).cases(2)).report_parallel(&how).unwrap();
    assert!(report.verdict.is_good(), "{}", report.verdict);
    let how = Parallel { patience: Duration::MAX, ..how };
    let report = slow(0).settings(seeded(0).cases(2)).report_parallel(&how).unwrap();
    assert!(report.verdict.is_good(), "{}", report.verdict);
}

#[test]
fn a_spin_lock_that_yields_is_tried_under_all_schedules() {
    use shuttle::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
    let lock = |works: bool| {
        model(|| 0u64, || shuttle::sync::Arc::new((AtomicBool::new(false), AtomicU64::new(0)))).operation(
            "add",
            |_, _| (),
            move |both, ()| {
                while works && both.0.compare_exchange(false, true, SeqCst, SeqCst).is_err() {
                    shuttle::thread::yield_now();
                }
                let next = both.1.load(SeqCst) + 1;
                both.1.store(next, SeqCst);
                both.0.store(false, SeqCst);
                next
            },
            |add| add.returns(|state, ()| state + 1).next(|state, ()| *state += 1),
        )
    };
    for seed in 0..3 {
        let verdict = lock(true).settings(seeded(seed).cases(200)).verdict_controlled();
        assert!(verdict.is_good(), "{verdict}");
        assert!(lock(false).settings(seeded(seed)).verdict_controlled().counterexample().is_some());
    }
    let parallel = Parallel { commands_max: 1, prefix_max: 0, ..Parallel::default() };
    let how = Controlled { parallel, preemptions_max: 1, ..Controlled::default() };
    let report = lock(true).settings(seeded(0).exhaustive()).report_controlled(&how).unwrap();
    proved(&report.verdict);
    assert_contains(
        &report.verdict.to_string(),
        "at most 2 branches of at most 1 commands; at most 0 commands before them, and 0 after",
    );
}

#[test]
fn controlled_runs_are_the_same_every_time() {
    use shuttle::sync::{Arc, Mutex};
    let list = || {
        model(Vec::<u8>::new, || Arc::new(Mutex::new(Vec::<u8>::new())))
            .operation(
                "push",
                |_, case| case.int(0..=1u8),
                |list, item| list.lock().unwrap().push(*item),
                |push| push.when(|state| state.len() < 2).next(|state, item| state.push(*item)),
            )
            .operation(
                "remove",
                |state, case| state[case.index(state.len())],
                |list, item| {
                    let mut list = list.lock().unwrap();
                    // A planted bug.
                    if *item == 1 && *list == [0, 1] {
                        return false;
                    }
                    let place = list.iter().position(|other| other == item);
                    place.map(|place| list.remove(place)).is_some()
                },
                |remove| {
                    remove
                        .when(|state| state.len() == 2)
                        .alone()
                        .precondition(|state, item| state.contains(item))
                        .returns(|_, _| true)
                        .next(|state, item| {
                            let place = state.iter().position(|other| other == item);
                            place.map(|place| state.remove(place));
                        })
                },
            )
    };
    let parallel = Parallel { commands_max: 1, prefix_max: 2, ..Parallel::default() };
    let how = Controlled { parallel, preemptions_max: 1, ..Controlled::default() };
    for _ in 0..20 {
        let report = list().settings(seeded(0).exhaustive()).report_controlled(&how).unwrap();
        assert_contains(&found(&report.verdict).message, "remove(1)");
    }
}

#[test]
fn bad_input_is_named() {
    let plain = || model(|| 0u8, || Arc::new(0u8)).operation("get", |_, _| (), |_, ()| 0u8, |get| get);
    let error = plain().len(std::ops::RangeInclusive::new(5, 2)).report().unwrap_err().to_string();
    assert_contains(&error, "cannot have at least 5 and at most 2 commands: change `.len(…)`");
    let how = Parallel { commands_max: 0, ..Parallel::default() };
    assert_contains(
        &plain().report_parallel(&how).unwrap_err().to_string(),
        "a command in each (`commands_max`)",
    );
    let waits =
        model(|| 0u8, || Arc::new(0u8)).async_operation("get", |_, _| (), async |_, ()| 0u8, |get| get);
    let error = waits.report_controlled(&Controlled::default()).unwrap_err().to_string();
    assert_contains(&error, "`get` of the model");
    assert_contains(&error, "is asynchronous");
}

#[test]
fn a_model_that_panics_is_not_blamed_on_the_real_thing() {
    let panics = || {
        model(|| 0u8, || Arc::new(0u8)).operation("get", |_, _| (), |_, ()| 0u8, |get| get).operation(
            "add",
            |_, _| (),
            |_, ()| (),
            |add| add.next(|state, ()| *state = state.checked_add(100).expect("too many")),
        )
    };
    let says = "the model itself panicked (arguments, precondition, guard or `next` of `add`) in state 200";
    assert_contains(&found(&panics().settings(seeded(0)).verdict()).message, says);
    let says = "the model itself panicked (arguments, precondition, guard or `next` of `";
    assert_contains(&found(&panics().settings(seeded(0)).verdict_parallel()).message, says);
}

#[test]
fn a_panic_on_a_thread_is_shown_with_the_calls_around_it() {
    let fussy = |fussy: bool| {
        model(|| 0u64, || Arc::new(AtomicU64::new(0))).operation(
            "add",
            |_, case| case.int(0..=3u64),
            move |count, n| {
                count.fetch_add(*n, SeqCst);
                assert!(!fussy || *n != 3, "three is too much");
            },
            |add| add.next(|state, n| *state += n),
        )
    };
    let how = Parallel { prefix_max: 0, ..Parallel::default() };
    let report = fussy(true).settings(seeded(0)).report_parallel(&how).unwrap();
    let message = &found(&report.verdict).message;
    assert_contains(message, "add(3) has not returned");
    assert_contains(message, "three is too much");
    assert!(fussy(false).settings(seeded(0).cases(50)).report_parallel(&how).unwrap().verdict.is_good());
}

#[test]
fn requirements_are_covered_by_passed_tests_only() {
    let report = model(|| (), || ())
        .operation("right", |_, _| (), |_, ()| 1u8, |op| op.requirement("R1").returns(|_, ()| 1))
        .operation("wrong", |_, _| (), |_, ()| 5u8, |op| op.requirement("R2").returns(|_, ()| 6))
        .settings(seeded(0).known("wrong() returned 5"))
        .report()
        .unwrap();
    assert_contains(&report.remarks.join("\n"), "1 of 2 requirements are covered, not R2");
}

#[test]
fn two_postconditions_are_two_kinds_of_failure() {
    let both = || {
        model(|| 0u32, || ())
            .operation("add", |_, _| (), |_, ()| (), |add| add.next(|state, ()| *state += 1))
            .operation(
                "get",
                |_, _| (),
                |_, ()| 0u32,
                |get| get.ensures(|state, (), _| *state < 3).ensures(|state, (), _| *state < 2),
            )
            .settings(seeded(0))
    };
    assert_eq!(found(&both().verdict()).kind.0, "get ensures 2");
    let known = both().settings(seeded(0).known("get ensures 2")).verdict();
    assert_eq!(found(&known).kind.0, "get ensures");
}

#[test]
fn scenarios_keep_the_laws() {
    let lawful = model(|| 0u8, || ())
        .operation("add", |_, _| (), |_, ()| (), |add| add.next(|state, ()| *state += 1))
        .law("small", |state| *state < 2);
    assert!(lawful.allows(Scenario::new().call("add", (), ())).is_ok());
    let wrong = lawful.allows(Scenario::new().call("add", (), ()).call("add", (), ())).unwrap_err();
    assert_contains(&wrong.to_string(), "call 2: the law `small` does not hold in state 2");
}

#[test]
fn states_that_are_not_equal_to_themselves_are_not_called_different() {
    let mean = model(|| f64::NAN, || f64::NAN)
        .operation("get", |_, _| (), |real, ()| real.is_nan(), |get| get.returns(|state, ()| state.is_nan()))
        .settings(seeded(0).cases(20));
    assert!(mean.verdict().is_good());
}

#[test]
fn dynamic_models_say_what_was_never_possible_and_who_panicked() {
    let learning = |panics: bool| {
        model(|| 0u32, || 0u32)
            .operation(
                "next",
                |_, _| (),
                |real, ()| {
                    **real += 1;
                    **real
                },
                |next| next.observe(|state, (), seen| *state = *seen),
            )
            .operation(
                "never",
                move |state, _| assert!(!panics, "no arguments in {state}"),
                |_, _| (),
                move |never| never.when(move |_| panics),
            )
            .settings(seeded(0))
    };
    let report = learning(false).report().unwrap();
    assert_contains(&report.verdict.to_string(), "never met the operation `never` (no state");
    let message = found(&learning(true).verdict()).message.clone();
    assert_contains(
        &message,
        "the model itself panicked (arguments, precondition, guard or `next` of `never`)",
    );
    assert_eq!(message.matches("the model itself panicked").count(), 1, "{message}");
}
