//! What is owed: what was to hold at earlier elements, and is not known yet.

use super::compile::HIDDEN;
use super::monitor::Violation;
use super::plan::{Env, Now, Plan};
use super::rest::{Rest, Wait, Went, copied};
use super::term::Value;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::time::Duration;

/// A number made of some values.
#[inline]
fn hash<'v, V: Value + 'v>(values: impl Iterator<Item = &'v V>) -> u64 {
    let mut hasher = FxHasher::default();
    values.for_each(|value| value.hash(&mut hasher));
    hasher.finish()
}

/// Who owes something, by number; numbers are used again, for another turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Id {
    number: u32,
    turn: u32,
}

struct Debtor<V> {
    turn: u32,
    /// Whether it is among those who wait for every element.
    is_every: bool,
    /// The number of the element at which it was looked at last.
    seen: usize,
    element: usize,
    time: u64,
    debt: Debt<V>,
}

enum Debt<V> {
    /// The number is not in use.
    None,
    /// One thing is waited for; its variables are those of the debtor.
    One(Wait<V>),
    More(Box<(Rest<V>, Env<V>)>),
}

struct Told<V> {
    /// How many owe something.
    owing: usize,
    values: Vec<Vec<(String, V)>>,
}

pub(super) struct Owed<V> {
    debtors: Vec<Debtor<V>>,
    unused: Vec<u32>,
    /// By site, who waits for a fact about some values: by a number made of these. (Whoever is woken by the values of another finds
    /// nothing changed.)
    waiting: Vec<HashTable<(u64, Id)>>,
    /// When there are more of them at a site, or more ends, those who wait no more are forgotten.
    swept: usize,
    /// Who waits for every element.
    every: Vec<Id>,
    /// By what is waited for: until when.
    ends: Vec<VecDeque<(u64, Id)>>,
    /// What was told of elements of which something is still owed, and how many owe it: several parts of a formula may not hold for the same
    /// values, at different times.
    told: FxHashMap<usize, Told<V>>,
    /// What has turned out not to hold since the last element.
    pub(super) violations: Vec<Violation<V>>,
    /// How much has, in all.
    pub(super) broken: usize,
}

impl<V: Value> Owed<V> {
    pub(super) fn new(plan: &Plan<V>) -> Owed<V> {
        Owed {
            debtors: Vec::new(),
            unused: Vec::new(),
            waiting: plan.sites.iter().map(|_| HashTable::new()).collect(),
            swept: 1024,
            every: Vec::new(),
            ends: plan.waits.iter().map(|_| VecDeque::new()).collect(),
            told: FxHashMap::default(),
            violations: Vec::new(),
            broken: 0,
        }
    }

    /// How much is kept in all.
    pub(super) fn size(&self) -> usize {
        self.live()
            + self.ends.iter().map(VecDeque::len).sum::<usize>()
            + self.waiting.iter().map(HashTable::len).sum::<usize>()
    }

    /// How many owe something.
    pub(super) fn live(&self) -> usize {
        self.debtors.len() - self.unused.len()
    }

    #[inline]
    fn is_live(&self, id: Id) -> bool {
        self.debtors[id.number as usize].turn == id.turn
    }

    /// A number that is not in use.
    fn number(&mut self, now: &Now<'_, V>, element: usize) -> usize {
        let number = self.unused.pop().unwrap_or_else(|| {
            let debt = Debt::None;
            self.debtors.push(Debtor { turn: 0, is_every: false, seen: 0, element: 0, time: 0, debt });
            self.debtors.len() as u32 - 1
        });
        let debtor = &mut self.debtors[number as usize];
        (debtor.seen, debtor.element, debtor.time) = (element, element, now.time);
        debtor.is_every = false;
        if now.plan.has_several() {
            self.told.entry(element).or_insert_with(|| Told { owing: 0, values: Vec::new() }).owing += 1;
        }
        number as usize
    }

