//! Mocks: what stands in for the things that are called, asks the specification what to answer, and notes every call.
//!
//! A mock belongs to the test that was running when it was made, and answers only the thread of that test.

use crate::callout::{Answer, Called, Ended, Given, Identity, Method, Session, Term, Told};
use crate::model::Active;
use gainsay_core::{Case, Failure, Outcome, Status, failure_of, quietly};
use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::{self, Debug};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::{self, ThreadId};

thread_local! {
    /// The test that runs on this thread.
    static CURRENT: RefCell<Option<Arc<Context>>> = const { RefCell::new(None) };
}

/// A test, as its mocks know it.
struct Context {
    thread: ThreadId,
    /// The first call that was wrong: whoever made it may have kept that from us.
    trouble: Mutex<Option<Failure>>,
    over: AtomicBool,
    /// The answer to a call is being computed: that may be the user's code, which may call mocks.
    busy: AtomicBool,
    /// Only the thread of the test asks for it.
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    judge: Option<Arc<Mutex<dyn Judging>>>,
    /// The operation at work, if it is not expected to call anything.
    silent: Option<String>,
    /// What answers are drawn from.
    case: Option<Box<Case>>,
    /// The calls of the last operation whose answers were drawn, if somebody looks.
    drawn: Vec<String>,
    /// What happens otherwise than it should.
    deviating: Option<Arc<Active>>,
}

/// Judges calls, whatever the state of the model is.
pub(crate) trait Judging: Send {
    /// Judges a call and answers it; what answers are drawn from is lent meanwhile.
    fn call(
        &mut self,
        call: Called,
        case: &mut Option<Box<Case>>,
        told: &mut Told,
    ) -> Result<(), Box<Failure>>;

    /// What is said somewhere to calls like this one.
    fn likely(&self, _call: &mut Called) -> Option<Answer> {
        None
    }

    /// A call was answered by somebody real: its arguments afterwards, and what it returned; nothing if it panicked.
    fn returned(&mut self, _method: Identity, _end: Option<(&dyn Any, &dyn Any)>) -> Result<(), Failure> {
        Ok(())
    }
}

impl<S: Clone + PartialEq + Debug + Send + Sync> Judging for Session<S> {
    fn call(
        &mut self,
        call: Called,
        case: &mut Option<Box<Case>>,
        told: &mut Told,
    ) -> Result<(), Box<Failure>> {
        Session::call(self, call, case, told)
    }

    fn likely(&self, call: &mut Called) -> Option<Answer> {
        Session::likely(self, call)
    }
}

impl Context {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trouble(&self) -> MutexGuard<'_, Option<Failure>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The judge of the operation at work, unless it is at work itself; for the thread of the test.
    fn idle_judge(&self) -> Option<Arc<Mutex<dyn Judging>>> {
        let is_idle = !self.busy.load(Relaxed) && thread::current().id() == self.thread;
        is_idle.then(|| self.inner().judge.clone())?
    }

    /// What the specification says to a call.
    fn judge(&self, mut call: Called, told: &mut Told) -> Result<(), Box<Failure>> {
        let strange = |call: &Called, why: &str| {
            Err(Box::new(Failure::new(call.name(), format!("{} was called {why}", call.shown()))))
        };
        if self.over.load(Relaxed) {
            return strange(&call, "after its test has ended");
        }
        // Mostly it is the test that runs here.
        let here =
            CURRENT.with_borrow(|current| current.as_deref().is_some_and(|other| std::ptr::eq(other, self)));
        if !here && thread::current().id() != self.thread {
            return strange(
                &call,
                "from another thread than that of its test: nobody could say in which order",
            );
        }
        if self.busy.load(Relaxed) {
            return strange(&call, "while the answer to another call is computed");
        }
        let Inner { judge, silent, case, deviating, .. } = &mut *self.inner();
        let Some(judge) = judge else {
            return match silent {
                Some(operation) => {
                    strange(&call, &format!("by {operation}, which is not expected to call anything"))
                }
                None => strange(
                    &call,
                    "outside of an operation (when the test began, or when it was over and the real thing was dropped): say what \
                     it is answered there with `stub`",
                ),
            };
        };
        if let Some(active) = deviating {
            call.deviate(active);
        }
        let _busy = Busy::new(&self.busy);
        judge.lock().unwrap_or_else(PoisonError::into_inner).call(call, case, told)
    }
}

