//! What is said on standard output, and whether it could be.

use std::fmt;
use std::io::{ErrorKind, Write, stdout};
use std::sync::{Mutex, PoisonError};

/// Why something could not be said.
static FAILED: Mutex<Option<String>> = Mutex::new(None);

/// Says something. (Whoever does not listen any more, as `head` after its tenth line, does not hold us up.)
pub(crate) fn say(said: fmt::Arguments<'_>) {
    note(stdout().write_fmt(said));
}

/// Why something that was said so far was lost.
pub(crate) fn failure() -> Option<String> {
    note(stdout().flush());
    FAILED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn note(written: std::io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error.to_string());
    }
}
