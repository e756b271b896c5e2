//! `gainsay test spec.dot -- ./program`: tests a program by a machine.

use crate::Mistake;
use crate::arguments::Test;
use crate::result::{Printer, PropertyResult};
use gainsay_core::{Verdict, settings};
use gainsay_model::machine::{Finite, Method, conformance, program};
use std::process::Command;
use std::time::Duration;

/// Words as a shell takes them.
fn quoted(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    let quote = |word: &String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

pub(crate) fn run(arguments: &Test) -> Result<u8, Mistake> {
    let Some((name, rest)) = arguments.program.split_first() else {
        return Err(Mistake::new(format!(
            "which program is tested? `gainsay test {} -- ./program argument`",
            arguments.file.display()
        )));
    };
    let machine = Finite::read_dot(&arguments.file)?;
    let mut command = Command::new(name);
    command.args(rest);
    let shown = arguments.file.display().to_string();
    let mut engine = settings().replayed_by(&format!(
        "GAINSAY_REPLAY={{case}} gainsay test {shown} -- {}",
        quoted(&arguments.program)
    ));
    if let Some(cases) = arguments.effort.cases {
        engine = engine.cases(cases);
    }
    if let Some(seed) = arguments.effort.seed {
        engine = engine.seed(seed);
    }
    if let Some(seconds) = arguments.effort.time {
        engine = engine.time(Duration::from_secs_f64(seconds));
    }
    engine = match (&arguments.corpus, arguments.no_corpus) {
        (Some(folder), false) => engine.corpus(folder),
        _ => engine.without_corpus(),
    };
    for (is_given, option) in [
        (!arguments.effort.properties.is_empty(), "--property"),
        (arguments.shard.is_some(), "--shard"),
        (arguments.export.is_some(), "--export"),
    ] {
        if is_given {
            return Err(Mistake::new(format!(
                "`{option}` is for system files: a machine is one specification"
            )));
        }
    }
    // A program that cannot even be started is no program that answers wrongly.
    if let Some(missing) = super::doctor::missing(name) {
        return Err(Mistake::of_system(format!("the system did not start: {missing}")));
    }
    let inputs: Vec<String> = machine.inputs().to_vec();
    let mut test = conformance(&shown, &machine, program(command)).inputs(inputs).settings(engine);
    let report = match arguments.suite {
        Some(extra) => test.report_suite(Method::Wp, extra)?,
        None => test.report()?,
    };
    let word = match &report.verdict {
        Verdict::Proved(_) | Verdict::Passed(_) => "passed",
        Verdict::Falsified(_) => "falsified",
        Verdict::Flaky(_) => "flaky",
        Verdict::Inconclusive(_) => "inconclusive",
        _ => "gave up",
    };
    let mut result = PropertyResult::plain(
        &shown,
        "the program conforms to the machine".into(),
        word,
        report.verdict.to_string(),
    );
    (result.traces, result.seed, result.time) = (report.verdict.cases(), Some(report.seed), report.time);
    let mut printer = Printer::new(arguments.format, &shown, shown.len());
    printer.add(result);
    Ok(printer.finish())
}
