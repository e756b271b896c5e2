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
        Arc::new(Message { at, channel: Arc::clone(channel), value: value(case, of, policy) })
    });
    // (Of those at one time, the order stays.)
    messages.sort_by_key(|message| message.at);
    messages
}

fn value(case: &mut Case, of: &Type, policy: &Policy) -> Value {
    match of {
        Type::Any => Value::Record(Record::empty()),
        Type::Bool => Value::Bool(case.flag()),
        Type::Int { signed, bits } => {
            let (low, high) = int_range(*signed, *bits);
            Value::Int(case.int_favouring(low..=high, &[]))
        }
        Type::Float32 => Value::Float(f64::from(float(case, policy) as f32)),
        Type::Float64 => Value::Float(float(case, policy)),
        Type::Text => Value::Text(case.string(0..=LENGTH_MAX).into()),
        Type::Array(items, None) => Value::List(case.vec(0..=LENGTH_MAX, |case| value(case, items, policy))),
        Type::Array(items, Some(length)) => {
            Value::List((0..*length).map(|_| value(case, items, policy)).collect())
        }
        Type::Record(message) => {
            let values = message.fields.iter().map(|(_, kind)| value(case, kind, policy)).collect();
            Value::Record(Record::of(Arc::clone(message.names()), values))
        }
    }
}

fn float(case: &mut Case, policy: &Policy) -> f64 {
    let most = if policy.infinite { f64::INFINITY } else { f64::MAX };
    case.float_favouring(-most..=most, &[])
}

/// The numbers of the choices by which messages are drawn; nothing if they cannot be.
pub(crate) fn numbers(messages: &[Arc<Message>], inputs: &Inputs) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    for message in messages {
        numbers.push(1);
        // (Real times are no whole milliseconds.)
        numbers.push(number_of_int(i128::from(message.at.div_ceil(MS)), 0, AT_MAX_MS)?);
        let place = inputs.iter().position(|(channel, _)| *channel == message.channel)?;
        if inputs.len() > 1 {
            numbers.push(place as u64);
        }
        write(&message.value, &inputs[place].1, &mut numbers)?;
    }
    numbers.push(0);
    Some(numbers)
}

fn write(value: &Value, of: &Type, numbers: &mut Vec<u64>) -> Option<()> {
    match (of, value) {
        (Type::Any, _) => {}
        (Type::Bool, Value::Bool(value)) => numbers.push(u64::from(*value)),
        (Type::Int { signed, bits }, Value::Int(value)) => {
            let (low, high) = int_range(*signed, *bits);
            numbers.push(number_of_int(*value, low, high)?);
        }
        (Type::Float32 | Type::Float64, Value::Float(value)) if !value.is_nan() => {
            numbers.push(number_of_float(*value));
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
                write(value, items, numbers)?;
            }
            numbers.push(0);
        }
        (Type::Array(items, Some(_)), Value::List(values)) => {
            for value in values {
                write(value, items, numbers)?;
            }
        }
        (Type::Record(message), Value::Record(record)) => {
            for (name, kind) in &message.fields {
                write(record.get(name)?, kind, numbers)?;
            }
        }
        _ => return None,
    }
    Some(())
}
