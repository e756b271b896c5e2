//! Controlled schedules: what runs next is a choice like any other.
//!
//! The real thing is built on the types of `shuttle` (its `sync` and `thread`), which hands over control whenever threads could influence
//! each other. Which thread goes on is drawn from the case: so a schedule is replayed, shrunk, saved and enumerated like every
//! other case, and a race is found where no clock and no luck would show it.

use super::parallel::{Finding, Parallel, Seen, Test, with_told};
use super::{Live, Model, Statistics};
use gainsay_core::{Case, Error, Outcome, Report, Status, Verdict, failure_of, finish};
use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::any::Any;
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// How a model is tested under controlled schedules.
#[derive(Debug, Clone)]
pub struct Controlled {
    /// Branches, commands, and what must explain them. Repeats and patience do not matter here: a schedule runs once.
    pub parallel: Parallel,
    /// How often a thread that could go on is interrupted, at most; 3 by default. Most races need one or two.
    pub preemptions_max: usize,
    /// How many steps a run may have; more is a failure, of something that spins without end. 10 000 by default.
    pub steps_max: usize,
    /// How many bytes of stack each thread has; 512 KiB by default. A call that needs more ends the process.
    pub stack_size: usize,
}

impl Default for Controlled {
    fn default() -> Controlled {
        let parallel = Parallel { commands_max: 4, prefix_max: 4, ..Parallel::default() };
        Controlled { parallel, preemptions_max: 3, steps_max: 10_000, stack_size: 512 << 10 }
    }
}

/// Lends the case to the scheduler while a test runs.
type Lent = Arc<Mutex<Case>>;

/// Draws from the case who goes on.
struct Drawing {
    case: Lent,
    begun: bool,
    preemptions_left: usize,
}

impl Scheduler for Drawing {
    fn new_execution(&mut self) -> Option<Schedule> {
        // Each case is one run.
        (!std::mem::replace(&mut self.begun, true)).then(|| Schedule::new(0))
    }

