//! Clusters: several components, each with its model, of which one calls the other.
//!
//! A call-out of one component is *bound* to an operation of another. Then the two specifications can be held against each other,
//! without anything real: may it be called there, and would it answer what the caller takes for granted? And with the real
//! components, linked by spies, each call between them is judged by both.
//!
//! ```
//! use gainsay_model::callout::{Method, call};
//! use gainsay_core::settings;
//! use gainsay_model::{cluster, model};
//!
//! const PUSH: Method<(u8,), bool> = Method::new("push");
//!
//! let mailbox = model(|| 0, || ()).operation("post", |_, case| case.any::<u8>(), |_, _| (), |post| {
//!     post.calls(|_, letter| call(PUSH).given((*letter,)).returns(true)).next(|count, _| *count += 1)
//! });
//! let buffer = model(|| 0, || ()).operation("push", |_, case| case.any::<u8>(), |_, _| true, |push| {
//!     push.callers(["mailbox"]).returns(|count, _| *count < 3).next(|count, _| *count += 1)
//! });
//! let verdict = cluster("letters")
//!     .component("mailbox", mailbox)
//!     .component("buffer", buffer)
//!     .bind(PUSH, "buffer", "push", |(item,)| *item, |_, done| *done)
//!     .settings(settings().without_corpus())
//!     .verdict_model_only();
//! let wrong = verdict.counterexample().expect("the fourth letter is one too many");
//! assert_eq!(wrong.notes.len(), 4);
//! ```

mod binding;
mod component;
mod counts;
mod imagined;
mod linked;

use super::{Active, Model, assumptions};
use crate::callout::{Called, Identity, Method};
use binding::Binding;
use component::{Component, Left, State};
use counts::Counts;
use gainsay_core::{Case, Error, Failure, Outcome, Report, Settings, Status, Verdict, finish};
use std::any::Any;
use std::fmt::{self, Debug};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Several components, and who calls whom.
#[must_use]
pub struct Cluster {
    plan: Plan,
    link: Option<Box<dyn Fn() -> Parts + Send + Sync>>,
    len: RangeInclusive<usize>,
    length_factor: u32,
    settings: Option<Settings>,
}

/// What is known of a cluster in every test.
struct Plan {
    name: String,
    components: Vec<Part>,
    bindings: Vec<Binding>,
}

/// A component with its name.
struct Part {
    name: String,
    component: Box<dyn Component>,
}

/// How deep calls between components may be nested.
const DEPTH_MAX: usize = 100;

/// Begins a cluster.
pub fn cluster(name: &str) -> Cluster {
    Cluster {
        plan: Plan { name: name.into(), components: Vec::new(), bindings: Vec::new() },
        link: None,
        len: 1..=usize::MAX,
        length_factor: 1,
        settings: None,
    }
}

impl Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.plan.components.iter().map(|part| part.name.as_str()).collect();
        f.debug_struct("Cluster").field("name", &self.plan.name).field("components", &names).finish()
    }
}

/// The real components of a cluster, by their names.
#[derive(Default)]
pub struct Parts {
    made: Vec<(String, Box<dyn Any>)>,
}

impl Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.made.iter().map(|(name, _)| name)).finish()
    }
}

impl Parts {
    /// None so far.
    pub fn new() -> Parts {
        Parts::default()
    }

    /// With a real component.
    pub fn with<R: 'static>(mut self, component: &str, real: R) -> Parts {
        self.made.push((component.into(), Box::new(real)));
        self
    }

    fn take(&mut self, component: &str) -> Option<Box<dyn Any>> {
        let place = self.made.iter().position(|(name, _)| name == component)?;
        Some(self.made.swap_remove(place).1)
    }
}

impl Cluster {
    /// Adds a component: its name, and its model.
    pub fn component<S, R>(mut self, name: &str, model: Model<S, R>) -> Cluster
    where
        S: Clone + PartialEq + Debug + Send + Sync + 'static,
        R: 'static,
    {
        self.plan.components.push(Part { name: name.into(), component: Box::new(model) });
        self
    }

