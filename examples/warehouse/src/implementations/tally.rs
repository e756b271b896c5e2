//! A row of warehouses with a tally of the robots inside; waiting is done with a counter of changes.

use std::sync::{Condvar, Mutex, RwLock};

#[derive(Clone)]
struct Places {
    /// For each warehouse the weights of the robots inside.
    robots: Vec<Vec<u32>>,
    corridor_busy: Vec<bool>,
}

impl Places {
    fn weight_in(&self, n: usize) -> u32 {
        self.robots[n].iter().sum()
    }

    fn corridor_free(&self, n: usize) -> bool {
        n == self.robots.len() || !self.corridor_busy[n]
    }
}

pub struct Tally {
    weight_max: u32,
    places: RwLock<Places>,
    changes: Mutex<u64>,
    changed: Condvar,
}

impl Tally {
    pub fn new(count: usize, weight_max: u32) -> Tally {
        let places = Places { robots: vec![Vec::new(); count], corridor_busy: vec![false; count] };
        Tally { weight_max, places: RwLock::new(places), changes: Mutex::new(0), changed: Condvar::new() }
    }

    fn snapshot(&self) -> Places {
        self.places.read().unwrap().clone()
    }

    /// Blocks until the condition is true; looks again after each change.
    fn wait_until(&self, condition: impl Fn(&Places) -> bool) {
        let mut seen = *self.changes.lock().unwrap();
        while !condition(&self.snapshot()) {
            let changes = self.changes.lock().unwrap();
            seen = *self.changed.wait_while(changes, |changes| *changes == seen).unwrap();
        }
    }

    /// Makes the change and tells everybody.
    fn update(&self, change: impl FnOnce(&mut Places)) {
        change(&mut self.places.write().unwrap());
        *self.changes.lock().unwrap() += 1;
        self.changed.notify_all();
    }

    pub fn enter(&self, n: usize, weight: u32) {
        self.wait_until(|places| places.weight_in(n) + weight <= self.weight_max);
        self.update(|places| {
            places.robots[n].push(weight);
            places.corridor_busy[n] = false;
        });
    }

    pub fn exit(&self, n: usize, weight: u32) {
        self.wait_until(|places| places.corridor_free(n + 1));
        self.update(|places| {
            if let Some(i) = places.robots[n].iter().position(|&inside| inside == weight) {
                places.robots[n].swap_remove(i);
            }
            if let Some(busy) = places.corridor_busy.get_mut(n + 1) {
                *busy = true;
            }
        });
    }
}
