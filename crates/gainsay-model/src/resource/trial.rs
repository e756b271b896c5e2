//! Tests of an implementation, in rounds.

use super::course::{Budget, Course, Tested, failure};
use super::test::{Draw, End, Overtakings, Refused, Seen, Test, Together};
use super::{Clause, Phases, Policy, Resource, Viable};
use crate::explain::shown;
use gainsay_core::{Case, Error, Outcome, Report, Settings, Status, Verdict, finish, quietly, settings};
use gainsay_subject::{Made, Patience, Returned, Subject, Trouble};
use std::fmt::{self, Debug, Display};
use std::time::{Duration, Instant};

/// How hard an implementation is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Round {
    /// One call after the other; nobody asks why a call waits.
    Safety,
    /// One call after the other; whoever must run must not wait.
    Progress,
    /// Several calls at a time.
    Concurrent,
}

impl Round {
    /// All of them, in order.
    pub const ALL: [Round; 3] = [Round::Safety, Round::Progress, Round::Concurrent];
}

impl Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Round::Safety => "safety",
            Round::Progress => "safety and progress",
            Round::Concurrent => "concurrent calls",
        })
    }
}

/// An implementation and its specification: see [`trial`].
pub struct Trial<R: Resource> {
    name: String,
    resource: R,
    policy: Policy<R>,
    draw: Draw<R>,
    subject: Box<dyn Subject<R::Call, R::Value>>,
    settings: Settings,
    /// How many tests a round has, if no number was said.
    budget: Option<Budget>,
    phases_max: usize,
    together_max: usize,
    patience: Patience,
    asserts_patience: bool,
    refused: Option<Refused<R>>,
    overtakings: Option<Overtakings<R>>,
    show_call: Box<dyn Fn(&R::Call) -> String>,
    show_state: Box<dyn Fn(&R::State) -> String>,
    /// The phases of the last tests that failed.
    failed: Vec<Phases<R>>,
    /// How many threads were left before the first test.
    left_before: Option<usize>,
}

impl<R: Resource> Debug for Trial<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trial")
            .field("name", &self.name)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// Tests an implementation by its specification: the resource and its policy. `calls` draws a call from what has been seen so far, or
/// says that there is none; `subject` makes and calls the real thing.
///
/// ```
/// use gainsay_model::resource::{Policy, Resource, on_threads, trial};
/// use std::sync::{Condvar, Mutex};
///
/// /// A number that does not fall below zero.
/// struct Count;
///
/// #[derive(Debug, Clone, PartialEq, Eq, Hash)]
/// enum Call { Up, Down }
///
/// impl Resource for Count {
///     type State = u32;
///     type Call = Call;
///     type Value = ();
///     fn start(&self) -> u32 { 0 }
///     fn cpre(&self, count: &u32, call: &Call) -> bool { *call == Call::Up || *count > 0 }
///     fn post(&self, count: &u32, call: &Call) -> Vec<(u32, ())> {
///         vec![(if *call == Call::Up { count + 1 } else { count - 1 }, ())]
///     }
/// }
///
/// #[derive(Default)]
/// struct Semaphore { count: Mutex<u32>, risen: Condvar }
///
/// let real = on_threads(Semaphore::default, |semaphore, call: &Call| {
///     let mut count = semaphore.count.lock().unwrap();
///     if *call == Call::Up {
///         *count += 1;
///         semaphore.risen.notify_one();
///     } else {
///         while *count == 0 {
///             count = semaphore.risen.wait(count).unwrap();
///         }
///         *count -= 1;
///     }
/// });
/// trial("semaphore", Count, Policy::any(), |_, case| Some(if case.flag() { Call::Down } else { Call::Up }), real)
///     .cases(20)
///     .check();
/// ```
pub fn trial<R: Resource>(
    name: &str,
    resource: R,
    policy: Policy<R>,
    calls: impl FnMut(&Seen<R>, &mut Case) -> Option<R::Call> + 'static,
    subject: impl Subject<R::Call, R::Value> + 'static,
) -> Trial<R> {
    Trial {
        name: name.into(),
        resource,
        policy,
        draw: Box::new(calls),
        subject: Box::new(subject),
        settings: settings(),
        budget: Some(BUDGET),
        phases_max: 50,
        together_max: 4,
        patience: Patience::default(),
        asserts_patience: false,
        refused: None,
        overtakings: None,
        show_call: Box::new(|call| format!("{call:?}")),
        show_state: Box::new(|state| shown(state)),
        failed: Vec::new(),
        left_before: None,
    }
}

/// What a round has, if nobody says otherwise.
const BUDGET: Budget = Budget { cases: 200, time: Duration::from_secs(3) };

