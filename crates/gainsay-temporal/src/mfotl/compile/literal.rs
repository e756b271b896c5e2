//! What must hold together, and the cases of what may.

use super::super::formula::{Part, Said};
use std::sync::Arc;

/// A formula, and whether it shall hold or not.
pub(super) type Literal<E, V> = (Part<E, V>, bool);

/// Adds the literals that must all hold.
pub(super) fn conjuncts<E, V>(said: &Part<E, V>, holds: bool, literals: &mut Vec<Literal<E, V>>) {
    match (&**said, holds) {
        (Said::Not(of), _) => conjuncts(of, !holds, literals),
        (Said::And(parts), true) | (Said::Or(parts), false) => {
            parts.iter().for_each(|part| conjuncts(part, holds, literals));
        }
        (Said::Implies(one, two), false) => {
            conjuncts(one, true, literals);
            conjuncts(two, false, literals);
        }
        _ => literals.push((Arc::clone(said), holds)),
    }
}

/// The cases of which one must be so, if a literal has several.
pub(super) fn cases<E, V>((said, holds): &Literal<E, V>) -> Option<Vec<Literal<E, V>>> {
    match (&**said, holds) {
        (Said::Or(parts), true) | (Said::And(parts), false) => {
            Some(parts.iter().map(|part| (Arc::clone(part), *holds)).collect())
        }
        (Said::Implies(one, two), true) => Some(vec![(Arc::clone(one), false), (Arc::clone(two), true)]),
        (Said::Iff(one, two), holds) => {
            let both = |one_holds: bool, two_holds: bool| {
                let part = |part: &Part<E, V>, holds: bool| match holds {
                    true => Arc::clone(part),
                    false => Arc::new(Said::Not(Arc::clone(part))),
                };
                (Arc::new(Said::And(vec![part(one, one_holds), part(two, two_holds)])), true)
            };
            Some(vec![both(true, *holds), both(false, !*holds)])
        }
        _ => None,
    }
}
