//! Producer–consumer dependencies: fields of inputs that take a value which the system has produced under the same name (a token, a session, a
//! ticket).
//!
//! After Atlidakis, Godefroid and Polishchuk (2019), "RESTler: Stateful REST API Fuzzing", where such dependencies are inferred from names and
//! types. Ours differs: which value is taken is a choice (the n-th latest), so that a trace still takes the right one when messages before it are
//! dropped while it shrinks.

use crate::construct::Policy;
use crate::plain::whole_range;
use crate::trace::Message;
use crate::types::Type;
use crate::value::Value;
use crate::worth::each_value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// At most so many different values can be taken of one name, the latest ones.
pub(crate) const PRODUCED_MAX: usize = 4;
/// So many outputs are looked back at.
const RECENT: usize = 32;

/// A field of an input whose name and kind some output has as well.
#[derive(Debug, Clone)]
pub(crate) struct Consumer {
    /// From the message to the field, by names.
    pub(crate) path: String,
    /// The last one of them.
    name: String,
    /// The numbers it may be; nothing for a text.
    range: Option<(i128, i128)>,
}

/// The consumers among the fields of each input.
pub(crate) type Consumers = FxHashMap<Arc<str>, Vec<Consumer>>;

/// Finds them.
pub(crate) fn consumers(inputs: &[(Arc<str>, Type)], outputs: &[Type], policy: &Policy) -> Consumers {
    let mut produced: FxHashSet<(String, bool)> = FxHashSet::default();
    for output in outputs {
        each_field(output, "", "", &mut |_, name, _, of| {
            produced.insert((name.to_string(), *of == Type::Text));
        });
    }
    let mut all = Consumers::default();
    for (channel, of) in inputs {
        let mut found = Vec::new();
        each_field(of, "", "", &mut |path, name, owner, of| {
            if produced.contains(&(name.to_string(), *of == Type::Text)) {
                let range = (*of != Type::Text).then(|| whole_range(of, policy, (owner, name)));
                found.push(Consumer { path: path.to_string(), name: name.to_string(), range });
            }
        });
        if !found.is_empty() {
            all.insert(Arc::clone(channel), found);
        }
    }
    all
}

/// Calls something with each whole number and text of a type, outside of arrays: its path, its name, the type that has it, and its own.
fn each_field(of: &Type, path: &str, owner: &str, see: &mut dyn FnMut(&str, &str, &str, &Type)) {
    match of {
        Type::Record(message) => {
            for (name, kind) in &message.fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                each_field(kind, &path, &message.name, see);
            }
        }
        Type::Int { .. } | Type::Text if !path.is_empty() => {
            see(path, path.rsplit('.').next().unwrap_or(path), owner, of);
        }
        _ => {}
    }
}

impl Consumer {
    /// The values that it may take, given what the system has said: the latest first, each once.
    pub(crate) fn produced<'m>(&self, said: impl DoubleEndedIterator<Item = &'m Arc<Message>>) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        for message in said.rev().take(RECENT) {
            each_value("", &message.value, &mut |name, value| {
                if name == self.name
                    && self.takes(value)
                    && values.len() < PRODUCED_MAX
                    && !values.contains(value)
                {
                    values.push(value.clone());
                }
            });
        }
        values
    }

    fn takes(&self, value: &Value) -> bool {
        match (value, self.range) {
            (Value::Int(value), Some((low, high))) => (low..=high).contains(value),
            (Value::Text(_), None) => true,
            _ => false,
        }
    }
}
