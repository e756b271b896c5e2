//! `gainsay doctor`: says what is missing on this machine.

use crate::arguments::Doctor;
use crate::system::{bus, read};
use crate::{Mistake, Program};
use gainsay_core::Case;
use std::path::Path;

/// A program, what it is for, and how to get it.
const TOOLS: [(&str, &str, &str); 4] = [
    ("cc", "tests of C libraries", "apt-get install gcc"),
    ("javac", "tests of shared resources in Java", "apt-get install default-jdk-headless"),
    ("mosquitto", "a broker for systems that speak MQTT", "apt-get install mosquitto"),
    (
        "dot",
        "pictures of machines by Graphviz (gainsay draws its own without it)",
        "apt-get install graphviz",
    ),
];

pub(crate) fn run(program: &Program, arguments: &Doctor) -> Result<u8, Mistake> {
    for (name, purpose, remedy) in TOOLS {
        match is_there(name) {
            true => say!("✓ {name:<10}  {purpose}"),
            false => say!("· {name:<10}  missing: needed for {purpose}; {remedy}"),
        }
    }
    let Some(path) = &arguments.file else { return Ok(0) };
    let file = read(path)?;
    say!(
        "✓ {}  {} channels, {} properties",
        path.display(),
        file.system.channels.len(),
        file.system.rules.len()
    );
    if let Some(starting) = &file.starting {
        let first = starting.command.first().map_or("", String::as_str);
        let is_path = Path::new(first).components().count() > 1;
        if is_path && !Path::new(first).exists() {
            say!("✗ `{first}` is not there: build it, or mend `start`");
            return Ok(crate::result::EXIT_SYSTEM);
        }
        if !is_path && !is_there(first) {
            say!("✗ there is no program `{first}`");
            return Ok(crate::result::EXIT_SYSTEM);
        }
    }
    let mut bus = bus(program, &file)?;
    match bus.begin(&mut Case::random(0, 0)) {
        Ok(_) => {
            bus.finish();
            say!("✓ {} starts, and is ready", file.system.name);
            Ok(0)
        }
        Err(trouble) => {
            say!("✗ {trouble}");
            Ok(crate::result::EXIT_SYSTEM)
        }
    }
}

fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let also = ["/usr/sbin", "/usr/local/sbin"].map(std::path::PathBuf::from);
    std::env::split_paths(&paths).chain(also).any(|folder| folder.join(program).is_file())
}
