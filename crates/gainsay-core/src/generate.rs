//! Generators and their combinations.
//!
//! A generator is a function from `&mut Case` to a value. Ranges are generators too. The methods of [`Gen`] combine
//! them; everything they do can also be written by hand, as a function that draws and returns.

use crate::arbitrary::Arbitrary;
use crate::case::Case;
use crate::int::Int;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};
use std::panic::Location;

/// Draws values from a case: a function of `&mut Case`, a range of integers, or a combination ([`Gen`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no generator",
    note = "a generator is a range of integers, a function `|case: &mut Case| …`, or a combination of such"
)]
pub trait Generator {
    /// What is drawn.
    type Value;

    /// Draws one value.
    fn generate(&self, case: &mut Case) -> Self::Value;

    /// Whether values are kept to be filled again: see [`Arbitrary::REFILLS`].
    const REFILLS: bool = false;

    /// Draws another value in place of one: see [`Arbitrary::refill`].
    #[inline]
    fn refill(&self, case: &mut Case, value: &mut Self::Value) {
        *value = self.generate(case);
    }
}

/// A generator that can be combined further. Its methods have names that ranges, being iterators, have too: hence a type of its
/// own, made by [`generator`] and by the functions of this crate that make generators.
///
/// ```
/// use gainsay_core::{Case, Generator, generator};
/// let even = generator(0..=50u8).map(|n| 2 * n);
/// assert_eq!(even.generate(&mut Case::random(1, 1)) % 2, 0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Gen<G>(G);

/// Makes a range or a function combinable.
pub fn generator<G: Generator>(generator: G) -> Gen<G> {
    Gen(generator)
}

impl<G: Generator> Generator for Gen<G> {
    type Value = G::Value;

    #[inline(always)]
    fn generate(&self, case: &mut Case) -> G::Value {
        self.0.generate(case)
    }

    const REFILLS: bool = G::REFILLS;

    #[inline(always)]
    fn refill(&self, case: &mut Case, value: &mut G::Value) {
        self.0.refill(case, value);
    }
}

impl<G: Generator> Gen<G> {
    /// Draws a value and applies `f` to it.
    pub fn map<T>(self, f: impl Fn(G::Value) -> T) -> Gen<impl Generator<Value = T>> {
        Gen(move |case: &mut Case| f(self.generate(case)))
    }

    /// Draws until `accept` holds; see [`Case::filter`]. Prefer to construct what you want.
    #[track_caller]
    pub fn filter(self, accept: impl Fn(&G::Value) -> bool) -> Gen<impl Generator<Value = G::Value>> {
        let at = Location::caller();
        Gen(move |case: &mut Case| case.filter_at(at, |case| self.generate(case), &accept))
    }

    /// Draws a value, then from the generator that `f` makes of it.
    pub fn flat_map<H: Generator>(self, f: impl Fn(G::Value) -> H) -> Gen<impl Generator<Value = H::Value>> {
        Gen(move |case: &mut Case| f(self.generate(case)).generate(case))
    }

    /// The same generator behind one type, so that different ones can stand in a list.
    pub fn boxed<'a>(self) -> Boxed<'a, G::Value>
    where
        G: 'a,
    {
        Boxed(Box::new(move |case| self.generate(case)))
    }
}

impl<T, F: Fn(&mut Case) -> T> Generator for F {
    type Value = T;

    #[inline]
    fn generate(&self, case: &mut Case) -> T {
        self(case)
    }
}

impl<G: Generator> Generator for &Gen<G> {
    type Value = G::Value;

    fn generate(&self, case: &mut Case) -> G::Value {
        (**self).generate(case)
    }

    const REFILLS: bool = G::REFILLS;

    fn refill(&self, case: &mut Case, value: &mut G::Value) {
        (**self).refill(case, value);
    }
}

/// A generator whose type is forgotten.
pub struct Boxed<'a, T>(Box<dyn Fn(&mut Case) -> T + 'a>);

impl<T> std::fmt::Debug for Boxed<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Boxed(..)")
    }
}

impl<T> Generator for Boxed<'_, T> {
    type Value = T;

    fn generate(&self, case: &mut Case) -> T {
        (self.0)(case)
    }
}

