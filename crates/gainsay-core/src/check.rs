//! Entry points: from a closure to a verdict.
//!
//! There are two kinds of properties. One takes the case and draws while it runs: [`check`]. One takes typed arguments, drawn
//! completely before it runs: [`for_all`]. Prefer the second where you can: a case that the shrinker has seen before is then recognised
//! without running the property, so that shrinking needs about half as many evaluations.

use crate::arbitrary::Arbitrary;
use crate::case::Case;
use crate::error::Error;
use crate::generate::{Generator, any};
use crate::lab::Subject;
use crate::logic::Claim;
use crate::outcome::{Outcome, Status};
use crate::run::{self, About};
use crate::settings::{Mode, Settings};
use crate::space::Grammar;
use crate::verdict::{Report, Verdict};
use std::fmt::Debug;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

/// Checks a property that draws from the case; panics with the report if it does not hold.
///
/// ```
/// gainsay_core::check(|case| {
///     let mut items = case.vec(0..=20, |case| case.int(0..=99u8));
///     items.sort();
///     assert!(items.is_sorted());
/// });
/// ```
#[track_caller]
pub fn check<C: Claim>(property: impl FnMut(&mut Case) -> C) {
    Settings::new().check(property);
}

/// The verdict on a property that draws from the case.
#[track_caller]
pub fn verdict<C: Claim>(property: impl FnMut(&mut Case) -> C) -> Verdict {
    Settings::new().verdict(property)
}

/// Checks a property for all values of its arguments; panics with the report if it does not hold.
///
/// ```
/// gainsay_core::for_all(|a: u32, b: u32| a.max(b) >= a);
/// ```
#[track_caller]
pub fn for_all<A, P: Quantified<A>>(property: P) {
    Settings::new().for_all(property);
}

/// The verdict on a property of typed arguments.
#[track_caller]
pub fn verdict_for_all<A, P: Quantified<A>>(property: P) -> Verdict {
    Settings::new().verdict_for_all(property)
}

/// Checks a property for every value of its arguments, small to large, until there is no more or a limit is met.
#[track_caller]
pub fn check_exhaustive<A, P: Quantified<A>>(property: P) {
    Settings::new().exhaustive().for_all(property);
}

/// The verdict on a property for every value of its arguments.
///
/// ```
/// let verdict = gainsay_core::verdict_exhaustive(|a: bool, b: bool| (a || b) == (b || a));
/// assert_eq!(verdict.to_string(), "proved: all 4 cases");
/// ```
#[track_caller]
pub fn verdict_exhaustive<A, P: Quantified<A>>(property: P) -> Verdict {
    Settings::new().exhaustive().verdict_for_all(property)
}

/// Checks a property for all values that a generator draws; panics with the report if it does not hold.
///
/// ```
/// use gainsay_core::{Case, check_with};
/// check_with(|case: &mut Case| case.vec(1..=9, |case| case.int(1..=6u8)), |dice| dice.iter().sum::<u8>() <= 54);
/// ```
#[track_caller]
pub fn check_with<G: Generator<Value: Debug>, C: Claim>(generator: G, property: impl FnMut(G::Value) -> C) {
    Settings::new().check_with(generator, property);
}

/// The verdict on a property for all values that a generator draws.
#[track_caller]
pub fn verdict_with<G: Generator<Value: Debug>, C: Claim>(
    generator: G,
    property: impl FnMut(G::Value) -> C,
) -> Verdict {
    Settings::new().verdict_with(generator, property)
}

/// Checks a property for given values, in order.
///
/// ```
/// gainsay_core::check_each([1u32, 10, 100], |n| n.to_string().starts_with('1'));
/// ```
#[track_caller]
pub fn check_each<T: Clone + Debug, C: Claim>(
    values: impl IntoIterator<Item = T>,
    property: impl FnMut(T) -> C,
) {
    Settings::new().check_each(values, property);
}

