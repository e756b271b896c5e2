//! porcupine-rs, called through `check_operations`, its cheapest entry: `check_events` renumbers and copies the
//! events first.
//!
//! Its operations borrow ours, so that the copies it makes of them are cheap. It knows no pending operations;
//! as in its own tests, they return at the end of time, with a return that fits any state.
//!
//! Keys are judged one after the other. Its own partitioning starts a thread for each of them, which takes 2 to
//! 30 times the CPU time on these histories.

use super::history::{Operation, Outcome};
use super::{Contender, Judge, kv, register};
use ::porcupine_rs::{Model, check_operations};
use std::collections::BTreeMap;
use std::marker::PhantomData;

pub(super) const CONTENDER: Contender =
    Contender { name: "porcupine", register: judge_register, kv: judge_kv };

fn judge_register(operations: &[Operation<register::Call, register::Return>]) -> Judge<'_> {
    let history = converted::<Register, _, _>(operations, |call, returned| (*call, returned.copied()));
    Box::new(move || check_operations(&history))
}

fn judge_kv(operations: &[Operation<kv::Call, kv::Return>]) -> Judge<'_> {
    let history = converted::<Kv, _, _>(operations, |call, returned| (call, returned));
    Box::new(move || {
        let mut keys: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for operation in &history {
            keys.entry(&operation.op.0.key).or_default().push(operation.clone());
        }
        keys.values().all(|operations| check_operations(operations))
    })
}

#[derive(Clone, Debug)]
struct Register;

impl Model for Register {
    type State = register::State;
    type Op = (register::Call, Option<register::Return>);
    type Metadata = ();

    fn init() -> register::State {
        register::State::default()
    }

    fn step(state: &register::State, (call, returned): &Self::Op) -> (bool, register::State) {
        accepted(register::step(state, call, returned.as_ref()))
    }
}

#[derive(Clone, Debug)]
struct Kv<'a>(PhantomData<&'a ()>);

impl<'a> Model for Kv<'a> {
    type State = kv::State;
    type Op = (&'a kv::Call, Option<&'a kv::Return>);
    type Metadata = ();

    fn init() -> kv::State {
        kv::State::default()
    }

    fn step(state: &kv::State, &(call, returned): &Self::Op) -> (bool, kv::State) {
        accepted(kv::step(state, call, returned))
    }
}

/// A step as it wants it: the state of a step that is not accepted is never looked at.
fn accepted<S: Default>(next: Option<S>) -> (bool, S) {
    (next.is_some(), next.unwrap_or_default())
}

/// A history as it wants it, without the operations that did not happen.
fn converted<'a, M: Model, C, R>(
    operations: &'a [Operation<C, R>],
    op: impl Fn(&'a C, Option<&'a R>) -> M::Op,
) -> Vec<::porcupine_rs::Operation<M>> {
    let convert = |operation: &'a Operation<C, R>| {
        let (return_time, returned) = match &operation.outcome {
            Outcome::Returned { time, value } => (*time as i64, Some(value)),
            Outcome::Failed { .. } => return None,
            Outcome::Pending => (i64::MAX, None),
        };
        Some(::porcupine_rs::Operation {
            client_id: Some(operation.process),
            call_time: operation.call_time as i64,
            return_time,
            op: op(&operation.call, returned),
            metadata: None,
        })
    };
    operations.iter().filter_map(convert).collect()
}
