//! Between runs: one case value serves many.

use super::span::OPEN;
use super::*;

impl Case {
    #[inline]
    pub(super) fn rewind(&mut self) {
        self.wasted = 0;
        self.choices.clear();
        self.spans.clear();
        self.depth = 0;
        self.resumes = false;
        self.overriding.clear();
        if self.touched {
            self.rewind_all();
        }
    }

    /// Rewinds what most cases do not touch.
    #[cold]
    pub(super) fn rewind_all(&mut self) {
        self.touched = false;
        self.room = self.choices.choices_max();
        self.idle_draws = 0;
        self.end = End::Live;
        self.reason = None;
        self.remarks = Remarks::default();
        self.transcript = None;
        self.attend();
    }

    #[inline]
    pub(crate) fn rewind_to_random(&mut self, seed: u64, index: u64, size: u32) {
        self.rewind();
        self.size = size;
        self.random = Random::new(seed, index, size);
        let plain = self.gate == Gate::Open && self.terms.overrides.is_none();
        self.feed = if plain { Feed::Plain } else { Feed::Random };
    }

    pub(crate) fn rewind_to_replay(&mut self, replay: Replay, size: u32) {
        self.rewind();
        self.size = size;
        self.feed = Feed::Replay(replay);
    }

    /// Rewinds to numbers that are known to fit the generator; they are not recorded again. The caller writes them.
    #[inline]
    pub(crate) fn rewind_to_script(&mut self) -> &mut Script {
        let is_script = matches!(self.feed, Feed::Script(_));
        // A script records nothing, unless something goes wrong.
        if !is_script || self.touched || !self.choices.is_empty() {
            self.rewind_to_new_script(is_script);
        }
        match &mut self.feed {
            Feed::Script(script) => {
                script.rewind();
                script
            }
            _ => unreachable!("the feed is a script"),
        }
    }

    /// The numbers of the script that was run.
    pub(crate) fn script_numbers(&self) -> Vec<u64> {
        match &self.feed {
            Feed::Script(script) => script.numbers.clone(),
            _ => Vec::new(),
        }
    }

    #[cold]
    fn rewind_to_new_script(&mut self, is_script: bool) {
        self.rewind();
        if !is_script {
            self.feed = Feed::Script(Script::default());
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
        self.depth = 0;
        self.overriding.clear();
        if self.touched {
            self.rewind_all();
        }
        if let Feed::Walk(walk) = &mut self.feed {
            walk.start(&mut self.choices);
        }
    }

    /// Whatever was put off when choices were recorded is done now.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if let Feed::Walk(walk) = &mut self.feed {
            walk.write_row(&mut self.choices);
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
        self.touch();
        self.size = ran.record.size;
        self.choices.load(ran.record.choices);
        self.spans = ran.record.spans;
        self.end = ran.end;
        self.reason = ran.reason;
        self.remarks = ran.remarks;
        self.transcript = ran.transcript;
        self.attend();
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
        self.touch();
        self.transcript = Some(String::new());
        self.attend();
    }

    pub(super) fn attend(&mut self) {
        self.attended = self.terms.overrides.is_some() || self.transcript.is_some();
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
        let choices = match &self.feed {
            Feed::Walk(walk) => walk.written(&self.choices),
            _ => self.choices.to_vec(),
        };
        // A case that ended early left spans open: they hold all that was drawn in them.
        for span in spans.iter_mut().filter(|span| span.end == OPEN) {
            span.end = self.choices.len() as u32;
        }
        Record { size: self.size, choices, spans }
    }

    pub(crate) fn burst(&mut self) -> &mut Burst {
        &mut self.burst
    }

    /// Called after a case of typed arguments that came to nothing special: whether the next one is to follow at once. Used by
    /// `#[property]`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn go_on(&mut self, outcome: &Outcome) -> bool {
        let plain = matches!(outcome.status, Status::Passed | Status::Rejected) && !outcome.cut;
        let burst = &mut self.burst;
        if !plain || !matches!(self.feed, Feed::Plain) || burst.word >= burst.soon {
            return self.go_on_otherwise(outcome.status, outcome.cut);
        }
        burst.rejected += u64::from(outcome.status == Status::Rejected);
        burst.word += joined(1, 0);
        self.random.restart(burst.key, burst.index());
        burst.tell();
        // All lists and spans of a plain case were closed.
        self.choices.clear();
        self.spans.clear();
        self.wasted = 0;
        true
    }

    /// Goes on with a walk that takes the same step again, or with care.
    #[inline(never)]
    fn go_on_otherwise(&mut self, status: Status, cut: bool) -> bool {
        let burst = &mut self.burst;
        if burst.index() >= burst.last || self.touched || cut {
            return false;
        }
        if let Feed::Plain = self.feed {
            return self.go_on_carefully(status);
        }
        if let Feed::Walk(walk) = &mut self.feed
            && status == Status::Passed
            && walk.repeat_step(&mut self.choices)
        {
            burst.word += joined(1, 0);
            burst.tell();
            return true;
        }
        self.go_on_in_row(status) || self.go_on_carefully(status)
    }

    /// Goes on with a walk whose last list is another one.
    #[inline(never)]
    fn go_on_in_row(&mut self, status: Status) -> bool {
        let Feed::Walk(walk) = &mut self.feed else { return false };
        if status != Status::Passed || !walk.repeat_row() {
            return false;
        }
        self.burst.word += joined(1, 0);
        self.burst.tell();
        true
    }

    /// Goes on where there is more to do: the next case has another size, or a walk takes another step.
    #[inline(never)]
    fn go_on_carefully(&mut self, status: Status) -> bool {
        if !matches!(self.feed, Feed::Plain | Feed::Random) {
            return self.go_on_walking(status);
        }
        let burst = &mut self.burst;
        match status {
            Status::Passed => {}
            Status::Rejected => burst.rejected += 1,
            _ => return false,
        }
        let index = burst.index() + 1;
        self.size = size_of_late(index, burst.size_max);
        burst.next(self.size, last_alike(index));
        self.random.restart_as(burst.key, index, self.size);
        if std::mem::take(&mut self.resumes) {
            self.feed = Feed::Plain;
        }
        self.choices.clear();
        self.spans.clear();
        self.depth = 0;
        self.wasted = 0;
        true
    }

    fn go_on_walking(&mut self, status: Status) -> bool {
        let Feed::Walk(walk) = &mut self.feed else {
            return false;
        };
        let burst = &mut self.burst;
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
        // A walk opens no spans.
        burst.word += joined(1, 0);
        burst.tell();
        walk.start(&mut self.choices);
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
        if let Feed::Plain = self.feed {
            return true;
        }
        if self.end != End::Live {
            return false;
        }
        match &self.feed {
            Feed::Walk(walk) if !walk.is_complete() => false,
            _ => self.gate == Gate::Open,
        }
    }
}
