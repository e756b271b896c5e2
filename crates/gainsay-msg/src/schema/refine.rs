//! What axioms leave of a schema.

use super::{Schema, Statement};
use crate::construct::is_possible;
use crate::hpl::PatternKind;
use crate::rule::{Alternative, EventRule, Rule};
use crate::term::{Slot, Term};
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

/// How long a message must wait after an earlier one by `globally: a forbids b within t`; for ever, if there is no bound. Nothing if the two are not
/// surely kept apart.
fn distance(axiom: &Rule, earlier: &EventRule, later: &EventRule) -> Option<u64> {
    let is_plain = axiom.activator.is_none() && axiom.terminator.is_none();
    let (PatternKind::Forbids, true, Some(second)) = (axiom.kind, is_plain, &axiom.second) else {
        return None;
    };
    let is_kept_apart = is_surely(earlier, &axiom.first) && is_surely(later, second);
    is_kept_apart.then(|| axiom.within.unwrap_or(u64::MAX))
}

/// Whether each message of an event is one of another event as well, by what it says itself.
fn is_surely(event: &EventRule, other: &EventRule) -> bool {
    event.alternatives.iter().all(|one| {
        let mut same = other.alternatives.iter().filter(|two| two.channel == one.channel);
        same.any(|two| match (&one.condition, &two.condition) {
            (_, None) => true,
            (one_is, Some(two_is)) => {
                let two_is_not = Term::Not(Box::new(two_is.moved(other.slot, event.slot)));
                let only_one = match one_is {
                    Some(one_is) => Term::And(Box::new(one_is.clone()), Box::new(two_is_not)),
                    None => two_is_not,
                };
                // (What speaks of other messages is possible, for all that is known.)
                !is_possible(&one.of, &only_one, true, event.slot)
            }
        })
    })
}

impl Schema {
    /// The schema with what axioms say of single messages, and of how often they come, written into it.
    pub(crate) fn refined(&self, axioms: &[Arc<Rule>]) -> Schema {
        let mut statements: Vec<Statement> = Vec::new();
        let absent: Vec<&EventRule> = axioms.iter().filter_map(|axiom| absence(axiom)).collect();
        let mut sent: Vec<(&EventRule, u64)> = Vec::new();
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
            // It is the sum of the delays since the earlier message that must be long enough.
            for (earlier, at) in &sent {
                let apart = axioms.iter().filter_map(|axiom| distance(axiom, earlier, event)).max();
                if let Some(apart) = apart.filter(|apart| *apart < u64::MAX) {
                    least = least.max((at + apart).saturating_sub(least_so_far));
                }
            }
            least_so_far += least;
            sent.push((event, least_so_far));
            let mut event = event.clone();
            for one in &mut event.alternatives {
                let others = absent.iter().flat_map(|other| &other.alternatives);
                for not in others
                    .filter(|other| other.channel == one.channel)
                    .filter_map(|other| other.said.as_ref())
                {
                    one.said = Some(match &one.said {
                        Some(own) => format!("({own}) and not ({not})"),
                        None => format!("not ({not})"),
                    });
                }
            }
            event.retell();
            statements.push(Statement::Publish { least, most: *most, event });
        }
        forbid_all(&mut statements);
        Schema { name: self.name.clone(), statements }
    }
}

/// Why no trace can follow a schema and keep the axioms, as far as that can be told beforehand.
pub(crate) fn clashes(schema: &Schema, axioms: &[Arc<Rule>]) -> Vec<Clash> {
    let mut found = Vec::new();
    let mut publishes: Vec<(Option<u64>, &EventRule)> = Vec::new();
    let mut has_waited = false;
    for statement in &schema.statements {
        match statement {
            // (How long the system is waited for, nobody knows.)
            Statement::Await { .. } => has_waited = true,
            Statement::Publish { most, event, .. } => {
                publishes.push((most.filter(|_| !has_waited), event));
                has_waited = false;
            }
            Statement::Forbid(_) => {}
        }
    }
    for (place, (_, event)) in publishes.iter().enumerate() {
        let line = format!("publish {}", event.text);
        let reasons: Vec<Option<Vec<String>>> =
            event.alternatives.iter().map(|one| impossible(one, event, axioms)).collect();
        if reasons.iter().all(Option::is_some) {
            let mut names: Vec<String> = reasons.into_iter().flatten().flatten().collect();
            names.dedup();
            let why = "no such message is left".to_string();
            found.push(Clash { line: line.clone(), axioms: names, why });
        }
        for (before, (_, earlier)) in publishes[..place].iter().enumerate() {
            let between = &publishes[before + 1..=place];
            let most = between.iter().try_fold(0u64, |sum, (most, _)| Some(sum + (*most)?));
            for axiom in axioms {
                let Some(apart) = distance(axiom, earlier, event) else { continue };
                let why = match (axiom.within, most) {
                    (None, _) => format!("it comes after {}", earlier.text),
                    (Some(_), Some(most)) if most <= apart => {
                        format!("it comes less than {} after {}", time::shown(apart), earlier.text)
                    }
                    _ => continue,
                };
                found.push(Clash { line: line.clone(), axioms: vec![axiom.id.clone()], why });
            }
        }
    }
    found
}

/// The axioms that leave nothing of an alternative, if they do.
fn impossible(one: &Alternative, event: &EventRule, axioms: &[Arc<Rule>]) -> Option<Vec<String>> {
    let mut absent: Vec<(&Rule, &Alternative, Slot)> = Vec::new();
    for axiom in axioms {
        let Some(event) = absence(axiom) else { continue };
        absent.extend(
            event
                .alternatives
                .iter()
                .filter(|other| other.channel == one.channel)
                .map(|other| (&**axiom, other, event.slot)),
        );
    }
    let nothing_is_left = |absent: &[(&Rule, &Alternative, Slot)]| {
        let mut all: Option<Term> = one.condition.clone();
        for (_, other, slot) in absent {
            let Some(condition) = &other.condition else { return true };
            // The axiom speaks of its first event; the message to be sent is another one.
            let moved = Term::Not(Box::new(condition.moved(*slot, event.slot)));
            all = Some(match all {
                Some(all) => Term::And(Box::new(all), Box::new(moved)),
                None => moved,
            });
        }
        all.is_some_and(|all| !is_possible(&one.of, &all, true, event.slot))
    };
    if !nothing_is_left(&absent) {
        return None;
    }
    // Those that are not needed are not to blame.
    let mut place = 0;
    while place < absent.len() {
        let left_out = absent.remove(place);
        if !nothing_is_left(&absent) {
            absent.insert(place, left_out);
            place += 1;
        }
    }
    let mut names: Vec<String> = absent.iter().map(|(axiom, _, _)| axiom.id.clone()).collect();
    names.dedup();
    Some(names)
}
