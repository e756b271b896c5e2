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

    /// A span begins. In a walk, whoever [ends](Case::leave) it must know where.
    #[inline(always)]
    pub(super) fn enter(&mut self, label: &'static str) -> Frame {
        let (at, depth) = (self.choices.len() as u32, self.open.len());
        if matches!(self.feed, Feed::Plain) && depth < DEPTH_MAX {
            self.open.push(self.spans.len() as u32);
            self.spans.push(Span { label, start: at, end: 0, depth: depth as u32 });
            return Frame::ROOT;
        }
        match &mut self.feed {
            // An enumeration records no spans: a case of it that matters is replayed.
            Feed::Walk(walk) if self.end == End::Live && walk.depth() < DEPTH_MAX => walk.enter(label),
            Feed::Script(_) => Frame::ROOT,
            _ => {
                self.enter_otherwise(label);
                Frame::ROOT
            }
        }
    }

    #[inline(never)]
    fn enter_otherwise(&mut self, label: &'static str) {
        if self.end != End::Live {
            return;
        }
        if self.open.len() >= DEPTH_MAX || matches!(self.feed, Feed::Walk(_)) {
            self.end_nesting(label);
        }
        let at = self.choices.len();
        match &mut self.feed {
            Feed::Plain | Feed::Random | Feed::Walk(_) | Feed::Script(_) => {}
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
    pub(super) fn end_nesting(&mut self, label: &'static str) -> ! {
        self.finish(End::Overrun);
        self.reason = Some(Reason { what: "nesting without an end of", file: label, line: 0 });
        std::panic::panic_any(Endless)
    }

    #[inline]
    pub(super) fn leave(&mut self, outside: Frame) {
        if matches!(self.feed, Feed::Plain)
            && let Some(span) = self.open.pop()
            && let Some(span) = self.spans.get_mut(span as usize)
        {
            span.end = self.choices.len() as u32;
            return;
        }
        match &mut self.feed {
            Feed::Walk(walk) if self.end == End::Live => walk.leave(outside),
            Feed::Script(_) => {}
            _ => self.leave_otherwise(),
        }
    }

    /// Like [`leave`](Case::leave), where it is known which span it is, and how many are open outside of it.
    #[inline(always)]
    pub(super) fn leave_again(&mut self, span: usize, depth: usize, outside: Frame) {
        let end = self.choices.len() as u32;
        match self.spans.get_mut(span) {
            Some(span) if matches!(self.feed, Feed::Plain) => {
                span.end = end;
                self.open.truncate(depth);
            }
            _ => self.leave(outside),
        }
    }

    #[inline(never)]
    fn leave_otherwise(&mut self) {
        if self.end != End::Live {
            return;
        }
        let at = self.choices.len();
        match &mut self.feed {
            Feed::Plain | Feed::Random | Feed::Walk(_) | Feed::Script(_) => {}
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
}

/// How many spans may be open.
const DEPTH_MAX: usize = 2000;
