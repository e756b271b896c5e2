//! What can be done with a property: assume it, test it, or neither, and why.

use crate::hpl::PatternKind;
use crate::rule::{EventRule, Rule};
use std::fmt;

/// Where the messages of a channel come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From outside: an open input, on which tests send.
    In,
    /// From the system: an output, or something that its parts say to each other.
    Out,
}

/// What can be done with a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// It speaks of inputs only, and is kept by tests.
    Axiom,
    /// It can be tested.
    Testable,
    /// It cannot be tested, for a reason.
    NotTestable(String),
    /// No finite run can show that it is wrong.
    NotFalsifiable(String),
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Axiom => f.write_str("axiom: it speaks of inputs only"),
            Class::Testable => f.write_str("testable"),
            Class::NotTestable(why) => write!(f, "not testable: {why}"),
            Class::NotFalsifiable(why) => write!(f, "not falsifiable: {why}"),
        }
    }
}

impl Class {
    /// The word for it, without the reason.
    pub fn word(&self) -> &'static str {
        match self {
            Class::Axiom => "axiom",
            Class::Testable => "testable",
            Class::NotTestable(_) => "not testable",
            Class::NotFalsifiable(_) => "not falsifiable",
        }
    }
}

/// Classifies a property.
pub fn classify(rule: &Rule, direction: &dyn Fn(&str) -> Option<Direction>) -> Class {
    let is_input = |channel: &str| direction(channel) == Some(Direction::In);
    let only_inputs = rule.channels().into_iter().all(is_input);
    let any_output = |event: &EventRule| event.alternatives.iter().any(|one| !is_input(&one.channel));
    match rule.property.metadata("assume").map(|text| text.trim_matches('"')) {
        Some("true") if only_inputs => return Class::Axiom,
        Some("true") => {
            let output = rule.channels().into_iter().find(|channel| !is_input(channel)).unwrap_or_default();
            return Class::NotTestable(format!(
                "it is to be assumed, and tests cannot keep what `{output}` does"
            ));
        }
        Some("false") => {}
        _ if only_inputs => return Class::Axiom,
        _ => {}
    }
    let behaviour = rule.behaviour();
    if !any_output(behaviour) {
        return Class::NotTestable(format!("`{}` is sent by the test, not by the system", behaviour.text));
    }
    let must_come = matches!(rule.kind, PatternKind::Some | PatternKind::Causes);
    if must_come && rule.within.is_none() && rule.terminator.is_none() {
        return Class::NotFalsifiable(format!(
            "`{}` may always come later; add `within …`, or an end of the scope",
            behaviour.text
        ));
    }
    Class::Testable
}
