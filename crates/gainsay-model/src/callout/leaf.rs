//! One expected call: who is called, with which arguments, and what it is answered.

use super::called::{Answer, Called, Given, Kind, same, shown_arguments};
use super::captured::Captured;
use super::term::Term;
use gainsay_core::Case;
use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::sync::Arc;

/// A function that can be mocked: it takes `A`, a tuple of owned values, and returns `R`. `#[mock]` makes one for each method of a
/// trait.
pub struct Method<A, R> {
    pub(super) name: &'static str,
    /// Where it was declared: there may be another one of its name elsewhere.
    pub(super) module: &'static str,
    of: PhantomData<fn(A) -> R>,
}

impl<A, R> Method<A, R> {
    /// The method of this name.
    pub const fn new(name: &'static str) -> Method<A, R> {
        Method { name, module: "", of: PhantomData }
    }

    /// The method of this name, declared in a module.
    #[doc(hidden)]
    pub const fn declared(name: &'static str, module: &'static str) -> Method<A, R> {
        Method { name, module, of: PhantomData }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What it is told apart from others by.
    pub(crate) fn identity(self) -> Identity
    where
        A: 'static,
        R: 'static,
    {
        Identity {
            name: self.name,
            module: self.module,
            arguments: TypeId::of::<A>(),
            returns: TypeId::of::<R>(),
        }
    }
}

/// Which method it is: there may be others of its name, in other modules or for other types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(super) name: &'static str,
    pub(super) module: &'static str,
    pub(super) arguments: TypeId,
    pub(super) returns: TypeId,
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

/// An expected call, of whichever types.
pub(super) trait Leaf: Debug + Send + Sync {
    /// Whether its answer is drawn.
    fn is_drawn(&self) -> bool;
    /// Whether a call is one of its method.
    fn is_of(&self, call: &Called) -> bool;
    /// Whether a call is the expected one.
    fn matches(&self, call: &Called, captured: &Captured) -> bool;
    /// The answer to a call that matches; what is captured from it is added.
    ///
    /// # Errors
    /// If nothing was said about the answer.
    fn answer(&self, call: &mut Called, captured: &mut Captured) -> Result<Given, String>;
    /// How answers are compared and shown.
    fn kind(&self) -> &'static Kind;
    /// The call that would be expected; nobody makes it. Without known arguments it has none.
    fn imagined(&self) -> Called;
    /// Which method is called.
    fn identity(&self) -> Identity;
    /// Whether all arguments are known beforehand.
    fn has_arguments(&self) -> bool;
    /// Whether the answer depends on the arguments.
    fn needs_arguments(&self) -> bool;
}

/// An expected call of a method, being described.
pub struct CallOut<A, R> {
    name: &'static str,
    module: &'static str,
    /// The arguments, if all of them are given.
    given: Option<A>,
    reply: Reply<A, R>,
    /// What is rarely said.
    more: Option<Box<More<A, R>>>,
}

/// What is rarely said about an expected call.
struct More<A, R> {
    /// What is asked of the arguments.
    matches: Vec<Box<dyn Fn(&A, &Captured) -> bool + Send + Sync>>,
    /// The arguments as people read them, if they are not given.
    shown: Option<Cow<'static, str>>,
    captures: Vec<Box<dyn Fn(&A, &Answer, &mut Captured) + Send + Sync>>,
    /// What it may be answered otherwise, by name.
    deviations: Vec<(&'static str, Reply<A, R>)>,
}

enum Reply<A, R> {
    /// Nothing was said.
    Missing,
    Fixed(R),
    Computed(Box<dyn Fn(&mut A, &Captured) -> R + Send + Sync>),
    Drawn(Box<dyn Fn(&mut Case) -> R + Send + Sync>),
    Panics(String),
}

impl<A: Debug + 'static, R> Debug for CallOut<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = self.more.as_ref().and_then(|more| more.shown.as_deref());
        match (&self.given, said) {
            (Some(given), _) => write!(f, "{}({})", self.name, shown_arguments(given)),
            (None, Some(shown)) => write!(f, "{}({shown})", self.name),
            (None, None) if is_unit::<A>() => write!(f, "{}()", self.name),
            (None, None) => write!(f, "{}(_)", self.name),
        }
    }
}

fn is_unit<T: 'static>() -> bool {
    TypeId::of::<T>() == TypeId::of::<()>()
}

