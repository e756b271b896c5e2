//! Messages as lines of JSON: `{"at_ms":40,"channel":"/laser","msg":{"dist":50.0}}`.

use super::Message;
use crate::time;
use crate::value::{DEPTH_MAX, Names, Record, Value};
use rustc_hash::FxHashMap;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::Arc;

/// What a line says.
#[derive(Debug)]
pub(crate) enum Line {
    /// A message that somebody cares about.
    Message(Message),
    /// The end, or a message that nobody cares about: time has passed until then.
    Time { at: u64, ends: bool },
}

/// What a system says.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A message.
    Message { at: Option<u64>, channel: Arc<str>, value: Value },
    /// It rests until then, or until a message comes.
    Idle { next: Option<u64> },
}

/// Everything that a line may say.
#[derive(Default)]
struct Said {
    at: Option<u64>,
    message: Option<(Arc<str>, Value)>,
    missing: Option<&'static str>,
    ends: bool,
    is_idle: bool,
    next: Option<u64>,
}

/// Reads lines. Messages of one channel mostly have the same fields: their names are kept.
#[derive(Debug, Default)]
pub(crate) struct LineReader {
    channels: FxHashMap<Arc<str>, Vec<Arc<Names>>>,
    /// A number was met that may be a whole one beyond 64 bits: such lines are read again, without haste.
    has_large: bool,
    is_exact: bool,
    /// A system speaks, and may say that it rests.
    hears: bool,
}

impl LineReader {
    /// Reads a line; `cares` says whether messages on a channel are of interest.
    pub(crate) fn read(&mut self, line: &str, cares: &dyn Fn(&str) -> bool) -> Result<Line, String> {
        let said = self.said(line, cares).map_err(|why| match serde_json::from_str::<IgnoredAny>(line) {
            Ok(_) => why,
            Err(_) => format!("this is no JSON: {why}"),
        })?;
        let at = said.at.ok_or("there is no `at_ms`")?;
        match said {
            Said { ends: true, message: Some(_), .. } => Err("the end is a line of its own".into()),
            Said { ends: true, .. } => Ok(Line::Time { at, ends: true }),
            Said { message: Some((channel, value)), .. } => Ok(Line::Message(Message { at, channel, value })),
            Said { missing: Some(missing), .. } => Err(format!("there is no `{missing}`")),
            _ => Ok(Line::Time { at, ends: false }),
        }
    }

    /// Reads what a system says.
    pub(crate) fn hear(&mut self, line: &str) -> Result<Heard, String> {
        self.hears = true;
        let said = self.said(line, &|_| true)?;
        match said {
            Said { is_idle: true, next, .. } => Ok(Heard::Idle { next }),
            Said { message: Some((channel, value)), at, .. } => Ok(Heard::Message { at, channel, value }),
            Said { missing, .. } => Err(format!("there is no `{}`", missing.unwrap_or("channel"))),
        }
    }

    fn said(&mut self, line: &str, cares: &dyn Fn(&str) -> bool) -> Result<Said, String> {
        let said = self.said_once(line, cares)?;
        if !std::mem::take(&mut self.has_large) {
            return Ok(said);
        }
        self.is_exact = true;
        let said = self.said_once(line, cares);
        self.is_exact = false;
        said
    }

    fn said_once(&mut self, line: &str, cares: &dyn Fn(&str) -> bool) -> Result<Said, String> {
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let said = deserializer
            .deserialize_map(LineVisitor { reader: self, cares })
            .map_err(|error| plain(&error))?;
        deserializer.end().map_err(|error| plain(&error))?;
        Ok(said)
    }

    /// Reads a value alone.
    pub(crate) fn value(&mut self, text: &str, channel: &str) -> Result<Value, String> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let value = self.with_shapes(channel, |shapes| {
            shapes.deserialize(&mut deserializer).map_err(|error| plain(&error))
        })?;
        deserializer.end().map_err(|error| plain(&error))?;
        if std::mem::take(&mut self.has_large) {
            return exact(text).map_err(|error| plain(&error));
        }
        Ok(value)
    }

    /// The name of a channel, which is shared by its messages.
    fn shared(&mut self, channel: &str) -> Arc<str> {
        if let Some((known, _)) = self.channels.get_key_value(channel) {
            return Arc::clone(known);
        }
        let known: Arc<str> = channel.into();
        self.channels.insert(Arc::clone(&known), Vec::new());
        known
    }

    /// Does something with the names that messages of a channel had last.
    fn with_shapes<T>(&mut self, channel: &str, read: impl FnOnce(ValueSeed<'_>) -> T) -> T {
        if !self.channels.contains_key(channel) {
            self.channels.insert(channel.into(), Vec::new());
        }
        let shapes = self.channels.get_mut(channel).expect("it is there");
        let mut next = 0;
        read(ValueSeed { shapes, next: &mut next, has_large: &mut self.has_large, depth: 0 })
    }
}

