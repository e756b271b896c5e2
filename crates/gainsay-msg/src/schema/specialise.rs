//! From properties to schemas: what must be sent for a property to be shown wrong at all, and the ways in which it may be.

use super::{Schema, Statement};
use crate::classify::Direction;
use crate::hpl::PatternKind;
use crate::rule::{EventRule, Rule};
use crate::term::Slot;

type Directions<'d> = &'d dyn Fn(&str) -> Option<Direction>;

/// The schema of a property that all its counterexamples are in.
pub(crate) fn base(rule: &Rule, directions: Directions<'_>) -> Schema {
    let mut statements = Vec::new();
    if let Some(activator) = &rule.activator {
        statements.extend(first(activator, directions));
    }
    if let (PatternKind::Causes | PatternKind::Forbids, stimulus) = (rule.kind, &rule.first) {
        statements.extend(first(stimulus, directions));
    }
    Schema { name: "base".into(), statements }
}

/// A message that is sent, or waited for, and was not before.
fn first(event: &EventRule, directions: Directions<'_>) -> Vec<Statement> {
    let mut statements: Vec<Statement> = forbidden(event, directions).into_iter().collect();
    statements.push(occur(event, 0, None, directions));
    statements
}

/// An event, restricted to inputs.
fn inputs(event: &EventRule, directions: Directions<'_>) -> Option<EventRule> {
    let is_input = |channel: &str| directions(channel) == Some(Direction::In);
    let mut event = event.clone();
    event.alternatives.retain(|one| is_input(&one.channel));
    if event.alternatives.is_empty() {
        return None;
    }
    event.retell();
    Some(event)
}

/// An event without conditions that speak of a message that is not there yet.
fn without(event: &EventRule, slot: Slot) -> EventRule {
    let mut event = event.clone();
    for one in event.alternatives.iter_mut().filter(|one| one.mentions(slot)) {
        (one.condition, one.said) = (None, None);
    }
    event.retell();
    event
}

fn forbidden(event: &EventRule, directions: Directions<'_>) -> Option<Statement> {
    inputs(event, directions).map(Statement::Forbid)
}

fn occur(event: &EventRule, least: u64, most: Option<u64>, directions: Directions<'_>) -> Statement {
    match inputs(event, directions) {
        Some(event) => Statement::Publish { least, most, event },
        None => Statement::Await { event: event.clone() },
    }
}

/// Schemas that together are as good as the base one, and each looks for something else: another alternative, another side of a bound, a
/// second scope, an end inside of a window.
pub(crate) fn specialised(rule: &Rule, directions: Directions<'_>) -> Vec<Schema> {
    let mut schemas = Vec::new();
    for (entry, before) in entries(rule, directions) {
        for (what, inside) in patterns(rule, directions) {
            let name = [entry.as_str(), what.as_str()].into_iter().filter(|part| !part.is_empty());
            let name = name.collect::<Vec<_>>().join(", ");
            let statements = said_once(before.iter().chain(&inside).cloned());
            schemas.push(Schema { name: if name.is_empty() { "base".into() } else { name }, statements });
        }
    }
    schemas = schemas.into_iter().flat_map(one_per_alternative).collect();
    schemas.push(Schema { name: "anything".into(), statements: Vec::new() });
    schemas
}

/// What is forbidden between two messages is said once.
fn said_once(statements: impl Iterator<Item = Statement>) -> Vec<Statement> {
    let mut kept: Vec<Statement> = Vec::new();
    for statement in statements {
        if let Statement::Forbid(event) = &statement {
            let here = kept.iter().rev().take_while(|other| matches!(other, Statement::Forbid(_)));
            if here
                .into_iter()
                .any(|other| matches!(other, Statement::Forbid(known) if known.text == event.text))
            {
                continue;
            }
        }
        kept.push(statement);
    }
    kept
}

/// One schema for each alternative of each message that must be sent, as long as these are not too many.
fn one_per_alternative(schema: Schema) -> Vec<Schema> {
    let mut schemas = vec![Schema { name: schema.name, statements: Vec::new() }];
    for statement in schema.statements {
        let several = match &statement {
            Statement::Publish { event, .. } if schemas.len() * event.alternatives.len() <= 8 => {
                event.alternatives.len()
            }
            _ => 1,
        };
        let mut next = Vec::new();
        for one in &schemas {
            for place in 0..several {
                let mut one = one.clone();
                let mut statement = statement.clone();
                if let (Statement::Publish { event, .. }, true) = (&mut statement, several > 1) {
                    let alternative = event.alternatives[place].clone();
                    one.name = format!("{}, {}", one.name, alternative.channel);
                    event.alternatives = vec![alternative];
                    event.retell();
                }
                one.statements.push(statement);
                next.push(one);
            }
        }
        schemas = next;
    }
    schemas
}

