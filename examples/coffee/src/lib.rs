//! Five machines that sell coffee for ten cents.

use gainsay::machine::{Machine, machine};

/// What goes in, and what comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Io {
    /// Five cents.
    Nickel,
    /// Ten cents.
    Dime,
    /// Somebody wants coffee.
    Button,
    /// And gets it.
    Coffee,
}

use Io::{Button, Coffee, Dime, Nickel};

/// What goes in.
pub const INPUTS: [Io; 3] = [Nickel, Dime, Button];

/// A machine that sells coffee: its state is the money that it was given, in cents.
pub trait Seller: Machine<State = u32, Input = Io, Output = Io> {}

impl<M: Machine<State = u32, Input = Io, Output = Io>> Seller for M {}

/// Nothing is said of what makes no sense.
pub fn c0() -> impl Seller {
    machine(0, |cents: &u32, input: &Io| match (cents, input) {
        (0, Nickel) => Some((5, vec![])),
        (0, Dime) | (5, Nickel) => Some((10, vec![])),
        (10, Button) => Some((0, vec![Coffee])),
        _ => None,
    })
}

/// The same, but the button may do nothing.
pub fn c1() -> impl Seller {
    machine(0, |cents: &u32, input: &Io| match (cents, input) {
        (0, Nickel) => vec![(5, vec![])],
        (0, Dime) | (5, Nickel) => vec![(10, vec![])],
        (10, Button) => vec![(0, vec![Coffee]), (10, vec![])],
        _ => vec![],
    })
}

/// What makes no sense changes nothing: the money is kept.
pub fn c2() -> impl Seller {
    machine(0, |cents: &u32, input: &Io| match (cents, input) {
        (0, Nickel) => [(5, vec![])],
        (0, Dime) | (5, Nickel) => [(10, vec![])],
        (10, Button) => [(0, vec![Coffee])],
        _ => [(*cents, vec![])],
    })
}

/// Money that is too much is given back.
pub fn c3() -> impl Seller {
    machine(0, |cents: &u32, input: &Io| match (cents, input) {
        (0, Nickel) => [(5, vec![])],
        (0, Dime) | (5, Nickel) => [(10, vec![])],
        (5 | 10, Dime) => [(*cents, vec![Dime])],
        (10, Nickel) => [(10, vec![Nickel])],
        (10, Button) => [(0, vec![Coffee])],
        _ => [(*cents, vec![])],
    })
}

/// All money is kept for the next coffee.
pub fn c4() -> impl Seller {
    machine(0, |cents: &u32, input: &Io| match input {
        Nickel => [(cents + 5, vec![])],
        Dime => [(cents + 10, vec![])],
        Button if *cents >= 10 => [(cents - 10, vec![Coffee])],
        _ => [(*cents, vec![])],
    })
}

/// What something is worth, in cents.
pub fn value(things: &[Io]) -> u32 {
    let worth = |thing: &Io| match thing {
        Nickel => 5,
        Dime | Coffee => 10,
        Button => 0,
    };
    things.iter().map(worth).sum()
}
