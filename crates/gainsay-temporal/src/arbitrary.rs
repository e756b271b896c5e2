//! Formulas are drawn like everything else.

use crate::atom::{Atom, atom};
use crate::formula::Formula;
use crate::shape::{Binary, Bound, Shape, Unary};
use gainsay_core::{Arbitrary, Case};
use std::sync::Arc;

/// Draws a formula over these atoms, with bounds of elements, of at most so many atoms and operators.
///
/// # Panics
/// If there is no atom.
pub fn formula<E>(case: &mut Case, atoms: &[Atom<E>], size_max: usize) -> Formula<E> {
    assert!(!atoms.is_empty(), "a formula needs an atom");
    Formula { shape: Arc::new(shape(case, atoms.len(), size_max)), atoms: atoms.to_vec() }
}

fn shape(case: &mut Case, atoms: usize, size: usize) -> Shape {
    let kinds = match size {
        0 | 1 => 1,
        2 => 5,
        _ => 9,
    };
    let one = |case: &mut Case| Arc::new(shape(case, atoms, size - 1));
    match case.index(kinds) {
        0 => match case.index(atoms + 2) {
            atom if atom < atoms => Shape::Atom(atom as u32),
            atom if atom == atoms => Shape::True,
            _ => Shape::False,
        },
        1 => Shape::Not(one(case)),
        2 => Shape::Next { weak: case.flag(), steps: 1, of: one(case) },
        3 => Shape::Previous { weak: case.flag(), steps: 1, of: one(case) },
        4 => {
            let operators = [Unary::Always, Unary::Eventually, Unary::Historically, Unary::Once];
            let operator = operators[case.index(operators.len())];
            Shape::One(operator, bound(case), one(case))
        }
        kind => {
            let left = case.int(1..=size - 2);
            let left_shape = Arc::new(shape(case, atoms, left));
            let right_shape = Arc::new(shape(case, atoms, size - 1 - left));
            match kind {
                5 => Shape::And(left_shape, right_shape),
                6 => Shape::Or(left_shape, right_shape),
                7 => match case.flag() {
                    false => Shape::Implies(left_shape, right_shape),
                    true => Shape::Iff(left_shape, right_shape),
                },
                _ => {
                    let operators =
                        [Binary::Until, Binary::WeakUntil, Binary::Release, Binary::Since, Binary::BackTo];
                    let operator = operators[case.index(operators.len())];
                    Shape::Two(operator, bound(case), left_shape, right_shape)
                }
            }
        }
    }
}

fn bound(case: &mut Case) -> Bound {
    if !case.flag_weighted(1, 2) {
        return Bound::None;
    }
    let from = case.int(0..=2u64);
    Bound::Steps(from, Some(from + case.int(0..=2u64)))
}

/// Formulas over four atoms, `a` to `d`: the lowest bits of a number.
impl Arbitrary for Formula<u8> {
    fn arbitrary(case: &mut Case) -> Formula<u8> {
        let size = case.int(1..=15usize);
        formula(case, &bits(), size)
    }
}

/// The atoms `a` to `d`: the lowest bits of a number.
pub fn bits() -> Vec<Atom<u8>> {
    (0..4u8)
        .map(|bit| {
            let all = |wanted: bool| {
                (0..16u8).filter(|number| (number >> bit & 1 == 1) == wanted).collect::<Vec<u8>>()
            };
            let name = char::from(b'a' + bit).to_string();
            let holds = move |number: &u8| number >> bit & 1 == 1;
            atom(name, holds).when_true(all(true)).when_false(all(false)).one_by_name()
        })
        .collect()
}
