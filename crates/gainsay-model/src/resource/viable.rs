//! The states that a resource may be in, by what was seen of it.

use super::{Policy, Resource};
use crate::explain::{Explained, Frontier, Limits, Theory};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display};
use std::sync::Arc;

/// A call, by its number: the first one is 0.
pub type CallId = u32;

/// What was seen in a phase: some calls were made together, some of all that are open have returned, and then nothing moved any more.
#[derive(Debug, Clone)]
pub struct Phase<R: Resource> {
    /// The calls that were made, in an order that nobody knows. They get the next numbers.
    pub called: Vec<R::Call>,
    /// Which calls returned, and what.
    pub returned: Vec<(CallId, R::Value)>,
    /// Whether it is known that all others wait, and not only that they have not returned yet.
    pub is_quiescent: bool,
}

/// What a resource did not do as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Clause {
    /// A call waits although it must run.
    Progress,
    /// A call returned something else than it may.
    Post,
    /// A call ran although the policy has others first.
    Scheduling,
    /// A call ran although the state did not allow it.
    Cpre,
    /// A call waits while too many others that came later went past it.
    Overtaken,
    /// The invariant holds in none of the states that are possible.
    Invariant,
    /// A call returned that nobody has made, or that had returned before.
    NoCause,
    /// A call panicked or threw.
    Exception,
    /// The thread or the process of a call is gone.
    DeadWorker,
    /// A call that makes no sense (PRE) was not refused as it should.
    Pre,
    /// A new one could not be made.
    Constructor,
    /// So much is possible that it cannot be said which one.
    Unknown,
}

impl Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Clause::Progress => "progress: a call waits although it must run",
            Clause::Post => "POST: a call returned something else than it may",
            Clause::Scheduling => "scheduling: a call ran although others come first",
            Clause::Cpre => "CPRE: a call ran although the state did not allow it",
            Clause::Overtaken => "overtaken: a call waits while too many that came later went past it",
            Clause::Invariant => "INVARIANT: it holds in no state that is possible",
            Clause::NoCause => "a call returned that is not open",
            Clause::Exception => "exception: a call panicked or threw",
            Clause::DeadWorker => "dead worker: the thread or the process of a call is gone",
            Clause::Pre => "PRE: a call that makes no sense was not refused as it should",
            Clause::Constructor => "constructor: a new one could not be made",
            Clause::Unknown => "something: too much is possible to say which clause",
        })
    }
}

/// What was seen cannot be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction<S> {
    /// What the resource did not do as it should.
    pub clause: Clause,
    /// The states that were possible before the phase, and why each is not any more.
    pub before: Vec<(S, String)>,
}

impl<S: Debug> Display for Contradiction<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.clause, f)?;
        self.before.iter().try_for_each(|(state, why)| write!(f, "\n  in state {state:?}: {why}"))
    }
}

/// The judge of a resource: all that may be the case after the phases seen so far.
///
/// ```
/// use gainsay_model::resource::{Clause, Phase, Policy, Resource, Viable};
///
/// /// A flag that one may hold.
/// struct Lock;
///
/// impl Resource for Lock {
///     type State = bool;
///     type Call = bool;
///     type Value = ();
///     fn start(&self) -> bool { false }
///     fn cpre(&self, held: &bool, wanted: &bool) -> bool { held != wanted }
///     fn post(&self, _: &bool, wanted: &bool) -> Vec<(bool, ())> { vec![(*wanted, ())] }
/// }
///
/// let policy = Policy::any();
/// let mut viable = Viable::new(&Lock, &policy);
/// // Two want it at once, and one gets it.
/// viable.see(Phase { called: vec![true, true], returned: vec![(1, ())], is_quiescent: true }).unwrap();
/// let both = viable.see(Phase { called: vec![], returned: vec![(0, ())], is_quiescent: true });
/// assert_eq!(both.unwrap_err().clause, Clause::Cpre);
/// ```
pub struct Viable<'a, R: Resource> {
    resource: &'a R,
    show: Box<dyn Fn(&R::Call) -> String + 'a>,
    policy: &'a Policy<R>,
    frontier: Frontier<Phases<'a, R>>,
    /// Which calls are open.
    open: Vec<CallId>,
    calls: Vec<R::Call>,
    limits: Limits,
    too_many: bool,
    /// What was possible when that was known for the last time, and the phases since then.
    known: Vec<ConfigOf<R>>,
    since: Vec<[EventOf<R>; 2]>,
}

