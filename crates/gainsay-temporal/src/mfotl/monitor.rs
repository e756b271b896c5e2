//! Judges of streams with data, one element after the other.
//!
//! What must hold at an element is judged there; what is left is *owed*. Who owes is looked up by the facts that it waits for, with the values
//! that it knows: so an element costs what it changes, and not what is owed in all.

use super::compile::compile;
use super::delayed::Delayed;
use super::evaluate::Known;
use super::fact::Fact;
use super::formula::Formula;
use super::owed::Owed;
use super::past::Table;
use super::plan::{Env, Node, Now, Plan, Rows};
use super::rest::Went;
use super::term::Value;
use crate::formula::nanoseconds;
use gainsay_core::Error;
use std::fmt::{self, Debug, Display};
use std::time::Duration;

/// Judges a stream by a formula with data, one element after the other.
///
/// Of a formula `G f` (or several, joined by `&`), every element is reported at which `f` does not hold, once for all values of free and
/// universally quantified variables for which it does not. Any other formula is judged at the first element.
///
/// Violations are reported as soon as they are certain. Where later elements say which values a variable may have, or the past of the future is
/// asked for, they are reported when everything is known that lies within the bounds.
pub struct Monitor<E, V> {
    formula: Formula<E, V>,
    facts: Vec<Fact<E, V>>,
    plan: Plan<V>,
    /// Sites by fact.
    sites_of: Vec<Vec<usize>>,
    rows: Vec<Rows<V>>,
    tables: Vec<Table<V>>,
    owed: Owed<V>,
    delayed: Delayed<V>,
    env: Env<V>,
    /// When the last element was, or until when there was none.
    time: u64,
    count: usize,
    has_ended: bool,
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

impl<E, V: Value> Monitor<E, V> {
    /// A judge who has seen nothing yet.
    ///
    /// # Errors
    /// If the formula looks into the future without end, or has a variable of which nothing says which values it may have; the error names
    /// the part.
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
            owed: Owed::new(&plan),
            delayed: Delayed::new(&plan),
            env: plan.names.iter().map(|_| None).collect(),
            plan,
            time: 0,
            count: 0,
            has_ended: false,
        })
    }

    /// The formula.
    pub fn formula(&self) -> &Formula<E, V> {
        &self.formula
    }

    /// Whether violations are reported only when everything is known that lies within the bounds, and not as soon as they are certain: where
    /// later elements say which values a variable may have, or the past of the future is asked for.
    pub fn is_delayed(&self) -> bool {
        self.plan.delays
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
            rows.dedup();
        }
        self.count += 1;
        if self.plan.delays {
            let empty = |rows: &Rows<V>| Rows { values: Vec::new(), count: 0, arity: rows.arity };
            let empty = self.rows.iter().map(empty).collect();
            self.delayed.push(time, std::mem::replace(&mut self.rows, empty));
            self.advance(Some(time));
        } else {
            self.see(time);
        }
        Ok(&self.owed.violations)
    }

    /// Judges the element that was read.
    fn see(&mut self, time: u64) {
        let at = self.count - 1;
        for place in 0..self.tables.len() {
            let (known, rest) = self.tables.split_at_mut(place);
            let (plan, rows) = (&self.plan, &self.rows);
            let now = Now { plan, tables: known, futures: &[], rows, time, at, judged: Some(time) };
            rest[0].update(&self.plan.pasts[place], &now, &mut self.env);
        }
        let (plan, rows) = (&self.plan, &self.rows);
        let now = Now { plan, tables: &self.tables, futures: &[], rows, time, at, judged: Some(time) };
        self.owed.wake(&now, &self.sites_of, at);
        judge(&now, &mut self.env, &mut self.owed);
    }

    /// Judges what is decided.
    fn advance(&mut self, until: Option<u64>) {
        let Monitor { plan, tables, env, owed, delayed, .. } = self;
        delayed.advance(plan, tables, env, until, &mut |now, env| judge(now, env, owed));
    }

    /// Takes account of time in which there was no element.
    ///
    /// # Errors
    /// If the time is before that of the last element, or the stream has ended.
    pub fn pass_to(&mut self, time: Duration) -> Result<&[Violation<V>], Error> {
        self.pass(nanoseconds(time))?;
        Ok(&self.owed.violations)
    }

    /// No more elements come: whatever is owed is not met.
    pub fn end(&mut self) -> &[Violation<V>] {
        self.owed.violations.clear();
        self.has_ended = true;
        self.advance(None);
        self.owed.end(&self.plan);
        &self.owed.violations
    }

    /// What is known of the whole formula.
    pub fn known(&self) -> Known {
        let is_judged = match self.plan.delays {
            true => self.delayed.is_over(),
            false => self.owed.live() == 0,
        };
        let is_over = self.has_ended || self.plan.every.is_empty() && self.count > 0 && is_judged;
        match self.owed.broken {
            0 if is_over => Known::True,
            0 => Known::Unknown,
            _ => Known::False,
        }
    }

    /// How much is kept: what is owed, until when, by whom it is waited for, and what is remembered.
    pub fn size(&self) -> usize {
        self.owed.size() + self.delayed.size() + self.tables.iter().map(Table::size).sum::<usize>()
    }

    fn pass(&mut self, time: u64) -> Result<(), Error> {
        self.owed.violations.clear();
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
        self.owed.pass(&self.plan, time);
        if self.plan.delays {
            self.advance(Some(time));
        }
        Ok(())
    }
}

/// What must hold at an element.
fn judge<V: Value>(now: &Now<'_, V>, env: &mut Env<V>, owed: &mut Owed<V>) {
    let first = if now.at == 0 { now.plan.first.as_slice() } else { &[] };
    for node in now.plan.every.iter().chain(first) {
        demand(now, node, env, now.at, owed);
    }
    owed.forget(now.at);
}

/// What must hold, each part for itself: so it is known which does not, and for which values.
fn demand<V: Value>(now: &Now<'_, V>, node: &Node<V>, env: &mut Env<V>, element: usize, owed: &mut Owed<V>) {
    match node {
        Node::And(parts) => parts.iter().for_each(|part| demand(now, part, env, element, owed)),
        Node::Found { all: true, join, then } => {
            now.find(&join.steps, env, &mut |env| {
                demand(now, then, env, element, owed);
                true
            });
        }
        Node::Waits(number) => match now.begin(*number, env) {
            Went::Known(true) => {}
            Went::Nowhere => owed.owe(now, element, *number, env),
            went => owed.owe_rest(now, element, now.after(*number, went, || now.wait(*number, env)), env),
        },
        other => owed.owe_rest(now, element, now.judge(other, env), env),
    }
}
