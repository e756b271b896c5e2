//! Why a mutant survives: whether traces that somebody might see tell it from its property at all.

use crate::classify::Direction;
use crate::draw::{Drawing, Nobody};
use crate::guide::Guide;
use crate::monitor::{Judgement, Monitors};
use crate::rule::Rule;
use crate::schema::{Schema, clashes, specialised};
use crate::system::System;
use crate::trace::{Message, Trace};
use gainsay_core::Case;
use std::sync::Arc;

/// How a mutant is told from its property, by traces of messages on all channels, whoever sends them.
#[derive(Debug, Clone, PartialEq)]
pub enum Apart {
    /// No trace that was drawn violates the one and not the other: they may well mean the same.
    Never,
    /// Every trace that was drawn and violates the mutant violates the property too, and not the other way round: a system that keeps the property
    /// keeps the mutant, as far as can be seen.
    Implied,
    /// This trace keeps the property and violates the mutant: the tests have not seen its like, and the property does not rule it out.
    By(Trace),
}

/// Looks for traces that tell a mutant from its property: so many of each kind. Inputs keep the axioms.
pub fn told_apart(system: &System, rule: &Arc<Rule>, mutant: &Arc<Rule>, traces: u64, seed: u64) -> Apart {
    let is_weaker = |trace: &Trace| is_violated(rule, trace) && !is_violated(mutant, trace);
    let mut is_implied = false;
    // Whoever would violate the one is also asked to keep the other.
    let guides = [(mutant, rule, true), (mutant, rule, false), (rule, mutant, true), (rule, mutant, false)];
    for (number, (one, other, keeps)) in guides.into_iter().enumerate() {
        let guide = guide(system, one, other, keeps);
        let axioms = Monitors::new(guide.axioms.iter().cloned());
        for index in 0..traces {
            let mut case = Case::random(seed.wrapping_add(number as u64), index);
            let Some(trace) = draw(&mut case, &guide, &axioms) else { continue };
            if is_violated(mutant, &trace) && !is_violated(rule, &trace) {
                return Apart::By(trace);
            }
            is_implied = is_implied || is_weaker(&trace);
        }
    }
    if is_implied { Apart::Implied } else { Apart::Never }
}

/// Traces are drawn as if all channels were inputs, so that the system may say anything; where `keeps`, the other property is an axiom.
fn guide(system: &System, rule: &Arc<Rule>, other: &Arc<Rule>, keeps: bool) -> Guide {
    let mut axioms = system.axioms();
    axioms.extend(keeps.then(|| Arc::clone(other)));
    let channels = rule.channels().into_iter().chain(other.channels());
    let mut inputs = system.inputs();
    for channel in channels.filter_map(|name| system.channel(name)) {
        if !inputs.iter().any(|(known, _)| *known == channel.name) {
            inputs.push((Arc::clone(&channel.name), channel.of.clone()));
        }
    }
    let schemas = specialised(rule, &|_| Some(Direction::In));
    let mut schemas: Vec<Schema> =
        schemas.into_iter().filter(|schema| clashes(schema, &axioms).is_empty()).collect();
    if schemas.is_empty() {
        schemas.push(Schema::empty());
    }
    Guide::new(rule, &[Arc::clone(other)], &axioms, inputs, schemas, system.policy.clone())
}

fn draw(case: &mut Case, guide: &Guide, axioms: &Monitors) -> Option<Trace> {
    let mut drawing = Drawing::new(guide, axioms);
    let schema = drawing.schema(case, false);
    let messages: Vec<Arc<Message>> =
        drawing.part(case, &schema.statements, true, &mut Nobody).ok()?.messages;
    let last = messages.last().map_or(0, |last| last.at);
    let end = last.saturating_add(guide.horizons[1]);
    Some(Trace { before: Vec::new(), messages, end })
}

fn is_violated(rule: &Rule, trace: &Trace) -> bool {
    let mut monitors = Monitors::new([Arc::new(rule.clone())]);
    let is_seen = trace.messages.iter().all(|message| monitors.see(Arc::clone(message)).is_ok());
    is_seen && monitors.pass_to(trace.end).is_ok() && monitors.judged()[0].judgement == Judgement::Violated
}
