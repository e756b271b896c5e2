//! What a trace has shown, as features by which the search for others is led: which outputs came, in which order and how often, with values of
//! which kind, in answer to what, and how far the property was.

use crate::monitor::{Monitor, State};
use crate::system::System;
use crate::trace::Message;
use crate::value::Value;
use crate::worth::each_value;
use gainsay_core::Case;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Features of a run, one message after the other.
#[derive(Default)]
pub(super) struct Features {
    /// The last message of each output channel, by what it is like.
    last: FxHashMap<Arc<str>, u64>,
    /// How often a message like that came.
    counts: FxHashMap<u64, u32>,
    /// The last output.
    before: u64,
    /// The last input, and all that was answered to it.
    input: u64,
    answers: u64,
    found: Vec<u64>,
}

/// More messages of a run are not looked at.
const MESSAGES_MAX: usize = 400;

/// Numbers near to zero are told apart one by one.
const SMALL: f64 = 16.0;

fn hashed(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// 1, 2, 3, 4 to 7, 8 to 15 …
fn bucket(count: u32) -> u32 {
    if count < 4 { count } else { 2 + count.ilog2() }
}

/// How closely numbers are looked at.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    /// Where they are among those that are mentioned.
    Rough,
    /// And what they are, if they are small.
    Usual,
    /// And how near to the nearest that is mentioned.
    Close,
}

/// What a number is like.
fn like(number: f64, mentioned: &[f64], look: Look) -> (u64, i64, i64) {
    let place = mentioned.partition_point(|known| *known < number);
    let near = |place: usize| mentioned.get(place).map_or(f64::INFINITY, |known| (known - number).abs());
    let distance = near(place).min(near(place.wrapping_sub(1)));
    let is_mentioned = distance == 0.0;
    let distance = match look {
        _ if is_mentioned => i64::MIN,
        Look::Close => distance.log2().floor().clamp(-3.0, 64.0) as i64,
        _ => 0,
    };
    let is_small = number.abs() <= SMALL && look != Look::Rough;
    (place as u64, distance, if is_small { (number * 2.0).floor() as i64 } else { i64::MAX })
}

/// What a message is like.
fn kind(message: &Message, mentioned: &[f64], look: Look) -> u64 {
    let mut hasher = FxHasher::default();
    message.channel.hash(&mut hasher);
    each_value("", &message.value, &mut |name, value| {
        name.hash(&mut hasher);
        match value {
            Value::Bool(value) => value.hash(&mut hasher),
            Value::Int(int) => like(*int as f64, mentioned, look).hash(&mut hasher),
            Value::Float(float) => like(*float, mentioned, look).hash(&mut hasher),
            // (Of texts there are too many.)
            Value::Text(text) => text.is_empty().hash(&mut hasher),
            _ => {}
        }
    });
    hasher.finish()
}

/// How far a property is: whether a scope is open, and how much is owed or remembered in it.
fn progress(monitor: &Monitor) -> u64 {
    let scope = match monitor.state {
        State::Waiting => 0,
        State::Open { .. } => 1,
        State::Closed => 2,
    };
    3 * monitor.pool.messages().take(8).count() as u64 + scope
}

impl Features {
    /// Notes what a message shows, given how far the property is with it.
    pub(super) fn see(&mut self, system: &System, message: &Message, mentioned: &[f64], monitor: &Monitor) {
        if self.found.len() > 8 * MESSAGES_MAX {
            return;
        }
        if !system.is_output(&message.channel) {
            self.answered();
            self.input = kind(message, mentioned, Look::Rough);
            return;
        }
        let close = kind(message, mentioned, Look::Close);
        let kind = kind(message, mentioned, Look::Usual);
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let count = bucket(*count);
        self.last.insert(Arc::clone(&message.channel), kind);
        let state = self.state();
        self.found.extend([
            hashed(&(1, close)),
            hashed(&(2, kind, count)),
            hashed(&(3, self.before, kind)),
            hashed(&(4, state)),
            hashed(&(5, kind, progress(monitor))),
        ]);
        self.before = kind;
        self.answers = hashed(&(self.answers, kind));
    }

    /// What the system was like when it spoke last on each channel.
    fn state(&self) -> u64 {
        // (In whichever order they are kept.)
        self.last.values().fold(0u64, |sum, kind| sum.wrapping_add(hashed(kind)))
    }

    /// The last input has been answered: by all that came since, or by nothing.
    fn answered(&mut self) {
        if self.input != 0 {
            self.found.push(hashed(&(6, self.input, self.answers)));
            self.found.push(hashed(&(7, self.input, self.state())));
        }
        self.answers = 0;
    }

    /// Tells the engine.
    pub(super) fn tell(mut self, case: &mut Case) {
        self.answered();
        self.found.sort_unstable();
        self.found.dedup();
        self.found.into_iter().for_each(|feature| case.feature(feature));
    }
}
