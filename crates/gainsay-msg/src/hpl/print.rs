//! From properties to text: `gainsay fmt`, and whatever shows a part of one.

use super::parse::File;
use super::tree::{Comment, Event, Expr, ExprKind, Operator, Pattern, Property, Root, Scope, Simple, Step};
use crate::time;
use std::fmt::{self, Display, Write};

/// Longer properties are written on several lines.
const WIDTH: usize = 100;

/// All properties of a file, with their comments, in the usual form.
pub fn format(file: &File) -> String {
    let mut text = String::new();
    for property in &file.properties {
        begin(&mut text);
        write_comments(&property.comments, &mut text);
        let _ = writeln!(text, "{}", property.lines());
    }
    if !file.trailing.is_empty() {
        begin(&mut text);
        write_comments(&file.trailing, &mut text);
    }
    text
}

/// What follows stands apart from what was before.
fn begin(text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
}

fn write_comments(comments: &[Comment], text: &mut String) {
    for comment in comments {
        let _ = match &comment.key {
            Some(key) => writeln!(text, "{}", format!("# {key}: {}", comment.text).trim_end()),
            None => writeln!(text, "{}", format!("# {}", comment.text).trim_end()),
        };
    }
}

impl Property {
    /// On one line if it fits, otherwise the pattern on lines of its own.
    fn lines(&self) -> String {
        let line = self.to_string();
        if line.chars().count() <= WIDTH {
            return line;
        }
        let Pattern { kind, first, second, within } = &self.pattern;
        let bound = within.as_ref().map(|bound| format!(" within {}", time::shown(bound.nanoseconds)));
        let bound = bound.unwrap_or_default();
        match second {
            Some(second) => format!("{}:\n  {first}\n  {} {second}{bound}", self.scope, kind.word()),
            None => format!("{}:\n  {} {first}{bound}", self.scope, kind.word()),
        }
    }
}

impl Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.scope, self.pattern)
    }
}

impl Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Globally => f.write_str("globally"),
            Scope::After(activator) => write!(f, "after {activator}"),
            Scope::Until(terminator) => write!(f, "until {terminator}"),
            Scope::AfterUntil(activator, terminator) => write!(f, "after {activator} until {terminator}"),
        }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.second {
            Some(second) => write!(f, "{} {} {second}", self.first, self.kind.word())?,
            None => write!(f, "{} {}", self.kind.word(), self.first)?,
        }
        match &self.within {
            Some(bound) => write!(f, " within {}", time::shown(bound.nanoseconds)),
            None => Ok(()),
        }
    }
}

impl Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.alternatives.as_slice() {
            return write!(f, "{only}");
        }
        f.write_str("(")?;
        for (i, alternative) in self.alternatives.iter().enumerate() {
            write!(f, "{}{alternative}", if i > 0 { " or " } else { "" })?;
        }
        f.write_str(")")
    }
}

impl Display for Simple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.channel.text)?;
        if let Some(alias) = &self.alias {
            write!(f, " as {}", alias.text)?;
        }
        match &self.predicate {
            Some(predicate) => write!(f, " {{{predicate}}}"),
            None => Ok(()),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, 0, f)
    }
}

fn level(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary(operator, ..) => operator.level(),
        ExprKind::Not(_) | ExprKind::Quantified { .. } => 4,
        ExprKind::Minus(_) => 9,
        _ => 10,
    }
}

/// Writes an expression, in brackets if it binds less than so tightly.
fn write(expr: &Expr, around: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if level(expr) < around {
        f.write_str("(")?;
        write(expr, 0, f)?;
        return f.write_str(")");
    }
    match &expr.kind {
        ExprKind::Bool(true) => f.write_str("True"),
        ExprKind::Bool(false) => f.write_str("False"),
        ExprKind::Int(value) => write!(f, "{value}"),
        ExprKind::Float(value) => write!(f, "{value:?}"),
        ExprKind::Text(text) => write_text(text, f),
        ExprKind::Constant(constant) => f.write_str(constant.name()),
        ExprKind::Field(root, steps) => write_field(root, steps, f),
        ExprKind::Not(of) => {
            f.write_str("not ")?;
            write(of, 4, f)
        }
        ExprKind::Minus(of) => {
            f.write_str("-")?;
            write(of, 9, f)
        }
        ExprKind::Binary(operator, left, right) => {
            let level = operator.level();
            // (Relations do not chain; all others group from the left.)
            let is_relation = matches!(operator, Operator::Relation(_));
            write(left, level + u8::from(is_relation), f)?;
            write!(f, " {} ", operator.sign())?;
            write(right, level + 1, f)
        }
        ExprKind::Call(function, arguments) => {
            write!(f, "{}(", function.word())?;
            write_list(arguments, f)?;
            f.write_str(")")
        }
        ExprKind::Set(items) => {
            f.write_str("{")?;
            write_list(items, f)?;
            f.write_str("}")
        }
        ExprKind::Range { ends, without_first, without_last } => {
            f.write_str(if *without_first { "![" } else { "[" })?;
            write(&ends.0, 6, f)?;
            f.write_str(" to ")?;
            write(&ends.1, 6, f)?;
            f.write_str(if *without_last { "]!" } else { "]" })
        }
        ExprKind::Quantified { all, variable, domain, body } => {
            write!(f, "{} {} in ", if *all { "forall" } else { "exists" }, variable.text)?;
            write(domain, 6, f)?;
            f.write_str(": ")?;
            write(body, 4, f)
        }
    }
}

fn write_list(items: &[Expr], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write(item, 0, f)?;
    }
    Ok(())
}

fn write_text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            '"' | '\\' => write!(f, "\\{c}")?,
            _ => f.write_char(c)?,
        }
    }
    f.write_str("\"")
}

fn write_field(root: &Root, steps: &[Step], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match root {
        Root::Own => {}
        Root::Named(name) => write!(f, "@{name}")?,
        Root::Numbered(number) => write!(f, "@{number}")?,
        Root::Variable(name) => write!(f, "${name}")?,
    }
    for (i, step) in steps.iter().enumerate() {
        match step {
            Step::Field(name) if i == 0 && *root == Root::Own => f.write_str(&name.text)?,
            Step::Field(name) => write!(f, ".{}", name.text)?,
            Step::Index(index) => {
                f.write_str("[")?;
                write(index, 6, f)?;
                f.write_str("]")?;
            }
        }
    }
    Ok(())
}
