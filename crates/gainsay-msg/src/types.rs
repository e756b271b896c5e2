//! Types of messages: what fields they have, and which values these may have.

mod library;
mod msg;

pub(crate) use msg::parse_msg;

use crate::trace::shown_value;
use crate::value::{DEPTH_MAX, Names, Record, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// What values a field may have.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Type {
    /// Anything: nothing is known.
    Any,
    /// Yes or no.
    Bool,
    /// A whole number of so many bits.
    Int {
        /// Whether it may be below 0.
        signed: bool,
        /// Its width.
        bits: u8,
    },
    /// A float of single precision.
    Float32,
    /// A float of double precision.
    Float64,
    /// Text.
    Text,
    /// An array; of a given length, or of any.
    Array(Box<Type>, Option<usize>),
    /// A record.
    Record(Arc<MessageType>),
}

/// A record type.
#[derive(Debug, PartialEq)]
pub struct MessageType {
    /// Its name.
    pub name: String,
    /// Its fields, in order.
    pub fields: Vec<(String, Type)>,
    /// Values with names, such as `PRESSED`.
    pub constants: Vec<(String, Value)>,
    names: Arc<Names>,
    size: Size,
}

/// How large the messages of a type are. Types share their parts: a small text may describe one that no message has room for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Size {
    /// How deep arrays and records are nested.
    depth: usize,
    /// How many values a message has at least, arrays and records among them.
    values: u64,
}

/// A message of a type has so many values at most, before arrays of any length have an element.
const VALUES_MAX: u64 = 1_000_000;

impl Size {
    fn of(of: &Type) -> Size {
        match of {
            Type::Array(of, length) => {
                let Size { depth, values } = Size::of(of);
                let values = values.saturating_mul(length.unwrap_or(0) as u64).saturating_add(1);
                Size { depth: depth + 1, values }
            }
            Type::Record(message) => message.size,
            _ => Size { depth: 0, values: 1 },
        }
    }

    /// The size of a record of these.
    fn of_fields(fields: &[(String, Type)]) -> Size {
        let sizes = fields.iter().map(|(_, of)| Size::of(of));
        sizes.fold(Size { depth: 1, values: 1 }, |size, field| Size {
            depth: size.depth.max(field.depth + 1),
            values: size.values.saturating_add(field.values),
        })
    }

    /// Whether messages can be so large.
    fn check(self, name: &str) -> Result<(), String> {
        if self.depth > DEPTH_MAX {
            return Err(format!("`{name}` is nested more than {DEPTH_MAX} deep"));
        }
        if self.values > VALUES_MAX {
            return Err(format!(
                "a message of type `{name}` has more than {VALUES_MAX} values: use arrays of any length (`[]`) for long ones"
            ));
        }
        Ok(())
    }
}

impl MessageType {
    /// A type of these fields.
    pub fn new(
        name: impl Into<String>,
        fields: Vec<(String, Type)>,
        constants: Vec<(String, Value)>,
    ) -> MessageType {
        let names = Arc::new(Names::new(fields.iter().map(|(name, _)| name.as_str())));
        let size = Size::of_fields(&fields);
        MessageType { name: name.into(), fields, constants, names, size }
    }

    /// It, if messages can be as large as it says.
    ///
    /// # Errors
    /// If not; names the limit.
    pub(crate) fn checked(self) -> Result<MessageType, String> {
        self.size.check(&self.name)?;
        Ok(self)
    }

    /// The type of a field.
    pub fn field(&self, name: &str) -> Option<&Type> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, kind)| kind)
    }

    /// The value of a constant.
    pub fn constant(&self, name: &str) -> Option<&Value> {
        self.constants.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The names of its fields, to be shared by its messages.
    pub fn names(&self) -> &Arc<Names> {
        &self.names
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("any"),
            Type::Bool => f.write_str("bool"),
            Type::Int { signed, bits } => write!(f, "{}int{bits}", if *signed { "" } else { "u" }),
            Type::Float32 => f.write_str("float32"),
            Type::Float64 => f.write_str("float64"),
            Type::Text => f.write_str("string"),
            Type::Array(of, Some(length)) => write!(f, "{of}[{length}]"),
            Type::Array(of, None) => write!(f, "{of}[]"),
            Type::Record(message) => f.write_str(&message.name),
        }
    }
}

