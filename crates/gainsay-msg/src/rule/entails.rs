//! Whether one condition makes another one true, as far as their texts show it: `x > 5 and y` entails `x > 3`. Sound, and incomplete: no types are
//! needed, so that it works for floats, arrays and files without types.

mod form;

use super::Alternative;
use crate::construct::{opposite, turned, with_variable};
use crate::hpl::Relation;
use crate::term::{Access, AccessStep, Domain, Seen, Slot, Term, holds, whole_range};
use crate::value::Value;
use form::form;

/// So many disjunctions of what is known are taken apart.
const DEPTH_MAX: usize = 8;

/// Whether every message that is the one alternative is the other one as well, whose message is the one of `slot` then.
pub(super) fn entails(one: &Alternative, slot: Slot, two: &Alternative, its_slot: Slot) -> bool {
    if one.channel != two.channel {
        return false;
    }
    let Some(claim) = &two.condition else { return true };
    let claim = form(&claim.moved(its_slot, slot), true);
    let known = one.condition.as_ref().map(|known| form(known, true));
    let known: Vec<&Term> = known.iter().flat_map(Term::conjuncts).collect();
    follows(&known, &claim, DEPTH_MAX)
}

/// Whether a claim follows from what is known.
fn follows(known: &[&Term], claim: &Term, depth: usize) -> bool {
    if is_shown(known, claim, depth) {
        return true;
    }
    let Some(place) = known.iter().position(|part| matches!(part, Term::Or(..))) else { return false };
    let Term::Or(one, two) = known[place] else { return false };
    // What is known of one of several must follow from each that can be.
    depth > 0
        && [one, two].into_iter().all(|side| {
            let mut narrowed = known.to_vec();
            narrowed.remove(place);
            narrowed.extend(side.conjuncts());
            is_contradictory(&narrowed, depth) || follows(&narrowed, claim, depth - 1)
        })
}

/// Whether two parts exclude each other.
fn is_contradictory(known: &[&Term], depth: usize) -> bool {
    let excludes = |one: &Term, two: &Term| match two {
        Term::Not(of) => shows(one, of, depth),
        other => shows(one, &Term::Not(Box::new(other.clone())), depth),
    };
    known.iter().enumerate().any(|(place, one)| known[place + 1..].iter().any(|two| excludes(one, two)))
}

/// Whether a claim is shown by what is known, none of which is taken apart.
fn is_shown(known: &[&Term], claim: &Term, depth: usize) -> bool {
    if known.iter().any(|known| shows(known, claim, depth)) {
        return true;
    }
    match claim {
        Term::And(one, two) => is_shown(known, one, depth) && is_shown(known, two, depth),
        Term::Or(one, two) => is_shown(known, one, depth) || is_shown(known, two, depth),
        Term::Quantified { all: false, domain: Domain::Array(array), body } => {
            let mut places = known.iter().flat_map(|known| elements(known, array));
            depth > 0 && places.any(|place| follows(known, &with_variable(body, 0, place), depth - 1))
        }
        Term::Constant(value) => *value == Value::Bool(true),
        _ => false,
    }
}

/// Whether one part of what is known shows a claim that is neither a conjunction nor a disjunction.
fn shows(known: &Term, claim: &Term, depth: usize) -> bool {
    if known == claim {
        return true;
    }
    match (known, claim) {
        (Term::Not(known), Term::Not(claim)) => return shows(claim, known, depth),
        (
            Term::Quantified { all: known_all, domain: known_domain, body: known },
            Term::Quantified { all, domain, body },
        ) => {
            let is_enough = match (known_all, all) {
                (true, true) => is_within(domain, known_domain),
                (false, false) => is_within(known_domain, domain),
                (true, false) => known_domain == domain && is_inhabited(domain),
                (false, true) => false,
            };
            return is_enough && depth > 0 && follows(&known.conjuncts(), body, depth - 1);
        }
        (Term::Compare(known, one, two), Term::Compare(relation, left, right)) => {
            let is_same = one == left && two == right && is_as_strong(*known, *relation);
            let is_turned = one == right && two == left && is_as_strong(turned(*known), *relation);
            if is_same || is_turned {
                return true;
            }
        }
        _ => {}
    }
    match (Bounds::of(known), claim) {
        (Some(known), Term::Not(inner)) => {
            // (What is known of it says that it has a value: then the opposite of a relation is its negation.)
            matches!(Bounds::of(inner), Some(Bounds { of, all })
                if *known.of == *of && all.len() == 1 && known.each_shows(opposite(all[0].0), &all[0].1))
        }
        (Some(known), claim) => Bounds::of(claim).is_some_and(|claim| {
            *known.of == *claim.of
                && match claim.all.as_slice() {
                    all if claim.is_any_of() => known.values().is_some_and(|values| {
                        values.iter().all(|one| all.iter().any(|(_, two)| holds(Relation::Equal, one, two)))
                    }),
                    all => all.iter().all(|(relation, value)| known.each_shows(*relation, value)),
                }
        }),
        (None, _) => false,
    }
}

/// Whether one relation of two values is also another. (Texts that are equal have no order.)
fn is_as_strong(known: Relation, relation: Relation) -> bool {
    match known {
        Relation::Less => matches!(relation, Relation::Less | Relation::AtMost | Relation::Unequal),
        Relation::Greater => matches!(relation, Relation::Greater | Relation::AtLeast | Relation::Unequal),
        other => other == relation,
    }
}

