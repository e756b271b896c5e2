//! The program `gainsay`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gainsay_cli::Program::new().main()
}
