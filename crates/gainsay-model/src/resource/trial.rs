//! Tests of an implementation: calls in phases, drawn while it runs, and a judge that keeps all states that are possible.

use super::{CallId, Clause, Contradiction, Phase, Phases, Policy, Resource, Viable};
use gainsay_core::{
    Case, Error, Failure, GaveUp, Outcome, Report, Settings, Status, Verdict, finish, quietly, settings,
};
use gainsay_subject::{Live, Made, Patience, Rest, Returned, Settled, Subject, Trouble};
use std::fmt::{self, Debug, Display};
use std::time::Duration;

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

/// What has been seen of an implementation so far: what the next call depends on.
pub struct Seen<R: Resource> {
    calls: Vec<R::Call>,
    returned: Vec<(CallId, R::Value)>,
    waiting: Vec<CallId>,
    chosen: Vec<R::Call>,
}

impl<R: Resource> Debug for Seen<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting: Vec<&R::Call> = self.waiting().collect();
        f.debug_struct("Seen").field("waiting", &waiting).finish_non_exhaustive()
    }
}

impl<R: Resource> Seen<R> {
    fn new() -> Seen<R> {
        Seen { calls: Vec::new(), returned: Vec::new(), waiting: Vec::new(), chosen: Vec::new() }
    }

    /// The calls that have returned, and what, in the order in which that was seen.
    pub fn returned(&self) -> impl Iterator<Item = (&R::Call, &R::Value)> {
        self.returned.iter().map(|(id, value)| (&self.calls[*id as usize], value))
    }

    /// The calls that wait, the oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &R::Call> {
        self.waiting.iter().map(|id| &self.calls[*id as usize])
    }

    /// The calls that have been chosen for this phase already, and will be made together with the next one.
    pub fn chosen(&self) -> &[R::Call] {
        &self.chosen
    }

    /// All calls that have not returned: those that wait and those that have been chosen.
    pub fn open(&self) -> impl Iterator<Item = &R::Call> {
        self.waiting().chain(&self.chosen)
    }
}

/// Draws a call, by what has been seen; nothing if none makes sense.
type Draw<R> = Box<dyn FnMut(&Seen<R>, &mut Case) -> Option<<R as Resource>::Call>>;

/// Whether a call that makes no sense was refused as it should, by what it said.
type Refused<R> = Box<dyn Fn(&<R as Resource>::Call, &str) -> bool>;

/// An implementation and its specification: see [`trial`].
pub struct Trial<R: Resource> {
    name: String,
    resource: R,
    policy: Policy<R>,
    draw: Draw<R>,
    subject: Box<dyn Subject<R::Call, R::Value>>,
    settings: Settings,
    phases_max: usize,
    together_max: usize,
    patience: Patience,
    asserts_patience: bool,
    refused: Option<Refused<R>>,
    show_call: Box<dyn Fn(&R::Call) -> String>,
    show_state: Box<dyn Fn(&R::State) -> String>,
    /// The phases of the last test that failed by each clause.
    failed: Vec<(Clause, Phases<R>)>,
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
        settings: settings().cases(CASES),
        phases_max: 50,
        together_max: 4,
        patience: Patience::default(),
        asserts_patience: false,
        refused: None,
        show_call: Box::new(|call| format!("{call:?}")),
        show_state: Box::new(|state| format!("{state:?}")),
        failed: Vec::new(),
    }
}

/// How many tests a round has, unless somebody says otherwise.
const CASES: u64 = 200;

/// So many phases try to let waiting calls end, when a test is over.
const DRAINING_MAX: usize = 30;

/// So many threads may be left behind in calls that do not return.
const LEFT_MAX: usize = 2000;

/// What was seen in a phase, to be told if it comes to that.
struct Told<R: Resource> {
    called: Vec<R::Call>,
    /// What was called makes no sense.
    is_senseless: bool,
    /// What has ended, and what it returned, if it did.
    ended: Vec<(CallId, Option<R::Value>)>,
    waiting: Vec<CallId>,
    /// It is known that whoever waited could not go on.
    is_quiescent: bool,
    /// Some of the states that are possible afterwards.
    states: Vec<R::State>,
}

