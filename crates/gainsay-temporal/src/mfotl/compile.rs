//! From formulas to plans.

mod idle;
mod literal;
mod relation;
mod search;

use super::fact::{Fact, Test};
use super::formula::{Formula, Part, Said, Shown, Window};
use super::plan::{Node, Place, Plan, Slot, Stage, Waits, WaitsFor, Wake};
use super::term::{Kind, Term, Value};
use crate::shape::{Binary, Unary};
use gainsay_core::Error;
use idle::{Pattern, idle};
use literal::conjuncts;
use search::Missing;
use std::sync::Arc;

/// A plan, and the facts that it names by number.
type Compiled<E, V> = (Plan<V>, Vec<Fact<E, V>>);

/// A plan that judges as early as possible; one that judges what is decided, where later elements say which values there are.
pub(super) fn compile<E, V: Value>(formula: &Formula<E, V>) -> Result<Compiled<E, V>, Error> {
    Compiler::run(formula, false).or_else(|_| Compiler::run(formula, true))
}

struct Compiler<E, V> {
    facts: Vec<Fact<E, V>>,
    /// The variables that are bound here, and their slots.
    scope: Vec<(Arc<str>, Slot)>,
    plan: Plan<V>,
    /// How many cases were tried.
    cases: usize,
}

/// How much there is of a plan.
struct Mark {
    pasts: usize,
    futures: usize,
    waits: usize,
    sites: usize,
    stage: (usize, usize),
}

impl<E, V: Value> Compiler<E, V> {
    fn run(formula: &Formula<E, V>, delays: bool) -> Result<Compiled<E, V>, Error> {
        let plan = Plan {
            pasts: Vec::new(),
            waits: Vec::new(),
            sites: Vec::new(),
            every: Vec::new(),
            first: Vec::new(),
            names: Vec::new(),
            futures: Vec::new(),
            stage: Stage::default(),
            delays,
            has_several: false,
        };
        let mut compiler = Compiler { facts: Vec::new(), scope: Vec::new(), plan, cases: 0 };
        compiler.claim(&formula.said, true)?;
        let Plan { every, first, .. } = &compiler.plan;
        let demands = every.iter().chain(first).map(Node::demands).sum::<usize>();
        compiler.plan.has_several = demands > 1;
        Ok((compiler.plan, compiler.facts))
    }

    /// Tries something; what it has added to the plan is dropped if it fails.
    fn attempt<T, F>(&mut self, what: impl FnOnce(&mut Self) -> Result<T, F>) -> Result<T, F> {
        let Plan { pasts, futures, waits, sites, stage, .. } = &self.plan;
        let mark = Mark {
            pasts: pasts.len(),
            futures: futures.len(),
            waits: waits.len(),
            sites: sites.len(),
            stage: (stage.pasts.len(), stage.futures.len()),
        };
        let scope = self.scope.len();
        let result = what(self);
        if result.is_err() {
            self.scope.truncate(scope);
            let Plan { pasts, futures, waits, sites, stage, .. } = &mut self.plan;
            pasts.truncate(mark.pasts);
            futures.truncate(mark.futures);
            waits.truncate(mark.waits);
            sites.truncate(mark.sites);
            stage.pasts.truncate(mark.stage.0);
            stage.futures.truncate(mark.stage.1);
        }
        result
    }

    /// Something that is claimed of the whole stream, and of all values of its free variables.
    fn claim(&mut self, said: &Part<E, V>, holds: bool) -> Result<(), Error> {
        match (&**said, holds) {
            (Said::Not(of), _) => self.claim(of, !holds),
            (Said::And(parts), true) | (Said::Or(parts), false) => {
                parts.iter().try_for_each(|part| self.claim(part, holds))
            }
            // For all values always is always for all values.
            _ => match pulled(said, holds) {
                Some(of) => {
                    let node = self.node(&closed(&of, holds), holds)?;
                    self.plan.every.push(node);
                    Ok(())
                }
                None => {
                    let node = self.node(&closed(said, holds), holds)?;
                    self.plan.first.push(node);
                    Ok(())
                }
            },
        }
    }

    fn slot(&self, name: &str) -> Option<Slot> {
        self.scope.iter().rev().find(|(known, _)| **known == *name).map(|(_, slot)| *slot)
    }

    /// A slot for a variable that is bound from here on.
    fn bind(&mut self, name: &Arc<str>) -> Slot {
        self.plan.names.push(Arc::clone(name));
        let slot = self.plan.names.len() - 1;
        self.scope.push((Arc::clone(name), slot));
        slot
    }

