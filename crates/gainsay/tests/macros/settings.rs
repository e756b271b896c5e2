//! Settings in the attribute do what they say.

use crate::seen::{see, seen_by};
use gainsay::prelude::*;
use std::time::{Duration, Instant};

const CASES: u64 = 30;

#[property(cases = 2 * CASES, seed = 7)]
fn counted(n: u64) -> bool {
    see(n);
    true
}

#[test]
fn cases_and_seed() {
    let first = seen_by(counted);
    assert_eq!(first.len(), 60);
    assert_eq!(first, seen_by(counted));
}

#[property(exhaustive)]
fn all(a: bool, b: u8) -> bool {
    see((a, b));
    true
}

#[property(exhaustive_up_to = 3)]
fn all_up_to(n: u64) -> bool {
    see(n);
    true
}

#[property(random_only, cases = 20, seed = 1)]
fn random(a: bool) -> bool {
    see(a);
    true
}

#[test]
fn modes() {
    assert_eq!(seen_by(all).len(), 512);
    assert_eq!(seen_by(all_up_to), ["0", "1", "2", "3"]);
    assert_eq!(seen_by(random).len(), 20);
}

#[property(time_ms = 50, cases = u64::MAX, seed = 1)]
fn timed(n: u64) -> bool {
    n.count_ones() <= 64
}

#[test]
fn time() {
    let start = Instant::now();
    timed();
    assert!((Duration::from_millis(50)..Duration::from_secs(20)).contains(&start.elapsed()));
}

#[property(isolate, cases = 5, seed = 1)]
fn isolated(n: u64) -> bool {
    see(n);
    n.count_ones() <= 64
}

#[test]
fn isolation() {
    assert!(seen_by(isolated).is_empty(), "the cases ran in this process");
}

#[property(threads = 2, seed = 1, statistics, cases = 300)]
fn threaded(case: &mut Case, n: u64) -> bool {
    case.classify("odd", n % 2 == 1);
    true
}
