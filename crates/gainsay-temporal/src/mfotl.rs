//! Metric first-order temporal logic: formulas with data.
//!
//! A [`Formula`](crate::Formula) speaks of what is true of single elements. A formula of this module speaks also of the values in them:
//! *every request with an id is answered by a response with that id within half a second*. What elements say is read as
//! [`fact`]s, `request(7)`; variables stand for values, and are bound by [`forall`] and [`exists`].
//!
//! ```
//! use gainsay_temporal::mfotl::{Monitor, always, eventually, fact, forall, var};
//! use std::time::Duration;
//!
//! let ms = Duration::from_millis;
//! let request = fact("request", |line: &(char, u32)| (line.0 == '?').then_some([line.1]));
//! let response = fact("response", |line: &(char, u32)| (line.0 == '!').then_some([line.1]));
//! let answered = eventually(response.of([var("x")])).within(ms(0)..ms(500));
//! let rule = always(forall("x", request.of([var("x")]).implies(answered)));
//! assert_eq!(rule.to_string(), "G (forall x. request(x) -> F[0s,500ms) response(x))");
//!
//! let mut monitor = Monitor::new(&rule)?;
//! assert!(monitor.see_at(ms(0), &('?', 7))?.is_empty());
//! assert!(monitor.see_at(ms(1), &('?', 8))?.is_empty());
//! assert!(monitor.see_at(ms(2), &('!', 7))?.is_empty());
//! assert_eq!(monitor.pass_to(ms(501))?[0].to_string(), "element 1 at 1ms, x = 8: broken at 501ms");
//! # Ok::<(), gainsay_core::Error>(())
//! ```
//!
//! # Meaning
//! Formulas are read at an element. Times do not go back; bounds are distances of time, and [`Within`] says which ends count. `f U g`: `g`
//! comes, and `f` holds until then; `f S g`: `g` was, and `f` has held since. [`next`] and [`previous`] with a bound also ask how far away
//! that element is; their weak twins are true where it is not so far away. Quantifiers range over the values that facts have in the trace,
//! those that the formula names, and those that it computes from them. Free variables may be left open: a formula is said of all their values.
//!
//! Terms are variables, values, and values that are computed: `x + 1`, or a [`function`] of others. What is said of a value that does not exist
//! (`x / 0`) does not hold. An [`aggregate`] is the count, sum, least, greatest or average of the values of a group.
//!
//! [`Formula::evaluate`] is the meaning, written down plainly, with the third answer that nothing is known yet. [`Monitor`] is fast, and takes
//! formulas that look no further into the future than their bounds say, and in which something says which values a variable may have: a
//! fact, an equality, what was, what comes, or an aggregation.
//!
//! # Text
//! What formulas print, a [`Language`] reads: `G (request(x) -> F[0s,500ms) response(x))`.

mod aggregate;
mod compile;
mod delayed;
mod domain;
mod evaluate;
mod fact;
mod formula;
mod future;
mod monitor;
mod owed;
mod past;
mod plan;
mod rest;
mod term;
mod text;

pub use aggregate::{Aggregate, aggregate};
pub use evaluate::Known;
pub use fact::{Fact, at_most, equal, fact, facts, less, test};
pub use formula::{
    Formula, Within, always, back_to, eventually, exists, forall, historically, next, once, previous,
    release, since, until, weak_next, weak_previous, weak_until,
};
pub use monitor::{Monitor, Violation};
pub use term::{Arithmetic, Function, Term, Value, function, value, var};
pub use text::{Language, Literal};
