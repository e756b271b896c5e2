//! `gainsay test spec.dot -- ./program`: tests a program, or a server, by a machine.

use super::shell::quoted;
use crate::Mistake;
use crate::arguments::{OfMachine, Test};
use crate::interrupt::Interrupted;
use crate::result::{Printer, PropertyResult};
use gainsay_core::{Counterexample, Report, Scope, Settings, Verdict, plural, settings};
use gainsay_model::machine::{Finite, Method, Parted, Program, conformance, program, server};
use serde_json::{Value as Json, json};
use std::collections::HashSet;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A machine as it was read.
type Read = Finite<String, String, String>;

pub(crate) fn run(arguments: &Test) -> Result<u8, Mistake> {
    refuse(arguments)?;
    let machine = Finite::read_dot(&arguments.file)?;
    let shown = arguments.file.display().to_string();
    let subject = subject(arguments, &machine, &shown)?;
    let inputs: Vec<String> = machine.inputs().to_vec();
    let found: Arc<Mutex<Option<Counterexample>>> = Arc::default();
    let first = Arc::clone(&found);
    let engine = engine(arguments, &shown).on_failure(move |found| {
        first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| found.clone());
    });
    let interrupted = Interrupted::tells({
        let (shown, format) = (shown.clone(), arguments.format);
        move |signal| {
            let found = found.lock().unwrap_or_else(PoisonError::into_inner).take();
            let found = found.map(|found| {
                let command = found.command.clone();
                (found, command)
            });
            let mut printer = Printer::new(format, &shown, shown.len());
            printer.add(PropertyResult::interrupted(&shown, String::new(), signal, found));
            Some(printer.finish())
        }
    });
    let mut test = conformance(&shown, &machine, subject).inputs(inputs).settings(engine);
    let OfMachine { suite, method, .. } = arguments.machine;
    let report = match (suite, method) {
        (None, None) => test.report()?,
        (suite, method) => {
            let method = method.map_or(Method::Spyh, |method| method.0);
            test.report_suite(method, suite.unwrap_or(0))?
        }
    };
    drop(interrupted);
    let mut printer = Printer::new(arguments.format, &shown, shown.len());
    let mut result = result(&shown, &report);
    result.remarks.extend(unreachable(&machine));
    result.data["parted"] = test.parted().map(parted).into();
    printer.add(result);
    Ok(printer.finish())
}

/// What has no meaning here is refused.
fn refuse(arguments: &Test) -> Result<(), Mistake> {
    let effort = &arguments.effort;
    for (is_given, option) in [
        (!effort.properties.is_empty(), "--property"),
        (arguments.shard.is_some(), "--shard"),
        (arguments.export.is_some(), "--export"),
        (arguments.fail_fast, "--fail-fast"),
        (arguments.empty_schemas, "--empty-schemas"),
        (effort.jobs.is_some(), "--jobs"),
    ] {
        if is_given {
            return Err(Mistake::new(format!(
                "`{option}` is for system files: a machine is one specification, and its program is tested by one test \
                 after the other"
            )));
        }
    }
    let asks_for_suite = arguments.machine.suite.is_some() || arguments.machine.method.is_some();
    for (is_given, option, what) in [
        (effort.cases.is_some(), "--cases", "a complete suite has as many tests as it needs"),
        (effort.seed.is_some(), "--seed", "nothing in a complete suite is drawn at random"),
    ] {
        if is_given && asks_for_suite {
            return Err(Mistake::new(format!(
                "`{option}` does nothing beside `--suite` and `--method`: {what}"
            )));
        }
    }
    if arguments.corpus.is_some() && arguments.no_corpus {
        return Err(Mistake::new("`--corpus` says where failures are kept, and `--no-corpus` that none are"));
    }
    Ok(())
}

/// The program or the server that is tested.
fn subject(arguments: &Test, machine: &Read, shown: &str) -> Result<Program, Mistake> {
    let OfMachine { reset, connect, timeout, .. } = &arguments.machine;
    check_lines(machine, reset.as_deref())?;
    if let Some(address) = connect {
        check_address(address)?;
    }
    let mut subject = match (arguments.program.split_first(), connect) {
        (None, None) => {
            return Err(Mistake::new(format!(
                "which program is tested? `gainsay test {shown} -- ./program argument`, or `--connect HOST:PORT` for one that runs"
            )));
        }
        (None, Some(address)) => server(address),
        (Some((name, rest)), address) => {
            // A program that cannot even be started is no program that answers wrongly.
            if let Some(missing) = super::doctor::missing(name) {
                return Err(Mistake::of_system(format!("the system did not start: {missing}")));
            }
            let mut command = Command::new(name);
            command.args(rest);
            match address {
                Some(address) => program(command).listens(address),
                None => program(command),
            }
        }
    };
    if let Some(line) = reset {
        subject = subject.reset_by(line);
    }
    if let Some(seconds) = timeout {
        if *seconds <= 0.0 {
            return Err(Mistake::new(
                "`--timeout` leaves no time to answer: say how many seconds, such as 5",
            ));
        }
        subject = subject.limit(Duration::from_secs_f64(*seconds));
    }
    Ok(subject)
}

/// What is said to a program is a line each.
fn check_lines(machine: &Read, reset: Option<&str>) -> Result<(), Mistake> {
    let mut lines = machine.inputs().iter().map(String::as_str).chain(reset);
    match lines.find(|line| line.contains('\n')) {
        Some(line) => Err(Mistake::new(format!(
            "{line:?} is more than one line, and a program is told inputs a line each: call it otherwise"
        ))),
        None => Ok(()),
    }
}

