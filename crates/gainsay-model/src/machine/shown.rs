//! How names are shown to people.

use std::fmt::Debug;

/// A value as a name: a text without its quotes, and all else as it is debugged.
pub(super) fn shown(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.into(),
        None => text,
    }
}
