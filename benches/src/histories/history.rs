//! The form all contenders start from.

use super::{kv, register};

/// Something one process did, with call and return times that are unique within a history.
#[derive(Clone, Debug)]
pub(super) struct Operation<C, R> {
    pub(super) process: u32,
    pub(super) call: C,
    pub(super) call_time: u64,
    pub(super) outcome: Outcome<R>,
}

/// What is known about the end of an operation.
#[derive(Clone, Debug)]
pub(super) enum Outcome<R> {
    /// It took effect between its call and this time.
    Returned { time: u64, value: R },
    /// It did not take effect and has nothing to say.
    Failed {
        #[expect(dead_code, reason = "an operation without effect constrains nothing")]
        time: u64,
    },
    /// It may take effect at any time after its call, or never.
    Pending,
}

/// A recorded history, in order of calls.
#[derive(Clone, Debug)]
pub(super) enum History {
    Register(Vec<Operation<register::Call, register::Return>>),
    Kv(Vec<Operation<kv::Call, kv::Return>>),
}

impl History {
    pub(super) fn len(&self) -> usize {
        match self {
            History::Register(operations) => operations.len(),
            History::Kv(operations) => operations.len(),
        }
    }

    pub(super) fn pending(&self) -> usize {
        fn count<C, R>(operations: &[Operation<C, R>]) -> usize {
            operations.iter().filter(|operation| matches!(operation.outcome, Outcome::Pending)).count()
        }
        match self {
            History::Register(operations) => count(operations),
            History::Kv(operations) => count(operations),
        }
    }
}
