//! How often a property was put to the test. A property that never was is *vacuous*: that nothing violated it says nothing about the system.
//! After Beer, Ben-David, Eisner and Rodeh (1997), "Efficient Detection of Vacuity in ACTL Formulas": a specification whose antecedent never
//! occurs passes trivially. Ours is decided on runs rather than on a model, and asks of prohibitions that the channel was in use.

use crate::hpl::PatternKind;
use crate::rule::{EventRule, Rule};
use std::ops::AddAssign;

/// How often a property was put to the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Exercise {
    /// Scopes that opened; those of `globally` and `until` are open from the start.
    pub scopes: u64,
    /// What was demanded: once for each `a` of `a causes b` and `a forbids b`, for each `b` of `b requires a`, and for each scope of `no b` and `some b`.
    pub obligations: u64,
    /// Demands of `some`, `causes` and `requires` that were met. (Prohibitions hold until they are violated, and are not counted.)
    pub met: u64,
    /// Messages on the channels of the behaviour, whatever they say, in a scope or not.
    pub heard: u64,
}

impl AddAssign for Exercise {
    fn add_assign(&mut self, more: Exercise) {
        self.scopes += more.scopes;
        self.obligations += more.obligations;
        self.met += more.met;
        self.heard += more.heard;
    }
}

impl Exercise {
    /// What never came, if a property that was not violated was not put to the test either; nothing if it was. `spoke` says whether the system said
    /// anything at all, on whichever of its channels; `None` where nobody knows whose messages are whose.
    ///
    /// - `no b`: a scope opened, and a message came on a channel of `b`. Where any such message would be wrong, it is enough that the system spoke.
    /// - `some b`: a scope opened, and `b` came.
    /// - `a causes b`: `a` came in an open scope, and was answered.
    /// - `a forbids b`: `a` came in an open scope, and the system spoke (or, where it is not known who it is, somebody did besides `a`).
    /// - `b requires a`: `b` came in an open scope.
    pub fn never(&self, rule: &Rule, spoke: Option<bool>) -> Vec<String> {
        let has_border = rule.activator.is_some() || rule.terminator.is_some();
        let inside = if has_border { " in an open scope" } else { "" };
        let behaviour = rule.behaviour();
        let never = match rule.kind {
            _ if self.scopes == 0 => {
                format!("the activator `{}`", rule.activator.as_ref().map_or("", |event| &event.text))
            }
            PatternKind::Causes | PatternKind::Forbids if self.obligations == 0 => {
                format!("the trigger `{}`{inside}", rule.first.text)
            }
            PatternKind::Requires if self.obligations == 0 => format!("`{}`{inside}", behaviour.text),
            PatternKind::Causes if self.met == 0 => {
                format!("an answer `{}` before the end", behaviour.text)
            }
            PatternKind::Some if self.met == 0 => format!("`{}` before the end", behaviour.text),
            PatternKind::No if self.heard == 0 && !(is_never_right(rule) && spoke == Some(true)) => {
                format!("a message on {}", channels(behaviour))
            }
            PatternKind::Forbids if self.heard == 0 && spoke == Some(false) => {
                "a message of the system".to_string()
            }
            _ => return Vec::new(),
        };
        vec![never]
    }
}

/// Whether every message on the channels of `no b` would be wrong: then their silence is what is wanted.
fn is_never_right(rule: &Rule) -> bool {
    rule.activator.is_none()
        && rule.terminator.is_none()
        && rule.within.is_none()
        && rule.first.alternatives.iter().all(|one| one.condition.is_none())
}

/// The channels of an event: `` `/a` or `/b` ``.
fn channels(event: &EventRule) -> String {
    let mut channels: Vec<String> = Vec::new();
    for one in &event.alternatives {
        let channel = format!("`{}`", one.channel);
        if !channels.contains(&channel) {
            channels.push(channel);
        }
    }
    channels.join(" or ")
}
