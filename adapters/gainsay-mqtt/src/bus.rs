//! The bus.

use crate::link::Link;
use crate::options::{Clear, MqttOptions};
use crate::topics::Topics;
use gainsay_core::Case;
use gainsay_msg::{Bus, Channel, Direction, Message, Ready, Starting, Trouble, TroubleKind, check_flood};
use gainsay_subject::Process;
use rumqttc::{Publish, QoS};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A system whose messages go through a broker, in real time.
///
/// For each run the system is started anew, if there is a program to start; otherwise somebody else runs it. What is seen before it is ready is
/// not judged. Retained messages are removed before. A channel is a topic: the one that it names, or its own name without the `/` in front.
/// Outputs may have wildcards (`home/+/heater`): a message belongs to the channel with the most specific topic that matches. Messages on
/// other topics are passed over.
///
/// Times are those at which messages come and go here. Our own messages are seen when they are sent, so before all that they cause; what the
/// system has sent before, and comes later, is seen after them. Brokers take time: mosquitto lets small messages wait for each other, 40 ms and
/// more, unless it is told `set_tcp_nodelay true`.
///
/// ```no_run
/// use gainsay_mqtt::{MqttBus, MqttOptions};
/// use gainsay_msg::{SystemFile, SystemTest};
///
/// let (file, _) = SystemFile::read("system.toml".as_ref()).map_err(|wrong| wrong.to_string())?;
/// let options = MqttOptions::from_values(&file.options)?.in_folder(&file.folder);
/// let mut bus = MqttBus::new(options, &file.system.channels, file.starting.clone())?;
/// let tested = SystemTest::new(&file.system, "p1").run(&mut bus)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MqttBus {
    options: MqttOptions,
    topics: Topics,
    starting: Option<Starting>,
    process: Option<Process>,
    link: Option<Link>,
    /// Whether messages on inputs are somebody else's.
    hears_inputs: bool,
    /// Whether there has been a broker.
    has_connected: bool,
    begun: Instant,
    now: u64,
    /// When somebody has looked last whether the process lives.
    looked: Instant,
}

/// More retained messages are not removed.
const RETAINED_MAX: usize = 10_000;

/// Somebody looks so often whether the process lives.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Somebody looks so often whether it is ready.
const READY_EVERY: Duration = Duration::from_millis(2);

impl MqttBus {
    /// A system on a broker, not started yet.
    ///
    /// # Errors
    /// If a channel has no topic on which its messages can be, or it can never be known that the system is ready.
    pub fn new(
        options: MqttOptions,
        channels: &[Channel],
        starting: Option<Starting>,
    ) -> Result<MqttBus, String> {
        let topics = Topics::new(channels, options.codec)?;
        match starting.as_ref().map(|starting| &starting.ready) {
            Some(Ready::Idle) => {
                return Err(
                    "a system on a broker does not say `idle`: it is ready `now`, or when it says something \
                            (`stderr: words`), listens (`port: 80`), or sends on a channel"
                        .into(),
                );
            }
            Some(Ready::Channel(name)) => match topics.channel(name) {
                None => {
                    return Err(format!(
                        "the system is ready when it sends on `{name}`, but there is no such channel"
                    ));
                }
                Some(route) if route.direction == Direction::In => {
                    return Err(format!(
                        "the system is ready when it sends on `{name}`, but tests send on that channel"
                    ));
                }
                Some(_) => {}
            },
            _ => {}
        }
        let now = Instant::now();
        Ok(MqttBus {
            options,
            topics,
            starting,
            process: None,
            link: None,
            hears_inputs: false,
            has_connected: false,
            begun: now,
            now: 0,
            looked: now,
        })
    }

    /// Hears what others send on inputs as well: for somebody who only watches.
    #[must_use]
    pub fn hearing_inputs(mut self) -> MqttBus {
        self.hears_inputs = true;
        self
    }

    fn connect(&mut self) -> Result<Link, Trouble> {
        // A broker that was there before is somebody else's trouble.
        let kind = if self.has_connected { TroubleKind::Lost } else { TroubleKind::Start };
        let link = Link::connect(&self.options).map_err(|what| Trouble::new(kind, what))?;
        self.has_connected = true;
        Ok(link)
    }