impl<R: Resource> Told<R> {
    /// Shows it to a judge.
    fn shown_to(
        &self,
        viable: &mut Viable<'_, R>,
        judges_progress: bool,
    ) -> Result<(), Contradiction<R::State>> {
        let called = if self.is_senseless { Vec::new() } else { self.called.clone() };
        let returned = self.ended.iter().filter_map(|(id, value)| Some((*id, value.clone()?))).collect();
        let phase = Phase { called, returned, is_quiescent: self.is_quiescent };
        // Where progress is not asked for, it is known all the same that whoever waits has not run.
        match judges_progress || !self.is_quiescent {
            true => viable.see(phase),
            false => viable.see_safety(phase),
        }
    }
}

/// Why a test ended.
enum End {
    Failed(Clause, String),
    /// It never comes to rest.
    Restless(String),
}

/// What came of a test.
enum Tested {
    Outcome(Outcome),
    Restless(String),
}

/// Calls that make no sense have numbers of their own.
const REFUSED: CallId = 1 << 31;

impl<R: Resource> Trial<R> {
    /// What the implementation is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Settings of the engine.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Trial<R> {
        self.settings = settings;
        self
    }

    /// How many tests each round has: 200, if nobody says so.
    #[must_use]
    pub fn cases(mut self, cases: u64) -> Trial<R> {
        self.settings = self.settings.cases(cases);
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
    /// So.
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

    /// The report on the first round that goes wrong, or on the last.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report(&mut self) -> Result<Report, Error> {
        let mut last = None;
        for round in Round::ALL {
            let report = self.report_round(round)?;
            let is_good = report.verdict.is_good();
            last = Some(report);
            if !is_good {
                break;
            }
        }
        Ok(last.expect("there are rounds"))
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
        let settings = self.settings.clone();
        let mut trouble = None;
        let mut restless = None;
        let mut by_timeout = 0;
        let report = settings.report_outcomes(&name, &mut |case| {
            if trouble.is_some() || restless.is_some() {
                return Outcome::of(Status::Undefined);
            }
            match self.test(case, round, &mut by_timeout) {
                Ok(Tested::Outcome(outcome)) => outcome,
                // It would be so again and again, and what runs on takes its time from others.
                Ok(Tested::Restless(why)) => {
                    restless = Some(why);
                    Outcome::of(Status::Undefined)
                }
                Err(error) => {
                    let outcome = Outcome::failed(Failure::new("", error.to_string()).undecided());
                    trouble = Some(error);
                    outcome
                }
            }
        })?;
        if let Some(trouble) = trouble {
            return Err(Error::specification(format!("{} cannot be tested: {trouble}", self.name)));
        }
        let mut report = report;
        if let Some(why) = restless {
            report.verdict = Verdict::GaveUp(GaveUp::because(why, report.verdict.cases()));
        }
        report.remarks.retain(|remark| !remark.starts_with("not proved"));
        if by_timeout > 0 {
            report.remarks.push(match self.asserts_patience {
                true => format!(
                    "by timeout: in {by_timeout} phases calls were taken to wait because time was over"
                ),
                false => format!(
                    "by timeout: in {by_timeout} phases time was over, and progress was not judged there"
                ),
            });
        }
        Ok(report)
    }

    /// The phases of a failure, to be exported as a program of its own.
    pub fn phases_of(&self, verdict: &Verdict) -> Option<&Phases<R>> {
        let message = &verdict.counterexample()?.message;
        self.failed.iter().map(|(_, phases)| phases).find(|phases| message.ends_with(&phases.why))
    }

    /// One test.
    fn test(&mut self, case: &mut Case, round: Round, by_timeout: &mut u64) -> Result<Tested, Trouble> {
        if self.subject.threads_left() > LEFT_MAX {
            return Err(Trouble::new(format!(
                "more than {LEFT_MAX} threads are left in calls that do not return: test this in a process of its own"
            )));
        }
        let Trial {
            resource,
            policy,
            draw,
            subject,
            patience,
            refused,
            show_call,
            show_state,
            failed,
            name,
            ..
        } = self;
        let mut live = match subject.make()? {
            Made::Ready(live) => live,
            Made::Broken(why) => {
                let why = format!("{}\n  {why}", Clause::Constructor);
                return Ok(Tested::Outcome(Outcome::failed(failure(Clause::Constructor, &why, ""))));
            }
        };
        let mut test = Test {
            resource,
            policy,
            draw,
            refused: refused.as_ref(),
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
            last: None,
        };
        let together_max = if round == Round::Concurrent { self.together_max } else { 1 };
        let mut trouble = None;
        case.repeat(0..=self.phases_max, |case| {
            if test.end.is_some() || trouble.is_some() {
                return false;
            }
            match test.phase(case, together_max) {
                Ok(is_possible) => is_possible,
                Err(error) => {
                    trouble = Some(error);
                    false
                }
            }
        });
        *by_timeout += test.phases_by_timeout;
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        let outcome = match &test.end {
            _ if case.is_over() => Outcome::of(Status::Unjudged),
            None if test.viable.has_given_up() => Outcome { cut: true, ..Outcome::of(Status::Undefined) },
            // Threads may meet in other ways than they did: no number of tests proves anything.
            None => Outcome { cut: true, ..Outcome::of(Status::Passed) },
            Some(End::Failed(clause, why)) => {
                // The last one by a clause is the smallest.
                failed.retain(|(known, _)| known != clause);
                failed
                    .push((*clause, Phases { name: name.clone(), phases: test.phases(), why: why.clone() }));
                Outcome::failed(failure(*clause, why, &test.story()))
            }
            Some(End::Restless(why)) => return Ok(Tested::Restless(format!("{}{why}", test.story()))),
        };
        test.drain()?;
        Ok(Tested::Outcome(outcome))
    }
}

