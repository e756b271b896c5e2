//! What is left of a term after a call: one derivation for each way to take it.

use super::called::{Called, Given, Told};
use super::captured::Captured;
use super::leaf::Leaf;
use super::term::{Node, Term, none};
use crate::explain::Theory;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// The theory of terms: what is seen are calls and the end. Between them, what was blocked may pass unseen.
#[derive(Debug)]
pub(super) struct Residuals<S> {
    /// Something may be blocked.
    waits: bool,
    /// Too much could have happened unseen: nothing is known any more.
    too_many: Cell<bool>,
    ledger: RefCell<Ledger<S>>,
}

/// What was called, and how that was taken.
#[derive(Debug)]
pub(super) struct Ledger<S> {
    /// The calls so far; the last one is judged.
    pub(super) heard: Vec<Called>,
    /// The expected calls that were taken by any derivation.
    taken: Taken<S>,
    /// What the last call may be answered, each answer once; or why there is none.
    answers: Vec<Result<Given, String>>,
}

/// The number of an answer.
type Number = u32;

impl<S> Ledger<S> {
    fn new() -> Ledger<S> {
        Ledger { heard: Vec::with_capacity(16), taken: Taken::default(), answers: Vec::with_capacity(1) }
    }

    /// Notes a call, which is to be judged next.
    pub(super) fn hear(&mut self, call: Called) {
        self.heard.push(call);
        self.answers.clear();
    }

    /// Notes an answer, and gives it a number: equal ones have the same.
    #[inline]
    fn number(&mut self, leaf: &dyn Leaf, given: Result<Given, String>) -> Number {
        let same = |known: &Result<Given, String>| match (known, &given) {
            (Ok(one), Ok(other)) => leaf.kind().is_same(&one.answer, &other.answer),
            (Err(one), Err(other)) => one == other,
            _ => false,
        };
        let Some(place) = self.answers.iter().position(same) else {
            self.answers.push(given);
            return self.answers.len() as Number - 1;
        };
        // Somebody who deviates does so whichever derivation says it.
        if let (Ok(known), Ok(Given { instead: Some(instead), .. })) = (&mut self.answers[place], given) {
            known.instead.get_or_insert(instead);
        }
        place as Number
    }

    /// What an expected call should be answered, as people read it.
    pub(super) fn shown(&self, config: &Config<S>) -> String {
        let answer = config.answer.and_then(|number| self.answers.get(number as usize));
        match (answer, self.last(config)) {
            (Some(Ok(given)), Some(leaf)) => (leaf.kind().show)(&given.answer),
            (Some(Err(trouble)), _) => trouble.clone(),
            _ => String::new(),
        }
    }

    /// Takes what the last call is answered.
    ///
    /// # Errors
    /// Why there is no answer.
    #[inline]
    pub(super) fn take_answer(&mut self, config: &Config<S>, told: &mut Told) -> Result<(), String> {
        let answer = config.answer.and_then(|number| self.answers.get_mut(number as usize));
        match answer {
            Some(Ok(given)) => std::mem::swap(&mut told.given, given),
            Some(Err(trouble)) => return Err(std::mem::take(trouble)),
            None => return Err("nobody answers".into()),
        }
        told.kind = self.last(config).map(Leaf::kind);
        Ok(())
    }

    /// The expected calls that a derivation has taken, the last one first.
    #[inline]
    fn back_from<'a>(&'a self, config: &'a Config<S>) -> impl Iterator<Item = &'a Term<S>> {
        let run = config.term.skipped(config.run).iter().rev();
        run.chain(self.taken.back_from(config.trail))
    }

    /// The expected call that a derivation has taken last.
    #[inline]
    fn last<'a>(&'a self, config: &'a Config<S>) -> Option<&'a dyn Leaf> {
        let taken = config.term.skipped(config.run).last();
        taken.map_or_else(|| self.taken.last(config.trail), Term::leaf)
    }

