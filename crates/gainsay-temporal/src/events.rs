//! Things that answer when they like: tested by what goes in and comes out, in the order in which it does.

use crate::automaton::Truth;
use crate::formula::Formula;
use crate::tested::{Mode, judges, report_on};
use crate::timed::{Delays, TimedStreams};
use crate::vacuity::Judge;
use gainsay_core::{Arbitrary, Case, Error, Failure, Outcome, Report, Settings, Verdict, finish, settings};
use std::any::Any;
use std::cell::RefCell;
use std::fmt::{self, Debug};
use std::ops::{Deref, DerefMut, RangeInclusive};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Something that went in or came out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event<A, B> {
    /// An input.
    In(A),
    /// An output.
    Out(B),
}

impl<A, B> Event<A, B> {
    /// The input, if it is one.
    pub fn input(&self) -> Option<&A> {
        match self {
            Event::In(input) => Some(input),
            Event::Out(_) => None,
        }
    }

    /// The output, if it is one.
    pub fn output(&self) -> Option<&B> {
        match self {
            Event::In(_) => None,
            Event::Out(output) => Some(output),
        }
    }
}

/// Runs a test: gives inputs at their times, and goes on for so much time after the last one.
pub(crate) type Run<A, B> = Box<dyn FnMut(Vec<(Duration, A)>, Duration) -> Result<Seen<A, B>, Failure>>;

/// Something that is given inputs, and gives outputs when it likes, tested by formulas over what goes in and comes out: see [`adapter`]; with
/// the feature `tokio`, `async_stream` and `actor`.
///
/// Where nobody says which inputs there are, they are drawn from all of their type, if it is [`Arbitrary`].
pub struct EventTest<A, B> {
    test: PlainEventTest<A, B>,
}

/// A test that draws no inputs but those of which somebody says something: what an [`EventTest`] is where inputs are not [`Arbitrary`].
pub struct PlainEventTest<A, B> {
    name: String,
    run: Run<A, B>,
    /// Why it cannot be tested here.
    refuses: fn() -> Option<Error>,
    given: Formula<A>,
    expected: Vec<Formula<B>>,
    expected_events: Vec<Formula<Event<A, B>>>,
    delays: Arc<Delays>,
    length: Option<RangeInclusive<usize>>,
    any: Option<fn(&mut Case) -> A>,
    rest: Duration,
    mode: Mode,
    settings: Settings,
}

// As for tests of streams: methods of a type are looked for here if its own demand more than is known of its parameters.
impl<A, B> Deref for EventTest<A, B> {
    type Target = PlainEventTest<A, B>;

    fn deref(&self) -> &PlainEventTest<A, B> {
        &self.test
    }
}

impl<A, B> DerefMut for EventTest<A, B> {
    fn deref_mut(&mut self) -> &mut PlainEventTest<A, B> {
        &mut self.test
    }
}

impl<A, B> Debug for EventTest<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.test.fmt(f)
    }
}

impl<A, B> Debug for PlainEventTest<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventTest")
            .field("name", &self.name)
            .field("given", &self.given)
            .finish_non_exhaustive()
    }
}

/// Tests an adapter of iterators: from an iterator over inputs to one over outputs. An input is seen when it is asked for, and an output when it
/// is given. All happens at one time.
///
/// ```
/// use gainsay_temporal::{Fed, adapter, always, atom};
///
/// // Each two inputs give one output.
/// let sums = |mut inputs: Fed<u8>| {
///     std::iter::from_fn(move || Some(u32::from(inputs.next()?) + u32::from(inputs.next()?)))
/// };
/// let small = atom("small", |sum: &u32| *sum <= 510);
/// adapter("sums", sums).among_all().expect(always(small)).check();
/// ```
pub fn adapter<A, B, T>(
    name: impl Into<String>,
    mut make: impl FnMut(Fed<A>) -> T + 'static,
) -> EventTest<A, B>
where
    A: Clone + Debug + 'static,
    B: Clone + Debug + 'static,
    T: Iterator<Item = B>,
{
    EventTest::new(
        name,
        Box::new(move |inputs, _| {
            let given: Rc<RefCell<Vec<A>>> = Rc::default();
            let fed = Fed {
                inputs: inputs.into_iter().map(|(_, input)| input).collect::<Vec<A>>().into_iter(),
                given: Rc::clone(&given),
            };
            let mut outputs = make(fed);
            let mut seen = Seen::nothing();
            loop {
                let output = outputs.next();
                let asked = given.take().into_iter();
                seen.events.extend(asked.map(|input| (Duration::ZERO, Event::In(input))));
                let Some(output) = output else { return Ok(seen) };
                seen.events.push((Duration::ZERO, Event::Out(output)));
                if seen.events.len() > OUTPUTS_MAX {
                    seen.is_flood = true;
                    return Ok(seen);
                }
            }
        }),
    )
}

