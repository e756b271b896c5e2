//! A resource whose policy remembers something.

use super::Resource;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// What a policy remembers after a call.
type After<R, S> = Arc<dyn Fn(&S, &<R as Resource>::Call, &<R as Resource>::State) -> S + Send + Sync>;

/// A resource with something that its policy remembers of the calls that have run (POST_WAITING): the second part of the state, which a
/// policy sees too.
///
/// ```
/// use gainsay_model::resource::{Policy, Resource, Scheduled};
///
/// # struct Store;
/// # impl Resource for Store {
/// #     type State = ();
/// #     type Call = Call;
/// #     type Value = ();
/// #     fn start(&self) {}
/// #     fn post(&self, _: &(), _: &Call) -> Vec<((), ())> { vec![((), ())] }
/// # }
/// #[derive(Debug, Clone, PartialEq, Eq, Hash)]
/// enum Call { Read, Write }
///
/// // Readers and writers take turns where both wait: the schedule is who was the last.
/// let taking_turns = Scheduled::new(Store, None, |_, call, _| Some(call.clone()));
/// let policy = Policy::<Scheduled<Store, Option<Call>>>::new("in turn", |asking| {
///     let (_, last) = asking.state();
///     last.as_ref() != Some(asking.call()) || !asking.waiting(|call| call != asking.call())
/// });
/// # let _ = (taking_turns, policy);
/// ```
pub struct Scheduled<R: Resource, S> {
    resource: R,
    start: S,
    after: After<R, S>,
}

impl<R: Resource + Debug, S: Debug> Debug for Scheduled<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduled")
            .field("resource", &self.resource)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl<R: Resource, S: Clone + Eq + std::hash::Hash + Debug> Scheduled<R, S> {
    /// A resource, what is remembered at the start, and what is after a call has run, by what was before it, the call, and the state
    /// that it has left.
    pub fn new(
        resource: R,
        start: S,
        after: impl Fn(&S, &R::Call, &R::State) -> S + Send + Sync + 'static,
    ) -> Scheduled<R, S> {
        Scheduled { resource, start, after: Arc::new(after) }
    }
}

impl<R: Resource, S: Clone + Eq + std::hash::Hash + Debug> Resource for Scheduled<R, S> {
    type State = (R::State, S);
    type Call = R::Call;
    type Value = R::Value;

    fn start(&self) -> Self::State {
        (self.resource.start(), self.start.clone())
    }

    fn pre(&self, call: &R::Call) -> bool {
        self.resource.pre(call)
    }

    fn cpre(&self, state: &Self::State, call: &R::Call) -> bool {
        self.resource.cpre(&state.0, call)
    }

    fn post(&self, (state, schedule): &Self::State, call: &R::Call) -> Vec<(Self::State, R::Value)> {
        let after = self.resource.post(state, call).into_iter();
        after
            .map(|(state, value)| {
                let schedule = (self.after)(schedule, call, &state);
                ((state, schedule), value)
            })
            .collect()
    }

    fn invariant(&self, state: &Self::State) -> bool {
        self.resource.invariant(&state.0)
    }

    fn operation(&self, call: &R::Call) -> String {
        self.resource.operation(call)
    }
}