/// While this lives, an answer is computed.
struct Busy<'a>(&'a AtomicBool);

impl Busy<'_> {
    fn new(busy: &AtomicBool) -> Busy<'_> {
        busy.store(true, Relaxed);
        Busy(busy)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.store(false, Relaxed);
    }
}

/// While this lives, mocks that are made belong to a test.
pub(crate) struct Scope {
    context: Arc<Context>,
    before: Option<Arc<Context>>,
}

impl Scope {
    pub(crate) fn enter(deviating: Option<Arc<Active>>) -> Scope {
        if let Some(active) = &deviating {
            active.begin();
        }
        let inner = Mutex::new(Inner { deviating, ..Inner::default() });
        let thread = thread::current().id();
        let context = Arc::new(Context {
            thread,
            trouble: Mutex::default(),
            over: AtomicBool::new(false),
            busy: AtomicBool::new(false),
            inner,
        });
        let before = CURRENT.replace(Some(Arc::clone(&context)));
        Scope { context, before }
    }

    /// An operation begins that is expected to call something.
    pub(crate) fn expect(&self, judge: Arc<Mutex<dyn Judging>>, case: Option<Box<Case>>) {
        let mut inner = self.context.inner();
        (inner.judge, inner.silent, inner.case) = (Some(judge), None, case);
    }

    /// An operation begins that is not expected to call anything.
    pub(crate) fn expect_nothing(&self, operation: &str) {
        let mut inner = self.context.inner();
        (inner.judge, inner.silent) = (None, Some(operation.to_string()));
    }

    /// The calls of the last operation whose answers were drawn, if somebody looked.
    pub(crate) fn take_drawn(&self) -> Vec<String> {
        std::mem::take(&mut self.context.inner().drawn)
    }

    /// An operation is over: the case that was lent, and the first call that was wrong.
    pub(crate) fn settle(&self) -> (Option<Box<Case>>, Option<Failure>) {
        let mut inner = self.context.inner();
        (inner.judge, inner.silent) = (None, None);
        (inner.case.take(), self.context.trouble().take())
    }
}

/// Drops the real thing of a test that has come to a verdict: calls that it makes then are nobody's, and are told only if nothing was
/// wrong before.
pub(crate) fn dropped<T>(scope: Option<&Scope>, real: T, outcome: Outcome) -> Outcome {
    let Some(scope) = scope else {
        drop(real);
        return outcome;
    };
    let ended = catch_unwind(AssertUnwindSafe(|| drop(real)));
    let (_, trouble) = scope.settle();
    match (ended, trouble) {
        _ if outcome.status != Status::Passed => outcome,
        (_, Some(failure)) => Outcome::failed(failure),
        (Err(panic), None) => resume_unwind(panic),
        (Ok(()), None) => outcome,
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        self.context.over.store(true, Relaxed);
        self.context.inner().judge = None;
        CURRENT.set(self.before.take());
    }
}

/// The way from a mock to its test. Mocks made by `#[mock]` have one.
#[derive(Clone)]
pub struct Mocks {
    context: Option<Arc<Context>>,
    stubs: Arc<Stubs>,
}

/// Methods that are answered by closures.
#[derive(Default)]
struct Stubs {
    /// Whether there ever was one.
    any: AtomicBool,
    all: Mutex<Vec<(&'static str, Stub)>>,
}

/// Answers calls of a method by itself.
type Stub = Box<dyn FnMut(&mut dyn Any) -> Box<dyn Any + Send> + Send>;

impl Debug for Mocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.context.is_some() { "mocks of a test" } else { "mocks of no test" })
    }
}

