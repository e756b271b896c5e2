//! Calls that may have to wait: a guard says when, on threads and under controlled schedules.

use crate::support::{assert_contains, found, seeded};
use gainsay::{Controlled, Model, Oracle, Parallel, Scenario, Verdict, model};
use std::collections::VecDeque;
use std::time::Duration;

/// What is wrong with a queue.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bug {
    None,
    /// Pushing wakes nobody.
    Silent,
    /// Popping does not look again after it was woken.
    Hasty,
}

/// A queue with two places on the types of some library: pushing waits for room, popping for an item.
macro_rules! queue {
    ($name:ident, $($library:ident)::+) => {
        mod $name {
            use super::*;
            pub(super) use $($library)::+::{Arc, Condvar, Mutex};

            pub(super) struct Queue {
                items: Mutex<VecDeque<u8>>,
                changed: Condvar,
                bug: Bug,
            }

            impl Queue {
                fn push(&self, item: u8) {
                    let mut items = self.items.lock().unwrap();
                    while items.len() == 2 {
                        items = self.changed.wait(items).unwrap();
                    }
                    items.push_back(item);
                    if self.bug != Bug::Silent {
                        self.changed.notify_all();
                    }
                }

                fn pop(&self) -> u8 {
                    let mut items = self.items.lock().unwrap();
                    if items.is_empty() && self.bug == Bug::Hasty {
                        items = self.changed.wait(items).unwrap();
                    }
                    while items.is_empty() && self.bug != Bug::Hasty {
                        items = self.changed.wait(items).unwrap();
                    }
                    self.changed.notify_all();
                    items.pop_front().expect("there is an item")
                }
            }

            pub(super) fn queue(bug: Bug) -> Model<VecDeque<u8>, Arc<Queue>> {
                let new = move || {
                    Arc::new(Queue { items: Mutex::new(VecDeque::new()), changed: Condvar::new(), bug })
                };
                model(VecDeque::new, new)
                    .operation(
                        "push",
                        |_, case| case.int(0..=9u8),
                        |queue, item| queue.push(*item),
                        |push| {
                            push.enabled(|state, _| state.len() < 2)
                                .next(|state, item| state.push_back(*item))
                        },
                    )
                    .operation(
                        "pop",
                        |_, _| (),
                        |queue, ()| queue.pop(),
                        |pop| {
                            pop.enabled(|state, ()| !state.is_empty())
                                .returns(|state, ()| *state.front().expect("only where enabled"))
                                .next(|state, ()| {
                                    state.pop_front().expect("only where enabled");
                                })
                        },
                    )
            }
        }
    };
}

queue!(threads, std::sync);
queue!(controlled, shuttle::sync);

#[test]
fn one_thread_makes_only_calls_that_need_not_wait() {
    let report = threads::queue(Bug::None).settings(seeded(0)).report().unwrap();
    assert!(report.verdict.is_good(), "{}", report.verdict);
    assert!(report.remarks.iter().all(|remark| !remark.contains("never")), "{:?}", report.remarks);
    let verdict = threads::queue(Bug::Hasty).settings(seeded(0)).verdict_exhaustive(4, 2);
    assert!(matches!(verdict, Verdict::Proved(_)), "{verdict}");
    let waits = threads::queue(Bug::None)
        .allows(Scenario::new().call("push", 1u8, ()).call("pop", (), 1u8).call_only("pop", ()));
    assert_contains(&waits.unwrap_err().to_string(), "call 3: pop() has to wait in state []");
}

#[test]
fn a_queue_that_blocks_passes_on_threads() {
    let how = Parallel { branches_max: 3, ..Parallel::default() };
    let report = threads::queue(Bug::None).settings(seeded(1).cases(200)).report_parallel(&how).unwrap();
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{}", report.verdict);
}

#[test]
fn a_call_that_is_not_woken_is_a_failure_by_timeout() {
    let how = Parallel { patience: Duration::from_millis(200), ..Parallel::default() };
    let settings = seeded(1).limits(|limits| limits.shrinks_max = 20);
    let report = threads::queue(Bug::Silent).settings(settings).report_parallel(&how).unwrap();
    let message = &found(&report.verdict).message;
    assert_contains(message, "not returned within");
    assert_contains(message, "(by timeout)");
    assert_contains(message, "pop()");
}

#[test]
fn under_control_calls_may_wait_for_ever_but_not_without_a_reason() {
    let verdict = controlled::queue(Bug::None).settings(seeded(2).cases(500)).verdict_controlled();
    assert!(matches!(verdict, Verdict::Passed(_)), "{verdict}");
    let verdict = controlled::queue(Bug::Silent).settings(seeded(2)).verdict_controlled();
    let message = &found(&verdict).message;
    assert_contains(message, "deadlock: nothing can go on while pop() waits");
    assert_contains(message, "in state [0] pop() could proceed");
    assert_eq!(message.lines().filter(|line| line.starts_with("branch")).count(), 2, "{message}");
    let verdict = controlled::queue(Bug::Hasty).settings(seeded(2)).verdict_controlled();
    assert_contains(&found(&verdict).message, "there is an item");
}

#[test]
fn all_schedules_of_a_queue_that_blocks_are_tried() {
    let parallel = Parallel { commands_max: 1, prefix_max: 1, ..Parallel::default() };
    let how = Controlled { parallel, preemptions_max: 2, ..Controlled::default() };
    let all = |bug| controlled::queue(bug).settings(seeded(0).exhaustive()).report_controlled(&how).unwrap();
    let report = all(Bug::None);
    assert!(matches!(report.verdict, Verdict::Proved(_)), "{}", report.verdict);
    assert_contains(&found(&all(Bug::Silent).verdict).message, "deadlock");
}

#[test]
fn what_may_wait_is_not_asked_how_it_should_behave() {
    let how = Parallel { oracle: Oracle::Itself, ..Parallel::default() };
    let error = threads::queue(Bug::None).report_parallel(&how).unwrap_err();
    assert_contains(&error.to_string(), "`push` of the model");
    assert_contains(&error.to_string(), "use the oracle `Model`");
}

#[test]
fn two_branches_that_wait_for_each_other_do_not_hang_the_test() {
    use std::sync::{Arc, Mutex};
    let locks = |crossed: bool| {
        let lock = |first: &Mutex<()>, second: &Mutex<()>| {
            let _first = first.lock().unwrap();
            // Long enough for the other to take its first one, most of the time.
            (0..2000).for_each(|_| std::hint::spin_loop());
            let _second = second.lock().unwrap();
        };
        model(|| (), || Arc::new((Mutex::new(()), Mutex::new(()))))
            .operation("there", |_, _| (), move |locks, ()| lock(&locks.0, &locks.1), |there| there)
            .operation(
                "back",
                |_, _| (),
                move |locks, ()| {
                    if crossed { lock(&locks.1, &locks.0) } else { lock(&locks.0, &locks.1) }
                },
                |back| back,
            )
    };
    let how = Parallel { patience: Duration::from_millis(200), ..Parallel::default() };
    let settings = || seeded(1).limits(|limits| limits.shrinks_max = 10);
    let report = locks(true).settings(settings()).report_parallel(&how).unwrap();
    assert_contains(&found(&report.verdict).message, "of branch 1 and ");
    let report = locks(false).settings(settings().cases(50)).report_parallel(&how).unwrap();
    assert!(report.verdict.is_good(), "{}", report.verdict);
}
