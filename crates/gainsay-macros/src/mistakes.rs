//! Mistakes in what a macro was given, collected so that all of them are shown at once.

use syn::Error;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(Option<Error>);

impl Mistakes {
    /// Adds a mistake.
    pub(crate) fn add(&mut self, mistake: Error) {
        match &mut self.0 {
            Some(first) => first.combine(mistake),
            None => self.0 = Some(mistake),
        }
    }

    /// The value, unless it is a mistake: that is added.
    pub(crate) fn sift<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|mistake| self.add(mistake)).ok()
    }

    /// Whether none was found so far.
    pub(crate) fn are_none(&self) -> bool {
        self.0.is_none()
    }

    /// The value, if no mistake was made on the way to it.
    pub(crate) fn or<T>(self, value: T) -> Result<T, Error> {
        self.0.map_or(Ok(value), Err)
    }
}
