//! Runs the contenders and prints their rates.

use super::CONTENDERS;
use super::walk::Walk;
use crate::measure::{Work, rates};
use crate::table::{self, ratio};

/// Prints a row for each walk and contender, and the result line.
pub(crate) fn compare() {
    let mut labels = Vec::new();
    let mut works: Vec<Work> = Vec::new();
    for walk in Walk::ALL {
        for contender in CONTENDERS {
            for &(_, run) in contender.walks.iter().filter(|(known, _)| *known == walk) {
                labels.push((walk, contender.name));
                works.push(Box::new(move || {
                    let visited = run();
                    assert_eq!(visited, walk.len(), "{} walks {walk:?}", contender.name);
                    visited
                }));
            }
        }
    }
    let rates = rates(&mut works);
    let mut rows = vec![["", "values", "rate"].map(str::to_owned).to_vec()];
    for ((walk, name), rate) in labels.iter().zip(&rates) {
        let label = format!("{} {name}", walk.name());
        rows.push(vec![label, walk.len().to_string(), format!("{:.3} M/s", rate / 1e6)]);
    }
    table::print(&rows);

    let find = |walk, name| labels.iter().position(|&label| label == (walk, name)).map(|at| rates[at]);
    let against = |ours, peer, theirs| ratio(find(ours, "gainsay"), find(theirs, peer));
    println!(
        "result: pairs_vs_loop={} lists_vs_exhaustigen={} lists_index_vs_exhaustigen={} \
         trees_vs_exhaustive={} index_us={} wide_narrow={}",
        against(Walk::Pairs, "loop", Walk::Pairs),
        against(Walk::Lists, "exhaustigen", Walk::Lists),
        against(Walk::ListsByIndex, "exhaustigen", Walk::Lists),
        against(Walk::Trees, "exhaustive", Walk::Trees),
        figure("index_us"),
        figure("wide_narrow"),
    );
}

/// A figure that only one contender has.
fn figure(key: &str) -> String {
    let mut figures = CONTENDERS.iter().flat_map(|contender| contender.figures);
    match figures.find(|(known, _)| *known == key) {
        Some((_, measure)) => format!("{:.3}", measure()),
        None => "n/a".to_owned(),
    }
}
