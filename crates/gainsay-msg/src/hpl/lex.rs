//! Words and signs of the language.

use crate::diagnostic::{Diagnostic, Span};

/// A word or sign.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// A word: a name or a keyword. Channels are words with `/`, `~` or `-` in them, read where an event may stand.
    Word,
    /// A number, as it is written.
    Number,
    /// Text in quotes: what it says.
    Text(String),
    /// `# …` up to the end of the line.
    Comment,
    /// A sign.
    Sign(&'static str),
    /// The end of the text.
    End,
}

#[derive(Debug, Clone)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

/// Signs of other languages, and what they are here. They are read as that, so that nothing else is told about them.
const FOREIGN: [(&str, &str); 8] = [
    ("==", "equality is `=`"),
    ("=<", "at most is `<=`"),
    ("=>", "at least is `>=`, and a consequence `implies`"),
    ("<>", "inequality is `!=`"),
    ("&&", "both is `and`"),
    ("||", "one of both is `or`"),
    ("->", "a consequence is `implies`"),
    ("!", "a negation is `not`"),
];

/// Longer signs first.
const SIGNS: [&str; 34] = [
    "==", "=<", "=>", "<>", "&&", "||", "->", "![", "]!", "!=", "<=", ">=", "**", "..", "(", ")", "{", "}",
    "[", "]", ",", ":", ".", "@", "$", "=", "<", ">", "+", "-", "*", "/", "~", "!",
];

/// All words and signs, and what is none.
pub(crate) fn lex(text: &str) -> (Vec<Lexeme>, Vec<Diagnostic>) {
    let mut lexer = Lexer { text, at: 0, troubles: Vec::new() };
    let mut lexemes: Vec<Lexeme> = Vec::new();
    loop {
        let after_at = lexemes.last().is_some_and(|last| last.token == Token::Sign("@"));
        let lexeme = lexer.next(after_at);
        let is_end = lexeme.token == Token::End;
        lexemes.push(lexeme);
        if is_end {
            return (lexemes, lexer.troubles);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    troubles: Vec<Diagnostic>,
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// How many bytes of the rest are such characters.
    fn run(&self, holds: impl Fn(char) -> bool) -> usize {
        self.rest().find(|c| !holds(c)).unwrap_or(self.rest().len())
    }

    fn take(&mut self, length: usize, token: Token) -> Lexeme {
        let span = self.at..self.at + length;
        self.at += length;
        Lexeme { token, span }
    }

    /// The next one. The number of a message, in `@1.field`, ends before the dot.
    fn next(&mut self, after_at: bool) -> Lexeme {
        loop {
            // (Some editors begin a file with a mark.)
            if self.at == 0 && self.rest().starts_with('\u{feff}') {
                self.at = '\u{feff}'.len_utf8();
            }
            self.at += self.run(char::is_whitespace);
            let Some(first) = self.rest().chars().next() else { return self.take(0, Token::End) };
            if first == '#' {
                let length = self.rest().find('\n').unwrap_or(self.rest().len());
                return self.take(length, Token::Comment);
            }
            if first == '"' || first == '\'' {
                return self.text_in(first);
            }
            if first.is_ascii_digit() || first == '.' && self.second_is_digit() {
                let length = if after_at { self.run(|c| c.is_ascii_digit()) } else { self.number() };
                return self.take(length, Token::Number);
            }
            if is_word(first) {
                let length = self.run(is_word);
                return self.take(length, Token::Word);
            }
            // (In `a[0]!=1` the bracket ends before the sign.)
            let is_here = |sign: &&&str| {
                self.rest().starts_with(**sign) && !(**sign == "]!" && self.rest().starts_with("]!="))
            };
            if let Some(sign) = SIGNS.iter().find(is_here) {
                if let Some((_, help)) = FOREIGN.iter().find(|(foreign, _)| foreign == sign) {
                    let span = self.at..self.at + sign.len();
                    let trouble = Diagnostic::error(span, format!("there is no `{sign}`"));
                    self.troubles.push(trouble.label("this means nothing here").help(*help));
                }
                return self.take(sign.len(), Token::Sign(sign));
            }
            let span = self.at..self.at + first.len_utf8();
            self.at = span.end;
            let trouble = Diagnostic::error(span, format!("unexpected character `{}`", first.escape_debug()));
            let trouble = trouble.label("this means nothing here");
            self.troubles.push(match super::hints::hint_of_character(first) {
                Some(help) => trouble.help(help),
                None => trouble,
            });
        }
    }

    fn second_is_digit(&self) -> bool {
        self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit())
    }

    /// How long the number is that begins here: `12`, `1.5`, `.5`, `1e-3`. In `0..5` the number ends before the dots.
    fn number(&self) -> usize {
        let bytes = self.rest().as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let after = digits(end + 1 + sign);
            if after > end + 1 + sign {
                end = after;
            }
        }
        end
    }

    fn text_in(&mut self, quote: char) -> Lexeme {
        let start = self.at;
        let mut said = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((place, c)) = characters.next() {
            let here = start + 1 + place;
            if c == quote {
                self.at = here + 1;
                return Lexeme { token: Token::Text(said), span: start..self.at };
            }
            if c == '\n' {
                break;
            }
            if c != '\\' {
                said.push(c);
                continue;
            }
            match characters.next() {
                Some((_, 'n')) => said.push('\n'),
                Some((_, 't')) => said.push('\t'),
                Some((_, 'r')) => said.push('\r'),
                Some((_, other @ ('\\' | '"' | '\''))) => said.push(other),
                Some((_, other)) => {
                    said.push('\\');
                    said.push(other);
                }
                None => break,
            }
        }
        let end = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
        let trouble = Diagnostic::error(start..end, "text without an end");
        self.troubles
            .push(trouble.label("it begins here").help(format!("end it by {quote} on the same line")));
        self.at = end;
        Lexeme { token: Token::Text(said), span: start..end }
    }
}
