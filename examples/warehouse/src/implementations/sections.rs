//! A row of warehouses in sections (rooms and corridors), each with its own mutex and condition variable.

use std::sync::{Condvar, Mutex};

struct Room {
    weight_max: u32,
    weights: Mutex<Vec<u32>>,
    space_freed: Condvar,
}

impl Room {
    fn new(weight_max: u32) -> Room {
        Room { weight_max, weights: Mutex::new(Vec::new()), space_freed: Condvar::new() }
    }

    fn add(&self, weight: u32) {
        let mut weights = self.weights.lock().unwrap();
        while weights.iter().sum::<u32>() + weight > self.weight_max {
            weights = self.space_freed.wait(weights).unwrap();
        }
        weights.push(weight);
    }

    fn remove(&self, weight: u32) {
        let mut weights = self.weights.lock().unwrap();
        if let Some(i) = weights.iter().position(|&inside| inside == weight) {
            weights.remove(i);
        }
        self.space_freed.notify_all();
    }
}

struct Corridor {
    occupied: Mutex<bool>,
    freed: Condvar,
}

impl Corridor {
    fn new() -> Corridor {
        Corridor { occupied: Mutex::new(false), freed: Condvar::new() }
    }

    fn wait_until_free(&self) {
        let occupied = self.occupied.lock().unwrap();
        let _occupied = self.freed.wait_while(occupied, |occupied| *occupied).unwrap();
    }

    fn set_occupied(&self, occupied: bool) {
        *self.occupied.lock().unwrap() = occupied;
        if !occupied {
            self.freed.notify_all();
        }
    }
}

pub struct Sections {
    rooms: Vec<Room>,
    /// `corridors[n]` leads from n to n + 1.
    corridors: Vec<Corridor>,
}

impl Sections {
    pub fn new(count: usize, weight_max: u32) -> Sections {
        Sections {
            rooms: (0..count).map(|_| Room::new(weight_max)).collect(),
            corridors: (1..count).map(|_| Corridor::new()).collect(),
        }
    }

    pub fn enter(&self, n: usize, weight: u32) {
        self.rooms[n].add(weight);
        if n > 0 {
            self.corridors[n - 1].set_occupied(false);
        }
    }

    pub fn exit(&self, n: usize, weight: u32) {
        match self.corridors.get(n) {
            Some(corridor) => {
                corridor.wait_until_free();
                self.rooms[n].remove(weight);
                corridor.set_occupied(true);
            }
            None => self.rooms[n].remove(weight),
        }
    }
}
