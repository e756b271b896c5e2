//! Histories of concurrent operations: the judge against brute force, and what it says.

use crate::support::{assert_contains, seeded};
use gainsay::explain::Limits;
use gainsay::history::{
    History, Judgement, Operation, Outcome, Sequential, linearizable, linearizable_by_key,
    linearizable_within, sequentially_consistent,
};
use gainsay::prelude::*;

/// A register that can be read, written, and set if it has an expected value.
struct Register;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Call {
    Read,
    Write(u8),
    Cas(u8, u8),
}

impl Sequential for Register {
    type State = u8;
    type Call = Call;
    type Return = u8;
    type Next = Option<u8>;

    fn start(&self) -> u8 {
        0
    }

    fn step(&self, state: &u8, call: &Call, returned: Option<&u8>) -> Option<u8> {
        let (result, next) = match *call {
            Call::Read => (*state, *state),
            Call::Write(value) => (value, value),
            Call::Cas(from, to) if from == *state => (1, to),
            Call::Cas(..) => (0, *state),
        };
        returned.is_none_or(|returned| *returned == result).then_some(next)
    }
}

/// Something that may have written either of two values: several states may follow.
struct Vague;

impl Sequential for Vague {
    type State = u8;
    type Call = Call;
    type Return = u8;
    type Next = Vec<u8>;

    fn start(&self) -> u8 {
        0
    }

    fn step(&self, state: &u8, call: &Call, returned: Option<&u8>) -> Vec<u8> {
        match *call {
            Call::Cas(a, b) => vec![a, b],
            _ => Register.step(state, call, returned).into_iter().collect(),
        }
    }
}

type Recorded = History<Call, u8>;

/// Up to six operations of a few processes, some of which never return or failed.
fn histories(case: &mut Case) -> Recorded {
    let operations = case.vec(0..=6, |case| {
        let call = match case.index(3) {
            0 => Call::Read,
            1 => Call::Write(case.int(0..=2)),
            _ => Call::Cas(case.int(0..=2), case.int(0..=2)),
        };
        let called = case.int(0..=12u64);
        let at = called + case.int(0..=6u64);
        let outcome = match case.index_weighted(&[8, 1, 1, 1]) {
            0 => Outcome::Returned {
                at,
                value: if let Call::Write(value) = call { value } else { case.int(0..=2) },
            },
            1 => Outcome::Pending,
            2 => Outcome::Finished { at },
            _ => Outcome::Failed,
        };
        Operation { process: 0, call, called, outcome }
    });
    // What overlaps is called by different processes.
    let numbered = operations.into_iter().enumerate();
    numbered.map(|(process, operation)| Operation { process, ..operation }).collect()
}

/// Tries every order of every set of operations that contains all that ended.
fn brute_force<S: Sequential<State = u8, Call = Call, Return = u8>>(
    specification: &S,
    history: &Recorded,
    before: &dyn Fn(usize, usize) -> bool,
) -> bool {
    fn go<S: Sequential<State = u8, Call = Call, Return = u8>>(
        specification: &S,
        operations: &[Operation<Call, u8>],
        before: &dyn Fn(usize, usize) -> bool,
        done: &mut Vec<usize>,
        state: u8,
    ) -> bool {
        let must =
            |i: usize| matches!(operations[i].outcome, Outcome::Returned { .. } | Outcome::Finished { .. });
        let open: Vec<usize> = (0..operations.len())
            .filter(|i| !done.contains(i) && !matches!(operations[*i].outcome, Outcome::Failed))
            .collect();
        if !open.iter().any(|&i| must(i)) {
            return true;
        }
        open.iter().any(|&i| {
            // Nothing that must come before may come later.
            if open.iter().any(|&j| j != i && must(j) && before(j, i)) {
                return false;
            }
            let returned = match &operations[i].outcome {
                Outcome::Returned { value, .. } => Some(value),
                _ => None,
            };
            specification.step(&state, &operations[i].call, returned).into_iter().any(|next| {
                done.push(i);
                let explained = go(specification, operations, before, done, next);
                done.pop();
                explained
            })
        })
    }
    go(specification, history.operations(), before, &mut Vec::new(), specification.start())
}

