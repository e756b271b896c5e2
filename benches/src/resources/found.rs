//! What is found of what is wrong, over twenty seeds.

use gainsay::resource::{Resource, Round, Trial};
use gainsay::settings;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SEEDS: u64 = 20;

/// Tests in which mistakes must be found that need no luck.
const TESTS: u64 = 200;

/// Time in which threads that meet at the wrong moment must be found, once in twenty times not.
const RACES: Duration = Duration::from_secs(10);

/// The implementations whose mistake is that something is not atomic.
const NOT_ATOMIC: [&str; 6] =
    ["ManifestWarehouses", "SnapshotWarehouses", "LineReadersWriters", "tally.rs", "sections.rs", "board.rs"];

/// The right ones.
const RIGHT: [&str; 7] = [
    "MonitorWarehouses",
    "QueuedWarehouses",
    "ServerWarehouses",
    "TicketReadersWriters",
    "monitor.rs",
    "server.rs",
    "tickets.rs",
];

/// Whether it is found with a seed.
fn is_found<R: Resource>(trial: Trial<R>, seed: u64) -> (Trial<R>, bool) {
    let is_race = NOT_ATOMIC.contains(&trial.name());
    let limits = |limits: &mut gainsay::Limits| {
        (limits.shrinks_max, limits.repeats_max) = (1, 1);
        if is_race {
            (limits.cases_max, limits.time_max) = (u64::MAX, RACES);
        }
    };
    let mut trial = trial.settings(settings().cases(TESTS).seed(seed).without_corpus().limits(limits));
    // Where luck is needed, all the time there is goes to calls that meet.
    let rounds: &[Round] = if is_race { &[Round::Concurrent] } else { &Round::ALL };
    let is_found = rounds.iter().any(|round| !trial.verdict_round(*round).is_good());
    (trial, is_found)
}

/// In how many seeds it is found, and the longest time that took.
fn seeds(mut is_found: impl FnMut(u64) -> bool) -> (u64, Duration) {
    let (mut found, mut longest) = (0, Duration::ZERO);
    for seed in 0..SEEDS {
        let begun = Instant::now();
        found += u64::from(is_found(seed));
        longest = longest.max(begun.elapsed());
    }
    (found, longest)
}

fn in_java<R: Resource>(trial: Trial<R>) -> (u64, Duration) {
    let mut trial = Some(trial);
    seeds(|seed| {
        let (back, is_found) = is_found(trial.take().expect("it is put back"), seed);
        trial = Some(back);
        is_found
    })
}

/// In a process of its own, since what is wrong leaves threads behind.
fn in_rust(name: &str) -> (u64, Duration) {
    let program = std::env::current_exe().expect("this program has a path");
    seeds(|seed| {
        let mut command = Command::new(&program);
        let status = command.args(["resources", name, &seed.to_string()]).status();
        status.expect("this program can be started").code() == Some(0)
    })
}

/// Whether an implementation is found with a seed: what a child process is asked.
pub(super) fn one(name: &str, seed: u64) -> bool {
    let is_it = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == name);
    let java = files(&warehouse::folder()).into_iter().find(is_it);
    let java = java.map(|file| warehouse::trial_of_java(&file).expect("it compiles"));
    let rust = || warehouse::in_rust().into_iter().find(|trial| trial.name() == name);
    if let Some(trial) = java.or_else(rust) {
        return is_found(trial, seed).1;
    }
    let java = files(&readers_writers::folder()).into_iter().find(is_it);
    let java = java.map(|file| readers_writers::trial_of_java(&file).expect("it compiles"));
    let rust = || readers_writers::in_rust().into_iter().find(|trial| trial.name() == name);
    java.or_else(rust).is_some_and(|trial| is_found(trial, seed).1)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// How many wrong ones are found as they should, of how many.
pub(super) fn compare() -> (u64, u64) {
    let (mut found, mut all) = (0, 0);
    let mut note = |name: &str, (seeds, longest): (u64, Duration)| {
        let is_race = NOT_ATOMIC.contains(&name);
        println!(
            "{name:24} {seeds:2} of {SEEDS} seeds, at most {:.1} s{}",
            longest.as_secs_f64(),
            if is_race { ", not atomic" } else { "" }
        );
        all += 1;
        found += u64::from(seeds >= if is_race { SEEDS - 1 } else { SEEDS });
    };
    let is_wrong = |name: &str| !RIGHT.contains(&name);
    for trial in warehouse::in_rust().into_iter().filter(|trial| is_wrong(trial.name())) {
        let name = trial.name().to_string();
        note(&name, in_rust(&name));
    }
    for trial in readers_writers::in_rust().into_iter().filter(|trial| is_wrong(trial.name())) {
        let name = trial.name().to_string();
        note(&name, in_rust(&name));
    }
    for file in files(&warehouse::folder()) {
        let trial = warehouse::trial_of_java(&file).expect("it compiles");
        let name = trial.name().to_string();
        if is_wrong(&name) {
            note(&name, in_java(trial));
        }
    }
    for file in files(&readers_writers::folder()) {
        let trial = readers_writers::trial_of_java(&file).expect("it compiles");
        let name = trial.name().to_string();
        if is_wrong(&name) {
            note(&name, in_java(trial));
        }
    }
    (found, all)
}
