//! hpl-rv, from PyPI, in an environment of its own: what it says of traces, and how fast.

use super::coinciding::Pair;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How often it is measured; the fastest counts.
const RUNS: usize = 3;

/// What it says of a pair.
#[derive(Debug)]
pub(super) enum Answer {
    /// The time of the first violation in nanoseconds, if there is one.
    Judged(Option<u64>),
    /// Why it cannot judge.
    Unsupported(String),
}

/// Events per CPU second on the trace of the baselines or, if some stay pending, on pairs.
pub(super) fn speed(python: &Path, events: usize, pending: usize) -> Option<f64> {
    let mut best: Option<f64> = None;
    for _ in 0..RUNS {
        let output = script(python, "speed")
            .args([events.to_string(), pending.to_string()])
            .stderr(Stdio::inherit())
            .output()
            .ok()?;
        let said: Value = serde_json::from_slice(&output.stdout).ok()?;
        let rate = said["events"].as_f64()? / said["seconds"].as_f64()?;
        best = Some(best.map_or(rate, |best| best.max(rate)));
    }
    best
}

/// What it says of each pair.
pub(super) fn agree(python: &Path, pairs: &[Pair]) -> Option<Vec<Answer>> {
    let mut process = script(python, "agree").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut input = process.stdin.take()?;
    let lines: String = pairs.iter().map(|pair| pair.to_json() + "\n").collect();
    // It answers while it is asked. The end of its input is when this thread drops it.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = process.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    let answers: Option<Vec<Answer>> = String::from_utf8_lossy(&output.stdout).lines().map(answer).collect();
    answers.filter(|answers| answers.len() == pairs.len())
}

fn answer(line: &str) -> Option<Answer> {
    let said: Value = serde_json::from_str(line).ok()?;
    Some(match said["verdict"].as_str()? {
        "violated" => Answer::Judged(Some(said["at_ms"].as_u64()? * 1_000_000)),
        "holds" => Answer::Judged(None),
        _ => Answer::Unsupported(said["why"].as_str()?.into()),
    })
}

fn script(python: &Path, command: &str) -> Command {
    let mut called = Command::new(python);
    called.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python/monitors.py")).arg(command);
    called
}

/// Its Python. Nothing if it cannot be installed.
pub(super) fn environment() -> Option<PathBuf> {
    let folder = std::env::temp_dir().join("gainsay-bench-hplrv");
    let python = folder.join("bin/python");
    if !folder.join("done").is_file() {
        let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status().ok()?;
        let installed = made.success()
            && Command::new(folder.join("bin/pip"))
                .args(["install", "-q", "hpl-specs==1.4.0", "hpl-rv==1.2.0"])
                .status()
                .ok()?
                .success();
        if !installed {
            println!("hpl-rv cannot be installed");
            return None;
        }
        std::fs::write(folder.join("done"), "").ok()?;
    }
    Some(python)
}
