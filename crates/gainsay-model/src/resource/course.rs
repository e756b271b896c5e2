//! The course of a round: what comes of its tests, and when it is over.

use super::exercised::Exercised;
use super::{Clause, Resource, Round};
use gainsay_core::{Failure, GaveUp, Outcome, Report, Status, Verdict};
use gainsay_subject::Trouble;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// One test in so many, and one besides, may not come to rest before the round gives up.
const RESTLESS: u64 = 50;

/// After so much time a constructor is taken to hang.
const HANGS: Duration = Duration::from_secs(1);

/// What came of a test.
pub(super) enum Tested {
    Outcome(Outcome),
    /// It did not come to rest.
    Restless(String),
    /// No object could be made, after so much time.
    Unmade(String, Duration),
}

/// How many tests a round has, if nobody says a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Budget {
    /// At least so many.
    pub(super) cases: u64,
    /// And more until so much time is over.
    pub(super) time: Duration,
}

/// A round that goes on.
pub(super) struct Course<R: Resource> {
    /// One test is run that was asked for.
    is_replay: bool,
    begun: Instant,
    budget: Option<Budget>,
    /// Set when the budget is spent.
    enough: Arc<AtomicBool>,
    /// Tests that were judged.
    judged: u64,
    /// Tests that did not come to rest, and why the last one was given up.
    restless: u64,
    why_restless: Option<String>,
    /// Nothing can be tested.
    trouble: Option<Trouble>,
    /// What was found stays found, whatever becomes of what is tried to make it smaller.
    is_found: bool,
    /// So often a constructor has not returned.
    hung: u32,
    /// It did not return twice: nobody waits for it again and again.
    unmade: Option<Outcome>,
    /// Phases that were ended by a limit of time.
    pub(super) by_timeout: u64,
    pub(super) exercised: Exercised<R>,
}

impl<R: Resource> Course<R> {
    pub(super) fn new(budget: Option<Budget>, is_replay: bool) -> Course<R> {
        Course {
            is_replay,
            begun: Instant::now(),
            budget,
            enough: Arc::default(),
            judged: 0,
            restless: 0,
            why_restless: None,
            trouble: None,
            is_found: false,
            hung: 0,
            unmade: None,
            by_timeout: 0,
            exercised: Exercised::new(),
        }
    }

    /// Is set when there were enough tests.
    pub(super) fn enough(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.enough)
    }

    /// What the next test comes to, if it need not be run.
    pub(super) fn known(&self) -> Option<Outcome> {
        match &self.unmade {
            _ if self.trouble.is_some() || self.is_too_restless() => Some(Outcome::of(Status::Undefined)),
            unmade => unmade.clone(),
        }
    }

    fn is_too_restless(&self) -> bool {
        self.restless > 1 + self.judged / RESTLESS
    }

    /// Takes what came of a test.
    pub(super) fn take(&mut self, tested: Result<Tested, Trouble>) -> Outcome {
        let outcome = match tested {
            Ok(Tested::Outcome(outcome)) => {
                self.judged += 1;
                outcome
            }
            Ok(Tested::Unmade(why, took)) => {
                let outcome = Outcome::failed(failure(Clause::Constructor, &why, ""));
                self.hung += u32::from(took > HANGS);
                self.unmade = (self.hung > 1).then(|| outcome.clone());
                outcome
            }
            Ok(Tested::Restless(_)) | Err(_) if self.is_found => Outcome::of(Status::Undefined),
            // One may be an accident. What runs on takes its time from others: there are not to be many.
            Ok(Tested::Restless(why)) => {
                self.restless += 1;
                self.why_restless = Some(why);
                Outcome::of(Status::Undefined)
            }
            Err(error) => {
                let outcome = Outcome::failed(Failure::new("", error.to_string()).undecided());
                self.trouble = Some(error);
                outcome
            }
        };
        self.is_found |= outcome.status == Status::Failed;
        let spent = |budget: Budget| self.judged >= budget.cases && self.begun.elapsed() >= budget.time;
        if self.is_too_restless() || self.budget.is_some_and(spent) {
            self.enough.store(true, Ordering::Relaxed);
        }
        outcome
    }

    /// Adds to a report what it does not know.
    pub(super) fn tell(
        self,
        report: &mut Report,
        asserts_patience: bool,
        show: (&R, &dyn Fn(&R::State) -> String),
    ) -> Result<(), Trouble> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        report.remarks.retain(|remark| !remark.starts_with("not proved"));
        let cases = report.verdict.cases();
        if let Some(why) = &self.why_restless {
            if self.is_too_restless() || matches!(report.verdict, Verdict::Inconclusive(_)) {
                report.verdict = Verdict::GaveUp(GaveUp::because(why.clone(), cases));
            } else {
                let last = why.lines().last().unwrap_or_default();
                let restless = self.restless;
                report.remarks.push(format!("{restless} of {cases} tests were not judged: {last}"));
            }
        }
        if let (Some(Budget { cases: least, time }), true) = (self.budget, report.verdict.is_good()) {
            report.remarks.push(format!(
                "{cases} tests by the budget: at least {least}, and more until {time:?} are over"
            ));
        }
        if self.by_timeout > 0 {
            let what = match asserts_patience {
                true => "calls were taken to wait because time was over",
                false => "time was over, and progress was not judged there",
            };
            report.remarks.push(format!("by timeout: in {} phases {what}", self.by_timeout));
        }
        if report.verdict.is_good() && !self.is_replay {
            let unexercised = self.exercised.never(show.0, show.1);
            report.remarks.extend(unexercised.remarks);
            report.never_exercised(unexercised.never);
        }
        Ok(())
    }
}

impl Budget {
    /// What a round gets of it: threads meet by chance, and more tests find more.
    pub(super) fn of(self, round: Round) -> Budget {
        match round {
            Round::Safety | Round::Progress => Budget { time: self.time / 3, ..self },
            Round::Concurrent => self,
        }
    }
}

/// A contradiction is one, however often it is met.
pub(super) fn failure(clause: Clause, why: &str, story: &str) -> Failure {
    Failure::new("", format!("{story}{why}")).with_signature(&format!("{clause:?}")).conclusive()
}
