//! The specifications of a cluster held against each other: every call between components is made up.

use super::component::State;
use super::{Cluster, Counts, DEPTH_MAX, Drawn, Plan, of_component, outcome};
use crate::callout::Imagined;
use crate::model::Active;
use gainsay_core::{Case, Failure, Outcome, Status};
use std::any::Any;
use std::sync::Arc;

/// One test.
pub(super) fn test(
    cluster: &Cluster,
    case: &mut Case,
    counts: &mut Counts,
    deviating: Option<&Arc<Active>>,
) -> Outcome {
    let plan = &cluster.plan;
    let deviating = deviating.cloned();
    if let Some(active) = &deviating {
        active.begin();
    }
    let mut run = Run {
        plan,
        states: plan.starts(),
        path: Vec::new(),
        ran: Vec::new(),
        number: 0,
        counts,
        deviating,
        story: Story::default(),
    };
    let mut failure = plan.check_laws(&run.states);
    case.repeat_longer(cluster.len.clone(), cluster.length_factor, |case| {
        let number = run.number;
        let Some(drawn) = plan.draw(case, &run.states, number, run.counts) else { return false };
        run.number += 1;
        if failure.is_none() && !case.is_over() {
            run.story = Story::of(case.is_shown().then(|| plan.shown(&drawn)));
            let imagined = run.imagine(case, &drawn, None);
            if let Some(story) = run.story.end() {
                case.tell(|| story);
            }
            failure = match imagined {
                Err(failure) | Ok(Some(failure)) => Some(failure),
                Ok(None) => plan.check_laws(&run.states),
            };
        }
        true
    });
    if case.is_over() {
        return Outcome::of(Status::Unjudged);
    }
    outcome(failure)
}

/// A test that runs.
struct Run<'a> {
    plan: &'a Plan,
    states: Vec<State>,
    /// Who has called whom, from the outside to the inside.
    path: Vec<String>,
    /// Whose operations were begun in this test.
    ran: Vec<usize>,
    number: u32,
    counts: &'a mut Counts,
    deviating: Option<Arc<Active>>,
    story: Story,
}

/// A call from outside, and in brackets those that come of it; nothing unless somebody reads it.
#[derive(Default)]
struct Story {
    told: Option<String>,
    /// How many brackets are open.
    open: usize,
}

impl Story {
    fn of(told: Option<String>) -> Story {
        Story { told, open: 0 }
    }

    /// A call comes of the last one that is not over.
    fn begin(&mut self, call: impl FnOnce() -> String) {
        if let Some(told) = &mut self.told {
            told.push_str(if told.ends_with(']') { ", [" } else { " [" });
            told.push_str(&call());
            self.open += 1;
        }
    }

    /// The last call is over.
    fn close(&mut self) {
        if let Some(told) = &mut self.told {
            told.push(']');
            self.open -= 1;
        }
    }

    /// All of it; calls that are not over went wrong.
    fn end(&mut self) -> Option<String> {
        let told = self.told.take()?;
        Some(format!("{told}{}", "]".repeat(self.open)))
    }
}

/// So many calls of one operation are made up.
const CALLS_MAX: usize = 1000;

