//! Traces as plain lists of messages: the form in which failures are made small. Whatever a trace was drawn by, it can be written down as the
//! choices of this one; so what a schema demanded can be left out, if the failure does not need it.

use crate::construct::Policy;
use crate::time::MS;
use crate::trace::Message;
use crate::types::{Type, int_range};
use crate::value::{Record, Value};
use gainsay_core::Case;
use gainsay_core::choice::{number_of_char, number_of_float, number_of_int};
use std::sync::Arc;

type Inputs = [(Arc<str>, Type)];

/// No message is later: a day.
const AT_MAX_MS: i128 = 24 * 60 * 60 * 1000;
/// No list is longer.
const LENGTH_MAX: usize = 10_000;

/// Draws messages, each with its time.
pub(crate) fn draw(case: &mut Case, inputs: &Inputs, policy: &Policy) -> Vec<Arc<Message>> {
    let mut messages = case.vec(0..=LENGTH_MAX, |case| {
        let at = case.int_favouring(0..=AT_MAX_MS, &[]) as u64 * MS;
        let (channel, of) = &inputs[if inputs.len() > 1 { case.index(inputs.len()) } else { 0 }];
        Arc::new(Message { at, channel: Arc::clone(channel), value: value(case, of, policy, ("", "")) })
    });
    // (Of those at one time, the order stays.)
    messages.sort_by_key(|message| message.at);
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
fn whole_range(of: &Type, policy: &Policy, (owner, field): Place<'_>) -> (i128, i128) {
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
pub(crate) fn numbers(messages: &[Arc<Message>], inputs: &Inputs, policy: &Policy) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    for message in messages {
        numbers.push(1);
        // (Real times are no whole milliseconds.)
        numbers.push(number_of_int(i128::from(message.at.div_ceil(MS)), 0, AT_MAX_MS)?);
        let place = inputs.iter().position(|(channel, _)| *channel == message.channel)?;
        if inputs.len() > 1 {
            numbers.push(place as u64);
        }
        write(&message.value, &inputs[place].1, policy, ("", ""), &mut numbers)?;
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
