//! Readers and writers with tickets: they enter in the order in which they have drawn their numbers.

use std::sync::{Condvar, Mutex};

#[derive(Default)]
struct State {
    next_ticket: u64,
    next_to_enter: u64,
    readers: usize,
    writing: bool,
}

#[derive(Default)]
pub struct Tickets {
    state: Mutex<State>,
    changed: Condvar,
}

impl Tickets {
    pub fn new() -> Tickets {
        Tickets::default()
    }

    /// Waits for the turn and the condition, then makes the change.
    fn enter(&self, may_enter: impl Fn(&State) -> bool, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock().unwrap();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        while state.next_to_enter != ticket || !may_enter(&state) {
            state = self.changed.wait(state).unwrap();
        }
        state.next_to_enter += 1;
        change(&mut state);
        self.changed.notify_all();
    }

    pub fn before_read(&self) {
        self.enter(|state| !state.writing, |state| state.readers += 1);
    }

    pub fn after_read(&self) {
        self.state.lock().unwrap().readers -= 1;
        self.changed.notify_all();
    }

    pub fn before_write(&self) {
        self.enter(|state| !state.writing && state.readers == 0, |state| state.writing = true);
    }

    pub fn after_write(&self) {
        self.state.lock().unwrap().writing = false;
        self.changed.notify_all();
    }
}
