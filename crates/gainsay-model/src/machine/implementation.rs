//! What is tested by a machine.

use gainsay_core::quietly;
use std::fmt;

/// Why an implementation does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// It panicked, died or said something that means nothing: a failure.
    Broken(String),
    /// It has not answered in time: a failure that says so.
    Late(String),
    /// It cannot be tested at all.
    Untestable(String),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Stopped::Broken(why) | Stopped::Late(why) | Stopped::Untestable(why)) = self;
        f.write_str(why)
    }
}

/// A reactive system that is tested.
pub trait Implementation<I, O> {
    /// Starts anew.
    ///
    /// # Errors
    /// If it cannot.
    fn reset(&mut self) -> Result<(), Stopped>;

    /// Gives it an input, and adds everything it answers before it waits for the next one.
    ///
    /// # Errors
    /// If it does not get there.
    fn step(&mut self, input: &I, outputs: &mut Vec<O>) -> Result<(), Stopped>;
}

/// A value of this process: `make` makes a new one, and `step` gives it an input and says what it answers.
pub fn implementation<T, I, O, A: IntoIterator<Item = O>>(
    make: impl FnMut() -> T,
    step: impl FnMut(&mut T, &I) -> A,
) -> impl Implementation<I, O> {
    InProcess { make, step, value: None }
}

struct InProcess<T, M, S> {
    make: M,
    step: S,
    value: Option<T>,
}

impl<T, I, O, A, M, S> Implementation<I, O> for InProcess<T, M, S>
where
    A: IntoIterator<Item = O>,
    M: FnMut() -> T,
    S: FnMut(&mut T, &I) -> A,
{
    fn reset(&mut self) -> Result<(), Stopped> {
        self.value = None;
        let make = &mut self.make;
        self.value = Some(quietly(make).map_err(|failure| Stopped::Broken(failure.message))?);
        Ok(())
    }

    #[inline]
    fn step(&mut self, input: &I, outputs: &mut Vec<O>) -> Result<(), Stopped> {
        let Some(value) = &mut self.value else { return Err(Stopped::Broken("it has not started".into())) };
        // (Whoever runs the test finds out if it panics, and this one is not used again.)
        outputs.extend((self.step)(value, input));
        Ok(())
    }
}
