//! A buffer that is mocked, and what a message box does with it.

/// Calls in a test.
pub(super) const CALLS: u64 = 12;

/// What the message box needs.
#[::mockall::automock]
pub(super) trait Buffer {
    fn create(&mut self, size: u16);
    fn push(&mut self, item: u8) -> u8;
    fn pop(&mut self, at: u8) -> Option<u8>;
}

/// Creates the buffer, and pushes and pops in turn.
pub(super) fn deliver(buffer: &mut impl Buffer) -> u64 {
    buffer.create(16);
    let mut sum = 0;
    for item in 0..(CALLS as u8 - 2) / 2 {
        sum += u64::from(buffer.push(item));
        sum += u64::from(buffer.pop(item).unwrap_or(0));
    }
    buffer.create(0);
    sum
}
