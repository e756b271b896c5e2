//! Judges of streams: one element after the other.

use crate::atom::{Atom, Context, letter, letters, letters_of};
use crate::automaton::{Automaton, Number, START, Truth};
use crate::formula::{Formula, nanoseconds};
use crate::relaxed::Relaxed;
use gainsay_core::Error;
use std::fmt::{self, Debug};
use std::time::Duration;

/// Judges a stream by a formula, one element after the other.
///
/// ```
/// use gainsay_temporal::{Acceptor, Truth, atom, eventually, always};
///
/// let asked = atom("asked", |line: &char| *line == '?');
/// let answered = atom("answered", |line: &char| *line == '!');
/// let mut acceptor = Acceptor::new(&always(asked.implies(eventually(answered))))?;
/// assert_eq!(acceptor.truth(), Truth::PresumablyTrue);
/// acceptor.see(&'?');
/// assert_eq!(acceptor.truth(), Truth::PresumablyFalse);
/// acceptor.see(&'!');
/// assert_eq!(acceptor.truth(), Truth::PresumablyTrue);
/// # Ok::<(), gainsay_core::Error>(())
/// ```
pub struct Acceptor<E> {
    formula: Formula<E>,
    atoms: Vec<Atom<E>>,
    /// What atoms know of the elements so far, if one of them looks back.
    context: Option<Context<E>>,
    automaton: Automaton,
    relaxed: Vec<Relaxed>,
    state: Number,
    /// The time of the last element, or until which there was none.
    time: u64,
    /// How many elements there were.
    count: usize,
    last: u64,
    decided: Option<Decided>,
    is_lost: bool,
}

/// What has decided a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decided {
    /// The number of the element, or of the one that did not come in time.
    pub element: usize,
    /// Its atoms, and whether they hold; none if it was time that passed.
    pub atoms: Vec<(String, bool)>,
    /// Whether the formula holds.
    pub holds: bool,
    is_time: bool,
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let holds = if self.holds { "true" } else { "false" };
        if self.atoms.is_empty() && !self.is_time {
            return write!(f, "{holds} whatever comes");
        }
        if self.atoms.is_empty() {
            return write!(f, "{holds} since no element {} came in time", self.element);
        }
        write!(f, "{holds} by element {}, where ", self.element)?;
        for (place, (name, holds)) in self.atoms.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{} {name}", if *holds { "✓" } else { "✗" })?;
        }
        Ok(())
    }
}

impl<E> Debug for Acceptor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptor")
            .field("atoms", &self.atoms)
            .field("seen", &self.count)
            .finish_non_exhaustive()
    }
}

impl<E: Clone> Acceptor<E> {
    /// A judge who has seen nothing yet.
    ///
    /// # Errors
    /// If the formula has more than 16 atoms, or two of one name that may mean different things.
    pub fn new(formula: &Formula<E>) -> Result<Acceptor<E>, Error> {
        formula.must_be_clear()?;
        let atoms = formula.atoms.clone();
        let letters = letters(&atoms);
        let relaxed = Relaxed::of(&formula.shape, atoms.len(), &letters);
        let automaton = Automaton::new(&formula.shape, atoms.len(), letters);
        let context = atoms.iter().any(Atom::looks_back).then(|| Context::new(&atoms));
        Ok(Acceptor {
            formula: formula.clone(),
            atoms,
            context,
            automaton,
            relaxed,
            state: START,
            time: 0,
            count: 0,
            last: 0,
            decided: None,
            is_lost: false,
        })
    }

    /// The formula.
    pub fn formula(&self) -> &Formula<E> {
        &self.formula
    }

    /// Begins anew, and keeps what it has found out about the formula.
    pub fn reset(&mut self) {
        (self.state, self.time, self.count) = (START, 0, 0);
        self.context = self.context.is_some().then(|| Context::new(&self.atoms));
        (self.last, self.decided, self.is_lost) = (0, None, false);
        self.relaxed.iter_mut().for_each(Relaxed::reset);
    }

    /// Takes account of an element. Its time is that of the one before.
    #[inline]
    pub fn see(&mut self, element: &E) {
        self.step(0, element);
    }

    /// Takes account of many elements, whose time is that of the one before: faster than one by one.
    pub fn see_all(&mut self, elements: &[E]) {
        let mut letters = [0; 64];
        for block in elements.chunks(64) {
            let is_simple =
                !self.is_lost && self.atoms.len() <= 8 && letters_of(&self.atoms, block, &mut letters);
            if !is_simple {
                block.iter().for_each(|element| self.step(0, element));
                continue;
            }
            for relaxed in &mut self.relaxed {
                letters[..block.len()].iter().for_each(|letter| relaxed.see(u64::from(*letter)));
            }
            match self.automaton.run(self.state, &letters[..block.len()]) {
                Ok(state) => self.state = self.automaton.keep_few(state),
                Err(_) => self.is_lost = true,
            }
            self.last = u64::from(letters[block.len() - 1]);
            self.count += block.len();
        }
    }

