//! The recorded histories. They lie beside the project, not in it.

use super::history::History;
use super::parse;
use std::path::{Path, PathBuf};

/// A history and what is known about it.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) history: History,
    /// Is it linearizable?
    pub(super) expected: Option<bool>,
}

/// All histories that `expected.tsv` has a verdict for.
pub(super) fn recorded() -> Result<Vec<Sample>, String> {
    let folder = folder()?;
    let verdicts = read(&folder.join("expected.tsv"))?;
    verdicts.lines().map(|line| sample(&folder, line)).collect()
}

/// `$GAINSAY_DATA/histories`, by default that of the folder beside the project.
fn folder() -> Result<PathBuf, String> {
    let data = match std::env::var_os("GAINSAY_DATA") {
        Some(data) => PathBuf::from(data),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
    };
    let folder = data.join("histories");
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(format!(
        "no recorded histories at {}: set GAINSAY_DATA to the folder that has a folder `histories`",
        folder.display()
    ))
}

/// A line of `expected.tsv`: a name and a verdict.
fn sample(folder: &Path, line: &str) -> Result<Sample, String> {
    let expected = match line.split_once('\t') {
        Some((_, "linearizable")) => true,
        Some((_, "NOT-linearizable")) => false,
        _ => return Err(format!("expected.tsv: not a name and a verdict: {line}")),
    };
    let name = line.split('\t').next().unwrap_or_default();
    let history = if name.starts_with("kv/") {
        parse::kv(&read(&folder.join(name))?).map(History::Kv)
    } else {
        parse::register(&read(&folder.join("etcd").join(name))?).map(History::Register)
    };
    let history = history.map_err(|wrong| format!("{name}: {wrong}"))?;
    Ok(Sample { name: name.to_owned(), history, expected: Some(expected) })
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
