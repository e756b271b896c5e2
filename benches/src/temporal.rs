//! Temporal formulas: how fast streams are judged, beside loops that were written by hand, and how fast they are drawn.

mod exact;
mod flloat;
mod generated;
mod rtlola;

use crate::measure::{Work, rates};
use baselines::{Event, Kind, bounded, data, response, trace};
use gainsay::Case;
use gainsay::temporal::mfotl::{self, Monitor, fact, forall, var};
use gainsay::temporal::{Acceptor, Formula, Streams, Truth, always, atom, bits, eventually, parse};
use std::time::Duration;

const EVENTS: usize = 1_000_000;

fn asked() -> gainsay::temporal::Atom<Event> {
    atom("request", |event: &Event| event.kind == Kind::Request)
}

fn answered() -> gainsay::temporal::Atom<Event> {
    atom("response", |event: &Event| event.kind == Kind::Response)
}

fn unbounded_response() -> Formula<Event> {
    always(asked().implies(eventually(answered())))
}

fn bounded_response() -> Formula<Event> {
    let soon = Duration::ZERO..=Duration::from_millis(500) - Duration::from_nanos(1);
    always(asked().implies(eventually(answered()).within(soon)))
}

/// Every request is answered by a response with its id within half a second.
fn response_with_data() -> mfotl::Formula<Event, u64> {
    let of_kind = |name, kind| fact(name, move |event: &Event| (event.kind == kind).then_some([event.id]));
    let answered = mfotl::eventually(of_kind("response", Kind::Response).of([var("x")]));
    let answered = answered.within(Duration::ZERO..Duration::from_millis(500));
    mfotl::always(forall("x", of_kind("request", Kind::Request).of([var("x")]).implies(answered)))
}

/// How many requests are not answered in time.
fn unanswered(formula: &mfotl::Formula<Event, u64>, events: &[Event]) -> usize {
    let mut monitor = Monitor::new(formula).expect("it can be monitored");
    let found = |event: &Event| {
        monitor.see_at_nanoseconds(event.at_ms * 1_000_000, event).expect("time goes on").len()
    };
    events.iter().map(found).sum()
}

/// How much is kept after ten million events, over what is kept after one million.
fn growth(formula: &mfotl::Formula<Event, u64>) -> f64 {
    let most = |events: usize| {
        let mut monitor = Monitor::new(formula).expect("it can be monitored");
        let mut most = 0;
        for event in trace(events).0 {
            monitor.see_at_nanoseconds(event.at_ms * 1_000_000, &event).expect("time goes on");
            most = most.max(monitor.size());
        }
        most as f64
    };
    most(10 * EVENTS) / most(EVENTS)
}

/// Whether acceptors say what formulas mean, on every formula with at most three operators.
pub(crate) fn exact() {
    const PAIRS: u64 = 100_000;
    let random = exact::random(PAIRS);
    println!("random pairs: {PAIRS}, {random} differences");
    let (formulas, differences) = exact::compare(3);
    println!(
        "result: formulas={formulas} differences={differences} random_pairs={PAIRS} random_differences={random}"
    );
}

/// Whether formulas mean what flloat says, an evaluator of LTLf from PyPI.
pub(crate) fn flloat() {
    match flloat::compare(20_000) {
        Some((compared, differences)) => {
            println!("result: flloat_compared={compared} flloat_differences={differences}");
        }
        None => println!("result: flloat_compared=n/a flloat_differences=n/a"),
    }
}

/// Runs everything, and prints the result line.
pub(crate) fn compare() {
    let (events, violations) = trace(EVENTS);
    let count = events.len() as u64;
    let mut first = Acceptor::new(&unbounded_response()).expect("it has few atoms");
    let with_data = response_with_data();
    // (RTLola is slow, and its speed does not depend on how many there are.)
    let (few, few_violations) = trace(EVENTS / 50);
    let (batched, at_once) = (rtlola::Specification::batched(), rtlola::Specification::at_once());
    let mut second = Acceptor::new(&bounded_response()).expect("it has few atoms");
    let mut works: Vec<Work<'_>> = vec![
        Box::new(|| {
            std::hint::black_box(response(std::hint::black_box(&events)));
            count
        }),
        Box::new(|| {
            first.reset();
            first.see_all(std::hint::black_box(&events));
            assert!(first.truth() != Truth::False, "nothing is certain");
            count
        }),
        Box::new(|| {
            std::hint::black_box(bounded(std::hint::black_box(&events)));
            count
        }),
        Box::new(|| {
            second.reset();
            second
                .see_all_at(std::hint::black_box(&events), |event| event.at_ms * 1_000_000)
                .expect("time goes on");
            assert!(second.truth() != Truth::False, "all are answered in time");
            count
        }),
        Box::new(|| {
            assert_eq!(data(std::hint::black_box(&events)), violations);
            count
        }),
        Box::new(|| {
            assert_eq!(unanswered(&with_data, std::hint::black_box(&events)), violations);
            count
        }),
        Box::new(|| {
            assert_eq!(batched.unanswered(std::hint::black_box(&few)), few_violations);
            few.len() as u64
        }),
        Box::new(|| {
            assert_eq!(at_once.unanswered(std::hint::black_box(&few)), few_violations);
            few.len() as u64
        }),
    ];
    let rates = rates(&mut works);
    drop(works);
    println!(
        "events/s: response by hand {:.0} M, by formula {:.0} M ({} states); bounded by hand {:.0} M, by formula {:.0} M ({} states)",
        rates[0] / 1e6,
        rates[1] / 1e6,
        first.states(),
        rates[2] / 1e6,
        rates[3] / 1e6,
        second.states()
    );
    println!("with data by hand {:.1} M, by formula {:.1} M: {with_data}", rates[4] / 1e6, rates[5] / 1e6);
    println!(
        "RTLola, at most half a second late {:.3} M ({:.0} times as slow), in time {:.3} M ({:.0} times)",
        rates[6] / 1e6,
        rates[5] / rates[6],
        rates[7] / 1e6,
        rates[5] / rates[7]
    );
    let streams = Streams::new(&parse("G (a -> F b) & F (c & X d)", &bits()).expect("it is a formula"))
        .expect("it is satisfiable");
    let streams = streams.length(20..=20);
    let mut number = 0;
    let drawn = crate::measure::rates(&mut [Box::new(|| {
        number += 1;
        std::hint::black_box(streams.draw(&mut Case::random(1, number)));
        1
    })]);
    println!("streams of 20 elements: {:.0} thousand/s", drawn[0] / 1e3);
    let generated = generated::compare();
    println!(
        "result: response_vs_hand={:.2} bounded_vs_hand={:.2} data_vs_hand={:.2} data_vs_rtlola={:.0} growth={:.2} stuck={} vacuous_max={:.2}",
        rates[1] / rates[0],
        rates[3] / rates[2],
        rates[5] / rates[4],
        rates[5] / rates[6],
        growth(&with_data),
        generated.stuck,
        generated.vacuous_max
    );
}
