//! A case: one run of a generator or a property, as a sequence of choices.

use crate::arbitrary::Arbitrary;
use crate::choice::{Choice, Kind, Shape};
use crate::generate::Generator;
use crate::int::Int;
use crate::outcome::{Outcome, Status};
use crate::plan::Plan;
use crate::record::{Record, Span};
use crate::source::random::Random;
use crate::source::replay::Replay;
use crate::source::walk::Walk;
use crate::source::{Hint, Source};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::{Debug, Display, Write};
use std::ops::{RangeBounds, RangeInclusive};
use std::panic::Location;
use std::sync::Arc;

/// What generators draw from and what a property may talk to.
///
/// Values are drawn with [`any`](Case::any), [`int`](Case::int), [`vec`](Case::vec) and their like; every draw is
/// recorded as one or more [`Choice`]s. Generators are functions of `&mut Case`.
pub struct Case {
    feed: Feed,
    choices: Vec<Choice>,
    spans: Vec<Span>,
    open: Vec<u32>,
    /// How many choices may be made; 0 once the case is over, so that one comparison serves both.
    room: usize,
    choices_max: usize,
    /// Draws after the end: a generator that never stops must be stopped.
    idle_draws: usize,
    size: u32,
    /// Something below was changed in this run.
    touched: bool,
    end: End,
    gate: Gate,
    reason: Option<Reason>,
    pub(crate) remarks: Remarks,
    transcript: Option<String>,
    overrides: Option<Arc<Overrides>>,
    burst: Burst,
}

/// Cases that may follow at once. A property of typed arguments that has plainly passed goes on to the next case by itself
/// ([`Case::go_on`]), without returning to the runner: for fast properties that is most of the cost of a case.
#[derive(Debug, Default)]
pub(crate) struct Burst {
    /// The seed, mixed.
    pub(crate) key: u64,
    pub(crate) index: u64,
    pub(crate) size_max: u32,
    /// How many cases may still follow.
    pub(crate) left: u64,
    /// How many of the cases that were followed by another did not pass.
    pub(crate) rejected: u64,
    pub(crate) unjudged: u64,
    pub(crate) watch: Option<Arc<crate::watch::Watch>>,
}

/// Generators that replace those of their types.
pub(crate) type Overrides = HashMap<TypeId, Box<dyn Fn(&mut Case) -> Box<dyn Any> + Send + Sync>>;

/// What a property said about its case besides passing or failing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remarks {
    pub(crate) labels: Vec<Label>,
    pub(crate) scores: Vec<(String, f64)>,
    pub(crate) notes: Vec<Note>,
}

/// A label given to a case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Label {
    pub(crate) table: Option<&'static str>,
    pub(crate) text: String,
    /// Whether the case has the label; labels that must cover a share of the cases are kept also when it has not.
    pub(crate) holds: bool,
    pub(crate) required_percent: Option<f64>,
}

/// A named value shown with a counterexample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The name: an argument or what the property called it.
    pub name: String,
    /// Its value, by `Debug`.
    pub value: String,
    /// The first choice it was drawn with and one past the last, for an argument.
    pub(crate) choices: Option<(usize, usize)>,
}

/// How a case ended, as far as the generators know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It has not: all draws were answered.
    Live,
    /// An assumption or a filter did not hold.
    Rejected,
    /// It made more choices than allowed.
    Overrun,
    /// The source has nothing for it.
    Dead,
}

/// Whether a completely drawn case is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    /// The engine wants to see the choices first.
    Closed,
}

/// Why a case was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Reason {
    pub(crate) what: &'static str,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
}

impl Reason {
    pub(crate) fn new(what: &'static str, at: &'static Location<'static>) -> Reason {
        Reason { what, file: at.file(), line: at.line() }
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "the {} `{}`", self.what, self.file),
            line => write!(f, "the {} at {}:{line}", self.what, self.file),
        }
    }
}

/// The error of [`Case::try_assume`]: this case is outside of what the property speaks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejected;

impl Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the case was rejected by an assumption")
    }
}

impl std::error::Error for Rejected {}

/// The payload of the panic that ends a generator which draws without end.
pub(crate) struct Endless;

/// The source at work. Random and walking sources are spelt out so that their choices are inlined.
enum Feed {
    Random(Random),
    Walk(Box<Walk>),
    Replay(Replay),
    Other(Box<dyn Source>),
}

impl Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values: Vec<u64> = self.choices.iter().map(|c| c.value).collect();
        f.debug_struct("Case")
            .field("size", &self.size)
            .field("choices", &values)
            .field("end", &self.end)
            .finish()
    }
}

/// The size of a random case after the first hundred: mostly full; every eighth is a smaller one, where small things happen
/// more often.
#[inline]
pub(crate) fn size_of_late(index: u64, max: u32) -> u32 {
    if index % 8 == 7 {
        1 + crate::rng::scale(index.wrapping_mul(0x9e37_79b9_7f4a_7c15), u64::from(max.max(1)) - 1) as u32
    } else {
        max
    }
}