/// The verdict on a property for given values, in order: proved over them if the list ended.
#[track_caller]
pub fn verdict_each<T: Clone + Debug, C: Claim>(
    values: impl IntoIterator<Item = T>,
    property: impl FnMut(T) -> C,
) -> Verdict {
    Settings::new().verdict_each(values, property)
}

impl Settings {
    /// Checks a property that draws from the case; panics with the report if it does not hold.
    #[track_caller]
    pub fn check<C: Claim>(self, property: impl FnMut(&mut Case) -> C) {
        finish(self.checked().report(property));
    }

    /// The verdict on a property that draws from the case.
    #[track_caller]
    pub fn verdict<C: Claim>(self, property: impl FnMut(&mut Case) -> C) -> Verdict {
        expect(self.report(property)).verdict
    }

    /// The report on a property that draws from the case.
    ///
    /// # Errors
    /// If the settings or the environment make no sense.
    #[track_caller]
    pub fn report<P: FnMut(&mut Case) -> C, C: Claim>(self, mut property: P) -> Result<Report, Error> {
        let about = about::<P>(None);
        run::run(self, Subject::One(&mut |case| property(case).outcome()), about)
    }

    /// What is known of a test that a room of the house has made: it is called so, unless the settings say otherwise.
    #[track_caller]
    fn about_outcomes(&mut self, name: &str) -> About {
        let given = self.name.take();
        let unique = given.is_some();
        let name = given.unwrap_or_else(|| name.to_string());
        About { name, at: Location::caller(), cardinality: None, unique, named_by_kind: !unique }
    }

    /// The report on what a room of the house has made of a specification: the runner knows it as a function from cases to
    /// outcomes. `name` is the identity of the test unless the settings have one.
    #[doc(hidden)]
    #[track_caller]
    pub fn report_outcomes(
        mut self,
        name: &str,
        property: &mut dyn FnMut(&mut Case) -> Outcome,
    ) -> Result<Report, Error> {
        let about = self.about_outcomes(name);
        run::run(self, Subject::One(property), about)
    }

    /// Like [`report_outcomes`](Settings::report_outcomes), on so many threads.
    #[doc(hidden)]
    #[track_caller]
    pub fn report_outcomes_shared(
        mut self,
        name: &str,
        threads: usize,
        property: &(dyn Fn(&mut Case) -> Outcome + Sync),
    ) -> Result<Report, Error> {
        self.threads = threads.max(1);
        let about = self.about_outcomes(name);
        run::run(self, Subject::Shared(property), about)
    }

    /// Like [`report_outcomes`](Settings::report_outcomes), on cases that `write` writes, as the numbers of all their choices, until there
    /// are no more. If none of them fails, that is a proof of as much as they are.
    #[doc(hidden)]
    #[track_caller]
    pub fn report_scripts(
        mut self,
        name: &str,
        write: &mut dyn FnMut(&mut Vec<u64>) -> bool,
        property: &mut dyn FnMut(&mut Case) -> Outcome,
    ) -> Result<Report, Error> {
        let about = self.about_outcomes(name);
        run::run(self, Subject::Scripted(property, write), about)
    }

    /// Checks a property for all values of its arguments; panics with the report if it does not hold.
    #[track_caller]
    pub fn for_all<A, P: Quantified<A>>(self, property: P) {
        finish(self.checked().report_for_all(property));
    }

    /// The verdict on a property of typed arguments.
    #[track_caller]
    pub fn verdict_for_all<A, P: Quantified<A>>(self, property: P) -> Verdict {
        expect(self.report_for_all(property)).verdict
    }

    /// The report on a property of typed arguments.
    ///
    /// # Errors
    /// If the settings or the environment make no sense.
    #[track_caller]
    pub fn report_for_all<A, P: Quantified<A>>(self, mut property: P) -> Result<Report, Error> {
        let about = about::<P>(if self.terms.overrides.is_some() { None } else { P::cardinality() });
        run::run(self, Subject::One(&mut |case| property.judge(case)), about)
    }

