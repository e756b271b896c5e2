//! Acceptors written by hand, and combined with others.

use crate::acceptor::Acceptor;
use crate::automaton::Truth;
use std::fmt::{self, Debug};

/// A judge of streams: an [`Acceptor`] of a formula, one that is [written by hand](by_hand), or several together.
pub trait Accepts<E> {
    /// Begins anew.
    fn reset(&mut self);

    /// Takes account of an element.
    fn see(&mut self, element: &E);

    /// What the elements so far say.
    fn truth(&mut self) -> Truth;

    /// What it demands, for people.
    fn name(&self) -> String;

    /// Both must accept.
    fn and<T: Accepts<E>>(self, other: T) -> Both<Self, T>
    where
        Self: Sized,
    {
        Both { one: self, two: other, is_and: true }
    }

    /// One of them must.
    fn or<T: Accepts<E>>(self, other: T) -> Both<Self, T>
    where
        Self: Sized,
    {
        Both { one: self, two: other, is_and: false }
    }
}

impl<E: Clone> Accepts<E> for Acceptor<E> {
    fn reset(&mut self) {
        Acceptor::reset(self);
    }

    fn see(&mut self, element: &E) {
        Acceptor::see(self, element);
    }

    fn truth(&mut self) -> Truth {
        Acceptor::truth(self)
    }

    fn name(&self) -> String {
        self.formula().to_string()
    }
}

/// Two judges: see [`Accepts::and`] and [`Accepts::or`].
#[derive(Debug)]
pub struct Both<A, B> {
    one: A,
    two: B,
    is_and: bool,
}

impl<E, A: Accepts<E>, B: Accepts<E>> Accepts<E> for Both<A, B> {
    fn reset(&mut self) {
        self.one.reset();
        self.two.reset();
    }

    fn see(&mut self, element: &E) {
        self.one.see(element);
        self.two.see(element);
    }

    fn truth(&mut self) -> Truth {
        let (one, two) = (self.one.truth(), self.two.truth());
        if self.is_and { one.min(two) } else { one.max(two) }
    }

    fn name(&self) -> String {
        let word = if self.is_and { "and" } else { "or" };
        format!("{} {word} {}", self.one.name(), self.two.name())
    }
}

/// A judge that is written by hand: see [`by_hand`].
pub struct ByHand<S, F> {
    name: String,
    start: S,
    state: S,
    next: F,
    truth: Truth,
}

impl<S: Debug, F> Debug for ByHand<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByHand").field("name", &self.name).field("state", &self.state).finish_non_exhaustive()
    }
}

/// A judge with a state of its own: what each element makes of it, and what that says. Before the first element it is presumably true.
///
/// ```
/// use gainsay_temporal::{Accepts, Truth, by_hand};
///
/// let mut balanced = by_hand("as many closed as opened", 0i32, |open: &mut i32, bracket: &char| {
///     *open += if *bracket == '(' { 1 } else { -1 };
///     match *open {
///         ..0 => Truth::False,
///         0 => Truth::PresumablyTrue,
///         _ => Truth::PresumablyFalse,
///     }
/// });
/// "()(".chars().for_each(|bracket| balanced.see(&bracket));
/// assert_eq!(balanced.truth(), Truth::PresumablyFalse);
/// ```
pub fn by_hand<E, S: Clone, F: FnMut(&mut S, &E) -> Truth>(
    name: impl Into<String>,
    start: S,
    next: F,
) -> ByHand<S, F> {
    ByHand { name: name.into(), state: start.clone(), start, next, truth: Truth::PresumablyTrue }
}

impl<E, S: Clone, F: FnMut(&mut S, &E) -> Truth> Accepts<E> for ByHand<S, F> {
    fn reset(&mut self) {
        (self.state, self.truth) = (self.start.clone(), Truth::PresumablyTrue);
    }

    fn see(&mut self, element: &E) {
        // What is certain stays so.
        if !matches!(self.truth, Truth::True | Truth::False) {
            self.truth = (self.next)(&mut self.state, element);
        }
    }

    fn truth(&mut self) -> Truth {
        self.truth
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