    /// What was told of an element is forgotten if nobody owes anything.
    pub(super) fn forget(&mut self, element: usize) {
        if self.told.get(&element).is_some_and(|told| told.owing == 0) {
            self.told.remove(&element);
        }
    }

    /// From now on something is waited for.
    pub(super) fn owe(&mut self, now: &Now<'_, V>, element: usize, waits: usize, env: &Env<V>) {
        let number = self.number(now, element);
        match &mut self.debtors[number].debt {
            // The memory of an earlier debt is used again.
            Debt::One(wait) => {
                (wait.number, wait.since, wait.is_known) = (waits, now.time, false);
                wait.env.iter_mut().zip(env).for_each(|(old, new)| old.clone_from(new));
            }
            debt => *debt = Debt::One(now.wait(waits, env)),
        }
        self.keep(now.plan, number);
    }

    pub(super) fn owe_rest(&mut self, now: &Now<'_, V>, element: usize, rest: Rest<V>, env: &Env<V>) {
        match rest {
            Rest::Known(true) => {}
            Rest::Known(false) => self.tell(now.plan, element, now.time, env, now.judged),
            rest => {
                let number = self.number(now, element);
                self.debtors[number].debt = Debt::More(Box::new((rest, copied(env))));
                self.keep(now.plan, number);
            }
        }
    }

    /// Sees to it that what somebody owes is looked at in time.
    fn keep(&mut self, plan: &Plan<V>, number: usize) {
        let id = Id { number: number as u32, turn: self.debtors[number].turn };
        let Owed { debtors, waiting, every, ends, .. } = self;
        let Debtor { debt, is_every, .. } = &mut debtors[number];
        let mut register = |wait: &mut Wait<V>| {
            if std::mem::replace(&mut wait.is_known, true) {
                return;
            }
            let waits = &plan.waits[wait.number];
            if let Some(to) = waits.window.to {
                ends[wait.number].push_back((wait.since.saturating_add(to), id));
            }
            let Some(wakes) = &waits.wakes else {
                if !std::mem::replace(is_every, true) {
                    every.push(id);
                }
                return;
            };
            for wake in wakes {
                let hash = hash(wake.key.iter().filter_map(|place| place.get(&wait.env)));
                waiting[wake.site].insert_unique(hash, (hash, id), |(hash, _)| *hash);
            }
        };
        match debt {
            Debt::None => {}
            Debt::One(wait) => register(wait),
            Debt::More(more) => more.0.see_waits(&mut register),
        }
        self.sweep();
    }

    /// Looks at those who owe something that the element may change.
    pub(super) fn wake(&mut self, now: &Now<'_, V>, sites_of: &[Vec<usize>], element: usize) {
        for (rows, sites) in now.rows.iter().zip(sites_of) {
            if rows.count == 0 {
                continue;
            }
            for site in sites {
                if self.waiting[*site].is_empty() {
                    continue;
                }
                for row in rows.iter() {
                    let hash = hash(now.plan.sites[*site].1.iter().map(|position| &row[*position]));
                    self.wake_those(now, *site, hash, element);
                }
            }
        }
        if self.every.is_empty() {
            return;
        }
        let mut every = std::mem::take(&mut self.every);
        every.retain(|id| self.is_live(*id) && self.go_on(now, *id, element, None));
        // (Some may have begun to wait for every element.)
        every.append(&mut self.every);
        self.every = every;
    }

    /// Those who wait for a fact about these values.
    fn wake_those(&mut self, now: &Now<'_, V>, site: usize, hash: u64, element: usize) {
        let mut left: SmallVec<[Id; 4]> = SmallVec::new();
        while let Ok(entry) = self.waiting[site].find_entry(hash, |(known, _)| *known == hash) {
            let ((_, id), _) = entry.remove();
            if self.is_live(id) && self.go_on(now, id, element, Some(site)) && !left.contains(&id) {
                left.push(id);
            }
        }
        for id in left {
            self.waiting[site].insert_unique(hash, (hash, id), |(hash, _)| *hash);
        }
    }

