//! Streams that satisfy formulas: whether any draw gets stuck, whether all streams satisfy their formula, and how many are empty talk.

#[path = "../../../tests/it/patterns/dwyer.rs"]
mod dwyer;

use dwyer::{PATTERNS, atoms};
use gainsay::Case;
use gainsay::temporal::{Streams, bits, formula, parse};

/// So many streams are drawn of each pattern.
const STREAMS: u64 = 200;

/// How many random formulas there are.
const FORMULAS: u64 = 1000;

pub(super) struct Generated {
    /// Draws that ended in an error, or in a stream that does not satisfy its formula.
    pub(super) stuck: usize,
    /// The largest share of the streams of a pattern that tell nothing.
    pub(super) vacuous_max: f64,
}

pub(super) fn compare() -> Generated {
    let (mut stuck, mut vacuous_max) = (0, 0.0_f64);
    let atoms = atoms();
    for pattern in &PATTERNS {
        for (scope, text) in pattern.scopes.iter().enumerate() {
            let formula = parse(text, &atoms).expect("it is a formula");
            let tells = parse(&pattern.telling(scope), &atoms).expect("it is a formula");
            let streams = Streams::new(&formula).expect("it is satisfiable").length(5..=15);
            let mut vacuous = 0;
            for number in 0..STREAMS {
                match streams.try_draw(&mut Case::random(1, number)) {
                    Ok(stream) if formula.holds(&stream) => vacuous += u64::from(!tells.holds(&stream)),
                    _ => stuck += 1,
                }
            }
            let share = vacuous as f64 / STREAMS as f64;
            if share > vacuous_max {
                println!(
                    "{}, scope {scope}: {:.0} % of the streams tell nothing",
                    pattern.name,
                    100.0 * share
                );
            }
            vacuous_max = vacuous_max.max(share);
        }
    }
    let (mut drawn, mut contradictory) = (0, 0);
    for number in 0..FORMULAS {
        let formula = formula(&mut Case::random(2, number), &bits(), 3 + number as usize % 13);
        let Ok(streams) = Streams::new(&formula) else {
            // (Whoever is refused must have no stream at all.)
            stuck += usize::from(formula.satisfied_by().is_ok_and(|stream| stream.is_some()));
            contradictory += 1;
            continue;
        };
        for seed in 0..5 {
            let stream = streams.try_draw(&mut Case::random(seed, number));
            stuck += usize::from(!stream.is_ok_and(|stream| formula.holds(&stream)));
            drawn += 1;
        }
    }
    println!("{FORMULAS} random formulas: {drawn} streams, {contradictory} contradictory; stuck {stuck}");
    Generated { stuck, vacuous_max }
}
