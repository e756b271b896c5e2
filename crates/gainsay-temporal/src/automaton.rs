//! All that is known of a formula while a word is read: its states, which are found as they are needed, and what each of them says.

use crate::closure::{Closure, Node, Part, Remembered};
use crate::evaluate;
use crate::future::Future;
use crate::owed::TooMany;
use crate::shape::{Bound, Shape};
use crate::step::{Memory, State};
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
    /// How much is known of all states: with bounds of time one may hold many elements.
    weight: usize,
    numbers: FxHashMap<State, Number>,
    /// By state, time since the last element, and letter.
    next: FxHashMap<(Number, u64, u64), Number>,
    /// The same where no time has passed, in a table, if there are few letters.
    table: Vec<Number>,
    /// How many bits a letter has; none if there is no table.
    bits: Option<u32>,
    /// Steps that take time and were taken lately, each in the place that it has by its numbers.
    lately: Vec<Step>,
    truths: Vec<Option<Truth>>,
    future: Future,
    /// How much work it was to find them.
    work: u64,
}

/// A step that was taken.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    from: Number,
    next: Number,
    time: u64,
    letter: u64,
    is_known: bool,
}

/// So many steps that take time are kept at hand.
const LATELY: usize = 1 << 13;

impl Step {
    /// Where it is kept.
    #[inline]
    fn place(from: Number, time: u64, letter: u64) -> usize {
        let numbers = time ^ u64::from(from) << 40 ^ letter << 32;
        (numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize
    }

    #[inline]
    fn is(&self, from: Number, time: u64, letter: u64) -> bool {
        self.from == from && self.time == time && self.letter == letter && self.is_known
    }
}

/// So much is kept of states.
const WEIGHT_MAX: usize = 200_000;

/// With more bits in a letter there is no table.
const BITS_MAX: u32 = 8;

/// Where nobody has been.
const UNKNOWN: Number = Number::MAX;

/// Where it begins.
pub(crate) const START: Number = 0;

impl Automaton {
    /// The automaton of a formula with so many atoms, whose letters are these.
    pub(crate) fn new(shape: &Shape, atoms: usize, letters: Vec<u64>) -> Automaton {
        let mut closure = Closure::default();
        let formulas: [Part; 2] = [closure.add(shape, true), closure.add(shape, false)];
        let start = State::start(&closure, &formulas);
        let future = Future::new(letters, atoms, shape.is_timed(), &closure);
        let mut automaton = Automaton {
            closure,
            is_timed: shape.is_timed(),
            of_nothing: evaluate::holds(shape, &[], 0),
            states: Vec::new(),
            weight: 0,
            numbers: FxHashMap::default(),
            next: FxHashMap::default(),
            table: Vec::new(),
            bits: Some(atoms as u32).filter(|bits| *bits <= BITS_MAX),
            lately: vec![Step::default(); if shape.is_timed() { LATELY } else { 0 }],
            truths: Vec::new(),
            future,
            work: 0,
        };
        automaton.number(start);
        automaton
    }

    fn number(&mut self, state: State) -> Number {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = self.states.len() as Number;
        self.weight += state.weight();
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        self.truths.push(None);
        if let Some(bits) = self.bits {
            self.table.resize(self.states.len() << bits, UNKNOWN);
        }
        number
    }

    /// Forgets all states but the first and this one, if there are many: with times there may be a new one with every element. What this one is
    /// then.
    #[inline]
    pub(crate) fn keep_few(&mut self, state: Number) -> Number {
        if self.weight < WEIGHT_MAX { state } else { self.forget(state) }
    }

    #[cold]
    fn forget(&mut self, state: Number) -> Number {
        let (start, state) = (self.states[START as usize].clone(), self.states[state as usize].clone());
        self.states.clear();
        self.weight = 0;
        self.numbers.clear();
        self.next.clear();
        self.table.clear();
        self.truths.clear();
        self.lately.fill(Step::default());
        self.number(start);
        self.number(state)
    }

    /// How many states were met.
    pub(crate) fn states(&self) -> usize {
        self.states.len()
    }