/// Whether everything of one domain is in another.
fn is_within(inner: &Domain, outer: &Domain) -> bool {
    let whole = |domain: &Domain| match domain {
        Domain::Range { ends, without_first, without_last } => match (&ends.0, &ends.1) {
            (Term::Constant(first), Term::Constant(last)) => {
                whole_range(&Seen::of(first)?, &Seen::of(last)?, *without_first, *without_last)
            }
            _ => None,
        },
        _ => None,
    };
    match (inner, outer) {
        (inner, outer) if inner == outer => true,
        (Domain::Set(inner), Domain::Set(outer)) => inner.iter().all(|item| outer.contains(item)),
        (inner, outer) => match (whole(inner), whole(outer)) {
            (Some(inner), Some(outer)) => outer.0 <= inner.0 && inner.1 <= outer.1,
            _ => false,
        },
    }
}

/// Whether there is something in a domain, whatever messages say.
fn is_inhabited(domain: &Domain) -> bool {
    match domain {
        Domain::Set(items) => !items.is_empty(),
        Domain::Range { ends, without_first, without_last } => {
            let (Term::Constant(first), Term::Constant(last)) = (&ends.0, &ends.1) else { return false };
            let (Some(first), Some(last)) = (Seen::of(first), Seen::of(last)) else { return false };
            let whole = whole_range(&first, &last, *without_first, *without_last);
            whole.is_some_and(|(first, last)| first <= last)
        }
        Domain::Array(_) => false,
    }
}

/// The elements of an array of which a relation speaks: since it holds, they are there.
fn elements<'t>(known: &'t Term, array: &Term) -> Vec<&'t Value> {
    let (Term::Compare(_, one, two), Term::Field(Access { root, steps })) = (known, array) else {
        return Vec::new();
    };
    let element = |term: &'t Term| match term {
        Term::Field(access) if access.root == *root && access.steps.starts_with(steps) => {
            match access.steps.get(steps.len()) {
                Some(AccessStep::Index(Term::Constant(place))) => Some(place),
                _ => None,
            }
        }
        _ => None,
    };
    [one, two].into_iter().filter_map(|side| element(side)).collect()
}

/// What is said of a term by relations to constants.
struct Bounds<'t> {
    of: &'t Term,
    /// All of them hold; or, if all are equalities and there are several, one of them.
    all: Vec<(Relation, Seen<'t>)>,
}

impl<'t> Bounds<'t> {
    fn of(term: &'t Term) -> Option<Bounds<'t>> {
        let constant = |term: &'t Term| match term {
            Term::Constant(value) => Seen::of(value),
            _ => None,
        };
        match term {
            Term::Compare(relation, one, two) => match (constant(one), constant(two)) {
                (None, Some(value)) => Some(Bounds { of: one, all: vec![(*relation, value)] }),
                (Some(value), None) => Some(Bounds { of: two, all: vec![(turned(*relation), value)] }),
                _ => None,
            },
            Term::In(one, Domain::Set(items)) if !items.is_empty() => {
                let values: Option<Vec<Seen<'t>>> = items.iter().map(constant).collect();
                let all = values?.into_iter().map(|value| (Relation::Equal, value)).collect();
                Some(Bounds { of: one, all })
            }
            Term::In(one, Domain::Range { ends, without_first, without_last }) => {
                let (first, last) = (constant(&ends.0)?, constant(&ends.1)?);
                let low = if *without_first { Relation::Greater } else { Relation::AtLeast };
                let high = if *without_last { Relation::Less } else { Relation::AtMost };
                Some(Bounds { of: one, all: vec![(low, first), (high, last)] })
            }
            _ => None,
        }
    }

    /// Whether it is a choice of values.
    fn is_any_of(&self) -> bool {
        self.all.len() > 1 && self.all.iter().all(|(relation, _)| *relation == Relation::Equal)
    }

    /// The values that it may have, if they are listed.
    fn values(&self) -> Option<Vec<&Seen<'t>>> {
        self.all.iter().map(|(relation, value)| (*relation == Relation::Equal).then_some(value)).collect()
    }

    /// Whether whatever meets it has this relation to a value.
    fn each_shows(&self, relation: Relation, value: &Seen<'_>) -> bool {
        let mut parts = self.all.iter().map(|(known, limit)| is_stronger(*known, limit, relation, value));
        if self.is_any_of() { parts.all(|shows| shows) } else { parts.any(|shows| shows) }
    }
}

/// Whether `x known limit` entails `x relation value`.
fn is_stronger(known: Relation, limit: &Seen<'_>, relation: Relation, value: &Seen<'_>) -> bool {
    use Relation::{AtLeast, AtMost, Equal, Greater, Less, Unequal};
    let holds = |relation| holds(relation, limit, value);
    match (known, relation) {
        (Equal, relation) => holds(relation),
        (Less, Less | AtMost | Unequal) | (AtMost, AtMost) => holds(AtMost),
        (AtMost, Less | Unequal) => holds(Less),
        (Greater, Greater | AtLeast | Unequal) | (AtLeast, AtLeast) => holds(AtLeast),
        (AtLeast, Greater | Unequal) => holds(Greater),
        (Unequal, Unequal) => holds(Equal),
        _ => false,
    }
}