impl Default for Mocks {
    fn default() -> Mocks {
        Mocks::current()
    }
}

impl Mocks {
    /// Those of the test that runs on this thread.
    pub fn current() -> Mocks {
        Mocks { context: CURRENT.with_borrow(Clone::clone), stubs: Arc::default() }
    }

    /// Answers calls of a method by a closure. They are not judged.
    pub fn stub<A: 'static, R: Send + 'static>(
        &self,
        method: Method<A, R>,
        mut answer: impl FnMut(&mut A) -> R + Send + 'static,
    ) {
        let stub = move |arguments: &mut dyn Any| -> Box<dyn Any + Send> {
            Box::new(answer(arguments.downcast_mut().expect("arguments have the type of their method")))
        };
        self.take_stub(method.name());
        self.stubs.any.store(true, Relaxed);
        self.stubs().push((method.name(), Box::new(stub)));
    }

    fn stubs(&self) -> MutexGuard<'_, Vec<(&'static str, Stub)>> {
        self.stubs.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stub of a method, which is not there while it is at work: it may call others.
    fn take_stub(&self, method: &str) -> Option<Stub> {
        let mut stubs = self.stubs();
        let place = stubs.iter().position(|(name, _)| *name == method)?;
        Some(stubs.swap_remove(place).1)
    }

    /// A call of a method: what it returns, and its arguments afterwards, if they may have been changed. `default` is the answer while
    /// the thread unwinds.
    ///
    /// # Panics
    /// If the call is not expected, or the expected answer is a panic.
    #[track_caller]
    pub fn call<A, R>(&self, method: Method<A, R>, arguments: A, default: fn() -> Option<R>) -> (R, Option<A>)
    where
        A: Clone + Debug + Send + 'static,
        R: 'static,
    {
        let mut arguments = arguments;
        if self.stubs.any.load(Relaxed)
            && let Some(mut stub) = self.take_stub(method.name())
        {
            let answered = catch_unwind(AssertUnwindSafe(|| stub(&mut arguments)));
            self.stubs().push((method.name(), stub));
            let value = match answered {
                Ok(value) => value,
                Err(_) if thread::panicking() => match default() {
                    Some(value) => return (value, None),
                    None => end_of_words(method.name()),
                },
                Err(panic) => resume_unwind(panic),
            };
            return (*value.downcast().expect("a stub has the type of its method"), Some(arguments));
        }
        let unwinding = thread::panicking().then(|| arguments.clone());
        let mut told = Told::nothing();
        let asked = self.ask(Called::new(method, arguments), &mut told);
        let Given { answer, instead } = told.given;
        match asked.map(|()| instead.map_or(answer, |instead| *instead)) {
            Ok(Answer::Returns { value, arguments }) => returned(value, arguments),
            Ok(Answer::Panics(_) | Answer::Open) | Err(_) if let Some(arguments) = unwinding => {
                // What the specification says to such calls elsewhere is as good as any.
                let likely = self.likely(&mut Called::new(method, arguments));
                if let Some(Answer::Returns { value, arguments }) = likely {
                    return returned(value, arguments);
                }
                match default() {
                    Some(value) => (value, None),
                    None => end_of_words(method.name()),
                }
            }
            Ok(Answer::Panics(message)) => panic!("{message}"),
            // Only spies get that.
            Ok(Answer::Open) => panic!("nobody says what {} returns", method.name()),
            Err(failure) => raise(*failure),
        }
    }

    /// A call that is passed on to the real thing: it is judged now, and what the real thing answers [when it
    /// returns](Spied::returned).
    ///
    /// # Panics
    /// If the call is not expected.
    #[track_caller]
    pub fn spy<A, R>(&self, method: Method<A, R>, arguments: A) -> Spied<A, R>
    where
        A: Clone + Debug + Send + 'static,
        R: Debug + 'static,
    {
        let (before, after) = (arguments.clone(), arguments.clone());
        let mut told = Told::nothing();
        let expected = match self.ask(Called::new(method, arguments).spied(), &mut told) {
            Err(failure) if !thread::panicking() => raise(*failure),
            asked => asked.ok().map(|()| told),
        };
        Spied { mocks: self.clone(), method, before, after, expected, is_over: false }
    }

    fn returned(&self, method: Identity, end: Option<(&dyn Any, &dyn Any)>) -> Result<(), Failure> {
        let Some(context) = &self.context else { return Ok(()) };
        let Some(judge) = context.idle_judge() else { return Ok(()) };
        let _busy = Busy::new(&context.busy);
        judge.lock().unwrap_or_else(PoisonError::into_inner).returned(method, end)
    }

    /// What the specification says somewhere to calls like this one.
    fn likely(&self, call: &mut Called) -> Option<Answer> {
        let context = self.context.as_ref()?;
        let judge = context.idle_judge()?;
        // (The answer is the user's code, which may call mocks.)
        let _busy = Busy::new(&context.busy);
        let judge = judge.try_lock().ok()?;
        judge.likely(call)
    }

    /// Notes a failure, and panics unless the thread unwinds already.
    #[track_caller]
    fn fail(&self, failure: Failure) {
        if let Some(context) = &self.context {
            context.trouble().get_or_insert_with(|| failure.clone());
        }
        if !thread::panicking() {
            raise(failure);
        }
    }

    fn ask(&self, call: Called, told: &mut Told) -> Result<(), Box<Failure>> {
        let Some(context) = &self.context else {
            let message = format!(
                "{} was called on a mock that belongs to no test: make the mock while a model with call-outs is tested",
                call.shown()
            );
            return Err(Box::new(Failure::new("", message)));
        };
        let answer = context.judge(call, told);
        if let Err(failure) = &answer {
            context.trouble().get_or_insert_with(|| Failure::clone(failure));
        }
        answer
    }
}

