//! Rows: lists whose elements are one choice each, with the same bound.
//!
//! All questions of such a list are known once it is begun. So it can be stepped as a whole, like an odometer, in the order in which its
//! choices would be walked one by one: whether there is an element, and which, each at the cost of its number.

use std::ops::Range;

/// A row, without its elements: they are in slots that somebody else keeps. There are enough slots for what may be spent, since each
/// element costs something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Where its slots begin, and how many there are.
    pub(crate) start: usize,
    pub(crate) slots: usize,
    /// How many elements there are, and how many there may be.
    pub(crate) count: usize,
    pub(crate) count_max: usize,
    /// The bound of an element.
    pub(crate) max: u64,
    /// The first element that changed, of those that somebody has seen; a large number if none has.
    pub(crate) changed: usize,
}

impl Row {
    /// The first row for which no more is spent than `budget`, and no more left than can be spent `after` it; and what is left. Its
    /// slots are added to `items`. Nothing if there is no such row: an empty one leaves all, and is not wanted if that is more than can
    /// be spent `after_empty`.
    pub(crate) fn first(
        items: &mut Vec<u64>,
        count_max: usize,
        max: u64,
        budget: u64,
        [after_empty, after]: [u64; 2],
    ) -> Option<(Row, u64)> {
        let start = items.len();
        let slots = count_max.min(usize::try_from(budget).unwrap_or(usize::MAX));
        let mut row = Row { start, slots, count: 0, count_max, max, changed: 0 };
        if budget <= after_empty {
            items.resize(start + slots, 0);
            return Some((row, budget));
        }
        if count_max == 0 || budget > row.cost_max(count_max).saturating_add(after) {
            return None;
        }
        items.resize(start + slots, 0);
        let left = row.add(&mut items[start..], budget, after);
        Some((row, left))
    }

    /// Where its slots end.
    pub(crate) fn end(&self) -> usize {
        self.start + self.slots
    }

    /// Where its elements are.
    #[inline]
    pub(crate) fn elements(&self) -> Range<usize> {
        self.start..self.start + self.count
    }

    /// The largest cost of `n` elements.
    #[inline(always)]
    fn cost_max(&self, n: usize) -> u64 {
        (n as u64).saturating_mul(self.max.saturating_add(1))
    }

    /// Adds one element, and more until what is left can be spent `after` the row: the simplest that can be. Returns what is left.
    #[inline]
    fn add(&mut self, items: &mut [u64], left: u64, after: u64) -> u64 {
        let (mut left, mut count) = (left, self.count);
        while let Some(item) = items.get_mut(count) {
            count += 1;
            left -= 1;
            *item = 0;
            // (The cheap comparison first: each of the others costs something.)
            let others = self.count_max - count;
            if left > others as u64 {
                *item = left.saturating_sub(self.cost_max(others).saturating_add(after));
                debug_assert!(*item <= self.max, "what can be spent was known");
                left -= *item;
            }
            if left <= after {
                break;
            }
        }
        self.count = count;
        left
    }

    /// Moves on to the next row: the same with more elements, or with a larger last one. Returns what is left. Without one, the row is
    /// empty afterwards.
    #[inline]
    pub(crate) fn step(&mut self, items: &mut [u64], left: u64, after: u64) -> Option<u64> {
        let items = items.get_mut(self.start..self.start + self.slots)?;
        let mut left = left;
        if left > 0 && self.count < self.count_max {
            let others = self.count_max - self.count;
            if left <= self.cost_max(others).saturating_add(after) {
                self.changed = self.changed.min(self.count);
                return Some(self.add(items, left, after));
            }
        }
        for (i, item) in items.get_mut(..self.count)?.iter_mut().enumerate().rev() {
            if left > 0 && *item < self.max {
                *item += 1;
                left -= 1;
                self.count = i + 1;
                self.changed = self.changed.min(i);
                return Some(if left > after { self.add(items, left, after) } else { left });
            }
            left += 1 + *item;
        }
        self.count = 0;
        None
    }
}
