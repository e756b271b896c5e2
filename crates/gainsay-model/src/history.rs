//! Recorded histories of concurrent operations, judged by a sequential specification.
//!
//! ```
//! use gainsay_model::history::{History, Judgement, Sequential, linearizable};
//!
//! struct Register;
//!
//! #[derive(Debug, Clone)]
//! enum Call { Read, Write(u32) }
//!
//! impl Sequential for Register {
//!     type State = u32;
//!     type Call = Call;
//!     type Return = u32;
//!     type Next = Option<u32>;
//!     fn start(&self) -> u32 { 0 }
//!     fn step(&self, state: &u32, call: &Call, returned: Option<&u32>) -> Option<u32> {
//!         match call {
//!             Call::Read => returned.is_none_or(|value| value == state).then_some(*state),
//!             Call::Write(value) => Some(*value),
//!         }
//!     }
//! }
//!
//! let mut history = History::new();
//! let write = history.call(0, Call::Write(1));
//! let read = history.call(1, Call::Read);
//! history.returns(write, 1);
//! history.returns(read, 0);
//! assert!(linearizable(&Register, &history).is_explained()); // the read came first
//!
//! let late = history.call(1, Call::Read);
//! history.returns(late, 0);
//! println!("{}", linearizable(&Register, &history));
//! assert!(!linearizable(&Register, &history).is_explained());
//! ```

mod consistent;
mod keyed;
mod linear;
mod slots;

pub use crate::explain::Limits;
pub use keyed::{linearizable_by_key, linearizable_by_key_on, linearizable_by_key_within};

use crate::explain::{Explained, Frontier, witness};
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display};
use std::hash::Hash;

/// A specification of operations that happen one after the other.
pub trait Sequential {
    /// What there is to know between operations.
    type State: Clone + Eq + Hash + Debug;
    /// An operation and its arguments.
    type Call: Clone + Debug;
    /// What an operation returns.
    type Return: Clone + Debug;

    /// The state at the beginning.
    fn start(&self) -> Self::State;

    /// No state, one, or several: `Option<State>` where there is at most one.
    type Next: IntoIterator<Item = Self::State>;

    /// The states that `call` may lead to if it returned this, none if it cannot have. If it has not returned, or nobody knows what,
    /// `returned` is `None`, and so everything it may return is allowed.
    fn step(&self, state: &Self::State, call: &Self::Call, returned: Option<&Self::Return>) -> Self::Next;
}

/// What happened to an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<R> {
    /// It returned.
    Returned {
        /// When.
        at: u64,
        /// What.
        value: R,
    },
    /// It has taken effect before that time, but nobody knows what it returned.
    Finished {
        /// When.
        at: u64,
    },
    /// It has not happened, and never will.
    Failed,
    /// It has not returned: it may have taken effect, or may yet, or never will.
    Pending,
}

/// An operation of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation<C, R> {
    /// Who called it: operations of one process follow each other.
    pub process: usize,
    /// What was called.
    pub call: C,
    /// When it was called.
    pub called: u64,
    /// What came of it.
    pub outcome: Outcome<R>,
}

/// Operations that overlap in time. What was called at the very time when something else returned overlaps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History<C, R> {
    operations: Vec<Operation<C, R>>,
    now: u64,
}

impl<C, R> Default for History<C, R> {
    fn default() -> Self {
        History { operations: Vec::new(), now: 0 }
    }
}

impl<C, R> FromIterator<Operation<C, R>> for History<C, R> {
    /// # Panics
    /// If an operation ends before it is called.
    fn from_iter<I: IntoIterator<Item = Operation<C, R>>>(operations: I) -> Self {
        let operations: Vec<Operation<C, R>> = operations.into_iter().collect();
        for (number, operation) in operations.iter().enumerate() {
            let (called, end) = (operation.called, operation.end().unwrap_or(u64::MAX));
            assert!(
                end >= called,
                "operation {number} of a history ends at {end}, before it is called at {called}"
            );
        }
        let now = operations.iter().map(|operation| operation.called.max(operation.end().unwrap_or(0))).max();
        History { operations, now: now.unwrap_or(0) }
    }
}

impl<C, R> Operation<C, R> {
    /// When it was over, if it ever was.
    fn end(&self) -> Option<u64> {
        match self.outcome {
            Outcome::Returned { at, .. } | Outcome::Finished { at } => Some(at),
            Outcome::Failed | Outcome::Pending => None,
        }
    }