    /// How much work it was to find them: so many parts were looked at and ways compared.
    pub(crate) fn work(&self) -> u64 {
        self.work
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
        if let (0, Some(bits)) = (time, self.bits) {
            let next = self.table[(from as usize) << bits | letter as usize];
            return if next == UNKNOWN { self.find(from, 0, letter) } else { Ok(next) };
        }
        let place = Step::place(from, time, letter);
        match self.lately.get(place) {
            Some(step) if step.is(from, time, letter) => Ok(step.next),
            _ => self.look_up(from, time, letter, place),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, from: Number, time: u64, letter: u64, place: usize) -> Result<Number, TooMany> {
        let next = match self.next.get(&(from, time, letter)) {
            Some(next) => *next,
            None => self.find(from, time, letter)?,
        };
        if let Some(step) = self.lately.get_mut(place) {
            *step = Step { from, next, time, letter, is_known: true };
        }
        Ok(next)
    }

    #[cold]
    fn find(&mut self, from: Number, time: u64, letter: u64) -> Result<Number, TooMany> {
        self.closure.count_anew();
        let state = &self.states[from as usize];
        let next = match time {
            0 => state.after(letter, &self.closure)?,
            time => state.after_time(time, &self.closure)?.after(letter, &self.closure)?,
        };
        self.work += self.closure.work();
        let next = self.number(next);
        match (time, self.bits) {
            (0, Some(bits)) => self.table[(from as usize) << bits | letter as usize] = next,
            _ => _ = self.next.insert((from, time, letter), next),
        }
        Ok(next)
    }

    /// The state after many elements at one time.
    ///
    /// # Errors
    /// If there is too much to know.
    #[inline]
    pub(crate) fn run(&mut self, from: Number, letters: &[u8]) -> Result<Number, TooMany> {
        let Some(bits) = self.bits else {
            return letters.iter().try_fold(from, |state, letter| self.step(state, 0, u64::from(*letter)));
        };
        let mut state = from;
        for letter in letters {
            let next = self.table[(state as usize) << bits | *letter as usize];
            state = if next == UNKNOWN { self.find(state, 0, u64::from(*letter))? } else { next };
        }
        Ok(state)
    }

    /// The state after so much time without an element.
    ///
    /// # Errors
    /// If there is too much to know.
    pub(crate) fn pass(&mut self, from: Number, time: u64) -> Result<Number, TooMany> {
        if !self.is_timed || time == 0 {
            return Ok(from);
        }
        self.closure.count_anew();
        let next = self.states[from as usize].after_time(time, &self.closure)?;
        Ok(self.number(next))
    }

    /// After how much time from a state something becomes due, or is over: moments at which an element may make a difference.
    pub(crate) fn moments(&self, state: Number) -> Vec<u64> {
        let state = &self.states[state as usize];
        let mut moments = Vec::new();
        let mut add = |bound: &Bound, age: u64| {
            if let Bound::Time(from, to) = bound {
                let ends = [Some(*from), *to, to.map(|to| to.saturating_add(1))];
                moments.extend(ends.into_iter().flatten().filter_map(|end| end.checked_sub(age)));
            }
        };
        for duty in state.owed[0].duties() {
            if let Node::Until(bound, ..) | Node::Release(bound, ..) = self.closure.node(duty.part) {
                add(bound, duty.age);
            }
        }
        for (memory, part) in state.memory.iter().zip(&self.closure.remembered) {
            if let (Memory::Window(window), Remembered::Window(part)) = (memory, part)
                && let Node::Since(bound, ..) | Node::Trigger(bound, ..) = self.closure.node(*part)
            {
                window.iter().for_each(|(age, _)| add(bound, *age));
            }
        }
        moments.sort_unstable();
        moments.dedup();
        moments
    }

    /// How much a state owes at least.
    pub(crate) fn burden(&self, state: Number) -> usize {
        self.states[state as usize].owed[0].ways.iter().map(Vec::len).min().unwrap_or(usize::MAX)
    }

    /// Whether the formula holds of what was read, if nothing more comes.
    pub(crate) fn holds(&self, state: Number) -> bool {
        let state = &self.states[state as usize];
        if state.has_begun { state.owed[0].is_met_at_end() } else { self.of_nothing }
    }

    /// Whether some infinite word that goes on from a state satisfies the formula.
    ///
    /// # Errors
    /// If that takes too much work.
    pub(crate) fn can_hold(&mut self, number: Number) -> Result<bool, TooMany> {
        self.closure.count_anew();
        let state = &self.states[number as usize];
        self.future.is_possible(&state.owed[0], &state.memory, &self.closure)
    }

    /// Whether something was not decided, since it would have taken too much work.
    pub(crate) fn gave_up(&self) -> bool {
        self.future.gave_up()
    }

    /// What a state says.
    pub(crate) fn truth(&mut self, number: Number) -> Truth {
        if let Some(truth) = self.truths[number as usize] {
            return truth;
        }
        self.closure.count_anew();
        let state = &self.states[number as usize];
        let mut can_be = |owed| self.future.is_possible(owed, &state.memory, &self.closure);
        // (What takes too much work to find out is presumed.)
        let truth = if matches!(can_be(&state.owed[0]), Ok(false)) {
            Truth::False
        } else if matches!(can_be(&state.owed[1]), Ok(false)) {
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