impl<R: Resource> Debug for Viable<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Viable")
            .field("policy", &self.policy)
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

impl<'a, R: Resource> Viable<'a, R> {
    /// How calls are shown.
    #[must_use]
    pub fn show(mut self, call: impl Fn(&R::Call) -> String + 'a) -> Viable<'a, R> {
        self.show = Box::new(call);
        self
    }

    /// Before the first phase.
    pub fn new(resource: &'a R, policy: &'a Policy<R>) -> Viable<'a, R> {
        let limits = Limits { dead_max: 1000, frontier_max: 200_000, configs_max: 1_000_000 };
        let start = Config {
            state: resource.start(),
            waiting: Vec::new(),
            arriving: Vec::new(),
            ran: Vec::new(),
            unseen: Vec::new(),
        };
        let theory =
            Phases { resource, policy, calls: RefCell::default(), relaxed: Cell::new(Relaxed::Nothing) };
        let frontier = Frontier::new(theory, [start.clone()], limits);
        Viable {
            resource,
            show: Box::new(|call| format!("{call:?}")),
            policy,
            frontier,
            open: Vec::new(),
            calls: Vec::new(),
            limits,
            too_many: false,
            known: vec![start],
            since: Vec::new(),
        }
    }

    /// The states that are possible; `None` if there were too many to keep.
    pub fn states(&self) -> Option<impl Iterator<Item = &R::State>> {
        Some(self.frontier.configs()?.map(|config| &config.state))
    }

    /// The calls that have not returned, with their numbers.
    pub fn open(&self) -> impl Iterator<Item = (CallId, &R::Call)> {
        self.open.iter().map(|&id| (id, &self.calls[id as usize]))
    }

    /// Whether so much was possible that nothing is known any more.
    pub fn has_given_up(&self) -> bool {
        self.too_many
    }

    /// Takes account of a phase without asking why calls wait: see [`Viable::see`].
    ///
    /// # Errors
    /// If nothing explains it.
    pub fn see_safety(&mut self, phase: Phase<R>) -> Result<(), Contradiction<R::State>> {
        self.frontier.theory().relaxed.set(Relaxed::Progress);
        let seen = self.see(phase);
        self.frontier.theory().relaxed.set(Relaxed::Nothing);
        seen
    }

    /// Takes account of a phase.
    ///
    /// # Errors
    /// If nothing explains it. After that, the judge knows nothing any more.
    pub fn see(&mut self, phase: Phase<R>) -> Result<(), Contradiction<R::State>> {
        let first = self.calls.len() as CallId;
        let called: Vec<CallId> = (first..first + phase.called.len() as CallId).collect();
        self.calls.extend(phase.called);
        self.open.extend(&called);
        let mut returned = BTreeMap::new();
        for (id, value) in phase.returned {
            let Some(place) = self.open.iter().position(|open| *open == id) else {
                return Err(Contradiction { clause: Clause::NoCause, before: Vec::new() });
            };
            self.open.remove(place);
            returned.insert(id, value);
        }
        let events = [
            Event::Arrive(Arc::new(called)),
            Event::Settle(Arc::new(Settled { returned, is_quiescent: phase.is_quiescent })),
        ];
        if let Some(configs) = self.frontier.configs() {
            self.known = configs.cloned().collect();
            self.since.clear();
        }
        self.since.push(events.clone());
        self.frontier.theory().calls.borrow_mut().clone_from(&self.calls);
        let [arrive, settle] = events;
        let explained = match self.frontier.observe(arrive) {
            Explained::Yes(_) => self.frontier.observe(settle),
            other => other,
        };
        match explained {
            Explained::Yes(_) => self.invariant(),
            Explained::GaveUp { .. } => {
                self.too_many = true;
                Ok(())
            }
            Explained::No { dead, .. } => {
                let clause = self.clause();
                // Whoever came farthest says most.
                let mut dead: Vec<_> = dead.iter().map(|dead| (dead.config.ran.len(), dead)).collect();
                dead.sort_by_key(|(ran, _)| std::cmp::Reverse(*ran));
                let mut before: Vec<(R::State, String)> = Vec::new();
                for (_, dead) in dead {
                    let told = (dead.config.state.clone(), self.why(&dead.why));
                    if before.len() < SHOWN_MAX && !before.contains(&told) {
                        before.push(told);
                    }
                }
                Err(Contradiction { clause, before })
            }
        }
    }

