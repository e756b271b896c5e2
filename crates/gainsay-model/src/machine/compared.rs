//! Two machines compared by all that both can do at once.

use super::{Machine, Next, Relation};
use gainsay_core::Error;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt::{self, Debug, Display};

/// Inputs, each with the outputs that came.
pub type Trace<I, O> = Vec<(I, Vec<O>)>;

/// What came of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refinement<I, O> {
    /// Whatever one does is specified by the other: a proof, without any assumption.
    Holds {
        /// How many pairs of what may be the case were looked at.
        pairs: usize,
    },
    /// A shortest trace whose last outputs are not specified.
    Broken {
        /// What happened.
        trace: Trace<I, O>,
        /// What is specified instead.
        expected: Vec<Vec<O>>,
    },
    /// There are more pairs than were looked at.
    Undecided {
        /// So many were.
        pairs: usize,
    },
}

impl<I: Debug, O: Debug> Display for Refinement<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refinement::Holds { pairs } => write!(f, "proved: all {pairs} pairs of states"),
            Refinement::Undecided { pairs } => write!(f, "undecided after {pairs} pairs of states"),
            Refinement::Broken { trace, expected } => {
                write!(f, "falsified:")?;
                for (input, outputs) in trace {
                    write!(f, "\n  {input:?} → {outputs:?}")?;
                }
                let expected: Vec<String> = expected.iter().map(|outputs| format!("{outputs:?}")).collect();
                write!(f, "\n  expected {}", expected.join(" or "))
            }
        }
    }
}

/// A state of the implementation and all states that the specification may be in.
type Pair<A, B> = (<A as Machine>::State, Vec<<B as Machine>::State>);

/// Whether everything that a machine may do is specified by another. As an implementation, it may do anything where nothing is
/// specified for itself: so that is never held against it.
///
/// # Errors
/// If one of them judges outputs instead of listing them.
pub fn refines<A, B>(
    implementation: &A,
    specification: &B,
    inputs: &[A::Input],
    relation: Relation,
    pairs_max: usize,
) -> Result<Refinement<A::Input, A::Output>, Error>
where
    A: Machine,
    B: Machine<Input = A::Input, Output = A::Output>,
{
    let mut pairs: Vec<Pair<A, B>> = vec![(implementation.start(), vec![specification.start()])];
    let mut found_by: Vec<Option<(usize, A::Input, Vec<A::Output>)>> = vec![None];
    let mut places: FxHashMap<A::State, Vec<usize>> = FxHashMap::default();
    places.insert(pairs[0].0.clone(), vec![0]);
    let mut open = VecDeque::from([0]);
    let (mut done, mut ways) = (Next::default(), Next::default());
    while let Some(at) = open.pop_front() {
        for input in inputs {
            let (state, states) = pairs[at].clone();
            let mut allowed: Vec<(B::State, Vec<A::Output>)> = Vec::new();
            let mut unspecified = 0;
            for state in &states {
                ways.clear();
                specification.step(state, input, &mut ways);
                listed(&ways, input)?;
                unspecified += usize::from(!ways.is_specified());
                allowed.extend(ways.listed().map(|(to, outputs)| (to.clone(), outputs.to_vec())));
            }
            if allowed.is_empty() || relation == Relation::Uioco && unspecified > 0 {
                continue;
            }
            done.clear();
            implementation.step(&state, input, &mut done);
            listed(&done, input)?;
            for (to, outputs) in done.listed() {
                let mut after: Vec<B::State> = Vec::new();
                for (state, allowed) in &allowed {
                    if allowed == outputs && !after.contains(state) {
                        after.push(state.clone());
                    }
                }
                if after.is_empty() {
                    let mut trace = vec![(input.clone(), outputs.to_vec())];
                    let mut place = at;
                    while let Some((before, input, outputs)) = &found_by[place] {
                        trace.push((input.clone(), outputs.clone()));
                        place = *before;
                    }
                    trace.reverse();
                    let mut expected: Vec<Vec<A::Output>> = Vec::new();
                    for (_, outputs) in allowed {
                        if !expected.contains(&outputs) {
                            expected.push(outputs);
                        }
                    }
                    return Ok(Refinement::Broken { trace, expected });
                }
                let same = places.entry(to.clone()).or_default();
                let is_known = |place: &usize| {
                    let known = &pairs[*place].1;
                    known.len() == after.len() && after.iter().all(|state| known.contains(state))
                };
                if same.iter().any(is_known) {
                    continue;
                }
                if pairs.len() == pairs_max {
                    return Ok(Refinement::Undecided { pairs: pairs_max });
                }
                same.push(pairs.len());
                open.push_back(pairs.len());
                found_by.push(Some((at, input.clone(), outputs.to_vec())));
                pairs.push((to.clone(), after));
            }
        }
    }
    Ok(Refinement::Holds { pairs: pairs.len() })
}

