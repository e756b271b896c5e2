//! Is there an order that explains what was seen?

use super::{Consistency, Finding, Live, Oracle, Parallel, Seen, Test, drawing};
use crate::history::{
    History, Judgement, Operation, Outcome, Sequential, final_states, final_states_in_any_order,
    linearizable, sequentially_consistent,
};
use crate::model::live::Value;
use crate::model::{Command, Commands, Model};
use gainsay_core::Failure;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

/// A model as a specification of the commands of one test; operations are known by their places in `commands`.
struct ByModel<'a, S, R> {
    model: &'a Model<S, R>,
    start: S,
    commands: Vec<(Command<'a>, &'a Seen)>,
}

impl<S: Clone + Eq + Hash + Debug + 'static, R: 'static> Sequential for ByModel<'_, S, R> {
    type State = S;
    type Call = usize;
    type Return = usize;
    type Next = Option<S>;

    fn start(&self) -> S {
        self.start.clone()
    }

    fn step(&self, state: &S, &call: &usize, returned: Option<&usize>) -> Option<S> {
        let (command, seen) = self.commands[call];
        let operation = &self.model.operations[command.operation()];
        if !operation.is_enabled(state, command) {
            return None;
        }
        if let (Some(_), Some((_, value))) = (returned, &seen.returned)
            && !operation.agrees(state, command, value.as_any())
        {
            return None;
        }
        let mut next = state.clone();
        operation.next(&mut next, command);
        Some(next)
    }
}

/// The real thing as its own specification: a state is the order of calls so far, and a call returns what it returns after them.
struct ByItself<'a, S, R> {
    model: &'a Model<S, R>,
    prefix: &'a Commands,
    commands: Vec<(Command<'a>, &'a Seen)>,
    /// What the last call of an order returns.
    returned: RefCell<HashMap<Vec<usize>, String>>,
}

impl<S, R> ByItself<'_, S, R> {
    fn last(&self, order: &[usize]) -> String {
        if let Some(known) = self.returned.borrow().get(order) {
            return known.clone();
        }
        let mut live = Live::new((self.model.subject)());
        let commands = self.prefix.iter().chain(order.iter().map(|&call| self.commands[call].0));
        let mut shown = String::new();
        for command in commands {
            let operation = &self.model.operations[command.operation()];
            shown = operation.show_result(operation.call(&mut live, command).as_any());
        }
        self.returned.borrow_mut().insert(order.to_vec(), shown.clone());
        let state = (self.model.start)();
        self.model.after_each.iter().for_each(|end| end(&state, &mut live.real));
        shown
    }
}

impl<S, R> Sequential for ByItself<'_, S, R> {
    type State = Vec<usize>;
    type Call = usize;
    type Return = usize;
    type Next = Option<Vec<usize>>;

    fn start(&self) -> Vec<usize> {
        Vec::new()
    }

    fn step(&self, state: &Vec<usize>, &call: &usize, returned: Option<&usize>) -> Option<Vec<usize>> {
        let (command, seen) = self.commands[call];
        let order: Vec<usize> = state.iter().copied().chain([call]).collect();
        let agrees = |value: &Value| {
            self.last(&order) == self.model.operations[command.operation()].show_result(value.as_any())
        };
        let returned = returned.and(seen.returned.as_ref());
        returned.is_none_or(|(_, value)| agrees(value)).then_some(order)
    }
}

