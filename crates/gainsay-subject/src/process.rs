//! A program in a child process.

use crate::live::Trouble;
use crate::warden::Lifeline;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// So much of what it says is kept.
const WORDS_MAX: usize = 2000;

/// A program with which nobody speaks: it hears nothing, and of what it says the last is kept. It ends with this value, or with this
/// process, and so does all that it has started.
#[derive(Debug)]
pub struct Process {
    /// Its warden, which ends like it.
    process: std::process::Child,
    lifeline: Option<Lifeline>,
    /// The number by which the system knows it.
    id: u32,
    words: Arc<Mutex<Vec<u8>>>,
    /// They keep what it says.
    listeners: Vec<JoinHandle<()>>,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(mut command: Command) -> Result<Process, Trouble> {
        command.stdin(Stdio::null());
        let mut process = Process::with_pipes(command)?;
        if let Some(output) = process.process.stdout.take() {
            process.keep(output);
        }
        Ok(process)
    }

    /// Starts a program with which somebody speaks by its standard input and output.
    pub(crate) fn spoken_with(mut command: Command) -> Result<(Process, ChildStdin, ChildStdout), Trouble> {
        let program = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::piped());
        let mut process = Process::with_pipes(command)?;
        match (process.process.stdin.take(), process.process.stdout.take()) {
            (Some(input), Some(output)) => Ok((process, input, output)),
            _ => Err(Trouble::new(format!("`{program}` has no standard input or output"))),
        }
    }

    fn with_pipes(mut command: Command) -> Result<Process, Trouble> {
        let program = command.get_program().to_string_lossy().into_owned();
        let trouble = |error| Trouble::new(format!("failed to start `{program}`: {error}"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let lifeline = Lifeline::tie(&mut command).map_err(trouble)?;
        let process = command.spawn().map_err(trouble)?;
        // (Our copies of what is the warden's are closed: who reads there must not wait for us.)
        drop(command);
        let id = lifeline.program().unwrap_or_else(|| process.id());
        let lifeline = Some(lifeline);
        let mut process = Process { process, lifeline, id, words: Arc::default(), listeners: Vec::new() };
        if let Some(errors) = process.process.stderr.take() {
            process.keep(errors);
        }
        Ok(process)
    }

    /// Keeps the last that is said there, until nobody can say anything any more.
    fn keep(&mut self, mut said: impl Read + Send + 'static) {
        let kept = Arc::clone(&self.words);
        self.listeners.push(std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(read @ 1..) = said.read(&mut buffer) {
                let mut words = kept.lock().unwrap_or_else(PoisonError::into_inner);
                words.extend(&buffer[..read]);
                let more = words.len().saturating_sub(WORDS_MAX);
                words.drain(..more);
            }
        }));
    }

    /// The number by which the system knows it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Whether it has ended, though something that it has started may go on.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(Some(_)) | Err(_))
    }

    /// The last that it has said: on its standard error, and on its standard output if nobody listens to that.
    pub fn words(&self) -> String {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&words).trim().to_string()
    }

    /// How it ended, after it has.
    pub fn last_words(&mut self) -> String {
        let ended = (0..200).find_map(|_| match self.process.try_wait() {
            Ok(Some(status)) => Some(status.to_string()),
            Ok(None) => {
                std::thread::park_timeout(Duration::from_millis(5));
                None
            }
            Err(error) => Some(error.to_string()),
        });
        // What it has said before is on its way; somebody else may hold its output open.
        for _ in (0..100).take_while(|_| !self.listeners.iter().all(JoinHandle::is_finished)) {
            std::thread::park_timeout(Duration::from_millis(1));
        }
        let words = self.words();
        let ended = match ended {
            Some(status) => format!("its process ended ({status})"),
            None => "its process says nothing any more".to_string(),
        };
        if words.is_empty() { ended } else { format!("{ended}, and said last: {words}") }
    }

    /// Adds to its last words.
    pub(crate) fn say_last(&self, what: &str) {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend(format!("\n({what})").as_bytes());
    }

    /// Ends it, and all that it has started.
    pub(crate) fn end(&mut self) {
        self.lifeline = None;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
        let _ = self.process.wait();
    }
}
