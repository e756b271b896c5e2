//! A small rover behind a message bus. It speaks lines of JSON on its standard streams, in virtual time.
//!
//! `rover` is correct; `rover --bug N`, for N from 1 to 10, has one bug. The README says which.

use std::io::{self, BufWriter};
use std::process::ExitCode;

use bug::Bug;
use rover::Rover;

mod bug;
mod controller;
mod message;
mod planner;
mod protocol;
mod rover;
mod time;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let bug = match bug_wished(&arguments) {
        Ok(bug) => bug,
        Err(error) => {
            eprintln!("rover: {error}\nusage: rover [--bug N], with N from 1 to 10");
            return ExitCode::from(2);
        }
    };
    let out = BufWriter::new(io::stdout().lock());
    match protocol::serve(&mut Rover::new(bug), io::stdin().lock(), out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rover: failed to speak: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bug_wished(arguments: &[String]) -> Result<Option<Bug>, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => Ok(None),
        ["--bug", number] => {
            let bug = number.parse().ok().and_then(Bug::numbered);
            bug.map(Some).ok_or_else(|| format!("there is no bug `{number}`"))
        }
        _ => Err(format!("did not understand `{}`", words.join(" "))),
    }
}
