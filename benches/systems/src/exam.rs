//! The exam: all bugs are looked for by the properties of their systems, and the correct twins must pass.

use crate::{BUGS, SUBJECTS, Subject};
use gainsay_core::{Verdict, settings};
use gainsay_msg::SystemTest;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bugs are looked for with each of these.
pub const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
/// Correct twins are tested with each of these.
pub const SEEDS_OF_TWINS: std::ops::RangeInclusive<u64> = 1..=20;

/// A bug that was looked for.
#[derive(Debug)]
pub struct Row {
    /// The system.
    pub system: &'static str,
    /// The bug.
    pub bug: usize,
    /// The seed.
    pub seed: u64,
    /// The first property that was falsified, and after how many traces of it; nothing if the bug was missed.
    pub found: Option<(String, u64)>,
}

/// A correct system that was tested.
#[derive(Debug)]
pub struct Twin {
    /// The system.
    pub system: &'static str,
    /// The seed.
    pub seed: u64,
    /// What was said against it: a property, and what came of it.
    pub alarm: Option<String>,
    /// Properties of which neither an alarm nor a good verdict was given.
    pub undecided: Vec<String>,
}

/// Looks for all bugs with all seeds.
///
/// # Errors
/// If a property cannot be tested.
pub fn bugs() -> Result<Vec<Row>, String> {
    let each = SUBJECTS.iter().flat_map(|subject| (1..=BUGS).map(move |bug| (subject, bug)));
    let each: Vec<_> = each.flat_map(|(subject, bug)| SEEDS.map(move |seed| (subject, bug, seed))).collect();
    let row = |&(subject, bug, seed): &(&Subject, usize, u64)| {
        Ok(Row { system: subject.name, bug, seed, found: found(subject, bug, seed)? })
    };
    on_all_processors(&each, row).into_iter().collect()
}

/// Tests all correct twins with all seeds.
pub fn twins() -> Vec<Twin> {
    let each = SUBJECTS.iter().flat_map(|subject| SEEDS_OF_TWINS.map(move |seed| (subject, seed)));
    on_all_processors(&each.collect::<Vec<_>>(), |&(subject, seed)| twin(subject, seed))
}

/// Does some work for each item, one thread a processor; the results are in the order of the items.
fn on_all_processors<I: Sync, R: Send>(items: &[I], work: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let taken = AtomicUsize::new(0);
    let some = || {
        let mut done = Vec::new();
        loop {
            let place = taken.fetch_add(1, Relaxed);
            let Some(item) = items.get(place) else { return done };
            done.push((place, work(item)));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("the exam does not panic")).collect()
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Tests a system that never says anything by the properties of each: how many are not called good, of how many.
///
/// # Errors
/// If a property cannot be tested.
pub fn mute() -> Result<(usize, usize), String> {
    let (mut told, mut all) = (0, 0);
    for subject in &SUBJECTS {
        let system = subject.system();
        let mut bus = subject.mute();
        for rule in system.testable() {
            let settings = settings().seed(1).cases(200).without_corpus();
            let test = SystemTest::new(&system, &rule.id).settings(settings);
            let tested =
                test.run(&mut bus).map_err(|error| format!("{}, {}: {error}", subject.name, rule.id))?;
            all += 1;
            if tested.report.verdict.is_good() {
                println!("a mute {} passes {}: {}", subject.name, rule.id, tested.report.verdict);
            } else {
                told += 1;
            }
        }
    }
    Ok((told, all))
}

/// The first property by which a bug is found, at the default budget for each.
fn found(subject: &Subject, bug: usize, seed: u64) -> Result<Option<(String, u64)>, String> {
    let system = subject.system();
    let mut bus = subject.bus(bug);
    for rule in system.testable() {
        let test = SystemTest::new(&system, &rule.id).settings(settings().seed(seed).without_corpus());
        let tested = test.run(&mut bus).map_err(|error| format!("{}, {}: {error}", subject.name, rule.id))?;
        if let Verdict::Falsified(falsified) = tested.report.verdict {
            return Ok(Some((rule.id.clone(), falsified.cases)));
        }
    }
    Ok(None)
}

/// What is said of the correct system.
fn twin(subject: &Subject, seed: u64) -> Twin {
    let system = subject.system();
    let mut bus = subject.bus(0);
    let mut twin = Twin { system: subject.name, seed, alarm: None, undecided: Vec::new() };
    for rule in system.testable() {
        let test = SystemTest::new(&system, &rule.id).settings(settings().seed(seed).without_corpus());
        let said = match test.run(&mut bus) {
            Ok(tested) if tested.trouble.is_some() => Err(format!("{:?}", tested.trouble)),
            Ok(tested) if tested.report.verdict.is_good() => continue,
            Ok(tested) => match &tested.report.verdict {
                Verdict::Falsified(_) | Verdict::Flaky(_) => Err(tested.report.verdict.to_string()),
                other => Ok(other.to_string()),
            },
            Err(error) => Err(error.to_string()),
        };
        match said {
            Ok(undecided) => twin.undecided.push(format!("{}: {undecided}", rule.id)),
            Err(alarm) => {
                twin.alarm = Some(format!("{}: {alarm}", rule.id));
                break;
            }
        }
    }
    twin
}
