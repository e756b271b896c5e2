//! A row of warehouses as a monitor: one mutex, one condition variable, everybody looks again after each change.

use std::sync::{Condvar, Mutex};

struct State {
    weights: Vec<u32>,
    /// `occupied[n]`: there is a robot in the corridor that leads to warehouse n.
    occupied: Vec<bool>,
}

pub struct Monitor {
    weight_max: u32,
    state: Mutex<State>,
    changed: Condvar,
}

impl Monitor {
    pub fn new(count: usize, weight_max: u32) -> Monitor {
        Monitor {
            weight_max,
            state: Mutex::new(State { weights: vec![0; count], occupied: vec![false; count] }),
            changed: Condvar::new(),
        }
    }

    pub fn enter(&self, n: usize, weight: u32) {
        let mut state = self.state.lock().unwrap();
        while state.weights[n] + weight > self.weight_max {
            state = self.changed.wait(state).unwrap();
        }
        state.weights[n] += weight;
        if n > 0 {
            state.occupied[n] = false;
        }
        self.changed.notify_all();
    }

    pub fn exit(&self, n: usize, weight: u32) {
        let mut state = self.state.lock().unwrap();
        if n + 1 < state.weights.len() {
            while state.occupied[n + 1] {
                state = self.changed.wait(state).unwrap();
            }
            state.occupied[n + 1] = true;
        }
        state.weights[n] -= weight;
        self.changed.notify_all();
    }
}
