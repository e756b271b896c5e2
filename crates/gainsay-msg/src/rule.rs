//! Properties, resolved: names are messages, fields have types, and what makes no sense has been told.

mod entails;
mod reach;
mod resolve;

use crate::construct::is_possible;
use crate::diagnostic::{Diagnostic, Span};
use crate::hpl::{Event, Name, PatternKind, Property, Scope};
use crate::names::nearest;
use crate::term::{Messages, Slot, Term};
use crate::types::Type;
use crate::value::Value;
use entails::entails;
use resolve::Resolver;
use std::fmt;
use std::sync::Arc;

/// A property that makes sense: it can be judged.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What it is called.
    pub id: String,
    /// As it is written.
    pub property: Property,
    pub(crate) kind: PatternKind,
    pub(crate) activator: Option<EventRule>,
    pub(crate) terminator: Option<EventRule>,
    pub(crate) first: EventRule,
    pub(crate) second: Option<EventRule>,
    /// The bound of time, in nanoseconds.
    pub(crate) within: Option<u64>,
    /// Whether an activator opens a scope once, or again and again.
    pub(crate) is_reentrant: bool,
}

/// A message of one of several kinds.
#[derive(Debug, Clone)]
pub(crate) struct EventRule {
    pub(crate) slot: Slot,
    pub(crate) alternatives: Vec<Alternative>,
    /// As it is written.
    pub(crate) text: String,
}

/// A message on a channel, with a condition.
#[derive(Debug, Clone)]
pub(crate) struct Alternative {
    pub(crate) channel: Arc<str>,
    pub(crate) condition: Option<Term>,
    pub(crate) of: Type,
    /// The channel, and the name of the message, as they are written.
    pub(crate) head: String,
    /// The condition as it is written.
    pub(crate) said: Option<String>,
}

impl Alternative {
    /// Whether a message on its channel is one, given the others.
    #[inline]
    pub(crate) fn is_met(&self, messages: &Messages<'_>) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.is_true(messages))
    }

    /// Whether it speaks of another message.
    pub(crate) fn mentions(&self, slot: Slot) -> bool {
        self.condition.as_ref().is_some_and(|condition| condition.mentions(slot))
    }
}

impl EventRule {
    /// Its text, after its alternatives have changed.
    pub(crate) fn retell(&mut self) {
        let one = |one: &Alternative| match &one.said {
            Some(said) => format!("{} {{{said}}}", one.head),
            None => one.head.clone(),
        };
        let all: Vec<String> = self.alternatives.iter().map(one).collect();
        let text = if all.len() == 1 { all.concat() } else { format!("({})", all.join(" or ")) };
        // (In the usual form, without needless parentheses.)
        self.text = crate::hpl::parse_event(&text).map_or(text, |event| event.to_string());
    }

    /// Whether a message is one, given the others.
    pub(crate) fn is_met<'a>(&self, channel: &str, value: &'a Value, mut messages: Messages<'a>) -> bool {
        messages[self.slot as usize] = Some(value);
        self.alternatives.iter().any(|one| &*one.channel == channel && one.is_met(&messages))
    }

    pub(crate) fn mentions(&self, slot: Slot) -> bool {
        self.alternatives.iter().any(|alternative| alternative.mentions(slot))
    }
}

impl Rule {
    /// All its events: activator, pattern, terminator.
    pub(crate) fn events(&self) -> impl Iterator<Item = &EventRule> {
        self.activator.iter().chain([&self.first]).chain(&self.second).chain(&self.terminator)
    }

    /// All channels that it speaks of, each once, in the order of its text.
    pub fn channels(&self) -> Vec<&str> {
        let mut channels: Vec<&str> = Vec::new();
        for alternative in self.events().flat_map(|event| &event.alternatives) {
            if !channels.contains(&&*alternative.channel) {
                channels.push(&alternative.channel);
            }
        }
        channels
    }

