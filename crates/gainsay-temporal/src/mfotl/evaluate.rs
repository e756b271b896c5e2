//! What formulas with data mean, element by element and value by value: the reference that monitors are held against. Slow, and as plain as
//! can be.

use super::aggregate::Aggregation;
use super::domain::domain;
use super::fact::TestKind;
use super::formula::{Formula, Part, Said, Window};
use super::term::{Kind, Term, Value};
use crate::formula::nanoseconds;
use crate::shape::{Binary, Unary};
use gainsay_core::Error;
use std::fmt;
use std::ops::Not;
use std::sync::Arc;
use std::time::Duration;

/// What is known of a formula by the elements so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Known {
    /// It does not hold, whatever follows.
    False,
    /// That depends on what follows.
    Unknown,
    /// It holds, whatever follows.
    True,
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Known::False => "false",
            Known::Unknown => "unknown",
            Known::True => "true",
        })
    }
}

impl From<bool> for Known {
    fn from(holds: bool) -> Known {
        if holds { Known::True } else { Known::False }
    }
}

impl Not for Known {
    type Output = Known;

    fn not(self) -> Known {
        match self {
            Known::False => Known::True,
            Known::Unknown => Known::Unknown,
            Known::True => Known::False,
        }
    }
}

impl Known {
    fn and(self, other: impl FnOnce() -> Known) -> Known {
        match self {
            Known::False => Known::False,
            Known::True => other(),
            Known::Unknown => match other() {
                Known::False => Known::False,
                _ => Known::Unknown,
            },
        }
    }

    fn or(self, other: impl FnOnce() -> Known) -> Known {
        !(!self).and(|| !other())
    }

    fn all(each: impl IntoIterator<Item = Known>) -> Known {
        each.into_iter().fold(Known::True, |all, one| all.and(|| one))
    }
}

/// What a variable stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Bound<V> {
    Value(V),
    /// A value that has not come yet, if any comes; one for each variable.
    Fresh(usize),
    /// A value that is computed from one that has not come yet.
    Unknown,
    /// No value: there is no such quotient, or sum.
    Nothing,
}

impl<V> Bound<V> {
    fn value(&self) -> Option<&V> {
        match self {
            Bound::Value(value) => Some(value),
            _ => None,
        }
    }
}

pub(super) struct World<'a, E, V> {
    pub(super) elements: &'a [(Duration, &'a E)],
    /// All values there are so far.
    pub(super) domain: Vec<V>,
    /// Until when it is known what came; nothing if nothing more comes.
    pub(super) now: Option<u64>,
}

/// Is told what is known of a formula for some values.
type SeeWay<'a, V> = dyn FnMut(Known, &Bindings<V>) -> Result<(), Known> + 'a;

pub(super) type Bindings<V> = Vec<(Arc<str>, Bound<V>)>;

impl<E, V: Value> Formula<E, V> {
    /// What is known of it at the element of that number, by the elements so far and their times. `now` says until when there were no others;
    /// without it, none will come. It is said of all values of its free variables.
    ///
    /// # Errors
    /// If times go back, or there is no such element.
    pub fn evaluate(
        &self,
        elements: &[(Duration, &E)],
        at: usize,
        now: Option<Duration>,
    ) -> Result<Known, Error> {
        self.evaluate_with(elements, at, now, &[])
    }

    /// The same for these values of free variables. It is said of all values of the other ones.
    ///
    /// # Errors
    /// The same.
    pub fn evaluate_with(
        &self,
        elements: &[(Duration, &E)],
        at: usize,
        now: Option<Duration>,
        values: &[(&str, V)],
    ) -> Result<Known, Error> {
        let times = elements.iter().map(|(time, _)| *time).chain(now);
        if let Some(place) = times.clone().zip(times.skip(1)).position(|(before, after)| after < before) {
            return Err(Error::specification(format!("time goes back after element {place}")));
        }
        if at >= elements.len() {
            return Err(Error::specification(format!(
                "there is no element {at}: there are {}",
                elements.len()
            )));
        }
        let world = World { elements, domain: Vec::new(), now: now.map(nanoseconds) };
        let world = domain(&self.said, values.iter().map(|(_, value)| value), world);
        let values = values.iter().map(|(name, value)| (Arc::from(*name), Bound::Value(value.clone())));
        let mut bound: Bindings<V> = values.collect();
        let mut said = Arc::clone(&self.said);
        for name in self.said.free().into_iter().filter(|name| bound.iter().all(|(known, _)| known != name)) {
            said = Arc::new(Said::Quantified { all: true, name, of: said });
        }
        Ok(world.known(&said, at, &mut bound))
    }
}

