//! Spans: what was drawn together.

use super::*;

impl Case {
    /// Draws inside a named span. Spans tell the shrinker what belongs together, and let a replay find its place again
    /// when the structure has changed.
    #[inline]
    pub fn span<T>(&mut self, label: &'static str, draw: impl FnOnce(&mut Case) -> T) -> T {
        let outside = self.enter(label);
        let value = draw(self);
        self.leave(outside);
        value
    }

    /// A span begins. Whoever [ends](Case::leave) it must know where.
    #[inline(always)]
    pub(super) fn enter(&mut self, label: &'static str) -> Frame {
        if matches!(self.feed, Feed::Plain | Feed::Random) && self.random.is_echoing() {
            self.is_copy(label);
        }
        self.enter_as_it_is(label)
    }

    /// The span of a list begins. (Whether it is a copy is known.)
    #[inline(always)]
    pub(super) fn enter_list(&mut self) -> Frame {
        self.enter_as_it_is("vec")
    }

    #[inline(always)]
    fn enter_as_it_is(&mut self, label: &'static str) -> Frame {
        if matches!(self.feed, Feed::Plain) && self.depth < DEPTH_MAX {
            return self.open_span(label);
        }
        match &mut self.feed {
            // An enumeration records no spans: a case of it that matters is replayed.
            Feed::Walk(walk) if self.end == End::Live && walk.depth() < DEPTH_MAX as usize => {
                walk.enter(label)
            }
            Feed::Script(_) => Frame::ROOT,
            _ => self.enter_otherwise(label),
        }
    }

    /// A span begins in a case that echoes: whether it is a copy of an earlier one, or part of one.
    #[inline(never)]
    pub(super) fn is_copy(&mut self, label: &'static str) -> bool {
        if !self.random.is_copying() {
            self.random.copy_span(label, self.depth, &self.spans);
            self.follow_copy();
        }
        self.random.is_copying()
    }

    /// While a copy is made, choices are made one by one; afterwards they are plain again.
    pub(super) fn follow_copy(&mut self) {
        match (&self.feed, self.random.is_copying()) {
            (Feed::Plain, true) => (self.feed, self.resumes) = (Feed::Random, true),
            (Feed::Random, false) if self.resumes => (self.feed, self.resumes) = (Feed::Plain, false),
            _ => {}
        }
    }

    /// The same as [`enter`](Case::enter), where random choices are recorded and nobody nests without end.
    #[inline(always)]
    pub(super) fn open_span(&mut self, label: &'static str) -> Frame {
        let frame = Frame::of_span(self.spans.len(), self.depth);
        self.spans.push(Span { label, start: self.choices.len() as u32, end: OPEN, depth: self.depth });
        self.depth += 1;
        frame
    }

    #[inline(never)]
    fn enter_otherwise(&mut self, label: &'static str) -> Frame {
        if self.end != End::Live {
            return Frame::ROOT;
        }
        if self.depth >= DEPTH_MAX || matches!(self.feed, Feed::Walk(_)) {
            self.end_nesting(label);
        }
        let at = self.choices.len();
        match &mut self.feed {
            Feed::Plain | Feed::Random | Feed::Walk(_) | Feed::Script(_) => {}
            Feed::Replay(replay) => replay.enter(label, at),
            Feed::Other(source) => source.enter(label, at),
        }
        if let Some(transcript) = &mut self.transcript {
            if !transcript.is_empty() && !transcript.ends_with(['[', '(']) {
                transcript.push_str(", ");
            }
            transcript.push_str(if label == "vec" { "[" } else { "(" });
        }
        self.open_span(label)
    }

    /// A type that contains itself makes no choice that could run out: only its nesting shows it.
    #[cold]
    pub(super) fn end_nesting(&mut self, label: &'static str) -> ! {
        self.finish(End::Overrun);
        self.reason = Some(Reason { what: "nesting without an end of", file: label, line: 0 });
        std::panic::panic_any(Endless)
    }

    /// A span ends that began there.
    #[inline(always)]
    pub(super) fn leave(&mut self, outside: Frame) {
        if matches!(self.feed, Feed::Plain) {
            self.close_span(outside);
            return;
        }
        match &mut self.feed {
            Feed::Walk(walk) if self.end == End::Live => walk.leave(outside),
            Feed::Script(_) => {}
            _ => self.leave_otherwise(outside),
        }
    }

    #[inline(always)]
    fn close_span(&mut self, outside: Frame) {
        let (span, depth) = outside.span();
        if self.depth != depth + 1 {
            self.close_inner(span);
        }
        if let Some(span) = self.spans.get_mut(span) {
            span.end = self.choices.len() as u32;
        }
        self.depth = depth;
    }

    /// Whoever has caught a panic has left the spans inside of this one open.
    #[cold]
    fn close_inner(&mut self, span: usize) {
        let end = self.choices.len() as u32;
        let inner = self.spans.get_mut(span + 1..).unwrap_or_default();
        inner.iter_mut().filter(|span| span.end == OPEN).for_each(|span| span.end = end);
    }

    #[inline(never)]
    fn leave_otherwise(&mut self, outside: Frame) {
        // (What was open when the case ended stays so.)
        if self.end != End::Live {
            return;
        }
        let at = self.choices.len();
        match &mut self.feed {
            Feed::Plain | Feed::Random | Feed::Walk(_) | Feed::Script(_) => {}
            Feed::Replay(replay) => replay.leave(at),
            Feed::Other(source) => source.leave(at),
        }
        self.close_span(outside);
        if let Some(transcript) = &mut self.transcript {
            let is_list = self.spans.get(outside.span().0).is_some_and(|span| span.label == "vec");
            transcript.push(if is_list { ']' } else { ')' });
        }
    }
}

/// How many spans may be open.
const DEPTH_MAX: u32 = 2000;

/// Where a span ends that has not ended yet.
pub(crate) const OPEN: u32 = u32::MAX;
