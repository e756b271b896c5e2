//! Deterministic machines as tables of numbers: what everything that needs all states at once works on.

use super::{Machine, Next};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Where nothing is specified.
const NOWHERE: u32 = u32::MAX;

/// A deterministic machine whose states, inputs and answers are numbers. It starts in state 0, and may be partial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    inputs: usize,
    /// The next state and the answer, by state and input.
    cells: Vec<(u32, u32)>,
}

impl Table {
    /// A machine in which nothing is specified yet.
    ///
    /// # Panics
    /// If there is no state, or no input.
    pub fn new(states: usize, inputs: usize) -> Table {
        assert!(states > 0 && inputs > 0, "a machine has a state and an input at least");
        Table { inputs, cells: vec![(NOWHERE, 0); states * inputs] }
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.cells.len() / self.inputs
    }

    /// How many inputs it has.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Specifies what comes of an input.
    pub fn set(&mut self, state: u32, input: u32, next: u32, answer: u32) {
        assert!((next as usize) < self.states(), "there is no state {next}");
        self.cells[state as usize * self.inputs + input as usize] = (next, answer);
    }

    /// The next state and the answer; nothing where nothing is specified.
    #[inline]
    pub fn step(&self, state: u32, input: u32) -> Option<(u32, u32)> {
        let cell = self.cells[state as usize * self.inputs + input as usize];
        (cell.0 != NOWHERE).then_some(cell)
    }

    /// The state after inputs; nothing where they are not all specified.
    pub fn after(&self, state: u32, inputs: &[u32]) -> Option<u32> {
        inputs.iter().try_fold(state, |state, input| Some(self.step(state, *input)?.0))
    }

    /// Some state and input for which nothing is specified.
    pub fn hole(&self) -> Option<(u32, u32)> {
        let place = self.cells.iter().position(|(next, _)| *next == NOWHERE)?;
        Some(((place / self.inputs) as u32, (place % self.inputs) as u32))
    }

    /// How many transitions are specified.
    pub fn transitions(&self) -> usize {
        self.cells.iter().filter(|(next, _)| *next != NOWHERE).count()
    }

    /// The shortest inputs that lead to each state; nothing where none do.
    pub fn access(&self) -> Vec<Option<Vec<u32>>> {
        let mut access: Vec<Option<Vec<u32>>> = vec![None; self.states()];
        access[0] = Some(Vec::new());
        let mut open = VecDeque::from([0u32]);
        while let Some(state) = open.pop_front() {
            for input in 0..self.inputs as u32 {
                let Some((next, _)) = self.step(state, input) else { continue };
                if access[next as usize].is_none() {
                    let mut path = access[state as usize].clone().unwrap_or_default();
                    path.push(input);
                    access[next as usize] = Some(path);
                    open.push_back(next);
                }
            }
        }
        access
    }

    /// The machine without the states that cannot be reached, in the order of their distance; and the old number of each state.
    #[must_use]
    pub fn reachable(&self) -> (Table, Vec<u32>) {
        let mut new = vec![NOWHERE; self.states()];
        new[0] = 0;
        let mut old = vec![0u32];
        let mut at = 0;
        while at < old.len() {
            for input in 0..self.inputs as u32 {
                let Some((next, _)) = self.step(old[at], input) else { continue };
                if new[next as usize] == NOWHERE {
                    new[next as usize] = old.len() as u32;
                    old.push(next);
                }
            }
            at += 1;
        }
        let mut table = Table::new(old.len(), self.inputs);
        for (state, before) in old.iter().enumerate() {
            for input in 0..self.inputs as u32 {
                if let Some((next, answer)) = self.step(*before, input) {
                    table.set(state as u32, input, new[next as usize], answer);
                }
            }
        }
        (table, old)
    }

    /// The smallest machine that does the same, where doing nothing specified is doing something of its own; and for each of its states
    /// one of the old states that it stands for. States that cannot be reached are left out.
    #[must_use]
    pub fn minimised(&self) -> (Table, Vec<u32>) {
        let (table, old) = self.reachable();
        let states = table.states();
        let mut class = vec![0u32; states];
        let mut classes = 1;
        loop {
            let mut known: FxHashMap<Vec<(u32, u32)>, u32> = FxHashMap::default();
            let mut refined = Vec::with_capacity(states);
            for state in 0..states as u32 {
                let mut row = Vec::with_capacity(self.inputs + 1);
                row.push((class[state as usize], 0));
                row.extend((0..self.inputs as u32).map(|input| {
                    table
                        .step(state, input)
                        .map_or((NOWHERE, 0), |(next, answer)| (class[next as usize], answer))
                }));
                let count = known.len() as u32;
                refined.push(*known.entry(row).or_insert(count));
            }
            class = refined;
            if known.len() == classes {
                break;
            }
            classes = known.len();
        }
        // (States are in the order of their distance, and so are the first ones of each class.)
        let mut first = vec![NOWHERE; classes];
        for (state, class) in class.iter().enumerate() {
            let first = &mut first[*class as usize];
            *first = (*first).min(state as u32);
        }
        let mut smallest = Table::new(classes, self.inputs);
        for (number, state) in first.iter().enumerate() {
            for input in 0..self.inputs as u32 {
                if let Some((next, answer)) = table.step(*state, input) {
                    smallest.set(number as u32, input, class[next as usize], answer);
                }
            }
        }
        (smallest, first.into_iter().map(|state| old[state as usize]).collect())
    }

    /// The shortest inputs whose answers differ from those of another machine with the same inputs and answers; nothing if there are none.
    /// Where one specifies an input and the other does not, `strictly` says whether that is a difference; if it is none, it ends the
    /// comparison there.
    pub fn difference(&self, other: &Table, strictly: bool) -> Option<Vec<u32>> {
        let mut found_by: FxHashMap<(u32, u32), Option<((u32, u32), u32)>> = FxHashMap::default();
        found_by.insert((0, 0), None);
        let mut open = VecDeque::from([(0, 0)]);
        while let Some(pair) = open.pop_front() {
            for input in 0..self.inputs.min(other.inputs) as u32 {
                let next = match (self.step(pair.0, input), other.step(pair.1, input)) {
                    (Some((here, answer)), Some((there, given))) if answer == given => (here, there),
                    (None, None) => continue,
                    (None, Some(_)) | (Some(_), None) if !strictly => continue,
                    _ => {
                        let mut path = vec![input];
                        let mut at = pair;
                        while let Some((before, input)) = found_by[&at] {
                            path.push(input);
                            at = before;
                        }
                        path.reverse();
                        return Some(path);
                    }
                };
                found_by.entry(next).or_insert_with(|| {
                    open.push_back(next);
                    Some((pair, input))
                });
            }
        }
        None
    }
}

/// Its inputs and outputs are numbers too.
impl Machine for Table {
    type State = u32;
    type Input = u32;
    type Output = u32;

    fn start(&self) -> u32 {
        0
    }

    #[inline]
    fn step(&self, state: &u32, input: &u32, next: &mut Next<u32, u32>) {
        if (*input as usize) < self.inputs
            && let Some((to, answer)) = self.step(*state, *input)
        {
            next.to(to, [answer]);
        }
    }
}
