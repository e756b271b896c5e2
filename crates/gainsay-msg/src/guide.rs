//! What is known about the traces that may show a property to be wrong: schemas, axioms, and everything that the specification mentions.

use crate::construct::Policy;
use crate::consumer::Consumers;
use crate::rule::Rule;
use crate::schema::Schema;
use crate::term::{AccessRoot, Slot, Term};
use crate::time::MS;
use crate::types::Type;
use crate::worth::{Mentioned, Worth};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What traces are drawn by.
#[derive(Debug, Clone)]
pub(crate) struct Guide {
    pub(crate) axioms: Vec<Arc<Rule>>,
    pub(crate) inputs: Vec<(Arc<str>, Type)>,
    pub(crate) schemas: Vec<Schema>,
    pub(crate) policy: Policy,
    /// Conditions that are worth meeting, and not meeting, by channel.
    pub(crate) flavours: FxHashMap<Arc<str>, Vec<(Slot, Term)>>,
    /// How often each input is sent, beside those that must be, where a trace favours what the property speaks of.
    pub(crate) weights: Vec<u32>,
    /// Values that are worth trying.
    pub(crate) worth: Worth,
    /// Fields of inputs that take what the system has produced.
    pub(crate) consumers: Consumers,
    /// All bounds of the specification, in milliseconds.
    pub(crate) bounds_ms: Vec<i128>,
    /// Delays that are worth trying, in milliseconds: bounds and what is beside them.
    pub(crate) delays_ms: Vec<i128>,
    /// How far apart messages are at most where nothing says otherwise: by the property's own bound, and by the largest one that there is.
    pub(crate) horizons: [u64; 2],
    /// Whether what traces show leads to others.
    pub(crate) leads: bool,
    /// Messages besides those that must be sent, before each of these.
    pub(crate) others_max: usize,
}

/// More conditions of a channel are not tried.
const FLAVOURS_MAX: usize = 16;

impl Guide {
    /// What is known for a property. `others` are further properties, whose conditions are worth meeting as well.
    pub(crate) fn new(
        rule: &Rule,
        others: &[Arc<Rule>],
        axioms: &[Arc<Rule>],
        inputs: Vec<(Arc<str>, Type)>,
        schemas: Vec<Schema>,
        policy: Policy,
    ) -> Guide {
        let mut guide = Guide::unguided(axioms, inputs, policy);
        guide.schemas = schemas;
        guide.others_max = 8;
        guide.leads = true;
        let spoken_of = rule.channels();
        // About half of them are of the kinds that the property speaks of, in traces that favour these.
        let is_own = |channel: &Arc<str>| spoken_of.contains(&&**channel);
        let own = guide.inputs.iter().filter(|(channel, _)| is_own(channel)).count();
        let (own, all) = (own.max(1), guide.inputs.len());
        let weight = |channel: &Arc<str>| if is_own(channel) { all } else { own };
        guide.weights = guide.inputs.iter().map(|(channel, _)| weight(channel) as _).collect();
        let mut mentioned = Mentioned::default();
        for (is_own, rule) in std::iter::once((true, rule)).chain(others.iter().map(|rule| (false, &**rule)))
        {
            mentioned.add_rule(rule);
            for event in rule.events() {
                for one in &event.alternatives {
                    let Some(condition) = &one.condition else { continue };
                    // What speaks of other messages makes sense in its own property only.
                    let mut alone = true;
                    condition.each_access(&mut |access| {
                        alone &= !matches!(access.root, AccessRoot::Message(slot) if slot != event.slot);
                    });
                    if is_own || alone {
                        guide.note_flavour(&one.channel, event.slot, condition);
                    }
                }
            }
        }
        // Where the property has no bound, those of the others tell how fast the system is.
        let all = others.iter().map(|other| other.within).chain(axioms.iter().map(|axiom| axiom.within));
        let bounds = std::iter::once(rule.within).chain(all).flatten();
        let largest = bounds.clone().max();
        guide.bounds_ms = bounds.map(|bound| i128::from(bound / MS)).collect();
        guide.bounds_ms.sort_unstable();
        guide.bounds_ms.dedup();
        guide.worth = mentioned.worth(&guide.inputs, &guide.bounds_ms);
        guide.delays_ms = guide.bounds_ms.iter().flat_map(|ms| [ms - 1, *ms, ms + 1]).collect();
        guide.delays_ms.extend([0, 1]);
        guide.delays_ms.sort_unstable();
        guide.delays_ms.dedup();
        let horizon = |bound: Option<u64>| {
            bound.map_or(1000 * MS, |bound| bound.saturating_mul(2).clamp(200 * MS, 600_000 * MS))
        };
        guide.horizons = [horizon(rule.within.or(largest)), horizon(largest)];
        guide
    }

    /// Nothing is known but what may be sent at all.
    pub(crate) fn unguided(axioms: &[Arc<Rule>], inputs: Vec<(Arc<str>, Type)>, policy: Policy) -> Guide {
        Guide {
            axioms: axioms.to_vec(),
            inputs,
            schemas: vec![Schema::empty()],
            policy,
            flavours: FxHashMap::default(),
            weights: Vec::new(),
            worth: Worth::default(),
            consumers: Consumers::default(),
            bounds_ms: Vec::new(),
            delays_ms: Vec::new(),
            horizons: [1000 * MS; 2],
            leads: false,
            others_max: 12,
        }
    }

    fn note_flavour(&mut self, channel: &Arc<str>, slot: Slot, condition: &Term) {
        let known = self.flavours.entry(Arc::clone(channel)).or_default();
        let text = format!("{condition:?}");
        let is_new = !known.iter().any(|(other, term)| *other == slot && format!("{term:?}") == text);
        if is_new && known.len() < FLAVOURS_MAX {
            known.push((slot, condition.clone()));
        }
    }
}
