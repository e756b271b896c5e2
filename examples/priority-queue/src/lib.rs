//! A queue that gives the smallest element first, and can be used after it was initialised.

pub mod mutants;

use gainsay::Arbitrary;
use gainsay::machine::{Machine, Next, stepwise};

/// What is put in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Arbitrary)]
pub enum Input {
    /// From now on it can be used.
    Init,
    /// From now on it cannot.
    Reset,
    /// Puts an element in.
    In(u8),
    /// Takes the smallest element out.
    Out,
    /// How many elements are there?
    Size,
    /// What is their sum?
    Sum,
}

/// What comes out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Output {
    /// An element.
    Element(u8),
    /// A number.
    Number(u32),
}

use Input::{In, Init, Out, Reset, Size, Sum};
use Output::{Element, Number};

/// What is known of the queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum State {
    /// It is not initialised.
    New,
    /// It holds these, the smallest first.
    Queue(Vec<u8>),
}

use State::{New, Queue};

/// What a queue must do.
pub fn specification() -> impl Machine<State = State, Input = Input, Output = Output> {
    stepwise(New, step)
}

/// What comes of an input. (To initialise it twice is not specified.)
pub fn step(state: &State, input: &Input, next: &mut Next<State, Output>) {
    match (state, input) {
        (New, Init) => next.to(Queue(vec![]), []),
        (New, Size | Sum) => next.to(New, [Number(0)]),
        (_, Reset) | (New, In(_) | Out) => next.to(New, []),
        (Queue(_), Init) => {}
        (Queue(queue), In(element)) => {
            let mut queue = queue.clone();
            let place = queue.partition_point(|other| other <= element);
            queue.insert(place, *element);
            next.to(Queue(queue), []);
        }
        (Queue(queue), Out) => match queue.split_first() {
            Some((smallest, rest)) => next.to(Queue(rest.to_vec()), [Element(*smallest)]),
            None => next.to(state.clone(), []),
        },
        (Queue(queue), Size) => next.to(state.clone(), [Number(queue.len() as u32)]),
        (Queue(queue), Sum) => next.to(state.clone(), [Number(queue.iter().copied().map(u32::from).sum())]),
    }
}
