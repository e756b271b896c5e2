//! A row of warehouses with one mutex and one condition variable per warehouse.

use std::sync::{Condvar, Mutex};

struct State {
    free: Vec<u32>,
    corridor_used: Vec<bool>,
}

pub struct Depot {
    last: usize,
    state: Mutex<State>,
    /// Robots that want to go into or out of warehouse n wait at `changed[n]`.
    changed: Vec<Condvar>,
}

impl Depot {
    pub fn new(count: usize, weight_max: u32) -> Depot {
        Depot {
            last: count - 1,
            state: Mutex::new(State { free: vec![weight_max; count], corridor_used: vec![false; count] }),
            changed: (0..count).map(|_| Condvar::new()).collect(),
        }
    }

    pub fn enter(&self, n: usize, weight: u32) {
        let mut state = self.state.lock().unwrap();
        while state.free[n] < weight {
            state = self.changed[n].wait(state).unwrap();
        }
        state.free[n] -= weight;
        if n > 0 {
            state.corridor_used[n] = false;
            self.changed[n - 1].notify_all();
        }
    }

    pub fn exit(&self, n: usize, weight: u32) {
        let mut state = self.state.lock().unwrap();
        if n == self.last {
            state.free[n] += weight;
            return;
        }
        while state.corridor_used[n + 1] {
            state = self.changed[n].wait(state).unwrap();
        }
        state.corridor_used[n + 1] = true;
        state.free[n] += weight;
        self.changed[n].notify_all();
    }
}
