//! When random walks have gone far enough, and what they have met on the way.

use super::{Machine, Transition};
use gainsay_core::{Error, plural};
use rustc_hash::FxHashSet;
use std::fmt::{self, Debug, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// When random walks have gone far enough: see [`Conformance::report_until`](super::Conformance::report_until).
pub struct Goal<S> {
    kind: Kind<S>,
}

enum Kind<S> {
    Transitions(f64),
    States(f64),
    Reached(String, Box<dyn Fn(&S) -> bool>),
    Requirement(String),
    Time(Duration),
    Inputs(u64),
    And(Box<Goal<S>>, Box<Goal<S>>),
    Or(Box<Goal<S>>, Box<Goal<S>>),
}

impl<S> Goal<S> {
    /// So many percent of the transitions of the specification were taken.
    pub fn transitions(percent: f64) -> Goal<S> {
        Goal { kind: Kind::Transitions(percent) }
    }

    /// So many percent of the states of the specification were reached.
    pub fn states(percent: f64) -> Goal<S> {
        Goal { kind: Kind::States(percent) }
    }

    /// A state like that was reached; `name` is for people.
    pub fn reached(name: impl Into<String>, is_it: impl Fn(&S) -> bool + 'static) -> Goal<S> {
        Goal { kind: Kind::Reached(name.into(), Box::new(is_it)) }
    }

    /// A [requirement](super::Conformance::requirement) was met.
    pub fn requirement(name: impl Into<String>) -> Goal<S> {
        Goal { kind: Kind::Requirement(name.into()) }
    }

    /// So much time has passed.
    pub fn time(time: Duration) -> Goal<S> {
        Goal { kind: Kind::Time(time) }
    }

    /// So many inputs were given in all.
    pub fn inputs(inputs: u64) -> Goal<S> {
        Goal { kind: Kind::Inputs(inputs) }
    }

    /// This and another.
    #[must_use]
    pub fn and(self, other: Goal<S>) -> Goal<S> {
        Goal { kind: Kind::And(Box::new(self), Box::new(other)) }
    }

    /// This or another.
    #[must_use]
    pub fn or(self, other: Goal<S>) -> Goal<S> {
        Goal { kind: Kind::Or(Box::new(self), Box::new(other)) }
    }

    /// Looks whether it can be reached at all.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &self.kind {
            Kind::Transitions(percent) | Kind::States(percent) if !(0.0..=100.0).contains(percent) => {
                Err(Error::specification(format!("no walk reaches {self}: say a number from 0 to 100")))
            }
            Kind::And(one, two) | Kind::Or(one, two) => one.check().and_then(|()| two.check()),
            _ => Ok(()),
        }
    }

    /// Whether it speaks of a share of what there is.
    pub(super) fn is_share(&self) -> bool {
        match &self.kind {
            Kind::Transitions(_) | Kind::States(_) => true,
            Kind::And(one, two) | Kind::Or(one, two) => one.is_share() || two.is_share(),
            _ => false,
        }
    }

    /// The time that it may take, and a little more.
    pub(super) fn time_min(&self) -> Duration {
        match &self.kind {
            Kind::Time(time) => *time + Duration::from_secs(1),
            Kind::And(one, two) | Kind::Or(one, two) => one.time_min().max(two.time_min()),
            _ => Duration::ZERO,
        }
    }

    /// The requirements that it speaks of.
    pub(super) fn requirements<'a>(&'a self, names: &mut Vec<&'a str>) {
        match &self.kind {
            Kind::Requirement(name) => names.push(name),
            Kind::And(one, two) | Kind::Or(one, two) => {
                one.requirements(names);
                two.requirements(names);
            }
            _ => {}
        }
    }
}

impl<S> Display for Goal<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Transitions(percent) => write!(f, "{percent} % of the transitions"),
            Kind::States(percent) => write!(f, "{percent} % of the states"),
            Kind::Reached(name, _) => write!(f, "the state {name}"),
            Kind::Requirement(name) => write!(f, "the requirement {name}"),
            Kind::Time(time) => write!(f, "{:.1} s", time.as_secs_f64()),
            Kind::Inputs(inputs) => f.write_str(&plural(*inputs, "input")),
            Kind::And(one, two) => write!(f, "({one} and {two})"),
            Kind::Or(one, two) => write!(f, "({one} or {two})"),
        }
    }
}

impl<S> Debug for Goal<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Goal({self})")
    }
}

/// Whether a transition meets a requirement.
type Meets<M> =
    dyn Fn(&Transition<<M as Machine>::State, <M as Machine>::Input, <M as Machine>::Output>) -> bool;

