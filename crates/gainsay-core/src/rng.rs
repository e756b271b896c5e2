//! The random numbers of the random source: small, fast, and the same on every machine.

/// A wyrand-like generator: one addition and one wide multiplication a number.
#[derive(Debug, Clone)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    /// The generator of case `index` in the run with `seed`. It depends on nothing else.
    #[inline]
    pub(crate) fn of_case(seed: u64, index: u64) -> Rng {
        Rng::of_key(key(seed), index)
    }

    /// Like [`of_case`](Rng::of_case), with the seed mixed beforehand ([`key`]).
    #[inline(always)]
    pub(crate) fn of_key(key: u64, index: u64) -> Rng {
        // Every state of the generator is scrambled anew, so that starting points need not be.
        Rng { state: key.wrapping_add(index.wrapping_mul(0xd1b5_4a32_d192_ed03)) }
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0xa076_1d64_78bd_642f);
        let wide = u128::from(self.state) * u128::from(self.state ^ 0xe703_7ed1_a0b4_28db);
        (wide >> 64) as u64 ^ wide as u64
    }

    /// Two words for the price of one. The second is the weaker one: good for decisions, not for values.
    #[inline(always)]
    pub(crate) fn next_two(&mut self) -> (u64, u64) {
        self.state = self.state.wrapping_add(0xa076_1d64_78bd_642f);
        let wide = u128::from(self.state) * u128::from(self.state ^ 0xe703_7ed1_a0b4_28db);
        ((wide >> 64) as u64 ^ wide as u64, wide as u64)
    }

    /// A number in `0..=max`, uniform up to a bias below 2^-64 · max.
    #[inline]
    pub(crate) fn up_to(&mut self, max: u64) -> u64 {
        scale(self.next(), max)
    }

    /// True in one of `n` calls.
    #[inline]
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.up_to(n - 1) == 0
    }
}

/// Scales a uniform word to `0..=max`.
#[inline]
pub(crate) fn scale(word: u64, max: u64) -> u64 {
    match max.checked_add(1) {
        Some(bound) => ((u128::from(word) * u128::from(bound)) >> 64) as u64,
        None => word,
    }
}

/// What all cases of a seed have in common.
pub(crate) fn key(seed: u64) -> u64 {
    mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// Scrambles a word (the finaliser of splitmix64).
#[inline]
pub(crate) fn mix(mut word: u64) -> u64 {
    word ^= word >> 30;
    word = word.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^= word >> 27;
    word = word.wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
