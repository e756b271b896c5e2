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

    /// An empty one that uses the memory of a list.
    pub(super) fn in_place_of(mut list: Vec<C>) -> Bag<C> {
        list.clear();
        Bag { few: list, many: FxHashSet::default() }
    }

    /// The memory of its list.
    pub(super) fn into_list(self) -> Vec<C> {
        self.few
    }

    /// Takes the only one there is.
    #[inline]
    pub(super) fn take_only(&mut self) -> Option<C> {
        if self.few.len() == 1 && self.many.is_empty() { self.few.pop() } else { None }
    }

    /// The only one there is.
    #[inline]
    pub(super) fn only(&mut self) -> Option<&mut C> {
        match self.few.as_mut_slice() {
            [config] if self.many.is_empty() => Some(config),
            _ => None,
        }
    }

    pub(super) fn drain(&mut self) -> impl Iterator<Item = C> {
        self.few.drain(..).chain(self.many.drain())
    }

    pub(super) fn len(&self) -> usize {
        self.few.len() + self.many.len()
    }

    /// Whether it is new.
    pub(super) fn insert(&mut self, config: C) -> bool {
        if !self.many.is_empty() {
            return self.many.insert(config);
        }
        if !self.few.is_empty() && self.few.contains(&config) {
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

    pub(super) fn iter(&self) -> impl Iterator<Item = &C> + Clone {
        self.few.iter().chain(&self.many)
    }
}
