//! A connection to a broker. A thread of its own notes when something comes, whoever is busy with something else meanwhile.

mod secret;

use crate::options::MqttOptions;
use gainsay_msg::{Trouble, TroubleKind};
use rumqttc::mqttbytes::Error as PacketError;
use rumqttc::{
    Client, Connection, ConnectionError, Event, Outgoing, Packet, Publish, StateError, SubscribeFilter,
    SubscribeReasonCode,
};
use std::hash::{BuildHasher, RandomState};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A connection. It ends with this value.
pub(crate) struct Link {
    client: Client,
    /// What comes, and when it came.
    events: Option<Receiver<Heard>>,
    listener: Option<JoinHandle<()>>,
    address: String,
    /// The broker may take so long to answer.
    answer_max: Duration,
}

type Heard = (Instant, Result<Event, ConnectionError>);

/// Called with what is sent to us meanwhile.
type Meanwhile<'a> = &'a mut dyn FnMut(Instant, Publish) -> Result<(), Trouble>;

/// So much may have come before somebody looks.
const WAITING_MAX: usize = 1 << 15;

/// No message is larger.
const PACKET_MAX: usize = 16 << 20;

/// Requests that may wait: there is one at a time.
const REQUESTS_MAX: usize = 16;

/// A topic to which nobody has subscribed.
const NOBODY: &str = "gainsay/nobody";

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Link {
    /// Connects under a name that nobody has; what is wrong and the way out, if that is not possible.
    pub(crate) fn connect(options: &MqttOptions) -> Result<Link, String> {
        let address = options.address();
        let host = if options.host.contains(':') && !options.tls {
            format!("[{}]", options.host)
        } else {
            options.host.clone()
        };
        let mut wire = rumqttc::MqttOptions::new(unique(&options.client_id), host, options.port);
        wire.set_keep_alive(options.keep_alive.max(Duration::from_secs(1)));
        wire.set_max_packet_size(PACKET_MAX, PACKET_MAX);
        if let Some(user) = &options.user {
            wire.set_credentials(user, options.password.as_deref().unwrap_or_default());
        }
        if options.tls {
            wire.set_transport(secret::transport(options.ca.as_deref())?);
        }
        let (client, mut connection) = Client::new(wire, REQUESTS_MAX);
        let network = &mut connection.eventloop.network_options;
        // Messages are short, and their time matters.
        network.set_tcp_nodelay(true);
        network.set_connection_timeout(options.answer_max.as_secs().max(1));
        let (sender, events) = sync_channel(WAITING_MAX);
        let listener = std::thread::spawn(move || listen(&mut connection, &sender));
        // (The thread has the limit.)
        match events.recv() {
            Ok((_, Ok(_))) => {
                let answer_max = options.answer_max;
                Ok(Link { client, events: Some(events), listener: Some(listener), address, answer_max })
            }
            Ok((_, Err(error))) => Err(no_connection(options, &error)),
            Err(_) => Err(format!("failed to connect to `{address}`")),
        }
    }

    /// The next that comes before the limit; what a broker says besides messages is left out.
    pub(crate) fn hear(&self, limit: Duration) -> Result<Option<(Instant, Publish)>, Trouble> {
        let until = Instant::now() + limit;
        loop {
            match self.event(until)? {
                None => return Ok(None),
                Some((at, Event::Incoming(Packet::Publish(publish)))) => return Ok(Some((at, publish))),
                Some(_) => {}
            }
        }
    }

    /// Subscribes to all of these; which of them are refused.
    pub(crate) fn subscribe(
        &self,
        filters: &[String],
        options: &MqttOptions,
        meanwhile: Meanwhile<'_>,
    ) -> Result<Vec<String>, Trouble> {
        if filters.is_empty() {
            return Ok(Vec::new());
        }
        let all = filters.iter().map(|filter| SubscribeFilter::new(filter.clone(), options.quality()));
        self.asked(self.client.try_subscribe_many(all))?;
        let mut refused = Vec::new();
        self.until(meanwhile, |event| {
            let Event::Incoming(Packet::SubAck(answer)) = event else { return false };
            let codes = answer.return_codes.iter().zip(filters);
            refused.extend(
                codes
                    .filter(|(code, _)| **code == SubscribeReasonCode::Failure)
                    .map(|(_, filter)| filter.clone()),
            );
            true
        })?;
        Ok(refused)
    }

    /// Waits until the broker has sent us what it had for us: it answers one thing after the other.
    pub(crate) fn catch_up(&self, meanwhile: Meanwhile<'_>) -> Result<(), Trouble> {
        self.asked(self.client.try_unsubscribe(NOBODY))?;
        self.until(meanwhile, |event| matches!(event, Event::Incoming(Packet::UnsubAck(_))))?;
        Ok(())
    }

    /// Sends a message; when it was sent. All that came before is handed on, and nothing that it causes.
    pub(crate) fn send(&self, message: Publish, meanwhile: Meanwhile<'_>) -> Result<Sent, Trouble> {
        let Publish { topic, qos, retain, payload, .. } = message;
        self.asked(self.client.try_publish(topic, qos, retain, payload))?;
        let mut id = 0;
        let at = self.until(meanwhile, |event| match event {
            Event::Outgoing(Outgoing::Publish(sent)) => {
                id = *sent;
                true
            }
            _ => false,
        })?;
        Ok(Sent { at, id })
    }

    /// Waits until the broker has a message for sure, if it says so at all.
    pub(crate) fn await_taken(&self, sent: &Sent, meanwhile: Meanwhile<'_>) -> Result<(), Trouble> {
        if sent.id == 0 {
            return Ok(());
        }
        self.until(meanwhile, |event| match event {
            Event::Incoming(Packet::PubAck(answer)) => answer.pkid == sent.id,
            Event::Incoming(Packet::PubComp(answer)) => answer.pkid == sent.id,
            _ => false,
        })?;
        Ok(())
    }

    /// Waits for something; when it came.
    fn until(
        &self,
        meanwhile: Meanwhile<'_>,
        mut is_it: impl FnMut(&Event) -> bool,
    ) -> Result<Instant, Trouble> {
        let until = Instant::now() + self.answer_max;
        loop {
            match self.event(until)? {
                None => return Err(self.gone(&format!("it has not answered for {:?}", self.answer_max))),
                Some((at, event)) if is_it(&event) => return Ok(at),
                Some((at, Event::Incoming(Packet::Publish(publish)))) => meanwhile(at, publish)?,
                Some(_) => {}
            }
        }
    }

    fn event(&self, until: Instant) -> Result<Option<(Instant, Event)>, Trouble> {
        let heard = self
            .events
            .as_ref()
            .map(|events| events.recv_timeout(until.saturating_duration_since(Instant::now())));
        match heard {
            Some(Ok((at, Ok(event)))) => Ok(Some((at, event))),
            Some(Ok((
                _,
                Err(ConnectionError::MqttState(StateError::Deserialization(
                    PacketError::PayloadSizeLimitExceeded(size),
                ))),
            ))) => {
                let what = format!("a message of {size} bytes is larger than {} MB", PACKET_MAX >> 20);
                Err(Trouble::new(TroubleKind::Malformed, what))
            }
            Some(Ok((_, Err(error)))) => Err(self.gone(&reason(&error))),
            Some(Err(RecvTimeoutError::Timeout)) => Ok(None),
            Some(Err(RecvTimeoutError::Disconnected)) | None => Err(self.gone("the connection has ended")),
        }
    }

    fn asked(&self, asked: Result<(), rumqttc::ClientError>) -> Result<(), Trouble> {
        asked.map_err(|_| self.gone("it takes nothing any more"))
    }

    fn gone(&self, why: &str) -> Trouble {
        Trouble::new(TroubleKind::Lost, format!("the broker at {} is gone: {why}", self.address))
    }
}

