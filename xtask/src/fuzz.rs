//! What is read, fed by libFuzzer: `cargo xtask fuzz [TARGET] [--runs N]`.

use crate::root;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Inputs for each target; fewer where a change waits for them.
const RUNS: u64 = 1_000_000;
const RUNS_CI: u64 = 100_000;

/// Seconds that an input may take; more where the machine may be busy with something else.
const TIME_MAX: u64 = 1;
const TIME_MAX_CI: u64 = 10;

/// Inputs are no longer, in bytes.
const LENGTH_MAX: &str = "4096";

/// A process has so much memory to address, in KiB: twice what an input may take, since the fuzzer itself needs some.
const ADDRESSES_MAX: &str = "1048576";

/// Coverage as libFuzzer wants it. (The stable compiler has these passes; only the option that would choose them is not stable.)
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table";

/// Builds the targets, and runs one or all of them.
pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    let (mut runs, mut wanted) = (if is_ci { RUNS_CI } else { RUNS }, None);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "--runs" => {
                let number = words.next().and_then(|number| number.parse().ok());
                runs = number.ok_or("`--runs` takes a number of inputs, such as 100000")?;
            }
            target => wanted = Some(target),
        }
    }
    let all = targets()?;
    let chosen: Vec<&String> = all.iter().filter(|target| wanted.is_none_or(|one| one == *target)).collect();
    if chosen.is_empty() {
        return Err(format!(
            "there is no target `{}`: there are {}",
            wanted.unwrap_or_default(),
            all.join(", ")
        ));
    }
    crate::needs::provide(crate::needs::OF_FUZZING)?;
    let binaries = build(wanted)?;
    let (mut inputs, mut panics, mut slow) = (0, 0, 0);
    for target in chosen {
        let done = feed(target, &binaries.join(target), runs, if is_ci { TIME_MAX_CI } else { TIME_MAX })?;
        (inputs, panics, slow) =
            (inputs + done.inputs, panics + u32::from(done.is_panic), slow + u32::from(done.is_slow));
    }
    println!("result: fuzz_inputs={inputs} panics={panics} slow={slow}");
    if panics + slow > 0 { Err("the fuzzer has found something, see above".into()) } else { Ok(()) }
}

/// The names of all targets.
fn targets() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/fuzz_targets");
    let listed = std::fs::read_dir(&folder)
        .map_err(|error| format!("failed to list `{}`: {error}", folder.display()))?;
    let mut names: Vec<String> = listed
        .flatten()
        .filter_map(|file| Some(file.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// Builds one target or all; where they are then.
fn build(wanted: Option<&str>) -> Result<PathBuf, String> {
    let host = host()?;
    let mut command = Command::new("cargo");
    command.args(["build", "--release", "--quiet", "--manifest-path"]).arg(root().join("fuzz/Cargo.toml"));
    // (With a target named, build scripts and macros are compiled without the flags.)
    command.args(["--target", &host]).env("RUSTFLAGS", FLAGS);
    if let Some(target) = wanted {
        command.args(["--bin", target]);
    }
    crate::run(&mut command)?;
    Ok(root().join("fuzz/target").join(host).join("release"))
}

/// The platform that this compiler compiles for.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|error| format!("failed to run `rustc -vV`: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| "`rustc -vV` does not name the host".into())
}

/// What came of a target.
struct Done {
    inputs: u64,
    is_panic: bool,
    is_slow: bool,
}

/// Feeds one target, in a process of its own: whatever ends it is seen from outside.
fn feed(target: &str, binary: &Path, runs: u64, time_max: u64) -> Result<Done, String> {
    let failed = |what: &str, error: std::io::Error| format!("failed to {what} for `{target}`: {error}");
    let found = root().join("fuzz/found").join(target);
    std::fs::create_dir_all(&found).map_err(|error| failed("make a folder", error))?;
    let corpus = std::env::temp_dir().join(format!("gainsay-fuzz-{target}-{}", std::process::id()));
    std::fs::create_dir_all(&corpus).map_err(|error| failed("make a folder", error))?;
    let start = Instant::now();
    // (Memory that is taken and given back within a moment is seen by nobody but the kernel: hence its limit as well.)
    let output = Command::new("sh")
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\"", ADDRESSES_MAX])
        .arg(binary)
        .args([&corpus, &root().join("fuzz/seeds").join(target)])
        .args(["-seed=1", "-rss_limit_mb=512", "-print_final_stats=1"])
        .arg(format!("-timeout={time_max}"))
        .arg(format!("-runs={runs}"))
        .arg(format!("-max_len={LENGTH_MAX}"))
        .arg(format!("-artifact_prefix={}/", found.display()))
        .stdout(Stdio::null())
        .output();
    let _ = std::fs::remove_dir_all(&corpus);
    let output = output.map_err(|error| failed("run the fuzzer", error))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let seconds = start.elapsed().as_secs_f64();
    let number = |name: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    let (inputs, memory) = (number("stat::number_of_executed_units:"), number("stat::peak_rss_mb:"));
    let is_slow = !output.status.success()
        && (said.contains("libFuzzer: timeout") || said.contains("libFuzzer: out-of-memory"));
    let is_panic = !output.status.success() && !is_slow;
    let verdict = if output.status.success() {
        "ok"
    } else if is_slow {
        "SLOW OR LARGE"
    } else {
        "PANIC"
    };
    println!("{target}: {inputs} inputs in {seconds:.0} s, {memory} MB at most: {verdict}");
    if !output.status.success() {
        let kept =
            said.lines().find_map(|line| line.split_once("Test unit written to ").map(|(_, path)| path));
        println!("  input  {}", kept.unwrap_or("was not kept"));
        for line in said.lines().filter(|line| line.contains("panicked") || line.contains("SUMMARY")).take(4)
        {
            println!("  {line}");
        }
        let at = said.lines().skip_while(|line| !line.contains("panicked")).skip(1);
        at.take(3).for_each(|line| println!("  {line}"));
    }
    Ok(Done { inputs, is_panic, is_slow })
}
