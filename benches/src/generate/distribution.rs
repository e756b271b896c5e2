//! What random values are like: how often two are equal, and how often the unusual comes.

use super::SEED;
use crate::table;
use ::gainsay::{Settings, settings};
use ::hegel::generators as gs;
use ::hegel::{HealthCheck, Hegel, TestCase, Verbosity};
use ::proptest::prelude::{ProptestConfig, Strategy, any};
use ::proptest::test_runner::{RngSeed, TestRunner};
use ::quickcheck::{Arbitrary, Gen};
use std::cell::RefCell;
use std::collections::HashSet;

/// As many cases as one test runs.
const CASES: u64 = 1000;

/// A library, by what it draws left to itself.
struct Contender {
    name: &'static str,
    integers: fn(&mut dyn FnMut(i64, i64)),
    texts: fn(&mut dyn FnMut(String, String)),
    lists: fn(&mut dyn FnMut(Vec<String>)),
}

const CONTENDERS: [Contender; 4] = [
    Contender {
        name: "gainsay",
        integers: |see| gainsay().for_all(|a: i64, b: i64| see(a, b)),
        texts: |see| gainsay().for_all(|a: String, b: String| see(a, b)),
        lists: |see| gainsay().for_all(|list: Vec<String>| see(list)),
    },
    Contender {
        name: "hegel",
        integers: |see| {
            let draw = |case: &TestCase| case.draw_silent(gs::integers::<i64>());
            hegel(|case| see(draw(&case), draw(&case)));
        },
        texts: |see| hegel(|case| see(case.draw_silent(gs::text()), case.draw_silent(gs::text()))),
        lists: |see| hegel(|case| see(case.draw_silent(gs::vecs(gs::text())))),
    },
    Contender {
        name: "proptest",
        integers: |see| proptest(any::<(i64, i64)>(), |(a, b)| see(a, b)),
        texts: |see| proptest(any::<(String, String)>(), |(a, b)| see(a, b)),
        lists: |see| proptest(any::<Vec<String>>(), see),
    },
    Contender {
        name: "quickcheck",
        integers: |see| quickcheck(|(a, b)| see(a, b)),
        texts: |see| quickcheck(|(a, b)| see(a, b)),
        lists: |see| quickcheck(see),
    },
];

fn gainsay() -> Settings {
    settings().random_only().cases(CASES).seed(SEED).without_corpus()
}

fn hegel(property: impl FnMut(TestCase)) {
    let settings = ::hegel::Settings::from_profile("base")
        .test_cases(CASES)
        .seed(Some(SEED))
        .database(None)
        .verbosity(Verbosity::Quiet)
        .suppress_health_check([HealthCheck::FilterTooMuch, HealthCheck::TooSlow]);
    Hegel::new(property).settings(settings).run();
}

fn proptest<S: Strategy>(strategy: S, see: impl FnMut(S::Value)) {
    let config = ProptestConfig {
        cases: CASES as u32,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(SEED),
        ..ProptestConfig::default()
    };
    let see = RefCell::new(see);
    let end = TestRunner::new(config).run(&strategy, |value| {
        (see.borrow_mut())(value);
        Ok(())
    });
    end.expect("the property holds");
}

fn quickcheck<T: Arbitrary>(mut see: impl FnMut(T)) {
    let mut source = Gen::from_size_and_seed(100, SEED);
    (0..CASES).for_each(|_| see(T::arbitrary(&mut source)));
}

/// In how many cases of a hundred something is so.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Figures {
    /// Two integers are equal.
    pub(crate) equal_args_pct: f64,
    /// Two texts are equal.
    pub(crate) equal_strings_pct: f64,
    /// A list holds a text twice that is not empty.
    pub(crate) repeated_strings_pct: f64,
    /// A text holds a neighbour of the surrogates, or the last character there is.
    pub(crate) edges_pct: f64,
    /// A text holds `\r\n`.
    pub(crate) line_ends_pct: f64,
    /// A text has 256 characters or more.
    pub(crate) long_pct: f64,
}

/// The figures of gainsay.
pub(crate) fn figures() -> Figures {
    measured(&CONTENDERS[0])
}

fn measured(contender: &Contender) -> Figures {
    let mut figures = Figures::default();
    let part = |so: bool| if so { 100.0 / CASES as f64 } else { 0.0 };
    (contender.integers)(&mut |a, b| figures.equal_args_pct += part(a == b));
    (contender.texts)(&mut |a, b| {
        figures.equal_strings_pct += part(a == b);
        figures.edges_pct += part(a.contains(['\u{d7ff}', '\u{e000}', '\u{10ffff}']));
        figures.line_ends_pct += part(a.contains("\r\n"));
        figures.long_pct += part(a.chars().count() >= 256);
    });
    (contender.lists)(&mut |list| {
        let mut seen = HashSet::new();
        let is_repeated = list.iter().any(|text| !text.is_empty() && !seen.insert(text));
        figures.repeated_strings_pct += part(is_repeated);
    });
    figures
}

/// Prints a row for each contender, and the result line.
pub(crate) fn compare() {
    let titles = ["", "equal integers", "equal texts", "text twice in a list", "edges", "\\r\\n", "long"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    for contender in &CONTENDERS {
        let f = measured(contender);
        let shares = [
            f.equal_args_pct,
            f.equal_strings_pct,
            f.repeated_strings_pct,
            f.edges_pct,
            f.line_ends_pct,
            f.long_pct,
        ];
        let shares = shares.map(|share| format!("{share:.1} %"));
        rows.push([contender.name.to_owned()].into_iter().chain(shares).collect());
    }
    table::print(&rows);
    let Figures { equal_args_pct, equal_strings_pct, repeated_strings_pct, .. } = figures();
    println!(
        "result: equal_args_pct={equal_args_pct:.1} equal_strings_pct={equal_strings_pct:.1} \
         repeated_strings_pct={repeated_strings_pct:.1}"
    );
}
