//! The commands and their arguments.

use clap::{Args, Parser, Subcommand, ValueEnum};
use gainsay_model::machine::Method;
use std::path::PathBuf;
use std::str::FromStr;

/// State what your system must do; gainsay does its best to contradict you.
#[derive(Debug, Parser)]
#[command(name = "gainsay", version, arg_required_else_help = true, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 1 falsified; 2 a mistake of the user; 3 vacuous, inconclusive, flaky or given up; 4 the system did not start, died or \
                        broke its protocol; 0 otherwise."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Test a system by the properties of its system file, or a program by a machine (`test spec.dot -- ./server`)
    Test(Test),
    /// Run one trace again
    Replay(Replay),
    /// Judge a trace, or a running system, by properties
    Monitor(Monitor),
    /// Check system files and properties
    Check(Check),
    /// Write properties in the usual form
    Fmt(Fmt),
    /// Show the schemas by which traces are drawn
    Schema(Schema),
    /// Test with mutants of the properties: how much do the tests see?
    Mutate(Mutate),
    /// Draw, compare, minimise and try out machines (`.dot`)
    #[command(subcommand)]
    Machine(Machine),
    /// Put results of several shards together
    Merge(Merge),
    /// Write a system file, from a running system where that is possible
    Init(Init),
    /// Say what is missing on this machine
    Doctor(Doctor),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the manual page
    Man,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// A line of JSON for each property
    Json,
    /// For continuous integration
    Junit,
}

/// What is tested, and how long.
#[derive(Debug, Clone, Args)]
pub(crate) struct Effort {
    /// Only this property (may be repeated)
    #[arg(long = "property", value_name = "ID")]
    pub(crate) properties: Vec<String>,
    /// The seed of the random traces
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Traces for each property
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cases: Option<u64>,
    /// Seconds for each property
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<f64>,
    /// Systems that run side by side
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=64))]
    pub(crate) jobs: Option<u64>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Test {
    /// A system file, or a machine (`.dot`)
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) effort: Effort,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Stop at the first property that does not hold
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Only the i-th of n parts of the properties
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Draw traces without schemas
    #[arg(long)]
    pub(crate) empty_schemas: bool,
    /// Where failures are kept; beside the system file otherwise
    #[arg(long, value_name = "FOLDER")]
    pub(crate) corpus: Option<PathBuf>,
    /// Keep no failures
    #[arg(long)]
    pub(crate) no_corpus: bool,
    /// Properties that nothing puts to the test pass, with a remark
    #[arg(long)]
    pub(crate) allow_vacuous: bool,
    /// Write each failure as a standalone test into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) export: Option<PathBuf>,
    /// The program to test by a machine, and its arguments
    #[arg(last = true)]
    pub(crate) program: Vec<String>,
    #[command(flatten)]
    pub(crate) machine: OfMachine,
}

/// How a program is tested by a machine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "For machines (.dot)")]
pub(crate) struct OfMachine {
    /// A complete suite, for programs with at most K more states than the machine
    #[arg(long, value_name = "K")]
    pub(crate) suite: Option<usize>,
    /// The method of the complete suite: W, Wp, HSI, H or SPYH, which is the shortest and usual
    #[arg(long)]
    pub(crate) method: Option<SuiteMethod>,
    /// The line that starts the program anew, which it answers with a line; otherwise it is stopped and started
    #[arg(long, value_name = "LINE")]
    pub(crate) reset: Option<String>,
    /// Speak with the program by TCP; each test has a connection of its own
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect: Option<String>,
    /// Seconds that an answer may take: 5
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
}

impl OfMachine {
    /// The first of these options that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let all = [
            (self.suite.is_some(), "--suite"),
            (self.method.is_some(), "--method"),
            (self.reset.is_some(), "--reset"),
            (self.connect.is_some(), "--connect"),
            (self.timeout.is_some(), "--timeout"),
        ];
        all.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }
}

/// The method of a complete suite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteMethod(pub(crate) Method);

impl FromStr for SuiteMethod {
    type Err = String;

    fn from_str(text: &str) -> Result<SuiteMethod, String> {
        let found = Method::ALL.into_iter().find(|method| method.to_string().eq_ignore_ascii_case(text));
        found.map(SuiteMethod).ok_or_else(|| "it is W, Wp, HSI, H or SPYH".into())
    }
}

