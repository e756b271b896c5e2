//! What future operators have found: for which values something comes, and when. The mirror image of what past operators remember.
//! After Basin, Klaedtke, Müller and Zălinescu (2015), "Monitoring metric first-order temporal properties": every operator has a finite
//! relation at an element, which is known when the time of its bound is over.

use super::formula::Window;
use super::plan::{Env, Join, Key, Now, Slot, Stage};
use super::term::Value;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A future operator.
pub(super) struct Future<V> {
    pub(super) kind: FutureKind<V>,
    pub(super) window: Window,
    /// Its free variables.
    pub(super) slots: Vec<Slot>,
    /// Ways to find the values for which its operand (the second of two) holds.
    pub(super) finds: Vec<Join<V>>,
    /// What its operands are made of.
    pub(super) stage: Stage,
    /// At most this much later than an element it is decided there; nothing if nobody knows.
    pub(super) reach: Option<u64>,
}

pub(super) enum FutureKind<V> {
    Next,
    Until(Holds<V>),
}

/// For which values the first operand of *until* holds, and the positions of these values among all.
pub(super) enum Holds<V> {
    All,
    /// For all but those that are found.
    Unless(Vec<Join<V>>, Vec<Slot>),
    /// For those that are found.
    Those(Vec<Join<V>>, Vec<Slot>),
}

/// The second operand holds at an element.
struct Sighting {
    at: usize,
    time: u64,
    /// The first operand has held since that element.
    from: usize,
}

/// What was found.
pub(super) struct FutureTable<V> {
    /// At so many elements the operands were evaluated.
    pub(super) seen: usize,
    sightings: FxHashMap<Key<V>, VecDeque<Sighting>>,
    /// The same in the order of elements, to be forgotten.
    order: VecDeque<(usize, Key<V>)>,
    /// The first operand holds from that element on.
    holds_from: FxHashMap<Key<V>, usize>,
    /// The same in the order of elements, to be forgotten.
    holds_order: VecDeque<(usize, Key<V>)>,
}

impl<V> Default for FutureTable<V> {
    fn default() -> FutureTable<V> {
        FutureTable {
            seen: 0,
            sightings: FxHashMap::default(),
            order: VecDeque::new(),
            holds_from: FxHashMap::default(),
            holds_order: VecDeque::new(),
        }
    }
}

fn key<V: Value>(slots: &[Slot], env: &Env<V>) -> Key<V> {
    slots.iter().filter_map(|slot| env[*slot].clone()).collect()
}

impl<V: Value> Future<V> {
    pub(super) fn key(&self, env: &Env<V>) -> Key<V> {
        key(&self.slots, env)
    }

    /// Whether an element is found by one of these sightings.
    fn is_met(&self, sightings: &VecDeque<Sighting>, at: usize, time: u64) -> bool {
        let first = match self.kind {
            FutureKind::Next => sightings.partition_point(|seen| seen.at <= at),
            // (Later ones ask for no less of the first operand.)
            FutureKind::Until(_) => {
                sightings.partition_point(|seen| seen.at < at || seen.time - time < self.window.from)
            }
        };
        let Some(seen) = sightings.get(first) else { return false };
        let is_near = self.window.contains(seen.time - time);
        match self.kind {
            FutureKind::Next => seen.at == at + 1 && is_near,
            FutureKind::Until(_) => seen.from <= at && is_near,
        }
    }
}

impl<V: Value> FutureTable<V> {
    /// Whether it holds at an element for these values.
    pub(super) fn has(&self, future: &Future<V>, key: &Key<V>, at: usize, time: u64) -> bool {
        self.sightings.get(key).is_some_and(|sightings| future.is_met(sightings, at, time))
    }

    /// For which values it holds at an element.
    pub(super) fn keys<'a>(
        &'a self,
        future: &'a Future<V>,
        at: usize,
        time: u64,
    ) -> impl Iterator<Item = &'a Key<V>> {
        let met = self.sightings.iter().filter(move |(_, sightings)| future.is_met(sightings, at, time));
        met.map(|(key, _)| key)
    }

    /// Forgets what no element from this one on looks at.
    pub(super) fn forget(&mut self, at: usize) {
        while let Some((seen, _)) = self.order.front()
            && *seen < at
            && let Some((_, key)) = self.order.pop_front()
            && let Some(sightings) = self.sightings.get_mut(&key)
        {
            sightings.pop_front();
            if sightings.is_empty() {
                self.sightings.remove(&key);
            }
        }
        while let Some((from, _)) = self.holds_order.front()
            && *from <= at
            && let Some((from, key)) = self.holds_order.pop_front()
        {
            if self.holds_from.get(&key) == Some(&from) {
                self.holds_from.remove(&key);
            }
        }
    }

    /// Takes account of an element at which everything inside of the operands is known.
    pub(super) fn update(&mut self, future: &Future<V>, now: &Now<'_, V>, env: &mut Env<V>) {
        for join in &future.finds {
            now.find(&join.steps, env, &mut |env| {
                self.sight(future, now, env);
                true
            });
        }
        if let FutureKind::Until(holds) = &future.kind {
            self.hold(holds, now, env);
        }
        self.seen = now.at + 1;
    }

    fn sight(&mut self, future: &Future<V>, now: &Now<'_, V>, env: &Env<V>) {
        let from = match &future.kind {
            FutureKind::Next | FutureKind::Until(Holds::All) => 0,
            FutureKind::Until(Holds::Unless(_, slots)) => {
                self.holds_from.get(&key(slots, env)).copied().unwrap_or(0)
            }
            FutureKind::Until(Holds::Those(_, slots)) => {
                self.holds_from.get(&key(slots, env)).copied().unwrap_or(now.at)
            }
        };
        let key = future.key(env);
        let sightings = self.sightings.entry(key.clone()).or_default();
        if sightings.back().is_none_or(|last| last.at < now.at) {
            sightings.push_back(Sighting { at: now.at, time: now.time, from });
            self.order.push_back((now.at, key));
        }
    }

    /// From when on the first operand will have held at the next element.
    fn hold(&mut self, holds: &Holds<V>, now: &Now<'_, V>, env: &mut Env<V>) {
        match holds {
            Holds::All => {}
            Holds::Unless(joins, slots) => {
                for join in joins {
                    now.find(&join.steps, env, &mut |env| {
                        let key = key(slots, env);
                        if self.holds_from.insert(key.clone(), now.at + 1) != Some(now.at + 1) {
                            self.holds_order.push_back((now.at + 1, key));
                        }
                        true
                    });
                }
            }
            Holds::Those(joins, slots) => {
                let before = std::mem::take(&mut self.holds_from);
                for join in joins {
                    now.find(&join.steps, env, &mut |env| {
                        let key = key(slots, env);
                        let from = before.get(&key).copied().unwrap_or(now.at);
                        self.holds_from.insert(key, from);
                        true
                    });
                }
            }
        }
    }

    /// How many values are remembered.
    pub(super) fn size(&self) -> usize {
        self.order.len() + self.sightings.len() + self.holds_from.len() + self.holds_order.len()
    }
}
