//! A method that is called, bound to the operation that answers it.

use crate::callout::{Answer, Called, Identity, Method};
use crate::model::command::Arguments;
use std::any::{Any, TypeId};

pub(super) struct Binding {
    pub(super) method: &'static str,
    /// Which one it is, of those with its name.
    pub(super) identity: Identity,
    pub(super) component: String,
    pub(super) operation: String,
    arguments: Box<dyn Fn(&dyn Any) -> Option<Arguments> + Send + Sync>,
    result: Box<dyn Fn(&dyn Any, &dyn Any) -> Option<Box<dyn Any>> + Send + Sync>,
    types: (TypeId, TypeId),
}

impl Binding {
    pub(super) fn new<A, R, B, T>(
        method: Method<A, R>,
        component: &str,
        operation: &str,
        arguments: impl Fn(&A) -> B + Send + Sync + 'static,
        result: impl Fn(&A, &R) -> T + Send + Sync + 'static,
    ) -> Binding
    where
        A: 'static,
        R: 'static,
        B: Send + Sync + 'static,
        T: 'static,
    {
        Binding {
            method: method.name(),
            identity: method.identity(),
            component: component.into(),
            operation: operation.into(),
            arguments: Box::new(move |given| {
                let given: Vec<B> = vec![arguments(given.downcast_ref()?)];
                Some(Box::new(given))
            }),
            result: Box::new(move |after, value| {
                Some(Box::new(result(after.downcast_ref()?, value.downcast_ref()?)))
            }),
            types: (TypeId::of::<B>(), TypeId::of::<T>()),
        }
    }

    /// The types that the operation must have: of its arguments, and of its result.
    pub(super) fn types(&self) -> (TypeId, TypeId) {
        self.types
    }

    /// The arguments of the operation, if those of the method are known.
    pub(super) fn arguments(&self, of_method: &dyn Any) -> Option<Arguments> {
        (self.arguments)(of_method)
    }

    /// The result of the operation if a call is answered so; none if it does not return.
    pub(super) fn result_of(&self, call: &Called, answer: &Answer) -> Option<Box<dyn Any>> {
        match answer {
            Answer::Returns { value, arguments } => {
                let after = arguments.as_ref().map_or(call.arguments(), |arguments| &***arguments);
                self.result(after, value.as_ref())
            }
            Answer::Panics(_) | Answer::Open => None,
        }
    }

    /// The result of the operation, by the arguments of the method afterwards and its result.
    pub(super) fn result(&self, after: &dyn Any, value: &dyn Any) -> Option<Box<dyn Any>> {
        (self.result)(after, value)
    }
}
