//! The words of the DOT language, each with its place.

use gainsay_core::Error;
use std::fmt;

/// Where something is in a text, counted from 1, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Place {
    pub(super) fn trouble(self, trouble: impl fmt::Display) -> Error {
        Error::specification(format!("line {}, column {}: {trouble}", self.line, self.column))
    }
}

/// How a name or a value is written, which decides what its characters mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Word,
    Quoted,
    Html,
}

/// A name or a value. Escapes other than `\"` are still in it, since they mean more in a label than in a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) raw: String,
    pub(super) form: Form,
}

impl Text {
    /// What it is if it names a node.
    pub(super) fn name(&self) -> String {
        match self.form {
            Form::Quoted => self.raw.replace("\\\\", "\\"),
            Form::Word | Form::Html => self.raw.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    Text(Text),
    /// One of `{}[]=;,:`.
    Mark(char),
    /// `->`.
    Arrow,
    /// `--`, which machines have no use for.
    Line,
    End,
}

impl Word {
    /// Whether it is a keyword; they are written in small or big letters, but not in quotes.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Word::Text(text) if text.form == Form::Word && text.raw.eq_ignore_ascii_case(keyword))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Text(text) => write!(f, "`{}`", text.raw.escape_debug()),
            Word::Mark(mark) => write!(f, "`{mark}`"),
            Word::Arrow => f.write_str("`->`"),
            Word::Line => f.write_str("`--`"),
            Word::End => f.write_str("the end of the text"),
        }
    }
}

/// Reads a text word by word.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    place: Place,
    /// Whether there were only blanks in this line yet.
    fresh: bool,
}

impl Lexer<'_> {
    pub(super) fn new(text: &str) -> Lexer<'_> {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        Lexer { rest, place: Place { line: 1, column: 1 }, fresh: true }
    }

    /// The next word; after the last one, always the end.
    pub(super) fn next(&mut self) -> Result<(Word, Place), Error> {
        self.skip()?;
        let place = self.place;
        let Some(first) = self.rest.chars().next() else { return Ok((Word::End, place)) };
        let word = match first {
            '"' => self.strings()?,
            '<' => self.html()?,
            '{' | '}' | '[' | ']' | '=' | ';' | ',' | ':' => {
                self.take();
                Word::Mark(first)
            }
            '-' if self.takes("->") => Word::Arrow,
            '-' if self.takes("--") => Word::Line,
            _ => self.word(first)?,
        };
        Ok((word, place))
    }

    /// The next character.
    fn take(&mut self) -> Option<char> {
        let char = self.rest.chars().next()?;
        self.rest = &self.rest[char.len_utf8()..];
        if char == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
            self.fresh = true;
        } else {
            self.place.column += 1;
            self.fresh &= char.is_whitespace();
        }
        Some(char)
    }

    /// Whether the text goes on like this; then this is taken.
    fn takes(&mut self, text: &str) -> bool {
        let found = self.rest.starts_with(text);
        if found {
            text.chars().for_each(|_| {
                self.take();
            });
        }
        found
    }

    /// Takes everything up to some text, which is taken too; or all there is.
    fn skip_past(&mut self, end: &str) -> bool {
        while !self.takes(end) {
            if self.take().is_none() {
                return false;
            }
        }
        true
    }

    /// Takes blanks and comments. A `#` makes a comment only where a line starts, as for the preprocessor of C.
    fn skip(&mut self) -> Result<(), Error> {
        loop {
            let place = self.place;
            if self.rest.starts_with(char::is_whitespace) {
                self.take();
            } else if self.rest.starts_with("//") || (self.fresh && self.rest.starts_with('#')) {
                self.skip_past("\n");
            } else if self.takes("/*") {
                if !self.skip_past("*/") {
                    return Err(place.trouble("this comment has no end: expected `*/`"));
                }
            } else {
                return Ok(());
            }
        }
    }

    /// A quoted string, and those that are added to it by `+`.
    fn strings(&mut self) -> Result<Word, Error> {
        let mut raw = String::new();
        self.string(&mut raw)?;
        self.skip()?;
        while self.takes("+") {
            self.skip()?;
            if !self.rest.starts_with('"') {
                return Err(self.place.trouble("expected another string in quotes after `+`"));
            }
            self.string(&mut raw)?;
            self.skip()?;
        }
        Ok(Word::Text(Text { raw, form: Form::Quoted }))
    }

    fn string(&mut self, raw: &mut String) -> Result<(), Error> {
        let start = self.place;
        self.take();
        loop {
            match self.take() {
                None => return Err(start.trouble("this string has no end: expected another `\"`")),
                Some('"') => return Ok(()),
                Some('\\') if self.takes("\"") => raw.push('"'),
                // (A line that ends like this goes on in the next.)
                Some('\\') if self.takes("\n") || self.takes("\r\n") => (),
                Some('\\') => {
                    raw.push('\\');
                    raw.extend(self.take());
                }
                Some(char) => raw.push(char),
            }
        }
    }

    /// What is between `<` and the `>` that belongs to it.
    fn html(&mut self) -> Result<Word, Error> {
        let start = self.place;
        self.take();
        let text = self.rest;
        let mut depth = 1;
        while depth > 0 {
            if self.takes("<!--") {
                self.skip_past("-->");
                continue;
            }
            match self.take() {
                None => return Err(start.trouble("this label has no end: expected as many `>` as `<`")),
                Some('<') => depth += 1,
                Some('>') => depth -= 1,
                Some(_) => (),
            }
        }
        let raw = text[..text.len() - self.rest.len() - 1].into();
        Ok(Word::Text(Text { raw, form: Form::Html }))
    }

    /// A name or a number. (More is taken for one than Graphviz does, like `1a` and `a.b`, since it can mean nothing else.)
    fn word(&mut self, first: char) -> Result<Word, Error> {
        let part =
            |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '.' || !char.is_ascii();
        let negative =
            first == '-' && self.rest[1..].starts_with(|next: char| next.is_ascii_digit() || next == '.');
        if !negative && !part(first) {
            return Err(self.place.trouble(format!(
                "{first:?} has no meaning here: names that are not only letters, digits and `_` must be in quotes"
            )));
        }
        let mut raw = String::new();
        raw.extend(self.take());
        while self.rest.starts_with(|next: char| part(next) && !next.is_whitespace()) {
            raw.extend(self.take());
        }
        Ok(Word::Text(Text { raw, form: Form::Word }))
    }
}
