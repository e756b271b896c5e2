//! Text from outside (of programs, files, panics) as a terminal may show it: control characters are escaped.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// Whether a character does something to a terminal besides being shown. Line feeds and tabs are harmless; characters that turn the direction of
/// text around are not, since what is read then is not what stands there.
fn is_unsafe(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text whose control characters are escaped: `\u{1b}` for ESC. Line feeds and tabs stay.
///
/// ```
/// assert_eq!(gainsay_core::escaped("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
/// ```
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    // (A string takes everything.)
    let _ = Escaping(&mut escaped).write_str(text);
    Cow::Owned(escaped)
}

/// Writes text to another writer, control characters escaped.
pub(crate) struct Escaping<'w, W: ?Sized>(pub(crate) &'w mut W);

impl<W: Write + ?Sized> Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_unsafe(*c)) {
            self.0.write_str(&rest[..at])?;
            write!(self.0, "{}", c.escape_unicode())?;
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_str(rest)
    }
}
