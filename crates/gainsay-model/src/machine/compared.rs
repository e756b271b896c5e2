//! Two machines compared by all that both can do at once.

use super::{Machine, Next, Relation};
use gainsay_core::{Error, plural};
use rustc_hash::FxHashMap;
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
    /// A shortest trace after which the implementation does not specify an input that the specification does.
    Refused {
        /// What happened.
        trace: Trace<I, O>,
        /// The input that is missing.
        input: I,
        /// What the specification says of it.
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
            Refinement::Holds { pairs } => {
                write!(f, "proved: all {} of states", plural(*pairs as u64, "pair"))
            }
            Refinement::Undecided { pairs } => {
                write!(f, "undecided after {} of states", plural(*pairs as u64, "pair"))
            }
            Refinement::Broken { trace, expected } => {
                write_trace(f, trace)?;
                write_expected(f, expected)
            }
            Refinement::Refused { trace, input, expected } => {
                write_trace(f, trace)?;
                write!(f, "\n  {input:?} is not specified by the implementation")?;
                write_expected(f, expected)
            }
        }
    }
}

fn write_trace<I: Debug, O: Debug>(f: &mut fmt::Formatter<'_>, trace: &[(I, Vec<O>)]) -> fmt::Result {
    write!(f, "falsified:")?;
    trace.iter().try_for_each(|(input, outputs)| write!(f, "\n  {input:?} → {outputs:?}"))
}

fn write_expected<O: Debug>(f: &mut fmt::Formatter<'_>, expected: &[Vec<O>]) -> fmt::Result {
    let expected: Vec<String> = expected.iter().map(|outputs| format!("{outputs:?}")).collect();
    write!(f, "\n  expected {}", expected.join(" or "))
}

/// A state of the implementation and all states that the specification may be in.
type Pair<A, B> = (<A as Machine>::State, Vec<<B as Machine>::State>);

/// Whether a machine refines another: it takes every input that the other specifies (quasi-reduction, which is uioco for machines that
/// answer each input), and whatever it does then is specified by the other. An input that it does not specify itself is
/// [refused](Refinement::Refused), which is no refinement; [`refines_where_specified`] takes that for "anything".
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
    compared(implementation, specification, inputs, relation, pairs_max, true)
}

/// Like [`refines`], but an input that the implementation does not specify is not held against it: it may answer anything there, and
/// nothing is claimed of what comes after it.
///
/// # Errors
/// If one of them judges outputs instead of listing them.
pub fn refines_where_specified<A, B>(
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
    compared(implementation, specification, inputs, relation, pairs_max, false)
}

fn compared<A, B>(
    implementation: &A,
    specification: &B,
    inputs: &[A::Input],
    relation: Relation,
    pairs_max: usize,
    takes_all: bool,
) -> Result<Refinement<A::Input, A::Output>, Error>
where
    A: Machine,
    B: Machine<Input = A::Input, Output = A::Output>,
{
    let mut product = Product::<A, B>::new(implementation.start(), specification.start());
    let mut done = Next::default();
    let mut at = 0;
    while at < product.pairs.len() {
        for input in inputs {
            let (state, states) = product.pairs[at].clone();
            let Some(allowed) = allowed(specification, &states, input, relation)? else { continue };
            done.clear();
            implementation.step(&state, input, &mut done);
            listed(&done, input)?;
            if takes_all && !done.is_specified() {
                let (trace, input) = (product.trace(at), input.clone());
                return Ok(Refinement::Refused { trace, input, expected: outputs_of(allowed) });
            }
            for (to, outputs) in done.listed() {
                let mut after: Vec<B::State> = Vec::new();
                for (state, allowed) in &allowed {
                    if allowed == outputs && !after.contains(state) {
                        after.push(state.clone());
                    }
                }
                if after.is_empty() {
                    let mut trace = product.trace(at);
                    trace.push((input.clone(), outputs.to_vec()));
                    return Ok(Refinement::Broken { trace, expected: outputs_of(allowed) });
                }
                if product.is_known(to, &after) {
                    continue;
                }
                if product.pairs.len() == pairs_max {
                    return Ok(Refinement::Undecided { pairs: pairs_max });
                }
                product.add((to.clone(), after), Some((at, input.clone(), outputs.to_vec())));
            }
        }
        at += 1;
    }
    Ok(Refinement::Holds { pairs: product.pairs.len() })
}

/// What a specification allows of an input in these states; nothing if it is not to be given.
type Allowed<B> = Vec<(<B as Machine>::State, Vec<<B as Machine>::Output>)>;

fn allowed<B: Machine>(
    specification: &B,
    states: &[B::State],
    input: &B::Input,
    relation: Relation,
) -> Result<Option<Allowed<B>>, Error> {
    let (mut allowed, mut next) = (Vec::new(), Next::default());
    for state in states {
        next.clear();
        specification.step(state, input, &mut next);
        listed(&next, input)?;
        if relation == Relation::Uioco && !next.is_specified() {
            return Ok(None);
        }
        allowed.extend(next.listed().map(|(to, outputs)| (to.clone(), outputs.to_vec())));
    }
    Ok(Some(allowed).filter(|allowed| !allowed.is_empty()))
}

fn outputs_of<S, O: PartialEq>(allowed: Vec<(S, Vec<O>)>) -> Vec<Vec<O>> {
    let mut all: Vec<Vec<O>> = Vec::new();
    for (_, outputs) in allowed {
        if !all.contains(&outputs) {
            all.push(outputs);
        }
    }
    all
}

/// From which pair, and by which input and outputs, a pair was found.
type Found<M> = Option<(usize, <M as Machine>::Input, Vec<<M as Machine>::Output>)>;

/// All pairs that were found, the nearest first.
struct Product<A: Machine, B: Machine> {
    pairs: Vec<Pair<A, B>>,
    found_by: Vec<Found<A>>,
    places: FxHashMap<A::State, Vec<usize>>,
}

impl<A: Machine, B: Machine> Product<A, B> {
    fn new(one: A::State, two: B::State) -> Product<A, B> {
        let mut product = Product { pairs: Vec::new(), found_by: Vec::new(), places: FxHashMap::default() };
        product.add((one, vec![two]), None);
        product
    }

    fn add(&mut self, pair: Pair<A, B>, found_by: Found<A>) {
        self.places.entry(pair.0.clone()).or_default().push(self.pairs.len());
        self.pairs.push(pair);
        self.found_by.push(found_by);
    }

    fn is_known(&self, state: &A::State, states: &[B::State]) -> bool {
        let is_it = |place: &usize| {
            let known = &self.pairs[*place].1;
            known.len() == states.len() && states.iter().all(|state| known.contains(state))
        };
        self.places.get(state).is_some_and(|places| places.iter().any(is_it))
    }

    /// A shortest trace to a pair.
    fn trace(&self, place: usize) -> Trace<A::Input, A::Output> {
        let mut trace = Vec::new();
        let mut at = place;
        while let Some((before, input, outputs)) = &self.found_by[at] {
            trace.push((input.clone(), outputs.clone()));
            at = *before;
        }
        trace.reverse();
        trace
    }
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
