//! Buses: how a system is started, sent messages, and watched.

#[cfg(feature = "tokio")]
mod asynchronous;
mod embedded;
mod stdio;

#[cfg(feature = "tokio")]
pub use asynchronous::{AsyncBus, Outgoing};
pub use embedded::{EmbeddedBus, Node, Outbox};
pub use stdio::{Ready, Starting, StdioBus};

use crate::trace::Message;
use gainsay_core::Case;
use std::fmt;
use std::sync::Arc;

/// A system, and the way to its messages.
///
/// A run begins with [`begin`](Bus::begin): the system is as new, and its time is 0. Whatever is seen is added to `seen` in order, with times
/// that do not go back. [`conformance::bus`](crate::conformance::bus) checks this.
pub trait Bus {
    /// Makes the system as new, and waits until it is ready: then it is 0. What differs from run to run is drawn from the case. What was said before
    /// the start is returned: it is not judged.
    ///
    /// # Errors
    /// If it does not start, or is never ready.
    fn begin(&mut self, case: &mut Case) -> Result<Vec<Arc<Message>>, Trouble>;

    /// Sends a message at its time, which is not before anything that was seen. It is itself seen, before everything that it causes.
    ///
    /// # Errors
    /// If the system is no more, or does not do as agreed.
    fn publish(&mut self, message: &Arc<Message>, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble>;

    /// Lets time pass; with `stop`, only until something is seen. The time that was reached.
    ///
    /// # Errors
    /// If the system is no more, or does not do as agreed.
    fn pass(&mut self, until: u64, stop: bool, seen: &mut Vec<Arc<Message>>) -> Result<u64, Trouble>;

    /// Something was wrong with what was seen: whether the system and the bus still speak of the same. (Whoever answers a question that was not asked
    /// is heard with the answers of others from then on.)
    ///
    /// # Errors
    /// If they do not.
    fn in_step(&mut self) -> Result<(), Trouble> {
        Ok(())
    }

    /// The run is over.
    fn finish(&mut self) {}

    /// The next run begins with a system that is started again, even if one could be reset: a failure that is shown must not depend on what a reset
    /// has left of earlier runs.
    fn start_again(&mut self) {}

    /// Whether time passes only when it is told to.
    fn is_virtual(&self) -> bool;

    /// Whether [`begin`](Bus::begin) draws from the case. Where it does not, systems are started for runs that are judged, and no others.
    fn draws(&self) -> bool {
        false
    }
}

/// What goes wrong with a system, besides its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TroubleKind {
    /// It does not start, or is never ready.
    Start,
    /// It ended in the middle of a run.
    Died,
    /// It does not answer.
    Silent,
    /// It sends more messages than are allowed.
    Flood,
    /// Its clock does not do what clocks do.
    Clock,
    /// It sends what cannot be read.
    Malformed,
    /// It sends messages that are not of their type.
    IllTyped,
    /// It sends on channels that nobody has declared.
    Undeclared,
    /// The way to it was lost: a broker is gone.
    Lost,
}

impl TroubleKind {
    const ALL: [TroubleKind; 9] = [
        TroubleKind::Start,
        TroubleKind::Died,
        TroubleKind::Silent,
        TroubleKind::Flood,
        TroubleKind::Clock,
        TroubleKind::Malformed,
        TroubleKind::IllTyped,
        TroubleKind::Undeclared,
        TroubleKind::Lost,
    ];

    /// The trouble that a failure is, by what tells failures apart; none if a property was violated.
    pub fn of_failure(kind: &gainsay_core::Kind) -> Option<TroubleKind> {
        TroubleKind::ALL.into_iter().find(|one| one.words() == kind.0)
    }

    /// The words for it.
    pub fn words(self) -> &'static str {
        match self {
            TroubleKind::Start => "the system did not start",
            TroubleKind::Died => "the system died",
            TroubleKind::Silent => "the system does not answer",
            TroubleKind::Flood => "the system floods",
            TroubleKind::Clock => "the system's clock is wrong",
            TroubleKind::Malformed => "the system sends what cannot be read",
            TroubleKind::IllTyped => "the system sends an ill-typed message",
            TroubleKind::Undeclared => "the system sends on an undeclared channel",
            TroubleKind::Lost => "the way to the system was lost",
        }
    }
}

/// Something that is wrong with a system, besides its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trouble {
    /// Of which kind.
    pub kind: TroubleKind,
    /// What it is.
    pub what: String,
}

impl Trouble {
    /// Trouble of a kind.
    pub fn new(kind: TroubleKind, what: impl Into<String>) -> Trouble {
        Trouble { kind, what: what.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.words(), self.what)
    }
}

impl std::error::Error for Trouble {}

/// More messages in a run are a flood.
pub const MESSAGES_MAX: usize = 20_000;

/// Tells a flood.
///
/// # Errors
/// If there are more than [`MESSAGES_MAX`].
pub fn check_flood(seen: &[Arc<Message>]) -> Result<(), Trouble> {
    if seen.len() <= MESSAGES_MAX {
        return Ok(());
    }
    Err(Trouble::new(TroubleKind::Flood, format!("more than {MESSAGES_MAX} messages in one run")))
}
