//! Sequential tests: one command after the other.

use super::{Command, Live, Model, Statistics};
use gainsay_core::{Case, Failure, Outcome, Status};
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The weights of the operations of a model.
pub(super) struct Weights {
    of: Vec<u32>,
    /// They do not depend on the state.
    constant: bool,
}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// One test, and those that follow at once.
    pub(super) fn test(&self, case: &mut Case, statistics: &mut Statistics) -> Outcome {
        if self.operations.iter().any(|operation| operation.is_dynamic()) {
            return self.test_dynamically(case, statistics);
        }
        loop {
            let mut state = (self.start)();
            let commands = self.draw(case, &mut state, self.len.clone(), statistics);
            let outcome = match case.ready() {
                true => self.execute(&commands, case, statistics),
                false => Outcome::of(Status::Unjudged),
            };
            if !case.go_on(&outcome) {
                return outcome;
            }
        }
    }

    /// Draws commands that the model allows from `state` on, numbered from 0.
    pub(super) fn draw(
        &self,
        case: &mut Case,
        state: &mut S,
        len: RangeInclusive<usize>,
        statistics: &mut Statistics,
    ) -> Vec<Command> {
        let mut number = 0;
        let mut weights = self.weights();
        case.vec_of_some(len, |case| {
            let command = self.draw_one(case, state, number, &mut weights, statistics)?;
            self.operations[command.operation].next(state, &command);
            number += 1;
            Some(command)
        })
    }

    pub(super) fn weights(&self) -> Weights {
        let constant = self.operations.iter().all(|operation| operation.is_free());
        Weights { of: vec![1; self.operations.len()], constant }
    }

    /// The weights of all operations in a state.
    pub(super) fn weigh<'a>(&self, weights: &'a mut Weights, state: &S) -> &'a [u32] {
        if !weights.constant {
            for (weight, operation) in weights.of.iter_mut().zip(&self.operations) {
                *weight = operation.weight(state);
            }
        }
        &weights.of
    }

    /// Draws a command, if what is drawn is one that the model allows.
    pub(super) fn draw_one(
        &self,
        case: &mut Case,
        state: &S,
        number: u32,
        weights: &mut Weights,
        statistics: &mut Statistics,
    ) -> Option<Command> {
        let weights = self.weigh(weights, state);
        let chosen = case.option(weights);
        if weights[chosen] == 0 {
            return None;
        }
        statistics.offered[chosen] += 1;
        let arguments = self.operations[chosen].propose(state, case)?;
        statistics.allowed[chosen] += 1;
        Some(Command { operation: chosen, arguments, number })
    }

    pub(super) fn execute(
        &self,
        commands: &[Command],
        case: &mut Case,
        statistics: &mut Statistics,
    ) -> Outcome {
        let mut live = Live::new((self.subject)());
        let mut state = (self.start)();
        self.supervised(case, &mut state, &mut live, |case, state, live| {
            if let Some(failure) = self.check_invariants(state, &mut live.real) {
                return Some(failure);
            }
            commands.iter().find_map(|command| {
                let failure = self.step(command, case, state, live);
                statistics.executed[command.operation] += 1;
                failure
            })
        })
    }

    /// Runs a test and tidies up, however it ends.
    fn supervised(
        &self,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
        run: impl FnOnce(&mut Case, &mut S, &mut Live<R>) -> Option<Failure>,
    ) -> Outcome {
        let ran = catch_unwind(AssertUnwindSafe(|| run(case, state, live)));
        for end in &self.after_each {
            end(state, &mut live.real);
        }
        match ran {
            Ok(None) => Outcome::of(Status::Passed),
            Ok(Some(failure)) => Outcome::failed(failure),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// One command: the call, its judgement, the next state, the invariants.
    pub(super) fn step(
        &self,
        command: &Command,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
    ) -> Option<Failure> {
        let operation = &self.operations[command.operation];
        let failure = if case.is_shown() {
            self.step_shown(command, case, state, live)
        } else {
            operation.run(state, live, command, None)
        };
        failure.or_else(|| self.check_invariants(state, &mut live.real))
    }

    /// Like the call in [`step`](Model::step), told line by line.
    #[cold]
    fn step_shown(
        &self,
        command: &Command,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
    ) -> Option<Failure> {
        let operation = &self.operations[command.operation];
        let mut result = String::new();
        let ran = catch_unwind(AssertUnwindSafe(|| operation.run(state, live, command, Some(&mut result))));
        let call = operation.show_call(command);
        let handle = if operation.keeps() { format!("#{} = ", command.number + 1) } else { String::new() };
        match ran {
            Ok(failure) => {
                let result = if result == "()" { String::new() } else { format!(" → {result}") };
                case.tell(|| format!("{handle}{call}{result}"));
                failure
            }
            Err(panic) => {
                case.tell(|| format!("{handle}{call} panicked"));
                resume_unwind(panic)
            }
        }
    }

    /// Commands are drawn while they run: what comes next depends on what the real thing has returned.
    fn test_dynamically(&self, case: &mut Case, statistics: &mut Statistics) -> Outcome {
        let mut live = Live::new((self.subject)());
        let mut state = (self.start)();
        let mut weights = self.weights();
        self.supervised(case, &mut state, &mut live, |case, state, live| {
            let mut failure = self.check_invariants(state, &mut live.real);
            let mut number = 0;
            case.vec_of_some(self.len.clone(), |case| {
                let command = self.draw_one(case, state, number, &mut weights, statistics)?;
                number += 1;
                if failure.is_none() && !case.is_over() {
                    failure = self.step(&command, case, state, live);
                    statistics.executed[command.operation] += 1;
                }
                Some(())
            });
            failure
        })
    }
}
