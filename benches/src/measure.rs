//! Rates in units per CPU second, and times in CPU seconds.

use cpu_time::ProcessTime;
use std::hint::black_box;
use std::time::Duration;

/// How often each contender has its turn.
const ROUNDS: u32 = 20;

/// The CPU time of one turn, at least: short enough to find moments in which the neighbours are quiet. A contender runs for about a
/// second in all.
const TURN: Duration = Duration::from_millis(50);

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

/// Repeated for so much CPU time, even a short task is longer than the clock's grain.
const REPEATED: Duration = Duration::from_millis(5);

/// A task whose turns take more CPU time than this in all has no more of them.
const TASK: Duration = Duration::from_secs(4);

/// What each task returns, and the CPU seconds it takes, in the order given. Like [`rates`] otherwise.
pub(crate) fn times<T>(tasks: &mut [Box<dyn FnMut() -> T + '_>]) -> (Vec<T>, Vec<f64>) {
    let values = tasks.iter_mut().map(|task| task()).collect();
    let mut best = vec![f64::INFINITY; tasks.len()];
    let mut spent = vec![Duration::ZERO; tasks.len()];
    for _ in 0..ROUNDS {
        for ((task, best), spent) in tasks.iter_mut().zip(&mut best).zip(&mut spent) {
            if *spent < TASK {
                let (time, calls) = repeated(task);
                *best = best.min(time.as_secs_f64() / f64::from(calls));
                *spent += time;
            }
        }
    }
    (values, best)
}

/// Repeats a task, and says how long and how often.
fn repeated<T>(task: &mut dyn FnMut() -> T) -> (Duration, u32) {
    let start = ProcessTime::now();
    for calls in 1.. {
        black_box(task());
        let spent = start.elapsed();
        if spent >= REPEATED {
            return (spent, calls);
        }
    }
    unreachable!("a task takes time")
}
