//! A connection to a broker. A thread of its own notes when something comes, whoever is busy with something else meanwhile.

mod session;
mod tls;

use crate::options::MqttOptions;
use gainsay_msg::{Trouble, TroubleKind};
use rumqttc::{
    Disconnect, Packet, Publish, Request, Subscribe, SubscribeFilter, SubscribeReasonCode, Unsubscribe,
};
use session::{Connection, Failure, PACKET_MAX};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A connection. It ends with this value.
pub(crate) struct Link {
    connection: Arc<Connection>,
    listener: Option<JoinHandle<()>>,
    address: String,
    /// The broker may take so long to answer.
    answer_max: Duration,
}

/// Called with what is sent to us meanwhile.
type Meanwhile<'a> = &'a mut dyn FnMut(Instant, Publish) -> Result<(), Trouble>;

/// A broker that is told of our end may take so long to end the connection.
const FAREWELL_MAX: Duration = Duration::from_secs(1);

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
        let tls = options.tls.then(|| tls::config(options.ca.as_deref())).transpose()?;
        let address = options.address();
        let name = unique(&options.client_id);
        let (sender, opened) = sync_channel(1);
        let owned = options.clone();
        // The thread looks up the name of the machine as well, which has no limit of its own.
        let listener = std::thread::spawn(move || match Connection::open(&owned, name, tls) {
            Ok(connection) => {
                let connection = Arc::new(connection);
                if sender.send(Ok(Arc::clone(&connection))).is_ok() {
                    connection.listen(owned.keep_alive.max(Duration::from_secs(1)));
                }
            }
            Err(failure) => drop(sender.send(Err(failure))),
        });
        let answer_max = options.answer_max;
        match opened.recv_timeout(answer_max) {
            Ok(Ok(connection)) => Ok(Link { connection, listener: Some(listener), address, answer_max }),
            Ok(Err(failure)) => Err(no_connection(options, &failure)),
            Err(_) => Err(no_connection(options, &Failure::no_answer())),
        }
    }

    /// The next that comes before the limit; what a broker says besides messages is left out.
    pub(crate) fn hear(&self, limit: Duration) -> Result<Option<(Instant, Publish)>, Trouble> {
        let until = Instant::now() + limit;
        loop {
            match self.next(until)? {
                None => return Ok(None),
                Some((at, Packet::Publish(publish))) => return Ok(Some((at, publish))),
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
        self.ask(Request::Subscribe(Subscribe::new_many(all)), meanwhile)?;
        let mut refused = Vec::new();
        self.until(meanwhile, |packet| {
            let Packet::SubAck(answer) = packet else { return false };
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
        self.ask(Request::Unsubscribe(Unsubscribe::new(NOBODY)), meanwhile)?;
        self.until(meanwhile, |packet| matches!(packet, Packet::UnsubAck(_)))
    }

    /// Sends a message; when it was sent. All that came before is handed on, and nothing that it causes.
    pub(crate) fn send(&self, message: Publish, meanwhile: Meanwhile<'_>) -> Result<Sent, Trouble> {
        self.ask(Request::Publish(message), meanwhile)
    }

    /// Waits until the broker has a message for sure, if it says so at all.
    pub(crate) fn await_taken(&self, sent: &Sent, meanwhile: Meanwhile<'_>) -> Result<(), Trouble> {
        if sent.id == 0 {
            return Ok(());
        }
        self.until(meanwhile, |packet| match packet {
            Packet::PubAck(answer) => answer.pkid == sent.id,
            Packet::PubComp(answer) => answer.pkid == sent.id,
            _ => false,
        })
    }

    /// Sends something, and hands on what came before.
    fn ask(&self, request: Request, meanwhile: Meanwhile<'_>) -> Result<Sent, Trouble> {
        let (before, sent) = self.connection.send(request);
        for (at, packet) in before {
            if let Packet::Publish(publish) = packet {
                meanwhile(at, publish)?;
            }
        }
        let (at, id) = sent.map_err(|failure| self.trouble(&failure))?;
        Ok(Sent { at, id })
    }

    /// Waits for something.
    fn until(&self, meanwhile: Meanwhile<'_>, mut is_it: impl FnMut(&Packet) -> bool) -> Result<(), Trouble> {
        let until = Instant::now() + self.answer_max;
        loop {
            match self.next(until)? {
                None => return Err(self.gone(&format!("it has not answered for {:?}", self.answer_max))),
                Some((_, packet)) if is_it(&packet) => return Ok(()),
                Some((at, Packet::Publish(publish))) => meanwhile(at, publish)?,
                Some(_) => {}
            }
        }
    }

    fn next(&self, until: Instant) -> Result<Option<(Instant, Packet)>, Trouble> {
        self.connection.next(until).map_err(|failure| self.trouble(&failure))
    }

    fn trouble(&self, failure: &Failure) -> Trouble {
        match failure {
            Failure::TooLarge(size) => {
                let what = format!("a message of {size} bytes is larger than {} MB", PACKET_MAX >> 20);
                Trouble::new(TroubleKind::Malformed, what)
            }
            other => self.gone(other.why()),
        }
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
        self.connection.say_farewell(Request::Disconnect(Disconnect));
        let Some(listener) = self.listener.take() else { return };
        let begun = Instant::now();
        while !listener.is_finished() && begun.elapsed() < FAREWELL_MAX {
            std::thread::park_timeout(Duration::from_micros(200));
        }
        self.connection.hang_up();
        // (A listener that has failed has nothing left to tell.)
        let _ = listener.join();
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
fn no_connection(options: &MqttOptions, failure: &Failure) -> String {
    let address = options.address();
    let why = failure.why();
    match failure {
        Failure::Refused(_) => {
            let who =
                options.user.as_ref().map_or("nobody in particular".to_string(), |user| format!("`{user}`"));
            format!("the broker at {address} refuses {who}: {why}; set `user` and `password` in `[mqtt]`")
        }
        Failure::Untrusted(_) => {
            format!(
                "the broker at {address} is not trusted: {why}; set `ca` in `[mqtt]` to the file of who vouches for it"
            )
        }
        Failure::Protocol(_) | Failure::TooLarge(_) if !options.tls => {
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
