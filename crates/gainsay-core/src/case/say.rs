//! What a property may say about its case.

use super::*;

/// The table of known failures.
pub(crate) const KNOWN: &str = "known failure";

impl Case {
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

    /// Adds a line to what is shown of this case, if it is reported. Costs nothing otherwise.
    #[inline]
    pub fn tell(&mut self, line: impl FnOnce() -> String) {
        if self.is_shown() {
            let value = line();
            self.add_note(Note { name: String::new(), value, choices: None });
        }
    }

    pub(super) fn add_note(&mut self, note: Note) {
        if let Feed::Other(source) = &mut self.feed {
            source.noted(&note);
        }
        self.remarks.notes.push(note);
    }

    /// A function is drawn: its calls are shown, and no enumeration of functions is complete.
    pub(crate) fn draw_function(&mut self) -> Calls {
        let calls = Calls::default();
        if self.is_exhaustive() {
            self.touch();
            self.remarks.cut = true;
        }
        if self.is_shown() {
            self.remarks.calls.push(Arc::clone(&calls));
        }
        calls
    }

    /// Whether this run is the one that is reported.
    #[inline]
    pub fn is_shown(&self) -> bool {
        self.transcript.is_some()
    }

    /// The outcome, unless it is a failure that is known: such a case is left out, and so nothing is proved.
    pub(crate) fn excused(&mut self, outcome: Outcome) -> Outcome {
        let Some(failure) = &outcome.failure else { return outcome };
        let is_met = |text: &&String| failure.kind.0.contains(*text) || failure.message.contains(*text);
        match self.terms.known.iter().find(is_met).cloned() {
            Some(text) => {
                self.collect(KNOWN, text);
                Outcome { cut: true, ..Outcome::of(Status::Rejected) }
            }
            None => outcome,
        }
    }

    /// Whether a failure was excused.
    pub(crate) fn is_excused(&self) -> bool {
        self.remarks.labels.iter().any(|label| label.table == Some(KNOWN))
    }

    /// Labels the case if `holds`; the report says how many cases have each label.
    pub fn classify(&mut self, label: &str, holds: bool) {
        self.touch();
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
        self.touch();
        let text = value.to_string();
        self.remarks.labels.push(Label { table: Some(table), text, holds: true, required_percent: None });
    }

    /// Demands that `holds` in at least `percent` of the cases. The run goes on until that is statistically certain, one way
    /// or the other; too small a share fails the test.
    ///
    /// # Panics
    /// If `percent` is not between 0 and 100.
    #[track_caller]
    pub fn cover(&mut self, percent: f64, label: &str, holds: bool) {
        assert!((0.0..=100.0).contains(&percent), "a share is between 0 and 100 percent, not {percent}");
        self.touch();
        let required_percent = Some(percent);
        self.remarks.labels.push(Label { table: None, text: label.into(), holds, required_percent });
    }

    /// Says that the case has shown something: a state that was reached, an output that was seen, by a number of it. Half of a run goes on from
    /// cases that have shown something for the first time. (Not in child processes.)
    ///
    /// ```
    /// # use gainsay_core::{settings, Case};
    /// // Ten right steps in a row: at random, one case in a million takes them.
    /// let verdict = settings().seed(1).cases(20_000).without_corpus().verdict(|case: &mut Case| {
    ///     let mut right = 0;
    ///     case.repeat(0..=20, |case| {
    ///         right = if case.int(0..4u8) == right % 4 { right + 1 } else { 0 };
    ///         case.feature(right.into());
    ///         true
    ///     });
    ///     assert!(right < 10);
    /// });
    /// assert!(!verdict.is_good());
    /// ```
    pub fn feature(&mut self, feature: u64) {
        self.touch();
        self.remarks.features.push(feature);
    }

    /// Scores the case: part of the run looks for cases with a higher score.
    pub fn target(&mut self, label: &str, score: f64) {
        self.touch();
        if score.is_finite() {
            self.remarks.scores.push((label.into(), score));
        }
    }
}
