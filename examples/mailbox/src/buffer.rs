//! A circular buffer, and what others know of it.

use std::collections::VecDeque;

/// What a buffer answers: 0 if all went well, 1 if not.
pub(crate) type Code = u8;

/// What the message box needs: a buffer of a fixed size, first in, first out.
#[gainsay::mock]
pub(crate) trait Buffer {
    /// Makes room for so many items.
    fn create(&mut self, size: u16);
    /// Adds an item at the end, if there is room.
    fn push(&mut self, item: u8) -> Code;
    /// Takes the item at the front, if there is one.
    fn pop(&mut self, item: &mut u8) -> Code;
}

/// The real one.
#[derive(Debug, Default)]
pub(crate) struct Circular {
    items: VecDeque<u8>,
    size: usize,
    /// However much room was asked for, it has no more than this.
    room: usize,
}

impl Circular {
    /// One that has so much room at most.
    pub(crate) fn new(room: usize) -> Circular {
        Circular { room, ..Circular::default() }
    }
}

impl Buffer for Circular {
    fn create(&mut self, size: u16) {
        self.items.clear();
        self.size = usize::from(size).min(self.room);
    }

    fn push(&mut self, item: u8) -> Code {
        if self.items.len() >= self.size {
            return 1;
        }
        self.items.push_back(item);
        0
    }

    fn pop(&mut self, item: &mut u8) -> Code {
        match self.items.pop_front() {
            Some(front) => {
                *item = front;
                0
            }
            None => 1,
        }
    }
}
