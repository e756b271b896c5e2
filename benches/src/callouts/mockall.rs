//! mockall, with a sequence across its methods.

use super::workload::{CALLS, MockBuffer, deliver};
use ::mockall::Sequence;
use ::mockall::predicate::eq;

/// A test, and how many calls that were.
pub(super) fn run() -> u64 {
    let mut buffer = MockBuffer::new();
    let mut order = Sequence::new();
    buffer.expect_create().with(eq(16)).times(1).in_sequence(&mut order).return_const(());
    for item in 0..(CALLS as u8 - 2) / 2 {
        buffer.expect_push().with(eq(item)).times(1).in_sequence(&mut order).return_const(0u8);
        buffer.expect_pop().with(eq(item)).times(1).in_sequence(&mut order).return_const(Some(item));
    }
    buffer.expect_create().with(eq(0)).times(1).in_sequence(&mut order).return_const(());
    deliver(&mut buffer);
    CALLS
}
