//! MQTT over a socket of our own: the packets and their order are rumqttc's, and what carries them is TCP, or one TLS.
//!
//! rumqttc would bring a transport as well, but with a TLS of its own beside the one that everybody else here uses.

use crate::options::MqttOptions;
use bytes::BytesMut;
use rumqttc::mqttbytes::Error as PacketError;
use rumqttc::{Connect, ConnectReturnCode, Event, MqttState, Outgoing, Packet, PingReq, Request, StateError};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// No message is larger.
pub(super) const PACKET_MAX: usize = 16 << 20;

/// So much may have come before somebody looks.
const WAITING_MAX: usize = 1 << 15;

/// So many of our messages may wait to be acknowledged: there is one at a time.
const UNACKNOWLEDGED_MAX: u16 = 100;

/// So much is read at once.
const READ_MAX: usize = 1 << 14;

/// Why there is no connection, or none any more.
#[derive(Debug, Clone)]
pub(super) enum Failure {
    /// Nobody is there, or nobody answers.
    Absent(String),
    /// Somebody is there, but nobody vouches for him.
    Untrusted(String),
    /// The broker does not want us.
    Refused(String),
    /// The connection ended, or what came is not MQTT.
    Protocol(String),
    /// A message of so many bytes.
    TooLarge(usize),
}

impl Failure {
    /// The broker takes too long.
    pub(super) fn no_answer() -> Failure {
        Failure::Absent("it does not answer".into())
    }

    /// For people.
    pub(super) fn why(&self) -> &str {
        match self {
            Failure::Absent(why)
            | Failure::Untrusted(why)
            | Failure::Refused(why)
            | Failure::Protocol(why) => why,
            Failure::TooLarge(_) => "it sends more than fits into a message",
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            // (A socket with a limit says the first of these on some systems, and the second on others.)
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::no_answer(),
            ErrorKind::UnexpectedEof => Failure::Protocol("it has closed the connection".into()),
            _ => Failure::Protocol(error.to_string()),
        }
    }
}

impl From<PacketError> for Failure {
    fn from(error: PacketError) -> Failure {
        match error {
            PacketError::PayloadSizeLimitExceeded(size) => Failure::TooLarge(size),
            other => Failure::Protocol(other.to_string()),
        }
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Failure {
        match error {
            StateError::AwaitPingResp => Failure::no_answer(),
            other => Failure::Protocol(other.to_string()),
        }
    }
}

/// What came, and when.
type Heard = (Instant, Packet);

/// A connection that two threads share: one that listens, and one that asks.
#[derive(Debug)]
pub(super) struct Connection {
    socket: TcpStream,
    session: Mutex<Session>,
    /// Something has come, or the connection has ended.
    has_come: Condvar,
    /// There is room for more to come, or nobody listens any more.
    has_room: Condvar,
}

/// The state of a connection. Whoever sends holds it, so that what came before is known to have come before.
#[derive(Debug)]
struct Session {
    state: MqttState,
    tls: Option<ClientConnection>,
    /// The beginning of a packet.
    begun: BytesMut,
    heard: VecDeque<Heard>,
    failure: Option<Failure>,
    /// Whether nobody listens any more.
    is_over: bool,
}

impl Connection {
    /// Connects, and logs in.
    pub(super) fn open(
        options: &MqttOptions,
        name: String,
        tls: Option<Arc<ClientConfig>>,
    ) -> Result<Connection, Failure> {
        let socket = socket(options)?;
        let tls = tls.map(|config| handshake(&socket, &options.host, config)).transpose()?;
        let mut session = Session {
            state: MqttState::new(UNACKNOWLEDGED_MAX, false),
            tls,
            begun: BytesMut::new(),
            heard: VecDeque::new(),
            failure: None,
            is_over: false,
        };
        let mut hello = Connect::new(name);
        let keep_alive = options.keep_alive.as_secs().clamp(1, u16::MAX.into());
        hello.keep_alive = u16::try_from(keep_alive).unwrap_or(u16::MAX);
        if let Some(user) = &options.user {
            hello.set_login(user, options.password.as_deref().unwrap_or_default());
        }
        session.write(&socket, &Packet::Connect(hello))?;
        let mut buffer = [0; READ_MAX];
        let answer = loop {
            if let Some(packet) = session.packet()? {
                break packet;
            }
            match read(&socket, &mut buffer)? {
                Some(count) => session.receive(&socket, &buffer[..count])?,
                None => return Err(Failure::no_answer()),
            }
        };
        match answer {
            Packet::ConnAck(answer) if answer.code == ConnectReturnCode::Success => {}
            Packet::ConnAck(answer) => return Err(Failure::Refused(format!("{:?}", answer.code))),
            _ => return Err(Failure::Protocol("it answers something else than is asked".into())),
        }
        let (has_come, has_room) = (Condvar::new(), Condvar::new());
        Ok(Connection { socket, session: Mutex::new(session), has_come, has_room })
    }

