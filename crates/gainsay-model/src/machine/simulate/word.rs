//! What is meant by a word that was typed.

/// What can be done besides giving an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Undo,
    Reset,
    Trace,
    Help,
    Quit,
}

const COMMANDS: [(&str, Command); 5] = [
    ("undo", Command::Undo),
    ("reset", Command::Reset),
    ("trace", Command::Trace),
    ("help", Command::Help),
    ("quit", Command::Quit),
];

/// An input that cannot be given.
pub(super) struct Other {
    pub(super) text: String,
    /// Whether its outputs are judged; else nothing is specified.
    pub(super) is_judged: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Nothing,
    /// The input in this place.
    Input(usize),
    Command(Command),
    /// It means nothing, or too much: why, for whoever typed it.
    Unclear(String),
}

/// Longer words are not repeated in full.
const WORD_MAX: usize = 60;

/// What a word means where inputs with these texts can be given, and others cannot. The whole text of something goes before the beginning
/// of something else.
pub(super) fn meaning(word: &str, texts: &[String], others: &[Other]) -> Meaning {
    if word.is_empty() {
        return Meaning::Nothing;
    }
    if let Some(rest) = word.strip_prefix(':')
        && let Some(meaning) = numbered(rest, texts).or_else(|| commanded(rest, str::eq))
    {
        return meaning;
    }
    let mut meanings = inputs(word, texts, is_text);
    meanings.extend(numbered(word, texts).filter(|number| !meanings.contains(number)));
    meanings.extend(commanded(word, str::eq));
    if meanings.is_empty() {
        if let Some(other) = others.iter().find(|other| is_text(word, &other.text)) {
            return Meaning::Unclear(other.why());
        }
        meanings = inputs(word, texts, is_beginning);
        meanings.extend(commanded(word, |word, name| name.starts_with(word)));
    }
    match meanings.len() {
        0 => Meaning::Unclear(format!("`{}` is neither an input nor a command: try `help`", shortened(word))),
        1 => meanings.remove(0),
        _ => Meaning::Unclear(unclear(word, &meanings, texts)),
    }
}

impl Other {
    fn why(&self) -> String {
        match self.is_judged {
            true => format!("{} cannot be given here: its outputs are judged, not listed", self.text),
            false => format!("{} is not specified here", self.text),
        }
    }
}

fn inputs(word: &str, texts: &[String], is_meant: fn(&str, &str) -> bool) -> Vec<Meaning> {
    (0..texts.len()).filter(|place| is_meant(word, &texts[*place])).map(Meaning::Input).collect()
}

/// Whether a word is the text of an input. A text needs no quotes.
fn is_text(word: &str, text: &str) -> bool {
    word == text || word == unquoted(text)
}

/// Whether an input's text begins with a word.
fn is_beginning(word: &str, text: &str) -> bool {
    text.starts_with(word) || unquoted(text).starts_with(word)
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text)
}

fn numbered(word: &str, texts: &[String]) -> Option<Meaning> {
    let number: usize = word.parse().ok()?;
    (1..=texts.len()).contains(&number).then(|| Meaning::Input(number - 1))
}

fn commanded(word: &str, is_meant: fn(&str, &str) -> bool) -> Option<Meaning> {
    let (_, command) = COMMANDS.iter().find(|(name, _)| is_meant(word, name))?;
    Some(Meaning::Command(*command))
}

/// Lists the meanings, each as it can be typed.
fn unclear(word: &str, meanings: &[Meaning], texts: &[String]) -> String {
    let shown: Vec<String> = meanings
        .iter()
        .map(|meaning| match meaning {
            Meaning::Input(place) => format!("{} (`:{}`)", texts[*place], place + 1),
            Meaning::Command(command) => {
                let name = COMMANDS.iter().find(|(_, known)| known == command).map_or("", |(name, _)| name);
                format!("the command `:{name}`")
            }
            Meaning::Nothing | Meaning::Unclear(_) => String::new(),
        })
        .collect();
    format!("`{}` may be {}", shortened(word), shown.join(" or "))
}

/// A word as it is repeated to whoever typed it.
fn shortened(word: &str) -> String {
    let (end, dots) = word.char_indices().nth(WORD_MAX).map_or((word.len(), ""), |(end, _)| (end, "…"));
    format!("{}{dots}", word[..end].escape_debug())
}
