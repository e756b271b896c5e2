//! The program `gainsay`, as a process of its own.

mod aborted;
mod desk;
mod exported;
mod machines;
mod monitored;
mod recordings;
mod shown;
mod started;
mod vacuous;
mod written;