    /// Checks a property for all values that a generator draws; panics with the report if it does not hold.
    #[track_caller]
    pub fn check_with<G: Generator<Value: Debug>, C: Claim>(
        self,
        generator: G,
        property: impl FnMut(G::Value) -> C,
    ) {
        finish(self.checked().report_with(generator, property));
    }

    /// The verdict on a property for all values that a generator draws.
    #[track_caller]
    pub fn verdict_with<G: Generator<Value: Debug>, C: Claim>(
        self,
        generator: G,
        property: impl FnMut(G::Value) -> C,
    ) -> Verdict {
        expect(self.report_with(generator, property)).verdict
    }

    /// The report on a property for all values that a generator draws.
    ///
    /// # Errors
    /// If the settings or the environment make no sense.
    #[track_caller]
    pub fn report_with<G: Generator<Value: Debug>, P: FnMut(G::Value) -> C, C: Claim>(
        self,
        generator: G,
        mut property: P,
    ) -> Result<Report, Error> {
        let about = about::<P>(None);
        let mut judge = |case: &mut Case| {
            loop {
                let value = case.argument("value", |case: &mut Case| generator.generate(case));
                let outcome = match case.ready() {
                    true => property(value).outcome(),
                    false => Outcome::of(Status::Unjudged),
                };
                if !case.go_on(&outcome) {
                    return outcome;
                }
            }
        };
        run::run(self, Subject::One(&mut judge), about)
    }

    /// Checks a property that looks at the values that a generator draws. Like [`check_with`](Settings::check_with), but the values
    /// stay with the engine, which draws each into the memory of the one before.
    ///
    /// ```
    /// use gainsay_core::{list_of, settings};
    /// settings().exhaustive().check_ref(list_of::<bool>(0..=8), |flags| flags.len() <= 8);
    /// ```
    #[track_caller]
    pub fn check_ref<G: Generator<Value: Debug>, C: Claim>(
        self,
        generator: G,
        property: impl FnMut(&G::Value) -> C,
    ) {
        finish(self.checked().report_ref(generator, property));
    }

    /// The verdict on a property that looks at the values that a generator draws.
    #[track_caller]
    pub fn verdict_ref<G: Generator<Value: Debug>, C: Claim>(
        self,
        generator: G,
        property: impl FnMut(&G::Value) -> C,
    ) -> Verdict {
        expect(self.report_ref(generator, property)).verdict
    }

    /// The report on a property that looks at the values that a generator draws.
    ///
    /// # Errors
    /// If the settings or the environment make no sense.
    #[track_caller]
    pub fn report_ref<G: Generator<Value: Debug>, P: FnMut(&G::Value) -> C, C: Claim>(
        self,
        generator: G,
        mut property: P,
    ) -> Result<Report, Error> {
        let about = about::<P>(None);
        let mut judge = |case: &mut Case| {
            let mut kept = None;
            loop {
                let value = case.argument_again("value", &mut kept, &generator);
                let outcome = match case.ready() {
                    true => property(value).outcome(),
                    false => Outcome::of(Status::Unjudged),
                };
                Case::let_go(&mut kept, &generator);
                if !case.go_on(&outcome) {
                    return outcome;
                }
            }
        };
        run::run(self, Subject::One(&mut judge), about)
    }

    /// Checks a property for given values, in order.
    #[track_caller]
    pub fn check_each<T: Clone + Debug, C: Claim>(
        self,
        values: impl IntoIterator<Item = T>,
        property: impl FnMut(T) -> C,
    ) {
        finish(self.checked().report_each(values, property));
    }

    /// The verdict on a property for given values, in order: proved over them if the list ended.
    #[track_caller]
    pub fn verdict_each<T: Clone + Debug, C: Claim>(
        self,
        values: impl IntoIterator<Item = T>,
        property: impl FnMut(T) -> C,
    ) -> Verdict {
        expect(self.report_each(values, property)).verdict
    }