fn listed<S, O>(next: &Next<S, O>, input: &impl Debug) -> Result<(), Error> {
    match next.is_listed() {
        true => Ok(()),
        false => Err(Error::specification(format!(
            "the outputs to {input:?} are judged, not listed: a machine like that cannot be compared"
        ))),
    }
}

/// The states that a machine may be in after inputs were answered with these outputs, from these states.
pub fn after<M: Machine>(
    machine: &M,
    states: impl IntoIterator<Item = M::State>,
    trace: &[(M::Input, Vec<M::Output>)],
) -> Vec<M::State> {
    let mut states: Vec<M::State> = states.into_iter().collect();
    let mut next = Next::default();
    for (input, outputs) in trace {
        let mut reached: Vec<M::State> = Vec::new();
        for state in &states {
            next.clear();
            machine.step(state, input, &mut next);
            next.take_after(outputs, &mut reached);
        }
        states = distinct(reached);
    }
    states
}

/// The states that a machine may be in after these inputs, whatever comes out.
pub fn after_inputs<M: Machine>(
    machine: &M,
    states: impl IntoIterator<Item = M::State>,
    inputs: &[M::Input],
) -> Vec<M::State> {
    let mut states: Vec<M::State> = states.into_iter().collect();
    let mut next = Next::default();
    for input in inputs {
        let mut reached: Vec<M::State> = Vec::new();
        for state in &states {
            next.clear();
            machine.step(state, input, &mut next);
            reached.extend(next.listed().map(|(to, _)| to.clone()));
        }
        states = distinct(reached);
    }
    states
}

/// All traces of so many inputs at most, the short ones first.
pub fn traces<M: Machine>(
    machine: &M,
    inputs: &[M::Input],
    length_max: usize,
) -> Vec<Trace<M::Input, M::Output>> {
    let mut all: Vec<Trace<M::Input, M::Output>> = vec![Vec::new()];
    let mut last = vec![(Vec::new(), vec![machine.start()])];
    let mut next = Next::default();
    for _ in 0..length_max {
        let mut longer: Vec<(Trace<M::Input, M::Output>, Vec<M::State>)> = Vec::new();
        for (trace, states) in &last {
            for input in inputs {
                let mut ways: Vec<(Vec<M::Output>, Vec<M::State>)> = Vec::new();
                for state in states {
                    next.clear();
                    machine.step(state, input, &mut next);
                    for (to, outputs) in next.listed() {
                        match ways.iter_mut().find(|(known, _)| known == outputs) {
                            Some((_, states)) if states.contains(to) => {}
                            Some((_, states)) => states.push(to.clone()),
                            None => ways.push((outputs.to_vec(), vec![to.clone()])),
                        }
                    }
                }
                longer.extend(ways.into_iter().map(|(outputs, states)| {
                    let mut trace: Trace<M::Input, M::Output> = trace.clone();
                    trace.push((input.clone(), outputs));
                    (trace, states)
                }));
            }
        }
        all.extend(longer.iter().map(|(trace, _)| trace.clone()));
        last = longer;
    }
    all
}

fn distinct<S: Clone + Eq + std::hash::Hash>(states: Vec<S>) -> Vec<S> {
    let mut known = rustc_hash::FxHashSet::default();
    states.into_iter().filter(|state| known.insert(state.clone())).collect()
}