    /// The last expected calls of the first `count` that a derivation has taken, in order, at most so many.
    pub(super) fn taken_last(&self, config: &Config<S>, count: usize, most: usize) -> Vec<String> {
        let all: Vec<&Term<S>> = self.back_from(config).collect();
        // The call that is judged may be among them.
        let first = all.len().saturating_sub(count);
        let mut last: Vec<String> = all[first..].iter().take(most).map(|taken| taken.to_string()).collect();
        last.reverse();
        last
    }

    /// The expected call that a derivation has taken last.
    pub(super) fn last_taken(&self, config: &Config<S>) -> String {
        self.back_from(config).next().map(ToString::to_string).unwrap_or_default()
    }

    /// The expected calls that a derivation has taken, in order.
    pub(super) fn derivation(&self, config: &Config<S>) -> String {
        let mut taken: Vec<String> = self.back_from(config).map(ToString::to_string).collect();
        taken.reverse();
        if taken.is_empty() { "no calls".into() } else { taken.join(", ") }
    }
}

/// Expected calls that were taken.
#[derive(Debug)]
pub(super) struct Taken<S>(Vec<Run<S>>);

/// An expected call, or several of a sequence.
#[derive(Debug)]
struct Run<S> {
    /// The call, or what was left of the sequence after them.
    term: Term<S>,
    /// How many of the sequence there are; none if it is a call.
    calls: u32,
    /// What was taken before.
    before: Trail,
}

impl<S> Run<S> {
    /// The expected calls, in order.
    fn calls(&self) -> &[Term<S>] {
        if self.calls == 0 { std::slice::from_ref(&self.term) } else { self.term.skipped(self.calls) }
    }
}

/// The place of what was taken last, if there is something.
type Trail = Option<NonZeroU32>;

impl<S> Default for Taken<S> {
    fn default() -> Taken<S> {
        Taken(Vec::with_capacity(16))
    }
}

impl<S> Taken<S> {
    fn push(&mut self, term: Term<S>, calls: u32, before: Trail) -> Trail {
        self.0.push(Run { term, calls, before });
        NonZeroU32::new(self.0.len() as u32)
    }

    /// The expected calls that were taken, the last one first.
    fn back_from(&self, trail: Trail) -> impl Iterator<Item = &Term<S>> {
        let at = |trail: Trail| self.0.get(trail?.get() as usize - 1);
        std::iter::successors(at(trail), move |run| at(run.before)).flat_map(|run| run.calls().iter().rev())
    }

    /// The expected call that was taken last.
    pub(super) fn last(&self, trail: Trail) -> Option<&dyn Leaf> {
        self.back_from(trail).next()?.leaf()
    }
}

impl<S> Residuals<S> {
    /// The theory of a term.
    pub(super) fn of(term: &Term<S>) -> Residuals<S> {
        Residuals { waits: term.waits(), too_many: Cell::new(false), ledger: RefCell::new(Ledger::new()) }
    }

    /// What was called so far, to which the next call is added before it is judged.
    pub(super) fn ledger(&self) -> &RefCell<Ledger<S>> {
        &self.ledger
    }

    /// Whether too much could have happened unseen.
    pub(super) fn is_lost(&self) -> bool {
        self.too_many.get()
    }
}

/// What is left, what was captured, and the state of the model.
#[derive(Clone)]
pub(super) struct Config<S> {
    pub(super) term: Term<S>,
    pub(super) ahead: Ahead<S>,
    /// What the last call is answered.
    pub(super) answer: Option<Number>,
    /// What was taken so far,
    pub(super) trail: Trail,
    /// and then so many calls of the sequence that is left.
    run: u32,
}

