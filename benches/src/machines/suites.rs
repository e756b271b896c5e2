//! How long complete suites are.

use super::data::{Learned, expected, folder};
use gainsay::machine::{Method, Suite};
use std::time::Instant;

pub(super) fn compare() {
    println!("tests/inputs of complete suites, for as many states as the machine has, and for one more");
    for expected in expected() {
        let Ok(machine) = Learned::read_dot(&folder().join(&expected.file)) else { continue };
        let smallest = machine.minimised();
        let begun = Instant::now();
        let mut line = format!("{:62} {:3} states", expected.file, smallest.states().len());
        for extra in 0..2 {
            for method in Method::ALL {
                line += &match Suite::complete(smallest.table(), method, extra) {
                    Ok(suite) => format!("  {method} {}/{}", suite.tests(), suite.steps()),
                    Err(error) => format!("  {method} {error}"),
                };
            }
            line += if extra == 0 { "  |" } else { "" };
        }
        println!("{line}  ({:.1} s)", begun.elapsed().as_secs_f64());
    }
}
