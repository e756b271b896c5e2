//! The mutating source: a case that has shown something new, changed and continued, as fuzzers do (Zalewski 2013, "American fuzzy lop";
//! Padhye et al. 2019, "Semantic fuzzing with Zest": what is changed are the choices of a generator, so that cases stay well-formed).

use super::random::Random;
use super::replay::Replay;
use super::{Hint, Source};
use crate::choice::{Choice, Kind, Shape};
use crate::record::{Record, Span};
use crate::rng::Rng;

/// Repeats a record that was changed, finding its place again by spans; what the record has no answer to is random.
#[derive(Debug)]
pub(crate) struct Mutated {
    replay: Replay,
    random: Random,
    rng: Rng,
    /// Choices that are made anew, in order.
    anew: Vec<usize>,
    /// The record was cut off inside of a list that goes on.
    is_continued: bool,
}

/// In so many of as many more choices a list goes on that was cut off.
const GOES_ON: u64 = 8;

impl Mutated {
    /// Changes of `base`, some of them with parts of `other`.
    pub(crate) fn new(base: &Record, other: &Record, seed: u64, index: u64) -> Mutated {
        let mut rng = Rng::of_case(!seed, index);
        let size = base.size;
        let mut draft = Draft { choices: base.choices.clone(), spans: base.spans.clone() };
        let (mut anew, mut is_continued) = (Vec::new(), false);
        for _ in 0..=rng.up_to(2) {
            match rng.up_to(9) {
                0 | 1 => draft.repeat_element(&mut rng),
                2 => draft.remove_element(&mut rng),
                3 | 4 => draft.take_from(other, &mut rng),
                _ => {}
            }
        }
        match rng.up_to(3) {
            0 | 1 => is_continued = draft.cut(&mut rng),
            2 => {
                let count = draft.choices.len() as u64;
                anew.extend((0..=rng.up_to(2)).map(|_| rng.up_to(count.saturating_sub(1)) as usize));
                anew.sort_unstable();
            }
            _ => draft.move_numbers(&mut rng),
        }
        let replay = Replay::of_record(&Record { size, choices: draft.choices, spans: draft.spans });
        Mutated { replay, random: Random::new(seed, index, size), rng, anew, is_continued }
    }
}

/// A record that is being changed.
struct Draft {
    choices: Vec<Choice>,
    spans: Vec<Span>,
}

impl Draft {
    /// The elements of lists that have spans of their own, as ranges of choices: each begins with the choice that the list goes on.
    fn elements(&self) -> Vec<(usize, usize, u32)> {
        let goes_on = |at: usize| {
            self.choices.get(at).is_some_and(|choice| choice.shape.kind == Kind::More && choice.value == 1)
        };
        let elements = self.spans.iter().filter_map(|span| {
            let start = (span.start as usize).checked_sub(1)?;
            goes_on(start).then_some((start, span.end as usize, span.depth))
        });
        elements.collect()
    }

    /// One of the elements of the outermost lists, mostly.
    fn element(&self, rng: &mut Rng) -> Option<(usize, usize, u32)> {
        let mut elements = self.elements();
        let outermost = elements.iter().map(|element| element.2).min()?;
        if !rng.one_in(8) {
            elements.retain(|element| element.2 == outermost);
        }
        elements.get(rng.up_to(elements.len() as u64 - 1) as usize).copied()
    }

    fn repeat_element(&mut self, rng: &mut Rng) {
        let Some((start, end, _)) = self.element(rng) else { return };
        let (choices, spans) = self.part(start, end);
        for _ in 0..=rng.up_to(3) {
            self.insert(end, &choices, &spans);
        }
    }

    fn remove_element(&mut self, rng: &mut Rng) {
        let Some((start, end, _)) = self.element(rng) else { return };
        self.choices.drain(start..end);
        let (start, end) = (start as u32, end as u32);
        self.spans.retain(|span| span.start < start || span.end > end || span.start >= end);
        for span in &mut self.spans {
            let before = |at: u32| if at >= end { at - (end - start) } else { at.min(start) };
            (span.start, span.end) = (before(span.start), before(span.end));
        }
    }

    /// Puts some elements of another record behind one.
    fn take_from(&mut self, other: &Record, rng: &mut Rng) {
        let other = Draft { choices: other.choices.clone(), spans: other.spans.clone() };
        let (Some(here), Some(first)) = (self.element(rng), other.element(rng)) else { return };
        if here.2 != first.2 {
            return;
        }
        let more = rng.up_to(3) as usize;
        let next = other.elements().into_iter().filter(|one| one.2 == first.2 && one.0 >= first.0);
        let mut at = here.1;
        for (start, end, _) in next.take(1 + more) {
            let (choices, spans) = other.part(start, end);
            self.insert(at, &choices, &spans);
            at += choices.len();
        }
    }