/// Everything that matters for what follows.
#[derive(Clone, PartialEq)]
pub(super) struct Ahead<S> {
    pub(super) captured: Captured,
    pub(super) state: Arc<S>,
    /// Another operation has changed the state.
    pub(super) changed: bool,
    /// How many of each name may pass, in the order of their names.
    pub(super) passes: Option<Arc<Vec<(&'static str, u32)>>>,
}

impl<S> Ahead<S> {
    /// Nothing has happened.
    pub(super) fn new(state: S) -> Ahead<S> {
        Ahead { captured: Captured::default(), state: Arc::new(state), changed: false, passes: None }
    }
}

impl<S: Clone> Ahead<S> {
    /// After something was unblocked.
    fn unblocked(&self, name: &'static str) -> Ahead<S> {
        let mut ahead = self.clone();
        let passes = Arc::make_mut(ahead.passes.get_or_insert_default());
        match passes.binary_search_by_key(&name, |(known, _)| known) {
            Ok(place) => passes[place].1 += 1,
            Err(place) => passes.insert(place, (name, 1)),
        }
        ahead
    }

    /// After something has passed, if it may.
    fn passed(&self, name: &str) -> Option<Ahead<S>> {
        let place = self.passes.as_ref()?.binary_search_by_key(&name, |(known, _)| known).ok()?;
        let mut ahead = self.clone();
        let passes = Arc::make_mut(ahead.passes.as_mut()?);
        passes[place].1 -= 1;
        if passes[place].1 == 0 {
            passes.remove(place);
        }
        // (None are none, however that came about.)
        ahead.passes = ahead.passes.filter(|passes| !passes.is_empty());
        Some(ahead)
    }
}

impl<S: PartialEq> PartialEq for Config<S> {
    fn eq(&self, other: &Config<S>) -> bool {
        self.answer == other.answer && self.term == other.term && self.ahead == other.ahead
    }
}

impl<S: PartialEq> Eq for Config<S> {}

impl<S> Hash for Config<S> {
    /// States and captures need not be hashable: what differs by them alone is told apart by comparing it.
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.term.hash(to);
    }
}

impl<S> Config<S> {
    /// With no calls so far.
    pub(super) fn new(term: Term<S>, ahead: Ahead<S>) -> Config<S> {
        Config { term, ahead, answer: None, trail: None, run: 0 }
    }
}

impl<S: Clone + PartialEq> Config<S> {
    /// Whether no more calls need come.
    pub(super) fn can_end(&self) -> bool {
        self.term.can_end(&self.ahead)
    }

    /// Adds what it may become after a call, or at the end.
    #[inline]
    fn see(&self, called: Option<&mut Ledger<S>>, next: &mut Vec<Config<S>>) {
        match called {
            Some(ledger) => {
                let mut taking = Taking { wanted: Wanted::Call(ledger), trail: self.trail, next };
                self.term.take(&mut taking, &self.ahead);
            }
            None => next.extend(self.ends().into_iter().map(|ahead| Config {
                term: none(),
                ahead,
                answer: None,
                trail: self.trail,
                run: 0,
            })),
        }
    }

    /// Takes a call where only one is expected, and it is that one.
    #[inline]
    fn take_only(&mut self, ledger: &mut Ledger<S>) -> bool {
        let expected = self.term.only_call();
        let (Some(leaf), Some(call)) = (expected, ledger.heard.last_mut()) else { return false };
        if !leaf.matches(call, &self.ahead.captured) {
            return false;
        }
        let given = leaf.answer(call, &mut self.ahead.captured);
        self.answer = Some(ledger.number(leaf, given));
        self.run += 1;
        if !self.term.skip_only() {
            self.write_down(ledger);
            self.term = self.term.without_skipped();
        }
        true
    }

    /// Notes calls that were taken of a sequence, before something else is left.
    fn write_down(&mut self, ledger: &mut Ledger<S>) {
        if self.run > 0 {
            let is_sequence = !self.term.skipped(self.run).is_empty();
            let calls = if is_sequence { self.run } else { 0 };
            self.trail = ledger.taken.push(self.term.clone(), calls, self.trail);
            self.run = 0;
        }
    }

    /// One configuration for each call that could be made; its last expected call is that one.
    pub(super) fn heads(&self, taken: &mut Taken<S>) -> Vec<Config<S>> {
        self.taken(Wanted::Any(taken))
    }

