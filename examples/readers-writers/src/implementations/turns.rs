//! Readers and writers: first one waits for the turn, then for the room.

use std::sync::{Condvar, Mutex, MutexGuard};

#[derive(Default)]
struct State {
    arrived: u64,
    admitted: u64,
    readers: u32,
    writers: u32,
}

pub struct Turns {
    state: Mutex<State>,
    turn: Condvar,
    room: Condvar,
}

impl Turns {
    pub fn new() -> Turns {
        Turns { state: Mutex::new(State::default()), turn: Condvar::new(), room: Condvar::new() }
    }

    fn wait_for_turn(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap();
        let number = state.arrived;
        state.arrived += 1;
        while state.admitted != number {
            state = self.turn.wait(state).unwrap();
        }
        state
    }

    fn next_turn(&self, mut state: MutexGuard<'_, State>) {
        state.admitted += 1;
        self.turn.notify_all();
    }

    pub fn before_read(&self) {
        let mut state = self.wait_for_turn();
        if state.writers > 0 {
            state = self.room.wait(state).unwrap();
        }
        state.readers += 1;
        self.next_turn(state);
    }

    pub fn before_write(&self) {
        let mut state = self.wait_for_turn();
        if state.readers > 0 || state.writers > 0 {
            state = self.room.wait(state).unwrap();
        }
        state.writers += 1;
        self.next_turn(state);
    }

    pub fn after_read(&self) {
        let mut state = self.state.lock().unwrap();
        state.readers -= 1;
        self.room.notify_one();
    }

    pub fn after_write(&self) {
        let mut state = self.state.lock().unwrap();
        state.writers -= 1;
        self.room.notify_one();
    }
}

impl Default for Turns {
    fn default() -> Self {
        Turns::new()
    }
}
