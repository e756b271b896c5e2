//! Monitors of HPL: how fast messages are judged, beside a loop that was written by hand, beside hpl-rv and beside reading JSON alone;
//! and whether all judges agree.

mod coinciding;
mod hplrv;
mod random;
mod speed;

use crate::table::{print, ratio};
use gainsay_msg::{Judgement, Monitors, Trace};
use std::sync::Arc;

const SEED: u64 = 1;

/// Differences that are shown whole.
const SHOWN_MAX: usize = 5;

/// Speed, with the result line.
pub(crate) fn compare() {
    let ours = speed::measure();
    let python = hplrv::environment();
    let theirs = |events, pending| hplrv::speed(python.as_deref()?, events, pending);
    let (same, few, many) = (
        theirs(speed::EVENTS, 0),
        // (Its trace of pairs has one request that stays open, at least.)
        theirs(speed::PAIRED, 1),
        theirs(speed::PAIRED, speed::PENDING),
    );
    let shown = |rate: Option<f64>| rate.map_or("n/a".into(), |rate| format!("{:.3}", rate / 1e6));
    let row = |what: &str, rate: Option<f64>| vec![what.to_owned(), shown(rate)];
    println!("{}\n", speed::PROPERTY);
    print(&[
        vec!["million events per CPU second".into(), String::new()],
        row("by hand", Some(ours.hand)),
        row("monitors, in memory", Some(ours.memory)),
        row("monitors, in memory, names shared", Some(ours.memory_shared)),
        row("monitors, from lines of JSON", Some(ours.lines)),
        row("lines of JSON into serde_json::Value", Some(ours.values)),
        row("hpl-rv, in memory", same),
        row("monitors, pairs, nothing else pending", Some(ours.alone)),
        row("monitors, pairs, 2000 others pending", Some(ours.pending)),
        row("hpl-rv, pairs, 1 other pending", few),
        row("hpl-rv, pairs, 2000 others pending", many),
    ]);
    println!(
        "result: vs_hand={:.2} vs_hplrv={} jsonl_vs_value={:.2} pending_slowdown={:.2}",
        ours.memory / ours.hand,
        ratio(Some(ours.memory), same),
        ours.lines / ours.values,
        ours.alone / ours.pending
    );
}

/// Whether monitors, formulas, plain definitions and hpl-rv say the same of random properties and traces.
pub(crate) fn agree() {
    const PAIRS: u64 = 100_000;
    let differences = agree_with_meaning(PAIRS);
    let (compared, other) = match agree_with_hplrv(4_000, 5) {
        Some((compared, differences)) => (compared.to_string(), differences.to_string()),
        None => ("n/a".into(), "n/a".into()),
    };
    println!(
        "result: pairs={PAIRS} differences={differences} hplrv_pairs={compared} hplrv_differences={other}"
    );
}

/// How many pairs ended in which way.
#[derive(Debug, Default)]
struct Tally {
    violated: u64,
    satisfied: u64,
    owed: u64,
    not_owed: u64,
}

impl Tally {
    fn count(&mut self, judgement: Judgement) {
        *match judgement {
            Judgement::Violated => &mut self.violated,
            Judgement::Satisfied => &mut self.satisfied,
            Judgement::Pending { owed: true } => &mut self.owed,
            Judgement::Pending { owed: false } => &mut self.not_owed,
        } += 1;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { violated, satisfied, owed, not_owed } = self;
        write!(f, "{violated} violated, {satisfied} satisfied, {owed} pending and owed, {not_owed} pending")
    }
}

/// What monitors say of a trace, and the time of the first violation in nanoseconds.
fn judge(text: &str, trace: &Trace) -> Result<(Judgement, Option<u64>), String> {
    let mut monitors = Monitors::new([random::rule(text)?]);
    for message in &trace.messages {
        monitors.see(Arc::clone(message)).map_err(|error| error.to_string())?;
    }
    monitors.pass_to(trace.end).map_err(|error| error.to_string())?;
    let judged = &monitors.judged()[0];
    Ok((judged.judgement, judged.violations.iter().map(|violation| violation.at).min()))
}

/// How many random pairs the monitors and the meaning of properties differ on. What cannot be judged is a difference, too.
fn agree_with_meaning(pairs: u64) -> usize {
    let mut tally = Tally::default();
    let mut differences = 0;
    for number in 0..pairs {
        let mut case = gainsay_core::Case::random(SEED, number);
        let wanted = random::Wanted::draw(&mut case);
        let text = random::property(&mut case, wanted);
        let trace = random::trace(&mut case, wanted, 9);
        let difference = match (random::difference(&text, &trace), judge(&text, &trace)) {
            (Ok(difference), Ok((judgement, _))) => {
                tally.count(judgement);
                difference
            }
            (Err(trouble), _) | (_, Err(trouble)) => Some(format!("{text}: {trouble}")),
        };
        if let Some(difference) = difference {
            differences += 1;
            if differences <= SHOWN_MAX {
                println!("pair {number}: {difference}");
            }
        }
    }
    println!("{pairs} pairs: {tally}; {differences} differences");
    differences
}

/// How many pairs hpl-rv has judged, and how many differently. Nothing if it cannot be installed.
fn agree_with_hplrv(properties: u64, traces: usize) -> Option<(usize, usize)> {
    let python = hplrv::environment()?;
    let pairs: Vec<coinciding::Pair> =
        (0..properties).flat_map(|number| coinciding::pairs(SEED, number, traces)).collect();
    let answers = hplrv::agree(&python, &pairs)?;
    let mut tally = Tally::default();
    let (mut compared, mut differences, mut unsupported) = (0, 0, 0);
    for (number, (pair, answer)) in pairs.iter().zip(&answers).enumerate() {
        let found = match answer {
            hplrv::Answer::Judged(found) => *found,
            hplrv::Answer::Unsupported(why) => {
                unsupported += 1;
                if unsupported <= SHOWN_MAX {
                    println!("hpl-rv cannot judge {}: {why}", pair.property);
                }
                continue;
            }
        };
        compared += 1;
        let ours = judge(&pair.property, &pair.trace);
        if let Ok((judgement, _)) = &ours {
            tally.count(*judgement);
        }
        if !ours.as_ref().is_ok_and(|(_, first)| *first == found) {
            differences += 1;
            if differences <= SHOWN_MAX {
                println!("pair {number}: monitor {ours:?}, hpl-rv {found:?}\n{}", pair.shown());
            }
        }
    }
    println!(
        "{compared} pairs: {tally}; {differences} differences from hpl-rv, {unsupported} that it cannot judge"
    );
    Some((compared, differences))
}