macro_rules! ranges {
    ($($range:ident),*) => {$(
        impl<T: Int> Generator for $range<T> {
            type Value = T;

            fn generate(&self, case: &mut Case) -> T {
                case.int(self.clone())
            }
        }
    )*};
}

ranges!(Range, RangeInclusive, RangeFrom, RangeToInclusive);

/// Draws any value of its type: see [`any`].
#[derive(Debug, Clone, Copy)]
pub struct Any<T>(PhantomData<fn() -> T>);

/// Any value of `T`.
pub fn any<T: Arbitrary>() -> Gen<Any<T>> {
    Gen(Any(PhantomData))
}

impl<T: Arbitrary> Generator for Any<T> {
    type Value = T;

    #[inline(always)]
    fn generate(&self, case: &mut Case) -> T {
        case.any()
    }

    const REFILLS: bool = T::REFILLS;

    #[inline(always)]
    fn refill(&self, case: &mut Case, value: &mut T) {
        case.refill(value);
    }
}

/// Always the same value.
pub fn just<T: Clone>(value: T) -> Gen<impl Generator<Value = T>> {
    Gen(move |_: &mut Case| value.clone())
}

/// One of the values of a slice; the first is the simplest.
#[track_caller]
pub fn sampled<T: Clone>(values: &[T]) -> Gen<impl Generator<Value = T>> {
    assert!(!values.is_empty(), "there is no value to sample from");
    let values = values.to_vec();
    Gen(move |case: &mut Case| values[case.index(values.len())].clone())
}

