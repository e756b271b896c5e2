//! A component as its cluster knows it, whatever its types are.

use crate::callout::{Called, Derivation, Ended, Imagined, Session, Told};
use crate::model::command::{Arguments, Command, Commands};
use crate::model::live::Value;
use crate::model::{Active, Live, Model};
use gainsay_core::{Case, Error, Failure, Report};
use std::any::{Any, TypeId};
use std::cell::Ref;
use std::fmt::Debug;

/// The state of a model.
pub(super) type State = Box<dyn Any + Send>;

/// What an operation leaves behind, as only its model knows it.
pub(super) type Left = Box<dyn Any + Send>;

/// The calls of a real operation, judged one by one.
pub(super) trait Judged: Send {
    fn call(
        &mut self,
        call: Called,
        case: &mut Option<Box<Case>>,
        told: &mut Told,
    ) -> Result<(), Box<Failure>>;
    /// The call that was judged last.
    fn last(&self) -> Option<Ref<'_, Called>>;
    fn end(&mut self, captures_matter: bool) -> Result<Left, Box<Failure>>;
}

/// The calls of an operation, made up one by one.
pub(super) trait Derived {
    fn next(&mut self, case: &mut Case) -> Result<Option<Imagined>, String>;
    fn end(self: Box<Self>) -> Option<Left>;
}

impl<S: Clone + PartialEq + Debug + Send + Sync + 'static> Judged for Session<S> {
    fn call(
        &mut self,
        call: Called,
        case: &mut Option<Box<Case>>,
        told: &mut Told,
    ) -> Result<(), Box<Failure>> {
        Session::call(self, call, case, told)
    }

    fn last(&self) -> Option<Ref<'_, Called>> {
        Session::last(self)
    }

    fn end(&mut self, captures_matter: bool) -> Result<Left, Box<Failure>> {
        Ok(Box::new(Session::end(self, captures_matter)?))
    }
}

impl<S: Clone + PartialEq + Send + Sync + 'static> Derived for Derivation<S> {
    fn next(&mut self, case: &mut Case) -> Result<Option<Imagined>, String> {
        Derivation::next(self, case)
    }

    fn end(self: Box<Self>) -> Option<Left> {
        Some(Box::new(Derivation::end(*self)?))
    }
}

/// Commands here are single ones.
pub(super) trait Component: Send + Sync {
    fn sound(&self, name: &str) -> Result<(), Error>;
    fn operations(&self) -> usize;
    fn operation(&self, name: &str) -> Option<usize>;
    fn operation_name(&self, operation: usize) -> &str;
    /// Whether arguments and result have these types.
    fn accepts(&self, operation: usize, types: (TypeId, TypeId)) -> bool;
    /// Whether it is called from outside.
    fn is_exported(&self, operation: usize) -> bool;
    fn callers(&self, operation: usize) -> &[String];
    fn all_callers(&self) -> Vec<&str>;
    fn learns_from_result(&self, operation: usize) -> bool;
    fn uses_captures(&self, operation: usize) -> bool;
    fn start(&self) -> State;
    /// The real thing, if it has the right type; made anew if none is given.
    fn real(&self, made: Option<Box<dyn Any>>) -> Option<Box<dyn Any>>;
    fn weight(&self, operation: usize, state: &State) -> u32;
    fn propose(&self, operation: usize, number: u32, state: &State, case: &mut Case) -> Option<Commands>;
    fn commanded(&self, operation: usize, number: u32, arguments: Arguments) -> Commands;
    /// Why a call is not allowed, or would wait.
    fn refusal(&self, commands: &Commands, state: &State) -> Option<String>;
    fn judged(&self, name: &str, commands: &Commands, state: &State) -> Box<dyn Judged>;
    fn derived(&self, commands: &Commands, state: &State) -> Box<dyn Derived>;
    fn has_calls(&self, commands: &Commands) -> bool;
    /// What it is expected to call.
    fn expectation(&self, commands: &Commands, state: &State) -> String;
    /// Calls the real thing.
    fn call(&self, live: &mut dyn Any, commands: &Commands) -> Value;
    /// Whether the state was changed by other operations, on the way.
    fn has_changed(&self, left: &Left) -> bool;
    fn move_on(
        &self,
        state: &mut State,
        commands: &Commands,
        result: Option<&dyn Any>,
        left: Left,
        deviating: Option<&Active>,
    ) -> Option<Box<Failure>>;
    fn show_call(&self, commands: &Commands) -> String;
    fn show_result(&self, commands: &Commands, result: &dyn Any) -> String;
    fn show_state(&self, state: &State) -> String;
    fn check_laws(&self, state: &State) -> Option<Box<Failure>>;
    fn check_invariants(&self, state: &State, live: &mut dyn Any) -> Option<Box<Failure>>;
    fn before_all(&self);
    fn after_each(&self, state: &State, live: &mut dyn Any);
    fn after_all(&self);
    fn doubted(&self, report: &mut Report);
}

/// The single command of a list.
fn only(commands: &Commands) -> Command<'_> {
    commands.get(0).expect("a call of a cluster is one command")
}

fn state_of<S: 'static>(state: &State) -> &S {
    state.downcast_ref().expect("a state has the type of its component")
}

fn live_of<R: 'static>(live: &mut dyn Any) -> &mut Live<R> {
    live.downcast_mut().expect("a real thing has the type of its component")
}

