//! Sets of parts of a formula.

use crate::closure::Part;
use smallvec::SmallVec;

/// A set of parts, as bits. (The last word is never zero: so equal sets are equal.)
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Parts {
    words: SmallVec<[u64; 2]>,
}

impl Parts {
    pub(crate) fn of(part: Part) -> Parts {
        let mut parts = Parts::default();
        parts.insert(part);
        parts
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn contains(&self, part: Part) -> bool {
        self.words.get(part as usize / 64).is_some_and(|word| word >> (part % 64) & 1 == 1)
    }

    pub(crate) fn insert(&mut self, part: Part) {
        let place = part as usize / 64;
        if self.words.len() <= place {
            self.words.resize(place + 1, 0);
        }
        self.words[place] |= 1 << (part % 64);
    }

    pub(crate) fn remove(&mut self, part: Part) {
        if let Some(word) = self.words.get_mut(part as usize / 64) {
            *word &= !(1 << (part % 64));
        }
        self.trim();
    }

    /// Adds another set.
    pub(crate) fn unite(&mut self, other: &Parts) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Keeps what another set has as well.
    pub(crate) fn intersect(&mut self, other: &Parts) {
        self.words.truncate(other.words.len());
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        self.trim();
    }

    pub(crate) fn is_subset(&self, other: &Parts) -> bool {
        self.words.len() <= other.words.len()
            && self.words.iter().zip(&other.words).all(|(word, other)| word & !other == 0)
    }

    /// From the largest to the smallest: a part comes before its operands.
    pub(crate) fn descending(&self) -> impl Iterator<Item = Part> + '_ {
        (0..self.words.len()).rev().flat_map(|place| {
            let word = self.words[place];
            (0..64).rev().filter(move |bit| word >> bit & 1 == 1).map(move |bit| place as Part * 64 + bit)
        })
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}
