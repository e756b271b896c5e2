//! Which of the calls that may run do.

use super::Resource;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// What a policy looks at. The less that is, the less must be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    Nowhere,
    /// At the calls that wait.
    AtOthers,
    /// At the calls that wait, and who came first.
    AtAge,
    /// Only whether a call is the oldest one: no other runs.
    AtOldest,
}

/// A scheduling policy (ENABLED): whether a waiting call may be the next one to run, if the state lets it.
pub struct Policy<R: Resource> {
    name: String,
    looks: Looks,
    enabled: Arc<dyn Fn(&Asking<'_, R>) -> bool + Send + Sync>,
}

impl<R: Resource> Clone for Policy<R> {
    fn clone(&self) -> Policy<R> {
        Policy { name: self.name.clone(), looks: self.looks, enabled: Arc::clone(&self.enabled) }
    }
}

impl<R: Resource> Debug for Policy<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Policy").field(&self.name).finish()
    }
}

impl<R: Resource> fmt::Display for Policy<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl<R: Resource> Policy<R> {
    /// A policy of your own. Where it does not matter which calls are older, say so with
    /// [`regardless_of_age`](Policy::regardless_of_age): much less must be looked at then.
    pub fn new(name: &str, enabled: impl Fn(&Asking<'_, R>) -> bool + Send + Sync + 'static) -> Policy<R> {
        Policy { name: name.into(), looks: Looks::AtAge, enabled: Arc::new(enabled) }
    }

    /// It does not matter who came first.
    #[must_use]
    pub fn regardless_of_age(mut self) -> Policy<R> {
        self.looks = Looks::AtOthers;
        self
    }

    /// Any call that may run.
    pub fn any() -> Policy<R> {
        Policy { looks: Looks::Nowhere, ..Policy::new("any", |_| true) }
    }

    /// First come, first served: whoever came first must run first, even if nobody else needs what he waits for.
    pub fn fifo() -> Policy<R> {
        let policy = Policy::new("first come, first served", |asking| !asking.older(|_| true));
        Policy { looks: Looks::AtOldest, ..policy }
    }

    /// First come, first served among calls with the same key, such as those of one operation.
    pub fn fifo_by<K: PartialEq>(key: impl Fn(&R::Call) -> K + Send + Sync + 'static) -> Policy<R> {
        Policy::new("first come, first served by key", move |asking| {
            let mine = key(asking.call());
            !asking.older(|call| key(call) == mine)
        })
    }

    /// The largest key first, among all that wait: one that cannot run yet stops all smaller ones.
    pub fn largest_waiting<K: Ord>(key: impl Fn(&R::Call) -> K + Send + Sync + 'static) -> Policy<R> {
        Policy::new("largest first of all that wait", move |asking| {
            let mine = key(asking.call());
            !asking.waiting(|call| key(call) > mine)
        })
        .regardless_of_age()
    }

    /// The largest key first, among those that may run.
    pub fn largest_ready<K: Ord>(key: impl Fn(&R::Call) -> K + Send + Sync + 'static) -> Policy<R> {
        Policy::new("largest first of all that may run", move |asking| {
            let mine = key(asking.call());
            !asking.ready(|call| key(call) > mine)
        })
        .regardless_of_age()
    }

    /// Some before others: while one of the first kind waits, none of the second kind runs. Writers over readers, for instance.
    pub fn over(
        first: impl Fn(&R::Call) -> bool + Send + Sync + 'static,
        second: impl Fn(&R::Call) -> bool + Send + Sync + 'static,
    ) -> Policy<R> {
        Policy::new("some before others", move |asking| !second(asking.call()) || !asking.waiting(&first))
            .regardless_of_age()
    }

    pub(super) fn is_by_age(&self) -> bool {
        matches!(self.looks, Looks::AtAge | Looks::AtOldest)
    }

    /// Whether it lets only the oldest call run.
    pub(super) fn is_total(&self) -> bool {
        self.looks == Looks::AtOldest
    }

    /// Whether it lets every call run that may.
    pub(super) fn is_blind(&self) -> bool {
        self.looks == Looks::Nowhere
    }

    /// Whether a call that waits may run, as far as others are concerned (ENABLED).
    pub(super) fn enables(&self, resource: &R, state: &R::State, queue: &[&R::Call], place: usize) -> bool {
        (self.enabled)(&Asking { resource, state, queue, place })
    }
}

/// A waiting call that asks whether it may run, among the others that wait.
pub struct Asking<'a, R: Resource> {
    resource: &'a R,
    state: &'a R::State,
    /// All that wait, the oldest first.
    queue: &'a [&'a R::Call],
    place: usize,
}

impl<R: Resource> Debug for Asking<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asking").field("call", self.call()).field("queue", &self.queue).finish()
    }
}

impl<'a, R: Resource> Asking<'a, R> {
    /// The call that asks.
    pub fn call(&self) -> &'a R::Call {
        self.queue[self.place]
    }

    pub(super) fn resource(&self) -> &'a R {
        self.resource
    }

    pub(super) fn queue(&self) -> &'a [&'a R::Call] {
        self.queue
    }

    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// The state of the resource.
    pub fn state(&self) -> &'a R::State {
        self.state
    }

    /// Whether such a call waits that came before the one that asks.
    pub fn older(&self, such: impl Fn(&R::Call) -> bool) -> bool {
        self.queue[..self.place].iter().any(|call| such(call))
    }

    /// Whether such a call waits, be it the one that asks.
    pub fn waiting(&self, such: impl Fn(&R::Call) -> bool) -> bool {
        self.queue.iter().any(|call| such(call))
    }

    /// Whether such a call waits that may run in this state (its CPRE holds), be it the one that asks.
    pub fn ready(&self, such: impl Fn(&R::Call) -> bool) -> bool {
        self.queue.iter().any(|call| such(call) && self.resource.cpre(self.state, call))
    }
}
