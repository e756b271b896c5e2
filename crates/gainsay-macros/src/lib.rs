//! The macros of gainsay: `#[property]`, `#[mock]` and `#[derive(Arbitrary)]`.
//!
//! They read, check and emit calls of `::gainsay::…`; all that happens at run time is in `gainsay-core`. Each macro is a
//! pipeline: its input is parsed into a small description, in which every mistake is found that can be found, and
//! the description is written out again. Use them through the crate `gainsay`. Who depends on it under another name says so:
//! `#[property(crate = gs)]`, `#[mock(crate = gs)]`, `#[arbitrary(crate = gs)]` below `#[derive(Arbitrary)]`.

mod attributes;
mod derive;
mod hygiene;
mod mistakes;
mod mock;
mod property;
mod renamed;

use proc_macro::TokenStream;

/// Makes a test of a function: it must hold for all values of its arguments.
///
/// ```
/// use gainsay::prelude::*;
///
/// /// Reversing twice changes nothing.
/// #[property(cases = 500)]
/// #[example("")]
/// #[example("ab")]
/// fn reversing_twice_is_no_change(s: &str) -> bool {
///     let back: String = s.chars().rev().collect();
///     back.chars().rev().eq(s.chars())
/// }
/// ```
///
/// The result is an ordinary `#[test]` of the same name; its other attributes (`#[should_panic]`, `#[ignore]`, `#[cfg]`) stay.
///
/// # Arguments
/// - `x: T`, `mut x: T`, `x: &T`, `x: &mut T`: a `T` that is drawn by its `Arbitrary`; it must be `Debug`, to be shown.
/// - `s: &str` draws a `String`, `s: &[T]` a `Vec<T>`.
/// - `#[with(generator)] x: T`: drawn by a generator, such as a range, a function of `&mut Case`, or an expression like
///   `vec_of(1..=3, 0..10)`. The expression may use the arguments before it: `n: usize, #[with(0..=n)] i: usize`. A borrowed
///   argument needs a generator of what is borrowed: of a `String` for `&str`.
/// - `_: T` and patterns, such as `(a, b): (u8, u8)`: drawn all the same; a pattern is shown as it is written, `_` by its number.
///   Generators of later arguments do not see the parts of a pattern.
/// - `case: &mut Case`, first: the case itself, to draw more from and to talk to (`assume`, `classify`, `note`).
///
/// # What a property says
/// Anything that is a `Claim`: `bool`, `()` (it holds unless it panics), `Result`, `Property`. An `async fn` runs on the
/// built-in executor, which knows no timers and no sockets.
///
/// # Settings
/// `#[property(cases = 500, seed = 7, threads = 2, time_ms = 2000, statistics, isolate)]`, and at most one of `exhaustive`,
/// `exhaustive_up_to = 12`, `random_only`. A value may be any expression. The environment goes before what stands here.
/// `crate = gs`, first, tells the name under which the crate depends on gainsay, if it is another one.
///
/// # Examples
/// `#[example(value, value)]` below `#[property]`, any number of times: given values, tried before all others; one for each
/// argument but the case. For a borrowed argument the value is borrowed, and a string literal becomes what the argument needs.
/// If an example fails, it is shown as written and not shrunk.
///
/// # Limits
/// A property has no type parameters and no lifetimes. Only up to twelve arguments can be
/// recognised as having few values, which are then tried completely.
///
/// # Examples of documentation
/// Tests in an example are not collected, so a property is checked there where it stands. It is a statement, that is, it
/// stands inside of `main`. One with `#[ignore]` or `#[should_panic]` is not checked there.
///
/// ```should_panic
/// # use gainsay::prelude::*;
/// #[property(seed = 1)]
/// fn all_are_small(number: u32) -> bool {
///     number < 1000
/// }
/// ```
#[proc_macro_attribute]
pub fn property(settings: TokenStream, function: TokenStream) -> TokenStream {
    property::expand(settings.into(), function.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a mock and a spy of a trait, for models whose operations make calls.
///
/// ```
/// use gainsay::callout::{call, seq};
/// use gainsay::mock;
/// use gainsay::mock::expect;
///
/// #[mock]
/// trait Store {
///     fn open(&mut self, name: &str) -> u32;
///     fn write(&mut self, file: u32, text: &[u8]) -> bool;
/// }
///
/// fn save(store: &mut impl Store) -> bool {
///     let file = store.open("notes");
///     store.write(file, b"hello")
/// }
///
/// let expected = seq([
///     call(MockStore::OPEN).given(("notes".into(),)).returns(7).into(),
///     call(MockStore::WRITE).with(|(file, _)| *file == 7).returns(true).into(),
/// ]);
/// assert!(expect(expected, || save(&mut MockStore::new())));
/// ```
///
/// For a trait `Store` there is `MockStore`, with a constant for each method that specifications are made of, and `SpyStore`, which passes
/// calls on to a real one. Methods with a body keep it.
///
/// # Arguments and results
/// A specification sees the arguments of a call as a tuple of owned values: of `&str` a `String`, of `&[T]` a `Vec<T>`, of `&T` and
/// `&mut T` a `T`. They must be `Clone`, `Debug`, `Send` and `'static`, and so must what is returned. What is lent by `&mut` gets the
/// value that the answer gives it. Methods may be `async`.
///
/// # Limits
/// Refused, with the reason: generic methods, methods without `self`, methods that return something borrowed, associated types, and
/// traits with lifetimes.
#[proc_macro_attribute]
pub fn mock(settings: TokenStream, item: TokenStream) -> TokenStream {
    mock::expand(settings.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Generates the values of a struct or an enum, and counts them.
///
/// ```
/// use gainsay::prelude::*;
///
/// #[derive(Debug, Arbitrary)]
/// enum Shape {
///     Group(Vec<Shape>),
///     #[weight(3)]
///     Circle { radius: u32 },
///     Span {
///         low: u8,
///         #[with(low..)]
///         high: u8,
///     },
/// }
///
/// settings().without_corpus().for_all(|shape: Shape| match shape {
///     Shape::Span { low, high } => low <= high,
///     _ => true,
/// });
/// ```
///
/// Recursive types need no care: the simplest variant is one that ends, wherever it stands, and random values end in time.
///
/// # Attributes
/// - `#[weight(n)]` on a variant: how often it is drawn at random, in relation to the others; 1 if nothing is said. With 0 it
///   comes only where all values are enumerated, or where nothing else would end a recursion.
/// - `#[arbitrary(crate = gs)]` on the type: gainsay is known under this name here.
/// - `#[with(generator)]` on a field: drawn by a generator instead of the `Arbitrary` of its type. The expression may use the named
///   fields before it. Such a type is generated and enumerated, but cannot be indexed: it is not `Indexable`. A generator that
///   draws the type itself must see to it that this ends.
///
/// # Limits
/// Every type parameter must be `Arbitrary` (and `Indexable` where the type shall be). Lifetimes are refused: a drawn value owns
/// what it holds. A struct that always contains itself has no finite value, and drawing it does not end. `Indexable` is derived
/// without looking into the fields: a type with a set, a map or anything else that is not `Indexable` in it has no n-th value either,
/// and asking for one panics.
#[proc_macro_derive(Arbitrary, attributes(with, weight, arbitrary))]
pub fn derive_arbitrary(item: TokenStream) -> TokenStream {
    derive::expand(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
