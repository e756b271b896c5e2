//! What a derivation remembers: arguments of calls, answers, tags.

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// Values by name, as they were captured from calls and their answers.
#[derive(Clone, Default)]
pub struct Captured {
    /// Mostly there are none: then it is as small as can be.
    values: Option<Arc<Vec<(&'static str, Value)>>>,
}

#[derive(Clone)]
struct Value {
    value: Arc<dyn Any + Send + Sync>,
    /// What it is compared by.
    shown: String,
}

impl Captured {
    /// The value of a name, if there is one, and it has this type.
    pub fn get<T: 'static>(&self, name: &str) -> Option<&T> {
        let (_, value) = self.iter().find(|(known, _)| *known == name)?;
        value.value.downcast_ref()
    }

    /// The tag of a [tagged choice](super::tagged).
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.get::<String>(name).map(String::as_str)
    }

    pub(super) fn set<T: Debug + Send + Sync + 'static>(&mut self, name: &'static str, value: T) {
        let shown = format!("{value:?}");
        let value = Value { value: Arc::new(value), shown };
        let values = Arc::make_mut(self.values.get_or_insert_default());
        match values.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => values.push((name, value)),
        }
    }

    fn iter(&self) -> std::slice::Iter<'_, (&'static str, Value)> {
        self.values.as_ref().map_or(&[] as &[_], |values| values.as_slice()).iter()
    }
}

impl PartialEq for Captured {
    fn eq(&self, other: &Captured) -> bool {
        let same = |(name, value): &(&str, Value)| {
            other.iter().any(|(known, other)| known == name && other.shown == value.shown)
        };
        self.iter().len() == other.iter().len() && self.iter().all(same)
    }
}

impl Debug for Captured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(name, value)| (name, &value.shown))).finish()
    }
}
