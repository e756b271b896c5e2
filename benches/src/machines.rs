//! Machines: how fast implementations are tested, how long suites are, what is read, and what is found.

mod aalpy;
mod data;
mod found;
mod mutants;
mod speed;
mod suites;

/// Runs everything, and prints the result line.
pub(crate) fn compare() {
    let dot = data::compare();
    suites::compare();
    mutants::compare();
    let (pq, pq_worst_s) = found::compare();
    let laws_s = found::laws();
    let speed = speed::compare();
    println!(
        "result: walk_queue={:.2} walk_tcp={:.2} wp_tcp={:.2} walk_vs_aalpy={:.1} wp_vs_aalpy={:.1} dot={dot}/40 \
         pq={pq}/200 pq_worst_s={pq_worst_s:.3} laws_s={laws_s:.2}",
        speed.walk_queue, speed.walk_tcp, speed.wp_tcp, speed.walk_vs_aalpy, speed.wp_vs_aalpy
    );
}

/// Whether suites find all single mistakes, alone.
pub(crate) fn mutants() {
    let (killed, wrong) = mutants::compare();
    println!("result: mutants={killed}/{wrong}");
}

/// How fast implementations are tested, alone.
pub(crate) fn speed() {
    let speed = speed::compare();
    println!(
        "result: walk_queue={:.2} walk_tcp={:.2} wp_tcp={:.2} walk_vs_aalpy={:.1} wp_vs_aalpy={:.1}",
        speed.walk_queue, speed.walk_tcp, speed.wp_tcp, speed.walk_vs_aalpy, speed.wp_vs_aalpy
    );
}
