//! The tape: the choices of a case while it runs.

use crate::choice::{Choice, Kind, Shape};
use std::ops::{Deref, DerefMut};

/// The choices made so far, in slots that are written over from case to case: making a choice is one comparison and one write.
#[derive(Debug)]
pub(crate) struct Tape {
    /// Never more than `choices_max`, so that a free slot is also the permission to use it.
    slots: Vec<Choice>,
    made: usize,
    choices_max: usize,
}

const BLANK: Choice = Choice { value: 0, shape: Shape { max: 0, below: 0, kind: Kind::Int, owner: 0 } };

impl Tape {
    pub(crate) fn new(choices_max: usize) -> Tape {
        Tape { slots: Vec::new(), made: 0, choices_max }
    }

    /// How many choices were made.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.made
    }

    /// How many choices there may be.
    pub(crate) fn choices_max(&self) -> usize {
        self.choices_max
    }

    /// Makes a choice, if there is a slot for it.
    #[inline(always)]
    pub(crate) fn write(&mut self, choice: Choice) -> bool {
        match self.slots.get_mut(self.made) {
            Some(slot) => {
                *slot = choice;
                self.made += 1;
                true
            }
            None => false,
        }
    }

    /// Whether a choice can be made without asking for more slots.
    #[inline(always)]
    pub(crate) fn has_slot(&self) -> bool {
        self.made < self.slots.len()
    }

    /// Makes a choice. The caller has seen to it that there are not too many.
    #[inline]
    pub(crate) fn push(&mut self, choice: Choice) {
        if !self.write(choice) {
            self.reserve(1);
            self.write(choice);
        }
    }

    /// Provides for `n` further choices, or as many as there may be, and says how many that is.
    #[inline]
    pub(crate) fn reserve(&mut self, n: usize) -> usize {
        if self.slots.len() - self.made < n {
            self.grow(n);
        }
        n.min(self.slots.len() - self.made)
    }

    #[cold]
    fn grow(&mut self, n: usize) {
        let wanted = (self.made + n).max(2 * self.slots.len()).max(64);
        self.slots.resize(wanted.min(self.choices_max), BLANK);
    }

    /// The next `n` slots, which are choices from now on. There must be so many.
    #[inline]
    pub(crate) fn take(&mut self, n: usize) -> &mut [Choice] {
        let taken = &mut self.slots[self.made..self.made + n];
        self.made += n;
        taken
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.made = 0;
    }

    #[inline]
    pub(crate) fn truncate(&mut self, n: usize) {
        self.made = self.made.min(n);
    }

    /// Takes over the choices of a record.
    pub(crate) fn load(&mut self, choices: Vec<Choice>) {
        self.made = choices.len();
        self.slots = choices;
    }
}

impl Deref for Tape {
    type Target = [Choice];

    #[inline(always)]
    fn deref(&self) -> &[Choice] {
        &self.slots[..self.made]
    }
}

impl DerefMut for Tape {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Choice] {
        &mut self.slots[..self.made]
    }
}
