//! What formulas mean, word by word: the reference that everything else is held against. Slow, and as plain as can be.

use crate::shape::{Binary, Bound, Shape, Unary};

/// A finite word: for each element the atoms that hold, as bits, and its time in nanoseconds.
pub(crate) type Letter = (u64, u64);

/// Whether a formula holds at a place of a finite word, which has no more elements. At a place where there is no element, what demands one does
/// not hold.
pub(crate) fn holds(shape: &Shape, word: &[Letter], at: usize) -> bool {
    if at >= word.len() {
        return holds_nowhere(shape);
    }
    let later = |bound: Bound| {
        (at..word.len()).filter(move |place| bound.contains((place - at) as u64, word[*place].1 - word[at].1))
    };
    let earlier = |bound: Bound| {
        (0..=at).rev().filter(move |place| bound.contains((at - place) as u64, word[at].1 - word[*place].1))
    };
    match shape {
        Shape::True => true,
        Shape::False => false,
        Shape::Atom(atom) => word[at].0 >> atom & 1 == 1,
        Shape::Not(of) => !holds(of, word, at),
        Shape::And(one, two) => holds(one, word, at) && holds(two, word, at),
        Shape::Or(one, two) => holds(one, word, at) || holds(two, word, at),
        Shape::Implies(one, two) => !holds(one, word, at) || holds(two, word, at),
        Shape::Iff(one, two) => holds(one, word, at) == holds(two, word, at),
        Shape::Next { weak, steps, of } => {
            let next = at + *steps as usize;
            if next < word.len() { holds(of, word, next) } else { *weak }
        }
        Shape::Previous { weak, steps, of } => match at.checked_sub(*steps as usize) {
            Some(previous) => holds(of, word, previous),
            None => *weak,
        },
        Shape::One(Unary::Always, bound, of) => later(*bound).all(|place| holds(of, word, place)),
        Shape::One(Unary::Eventually, bound, of) => later(*bound).any(|place| holds(of, word, place)),
        Shape::One(Unary::Historically, bound, of) => earlier(*bound).all(|place| holds(of, word, place)),
        Shape::One(Unary::Once, bound, of) => earlier(*bound).any(|place| holds(of, word, place)),
        Shape::Two(Binary::Until, bound, one, two) => {
            later(*bound).any(|end| holds(two, word, end) && (at..end).all(|place| holds(one, word, place)))
        }
        Shape::Two(Binary::Release, bound, one, two) => {
            later(*bound).all(|end| holds(two, word, end) || (at..end).any(|place| holds(one, word, place)))
        }
        Shape::Two(Binary::Since, bound, one, two) => earlier(*bound)
            .any(|start| holds(two, word, start) && (start + 1..=at).all(|place| holds(one, word, place))),
        Shape::Two(Binary::WeakUntil | Binary::BackTo, ..) => holds(&spelt_out(shape), word, at),
    }
}

/// Weak operators by the strong ones: the second operand comes, or the first goes on for as long as the bound says.
pub(crate) fn spelt_out(shape: &Shape) -> Shape {
    let (strong, always, bound, one, two) = match shape {
        Shape::Two(Binary::WeakUntil, bound, one, two) => (Binary::Until, Unary::Always, bound, one, two),
        Shape::Two(Binary::BackTo, bound, one, two) => (Binary::Since, Unary::Historically, bound, one, two),
        other => return other.clone(),
    };
    let comes = Shape::Two(strong, *bound, one.clone(), two.clone());
    let goes_on = Shape::One(always, bound.begun(), one.clone());
    Shape::Or(comes.into(), goes_on.into())
}

/// Whether a formula holds where there is no element.
fn holds_nowhere(shape: &Shape) -> bool {
    match shape {
        Shape::True => true,
        Shape::False | Shape::Atom(_) => false,
        Shape::Not(of) => !holds_nowhere(of),
        Shape::And(one, two) => holds_nowhere(one) && holds_nowhere(two),
        Shape::Or(one, two) => holds_nowhere(one) || holds_nowhere(two),
        Shape::Implies(one, two) => !holds_nowhere(one) || holds_nowhere(two),
        Shape::Iff(one, two) => holds_nowhere(one) == holds_nowhere(two),
        Shape::Next { weak, .. } | Shape::Previous { weak, .. } => *weak,
        Shape::One(operator, _, _) => matches!(operator, Unary::Always | Unary::Historically),
        Shape::Two(operator, _, _, _) => {
            matches!(operator, Binary::WeakUntil | Binary::Release | Binary::BackTo)
        }
    }
}
