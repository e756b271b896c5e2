//! Asynchronous things under test, in time that only passes when nobody has anything to do: adapters of streams, and actors with channels.

use crate::acceptor::Acceptor;
use crate::automaton::Truth;
use crate::formula::Formula;
use crate::tested::{Mode, broken, see};
use crate::timed::{Delays, TimedStreams};
use futures_core::Stream;
use gainsay_core::{
    Case, Error, Failure, GaveUp, Outcome, Report, Settings, Status, Verdict, finish, settings,
};
use std::fmt::{self, Debug};
use std::future::{Future, poll_fn};
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;
use tokio::time::Instant;

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

/// The inputs of a test, as a stream that ends after the last one.
#[derive(Debug)]
pub struct Inputs<A> {
    receiver: UnboundedReceiver<A>,
}

impl<A> Stream for Inputs<A> {
    type Item = A;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<A>> {
        self.receiver.poll_recv(context)
    }
}

/// What runs in a test.
type Runs = Pin<Box<dyn Future<Output = ()>>>;

/// Starts what is tested, between two channels.
type Start<A, B> = Box<dyn FnMut(UnboundedReceiver<A>, UnboundedSender<B>) -> Runs>;

/// Something asynchronous that is given inputs at drawn times, tested by formulas over what goes in and comes out: see [`async_stream`] and
/// [`actor`].
pub struct AsyncTest<A, B> {
    name: String,
    start: Start<A, B>,
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

impl<A, B> Debug for AsyncTest<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncTest")
            .field("name", &self.name)
            .field("given", &self.given)
            .finish_non_exhaustive()
    }
}

/// Tests an adapter of streams: from a stream of inputs to one of outputs. It may sleep and have timeouts of tokio's; time is virtual.
///
/// ```
/// use gainsay_temporal::{Inputs, always, async_stream, atom};
/// use std::pin::Pin;
/// use std::task::Poll;
///
/// struct Doubled(Inputs<u8>);
///
/// impl futures_core::Stream for Doubled {
///     type Item = u32;
///
///     fn poll_next(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<Option<u32>> {
///         Pin::new(&mut self.0).poll_next(context).map(|input| input.map(|input| 2 * u32::from(input)))
///     }
/// }
///
/// let even = atom("even", |output: &u32| output % 2 == 0);
/// async_stream("doubled", Doubled).among_all().expect(always(even)).check();
/// ```
pub fn async_stream<A, B, S>(
    name: impl Into<String>,
    mut make: impl FnMut(Inputs<A>) -> S + 'static,
) -> AsyncTest<A, B>
where
    A: Clone + Debug + 'static,
    B: Clone + Debug + 'static,
    S: Stream<Item = B> + 'static,
{
    actor(name, move |receiver, sender| {
        let mut stream = Box::pin(make(Inputs { receiver }));
        async move {
            while let Some(output) = poll_fn(|context| stream.as_mut().poll_next(context)).await {
                if sender.send(output).is_err() {
                    return;
                }
            }
        }
    })
}

/// Tests an actor: it receives inputs by one channel of tokio's, and sends outputs by another. Time is virtual.
pub fn actor<A, B, F>(
    name: impl Into<String>,
    mut start: impl FnMut(UnboundedReceiver<A>, UnboundedSender<B>) -> F + 'static,
) -> AsyncTest<A, B>
where
    A: Clone + Debug + 'static,
    B: Clone + Debug + 'static,
    F: Future<Output = ()> + 'static,
{
    AsyncTest {
        name: name.into(),
        start: Box::new(move |inbox, outbox| Box::pin(start(inbox, outbox))),
        given: true.into(),
        expected: Vec::new(),
        expected_events: Vec::new(),
        delays: Arc::new(|case| Duration::from_millis(case.int(0..=2000))),
        length: None,
        any: None,
        rest: Duration::from_secs(60),
        mode: Mode::Usual,
        settings: settings(),
    }
}

/// So many outputs may come in a test.
const OUTPUTS_MAX: usize = 10_000;

/// What was seen in a test, and whether it was too much.
struct Seen<A, B> {
    events: Vec<(Duration, Event<A, B>)>,
    is_flood: bool,
    /// When the test ended.
    end: Duration,
}