/// What is done with machines in `.dot` files.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Machine {
    /// Draw a machine as an SVG picture
    Draw(OfFile),
    /// Find the shortest inputs that two machines answer differently
    Compare(Compare),
    /// Print the smallest machine that does the same
    Minimise(OfFile),
    /// Try a machine out by hand
    Simulate {
        /// The machine (`.dot`)
        file: PathBuf,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct OfFile {
    /// The machine (`.dot`)
    pub(crate) file: PathBuf,
    /// Where it is written; standard output otherwise
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Compare {
    /// A machine (`.dot`)
    pub(crate) one: PathBuf,
    /// Another one
    pub(crate) two: PathBuf,
    /// Draw the first one, with the way to the difference marked, into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) draw: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Replay {
    /// The system file
    pub(crate) file: PathBuf,
    /// The property
    pub(crate) property: String,
    /// What the failure was saved as, or its choices
    pub(crate) case: String,
    /// Write what was seen to this file (`.jsonl` or `.mcap`)
    #[arg(long)]
    pub(crate) trace: Option<PathBuf>,
    /// Write a standalone test into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) export: Option<PathBuf>,
    /// Where failures are kept
    #[arg(long, value_name = "FOLDER")]
    pub(crate) corpus: Option<PathBuf>,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Monitor {
    /// A system file, or a file of properties (`.hpl`)
    pub(crate) spec: PathBuf,
    /// Traces (JSON lines, `.csv`, `.mcap`, `.bag`), several as one, in the order of their times; standard input without any, or with `-`
    pub(crate) traces: Vec<PathBuf>,
    /// Time that is forgiven; that of the system file unless it is given
    #[arg(long, value_name = "MILLISECONDS", value_parser = milliseconds)]
    pub(crate) slack: Option<u64>,
    /// Watch the running system instead, for so many seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "3600", value_parser = seconds)]
    pub(crate) live: Option<f64>,
    /// Properties that nothing puts to the test pass, with a remark
    #[arg(long)]
    pub(crate) allow_vacuous: bool,
    /// Only this property (may be repeated)
    #[arg(long = "property", value_name = "ID")]
    pub(crate) properties: Vec<String>,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Check {
    /// System files and files of properties
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Print what the properties mean in temporal logic
    #[arg(long)]
    pub(crate) mfotl: bool,
    /// Warnings are errors
    #[arg(long)]
    pub(crate) strict: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Fmt {
    /// Files of properties; standard input without any, or with `-`
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing, and say what would be changed
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Schema {
    /// The system file
    pub(crate) file: PathBuf,
    /// Only this property (may be repeated)
    #[arg(long = "property", value_name = "ID")]
    pub(crate) properties: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Mutate {
    /// The system file
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) effort: Effort,
    /// A file of further axioms: the score is measured with and without them
    #[arg(long, value_name = "FILE")]
    pub(crate) stronger: Option<PathBuf>,
    /// Only list the mutants
    #[arg(long)]
    pub(crate) list: bool,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Merge {
    /// Results, as `--format json` prints them
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Init {
    /// Where it is written
    #[arg(long, default_value = "system.toml")]
    pub(crate) output: PathBuf,
    /// Write over a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// How the system is reached
    #[arg(long, default_value = "stdio", value_parser = ["stdio", "mqtt", "embedded"])]
    pub(crate) bus: String,
    /// Listen to a running system for so many seconds
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) listen: f64,
    /// The broker, for mqtt
    #[arg(long, default_value = "127.0.0.1:1883")]
    pub(crate) broker: String,
    /// The program and its arguments
    #[arg(last = true)]
    pub(crate) program: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Doctor {
    /// A system file that is to be tested here
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// A number of milliseconds, in nanoseconds.
fn milliseconds(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(milliseconds) if (0.0..=1e12).contains(&milliseconds) => Ok((milliseconds * 1e6).round() as u64),
        _ => Err("it is a number of milliseconds, not below 0".into()),
    }
}

/// A time that can be waited for.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("it is a number of seconds, not below 0".into()),
    }
}
