//! Models of stateful and concurrent things, and the one judge that explains what was seen.
//!
//! - [`explain`]: the judge. Sets of configurations, closed under what happens unseen, filtered by what is seen.
//! - [`history`]: recorded histories of concurrent operations, judged by a sequential specification.
//! - [`callout`], [`mock`]: the calls that an operation makes to others.
//! - [`cluster()`]: components that call each other, each with its model.
//! - [`resource`]: a state, and calls that wait until they may run; their specifications are validated before there is code.
//! - [`model()`]: a state and operations; sequential, exhaustive and parallel tests of a real thing.
//!
//! # Limitations
//! - Sequential consistency is not compositional: a history that is consistent for each key apart need not be so as a whole.
//! - A search is limited by the number of configurations ([`explain::Limits`]); past that nothing is concluded.

#![expect(clippy::type_complexity, reason = "a closure says more by its signature than by another name")]

pub mod callout;
pub mod explain;
pub mod history;
pub mod machine;
pub mod mock;
mod model;
pub mod resource;

#[cfg(feature = "shuttle")]
pub use model::Controlled;
pub use model::{
    Acts, Cluster, Consequence, Consequences, Consistency, Deviations, Disagreement, Effect, Live, Model,
    Operation, Oracle, Parallel, Parts, Scenario, Var, cluster, model,
};
