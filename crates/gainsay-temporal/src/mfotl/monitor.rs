//! Judges of streams with data, one element after the other.
//!
//! What must hold at an element is judged there; what is left is *owed*. Who owes is looked up by the facts that it waits for, with the values
//! that it knows: so an element costs what it changes, and not what is owed in all.

use super::compile::compile;
use super::evaluate::Known;
use super::fact::{Fact, Value};
use super::formula::Formula;
use super::past::Table;
use super::plan::{Env, Key, Node, Now, Plan, Rest, Rows, Wait};
use crate::formula::nanoseconds;
use gainsay_core::Error;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::fmt::{self, Debug, Display};
use std::time::Duration;

/// Judges a stream by a formula with data, one element after the other.
///
/// Of a formula `G f` (or several, joined by `&`), every element is reported at which `f` does not hold, as soon as that is certain. Any other
/// formula is judged at the first element.
pub struct Monitor<E, V> {
    formula: Formula<E, V>,
    facts: Vec<Fact<E, V>>,
    plan: Plan<V>,
    /// Sites by fact.
    sites_of: Vec<Vec<usize>>,
    rows: Vec<Rows<V>>,
    tables: Vec<Table<V>>,
    owed: Owed<V>,
    env: Env<V>,
    /// When the last element was, or until when there was none.
    time: u64,
    count: usize,
    has_ended: bool,
    violations: Vec<Violation<V>>,
    broken: usize,
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation<V> {
    /// The number of the element at which it does not hold.
    pub element: usize,
    /// When that was.
    pub time: Duration,
    /// The values of variables for which it does not.
    pub values: Vec<(String, V)>,
    /// Since when that is certain; nothing if it became so by the end of the stream.
    pub broken: Option<Duration>,
}

impl<V: Debug> Display for Violation<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "element {} at {:?}", self.element, self.time)?;
        for (name, value) in &self.values {
            write!(f, ", {name} = {value:?}")?;
        }
        match self.broken {
            Some(time) => write!(f, ": broken at {time:?}"),
            None => f.write_str(": broken by the end"),
        }
    }
}

impl<E, V: Debug> Debug for Monitor<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor")
            .field("formula", &self.formula)
            .field("seen", &self.count)
            .finish_non_exhaustive()
    }
}

/// Who owes something, by number; numbers are used again, for another turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Id {
    number: u32,
    turn: u32,
}

struct Debtor<V> {
    turn: u32,
    /// Nothing, while the number is not in use.
    rest: Option<Rest<V>>,
    element: usize,
    time: u64,
    env: Env<V>,
    /// The number of the element at which it was looked at last.
    seen: usize,
}

/// What is owed.
struct Owed<V> {
    debtors: Vec<Debtor<V>>,
    unused: Vec<u32>,
    /// By site, who waits for a fact about these values.
    waiting: Vec<FxHashMap<Key<V>, SmallVec<[Id; 2]>>>,
    /// How many there are there, with those that wait no more.
    registered: usize,
    /// Who waits for every element.
    every: Vec<Id>,
    /// By what is waited for: until when.
    ends: Vec<VecDeque<(u64, Id)>>,
}

impl<V> Owed<V> {
    fn live(&self) -> usize {
        self.debtors.len() - self.unused.len()
    }

    fn is_live(debtors: &[Debtor<V>], id: Id) -> bool {
        debtors[id.number as usize].turn == id.turn
    }
}

impl<E, V: Value> Monitor<E, V> {
    /// A judge who has seen nothing yet.
    ///
    /// # Errors
    /// If the formula has a free variable, looks into the future without end, looks back at what the future decides, or has a variable of
    /// which nothing says which values it may have; the error names the part.
    pub fn new(formula: &Formula<E, V>) -> Result<Monitor<E, V>, Error> {
        let (plan, facts) = compile(formula)?;
        let sites_of = |fact: usize| {
            let sites = plan.sites.iter().enumerate();
            sites.filter(|(_, (of, _))| *of == fact).map(|(site, _)| site).collect()
        };
        let rows = |fact: &Fact<E, V>| Rows { values: Vec::new(), count: 0, arity: fact.inside.arity };
        Ok(Monitor {
            formula: formula.clone(),
            sites_of: (0..facts.len()).map(sites_of).collect(),
            rows: facts.iter().map(rows).collect(),
            facts,
            tables: plan.pasts.iter().map(|_| Table::default()).collect(),
            owed: Owed {
                debtors: Vec::new(),
                unused: Vec::new(),
                waiting: plan.sites.iter().map(|_| FxHashMap::default()).collect(),
                registered: 0,
                every: Vec::new(),
                ends: plan.waits.iter().map(|_| VecDeque::new()).collect(),
            },
            env: plan.names.iter().map(|_| None).collect(),
            plan,
            time: 0,
            count: 0,
            has_ended: false,
            violations: Vec::new(),
            broken: 0,
        })
    }

    /// The formula.
    pub fn formula(&self) -> &Formula<E, V> {
        &self.formula
    }

