//! Whether one condition makes another one true, as far as their texts show it: `x > 5 and y` entails `x > 3`. Sound, and incomplete: no types are
//! needed, so that it works for floats, arrays and files without types.

use super::Alternative;
use crate::hpl::Relation;
use crate::term::{Domain, Seen, Slot, Term, holds};

/// Disjunctions are taken apart no deeper.
const DEPTH_MAX: usize = 6;

/// Whether every message that is the one alternative is the other one as well, whose message is the one of `slot` then.
pub(super) fn entails(one: &Alternative, slot: Slot, two: &Alternative, its_slot: Slot) -> bool {
    if one.channel != two.channel {
        return false;
    }
    let Some(claim) = &two.condition else { return true };
    let claim = claim.moved(its_slot, slot);
    let known: Vec<&Term> = one.condition.iter().flat_map(Term::conjuncts).collect();
    follows(&known, &claim, DEPTH_MAX)
}

/// Whether a claim follows from what is known.
fn follows(known: &[&Term], claim: &Term, depth: usize) -> bool {
    let is_known = match claim {
        Term::And(one, two) => follows(known, one, depth) && follows(known, two, depth),
        Term::Or(one, two) => follows(known, one, depth) || follows(known, two, depth),
        claim => known.iter().any(|known| shows(known, claim)),
    };
    if is_known || depth == 0 {
        return is_known;
    }
    // What is known of one of several must follow from each.
    known.iter().enumerate().any(|(place, part)| match part {
        Term::Or(one, two) => [one, two].into_iter().all(|side| {
            let mut narrowed = known.to_vec();
            narrowed.swap_remove(place);
            narrowed.extend(side.conjuncts());
            follows(&narrowed, claim, depth - 1)
        }),
        _ => false,
    })
}

/// Whether one part of what is known shows a claim that is neither a conjunction nor a disjunction.
fn shows(known: &Term, claim: &Term) -> bool {
    if known == claim || *claim == Term::Constant(crate::value::Value::Bool(true)) {
        return true;
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

/// The relation with its sides exchanged.
fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::AtMost => Relation::AtLeast,
        Relation::Greater => Relation::Less,
        Relation::AtLeast => Relation::AtMost,
        same => same,
    }
}

/// What holds of two comparable values if a relation does not.
fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::Equal => Relation::Unequal,
        Relation::Unequal => Relation::Equal,
        Relation::Less => Relation::AtLeast,
        Relation::AtMost => Relation::Greater,
        Relation::Greater => Relation::AtMost,
        Relation::AtLeast => Relation::Less,
        Relation::In => Relation::In,
    }
}