    /// Cuts the record off behind an element, mostly one of the last: its list goes on otherwise. Whether there was one.
    fn cut(&mut self, rng: &mut Rng) -> bool {
        let mut elements = self.elements();
        let Some(outermost) = elements.iter().map(|element| element.2).min() else { return false };
        elements.retain(|element| element.2 == outermost);
        let last = elements.len() as u64 - 1;
        let from = if rng.one_in(2) { last.saturating_sub(2) } else { 0 };
        let end = elements[(from + rng.up_to(last - from)) as usize].1;
        self.choices.truncate(end);
        self.spans.retain(|span| (span.start as usize) < end);
        // (What was open is open still.)
        let beyond = self.spans.iter_mut().filter(|span| span.end as usize > end);
        beyond.for_each(|span| span.end = u32::MAX);
        true
    }

    /// Numbers a little larger or smaller, or as another number of the same kind is.
    fn move_numbers(&mut self, rng: &mut Rng) {
        let numbers: Vec<usize> = (0..self.choices.len())
            .filter(|place| matches!(self.choices[*place].shape.kind, Kind::Int | Kind::Float | Kind::Index))
            .collect();
        if numbers.is_empty() {
            return;
        }
        for _ in 0..=rng.up_to(2) {
            let place = numbers[rng.up_to(numbers.len() as u64 - 1) as usize];
            let from = self.choices[numbers[rng.up_to(numbers.len() as u64 - 1) as usize]];
            let choice = &mut self.choices[place];
            // Numbers of one sign are two apart where both signs exist.
            let step =
                if choice.shape.below == 0 { 1 } else { 2 } << if rng.one_in(2) { 0 } else { rng.up_to(6) };
            choice.value = match rng.up_to(3) {
                0 => choice.value.saturating_add(step).min(choice.shape.max),
                1 => choice.value.saturating_sub(step),
                _ if from.shape.kind == choice.shape.kind && from.shape.max == choice.shape.max => from.value,
                _ => continue,
            };
        }
    }

    /// Some of the choices, with the spans that are wholly among them.
    fn part(&self, start: usize, end: usize) -> (Vec<Choice>, Vec<Span>) {
        let (first, last) = (start as u32, end as u32);
        let spans = self.spans.iter().filter(|span| span.start > first && span.end <= last);
        let spans = spans.map(|span| Span { start: span.start - first, end: span.end - first, ..*span });
        (self.choices[start..end].to_vec(), spans.collect())
    }

    fn insert(&mut self, at: usize, choices: &[Choice], spans: &[Span]) {
        self.choices.splice(at..at, choices.iter().copied());
        let (place, by) = (at as u32, choices.len() as u32);
        for span in &mut self.spans {
            if span.start >= place {
                span.start += by;
            }
            // (What ends there has ended before, unless it is what the new ones are in.)
            if span.end > place {
                span.end = span.end.saturating_add(by);
            }
        }
        let before = self.spans.iter().take_while(|span| span.start < place).count();
        let new = spans.iter().map(|span| Span { start: span.start + place, end: span.end + place, ..*span });
        self.spans.splice(before..before, new);
    }
}

impl Source for Mutated {
    fn choose(&mut self, shape: &Shape, hint: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        let is_past = self.replay.is_past_end();
        let place = self.replay.place();
        // (No random case takes what has no weight.)
        let may_be =
            |value: u64| !matches!(hint, Hint::Weights(weights) if weights.get(value as usize) == Some(&0));
        match self.replay.recorded(shape) {
            Some(value) if may_be(value) && self.anew.binary_search(&place).is_err() => Some(value),
            None if shape.kind == Kind::More && is_past && self.is_continued => {
                Some(u64::from(!self.rng.one_in(GOES_ON)).min(shape.max))
            }
            _ => self.random.choose(shape, hint, so_far),
        }
    }

    fn enter(&mut self, label: &'static str, so_far: usize) {
        self.replay.enter(label, so_far);
    }

    fn leave(&mut self, so_far: usize) {
        self.replay.leave(so_far);
    }

    fn open_list(
        &mut self,
        min: usize,
        max: usize,
        depth: usize,
        so_far: usize,
        factor: u32,
    ) -> Option<usize> {
        let planned = self.random.open_list(min, max, depth, so_far, factor);
        if self.replay.is_past_end() { planned } else { None }
    }

    fn close_list(&mut self) {
        self.random.close_list();
    }

    fn is_random(&self) -> bool {
        true
    }
}
