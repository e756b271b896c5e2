//! What can be handed calls.

use crate::Rest;
use std::fmt;
use std::time::{Duration, Instant};

/// A thing to test, of which there can be many.
pub trait Subject<C, V> {
    /// Makes a new one. What it cannot make is the fault of what is tested ([`Made::Broken`]), or the end of testing.
    ///
    /// # Errors
    /// If it can never be made: no compiler, no such class.
    fn make(&mut self) -> Result<Made<Box<dyn Live<C, V> + '_>>, Trouble>;

    /// How many threads have been left for ever in calls that do not return.
    fn threads_left(&self) -> usize {
        0
    }
}

/// One that was made, or what went wrong when it was.
#[derive(Debug)]
pub enum Made<L> {
    /// It is there.
    Ready(L),
    /// Its constructor panicked, threw, or did not return.
    Broken(String),
}

/// One of them, alive.
pub trait Live<C, V> {
    /// Makes calls, together: each has a number of its own.
    ///
    /// # Errors
    /// If it cannot be called at all.
    fn start(&mut self, calls: &[(u32, C)]) -> Result<(), Trouble>;

    /// Waits until nothing moves any more, but no longer than it has patience.
    ///
    /// # Errors
    /// If it cannot be known.
    fn settle(&mut self, patience: Patience) -> Result<Settled<V>, Trouble>;

    /// Waits once more when everybody else in the process has had his turn, and takes nothing for granted that was seen before: somebody
    /// whom nobody watches may have held something up.
    ///
    /// # Errors
    /// If it cannot be known.
    fn reconsider(&mut self, patience: Patience) -> Result<Settled<V>, Trouble>;

    /// What has returned when all calls have, or the limit is met. Nobody asks what the others do.
    ///
    /// # Errors
    /// If it cannot be known.
    fn collect(&mut self, limit: Duration) -> Result<Vec<(u32, Returned<V>)>, Trouble>;

    /// How many threads it would leave behind for ever, if it were dropped now.
    fn busy(&self) -> usize;
}

/// How long to wait for a thing to come to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// While something runs.
    pub running: Duration,
    /// While all wait, some of them for a timer as well.
    pub timers: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { running: Duration::from_secs(10), timers: Duration::from_millis(100) }
    }
}

/// Somebody waits until a thing comes to rest.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) begun: Instant,
    /// Since when nothing was seen but waiting, some for a timer.
    timed: Option<Instant>,
    patience: Patience,
}

impl Waiting {
    pub(crate) fn new(patience: Patience) -> Waiting {
        Waiting { begun: Instant::now(), timed: None, patience }
    }

    /// What to take it for, if it need not be looked at any more: it rests, or time is over. (Whoever rests is of no use if there is
    /// news of calls that have returned.)
    pub(crate) fn end(&mut self, rest: Rest, news: bool) -> Option<Rest> {
        // Who looks again from time to time runs now and then.
        match rest {
            _ if news => self.timed = None,
            Rest::Asleep => return Some(rest),
            Rest::Timed => {
                if self.timed.get_or_insert_with(Instant::now).elapsed() >= self.patience.timers {
                    return Some(rest);
                }
            }
            Rest::Running => {}
        }
        (self.begun.elapsed() >= self.patience.running).then_some(rest.max(Rest::Timed))
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Returned<V> {
    /// It returned.
    Value(V),
    /// It panicked or threw.
    Threw(String),
    /// Its thread is gone.
    Died(String),
}

/// What there was to see before nothing moved any more.
#[derive(Debug)]
pub struct Settled<V> {
    /// The calls that have ended since the last time.
    pub returned: Vec<(u32, Returned<V>)>,
    /// Whether nothing moves any more: [`Rest::Running`] if the limit was met before.
    pub rest: Rest,
}

/// Why nothing can be tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    message: String,
}

impl Trouble {
    /// Something is wrong; say what, and what helps.
    pub fn new(message: impl Into<String>) -> Trouble {
        Trouble { message: message.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Trouble {}
