//! Held against brute force: all small formulas on all short words, and on words that go on for ever.

use crate::automaton::{Automaton, START, Truth};
use crate::evaluate::{self, Letter};
use crate::shape::{Binary, Bound, Shape, Unary};
use std::sync::Arc;

/// The truth of a formula at all places of a word whose last letters are repeated for ever; the word is unrolled often enough for the past to repeat
/// itself.
fn for_ever(shape: &Shape, word: &[u64], again: usize) -> Vec<bool> {
    let length = word.len();
    let next = |at: usize| if at + 1 == length { length - again } else { at + 1 };
    let parts = |part: &Arc<Shape>| for_ever(part, word, again);
    match shape {
        Shape::True => vec![true; length],
        Shape::False => vec![false; length],
        Shape::Atom(atom) => word.iter().map(|letter| letter >> atom & 1 == 1).collect(),
        Shape::Not(of) => parts(of).iter().map(|holds| !holds).collect(),
        Shape::And(one, two) => parts(one).iter().zip(parts(two)).map(|(one, two)| *one && two).collect(),
        Shape::Or(one, two) => parts(one).iter().zip(parts(two)).map(|(one, two)| *one || two).collect(),
        Shape::Implies(one, two) => parts(one).iter().zip(parts(two)).map(|(one, two)| !one || two).collect(),
        Shape::Iff(one, two) => parts(one).iter().zip(parts(two)).map(|(one, two)| *one == two).collect(),
        Shape::Next { steps, of, .. } => {
            let of = parts(of);
            (0..length).map(|at| of[(0..*steps).fold(at, |at, _| next(at))]).collect()
        }
        Shape::Previous { weak, steps, of } => {
            let of = parts(of);
            (0..length).map(|at| at.checked_sub(*steps as usize).map_or(*weak, |at| of[at])).collect()
        }
        Shape::One(operator, bound, of) => {
            let of = parts(of);
            let any = matches!(operator, Unary::Eventually | Unary::Once);
            let (from, to) = ends(*bound, length);
            (0..length)
                .map(|at| {
                    let mut places: Box<dyn Iterator<Item = usize>> = match operator {
                        Unary::Always | Unary::Eventually => Box::new(
                            std::iter::successors(Some(at), |at| Some(next(*at))).take(to + 1).skip(from),
                        ),
                        _ => Box::new((0..=at).rev().take(to + 1).skip(from)),
                    };
                    if any { places.any(|at| of[at]) } else { places.all(|at| of[at]) }
                })
                .collect()
        }
        Shape::Two(Binary::WeakUntil | Binary::BackTo, ..) => {
            for_ever(&evaluate::spelt_out(shape), word, again)
        }
        Shape::Two(operator, bound, one, two) => {
            let (one, two) = (parts(one), parts(two));
            let (from, to) = ends(*bound, length);
            (0..length)
                .map(|at| match operator {
                    Binary::Since => (0..=at).rev().enumerate().take(to + 1).any(|(away, start)| {
                        away >= from && two[start] && (start + 1..=at).all(|at| one[at])
                    }),
                    _ => {
                        let path: Vec<usize> =
                            std::iter::successors(Some(at), |at| Some(next(*at))).take(to + 1).collect();
                        let until = |one: &dyn Fn(usize) -> bool, two: &dyn Fn(usize) -> bool| {
                            (from..path.len())
                                .any(|end| two(path[end]) && path[..end].iter().all(|at| one(*at)))
                        };
                        match operator {
                            Binary::Until => until(&|at| one[at], &|at| two[at]),
                            _ => !until(&|at| !one[at], &|at| !two[at]),
                        }
                    }
                })
                .collect()
        }
    }
}

/// As many elements as make a difference.
fn ends(bound: Bound, length: usize) -> (usize, usize) {
    match bound {
        Bound::Steps(from, to) => (from as usize, to.map_or(2 * length + from as usize, |to| to as usize)),
        _ => (0, 2 * length),
    }
}