    fn taken(&self, wanted: Wanted<'_, S>) -> Vec<Config<S>> {
        let mut next = Vec::new();
        self.term.take(&mut Taking { wanted, trail: self.trail, next: &mut next }, &self.ahead);
        next
    }

    /// This, and what it may become unseen; `None` if that is too much.
    pub(super) fn and_unseen(&self) -> Option<Vec<Config<S>>>
    where
        S: PartialEq,
    {
        let mut all = vec![self.clone()];
        let mut place = 0;
        while place < all.len() {
            for config in all[place].taken(Wanted::Unseen) {
                if !all.contains(&config) {
                    all.push(config);
                }
            }
            place += 1;
            if all.len() > UNSEEN_MAX {
                return None;
            }
        }
        Some(all)
    }

    /// What is left behind, for each way to be over.
    pub(super) fn ends(&self) -> Vec<Ahead<S>> {
        let mut ways = Vec::new();
        self.term.end(&self.ahead, &mut ways);
        ways
    }
}

impl<S: Debug> Debug for Config<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in state {:?}", self.term, self.ahead.state)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Event {
    /// The call that the theory was [told](Residuals::ledger) of.
    Call,
    End,
}

impl Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Event::Call => "a call",
            Event::End => "the end",
        })
    }
}

/// Puts what is left of terms into a larger one, in all configurations from a mark on.
fn wrap<S>(next: &mut [Config<S>], wrap: impl Fn(Term<S>) -> Term<S>) {
    for config in next {
        config.term = wrap(std::mem::replace(&mut config.term, none()));
    }
}

/// So much may come of a configuration unseen.
const UNSEEN_MAX: usize = 250;

/// What is to be taken of a term.
enum Wanted<'a, S> {
    /// The call that was made.
    Call(&'a mut Ledger<S>),
    /// Any call that could be made.
    Any(&'a mut Taken<S>),
    /// What passes unseen.
    Unseen,
}

/// What a term is taken with.
struct Taking<'a, S> {
    wanted: Wanted<'a, S>,
    /// The expected call that was taken before.
    trail: Trail,
    next: &'a mut Vec<Config<S>>,
}

impl<S> Taking<'_, S> {
    /// Something blocked or unblocked is passed, if that is what is wanted and possible.
    fn pass(&mut self, ahead: Option<Ahead<S>>) {
        if let (Wanted::Unseen, Some(ahead)) = (&self.wanted, ahead) {
            self.next.push(Config { term: none(), ahead, answer: None, trail: self.trail, run: 0 });
        }
    }
}

/// All but one.
fn without<S>(terms: &[Term<S>], place: usize) -> Vec<Term<S>> {
    terms.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, term)| term.clone()).collect()
}

fn replaced<S>(terms: &[Term<S>], place: usize, by: Term<S>) -> Vec<Term<S>> {
    let mut terms = terms.to_vec();
    terms[place] = by;
    terms
}

