//! Temporal logic over streams: formulas that judge streams, and formulas that generate them.
//!
//! - [`atom`], [`relation`]: what is said of single elements. [`always`], [`eventually`], [`until`] and their like, `!`, `&`, `|`: formulas.
//!   [`parse`] reads them from text.
//! - [`Acceptor`]: judges a stream, one element after the other.
//! - [`Streams`]: draws streams that satisfy a formula.
//! - [`TimedStreams`]: the same with times.
//! - [`stream`], [`ltl_property`]: tests something that answers a stream with another. With the feature `tokio`, `async_stream` and `actor`
//!   test what runs in time, which is virtual.
//! - [`mfotl`]: formulas with data, and monitors for them.
//!
//! # Limitations
//! - A formula has at most 16 atoms.
//! - What is certain is decided as long as it takes at most [`BRANCHES_MAX`] steps. Streams are drawn of formulas with at most [`STATES_MAX`]
//!   states, if they are found in at most [`WORK_MAX`] steps.
//! - Where a bound is one of time, what is certain is what is met or broken already, and what follows whatever the bounds are (`F[0s,1s] p & G !p`
//!   is false at once): what follows from several bounds together is presumed. Nobody can decide that in general.

mod acceptor;
mod accepts;
mod arbitrary;
#[cfg(feature = "tokio")]
mod asynchronous;
mod atom;
mod automaton;
mod closure;
mod decide;
mod evaluate;
mod events;
mod formula;
mod future;
pub mod mfotl;
mod owed;
mod parts;
mod paths;
mod relaxed;
mod shape;
mod shortest;
mod simplify;
mod step;
mod streams;
mod tableau;
mod tested;
mod text;
mod timed;
mod vacuity;

pub use acceptor::{Acceptor, Decided};
pub use accepts::{Accepts, Both, ByHand, by_hand};
pub use arbitrary::{bits, formula};
#[cfg(feature = "tokio")]
pub use asynchronous::{Inputs, actor, async_stream};
pub use atom::{Atom, Values, atom, relation, tracked};
pub use automaton::Truth;
pub use events::{Event, EventTest, Fed, PlainEventTest, adapter};
pub use formula::{
    Formula, Within, always, back_to, eventually, historically, next, next_n, next_observed, once, previous,
    release, since, until, weak_next, weak_previous, weak_until,
};
pub use paths::{STATES_MAX, WORK_MAX};
pub use streams::{Streams, recorded};
pub use tableau::BRANCHES_MAX;
pub use tested::{PlainStreamTest, StreamTest, ltl_property, stream, timed_stream};
pub use text::{SyntaxError, parse};
pub use timed::TimedStreams;

#[cfg(test)]
mod brute;
