//! Which transitions random walks have taken: they rather take others.

use gainsay_core::Case;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Which transitions have been taken.
#[derive(Debug)]
pub(super) struct Taken<S> {
    by_state: FxHashMap<S, Vec<u32>>,
    /// How many inputs are still looked at, if none of them is new.
    left: u32,
    weights: Vec<u32>,
}

impl<S> Default for Taken<S> {
    fn default() -> Taken<S> {
        Taken { by_state: FxHashMap::default(), left: OLD_MAX, weights: Vec::new() }
    }
}

/// After so many inputs of which none was new, and so many for each state, none is looked for.
const OLD_MAX: u32 = 1000;
const OLD_OF_STATE_MAX: u32 = 20;

/// So many states are remembered.
const REMEMBERED_MAX: usize = 10_000;

/// What a transition weighs that has not been taken, against one that has.
const NEW_WEIGHT: u32 = 8;

impl<S: Clone + Eq + Hash> Taken<S> {
    /// Draws an input; rather one that has not been taken in the only state there is.
    #[inline]
    pub(super) fn draw(&mut self, case: &mut Case, state: Option<&S>, inputs: usize) -> usize {
        match state {
            Some(state) if self.left > 0 => self.draw_new(case, state, inputs),
            _ => case.option(inputs, &[]),
        }
    }

    fn draw_new(&mut self, case: &mut Case, state: &S, inputs: usize) -> usize {
        self.left -= 1;
        if !self.by_state.contains_key(state) {
            if self.by_state.len() == REMEMBERED_MAX {
                self.left = 0;
                return case.option(inputs, &[]);
            }
            self.by_state.insert(state.clone(), (0..inputs as u32).collect());
        }
        let Some(new) = self.by_state.get_mut(state).filter(|new| !new.is_empty()) else {
            return case.option(inputs, &[]);
        };
        self.weights.clear();
        self.weights.resize(inputs, 1);
        new.iter().for_each(|input| self.weights[*input as usize] = NEW_WEIGHT);
        let drawn = case.index_weighted(&self.weights);
        if let Some(place) = new.iter().position(|input| *input as usize == drawn) {
            new.swap_remove(place);
            self.left = OLD_MAX + OLD_OF_STATE_MAX * self.by_state.len() as u32;
        }
        drawn
    }
}
