//! A child process with which we speak in lines.

use crate::lines::{Heard, Lines, Mute, SENDING_MAX};
use crate::live::Trouble;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So much of what it says on its standard error is kept.
const WORDS_MAX: usize = 2000;

/// A child process. It ends with this value, and all that it has started with it.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    lines: Lines<ChildStdin, ChildStdout>,
    /// The last that it has said on its standard error.
    words: Arc<Mutex<Vec<u8>>>,
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
        let lines = Lines::new(input, output)
            .map_err(|error| Trouble::new(format!("failed to speak with `{program}`: {error}")))?;
        Ok(Child { process, lines, words })
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a line. A process that does not read it is ended: then nothing is heard any more.
    pub(crate) fn send(&mut self, line: String) {
        self.send_within(line, SENDING_MAX);
    }

    /// The same, with another limit.
    pub(crate) fn send_within(&mut self, line: String, limit: Duration) {
        if let Err(Mute(why)) = self.lines.send(line, limit) {
            self.say_last(&why);
            self.end();
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
        self.lines.line(limit).unwrap_or_else(|Mute(why)| {
            self.say_last(&why);
            self.end();
            Heard::Gone
        })
    }

    /// Sleeps until there is something to read, or the limit is met.
    pub(crate) fn await_line(&self, limit: Duration) {
        self.lines.await_line(limit);
    }

    /// The last that it has said on its standard error.
    pub(crate) fn words(&self) -> String {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&words).trim().to_string()
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
        let words = self.words();
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
