//! Machines: reactive systems that answer each input with some outputs, and may be nondeterministic, partial and infinite.
//!
//! - [`Machine`]: a specification, mostly made of a function by [`machine`].
//! - [`conformance`]: tests an implementation by it, by walks, tours, and complete suites.
//! - [`implementation`], [`polled`], [`program`], [`server`]: what is tested, in this process or elsewhere.
//! - [`laws`], [`refines`]: tests of the specification itself, and comparisons of two.
//! - [`enable_input`], [`hide`], [`beside`], [`in_row`]: machines made of others; [`after`] and [`traces`] say what one may do.
//! - [`Finite`]: a machine all of whose states are known: minimised, compared, drawn ([`Finite::to_svg`]), read from and written to
//!   `.dot`.
//! - [`simulate`]: a machine tried out by hand, in a terminal.
//! - [`Suite`], [`Method`]: tests that tell an implementation from every other with no more states than assumed, for whoever wants to run
//!   them himself; [`Oracle`], for whoever learns a machine.
//!
//! # Limitations
//! - Suites, tours and comparisons need all states, and a deterministic machine that lists its transitions.
//! - An implementation that answers when it likes must say when it is done: see [`Implementation`].

mod combined;
mod compared;
mod conformance;
mod dot;
mod draw;
mod finite;
mod goal;
mod implementation;
mod judge;
mod laws;
mod next;
mod oracle;
mod pairs;
mod program;
mod separate;
mod shown;
mod simulate;
mod spyh;
mod suite;
mod table;
mod tour;
mod tree;
mod ways;

pub use combined::{Side, beside, enable_input, hide, in_row};
pub use compared::{Refinement, Trace, after, after_inputs, refines, refines_where_specified, traces};
pub use conformance::{Conformance, Parted, Relation, conformance};
pub use finite::Finite;
pub use goal::Goal;
pub use implementation::{Implementation, Stopped, implementation, polled, translated};
pub use laws::{Laws, Transition, laws};
pub use next::Next;
pub use oracle::Oracle;
pub use program::{Answers, Program, program, server};
pub use simulate::simulate;
pub use suite::{Method, Suite};
pub use table::Table;
pub use tour::tour;

use shown::shown;
use std::fmt::{self, Debug};
use std::hash::Hash;

/// What a reactive system may do: from a state, an input leads to some outputs and another state. It must always give the same
/// answer.
pub trait Machine {
    /// Everything about the past that matters for the future.
    type State: Clone + Eq + Hash + Debug;
    /// What the system is given.
    type Input: Clone + Eq + Hash + Debug;
    /// What it gives; to each input any number of them.
    type Output: Clone + Eq + Hash + Debug;

    /// Where it starts.
    fn start(&self) -> Self::State;

    /// Adds everything that may come of an input. If there is nothing, nothing is specified: an implementation may do what it likes.
    fn step(&self, state: &Self::State, input: &Self::Input, next: &mut Next<Self::State, Self::Output>);

    /// A state, as people read it.
    fn shown(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }
}

impl<M: Machine + ?Sized> Machine for &M {
    type State = M::State;
    type Input = M::Input;
    type Output = M::Output;

    fn start(&self) -> M::State {
        (**self).start()
    }

    #[inline]
    fn step(&self, state: &M::State, input: &M::Input, next: &mut Next<M::State, M::Output>) {
        (**self).step(state, input, next);
    }

    fn shown(&self, state: &M::State) -> String {
        (**self).shown(state)
    }
}

impl<M: Machine + ?Sized> Machine for Box<M> {
    type State = M::State;
    type Input = M::Input;
    type Output = M::Output;

    fn start(&self) -> M::State {
        (**self).start()
    }

    #[inline]
    fn step(&self, state: &M::State, input: &M::Input, next: &mut Next<M::State, M::Output>) {
        (**self).step(state, input, next);
    }

    fn shown(&self, state: &M::State) -> String {
        (**self).shown(state)
    }
}

/// A machine that is a function: see [`machine`].
pub struct Function<S, F> {
    start: S,
    step: F,
}

impl<S: Debug, F> Debug for Function<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function").field("start", &self.start).finish_non_exhaustive()
    }
}

/// A machine by a state to start in and a function from state and input to all states that may be next, each with the outputs on the
/// way.
///
/// ```
/// use gainsay_model::machine::machine;
///
/// /// Every second time the button is pressed, it rings.
/// let bell = machine(false, |pressed: &bool, _: &()| match pressed {
///     false => [(true, vec![])],
///     true => [(false, vec!["ring"])],
/// });
/// # let _ = bell;
/// ```
pub fn machine<S, I, O, T>(
    start: S,
    step: impl Fn(&S, &I) -> T,
) -> impl Machine<State = S, Input = I, Output = O>
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
    T: IntoIterator<Item = (S, Vec<O>)>,
{
    stepwise(start, move |state: &S, input: &I, next: &mut Next<S, O>| {
        step(state, input).into_iter().for_each(|(state, outputs)| next.to(state, outputs));
    })
}

/// A machine by a state to start in and a function that says to a [`Next`] what may come of an input: by outputs that are listed, or by
/// a judge of those that are seen.
pub fn stepwise<S, I, O>(
    start: S,
    step: impl Fn(&S, &I, &mut Next<S, O>),
) -> impl Machine<State = S, Input = I, Output = O>
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
{
    Function { start, step: Step(step, std::marker::PhantomData) }
}

/// A function, and what it takes.
struct Step<F, T>(F, std::marker::PhantomData<fn(T)>);

impl<S, I, O, F> Machine for Function<S, Step<F, (I, O)>>
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
    F: Fn(&S, &I, &mut Next<S, O>),
{
    type State = S;
    type Input = I;
    type Output = O;

    fn start(&self) -> S {
        self.start.clone()
    }

    #[inline]
    fn step(&self, state: &S, input: &I, next: &mut Next<S, O>) {
        (self.step.0)(state, input, next);
    }
}
