//! A record: the choices of one case, with the spans in which they were made.

use crate::choice::Choice;
use std::cmp::Ordering;

/// A stretch of choices that belong together: a list, an option, a variant of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// What was drawn here.
    pub label: &'static str,
    /// The first choice.
    pub start: u32,
    /// One past the last choice.
    pub end: u32,
    /// How many spans enclose this one.
    pub depth: u32,
}

/// Everything needed to make the same case again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The size that generators were told.
    pub size: u32,
    /// The choices in order.
    pub choices: Vec<Choice>,
    /// The spans in the order in which they began.
    pub spans: Vec<Span>,
}

impl Record {
    /// The numbers alone.
    pub fn values(&self) -> Vec<u64> {
        self.choices.iter().map(|choice| choice.value).collect()
    }
}

/// The order of shrinking: fewer choices first, then the smaller number at the first difference.
pub fn shortlex(a: &[Choice], b: &[Choice]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().map(|c| c.value).cmp(b.iter().map(|c| c.value)))
}
