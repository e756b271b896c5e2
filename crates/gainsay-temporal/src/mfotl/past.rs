//! What past operators remember: for which values something was, and when.

use super::aggregate::Aggregation;
use super::formula::Window;
use super::plan::{Env, Join, Key, Node, Now, Place, Slot};
use super::term::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// A past operator.
pub(super) struct Past<V> {
    pub(super) kind: PastKind<V>,
    pub(super) window: Window,
    /// Its free variables.
    pub(super) slots: Vec<Slot>,
    /// Ways to find the values for which its operand (the second of two) holds.
    pub(super) finds: Vec<Join<V>>,
}

pub(super) enum PastKind<V> {
    Previous,
    Since(Keeps<V>),
    /// What is aggregated here. Its slots are those of the groups, and the last is that of the result.
    Aggregate {
        aggregation: Arc<Aggregation<V>>,
        term: Place<V>,
        /// The variables of its formula, those of groups first.
        of: Vec<Slot>,
    },
}

/// Which values stay remembered: those for which the first operand of *since* holds.
pub(super) enum Keeps<V> {
    All,
    /// All but those that are found.
    Unless(Vec<Join<V>>),
    Those(Node<V>),
}

/// What is remembered.
pub(super) struct Table<V> {
    /// When it was, for which values.
    times: FxHashMap<Key<V>, VecDeque<u64>>,
    /// The same in the order of time, to be forgotten.
    order: VecDeque<(u64, Key<V>)>,
    /// Which of them are there, where the last time is enough.
    ordered: FxHashSet<Key<V>>,
    /// For *previous*: of the element before, and of this one.
    before: FxHashSet<Key<V>>,
    here: FxHashSet<Key<V>>,
    /// How far away the element before is, if there is one.
    away: Option<u64>,
    last: Option<u64>,
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table {
            times: FxHashMap::default(),
            order: VecDeque::new(),
            ordered: FxHashSet::default(),
            before: FxHashSet::default(),
            here: FxHashSet::default(),
            away: None,
            last: None,
        }
    }
}

impl<V: Value> Past<V> {
    pub(super) fn key(&self, env: &Env<V>) -> Key<V> {
        self.slots.iter().filter_map(|slot| env[*slot].clone()).collect()
    }
}

impl<V: Value> Table<V> {
    /// Whether it holds for these values.
    pub(super) fn has(&self, past: &Past<V>, key: &Key<V>, now: u64) -> bool {
        match past.kind {
            PastKind::Previous => {
                self.away.is_some_and(|away| past.window.contains(away)) && self.before.contains(key)
            }
            PastKind::Aggregate { .. } => self.here.contains(key),
            PastKind::Since(_) => self.times.get(key).is_some_and(|times| is_within(times, past.window, now)),
        }
    }

