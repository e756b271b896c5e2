//! Two resources as one.

use super::{Asking, Policy, Resource};
use std::fmt::{self, Debug};
use std::sync::Arc;

/// Something of the first resource, or of the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Either<A, B> {
    /// Of the first.
    First(A),
    /// Of the second.
    Second(B),
}

/// What must hold of both states.
type Law<A, B> = Arc<dyn Fn(&<A as Resource>::State, &<B as Resource>::State) -> bool + Send + Sync>;

/// Two resources that know nothing of each other, in one test. More than two are pairs of pairs.
pub struct Both<A: Resource, B: Resource> {
    first: A,
    second: B,
    law: Law<A, B>,
}

impl<A: Resource + Debug, B: Resource + Debug> Debug for Both<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Both")
            .field("first", &self.first)
            .field("second", &self.second)
            .finish_non_exhaustive()
    }
}

impl<A: Resource, B: Resource> Both<A, B> {
    /// Both of these.
    pub fn new(first: A, second: B) -> Both<A, B> {
        Both { first, second, law: Arc::new(|_, _| true) }
    }

    /// What must hold of both states together, besides the invariant of each.
    #[must_use]
    pub fn invariant(
        mut self,
        law: impl Fn(&A::State, &B::State) -> bool + Send + Sync + 'static,
    ) -> Both<A, B> {
        self.law = Arc::new(law);
        self
    }
}

impl<A: Resource, B: Resource> Resource for Both<A, B> {
    type State = (A::State, B::State);
    type Call = Either<A::Call, B::Call>;
    type Value = Either<A::Value, B::Value>;

    fn start(&self) -> Self::State {
        (self.first.start(), self.second.start())
    }

    fn pre(&self, call: &Self::Call) -> bool {
        match call {
            Either::First(call) => self.first.pre(call),
            Either::Second(call) => self.second.pre(call),
        }
    }

    fn cpre(&self, state: &Self::State, call: &Self::Call) -> bool {
        match call {
            Either::First(call) => self.first.cpre(&state.0, call),
            Either::Second(call) => self.second.cpre(&state.1, call),
        }
    }

    fn post(&self, state: &Self::State, call: &Self::Call) -> Vec<(Self::State, Self::Value)> {
        match call {
            Either::First(call) => {
                let after = self.first.post(&state.0, call).into_iter();
                after.map(|(first, value)| ((first, state.1.clone()), Either::First(value))).collect()
            }
            Either::Second(call) => {
                let after = self.second.post(&state.1, call).into_iter();
                after.map(|(second, value)| ((state.0.clone(), second), Either::Second(value))).collect()
            }
        }
    }

    fn invariant(&self, state: &Self::State) -> bool {
        self.first.invariant(&state.0) && self.second.invariant(&state.1) && (self.law)(&state.0, &state.1)
    }

    fn operation(&self, call: &Self::Call) -> String {
        match call {
            Either::First(call) => format!("First({})", self.first.operation(call)),
            Either::Second(call) => format!("Second({})", self.second.operation(call)),
        }
    }
}

impl<A: Resource + 'static, B: Resource + 'static> Policy<Both<A, B>> {
    /// Each resource has its policy, and does not look at the calls of the other.
    pub fn both(first: Policy<A>, second: Policy<B>) -> Policy<Both<A, B>> {
        let name = format!("{first}; {second}");
        let is_by_age = first.is_by_age() || second.is_by_age();
        let policy = Policy::new(&name, move |asking: &Asking<'_, Both<A, B>>| {
            let (queue, place) = (asking.queue(), asking.place());
            let Both { first: one, second: other, .. } = asking.resource();
            let before = |is_such: &dyn Fn(&Either<A::Call, B::Call>) -> bool| {
                queue[..place].iter().filter(|call| is_such(call)).count()
            };
            match asking.call() {
                Either::First(_) => {
                    let own = queue.iter().filter_map(|call| match call {
                        Either::First(call) => Some(call),
                        Either::Second(_) => None,
                    });
                    let own: Vec<&A::Call> = own.collect();
                    let place = before(&|call| matches!(call, Either::First(_)));
                    first.enables(one, &asking.state().0, &own, place)
                }
                Either::Second(_) => {
                    let own = queue.iter().filter_map(|call| match call {
                        Either::First(_) => None,
                        Either::Second(call) => Some(call),
                    });
                    let own: Vec<&B::Call> = own.collect();
                    let place = before(&|call| matches!(call, Either::Second(_)));
                    second.enables(other, &asking.state().1, &own, place)
                }
            }
        });
        if is_by_age { policy } else { policy.regardless_of_age() }
    }
}
