//! The judge alone: many calls in one phase.

use gainsay::resource::{Phase, Policy, Resource, Viable};
use std::time::Instant;
use warehouse::WAREHOUSES;
use warehouse::specification::{Door, Walk, Warehouses};

/// A buffer that keeps the order of what is put into it.
struct Buffer;

impl Resource for Buffer {
    type State = Vec<u32>;
    type Call = u32;
    type Value = ();

    fn start(&self) -> Vec<u32> {
        Vec::new()
    }

    fn post(&self, items: &Vec<u32>, item: &u32) -> Vec<(Vec<u32>, ())> {
        vec![([items.as_slice(), &[*item]].concat(), ())]
    }
}

fn robots(policy: &Policy<Warehouses>) -> f64 {
    let called = (0..12).map(|robot| {
        let weight = 100 + 10 * robot as u32;
        Walk { robot, door: Door::Enter, warehouse: 0, weight }
    });
    let start = Instant::now();
    let mut viable = Viable::new(&WAREHOUSES, policy);
    let returned = [7, 8, 9, 10, 11].map(|id| (id, ()));
    let seen =
        viable.see(Phase { called: called.collect(), returned: returned.to_vec(), is_quiescent: true });
    let took = start.elapsed().as_secs_f64() * 1e3;
    assert!(seen.is_ok() && !viable.has_given_up(), "{seen:?}");
    took
}

fn puts(count: u32) -> (f64, bool) {
    let (called, returned) = ((0..count).collect(), (0..count).map(|id| (id, ())).collect());
    let policy = Policy::fifo();
    let start = Instant::now();
    let mut viable = Viable::new(&Buffer, &policy);
    let seen = viable.see(Phase { called, returned, is_quiescent: true });
    let took = start.elapsed().as_secs_f64() * 1e3;
    assert!(seen.is_ok(), "{seen:?}");
    (took, viable.has_given_up())
}

/// Milliseconds for twelve robots, and for eight items put into a buffer at once.
pub(super) fn compare() -> (f64, f64) {
    let best = |run: &dyn Fn() -> f64| (0..3).map(|_| run()).fold(f64::INFINITY, f64::min);
    let any = best(&|| robots(&Policy::any()));
    let eight = best(&|| puts(8).0);
    let (twelve, gave_up) = puts(12);
    println!(
        "judge: 12 robots {any:.2} ms, 8 puts in order {eight:.0} ms, 12 puts {twelve:.0} ms (gave up: {gave_up})"
    );
    (any, eight)
}
