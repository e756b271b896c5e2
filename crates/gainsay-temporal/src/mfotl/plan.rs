//! Formulas as monitors work on them: variables are slots, negations stand before what is decided at once, and quantifiers are ways to
//! find values. And what comes of them at an element.

use super::fact::Test;
use super::formula::Window;
use super::future::{Future, FutureTable};
use super::past::{Past, Table};
use super::rest::{Rest, Wait, Went, copied};
use super::term::{Computation, Value};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;

/// Where the value of a variable is.
pub(super) type Slot = usize;

/// The values of variables, by their slots.
pub(super) type Env<V> = SmallVec<[Option<V>; 2]>;

/// Some values.
pub(super) type Key<V> = SmallVec<[V; 2]>;

/// A term.
#[derive(Clone)]
pub(super) enum Place<V> {
    Slot(Slot),
    Value(V),
    /// (Not of facts: there, a variable stands for it.)
    Computed(Computation<V>, Vec<Place<V>>),
}

impl<V: Value> Place<V> {
    /// Its value, if it is not computed.
    #[inline]
    pub(super) fn get<'a>(&'a self, env: &'a Env<V>) -> Option<&'a V> {
        match self {
            Place::Slot(slot) => env[*slot].as_ref(),
            Place::Value(value) => Some(value),
            Place::Computed(..) => None,
        }
    }

    /// Its value; nothing if there is none.
    pub(super) fn value<'a>(&'a self, env: &'a Env<V>) -> Option<Cow<'a, V>> {
        let Place::Computed(computation, places) = self else { return self.get(env).map(Cow::Borrowed) };
        let values: Option<SmallVec<[Cow<'_, V>; 2]>> = places.iter().map(|place| place.value(env)).collect();
        let values = values?;
        let values: SmallVec<[&V; 2]> = values.iter().map(|value| &**value).collect();
        computation.compute(&values).map(Cow::Owned)
    }

    /// Whether it depends on one of these variables.
    pub(super) fn has_any(&self, slots: &[Slot]) -> bool {
        match self {
            Place::Slot(slot) => slots.contains(slot),
            Place::Value(_) => false,
            Place::Computed(_, places) => places.iter().any(|place| place.has_any(slots)),
        }
    }
}

pub(super) enum Node<V> {
    Constant(bool),
    Fact {
        fact: usize,
        places: Vec<Place<V>>,
        holds: bool,
    },
    Test {
        test: Arc<Test<V>>,
        places: Vec<Place<V>>,
        holds: bool,
    },
    Past {
        past: usize,
        holds: bool,
    },
    /// What later elements decide, where it is judged when they have.
    Future {
        future: usize,
        holds: bool,
    },
    And(Vec<Node<V>>),
    Or(Vec<Node<V>>),
    /// Something holds for all values that are found, or for some of them.
    Found {
        all: bool,
        join: Join<V>,
        then: Box<Node<V>>,
    },
    /// Something that later elements decide, by its number.
    Waits(usize),
}

impl<V> Node<V> {
    pub(super) fn all(mut nodes: Vec<Node<V>>) -> Node<V> {
        if nodes.len() == 1 { nodes.remove(0) } else { Node::And(nodes) }
    }

    /// How many parts are demanded, each for itself.
    pub(super) fn demands(&self) -> usize {
        match self {
            Node::And(parts) => parts.iter().map(Node::demands).sum(),
            Node::Found { all: true, then, .. } => then.demands(),
            _ => 1,
        }
    }

    /// Whether no later element has a say in it.
    pub(super) fn is_present(&self) -> bool {
        match self {
            Node::And(parts) | Node::Or(parts) => parts.iter().all(Node::is_present),
            Node::Found { then, .. } => then.is_present(),
            Node::Waits(_) => false,
            _ => true,
        }
    }

