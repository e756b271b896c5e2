//! Marks on threads, which those that they start have too, whatever they are called.
//!
//! A thread is born with the blocked signals of whoever starts it, and the kernel tells which they are. So some real-time signals, which
//! nobody sends, are blocked as a mark.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Of the 64 signals the last ones.
const SIGNALS: std::ops::RangeInclusive<i32> = 41..=64;

/// Their bits as the kernel tells them: the first signal has the lowest.
const BITS: u64 = u64::MAX << 40;

/// What tells some threads from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(u64);

/// The marks that are in use.
static IN_USE: Mutex<Option<HashSet<u64>>> = Mutex::new(None);

fn in_use() -> MutexGuard<'static, Option<HashSet<u64>>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the kernel says of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marked {
    Yes,
    No,
    /// It has the mark of somebody else, who needs it still.
    Elsewhere,
    /// It may be so young that all signals are blocked still.
    Unknown,
}

impl Mark {
    /// One that nobody has.
    pub(crate) fn new() -> Mark {
        static MARKS: AtomicU64 = AtomicU64::new(0);
        // Neither none of the bits nor all.
        let mark = Mark((MARKS.fetch_add(1, Ordering::Relaxed) % ((1 << 24) - 2) + 1) << 40);
        in_use().get_or_insert_default().insert(mark.0);
        mark
    }

    /// Nobody needs it any more. Threads that have it still may serve others, as those of a global pool do.
    pub(crate) fn give_back(self) {
        in_use().get_or_insert_default().remove(&self.0);
    }

    /// Marks this thread.
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "no crate that we know offers these signals without it")]
    pub(crate) fn put(self) {
        // SAFETY: the set is a plain value that is made empty before it is used, and the signals exist (`put_is_seen` tests it). Blocking
        // signals of this thread that nobody sends changes nothing else.
        unsafe {
            let mut mine: libc::sigset_t = std::mem::zeroed();
            let mut others: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut mine);
            libc::sigemptyset(&mut others);
            for signal in SIGNALS {
                let set = if self.0 >> (signal - 1) & 1 == 1 { &mut mine } else { &mut others };
                libc::sigaddset(set, signal);
            }
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &others, std::ptr::null_mut());
            libc::pthread_sigmask(libc::SIG_BLOCK, &mine, std::ptr::null_mut());
        }
    }

    /// Nobody could read it here.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn put(self) {}

    /// Whether a thread has this mark or one that nobody needs any more, by its `status`.
    pub(crate) fn is_on(self, status: &str) -> Marked {
        let line = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
        match line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).map(|bits| bits & BITS) {
            Some(bits) if bits == self.0 => Marked::Yes,
            Some(BITS) => Marked::Unknown,
            None | Some(0) => Marked::No,
            Some(bits) if in_use().as_ref().is_some_and(|marks| marks.contains(&bits)) => Marked::Elsewhere,
            Some(_) => Marked::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn own() -> String {
        std::fs::read_to_string("/proc/thread-self/status").unwrap()
    }

    #[test]
    fn put_is_seen_on_threads_that_it_starts() {
        let (mark, other) = (Mark::new(), Mark::new());
        assert_eq!(mark.is_on(&own()), Marked::No);
        thread::spawn(move || {
            other.put();
            mark.put();
            let named = thread::Builder::new().name("named".into());
            let status = named.spawn(|| thread::spawn(own).join().unwrap()).unwrap().join().unwrap();
            assert_eq!(mark.is_on(&status), Marked::Yes);
            assert_eq!(other.is_on(&status), Marked::Elsewhere);
            mark.give_back();
            assert_eq!(other.is_on(&status), Marked::Yes);
        })
        .join()
        .unwrap();
        assert_eq!(mark.is_on("SigBlk:\tfffffffffffbfeff"), Marked::Unknown);
    }
}
