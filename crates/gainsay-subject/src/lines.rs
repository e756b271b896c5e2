//! Lines, to and from somebody who may not answer, or not even listen.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// A line is no longer than this.
const LINE_MAX: usize = 64 << 20;

/// So long somebody may take to read what he is told.
pub(crate) const SENDING_MAX: Duration = Duration::from_secs(20);

/// What comes after more than this does not come soon.
const SOON: Duration = Duration::from_micros(100);

/// What there was to read.
#[derive(Debug)]
pub enum Heard {
    /// A line, without its end.
    Line(String),
    /// Nothing, for so long.
    Nothing,
    /// Nothing any more: whoever spoke has ended, or does not say what can be understood.
    Gone,
}

/// Somebody who does not take part any more, and why.
pub(crate) struct Mute(pub(crate) String);

/// Lines written to one end, and read from the other.
#[derive(Debug)]
pub(crate) struct Lines<W, R> {
    input: W,
    output: R,
    /// What was read and not looked at yet begins at `start`.
    buffer: Vec<u8>,
    start: usize,
    /// How much of it has no end of a line.
    searched: usize,
}

impl<W: Write + AsFd, R: Read + AsFd> Lines<W, R> {
    /// # Errors
    /// If the ends cannot be spoken with.
    pub(crate) fn new(input: W, output: R) -> rustix::io::Result<Lines<W, R>> {
        // Whoever does not read must not hold us up.
        let flags = rustix::fs::fcntl_getfl(&input)?;
        rustix::fs::fcntl_setfl(&input, flags | OFlags::NONBLOCK)?;
        Ok(Lines { input, output, buffer: Vec::new(), start: 0, searched: 0 })
    }

    /// Sends a line.
    ///
    /// # Errors
    /// If nobody reads it.
    pub(crate) fn send(&mut self, mut line: String, limit: Duration) -> Result<(), Mute> {
        line.push('\n');
        let mut rest = line.as_bytes();
        let begun = Instant::now();
        while !rest.is_empty() {
            match self.input.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock && begun.elapsed() < limit => {
                    self.wait_to_send(limit.saturating_sub(begun.elapsed()));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Err(Mute("it did not read what it was told".into()));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It has ended, which is heard soon.
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Waits until more can be sent. Whoever says something meanwhile is heard: he may not read on before.
    fn wait_to_send(&mut self, limit: Duration) {
        let mut ready = [PollFd::new(&self.input, PollFlags::OUT), PollFd::new(&self.output, PollFlags::IN)];
        let _ = poll(&mut ready, Some(&timespec(limit.min(Duration::from_secs(1)))));
        let says = ready[1].revents().contains(PollFlags::IN);
        if says && self.buffer.len() <= LINE_MAX {
            let mut chunk = [0; 8192];
            // (Whatever goes wrong, goes wrong again when somebody reads.)
            let read = self.output.read(&mut chunk).unwrap_or(0);
            self.buffer.extend(&chunk[..read]);
        }
    }

    /// The next line, if there is one before the limit.
    ///
    /// # Errors
    /// If it is too long to be one.
    pub(crate) fn line(&mut self, limit: Duration) -> Result<Heard, Mute> {
        let asked = Instant::now();
        loop {
            let new = self.start.max(self.searched);
            if let Some(end) = self.buffer[new..].iter().position(|byte| *byte == b'\n').map(|end| new + end)
            {
                let line = String::from_utf8_lossy(&self.buffer[self.start..end]).into_owned();
                (self.start, self.searched) = (end + 1, end + 1);
                return Ok(Heard::Line(line));
            }
            self.buffer.drain(..self.start);
            (self.start, self.searched) = (0, self.buffer.len());
            if self.buffer.len() > LINE_MAX {
                return Err(Mute(format!("it said a line of more than {} MB", LINE_MAX >> 20)));
            }
            if self.searched > 0 && asked.elapsed() > limit {
                return Ok(Heard::Nothing);
            }
            // Answers mostly come soon, and to fall asleep and be woken takes longer than to look a few times.
            let begun = Instant::now();
            while !self.is_ready() && begun.elapsed() < limit.min(SOON) {
                std::thread::yield_now();
            }
            match self.poll(limit.saturating_sub(begun.elapsed())) {
                Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Heard::Nothing),
                Ok(_) => {}
                Err(_) => return Ok(Heard::Gone),
            }
            let mut chunk = [0; 8192];
            match self.output.read(&mut chunk) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Ok(0) | Err(_) => return Ok(Heard::Gone),
                Ok(read) => self.buffer.extend(&chunk[..read]),
            }
        }
    }

    /// Whether there is something to read at once.
    fn is_ready(&self) -> bool {
        self.poll(Duration::ZERO).is_ok_and(|count| count > 0)
    }

    /// Sleeps until there is something to read, or the limit is met.
    pub(crate) fn await_line(&self, limit: Duration) {
        // (Whatever goes wrong, goes wrong again when somebody reads.)
        let _ = self.poll(limit);
    }

    fn poll(&self, limit: Duration) -> rustix::io::Result<usize> {
        let mut ready = [PollFd::new(&self.output, PollFlags::IN)];
        poll(&mut ready, Some(&timespec(limit)))
    }
}

/// A time as the system takes it: nobody waits for more than a day.
fn timespec(time: Duration) -> Timespec {
    let time = time.min(Duration::from_secs(24 * 60 * 60));
    Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) }
}
