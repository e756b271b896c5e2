//! Tests all implementations of the warehouses: those in Rust and Java that come with this example, or a folder of Java files.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

use gainsay::resource::{Table, Trial, validate};
use gainsay::settings;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use warehouse::specification::{policy, robots};
use warehouse::{WAREHOUSES, folder, in_rust, trial_of_java};

fn main() -> ExitCode {
    let given = std::env::args().nth(1).map(PathBuf::from);
    let is_own = given.is_none();
    let folder = given.unwrap_or_else(folder);
    let mut files = match java_files(&folder) {
        Ok(files) => files,
        Err(trouble) => {
            eprintln!("{trouble}");
            return ExitCode::from(2);
        }
    };
    files.sort();
    println!("The specification, with three robots that go through:\n");
    println!("  {}", validate(&WAREHOUSES, &policy(), &robots(WAREHOUSES.count, &[600, 500, 400])));
    println!("\nThe implementations:\n");
    let mut table = Table::new();
    // At least 200 tests a round, and more as long as there is time.
    let plain =
        |trial: Trial<_>| trial.settings(settings().without_corpus()).budget(200, Duration::from_secs(3));
    if is_own {
        for trial in in_rust() {
            eprintln!("testing {}", trial.name());
            table.add(plain(trial));
        }
    }
    for file in files {
        eprintln!("testing {}", file.display());
        match trial_of_java(&file) {
            Ok(trial) => _ = table.add(plain(trial)),
            Err(trouble) => table.add_untestable(&file.display().to_string(), trouble),
        }
    }
    println!("{table}");
    for round in gainsay::resource::Round::ALL {
        if let Some((name, verdict)) = table.failed(round).next() {
            println!("\nFor instance {name}: {verdict}");
        }
    }
    ExitCode::SUCCESS
}

fn java_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listed = std::fs::read_dir(folder).map_err(|error| {
        format!("failed to list `{}`: {error}; name a folder of Java files", folder.display())
    })?;
    let files = listed.flatten().map(|entry| entry.path());
    Ok(files.filter(|path| path.extension().is_some_and(|extension| extension == "java")).collect())
}
