//! What was drawn before comes again: in one random case of four, equal and nearly equal values are common.
//!
//! Chance alone hardly ever makes two strings equal, and much code goes wrong only where two are (or differ in one place). A case
//! that *echoes* takes integers from before, and copies whole spans: strings, lists, values of a type. Other cases are not touched.

use super::{Random, edges, usual_int};
use crate::case::OPEN;
use crate::choice::{Choice, Kind, Shape};
use crate::record::Span;
use crate::rng::{mix, scale};

/// Cases that echo come in a row, so that the step from one case to the next is mostly a small one: eight of them, and more
/// where there are many cases.
#[inline]
fn row(index: u64) -> u32 {
    if index < 1 << 12 { 3 } else { 10 }
}

/// Whether random case `index` echoes.
#[inline]
pub(super) fn is_echoing(index: u64) -> bool {
    index >> row(index) & 3 == 2
}

/// The last case after `index` that is like it in this.
#[inline]
pub(crate) fn last_alike(index: u64) -> u64 {
    let row = row(index);
    // (Two rows that do not echo follow each other.)
    let alike = if index >> row & 3 < 2 { 2 << row } else { 1 << row };
    index | (alike - 1)
}

/// How much of a case was there before.
#[derive(Debug, Clone)]
pub(super) struct Echo {
    pub(super) is_on: bool,
    /// A single integer is special if a uniform number is below this: the first one of a case, and the others.
    pub(super) int_below: [u32; 2],
    /// And so is a character.
    pub(super) char_below: u32,
    /// The choices that are being made again.
    copy: Option<Copy>,
}

#[derive(Debug, Clone, Copy)]
struct Copy {
    /// The choice that comes next.
    from: usize,
    until: usize,
    /// The choice that becomes another one, so that the copy is nearly equal.
    changed: Option<usize>,
}

impl Echo {
    /// One integer in 32 is special, and one character in eight; where the case echoes, all integers but the first and a quarter of the
    /// characters are.
    const QUIET: Echo =
        Echo { is_on: false, int_below: [u32::MAX / 32; 2], char_below: u32::MAX / 8, copy: None };
    const LOUD: Echo =
        Echo { is_on: true, int_below: [u32::MAX / 32, u32::MAX], char_below: u32::MAX / 4, copy: None };

    #[inline(always)]
    pub(super) fn of_case(index: u64) -> Echo {
        if is_echoing(index) { Echo::LOUD } else { Echo::QUIET }
    }
}

impl Random {
    /// Whether the case echoes.
    #[inline(always)]
    pub(crate) fn is_echoing(&self) -> bool {
        self.echo.is_on
    }

    #[inline(always)]
    pub(crate) fn is_copying(&self) -> bool {
        self.echo.copy.is_some()
    }

    /// What is drawn next is drawn for the first time.
    pub(crate) fn stop_copying(&mut self) {
        self.echo.copy = None;
    }

    /// From here on the case echoes, or does not.
    pub(crate) fn set_echoing(&mut self, is_on: bool) {
        self.echo = if is_on { Echo::LOUD } else { Echo::QUIET };
    }

    /// A span begins: perhaps it becomes a copy of an earlier one, with one choice changed in some.
    pub(crate) fn copy_span(&mut self, label: &str, depth: u32, spans: &[Span]) {
        let word = self.rng.next();
        let eighths = if depth == 0 { 7 } else { 3 };
        if spans.is_empty() || word & 7 >= eighths {
            return;
        }
        let like = |span: &&Span| {
            span.label == label && span.depth == depth && span.end != OPEN && span.end - span.start > 1
        };
        let (before, after) = spans.split_at(scale(word, spans.len() as u64 - 1) as usize);
        let found = after.iter().take(NEAR).chain(before.iter().rev().take(NEAR)).find(like);
        let Some(&Span { start, end, .. }) = found else { return };
        let word = self.rng.next();
        let changed =
            (word & 3 == 0).then(|| (start + scale(word, u64::from(end - start) - 1) as u32) as usize);
        self.echo.copy = Some(Copy { from: start as usize, until: end as usize, changed });
    }

