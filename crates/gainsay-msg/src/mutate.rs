//! Mutants of properties: small changes, each of which should make a true property false. How many of them are found out says how much a
//! test can see.

mod apart;

pub use apart::{Apart, told_apart};

use crate::hpl::{
    Arithmetic, Bound, Event, Expr, ExprKind, Operator, Pattern, PatternKind, Property, Relation, Scope,
    Simple, Step, Unit,
};
use crate::rule::{Channels, Rule, resolve_one};
use crate::types::Type;
use crate::value::Value;
use std::sync::Arc;

/// What a mutant differs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// A literal or constant is another one.
    Operand,
    /// A condition is negated.
    Negation,
    /// `and` is `or`, and the like.
    Logical,
    /// `<` is `>`, and the like.
    Relational,
    /// A condition is left out.
    Predicate,
    /// A bound of time is shorter or longer.
    Time,
    /// A channel is another one of the same type.
    Channel,
    /// The scope is wider.
    Scope,
    /// The pattern is another one.
    Pattern,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 9] = [
        Operation::Operand,
        Operation::Negation,
        Operation::Logical,
        Operation::Relational,
        Operation::Predicate,
        Operation::Time,
        Operation::Channel,
        Operation::Scope,
        Operation::Pattern,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Operation::Operand => "operand",
            Operation::Negation => "negation",
            Operation::Logical => "logical",
            Operation::Relational => "relational",
            Operation::Predicate => "predicate",
            Operation::Time => "time",
            Operation::Channel => "channel",
            Operation::Scope => "scope",
            Operation::Pattern => "pattern",
        }
    }
}

/// A mutant of a property.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Mutant {
    /// What it differs in.
    pub operation: Operation,
    /// It, with an id of its own.
    pub rule: Arc<Rule>,
}

/// All mutants of a property, each once; without those that make no sense, say nothing, or say the same as the property.
pub fn mutants(rule: &Rule, channels: &dyn Channels) -> Vec<Mutant> {
    let mut found: Vec<(Operation, Property)> = Vec::new();
    in_events(rule, channels, &mut found);
    in_time(rule, &mut found);
    in_scope(rule, &mut found);
    in_pattern(rule, &mut found);
    let original = rule.property.to_string();
    let mut known = vec![original];
    let mut mutants = Vec::new();
    for (operation, property) in found {
        let text = property.to_string();
        if known.contains(&text) {
            continue;
        }
        known.push(text);
        let id = format!("{}~{}", rule.id, mutants.len() + 1);
        // (A mutant that makes no sense is none.)
        let (Some(mutant), _) = resolve_one(&property, id, channels) else { continue };
        if !is_trivial(&mutant) && !is_equivalent(rule, &mutant) {
            mutants.push(Mutant { operation, rule: Arc::new(mutant) });
        }
    }
    mutants
}

/// Whether some event can never happen, so that nothing is said.
fn is_trivial(rule: &Rule) -> bool {
    rule.events().any(|event| {
        event.alternatives.iter().all(|one| {
            one.condition
                .as_ref()
                .is_some_and(|condition| !crate::construct::is_possible(&one.of, condition, true, event.slot))
        })
    })
}

/// Whether two properties differ in one condition only, and that is provably met by the same messages.
fn is_equivalent(one: &Rule, two: &Rule) -> bool {
    let same_shape = one.kind == two.kind
        && one.within == two.within
        && one.activator.is_some() == two.activator.is_some()
        && one.terminator.is_some() == two.terminator.is_some();
    if !same_shape {
        return false;
    }
    use crate::term::Term;
    one.events().zip(two.events()).all(|(one, two)| {
        one.alternatives.len() == two.alternatives.len()
            && one.alternatives.iter().zip(&two.alternatives).all(|(a, b)| {
                if a.channel != b.channel {
                    return false;
                }
                match (&a.condition, &b.condition) {
                    (None, None) => true,
                    (Some(condition), None) | (None, Some(condition)) => {
                        !crate::construct::is_possible(&a.of, condition, false, one.slot)
                    }
                    (Some(a_condition), Some(b_condition)) => {
                        if format!("{a_condition:?}") == format!("{b_condition:?}") {
                            return true;
                        }
                        // Nothing meets the one and not the other.
                        let differ = Term::Not(Box::new(Term::Iff(
                            Box::new(a_condition.clone()),
                            Box::new(b_condition.clone()),
                        )));
                        !crate::construct::is_possible(&a.of, &differ, true, one.slot)
                    }
                }
            })
    })
}

