//! Systems in this process, in virtual time.

use super::{Bus, Trouble, TroubleKind, check_flood};
use crate::time;
use crate::trace::Message;
use crate::value::Value;
use gainsay_core::Case;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// A part of a system: messages go in, messages come out, and time passes.
///
/// ```
/// use gainsay_msg::{Message, Node, Outbox, message};
///
/// /// Repeats what it hears, half a second later.
/// struct Echo {
///     heard: Vec<(u64, gainsay_msg::Value)>,
/// }
///
/// impl Node for Echo {
///     fn receive(&mut self, message: &Message, _: &mut Outbox) {
///         self.heard.push((message.at + 500_000_000, message.value.clone()));
///     }
///
///     fn wake_at(&self) -> Option<u64> {
///         self.heard.first().map(|(at, _)| *at)
///     }
///
///     fn wake(&mut self, _: u64, out: &mut Outbox) {
///         let (_, value) = self.heard.remove(0);
///         out.publish("/echo", value);
///     }
/// }
/// ```
pub trait Node {
    /// Whether it listens to a channel. All do, unless they say otherwise; what a node has sent itself it never hears.
    fn subscribes(&self, _channel: &str) -> bool {
        true
    }

    /// It begins, at time 0.
    fn start(&mut self, _out: &mut Outbox) {}

    /// A message has come.
    fn receive(&mut self, message: &Message, out: &mut Outbox);

    /// When it wants to be woken, in nanoseconds since the start.
    fn wake_at(&self) -> Option<u64> {
        None
    }

    /// It is woken.
    fn wake(&mut self, _at: u64, _out: &mut Outbox) {}
}

/// What a node sends.
#[derive(Debug, Default)]
pub struct Outbox {
    sent: Vec<(Arc<str>, Value)>,
}

impl Outbox {
    /// Sends a message.
    pub fn publish(&mut self, channel: impl Into<Arc<str>>, value: impl Into<Value>) {
        self.sent.push((channel.into(), value.into()));
    }
}

/// Makes the nodes of a run.
type MakeNodes = Box<dyn FnMut(&mut Case) -> Vec<Box<dyn Node>>>;

/// Nodes in this process, in virtual time. At one instant messages are taken before anybody is woken, one at a time, each followed by what
/// comes of it.
pub struct EmbeddedBus {
    make: MakeNodes,
    nodes: Vec<Box<dyn Node>>,
    now: u64,
    /// Wakings without any time passing.
    restless: usize,
    out: Outbox,
}

impl fmt::Debug for EmbeddedBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedBus")
            .field("nodes", &self.nodes.len())
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// So often somebody may be woken at one instant.
const RESTLESS_MAX: usize = 10_000;

impl EmbeddedBus {
    /// A bus of nodes, which are made anew for each run; what differs between runs is drawn from the case.
    pub fn new(make: impl FnMut(&mut Case) -> Vec<Box<dyn Node>> + 'static) -> EmbeddedBus {
        EmbeddedBus { make: Box::new(make), nodes: Vec::new(), now: 0, restless: 0, out: Outbox::default() }
    }

    /// A bus of one node.
    pub fn of_node<N: Node + 'static>(mut make: impl FnMut(&mut Case) -> N + 'static) -> EmbeddedBus {
        EmbeddedBus::new(move |case| vec![Box::new(make(case))])
    }

    /// Delivers messages to all but who has sent them, until there are no more.
    fn deliver(
        &mut self,
        first: VecDeque<(Option<usize>, Arc<Message>)>,
        seen: &mut Vec<Arc<Message>>,
    ) -> Result<(), Trouble> {
        let mut waiting = first;
        while let Some((sender, message)) = waiting.pop_front() {
            seen.push(Arc::clone(&message));
            check_flood(seen)?;
            for number in 0..self.nodes.len() {
                if Some(number) == sender || !self.nodes[number].subscribes(&message.channel) {
                    continue;
                }
                self.nodes[number].receive(&message, &mut self.out);
                self.collect(number, &mut waiting);
            }
        }
        Ok(())
    }

    /// What a node has sent.
    fn collect(&mut self, number: usize, waiting: &mut VecDeque<(Option<usize>, Arc<Message>)>) {
        for (channel, value) in self.out.sent.drain(..) {
            waiting.push_back((Some(number), Arc::new(Message { at: self.now, channel, value })));
        }
    }

    /// Who is woken next, and when.
    fn next(&self) -> Option<(u64, usize)> {
        let times =
            self.nodes.iter().enumerate().filter_map(|(number, node)| Some((node.wake_at()?, number)));
        times.min()
    }

    fn wake(&mut self, at: u64, number: usize, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        self.restless = if at > self.now { 0 } else { self.restless + 1 };
        if self.restless > RESTLESS_MAX {
            let what = format!("it wants to be woken again and again at {} ms", time::shown_ms(self.now));
            return Err(Trouble::new(TroubleKind::Clock, what));
        }
        self.now = self.now.max(at);
        self.nodes[number].wake(self.now, &mut self.out);
        let mut waiting = VecDeque::new();
        self.collect(number, &mut waiting);
        self.deliver(waiting, seen)
    }
}

impl Bus for EmbeddedBus {
    fn begin(&mut self, case: &mut Case) -> Result<Vec<Arc<Message>>, Trouble> {
        self.nodes = (self.make)(case);
        self.now = 0;
        self.restless = 0;
        self.out.sent.clear();
        let mut waiting = VecDeque::new();
        for number in 0..self.nodes.len() {
            self.nodes[number].start(&mut self.out);
            self.collect(number, &mut waiting);
        }
        let mut before = Vec::new();
        self.deliver(waiting, &mut before)?;
        Ok(before)
    }

    fn publish(&mut self, message: &Arc<Message>, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        while let Some((at, number)) = self.next().filter(|(at, _)| *at < message.at) {
            self.wake(at, number, seen)?;
        }
        self.now = self.now.max(message.at);
        self.deliver([(None, Arc::clone(message))].into(), seen)
    }

    fn pass(&mut self, until: u64, stop: bool, seen: &mut Vec<Arc<Message>>) -> Result<u64, Trouble> {
        let before = seen.len();
        while let Some((at, number)) = self.next().filter(|(at, _)| *at <= until) {
            self.wake(at, number, seen)?;
            if stop && seen.len() > before {
                return Ok(self.now);
            }
        }
        self.now = self.now.max(until);
        Ok(self.now)
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn draws(&self) -> bool {
        true
    }
}
