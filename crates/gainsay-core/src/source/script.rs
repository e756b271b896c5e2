//! Scripts: numbers that were counted out for the very generator that draws them.

use std::ops::Range;

/// The numbers of a case. A [row](crate::row) among them is its count and its slots, and need not be drawn as a whole.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) numbers: Vec<u64>,
    /// Where rows are, and how many slots they have.
    pub(crate) rows: Vec<(usize, usize)>,
    at: usize,
    /// How many rows have been drawn, and how many choices of the next one.
    drawn: usize,
    inside: usize,
}

impl Script {
    #[inline]
    pub(crate) fn rewind(&mut self) {
        (self.at, self.drawn, self.inside) = (0, 0, 0);
    }

    /// The next number, if there is one.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u64> {
        if self.is_at_row() {
            return Some(self.next_of_row());
        }
        let number = self.numbers.get(self.at).copied();
        self.at += 1;
        number
    }

    /// Whether the next number is this one, and no row begins there: then it is taken.
    #[inline]
    pub(crate) fn takes(&mut self, number: u64) -> bool {
        let is_this = self.numbers.get(self.at) == Some(&number) && !self.is_at_row();
        self.at += usize::from(is_this);
        is_this
    }

    /// Where the elements of a row are, if the next question is a whole one.
    #[inline]
    pub(crate) fn row(&mut self) -> Option<Range<usize>> {
        if self.inside > 0 {
            return None;
        }
        let &(place, slots) = self.rows.get(self.drawn).filter(|(place, _)| *place == self.at)?;
        let count = *self.numbers.get(place)? as usize;
        self.at = place + 1 + slots;
        self.drawn += 1;
        Some(place + 1..place + 1 + count)
    }

    /// How many numbers are left, roughly.
    pub(crate) fn known(&self) -> usize {
        self.numbers.len().saturating_sub(self.at)
    }

    #[inline]
    fn is_at_row(&self) -> bool {
        self.rows.get(self.drawn).is_some_and(|(place, _)| *place == self.at)
    }

    /// The next number of a row whose choices are drawn one by one: whether there is an element, and which.
    #[inline(never)]
    fn next_of_row(&mut self) -> u64 {
        let ((place, slots), count) = (self.rows[self.drawn], self.numbers[self.at] as usize);
        let (element, which) = (self.inside / 2, self.inside % 2 == 1);
        self.inside += 1;
        if which {
            return self.numbers[place + 1 + element];
        }
        if element == count {
            self.at = place + 1 + slots;
            self.drawn += 1;
            self.inside = 0;
        }
        u64::from(element < count)
    }
}
