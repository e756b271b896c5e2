//! Classes in a Java machine.

use crate::in_child::{InChild, in_child};
use crate::live::Trouble;
use gainsay_core::private_folder;
use serde_json::Value as Json;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Speaks the protocol for classes.
const HARNESS: &str = include_str!("../java/Harness.java");

/// Objects of a Java class, made with these arguments. `sources` are files, or folders with all their `.java` files, which are compiled by
/// `javac`. `encode` says which method a call is and with which arguments, and `decode` what a returned value means.
///
/// # Errors
/// If there is no compiler, or it complains.
pub fn java<C, V>(
    sources: &[&Path],
    class: &str,
    arguments: impl IntoIterator<Item = Json>,
    encode: impl Fn(&C) -> (String, Vec<Json>) + 'static,
    decode: impl Fn(&Json) -> Result<V, String> + 'static,
) -> Result<InChild<C, V>, Trouble> {
    let classes = compiled(sources)?;
    let command = move || {
        let mut command = Command::new(program("java")?);
        // Starts fast, and needs few threads of its own, which are there from the start.
        command.args([
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:CICompilerCount=1",
            "-XX:-UsePerfData",
            "-Xshare:auto",
            "-cp",
        ]);
        command.arg(&classes).arg("Harness");
        Ok(command)
    };
    Ok(in_child(command, class, arguments, encode, decode).java())
}

/// The path of a program of the Java kit.
fn program(name: &str) -> Result<PathBuf, Trouble> {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let places = home.into_iter().chain(std::env::split_paths(&paths));
    places.map(|folder| folder.join(name)).find(|path| path.is_file()).ok_or_else(|| {
        Trouble::new(format!(
            "there is no `{name}`: install a Java kit, version 17 or later (Debian: default-jdk-headless), or set JAVA_HOME"
        ))
    })
}

/// The folder with the classes of these sources and the harness: compiled, if that has not been done before.
fn compiled(sources: &[&Path]) -> Result<PathBuf, Trouble> {
    let mut files = Vec::new();
    for source in sources {
        let trouble = |error| Trouble::new(format!("failed to read `{}`: {error}", source.display()));
        if source.is_dir() {
            let listed = fs::read_dir(source).map_err(trouble)?;
            let found = listed.flatten().map(|entry| entry.path());
            files.extend(found.filter(|path| path.extension().is_some_and(|extension| extension == "java")));
        } else {
            files.push(source.to_path_buf());
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Trouble::new("there are no Java files to compile"));
    }
    let compiler = program("javac")?;
    let mut hasher = DefaultHasher::new();
    (HARNESS, &compiler).hash(&mut hasher);
    for file in &files {
        let text = fs::read(file)
            .map_err(|error| Trouble::new(format!("failed to read `{}`: {error}", file.display())))?;
        (file.file_name(), text).hash(&mut hasher);
    }
    let cache = private_folder()
        .map_err(|error| Trouble::new(format!("there is no private folder for classes: {error}")))?
        .join("java");
    let folder = cache.join(format!("{:016x}", hasher.finish()));
    if folder.is_dir() {
        return Ok(folder);
    }
    let trouble = |error| Trouble::new(format!("failed to write classes to `{}`: {error}", cache.display()));
    // Others may compile the same at the same time: whoever comes first wins.
    let own = cache.join(format!(
        "{:016x}-{}-{:?}",
        hasher.finish(),
        std::process::id(),
        std::thread::current().id()
    ));
    fs::create_dir_all(&own).map_err(trouble)?;
    let harness = own.join("Harness.java");
    fs::write(&harness, HARNESS).map_err(trouble)?;
    // (It starts faster so.)
    let mut command = Command::new(&compiler);
    command.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]);
    let output = command.arg("-d").arg(&own).arg(&harness).args(&files).output();
    let output =
        output.map_err(|error| Trouble::new(format!("failed to run `{}`: {error}", compiler.display())))?;
    if !output.status.success() {
        let _ = fs::remove_dir_all(&own);
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Trouble::new(format!("`javac` refused the sources:\n{}", said.trim_end())));
    }
    if fs::rename(&own, &folder).is_err() {
        let _ = fs::remove_dir_all(&own);
    }
    match folder.is_dir() {
        true => Ok(folder),
        false => Err(Trouble::new(format!("failed to write classes to `{}`", folder.display()))),
    }
}