    fn next_task(&mut self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> Option<TaskId> {
        let before = current;
        let current = runnable.iter().map(|task| task.id()).find(|id| Some(*id) == current);
        if runnable.len() == 1 || current.is_some() && !yields && self.preemptions_left == 0 {
            return current.or_else(|| runnable.first().map(|task| task.id()));
        }
        // Simplest is to go on. Whoever yields lets the others go on, in turn; to go on all the same counts as a preemption.
        let (later, earlier): (Vec<TaskId>, Vec<TaskId>) = runnable
            .iter()
            .map(|task| task.id())
            .filter(|id| Some(*id) != current)
            .partition(|id| before.is_some_and(|before| usize::from(*id) > usize::from(before)));
        let others = later.into_iter().chain(earlier);
        let tasks: Vec<TaskId> = if yields {
            let again = current.filter(|_| self.preemptions_left > 0);
            others.chain(again).collect()
        } else {
            current.into_iter().chain(others).collect()
        };
        if tasks.len() == 1 {
            return tasks.first().copied();
        }
        let mut weights = vec![1; tasks.len()];
        if current.is_some() && !yields {
            weights[0] = 2 * tasks.len() as u32;
        }
        let chosen = self.case.lock().ok()?.index_weighted(&weights);
        let goes_on = current.is_some() && tasks.get(chosen).copied() == current;
        if current.is_some() && goes_on == yields {
            self.preemptions_left -= 1;
        }
        tasks.get(chosen).copied()
    }

    fn next_u64(&mut self) -> u64 {
        self.case.lock().map_or(0, |mut case| case.any())
    }
}

impl<S, R> Model<S, R>
where
    S: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    R: Clone + Send + 'static,
{
    /// Tests commands under schedules that are drawn, and panics with the report if no order explains what they returned.
    #[track_caller]
    pub fn check_controlled(mut self) {
        let settings = self.take_settings().checked();
        finish(self.settings(settings).report_controlled(&Controlled::default()));
    }

    /// The verdict on commands under schedules that are drawn.
    ///
    /// # Panics
    /// If the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn verdict_controlled(self) -> Verdict {
        self.report_controlled(&Controlled::default()).unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on commands under schedules that are drawn. With exhaustive settings all schedules of all commands are tried, as
    /// far as preemptions and the settings allow.
    ///
    /// # Errors
    /// If the model is dynamic, or the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn report_controlled(mut self, how: &Controlled) -> Result<Report, Error> {
        self.sound()?;
        self.static_only("controlled runs")?;
        self.without_calls("controlled runs")?;
        how.parallel.sound()?;
        if let Some(operation) = self.operations.iter().find(|operation| operation.is_asynchronous()) {
            return Err(Error::specification(format!(
                "`{}` of the model `{}` is asynchronous, and waits on an executor that knows nothing of schedules: in \
                 controlled runs, use a plain operation that does `shuttle::future::block_on(…)`",
                operation.name(),
                self.name
            )));
        }
        let settings = self.take_settings();
        let mut statistics = Statistics::new(self.operations.len(), &settings);
        let model = Arc::new(self);
        model.before_all.iter().for_each(|begin| begin());
        let name = format!("{} under control", model.name);
        let report = settings.report_outcomes(&name, &mut |case| {
            let test = Arc::new(model.draw_parallel(case, &how.parallel, true, &mut statistics));
            if case.is_over() {
                return Outcome::of(Status::Unjudged);
            }
            for command in test.commands() {
                statistics.executed(command.operation());
            }
            statistics.tested(test.commands().count());
            match run_controlled(&model, &test, how, case) {
                Finding::Failed(failure) => Outcome::failed(failure),
                Finding::Explained => {
                    model.cover(case, test.commands().map(|command| command.operation()));
                    Outcome::of(Status::Passed)
                }
                Finding::Unknown => Outcome::of(Status::Undefined),
            }
        });
        model.after_all.iter().for_each(|end| end());
        let mut report = model.remarked(report?, &statistics);
        if let Verdict::Proved(proved) = &mut report.verdict {
            proved.assumptions = vec![
                format!("at most {} preemptions", how.preemptions_max),
                format!("at most {} branches of at most {} commands", how.parallel.branches_max, how.parallel.commands_max),
                format!("at most {} commands before them, and {} after", how.parallel.prefix_max, how.parallel.prefix_max / 2),
                "that threads influence each other only through shuttle's types, with sequentially consistent atomics".into(),
            ];
            proved.assumptions.extend(super::assumptions());
        }
        Ok(report)
    }
}

/// Runs a test once; who goes on is drawn from the case.
fn run_controlled<S, R>(
    model: &Arc<Model<S, R>>,
    test: &Arc<Test>,
    how: &Controlled,
    case: &mut Case,
) -> Finding
where
    S: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    R: Clone + Send + 'static,
{
    // The scheduler needs a case of its own: it gets this one, and this one is put back.
    let lent: Lent = Arc::new(Mutex::new(std::mem::replace(case, Case::random(0, 0))));
    let scheduler = Drawing { case: Arc::clone(&lent), begun: false, preemptions_left: how.preemptions_max };
    let mut config = Config::new();
    config.max_steps = MaxSteps::FailAfter(how.steps_max);
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    config.stack_size = how.stack_size;
    let found: Arc<Mutex<Option<Finding>>> = Arc::default();
    let board: Board = Arc::default();
    let (own, wanted, slot, parallel, seen) =
        (Arc::clone(model), Arc::clone(test), Arc::clone(&found), how.parallel.clone(), Arc::clone(&board));
    let ran = catch_unwind(AssertUnwindSafe(|| {
        Runner::new(scheduler, config).run(move || {
            let finding = run_branches(&own, &wanted, &parallel, &seen);
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(finding);
            }
        })
    }));
    let mut back = lent.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    std::mem::swap(case, &mut back);
    if let Err(panic) = ran {
        let seen = std::mem::take(&mut *board.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        if seen.is_empty() {
            resume_unwind(panic);
        }
        return model.judge_ended(test, &seen, &how.parallel, panic);
    }
    // A run that shuttle ended early has shown nothing.
    found.lock().ok().and_then(|mut found| found.take()).unwrap_or(Finding::Unknown)
}

/// Whether shuttle has noticed that nothing can go on.
fn is_deadlock(panic: &(dyn Any + Send)) -> bool {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
    message.is_some_and(|message| message.starts_with("deadlock! blocked tasks"))
}

