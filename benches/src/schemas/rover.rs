//! A rover behind a message bus, and its ten bugs.

use super::{mean, print};
use gainsay::settings;
use gainsay_msg::{Guidance, StdioBus, SystemFile, SystemTest, Tested, Timing};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const BUGS: usize = 10;
/// Bugs are looked for with each of these.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
/// The correct one is tested with each of these.
const SEEDS_OF_CORRECT: [u64; 3] = [1, 2, 3];
const TRACES: u64 = 200;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds the rover; where it is.
pub(super) fn built() -> Result<PathBuf, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--release", "--quiet", "-p", "rover"]).current_dir(root());
    // (The folder of the benches is another one.)
    command.env_remove("CARGO_TARGET_DIR");
    match command.status() {
        Ok(status) if status.success() => Ok(root().join("target/release/rover")),
        Ok(status) => Err(format!("failed to build the rover ({status})")),
        Err(error) => Err(format!("failed to build the rover: {error}")),
    }
}

/// What was counted.
pub(super) struct Counted {
    pub(super) properties: usize,
    /// Properties of the correct rover that passed.
    pub(super) kept: usize,
    /// Bugs that were found by schemas, and by axioms only: the mean of all seeds.
    pub(super) base: f64,
    pub(super) empty: f64,
}

pub(super) fn compare(program: &Path) -> Result<Counted, String> {
    let (file, _) = SystemFile::read(&root().join("examples/rover/system.toml"))
        .map_err(|troubles| troubles.to_string())?;
    let begun = Instant::now();
    let properties = file.system.testable();
    let mut kept = properties.len();
    let mut bus = bus(&file, program, None)?;
    for rule in &properties {
        let all =
            SEEDS_OF_CORRECT.iter().map(|seed| test(&file, &mut bus, &rule.id, Guidance::Schemas, *seed));
        for tested in all.collect::<Result<Vec<_>, _>>()? {
            if !tested.report.verdict.is_good() {
                kept -= 1;
                println!("the correct rover: {}\n{}", rule.id, tested.report.verdict);
                break;
            }
        }
    }
    println!(
        "the correct rover: {kept}/{} properties, {:.1} s\n",
        properties.len(),
        begun.elapsed().as_secs_f64()
    );
    let mut rows = vec![["bug", "by schemas", "by axioms only"].map(str::to_owned).to_vec()];
    let mut found = [[0u64; 2]; SEEDS.len()];
    let mut seconds = [0.0; 2];
    for bug in 1..=BUGS {
        let mut row = vec![bug.to_string()];
        for (column, guidance) in [Guidance::Schemas, Guidance::Empty].into_iter().enumerate() {
            let begun = Instant::now();
            let mut traces = Vec::new();
            let mut what = "missed".to_owned();
            for (place, seed) in SEEDS.into_iter().enumerate() {
                if let Some(first) = first(&file, program, bug, guidance, seed)? {
                    found[place][column] += 1;
                    traces.push(first.traces);
                    what = first.what;
                }
            }
            traces.sort_unstable();
            let median = traces.get(traces.len() / 2).map(|median| format!(", after {median}"));
            row.push(format!("{what}: {}/{}{}", traces.len(), SEEDS.len(), median.unwrap_or_default()));
            seconds[column] += begun.elapsed().as_secs_f64();
        }
        rows.push(row);
    }
    print(&rows);
    println!("rover: {:.1} s by schemas, {:.1} s by axioms only", seconds[0], seconds[1]);
    let column = |column: usize| found.iter().map(move |found| found[column]);
    println!(
        "found with each seed: {:?} by schemas, {:?} by axioms only\n",
        column(0).collect::<Vec<_>>(),
        column(1).collect::<Vec<_>>()
    );
    let mean = |place: usize| mean(column(place));
    Ok(Counted { properties: properties.len(), kept, base: mean(0), empty: mean(1) })
}

/// What a bug was found by.
struct First {
    what: String,
    traces: u64,
}

/// The first property that a bug breaks, and after how many traces of it.
fn first(
    file: &SystemFile,
    program: &Path,
    bug: usize,
    guidance: Guidance,
    seed: u64,
) -> Result<Option<First>, String> {
    let mut bus = bus(file, program, Some(bug))?;
    for rule in file.system.testable() {
        let tested = test(file, &mut bus, &rule.id, guidance, seed)?;
        let verdict = &tested.report.verdict;
        if verdict.counterexample().is_some() {
            let trouble = tested.trouble.as_ref().map(|trouble| format!(" ({trouble})")).unwrap_or_default();
            return Ok(Some(First { what: format!("{}{trouble}", rule.id), traces: verdict.cases() }));
        }
    }
    Ok(None)
}

fn bus(file: &SystemFile, program: &Path, bug: Option<usize>) -> Result<StdioBus, String> {
    let mut starting = file.starting.clone().ok_or("the rover has no `start`")?;
    starting.command = vec![program.display().to_string()];
    starting.command.extend(bug.into_iter().flat_map(|bug| ["--bug".to_owned(), bug.to_string()]));
    Ok(StdioBus::new(starting, file.timing == Timing::Virtual, file.can_reset))
}

fn test(
    file: &SystemFile,
    bus: &mut StdioBus,
    id: &str,
    guidance: Guidance,
    seed: u64,
) -> Result<Tested, String> {
    let settings = settings().cases(TRACES).seed(seed).without_corpus();
    let test = SystemTest::new(&file.system, id).settings(settings).guidance(guidance);
    test.run(bus).map_err(|error| format!("{id}: {error}"))
}
