//! Rates in units per CPU second.

use cpu_time::ProcessTime;
use std::time::Duration;

/// How often each contender has its turn.
const ROUNDS: u32 = 5;

/// The CPU time of one turn: a contender runs for about a second in all.
const TURN: Duration = Duration::from_millis(200);

/// Work to be timed: each call does a fixed amount of it and says how many units that was.
pub(crate) type Work<'a> = Box<dyn FnMut() -> u64 + 'a>;

/// Units per CPU second of each work, in the order given.
///
/// The works take turns (A B C, A B C, …), so that a slow spell of the machine meets all of them. The fastest
/// turn of each counts: the neighbours on a shared machine can only take speed away.
pub(crate) fn rates(works: &mut [Work]) -> Vec<f64> {
    for work in works.iter_mut() {
        work();
    }
    let mut best = vec![0.0_f64; works.len()];
    for _ in 0..ROUNDS {
        for (work, best) in works.iter_mut().zip(&mut best) {
            *best = best.max(turn(work));
        }
    }
    best
}

/// Repeats the work for one turn.
fn turn(work: &mut Work) -> f64 {
    let start = ProcessTime::now();
    let mut units = 0;
    loop {
        units += work();
        let spent = start.elapsed();
        if spent >= TURN {
            return units as f64 / spent.as_secs_f64();
        }
    }
}
