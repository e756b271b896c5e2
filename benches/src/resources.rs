//! Shared resources: how fast phases are judged, how often that is wrong, and what is found.

mod alarms;
mod counted;
mod found;
mod judge;
mod phases;
mod unasked;

/// Whether an implementation is found to be wrong with a seed.
pub(crate) fn one(name: &str, seed: &str) -> bool {
    found::one(name, seed.parse().unwrap_or(0))
}

/// How fast phases are judged, alone.
pub(crate) fn phases() {
    let (phases_vs_bare, jvm_vs_bare) = phases::compare();
    println!("result: phases_vs_bare={phases_vs_bare:.2} jvm_vs_bare={jvm_vs_bare:.2}");
}

/// How often a verdict is wrong while a Java machine collects its garbage, alone.
pub(crate) fn collecting() {
    println!("result: gc_false_alarms={}", alarms::collecting());
}

/// Runs everything, and prints the result line.
pub(crate) fn compare() {
    let (viable_ms, fifo8_ms) = judge::compare();
    let (phases_vs_bare, jvm_vs_bare) = phases::compare();
    let (found, of) = found::compare();
    let (false_alarms, gc_false_alarms) = alarms::compare();
    println!(
        "result: phases_vs_bare={phases_vs_bare:.2} jvm_vs_bare={jvm_vs_bare:.2} false_alarms={false_alarms} \
         gc_false_alarms={gc_false_alarms} found={found}/{of} viable_ms={viable_ms:.2} fifo8_ms={fifo8_ms:.0}"
    );
}