impl<S: Clone + PartialEq> Term<S> {
    /// Adds a configuration for each way to take a call.
    fn take(&self, taking: &mut Taking<'_, S>, ahead: &Ahead<S>) {
        if let Some(leaf) = self.leaf() {
            return self.take_leaf(leaf, taking, ahead);
        }
        let mark = taking.next.len();
        match self.node() {
            Node::Empty | Node::Fail(_) | Node::Assert(..) => {}
            Node::Change(change) => {
                if let Wanted::Unseen = taking.wanted {
                    let mut ahead = ahead.clone();
                    change(Arc::make_mut(&mut ahead.state));
                    ahead.changed = true;
                    taking.pass(Some(ahead));
                }
            }
            Node::Block(name) => taking.pass(ahead.passed(name)),
            Node::Unblock(name) => taking.pass(Some(ahead.unblocked(name))),
            Node::Seq(terms) => {
                let from = self.place();
                // As long as nothing can be skipped, only the first counts.
                terms[from].take(taking, ahead);
                wrap(&mut taking.next[mark..], |term| term.before(self, from + 1));
                let mut ends = Vec::new();
                terms[from].end(ahead, &mut ends);
                for (place, term) in terms.iter().enumerate().skip(from + 1) {
                    if ends.is_empty() {
                        break;
                    }
                    let mark = taking.next.len();
                    for ahead in &ends {
                        term.take(taking, ahead);
                    }
                    wrap(&mut taking.next[mark..], |term| term.before(self, place + 1));
                    let mut next = Vec::new();
                    ends.iter().for_each(|ahead| term.end(ahead, &mut next));
                    ends = distinct(next);
                }
            }
            Node::Then(first, rest) => {
                first.take(taking, ahead);
                wrap(&mut taking.next[mark..], |term| term.followed_by(rest.clone()));
                let mut ends = Vec::new();
                first.end(ahead, &mut ends);
                ends.iter().for_each(|ahead| rest.take(taking, ahead));
            }
            Node::Par(terms) => {
                for (place, term) in terms.iter().enumerate() {
                    let mark = taking.next.len();
                    term.take(taking, ahead);
                    wrap(&mut taking.next[mark..], |term| super::par(replaced(terms, place, term)));
                }
            }
            Node::Permutation(terms) => {
                for (place, term) in terms.iter().enumerate() {
                    let mark = taking.next.len();
                    term.take(taking, ahead);
                    wrap(&mut taking.next[mark..], |term| {
                        term.followed_by(super::permutation(without(terms, place)))
                    });
                }
            }
            Node::Choice(terms) => terms.iter().for_each(|term| term.take(taking, ahead)),
            Node::Tagged(name, terms) => {
                for (tag, term) in terms {
                    let mut ahead = ahead.clone();
                    ahead.captured.set(name, tag.clone());
                    term.take(taking, &ahead);
                }
            }
            Node::Repeat(term) => {
                term.take(taking, ahead);
                wrap(&mut taking.next[mark..], |term| term.followed_by(self.clone()));
            }
            Node::Replicate { template, begun } => {
                // Copies that are over are of no interest.
                let with = |mut begun: Vec<Term<S>>| {
                    begun.retain(|term| !term.is_empty());
                    Term::of(Node::Replicate { template: template.clone(), begun })
                };
                for (place, term) in begun.iter().enumerate() {
                    if begun[..place].contains(term) {
                        continue;
                    }
                    let mark = taking.next.len();
                    term.take(taking, ahead);
                    wrap(&mut taking.next[mark..], |term| with(replaced(begun, place, term)));
                }
                let mark = taking.next.len();
                template.take(taking, ahead);
                wrap(&mut taking.next[mark..], |term| with(begun.iter().cloned().chain([term]).collect()));
            }
            Node::When(holds, term) => {
                if holds(&ahead.captured) {
                    term.take(taking, ahead);
                }
            }
            Node::Allow(calls, body) => {
                body.take(taking, ahead);
                wrap(&mut taking.next[mark..], |term| Term::of(Node::Allow(calls.clone(), term)));
                // What need not be is not looked for.
                let allowed = if let Wanted::Call(_) = taking.wanted { calls.as_slice() } else { &[] };
                for allowed in allowed {
                    let mark = taking.next.len();
                    allowed.take(taking, ahead);
                    // Not counted: everything is as before.
                    wrap(&mut taking.next[mark..], |_| self.clone());
                }
            }
            Node::SelfCall(name, expand) => {
                within(name, expand.as_ref(), &ahead.state, |term| term.take(taking, ahead));
            }
        }
    }

