//! Machines made of others.

use super::{Machine, Next};
use std::fmt::Debug;
use std::hash::Hash;

/// A machine in which something is specified for every input: where nothing was, it stays as it is and answers nothing. (That is
/// another specification than before, and not a harmless one.)
pub fn enable_input<M: Machine>(
    machine: M,
) -> impl Machine<State = M::State, Input = M::Input, Output = M::Output> {
    let start = machine.start();
    super::stepwise(start, move |state: &M::State, input: &M::Input, next: &mut Next<_, _>| {
        machine.step(state, input, next);
        if !next.is_specified() {
            next.to(state.clone(), []);
        }
    })
}

/// A machine some of whose outputs are not seen. It must list its outputs.
pub fn hide<M: Machine>(
    machine: M,
    is_hidden: impl Fn(&M::Output) -> bool,
) -> impl Machine<State = M::State, Input = M::Input, Output = M::Output> {
    super::stepwise(machine.start(), move |state: &M::State, input: &M::Input, next: &mut Next<_, _>| {
        let mut all = Next::default();
        machine.step(state, input, &mut all);
        for (to, outputs) in all.listed() {
            next.to(to.clone(), outputs.iter().filter(|output| !is_hidden(output)).cloned());
        }
    })
}

/// One of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side<A, B> {
    /// Of the first.
    First(A),
    /// Of the second.
    Second(B),
}

/// Two machines that have nothing to do with each other. They must list their outputs.
pub fn beside<A: Machine, B: Machine>(
    first: A,
    second: B,
) -> impl Machine<
    State = (A::State, B::State),
    Input = Side<A::Input, B::Input>,
    Output = Side<A::Output, B::Output>,
> {
    let start = (first.start(), second.start());
    super::stepwise(
        start,
        move |(one, two): &(A::State, B::State), input: &Side<_, _>, next: &mut Next<_, _>| match input {
            Side::First(input) => {
                let mut ways = Next::default();
                first.step(one, input, &mut ways);
                for (to, outputs) in ways.listed() {
                    next.to((to.clone(), two.clone()), outputs.iter().cloned().map(Side::First));
                }
            }
            Side::Second(input) => {
                let mut ways = Next::default();
                second.step(two, input, &mut ways);
                for (to, outputs) in ways.listed() {
                    next.to((one.clone(), to.clone()), outputs.iter().cloned().map(Side::Second));
                }
            }
        },
    )
}

/// Two machines in a row: the outputs of the first are the inputs of the second, one after the other, and what comes out is what the second
/// answers. Where the second specifies nothing for one of them, nothing is specified. They must list their outputs.
pub fn in_row<A, B>(
    first: A,
    second: B,
) -> impl Machine<State = (A::State, B::State), Input = A::Input, Output = B::Output>
where
    A: Machine,
    B: Machine<Input = A::Output>,
{
    let start = (first.start(), second.start());
    super::stepwise(
        start,
        move |(one, two): &(A::State, B::State), input: &A::Input, next: &mut Next<_, _>| {
            let mut ways = Next::default();
            first.step(one, input, &mut ways);
            for (to, outputs) in ways.listed() {
                let mut reached: Vec<(B::State, Vec<B::Output>)> = vec![(two.clone(), Vec::new())];
                for output in outputs {
                    let mut further = Vec::new();
                    for (state, said) in &reached {
                        let mut ways = Next::default();
                        second.step(state, output, &mut ways);
                        further.extend(
                            ways.listed().map(|(to, more)| (to.clone(), [said.as_slice(), more].concat())),
                        );
                    }
                    reached = further;
                }
                reached.into_iter().for_each(|(two, said)| next.to((to.clone(), two), said));
            }
        },
    )
}