/// The size that generators are told where nothing else is known.
pub(crate) const SIZE_USUAL: u32 = 100;
/// The number of choices a case may make where nothing else is said.
pub(crate) const CHOICES_MAX: usize = 1 << 16;

impl Case {
    fn new(feed: Feed, size: u32, choices_max: usize) -> Case {
        Case {
            feed,
            choices: Vec::new(),
            spans: Vec::new(),
            open: Vec::new(),
            room: choices_max,
            choices_max,
            idle_draws: 0,
            size,
            touched: false,
            end: End::Live,
            gate: Gate::Open,
            reason: None,
            remarks: Remarks::default(),
            transcript: None,
            overrides: None,
            burst: Burst::default(),
        }
    }

    /// Case `index` of the random run with `seed`: it depends on nothing else.
    ///
    /// ```
    /// use gainsay_core::Case;
    /// let mut a = Case::random(7, 0);
    /// let mut b = Case::random(7, 0);
    /// assert_eq!(a.any::<Vec<u8>>(), b.any::<Vec<u8>>());
    /// ```
    pub fn random(seed: u64, index: u64) -> Case {
        Case::new(Feed::Random(Random::new(seed, index, SIZE_USUAL)), SIZE_USUAL, CHOICES_MAX)
    }

    /// A case whose choices are read from a fuzzer's input; every input is a case.
    ///
    /// ```
    /// use gainsay_core::Case;
    /// let mut case = Case::from_bytes(&[1, 42, 0]);
    /// assert_eq!(case.any::<Vec<u8>>(), [42]);
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Case {
        Case::from_source(Box::new(crate::source::bytes::Bytes::new(bytes)))
    }

    /// A case decided by a source of your own.
    pub fn from_source(source: Box<dyn Source>) -> Case {
        Case::new(Feed::Other(source), SIZE_USUAL, CHOICES_MAX)
    }

    pub(crate) fn replay_of_values(values: &[u64]) -> Case {
        Case::new(Feed::Replay(Replay::of_values(values)), SIZE_USUAL, CHOICES_MAX)
    }

    pub(crate) fn set_walk(&mut self, walk: Walk) {
        self.size = SIZE_USUAL;
        self.feed = Feed::Walk(Box::new(walk));
    }

    pub(crate) fn take_walk(&mut self) -> Option<Walk> {
        match std::mem::replace(&mut self.feed, Feed::Replay(Replay::default())) {
            Feed::Walk(walk) => Some(*walk),
            _ => None,
        }
    }

    /// Whether all was drawn and, in a walk, nothing is left to spend.
    pub(crate) fn is_complete(&self) -> bool {
        self.end == End::Live && if let Feed::Walk(walk) = &self.feed { walk.is_complete() } else { true }
    }

    /// In a walk: whether nothing is left to spend, however the case ended.
    pub(crate) fn walk_is_complete(&self) -> bool {
        if let Feed::Walk(walk) = &self.feed { walk.is_complete() } else { false }
    }

    /// Whether the run was anything but plain: something was said about the case, or it ended early.
    #[inline]
    pub(crate) fn is_touched(&self) -> bool {
        self.touched
    }

    pub(crate) fn has_remarks(&self) -> bool {
        !self.remarks.labels.is_empty() || !self.remarks.scores.is_empty() || self.reason.is_some()
    }

    pub(crate) fn choices_max(&self) -> usize {
        self.choices_max
    }

    pub(crate) fn overrides(&self) -> Option<Arc<Overrides>> {
        self.overrides.clone()
    }

    pub(crate) fn walk(walk: Walk, choices_max: usize) -> Case {
        Case::new(Feed::Walk(Box::new(walk)), SIZE_USUAL, choices_max)
    }

    pub(crate) fn with_choices_max(choices_max: usize) -> Case {
        Case::new(Feed::Replay(Replay::default()), SIZE_USUAL, choices_max)
    }

    // ---- for the runner: one case value serves many runs ----

    #[inline]
    fn rewind(&mut self) {
        self.choices.clear();
        self.spans.clear();
        self.open.clear();
        if self.touched {
            self.rewind_all();
        }
    }

    /// Rewinds what most cases do not touch.
    #[cold]
    fn rewind_all(&mut self) {
        self.touched = false;
        self.room = self.choices_max;
        self.idle_draws = 0;
        self.end = End::Live;
        self.reason = None;
        self.remarks = Remarks::default();
        self.transcript = None;
    }

    #[inline]
    pub(crate) fn rewind_to_random(&mut self, seed: u64, index: u64, size: u32) {
        self.rewind();
        self.size = size;
        let new = Random::new(seed, index, size);
        match &mut self.feed {
            Feed::Random(random) => *random = new,
            feed => *feed = Feed::Random(new),
        }
    }