/// A call of a method. Without more, its arguments may be anything, and it must return `()`.
pub fn call<A, R>(method: Method<A, R>) -> CallOut<A, R>
where
    A: Clone + PartialEq + Debug + Send + Sync + 'static,
    R: Clone + PartialEq + Debug + Send + Sync + 'static,
{
    let nothing: &dyn Any = &();
    let reply = nothing.downcast_ref::<R>().map_or(Reply::Missing, |nothing| Reply::Fixed(nothing.clone()));
    CallOut { name: method.name, module: method.module, given: None, reply, more: None }
}

impl<A, R> CallOut<A, R>
where
    A: Clone + PartialEq + Debug + Send + Sync + 'static,
    R: Clone + PartialEq + Debug + Send + Sync + 'static,
{
    fn method(&self) -> Method<A, R> {
        Method::declared(self.name, self.module)
    }

    fn more(&mut self) -> &mut More<A, R> {
        self.more.get_or_insert_with(|| {
            Box::new(More { matches: Vec::new(), shown: None, captures: Vec::new(), deviations: Vec::new() })
        })
    }

    /// The arguments must be like this.
    pub fn with(self, matches: impl Fn(&A) -> bool + Send + Sync + 'static) -> Self {
        self.with_captured(move |arguments, _| matches(arguments))
    }

    /// The arguments must be like this, by what was captured before.
    pub fn with_captured(mut self, matches: impl Fn(&A, &Captured) -> bool + Send + Sync + 'static) -> Self {
        self.more().matches.push(Box::new(matches));
        self
    }

    /// The arguments must be these.
    pub fn given(mut self, arguments: A) -> Self {
        self.given = Some(arguments);
        self
    }

    /// Says how the arguments are shown where they are expected.
    pub fn shown(mut self, arguments: impl Into<Cow<'static, str>>) -> Self {
        self.more().shown = Some(arguments.into());
        self
    }

    /// Remembers something of the arguments.
    pub fn capture<T: Debug + Send + Sync + 'static>(
        mut self,
        name: &'static str,
        of: impl Fn(&A) -> T + Send + Sync + 'static,
    ) -> Self {
        self.more().captures.push(Box::new(move |arguments, _, captured| captured.set(name, of(arguments))));
        self
    }

    /// Remembers what the call was answered.
    pub fn capture_answer(mut self, name: &'static str) -> Self {
        self.more().captures.push(Box::new(move |_, answer, captured| {
            if let Answer::Returns { value, .. } = answer
                && let Some(value) = value.downcast_ref::<R>()
            {
                captured.set(name, value.clone());
            }
        }));
        self
    }

    /// The call is answered with this.
    pub fn returns(mut self, value: R) -> Self {
        self.reply = Reply::Fixed(value);
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
        self.reply = Reply::Computed(Box::new(reply));
        self
    }

    /// The answer is drawn, once for each call: for faults that come now and then.
    ///
    /// ```
    /// # use gainsay_model::callout::{Method, Term, call};
    /// # const WRITE: Method<(u8,), bool> = Method::new("write");
    /// // One write in ten fails.
    /// let write: Term<()> = call(WRITE).draws(|case| !case.flag_weighted(1, 9)).into();
    /// ```
    pub fn draws(mut self, draw: impl Fn(&mut Case) -> R + Send + Sync + 'static) -> Self {
        self.reply = Reply::Drawn(Box::new(draw));
        self
    }

    /// What whoever is called may answer otherwise than he should: only in runs that ask for the
    /// [consequences](crate::Model::consequences), which are judged as if he had not.
    #[track_caller]
    pub fn deviation(
        mut self,
        name: &'static str,
        reply: impl Fn(&mut A) -> R + Send + Sync + 'static,
    ) -> Self {
        let reply = Reply::Computed(Box::new(move |arguments: &mut A, _: &Captured| reply(arguments)));
        self.deviates(name, reply);
        self
    }

    /// Whoever is called may panic where he should not: a [deviation](CallOut::deviation).
    #[track_caller]
    pub fn deviation_panics(mut self, name: &'static str, message: impl Into<String>) -> Self {
        self.deviates(name, Reply::Panics(message.into()));
        self
    }

    #[track_caller]
    fn deviates(&mut self, name: &'static str, reply: Reply<A, R>) {
        let method = self.name;
        let deviations = &mut self.more().deviations;
        assert!(
            deviations.iter().all(|(known, _)| *known != name),
            "the call-out {method} has two deviations called {name:?}: give each a name of its own"
        );
        deviations.push((name, reply));
    }

    /// The call panics. Somebody real (a spy, a linked component) must panic with a message that contains this one.
    pub fn panics(mut self, message: impl Into<String>) -> Self {
        self.reply = Reply::Panics(message.into());
        self
    }

    /// Then something else.
    pub fn then<S>(self, next: impl Into<Term<S>>) -> Term<S> {
        Term::from(self).then(next)
    }

    /// This or something else.
    pub fn or<S>(self, other: impl Into<Term<S>>) -> Term<S> {
        Term::from(self).or(other)
    }

    /// This and something else, their calls in any order between each other.
    pub fn and<S>(self, other: impl Into<Term<S>>) -> Term<S> {
        Term::from(self).and(other)
    }

    fn answer_by(
        &self,
        reply: &Reply<A, R>,
        call: &mut Called,
        captured: &Captured,
    ) -> Result<Answer, String> {
        Ok(match reply {
            Reply::Fixed(value) => Answer::Returns { value: Box::new(value.clone()), arguments: None },
            Reply::Computed(reply) => {
                let arguments: &A = call.arguments().downcast_ref().ok_or("arguments of another type")?;
                let mut after = arguments.clone();
                let value = Box::new(reply(&mut after, captured));
                let after = (!same(&after, arguments))
                    .then(|| -> Box<Box<dyn Any + Send>> { Box::new(Box::new(after)) });
                Answer::Returns { value, arguments: after }
            }
            Reply::Drawn(draw) => {
                let value: R = match call.drawn().and_then(|drawn| drawn.downcast_ref()) {
                    Some(drawn) => R::clone(drawn),
                    None => {
                        let Some(case) = call.case() else {
                            return Err(format!(
                                "the answer of {self:?} is drawn, but there is no case to draw from"
                            ));
                        };
                        let value = draw(case);
                        let shown = case.is_shown().then(|| format!("{value:?}"));
                        call.remember(Box::new(value.clone()), shown);
                        value
                    }
                };
                Answer::Returns { value: Box::new(value), arguments: None }
            }
            Reply::Panics(message) => Answer::Panics(message.clone()),
            Reply::Missing if call.is_spied() => Answer::Open,
            Reply::Missing => {
                return Err(format!("nobody says what {self:?} returns: add `.returns(…)` to the call-out"));
            }
        })
    }
}

