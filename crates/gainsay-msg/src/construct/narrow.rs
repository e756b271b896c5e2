//! What claims leave of the values of fields.

use super::Draft;
use super::branch::{Claim, Wish, opposite, turned};
use super::domain::Domain;
use crate::hpl::{Arithmetic, Function, Relation};
use crate::term::{self, Argument, Messages, Seen, Slot, Term};
use crate::value::Value;

/// Narrows the fields of a draft by claims, and by each other; whether anything is left.
pub(super) fn narrow(draft: &mut Draft, claims: &[Claim], wishes: &[Wish<'_>]) -> bool {
    for _ in 0..ROUNDS {
        let mut changed = false;
        for claim in claims {
            let wish = &wishes[claim.of];
            let made = draft.made.clone();
            let mut messages = wish.known;
            messages[wish.unknown as usize] = Some(&made);
            let mut narrowing = Narrowing { draft, messages, unknown: wish.unknown, changed: false };
            if !narrowing.claim(&claim.term, claim.wanted) {
                return false;
            }
            changed |= narrowing.changed;
        }
        if !changed {
            break;
        }
    }
    true
}

/// Fields narrow each other so often.
const ROUNDS: usize = 6;

struct Narrowing<'d, 'm> {
    draft: &'d mut Draft,
    messages: Messages<'m>,
    unknown: Slot,
    changed: bool,
}

/// Numbers between two, with or without the ends.
#[derive(Debug, Clone, Copy)]
struct Between {
    low: f64,
    high: f64,
    without_low: bool,
    without_high: bool,
}

impl Between {
    const ALL: Between =
        Between { low: f64::NEG_INFINITY, high: f64::INFINITY, without_low: false, without_high: false };

    fn new(low: f64, high: f64) -> Between {
        let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
        let high = if high.is_nan() { f64::INFINITY } else { high };
        Between { low, high, ..Between::ALL }
    }
}

impl Narrowing<'_, '_> {
    fn is_known(&self, term: &Term) -> bool {
        let mut is_known = true;
        term.each_access(&mut |access| {
            if access.root == term::AccessRoot::Message(self.unknown) {
                let value = Term::Field(access.clone()).value(&self.messages).map(|seen| seen.to_value());
                is_known &= value.as_ref().is_some_and(is_decided);
            }
        });
        is_known
    }

    /// The undecided field that a term is.
    fn leaf(&self, term: &Term) -> Option<usize> {
        match term {
            Term::Field(access) if access.root == term::AccessRoot::Message(self.unknown) => {
                self.draft.leaf(access, &self.messages)
            }
            _ => None,
        }
    }

    fn update(&mut self, leaf: usize, change: impl FnOnce(&mut Domain) -> bool) -> bool {
        let leaf = &mut self.draft.leaves[leaf];
        leaf.is_narrowed = true;
        self.changed |= change(&mut leaf.domain);
        !leaf.domain.is_empty()
    }

    fn claim(&mut self, claim: &Term, wanted: bool) -> bool {
        if self.is_known(claim) {
            return claim.is_true(&self.messages) == wanted;
        }
        match claim {
            Term::Compare(relation, one, two) => {
                let relation = if wanted { *relation } else { opposite(*relation) };
                self.compare(relation, one, two) && self.compare(turned(relation), two, one)
            }
            Term::In(one, domain) => self.is_in(one, domain, wanted),
            Term::Field(_) => match self.leaf(claim) {
                Some(leaf) => self.update(leaf, |domain| domain.relate(Relation::Equal, &Seen::Bool(wanted))),
                None => true,
            },
            // Alternatives of one field.
            Term::Or(..) | Term::And(..) | Term::Not(_) => {
                let mut found = None;
                claim.each_access(&mut |access| {
                    found = found.or_else(|| self.draft.leaf(access, &self.messages))
                });
                let Some(leaf) = found else { return true };
                let messages = self.messages;
                self.update(leaf, |domain| {
                    let before = domain.clone();
                    *domain = restricted(claim, wanted, domain, &messages);
                    *domain != before
                })
            }
            _ => true,
        }
    }

    /// Narrows what is on the left of a relation.
    fn compare(&mut self, relation: Relation, one: &Term, two: &Term) -> bool {
        if let Some(leaf) = self.leaf(one)
            && self.is_known(two)
        {
            let Some(value) = two.value(&self.messages).map(|seen| seen.to_value()) else { return false };
            return match Seen::of(&value) {
                Some(seen) => self.update(leaf, |domain| domain.relate(relation, &seen)),
                None => false,
            };
        }
        if !one.mentions(self.unknown) {
            return true;
        }
        let right = self.between(two);
        let wanted = match relation {
            Relation::Equal => right,
            Relation::Less => Between { high: right.high, without_high: true, ..Between::ALL },
            Relation::AtMost => Between { high: right.high, ..Between::ALL },
            Relation::Greater => Between { low: right.low, without_low: true, ..Between::ALL },
            Relation::AtLeast => Between { low: right.low, ..Between::ALL },
            _ => return true,
        };
        self.invert(one, wanted)
    }

    fn is_in(&mut self, one: &Term, domain: &term::Domain, wanted: bool) -> bool {
        match domain {
            term::Domain::Set(items) => {
                let Some(leaf) = self.leaf(one) else { return true };
                let all_known = items.iter().all(|item| self.is_known(item));
                let messages = self.messages;
                let values: Vec<Value> = items
                    .iter()
                    .filter_map(|item| item.value(&messages))
                    .map(|seen| seen.to_value())
                    .collect();
                let seen: Vec<Seen<'_>> = values.iter().filter_map(Seen::of).collect();
                if wanted {
                    return !all_known || self.update(leaf, |domain| domain.keep_among(&seen));
                }
                seen.iter().all(|seen| self.update(leaf, |domain| domain.relate(Relation::Unequal, seen)))
            }
            term::Domain::Range { ends, without_first, without_last } if wanted => {
                let after = if *without_first { Relation::Greater } else { Relation::AtLeast };
                let before = if *without_last { Relation::Less } else { Relation::AtMost };
                self.compare(after, one, &ends.0)
                    && self.compare(before, one, &ends.1)
                    && self.compare(turned(after), &ends.0, one)
                    && self.compare(turned(before), &ends.1, one)
            }
            term::Domain::Range { .. } => {
                let Some(leaf) = self.leaf(one) else { return true };
                let claim = Term::In(Box::new(one.clone()), domain.clone());
                let messages = self.messages;
                self.update(leaf, |domain| {
                    let before = domain.clone();
                    *domain = restricted(&claim, false, domain, &messages);
                    *domain != before
                })
            }
            term::Domain::Array(array) => {
                let Some(leaf) = self.leaf(one) else { return true };
                let Some(Seen::List(items)) = array.value(&self.messages) else { return true };
                let values: Vec<Value> = items.to_vec();
                if values.contains(&Value::Null) {
                    return true;
                }
                let seen: Vec<Seen<'_>> = values.iter().filter_map(Seen::of).collect();
                if wanted {
                    return self.update(leaf, |domain| domain.keep_among(&seen));
                }
                seen.iter().all(|seen| self.update(leaf, |domain| domain.relate(Relation::Unequal, seen)))
            }
        }
    }

    /// Between which numbers a term may be.
    fn between(&self, of: &Term) -> Between {
        if let Some(value) = of.value(&self.messages).filter(|_| self.is_known(of)) {
            return value.float().map_or(Between::ALL, |value| Between::new(value, value));
        }
        if let Some(leaf) = self.leaf(of) {
            return match &self.draft.leaves[leaf].domain {
                Domain::Number(scale, intervals) => match intervals.hull() {
                    Some((low, high)) => Between::new(scale.float(low), scale.float(high)),
                    None => Between::ALL,
                },
                _ => Between::ALL,
            };
        }
        match of {
            Term::Minus(inner) => {
                let inner = self.between(inner);
                Between::new(-inner.high, -inner.low)
            }
            Term::Arithmetic(operator, one, two) => {
                let (one, two) = (self.between(one), self.between(two));
                match operator {
                    Arithmetic::Add => Between::new(one.low + two.low, one.high + two.high),
                    Arithmetic::Subtract => Between::new(one.low - two.high, one.high - two.low),
                    Arithmetic::Multiply => {
                        let all =
                            [one.low * two.low, one.low * two.high, one.high * two.low, one.high * two.high];
                        hull(&all)
                    }
                    Arithmetic::Divide if two.low > 0.0 || two.high < 0.0 => {
                        let all =
                            [one.low / two.low, one.low / two.high, one.high / two.low, one.high / two.high];
                        hull(&all)
                    }
                    _ => Between::ALL,
                }
            }
            Term::Call(Function::Abs, arguments) => match arguments.as_slice() {
                [Argument::One(inner)] => {
                    let inner = self.between(inner);
                    let most = inner.low.abs().max(inner.high.abs());
                    let least = if inner.low > 0.0 {
                        inner.low
                    } else if inner.high < 0.0 {
                        -inner.high
                    } else {
                        0.0
                    };
                    Between::new(least, most)
                }
                _ => Between::ALL,
            },
            Term::Call(Function::Sqrt, _) => Between::new(0.0, f64::INFINITY),
            Term::Call(Function::Len, _) => Between::new(0.0, f64::INFINITY),
            _ => Between::ALL,
        }
    }

    /// Narrows what is inside of a term, so that it may be between two numbers.
    fn invert(&mut self, of: &Term, wanted: Between) -> bool {
        if wanted.low > wanted.high {
            return false;
        }
        if let Some(leaf) = self.leaf(of) {
            let below = if wanted.without_high { Relation::Less } else { Relation::AtMost };
            let above = if wanted.without_low { Relation::Greater } else { Relation::AtLeast };
            return self.update(leaf, |domain| {
                let low = wanted.low > f64::NEG_INFINITY && domain.relate(above, &Seen::Float(wanted.low));
                let high = wanted.high < f64::INFINITY && domain.relate(below, &Seen::Float(wanted.high));
                low || high
            });
        }
        if !of.mentions(self.unknown) {
            return true;
        }
        let between = |low: f64, high: f64| Between { low, high, ..wanted };
        match of {
            Term::Minus(inner) => self.invert(
                inner,
                Between {
                    low: -wanted.high,
                    high: -wanted.low,
                    without_low: wanted.without_high,
                    without_high: wanted.without_low,
                },
            ),
            Term::Arithmetic(operator, one, two) => {
                let (left, right) = (self.between(one), self.between(two));
                match operator {
                    Arithmetic::Add => {
                        self.invert(one, between(wanted.low - right.high, wanted.high - right.low).checked())
                            && self.invert(
                                two,
                                between(wanted.low - left.high, wanted.high - left.low).checked(),
                            )
                    }
                    Arithmetic::Subtract => {
                        let turned = Between {
                            low: left.low - wanted.high,
                            high: left.high - wanted.low,
                            without_low: wanted.without_high,
                            without_high: wanted.without_low,
                        };
                        self.invert(one, between(wanted.low + right.low, wanted.high + right.high).checked())
                            && self.invert(two, turned.checked())
                    }
                    Arithmetic::Multiply => self.divide(one, wanted, right) && self.divide(two, wanted, left),
                    Arithmetic::Divide if right.low > 0.0 || right.high < 0.0 => {
                        let all = [
                            wanted.low * right.low,
                            wanted.low * right.high,
                            wanted.high * right.low,
                            wanted.high * right.high,
                        ];
                        self.invert(one, hull(&all))
                    }
                    Arithmetic::Power if right.low == 2.0 && right.high == 2.0 => {
                        self.magnitude(one, wanted.low.max(0.0).sqrt(), wanted.high.sqrt(), wanted)
                    }
                    _ => true,
                }
            }
            Term::Call(function, arguments) => self.invert_call(*function, arguments, wanted),
            _ => true,
        }
    }

    /// A factor, if the product is between two numbers, and the other factor is.
    fn divide(&mut self, of: &Term, product: Between, by: Between) -> bool {
        if by.low <= 0.0 && by.high >= 0.0 {
            return true;
        }
        let all =
            [product.low / by.low, product.low / by.high, product.high / by.low, product.high / by.high];
        self.invert(of, hull(&all))
    }

    /// What is so far from 0.
    fn magnitude(&mut self, of: &Term, least: f64, most: f64, wanted: Between) -> bool {
        if most < 0.0 || most.is_nan() {
            return false;
        }
        let outside = Between {
            low: -most,
            high: most,
            without_low: wanted.without_high,
            without_high: wanted.without_high,
        };
        if !self.invert(of, outside) {
            return false;
        }
        match self.leaf(of) {
            Some(leaf) if least > 0.0 => {
                let (mut low, mut high) =
                    (self.draft.leaves[leaf].domain.clone(), self.draft.leaves[leaf].domain.clone());
                low.relate(
                    if wanted.without_low { Relation::Less } else { Relation::AtMost },
                    &Seen::Float(-least),
                );
                high.relate(
                    if wanted.without_low { Relation::Greater } else { Relation::AtLeast },
                    &Seen::Float(least),
                );
                self.update(leaf, |domain| {
                    let before = domain.clone();
                    *domain = union(low, high);
                    *domain != before
                })
            }
            _ => true,
        }
    }

    fn invert_call(&mut self, function: Function, arguments: &[Argument], wanted: Between) -> bool {
        let [Argument::One(inner), rest @ ..] = arguments else { return true };
        match function {
            Function::Abs => self.magnitude(inner, wanted.low.max(0.0), wanted.high, wanted),
            Function::Sqrt => {
                let low = wanted.low.max(0.0);
                wanted.high >= 0.0
                    && self
                        .invert(inner, Between { low: low * low, high: wanted.high * wanted.high, ..wanted })
            }
            Function::Float => self.invert(inner, wanted),
            Function::Int => self.invert(inner, Between::new(wanted.low - 1.0, wanted.high + 1.0)),
            Function::Ceil => self.invert(inner, Between::new(wanted.low - 1.0, wanted.high)),
            Function::Floor => self.invert(inner, Between::new(wanted.low, wanted.high + 1.0)),
            Function::Deg => self.invert(
                inner,
                Between { low: wanted.low.to_radians(), high: wanted.high.to_radians(), ..wanted },
            ),
            Function::Rad => self.invert(
                inner,
                Between { low: wanted.low.to_degrees(), high: wanted.high.to_degrees(), ..wanted },
            ),
            // The largest of all is no more than this if none is.
            Function::Max | Function::Min => {
                let each = if function == Function::Max {
                    Between { low: f64::NEG_INFINITY, without_low: false, ..wanted }
                } else {
                    Between { high: f64::INFINITY, without_high: false, ..wanted }
                };
                let mut terms: Vec<Term> = Vec::new();
                for argument in std::iter::once(&Argument::One(inner.clone())).chain(rest) {
                    let Argument::One(term) = argument else { return true };
                    match (term.value(&self.messages), term) {
                        (Some(Seen::List(items)), Term::Field(access)) => {
                            for index in 0..items.len() {
                                let mut access = access.clone();
                                access
                                    .steps
                                    .push(term::AccessStep::Index(Term::Constant(Value::Int(index as i128))));
                                terms.push(Term::Field(access));
                            }
                        }
                        _ => terms.push(term.clone()),
                    }
                }
                terms.iter().all(|term| self.invert(term, each))
            }
            _ => true,
        }
    }
}

/// Whether nothing of a value is left open.
fn is_decided(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::List(items) => items.iter().all(is_decided),
        Value::Record(record) => record.values().iter().all(is_decided),
        _ => true,
    }
}

