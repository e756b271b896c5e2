//! Virtual time, in whole nanoseconds since the start.

use std::ops::Add;
use std::time::Duration;

use serde_json::Value;

/// A point of virtual time, a day after the start at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time {
    nanos: u64,
}

const NANOS_PER_MS: u64 = 1_000_000;

impl Time {
    /// The start.
    pub(crate) const START: Self = Self { nanos: 0 };

    /// The latest time that is understood. A rover that drives speaks ten times a second, so there must be an end.
    const MS_MAX: f64 = 86_400_000.0;

    /// So many milliseconds after the start, rounded to nanoseconds; `None` before the start and after a day.
    pub(crate) fn from_ms(ms: f64) -> Option<Self> {
        let in_range = (0.0..=Self::MS_MAX).contains(&ms);
        in_range.then(|| Self { nanos: (ms * NANOS_PER_MS as f64).round() as u64 })
    }

    /// Milliseconds as a number in JSON, with a fraction only where there is one.
    pub(crate) fn to_json(self) -> Value {
        if self.nanos.is_multiple_of(NANOS_PER_MS) {
            Value::from(self.nanos / NANOS_PER_MS)
        } else {
            Value::from(self.nanos as f64 / NANOS_PER_MS as f64)
        }
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self { nanos: self.nanos + duration.as_nanos() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_is_written() {
        for ms in ["0", "7", "0.000125", "1999.999999", "86399999.999999", "86400000"] {
            let time = Time::from_ms(ms.parse().expect("a number")).expect("a time of the first day");
            assert_eq!(time.to_json().to_string(), ms);
        }
    }

    #[test]
    fn there_is_a_first_and_a_last_moment() {
        for ms in [-0.1, 86_400_000.1, f64::INFINITY, f64::NAN] {
            assert_eq!(Time::from_ms(ms), None);
        }
    }
}