    /// For which values it holds.
    pub(super) fn keys<'a>(&'a self, past: &Past<V>, now: u64) -> impl Iterator<Item = &'a Key<V>> {
        let is_near = self.away.is_some_and(|away| past.window.contains(away));
        let window = past.window;
        let since =
            self.times.iter().filter(move |(_, times)| is_within(times, window, now)).map(|(key, _)| key);
        let is_here = matches!(past.kind, PastKind::Aggregate { .. });
        // (Only one of the three is not empty.)
        since
            .chain(self.before.iter().filter(move |_| is_near))
            .chain(self.here.iter().filter(move |_| is_here))
    }

    /// Takes account of an element. Tables of operators inside of this one are up to date.
    pub(super) fn update(&mut self, past: &Past<V>, now: &Now<'_, V>, env: &mut Env<V>) {
        match &past.kind {
            PastKind::Previous => {
                self.away = self.last.map(|last| now.time - last);
                self.last = Some(now.time);
                self.before.clear();
                std::mem::swap(&mut self.before, &mut self.here);
                for join in &past.finds {
                    now.find(&join.steps, env, &mut |env| {
                        self.here.insert(past.key(env));
                        true
                    });
                }
            }
            PastKind::Aggregate { aggregation, term, of } => {
                self.here = aggregate(past, aggregation, term, of, now, env);
            }
            PastKind::Since(keeps) => {
                self.forget(past.window, now.time);
                self.keep(past, keeps, now, env);
                for join in &past.finds {
                    now.find(&join.steps, env, &mut |env| {
                        self.remember(past.window, past.key(env), now.time);
                        true
                    });
                }
            }
        }
    }

    /// Forgets what is too long ago.
    fn forget(&mut self, window: Window, now: u64) {
        while let Some((time, _)) = self.order.front()
            && window.is_over(now - time)
            && let Some((time, key)) = self.order.pop_front()
        {
            let mut last = None;
            if let Some(times) = self.times.get_mut(&key) {
                times.retain(|known| *known > time);
                last = times.back().copied();
                if last.is_none() {
                    self.times.remove(&key);
                }
            }
            match last {
                Some(last) if window.from == 0 => self.order.push_back((last, key)),
                _ => _ = self.ordered.remove(&key),
            }
        }
    }

    fn keep(&mut self, past: &Past<V>, keeps: &Keeps<V>, now: &Now<'_, V>, env: &mut Env<V>) {
        match keeps {
            Keeps::All => {}
            Keeps::Unless(joins) => {
                for join in joins {
                    now.find(&join.steps, env, &mut |env| {
                        let wanted: Vec<Option<&V>> =
                            past.slots.iter().map(|slot| env[*slot].as_ref()).collect();
                        if wanted.iter().all(Option::is_some) {
                            self.times.remove(&past.key(env));
                        } else {
                            let is_meant = |key: &Key<V>| {
                                key.iter()
                                    .zip(&wanted)
                                    .all(|(value, wanted)| wanted.is_none_or(|wanted| wanted == value))
                            };
                            self.times.retain(|key, _| !is_meant(key));
                        }
                        true
                    });
                }
            }
            Keeps::Those(node) => self.times.retain(|key, _| {
                past.slots.iter().zip(key).for_each(|(slot, value)| env[*slot] = Some(value.clone()));
                let holds = now.holds(node, env);
                past.slots.iter().for_each(|slot| env[*slot] = None);
                holds
            }),
        }
    }

    fn remember(&mut self, window: Window, key: Key<V>, now: u64) {
        // (Where the last time is enough, there is one entry, which moves on when it is looked at.)
        if window.to.is_some() && (window.from > 0 || self.ordered.insert(key.clone())) {
            self.order.push_back((now, key.clone()));
        }
        let times = self.times.entry(key).or_default();
        match window {
            // The last is enough, or the first.
            Window { from: 0, .. } => times.clear(),
            Window { to: None, .. } if !times.is_empty() => return,
            _ => {}
        }
        if times.back() != Some(&now) {
            times.push_back(now);
        }
    }

    /// How many values are remembered.
    pub(super) fn size(&self) -> usize {
        self.times.len() + self.order.len() + self.before.len() + self.here.len()
    }
}

/// Groups and their results.
fn aggregate<V: Value>(
    past: &Past<V>,
    aggregation: &Aggregation<V>,
    term: &Place<V>,
    of: &[Slot],
    now: &Now<'_, V>,
    env: &mut Env<V>,
) -> FxHashSet<Key<V>> {
    let grouped = past.slots.len() - 1;
    let mut known: FxHashSet<Key<V>> = FxHashSet::default();
    let mut groups: FxHashMap<Key<V>, Vec<V>> = FxHashMap::default();
    if grouped == 0 {
        groups.insert(Key::new(), Vec::new());
    }
    for join in &past.finds {
        now.find(&join.steps, env, &mut |env| {
            let way: Key<V> = of.iter().filter_map(|slot| env[*slot].clone()).collect();
            let group: Key<V> = way[..grouped].iter().cloned().collect();
            // (Several joins may find the same.)
            if known.insert(way)
                && let Some(value) = term.value(env)
            {
                groups.entry(group).or_default().push(value.into_owned());
            }
            true
        });
    }
    let result = |(mut group, values): (Key<V>, Vec<V>)| {
        group.push(aggregation.fold(values)?);
        Some(group)
    };
    groups.into_iter().filter_map(result).collect()
}

/// Whether one of these times is so long ago.
fn is_within(times: &VecDeque<u64>, window: Window, now: u64) -> bool {
    let late = times.partition_point(|time| now - time >= window.from);
    late > 0 && times.get(late - 1).is_some_and(|time| window.contains(now - time))
}
