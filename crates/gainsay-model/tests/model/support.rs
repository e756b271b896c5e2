//! What the tests share.

use gainsay_core::{Settings, settings};

/// A run that leaves nothing behind.
pub(crate) fn seeded(seed: u64) -> Settings {
    settings().seed(seed).without_corpus()
}

#[track_caller]
pub(crate) fn assert_contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is missing in:\n{text}");
}
