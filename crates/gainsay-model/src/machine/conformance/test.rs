//! One test of an implementation: inputs are drawn, given, and their answers judged.

use super::super::goal::Met;
use super::super::judge::{Judged, Known, Reaction, Why};
use super::super::{Machine, Next, Relation, Stopped, Transition};
use super::guide::{Guide, Wish};
use super::observed::Observed;
use super::{Conformance, Inputs};
use gainsay_core::{Case, Failure, Outcome, Status};
use std::fmt::Debug;
use std::hash::Hash;

impl<M: Machine> Conformance<M> {
    /// One test, whose random lengths are so many times as large as those of other lists. (Walks are compiled apart from suites: both are hot.)
    pub(super) fn test<const FACTOR: u32>(
        &mut self,
        case: &mut Case,
        trouble: &mut Option<Stopped>,
        mut guide: Option<&mut Guide<'_>>,
    ) -> Outcome {
        if trouble.is_some() {
            return Outcome::of(Status::Undefined);
        }
        let Conformance {
            machine,
            implementation,
            inputs,
            relation,
            taken,
            met,
            next,
            outputs,
            had_choice,
            observed,
            is_sent,
            story,
            has_failed,
            started_anew,
            ..
        } = self;
        let mut started = implementation.reset();
        if let (Err(Stopped::Untestable(why)), true) = (&started, *has_failed) {
            // A failure was seen, and must be confirmed and made small: once more, and otherwise than before.
            started_anew.get_or_insert_with(|| why.clone());
            started = implementation.reset();
        }
        story.begin();
        if let Err(stopped) = started {
            *has_failed |= !matches!(stopped, Stopped::Untestable(_));
            return stop(stopped, "it does not start", trouble);
        }
        let mut known = Known::new(&*machine, std::mem::take(next));
        let mut end = None;
        observed.begin();
        if let Some(guide) = &mut guide {
            guide.begin(case);
        }
        let (is_watched, is_uioco) = (met.is_asked(), *relation == Relation::Uioco);
        case.repeat_longer(0..=self.length_max, FACTOR, |case| {
            let wish = guide.as_mut().map_or(Wish::Something, |guide| guide.wish());
            let (number, input) = match (&mut *inputs, wish) {
                (_, Wish::Nothing) => return case.repeat_no_more(),
                (Inputs::Listed(inputs), wish) => {
                    let number = match (wish, &mut guide) {
                        (Wish::Input(wished), Some(guide)) => guide.draw(case, wished),
                        (Wish::Anything, _) => case.index(inputs.len()),
                        _ => taken.draw(case, known.only(), inputs.len()),
                    };
                    (number, inputs[number].clone())
                }
                (Inputs::Drawn(draw), _) => (0, draw(case)),
                (Inputs::Nowhere, _) => return false,
            };
            if case.is_over() || !known.is_specified(&input, is_uioco) {
                return false;
            }
            is_sent[number] = true;
            outputs.clear();
            let telling = Telling { case, input: &input, observed };
            let stopped = implementation.step(&input, outputs);
            // (It did not panic.)
            std::mem::forget(telling);
            story.add(&input, outputs, &stopped);
            case.tell(|| story.last_line());
            if let Some(guide) = &mut guide {
                guide.step(number);
            }
            // Mostly there is one way to go, and it is gone.
            if !is_watched && stopped.is_ok() && known.goes_on(outputs) {
                observed.see(&input, outputs);
                return true;
            }
            let reaction = Reaction { input, outputs: std::mem::take(outputs) };
            end = match stopped {
                Ok(()) => {
                    let end = judged(&*machine, &mut known, &reaction, met);
                    match known.had_choice() {
                        true => observed.end(),
                        false => observed.see(&reaction.input, &reaction.outputs),
                    }
                    end
                }
                Err(stopped) => {
                    observed.see_none(&reaction.input, &stopped.to_string());
                    Some(stop(stopped, &format!("after {:?}", reaction.input), trouble))
                }
            };
            *outputs = reaction.outputs;
            // (Whatever would come after it does not matter.)
            end.is_none() || case.repeat_no_more()
        });
        *had_choice |= known.had_choice();
        *next = known.into_next();
        if let Some(Outcome { status: Status::Failed, failure: Some(failure), .. }) = &mut end {
            // From now on it is shrunk, which has nothing to do with goals.
            met.stop();
            *has_failed = true;
            failure.story = Some(story.lines());
        }
        match end {
            _ if case.is_over() => Outcome::of(Status::Unjudged),
            Some(outcome) => outcome,
            None => Outcome::of(Status::Passed),
        }
    }
}

