//! The button: a stream of presses without those that follow another too fast.

use crate::light::Press;
use futures_util::stream::{Stream, StreamExt, unfold};
use std::time::Duration;
use tokio::time::Instant;

/// Presses within this time after one that counted do not count.
pub const PAUSE: Duration = Duration::from_millis(500);

/// Presses that count.
pub fn debounced(presses: impl Stream<Item = Press> + Unpin) -> impl Stream<Item = Press> {
    passed(presses, |last, now| now.duration_since(last) > PAUSE)
}

/// The same, with a press that does not count making the next ones not count either: whoever hammers on it is never heard again.
pub fn offended(presses: impl Stream<Item = Press> + Unpin) -> impl Stream<Item = Press> {
    let mut last_at_all: Option<Instant> = None;
    passed(presses, move |_, now| {
        let last = last_at_all.replace(now);
        last.is_none_or(|last| now.duration_since(last) > PAUSE)
    })
}

fn passed(
    presses: impl Stream<Item = Press> + Unpin,
    counts: impl FnMut(Instant, Instant) -> bool,
) -> impl Stream<Item = Press> {
    unfold((presses, counts, None), |(mut presses, mut counts, last)| async move {
        loop {
            let press = presses.next().await?;
            let now = Instant::now();
            if last.is_none_or(|last| counts(last, now)) {
                return Some((press, (presses, counts, Some(now))));
            }
        }
    })
}