    /// Notes what comes until the connection ends, and asks now and then whether the broker is still there.
    pub(super) fn listen(&self, keep_alive: Duration) {
        let failure = self.listen_until_failure(keep_alive);
        self.session().failure = Some(failure);
        self.has_come.notify_all();
    }

    fn listen_until_failure(&self, keep_alive: Duration) -> Failure {
        // (Brokers wait for half as long again, so a tenth late is in time.)
        if let Err(error) = self.socket.set_read_timeout(Some(keep_alive / 10)) {
            return error.into();
        }
        let mut buffer = [0; READ_MAX];
        let mut asked = Instant::now();
        loop {
            if asked.elapsed() >= keep_alive {
                asked = Instant::now();
                if let Err(failure) = self.session().send(&self.socket, Request::PingReq(PingReq)) {
                    return failure;
                }
            }
            let done = match read(&self.socket, &mut buffer) {
                Ok(None) => Ok(()),
                Ok(Some(count)) => self.take(Instant::now(), &buffer[..count]),
                Err(failure) => Err(failure),
            };
            if let Err(failure) = done {
                return failure;
            }
        }
    }

    /// Takes bytes that came at some time, and waits while too much waits already.
    fn take(&self, at: Instant, bytes: &[u8]) -> Result<(), Failure> {
        let mut session = self.session();
        session.receive(&self.socket, bytes)?;
        while let Some(packet) = session.packet()? {
            let answer = session.state.handle_incoming_packet(packet.clone())?;
            session.state.events.clear();
            if !session.is_over {
                session.heard.push_back((at, packet));
            }
            if let Some(answer) = answer {
                session.write(&self.socket, &answer)?;
            }
        }
        self.has_come.notify_all();
        while session.heard.len() >= WAITING_MAX && !session.is_over {
            session = self.has_room.wait(session).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// The next that comes before a moment.
    pub(super) fn next(&self, until: Instant) -> Result<Option<Heard>, Failure> {
        let mut session = self.session();
        loop {
            if let Some(heard) = session.heard.pop_front() {
                self.has_room.notify_all();
                return Ok(Some(heard));
            }
            if let Some(failure) = &session.failure {
                return Err(failure.clone());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let woken = self.has_come.wait_timeout(session, left);
            session = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sends something: what came before, and when it was sent with which number, 0 if it has none.
    pub(super) fn send(&self, request: Request) -> (VecDeque<Heard>, Result<(Instant, u16), Failure>) {
        let mut session = self.session();
        let before = std::mem::take(&mut session.heard);
        self.has_room.notify_all();
        let sent = match &session.failure {
            Some(failure) => Err(failure.clone()),
            None => session.send(&self.socket, request),
        };
        // (What cannot be sent to is gone, whatever may still come from there.)
        if let Err(failure) = &sent {
            session.failure = Some(failure.clone());
        }
        (before, sent)
    }

    /// Tells the broker that we go: then it ends the connection.
    pub(super) fn say_farewell(&self, request: Request) {
        let mut session = self.session();
        session.is_over = true;
        session.heard.clear();
        self.has_room.notify_all();
        if session.failure.is_none() && session.send(&self.socket, request).is_ok() {
            if let Some(tls) = &mut session.tls {
                tls.send_close_notify();
            }
            // (Whoever does not take it learns of our end by the end of the connection.)
            let _ = session.flush(&self.socket);
            let _ = self.socket.shutdown(Shutdown::Write);
        }
    }

    /// Ends the connection at once.
    pub(super) fn hang_up(&self) {
        // (It may have ended already.)
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// A thread that has panicked leaves a session behind that can be ended in good order all the same.
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Sends something; when, and its number.
    fn send(&mut self, socket: &TcpStream, request: Request) -> Result<(Instant, u16), Failure> {
        let packet = self.state.handle_outgoing_packet(request)?;
        let number = self.state.events.drain(..).find_map(|event| match event {
            Event::Outgoing(Outgoing::Publish(number)) => Some(number),
            _ => None,
        });
        let Some(packet) = packet else {
            return Err(Failure::Absent("it does not acknowledge what it is sent".into()));
        };
        let at = Instant::now();
        self.write(socket, &packet)?;
        Ok((at, number.unwrap_or(0)))
    }

    fn write(&mut self, mut socket: &TcpStream, packet: &Packet) -> Result<(), Failure> {
        let mut bytes = BytesMut::new();
        packet.write(&mut bytes, PACKET_MAX)?;
        if self.tls.is_none() {
            return Ok(socket.write_all(&bytes)?);
        }
        let mut left = &bytes[..];
        while let Some(tls) = self.tls.as_mut().filter(|_| !left.is_empty()) {
            // (It takes only so much at once.)
            let count = tls.writer().write(left)?;
            left = &left[count..];
            self.flush(socket)?;
        }
        Ok(())
    }

    /// Sends what TLS has to send.
    fn flush(&mut self, mut socket: &TcpStream) -> Result<(), Failure> {
        if let Some(tls) = &mut self.tls {
            while tls.wants_write() {
                tls.write_tls(&mut socket)?;
            }
        }
        Ok(())
    }

    /// Takes bytes as they came.
    fn receive(&mut self, socket: &TcpStream, bytes: &[u8]) -> Result<(), Failure> {
        let Some(tls) = &mut self.tls else {
            self.begun.extend_from_slice(bytes);
            return Ok(());
        };
        let mut left = bytes;
        while !left.is_empty() {
            tls.read_tls(&mut left)?;
            let state = tls.process_new_packets().map_err(|error| Failure::Protocol(error.to_string()))?;
            let known = self.begun.len();
            self.begun.resize(known + state.plaintext_bytes_to_read(), 0);
            tls.reader().read_exact(&mut self.begun[known..])?;
        }
        self.flush(socket)
    }

    /// The next packet, if all of it has come.
    fn packet(&mut self) -> Result<Option<Packet>, Failure> {
        match Packet::read(&mut self.begun, PACKET_MAX) {
            Ok(packet) => Ok(Some(packet)),
            Err(PacketError::InsufficientBytes(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// A socket to the first address of the broker at which somebody answers.
fn socket(options: &MqttOptions) -> Result<TcpStream, Failure> {
    let absent = |error: io::Error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::no_answer(),
        _ => Failure::Absent(error.to_string()),
    };
    let addresses = (options.host.as_str(), options.port).to_socket_addrs().map_err(absent)?;
    let mut failure = Failure::Absent(format!("`{}` has no address", options.host));
    for address in addresses {
        match gainsay_subject::connect(&address, options.answer_max) {
            Ok(socket) => {
                // Messages are short, and their time matters.
                socket.set_nodelay(true)?;
                socket.set_read_timeout(Some(options.answer_max))?;
                socket.set_write_timeout(Some(options.answer_max))?;
                return Ok(socket);
            }
            Err(error) => failure = absent(error),
        }
    }
    Err(failure)
}

/// TLS with a broker for whom somebody vouches.
fn handshake(
    mut socket: &TcpStream,
    host: &str,
    config: Arc<ClientConfig>,
) -> Result<ClientConnection, Failure> {
    let untrusted = |error: &dyn std::fmt::Display| Failure::Untrusted(error.to_string());
    let name = ServerName::try_from(host.to_string()).map_err(|error| untrusted(&error))?;
    let mut tls = ClientConnection::new(config, name).map_err(|error| untrusted(&error))?;
    while tls.is_handshaking() {
        tls.complete_io(&mut socket).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::no_answer(),
            _ => untrusted(&error),
        })?;
    }
    Ok(tls)
}

/// How many bytes have come; nothing if that takes too long.
fn read(mut socket: &TcpStream, buffer: &mut [u8]) -> Result<Option<usize>, Failure> {
    loop {
        match socket.read(buffer) {
            Ok(0) => return Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
            Ok(count) => return Ok(Some(count)),
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::WouldBlock | ErrorKind::TimedOut => return Ok(None),
                _ => return Err(error.into()),
            },
        }
    }
}
