//! Hand-written sequences: is this one that the model allows?

use super::command::Arguments;
use super::{Commands, Model};
use crate::explain::shown;
use std::any::Any;
use std::fmt::{self, Debug, Display};

/// A sequence of calls with what they returned, for [`Model::allows`].
#[derive(Debug, Default)]
pub struct Scenario {
    steps: Vec<Step>,
}

struct Step {
    operation: String,
    arguments: Arguments,
    result: Option<Box<dyn Any + Send>>,
}

impl Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operation)
    }
}

impl Scenario {
    /// Nothing has been called.
    pub fn new() -> Scenario {
        Scenario::default()
    }

    /// An operation is called with these arguments and returns this.
    pub fn call<A: Send + Sync + 'static, T: Send + 'static>(
        mut self,
        operation: &str,
        arguments: A,
        result: T,
    ) -> Self {
        let (operation, arguments) = (operation.to_string(), Box::new(vec![arguments]));
        self.steps.push(Step { operation, arguments, result: Some(Box::new(result)) });
        self
    }

    /// An operation is called with these arguments, and what it returns does not matter.
    pub fn call_only<A: Send + Sync + 'static>(mut self, operation: &str, arguments: A) -> Self {
        self.steps.push(Step {
            operation: operation.into(),
            arguments: Box::new(vec![arguments]),
            result: None,
        });
        self
    }
}

/// Why a model does not allow a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The number of the call, from 1.
    pub call: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call {}: {}", self.call, self.reason)
    }
}

impl std::error::Error for Disagreement {}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Whether the model allows a sequence of calls; nothing is executed.
    ///
    /// # Errors
    /// The first call that it does not allow, or that does not fit its operation.
    pub fn allows(&self, scenario: Scenario) -> Result<(), Disagreement> {
        let mut state = (self.start)();
        let mut commands = Commands::of(&self.operations);
        for (place, step) in scenario.steps.into_iter().enumerate() {
            let wrong = |reason: String| Disagreement { call: place + 1, reason };
            let Some(operation) = self.operations.iter().position(|known| known.name() == step.operation)
            else {
                let known: Vec<&str> = self.operations.iter().map(|operation| operation.name()).collect();
                let known = known.join(", ");
                return Err(wrong(format!("there is no operation `{}`, only {known}", step.operation)));
            };
            let command = commands.only(operation, place as u32, step.arguments);
            let operation = &self.operations[operation];
            if !operation.fits(command, step.result.as_deref().map(|result| result as &dyn Any)) {
                return Err(wrong(format!(
                    "arguments or result have another type than those of `{}`",
                    operation.name()
                )));
            }
            let call = operation.show_call(command);
            if !operation.allows(&state, command) {
                return Err(wrong(format!("{call} must not be called in state {}", shown(&state))));
            }
            if !operation.is_enabled(&state, command) {
                return Err(wrong(format!("{call} has to wait in state {}", shown(&state))));
            }
            if let Some(result) = step.result.as_deref()
                && !operation.agrees(&state, command, result)
            {
                let result = operation.show_result(result);
                return Err(wrong(format!("{call} does not return {result} in state {}", shown(&state))));
            }
            operation.next(&mut state, command);
            if let Some(failure) = self.check_laws(&state) {
                return Err(wrong(failure.message));
            }
        }
        Ok(())
    }
}
