//! Formulas that mean the same, and are shorter.

use crate::formula::Formula;
use crate::shape::{Binary, Bound, Shape, Unary};
use std::sync::Arc;

impl<E> Formula<E> {
    /// A formula that means the same of every stream, and is no longer: without double negations, repetitions, what is absorbed, and what
    /// contradicts itself at once.
    #[must_use]
    pub fn simplified(&self) -> Formula<E> {
        Formula { shape: simplified(&self.shape), atoms: self.atoms.clone() }
    }
}

fn simplified(shape: &Arc<Shape>) -> Arc<Shape> {
    let shape = shape.with_parts(simplified);
    let simpler = match &shape {
        Shape::Not(of) => negated(of),
        Shape::And(one, two) => joined(one, two, true),
        Shape::Or(one, two) => joined(one, two, false),
        Shape::Implies(one, two) => match (&**one, &**two) {
            (Shape::True, _) => Some(two.clone()),
            (Shape::False, _) | (_, Shape::True) => Some(Arc::new(Shape::True)),
            (_, Shape::False) => Some(simplified(&Arc::new(Shape::Not(one.clone())))),
            _ if one == two => Some(Arc::new(Shape::True)),
            _ => None,
        },
        Shape::Iff(one, two) => match (&**one, &**two) {
            (Shape::True, _) => Some(two.clone()),
            (_, Shape::True) => Some(one.clone()),
            (Shape::False, _) => Some(simplified(&Arc::new(Shape::Not(two.clone())))),
            (_, Shape::False) => Some(simplified(&Arc::new(Shape::Not(one.clone())))),
            _ if one == two => Some(Arc::new(Shape::True)),
            _ => None,
        },
        // What holds now and for ever holds for ever; and so on.
        Shape::One(operator, Bound::None, of) => match &**of {
            Shape::One(inner, Bound::None, _) if inner == operator => Some(of.clone()),
            Shape::True if matches!(operator, Unary::Always | Unary::Historically) => Some(of.clone()),
            Shape::False if matches!(operator, Unary::Eventually | Unary::Once) => Some(of.clone()),
            _ => None,
        },
        Shape::Two(Binary::Until | Binary::Since, _, _, two) if **two == Shape::False => Some(two.clone()),
        Shape::Two(Binary::Release, _, _, two) if **two == Shape::True => Some(two.clone()),
        _ => None,
    };
    simpler.unwrap_or_else(|| Arc::new(shape))
}

/// A negation that goes away.
fn negated(of: &Arc<Shape>) -> Option<Arc<Shape>> {
    match &**of {
        Shape::True => Some(Arc::new(Shape::False)),
        Shape::False => Some(Arc::new(Shape::True)),
        Shape::Not(inner) => Some(inner.clone()),
        _ => None,
    }
}

/// What a conjunction, or else a disjunction, of two comes to.
fn joined(one: &Arc<Shape>, two: &Arc<Shape>, is_and: bool) -> Option<Arc<Shape>> {
    let (neutral, final_one) = if is_and { (Shape::True, Shape::False) } else { (Shape::False, Shape::True) };
    if **one == neutral || **two == final_one || one == two {
        return Some(two.clone());
    }
    if **two == neutral || **one == final_one {
        return Some(one.clone());
    }
    let is_opposite = |one: &Shape, two: &Shape| matches!(one, Shape::Not(of) if **of == *two);
    // Absorbed: p and (p or q) is p.
    let absorbs = |one: &Arc<Shape>, two: &Arc<Shape>| match (&**two, is_and) {
        (Shape::Or(left, right), true) | (Shape::And(left, right), false) => left == one || right == one,
        _ => false,
    };
    let parts = |of: &Arc<Shape>| members(of, is_and);
    let (ones, twos) = (parts(one), parts(two));
    if ones.iter().any(|one| twos.iter().any(|two| is_opposite(one, two) || is_opposite(two, one))) {
        return Some(Arc::new(final_one));
    }
    if absorbs(one, two) || twos.iter().all(|two| ones.contains(two)) {
        return Some(one.clone());
    }
    if absorbs(two, one) || ones.iter().all(|one| twos.contains(one)) {
        return Some(two.clone());
    }
    None
}

/// The members of a conjunction, or else of a disjunction.
fn members(of: &Arc<Shape>, is_and: bool) -> Vec<Arc<Shape>> {
    match (&**of, is_and) {
        (Shape::And(one, two), true) | (Shape::Or(one, two), false) => {
            [members(one, is_and), members(two, is_and)].concat()
        }
        _ => vec![of.clone()],
    }
}
