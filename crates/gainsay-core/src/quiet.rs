//! Panics of the code under test: caught, silent, and remembered.

use crate::case::{Case, End, Endless};
use crate::outcome::{Failure, Outcome, Status};
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// The panics of the case at work, the last ones.
    static PANICS: RefCell<Vec<Panic>> = const { RefCell::new(Vec::new()) };
    /// The hook was called for [`hook_is_ours`].
    static PROBED: Cell<Probe> = const { Cell::new(Probe::Off) };
}

#[derive(Clone, Copy, PartialEq)]
enum Probe {
    Off,
    Asked,
    Answered,
}

struct Panic {
    place: String,
    message: String,
}

/// Installs the panic hook, once: it keeps quiet about threads inside a case and passes everything else on.
pub(crate) fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if PROBED.get() == Probe::Asked {
                return PROBED.set(Probe::Answered);
            }
            if !INSIDE.get() {
                return previous(info);
            }
            let place = info.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
            let message = info
                .payload()
                .downcast_ref::<&str>()
                .map(|text| (*text).to_string())
                .or_else(|| info.payload().downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "a panic without a message".to_string());
            let panic = Panic { place, message };
            if ABORTING.contains(&panic.message.as_str()) {
                // The process ends here: nobody else will tell what led to it.
                let led = PANICS.take();
                for Panic { place, message } in led.into_iter().chain([panic]) {
                    let _ = writeln!(std::io::stderr(), "panicked at {place}: {message}");
                }
                return;
            }
            PANICS.with_borrow_mut(|panics| {
                if panics.len() == PANICS_MAX {
                    panics.remove(0);
                }
                panics.push(panic);
            });
        }));
    });
}

/// How many panics of a case are remembered.
const PANICS_MAX: usize = 8;

/// What the standard library says when a panic cannot unwind and the process is aborted.
const ABORTING: [&str; 2] =
    ["panic in a function that cannot unwind", "panic in a destructor during cleanup"];

/// Whether the panic hook is the one that [`install_hook`] has installed: the code under test may have set another one, and that one
/// need not print what a panic says.
pub(crate) fn hook_is_ours() -> bool {
    PROBED.set(Probe::Asked);
    let _ = catch_unwind(|| std::panic::panic_any(()));
    PROBED.replace(Probe::Off) == Probe::Answered
}

/// Runs the property on the case; a panic is a failure. [`install_hook`] must have been called.
#[inline]
pub(crate) fn run(property: &mut dyn FnMut(&mut Case) -> Outcome, case: &mut Case) -> Outcome {
    let before = INSIDE.replace(true);
    PANICS.with_borrow_mut(Vec::clear);
    let result = catch_unwind(AssertUnwindSafe(|| property(case)));
    INSIDE.set(before);
    match (result, case.end()) {
        (Ok(outcome), End::Live) if outcome.status != Status::Failed => outcome,
        (Ok(outcome), End::Live) => case.excused(outcome),
        (Err(payload), End::Live) => case.excused(Outcome::failed(failure(payload))),
        (_, End::Rejected) => Outcome::of(Status::Rejected),
        (_, End::Overrun) => Outcome::of(Status::Overrun),
        (_, End::Dead) => Outcome::of(Status::Unjudged),
    }
}

/// Runs something for a case on another thread than its own: a panic is a failure there too, and as quiet.
///
/// # Errors
/// The panic.
#[doc(hidden)]
pub fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, Failure> {
    install_hook();
    let before = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    INSIDE.set(before);
    result.map_err(failure)
}

/// The failure that a panic is, which was caught on a thread inside a case.
#[doc(hidden)]
pub fn failure_of(payload: Box<dyn std::any::Any + Send>) -> Failure {
    failure(payload)
}

#[cold]
fn failure(payload: Box<dyn std::any::Any + Send>) -> Failure {
    let panic = PANICS.with_borrow_mut(Vec::pop);
    let payload = match payload.downcast::<Failure>() {
        Ok(failure) => return *failure,
        Err(payload) => payload,
    };
    debug_assert!(!payload.is::<Endless>(), "an endless generator is an overrun");
    // A panic that the property caught is not the one that ended it.
    let said = payload.downcast_ref::<&str>().map(|text| (*text).to_string());
    let said = said.or_else(|| payload.downcast_ref::<String>().cloned());
    let panic = panic.filter(|panic| said.as_ref().is_none_or(|said| *said == panic.message));
    match panic {
        Some(Panic { place, message }) => {
            let mut failure = Failure::new(&format!("panic at {place}"), message);
            failure.message = format!("panicked at {place}: {}", failure.message);
            failure
        }
        // `resume_unwind` calls no hook, and the code under test may have replaced ours.
        None => Failure::new(
            "panic",
            said.map_or("a panic was resumed".to_string(), |text| format!("panicked: {text}")),
        ),
    }
}
