//! Which states a specification may be in after what was seen: a theory for the one judge.

use super::{Machine, Next};
use crate::explain::Theory;
use std::cell::{Cell, RefCell};

/// An input, and the outputs that it was answered with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Reaction<I, O> {
    pub(super) input: I,
    pub(super) outputs: Vec<O>,
}

/// Why a state cannot explain a reaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Nothing is specified for the input there.
    Unspecified,
    /// Other outputs are.
    Otherwise,
}

/// The states of a machine.
pub(super) struct States<'a, M: Machine> {
    pub(super) machine: &'a M,
    /// An implementation had several answers to choose from.
    had_choice: Cell<bool>,
    /// What may come of the next input in the only state there is, if that was asked before.
    ahead: RefCell<(bool, Next<M::State, M::Output>)>,
}

impl<'a, M: Machine> States<'a, M> {
    pub(super) fn new(machine: &'a M) -> States<'a, M> {
        States { machine, had_choice: Cell::new(false), ahead: RefCell::new((false, Next::default())) }
    }

    pub(super) fn had_choice(&self) -> bool {
        self.had_choice.get()
    }

    /// Whether an input is specified in all of these states, or in any.
    pub(super) fn is_specified<'s>(
        &self,
        states: impl Iterator<Item = &'s M::State> + Clone,
        input: &M::Input,
        in_all: bool,
    ) -> bool
    where
        M: 's,
    {
        let (is_ahead, next) = &mut *self.ahead.borrow_mut();
        *is_ahead = false;
        let mut asked = 0;
        let mut specified = 0;
        for state in states {
            next.clear();
            self.machine.step(state, input, next);
            asked += 1;
            specified += usize::from(next.is_specified());
            if next.is_choice() {
                self.had_choice.set(true);
            }
            if in_all && specified < asked {
                return false;
            }
        }
        *is_ahead = asked == 1;
        specified > 0
    }
}

impl<M: Machine> Theory for States<'_, M> {
    type Config = M::State;
    type Event = Reaction<M::Input, M::Output>;
    type Step = ();
    type Why = Why;

    const POSTPONES: bool = true;
    const UNSEEN: bool = false;

    fn steps(&self, _: &M::State, _: &Self::Event, _: &mut Vec<((), M::State)>) {}

    #[inline]
    fn after(
        &self,
        state: M::State,
        reaction: &Self::Event,
        states: &mut Vec<M::State>,
    ) -> Result<(), (Why, M::State)> {
        let (is_ahead, next) = &mut *self.ahead.borrow_mut();
        if !std::mem::take(is_ahead) {
            next.clear();
            self.machine.step(&state, &reaction.input, next);
        }
        if !next.is_specified() {
            return Err((Why::Unspecified, state));
        }
        let before = states.len();
        next.take_after(&reaction.outputs, states);
        if states.len() == before { Err((Why::Otherwise, state)) } else { Ok(()) }
    }
}
