//! Questions about formulas alone: is there a stream at all, does every stream satisfy it, are two of them the same?

use crate::atom::{self, letters};
use crate::automaton::START;
use crate::formula::Formula;
use crate::paths::Paths;
use gainsay_core::{Case, Error};

impl<E: Clone> Formula<E> {
    /// A shortest stream that satisfies it; nothing if it contradicts itself. Decided for all streams, however long.
    ///
    /// # Errors
    /// If it has a bound of time, or too many states, or if nobody says which elements make its atoms true or false.
    pub fn satisfied_by(&self) -> Result<Option<Vec<E>>, Error> {
        if self.shape.is_timed() {
            return Err(Error::specification(format!(
                "{self} has a bound of time, and only formulas with bounds of elements are decided"
            )));
        }
        let mut paths = Paths::new(&self.shape, self.atoms.len(), letters(&self.atoms))
            .map_err(|_| Error::specification(format!("{self} has too many states to be decided")))?;
        // (A shortest way passes no state twice.)
        let most = paths.states();
        let Some(length) = paths.nearest(0, most) else { return Ok(None) };
        let mut case = Case::random(0, 0);
        let (mut stream, mut state) = (Vec::with_capacity(length), START);
        let mut context = atom::Context::new(&self.atoms);
        for left in (0..length).rev() {
            let (letter, to) = paths.ways(state, left)[0];
            state = to;
            let element = atom::draw(&self.atoms, letter, &context, None, &mut case).map_err(|why| {
                Error::specification(format!("no element {} was found for {self}: {why}", stream.len()))
            })?;
            context.see(&self.atoms, &element);
            stream.push(element);
        }
        Ok(Some(stream))
    }

    /// A shortest stream that breaks it; nothing if every stream satisfies it.
    ///
    /// # Errors
    /// As [`satisfied_by`](Formula::satisfied_by).
    pub fn broken_by(&self) -> Result<Option<Vec<E>>, Error> {
        (!self.clone()).satisfied_by()
    }

    /// A shortest stream that satisfies only one of two formulas; nothing if they mean the same.
    ///
    /// # Errors
    /// As [`satisfied_by`](Formula::satisfied_by).
    pub fn told_apart(&self, other: &Formula<E>) -> Result<Option<Vec<E>>, Error> {
        self.clone().iff(other.clone()).broken_by()
    }
}
