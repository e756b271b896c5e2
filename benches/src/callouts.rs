//! How fast are mocked calls judged and answered? And how long does it take to find a limit deep inside, and to shrink what shows it?
//!
//! A message box delegates to a buffer, which is mocked. Each contender expects the same calls in the same order, with
//! the same arguments and answers.

mod gainsay;
mod mockall;
mod report;
mod workload;

pub(crate) use report::compare;
