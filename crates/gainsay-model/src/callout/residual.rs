//! What is left of a term after a call: one derivation for each way to take it.

use super::captured::Captured;
use super::leaf::{Answer, Called, Leaf};
use super::term::{Node, Term, none};
use crate::explain::Theory;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

/// The theory of terms: nothing happens unseen, and what is seen are calls and the end.
#[derive(Debug)]
pub(super) struct Residuals<S>(pub(super) PhantomData<fn(S)>);

/// What is left, what was captured, and the state of the model.
#[derive(Clone)]
pub(super) struct Config<S> {
    pub(super) term: Term<S>,
    pub(super) ahead: Ahead<S>,
    /// What the last call was answered.
    pub(super) answer: Option<Arc<Given>>,
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
}

/// What a call is answered, until whoever made it takes it; or why there is no answer.
pub(super) struct Given {
    pub(super) answer: Mutex<Option<Result<Answer, String>>>,
    show: fn(&Answer) -> String,
}

impl Given {
    /// The answer as it is compared, and people read it.
    pub(super) fn shown(&self) -> String {
        match &*self.answer.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(Ok(answer)) => (self.show)(answer),
            Some(Err(trouble)) => trouble.clone(),
            None => String::new(),
        }
    }
}

/// An expected call that was taken.
pub(super) struct Trail<S> {
    pub(super) taken: Term<S>,
    pub(super) before: Option<Arc<Trail<S>>>,
}

impl<S: PartialEq> PartialEq for Config<S> {
    fn eq(&self, other: &Config<S>) -> bool {
        let answer = |config: &Config<S>| config.answer.as_ref().map(|given| given.shown());
        self.term == other.term && self.ahead == other.ahead && answer(self) == answer(other)
    }
}

impl<S: PartialEq> Eq for Config<S> {}

impl<S> Hash for Config<S> {
    /// There are few configurations: they are told apart by comparing them.
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<S: Clone + PartialEq> Config<S> {
    /// Whether no more calls need come.
    pub(super) fn can_end(&self) -> bool {
        self.term.can_end(&self.ahead)
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

#[derive(Clone)]
pub(super) enum Event {
    Call(Arc<Mutex<Called>>),
    End,
}

impl Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Event::Call(_) => "a call",
            Event::End => "the end",
        })
    }
}

/// One way to take a call.
struct Taken<S> {
    term: Term<S>,
    ahead: Ahead<S>,
    /// The expected call.
    by: Term<S>,
    answer: Result<Answer, String>,
    show: fn(&Answer) -> String,
}