type Found = Vec<(Operation, Property)>;

/// The events of a property, by their place.
fn event_mut(property: &mut Property, place: usize) -> Option<&mut Event> {
    let mut events: Vec<&mut Event> = Vec::new();
    match &mut property.scope {
        Scope::Globally => {}
        Scope::After(one) | Scope::Until(one) => events.push(one),
        Scope::AfterUntil(one, two) => {
            events.push(one);
            events.push(two);
        }
    }
    events.push(&mut property.pattern.first);
    events.extend(&mut property.pattern.second);
    events.into_iter().nth(place)
}

fn in_events(rule: &Rule, channels: &dyn Channels, found: &mut Found) {
    let mut place = 0;
    while let Some(event) = event_mut(&mut rule.property.clone(), place) {
        for (number, simple) in event.alternatives.iter().enumerate() {
            let mut with = |operation: Operation, changed: Simple| {
                let mut property = rule.property.clone();
                if let Some(event) = event_mut(&mut property, place) {
                    event.alternatives[number] = changed;
                    found.push((operation, property));
                }
            };
            let of = channels.type_of(&simple.channel.text);
            if let Some(predicate) = &simple.predicate {
                with(Operation::Predicate, Simple { predicate: None, ..simple.clone() });
                let mut changed = Vec::new();
                expressions(predicate, of.as_ref(), &mut |operation, expr| changed.push((operation, expr)));
                for (operation, expr) in changed {
                    with(operation, Simple { predicate: Some(expr), ..simple.clone() });
                }
            }
            for other in channels.names() {
                if other != simple.channel.text
                    && of.is_some()
                    && channels.type_of(other) == of
                    && of != Some(Type::Any)
                {
                    let mut simple = simple.clone();
                    simple.channel.text = other.to_string();
                    with(Operation::Channel, simple);
                }
            }
        }
        place += 1;
    }
}

