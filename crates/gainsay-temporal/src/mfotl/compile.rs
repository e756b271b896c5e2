//! From formulas to plans.

use super::fact::{Fact, Kind, Term, TestKind, Value};
use super::formula::{Formula, Part, Said, Shown, Window};
use super::past::{Keeps, Past, PastKind};
use super::plan::{Join, Node, Place, Plan, Slot, Step, Waits, WaitsFor, Wake};
use crate::shape::{Binary, Unary};
use gainsay_core::Error;
use std::sync::Arc;

/// A formula, and whether it shall hold or not.
type Literal<E, V> = (Part<E, V>, bool);

/// A plan, and the facts that it names by number.
type Compiled<E, V> = (Plan<V>, Vec<Fact<E, V>>);

pub(super) fn compile<E, V: Value>(formula: &Formula<E, V>) -> Result<Compiled<E, V>, Error> {
    if let Some(name) = formula.said.free().first() {
        return Err(Error::specification(format!(
            "nobody says what `{name}` is in {formula}: bind it by forall or exists"
        )));
    }
    let mut compiler = Compiler {
        facts: Vec::new(),
        scope: Vec::new(),
        plan: Plan {
            pasts: Vec::new(),
            waits: Vec::new(),
            sites: Vec::new(),
            every: Vec::new(),
            first: Vec::new(),
            names: Vec::new(),
        },
    };
    compiler.claim(&formula.said, true)?;
    Ok((compiler.plan, compiler.facts))
}

struct Compiler<E, V> {
    facts: Vec<Fact<E, V>>,
    /// The variables that are bound here, and their slots.
    scope: Vec<(Arc<str>, Slot)>,
    plan: Plan<V>,
}

impl<E, V: Value> Compiler<E, V> {
    /// Something that is claimed of the whole stream.
    fn claim(&mut self, said: &Part<E, V>, holds: bool) -> Result<(), Error> {
        match (&**said, holds) {
            (Said::Not(of), _) => self.claim(of, !holds),
            (Said::And(one, two), true) | (Said::Or(one, two), false) => {
                self.claim(one, holds)?;
                self.claim(two, holds)
            }
            (Said::One(Unary::Always, Window::ALL, of), true)
            | (Said::One(Unary::Eventually, Window::ALL, of), false) => {
                let node = self.node(of, holds)?;
                self.plan.every.push(node);
                Ok(())
            }
            // For all values always is always for all values.
            (Said::Quantified { all, .. }, _) if *all == holds => match pulled(said, holds) {
                Some(quantified) => {
                    let node = self.node(&quantified, holds)?;
                    self.plan.every.push(node);
                    Ok(())
                }
                None => self.claim_first(said, holds),
            },
            _ => self.claim_first(said, holds),
        }
    }

    fn claim_first(&mut self, said: &Part<E, V>, holds: bool) -> Result<(), Error> {
        let node = self.node(said, holds)?;
        self.plan.first.push(node);
        Ok(())
    }

    fn slot(&self, name: &str) -> Option<Slot> {
        self.scope.iter().rev().find(|(known, _)| **known == *name).map(|(_, slot)| *slot)
    }

