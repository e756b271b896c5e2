//! What labels say, and how to say it so that it is understood again.

use super::lex::{Form, Text};

/// The lines of a label, without those that are blank. Entities are still in them, since what they stand for separates nothing.
pub(super) fn lines(label: &Text) -> Vec<String> {
    let text = match label.form {
        Form::Word | Form::Quoted => unescaped(&label.raw),
        Form::Html => untagged(&label.raw),
    };
    text.split('\n').filter(|line| !line.trim().is_empty()).map(String::from).collect()
}

/// Input and output of `input / output`. An input with a slash needs a slash with blanks around after it.
pub(super) fn halves(line: &str) -> Option<(String, String)> {
    let spaced = |at: &usize| {
        let after = &line[at + 1..];
        line[..*at].ends_with(char::is_whitespace)
            && (after.is_empty() || after.starts_with(char::is_whitespace))
    };
    let mut slashes = line.match_indices('/').map(|(at, _)| at);
    let at = slashes.clone().find(spaced).or_else(|| slashes.next())?;
    Some((decoded(&line[..at]), decoded(&line[at + 1..])))
}

/// Without blanks around, and with what entities stand for.
pub(super) fn decoded(text: &str) -> String {
    let mut rest = text.trim();
    let mut decoded = String::with_capacity(rest.len());
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let entity = rest.split_once(';').and_then(|(name, after)| Some((entity(name)?, after)));
        match entity {
            Some((char, after)) => {
                decoded.push(char);
                rest = after;
            }
            None => decoded.push('&'),
        }
    }
    decoded + rest
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hexadecimal = number.strip_prefix(['x', 'X']);
        let number = hexadecimal.map_or_else(|| number.parse(), |digits| u32::from_str_radix(digits, 16));
        return char::from_u32(number.ok()?);
    }
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "sol" => '/',
        "bsol" => '\\',
        "epsilon" => 'ε',
        "lambda" => 'λ',
        "tau" => 'τ',
        "delta" => 'δ',
        "larr" => '←',
        "rarr" => '→',
        _ => return None,
    })
}

/// A quoted label with its escapes undone. Those that mean nothing are kept, so that what differs stays different.
fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        match chars.next() {
            Some('n' | 'l' | 'r') => text.push('\n'),
            Some('\\') | None => text.push('\\'),
            Some(other) => text.extend(['\\', other]),
        }
    }
    text
}

/// A label in HTML without its tags. Cells are set apart, and rows are lines.
fn untagged(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.extend(rest[..at].chars().map(line_as_blank));
        let end = if rest[at..].starts_with("<!--") { "-->" } else { ">" };
        let (tag, after) = rest[at + 1..].split_once(end).unwrap_or((&rest[at + 1..], ""));
        let name = tag.split(|char: char| char.is_whitespace()).next().unwrap_or(tag).to_ascii_lowercase();
        match name.as_str() {
            "br" | "br/" | "/tr" => text.push('\n'),
            "td" | "/td" => text.push(' '),
            _ => (),
        }
        rest = after;
    }
    text.extend(rest.chars().map(line_as_blank));
    text.replace("&nbsp;", " ")
}

/// In HTML, the end of a line is a blank like others.
fn line_as_blank(char: char) -> char {
    if char == '\n' { ' ' } else { char }
}

/// A text as a part of a quoted label.
pub(super) fn encoded(text: &str) -> String {
    let blank = |text: &str| text.chars().all(char::is_whitespace);
    let mut encoded = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        let trimmed = char.is_whitespace() && (blank(&text[..at]) || blank(&text[at..]));
        match char {
            '&' => encoded.push_str("&amp;"),
            '"' | '\\' => encoded.extend(['\\', char]),
            _ if trimmed || char.is_control() => encoded.push_str(&format!("&#{};", u32::from(char))),
            _ => encoded.push(char),
        }
    }
    encoded
}

/// An input as a part of a quoted label, before a slash: nothing in it looks like that slash, or marks it as an output.
pub(super) fn encoded_input(text: &str) -> String {
    let mut input = String::with_capacity(text.len());
    for char in encoded(text).chars() {
        match char {
            '/' if input.ends_with(char::is_whitespace) => input.push_str("&#47;"),
            '!' if input.is_empty() => input.push_str("&#33;"),
            _ => input.push(char),
        }
    }
    input
}

/// A text as a name in quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