impl<E, V: Value> World<'_, E, V> {
    fn away(&self, one: usize, two: usize) -> u64 {
        nanoseconds(self.elements[two].0) - nanoseconds(self.elements[one].0)
    }

    /// Whether an element may still come that is so far from another.
    fn may_come(&self, at: usize, window: Window) -> bool {
        self.now.is_some_and(|now| !window.is_over(now - nanoseconds(self.elements[at].0)))
    }

    fn known(&self, said: &Said<E, V>, at: usize, bound: &mut Bindings<V>) -> Known {
        match said {
            Said::Constant(holds) => (*holds).into(),
            Said::Fact(fact, terms) => {
                let mut values = Vec::new();
                let count = (fact.inside.read)(self.elements[at].1, &mut values);
                let wanted: Vec<Bound<V>> = terms.iter().map(|term| meant(term, bound)).collect();
                let is_said = |tuple: &[V]| {
                    Known::all(tuple.iter().zip(&wanted).map(|(value, wanted)| match wanted {
                        Bound::Value(wanted) => (wanted == value).into(),
                        Bound::Unknown => Known::Unknown,
                        Bound::Fresh(_) | Bound::Nothing => Known::False,
                    }))
                };
                match fact.inside.arity {
                    0 => (count > 0).into(),
                    arity => !Known::all(values.chunks(arity).map(|tuple| !is_said(tuple))),
                }
            }
            Said::Test(test) => {
                let values: Vec<Bound<V>> = test.terms.iter().map(|term| meant(term, bound)).collect();
                let known: Option<Vec<&V>> = values.iter().map(Bound::value).collect();
                match (known, &test.kind, values.as_slice()) {
                    _ if values.contains(&Bound::Nothing) => Known::False,
                    (Some(known), kind, _) => kind.holds(&known).into(),
                    _ if values.contains(&Bound::Unknown) => Known::Unknown,
                    (None, TestKind::Equal, [one, two]) => (one == two).into(),
                    (None, ..) => Known::Unknown,
                }
            }
            Said::Not(of) => !self.known(of, at, bound),
            Said::And(parts) => {
                parts.iter().fold(Known::True, |all, part| all.and(|| self.known(part, at, bound)))
            }
            Said::Or(parts) => {
                parts.iter().fold(Known::False, |any, part| any.or(|| self.known(part, at, bound)))
            }
            Said::Implies(one, two) => (!self.known(one, at, bound)).or(|| self.known(two, at, bound)),
            Said::Iff(one, two) => {
                let (one, two) = (self.known(one, at, bound), self.known(two, at, bound));
                if one == Known::Unknown || two == Known::Unknown {
                    Known::Unknown
                } else {
                    (one == two).into()
                }
            }
            Said::Aggregate(aggregation, of) => {
                let result = match self.aggregated(aggregation, of, at, bound) {
                    Err(known) => return known,
                    Ok(result) => result,
                };
                match meant::<V>(&Term { kind: Kind::Variable(Arc::clone(&aggregation.result)) }, bound) {
                    Bound::Value(value) => (value == result).into(),
                    Bound::Unknown => Known::Unknown,
                    // (All results are in the domain.)
                    Bound::Fresh(_) | Bound::Nothing => Known::False,
                }
            }
            Said::Quantified { all: true, name, of } => self.of_all(name, of, at, bound, &|known| known),
            Said::Quantified { all: false, name, of } => !self.of_all(name, of, at, bound, &|known| !known),
            Said::Next { weak, window, of } if at + 1 < self.elements.len() => {
                if window.contains(self.away(at, at + 1)) {
                    self.known(of, at + 1, bound)
                } else {
                    (*weak).into()
                }
            }
            Said::Next { window, .. } if self.may_come(at, *window) => Known::Unknown,
            Said::Next { weak, .. } => (*weak).into(),
            Said::Previous { weak, window, of } => match at.checked_sub(1) {
                Some(before) if window.contains(self.away(before, at)) => self.known(of, before, bound),
                _ => (*weak).into(),
            },
            Said::One(operator, window, of) => {
                let always = matches!(operator, Unary::Always | Unary::Historically);
                let of = |place: usize, bound: &mut Bindings<V>| {
                    let known = self.known(of, place, bound);
                    if always { !known } else { known }
                };
                let one = |_: usize, _: &mut Bindings<V>| Known::True;
                let known = match operator {
                    Unary::Always | Unary::Eventually => self.until(at, *window, bound, &one, &of),
                    Unary::Historically | Unary::Once => self.since(at, *window, bound, &one, &of),
                };
                if always { !known } else { known }
            }
            Said::Two(operator, window, one, two) => {
                let releases = *operator == Binary::Release;
                let of = |part: &Part<E, V>, place: usize, bound: &mut Bindings<V>| {
                    let known = self.known(part, place, bound);
                    if releases { !known } else { known }
                };
                let one_at = |place: usize, bound: &mut Bindings<V>| of(one, place, bound);
                let two_at = |place: usize, bound: &mut Bindings<V>| of(two, place, bound);
                let begun = Window { from: 0, ..*window };
                match operator {
                    Binary::Until => self.until(at, *window, bound, &one_at, &two_at),
                    Binary::Release => !self.until(at, *window, bound, &one_at, &two_at),
                    Binary::Since => self.since(at, *window, bound, &one_at, &two_at),
                    Binary::WeakUntil => self
                        .until(at, *window, bound, &one_at, &two_at)
                        .or(|| self.known(&Said::One(Unary::Always, begun, Arc::clone(one)), at, bound)),
                    Binary::BackTo => self.since(at, *window, bound, &one_at, &two_at).or(|| {
                        self.known(&Said::One(Unary::Historically, begun, Arc::clone(one)), at, bound)
                    }),
                }
            }
        }
    }

    /// The result of an aggregation for the groups that are bound; otherwise whether there is none, or nobody knows yet.
    pub(super) fn aggregated(
        &self,
        aggregation: &Aggregation<V>,
        of: &Said<E, V>,
        at: usize,
        bound: &mut Bindings<V>,
    ) -> Result<V, Known> {
        let group: Bindings<V> =
            aggregation.by.iter().map(|name| (Arc::clone(name), bound_to(name, bound))).collect();
        let mut names = of.free();
        names.retain(|name| !aggregation.by.contains(name));
        let mut values = Vec::new();
        let mut group = group;
        self.each_way(&names, of, at, &mut group, &mut |known, bound| match known {
            Known::False => Ok(()),
            Known::Unknown => Err(Known::Unknown),
            Known::True => match meant(&aggregation.term, bound) {
                Bound::Value(value) => {
                    values.push(value);
                    Ok(())
                }
                Bound::Nothing => Ok(()),
                Bound::Fresh(_) | Bound::Unknown => Err(Known::Unknown),
            },
        })?;
        aggregation.fold(values).ok_or(Known::False)
    }

    /// Calls something with what is known of a formula for all values of some variables, those included that have not come yet.
    fn each_way(
        &self,
        names: &[Arc<str>],
        of: &Said<E, V>,
        at: usize,
        bound: &mut Bindings<V>,
        see: &mut SeeWay<'_, V>,
    ) -> Result<(), Known> {
        let Some((name, names)) = names.split_first() else { return see(self.known(of, at, bound), bound) };
        let known = self.domain.iter().cloned().map(Bound::Value);
        let fresh = self.now.map(|_| Bound::Fresh(bound.len()));
        for value in known.chain(fresh) {
            bound.push((Arc::clone(name), value));
            let seen = self.each_way(names, of, at, bound, see);
            bound.pop();
            seen?;
        }
        Ok(())
    }

    /// Whether something is so of all values; one that has not come yet cannot make it false by itself, since it may never come.
    fn of_all(
        &self,
        name: &Arc<str>,
        of: &Said<E, V>,
        at: usize,
        bound: &mut Bindings<V>,
        taken: &dyn Fn(Known) -> Known,
    ) -> Known {
        // (Values of variables outside may not have come yet either, and be the same one.)
        let fresh = bound.iter().map(|(_, value)| value).filter(|value| matches!(value, Bound::Fresh(_)));
        let fresh: Vec<Bound<V>> = fresh.cloned().chain([Bound::Fresh(bound.len())]).collect();
        let mut one = |value: Bound<V>| {
            bound.push((Arc::clone(name), value));
            let known = taken(self.known(of, at, bound));
            bound.pop();
            known
        };
        let known = Known::all(self.domain.iter().map(|value| one(Bound::Value(value.clone()))));
        if self.now.is_none() || known == Known::False {
            return known;
        }
        if Known::all(fresh.into_iter().map(one)) == Known::True { known } else { Known::Unknown }
    }

    fn until(
        &self,
        at: usize,
        window: Window,
        bound: &mut Bindings<V>,
        one: &dyn Fn(usize, &mut Bindings<V>) -> Known,
        two: &dyn Fn(usize, &mut Bindings<V>) -> Known,
    ) -> Known {
        let places = (at..self.elements.len()).map(|place| (place, self.away(at, place)));
        let (found, held) = met(places, window, bound, one, two);
        if self.may_come(at, window) { found.or(|| held.and(|| Known::Unknown)) } else { found }
    }

    fn since(
        &self,
        at: usize,
        window: Window,
        bound: &mut Bindings<V>,
        one: &dyn Fn(usize, &mut Bindings<V>) -> Known,
        two: &dyn Fn(usize, &mut Bindings<V>) -> Known,
    ) -> Known {
        let places = (0..=at).rev().map(|place| (place, self.away(place, at)));
        met(places, window, bound, one, two).0
    }
}

