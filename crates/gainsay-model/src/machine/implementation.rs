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

    /// What must be so for its answers to be all its answers; nothing, if it says itself when they are.
    fn assumption(&self) -> Option<String> {
        None
    }
}

impl<I, O, T: Implementation<I, O> + ?Sized> Implementation<I, O> for Box<T> {
    fn reset(&mut self) -> Result<(), Stopped> {
        (**self).reset()
    }

    fn step(&mut self, input: &I, outputs: &mut Vec<O>) -> Result<(), Stopped> {
        (**self).step(input, outputs)
    }

    fn assumption(&self) -> Option<String> {
        (**self).assumption()
    }
}

/// A value of this process: `make` makes a new one, and `step` gives it an input and says what it answers.
pub fn implementation<T, I, O, A: IntoIterator<Item = O>>(
    make: impl FnMut() -> T,
    step: impl FnMut(&mut T, &I) -> A,
) -> impl Implementation<I, O> {
    InProcess { make, step, value: None }
}

/// A value of this process that answers when it likes: `give` gives it an input, and `next` says what it gives next, and nothing when
/// nothing comes any more before the next input. Whoever has a clock lets it run there until nobody waits for it: so time is
/// virtual.
pub fn polled<T, I, O>(
    make: impl FnMut() -> T,
    mut give: impl FnMut(&mut T, &I),
    mut next: impl FnMut(&mut T) -> Option<O>,
) -> impl Implementation<I, O> {
    Checked(implementation(make, move |value: &mut T, input: &I| {
        give(value, input);
        std::iter::from_fn(|| next(value)).take(OUTPUTS_MAX + 1).collect::<Vec<O>>()
    }))
}

/// So many outputs may come of an input.
const OUTPUTS_MAX: usize = 10_000;

/// An implementation that may go on without end.
struct Checked<T>(T);

impl<I, O, T: Implementation<I, O>> Implementation<I, O> for Checked<T> {
    fn reset(&mut self) -> Result<(), Stopped> {
        self.0.reset()
    }

    fn step(&mut self, input: &I, outputs: &mut Vec<O>) -> Result<(), Stopped> {
        self.0.step(input, outputs)?;
        if outputs.len() <= OUTPUTS_MAX {
            return Ok(());
        }
        outputs.truncate(10);
        Err(Stopped::Broken(format!("more than {OUTPUTS_MAX} outputs came of one input")))
    }
}

/// An implementation whose inputs and outputs are others than those of the specification: a program that is told text, for example.
/// Outputs that mean nothing are a failure.
pub fn translated<I, O, J, P>(
    implementation: impl Implementation<J, P>,
    to: impl FnMut(&I) -> J,
    from: impl FnMut(P) -> Result<O, String>,
) -> impl Implementation<I, O> {
    Translated { implementation, to, from, outputs: Vec::new() }
}

struct Translated<T, P, A, B> {
    implementation: T,
    to: A,
    from: B,
    outputs: Vec<P>,
}

impl<I, O, J, P, T, A, B> Implementation<I, O> for Translated<T, P, A, B>
where
    T: Implementation<J, P>,
    A: FnMut(&I) -> J,
    B: FnMut(P) -> Result<O, String>,
{
    fn reset(&mut self) -> Result<(), Stopped> {
        self.implementation.reset()
    }

    fn step(&mut self, input: &I, outputs: &mut Vec<O>) -> Result<(), Stopped> {
        self.outputs.clear();
        self.implementation.step(&(self.to)(input), &mut self.outputs)?;
        for output in self.outputs.drain(..) {
            outputs.push((self.from)(output).map_err(Stopped::Broken)?);
        }
        Ok(())
    }

    fn assumption(&self) -> Option<String> {
        self.implementation.assumption()
    }
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
