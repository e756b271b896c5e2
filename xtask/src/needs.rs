//! What the tests and the fuzzer need from the system, and how to get it.

use std::path::PathBuf;
use std::process::Command;

/// A program, the Debian package that has it, and what it is for.
pub(crate) struct Need {
    program: &'static str,
    package: &'static str,
    purpose: &'static str,
}

pub(crate) const OF_TESTS: &[Need] = &[
    Need { program: "cc", package: "gcc", purpose: "links programs" },
    Need { program: "mosquitto", package: "mosquitto", purpose: "a broker for tests of systems on MQTT" },
    Need {
        program: "openssl",
        package: "openssl",
        purpose: "certificates for tests of brokers that are spoken with in secret",
    },
    Need { program: "javac", package: "default-jdk-headless", purpose: "tests of shared resources in Java" },
];

/// The fuzzer needs less.
pub(crate) const OF_FUZZING: &[Need] =
    &[Need { program: "c++", package: "g++", purpose: "compiles the driver of the fuzzer" }];

/// Installs what is missing where that is possible (Debian, as root), and otherwise says what to install.
pub(crate) fn provide(needs: &[Need]) -> Result<(), String> {
    let missing: Vec<&Need> = needs.iter().filter(|need| !is_there(need.program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    let wanted: Vec<String> = missing
        .iter()
        .map(|need| format!("`{}` (Debian: {}; {})", need.program, need.package, need.purpose))
        .collect();
    if !is_there("apt-get") || !is_root() {
        return Err(format!("missing: {}; install it and run this again", wanted.join(", ")));
    }
    crate::run(Command::new("apt-get").arg("update"))?;
    crate::run(Command::new("apt-get").args(["install", "--yes", "--no-install-recommends"]).args(packages))
}

fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    // (Servers are not on everybody's path.)
    let mut folders = std::env::split_paths(&paths).chain([PathBuf::from("/usr/sbin")]);
    folders.any(|folder| folder.join(program).is_file())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