impl Run<'_> {
    /// Makes up an operation: its calls, and its next state. What is wrong with its result, if that is known.
    ///
    /// # Errors
    /// What is wrong with its calls.
    fn imagine(
        &mut self,
        case: &mut Case,
        called: &Drawn,
        result: Option<&dyn Any>,
    ) -> Result<Option<Box<Failure>>, Box<Failure>> {
        let part = &self.plan.components[called.who];
        self.path.push(self.plan.at(called, &self.states, self.path.len()));
        if self.path.len() > DEPTH_MAX {
            return Err(self.plan.too_deep(&self.path));
        }
        self.counts.ran(called.who, called.operation);
        self.ran.push(called.who);
        let begun = self.ran.len();
        let mut derivation = part.component.derived(&called.commands, &self.states[called.who]);
        let stuck = |why: String| {
            let message = format!("the calls of {} cannot be made up: {why}", self.plan.shown(called));
            let name = part.component.operation_name(called.operation);
            // Nothing was contradicted: the term says too little, or too much.
            let failure = Failure::new("", message).with_signature(&format!("{}.{name} is stuck", part.name));
            Box::new(failure.undecided())
        };
        let mut calls = 0;
        while let Some(imagined) = derivation.next(case).map_err(stuck)? {
            self.pass_on(case, called, &imagined)?;
            calls += 1;
            if calls > CALLS_MAX {
                return Err(stuck(format!("there are more than {CALLS_MAX}")));
            }
        }
        let left = derivation.end().ok_or_else(|| stuck("nothing may follow".into()))?;
        self.plan.one_state(called, &left, &self.ran[begun..])?;
        let state = &mut self.states[called.who];
        let deviating = self.deviating.as_deref();
        let wrong = part.component.move_on(state, &called.commands, result, left, deviating);
        self.path.pop();
        Ok(wrong.map(|failure| of_component(&part.name, failure)))
    }

    /// A call that was made up, to the component that it is bound to; if it is bound to none, it stays outside.
    fn pass_on(&mut self, case: &mut Case, caller: &Drawn, imagined: &Imagined) -> Result<(), Box<Failure>> {
        let Imagined { call, method, shown, is_given, answer, answer_shown } = imagined;
        let Some(binding) = self.plan.binding(*method) else {
            self.story.begin(|| format!("{shown} → {answer_shown}"));
            self.story.close();
            return Ok(());
        };
        let called = self.plan.callee(binding, call, self.number).filter(|_| *is_given);
        let Some(called) = called else {
            let message = format!(
                "the calls of {} cannot be followed: the arguments of {shown} are not known beforehand: say `.given(…)` of \
                 the call-out",
                self.plan.shown(caller)
            );
            return Err(Box::new(Failure::new("", message).with_signature(call.name()).undecided()));
        };
        self.number += 1;
        self.plan.may_call(caller, &called, &self.states[called.who]).map_err(|(kind, why, theirs)| {
            self.disagree(caller, &format!("{} {kind}", call.name()), &why, &theirs)
        })?;
        self.story.begin(|| format!("{} → {answer_shown}", self.plan.shown(&called)));
        let Some(result) = binding.result_of(call, answer) else {
            let why = format!("takes it for granted that {shown} {answer_shown}, which no operation does");
            return Err(self.disagree(caller, &format!("{} panics", call.name()), &why, ""));
        };
        let wrong = self.imagine(case, &called, Some(result.as_ref()))?;
        self.story.close();
        match wrong {
            None => Ok(()),
            Some(failure) => {
                let why = format!("takes it for granted that {shown} is answered {answer_shown}");
                Err(self.disagree(caller, &format!("{} answer", call.name()), &why, &failure.message))
            }
        }
    }

    /// The specification of a caller, and that of whom it calls, do not fit together.
    fn disagree(&self, caller: &Drawn, kind: &str, why: &str, theirs: &str) -> Box<Failure> {
        self.plan.disagreement(caller, &self.states[caller.who], kind, why, theirs)
    }
}

impl Plan {
    /// A call at some depth, as people read it; deep inside also the states, by which it is seen whether calls go round in circles.
    pub(super) fn at(&self, called: &Drawn, states: &[State], depth: usize) -> String {
        let mut shown = self.shown(called);
        if depth >= DEPTH_MAX / 2 {
            for (part, state) in self.components.iter().zip(states) {
                shown.push_str(&format!(" with {} in state {}", part.name, part.component.show_state(state)));
            }
        }
        shown
    }

    /// Calls are nested too deep. If one of them comes again and again in the same states, that has no end; otherwise nothing is known.
    pub(super) fn too_deep(&self, path: &[String]) -> Box<Failure> {
        let repeats = path.iter().filter(|call| Some(*call) == path.last()).count() > 2;
        let first = path.iter().take(4).cloned().collect::<Vec<_>>().join(" → ");
        if repeats {
            let message = format!("calls between components go on for ever: {first} → …");
            return Box::new(Failure::new("", message).with_signature("recursion between components"));
        }
        let message = format!("calls between components are nested more than {DEPTH_MAX} deep: {first} → …");
        Box::new(Failure::new("", message).with_signature("calls are nested too deep").undecided())
    }

    /// Whether an operation may be called by another in a state: otherwise a word for it, what the caller does, and what the
    /// specification of the callee says.
    pub(super) fn may_call(
        &self,
        caller: &Drawn,
        called: &Drawn,
        state: &State,
    ) -> Result<(), (&'static str, String, String)> {
        let (who, callee) = (&self.components[caller.who].name, &self.components[called.who]);
        let call = self.shown(called);
        let callers = callee.component.callers(called.operation);
        if !callers.is_empty() && !callers.contains(who) {
            let theirs = format!("{}: only {} may call {call}", callee.name, callers.join(" and "));
            return Err(("caller", format!("calls {call}"), theirs));
        }
        match callee.component.refusal(&called.commands, state) {
            Some(theirs) => Err(("refused", format!("calls {call}"), format!("{}: {theirs}", callee.name))),
            None => Ok(()),
        }
    }

    /// Two specifications do not fit together.
    pub(super) fn disagreement(
        &self,
        caller: &Drawn,
        state: &State,
        kind: &str,
        why: &str,
        theirs: &str,
    ) -> Box<Failure> {
        let part = &self.components[caller.who];
        let expectation = part.component.expectation(&caller.commands, state);
        let mut message = format!(
            "the specifications disagree: {} {why}\n  {}: {} in state {} is expected to call {expectation}",
            self.shown(caller),
            part.name,
            part.component.show_call(&caller.commands),
            part.component.show_state(state),
        );
        if !theirs.is_empty() {
            message.push_str("\n  ");
            message.push_str(theirs);
        }
        let operation = part.component.operation_name(caller.operation);
        Box::new(Failure::new("", message).with_signature(&format!("{}.{operation} {kind}", part.name)))
    }
}