    /// The report on a property for given values. Of an endless list, as many are taken as there are cases.
    ///
    /// # Errors
    /// If the settings or the environment make no sense.
    #[track_caller]
    pub fn report_each<T: Clone + Debug, P: FnMut(T) -> C, C: Claim>(
        mut self,
        values: impl IntoIterator<Item = T>,
        mut property: P,
    ) -> Result<Report, Error> {
        let about = about::<P>(None);
        let mut values = values.into_iter();
        // A list that says so is endless; one that does not end after very many is taken to be.
        let endless = values.size_hint().0 == usize::MAX;
        let most = if endless { self.limits.cases_max } else { GIVEN_MAX };
        let mut taken: Vec<T> = values.by_ref().take(usize::try_from(most).unwrap_or(usize::MAX)).collect();
        let ended = values.next().is_none();
        if !ended && values.size_hint().1.is_none() {
            taken.truncate(usize::try_from(self.limits.cases_max).unwrap_or(usize::MAX));
        }
        self.mode = Mode::Given { ended };
        let about = About { cardinality: Some(taken.len() as u128), ..about };
        let mut judge = |case: &mut Case| {
            if taken.is_empty() {
                return Outcome::of(Status::Rejected);
            }
            let value = case.argument("value", |case: &mut Case| taken[case.index(taken.len())].clone());
            if case.ready() { property(value).outcome() } else { Outcome::of(Status::Unjudged) }
        };
        run::run(self, Subject::One(&mut judge), about)
    }

    /// Checks an asynchronous property that draws from the case, with the built-in executor.
    ///
    /// ```
    /// gainsay_core::settings().check_async(async |case: &mut gainsay_core::Case| {
    ///     let n = case.int(0..=9u8);
    ///     std::future::ready(n).await <= 9
    /// });
    /// ```
    #[track_caller]
    pub fn check_async<C: Claim>(self, property: impl AsyncFnMut(&mut Case) -> C) {
        self.executor(block_on).check_async(property);
    }

    /// Runs asynchronous properties with an executor of your own, such as `|future| runtime.block_on(future)`.
    pub fn executor<E: FnMut(Pin<Box<dyn Future<Output = Outcome> + '_>>) -> Outcome>(
        self,
        executor: E,
    ) -> Async<E> {
        Async { settings: self, executor }
    }

    /// Runs cases on several threads; properties must be `Fn + Sync`. The answer is the same for every number of threads.
    ///
    /// ```
    /// gainsay_core::settings().threads(2).for_all(|n: u64| n.count_ones() <= 64);
    /// ```
    pub fn threads(mut self, threads: usize) -> Threaded {
        self.threads = threads.max(1);
        Threaded { settings: self }
    }
}

/// Settings for asynchronous properties: see [`Settings::executor`].
#[derive(Debug)]
pub struct Async<E> {
    settings: Settings,
    executor: E,
}

impl<E: FnMut(Pin<Box<dyn Future<Output = Outcome> + '_>>) -> Outcome> Async<E> {
    fn checked(mut self) -> Async<E> {
        self.settings = self.settings.checked();
        self
    }

    /// Checks an asynchronous property; panics with the report if it does not hold.
    #[track_caller]
    pub fn check_async<C: Claim>(self, property: impl AsyncFnMut(&mut Case) -> C) {
        finish(self.checked().report_async(property));
    }

    /// The verdict on an asynchronous property.
    #[track_caller]
    pub fn verdict_async<C: Claim>(self, property: impl AsyncFnMut(&mut Case) -> C) -> Verdict {
        expect(self.report_async(property)).verdict
    }

    /// The report on an asynchronous property.
    ///
    /// # Errors
    /// If the settings or the environment make no sense.
    #[track_caller]
    pub fn report_async<P: AsyncFnMut(&mut Case) -> C, C: Claim>(
        self,
        mut property: P,
    ) -> Result<Report, Error> {
        let about = about::<P>(None);
        let Async { settings, mut executor } = self;
        let mut judge = |case: &mut Case| {
            let property = &mut property;
            executor(Box::pin(async move { property(case).await.outcome() }))
        };
        run::run(settings, Subject::One(&mut judge), about)
    }
}

/// Settings for properties that run on several threads: see [`Settings::threads`].
#[derive(Debug)]
pub struct Threaded {
    pub(crate) settings: Settings,
}

