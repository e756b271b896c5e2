//! What one run of a property showed.

use std::fmt;

/// What one run showed, from least to most informative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The property was not asked: the engine only wanted to see the choices.
    Unjudged,
    /// More choices than allowed were made.
    Overrun,
    /// The case is outside of what the property speaks about.
    Rejected,
    /// The property could not be decided.
    Undefined,
    /// The property holds.
    Passed,
    /// The property does not hold.
    Failed,
}

/// What one run showed, and if it failed, how.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The status.
    pub status: Status,
    /// Whether something infinite was cut short on the way, so that passing proves nothing.
    pub cut: bool,
    /// How it failed.
    pub failure: Option<Box<Failure>>,
}

impl Outcome {
    /// An outcome without a failure.
    #[inline]
    pub fn of(status: Status) -> Outcome {
        Outcome { status, cut: false, failure: None }
    }

    /// A failed outcome, or one in which nothing was decided if the failure says so.
    pub fn failed(failure: impl Into<Box<Failure>>) -> Outcome {
        let failure = failure.into();
        let status = if failure.undecided { Status::Undefined } else { Status::Failed };
        Outcome { status, cut: false, failure: Some(failure) }
    }

    pub(crate) fn kind(&self) -> Option<&Kind> {
        let failure = self.failure.as_ref().filter(|_| self.status == Status::Failed);
        failure.map(|failure| &failure.kind)
    }
}

/// How a property failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What tells this failure from others; shrinking keeps it.
    pub kind: Kind,
    /// What there is to say about it, for people.
    pub message: String,
    /// It is enough to have seen it once: it needs no other run that fails as well. What is seen of real threads is like that.
    pub conclusive: bool,
    /// It is a failure of who judges: a limit ended the search, and nothing is known.
    pub undecided: bool,
    /// What happened in the run that failed, line by line, if anybody wrote it down. It is shown if no other run fails as well: the notes of a run that passed
    /// would be taken for those of this one.
    pub story: Option<Vec<String>>,
}

impl Failure {
    /// A failure whose kind follows from where it happened and what it said, less the details.
    pub fn new(place: &str, message: impl Into<String>) -> Failure {
        let message = message.into();
        Failure {
            kind: Kind::new(place, &message),
            message,
            conclusive: false,
            undecided: false,
            story: None,
        }
    }

    /// The same failure, of which it is enough to have seen it once.
    pub fn conclusive(mut self) -> Failure {
        self.conclusive = true;
        self
    }

    /// The same, as a failure of who judges.
    pub fn undecided(mut self) -> Failure {
        self.undecided = true;
        self
    }

    /// The same failure with what happened in the run that failed, line by line.
    pub fn with_story(mut self, story: Vec<String>) -> Failure {
        self.story = Some(story);
        self
    }

    /// The same failure with a kind of the user's choice.
    pub fn with_signature(mut self, signature: &str) -> Failure {
        self.kind = Kind(signature.to_string());
        self
    }
}

/// What tells a failure from others: where it happened, and its message without digits and quoted parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub String);

impl Kind {
    /// The kind of a failure at `place` with this message.
    pub fn new(place: &str, message: &str) -> Kind {
        let plain = without_details(message.lines().next().unwrap_or_default());
        Kind(if plain.is_empty() { place.to_string() } else { format!("{place}: {plain}") })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Removes what differs from case to case: digits, and what stands in quotes or brackets.
fn without_details(message: &str) -> String {
    let mut plain = String::new();
    let mut closing: Vec<char> = Vec::new();
    let mut previous = ' ';
    for c in message.chars() {
        // An apostrophe inside a word is no quote.
        let quote = matches!(c, '"' | '`') || c == '\'' && !previous.is_alphanumeric();
        if closing.last() == Some(&c) {
            closing.pop();
        } else if quote {
            closing.push(c);
        } else if let Some(end) = [('(', ')'), ('[', ']'), ('{', '}')].iter().find(|p| p.0 == c).map(|p| p.1)
        {
            closing.push(end);
        } else if closing.is_empty() && !c.is_ascii_digit() {
            plain.push(c);
        }
        previous = c;
    }
    let plain: Vec<&str> = plain.split_whitespace().collect();
    let plain = plain.join(" ");
    plain.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_forget_details() {
        assert_eq!(
            without_details("index out of bounds: the len is 3 but the index is 17"),
            "index out of bounds: the len is but the index is"
        );
        assert_eq!(without_details("called `unwrap()` on \"x's\" value 'q'"), "called on value");
        assert_eq!(without_details("can't add [1, 2]"), "can't add");
        assert_eq!(Kind::new("a.rs:3", "3 of 4"), Kind::new("a.rs:3", "7 of 12"));
        assert_ne!(Kind::new("a.rs:3", "same"), Kind::new("a.rs:4", "same"));
    }
}
