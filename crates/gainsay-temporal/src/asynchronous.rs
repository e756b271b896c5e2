//! Asynchronous things under test, in time that only passes when nobody has anything to do: adapters of streams, and actors with channels.

use crate::events::{Event, EventTest, OUTPUTS_MAX, Seen};
use futures_core::Stream;
use gainsay_core::{Error, Failure};
use std::fmt::Debug;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;
use tokio::time::Instant;

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
) -> EventTest<A, B>
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

/// Tests an actor: it receives inputs by one channel of tokio's, and sends outputs by another. Time is virtual. (What it spawns runs too; but a
/// panic there is for it to find out.)
pub fn actor<A, B, F>(
    name: impl Into<String>,
    mut start: impl FnMut(UnboundedReceiver<A>, UnboundedSender<B>) -> F + 'static,
) -> EventTest<A, B>
where
    A: Clone + Debug + 'static,
    B: Clone + Debug + 'static,
    F: Future<Output = ()> + 'static,
{
    EventTest::new(
        name,
        Box::new(move |inputs, rest| run(|inbox, outbox| Box::pin(start(inbox, outbox)), inputs, rest)),
    )
    .refused(|| {
        tokio::runtime::Handle::try_current().is_ok().then(|| {
            Error::specification(
                "this has a runtime of its own, and cannot run inside of another: call it from a plain `#[test]`",
            )
        })
    })
}

/// So often it may be asked to go on without any time passing.
const POLLS_MAX: usize = 100_000;

/// Runs a test in virtual time.
fn run<A: Clone + 'static, B: 'static>(
    start: impl FnOnce(UnboundedReceiver<A>, UnboundedSender<B>) -> Runs,
    inputs: Vec<(Duration, A)>,
    rest: Duration,
) -> Result<Seen<A, B>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.map_err(|error| Failure::new("", format!("no runtime: {error}")).undecided())?;
    let (inbox, receiver) = unbounded_channel();
    let (sender, outbox) = unbounded_channel();
    let local = LocalSet::new();
    let (mut seen, ended) = local.block_on(&runtime, async {
        let running = tokio::task::spawn_local(restful(start(receiver, sender)));
        let seen = observe(inputs, inbox, outbox, rest).await;
        let ended = if running.is_finished() { Some(running.await) } else { None };
        (seen, ended)
    });
    match ended {
        Some(Err(error)) if error.is_panic() => seen.panic = Some(error.into_panic()),
        Some(Err(error)) => return Err(Failure::new("", format!("it was stopped: {error}"))),
        Some(Ok(Some(since))) => {
            seen.is_restless = true;
            seen.end = since;
        }
        Some(Ok(None)) | None => {}
    }
    Ok(seen)
}

/// Runs something until it ends, or until it turns out never to rest: since when.
async fn restful(mut runs: Runs) -> Option<Duration> {
    let begun = Instant::now();
    let (mut last, mut polls) = (begun, 0);
    poll_fn(move |context| {
        let now = Instant::now();
        polls = if now == last { polls + 1 } else { 0 };
        last = now;
        if polls > POLLS_MAX {
            return Poll::Ready(Some(now - begun));
        }
        runs.as_mut().poll(context).map(|()| None)
    })
    .await
}

/// Nobody waits longer: a hundred years.
const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Gives inputs at their times, and writes down what goes in and comes out.
async fn observe<A: Clone, B>(
    inputs: Vec<(Duration, A)>,
    inbox: UnboundedSender<A>,
    mut outbox: UnboundedReceiver<B>,
    rest: Duration,
) -> Seen<A, B> {
    let begun = Instant::now();
    let mut seen = Seen::nothing();
    let at = |time: Duration| begun.checked_add(time).unwrap_or(begun + FAR);
    let last = inputs.last().map_or(Duration::ZERO, |(time, _)| *time);
    let ends = inputs
        .into_iter()
        .map(|(time, input)| (time, Some(input)))
        .chain([(last.saturating_add(rest), None)]);
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
                () = tokio::time::sleep_until(at(time)) => break,
            }
        }
        if !is_open {
            tokio::time::sleep_until(at(time)).await;
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
