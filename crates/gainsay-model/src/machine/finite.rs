//! Machines all of whose states are known.

use super::{Machine, Next, Table};
use gainsay_core::Error;
use rustc_hash::FxHashMap;
use std::fmt::Debug;
use std::hash::Hash;

/// A deterministic machine with all its states. It is a [`Machine`] itself, whose states are numbers.
#[derive(Debug, Clone)]
pub struct Finite<S, I, O> {
    table: Table,
    states: Vec<S>,
    inputs: Vec<I>,
    /// The outputs that the numbers of answers stand for.
    answers: Vec<Vec<O>>,
    places: FxHashMap<I, u32>,
}

impl<S, I, O> Finite<S, I, O>
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
{
    /// All states of a machine that these inputs lead to.
    ///
    /// # Errors
    /// If there are more than so many, if the machine is not deterministic (the error says where), or judges outputs instead of listing
    /// them.
    pub fn explore<M>(
        machine: &M,
        inputs: impl IntoIterator<Item = I>,
        states_max: usize,
    ) -> Result<Finite<S, I, O>, Error>
    where
        M: Machine<State = S, Input = I, Output = O> + ?Sized,
    {
        let inputs = distinct(inputs)?;
        let mut states = vec![machine.start()];
        let mut places: FxHashMap<S, u32> = FxHashMap::default();
        places.insert(states[0].clone(), 0);
        let mut answers = Answers::default();
        let mut rows: Vec<Vec<Option<(u32, u32)>>> = Vec::new();
        let mut next = Next::default();
        while rows.len() < states.len() {
            let state = states[rows.len()].clone();
            let mut row = Vec::with_capacity(inputs.len());
            for input in &inputs {
                next.clear();
                machine.step(&state, input, &mut next);
                if !next.is_listed() {
                    return Err(Error::specification(format!(
                        "the outputs to {input:?} in state {state:?} are judged, not listed: a machine like that can be \
                         tested on the fly only"
                    )));
                }
                let mut all = next.listed();
                let first = all.next();
                if let (Some(one), Some(other)) = (first, all.find(|other| Some(*other) != first)) {
                    return Err(Error::specification(format!(
                        "the machine is not deterministic: in state {state:?}, {input:?} leads to {one:?} and to {other:?}"
                    )));
                }
                let Some((to, outputs)) = first else {
                    row.push(None);
                    continue;
                };
                let answer = answers.number(outputs);
                let to = match places.get(to) {
                    Some(place) => *place,
                    None if states.len() == states_max => {
                        return Err(Error::specification(format!(
                            "the machine has more than {states_max} states (one of them is {to:?}): give fewer inputs, \
                             or allow for more states"
                        )));
                    }
                    None => {
                        let place = states.len() as u32;
                        places.insert(to.clone(), place);
                        states.push(to.clone());
                        place
                    }
                };
                row.push(Some((to, answer)));
            }
            rows.push(row);
        }
        let mut table = Table::new(states.len(), inputs.len());
        for (state, row) in rows.iter().enumerate() {
            for (input, cell) in row.iter().enumerate() {
                if let Some((to, answer)) = cell {
                    table.set(state as u32, input as u32, *to, *answer);
                }
            }
        }
        Ok(Finite::new(table, states, inputs, answers.all))
    }

    pub(super) fn new(table: Table, states: Vec<S>, inputs: Vec<I>, answers: Vec<Vec<O>>) -> Finite<S, I, O> {
        let places = inputs.iter().enumerate().map(|(place, input)| (input.clone(), place as u32)).collect();
        Finite { table, states, inputs, answers, places }
    }

    /// Its table of numbers.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Its states, by their numbers. It starts in the first.
    pub fn states(&self) -> &[S] {
        &self.states
    }

    /// Its inputs, by their numbers.
    pub fn inputs(&self) -> &[I] {
        &self.inputs
    }

    /// The number of an input.
    pub(super) fn number(&self, input: &I) -> Option<u32> {
        self.places.get(input).copied()
    }

    /// Its answers, by their numbers.
    pub fn answers(&self) -> &[Vec<O>] {
        &self.answers
    }

    /// The smallest machine that does the same, without states that cannot be reached.
    #[must_use]
    pub fn minimised(&self) -> Finite<S, I, O> {
        let (table, old) = self.table.minimised();
        let states = old.iter().map(|state| self.states[*state as usize].clone()).collect();
        Finite::new(table, states, self.inputs.clone(), self.answers.clone())
    }

    /// The shortest inputs to which this machine and another answer otherwise; nothing if they do the same. An input that only one of them
    /// specifies, or has, is a difference.
    pub fn difference<T: Clone + Eq + Hash + Debug>(&self, other: &Finite<T, I, O>) -> Option<Vec<I>> {
        let mut inputs = self.inputs.clone();
        inputs.extend(other.inputs.iter().filter(|input| !self.places.contains_key(*input)).cloned());
        let mut answers = Answers::default();
        let one = self.renumbered(&inputs, &mut answers);
        let two = other.renumbered(&inputs, &mut answers);
        let difference = one.difference(&two, true)?;
        Some(difference.into_iter().map(|input| inputs[input as usize].clone()).collect())
    }

    /// The table with the numbers that inputs have in a list, and answers with others.
    fn renumbered(&self, inputs: &[I], answers: &mut Answers<O>) -> Table {
        let mut table = Table::new(self.table.states(), inputs.len());
        for state in 0..self.table.states() as u32 {
            for (input, name) in inputs.iter().enumerate() {
                let cell = self.places.get(name).and_then(|place| self.table.step(state, *place));
                if let Some((next, answer)) = cell {
                    table.set(state, input as u32, next, answers.number(&self.answers[answer as usize]));
                }
            }
        }
        table
    }
}

/// Inputs without those that are there twice.
fn distinct<I: Eq + Hash + Clone>(inputs: impl IntoIterator<Item = I>) -> Result<Vec<I>, Error> {
    let mut seen = rustc_hash::FxHashSet::default();
    let inputs: Vec<I> = inputs.into_iter().filter(|input| seen.insert(input.clone())).collect();
    if inputs.is_empty() {
        return Err(Error::specification("a machine without inputs cannot be tested: give some"));
    }
    Ok(inputs)
}

/// Numbers for answers.
#[derive(Debug)]
pub(super) struct Answers<O> {
    pub(super) all: Vec<Vec<O>>,
    numbers: FxHashMap<Vec<O>, u32>,
}

impl<O> Default for Answers<O> {
    fn default() -> Answers<O> {
        Answers { all: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<O: Clone + Eq + Hash> Answers<O> {
    pub(super) fn number(&mut self, outputs: &[O]) -> u32 {
        if let Some(number) = self.numbers.get(outputs) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(outputs.to_vec());
        self.numbers.insert(outputs.to_vec(), number);
        number
    }
}

impl<S, I, O> Machine for Finite<S, I, O>
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
{
    type State = u32;
    type Input = I;
    type Output = O;

    fn start(&self) -> u32 {
        0
    }

    #[inline]
    fn step(&self, state: &u32, input: &I, next: &mut Next<u32, O>) {
        let cell = self.places.get(input).and_then(|input| self.table.step(*state, *input));
        if let Some((to, answer)) = cell {
            next.to(to, self.answers[answer as usize].iter().cloned());
        }
    }

    fn shown(&self, state: &u32) -> String {
        format!("{:?}", self.states[*state as usize])
    }
}
