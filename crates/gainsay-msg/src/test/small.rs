//! How failing traces are made small: as plain lists of messages, by the shrinker of the engine, which knows nothing of time; and what it leaves, by
//! letting all that follows come sooner.

use super::runner::Runner;
use crate::bus::Bus;
use crate::plain::Planned;
use crate::time::MS;
use gainsay_core::{Error, Report, Settings, Verdict};

/// So often all that follows a message is made to come sooner.
const ROUNDS_MAX: usize = 16;

/// Makes the last failing trace small; nothing if it cannot be written as a plain list.
///
/// Values stay as they are at first: most that the system has produced as well are so by chance. Then those are taken from it that it has produced,
/// so that messages can be dropped by which these were changed.
pub(super) fn made_small<B: Bus + ?Sized>(
    runner: &mut Runner<'_, B>,
    settings: &Settings,
    name: &str,
) -> Result<Option<Report>, Error> {
    let Some(found) = runner.last_inputs() else { return Ok(None) };
    let mut inputs = literal(&found);
    let mut best: Option<Report> = None;
    for _ in 0..ROUNDS_MAX {
        let Some(report) = run(runner, settings.again(), name, &inputs)? else { break };
        let Verdict::Falsified(found) = &report.verdict else {
            return Ok(Some(best.unwrap_or(report)));
        };
        let kind = found.counterexample.kind.clone();
        best = Some(report);
        // (In real time each run is dear.)
        let Some(smallest) = runner.last_inputs().filter(|_| runner.bus.is_virtual()) else { break };
        let mut fails = |inputs: &[Planned]| {
            let once = settings.again().limits(|limits| (limits.shrinks_max, limits.failures_max) = (0, 1));
            let report = run(runner, once, name, inputs)?;
            let found = report.as_ref().and_then(|report| report.verdict.counterexample());
            Ok(found.is_some_and(|found| found.kind == kind))
        };
        if let Some(next) = sooner(&literal(&smallest), &mut fails)? {
            inputs = next;
            continue;
        }
        if !smallest.iter().any(Planned::takes) {
            break;
        }
        let shown = runner.lasts.len();
        let taking = run(runner, settings.again(), name, &smallest)?;
        let found = taking.as_ref().and_then(|report| report.verdict.counterexample());
        let fewer = runner.last_inputs().filter(|fewer| fewer.len() < smallest.len());
        match fewer.filter(|_| found.is_some_and(|found| found.kind == kind)) {
            Some(fewer) => (best, inputs) = (taking, literal(&fewer)),
            None => {
                runner.lasts.truncate(shown);
                break;
            }
        }
    }
    Ok(best)
}

fn literal(inputs: &[Planned]) -> Vec<Planned> {
    inputs.iter().map(Planned::literal).collect()
}

/// Runs a plain list of messages, and makes it smaller as far as the settings allow.
fn run<B: Bus + ?Sized>(
    runner: &mut Runner<'_, B>,
    settings: Settings,
    name: &str,
    inputs: &[Planned],
) -> Result<Option<Report>, Error> {
    let Some(numbers) = runner.plainly(inputs) else { return Ok(None) };
    let mut script = Some(numbers);
    let mut write = |into: &mut Vec<u64>| {
        *into = script.take().unwrap_or_default();
        !into.is_empty()
    };
    runner.is_plain = true;
    let report = settings.without_corpus().report_scripts(name, &mut write, &mut |case| runner.run(case));
    runner.is_plain = false;
    report.map(Some)
}

/// Whether inputs fail as those before did.
type Fails<'f> = dyn FnMut(&[Planned]) -> Result<bool, Error> + 'f;

/// The same messages, from one on sooner by the largest time tried that still fails.
fn sooner(inputs: &[Planned], fails: &mut Fails<'_>) -> Result<Option<Vec<Planned>>, Error> {
    let mut before = 0;
    for place in 0..inputs.len() {
        let at = inputs[place].message.at;
        let mut by = (at - before) / MS;
        before = at;
        while by > 0 {
            let mut next = inputs.to_vec();
            next[place..].iter_mut().for_each(|planned| *planned = planned.sooner(by));
            if fails(&next)? {
                return Ok(Some(next));
            }
            by /= 2;
        }
    }
    Ok(None)
}