/// What was seen of each branch so far; it outlives a run in which nothing can go on. Nobody holds it while others run.
type Board = Arc<Mutex<Vec<Vec<Seen>>>>;

/// The whole test, inside of a run of shuttle's.
fn run_branches<S, R>(model: &Arc<Model<S, R>>, test: &Arc<Test>, how: &Parallel, board: &Board) -> Finding
where
    S: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    R: Clone + Send + 'static,
{
    let mut live = Live::new((model.subject)());
    let mut state = (model.start)();
    let mut told = Vec::new();
    if let Some(failure) = model.run_prefix(test, how, &mut state, &mut live, &mut told, &mut || {}) {
        model.end_quietly(&state, &mut live);
        return Finding::Failed(with_told(failure, &told));
    }
    if let Ok(mut board) = board.lock() {
        board.resize_with(test.branches.len() + 1, Vec::new);
    }
    // No clock: only the order of calls and returns counts.
    let clock = Arc::new(AtomicU64::new(0));
    let own = |live: &Live<R>| Live { real: live.real.clone(), results: live.results.clone() };
    let others: Vec<_> = (1..test.branches.len())
        .map(|branch| {
            let (model, test, clock, board, mut live) =
                (Arc::clone(model), Arc::clone(test), Arc::clone(&clock), Arc::clone(board), own(&live));
            shuttle::thread::spawn(move || {
                run_branch(&model, &test.branches[branch], &mut live, &clock, branch, &board);
                live.results
            })
        })
        .collect();
    let mut first = own(&live);
    run_branch(model, &test.branches[0], &mut first, &clock, 0, board);
    let mut results = vec![std::mem::take(&mut first.results)];
    for other in others {
        match other.join() {
            Ok(kept) => results.push(kept),
            Err(panic) => resume_unwind(panic),
        }
    }
    for (place, result) in results.iter().flat_map(|kept| kept.iter().enumerate()) {
        if let Some(result) = result {
            Live::keep(&mut live, place as u32, Arc::clone(result));
        }
    }
    run_branch(model, &test.suffix, &mut live, &clock, test.branches.len(), board);
    let seen = board.lock().map(|mut board| std::mem::take(&mut *board)).unwrap_or_default();
    let mut end = None;
    let finding = model.judge(test, &seen, &state, Some(&mut live), how, &mut end);
    if let Finding::Failed(_) = finding {
        model.end_quietly(&state, &mut live);
    } else {
        model.end(end.as_ref().unwrap_or(&state), &mut live);
    }
    match finding {
        Finding::Failed(failure) => Finding::Failed(with_told(failure, &told)),
        finding => finding,
    }
}

fn run_branch<S, R>(
    model: &Model<S, R>,
    commands: &super::Commands,
    live: &mut Live<R>,
    clock: &AtomicU64,
    branch: usize,
    board: &Board,
) {
    for (place, command) in commands.iter().enumerate() {
        let called = clock.fetch_add(1, SeqCst);
        if let Ok(mut board) = board.lock() {
            board[branch].push(Seen { called, returned: None });
        }
        let value = model.operations[command.operation()].call(live, command);
        let at = clock.fetch_add(1, SeqCst);
        if let Ok(mut board) = board.lock() {
            board[branch][place].returned = Some((at, value));
        }
    }
}

impl<S, R> Model<S, R>
where
    S: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    R: Clone + Send + 'static,
{
    /// A run was ended: something panicked, or nothing could go on, which may be as it should be.
    fn judge_ended(
        &self,
        test: &Test,
        seen: &[Vec<Seen>],
        how: &Parallel,
        panic: Box<dyn Any + Send>,
    ) -> Finding {
        let mut state = (self.start)();
        let mut told = Vec::new();
        for command in test.prefix.iter() {
            let operation = &self.operations[command.operation()];
            told.push(operation.show_call(command));
            operation.next(&mut state, command);
        }
        let finding = if is_deadlock(&*panic) {
            self.judge(test, seen, &state, None, how, &mut None)
        } else {
            self.panicked_at(test, seen, failure_of(panic))
        };
        match finding {
            Finding::Failed(failure) => Finding::Failed(with_told(failure, &told)),
            finding => finding,
        }
    }
}
