//! Models of stateful things: a state, and operations that change it.
//!
//! One description serves all kinds of runs. A bounded queue, with everything about it that can be wrong:
//!
//! ```
//! use gainsay_model::model;
//! use std::collections::VecDeque;
//!
//! struct Queue { items: Vec<u32> }
//! impl Queue {
//!     fn push(&mut self, item: u32) -> bool {
//!         let room = self.items.len() < 8;
//!         if room { self.items.push(item) }
//!         room
//!     }
//!     fn pop(&mut self) -> Option<u32> {
//!         if self.items.is_empty() { None } else { Some(self.items.remove(0)) }
//!     }
//! }
//!
//! model(VecDeque::<u32>::new, || Queue { items: Vec::new() })
//!     .operation("push", |_, case| case.any::<u32>(), |queue, item| queue.push(*item), |push| {
//!         push.returns(|state, _| state.len() < 8)
//!             .next(|state, item| if state.len() < 8 { state.push_back(*item) })
//!     })
//!     .operation("pop", |_, _| (), |queue, ()| queue.pop(), |pop| {
//!         pop.returns(|state, ()| state.front().copied()).next(|state, ()| { state.pop_front(); })
//!     })
//!     .invariant("as long as the model says", |state, queue| queue.items.len() == state.len())
//!     .check();
//! ```

mod alone;
mod asynchronous;
mod cluster;
mod command;
#[cfg(feature = "shuttle")]
mod controlled;
mod deviation;
mod exhaustive;
mod live;
mod operation;
mod parallel;

mod scenario;
mod sequential;
mod statistics;

pub use cluster::{Cluster, Parts, cluster};
#[cfg(feature = "shuttle")]
pub use controlled::Controlled;
pub(crate) use deviation::Active;
pub use deviation::{Acts, Consequence, Consequences, Deviations, Effect};
pub use live::{Live, Var};
pub use operation::Operation;
pub use parallel::{Consistency, Oracle, Parallel};
pub use scenario::{Disagreement, Scenario};

use crate::explain::shown;
use command::{Command, Commands, Operate};
use gainsay_core::{Case, Claim, Error, Failure, Outcome, Report, Settings, Status, Verdict, finish};
use statistics::Statistics;
use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// A model with a state `S` of a real thing `R`.
///
/// The state and everything that speaks of it must be pure: same arguments, same result. Commands are generated from the model
/// alone and then executed.
pub struct Model<S, R> {
    name: String,
    start: Box<dyn Fn() -> S + Send + Sync>,
    subject: Box<dyn Fn() -> R + Send + Sync>,
    operations: Vec<Box<dyn Operate<S, R>>>,
    invariants: Vec<Invariant<S, R>>,
    laws: Vec<(String, Box<dyn Fn(&S) -> Option<Box<Failure>> + Send + Sync>)>,
    postconditions: Vec<Postcondition<S, R>>,
    after_each: Vec<Box<dyn Fn(&S, &mut R) + Send + Sync>>,
    before_all: Vec<Box<dyn Fn() + Send + Sync>>,
    after_all: Vec<Box<dyn Fn() + Send + Sync>>,
    len: RangeInclusive<usize>,
    length_factor: u32,
    settings: Option<Settings>,
    doubt: Arc<Doubt>,
    /// What happens otherwise than it should.
    deviating: Option<Arc<Active>>,
}

/// Whether all claims of a run could be decided.
#[derive(Debug, Default)]
struct Doubt {
    undefined: AtomicBool,
    cut: AtomicBool,
    /// What was also fine, and how often.
    tolerated: Mutex<BTreeMap<String, u64>>,
}

impl Doubt {
    /// Something was not as it should be, and is fine by this name.
    fn tolerated(&self, name: &str) {
        let mut tolerated = self.tolerated.lock().unwrap_or_else(PoisonError::into_inner);
        *tolerated.entry(name.to_string()).or_default() += 1;
    }