    /// What an element makes of what somebody owes, who was found at a site, and is not there any more; whether anything is left.
    fn go_on(&mut self, now: &Now<'_, V>, id: Id, element: usize, site: Option<usize>) -> bool {
        let number = id.number as usize;
        let debtor = &mut self.debtors[number];
        if debtor.seen == element {
            return true;
        }
        debtor.seen = element;
        let rest = match &mut debtor.debt {
            Debt::None => return false,
            Debt::One(wait) => match now.go_on(wait.number, &mut wait.env, wait.since) {
                Went::Nowhere => return true,
                Went::Known(holds) => {
                    self.unregister(now.plan, id, site);
                    self.settle(now.plan, number, holds, Some(now.time));
                    return false;
                }
                went => {
                    let Debt::One(wait) = std::mem::replace(&mut debtor.debt, Debt::None) else {
                        return false;
                    };
                    let env = copied(&wait.env);
                    Box::new((now.after(wait.number, went, || wait), env))
                }
            },
            more => {
                let Debt::More(more) = std::mem::replace(more, Debt::None) else { return false };
                let (rest, env) = *more;
                let rest = rest.each_wait(&mut |mut wait: Wait<V>| {
                    let went = now.go_on(wait.number, &mut wait.env, wait.since);
                    now.after(wait.number, went, || wait)
                });
                Box::new((rest, env))
            }
        };
        self.put_back(now.plan, number, rest, Some(now.time))
    }

    /// What somebody owes, and his variables.
    fn take(&mut self, number: usize) -> Option<(Rest<V>, Env<V>)> {
        match std::mem::replace(&mut self.debtors[number].debt, Debt::None) {
            Debt::None => None,
            Debt::One(wait) => {
                let env = copied(&wait.env);
                Some((Rest::Wait(wait), env))
            }
            Debt::More(more) => Some(*more),
        }
    }

    /// Keeps what is left, if anything is.
    fn put_back(
        &mut self,
        plan: &Plan<V>,
        number: usize,
        rest: Box<(Rest<V>, Env<V>)>,
        time: Option<u64>,
    ) -> bool {
        let known = if let Rest::Known(holds) = rest.0 { Some(holds) } else { None };
        self.debtors[number].debt = Debt::More(rest);
        match known {
            None => self.keep(plan, number),
            Some(holds) => self.settle(plan, number, holds, time),
        }
        known.is_none()
    }

    /// Somebody who waits for one thing does so no more; at a site he was not found any more. (Others are forgotten when they have become many.)
    #[inline]
    fn unregister(&mut self, plan: &Plan<V>, id: Id, site: Option<usize>) {
        let Debt::One(wait) = &self.debtors[id.number as usize].debt else { return };
        for wake in plan.waits[wait.number].wakes.iter().flatten().filter(|wake| Some(wake.site) != site) {
            let hash = hash(wake.key.iter().filter_map(|place| place.get(&wait.env)));
            if let Ok(entry) = self.waiting[wake.site].find_entry(hash, |(_, known)| *known == id) {
                entry.remove();
            }
        }
    }

    /// Somebody owes nothing any more: it holds, or it does not.
    fn settle(&mut self, plan: &Plan<V>, number: usize, holds: bool, time: Option<u64>) {
        let debtor = &mut self.debtors[number];
        debtor.turn = debtor.turn.wrapping_add(1);
        self.unused.push(number as u32);
        if holds {
            // (What is there is written over some day.)
            let element = debtor.element;
            return self.pay(plan, element);
        }
        let (element, since) = (debtor.element, debtor.time);
        match std::mem::replace(&mut debtor.debt, Debt::None) {
            Debt::None => {}
            Debt::One(wait) => self.tell(plan, element, since, &wait.env, time),
            Debt::More(more) => self.tell(plan, element, since, &more.1, time),
        }
        self.pay(plan, element);
    }

