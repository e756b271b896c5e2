//! Linearizability as a theory: a call takes effect unseen, before its return is seen.

use super::slots::Slots;
use super::{History, Judgement, Reason, Sequential, Unexplained};
use crate::explain::{Explained, ExplainedBy, Theory};

/// The theory of one history.
pub(super) struct Linear<'a, S: Sequential> {
    specification: &'a S,
    history: &'a History<S::Call, S::Return>,
    /// The place of each operation in [`Config::done`] while it is open.
    slots: Vec<u32>,
    events: Vec<Return>,
}

/// An operation returns. (Calls change nothing: what is open then is listed with the returns.)
#[derive(Debug, Clone)]
pub(super) struct Return {
    operation: u32,
    /// The operations that are open, this one included, those that return soonest first.
    open: Box<[u32]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Config<T> {
    /// Open operations that have taken effect.
    done: Slots,
    pub(super) state: T,
}

impl<'a, S: Sequential> Linear<'a, S> {
    pub(super) fn new(specification: &'a S, history: &'a History<S::Call, S::Return>) -> Self {
        let operations = history.operations();
        // What happens when: at equal times calls come first, so that they overlap what returns.
        let mut moments: Vec<(u64, bool, usize)> = Vec::new();
        for (number, operation) in operations.iter().enumerate() {
            if !matches!(operation.outcome, super::Outcome::Failed) {
                moments.push((operation.called, false, number));
                moments.extend(operation.end().map(|at| (at, true, number)));
            }
        }
        moments.sort_unstable();
        let mut slots = vec![0; operations.len()];
        let (mut free, mut used) = (Vec::new(), 0);
        let (mut open, mut events) = (Vec::<usize>::new(), Vec::new());
        for (_, returns, number) in moments {
            if !returns {
                slots[number] = free.pop().unwrap_or_else(|| {
                    used += 1;
                    used - 1
                });
                let end = |number: usize| operations[number].end().unwrap_or(u64::MAX);
                let place = open.partition_point(|&other| end(other) <= end(number));
                open.insert(place, number);
                continue;
            }
            events.push(Return {
                operation: number as u32,
                open: open.iter().map(|&number| number as u32).collect(),
            });
            free.push(slots[number]);
            open.retain(|&other| other != number);
        }
        Linear { specification, history, slots, events }
    }

    pub(super) fn start(&self) -> [Config<S::State>; 1] {
        [Config { done: Slots::default(), state: self.specification.start() }]
    }

    pub(super) fn events(&self) -> &[Return] {
        &self.events
    }

    pub(super) fn judgement(&self, explained: ExplainedBy<Self>) -> Judgement {
        let order = |steps: &[(usize, Vec<u32>)]| -> Vec<usize> {
            steps.iter().flat_map(|(_, taken)| taken).map(|&number| number as usize).collect()
        };
        match explained {
            Explained::Yes(steps) => Judgement::Explained { order: order(&steps) },
            Explained::GaveUp { configs } => Judgement::GaveUp { configs },
            Explained::No { event, dead } => {
                let number = self.events[event].operation as usize;
                let operation = &self.history.operations()[number];
                let reasons = dead
                    .iter()
                    .map(|dead| Reason {
                        order: order(&dead.steps),
                        state: format!("{:?}", dead.config.state),
                        why: self.why(&dead.config.state, number),
                    })
                    .collect();
                Judgement::Unexplained(Unexplained {
                    operation: Some(number),
                    ended: event + 1,
                    shown: shown(&operation.call, operation.returned()),
                    reasons,
                })
            }
        }
    }

    fn why(&self, state: &S::State, number: usize) -> String {
        let operation = &self.history.operations()[number];
        let possible =
            |returned| self.specification.step(state, &operation.call, returned).into_iter().next().is_some();
        match operation.returned() {
            _ if !possible(None) => format!("{:?} is not possible", operation.call),
            Some(value) if !possible(Some(value)) => format!("it would not have returned {value:?}"),
            _ => "what follows from it fails".into(),
        }
    }
}

/// An operation as people read it.
pub(super) fn shown<C: std::fmt::Debug, R: std::fmt::Debug>(call: &C, returned: Option<&R>) -> String {
    match returned {
        Some(value) => format!("{call:?} → {value:?}"),
        None => format!("{call:?}"),
    }
}

impl<S: Sequential> Theory for Linear<'_, S> {
    type Config = Config<S::State>;
    type Event = Return;
    /// Operations that took effect at once, in order.
    type Step = Vec<u32>;
    type Why = ();

    // An operation that can take effect before another one returns can also do so after.
    const POSTPONES: bool = true;

    fn steps(&self, config: &Self::Config, ahead: &Return, steps: &mut Vec<(Self::Step, Self::Config)>) {
        let operations = self.history.operations();
        let Config { done, state } = config;
        let mut done = done.clone();
        let mut idle = Vec::new();
        let before = steps.len();
        for &number in &ahead.open {
            let (operation, slot) = (&operations[number as usize], self.slots[number as usize]);
            if done.contains(slot) {
                continue;
            }
            let mut next = self.specification.step(state, &operation.call, operation.returned()).into_iter();
            let Some(first) = next.next() else { continue };
            let only = next.next();
            if only.is_none() && first == *state {
                // It changes nothing, so that it may as well take effect now; if it never returns, it need not at all.
                if operation.end().is_some() {
                    done.insert(slot);
                    idle.push(number);
                    if number == ahead.operation {
                        break;
                    }
                }
                continue;
            }
            for state in [Some(first), only].into_iter().flatten().chain(next) {
                steps.push((vec![number], Config { done: Slots::default(), state }));
            }
        }
        if done.contains(self.slots[ahead.operation as usize]) {
            steps.truncate(before);
            steps.push((idle, Config { done, state: state.clone() }));
            return;
        }
        // What changes nothing takes effect first.
        for (taken, config) in &mut steps[before..] {
            let number = taken[0];
            config.done = done.clone();
            config.done.insert(self.slots[number as usize]);
            taken.splice(0..0, idle.iter().copied());
        }
        // What is to be explained is tried first.
        if let Some(place) =
            steps[before..].iter().position(|(taken, _)| taken.last() == Some(&ahead.operation))
        {
            steps[before..=before + place].rotate_right(1);
        }
    }

    fn after(
        &self,
        mut config: Self::Config,
        event: &Return,
        next: &mut Vec<Self::Config>,
    ) -> Result<(), ((), Self::Config)> {
        let slot = self.slots[event.operation as usize];
        if !config.done.contains(slot) {
            return Err(((), config));
        }
        config.done.remove(slot);
        next.push(config);
        Ok(())
    }
}
