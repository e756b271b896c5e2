//! Between runs: one case value serves many.

use super::*;

impl Case {
    #[inline]
    pub(super) fn rewind(&mut self) {
        self.choices.clear();
        self.spans.clear();
        self.open.clear();
        self.overriding.clear();
        if self.touched {
            self.rewind_all();
        }
    }

    /// Rewinds what most cases do not touch.
    #[cold]
    pub(super) fn rewind_all(&mut self) {
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

    /// Rewinds to numbers that are known to fit the generator; they are not recorded again.
    #[inline]
    pub(crate) fn rewind_to_script(&mut self, script: &[u64]) {
        self.rewind();
        match &mut self.feed {
            Feed::Script { numbers, at } => {
                numbers.clear();
                numbers.extend_from_slice(script);
                *at = 0;
            }
            feed => *feed = Feed::Script { numbers: script.to_vec(), at: 0 },
        }
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
        self.overriding.clear();
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

    /// Whether the property draws all its arguments before it runs, so that a closed gate spares it.
    pub(crate) fn is_typed(&self) -> bool {
        self.typed
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
        // A case that ended early left spans open: they hold all that was drawn in them.
        for &open in &self.open {
            if let Some(span) = spans.get_mut(open as usize) {
                span.end = self.choices.len() as u32;
            }
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
    pub(super) fn go_on_walking(&mut self, status: Status) -> bool {
        let Feed::Walk(walk) = &mut self.feed else {
            return false;
        };
        let burst = &mut self.burst;
        if status == Status::Passed && walk.repeat_step(&mut self.choices) {
            burst.left -= 1;
            burst.index += 1;
            if let Some(watch) = &burst.watch {
                watch.random_case(burst.index, 0);
            }
            self.spans.clear();
            self.open.clear();
            return true;
        }
        // Whatever is not plain is for the runner to count; so is what follows the last case of a level.
        let plain = matches!(status, Status::Passed | Status::Rejected | Status::Unjudged);
        if !plain || !walk.advance_within_level() {
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
        self.typed = true;
        if self.end != End::Live {
            return false;
        }
        match &self.feed {
            Feed::Walk(walk) if !walk.is_complete() => false,
            _ => self.gate == Gate::Open,
        }
    }
}
