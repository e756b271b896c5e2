//! The program `gainsay`, as a process of its own.

mod aborted;
mod desk;
mod machines;
mod monitored;
mod recordings;
mod started;
mod vacuous;
