//! The program `gainsay`, as a process of its own.

mod desk;
mod started;
mod vacuous;