    pub(super) fn any(mut nodes: Vec<Node<V>>) -> Node<V> {
        if nodes.len() == 1 { nodes.remove(0) } else { Node::Or(nodes) }
    }
}

/// A way to find values: one step after the other.
pub(super) struct Join<V> {
    pub(super) steps: Vec<Step<V>>,
    /// The variables whose values are found.
    pub(super) slots: Vec<Slot>,
}

pub(super) enum Step<V> {
    /// What the element says; of variables that are all unknown before, and none twice, if these are given as slots.
    Fact { fact: usize, places: Vec<Place<V>>, slots: Option<Vec<Slot>> },
    /// What is remembered.
    Past { past: usize },
    /// What later elements have decided.
    Future { future: usize },
    /// The same as another.
    Same(Slot, Place<V>),
    /// Values for which others are found; each once. (Variables that are known already are not among these slots.)
    Some { join: Join<V>, slots: Vec<Slot> },
    /// Whether what was found so far is so.
    Check(Node<V>),
}

/// Something that later elements decide.
pub(super) struct Waits<V> {
    pub(super) kind: WaitsFor,
    pub(super) window: Window,
    pub(super) one: Node<V>,
    pub(super) two: Node<V>,
    /// Whether no later element has a say in its operands.
    pub(super) is_present: bool,
    /// The facts without which an element changes nothing; nothing if any element may.
    pub(super) wakes: Option<Vec<Wake<V>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitsFor {
    /// The next element (`one`).
    Next { weak: bool },
    /// `two`, while `one` holds.
    Until,
    /// `one`, while `two` holds.
    Release,
}

impl WaitsFor {
    /// What it comes to if nothing more comes.
    pub(super) fn in_the_end(self) -> bool {
        match self {
            WaitsFor::Next { weak } => weak,
            WaitsFor::Until => false,
            WaitsFor::Release => true,
        }
    }
}

/// A fact about some values that are known beforehand.
pub(super) struct Wake<V> {
    /// The number of the place where it is looked up.
    pub(super) site: usize,
    pub(super) key: Vec<Place<V>>,
}

/// Everything about a formula that does not change.
pub(super) struct Plan<V> {
    pub(super) pasts: Vec<Past<V>>,
    pub(super) waits: Vec<Waits<V>>,
    /// Where facts are looked up: a fact, and which of its values.
    pub(super) sites: Vec<(usize, Vec<usize>)>,
    /// What must hold at every element, and what at the first.
    pub(super) every: Vec<Node<V>>,
    pub(super) first: Vec<Node<V>>,
    /// The names of variables.
    pub(super) names: Vec<Arc<str>>,
    /// Future operators, where everything is judged when it is decided; those inside of others come first.
    pub(super) futures: Vec<Future<V>>,
    /// What is evaluated with the formula itself.
    pub(super) stage: Stage,
    /// Whether everything is judged when it is decided.
    pub(super) delays: bool,
    /// Whether several parts are demanded, each for itself.
    pub(super) has_several: bool,
}

impl<V> Plan<V> {
    /// Whether several parts may not hold for the same values.
    pub(super) fn has_several(&self) -> bool {
        self.has_several
    }

    /// At most this much later than an element everything is decided that is evaluated there; nothing if nobody knows.
    pub(super) fn reach(&self, stage: &Stage) -> Option<u64> {
        stage.futures.iter().try_fold(0, |most, future| Some(self.futures[*future].reach?.max(most)))
    }
}

/// What is evaluated at the same element: past operators, and future operators of which all is known there.
#[derive(Default)]
pub(super) struct Stage {
    pub(super) pasts: Vec<usize>,
    pub(super) futures: Vec<usize>,
}

/// What an element says: for each fact its values, and how often it says it.
pub(super) struct Rows<V> {
    pub(super) values: Vec<V>,
    pub(super) count: usize,
    pub(super) arity: usize,
}

impl<V: Value> Rows<V> {
    /// Drops what is said again.
    pub(super) fn dedup(&mut self) {
        if self.count < 2 {
            return;
        }
        if self.arity == 0 {
            self.count = 1;
            return;
        }
        let mut known: FxHashSet<&[V]> = FxHashSet::default();
        if self.values.chunks(self.arity).all(|row| known.insert(row)) {
            return;
        }
        known.clear();
        let rows = self.values.chunks(self.arity).filter(|row| known.insert(row));
        self.values = rows.flatten().cloned().collect();
        self.count = self.values.len() / self.arity;
    }
}

impl<V> Rows<V> {
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &[V]> {
        (0..self.count).map(|row| &self.values[row * self.arity..(row + 1) * self.arity])
    }
}

/// What is known at an element.
pub(super) struct Now<'a, V> {
    pub(super) plan: &'a Plan<V>,
    pub(super) tables: &'a [Table<V>],
    pub(super) futures: &'a [FutureTable<V>],
    pub(super) rows: &'a [Rows<V>],
    pub(super) time: u64,
    /// The number of the element.
    pub(super) at: usize,
    /// When this is judged; nothing if it is by the end.
    pub(super) judged: Option<u64>,
}

impl<V: Value> Now<'_, V> {
    /// What comes of something at this element.
    pub(super) fn judge(&self, node: &Node<V>, env: &mut Env<V>) -> Rest<V> {
        match node {
            Node::And(parts) => {
                let mut all = Rest::Known(true);
                for part in parts {
                    all = Rest::and(all, self.judge(part, env));
                    if let Rest::Known(false) = all {
                        break;
                    }
                }
                all
            }
            Node::Or(parts) => {
                let mut any = Rest::Known(false);
                for part in parts {
                    any = Rest::or(any, self.judge(part, env));
                    if let Rest::Known(true) = any {
                        break;
                    }
                }
                any
            }
            Node::Found { all, join, then } => {
                let mut rest = Rest::Known(*all);
                self.find(&join.steps, env, &mut |env| {
                    let one = self.judge(then, env);
                    let before = std::mem::replace(&mut rest, Rest::Known(*all));
                    rest = if *all { Rest::and(before, one) } else { Rest::or(before, one) };
                    !matches!(rest, Rest::Known(known) if known != *all)
                });
                rest
            }
            Node::Waits(number) => {
                let went = self.begin(*number, env);
                self.after(*number, went, || self.wait(*number, env))
            }
            other => Rest::Known(self.holds(other, env)),
        }
    }

