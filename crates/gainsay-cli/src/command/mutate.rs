//! `gainsay mutate`: tests with mutants of the properties. A mutant that no trace falsifies is something that the tests do not see.

use crate::arguments::{Format, Mutate};
use crate::system::{bus, chosen, engine, read};
use crate::{Mistake, Program};
use gainsay_core::Verdict;
use gainsay_msg::{Guidance, Mutant, Operation, Rule, SystemFile, SystemTest, hpl, mutants, resolve};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Traces for each mutant, if nobody says otherwise.
const CASES: u64 = 200;

pub(crate) fn run(program: &Program, arguments: &Mutate) -> Result<u8, Mistake> {
    if arguments.format == Format::Junit {
        return Err(Mistake::new("mutants are no tests that pass or fail: `--format text` or `json`"));
    }
    let file = read(&arguments.file)?;
    let testable = file.system.testable();
    let rules = chosen(&testable, &arguments.effort.properties)?;
    let all: Vec<Mutant> = rules.iter().flat_map(|rule| mutants(rule, &file.system)).collect();
    let all: Vec<Mutant> = all
        .into_iter()
        .filter(|mutant| file.system.class(&mutant.rule) == gainsay_msg::Class::Testable)
        .collect();
    if arguments.list {
        for mutant in &all {
            say!("{}  {:<10}  {}", mutant.rule.id, mutant.operation.word(), mutant.rule);
        }
        return Ok(0);
    }
    let stronger = match &arguments.stronger {
        Some(path) => further(path, &file)?,
        None => Vec::new(),
    };
    let mut rows = vec![("base", Guidance::Schemas, Vec::new()), ("empty", Guidance::Empty, Vec::new())];
    if !stronger.is_empty() {
        rows.push(("base, stronger axioms", Guidance::Schemas, stronger.clone()));
        rows.push(("empty, stronger axioms", Guidance::Empty, stronger));
    }
    if arguments.format == Format::Text {
        say!("{}  {} mutants of {} properties", file.system.name, all.len(), rules.len());
    }
    let mut best_survivors = Vec::new();
    for (place, (name, guidance, axioms)) in rows.into_iter().enumerate() {
        let row = row(program, arguments, &file, &all, guidance, &axioms)?;
        print_row(name, &row, arguments.format);
        if place == 0 || row.survivors.len() < best_survivors.len() {
            best_survivors = row.survivors;
        }
    }
    if arguments.format == Format::Text && !best_survivors.is_empty() {
        say!("  not found by anybody who looked best:");
        for mutant in &best_survivors {
            say!("    {}  {:<10}  {}", mutant.rule.id, mutant.operation.word(), mutant.rule);
        }
    }
    Ok(0)
}

/// Further axioms from a file.
fn further(path: &std::path::Path, file: &SystemFile) -> Result<Vec<Arc<Rule>>, Mistake> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Mistake::new(format!("failed to read `{name}`: {error}")))?;
    let parsed = hpl::parse(&text);
    let (rules, troubles) = resolve(&parsed.properties, &file.system);
    let mut found = gainsay_msg::diagnostic::Diagnostics::default();
    let source = Arc::new(gainsay_msg::diagnostic::Source::new(name, text));
    found.add(&source, parsed.troubles.into_iter().chain(troubles));
    if found.has_errors() {
        return Err(Mistake::new(found.to_string()));
    }
    if let Some(rule) = rules.iter().find(|rule| file.system.class(rule) != gainsay_msg::Class::Axiom) {
        return Err(Mistake::new(format!("`{}` is no axiom: it speaks of outputs", rule.id)));
    }
    Ok(rules.into_iter().map(Arc::new).collect())
}

struct Row {
    killed: usize,
    all: usize,
    /// Traces to the first, and to the last counterexample.
    first: f64,
    last: f64,
    time: Duration,
    by_operation: BTreeMap<Operation, (usize, usize)>,
    survivors: Vec<Mutant>,
}

fn row(
    program: &Program,
    arguments: &Mutate,
    file: &SystemFile,
    all: &[Mutant],
    guidance: Guidance,
    axioms: &[Arc<Rule>],
) -> Result<Row, Mistake> {
    let begun = Instant::now();
    let (mut first, mut last, mut killed) = (0, 0, 0);
    let mut by_operation: BTreeMap<Operation, (usize, usize)> = BTreeMap::new();
    let mut survivors = Vec::new();
    let mut bus = bus(program, file)?;
    let mut effort = arguments.effort.clone();
    effort.cases = effort.cases.or(Some(CASES));
    for mutant in all {
        let settings = engine(file, &effort).without_corpus().replayed_by("gainsay");
        let test = SystemTest::of_rule(&file.system, Arc::clone(&mutant.rule));
        let tested =
            test.assume(axioms.iter().cloned()).guidance(guidance).settings(settings).run(&mut *bus)?;
        if let Some(trouble) = tested.trouble {
            return Err(Mistake::of_system(trouble.to_string()));
        }
        let counts = by_operation.entry(mutant.operation).or_default();
        counts.1 += 1;
        match &tested.report.verdict {
            Verdict::Falsified(found) => {
                killed += 1;
                counts.0 += 1;
                first += found.cases;
                last += found.cases + found.counterexample.evaluations;
            }
            _ => survivors.push(mutant.clone()),
        }
    }
    let mean = |sum: u64| if killed == 0 { 0.0 } else { sum as f64 / killed as f64 };
    Ok(Row {
        killed,
        all: all.len(),
        first: mean(first),
        last: mean(last),
        time: begun.elapsed(),
        by_operation,
        survivors,
    })
}

fn print_row(name: &str, row: &Row, format: Format) {
    let score = row.killed as f64 / row.all.max(1) as f64;
    if format == Format::Json {
        let operations: BTreeMap<&str, String> = row
            .by_operation
            .iter()
            .map(|(operation, (killed, all))| (operation.word(), format!("{killed}/{all}")))
            .collect();
        let survivors: Vec<String> = row.survivors.iter().map(|mutant| mutant.rule.to_string()).collect();
        say!(
            "{}",
            json!({"schemas": name, "killed": row.killed, "mutants": row.all, "score": score, "first": row.first,
                   "final": row.last, "seconds": row.time.as_secs_f64(), "operations": operations, "survivors": survivors})
        );
        return;
    }
    say!(
        "  {name:<24} {:>4} of {:<4} killed  score {score:.3}  first after {:.1} traces, final after {:.1}  {:.1} s",
        row.killed,
        row.all,
        row.first,
        row.last,
        row.time.as_secs_f64()
    );
    let shown: Vec<String> = row
        .by_operation
        .iter()
        .map(|(operation, (killed, all))| format!("{} {killed}/{all}", operation.word()))
        .collect();
    say!("    {}", shown.join(", "));
}
