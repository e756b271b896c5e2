//! What happened in a test so far. Whoever fails once may answer rightly ever after: then only the test that failed can tell what it was.

use super::super::Stopped;
use std::fmt::Debug;

/// The inputs of a test with their answers, in memory that is used again from test to test.
pub(super) struct Story<I, O> {
    /// Each input, and how many outputs there were after it was answered.
    steps: Vec<(I, usize)>,
    outputs: Vec<O>,
    /// The last input was not answered.
    is_open: bool,
}

impl<I, O> Default for Story<I, O> {
    fn default() -> Story<I, O> {
        Story { steps: Vec::new(), outputs: Vec::new(), is_open: false }
    }
}

impl<I: Clone + Debug, O: Clone + Debug> Story<I, O> {
    /// A test begins.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.steps.clear();
        self.outputs.clear();
        self.is_open = false;
    }

    /// An input was given, and answered unless something stopped it.
    #[inline]
    pub(super) fn add(&mut self, input: &I, outputs: &[O], stopped: &Result<(), Stopped>) {
        self.outputs.extend_from_slice(outputs);
        self.steps.push((input.clone(), self.outputs.len()));
        self.is_open = stopped.is_err();
    }

    /// It as people read it, a line for each input.
    #[cold]
    pub(super) fn lines(&self) -> Vec<String> {
        (0..self.steps.len()).map(|number| self.line(number)).collect()
    }

    /// The last of these lines.
    #[cold]
    pub(super) fn last_line(&self) -> String {
        self.line(self.steps.len() - 1)
    }

    fn line(&self, number: usize) -> String {
        let begin = number.checked_sub(1).map_or(0, |before| self.steps[before].1);
        let (input, end) = &self.steps[number];
        match self.is_open && number + 1 == self.steps.len() {
            true => format!("{input:?}"),
            false => format!("{input:?} → {:?}", &self.outputs[begin..*end]),
        }
    }
}
