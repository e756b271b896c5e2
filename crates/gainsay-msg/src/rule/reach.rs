//! How far quantifiers reach: `forall i in xs: a and b` is `(forall i in xs: a) and b`, and who speaks of `@i` in `b` meant something else.

use crate::hpl::{Expr, ExprKind, Operator, Root};

/// A variable that is spoken of after its quantifier.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Beyond {
    pub(super) variable: String,
    /// The quantifier as far as it should reach.
    pub(super) meant: String,
}

/// All of a condition.
pub(super) fn beyond(condition: &Expr) -> Vec<Beyond> {
    let mut found = Vec::new();
    condition.each(&mut |part| {
        if let ExprKind::Binary(_, left, _) = &part.kind
            && let Some(open) = open_end(left)
        {
            found.extend(meant(condition, open));
        }
    });
    found.dedup();
    found
}

/// The quantifier at the end of an expression, if it stands in no brackets.
fn open_end(expr: &Expr) -> Option<&Expr> {
    let last = match &expr.kind {
        // (What stands in brackets ends after its last part.)
        ExprKind::Quantified { body, .. } if body.span.end == expr.span.end => return Some(expr),
        ExprKind::Not(last) | ExprKind::Binary(_, _, last) => last,
        _ => return None,
    };
    if last.span.end == expr.span.end { open_end(last) } else { None }
}

/// A quantifier, with everything after it up to what speaks of its variable for the last time, or of that of one directly inside.
fn meant(condition: &Expr, open: &Expr) -> Vec<Beyond> {
    let mut after: Vec<(Operator, &Expr)> = Vec::new();
    condition.each(&mut |part| {
        if let ExprKind::Binary(operator, left, right) = &part.kind
            && open_end(left).is_some_and(|end| std::ptr::eq(end, open))
        {
            after.push((*operator, right));
        }
    });
    // (Those further out were met first.)
    after.reverse();
    let variables = variables(open);
    let Some(last) = after.iter().rposition(|(_, expr)| variables.iter().any(|name| speaks(expr, name)))
    else {
        return Vec::new();
    };
    let meant = extended(open, &after[..=last]).to_string();
    let beyond = |name: &&str| Beyond { variable: (*name).to_string(), meant: meant.clone() };
    variables.iter().map(beyond).collect()
}

/// The variables of a quantifier, and of those directly inside.
fn variables(open: &Expr) -> Vec<&str> {
    let ExprKind::Quantified { variable, body, .. } = &open.kind else { return Vec::new() };
    let inside = if is_open(body) { variables(body) } else { Vec::new() };
    [variable.text.as_str()].into_iter().chain(inside).collect()
}

fn is_open(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Quantified { body, .. } if body.span.end == expr.span.end)
}

/// A quantifier whose innermost condition goes on.
fn extended(open: &Expr, after: &[(Operator, &Expr)]) -> Expr {
    let mut extended = open.clone();
    if let ExprKind::Quantified { body, .. } = &mut extended.kind {
        **body = if is_open(body) { self::extended(body, after) } else { joined(body, after) };
    }
    extended
}

fn joined(first: &Expr, after: &[(Operator, &Expr)]) -> Expr {
    after.iter().fold(first.clone(), |left, (operator, right)| {
        let span = left.span.start..right.span.end;
        Expr { kind: ExprKind::Binary(*operator, Box::new(left), Box::new((*right).clone())), span }
    })
}

/// Whether an expression speaks of a variable.
fn speaks(expr: &Expr, name: &str) -> bool {
    let is_it = |root: &Root| matches!(root, Root::Named(other) | Root::Variable(other) if other == name);
    let mut speaks = false;
    expr.each(&mut |part| speaks |= matches!(&part.kind, ExprKind::Field(root, _) if is_it(root)));
    speaks
}
