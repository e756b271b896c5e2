//! Brokers: mosquitto, on a free port.

use crate::LIMIT;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A broker. It ends with this value.
pub(crate) struct Broker {
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
        let mut broker = Broker { port: free_port(), process: None, folder };
        let config = format!(
            "listener {} 127.0.0.1\npersistence false\nset_tcp_nodelay true\n{settings}\n",
            broker.port
        );
        // (The broker gives up the rights of root, and must still read its files.)
        std::fs::write(broker.folder.file("mosquitto.conf"), config + "user root\n")
            .expect("a writable folder");
        broker.revive();
        broker
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("a process to kill");
            process.wait().expect("a process to wait for");
        }
    }

    /// Starts it again, on the same port.
    pub(crate) fn revive(&mut self) {
        let started = Command::new(program())
            .arg("-c")
            .arg(self.folder.file("mosquitto.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut process = started.expect("mosquitto (Debian: mosquitto)");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begun.elapsed() < LIMIT, "the broker does not listen");
            assert!(process.try_wait().expect("a process").is_none(), "the broker has ended");
            std::thread::park_timeout(Duration::from_millis(2));
        }
        self.process = Some(process);
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

/// A port on which nobody listens.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("its address").port()
}

/// A folder that is removed with this value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        let path = std::env::temp_dir().join(format!("gainsay-mqtt-{}-{}", std::process::id(), free_port()));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
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
