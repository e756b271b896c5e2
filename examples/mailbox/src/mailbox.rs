//! A message box: it keeps its messages in a buffer.

use crate::buffer::{Buffer, Code};

/// A message box on some buffer.
#[derive(Debug)]
pub(crate) struct MailBox<B> {
    buffer: B,
}

impl<B: Buffer> MailBox<B> {
    pub(crate) fn new(buffer: B) -> MailBox<B> {
        MailBox { buffer }
    }

    pub(crate) fn create(&mut self, size: u16) {
        self.buffer.create(size);
    }

    pub(crate) fn post(&mut self, message: u8) -> Code {
        self.buffer.push(message)
    }

    pub(crate) fn fetch(&mut self) -> Option<u8> {
        let mut message = 0;
        (self.buffer.pop(&mut message) == 0).then_some(message)
    }
}
