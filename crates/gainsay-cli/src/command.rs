//! The commands, each in a module of its name.

pub(crate) mod automaton;
pub(crate) mod check;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod init;
pub(crate) mod machine;
pub(crate) mod merge;
pub(crate) mod monitor;
pub(crate) mod mutate;
mod program_name;
pub(crate) mod replay;
pub(crate) mod schema;
pub(crate) mod shell;
pub(crate) mod test;
