//! What axioms leave of a schema.

use super::{Schema, Statement};
use crate::construct::is_possible;
use crate::hpl::PatternKind;
use crate::rule::{EventRule, Rule};
use crate::term::Term;
use crate::time;
use std::sync::Arc;

/// A schema that no trace keeping the axioms can follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clash {
    /// The line of the schema.
    pub(crate) line: String,
    /// The axioms, by id.
    pub(crate) axioms: Vec<String>,
    pub(crate) why: String,
}

/// The channel and condition of `globally: no /c {…}` without a bound.
fn absence(axiom: &Rule) -> Option<&EventRule> {
    let is_plain = axiom.activator.is_none() && axiom.terminator.is_none() && axiom.within.is_none();
    (axiom.kind == PatternKind::No && is_plain).then_some(&axiom.first)
}

/// The channel and time of `globally: /c forbids /c within t`.
fn rate_limit(axiom: &Rule) -> Option<(&Arc<str>, u64)> {
    let is_plain = axiom.activator.is_none() && axiom.terminator.is_none();
    let (PatternKind::Forbids, true, Some(second), Some(bound)) =
        (axiom.kind, is_plain, &axiom.second, axiom.within)
    else {
        return None;
    };
    match (axiom.first.alternatives.as_slice(), second.alternatives.as_slice()) {
        ([one], [two])
            if one.channel == two.channel && one.condition.is_none() && two.condition.is_none() =>
        {
            Some((&one.channel, bound))
        }
        _ => None,
    }
}

impl Schema {
    /// The schema with what axioms say of single messages, and of how often they come, written into it.
    pub(crate) fn refined(&self, axioms: &[Arc<Rule>]) -> Schema {
        let mut statements: Vec<Statement> = Vec::new();
        let absent: Vec<&EventRule> = axioms.iter().filter_map(|axiom| absence(axiom)).collect();
        let mut last: Vec<(Arc<str>, u64)> = Vec::new();
        // How much time has passed at least since the start.
        let mut least_so_far = 0u64;
        let forbid_all = |statements: &mut Vec<Statement>| {
            statements.extend(absent.iter().map(|event| Statement::Forbid((*event).clone())));
        };
        for statement in &self.statements {
            let Statement::Publish { least, most, event } = statement else {
                statements.push(statement.clone());
                continue;
            };
            forbid_all(&mut statements);
            let mut least = *least;
            let channels: Vec<&Arc<str>> = event.alternatives.iter().map(|one| &one.channel).collect();
            if let [channel] = channels.as_slice() {
                // It is the sum of the delays since the last message on the channel that must be long enough.
                let limit =
                    axioms.iter().filter_map(|axiom| rate_limit(axiom)).filter(|(other, _)| other == channel);
                if let Some(bound) = limit.map(|(_, bound)| bound).max()
                    && let Some((_, at)) = last.iter().rev().find(|(other, _)| other == *channel)
                {
                    least = least.max((at + bound).saturating_sub(least_so_far));
                }
            }
            least_so_far += least;
            last.extend(channels.iter().map(|channel| (Arc::clone(channel), least_so_far)));
            let mut event = event.clone();
            for other in &absent {
                for one in &other.alternatives {
                    if channels.contains(&&one.channel) {
                        event.text = conjoined(&event.text, one.condition.is_some().then_some(&other.text));
                    }
                }
            }
            statements.push(Statement::Publish { least, most: *most, event });
        }
        forbid_all(&mut statements);
        Schema { name: self.name.clone(), statements }
    }
}

/// The text of an event with a condition that must not hold.
fn conjoined(text: &str, without: Option<&String>) -> String {
    let condition = |text: &str| Some(text.split_once('{')?.1.rsplit_once('}')?.0.trim().to_string());
    let Some(without) = without.and_then(|text| condition(text)) else { return text.to_string() };
    match (text.split_once('{'), condition(text)) {
        (Some((head, _)), Some(own)) => format!("{}{{({own}) and not ({without})}}", head),
        _ => format!("{text} {{not ({without})}}"),
    }
}

/// Why no trace can follow a schema and keep the axioms, as far as that can be told beforehand.
pub(crate) fn clashes(schema: &Schema, axioms: &[Arc<Rule>]) -> Vec<Clash> {
    let mut found = Vec::new();
    let mut earlier: Vec<(Arc<str>, usize)> = Vec::new();
    let publishes: Vec<(u64, Option<u64>, &EventRule)> = schema
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Publish { least, most, event } => Some((*least, *most, event)),
            _ => None,
        })
        .collect();
    for (place, (_, _, event)) in publishes.iter().enumerate() {
        let line = format!("publish {}", event.text);
        let reasons: Vec<Option<Vec<String>>> =
            event.alternatives.iter().map(|one| impossible(one, event, axioms)).collect();
        if reasons.iter().all(Option::is_some) {
            let mut names: Vec<String> = reasons.into_iter().flatten().flatten().collect();
            names.dedup();
            let why = "no such message is left".to_string();
            found.push(Clash { line: line.clone(), axioms: names, why });
        }
        if let [one] = event.alternatives.as_slice() {
            for axiom in axioms {
                let Some((channel, bound)) =
                    rate_limit(axiom).filter(|(channel, _)| **channel == one.channel)
                else {
                    continue;
                };
                let Some((_, last)) = earlier.iter().rev().find(|(other, _)| other == channel) else {
                    continue;
                };
                let most = publishes[last + 1..=place]
                    .iter()
                    .try_fold(0u64, |sum, (_, most, _)| Some(sum + (*most)?));
                if most.is_some_and(|most| most <= bound) {
                    let why = format!("it comes less than {} after the last one", time::shown(bound));
                    found.push(Clash { line: line.clone(), axioms: vec![axiom.id.clone()], why });
                }
            }
            earlier.push((Arc::clone(&one.channel), place));
        }
    }
    found
}

/// The axioms that leave nothing of an alternative, if they do.
fn impossible(
    one: &crate::rule::Alternative,
    event: &EventRule,
    axioms: &[Arc<Rule>],
) -> Option<Vec<String>> {
    let mut all: Option<Term> = one.condition.clone();
    let mut names = Vec::new();
    for axiom in axioms {
        let Some(absent) = absence(axiom) else { continue };
        for other in absent.alternatives.iter().filter(|other| other.channel == one.channel) {
            names.push(axiom.id.clone());
            let Some(condition) = &other.condition else { return Some(vec![axiom.id.clone()]) };
            // The axiom speaks of its first event; the message to be sent is another one.
            let moved = Term::Not(Box::new(condition.moved(absent.slot, event.slot)));
            all = Some(match all {
                Some(all) => Term::And(Box::new(all), Box::new(moved)),
                None => moved,
            });
        }
    }
    let all = all?;
    (!is_possible(&one.of, &all, true, event.slot)).then_some(names)
}
