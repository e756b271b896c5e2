//! A call that was made, and what it is answered.

use super::leaf::{Identity, Method};
use crate::model::Active;
use gainsay_core::Case;
use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::sync::Arc;

/// What a call is answered.
pub(crate) enum Answer {
    Returns {
        value: Box<dyn Any + Send>,
        /// The arguments, as they are afterwards, if they may have been changed.
        arguments: Option<Box<Box<dyn Any + Send>>>,
    },
    Panics(String),
    /// Nothing was said, and somebody real answers.
    Open,
}

impl Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Returns { .. } => "returns something",
            Answer::Panics(message) => message,
            Answer::Open => "something",
        })
    }
}

/// What a call should be answered, and what it is answered instead if somebody deviates.
#[derive(Debug)]
pub(crate) struct Given {
    /// What it should be answered.
    pub(crate) answer: Answer,
    /// What it is answered instead, if somebody deviates.
    pub(crate) instead: Option<Box<Answer>>,
}

/// What the specification says to a call. Whoever makes it has a place for that: so it is not moved about.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) given: Given,
    pub(crate) kind: Option<&'static Kind>,
}

impl Told {
    /// Nothing yet.
    pub(crate) fn nothing() -> Told {
        Told { given: Given { answer: Answer::Open, instead: None }, kind: None }
    }

    /// Whether it is what somebody real has done: to its arguments, as they were before, and by what it returned.
    pub(crate) fn is_met(&self, before: &dyn Any, after: &dyn Any, value: &dyn Any) -> bool {
        self.kind.is_some_and(|kind| kind.is_met(&self.given.answer, before, after, value))
    }

    /// What it should be answered, as people read it.
    pub(crate) fn shown(&self) -> String {
        self.kind.map(|kind| (kind.show)(&self.given.answer)).unwrap_or_default()
    }
}

/// How the answers of a method are compared and shown.
#[derive(Debug)]
pub(crate) struct Kind {
    value: fn(&dyn Any, &dyn Any) -> bool,
    arguments: fn(&dyn Any, &dyn Any) -> bool,
    pub(crate) show: fn(&Answer) -> String,
}

impl Kind {
    /// The kind of methods with these arguments and results.
    pub(super) fn of<A: PartialEq + Debug + 'static, R: PartialEq + Debug + 'static>() -> &'static Kind {
        const { &Kind { value: equal::<R>, arguments: equal::<A>, show: show_answer::<A, R> } }
    }

    /// Whether two answers are the same.
    pub(super) fn is_same(&self, one: &Answer, other: &Answer) -> bool {
        match (one, other) {
            (
                Answer::Returns { value: one, arguments: after },
                Answer::Returns { value: other, arguments: other_after },
            ) => {
                (self.value)(one.as_ref(), other.as_ref())
                    && match (after, other_after) {
                        (None, None) => true,
                        (Some(one), Some(other)) => (self.arguments)(&***one, &***other),
                        _ => false,
                    }
            }
            (Answer::Panics(one), Answer::Panics(other)) => one == other,
            (Answer::Open, Answer::Open) => true,
            _ => false,
        }
    }

    /// Whether an answer is what somebody real has done: to its arguments, as they were before, and by what it returned.
    fn is_met(&self, answer: &Answer, before: &dyn Any, after: &dyn Any, value: &dyn Any) -> bool {
        match answer {
            Answer::Returns { value: expected, arguments } => {
                let expected_after = arguments.as_ref().map_or(before, |arguments| &***arguments);
                (self.value)(expected.as_ref(), value) && (self.arguments)(expected_after, after)
            }
            Answer::Panics(_) => false,
            Answer::Open => true,
        }
    }
}

fn equal<T: PartialEq + Debug + 'static>(one: &dyn Any, other: &dyn Any) -> bool {
    match (one.downcast_ref::<T>(), other.downcast_ref::<T>()) {
        (Some(one), Some(other)) => same(one, other),
        _ => false,
    }
}

/// Values that are not even equal to themselves (NaN) are compared as they are shown.
#[inline]
pub(super) fn same<T: PartialEq + Debug>(one: &T, other: &T) -> bool {
    #[expect(clippy::eq_op, reason = "NaN is not equal to itself")]
    fn is_itself<T: PartialEq>(value: &T) -> bool {
        value == value
    }
    one == other || !is_itself(one) && format!("{one:?}") == format!("{other:?}")
}

fn show_answer<A: Debug + 'static, R: Debug + 'static>(answer: &Answer) -> String {
    match answer {
        Answer::Panics(message) => format!("panics: {message}"),
        Answer::Open => "something".into(),
        Answer::Returns { value, arguments } => {
            let arguments = arguments.as_ref().and_then(|arguments| arguments.downcast_ref::<A>());
            match (value.downcast_ref::<R>(), arguments) {
                (Some(value), Some(arguments)) => format!("{value:?} with {arguments:?}"),
                (Some(value), None) => format!("{value:?}"),
                _ => "something of another type".into(),
            }
        }
    }
}

/// A call that was made.
pub(crate) struct Called(Box<Inside<dyn Any + Send>>);

struct Inside<A: ?Sized> {
    name: &'static str,
    module: &'static str,
    types: &'static Types,
    /// Somebody real answers it.
    is_spied: bool,
    more: Option<Box<More>>,
    arguments: A,
}

