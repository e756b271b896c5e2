//! Robots in warehouses: a shared resource and its implementations, some of which are wrong.

pub mod implementations;
pub mod specification;

use gainsay::resource::{Json, Trial, Trouble, java, json, on_threads, trial};
use implementations::{Warehouse, depot, monitor, rooms, sections, server, tally, yard};
use specification::{Door, Walk, Warehouses, next, policy, show, show_inside};
use std::path::{Path, PathBuf};

/// The warehouses that are tested.
pub const WAREHOUSES: Warehouses = Warehouses { count: 3, weight_max: 1000 };

/// The trial of an implementation in Rust.
pub fn trial_of<W: Warehouse>(name: &str) -> Trial<Warehouses> {
    let real = on_threads(
        || W::new(WAREHOUSES.count, WAREHOUSES.weight_max),
        |warehouses: &W, walk: &Walk| match walk.door {
            Door::Enter => warehouses.enter(walk.warehouse, walk.weight),
            Door::Exit => warehouses.exit(walk.warehouse, walk.weight),
        },
    );
    let calls = |seen: &_, case: &mut _| next(&WAREHOUSES, seen, case);
    trial(name, WAREHOUSES, policy(), calls, real).show(show, show_inside)
}

/// The trial of an implementation in Java: a file with a class of the same name.
///
/// # Errors
/// If it cannot be compiled.
pub fn trial_of_java(file: &Path) -> Result<Trial<Warehouses>, Trouble> {
    let class = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = [json!(WAREHOUSES.count), json!(WAREHOUSES.weight_max)];
    let encode = |walk: &Walk| {
        let method = if walk.door == Door::Enter { "enter" } else { "exit" };
        (method.to_string(), vec![json!(walk.warehouse), json!(walk.weight)])
    };
    let decode = |value: &Json| if value.is_null() { Ok(()) } else { Err("nothing is expected".into()) };
    let real = java(&[file], &class, arguments, encode, decode)?;
    let calls = |seen: &_, case: &mut _| next(&WAREHOUSES, seen, case);
    Ok(trial(&class, WAREHOUSES, policy(), calls, real).show(show, show_inside))
}

/// All implementations in Rust.
pub fn in_rust() -> Vec<Trial<Warehouses>> {
    vec![
        trial_of::<monitor::Monitor>("monitor.rs"),
        trial_of::<server::Server>("server.rs"),
        trial_of::<depot::Depot>("depot.rs"),
        trial_of::<rooms::Rooms>("rooms.rs"),
        trial_of::<sections::Sections>("sections.rs"),
        trial_of::<tally::Tally>("tally.rs"),
        trial_of::<yard::Yard>("yard.rs"),
    ]
}

/// The implementations in Java that come with this example.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("java")
}
