//! What must be so for a condition to be true, or false: one of several lists of simple claims.

use crate::hpl::Relation;
use crate::term::{
    Access, AccessRoot, AccessStep, Argument, Domain, Messages, Seen, Slot, Term, whole_range,
};
use crate::value::Value;

/// A condition that a message shall meet, or not, given others.
#[derive(Debug, Clone)]
pub(crate) struct Wish<'a> {
    pub(crate) term: Term,
    pub(crate) wanted: bool,
    /// Which message of the condition is to be made.
    pub(crate) unknown: Slot,
    pub(crate) known: Messages<'a>,
}

/// A simple claim: a relation, or something that can only be looked at when all is known.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) term: Term,
    pub(crate) wanted: bool,
    /// The wish it belongs to.
    pub(crate) of: usize,
}

/// More lists than this are not written down.
const BRANCHES_MAX: usize = 48;

/// The lists of claims, one of which must hold for all wishes to come true. Quantifiers are spelt out with the arrays of `messages`.
pub(crate) fn branches(wishes: &[Wish<'_>], made: &Value) -> Vec<Vec<Claim>> {
    let mut lists = vec![Vec::new()];
    for (of, wish) in wishes.iter().enumerate() {
        let mut messages = wish.known;
        messages[wish.unknown as usize] = Some(made);
        let own = split(&wish.term, wish.wanted, of, &messages, wish.unknown, 0);
        lists = product(lists, own);
    }
    lists
}

fn product(one: Vec<Vec<Claim>>, two: Vec<Vec<Claim>>) -> Vec<Vec<Claim>> {
    let mut lists = Vec::new();
    for left in &one {
        for right in &two {
            lists.push(left.iter().chain(right).cloned().collect());
            if lists.len() >= BRANCHES_MAX {
                return lists;
            }
        }
    }
    lists
}

fn split(
    term: &Term,
    wanted: bool,
    of: usize,
    messages: &Messages<'_>,
    unknown: Slot,
    depth: usize,
) -> Vec<Vec<Claim>> {
    let again = |term: &Term, wanted: bool| split(term, wanted, of, messages, unknown, depth + 1);
    let claim = |term: Term, wanted: bool| vec![vec![Claim { term, wanted, of }]];
    if !mentions_unknown(term, unknown) {
        // It is known whether it is so.
        return if term.is_true(messages) == wanted { vec![Vec::new()] } else { Vec::new() };
    }
    if depth > 200 {
        return claim(term.clone(), wanted);
    }
    let either = |mut one: Vec<Vec<Claim>>, two: Vec<Vec<Claim>>| {
        one.extend(two);
        one.truncate(BRANCHES_MAX);
        one
    };
    match (term, wanted) {
        (Term::Not(inner), _) => again(inner, !wanted),
        (Term::And(one, two), true) => product(again(one, true), again(two, true)),
        (Term::And(one, two), false) => either(again(one, false), again(two, false)),
        (Term::Or(..), true) => match same_field(term) {
            // Alternatives of one field are one claim about it.
            Some(()) => claim(term.clone(), true),
            None => {
                let Term::Or(one, two) = term else { return Vec::new() };
                either(again(one, true), again(two, true))
            }
        },
        (Term::Or(one, two), false) => product(again(one, false), again(two, false)),
        (Term::Iff(one, two), _) => either(
            product(again(one, true), again(two, wanted)),
            product(again(one, false), again(two, !wanted)),
        ),
        (Term::Quantified { all, domain, body }, _) => {
            let Some(values) = values_of(domain, messages) else {
                // Over what is not there, nothing is so.
                return if wanted { claim(term.clone(), wanted) } else { vec![Vec::new()] };
            };
            let bodies = values.into_iter().map(|value| with_variable(body, 0, &value));
            // All of them, or some of them.
            if *all == wanted {
                bodies.fold(vec![Vec::new()], |lists, body| product(lists, again(&body, wanted)))
            } else {
                bodies.fold(Vec::new(), |lists, body| either(lists, again(&body, wanted)))
            }
        }
        _ => claim(term.clone(), wanted),
    }
}

fn mentions_unknown(term: &Term, unknown: Slot) -> bool {
    term.mentions(unknown)
}

/// Whether all parts of a disjunction are comparisons of one and the same field with constants.
fn same_field(term: &Term) -> Option<()> {
    fn fields<'t>(term: &'t Term, found: &mut Vec<&'t Access>) -> Option<()> {
        match term {
            Term::Or(one, two) | Term::And(one, two) => {
                fields(one, found)?;
                fields(two, found)
            }
            Term::Not(inner) => fields(inner, found),
            Term::Compare(_, one, two) => match (&**one, &**two) {
                (Term::Field(access), Term::Constant(_)) | (Term::Constant(_), Term::Field(access)) => {
                    found.push(access);
                    Some(())
                }
                _ => None,
            },
            Term::In(one, Domain::Set(items)) => match &**one {
                Term::Field(access) if items.iter().all(|item| matches!(item, Term::Constant(_))) => {
                    found.push(access);
                    Some(())
                }
                _ => None,
            },
            _ => None,
        }
    }
    let mut found = Vec::new();
    fields(term, &mut found)?;
    let first = plain(found.first()?)?;
    found.iter().all(|access| plain(access).is_some_and(|other| other == first)).then_some(())
}

