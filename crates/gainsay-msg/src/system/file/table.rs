//! Tables of a system file, with the places of what is in them.

use crate::diagnostic::{Diagnostic, Span};
use crate::names::nearest;
use crate::value::Value;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table.
#[derive(Clone)]
pub(super) struct Table<'t> {
    table: &'t DeTable<'t>,
    pub(super) span: Span,
}

/// A value in a table.
#[derive(Clone, Copy)]
pub(super) struct Entry<'t> {
    value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Table<'t> {
    pub(super) fn new(table: &'t DeTable<'t>, span: Span) -> Table<'t> {
        Table { table, span }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&'t str, Entry<'t>)> {
        self.table.iter().map(|(key, value)| (key.get_ref().as_ref(), Entry { value }))
    }

    fn get(&self, key: &str) -> Option<Entry<'t>> {
        self.entries().find(|(name, _)| *name == key).map(|(_, entry)| entry)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Where a value is written, or the table, if it is not.
    pub(super) fn span_of(&self, key: &str) -> Span {
        self.get(key).map_or(self.span.clone(), |entry| entry.span())
    }

    /// Tells keys that mean nothing.
    pub(super) fn check_keys(&self, known: &[&str], what: &str, troubles: &mut Vec<Diagnostic>) {
        for (key, _) in self.table.iter() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let trouble = Diagnostic::error(key.span(), format!("`{name}` is no {what}"));
            troubles.push(match nearest(name, known.iter().copied()) {
                Some(near) => trouble.help(format!("is it `{near}`?")),
                None => trouble.help(format!("there are {}", known.join(", "))),
            });
        }
    }

    fn wanted<T>(
        &self,
        key: &str,
        what: &str,
        take: impl Fn(Entry<'t>) -> Option<T>,
        troubles: &mut Vec<Diagnostic>,
    ) -> Option<T> {
        let entry = self.get(key)?;
        let taken = take(entry);
        if taken.is_none() {
            troubles.push(Diagnostic::error(entry.span(), format!("`{key}` must be {what}")));
        }
        taken
    }

    pub(super) fn table(&self, key: &str, troubles: &mut Vec<Diagnostic>) -> Option<Table<'t>> {
        self.wanted(key, "a table", |entry| entry.table(), troubles)
    }

    pub(super) fn text(&self, key: &str, troubles: &mut Vec<Diagnostic>) -> Option<String> {
        self.wanted(key, "text", |entry| entry.text().map(str::to_string), troubles)
    }

    pub(super) fn flag(&self, key: &str, troubles: &mut Vec<Diagnostic>) -> Option<bool> {
        self.wanted(key, "true or false", |entry| entry.value.get_ref().as_bool(), troubles)
    }

    pub(super) fn number(&self, key: &str, troubles: &mut Vec<Diagnostic>) -> Option<f64> {
        self.wanted(key, "a number", Entry::number, troubles)
    }

    pub(super) fn whole(&self, key: &str, troubles: &mut Vec<Diagnostic>) -> Option<u64> {
        let whole = |entry: Entry<'t>| match entry.value() {
            Value::Int(value) => u64::try_from(value).ok(),
            _ => None,
        };
        self.wanted(key, "a whole number", whole, troubles)
    }

    /// Texts, or one text.
    pub(super) fn texts(&self, key: &str, troubles: &mut Vec<Diagnostic>) -> Option<Vec<String>> {
        let texts = |entry: Entry<'t>| match entry.value() {
            Value::Text(text) => Some(vec![text.into_string()]),
            Value::List(items) => items
                .into_iter()
                .map(|item| match item {
                    Value::Text(text) => Some(text.into_string()),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        self.wanted(key, "a list of texts", texts, troubles)
    }

    pub(super) fn one_of(&self, key: &str, words: &[&str], troubles: &mut Vec<Diagnostic>) -> Option<String> {
        let text = self.text(key, troubles)?;
        if words.contains(&text.as_str()) {
            return Some(text);
        }
        let trouble = Diagnostic::error(self.span_of(key), format!("`{text}` is no `{key}`"));
        let all: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        troubles.push(match nearest(&text, words.iter().copied()) {
            Some(near) => trouble.help(format!("is it `{near}`?")),
            None => trouble.help(format!("it is one of {}", all.join(", "))),
        });
        None
    }

    /// Everything in it, as values.
    pub(super) fn values(&self) -> BTreeMap<String, Value> {
        self.entries().map(|(key, entry)| (key.to_string(), entry.value())).collect()
    }
}

impl<'t> Entry<'t> {
    pub(super) fn span(&self) -> Span {
        self.value.span()
    }

    pub(super) fn text(&self) -> Option<&'t str> {
        self.value.get_ref().as_str()
    }

    pub(super) fn table(&self) -> Option<Table<'t>> {
        self.value.get_ref().as_table().map(|table| Table { table, span: self.value.span() })
    }

    fn number(self) -> Option<f64> {
        match self.value() {
            Value::Int(value) => Some(value as f64),
            Value::Float(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        let array = self.value.get_ref().as_array()?;
        array.iter().map(|value| Entry { value }.number()).collect()
    }

    /// As a value of a message.
    pub(super) fn value(&self) -> Value {
        value_of(self.value.get_ref())
    }
}

fn value_of(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.as_ref().into()),
        DeValue::Integer(integer) => {
            let parsed = i128::from_str_radix(integer.as_str(), integer.radix());
            parsed.map(Value::Int).unwrap_or(Value::Null)
        }
        DeValue::Float(float) => float.as_str().parse().map(Value::Float).unwrap_or(Value::Null),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(time) => Value::Text(time.to_string().into()),
        DeValue::Array(items) => Value::List(items.iter().map(|item| value_of(item.get_ref())).collect()),
        DeValue::Table(table) => {
            let fields = table.iter().map(|(key, value)| (key.get_ref().as_ref(), value_of(value.get_ref())));
            Value::Record(fields.collect())
        }
    }
}
