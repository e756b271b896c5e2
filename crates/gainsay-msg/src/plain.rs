//! Traces as plain lists of messages: the form in which failures are made small. Whatever a trace was drawn by, it can be written down as the
//! choices of this one; so what a schema demanded can be left out, if the failure does not need it.

use crate::construct::Policy;
use crate::consumer::{Consumer, Consumers, PRODUCED_MAX};
use crate::time::MS;
use crate::trace::Message;
use crate::types::{Type, int_range};
use crate::value::{Record, Value};
use gainsay_core::Case;
use gainsay_core::choice::{number_of_char, number_of_float, number_of_int};
use std::sync::Arc;

/// What a plain list is made of.
pub(crate) struct Form<'f> {
    pub(crate) inputs: &'f [(Arc<str>, Type)],
    pub(crate) policy: &'f Policy,
    /// Fields that may take what the system has produced, where it is heard while the list is sent.
    pub(crate) consumers: Option<&'f Consumers>,
}

impl Form<'_> {
    fn consumers(&self, channel: &str) -> &[Consumer] {
        self.consumers.and_then(|all| all.get(channel)).map_or(&[], Vec::as_slice)
    }
}

/// A message of a plain list.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) message: Arc<Message>,
    /// For each of its consumers: 0 if its value is as it stands in the message, n if it is the n-th latest that the system has produced.
    taken: Vec<usize>,
}

impl Planned {
    /// Whether it takes what the system has produced.
    pub(crate) fn takes(&self) -> bool {
        self.taken.iter().any(|nth| *nth > 0)
    }

    /// The message, given what was seen before it. What the system has not produced stays as it stands.
    pub(crate) fn filled(&self, form: &Form<'_>, seen: &[Arc<Message>]) -> Arc<Message> {
        let mut value = self.message.value.clone();
        for (consumer, nth) in form.consumers(&self.message.channel).iter().zip(&self.taken) {
            let Some(place) = nth.checked_sub(1) else { continue };
            let mut produced = consumer.produced(form.said(seen));
            if place < produced.len()
                && let Some(field) = value.at_mut(&consumer.path)
            {
                *field = produced.swap_remove(place);
            }
        }
        Arc::new(Message { value, ..(*self.message).clone() })
    }

    /// The same message, taking nothing.
    pub(crate) fn literal(&self) -> Planned {
        Planned { message: Arc::clone(&self.message), taken: vec![0; self.taken.len()] }
    }

    /// The same message, sooner by so many milliseconds.
    pub(crate) fn sooner(&self, by_ms: u64) -> Planned {
        let message = Message { at: self.message.at - by_ms * MS, ..(*self.message).clone() };
        Planned { message: Arc::new(message), taken: self.taken.clone() }
    }
}

impl Form<'_> {
    fn is_input(&self, message: &Message) -> bool {
        self.inputs.iter().any(|(channel, _)| *channel == message.channel)
    }

    /// What the system has said.
    fn said<'m>(&self, seen: &'m [Arc<Message>]) -> impl DoubleEndedIterator<Item = &'m Arc<Message>> {
        seen.iter().filter(|message| !self.is_input(message))
    }

    /// The plain list of the inputs that were seen in a run.
    pub(crate) fn planned(&self, seen: &[Arc<Message>]) -> Vec<Planned> {
        let inputs = seen.iter().enumerate().filter(|(_, message)| self.is_input(message));
        let planned = inputs.map(|(place, message)| {
            let taken = self.consumers(&message.channel).iter().map(|consumer| {
                let Some(value) = message.value.at(&consumer.path) else { return 0 };
                let produced = consumer.produced(self.said(&seen[..place]));
                produced.iter().position(|produced| produced == value).map_or(0, |place| place + 1)
            });
            Planned { message: Arc::clone(message), taken: taken.collect() }
        });
        planned.collect()
    }
}

/// No message is later: a day.
const AT_MAX_MS: i128 = 24 * 60 * 60 * 1000;
/// No list is longer.
const LENGTH_MAX: usize = 10_000;

/// Draws messages, each with its time.
pub(crate) fn draw(case: &mut Case, form: &Form<'_>) -> Vec<Planned> {
    let Form { inputs, policy, .. } = form;
    let mut messages = case.vec(0..=LENGTH_MAX, |case| {
        let at = case.int_favouring(0..=AT_MAX_MS, &[]) as u64 * MS;
        let (channel, of) = &inputs[if inputs.len() > 1 { case.index(inputs.len()) } else { 0 }];
        let value = value(case, of, policy, ("", ""));
        let taken = form.consumers(channel).iter().map(|_| case.index(1 + PRODUCED_MAX)).collect();
        Planned { message: Arc::new(Message { at, channel: Arc::clone(channel), value }), taken }
    });
    // (Of those at one time, the order stays.)
    messages.sort_by_key(|planned| planned.message.at);
    messages
}

