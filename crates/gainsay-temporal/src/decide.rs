//! Questions about formulas alone: is there a stream at all, does every stream satisfy it, are two of them the same?

use crate::atom::{self, letters};
use crate::automaton::{Automaton, START};
use crate::formula::Formula;
use crate::owed::TooMany;
use crate::shortest::shortest;
use crate::tableau::BRANCHES_MAX;
use gainsay_core::{Case, Error};

impl<E: Clone> Formula<E> {
    /// A shortest stream that satisfies it; nothing if it contradicts itself. Decided for all streams that end, however long.
    ///
    /// # Errors
    /// If it has a bound of time, or too many atoms; if it takes more than [`BRANCHES_MAX`] steps to decide; or if nobody says which elements
    /// make its atoms true or false.
    pub fn satisfied_by(&self) -> Result<Option<Vec<E>>, Error> {
        self.must_be_decidable()?;
        let word = shortest(&self.shape, self.atoms.len(), letters(&self.atoms));
        let Some(word) = word.map_err(|TooMany| self.undecided())? else { return Ok(None) };
        let mut case = Case::random(0, 0);
        let mut stream = Vec::with_capacity(word.len());
        let mut context = atom::Context::new(&self.atoms);
        for letter in word {
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

    /// Whether some stream without end satisfies it.
    ///
    /// ```
    /// use gainsay_temporal::{bits, parse};
    ///
    /// let recurs = parse("G (a & X F b)", &bits())?;
    /// assert!(recurs.is_satisfiable()?);
    /// assert!(!(recurs & parse("F G !b", &bits())?).is_satisfiable()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it has a bound of time, or too many atoms; or if it takes more than [`BRANCHES_MAX`] steps to decide.
    pub fn is_satisfiable(&self) -> Result<bool, Error> {
        self.must_be_decidable()?;
        let mut automaton = Automaton::new(&self.shape, self.atoms.len(), letters(&self.atoms));
        automaton.can_hold(START).map_err(|TooMany| self.undecided())
    }

    /// Whether two formulas say the same of every stream without end. (Of streams that end, [`told_apart`](Formula::told_apart) knows it.)
    ///
    /// # Errors
    /// As [`is_satisfiable`](Formula::is_satisfiable).
    pub fn is_equivalent(&self, other: &Formula<E>) -> Result<bool, Error> {
        let differ = !self.clone().iff(other.clone());
        differ.is_satisfiable().map(|differ| !differ)
    }

    fn must_be_decidable(&self) -> Result<(), Error> {
        self.must_be_clear()?;
        if self.shape.is_timed() {
            return Err(Error::specification(format!(
                "{self} has a bound of time, and only formulas with bounds of elements are decided"
            )));
        }
        Ok(())
    }

    fn undecided(&self) -> Error {
        Error::specification(format!(
            "{self} takes more than {BRANCHES_MAX} steps to decide (`BRANCHES_MAX`): ask about a part of it"
        ))
    }
}