    fn returned(&self) -> Option<&R> {
        match &self.outcome {
            Outcome::Returned { value, .. } => Some(value),
            _ => None,
        }
    }
}

impl<C, R> History<C, R> {
    /// Nothing has happened.
    pub fn new() -> History<C, R> {
        History::default()
    }

    /// A process calls; the number of the operation.
    pub fn call(&mut self, process: usize, call: C) -> usize {
        self.now += 1;
        self.operations.push(Operation { process, call, called: self.now, outcome: Outcome::Pending });
        self.operations.len() - 1
    }

    /// An operation returns.
    ///
    /// # Panics
    /// If there is no such operation, or it has ended before.
    pub fn returns(&mut self, operation: usize, value: R) {
        let at = self.now + 1;
        self.end(operation, Outcome::Returned { at, value });
    }

    /// An operation turns out not to have happened.
    ///
    /// # Panics
    /// If there is no such operation, or it has ended before.
    pub fn fails(&mut self, operation: usize) {
        self.end(operation, Outcome::Failed);
    }

    fn end(&mut self, operation: usize, outcome: Outcome<R>) {
        self.now += 1;
        let count = self.operations.len();
        let Some(known) = self.operations.get_mut(operation) else {
            panic!("operation {operation} ends, but only {count} were called");
        };
        assert!(matches!(known.outcome, Outcome::Pending), "operation {operation} ends twice");
        known.outcome = outcome;
    }

    /// All operations, by number.
    pub fn operations(&self) -> &[Operation<C, R>] {
        &self.operations
    }

    /// The history until some operation ends, that of event number `event`. What is called later has not happened, and what ends later
    /// may yet.
    fn until(&self, event: usize) -> History<C, R>
    where
        C: Clone,
        R: Clone,
    {
        let mut ends: Vec<(u64, usize)> = self
            .operations
            .iter()
            .enumerate()
            .filter_map(|(number, operation)| Some((operation.end()?, number)))
            .collect();
        ends.sort_unstable();
        let last = ends.get(event).copied().unwrap_or((u64::MAX, usize::MAX));
        let operations = self.operations.iter().enumerate().map(|(number, operation)| {
            let mut operation = operation.clone();
            if operation.called > last.0 {
                operation.outcome = Outcome::Failed;
            } else if operation.end().is_some_and(|end| (end, number) > last) {
                operation.outcome = Outcome::Pending;
            }
            operation
        });
        History { operations: operations.collect(), now: self.now }
    }

    /// The histories of each key. If operations on different keys do not influence each other, a history is linearizable if
    /// and only if each of these is.
    pub fn partition<K: Ord>(&self, key: impl Fn(&C) -> K) -> BTreeMap<K, History<C, R>>
    where
        C: Clone,
        R: Clone,
    {
        let mut parts: BTreeMap<K, Vec<Operation<C, R>>> = BTreeMap::new();
        for operation in &self.operations {
            parts.entry(key(&operation.call)).or_default().push(operation.clone());
        }
        parts.into_iter().map(|(key, operations)| (key, operations.into_iter().collect())).collect()
    }
}

/// Whether a history has an explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Judgement {
    /// It has: the operations took effect in this order.
    Explained {
        /// Numbers of operations.
        order: Vec<usize>,
    },
    /// It has none.
    Unexplained(Unexplained),
    /// The search was ended by a limit: nothing is known.
    GaveUp {
        /// How many configurations were looked at.
        configs: usize,
    },
}

/// Why a history has no explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unexplained {
    /// The operation at whose end no explanation was left; all that ended before can be explained. `None` if only all operations
    /// together cannot.
    pub operation: Option<usize>,
    /// How many operations had ended until then.
    pub ended: usize,
    /// What was shown of it: the operation as it was called and returned.
    pub shown: String,
    /// States in which it might have happened, and why it cannot have.
    pub reasons: Vec<Reason>,
}

/// One way to explain what came before, and why it ends here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The operations that had taken effect, in order.
    pub order: Vec<usize>,
    /// The state they led to.
    pub state: String,
    /// Why the operation cannot have happened then.
    pub why: String,
}

impl Judgement {
    /// Whether there is an explanation.
    pub fn is_explained(&self) -> bool {
        matches!(self, Judgement::Explained { .. })
    }
}

impl Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Judgement::Explained { order } => write!(f, "explained: {} operations in order", order.len()),
            Judgement::GaveUp { configs } => write!(f, "gave up after {configs} configurations"),
            Judgement::Unexplained(unexplained) => Display::fmt(unexplained, f),
        }
    }
}

