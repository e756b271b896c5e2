//! Counts what judging costs, the same way for every contender.

use std::cell::Cell;

/// Evaluations of a judge since the last [`reset`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Has the judge failed once?
    failed: bool,
    /// Evaluations after the first failure, whatever their verdict: what shrinking cost.
    pub(super) shrinking: u64,
}

thread_local! {
    static TALLY: Cell<Tally> = Cell::default();
}

/// Starts counting afresh.
pub(super) fn reset() {
    TALLY.set(Tally::default());
}

/// The count on this thread.
pub(super) fn tally() -> Tally {
    TALLY.get()
}

/// Counts one evaluation and passes its verdict on.
pub(super) fn judged(verdict: Option<bool>) -> Option<bool> {
    let mut tally = TALLY.get();
    tally.shrinking += u64::from(tally.failed);
    tally.failed |= verdict == Some(false);
    TALLY.set(tally);
    verdict
}
