//! Things that go wrong once, or now and then, whatever they are asked: a wrong answer that was seen is never lost.

use crate::support::seeded;
use gainsay_core::{Case, Report, Settings};
use gainsay_model::callout::{Method, call};
use gainsay_model::mock::Mocks;
use gainsay_model::resource::{Policy, Resource, Round, Seen, on_threads, trial};
use gainsay_model::{Acts, Deviations, Effect, Model, Parallel, Parts, cluster, model};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// When a thing goes wrong, counted over a whole run.
#[derive(Debug, Clone, Copy)]
enum When {
    Never,
    /// At this call.
    At(u64),
    /// Once in so many calls, by chance that begins with a seed.
    Rate(u64, u64),
}

/// What is shared by all things of a run.
#[derive(Debug)]
struct Fault {
    when: When,
    calls: AtomicU64,
    /// A wrong answer was given.
    given: AtomicBool,
}

impl Fault {
    fn new(when: When) -> Arc<Fault> {
        Arc::new(Fault { when, calls: AtomicU64::new(0), given: AtomicBool::new(false) })
    }

    /// A right answer, or a wrong one.
    fn answer(&self, right: u64) -> u64 {
        let call = self.calls.fetch_add(1, Relaxed) + 1;
        let is_wrong = match self.when {
            When::Never => false,
            When::At(at) => call == at,
            When::Rate(seed, of) => {
                scattered(seed.wrapping_mul(1_000_003).wrapping_add(call)).is_multiple_of(of)
            }
        };
        self.given.fetch_or(is_wrong, Relaxed);
        if is_wrong { right + 1000 } else { right }
    }
}

