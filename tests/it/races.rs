//! Parallel tests of models: races are found on real threads, shrunk, and their correct twins pass.

use crate::support::{assert_contains, found, gave_up, seeded};
use gainsay::{Consistency, Model, Oracle, Parallel, Verdict, model};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A counter that may lose counts: it loads, then stores.
#[derive(Debug, Default)]
struct Counter {
    count: AtomicU64,
    racy: bool,
}

impl Counter {
    fn add(&self) -> u64 {
        if self.racy {
            let count = self.count.load(SeqCst) + 1;
            self.count.store(count, SeqCst);
            count
        } else {
            self.count.fetch_add(1, SeqCst) + 1
        }
    }
}

fn counter(racy: bool) -> Model<u64, Arc<Counter>> {
    model(|| 0u64, move || Arc::new(Counter { racy, ..Counter::default() }))
        .operation(
            "add",
            |_, _| (),
            |counter, ()| counter.add(),
            |add| add.returns(|state, ()| state + 1).next(|state, ()| *state += 1),
        )
        .operation(
            "get",
            |_, _| (),
            |counter, ()| counter.count.load(SeqCst),
            |get| get.returns(|state, ()| *state),
        )
}

#[test]
fn a_racy_counter_is_found_and_shrunk() {
    let verdict = counter(true).settings(seeded(1)).verdict_parallel();
    let counterexample = found(&verdict);
    assert_contains(&counterexample.message, "not linearizable: no order explains what");
    assert_eq!(counterexample.kind.0, "not linearizable");
    let lines: Vec<&str> = counterexample.message.lines().collect();
    assert!(lines.iter().filter(|line| line.starts_with("branch")).count() <= 4, "{verdict}");
    let verdict = counter(false).settings(seeded(1).cases(300)).verdict_parallel();
    assert!(matches!(verdict, Verdict::Passed(_)), "{verdict}");
}

/// A cache that forgets what others write while it writes.
#[derive(Debug)]
struct Cache {
    items: Mutex<BTreeMap<u8, u8>>,
    loses: bool,
}

impl Cache {
    fn put(&self, key: u8, value: u8) -> Option<u8> {
        if self.loses {
            let mut copy = self.items.lock().unwrap().clone();
            let before = copy.insert(key, value);
            *self.items.lock().unwrap() = copy;
            return before;
        }
        self.items.lock().unwrap().insert(key, value)
    }

    fn get(&self, key: u8) -> Option<u8> {
        self.items.lock().unwrap().get(&key).copied()
    }
}

fn cache(loses: bool) -> Model<BTreeMap<u8, u8>, Arc<Cache>> {
    model(BTreeMap::<u8, u8>::new, move || Arc::new(Cache { items: Mutex::default(), loses }))
        .operation(
            "put",
            |_, case| (case.int(0..=2u8), case.int(0..=9u8)),
            |cache, (key, value)| cache.put(*key, *value),
            |put| {
                put.returns(|state, (key, _)| state.get(key).copied()).next(|state, (key, value)| {
                    state.insert(*key, *value);
                })
            },
        )
        .operation(
            "get",
            |_, case| case.int(0..=2u8),
            |cache, key| cache.get(*key),
            |get| get.returns(|state, key| state.get(key).copied()),
        )
        .invariant("holds what was put", |state, cache| cache.items.lock().unwrap().len() == state.len())
}

#[test]
fn a_cache_that_loses_updates_is_found() {
    let verdict = cache(true).settings(seeded(2)).verdict_parallel();
    let counterexample = found(&verdict);
    assert!(counterexample.message.contains("put("), "{verdict}");
    let verdict = cache(false).settings(seeded(2).cases(300)).verdict_parallel();
    assert!(matches!(verdict, Verdict::Passed(_)), "{verdict}");
}

#[test]
fn the_real_thing_can_be_its_own_specification() {
    let how = Parallel { oracle: Oracle::Itself, ..Parallel::default() };
    let report = counter(true).settings(seeded(3)).report_parallel(&how).unwrap();
    assert_contains(&found(&report.verdict).message, "not linearizable");
    let report = counter(false).settings(seeded(3).cases(100)).report_parallel(&how).unwrap();
    assert!(report.verdict.is_good(), "{}", report.verdict);
}