fn value(case: &mut Case, of: &Type, policy: &Policy, place: Place<'_>) -> Value {
    match of {
        Type::Any => Value::Record(Record::empty()),
        Type::Bool => Value::Bool(case.flag()),
        Type::Int { .. } => {
            let (low, high) = whole_range(of, policy, place);
            Value::Int(case.int_favouring(low..=high, &[]))
        }
        Type::Float32 => Value::Float(f64::from(float(case, of, policy, place) as f32)),
        Type::Float64 => Value::Float(float(case, of, policy, place)),
        Type::Text => Value::Text(case.string(0..=LENGTH_MAX).into()),
        Type::Array(items, None) => {
            Value::List(case.vec(0..=LENGTH_MAX, |case| value(case, items, policy, place)))
        }
        Type::Array(items, Some(length)) => {
            Value::List((0..*length).map(|_| value(case, items, policy, place)).collect())
        }
        Type::Record(message) => {
            let one = |(name, kind): &(String, Type)| value(case, kind, policy, (&message.name, name));
            let values = message.fields.iter().map(one).collect();
            Value::Record(Record::of(Arc::clone(message.names()), values))
        }
    }
}

/// The type and the field that a value is of.
type Place<'p> = (&'p str, &'p str);

/// The whole numbers that a field may be.
pub(crate) fn whole_range(of: &Type, policy: &Policy, (owner, field): Place<'_>) -> (i128, i128) {
    let Type::Int { signed, bits } = of else { return (0, 0) };
    let (low, high) = int_range(*signed, *bits);
    match policy.range(owner, field, of) {
        Some((least, most)) => {
            let least = (least.ceil() as i128).clamp(low, high);
            (least, (most.floor() as i128).clamp(least, high))
        }
        None => (low, high),
    }
}

fn float(case: &mut Case, of: &Type, policy: &Policy, (owner, field): Place<'_>) -> f64 {
    let most = if policy.infinite { f64::INFINITY } else { f64::MAX };
    let (low, high) = policy.range(owner, field, of).unwrap_or((-most, most));
    if policy.nan && case.flag() {
        return f64::NAN;
    }
    case.float_favouring(low..=high, &[])
}

/// The numbers of the choices by which messages are drawn; nothing if they cannot be.
pub(crate) fn numbers(messages: &[Planned], form: &Form<'_>) -> Option<Vec<u64>> {
    let Form { inputs, policy, .. } = form;
    let mut numbers = Vec::new();
    for Planned { message, taken } in messages {
        numbers.push(1);
        // (Real times are no whole milliseconds.)
        numbers.push(number_of_int(i128::from(message.at.div_ceil(MS)), 0, AT_MAX_MS)?);
        let place = inputs.iter().position(|(channel, _)| *channel == message.channel)?;
        if inputs.len() > 1 {
            numbers.push(place as u64);
        }
        write(&message.value, &inputs[place].1, policy, ("", ""), &mut numbers)?;
        numbers.extend(taken.iter().map(|nth| *nth as u64));
    }
    numbers.push(0);
    Some(numbers)
}

fn write(value: &Value, of: &Type, policy: &Policy, place: Place<'_>, numbers: &mut Vec<u64>) -> Option<()> {
    match (of, value) {
        (Type::Any, _) => {}
        (Type::Bool, Value::Bool(value)) => numbers.push(u64::from(*value)),
        (Type::Int { .. }, Value::Int(value)) => {
            let (low, high) = whole_range(of, policy, place);
            numbers.push(number_of_int(*value, low, high)?);
        }
        (Type::Float32 | Type::Float64, Value::Float(value)) => {
            if policy.nan {
                numbers.push(u64::from(value.is_nan()));
            } else if value.is_nan() {
                return None;
            }
            if !value.is_nan() {
                numbers.push(number_of_float(*value));
            }
        }
        (Type::Text, Value::Text(text)) => {
            for c in text.chars() {
                numbers.extend([1, number_of_char(c)]);
            }
            numbers.push(0);
        }
        (Type::Array(items, None), Value::List(values)) => {
            for value in values {
                numbers.push(1);
                write(value, items, policy, place, numbers)?;
            }
            numbers.push(0);
        }
        (Type::Array(items, Some(_)), Value::List(values)) => {
            for value in values {
                write(value, items, policy, place, numbers)?;
            }
        }
        (Type::Record(message), Value::Record(record)) => {
            for (name, kind) in &message.fields {
                write(record.get(name)?, kind, policy, (&message.name, name), numbers)?;
            }
        }
        _ => return None,
    }
    Some(())
}