/// The inputs of an [`adapter`].
#[derive(Debug)]
pub struct Fed<A> {
    inputs: std::vec::IntoIter<A>,
    given: Rc<RefCell<Vec<A>>>,
}

impl<A: Clone> Iterator for Fed<A> {
    type Item = A;

    fn next(&mut self) -> Option<A> {
        let input = self.inputs.next()?;
        self.given.borrow_mut().push(input.clone());
        Some(input)
    }
}

/// So many outputs may come in a test.
pub(crate) const OUTPUTS_MAX: usize = 10_000;

/// What was seen in a test, and whether it was too much.
pub(crate) struct Seen<A, B> {
    pub(crate) events: Vec<(Duration, Event<A, B>)>,
    pub(crate) is_flood: bool,
    /// When the test ended.
    pub(crate) end: Duration,
    /// What it panicked with.
    pub(crate) panic: Option<Box<dyn Any + Send>>,
    /// It did not come to rest, so that time could not pass.
    pub(crate) is_restless: bool,
}

impl<A, B> Seen<A, B> {
    pub(crate) fn nothing() -> Seen<A, B> {
        Seen { events: Vec::new(), is_flood: false, end: Duration::ZERO, panic: None, is_restless: false }
    }
}

impl<A: Clone + Debug + 'static, B: Clone + Debug + 'static> EventTest<A, B> {
    pub(crate) fn new(name: impl Into<String>, run: Run<A, B>) -> EventTest<A, B> {
        let test = PlainEventTest {
            name: name.into(),
            run,
            refuses: || None,
            given: true.into(),
            expected: Vec::new(),
            expected_events: Vec::new(),
            delays: Arc::new(|case| Duration::from_millis(case.int(0..=2000))),
            length: None,
            any: None,
            rest: Duration::from_secs(60),
            mode: Mode::Usual,
            settings: settings(),
        };
        EventTest { test }
    }

    /// Inputs satisfy this; its bounds of time are those of virtual time.
    #[must_use]
    pub fn given(mut self, formula: impl Into<Formula<A>>) -> Self {
        self.test.given = formula.into();
        self
    }

    /// Outputs must satisfy this.
    #[must_use]
    pub fn expect(mut self, formula: impl Into<Formula<B>>) -> Self {
        self.test.expected.push(formula.into());
        self
    }

    /// What goes in and comes out, in the order of time, must satisfy this.
    #[must_use]
    pub fn expect_events(mut self, formula: impl Into<Formula<Event<A, B>>>) -> Self {
        self.test.expected_events.push(formula.into());
        self
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn refused(mut self, refuses: fn() -> Option<Error>) -> EventTest<A, B> {
        self.test.refuses = refuses;
        self
    }

    /// How much time is before each input, in whole milliseconds, rounded up; otherwise up to two seconds.
    #[must_use]
    pub fn delays(mut self, delays: impl Fn(&mut Case) -> Duration + Send + Sync + 'static) -> Self {
        self.test.delays = Arc::new(delays);
        self
    }

    /// How many inputs there are. Otherwise they become more as cases grow, up to fifty.
    #[must_use]
    pub fn length(mut self, length: RangeInclusive<usize>) -> Self {
        self.test.length = Some(length);
        self
    }

    /// Where nobody says which inputs make atoms true or false, they are looked for among these.
    #[must_use]
    pub fn among(mut self, any: fn(&mut Case) -> A) -> Self {
        self.test.any = Some(any);
        self
    }

    /// The same among all inputs of the type.
    #[must_use]
    pub fn among_all(mut self) -> Self
    where
        A: Arbitrary,
    {
        self.test.any = Some(|case| case.any());
        self
    }

    /// For how much virtual time after the last input outputs are waited for; otherwise a minute.
    #[must_use]
    pub fn rest(mut self, rest: Duration) -> Self {
        self.test.rest = rest;
        self
    }

    /// Only what is certainly false does not pass.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.test.mode = Mode::Lenient;
        self
    }

    /// Only what is certainly true passes.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.test.mode = Mode::Strict;
        self
    }

    /// Settings of the engine.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.test.settings = settings;
        self
    }
}

impl<A: Arbitrary + Clone + Debug + 'static, B: Clone + Debug + 'static> EventTest<A, B> {
    /// Tests it, and panics with the report if it does not do as it must.
    ///
    /// # Panics
    /// If the specification does not hold.
    #[track_caller]
    pub fn check(mut self) {
        self.among_any().check();
    }

