//! gainsay.

use super::stack::Stack;
use super::workload::{Command, LENGTH_MAX, Model, Queue, invariant};
use super::{Contender, SEED};
use ::gainsay::{Verdict, model, settings};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub(super) const CONTENDER: Contender =
    Contender { name: "gainsay", run, figures: &[("races", races), ("twins", twins)] };

fn run(cases: u64) {
    let verdict = model(Model::default, Queue::default)
        .operation(
            "push",
            |_, case| case.any::<u32>(),
            |queue, item| queue.push(*item),
            |push| push.next(|model, item| model.next(Command::Push(*item))),
        )
        .operation(
            "pop",
            |_, _| (),
            |queue, ()| queue.pop(),
            |pop| pop.next(|model, ()| model.next(Command::Pop)),
        )
        .invariant("as long as its model", |model, queue| invariant(queue, model))
        .len(1..=LENGTH_MAX)
        .settings(settings().random_only().cases(cases).seed(SEED).without_corpus())
        .verdict();
    assert_eq!(verdict.cases(), cases, "{verdict}");
}

const SEEDS: u64 = 20;

/// The races there are to be found: two on threads, one under controlled schedules.
const RACES: u64 = 3 * SEEDS;

/// How long a race may take to be found and shrunk.
const PATIENCE: Duration = Duration::from_secs(2);

fn races() -> String {
    let found = (0..SEEDS).map(|seed| {
        let found = |run: fn(u64, bool) -> Verdict| {
            let start = Instant::now();
            let verdict = run(seed, true);
            u64::from(matches!(verdict, Verdict::Falsified(_)) && start.elapsed() <= PATIENCE)
        };
        found(counter) + found(cache) + found(stack)
    });
    format!("{}/{RACES}", found.sum::<u64>())
}

fn twins() -> String {
    let runs: [fn(u64, bool) -> Verdict; 3] = [counter, cache, stack];
    let passed = (0..SEEDS).flat_map(|seed| runs.map(|run| u64::from(run(seed, false).is_good())));
    format!("{}/{RACES}", passed.sum::<u64>())
}

/// A stack without locks, under controlled schedules.
fn stack(seed: u64, broken: bool) -> Verdict {
    model(Vec::<u64>::new, move || shuttle::sync::Arc::new(Stack::new(broken)))
        .operation(
            "push",
            |_, case| case.int(0..=9u64),
            |stack, value| stack.push(*value),
            |push| push.next(|state, value| state.push(*value)),
        )
        .operation(
            "pop",
            |_, _| (),
            |stack, ()| stack.pop(),
            |pop| {
                pop.returns(|state, ()| state.last().copied()).next(|state, ()| {
                    state.pop();
                })
            },
        )
        .settings(settings().seed(seed).without_corpus())
        .verdict_controlled()
}

/// Counts by loading and storing, or by one step.
fn counter(seed: u64, racy: bool) -> Verdict {
    model(|| 0u64, || Arc::new(AtomicU64::new(0)))
        .operation(
            "add",
            |_, _| (),
            move |count, ()| {
                if !racy {
                    return count.fetch_add(1, SeqCst) + 1;
                }
                let next = count.load(SeqCst) + 1;
                count.store(next, SeqCst);
                next
            },
            |add| add.returns(|state, ()| state + 1).next(|state, ()| *state += 1),
        )
        .operation("get", |_, _| (), |count, ()| count.load(SeqCst), |get| get.returns(|state, ()| *state))
        .settings(settings().seed(seed).without_corpus())
        .verdict_parallel()
}

/// Puts into a copy, and then the copy back; or under one lock.
fn cache(seed: u64, loses: bool) -> Verdict {
    model(BTreeMap::<u8, u8>::new, || Arc::new(Mutex::new(BTreeMap::<u8, u8>::new())))
        .operation(
            "put",
            |_, case| (case.int(0..=2u8), case.int(0..=9u8)),
            move |cache, (key, value)| {
                if !loses {
                    return cache.lock().ok()?.insert(*key, *value);
                }
                let mut copy = cache.lock().ok()?.clone();
                let before = copy.insert(*key, *value);
                *cache.lock().ok()? = copy;
                before
            },
            |put| {
                put.returns(|state, (key, _)| state.get(key).copied()).next(|state, (key, value)| {
                    state.insert(*key, *value);
                })
            },
        )
        .operation(
            "get",
            |_, case| case.int(0..=2u8),
            |cache, key| cache.lock().ok()?.get(key).copied(),
            |get| get.returns(|state, key| state.get(key).copied()),
        )
        .settings(settings().seed(seed).without_corpus())
        .verdict_parallel()
}
