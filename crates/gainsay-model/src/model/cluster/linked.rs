//! The real components of a cluster together: every call between them goes through a spy, and is judged by both specifications.

use super::component::{Judged, State};
use super::{Cluster, Counts, DEPTH_MAX, Drawn, Parts, Plan, of_component, outcome};
use crate::callout::{Answer, Called, Identity, Told};
use crate::mock::{Judging, Scope, dropped};
use gainsay_core::{Case, Failure, Outcome, Status};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One test.
pub(super) fn test(cluster: &Cluster, plan: &Arc<Plan>, case: &mut Case, counts: &mut Counts) -> Outcome {
    let scope = Scope::enter(None);
    let mut parts = cluster.link.as_ref().map_or_else(Parts::new, |link| link());
    let mut lives = Vec::new();
    for part in &plan.components {
        match part.component.real(parts.take(&part.name)) {
            Some(live) => lives.push(live),
            None => panic!("the real `{}` that `link` makes has another type than in its model", part.name),
        }
    }
    if let Some((name, _)) = parts.made.first() {
        panic!("`link` makes a real `{name}`, but the cluster has no such component");
    }
    let stage = Arc::new(Mutex::new(Stage {
        plan: Arc::clone(plan),
        states: plan.starts(),
        frames: Vec::new(),
        number: 0,
        ran: Vec::new(),
    }));
    let ran = catch_unwind(AssertUnwindSafe(|| run(cluster, &scope, &stage, &mut lives, case, counts)));
    let stage = lock(&stage);
    for &(who, operation) in &stage.ran {
        counts.ran(who, operation);
    }
    let ended = catch_unwind(AssertUnwindSafe(|| {
        for ((part, state), live) in plan.components.iter().zip(&stage.states).zip(&mut lives) {
            part.component.after_each(state, live.as_mut());
        }
    }));
    drop(stage);
    let outcome = match (ran, ended) {
        (Ok(Some(failure)), _) => outcome(Some(failure)),
        (Err(panic), _) | (Ok(None), Err(panic)) => resume_unwind(panic),
        (Ok(None), Ok(())) if case.is_over() => Outcome::of(Status::Unjudged),
        (Ok(None), Ok(())) => outcome(None),
    };
    dropped(Some(&scope), lives, outcome)
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws and runs the commands of a test.
fn run(
    cluster: &Cluster,
    scope: &Scope,
    stage: &Arc<Mutex<Stage>>,
    lives: &mut [Box<dyn Any>],
    case: &mut Case,
    counts: &mut Counts,
) -> Option<Box<Failure>> {
    let plan = Arc::clone(&lock(stage).plan);
    let mut failure = check(&plan, &lock(stage).states, lives);
    case.repeat_longer(cluster.len.clone(), cluster.length_factor, |case| {
        let drawn = {
            let mut stage = lock(stage);
            let number = stage.number;
            let Some(drawn) = plan.draw(case, &stage.states, number, counts) else { return false };
            stage.number += 1;
            drawn
        };
        if failure.is_none() && !case.is_over() {
            failure = run_one(&plan, scope, stage, lives, case, &drawn);
            failure = failure.take().or_else(|| check(&plan, &lock(stage).states, lives));
        }
        true
    });
    failure
}

fn check(plan: &Plan, states: &[State], lives: &mut [Box<dyn Any>]) -> Option<Box<Failure>> {
    let parts = plan.components.iter().zip(states).zip(lives);
    parts.into_iter().find_map(|((part, state), live)| {
        let failure = part.component.check_invariants(state, live.as_mut());
        failure.map(|failure| of_component(&part.name, failure))
    })
}

/// Calls a real component from outside.
fn run_one(
    plan: &Plan,
    scope: &Scope,
    stage: &Arc<Mutex<Stage>>,
    lives: &mut [Box<dyn Any>],
    case: &mut Case,
    drawn: &Drawn,
) -> Option<Box<Failure>> {
    let component = &plan.components[drawn.who].component;
    lock(stage).enter(drawn);
    let judge: Arc<Mutex<dyn Judging>> = Arc::<Mutex<Stage>>::clone(stage);
    scope.expect(judge, Some(Box::new(std::mem::replace(case, Case::random(0, 0)))));
    let ran = catch_unwind(AssertUnwindSafe(|| component.call(lives[drawn.who].as_mut(), &drawn.commands)));
    let (lent, trouble) = scope.settle();
    if let Some(lent) = lent {
        *case = *lent;
    }
    let told = match &ran {
        Ok(result) => match component.show_result(&drawn.commands, result.as_any()).as_str() {
            "()" => String::new(),
            result => format!(" → {result}"),
        },
        Err(_) if trouble.is_some() => " was stopped".into(),
        Err(_) => " panicked".into(),
    };
    case.tell(|| format!("{}{told}{}", plan.shown(drawn), lock(stage).told()));
    match (ran, trouble) {
        (_, Some(failure)) => Some(Box::new(failure)),
        (Err(panic), None) => resume_unwind(panic),
        (Ok(result), None) => lock(stage).leave(Some(result.as_any())).err(),
    }
}

/// Where real components meet: their states, and the operations that are at work.
struct Stage {
    plan: Arc<Plan>,
    states: Vec<State>,
    frames: Vec<Frame>,
    number: u32,
    /// Which operations ran, by the places of component and operation.
    ran: Vec<(usize, usize)>,
}

/// An operation at work.
struct Frame {
    called: Drawn,
    /// How it was called, and deep inside in which states.
    at: String,
    session: Box<dyn Judged>,
    /// How many operations had begun then.
    ran: usize,
    /// Calls to other components, as people read them.
    told: Vec<String>,
}

impl Stage {
    /// An operation begins.
    fn enter(&mut self, called: &Drawn) {
        let part = &self.plan.components[called.who];
        let session = part.component.judged(&part.name, &called.commands, &self.states[called.who]);
        let called = Drawn { commands: Arc::clone(&called.commands), ..*called };
        self.ran.push((called.who, called.operation));
        let at = self.plan.at(&called, &self.states, self.frames.len());
        self.frames.push(Frame { called, at, session, ran: self.ran.len(), told: Vec::new() });
    }

    /// The operation at work is over: its result is judged.
    fn leave(&mut self, result: Option<&dyn Any>) -> Result<(), Box<Failure>> {
        let Some(mut frame) = self.frames.pop() else { return Ok(()) };
        let called = &frame.called;
        let part = &self.plan.components[called.who];
        let left = frame.session.end(part.component.uses_captures(called.operation))?;
        let meanwhile: Vec<usize> = self.ran[frame.ran..].iter().map(|(who, _)| *who).collect();
        self.plan.one_state(called, &left, &meanwhile)?;
        let state = &mut self.states[called.who];
        let wrong = part.component.move_on(state, &called.commands, result, left, None);
        if let Some(caller) = self.frames.last_mut() {
            let shown = result.map(|result| part.component.show_result(&called.commands, result));
            let shown = shown.map(|shown| format!(" → {shown}")).unwrap_or_default();
            caller.told.push(format!("{}{shown}{}", self.plan.shown(called), bracketed(&frame.told)));
        }
        match wrong {
            None => Ok(()),
            Some(failure) => {
                let mut failure = of_component(&part.name, failure);
                if let Some(caller) = self.frames.last() {
                    failure.message =
                        format!("{} (called by {})", failure.message, self.plan.shown(&caller.called));
                }
                Err(failure)
            }
        }
    }

    /// The calls between components that the call from outside has made so far, in brackets.
    fn told(&self) -> String {
        self.frames.iter().rev().fold(String::new(), |inner, frame| {
            let mut told = frame.told.clone();
            told.extend(Some(inner).filter(|inner| !inner.is_empty()));
            match self.frames.first() {
                Some(first) if std::ptr::eq(first, frame) => bracketed(&told),
                _ => format!("{}{}", self.plan.shown(&frame.called), bracketed(&told)),
            }
        })
    }

    /// A call that the operation at work was expected to make goes to the component that it is bound to.
    fn pass_on(&mut self, answer: &Answer) -> Result<(), Box<Failure>> {
        let plan = Arc::clone(&self.plan);
        let Some((caller, call)) = self.frames.last().and_then(|frame| Some((frame, frame.session.last()?)))
        else {
            return Ok(());
        };
        let Some(binding) = plan.binding(call.identity()) else { return Ok(()) };
        let Some(called) = plan.callee(binding, &call, self.number) else { return Ok(()) };
        let disagree = |kind: &str, why: &str, theirs: &str| {
            let state = &self.states[caller.called.who];
            plan.disagreement(&caller.called, state, &format!("{} {kind}", call.name()), why, theirs)
        };
        plan.may_call(&caller.called, &called, &self.states[called.who])
            .map_err(|(kind, why, theirs)| disagree(kind, &why, &theirs))?;
        if self.frames.len() >= DEPTH_MAX {
            let path: Vec<String> = self.frames.iter().map(|frame| frame.at.clone()).collect();
            return Err(plan.too_deep(&path));
        }
        let component = &plan.components[called.who].component;
        let is_spied = call.is_spied();
        if !is_spied && component.has_calls(&called.commands) {
            let message = format!(
                "{} is answered by a mock, but {} makes calls itself: link the real component by a spy",
                call.shown(),
                plan.shown(&called)
            );
            return Err(Box::new(Failure::new("", message).with_signature("a mock in place of a component")));
        }
        let result = binding.result_of(&call, answer);
        if !is_spied && result.is_none() {
            let why =
                format!("takes it for granted that {} {answer:?}, which no operation does", call.shown());
            return Err(disagree("panics", &why, ""));
        }
        drop(call);
        self.number += 1;
        self.enter(&called);
        // If a mock answers, in place of the component: what its specification says must fit.
        if is_spied { Ok(()) } else { self.leave(result.as_deref()) }
    }
}

fn bracketed(calls: &[String]) -> String {
    if calls.is_empty() { String::new() } else { format!(" [{}]", calls.join("], [")) }
}

impl Judging for Stage {
    fn call(
        &mut self,
        call: Called,
        case: &mut Option<Box<Case>>,
        told: &mut Told,
    ) -> Result<(), Box<Failure>> {
        let Some(frame) = self.frames.last_mut() else {
            return Err(Box::new(Failure::new("", "a call while no operation is at work")));
        };
        frame.session.call(call, case, told)?;
        self.pass_on(&told.given.answer)
    }

    fn returned(&mut self, method: Identity, end: Option<(&dyn Any, &dyn Any)>) -> Result<(), Failure> {
        let plan = Arc::clone(&self.plan);
        let Some(binding) = plan.binding(method) else { return Ok(()) };
        match end {
            Some((after, value)) => {
                let result = binding.result(after, value);
                self.leave(result.as_deref()).map_err(|failure| *failure)
            }
            None => {
                let Some(frame) = self.frames.pop() else { return Ok(()) };
                let caller = self.frames.last().map(|caller| plan.shown(&caller.called)).unwrap_or_default();
                let call = plan.shown(&frame.called);
                let message =
                    format!("{call} did not return, as its specification says (called by {caller})");
                Err(Failure::new("", message)
                    .with_signature(&format!("{} does not return", binding.operation)))
            }
        }
    }
}
