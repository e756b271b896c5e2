//! What may come of an input.

use std::fmt::{self, Debug};

/// A judge of outputs: the states that may be next after they were seen.
type Judge<S, O> = Box<dyn Fn(&[O]) -> Vec<S>>;

/// Everything that may come of an input, as a [`Machine`](super::Machine) says it.
pub struct Next<S, O> {
    /// States, and where their outputs end.
    listed: Vec<(S, usize)>,
    outputs: Vec<O>,
    judges: Vec<Judge<S, O>>,
}

impl<S: Debug, O: Debug> Debug for Next<S, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.listed()).finish()
    }
}

impl<S, O> Default for Next<S, O> {
    fn default() -> Next<S, O> {
        Next { listed: Vec::new(), outputs: Vec::new(), judges: Vec::new() }
    }
}

impl<S, O> Next<S, O> {
    /// These outputs may come, and then this is the state.
    #[inline]
    pub fn to(&mut self, state: S, outputs: impl IntoIterator<Item = O>) {
        // (Mostly there is one or none: one by one is faster than to ask how many there are.)
        for output in outputs {
            self.outputs.push(output);
        }
        self.listed.push((state, self.outputs.len()));
    }

    /// Whatever outputs come, they are judged: `after` says which states may be next, and none if they must not come. Nothing but tests
    /// on the fly can be done with a machine that does so.
    pub fn judge(&mut self, after: impl Fn(&[O]) -> Vec<S> + 'static) {
        self.judges.push(Box::new(after));
    }

    /// Whether anything is specified.
    #[inline]
    pub fn is_specified(&self) -> bool {
        !self.listed.is_empty() || !self.judges.is_empty()
    }

    /// Whether there may be several ways to go on.
    #[inline]
    pub(super) fn is_choice(&self) -> bool {
        self.listed.len() > 1 || !self.judges.is_empty()
    }

    /// Whether all that may come is listed.
    pub fn is_listed(&self) -> bool {
        self.judges.is_empty()
    }

    /// The states that may be next and the outputs on the way, as far as they are listed.
    pub fn listed(&self) -> impl Iterator<Item = (&S, &[O])> {
        let mut from = 0;
        self.listed.iter().map(move |(state, to)| {
            let outputs = &self.outputs[from..*to];
            from = *to;
            (state, outputs)
        })
    }

    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.listed.clear();
        self.outputs.clear();
        if !self.judges.is_empty() {
            self.judges.clear();
        }
    }
}

impl<S: Clone, O: PartialEq> Next<S, O> {
    /// Makes a state the only one that may be next, if there is but one and these are the outputs.
    #[inline]
    pub(super) fn go_on(&mut self, state: &mut S, outputs: &[O]) -> bool {
        // (Mostly there are few: one by one is faster than all at once.)
        let are_these = self.listed.len() == 1
            && self.judges.is_empty()
            && self.outputs.len() == outputs.len()
            && self.outputs.iter().zip(outputs).all(|(one, other)| one == other);
        if are_these && let Some((next, _)) = self.listed.pop() {
            *state = next;
        }
        are_these
    }

    /// Adds the states that may be next after these outputs. What is listed is taken out.
    #[inline]
    pub(super) fn take_after(&mut self, outputs: &[O], states: &mut Vec<S>) {
        let mut from = 0;
        for (state, to) in self.listed.drain(..) {
            if self.outputs[from..to] == *outputs {
                states.push(state);
            }
            from = to;
        }
        for judge in &self.judges {
            states.extend(judge(outputs));
        }
    }
}
