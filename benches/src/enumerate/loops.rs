//! The hand-written loop over pairs.

use super::Contender;
use super::walk::{PAIRS, Walk, judged};

pub(super) const CONTENDER: Contender =
    Contender { name: "loop", walks: &[(Walk::Pairs, pairs)], figures: &[] };

fn pairs() -> u64 {
    judged(|property| baselines::pairs(PAIRS, property))
}
