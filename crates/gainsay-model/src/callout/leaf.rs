//! One expected call: who is called, with which arguments, and what it is answered.

use super::captured::Captured;
use super::term::{Node, Term};
use crate::model::Active;
use gainsay_core::Case;
use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::sync::Arc;

/// A function that can be mocked: it takes `A`, a tuple of owned values, and returns `R`. `#[mock]` makes one for each method of a
/// trait.
pub struct Method<A, R> {
    name: &'static str,
    of: PhantomData<fn(A) -> R>,
}

impl<A, R> Method<A, R> {
    /// The method of this name.
    pub const fn new(name: &'static str) -> Method<A, R> {
        Method { name, of: PhantomData }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl<A, R> Clone for Method<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for Method<A, R> {}

impl<A, R> Debug for Method<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// An expected call of a method, being described.
#[derive(Debug)]
pub struct CallOut<A, R> {
    leaf: Leaf,
    of: PhantomData<fn(A) -> R>,
}

/// What is asked of a call's arguments.
type Matcher = Arc<dyn Fn(&dyn Any, &Captured) -> bool + Send + Sync>;

/// How something is captured from arguments and answer.
type Capture = Arc<dyn Fn(&dyn Any, &Answer, &mut Captured) + Send + Sync>;

/// An expected call, of whichever types.
pub(super) struct Leaf {
    pub(super) name: &'static str,
    matches: Option<Matcher>,
    given: Option<Given>,
    /// The arguments as people read them, if they are not given.
    shown: Cow<'static, str>,
    captures: Vec<Capture>,
    reply: Reply,
    /// What it may be answered otherwise, by name.
    deviations: Vec<(&'static str, Reply)>,
    show_answer: fn(&Answer) -> String,
}

/// The arguments, if all of them are given.
struct Given {
    arguments: Box<dyn Any + Send + Sync>,
    equals: fn(&(dyn Any + Send + Sync), &dyn Any) -> bool,
    called: fn(&'static str, &(dyn Any + Send + Sync)) -> Called,
    show: fn(&(dyn Any + Send + Sync)) -> String,
}

enum Reply {
    /// Nothing was said.
    Missing,
    Fixed(Box<dyn Any + Send + Sync>, fn(&(dyn Any + Send + Sync)) -> Box<dyn Any + Send>),
    Computed(Arc<dyn Fn(&mut (dyn Any + Send), &Captured) -> Box<dyn Any + Send> + Send + Sync>),
    Drawn(Arc<dyn Fn(&mut Case) -> Box<dyn Any + Send> + Send + Sync>, Copier),
    Panics(String),
}

/// What a call is answered.
pub(crate) enum Answer {
    Returns {
        value: Box<dyn Any + Send>,
        /// The arguments, as they are afterwards, if they may have been changed.
        arguments: Option<Box<dyn Any + Send>>,
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

impl Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.given {
            Some(given) => write!(f, "{}({})", self.name, (given.show)(given.arguments.as_ref())),
            None => write!(f, "{}({})", self.name, self.shown),
        }
    }
}

/// A call of a method. Without more, its arguments may be anything, and it must return `()`.
pub fn call<A, R>(method: Method<A, R>) -> CallOut<A, R>
where
    A: Clone + Debug + Send + 'static,
    R: Clone + Debug + Send + 'static,
{
    let reply = if TypeId::of::<R>() == TypeId::of::<()>() {
        Reply::Fixed(Box::new(()), |_| Box::new(()))
    } else {
        Reply::Missing
    };
    let shown = if TypeId::of::<A>() == TypeId::of::<()>() { "" } else { "_" };
    let leaf = Leaf {
        name: method.name,
        matches: None,
        given: None,
        shown: shown.into(),
        captures: Vec::new(),
        reply,
        deviations: Vec::new(),
        show_answer: show_answer::<A, R>,
    };
    CallOut { leaf, of: PhantomData }
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

impl<A, R> CallOut<A, R>
where
    A: Clone + Debug + Send + 'static,
    R: Clone + Debug + Send + 'static,
{
    /// The arguments must be like this.
    pub fn with(self, matches: impl Fn(&A) -> bool + Send + Sync + 'static) -> Self {
        self.with_captured(move |arguments, _| matches(arguments))
    }

    /// The arguments must be like this, by what was captured before.
    pub fn with_captured(mut self, matches: impl Fn(&A, &Captured) -> bool + Send + Sync + 'static) -> Self {
        let before = self.leaf.matches.take();
        self.leaf.matches = Some(Arc::new(move |arguments, captured| {
            before.as_ref().is_none_or(|before| before(arguments, captured))
                && arguments.downcast_ref::<A>().is_some_and(|arguments| matches(arguments, captured))
        }));
        self
    }

    /// The arguments must be these.
    pub fn given(mut self, arguments: A) -> Self
    where
        A: PartialEq + Sync,
    {
        self.leaf.given = Some(Given {
            arguments: Box::new(arguments),
            equals: |given, actual| given.downcast_ref::<A>() == actual.downcast_ref::<A>(),
            called: |name, given| {
                let given: &A = given.downcast_ref().expect("arguments have the type of their method");
                Called::new(name, given.clone())
            },
            show: |given| given.downcast_ref::<A>().map_or_else(String::new, |given| shown_arguments(given)),
        });
        self
    }

    /// Says how the arguments are shown where they are expected.
    pub fn shown(mut self, arguments: impl Into<Cow<'static, str>>) -> Self {
        self.leaf.shown = arguments.into();
        self
    }

    /// Remembers something of the arguments.
    pub fn capture<T: Debug + Send + Sync + 'static>(
        mut self,
        name: &'static str,
        of: impl Fn(&A) -> T + Send + Sync + 'static,
    ) -> Self {
        self.leaf.captures.push(Arc::new(move |arguments, _, captured| {
            if let Some(arguments) = arguments.downcast_ref::<A>() {
                captured.set(name, of(arguments));
            }
        }));
        self
    }

    /// Remembers what the call was answered.
    pub fn capture_answer(mut self, name: &'static str) -> Self
    where
        R: Sync,
    {
        self.leaf.captures.push(Arc::new(move |_, answer, captured| {
            if let Answer::Returns { value, .. } = answer
                && let Some(value) = value.downcast_ref::<R>()
            {
                captured.set(name, value.clone());
            }
        }));
        self
    }

    /// The call is answered with this.
    pub fn returns(mut self, value: R) -> Self
    where
        R: Sync,
    {
        self.leaf.reply = Reply::Fixed(Box::new(value), |value| {
            let value: &R = value.downcast_ref().expect("an answer has the type of its method");
            Box::new(value.clone())
        });
        self
    }

    /// The call is answered by its arguments, which may be changed where they are lent to be.
    pub fn replies(self, reply: impl Fn(&mut A) -> R + Send + Sync + 'static) -> Self {
        self.replies_captured(move |arguments, _| reply(arguments))
    }

    /// The call is answered by its arguments and what was captured before.
    pub fn replies_captured(
        mut self,
        reply: impl Fn(&mut A, &Captured) -> R + Send + Sync + 'static,
    ) -> Self {
        self.leaf.reply = Reply::Computed(Arc::new(move |arguments, captured| {
            let arguments = arguments.downcast_mut::<A>().expect("arguments have the type of their method");
            Box::new(reply(arguments, captured))
        }));
        self
    }

    /// The answer is drawn, once for each call: for faults that come now and then.
    pub fn draws(mut self, draw: impl Fn(&mut Case) -> R + Send + Sync + 'static) -> Self {
        self.leaf.reply = Reply::Drawn(Arc::new(move |case| Box::new(draw(case))), |value| {
            let value: &R = value.downcast_ref().expect("an answer has the type of its method");
            Box::new(value.clone())
        });
        self
    }

    /// What whoever is called may answer otherwise than he should: only in runs that ask for the
    /// [consequences](crate::Model::consequences), which are judged as if he had not.
    pub fn deviation(
        mut self,
        name: &'static str,
        reply: impl Fn(&mut A) -> R + Send + Sync + 'static,
    ) -> Self {
        let reply = Reply::Computed(Arc::new(move |arguments, _| {
            let arguments = arguments.downcast_mut::<A>().expect("arguments have the type of their method");
            Box::new(reply(arguments))
        }));
        self.leaf.deviations.push((name, reply));
        self
    }

    /// Whoever is called may panic where he should not: a [deviation](CallOut::deviation).
    pub fn deviation_panics(mut self, name: &'static str, message: impl Into<String>) -> Self {
        self.leaf.deviations.push((name, Reply::Panics(message.into())));
        self
    }

    /// The call panics.
    pub fn panics(mut self, message: impl Into<String>) -> Self {
        self.leaf.reply = Reply::Panics(message.into());
        self
    }

    /// Then something else.
    pub fn then<S>(self, next: impl Into<Term<S>>) -> Term<S> {
        Term::from(self).then(next)
    }
}

/// Arguments as they stand in a call: a tuple without its parentheses.
pub(crate) fn shown_arguments(arguments: &dyn Debug) -> String {
    let shown = format!("{arguments:?}");
    match shown.strip_prefix('(').and_then(|shown| shown.strip_suffix(')')) {
        Some(inside) => inside.strip_suffix(',').unwrap_or(inside).to_string(),
        None => shown,
    }
}

impl<S, A, R> From<CallOut<A, R>> for Term<S> {
    fn from(call: CallOut<A, R>) -> Term<S> {
        Term::of(Node::Call(call.leaf))
    }
}

/// Copies arguments, or a value.
pub(crate) type Copier = fn(&(dyn Any + Send)) -> Box<dyn Any + Send>;

/// A call that was made.
pub(crate) struct Called {
    pub(crate) name: &'static str,
    pub(crate) arguments: Box<dyn Any + Send>,
    pub(crate) copy: Copier,
    pub(crate) show: fn(&(dyn Any + Send)) -> String,
    /// What answers are drawn from.
    pub(crate) case: Option<Box<Case>>,
    /// Somebody real answers it.
    pub(crate) is_spied: bool,
    /// What happens otherwise than it should.
    pub(crate) deviating: Option<Arc<Active>>,
    /// What was decided about deviations: once, whoever asks.
    decided: Vec<(&'static str, bool)>,
    /// What was drawn for this call, by whom: once, whoever asks.
    drawn: Vec<(usize, Box<dyn Any + Send>)>,
}

impl Debug for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Called {
    pub(crate) fn new<A: Clone + Debug + Send + 'static>(name: &'static str, arguments: A) -> Called {
        fn copy<A: Clone + Send + 'static>(arguments: &(dyn Any + Send)) -> Box<dyn Any + Send> {
            let arguments: &A = arguments.downcast_ref().expect("arguments have the type of their method");
            Box::new(arguments.clone())
        }
        fn show<A: Debug + 'static>(arguments: &(dyn Any + Send)) -> String {
            arguments.downcast_ref::<A>().map_or_else(String::new, |arguments| shown_arguments(arguments))
        }
        let arguments = Box::new(arguments);
        Called {
            name,
            arguments,
            copy: copy::<A>,
            show: show::<A>,
            case: None,
            is_spied: false,
            deviating: None,
            decided: Vec::new(),
            drawn: Vec::new(),
        }
    }

    /// Whether whoever answers deviates in this way.
    fn deviates(&mut self, name: &'static str) -> bool {
        let Some(active) = &self.deviating else { return false };
        if let Some((_, decided)) = self.decided.iter().find(|(known, _)| *known == name) {
            return *decided;
        }
        let decided = active.happens(name);
        self.decided.push((name, decided));
        decided
    }

    /// The call as people read it.
    pub(crate) fn shown(&self) -> String {
        format!("{}({})", self.name, (self.show)(self.arguments.as_ref()))
    }
}

impl Leaf {
    pub(super) fn is_drawn(&self) -> bool {
        matches!(self.reply, Reply::Drawn(..))
    }

    /// Whether a call is the expected one.
    #[inline]
    pub(super) fn matches(&self, call: &Called, captured: &Captured) -> bool {
        self.name == call.name
            && self
                .given
                .as_ref()
                .is_none_or(|given| (given.equals)(given.arguments.as_ref(), call.arguments.as_ref()))
            && self.matches.as_ref().is_none_or(|matches| matches(call.arguments.as_ref(), captured))
    }

    /// The answer to a call that matches; what is captured from it is added.
    ///
    /// # Errors
    /// If nothing was said about the answer.
    pub(super) fn answer(&self, call: &mut Called, captured: &mut Captured) -> Result<Answer, String> {
        let answer = self.answer_by(&self.reply, call, captured)?;
        for capture in &self.captures {
            capture(call.arguments.as_ref(), &answer, captured);
        }
        // What was captured is what should have been answered.
        let deviating = self.deviations.iter().filter(|(name, _)| call.deviates(name));
        match deviating.last() {
            None => Ok(answer),
            Some((_, reply)) => self.answer_by(reply, call, captured),
        }
    }

    fn answer_by(&self, reply: &Reply, call: &mut Called, captured: &Captured) -> Result<Answer, String> {
        Ok(match reply {
            Reply::Fixed(value, copy) => Answer::Returns { value: copy(value.as_ref()), arguments: None },
            Reply::Computed(reply) => {
                let mut arguments = (call.copy)(call.arguments.as_ref());
                let value = reply(arguments.as_mut(), captured);
                Answer::Returns { value, arguments: Some(arguments) }
            }
            Reply::Drawn(draw, copy) => {
                let me = std::ptr::from_ref(self) as usize;
                if !call.drawn.iter().any(|(who, _)| *who == me) {
                    let Some(case) = &mut call.case else {
                        return Err(format!(
                            "the answer of {self:?} is drawn, but there is no case to draw from"
                        ));
                    };
                    let value = draw(case);
                    call.drawn.push((me, value));
                }
                let drawn = call.drawn.iter().find(|(who, _)| *who == me);
                let value = drawn.map(|(_, value)| copy(value.as_ref())).unwrap_or_else(|| Box::new(()));
                Answer::Returns { value, arguments: None }
            }
            Reply::Panics(message) => Answer::Panics(message.clone()),
            Reply::Missing if call.is_spied => Answer::Open,
            Reply::Missing => {
                return Err(format!("nobody says what {self:?} returns: add `.returns(…)` to the call-out"));
            }
        })
    }

    /// The call that would be expected; nobody makes it. Without known arguments it has none.
    pub(super) fn imagined(&self) -> Called {
        match &self.given {
            Some(given) => (given.called)(self.name, given.arguments.as_ref()),
            None => Called::new(self.name, ()),
        }
    }

    /// Whether all arguments are known beforehand.
    pub(super) fn has_arguments(&self) -> bool {
        self.given.is_some() || self.shown.is_empty()
    }

    /// Whether the answer depends on the arguments.
    pub(super) fn needs_arguments(&self) -> bool {
        matches!(self.reply, Reply::Computed(_))
    }

    pub(super) fn show_answer(&self) -> fn(&Answer) -> String {
        self.show_answer
    }
}
