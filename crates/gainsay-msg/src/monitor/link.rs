//! What joins a message to another one: equalities, by which it is looked up, and the rest.

use crate::hpl::{PatternKind, Relation};
use crate::rule::{Alternative, Rule};
use crate::term::{Messages, Seen, Slot, Term, holds};
use crate::value::compare_int_float;
use rustc_hash::FxHasher;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// How a message that is kept is found again by one that comes later.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    /// The kept message and the later one.
    pub(crate) kept: Slot,
    /// What must hold of both.
    pub(crate) condition: Option<Term>,
    /// Whether it speaks of both.
    pub(crate) is_linked: bool,
    /// Equalities: what the kept message says, and what the later one does.
    keys: Vec<(Term, Term)>,
    /// What is said besides.
    rest: Vec<Term>,
    /// Whether the equalities say all that is said of both.
    pub(crate) is_keyed_only: bool,
}

/// The links of a property, one for each alternative of its second event.
pub(crate) fn links(rule: &Rule) -> Vec<Link> {
    let Some(second) = &rule.second else { return Vec::new() };
    // `a causes b {… @a …}`: the first event is kept, and the second comes later; `b requires a {… @b …}`: the other way round.
    let kept = if rule.kind == PatternKind::Requires { Slot::Second } else { Slot::First };
    second.alternatives.iter().map(|alternative| Link::new(alternative, kept)).collect()
}

impl Link {
    fn new(alternative: &Alternative, kept: Slot) -> Link {
        let later = if kept == Slot::First { Slot::Second } else { Slot::First };
        let is_linked = alternative.mentions(Slot::First);
        let mut keys = Vec::new();
        let mut rest = Vec::new();
        let mut is_keyed_only = true;
        for part in alternative.condition.iter().flat_map(Term::conjuncts) {
            let sides = match part {
                Term::Compare(Relation::Equal, one, two) => [(one, two), (two, one)],
                _ => {
                    is_keyed_only &= !part.mentions(Slot::First);
                    rest.push(part.clone());
                    continue;
                }
            };
            let key = sides.into_iter().find(|(one, two)| {
                one.mentions(kept) && !one.mentions(later) && two.mentions(later) && !two.mentions(kept)
            });
            match key {
                Some((one, two)) => keys.push(((**one).clone(), (**two).clone())),
                None => {
                    is_keyed_only &= !part.mentions(Slot::First);
                    rest.push(part.clone());
                }
            }
        }
        Link { kept, condition: alternative.condition.clone(), is_linked, keys, rest, is_keyed_only }
    }

    pub(crate) fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// By what the kept message is found; nothing if it cannot be.
    #[inline]
    pub(crate) fn key_of_kept(&self, messages: &Messages<'_>) -> Option<Key> {
        match self.keys.as_slice() {
            [(kept, _)] => Key::of(&kept.value(messages)?),
            keys => Key::of_several(keys.iter().map(|(kept, _)| kept), messages),
        }
    }

    /// By what the later message finds; nothing if it finds nobody.
    #[inline]
    pub(crate) fn key_of_later(&self, messages: &Messages<'_>) -> Option<Key> {
        match self.keys.as_slice() {
            [(_, later)] => Key::of(&later.value(messages)?),
            keys => Key::of_several(keys.iter().map(|(_, later)| later), messages),
        }
    }

    /// Whether both are what they must be, once one has been found by the key of the other.
    #[inline]
    pub(crate) fn is_met_besides(&self, key: Key, messages: &Messages<'_>) -> bool {
        match key {
            Key::Whole(_) => self.rest.iter().all(|part| part.is_true(messages)),
            Key::Hash(_) => self.is_met(messages),
        }
    }

    /// Whether the key alone says that both are what they must be.
    #[inline]
    pub(crate) fn is_enough(&self, key: Key) -> bool {
        matches!(key, Key::Whole(_)) && self.rest.is_empty()
    }

    /// Whether two kept messages are found by the same.
    pub(crate) fn say_the_same(&self, one: &Messages<'_>, two: &Messages<'_>) -> bool {
        self.keys.iter().all(|(kept, _)| match (kept.value(one), kept.value(two)) {
            (Some(one), Some(two)) => holds(Relation::Equal, &one, &two),
            _ => false,
        })
    }

    /// Whether both are what they must be.
    pub(crate) fn is_met(&self, messages: &Messages<'_>) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.is_true(messages))
    }

    /// Whether the kept message may be what it must be, as far as that is known without the later one.
    pub(crate) fn may_be_met(&self, messages: &Messages<'_>) -> bool {
        let parts = self.condition.iter().flat_map(Term::conjuncts);
        parts.filter(|part| !part.mentions(Slot::First)).all(|part| part.is_true(messages))
    }
}

/// By what messages are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// The one value that they share.
    Whole(i64),
    /// A hash of what they share: who is found by it must be looked at.
    Hash(u64),
}

impl Hash for Key {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        // (Those of one link are mostly of one kind.)
        match self {
            Key::Whole(value) => state.write_u64(value.cast_unsigned()),
            Key::Hash(hash) => state.write_u64(*hash),
        }
    }
}

impl Key {
    #[inline]
    fn of(value: &Seen<'_>) -> Option<Key> {
        if let Seen::Int(value) = value
            && let Ok(whole) = i64::try_from(*value)
        {
            return Some(Key::Whole(whole));
        }
        if let Seen::Float(value) = value
            && compare_int_float((*value as i64).into(), *value) == Some(Ordering::Equal)
        {
            return Some(Key::Whole(*value as i64));
        }
        let mut hasher = FxHasher::default();
        value.hash(&mut hasher).then(|| Key::Hash(hasher.finish()))
    }

    fn of_several<'t>(keys: impl Iterator<Item = &'t Term>, messages: &Messages<'_>) -> Option<Key> {
        let mut hasher = FxHasher::default();
        for key in keys {
            if !key.value(messages)?.hash(&mut hasher) {
                return None;
            }
        }
        Some(Key::Hash(hasher.finish()))
    }
}