/// Judges a reaction, and takes account of what was met by it; how the test ends, if that is the end.
#[inline(never)]
fn judged<'a, M: Machine>(
    machine: &M,
    known: &mut Known<'a, M>,
    reaction: &Reaction<M::Input, M::Output>,
    met: &mut Met<M>,
) -> Option<Outcome> {
    let from = if met.is_asked() { known.only().cloned() } else { None };
    match known.see(reaction) {
        Judged::Yes => {}
        Judged::No(dead) => {
            let states = dead.iter().map(|dead| (&dead.config, dead.why));
            return Some(contradicted(machine, reaction, states, known.had_choice()));
        }
        Judged::GaveUp => return Some(Outcome { cut: true, ..Outcome::of(Status::Undefined) }),
    }
    match (from, known.only()) {
        _ if !met.is_asked() => {}
        (Some(from), Some(to)) => {
            let Reaction { input, outputs } = reaction.clone();
            met.see(Transition { from, input, outputs, to: to.clone() });
        }
        _ => met.see_input(),
    }
    None
}

/// Tells the input at which an implementation panics. Whoever gets past it forgets it.
struct Telling<'a, I: Clone + Eq + Hash + Debug, O: Clone + PartialEq + Debug> {
    case: &'a mut Case,
    input: &'a I,
    observed: &'a mut Observed<I, O>,
}

impl<I: Clone + Eq + Hash + Debug, O: Clone + PartialEq + Debug> Drop for Telling<'_, I, O> {
    #[cold]
    fn drop(&mut self) {
        self.observed.see_none(self.input, "it panicked");
        self.case.tell(|| format!("{:?}", self.input));
    }
}

/// The implementation did not get to an answer.
fn stop(stopped: Stopped, when: &str, trouble: &mut Option<Stopped>) -> Outcome {
    let (kind, why) = match &stopped {
        Stopped::Broken(why) => ("broken", format!("{when}: {why}")),
        Stopped::Late(why) => ("late", format!("{when}: {why} (by timeout)")),
        Stopped::Untestable(why) => ("untestable", why.clone()),
    };
    let failure = Failure::new("", why).with_signature(kind).with_story(Vec::new());
    if let Stopped::Untestable(_) = stopped {
        *trouble = Some(stopped);
        return Outcome::failed(failure.undecided());
    }
    Outcome::failed(failure)
}

/// No state explains what was answered.
fn contradicted<'a, M>(
    machine: &M,
    reaction: &Reaction<M::Input, M::Output>,
    states: impl Iterator<Item = (&'a M::State, Why)>,
    had_choice: bool,
) -> Outcome
where
    M: Machine + 'a,
{
    let Reaction { input, outputs } = reaction;
    let mut message = format!("{input:?} was answered with {outputs:?}");
    for (state, why) in states {
        let mut next = Next::default();
        machine.step(state, input, &mut next);
        let allowed: Vec<String> = next.listed().map(|(_, outputs)| format!("{outputs:?}")).collect();
        message += &match why {
            Why::Unspecified => format!("\nin state {}: nothing is specified", machine.shown(state)),
            Why::Otherwise if !next.is_listed() => {
                format!("\nin state {}: that is refused", machine.shown(state))
            }
            Why::Otherwise => {
                format!("\nin state {}: expected {}", machine.shown(state), allowed.join(" or "))
            }
        };
    }
    let failure = Failure::new("", message).with_signature("answer");
    // Where there was a choice, another time something else may come of it: that does not make this right.
    Outcome::failed(if had_choice { failure.conclusive() } else { failure })
}
