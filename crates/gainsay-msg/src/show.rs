//! Messages and values for people, as their types have them.

use crate::rule::Rule;
use crate::time;
use crate::trace::Message;
use crate::types::Type;
use crate::value::Value;
use std::fmt::{self, Display};

/// Values are shown up to so many characters.
const SHOWN_MAX: usize = 300;

/// A value of a type. (A float of single precision is no longer than its type makes it: `0.1`, not `0.10000000149011612`.)
pub(crate) struct Typed<'v>(pub(crate) &'v Value, pub(crate) &'v Type);

impl Display for Typed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            (Value::Float(value), Type::Float32) => write!(f, "{:?}", *value as f32),
            (Value::List(items), Type::Array(of, _)) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { ", " } else { "" }, Typed(item, of))?;
                }
                f.write_str("]")
            }
            (Value::Record(record), Type::Record(message)) => {
                f.write_str("{")?;
                for (i, (name, value)) in record.iter().enumerate() {
                    let of = message.field(name).unwrap_or(&Type::Any);
                    write!(f, "{}{name}: {}", if i > 0 { ", " } else { "" }, Typed(value, of))?;
                }
                f.write_str("}")
            }
            (value, _) => write!(f, "{value}"),
        }
    }
}

/// A value for people, who do not read all of it if it is long.
pub(crate) fn shown_value(value: &Value, of: &Type) -> String {
    let text = Typed(value, of).to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        Some((at, _)) => format!("{}… ({} characters)", &text[..at], text.chars().count()),
        None => text,
    }
}

/// A message that a property speaks of.
pub(crate) fn shown_message(rule: &Rule, message: &Message) -> String {
    format!("@{} ms  {}", time::shown_ms(message.at), shown_untimed(rule, message))
}

/// The same without its time.
pub(crate) fn shown_untimed(rule: &Rule, message: &Message) -> String {
    let mut alternatives = rule.events().flat_map(|event| &event.alternatives);
    let of = alternatives.find(|one| one.channel == message.channel).map_or(&Type::Any, |one| &one.of);
    format!("{} {}", message.channel, shown_value(&message.value, of))
}
