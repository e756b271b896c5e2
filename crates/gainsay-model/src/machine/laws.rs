//! Tests of a specification itself, before there is anything that implements it.

use super::{Machine, Next};
use gainsay_core::{
    Arbitrary, Case, Claim, Error, Outcome, Report, Scope, Settings, Status, Verdict, plural, settings,
};
use rustc_hash::FxHashSet;
use std::fmt::Debug;

/// A transition of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition<S, I, O> {
    /// Where it begins.
    pub from: S,
    /// What was put in.
    pub input: I,
    /// What came out.
    pub outputs: Vec<O>,
    /// Where it ends.
    pub to: S,
}

/// Over which states a law is tested.
enum Over<S> {
    Reachable,
    Given(Vec<S>),
    Drawn(fn(&mut Case) -> S),
}

/// The laws of a machine: see [`laws`].
pub struct Laws<'a, M: Machine> {
    machine: &'a M,
    inputs: Vec<M::Input>,
    over: Over<M::State>,
    states_max: usize,
    settings: Settings,
}

impl<M: Machine> Debug for Laws<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Laws").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}

/// Tests laws over the transitions of a specification: in all states that these inputs lead to, unless somebody says otherwise.
///
/// ```
/// use gainsay_model::machine::{laws, machine};
///
/// let purse = machine(20, |cents: &u32, paid: &u32| if *paid <= *cents { Some((cents - paid, vec![*paid])) } else { None });
/// assert!(laws(&purse, [1, 2]).verdict(|paid| paid.from == paid.to + paid.outputs[0]).is_good());
/// ```
pub fn laws<M: Machine>(machine: &M, inputs: impl IntoIterator<Item = M::Input>) -> Laws<'_, M> {
    Laws {
        machine,
        inputs: inputs.into_iter().collect(),
        over: Over::Reachable,
        states_max: STATES_MAX,
        settings: settings(),
    }
}

/// So many states are looked at.
const STATES_MAX: usize = 100_000;

impl<M: Machine> Laws<'_, M> {
    /// Over these states.
    #[must_use]
    pub fn over(mut self, states: impl IntoIterator<Item = M::State>) -> Self {
        self.over = Over::Given(states.into_iter().collect());
        self
    }

    /// Over all states there are of this type, whether they can be reached or not.
    #[must_use]
    pub fn over_all(mut self) -> Self
    where
        M::State: Arbitrary,
    {
        self.over = Over::Drawn(|case| case.any());
        self
    }

    /// How many states are looked at, of those that can be reached: 100 000.
    #[must_use]
    pub fn states(mut self, states_max: usize) -> Self {
        self.states_max = states_max.max(1);
        self
    }

    /// Settings of the engine.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Whether in every state at most one thing may come of every input.
    ///
    /// # Panics
    /// If the laws cannot be tested at all.
    #[track_caller]
    pub fn deterministic(self) -> Verdict {
        self.of_each("deterministic", |next, _, _| {
            let ways = next.listed().count();
            assert!(ways <= 1, "{ways} things may come of it: {next:?}");
            Outcome::of(Status::Passed)
        })
    }

    /// Whether in every state something is specified for every input.
    ///
    /// # Panics
    /// If the laws cannot be tested at all.
    #[track_caller]
    pub fn total(self) -> Verdict {
        self.of_each("total", |next, _, _| {
            assert!(next.is_specified(), "nothing is specified");
            Outcome::of(Status::Passed)
        })
    }

    /// Whether a law holds for every transition.
    ///
    /// # Panics
    /// If the laws cannot be tested at all.
    #[track_caller]
    pub fn verdict<C: Claim>(
        self,
        mut law: impl FnMut(&Transition<M::State, M::Input, M::Output>) -> C,
    ) -> Verdict {
        self.of_each("law", move |next, state, input| {
            let mut outcome = None;
            for (to, outputs) in next.listed() {
                let transition = Transition {
                    from: state.clone(),
                    input: input.clone(),
                    outputs: outputs.to_vec(),
                    to: to.clone(),
                };
                let of_this = law(&transition).outcome();
                if of_this.status == Status::Failed {
                    return of_this;
                }
                outcome = Some(of_this);
            }
            // (Nothing is said of what is not specified.)
            outcome.unwrap_or_else(|| Outcome::of(Status::Rejected))
        })
    }

    #[track_caller]
    fn of_each(
        self,
        name: &str,
        judge: impl FnMut(&Next<M::State, M::Output>, &M::State, &M::Input) -> Outcome,
    ) -> Verdict {
        self.report(name, judge).unwrap_or_else(|error| panic!("{error}")).verdict
    }

    #[track_caller]
    fn report(
        self,
        name: &str,
        mut judge: impl FnMut(&Next<M::State, M::Output>, &M::State, &M::Input) -> Outcome,
    ) -> Result<Report, Error> {
        let Laws { machine, inputs, over, states_max, settings } = self;
        if inputs.is_empty() {
            return Err(Error::specification("laws need inputs: give some"));
        }
        let (states, is_all, what) = match &over {
            Over::Reachable => {
                let (states, is_all) = reachable(machine, &inputs, states_max)?;
                let what = format!("the {} that can be reached", plural(states.len() as u64, "state"));
                (states, is_all, what)
            }
            Over::Given(states) => (
                states.clone(),
                true,
                format!("the {} that were given", plural(states.len() as u64, "state")),
            ),
            Over::Drawn(_) => (Vec::new(), true, "all states of the type".to_string()),
        };
        if states.is_empty() && !matches!(over, Over::Drawn(_)) {
            return Err(Error::specification("laws need states: give some"));
        }
        // Whatever is a list is tried as a whole.
        let settings = if states.is_empty() { settings } else { settings.exhaustive() };
        let mut next = Next::default();
        let report = settings.report_outcomes(name, &mut |case| {
            let state = match &over {
                Over::Drawn(draw) => draw(case),
                _ => states[case.index(states.len())].clone(),
            };
            let input = inputs[case.index(inputs.len())].clone();
            case.note("state", &state);
            case.note("input", &input);
            if case.is_over() {
                return Outcome::of(Status::Unjudged);
            }
            next.clear();
            machine.step(&state, &input, &mut next);
            Outcome { cut: !is_all, ..judge(&next, &state, &input) }
        });
        let mut report = report?;
        if let Verdict::Proved(proved) = &mut report.verdict {
            proved.scope = Scope::Over(what);
        } else if !is_all && report.verdict.is_good() {
            report.remarks.clear();
            report.remarks.push(format!("there are more states than the first {}", states.len()));
        }
        Ok(report)
    }
}

/// The states that inputs lead to, and whether these are all.
fn reachable<M: Machine>(
    machine: &M,
    inputs: &[M::Input],
    states_max: usize,
) -> Result<(Vec<M::State>, bool), Error> {
    let mut known: FxHashSet<M::State> = FxHashSet::default();
    let mut states = vec![machine.start()];
    known.insert(states[0].clone());
    let mut next = Next::default();
    let mut at = 0;
    while at < states.len() {
        for input in inputs {
            next.clear();
            machine.step(&states[at], input, &mut next);
            if !next.is_listed() {
                let state = &states[at];
                return Err(Error::specification(format!(
                    "the outputs to {input:?} in state {state:?} are judged, not listed: laws need a list"
                )));
            }
            for (to, _) in next.listed() {
                if !known.contains(to) {
                    if states.len() == states_max {
                        return Ok((states, false));
                    }
                    known.insert(to.clone());
                    states.push(to.clone());
                }
            }
        }
        at += 1;
    }
    Ok((states, true))
}
