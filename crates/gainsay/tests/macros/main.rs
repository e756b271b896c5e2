//! The macros as their users see them.
//!
//! Properties that must fail are judged by `verdict`, or in a child process without a corpus: nothing is kept by these tests.

mod arguments;
mod derive;
mod examples;
mod mistakes;
mod recursion;
mod reports;
mod returns;
mod seen;
mod settings;
mod weights;
mod with;