#[test]
fn sequential_consistency_asks_for_less() {
    // Each thread sees what others wrote a little later: its own writes at once.
    let stale = |lagging: bool| {
        model(|| 0u64, move || (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(0u64)), lagging))
            .operation(
                "write",
                |_, case| case.int(1..=9u64),
                |register, value| register.0.store(*value, SeqCst),
                |write| write.next(|state, value| *state = *value),
            )
            .operation(
                "read",
                |_, _| (),
                |register, ()| {
                    let now = register.0.load(SeqCst);
                    let mut last = register.1.lock().unwrap();
                    if register.2 { std::mem::replace(&mut *last, now) } else { now }
                },
                |read| read.returns(|state, ()| *state),
            )
    };
    let how = Parallel { consistency: Consistency::Sequential, ..Parallel::default() };
    let report = stale(false).settings(seeded(4).cases(100)).report_parallel(&how).unwrap();
    assert!(report.verdict.is_good(), "{}", report.verdict);
    let report = stale(true).settings(seeded(4)).report_parallel(&how).unwrap();
    assert!(report.verdict.counterexample().is_some(), "{}", report.verdict);
}

#[test]
fn a_branch_that_never_returns_is_a_failure_by_timeout() {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let receiver = Arc::new(Mutex::new(receiver));
    // Nobody sends, and nobody hangs up.
    let never = model(|| (), move || (Arc::clone(&receiver), std::thread::current().id())).operation(
        "wait",
        |_, _| (),
        |subject, ()| {
            // The thread of the test itself is not to hang.
            if std::thread::current().id() != subject.1 {
                let _ = subject.0.lock().map(|receiver| receiver.recv());
            }
        },
        |wait| wait,
    );
    let how = Parallel { patience: Duration::from_millis(50), repeats: 1, ..Parallel::default() };
    let settings = seeded(0).cases(1).limits(|limits| limits.shrinks_max = 2);
    let report = never.settings(settings).report_parallel(&how).unwrap();
    assert_contains(
        &found(&report.verdict).message,
        "wait() of branch 2 has not returned within 50ms (by timeout)",
    );
    drop(sender);
}

#[test]
fn commands_must_be_allowed_whatever_the_order() {
    // Taking is allowed only if there is something: two branches may not both take the last one.
    let stock = || {
        model(|| 2i32, || Arc::new(AtomicU64::new(2)))
            .operation(
                "take",
                |_, _| (),
                |stock, ()| {
                    let before = stock.fetch_sub(1, SeqCst);
                    assert!(before > 0, "nothing left to take");
                },
                |take| take.precondition(|state, ()| *state > 0).next(|state, ()| *state -= 1),
            )
            .operation(
                "add",
                |_, _| (),
                |stock, ()| {
                    stock.fetch_add(1, SeqCst);
                },
                |add| add.next(|state, ()| *state += 1),
            )
    };
    let verdict = stock().settings(seeded(5).cases(300)).verdict_parallel();
    assert!(verdict.is_good(), "{verdict}");
    let alone = model(|| (), || ()).operation("only", |_, _| (), |_, ()| (), |only| only.alone());
    let verdict = alone.settings(seeded(5).cases(20)).verdict_parallel();
    assert_contains(gave_up(&verdict), "rejected");
}

#[test]
fn threads_prove_nothing_however_few_tests_there_are() {
    let how = Parallel { commands_max: 1, prefix_max: 0, ..Parallel::default() };
    let one = || {
        model(|| 0u64, || Arc::new(AtomicU64::new(0))).operation(
            "get",
            |_, _| (),
            |n, ()| n.load(SeqCst),
            |get| get.returns(|n, ()| *n),
        )
    };
    for settings in [seeded(0), seeded(0).exhaustive()] {
        let report = one().settings(settings).report_parallel(&how).unwrap();
        assert!(matches!(report.verdict, Verdict::Passed(_)), "{}", report.verdict);
        assert_contains(
            &report.remarks.join("\n"),
            "not proved: threads may meet in other ways than they did",
        );
    }
}

#[test]
fn an_invariant_that_panics_leaves_nobody_waiting() {
    let panics = |from: u64| {
        counter(false)
            .invariant("small", move |state, _| assert!(*state < from, "too many"))
            .settings(seeded(1).cases(100))
    };
    let verdict = panics(3).verdict_parallel();
    assert_contains(&found(&verdict).message, "too many");
    assert!(panics(1000).verdict_parallel().is_good());
}
