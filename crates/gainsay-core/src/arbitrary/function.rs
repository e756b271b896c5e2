//! Functions as generated values.

use super::Arbitrary;
use crate::case::{Calls, Case};
use std::collections::hash_map::DefaultHasher;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

/// A generated function from `A` to `B`: equal arguments give equal results.
///
/// It has finitely many results, drawn with it; the argument's hash decides which it gets. The simplest function is constant.
/// `Debug` shows the calls that were made, and so does the report of a failure. There are far more functions than can be drawn, and
/// some are drawn more than once: an enumeration of them proves nothing.
///
/// ```
/// use gainsay_core::{Case, Function};
/// let f: Function<u32, bool> = Case::random(1, 1).any();
/// assert_eq!(f.call(&3), f.call(&3));
/// ```
pub struct Function<A, B> {
    salt: u64,
    results: Vec<B>,
    calls: Calls,
    arguments: std::marker::PhantomData<fn(&A)>,
}

impl<A: Hash + Debug, B: Clone + Debug> Function<A, B> {
    /// The result for an argument.
    pub fn call(&self, argument: &A) -> B {
        let mut hasher = DefaultHasher::new();
        (self.salt, argument).hash(&mut hasher);
        let result = self.results[(hasher.finish() % self.results.len() as u64) as usize].clone();
        let call = (format!("{argument:?}"), format!("{result:?}"));
        if let Ok(mut calls) = self.calls.lock()
            && calls.len() < CALLS_SHOWN_MAX
            && !calls.contains(&call)
        {
            calls.push(call);
        }
        result
    }
}

/// How many different calls `Debug` remembers.
const CALLS_SHOWN_MAX: usize = 32;

impl<A, B: Debug> Debug for Function<A, B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let calls = self.calls.lock().map(|calls| calls.clone()).unwrap_or_default();
        f.write_str("|x| ")?;
        match self.results.as_slice() {
            [only] => write!(f, "{only:?}"),
            results if calls.is_empty() => write!(f, "one of {results:?}"),
            _ => {
                f.write_str("match x { ")?;
                for (argument, result) in &calls {
                    write!(f, "{argument} => {result}, ")?;
                }
                f.write_str(".. }")
            }
        }
    }
}

impl<A: 'static, B: Clone> Clone for Function<A, B> {
    fn clone(&self) -> Self {
        let (salt, results) = (self.salt, self.results.clone());
        Function { salt, results, calls: Calls::default(), arguments: std::marker::PhantomData }
    }
}

impl<A: 'static, B: Arbitrary> Arbitrary for Function<A, B> {
    fn arbitrary(case: &mut Case) -> Self {
        let results = case.vec(1..=16, Case::any::<B>);
        let salt = if results.len() > 1 { case.int(0..=255) } else { 0 };
        let calls = case.draw_function();
        Function { salt, results, calls, arguments: std::marker::PhantomData }
    }
}