/// Whether an order is one: allowed by the specification, and no operation before one that had ended when it was called.
fn is_witness(history: &Recorded, order: &[usize]) -> bool {
    let mut state = Register.start();
    for &number in order {
        let operation = &history.operations()[number];
        let returned = match &operation.outcome {
            Outcome::Returned { value, .. } => Some(value),
            _ => None,
        };
        match Register.step(&state, &operation.call, returned) {
            Some(next) => state = next,
            None => return false,
        }
    }
    let ended = |i: usize| match history.operations()[i].outcome {
        Outcome::Returned { at, .. } | Outcome::Finished { at } => Some(at),
        _ => None,
    };
    let all = (0..history.operations().len()).filter(|&i| ended(i).is_some()).all(|i| order.contains(&i));
    let in_time = order.iter().enumerate().all(|(place, &later)| {
        let called = history.operations()[later].called;
        order[place + 1..].iter().all(|&i| ended(i).is_none_or(|at| at >= called))
    });
    all && in_time
}

#[test]
fn linearizability_is_what_brute_force_finds() {
    let (mut yes, mut no) = (0, 0);
    seeded(1).cases(4000).check_with(histories, |history| {
        let operations = history.operations().to_vec();
        let before = |a: usize, b: usize| match operations[a].outcome {
            Outcome::Returned { at, .. } | Outcome::Finished { at } => at < operations[b].called,
            _ => false,
        };
        let expected = brute_force(&Register, &history, &before);
        match linearizable(&Register, &history) {
            Judgement::Explained { order } => {
                yes += 1;
                assert!(expected && is_witness(&history, &order), "{order:?} is no witness");
            }
            Judgement::Unexplained(_) => {
                no += 1;
                assert!(!expected, "there is an explanation");
            }
            gave_up @ Judgement::GaveUp { .. } => panic!("{gave_up}"),
        }
        assert_eq!(linearizable(&Vague, &history).is_explained(), brute_force(&Vague, &history, &before));
        true
    });
    assert!(yes > 500 && no > 500, "{yes} histories have an explanation, {no} have none");
}

#[test]
fn sequential_consistency_is_what_brute_force_finds() {
    let (mut yes, mut no) = (0, 0);
    seeded(2).cases(2000).check_with(histories, |history| {
        // Two processes.
        let operations: Recorded = history
            .operations()
            .iter()
            .enumerate()
            .map(|(i, operation)| {
                // The clock does not matter.
                let outcome = match operation.outcome.clone() {
                    Outcome::Returned { value, .. } => Outcome::Returned { at: 100, value },
                    Outcome::Finished { .. } => Outcome::Finished { at: 100 },
                    outcome => outcome,
                };
                Operation { process: i % 2, called: i as u64, outcome, ..operation.clone() }
            })
            .collect();
        let before = |a: usize, b: usize| a % 2 == b % 2 && a < b;
        let judgement = sequentially_consistent(&Register, &operations);
        let expected = brute_force_in_order(&operations, &before);
        assert_eq!(judgement.is_explained(), expected);
        if expected {
            yes += 1
        } else {
            no += 1
        }
        true
    });
    assert!(yes > 300 && no > 100, "{yes} histories have an explanation, {no} have none");
}

/// Like [`brute_force`], where operations of one process that never returned come in order as well.
fn brute_force_in_order(history: &Recorded, before: &dyn Fn(usize, usize) -> bool) -> bool {
    fn go(
        operations: &[Operation<Call, u8>],
        before: &dyn Fn(usize, usize) -> bool,
        open: &[usize],
        state: u8,
    ) -> bool {
        let must =
            |i: usize| matches!(operations[i].outcome, Outcome::Returned { .. } | Outcome::Finished { .. });
        if !open.iter().any(|&i| must(i)) {
            return true;
        }
        open.iter().any(|&i| {
            let first = !open.iter().any(|&j| before(j, i));
            let returned = match &operations[i].outcome {
                Outcome::Returned { value, .. } => Some(value),
                _ => None,
            };
            let rest: Vec<usize> = open.iter().copied().filter(|&j| j != i).collect();
            let next = Register.step(&state, &operations[i].call, returned);
            first && next.is_some_and(|next| go(operations, before, &rest, next))
        })
    }
    let failed = |i: &usize| matches!(history.operations()[*i].outcome, Outcome::Failed);
    let open: Vec<usize> = (0..history.operations().len()).filter(|i| !failed(i)).collect();
    go(history.operations(), before, &open, 0)
}

