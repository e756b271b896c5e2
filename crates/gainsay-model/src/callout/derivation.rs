//! The calls that an operation could make, made up from its term alone.

use super::called::{Answer, Called};
use super::leaf::Identity;
use super::residual::{Ahead, Config, NESTED_MAX, Taken};
use super::session::Ended;
use super::term::Term;
use gainsay_core::Case;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What is left of a term, while its calls are made up.
pub(crate) struct Derivation<S> {
    config: Config<S>,
    /// How it was over.
    end: Option<Ahead<S>>,
}

/// A call that was made up.
pub(crate) struct Imagined {
    pub(crate) call: Called,
    pub(crate) method: Identity,
    /// As people read it.
    pub(crate) shown: String,
    /// Whether its arguments are known.
    pub(crate) is_given: bool,
    pub(crate) answer: Answer,
    pub(crate) answer_shown: String,
}

impl<S: Clone + PartialEq> Derivation<S> {
    pub(crate) fn new(term: Term<S>, state: S) -> Derivation<S> {
        Derivation { config: Config::new(term, Ahead::new(state)), end: None }
    }

    /// The next call, drawn from those that could be made; none if there are no more.
    ///
    /// # Errors
    /// Why there is none although it must go on, or why it has no answer.
    pub(crate) fn next(&mut self, case: &mut Case) -> Result<Option<Imagined>, String> {
        if self.config.term.nesting() > NESTED_MAX {
            return Err("its self-calls have no end".into());
        }
        let unseen = self.config.and_unseen().ok_or("too much could happen unseen")?;
        let mut taken = Taken::default();
        let mut heads: Vec<Config<S>> = unseen.iter().flat_map(|config| config.heads(&mut taken)).collect();
        let may_end = unseen.iter().any(Config::can_end);
        if heads.is_empty() && !may_end {
            return Err(format!("nothing may follow: {}", self.config.term));
        }
        // Mostly a few calls more than there must be.
        if heads.is_empty() || may_end && case.int(0..=3u8) == 0 {
            let mut ends: Vec<Ahead<S>> = unseen.iter().flat_map(Config::ends).collect();
            let way = if ends.len() == 1 { 0 } else { case.index(ends.len()) };
            self.end = Some(ends.swap_remove(way));
            return Ok(None);
        }
        let way = if heads.len() == 1 { 0 } else { case.index(heads.len()) };
        let mut head = heads.swap_remove(way);
        let leaf = taken.last(head.trail).ok_or("a call that nobody expects")?;
        let (shown, is_given, method) = (format!("{leaf:?}"), leaf.has_arguments(), leaf.identity());
        if !is_given && leaf.needs_arguments() {
            return Err(format!(
                "the answer of {shown} depends on arguments that nobody knows beforehand: say `.given(…)`"
            ));
        }
        let mut call = leaf.imagined();
        if is_given && !leaf.matches(&call, &head.ahead.captured) {
            return Err(format!("{shown} is given arguments that it does not accept itself"));
        }
        let mut captured = head.ahead.captured.clone();
        let mut lent = leaf.is_drawn().then(|| Box::new(std::mem::replace(case, Case::random(0, 0))));
        call.lend(&mut lent);
        let answer = catch_unwind(AssertUnwindSafe(|| leaf.answer(&mut call, &mut captured)));
        if let Some(lent) = call.give_back() {
            *case = *lent;
        }
        let answer = answer.unwrap_or_else(|panic| resume_unwind(panic))?.answer;
        let answer_shown = (leaf.kind().show)(&answer);
        head.ahead.captured = captured;
        // (What was taken before is of no interest.)
        head.trail = None;
        self.config = head;
        Ok(Some(Imagined { call, method, shown, is_given, answer, answer_shown }))
    }

    /// What is left behind when no more calls come.
    pub(crate) fn end(self) -> Option<Ended<S>> {
        let Ahead { captured, state, changed, .. } = self.end?;
        Some(Ended { captured, state: changed.then(|| S::clone(&state)) })
    }
}