    /// The verdict on it.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict(mut self) -> Verdict {
        self.among_any().verdict()
    }

    /// The report on it.
    ///
    /// # Errors
    /// If it cannot be tested at all: a formula has too many atoms, for example.
    #[track_caller]
    pub fn report(mut self) -> Result<Report, Error> {
        self.among_any().report()
    }

    fn among_any(&mut self) -> &mut PlainEventTest<A, B> {
        self.test.any.get_or_insert(|case| case.any());
        &mut self.test
    }
}

impl<A: Clone + Debug + 'static, B: Clone + Debug + 'static> PlainEventTest<A, B> {
    /// Tests it, and panics with the report if it does not do as it must.
    ///
    /// # Panics
    /// If the specification does not hold.
    #[track_caller]
    pub fn check(&mut self) {
        self.settings = std::mem::replace(&mut self.settings, settings()).checked();
        finish(self.report());
    }

    /// The verdict on it.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict(&mut self) -> Verdict {
        self.report().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on it.
    ///
    /// # Errors
    /// If it cannot be tested at all: a formula has too many atoms, for example.
    #[track_caller]
    pub fn report(&mut self) -> Result<Report, Error> {
        let delays = Arc::clone(&self.delays);
        if let Some(error) = (self.refuses)() {
            return Err(error);
        }
        // (Finer, timers are not.)
        let mut streams =
            TimedStreams::new(&self.given, move |case| delays(case))?.grain(Duration::from_millis(1));
        if let Some(length) = self.length.clone() {
            streams = streams.length(length);
        }
        if let Some(any) = self.any {
            streams = streams.among(any);
        }
        let mut outputs = judges(&self.expected, "an output")?;
        let mut events = judges(&self.expected_events, "an event")?;
        let settings = std::mem::replace(&mut self.settings, settings());
        let name = self.name.clone();
        let mut report = report_on(settings, &name, &|case| streams.try_draw(case), &mut |inputs, case| {
            let outcome = match (self.run)(inputs, self.rest) {
                Ok(seen) => judged(seen, &mut outputs, &mut events, self.mode, case),
                Err(failure) => Outcome::failed(failure),
            };
            // There are longer streams.
            Outcome { cut: true, ..outcome }
        })?;
        let never = events.iter().flat_map(Judge::never).chain(outputs.iter().flat_map(Judge::never));
        report.never_exercised(never.collect());
        Ok(report)
    }
}

fn judged<A: Clone + Debug, B: Clone + Debug>(
    seen: Seen<A, B>,
    outputs: &mut [Judge<B>],
    events: &mut [Judge<Event<A, B>>],
    mode: Mode,
    case: &mut Case,
) -> Outcome {
    outputs.iter_mut().for_each(Judge::reset);
    events.iter_mut().for_each(Judge::reset);
    for (time, event) in &seen.events {
        case.tell(|| match event {
            Event::In(input) => format!("@{time:?} → {input:?}"),
            Event::Out(output) => format!("@{time:?} ← {output:?}"),
        });
    }
    if let Some(panic) = seen.panic {
        // A panic is a failure like any other: the engine sees to it.
        std::panic::resume_unwind(panic);
    }
    if seen.is_restless {
        let message = format!("it does not come to rest: time has not passed since {:?}", seen.end);
        return Outcome::failed(Failure::new("", message).with_signature("restless"));
    }
    if seen.is_flood {
        let message = format!("more than {OUTPUTS_MAX} outputs came");
        return Outcome::failed(Failure::new("", message).with_signature("flood"));
    }
    for (time, event) in &seen.events {
        let first = events.iter_mut().find_map(|judge| judge.see(*time, event));
        let second = || {
            let output = event.output()?;
            outputs.iter_mut().find_map(|judge| judge.see(*time, output))
        };
        if let Some(failure) = first.or_else(second) {
            return Outcome::failed(failure);
        }
    }
    // Time went on until the end.
    let late = events.iter_mut().find_map(|judge| judge.pass_to(seen.end));
    if let Some(failure) = late.or_else(|| outputs.iter_mut().find_map(|judge| judge.pass_to(seen.end))) {
        return Outcome::failed(failure);
    }
    events.iter_mut().for_each(Judge::end);
    outputs.iter_mut().for_each(Judge::end);
    let of_events = events.iter_mut().map(|judge| judge.acceptor.truth());
    let worst = of_events.chain(outputs.iter_mut().map(|judge| judge.acceptor.truth())).min();
    mode.outcome(worst.unwrap_or(Truth::True))
}