/// Panics with a failure: as such where a test runs, which tells it, and otherwise with its words.
#[track_caller]
fn raise(failure: Failure) -> ! {
    if CURRENT.with_borrow(Option::is_some) {
        panic_any(failure);
    }
    panic!("{}", failure.message)
}

/// A call while its thread unwinds has no answer: a second panic would end the process as well, with fewer words.
#[cold]
fn end_of_words(method: &str) -> ! {
    eprintln!(
        "{method} was called while its thread unwinds, and nobody says what it is answered: expect such a call, or make its return \
         type `Default` (which a type parameter of its trait hides)"
    );
    std::process::abort()
}

/// A call that somebody real is about to answer.
#[derive(Debug)]
#[must_use]
pub struct Spied<A: 'static, R: 'static> {
    mocks: Mocks,
    method: Method<A, R>,
    before: A,
    after: A,
    expected: Option<Told>,
    is_over: bool,
}

impl<A: Debug + 'static, R: Debug + 'static> Spied<A, R> {
    /// The real thing has panicked, which must be what is expected; so does this.
    ///
    /// # Panics
    /// Always.
    #[track_caller]
    pub fn panicked(mut self, panic: Box<dyn Any + Send>) -> ! {
        self.is_over = true;
        let name = self.method.name();
        let judged = self.mocks.returned(self.method.identity(), None);
        let said = panic.downcast_ref::<&str>().map(|said| (*said).to_string());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
        let said = said.or_else(|| panic.downcast_ref::<Failure>().map(|failure| failure.message.clone()));
        let expected = self.expected.take().filter(|told| match &told.given.answer {
            Answer::Returns { .. } => true,
            Answer::Panics(message) => !said.as_deref().unwrap_or_default().contains(message),
            Answer::Open => false,
        });
        let failure = expected.map(|told| {
            let expected = told.shown();
            let message = match told.given.answer {
                Answer::Panics(_) => format!(
                    "the real {name} panicked with {:?} where it {expected} by the specification",
                    said.as_deref().unwrap_or("no message")
                ),
                _ => format!("the real {name} panicked where {expected} is expected"),
            };
            Failure::new("", message).with_signature(&format!("{name} panicked"))
        });
        if let Some(failure) = judged.err().or(failure)
            && let Some(context) = &self.mocks.context
        {
            context.trouble().get_or_insert(failure);
        }
        resume_unwind(panic)
    }

