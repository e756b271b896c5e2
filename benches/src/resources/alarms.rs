//! Wrong verdicts on what is right: while the processors are busy with others and calls take their time, and while a Java machine
//! collects its garbage.

use super::counted::Counted;
use super::unasked::Unasked;
use gainsay::resource::{Json, Round, java, json, on_threads, trial};
use gainsay::settings;
use gainsay_subject::Subject;
use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use warehouse::WAREHOUSES;
use warehouse::implementations::monitor::Monitor;
use warehouse::specification::{Door, Walk, next, policy};

/// So many phases are judged.
const PHASES: u64 = 20_000;

/// So many by waiting for a fixed time: they take long.
const PHASES_BY_WAITING: u64 = 2_000;

/// The fixed time.
const WAITING: Duration = Duration::from_millis(20);

/// Threads that do nothing useful, while this lives.
struct Load(Arc<AtomicBool>);

impl Load {
    fn new(threads: usize) -> Load {
        let is_over = Arc::new(AtomicBool::new(false));
        for _ in 0..threads {
            let is_over = Arc::clone(&is_over);
            std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Load(is_over)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Burns up to 40 ms of the processor in one call of eight, before the call does anything.
fn body(number: u64) {
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    if mixed >> 61 == 0 {
        let burn = Duration::from_micros((mixed >> 20) % 40_000);
        let begun = cpu_time::ThreadTime::now();
        while begun.elapsed() < burn {
            std::hint::spin_loop();
        }
    }
}

fn slow() -> impl Subject<Walk, ()> {
    let calls = AtomicU64::new(0);
    on_threads(
        || Monitor::new(WAREHOUSES.count, WAREHOUSES.weight_max),
        move |monitor: &Monitor, walk: &Walk| {
            body(calls.fetch_add(1, Ordering::Relaxed));
            match walk.door {
                Door::Enter => monitor.enter(walk.warehouse, walk.weight),
                Door::Exit => monitor.exit(walk.warehouse, walk.weight),
            }
        },
    )
}

/// Wrong verdicts in so many phases, told with what they are measured under.
fn alarms(under: &str, subject: impl Subject<Walk, ()> + 'static, phases_min: u64) -> u64 {
    let begun = Instant::now();
    let phases = Rc::new(Cell::new(0));
    let subject = Counted { subject, phases: Rc::clone(&phases) };
    let mut tried = trial("right", WAREHOUSES, policy(), |seen, case| next(&WAREHOUSES, seen, case), subject);
    let (mut wrong, mut seed) = (0, 0);
    while phases.get() < phases_min {
        seed += 1;
        let brief = settings().cases(20).seed(seed).without_corpus().limits(|limits| {
            limits.shrinks_max = 1;
            limits.repeats_max = 1;
        });
        tried = tried.settings(brief);
        let round = if seed % 2 == 0 { Round::Concurrent } else { Round::Progress };
        let verdict = tried.verdict_round(round);
        if !verdict.is_good() {
            wrong += 1;
            if wrong == 1 {
                println!("a wrong verdict: {verdict}");
            }
        }
    }
    let (phases, seconds) = (phases.get(), begun.elapsed().as_secs_f64());
    println!("{under}: {wrong} wrong verdicts in {phases} phases, {seconds:.0} s");
    wrong
}

/// Wrong verdicts in a Java machine that collects its garbage all the time.
pub(super) fn collecting() -> u64 {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/CollectedWarehouses.java");
    let encode = |walk: &Walk| {
        let method = if walk.door == Door::Enter { "enter" } else { "exit" };
        (method.to_string(), vec![json!(walk.warehouse), json!(walk.weight)])
    };
    let arguments = [json!(WAREHOUSES.count), json!(WAREHOUSES.weight_max)];
    let real =
        java(&[&file], "CollectedWarehouses", arguments, encode, |_: &Json| Ok(())).expect("it compiles");
    alarms("collecting garbage", real, PHASES)
}

pub(super) fn compare() -> (u64, u64) {
    let load = Load::new(2);
    let false_alarms = alarms("loaded", slow(), PHASES);
    drop(load);
    let gc_false_alarms = collecting();
    // In the end, since it leaves threads behind of which it believes that they wait.
    let _load = Load::new(2);
    let by_waiting = Unasked { subject: slow(), limit: Some(WAITING) };
    alarms(&format!("loaded, by waiting {WAITING:?}"), by_waiting, PHASES_BY_WAITING);
    (false_alarms, gc_false_alarms)
}