    /// An integer of a case that echoes: mostly one from before, or a neighbour of one. What followed it then may follow again, so that
    /// values of several choices are equal, too.
    #[inline]
    pub(super) fn echoed_int(&mut self, max: u64, below: u64, words: (u64, u64), so_far: &[Choice]) -> u64 {
        let (word, _) = words;
        // One unforeseen jump for all that is rare: jumps are what an integer costs here.
        if word & 15 < 2 || so_far.is_empty() {
            return self.fresh_int(max, below, words);
        }
        let place = scale(word, so_far.len() as u64 - 1) as usize;
        let Choice { value, shape } = &so_far[place];
        let value = *value;
        if value == 0 || shape.max != max || shape.below != below || shape.kind != Kind::Int {
            return self.again(Kind::Int, max, below, so_far);
        }
        if place + 1 < so_far.len() {
            self.copy_what_followed(place + 1, word, so_far.len());
        }
        let is_near = u64::from(word >> 4 & 15 < 2);
        moved(value, is_near << (word >> 12 & 1), word >> 8, below, max)
    }

    /// What followed an integer that came again follows again, in some cases.
    #[inline(never)]
    fn copy_what_followed(&mut self, from: usize, word: u64, end: usize) {
        if (2..9).contains(&(word >> 4 & 15)) {
            let until = end.min(from + 1 + (word >> 8 & 7) as usize);
            self.echo.copy = Some(Copy { from, until, changed: None });
        }
    }

    /// An integer that is not from before, of a case that echoes.
    #[inline(never)]
    fn fresh_int(&mut self, max: u64, below: u64, words: (u64, u64)) -> u64 {
        match words.0 & 1 {
            0 => edges::int(max, below, self.rng.next(), mix(words.0)),
            _ => usual_int(max, words),
        }
    }

    /// The next choice of a copy, as long as the same is asked for.
    #[inline]
    pub(super) fn copied(&mut self, shape: &Shape, so_far: &[Choice]) -> Option<u64> {
        let Copy { from, until, changed } = self.echo.copy?;
        self.echo.copy = None;
        let like = |made: &&Choice| {
            (made.shape.kind, made.shape.max, made.shape.below) == (shape.kind, shape.max, shape.below)
        };
        let value = so_far.get(from).filter(like)?.value;
        let next = (from + 1 < until).then_some(Copy { from: from + 1, until, changed });
        if changed != Some(from) {
            self.echo.copy = next;
            return Some(value);
        }
        let other = self.other(value, shape, so_far)?;
        // A list that is shorter or longer is copied no further.
        self.echo.copy = next.filter(|_| shape.kind != Kind::More);
        Some(other)
    }

    /// A choice beside another one; none where all are equally far.
    fn other(&mut self, value: u64, shape: &Shape, so_far: &[Choice]) -> Option<u64> {
        match shape.kind {
            Kind::Int | Kind::Wide | Kind::Float => {
                let word = self.rng.next();
                Some(beside(value, word, shape.below, shape.max))
            }
            Kind::Char => Some(self.char(shape.max, so_far)),
            Kind::Flag | Kind::More => Some(shape.max - value),
            Kind::Index => None,
        }
    }
}

/// A number near another one, by a uniform word.
pub(super) fn beside(value: u64, word: u64, below: u64, max: u64) -> u64 {
    moved(value, 1 + (word >> 4 & 1), word, below, max)
}

/// A number so many steps up or down from another one, by the last bit of a word; without a jump, which nobody could foresee.
#[inline(always)]
fn moved(value: u64, steps: u64, word: u64, below: u64, max: u64) -> u64 {
    // Numbers of one sign are two apart where both signs exist.
    let step = steps << u64::from(below != 0);
    let is_down = (word & 1).wrapping_neg();
    value.saturating_add(step & !is_down).min(max).saturating_sub(step & is_down)
}

/// Among how many spans, on either side, an earlier one is looked for.
const NEAR: usize = 64;