    /// The real thing has answered: how it has changed its arguments, and what it returned, which must be what is expected.
    ///
    /// # Panics
    /// If it is not.
    #[track_caller]
    pub fn returned(mut self, change: impl FnOnce(&mut A), value: R) -> R {
        self.is_over = true;
        change(&mut self.after);
        let name = self.method.name();
        // Whoever answers is to blame before whoever expected something else.
        let judged = self.mocks.returned(self.method.identity(), Some((&self.after, &value)));
        let met = self.expected.take().filter(|told| !told.is_met(&self.before, &self.after, &value));
        if let Err(failure) = judged {
            self.mocks.fail(failure);
        } else if let Some(told) = met {
            let after = format!("{:?}", self.after);
            let changed =
                if after == format!("{:?}", self.before) { String::new() } else { format!(" with {after}") };
            let expected = told.shown();
            let message = format!("the real {name} returned {value:?}{changed} where {expected} is expected");
            self.mocks.fail(Failure::new("", message).with_signature(&format!("{name} disagrees")));
        }
        value
    }
}

impl<A, R> Drop for Spied<A, R> {
    /// Nobody waited for the real thing.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let judged = self.mocks.returned(self.method.identity(), None);
        if !thread::panicking() {
            return;
        }
        if let Err(failure) = judged {
            self.mocks.fail(failure);
        }
    }
}

/// What a call of something real comes to; used by `#[mock]`.
///
/// # Errors
/// Its panic.
#[doc(hidden)]
pub fn caught<T>(call: impl FnOnce() -> T) -> thread::Result<T> {
    catch_unwind(AssertUnwindSafe(call))
}

