//! Runs the contenders and prints their verdicts and times.

use super::data::{self, Sample};
use super::history::History;
use super::{CONTENDERS, Contender, Judge, PEER, generated};
use crate::measure::times;
use crate::table;

/// A history counts for the geometric mean if the peer needs this many seconds for it.
const SLOW: f64 = 1e-3;

/// A history with what each contender makes of it, in the order of [`CONTENDERS`].
struct Judged {
    sample: Sample,
    verdicts: Vec<bool>,
    /// CPU seconds.
    times: Vec<f64>,
}

impl Judged {
    fn new(sample: Sample) -> Judged {
        let judge = |contender: &Contender| -> Judge<'_> {
            match &sample.history {
                History::Register(operations) => (contender.register)(operations),
                History::Kv(operations) => (contender.kv)(operations),
            }
        };
        let mut judges: Vec<Judge> = CONTENDERS.iter().map(judge).collect();
        let (verdicts, times) = times(&mut judges);
        drop(judges);
        Judged { sample, verdicts, times }
    }

    /// Is a contender's verdict the expected one? Where nothing is expected, they all must agree.
    fn right(&self, contender: usize) -> bool {
        let expected = self.sample.expected.unwrap_or(self.verdicts[0]);
        self.verdicts[contender] == expected
    }

    fn row(&self) -> Vec<String> {
        let verdict = match (self.sample.expected, self.verdicts[0]) {
            (Some(true), _) | (None, true) => "linearizable",
            (Some(false), _) | (None, false) => "not linearizable",
        };
        let mut row = vec![
            self.sample.name.clone(),
            self.sample.history.len().to_string(),
            self.sample.history.pending().to_string(),
            verdict.to_owned(),
        ];
        for (at, time) in self.times.iter().enumerate() {
            let mark = if self.right(at) { "right" } else { "WRONG" };
            row.push(mark.to_owned());
            row.push(format!("{:.3} ms", time * 1e3));
        }
        row
    }
}

/// Prints a row for each history, a line for each contender, and the result line.
pub(crate) fn compare() -> Result<(), String> {
    let recorded: Vec<Judged> = data::recorded()?.into_iter().map(Judged::new).collect();
    let generated: Vec<Judged> = generated::histories().into_iter().map(Judged::new).collect();
    let mut rows = vec![["", "operations", "pending", "verdict"].map(str::to_owned).to_vec()];
    for contender in CONTENDERS {
        rows[0].extend([contender.name.to_owned(), "time".to_owned()]);
    }
    rows.extend(recorded.iter().chain(&generated).map(Judged::row));
    table::print(&rows);

    for (at, contender) in CONTENDERS.iter().enumerate() {
        println!(
            "{}: recorded {} right, {:.3} ms; generated {} right, {:.3} ms",
            contender.name,
            right(&recorded, at),
            total(&recorded, at) * 1e3,
            right(&generated, at),
            total(&generated, at) * 1e3,
        );
    }
    let find = |name: &str| CONTENDERS.iter().position(|contender| contender.name == name);
    let (Some(gainsay), Some(peer)) = (find("gainsay"), find(PEER)) else {
        println!("result: right=n/a geomean=n/a total=n/a generated=n/a");
        return Ok(());
    };
    println!(
        "gainsay over {PEER} on generated histories: geometric mean {:.2}",
        geometric_mean(&generated, gainsay, peer, 0.0)
    );
    println!(
        "result: right={} geomean={:.2} total={:.2} generated={:.2}",
        right(&recorded, gainsay),
        geometric_mean(&recorded, gainsay, peer, SLOW),
        total(&recorded, gainsay) / total(&recorded, peer),
        total(&generated, gainsay) / total(&generated, peer),
    );
    Ok(())
}

/// How many verdicts are right, and of how many.
fn right(histories: &[Judged], contender: usize) -> String {
    let right = histories.iter().filter(|judged| judged.right(contender)).count();
    format!("{right}/{}", histories.len())
}

fn total(histories: &[Judged], contender: usize) -> f64 {
    histories.iter().map(|judged| judged.times[contender]).sum()
}

/// The mean ratio of times over the histories that take the second contender at least so many seconds.
fn geometric_mean(histories: &[Judged], over: usize, under: usize, time_min: f64) -> f64 {
    let slow = histories.iter().filter(|judged| judged.times[under] >= time_min);
    let logarithms: Vec<f64> = slow.map(|judged| (judged.times[over] / judged.times[under]).ln()).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}