    /// The behaviour: what must or must not be seen.
    pub(crate) fn behaviour(&self) -> &EventRule {
        match (self.kind, &self.second) {
            (PatternKind::Causes | PatternKind::Forbids, Some(second)) => second,
            _ => &self.first,
        }
    }

    /// What the behaviour answers to, or needs.
    pub(crate) fn stimulus(&self) -> Option<&EventRule> {
        match self.kind {
            PatternKind::Causes | PatternKind::Forbids => Some(&self.first),
            PatternKind::Requires => self.second.as_ref(),
            PatternKind::No | PatternKind::Some => None,
        }
    }

    /// Whether it passes even if nothing puts it to the test: `# allow_vacuous: true`.
    pub fn may_be_vacuous(&self) -> bool {
        self.property.metadata("allow_vacuous").is_some_and(|text| text.trim_matches('"') == "true")
    }

    /// What `# title:` says.
    pub fn title(&self) -> Option<&str> {
        self.property.metadata("title").map(|title| title.trim_matches('"'))
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.property)
    }
}

/// What is known of the channels of a system.
pub trait Channels {
    /// The type of its messages; nothing if there is no such channel.
    fn type_of(&self, channel: &str) -> Option<Type>;

    /// All channels.
    fn names(&self) -> Vec<&str>;
}

/// Nothing is known: any channel may have any messages.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnyChannels;

impl Channels for AnyChannels {
    fn type_of(&self, _: &str) -> Option<Type> {
        Some(Type::Any)
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// Resolves properties. Those that make no sense are left out, and told; so is what looks odd. Properties without an id are `p1`, `p2` …
/// by their place.
pub fn resolve(properties: &[Property], channels: &dyn Channels) -> (Vec<Rule>, Vec<Diagnostic>) {
    let mut rules: Vec<Rule> = Vec::new();
    let mut troubles = Vec::new();
    for (place, property) in properties.iter().enumerate() {
        let id = property.id().map_or_else(|| format!("p{}", place + 1), str::to_string);
        if rules.iter().any(|rule| rule.id == id) {
            let at = property.comments.iter().find(|line| line.key.as_deref() == Some("id"));
            let span = at.map_or(property.span.clone(), |line| line.span.clone());
            troubles.push(
                Diagnostic::error(span, format!("two properties are called `{id}`"))
                    .help("give each another `# id:`"),
            );
            continue;
        }
        let (rule, found) = resolve_one(property, id, channels);
        // What is odd in itself need not be told again of all that it is in.
        let is_told = |remark: &Diagnostic| {
            let Span { start, end } = remark.span;
            found.iter().any(|trouble| start <= trouble.span.start && trouble.span.end <= end)
        };
        let new: Vec<Diagnostic> = rule.iter().flat_map(remarks).filter(|remark| !is_told(remark)).collect();
        troubles.extend(found);
        troubles.extend(new);
        rules.extend(rule);
    }
    (rules, troubles)
}

/// What looks odd in a property: conditions that are always or never met, and scopes that never open.
fn remarks(rule: &Rule) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (event, tree) in rule.events().zip(rule.property.events()) {
        for (one, simple) in event.alternatives.iter().zip(&tree.alternatives) {
            let (Some(condition), Some(predicate)) = (&one.condition, &simple.predicate) else { continue };
            if condition.is_closed() {
                continue;
            }
            if !is_possible(&one.of, condition, true, event.slot) {
                found.push(
                    Diagnostic::warning(predicate.span.clone(), "this is never so")
                        .label("no message is like that"),
                );
            } else if !is_possible(&one.of, condition, false, event.slot) {
                found.push(
                    Diagnostic::warning(predicate.span.clone(), "this is always so")
                        .help("leave the condition out"),
                );
            }
        }
    }
    found.extend(remarks_on_ends(rule));
    found
}

/// What plays no part in a scope, since it is also the end of one.
fn remarks_on_ends(rule: &Rule) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(terminator) = &rule.terminator else { return found };
    let events = rule.events().zip(rule.property.events());
    for (event, tree) in events.filter(|(event, _)| event.slot != Slot::Terminator) {
        let is_activator = event.slot == Slot::Activator;
        for (one, simple) in event.alternatives.iter().zip(&tree.alternatives) {
            let ends = |two: &Alternative| {
                let speaks_of_it = is_activator && two.mentions(Slot::Activator);
                let is_sure = entails(one, event.slot, two, Slot::Terminator);
                !speaks_of_it && (is_sure || is_activator && is_implied(one, two))
            };
            if !terminator.alternatives.iter().any(ends) {
                continue;
            }
            let (message, help) = if is_activator {
                (
                    "this opens no scope: it is also the end of one",
                    "a message that ends a scope does not open one",
                )
            } else {
                (
                    "this plays no part: it is also the end of the scope",
                    "the message that ends a scope is not in it; let the scope end with something else",
                )
            };
            found.push(Diagnostic::warning(simple.span.clone(), message).help(help));
        }
    }
    found
}