impl<S, R> Component for Model<S, R>
where
    S: Clone + PartialEq + Debug + Send + Sync + 'static,
    R: 'static,
{
    fn sound(&self, name: &str) -> Result<(), Error> {
        if let Some(postcondition) = self.postconditions.first() {
            return Err(Error::specification(format!(
                "the component `{name}` has the common postcondition `{}`, which clusters do not judge: say it of each operation",
                postcondition.name
            )));
        }
        Model::sound(self)
    }

    fn operations(&self) -> usize {
        self.operations.len()
    }

    fn operation(&self, name: &str) -> Option<usize> {
        self.operations.iter().position(|operation| operation.name() == name)
    }

    fn operation_name(&self, operation: usize) -> &str {
        self.operations[operation].name()
    }

    fn accepts(&self, operation: usize, types: (TypeId, TypeId)) -> bool {
        self.operations[operation].types() == types
    }

    fn is_exported(&self, operation: usize) -> bool {
        let operation = &self.operations[operation];
        operation.is_exported() || operation.callers().is_empty()
    }

    fn callers(&self, operation: usize) -> &[String] {
        self.operations[operation].callers()
    }

    fn all_callers(&self) -> Vec<&str> {
        self.operations.iter().flat_map(|operation| operation.callers()).map(String::as_str).collect()
    }

    fn learns_from_result(&self, operation: usize) -> bool {
        self.operations[operation].learns_from_result()
    }

    fn uses_captures(&self, operation: usize) -> bool {
        self.operations[operation].uses_captures()
    }

    fn start(&self) -> State {
        Box::new((self.start)())
    }

    fn real(&self, made: Option<Box<dyn Any>>) -> Option<Box<dyn Any>> {
        let real: R = match made {
            Some(made) => *made.downcast().ok()?,
            None => (self.subject)(),
        };
        Some(Box::new(Live::new(real)))
    }

    fn weight(&self, operation: usize, state: &State) -> u32 {
        self.operations[operation].weight(state_of(state))
    }

    fn propose(&self, operation: usize, number: u32, state: &State, case: &mut Case) -> Option<Commands> {
        let mut after: S = state_of::<S>(state).clone();
        let mut arguments = self.operations[operation].no_arguments();
        self.operations[operation].propose(&mut after, case, arguments.as_mut(), number, false)?;
        Some(self.commanded(operation, number, arguments))
    }

    fn commanded(&self, operation: usize, number: u32, arguments: Arguments) -> Commands {
        let mut commands = Commands::of(&self.operations);
        commands.only(operation, number, arguments);
        commands
    }

    fn refusal(&self, commands: &Commands, state: &State) -> Option<String> {
        let command = only(commands);
        let (operation, state) = (&self.operations[command.operation()], state_of::<S>(state));
        let call = operation.show_call(command);
        if !operation.allows(state, command) {
            Some(format!("{call} must not be called in state {state:?}"))
        } else if !operation.is_enabled(state, command) {
            Some(format!("{call} waits in state {state:?}, and nobody could end that"))
        } else {
            None
        }
    }

    fn judged(&self, name: &str, commands: &Commands, state: &State) -> Box<dyn Judged> {
        let command = only(commands);
        let (operation, state) = (&self.operations[command.operation()], state_of::<S>(state));
        let term = operation.term(state, command);
        let kind = format!("{name}.{}", operation.name());
        let called = format!("{name}.{}", operation.show_call(command));
        Box::new(Session::new(kind.into(), called.into(), term, state.clone()))
    }

    fn derived(&self, commands: &Commands, state: &State) -> Box<dyn Derived> {
        let command = only(commands);
        let state = state_of::<S>(state);
        let term = self.operations[command.operation()].term(state, command);
        Box::new(Derivation::new(term, state.clone()))
    }

    fn has_calls(&self, commands: &Commands) -> bool {
        self.operations[only(commands).operation()].has_calls()
    }

    fn expectation(&self, commands: &Commands, state: &State) -> String {
        let command = only(commands);
        self.operations[command.operation()].term(state_of(state), command).to_string()
    }

    fn call(&self, live: &mut dyn Any, commands: &Commands) -> Value {
        let command = only(commands);
        self.operations[command.operation()].call(live_of::<R>(live), command)
    }

    fn has_changed(&self, left: &Left) -> bool {
        left.downcast_ref::<Ended<S>>().is_some_and(|left| left.state.is_some())
    }

    fn move_on(
        &self,
        state: &mut State,
        commands: &Commands,
        result: Option<&dyn Any>,
        left: Left,
        deviating: Option<&Active>,
    ) -> Option<Box<Failure>> {
        let state: &mut S = state.downcast_mut().expect("a state has the type of its component");
        let left: Ended<S> = *left.downcast().expect("what is left has the type of its component");
        let command = only(commands);
        self.operations[command.operation()].move_on(state, command, result, left, deviating)
    }

    fn show_call(&self, commands: &Commands) -> String {
        let command = only(commands);
        self.operations[command.operation()].show_call(command)
    }

    fn show_result(&self, commands: &Commands, result: &dyn Any) -> String {
        self.operations[only(commands).operation()].show_result(result)
    }

    fn show_state(&self, state: &State) -> String {
        format!("{:?}", state_of::<S>(state))
    }

    fn check_laws(&self, state: &State) -> Option<Box<Failure>> {
        Model::check_laws(self, state_of(state))
    }

    fn check_invariants(&self, state: &State, live: &mut dyn Any) -> Option<Box<Failure>> {
        Model::check_invariants(self, state_of(state), &mut live_of::<R>(live).real)
    }

    fn before_all(&self) {
        self.before_all.iter().for_each(|begin| begin());
    }

    fn after_each(&self, state: &State, live: &mut dyn Any) {
        self.after_each.iter().for_each(|end| end(state_of(state), &mut live_of::<R>(live).real));
    }

    fn after_all(&self) {
        self.after_all.iter().for_each(|end| end());
    }

    fn doubted(&self, report: &mut Report) {
        Model::doubted(self, report);
    }
}