impl<S> Taken<S> {
    fn wrapped(self, wrap: impl FnOnce(Term<S>) -> Term<S>) -> Taken<S> {
        Taken { term: wrap(self.term), ..self }
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
    /// The ways to take a call.
    fn take(&self, call: &mut Called, ahead: &Ahead<S>, ways: &mut Vec<Taken<S>>) {
        let mut inner = Vec::new();
        match self.node() {
            Node::Empty | Node::Fail(_) | Node::Assert(..) | Node::Change(_) => {}
            Node::Call(leaf) => self.take_leaf(leaf, call, ahead, ways),
            Node::Seq(terms, from) => {
                // As long as nothing can be skipped, only the first counts.
                terms[*from].take(call, ahead, &mut inner);
                ways.extend(inner.drain(..).map(|taken| taken.wrapped(|term| term.before(terms, from + 1))));
                let mut ends = Vec::new();
                terms[*from].end(ahead, &mut ends);
                for (place, term) in terms.iter().enumerate().skip(from + 1) {
                    if ends.is_empty() {
                        break;
                    }
                    for ahead in &ends {
                        term.take(call, ahead, &mut inner);
                    }
                    ways.extend(
                        inner.drain(..).map(|taken| taken.wrapped(|term| term.before(terms, place + 1))),
                    );
                    let mut next = Vec::new();
                    ends.iter().for_each(|ahead| term.end(ahead, &mut next));
                    ends = next;
                }
            }
            Node::Then(first, rest) => {
                first.take(call, ahead, &mut inner);
                ways.extend(
                    inner.drain(..).map(|taken| taken.wrapped(|term| term.followed_by(rest.clone()))),
                );
                let mut ends = Vec::new();
                first.end(ahead, &mut ends);
                ends.iter().for_each(|ahead| rest.take(call, ahead, ways));
            }
            Node::Par(terms) => {
                for (place, term) in terms.iter().enumerate() {
                    term.take(call, ahead, &mut inner);
                    ways.extend(
                        inner
                            .drain(..)
                            .map(|taken| taken.wrapped(|term| super::par(replaced(terms, place, term)))),
                    );
                }
            }
            Node::Permutation(terms) => {
                for (place, term) in terms.iter().enumerate() {
                    term.take(call, ahead, &mut inner);
                    ways.extend(inner.drain(..).map(|taken| {
                        taken.wrapped(|term| term.followed_by(super::permutation(without(terms, place))))
                    }));
                }
            }
            Node::Choice(terms) => terms.iter().for_each(|term| term.take(call, ahead, ways)),
            Node::Tagged(name, terms) => {
                for (tag, term) in terms {
                    let mut ahead = ahead.clone();
                    ahead.captured.set(name, tag.clone());
                    term.take(call, &ahead, ways);
                }
            }
            Node::Repeat(term) => {
                term.take(call, ahead, &mut inner);
                ways.extend(
                    inner.drain(..).map(|taken| taken.wrapped(|term| term.followed_by(self.clone()))),
                );
            }
            Node::Replicate { template, begun } => {
                let with =
                    |begun: Vec<Term<S>>| Term::of(Node::Replicate { template: template.clone(), begun });
                for (place, term) in begun.iter().enumerate() {
                    if begun[..place].contains(term) {
                        continue;
                    }
                    term.take(call, ahead, &mut inner);
                    ways.extend(
                        inner.drain(..).map(|taken| taken.wrapped(|term| with(replaced(begun, place, term)))),
                    );
                }
                template.take(call, ahead, &mut inner);
                ways.extend(
                    inner.drain(..).map(|taken| {
                        taken.wrapped(|term| with(begun.iter().cloned().chain([term]).collect()))
                    }),
                );
            }
            Node::When(holds, term) => {
                if holds(&ahead.captured) {
                    term.take(call, ahead, ways);
                }
            }
            Node::Allow(calls, body) => {
                body.take(call, ahead, &mut inner);
                ways.extend(
                    inner
                        .drain(..)
                        .map(|taken| taken.wrapped(|term| Term::of(Node::Allow(calls.clone(), term)))),
                );
                for allowed in calls {
                    allowed.take(call, ahead, &mut inner);
                    // Not counted: everything is as before.
                    ways.extend(inner.drain(..).map(|taken| taken.wrapped(|_| self.clone())));
                }
            }
            Node::SelfCall(_, expand) => expand(&ahead.state).take(call, ahead, ways),
        }
    }

    #[inline]
    fn take_leaf(&self, leaf: &Leaf, call: &mut Called, ahead: &Ahead<S>, ways: &mut Vec<Taken<S>>) {
        if leaf.matches(call, &ahead.captured) {
            let mut ahead = ahead.clone();
            let answer = leaf.answer(call, &mut ahead.captured);
            ways.push(Taken { term: none(), ahead, by: self.clone(), answer, show: leaf.show_answer() });
        }
    }

    /// The ways to be over, with no more calls.
    fn end(&self, ahead: &Ahead<S>, ways: &mut Vec<Ahead<S>>) {
        match self.node() {
            Node::Empty | Node::Repeat(_) => ways.push(ahead.clone()),
            Node::Call(_) | Node::Fail(_) => {}
            Node::Seq(terms, from) => end_all(&terms[*from..], ahead, ways),
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
            Node::SelfCall(_, expand) => expand(&ahead.state).end(ahead, ways),
            Node::Change(change) => {
                let mut ahead = ahead.clone();
                change(Arc::make_mut(&mut ahead.state));
                ahead.changed = true;
                ways.push(ahead);
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
        match self.node() {
            Node::Empty | Node::Change(_) => {}
            Node::Call(leaf) => add(format!("{leaf:?}")),
            Node::Fail(message) => add(format!("fail: {message}")),
            Node::Assert(holds, message) => {
                if !holds(&ahead.captured) {
                    add(format!("fail: {message}"));
                }
            }
            Node::Seq(terms, from) => {
                for term in &terms[*from..] {
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
            Node::SelfCall(_, expand) => expand(&ahead.state).next_calls(ahead, calls),
        }
    }

    /// The changes of the state that the first way through a term makes.
    pub(crate) fn simulate(&self, state: &mut S) {
        match self.node() {
            Node::Seq(terms, from) => terms[*from..].iter().for_each(|term| term.simulate(state)),
            Node::Then(first, rest) => {
                first.simulate(state);
                rest.simulate(state);
            }
            Node::Par(terms) | Node::Permutation(terms) => {
                terms.iter().for_each(|term| term.simulate(state));
            }
            Node::Choice(terms) => terms.iter().take(1).for_each(|term| term.simulate(state)),
            Node::Tagged(_, terms) => terms.iter().take(1).for_each(|(_, term)| term.simulate(state)),
            Node::Allow(_, body) => body.simulate(state),
            Node::When(holds, term) => {
                if holds(&Captured::default()) {
                    term.simulate(state);
                }
            }
            Node::SelfCall(_, expand) => expand(state).simulate(state),
            Node::Change(change) => change(state),
            Node::Empty
            | Node::Call(_)
            | Node::Repeat(_)
            | Node::Replicate { .. }
            | Node::Fail(_)
            | Node::Assert(..) => {}
        }
    }
}

/// All of them are over, one after the other.
fn end_all<S: Clone + PartialEq>(terms: &[Term<S>], ahead: &Ahead<S>, ways: &mut Vec<Ahead<S>>) {
    let mut ends = vec![ahead.clone()];
    for term in terms {
        let mut next = Vec::new();
        ends.iter().for_each(|ahead| term.end(ahead, &mut next));
        ends = next;
    }
    for end in ends {
        if !ways.contains(&end) {
            ways.push(end);
        }
    }
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
        match event {
            Event::Call(call) => {
                let mut call = call.lock().unwrap_or_else(PoisonError::into_inner);
                let mut ways = Vec::new();
                config.term.take(&mut call, &config.ahead, &mut ways);
                for Taken { term, ahead, by, answer, show } in ways {
                    let answer = Some(Arc::new(Given { answer: Mutex::new(Some(answer)), show }));
                    let trail = Some(Arc::new(Trail { taken: by, before: config.trail.clone() }));
                    next.push(Config { term, ahead, answer, trail });
                }
            }
            Event::End => {
                let mut ways = Vec::new();
                config.term.end(&config.ahead, &mut ways);
                let trail = &config.trail;
                next.extend(ways.into_iter().map(|ahead| Config {
                    term: none(),
                    ahead,
                    answer: None,
                    trail: trail.clone(),
                }));
            }
        }
        if next.is_empty() { Err(((), config)) } else { Ok(()) }
    }
}