    pub(crate) fn rewind_to_replay(&mut self, replay: Replay, size: u32) {
        self.rewind();
        self.size = size;
        self.feed = Feed::Replay(replay);
    }

    pub(crate) fn rewind_to_values(&mut self, values: &[u64]) {
        self.rewind_to_replay(Replay::of_values(values), SIZE_USUAL);
    }

    pub(crate) fn rewind_to(&mut self, source: Box<dyn Source>, size: u32) {
        self.rewind();
        self.size = size;
        self.feed = Feed::Other(source);
    }

    /// Starts the next run of a walk.
    #[inline]
    pub(crate) fn rewind_walk(&mut self) {
        self.spans.clear();
        self.open.clear();
        if self.touched {
            self.rewind_all();
        }
        if let Feed::Walk(walk) = &mut self.feed {
            walk.start(&mut self.choices);
        }
    }

    pub(crate) fn walking(&mut self) -> Option<&mut Walk> {
        match &mut self.feed {
            Feed::Walk(walk) => Some(walk),
            _ => None,
        }
    }

    /// Takes over what a child says about a case it ran.
    pub(crate) fn load(&mut self, ran: crate::isolate::Ran) {
        self.rewind();
        self.touched = true;
        self.size = ran.record.size;
        self.choices = ran.record.choices;
        self.spans = ran.record.spans;
        self.end = ran.end;
        self.reason = ran.reason;
        self.remarks = ran.remarks;
        self.transcript = ran.transcript;
    }

    pub(crate) fn is_used_up(&self) -> bool {
        match &self.feed {
            Feed::Replay(replay) => replay.is_used_up(),
            _ => true,
        }
    }

    pub(crate) fn set_gate(&mut self, gate: Gate) {
        self.gate = gate;
    }

    /// From here on, notes are kept and draws written down.
    pub(crate) fn show(&mut self) {
        self.touched = true;
        self.transcript = Some(String::new());
    }

    pub(crate) fn transcript(&self) -> &str {
        self.transcript.as_deref().unwrap_or_default()
    }

    pub(crate) fn end(&self) -> End {
        self.end
    }

    pub(crate) fn reason(&self) -> Option<Reason> {
        self.reason
    }

    pub(crate) fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// What was drawn so far.
    pub fn record(&self) -> Record {
        let mut spans = self.spans.clone();
        for span in &mut spans {
            // A case that ended early left spans open.
            span.end = span.end.max(span.start);
        }
        Record { size: self.size, choices: self.choices.clone(), spans }
    }

    pub(crate) fn burst(&mut self) -> &mut Burst {
        &mut self.burst
    }

