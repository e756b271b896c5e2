//! What is wrong with a file, and where: for people.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use gainsay_core::escaped;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A part of a text, by bytes.
pub type Span = Range<usize>;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It can be used all the same.
    Warning,
    /// It cannot.
    Error,
}

/// Something that is wrong, or looks so.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to say there.
    pub label: String,
    /// The way out.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// What to say at the place itself.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// The way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A text with the name it has for people: the path of a file, mostly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Source {
    /// A text with a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { name: name.into(), text: text.into() }
    }

    /// The line and column of a byte, from 1; columns count characters.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..self.floor(at)];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// The nearest place at or before a byte where a character begins.
    fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// Shows a diagnostic with its place in the text; in colours if wanted.
    pub fn show(&self, diagnostic: &Diagnostic, colours: bool) -> String {
        let level = match diagnostic.severity {
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        if self.text.is_empty() {
            // There is no place to show.
            let word = if diagnostic.is_error() { "error" } else { "warning" };
            let help = diagnostic.help.as_ref().map(|help| format!("\n  = help: {help}")).unwrap_or_default();
            return escaped(&format!("{word}: {}{help}", diagnostic.message)).into_owned();
        }
        let start = self.floor(diagnostic.span.start);
        // (The end of a text is a place as well.)
        let end = self.floor(diagnostic.span.end.max(start)).max(start);
        let annotation = AnnotationKind::Primary.span(start..end).label(escaped(&diagnostic.label));
        let snippet = Snippet::source(self.text.as_str()).path(escaped(&self.name)).annotation(annotation);
        let mut group: Group<'_> = level.primary_title(escaped(&diagnostic.message)).element(snippet);
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(escaped(help)));
        }
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// Everything that is wrong with some texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// Each with the text it is about.
    pub all: Vec<(Arc<Source>, Diagnostic)>,
}

impl Diagnostics {
    /// Adds what is wrong with a text.
    pub fn add(&mut self, source: &Arc<Source>, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        self.all.extend(diagnostics.into_iter().map(|diagnostic| (Arc::clone(source), diagnostic)));
    }

    /// Whether something cannot be used.
    pub fn has_errors(&self) -> bool {
        self.all.iter().any(|(_, diagnostic)| diagnostic.is_error())
    }

    /// All of them as text; in colours if wanted.
    pub fn show(&self, colours: bool) -> String {
        let shown: Vec<String> =
            self.all.iter().map(|(source, diagnostic)| source.show(diagnostic, colours)).collect();
        shown.join("\n\n")
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show(false))
    }
}
