//! The right implementations pass and the wrong ones do not, though all of them pass a test by hand.

use gainsay::Settings;
use gainsay::resource::{Table, Trial};
use std::path::Path;
use std::process::Command;
use warehouse::specification::Warehouses;
use warehouse::{folder, in_rust, trial_of_java};

const RIGHT: [&str; 5] =
    ["monitor.rs", "server.rs", "MonitorWarehouses", "QueuedWarehouses", "ServerWarehouses"];

fn brief(cases: u64) -> Settings {
    gainsay::settings().seed(1).cases(cases).without_corpus().limits(|limits| limits.shrinks_max = 30)
}

/// Whether the table says of each what it should.
fn judged(trials: impl IntoIterator<Item = Trial<Warehouses>>) {
    let mut table = Table::new();
    for trial in trials {
        let is_right = RIGHT.contains(&trial.name());
        let name = trial.name().to_string();
        let verdict = table.add(trial.settings(brief(if is_right { 30 } else { 2000 })).phases(30, 3));
        assert_eq!(verdict.is_some_and(|verdict| verdict.is_good()), is_right, "{name}: {verdict:?}");
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