    /// The invariant is broken if it holds nowhere.
    fn invariant(&self) -> Result<(), Contradiction<R::State>> {
        let Some(mut configs) = self.frontier.configs() else { return Ok(()) };
        if configs.clone().next().is_none() || configs.any(|config| self.resource.invariant(&config.state)) {
            return Ok(());
        }
        let states = self.frontier.configs().into_iter().flatten();
        let before =
            states.map(|config| (config.state.clone(), "the invariant does not hold".into())).collect();
        Err(Contradiction { clause: Clause::Invariant, before })
    }

    fn why(&self, why: &Why) -> String {
        let shown = |id: &CallId| (self.show)(&self.calls[*id as usize]);
        match why {
            Why::CannotRun(ids) => {
                let calls: Vec<String> = ids.iter().map(shown).collect();
                format!("{} cannot have returned so", calls.join(", "))
            }
            Why::MustRun(id) => format!("{} must run", shown(id)),
        }
    }

    /// Which clause was broken: the first without which the phase can be explained.
    fn clause(&self) -> Clause {
        let Some((last, others)) = self.since.split_last() else { return Clause::NoCause };
        let relaxed = [
            (Relaxed::Progress, Clause::Progress),
            (Relaxed::Values, Clause::Post),
            (Relaxed::Policy, Clause::Scheduling),
        ];
        for (relaxed, clause) in relaxed {
            let (calls, asks) = (RefCell::new(self.calls.clone()), Cell::new(Relaxed::Nothing));
            let theory = Phases { resource: self.resource, policy: self.policy, calls, relaxed: asks };
            let mut frontier = Frontier::new(theory, self.known.iter().cloned(), self.limits);
            for event in others.iter().flatten() {
                frontier.observe(event.clone());
            }
            frontier.theory().relaxed.set(relaxed);
            let explained: Vec<_> = last.iter().map(|event| frontier.observe(event.clone())).collect();
            if explained.iter().any(|explained| matches!(explained, Explained::GaveUp { .. })) {
                return Clause::Unknown;
            }
            if explained.iter().all(|explained| matches!(explained, Explained::Yes(_))) {
                return clause;
            }
        }
        Clause::Cpre
    }
}

/// So many states are shown with the reason why they are not possible any more.
const SHOWN_MAX: usize = 8;

/// What is not asked for, to find out what was broken: each one, and all before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Relaxed {
    Nothing,
    Progress,
    Values,
    Policy,
}

/// What may be the case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Config<S, V> {
    state: S,
    /// The calls that wait, the oldest first.
    waiting: Vec<CallId>,
    /// Calls of this phase that have not come yet, and those that have run in it, in order of their numbers.
    arriving: Vec<CallId>,
    ran: Vec<CallId>,
    /// Calls that have run, and what they return, although that was not seen before a limit was met.
    unseen: Vec<(CallId, V)>,
}

#[derive(Debug, Clone)]
enum Event<V> {
    /// These calls come.
    Arrive(Arc<Vec<CallId>>),
    Settle(Arc<Settled<V>>),
}

#[derive(Debug)]
struct Settled<V> {
    returned: BTreeMap<CallId, V>,
    is_quiescent: bool,
}

#[derive(Debug, Clone)]
enum Why {
    /// Calls that returned have not run.
    CannotRun(Vec<CallId>),
    /// A call that waits must run.
    MustRun(CallId),
}

type ConfigOf<R> = Config<<R as Resource>::State, <R as Resource>::Value>;
type EventOf<R> = Event<<R as Resource>::Value>;

/// The theory of a resource.
struct Phases<'a, R: Resource> {
    resource: &'a R,
    policy: &'a Policy<R>,
    calls: RefCell<Vec<R::Call>>,
    relaxed: Cell<Relaxed>,
}

impl<R: Resource> Debug for Phases<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Phases").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl<R: Resource> Phases<'_, R> {
    /// Whether the call in a place of the queue may run: CPRE and ENABLED.
    fn may_run(&self, config: &ConfigOf<R>, place: usize) -> bool {
        let calls = self.calls.borrow();
        if !self.resource.cpre(&config.state, &calls[config.waiting[place] as usize]) {
            return false;
        }
        // (Without a look at the others, they need not be gathered.)
        if self.relaxed.get() >= Relaxed::Policy || self.policy.is_blind() {
            return true;
        }
        let queue: Vec<&R::Call> = config.waiting.iter().map(|id| &calls[*id as usize]).collect();
        self.policy.enables(self.resource, &config.state, &queue, place)
    }
}