/// Something that is required of a system, and how many transitions have met it.
pub(super) struct Requirement<M: Machine> {
    pub(super) name: String,
    pub(super) meets: Box<Meets<M>>,
    pub(super) count: u64,
}

/// What walks have met, as far as somebody wants to know.
pub(super) struct Met<M: Machine> {
    goal: Option<Goal<M::State>>,
    pub(super) requirements: Vec<Requirement<M>>,
    transitions: FxHashSet<(M::State, M::Input)>,
    states: FxHashSet<M::State>,
    inputs: u64,
    begun: Instant,
    /// The number of states and transitions there are, if that is known.
    all: Option<(usize, usize)>,
    enough: Arc<AtomicBool>,
    /// Nobody wants to know any more.
    is_over: bool,
}

impl<M: Machine> Met<M> {
    pub(super) fn new() -> Met<M> {
        Met {
            goal: None,
            requirements: Vec::new(),
            transitions: FxHashSet::default(),
            states: FxHashSet::default(),
            inputs: 0,
            begun: Instant::now(),
            all: None,
            enough: Arc::default(),
            is_over: false,
        }
    }

    /// Begins anew; says when it is enough.
    pub(super) fn begin(
        &mut self,
        goal: Option<Goal<M::State>>,
        all: Option<(usize, usize)>,
        start: M::State,
    ) -> Arc<AtomicBool> {
        let requirements = std::mem::take(&mut self.requirements);
        *self = Met { goal, all, requirements, ..Met::new() };
        self.requirements.iter_mut().for_each(|requirement| requirement.count = 0);
        self.states.insert(start);
        Arc::clone(&self.enough)
    }

    /// Whether anybody wants to know.
    #[inline]
    pub(super) fn is_asked(&self) -> bool {
        !self.is_over && (self.goal.is_some() || !self.requirements.is_empty())
    }

    /// Takes account of a transition.
    pub(super) fn see(&mut self, transition: Transition<M::State, M::Input, M::Output>) {
        for requirement in &mut self.requirements {
            requirement.count += u64::from((requirement.meets)(&transition));
        }
        self.inputs += 1;
        if self.goal.is_some() {
            let Transition { from, input, to, .. } = transition;
            self.transitions.insert((from, input));
            self.states.insert(to);
            self.look();
        }
    }

    /// An input was given, and it is not known where it has led.
    pub(super) fn see_input(&mut self) {
        self.inputs += 1;
        self.look();
    }

    /// Nobody wants to know any more.
    pub(super) fn stop(&mut self) {
        self.goal = None;
        self.is_over = true;
        self.enough.store(false, Relaxed);
    }

    fn look(&mut self) {
        if self.goal.as_ref().is_some_and(|goal| self.is_met(goal)) {
            self.enough.store(true, Relaxed);
        }
    }

    fn is_met(&self, goal: &Goal<M::State>) -> bool {
        let share = |part: usize, all: usize, percent: f64| part as f64 * 100.0 >= percent * all as f64;
        match (&goal.kind, self.all) {
            (Kind::Transitions(percent), Some((_, all))) => share(self.transitions.len(), all, *percent),
            (Kind::States(percent), Some((all, _))) => share(self.states.len(), all, *percent),
            (Kind::Transitions(_) | Kind::States(_), None) => false,
            (Kind::Reached(_, is_it), _) => self.states.iter().any(is_it),
            (Kind::Requirement(name), _) => {
                self.requirements.iter().any(|requirement| requirement.name == *name && requirement.count > 0)
            }
            (Kind::Time(time), _) => self.begun.elapsed() >= *time,
            (Kind::Inputs(inputs), _) => self.inputs >= *inputs,
            (Kind::And(one, two), _) => self.is_met(one) && self.is_met(two),
            (Kind::Or(one, two), _) => self.is_met(one) || self.is_met(two),
        }
    }

    /// What was met, for people; and why that is not enough.
    pub(super) fn told(&self) -> (Vec<String>, Option<String>) {
        let mut told = Vec::new();
        if let Some((states, transitions)) = self.all {
            told.push(format!(
                "{} of {}, {} of {}, {}",
                self.states.len(),
                plural(states as u64, "state"),
                self.transitions.len(),
                plural(transitions as u64, "transition"),
                plural(self.inputs, "input")
            ));
        }
        told.extend(self.requirements.iter().map(|requirement| match requirement.count {
            0 => format!("requirement {}: never met", requirement.name),
            count => format!("requirement {}: met {}", requirement.name, plural(count, "time")),
        }));
        let short = self.goal.as_ref().filter(|goal| !self.is_met(goal));
        let short = short.map(|goal| format!("walks did not get as far as {goal} ({})", told.join("; ")));
        (told, short)
    }
}
