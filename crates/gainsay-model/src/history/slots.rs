//! Small sets of open operations.

/// A set of small numbers. Equal sets are equal values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Slots {
    low: u64,
    /// Never ends with 0.
    high: Vec<u64>,
}

impl Slots {
    #[inline]
    pub(super) fn contains(&self, slot: u32) -> bool {
        let word = match slot / 64 {
            0 => self.low,
            word => self.high.get(word as usize - 1).copied().unwrap_or(0),
        };
        word >> (slot % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn insert(&mut self, slot: u32) {
        if slot < 64 {
            self.low |= 1 << slot;
            return;
        }
        let word = slot as usize / 64 - 1;
        if self.high.len() <= word {
            self.high.resize(word + 1, 0);
        }
        self.high[word] |= 1 << (slot % 64);
    }

    /// Takes out those of `bits`, which stand for the numbers below 64.
    #[inline]
    pub(super) fn take_low(&mut self, bits: u64) -> u64 {
        let taken = self.low & bits;
        self.low &= !bits;
        taken
    }

    #[inline]
    pub(super) fn remove(&mut self, slot: u32) {
        if slot < 64 {
            self.low &= !(1 << slot);
            return;
        }
        if let Some(word) = self.high.get_mut(slot as usize / 64 - 1) {
            *word &= !(1 << (slot % 64));
        }
        while self.high.last() == Some(&0) {
            self.high.pop();
        }
    }
}
