//! `gainsay replay`: runs one trace again.

use super::{export, test};
use crate::arguments::{Effort, Replay};
use crate::result::{Printer, PropertyResult};
use crate::system::{bus, engine, read};
use crate::{Mistake, Program};
use gainsay_core::write_whole;
use gainsay_msg::{Class, SystemTest, Trace};
use std::io::Write;
use std::path::Path;

pub(crate) fn run(program: &Program, arguments: &Replay) -> Result<u8, Mistake> {
    let file = read(&arguments.file)?;
    let Some(rule) = file.system.rule(&arguments.property) else {
        return Err(Mistake::new(format!(
            "`{}` has no property `{}`",
            arguments.file.display(),
            arguments.property
        )));
    };
    if file.system.class(rule) != Class::Testable {
        return Err(Mistake::new(format!("`{}` is {}", rule.id, file.system.class(rule))));
    }
    // A name alone is that of a failure that was saved.
    let is_name = arguments.case.chars().all(|c| c.is_ascii_hexdigit());
    let case = if is_name { format!("entry={}", arguments.case) } else { arguments.case.clone() };
    let effort = Effort { properties: Vec::new(), seed: None, cases: None, time: None, jobs: None };
    let settings = engine(&file, &effort)
        .corpus(test::corpus(&file, arguments.corpus.as_ref()))
        .replayed_by(&test::replay_command(&arguments.file, arguments.corpus.as_ref(), rule))
        .replay(&case);
    let mut bus = bus(program, &file)?;
    let tested = SystemTest::new(&file.system, &rule.id).settings(settings).run(&mut *bus)?;
    let replay = tested.report.verdict.counterexample().map(|_| {
        format!(
            "{} {}",
            test::replay_command(&arguments.file, arguments.corpus.as_ref(), rule),
            arguments.case
        )
    });
    let mut result = PropertyResult::of_test(&file.system, &tested, replay);
    if let Some(seen) = &tested.seen {
        if let Some(path) = &arguments.trace {
            write_trace(path, seen)
                .map_err(|error| Mistake::new(format!("failed to write `{}`: {error}", path.display())))?;
            result.remarks.push(format!("trace   {}", path.display()));
        }
        if let Some(folder) = &arguments.export {
            let written =
                export::write(folder, &arguments.file, &file.system, rule, seen, tested.violation.as_ref());
            let path = written.map_err(|error| Mistake::new(format!("failed to export: {error}")))?;
            result.remarks.push(format!("exported {}", path.display()));
        }
    }
    let mut printer = Printer::new(arguments.format, &file.system.name, rule.id.len());
    printer.add(result);
    Ok(printer.finish())
}

/// Writes a trace, as its name says.
pub(crate) fn write_trace(path: &Path, trace: &Trace) -> Result<(), String> {
    let is_mcap = path.extension().is_some_and(|ending| ending == "mcap");
    let written = write_whole(path, |file| {
        if is_mcap {
            return trace.write_mcap(file).map_err(std::io::Error::other);
        }
        let mut output = std::io::BufWriter::new(file);
        trace.write_lines(&mut output).and_then(|()| output.flush())
    });
    written.map_err(|error| error.to_string())
}