impl Type {
    /// What is known of a value that is of this type or of another: a record has the fields that one of them has.
    pub(crate) fn or(&self, other: &Type) -> Type {
        match (self, other) {
            (one, two) if one == two => one.clone(),
            (Type::Record(one), Type::Record(two)) => {
                let mut fields: Vec<(String, Type)> = Vec::new();
                for (name, of) in one.fields.iter().chain(&two.fields) {
                    match fields.iter_mut().find(|(known, _)| known == name) {
                        Some((_, known)) => *known = known.or(of),
                        None => fields.push((name.clone(), of.clone())),
                    }
                }
                // (What is a constant of both must be the same.)
                let constants = one.constants.iter().filter(|constant| two.constants.contains(constant));
                let name = format!("{} or {}", one.name, two.name);
                Type::Record(Arc::new(MessageType::new(name, fields, constants.cloned().collect())))
            }
            (Type::Array(one, _), Type::Array(two, _)) => Type::Array(Box::new(one.or(two)), None),
            _ => Type::Any,
        }
    }
}

/// The least and the greatest whole number of a type.
pub(crate) fn int_range(signed: bool, bits: u8) -> (i128, i128) {
    let bits = u32::from(bits);
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

impl Type {
    /// The primitive type of this name.
    pub fn primitive(name: &str) -> Option<Type> {
        let int = |signed, bits| Type::Int { signed, bits };
        Some(match name {
            "any" => Type::Any,
            "bool" => Type::Bool,
            "int8" | "byte" => int(true, 8),
            "uint8" | "char" => int(false, 8),
            "int16" => int(true, 16),
            "uint16" => int(false, 16),
            "int32" => int(true, 32),
            "uint32" => int(false, 32),
            "int64" => int(true, 64),
            "uint64" => int(false, 64),
            "float32" => Type::Float32,
            "float64" => Type::Float64,
            "string" | "wstring" => Type::Text,
            _ => return None,
        })
    }

    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int { .. } | Type::Float32 | Type::Float64)
    }

    /// A value as one of this type.
    ///
    /// # Errors
    /// If it is none; says where and why.
    pub fn conform(&self, value: Value) -> Result<Value, String> {
        let wrong = |value: &Value| Err(format!("{} is {}, not {self}", shown_value(value), value.kind()));
        match (self, value) {
            (Type::Any, value) => Ok(value),
            (Type::Bool, value @ Value::Bool(_)) | (Type::Text, value @ Value::Text(_)) => Ok(value),
            (Type::Int { signed, bits }, Value::Int(int)) => {
                let (least, most) = int_range(*signed, *bits);
                if (least..=most).contains(&int) {
                    Ok(Value::Int(int))
                } else {
                    Err(format!("{int} is no {self}"))
                }
            }
            // (A whole number may have been written as a float.)
            (Type::Int { .. }, Value::Float(float)) if float.fract() == 0.0 && float.abs() < 1e38 => {
                self.conform(Value::Int(float as i128))
            }
            (Type::Float64, Value::Int(int)) => Ok(Value::Float(int as f64)),
            (Type::Float64, value @ Value::Float(_)) => Ok(value),
            (Type::Float32, Value::Int(int)) => Ok(Value::Float(f64::from(int as f32))),
            (Type::Float32, Value::Float(float)) => Ok(Value::Float(f64::from(float as f32))),
            (Type::Float32 | Type::Float64, Value::Text(text)) => match special(&text) {
                Some(float) => Ok(Value::Float(float)),
                None => wrong(&Value::Text(text)),
            },
            (Type::Array(of, length), Value::List(items)) => {
                if length.is_some_and(|length| length != items.len()) {
                    return Err(format!("an array of {} is no {self}", items.len()));
                }
                let items = items.into_iter().enumerate();
                let items = items.map(|(i, item)| of.conform(item).map_err(|why| format!("[{i}]: {why}")));
                Ok(Value::List(items.collect::<Result<_, _>>()?))
            }
            (Type::Record(message), Value::Record(record)) => message.conform(&record).map(Value::Record),
            (_, value) => wrong(&value),
        }
    }
}