impl<A, R> Leaf for CallOut<A, R>
where
    A: Clone + PartialEq + Debug + Send + Sync + 'static,
    R: Clone + PartialEq + Debug + Send + Sync + 'static,
{
    fn is_drawn(&self) -> bool {
        matches!(self.reply, Reply::Drawn(_))
    }

    fn is_of(&self, call: &Called) -> bool {
        call.is_of(self.name, self.module, TypeId::of::<R>())
    }

    fn matches(&self, call: &Called, captured: &Captured) -> bool {
        if !self.is_of(call) {
            return false;
        }
        let Some(arguments) = call.arguments().downcast_ref::<A>() else { return false };
        self.given.as_ref().is_none_or(|given| same(given, arguments))
            && self
                .more
                .as_ref()
                .is_none_or(|more| more.matches.iter().all(|matches| matches(arguments, captured)))
    }

    #[inline]
    fn kind(&self) -> &'static Kind {
        Kind::of::<A, R>()
    }

    fn answer(&self, call: &mut Called, captured: &mut Captured) -> Result<Given, String> {
        let answer = self.answer_by(&self.reply, call, captured)?;
        let Some(more) = &self.more else { return Ok(Given { answer, instead: None }) };
        if let Some(arguments) = call.arguments().downcast_ref::<A>() {
            more.captures.iter().for_each(|capture| capture(arguments, &answer, captured));
        }
        // What was captured is what should have been answered.
        let deviating = more.deviations.iter().filter(|(name, _)| call.deviates(name));
        let instead = match deviating.last() {
            None => None,
            Some((_, reply)) => {
                let instead = self.answer_by(reply, call, captured)?;
                call.show_instead(|| (Kind::of::<A, R>().show)(&instead));
                Some(Box::new(instead))
            }
        };
        Ok(Given { answer, instead })
    }

    fn imagined(&self) -> Called {
        match &self.given {
            Some(given) => Called::new(self.method(), given.clone()),
            None => Called::new(Method::<(), R>::declared(self.name, self.module), ()),
        }
    }

    fn identity(&self) -> Identity {
        self.method().identity()
    }

    fn has_arguments(&self) -> bool {
        self.given.is_some() || is_unit::<A>()
    }

    fn needs_arguments(&self) -> bool {
        matches!(self.reply, Reply::Computed(_))
    }
}

impl<S, A, R> From<CallOut<A, R>> for Term<S>
where
    A: Clone + PartialEq + Debug + Send + Sync + 'static,
    R: Clone + PartialEq + Debug + Send + Sync + 'static,
{
    fn from(call: CallOut<A, R>) -> Term<S> {
        Term::of_call(Arc::new(call))
    }
}