/// A contradiction is one, however often it is met.
fn failure(clause: Clause, why: &str, story: &str) -> Failure {
    Failure::new("", format!("{story}{why}")).with_signature(&format!("{clause:?}")).conclusive()
}

/// A test that runs.
struct Test<'a, R: Resource> {
    resource: &'a R,
    policy: &'a Policy<R>,
    draw: &'a mut Draw<R>,
    refused: Option<&'a Refused<R>>,
    show_call: &'a dyn Fn(&R::Call) -> String,
    show_state: &'a dyn Fn(&R::State) -> String,
    live: &'a mut (dyn Live<R::Call, R::Value> + 'a),
    viable: Viable<'a, R>,
    seen: Seen<R>,
    told: Vec<Told<R>>,
    end: Option<End>,
    patience: Patience,
    asserts_patience: bool,
    judges_progress: bool,
    phases_by_timeout: u64,
    /// A state that was possible before the last phase.
    last: Option<R::State>,
}

impl<R: Resource> Test<'_, R> {
    /// A phase: calls are drawn, made together, and judged by what comes of them. `false` if there are none.
    fn phase(&mut self, case: &mut Case, together_max: usize) -> Result<bool, Trouble> {
        self.seen.chosen.clear();
        let mut senseless = self.choose(case);
        if together_max > 1 && senseless.is_none() && !self.seen.chosen.is_empty() {
            case.repeat(0..=together_max - 1, |case| {
                if senseless.is_some() {
                    return false;
                }
                let before = self.seen.chosen.len();
                senseless = self.choose(case);
                self.seen.chosen.len() > before
            });
        }
        if case.is_over() {
            return Ok(false);
        }
        match senseless {
            // Together with others it could not be told who has done what.
            Some(call) if self.seen.chosen.is_empty() => self.run_senseless(call)?,
            _ if self.seen.chosen.is_empty() => return Ok(false),
            _ => self.run()?,
        }
        Ok(true)
    }

    /// Chooses a call; one that makes no sense is given back, if such calls are to be made.
    fn choose(&mut self, case: &mut Case) -> Option<R::Call> {
        let call = (self.draw)(&self.seen, case)?;
        if self.resource.pre(&call) {
            self.seen.chosen.push(call);
            return None;
        }
        self.refused.map(|_| call)
    }

    fn settle(&mut self) -> Result<Settled<R::Value>, Trouble> {
        let settled = self.live.settle(self.patience)?;
        self.phases_by_timeout += u64::from(settled.rest == Rest::Timed);
        Ok(settled)
    }

    /// Makes the calls that were chosen, and judges what comes of them.
    fn run(&mut self) -> Result<(), Trouble> {
        let called = std::mem::take(&mut self.seen.chosen);
        let first = self.seen.calls.len() as CallId;
        let numbered: Vec<(CallId, R::Call)> = (first..).zip(called.iter().cloned()).collect();
        self.seen.calls.extend(called.iter().cloned());
        self.seen.waiting.extend(first..self.seen.calls.len() as CallId);
        let before: Vec<R::State> =
            self.viable.states().into_iter().flatten().take(STATES_SHOWN_MAX + 1).cloned().collect();
        self.last = before.first().cloned();
        self.live.start(&numbered)?;
        let settled = self.settle()?;
        self.judge(called, settled, &before)
    }

    fn judge(
        &mut self,
        called: Vec<R::Call>,
        settled: Settled<R::Value>,
        before: &[R::State],
    ) -> Result<(), Trouble> {
        let mut rest = settled.rest;
        self.told.push(Told {
            called,
            is_senseless: false,
            ended: Vec::with_capacity(settled.returned.len()),
            waiting: Vec::new(),
            is_quiescent: false,
            states: Vec::new(),
        });
        self.take(settled);
        while self.end.is_none() {
            let Err(contradiction) = self.see(rest) else { return Ok(()) };
            // Whoever seems to wait may have been held up by somebody who has nothing to do with it.
            if rest == Rest::Asleep && !self.seen.waiting.is_empty() {
                let settled = self.live.reconsider(self.patience)?;
                if !settled.returned.is_empty() || settled.rest != Rest::Asleep {
                    rest = settled.rest;
                    self.take(settled);
                    self.recall();
                    continue;
                }
            }
            let by = if rest == Rest::Asleep { "" } else { " (by timeout)" };
            let mut why = format!("{}{by}", contradiction.clause);
            why += &format!("\n  before the last phase: {}", self.shown_states(before.iter()));
            for (state, reason) in &contradiction.before {
                why += &format!("\n  reached {}: {reason}", (self.show_state)(state));
            }
            self.end = Some(End::Failed(contradiction.clause, why));
        }
        Ok(())
    }

    /// Takes what came of calls in the last phase, which may be the end.
    fn take(&mut self, settled: Settled<R::Value>) {
        let mut wrong = None;
        let mut ended = Vec::with_capacity(settled.returned.len());
        for (id, outcome) in settled.returned {
            let Some(place) = self.seen.waiting.iter().position(|open| *open == id) else {
                wrong = wrong.or(Some((Clause::NoCause, format!("call {id} returned, which is not open"))));
                continue;
            };
            self.seen.waiting.remove(place);
            let (clause, message) = match outcome {
                Returned::Value(value) => {
                    self.seen.returned.push((id, value.clone()));
                    ended.push((id, Some(value)));
                    continue;
                }
                Returned::Threw(message) => (Clause::Exception, message),
                Returned::Died(message) => (Clause::DeadWorker, message),
            };
            ended.push((id, None));
            let call = (self.show_call)(&self.seen.calls[id as usize]);
            wrong = wrong.or(Some((clause, format!("{call} ended with: {message}"))));
        }
        if let Some(told) = self.told.last_mut() {
            told.ended.extend(ended);
            told.waiting.clone_from(&self.seen.waiting);
        }
        if let Some((clause, why)) = wrong {
            self.end = Some(End::Failed(clause, format!("{clause}\n  {why}")));
        } else if settled.rest == Rest::Running && !self.asserts_patience {
            let waiting: Vec<String> = self.seen.waiting().map(|call| (self.show_call)(call)).collect();
            self.end = Some(End::Restless(format!(
                "it did not come to rest within {:?} (by timeout): {} may still be running",
                self.patience.running,
                waiting.join(", ")
            )));
        }
    }

    /// Judges the last phase.
    fn see(&mut self, rest: Rest) -> Result<(), Contradiction<R::State>> {
        let Some(told) = self.told.last_mut() else { return Ok(()) };
        told.is_quiescent = rest == Rest::Asleep || self.asserts_patience;
        told.shown_to(&mut self.viable, self.judges_progress)?;
        told.states =
            self.viable.states().into_iter().flatten().take(STATES_SHOWN_MAX + 1).cloned().collect();
        Ok(())
    }

    /// Lets a new judge see all phases but the last.
    fn recall(&mut self) {
        self.viable = Viable::new(self.resource, self.policy).show(self.show_call);
        let earlier = self.told.len().saturating_sub(1);
        for told in &self.told[..earlier] {
            // (What was possible before is possible still.)
            let _ = told.shown_to(&mut self.viable, self.judges_progress);
        }
    }

    /// What was called in each phase, and which calls had returned then.
    fn phases(&self) -> Vec<(Vec<R::Call>, Vec<CallId>)> {
        let mut returned: Vec<CallId> = Vec::new();
        let phases = self.told.iter().filter(|told| !told.is_senseless).map(|told| {
            returned.extend(told.ended.iter().map(|(id, _)| *id));
            returned.sort_unstable();
            (told.called.clone(), returned.clone())
        });
        phases.collect()
    }

    /// The phases, a line for each.
    fn story(&self) -> String {
        let show = |id: &CallId| (self.show_call)(&self.seen.calls[*id as usize]);
        let list = |word: &str, calls: Vec<String>| match calls.is_empty() {
            true => String::new(),
            false => format!("{word} {}", calls.join(", ")),
        };
        let line = |told: &Told<R>| {
            let called: Vec<String> = told.called.iter().map(|call| (self.show_call)(call)).collect();
            let ended =
                told.ended.iter().map(|(id, value)| match value.as_ref().map(|value| format!("{value:?}")) {
                    None => format!("{} ✗", show(id)),
                    Some(value) if value == "()" => show(id),
                    Some(value) => format!("{} → {value}", show(id)),
                });
            let ended: Vec<String> = ended.collect();
            [
                called.join(" ∥ ") + if told.is_senseless { " (senseless)" } else { "" },
                if ended.is_empty() { "unblocks nobody".into() } else { list("unblocks", ended) },
                list("waiting", told.waiting.iter().map(show).collect()),
                self.shown_states(told.states.iter()),
            ]
        };
        let lines: Vec<[String; 4]> = self.told.iter().map(line).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2), 0];
        let digits = lines.len().to_string().len();
        let mut story = String::new();
        for (number, line) in lines.iter().enumerate() {
            let mut shown = format!("phase {:digits$}  ", number + 1);
            line.iter().zip(widths).for_each(|(text, width)| shown += &format!("{text:width$}  "));
            story += shown.trim_end();
            story.push('\n');
        }
        story
    }

    fn shown_states<'s>(&self, states: impl Iterator<Item = &'s R::State>) -> String
    where
        R: 's,
    {
        let mut shown: Vec<String> = Vec::new();
        for state in states {
            let state = (self.show_state)(state);
            if !shown.contains(&state) {
                shown.push(state);
            }
        }
        let more = if shown.len() > STATES_SHOWN_MAX { " or others" } else { "" };
        shown.truncate(STATES_SHOWN_MAX);
        match shown.is_empty() {
            true => String::new(),
            false => format!("state {}{more}", shown.join(" or ")),
        }
    }

    /// Makes a call that makes no sense: it must be refused, and nothing else may happen.
    fn run_senseless(&mut self, call: R::Call) -> Result<(), Trouble> {
        let shown = (self.show_call)(&call);
        let before: Vec<R::State> =
            self.viable.states().into_iter().flatten().take(STATES_SHOWN_MAX + 1).cloned().collect();
        self.live.start(&[(REFUSED, call.clone())])?;
        let mut settled = self.settle()?;
        let place = settled.returned.iter().position(|(id, _)| *id == REFUSED);
        let said = match place.map(|place| settled.returned.remove(place).1) {
            Some(Returned::Threw(message))
                if self.refused.is_some_and(|refused| refused(&call, &message)) =>
            {
                None
            }
            Some(Returned::Threw(message)) => Some(format!("{shown} was refused with: {message}")),
            Some(Returned::Died(message)) => Some(format!("{shown}: {message}")),
            Some(Returned::Value(value)) => Some(format!("{shown} returned {value:?}")),
            None => Some(format!("{shown} waits")),
        };
        self.judge(Vec::new(), settled, &before)?;
        if let Some(told) = self.told.last_mut() {
            (told.called, told.is_senseless) = (vec![call], true);
        }
        if let (Some(why), None) = (said, &self.end) {
            self.end = Some(End::Failed(Clause::Pre, format!("{}\n  {why}", Clause::Pre)));
        }
        Ok(())
    }

    /// Lets calls that wait end, as far as that can be done by calls that should let them: nobody can end their threads.
    fn drain(&mut self) -> Result<(), Trouble> {
        let mut case = Case::random(0, LARGE);
        // If nothing is possible any more, what was possible last is as good as any.
        let Some(mut state) =
            self.viable.states().into_iter().flatten().next().or(self.last.as_ref()).cloned()
        else {
            return Ok(());
        };
        for _ in 0..DRAINING_MAX {
            if self.live.busy() == 0 || case.is_over() {
                break;
            }
            self.seen.chosen.clear();
            let (resource, seen, draw) = (self.resource, &self.seen, &mut *self.draw);
            let policy = self.policy;
            let may_run = |state: &R::State, queue: &[&R::Call], place: usize| {
                resource.cpre(state, queue[place]) && policy.enables(resource, state, queue, place)
            };
            let chosen = quietly(|| {
                let mut best: Option<(usize, R::Call)> = None;
                for _ in 0..CANDIDATES {
                    let Some(call) = draw(seen, &mut case) else { continue };
                    if !resource.pre(&call) {
                        continue;
                    }
                    let mut queue: Vec<&R::Call> = seen.waiting().chain([&call]).collect();
                    if !may_run(&state, &queue, queue.len() - 1) {
                        continue;
                    }
                    queue.pop();
                    let Some((after, _)) = resource.post(&state, &call).into_iter().next() else { continue };
                    let lets = (0..queue.len()).filter(|place| may_run(&after, &queue, *place)).count();
                    if best.as_ref().is_none_or(|(most, _)| lets > *most) {
                        best = Some((lets, call));
                    }
                }
                best
            });
            let Ok(Some((_, call))) = chosen else { break };
            let id = self.seen.calls.len() as CallId;
            self.seen.calls.push(call.clone());
            self.seen.waiting.push(id);
            self.live.start(&[(id, call)])?;
            let settled = self.live.settle(self.patience)?;
            let mut ran: Vec<CallId> = settled.returned.iter().map(|(id, _)| *id).collect();
            // In some order in which they may have run.
            while let Some(place) =
                ran.iter().position(|id| resource.cpre(&state, &self.seen.calls[*id as usize]))
            {
                let call = &self.seen.calls[ran.remove(place) as usize];
                if let Some((after, _)) = resource.post(&state, call).into_iter().next() {
                    state = after;
                }
            }
            for (id, outcome) in settled.returned {
                self.seen.waiting.retain(|open| *open != id);
                if let Returned::Value(value) = outcome {
                    self.seen.returned.push((id, value));
                }
            }
            if settled.rest == Rest::Running {
                break;
            }
        }
        Ok(())
    }
}

/// The number of a random case that is as large as cases get.
const LARGE: u64 = 1_000;

/// So many calls are looked at to find one that lets others end.
const CANDIDATES: usize = 12;

/// So many states are shown after a phase.
const STATES_SHOWN_MAX: usize = 3;

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