impl Between {
    /// Infinities that cancel each other say nothing.
    fn checked(self) -> Between {
        Between {
            low: if self.low.is_nan() { f64::NEG_INFINITY } else { self.low },
            high: if self.high.is_nan() { f64::INFINITY } else { self.high },
            ..self
        }
    }
}

fn hull(all: &[f64]) -> Between {
    if all.iter().any(|value| value.is_nan()) {
        return Between::ALL;
    }
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Between::new(low, high)
}

/// What is left of the values of a field by a condition on it alone.
fn restricted(claim: &Term, wanted: bool, domain: &Domain, messages: &Messages<'_>) -> Domain {
    let mut left = domain.clone();
    match (claim, wanted) {
        (Term::Not(inner), _) => return restricted(inner, !wanted, domain, messages),
        (Term::Or(one, two), true) | (Term::And(one, two), false) => {
            return union(
                restricted(one, wanted, domain, messages),
                restricted(two, wanted, domain, messages),
            );
        }
        (Term::Or(one, two), false) | (Term::And(one, two), true) => {
            let one = restricted(one, wanted, domain, messages);
            return restricted(two, wanted, &one, messages);
        }
        (Term::Compare(relation, one, two), _) => {
            let relation = if wanted { *relation } else { opposite(*relation) };
            match (&**one, &**two) {
                (_, Term::Constant(value)) => {
                    if let Some(seen) = Seen::of(value) {
                        left.relate(relation, &seen);
                    }
                }
                (Term::Constant(value), _) => {
                    if let Some(seen) = Seen::of(value) {
                        left.relate(turned(relation), &seen);
                    }
                }
                _ => {}
            }
        }
        (Term::In(_, term::Domain::Set(items)), _) => {
            let seen: Vec<Seen<'_>> = items.iter().filter_map(|item| item.value(messages)).collect();
            if wanted {
                left.keep_among(&seen);
            } else {
                seen.iter().for_each(|seen| {
                    left.relate(Relation::Unequal, seen);
                });
            }
        }
        (Term::In(_, term::Domain::Range { ends, without_first, without_last }), _) => {
            let (Some(first), Some(last)) = (ends.0.value(messages), ends.1.value(messages)) else {
                return left;
            };
            let after = if *without_first { Relation::Greater } else { Relation::AtLeast };
            let before = if *without_last { Relation::Less } else { Relation::AtMost };
            if wanted {
                left.relate(after, &first);
                left.relate(before, &last);
            } else {
                let (mut low, mut high) = (left.clone(), left);
                low.relate(opposite(after), &first);
                high.relate(opposite(before), &last);
                return union(low, high);
            }
        }
        _ => {}
    }
    left
}

fn union(one: Domain, two: Domain) -> Domain {
    match (one, two) {
        (Domain::Number(scale, mut one), Domain::Number(_, two)) => {
            one.parts.extend(two.parts);
            let parts = std::mem::take(&mut one.parts);
            let mut all = super::domain::Intervals::all(i128::MIN, i128::MAX);
            all.keep_any(&parts);
            Domain::Number(scale, all)
        }
        (
            Domain::Bool { may_be_false, may_be_true },
            Domain::Bool { may_be_false: or_false, may_be_true: or_true },
        ) => Domain::Bool { may_be_false: may_be_false || or_false, may_be_true: may_be_true || or_true },
        (Domain::Text { among: Some(mut one), .. }, Domain::Text { among: Some(two), .. }) => {
            one.extend(two);
            Domain::Text { among: Some(one), without: Vec::new() }
        }
        // (What is not said of both is not said.)
        (Domain::Text { without: one, .. }, Domain::Text { without: two, .. }) => {
            let without = one.into_iter().filter(|text| two.contains(text)).collect();
            Domain::Text { among: None, without }
        }
        (one, _) => one,
    }
}
