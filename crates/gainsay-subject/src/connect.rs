//! Connections to servers that may not listen yet.

use std::io::{Error, ErrorKind, Result};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Connects to a server, like [`TcpStream::connect_timeout`].
///
/// A socket that asks for a port at which nobody listens may be given that very port as its own, and is then connected to itself (the simultaneous
/// open of TCP): whoever asks again and again whether a server is there would find one that repeats what it is told. That is refused here.
///
/// # Errors
/// If nobody listens, or nobody answers within the limit.
pub fn connect(address: &SocketAddr, limit: Duration) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(address, limit)?;
    if stream.local_addr()? == stream.peer_addr()? {
        return Err(Error::from(ErrorKind::ConnectionRefused));
    }
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn whoever_asks_often_enough_is_not_connected_to_itself() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        // (The near end of a connection keeps its port, and does not listen at it.)
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let address = near.local_addr().unwrap();
        // There are some 14 000 ports that it may be given.
        for _ in 0..60_000 {
            assert!(connect(&address, Duration::from_secs(5)).is_err());
        }
    }
}