#[test]
fn what_cannot_be_explained_is_shown_with_the_shortest_beginning() {
    let mut history = History::new();
    let write = history.call(0, Call::Write(1));
    let read = history.call(1, Call::Read);
    history.returns(write, 1);
    history.returns(read, 2);
    let later = history.call(0, Call::Read);
    history.returns(later, 1);
    let Judgement::Unexplained(unexplained) = linearizable(&Register, &history) else { panic!("explained") };
    assert_eq!((unexplained.operation, unexplained.ended), (Some(read), 2));
    let shown = unexplained.to_string();
    assert_contains(&shown, "no order explains Read → 2, the end of operation number 2");
    assert_contains(&shown, "after [0] in state 1: it would not have returned 2");
    // What comes later does not matter.
    assert_eq!(unexplained.reasons.len(), 1);
}

#[test]
fn keys_are_judged_apart_and_known_by_their_numbers() {
    let mut history = History::new();
    for key in 0..3u8 {
        let write = history.call(0, (key, Call::Write(key)));
        history.returns(write, key);
    }
    let read = history.call(1, (2, Call::Read));
    history.returns(read, 1);
    struct Keyed;
    impl Sequential for Keyed {
        type State = u8;
        type Call = (u8, Call);
        type Return = u8;
        type Next = Option<u8>;
        fn start(&self) -> u8 {
            0
        }
        fn step(&self, state: &u8, (_, call): &(u8, Call), returned: Option<&u8>) -> Option<u8> {
            Register.step(state, call, returned)
        }
    }
    let Judgement::Unexplained(unexplained) = linearizable_by_key(&Keyed, &history, |(key, _)| *key) else {
        panic!("explained")
    };
    assert_eq!(unexplained.operation, Some(read));
}

#[test]
fn past_a_limit_nothing_is_concluded() {
    let mut history = History::new();
    let writes: Vec<usize> = (0..12).map(|i| history.call(i, Call::Write(i as u8))).collect();
    for (value, write) in writes.into_iter().enumerate() {
        history.returns(write, value as u8);
    }
    let read = history.call(0, Call::Read);
    history.returns(read, 99);
    let limits = Limits { configs_max: 1000, ..Limits::default() };
    let judgement = linearizable_within(&Register, &history, &limits);
    assert!(matches!(judgement, Judgement::GaveUp { .. }), "{judgement}");
}

#[test]
fn the_shortest_beginning_does_not_know_what_returns_later() {
    let mut checked = 0;
    seeded(5).cases(3000).check_with(histories, |history| {
        if let Judgement::Unexplained(unexplained) = linearizable(&Register, &history) {
            let operations = history.operations();
            let end = |i: usize| match operations[i].outcome {
                Outcome::Returned { at, .. } | Outcome::Finished { at } => Some(at),
                _ => None,
            };
            let mut ends: Vec<(u64, usize)> =
                (0..operations.len()).filter_map(|i| Some((end(i)?, i))).collect();
            ends.sort_unstable();
            // What is known when so many operations have ended.
            let until = |count: usize| -> Recorded {
                let last = ends[count - 1];
                let known = operations.iter().enumerate().map(|(i, operation)| {
                    let outcome = match end(i) {
                        _ if operation.called > last.0 => Outcome::Failed,
                        Some(at) if (at, i) > last => Outcome::Pending,
                        _ => operation.outcome.clone(),
                    };
                    Operation { outcome, ..operation.clone() }
                });
                known.collect()
            };
            let explained = |count: usize| {
                let history = until(count);
                let operations = history.operations().to_vec();
                let before = |a: usize, b: usize| match operations[a].outcome {
                    Outcome::Returned { at, .. } | Outcome::Finished { at } => at < operations[b].called,
                    _ => false,
                };
                brute_force(&Register, &history, &before)
            };
            assert_eq!(unexplained.operation, Some(ends[unexplained.ended - 1].1));
            assert!(!explained(unexplained.ended), "{unexplained}");
            assert!(unexplained.ended == 1 || explained(unexplained.ended - 1), "{unexplained}");
            checked += 1;
        }
    });
    assert!(checked > 300, "{checked} histories had no explanation");
}

#[test]
#[should_panic(expected = "operation 0 of a history ends at 5, before it is called at 10")]
fn an_operation_that_ends_before_it_is_called_is_refused() {
    let outcome = Outcome::Returned { at: 5, value: 0 };
    let _: Recorded = [Operation { process: 0, call: Call::Read, called: 10, outcome }].into_iter().collect();
}
