//! Which states a specification may be in after what was seen: a theory for the one judge, and a shortcut for the case that there is
//! but one state and one way to go.

use super::{Machine, Next};
use crate::explain::{DeadBy, Explained, Frontier, Limits, Theory};
use std::cell::RefCell;

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

/// What came of a reaction.
pub(super) enum Judged<'a, M: Machine> {
    /// It is specified.
    Yes,
    /// It is not: so the states that the specification may have been in say.
    No(Vec<DeadBy<States<'a, M>>>),
    /// There are too many states to know.
    GaveUp,
}

/// What is known of a specification's state.
pub(super) struct Known<'a, M: Machine> {
    machine: &'a M,
    /// The only state there is; if there are several, the judge knows them.
    sure: Option<M::State>,
    several: Option<Frontier<States<'a, M>>>,
    /// What may come of the next input in the only state.
    next: Next<M::State, M::Output>,
    /// An implementation had several answers to choose from.
    had_choice: bool,
}

impl<'a, M: Machine> Known<'a, M> {
    pub(super) fn new(machine: &'a M, next: Next<M::State, M::Output>) -> Known<'a, M> {
        Known { machine, sure: Some(machine.start()), several: None, next, had_choice: false }
    }

    /// The list it has used, for the next test.
    pub(super) fn into_next(self) -> Next<M::State, M::Output> {
        self.next
    }

    /// The only state there is.
    #[inline]
    pub(super) fn only(&self) -> Option<&M::State> {
        self.sure.as_ref()
    }

    pub(super) fn had_choice(&self) -> bool {
        self.had_choice
    }

    /// Whether an input is specified, in all states there may be or in any of them.
    #[inline]
    pub(super) fn is_specified(&mut self, input: &M::Input, in_all: bool) -> bool {
        if let Some(state) = &self.sure {
            self.next.clear();
            self.machine.step(state, input, &mut self.next);
            return self.next.is_specified();
        }
        self.is_specified_in_several(input, in_all)
    }

    #[cold]
    fn is_specified_in_several(&mut self, input: &M::Input, in_all: bool) -> bool {
        // (If there are too many, nothing can be said.)
        let Some(mut states) = self.several.as_ref().and_then(Frontier::configs) else { return true };
        let (machine, next) = (self.machine, &mut self.next);
        let mut is_specified_in = |state: &M::State| {
            next.clear();
            machine.step(state, input, next);
            next.is_specified()
        };
        if in_all { states.all(&mut is_specified_in) } else { states.any(&mut is_specified_in) }
    }

    /// Takes account of what the input that was asked about before was answered with, if there is one state and one way to go, and this
    /// is it.
    #[inline]
    pub(super) fn goes_on(&mut self, outputs: &[M::Output]) -> bool {
        self.sure.as_mut().is_some_and(|state| self.next.go_on(state, outputs))
    }

    /// Takes account of a reaction to the input that was asked about before.
    pub(super) fn see(&mut self, reaction: &Reaction<M::Input, M::Output>) -> Judged<'a, M> {
        if self.goes_on(&reaction.outputs) { Judged::Yes } else { self.judge(reaction) }
    }

    fn judge(&mut self, reaction: &Reaction<M::Input, M::Output>) -> Judged<'a, M> {
        self.had_choice |= self.sure.is_none() || self.next.is_choice();
        if let Some(state) = self.sure.take() {
            let states = States { machine: self.machine, next: RefCell::default() };
            self.several = Some(Frontier::new(states, [state], Limits::default()));
        }
        let Some(several) = &mut self.several else { return Judged::GaveUp };
        match several.see(reaction) {
            Explained::Yes(_) => {}
            Explained::No { dead, .. } => return Judged::No(dead),
            Explained::GaveUp { .. } => return Judged::GaveUp,
        }
        let only = several.configs().and_then(|mut states| match (states.next(), states.next()) {
            (Some(state), None) => Some(state.clone()),
            _ => None,
        });
        if only.is_some() {
            (self.sure, self.several) = (only, None);
        }
        Judged::Yes
    }
}

/// The states of a machine.
pub(super) struct States<'a, M: Machine> {
    machine: &'a M,
    next: RefCell<Next<M::State, M::Output>>,
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
        let next = &mut *self.next.borrow_mut();
        next.clear();
        self.machine.step(&state, &reaction.input, next);
        if !next.is_specified() {
            return Err((Why::Unspecified, state));
        }
        let before = states.len();
        next.take_after(&reaction.outputs, states);
        if states.len() == before { Err((Why::Otherwise, state)) } else { Ok(()) }
    }
}
