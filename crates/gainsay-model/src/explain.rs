//! The one judge: can what was seen be explained?
//!
//! A [`Theory`] says what may be the case (*configurations*), what happens unseen (*steps*), and what a configuration becomes when
//! something is seen (*events*). Linearizability, the states a resource may be in, the states a machine may be in and what
//! is left of a list of expected calls are such theories. What was seen is explained if at least one configuration
//! survives it; if none does, the last ones that were alive, and why each died, are the counterexample.
//!
//! There are two strategies. The [`Frontier`] takes one event after the other and keeps all configurations: for tests that decide what to do
//! next. [`witness`] knows the whole story, looks depth first for one explanation and remembers where it has been in vain: for
//! recorded histories. When a frontier grows past its limit it falls back to searching for a witness.

mod bag;
mod frontier;
mod shown;
mod witness;

pub use frontier::Frontier;
pub(crate) use shown::shown;
pub use witness::witness;

use std::fmt::Debug;
use std::hash::Hash;

/// What may happen, seen and unseen.
pub trait Theory {
    /// Everything about the past that matters for the future.
    type Config: Clone + Eq + Hash + Debug;
    /// Something that is seen.
    type Event: Clone + Debug;
    /// Something that happens unseen.
    type Step: Clone + Debug;
    /// Why a configuration cannot explain an event. Built often and shown rarely: keep it small.
    type Why: Clone + Debug;

    /// Whether everything that can happen unseen before an event can also happen after it, with the same result, if the event can be
    /// explained at all without it. Then steps are only tried where an event cannot be explained otherwise.
    const POSTPONES: bool;

    /// Whether anything happens unseen at all; true by default.
    const UNSEEN: bool = true;

    /// Adds what can happen unseen to a configuration. `ahead` is the event to be explained next: steps that cannot help with it, now
    /// or later, may be left out.
    fn steps(&self, config: &Self::Config, ahead: &Self::Event, steps: &mut Vec<(Self::Step, Self::Config)>);

    /// Of the steps, one that is likely to help with the event to be explained next; it is tried before all steps are asked for, and
    /// may be among them again.
    fn helpful_step(
        &self,
        _config: &Self::Config,
        _ahead: &Self::Event,
    ) -> Option<(Self::Step, Self::Config)> {
        None
    }

    /// Takes out of a configuration what it would be better off without: of two that are equal but for that, and of which one has
    /// part of what the other has, the first explains all that the second does. As bits; none by default.
    fn unburden(&self, _config: &mut Self::Config) -> u64 {
        0
    }

    /// Makes a configuration what it becomes when `event` is seen, if that is one thing and easily known; otherwise leaves it as it is.
    fn advance(&self, _config: &mut Self::Config, _event: &Self::Event) -> bool {
        false
    }

    /// Adds what a configuration may become when `event` is seen.
    ///
    /// # Errors
    /// Why there is nothing, and the configuration.
    fn after(
        &self,
        config: Self::Config,
        event: &Self::Event,
        next: &mut Vec<Self::Config>,
    ) -> Result<(), (Self::Why, Self::Config)>;
}

/// How far a search may go.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many configurations may be looked at in all, by a search.
    pub configs_max: usize,
    /// How many configurations a frontier may have.
    pub frontier_max: usize,
    /// How many dead configurations are kept for the report.
    pub dead_max: usize,
}

impl Default for Limits {
    /// Ten million, a hundred thousand, and sixteen.
    fn default() -> Limits {
        Limits { configs_max: 10_000_000, frontier_max: 100_000, dead_max: 16 }
    }
}

/// What a search in the configurations of a theory has shown.
pub type ExplainedBy<T> = Explained<<T as Theory>::Config, <T as Theory>::Step, <T as Theory>::Why>;

/// A configuration of a theory that could not explain an event.
pub type DeadBy<T> = Dead<<T as Theory>::Config, <T as Theory>::Step, <T as Theory>::Why>;

/// What a search has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explained<C, S, W> {
    /// Everything was explained: these steps, each before the event of that number.
    Yes(Vec<(usize, S)>),
    /// Nothing explains the first `event + 1` events, and something explains every shorter beginning.
    No {
        /// The number of the event that cannot be explained.
        event: usize,
        /// Configurations that were alive before it, as many as the limits say, with the steps that led to them and why they died.
        dead: Vec<Dead<C, S, W>>,
    },
    /// The search was ended by a limit: nothing is known.
    GaveUp {
        /// How many configurations were looked at.
        configs: usize,
    },
}

/// A configuration that could not explain an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dead<C, S, W> {
    /// What was the case.
    pub config: C,
    /// The steps that led to it.
    pub steps: Vec<(usize, S)>,
    /// Why it could not explain the event.
    pub why: W,
}
