//! The chores of this repository: `cargo xtask test | order | deny | ci | fuzz | bench TOPIC`.

#![expect(clippy::print_stdout, reason = "a program for people")]

mod deny;
mod fuzz;
mod needs;
mod order;

use std::path::Path;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
cargo xtask test          install what the tests need (Debian, as root) or say what is missing, then run all tests
cargo xtask fuzz [TARGET] [--runs N]   feed what is read, a million inputs for each target (100 000 where CI=true)
cargo xtask order         check that dependencies between the crates point one way
cargo xtask deny          check licences, bans, duplicates and known advisories of what we depend on
cargo xtask ci            what the continuous integration runs: formatting, lints, documentation, order, dependencies, tests, fuzzing
cargo xtask bench TOPIC   gainsay beside its peers: shrink, generate, enumerate, histories, models, callouts, resources, machines, temporal, monitor, schemas, mended PART, hardening PART";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test", rest @ ..] => test(rest),
        ["order"] => order::check(root()),
        ["deny"] => deny::check(root()),
        ["ci"] => run(Command::new("bash").arg(".ci/run")),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["bench", topic, rest @ ..] => bench(topic, rest),
        _ => {
            println!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            println!("xtask: {trouble}");
            ExitCode::FAILURE
        }
    }
}

/// All tests, those in documentation included.
fn test(rest: &[&str]) -> Result<(), String> {
    needs::provide(needs::OF_TESTS)?;
    cargo(&[&["test", "--workspace", "--all-features"], rest].concat())
}

/// The bench crate has a workspace of its own, so that nobody compiles the peers by accident.
fn bench(topic: &str, rest: &[&str]) -> Result<(), String> {
    let manifest = root().join("benches/Cargo.toml");
    let mut command = Command::new("cargo");
    command
        .args(["run", "--release", "--quiet", "--manifest-path"])
        .arg(manifest)
        .args(["--", topic])
        .args(rest);
    run(&mut command)
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(Command::new("cargo").args(arguments))
}

fn run(command: &mut Command) -> Result<(), String> {
    println!("$ {}", shown(command));
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` failed ({status})", shown(command))),
        Err(error) => Err(format!("failed to run `{}`: {error}", shown(command))),
    }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// The repository: this package lies in its first level.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}