/// How scopes are entered.
fn entries(rule: &Rule, directions: Directions<'_>) -> Vec<(String, Vec<Statement>)> {
    let Some(activator) = &rule.activator else { return vec![(String::new(), Vec::new())] };
    let mut all = vec![("first scope".to_string(), first(activator, directions))];
    if let Some(terminator) = &rule.terminator {
        let mut statements = first(activator, directions);
        statements.push(occur(terminator, 0, None, directions));
        statements.extend(first(activator, directions));
        all.push(("second scope".to_string(), statements));
    } else if inputs(activator, directions).is_some() {
        let mut statements = first(activator, directions);
        statements.push(occur(activator, 0, None, directions));
        all.push(("activated again".to_string(), statements));
    }
    all
}

/// What happens inside of a scope.
fn patterns(rule: &Rule, directions: Directions<'_>) -> Vec<(String, Vec<Statement>)> {
    // The scope stays open, unless it is to be closed.
    let open: Vec<Statement> = rule.terminator.iter().filter_map(|end| forbidden(end, directions)).collect();
    let with = |parts: Vec<Statement>| -> Vec<Statement> {
        let mut statements = Vec::new();
        for part in parts {
            statements.extend(open.iter().cloned());
            statements.push(part);
        }
        statements
    };
    let closing = rule.terminator.as_ref().filter(|end| inputs(end, directions).is_some());
    let mut all: Vec<(String, Vec<Statement>)> = Vec::new();
    match rule.kind {
        PatternKind::No | PatternKind::Some => {
            all.push((String::new(), open.clone()));
            if let Some(end) = closing {
                match rule.within {
                    Some(bound) => {
                        let sides = [("closed in time", 0, Some(bound)), ("closed late", bound, None)];
                        for (name, least, most) in sides {
                            all.push((name.into(), with(vec![occur(end, least, most, directions)])));
                        }
                    }
                    None => all.push(("closed".into(), with(vec![occur(end, 0, None, directions)]))),
                }
            }
        }
        PatternKind::Causes | PatternKind::Forbids => {
            let stimulus = &rule.first;
            let mut begin = with(first(stimulus, directions));
            // (What follows keeps the scope open.)
            all.push(("once".into(), begin.iter().chain(&open).cloned().collect()));
            let mut then = |name: &str, event: &EventRule, least: u64, most: Option<u64>| {
                let mut statements = begin.clone();
                statements.extend(open.iter().cloned());
                statements.push(occur(event, least, most, directions));
                if event.slot != Slot::Terminator {
                    statements.extend(open.iter().cloned());
                }
                all.push((name.into(), statements));
            };
            let is_sent = inputs(stimulus, directions).is_some();
            match rule.within {
                Some(bound) => {
                    if is_sent {
                        then("twice in time", stimulus, 0, Some(bound));
                        then("twice, late", stimulus, bound, None);
                    }
                    if let Some(end) = closing {
                        then("closed in time", end, 0, Some(bound));
                        then("closed late", end, bound, None);
                    }
                }
                None => {
                    if is_sent {
                        then("twice", stimulus, 0, None);
                    }
                    if let Some(end) = closing {
                        then("closed", end, 0, None);
                    }
                }
            }
            begin.clear();
        }
        PatternKind::Requires => {
            let Some(needed) = &rule.second else { return all };
            let sent = &without(needed, Slot::First);
            let never: Vec<Statement> = open.iter().cloned().chain(forbidden(needed, directions)).collect();
            all.push(("never".into(), never.clone()));
            if inputs(needed, directions).is_some() {
                let mut long_ago = with(vec![occur(sent, 0, None, directions)]);
                long_ago.extend(never.iter().cloned());
                all.push(("long ago".into(), long_ago));
                if let (Some(end), Some(activator)) = (closing, &rule.activator) {
                    let mut earlier = with(vec![occur(sent, 0, None, directions)]);
                    earlier.push(occur(end, 0, None, directions));
                    earlier.extend(first(activator, directions));
                    earlier.extend(never.iter().cloned());
                    all.push(("in an earlier scope".into(), earlier));
                }
            }
        }
    }
    all
}