/// The names of an access without indices.
fn plain(access: &Access) -> Option<(AccessRoot, Vec<&str>)> {
    let names = access.steps.iter().map(|step| match step {
        AccessStep::Field(name) => Some(&*name.name),
        AccessStep::Index(_) => None,
    });
    Some((access.root, names.collect::<Option<_>>()?))
}

/// The values that a quantifier ranges over; nothing if there is nothing to range over.
fn values_of(domain: &Domain, messages: &Messages<'_>) -> Option<Vec<Value>> {
    match domain {
        Domain::Set(items) => {
            let value = |item: &Term| item.value(messages).map_or(Value::Null, |seen| seen.to_value());
            Some(items.iter().map(value).collect())
        }
        Domain::Range { ends, without_first, without_last } => {
            let (first, last) = (ends.0.value(messages)?, ends.1.value(messages)?);
            let (first, last) = whole_range(&first, &last, *without_first, *without_last)?;
            (last - first < 256).then(|| (first..=last).map(Value::Int).collect())
        }
        Domain::Array(array) => match array.value(messages)? {
            Seen::List(items) => Some((0..items.len()).map(|index| Value::Int(index as i128)).collect()),
            _ => None,
        },
    }
}

/// A body with a value in place of the variable so many quantifiers further out.
pub(crate) fn with_variable(term: &Term, out: usize, value: &Value) -> Term {
    let again = |term: &Term| Box::new(with_variable(term, out, value));
    match term {
        Term::Constant(_) => term.clone(),
        Term::Field(Access { root: AccessRoot::Variable(place), steps })
            if *place == out && steps.is_empty() =>
        {
            Term::Constant(value.clone())
        }
        Term::Field(access) => {
            let steps = access.steps.iter().map(|step| match step {
                AccessStep::Field(_) => step.clone(),
                AccessStep::Index(index) => AccessStep::Index(with_variable(index, out, value)),
            });
            // Quantifiers that were further out are one nearer now.
            let root = match access.root {
                AccessRoot::Variable(place) if place > out => AccessRoot::Variable(place - 1),
                root => root,
            };
            Term::Field(Access { root, steps: steps.collect() })
        }
        Term::Not(inner) => Term::Not(again(inner)),
        Term::Minus(inner) => Term::Minus(again(inner)),
        Term::And(one, two) => Term::And(again(one), again(two)),
        Term::Or(one, two) => Term::Or(again(one), again(two)),
        Term::Iff(one, two) => Term::Iff(again(one), again(two)),
        Term::Compare(relation, one, two) => Term::Compare(*relation, again(one), again(two)),
        Term::Arithmetic(operator, one, two) => Term::Arithmetic(*operator, again(one), again(two)),
        Term::In(one, domain) => Term::In(again(one), domain_with(domain, out, value)),
        Term::Call(function, arguments) => {
            let arguments = arguments.iter().map(|argument| match argument {
                Argument::One(term) => Argument::One(with_variable(term, out, value)),
                Argument::Several(domain) => Argument::Several(domain_with(domain, out, value)),
            });
            Term::Call(*function, arguments.collect())
        }
        Term::Quantified { all, domain, body } => Term::Quantified {
            all: *all,
            domain: domain_with(domain, out, value),
            body: Box::new(with_variable(body, out + 1, value)),
        },
    }
}

fn domain_with(domain: &Domain, out: usize, value: &Value) -> Domain {
    match domain {
        Domain::Set(items) => Domain::Set(items.iter().map(|item| with_variable(item, out, value)).collect()),
        Domain::Range { ends, without_first, without_last } => Domain::Range {
            ends: Box::new((with_variable(&ends.0, out, value), with_variable(&ends.1, out, value))),
            without_first: *without_first,
            without_last: *without_last,
        },
        Domain::Array(array) => Domain::Array(Box::new(with_variable(array, out, value))),
    }
}

/// What holds where a relation does not, between numbers.
pub(crate) fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::Equal => Relation::Unequal,
        Relation::Unequal => Relation::Equal,
        Relation::Less => Relation::AtLeast,
        Relation::AtMost => Relation::Greater,
        Relation::Greater => Relation::AtMost,
        Relation::AtLeast => Relation::Less,
        Relation::In => Relation::In,
    }
}

/// The same relation, with its sides exchanged.
pub(crate) fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::AtMost => Relation::AtLeast,
        Relation::Greater => Relation::Less,
        Relation::AtLeast => Relation::AtMost,
        other => other,
    }
}