/// One of several generators; put the simplest first.
#[track_caller]
pub fn one_of<'a, T: 'a>(alternatives: Vec<Boxed<'a, T>>) -> Gen<impl Generator<Value = T> + 'a> {
    assert!(!alternatives.is_empty(), "there is no alternative to choose from");
    Gen(move |case: &mut Case| {
        case.span("one_of", |case| {
            let chosen = case.index(alternatives.len());
            alternatives[chosen].generate(case)
        })
    })
}

/// One of several generators by weight; put the simplest first.
#[track_caller]
pub fn weighted<'a, T: 'a>(alternatives: Vec<(u32, Boxed<'a, T>)>) -> Gen<impl Generator<Value = T> + 'a> {
    assert!(!alternatives.is_empty(), "there is no alternative to choose from");
    let (weights, generators): (Vec<u32>, Vec<_>) = alternatives.into_iter().unzip();
    Gen(move |case: &mut Case| {
        case.span("weighted", |case| {
            let chosen = case.index_weighted(&weights);
            generators[chosen].generate(case)
        })
    })
}

/// How long a list may be: a number, or a range of numbers.
pub trait Lengths {
    /// The lengths from the shortest to the longest.
    ///
    /// # Panics
    /// If there are none.
    #[track_caller]
    fn lengths(self) -> RangeInclusive<usize>;
}

impl Lengths for usize {
    fn lengths(self) -> RangeInclusive<usize> {
        self..=self
    }
}

macro_rules! lengths {
    ($($range:ident),*) => {$(
        impl Lengths for $range<usize> {
            #[track_caller]
            fn lengths(self) -> RangeInclusive<usize> {
                let (low, high) = (self.start_bound().cloned(), self.end_bound().cloned());
                let shortest = if let Bound::Included(low) = low { low } else { 0 };
                let longest = match high {
                    Bound::Included(high) => Some(high),
                    Bound::Excluded(high) => high.checked_sub(1),
                    Bound::Unbounded => Some(usize::MAX),
                };
                match longest {
                    Some(longest) if shortest <= longest => shortest..=longest,
                    _ => panic!("no list has a length in {self:?}: the range is empty"),
                }
            }
        }
    )*};
}

lengths!(Range, RangeInclusive, RangeFrom, RangeTo, RangeToInclusive);

/// Draws lists of any elements of their type: see [`list_of`].
#[derive(Debug, Clone)]
pub struct ListOf<T> {
    len: RangeInclusive<usize>,
    items: PhantomData<fn() -> T>,
}

/// A list of any elements of their type, with a length in `len`: like [`vec_of`] with [`any`], and faster.
///
/// # Panics
/// If there is no such length.
#[track_caller]
pub fn list_of<T: Arbitrary>(len: impl Lengths) -> Gen<ListOf<T>> {
    Gen(ListOf { len: len.lengths(), items: PhantomData })
}

impl<T: Arbitrary> Generator for ListOf<T> {
    type Value = Vec<T>;

    #[inline]
    fn generate(&self, case: &mut Case) -> Vec<T> {
        case.list(self.len.clone())
    }

    const REFILLS: bool = Vec::<T>::REFILLS;

    #[inline]
    fn refill(&self, case: &mut Case, list: &mut Vec<T>) {
        case.refill_list(list, self.len.clone());
    }
}

/// A list with a length in `len`: `3`, `0..3`, `1..=3`.
///
/// ```
/// use gainsay_core::{Case, Generator, vec_of};
/// assert_eq!(vec_of(3, 0..=9u8).generate(&mut Case::random(1, 1)).len(), 3);
/// assert!(vec_of(0..3, 0..=9u8).generate(&mut Case::random(1, 1)).len() < 3);
/// ```
///
/// # Panics
/// If there is no such length.
#[track_caller]
pub fn vec_of<G: Generator, L: Lengths>(
    len: L,
    item: G,
) -> Gen<impl Generator<Value = Vec<G::Value>> + use<G, L>> {
    let len = len.lengths();
    Gen(move |case: &mut Case| case.vec(len.clone(), |case| item.generate(case)))
}

/// Some value or none, none being simpler.
pub fn option_of<G: Generator>(item: G) -> Gen<impl Generator<Value = Option<G::Value>>> {
    Gen(move |case: &mut Case| {
        case.span("option", |case| case.flag_weighted(3, 1).then(|| item.generate(case)))
    })
}

/// A generator that depends on the size of the case.
pub fn sized<G: Generator, F: Fn(u32) -> G>(f: F) -> Gen<impl Generator<Value = G::Value>> {
    Gen(move |case: &mut Case| f(case.size()).generate(case))
}

/// What makes a larger value of smaller ones.
type Node<'a, T> = dyn Fn(&mut Case, &dyn Fn(&mut Case) -> T) -> T + 'a;

/// A recursive value: `leaf`, or what `node` makes of smaller ones, at most `depth_max` deep.
///
/// ```
/// use gainsay_core::{Case, Generator, recursive};
/// #[derive(Debug)]
/// enum Tree { Leaf(u8), Fork(Box<Tree>, Box<Tree>) }
/// let trees = recursive(
///     5,
///     |case: &mut Case| Tree::Leaf(case.any()),
///     |case, smaller| Tree::Fork(Box::new(smaller(case)), Box::new(smaller(case))),
/// );
/// println!("{:?}", trees.generate(&mut Case::random(1, 1)));
/// ```
pub fn recursive<T>(
    depth_max: u32,
    leaf: impl Fn(&mut Case) -> T,
    node: impl Fn(&mut Case, &dyn Fn(&mut Case) -> T) -> T,
) -> Gen<impl Generator<Value = T>> {
    fn draw<T>(case: &mut Case, depth: u32, leaf: &dyn Fn(&mut Case) -> T, node: &Node<'_, T>) -> T {
        case.span("recursive", |case| {
            if depth > 0 && case.flag_growing() {
                node(case, &|case| draw(case, depth - 1, leaf, node))
            } else {
                leaf(case)
            }
        })
    }
    Gen(move |case: &mut Case| draw(case, depth_max, &leaf, &node))
}

/// The elements of a slice in some order; the given order is the simplest.
pub fn permutation<T: Clone>(values: &[T]) -> Gen<impl Generator<Value = Vec<T>>> {
    let values = values.to_vec();
    Gen(move |case: &mut Case| {
        let mut values = values.clone();
        case.span("permutation", |case| {
            for i in 0..values.len().saturating_sub(1) {
                let j = i + case.int(0..=values.len() - 1 - i);
                // Rotating keeps the order of the others, so that small numbers mean few changes.
                values[i..=j].rotate_right(1);
            }
        });
        values
    })
}

/// Some of the elements of a slice, in order; none is the simplest.
pub fn subset<T: Clone>(values: &[T]) -> Gen<impl Generator<Value = Vec<T>>> {
    let values = values.to_vec();
    Gen(move |case: &mut Case| {
        case.span("subset", |case| values.iter().filter(|_| case.flag()).cloned().collect())
    })
}
