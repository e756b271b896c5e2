//! Temporal formulas: how fast streams are judged, beside loops that were written by hand, and how fast they are drawn.

mod exact;

use crate::measure::{Work, rates};
use baselines::{Event, Kind, bounded, response, trace};
use gainsay::Case;
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

/// Whether acceptors say what formulas mean, on every formula with at most three operators.
pub(crate) fn exact() {
    let (formulas, differences) = exact::compare(3);
    println!("result: formulas={formulas} differences={differences}");
}

/// Runs everything, and prints the result line.
pub(crate) fn compare() {
    let (events, _) = trace(EVENTS);
    let count = events.len() as u64;
    let mut first = Acceptor::new(&unbounded_response()).expect("it has few atoms");
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
    println!(
        "result: response_vs_hand={:.2} bounded_vs_hand={:.2}",
        rates[1] / rates[0],
        rates[3] / rates[2]
    );
}
