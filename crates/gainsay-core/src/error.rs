//! A user's mistake: never a verdict.

use crate::escape::Escaping;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the user has to mend before anything can be judged.
#[derive(Debug, Clone)]
pub struct Error {
    kind: Box<ErrorKind>,
}

#[derive(Debug, Clone)]
enum ErrorKind {
    Variable { name: &'static str, value: String, expected: String },
    Replay { text: String, trouble: String },
    PanicAbort,
    File { doing: &'static str, path: PathBuf, source: Arc<std::io::Error> },
    Child { trouble: String },
    Specification { trouble: String },
    Subject { trouble: String },
}

impl Error {
    fn new(kind: ErrorKind) -> Error {
        Error { kind: Box::new(kind) }
    }

    pub(crate) fn variable(name: &'static str, value: &str, expected: &str) -> Error {
        Error::new(ErrorKind::Variable { name, value: value.into(), expected: expected.into() })
    }

    pub(crate) fn replay(text: &str, trouble: impl Into<String>) -> Error {
        Error::new(ErrorKind::Replay { text: text.into(), trouble: trouble.into() })
    }

    pub(crate) fn panic_abort() -> Error {
        Error::new(ErrorKind::PanicAbort)
    }

    pub(crate) fn file(doing: &'static str, path: &Path, source: std::io::Error) -> Error {
        Error::new(ErrorKind::File { doing, path: path.into(), source: Arc::new(source) })
    }

    /// A specification that makes no sense.
    pub fn specification(trouble: impl Into<String>) -> Error {
        Error::new(ErrorKind::Specification { trouble: trouble.into() })
    }

    /// What is tested cannot be spoken with: it does not start, or breaks the protocol by which it is told inputs.
    pub fn subject(trouble: impl Into<String>) -> Error {
        Error::new(ErrorKind::Subject { trouble: trouble.into() })
    }

    /// Whether this is trouble with what is tested, and no mistake in the specification or the settings.
    pub fn is_of_subject(&self) -> bool {
        matches!(*self.kind, ErrorKind::Subject { .. })
    }

    pub(crate) fn child(trouble: impl Into<String>) -> Error {
        Error::new(ErrorKind::Child { trouble: trouble.into() })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Escaping(f);
        match &*self.kind {
            ErrorKind::Variable { name, value, expected } => {
                write!(f, "the environment variable {name} is `{value}`, which is not {expected}")
            }
            ErrorKind::Replay { text, trouble } => write!(f, "cannot replay `{text}`: {trouble}"),
            ErrorKind::PanicAbort => f.write_str(
                "this program is built with `panic = \"abort\"`, so that a failing property would end it before anything \
                 could be shrunk; build tests with `panic = \"unwind\"`",
            ),
            ErrorKind::File { doing, path, source } => write!(f, "failed to {doing} `{}`: {source}", path.display()),
            ErrorKind::Specification { trouble } | ErrorKind::Subject { trouble } => f.write_str(trouble),
            ErrorKind::Child { trouble } => write!(f, "cannot run the test in a child process: {trouble}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.kind {
            ErrorKind::File { source, .. } => Some(source),
            _ => None,
        }
    }
}
