//! All that is known of a formula while a word is read: its states, which are found as they are needed, and what each of them says.

use crate::closure::{Closure, Part};
use crate::evaluate;
use crate::future::Future;
use crate::owed::TooMany;
use crate::shape::Shape;
use crate::step::State;
use rustc_hash::FxHashMap;
use std::fmt;

/// What a beginning says about a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Truth {
    /// Whatever follows, it does not hold.
    False,
    /// It does not hold if nothing more comes, and may still do so.
    PresumablyFalse,
    /// It holds if nothing more comes, and may still be broken.
    PresumablyTrue,
    /// Whatever follows, it holds.
    True,
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Truth::False => "false",
            Truth::PresumablyFalse => "presumably false",
            Truth::PresumablyTrue => "presumably true",
            Truth::True => "true",
        })
    }
}

/// The number of a state.
pub(crate) type Number = u32;

/// The states of a formula, as far as they were met.
#[derive(Debug)]
pub(crate) struct Automaton {
    closure: Closure,
    is_timed: bool,
    /// Whether it holds of the empty word.
    of_nothing: bool,
    states: Vec<State>,
    numbers: FxHashMap<State, Number>,
    /// By state, time since the last element, and letter.
    next: FxHashMap<(Number, u64, u64), Number>,
    truths: Vec<Option<Truth>>,
    future: Future,
}

/// Where it begins.
pub(crate) const START: Number = 0;

impl Automaton {
    /// The automaton of a formula, whose letters are these.
    pub(crate) fn new(shape: &Shape, letters: Vec<u64>) -> Automaton {
        let mut closure = Closure::default();
        let formulas: [Part; 2] = [closure.add(shape, true), closure.add(shape, false)];
        let start = State::start(&closure, &formulas);
        let mut automaton = Automaton {
            closure,
            is_timed: shape.is_timed(),
            of_nothing: evaluate::holds(shape, &[], 0),
            states: Vec::new(),
            numbers: FxHashMap::default(),
            next: FxHashMap::default(),
            truths: Vec::new(),
            future: Future::new(letters, shape.is_timed()),
        };
        automaton.number(start);
        automaton
    }

    fn number(&mut self, state: State) -> Number {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = self.states.len() as Number;
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        self.truths.push(None);
        number
    }

    /// How many states were met.
    pub(crate) fn states(&self) -> usize {
        self.states.len()
    }

    /// The possible letters.
    pub(crate) fn letters(&self) -> &[u64] {
        self.future.letters()
    }

    /// The state after so much time and an element.
    ///
    /// # Errors
    /// If there is too much to know.
    #[inline]
    pub(crate) fn step(&mut self, from: Number, time: u64, letter: u64) -> Result<Number, TooMany> {
        let time = if self.is_timed { time } else { 0 };
        match self.next.get(&(from, time, letter)) {
            Some(next) => Ok(*next),
            None => self.find(from, time, letter),
        }
    }

    #[cold]
    fn find(&mut self, from: Number, time: u64, letter: u64) -> Result<Number, TooMany> {
        let state = &self.states[from as usize];
        let next = match time {
            0 => state.after(letter, &self.closure)?,
            time => state.after_time(time, &self.closure)?.after(letter, &self.closure)?,
        };
        let next = self.number(next);
        self.next.insert((from, time, letter), next);
        Ok(next)
    }

    /// The state after so much time without an element.
    ///
    /// # Errors
    /// If there is too much to know.
    pub(crate) fn pass(&mut self, from: Number, time: u64) -> Result<Number, TooMany> {
        if !self.is_timed || time == 0 {
            return Ok(from);
        }
        let next = self.states[from as usize].after_time(time, &self.closure)?;
        Ok(self.number(next))
    }

    /// Whether the formula holds of what was read, if nothing more comes.
    pub(crate) fn holds(&self, state: Number) -> bool {
        let state = &self.states[state as usize];
        if state.has_begun { state.owed[0].is_met_at_end() } else { self.of_nothing }
    }

    /// What a state says.
    pub(crate) fn truth(&mut self, number: Number) -> Truth {
        if let Some(truth) = self.truths[number as usize] {
            return truth;
        }
        let state = &self.states[number as usize];
        let (for_it, against) = (&state.owed[0], &state.owed[1]);
        let truth = if !self.future.is_possible(for_it, &state.memory, state.has_begun, &self.closure) {
            Truth::False
        } else if !self.future.is_possible(against, &state.memory, state.has_begun, &self.closure) {
            Truth::True
        } else if self.holds(number) {
            Truth::PresumablyTrue
        } else {
            Truth::PresumablyFalse
        };
        self.truths[number as usize] = Some(truth);
        truth
    }
}
