//! AALpy, from PyPI, in an environment of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Inputs per second of AALpy.
pub(super) struct Rates {
    pub(super) walk: f64,
    pub(super) wp: f64,
}

/// Measures it on a file; nothing if it cannot be installed.
pub(super) fn rates(file: &Path) -> Option<Rates> {
    let python = environment()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/machines.py");
    let output = Command::new(python).arg(script).arg(file).args(["--turns", "8"]).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.lines().for_each(|line| println!("  AALpy: {line}"));
    let rate = |name: &str| {
        let line = said.lines().find(|line| line.split(' ').next() == Some(name))?;
        line.split(' ').nth(1)?.parse().ok()
    };
    Some(Rates { walk: rate("walk")?, wp: rate("wp")? })
}

fn environment() -> Option<PathBuf> {
    let folder = std::env::temp_dir().join("gainsay-bench-aalpy");
    let python = folder.join("bin/python");
    if !folder.join("done").is_file() {
        let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status().ok()?;
        let installed = made.success()
            && Command::new(folder.join("bin/pip"))
                .args(["install", "-q", "aalpy==2.0.0"])
                .status()
                .ok()?
                .success();
        if !installed {
            println!("AALpy cannot be installed");
            return None;
        }
        std::fs::write(folder.join("done"), "").ok()?;
    }
    Some(python)
}