impl Threaded {
    fn checked(mut self) -> Threaded {
        self.settings = self.settings.checked();
        self
    }

    /// Checks a property that draws from the case; panics with the report if it does not hold.
    #[track_caller]
    pub fn check<C: Claim>(self, property: impl Fn(&mut Case) -> C + Sync) {
        finish(self.checked().report(property));
    }

    /// The verdict on a property that draws from the case.
    #[track_caller]
    pub fn verdict<C: Claim>(self, property: impl Fn(&mut Case) -> C + Sync) -> Verdict {
        expect(self.report(property)).verdict
    }

    /// The report on a property that draws from the case.
    ///
    /// # Errors
    /// If the settings or the environment make no sense.
    #[track_caller]
    pub fn report<P: Fn(&mut Case) -> C + Sync, C: Claim>(self, property: P) -> Result<Report, Error> {
        let about = about::<P>(None);
        run::run(self.settings, Subject::Shared(&|case| property(case).outcome()), about)
    }

    /// Checks a property for all values of its arguments; panics with the report if it does not hold.
    #[track_caller]
    pub fn for_all<A, P: QuantifiedSync<A>>(self, property: P) {
        finish(self.checked().report_for_all(property));
    }

    /// The verdict on a property of typed arguments.
    #[track_caller]
    pub fn verdict_for_all<A, P: QuantifiedSync<A>>(self, property: P) -> Verdict {
        expect(self.report_for_all(property)).verdict
    }

    /// The report on a property of typed arguments.
    ///
    /// # Errors
    /// If the settings or the environment make no sense.
    #[track_caller]
    pub fn report_for_all<A, P: QuantifiedSync<A>>(self, property: P) -> Result<Report, Error> {
        let about =
            about::<P>(if self.settings.terms.overrides.is_some() { None } else { P::cardinality_sync() });
        run::run(self.settings, Subject::Shared(&|case| property.judge_sync(case)), about)
    }
}

/// How many given values are judged.
const GIVEN_MAX: u64 = 1_000_000;

/// A closure of typed arguments: `|a: A, b: B| …`. Implemented for up to twelve.
pub trait Quantified<A> {
    /// Draws the arguments and, if the engine wants it, runs the property.
    #[doc(hidden)]
    fn judge(&mut self, case: &mut Case) -> Outcome;
    /// How many cases there are, if known.
    #[doc(hidden)]
    fn cardinality() -> Option<u128>;
}

/// A closure of typed arguments that can run on several threads.
pub trait QuantifiedSync<A>: Sync {
    /// Draws the arguments and, if the engine wants it, runs the property.
    #[doc(hidden)]
    fn judge_sync(&self, case: &mut Case) -> Outcome;
    /// How many cases there are, if known.
    #[doc(hidden)]
    fn cardinality_sync() -> Option<u128>;
}

macro_rules! quantified {
    ($(($($type:ident $value:ident $name:literal),+))*) => {$(
        impl<$($type: Arbitrary + Debug,)+ C: Claim, P: FnMut($($type),+) -> C> Quantified<($($type,)+)> for P {
            #[inline]
            fn judge(&mut self, case: &mut Case) -> Outcome {
                loop {
                    $(let $value = case.argument($name, any::<$type>());)+
                    let outcome = match case.ready() {
                        true => self($($value),+).outcome(),
                        false => Outcome::of(Status::Unjudged),
                    };
                    if !case.go_on(&outcome) {
                        return outcome;
                    }
                }
            }

            fn cardinality() -> Option<u128> {
                cardinality::<($($type,)+)>()
            }
        }

        impl<$($type: Arbitrary + Debug,)+ C: Claim, P: Fn($($type),+) -> C + Sync> QuantifiedSync<($($type,)+)> for P {
            #[inline]
            fn judge_sync(&self, case: &mut Case) -> Outcome {
                let mut property = self;
                property.judge(case)
            }

            fn cardinality_sync() -> Option<u128> {
                cardinality::<($($type,)+)>()
            }
        }
    )*};
}

