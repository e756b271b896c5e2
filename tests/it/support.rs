//! What the tests share: settings, folders that go away, readings of verdicts, a recursive type.

use gainsay::{Arbitrary, Case, Counterexample, Grammar, Indexable, Settings, Space, Verdict, settings};
use std::path::{Path, PathBuf};

/// A run that leaves nothing behind.
pub(crate) fn seeded(seed: u64) -> Settings {
    settings().seed(seed).without_corpus()
}

/// The failure of a run that must have found one.
#[track_caller]
pub(crate) fn found(verdict: &Verdict) -> &Counterexample {
    match verdict {
        Verdict::Falsified(falsified) => &falsified.counterexample,
        other => panic!("expected a counterexample, got: {other}"),
    }
}

/// The only argument of the failure of a run that must have found one.
#[track_caller]
pub(crate) fn minimum(verdict: &Verdict) -> String {
    found(verdict).notes[0].value.clone()
}

/// The message of a run that must have given up, or in which nothing was tested.
#[track_caller]
pub(crate) fn gave_up(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::GaveUp(gave_up) => &gave_up.reason,
        Verdict::Vacuous(vacuous) => &vacuous.never[0],
        other => panic!("expected to give up, got: {other}"),
    }
}

/// How many cases a proof covers.
#[track_caller]
pub(crate) fn proved(verdict: &Verdict) -> u64 {
    match verdict {
        Verdict::Proved(proved) => proved.cases,
        other => panic!("expected a proof, got: {other}"),
    }
}

#[track_caller]
pub(crate) fn assert_contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is missing in:\n{text}");
}

/// A folder for one test, gone when the test ends.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gainsay-tests-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// All files below, in order of their paths.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }

    /// The only file below.
    #[track_caller]
    pub(crate) fn only_file(&self) -> PathBuf {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A recursive type whose recursive variant is declared first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Tree {
    Fork(Box<Tree>, Box<Tree>),
    Leaf(bool),
}

impl Tree {
    pub(crate) fn leaves(&self) -> u64 {
        match self {
            Tree::Fork(left, right) => left.leaves() + right.leaves(),
            Tree::Leaf(_) => 1,
        }
    }

    pub(crate) fn depth(&self) -> u64 {
        match self {
            Tree::Fork(left, right) => 1 + left.depth().max(right.depth()),
            Tree::Leaf(_) => 0,
        }
    }
}

impl Arbitrary for Tree {
    fn arbitrary(case: &mut Case) -> Tree {
        case.span("Tree", |case| match case.variant::<Tree>(&[1, 1]) {
            0 => Tree::Fork(case.any(), case.any()),
            _ => Tree::Leaf(case.any()),
        })
    }

    fn space(grammar: &mut Grammar) -> Space {
        let subtree = grammar.of::<Tree>();
        let fork = grammar.seq(vec![subtree, subtree]);
        let leaf = grammar.of::<bool>();
        grammar.alternatives(vec![fork, leaf])
    }
}

impl Indexable for Tree {}
