//! Texts in a picture: how wide they are, and how they are written.

use std::borrow::Cow;

/// So many columns of text are given to a state.
const NAME_MAX: usize = 26;
/// So many to an input and an answer, the ` / ` between them not counted.
const STEP_MAX: usize = 30;

/// How many columns a text takes in letters that are all equally wide. (Some take two, and it is no harm to keep room for others.)
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(letter: char) -> usize {
    if letter < '\u{1100}' || letter == '…' { 1 } else { 2 }
}

/// The name of a state, short enough for a box.
pub(super) fn shortened_name(name: &str) -> String {
    shortened(name, NAME_MAX)
}

/// An input and its answer, short enough for a label. What one of them does not need, the other may use.
pub(super) fn shortened_step(input: &str, answer: &str) -> String {
    if answer.is_empty() {
        return shortened(input, STEP_MAX);
    }
    let half = STEP_MAX / 2;
    let input_max = half.max(STEP_MAX.saturating_sub(columns(answer)));
    let answer_max = half.max(STEP_MAX.saturating_sub(columns(input)));
    format!("{} / {}", shortened(input, input_max), shortened(answer, answer_max))
}

/// A text without its middle, if it is too long: names that are alike mostly differ at one of their ends.
fn shortened(text: &str, columns_max: usize) -> String {
    if columns(text) <= columns_max {
        return text.into();
    }
    let half = (columns_max - 1) / 2;
    let end: Vec<char> = beginning(text.chars().rev(), half).collect();
    let mut short: String = beginning(text.chars(), columns_max - 1 - half).collect();
    short.push('…');
    short.extend(end.into_iter().rev());
    short
}

/// As many letters as fit.
fn beginning(letters: impl Iterator<Item = char>, columns_max: usize) -> impl Iterator<Item = char> {
    let mut used = 0;
    letters.take_while(move |letter| {
        used += columns_of(*letter);
        used <= columns_max
    })
}

/// A text as it is written in XML, on one line.
pub(super) fn escaped_line(text: &str) -> String {
    escaped(&text.replace(char::is_control, " "))
}

/// A text as it is written in XML. What must not be there at all is replaced.
pub(super) fn escaped(text: &str) -> String {
    text.chars().map(letter).collect()
}

fn letter(letter: char) -> Cow<'static, str> {
    match letter {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        '\'' => "&#39;".into(),
        '\n' => "\n".into(),
        '\u{fffe}' | '\u{ffff}' => "\u{fffd}".into(),
        _ if letter.is_control() => "\u{fffd}".into(),
        _ => String::from(letter).into(),
    }
}