/// The numbers of Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators* (2014).
fn scattered(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Counts, and tells what it was before.
struct Tally {
    count: AtomicU64,
    fault: Arc<Fault>,
}

impl Tally {
    fn add(&self, by: u64) -> u64 {
        let before = self.count.fetch_add(by, Relaxed);
        self.fault.answer(before)
    }
}

fn tally(fault: &Arc<Fault>, settings: Settings) -> Model<u64, Tally> {
    let fault = Arc::clone(fault);
    model(|| 0, move || Tally { count: AtomicU64::new(0), fault: Arc::clone(&fault) })
        .operation(
            "add",
            |_, case| case.int(1..=3u64),
            |tally, by| tally.add(*by),
            |add| add.returns(|count, _| *count).next(|count, by| *count += by),
        )
        .operation("get", |_, _| (), |tally, ()| tally.add(0), |get| get.returns(|count, ()| *count))
        .settings(settings)
}

/// The same, shared by threads.
fn shared(fault: &Arc<Fault>, settings: Settings) -> Model<u64, Arc<Tally>> {
    let fault = Arc::clone(fault);
    model(|| 0, move || Arc::new(Tally { count: AtomicU64::new(0), fault: Arc::clone(&fault) }))
        .operation(
            "add",
            |_, case| case.int(1..=3u64),
            |tally, by| tally.add(*by),
            |add| add.returns(|count, _| *count).next(|count, by| *count += by),
        )
        .settings(settings)
}

/// A count that only grows.
struct Growing;

impl Resource for Growing {
    type State = u64;
    type Call = u64;
    type Value = u64;

    fn start(&self) -> u64 {
        0
    }

    fn post(&self, count: &u64, by: &u64) -> Vec<(u64, u64)> {
        vec![(count + by, *count)]
    }
}

fn in_rounds(fault: &Arc<Fault>, settings: Settings) -> Report {
    let fault = Arc::clone(fault);
    let make = move || Tally { count: AtomicU64::new(0), fault: Arc::clone(&fault) };
    let real = on_threads(make, |tally: &Tally, by: &u64| tally.add(*by));
    let calls = |_: &Seen<Growing>, case: &mut Case| Some(case.int(1..=3u64));
    let mut trial = trial("tally", Growing, Policy::any(), calls, real).settings(settings).phases(8, 3);
    trial.report_round(Round::Concurrent).unwrap()
}

/// Runs something with all kinds of faults: none of its verdicts is good if a wrong answer was given.
fn assert_nothing_is_lost(run: impl Fn(&Arc<Fault>, Settings) -> Report) {
    let right = Fault::new(When::Never);
    let report = run(&right, seeded(1));
    assert!(report.verdict.is_good(), "{report}");
    let singles = (1..=200).map(When::At);
    let rates = [2, 10, 50, 200].into_iter().flat_map(|of| (0..10).map(move |seed| When::Rate(seed, of)));
    let mut given = 0;
    for (seed, when) in (1..).zip(singles.chain(rates)) {
        let fault = Fault::new(when);
        let report = run(&fault, seeded(seed));
        let was_given = fault.given.load(Relaxed);
        given += u32::from(was_given);
        assert_eq!(report.verdict.is_good(), !was_given, "{when:?}: {report}");
    }
    assert!(given > 150, "{given} runs saw a wrong answer");
}

#[test]
fn sequences_of_commands_lose_nothing() {
    assert_nothing_is_lost(|fault, settings| tally(fault, settings.cases(60)).report().unwrap());
}

#[test]
fn all_short_sequences_lose_nothing() {
    assert_nothing_is_lost(|fault, settings| tally(fault, settings).report_exhaustive(3, 2).unwrap());
}

#[test]
fn threads_lose_nothing() {
    assert_nothing_is_lost(|fault, settings| {
        shared(fault, settings.cases(15)).report_parallel(&Parallel::default()).unwrap()
    });
}

#[cfg(feature = "shuttle")]
#[test]
fn controlled_schedules_lose_nothing() {
    let how = gainsay_model::Controlled::default();
    assert_nothing_is_lost(|fault, settings| {
        shared(fault, settings.cases(40)).report_controlled(&how).unwrap()
    });
}

#[test]
fn clusters_lose_nothing() {
    assert_nothing_is_lost(|fault, settings| {
        let tally = tally(fault, seeded(0));
        cluster("one").component("tally", tally).settings(settings.cases(60)).report().unwrap()
    });
}

#[test]
fn trials_lose_nothing() {
    assert_nothing_is_lost(|fault, settings| in_rounds(fault, settings.cases(30)));
}

#[test]
fn linked_clusters_lose_nothing() {
    assert_nothing_is_lost(|fault, settings| {
        let component = tally(fault, seeded(0));
        let fault = Arc::clone(fault);
        cluster("one")
            .component("tally", component)
            .link(move || {
                let tally = Tally { count: AtomicU64::new(0), fault: Arc::clone(&fault) };
                Parts::new().with("tally", tally)
            })
            .settings(settings.cases(60))
            .report()
            .unwrap()
    });
}

const TOLD: Method<(u64,), u64> = Method::new("told");

/// A tally that tells somebody of each number, whatever comes of it.
fn telling(fault: &Arc<Fault>, settings: Settings) -> Model<u64, Tally> {
    let fault = Arc::clone(fault);
    model(|| 0, move || Tally { count: AtomicU64::new(0), fault: Arc::clone(&fault) })
        .operation(
            "add",
            |_, case| case.int(1..=3u64),
            |tally, by| {
                Mocks::current().call(TOLD, (*by,), || None);
                tally.add(*by)
            },
            |add| {
                add.calls(|_, by| call(TOLD).given((*by,)).returns(0).deviation("deaf", |_| 1))
                    .returns(|count, _| *count)
                    .next(|count, by| *count += by)
            },
        )
        .settings(settings)
}

#[test]
fn consequences_of_deviations_lose_nothing() {
    let deviations = Deviations::named(["deaf", "no such"]).acting([Acts::Once, Acts::Always]);
    let singles = (1..=200).chain((1..=40).map(|n| 40 * n)).map(When::At);
    let rates = [2, 10, 50, 200].into_iter().flat_map(|of| (0..10).map(move |seed| When::Rate(seed, of)));
    let mut given = 0;
    for (seed, when) in (1..).zip([When::Never].into_iter().chain(singles).chain(rates)) {
        let fault = Fault::new(when);
        let found = telling(&fault, seeded(seed).cases(20)).report_consequences(&deviations);
        let was_given = fault.given.load(Relaxed);
        given += u32::from(was_given);
        let is_told = found.as_ref().map_or(true, |found| {
            let is_quiet = |effect: &Effect| matches!(effect, Effect::NotSeen { .. } | Effect::NotReached);
            !found.rows.iter().all(|row| is_quiet(&row.effect))
        });
        assert_eq!(is_told, was_given, "{when:?}: {found:?}");
    }
    assert!(given > 200, "{given} runs saw a wrong answer");
}