impl<S, R> Model<S, R>
where
    S: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    R: Clone + Send + 'static,
{
    /// Judges what was seen: of all calls, or, without the real thing, until nothing could go on. `end` becomes a state in which the calls
    /// may have left the model.
    pub(in crate::model) fn judge(
        &self,
        test: &Test,
        seen: &[Vec<Seen>],
        start: &S,
        live: Option<&mut Live<R>>,
        how: &Parallel,
        end: &mut Option<S>,
    ) -> Finding {
        let branches = test.branches.iter().chain([&test.suffix]);
        let mut commands = Vec::new();
        let mut history = Vec::new();
        for (process, (branch, seen)) in branches.zip(seen).enumerate() {
            for (command, seen) in branch.iter().zip(seen) {
                let place = commands.len();
                commands.push((command, seen));
                let outcome = match &seen.returned {
                    Some((at, _)) => Outcome::Returned { at: *at, value: place },
                    None => Outcome::Pending,
                };
                history.push(Operation { process, call: place, called: seen.called, outcome });
            }
        }
        let history: History<usize, usize> = history.into_iter().collect();
        let known = commands.clone();
        let judgement = match how.oracle {
            Oracle::Model => {
                let specification = ByModel { model: self, start: start.clone(), commands };
                let judgement = judged(&specification, &history, how.consistency);
                match live {
                    None if judgement.is_explained() => {
                        return self.judge_waiting(&specification, &history, test, seen, how);
                    }
                    Some(live) if judgement.is_explained() => {
                        let states = match how.consistency {
                            _ if !self.cares_for_the_end() => return Finding::Explained,
                            Consistency::Linearizable => final_states(&specification, &history),
                            Consistency::Sequential => final_states_in_any_order(&specification, &history),
                        };
                        return self.judge_end(states, test, seen, live, end);
                    }
                    _ => judgement,
                }
            }
            Oracle::Itself => {
                let specification =
                    ByItself { model: self, prefix: &test.prefix, commands, returned: RefCell::default() };
                let judgement = judged(&specification, &history, how.consistency);
                if live.is_none() && judgement.is_explained() {
                    return self.deadlock(test, seen, "deadlock: nothing can go on".into());
                }
                judgement
            }
        };
        let unexplained = match judgement {
            Judgement::Explained { .. } => return Finding::Explained,
            Judgement::GaveUp { .. } => return Finding::Unknown,
            Judgement::Unexplained(unexplained) => unexplained,
        };
        let names: Vec<String> = known
            .iter()
            .map(|(command, _)| self.operations[command.operation()].show_call(*command))
            .collect();
        let mut reasons: Vec<String> = unexplained
            .reasons
            .iter()
            .filter(|_| how.oracle == Oracle::Model)
            .map(|reason| {
                let order: Vec<&str> = reason.order.iter().map(|&call| names[call].as_str()).collect();
                let after = if order.is_empty() {
                    "at the start".into()
                } else {
                    format!("after {}", order.join(", "))
                };
                format!("  {after} in state {}", reason.state)
            })
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        let word = match how.consistency {
            Consistency::Linearizable => "linearizable",
            Consistency::Sequential => "sequentially consistent",
        };
        let mut message = match unexplained.operation {
            Some(call) => format!("not {word}: no order explains what {} returned", names[call]),
            None => format!("not {word}: no order explains what these calls returned"),
        };
        if !reasons.is_empty() {
            message += "; it was called\n";
            message += &reasons.join("\n");
        }
        let failure = Failure::new("", message).with_signature(&format!("not {word}"));
        Finding::Failed(drawing::with_story(failure, &self.story(test, seen)))
    }

    /// Whether anything depends on the state at the end.
    fn cares_for_the_end(&self) -> bool {
        !(self.invariants.is_empty() && self.laws.is_empty() && self.after_each.is_empty())
    }

    /// What must hold at the end: it fails only if it does in every state in which the calls may have left the model.
    fn judge_end(
        &self,
        states: Option<Vec<S>>,
        test: &Test,
        seen: &[Vec<Seen>],
        live: &mut Live<R>,
        end: &mut Option<S>,
    ) -> Finding {
        let Some(states) = states else { return Finding::Unknown };
        let mut last = None;
        for state in states {
            let failure = self.check_invariants(&state, &mut live.real);
            *end = Some(state);
            match failure {
                None => return Finding::Explained,
                failure => last = failure,
            }
        }
        match last {
            Some(failure) => Finding::Failed(drawing::with_story(*failure, &self.story(test, seen))),
            None => Finding::Unknown,
        }
    }

    /// Nothing can go on any more, and calls still wait: that is as it should be if in some state that explains the others, and in which
    /// they have done nothing, all of them have to.
    fn judge_waiting(
        &self,
        specification: &ByModel<'_, S, R>,
        history: &History<usize, usize>,
        test: &Test,
        seen: &[Vec<Seen>],
        how: &Parallel,
    ) -> Finding {
        if how.consistency != Consistency::Linearizable {
            // Which states an order leads to that the clock does not agree with is not known.
            return Finding::Unknown;
        }
        let settled = history.operations().iter().cloned().map(|operation| match operation.outcome {
            Outcome::Pending => Operation { outcome: Outcome::Failed, ..operation },
            _ => operation,
        });
        let Some(states) = final_states(specification, &settled.collect()) else { return Finding::Unknown };
        let waiting: Vec<Command<'_>> = specification
            .commands
            .iter()
            .filter(|(_, seen)| seen.returned.is_none())
            .map(|(command, _)| *command)
            .collect();
        let goes_on =
            |state: &S, command: Command<'_>| self.operations[command.operation()].is_enabled(state, command);
        let waits = |state: &S| !waiting.iter().any(|&command| goes_on(state, command));
        if waiting.is_empty() {
            return self.deadlock(test, seen, "deadlock: nothing can go on".into());
        }
        if states.iter().any(waits) {
            return Finding::Explained;
        }
        let names = |commands: &mut dyn Iterator<Item = Command<'_>>| -> String {
            let names = commands.map(|command| self.operations[command.operation()].show_call(command));
            names.collect::<Vec<_>>().join(", ")
        };
        let mut message = format!(
            "deadlock: nothing can go on while {} wait{}",
            names(&mut waiting.iter().copied()),
            if waiting.len() == 1 { "s" } else { "" }
        );
        for state in states.iter().take(4) {
            let ready = names(&mut waiting.iter().copied().filter(|&command| goes_on(state, command)));
            message += &format!("\n  in state {state:?} {ready} could proceed");
        }
        self.deadlock(test, seen, message)
    }

    /// A call has panicked: with what was seen until then.
    #[cfg(feature = "shuttle")]
    pub(in crate::model) fn panicked_at(&self, test: &Test, seen: &[Vec<Seen>], failure: Failure) -> Finding {
        Finding::Failed(drawing::with_story(failure, &self.story(test, seen)))
    }

    fn deadlock(&self, test: &Test, seen: &[Vec<Seen>], message: String) -> Finding {
        let failure = Failure::new("", message).with_signature("deadlock");
        Finding::Failed(drawing::with_story(failure, &self.story(test, seen)))
    }

    /// What was seen, as a drawing.
    pub(super) fn story(&self, test: &Test, seen: &[Vec<Seen>]) -> String {
        let branches = test.branches.iter().chain([&test.suffix]);
        let mut bars = Vec::new();
        for (place, (branch, seen)) in branches.zip(seen).enumerate() {
            let title =
                if place < test.branches.len() { format!("branch {}", place + 1) } else { "after".into() };
            for (command, seen) in branch.iter().zip(seen) {
                let operation = &self.operations[command.operation()];
                let call = operation.show_call(command);
                let (to, text) = match &seen.returned {
                    Some((at, value)) => (*at, drawing::line(&call, &operation.show_result(value.as_any()))),
                    None => (u64::MAX, format!("{call} has not returned")),
                };
                bars.push(drawing::Bar { title: title.clone(), from: seen.called, to, text });
            }
        }
        drawing::draw(&bars)
    }
}

fn judged<S: Sequential<Call = usize, Return = usize>>(
    specification: &S,
    history: &History<usize, usize>,
    consistency: Consistency,
) -> Judgement {
    match consistency {
        Consistency::Linearizable => linearizable(specification, history),
        Consistency::Sequential => sequentially_consistent(specification, history),
    }
}
