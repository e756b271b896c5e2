//! What the warehouses must do, and what robots do in them.

use gainsay::Case;
use gainsay::resource::{Client, Policy, Resource, Seen};

/// Robots go through warehouses in a row. A warehouse carries a limited weight, and between two there is a corridor with room for one
/// robot.
#[derive(Debug, Clone)]
pub struct Warehouses {
    /// How many there are.
    pub count: usize,
    /// What each carries.
    pub weight_max: u32,
}

/// A robot asks for permission to go. Its number is the model's alone: implementations do not need it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Walk {
    /// Who asks.
    pub robot: usize,
    /// Whether to go in, or out into the corridor.
    pub door: Door,
    /// Of which warehouse.
    pub warehouse: usize,
    /// What the robot weighs there.
    pub weight: u32,
}

/// Which way a robot goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Door {
    /// Into a warehouse.
    Enter,
    /// Out of it.
    Exit,
}

/// Who is where, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Inside {
    /// What is in each warehouse.
    pub weights: Vec<u32>,
    /// Whether a robot is in the corridor that leads to each; there is none to the first.
    pub occupied: Vec<bool>,
}

impl Resource for Warehouses {
    type State = Inside;
    type Call = Walk;
    type Value = ();

    fn start(&self) -> Inside {
        Inside { weights: vec![0; self.count], occupied: vec![false; self.count] }
    }

    fn pre(&self, walk: &Walk) -> bool {
        walk.warehouse < self.count && walk.weight <= self.weight_max
    }

    fn cpre(&self, inside: &Inside, walk: &Walk) -> bool {
        match walk.door {
            Door::Enter => inside.weights[walk.warehouse] + walk.weight <= self.weight_max,
            Door::Exit => inside.occupied.get(walk.warehouse + 1).is_none_or(|occupied| !occupied),
        }
    }

    fn post(&self, inside: &Inside, walk: &Walk) -> Vec<(Inside, ())> {
        let mut after = inside.clone();
        let weight = &mut after.weights[walk.warehouse];
        match walk.door {
            Door::Enter => {
                *weight += walk.weight;
                after.occupied[walk.warehouse] = false;
            }
            Door::Exit => {
                *weight = weight.saturating_sub(walk.weight);
                if let Some(occupied) = after.occupied.get_mut(walk.warehouse + 1) {
                    *occupied = true;
                }
            }
        }
        vec![(after, ())]
    }

    fn invariant(&self, inside: &Inside) -> bool {
        inside.weights.iter().all(|weight| *weight <= self.weight_max)
    }

    fn operation(&self, walk: &Walk) -> String {
        format!("{:?}", walk.door)
    }
}

/// Any robot that may go does: whoever waits in vain is a fault.
pub fn policy() -> Policy<Warehouses> {
    Policy::any()
}

/// Robots for a validation of the specification: each goes through all warehouses once.
pub fn robots(count: usize, weights: &[u32]) -> Vec<Client<Warehouses>> {
    let walk = |robot: usize, weight: u32| {
        (0..count).flat_map(move |warehouse| {
            [Door::Enter, Door::Exit].map(|door| Walk { robot, door, warehouse, weight })
        })
    };
    let named = weights.iter().enumerate();
    named.map(|(robot, weight)| Client::once(&format!("robot {robot}"), walk(robot, *weight))).collect()
}

/// So many robots come at most.
const ROBOTS_MAX: usize = 10;

/// What happens next: a new robot comes, or one that waits for nothing goes on. Robots only load, and go through the warehouses in order.
pub fn next(warehouses: &Warehouses, seen: &Seen<Warehouses>, case: &mut Case) -> Option<Walk> {
    let mut last: Vec<Option<&Walk>> = Vec::new();
    let mut note = |robot: usize, walk| {
        last.resize(last.len().max(robot + 1), None);
        last[robot] = walk;
    };
    seen.returned().for_each(|(walk, ())| note(walk.robot, Some(walk)));
    seen.open().for_each(|walk| note(walk.robot, None));
    let is_out = |walk: &Walk| walk.door == Door::Exit && walk.warehouse + 1 == warehouses.count;
    // The youngest first: a robot that does not matter can be left out, and those after it are still meant.
    let free: Vec<&Walk> = last.iter().rev().copied().flatten().filter(|walk| !is_out(walk)).collect();
    let may_come = last.len() < ROBOTS_MAX;
    let choices = free.len() + usize::from(may_come);
    if choices == 0 {
        return None;
    }
    let chosen = case.index(choices);
    let mut weight = |least: u32| 100 * case.int(least / 100..=warehouses.weight_max / 100);
    if may_come && chosen == 0 {
        return Some(Walk { robot: last.len(), door: Door::Enter, warehouse: 0, weight: weight(0) });
    }
    let walk = free[chosen - usize::from(may_come)];
    Some(match walk.door {
        Door::Enter => Walk { door: Door::Exit, ..walk.clone() },
        Door::Exit => {
            let weight = weight(walk.weight);
            Walk { door: Door::Enter, warehouse: walk.warehouse + 1, weight, ..walk.clone() }
        }
    })
}

/// A walk for people: the robot, the warehouse, the weight.
pub fn show(walk: &Walk) -> String {
    let door = if walk.door == Door::Enter { "enter" } else { "exit" };
    format!("{door}({}, {}, {})", walk.robot, walk.warehouse, walk.weight)
}

/// A state for people: `*` marks a corridor with a robot in it.
pub fn show_inside(inside: &Inside) -> String {
    let both = inside.weights.iter().zip(&inside.occupied);
    let shown: Vec<String> =
        both.map(|(weight, occupied)| format!("{}{weight}", if *occupied { "*" } else { "" })).collect();
    shown.join("|")
}
