//! The values over which quantifiers range: those of facts, those that the formula names, and those that it computes from them.

use super::evaluate::{Bindings, Bound, Known, World};
use super::formula::Said;
use super::term::{Kind, Term, Value};
use std::sync::Arc;

/// The world of a formula and some values, with all values there are.
pub(super) fn domain<'a, 'v, E, V: Value + 'v>(
    said: &Said<E, V>,
    values: impl Iterator<Item = &'v V>,
    mut world: World<'a, E, V>,
) -> World<'a, E, V> {
    values.for_each(|value| add(&mut world.domain, value.clone()));
    let mut makers = Vec::new();
    collect(said, &mut world, &mut makers);
    // A value that is computed may be computed with in turn, but by each maker once.
    for _ in 0..makers.len() {
        let before = world.domain.len();
        for maker in &makers {
            let mut names = Vec::new();
            match maker {
                Maker::Term(term) => term.variables(&mut names),
                Maker::Aggregate(Said::Aggregate(aggregation, _)) => names.clone_from(&aggregation.by),
                Maker::Aggregate(_) => {}
            }
            names.sort();
            names.dedup();
            let mut made = Vec::new();
            each_binding(&world.domain, &names, &mut Vec::new(), &mut |bound| {
                maker.make(&world, bound, &mut made)
            });
            made.into_iter().for_each(|value| add(&mut world.domain, value));
        }
        if world.domain.len() == before {
            break;
        }
    }
    world
}

/// What makes values of others.
enum Maker<'a, E, V> {
    Term(&'a Term<V>),
    Aggregate(&'a Said<E, V>),
}

impl<E, V: Value> Maker<'_, E, V> {
    fn make(&self, world: &World<'_, E, V>, bound: &mut Bindings<V>, made: &mut Vec<V>) {
        match self {
            Maker::Term(term) => {
                if let Bound::Value(value) = super::evaluate::meant(term, bound) {
                    made.push(value);
                }
            }
            Maker::Aggregate(Said::Aggregate(aggregation, of)) => {
                for at in 0..world.elements.len() {
                    match world.aggregated(aggregation, of, at, bound) {
                        Ok(value) => made.push(value),
                        Err(Known::True | Known::False | Known::Unknown) => {}
                    }
                }
            }
            Maker::Aggregate(_) => {}
        }
    }
}

fn add<V: Value>(domain: &mut Vec<V>, value: V) {
    if !domain.contains(&value) {
        domain.push(value);
    }
}

/// Calls something with all values of some variables.
fn each_binding<V: Value>(
    domain: &[V],
    names: &[Arc<str>],
    bound: &mut Bindings<V>,
    see: &mut dyn FnMut(&mut Bindings<V>),
) {
    let Some((name, names)) = names.split_first() else { return see(bound) };
    for value in domain {
        bound.push((Arc::clone(name), Bound::Value(value.clone())));
        each_binding(domain, names, bound, see);
        bound.pop();
    }
}

/// Adds the values that a formula names, and those that elements say anything of; and what makes others.
fn collect<'a, E, V: Value>(
    said: &'a Said<E, V>,
    world: &mut World<'_, E, V>,
    makers: &mut Vec<Maker<'a, E, V>>,
) {
    let mut see = |term: &'a Term<V>| match &term.kind {
        Kind::Value(value) => add(&mut world.domain, value.clone()),
        Kind::Variable(_) => {}
        Kind::Computed(..) => makers.push(Maker::Term(term)),
    };
    said.terms().iter().for_each(|term| term.each(&mut see));
    if let Said::Aggregate(aggregation, _) = said {
        aggregation.term.each(&mut see);
        makers.push(Maker::Aggregate(said));
    }
    if let Said::Fact(fact, _) = said {
        let mut values = Vec::new();
        for (_, element) in world.elements {
            (fact.inside.read)(element, &mut values);
        }
        values.into_iter().for_each(|value| add(&mut world.domain, value));
    }
    said.each_part(|part| collect(part, world, makers));
}