/// Whether the second is met at one of these places, which are so far away, and the first held at all before it; and whether the first held at all.
fn met<V>(
    places: impl Iterator<Item = (usize, u64)>,
    window: Window,
    bound: &mut Bindings<V>,
    one: &dyn Fn(usize, &mut Bindings<V>) -> Known,
    two: &dyn Fn(usize, &mut Bindings<V>) -> Known,
) -> (Known, Known) {
    let (mut found, mut held) = (Known::False, Known::True);
    for (place, away) in places {
        if window.contains(away) {
            found = found.or(|| held.and(|| two(place, bound)));
        }
        held = held.and(|| one(place, bound));
    }
    (found, held)
}

fn bound_to<V: Value>(name: &Arc<str>, bound: &Bindings<V>) -> Bound<V> {
    let known = bound.iter().rev().find(|(bound, _)| bound == name);
    known.map_or(Bound::Fresh(usize::MAX), |(_, value)| value.clone())
}

pub(super) fn meant<V: Value>(term: &Term<V>, bound: &Bindings<V>) -> Bound<V> {
    match &term.kind {
        Kind::Value(value) => Bound::Value(value.clone()),
        Kind::Variable(name) => bound_to(name, bound),
        Kind::Computed(computation, terms) => {
            let values: Vec<Bound<V>> = terms.iter().map(|term| meant(term, bound)).collect();
            if values.contains(&Bound::Nothing) {
                return Bound::Nothing;
            }
            let known: Option<Vec<&V>> = values.iter().map(Bound::value).collect();
            match known.map(|known| computation.compute(&known)) {
                None => Bound::Unknown,
                Some(None) => Bound::Nothing,
                Some(Some(value)) => Bound::Value(value),
            }
        }
    }
}
