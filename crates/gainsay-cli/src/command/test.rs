//! `gainsay test`: tests a system by its properties.

use super::export;
use super::shell::quoted;
use crate::arguments::Test;
use crate::interrupt::Interrupted;
use crate::result::{Printer, PropertyResult, code_of};
use crate::system::{bus, chosen, engine, read, stdio};
use crate::{Mistake, Program};
use gainsay_core::{Counterexample, Settings};
use gainsay_msg::{BusKind, Class, Direction, Guidance, Rule, StdioBus, SystemFile, SystemTest, Timing};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

pub(crate) fn run(program: &Program, arguments: &Test) -> Result<u8, Mistake> {
    if arguments.file.extension().is_some_and(|ending| ending == "dot") {
        return super::machine::run(arguments);
    }
    if !arguments.program.is_empty() {
        return Err(Mistake::new(
            "a program behind `--` is tested by a machine (`.dot`); a system file says itself what to start",
        ));
    }
    if let Some(option) = arguments.machine.given() {
        return Err(Mistake::new(format!(
            "`{option}` is for machines (`.dot`): a system file says it itself"
        )));
    }
    let file = read(&arguments.file)?;
    let all = chosen(&file.system.rules, &arguments.effort.properties)?;
    let rules = shard(&all, arguments.shard.as_deref())?;
    let widest = rules.iter().map(|rule| rule.id.chars().count()).max().unwrap_or(0);
    let printer = Printer::new(arguments.format, &file.system.name, widest);
    printer.head(&head(&file));
    if file.system.rules.is_empty() {
        return Err(Mistake::new(format!(
            "`{}` has no properties\nsay what must hold:\n[properties]\ntext = \"globally: no /channel\"",
            arguments.file.display()
        )));
    }
    // A system that cannot be reached at all is told once.
    bus(program, &file)?;
    if file.bus == BusKind::Mqtt && jobs_asked(arguments, &file).is_some_and(|jobs| jobs > 1) {
        return Err(Mistake::new("systems on one broker share its topics: `--jobs 1`"));
    }
    let asked = !arguments.effort.properties.is_empty();
    let jobs = jobs_asked(arguments, &file).unwrap_or(usual_jobs(&file)).clamp(1, 64);
    // Properties side by side; where there are fewer, several systems for each.
    let testable = rules.iter().filter(|rule| file.system.class(rule) == Class::Testable).count();
    let systems = (jobs / testable.max(1)).max(1);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    // A system that does not start is not started for each property.
    let down: Mutex<Option<String>> = Mutex::new(None);
    let (send, receive) = mpsc::channel::<(usize, PropertyResult)>();
    let results = Arc::new(Mutex::new(Some(Results::new(printer, arguments, &rules))));
    let interrupted = Arc::clone(&results);
    let _interrupted = Interrupted::tells(move |signal| Some(taken(&interrupted)?.finish(Some(signal))));
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(rules.len()) {
            let (send, next, stop, down, file, rules) = (send.clone(), &next, &stop, &down, &file, &rules);
            let results = &results;
            scope.spawn(move || {
                loop {
                    let place = next.fetch_add(1, Relaxed);
                    let Some(rule) = rules.get(place).filter(|_| !stop.load(Relaxed)) else { return };
                    let known = down.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    let result = match known.filter(|_| file.system.class(rule) == Class::Testable) {
                        Some(why) => PropertyResult::plain(&rule.id, rule.to_string(), "trouble", why),
                        None => {
                            let told = Arc::clone(results);
                            let found = move |found: &Counterexample| {
                                if let Some(results) =
                                    told.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
                                {
                                    results.found[place].get_or_insert_with(|| found.clone());
                                }
                            };
                            one(program, arguments, file, rule, asked, systems, found)
                        }
                    };
                    if result.is_down {
                        *down.lock().unwrap_or_else(PoisonError::into_inner) = Some(result.summary.clone());
                    }
                    if arguments.fail_fast && code_of(&result.word) != 0 {
                        stop.store(true, Relaxed);
                    }
                    if send.send((place, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (place, result) in receive {
            if let Some(results) = results.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                results.add(place, result);
            }
        }
    });
    match taken(&results) {
        Some(results) => Ok(results.finish(None)),
        // Somebody has interrupted us, is being told everything, and ends the program.
        None => loop {
            std::thread::park();
        },
    }
}

/// What came of the properties so far.
struct Results {
    printer: Printer,
    /// The system file, and its properties.
    file: PathBuf,
    corpus: Option<PathBuf>,
    rules: Vec<Arc<Rule>>,
    /// Failures that are still being confirmed and shrunk.
    found: Vec<Option<Counterexample>>,
    /// What is not printed yet. (It is in the order of the file, however it comes.)
    waiting: Vec<Option<PropertyResult>>,
    printed: usize,
}

/// They, once.
fn taken(results: &Mutex<Option<Results>>) -> Option<Results> {
    results.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl Results {
    fn new(printer: Printer, arguments: &Test, rules: &[&Arc<Rule>]) -> Results {
        Results {
            printer,
            file: arguments.file.clone(),
            corpus: arguments.corpus.clone(),
            rules: rules.iter().map(|rule| Arc::clone(rule)).collect(),
            found: vec![None; rules.len()],
            waiting: rules.iter().map(|_| None).collect(),
            printed: 0,
        }
    }

    fn add(&mut self, place: usize, result: PropertyResult) {
        self.waiting[place] = Some(result);
        while let Some(result) = self.waiting.get_mut(self.printed).and_then(Option::take) {
            self.printer.add(result);
            self.printed += 1;
        }
    }

    /// Prints the rest; the exit code. What was interrupted by a signal is told so.
    fn finish(mut self, signal: Option<&str>) -> u8 {
        for place in self.printed..self.rules.len() {
            let interrupted = |signal: &str| {
                let rule = &self.rules[place];
                let found = self.found[place].take().map(|found| {
                    let replay = replay_line(&self.file, self.corpus.as_ref(), rule, &found);
                    (found, replay)
                });
                PropertyResult::interrupted(&rule.id, rule.to_string(), signal, found)
            };
            if let Some(result) = self.waiting[place].take().or_else(|| signal.map(interrupted)) {
                self.printer.add(result);
            }
        }
        self.printer.finish()
    }
}

fn jobs_asked(arguments: &Test, file: &SystemFile) -> Option<usize> {
    arguments.effort.jobs.map(|jobs| jobs as usize).or(file.jobs)
}

fn usual_jobs(file: &SystemFile) -> usize {
    // In virtual time nobody waits: more at once only disturb each other.
    if file.timing == Timing::Real && file.bus == BusKind::Stdio { 4 } else { 1 }
}

/// What is tested, in one line.
fn head(file: &SystemFile) -> String {
    let system = &file.system;
    let axioms = system.axioms().len();
    let inputs = system.channels.iter().filter(|channel| channel.direction == Direction::In).count();
    let count =
        |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    format!(
        "{}  {} ({}), {}, {}",
        // (A name is a part of a line.)
        system.name.replace(['\n', '\t'], " "),
        count(system.rules.len(), "property", "properties"),
        count(axioms, "axiom", "axioms"),
        count(system.channels.len(), "channel", "channels"),
        count(inputs, "open input", "open inputs"),
    )
}

/// The i-th of n parts.
fn shard<'r>(rules: &[&'r Arc<Rule>], shard: Option<&str>) -> Result<Vec<&'r Arc<Rule>>, Mistake> {
    let Some(shard) = shard else { return Ok(rules.to_vec()) };
    let parts =
        shard.split_once('/').and_then(|(i, n)| Some((i.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
    match parts {
        Some((i, n)) if (1..=n).contains(&i) => Ok(rules
            .iter()
            .enumerate()
            .filter(|(place, _)| place % n == i - 1)
            .map(|(_, rule)| *rule)
            .collect()),
        _ => Err(Mistake::new(format!("`{shard}` is no part: `--shard 1/3` is the first of three"))),
    }
}

/// The folder in which failures are kept.
pub(crate) fn corpus(file: &SystemFile, given: Option<&PathBuf>) -> PathBuf {
    given.cloned().unwrap_or_else(|| file.folder.join("gainsay-corpus"))
}

/// The command that runs a failure again.
pub(crate) fn replay_command(path: &Path, corpus: Option<&PathBuf>, rule: &Rule) -> String {
    let mut words: Vec<String> = ["gainsay", "replay"].map(String::from).to_vec();
    if let Some(folder) = corpus {
        words.extend(["--corpus".into(), folder.display().to_string()]);
    }
    let which = [path.display().to_string(), rule.id.clone()];
    if which.iter().any(|word| word.starts_with('-')) {
        words.push("--".into());
    }
    words.extend(which);
    quoted(&words)
}

fn one(
    program: &Program,
    arguments: &Test,
    file: &SystemFile,
    rule: &Arc<Rule>,
    asked: bool,
    systems: usize,
    found: impl Fn(&Counterexample) + Send + Sync + 'static,
) -> PropertyResult {
    match file.system.class(rule) {
        Class::Testable => {}
        class => {
            // What cannot be tested is no failure, unless it was asked for.
            let word = if asked && class != Class::Axiom { "error" } else { class.word() };
            let summary = format!("{class}");
            return PropertyResult::plain(&rule.id, rule.to_string(), word, summary);
        }
    }
    let mut settings: Settings = engine(file, &arguments.effort)
        .replayed_by(&replay_command(&arguments.file, arguments.corpus.as_ref(), rule))
        .on_failure(found);
    settings = if arguments.no_corpus {
        settings.without_corpus()
    } else {
        settings.corpus(corpus(file, arguments.corpus.as_ref()))
    };
    if arguments.allow_vacuous || file.allow_vacuous {
        settings = settings.allow_vacuous();
    }
    let guidance = if arguments.empty_schemas { Guidance::Empty } else { Guidance::Schemas };
    let test = SystemTest::new(&file.system, &rule.id).settings(settings).guidance(guidance);
    let tested = match stdio(file) {
        Some(starting) if systems > 1 => {
            let mut buses: Vec<StdioBus> = (0..systems).map(|_| starting()).collect();
            test.run_side_by_side(&mut buses).map_err(Mistake::from)
        }
        _ => bus(program, file).and_then(|mut bus| Ok(test.run(&mut *bus)?)),
    };
    let tested = match tested {
        Ok(tested) => tested,
        Err(mistake) => {
            return PropertyResult::plain(&rule.id, rule.to_string(), "error", mistake.to_string());
        }
    };
    let replay = tested
        .report
        .verdict
        .counterexample()
        .map(|one| replay_line(&arguments.file, arguments.corpus.as_ref(), rule, one));
    let mut result = PropertyResult::of_test(&file.system, &tested, replay);
    if let (true, Some(build)) = (result.is_down, &file.build) {
        result.summary += &format!("\nit is built by `{build}`");
    }
    if let (Some(folder), Some(seen)) = (&arguments.export, &tested.seen) {
        match export::write(folder, &arguments.file, &file.system, rule, seen, tested.violation.as_ref()) {
            Ok(path) => result.remarks.push(format!("exported {}", path.display())),
            Err(error) => result.remarks.push(format!("failed to export: {error}")),
        }
    }
    result
}

/// What is saved is named by its file, what is not by its choices.
pub(crate) fn replay_line(
    path: &Path,
    corpus: Option<&PathBuf>,
    rule: &Rule,
    counterexample: &Counterexample,
) -> String {
    let saved = counterexample.saved.as_deref().and_then(|saved| Path::new(saved).file_stem());
    let case = saved
        .map_or_else(|| format!("'{}'", counterexample.replay), |name| name.to_string_lossy().into_owned());
    // (Choices need no folder.)
    format!("{} {case}", replay_command(path, corpus.filter(|_| counterexample.saved.is_some()), rule))
}
