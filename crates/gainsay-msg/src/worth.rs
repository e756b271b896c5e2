//! Values that are worth trying: those that the specification mentions, wherever it does; those that were said before; and what is missing to a
//! sum that is mentioned.

use crate::construct::names_of;
use crate::rule::Rule;
use crate::term::{Access, AccessRoot, Argument, Domain, Slot, Term};
use crate::trace::Message;
use crate::types::Type;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is worth trying in the fields of inputs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Worth {
    fields: FxHashMap<Arc<str>, FxHashMap<String, Field>>,
    /// All numbers that are mentioned, in order, and each once.
    pub(crate) numbers: Vec<f64>,
}

/// A field of an input.
#[derive(Debug, Clone)]
struct Field {
    is_number: bool,
    /// Values that are mentioned, some several times: the nearer to the field, the more often.
    mentioned: Vec<Value>,
    /// Numbers that others may add up to.
    sums: Vec<f64>,
}

/// What a specification mentions.
#[derive(Debug, Default)]
pub(crate) struct Mentioned {
    /// What a field is compared with, by channel and path.
    of_field: FxHashMap<(Arc<str>, String), Vec<Value>>,
    /// The same of fields that have the same name, on whichever channel.
    of_name: FxHashMap<String, Vec<Value>>,
    all: Vec<Value>,
}

/// More values of one kind are not kept.
const MENTIONED_MAX: usize = 32;
/// So many messages are looked back at.
const RECENT: usize = 8;

impl Mentioned {
    pub(crate) fn add_rule(&mut self, rule: &Rule) {
        for event in rule.events() {
            for one in &event.alternatives {
                if let Some(condition) = &one.condition {
                    self.add(condition, event.slot, &one.channel);
                }
            }
        }
    }

    /// Notes the values that fields are compared with, whatever is computed of them before.
    fn add(&mut self, condition: &Term, slot: Slot, channel: &Arc<str>) {
        match condition {
            Term::Not(inner) => self.add(inner, slot, channel),
            Term::And(one, two) | Term::Or(one, two) | Term::Iff(one, two) => {
                self.add(one, slot, channel);
                self.add(two, slot, channel);
            }
            relation => {
                let mut values = Vec::new();
                constants(relation, &mut values);
                for value in &values {
                    note(&mut self.all, value);
                }
                relation.each_access(&mut |access| self.add_field(access, slot, channel, &values));
            }
        }
    }

    fn add_field(&mut self, access: &Access, slot: Slot, channel: &Arc<str>, values: &[Value]) {
        let AccessRoot::Message(of) = access.root else { return };
        let path = names_of(access);
        let name = last_name(&path).to_string();
        for value in values {
            note(self.of_name.entry(name.clone()).or_default(), value);
            if of == slot {
                note(self.of_field.entry((Arc::clone(channel), path.clone())).or_default(), value);
            }
        }
    }

    /// What that makes worth trying in inputs. `bounds_ms` are bounds of time: some fields are times.
    pub(crate) fn worth(&self, inputs: &[(Arc<str>, Type)], bounds_ms: &[i128]) -> Worth {
        let mut worth = Worth::default();
        for (channel, of) in inputs {
            let mut leaves = Vec::new();
            each_leaf(of, &[], &mut String::new(), &mut leaves);
            let field = |(path, is_number, named): (String, bool, Vec<Value>)| {
                let field = self.field(channel, &path, is_number, &named, bounds_ms);
                (path, field)
            };
            worth.fields.insert(Arc::clone(channel), leaves.into_iter().map(field).collect());
        }
        worth.numbers = self.all.iter().filter_map(float).collect();
        worth.numbers.sort_by(f64::total_cmp);
        worth
    }

    fn field(
        &self,
        channel: &Arc<str>,
        path: &str,
        is_number: bool,
        named: &[Value],
        bounds_ms: &[i128],
    ) -> Field {
        let own = self.of_field.get(&(Arc::clone(channel), path.to_string())).map_or(&[][..], Vec::as_slice);
        let same_name = self.of_name.get(last_name(path)).map_or(&[][..], Vec::as_slice);
        let fits =
            |value: &&Value| if is_number { float(value).is_some() } else { matches!(value, Value::Text(_)) };
        let mut mentioned: Vec<Value> = Vec::new();
        for (values, weight) in [(own, 3), (same_name, 3), (named, 2), (&self.all[..], 1)] {
            for value in values.iter().filter(fits) {
                mentioned.extend(std::iter::repeat_n(value.clone(), weight));
            }
        }
        let mut sums: Vec<f64> = own.iter().chain(same_name).filter_map(float).collect();
        if is_number {
            mentioned.extend(bounds_ms.iter().flat_map(|ms| [Value::Int(*ms), number(*ms as f64 / 1000.0)]));
            if sums.is_empty() {
                sums = self.all.iter().filter_map(float).collect();
            }
        }
        sums.retain(|sum| *sum != 0.0);
        sums.sort_by(f64::total_cmp);
        sums.dedup();
        sums.truncate(6);
        Field { is_number, mentioned, sums }
    }
}

