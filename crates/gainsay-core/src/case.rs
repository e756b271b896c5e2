//! A case: one run of a generator or a property, as a sequence of choices.

mod draw;
mod filter;
mod list;
mod rewind;
mod say;
mod span;

pub use list::List;
pub(crate) use say::KNOWN;
pub(crate) use span::OPEN;

use crate::arbitrary::Arbitrary;
use crate::choice::{Choice, Kind, Shape};
use crate::generate::Generator;
use crate::int::Int;
use crate::outcome::{Outcome, Status};
use crate::plan::Plan;
use crate::record::{Record, Span};
use crate::source::random::Random;
use crate::source::replay::Replay;
use crate::source::script::Script;
use crate::source::walk::{Frame, Walk};
use crate::source::{Favoured, Hint, Source};
use crate::tape::Tape;
use crate::watch::joined;
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
    /// At work if `feed` says so.
    random: Random,
    choices: Tape,
    spans: Vec<Span>,
    /// How many spans are open.
    depth: u32,
    /// How many choices may be made; 0 once the case is over, so that one comparison serves both.
    room: usize,
    /// Choices that were made in vain, for sets that had their elements already.
    wasted: usize,
    /// Draws after the end: a generator that never stops must be stopped.
    idle_draws: usize,
    size: u32,
    /// Something below was changed in this run.
    touched: bool,
    end: End,
    /// What is drawn again and again ends here.
    repeats_no_more: bool,
    gate: Gate,
    reason: Option<Reason>,
    pub(crate) remarks: Remarks,
    transcript: Option<String>,
    terms: Terms,
    /// There are overrides, or a transcript: one comparison serves both.
    attended: bool,
    /// The types whose overrides are at work.
    overriding: Vec<TypeId>,
    /// The property draws all its arguments before it runs: it asked whether to.
    typed: bool,
    /// The plan used last: variants of one type are often drawn in a row.
    plan: Option<(TypeId, &'static Plan)>,
    burst: Burst,
    /// Choices are plain again when the copy is made that is being made.
    resumes: bool,
}

/// Cases that may follow at once. A property of typed arguments that has plainly passed goes on to the next case by itself
/// ([`Case::go_on`]), without returning to the runner: for fast properties that is most of the cost of a case.
#[derive(Debug, Default)]
pub(crate) struct Burst {
    /// The seed, mixed.
    pub(crate) key: u64,
    /// The case at work and its size, as the watchman wants to know it.
    word: u64,
    /// From this case on there is more to do than to count.
    soon: u64,
    /// The last case that may follow.
    last: u64,
    size_max: u32,
    /// How many of the cases that were followed by another did not pass.
    pub(crate) rejected: u64,
    pub(crate) unjudged: u64,
    pub(crate) watch: Option<Arc<crate::watch::Watch>>,
}

impl Burst {
    /// Up to `left` cases after case `index`.
    pub(crate) fn new(
        key: u64,
        index: u64,
        left: u64,
        size_max: u32,
        watch: Arc<crate::watch::Watch>,
    ) -> Burst {
        let word = joined(index, 0);
        // The first case of a burst is followed with care: only then is it known how large it was.
        Burst {
            key,
            word,
            soon: word,
            last: index + left,
            size_max,
            watch: Some(watch),
            rejected: 0,
            unjudged: 0,
        }
    }

    /// The case at work.
    #[inline]
    pub(crate) fn index(&self) -> u64 {
        self.word >> 16
    }

    /// Moves on to a case of this size, which the following ones have as well until case `until`.
    #[inline]
    fn next(&mut self, size: u32, until: u64) {
        self.word = joined(self.index() + 1, size);
        self.soon = joined(until.min(self.last), size);
        self.tell();
    }

    #[inline(always)]
    fn tell(&self) {
        if let Some(watch) = &self.watch {
            watch.random_case(self.word);
        }
    }
}

/// Generators that replace those of their types.
pub(crate) type Overrides = HashMap<TypeId, Box<dyn Fn(&mut Case) -> Box<dyn Any> + Send + Sync>>;

