//! A child process with which we speak in lines.

use crate::live::Trouble;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So much of what it says on its standard error is kept.
const WORDS_MAX: usize = 2000;

/// A line is no longer than this.
const LINE_MAX: usize = 64 << 20;

/// So long a process may take to read what it is told.
const SENDING_MAX: Duration = Duration::from_secs(20);

/// What comes after more than this does not come soon.
const SOON: Duration = Duration::from_micros(100);

/// A child process. It ends with this value, and all that it has started with it.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    input: ChildStdin,
    output: ChildStdout,
    /// What was read and not looked at yet begins at `start`.
    buffer: Vec<u8>,
    start: usize,
    /// How much of it has no end of a line.
    searched: usize,
    /// The last that it has said on its standard error.
    words: Arc<Mutex<Vec<u8>>>,
}

/// What there was to read.
#[derive(Debug)]
pub(crate) enum Heard {
    Line(String),
    /// Nothing, for so long.
    Nothing,
    /// Nothing any more: it has ended, or does not say what can be understood.
    Gone,
}

impl Child {
    pub(crate) fn start(mut command: Command) -> Result<Child, Trouble> {
        let program = command.get_program().to_string_lossy().into_owned();
        let started = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn();
        let mut process =
            started.map_err(|error| Trouble::new(format!("failed to start `{program}`: {error}")))?;
        let (Some(input), Some(output), Some(mut errors)) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take())
        else {
            return Err(Trouble::new(format!("`{program}` has no standard input or output")));
        };
        let words = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&words);
        // It ends when the child does.
        std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(read @ 1..) = errors.read(&mut buffer) {
                let mut words = kept.lock().unwrap_or_else(PoisonError::into_inner);
                words.extend(&buffer[..read]);
                let more = words.len().saturating_sub(WORDS_MAX);
                words.drain(..more);
            }
        });
        // Whoever does not read must not hold us up.
        let flags = rustix::fs::fcntl_getfl(&input).unwrap_or(OFlags::empty());
        rustix::fs::fcntl_setfl(&input, flags | OFlags::NONBLOCK)
            .map_err(|error| Trouble::new(format!("failed to speak with `{program}`: {error}")))?;
        Ok(Child { process, input, output, buffer: Vec::new(), start: 0, searched: 0, words })
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a line. A process that does not read it is ended: then nothing is heard any more.
    pub(crate) fn send(&mut self, mut line: String) {
        line.push('\n');
        let mut rest = line.as_bytes();
        let begun = Instant::now();
        while !rest.is_empty() {
            match self.input.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock && begun.elapsed() < SENDING_MAX => {
                    let mut ready = [PollFd::new(&self.input, PollFlags::OUT)];
                    let _ = poll(&mut ready, Some(&Timespec { tv_sec: 1, tv_nsec: 0 }));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.say_last("it did not read what it was told");
                    return self.end();
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It has ended, which is heard soon.
                Err(_) => return,
            }
        }
    }

    /// Adds to its last words.
    fn say_last(&self, what: &str) {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(format!("\n({what})").as_bytes());
    }

    /// Whether the process has ended, though somebody else may hold its output open.
    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(Some(_)) | Err(_))
    }

    /// Whether it ends before the limit.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> bool {
        let begun = Instant::now();
        while !self.has_ended() {
            if begun.elapsed() > limit {
                return false;
            }
            std::thread::park_timeout(Duration::from_millis(1));
        }
        true
    }

    /// Ends the process, and all that it has started.
    fn end(&mut self) {
        if let Some(group) = Pid::from_raw(self.process.id() as i32) {
            // It may have ended long ago; then there is nobody to tell.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.kill();
    }

    /// The next line, if there is one before the limit.
    pub(crate) fn line(&mut self, limit: Duration) -> Heard {
        let asked = Instant::now();
        loop {
            let new = self.start.max(self.searched);
            if let Some(end) = self.buffer[new..].iter().position(|byte| *byte == b'\n').map(|end| new + end)
            {
                let line = String::from_utf8_lossy(&self.buffer[self.start..end]).into_owned();
                (self.start, self.searched) = (end + 1, end + 1);
                return Heard::Line(line);
            }
            self.buffer.drain(..self.start);
            (self.start, self.searched) = (0, self.buffer.len());
            if self.buffer.len() > LINE_MAX {
                self.say_last(&format!("it said a line of more than {} MB", LINE_MAX >> 20));
                self.end();
                return Heard::Gone;
            }
            if self.searched > 0 && asked.elapsed() > limit {
                return Heard::Nothing;
            }
            // Answers mostly come soon, and to fall asleep and be woken takes longer than to look a few times.
            let begun = Instant::now();
            while !self.is_ready() && begun.elapsed() < limit.min(SOON) {
                std::thread::yield_now();
            }
            match self.poll(limit.saturating_sub(begun.elapsed())) {
                Ok(0) | Err(rustix::io::Errno::INTR) => return Heard::Nothing,
                Ok(_) => {}
                Err(_) => return Heard::Gone,
            }
            let mut chunk = [0; 8192];
            match self.output.read(&mut chunk) {
                Ok(0) | Err(_) => return Heard::Gone,
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
        let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
        poll(&mut ready, Some(&limit))
    }

    /// How it ended, after it has.
    pub(crate) fn last_words(&mut self) -> String {
        let ended = (0..200).find_map(|_| match self.process.try_wait() {
            Ok(Some(status)) => Some(status.to_string()),
            Ok(None) => {
                std::thread::park_timeout(Duration::from_millis(5));
                None
            }
            Err(error) => Some(error.to_string()),
        });
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words).trim().to_string();
        let ended = match ended {
            Some(status) => format!("its process ended ({status})"),
            None => "its process says nothing any more".to_string(),
        };
        if words.is_empty() { ended } else { format!("{ended}, and said last: {words}") }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
        let _ = self.process.wait();
    }
}
