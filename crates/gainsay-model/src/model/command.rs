//! Commands: operations with arguments, of whichever types.

use super::Active;
use super::live::{Live, Value};
use crate::callout::{Ended, Term};
use crate::mock::Scope;
use gainsay_core::{Case, Failure};
use std::any::{Any, TypeId};
use std::fmt::{self, Debug};

/// Arguments of some type, one behind the other: a `Vec` of that type.
pub(super) type Arguments = Box<dyn Any + Send + Sync>;

/// An operation with its arguments: one of several. Small enough to be handed on in registers.
#[derive(Clone, Copy)]
pub(super) struct Command<'a> {
    among: &'a Commands,
    entry: &'a Entry,
}

impl<'a> Command<'a> {
    /// The place of its operation in the model.
    #[inline(always)]
    pub(super) fn operation(self) -> usize {
        self.entry.operation as usize
    }

    /// Its number in its test: what its handle is known by.
    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.entry.number
    }

    /// The arguments, if they have this type.
    #[inline]
    pub(super) fn arguments<A: 'static>(self) -> Option<&'a A> {
        let entry = self.entry;
        let arguments: &Vec<A> = self.among.arguments[entry.operation as usize].downcast_ref()?;
        arguments.get(entry.place as usize)
    }
}

impl Debug for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "command {} of operation {}", self.number(), self.operation())
    }
}

/// Commands in their order. The arguments of each operation lie together, so that a command needs no memory of its own.
#[derive(Default)]
pub(super) struct Commands {
    order: Vec<Entry>,
    /// By operation.
    arguments: Vec<Arguments>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    operation: u32,
    place: u32,
    number: u32,
}

impl Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Commands {
    /// None so far, of these operations.
    pub(super) fn of<S, R>(operations: &[Box<dyn Operate<S, R>>]) -> Commands {
        let arguments = operations.iter().map(|operation| operation.no_arguments()).collect();
        Commands { order: Vec::new(), arguments }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn get(&self, place: usize) -> Option<Command<'_>> {
        self.order.get(place).map(|entry| Command { among: self, entry })
    }

    #[inline]
    pub(super) fn last(&self) -> Option<Command<'_>> {
        self.order.last().map(|entry| Command { among: self, entry })
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = Command<'_>> {
        self.order.iter().map(|entry| Command { among: self, entry })
    }

    /// A single command instead, with these arguments.
    pub(super) fn only(&mut self, operation: usize, number: u32, arguments: Arguments) -> Command<'_> {
        self.arguments[operation] = arguments;
        self.order.clear();
        self.order.push(Entry { operation: operation as u32, place: 0, number });
        Command { among: self, entry: &self.order[0] }
    }

    /// Adds a command, if the model allows what is drawn for it, and moves on to the next state, unless it has to wait.
    #[inline]
    pub(super) fn propose<S, R>(
        &mut self,
        operation: usize,
        number: u32,
        operate: &dyn Operate<S, R>,
        state: &mut S,
        case: &mut Case,
        freedom: Freedom,
    ) -> bool {
        let arguments = self.arguments[operation].as_mut();
        let may_wait = freedom.may_wait;
        let place = match freedom.size {
            None => operate.propose(state, case, arguments, number, may_wait),
            Some(size) => case.within(size, |case| operate.propose(state, case, arguments, number, may_wait)),
        };
        let Some(place) = place else { return false };
        self.order.push(Entry { operation: operation as u32, place, number });
        true
    }

    /// Takes the last command back.
    pub(super) fn pop(&mut self) {
        self.order.pop();
    }

    pub(super) fn remove(&mut self, place: usize) {
        self.order.remove(place);
    }

    pub(super) fn clear<S, R>(&mut self, operations: &[Box<dyn Operate<S, R>>]) {
        self.order.clear();
        for (operation, arguments) in operations.iter().zip(&mut self.arguments) {
            operation.forget(arguments.as_mut());
        }
    }
}

/// What a command may be like that is drawn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Freedom {
    /// It may have to wait.
    pub(super) may_wait: bool,
    /// What its arguments may cost.
    pub(super) size: Option<u64>,
}

/// What an operation needs whose calls are judged.
pub(super) struct Mocked<'a> {
    pub(super) scope: &'a Scope,
    /// What answers are drawn from.
    pub(super) case: &'a mut Case,
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
    /// Whether its call waits on an executor of its own.
    #[cfg_attr(not(feature = "shuttle"), expect(dead_code, reason = "only controlled runs refuse such"))]
    fn is_asynchronous(&self) -> bool;
    /// Whether it is expected to call something.
    fn has_calls(&self) -> bool;
    /// Whether it may have to wait.
    fn is_blocking(&self) -> bool;
    /// Whether it need not wait.
    fn is_enabled(&self, state: &S, command: Command<'_>) -> bool;
    /// 0 where it must not be called.
    fn weight(&self, state: &S) -> u32;
    /// Room for arguments of its type.
    fn no_arguments(&self) -> Arguments;
    fn forget(&self, arguments: &mut dyn Any);
    /// Draws arguments, puts them behind the others and moves on to the next state; `None` if it must not be called with them. A
    /// call that has to wait changes nothing, and is refused unless it `may_wait`.
    fn propose(
        &self,
        state: &mut S,
        case: &mut Case,
        arguments: &mut dyn Any,
        number: u32,
        may_wait: bool,
    ) -> Option<u32>;
    fn allows(&self, state: &S, command: Command<'_>) -> bool;
    fn next(&self, state: &mut S, command: Command<'_>);
    /// Calls the real thing, judges what it returns by the state before, and moves on to the next state. A result that is a handle is
    /// kept.
    fn run(&self, state: &mut S, live: &mut Live<R>, command: Command<'_>) -> Option<Box<Failure>>;
    /// Like [`run`](Operate::run); the result is also shown, and mocks judge what is called.
    fn run_watched(
        &self,
        state: &mut S,
        live: &mut Live<R>,
        command: Command<'_>,
        shown: Option<&mut String>,
        mocked: Option<Mocked<'_>>,
    ) -> Option<Box<Failure>>;
    /// Which components of a cluster may call it; all if none is named.
    fn callers(&self) -> &[String];
    /// Whether it is called from outside of a cluster although it has callers.
    fn is_exported(&self) -> bool;
    /// The calls that it is expected to make.
    fn term(&self, state: &S, command: Command<'_>) -> Term<S>;
    /// Whether it may do something else.
    fn has_deviations(&self) -> bool;
    /// Whether something depends on what was captured.
    fn uses_captures(&self) -> bool;
    /// Whether the next state depends on the result.
    fn learns_from_result(&self) -> bool;
    /// Judges a result, if it is known, and moves on to the next state; unless it happens to deviate.
    fn move_on(
        &self,
        state: &mut S,
        command: Command<'_>,
        result: Option<&dyn Any>,
        after: Ended<S>,
        deviating: Option<&Active>,
    ) -> Option<Box<Failure>>;
    /// Whether results are handles.
    fn keeps(&self) -> bool;
    /// Only calls.
    fn call(&self, live: &mut Live<R>, command: Command<'_>) -> Value;
    /// Whether a result is one that the model allows.
    fn agrees(&self, state: &S, command: Command<'_>, result: &dyn Any) -> bool;
    /// Whether arguments and result have the types of this operation.
    fn fits(&self, command: Command<'_>, result: Option<&dyn Any>) -> bool;
    /// The types of its arguments and of its result.
    fn types(&self) -> (TypeId, TypeId);
    fn show_call(&self, command: Command<'_>) -> String;
    fn show_result(&self, result: &dyn Any) -> String;
}
