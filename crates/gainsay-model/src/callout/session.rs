//! The calls of one run of an operation, judged one by one.

use super::called::{Answer, Called, Told};
use super::captured::Captured;
use super::residual::{Ahead, Config, Event, Ledger, Residuals};
use super::term::Term;
use crate::explain::{Explained, Frontier, Limits};
use gainsay_core::{Case, Failure, failure_of};
use std::borrow::Cow;
use std::cell::{Ref, RefCell};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// So many calls are shown, the last ones.
const SHOWN_MAX: usize = 20;

/// So many ways to take the same calls are too many: users have written something else than they meant.
const MANY: usize = 10_000;

/// What is left of the term of an operation, while it runs.
pub(crate) struct Session<S: Clone + PartialEq + Debug> {
    /// The name of the operation, which failures are told apart by.
    name: Arc<str>,
    /// How it was called.
    operation: Cow<'static, str>,
    frontier: Frontier<Residuals<S>>,
    /// The last call has not been taken.
    is_judging: bool,
    term: Term<S>,
}

/// What an operation leaves behind that made the calls it should.
pub(crate) struct Ended<S> {
    pub(crate) captured: Captured,
    /// If another operation has changed it.
    pub(crate) state: Option<S>,
}

impl<S: Clone + PartialEq + Debug> Session<S> {
    pub(crate) fn new(name: Arc<str>, operation: Cow<'static, str>, term: Term<S>, state: S) -> Session<S> {
        let start = Config::new(term.clone(), Ahead::new(state));
        let limits = Limits { frontier_max: MANY, configs_max: MANY, ..Limits::default() };
        let frontier = Frontier::new(Residuals::of(&term), [start], limits);
        Session { name, operation, frontier, is_judging: false, term }
    }

    /// Judges a call and says what it is answered; what answers are drawn from is lent meanwhile.
    pub(crate) fn call(
        &mut self,
        mut call: Called,
        case: &mut Option<Box<Case>>,
        told: &mut Told,
    ) -> Result<(), Box<Failure>> {
        if self.frontier.configs().is_none() {
            return Err(self.too_many());
        }
        call.lend(case);
        self.is_judging = true;
        self.ledger().borrow_mut().hear(call);
        let explained = catch_unwind(AssertUnwindSafe(|| self.observe(Event::Call)));
        *case = self.ledger().borrow_mut().heard.last_mut().and_then(Called::give_back);
        let answer = match explained {
            Ok(explained) => self.answer(explained, told),
            // The answer is the user's code.
            Err(panic) => {
                let failure = failure_of(panic);
                let message = format!("the answer to {} panicked: {}", self.shown(), failure.message);
                Err(self.wrong("no answer", &message, &self.shown()))
            }
        };
        self.is_judging = false;
        answer
    }

    /// Whether what was seen is expected; nothing if that is not known.
    #[inline]
    fn observe(&mut self, event: Event) -> Option<bool> {
        let explained = self.frontier.observe(event);
        match explained {
            _ if self.frontier.theory().is_lost() => None,
            Explained::Yes(_) => Some(true),
            Explained::No { .. } => Some(false),
            Explained::GaveUp { .. } => None,
        }
    }

    /// The calls so far, and how they were taken.
    fn ledger(&self) -> &RefCell<Ledger<S>> {
        self.frontier.theory().ledger()
    }

    /// The last call, as people read it.
    fn shown(&self) -> String {
        self.last().map(|call| call.shown()).unwrap_or_default()
    }

    /// The calls whose answers were drawn, with them, if somebody looks.
    pub(crate) fn drawn(&self) -> Vec<String> {
        self.ledger().borrow().heard.iter().filter_map(Called::shown_with_drawn).collect()
    }

    /// What the term says somewhere to calls of this method.
    pub(crate) fn likely(&self, call: &mut Called) -> Option<Answer> {
        let mut likely = None;
        self.term.each_leaf(&mut |leaf| {
            if likely.is_none() && leaf.is_of(call) {
                let answer = catch_unwind(AssertUnwindSafe(|| leaf.answer(call, &mut Captured::default())));
                likely = answer.ok().and_then(Result::ok).map(|given| given.answer);
            }
        });
        likely
    }