    /// One less owes something of an element.
    fn pay(&mut self, plan: &Plan<V>, element: usize) {
        if plan.has_several()
            && let Some(told) = self.told.get_mut(&element)
        {
            told.owing -= 1;
            self.forget(element);
        }
    }

    #[cold]
    fn tell(&mut self, plan: &Plan<V>, element: usize, since: u64, env: &Env<V>, time: Option<u64>) {
        let named = plan.names.iter().zip(env).filter(|(name, _)| !name.starts_with(HIDDEN));
        let values = named.filter_map(|(name, value)| Some((name.to_string(), value.clone()?)));
        let values: Vec<(String, V)> = values.collect();
        if plan.has_several() {
            let told = self.told.entry(element).or_insert_with(|| Told { owing: 0, values: Vec::new() });
            if told.values.contains(&values) {
                return;
            }
            told.values.push(values.clone());
        }
        self.broken += 1;
        let broken = time.map(Duration::from_nanos);
        self.violations.push(Violation { element, time: Duration::from_nanos(since), values, broken });
    }

    /// Whatever should have come before this time has not.
    #[inline]
    pub(super) fn pass(&mut self, plan: &Plan<V>, time: u64) {
        for number in 0..self.ends.len() {
            while let Some((end, id)) = self.ends[number].front().copied()
                && end < time
            {
                match self.is_live(id) {
                    true => self.pass_first(plan, time),
                    false => _ = self.ends[number].pop_front(),
                }
            }
        }
    }

    /// The first of those whose time is over.
    fn pass_first(&mut self, plan: &Plan<V>, time: u64) {
        let ends = self.ends.iter().enumerate();
        let first = ends.filter_map(|(number, ends)| Some((ends.front()?.0, number))).min();
        let Some((end, number)) = first.filter(|(end, _)| *end < time) else { return };
        let Some((_, id)) = self.ends[number].pop_front() else { return };
        if !self.is_live(id) {
            return;
        }
        self.unregister(plan, id, None);
        let number = id.number as usize;
        let Some((rest, env)) = self.take(number) else { return };
        let rest = rest.each_wait(&mut |wait| {
            let waits = &plan.waits[wait.number];
            match waits.window.is_over(end + 1 - wait.since) {
                true => Rest::Known(waits.kind.in_the_end()),
                false => Rest::Wait(wait),
            }
        });
        self.put_back(plan, number, Box::new((rest, env)), Some(end + 1));
    }

    /// Nothing more comes.
    pub(super) fn end(&mut self, plan: &Plan<V>) {
        let is_unused: std::collections::HashSet<u32> = self.unused.iter().copied().collect();
        for number in (0..self.debtors.len()).filter(|number| !is_unused.contains(&(*number as u32))) {
            let Some((rest, env)) = self.take(number) else { continue };
            let rest = rest.each_wait(&mut |wait| Rest::Known(plan.waits[wait.number].kind.in_the_end()));
            self.put_back(plan, number, Box::new((rest, env)), None);
        }
    }

    /// Forgets who waits no more, when they have become many.
    #[inline]
    fn sweep(&mut self) {
        let most = self.swept;
        if self.waiting.iter().any(|site| site.len() > most) || self.ends.iter().any(|ends| ends.len() > most)
        {
            self.sweep_now();
        }
    }

    #[cold]
    fn sweep_now(&mut self) {
        let Owed { debtors, waiting, ends, swept, .. } = self;
        for ends in &mut *ends {
            ends.retain(|(_, id)| debtors[id.number as usize].turn == id.turn);
        }
        for site in &mut *waiting {
            // (Who waits for one thing several times is woken once.)
            let mut known = FxHashSet::default();
            site.retain(|(hash, id)| {
                debtors[id.number as usize].turn == id.turn && known.insert((*hash, id.number))
            });
        }
        let lengths = waiting.iter().map(HashTable::len).chain(ends.iter().map(VecDeque::len));
        *swept = 1024 + 2 * lengths.max().unwrap_or(0);
    }
}