    fn place(&self, term: &Term<V>) -> Place<V> {
        match &term.kind {
            // (All are bound.)
            Kind::Variable(name) => Place::Slot(self.slot(name).unwrap_or(usize::MAX)),
            Kind::Value(value) => Place::Value(value.clone()),
            Kind::Computed(computation, terms) => Place::Computed(computation.clone(), self.places(terms)),
        }
    }

    fn places(&self, terms: &[Term<V>]) -> Vec<Place<V>> {
        terms.iter().map(|term| self.place(term)).collect()
    }

    fn fact(&mut self, fact: &Fact<E, V>) -> usize {
        let known = self.facts.iter().position(|known| known.is_same(fact));
        known.unwrap_or_else(|| {
            self.facts.push(fact.clone());
            self.facts.len() - 1
        })
    }

    /// The slots of the free variables.
    fn free(&self, said: &Said<E, V>) -> Vec<Slot> {
        said.free().iter().filter_map(|name| self.slot(name)).collect()
    }

    fn test(&self, test: &Arc<Test<V>>, holds: bool) -> Node<V> {
        Node::Test { test: Arc::clone(test), places: self.places(&test.terms), holds }
    }

    fn node(&mut self, said: &Part<E, V>, holds: bool) -> Result<Node<V>, Error> {
        Ok(match &**said {
            Said::Constant(constant) => Node::Constant(*constant == holds),
            Said::Fact(_, terms) if terms.iter().any(Term::is_computed) => {
                self.node(&with_variables(said), holds)?
            }
            Said::Fact(fact, terms) => {
                Node::Fact { fact: self.fact(fact), places: self.places(terms), holds }
            }
            Said::Test(test) => self.test(test, holds),
            Said::Not(of) => self.node(of, !holds)?,
            Said::And(parts) => self.joined(parts, holds, holds)?,
            Said::Or(parts) => self.joined(parts, holds, !holds)?,
            Said::Implies(one, two) => self.both(one, !holds, two, holds, !holds)?,
            Said::Iff(one, two) => {
                let same = self.both(one, true, two, holds, true)?;
                let other = self.both(one, false, two, !holds, true)?;
                Node::Or(vec![same, other])
            }
            Said::Quantified { all, .. } => self.quantified(said, *all == holds, holds)?,
            _ if self.plan.delays || !said.is_future() => self.relation(said, holds)?,
            Said::Next { weak, window, of } => {
                let one = self.node(of, holds)?;
                let kind = WaitsFor::Next { weak: *weak == holds };
                self.waits(kind, *window, one, Node::Constant(true))
            }
            Said::One(operator, window, of) => {
                self.refuse_unbounded(said, *window)?;
                let two = self.node(of, holds)?;
                let goes_on = (*operator == Unary::Always) == holds;
                let kind = if goes_on { WaitsFor::Release } else { WaitsFor::Until };
                self.waits(kind, *window, Node::Constant(!goes_on), two)
            }
            Said::Two(Binary::WeakUntil, window, one, two) => {
                self.refuse_unbounded(said, *window)?;
                let (until, always) = weak(*window, one, two);
                self.both(&until, holds, &always, holds, !holds)?
            }
            Said::Two(operator, window, one, two) => {
                self.refuse_unbounded(said, *window)?;
                let (one, two) = (self.node(one, holds)?, self.node(two, holds)?);
                let goes_on = (*operator == Binary::Release) == holds;
                let kind = if goes_on { WaitsFor::Release } else { WaitsFor::Until };
                self.waits(kind, *window, one, two)
            }
            Said::Previous { .. } | Said::Aggregate(..) => unreachable!("neither is a future operator"),
        })
    }

    fn joined(&mut self, parts: &[Part<E, V>], holds: bool, is_and: bool) -> Result<Node<V>, Error> {
        let parts: Result<Vec<Node<V>>, Error> = parts.iter().map(|part| self.node(part, holds)).collect();
        Ok(if is_and { Node::And(parts?) } else { Node::Or(parts?) })
    }

    fn both(
        &mut self,
        one: &Part<E, V>,
        one_holds: bool,
        two: &Part<E, V>,
        two_holds: bool,
        is_and: bool,
    ) -> Result<Node<V>, Error> {
        let parts = vec![self.node(one, one_holds)?, self.node(two, two_holds)?];
        Ok(if is_and { Node::And(parts) } else { Node::Or(parts) })
    }

    fn refuse_unbounded(&self, said: &Said<E, V>, window: Window) -> Result<(), Error> {
        if window.to.is_some() {
            return Ok(());
        }
        Err(Error::specification(format!(
            "{} looks into the future without end: bound it (`within`), since nobody can wait for ever",
            Shown(said, 0)
        )))
    }

