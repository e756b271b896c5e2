//! Who calls a resource.

use super::Resource;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// Somebody who makes one call after the other: which ones, by a small machine of places.
pub struct Client<R: Resource> {
    pub(super) name: String,
    /// The calls that may be made in a place, and where they lead; none where the client has finished.
    next: Arc<dyn Fn(usize) -> Vec<(R::Call, usize)> + Send + Sync>,
}

impl<R: Resource> Clone for Client<R> {
    fn clone(&self) -> Client<R> {
        Client { name: self.name.clone(), next: Arc::clone(&self.next) }
    }
}

impl<R: Resource> Debug for Client<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Client").field(&self.name).finish()
    }
}

impl<R: Resource> Client<R> {
    /// A client that begins in place 0. In each place it may make some calls, each of which leads to another place when it has returned;
    /// where there are none, it has finished.
    pub fn new(
        name: &str,
        next: impl Fn(usize) -> Vec<(R::Call, usize)> + Send + Sync + 'static,
    ) -> Client<R> {
        Client { name: name.into(), next: Arc::new(next) }
    }

    /// A client that makes these calls once.
    pub fn once(name: &str, calls: impl IntoIterator<Item = R::Call>) -> Client<R>
    where
        R::Call: Send + Sync + 'static,
    {
        let calls: Vec<R::Call> = calls.into_iter().collect();
        Client::new(name, move |place| {
            calls.get(place).map(|call| (call.clone(), place + 1)).into_iter().collect()
        })
    }

    /// A client that makes these calls again and again.
    pub fn forever(name: &str, calls: impl IntoIterator<Item = R::Call>) -> Client<R>
    where
        R::Call: Send + Sync + 'static,
    {
        let calls: Vec<R::Call> = calls.into_iter().collect();
        Client::new(name, move |place| {
            calls.get(place).map(|call| (call.clone(), (place + 1) % calls.len())).into_iter().collect()
        })
    }

    pub(super) fn calls_in(&self, place: usize) -> Vec<(R::Call, usize)> {
        (self.next)(place)
    }
}
