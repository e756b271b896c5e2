//! Sequential consistency as a theory: processes take their operations in order, unseen, and in the end all are done.

use super::linear::shown;
use super::{History, Judgement, Outcome, Reason, Sequential, Unexplained};
use crate::explain::{Explained, ExplainedBy, Theory};

/// The theory of one history.
pub(super) struct Consistent<'a, S: Sequential> {
    specification: &'a S,
    history: &'a History<S::Call, S::Return>,
    /// The operations of each process, in order.
    processes: Vec<Vec<usize>>,
}

/// All that is seen: that it is over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Over;

pub(super) const EVENTS: &[Over] = &[Over];

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Config<T> {
    /// How many operations each process has done.
    done: Vec<u32>,
    pub(super) state: T,
}

impl<'a, S: Sequential> Consistent<'a, S> {
    pub(super) fn new(specification: &'a S, history: &'a History<S::Call, S::Return>) -> Self {
        let mut by_process: std::collections::BTreeMap<usize, Vec<usize>> = Default::default();
        for (number, operation) in history.operations().iter().enumerate() {
            if !matches!(operation.outcome, Outcome::Failed) {
                by_process.entry(operation.process).or_default().push(number);
            }
        }
        let mut processes: Vec<Vec<usize>> = by_process.into_values().collect();
        for process in &mut processes {
            process.sort_by_key(|&number| history.operations()[number].called);
        }
        Consistent { specification, history, processes }
    }

    pub(super) fn start(&self) -> [Config<S::State>; 1] {
        [Config { done: vec![0; self.processes.len()], state: self.specification.start() }]
    }

    /// The first operation that must still be done.
    fn missing(&self, config: &Config<S::State>) -> Option<usize> {
        let left = self.processes.iter().zip(&config.done).flat_map(|(all, &done)| &all[done as usize..]);
        left.copied().find(|&number| self.history.operations()[number].end().is_some())
    }

    pub(super) fn judgement(&self, explained: ExplainedBy<Self>) -> Judgement {
        let order = |steps: &[(usize, usize)]| steps.iter().map(|&(_, number)| number).collect();
        match explained {
            Explained::Yes(steps) => Judgement::Explained { order: order(&steps) },
            Explained::GaveUp { configs } => Judgement::GaveUp { configs },
            Explained::No { dead, .. } => {
                let furthest = dead.iter().max_by_key(|dead| dead.steps.len());
                let operation = furthest.map(|dead| dead.why);
                let of = |number: usize| &self.history.operations()[number];
                Judgement::Unexplained(Unexplained {
                    operation: None,
                    ended: self
                        .history
                        .operations()
                        .iter()
                        .filter(|operation| operation.end().is_some())
                        .count(),
                    shown: operation
                        .map_or_else(String::new, |number| shown(&of(number).call, of(number).returned())),
                    reasons: furthest
                        .iter()
                        .map(|dead| Reason {
                            order: order(&dead.steps),
                            state: format!("{:?}", dead.config.state),
                            why: format!("{} is left", shown(&of(dead.why).call, of(dead.why).returned())),
                        })
                        .collect(),
                })
            }
        }
    }
}

impl<S: Sequential> Theory for Consistent<'_, S> {
    type Config = Config<S::State>;
    type Event = Over;
    type Step = usize;
    /// An operation that is not done.
    type Why = usize;

    const POSTPONES: bool = true;

    fn steps(&self, config: &Self::Config, _: &Over, steps: &mut Vec<(usize, Self::Config)>) {
        for (process, operations) in self.processes.iter().enumerate() {
            let Some(&number) = operations.get(config.done[process] as usize) else { continue };
            let operation = &self.history.operations()[number];
            for state in self.specification.step(&config.state, &operation.call, operation.returned()) {
                let mut done = config.done.clone();
                done[process] += 1;
                steps.push((number, Config { done, state }));
            }
        }
    }

    fn after(
        &self,
        config: Self::Config,
        _: &Over,
        next: &mut Vec<Self::Config>,
    ) -> Result<(), (usize, Self::Config)> {
        match self.missing(&config) {
            Some(number) => Err((number, config)),
            None => {
                next.push(config);
                Ok(())
            }
        }
    }
}