/// Calls something with each change of an expression.
fn expressions(expr: &Expr, of: Option<&Type>, change: &mut dyn FnMut(Operation, Expr)) {
    let with = |kind: ExprKind| Expr { kind, span: expr.span.clone() };
    let is_condition = matches!(
        expr.kind,
        ExprKind::Binary(
            Operator::And | Operator::Or | Operator::Implies | Operator::Iff | Operator::Relation(_),
            ..
        ) | ExprKind::Quantified { .. }
    );
    if is_condition {
        change(Operation::Negation, with(ExprKind::Not(Box::new(expr.clone()))));
    }
    match &expr.kind {
        ExprKind::Not(inner) => {
            change(Operation::Negation, (**inner).clone());
            expressions(inner, of, &mut |operation, changed| {
                // (Twice negated is not negated.)
                if !matches!((&changed.kind, operation), (ExprKind::Not(_), Operation::Negation)) {
                    change(operation, with(ExprKind::Not(Box::new(changed))));
                }
            });
        }
        ExprKind::Binary(operator, one, two) => {
            for (operation, other) in other_operators(*operator) {
                change(operation, with(ExprKind::Binary(other, one.clone(), two.clone())));
            }
            expressions(one, of, &mut |operation, changed| {
                change(operation, with(ExprKind::Binary(*operator, Box::new(changed), two.clone())));
            });
            let constants = constants_of(expr, of);
            if constants.is_empty() {
                expressions(two, of, &mut |operation, changed| {
                    change(operation, with(ExprKind::Binary(*operator, one.clone(), Box::new(changed))));
                });
            }
            // A constant of the type is another constant of the type.
            for other in constants {
                change(Operation::Operand, with(ExprKind::Binary(*operator, one.clone(), Box::new(other))));
            }
        }
        ExprKind::Quantified { all, variable, domain, body } => {
            let quantified = |all: bool, body: Expr| {
                with(ExprKind::Quantified {
                    all,
                    variable: variable.clone(),
                    domain: domain.clone(),
                    body: Box::new(body),
                })
            };
            change(Operation::Logical, quantified(!all, (**body).clone()));
            expressions(body, of, &mut |operation, changed| change(operation, quantified(*all, changed)));
        }
        ExprKind::Int(value) => {
            // (There is no number beyond the last.)
            let near = [value.checked_add(1), value.checked_sub(1), Some(0), Some(1)];
            for other in near.into_iter().flatten() {
                if other != *value {
                    change(Operation::Operand, with(signed(other, expr)));
                }
            }
        }
        ExprKind::Float(value) => {
            for other in [value + 1.0, value - 1.0, 0.0] {
                if other != *value {
                    let kind = if other < 0.0 {
                        ExprKind::Minus(Box::new(with(ExprKind::Float(-other))))
                    } else {
                        ExprKind::Float(other)
                    };
                    change(Operation::Operand, with(kind));
                }
            }
        }
        ExprKind::Bool(value) => change(Operation::Operand, with(ExprKind::Bool(!value))),
        ExprKind::Set(items) => {
            for place in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(place);
                if !fewer.is_empty() {
                    change(Operation::Operand, with(ExprKind::Set(fewer)));
                }
            }
        }
        ExprKind::Minus(inner) if matches!(inner.kind, ExprKind::Int(_) | ExprKind::Float(_)) => {
            change(Operation::Operand, (**inner).clone());
        }
        _ => {}
    }
}

fn signed(value: i128, near: &Expr) -> ExprKind {
    if value >= 0 {
        return ExprKind::Int(value);
    }
    ExprKind::Minus(Box::new(Expr { kind: ExprKind::Int(-value), span: near.span.clone() }))
}

fn other_operators(operator: Operator) -> Vec<(Operation, Operator)> {
    match operator {
        Operator::And => vec![(Operation::Logical, Operator::Or)],
        Operator::Or => vec![(Operation::Logical, Operator::And)],
        Operator::Implies => vec![(Operation::Logical, Operator::Iff), (Operation::Logical, Operator::And)],
        Operator::Iff => vec![(Operation::Logical, Operator::Implies)],
        Operator::Relation(Relation::In) => Vec::new(),
        Operator::Relation(relation) => {
            let others: &[Relation] = match relation {
                Relation::Equal => &[Relation::Less, Relation::Greater],
                Relation::Unequal => &[Relation::Less, Relation::Greater],
                Relation::Less => &[Relation::Equal, Relation::Greater, Relation::AtMost],
                Relation::AtMost => &[Relation::Less, Relation::AtLeast, Relation::Equal],
                Relation::Greater => &[Relation::Equal, Relation::Less, Relation::AtLeast],
                _ => &[Relation::Greater, Relation::AtMost, Relation::Equal],
            };
            others.iter().map(|other| (Operation::Relational, Operator::Relation(*other))).collect()
        }
        Operator::Arithmetic(Arithmetic::Add) => {
            vec![(Operation::Operand, Operator::Arithmetic(Arithmetic::Subtract))]
        }
        Operator::Arithmetic(Arithmetic::Subtract) => {
            vec![(Operation::Operand, Operator::Arithmetic(Arithmetic::Add))]
        }
        Operator::Arithmetic(_) => Vec::new(),
    }
}

