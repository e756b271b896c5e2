//! Runs both and prints what they do in a second, and the story.

use super::{gainsay, mockall};
use crate::measure::{Work, rates};
use crate::table;

const SEEDS: u64 = 20;

/// Prints a row for each contender, the story, and the result line.
pub(crate) fn compare() {
    let mut works: Vec<Work> = vec![Box::new(gainsay::run), Box::new(mockall::run)];
    let rates = rates(&mut works);
    let mut rows = vec![vec![String::new(), "mocked calls".into()]];
    for (name, rate) in ["gainsay", "mockall"].iter().zip(&rates) {
        rows.push(vec![(*name).to_string(), format!("{:.3} M/s", rate / 1e6)]);
    }
    table::print(&rows);
    let (smallest, slowest) = gainsay::story(SEEDS);
    println!(
        "a limit of 128 inside of boxes of 1 to 256: found and shrunk in {:.3} s at most",
        slowest.as_secs_f64()
    );
    println!(
        "result: minimum={smallest}/{SEEDS} story_s={:.3} mocked_calls_vs_mockall={:.2}",
        slowest.as_secs_f64(),
        rates[0] / rates[1]
    );
}
