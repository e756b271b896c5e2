//! Gainsay and its peers side by side: `bench shrink|generate|enumerate|histories|models|callouts|resources|machines|temporal|monitor|schemas|mended|hardening`.
//!
//! Each topic runs all of its contenders in one process, prints a table and ends with one line that starts
//! with `result:`. A figure that needs a contender which has not joined yet is printed as `n/a`.

mod callouts;
mod enumerate;
mod generate;
mod hardening;
mod histories;
mod machines;
mod measure;
mod mended;
mod models;
mod monitor;
mod resources;
mod schemas;
mod shrink;
mod table;
mod temporal;

use std::process::ExitCode;

const USAGE: &str = "usage: bench shrink [problem] | generate [distribution] | enumerate | histories | models | callouts | resources | machines | temporal | monitor [agree] | schemas | mended [certain|vacuous|systems] | hardening [aborted|fuzz|advisories|suite]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["shrink"] => shrink::compare(),
        ["shrink", problem] => {
            if let Err(unknown) = shrink::explain(problem) {
                eprintln!("{unknown}");
                return ExitCode::FAILURE;
            }
        }
        ["generate"] => generate::compare(),
        ["generate", "distribution"] => generate::distribution::compare(),
        ["enumerate"] => enumerate::compare(),
        ["models"] => models::compare(),
        ["callouts"] => callouts::compare(),
        ["machines"] => machines::compare(),
        ["temporal"] => temporal::compare(),
        ["temporal", "exact"] => temporal::exact(),
        ["temporal", "flloat"] => temporal::flloat(),
        ["monitor"] => monitor::compare(),
        ["monitor", "agree"] => monitor::agree(),
        ["machines", "mutants"] => machines::mutants(),
        ["machines", "speed"] => machines::speed(),
        ["resources"] => resources::compare(),
        ["resources", "phases"] => resources::phases(),
        ["resources", "collecting"] => resources::collecting(),
        ["resources", name, seed] if resources::one(name, seed) => {}
        ["resources", _, _] => return ExitCode::FAILURE,
        ["schemas"] => {
            if let Err(trouble) = schemas::compare() {
                eprintln!("{trouble}");
                return ExitCode::FAILURE;
            }
        }
        ["mended"] => {
            if let Err(trouble) = mended::compare_all() {
                eprintln!("{trouble}");
                return ExitCode::FAILURE;
            }
        }
        ["mended", part] => {
            if let Err(trouble) = mended::compare(part) {
                eprintln!("{trouble}");
                return ExitCode::FAILURE;
            }
        }
        ["hardening", ref part @ ..] if part.len() < 2 => {
            let done = part.first().map_or_else(hardening::compare_all, |part| hardening::compare(part));
            if let Err(trouble) = done {
                eprintln!("{trouble}");
                return ExitCode::FAILURE;
            }
        }
        ["histories"] => {
            if let Err(trouble) = histories::compare() {
                eprintln!("{trouble}");
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
