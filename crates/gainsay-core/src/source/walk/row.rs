//! [Rows](Row) in a walk: each is one node, whose value is what the whole list costs. What can be spent inside is known; only
//! what can be spent after it is learnt: at the site of its first choice, apart for the empty list.
//!
//! Whether a list is a row depends on the choices before it alone. So no other site waits for what is learnt here.
//!
//! The last row is put into the record only when somebody wants to see it: most runs end with it, and nobody does.

use super::{Frame, NO_GUESS, Node, Walk};
use crate::choice::{Choice, Kind, Shape};
use crate::row::Row;
use crate::tape::Tape;
use std::ops::Range;

/// The bound of a row as a choice: no question has so strange a one.
const MAX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether there is another element.
const MORE: Shape = Shape { max: 1, below: 0, kind: Kind::More, owner: 0 };

impl Walk {
    /// Whether a list that begins here is a row, if its elements allow that.
    #[inline]
    pub(crate) fn has_rows(&self) -> bool {
        // A bound would have to be met inside, and a seed to permute what is inside.
        self.bound.is_none() && self.seed == 0
    }

    /// The next row: where its [items](Walk::items) are. `None` if no list fits, or if there is no `room` for its choices.
    #[inline]
    pub(crate) fn row(
        &mut self,
        choices: &mut Tape,
        room: usize,
        count_max: usize,
        item: Shape,
    ) -> Option<Range<usize>> {
        if self.at >= self.nodes.len() || self.at == self.guess {
            self.drop_guess();
            self.write_row(choices);
            if !self.begin_row(count_max, item) {
                self.dead = true;
                return None;
            }
        }
        let node = &self.nodes[self.at];
        let row = self.rows.get(node.low as usize).filter(|_| node.is_row);
        let Some((row, _)) = row.filter(|(row, _)| row.max == item.max && row.count_max == count_max) else {
            // Another question than on the run before.
            (self.unsteady, self.dead) = (true, true);
            return None;
        };
        self.at += 1;
        self.more += 2 * row.count;
        self.frame.ordinal = self.frame.ordinal.wrapping_add(1);
        if node.end() > room {
            self.unwritten = false;
            return None;
        }
        Some(row.elements())
    }

    /// The numbers of the elements of all rows, in their slots.
    #[inline]
    pub(crate) fn items(&self) -> &[u64] {
        &self.items
    }

    /// Puts the last row into the record, if this run has drawn it and it is not there.
    #[inline]
    pub(crate) fn write_row(&mut self, choices: &mut Tape) {
        if self.unwritten && self.at == self.nodes.len() {
            self.write_last_row(choices);
        }
    }

    #[inline(never)]
    fn write_last_row(&mut self, choices: &mut Tape) {
        self.unwritten = false;
        let (Some(node), Some((row, item))) = (self.nodes.last(), self.rows.last_mut()) else { return };
        if !node.is_row || row.changed > row.count || node.end() > choices.choices_max() {
            return;
        }
        let changed = &self.items[row.elements()][row.changed..];
        choices.truncate(node.place as usize + 2 * row.changed);
        choices.reserve(2 * changed.len() + 1);
        let (pairs, end) = choices.take(2 * changed.len() + 1).as_chunks_mut::<2>();
        for (pair, &value) in pairs.iter_mut().zip(changed) {
            *pair = [Choice { value: 1, shape: MORE }, Choice { value, shape: *item }];
        }
        let max = u64::from(row.count < row.count_max);
        end[0] = Choice { value: 0, shape: Shape { max, ..MORE } };
        row.changed = usize::MAX;
    }

    /// What this run has drawn so far, by the record.
    pub(crate) fn written(&self, choices: &[Choice]) -> Vec<Choice> {
        let mut tape = Tape::new(usize::MAX);
        tape.load(choices.to_vec());
        if self.unwritten {
            self.clone().write_row(&mut tape);
        }
        // (What the run before drew after that, and this one is expected to draw, is there as well.)
        tape.truncate(self.made());
        tape.to_vec()
    }

    /// Adds the first row that fits.
    fn begin_row(&mut self, count_max: usize, item: Shape) -> bool {
        let budget = self.left;
        let site = self.frame.inside("vec").site();
        let row = Row::first(&mut self.items, count_max, item.max, budget, self.reach[site as usize]);
        let Some((row, left)) = row else { return false };
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
        self.rows.push((row, item));
        self.set_row(left);
        self.left = left;
        true
    }

    /// Moves on to the next row that fits at the last node, which otherwise is no row any more.
    #[inline]
    pub(super) fn step_row(&mut self) -> bool {
        let (Some(node), Some((row, _))) = (self.nodes.last(), self.rows.last_mut()) else { return false };
        let after = self.reach[node.site as usize][1];
        match row.step(&mut self.items, node.budget - node.value, after) {
            Some(left) => self.set_row(left),
            None => {
                self.items.truncate(row.start);
                self.rows.pop();
                self.unwritten = false;
                return false;
            }
        }
        true
    }

    /// After a case of this level whose last question was a row: moves on to the next one and starts the next run, if that teaches
    /// nothing.
    #[inline(always)]
    pub(crate) fn repeat_row(&mut self) -> bool {
        let [others @ .., node] = self.nodes.as_mut_slice() else { return false };
        let place = others.len();
        if !node.is_row || self.news < place || self.at <= place || self.left != 0 || self.dead {
            return false;
        }
        debug_assert!(self.guess == NO_GUESS, "rows are not guessed");
        let Some((row, _)) = self.rows.last_mut() else { return false };
        let [after_empty, after] = self.reach[node.site as usize];
        // (If there is none, whoever steps with care finds the same.)
        let Some(left) = row.step(&mut self.items, 0, after) else { return false };
        node.value = node.budget - left;
        node.width = 2 * row.count as u32 + 1;
        // As in `expect_news`.
        let known = if node.value > 0 { after } else { after_empty };
        self.news = if known > left { usize::MAX } else { place };
        (self.found, self.unwritten) = (true, true);
        (self.at, self.more, self.left) = (0, 0, left);
        self.frame = Frame::ROOT;
        true
    }

    /// The elements of the last row are others, and leave so much.
    #[inline]
    fn set_row(&mut self, left: u64) {
        self.unwritten = true;
        if let (Some(node), Some((row, _))) = (self.nodes.last_mut(), self.rows.last()) {
            node.value = node.budget - left;
            node.width = 2 * row.count as u32 + 1;
            self.expect_news();
        }
    }
}
