//! Asynchronous properties: with the built-in executor and with another.

use crate::support::{assert_contains, found, seeded};
use gainsay::block_on;
use gainsay::prelude::*;
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};

/// Lets others go first, once.
async fn pause() {
    let mut paused = false;
    poll_fn(|context| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The larger of two, with a planted bug.
async fn larger(a: u8, b: u8, bug: bool) -> u8 {
    pause().await;
    if bug && a == 200 { b } else { a.max(b) }
}

async fn property(case: &mut Case, bug: bool) -> bool {
    let (a, b) = (case.any::<u8>(), case.any::<u8>());
    let found = larger(a, b, bug).await;
    case.note("larger", &found);
    found >= a && found >= b
}

#[test]
fn the_built_in_executor_runs_a_property_to_its_end() {
    let mut finished = 0;
    seeded(1).random_only().cases(200).check_async(async |case: &mut Case| {
        let holds = property(case, false).await;
        finished += 1;
        holds
    });
    assert_eq!(finished, 200);
}

#[test]
fn a_failure_shrinks_like_any_other() {
    let verdict = seeded(1)
        .cases(100_000)
        .executor(block_on)
        .verdict_async(async |case: &mut Case| property(case, true).await);
    assert_eq!(found(&verdict).draws, "200, 0");
    assert_eq!(found(&verdict).value("larger"), Some("0"));
}

#[test]
fn a_panic_between_two_polls_is_a_failure() {
    let verdict = seeded(1).executor(block_on).verdict_async(async |case: &mut Case| {
        let n = case.int(0..=1000u32);
        pause().await;
        assert!(n < 77, "{n} is too much");
    });
    assert_eq!(found(&verdict).draws, "77");
    assert_contains(&found(&verdict).message, "77 is too much");
}

#[test]
fn a_failing_property_panics_at_its_caller_with_the_report() {
    let run = || seeded(1).cases(100_000).check_async(async |case: &mut Case| property(case, true).await);
    let panic = std::panic::catch_unwind(run).unwrap_err();
    assert_contains(panic.downcast_ref::<String>().unwrap(), "larger = 0\n  the property is false");
}

#[test]
fn another_executor_may_be_used() {
    let polls = Cell::new(0);
    // Polls until it is done, without waiting to be woken.
    let busy = |mut future: Pin<Box<dyn Future<Output = gainsay::Outcome> + '_>>| {
        let mut context = Context::from_waker(Waker::noop());
        loop {
            polls.set(polls.get() + 1);
            if let Poll::Ready(outcome) = future.as_mut().poll(&mut context) {
                return outcome;
            }
        }
    };
    let verdict = seeded(1)
        .random_only()
        .cases(100)
        .executor(busy)
        .verdict_async(async |case: &mut Case| property(case, false).await);
    assert_eq!(verdict.to_string(), "passed: 100 cases");
    assert_eq!(polls.get(), 200);
}

#[test]
fn the_built_in_executor_waits_to_be_woken_by_another_thread() {
    let verdict =
        seeded(1).random_only().cases(20).executor(block_on).verdict_async(async |case: &mut Case| {
            let n: u8 = case.any();
            let done = Arc::new(AtomicBool::new(false));
            let mut helper = None;
            poll_fn(|context| {
                if done.load(SeqCst) {
                    return Poll::Ready(());
                }
                let (done, waker) = (Arc::clone(&done), context.waker().clone());
                helper.get_or_insert_with(|| {
                    std::thread::spawn(move || {
                        done.store(true, SeqCst);
                        waker.wake();
                    })
                });
                Poll::Pending
            })
            .await;
            helper.is_some_and(|helper| helper.join().is_ok()) && u16::from(n) < 256
        });
    assert_eq!(verdict.to_string(), "passed: 20 cases");
}
