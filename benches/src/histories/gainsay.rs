//! gainsay.

use super::history::{self, Operation};
use super::{Contender, Judge, kv, register};
use ::gainsay::history::{self as judged, History, Sequential, is_linearizable, linearizable_by_key};

pub(super) const CONTENDER: Contender = Contender { name: "gainsay", register: judge_register, kv: judge_kv };

fn judge_register(operations: &[Operation<register::Call, register::Return>]) -> Judge<'_> {
    let history: History<_, _> =
        operations.iter().map(|operation| converted(operation, |call| *call)).collect();
    Box::new(move || is_linearizable(&Register, &history) == Some(true))
}

fn judge_kv(operations: &[Operation<kv::Call, kv::Return>]) -> Judge<'_> {
    let history: History<_, _> =
        operations.iter().map(|operation| converted(operation, |call| call)).collect();
    Box::new(move || linearizable_by_key(&Kv(&()), &history, |call| call.key.as_str()).is_explained())
}

struct Register;

impl Sequential for Register {
    type State = register::State;
    type Call = register::Call;
    type Return = register::Return;
    type Next = Option<register::State>;

    fn start(&self) -> register::State {
        register::State::default()
    }

    fn step(
        &self,
        state: &register::State,
        call: &register::Call,
        returned: Option<&register::Return>,
    ) -> Option<register::State> {
        register::step(state, call, returned)
    }
}

struct Kv<'a>(&'a ());

impl<'a> Sequential for Kv<'a> {
    type State = kv::State;
    type Call = &'a kv::Call;
    type Return = kv::Return;
    type Next = Option<kv::State>;

    fn start(&self) -> kv::State {
        let () = self.0;
        kv::State::default()
    }

    fn step(&self, state: &kv::State, call: &&kv::Call, returned: Option<&kv::Return>) -> Option<kv::State> {
        kv::step(state, call, returned)
    }
}

fn converted<'a, C, D, R: Clone>(
    operation: &'a Operation<C, R>,
    call: impl Fn(&'a C) -> D,
) -> judged::Operation<D, R> {
    let outcome = match &operation.outcome {
        history::Outcome::Returned { time, value } => {
            judged::Outcome::Returned { at: *time, value: value.clone() }
        }
        history::Outcome::Failed { .. } => judged::Outcome::Failed,
        history::Outcome::Pending => judged::Outcome::Pending,
    };
    let process = operation.process as usize;
    judged::Operation { process, call: call(&operation.call), called: operation.call_time, outcome }
}
