//! Formulas without bounds of time that follow from formulas with such bounds. What contradicts them contradicts these: so something can be known
//! to be false before its time is over. (That is not all that could be known: with bounds of time, nobody can decide that in general.)

use crate::automaton::{Automaton, Number, START, Truth};
use crate::evaluate::spelt_out;
use crate::shape::{Binary, Bound, Shape, Unary};
use crate::shortest::shortest;
use std::sync::Arc;

/// What follows from a formula, or from its negation, without bounds of time: read beside it.
#[derive(Debug)]
pub(crate) struct Relaxed {
    automaton: Automaton,
    state: Number,
    /// What it says of the formula when it is false.
    says: Truth,
}

/// So many states are looked at, to find out whether it can be false at all.
const STATES_MAX: usize = 200;

impl Relaxed {
    /// What may help to judge a formula; nothing if it has no bounds of time.
    pub(crate) fn of(shape: &Shape, atoms: usize, letters: &[u64]) -> Vec<Relaxed> {
        if !shape.is_timed() {
            return Vec::new();
        }
        let against = Shape::not(shape.clone());
        let both = [(shape, Truth::False), (&against, Truth::True)];
        let relaxed = both.into_iter().map(|(shape, says)| Relaxed {
            automaton: Automaton::new(&relaxed(shape, true), atoms, letters.to_vec()),
            state: START,
            says,
        });
        relaxed.filter_map(Relaxed::if_it_can_be_false).collect()
    }

    fn if_it_can_be_false(mut self) -> Option<Relaxed> {
        let letters = self.automaton.letters().to_vec();
        let mut state = START;
        while (state as usize) < self.automaton.states() {
            if self.automaton.truth(state) == Truth::False {
                return Some(self);
            }
            for letter in &letters {
                self.automaton.step(state, 0, *letter).ok()?;
            }
            state += 1;
            if state as usize > STATES_MAX {
                return None;
            }
        }
        None
    }

    pub(crate) fn reset(&mut self) {
        self.state = START;
    }

    /// Takes account of an element.
    pub(crate) fn see(&mut self, letter: u64) {
        if let Ok(state) = self.automaton.step(self.state, 0, letter) {
            self.state = state;
        }
    }

    /// What it knows.
    pub(crate) fn truth(&mut self) -> Option<Truth> {
        (self.automaton.truth(self.state) == Truth::False).then_some(self.says)
    }
}

/// Whether no finite word satisfies a formula, whatever its bounds of time are.
pub(crate) fn contradicts(shape: &Shape, atoms: usize, letters: &[u64]) -> bool {
    matches!(shortest(&relaxed(shape, true), atoms, letters.to_vec()), Ok(None))
}

/// Something without bounds of time that follows from a formula, or from which it follows.
fn relaxed(shape: &Shape, follows: bool) -> Shape {
    let part = |part: &Arc<Shape>| Arc::new(relaxed(part, follows));
    let opposite = |part: &Arc<Shape>| Arc::new(relaxed(part, !follows));
    match shape {
        Shape::Not(of) => Shape::Not(opposite(of)),
        Shape::Implies(one, two) => Shape::Implies(opposite(one), part(two)),
        Shape::Iff(one, two) if shape.is_timed() => {
            let there = Shape::Implies(opposite(one), part(two));
            Shape::And(Arc::new(there), Arc::new(Shape::Implies(opposite(two), part(one))))
        }
        Shape::One(operator, Bound::Time(from, to), of) if (*from, *to) != (0, None) => {
            let demands_all = matches!(operator, Unary::Always | Unary::Historically);
            bounded(*from, demands_all, follows, part(of), |of| Shape::One(*operator, Bound::None, of))
        }
        Shape::Two(Binary::WeakUntil | Binary::BackTo, Bound::Time(..), ..) => {
            relaxed(&spelt_out(shape), follows)
        }
        Shape::Two(operator, Bound::Time(from, to), one, two) if (*from, *to) != (0, None) => {
            let demands_all = *operator == Binary::Release;
            let one = part(one);
            bounded(*from, demands_all, follows, part(two), |two| {
                Shape::Two(*operator, Bound::None, one, two)
            })
        }
        other => other.with_parts(part),
    }
}

/// Without its bound an operator that demands something of one element demands less, and one that demands it of all demands more. Otherwise only the
/// present element is known to count.
fn bounded(
    from: u64,
    demands_all: bool,
    follows: bool,
    of: Arc<Shape>,
    unbounded: impl FnOnce(Arc<Shape>) -> Shape,
) -> Shape {
    match (demands_all == follows, from) {
        (false, _) => unbounded(of),
        (true, 0) => Shape::clone(&of),
        (true, _) if follows => Shape::True,
        (true, _) => Shape::False,
    }
}
