//! Elements that are kept until everything is known that is said of them.

use super::formula::Window;
use super::future::{Future, FutureKind, FutureTable};
use super::past::Table;
use super::plan::{Env, Now, Plan, Rows, Stage};
use super::term::Value;
use std::collections::VecDeque;

/// What is known so far, where everything is judged when it is decided.
pub(super) struct Delayed<V> {
    pub(super) futures: Vec<FutureTable<V>>,
    elements: VecDeque<Element<V>>,
    /// The number of the first of them.
    first: usize,
    /// At so many elements the formula was judged.
    judged: usize,
}

struct Element<V> {
    time: u64,
    rows: Vec<Rows<V>>,
}

/// Until when there were no other elements; nothing if no more come.
type Until = Option<u64>;

impl<V: Value> Delayed<V> {
    pub(super) fn new(plan: &Plan<V>) -> Delayed<V> {
        let futures = plan.futures.iter().map(|_| FutureTable::default()).collect();
        Delayed { futures, elements: VecDeque::new(), first: 0, judged: 0 }
    }

    /// How much is kept.
    pub(super) fn size(&self) -> usize {
        self.elements.len() + self.futures.iter().map(FutureTable::size).sum::<usize>()
    }

    /// Whether everything is judged.
    pub(super) fn is_over(&self) -> bool {
        self.judged == self.first + self.elements.len()
    }

    pub(super) fn push(&mut self, time: u64, rows: Vec<Rows<V>>) {
        self.elements.push_back(Element { time, rows });
    }

    /// Judges all elements at which everything is decided.
    pub(super) fn advance(
        &mut self,
        plan: &Plan<V>,
        tables: &mut [Table<V>],
        env: &mut Env<V>,
        until: Until,
        judge: &mut dyn FnMut(&Now<'_, V>, &mut Env<V>),
    ) {
        for number in 0..plan.futures.len() {
            let future = &plan.futures[number];
            while let at = self.futures[number].seen
                && self.is_ready(plan, &future.stage, at, until)
            {
                self.enter(plan, &future.stage, at, tables, env);
                let element = &self.elements[at - self.first];
                let (inner, own) = self.futures.split_at_mut(number);
                let (time, rows) = (element.time, &element.rows);
                let now = Now { plan, tables, futures: inner, rows, time, at, judged: None };
                own[0].update(future, &now, env);
            }
        }
        while self.is_ready(plan, &plan.stage, self.judged, until) {
            let at = self.judged;
            self.enter(plan, &plan.stage, at, tables, env);
            let Element { time, rows } = &self.elements[at - self.first];
            let reached = plan.reach(&plan.stage).map(|reach| time.saturating_add(reach));
            let judged = match (until, reached) {
                (Some(until), Some(reached)) => Some(until.min(reached)),
                (until, _) => until,
            };
            let now = Now { plan, tables, futures: &self.futures, rows, time: *time, at, judged };
            judge(&now, env);
            self.judged += 1;
        }
        let seen = self.futures.iter().map(|future| future.seen).min();
        let kept = self.judged.min(seen.unwrap_or(usize::MAX));
        self.elements.drain(..kept - self.first);
        self.first = kept;
    }

    /// Whether there is such an element, and everything is decided that is evaluated there.
    fn is_ready(&self, plan: &Plan<V>, stage: &Stage, at: usize, until: Until) -> bool {
        let Some(element) = self.elements.get(at - self.first) else { return false };
        stage
            .futures
            .iter()
            .all(|future| self.is_decided(&plan.futures[*future], *future, at, element.time, until))
    }

    fn is_decided(&self, future: &Future<V>, number: usize, at: usize, time: u64, until: Until) -> bool {
        let seen = self.futures[number].seen;
        if matches!(future.kind, FutureKind::Next) && seen > at + 1 {
            return true;
        }
        let Window { to, .. } = future.window;
        let is_past = |later: u64| to.is_some_and(|to| later - time > to);
        match self.elements.get(seen - self.first) {
            Some(unseen) => is_past(unseen.time),
            None => until.is_none_or(is_past),
        }
    }

    /// Brings up to date what is evaluated at an element.
    fn enter(&mut self, plan: &Plan<V>, stage: &Stage, at: usize, tables: &mut [Table<V>], env: &mut Env<V>) {
        stage.futures.iter().for_each(|future| self.futures[*future].forget(at));
        let Element { time, rows } = &self.elements[at - self.first];
        for past in &stage.pasts {
            let (known, rest) = tables.split_at_mut(*past);
            let now =
                Now { plan, tables: known, futures: &self.futures, rows, time: *time, at, judged: None };
            rest[0].update(&plan.pasts[*past], &now, env);
        }
    }
}
