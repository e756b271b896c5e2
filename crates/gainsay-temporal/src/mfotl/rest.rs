//! What is left of formulas after an element: what later ones decide.

use super::plan::Env;

/// What is left of something after an element.
pub(super) enum Rest<V> {
    Known(bool),
    Wait(Wait<V>),
    And(Vec<Rest<V>>),
    Or(Vec<Rest<V>>),
}

/// Something that is waited for.
pub(super) struct Wait<V> {
    pub(super) number: usize,
    pub(super) env: Env<V>,
    pub(super) since: u64,
    /// Whether whoever wakes it knows.
    pub(super) is_known: bool,
}

/// How something went on that was waited for.
pub(super) enum Went<V> {
    /// It is waited for as before.
    Nowhere,
    Known(bool),
    To(Box<Rest<V>>),
    /// It is waited for, and its operands for themselves.
    Apart(Box<(Rest<V>, Rest<V>)>),
}

/// (Faster than a clone, since there are few.)
#[inline]
pub(super) fn copied<V: Clone>(env: &Env<V>) -> Env<V> {
    let mut copy = Env::new();
    env.iter().for_each(|value| copy.push(value.clone()));
    copy
}

impl<V> Rest<V> {
    fn joined(one: Rest<V>, two: Rest<V>, is_and: bool) -> Rest<V> {
        match (one, two) {
            (Rest::Known(holds), other) | (other, Rest::Known(holds)) => {
                if holds == is_and {
                    other
                } else {
                    Rest::Known(holds)
                }
            }
            (one, two) => {
                let mut parts = Vec::new();
                for rest in [one, two] {
                    match rest {
                        Rest::And(more) if is_and => parts.extend(more),
                        Rest::Or(more) if !is_and => parts.extend(more),
                        other => parts.push(other),
                    }
                }
                if is_and { Rest::And(parts) } else { Rest::Or(parts) }
            }
        }
    }

    pub(super) fn and(one: Rest<V>, two: Rest<V>) -> Rest<V> {
        Rest::joined(one, two, true)
    }

    pub(super) fn or(one: Rest<V>, two: Rest<V>) -> Rest<V> {
        Rest::joined(one, two, false)
    }

    /// Replaces what is waited for.
    pub(super) fn each_wait(self, change: &mut dyn FnMut(Wait<V>) -> Rest<V>) -> Rest<V> {
        match self {
            Rest::Known(holds) => Rest::Known(holds),
            Rest::Wait(wait) => change(wait),
            Rest::And(parts) => {
                parts.into_iter().fold(Rest::Known(true), |all, part| Rest::and(all, part.each_wait(change)))
            }
            Rest::Or(parts) => {
                parts.into_iter().fold(Rest::Known(false), |any, part| Rest::or(any, part.each_wait(change)))
            }
        }
    }

    pub(super) fn see_waits(&mut self, see: &mut dyn FnMut(&mut Wait<V>)) {
        match self {
            Rest::Known(_) => {}
            Rest::Wait(wait) => see(wait),
            Rest::And(parts) | Rest::Or(parts) => parts.iter_mut().for_each(|part| part.see_waits(see)),
        }
    }
}