    /// Called after a case of typed arguments that came to nothing special: whether the next one is to follow at once. Used by
    /// `#[property]`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn go_on(&mut self, outcome: &Outcome) -> bool {
        if self.burst.left == 0 || self.touched || outcome.cut {
            return false;
        }
        let Feed::Random(random) = &mut self.feed else {
            return self.go_on_walking(outcome.status);
        };
        let burst = &mut self.burst;
        match outcome.status {
            Status::Passed => {}
            Status::Rejected => burst.rejected += 1,
            _ => return false,
        }
        burst.left -= 1;
        burst.index += 1;
        let size = size_of_late(burst.index, burst.size_max);
        *random = Random::of_key(burst.key, burst.index, size);
        self.size = size;
        if let Some(watch) = &burst.watch {
            watch.random_case(burst.index, size);
        }
        self.choices.clear();
        self.spans.clear();
        self.open.clear();
        true
    }

    #[inline(never)]
    fn go_on_walking(&mut self, status: Status) -> bool {
        let Feed::Walk(walk) = &mut self.feed else {
            return false;
        };
        let burst = &mut self.burst;
        // What follows the last case of a level, or of the tree, is for the runner.
        if status > Status::Passed || !walk.advance_within_level() {
            return false;
        }
        match status {
            Status::Rejected => burst.rejected += 1,
            Status::Unjudged => burst.unjudged += 1,
            _ => {}
        }
        burst.left -= 1;
        burst.index += 1;
        if let Some(watch) = &burst.watch {
            watch.random_case(burst.index, 0);
        }
        walk.start(&mut self.choices);
        self.spans.clear();
        self.open.clear();
        true
    }

    /// Whether the case has ended: nothing drawn from here on counts. Used by `#[property]`.
    #[doc(hidden)]
    pub fn is_over(&self) -> bool {
        self.end != End::Live
    }

    /// Called when all arguments are drawn: whether the property shall run. Used by `#[property]`.
    #[doc(hidden)]
    #[inline]
    pub fn ready(&mut self) -> bool {
        if self.end != End::Live {
            return false;
        }
        match &self.feed {
            Feed::Walk(walk) if !walk.is_complete() => false,
            _ => self.gate == Gate::Open,
        }
    }

    // ---- draws ----

    /// The random source, being the fastest, is inlined into every draw; the others are called.
    #[inline(always)]
    fn draw(&mut self, shape: Shape, hint: Hint<'_>) -> u64 {
        if let Some(value) = self.draw_at_random(shape, hint) {
            return value;
        }
        if let Some(value) = self.draw_again(shape.max) {
            return value;
        }
        // The parts, not the whole: a shape whose address is taken would live in memory, and writing it from there
        // costs more than everything else in the hot loop.
        let Shape { max, below, kind, owner } = shape;
        self.draw_otherwise(kind, max, below, owner, hint)
    }

    #[inline(always)]
    fn draw_at_random(&mut self, shape: Shape, hint: Hint<'_>) -> Option<u64> {
        let Feed::Random(random) = &mut self.feed else {
            return None;
        };
        if self.choices.len() >= self.room {
            return None;
        }
        let value = random.pick(shape, hint, &self.choices);
        self.choices.push(Choice { value, shape });
        Some(value)
    }

    /// In a walk, the choices that are as on the run before: they stand in the record already.
    #[inline(always)]
    fn draw_again(&mut self, max: u64) -> Option<u64> {
        let Feed::Walk(walk) = &mut self.feed else { return None };
        walk.again(max)
    }

    /// How many choices this run has made.
    #[inline]
    fn made(&self) -> usize {
        match &self.feed {
            Feed::Walk(walk) => walk.made(),
            _ => self.choices.len(),
        }
    }

    #[inline(never)]
    fn draw_otherwise(&mut self, kind: Kind, max: u64, below: u64, owner: u32, hint: Hint<'_>) -> u64 {
        let shape = Shape { max, below, kind, owner };
        if self.choices.len() >= self.room {
            return self.draw_past_end();
        }
        let answer = match &mut self.feed {
            Feed::Random(random) => random.choose(&shape, hint, &self.choices),
            Feed::Walk(walk) => walk.choose(&shape, hint, &self.choices),
            Feed::Replay(replay) => replay.choose(&shape, hint, &self.choices),
            Feed::Other(source) => source.choose(&shape, hint, &self.choices),
        };
        let Some(value) = answer else {
            self.finish(End::Dead);
            return 0;
        };
        debug_assert!(value <= shape.max, "the source answered {value} to {shape:?}");
        self.choices.push(Choice { value, shape });
        value
    }

    #[cold]
    fn draw_past_end(&mut self) -> u64 {
        if self.end == End::Live {
            self.finish(End::Overrun);
        }
        self.idle_draws += 1;
        if self.idle_draws > 16 * self.choices_max + 1024 {
            std::panic::panic_any(Endless);
        }
        0
    }

    fn finish(&mut self, end: End) {
        self.touched = true;
        if self.end == End::Live {
            self.end = end;
        }
        self.room = 0;
    }

    #[cold]
    fn write_down(&mut self, value: &dyn Debug) {
        if let Some(transcript) = &mut self.transcript {
            if !transcript.is_empty() && !transcript.ends_with(['[', '(']) {
                transcript.push_str(", ");
            }
            let _ = write!(transcript, "{value:?}");
        }
    }

    /// An integer of a range. The simplest is the one nearest to zero.
    ///
    /// ```
    /// # let mut case = gainsay_core::Case::random(1, 1);
    /// let digit = case.int(0..=9u8);
    /// let offset: i64 = case.int(-5..100);
    /// # assert!(digit <= 9 && (-5..100).contains(&offset));
    /// ```
    #[inline]
    #[track_caller]
    pub fn int<T: Int>(&mut self, range: impl RangeBounds<T>) -> T {
        let (low, high) = T::bounds(&range);
        self.int_between(low, high)
    }

    /// An integer in `low..=high`.
    #[inline(always)]
    pub(crate) fn int_between<T: Int>(&mut self, low: T, high: T) -> T {
        // Nothing is written down while choices are random: what is shown is replayed.
        let mut plain = true;
        let value = T::draw(low, high, &mut |kind, below, max| {
            let drawn = self.draw_at_random(Shape { max, below, kind, owner: 0 }, Hint::None);
            match drawn.or_else(|| self.draw_again(max)) {
                Some(number) => number,
                None => {
                    plain = false;
                    self.draw_otherwise(kind, max, below, 0, Hint::None)
                }
            }
        });
        if !plain && self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// Yes or no; no is simpler.
    #[inline]
    pub fn flag(&mut self) -> bool {
        let value = self.draw(Shape::new(Kind::Flag, 1), Hint::None) == 1;
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// Yes in about `yes` of `yes + no` random cases.
    pub fn flag_weighted(&mut self, yes: u32, no: u32) -> bool {
        let value = self.draw(Shape::new(Kind::Flag, 1), Hint::Weights(&[no, yes])) == 1;
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// Whether a recursive value grows further: random cases stop in time.
    pub(crate) fn flag_growing(&mut self) -> bool {
        let depth = self.open.len();
        self.draw(Shape::new(Kind::Flag, 1), Hint::Growing(depth)) == 1
    }

    /// A float: any bit pattern, infinities and NaNs included.
    pub fn float(&mut self) -> f64 {
        use crate::choice::floats::F64;
        let value = f64::from_bits(F64.decode(self.draw(Shape::new(Kind::Float, F64.max()), Hint::None)));
        self.write_down(&value);
        value
    }

    /// A single-precision float: any bit pattern.
    pub fn float32(&mut self) -> f32 {
        use crate::choice::floats::F32;
        let number = self.draw(Shape::new(Kind::Float, F32.max()), Hint::None);
        let value = f32::from_bits(F32.decode(number) as u32);
        self.write_down(&value);
        value
    }

    /// A character.
    #[inline]
    pub fn char(&mut self) -> char {
        use crate::choice::chars;
        let value = chars::decode(self.draw(Shape::new(Kind::Char, chars::MAX), Hint::None));
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// A number in `0..n`: one of `n` alternatives, the first being the simplest.
    #[track_caller]
    pub fn index(&mut self, n: usize) -> usize {
        assert!(n > 0, "there is no alternative to choose from");
        self.draw(Shape::new(Kind::Index, n as u64 - 1), Hint::None) as usize
    }

    /// One of several alternatives by weight. Put the simplest first.
    #[track_caller]
    pub fn index_weighted(&mut self, weights: &[u32]) -> usize {
        assert!(!weights.is_empty(), "there is no alternative to choose from");
        self.draw(Shape::new(Kind::Index, weights.len() as u64 - 1), Hint::Weights(weights)) as usize
    }

    /// A variant of `T` as a place in its declaration; used by `derive(Arbitrary)` inside a span.
    ///
    /// The cheapest variant that terminates is the simplest, whatever the order in which they were written.
    pub fn variant<T: Arbitrary>(&mut self, weights: &[u32]) -> usize {
        let plan = Plan::of::<T>(weights);
        let shape = Shape::new(Kind::Index, plan.variants.len() as u64 - 1);
        let depth = self.open.len();
        plan.variants[self.draw(shape, Hint::Variants(plan, depth)) as usize].declared
    }

    /// One of several generators; put the simplest first.
    #[track_caller]
    pub fn one_of<T>(&mut self, alternatives: &[&dyn Fn(&mut Case) -> T]) -> T {
        self.span("one_of", |case| {
            let chosen = case.index(alternatives.len());
            alternatives[chosen](case)
        })
    }

    /// A value of any type that knows how to be generated.
    #[inline(always)]
    pub fn any<T: Arbitrary>(&mut self) -> T {
        if self.overrides.is_some()
            && let Some(value) = self.overridden::<T>()
        {
            return value;
        }
        T::arbitrary(self)
    }

    #[cold]
    fn overridden<T: Arbitrary>(&mut self) -> Option<T> {
        let overrides = self.overrides.take()?;
        let value = overrides.get(&TypeId::of::<T>()).map(|draw| draw(self));
        self.overrides = Some(overrides);
        value.and_then(|value| value.downcast().ok()).map(|value| *value)
    }

    pub(crate) fn set_overrides(&mut self, overrides: Option<Arc<Overrides>>) {
        self.overrides = overrides;
    }

    /// Draws an argument of a property and notes it under its name. Used by `#[property]` and
    /// [`for_all`](crate::for_all).
    #[doc(hidden)]
    #[inline(always)]
    pub fn argument<G: Generator<Value: Debug>>(&mut self, name: &str, generator: G) -> G::Value {
        let start = self.choices.len();
        let value = generator.generate(self);
        if self.is_shown() {
            self.note_argument(name, &value, start);
        }
        value
    }

    #[cold]
    fn note_argument(&mut self, name: &str, value: &dyn Debug, start: usize) {
        let choices = Some((start, self.choices.len()));
        self.add_note(Note { name: name.into(), value: format!("{value:?}"), choices });
    }

    /// A value from a generator: a function of `&mut Case`, a range, or a combination of such.
    #[inline]
    pub fn draw_from<G: Generator>(&mut self, generator: G) -> G::Value {
        generator.generate(self)
    }

    /// A list of elements drawn by `item`.
    ///
    /// ```
    /// # let mut case = gainsay_core::Case::random(1, 1);
    /// let digits = case.vec(1..=8, |case| case.int(0..=9u8));
    /// # assert!((1..=8).contains(&digits.len()));
    /// ```
    #[inline]
    #[track_caller]
    pub fn vec<T>(&mut self, len: RangeInclusive<usize>, mut item: impl FnMut(&mut Case) -> T) -> Vec<T> {
        let mut list = self.open_list(*len.start(), *len.end());
        let mut items = Vec::with_capacity(list.expected());
        // The random source has decided on the length; while elements are free, that is all there is to say.
        while self.next_planned(&mut list) {
            items.push(item(self));
        }
        while self.more(&mut list) {
            items.push(item(self));
        }
        self.close_list();
        items
    }

    /// A list of any elements of their type: like [`vec`](Case::vec), and faster for integers.
    #[inline]
    #[track_caller]
    pub fn list<T: Arbitrary>(&mut self, len: RangeInclusive<usize>) -> Vec<T> {
        let mut list = self.open_list(*len.start(), *len.end());
        let mut items = Vec::with_capacity(list.expected());
        T::fill(self, &mut list, &mut items);
        while self.more(&mut list) {
            items.push(self.any());
        }
        self.close_list();
        items
    }

    /// Records that a list goes on, if its length was decided by a random source, the element is not one that must be, and there
    /// is room.
    #[inline(always)]
    pub(crate) fn next_planned(&mut self, list: &mut List) -> bool {
        let plain = list.drawn < list.planned
            && list.drawn >= list.min
            && matches!(self.feed, Feed::Random(_))
            && self.choices.len() < self.room;
        if plain {
            list.drawn += 1;
            let shape = Shape { max: 1, below: 0, kind: Kind::More, owner: list.owner };
            self.choices.push(Choice { value: 1, shape });
        }
        plain
    }

    /// Draws the planned elements of a list of integers in one go: two choices an element, written where they belong.
    #[inline]
    pub(crate) fn fill_with_integers<T: Int>(&mut self, list: &mut List, items: &mut Vec<T>) {
        let room = self.room.saturating_sub(self.choices.len()) / 2;
        let Feed::Random(random) = &mut self.feed else {
            return;
        };
        if list.drawn < list.min || list.planned == usize::MAX || self.overrides.is_some() || T::BITS > 64 {
            return;
        }
        let n = list.planned.saturating_sub(list.drawn).min(room);
        let mut asked = Shape::new(Kind::Int, 0);
        T::draw(T::LOWEST, T::HIGHEST, &mut |kind, below, max| {
            asked = Shape { max, below, kind, owner: 0 };
            0
        });
        let start = self.choices.len();
        random.fill(&mut self.choices, n, list.owner, asked);
        let numbers = self.choices[start..].chunks_exact(2).map(|pair| pair[1].value);
        items.extend(numbers.map(|number| T::draw(T::LOWEST, T::HIGHEST, &mut |_, _, _| number)));
        list.drawn += n;
    }

    /// A string with a length in `len`, in characters.
    pub fn string(&mut self, len: RangeInclusive<usize>) -> String {
        let mut list = self.open_list(*len.start(), *len.end());
        let mut string = String::with_capacity(list.expected());
        while self.next_planned(&mut list) {
            string.push(self.char());
        }
        while self.more(&mut list) {
            string.push(self.char());
        }
        self.close_list();
        string
    }

    /// Begins a list of `min..=max` elements; [`more`](Case::more) asks for each, [`close_list`](Case::close_list) ends it.
    #[inline]
    #[track_caller]
    pub(crate) fn open_list(&mut self, min: usize, max: usize) -> List {
        assert!(min <= max, "a list cannot have at least {min} and at most {max} elements");
        let planned = match &mut self.feed {
            Feed::Random(random) => random.open_list(min, max, self.open.len(), self.choices.len()),
            Feed::Other(source) => source.open_list(min, max, self.open.len(), self.choices.len()),
            Feed::Walk(_) | Feed::Replay(_) => None,
        };
        self.enter("vec");
        List { drawn: 0, min, max, planned: planned.unwrap_or(usize::MAX), owner: self.spans.len() as u32 }
    }

    /// Whether the list goes on.
    #[inline]
    pub(crate) fn more(&mut self, list: &mut List) -> bool {
        let must = list.drawn < list.min;
        let may = list.drawn < list.max;
        let (max, owner) = (u64::from(may && !must), list.owner);
        // The random source has decided on the length already.
        let more = if list.planned != usize::MAX && self.choices.len() < self.room {
            let more = list.drawn < list.planned;
            let shape = Shape { max, below: 0, kind: Kind::More, owner };
            self.choices.push(Choice { value: u64::from(more && !must), shape });
            if let Feed::Other(_) = &self.feed {
                self.tell_decided();
            }
            more
        } else if let Some(value) = self.draw_again(max) {
            value == 1 || must
        } else {
            self.draw_otherwise(Kind::More, max, 0, owner, Hint::None) == 1 || must
        };
        list.drawn += usize::from(more);
        more
    }

    #[cold]
    fn tell_decided(&mut self) {
        if let (Feed::Other(source), Some(choice)) = (&mut self.feed, self.choices.last()) {
            source.decided(choice);
        }
    }

    #[inline]
    pub(crate) fn close_list(&mut self) {
        match &mut self.feed {
            Feed::Random(random) => random.close_list(),
            Feed::Other(source) => source.close_list(),
            Feed::Walk(_) | Feed::Replay(_) => {}
        }
        self.leave();
    }

    /// A list of distinct elements: `insert` answers false for a key that is there already, and draws what belongs to the key
    /// otherwise. Random cases draw a duplicate again; elsewhere it rejects the case; an enumeration takes keys in increasing order
    /// of their choices only, so that each set comes once.
    #[track_caller]
    pub fn distinct<K>(
        &mut self,
        len: RangeInclusive<usize>,
        key: impl Fn(&mut Case) -> K,
        mut insert: impl FnMut(K, &mut Case) -> bool,
    ) {
        let reason = Reason::new("set of distinct elements", Location::caller());
        let mut list = self.open_list(*len.start(), *len.end());
        let mut last: Option<(usize, usize)> = None;
        let mut tries = 0;
        loop {
            let mark = (self.choices.len(), self.spans.len());
            if !self.more(&mut list) {
                break;
            }
            let start = self.made();
            let value = key(self);
            let end = self.made();
            let values = |(start, end): (usize, usize)| self.choices[start..end].iter().map(|c| c.value);
            let ordered = last.is_none_or(|last| values(last).lt(values((start, end))));
            last = Some((start, end));
            if self.end != End::Live {
                break;
            }
            if (ordered || !self.is_exhaustive()) && insert(value, self) {
                continue;
            }
            if !self.is_random() || tries >= RETRIES_MAX {
                self.reject(reason);
                break;
            }
            tries += 1;
            self.retract(mark);
            list.drawn -= 1;
            if tries > RETRIES_MAX / 2 && list.drawn >= list.min {
                // There may be no further element: end here.
                list.planned = list.drawn;
            }
        }
        self.close_list();
    }

    fn retract(&mut self, (choices, spans): (usize, usize)) {
        self.choices.truncate(choices);
        self.spans.truncate(spans);
        if let Feed::Other(source) = &mut self.feed {
            source.retract(choices);
        }
    }

    /// Draws until `accept` holds: a few times in random cases (what failed leaves no trace), once otherwise. If it does not hold
    /// then, the case is rejected and the last value returned.
    #[track_caller]
    pub fn filter<T>(&mut self, draw: impl Fn(&mut Case) -> T, accept: impl Fn(&T) -> bool) -> T {
        let at = Location::caller();
        self.filter_at(at, draw, accept)
    }

    pub(crate) fn filter_at<T>(
        &mut self,
        at: &'static Location<'static>,
        draw: impl Fn(&mut Case) -> T,
        accept: impl Fn(&T) -> bool,
    ) -> T {
        for _ in 1..RETRIES_MAX {
            let mark = (self.choices.len(), self.spans.len());
            let value = draw(self);
            if self.end != End::Live || accept(&value) {
                return value;
            }
            if !self.is_random() {
                self.reject(Reason::new("filter", at));
                return value;
            }
            self.retract(mark);
        }
        let value = draw(self);
        if self.end == End::Live && !accept(&value) {
            self.reject(Reason::new("filter", at));
        }
        value
    }

    fn is_random(&self) -> bool {
        match &self.feed {
            Feed::Random(_) => true,
            Feed::Other(source) => source.is_random(),
            _ => false,
        }
    }

    fn is_exhaustive(&self) -> bool {
        match &self.feed {
            Feed::Walk(_) => true,
            Feed::Other(source) => source.is_exhaustive(),
            _ => false,
        }
    }

    /// Draws inside a named span. Spans tell the shrinker what belongs together, and let a replay find its place again
    /// when the structure has changed.
    #[inline]
    pub fn span<T>(&mut self, label: &'static str, draw: impl FnOnce(&mut Case) -> T) -> T {
        self.enter(label);
        let value = draw(self);
        self.leave();
        value
    }

    #[inline]
    fn enter(&mut self, label: &'static str) {
        if self.end != End::Live {
            return;
        }
        if self.open.len() >= DEPTH_MAX {
            self.end_nesting(label);
        }
        let at = self.made();
        match &mut self.feed {
            Feed::Random(_) => {}
            Feed::Walk(walk) => walk.enter(label, at),
            Feed::Replay(replay) => replay.enter(label, at),
            Feed::Other(source) => source.enter(label, at),
        }
        self.open.push(self.spans.len() as u32);
        let depth = self.open.len() as u32 - 1;
        self.spans.push(Span { label, start: at as u32, end: 0, depth });
        if let Some(transcript) = &mut self.transcript {
            if !transcript.is_empty() && !transcript.ends_with(['[', '(']) {
                transcript.push_str(", ");
            }
            transcript.push_str(if label == "vec" { "[" } else { "(" });
        }
    }

    /// A type that contains itself makes no choice that could run out: only its nesting shows it.
    #[cold]
    fn end_nesting(&mut self, label: &'static str) -> ! {
        self.finish(End::Overrun);
        self.reason = Some(Reason { what: "nesting without an end of", file: label, line: 0 });
        std::panic::panic_any(Endless)
    }

    #[inline]
    fn leave(&mut self) {
        if self.end != End::Live {
            return;
        }
        let at = self.made();
        match &mut self.feed {
            Feed::Random(_) => {}
            Feed::Walk(walk) => walk.leave(at),
            Feed::Replay(replay) => replay.leave(at),
            Feed::Other(source) => source.leave(at),
        }
        if let Some(span) = self.open.pop() {
            let span = &mut self.spans[span as usize];
            span.end = at as u32;
            if let Some(transcript) = &mut self.transcript {
                transcript.push(if span.label == "vec" { ']' } else { ')' });
            }
        }
    }

    // ---- what a property may say ----

    /// How large generated things should be: 0 at the start of a run, growing. Constant within a case and kept with its
    /// record, so generators may depend on it.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Says that the property speaks only about cases in which `condition` holds. False means: return now, the case does not
    /// count.
    ///
    /// ```
    /// # use gainsay_core::Case;
    /// fn halves(case: &mut Case) {
    ///     let n = case.int(0..=1000u32);
    ///     if !case.assume(n % 2 == 0) { return }
    ///     assert_eq!(n / 2 * 2, n);
    /// }
    /// # halves(&mut Case::random(1, 1));
    /// ```
    #[must_use = "a case outside of the assumption must end here: `if !case.assume(…) { return }`"]
    #[inline]
    #[track_caller]
    pub fn assume(&mut self, condition: bool) -> bool {
        if !condition {
            self.reject(Reason::new("assumption", Location::caller()));
        }
        condition
    }

    /// Like [`assume`](Case::assume), for properties that return a `Result`: `case.try_assume(n > 0)?`.
    #[track_caller]
    pub fn try_assume(&mut self, condition: bool) -> Result<(), Rejected> {
        if !condition {
            self.reject(Reason::new("assumption", Location::caller()));
        }
        if condition { Ok(()) } else { Err(Rejected) }
    }

    #[cold]
    pub(crate) fn reject(&mut self, reason: Reason) {
        if self.end == End::Live {
            self.reason = Some(reason);
        }
        self.finish(End::Rejected);
    }

    /// Shows `value` under `name` if this case is reported. Costs nothing otherwise.
    pub fn note(&mut self, name: &str, value: &dyn Debug) {
        if self.is_shown() {
            self.add_note(Note { name: name.into(), value: format!("{value:?}"), choices: None });
        }
    }

    fn add_note(&mut self, note: Note) {
        if let Feed::Other(source) = &mut self.feed {
            source.noted(&note);
        }
        self.remarks.notes.push(note);
    }

    /// Whether this run is the one that is reported.
    #[inline]
    pub fn is_shown(&self) -> bool {
        self.transcript.is_some()
    }

    /// Labels the case if `holds`; the report says how many cases have each label.
    pub fn classify(&mut self, label: &str, holds: bool) {
        self.touched = true;
        if holds {
            self.remarks.labels.push(Label {
                table: None,
                text: label.into(),
                holds,
                required_percent: None,
            });
        }
    }

    /// Labels the case with a value; the report shows the distribution of the values of each table.
    pub fn collect(&mut self, table: &'static str, value: impl Display) {
        self.touched = true;
        let text = value.to_string();
        self.remarks.labels.push(Label { table: Some(table), text, holds: true, required_percent: None });
    }

    /// Demands that `holds` in at least `percent` of the cases. The run goes on until that is statistically certain, one way
    /// or the other; too small a share fails the test.
    pub fn cover(&mut self, percent: f64, label: &str, holds: bool) {
        self.touched = true;
        let required_percent = Some(percent);
        self.remarks.labels.push(Label { table: None, text: label.into(), holds, required_percent });
    }

    /// Scores the case: part of the run looks for cases with a higher score.
    pub fn target(&mut self, label: &str, score: f64) {
        self.touched = true;
        if score.is_finite() {
            self.remarks.scores.push((label.into(), score));
        }
    }
}

/// How many spans may be open.
const DEPTH_MAX: usize = 2000;

/// How often a random draw is repeated for a filter or a set.
const RETRIES_MAX: usize = 100;

/// A list being drawn.
#[doc(hidden)]
#[derive(Debug)]
pub struct List {
    drawn: usize,
    min: usize,
    max: usize,
    planned: usize,
    owner: u32,
}

impl List {
    /// How many elements are to come, if that is known.
    #[inline]
    fn expected(&self) -> usize {
        if self.planned == usize::MAX { self.max.min(8) } else { self.planned }
    }
}