impl<A: Clone + Debug + 'static, B: Clone + Debug + 'static> AsyncTest<A, B> {
    /// Inputs satisfy this; its bounds of time are those of virtual time.
    #[must_use]
    pub fn given(mut self, formula: impl Into<Formula<A>>) -> Self {
        self.given = formula.into();
        self
    }

    /// Outputs must satisfy this.
    #[must_use]
    pub fn expect(mut self, formula: impl Into<Formula<B>>) -> Self {
        self.expected.push(formula.into());
        self
    }

    /// What goes in and comes out, in the order of time, must satisfy this.
    #[must_use]
    pub fn expect_events(mut self, formula: impl Into<Formula<Event<A, B>>>) -> Self {
        self.expected_events.push(formula.into());
        self
    }

    /// How much time is before each input; otherwise up to two seconds.
    #[must_use]
    pub fn delays(mut self, delays: impl Fn(&mut Case) -> Duration + Send + Sync + 'static) -> Self {
        self.delays = Arc::new(delays);
        self
    }

    /// How many inputs there are. Otherwise they become more as cases grow, up to fifty.
    #[must_use]
    pub fn length(mut self, length: RangeInclusive<usize>) -> Self {
        self.length = Some(length);
        self
    }

    /// Where nobody says which inputs make atoms true or false, they are looked for among these.
    #[must_use]
    pub fn among(mut self, any: fn(&mut Case) -> A) -> Self {
        self.any = Some(any);
        self
    }

    /// The same among all inputs of the type.
    #[must_use]
    pub fn among_all(mut self) -> Self
    where
        A: gainsay_core::Arbitrary,
    {
        self.any = Some(|case| case.any());
        self
    }

    /// For how much virtual time after the last input outputs are waited for; otherwise a minute.
    #[must_use]
    pub fn rest(mut self, rest: Duration) -> Self {
        self.rest = rest;
        self
    }

    /// Only what is certainly false does not pass.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.mode = Mode::Lenient;
        self
    }

    /// Only what is certainly true passes.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.mode = Mode::Strict;
        self
    }

    /// Settings of the engine.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Tests it, and panics with the report if it does not do as it must.
    ///
    /// # Panics
    /// So.
    #[track_caller]
    pub fn check(mut self) {
        self.settings = std::mem::replace(&mut self.settings, settings()).checked();
        finish(self.report());
    }

    /// The verdict on it.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict(self) -> Verdict {
        self.report().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on it.
    ///
    /// # Errors
    /// If it cannot be tested at all: a formula has too many atoms, for example.
    #[track_caller]
    pub fn report(mut self) -> Result<Report, Error> {
        let delays = Arc::clone(&self.delays);
        let mut streams = TimedStreams::new(&self.given, move |case| delays(case))?;
        if let Some(length) = self.length.clone() {
            streams = streams.length(length);
        }
        if let Some(any) = self.any {
            streams = streams.among(any);
        }
        let mut outputs = self.expected.iter().map(Acceptor::new).collect::<Result<Vec<_>, _>>()?;
        let mut events = self.expected_events.iter().map(Acceptor::new).collect::<Result<Vec<_>, _>>()?;
        let settings = std::mem::replace(&mut self.settings, settings());
        let name = self.name.clone();
        let mut trouble = None;
        let mut report = settings.report_outcomes(&name, &mut |case| {
            let inputs = match streams.try_draw(case) {
                Ok(inputs) => inputs,
                Err(error) => {
                    trouble.get_or_insert_with(|| error.to_string());
                    return Outcome::of(Status::Rejected);
                }
            };
            if case.is_over() || !case.ready() {
                return Outcome::of(Status::Unjudged);
            }
            let outcome = match self.run(inputs) {
                Ok(seen) => judged(&seen, &mut outputs, &mut events, self.mode, case),
                Err(failure) => Outcome::failed(failure),
            };
            // There are longer streams.
            Outcome { cut: true, ..outcome }
        })?;
        if let (Some(why), Verdict::GaveUp(gave_up)) = (trouble, &report.verdict) {
            report.verdict = Verdict::GaveUp(GaveUp::because(why, gave_up.cases));
        }
        Ok(report)
    }

    /// Runs a test in virtual time.
    fn run(&mut self, inputs: Vec<(Duration, A)>) -> Result<Seen<A, B>, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime =
            runtime.map_err(|error| Failure::new("", format!("no runtime: {error}")).undecided())?;
        let (inbox, receiver) = unbounded_channel();
        let (sender, outbox) = unbounded_channel();
        let rest = self.rest;
        let start = &mut self.start;
        let local = LocalSet::new();
        let ran = local.block_on(&runtime, async {
            let running = tokio::task::spawn_local(start(receiver, sender));
            let seen = observe(inputs, inbox, outbox, rest).await;
            match running.is_finished() {
                true => running.await.map(|()| seen),
                false => Ok(seen),
            }
        });
        match ran {
            Ok(seen) => Ok(seen),
            // A panic is a failure like any other: the engine sees to it.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(error) => Err(Failure::new("", format!("it was stopped: {error}"))),
        }
    }
}