    /// Takes account of an element at a time.
    ///
    /// # Errors
    /// If the time is before that of the last element.
    pub fn see_at(&mut self, time: Duration, element: &E) -> Result<(), Error> {
        let passed = self.passed(time)?;
        self.step(passed, element);
        self.time += passed;
        Ok(())
    }

    /// Takes account of many elements with their times, in nanoseconds: faster than one by one.
    ///
    /// # Errors
    /// If a time is before that of the element before.
    pub fn see_all_at(&mut self, elements: &[E], time_of: impl Fn(&E) -> u64) -> Result<(), Error> {
        let mut letters = [0; 64];
        for block in elements.chunks(64) {
            if self.is_lost || self.atoms.len() > 8 || !letters_of(&self.atoms, block, &mut letters) {
                for element in block {
                    self.see_at(Duration::from_nanos(time_of(element)), element)?;
                }
                continue;
            }
            for (element, letter) in block.iter().zip(letters) {
                let time = time_of(element);
                let Some(passed) = time.checked_sub(self.time) else {
                    return self.passed(Duration::from_nanos(time)).map(|_| ());
                };
                match self.automaton.step(self.state, passed, u64::from(letter)) {
                    Ok(state) => self.state = self.automaton.keep_few(state),
                    Err(_) => self.is_lost = true,
                }
                (self.time, self.last) = (time, u64::from(letter));
                self.count += 1;
                self.relaxed.iter_mut().for_each(|relaxed| relaxed.see(u64::from(letter)));
            }
        }
        Ok(())
    }

    /// Takes account of time in which there was no element.
    ///
    /// # Errors
    /// If the time is before that of the last element.
    pub fn pass_to(&mut self, time: Duration) -> Result<(), Error> {
        let passed = self.passed(time)?;
        match self.automaton.pass(self.state, passed) {
            Ok(state) => self.state = self.automaton.keep_few(state),
            Err(_) => self.is_lost = true,
        }
        self.time += passed;
        self.last = u64::MAX;
        Ok(())
    }

    fn passed(&self, time: Duration) -> Result<u64, Error> {
        nanoseconds(time).checked_sub(self.time).ok_or_else(|| {
            Error::specification(format!(
                "time goes back: element {} is at {time:?}, and there was something at {:?} before",
                self.count,
                Duration::from_nanos(self.time)
            ))
        })
    }

    #[inline]
    fn step(&mut self, passed: u64, element: &E) {
        if self.is_lost {
            self.count += 1;
            return;
        }
        let letter = match &mut self.context {
            Some(context) => context.see(&self.atoms, element),
            None => letter(&self.atoms, element),
        };
        match self.automaton.step(self.state, passed, letter) {
            Ok(state) => self.state = self.automaton.keep_few(state),
            Err(_) => self.is_lost = true,
        }
        self.relaxed.iter_mut().for_each(|relaxed| relaxed.see(letter));
        self.last = letter;
        self.count += 1;
    }

    /// What the elements so far say about the formula. (Where there is too much to know, what is certain may only be
    /// presumed: see [`gave_up`](Acceptor::gave_up).)
    pub fn truth(&mut self) -> Truth {
        if self.is_lost {
            return Truth::PresumablyFalse;
        }
        let known = self.relaxed.iter_mut().find_map(Relaxed::truth);
        let truth = known.unwrap_or_else(|| self.automaton.truth(self.state));
        if self.decided.is_none() && matches!(truth, Truth::True | Truth::False) {
            let names = self.atoms.iter().enumerate();
            let atoms = names.map(|(bit, atom)| (atom.name().to_string(), self.last >> bit & 1 == 1));
            let is_time = self.last == u64::MAX;
            self.decided = Some(Decided {
                element: if is_time { self.count } else { self.count.saturating_sub(1) },
                atoms: if is_time || self.count == 0 { Vec::new() } else { atoms.collect() },
                holds: truth == Truth::True,
                is_time,
            });
        }
        truth
    }

    /// What has decided the formula, if [`truth`](Acceptor::truth) was asked for when it was.
    pub fn decided(&self) -> Option<&Decided> {
        self.decided.as_ref()
    }

    /// Whether something was too much to decide, so that what is certain may only have been presumed since then: it takes more than
    /// [`BRANCHES_MAX`](crate::BRANCHES_MAX) steps, or there are too many ways to go on.
    pub fn gave_up(&self) -> bool {
        self.is_lost || self.automaton.gave_up()
    }

    /// Whether the formula holds of the elements so far, if they are all there is; nothing if there was too much to know.
    pub(crate) fn holds(&self) -> Option<bool> {
        (!self.is_lost).then(|| self.automaton.holds(self.state))
    }

    /// How many states of the formula were met. What is kept does not grow with the stream where no bound is one of time.
    pub fn states(&self) -> usize {
        self.automaton.states()
    }
}
