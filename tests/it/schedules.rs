//! Controlled schedules: what runs next is drawn, so that races are found without luck, and shrink and replay like everything
//! else.

use crate::support::{assert_contains, found, seeded};
use gainsay::{Controlled, Model, Parallel, Verdict, model};
use shuttle::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use shuttle::sync::{Arc, Mutex};

/// A stack without locks, in an arena: 0 is no node. If `broken`, it does not look whether somebody else was faster.
struct Stack {
    nodes: Vec<(AtomicU64, AtomicUsize)>,
    used: AtomicUsize,
    head: AtomicUsize,
    broken: bool,
}

impl Stack {
    fn new(broken: bool) -> Stack {
        let nodes = (0..40).map(|_| (AtomicU64::new(0), AtomicUsize::new(0))).collect();
        Stack { nodes, used: AtomicUsize::new(0), head: AtomicUsize::new(0), broken }
    }

    fn swing(&self, from: usize, to: usize) -> bool {
        if self.broken {
            self.head.store(to, SeqCst);
            return true;
        }
        self.head.compare_exchange(from, to, SeqCst, SeqCst).is_ok()
    }

    fn push(&self, value: u64) {
        let node = self.used.fetch_add(1, SeqCst) + 1;
        self.nodes[node].0.store(value, SeqCst);
        loop {
            let head = self.head.load(SeqCst);
            self.nodes[node].1.store(head, SeqCst);
            if self.swing(head, node) {
                return;
            }
        }
    }

    fn pop(&self) -> Option<u64> {
        loop {
            let head = self.head.load(SeqCst);
            if head == 0 {
                return None;
            }
            let next = self.nodes[head].1.load(SeqCst);
            if self.swing(head, next) {
                return Some(self.nodes[head].0.load(SeqCst));
            }
        }
    }
}

fn stack(broken: bool) -> Model<Vec<u64>, Arc<Stack>> {
    model(Vec::<u64>::new, move || Arc::new(Stack::new(broken)))
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
}

#[test]
fn a_broken_stack_is_found_with_every_seed_and_replayed() {
    for seed in 0..20 {
        let verdict = stack(true).settings(seeded(seed)).verdict_controlled();
        let counterexample = found(&verdict);
        assert!(counterexample.record.choices.len() < 60, "{verdict}");
        assert_contains(&counterexample.message, "not linearizable");
        assert_eq!(counterexample.rate, None, "what is drawn is no matter of luck");
    }
    let again = || stack(true).settings(seeded(3)).verdict_controlled().to_string();
    assert_eq!(again(), again());
}

#[test]
fn the_correct_stack_passes() {
    for seed in 0..3 {
        let verdict = stack(false).settings(seeded(seed).cases(300)).verdict_controlled();
        assert!(matches!(verdict, Verdict::Passed(_)), "{verdict}");
    }
}

fn counter(racy: bool) -> Model<u64, Arc<AtomicU64>> {
    model(|| 0u64, || Arc::new(AtomicU64::new(0))).operation(
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
}

#[test]
fn all_schedules_up_to_a_number_of_preemptions_are_tried() {
    let small = Parallel { commands_max: 2, prefix_max: 1, ..Parallel::default() };
    let how = Controlled { parallel: small, preemptions_max: 2, ..Controlled::default() };
    let report = counter(false).settings(seeded(0).exhaustive()).report_controlled(&how).unwrap();
    assert!(matches!(report.verdict, Verdict::Proved(_)), "{}", report.verdict);
    assert_contains(
        &report.verdict.to_string(),
        "assuming at most 2 preemptions; at most 2 branches of at most 2 commands",
    );
    let report = counter(true).settings(seeded(0).exhaustive()).report_controlled(&how).unwrap();
    let message = &found(&report.verdict).message;
    assert_contains(message, "branch 1");
    assert_eq!(message.lines().filter(|line| line.starts_with("branch")).count(), 2, "{message}");
}

#[test]
fn a_deadlock_is_a_failure() {
    let locks = |crossed: bool| {
        model(|| (), || (Arc::new(Mutex::new(())), Arc::new(Mutex::new(()))))
            .operation(
                "there",
                |_, _| (),
                |locks, ()| {
                    let _one = locks.0.lock().unwrap();
                    let _two = locks.1.lock().unwrap();
                },
                |there| there,
            )
            .operation(
                "back",
                |_, _| (),
                move |locks, ()| {
                    let (first, second) = if crossed { (&locks.1, &locks.0) } else { (&locks.0, &locks.1) };
                    let _one = first.lock().unwrap();
                    let _two = second.lock().unwrap();
                },
                |back| back,
            )
    };
    let verdict = locks(true).settings(seeded(1)).verdict_controlled();
    assert_contains(&found(&verdict).message, "deadlock");
    let verdict = locks(false).settings(seeded(1).cases(200)).verdict_controlled();
    assert!(verdict.is_good(), "{verdict}");
}
