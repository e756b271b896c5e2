//! Values in messages.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Arrays and records of a message are nested so deep at most, whatever it is read from: what one reader takes, every other one takes as well.
pub(crate) const DEPTH_MAX: usize = 64;

/// A value in a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing: a field that is there and says nothing counts as missing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number, exact.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Text(Box<str>),
    /// An array.
    List(Vec<Value>),
    /// Fields by name.
    Record(Record),
}

/// Values by name, in order. Messages of one kind share their names.
#[derive(Clone)]
pub struct Record {
    names: Arc<Names>,
    values: Vec<Value>,
}

/// The names of the fields of a record.
#[derive(Debug, PartialEq, Eq)]
pub struct Names {
    names: Vec<Box<str>>,
}

impl Names {
    /// Names, in order.
    pub fn new(names: impl IntoIterator<Item = impl Into<Box<str>>>) -> Names {
        Names { names: names.into_iter().map(Into::into).collect() }
    }

    /// The place of a name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| &**known == name)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name at a place.
    pub fn name(&self, place: usize) -> Option<&str> {
        self.names.get(place).map(|name| &**name)
    }
}

impl Record {
    /// A record of no fields.
    pub fn empty() -> Record {
        Record { names: Arc::new(Names { names: Vec::new() }), values: Vec::new() }
    }

    /// A record with as many values as there are names.
    ///
    /// # Panics
    /// If there are not.
    #[track_caller]
    pub fn of(names: Arc<Names>, values: Vec<Value>) -> Record {
        assert_eq!(names.len(), values.len(), "a record has a value for each name");
        Record { names, values }
    }

    /// The names, which may be shared with other records.
    pub fn names(&self) -> &Arc<Names> {
        &self.names
    }

    /// The values, in the order of the names.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> &mut [Value] {
        &mut self.values
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.names.place(name).map(|place| &self.values[place])
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names.names.iter().map(|name| &**name).zip(&self.values)
    }
}

impl<N: Into<Box<str>>> FromIterator<(N, Value)> for Record {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(fields: I) -> Record {
        let (names, values): (Vec<Box<str>>, Vec<Value>) =
            fields.into_iter().map(|(name, value)| (name.into(), value)).unzip();
        Record { names: Arc::new(Names { names }), values }
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        // The order of fields says nothing.
        self.values.len() == other.values.len()
            && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value.into())
    }
}

impl From<Record> for Value {
    fn from(value: Record) -> Value {
        Value::Record(value)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Value {
        Value::List(items.into_iter().map(Into::into).collect())
    }
}

macro_rules! from_integers {
    ($($type:ty),*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Value {
                Value::Int(value.into())
            }
        }
    )*};
}
from_integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

/// A message of fields: `message([("dist", 50.0.into())])`.
pub fn message<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    Value::Record(fields.into_iter().collect())
}

impl Value {
    /// The value at a path of field names, such as `linear.x`.
    pub fn at(&self, path: &str) -> Option<&Value> {
        path.split('.').try_fold(self, |value, name| match value {
            Value::Record(record) => record.get(name),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub(crate) fn at_mut(&mut self, path: &str) -> Option<&mut Value> {
        path.split('.').try_fold(self, |value, name| match value {
            Value::Record(record) => {
                let place = record.names().place(name)?;
                record.values_mut().get_mut(place)
            }
            _ => None,
        })
    }

    /// How deep arrays and records are nested in it.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Value::List(items) => 1 + items.iter().map(Value::depth).max().unwrap_or(0),
            Value::Record(record) => 1 + record.values().iter().map(Value::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// What it is, for people.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "nothing",
            Value::Bool(_) => "a truth value",
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "an array",
            Value::Record(_) => "a record",
        }
    }
}

/// Compares a whole number with a float by their exact values; nothing if the float is no number.
pub(crate) fn compare_int_float(int: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // (Both ends are powers of two, and exact.)
    const END: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;
    if float >= END {
        return Some(Ordering::Less);
    }
    if float < -END {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc() as i128;
    Some(int.cmp(&whole).then_with(|| 0.0f64.partial_cmp(&float.fract()).unwrap_or(Ordering::Equal)))
}

/// Adds a number to a hash, the same whether it is written as a whole number or as a float; false for what equals nothing, not even itself.
pub(crate) fn hash_float(value: f64, state: &mut impl Hasher) -> bool {
    let whole = value as i128;
    match compare_int_float(whole, value) {
        None => return false,
        Some(Ordering::Equal) => hash_int(whole, state),
        Some(_) => value.to_bits().hash(state),
    }
    true
}

/// The same of a whole number.
pub(crate) fn hash_int(value: i128, state: &mut impl Hasher) {
    // (Most fit into one word, and are hashed faster so.)
    match i64::try_from(value) {
        Ok(small) => small.hash(state),
        Err(_) => value.hash(state),
    }
}

impl fmt::Display for Value {
    /// As in the language: `{dist: 39.9, tags: ["a"]}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Text(value) => write!(f, "{value:?}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Value::Record(record) => {
                f.write_str("{")?;
                for (i, (name, value)) in record.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}
