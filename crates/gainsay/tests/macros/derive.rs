//! `derive(Arbitrary)`: kinds of types, parameters, counting.

use gainsay::prelude::*;
use std::fmt::Debug;
use std::marker::PhantomData;

/// Derived values come in the same order from the generator and from the description of its choices.
pub(crate) fn assert_described<T: Indexable + Debug + PartialEq>(cases_max: usize) {
    let mut index = Index::<T>::new();
    let mut count = 0;
    for (n, value) in values::<T>().take(cases_max).enumerate() {
        assert_eq!(index.nth(n as u128).as_ref(), Some(&value), "case {n}");
        count += 1;
    }
    assert!(count > 0);
    if count < cases_max {
        assert_eq!(index.len(), Some(count as u128));
        assert_eq!(index.nth(count as u128), None);
    }
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Named {
    flag: bool,
    digit: u8,
    r#type: (),
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Tuple(u16, Option<bool>);

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Unit;

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct NoFields {}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct EmptyTuple();

#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Kinds {
    Unit,
    Tuple(bool, Unit),
    Named { a: bool, b: NoFields },
    Empty {},
    EmptyTuple(),
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Only {
    Variant(bool),
}

#[test]
fn kinds() {
    assert_described::<Named>(1000);
    assert_described::<Tuple>(300);
    assert_described::<Unit>(10);
    assert_described::<NoFields>(10);
    assert_described::<EmptyTuple>(10);
    assert_described::<Kinds>(100);
    assert_described::<Only>(10);
    assert_eq!(Index::<Named>::new().len(), Some(512));
    assert_eq!(
        values::<Kinds>().collect::<Vec<_>>(),
        [
            Kinds::Unit,
            Kinds::Tuple(false, Unit),
            Kinds::Tuple(true, Unit),
            Kinds::Named { a: false, b: NoFields {} },
            Kinds::Named { a: true, b: NoFields {} },
            Kinds::Empty {},
            Kinds::EmptyTuple(),
        ]
    );
    assert_eq!(nth::<Only>(1), Some(Only::Variant(true)));
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Pair<A, B: Clone = bool>
where
    A: PartialEq,
{
    a: A,
    b: B,
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Either<L, R> {
    Left(L),
    Right { right: R },
    Neither,
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Block<T, const N: usize> {
    cells: [T; N],
    marker: PhantomData<T>,
}

#[test]
fn generic() {
    assert_described::<Pair<u8>>(600);
    assert_described::<Pair<Vec<bool>, Pair<bool>>>(200);
    assert_described::<Either<bool, Either<u8, Unit>>>(300);
    assert_described::<Block<bool, 3>>(10);
    assert_eq!(Index::<Either<bool, bool>>::new().len(), Some(5));
    // The variant that takes no further choice is the simplest.
    assert_eq!(values::<Either<bool, u8>>().next(), Some(Either::Neither));
}

/// In a module where nothing of gainsay is in scope, and much is called like something of the macro's.
mod crowded {
    #![expect(dead_code, reason = "only there to be in the way")]

    pub(crate) struct Case;
    pub(crate) struct Option;
    pub(crate) struct Vec;
    pub(crate) struct Box;
    pub(crate) fn case() {}
    pub(crate) fn grammar() {}
    pub(crate) fn parts() {}

    #[derive(Debug, PartialEq, gainsay::Arbitrary)]
    pub(crate) enum Crowded {
        None,
        Some { case: bool, grammar: u8 },
        Ok(#[with(0..3)] u8),
    }

    #[gainsay::property(cases = 20, seed = 1)]
    #[example(super::crowded::Crowded::None, "x", &[1])]
    fn settings(case: Crowded, s: &str, items: &[u8]) -> bool {
        case != Crowded::Ok(3) && s.len() + items.len() < usize::MAX
    }

    #[gainsay::property(cases = 20, seed = 1)]
    async fn check_property(case: Crowded) -> bool {
        case != Crowded::Ok(3)
    }
}

#[test]
fn hygiene() {
    let ends_in = values::<crowded::Crowded>().take(20).filter(|v| *v == crowded::Crowded::Ok(2)).count();
    assert_eq!(ends_in, 1);
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Account {
    open: bool,
    balance: i64,
    history: Vec<i32>,
}

#[test]
fn a_struct_shrinks_to_what_matters() {
    let settings = || settings().seed(3).without_corpus();
    let verdict = settings().verdict_for_all(|account: Account| !account.open || account.history.len() < 2);
    let shown = verdict.counterexample().map(|c| c.shown());
    assert_eq!(shown.as_deref(), Some("#1 = Account { open: true, balance: 0, history: [0, 0] }"));
    let verdict =
        settings().verdict_for_all(|account: Account| !account.open || account.history.len() < usize::MAX);
    assert!(verdict.is_good(), "{verdict}");
}
