//! What is left of a term after a call: one derivation for each way to take it.

use super::called::{Called, Given, Told};
use super::captured::Captured;
use super::leaf::Leaf;
use super::term::{Node, Term, none};
use crate::explain::Theory;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The theory of terms: what is seen are calls and the end. Between them, what was blocked may pass unseen.
#[derive(Debug)]
pub(super) struct Residuals<S> {
    /// Something may be blocked.
    waits: bool,
    /// Too much could have happened unseen: nothing is known any more.
    too_many: Cell<bool>,
    /// The calls so far; the last one is judged.
    heard: RefCell<Vec<Called>>,
    of: PhantomData<fn(S)>,
}

impl<S> Residuals<S> {
    /// The theory of a term.
    pub(super) fn of(term: &Term<S>) -> Residuals<S> {
        Residuals {
            waits: term.waits(),
            too_many: Cell::new(false),
            heard: RefCell::new(Vec::with_capacity(8)),
            of: PhantomData,
        }
    }

    /// The calls so far, to which the next one is added before it is judged.
    pub(super) fn heard(&self) -> &RefCell<Vec<Called>> {
        &self.heard
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
    /// The last call has its answer in the trail.
    answered: bool,
    /// The expected calls that were taken so far, the last one first.
    pub(super) trail: Option<Arc<Trail<S>>>,
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

/// An expected call that was taken.
pub(super) struct Trail<S> {
    pub(super) taken: Term<S>,
    pub(super) before: Option<Arc<Trail<S>>>,
    /// What it is answered, until whoever made it takes it; or why there is no answer.
    answer: Mutex<Option<Result<Given, String>>>,
}

impl<S> Drop for Trail<S> {
    /// One after the other: a trail may be longer than the stack is deep.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut trail) = before.and_then(Arc::into_inner) {
            before = trail.before.take();
        }
    }
}

impl<S> Trail<S> {
    fn given(&self) -> MutexGuard<'_, Option<Result<Given, String>>> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it should be answered, as people read it.
    pub(super) fn shown(&self) -> String {
        match &*self.given() {
            Some(Ok(given)) => {
                self.taken.leaf().map_or_else(String::new, |leaf| (leaf.show_answer())(&given.answer))
            }
            Some(Err(trouble)) => trouble.clone(),
            None => String::new(),
        }
    }

    /// Takes what it is answered.
    pub(super) fn take(&self) -> Option<Result<Told, String>> {
        let (leaf, given) = (self.taken.leaf()?, self.given().take()?);
        Some(given.map(|Given { answer, instead }| Told {
            answer,
            instead,
            equality: leaf.equality(),
            show: leaf.show_answer(),
        }))
    }

    /// Whether two calls should be answered the same.
    pub(super) fn agrees(&self, other: &Trail<S>) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        match (&*self.given(), &*other.given()) {
            (Some(Ok(one)), Some(Ok(other))) => {
                self.taken.leaf().is_some_and(|leaf| leaf.equality().holds(&one.answer, &other.answer))
            }
            (Some(Err(one)), Some(Err(other))) => one == other,
            (None, None) => true,
            _ => false,
        }
    }
}

impl<S: PartialEq> PartialEq for Config<S> {
    fn eq(&self, other: &Config<S>) -> bool {
        self.term == other.term
            && self.ahead == other.ahead
            && match (self.answer(), other.answer()) {
                (Some(one), Some(other)) => one.agrees(other),
                (one, other) => one.is_none() && other.is_none(),
            }
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
        Config { term, ahead, answered: false, trail: None }
    }

    /// What the last call is answered.
    pub(super) fn answer(&self) -> Option<&Trail<S>> {
        self.trail.as_deref().filter(|_| self.answered)
    }
}

impl<S: Clone + PartialEq> Config<S> {
    /// Whether no more calls need come.
    pub(super) fn can_end(&self) -> bool {
        self.term.can_end(&self.ahead)
    }

    /// Adds what it may become after a call, or at the end.
    #[inline]
    fn see(&self, call: Option<&mut Called>, next: &mut Vec<Config<S>>) {
        match call {
            Some(call) => {
                let mut taking = Taking { wanted: Wanted::Call(call), trail: &self.trail, next };
                self.term.take(&mut taking, &self.ahead);
            }
            None => next.extend(self.ends().into_iter().map(|ahead| Config {
                term: none(),
                ahead,
                answered: false,
                trail: self.trail.clone(),
            })),
        }
    }

