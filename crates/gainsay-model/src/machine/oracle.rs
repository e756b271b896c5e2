//! For those who learn a machine by asking: is the hypothesis right?

use super::Table;
use super::suite::{Method, Suite};
use super::tree::{ROOT, Tree};
use gainsay_core::{Error, plural};

/// Answers questions about a hypothesis by asking the system, and never the same thing twice: what it has answered is kept.
///
/// ```
/// use gainsay_model::machine::{Method, Oracle, Table};
///
/// // It answers 1 every third time; the hypothesis is that it never does.
/// let mut system = |inputs: &[u32]| (1..=inputs.len()).map(|count| u32::from(count % 3 == 0)).collect::<Vec<u32>>();
/// let mut hypothesis = Table::new(1, 1);
/// hypothesis.set(0, 0, 0, 0);
/// let mut oracle = Oracle::new();
/// assert_eq!(oracle.difference(&hypothesis, Method::H, 2, &mut system)?, Some(vec![0, 0, 0]));
/// # Ok::<(), gainsay_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Oracle {
    /// What was put in.
    tree: Tree,
    /// What the last input was answered with, by place.
    answers: Vec<Option<u32>>,
    tests: usize,
    steps: usize,
}

impl Default for Oracle {
    fn default() -> Oracle {
        Oracle::new()
    }
}

impl Oracle {
    /// One that has asked nothing yet.
    pub fn new() -> Oracle {
        Oracle { tree: Tree::new(0), answers: vec![None], tests: 0, steps: 0 }
    }

    /// How often the system was asked, and with how many inputs in all.
    pub fn asked(&self) -> (usize, usize) {
        (self.tests, self.steps)
    }

    /// The shortest inputs of a complete suite to which the system answers otherwise than the hypothesis: if there are none, it is right,
    /// provided that the system has at most `extra` states more, answers alike whenever it is asked alike, and starts anew each time.
    /// `ask` gives inputs to the system, from its start, and says what each was answered with.
    ///
    /// # Errors
    /// If there is no such suite (the hypothesis must be minimal), or if the system has answered the same inputs in two ways.
    pub fn difference(
        &mut self,
        hypothesis: &Table,
        method: Method,
        extra: usize,
        ask: &mut dyn FnMut(&[u32]) -> Vec<u32>,
    ) -> Result<Option<Vec<u32>>, Error> {
        let suite = Suite::complete(hypothesis, method, extra)?;
        let mut inputs = Vec::new();
        for number in 0..suite.tests() {
            suite.read(number, &mut inputs);
            let answers = self.answers(&inputs, ask)?;
            let mut state = 0;
            for (place, (input, answer)) in inputs.iter().zip(answers).enumerate() {
                match hypothesis.step(state, *input) {
                    Some((next, expected)) if expected == answer => state = next,
                    Some(_) => return Ok(Some(inputs[..=place].to_vec())),
                    None => break,
                }
            }
        }
        Ok(None)
    }

    /// What the system answers to inputs, asked only if that is not known.
    ///
    /// # Errors
    /// If it has answered the beginning of these inputs otherwise before, or not all of them.
    pub fn answers(
        &mut self,
        inputs: &[u32],
        ask: &mut dyn FnMut(&[u32]) -> Vec<u32>,
    ) -> Result<Vec<u32>, Error> {
        let places: Vec<usize> = inputs
            .iter()
            .scan(ROOT, |node, input| {
                *node = self.tree.child(*node, *input);
                Some(*node as usize)
            })
            .collect();
        let most = places.iter().max().map_or(0, |place| place + 1);
        self.answers.resize(self.answers.len().max(most), None);
        if let Some(known) = places.iter().map(|place| self.answers[*place]).collect() {
            return Ok(known);
        }
        let answers = ask(inputs);
        (self.tests, self.steps) = (self.tests + 1, self.steps + inputs.len());
        if answers.len() != inputs.len() {
            return Err(Error::specification(format!(
                "{} got {}: there must be one for each",
                plural(inputs.len() as u64, "input"),
                plural(answers.len() as u64, "answer")
            )));
        }
        for (length, (place, answer)) in places.iter().zip(&answers).enumerate() {
            let known = self.answers[*place].get_or_insert(*answer);
            if known != answer {
                return Err(Error::specification(format!(
                    "the last of the inputs {:?} was answered with {known} before, and with {answer} now: the system is not \
                     deterministic, or does not start anew",
                    &inputs[..=length]
                )));
            }
        }
        Ok(answers)
    }
}
