//! Rows: lists whose elements are one choice each, with the same bound.
//!
//! All questions of such a list are known once it is begun, so that it is one node, whose value is what the whole list costs. It is
//! stepped like an odometer, in the order in which its choices would be walked. What can be spent inside is known as well; only
//! what can be spent after it is learnt: at the site of its first choice, apart for the empty list.
//!
//! Whether a list is a row depends on the choices before it alone. So no other site waits for what is learnt here.

use super::{Node, Walk};
use crate::choice::{Choice, Kind, Shape};
use crate::tape::Tape;

/// The bound of a row as a choice: no question has so strange a one.
const MAX: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a row is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Where the numbers of its elements begin, and how many there are.
    start: usize,
    count: usize,
    count_max: usize,
    /// The bound of an element.
    max: u64,
    /// The first element that is not in the record; a large number if the record is complete.
    changed: usize,
}

impl Row {
    pub(super) fn end(&self) -> usize {
        self.start + self.count
    }

    /// The largest cost of `n` elements.
    #[inline]
    fn cost_max(&self, n: usize) -> u64 {
        (n as u64).saturating_mul(self.max.saturating_add(1))
    }

    /// Adds one element, and more until what is left can be spent `after` the row: the simplest that can be. Returns what is left.
    #[inline]
    fn add(&mut self, items: &mut Vec<u64>, left: u64, after: u64) -> u64 {
        let mut others = self.count_max - (items.len() - self.start);
        let mut left = left;
        loop {
            others -= 1;
            left -= 1;
            let item = left.saturating_sub(self.cost_max(others).saturating_add(after));
            debug_assert!(item <= self.max, "what can be spent was known");
            items.push(item);
            left -= item;
            if left <= after {
                break;
            }
        }
        self.count = items.len() - self.start;
        left
    }

    /// Moves on to the next row: the same with more elements, or with a larger last one. Returns what is left.
    #[inline]
    fn step(&mut self, items: &mut Vec<u64>, left: u64, after: u64) -> Option<u64> {
        let mut left = left;
        let others = self.count_max - self.count;
        if others > 0 && left > 0 && left <= self.cost_max(others).saturating_add(after) {
            self.changed = self.changed.min(self.count);
            return Some(self.add(items, left, after));
        }
        while self.count > 0 {
            self.count -= 1;
            let item = items.pop()?;
            if item < self.max && left > 0 {
                items.push(item + 1);
                left -= 1;
                self.changed = self.changed.min(self.count);
                self.count += 1;
                return Some(if left > after { self.add(items, left, after) } else { left });
            }
            left += 1 + item;
        }
        None
    }
}

impl Walk {
    /// Whether a list that begins here is a row, if its elements allow that.
    #[inline]
    pub(crate) fn has_rows(&self) -> bool {
        // A bound would have to be met inside, and a seed to permute what is inside.
        self.bound.is_none() && self.seed == 0
    }

    /// The next row: the numbers of its elements. All of it is written into the record. `None` if no list fits, or if there is no `room`
    /// for its choices.
    #[inline]
    pub(crate) fn row(
        &mut self,
        choices: &mut Tape,
        room: usize,
        count_max: usize,
        [more, item]: [Shape; 2],
    ) -> Option<&[u64]> {
        self.drop_guess();
        if self.at >= self.nodes.len() && !self.begin_row(count_max, item.max) {
            self.dead = true;
            return None;
        }
        let node = self.nodes[self.at];
        let row = self.rows.get_mut(node.low as usize).filter(|_| node.is_row);
        let Some(row) = row.filter(|row| row.max == item.max && row.count_max == count_max) else {
            // Another question than on the run before.
            (self.unsteady, self.dead) = (true, true);
            return None;
        };
        self.at += 1;
        self.more += 2 * row.count;
        self.frame.ordinal += 1;
        let numbers = &self.items[row.start..row.start + row.count];
        if row.changed <= row.count {
            if node.end() > room {
                return None;
            }
            let changed = &numbers[row.changed..];
            choices.truncate(node.place as usize + 2 * row.changed);
            choices.reserve(2 * changed.len() + 1);
            let (pairs, end) = choices.take(2 * changed.len() + 1).as_chunks_mut::<2>();
            for (pair, &value) in pairs.iter_mut().zip(changed) {
                *pair = [Choice { value: 1, shape: more }, Choice { value, shape: item }];
            }
            let max = u64::from(row.count < count_max);
            end[0] = Choice { value: 0, shape: Shape { max, ..more } };
            row.changed = usize::MAX;
        }
        Some(numbers)
    }

    /// Adds the first row that fits.
    fn begin_row(&mut self, count_max: usize, max: u64) -> bool {
        let budget = self.left;
        let site = self.frame.inside("vec").site();
        let [after_empty, after_others] = self.reach[site as usize];
        let mut row = Row { start: self.items.len(), count: 0, count_max, max, changed: 0 };
        let spendable = row.cost_max(count_max).saturating_add(after_others);
        if budget > after_empty && (count_max == 0 || budget > spendable) {
            return false;
        }
        self.nodes.push(Node {
            value: 0,
            max: MAX,
            budget,
            low: self.rows.len() as u64,
            count: 0,
            tried: 0,
            place: self.made() as u32,
            width: 1,
            kind: Kind::More,
            site,
            zero: true,
            is_row: true,
        });
        let left = if budget > after_empty { row.add(&mut self.items, budget, after_others) } else { budget };
        self.rows.push(row);
        self.left = left;
        self.set_row(left);
        true
    }

    /// Moves on to the next row that fits at the last node, which otherwise is no row any more.
    #[inline]
    pub(super) fn step_row(&mut self) -> bool {
        let (Some(node), Some(row)) = (self.nodes.last(), self.rows.last_mut()) else { return false };
        let after = self.reach[node.site as usize][1];
        match row.step(&mut self.items, node.budget - node.value, after) {
            Some(left) => self.set_row(left),
            None => return self.rows.pop().is_none(),
        }
        true
    }

    /// The elements of the last row are others, and leave so much.
    #[inline]
    fn set_row(&mut self, left: u64) {
        if let (Some(node), Some(row)) = (self.nodes.last_mut(), self.rows.last()) {
            node.value = node.budget - left;
            node.width = 2 * row.count as u32 + 1;
            self.expect_news();
        }
    }
}
