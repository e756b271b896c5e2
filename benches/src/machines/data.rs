//! Machines learned from real implementations of protocols.

use gainsay::machine::Finite;
use std::path::{Path, PathBuf};

pub(super) type Learned = Finite<String, String, String>;

/// Where the files are: beside the project.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/mealy")
}

/// The file whose machine is walked through.
pub(super) fn tcp() -> PathBuf {
    folder().join("aalpy/TCP/tcp_server_ubuntu_trans.dot")
}

/// What is expected of a file.
pub(super) struct Expected {
    pub(super) file: String,
    /// States, inputs, different outputs, transitions.
    numbers: [usize; 4],
}

pub(super) fn expected() -> Vec<Expected> {
    let text = std::fs::read_to_string(folder().join("expected.tsv")).expect("the data is there");
    let rows = text.lines().skip(1).map(|line| {
        let mut columns = line.split('\t');
        let file = columns.next().unwrap_or_default().to_string();
        let mut number = || columns.next().and_then(|number| number.parse().ok()).unwrap_or(0);
        Expected { file, numbers: [number(), number(), number(), number()] }
    });
    rows.collect()
}

/// How many files are read as what they are.
pub(super) fn compare() -> usize {
    let is_read = |expected: &Expected| {
        let machine = match Learned::read_dot(&folder().join(&expected.file)) {
            Ok(machine) => machine,
            Err(error) => {
                println!("{}: {error}", expected.file);
                return false;
            }
        };
        let mut outputs: Vec<&String> = machine.answers().iter().flatten().collect();
        outputs.sort();
        outputs.dedup();
        let table = machine.table();
        [table.states(), table.inputs(), outputs.len(), table.transitions()] == expected.numbers
    };
    expected().iter().filter(|expected| is_read(expected)).count()
}