/// The other constants that the right side of a relation may be.
fn constants_of(expr: &Expr, of: Option<&Type>) -> Vec<Expr> {
    let (ExprKind::Binary(Operator::Relation(_), _, right), Some(Type::Record(message))) = (&expr.kind, of)
    else {
        return Vec::new();
    };
    let ExprKind::Field(crate::hpl::Root::Own, steps) = &right.kind else { return Vec::new() };
    let [Step::Field(name)] = steps.as_slice() else { return Vec::new() };
    let Some(value) = message.constant(&name.text).filter(|_| message.field(&name.text).is_none()) else {
        return Vec::new();
    };
    // Of those with one value, one is enough; and those of the same name may be of another field.
    let mut values: Vec<&Value> = vec![value];
    let mut others = Vec::new();
    for (other, value) in &message.constants {
        if values.contains(&value) {
            continue;
        }
        values.push(value);
        let mut name = name.clone();
        name.text = other.clone();
        let kind = ExprKind::Field(crate::hpl::Root::Own, vec![Step::Field(name)]);
        others.push(Expr { kind, span: right.span.clone() });
    }
    others
}

fn in_time(rule: &Rule, found: &mut Found) {
    let Some(bound) = &rule.property.pattern.within else { return };
    let mut with = |nanoseconds: u64| {
        if nanoseconds > 0 {
            let mut property = rule.property.clone();
            property.pattern.within = Some(Bound { nanoseconds, ..bound.clone() });
            found.push((Operation::Time, property));
        }
    };
    // What may happen for longer is more, and what must happen sooner is more: the other way round nothing new is said.
    match rule.kind {
        PatternKind::No | PatternKind::Forbids => {
            with(bound.nanoseconds.saturating_mul(2));
            let mut property = rule.property.clone();
            property.pattern.within = None;
            found.push((Operation::Time, property));
        }
        _ => with(bound.nanoseconds / 2),
    }
}

fn in_scope(rule: &Rule, found: &mut Found) {
    let mut with = |scope: Scope| {
        let mut property = rule.property.clone();
        property.scope = scope;
        found.push((Operation::Scope, property));
    };
    match &rule.property.scope {
        Scope::Globally => {}
        Scope::After(_) | Scope::Until(_) => with(Scope::Globally),
        Scope::AfterUntil(activator, terminator) => {
            with(Scope::After(activator.clone()));
            with(Scope::Until(terminator.clone()));
            with(Scope::Globally);
        }
    }
}

fn in_pattern(rule: &Rule, found: &mut Found) {
    let pattern = &rule.property.pattern;
    let bound = pattern.within.clone();
    let span = || rule.property.span.clone();
    let usual = || Some(Bound { nanoseconds: 1_000_000_000, unit: Unit::Seconds, span: span() });
    let mut with = |kind: PatternKind, first: &Event, second: Option<&Event>, within: Option<Bound>| {
        let mut property = rule.property.clone();
        property.pattern = Pattern { kind, first: first.clone(), second: second.cloned(), within };
        found.push((Operation::Pattern, property));
    };
    match (pattern.kind, &pattern.second) {
        (PatternKind::No, _) => with(PatternKind::Some, &pattern.first, None, bound.or_else(usual)),
        (PatternKind::Some, _) => with(PatternKind::No, &pattern.first, None, bound),
        (PatternKind::Causes, Some(second)) => {
            with(PatternKind::Forbids, &pattern.first, Some(second), bound.clone());
            with(PatternKind::Requires, second, Some(&pattern.first), bound.clone());
            with(PatternKind::No, second, None, bound.clone());
            with(PatternKind::Some, second, None, bound.or_else(usual));
        }
        (PatternKind::Forbids, Some(second)) => {
            with(PatternKind::Causes, &pattern.first, Some(second), bound.clone().or_else(usual));
            with(PatternKind::No, second, None, bound.clone());
            with(PatternKind::Some, second, None, bound.or_else(usual));
        }
        (PatternKind::Requires, Some(second)) => {
            with(PatternKind::Causes, second, Some(&pattern.first), bound.clone().or_else(usual));
            with(PatternKind::Forbids, second, Some(&pattern.first), bound.clone());
            with(PatternKind::No, &pattern.first, None, bound);
        }
        _ => {}
    }
}
