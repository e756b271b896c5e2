//! The targeted source: a promising case, changed a little.

use super::random::Random;
use super::{Hint, Source};
use crate::choice::{Choice, Kind, Shape};
use crate::rng::Rng;

/// Repeats the choices of a case with a high score, except that some of them are moved; what comes after its end is
/// random.
#[derive(Debug, Clone)]
pub(crate) struct Targeted {
    base: Vec<Choice>,
    rng: Rng,
    random: Random,
    /// One in this many choices is changed.
    rate: u64,
    /// How far a changed number moves.
    step: u64,
}

impl Targeted {
    pub(crate) fn new(base: Vec<Choice>, seed: u64, index: u64, size: u32) -> Targeted {
        let mut rng = Rng::of_case(!seed, index);
        let rate = 1 + rng.up_to(base.len() as u64).min(31);
        let step = 1 << rng.up_to(20);
        let mut random = Random::new(seed, index, size);
        random.set_echoing(false);
        Targeted { base, rng, random, rate, step }
    }
}

impl Source for Targeted {
    fn choose(&mut self, shape: &Shape, hint: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        let Some(base) = self.base.get(so_far.len()).filter(|c| c.shape.kind == shape.kind) else {
            return self.random.choose(shape, hint, so_far);
        };
        let value = base.value.min(shape.max);
        if !self.rng.one_in(self.rate) {
            return Some(value);
        }
        Some(match (shape.kind, self.rng.up_to(3)) {
            (Kind::Flag | Kind::More, _) => shape.max - value,
            (_, 0) => return self.random.choose(shape, hint, so_far),
            // Numbers of one sign are two apart where both signs exist.
            (_, 1 | 2) => {
                let step = if shape.below == 0 { self.step } else { self.step.saturating_mul(2) };
                value.saturating_add(step).min(shape.max)
            }
            _ => value.saturating_sub(self.step),
        })
    }

    fn is_random(&self) -> bool {
        true
    }
}
