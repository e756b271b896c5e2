//! How fast are recorded histories judged? Every contender judges the same parsed histories by the same models.
//!
//! Parsing and conversion into a contender's own form happen beforehand and cost no one time. Partitioning by
//! key is part of the judgement. Threads a contender starts are paid for: CPU time is that of the process.

mod data;
mod gainsay;
mod generated;
mod history;
mod kv;
mod parse;
mod porcupine;
mod register;
mod report;

use history::Operation;

pub(crate) use report::compare;

/// A judge of histories: is this one linearizable?
struct Contender {
    name: &'static str,
    /// Takes over a history of one register.
    register: for<'a> fn(&'a [Operation<register::Call, register::Return>]) -> Judge<'a>,
    /// Takes over a history of a key-value store, whose keys are independent of each other.
    kv: for<'a> fn(&'a [Operation<kv::Call, kv::Return>]) -> Judge<'a>,
}

/// Judges one history, from scratch at each call.
type Judge<'a> = Box<dyn FnMut() -> bool + 'a>;

/// The columns of the table.
const CONTENDERS: &[Contender] = &[gainsay::CONTENDER, porcupine::CONTENDER];

/// The contender that gainsay is measured against.
const PEER: &str = porcupine::CONTENDER.name;
