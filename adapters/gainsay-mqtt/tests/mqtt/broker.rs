//! Brokers: mosquitto, each at an address that no other process takes.
//!
//! A port that was free a moment ago may be taken by anybody now. So each process of tests has an address of its own on the loopback network,
//! made of its number; a broker that finds its port taken all the same says so itself, and goes on to the next.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A broker says before that it listens, or why it does not.
const LIMIT: Duration = Duration::from_secs(20);

/// The first port of this process; none of them is ever given to whoever asks for any port.
const PORT_FIRST: u16 = 18_830;

/// A broker. It ends with this value.
pub(crate) struct Broker {
    pub(crate) host: Ipv4Addr,
    pub(crate) port: u16,
    process: Option<Child>,
    folder: Folder,
}

impl Broker {
    /// A broker for everybody.
    pub(crate) fn start() -> Broker {
        Broker::with(Folder::new(), "allow_anonymous true")
    }

    /// A broker with settings; files that they name are in the folder.
    pub(crate) fn with(folder: Folder, settings: &str) -> Broker {
        static PORTS: AtomicU16 = AtomicU16::new(PORT_FIRST);
        Broker::at(std::iter::from_fn(|| Some(PORTS.fetch_add(1, Ordering::Relaxed))), folder, settings)
    }

    /// A broker at the first of these ports that nobody has.
    pub(crate) fn at(ports: impl IntoIterator<Item = u16>, folder: Folder, settings: &str) -> Broker {
        let mut broker = Broker { host: own_host(), port: 0, process: None, folder };
        // (So many are taken by others on no machine.)
        for port in ports.into_iter().take(100) {
            broker.port = port;
            // (The broker gives up the rights of root, and must still read its files.)
            let config = format!(
                "listener {port} {}\npersistence false\nset_tcp_nodelay true\nlog_dest stderr\nuser root\n{settings}\n",
                broker.host
            );
            std::fs::write(broker.folder.file("mosquitto.conf"), config).expect("a writable folder");
            match broker.try_revive() {
                Ok(()) => return broker,
                Err(said) => assert!(said.contains("Address already in use"), "the broker has ended: {said}"),
            }
        }
        panic!("every port is taken");
    }

    /// Where it is, for people.
    pub(crate) fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("a process to kill");
            process.wait().expect("a process to wait for");
        }
    }

    /// Starts it again, at the same address.
    pub(crate) fn revive(&mut self) {
        self.try_revive().expect("an address that is ours");
    }

    /// Starts it; what it said, if it has ended. Whether it listens it says itself: at its port there may be somebody else.
    fn try_revive(&mut self) -> Result<(), String> {
        let mut process = Command::new(program())
            .arg("-c")
            .arg(self.folder.file("mosquitto.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("mosquitto (Debian: mosquitto)");
        let words = BufReader::new(process.stderr.take().expect("what it says"));
        let (sender, lines) = channel();
        // (It is heard out to its end: nobody can speak who is not heard.)
        std::thread::spawn(move || {
            words.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)))
        });
        self.process = Some(process);
        let mut said = String::new();
        loop {
            match lines.recv_timeout(LIMIT) {
                Ok(line) if line.ends_with(" running") => return Ok(()),
                Ok(line) => said = said + &line + "\n",
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    panic!("the broker does not start: {said}")
                }
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                    self.kill();
                    return Err(said);
                }
            }
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// It is not on everybody's path.
fn program() -> PathBuf {
    let usual = Path::new("/usr/sbin/mosquitto");
    if usual.exists() { usual.into() } else { "mosquitto".into() }
}

/// The address of this process, in 127.64.0.0/10: numbers of processes have 22 bits.
pub(crate) fn own_host() -> Ipv4Addr {
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, 64 | high & 63, middle, low)
}

/// An address at which nobody listens, as long as this value lives.
pub(crate) struct Nobody {
    /// Its near end has the port, and does not listen at it: so nobody else gets it.
    taken: TcpStream,
    _listener: TcpListener,
}

impl Nobody {
    pub(crate) fn new() -> Nobody {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let taken = TcpStream::connect(listener.local_addr().expect("its address")).expect("a listener");
        Nobody { taken, _listener: listener }
    }

    pub(crate) fn port(&self) -> u16 {
        self.taken.local_addr().expect("its address").port()
    }
}

/// A number that no other call in this process gets.
pub(crate) fn number() -> usize {
    static NUMBERS: AtomicUsize = AtomicUsize::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// A folder that is removed with this value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        let name = format!("gainsay-mqtt-{}-{}", std::process::id(), number());
        let path = std::env::temp_dir().join(name);
        // (A process of this number may have been killed before it could remove it.)
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).expect("a folder for temporary files");
        Folder(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
