//! Sequential tests: one command after the other.

use super::command::{Freedom, Mocked};
use super::{Command, Commands, Live, Model, Postcondition, Statistics, violated};
use crate::mock::Scope;
use gainsay_core::{Case, Failure, Outcome, Status, failure_of};
use std::any::Any;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The weights of the operations of a model.
pub(super) struct Weights {
    of: Vec<u32>,
    /// All operations are possible in every state, one as often as the other.
    constant: bool,
}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// One test, and those that follow at once.
    pub(super) fn test(&self, case: &mut Case, statistics: &mut Statistics) -> Outcome {
        if self.operations.iter().any(|operation| operation.is_dynamic()) {
            return self.test_dynamically(case, statistics);
        }
        let mut commands = Commands::of(&self.operations);
        loop {
            let mut state = (self.start)();
            commands.clear(&self.operations);
            self.draw(case, &mut state, self.len.clone(), statistics, &mut commands);
            let outcome = match case.ready() {
                true => self.execute(&commands, &state, case, statistics),
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
        commands: &mut Commands,
    ) {
        let mut number = 0;
        let mut weights = self.weights();
        statistics.begun_to_draw();
        let drawn = catch_unwind(AssertUnwindSafe(|| {
            case.repeat_longer(len, self.length_factor, |case| {
                let freedom = Freedom::default();
                let drawn = self.draw_one(case, state, number, &mut weights, statistics, commands, freedom);
                number += u32::from(drawn);
                drawn
            });
        }));
        if let Err(panic) = drawn {
            self.panicked(panic, case, state, statistics);
        }
    }

    /// The model itself has panicked while a command was drawn: says where.
    #[cold]
    pub(super) fn panicked(
        &self,
        panic: Box<dyn Any + Send>,
        case: &Case,
        state: &S,
        statistics: &Statistics,
    ) -> ! {
        if case.is_over() {
            // What is drawn after the end of a case does not count.
            resume_unwind(panic);
        }
        let mut failure = failure_of(panic);
        let name = self.operations[statistics.at].name();
        failure.message = format!(
            "the model itself panicked (arguments, precondition, guard or `next` of `{name}`) in state {state:?}: {}",
            failure.message
        );
        std::panic::panic_any(failure)
    }

    pub(super) fn weights(&self) -> Weights {
        let constant = self.operations.iter().all(|operation| operation.is_free());
        Weights { of: vec![1; self.operations.len()], constant }
    }

    /// The place of an operation that is possible in a state, by weight.
    #[inline]
    fn draw_operation(&self, case: &mut Case, state: &S, weights: &mut Weights) -> Option<usize> {
        if weights.constant {
            return Some(case.option(self.operations.len(), &[]));
        }
        for (weight, operation) in weights.of.iter_mut().zip(&self.operations) {
            *weight = operation.weight(state);
        }
        let chosen = case.option(weights.of.len(), &weights.of);
        (weights.of[chosen] > 0).then_some(chosen)
    }

    /// Draws a command, if what is drawn is one that the model allows, and moves on to the next state.
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "what a drawn command depends on")]
    pub(super) fn draw_one(
        &self,
        case: &mut Case,
        state: &mut S,
        number: u32,
        weights: &mut Weights,
        statistics: &mut Statistics,
        commands: &mut Commands,
        freedom: Freedom,
    ) -> bool {
        let Some(chosen) = self.draw_operation(case, state, weights) else { return false };
        statistics.at = chosen;
        let operation = self.operations[chosen].as_ref();
        let drawn = commands.propose(chosen, number, operation, state, case, freedom);
        statistics.drawn(chosen, drawn);
        drawn
    }

    pub(super) fn execute(
        &self,
        commands: &Commands,
        end: &S,
        case: &mut Case,
        statistics: &mut Statistics,
    ) -> Outcome {
        let scope = self.scope();
        let mut live = Live::new((self.subject)());
        let mut state = (self.start)();
        statistics.tested(commands.len());
        statistics.begun(&state);
        let outcome = self.supervised(case, &mut state, &mut live, |case, state, live| {
            if let Some(failure) = self.check_invariants(state, &mut live.real) {
                return Some(failure);
            }
            commands.iter().find_map(|command| {
                let failure = self.step(command, case, state, live, scope.as_ref());
                statistics.executed(command.operation);
                statistics.moved(command.operation, state);
                failure
            })
        });
        if outcome.status == Status::Passed {
            if state != *end {
                return Outcome::failed(self.not_deterministic(commands, &state, end));
            }
            self.cover(case, commands.iter().map(|command| command.operation));
        }
        outcome
    }

    /// The same commands have led the model to two states.
    #[cold]
    pub(super) fn not_deterministic(&self, commands: &Commands, one: &S, other: &S) -> Failure {
        let mut state = (self.start)();
        let culprit = commands.iter().find(|&command| {
            let operation = &self.operations[command.operation];
            let mut again = state.clone();
            operation.next(&mut state, command);
            operation.next(&mut again, command);
            state != again
        });
        let name = culprit.map_or("some operation", |command| self.operations[command.operation].name());
        let message = format!(
            "`next` of `{name}` is not deterministic: the same commands led to {one:?} and {other:?}"
        );
        Failure::new("", message).with_signature("law is deterministic")
    }

    /// Where mocks belong, if some operation is expected to call them.
    fn scope(&self) -> Option<Scope> {
        self.operations.iter().any(|operation| operation.has_calls()).then(Scope::enter)
    }

    /// Runs a test and tidies up, however it ends.
    fn supervised(
        &self,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
        run: impl FnOnce(&mut Case, &mut S, &mut Live<R>) -> Option<Box<Failure>>,
    ) -> Outcome {
        let ran = catch_unwind(AssertUnwindSafe(|| run(case, state, live)));
        let ended = catch_unwind(AssertUnwindSafe(|| {
            for end in &self.after_each {
                end(state, &mut live.real);
            }
        }));
        match (ran, ended) {
            (Ok(None), Ok(())) => Outcome::of(Status::Passed),
            // What went wrong first counts.
            (Ok(Some(failure)), _) => Outcome::failed(failure),
            (Err(panic), _) | (Ok(None), Err(panic)) => resume_unwind(panic),
        }
    }

    /// One command: the call, its judgement, the next state, the invariants.
    pub(super) fn step(
        &self,
        command: Command<'_>,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
        scope: Option<&Scope>,
    ) -> Option<Box<Failure>> {
        let operation = &self.operations[command.operation];
        if !self.postconditions.is_empty() {
            return self.step_between(command, case, state, live, scope);
        }
        let failure = if case.is_shown() {
            self.step_shown(command, case, state, live, scope)
        } else {
            operation.run(state, live, command, None, scope.map(|scope| Mocked { scope, case }))
        };
        failure.or_else(|| self.check_invariants(state, &mut live.real))
    }

    /// A step that is judged by the state before it and the state after it.
    #[cold]
    fn step_between(
        &self,
        command: Command<'_>,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
        scope: Option<&Scope>,
    ) -> Option<Box<Failure>> {
        let before = state.clone();
        let failure = self.step_shown(command, case, state, live, scope);
        if failure.is_some() {
            return failure;
        }
        let name = self.operations[command.operation].name();
        for Postcondition { name: claim, holds } in &self.postconditions {
            if let Some(failure) = holds(&before, name, state, &mut live.real) {
                return Some(violated("postcondition", claim, &before, &failure));
            }
        }
        self.check_invariants(state, &mut live.real)
    }

    /// Like the call in [`step`](Model::step), told line by line.
    #[cold]
    fn step_shown(
        &self,
        command: Command<'_>,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
        scope: Option<&Scope>,
    ) -> Option<Box<Failure>> {
        let operation = &self.operations[command.operation];
        let mut result = String::new();
        let mocked = scope.map(|scope| Mocked { scope, case: &mut *case });
        let ran =
            catch_unwind(AssertUnwindSafe(|| operation.run(state, live, command, Some(&mut result), mocked)));
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
        let scope = self.scope();
        let mut live = Live::new((self.subject)());
        let mut state = (self.start)();
        let mut weights = self.weights();
        let mut commands = Commands::of(&self.operations);
        let ran = &mut commands;
        statistics.begun(&state);
        let outcome = self.supervised(case, &mut state, &mut live, |case, state, live| {
            let mut failure = self.check_invariants(state, &mut live.real);
            let mut number = 0;
            let commands = ran;
            case.repeat_longer(self.len.clone(), self.length_factor, |case| {
                // The state moves on when the command runs.
                let mut after = state.clone();
                let drawn = self.draw_one(
                    case,
                    &mut after,
                    number,
                    &mut weights,
                    statistics,
                    commands,
                    Freedom::default(),
                );
                if let (true, Some(command)) = (drawn, commands.last()) {
                    number += 1;
                    if failure.is_none() && !case.is_over() {
                        failure = self.step(command, case, state, live, scope.as_ref());
                        statistics.executed(command.operation);
                        statistics.moved(command.operation, state);
                    }
                }
                drawn
            });
            failure
        });
        statistics.tested(commands.len());
        if outcome.status == Status::Passed {
            self.cover(case, commands.iter().map(|command| command.operation));
        }
        outcome
    }
}
