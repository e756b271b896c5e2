//! What is done when somebody interrupts the program: what was found so far is told, then it ends. Systems that it has started end with it.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Tells what was found so far; the exit code. Nothing if it is being told already, and the program ends by itself.
type Tell = Box<dyn FnOnce(&str) -> Option<u8> + Send>;

/// What is to be told if it is interrupted now.
static TELL: Mutex<Option<Tell>> = Mutex::new(None);

/// The signal that asked this program to come to an end by itself.
static ASKED: OnceLock<&'static str> = OnceLock::new();

/// As long as this is there, an interrupted program tells something before it ends.
#[must_use]
pub(crate) struct Interrupted;

impl Interrupted {
    /// If the program is interrupted, `tell` is told by which signal, before it ends with the code that it returns.
    pub(crate) fn tells(tell: impl FnOnce(&str) -> Option<u8> + Send + 'static) -> Interrupted {
        await_signals();
        *TELL.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(tell));
        Interrupted
    }

    /// If the program is interrupted, [`asked`] says so, and it has a while to end by itself.
    pub(crate) fn asks() -> Interrupted {
        Interrupted::tells(|signal| {
            let names = ["SIGINT", "SIGTERM", "SIGHUP"];
            let name = names.into_iter().find(|name| *name == signal).unwrap_or("a signal");
            // (Only the first one counts.)
            let _ = ASKED.set(name);
            None
        })
    }
}

/// The signal by which the program was asked to end, if it was.
pub(crate) fn asked() -> Option<&'static str> {
    ASKED.get().copied()
}

impl Drop for Interrupted {
    fn drop(&mut self) {
        TELL.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

#[cfg(unix)]
fn await_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use std::time::Duration;
    /// How long it may take to tell what was found: whoever reads it may be slow, or not read at all.
    const TELLING_MAX: Duration = Duration::from_secs(3);
    static WAITING: OnceLock<()> = OnceLock::new();
    WAITING.get_or_init(|| {
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
        std::thread::spawn(move || {
            let mut is_ending = false;
            for signal in signals.forever() {
                // Somebody who asks a second time does not want to be told anything.
                if is_ending {
                    std::process::exit(128 + signal);
                }
                is_ending = true;
                std::thread::spawn(move || end(signal));
                std::thread::spawn(move || {
                    std::thread::sleep(TELLING_MAX);
                    std::process::exit(128 + signal);
                });
            }
        });
    });
}

/// Tells what was found and ends the program, unless it ends by itself.
#[cfg(unix)]
fn end(signal: i32) {
    let name = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
    // (Held until the end: what is told now is told by nobody else.)
    let mut tell = TELL.lock().unwrap_or_else(PoisonError::into_inner);
    let code = match tell.take() {
        Some(tell) => tell(name).map(i32::from),
        None => Some(128 + signal),
    };
    if let Some(code) = code {
        let _ = crate::output::failure();
        std::process::exit(code);
    }
}

#[cfg(not(unix))]
fn await_signals() {}
