//! Traces as lines for people.

use crate::classify::Direction;
use crate::hpl::{Event, Expr, ExprKind, PatternKind, Root, Step};
use crate::monitor::{Role, Violation};
use crate::rule::Rule;
use crate::show::{Typed, shown_value};
use crate::system::System;
use crate::term::{Messages, Slot};
use crate::time;
use crate::trace::{Message, Trace};
use crate::types::Type;
use crate::value::Value;
use std::sync::Arc;

/// More lines of a trace are not shown.
const SHOWN_MAX: usize = 60;

/// More messages before the start are not shown.
const BEFORE_MAX: usize = 3;

/// A trace as lines for people: what was sent, and what was seen on the channels that the property speaks of, up to what is wrong.
pub(super) fn lines(system: &System, rule: &Rule, trace: &Trace, violations: &[Violation]) -> Vec<String> {
    let violation = violations.first();
    let told = Told { system, rule, violations, late: violation.and_then(|one| late(rule, trace, one)) };
    let shown: Vec<&Arc<Message>> = trace.messages.iter().filter(|message| told.is_shown(message)).collect();
    let times = shown.iter().map(|message| message.at).chain(violation.map(|violation| violation.at));
    let width = times.map(|at| time::shown_ms(at).len()).max().unwrap_or(1);
    let mut lines = told.before(trace);
    let mut hidden = 0;
    for (place, message) in shown.iter().enumerate() {
        // What is said again and again is told at its beginning and at its end.
        let mark = told.mark(message, &shown);
        let again = |other: Option<&&Arc<Message>>| other.is_some_and(|other| is_same(other, message));
        let before = place.checked_sub(1).and_then(|before| shown.get(before));
        if mark.is_none() && again(before) && again(shown.get(place + 1)) {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            lines.push(format!(
                "{:>width$}    … {hidden} more on {}",
                "",
                message.channel,
                width = width + 4
            ));
            hidden = 0;
        }
        if lines.len() >= SHOWN_MAX {
            let rest = shown[place..].iter().copied();
            lines.push(format!("… and {} more: {}", shown.len() - place, by_channel(rest)));
            break;
        }
        let mark = mark.map_or_else(String::new, |mark| format!("    ← {mark}"));
        let at = time::shown_ms(message.at);
        lines.push(format!("@{at:>width$} ms    {} {}{mark}", message.channel, told.value(message)));
    }
    let others = trace.messages.iter().filter(|message| told.is_left_out(message));
    if others.clone().next().is_some() {
        let (count, of) = (others.clone().count(), by_channel(others));
        lines.push(format!("{:>width$}    … {count} not shown: {of}", "", width = width + 4));
    }
    if let (Some(Violation { at, missing: Some(missing), .. }), None) = (violation, &told.late) {
        let known = told.references();
        lines.push(format!("@{:>width$} ms    nothing on {missing} since{known}", time::shown_ms(*at)));
    }
    lines
}

fn is_same(one: &Message, two: &Message) -> bool {
    one.channel == two.channel && one.value == two.value
}

/// How many messages there are on which channel: `3 on /a, 1 on /b`.
fn by_channel<'m>(messages: impl Iterator<Item = &'m Arc<Message>>) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for message in messages {
        match counts.iter_mut().find(|(channel, _)| *channel == &*message.channel) {
            Some((_, count)) => *count += 1,
            None => counts.push((&message.channel, 1)),
        }
    }
    let shown: Vec<String> =
        counts.into_iter().map(|(channel, count)| format!("{count} on {channel}")).collect();
    shown.join(", ")
}

/// What was missing, if it came when its time was over.
fn late<'t>(rule: &Rule, trace: &'t Trace, violation: &Violation) -> Option<&'t Arc<Message>> {
    if violation.missing.is_none() || violation.of(Role::Terminator).is_some() {
        return None;
    }
    let mut known: Messages<'_> = [None; Slot::COUNT];
    for (role, slot) in [(Role::Activator, Slot::Activator), (Role::Stimulus, Slot::First)] {
        known[slot as usize] = violation.of(role).map(|message| &message.value);
    }
    let is = |event: &crate::rule::EventRule, message: &Message| {
        event.is_met(&message.channel, &message.value, known)
    };
    let after = trace.messages.iter().filter(|message| message.at >= violation.at);
    let mut inside =
        after.take_while(|message| !rule.terminator.as_ref().is_some_and(|end| is(end, message)));
    inside.find(|message| is(rule.behaviour(), message))
}

/// What is told of a trace.
struct Told<'t> {
    system: &'t System,
    rule: &'t Rule,
    violations: &'t [Violation],
    late: Option<&'t Arc<Message>>,
}

