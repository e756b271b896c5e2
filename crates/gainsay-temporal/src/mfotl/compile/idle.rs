//! Which facts an element must say to change what is waited for.

use super::super::plan::{Node, Place, Slot, Step};
use super::super::term::Value;

/// A fact of which some values are known.
#[derive(Clone)]
pub(super) struct Pattern<V> {
    pub(super) fact: usize,
    pub(super) key: Vec<(usize, Place<V>)>,
}

/// The facts without which something has this value at an element, whatever that is; nothing if nobody knows.
pub(super) fn idle<V: Value>(node: &Node<V>, value: bool) -> Option<Vec<Pattern<V>>> {
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