    #[inline]
    fn take_leaf(&self, leaf: &dyn Leaf, taking: &mut Taking<'_, S>, ahead: &Ahead<S>) {
        let (ahead, answer, taken) = match &mut taking.wanted {
            Wanted::Call(ledger) => {
                let Some(call) = ledger.heard.last_mut() else { return };
                if !leaf.matches(call, &ahead.captured) {
                    return;
                }
                let mut ahead = ahead.clone();
                let given = leaf.answer(call, &mut ahead.captured);
                (ahead, Some(ledger.number(leaf, given)), &mut ledger.taken)
            }
            Wanted::Any(taken) => (ahead.clone(), None, &mut **taken),
            Wanted::Unseen => return,
        };
        let trail = taken.push(self.clone(), 0, taking.trail);
        taking.next.push(Config { term: none(), ahead, answer, trail, run: 0 });
    }

    /// The ways to be over, with no more calls.
    fn end(&self, ahead: &Ahead<S>, ways: &mut Vec<Ahead<S>>) {
        if self.leaf().is_some() {
            return;
        }
        match self.node() {
            Node::Empty | Node::Repeat(_) => ways.push(ahead.clone()),
            // What happens unseen has happened before.
            Node::Fail(_) | Node::Block(_) | Node::Unblock(_) | Node::Change(_) => {}
            Node::Seq(terms) => end_all(&terms[self.place()..], ahead, ways),
            Node::Then(first, rest) => {
                let mut ends = Vec::new();
                first.end(ahead, &mut ends);
                ends.iter().for_each(|ahead| rest.end(ahead, ways));
            }
            Node::Par(terms) | Node::Permutation(terms) => end_all(terms, ahead, ways),
            Node::Choice(terms) => terms.iter().for_each(|term| term.end(ahead, ways)),
            Node::Tagged(name, terms) => {
                for (tag, term) in terms {
                    let mut ahead = ahead.clone();
                    ahead.captured.set(name, tag.clone());
                    term.end(&ahead, ways);
                }
            }
            Node::Replicate { begun, .. } => end_all(begun, ahead, ways),
            Node::When(holds, term) => {
                if holds(&ahead.captured) {
                    term.end(ahead, ways)
                } else {
                    ways.push(ahead.clone())
                }
            }
            Node::Allow(_, body) => body.end(ahead, ways),
            Node::Assert(holds, _) => {
                if holds(&ahead.captured) {
                    ways.push(ahead.clone());
                }
            }
            Node::SelfCall(name, expand) => {
                within(name, expand.as_ref(), &ahead.state, |term| term.end(ahead, ways));
            }
        }
    }

    /// Whether no more calls need come.
    fn can_end(&self, ahead: &Ahead<S>) -> bool {
        let mut ways = Vec::new();
        self.end(ahead, &mut ways);
        !ways.is_empty()
    }

    /// The calls that may come next, as people read them.
    pub(super) fn next_calls(&self, ahead: &Ahead<S>, calls: &mut Vec<String>) {
        let mut add = |call: String| {
            if !calls.contains(&call) {
                calls.push(call);
            }
        };
        if let Some(leaf) = self.leaf() {
            return add(format!("{leaf:?}"));
        }
        match self.node() {
            Node::Empty | Node::Change(_) | Node::Unblock(_) => {}
            Node::Block(name) => add(format!("somebody to let {name} pass")),
            Node::Fail(message) => add(format!("fail: {message}")),
            Node::Assert(holds, message) => {
                if !holds(&ahead.captured) {
                    add(format!("fail: {message}"));
                }
            }
            Node::Seq(terms) => {
                for term in &terms[self.place()..] {
                    term.next_calls(ahead, calls);
                    if !term.can_end(ahead) {
                        break;
                    }
                }
            }
            Node::Then(first, rest) => {
                first.next_calls(ahead, calls);
                if first.can_end(ahead) {
                    rest.next_calls(ahead, calls);
                }
            }
            Node::Par(terms) | Node::Permutation(terms) | Node::Choice(terms) => {
                terms.iter().for_each(|term| term.next_calls(ahead, calls));
            }
            Node::Tagged(_, terms) => terms.iter().for_each(|(_, term)| term.next_calls(ahead, calls)),
            Node::Repeat(term) => term.next_calls(ahead, calls),
            Node::Replicate { template, begun } => {
                begun.iter().chain([template]).for_each(|term| term.next_calls(ahead, calls));
            }
            Node::When(holds, term) => {
                if holds(&ahead.captured) {
                    term.next_calls(ahead, calls);
                }
            }
            Node::Allow(_, body) => body.next_calls(ahead, calls),
            Node::SelfCall(name, expand) => {
                within(name, expand.as_ref(), &ahead.state, |term| term.next_calls(ahead, calls));
            }
        }
    }
}