/// So many tests a round has at most, whatever time there is.
const CASES_MAX: u64 = 100_000;

/// So many tests that failed are remembered.
const FAILED_MAX: usize = 200;

/// So many threads a trial may leave behind in calls that do not return, and all trials of a process.
const LEFT_MAX: usize = 2000;
const ALL_LEFT_MAX: usize = 8000;

impl<R: Resource> Trial<R> {
    /// What the implementation is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Settings of the engine, with its number of cases. (Tests are always random ones.)
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Trial<R> {
        (self.settings, self.budget) = (settings, None);
        self
    }

    /// How many tests each round has. If nobody says so, there is a [budget](Trial::budget) of 200 tests and three seconds.
    #[must_use]
    pub fn cases(mut self, cases: u64) -> Trial<R> {
        (self.settings, self.budget) = (self.settings.cases(cases), None);
        self
    }

    /// Each round has at least so many tests, and more until so much time is over; a third of it in the rounds with one call at a time.
    #[must_use]
    pub fn budget(mut self, cases: u64, time: Duration) -> Trial<R> {
        self.budget = Some(Budget { cases, time });
        self
    }

    /// How many phases a test has at most (50), and how many calls a phase of the concurrent round (4).
    #[must_use]
    pub fn phases(mut self, phases_max: usize, together_max: usize) -> Trial<R> {
        (self.phases_max, self.together_max) = (phases_max.max(1), together_max.max(1));
        self
    }

    /// How long to wait for the implementation to come to rest: 10 s while something runs, and 100 ms while nothing does but for a timer.
    #[must_use]
    pub fn patience(mut self, running: Duration, timers: Duration) -> Trial<R> {
        self.patience = Patience { running, timers };
        self
    }

    /// A call that has not returned when the patience is over is taken to wait: progress is judged then, and the verdict says so.
    #[must_use]
    pub fn assert_patience(mut self) -> Trial<R> {
        self.asserts_patience = true;
        self
    }

    /// Makes calls that make no sense (PRE) too, alone. They must panic or throw such that this is true of the call and the message.
    #[must_use]
    pub fn refused(mut self, refused: impl Fn(&R::Call, &str) -> bool + 'static) -> Trial<R> {
        self.refused = Some(Box::new(refused));
        self
    }

    /// No call may be overtaken more than `max` times while it waits: by a call that was made in a later phase, has returned, and of
    /// which (after the one that waits) `such` is true. What is never bounded so may starve.
    #[must_use]
    pub fn overtakings(
        mut self,
        max: usize,
        such: impl Fn(&R::Call, &R::Call) -> bool + 'static,
    ) -> Trial<R> {
        self.overtakings = Some(Overtakings { max, such: Box::new(such) });
        self
    }

    /// How calls and states are shown.
    #[must_use]
    pub fn show(
        mut self,
        call: impl Fn(&R::Call) -> String + 'static,
        state: impl Fn(&R::State) -> String + 'static,
    ) -> Trial<R> {
        (self.show_call, self.show_state) = (Box::new(call), Box::new(state));
        self
    }

    /// Tests the implementation, and panics with the report if it does not do what it should.
    ///
    /// # Panics
    /// If the specification does not hold.
    #[track_caller]
    pub fn check(mut self) {
        self.settings = std::mem::replace(&mut self.settings, settings()).checked();
        finish(self.report());
    }

    /// The verdict on the implementation.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict(mut self) -> Verdict {
        self.report().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on the first round that goes wrong, or that is vacuous, or on the last.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report(&mut self) -> Result<Report, Error> {
        let mut told = self.report_round(Round::Safety)?;
        for round in [Round::Progress, Round::Concurrent] {
            if goes_wrong(&told.verdict) {
                break;
            }
            let report = self.report_round(round)?;
            // (A vacuous round is told, unless something is found in a later one.)
            if told.verdict.is_good() || goes_wrong(&report.verdict) {
                told = report;
            }
        }
        Ok(told)
    }

    /// The verdict on one round.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict_round(&mut self, round: Round) -> Verdict {
        self.report_round(round).unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on one round.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report_round(&mut self, round: Round) -> Result<Report, Error> {
        let name = format!("{}, {round}", self.name);
        let budget = self.budget.filter(|_| !Settings::says_cases()).map(|budget| budget.of(round));
        let mut course = Course::new(budget, self.settings.is_replay());
        // What comes after the same choices depends on how threads meet: an enumeration would take that for a mistake.
        let mut settings = self.settings.clone().random_only();
        if budget.is_some() {
            settings = settings.cases(CASES_MAX).until(course.enough());
        }
        let mut report = settings.report_outcomes(&name, &mut |case| match course.known() {
            Some(outcome) => outcome,
            None => {
                let tested = self.test(case, round, &mut course);
                course.take(tested)
            }
        })?;
        course
            .tell(&mut report, self.asserts_patience, (&self.resource, &*self.show_state))
            .map_err(|trouble| Error::specification(format!("{} cannot be tested: {trouble}", self.name)))?;
        Ok(report)
    }

