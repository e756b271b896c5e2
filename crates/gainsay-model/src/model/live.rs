//! The real thing, and what its calls have returned.

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// What a call will return, as the model knows it: not a value, only the name of one. A model may keep it, compare it and give it to other
/// operations, whose calls find the value with [`of`](Var::of).
pub struct Var<T> {
    pub(super) producer: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Var<T> {
    pub(super) fn new(producer: u32) -> Var<T> {
        Var { producer, of: PhantomData }
    }

    /// What the call that this stands for has returned.
    ///
    /// # Panics
    /// If it has not returned.
    pub fn of<R>(self, live: &Live<R>) -> &T
    where
        T: 'static,
    {
        let result = live.results.get(self.producer as usize).and_then(Option::as_ref);
        match result.and_then(|result| result.downcast_ref()) {
            Some(value) => value,
            None => panic!("the call {self:?} has not returned: a model must not use its handle"),
        }
    }
}

impl<T> Clone for Var<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Var<T> {}

impl<T> PartialEq for Var<T> {
    fn eq(&self, other: &Self) -> bool {
        self.producer == other.producer
    }
}

impl<T> Eq for Var<T> {}

impl<T> PartialOrd for Var<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Var<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.producer.cmp(&other.producer)
    }
}

impl<T> Hash for Var<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.producer.hash(state);
    }
}

impl<T> Debug for Var<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.producer + 1)
    }
}

/// The real thing while a test runs: it can be used as if it were just that, and [`Var::of`] finds results in it. It has no methods
/// of its own, which would hide those of the real thing: [`Live::real`] is a function.
#[derive(Debug)]
pub struct Live<R> {
    pub(super) real: R,
    pub(super) results: Vec<Option<Arc<dyn Any + Send + Sync>>>,
}

/// What a call has returned: its own, or shared with everybody who has the handle.
#[derive(Debug)]
pub(super) enum Value {
    Own(Box<dyn Any + Send>),
    Shared(Arc<dyn Any + Send + Sync>),
}

impl Value {
    pub(super) fn as_any(&self) -> &dyn Any {
        match self {
            Value::Own(value) => value.as_ref(),
            Value::Shared(value) => value.as_ref(),
        }
    }
}

impl<R> Live<R> {
    /// The real thing itself, where a pattern needs it: `let (sender, receiver) = Live::real(live);`.
    pub fn real(live: &mut Live<R>) -> &mut R {
        &mut live.real
    }

    pub(super) fn new(real: R) -> Live<R> {
        Live { real, results: Vec::new() }
    }

    pub(super) fn keep(live: &mut Live<R>, producer: u32, result: Arc<dyn Any + Send + Sync>) {
        let place = producer as usize;
        if live.results.len() <= place {
            live.results.resize_with(place + 1, || None);
        }
        live.results[place] = Some(result);
    }
}

impl<R> Deref for Live<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.real
    }
}

impl<R> DerefMut for Live<R> {
    fn deref_mut(&mut self) -> &mut R {
        &mut self.real
    }
}