/// Gives inputs at their times, and writes down what goes in and comes out.
async fn observe<A: Clone, B>(
    inputs: Vec<(Duration, A)>,
    inbox: UnboundedSender<A>,
    mut outbox: UnboundedReceiver<B>,
    rest: Duration,
) -> Seen<A, B> {
    let begun = Instant::now();
    let mut seen = Seen { events: Vec::new(), is_flood: false, end: Duration::ZERO };
    let last = inputs.last().map_or(Duration::ZERO, |(time, _)| *time);
    let ends = inputs.into_iter().map(|(time, input)| (time, Some(input))).chain([(last + rest, None)]);
    let (mut inbox, mut is_open) = (Some(inbox), true);
    for (time, input) in ends {
        if input.is_none() {
            // No more inputs come.
            inbox = None;
        }
        while is_open {
            tokio::select! {
                biased;
                output = outbox.recv() => match output {
                    Some(output) => {
                        seen.events.push((begun.elapsed(), Event::Out(output)));
                        // (Whoever goes on without end keeps time from passing.)
                        if seen.events.len() > OUTPUTS_MAX {
                            seen.is_flood = true;
                            return seen;
                        }
                    }
                    None => is_open = false,
                },
                () = tokio::time::sleep_until(begun + time) => break,
            }
        }
        if !is_open {
            tokio::time::sleep_until(begun + time).await;
        }
        if let (Some(input), Some(inbox)) = (input, &inbox) {
            seen.events.push((begun.elapsed(), Event::In(input.clone())));
            // (Whoever has ended does not listen.)
            let _ = inbox.send(input);
        }
    }
    seen.end = begun.elapsed();
    seen
}

fn judged<A: Clone + Debug, B: Clone + Debug>(
    seen: &Seen<A, B>,
    outputs: &mut [Acceptor<B>],
    events: &mut [Acceptor<Event<A, B>>],
    mode: Mode,
    case: &mut Case,
) -> Outcome {
    outputs.iter_mut().for_each(Acceptor::reset);
    events.iter_mut().for_each(Acceptor::reset);
    for (time, event) in &seen.events {
        case.tell(|| match event {
            Event::In(input) => format!("@{time:?} → {input:?}"),
            Event::Out(output) => format!("@{time:?} ← {output:?}"),
        });
    }
    if seen.is_flood {
        let message = format!("more than {OUTPUTS_MAX} outputs came");
        return Outcome::failed(Failure::new("", message).with_signature("flood"));
    }
    for (time, event) in &seen.events {
        let first = events.iter_mut().find_map(|acceptor| see(acceptor, *time, event));
        let second = || {
            let output = event.output()?;
            outputs.iter_mut().find_map(|acceptor| see(acceptor, *time, output))
        };
        if let Some(failure) = first.or_else(second) {
            return Outcome::failed(failure);
        }
    }
    // Time went on until the end.
    let late = events.iter_mut().find_map(|acceptor| late(acceptor, seen.end));
    if let Some(failure) =
        late.or_else(|| outputs.iter_mut().find_map(|acceptor| self::late(acceptor, seen.end)))
    {
        return Outcome::failed(failure);
    }
    let worst = events.iter_mut().map(Acceptor::truth).chain(outputs.iter_mut().map(Acceptor::truth)).min();
    mode.outcome(worst.unwrap_or(Truth::True))
}

/// What is broken since nothing came any more.
fn late<E: Clone>(acceptor: &mut Acceptor<E>, end: Duration) -> Option<Failure> {
    if let Err(error) = acceptor.pass_to(end) {
        return Some(Failure::new("", error.to_string()));
    }
    broken(acceptor)
}