/// The message of an error, without the place in a line.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => format!("{} (column {})", &text[..at], error.column()),
        None => text,
    }
}

struct LineVisitor<'r> {
    reader: &'r mut LineReader,
    cares: &'r dyn Fn(&str) -> bool,
}

impl<'de> Visitor<'de> for LineVisitor<'_> {
    type Value = Said;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `at_ms`, `channel` and `msg`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Said, A::Error> {
        let (mut said, mut channel, mut value) = (Said::default(), None::<Cow<'de, str>>, None);
        let mut is_ignored = false;
        let time = |key: &str, raw: &RawValue| {
            let scaled = time::scaled(raw.get(), time::MS);
            scaled.map_err(|why| A::Error::custom(format!("`{key}` is {}: {why}", raw.get())))
        };
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            match &*key {
                "at_ms" => said.at = Some(time(&key, map.next_value::<&RawValue>()?)?),
                "channel" => channel = Some(map.next_value::<Text<'de>>()?.0),
                "msg" => {
                    let known = channel.as_deref().unwrap_or("");
                    if channel.is_some() && !(self.cares)(known) {
                        map.next_value::<IgnoredAny>()?;
                        is_ignored = true;
                        continue;
                    }
                    value = Some(if self.reader.is_exact {
                        exact(map.next_value::<&RawValue>()?.get()).map_err(A::Error::custom)?
                    } else {
                        self.reader.with_shapes(known, |shapes| map.next_value_seed(shapes))?
                    });
                }
                "end" => said.ends = map.next_value()?,
                "idle" if self.reader.hears => said.is_idle = map.next_value()?,
                "next_timer_ms" if self.reader.hears => {
                    let raw: &RawValue = map.next_value()?;
                    // (What is due a little later is not due before.)
                    let next = || time::scaled_up(raw.get(), time::MS);
                    let wrong = |why| A::Error::custom(format!("`{key}` is {}: {why}", raw.get()));
                    said.next = if raw.get() == "null" { None } else { Some(next().map_err(wrong)?) };
                }
                // Whatever else somebody has written down.
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match (channel, value) {
            (Some(channel), Some(value)) => {
                if (self.cares)(&channel) {
                    said.message = Some((self.reader.shared(&channel), value));
                }
            }
            (Some(_), None) if is_ignored => {}
            (Some(_), None) => said.missing = Some("msg"),
            (None, _) => said.missing = Some("channel"),
        }
        Ok(said)
    }
}

/// Text, borrowed where that is possible.
struct Text<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<'de>, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.into())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// Reads a value. The objects in it are expected to have the names they had last time, one after the other.
struct ValueSeed<'s> {
    shapes: &'s mut Vec<Arc<Names>>,
    next: &'s mut usize,
    has_large: &'s mut bool,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Int(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // (Whole numbers of 64 bits come as such.)
        *self.has_large |= value.abs() >= i64::MAX as f64;
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        if self.depth >= DEPTH_MAX {
            return Err(A::Error::custom(format!("nested more than {DEPTH_MAX} deep")));
        }
        let mut items = Vec::new();
        loop {
            let seed = ValueSeed {
                shapes: &mut *self.shapes,
                next: &mut *self.next,
                has_large: &mut *self.has_large,
                depth: self.depth + 1,
            };
            match seq.next_element_seed(seed)? {
                Some(item) => items.push(item),
                None => return Ok(Value::List(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        if self.depth >= DEPTH_MAX {
            return Err(A::Error::custom(format!("nested more than {DEPTH_MAX} deep")));
        }
        let ValueSeed { shapes, next, has_large, depth } = self;
        let place = *next;
        *next += 1;
        let expected = shapes.get(place).cloned();
        let mut values = Vec::with_capacity(expected.as_ref().map_or(4, |names| names.len()));
        // From the first name on that is not as expected, names are written down.
        let mut other: Option<Vec<Box<str>>> = expected.is_none().then(Vec::new);
        let mut places = Places::default();
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            if let (None, Some(names)) = (&other, &expected)
                && names.name(values.len()) != Some(&*key)
            {
                let same = (0..values.len()).filter_map(|place| names.name(place)).map(Box::from);
                other = Some(same.collect());
            }
            let value = map.next_value_seed(ValueSeed {
                shapes: &mut *shapes,
                next: &mut *next,
                has_large: &mut *has_large,
                depth: depth + 1,
            })?;
            if let Some(names) = &mut other {
                // What is said twice counts as it was said last.
                if let Some(again) = places.of(&key, names) {
                    values[again] = value;
                    continue;
                }
                names.push((&*key).into());
            }
            values.push(value);
        }
        let names = match (other, expected) {
            (None, Some(names)) if names.len() == values.len() => {
                return Ok(Value::Record(Record::of(names, values)));
            }
            (None, Some(names)) => {
                let some = (0..values.len()).filter_map(|place| names.name(place));
                Names::new(some)
            }
            (other, _) => Names::new(other.unwrap_or_default()),
        };
        let names = Arc::new(names);
        if place < shapes.len() {
            shapes[place] = Arc::clone(&names);
        } else if place == shapes.len() && place < 1000 {
            shapes.push(Arc::clone(&names));
        }
        Ok(Value::Record(Record::of(names, values)))
    }
}

/// Finds names among those that were met before. Few are looked through; many are looked up, since an object may have hundreds of thousands.
#[derive(Default)]
struct Places {
    known: FxHashMap<Box<str>, usize>,
}

/// So many names are faster looked through than looked up.
const FEW: usize = 32;

impl Places {
    /// The place of a name. All calls are about the same names, to which more are added from call to call.
    fn of(&mut self, name: &str, names: &[Box<str>]) -> Option<usize> {
        if names.len() <= FEW {
            return names.iter().position(|known| **known == *name);
        }
        for (place, name) in names.iter().enumerate().skip(self.known.len()) {
            self.known.insert(name.clone(), place);
        }
        self.known.get(name).copied()
    }
}

/// Reads a value that was read before, with all whole numbers as they are written.
fn exact(text: &str) -> Result<Value, serde_json::Error> {
    let text = text.trim();
    match text.as_bytes().first() {
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            Ok(Value::List(items.into_iter().map(|item| exact(item.get())).collect::<Result<_, _>>()?))
        }
        Some(b'{') => {
            let (mut names, mut values, mut places) = (Vec::<Box<str>>::new(), Vec::new(), Places::default());
            for (name, raw) in serde_json::from_str::<Fields<'_>>(text)?.0 {
                let value = exact(raw.get())?;
                match places.of(&name, &names) {
                    Some(again) => values[again] = value,
                    None => {
                        names.push((&*name).into());
                        values.push(value);
                    }
                }
            }
            Ok(Value::Record(Record::of(Arc::new(Names::new(names)), values)))
        }
        _ => match text.parse::<i128>() {
            Ok(int) => Ok(Value::Int(int)),
            Err(_) => {
                let (mut shapes, mut next, mut has_large) = (Vec::new(), 0, false);
                let seed =
                    ValueSeed { shapes: &mut shapes, next: &mut next, has_large: &mut has_large, depth: 0 };
                seed.deserialize(&mut serde_json::Deserializer::from_str(text))
            }
        },
    }
}

/// The fields of an object, unread.
struct Fields<'de>(Vec<(Cow<'de, str>, &'de RawValue)>);

impl<'de> serde::Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields<'de>, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some((Text(name), raw)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    fields.push((name, raw));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// A message as a line, without its end.
pub(crate) fn write_message(message: &Message) -> String {
    let mut text = format!("{{\"at_ms\":{},\"channel\":", time::shown_ms(message.at));
    write_text(&message.channel, &mut text);
    text.push_str(",\"msg\":");
    write_value(&message.value, &mut text);
    text.push('}');
    text
}

/// A value as JSON. Floats that JSON has no numbers for are text.
pub(crate) fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => {
            let _ = write!(text, "{value}");
        }
        Value::Int(value) => {
            let _ = write!(text, "{value}");
        }
        Value::Float(value) if value.is_nan() => text.push_str("\"NaN\""),
        Value::Float(value) if value.is_infinite() => {
            text.push_str(if *value > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" });
        }
        Value::Float(value) => {
            let _ = write!(text, "{value:?}");
        }
        Value::Text(value) => write_text(value, text),
        Value::List(items) => {
            text.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write_value(item, text);
            }
            text.push(']');
        }
        Value::Record(record) => {
            text.push('{');
            for (i, (name, value)) in record.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write_text(name, text);
                text.push(':');
                write_value(value, text);
            }
            text.push('}');
        }
    }
}

pub(crate) fn write_text(value: &str, text: &mut String) {
    // (Text is always JSON.)
    text.push_str(&serde_json::to_string(value).unwrap_or_default());
}