/// What the settings say to every case.
#[derive(Clone, Default)]
pub(crate) struct Terms {
    pub(crate) overrides: Option<Arc<Overrides>>,
    /// Failures that are known, by a part of what they say.
    pub(crate) known: Arc<[String]>,
}

impl Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terms").field("known", &self.known).finish_non_exhaustive()
    }
}

/// What a property said about its case besides passing or failing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remarks {
    pub(crate) labels: Vec<Label>,
    pub(crate) scores: Vec<(String, f64)>,
    /// What it has shown, as numbers.
    pub(crate) features: Vec<u64>,
    pub(crate) notes: Vec<Note>,
    /// Something that was drawn stands for more than can be drawn, so that passing proves nothing.
    pub(crate) cut: bool,
    /// The calls of the functions that were drawn.
    pub(crate) calls: Vec<Calls>,
}

/// Calls of a generated function, by argument and result.
pub(crate) type Calls = Arc<std::sync::Mutex<Vec<(String, String)>>>;

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
// A tag of its own: one comparison tells in the hot loop which source it is.
#[repr(u8)]
enum Feed {
    /// Random choices, in a case about which there is nothing else to know: it has not ended, nothing was said about it, no
    /// generator is overridden and nobody wants to see the choices first.
    Plain,
    Random,
    Walk(Box<Walk>),
    /// Numbers that were counted out for this very generator: they fit, and nobody asks for the record.
    Script(Script),
    Replay(Replay),
    Other(Box<dyn Source>),
}

impl Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values = self.record().values();
        f.debug_struct("Case")
            .field("size", &self.size)
            .field("choices", &values)
            .field("end", &self.end)
            .finish()
    }
}

/// The size of a random case after the first hundred: mostly full; an eighth of them are smaller ones, where small things happen
/// more often. Eight in a row are equally small.
#[inline]
pub(crate) fn size_of_late(index: u64, max: u32) -> u32 {
    if index % 64 < 56 {
        return max;
    }
    1 + crate::rng::scale((index / 64).wrapping_mul(0x9e37_79b9_7f4a_7c15), u64::from(max.max(1)) - 1) as u32
}

/// The last of the cases after `index` that are as large, and echo if it does.
#[inline]
fn last_alike(index: u64) -> u64 {
    let as_large = if index % 64 < 56 { (index | 63) - 8 } else { index | 63 };
    as_large.min(crate::source::random::last_alike(index))
}

/// The size that generators are told where nothing else is known.
pub(crate) const SIZE_USUAL: u32 = 100;
/// The number of choices a case may make where nothing else is said.
pub(crate) const CHOICES_MAX: usize = 1 << 16;

impl Case {
    fn new(feed: Feed, size: u32, choices_max: usize) -> Case {
        Case {
            feed,
            random: Random::new(0, 0, size),
            choices: Tape::new(choices_max),
            spans: Vec::new(),
            depth: 0,
            room: choices_max,
            wasted: 0,
            idle_draws: 0,
            size,
            touched: false,
            end: End::Live,
            repeats_no_more: false,
            gate: Gate::Open,
            reason: None,
            remarks: Remarks::default(),
            transcript: None,
            terms: Terms::default(),
            attended: false,
            overriding: Vec::new(),
            typed: false,
            plan: None,
            burst: Burst::default(),
            resumes: false,
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
        let mut case = Case::with_choices_max(CHOICES_MAX);
        case.rewind_to_random(seed, index, SIZE_USUAL);
        case
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
        let Remarks { labels, scores, features, .. } = &self.remarks;
        !labels.is_empty() || !scores.is_empty() || !features.is_empty() || self.reason.is_some()
    }

    pub(crate) fn choices_max(&self) -> usize {
        self.choices.choices_max()
    }

    pub(crate) fn terms(&self) -> Terms {
        self.terms.clone()
    }

    pub(crate) fn walk(walk: Walk, choices_max: usize) -> Case {
        Case::new(Feed::Walk(Box::new(walk)), SIZE_USUAL, choices_max)
    }

    pub(crate) fn with_choices_max(choices_max: usize) -> Case {
        Case::new(Feed::Replay(Replay::default()), SIZE_USUAL, choices_max)
    }
}
