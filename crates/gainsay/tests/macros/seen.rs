//! What properties saw, by thread: tests run side by side, and each wants to hear of its own calls alone.

use std::cell::RefCell;
use std::fmt::Debug;

thread_local! {
    static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Called by a property.
pub(crate) fn see(values: impl Debug) {
    SEEN.with_borrow_mut(|seen| seen.push(format!("{values:?}")));
}

/// What the property saw when its test was called as a function.
pub(crate) fn seen_by(test: fn()) -> Vec<String> {
    SEEN.take();
    test();
    SEEN.take()
}
