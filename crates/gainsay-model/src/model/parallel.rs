//! Parallel tests: commands of several branches run on threads of their own, and some order must explain what they returned.

mod crew;
mod drawing;
mod interleaved;
mod judge;

use super::live::{Live, Value};
use super::{Command, Commands, Model, Statistics};
use crew::{Crew, Lead, Phase, Table};
#[cfg(feature = "shuttle")]
pub(super) use drawing::with_prefix as with_told;
use gainsay_core::{Case, Error, Failure, Outcome, Report, Status, Verdict, finish, quietly};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How a model is tested in parallel.
#[derive(Debug, Clone)]
pub struct Parallel {
    /// How many branches there are at most; at least two run. 2 by default.
    pub branches_max: usize,
    /// How many commands a branch has at most; 6 by default.
    pub commands_max: usize,
    /// How many commands come before the branches, at most; 8 by default. Half as many come after.
    pub prefix_max: usize,
    /// How often each test is run, since threads meet in other ways each time; 30 by default.
    pub repeats: u32,
    /// How long a branch may take; after that it is taken to hang. 5 s by default.
    pub patience: Duration,
    /// What an explanation must agree with.
    pub consistency: Consistency,
    /// What says how the real thing should behave.
    pub oracle: Oracle,
}

/// What an order of operations must agree with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Consistency {
    /// Each operation took effect between its call and its return.
    Linearizable,
    /// The operations of each branch took effect in their order, whatever the clock says.
    Sequential,
}

/// What says how a real thing should behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Oracle {
    /// What the model says that operations return.
    Model,
    /// The real thing itself, called from one thread: results are compared as they are shown.
    Itself,
}

impl Default for Parallel {
    fn default() -> Parallel {
        Parallel {
            branches_max: 2,
            commands_max: 6,
            prefix_max: 8,
            repeats: 30,
            patience: Duration::from_secs(5),
            consistency: Consistency::Linearizable,
            oracle: Oracle::Model,
        }
    }
}

impl Parallel {
    /// Whether it makes sense.
    pub(super) fn sound(&self) -> Result<(), Error> {
        if self.branches_max < 2 || self.commands_max == 0 || self.repeats == 0 {
            return Err(Error::specification(
                "a parallel run needs at least two branches (`branches_max`), a command in each (`commands_max`) and one \
                 run of each test (`repeats`)",
            ));
        }
        Ok(())
    }
}

/// Commands for a parallel test.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) prefix: Commands,
    pub(super) branches: Vec<Commands>,
    pub(super) suffix: Commands,
}

impl Test {
    pub(super) fn commands(&self) -> impl Iterator<Item = Command<'_>> {
        let branches = self.branches.iter().flat_map(Commands::iter);
        self.prefix.iter().chain(branches).chain(self.suffix.iter())
    }
}

/// What was seen of a command.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) called: u64,
    /// When and what, unless it still waits.
    pub(super) returned: Option<(u64, Value)>,
}

/// What came of a run.
#[derive(Debug)]
pub(super) enum Finding {
    /// Some order explains it.
    Explained,
    /// The search for an order was ended by a limit: nothing is known.
    Unknown,
    Failed(Failure),
}

/// What a branch has done.
struct Ran<R> {
    seen: Vec<Seen>,
    live: Live<R>,
    /// The command that panicked, and how.
    failure: Option<Failure>,
}

