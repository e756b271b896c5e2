//! A bounded queue and its model. Every command can be given in every state: what is full refuses an item, what
//! is empty has none.

use std::cell::Cell;
use std::collections::VecDeque;

pub(super) const CAPACITY: usize = 8;

/// The longest sequence; the shortest has one command, and all lengths are equally likely.
pub(super) const LENGTH_MAX: usize = 50;

/// The items a library that does not favour such by itself draws one time in [`EDGES_EVERY`].
pub(super) const EDGES: [u32; 4] = [0, 1, u32::MAX - 1, u32::MAX];

pub(super) const EDGES_EVERY: u32 = 8;

/// Pushing and popping are equally likely.
#[derive(Clone, Copy, Debug)]
pub(super) enum Command {
    Push(u32),
    Pop,
}

/// The real thing: a ring of items, first in, first out. It counts the commands.
#[derive(Debug, Default)]
pub(super) struct Queue {
    items: [u32; CAPACITY],
    first: usize,
    length: usize,
    counts: Counts,
}

impl Queue {
    /// Is there room for the item?
    pub(super) fn push(&mut self, item: u32) -> bool {
        self.counts.pushes += 1;
        if self.length == CAPACITY {
            return false;
        }
        self.items[(self.first + self.length) % CAPACITY] = item;
        self.length += 1;
        true
    }

    pub(super) fn pop(&mut self) -> Option<u32> {
        self.counts.pops += 1;
        if self.length == 0 {
            return None;
        }
        let item = self.items[self.first];
        self.first = (self.first + 1) % CAPACITY;
        self.length -= 1;
        Some(item)
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn execute(&mut self, command: Command) {
        match command {
            Command::Push(item) => _ = self.push(item),
            Command::Pop => _ = self.pop(),
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let Counts { cases, pushes, pops } = COUNTS.get();
        let Counts { pushes: more_pushes, pops: more_pops, .. } = self.counts;
        COUNTS.set(Counts { cases: cases + 1, pushes: pushes + more_pushes, pops: pops + more_pops });
    }
}

/// What the queue is meant to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Model(VecDeque<u32>);

impl Model {
    pub(super) fn next(&mut self, command: Command) {
        match command {
            Command::Push(item) if self.0.len() < CAPACITY => self.0.push_back(item),
            Command::Push(_) => {}
            Command::Pop => _ = self.0.pop_front(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Holds after each command.
pub(super) fn invariant(queue: &Queue, model: &Model) {
    assert!(queue.len() == model.len() && queue.len() <= CAPACITY, "{queue:?} is not {model:?}");
}

/// Sequences and their commands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) cases: u64,
    pub(super) pushes: u64,
    pub(super) pops: u64,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { cases: 0, pushes: 0, pops: 0 }) };
}

/// What queues of this thread have counted since the last call.
pub(super) fn counted() -> Counts {
    COUNTS.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_as_its_model_says() {
        let (mut queue, mut model) = (Queue::default(), Model::default());
        let commands = (0..100).map(|item| if item % 7 < 4 { Command::Push(item) } else { Command::Pop });
        for command in commands {
            match command {
                Command::Push(item) => assert_eq!(queue.push(item), model.len() < CAPACITY),
                Command::Pop => assert_eq!(queue.pop(), model.0.front().copied()),
            }
            model.next(command);
            invariant(&queue, &model);
        }
    }
}