/// Whether whatever activates is also what ends, by the types of the fields.
fn is_implied(one: &Alternative, two: &Alternative) -> bool {
    if one.channel != two.channel {
        return false;
    }
    let Some(end) = &two.condition else { return true };
    let not_end = Term::Not(Box::new(end.moved(Slot::Terminator, Slot::Activator)));
    let both = match &one.condition {
        Some(begin) => Term::And(Box::new(begin.clone()), Box::new(not_end)),
        None => not_end,
    };
    !is_possible(&one.of, &both, true, Slot::Activator)
}

/// Resolves one property.
pub(crate) fn resolve_one(
    property: &Property,
    id: String,
    channels: &dyn Channels,
) -> (Option<Rule>, Vec<Diagnostic>) {
    let (activator, terminator) = match &property.scope {
        Scope::Globally => (None, None),
        Scope::After(activator) => (Some(activator), None),
        Scope::Until(terminator) => (None, Some(terminator)),
        Scope::AfterUntil(activator, terminator) => (Some(activator), Some(terminator)),
    };
    let mut troubles = Vec::new();
    let mut known: Vec<Known> = Vec::new();
    let mut one = |event: &Event, slot: Slot, known: &mut Vec<Known>| {
        let rule = event_rule(event, slot, channels, known, &mut troubles);
        known.push(Known::new(event, &rule, known));
        rule
    };
    let activator = activator.map(|event| one(event, Slot::Activator, &mut known));
    // The terminator speaks of the activator alone.
    let mut of_scope: Vec<Known> = known.clone();
    let terminator = terminator.map(|event| one(event, Slot::Terminator, &mut of_scope));
    let used_by_terminator = of_scope.iter().map(|known| known.is_used.clone()).next();
    let first = one(&property.pattern.first, Slot::First, &mut known);
    let second = property.pattern.second.as_ref().map(|event| one(event, Slot::Second, &mut known));
    if let (Some(used), Some(first), true) = (used_by_terminator, known.first_mut(), activator.is_some()) {
        for (is_used, too) in first.is_used.iter_mut().zip(used) {
            *is_used |= too;
        }
    }
    for known in known.iter().chain(of_scope.iter().skip(usize::from(activator.is_some()))) {
        known.unused(&mut troubles);
    }
    if troubles.iter().any(Diagnostic::is_error) {
        return (None, troubles);
    }
    let rule = Rule {
        id,
        property: property.clone(),
        kind: property.pattern.kind,
        is_reentrant: activator.is_some() && terminator.is_some(),
        activator,
        terminator,
        first,
        second,
        within: property.pattern.within.as_ref().map(|bound| bound.nanoseconds),
    };
    (Some(rule), troubles)
}

/// Resolves an event that stands alone.
pub(crate) fn resolve_event(text: &str, channels: &dyn Channels) -> Result<EventRule, Vec<Diagnostic>> {
    let event = crate::hpl::parse_event(text)?;
    let mut troubles = Vec::new();
    let rule = event_rule(&event, Slot::First, channels, &mut Vec::new(), &mut troubles);
    if troubles.iter().any(Diagnostic::is_error) { Err(troubles) } else { Ok(rule) }
}

