//! Ways to find the values of variables.

use super::super::fact::TestKind;
use super::super::formula::{Part, Said};
use super::super::plan::{Join, Node, Place, Slot, Step};
use super::super::term::{Term, Value};
use super::Compiler;
use super::literal::{Literal, cases, conjuncts};
use gainsay_core::Error;
use std::sync::Arc;

/// At most this many cases of a formula are tried.
const CASES_MAX: usize = 10_000;

/// Where the values of some variables come from.
type Source<V> = (Step<V>, Vec<Slot>);

/// Why there is no way to find values.
pub(super) enum Missing {
    /// Nothing says which this variable may have.
    Values(Slot),
    Other(Error),
}

impl<E, V: Value> Compiler<E, V> {
    /// Values that make some literals true, and what then: a way to find them, or several.
    pub(super) fn found(
        &mut self,
        said: &Part<E, V>,
        slots: &[Slot],
        literals: Vec<Literal<E, V>>,
        is_forall: bool,
    ) -> Result<Node<V>, Error> {
        let is_later = |part: &Part<E, V>| !self.plan.delays && part.has_future();
        let (later, present): (Vec<_>, Vec<_>) =
            literals.iter().cloned().partition(|(part, _)| is_later(part));
        match self.attempt(|compiler| compiler.join(slots, present)) {
            Ok(join) => {
                let mut then = Vec::new();
                for (part, holds) in &later {
                    then.push(self.node(part, *holds != is_forall)?);
                }
                let then = match (then.is_empty(), is_forall) {
                    (true, _) => Node::Constant(!is_forall),
                    (false, true) => Node::any(then),
                    (false, false) => Node::all(then),
                };
                Ok(Node::Found { all: is_forall, join, then: Box::new(then) })
            }
            Err(Missing::Other(error)) => Err(error),
            Err(Missing::Values(slot)) => {
                // Perhaps in each of several cases it is clear.
                let Some(cases) = split(&literals) else { return Err(self.unfound(slot, said)) };
                self.count(cases.len()).map_err(|missing| self.unfound_or(missing, said))?;
                let nodes = cases.into_iter().map(|literals| self.found(said, slots, literals, is_forall));
                let nodes: Result<Vec<Node<V>>, Error> = nodes.collect();
                Ok(if is_forall { Node::And(nodes?) } else { Node::Or(nodes?) })
            }
        }
    }

    /// A way to find values of some variables by literals that are decided at once. All other variables are known.
    fn join(&mut self, slots: &[Slot], literals: Vec<Literal<E, V>>) -> Result<Join<V>, Missing> {
        let mut unknown: Vec<Slot> = slots.to_vec();
        let mut steps = Vec::new();
        let mut literals: Vec<(Literal<E, V>, Vec<Slot>)> = literals
            .into_iter()
            .map(|literal| {
                let free = self.free(&literal.0);
                (literal, free)
            })
            .collect();
        loop {
            // What can be looked up is, as soon as that is possible.
            let is_ready = |free: &[Slot]| free.iter().all(|slot| !unknown.contains(slot));
            let (ready, others): (Vec<_>, Vec<_>) =
                literals.into_iter().partition(|(_, free)| is_ready(free));
            for ((part, holds), _) in ready {
                steps.push(Step::Check(self.node(&part, holds).map_err(Missing::Other)?));
            }
            literals = others;
            if literals.is_empty() {
                break;
            }
            let mut source = None;
            for place in 0..Self::SOURCES {
                for (number, ((part, holds), free)) in literals.iter().enumerate() {
                    if source.is_none() {
                        let step = self.source(place, part, *holds, free, &unknown)?;
                        source = step.map(|step| (number, step));
                    }
                }
            }
            let Some((number, (step, known))) = source else { return Err(Missing::Values(unknown[0])) };
            literals.remove(number);
            unknown.retain(|slot| !known.contains(slot));
            steps.push(step);
        }
        match unknown.first() {
            Some(slot) => Err(Missing::Values(*slot)),
            None => Ok(Join { steps, slots: slots.to_vec() }),
        }
    }

    const SOURCES: usize = 4;

    /// What a literal says about the values of variables, and of which. The best sources come first: the same as something known; a fact;
    /// something that is remembered, or comes; something that is so for some values of others.
    fn source(
        &mut self,
        kind: usize,
        part: &Part<E, V>,
        holds: bool,
        free: &[Slot],
        unknown: &[Slot],
    ) -> Result<Option<Source<V>>, Missing> {
        match (kind, &**part) {
            (0, Said::Test(test)) if holds && matches!(test.kind, TestKind::Equal) => {
                let (one, two) = (self.place(&test.terms[0]), self.place(&test.terms[1]));
                Ok(match (one, two) {
                    (Place::Slot(slot), same) | (same, Place::Slot(slot)) if !same.has_any(unknown) => {
                        Some((Step::Same(slot, same), vec![slot]))
                    }
                    _ => None,
                })
            }
            (1, Said::Fact(fact, terms)) if holds && !terms.iter().any(Term::is_computed) => {
                let (fact, places) = (self.fact(fact), self.places(terms));
                let slots: Option<Vec<Slot>> = places
                    .iter()
                    .map(|place| match place {
                        Place::Slot(slot) if unknown.contains(slot) => Some(*slot),
                        _ => None,
                    })
                    .collect();
                let slots = slots.filter(|slots| slots.len() == free.len());
                Ok(Some((Step::Fact { fact, places, slots }, free.to_vec())))
            }
            (
                2,
                Said::Previous { .. }
                | Said::Next { .. }
                | Said::One(..)
                | Said::Two(..)
                | Said::Aggregate(..),
            ) => self.related(part, holds, free),
            (3, Said::Fact(..)) if holds => self.some(&super::with_variables(part), holds, free, unknown),
            (3, Said::Quantified { all, .. }) if *all != holds => self.some(part, holds, free, unknown),
            _ => Ok(None),
        }
    }

