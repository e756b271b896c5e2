//! Operations of a model.

use super::command::{Arguments, Command, Mocked, Operate};
use super::live::{Live, Value, Var};
use super::{Active, Doubt};
use crate::callout::{Captured, Ended, Session, Term, none};
use crate::explain::shown;
use crate::mock::{Judging, settled};
use gainsay_core::{Case, Claim, Failure};
use std::any::{Any, TypeId};
use std::fmt::{self, Debug, Write};
use std::sync::{Arc, Mutex};

/// An operation of a model with state `S` of a real thing `R`: it takes `A` and returns `T`.
///
/// Only arguments and call are required. What is not said is as free as can be: the operation may be called in every state, may
/// return anything and changes nothing.
pub struct Operation<S: Clone + PartialEq + Debug, R, A, T> {
    name: Arc<str>,
    arguments: Box<dyn Fn(&S, &mut Case) -> A + Send + Sync>,
    call: Box<dyn Fn(&mut Live<R>, &A) -> T + Send + Sync>,
    when: Option<Box<dyn Fn(&S) -> bool + Send + Sync>>,
    precondition: Option<Box<dyn Fn(&S, &A) -> bool + Send + Sync>>,
    enabled: Option<Box<dyn Fn(&S, &A) -> bool + Send + Sync>>,
    adapt: Option<Box<dyn Fn(&S, &A) -> Option<A> + Send + Sync>>,
    weight: Option<Box<dyn Fn(&S) -> u32 + Send + Sync>>,
    next: Option<Next<S, A, T>>,
    clauses: Vec<Clause<S, A, T>>,
    observe: Option<Box<dyn Fn(&mut S, &A, &T) + Send + Sync>>,
    calls: Option<Calls<S, A>>,
    observe_calls: Option<Box<dyn Fn(&mut S, &A, &Captured) + Send + Sync>>,
    returns_by_calls: Option<Box<dyn Fn(&S, &A, &Captured, &T) -> Option<String> + Send + Sync>>,
    tolerances: Vec<Tolerance<S, A, T>>,
    deviations: Vec<Deviation<S, A, T>>,
    tags: Vec<String>,
    callers: Vec<String>,
    exported: bool,
    alone: bool,
    asynchronous: bool,
    doubt: Arc<Doubt>,
}

enum Next<S, A, T> {
    Plain(Box<dyn Fn(&mut S, &A) + Send + Sync>),
    /// With the way to share a result.
    WithHandle(Box<dyn Fn(&mut S, &A, Var<T>) + Send + Sync>, fn(T) -> Arc<dyn Any + Send + Sync>),
}

/// The calls that an operation is expected to make.
struct Calls<S: Clone + PartialEq + Debug, A> {
    term: Box<dyn Fn(&S, &A) -> Term<S> + Send + Sync>,
    /// Other operations that are called change the state.
    change_state: bool,
    /// A session as mocks know it; made where it is known that it can be sent.
    judge: fn(&Arc<Mutex<Session<S>>>) -> Arc<Mutex<dyn Judging>>,
}

/// Something that is claimed about what an operation returns.
struct Clause<S, A, T> {
    allows: Box<dyn Fn(&S, &A, &T) -> bool + Send + Sync>,
    /// What is wrong with something that is not allowed.
    explain: Box<dyn Fn(&S, &A, &T) -> String + Send + Sync>,
    name: String,
}

/// The clause that says what is returned.
const RETURNS: &str = "returns";

/// What is also fine.
struct Tolerance<S, A, T> {
    name: String,
    holds: Box<dyn Fn(&S, &A, &T) -> bool + Send + Sync>,
}

/// What an operation may do otherwise.
struct Deviation<S, A, T> {
    name: &'static str,
    /// What is wrong with a result.
    returns: Box<dyn Fn(&S, &A, &T) -> Option<String> + Send + Sync>,
    next: Box<dyn Fn(&mut S, &A) + Send + Sync>,
}