    /// Takes account of an element at a time; what turns out not to hold.
    ///
    /// # Errors
    /// If the time is before that of the last element, or the stream has ended.
    pub fn see_at(&mut self, time: Duration, element: &E) -> Result<&[Violation<V>], Error> {
        self.see_at_nanoseconds(nanoseconds(time), element)
    }

    /// The same with a time in nanoseconds.
    ///
    /// # Errors
    /// The same.
    pub fn see_at_nanoseconds(&mut self, time: u64, element: &E) -> Result<&[Violation<V>], Error> {
        self.pass(time)?;
        for (fact, rows) in self.facts.iter().zip(&mut self.rows) {
            rows.values.clear();
            rows.count = (fact.inside.read)(element, &mut rows.values);
        }
        let Plan { waits, pasts, .. } = &self.plan;
        for place in 0..self.tables.len() {
            let (known, rest) = self.tables.split_at_mut(place);
            let now = Now { waits, pasts, tables: known, rows: &self.rows, time };
            rest[0].update(&pasts[place], &now, &mut self.env);
        }
        self.wake();
        self.begin();
        self.count += 1;
        Ok(&self.violations)
    }

    /// Takes account of time in which there was no element.
    ///
    /// # Errors
    /// If the time is before that of the last element, or the stream has ended.
    pub fn pass_to(&mut self, time: Duration) -> Result<&[Violation<V>], Error> {
        self.pass(nanoseconds(time))?;
        Ok(&self.violations)
    }

    /// No more elements come: whatever is owed is not met.
    pub fn end(&mut self) -> &[Violation<V>] {
        self.violations.clear();
        self.has_ended = true;
        for number in 0..self.owed.debtors.len() {
            let Some(rest) = self.owed.debtors[number].rest.take() else { continue };
            let waits = &self.plan.waits;
            let rest = rest.each_wait(&mut |wait| Rest::Known(waits[wait.number].kind.in_the_end()));
            self.put_back(number, rest, None);
        }
        &self.violations
    }

    /// What is known of the whole formula.
    pub fn known(&self) -> Known {
        let is_over = self.has_ended || self.plan.every.is_empty() && self.count > 0 && self.owed.live() == 0;
        match self.broken {
            0 if is_over => Known::True,
            0 => Known::Unknown,
            _ => Known::False,
        }
    }

    /// How much is kept: what is owed, and what is remembered.
    pub fn size(&self) -> usize {
        self.owed.live() + self.tables.iter().map(Table::size).sum::<usize>()
    }

    fn pass(&mut self, time: u64) -> Result<(), Error> {
        self.violations.clear();
        if time < self.time {
            return Err(Error::specification(format!(
                "time goes back: element {} is at {:?}, and there was something at {:?} before",
                self.count,
                Duration::from_nanos(time),
                Duration::from_nanos(self.time)
            )));
        }
        if self.has_ended {
            return Err(Error::specification(format!("element {} comes after the end", self.count)));
        }
        self.time = time;
        // Whatever should have come until now has not.
        loop {
            let ends = self.owed.ends.iter().enumerate();
            let next = ends.filter_map(|(number, ends)| Some((ends.front()?.0, number))).min();
            let Some((end, number)) = next.filter(|(end, _)| *end < time) else { return Ok(()) };
            let Some((_, id)) = self.owed.ends[number].pop_front() else { return Ok(()) };
            if !Owed::is_live(&self.owed.debtors, id) {
                continue;
            }
            let Some(rest) = self.owed.debtors[id.number as usize].rest.take() else { continue };
            let waits = &self.plan.waits;
            let rest = rest.each_wait(&mut |wait| {
                let waits = &waits[wait.number];
                match waits.window.is_over(end + 1 - wait.since) {
                    true => Rest::Known(waits.kind.in_the_end()),
                    false => Rest::Wait(wait),
                }
            });
            self.put_back(id.number as usize, rest, Some(end + 1));
        }
    }

    /// Looks at those who owe something that the element may change.
    fn wake(&mut self) {
        for fact in 0..self.rows.len() {
            if self.rows[fact].count == 0 {
                continue;
            }
            for place in 0..self.sites_of[fact].len() {
                let site = self.sites_of[fact][place];
                if self.owed.waiting[site].is_empty() {
                    continue;
                }
                for row in 0..self.rows[fact].count {
                    let rows = &self.rows[fact];
                    let values = &rows.values[row * rows.arity..(row + 1) * rows.arity];
                    let key: Key<V> =
                        self.plan.sites[site].1.iter().map(|position| values[*position].clone()).collect();
                    let Some(ids) = self.owed.waiting[site].remove(&key) else { continue };
                    self.owed.registered -= ids.len();
                    let mut left: SmallVec<[Id; 2]> = SmallVec::new();
                    for id in ids {
                        if Owed::is_live(&self.owed.debtors, id) {
                            self.go_on(id.number as usize);
                        }
                        if Owed::is_live(&self.owed.debtors, id) {
                            left.push(id);
                        }
                    }
                    if !left.is_empty() {
                        self.owed.registered += left.len();
                        self.owed.waiting[site].entry(key).or_default().extend(left);
                    }
                }
            }
        }
        let mut every = std::mem::take(&mut self.owed.every);
        every.retain(|id| {
            if Owed::is_live(&self.owed.debtors, *id) {
                self.go_on(id.number as usize);
            }
            Owed::is_live(&self.owed.debtors, *id)
        });
        // (Some may have begun to wait for every element.)
        every.append(&mut self.owed.every);
        self.owed.every = every;
    }

