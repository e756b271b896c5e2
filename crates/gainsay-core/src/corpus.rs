//! The corpus: failures that were found, kept as small readable files.
//!
//! A test has a folder, a failure a file. A file is written to a temporary name and renamed, so that it is whole or not
//! there; it is written the moment a failure is found and again when it has been shrunk. Files that cannot be used any more move to
//! `stale/`; nothing is ever deleted but by [`prune`].

use crate::error::Error;
use crate::file::{read_named_text, write_text};
use crate::outcome::Kind;
use crate::record::Record;
use crate::settings::CorpusPlace;
use crate::wire::{self, Named, VERSION};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// The failures of one test.
#[derive(Debug, Clone)]
pub(crate) struct Corpus {
    folder: PathBuf,
    test: String,
    /// The line of the property, which tells it from others of the same test.
    line: u32,
}

/// A failure in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) test: String,
    pub(crate) line: u32,
    pub(crate) status: EntryStatus,
    pub(crate) kind: String,
    /// The arguments, for people.
    pub(crate) shown: String,
    pub(crate) case: Named,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryStatus {
    Failing,
    Fixed,
    /// It passes, and is kept for what it covers.
    Kept,
}

impl Corpus {
    /// The corpus of a test; `None` if failures are not kept.
    pub(crate) fn of(place: &CorpusPlace, test: &str, line: u32) -> Option<Corpus> {
        let root = match place {
            CorpusPlace::Off => return None,
            CorpusPlace::Folder(folder) => folder.clone(),
            CorpusPlace::Usual => {
                let base = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
                base.join("gainsay-corpus")
            }
        };
        let name: String = test
            .replace("::", ".")
            .chars()
            .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' })
            .collect();
        // Long or strange names could clash once cut or cleaned.
        let dots = name.chars().all(|c| c == '.');
        let name = if dots {
            format!("test-{:08x}", hash(&test) as u32)
        } else if name.len() > 100 || name != test.replace("::", ".") {
            let start: String = name.chars().take(80).collect();
            format!("{start}-{:08x}", hash(&test) as u32)
        } else {
            name
        };
        Some(Corpus { folder: root.join(name), test: test.to_string(), line })
    }

