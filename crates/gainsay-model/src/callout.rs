//! Call-outs: the calls that an operation makes to others, specified by terms and answered by mocks.
//!
//! A term says which calls are expected, in which order, and what they are to be answered:
//!
//! ```
//! use gainsay_model::callout::{Method, Term, call, optional, seq};
//!
//! const LOCK: Method<(), ()> = Method::new("lock");
//! const WRITE: Method<(u32, String), bool> = Method::new("write");
//!
//! let term: Term<()> = seq([
//!     call(LOCK).into(),
//!     call(WRITE).with(|(place, _)| *place < 10).returns(true).into(),
//!     optional(call(LOCK)),
//! ]);
//! assert_eq!(term.to_string(), "lock(), write(_), [lock()]");
//! ```
//!
//! What is left of a term after the calls so far is its *residual*; there may be several. A call that none of them expects is unexpected,
//! and a term of which something is left at the end misses a call. If two residuals would answer the same call differently, the
//! specification is ambiguous, and is rejected with both derivations.

mod called;
mod captured;
mod derivation;
mod leaf;
mod residual;
mod session;
mod term;

pub(crate) use called::{Answer, Called, Given, Told};
pub use captured::Captured;
pub(crate) use derivation::{Derivation, Imagined};
pub(crate) use leaf::Identity;
pub use leaf::{CallOut, Method, call};
pub(crate) use session::{Ended, Session};
pub use term::{
    Term, allow, assert, block, choice, fail, none, optional, par, permutation, repeat, replicate, self_call,
    seq, tagged, unblock, when,
};