    /// Binds a method that components call to an operation of a component: what its arguments are for the operation; and what the
    /// operation returned, by the arguments afterwards and the result of the method.
    pub fn bind<A, R, B, T>(
        mut self,
        method: Method<A, R>,
        component: &str,
        operation: &str,
        arguments: impl Fn(&A) -> B + Send + Sync + 'static,
        result: impl Fn(&A, &R) -> T + Send + Sync + 'static,
    ) -> Cluster
    where
        A: 'static,
        R: 'static,
        B: Send + Sync + 'static,
        T: 'static,
    {
        self.plan.bindings.push(Binding::new(method, component, operation, arguments, result));
        self
    }

    /// How the real components are made, for a test of them all: those that call others have spies on them. Without this, each is
    /// made as its model says.
    pub fn link(mut self, link: impl Fn() -> Parts + Send + Sync + 'static) -> Cluster {
        self.link = Some(Box::new(link));
        self
    }

    /// How many commands a test has; by default at least one, and as many as the size of a case suggests.
    pub fn len(mut self, len: RangeInclusive<usize>) -> Cluster {
        self.len = len;
        self
    }

    /// Makes tests so many times longer.
    pub fn length_factor(mut self, factor: u32) -> Cluster {
        self.length_factor = factor;
        self
    }

    /// Other settings than the usual ones.
    pub fn settings(mut self, settings: Settings) -> Cluster {
        self.settings = Some(settings);
        self
    }

    /// Tests the real components together, and panics with the report if one of them, or a call between them, is not as specified.
    #[track_caller]
    pub fn check(mut self) {
        self.settings = Some(self.take_settings().checked());
        finish(self.report());
    }