    fn go_on(&mut self, number: usize) {
        let debtor = &mut self.owed.debtors[number];
        if debtor.seen == self.count {
            return;
        }
        debtor.seen = self.count;
        let Some(rest) = debtor.rest.take() else { return };
        let Plan { waits, pasts, .. } = &self.plan;
        let now = Now { waits, pasts, tables: &self.tables, rows: &self.rows, time: self.time };
        let rest = rest.each_wait(&mut |wait: Wait<V>| now.go_on(wait));
        self.put_back(number, rest, Some(self.time));
    }

    /// What must hold here.
    fn begin(&mut self) {
        let mut begun: SmallVec<[(Rest<V>, Env<V>); 2]> = SmallVec::new();
        let Plan { waits, pasts, every, first, .. } = &self.plan;
        let now = Now { waits, pasts, tables: &self.tables, rows: &self.rows, time: self.time };
        let first = if self.count == 0 { first.as_slice() } else { &[] };
        for node in every.iter().chain(first) {
            demand(&now, node, &mut self.env, &mut begun);
        }
        for (rest, env) in begun {
            let number = self.owed.unused.pop().unwrap_or_else(|| {
                let env = SmallVec::new();
                self.owed.debtors.push(Debtor { turn: 0, rest: None, element: 0, time: 0, env, seen: 0 });
                self.owed.debtors.len() as u32 - 1
            }) as usize;
            let debtor = &mut self.owed.debtors[number];
            (debtor.element, debtor.time, debtor.env, debtor.seen) = (self.count, self.time, env, self.count);
            self.put_back(number, rest, Some(self.time));
        }
    }

    /// Keeps what is left, or tells that it does not hold, or is done with it.
    fn put_back(&mut self, number: usize, mut rest: Rest<V>, time: Option<u64>) {
        let debtor = &mut self.owed.debtors[number];
        if let Rest::Known(holds) = rest {
            debtor.turn = debtor.turn.wrapping_add(1);
            self.owed.unused.push(number as u32);
            if !holds {
                let named = self.plan.names.iter().zip(&debtor.env);
                let values = named.filter_map(|(name, value)| Some((name.to_string(), value.clone()?)));
                self.broken += 1;
                self.violations.push(Violation {
                    element: debtor.element,
                    time: Duration::from_nanos(debtor.time),
                    values: values.collect(),
                    broken: time.map(Duration::from_nanos),
                });
            }
            return;
        }
        let id = Id { number: number as u32, turn: debtor.turn };
        let Owed { waiting, registered, every, ends, .. } = &mut self.owed;
        rest.see_waits(&mut |wait| {
            if std::mem::replace(&mut wait.is_known, true) {
                return;
            }
            let waits = &self.plan.waits[wait.number];
            if let Some(to) = waits.window.to {
                ends[wait.number].push_back((wait.since.saturating_add(to), id));
            }
            let Some(wakes) = &waits.wakes else {
                every.push(id);
                return;
            };
            for wake in wakes {
                let key = wake.key.iter().filter_map(|place| place.get(&wait.env).cloned()).collect();
                waiting[wake.site].entry(key).or_default().push(id);
                *registered += 1;
            }
        });
        self.owed.debtors[number].rest = Some(rest);
        self.sweep();
    }

    /// Forgets who waits no more, when they have become many.
    fn sweep(&mut self) {
        if self.owed.registered < 1024 + 8 * self.owed.live() {
            return;
        }
        let Owed { debtors, waiting, registered, .. } = &mut self.owed;
        for site in waiting {
            site.retain(|_, ids| {
                let before = ids.len();
                ids.retain(|id| Owed::is_live(debtors, *id));
                *registered -= before - ids.len();
                !ids.is_empty()
            });
        }
    }
}

/// What must hold, each part for itself: so it is known which does not, and for which values.
fn demand<V: Value>(
    now: &Now<'_, V>,
    node: &Node<V>,
    env: &mut Env<V>,
    begun: &mut SmallVec<[(Rest<V>, Env<V>); 2]>,
) {
    match node {
        Node::And(parts) => parts.iter().for_each(|part| demand(now, part, env, begun)),
        Node::Found { all: true, join, then } => {
            now.find(&join.steps, env, &mut |env| {
                demand(now, then, env, begun);
                true
            });
        }
        other => match now.judge(other, env) {
            Rest::Known(true) => {}
            rest => begun.push((rest, env.clone())),
        },
    }
}