impl Worth {
    /// What is worth trying in a field of a message that is sent after others. Half of what is drawn is one of these, each as often as it is in there.
    pub(crate) fn values(
        &self,
        channel: &Arc<str>,
        path: &str,
        sent: &[Arc<Message>],
        heard: &[Arc<Message>],
    ) -> Vec<Value> {
        let Some(field) = self.fields.get(channel).and_then(|fields| fields.get(path)) else {
            return Vec::new();
        };
        let mut values = Vec::with_capacity(field.mentioned.len() + 4 * RECENT);
        values.extend_from_slice(&field.mentioned);
        let name = last_name(path);
        let mut before: Vec<f64> = Vec::new();
        for (age, message) in sent.iter().rev().take(3 * RECENT).enumerate() {
            let is_same = message.channel == *channel;
            let Some(said) = message.value.at(if is_same { path } else { name }) else { continue };
            if is_same {
                before.extend(float(said));
            }
            if age < RECENT && field.fits(said) {
                values.extend(std::iter::repeat_n(said.clone(), if is_same { 3 } else { 2 }));
            }
        }
        for message in heard.iter().rev().take(RECENT / 2) {
            each_value("", &message.value, &mut |other, said| {
                if field.fits(said) {
                    values.extend(std::iter::repeat_n(said.clone(), if other == name { 3 } else { 1 }));
                }
            });
        }
        if field.is_number {
            field.missing(&before, &mut values);
        }
        values
    }
}

impl Field {
    fn fits(&self, value: &Value) -> bool {
        if self.is_number { float(value).is_some() } else { matches!(value, Value::Text(_)) }
    }

    /// What is missing to the sums, given the numbers so far, the last one first; or equal parts of them.
    fn missing(&self, before: &[f64], values: &mut Vec<Value>) {
        let all: f64 = before.iter().sum();
        let last: f64 = before.iter().take(2).sum();
        for sum in &self.sums {
            match before {
                [] => values.extend([2.0, 3.0, 4.0, 5.0].map(|parts| number((sum / parts).trunc()))),
                [one] => values.push(number(sum - one)),
                [one, ..] => values.extend([all, all, last, *one].map(|so_far| number(sum - so_far))),
            }
        }
    }
}

fn note(values: &mut Vec<Value>, value: &Value) {
    if values.len() < MENTIONED_MAX && !values.contains(value) {
        values.push(value.clone());
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) if float.is_finite() => Some(*float),
        _ => None,
    }
}

fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e30 { Value::Int(value as i128) } else { Value::Float(value) }
}

/// All constants in a term.
fn constants(term: &Term, found: &mut Vec<Value>) {
    match term {
        Term::Constant(value) => found.push(value.clone()),
        Term::Field(_) => {}
        Term::Minus(of) => {
            let before = found.len();
            constants(of, found);
            let turned = found[before..].iter().filter_map(float).map(|value| number(-value));
            let turned: Vec<Value> = turned.collect();
            found.extend(turned);
        }
        Term::Not(of) => constants(of, found),
        Term::And(one, two)
        | Term::Or(one, two)
        | Term::Iff(one, two)
        | Term::Compare(_, one, two)
        | Term::Arithmetic(_, one, two) => {
            constants(one, found);
            constants(two, found);
        }
        Term::In(one, domain) => {
            constants(one, found);
            constants_of(domain, found);
        }
        Term::Call(_, arguments) => {
            for argument in arguments {
                match argument {
                    Argument::One(one) => constants(one, found),
                    Argument::Several(domain) => constants_of(domain, found),
                }
            }
        }
        Term::Quantified { domain, body, .. } => {
            constants_of(domain, found);
            constants(body, found);
        }
    }
}

fn constants_of(domain: &Domain, found: &mut Vec<Value>) {
    match domain {
        Domain::Set(items) => items.iter().for_each(|item| constants(item, found)),
        Domain::Range { ends, .. } => {
            constants(&ends.0, found);
            constants(&ends.1, found);
        }
        Domain::Array(array) => constants(array, found),
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The numbers and texts of a type: their paths, whether they are numbers, and the constants that their type names.
fn each_leaf(of: &Type, named: &[Value], path: &mut String, found: &mut Vec<(String, bool, Vec<Value>)>) {
    match of {
        Type::Record(message) => {
            let constants: Vec<Value> = message.constants.iter().map(|(_, value)| value.clone()).collect();
            for (name, kind) in &message.fields {
                let length = path.len();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                each_leaf(kind, &constants, path, found);
                path.truncate(length);
            }
        }
        Type::Array(items, _) => each_leaf(items, named, path, found),
        Type::Int { .. } => found.push((path.clone(), true, named.to_vec())),
        Type::Float32 | Type::Float64 => found.push((path.clone(), true, Vec::new())),
        Type::Text => found.push((path.clone(), false, named.to_vec())),
        Type::Bool | Type::Any => {}
    }
}

/// Calls something with each single value in a message, and the name of its field; of arrays with the first few.
pub(crate) fn each_value<'v>(name: &'v str, value: &'v Value, see: &mut dyn FnMut(&'v str, &'v Value)) {
    match value {
        Value::Record(record) => record.iter().for_each(|(name, value)| each_value(name, value, see)),
        Value::List(items) => items.iter().take(4).for_each(|item| each_value(name, item, see)),
        Value::Null => {}
        value => see(name, value),
    }
}