    fn take_tolerated(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.tolerated.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The failure of a claim, if it is one; what could not be decided is noted.
    #[inline]
    fn judged(&self, outcome: Outcome) -> Option<Box<Failure>> {
        if outcome.status == Status::Undefined {
            self.undefined.store(true, Relaxed);
        }
        if outcome.cut {
            self.cut.store(true, Relaxed);
        }
        outcome.failure.filter(|_| outcome.status == Status::Failed)
    }
}

struct Invariant<S, R> {
    name: String,
    holds: Box<dyn Fn(&S, &mut R) -> Option<Box<Failure>> + Send + Sync>,
}

/// What must hold after every call, by the state before it, the operation, and the state after it.
struct Postcondition<S, R> {
    name: String,
    holds: Box<dyn Fn(&S, &str, &S, &mut R) -> Option<Box<Failure>> + Send + Sync>,
}

impl<S, R> Debug for Model<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operations: Vec<&str> = self.operations.iter().map(|operation| operation.name()).collect();
        f.debug_struct("Model").field("name", &self.name).field("operations", &operations).finish()
    }
}

/// Begins a model: its state at the start of a test, and a new real thing.
pub fn model<S, R, F, G>(start: F, subject: G) -> Model<S, R>
where
    S: Clone + PartialEq + Debug + 'static,
    R: 'static,
    F: Fn() -> S + Send + Sync + 'static,
    G: Fn() -> R + Send + Sync + 'static,
{
    Model {
        name: identity::<G>(),
        start: Box::new(start),
        subject: Box::new(subject),
        operations: Vec::new(),
        invariants: Vec::new(),
        laws: Vec::new(),
        postconditions: Vec::new(),
        after_each: Vec::new(),
        before_all: Vec::new(),
        after_all: Vec::new(),
        len: 1..=usize::MAX,
        length_factor: 1,
        settings: None,
        doubt: Arc::default(),
        deviating: None,
    }
}

