//! A child process with which we speak in lines.

use crate::lines::{Heard, Lines, Mute, SENDING_MAX};
use crate::live::Trouble;
use crate::process::Process;
use std::process::{ChildStdin, ChildStdout, Command};
use std::time::{Duration, Instant};

/// A child process. It ends with this value, and all that it has started with it.
#[derive(Debug)]
pub(crate) struct Child {
    process: Process,
    lines: Lines<ChildStdin, ChildStdout>,
}

impl Child {
    pub(crate) fn start(command: Command) -> Result<Child, Trouble> {
        let program = command.get_program().to_string_lossy().into_owned();
        let (process, input, output) = Process::spoken_with(command)?;
        let lines = Lines::new(input, output)
            .map_err(|error| Trouble::new(format!("failed to speak with `{program}`: {error}")))?;
        Ok(Child { process, lines })
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
            self.process.say_last(&why);
            self.process.end();
        }
    }

    /// Whether the process has ended, though somebody else may hold its output open.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.process.has_ended()
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

    /// The next line, if there is one before the limit.
    pub(crate) fn line(&mut self, limit: Duration) -> Heard {
        self.lines.line(limit).unwrap_or_else(|Mute(why)| {
            self.process.say_last(&why);
            self.process.end();
            Heard::Gone
        })
    }

    /// Sleeps until there is something to read, or the limit is met.
    pub(crate) fn await_line(&self, limit: Duration) {
        self.lines.await_line(limit);
    }

    /// The last that it has said on its standard error.
    pub(crate) fn words(&self) -> String {
        self.process.words()
    }

    /// How it ended, after it has.
    pub(crate) fn last_words(&mut self) -> String {
        self.process.last_words()
    }
}