impl<S, R> Model<S, R>
where
    S: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    R: Clone + Send + 'static,
{
    /// Tests commands on several threads, and panics with the report if no order explains what they returned.
    ///
    /// The real thing is cloned for each thread: make it an `Arc`, or another handle of something shared.
    #[track_caller]
    pub fn check_parallel(mut self) {
        let settings = self.take_settings().checked();
        finish(self.settings(settings).report_parallel(&Parallel::default()));
    }

    /// The verdict on commands on several threads.
    ///
    /// # Panics
    /// If the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn verdict_parallel(self) -> Verdict {
        self.report_parallel(&Parallel::default()).unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on commands on several threads.
    ///
    /// # Errors
    /// If the model is dynamic, or the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn report_parallel(mut self, how: &Parallel) -> Result<Report, Error> {
        self.sound()?;
        self.static_only("parallel runs")?;
        self.without_calls("parallel runs")?;
        how.sound()?;
        if how.oracle == Oracle::Itself
            && let Some(operation) = self.operations.iter().find(|operation| operation.is_blocking())
        {
            return Err(Error::specification(format!(
                "`{}` of the model `{}` may have to wait (`enabled`): the real thing cannot be asked, call by call, whether \
                 it should; use the oracle `Model`",
                operation.name(),
                self.name
            )));
        }
        let settings = self.take_settings();
        let mut statistics = Statistics::new(self.operations.len(), &settings);
        let model = Arc::new(self);
        let mut lead = Lead::default();
        model.before_all.iter().for_each(|begin| begin());
        let name = format!("{} in parallel", model.name);
        let report = settings.report_outcomes(&name, &mut |case| {
            Arc::clone(&model).test_parallel(case, how, &mut lead, &mut statistics)
        });
        model.after_all.iter().for_each(|end| end());
        let mut report = model.remarked(report?, &statistics);
        if how.oracle == Oracle::Itself && !(model.invariants.is_empty() && model.laws.is_empty()) {
            report
                .remarks
                .push("invariants and laws were not judged: the real thing is its own specification".into());
        }
        for remark in report.remarks.iter_mut().filter(|remark| remark.starts_with("not proved")) {
            *remark = "not proved: threads may meet in other ways than they did".into();
        }
        Ok(report)
    }

    fn test_parallel(
        self: Arc<Self>,
        case: &mut Case,
        how: &Parallel,
        lead: &mut Lead,
        statistics: &mut Statistics,
    ) -> Outcome {
        let test = self.draw_parallel(case, how, false, statistics);
        if !case.ready() {
            return Outcome::of(Status::Unjudged);
        }
        let test = Arc::new(test);
        let finding = self.run_rounds(&test, how, lead);
        let status = match finding {
            Finding::Failed(failure) => return Outcome::failed(failure),
            Finding::Explained => Status::Passed,
            Finding::Unknown => Status::Undefined,
        };
        if status == Status::Passed {
            self.cover(case, test.commands().map(|command| command.operation()));
        }
        statistics.tested(test.commands().count());
        for command in test.commands() {
            statistics.executed(command.operation());
        }
        // Threads may meet in other ways than they did: no number of tests proves anything.
        Outcome { cut: true, ..Outcome::of(status) }
    }

    /// Runs a test again and again, until it fails. The thread that does so is one of the branches, and may hang: it is not this one.
    fn run_rounds(self: &Arc<Self>, test: &Arc<Test>, how: &Parallel, lead: &mut Lead) -> Finding {
        let table = Arc::new(Table::new(test.branches.len()));
        let job = {
            let (model, test, table, how) =
                (Arc::clone(self), Arc::clone(test), Arc::clone(&table), how.clone());
            move |crew: &mut Crew| quietly(|| model.run_rounds_here(&test, &how, &table, crew))
        };
        let patience = || match table.phase() {
            Phase::Together => how.patience.saturating_add(how.patience / 2),
            // Other things than branches may take longer: there are several of them.
            _ => how.patience.saturating_mul(4).max(PATIENCE_APART),
        };
        match lead.ask(patience, || table.progress(), job) {
            Some(Ok(finding)) => finding,
            Some(Err(panic)) => Finding::Failed(panic),
            None => {
                table.leave();
                lead.hung();
                Finding::Failed(self.hangs(test, &table, how.patience))
            }
        }
    }

    fn run_rounds_here(
        self: &Arc<Self>,
        test: &Arc<Test>,
        how: &Parallel,
        table: &Arc<Table<Live<R>, Ran<R>>>,
        crew: &mut Crew,
    ) -> Finding {
        let clock = Instant::now();
        // Whatever happens here, a panic of the user's code included, the others must not wait for ever.
        let _leaves = table.leaving();
        for (branch, hand) in (1..test.branches.len()).zip(crew.hands(test.branches.len() - 1)) {
            let (model, test, table) = (Arc::clone(self), Arc::clone(test), Arc::clone(table));
            hand.send(Box::new(move || {
                table.attend(branch, |round, live, at| {
                    stagger(round, branch);
                    model.run_to_end(&test.branches[branch], live, clock, at)
                });
            }));
        }
        let mut found = Finding::Explained;
        for round in 0..how.repeats as usize {
            if round > 0 && clock.elapsed() > REPEATS_TIME_MAX {
                break;
            }
            match self.run_round(round, test, how, table, clock, crew) {
                failed @ Finding::Failed(_) => return failed,
                Finding::Unknown => found = Finding::Unknown,
                Finding::Explained => {}
            }
        }
        found
    }

    /// One run of a test.
    fn run_round(
        self: &Arc<Self>,
        round: usize,
        test: &Test,
        how: &Parallel,
        table: &Table<Live<R>, Ran<R>>,
        clock: Instant,
        crew: &mut Crew,
    ) -> Finding {
        table.enter(Phase::Constructing);
        let mut live = Live::new((self.subject)());
        let mut state = (self.start)();
        let mut told = Vec::new();
        table.enter(Phase::Before);
        let failure = self.run_prefix(test, how, &mut state, &mut live, &mut told, &mut || table.step());
        if let Some(failure) = failure {
            table.enter(Phase::Ending);
            self.end_quietly(&state, &mut live);
            return Finding::Failed(drawing::with_prefix(failure, &told));
        }
        let own = || Live { real: live.real.clone(), results: live.results.clone() };
        table.deal(own);
        let first = own();
        table.enter(Phase::Together);
        table.meet(round);
        stagger(round, 0);
        let mut ran = vec![self.run_to_end(&test.branches[0], first, clock, table.place(0))];
        match table.collect(round, how.patience) {
            Ok(others) => ran.extend(others),
            Err(branches) => {
                // The threads still have the real thing, and keep it.
                branches.iter().for_each(|branch| crew.lose(branch - 1));
                return Finding::Failed(self.hangs(test, table, how.patience));
            }
        }
        table.enter(Phase::After);
        let results = ran.iter().flat_map(|branch| branch.live.results.iter().enumerate());
        for (place, result) in results {
            if let Some(result) = result {
                Live::keep(&mut live, place as u32, Arc::clone(result));
            }
        }
        let mut failure = ran.iter().find_map(|branch| branch.failure.clone());
        let mut seen: Vec<Vec<Seen>> = ran.into_iter().map(|branch| branch.seen).collect();
        if failure.is_none() {
            let mut see = |command| {
                let seen = self.see(command, &mut live, clock);
                table.step();
                seen
            };
            let suffix = quietly(|| test.suffix.iter().map(&mut see).collect());
            match suffix {
                Ok(suffix) => seen.push(suffix),
                Err(panic) => failure = Some(panic),
            }
        }
        table.enter(Phase::Ending);
        let mut end = None;
        let finding = match failure {
            Some(failure) => Finding::Failed(drawing::with_story(failure, &self.story(test, &seen))),
            None => match quietly(|| self.judge(test, &seen, &state, Some(&mut live), how, &mut end)) {
                Ok(finding) => finding,
                Err(panic) => Finding::Failed(drawing::with_story(panic, &self.story(test, &seen))),
            },
        };
        let ended = quietly(|| self.end(end.as_ref().unwrap_or(&state), &mut live));
        let finding = match (finding, ended) {
            (Finding::Explained, Err(panic)) => {
                Finding::Failed(drawing::with_story(panic, &self.story(test, &seen)))
            }
            (finding, _) => finding,
        };
        match finding {
            // What threads did need not come again, and was seen all the same.
            Finding::Failed(failure) => Finding::Failed(drawing::with_prefix(failure.conclusive(), &told)),
            finding => finding,
        }
    }

    fn hangs(&self, test: &Test, table: &Table<Live<R>, Ran<R>>, patience: Duration) -> Failure {
        let show = |command: Command<'_>| self.operations[command.operation()].show_call(command);
        let steps = table.steps();
        let what = match table.phase() {
            Phase::Constructing => "the real thing has not been made".to_string(),
            Phase::Before => match test.prefix.get(steps).map(show) {
                Some(call) => format!("{call}, before the branches, has not returned"),
                None => "an invariant has not returned".into(),
            },
            Phase::Together => {
                let calls = test.branches.iter().enumerate().filter_map(|(branch, commands)| {
                    let call = show(commands.get(table.place(branch).load(Relaxed))?);
                    Some(format!("{call} of branch {}", branch + 1))
                });
                let calls: Vec<String> = calls.collect();
                let have = if calls.len() == 1 { "has" } else { "have" };
                format!("{} {have} not returned", calls.join(" and "))
            }
            Phase::After => match test.suffix.get(steps).map(show) {
                Some(call) => format!("{call}, after the branches, has not returned"),
                None => "what comes after the branches has not ended".into(),
            },
            Phase::Ending => {
                "an invariant, `after_each` or the end of the real thing has not returned".into()
            }
        };
        let within = match table.phase() {
            Phase::Together => patience,
            _ => patience.saturating_mul(4).max(PATIENCE_APART),
        };
        let failure = Failure::new("", format!("{what} within {within:?} (by timeout)"));
        let list = |commands: &Commands| commands.iter().map(show).collect::<Vec<_>>().join(", ");
        let mut lines: Vec<String> =
            test.prefix.iter().map(|command| format!("before  {}", show(command))).collect();
        let branches = test.branches.iter().enumerate();
        lines.extend(branches.map(|(branch, commands)| format!("branch {}  {}", branch + 1, list(commands))));
        lines.extend(test.suffix.iter().map(|command| format!("after  {}", show(command))));
        drawing::with_story(failure.with_signature("a branch hangs"), &lines.join("\n"))
    }

    /// Tidies up after something has gone wrong already.
    pub(super) fn end_quietly(&self, state: &S, live: &mut Live<R>) {
        // What went wrong first counts.
        let _ = quietly(|| self.end(state, live));
    }

    pub(super) fn end(&self, state: &S, live: &mut Live<R>) {
        for end in &self.after_each {
            end(state, &mut live.real);
        }
    }

    /// Runs what comes before the branches; the model judges it as it goes.
    pub(super) fn run_prefix(
        &self,
        test: &Test,
        how: &Parallel,
        state: &mut S,
        live: &mut Live<R>,
        told: &mut Vec<String>,
        done: &mut dyn FnMut(),
    ) -> Option<Failure> {
        if how.oracle == Oracle::Model
            && let Some(failure) = self.check_invariants(state, &mut live.real)
        {
            return Some(*failure);
        }
        for command in test.prefix.iter() {
            let operation = &self.operations[command.operation()];
            let mut result = String::new();
            let ran = match how.oracle {
                Oracle::Model => quietly(|| {
                    let failure = operation.run_watched(state, live, command, Some(&mut result), None);
                    failure.or_else(|| self.check_invariants(state, &mut live.real))
                }),
                Oracle::Itself => quietly(|| {
                    result = operation.show_result(operation.call(live, command).as_any());
                    operation.next(state, command);
                    None
                }),
            };
            told.push(drawing::line(&operation.show_call(command), &result));
            done();
            match ran {
                Ok(None) => {}
                Ok(Some(failure)) => return Some(*failure),
                Err(panic) => return Some(panic),
            }
        }
        None
    }

    fn run_to_end(&self, commands: &Commands, mut live: Live<R>, clock: Instant, at: &AtomicUsize) -> Ran<R> {
        let mut seen = Vec::with_capacity(commands.len());
        let mut called = 0;
        let ran = quietly(|| {
            for (place, command) in commands.iter().enumerate() {
                at.store(place, Relaxed);
                called = clock.elapsed().as_nanos() as u64;
                seen.push(self.see(command, &mut live, clock));
            }
            at.store(commands.len(), Relaxed);
        });
        if ran.is_err() {
            seen.push(Seen { called, returned: None });
        }
        Ran { seen, live, failure: ran.err() }
    }

    /// Calls, and looks at the clock before and after.
    #[inline]
    fn see(&self, command: Command<'_>, live: &mut Live<R>, clock: Instant) -> Seen {
        let operation = &self.operations[command.operation()];
        let called = clock.elapsed();
        let value = operation.call(live, command);
        let returned = clock.elapsed();
        Seen { called: called.as_nanos() as u64, returned: Some((returned.as_nanos() as u64, value)) }
    }
}

/// A test is not repeated again after this time.
const REPEATS_TIME_MAX: Duration = Duration::from_secs(2);

/// How long one step of a test may take at least, outside of the branches.
const PATIENCE_APART: Duration = Duration::from_secs(3);

/// Branches that always begin at the very same time always meet in the same way: some begin a little later.
fn stagger(round: usize, branch: usize) {
    let word = (round as u64 * 31 + branch as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if round > 0 {
        for _ in 0..word >> 58 {
            std::hint::spin_loop();
        }
    }
}
