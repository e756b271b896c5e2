//! The program `gainsay`: takes a specification and a running system, and tries to contradict it.
//!
//! Systems that are Rust code are tested in process, on the embedded bus. A program that has such nodes is made in a few lines; it has all
//! commands of `gainsay`:
//!
//! ```no_run
//! # struct Echo;
//! # impl gainsay_msg::Node for Echo {
//! #     fn receive(&mut self, message: &gainsay_msg::Message, out: &mut gainsay_msg::Outbox) {
//! #         out.publish("/echo", message.value.clone());
//! #     }
//! # }
//! fn main() -> std::process::ExitCode {
//!     gainsay_cli::Program::new().node("echo", |_| vec![Box::new(Echo)]).main()
//! }
//! ```
//!
//! # Exit codes
//! 1 if anything was falsified; otherwise 2 for a mistake of the user; otherwise 4 if the system did not start, died, or broke its protocol;
//! otherwise 3 if something was vacuous, inconclusive, flaky, given up or interrupted; otherwise 0.

#![expect(clippy::print_stderr, reason = "a program for people")]

/// Says a line, control characters escaped.
macro_rules! say {
    ($($said:tt)*) => { $crate::output::say_line(format_args!($($said)*)) };
}

/// Says something as it is, and no end of a line.
macro_rules! say_as_it_is {
    ($($said:tt)*) => { $crate::output::say(format_args!($($said)*)) };
}

mod arguments;
mod command;
mod interrupt;
mod output;
mod result;
mod system;

use arguments::{Arguments, Command};
use clap::Parser;
use gainsay_core::{Case, escaped};
use gainsay_msg::Node;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// Makes the nodes of a system for a run.
pub type MakeNodes = Arc<dyn Fn(&mut Case) -> Vec<Box<dyn Node>> + Send + Sync>;

/// The program, with the nodes that it has.
#[derive(Default)]
pub struct Program {
    nodes: BTreeMap<String, MakeNodes>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("nodes", &self.nodes.keys()).finish_non_exhaustive()
    }
}

impl Program {
    /// The program without any nodes.
    pub fn new() -> Program {
        Program::default()
    }

    /// Adds a system of nodes, to which system files refer by `node = "…"`.
    #[must_use]
    pub fn node(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&mut Case) -> Vec<Box<dyn Node>> + Send + Sync + 'static,
    ) -> Program {
        self.nodes.insert(name.into(), Arc::new(make));
        self
    }

    /// Does what the arguments of this process say.
    pub fn main(self) -> ExitCode {
        ExitCode::from(self.call(std::env::args_os().skip(1)))
    }

    /// Does what some arguments say: `["test", "system.toml"]`. The exit code.
    pub fn call(&self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> u8 {
        let given = std::iter::once("gainsay".into()).chain(arguments.into_iter().map(Into::into));
        match Arguments::try_parse_from(given.collect::<Vec<OsString>>()) {
            Ok(arguments) => self.run(arguments.command),
            Err(error) => {
                let printed = error.print().and_then(|()| std::io::stdout().flush());
                match printed {
                    Err(why) if !error.use_stderr() && why.kind() != std::io::ErrorKind::BrokenPipe => {
                        eprintln!("failed to write to standard output: {why}");
                        result::EXIT_MISTAKE
                    }
                    _ if error.use_stderr() => result::EXIT_MISTAKE,
                    _ => 0,
                }
            }
        }
    }

    fn run(&self, command: Command) -> u8 {
        let done = match command {
            Command::Test(arguments) => command::test::run(self, &arguments),
            Command::Replay(arguments) => command::replay::run(self, &arguments),
            Command::Monitor(arguments) => command::monitor::run(self, &arguments),
            Command::Check(arguments) => command::check::run(&arguments),
            Command::Fmt(arguments) => command::fmt::run(&arguments),
            Command::Schema(arguments) => command::schema::run(&arguments),
            Command::Mutate(arguments) => command::mutate::run(self, &arguments),
            Command::Machine(arguments) => command::automaton::run(&arguments),
            Command::Merge(arguments) => command::merge::run(&arguments),
            Command::Init(arguments) => command::init::run(&arguments),
            Command::Doctor(arguments) => command::doctor::run(self, &arguments),
            Command::Completions(arguments) => command::shell::completions(&arguments),
            Command::Man => command::shell::man(),
        };
        let done = match output::failure() {
            Some(why) => Err(Mistake::new(format!("failed to write to standard output: {why}"))),
            None => done,
        };
        match done {
            Ok(code) => code,
            Err(mistake) => {
                eprintln!("{mistake}");
                mistake.code
            }
        }
    }
}

/// A mistake of the user, or trouble with the system: told, and then the program ends.
#[derive(Debug)]
pub(crate) struct Mistake {
    text: String,
    code: u8,
}

impl Mistake {
    pub(crate) fn new(text: impl Into<String>) -> Mistake {
        Mistake { text: escaped(&text.into()).into_owned(), code: result::EXIT_MISTAKE }
    }

    /// What is wrong with a file, as it was rendered: in colours, maybe.
    pub(crate) fn rendered(text: String) -> Mistake {
        Mistake { text, code: result::EXIT_MISTAKE }
    }

    pub(crate) fn of_system(text: impl Into<String>) -> Mistake {
        Mistake { text: escaped(&text.into()).into_owned(), code: result::EXIT_SYSTEM }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Diagnostics begin with `error` or `warning` themselves.
        let is_said = ["error", "warning", "\u{1b}"].iter().any(|said| self.text.starts_with(said));
        let prefix = if is_said { "" } else { "error: " };
        write!(f, "{prefix}{}", self.text)
    }
}

impl From<gainsay_core::Error> for Mistake {
    fn from(error: gainsay_core::Error) -> Mistake {
        match error.is_of_subject() {
            true => Mistake::of_system(error.to_string()),
            false => Mistake::new(error.to_string()),
        }
    }
}
