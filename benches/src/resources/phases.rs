//! Phases per second: in process, beside the same tests with calls that never wait and nobody who asks; in Java, beside bare calls.

use super::unasked::Unasked;
use gainsay::resource::{Json, Round, Seen, java, json, on_threads, trial};
use gainsay::{Case, settings};
use gainsay_subject::{Live, Made, Subject};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use warehouse::implementations::monitor::Monitor;
use warehouse::specification::{Door, Walk, Warehouses, next, policy};
use warehouse::{WAREHOUSES, folder};

/// How often each has its turn. The middle one counts: on which processors threads meet is luck, for the better and the worse.
const TURNS: usize = 9;

/// Round trips of a turn without a check.
const BARE: u32 = 5_000;

/// Tests of a turn.
const TESTS: u64 = 60;

fn encode(walk: &Walk) -> (String, Vec<Json>) {
    let method = if walk.door == Door::Enter { "enter" } else { "exit" };
    (method.into(), vec![json!(walk.warehouse), json!(walk.weight)])
}

/// Calls per second, made one after the other, that never wait: nothing but lines to and fro.
fn bare(subject: &mut dyn Subject<Walk, ()>) -> f64 {
    let Ok(Made::Ready(mut live)) = subject.make() else { panic!("nothing was made") };
    let live: &mut dyn Live<Walk, ()> = live.as_mut();
    let light = Walk { robot: 0, door: Door::Enter, warehouse: 0, weight: 0 };
    let begun = Instant::now();
    for number in 0..BARE {
        live.start(&[(number, light.clone())]).expect("a call is made");
        let returned = live.collect(Duration::from_secs(10)).expect("a call returns");
        assert_eq!(returned.len(), 1);
    }
    f64::from(BARE) / begun.elapsed().as_secs_f64()
}

/// Phases per second of tests, by a subject that counts its calls: each phase has one.
fn tested(
    subject: impl Subject<Walk, ()> + 'static,
    next: fn(&Seen<Warehouses>, &mut Case) -> Option<Walk>,
    calls: Arc<AtomicU64>,
) -> impl FnMut() -> f64 {
    let mut trial = Some(trial("phases", WAREHOUSES, policy(), next, subject));
    let mut seed = 0;
    move || {
        seed += 1;
        let mut ready = trial
            .take()
            .expect("it is put back")
            .settings(settings().cases(TESTS).seed(seed).without_corpus());
        let (begun, before) = (Instant::now(), calls.load(Ordering::Relaxed));
        let verdict = ready.verdict_round(Round::Progress);
        let rate = (calls.load(Ordering::Relaxed) - before) as f64 / begun.elapsed().as_secs_f64();
        assert!(verdict.is_good(), "{verdict}");
        trial = Some(ready);
        rate
    }
}

/// One robot goes through after the other: nobody ever waits.
fn alone(seen: &Seen<Warehouses>, case: &mut Case) -> Option<Walk> {
    let weight = 100 * case.int(0..=WAREHOUSES.weight_max / 100);
    let new = |robot| Walk { robot, door: Door::Enter, warehouse: 0, weight };
    Some(match seen.returned().last() {
        None => new(0),
        Some((walk, ())) => match walk.door {
            Door::Enter => Walk { door: Door::Exit, ..walk.clone() },
            Door::Exit if walk.warehouse + 1 == WAREHOUSES.count => new(walk.robot + 1),
            Door::Exit => Walk { door: Door::Enter, warehouse: walk.warehouse + 1, ..walk.clone() },
        },
    })
}

/// How many times as fast the second is as the first.
fn ratio(name: &str, mut bare: impl FnMut() -> f64, mut tested: impl FnMut() -> f64) -> f64 {
    let (mut bares, mut all_tested) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        bares.push(bare());
        all_tested.push(tested());
    }
    let middle = |rates: &mut Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates[TURNS / 2]
    };
    let (bare, tested) = (middle(&mut bares), middle(&mut all_tested));
    println!("{name}: {tested:.0} phases/s with calls that wait, {bare:.0} without");
    tested / bare
}

fn monitor(calls: &Arc<AtomicU64>) -> impl Subject<Walk, ()> + use<> {
    let counted = Arc::clone(calls);
    on_threads(
        || Monitor::new(WAREHOUSES.count, WAREHOUSES.weight_max),
        move |monitor: &Monitor, walk: &Walk| {
            counted.fetch_add(1, Ordering::Relaxed);
            match walk.door {
                Door::Enter => monitor.enter(walk.warehouse, walk.weight),
                Door::Exit => monitor.exit(walk.warehouse, walk.weight),
            }
        },
    )
}

fn some(seen: &Seen<Warehouses>, case: &mut Case) -> Option<Walk> {
    next(&WAREHOUSES, seen, case)
}

pub(super) fn compare() -> (f64, f64) {
    // (New threads each time, so that their luck is not the same in all turns.)
    let unasked = || {
        let calls = Arc::default();
        tested(Unasked { subject: monitor(&calls), limit: None }, alone, calls)()
    };
    let asked = || {
        let calls = Arc::default();
        tested(monitor(&calls), some, calls)()
    };
    let in_process = ratio("in process", unasked, asked);
    let calls = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&calls);
    let file = folder().join("MonitorWarehouses.java");
    let machine = |encode: Box<dyn Fn(&Walk) -> (String, Vec<Json>)>| {
        let arguments = [json!(WAREHOUSES.count), json!(WAREHOUSES.weight_max)];
        java(&[&file], "MonitorWarehouses", arguments, encode, |_: &Json| Ok(())).expect("it compiles")
    };
    let mut light = machine(Box::new(encode));
    let real = machine(Box::new(move |walk| {
        counted.fetch_add(1, Ordering::Relaxed);
        encode(walk)
    }));
    let in_java = ratio("in Java", move || bare(&mut light), tested(real, some, calls));
    (in_process, in_java)
}