    /// Removes what the broker has kept.
    fn clear(&mut self) -> Result<(), Trouble> {
        let Clear::Channels(besides) = &self.options.clear else { return Ok(()) };
        let filters: BTreeSet<&str> =
            self.topics.filters().chain(besides.iter().map(String::as_str)).collect();
        let filters: Vec<String> = filters.into_iter().map(String::from).collect();
        // (A connection of its own: what it subscribes to is nobody else's business.)
        let link = self.connect()?;
        let mut kept = BTreeSet::new();
        let mut note = |_, publish: Publish| {
            if publish.retain {
                kept.insert(publish.topic);
            }
            if kept.len() > RETAINED_MAX {
                let what = format!("the broker has more than {RETAINED_MAX} retained messages to clear");
                return Err(Trouble::new(TroubleKind::Start, what));
            }
            Ok(())
        };
        // (What we may not read is not ours to remove.)
        link.subscribe(&filters, &self.options, &mut note)?;
        link.catch_up(&mut note)?;
        for topic in kept {
            let mut nothing = Publish::new(topic, QoS::AtLeastOnce, Vec::new());
            nothing.retain = true;
            let sent = link.send(nothing, &mut |_, _| Ok(()))?;
            link.await_taken(&sent, &mut |_, _| Ok(()))?;
        }
        Ok(())
    }

    fn start(&mut self, link: &Link, before: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        let Some(starting) = self.starting.clone() else { return Ok(()) };
        let trouble = |what: String| Trouble::new(TroubleKind::Start, what);
        let mut process = Process::start(starting.command()?).map_err(|error| trouble(error.to_string()))?;
        let begun = Instant::now();
        loop {
            let is_ready = match &starting.ready {
                Ready::Now | Ready::Idle => true,
                Ready::Channel(name) => match link.hear(READY_EVERY)? {
                    Some((_, publish)) => {
                        self.note(&publish, before)?;
                        !publish.retain
                            && self
                                .topics
                                .of_topic(&publish.topic)
                                .is_some_and(|route| *route.channel == **name)
                    }
                    _ => false,
                },
                Ready::Words(words) => process.words().contains(words.as_str()),
                Ready::Port(port) => {
                    let address = SocketAddr::from(([127, 0, 0, 1], *port));
                    gainsay_subject::connect(&address, Duration::from_millis(200)).is_ok()
                }
            };
            if is_ready {
                break;
            }
            if process.has_ended() {
                return Err(trouble(process.last_words()));
            }
            if begun.elapsed() > starting.start_max {
                let said = process.words();
                let said = if said.is_empty() { said } else { format!("; it said: {said}") };
                let program = starting.command.join(" ");
                return Err(trouble(format!(
                    "`{program}` was not ready within {:?}{said}",
                    starting.start_max
                )));
            }
            if !matches!(starting.ready, Ready::Channel(_))
                && let Some((_, publish)) = link.hear(READY_EVERY)?
            {
                self.note(&publish, before)?;
            }
        }
        self.process = Some(process);
        Ok(())
    }

    /// Waits until a real moment, hearing what is said meanwhile; with `stop`, until something is.
    fn wait_until(&mut self, at: u64, stop: bool, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        let link = self.link.take().ok_or_else(not_begun)?;
        let done = self.wait_with(&link, at, stop, seen);
        self.link = Some(link);
        done
    }

    fn wait_with(
        &mut self,
        link: &Link,
        at: u64,
        stop: bool,
        seen: &mut Vec<Arc<Message>>,
    ) -> Result<(), Trouble> {
        loop {
            let left = Duration::from_nanos(at).saturating_sub(self.begun.elapsed());
            let heard = link.hear(left.min(LOOK_EVERY))?;
            let is_over = heard.is_none() && left.is_zero();
            let before = seen.len();
            if let Some((at, publish)) = heard {
                self.take(at, &publish, seen)?;
            }
            if is_over || self.looked.elapsed() > LOOK_EVERY {
                self.look(link, seen)?;
            }
            if is_over || stop && seen.len() > before {
                self.now = self.now.max(nanoseconds(self.begun.elapsed()));
                return Ok(());
            }
        }
    }

    /// Looks whether the process lives.
    fn look(&mut self, link: &Link, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        self.looked = Instant::now();
        if !self.process.as_mut().is_some_and(Process::has_ended) {
            return Ok(());
        }
        // The last that it has sent is still seen. If the broker is gone, that may be why it has ended.
        link.catch_up(&mut |at, publish| self.take(at, &publish, seen))?;
        let words = self.process.as_mut().map(Process::last_words).unwrap_or_default();
        Err(Trouble::new(TroubleKind::Died, words))
    }

