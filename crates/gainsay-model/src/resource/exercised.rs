//! What of a specification was exercised by the tests of a round, and what never was.
//!
//! A round in which an operation never ran, or in which no call ever waited although calls can, has not tested what the specification
//! speaks of. An operation of which no call waited, while those of others did, is told and no more: there may be no way to let it wait
//! that the clients of the resource would ever take.

use super::test::Test;
use super::{CallId, Resource};
use gainsay_core::quietly;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};

/// So many states are kept, and so many are looked at to find one in which a call waits.
const STATES_MAX: usize = 1_000;

/// So many different calls of an operation are kept.
const CALLS_MAX: usize = 16;

/// What was seen of the operations in the tests of a round.
pub(super) struct Exercised<R: Resource> {
    operations: BTreeMap<String, Operation<R>>,
    /// States that were possible between two phases.
    states: FxHashSet<R::State>,
}

/// What was seen of an operation.
struct Operation<R: Resource> {
    called: u64,
    /// Drawn, and not called because PRE does not hold.
    senseless: u64,
    returned: u64,
    waited: u64,
    /// Some of its calls.
    calls: FxHashSet<R::Call>,
}

impl<R: Resource> Operation<R> {
    fn new() -> Operation<R> {
        Operation { called: 0, senseless: 0, returned: 0, waited: 0, calls: FxHashSet::default() }
    }
}

/// What is to be told of a round.
#[derive(Debug, Default)]
pub(super) struct Unexercised {
    /// What never occurred, so that the round is vacuous.
    pub(super) never: Vec<String>,
    pub(super) remarks: Vec<String>,
}

impl<R: Resource> Exercised<R> {
    pub(super) fn new() -> Exercised<R> {
        Exercised { operations: BTreeMap::new(), states: FxHashSet::default() }
    }

    fn of(&mut self, resource: &R, call: &R::Call) -> &mut Operation<R> {
        self.operations.entry(resource.operation(call)).or_insert_with(Operation::new)
    }

    /// Counts what came of a test.
    pub(super) fn add(&mut self, test: &Test<'_, R>) {
        let resource = test.resource;
        for call in test.senseless() {
            self.of(resource, call).senseless += 1;
        }
        let waited: FxHashSet<CallId> = test.waited().collect();
        let returned: FxHashSet<CallId> = test.seen.ended().collect();
        for (id, call) in (0..).zip(test.seen.calls()) {
            let operation = self.of(resource, call);
            operation.called += 1;
            operation.returned += u64::from(returned.contains(&id));
            operation.waited += u64::from(waited.contains(&id));
            if operation.calls.len() < CALLS_MAX {
                operation.calls.insert(call.clone());
            }
        }
        for state in test.states() {
            if self.states.len() == STATES_MAX {
                break;
            }
            self.states.insert(state.clone());
        }
    }

    /// What was never exercised.
    pub(super) fn never(&self, resource: &R, show: &dyn Fn(&R::State) -> String) -> Unexercised {
        let mut told = Unexercised::default();
        for name in resource.operations() {
            if !self.operations.contains_key(&name) {
                told.never.push(format!("the operation `{name}`"));
            }
        }
        for (name, operation) in &self.operations {
            if operation.called == 0 {
                told.never.push(format!(
                    "the operation `{name}` (its PRE did not hold in any of {} calls that were drawn)",
                    operation.senseless
                ));
            } else if operation.returned == 0 {
                told.never.push(format!(
                    "the end of an operation `{name}` (of {} calls none returned)",
                    operation.called
                ));
            }
        }
        let nobody_waited = self.operations.values().all(|operation| operation.waited == 0);
        for (name, operation) in self.operations.iter().filter(|(_, operation)| operation.waited == 0) {
            let calls = operation.calls.iter();
            let waits = |state: &&R::State| {
                quietly(|| calls.clone().any(|call| !resource.cpre(state, call))).unwrap_or(false)
            };
            let (met, other) = (self.states.iter().find(waits), || self.explored(resource, waits));
            match met {
                Some(state) if nobody_waited => {
                    told.never.push(format!("a call that waits (`{name}` does in state {})", show(state)));
                    break;
                }
                _ => {
                    if let Some(state) = met.cloned().or_else(other) {
                        told.remarks.push(format!(
                            "`{name}` never waited in {} calls, though its CPRE is false in state {}",
                            operation.called,
                            show(&state)
                        ));
                    }
                }
            }
        }
        told
    }

    /// The first state of which this is so, among those that the calls of the tests lead to.
    fn explored(&self, resource: &R, such: impl Fn(&&R::State) -> bool) -> Option<R::State> {
        let calls: Vec<&R::Call> = self.operations.values().flat_map(|operation| &operation.calls).collect();
        let mut known: FxHashSet<R::State> = FxHashSet::from_iter([resource.start()]);
        let mut queue: VecDeque<R::State> = VecDeque::from([resource.start()]);
        while let Some(state) = queue.pop_front() {
            if such(&&state) {
                return Some(state);
            }
            for call in &calls {
                // (Clients may keep to an order that nobody knows here: a clause that panics says nothing.)
                let after = quietly(|| match resource.pre(call) && resource.cpre(&state, call) {
                    true => resource.post(&state, call),
                    false => Vec::new(),
                });
                for (after, _) in after.unwrap_or_default() {
                    if known.len() < STATES_MAX && known.insert(after.clone()) {
                        queue.push_back(after);
                    }
                }
            }
        }
        None
    }
}
