//! Somebody with whom we speak in lines.

use crate::child::Child;
use crate::connect::connect;
use crate::lines::{Heard, Lines, Mute};
use crate::live::Trouble;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::process::Command;
use std::time::{Duration, Instant};

/// A program in a child process, or a server. A program ends with this value, and so does all that it has started.
#[derive(Debug)]
pub struct Speaker {
    who: Who,
}

#[derive(Debug)]
enum Who {
    Program(Child),
    Server { lines: Lines<TcpStream, TcpStream>, address: SocketAddr, why: Option<String> },
}

/// Before a server is asked again whether it listens.
const PAUSE: Duration = Duration::from_millis(2);

impl Speaker {
    /// Starts a program, with which we speak by its standard input and output.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn program(command: Command) -> Result<Speaker, Trouble> {
        Ok(Speaker { who: Who::Program(Child::start(command)?) })
    }

    /// Speaks with a server, which may take so long to listen.
    ///
    /// # Errors
    /// If it does not, or there is no such address.
    pub fn server(address: &str, limit: Duration) -> Result<Speaker, Trouble> {
        let trouble = |error: &dyn std::fmt::Display| {
            Trouble::new(format!("failed to connect to `{address}`: {error}"))
        };
        let addresses: Vec<SocketAddr> =
            address.to_socket_addrs().map_err(|error| trouble(&error))?.collect();
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed()).max(PAUSE);
            let connected = addresses
                .iter()
                .map(|address| connect(address, left).map(|stream| (stream, *address)))
                .reduce(Result::or);
            match connected {
                None => return Err(trouble(&"there is no such address")),
                Some(Ok((stream, address))) => {
                    return Speaker::connected(stream, address).map_err(|error| trouble(&error));
                }
                Some(Err(error)) if begun.elapsed() >= limit => return Err(trouble(&error)),
                Some(Err(_)) => std::thread::park_timeout(PAUSE),
            }
        }
    }

    fn connected(stream: TcpStream, address: SocketAddr) -> std::io::Result<Speaker> {
        // Inputs are short, and answered one by one.
        stream.set_nodelay(true)?;
        let lines = Lines::new(stream.try_clone()?, stream)?;
        Ok(Speaker { who: Who::Server { lines, address, why: None } })
    }

    /// Says a line to it, which it must read in time: otherwise nothing is heard from it any more.
    pub fn say(&mut self, line: impl Into<String>, limit: Duration) {
        match &mut self.who {
            Who::Program(child) => child.send_within(line.into(), limit),
            Who::Server { lines, why, .. } => {
                if let Err(Mute(reason)) = lines.send(line.into(), limit) {
                    *why = Some(reason);
                }
            }
        }
    }

    /// The next line that it says, if there is one before the limit.
    pub fn hear(&mut self, limit: Duration) -> Heard {
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let heard = match &mut self.who {
                Who::Program(child) => child.line(left),
                Who::Server { why: Some(_), .. } => Heard::Gone,
                Who::Server { lines, why, .. } => lines.line(left).unwrap_or_else(|Mute(reason)| {
                    *why = Some(reason);
                    Heard::Gone
                }),
            };
            // (Something else may have interrupted us.)
            match heard {
                Heard::Nothing if begun.elapsed() < limit => {}
                heard => return heard,
            }
        }
    }

    /// Whether it is a program that has ended.
    pub fn has_ended(&mut self) -> bool {
        match &mut self.who {
            Who::Program(child) => child.has_ended(),
            Who::Server { .. } => false,
        }
    }

    /// The last that a program has said on its standard error.
    pub fn words(&self) -> String {
        match &self.who {
            Who::Program(child) => child.words(),
            Who::Server { .. } => String::new(),
        }
    }

    /// How it ended, after it has.
    pub fn last_words(&mut self) -> String {
        match &mut self.who {
            Who::Program(child) => child.last_words(),
            Who::Server { why: Some(why), .. } => why.clone(),
            Who::Server { address, .. } => format!("`{address}` has closed the connection"),
        }
    }
}