quantified! {
    (A a "#1")
    (A a "#1", B b "#2")
    (A a "#1", B b "#2", D d "#3")
    (A a "#1", B b "#2", D d "#3", E e "#4")
    (A a "#1", B b "#2", D d "#3", E e "#4", F f "#5")
    (A a "#1", B b "#2", D d "#3", E e "#4", F f "#5", G g "#6")
    (A a "#1", B b "#2", D d "#3", E e "#4", F f "#5", G g "#6", H h "#7")
    (A a "#1", B b "#2", D d "#3", E e "#4", F f "#5", G g "#6", H h "#7", I i "#8")
    (A a "#1", B b "#2", D d "#3", E e "#4", F f "#5", G g "#6", H h "#7", I i "#8", J j "#9")
    (A a "#1", B b "#2", D d "#3", E e "#4", F f "#5", G g "#6", H h "#7", I i "#8", J j "#9", K k "#10")
    (A a "#1", B b "#2", D d "#3", E e "#4", F f "#5", G g "#6", H h "#7", I i "#8", J j "#9", K k "#10", L l "#11")
    (A a "#1", B b "#2", D d "#3", E e "#4", F f "#5", G g "#6", H h "#7", I i "#8", J j "#9", K k "#10", L l "#11", M m "#12")
}

/// How many values a type has, if that is known and finite.
#[doc(hidden)]
pub fn cardinality<T: Arbitrary>() -> Option<u128> {
    let mut grammar = Grammar::default();
    let space = grammar.of::<T>();
    grammar.cardinality(space)
}

/// Runs what `#[property]` made of a function; panics with the report if it does not hold.
#[doc(hidden)]
#[track_caller]
pub fn check_property(
    settings: Settings,
    name: &str,
    cardinality: Option<u128>,
    property: &(dyn Fn(&mut Case) -> Outcome + Sync),
) {
    let at = Location::caller();
    let cardinality = if settings.terms.overrides.is_some() { None } else { cardinality };
    // The harness knows the test by its path inside the crate.
    let inside = name.split_once("::").map_or(name, |(_, inside)| inside);
    let settings = settings.test_name(inside);
    // (Only the last part of the path of a documentation example was written by a person.)
    let name = if run::is_doctest() { name.rsplit("::").next().unwrap_or(name) } else { name };
    let about = About { name: name.to_string(), at, cardinality, unique: true, named_by_kind: false };
    finish(run::run(settings.checked(), Subject::Shared(property), about));
}

/// The identity of a test is its module path and name, which the type of its closure knows.
#[track_caller]
fn about<P>(cardinality: Option<u128>) -> About {
    let at = Location::caller();
    let mut name = std::any::type_name::<P>().replace("::{{closure}}", "");
    if run::is_doctest() {
        // Its path is made of its position among others, which changes with every edit.
        name = "doctest".into();
    }
    About { name, at, cardinality, unique: false, named_by_kind: false }
}

#[track_caller]
fn expect(report: Result<Report, Error>) -> Report {
    match report {
        Ok(report) => report,
        Err(error) => panic!("{error}"),
    }
}

/// Shows what there is to show, and panics at the caller if the property does not hold.
#[doc(hidden)]
#[track_caller]
pub fn finish(report: Result<Report, Error>) {
    let report = expect(report);
    let seed = report.seed;
    if report.verdict.is_good() {
        for remark in &report.remarks {
            eprintln!("{}: {remark}", report.name);
        }
        if report.show_statistics {
            eprintln!("{report}");
        }
    } else {
        if !crate::quiet::hook_is_ours() {
            eprintln!("{report}\n  seed    {seed}");
        }
        panic!("{report}\n  seed    {seed}");
    }
}

/// Runs a future to its end on this thread.
pub fn block_on(future: Pin<Box<dyn Future<Output = Outcome> + '_>>) -> Outcome {
    struct Unpark(std::thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = future;
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(outcome) => return outcome,
            Poll::Pending => std::thread::park(),
        }
    }
}
