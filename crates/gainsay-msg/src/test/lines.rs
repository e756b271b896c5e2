//! Traces as lines for people.

use crate::classify::Direction;
use crate::hpl::PatternKind;
use crate::monitor::{Role, Violation};
use crate::rule::Rule;
use crate::system::System;
use crate::time;
use crate::trace::{Message, Trace, shown_value};
use std::sync::Arc;

/// More lines of a trace are not shown.
const SHOWN_MAX: usize = 60;

/// More messages before the start are not shown.
const BEFORE_MAX: usize = 3;

/// The last messages before the start, on the channels that a property speaks of.
fn before(rule: &Rule, trace: &Trace) -> Vec<String> {
    let spoken_of = rule.channels();
    let said: Vec<&Arc<Message>> =
        trace.before.iter().filter(|message| spoken_of.contains(&&*message.channel)).collect();
    let mut lines = Vec::new();
    if said.len() > BEFORE_MAX {
        lines.push(format!("before start    … {} more", said.len() - BEFORE_MAX));
    }
    let shown = &said[said.len().saturating_sub(BEFORE_MAX)..];
    lines.extend(
        shown
            .iter()
            .map(|message| format!("before start    {} {}", message.channel, shown_value(&message.value))),
    );
    lines
}

/// A trace as lines for people.
pub(super) fn lines(
    system: &System,
    rule: &Rule,
    trace: &Trace,
    violation: Option<&Violation>,
) -> Vec<String> {
    let spoken_of = rule.channels();
    let cut = violation.map_or(u64::MAX, |violation| violation.at);
    let is_of_interest = |message: &&Arc<Message>| {
        let is_input =
            system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::In);
        message.at <= cut && (is_input || violation.is_none() || spoken_of.contains(&&*message.channel))
    };
    let shown: Vec<&Arc<Message>> = trace.messages.iter().filter(is_of_interest).collect();
    let times = shown.iter().map(|message| message.at).chain(violation.map(|violation| violation.at));
    let width = times.map(|at| time::shown_ms(at).len()).max().unwrap_or(1);
    let at = |at: u64| format!("@{:>width$} ms", time::shown_ms(at));
    let witness = |role: Role| {
        let mut all = violation.into_iter().flat_map(|violation| &violation.witness);
        all.find(|witness| witness.role == role).map(|witness| &witness.message)
    };
    let (behaviour, terminator) = (witness(Role::Behaviour), witness(Role::Terminator));
    let mut lines = before(rule, trace);
    let is_same = |one: &Message, two: &Message| one.channel == two.channel && one.value == two.value;
    for (place, message) in shown.iter().enumerate() {
        if lines.len() >= SHOWN_MAX {
            lines.push(format!("… and {} more", shown.len() - place));
            break;
        }
        // What is said again and again is told at its beginning and at its end.
        let again = |other: Option<&&Arc<Message>>| other.is_some_and(|other| is_same(other, message));
        let before = place.checked_sub(1).and_then(|before| shown.get(before));
        if again(before) && again(shown.get(place + 1)) {
            let first_of_run = place < 2 || !is_same(shown[place - 2], message);
            if first_of_run {
                lines.push(format!("{:>width$}    …", "", width = width + 4));
            }
            continue;
        }
        let is_wrong = behaviour.is_some_and(|wrong| *wrong == **message);
        let mark = match rule.kind {
            _ if terminator.is_some_and(|end| *end == **message) => "    ← the scope ends",
            _ if !is_wrong => "",
            PatternKind::Requires => "    ← nothing before it allows it",
            _ => "    ← must not come",
        };
        lines.push(format!(
            "{}    {} {}{mark}",
            at(message.at),
            message.channel,
            shown_value(&message.value)
        ));
    }
    if let Some(Violation { at: when, missing: Some(missing), .. }) = violation {
        lines.push(format!("{}    nothing on {missing} since", at(*when)));
    }
    lines
}
