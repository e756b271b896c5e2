//! Readers and writers with numbers, as at a counter: each one who gets in or out calls for the next one.

use parking_lot::{Condvar, Mutex};

#[derive(Default)]
struct Counter {
    next_number: usize,
    called_number: usize,
    readers: usize,
    writers: usize,
}

#[derive(Default)]
pub struct Numbers {
    counter: Mutex<Counter>,
    next: Condvar,
}

impl Numbers {
    pub fn new() -> Numbers {
        Numbers::default()
    }

    pub fn before_read(&self) {
        let mut counter = self.counter.lock();
        let number = counter.next_number;
        counter.next_number += 1;
        while counter.called_number != number || counter.writers > 0 {
            self.next.wait(&mut counter);
        }
        counter.readers += 1;
        counter.called_number += 1;
        self.next.notify_one();
    }

    pub fn before_write(&self) {
        let mut counter = self.counter.lock();
        let number = counter.next_number;
        counter.next_number += 1;
        while counter.called_number != number || counter.writers > 0 || counter.readers > 0 {
            self.next.wait(&mut counter);
        }
        counter.writers += 1;
        counter.called_number += 1;
        self.next.notify_one();
    }

    pub fn after_read(&self) {
        let mut counter = self.counter.lock();
        counter.readers -= 1;
        self.next.notify_one();
    }

    pub fn after_write(&self) {
        let mut counter = self.counter.lock();
        counter.writers -= 1;
        self.next.notify_one();
    }
}