    /// The call that was judged last.
    pub(crate) fn last(&self) -> Option<Ref<'_, Called>> {
        Ref::filter_map(self.ledger().borrow(), |ledger| ledger.heard.last()).ok()
    }

    #[inline]
    fn answer(&self, is_expected: Option<bool>, told: &mut Told) -> Result<(), Box<Failure>> {
        let (Some(is_expected), Some(mut configs)) = (is_expected, self.frontier.configs()) else {
            return Err(self.too_many());
        };
        if !is_expected {
            let message = format!("unexpected call {}, expected {}", self.shown(), self.expected());
            return Err(self.wrong("unexpected call", &message, &self.expected().to_string()));
        }
        let Some(first) = configs.next() else {
            return Err(self.wrong("no answer", "nobody answers", &self.shown()));
        };
        if let Some(other) = configs.find(|other| other.answer != first.answer) {
            let ledger = self.ledger().borrow();
            let message = format!(
                "the specification is ambiguous: {} is answered {} by {}, and {} by {}",
                self.shown(),
                ledger.shown(first),
                ledger.derivation(first),
                ledger.shown(other),
                ledger.derivation(other)
            );
            return Err(self.wrong("ambiguous", &message, &ledger.last_taken(first)));
        }
        let answered = self.ledger().borrow_mut().take_answer(first, told);
        let Err(trouble) = answered else { return Ok(()) };
        let expected = self.ledger().borrow().last_taken(first);
        Err(self.wrong("no answer", &trouble, &expected))
    }

    /// Judges that no more calls come. If what was captured is used, it must not depend on the derivation.
    pub(crate) fn end(&mut self, captures_matter: bool) -> Result<Ended<S>, Box<Failure>> {
        let is_expected = self.observe(Event::End);
        let (Some(is_expected), Some(mut configs)) = (is_expected, self.frontier.configs()) else {
            return Err(self.too_many());
        };
        if !is_expected {
            let expected = self.expected();
            let message = format!("missing call: it returned, but {expected} was expected");
            let last = (expected.to_string(), "✗ nothing".into());
            return Err(Box::new(self.failure("missing call", &message, Some(last))));
        }
        let Some(first) = configs.next() else { return Err(self.too_many()) };
        let mut others = configs;
        let ledger = self.ledger().borrow();
        if let Some(other) = others.clone().find(|other| {
            captures_matter
                && other.ahead.state == first.ahead.state
                && other.ahead.captured != first.ahead.captured
        }) {
            let message = format!(
                "the specification is ambiguous: {:?} was captured by {}, and {:?} by {}",
                first.ahead.captured,
                ledger.derivation(first),
                other.ahead.captured,
                ledger.derivation(other)
            );
            return Err(Box::new(self.failure("ambiguous", &message, None)));
        }
        if let Some(other) = others.find(|other| other.ahead.state != first.ahead.state) {
            let message = format!(
                "the specification is ambiguous: it ends in state {:?} by {}, and in state {:?} by {}",
                first.ahead.state,
                ledger.derivation(first),
                other.ahead.state,
                ledger.derivation(other)
            );
            return Err(Box::new(self.failure("ambiguous", &message, None)));
        }
        let Ahead { captured, state, changed, .. } = first.ahead.clone();
        Ok(Ended { captured, state: changed.then(|| S::clone(&state)) })
    }

    /// What may be called next.
    fn expected(&self) -> Expected {
        let mut calls = Vec::new();
        let mut may_end = false;
        let configs = self.frontier.configs().into_iter().flatten();
        for config in configs.flat_map(|config| config.and_unseen().unwrap_or_default()) {
            config.term.next_calls(&config.ahead, &mut calls);
            may_end |= config.can_end();
        }
        Expected { calls, may_end }
    }

    fn too_many(&self) -> Box<Failure> {
        let message = format!("too many ways to take the calls of {}", self.operation);
        Box::new(self.failure("too many ways", &message, None).undecided())
    }

    /// A failure of the last call, where something was expected.
    fn wrong(&self, kind: &str, message: &str, expected: &str) -> Box<Failure> {
        Box::new(self.failure(kind, message, Some((expected.to_string(), format!("✗ {}", self.shown())))))
    }

    /// A failure, with what was expected and the calls that came; in the end perhaps what did not fit.
    fn failure(&self, kind: &str, message: &str, last: Option<(String, String)>) -> Failure {
        let ledger = self.ledger().borrow();
        let actual = &ledger.heard[..ledger.heard.len() - usize::from(self.is_judging)];
        let taken = self.frontier.configs().into_iter().flatten().next();
        let expected =
            taken.map(|config| ledger.taken_last(config, actual.len(), SHOWN_MAX)).unwrap_or_default();
        let hidden = actual.len() - expected.len();
        let taken = expected.into_iter().zip(&actual[hidden..]);
        let mut rows: Vec<(String, String)> =
            taken.map(|(expected, actual)| (expected, format!("✓ {}", actual.shown()))).collect();
        rows.extend(last);
        let mut lines = vec![format!("{} is expected to call {}", self.operation, self.term)];
        if !rows.is_empty() {
            let width = rows.iter().map(|(expected, _)| expected.chars().count()).max().unwrap_or(0).max(8);
            lines.push(format!("  {:width$}    actual", "expected"));
            if hidden > 0 {
                lines.push(format!("  {:width$}  ✓ … {hidden} calls", "…"));
            }
            lines.extend(rows.iter().map(|(expected, actual)| format!("  {expected:width$}  {actual}")));
        }
        lines.push(message.to_string());
        Failure::new("", lines.join("\n")).with_signature(&format!("{} {kind}", self.name))
    }
}

/// What may come next.
struct Expected {
    calls: Vec<String>,
    may_end: bool,
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.calls.is_empty(), self.may_end) {
            (true, _) => f.write_str("no more calls"),
            (false, false) => f.write_str(&self.calls.join(" or ")),
            (false, true) => write!(f, "{} or no more calls", self.calls.join(" or ")),
        }
    }
}