/// All of them are over, one after the other.
fn end_all<S: Clone + PartialEq>(terms: &[Term<S>], ahead: &Ahead<S>, ways: &mut Vec<Ahead<S>>) {
    let mut ends = vec![ahead.clone()];
    for term in terms {
        let mut next = Vec::new();
        ends.iter().for_each(|ahead| term.end(ahead, &mut next));
        ends = distinct(next);
    }
    for end in ends {
        if !ways.contains(&end) {
            ways.push(end);
        }
    }
}

/// Without what is there twice.
fn distinct<S: PartialEq>(ends: Vec<Ahead<S>>) -> Vec<Ahead<S>> {
    let mut distinct: Vec<Ahead<S>> = Vec::with_capacity(ends.len().min(4));
    for end in ends {
        if !distinct.contains(&end) {
            distinct.push(end);
        }
    }
    distinct
}

thread_local! {
    /// How many self-calls are being looked into, one inside the other.
    static NESTED: Cell<usize> = const { Cell::new(0) };
    /// How many were looked into since there was none.
    static LOOKED: Cell<usize> = const { Cell::new(0) };
}

/// So many self-calls may be begun, one inside the other.
pub(super) const NESTED_MAX: usize = 100;

/// So many may be looked into for one self-call: it may branch into others.
const LOOKED_MAX: usize = 10_000;

/// Looks into another operation.
fn within<S, T>(
    name: &str,
    expand: &(dyn Fn(&S) -> Term<S> + Send + Sync),
    state: &S,
    look: impl FnOnce(&Term<S>) -> T,
) -> T {
    let depth = NESTED.get();
    LOOKED.set(if depth == 0 { 0 } else { LOOKED.get() + 1 });
    if depth >= NESTED_MAX || LOOKED.get() >= LOOKED_MAX {
        return look(&super::fail(format!("{name} goes on calling itself before it calls anything else")));
    }
    NESTED.set(depth + 1);
    let looked = catch_unwind(AssertUnwindSafe(|| look(&expand(state))));
    NESTED.set(depth);
    looked.unwrap_or_else(|panic| resume_unwind(panic))
}

impl<S: Clone + PartialEq + Debug> Theory for Residuals<S> {
    type Config = Config<S>;
    type Event = Event;
    type Step = ();
    type Why = ();
    const POSTPONES: bool = false;
    const UNSEEN: bool = false;

    fn steps(&self, _: &Config<S>, _: &Event, _: &mut Vec<((), Config<S>)>) {}

    #[inline]
    fn advance(&self, config: &mut Config<S>, event: &Event) -> bool {
        match event {
            Event::Call => config.take_only(&mut self.ledger.borrow_mut()),
            Event::End => config.term.is_empty(),
        }
    }

    fn after(
        &self,
        mut config: Config<S>,
        event: &Event,
        next: &mut Vec<Config<S>>,
    ) -> Result<(), ((), Config<S>)> {
        let before = next.len();
        let ledger = &mut *self.ledger.borrow_mut();
        config.write_down(ledger);
        let mut called = match event {
            Event::Call => Some(ledger),
            Event::End => None,
        };
        if self.waits {
            match config.and_unseen() {
                Some(all) => all.iter().for_each(|config| config.see(called.as_deref_mut(), next)),
                None => self.too_many.set(true),
            }
        } else {
            config.see(called, next);
        }
        if next.len() == before { Err(((), config)) } else { Ok(()) }
    }
}