    /// Notes what came before the start; what cannot be read is passed over.
    fn note(&self, publish: &Publish, before: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        let Some((channel, value)) = self.said(publish) else { return Ok(()) };
        if let Ok(value) = value {
            before.push(Arc::new(Message { at: 0, channel, value }));
        }
        check_flood(before)
    }

    /// What the system says, and on which channel, if it is the system who says it, and now.
    fn said(&self, publish: &Publish) -> Option<(Arc<str>, Result<gainsay_msg::Value, String>)> {
        // Retained messages are of the past: those of now come without this mark.
        if publish.retain {
            return None;
        }
        // What nobody has asked for comes where a filter is wider than its channels; what we have sent ourselves was seen before.
        let is_heard = |direction: Direction| self.hears_inputs || direction != Direction::In;
        let route = self.topics.of_topic(&publish.topic).filter(|route| is_heard(route.direction))?;
        Some((Arc::clone(&route.channel), route.codec.read(&publish.payload)))
    }

    /// Takes what came.
    fn take(&mut self, at: Instant, publish: &Publish, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        let Some(at) = at.checked_duration_since(self.begun) else { return Ok(()) };
        let Some((channel, value)) = self.said(publish) else { return Ok(()) };
        let value = value.map_err(|why| {
            let payload = shortened(&String::from_utf8_lossy(&publish.payload));
            Trouble::new(
                TroubleKind::Malformed,
                format!("{why}, in `{payload}` on topic `{}`", publish.topic),
            )
        })?;
        self.add(nanoseconds(at), channel, value, seen)
    }

    fn add(
        &mut self,
        at: u64,
        channel: Arc<str>,
        value: gainsay_msg::Value,
        seen: &mut Vec<Arc<Message>>,
    ) -> Result<(), Trouble> {
        self.now = self.now.max(at);
        seen.push(Arc::new(Message { at: self.now, channel, value }));
        check_flood(seen)
    }

    fn send(&mut self, link: &Link, message: &Message, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        let Some(route) = self.topics.channel(&message.channel) else {
            let what = format!("there is no channel `{}` to send on", message.channel);
            return Err(Trouble::new(TroubleKind::Undeclared, what));
        };
        let payload = route.codec.write(&message.value).map_err(|why| {
            Trouble::new(TroubleKind::IllTyped, format!("nobody can send {message}: {why}"))
        })?;
        let publish = Publish::new(&route.filter, self.options.quality(), payload);
        let sent = link.send(publish, &mut |at, publish| self.take(at, &publish, seen))?;
        let at = nanoseconds(sent.at.saturating_duration_since(self.begun)).max(message.at);
        self.add(at, Arc::clone(&message.channel), message.value.clone(), seen)?;
        link.await_taken(&sent, &mut |at, publish| self.take(at, &publish, seen))
    }
}

fn not_begun() -> Trouble {
    Trouble::new(TroubleKind::Lost, "there is no connection to a broker")
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}

impl Bus for MqttBus {
    fn begin(&mut self, _: &mut Case) -> Result<Vec<Arc<Message>>, Trouble> {
        self.finish();
        self.clear()?;
        let link = self.connect()?;
        let refused =
            link.subscribe(&self.topics.subscriptions(self.hears_inputs), &self.options, &mut |_, _| Ok(()))?;
        if let Some(filter) = refused.first() {
            let what = format!("the broker at {} does not let us read `{filter}`", self.options.address());
            return Err(Trouble::new(TroubleKind::Start, what));
        }
        let mut before = Vec::new();
        self.start(&link, &mut before)?;
        while let Some((_, publish)) = link.hear(Duration::ZERO)? {
            self.note(&publish, &mut before)?;
        }
        self.link = Some(link);
        self.begun = Instant::now();
        self.looked = self.begun;
        self.now = 0;
        Ok(before)
    }

    fn publish(&mut self, message: &Arc<Message>, seen: &mut Vec<Arc<Message>>) -> Result<(), Trouble> {
        self.wait_until(message.at, false, seen)?;
        let link = self.link.take().ok_or_else(not_begun)?;
        let done = self.send(&link, message, seen);
        self.link = Some(link);
        done
    }

    fn pass(&mut self, until: u64, stop: bool, seen: &mut Vec<Arc<Message>>) -> Result<u64, Trouble> {
        self.wait_until(until, stop, seen)?;
        Ok(self.now)
    }

    fn finish(&mut self) {
        self.process = None;
        self.link = None;
    }

    fn is_virtual(&self) -> bool {
        false
    }
}
