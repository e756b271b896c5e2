//! A child process with which we speak in lines.

use crate::live::Trouble;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So much of what it says on its standard error is kept.
const WORDS_MAX: usize = 2000;

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
    /// The last that it has said on its standard error.
    words: Arc<Mutex<Vec<u8>>>,
}

/// What there was to read.
#[derive(Debug)]
pub(crate) enum Heard {
    Line(String),
    /// Nothing, for so long.
    Nothing,
    /// Nothing any more: it has ended.
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
        Ok(Child { process, input, output, buffer: Vec::new(), start: 0, words })
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a line; `false` if nobody reads it.
    pub(crate) fn send(&mut self, mut line: String) -> bool {
        line.push('\n');
        self.input.write_all(line.as_bytes()).is_ok()
    }

    /// The next line, if there is one before the limit.
    pub(crate) fn line(&mut self, limit: Duration) -> Heard {
        loop {
            if let Some(end) = self.buffer[self.start..].iter().position(|byte| *byte == b'\n') {
                let line = String::from_utf8_lossy(&self.buffer[self.start..self.start + end]).into_owned();
                self.start += end + 1;
                return Heard::Line(line);
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            // Answers mostly come soon, and to fall asleep and be woken takes longer than to look a few times.
            let begun = Instant::now();
            while !self.is_ready() && begun.elapsed() < limit.min(SOON) {
                std::thread::yield_now();
            }
            let mut ready = [PollFd::new(&self.output, PollFlags::IN)];
            let limit = limit.saturating_sub(begun.elapsed());
            let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
            match poll(&mut ready, Some(&limit)) {
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
        let mut ready = [PollFd::new(&self.output, PollFlags::IN)];
        poll(&mut ready, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|count| count > 0)
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
        let ended = ended.unwrap_or_else(|| "no status yet".into());
        if words.is_empty() {
            format!("its process ended ({ended})")
        } else {
            format!("its process ended ({ended}), and said last: {words}")
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.process.id() as i32) {
            // It may have ended long ago; then there is nobody to tell.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