    fn places(&self, terms: &[Term<V>]) -> Vec<Place<V>> {
        let place = |term: &Term<V>| match &term.kind {
            // (All are bound.)
            Kind::Variable(name) => Place::Slot(self.slot(name).unwrap_or(usize::MAX)),
            Kind::Value(value) => Place::Value(value.clone()),
        };
        terms.iter().map(place).collect()
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

    fn node(&mut self, said: &Part<E, V>, holds: bool) -> Result<Node<V>, Error> {
        Ok(match &**said {
            Said::Constant(constant) => Node::Constant(*constant == holds),
            Said::Fact(fact, terms) => {
                Node::Fact { fact: self.fact(fact), places: self.places(terms), holds }
            }
            Said::Test(test) => {
                Node::Test { test: Arc::clone(test), places: self.places(&test.terms), holds }
            }
            Said::Not(of) => self.node(of, !holds)?,
            Said::And(one, two) => self.both(one, holds, two, holds, holds)?,
            Said::Or(one, two) => self.both(one, holds, two, holds, !holds)?,
            Said::Implies(one, two) => self.both(one, !holds, two, holds, !holds)?,
            Said::Iff(one, two) => {
                let same = self.both(one, true, two, holds, true)?;
                let other = self.both(one, false, two, !holds, true)?;
                Node::Or(vec![same, other])
            }
            Said::Quantified { all, .. } => self.quantified(said, *all == holds, holds)?,
            Said::Next { weak, window, of } => {
                let one = self.node(of, holds)?;
                let kind = WaitsFor::Next { weak: *weak == holds };
                self.waits(kind, *window, one, Node::Constant(true))
            }
            Said::Previous { .. }
            | Said::One(Unary::Historically | Unary::Once, ..)
            | Said::Two(Binary::Since | Binary::BackTo, ..) => self.past(said, holds)?,
            Said::One(operator, window, of) => {
                self.refuse_unbounded(said, *window)?;
                let two = self.node(of, holds)?;
                let goes_on = (*operator == Unary::Always) == holds;
                let kind = if goes_on { WaitsFor::Release } else { WaitsFor::Until };
                self.waits(kind, *window, Node::Constant(!goes_on), two)
            }
            Said::Two(Binary::WeakUntil, window, one, two) => {
                self.refuse_unbounded(said, *window)?;
                let begun = Window { from: 0, ..*window };
                let until = Said::Two(Binary::Until, *window, Arc::clone(one), Arc::clone(two));
                let always = Said::One(Unary::Always, begun, Arc::clone(one));
                self.both(&Arc::new(until), holds, &Arc::new(always), holds, !holds)?
            }
            Said::Two(operator, window, one, two) => {
                self.refuse_unbounded(said, *window)?;
                let (one, two) = (self.node(one, holds)?, self.node(two, holds)?);
                let goes_on = (*operator == Binary::Release) == holds;
                let kind = if goes_on { WaitsFor::Release } else { WaitsFor::Until };
                self.waits(kind, *window, one, two)
            }
        })
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
            self.plan.names.push(Arc::clone(name));
            self.scope.push((Arc::clone(name), self.plan.names.len() - 1));
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

    /// Values that make some literals true, and what then: a way to find them, or several.
    fn found(
        &mut self,
        said: &Part<E, V>,
        slots: &[Slot],
        literals: Vec<Literal<E, V>>,
        is_forall: bool,
    ) -> Result<Node<V>, Error> {
        let (later, present): (Vec<_>, Vec<_>) =
            literals.iter().cloned().partition(|(part, _)| part.has_future());
        match self.join(slots, present) {
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
                let Some((place, cases)) =
                    literals.iter().enumerate().find_map(|(place, literal)| Some((place, cases(literal)?)))
                else {
                    return Err(self.unfound(slot, said));
                };
                let mut nodes = Vec::new();
                for case in cases {
                    let mut literals = literals.clone();
                    literals.remove(place);
                    conjuncts(&case.0, case.1, &mut literals);
                    nodes.push(self.found(said, slots, literals, is_forall)?);
                }
                Ok(if is_forall { Node::And(nodes) } else { Node::Or(nodes) })
            }
        }
    }

    fn unfound(&self, slot: Slot, said: &Said<E, V>) -> Error {
        Error::specification(format!(
            "nothing says which values `{name}` may have in {}: put a fact beside it (`exists {name}. p({name}) & …`, `forall \
             {name}. p({name}) -> …`)",
            Shown(said, 0),
            name = self.plan.names[slot],
        ))
    }

    /// A way to find values of some variables by literals that are decided at once. All other variables are known.
    fn join(&mut self, slots: &[Slot], mut literals: Vec<Literal<E, V>>) -> Result<Join<V>, Missing> {
        let mut unknown: Vec<Slot> = slots.to_vec();
        let mut steps = Vec::new();
        loop {
            // What can be looked up is, as soon as that is possible.
            let is_ready = |(part, _): &Literal<E, V>, unknown: &[Slot]| {
                self.free(part).iter().all(|slot| !unknown.contains(slot))
            };
            if let Some(place) = literals.iter().position(|literal| is_ready(literal, &unknown)) {
                let (part, holds) = literals.remove(place);
                steps.push(Step::Check(self.node(&part, holds).map_err(Missing::Other)?));
                continue;
            }
            if literals.is_empty() {
                break;
            }
            let step = self.source(&mut literals, &unknown)?;
            let Some((step, known)) = step else { return Err(Missing::Values(unknown[0])) };
            unknown.retain(|slot| !known.contains(slot));
            steps.push(step);
        }
        match unknown.first() {
            Some(slot) => Err(Missing::Values(*slot)),
            None => Ok(Join { steps, slots: slots.to_vec() }),
        }
    }

    /// A literal that says which values some variables may have, and which variables.
    fn source(
        &mut self,
        literals: &mut Vec<Literal<E, V>>,
        unknown: &[Slot],
    ) -> Result<Option<Source<V>>, Missing> {
        // The same as something known; a fact; something that is remembered.
        for place in 0..literals.len() {
            if let (Said::Test(test), true) = (&*literals[place].0, literals[place].1)
                && let (TestKind::Equal, [one, two]) = (&test.kind, self.places(&test.terms).as_slice())
            {
                let is_known =
                    |place: &Place<V>| !matches!(place, Place::Slot(slot) if unknown.contains(slot));
                let (slot, same) = match (one, two) {
                    (Place::Slot(slot), same) | (same, Place::Slot(slot)) if is_known(same) => (*slot, same),
                    _ => continue,
                };
                literals.remove(place);
                return Ok(Some((Step::Same(slot, same.clone()), vec![slot])));
            }
        }
        for place in 0..literals.len() {
            if let (Said::Fact(fact, terms), true) = (&*literals[place].0.clone(), literals[place].1) {
                let known = self.free(&literals.remove(place).0);
                let (fact, places) = (self.fact(fact), self.places(terms));
                let slots: Option<Vec<Slot>> = places
                    .iter()
                    .map(|place| match place {
                        Place::Slot(slot) if unknown.contains(slot) => Some(*slot),
                        _ => None,
                    })
                    .collect();
                let slots = slots.filter(|slots| slots.len() == known.len());
                return Ok(Some((Step::Fact { fact, places, slots }, known)));
            }
        }
        for place in 0..literals.len() {
            let (part, holds) = literals[place].clone();
            if !matches!(
                &*part,
                Said::Previous { .. }
                    | Said::One(Unary::Once | Unary::Historically, ..)
                    | Said::Two(Binary::Since, ..)
            ) {
                continue;
            }
            if let Node::Past { past, holds: true } = self.past(&part, holds).map_err(Missing::Other)? {
                literals.remove(place);
                return Ok(Some((Step::Past { past }, self.free(&part))));
            }
        }
        Ok(None)
    }

    /// Ways to find all values of the free variables for which something holds, whatever is known of them.
    fn finds(&mut self, said: &Part<E, V>, holds: bool) -> Result<Vec<Join<V>>, Missing> {
        let slots = self.free(said);
        let mut literals = Vec::new();
        conjuncts(said, holds, &mut literals);
        self.finds_by(&slots, literals)
    }

    fn finds_by(&mut self, slots: &[Slot], literals: Vec<Literal<E, V>>) -> Result<Vec<Join<V>>, Missing> {
        match self.join(slots, literals.clone()) {
            Ok(join) => Ok(vec![join]),
            Err(Missing::Values(slot)) => {
                let split =
                    literals.iter().enumerate().find_map(|(place, literal)| Some((place, cases(literal)?)));
                let Some((place, cases)) = split else { return Err(Missing::Values(slot)) };
                let mut joins = Vec::new();
                for case in cases {
                    let mut literals = literals.clone();
                    literals.remove(place);
                    conjuncts(&case.0, case.1, &mut literals);
                    joins.extend(self.finds_by(slots, literals)?);
                }
                Ok(joins)
            }
            Err(other) => Err(other),
        }
    }

    /// A past operator. It is remembered for which values it holds, or for which it does not.
    fn past(&mut self, said: &Part<E, V>, holds: bool) -> Result<Node<V>, Error> {
        if said.has_future() {
            return Err(Error::specification(format!(
                "{} looks back at what later elements decide: monitors do not; say it the other way round, from the earlier element on",
                Shown(said, 0)
            )));
        }
        let unfound = |compiler: &Compiler<E, V>, missing: Missing| match missing {
            Missing::Values(slot) => compiler.unfound(slot, said),
            Missing::Other(error) => error,
        };
        match &**said {
            Said::Previous { weak: true, window, of } => {
                let not = Arc::new(Said::Not(Arc::clone(of)));
                let strong = Said::Previous { weak: false, window: *window, of: not };
                self.past(&Arc::new(strong), !holds)
            }
            Said::Previous { weak: false, window, of } => match self.finds(of, true) {
                Ok(finds) => Ok(self.remembered(PastKind::Previous, *window, said, finds, holds)),
                Err(Missing::Other(error)) => Err(error),
                // There is an element before, and it is not so that it does not hold there.
                Err(Missing::Values(slot)) => {
                    let Ok(finds) = self.finds(of, false) else { return Err(self.unfound(slot, said)) };
                    let not = self.remembered(PastKind::Previous, *window, said, finds, !holds);
                    let is_there = Arc::new(Said::Previous {
                        weak: false,
                        window: *window,
                        of: Arc::new(Said::Constant(true)),
                    });
                    let is_there = self.past(&is_there, holds)?;
                    Ok(if holds { Node::And(vec![is_there, not]) } else { Node::Or(vec![is_there, not]) })
                }
            },
            Said::One(Unary::Historically, window, of) => {
                let not = Arc::new(Said::Not(Arc::clone(of)));
                self.past(&Arc::new(Said::One(Unary::Once, *window, not)), !holds)
            }
            Said::One(_, window, of) => {
                let finds = self.finds(of, true).map_err(|missing| unfound(self, missing))?;
                Ok(self.remembered(PastKind::Since(Keeps::All), *window, said, finds, holds))
            }
            Said::Two(Binary::BackTo, window, one, two) => {
                let begun = Window { from: 0, ..*window };
                let since = Arc::new(Said::Two(Binary::Since, *window, Arc::clone(one), Arc::clone(two)));
                let historically = Arc::new(Said::One(Unary::Historically, begun, Arc::clone(one)));
                let parts = vec![self.past(&since, holds)?, self.past(&historically, holds)?];
                Ok(if holds { Node::Or(parts) } else { Node::And(parts) })
            }
            Said::Two(_, window, one, two) => {
                let all = self.free(said);
                let finds = self.finds(two, true).map_err(|missing| unfound(self, missing))?;
                if let Some(slot) = all.iter().find(|slot| !self.free(two).contains(slot)) {
                    return Err(self.unfound(*slot, said));
                }
                let keeps = match self.finds(one, false) {
                    Ok(joins) => Keeps::Unless(joins),
                    Err(Missing::Values(_)) => Keeps::Those(self.node(one, true)?),
                    Err(Missing::Other(error)) => return Err(error),
                };
                Ok(self.remembered(PastKind::Since(keeps), *window, said, finds, holds))
            }
            _ => unreachable!("it is a past operator"),
        }
    }

    fn remembered(
        &mut self,
        kind: PastKind<V>,
        window: Window,
        said: &Said<E, V>,
        finds: Vec<Join<V>>,
        holds: bool,
    ) -> Node<V> {
        let slots = self.free(said);
        self.plan.pasts.push(Past { kind, window, slots, finds });
        Node::Past { past: self.plan.pasts.len() - 1, holds }
    }
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

/// Where the values of some variables come from.
type Source<V> = (Step<V>, Vec<Slot>);

/// Why there is no way to find values.
enum Missing {
    /// Nothing says which this variable may have.
    Values(Slot),
    Other(Error),
}

/// Adds the literals that must all hold.
fn conjuncts<E, V>(said: &Part<E, V>, holds: bool, literals: &mut Vec<Literal<E, V>>) {
    match (&**said, holds) {
        (Said::Not(of), _) => conjuncts(of, !holds, literals),
        (Said::And(one, two), true) | (Said::Or(one, two), false) => {
            conjuncts(one, holds, literals);
            conjuncts(two, holds, literals);
        }
        (Said::Implies(one, two), false) => {
            conjuncts(one, true, literals);
            conjuncts(two, false, literals);
        }
        _ => literals.push((Arc::clone(said), holds)),
    }
}

/// The cases of which one must be so, if a literal has several.
fn cases<E, V>((said, holds): &Literal<E, V>) -> Option<Vec<Literal<E, V>>> {
    match (&**said, holds) {
        (Said::Or(one, two), true) | (Said::And(one, two), false) => {
            Some(vec![(Arc::clone(one), *holds), (Arc::clone(two), *holds)])
        }
        (Said::Implies(one, two), true) => Some(vec![(Arc::clone(one), false), (Arc::clone(two), true)]),
        (Said::Iff(one, two), holds) => {
            let both = |one_holds: bool, two_holds: bool| {
                let part = |part: &Part<E, V>, holds: bool| match holds {
                    true => Arc::clone(part),
                    false => Arc::new(Said::Not(Arc::clone(part))),
                };
                (Arc::new(Said::And(part(one, one_holds), part(two, two_holds))), true)
            };
            Some(vec![both(true, *holds), both(false, !*holds)])
        }
        _ => None,
    }
}

/// A fact of which some values are known.
#[derive(Clone)]
struct Pattern<V> {
    fact: usize,
    key: Vec<(usize, Place<V>)>,
}

/// The facts without which something has this value at an element, whatever that is; nothing if nobody knows.
fn idle<V: Value>(node: &Node<V>, value: bool) -> Option<Vec<Pattern<V>>> {
    match node {
        Node::Constant(holds) => (*holds == value).then(Vec::new),
        Node::Fact { fact, places, holds } => (*holds != value).then(|| vec![pattern(*fact, places, &[])]),
        Node::And(parts) | Node::Or(parts) => {
            if matches!(node, Node::And(_)) == value {
                let each: Option<Vec<Vec<Pattern<V>>>> = parts.iter().map(|part| idle(part, value)).collect();
                return Some(each?.concat());
            }
            // One is enough: the one about which most is known.
            let each = parts.iter().filter_map(|part| idle(part, value));
            each.max_by_key(|patterns| {
                patterns.iter().map(|pattern| pattern.key.len()).min().unwrap_or(usize::MAX)
            })
        }
        Node::Found { all, join, .. } if *all == value => {
            let facts = join.steps.iter().filter_map(|step| match step {
                Step::Fact { fact, places, .. } | Step::Check(Node::Fact { fact, places, holds: true }) => {
                    Some(pattern(*fact, places, &join.slots))
                }
                _ => None,
            });
            facts.max_by_key(|pattern| pattern.key.len()).map(|best| vec![best])
        }
        _ => None,
    }
}

/// A fact with the places whose values are known beforehand: those that are not found on the way.
fn pattern<V: Value>(fact: usize, places: &[Place<V>], found: &[Slot]) -> Pattern<V> {
    let is_known = |place: &Place<V>| !matches!(place, Place::Slot(slot) if found.contains(slot));
    let key = places.iter().cloned().enumerate().filter(|(_, place)| is_known(place)).collect();
    Pattern { fact, key }
}