    /// The entries, failing ones first, each with its file; and what is to be said about files that cannot be used.
    pub(crate) fn entries(&self) -> (Vec<(PathBuf, Entry)>, Vec<String>) {
        let mut remarks = Vec::new();
        let mut entries = Vec::new();
        let Ok(files) = fs::read_dir(&self.folder) else {
            return (entries, remarks);
        };
        let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        files.sort();
        for path in files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "case")) {
            match read(&path) {
                Ok(entry) if entry.test == self.test => entries.push((path, entry)),
                Ok(entry) => remarks.push(format!(
                    "`{}` is a failure of `{}`, not of this test: left alone",
                    path.display(),
                    entry.test
                )),
                Err(trouble) => {
                    let moved = self.retire(&path);
                    remarks.push(format!("`{}` cannot be read ({trouble}): {moved}", path.display()));
                }
            }
        }
        entries.sort_by_key(|(_, entry)| entry.status != EntryStatus::Failing);
        (entries, remarks)
    }

    /// The entry whose file name begins with `name`.
    pub(crate) fn entry(&self, name: &str) -> Result<Entry, Error> {
        let (entries, _) = self.entries();
        let found = entries
            .into_iter()
            .find(|(path, _)| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)));
        found.map(|(_, entry)| entry).ok_or_else(|| {
            Error::replay(&format!("entry={name}"), format!("no such file in `{}`", self.folder.display()))
        })
    }

    /// Writes a failure; returns its file.
    pub(crate) fn save(&self, kind: &Kind, case: &Named, shown: &str) -> Result<PathBuf, Error> {
        let path = self.folder.join(format!("{}.case", name_of(kind, case)));
        let entry = Entry {
            test: self.test.clone(),
            line: self.line,
            status: EntryStatus::Failing,
            kind: kind.0.clone(),
            shown: shown.to_string(),
            case: case.clone(),
        };
        write(&path, &entry)?;
        Ok(path)
    }

    /// Keeps a case that passes, for a value that it covers, in place of one that was kept for that before.
    pub(crate) fn keep(&self, value: &str, record: &Record, shown: &str) -> Result<(), Error> {
        let clean: String =
            value.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).take(40).collect();
        let entry = Entry {
            test: self.test.clone(),
            line: self.line,
            status: EntryStatus::Kept,
            kind: value.to_string(),
            shown: shown.to_string(),
            case: Named::Record(record.clone()),
        };
        write(&self.folder.join(format!("kept-{clean}-{:08x}.case", hash(&value) as u32)), &entry)
    }

    /// The file of a failure that was found before it was shrunk gives way to the shrunk one.
    pub(crate) fn replace(
        &self,
        before: &Path,
        kind: &Kind,
        case: &Named,
        shown: &str,
    ) -> Result<PathBuf, Error> {
        let path = self.save(kind, case, shown)?;
        if path != before {
            // Not a loss: the shrunk case shows the same failure.
            let _ = fs::remove_file(before);
        }
        Ok(path)
    }

    /// Notes whether an entry still fails.
    pub(crate) fn mark(&self, path: &Path, entry: &Entry, status: EntryStatus) {
        if entry.status != status {
            let _ = write(path, &Entry { status, ..entry.clone() });
        }
    }

    /// Moves a file that cannot be used to `stale/`; says what became of it.
    pub(crate) fn retire(&self, path: &Path) -> String {
        let stale = self.folder.join("stale");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Nothing that is there already is overwritten.
        let target = (0..)
            .map(|n| stale.join(if n == 0 { name.clone() } else { format!("{n}-{name}") }))
            .find(|target| !target.exists())
            .unwrap_or_else(|| stale.join(&name));
        match fs::create_dir_all(&stale).and_then(|()| fs::rename(path, &target)) {
            Ok(()) => format!("moved to `{}`", target.display()),
            Err(error) => format!("left in place, since it could not be moved ({error})"),
        }
    }
}

/// Deletes the entries of a corpus folder that are stale or marked fixed; returns how many.
///
/// # Errors
/// If the folder cannot be read or a file cannot be deleted.
pub fn prune(folder: &Path) -> Result<usize, Error> {
    let mut pruned = 0;
    let listed = fs::read_dir(folder).map_err(|e| Error::file("list the corpus", folder, e))?;
    for path in listed.flatten().map(|file| file.path()) {
        if path.is_dir() {
            pruned += prune(&path)?;
        } else if path.extension().is_some_and(|e| e == "case") {
            let stale = folder.file_name().is_some_and(|name| name == "stale");
            if stale || read(&path).is_ok_and(|entry| entry.status == EntryStatus::Fixed) {
                fs::remove_file(&path).map_err(|e| Error::file("delete", &path, e))?;
                pruned += 1;
            }
        }
    }
    Ok(pruned)
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The name of a failure's file, without its ending.
pub(crate) fn name_of(kind: &Kind, case: &Named) -> String {
    let numbers = match case {
        Named::Record(record) => record.values(),
        Named::Random { seed, index, .. } => vec![*seed, *index],
        Named::Walk { seed, run } => vec![*seed, *run, 0],
        Named::Entry(_) => Vec::new(),
    };
    format!("{:016x}", hash(&(&kind.0, numbers)))
}

fn write(path: &Path, entry: &Entry) -> Result<(), Error> {
    let status = match entry.status {
        EntryStatus::Failing => "failing",
        EntryStatus::Fixed => "fixed",
        EntryStatus::Kept => "kept",
    };
    let mut text = format!(
        "gainsay corpus {VERSION}\ntest: {}\nstatus: {status}\nkind: {}\nshown: {}\nline: {}\n",
        wire::escape(&entry.test),
        wire::escape(&entry.kind),
        wire::escape(&entry.shown),
        entry.line
    );
    match &entry.case {
        Named::Record(Record { size, choices, spans }) => {
            text += &format!(
                "size: {size}\nchoices: {}\nspans: {}\n",
                wire::write_choices(choices),
                wire::write_spans(spans)
            );
        }
        Named::Random { seed, index, size } => {
            text += &format!("size: {size}\nseed: {seed}\ncase: {index}\n")
        }
        Named::Walk { seed, run } => text += &format!("size: 0\nseed: {seed}\nwalk: {run}\n"),
        Named::Entry(_) => {}
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| Error::file("create the folder", folder, e))?;
    write_text(path, &text).map_err(|e| Error::file("write", path, e))
}

fn read(path: &Path) -> Result<Entry, String> {
    let text = read_named_text(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => "it is not text".to_string(),
        _ => error.to_string(),
    })?;
    parse(&text)
}