fn formulas(operators: usize) -> Vec<Shape> {
    if operators == 0 {
        return vec![Shape::Atom(0), Shape::Atom(1)];
    }
    let bounds = [Bound::None, Bound::Steps(0, Some(0)), Bound::Steps(0, Some(1)), Bound::Steps(1, Some(2))];
    let mut all = Vec::new();
    for of in formulas(operators - 1).into_iter().map(Arc::new) {
        all.push(Shape::Not(of.clone()));
        for weak in [false, true] {
            all.push(Shape::Next { weak, steps: 1, of: of.clone() });
            all.push(Shape::Previous { weak, steps: 1, of: of.clone() });
        }
        for operator in [Unary::Always, Unary::Eventually, Unary::Historically, Unary::Once] {
            all.extend(bounds.iter().map(|bound| Shape::One(operator, *bound, of.clone())));
        }
    }
    for left in 0..operators {
        let (ones, twos) = (formulas(left), formulas(operators - 1 - left));
        for one in ones.into_iter().map(Arc::new) {
            for two in twos.iter().cloned().map(Arc::new) {
                all.push(Shape::And(one.clone(), two.clone()));
                all.push(Shape::Or(one.clone(), two.clone()));
                for operator in
                    [Binary::Until, Binary::WeakUntil, Binary::Release, Binary::Since, Binary::BackTo]
                {
                    all.extend(
                        bounds.iter().map(|bound| Shape::Two(operator, *bound, one.clone(), two.clone())),
                    );
                }
            }
        }
    }
    all
}

/// All words of so many letters.
fn words(length: usize) -> impl Iterator<Item = Vec<u64>> {
    (0..4u64.pow(length as u32)).map(move |code| (0..length).map(|at| code >> (2 * at) & 3).collect())
}

fn compare(shape: &Shape, longest: usize) {
    let mut automaton = Automaton::new(shape, 2, vec![0, 1, 2, 3]);
    for length in 0..=longest {
        for word in words(length) {
            let timed: Vec<Letter> = word.iter().map(|letter| (*letter, 0)).collect();
            let mut state = START;
            for letter in &word {
                state = automaton.step(state, 0, *letter).unwrap();
            }
            assert_eq!(automaton.holds(state), evaluate::holds(shape, &timed, 0), "{shape:?} of {word:?}");
        }
    }
}

fn compare_for_ever(shape: &Shape, longest: usize) {
    let mut automaton = Automaton::new(shape, 2, vec![0, 1, 2, 3]);
    for length in 0..=longest {
        for word in words(length) {
            let mut state = START;
            for letter in &word {
                state = automaton.step(state, 0, *letter).unwrap();
            }
            let truth = automaton.truth(state);
            let (mut some, mut all) = (false, true);
            'tried: for stem in 0..=2 {
                for stem in words(stem) {
                    for again in 1..=2 {
                        for again in words(again) {
                            let mut whole = word.clone();
                            whole.extend(&stem);
                            (0..6).for_each(|_| whole.extend(&again));
                            let holds = for_ever(shape, &whole, again.len())[0];
                            some |= holds;
                            all &= holds;
                            if some && !all {
                                break 'tried;
                            }
                        }
                    }
                }
            }
            match truth {
                Truth::False => assert!(!some, "{shape:?} after {word:?} is said to be false"),
                Truth::True => assert!(all, "{shape:?} after {word:?} is said to be true"),
                _ => assert!(some && !all, "{shape:?} after {word:?} is decided: {some} {all}"),
            }
        }
    }
}

#[test]
fn small_formulas_on_short_words() {
    for shape in formulas(0).into_iter().chain(formulas(1)) {
        compare(&shape, 4);
    }
    // One in so many, of all with two operators; the bench goes through all with three.
    for shape in formulas(2).into_iter().step_by(17) {
        compare(&shape, 3);
    }
}

#[test]
fn small_formulas_on_words_without_end() {
    for shape in formulas(0).into_iter().chain(formulas(1)) {
        compare_for_ever(&shape, 1);
    }
    for shape in formulas(2).into_iter().step_by(97) {
        compare_for_ever(&shape, 2);
    }
}