    /// Whether something holds that is decided at once.
    pub(super) fn holds(&self, node: &Node<V>, env: &mut Env<V>) -> bool {
        match node {
            Node::Constant(holds) => *holds,
            Node::Fact { fact, places, holds } => {
                let is_said = self.rows[*fact]
                    .iter()
                    .any(|row| row.iter().zip(places).all(|(value, place)| place.get(env) == Some(value)));
                is_said == *holds
            }
            Node::Test { test, places, holds } => {
                let values: Option<SmallVec<[Cow<'_, V>; 2]>> =
                    places.iter().map(|place| place.value(env)).collect();
                let is_so = values.is_some_and(|values| {
                    let values: SmallVec<[&V; 2]> = values.iter().map(|value| &**value).collect();
                    test.kind.holds(&values)
                });
                is_so == *holds
            }
            Node::Future { future, holds } => {
                let key = self.plan.futures[*future].key(env);
                self.futures[*future].has(&self.plan.futures[*future], &key, self.at, self.time) == *holds
            }
            Node::Past { past, holds } => {
                let key = self.plan.pasts[*past].key(env);
                self.tables[*past].has(&self.plan.pasts[*past], &key, self.time) == *holds
            }
            Node::And(parts) => parts.iter().all(|part| self.holds(part, env)),
            Node::Or(parts) => parts.iter().any(|part| self.holds(part, env)),
            Node::Found { all, join, then } => {
                let mut found = *all;
                self.find(&join.steps, env, &mut |env| {
                    found = self.holds(then, env);
                    found == *all
                });
                found
            }
            Node::Waits(_) => unreachable!("later elements decide it"),
        }
    }

    /// How something begins that is to be waited for.
    pub(super) fn begin(&self, number: usize, env: &mut Env<V>) -> Went<V> {
        match self.plan.waits[number].kind {
            WaitsFor::Next { .. } => Went::Nowhere,
            WaitsFor::Until | WaitsFor::Release => self.go_on(number, env, self.time),
        }
    }

    pub(super) fn wait(&self, number: usize, env: &Env<V>) -> Wait<V> {
        Wait { number, env: copied(env), since: self.time, is_known: false }
    }

    /// How something goes on that is waited for.
    pub(super) fn go_on(&self, number: usize, env: &mut Env<V>, since: u64) -> Went<V> {
        let Waits { kind, window, one, two, .. } = &self.plan.waits[number];
        let away = self.time - since;
        if let WaitsFor::Next { weak } = kind {
            return match window.contains(away) {
                true => Went::To(Box::new(self.judge(one, env))),
                false => Went::Known(*weak),
            };
        }
        if window.is_over(away) {
            return Went::Known(kind.in_the_end());
        }
        let releases = *kind == WaitsFor::Release;
        let has_begun = away >= window.from;
        if self.plan.waits[number].is_present {
            if has_begun && self.holds(two, env) != releases {
                return Went::Known(!releases);
            }
            return if self.holds(one, env) != releases { Went::Nowhere } else { Went::Known(releases) };
        }
        let two = if has_begun { self.judge(two, env) } else { Rest::Known(releases) };
        if let Rest::Known(holds) = two
            && holds != releases
        {
            return Went::Known(holds);
        }
        match (self.judge(one, env), two) {
            (Rest::Known(holds), Rest::Known(_)) if holds != releases => Went::Nowhere,
            (Rest::Known(holds), Rest::Known(_)) => Went::Known(holds),
            (one, two) => Went::Apart(Box::new((one, two))),
        }
    }

    /// What is left of it then.
    pub(super) fn after(&self, number: usize, went: Went<V>, wait: impl FnOnce() -> Wait<V>) -> Rest<V> {
        match went {
            Went::Nowhere => Rest::Wait(wait()),
            Went::Known(holds) => Rest::Known(holds),
            Went::To(rest) => *rest,
            Went::Apart(parts) => {
                let (one, two) = *parts;
                match self.plan.waits[number].kind {
                    WaitsFor::Release => Rest::and(two, Rest::or(one, Rest::Wait(wait()))),
                    _ => Rest::or(two, Rest::and(one, Rest::Wait(wait()))),
                }
            }
        }
    }

    /// Calls something with all values that are found, until it says that this is enough (`false`).
    pub(super) fn find(
        &self,
        steps: &[Step<V>],
        env: &mut Env<V>,
        found: &mut dyn FnMut(&mut Env<V>) -> bool,
    ) -> bool {
        let Some((step, steps)) = steps.split_first() else { return found(env) };
        match step {
            Step::Check(node) => !self.holds(node, env) || self.find(steps, env, found),
            Step::Same(slot, place) => {
                let value = place.value(env).map(Cow::into_owned);
                let Some(value) = value else { return true };
                env[*slot] = Some(value);
                let goes_on = self.find(steps, env, found);
                env[*slot] = None;
                goes_on
            }
            Step::Some { join, slots } => {
                let mut keys: FxHashSet<Key<V>> = FxHashSet::default();
                let mut order = Vec::new();
                self.find(&join.steps, env, &mut |env| {
                    let key: Key<V> = slots.iter().filter_map(|slot| env[*slot].clone()).collect();
                    if keys.insert(key.clone()) {
                        order.push(key);
                    }
                    true
                });
                let places: SmallVec<[Place<V>; 2]> = slots.iter().map(|slot| Place::Slot(*slot)).collect();
                self.each_key(&places, order.iter(), steps, env, found)
            }
            Step::Fact { fact, slots: Some(slots), .. } => {
                let mut goes_on = true;
                for row in self.rows[*fact].iter() {
                    slots.iter().zip(row).for_each(|(slot, value)| env[*slot] = Some(value.clone()));
                    goes_on = if steps.is_empty() { found(env) } else { self.find(steps, env, found) };
                    if !goes_on {
                        break;
                    }
                }
                slots.iter().for_each(|slot| env[*slot] = None);
                goes_on
            }
            Step::Fact { fact, places, slots: None } => {
                for row in self.rows[*fact].iter() {
                    let values = places.iter().zip(row);
                    if !self.with(values, env, &mut |env| self.find(steps, env, found)) {
                        return false;
                    }
                }
                true
            }
            Step::Past { past } => {
                let Past { slots, .. } = &self.plan.pasts[*past];
                let places: SmallVec<[Place<V>; 2]> = slots.iter().map(|slot| Place::Slot(*slot)).collect();
                let keys = self.tables[*past].keys(&self.plan.pasts[*past], self.time);
                self.each_key(&places, keys, steps, env, found)
            }
            Step::Future { future } => {
                let Future { slots, .. } = &self.plan.futures[*future];
                let places: SmallVec<[Place<V>; 2]> = slots.iter().map(|slot| Place::Slot(*slot)).collect();
                let keys = self.futures[*future].keys(&self.plan.futures[*future], self.at, self.time);
                self.each_key(&places, keys, steps, env, found)
            }
        }
    }

    /// Goes on with each of several values of some variables.
    fn each_key<'k>(
        &self,
        places: &[Place<V>],
        mut keys: impl Iterator<Item = &'k Key<V>>,
        steps: &[Step<V>],
        env: &mut Env<V>,
        found: &mut dyn FnMut(&mut Env<V>) -> bool,
    ) -> bool
    where
        V: 'k,
    {
        keys.all(|key| self.with(places.iter().zip(key), env, &mut |env| self.find(steps, env, found)))
    }

    /// Calls something with variables that have these values, if those that have values already have the same.
    fn with<'v>(
        &self,
        values: impl Iterator<Item = (&'v Place<V>, &'v V)>,
        env: &mut Env<V>,
        then: &mut dyn FnMut(&mut Env<V>) -> bool,
    ) -> bool
    where
        V: 'v,
    {
        let mut bound: SmallVec<[Slot; 4]> = SmallVec::new();
        let mut fits = true;
        for (place, value) in values {
            match (place.get(env), place) {
                (Some(known), _) => fits = known == value,
                (None, Place::Slot(slot)) => {
                    env[*slot] = Some(value.clone());
                    bound.push(*slot);
                }
                (None, Place::Value(_) | Place::Computed(..)) => {}
            }
            if !fits {
                break;
            }
        }
        let goes_on = !fits || then(env);
        bound.into_iter().for_each(|slot| env[slot] = None);
        goes_on
    }
}
