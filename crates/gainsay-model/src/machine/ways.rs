//! The shortest ways between all states.

use super::Table;
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// By state and target, the first input of the shortest way.
#[derive(Debug)]
pub(super) struct Ways {
    states: usize,
    first: Vec<u32>,
}

impl Ways {
    /// All of them: breadth first from each target, backwards.
    pub(super) fn new(table: &Table) -> Ways {
        let states = table.states();
        let mut before: Vec<Vec<(u32, u32)>> = vec![Vec::new(); states];
        for state in 0..states as u32 {
            for input in 0..table.inputs() as u32 {
                if let Some((next, _)) = table.step(state, input) {
                    before[next as usize].push((state, input));
                }
            }
        }
        let mut first = vec![NONE; states * states];
        for target in 0..states as u32 {
            let mut open = VecDeque::from([target]);
            while let Some(state) = open.pop_front() {
                for &(from, input) in &before[state as usize] {
                    let first = &mut first[from as usize * states + target as usize];
                    if *first == NONE && from != target {
                        *first = input;
                        open.push_back(from);
                    }
                }
            }
        }
        Ways { states, first }
    }

    /// The first input of the shortest way to another state; nothing if there is no way.
    #[inline]
    pub(super) fn first(&self, from: u32, to: u32) -> Option<u32> {
        Some(self.first[from as usize * self.states + to as usize]).filter(|input| *input != NONE)
    }

    /// How many other states can be reached.
    pub(super) fn reached(&self, from: u32) -> usize {
        let row = &self.first[from as usize * self.states..][..self.states];
        row.iter().filter(|input| **input != NONE).count()
    }

    /// The shortest way, which is empty to the state itself; nothing if there is none.
    pub(super) fn inputs(&self, table: &Table, from: u32, to: u32) -> Option<Vec<u32>> {
        let (mut at, mut inputs) = (from, Vec::new());
        while at != to {
            let input = self.first(at, to)?;
            inputs.push(input);
            at = table.step(at, input)?.0;
        }
        Some(inputs)
    }
}