/// Floats that JSON has no numbers for.
fn special(text: &str) -> Option<f64> {
    match text {
        "NaN" | "nan" => Some(f64::NAN),
        "Infinity" | "inf" | "+inf" => Some(f64::INFINITY),
        "-Infinity" | "-inf" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

impl MessageType {
    fn conform(&self, record: &Record) -> Result<Record, String> {
        // (Fields mostly come in order: then none is looked for.)
        let is_at = |place: usize, name: &str| record.names().name(place) == Some(name);
        let mut values = Vec::with_capacity(self.fields.len());
        for (place, (name, kind)) in self.fields.iter().enumerate() {
            let found = if is_at(place, name) { record.values().get(place) } else { record.get(name) };
            let value = found.ok_or_else(|| format!("the field `{name}` of {} is missing", self.name))?;
            values.push(kind.conform(value.clone()).map_err(|why| format!("{name}: {why}"))?);
        }
        let is_field = |place: usize, name: &str| {
            self.fields.get(place).is_some_and(|(known, _)| known == name) || self.field(name).is_some()
        };
        if let Some((_, (name, _))) =
            record.iter().enumerate().find(|(place, (name, _))| !is_field(*place, name))
        {
            return Err(format!("{} has no field `{name}`", self.name));
        }
        Ok(Record::of(Arc::clone(&self.names), values))
    }
}

/// Message types by name.
#[derive(Debug, Clone, Default)]
pub struct Types {
    known: BTreeMap<String, Arc<MessageType>>,
    /// Types that are being added: the common ones of the same name do not stand for them.
    coming: FxHashSet<String>,
}

impl Types {
    /// None but the common ones of robots, such as `geometry_msgs/Twist`.
    pub fn new() -> Types {
        Types::default()
    }

    /// Adds a type, in place of one of the same name.
    pub fn add(&mut self, message: MessageType) {
        self.known.insert(message.name.clone(), Arc::new(message));
    }

    /// The type of a name: `float64`, `Laser`, `geometry_msgs/Twist`, with `[]` or `[3]` for arrays. `package` is where names without one
    /// are looked for first.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(&self, name: &str, package: Option<&str>) -> Result<Type, String> {
        self.named_within(name, package, 0)
    }

    fn named_within(&self, name: &str, package: Option<&str>, depth: usize) -> Result<Type, String> {
        let name = name.trim();
        if depth > 32 {
            return Err(format!("`{name}` is nested more than 32 deep"));
        }
        if let Some(array) = name.strip_suffix(']') {
            let (of, length) = array.rsplit_once('[').ok_or_else(|| format!("`{name}` is no type"))?;
            // (`<=8` bounds an array of ROS 2.)
            let length = match length.trim() {
                length if length.is_empty() || length.starts_with("<=") => None,
                length => match length.parse::<usize>() {
                    Ok(length) if length <= 100_000 => Some(length),
                    _ => return Err(format!("`{length}` is no length of an array")),
                },
            };
            let array = Type::Array(Box::new(self.named_within(of, package, depth + 1)?), length);
            Size::of(&array).check(name)?;
            return Ok(array);
        }
        let name = name.split("<=").next().unwrap_or(name);
        if let Some(primitive) = Type::primitive(name) {
            return Ok(primitive);
        }
        let short = name.replace("/msg/", "/");
        let full = package.map(|package| format!("{package}/{short}"));
        let found = full.iter().chain([&short]).find_map(|name| self.known.get(name));
        if let Some(message) = found {
            return Ok(Type::Record(Arc::clone(message)));
        }
        for name in full.iter().chain([&short]) {
            if let Some(text) = library::text_of(name).filter(|_| !self.coming.contains(name)) {
                let package = name.split_once('/').map(|(package, _)| package);
                let parsed = parse_msg(text).map_err(|trouble| trouble.message)?;
                return self
                    .made(name, parsed, package, depth + 1)
                    .map(|message| Type::Record(Arc::new(message)));
            }
        }
        let known: Vec<&str> = self.known.keys().map(String::as_str).collect();
        let near = crate::names::nearest(name, known.iter().copied().chain(PRIMITIVES));
        let hint = near.map(|near| format!("; is it `{near}`?")).unwrap_or_default();
        Err(format!("there is no type `{name}`{hint}"))
    }

    /// A type from its definition.
    fn made(
        &self,
        name: &str,
        definition: msg::Definition,
        package: Option<&str>,
        depth: usize,
    ) -> Result<MessageType, String> {
        let mut fields = Vec::new();
        for (kind, field) in definition.fields {
            fields.push((field, self.named_within(&kind, package, depth)?));
        }
        MessageType::new(name, fields, definition.constants).checked()
    }

    /// Adds the types of `.msg` texts, given by name (`package/Type`), which may refer to each other in any order.
    ///
    /// # Errors
    /// The name and what is wrong.
    pub(crate) fn add_msgs(&mut self, texts: Vec<(String, msg::Definition)>) -> Result<(), (String, String)> {
        self.coming = texts.iter().map(|(name, _)| name.clone()).collect();
        let kinds = texts.iter().map(|(name, definition)| {
            let kinds = definition.fields.iter().map(|(kind, _)| kind.as_str());
            (name.as_str(), kinds.collect())
        });
        let order = Order::of(kinds.collect());
        let (mut first, mut missing) = (None, FxHashSet::default());
        let mut definitions: Vec<Option<msg::Definition>> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for (name, definition) in texts {
            names.push(name);
            definitions.push(Some(definition));
        }
        for place in order.places {
            let (name, Some(definition)) = (&names[place], definitions[place].take()) else { continue };
            let package = name.split_once('/').map(|(package, _)| package.to_string());
            match self.made(name, definition, package.as_deref(), 0) {
                Ok(message) => {
                    self.coming.remove(name);
                    self.add(message);
                }
                // (What is made of something that is wrong is not told as well.)
                Err(why) => {
                    let is_told = order.mentions[place].iter().any(|other| missing.contains(other));
                    missing.insert(place);
                    if !is_told && first.is_none() {
                        first = Some((name.clone(), why));
                    }
                }
            }
        }
        self.coming.clear();
        first.map_or(Ok(()), Err)
    }
}

/// The order in which types that mention each other are made.
pub(crate) struct Order {
    /// Their places: what a type is made of comes before it. Where types mention each other in a circle, none comes before all others.
    pub(crate) places: Vec<usize>,
    /// Which others each of them mentions.
    pub(crate) mentions: Vec<Vec<usize>>,
}

impl Order {
    /// The order of types, each with its name and the kinds of its fields as they are written.
    pub(crate) fn of(types: Vec<(&str, Vec<&str>)>) -> Order {
        let places: FxHashMap<&str, usize> = types.iter().map(|(name, _)| *name).zip(0..).collect();
        let mentions: Vec<Vec<usize>> = types
            .iter()
            .map(|(name, kinds)| {
                let package = name.split_once('/').map(|(package, _)| package);
                let mentioned = kinds.iter().filter_map(|kind| {
                    let base = kind.split(['[', '<']).next().unwrap_or(kind).trim().replace("/msg/", "/");
                    let full = package.and_then(|package| places.get(format!("{package}/{base}").as_str()));
                    full.or_else(|| places.get(base.as_str())).copied()
                });
                mentioned.collect()
            })
            .collect();
        let mut order = Vec::with_capacity(types.len());
        let mut is_met = vec![false; types.len()];
        // Depth first, with a stack of its own: a chain may be as long as there are types.
        for start in 0..types.len() {
            let mut open: Vec<(usize, usize)> = Vec::new();
            if !std::mem::replace(&mut is_met[start], true) {
                open.push((start, 0));
            }
            while let Some((place, next)) = open.last_mut() {
                match mentions[*place].get(*next) {
                    Some(other) => {
                        *next += 1;
                        if !std::mem::replace(&mut is_met[*other], true) {
                            open.push((*other, 0));
                        }
                    }
                    None => {
                        order.push(*place);
                        open.pop();
                    }
                }
            }
        }
        Order { places: order, mentions }
    }
}

const PRIMITIVES: [&str; 12] = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
    "string",
];