    fn waits(&mut self, kind: WaitsFor, window: Window, one: Node<V>, two: Node<V>) -> Node<V> {
        let patterns = match kind {
            WaitsFor::Next { .. } => None,
            WaitsFor::Until => idle(&two, false).and_then(|two| Some([two, idle(&one, true)?].concat())),
            WaitsFor::Release => idle(&two, true).and_then(|two| Some([two, idle(&one, false)?].concat())),
        };
        let wakes = patterns.map(|patterns| {
            patterns
                .into_iter()
                .map(|Pattern { fact, key }| {
                    self.plan.sites.push((fact, key.iter().map(|(position, _)| *position).collect()));
                    let key = key.into_iter().map(|(_, place)| place).collect();
                    Wake { site: self.plan.sites.len() - 1, key }
                })
                .collect()
        });
        let is_present = one.is_present() && two.is_present();
        self.plan.waits.push(Waits { kind, window, one, two, is_present, wakes });
        Node::Waits(self.plan.waits.len() - 1)
    }

    /// A quantifier, and those right inside of it that are of its kind.
    fn quantified(&mut self, said: &Part<E, V>, is_forall: bool, holds: bool) -> Result<Node<V>, Error> {
        let before = self.scope.len();
        let mut of = said;
        while let Said::Quantified { all, name, of: inner } = &**of
            && (*all == holds) == is_forall
        {
            self.bind(name);
            of = inner;
        }
        let slots: Vec<Slot> = self.scope[before..].iter().map(|(_, slot)| *slot).collect();
        // For all values: there is none for which it does not hold.
        let mut literals = Vec::new();
        conjuncts(of, holds != is_forall, &mut literals);
        let node = self.found(said, &slots, literals, is_forall);
        self.scope.truncate(before);
        node
    }

    fn unfound(&self, slot: Slot, said: &Said<E, V>) -> Error {
        Error::specification(format!(
            "nothing says which values `{name}` may have in {}: put a fact beside it (`exists {name}. p({name}) & …`, `forall \
             {name}. p({name}) -> …`)",
            Shown(said, 0),
            name = self.plan.names[slot],
        ))
    }

    fn unfound_or(&self, missing: Missing, said: &Said<E, V>) -> Error {
        match missing {
            Missing::Values(slot) => self.unfound(slot, said),
            Missing::Other(error) => error,
        }
    }
}

/// The parts of a weak operator: it comes, or it is not needed for as long as the bound says.
fn weak<E, V>(window: Window, one: &Part<E, V>, two: &Part<E, V>) -> (Part<E, V>, Part<E, V>) {
    let begun = Window { from: 0, ..window };
    let until = Said::Two(Binary::Until, window, Arc::clone(one), Arc::clone(two));
    let always = Said::One(Unary::Always, begun, Arc::clone(one));
    (Arc::new(until), Arc::new(always))
}

/// What holds at every element, of something that is said of all values and there of every element.
fn pulled<E, V>(said: &Part<E, V>, holds: bool) -> Option<Part<E, V>> {
    match (&**said, holds) {
        (Said::One(Unary::Always, Window::ALL, of), true)
        | (Said::One(Unary::Eventually, Window::ALL, of), false) => Some(Arc::clone(of)),
        (Said::Quantified { all, name, of }, _) if *all == holds => {
            let of = pulled(of, holds)?;
            Some(Arc::new(Said::Quantified { all: *all, name: Arc::clone(name), of }))
        }
        _ => None,
    }
}

/// The same, said of all values of its free variables.
fn closed<E, V>(said: &Part<E, V>, holds: bool) -> Part<E, V> {
    let free = said.free().into_iter().rev();
    free.fold(Arc::clone(said), |of, name| Arc::new(Said::Quantified { all: holds, name, of }))
}

/// A fact, with variables in the place of terms that are computed. (No user's variable has such a name.)
fn with_variables<E, V: Value>(said: &Part<E, V>) -> Part<E, V> {
    let Said::Fact(fact, terms) = &**said else { return Arc::clone(said) };
    let mut terms = terms.clone();
    let mut parts = Vec::new();
    let mut names = Vec::new();
    for (place, term) in terms.iter_mut().enumerate().filter(|(_, term)| term.is_computed()) {
        let name: Arc<str> = format!("{HIDDEN}{place}").into();
        let variable = Term { kind: Kind::Variable(Arc::clone(&name)) };
        let computed = std::mem::replace(term, variable.clone());
        parts.push(super::fact::equal(variable, computed).said);
        names.push(name);
    }
    parts.push(Arc::new(Said::Fact(fact.clone(), terms)));
    let quantified = |of, name| Arc::new(Said::Quantified { all: false, name, of });
    names.into_iter().fold(Arc::new(Said::And(parts)), quantified)
}

/// Variables whose names begin so are told to nobody.
pub(super) const HIDDEN: &str = "\0";
