//! A row of warehouses with a mutex, a condition variable for space and one for the corridors.

use std::sync::{Condvar, Mutex};

struct Site {
    loads: Vec<u32>,
    in_corridor: Vec<bool>,
}

pub struct Yard {
    weight_max: u32,
    site: Mutex<Site>,
    space: Condvar,
    corridor: Condvar,
}

impl Yard {
    pub fn new(count: usize, weight_max: u32) -> Yard {
        Yard {
            weight_max,
            site: Mutex::new(Site { loads: vec![0; count], in_corridor: vec![false; count] }),
            space: Condvar::new(),
            corridor: Condvar::new(),
        }
    }

    pub fn enter(&self, n: usize, weight: u32) {
        let site = self.site.lock().unwrap();
        let mut site = self.space.wait_while(site, |site| site.loads[n] + weight > self.weight_max).unwrap();
        site.loads[n] += weight;
        site.in_corridor[n] = false;
        self.corridor.notify_all();
    }

    pub fn exit(&self, n: usize, weight: u32) {
        let mut site = self.site.lock().unwrap();
        site.loads[n] -= weight;
        self.space.notify_all();
        if n + 1 < site.loads.len() {
            site = self.corridor.wait_while(site, |site| site.in_corridor[n + 1]).unwrap();
            site.in_corridor[n + 1] = true;
        }
    }
}