/// What is the same for all calls of these types.
struct Types {
    returns: fn() -> TypeId,
    show: fn(&(dyn Any + Send)) -> String,
}

/// What few calls need.
#[derive(Default)]
struct More {
    /// What answers are drawn from.
    case: Option<Box<Case>>,
    /// What was drawn for this call: once, whoever asks.
    drawn: Option<Box<dyn Any + Send>>,
    /// The same for people, if somebody looks.
    drawn_shown: Option<String>,
    /// What happens otherwise than it should.
    deviating: Option<Arc<Active>>,
    /// What was decided about that: once, whoever asks.
    decided: Vec<(&'static str, bool)>,
}

impl Debug for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Called {
    pub(crate) fn new<A, R>(method: Method<A, R>, arguments: A) -> Called
    where
        A: Clone + Debug + Send + 'static,
        R: 'static,
    {
        fn show<A: Debug + 'static>(arguments: &(dyn Any + Send)) -> String {
            arguments.downcast_ref::<A>().map_or_else(String::new, |arguments| shown_arguments(arguments))
        }
        Called(Box::new(Inside {
            name: method.name,
            module: method.module,
            types: const { &Types { returns: TypeId::of::<R>, show: show::<A> } },
            is_spied: false,
            more: None,
            arguments,
        }))
    }

    /// The name of its method.
    pub(crate) fn name(&self) -> &'static str {
        self.0.name
    }

    #[inline]
    pub(crate) fn arguments(&self) -> &(dyn Any + Send) {
        &self.0.arguments
    }

    /// Whether somebody real answers it.
    pub(crate) fn is_spied(&self) -> bool {
        self.0.is_spied
    }

    /// Somebody real answers it.
    pub(crate) fn spied(mut self) -> Called {
        self.0.is_spied = true;
        self
    }

    /// Which method it is a call of.
    pub(crate) fn identity(&self) -> Identity {
        let arguments = self.arguments().type_id();
        Identity { name: self.0.name, module: self.0.module, arguments, returns: (self.0.types.returns)() }
    }

    /// Whether it is a call of this method.
    #[inline]
    pub(super) fn is_of(&self, name: &str, module: &str, returns: TypeId) -> bool {
        // Mostly both come from the same constant.
        let same = |one: &str, other: &str| std::ptr::eq(one, other) || one == other;
        (self.0.types.returns)() == returns && same(self.0.name, name) && same(self.0.module, module)
    }

    /// Lends what answers are drawn from, if there is something.
    pub(crate) fn lend(&mut self, case: &mut Option<Box<Case>>) {
        if case.is_some() {
            self.0.more.get_or_insert_default().case = case.take();
        }
    }

    /// Gives back what was lent.
    pub(crate) fn give_back(&mut self) -> Option<Box<Case>> {
        self.0.more.as_mut()?.case.take()
    }

    /// Says what happens otherwise than it should.
    pub(crate) fn deviate(&mut self, active: &Arc<Active>) {
        self.0.more.get_or_insert_default().deviating = Some(Arc::clone(active));
    }

    pub(super) fn case(&mut self) -> Option<&mut Case> {
        self.0.more.as_mut()?.case.as_deref_mut()
    }

    /// What was drawn for it.
    pub(super) fn drawn(&self) -> Option<&(dyn Any + Send)> {
        self.0.more.as_ref()?.drawn.as_deref()
    }

    pub(super) fn remember(&mut self, value: Box<dyn Any + Send>, shown: Option<String>) {
        let more = self.0.more.get_or_insert_default();
        (more.drawn, more.drawn_shown) = (Some(value), shown);
    }

    /// What was drawn is not what it is answered.
    pub(super) fn show_instead(&mut self, answer: impl FnOnce() -> String) {
        if let Some(shown) = self.0.more.as_mut().and_then(|more| more.drawn_shown.as_mut()) {
            *shown = answer();
        }
    }

    /// The call and its answer, if that was drawn and somebody looks.
    pub(super) fn shown_with_drawn(&self) -> Option<String> {
        if self.0.is_spied {
            return None;
        }
        let drawn = self.0.more.as_ref()?.drawn_shown.as_ref()?;
        Some(format!("{} → {drawn}", self.shown()))
    }

    /// Whether whoever answers deviates in this way.
    pub(super) fn deviates(&mut self, name: &'static str) -> bool {
        let Some(more) = &mut self.0.more else { return false };
        let Some(active) = &more.deviating else { return false };
        if let Some((_, decided)) = more.decided.iter().find(|(known, _)| *known == name) {
            return *decided;
        }
        let decided = active.happens(name);
        more.decided.push((name, decided));
        decided
    }

    /// The call as people read it.
    pub(crate) fn shown(&self) -> String {
        format!("{}({})", self.0.name, (self.0.types.show)(self.arguments()))
    }
}

/// Arguments as they stand in a call: a tuple without its parentheses.
pub(super) fn shown_arguments(arguments: &dyn Debug) -> String {
    let shown = format!("{arguments:?}");
    match shown.strip_prefix('(').and_then(|shown| shown.strip_suffix(')')) {
        Some(inside) => inside.strip_suffix(',').unwrap_or(inside).to_string(),
        None => shown,
    }
}
