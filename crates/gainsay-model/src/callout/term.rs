//! Terms: what calls are expected, in which order.

use super::captured::Captured;
use super::leaf::Leaf;
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The calls that an operation of a model with state `S` is expected to make.
///
/// Made of [`call`](super::call), [`seq`], [`par`], [`permutation`], [`choice`], [`tagged`], [`optional`], [`repeat`], [`replicate`],
/// [`when`], [`allow`], [`block`], [`unblock`], [`fail`], [`assert()`] and [`none`].
pub struct Term<S> {
    part: Part<S>,
    /// Of a sequence, what comes from this place on: so what is left of one needs no memory.
    from: u32,
}

enum Part<S> {
    /// No call.
    Nothing,
    Call(Arc<dyn Leaf>),
    Node(Arc<Node<S>>),
}

/// Several calls, or none.
pub(super) enum Node<S> {
    Empty,
    Seq(Vec<Term<S>>),
    /// What is left of a term, and then what comes after it.
    Then(Term<S>, Term<S>),
    Par(Vec<Term<S>>),
    Permutation(Vec<Term<S>>),
    Choice(Vec<Term<S>>),
    Tagged(&'static str, Vec<(String, Term<S>)>),
    Repeat(Term<S>),
    Replicate {
        template: Term<S>,
        /// What is left of the copies that have begun; their order does not matter.
        begun: Vec<Term<S>>,
    },
    When(Arc<dyn Fn(&Captured) -> bool + Send + Sync>, Term<S>),
    Allow(Vec<Term<S>>, Term<S>),
    Fail(String),
    Assert(Arc<dyn Fn(&Captured) -> bool + Send + Sync>, String),
    /// Another operation of the model: its name, and what it is in a state.
    SelfCall(String, Arc<dyn Fn(&S) -> Term<S> + Send + Sync>),
    /// What follows waits until somebody unblocks it by this name.
    Block(&'static str),
    Unblock(&'static str),
    /// The state changes.
    Change(Arc<dyn Fn(&mut S) + Send + Sync>),
}

impl<S> Term<S> {
    pub(super) fn of(node: Node<S>) -> Term<S> {
        Term { part: Part::Node(Arc::new(node)), from: 0 }
    }

    /// One call.
    pub(super) fn of_call(leaf: Arc<dyn Leaf>) -> Term<S> {
        Term { part: Part::Call(leaf), from: 0 }
    }

    /// The call, if it is one.
    #[inline]
    pub(super) fn leaf(&self) -> Option<&dyn Leaf> {
        match &self.part {
            Part::Call(leaf) => Some(leaf.as_ref()),
            Part::Nothing | Part::Node(_) => None,
        }
    }

    /// What it is, if it is not one call.
    #[inline]
    pub(super) fn node(&self) -> &Node<S> {
        match &self.part {
            Part::Node(node) => node,
            Part::Nothing | Part::Call(_) => &Node::Empty,
        }
    }

    /// Of a sequence, the place it begins at.
    pub(super) fn place(&self) -> usize {
        self.from as usize
    }

    /// The call that must come first, if it is one, or a sequence that begins with one.
    #[inline]
    pub(super) fn only_call(&self) -> Option<&dyn Leaf> {
        match &self.part {
            Part::Call(leaf) => Some(leaf.as_ref()),
            Part::Node(node) => match &**node {
                Node::Seq(terms) => terms.get(self.place())?.leaf(),
                _ => None,
            },
            Part::Nothing => None,
        }
    }

    /// Skips the [call](Term::only_call) that must come first. If there are not two terms left, the skipped ones are to be [taken
    /// away](Term::without_skipped).
    #[inline]
    pub(super) fn skip_only(&mut self) -> bool {
        let Node::Seq(terms) = self.node() else { return false };
        let is_long = self.place() + 2 < terms.len();
        self.from += 1;
        is_long
    }

    /// What is left if everything that is skipped is taken away: one term at most.
    pub(super) fn without_skipped(&self) -> Term<S> {
        match self.node() {
            Node::Seq(terms) => terms.get(self.place()).cloned().unwrap_or_else(none),
            _ => none(),
        }
    }

    /// The last so many terms that were skipped of a sequence.
    #[inline]
    pub(super) fn skipped(&self, count: u32) -> &[Term<S>] {
        match self.node() {
            Node::Seq(terms) if count > 0 => &terms[(self.from - count) as usize..self.place()],
            _ => &[],
        }
    }

    /// This, and then what is left of a sequence from a place on.
    pub(super) fn before(self, sequence: &Term<S>, from: usize) -> Term<S> {
        let Node::Seq(terms) = sequence.node() else { return self };
        let rest = match terms.len() - from {
            0 => return self,
            1 => terms[from].clone(),
            _ => Term { part: sequence.part.clone(), from: from as u32 },
        };
        self.followed_by(rest)
    }

    /// This, and then a rest.
    pub(super) fn followed_by(self, rest: Term<S>) -> Term<S> {
        match (self.is_empty(), rest.is_empty()) {
            (true, _) => rest,
            (_, true) => self,
            _ => Term::of(Node::Then(self, rest)),
        }
    }

    /// This, then something else.
    pub fn then(mut self, next: impl Into<Term<S>>) -> Term<S> {
        let next = next.into();
        // A sequence that nobody else has only becomes longer.
        if let (0, Part::Node(node)) = (self.from, &mut self.part)
            && let Some(Node::Seq(terms)) = Arc::get_mut(node)
        {
            terms.extend(Some(next).filter(|next| !next.is_empty()));
            return self;
        }
        seq([self, next])
    }

    /// This or something else.
    pub fn or(self, other: impl Into<Term<S>>) -> Term<S> {
        choice([self, other.into()])
    }

    /// This and something else, their calls in any order between each other.
    pub fn and(self, other: impl Into<Term<S>>) -> Term<S> {
        par([self, other.into()])
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self.part, Part::Nothing)
    }

    /// How many terms are begun, one inside the other: self-calls are, until they are over.
    pub(super) fn nesting(&self) -> usize {
        let (mut nesting, mut term) = (0, self);
        while let Node::Then(first, _) = term.node() {
            (nesting, term) = (nesting + 1, first);
        }
        nesting
    }

    /// Looks at each call in it; not at those of other operations.
    pub(super) fn each_leaf(&self, look: &mut dyn FnMut(&dyn Leaf)) {
        if let Some(leaf) = self.leaf() {
            return look(leaf);
        }
        match self.node() {
            Node::Seq(terms) | Node::Par(terms) | Node::Permutation(terms) | Node::Choice(terms) => {
                terms.iter().for_each(|term| term.each_leaf(look));
            }
            Node::Tagged(_, terms) => terms.iter().for_each(|(_, term)| term.each_leaf(look)),
            Node::Then(first, rest) => [first, rest].into_iter().for_each(|term| term.each_leaf(look)),
            Node::Repeat(term) | Node::When(_, term) | Node::Replicate { template: term, .. } => {
                term.each_leaf(look)
            }
            Node::Allow(calls, term) => calls.iter().chain([term]).for_each(|term| term.each_leaf(look)),
            Node::Empty
            | Node::Fail(_)
            | Node::Assert(..)
            | Node::SelfCall(..)
            | Node::Change(_)
            | Node::Block(_)
            | Node::Unblock(_) => {}
        }
    }

    /// Each call in it, by itself.
    fn apart(&self, calls: &mut Vec<Term<S>>) {
        if self.leaf().is_some() {
            return calls.push(self.clone());
        }
        match self.node() {
            Node::Seq(terms) | Node::Par(terms) | Node::Permutation(terms) | Node::Choice(terms) => {
                terms.iter().for_each(|term| term.apart(calls));
            }
            Node::Tagged(_, terms) => terms.iter().for_each(|(_, term)| term.apart(calls)),
            Node::Then(first, rest) => [first, rest].into_iter().for_each(|term| term.apart(calls)),
            Node::Repeat(term) | Node::Replicate { template: term, .. } => term.apart(calls),
            Node::Allow(others, term) => others.iter().chain([term]).for_each(|term| term.apart(calls)),
            Node::When(holds, term) => {
                let mark = calls.len();
                term.apart(calls);
                for call in &mut calls[mark..] {
                    *call = Term::of(Node::When(Arc::clone(holds), call.clone()));
                }
            }
            _ => calls.push(self.clone()),
        }
    }

    /// Whether an answer in it is drawn.
    pub(crate) fn draws(&self) -> bool {
        match self.node() {
            Node::Empty => self.leaf().is_some_and(Leaf::is_drawn),
            Node::Seq(terms) => terms[self.place()..].iter().any(Term::draws),
            Node::Then(first, rest) => first.draws() || rest.draws(),
            Node::Par(terms) | Node::Permutation(terms) | Node::Choice(terms) => {
                terms.iter().any(Term::draws)
            }
            Node::Tagged(_, terms) => terms.iter().any(|(_, term)| term.draws()),
            Node::Repeat(term) | Node::When(_, term) => term.draws(),
            Node::Replicate { template, .. } => template.draws(),
            Node::Allow(calls, term) => term.draws() || calls.iter().any(Term::draws),
            // What another operation is, is known when it is its turn.
            Node::SelfCall(..) => true,
            Node::Fail(_) | Node::Assert(..) | Node::Change(_) | Node::Block(_) | Node::Unblock(_) => false,
        }
    }

    /// Whether something in it happens unseen: somebody waits or need not wait any longer, or the state changes.
    pub(super) fn waits(&self) -> bool {
        match self.node() {
            Node::Block(_) | Node::Unblock(_) | Node::Change(_) => true,
            Node::Seq(terms) => terms[self.place()..].iter().any(Term::waits),
            Node::Then(first, rest) => first.waits() || rest.waits(),
            Node::Par(terms) | Node::Permutation(terms) | Node::Choice(terms) => {
                terms.iter().any(Term::waits)
            }
            Node::Tagged(_, terms) => terms.iter().any(|(_, term)| term.waits()),
            Node::Repeat(term) | Node::When(_, term) | Node::Allow(_, term) => term.waits(),
            Node::Replicate { template, begun } => template.waits() || begun.iter().any(Term::waits),
            // What another operation is, is known when it is its turn.
            Node::SelfCall(..) => true,
            Node::Empty | Node::Fail(_) | Node::Assert(..) => false,
        }
    }
}

impl<S> Clone for Part<S> {
    fn clone(&self) -> Self {
        match self {
            Part::Nothing => Part::Nothing,
            Part::Call(leaf) => Part::Call(Arc::clone(leaf)),
            Part::Node(node) => Part::Node(Arc::clone(node)),
        }
    }
}

impl<S> Clone for Term<S> {
    fn clone(&self) -> Self {
        Term { part: self.part.clone(), from: self.from }
    }
}

/// Terms are equal if they are made of the very same calls.
impl<S> PartialEq for Term<S> {
    fn eq(&self, other: &Term<S>) -> bool {
        match (&self.part, &other.part) {
            (Part::Nothing, Part::Nothing) => return true,
            (Part::Call(a), Part::Call(b)) => return std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            (Part::Node(a), Part::Node(b)) if Arc::ptr_eq(a, b) => return self.from == other.from,
            _ => {}
        }
        match (self.node(), other.node()) {
            (Node::Then(a, rest), Node::Then(b, other)) => a == b && rest == other,
            (Node::Par(a), Node::Par(b)) | (Node::Permutation(a), Node::Permutation(b)) => a == b,
            (
                Node::Replicate { template: a, begun: some },
                Node::Replicate { template: b, begun: others },
            ) => a == b && same_bag(some, others),
            (Node::Allow(a, body), Node::Allow(b, other)) => a == b && body == other,
            _ => false,
        }
    }
}

/// Terms that are equal hash alike; bags are told apart by comparing them.
impl<S> Hash for Term<S> {
    fn hash<H: Hasher>(&self, to: &mut H) {
        std::mem::discriminant(self.node()).hash(to);
        match self.node() {
            Node::Then(first, rest) => (first, rest).hash(to),
            Node::Par(terms) | Node::Permutation(terms) => terms.hash(to),
            Node::Replicate { template, begun } => (template, begun.len()).hash(to),
            Node::Allow(calls, body) => (calls, body).hash(to),
            _ => match &self.part {
                Part::Nothing => {}
                Part::Call(leaf) => Arc::as_ptr(leaf).cast::<()>().hash(to),
                Part::Node(node) => (Arc::as_ptr(node), self.from).hash(to),
            },
        }
    }
}

fn same_bag<S>(some: &[Term<S>], others: &[Term<S>]) -> bool {
    let mut left: Vec<&Term<S>> = others.iter().collect();
    some.len() == others.len()
        && some.iter().all(|term| match left.iter().position(|other| *other == term) {
            Some(place) => {
                left.swap_remove(place);
                true
            }
            None => false,
        })
}

/// No call at all.
pub fn none<S>() -> Term<S> {
    Term { part: Part::Nothing, from: 0 }
}

/// All of several terms: what makes no calls is left out.
fn of_all<S>(all: impl IntoIterator<Item = Term<S>>, make: fn(Vec<Term<S>>) -> Node<S>) -> Term<S> {
    let terms = all.into_iter();
    let (fewest, most) = terms.size_hint();
    let mut all = Vec::with_capacity(most.unwrap_or(fewest.max(16)).min(1024));
    all.extend(terms.filter(|term| !term.is_empty()));
    match all.len() {
        0 => none(),
        1 => all.swap_remove(0),
        _ => Term::of(make(all)),
    }
}

/// One after the other.
pub fn seq<S>(all: impl IntoIterator<Item = Term<S>>) -> Term<S> {
    of_all(all, Node::Seq)
}

/// All, their calls in any order between each other.
pub fn par<S>(all: impl IntoIterator<Item = Term<S>>) -> Term<S> {
    of_all(all, Node::Par)
}

/// All, one after the other, in any order.
pub fn permutation<S>(all: impl IntoIterator<Item = Term<S>>) -> Term<S> {
    of_all(all, Node::Permutation)
}

/// One of several.
///
/// # Panics
/// If there is none to choose: then [`fail`] says why nothing is right.
#[track_caller]
pub fn choice<S>(alternatives: impl IntoIterator<Item = Term<S>>) -> Term<S> {
    let alternatives: Vec<Term<S>> = alternatives.into_iter().collect();
    assert!(!alternatives.is_empty(), "{NOTHING_TO_CHOOSE}");
    Term::of(Node::Choice(alternatives))
}

const NOTHING_TO_CHOOSE: &str =
    "a choice of nothing allows nothing, not even to end: use `none` for no calls, `fail` for never";

/// One of several, each with a tag; the tag of the one that was taken is captured under `name`.
///
/// # Panics
/// If there is none.
#[track_caller]
pub fn tagged<S>(
    name: &'static str,
    alternatives: impl IntoIterator<Item = (&'static str, Term<S>)>,
) -> Term<S> {
    let alternatives = alternatives.into_iter().map(|(tag, term)| (tag.to_string(), term));
    let alternatives: Vec<(String, Term<S>)> = alternatives.collect();
    assert!(!alternatives.is_empty(), "{NOTHING_TO_CHOOSE}");
    Term::of(Node::Tagged(name, alternatives))
}

/// This, or nothing.
pub fn optional<S>(term: impl Into<Term<S>>) -> Term<S> {
    choice([none(), term.into()])
}

/// This any number of times, one after the other.
pub fn repeat<S>(term: impl Into<Term<S>>) -> Term<S> {
    Term::of(Node::Repeat(term.into()))
}

/// This any number of times, their calls in any order between each other.
pub fn replicate<S>(term: impl Into<Term<S>>) -> Term<S> {
    Term::of(Node::Replicate { template: term.into(), begun: Vec::new() })
}

/// This, if something holds for what was captured when it is its turn; otherwise nothing.
pub fn when<S>(
    holds: impl Fn(&Captured) -> bool + Send + Sync + 'static,
    term: impl Into<Term<S>>,
) -> Term<S> {
    Term::of(Node::When(Arc::new(holds), term.into()))
}

/// This; and meanwhile some calls may be made at any time, any number of times. In which terms they stand together does not matter.
pub fn allow<S>(calls: impl IntoIterator<Item = Term<S>>, term: impl Into<Term<S>>) -> Term<S> {
    let mut apart = Vec::new();
    calls.into_iter().for_each(|calls| calls.apart(&mut apart));
    Term::of(Node::Allow(apart, term.into()))
}

/// Nothing; but what comes after it waits until something else in the same term [unblocks](unblock) it by this name. Each `unblock` lets
/// one `block` pass, be it before or after.
pub fn block<S>(name: &'static str) -> Term<S> {
    Term::of(Node::Block(name))
}

/// Nothing; but one [`block`] of this name may pass.
pub fn unblock<S>(name: &'static str) -> Term<S> {
    Term::of(Node::Unblock(name))
}

/// What must never come to its turn.
pub fn fail<S>(message: impl Into<String>) -> Term<S> {
    Term::of(Node::Fail(message.into()))
}

/// Nothing, if something holds for what was captured; otherwise like [`fail`].
pub fn assert<S>(
    holds: impl Fn(&Captured) -> bool + Send + Sync + 'static,
    message: impl Into<String>,
) -> Term<S> {
    Term::of(Node::Assert(Arc::new(holds), message.into()))
}

/// Another operation of the model: the calls it makes in a state, and how it changes that.
pub fn self_call<S: 'static, C: Into<Term<S>>>(
    name: &str,
    calls: impl Fn(&S) -> C + Send + Sync + 'static,
    change: impl Fn(&mut S) + Send + Sync + 'static,
) -> Term<S> {
    let change = Term::of(Node::Change(Arc::new(change)));
    let expand = move |state: &S| calls(state).into().then(change.clone());
    Term::of(Node::SelfCall(name.into(), Arc::new(expand)))
}

fn list<S>(f: &mut fmt::Formatter<'_>, terms: &[Term<S>], between: &str) -> fmt::Result {
    for (place, term) in terms.iter().enumerate() {
        if place > 0 {
            f.write_str(between)?;
        }
        let inner = !matches!(
            term.node(),
            Node::Empty
                | Node::Choice(_)
                | Node::Tagged(..)
                | Node::Repeat(_)
                | Node::SelfCall(..)
                | Node::Block(_)
                | Node::Unblock(_)
        );
        if inner {
            write!(f, "({term})")?;
        } else {
            Display::fmt(term, f)?;
        }
    }
    Ok(())
}

impl<S> Display for Term<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(leaf) = self.leaf() {
            return Debug::fmt(leaf, f);
        }
        match self.node() {
            Node::Empty | Node::Change(_) => f.write_str("nothing"),
            Node::Seq(terms) => list(f, &terms[self.place()..], ", "),
            Node::Then(first, rest) => write!(f, "{first}, {rest}"),
            Node::Par(terms) => list(f, terms, " ∥ "),
            Node::Permutation(terms) => {
                f.write_str("in any order: ")?;
                list(f, terms, "; ")
            }
            Node::Choice(terms) if terms.len() == 2 && terms[0].is_empty() => write!(f, "[{}]", terms[1]),
            Node::Choice(terms) => {
                f.write_str("{")?;
                list(f, terms, " | ")?;
                f.write_str("}")
            }
            Node::Tagged(_, terms) => {
                f.write_str("{")?;
                for (place, (tag, term)) in terms.iter().enumerate() {
                    write!(f, "{}{tag}: {term}", if place > 0 { " | " } else { "" })?;
                }
                f.write_str("}")
            }
            Node::Repeat(term) => write!(f, "{{{term}}}*"),
            Node::Replicate { template, begun } if begun.is_empty() => write!(f, "{{{template}}}∥*"),
            Node::Replicate { template, begun } => {
                list(f, begun, " ∥ ")?;
                write!(f, " ∥ {{{template}}}∥*")
            }
            Node::When(_, term) => write!(f, "when …: {term}"),
            Node::Allow(calls, term) => {
                write!(f, "{term} (and at any time ")?;
                list(f, calls, ", ")?;
                f.write_str(")")
            }
            Node::Fail(message) | Node::Assert(_, message) => write!(f, "fail: {message}"),
            Node::SelfCall(name, _) => write!(f, "the calls of {name}"),
            Node::Block(name) => write!(f, "wait for {name}"),
            Node::Unblock(name) => write!(f, "let {name} pass"),
        }
    }
}

impl<S> Debug for Term<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}