/// What an asynchronous call of something real comes to; used by `#[mock]`.
///
/// # Errors
/// Its panic.
#[doc(hidden)]
pub async fn caught_async<F: Future>(call: F) -> thread::Result<F::Output> {
    let mut call = std::pin::pin!(call);
    std::future::poll_fn(|context| match caught(|| call.as_mut().poll(context)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// An answer of the types of its method.
fn returned<A: 'static, R: 'static>(
    value: Box<dyn Any + Send>,
    arguments: Option<Box<Box<dyn Any + Send>>>,
) -> (R, Option<A>) {
    let value = value.downcast().expect("an answer has the type of its method");
    let arguments = arguments.and_then(|arguments| arguments.downcast().ok());
    (*value, arguments.map(|arguments| *arguments))
}

/// Gives a slice that was lent to be changed its new values. Used by `#[mock]`.
///
/// # Panics
/// If there are more or fewer.
#[doc(hidden)]
#[track_caller]
pub fn give_back<T: Clone>(method: &str, lent: &mut [T], values: &[T]) {
    if lent.len() != values.len() && thread::panicking() {
        // Something else went wrong before, and a second panic would end the process.
        return;
    }
    assert!(
        lent.len() == values.len(),
        "{method} lends {} elements, but its answer in the specification gives {} back",
        lent.len(),
        values.len()
    );
    lent.clone_from_slice(values);
}

/// A type whose default is looked for; used by `#[mock]`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Probe<T>(std::marker::PhantomData<fn() -> T>);

/// Looks for the default of a type.
#[doc(hidden)]
pub fn probe<T>() -> Probe<T> {
    Probe(std::marker::PhantomData)
}

/// The type has a default: found first.
#[doc(hidden)]
pub trait SomeDefault<T> {
    fn default_answer(&self) -> Option<T>;
}

impl<T: Default> SomeDefault<T> for &&Probe<T> {
    fn default_answer(&self) -> Option<T> {
        Some(T::default())
    }
}

/// It is a result, and what it is if all is well has a default: found next, one reference further away.
#[doc(hidden)]
pub trait OkDefault<T> {
    fn default_answer(&self) -> Option<T>;
}

impl<T: Default, E> OkDefault<Result<T, E>> for &Probe<Result<T, E>> {
    fn default_answer(&self) -> Option<Result<T, E>> {
        Some(Ok(T::default()))
    }
}

/// The type has none: found where nothing else is.
#[doc(hidden)]
pub trait NoDefault<T> {
    fn default_answer(&self) -> Option<T>;
}

impl<T> NoDefault<T> for Probe<T> {
    fn default_answer(&self) -> Option<T> {
        None
    }
}

/// Runs something that is expected to make the calls of a term, and panics if it does not; without a model. Mocks must be made inside.
///
/// # Panics
/// If a call is unexpected or missing.
#[track_caller]
pub fn expect<T>(term: impl Into<Term<()>>, run: impl FnOnce() -> T) -> T {
    let scope = Scope::enter(None);
    static NAME: LazyLock<Arc<str>> = LazyLock::new(|| "the test".into());
    let session = Session::new(Arc::clone(&NAME), Cow::Borrowed("the test"), term.into(), ());
    let session = Arc::new(Mutex::new(session));
    let judge: Arc<Mutex<dyn Judging>> = Arc::<Mutex<Session<()>>>::clone(&session);
    scope.expect(judge, None);
    let ran = quietly(run);
    let (_, trouble) = scope.settle();
    let failure = match (ran, trouble) {
        // What somebody real has said when he panicked is worth to be known.
        (Err(panic), Some(failure)) if panic.message != failure.message => {
            Failure::new("", format!("{}: {}", failure.message, panic.message))
        }
        (_, Some(failure)) | (Err(failure), None) => failure,
        (Ok(value), None) => match session.lock().unwrap_or_else(PoisonError::into_inner).end(false) {
            Ok(_) => return value,
            Err(failure) => *failure,
        },
    };
    panic!("{}", failure.message)
}

/// What came of an operation with call-outs.
pub(crate) struct Settled<S, T> {
    pub(crate) result: T,
    pub(crate) after: Ended<S>,
}

/// Runs an operation whose calls are judged.
///
/// # Errors
/// The first call that was wrong.
pub(crate) fn settled<S: Clone + PartialEq + Debug, T>(
    scope: &Scope,
    session: &Mutex<Session<S>>,
    case: Option<&mut Case>,
    captures_matter: bool,
    run: impl FnOnce() -> T,
) -> Result<Settled<S, T>, Failure> {
    let ran = catch_unwind(AssertUnwindSafe(run));
    let (lent, trouble) = scope.settle();
    if let (Some(case), Some(lent)) = (case, lent) {
        *case = *lent;
        if case.is_shown() {
            scope.context.inner().drawn = session.lock().unwrap_or_else(PoisonError::into_inner).drawn();
        }
    }
    match (ran, trouble) {
        // What somebody real has said when he panicked is worth to be known.
        (Err(panic), Some(mut failure)) if !panic.is::<Failure>() => {
            failure.message = format!("{}: {}", failure.message, failure_of(panic).message);
            Err(failure)
        }
        (_, Some(failure)) => Err(failure),
        (Err(panic), None) => resume_unwind(panic),
        (Ok(result), None) => {
            let after = session
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .end(captures_matter)
                .map_err(|failure| *failure)?;
            Ok(Settled { result, after })
        }
    }
}