    /// One configuration for each call that could be made; its last expected call is that one.
    pub(super) fn heads(&self) -> Vec<Config<S>> {
        self.taken(Wanted::Any)
    }

    fn taken(&self, wanted: Wanted<'_>) -> Vec<Config<S>> {
        let mut next = Vec::new();
        self.term.take(&mut Taking { wanted, trail: &self.trail, next: &mut next }, &self.ahead);
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

    /// The expected call that was taken last.
    pub(super) fn last(&self) -> Option<&dyn Leaf> {
        self.trail.as_ref()?.taken.leaf()
    }

    /// The last expected calls of the first `count` that were taken, in order, at most so many.
    pub(super) fn taken_last(&self, count: usize, most: usize) -> Vec<String> {
        let trail = std::iter::successors(self.trail.as_deref(), |trail| trail.before.as_deref());
        let all: Vec<&Trail<S>> = trail.collect();
        // The call that is judged may be among them.
        let first = all.len().saturating_sub(count);
        let mut last: Vec<String> =
            all[first..].iter().take(most).map(|trail| trail.taken.to_string()).collect();
        last.reverse();
        last
    }

    /// The expected call that was taken last.
    pub(super) fn last_taken(&self) -> String {
        self.trail.as_ref().map(|trail| trail.taken.to_string()).unwrap_or_default()
    }

    /// The expected calls that were taken, in order.
    pub(super) fn derivation(&self) -> String {
        let mut taken = Vec::new();
        let mut at = self.trail.as_ref();
        while let Some(trail) = at {
            taken.push(trail.taken.to_string());
            at = trail.before.as_ref();
        }
        taken.reverse();
        if taken.is_empty() { "no calls".into() } else { taken.join(", ") }
    }
}

impl<S: Debug> Debug for Config<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in state {:?}", self.term, self.ahead.state)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Event {
    /// The call that the theory was [told](Residuals::heard) of.
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
enum Wanted<'a> {
    /// The call that was made.
    Call(&'a mut Called),
    /// Any call that could be made.
    Any,
    /// What passes unseen.
    Unseen,
}

/// What a term is taken with.
struct Taking<'a, S> {
    wanted: Wanted<'a>,
    /// The expected calls that were taken before.
    trail: &'a Option<Arc<Trail<S>>>,
    next: &'a mut Vec<Config<S>>,
}

impl<S> Taking<'_, S> {
    /// Something blocked or unblocked is passed, if that is what is wanted and possible.
    fn pass(&mut self, ahead: Option<Ahead<S>>) {
        if let (Wanted::Unseen, Some(ahead)) = (&self.wanted, ahead) {
            self.next.push(Config { term: none(), ahead, answered: false, trail: self.trail.clone() });
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
        let matching = match &taking.wanted {
            Wanted::Call(call) => leaf.matches(call, &ahead.captured),
            Wanted::Any => true,
            Wanted::Unseen => false,
        };
        if matching {
            let mut ahead = ahead.clone();
            let answer = match &mut taking.wanted {
                Wanted::Call(call) => Some(leaf.answer(call, &mut ahead.captured)),
                Wanted::Any | Wanted::Unseen => None,
            };
            let answer = Mutex::new(answer);
            let (taken, before) = (self.clone(), taking.trail.clone());
            let last = Arc::new(Trail { taken, before, answer });
            taking.next.push(Config { term: none(), ahead, answered: true, trail: Some(last) });
        }
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

    fn after(
        &self,
        config: Config<S>,
        event: &Event,
        next: &mut Vec<Config<S>>,
    ) -> Result<(), ((), Config<S>)> {
        let before = next.len();
        let mut heard = self.heard.borrow_mut();
        let mut call = match event {
            Event::Call => heard.last_mut(),
            Event::End => None,
        };
        if self.waits {
            match config.and_unseen() {
                Some(all) => all.iter().for_each(|config| config.see(call.as_deref_mut(), next)),
                None => self.too_many.set(true),
            }
        } else {
            config.see(call, next);
        }
        if next.len() == before { Err(((), config)) } else { Ok(()) }
    }
}
