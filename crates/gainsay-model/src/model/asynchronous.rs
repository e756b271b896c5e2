//! Asynchronous operations, on an executor that knows when a call is blocked.

use super::{Live, Model, Operation};
use gainsay_core::{Case, Failure};
use std::fmt::Debug;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// How long a call is waited for that somebody may still wake.
const PATIENCE: Duration = Duration::from_secs(1);

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Adds an operation whose call is asynchronous; see [`operation`](Model::operation).
    ///
    /// The call is driven to its end on the thread of the test. A call that waits while nobody is left who could wake it is
    /// *blocked*, which is a failure, found at once. One that somebody could wake, but nobody does within a second, is a failure by
    /// timeout. To use a runtime of your own, add a plain operation whose call does `runtime.block_on(…)`.
    pub fn async_operation<A, T>(
        self,
        name: &str,
        arguments: impl Fn(&S, &mut Case) -> A + Send + Sync + 'static,
        call: impl AsyncFn(&mut Live<R>, &A) -> T + Send + Sync + 'static,
        describe: impl FnOnce(Operation<S, R, A, T>) -> Operation<S, R, A, T>,
    ) -> Model<S, R>
    where
        A: Clone + Debug + Send + Sync + 'static,
        T: Debug + Send + 'static,
    {
        let shown = name.to_string();
        let call = move |live: &mut Live<R>, arguments: &A| drive(call(live, arguments), &shown);
        self.operation(name, arguments, call, |operation| describe(operation).asynchronous())
    }
}

/// Remembers that somebody wants the future to be polled again.
#[derive(Default)]
struct Alarm {
    rung: AtomicBool,
    sleeping: Mutex<()>,
    bell: Condvar,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, SeqCst);
        // Whoever is about to sleep has seen it, or is woken.
        drop(self.sleeping.lock());
        self.bell.notify_all();
    }
}

/// Polls a future until it is done; a panic with a [`Failure`] if it never will be.
fn drive<T>(future: impl Future<Output = T>, name: &str) -> T {
    let alarm = Arc::new(Alarm::default());
    let waker = Waker::from(Arc::clone(&alarm));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        if !alarm.rung.swap(false, SeqCst) && !wait(&alarm) {
            // Besides us and our waker, somebody may hold another one.
            let blocked = Arc::strong_count(&alarm) <= 2;
            let message = if blocked {
                format!("`{name}` is blocked: it waits, and nobody is left who could wake it")
            } else {
                format!("`{name}` has not been woken within {PATIENCE:?} (by timeout)")
            };
            std::panic::panic_any(Failure::new("", message).with_signature(&format!("{name} blocks")));
        }
    }
}

/// Waits for the alarm; false if it cannot ring any more, or has not in time.
fn wait(alarm: &Arc<Alarm>) -> bool {
    const LOOK: Duration = Duration::from_millis(5);
    let mut left = PATIENCE;
    let Ok(mut asleep) = alarm.sleeping.lock() else { return false };
    loop {
        if alarm.rung.swap(false, SeqCst) {
            return true;
        }
        // Wakers are dropped without a word, so it is looked at again and again whether there are any.
        if Arc::strong_count(alarm) <= 2 || left.is_zero() {
            return false;
        }
        left = left.saturating_sub(LOOK);
        match alarm.bell.wait_timeout(asleep, LOOK) {
            Ok((guard, _)) => asleep = guard,
            Err(_) => return false,
        }
    }
}
