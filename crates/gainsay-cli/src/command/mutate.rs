//! `gainsay mutate`: tests with mutants of the properties. A mutant that no trace falsifies is something that the tests do not see.

use crate::arguments::{Format, Mutate};
use crate::interrupt::Interrupted;
use crate::output::say_json;
use crate::result::EXIT_UNDECIDED;
use crate::system::{bus, chosen, engine, read};
use crate::{Mistake, Program};
use gainsay_core::Verdict;
use gainsay_msg::{
    Apart, Guidance, Mutant, Operation, Rule, SystemFile, SystemTest, hpl, mutants, resolve, told_apart,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
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
    let mut best = Groups::default();
    for (place, (name, guidance, axioms)) in rows.into_iter().enumerate() {
        let so_far = Arc::new(Mutex::new(Row::new()));
        let (told, count, format) = (Arc::clone(&so_far), all.len(), arguments.format);
        let interrupted = Interrupted::tells(move |signal| {
            let row = told.lock().unwrap_or_else(PoisonError::into_inner);
            // (Why each survivor survived is not asked any more.)
            let groups = [row.survivors.clone(), Vec::new(), Vec::new()];
            print_row(name, &row, &groups, format, Some(signal));
            if format == Format::Text {
                say!("  interrupted by {signal} after {} of {count} mutants", row.all);
            }
            Some(EXIT_UNDECIDED)
        });
        row(program, arguments, &file, &all, guidance, &axioms, &so_far)?;
        drop(interrupted);
        let row = so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = groups(&file, &row.survivors, arguments.effort.seed.unwrap_or(1));
        print_row(name, &row, &groups, arguments.format, None);
        if place == 0 || row.survivors.len() < best.iter().map(Vec::len).sum() {
            best = groups;
        }
    }
    if arguments.format == Format::Text {
        print_survivors(&best);
    }
    Ok(0)
}

/// Traces that are drawn to tell a mutant from its property.
const APART: u64 = 500;

/// What is said of survivors, by how they are told from their properties.
const GROUPS: [&str; 3] = [
    "survivors: traces that keep the property violate them, and the tests see none",
    "implied by the property, as far as can be seen: what violates them violates it too",
    "never told from the property by any trace that was drawn: they may mean the same",
];

/// Survivors: real ones, those that are implied, and those that are never told apart.
type Groups = [Vec<Mutant>; 3];

fn groups(file: &SystemFile, survivors: &[Mutant], seed: u64) -> Groups {
    let mut groups = Groups::default();
    for mutant in survivors {
        let original = mutant.rule.id.rsplit_once('~').and_then(|(id, _)| file.system.rule(id));
        let apart = original.map(|rule| told_apart(&file.system, rule, &mutant.rule, APART, seed));
        let place = match apart {
            Some(Apart::Implied) => 1,
            Some(Apart::Never) => 2,
            Some(Apart::By(_)) | None => 0,
        };
        groups[place].push(mutant.clone());
    }
    groups
}

/// Prints the mutants that nobody found, apart from those that nobody can find.
fn print_survivors(groups: &Groups) {
    for (title, group) in GROUPS.iter().zip(groups).filter(|(_, group)| !group.is_empty()) {
        say!("  {title}:");
        for mutant in group {
            say!("    {}  {:<10}  {}", mutant.rule.id, mutant.operation.word(), mutant.rule);
        }
    }
}

/// Further axioms from a file.
fn further(path: &std::path::Path, file: &SystemFile) -> Result<Vec<Arc<Rule>>, Mistake> {
    let name = path.display().to_string();
    let text = gainsay_core::read_text(path)
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

/// What came of the mutants so far.
struct Row {
    begun: Instant,
    time: Duration,
    killed: usize,
    all: usize,
    /// Traces to the first, and to the last counterexamples, of all that were killed.
    first: u64,
    last: u64,
    by_operation: BTreeMap<Operation, (usize, usize)>,
    survivors: Vec<Mutant>,
}

impl Row {
    fn new() -> Row {
        Row {
            begun: Instant::now(),
            time: Duration::ZERO,
            killed: 0,
            all: 0,
            first: 0,
            last: 0,
            by_operation: BTreeMap::new(),
            survivors: Vec::new(),
        }
    }

    fn add(&mut self, mutant: &Mutant, verdict: &Verdict) {
        self.time = self.begun.elapsed();
        self.all += 1;
        let counts = self.by_operation.entry(mutant.operation).or_default();
        counts.1 += 1;
        if let Verdict::Falsified(found) = verdict {
            self.killed += 1;
            counts.0 += 1;
            self.first += found.cases;
            self.last += found.cases + found.counterexample.evaluations;
        } else {
            self.survivors.push(mutant.clone());
        }
    }

    /// A sum over those that were killed, as their mean.
    fn mean(&self, sum: u64) -> f64 {
        if self.killed == 0 { 0.0 } else { sum as f64 / self.killed as f64 }
    }
}

/// Tests with each mutant.
fn row(
    program: &Program,
    arguments: &Mutate,
    file: &SystemFile,
    all: &[Mutant],
    guidance: Guidance,
    axioms: &[Arc<Rule>],
    row: &Mutex<Row>,
) -> Result<(), Mistake> {
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
        row.lock().unwrap_or_else(PoisonError::into_inner).add(mutant, &tested.report.verdict);
    }
    Ok(())
}

fn print_row(name: &str, row: &Row, groups: &Groups, format: Format, signal: Option<&str>) {
    let (first, last, seconds) = (row.mean(row.first), row.mean(row.last), row.time.as_secs_f64());
    let score = row.killed as f64 / row.all.max(1) as f64;
    if format == Format::Json {
        let operations: BTreeMap<&str, String> = row
            .by_operation
            .iter()
            .map(|(operation, (killed, all))| (operation.word(), format!("{killed}/{all}")))
            .collect();
        let texts = |group: &[Mutant]| -> Vec<String> {
            group.iter().map(|mutant| mutant.rule.to_string()).collect()
        };
        let mut said = json!({"schemas": name, "killed": row.killed, "mutants": row.all, "score": score, "first": first,
                   "final": last, "seconds": seconds, "operations": operations, "survivors": texts(&groups[0]),
                   "implied": texts(&groups[1]), "never_told_apart": texts(&groups[2])});
        if let Some(signal) = signal {
            said["interrupted"] = signal.into();
        }
        say_json(&said);
        return;
    }
    say!(
        "  {name:<24} {:>4} of {:<4} killed  score {score:.3}  first after {:.1} traces, final after {:.1}  {:.1} s",
        row.killed,
        row.all,
        first,
        last,
        seconds
    );
    let shown: Vec<String> = row
        .by_operation
        .iter()
        .map(|(operation, (killed, all))| format!("{} {killed}/{all}", operation.word()))
        .collect();
    say!("    {}", shown.join(", "));
}