/// A message that was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    /// When.
    pub(crate) at: Instant,
    /// Its number, if its arrival is acknowledged.
    id: u16,
}

impl Drop for Link {
    fn drop(&mut self) {
        let is_told = self.client.try_disconnect().is_ok();
        // Whoever waits for somebody to listen need not wait any more.
        self.events = None;
        let Some(listener) = self.listener.take().filter(|_| is_told) else { return };
        let begun = Instant::now();
        // (Then it ends some time later.)
        while !listener.is_finished() && begun.elapsed() < Duration::from_secs(1) {
            std::thread::park_timeout(Duration::from_micros(200));
        }
    }
}

/// Notes what comes until the connection ends.
fn listen(connection: &mut Connection, heard: &SyncSender<Heard>) {
    while let Ok(event) = connection.recv() {
        let is_over = matches!(event, Err(_) | Ok(Event::Outgoing(Outgoing::Disconnect)));
        // (If nobody listens any more, the connection ends soon, but in good order.)
        let _ = heard.send((Instant::now(), event));
        if is_over {
            return;
        }
    }
}

/// A name for a connection that nobody else has.
fn unique(prefix: &str) -> String {
    const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    // (Every state of this kind is another one.)
    let mut number = RandomState::new().hash_one((std::process::id(), Instant::now()));
    let mut name = prefix.to_string();
    while number > 0 {
        name.push(char::from(DIGITS[(number % 36) as usize]));
        number /= 36;
    }
    name
}

/// Why there is no connection, and the way out.
fn no_connection(options: &MqttOptions, error: &ConnectionError) -> String {
    let address = options.address();
    let why = reason(error);
    match error {
        ConnectionError::ConnectionRefused(_) => {
            let who =
                options.user.as_ref().map_or("nobody in particular".to_string(), |user| format!("`{user}`"));
            format!("the broker at {address} refuses {who}: {why}; set `user` and `password` in `[mqtt]`")
        }
        ConnectionError::Tls(_) => {
            format!(
                "the broker at {address} is not trusted: {why}; set `ca` in `[mqtt]` to the file of who vouches for it"
            )
        }
        ConnectionError::MqttState(_) if !options.tls => {
            format!(
                "there is something at {address}, but no broker that speaks with us: {why}; does it need `tls = true` in `[mqtt]`?"
            )
        }
        _ => format!(
            "there is no broker at {address}: {why}; start one (`mosquitto -p {}`), or set `host` and `port` in `[mqtt]`",
            options.port
        ),
    }
}

fn reason(error: &ConnectionError) -> String {
    match error {
        ConnectionError::Io(error) => error.to_string(),
        ConnectionError::Tls(rumqttc::TlsError::Io(error)) => error.to_string(),
        ConnectionError::MqttState(StateError::Io(error)) => error.to_string(),
        ConnectionError::MqttState(StateError::ConnectionAborted) => "it has closed the connection".into(),
        ConnectionError::MqttState(StateError::AwaitPingResp) => "it does not answer".into(),
        ConnectionError::NetworkTimeout | ConnectionError::FlushTimeout => "it does not answer".into(),
        ConnectionError::ConnectionRefused(code) => format!("{code:?}"),
        ConnectionError::MqttState(error) => error.to_string(),
        other => other.to_string(),
    }
}