impl<S: Clone + PartialEq + Debug, R, A, T> Debug for Operation<S, R, A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("name", &self.name)
            .field("tags", &self.tags)
            .finish_non_exhaustive()
    }
}

impl<S, R, A, T> Operation<S, R, A, T>
where
    S: Clone + PartialEq + Debug + 'static,
    A: 'static,
    T: Debug + 'static,
{
    pub(super) fn new(
        name: &str,
        arguments: impl Fn(&S, &mut Case) -> A + Send + Sync + 'static,
        call: impl Fn(&mut Live<R>, &A) -> T + Send + Sync + 'static,
        doubt: &Arc<Doubt>,
    ) -> Self {
        Operation {
            name: name.into(),
            arguments: Box::new(arguments),
            call: Box::new(call),
            when: None,
            precondition: None,
            enabled: None,
            adapt: None,
            weight: None,
            next: None,
            clauses: Vec::new(),
            observe: None,
            calls: None,
            observe_calls: None,
            returns_by_calls: None,
            tolerances: Vec::new(),
            deviations: Vec::new(),
            tags: Vec::new(),
            callers: Vec::new(),
            exported: false,
            alone: false,
            asynchronous: false,
            doubt: Arc::clone(doubt),
        }
    }

    /// The call waits on an executor of its own.
    pub(super) fn asynchronous(mut self) -> Self {
        self.asynchronous = true;
        self
    }

    /// The operation may only be called in states in which this holds; its arguments are drawn only then.
    pub fn when(mut self, when: impl Fn(&S) -> bool + Send + Sync + 'static) -> Self {
        self.when = Some(Box::new(when));
        self
    }

    /// The operation may only be called with arguments for which this holds: the duty of the caller.
    pub fn precondition(mut self, holds: impl Fn(&S, &A) -> bool + Send + Sync + 'static) -> Self {
        self.precondition = Some(Box::new(holds));
        self
    }

    /// A guard: where it does not hold, a call waits until it does. (A [precondition](Operation::precondition) is the duty of the
    /// caller; a guard is the business of the real thing.)
    ///
    /// Tests of one thread make only calls that need not wait. Parallel ones make others too, as long as no order of the calls leaves one
    /// waiting for ever; so does a call that never returns, within the [patience](crate::Parallel::patience), show that something is
    /// wrong. Under controlled schedules calls may be left waiting, and are wrong only if they should not.
    pub fn enabled(mut self, holds: impl Fn(&S, &A) -> bool + Send + Sync + 'static) -> Self {
        self.enabled = Some(Box::new(holds));
        self
    }

    /// Other arguments for a command whose precondition does not hold any more, because commands before it were dropped while
    /// shrinking. `None` drops the command, as is the default.
    pub fn adapt(mut self, adapt: impl Fn(&S, &A) -> Option<A> + Send + Sync + 'static) -> Self {
        self.adapt = Some(Box::new(adapt));
        self
    }

    /// How often the operation is chosen, relative to the others; 1 by default. 0 means never.
    pub fn weight(mut self, weight: impl Fn(&S) -> u32 + Send + Sync + 'static) -> Self {
        self.weight = Some(Box::new(weight));
        self
    }

    /// How the operation changes the state.
    pub fn next(mut self, next: impl Fn(&mut S, &A) + Send + Sync + 'static) -> Self {
        self.next = Some(Next::Plain(Box::new(next)));
        self
    }

    /// How the operation changes the state, which may keep a handle of what it returns.
    pub fn next_with(mut self, next: impl Fn(&mut S, &A, Var<T>) + Send + Sync + 'static) -> Self
    where
        T: Send + Sync,
    {
        self.next = Some(Next::WithHandle(Box::new(next), |result| Arc::new(result)));
        self
    }

    /// How the state learns from what was really returned, after [`next`](Operation::next).
    ///
    /// Such a model is *dynamic*: its commands are generated while they run, and other runs than sequential random ones refuse
    /// it.
    pub fn observe(mut self, learn: impl Fn(&mut S, &A, &T) + Send + Sync + 'static) -> Self {
        self.observe = Some(Box::new(learn));
        self
    }

    /// The calls that the operation is expected to make to mocks, and what they are answered, by the state before it; none if nothing
    /// is said. See [`callout`](crate::callout).
    pub fn calls<C: Into<Term<S>>>(mut self, term: impl Fn(&S, &A) -> C + Send + Sync + 'static) -> Self
    where
        S: Send + Sync,
    {
        self.calls = Some(Calls {
            term: Box::new(move |state, arguments| term(state, arguments).into()),
            change_state: false,
            judge: |session| Arc::<Mutex<Session<S>>>::clone(session),
        });
        self
    }

    /// Says that the [calls](Operation::calls) include other operations of the model ([`self_call`](crate::callout::self_call)), which
    /// change the state. Which of them are called is known only then: like [`observe`](Operation::observe), this makes the model
    /// dynamic.
    pub fn self_calls(mut self) -> Self {
        if let Some(calls) = &mut self.calls {
            calls.change_state = true;
        }
        self
    }

    /// How the state learns from what was captured from calls, after [`next`](Operation::next). Like
    /// [`observe`](Operation::observe), this makes the model dynamic.
    pub fn observe_calls(mut self, learn: impl Fn(&mut S, &A, &Captured) + Send + Sync + 'static) -> Self {
        self.observe_calls = Some(Box::new(learn));
        self
    }

    /// What the operation must return, by the state before it and what was captured from its calls.
    pub fn returns_captured(
        mut self,
        expected: impl Fn(&S, &A, &Captured) -> T + Send + Sync + 'static,
    ) -> Self
    where
        T: PartialEq,
    {
        self.returns_by_calls = Some(Box::new(move |state, arguments, captured, result| {
            let expected = expected(state, arguments, captured);
            (expected != *result).then(|| format!("expected {}", shown(&expected)))
        }));
        self
    }

    /// What the operation must return, by the state before it.
    pub fn returns(mut self, expected: impl Fn(&S, &A) -> T + Send + Sync + 'static) -> Self
    where
        T: PartialEq,
    {
        let expected = Arc::new(expected);
        let wanted = Arc::clone(&expected);
        self.clauses.push(Clause {
            allows: Box::new(move |state, arguments, result| expected(state, arguments) == *result),
            explain: Box::new(move |state, arguments, _| {
                format!("expected {}", shown(&wanted(state, arguments)))
            }),
            name: RETURNS.into(),
        });
        self
    }

    /// What must hold for what the operation returns, by the state before it.
    pub fn ensures<C: Claim>(mut self, holds: impl Fn(&S, &A, &T) -> C + Send + Sync + 'static) -> Self {
        let holds = Arc::new(holds);
        let again = Arc::clone(&holds);
        let doubt = Arc::clone(&self.doubt);
        // Each is a failure of its own kind.
        let count = self.clauses.iter().filter(|clause| clause.name.starts_with("ensures")).count();
        let name = if count == 0 { "ensures".into() } else { format!("ensures {}", count + 1) };
        self.clauses.push(Clause {
            allows: Box::new(move |state, arguments, result| {
                doubt.judged(holds(state, arguments, result).outcome()).is_none()
            }),
            explain: Box::new(move |state, arguments, result| {
                let failure = again(state, arguments, result).outcome().failure;
                match failure.map(|failure| failure.message) {
                    Some(message) if !message.is_empty() => {
                        format!("its postcondition does not hold: {message}")
                    }
                    _ => "its postcondition does not hold".into(),
                }
            }),
            name,
        });
        self
    }

    /// Says by name that something is also fine, though it is not what the operation must [return](Operation::returns). How often that was
    /// so is told with the report. What it must [ensure](Operation::ensures) holds all the same.
    pub fn tolerates(
        mut self,
        name: &str,
        holds: impl Fn(&S, &A, &T) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.tolerances.push(Tolerance { name: name.into(), holds: Box::new(holds) });
        self
    }

    /// What the operation may do otherwise than it should, by name: what it returns then, and how the state changes. In the model of a
    /// component that others call; only in runs of a cluster that ask for the [consequences](crate::Cluster::consequences).
    #[track_caller]
    pub fn deviation(
        mut self,
        name: &'static str,
        returns: impl Fn(&S, &A) -> T + Send + Sync + 'static,
        next: impl Fn(&mut S, &A) + Send + Sync + 'static,
    ) -> Self
    where
        T: PartialEq,
    {
        let returns = move |state: &S, arguments: &A, result: &T| {
            let deviating = returns(state, arguments);
            (deviating != *result).then(|| format!("deviating ({name}), it returns {deviating:?}"))
        };
        assert!(
            self.deviations.iter().all(|known| known.name != name),
            "an operation has two deviations called {name:?}: give each a name of its own"
        );
        self.deviations.push(Deviation { name, returns: Box::new(returns), next: Box::new(next) });
        self
    }

    /// A requirement that a passed call of this operation covers, for the statistics.
    pub fn requirement(mut self, tag: &str) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// In a [cluster](crate::cluster()), only these components may call the operation; nobody else does, unless it is
    /// [exported](Operation::exported) as well.
    pub fn callers(mut self, components: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.callers.extend(components.into_iter().map(Into::into));
        self
    }

    /// In a cluster, the operation is called from outside as well, although it has [callers](Operation::callers).
    pub fn exported(mut self) -> Self {
        self.exported = true;
        self
    }

    /// The operation never runs at the same time as another one.
    pub fn alone(mut self) -> Self {
        self.alone = true;
        self
    }
}

impl<S, R, A, T> Operation<S, R, A, T>
where
    S: Clone + PartialEq + Debug + 'static,
    A: Clone + Debug + Send + Sync + 'static,
    T: Debug + Send + 'static,
{
    fn is_allowed(&self, state: &S, arguments: &A) -> bool {
        self.when.as_ref().is_none_or(|when| when(state))
            && self.precondition.as_ref().is_none_or(|holds| holds(state, arguments))
    }

    #[inline]
    fn proceeds(&self, state: &S, arguments: &A) -> bool {
        self.enabled.as_ref().is_none_or(|holds| holds(state, arguments))
    }

    #[inline]
    fn change(&self, state: &mut S, arguments: &A, number: u32) {
        match &self.next {
            None => {}
            Some(Next::Plain(next)) => next(state, arguments),
            Some(Next::WithHandle(next, _)) => next(state, arguments, Var::new(number)),
        }
    }

    #[cold]
    fn failure(&self, state: &S, arguments: &A, result: &T, clause: &Clause<S, A, T>) -> Box<Failure> {
        self.wrong(state, arguments, result, &(clause.explain)(state, arguments, result), &clause.name)
    }

    fn wrong(&self, state: &S, arguments: &A, result: &T, why: &str, clause: &str) -> Box<Failure> {
        let call = called(&self.name, arguments);
        let message = format!("{call} returned {} in state {}; {why}", shown(result), shown(state));
        Box::new(Failure::new("", message).with_signature(&format!("{} {clause}", self.name)))
    }

    /// What is wrong with a result.
    #[inline]
    fn judge(&self, state: &S, arguments: &A, result: &T) -> Option<Box<Failure>> {
        let broken = self.clauses.iter().find(|clause| !self.accepts(clause, state, arguments, result))?;
        Some(self.failure(state, arguments, result, broken))
    }

    #[inline]
    fn accepts(&self, clause: &Clause<S, A, T>, state: &S, arguments: &A, result: &T) -> bool {
        (clause.allows)(state, arguments, result)
            || clause.name == RETURNS && self.tolerated(state, arguments, result)
    }

    /// Whether something that is wrong is also fine.
    #[cold]
    fn tolerated(&self, state: &S, arguments: &A, result: &T) -> bool {
        let tolerance = self.tolerances.iter().find(|tolerance| (tolerance.holds)(state, arguments, result));
        if let Some(tolerance) = tolerance {
            self.doubt.tolerated(&tolerance.name);
        }
        tolerance.is_some()
    }

    /// Judges a result, and moves on to the next state.
    #[inline(always)]
    fn conclude(
        &self,
        state: &mut S,
        live: &mut Live<R>,
        command: Command<'_>,
        arguments: &A,
        result: T,
    ) -> Option<Box<Failure>> {
        let failure = self.judge(state, arguments, &result);
        if failure.is_none() {
            self.change(state, arguments, command.number());
            if let Some(learn) = &self.observe {
                learn(state, arguments, &result);
            }
        }
        self.keep(live, command, result);
        failure
    }

    /// Like a plain run, while mocks judge what is called.
    fn run_mocked(
        &self,
        state: &mut S,
        live: &mut Live<R>,
        command: Command<'_>,
        shown: Option<&mut String>,
        mocked: Mocked<'_>,
    ) -> Option<Box<Failure>> {
        let arguments: &A = arguments_of(command);
        let (result, after) = match self.call_mocked(state, live, arguments, mocked) {
            Ok((result, after)) => (result, after),
            Err(failure) => return Some(Box::new(failure)),
        };
        if let Some(shown) = shown {
            *shown = format!("{result:?}");
        }
        self.settle(state, command, Some(&result), after).or_else(|| {
            self.keep(live, command, result);
            None
        })
    }

    /// Judges a result, if it is known, by the state before and what was called, and moves on to the next state.
    fn settle(
        &self,
        state: &mut S,
        command: Command<'_>,
        result: Option<&T>,
        after: Option<Ended<S>>,
    ) -> Option<Box<Failure>> {
        let arguments: &A = arguments_of(command);
        if let Some(result) = result {
            if let Some(failure) = self.judge(state, arguments, result) {
                return Some(failure);
            }
            if let (Some(returns), Some(after)) = (&self.returns_by_calls, &after)
                && let Some(wrong) = returns(state, arguments, &after.captured, result)
                && !self.tolerated(state, arguments, result)
            {
                return Some(self.wrong(state, arguments, result, &wrong, "returns"));
            }
        }
        let captured = after.map(|after| {
            if let Some(after) = after.state {
                *state = after;
            }
            after.captured
        });
        self.change(state, arguments, command.number());
        if let (Some(learn), Some(captured)) = (&self.observe_calls, &captured) {
            learn(state, arguments, captured);
        }
        if let (Some(learn), Some(result)) = (&self.observe, result) {
            learn(state, arguments, result);
        }
        None
    }

    /// Keeps a result that is a handle.
    fn keep(&self, live: &mut Live<R>, command: Command<'_>, result: T) {
        if let Some(Next::WithHandle(_, share)) = &self.next {
            Live::keep(live, command.number(), share(result));
        }
    }

    /// Calls while mocks judge what is called: the result, what was captured, and the state after the calls.
    fn call_mocked(
        &self,
        state: &S,
        live: &mut Live<R>,
        arguments: &A,
        mocked: Mocked<'_>,
    ) -> Result<(T, Option<Ended<S>>), Failure> {
        let Mocked { scope, case } = mocked;
        let Some(calls) = &self.calls else {
            scope.expect_nothing(&called(&self.name, arguments));
            let result = (self.call)(live, arguments);
            return match scope.settle() {
                (_, Some(failure)) => Err(failure),
                (_, None) => Ok((result, None)),
            };
        };
        let term = (calls.term)(state, arguments);
        let lent = term.draws().then(|| Box::new(std::mem::replace(case, Case::random(0, 0))));
        let name = called(&self.name, arguments);
        let session =
            Arc::new(Mutex::new(Session::new(Arc::clone(&self.name), name.into(), term, state.clone())));
        scope.expect((calls.judge)(&session), lent);
        let settled =
            settled(scope, &session, Some(case), self.uses_captures(), || (self.call)(live, arguments))?;
        if settled.after.state.is_some() && !calls.change_state {
            let name = &self.name;
            let message = format!(
                "the calls of `{name}` include those of another operation, which changes the state: say `.self_calls()` after \
                 `.calls(…)`, so that it is known while commands are generated"
            );
            return Err(Failure::new("", message).with_signature(&format!("{name} calls itself")));
        }
        Ok((settled.result, Some(settled.after)))
    }
}

/// A call as people read it.
pub(super) fn called(name: &str, arguments: &dyn Debug) -> String {
    let mut shown = String::with_capacity(name.len() + 16);
    shown.push_str(name);
    shown.push('(');
    let _ = write!(shown, "{arguments:?}");
    // Several arguments are in parentheses already.
    if shown[name.len() + 1..].starts_with('(') {
        shown.remove(name.len());
    } else {
        shown.push(')');
    }
    shown
}

/// The arguments of a command, which were made by its own operation.
#[inline]
fn arguments_of<A: 'static>(command: Command<'_>) -> &A {
    command.arguments().expect("the arguments of a command have the type of its operation")
}

#[inline]
fn list_of<A: 'static>(arguments: &mut dyn Any) -> &mut Vec<A> {
    arguments.downcast_mut().expect("arguments have the type of their operation")
}

impl<S, R, A, T> Operate<S, R> for Operation<S, R, A, T>
where
    S: Clone + PartialEq + Debug + 'static,
    A: Clone + Debug + Send + Sync + 'static,
    T: Debug + Send + 'static,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn tags(&self) -> &[String] {
        &self.tags
    }

    fn is_alone(&self) -> bool {
        self.alone
    }

    fn is_dynamic(&self) -> bool {
        let changed_by_others = self.calls.as_ref().is_some_and(|calls| calls.change_state);
        self.observe.is_some() || self.observe_calls.is_some() || changed_by_others
    }

    fn is_free(&self) -> bool {
        self.when.is_none() && self.weight.is_none()
    }

    fn weight(&self, state: &S) -> u32 {
        if self.when.as_ref().is_some_and(|when| !when(state)) {
            return 0;
        }
        self.weight.as_ref().map_or(1, |weight| weight(state))
    }

    fn no_arguments(&self) -> Arguments {
        Box::new(Vec::<A>::new())
    }

    fn forget(&self, arguments: &mut dyn Any) {
        list_of::<A>(arguments).clear();
    }

    fn is_asynchronous(&self) -> bool {
        self.asynchronous
    }

    fn has_calls(&self) -> bool {
        self.calls.is_some()
    }

    fn is_blocking(&self) -> bool {
        self.enabled.is_some()
    }

    fn is_enabled(&self, state: &S, command: Command<'_>) -> bool {
        self.proceeds(state, arguments_of(command))
    }

    fn propose(
        &self,
        state: &mut S,
        case: &mut Case,
        arguments: &mut dyn Any,
        number: u32,
        may_wait: bool,
    ) -> Option<u32> {
        let list = list_of::<A>(arguments);
        let mut drawn = (self.arguments)(state, case);
        if !self.is_allowed(state, &drawn) {
            drawn = self.adapt.as_ref().and_then(|adapt| adapt(state, &drawn))?;
            if !self.is_allowed(state, &drawn) {
                return None;
            }
        }
        if self.proceeds(state, &drawn) {
            self.change(state, &drawn, number);
        } else if !may_wait {
            return None;
        }
        list.push(drawn);
        Some(list.len() as u32 - 1)
    }

    fn allows(&self, state: &S, command: Command<'_>) -> bool {
        self.is_allowed(state, arguments_of(command))
    }

    fn next(&self, state: &mut S, command: Command<'_>) {
        let arguments = arguments_of(command);
        self.change(state, arguments, command.number());
    }

    fn run(&self, state: &mut S, live: &mut Live<R>, command: Command<'_>) -> Option<Box<Failure>> {
        let arguments = arguments_of(command);
        let result = (self.call)(live, arguments);
        self.conclude(state, live, command, arguments, result)
    }

    fn run_watched(
        &self,
        state: &mut S,
        live: &mut Live<R>,
        command: Command<'_>,
        shown: Option<&mut String>,
        mocked: Option<Mocked<'_>>,
    ) -> Option<Box<Failure>> {
        if let Some(mocked) = mocked {
            return self.run_mocked(state, live, command, shown, mocked);
        }
        let arguments = arguments_of(command);
        let result = (self.call)(live, arguments);
        if let Some(shown) = shown {
            *shown = format!("{result:?}");
        }
        self.conclude(state, live, command, arguments, result)
    }

    fn callers(&self) -> &[String] {
        &self.callers
    }

    fn is_exported(&self) -> bool {
        self.exported
    }

    fn term(&self, state: &S, command: Command<'_>) -> Term<S> {
        self.calls.as_ref().map_or_else(none, |calls| (calls.term)(state, arguments_of(command)))
    }

    fn has_deviations(&self) -> bool {
        !self.deviations.is_empty()
    }

    fn uses_captures(&self) -> bool {
        self.observe_calls.is_some() || self.returns_by_calls.is_some()
    }

    fn learns_from_result(&self) -> bool {
        self.observe.is_some()
    }

    fn move_on(
        &self,
        state: &mut S,
        command: Command<'_>,
        result: Option<&dyn Any>,
        after: Ended<S>,
        deviating: Option<&Active>,
    ) -> Option<Box<Failure>> {
        let result: Option<&T> =
            result.map(|result| result.downcast_ref().expect("a result has the type of its operation"));
        let Some(active) = deviating else { return self.settle(state, command, result, Some(after)) };
        let deviating = self.deviations.iter().filter(|deviation| active.happens(deviation.name)).last();
        let Some(deviation) = deviating else { return self.settle(state, command, result, Some(after)) };
        let arguments: &A = arguments_of(command);
        if let Some(result) = result
            && let Some(why) = (deviation.returns)(state, arguments, result)
        {
            return Some(self.wrong(state, arguments, result, &why, "deviates"));
        }
        (deviation.next)(state, arguments);
        None
    }

    fn keeps(&self) -> bool {
        matches!(self.next, Some(Next::WithHandle(..)))
    }

    fn call(&self, live: &mut Live<R>, command: Command<'_>) -> Value {
        let result = (self.call)(live, arguments_of(command));
        let Some(Next::WithHandle(_, share)) = &self.next else {
            return Value::Own(Box::new(result));
        };
        let shared = share(result);
        Live::keep(live, command.number(), Arc::clone(&shared));
        Value::Shared(shared)
    }

    fn agrees(&self, state: &S, command: Command<'_>, result: &dyn Any) -> bool {
        let result: &T = result.downcast_ref().expect("a result has the type of its operation");
        let arguments = arguments_of(command);
        self.clauses.iter().all(|clause| self.accepts(clause, state, arguments, result))
    }

    fn fits(&self, command: Command<'_>, result: Option<&dyn Any>) -> bool {
        command.arguments::<A>().is_some() && result.is_none_or(|result| result.is::<T>())
    }

    fn types(&self) -> (TypeId, TypeId) {
        (TypeId::of::<A>(), TypeId::of::<T>())
    }

    fn show_call(&self, command: Command<'_>) -> String {
        called(&self.name, arguments_of::<A>(command))
    }

    fn show_result(&self, result: &dyn Any) -> String {
        result.downcast_ref::<T>().map_or_else(String::new, |result| format!("{result:?}"))
    }
}
