//! The safety controller of a robot, by the properties that others have written for it, and by mutants of these.

use super::{Outcome, SEEDS, mean, print};
use gainsay::settings;
use gainsay_msg::{System, SystemTest, Tested};
use safety_controller::SafetyController;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Axioms, properties and mutants.
pub(super) struct Catalogue {
    axioms: Vec<String>,
    properties: Vec<String>,
    mutants: Vec<String>,
}

/// What the authors left out: without it, a wheel may drop before the controller has had its turn.
const AXIOM: &str = "globally: /mobile_base/events/bumper {state = PRESSED} forbids /mobile_base/events/wheel_drop {state = DROPPED} within 100 ms";

/// The property that is false without it.
const FIFTH: usize = 4;

const TRACES_OF_PROPERTIES: u64 = 2000;
const TRACES_OF_MUTANTS: u64 = 200;

impl Catalogue {
    /// Reads `$GAINSAY_DATA/kobuki`, by default that of the folder beside the project.
    pub(super) fn read() -> Result<Catalogue, String> {
        let data = match std::env::var_os("GAINSAY_DATA") {
            Some(data) => PathBuf::from(data),
            None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        };
        let path = data.join("kobuki/safety_controller.jsonl");
        let text = std::fs::read_to_string(&path).map_err(|error| {
            format!(
                "no catalogue at {}: {error}: set GAINSAY_DATA to the folder that has a folder `kobuki`",
                path.display()
            )
        })?;
        let mut catalogue = Catalogue { axioms: Vec::new(), properties: Vec::new(), mutants: Vec::new() };
        for line in text.lines() {
            let entry: serde_json::Value =
                serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            let said = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            let list = match said("kind").as_str() {
                "axiom" => &mut catalogue.axioms,
                "property" => &mut catalogue.properties,
                "mutant" => &mut catalogue.mutants,
                other => return Err(format!("{}: what is a `{other}`?", path.display())),
            };
            // (The file repeats a mutant.)
            if !list.contains(&said("property")) {
                list.push(said("property"));
            }
        }
        Ok(catalogue)
    }
}

/// What was counted.
pub(super) struct Counted {
    pub(super) properties: usize,
    pub(super) kept: usize,
    pub(super) is_fifth_falsified: bool,
    pub(super) mutants: usize,
    pub(super) killed: usize,
    pub(super) first: f64,
    pub(super) last: f64,
}

pub(super) fn compare(catalogue: &Catalogue) -> Result<Counted, String> {
    let begun = Instant::now();
    let mut is_fifth_falsified = true;
    let mut falsified = Vec::new();
    for (place, property) in catalogue.properties.iter().enumerate() {
        let tested = test(&catalogue.axioms, property, TRACES_OF_PROPERTIES, SEEDS[0])?;
        let is_falsified = tested.report.verdict.counterexample().is_some();
        if place == FIFTH {
            is_fifth_falsified = is_falsified;
            println!("{property}\n{}\n", tested.report.verdict);
        } else if is_falsified {
            falsified.push(tested);
        }
    }
    println!("properties without the thirteenth axiom: {:.1} s\n", begun.elapsed().as_secs_f64());
    let mut axioms = catalogue.axioms.clone();
    axioms.push(AXIOM.to_owned());
    let begun = Instant::now();
    let mut outcomes = Vec::new();
    let mut kept = 0;
    for property in &catalogue.properties {
        let tested = test(&axioms, property, TRACES_OF_PROPERTIES, SEEDS[0])?;
        kept += usize::from(tested.report.verdict.is_good());
        outcomes.push(Outcome::of(&tested));
        if !tested.report.verdict.is_good() {
            falsified.push(tested);
        }
    }
    falsified.iter().for_each(|tested| {
        println!("falsely falsified: {}\n{}\n", tested.rule.property, tested.report.verdict)
    });
    println!("properties with it: {:.1} s; {}\n", begun.elapsed().as_secs_f64(), refused(&outcomes));
    let mutants = mutants(&axioms, &catalogue.mutants)?;
    Ok(Counted { properties: catalogue.properties.len(), kept, is_fifth_falsified, ..mutants })
}

/// Tests all mutants with all seeds.
fn mutants(axioms: &[String], mutants: &[String]) -> Result<Counted, String> {
    let begun = Instant::now();
    let mut rows =
        vec![["seed", "killed", "first", "worst", "final", "worst", "seconds"].map(str::to_owned).to_vec()];
    let mut all = Vec::new();
    let mut killed_least = mutants.len();
    for seed in SEEDS {
        let begun = Instant::now();
        let mut outcomes = Vec::new();
        for mutant in mutants {
            let tested = test(axioms, mutant, TRACES_OF_MUTANTS, seed)?;
            let outcome = Outcome::of(&tested);
            if !outcome.is_falsified {
                println!("survives with seed {seed}: {mutant}\n  {}", tested.report.verdict);
            }
            outcomes.push(outcome);
        }
        let killed = || outcomes.iter().filter(|outcome| outcome.is_falsified);
        killed_least = killed_least.min(killed().count());
        rows.push(vec![
            seed.to_string(),
            format!("{}/{}", killed().count(), mutants.len()),
            format!("{:.1}", mean(killed().map(|outcome| outcome.first))),
            killed().map(|outcome| outcome.first).max().unwrap_or(0).to_string(),
            format!("{:.1}", mean(killed().map(|outcome| outcome.last))),
            killed().map(|outcome| outcome.last).max().unwrap_or(0).to_string(),
            format!("{:.1}", begun.elapsed().as_secs_f64()),
        ]);
        all.extend(outcomes);
    }
    print(&rows);
    let killed = || all.iter().filter(|outcome| outcome.is_falsified);
    let seconds = begun.elapsed().as_secs_f64();
    println!("mutants: {seconds:.1} s, {:.3} s for each; {}\n", seconds / all.len() as f64, refused(&all));
    Ok(Counted {
        properties: 0,
        kept: 0,
        is_fifth_falsified: false,
        mutants: mutants.len(),
        killed: killed_least,
        first: mean(killed().map(|outcome| outcome.first)),
        last: mean(killed().map(|outcome| outcome.last)),
    })
}

fn refused(outcomes: &[Outcome]) -> String {
    let sum = |number: fn(&Outcome) -> u64| outcomes.iter().map(number).sum::<u64>();
    let (drawn, refused) = (sum(|outcome| outcome.drawn), sum(|outcome| outcome.refused));
    format!("{:.1} % of {drawn} traces refused", 100.0 * refused as f64 / drawn.max(1) as f64)
}

/// Tests a property of the controller. Nothing else is known but the axioms.
fn test(axioms: &[String], property: &str, traces: u64, seed: u64) -> Result<Tested, String> {
    let text = format!("{}\n\n# id: tested\n{property}\n", axioms.join("\n\n"));
    let system = System::new("kobuki", safety_controller::system().system.channels).with_properties(&text)?;
    let settings = settings().cases(traces).seed(seed).without_corpus();
    let test = SystemTest::new(&system, "tested").settings(settings);
    test.run(&mut SafetyController::bus(SafetyController::new))
        .map_err(|error| format!("{property}: {error}"))
}
