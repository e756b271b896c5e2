//! The right implementations pass and the wrong ones do not, though all of them pass a test by hand.

use gainsay::resource::{Round, Trial};
use gainsay::{Limits, Settings};
use readers_writers::specification::ReadersWriters;
use readers_writers::{folder, in_rust, trial_of_java};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const RIGHT: [&str; 2] = ["tickets.rs", "TicketReadersWriters"];

/// Where threads must meet at the wrong moment.
const RACES: [&str; 2] = ["LineReadersWriters", "board.rs"];

fn brief(limits: impl FnOnce(&mut Limits)) -> Settings {
    gainsay::settings().seed(1).without_corpus().limits(|all| {
        all.shrinks_max = 30;
        limits(all);
    })
}

/// Whether each is judged as it should be.
fn judged(trials: impl IntoIterator<Item = Trial<ReadersWriters>>) {
    for trial in trials {
        let name = trial.name().to_string();
        if RACES.contains(&name.as_str()) {
            // Luck is needed, and mostly comes in a second.
            let long =
                brief(|limits| (limits.cases_max, limits.time_max) = (u64::MAX, Duration::from_secs(60)));
            let verdict = trial.settings(long).verdict_round(Round::Concurrent);
            assert!(!verdict.is_good(), "{name}: {verdict}");
            continue;
        }
        let is_right = RIGHT.contains(&name.as_str());
        let cases = if is_right { 15 } else { 200 };
        let verdict = trial.settings(brief(|limits| limits.cases_max = cases)).verdict();
        assert_eq!(verdict.is_good(), is_right, "{name}: {verdict}");
    }
}

fn java_files() -> Vec<std::path::PathBuf> {
    let listed = std::fs::read_dir(folder()).unwrap().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = listed.collect();
    files.sort();
    files
}

#[test]
fn in_rust_the_wrong_ones_are_found() {
    judged(in_rust());
}

#[test]
fn in_java_the_wrong_ones_are_found() {
    judged(java_files().iter().map(|file| trial_of_java(file).unwrap()));
}

#[test]
fn all_in_java_pass_a_test_by_hand() {
    let classes = std::env::temp_dir().join(format!("hand-written-{}", std::process::id()));
    std::fs::create_dir_all(&classes).unwrap();
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join("java-test/HandWritten.java");
    let files = java_files();
    let compiled = Command::new("javac").arg("-d").arg(&classes).arg(test).args(&files).status().unwrap();
    assert!(compiled.success());
    let names = files.iter().map(|file| file.file_stem().unwrap());
    let ran = Command::new("java").arg("-cp").arg(&classes).arg("HandWritten").args(names).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    std::fs::remove_dir_all(&classes).unwrap();
}
