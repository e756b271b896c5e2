//! Commands: operations with arguments, of whichever types.

use super::live::{Live, Value};
use gainsay_core::{Case, Failure};
use std::any::Any;
use std::fmt::Debug;

/// An operation with its arguments.
pub(super) struct Command {
    /// The place of its operation in the model.
    pub(super) operation: usize,
    pub(super) arguments: Box<dyn Any + Send + Sync>,
    /// Its number in its test: what its handle is known by.
    pub(super) number: u32,
}

impl Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "command {} of operation {}", self.number, self.operation)
    }
}

/// An operation whose argument and result types only it knows.
pub(super) trait Operate<S, R>: Send + Sync {
    fn name(&self) -> &str;
    fn tags(&self) -> &[String];
    /// Whether it must not run at the same time as another one.
    fn is_alone(&self) -> bool;
    /// Whether the state learns from what it really returns.
    fn is_dynamic(&self) -> bool;
    /// Whether it may be called in every state, with the same weight.
    fn is_free(&self) -> bool;
    /// 0 where it must not be called.
    fn weight(&self, state: &S) -> u32;
    /// Draws arguments; `None` if it must not be called with them.
    fn propose(&self, state: &S, case: &mut Case) -> Option<Box<dyn Any + Send + Sync>>;
    fn allows(&self, state: &S, command: &Command) -> bool;
    fn next(&self, state: &mut S, command: &Command);
    /// Calls the real thing, judges what it returns by the state before, and moves on to the next state. A result that is a handle is
    /// kept.
    fn run(
        &self,
        state: &mut S,
        live: &mut Live<R>,
        command: &Command,
        shown: Option<&mut String>,
    ) -> Option<Failure>;
    /// Whether results are handles.
    fn keeps(&self) -> bool;
    /// Only calls.
    fn call(&self, live: &mut Live<R>, command: &Command) -> Value;
    /// Whether a result is one that the model allows.
    fn agrees(&self, state: &S, command: &Command, result: &dyn Any) -> bool;
    /// Whether arguments and result have the types of this operation.
    fn fits(&self, command: &Command, result: Option<&dyn Any>) -> bool;
    fn show_call(&self, command: &Command) -> String;
    fn show_result(&self, result: &dyn Any) -> String;
}