/// An event that others may refer to.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    slot: Slot,
    /// Names by alternative.
    aliases: Vec<Option<Name>>,
    /// Whether each of them was used.
    is_used: Vec<bool>,
    of: Type,
    number: usize,
    span: Span,
}

impl Known {
    fn new(event: &Event, rule: &EventRule, before: &[Known]) -> Known {
        let types = rule.alternatives.iter().map(|alternative| alternative.of.clone());
        let of = types.reduce(|one, two| one.or(&two)).unwrap_or(Type::Any);
        let aliases: Vec<Option<Name>> = event.alternatives.iter().map(|one| one.alias.clone()).collect();
        // What a condition says of its own message by its name is noted while it is resolved.
        let is_used = aliases
            .iter()
            .zip(&event.alternatives)
            .map(|(alias, one)| match (alias, &one.predicate) {
                (Some(alias), Some(predicate)) => resolve::mentions(predicate, &alias.text),
                _ => false,
            })
            .collect();
        Known { slot: rule.slot, aliases, is_used, of, number: before.len() + 1, span: event.span.clone() }
    }

    fn has_alias(&self, name: &str) -> bool {
        self.aliases.iter().flatten().any(|alias| alias.text == name)
    }

    fn unused(&self, troubles: &mut Vec<Diagnostic>) {
        for (alias, is_used) in self.aliases.iter().zip(&self.is_used) {
            if let (Some(alias), false) = (alias, is_used) {
                troubles.push(
                    Diagnostic::warning(alias.span.clone(), format!("nobody refers to `{}`", alias.text))
                        .label("this name is not used")
                        .help(format!("leave out `as {}`", alias.text)),
                );
            }
        }
    }
}

fn event_rule(
    event: &Event,
    slot: Slot,
    channels: &dyn Channels,
    known: &mut Vec<Known>,
    troubles: &mut Vec<Diagnostic>,
) -> EventRule {
    let mut alternatives = Vec::new();
    for simple in &event.alternatives {
        let of = channels.type_of(&simple.channel.text).unwrap_or_else(|| {
            let mut trouble = Diagnostic::error(
                simple.channel.span.clone(),
                format!("there is no channel `{}`", simple.channel.text),
            );
            if let Some(near) = nearest(&simple.channel.text, channels.names()) {
                trouble = trouble.help(format!("is it `{near}`?"));
            }
            troubles.push(trouble);
            Type::Any
        });
        if let Some(alias) = &simple.alias {
            let taken = known.iter().flat_map(|known| known.aliases.iter().flatten());
            if taken.into_iter().any(|other| other.text == alias.text) {
                troubles.push(
                    Diagnostic::error(
                        alias.span.clone(),
                        format!("`{}` is another message already", alias.text),
                    )
                    .help("give it another name"),
                );
            }
        }
        let own = simple.alias.as_ref().map(|alias| alias.text.as_str());
        let beyond = simple.predicate.as_ref().map_or_else(Vec::new, reach::beyond);
        let mut resolver = Resolver { slot, own, of: &of, known, variables: Vec::new(), beyond, troubles };
        simple.predicate.iter().for_each(|predicate| resolver.check_truths(predicate));
        let condition = simple.predicate.as_ref().and_then(|predicate| resolver.condition(predicate));
        // What is so of every message is no condition.
        let condition = condition.filter(|term| !(term.is_closed() && term.is_true(&[None; Slot::COUNT])));
        let channel: Arc<str> = simple.channel.text.as_str().into();
        let head = match own {
            Some(own) => format!("{channel} as {own}"),
            None => channel.to_string(),
        };
        let said = simple.predicate.as_ref().map(ToString::to_string);
        alternatives.push(Alternative { channel, condition, of, head, said });
    }
    EventRule { slot, alternatives, text: event.to_string() }
}
