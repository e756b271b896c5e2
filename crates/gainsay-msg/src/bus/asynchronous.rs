//! Ordinary asynchronous code as a system, in time that passes only when nobody has anything to do.

use super::{Bus, Trouble, TroubleKind, check_flood};
use crate::trace::Message;
use crate::value::Value;
use gainsay_core::Case;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, LocalSet, yield_now};
use tokio::time::Instant;

type Sent = (Arc<str>, Value);

/// By which asynchronous code sends messages.
#[derive(Debug, Clone)]
pub struct Outgoing {
    sender: UnboundedSender<Sent>,
}

impl Outgoing {
    /// Sends a message.
    pub fn publish(&self, channel: impl Into<Arc<str>>, value: impl Into<Value>) {
        // (When the run is over, nobody listens.)
        let _ = self.sender.send((channel.into(), value.into()));
    }
}

type Running = Pin<Box<dyn Future<Output = ()>>>;
type Start = Box<dyn FnMut(&mut Case, UnboundedReceiver<Message>, Outgoing) -> Running>;

/// Asynchronous code as a system: it receives messages by a channel of tokio's, sends others, and sleeps, in virtual time. Timers are as fine as
/// tokio's: whole milliseconds.
///
/// ```
/// use gainsay_msg::{AsyncBus, Bus, Message, message};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// // Answers after half a second.
/// let mut bus = AsyncBus::new(|_, mut inbox, out| async move {
///     while let Some(message) = inbox.recv().await {
///         tokio::time::sleep(Duration::from_millis(500)).await;
///         out.publish("/answer", message.value);
///     }
/// });
/// let mut seen = Vec::new();
/// bus.begin(&mut gainsay_core::Case::random(1, 1))?;
/// bus.publish(&Arc::new(Message::at_ms(40, "/ask", message([]))), &mut seen)?;
/// bus.pass(1_000_000_000, false, &mut seen)?;
/// assert_eq!(seen[1].to_string(), "@540 ms  /answer {}");
/// # Ok::<(), gainsay_msg::Trouble>(())
/// ```
pub struct AsyncBus {
    start: Start,
    live: Option<Live>,
}

struct Live {
    local: LocalSet,
    inbox: UnboundedSender<Message>,
    outbox: UnboundedReceiver<Sent>,
    running: JoinHandle<()>,
    begun: Instant,
    /// The last to be dropped.
    runtime: Runtime,
}

impl fmt::Debug for AsyncBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncBus").field("is_running", &self.live.is_some()).finish_non_exhaustive()
    }
}

/// So often everybody has a turn before nobody is taken to have anything to do.
const TURNS: usize = 64;

impl AsyncBus {
    /// A system that is started anew for each run.
    pub fn new<F: Future<Output = ()> + 'static>(
        mut start: impl FnMut(&mut Case, UnboundedReceiver<Message>, Outgoing) -> F + 'static,
    ) -> AsyncBus {
        AsyncBus { start: Box::new(move |case, inbox, out| Box::pin(start(case, inbox, out))), live: None }
    }

    fn live(&mut self) -> Result<&mut Live, Trouble> {
        self.live.as_mut().ok_or_else(|| Trouble::new(TroubleKind::Died, "it was not started"))
    }
}

async fn turns() {
    for _ in 0..TURNS {
        yield_now().await;
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Live {
    /// Takes what has been sent so far.
    fn take(
        outbox: &mut UnboundedReceiver<Sent>,
        begun: Instant,
        seen: &mut Vec<Arc<Message>>,
    ) -> Result<(), Trouble> {
        while let Ok((channel, value)) = outbox.try_recv() {
            let at = nanoseconds(begun.elapsed());
            seen.push(Arc::new(Message { at, channel, value }));
            check_flood(seen)?;
        }
        Ok(())
    }

    /// How much time has passed, by its own clock.
    fn elapsed(&self) -> Duration {
        self.local.block_on(&self.runtime, async { self.begun.elapsed() })
    }

    /// Lets time pass up to a moment; with `stop`, until something is sent.
    fn pass(&mut self, until: Duration, stop: bool, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        let Live { local, outbox, begun, runtime, running, .. } = self;
        let end = *begun + until;
        local.block_on(runtime, async {
            loop {
                let sent = tokio::time::timeout_at(end, outbox.recv()).await;
                let is_over = match sent {
                    Ok(Some((channel, value))) => {
                        let at = nanoseconds(begun.elapsed());
                        seen.push(Arc::new(Message { at, channel, value }));
                        check_flood(seen)?;
                        stop
                    }
                    Ok(None) => {
                        tokio::time::sleep_until(end).await;
                        true
                    }
                    Err(_) => true,
                };
                if is_over {
                    break;
                }
            }
            turns().await;
            Live::take(outbox, *begun, seen)
        })?;
        if running.is_finished()
            && let Err(error) = local.block_on(runtime, running)
            && error.is_panic()
        {
            // A panic is a failure like any other: the engine sees to it.
            std::panic::resume_unwind(error.into_panic());
        }
        Ok(())
    }
}

impl Bus for AsyncBus {
    fn begin(&mut self, case: &mut Case) -> Result<Vec<Arc<Message>>, Trouble> {
        self.live = None;
        let trouble = |what: String| Trouble::new(TroubleKind::Start, what);
        if tokio::runtime::Handle::try_current().is_ok() {
            return Err(trouble("it has a runtime of its own, and cannot run inside of another: call it from a plain `#[test]`".into()));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.map_err(|error| trouble(error.to_string()))?;
        let local = LocalSet::new();
        let (inbox, receiver) = unbounded_channel();
        let (sender, mut outbox) = unbounded_channel();
        let system = (self.start)(case, receiver, Outgoing { sender });
        let (running, begun) = local.block_on(&runtime, async {
            let begun = Instant::now();
            let running = tokio::task::spawn_local(system);
            turns().await;
            (running, begun)
        });
        let mut before = Vec::new();
        while let Ok((channel, value)) = outbox.try_recv() {
            before.push(Arc::new(Message { at: 0, channel, value }));
            check_flood(&before)?;
        }
        self.live = Some(Live { local, inbox, outbox, running, begun, runtime });
        Ok(before)
    }

    fn publish(&mut self, message: &Arc<Message>, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        let live = self.live()?;
        let at = Duration::from_nanos(message.at);
        // Messages of an instant are taken before its timers: so time stops just before it.
        let before = at.saturating_sub(Duration::from_millis(1));
        if live.elapsed() < before {
            live.pass(before, false, seen)?;
        }
        seen.push(Arc::clone(message));
        let Live { local, inbox, outbox, begun, runtime, .. } = live;
        // (Whoever has ended does not listen.)
        let _ = inbox.send((**message).clone());
        local.block_on(runtime, async {
            let left = (*begun + at).saturating_duration_since(Instant::now());
            if !left.is_zero() {
                tokio::time::advance(left).await;
            }
            turns().await;
            Live::take(outbox, *begun, seen)
        })
    }

    fn pass(&mut self, until: u64, stop: bool, seen: &mut Vec<Arc<Message>>) -> Result<u64, Trouble> {
        let before = seen.len();
        let live = self.live()?;
        live.pass(Duration::from_nanos(until), stop, seen)?;
        Ok(match seen.last() {
            Some(last) if stop && seen.len() > before => last.at,
            _ => until,
        })
    }

    fn finish(&mut self) {
        self.live = None;
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn draws(&self) -> bool {
        true
    }
}
