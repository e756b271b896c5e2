//! gainsay.

use super::workload::{Buffer, CALLS, deliver};
use ::gainsay::callout::{Term, call, seq};
use ::gainsay::mock::expect;
use ::gainsay::{Model, Verdict, model, settings};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The buffer again: both libraries call their mocks alike, and cannot share a trait.
#[::gainsay::mock]
trait Storage {
    fn create(&mut self, size: u16);
    fn push(&mut self, item: u8) -> u8;
    fn pop(&mut self, at: u8) -> Option<u8>;
}

impl Buffer for MockStorage {
    fn create(&mut self, size: u16) {
        Storage::create(self, size);
    }

    fn push(&mut self, item: u8) -> u8 {
        Storage::push(self, item)
    }

    fn pop(&mut self, at: u8) -> Option<u8> {
        Storage::pop(self, at)
    }
}

/// A test, and how many calls that were.
pub(super) fn run() -> u64 {
    let items = (0..(CALLS as u8 - 2) / 2).flat_map(|item| {
        [
            Term::from(call(MockStorage::PUSH).given((item,)).returns(0)),
            call(MockStorage::POP).given((item,)).returns(Some(item)).into(),
        ]
    });
    let created = |size: u16| Term::from(call(MockStorage::CREATE).given((size,)));
    let expected = seq([created(16)].into_iter().chain(items).chain([created(0)]));
    expect(expected, || deliver(&mut MockStorage::new()));
    CALLS
}

/// The buffer holds so many items, whatever it was asked for.
const LIMIT: usize = 128;

/// The size that was asked for, and what is inside.
type Inside = Option<(usize, VecDeque<u8>)>;

struct MailBox<B>(B);

fn mailbox() -> Model<Inside, MailBox<MockStorage>> {
    let count = |state: &Inside| state.as_ref().map_or(0, |(_, items)| items.len());
    let room = |state: &Inside| state.as_ref().is_some_and(|(size, items)| items.len() < *size);
    let some = |state: &Inside| state.as_ref().is_some_and(|(_, items)| !items.is_empty());
    let front = |state: &Inside| state.as_ref().and_then(|(_, items)| items.front().copied());
    model(|| None, || MailBox(MockStorage::new()))
        .operation(
            "create",
            |_, case| case.int(1..=256u16),
            |mailbox, size| Storage::create(&mut mailbox.0, *size),
            |create| {
                create
                    .when(Option::is_none)
                    .calls(|_, size| call(MockStorage::CREATE).given((*size,)))
                    .next(|state, size| *state = Some((usize::from(*size), VecDeque::new())))
            },
        )
        .operation(
            "post",
            |_, case| case.any::<u8>(),
            |mailbox, message| Storage::push(&mut mailbox.0, *message),
            move |post| {
                post.when(room)
                    .calls(move |state, message| {
                        let full = u8::from(count(state) >= LIMIT);
                        call(MockStorage::PUSH).given((*message,)).returns(full)
                    })
                    .returns(|_, _| 0)
                    .next(|state, message| state.iter_mut().for_each(|(_, items)| items.push_back(*message)))
            },
        )
        .operation(
            "fetch",
            |_, _| (),
            |mailbox, ()| Storage::pop(&mut mailbox.0, 0),
            move |fetch| {
                fetch
                    .when(some)
                    .calls(move |state, ()| call(MockStorage::POP).given((0,)).returns(front(state)))
                    .returns(move |state, ()| front(state))
                    .next(|state, ()| {
                        state.iter_mut().for_each(|(_, items)| _ = items.pop_front());
                    })
            },
        )
}

/// How many seeds find the limit and shrink to the smallest sequence that shows it, and how long the slowest takes.
pub(super) fn story(seeds: u64) -> (u64, Duration) {
    let mut slowest = Duration::ZERO;
    let mut smallest = 0;
    for seed in 0..seeds {
        let start = Instant::now();
        let verdict = mailbox().settings(settings().seed(seed).without_corpus()).verdict();
        slowest = slowest.max(start.elapsed());
        smallest += u64::from(is_smallest(&verdict));
    }
    (smallest, slowest)
}

fn is_smallest(verdict: &Verdict) -> bool {
    let Some(counterexample) = verdict.counterexample() else { return false };
    let told: Vec<&str> = counterexample.notes.iter().map(|note| note.value.as_str()).collect();
    told.len() == LIMIT + 2
        && told[0] == "create(129)"
        && told[1..=LIMIT].iter().all(|line| *line == "post(0) → 0")
        && told[LIMIT + 1] == "post(0) → 1"
}