impl<R: Resource> Phases<'_, R> {
    /// Adds what comes of it if the call in a place of the queue runs, if it may and has returned what it can.
    fn run(
        &self,
        config: &ConfigOf<R>,
        place: usize,
        settled: &Settled<R::Value>,
        steps: &mut Vec<(CallId, ConfigOf<R>)>,
    ) {
        let id = config.waiting[place];
        let value = settled.returned.get(&id);
        // After a limit was met, nothing follows from what was not seen.
        if value.is_none() && settled.is_quiescent || !self.may_run(config, place) {
            return;
        }
        let post = self.resource.post(&config.state, &self.calls.borrow()[id as usize]);
        for (state, returned) in post {
            if value.is_some_and(|value| returned != *value) && self.relaxed.get() < Relaxed::Values {
                continue;
            }
            let mut after = Config {
                state,
                waiting: config.waiting.clone(),
                arriving: config.arriving.clone(),
                ran: Vec::with_capacity(config.ran.len() + 1),
                unseen: config.unseen.clone(),
            };
            after.waiting.remove(place);
            if value.is_none() {
                let at = after.unseen.partition_point(|(other, _)| *other < id);
                after.unseen.insert(at, (id, returned));
            }
            let at = config.ran.partition_point(|other| *other < id);
            after.ran.extend(&config.ran[..at]);
            after.ran.push(id);
            after.ran.extend(&config.ran[at..]);
            steps.push((id, after));
        }
    }
}

impl<R: Resource> Theory for Phases<'_, R> {
    type Config = ConfigOf<R>;
    type Event = EventOf<R>;
    type Step = CallId;
    type Why = Why;

    const POSTPONES: bool = false;

    fn steps(&self, config: &ConfigOf<R>, ahead: &EventOf<R>, steps: &mut Vec<(CallId, ConfigOf<R>)>) {
        let Event::Settle(settled) = ahead else { return };
        // (After a limit was met, the oldest may have run or not.)
        let is_total = self.policy.is_total() && settled.is_quiescent;
        let mark = steps.len();
        for place in 0..config.waiting.len() {
            self.run(config, place, settled, steps);
        }
        if is_total && steps.len() > mark {
            // Who comes meanwhile makes no difference to the only one who may run.
            return;
        }
        for (place, &id) in config.arriving.iter().enumerate() {
            let mut after = config.clone();
            after.arriving.remove(place);
            after.waiting.push(id);
            if !self.policy.is_by_age() {
                after.waiting.sort_unstable();
            }
            let mark = steps.len();
            if is_total && after.waiting.len() == 1 {
                // He need not wait, and a step is saved.
                self.run(&after, 0, settled, steps);
            }
            if steps.len() == mark {
                steps.push((id, after));
            }
        }
    }

    fn after(
        &self,
        mut config: ConfigOf<R>,
        event: &EventOf<R>,
        next: &mut Vec<ConfigOf<R>>,
    ) -> Result<(), (Why, ConfigOf<R>)> {
        match event {
            Event::Arrive(called) if self.policy.is_blind() => {
                // Nobody looks at who else waits: they may as well come at once.
                config.waiting.extend(called.iter());
            }
            Event::Arrive(called) => config.arriving = called.to_vec(),
            Event::Settle(settled) => {
                let agrees = |(id, value): &(&CallId, &R::Value)| {
                    let before = config.unseen.iter().find(|(unseen, _)| unseen == *id);
                    match before {
                        Some((_, said)) => said == *value || self.relaxed.get() >= Relaxed::Values,
                        None => config.ran.binary_search(id).is_ok(),
                    }
                };
                let missing: Vec<CallId> =
                    settled.returned.iter().filter(|call| !agrees(call)).map(|(id, _)| *id).collect();
                if !missing.is_empty() || !config.arriving.is_empty() {
                    return Err((Why::CannotRun(missing), config));
                }
                let asks = settled.is_quiescent && self.relaxed.get() < Relaxed::Progress;
                let must = (0..config.waiting.len()).find(|place| asks && self.may_run(&config, *place));
                if let Some(place) = must {
                    return Err((Why::MustRun(config.waiting[place]), config));
                }
                config.ran.clear();
                config.unseen.retain(|(id, _)| !settled.returned.contains_key(id));
                // Who has run returns, or it would still move.
                if asks && let Some((id, _)) = config.unseen.first() {
                    return Err((Why::MustRun(*id), config));
                }
            }
        }
        next.push(config);
        Ok(())
    }
}
