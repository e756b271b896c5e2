//! Conditions in a form in which they are easier to compare: negations stand before what has no parts, magnitudes and ranges are relations.

use crate::construct::turned;
use crate::hpl::{Function, Relation};
use crate::term::{Argument, Domain, Term};
use crate::value::Value;

/// The same condition in that form; or its negation. (What is so of the one is so of the other, whatever has no value.)
pub(super) fn form(term: &Term, is_so: bool) -> Term {
    let both = |one: &Term, two: &Term| (Box::new(form(one, is_so)), Box::new(form(two, is_so)));
    match term {
        Term::Not(of) => form(of, !is_so),
        Term::And(one, two) | Term::Or(one, two) => {
            let is_and = matches!(term, Term::And(..)) == is_so;
            let (one, two) = both(one, two);
            if is_and { Term::And(one, two) } else { Term::Or(one, two) }
        }
        Term::Compare(relation, one, two) => match compared(*relation, one, two) {
            Some(simpler) => form(&simpler, is_so),
            None => signed(term.clone(), is_so),
        },
        Term::In(one, Domain::Range { ends, without_first, without_last }) => {
            let low = if *without_first { Relation::Greater } else { Relation::AtLeast };
            let high = if *without_last { Relation::Less } else { Relation::AtMost };
            let part =
                |relation, end: &Term| Box::new(Term::Compare(relation, one.clone(), Box::new(end.clone())));
            form(&Term::And(part(low, &ends.0), part(high, &ends.1)), is_so)
        }
        Term::Quantified { all, domain, body } => {
            let body = Box::new(form(body, true));
            signed(Term::Quantified { all: *all, domain: domain.clone(), body }, is_so)
        }
        other => signed(other.clone(), is_so),
    }
}

fn signed(term: Term, is_so: bool) -> Term {
    if is_so { term } else { Term::Not(Box::new(term)) }
}

/// A relation to a constant without a minus or a magnitude before it, and with the constant on the right; nothing if it is that already.
fn compared(relation: Relation, one: &Term, two: &Term) -> Option<Term> {
    let compare = |relation, one: &Term, value: &Value| {
        Term::Compare(relation, Box::new(one.clone()), Box::new(Term::Constant(value.clone())))
    };
    let value = match (one, two) {
        (Term::Constant(_), Term::Constant(_)) => return None,
        (Term::Constant(value), other) => return Some(compare(turned(relation), other, value)),
        (_, Term::Constant(value)) => value,
        _ => return None,
    };
    // (Of what is no number, it is so that it is unequal, and of its magnitude it is not.)
    if relation == Relation::Unequal {
        return None;
    }
    let opposite = negative(value)?;
    match one {
        Term::Minus(of) => Some(compare(turned(relation), of, &opposite)),
        Term::Call(Function::Abs, arguments) => {
            let [Argument::One(of)] = arguments.as_slice() else { return None };
            let here = Box::new(compare(relation, of, value));
            let there = Box::new(compare(turned(relation), of, &opposite));
            match relation {
                Relation::Less | Relation::AtMost => Some(Term::And(here, there)),
                _ if is_below_zero(value) => None,
                _ => Some(Term::Or(here, there)),
            }
        }
        _ => None,
    }
}

fn negative(value: &Value) -> Option<Value> {
    match value {
        Value::Int(value) => value.checked_neg().map(Value::Int),
        Value::Float(value) => Some(Value::Float(-value)),
        _ => None,
    }
}

fn is_below_zero(value: &Value) -> bool {
    match value {
        Value::Int(value) => *value < 0,
        Value::Float(value) => *value < 0.0,
        _ => false,
    }
}