/// The test that is running, as its thread is named; otherwise where the model was written.
fn identity<G>() -> String {
    let thread = std::thread::current();
    match thread.name() {
        Some(name) if name != "main" => name.to_string(),
        _ => type_name::<G>().replace("::{{closure}}", ""),
    }
}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Adds an operation: its name, its arguments (drawn from the case, and from what is in the state), the call, and what else
    /// there is to say about it.
    pub fn operation<A, T>(
        mut self,
        name: &str,
        arguments: impl Fn(&S, &mut Case) -> A + Send + Sync + 'static,
        call: impl Fn(&mut Live<R>, &A) -> T + Send + Sync + 'static,
        describe: impl FnOnce(Operation<S, R, A, T>) -> Operation<S, R, A, T>,
    ) -> Model<S, R>
    where
        A: Clone + Debug + Send + Sync + 'static,
        T: Debug + Send + 'static,
    {
        let operation = describe(Operation::new(name, arguments, call, &self.doubt));
        self.operations.push(Box::new(operation));
        self
    }

    /// Adds a law that must hold before the first command and after each one.
    pub fn invariant<C: Claim>(
        mut self,
        name: &str,
        holds: impl Fn(&S, &mut R) -> C + Send + Sync + 'static,
    ) -> Model<S, R> {
        let doubt = Arc::clone(&self.doubt);
        let holds = Box::new(move |state: &S, real: &mut R| doubt.judged(holds(state, real).outcome()));
        self.invariants.push(Invariant { name: name.into(), holds });
        self
    }

    /// Adds a claim about every call of a sequential test, whichever operation it is: the state before it, the name of the operation, the
    /// state after it, and the real thing.
    pub fn postcondition<C: Claim>(
        mut self,
        name: &str,
        holds: impl Fn(&S, &str, &S, &mut R) -> C + Send + Sync + 'static,
    ) -> Model<S, R> {
        let doubt = Arc::clone(&self.doubt);
        let holds = move |before: &S, operation: &str, after: &S, real: &mut R| {
            doubt.judged(holds(before, operation, after, real).outcome())
        };
        self.postconditions.push(Postcondition { name: name.into(), holds: Box::new(holds) });
        self
    }

    /// Adds what is to be done with the real thing after each test, however it ended.
    pub fn after_each(mut self, end: impl Fn(&S, &mut R) + Send + Sync + 'static) -> Model<S, R> {
        self.after_each.push(Box::new(end));
        self
    }

    /// Adds what is to be done once, before the first test.
    pub fn before_all(mut self, begin: impl Fn() + Send + Sync + 'static) -> Model<S, R> {
        self.before_all.push(Box::new(begin));
        self
    }

    /// Adds what is to be done once, after the last test.
    pub fn after_all(mut self, end: impl Fn() + Send + Sync + 'static) -> Model<S, R> {
        self.after_all.push(Box::new(end));
        self
    }

    /// How many commands a test has; by default at least one, and as many as the size of a case suggests.
    pub fn len(mut self, len: RangeInclusive<usize>) -> Model<S, R> {
        self.len = len;
        self
    }

    /// Makes tests so many times longer. Without that most have up to a hundred commands, and some up to sixteen times as many.
    pub fn length_factor(mut self, factor: u32) -> Model<S, R> {
        self.length_factor = factor;
        self
    }

    /// Other settings than the usual ones.
    pub fn settings(mut self, settings: Settings) -> Model<S, R> {
        self.settings = Some(settings);
        self
    }

    /// Changes the settings.
    fn take_settings(&mut self) -> Settings {
        self.settings.take().unwrap_or_default()
    }

    /// Tests sequences of commands, and panics with the report if one of them shows that model and real thing differ.
    #[track_caller]
    pub fn check(mut self) {
        let settings = self.take_settings().checked();
        finish(self.settings(settings).report());
    }

    /// The verdict on sequences of commands.
    #[track_caller]
    pub fn verdict(self) -> Verdict {
        self.report().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on sequences of commands.
    ///
    /// # Errors
    /// If the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn report(mut self) -> Result<Report, Error> {
        let settings = self.take_settings();
        self.run_report(settings)
    }

    #[track_caller]
    fn run_report(&self, settings: Settings) -> Result<Report, Error> {
        self.sound()?;
        let mut statistics = Statistics::new(self.operations.len(), &settings);
        self.before_all.iter().for_each(|begin| begin());
        let report = settings.report_outcomes(&self.name, &mut |case| self.test(case, &mut statistics));
        self.after_all.iter().for_each(|end| end());
        let mut report = self.remarked(report?, &statistics);
        if let Verdict::Proved(proved) = &mut report.verdict {
            proved.assumptions = assumptions();
        }
        Ok(report)
    }

    /// Whether the model makes sense.
    fn sound(&self) -> Result<(), Error> {
        if self.operations.is_empty() {
            return Err(Error::specification(format!(
                "the model `{}` has no operation: add one with `.operation(…)`",
                self.name
            )));
        }
        if self.len.is_empty() {
            let (min, max) = (self.len.start(), self.len.end());
            return Err(Error::specification(format!(
                "a test of the model `{}` cannot have at least {min} and at most {max} commands: change `.len(…)`",
                self.name
            )));
        }
        for (i, operation) in self.operations.iter().enumerate() {
            if self.operations[..i].iter().any(|other| other.name() == operation.name()) {
                return Err(Error::specification(format!(
                    "the model `{}` has two operations called `{}`: give each its own name",
                    self.name,
                    operation.name()
                )));
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn check_invariants(&self, state: &S, real: &mut R) -> Option<Box<Failure>> {
        if let Some(failure) = self.check_laws(state) {
            return Some(failure);
        }
        for Invariant { name, holds } in &self.invariants {
            if let Some(failure) = holds(state, real) {
                return Some(violated("invariant", name, state, &failure));
            }
        }
        None
    }
}

/// An invariant or a law does not hold.
#[cold]
fn violated(what: &str, name: &str, state: &dyn Debug, failure: &Failure) -> Box<Failure> {
    let more = if failure.message.is_empty() { String::new() } else { format!(": {}", failure.message) };
    let message = format!("the {what} `{name}` does not hold in state {}{more}", shown(state));
    Box::new(Failure::new("", message).with_signature(&format!("{what} {name}")))
}

/// What every proof about a real thing takes for granted.
fn assumptions() -> Vec<String> {
    vec!["a deterministic implementation".into(), "that every test begins anew".into()]
}
