//! The replay source: choices that were made before.

use super::random::Random;
use super::{Hint, Source};
use crate::choice::{Choice, Kind, Shape};
use crate::record::{Record, Span};
use crate::wire::UNKNOWN;

/// Gives the choices of a record again.
///
/// A number that does not fit the question is brought into range, a choice of another kind counts as the simplest
/// value, and past the end everything is simplest: so every sequence of numbers is a case, which is what shrinking
/// needs. With the spans of the record, a replay finds its place again by span labels when the structure has changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replay {
    choices: Vec<(Option<Kind>, u64)>,
    at: usize,
    spans: Vec<Span>,
    /// How many recorded spans enclose each choice.
    levels: Vec<u32>,
    /// The recorded counterparts of the spans that are open now.
    open: Vec<Option<Span>>,
    /// Decides what comes past the end; without it, that is simplest.
    beyond: Option<Box<Random>>,
}

impl Replay {
    /// The choices of a record, found again by span labels.
    pub(crate) fn of_record(record: &Record) -> Replay {
        Replay::of_choices(&record.choices).with_spans(record.spans.clone())
    }

    fn with_spans(mut self, spans: Vec<Span>) -> Replay {
        self.levels = vec![0; self.choices.len()];
        for span in &spans {
            let end = (span.end as usize).min(self.levels.len());
            for level in self.levels.get_mut(span.start as usize..end).unwrap_or_default() {
                *level += 1;
            }
        }
        self.spans = spans;
        self
    }

    /// Whether the next recorded choice is not for who asks: it was made inside another span, or outside of this one.
    fn is_elsewhere(&self) -> bool {
        !self.spans.is_empty()
            && (matches!(self.open.last(), Some(None)) || self.levels[self.at] != self.open.len() as u32)
    }

    /// Whether all choices were given again.
    pub(crate) fn is_past_end(&self) -> bool {
        self.at >= self.choices.len()
    }

    /// Which choice comes next.
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// The choice that was recorded here, if there is one that fits.
    #[inline]
    pub(crate) fn recorded(&mut self, shape: &Shape) -> Option<u64> {
        let &(kind, value) = self.choices.get(self.at)?;
        if self.is_elsewhere() {
            return None;
        }
        self.at += 1;
        kind.is_none_or(|kind| kind == shape.kind).then(|| value.min(shape.max))
    }

    /// Edited choices, in order.
    pub(crate) fn of_choices(choices: &[Choice]) -> Replay {
        let kind = |c: &Choice| (c.shape.owner != UNKNOWN).then_some(c.shape.kind);
        let choices = choices.iter().map(|c| (kind(c), c.value)).collect();
        Replay { choices, ..Replay::default() }
    }

    /// Numbers, whatever they are asked for.
    pub(crate) fn of_numbers(numbers: &[u64]) -> Replay {
        let mut replay = Replay::default();
        replay.set_numbers(numbers);
        replay
    }

    /// Other numbers instead of all that it has.
    pub(crate) fn set_numbers(&mut self, numbers: &[u64]) {
        let mut choices = std::mem::take(&mut self.choices);
        choices.clear();
        choices.extend(numbers.iter().map(|number| (None, *number)));
        *self = Replay { choices, ..Replay::default() };
    }

    /// The same, going on at random past the end.
    pub(crate) fn and_on(mut self, seed: u64, size: u32) -> Replay {
        self.beyond = Some(Box::new(Random::new(seed, 0, size)));
        self
    }

    /// The numbers, as they are written.
    pub(crate) fn numbers(&self) -> String {
        let numbers: Vec<String> = self.choices.iter().map(|(_, value)| value.to_string()).collect();
        numbers.join(",")
    }

    /// What is replayed, as a record without shapes.
    pub(crate) fn record(&self, size: u32) -> Record {
        let choices = self.choices.iter().map(|&(kind, value)| {
            let owner = if kind.is_some() { 0 } else { UNKNOWN };
            Choice { value, shape: Shape { max: u64::MAX, below: 0, kind: kind.unwrap_or(Kind::Int), owner } }
        });
        Record { size, choices: choices.collect(), spans: self.spans.clone() }
    }

    pub(crate) fn choices(&self) -> &[(Option<Kind>, u64)] {
        &self.choices
    }

    pub(crate) fn spans(&self) -> &[Span] {
        &self.spans
    }

    pub(crate) fn from_parts(choices: Vec<(Option<Kind>, u64)>, spans: Vec<Span>) -> Replay {
        Replay { choices, ..Replay::default() }.with_spans(spans)
    }
}

impl Source for Replay {
    #[inline]
    fn choose(&mut self, shape: &Shape, hint: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        if let (true, Some(random)) = (self.is_past_end(), &mut self.beyond) {
            return random.choose(shape, hint, so_far);
        }
        Some(self.recorded(shape).unwrap_or(0))
    }

    fn enter(&mut self, label: &'static str, _so_far: usize) {
        if self.spans.is_empty() {
            return;
        }
        let parent_end = match self.open.last() {
            Some(Some(parent)) => parent.end as usize,
            Some(None) => self.at,
            None => self.choices.len(),
        };
        let depth = self.open.len() as u32;
        let found = self.spans.iter().find(|span| {
            span.label == label
                && span.depth == depth
                && span.start as usize >= self.at
                && (span.start as usize) < parent_end.max(self.at + 1)
        });
        if let Some(span) = found {
            self.at = span.start as usize;
        }
        self.open.push(found.copied());
    }

    fn leave(&mut self, _so_far: usize) {
        if let Some(Some(span)) = self.open.pop() {
            self.at = span.end as usize;
        }
    }
}
