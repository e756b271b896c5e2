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
    /// Operations that are open at the returns, those that return soonest first.
    open: Vec<u32>,
    /// The places of operations that never return. Having taken effect is no use to them: they may yet, unless they have.
    pending: u64,
}

/// An operation returns. (Calls change nothing: what is open then is listed with the returns.)
#[derive(Debug, Clone)]
pub(super) struct Return {
    operation: u32,
    /// Where the operations are listed that are open besides.
    open: (u32, u32),
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
        let (mut open, mut events, mut listed) = (Vec::<usize>::new(), Vec::new(), Vec::new());
        for (_, returns, number) in moments {
            if !returns {
                // What never returns has a place of its own from the start.
                let again = if operations[number].end().is_some() { free.pop() } else { None };
                slots[number] = again.unwrap_or_else(|| {
                    used += 1;
                    used - 1
                });
                let end = |number: usize| operations[number].end().unwrap_or(u64::MAX);
                let place = open.partition_point(|&other| end(other) <= end(number));
                open.insert(place, number);
                continue;
            }
            open.retain(|&other| other != number);
            let start = listed.len() as u32;
            listed.extend(open.iter().map(|&number| number as u32));
            events.push(Return { operation: number as u32, open: (start, listed.len() as u32) });
            free.push(slots[number]);
        }
        let pending = open.iter().map(|&number| slots[number]).filter(|slot| *slot < 64);
        let pending = pending.fold(0, |bits, slot| bits | 1 << slot);
        Linear { specification, history, slots, events, open: listed, pending }
    }

    pub(super) fn start(&self) -> [Config<S::State>; 1] {
        [Config { done: Slots::default(), state: self.specification.start() }]
    }

    pub(super) fn events(&self) -> &[Return] {
        &self.events
    }

    pub(super) fn judgement(&self, explained: ExplainedBy<Self>) -> Judgement {
        let order = |steps: &[(usize, u32)]| steps.iter().map(|&(_, number)| number as usize).collect();
        match explained {
            Explained::Yes(steps) => Judgement::Explained { order: order(&steps) },
            Explained::GaveUp { configs } => Judgement::GaveUp { configs },
            Explained::No { dead, .. } => {
                // The history is the shortest beginning: its last event is to blame.
                let event = self.events.len() - 1;
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

    /// A state that an operation leads to.
    fn first_after(&self, state: &S::State, number: u32) -> Option<S::State> {
        let operation = &self.history.operations()[number as usize];
        self.specification.step(state, &operation.call, operation.returned()).into_iter().next()
    }

    /// What an operation can do, if it has not.
    fn add_steps(&self, config: &Config<S::State>, number: u32, steps: &mut Vec<(u32, Config<S::State>)>) {
        let (operation, slot) = (&self.history.operations()[number as usize], self.slots[number as usize]);
        if config.done.contains(slot) {
            return;
        }
        let ends = operation.end().is_some();
        for state in self.specification.step(&config.state, &operation.call, operation.returned()) {
            // What never returns need not take effect, and does not where that changes nothing.
            if ends || state != config.state {
                let mut done = config.done.clone();
                done.insert(slot);
                steps.push((number, Config { done, state }));
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
    /// An operation that took effect.
    type Step = u32;
    type Why = ();

    // An operation that can take effect before another one returns can also do so after.
    const POSTPONES: bool = true;

    fn steps(&self, config: &Self::Config, ahead: &Return, steps: &mut Vec<(Self::Step, Self::Config)>) {
        self.add_steps(config, ahead.operation, steps);
        let (start, end) = ahead.open;
        for &number in &self.open[start as usize..end as usize] {
            self.add_steps(config, number, steps);
        }
    }

    /// An operation that changes nothing now, since it may be too late when something else has changed the state; otherwise the one
    /// that returns.
    fn helpful_step(&self, config: &Self::Config, ahead: &Return) -> Option<(u32, Self::Config)> {
        let after = |number: u32, state: S::State| {
            let mut done = config.done.clone();
            done.insert(self.slots[number as usize]);
            Some((number, Config { done, state }))
        };
        let own = self.first_after(&config.state, ahead.operation);
        if own.as_ref() == Some(&config.state) {
            return after(ahead.operation, own?);
        }
        let (start, end) = ahead.open;
        for &number in &self.open[start as usize..end as usize] {
            if self.history.operations()[number as usize].end().is_some()
                && !config.done.contains(self.slots[number as usize])
                && let Some(state) = self.first_after(&config.state, number)
                && state == config.state
            {
                return after(number, state);
            }
        }
        after(ahead.operation, own?)
    }

    fn unburden(&self, config: &mut Self::Config) -> u64 {
        config.done.take_low(self.pending)
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