    /// Values for which something was, or comes.
    fn related(
        &mut self,
        part: &Part<E, V>,
        holds: bool,
        free: &[Slot],
    ) -> Result<Option<Source<V>>, Missing> {
        // (Where it is known for which values it does not hold, and for no others, this says nothing of values.)
        let node = self.attempt(|compiler| match compiler.relation(part, holds) {
            Ok(Node::Past { past, holds: true }) => Ok(Step::Past { past }),
            Ok(Node::Future { future, holds: true }) => Ok(Step::Future { future }),
            Ok(_) => Err(None),
            Err(error) => Err(Some(error)),
        });
        match node {
            Ok(step) => Ok(Some((step, free.to_vec()))),
            Err(None) => Ok(None),
            Err(Some(error)) => Err(Missing::Other(error)),
        }
    }

    /// Values for which something is so for some values of other variables.
    fn some(
        &mut self,
        part: &Part<E, V>,
        holds: bool,
        free: &[Slot],
        unknown: &[Slot],
    ) -> Result<Option<Source<V>>, Missing> {
        let before = self.scope.len();
        let mut of = part;
        while let Said::Quantified { all, name, of: inner } = &**of
            && *all != holds
        {
            self.bind(name);
            of = inner;
        }
        let slots: Vec<Slot> = free.iter().copied().filter(|slot| unknown.contains(slot)).collect();
        let mut wanted = slots.clone();
        wanted.extend(self.scope[before..].iter().map(|(_, slot)| *slot));
        let mut literals = Vec::new();
        conjuncts(of, holds, &mut literals);
        let join = self.attempt(|compiler| compiler.join(&wanted, literals));
        self.scope.truncate(before);
        match join {
            Ok(join) => Ok(Some((Step::Some { join, slots: slots.clone() }, slots))),
            Err(Missing::Values(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Takes account of cases: there may be as many as all ways to choose one of two again and again.
    fn count(&mut self, cases: usize) -> Result<(), Missing> {
        self.cases += cases;
        match self.cases > CASES_MAX {
            true => Err(Missing::Other(Error::specification(format!(
                "the formula has more than {CASES_MAX} cases in which values must be found: put a fact before them that \
                 says which there are"
            )))),
            false => Ok(()),
        }
    }

    /// Ways to find all values of the free variables for which something holds, whatever is known of them.
    pub(super) fn finds(&mut self, said: &Part<E, V>, holds: bool) -> Result<Vec<Join<V>>, Missing> {
        let slots = self.free(said);
        let mut literals = Vec::new();
        conjuncts(said, holds, &mut literals);
        self.attempt(|compiler| compiler.finds_by(&slots, literals))
    }

    fn finds_by(&mut self, slots: &[Slot], literals: Vec<Literal<E, V>>) -> Result<Vec<Join<V>>, Missing> {
        match self.attempt(|compiler| compiler.join(slots, literals.clone())) {
            Ok(join) => Ok(vec![join]),
            Err(Missing::Values(slot)) => {
                let Some(cases) = split(&literals) else { return Err(Missing::Values(slot)) };
                self.count(cases.len())?;
                let mut joins = Vec::new();
                for literals in cases {
                    joins.extend(self.finds_by(slots, literals)?);
                }
                Ok(joins)
            }
            Err(other) => Err(other),
        }
    }
}

/// The cases of literals of which one has several; best one of which each says which values there are.
fn split<E, V>(literals: &[Literal<E, V>]) -> Option<Vec<Vec<Literal<E, V>>>> {
    let several =
        || literals.iter().enumerate().filter_map(|(place, literal)| Some((place, cases(literal)?)));
    let (place, cases) = several().find(|(_, cases)| cases.iter().all(gives)).or_else(|| several().next())?;
    let case = |(part, holds): Literal<E, V>| {
        let mut literals: Vec<Literal<E, V>> =
            literals.iter().map(|(part, holds)| (Arc::clone(part), *holds)).collect();
        literals.remove(place);
        conjuncts(&part, holds, &mut literals);
        literals
    };
    Some(cases.into_iter().map(case).collect())
}

/// Whether a case seems to say which values there are.
fn gives<E, V>((part, holds): &Literal<E, V>) -> bool {
    let mut literals = Vec::new();
    conjuncts(part, *holds, &mut literals);
    literals.iter().any(|(part, holds)| match &**part {
        Said::Test(test) => *holds && matches!(test.kind, TestKind::Equal),
        Said::Quantified { all, .. } => all != holds,
        Said::Constant(_) | Said::Or(_) | Said::And(_) | Said::Implies(..) | Said::Iff(..) => false,
        _ => *holds,
    })
}
