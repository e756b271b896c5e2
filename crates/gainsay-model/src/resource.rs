//! Shared resources: a state, and calls that wait until they may run.
//!
//! A [`Resource`] says what each call needs (PRE, of its arguments alone), when it may run (CPRE, of the state), and what it does then
//! (POST, with all that it may). A [`Policy`] says which of the calls that may run do. Before there is anything to test, the
//! specification itself is [validated](validate), closed by clients: does it keep its invariant, can it get stuck, must somebody wait
//! for ever?

mod both;
mod client;
mod course;
mod exercised;
mod export;
mod graph;
mod policy;
mod scheduled;
mod table;
mod test;
mod trial;
mod validate;
mod viable;

pub use both::{Both, Either};
pub use client::Client;
pub use export::Phases;
pub use gainsay_subject::{InChild, Json, Trouble, in_child, java, json};
pub use policy::{Asking, Policy};
pub use scheduled::Scheduled;
pub use table::Table;
pub use test::Seen;
pub use trial::{Round, Trial, on_threads, trial};
pub use validate::{Problem, Validation, validate};
pub use viable::{CallId, Clause, Contradiction, Phase, Viable};

use std::fmt::Debug;
use std::hash::Hash;

/// What a shared resource does.
///
/// ```
/// use gainsay_model::resource::{Client, Policy, Resource, validate};
///
/// /// Holds at most two items.
/// struct Shelf;
///
/// #[derive(Debug, Clone, PartialEq, Eq, Hash)]
/// enum Call {
///     Put,
///     Take,
/// }
///
/// impl Resource for Shelf {
///     type State = u8;
///     type Call = Call;
///     type Value = ();
///
///     fn start(&self) -> u8 {
///         0
///     }
///
///     fn cpre(&self, items: &u8, call: &Call) -> bool {
///         match call {
///             Call::Put => *items < 2,
///             Call::Take => *items > 0,
///         }
///     }
///
///     fn post(&self, items: &u8, call: &Call) -> Vec<(u8, ())> {
///         match call {
///             Call::Put => vec![(items + 1, ())],
///             Call::Take => vec![(items - 1, ())],
///         }
///     }
/// }
///
/// let clients = [Client::forever("maker", [Call::Put]), Client::once("eater", [Call::Take, Call::Take])];
/// let validation = validate(&Shelf, &Policy::fifo(), &clients);
/// // Nobody takes the last items.
/// assert!(validation.to_string().contains("deadlock"), "{validation}");
/// ```
pub trait Resource {
    /// What is shared.
    type State: Clone + Eq + Hash + Debug;
    /// A call with its arguments.
    type Call: Clone + Eq + Hash + Debug;
    /// What calls return.
    type Value: Clone + Eq + Hash + Debug;

    /// The state in the beginning.
    fn start(&self) -> Self::State;

    /// PRE: whether a call makes sense at all. That is the duty of whoever calls, and speaks of arguments alone.
    fn pre(&self, _call: &Self::Call) -> bool {
        true
    }

    /// CPRE: whether a call may run. Until then it waits.
    fn cpre(&self, _state: &Self::State, _call: &Self::Call) -> bool {
        true
    }

    /// POST: what a call that may run does and returns; several pairs if that is left open.
    fn post(&self, state: &Self::State, call: &Self::Call) -> Vec<(Self::State, Self::Value)>;

    /// INVARIANT: what holds in every state.
    fn invariant(&self, _state: &Self::State) -> bool {
        true
    }

    /// The names of all operations, if they are to be told from those that a trial happens to draw: one that is never called makes it vacuous.
    fn operations(&self) -> Vec<String> {
        Vec::new()
    }

    /// The name of the operation that a call is of: by default what its `Debug` begins with.
    fn operation(&self, call: &Self::Call) -> String {
        let shown = format!("{call:?}");
        let end = shown.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(shown.len());
        shown[..end].to_string()
    }
}
