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

/// Why a program cannot be started.
pub(crate) fn missing(name: &str) -> Option<String> {
    let is_path = Path::new(name).components().count() > 1;
    if is_path && !Path::new(name).exists() {
        return Some(format!("`{name}` is not there: build it, or mend its path"));
    }
    (!is_path && !is_there(name)).then(|| format!("there is no program `{name}`"))
}

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
    let program_name = file.starting.as_ref().and_then(|starting| starting.command.first());
    if let Some(missing) = program_name.and_then(|name| missing(name)) {
        say!("✗ {missing}");
        return Ok(crate::result::EXIT_SYSTEM);
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
