//! Cases that have shown something new: the search goes on from them.

use crate::record::Record;
use crate::rng::{Rng, mix};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Features that were seen, and the cases that showed each of them first.
#[derive(Debug, Default)]
pub(crate) struct Novelty {
    seen: HashSet<u64, BuildHasherDefault<Mixed>>,
    pool: Vec<Kept>,
    /// Where the next one goes when there is no room left.
    next: usize,
}

/// Features are numbers, most of them hashes: one round of mixing is enough.
#[derive(Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0 ^ number);
    }
}

#[derive(Debug)]
struct Kept {
    record: Record,
    /// How often the search went on from it.
    tried: u64,
}

/// No more cases are kept: new ones then take the place of the oldest.
const POOL_MAX: usize = 1024;
/// No more features are told apart.
const FEATURES_MAX: usize = 1 << 18;

impl Novelty {
    /// Keeps a case if one of its features is new.
    pub(crate) fn see(&mut self, features: &[u64], record: impl FnOnce() -> Record) {
        let mut is_new = false;
        for feature in features {
            is_new |= self.seen.len() < FEATURES_MAX && self.seen.insert(*feature);
        }
        if !is_new {
            return;
        }
        let kept = Kept { record: record(), tried: 0 };
        if self.pool.len() < POOL_MAX {
            self.pool.push(kept);
        } else {
            self.pool[self.next] = kept;
            self.next = (self.next + 1) % POOL_MAX;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// A case to go on from, and one to take parts of. Of a few, the one that was tried least.
    pub(crate) fn choose(&mut self, seed: u64, index: u64) -> Option<(&Record, &Record)> {
        let last = (self.pool.len() as u64).checked_sub(1)?;
        let mut rng = Rng::of_case(seed.rotate_left(32), index);
        let mut any = || rng.up_to(last) as usize;
        let (base, other) = ([any(), any(), any()], any());
        let base = base.into_iter().min_by_key(|place| self.pool[*place].tried)?;
        self.pool[base].tried += 1;
        Some((&self.pool[base].record, &self.pool[other].record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cases_with_new_features_are_kept() {
        let mut novelty = Novelty::default();
        let of_size = |size: u32| move || Record { size, ..Record::default() };
        novelty.see(&[1, 2], of_size(1));
        novelty.see(&[2, 1], of_size(2));
        novelty.see(&[2, 3], of_size(3));
        let mut sizes: Vec<u32> =
            (0..100).filter_map(|index| novelty.choose(7, index).map(|(base, _)| base.size)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        assert_eq!(sizes, [1, 3]);
    }
}