impl Display for Unexplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no order explains {}, the end of operation number {}", self.shown, self.ended)?;
        for reason in &self.reasons {
            write!(f, "\n  after {:?} in state {}: {}", reason.order, reason.state, reason.why)?;
        }
        Ok(())
    }
}

/// Whether operations can have taken effect one at a time, each between its call and its return.
pub fn linearizable<S: Sequential>(specification: &S, history: &History<S::Call, S::Return>) -> Judgement {
    linearizable_within(specification, history, &Limits::default())
}

/// Like [`linearizable`], with limits.
pub fn linearizable_within<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
    limits: &Limits,
) -> Judgement {
    let theory = linear::Linear::new(specification, history);
    match witness(&theory, theory.start(), theory.events(), limits) {
        Explained::No { event, .. } => shortest(specification, history, event, limits),
        explained => theory.judgement(explained),
    }
}

/// Whether a history is linearizable, without a reason: faster than [`linearizable`] where it is not. `None` if the search was ended by
/// its limit.
pub fn is_linearizable<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
) -> Option<bool> {
    is_linearizable_within(specification, history, &Limits::default())
}

/// Like [`is_linearizable`], with limits.
pub fn is_linearizable_within<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
    limits: &Limits,
) -> Option<bool> {
    let theory = linear::Linear::new(specification, history);
    match witness(&theory, theory.start(), theory.events(), limits) {
        Explained::Yes(_) => Some(true),
        Explained::No { .. } => Some(false),
        Explained::GaveUp { .. } => None,
    }
}

/// The shortest beginning of a history that nothing explains. It is not known there what returns later, so that it may be longer than
/// what cannot be explained with that knowledge, which ends with event number `at_least`.
fn shortest<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
    at_least: usize,
    limits: &Limits,
) -> Judgement {
    let whole = usize::MAX;
    let judged = |event: usize| {
        let beginning = history.until(event);
        let theory = linear::Linear::new(specification, &beginning);
        match witness(&theory, theory.start(), theory.events(), limits) {
            Explained::Yes(_) => None,
            explained => Some(theory.judgement(explained)),
        }
    };
    let events = history.operations.iter().filter(|operation| operation.end().is_some()).count();
    // Nearly always it is the first one.
    let (mut low, mut high, mut step) = (at_least, at_least, 1);
    let mut found = judged(high);
    while found.is_none() && high + 1 < events {
        low = high + 1;
        high = (high + step).min(events - 1);
        step *= 2;
        found = judged(high);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match judged(middle) {
            Some(shorter) => (high, found) = (middle, Some(shorter)),
            None => low = middle + 1,
        }
    }
    match found {
        Some(judgement @ Judgement::Unexplained(_)) => judgement,
        // A shorter one was too much to search: nothing explains the whole, which is known.
        _ => judged(whole).unwrap_or_else(|| unreachable!("the whole history has no explanation")),
    }
}

/// The states in which a linearizable history may have ended; `None` if there are too many ways to keep count.
pub(crate) fn final_states<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
) -> Option<Vec<S::State>> {
    let theory = linear::Linear::new(specification, history);
    let (start, events) = (theory.start(), theory.events().to_vec());
    let mut frontier = Frontier::new(theory, start, Limits::default());
    for event in events {
        frontier.observe(event);
    }
    Some(frontier.configs()?.map(|config| config.state.clone()).collect())
}

/// The states in which a sequentially consistent history may have ended; `None` if there are too many ways to keep count.
pub(crate) fn final_states_in_any_order<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
) -> Option<Vec<S::State>> {
    let theory = consistent::Consistent::new(specification, history);
    let start = theory.start();
    let mut frontier = Frontier::new(theory, start, Limits::default());
    frontier.observe(consistent::Over);
    Some(frontier.configs()?.map(|config| config.state.clone()).collect())
}

/// Whether operations can have taken effect one at a time in an order that every process agrees with, whatever the clock says.
pub fn sequentially_consistent<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
) -> Judgement {
    sequentially_consistent_within(specification, history, &Limits::default())
}

/// Like [`sequentially_consistent`], with limits.
pub fn sequentially_consistent_within<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
    limits: &Limits,
) -> Judgement {
    let theory = consistent::Consistent::new(specification, history);
    let explained = witness(&theory, theory.start(), consistent::EVENTS, limits);
    theory.judgement(explained)
}
