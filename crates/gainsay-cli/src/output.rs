//! What is said on standard output, and whether it could be.

use anstream::{AutoStream, ColorChoice, stream::RawStream};
use gainsay_core::escaped;
use serde_json::Value as Json;
use std::fmt;
use std::io::{ErrorKind, Write, stdout};
use std::sync::{Mutex, PoisonError};

/// Why something could not be said.
static FAILED: Mutex<Option<String>> = Mutex::new(None);

/// Says something. (Whoever does not listen any more, as `head` after its tenth line, does not hold us up.)
pub(crate) fn say(said: fmt::Arguments<'_>) {
    note(stdout().write_fmt(said));
}

/// Says a line of text. What came from files and programs may be in it: control characters are escaped.
pub(crate) fn say_line(said: fmt::Arguments<'_>) {
    note(writeln!(stdout(), "{}", escaped(&said.to_string())));
}

/// Says a line of JSON.
pub(crate) fn say_json(said: &Json) {
    say(format_args!("{}\n", json_text(&said.to_string())));
}

/// JSON as a terminal may show it, too. (Of control characters the format itself escapes only the first few; all others are within strings.)
pub(crate) fn json_text(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match escaped(c.encode_utf8(&mut [0; 4])) {
            std::borrow::Cow::Borrowed(_) => text.push(c),
            std::borrow::Cow::Owned(_) => text += &format!("\\u{:04x}", u32::from(c)),
        }
    }
    text
}

/// Whether a stream is shown in colours: a terminal, unless `NO_COLOR` or `TERM=dumb` says otherwise.
pub(crate) fn has_colours(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
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
