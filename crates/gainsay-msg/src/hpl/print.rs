//! From properties to text: `gainsay fmt`, and whatever shows a part of one.

use super::parse::File;
use super::tree::{
    Bound, Comment, Event, Expr, ExprKind, Operator, Pattern, Property, Root, Scope, Simple, Step, Unit,
};
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
    /// On one line if it fits, otherwise the pattern on lines of its own; what is longer still is broken at `or`, `and` and the like.
    fn lines(&self) -> String {
        let line = self.to_string();
        if line.chars().count() <= WIDTH {
            return line;
        }
        let Pattern { kind, first, second, within } = &self.pattern;
        let bound = within.as_ref().map(|bound| format!(" within {bound}")).unwrap_or_default();
        let pattern = match second {
            Some(second) => {
                let second = broken(&format!("  {} ", kind.word()), second, &bound);
                format!("{}\n{second}", broken("  ", first, ""))
            }
            None => broken(&format!("  {} ", kind.word()), first, &bound),
        };
        format!("{}\n{pattern}", self.scope.lines())
    }
}

impl Scope {
    /// It with its colon, on several lines if it is long.
    fn lines(&self) -> String {
        match self {
            Scope::AfterUntil(activator, terminator) => {
                let line = format!("{self}:");
                if line.chars().count() <= WIDTH {
                    return line;
                }
                format!("{}\n{}", broken("after ", activator, ""), broken("    until ", terminator, ":"))
            }
            Scope::After(activator) => broken("after ", activator, ":"),
            Scope::Until(terminator) => broken("until ", terminator, ":"),
            Scope::Globally => "globally:".into(),
        }
    }
}

/// An event between two texts, on several lines if it is long: one for each alternative, and for each part of a condition.
fn broken(before: &str, event: &Event, after: &str) -> String {
    let line = format!("{before}{event}{after}");
    if line.chars().count() <= WIDTH {
        return line;
    }
    let indent = before.len() - before.trim_start().len() + 4;
    match event.alternatives.as_slice() {
        [only] => only.broken(before, after, indent),
        all => {
            let mut lines = Vec::new();
            for (place, one) in all.iter().enumerate() {
                let before = if place == 0 { format!("{before}(") } else { format!("{:indent$}or ", "") };
                let after = if place + 1 == all.len() { format!("){after}") } else { String::new() };
                lines.push(one.broken(&before, &after, indent + 4));
            }
            lines.join("\n")
        }
    }
}

impl Simple {
    /// Between two texts, with each part of its condition on a line of its own if it is long.
    fn broken(&self, before: &str, after: &str, indent: usize) -> String {
        let line = format!("{before}{self}{after}");
        let Some(predicate) = self.predicate.as_ref().filter(|_| line.chars().count() > WIDTH) else {
            return line;
        };
        let alias = self.alias.as_ref().map(|alias| format!(" as {}", alias.text)).unwrap_or_default();
        let mut text = format!("{before}{}{alias} {{", self.channel.text);
        for (operator, part, around) in parts(predicate) {
            if let Some(operator) = operator {
                let _ = write!(text, "\n{:indent$}{} ", "", operator.sign());
            }
            let _ = write!(text, "{}", Within(part, around));
        }
        text + "}" + after
    }
}

/// The operands of a chain of operators that group from the left, each with the operator before it and what it must bind as tightly as.
fn parts(expr: &Expr) -> Vec<(Option<Operator>, &Expr, u8)> {
    let mut parts = Vec::new();
    let mut left = expr;
    let level = match &expr.kind {
        ExprKind::Binary(operator, ..) if operator.level() <= Operator::And.level() => operator.level(),
        _ => return vec![(None, expr, 0)],
    };
    while let ExprKind::Binary(operator, one, two) = &left.kind
        && operator.level() == level
    {
        parts.push((Some(*operator), &**two, level + 1));
        left = one;
    }
    parts.push((None, left, level));
    parts.reverse();
    parts
}

/// An expression inside of another one.
struct Within<'e>(&'e Expr, u8);

impl Display for Within<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self.0, self.1, f)
    }
}

impl Display for Bound {
    /// In the unit in which it is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Unit::Milliseconds => write!(f, "{} ms", time::shown_ms(self.nanoseconds)),
            Unit::Seconds => write!(f, "{} s", time::shown_s(self.nanoseconds)),
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
            Some(bound) => write!(f, " within {bound}"),
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
