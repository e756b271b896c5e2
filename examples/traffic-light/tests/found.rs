//! The right light and the right button pass what finds the wrong ones, and each of those is shown by its smallest story.

use gainsay::Verdict;
use traffic_light::light::Mistake;
use traffic_light::{button_tested, tested};

/// How often somebody pressed, in the story that shows what is wrong.
fn presses(verdict: &Verdict) -> usize {
    let counterexample = verdict.counterexample().unwrap_or_else(|| panic!("{verdict}"));
    counterexample.notes.iter().filter(|note| note.value.ends_with("→ Press")).count()
}

#[test]
fn the_right_ones_pass() {
    for verdict in [tested(Mistake::None, 1), button_tested(false, 1)] {
        assert!(verdict.is_good(), "{verdict}");
    }
}

#[test]
fn the_wrong_ones_are_found_with_few_presses() {
    for seed in 0..5 {
        assert_eq!(presses(&tested(Mistake::Forgets, seed)), 2);
        assert_eq!(presses(&tested(Mistake::Hurries, seed)), 2);
        assert_eq!(presses(&tested(Mistake::Overlaps, seed)), 3);
        // (Three are enough, with a longer pause.)
        assert!(presses(&button_tested(true, seed)) <= 4);
    }
}
