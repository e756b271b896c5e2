//! What is found of the queues that are wrong, and how fast laws are tested.

use gainsay::machine::{after_inputs, conformance, implementation};
use gainsay::settings;
use priority_queue::mutants::{Heap, MISTAKES};
use priority_queue::{Input, State, specification};
use std::time::Instant;

const SEEDS: u64 = 20;

/// In how many seeds the wrong queues are found, and the longest that took.
pub(super) fn compare() -> (usize, f64) {
    let (mut found, mut worst) = (0, 0.0_f64);
    for mistake in MISTAKES {
        let mut longest = 0.0_f64;
        let mut count = 0;
        for seed in 0..SEEDS {
            let real =
                implementation(move || Heap::new(mistake), |heap: &mut Heap, input: &Input| heap.step(input));
            let begun = Instant::now();
            let verdict = conformance("queue", specification(), real)
                .draw(|case| case.any())
                .settings(settings().seed(seed).without_corpus())
                .verdict();
            longest = longest.max(begun.elapsed().as_secs_f64());
            count += usize::from(!verdict.is_good());
        }
        println!("{mistake:?}: {count} of {SEEDS} seeds, at most {longest:.3} s");
        found += count;
        worst = worst.max(longest);
    }
    (found, worst)
}

/// How long it takes to test a law with a hundred thousand sequences of inputs.
pub(super) fn laws() -> f64 {
    let queue = specification();
    let begun = Instant::now();
    settings().cases(100_000).seed(1).without_corpus().for_all(|inputs: Vec<Input>| {
        after_inputs(&queue, [State::New], &inputs).iter().all(|state| match state {
            State::Queue(elements) => elements.is_sorted(),
            State::New => true,
        })
    });
    begun.elapsed().as_secs_f64()
}
