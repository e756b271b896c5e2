//! Sets of configurations, of which there are mostly few.

use rustc_hash::FxHashSet;
use std::hash::Hash;

/// So many are compared one by one.
const FEW: usize = 8;

/// A set: without hashing as long as it is small.
#[derive(Debug)]
pub(super) struct Bag<C> {
    few: Vec<C>,
    many: FxHashSet<C>,
}

impl<C: Eq + Hash> Bag<C> {
    pub(super) fn new() -> Bag<C> {
        Bag { few: Vec::new(), many: FxHashSet::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.few.len() + self.many.len()
    }

    /// Whether it is new.
    pub(super) fn insert(&mut self, config: C) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(config);
        }
        if self.few.contains(&config) {
            return false;
        }
        if self.few.len() < FEW {
            self.few.push(config);
            return true;
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(config)
    }

    pub(super) fn extend(&mut self, configs: impl IntoIterator<Item = C>) {
        for config in configs {
            self.insert(config);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &C> {
        self.few.iter().chain(&self.many)
    }
}

impl<C: Eq + Hash> Default for Bag<C> {
    fn default() -> Bag<C> {
        Bag::new()
    }
}

impl<C> IntoIterator for Bag<C> {
    type Item = C;
    type IntoIter = std::iter::Chain<std::vec::IntoIter<C>, std::collections::hash_set::IntoIter<C>>;

    fn into_iter(self) -> Self::IntoIter {
        self.few.into_iter().chain(self.many)
    }
}
