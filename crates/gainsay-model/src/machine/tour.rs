//! A tour: inputs that go through every transition, without starting anew where that can be helped.

use super::Table;
use std::collections::VecDeque;

/// Sequences of inputs, each from the start, that together go through every transition that can be reached. From where nothing new can
/// be reached, another sequence begins.
///
/// (The next transition is the nearest one that is new. That is no shortest tour, and not far from it.)
pub fn tour(table: &Table) -> Vec<Vec<u32>> {
    let inputs = table.inputs() as u32;
    let mut is_done = vec![false; table.states() * table.inputs()];
    let mut tours = Vec::new();
    loop {
        let mut tour: Vec<u32> = Vec::new();
        let mut state = 0;
        while let Some(path) = nearest(table, state, &is_done) {
            for input in path {
                is_done[(state * inputs + input) as usize] = true;
                tour.push(input);
                state = table.step(state, input).map_or(state, |(next, _)| next);
            }
        }
        if tour.is_empty() {
            return tours;
        }
        tours.push(tour);
    }
}

/// The shortest inputs to a transition that is new, and through it.
fn nearest(table: &Table, start: u32, is_done: &[bool]) -> Option<Vec<u32>> {
    let mut found_by: Vec<Option<(u32, u32)>> = vec![None; table.states()];
    let mut open = VecDeque::from([start]);
    while let Some(state) = open.pop_front() {
        for input in 0..table.inputs() as u32 {
            let Some((next, _)) = table.step(state, input) else { continue };
            if !is_done[state as usize * table.inputs() + input as usize] {
                let mut path = vec![input];
                let mut at = state;
                while at != start {
                    let (before, input) = found_by[at as usize]?;
                    path.push(input);
                    at = before;
                }
                path.reverse();
                return Some(path);
            }
            if next != start && found_by[next as usize].is_none() {
                found_by[next as usize] = Some((state, input));
                open.push_back(next);
            }
        }
    }
    None
}