fn check_address(address: &str) -> Result<(), Mistake> {
    match address.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0) => Ok(()),
        _ => Err(Mistake::new(format!("`--connect {address}` is no address: say it as 127.0.0.1:7000"))),
    }
}

/// That nothing is tested in states that no input leads to.
fn unreachable(machine: &Read) -> Option<String> {
    let (_, reached) = machine.table().reachable();
    let reached: HashSet<usize> = reached.into_iter().map(|state| state as usize).collect();
    let states = machine.states().iter().enumerate().filter(|(number, _)| !reached.contains(number));
    let names: Vec<String> = states.map(|(_, name)| format!("`{name}`")).collect();
    let left_out = names.len().saturating_sub(SHOWN_MAX);
    let more = if left_out > 0 { format!(" and {left_out} more") } else { String::new() };
    let shown = names[..names.len() - left_out].join(", ");
    let count = plural(names.len() as u64, "state");
    (!names.is_empty())
        .then(|| format!("{count} cannot be reached, and nothing is tested there: {shown}{more}"))
}

/// So many states are named.
const SHOWN_MAX: usize = 10;

fn engine(arguments: &Test, shown: &str) -> Settings {
    let mut engine = settings().replayed_by(&format!("GAINSAY_REPLAY={{case}} {}", again(arguments, shown)));
    if let Some(cases) = arguments.effort.cases {
        engine = engine.cases(cases);
    }
    if let Some(seed) = arguments.effort.seed {
        engine = engine.seed(seed);
    }
    if let Some(seconds) = arguments.effort.time {
        engine = engine.time(Duration::from_secs_f64(seconds));
    }
    if arguments.allow_vacuous {
        engine = engine.allow_vacuous();
    }
    match (&arguments.corpus, arguments.no_corpus) {
        (Some(folder), false) => engine.corpus(folder),
        _ => engine.without_corpus(),
    }
}

/// The command that tests the same again, as a shell takes it.
fn again(arguments: &Test, shown: &str) -> String {
    let OfMachine { reset, connect, timeout, .. } = &arguments.machine;
    let mut words: Vec<String> = ["gainsay", "test", shown].map(String::from).to_vec();
    let options = [
        ("--reset", reset.clone()),
        ("--connect", connect.clone()),
        ("--timeout", timeout.map(|seconds| seconds.to_string())),
    ];
    for (option, value) in options {
        words.extend(value.into_iter().flat_map(|value| [option.to_string(), value]));
    }
    if !arguments.program.is_empty() {
        words.push("--".into());
        words.extend(arguments.program.iter().cloned());
    }
    quoted(&words)
}

/// The report, for people and for programs.
fn result(shown: &str, report: &Report) -> PropertyResult {
    let word = match &report.verdict {
        Verdict::Proved(_) | Verdict::Passed(_) => "passed",
        Verdict::Falsified(_) => "falsified",
        Verdict::Flaky(_) => "flaky",
        Verdict::Inconclusive(_) => "inconclusive",
        Verdict::Vacuous(_) => "vacuous",
        _ => "gave up",
    };
    let text = "the program conforms to the machine".into();
    let mut result = PropertyResult::plain(shown, text, word, summary(&report.verdict));
    (result.traces, result.seed, result.time) = (report.verdict.cases(), Some(report.seed), report.time);
    result.remarks.clone_from(&report.remarks);
    let mut data = json!({ "proved": false });
    if let Verdict::Proved(proved) = &report.verdict {
        let scope =
            if let Scope::UpTo(bound) = &proved.scope { Some(format!("up to {bound}")) } else { None };
        data = json!({ "proved": true, "scope": scope, "assumptions": proved.assumptions });
    }
    if let Some(found) = report.verdict.counterexample() {
        result.lines = found.notes.iter().map(|note| note.value.clone()).collect();
        result.replay = Some(found.command.clone());
        result.remarks.extend(found.saved.as_ref().map(|file| format!("saved  {file}")));
        data["shrunk_to"] = json!(found.notes.len());
        data["evaluations"] = json!(found.evaluations);
        data["message"] = json!(found.message);
        data["trace"] = result.lines.iter().map(|line| step(line)).collect();
    }
    result.data = data;
    result
}

/// The verdict without what is told elsewhere.
fn summary(verdict: &Verdict) -> String {
    let Some(found) = verdict.counterexample() else { return verdict.to_string() };
    let (inputs, tests) = (plural(found.notes.len() as u64, "input"), plural(verdict.cases(), "test"));
    let first = match verdict {
        Verdict::Flaky(flaky) => format!(
            "flaky after {tests}: failed once, then {} of {} times when run again; {}",
            flaky.failed, flaky.runs, flaky.reason
        ),
        _ => format!("falsified after {tests}, shrunk to {inputs}"),
    };
    format!("{first}\n{}", found.message)
}

/// Two answers to the same inputs, as data.
fn parted(parted: &Parted<String, String>) -> Json {
    let answer = |answer: &Result<Vec<String>, String>| match answer {
        Ok(outputs) => json!({ "outputs": outputs }),
        Err(why) => json!({ "none": why }),
    };
    json!({ "after": parted.after, "input": parted.input, "answers": parted.answers.each_ref().map(answer) })
}

/// A step of a trace, `"input" → ["output"]`, as data.
fn step(line: &str) -> Json {
    let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Json::from(text));
    match line.split_once(" → ") {
        Some((input, outputs)) => json!({ "input": read(input), "outputs": read(outputs) }),
        None => json!({ "input": read(line) }),
    }
}
