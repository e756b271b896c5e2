//! A row of warehouses where a robot wakes up only a robot that waits for the same room or corridor.

use parking_lot::{Condvar, Mutex};

#[derive(Clone, Default)]
struct Room {
    weight: u32,
    corridor_occupied: bool,
}

pub struct Rooms {
    weight_max: u32,
    rooms: Mutex<Vec<Room>>,
    weight_removed: Vec<Condvar>,
    corridor_freed: Vec<Condvar>,
}

fn condvars(count: usize) -> Vec<Condvar> {
    (0..count).map(|_| Condvar::new()).collect()
}

impl Rooms {
    pub fn new(count: usize, weight_max: u32) -> Rooms {
        Rooms {
            weight_max,
            rooms: Mutex::new(vec![Room::default(); count]),
            weight_removed: condvars(count),
            corridor_freed: condvars(count),
        }
    }

    pub fn enter(&self, n: usize, weight: u32) {
        let mut rooms = self.rooms.lock();
        while rooms[n].weight + weight > self.weight_max {
            self.weight_removed[n].wait(&mut rooms);
        }
        rooms[n].weight += weight;
        if n > 0 {
            rooms[n].corridor_occupied = false;
            self.corridor_freed[n].notify_one();
        }
    }

    pub fn exit(&self, n: usize, weight: u32) {
        let mut rooms = self.rooms.lock();
        let next = n + 1;
        if next < rooms.len() {
            while rooms[next].corridor_occupied {
                self.corridor_freed[next].wait(&mut rooms);
            }
            rooms[next].corridor_occupied = true;
        }
        rooms[n].weight -= weight;
        self.weight_removed[n].notify_one();
    }
}
