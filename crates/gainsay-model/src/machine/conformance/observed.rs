//! What an implementation has answered, by the inputs before. Two answers to the same inputs, where the specification leaves no choice,
//! come of an implementation that is not deterministic, or does not start anew: nothing is proved of it.

use rustc_hash::FxHashMap;
use std::fmt::{self, Debug};
use std::hash::Hash;

/// So many answers are kept.
const ANSWERS_MAX: usize = 1 << 16;

/// Outputs, or why there are none.
type Answer<O> = Result<Vec<O>, String>;

/// Two answers to the same inputs, where the specification leaves no choice: see [`Conformance::parted`](super::Conformance::parted).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parted<I, O> {
    /// The inputs before, from the start on, which were answered alike.
    pub after: Vec<I>,
    /// The input that was answered in two ways.
    pub input: I,
    /// Its outputs the first time and another time, or why there were none.
    pub answers: [Result<Vec<O>, String>; 2],
}

impl<I: Debug, O: Debug> fmt::Display for Parted<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |answer: &Answer<O>| match answer {
            Ok(outputs) => format!("answered with {outputs:?}"),
            Err(why) => format!("not answered ({why})"),
        };
        let Parted { after, input, answers: [one, two] } = self;
        let after = if after.is_empty() { "at the start".into() } else { format!("after {after:?}") };
        write!(
            f,
            "the implementation is not deterministic, or does not start anew: {after}, {input:?} was {} once and {} another time",
            told(one),
            told(two)
        )
    }
}

/// A place in the tree of all inputs that were given.
type Node = u32;

const ROOT: Node = 0;

/// Answers in a tree of inputs.
pub(super) struct Observed<I, O> {
    /// Where inputs lead.
    next: FxHashMap<(Node, u32), Node>,
    /// From where, and by which input, a place is reached.
    before: Vec<(Node, u32)>,
    /// What that input was answered with.
    answers: Vec<Option<Answer<O>>>,
    numbers: FxHashMap<I, u32>,
    inputs: Vec<I>,
    /// Where the test is; nowhere, if that is not kept.
    at: Option<Node>,
    parted: Option<Parted<I, O>>,
}

impl<I, O> Default for Observed<I, O> {
    fn default() -> Observed<I, O> {
        Observed {
            next: FxHashMap::default(),
            before: vec![(ROOT, 0)],
            answers: vec![None],
            numbers: FxHashMap::default(),
            inputs: Vec::new(),
            at: None,
            parted: None,
        }
    }
}

impl<I: Clone + Eq + Hash + Debug, O: Clone + PartialEq + Debug> Observed<I, O> {
    /// A test begins.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.at = Some(ROOT);
    }

    /// From here on the implementation may choose: what it answers is no longer looked at.
    #[inline]
    pub(super) fn end(&mut self) {
        self.at = None;
    }

    /// An input was answered.
    #[inline]
    pub(super) fn see(&mut self, input: &I, outputs: &[O]) {
        let Some(node) = self.at else { return };
        self.at = self.next(node, input);
        let Some(at) = self.at else { return };
        match &self.answers[at as usize] {
            Some(Ok(known)) if known.as_slice() == outputs => {}
            _ => self.keep(at, Ok(outputs.to_vec())),
        }
    }

    /// An input was not answered.
    pub(super) fn see_none(&mut self, input: &I, why: &str) {
        if let Some(at) = self.at.take().and_then(|node| self.next(node, input)) {
            self.keep(at, Err(why.to_string()));
        }
    }

    /// Where the same inputs were answered in two ways.
    pub(super) fn parted(&self) -> Option<&Parted<I, O>> {
        self.parted.as_ref()
    }

    fn next(&mut self, node: Node, input: &I) -> Option<Node> {
        let number = match self.numbers.get(input) {
            Some(number) => *number,
            None => {
                let number = self.inputs.len() as u32;
                self.inputs.push(input.clone());
                self.numbers.insert(input.clone(), number);
                number
            }
        };
        let found = self.next.get(&(node, number)).copied();
        if found.is_some() || self.answers.len() == ANSWERS_MAX {
            return found;
        }
        let new = self.answers.len() as Node;
        self.next.insert((node, number), new);
        self.before.push((node, number));
        self.answers.push(None);
        Some(new)
    }

    #[cold]
    fn keep(&mut self, at: Node, answer: Answer<O>) {
        let known = self.answers[at as usize].get_or_insert_with(|| answer.clone());
        let is_same = match (&*known, &answer) {
            (Ok(known), Ok(outputs)) => known == outputs,
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if is_same || self.parted.is_some() {
            return;
        }
        let answers = [known.clone(), answer];
        let (mut inputs, mut place) = (Vec::new(), at);
        while place != ROOT {
            let (before, number) = self.before[place as usize];
            inputs.push(self.inputs[number as usize].clone());
            place = before;
        }
        inputs.reverse();
        if let Some(input) = inputs.pop() {
            self.parted = Some(Parted { after: inputs, input, answers });
        }
    }
}