    /// The verdict on the real components together.
    ///
    /// # Panics
    /// If the cluster, the settings or the environment make no sense.
    #[track_caller]
    pub fn verdict(self) -> Verdict {
        self.report().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on the real components together.
    ///
    /// # Errors
    /// If the cluster, the settings or the environment make no sense.
    #[track_caller]
    pub fn report(mut self) -> Result<Report, Error> {
        self.sound()?;
        let settings = self.take_settings();
        let name = self.plan.name.clone();
        let plan = Arc::new(std::mem::replace(&mut self.plan, cluster("").plan));
        let mut counts = Counts::of(&plan, &settings);
        plan.components.iter().for_each(|part| part.component.before_all());
        let report =
            settings.report_outcomes(&name, &mut |case| linked::test(&self, &plan, case, &mut counts));
        plan.components.iter().for_each(|part| part.component.after_all());
        let mut report = plan.remarked(report?, &counts);
        if let Verdict::Proved(proved) = &mut report.verdict {
            proved.assumptions = assumptions();
        }
        Ok(report)
    }

    /// Holds the specifications of the components against each other, without anything real, and panics with the report if they disagree.
    #[track_caller]
    pub fn check_model_only(mut self) {
        self.settings = Some(self.take_settings().checked());
        finish(self.report_model_only());
    }

    /// The verdict on the specifications alone.
    ///
    /// # Panics
    /// If the cluster, the settings or the environment make no sense.
    #[track_caller]
    pub fn verdict_model_only(self) -> Verdict {
        self.report_model_only().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on the specifications alone.
    ///
    /// # Errors
    /// If an operation that is called from outside learns from what it really returns, or the cluster, the settings or the environment
    /// make no sense.
    #[track_caller]
    pub fn report_model_only(mut self) -> Result<Report, Error> {
        let settings = self.take_settings();
        self.run_alone(settings, "alone", None)
    }

    pub(super) fn take_settings(&mut self) -> Settings {
        self.settings.take().unwrap_or_default()
    }

    #[track_caller]
    pub(super) fn run_alone(
        &self,
        settings: Settings,
        about: &str,
        deviating: Option<&Arc<Active>>,
    ) -> Result<Report, Error> {
        self.sound()?;
        self.plan.without_observing()?;
        let name = format!("{} {about}", self.plan.name);
        let mut counts = Counts::of(&self.plan, &settings);
        let test = &mut |case: &mut Case| imagined::test(self, case, &mut counts, deviating);
        let report = settings.report_outcomes(&name, test)?;
        Ok(self.plan.remarked(report, &counts))
    }

    /// Whether the cluster makes sense.
    fn sound(&self) -> Result<(), Error> {
        let name = &self.plan.name;
        let refuse = |why: String| Err(Error::specification(format!("the cluster `{name}` {why}")));
        if self.plan.components.is_empty() {
            return refuse("has no component: add one with `.component(…)`".into());
        }
        if self.len.is_empty() {
            return refuse("has no possible number of commands: change `.len(…)`".into());
        }
        for (place, part) in self.plan.components.iter().enumerate() {
            part.component.sound(&part.name)?;
            if self.plan.components[..place].iter().any(|other| other.name == part.name) {
                return refuse(format!("has two components called `{}`: give each its own name", part.name));
            }
        }
        for (place, binding) in self.plan.bindings.iter().enumerate() {
            let method = binding.method;
            let Some(callee) = self.plan.component(&binding.component) else {
                return refuse(format!("binds `{method}` to `{}`, which is not in it", binding.component));
            };
            let Some(operation) = callee.operation(&binding.operation) else {
                let (component, operation) = (&binding.component, &binding.operation);
                return refuse(format!(
                    "binds `{method}` to `{operation}`, which `{component}` does not have"
                ));
            };
            if !callee.accepts(operation, binding.types()) {
                return refuse(format!(
                    "binds `{method}` to `{}.{}`, which has arguments or results of other types",
                    binding.component, binding.operation
                ));
            }
            if self.plan.bindings[..place].iter().any(|other| other.identity == binding.identity) {
                return refuse(format!("binds `{method}` twice: one operation answers a method"));
            }
        }
        for part in &self.plan.components {
            for caller in part.component.all_callers() {
                if self.plan.component(caller).is_none() {
                    return refuse(format!(
                        "has no component `{caller}`, which is a caller of `{}`",
                        part.name
                    ));
                }
            }
        }
        if self.plan.top_level().next().is_none() {
            return refuse("has no operation that is called from outside: say `.exported()` of one".into());
        }
        Ok(())
    }
}

impl Plan {
    fn component(&self, name: &str) -> Option<&dyn Component> {
        self.components.iter().find(|part| part.name == name).map(|part| part.component.as_ref())
    }

    fn binding(&self, method: Identity) -> Option<&Binding> {
        self.bindings.iter().find(|binding| binding.identity == method)
    }

    /// The operation that a method is bound to, called with the arguments of a call, if they are known.
    fn callee(&self, binding: &Binding, call: &Called, number: u32) -> Option<Drawn> {
        let arguments = binding.arguments(call.arguments())?;
        let who = self.components.iter().position(|part| part.name == binding.component)?;
        let component = &self.components[who].component;
        let operation = component.operation(&binding.operation)?;
        Some(Drawn { who, operation, commands: Arc::new(component.commanded(operation, number, arguments)) })
    }

    /// An operation is over that calls others of its own component, in the specification. If somebody has called back meanwhile, two
    /// states are left behind, and nobody says which one it is.
    fn one_state(&self, called: &Drawn, left: &Left, ran_meanwhile: &[usize]) -> Result<(), Box<Failure>> {
        let part = &self.components[called.who];
        if !ran_meanwhile.contains(&called.who) || !part.component.has_changed(left) {
            return Ok(());
        }
        let message = format!(
            "{} was called back while {} was at work, whose calls include other operations: which state that leaves is not known; \
             say its calls without `self_call`",
            part.name,
            self.shown(called)
        );
        let signature = format!("{} is called back", part.name);
        Err(Box::new(Failure::new("", message).with_signature(&signature).undecided()))
    }

    /// Operations that are called from outside: the places of the component and of the operation.
    fn top_level(&self) -> impl Iterator<Item = (usize, usize)> {
        self.components.iter().enumerate().flat_map(|(who, part)| {
            let operations = 0..part.component.operations();
            operations
                .filter(|&operation| part.component.is_exported(operation))
                .map(move |operation| (who, operation))
        })
    }

    /// Refuses operations that are called from outside and learn from what they return.
    fn without_observing(&self) -> Result<(), Error> {
        for (who, operation) in self.top_level() {
            let part = &self.components[who];
            if part.component.learns_from_result(operation) {
                return Err(Error::specification(format!(
                    "`{}.{}` observes what it really returns: runs of the specifications alone need a model without `observe`",
                    part.name,
                    part.component.operation_name(operation)
                )));
            }
        }
        Ok(())
    }

    fn starts(&self) -> Vec<State> {
        self.components.iter().map(|part| part.component.start()).collect()
    }

    /// Draws an operation that is possible, by weight, and its arguments.
    fn draw(&self, case: &mut Case, states: &[State], number: u32, counts: &mut Counts) -> Option<Drawn> {
        let (choices, weights): (Vec<(usize, usize)>, Vec<u32>) = self
            .top_level()
            .map(|(who, operation)| {
                ((who, operation), self.components[who].component.weight(operation, &states[who]))
            })
            .unzip();
        let chosen = case.option(weights.len(), &weights);
        if weights[chosen] == 0 {
            return None;
        }
        let (who, operation) = choices[chosen];
        let commands = self.components[who].component.propose(operation, number, &states[who], case);
        counts.proposed(who, operation);
        Some(Drawn { who, operation, commands: Arc::new(commands?) })
    }

    /// How a call is shown.
    fn shown(&self, drawn: &Drawn) -> String {
        let part = &self.components[drawn.who];
        format!("{}.{}", part.name, part.component.show_call(&drawn.commands))
    }

    fn check_laws(&self, states: &[State]) -> Option<Box<Failure>> {
        let parts = self.components.iter().zip(states);
        parts.into_iter().find_map(|(part, state)| {
            part.component.check_laws(state).map(|failure| of_component(&part.name, failure))
        })
    }

    fn remarked(&self, mut report: Report, counts: &Counts) -> Report {
        for part in &self.components {
            part.component.doubted(&mut report);
        }
        if !report.verdict.is_good() || !counts.are_telling() {
            return report;
        }
        let from_outside: Vec<(usize, usize)> = self.top_level().collect();
        let mut never = Vec::new();
        for (who, part) in self.components.iter().enumerate() {
            for operation in 0..part.component.operations() {
                let Some(why) = counts.never(who, operation) else { continue };
                let name = part.component.operation_name(operation);
                // (Whether others call an operation is theirs to say: that it was not needed is told and no more.)
                match from_outside.contains(&(who, operation)) {
                    true => never.push(format!("the operation `{}.{name}` ({why})", part.name)),
                    false => {
                        report.remarks.push(format!("the operation `{}.{name}` never ran: {why}", part.name))
                    }
                }
            }
        }
        report.never_exercised(never);
        report
    }
}

/// A call of an operation: from outside, or by another component.
struct Drawn {
    who: usize,
    operation: usize,
    commands: Arc<super::Commands>,
}

/// The failure of a component, with its name.
fn of_component(name: &str, mut failure: Box<Failure>) -> Box<Failure> {
    failure.message = format!("{name}: {}", failure.message);
    failure
}

/// Ends a test: what went wrong first counts.
fn outcome(failure: Option<Box<Failure>>) -> Outcome {
    failure.map_or_else(|| Outcome::of(Status::Passed), Outcome::failed)
}
