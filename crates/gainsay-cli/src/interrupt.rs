//! What is done when somebody interrupts the program: what was found so far is told, then it ends. Systems that it has started end with it.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Tells what was found so far; the exit code. Nothing if it is being told already, and the program ends by itself.
type Tell = Box<dyn FnOnce(&str) -> Option<u8> + Send>;

/// What is to be told if it is interrupted now.
static TELL: Mutex<Option<Tell>> = Mutex::new(None);

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
}

impl Drop for Interrupted {
    fn drop(&mut self) {
        TELL.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

#[cfg(unix)]
fn await_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static WAITING: OnceLock<()> = OnceLock::new();
    WAITING.get_or_init(|| {
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
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
        });
    });
}

#[cfg(not(unix))]
fn await_signals() {}
