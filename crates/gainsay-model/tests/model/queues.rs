//! Queues that are wrong only if calls meet, and how many tests there are.

use crate::support::{assert_contains, seeded};
use gainsay_core::{Case, settings};
use gainsay_model::resource::{Json, Policy, Resource, Round, Seen, Trial, java, json, on_threads, trial};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// First in, first out.
struct Queue;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Call {
    Put(u8),
    Take,
}

impl Resource for Queue {
    type State = VecDeque<u8>;
    type Call = Call;
    type Value = Option<u8>;

    fn start(&self) -> VecDeque<u8> {
        VecDeque::new()
    }

    fn cpre(&self, items: &VecDeque<u8>, call: &Call) -> bool {
        *call != Call::Take || !items.is_empty()
    }

    fn post(&self, items: &VecDeque<u8>, call: &Call) -> Vec<(VecDeque<u8>, Option<u8>)> {
        let mut items = items.clone();
        let taken = match call {
            Call::Put(item) => {
                items.push_back(*item);
                None
            }
            Call::Take => items.pop_front(),
        };
        vec![(items, taken)]
    }
}

fn any_call(_: &Seen<Queue>, case: &mut Case) -> Option<Call> {
    Some(if case.flag() { Call::Take } else { Call::Put(case.int(1..=3)) })
}

/// A subclass of the queue of the standard library.
fn queue(class: &str, body: &str) -> Trial<Queue> {
    let folder = std::env::temp_dir().join(format!("gainsay-model-tests-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path: PathBuf = folder.join(format!("{class}.java"));
    let head = "import java.util.concurrent.*;\npublic class";
    let text = format!("{head} {class} extends LinkedBlockingQueue<Integer> {{\n{body}\n}}\n");
    std::fs::write(&path, text).unwrap();
    let encode = |call: &Call| match call {
        Call::Put(item) => ("put".to_string(), vec![json!(item)]),
        Call::Take => ("take".to_string(), vec![]),
    };
    let decode = |value: &Json| Ok(value.as_u64().map(|value| value as u8));
    let real = java(&[&path], class, [], encode, decode).unwrap();
    trial(class, Queue, Policy::any(), any_call, real).settings(seeded(1)).phases(20, 4)
}

/// Somebody else may go on here, also where processors are few and busy.
const A_MOMENT: &str =
    "private static void pass() { for (int i = 0; i < 40; i++) Thread.onSpinWait(); Thread.yield(); }";

#[test]
fn a_queue_that_loses_an_element_and_one_that_answers_late_are_found() {
    // Two that put at the same time put the same.
    let lossy = "private volatile Integer hand;
        @Override public void put(Integer item) throws InterruptedException { hand = item; pass(); super.put(hand); }";
    // Who finds nothing, and is not known to wait yet, is not woken before the next one comes.
    let late = "private volatile boolean isWaited = false;
        @Override public void put(Integer item) throws InterruptedException {
            super.put(item);
            if (isWaited) synchronized (this) { notifyAll(); }
        }
        @Override public Integer take() throws InterruptedException {
            Integer item = poll();
            while (item == null) {
                pass();
                synchronized (this) { isWaited = true; wait(); item = poll(); }
            }
            return item;
        }";
    for (class, body, clauses) in
        [("LossyQueue", lossy, ["POST", "progress"]), ("LateQueue", late, ["progress", "progress"])]
    {
        let mut wrong = queue(class, &format!("{A_MOMENT}\n{body}")).budget(200, Duration::from_secs(40));
        // One call after the other it is right.
        let verdict = wrong.verdict_round(Round::Progress);
        assert!(verdict.is_good(), "{class}: {verdict}");
        let verdict = wrong.verdict_round(Round::Concurrent);
        let told = verdict.counterexample().unwrap_or_else(|| panic!("{class}: {verdict}")).message.clone();
        assert!(clauses.iter().any(|clause| told.contains(&format!("\n{clause}: "))), "{told}");
    }
    let mut right = queue("PlainQueue", "").settings(seeded(1).cases(100));
    assert_eq!(right.verdict_round(Round::Concurrent).to_string(), "passed: 100 cases");
}

#[derive(Default)]
struct Real {
    items: Mutex<VecDeque<u8>>,
    added: Condvar,
}

impl Real {
    fn call(&self, call: &Call) -> Option<u8> {
        let mut items = self.items.lock().unwrap();
        match call {
            Call::Put(item) => {
                items.push_back(*item);
                self.added.notify_one();
                None
            }
            Call::Take => {
                while items.is_empty() {
                    items = self.added.wait(items).unwrap();
                }
                items.pop_front()
            }
        }
    }
}

#[test]
fn most_phases_of_the_concurrent_round_have_several_calls() {
    let (phases, crowded) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (alone, together) = (Arc::clone(&phases), Arc::clone(&crowded));
    let calls = move |seen: &Seen<Queue>, case: &mut Case| {
        match seen.chosen().len() {
            0 => alone.fetch_add(1, Relaxed),
            1 => together.fetch_add(1, Relaxed),
            _ => 0,
        };
        Some(Call::Put(case.int(1..=3)))
    };
    let real = on_threads(Real::default, Real::call);
    let mut trial =
        trial("queue", Queue, Policy::any(), calls, real).settings(seeded(1).cases(100)).phases(10, 2);
    assert!(trial.verdict_round(Round::Concurrent).is_good());
    let (phases, crowded) = (phases.load(Relaxed), crowded.load(Relaxed));
    assert!(phases > 200 && 100 * crowded / phases >= 60, "{crowded} of {phases}");
}

#[test]
fn a_round_has_as_many_tests_as_there_is_time_for() {
    let trial = |budget: Option<(u64, Duration)>| {
        let real = on_threads(Real::default, Real::call);
        let trial = trial("queue", Queue, Policy::any(), any_call, real)
            .settings(settings().seed(1).without_corpus().allow_vacuous());
        match budget {
            Some((cases, time)) => trial.budget(cases, time).report_round(Round::Safety).unwrap(),
            None => trial.cases(30).report_round(Round::Safety).unwrap(),
        }
    };
    // No time is left, but so many there must be.
    let report = trial(Some((40, Duration::ZERO)));
    assert_eq!(report.verdict.to_string(), "passed: 40 cases");
    assert_contains(
        &report.remarks.join("\n"),
        "40 tests by the budget: at least 40, and more until 0ns are over",
    );
    let report = trial(Some((1, Duration::from_millis(300))));
    assert!(report.verdict.is_good() && report.verdict.cases() > 1, "{report}");
    assert_eq!(trial(None).verdict.to_string(), "passed: 30 cases");
}
