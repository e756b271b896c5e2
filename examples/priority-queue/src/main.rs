//! Tests a queue and ten that are wrong.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

use gainsay::machine::{conformance, implementation};
use priority_queue::mutants::{Heap, MISTAKES, Mistake};
use priority_queue::{Input, specification};

fn main() {
    for mistake in [Mistake::None].into_iter().chain(MISTAKES) {
        let real =
            implementation(move || Heap::new(mistake), |heap: &mut Heap, input: &Input| heap.step(input));
        let verdict = conformance("queue", specification(), real)
            .draw(|case| case.any())
            .settings(gainsay::settings().without_corpus())
            .verdict();
        println!("{mistake:?}: {verdict}\n");
    }
}
