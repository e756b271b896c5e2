//! The words and symbols of a text.

use crate::text::SyntaxError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Word,
    /// A name in backquotes, or in braces: never an operator.
    Name,
    /// A number, and a unit behind it.
    Number,
    /// In quotation marks.
    Text,
    Symbol(&'static str),
    End,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) start: usize,
    pub(super) end: usize,
}

const SYMBOLS: [&str; 23] = [
    "<->", "<-", "<=", "<", "->", "=", "!=", "!", ">=", ">", "&", "|", "(", ")", "[", "]", ",", ".", "+",
    "-", "*", "/", "%",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let rest = &text[start..];
        let (token, length) = if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (Token::Symbol(symbol), symbol.len())
        } else if first == '`' {
            (Token::Name, backquoted(rest).ok_or("a name that begins with ` does not end"))
                .into_length(text, start)?
        } else if first == '{' {
            (Token::Name, braced(rest).ok_or("a name that begins with { does not end"))
                .into_length(text, start)?
        } else if first == '"' {
            (Token::Text, quotation(rest).ok_or("a text that begins with \" does not end"))
                .into_length(text, start)?
        } else if first.is_ascii_digit() {
            (Token::Number, number(rest))
        } else if first.is_alphabetic() || first == '_' {
            (Token::Word, rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()))
        } else {
            let end = start + first.len_utf8();
            return Err(SyntaxError::new(text, start..end, format!("`{first}` means nothing here")));
        };
        tokens.push(Placed { token, start, end: start + length });
        start += length;
    }
    tokens.push(Placed { token: Token::End, start: text.len(), end: text.len() });
    Ok(tokens)
}

/// A token whose length may be unknown.
trait IntoLength {
    fn into_length(self, text: &str, start: usize) -> Result<(Token, usize), SyntaxError>;
}

impl IntoLength for (Token, Result<usize, &str>) {
    fn into_length(self, text: &str, start: usize) -> Result<(Token, usize), SyntaxError> {
        let length = self.1.map_err(|message| SyntaxError::new(text, start..text.len(), message))?;
        Ok((self.0, length))
    }
}

/// The length of a name in backquotes; two in a row are one of the name.
fn backquoted(rest: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += rest[at..].find('`')? + 1;
        if !rest[at..].starts_with('`') {
            return Some(at);
        }
        at += 1;
    }
}

fn braced(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn quotation(rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Digits, a fraction, and letters: a unit or an exponent (whose sign belongs to it).
fn number(rest: &str) -> usize {
    let digits =
        |from: usize| rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| from + end);
    let mut end = digits(0);
    if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
        end = digits(end + 1);
    }
    if let Some(exponent) = rest[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['-', '+']));
        if exponent[sign..].starts_with(|c: char| c.is_ascii_digit()) {
            return digits(end + 1 + sign);
        }
    }
    rest[end..].find(|c: char| !c.is_alphanumeric()).map_or(rest.len(), |unit| end + unit)
}
