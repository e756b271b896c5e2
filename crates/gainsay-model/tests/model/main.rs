//! Tests of models, resources, machines and histories, through what users see.

mod faults;
mod java;
mod keys;
mod queues;
mod refinement;
mod support;
mod unsteady;
mod vacuous;
mod walks;