impl Told<'_> {
    fn is_shown(&self, message: &Arc<Message>) -> bool {
        let is_input =
            self.system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::In);
        let Some(violation) = self.violations.first() else { return true };
        let is_spoken_of = || self.rule.channels().contains(&&*message.channel);
        let is_late = self.late.is_some_and(|late| Arc::ptr_eq(late, message));
        is_late || message.at <= violation.at && (is_input || is_spoken_of())
    }

    /// Whether it is not shown although it came before what is wrong: the property does not speak of its channel.
    fn is_left_out(&self, message: &Arc<Message>) -> bool {
        self.violations.first().is_some_and(|violation| message.at <= violation.at) && !self.is_shown(message)
    }

    fn value(&self, message: &Message) -> String {
        let of = self.system.channel(&message.channel).map_or(&Type::Any, |channel| &channel.of);
        shown_value(&message.value, of)
    }

    /// The last messages before the start, on the channels that the property speaks of.
    fn before(&self, trace: &Trace) -> Vec<String> {
        let spoken_of = self.rule.channels();
        let (said, others): (Vec<&Arc<Message>>, Vec<&Arc<Message>>) =
            trace.before.iter().partition(|message| spoken_of.contains(&&*message.channel));
        let (earlier, shown) = said.split_at(said.len().saturating_sub(BEFORE_MAX));
        let hidden = [earlier, &others].concat();
        let mut lines = Vec::new();
        if !hidden.is_empty() {
            lines.push(format!(
                "before start    … {} more: {}",
                hidden.len(),
                by_channel(hidden.iter().copied())
            ));
        }
        let line =
            |message: &&Arc<Message>| format!("before start    {} {}", message.channel, self.value(message));
        lines.extend(shown.iter().map(line));
        lines
    }

    /// What a message is in the violation. (Two equal messages are not the same.)
    fn mark(&self, message: &Arc<Message>, shown: &[&Arc<Message>]) -> Option<String> {
        let violation = self.violations.first()?;
        let is = |role: Role, violation: &Violation| {
            violation.of(role).is_some_and(|witness| Arc::ptr_eq(witness, message))
        };
        if self.late.is_some_and(|late| Arc::ptr_eq(late, message)) {
            let (came, needed) = (time::shown_ms(message.at), time::shown_ms(violation.at));
            return Some(format!("came at {came} ms, needed before {needed} ms"));
        }
        if is(Role::Terminator, violation) {
            return Some("the scope ends".into());
        }
        if is(Role::Behaviour, violation) {
            let is_needy = self.rule.kind == PatternKind::Requires;
            return Some(if is_needy { "nothing before it allows it" } else { "must not come" }.into());
        }
        let is_unanswered = self.rule.kind == PatternKind::Causes
            && self.violations.iter().any(|one| one.at <= violation.at && is(Role::Stimulus, one));
        // (Where there is one only, it is clear which.)
        let alike = |other: &&&Arc<Message>| other.channel == message.channel;
        (is_unanswered && shown.iter().filter(alike).count() > 1).then(|| "not answered".into())
    }

    /// What the missing event says of earlier messages: `, where @C.floor is 3`.
    fn references(&self) -> String {
        let property = &self.rule.property;
        let behaviour = property.pattern.second.as_ref().unwrap_or(&property.pattern.first);
        let mut found: Vec<String> = Vec::new();
        for predicate in behaviour.alternatives.iter().filter_map(|one| one.predicate.as_ref()) {
            predicate.each(&mut |part| {
                if let ExprKind::Field(root, steps) = &part.kind
                    && let Some((value, of)) = self.referred(root, steps)
                {
                    let said = format!("{part} is {}", Typed(value, &of));
                    if !found.contains(&said) {
                        found.push(said);
                    }
                }
            });
        }
        if found.is_empty() { String::new() } else { format!(", where {}", found.join(" and ")) }
    }

    /// The value of a field of an earlier message.
    fn referred(&self, root: &Root, steps: &[Step]) -> Option<(&Value, Type)> {
        let has_name = |event: &&Event, name: &str| {
            event.alternatives.iter().any(|one| one.alias.as_ref().is_some_and(|alias| alias.text == *name))
        };
        let property = &self.rule.property;
        let first = usize::from(self.rule.activator.is_some());
        let number = match root {
            Root::Named(name) => property.events().position(|event| has_name(&event, name))? + 1,
            Root::Numbered(number) => *number,
            Root::Own | Root::Variable(_) => return None,
        };
        let role = match number {
            1 if first == 1 => Role::Activator,
            number if number == first + 1 && self.rule.kind == PatternKind::Causes => Role::Stimulus,
            _ => return None,
        };
        let message = self.violations.first()?.of(role)?;
        let of = self.system.channel(&message.channel).map_or(Type::Any, |channel| channel.of.clone());
        steps.iter().try_fold((&message.value, of), |(value, of), step| match (step, value) {
            (Step::Field(name), value) => {
                let of = match &of {
                    Type::Record(message) => message.field(&name.text).cloned().unwrap_or(Type::Any),
                    _ => Type::Any,
                };
                Some((value.at(&name.text)?, of))
            }
            (Step::Index(index), Value::List(items)) => {
                let Expr { kind: ExprKind::Int(index), .. } = &**index else { return None };
                let of = match of {
                    Type::Array(of, _) => *of,
                    _ => Type::Any,
                };
                Some((items.get(usize::try_from(*index).ok()?)?, of))
            }
            _ => None,
        })
    }
}
