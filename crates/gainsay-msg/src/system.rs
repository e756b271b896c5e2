//! Systems: their channels, what must hold of them, and how they are tested.

mod file;

pub use file::{BusKind, SystemFile, Timing};

use crate::classify::{Class, Direction, classify};
use crate::construct::Policy;
use crate::rule::{Channels, Rule};
use crate::schema::{Schema, base, clashes, specialised};
use crate::types::Type;
use std::sync::Arc;

/// A channel of a system.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Channel {
    /// Its name.
    pub name: Arc<str>,
    /// The type of its messages.
    pub of: Type,
    /// Where they come from.
    pub direction: Direction,
    /// What it is called on the bus, if it is called something else there.
    pub topic: Option<String>,
    /// How messages are written there, if the bus knows several ways.
    pub codec: Option<String>,
}

impl Channel {
    /// A channel on which tests send.
    pub fn input(name: impl Into<Arc<str>>, of: Type) -> Channel {
        Channel { name: name.into(), of, direction: Direction::In, topic: None, codec: None }
    }

    /// A channel on which the system sends.
    pub fn output(name: impl Into<Arc<str>>, of: Type) -> Channel {
        Channel { direction: Direction::Out, ..Channel::input(name, of) }
    }
}

/// A system: its channels, and what must hold of them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct System {
    /// Its name.
    pub name: String,
    /// Its channels.
    pub channels: Vec<Channel>,
    /// All properties, axioms among them.
    pub rules: Vec<Arc<Rule>>,
    /// Schemas written by hand, by the id of the property they are for.
    pub schemas: Vec<(String, Schema)>,
    /// Which values are sent.
    pub policy: Policy,
    /// How much time is forgiven, in nanoseconds.
    pub slack: u64,
    /// How long the system is watched after the last message, in nanoseconds; otherwise as long as the largest bound.
    pub rest: Option<u64>,
    /// Whether messages on channels that nobody has declared are passed over.
    pub ignores_undeclared: bool,
}

impl Channels for System {
    fn type_of(&self, channel: &str) -> Option<Type> {
        self.channel(channel).map(|channel| channel.of.clone())
    }

    fn names(&self) -> Vec<&str> {
        self.channels.iter().map(|channel| &*channel.name).collect()
    }
}

impl System {
    /// A system of channels, of which nothing is said yet.
    pub fn new(name: impl Into<String>, channels: Vec<Channel>) -> System {
        System { name: name.into(), channels, ..System::default() }
    }

    /// Adds properties.
    ///
    /// # Errors
    /// What is wrong with them, as text.
    pub fn with_properties(mut self, text: &str) -> Result<System, String> {
        let file = crate::hpl::parse(text);
        let (rules, troubles) = crate::rule::resolve(&file.properties, &self);
        let source = Arc::new(crate::diagnostic::Source::new("properties", text));
        let mut found = crate::diagnostic::Diagnostics::default();
        found.add(&source, file.troubles.into_iter().chain(troubles));
        if found.has_errors() {
            return Err(found.to_string());
        }
        self.rules.extend(rules.into_iter().map(Arc::new));
        Ok(self)
    }

    /// The channel of a name.
    pub fn channel(&self, name: &str) -> Option<&Channel> {
        self.channels.iter().find(|channel| *channel.name == *name)
    }

    pub(crate) fn is_output(&self, name: &str) -> bool {
        self.channel(name).is_some_and(|channel| channel.direction == Direction::Out)
    }

    /// The property of an id.
    pub fn rule(&self, id: &str) -> Option<&Arc<Rule>> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// What can be done with a property.
    pub fn class(&self, rule: &Rule) -> Class {
        let direction = |channel: &str| self.channel(channel).map(|channel| channel.direction);
        let class = classify(rule, &direction);
        if class == Class::Testable
            && let Some(clash) = clashes(&base(rule, &direction), &self.axioms()).first()
        {
            let (line, why, axioms) = (&clash.line, &clash.why, clash.axioms.join(", "));
            return Class::NotFalsifiable(match axioms.as_str() {
                "" => format!("`{line}` cannot be sent: {why}"),
                axioms => format!("axioms leave out `{line}`: {why} ({axioms})"),
            });
        }
        class
    }

    /// What is assumed of inputs.
    pub fn axioms(&self) -> Vec<Arc<Rule>> {
        let direction = |channel: &str| self.channel(channel).map(|channel| channel.direction);
        self.rules.iter().filter(|rule| classify(rule, &direction) == Class::Axiom).cloned().collect()
    }

    /// What can be tested.
    pub fn testable(&self) -> Vec<Arc<Rule>> {
        self.rules.iter().filter(|rule| self.class(rule) == Class::Testable).cloned().collect()
    }

    /// The channels on which tests send, with the types of their messages.
    pub fn inputs(&self) -> Vec<(Arc<str>, Type)> {
        let inputs = self.channels.iter().filter(|channel| channel.direction == Direction::In);
        inputs.map(|channel| (Arc::clone(&channel.name), channel.of.clone())).collect()
    }
}

impl System {
    /// The types of the messages that the system sends.
    pub(crate) fn outputs(&self) -> Vec<Type> {
        let outputs = self.channels.iter().filter(|channel| channel.direction == Direction::Out);
        outputs.map(|channel| channel.of.clone()).collect()
    }
}

/// The schemas of a property.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Schemas {
    /// What all counterexamples follow.
    pub base: Schema,
    /// The same, with what the axioms say.
    pub refined: Schema,
    /// Each for something else; together they are as good as the base one.
    pub specialised: Vec<Schema>,
    /// Those that cannot be followed: their name, the line, the axioms that clash with it, and why.
    pub clashes: Vec<(String, String, Vec<String>, String)>,
}

impl System {
    /// The schemas of a property.
    pub fn schemas_of(&self, rule: &Rule) -> Schemas {
        let direction = |channel: &str| self.channel(channel).map(|channel| channel.direction);
        let axioms = self.axioms();
        let base = base(rule, &direction);
        let refined = base.refined(&axioms);
        let mut all = specialised(rule, &direction);
        all.extend(self.schemas.iter().filter(|(id, _)| *id == rule.id).map(|(_, schema)| schema.clone()));
        let clash = |schema: &Schema| {
            let clash = clashes(schema, &axioms).into_iter().next()?;
            Some((schema.name.clone(), clash.line, clash.axioms, clash.why))
        };
        let clashes = std::iter::once(&base).chain(&all).filter_map(clash).collect();
        Schemas { base, refined, specialised: all, clashes }
    }
}