    /// The phases of a failure, to be exported as a program of its own.
    pub fn phases_of(&self, verdict: &Verdict) -> Option<&Phases<R>> {
        let message = &verdict.counterexample()?.message;
        self.failed.iter().rev().find(|phases| message.ends_with(&phases.told))
    }

    /// One test.
    fn test(&mut self, case: &mut Case, round: Round, course: &mut Course<R>) -> Result<Tested, Trouble> {
        let left = self.subject.threads_left();
        let before = *self.left_before.get_or_insert(left);
        if left - before.min(left) > LEFT_MAX || left > ALL_LEFT_MAX {
            return Err(Trouble::new(format!(
                "{left} threads are left in calls that do not return: test this in a process of its own"
            )));
        }
        let Trial {
            resource,
            policy,
            draw,
            subject,
            patience,
            refused,
            overtakings,
            show_call,
            show_state,
            failed,
            name,
            ..
        } = self;
        let begun = Instant::now();
        let mut live = match subject.make()? {
            Made::Ready(live) => live,
            Made::Broken(why) => {
                return Ok(Tested::Unmade(format!("{}\n  {why}", Clause::Constructor), begun.elapsed()));
            }
        };
        let mut test = Test {
            resource,
            policy,
            draw,
            refused: refused.as_ref(),
            overtakings: overtakings.as_ref(),
            show_call,
            show_state,
            live: live.as_mut(),
            viable: Viable::new(resource, policy).show(&**show_call),
            seen: Seen::new(),
            told: Vec::new(),
            end: None,
            patience: *patience,
            asserts_patience: self.asserts_patience,
            judges_progress: round != Round::Safety,
            phases_by_timeout: 0,
            senseless: Vec::new(),
            last: None,
        };
        let max = if round == Round::Concurrent { self.together_max } else { 1 };
        // Short calls meet seldom enough: in most tests each phase has several.
        let together = Together { max, are_several: max > 1 && case.index(4) > 0 };
        let mut trouble = None;
        case.repeat(0..=self.phases_max, |case| {
            if test.end.is_some() || trouble.is_some() {
                return false;
            }
            match test.phase(case, together) {
                Ok(is_possible) => is_possible,
                Err(error) => {
                    trouble = Some(error);
                    false
                }
            }
        });
        course.by_timeout += test.phases_by_timeout;
        if !case.is_over() {
            course.exercised.add(&test);
        }
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        let outcome = match &test.end {
            _ if case.is_over() => Outcome::of(Status::Unjudged),
            None if test.viable.has_given_up() => Outcome { cut: true, ..Outcome::of(Status::Undefined) },
            // Threads may meet in other ways than they did: no number of tests proves anything.
            None => Outcome { cut: true, ..Outcome::of(Status::Passed) },
            Some(End::Failed(clause, why)) => {
                let story = test.story();
                if failed.len() == FAILED_MAX {
                    failed.remove(0);
                }
                failed.push(Phases {
                    name: name.clone(),
                    phases: test.phases(),
                    values: test.values(),
                    clause: *clause,
                    why: why.clone(),
                    told: format!("{story}{why}"),
                });
                Outcome::failed(failure(*clause, why, &story))
            }
            Some(End::Restless(why)) => return Ok(Tested::Restless(format!("{}{why}", test.story()))),
        };
        test.drain()?;
        Ok(Tested::Outcome(outcome))
    }
}

/// Whether something was found, or nothing can be said, so that further rounds are in vain.
pub(super) fn goes_wrong(verdict: &Verdict) -> bool {
    !verdict.is_good() && !matches!(verdict, Verdict::Vacuous(_))
}

/// Objects of a type of this process: `make` makes one, and `call` calls it, on a thread of its own that may wait. Whatever synchronises
/// by the means of the operating system will do (`std`, `parking_lot` …).
pub fn on_threads<T, C, V>(
    make: impl Fn() -> T + Send + Sync + 'static,
    call: impl Fn(&T, &C) -> V + Send + Sync + 'static,
) -> impl Subject<C, V> + 'static
where
    T: Send + Sync + 'static,
    C: Clone + Send + 'static,
    V: Send + 'static,
{
    gainsay_subject::on_threads(
        move || quietly(&make).map_err(|failure| failure.message),
        move |object, input| match quietly(|| call(object, input)) {
            Ok(value) => Returned::Value(value),
            Err(failure) => Returned::Threw(failure.message),
        },
    )
}
