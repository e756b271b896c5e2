//! Tests the safety controller by its specification, and shows what is wrong with a forgetful one. With arguments, this is the program `gainsay` with
//! two nodes of its own.

use gainsay_cli::Program;
use safety_controller::SafetyController;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let program = Program::new()
        .node("safety_controller", |case| vec![Box::new(SafetyController::new(case.int(0..=99u64)))])
        .node("forgetful", |case| vec![Box::new(SafetyController::forgetful(case.int(0..=99u64)))]);
    if std::env::args_os().len() > 1 {
        return program.main();
    }
    // The forgetful one is caught, and the right one is not.
    let caught = program.call(["test", &file("forgetful.toml"), "--seed", "1", "--no-corpus"]);
    let passed = program.call(["test", &file("system.toml"), "--seed", "1", "--no-corpus"]);
    ExitCode::from(u8::from(caught != 1 || passed != 0))
}

/// A file of this example, as seen from here.
fn file(name: &str) -> String {
    let near = Path::new("examples/safety-controller").join(name);
    let path = if near.exists() { near } else { Path::new(env!("CARGO_MANIFEST_DIR")).join(name) };
    path.display().to_string()
}
