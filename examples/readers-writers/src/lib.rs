//! Readers and writers, first come, first served: a shared resource and its implementations, some of which are wrong.

pub mod implementations;
pub mod specification;

use gainsay::resource::{Json, Trial, Trouble, java, on_threads, trial};
use implementations::{board, numbers, porter, tickets, turns};
use specification::{Call, ReadersWriters, next, policy, show, show_inside};
use std::path::{Path, PathBuf};

/// The trial of an implementation in Rust.
pub fn trial_of<T: implementations::ReadersWriters>(name: &str) -> Trial<ReadersWriters> {
    let real = on_threads(T::new, |real: &T, call: &Call| match call {
        Call::BeforeRead => real.before_read(),
        Call::AfterRead => real.after_read(),
        Call::BeforeWrite => real.before_write(),
        Call::AfterWrite => real.after_write(),
    });
    trial(name, ReadersWriters, policy(), next, real).show(show, show_inside)
}

/// The trial of an implementation in Java: a file with a class of the same name.
///
/// # Errors
/// If it cannot be compiled.
pub fn trial_of_java(file: &Path) -> Result<Trial<ReadersWriters>, Trouble> {
    let class = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let decode = |value: &Json| if value.is_null() { Ok(()) } else { Err("nothing is expected".into()) };
    let real = java(&[file], &class, [], |call: &Call| (show(call), Vec::new()), decode)?;
    Ok(trial(&class, ReadersWriters, policy(), next, real).show(show, show_inside))
}

/// All implementations in Rust.
pub fn in_rust() -> Vec<Trial<ReadersWriters>> {
    vec![
        trial_of::<tickets::Tickets>("tickets.rs"),
        trial_of::<board::Board>("board.rs"),
        trial_of::<numbers::Numbers>("numbers.rs"),
        trial_of::<porter::Porter>("porter.rs"),
        trial_of::<turns::Turns>("turns.rs"),
    ]
}

/// The implementations in Java that come with this example.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("java")
}
