//! Sequential tests: one command after the other.

use super::command::{Freedom, Mocked};
use super::{Command, Commands, Live, Model, Postcondition, Statistics, violated};
use crate::explain::shown;
use crate::mock::{Scope, dropped};
use gainsay_core::{Case, Failure, Outcome, Status, failure_of};
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How commands are chosen.
pub(super) struct Choice {
    /// The weights of the operations.
    weights: Vec<u32>,
    /// All operations are possible in every state, one as often as the other.
    constant: bool,
    freedom: Freedom,
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
            statistics.begun_to_draw();
            self.drawing(case, &mut state, statistics, |case, state, statistics| {
                self.draw(case, state, self.len.clone(), statistics, &mut commands);
            });
            let outcome = match self.is_drawn(case) {
                true => self.execute(&commands, &state, case, statistics),
                false => Outcome::of(Status::Unjudged),
            };
            if !case.go_on(&outcome) {
                return outcome;
            }
        }
    }

    /// Whether all is drawn, and the commands are to be run. Answers of mocks are drawn while they do.
    pub(super) fn is_drawn(&self, case: &mut Case) -> bool {
        if self.operations.iter().any(|operation| operation.has_calls()) {
            return !case.is_over();
        }
        case.ready()
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
        let mut choice = self.choice(Freedom::default());
        case.repeat_longer(len, self.length_factor, |case| {
            let drawn = self.draw_one(case, state, number, &mut choice, statistics, commands);
            number += u32::from(drawn);
            drawn
        });
    }

    /// Draws the commands of a test. If the model itself panics meanwhile, that is said, with the state in which it was.
    pub(super) fn drawing<T>(
        &self,
        case: &mut Case,
        state: &mut S,
        statistics: &mut Statistics,
        draw: impl FnOnce(&mut Case, &mut S, &mut Statistics) -> T,
    ) -> T {
        match catch_unwind(AssertUnwindSafe(|| draw(case, state, statistics))) {
            Ok(drawn) => drawn,
            // What is drawn after the end of a case does not count.
            Err(panic) if case.is_over() => resume_unwind(panic),
            Err(panic) => {
                let mut failure = failure_of(panic);
                let name = self.operations[statistics.at].name();
                failure.message = format!(
                    "the model itself panicked (arguments, precondition, guard or `next` of `{name}`) in state \
                     {}: {}",
                    shown(state),
                    failure.message
                );
                std::panic::panic_any(failure)
            }
        }
    }

    pub(super) fn choice(&self, freedom: Freedom) -> Choice {
        let constant = self.operations.iter().all(|operation| operation.is_free());
        Choice { weights: vec![1; self.operations.len()], constant, freedom }
    }

    /// The place of an operation that is possible in a state, by weight.
    #[inline(always)]
    fn draw_operation(&self, case: &mut Case, state: &S, choice: &mut Choice) -> Option<usize> {
        if choice.constant {
            return Some(case.option(self.operations.len(), &[]));
        }
        self.draw_operation_by_weight(case, state, choice)
    }

    #[inline(never)]
    fn draw_operation_by_weight(&self, case: &mut Case, state: &S, choice: &mut Choice) -> Option<usize> {
        for (weight, operation) in choice.weights.iter_mut().zip(&self.operations) {
            *weight = operation.weight(state);
        }
        let chosen = case.option(choice.weights.len(), &choice.weights);
        (choice.weights[chosen] > 0).then_some(chosen)
    }

    /// Draws a command, if what is drawn is one that the model allows, and moves on to the next state.
    #[inline(always)]
    pub(super) fn draw_one(
        &self,
        case: &mut Case,
        state: &mut S,
        number: u32,
        choice: &mut Choice,
        statistics: &mut Statistics,
        commands: &mut Commands,
    ) -> bool {
        let Some(chosen) = self.draw_operation(case, state, choice) else { return false };
        statistics.at = chosen;
        let operation = self.operations[chosen].as_ref();
        let drawn = commands.propose(chosen, number, operation, state, case, choice.freedom);
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
                statistics.executed(command.operation());
                statistics.moved(command.operation(), state);
                failure
            })
        });
        let outcome = dropped(scope.as_ref(), live, outcome);
        if outcome.status == Status::Passed {
            if differ(&state, end) {
                return Outcome::failed(self.not_deterministic(commands, &state, end));
            }
            self.cover(case, commands.iter().map(|command| command.operation()));
        }
        outcome
    }

    /// The same commands have led the model to two states.
    #[cold]
    pub(super) fn not_deterministic(&self, commands: &Commands, one: &S, other: &S) -> Failure {
        let mut state = (self.start)();
        let culprit = commands.iter().find(|&command| {
            let operation = &self.operations[command.operation()];
            let mut again = state.clone();
            operation.next(&mut state, command);
            operation.next(&mut again, command);
            differ(&state, &again)
        });
        let name = culprit.map_or("some operation", |command| self.operations[command.operation()].name());
        let message = format!(
            "`next` of `{name}` is not deterministic: the same commands led to {} and {}",
            shown(one),
            shown(other)
        );
        Failure::new("", message).with_signature("law is deterministic")
    }

    /// Where mocks belong, if some operation is expected to call them.
    fn scope(&self) -> Option<Scope> {
        let calls = self.operations.iter().any(|operation| operation.has_calls());
        calls.then(|| Scope::enter(self.deviating.clone()))
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
    #[inline(always)]
    pub(super) fn step(
        &self,
        command: Command<'_>,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
        scope: Option<&Scope>,
    ) -> Option<Box<Failure>> {
        if !self.postconditions.is_empty() {
            return self.step_between(command, case, state, live, scope);
        }
        let failure = self.run(command, case, state, live, scope);
        failure.or_else(|| self.check_invariants(state, &mut live.real))
    }

    /// A step that is judged by the state before it and the state after it as well.
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
        if let Some(failure) = self.run(command, case, state, live, scope) {
            return Some(failure);
        }
        let name = self.operations[command.operation()].name();
        for Postcondition { name: claim, holds } in &self.postconditions {
            if let Some(failure) = holds(&before, name, state, &mut live.real) {
                return Some(violated("postcondition", claim, &before, &failure));
            }
        }
        self.check_invariants(state, &mut live.real)
    }

    /// The call, its judgement and the next state.
    #[inline]
    fn run(
        &self,
        command: Command<'_>,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
        scope: Option<&Scope>,
    ) -> Option<Box<Failure>> {
        if case.is_shown() {
            return self.run_shown(command, case, state, live, scope);
        }
        let operation = &self.operations[command.operation()];
        match scope {
            None => operation.run(state, live, command),
            Some(scope) => operation.run_watched(state, live, command, None, Some(Mocked { scope, case })),
        }
    }

    /// Like [`run`](Model::run), told line by line.
    #[cold]
    fn run_shown(
        &self,
        command: Command<'_>,
        case: &mut Case,
        state: &mut S,
        live: &mut Live<R>,
        scope: Option<&Scope>,
    ) -> Option<Box<Failure>> {
        let operation = &self.operations[command.operation()];
        let mut result = String::new();
        let mocked = scope.map(|scope| Mocked { scope, case: &mut *case });
        let ran = catch_unwind(AssertUnwindSafe(|| {
            operation.run_watched(state, live, command, Some(&mut result), mocked)
        }));
        let mut call = operation.show_call(command);
        let drawn = scope.map(Scope::take_drawn).unwrap_or_default();
        if !drawn.is_empty() {
            call = format!("{call} [{}]", drawn.join(", "));
        }
        let handle = if operation.keeps() { format!("#{} = ", command.number() + 1) } else { String::new() };
        match ran {
            Ok(failure) => {
                let result = if matches!(result.as_str(), "()" | "") {
                    String::new()
                } else {
                    format!(" → {result}")
                };
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
        let mut choice = self.choice(Freedom::default());
        let mut commands = Commands::of(&self.operations);
        let ran = &mut commands;
        statistics.begun_to_draw();
        statistics.begun(&state);
        let outcome = self.supervised(case, &mut state, &mut live, |case, state, live| {
            let mut failure = self.check_invariants(state, &mut live.real);
            let mut number = 0;
            let commands = ran;
            case.repeat_longer(self.len.clone(), self.length_factor, |case| {
                // The state moves on when the command runs.
                let mut after = state.clone();
                let drawn = self.drawing(case, &mut after, statistics, |case, after, statistics| {
                    self.draw_one(case, after, number, &mut choice, statistics, commands)
                });
                if let (true, Some(command)) = (drawn, commands.last()) {
                    number += 1;
                    if failure.is_none() && !case.is_over() {
                        failure = self.step(command, case, state, live, scope.as_ref());
                        statistics.executed(command.operation());
                        statistics.moved(command.operation(), state);
                    }
                }
                drawn
            });
            failure
        });
        statistics.tested(commands.len());
        let outcome = dropped(scope.as_ref(), live, outcome);
        if outcome.status == Status::Passed {
            self.cover(case, commands.iter().map(|command| command.operation()));
        }
        outcome
    }
}

/// Whether two states are different; those that are not even equal to themselves (NaN) are not compared.
pub(super) fn differ<S: Clone + PartialEq>(one: &S, other: &S) -> bool {
    one != other && *one == one.clone() && *other == other.clone()
}
