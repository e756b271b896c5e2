//! Tests of models, machines and histories, through what users see.

mod keys;
mod refinement;
mod unsteady;
mod walks;