fn parse(text: &str) -> Result<Entry, String> {
    let mut lines = text.lines();
    match lines.next().and_then(|line| line.strip_prefix("gainsay corpus ")).map(str::parse::<u32>) {
        Some(Ok(VERSION)) => {}
        Some(Ok(version)) => {
            return Err(format!("line 1: version {version}, but this build knows version {VERSION}"));
        }
        _ => return Err(format!("line 1: expected `gainsay corpus {VERSION}`")),
    }
    let field = |name: &str| {
        text.lines()
            .enumerate()
            .find_map(|(n, line)| {
                let text = line.strip_prefix(name)?.strip_prefix(':')?;
                Some((n + 1, text.strip_prefix(' ').unwrap_or(text)))
            })
            .ok_or_else(|| format!("a line `{name}: …` is missing"))
    };
    let number = |name: &str| {
        let (line, text) = field(name)?;
        text.trim().parse::<u64>().map_err(|_| format!("line {line}: `{text}` is not a whole number"))
    };
    let status = match field("status")? {
        (_, "failing") => EntryStatus::Failing,
        (_, "fixed") => EntryStatus::Fixed,
        (_, "kept") => EntryStatus::Kept,
        (line, other) => {
            return Err(format!("line {line}: `{other}` is none of `failing`, `fixed` and `kept`"));
        }
    };
    let size = number("size")? as u32;
    let case = if field("walk").is_ok() {
        Named::Walk { seed: number("seed")?, run: number("walk")? }
    } else if field("seed").is_ok() {
        Named::Random { seed: number("seed")?, index: number("case")?, size }
    } else {
        let (line, choices) = field("choices")?;
        let choices = wire::read_choices(choices).map_err(|trouble| format!("line {line}: {trouble}"))?;
        let (line, spans) = field("spans")?;
        let spans = wire::read_spans(spans).map_err(|trouble| format!("line {line}: {trouble}"))?;
        Named::Record(Record { size, choices, spans })
    };
    Ok(Entry {
        line: number("line").unwrap_or(0) as u32,
        test: wire::unescape(field("test")?.1),
        status,
        kind: wire::unescape(field("kind")?.1),
        shown: wire::unescape(field("shown")?.1),
        case,
    })
}

/// For the fuzzer alone: what is read is replayed.
#[cfg(fuzzing)]
pub(crate) fn fuzz(text: &str) {
    let Ok(Entry { case: Named::Record(record), .. }) = parse(text) else { return };
    let mut case = crate::case::Case::from_bytes(&[]);
    case.rewind_to_replay(crate::source::replay::Replay::of_record(&record), record.size);
    case.vec(0..=20, |case| (case.int(0..=9u32), case.flag()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_files_are_refused_with_a_line() {
        let good =
            "gainsay corpus 1\ntest: t\nstatus: failing\nkind: k\nshown: s\nsize: 3\nchoices: i1\nspans: \n";
        assert!(parse(good).is_ok());
        for (from, to, reason) in [
            ("corpus 1", "corpus 7", "line 1: version 7"),
            ("gainsay", "foreign", "line 1: expected"),
            ("failing", "odd", "line 3"),
            ("size: 3", "size: x", "line 6"),
            ("i1", "q1", "line 7"),
            ("spans: ", "spans: x", "line 8"),
            ("choices: i1\n", "", "`choices: …` is missing"),
        ] {
            let trouble = parse(&good.replace(from, to)).unwrap_err();
            assert!(trouble.contains(reason), "{trouble}");
        }
    }
}
