//! Conditions, resolved: what they say of messages, and whether it is so.

use crate::hpl::{Arithmetic, Function, Relation};
use crate::value::{Record, Value, compare_int_float, hash_float, hash_int};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Which message of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Slot {
    Activator,
    First,
    Second,
    Terminator,
}

impl Slot {
    pub(crate) const COUNT: usize = 4;
}

/// The messages that a condition speaks of.
pub(crate) type Messages<'a> = [Option<&'a Value>; Slot::COUNT];

/// An expression over the fields of messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    Constant(Value),
    Field(Access),
    Not(Box<Term>),
    And(Box<Term>, Box<Term>),
    Or(Box<Term>, Box<Term>),
    Iff(Box<Term>, Box<Term>),
    Compare(Relation, Box<Term>, Box<Term>),
    In(Box<Term>, Domain),
    Minus(Box<Term>),
    Arithmetic(Arithmetic, Box<Term>, Box<Term>),
    Call(Function, Vec<Argument>),
    Quantified { all: bool, domain: Domain, body: Box<Term> },
}

/// An argument of a function: a value, or several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Argument {
    One(Term),
    /// A set or a range.
    Several(Domain),
}

/// What `in` and quantifiers look at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Domain {
    Set(Vec<Term>),
    Range {
        ends: Box<(Term, Term)>,
        without_first: bool,
        without_last: bool,
    },
    /// For quantifiers its indices, for `in` its values.
    Array(Box<Term>),
}

/// A path to a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Access {
    pub(crate) root: AccessRoot,
    pub(crate) steps: Vec<AccessStep>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AccessRoot {
    Message(Slot),
    /// The variable of the quantifier so many further out.
    Variable(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AccessStep {
    Field(FieldName),
    Index(Term),
}

/// The name of a field, with the place where it was last.
#[derive(Debug)]
pub(crate) struct FieldName {
    pub(crate) name: Box<str>,
    place: AtomicUsize,
}

impl FieldName {
    pub(crate) fn new(name: &str) -> FieldName {
        FieldName { name: name.into(), place: AtomicUsize::new(0) }
    }

    #[inline]
    fn of<'a>(&self, record: &'a Record) -> Option<&'a Value> {
        let place = self.place.load(Relaxed);
        if record.names().name(place) == Some(&self.name) {
            return record.values().get(place);
        }
        let place = record.names().place(&self.name)?;
        self.place.store(place, Relaxed);
        record.values().get(place)
    }
}

impl PartialEq for FieldName {
    fn eq(&self, other: &FieldName) -> bool {
        self.name == other.name
    }
}

impl Clone for FieldName {
    fn clone(&self) -> FieldName {
        FieldName { name: self.name.clone(), place: AtomicUsize::new(self.place.load(Relaxed)) }
    }
}

/// A value that is looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen<'a> {
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Cow<'a, str>),
    List(&'a [Value]),
    Record(&'a Record),
}

impl<'a> Seen<'a> {
    #[inline]
    pub(crate) fn of(value: &'a Value) -> Option<Seen<'a>> {
        Some(match value {
            Value::Null => return None,
            Value::Bool(value) => Seen::Bool(*value),
            Value::Int(value) => Seen::Int(*value),
            Value::Float(value) => Seen::Float(*value),
            Value::Text(value) => Seen::Text(Cow::Borrowed(value)),
            Value::List(items) => Seen::List(items),
            Value::Record(record) => Seen::Record(record),
        })
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Seen::Bool(value) => Value::Bool(*value),
            Seen::Int(value) => Value::Int(*value),
            Seen::Float(value) => Value::Float(*value),
            Seen::Text(text) => Value::Text(text.as_ref().into()),
            Seen::List(items) => Value::List(items.to_vec()),
            Seen::Record(record) => Value::Record((*record).clone()),
        }
    }

    pub(crate) fn float(&self) -> Option<f64> {
        match self {
            Seen::Int(value) => Some(*value as f64),
            Seen::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Adds it to a hash; equal values are hashed alike. False for what equals nothing.
    pub(crate) fn hash(&self, state: &mut impl Hasher) -> bool {
        match self {
            Seen::Bool(value) => value.hash(state),
            Seen::Int(value) => hash_int(*value, state),
            Seen::Float(value) => return hash_float(*value, state),
            Seen::Text(text) => text.hash(state),
            // (These are seldom looked up; whoever is found is compared.)
            Seen::List(items) => items.len().hash(state),
            Seen::Record(_) => {}
        }
        true
    }
}

/// How two values stand to each other: which is less, where there is an order at all, or else whether they are equal.
fn compare(one: &Seen<'_>, two: &Seen<'_>) -> Result<Option<Ordering>, bool> {
    Ok(match (one, two) {
        (Seen::Int(one), Seen::Int(two)) => Some(one.cmp(two)),
        (Seen::Float(one), Seen::Float(two)) => one.partial_cmp(two),
        (Seen::Int(one), Seen::Float(two)) => compare_int_float(*one, *two),
        (Seen::Float(one), Seen::Int(two)) => compare_int_float(*two, *one).map(Ordering::reverse),
        (Seen::Text(one), Seen::Text(two)) => return Err(one == two),
        (Seen::Bool(one), Seen::Bool(two)) => return Err(one == two),
        (Seen::List(one), Seen::List(two)) => {
            return Err(one.len() == two.len() && one.iter().zip(*two).all(|(one, two)| equal(one, two)));
        }
        (Seen::Record(one), Seen::Record(two)) => {
            let same = |(name, value): (&str, &Value)| two.get(name).is_some_and(|other| equal(value, other));
            return Err(one.values().len() == two.values().len() && one.iter().all(same));
        }
        _ => return Err(false),
    })
}

fn equal(one: &Value, two: &Value) -> bool {
    match (Seen::of(one), Seen::of(two)) {
        (Some(one), Some(two)) => holds(Relation::Equal, &one, &two),
        _ => false,
    }
}

pub(crate) fn holds(relation: Relation, one: &Seen<'_>, two: &Seen<'_>) -> bool {
    match (compare(one, two), relation) {
        (Err(equal), Relation::Equal) => equal,
        (Err(equal), Relation::Unequal) => !equal,
        (Err(_), _) => false,
        // Of what is no number, only that it is unequal.
        (Ok(None), relation) => relation == Relation::Unequal,
        (Ok(Some(order)), relation) => match relation {
            Relation::Equal => order.is_eq(),
            Relation::Unequal => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::AtMost => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::AtLeast => order.is_ge(),
            Relation::In => false,
        },
    }
}

/// The values of variables, innermost first.
pub(crate) struct Frame<'f> {
    /// Nothing, if what it stands for has no value.
    value: Option<Seen<'f>>,
    outer: Option<&'f Frame<'f>>,
}

/// Ranges of more whole numbers are not walked through.
pub(crate) const RANGE_MAX: i128 = 10_000_000;

impl Term {
    /// Whether it is so of these messages.
    #[inline]
    pub(crate) fn is_true(&self, messages: &Messages<'_>) -> bool {
        self.holds(messages, None)
    }

    /// Its value; nothing if it has none.
    pub(crate) fn value<'a>(&'a self, messages: &Messages<'a>) -> Option<Seen<'a>> {
        self.eval(messages, None)
    }

    fn holds(&self, messages: &Messages<'_>, frame: Option<&Frame<'_>>) -> bool {
        match self {
            Term::Not(of) => !of.holds(messages, frame),
            Term::And(one, two) => one.holds(messages, frame) && two.holds(messages, frame),
            Term::Or(one, two) => one.holds(messages, frame) || two.holds(messages, frame),
            Term::Iff(one, two) => one.holds(messages, frame) == two.holds(messages, frame),
            Term::Compare(relation, one, two) => match (one.eval(messages, frame), two.eval(messages, frame))
            {
                (Some(one), Some(two)) => holds(*relation, &one, &two),
                _ => false,
            },
            Term::In(one, domain) => {
                one.eval(messages, frame).is_some_and(|one| domain.has(&one, messages, frame))
            }
            Term::Quantified { all, domain, body } => {
                let mut found = false;
                let is_there = domain.each(messages, frame, &mut |value| {
                    let inner = Frame { value, outer: frame };
                    found = body.holds(messages, Some(&inner)) != *all;
                    !found
                });
                // Over an array that is not there, nothing is so.
                is_there && found != *all
            }
            _ => matches!(self.eval(messages, frame), Some(Seen::Bool(true))),
        }
    }

    fn eval<'a>(&'a self, messages: &Messages<'a>, frame: Option<&Frame<'a>>) -> Option<Seen<'a>> {
        match self {
            Term::Constant(value) => Seen::of(value),
            Term::Field(access) => access.value(messages, frame),
            Term::Minus(of) => match of.eval(messages, frame)? {
                Seen::Int(value) => value.checked_neg().map(Seen::Int),
                Seen::Float(value) => Some(Seen::Float(-value)),
                _ => None,
            },
            Term::Arithmetic(operator, one, two) => {
                calculate(*operator, &one.eval(messages, frame)?, &two.eval(messages, frame)?)
            }
            Term::Call(function, arguments) => call(*function, arguments, messages, frame),
            _ => Some(Seen::Bool(self.holds(messages, frame))),
        }
    }

    /// Calls something with each access in it, and how many quantifiers are around it.
    pub(crate) fn each_access<'t>(&'t self, see: &mut dyn FnMut(&'t Access)) {
        match self {
            Term::Constant(_) => {}
            Term::Field(access) => {
                see(access);
                for step in &access.steps {
                    if let AccessStep::Index(index) = step {
                        index.each_access(see);
                    }
                }
            }
            Term::Not(of) | Term::Minus(of) => of.each_access(see),
            Term::And(one, two)
            | Term::Or(one, two)
            | Term::Iff(one, two)
            | Term::Compare(_, one, two)
            | Term::Arithmetic(_, one, two) => {
                one.each_access(see);
                two.each_access(see);
            }
            Term::In(one, domain) => {
                one.each_access(see);
                domain.each_access(see);
            }
            Term::Call(_, arguments) => {
                for argument in arguments {
                    match argument {
                        Argument::One(one) => one.each_access(see),
                        Argument::Several(domain) => domain.each_access(see),
                    }
                }
            }
            Term::Quantified { domain, body, .. } => {
                domain.each_access(see);
                body.each_access(see);
            }
        }
    }

    /// Whether it speaks of a message.
    pub(crate) fn mentions(&self, slot: Slot) -> bool {
        let mut mentions = false;
        self.each_access(&mut |access| mentions |= access.root == AccessRoot::Message(slot));
        mentions
    }

    /// Whether it speaks of no message and no variable.
    pub(crate) fn is_closed(&self) -> bool {
        let mut is_closed = true;
        self.each_access(&mut |_| is_closed = false);
        is_closed
    }

    /// The same of another message.
    pub(crate) fn moved(&self, from: Slot, to: Slot) -> Term {
        let mut term = self.clone();
        term.each_access_mut(&mut |access| {
            if access.root == AccessRoot::Message(from) {
                access.root = AccessRoot::Message(to);
            }
        });
        term
    }

    fn each_access_mut(&mut self, change: &mut dyn FnMut(&mut Access)) {
        match self {
            Term::Constant(_) => {}
            Term::Field(access) => {
                change(access);
                for step in &mut access.steps {
                    if let AccessStep::Index(index) = step {
                        index.each_access_mut(change);
                    }
                }
            }
            Term::Not(of) | Term::Minus(of) => of.each_access_mut(change),
            Term::And(one, two)
            | Term::Or(one, two)
            | Term::Iff(one, two)
            | Term::Compare(_, one, two)
            | Term::Arithmetic(_, one, two) => {
                one.each_access_mut(change);
                two.each_access_mut(change);
            }
            Term::In(one, domain) => {
                one.each_access_mut(change);
                domain.each_access_mut(change);
            }
            Term::Call(_, arguments) => {
                for argument in arguments {
                    match argument {
                        Argument::One(one) => one.each_access_mut(change),
                        Argument::Several(domain) => domain.each_access_mut(change),
                    }
                }
            }
            Term::Quantified { domain, body, .. } => {
                domain.each_access_mut(change);
                body.each_access_mut(change);
            }
        }
    }

    /// The parts that must all be so.
    pub(crate) fn conjuncts(&self) -> Vec<&Term> {
        match self {
            Term::And(one, two) => {
                let mut parts = one.conjuncts();
                parts.extend(two.conjuncts());
                parts
            }
            other => vec![other],
        }
    }
}

impl Domain {
    pub(crate) fn each_access<'t>(&'t self, see: &mut dyn FnMut(&'t Access)) {
        match self {
            Domain::Set(items) => items.iter().for_each(|item| item.each_access(see)),
            Domain::Range { ends, .. } => {
                ends.0.each_access(see);
                ends.1.each_access(see);
            }
            Domain::Array(array) => array.each_access(see),
        }
    }

    fn each_access_mut(&mut self, change: &mut dyn FnMut(&mut Access)) {
        match self {
            Domain::Set(items) => items.iter_mut().for_each(|item| item.each_access_mut(change)),
            Domain::Range { ends, .. } => {
                ends.0.each_access_mut(change);
                ends.1.each_access_mut(change);
            }
            Domain::Array(array) => array.each_access_mut(change),
        }
    }

    fn has(&self, one: &Seen<'_>, messages: &Messages<'_>, frame: Option<&Frame<'_>>) -> bool {
        let is = |item: Option<Seen<'_>>| item.is_some_and(|item| holds(Relation::Equal, one, &item));
        match self {
            Domain::Set(items) => items.iter().any(|item| is(item.eval(messages, frame))),
            Domain::Range { ends, without_first, without_last } => {
                let (Some(first), Some(last)) = (ends.0.eval(messages, frame), ends.1.eval(messages, frame))
                else {
                    return false;
                };
                let after = if *without_first { Relation::Greater } else { Relation::AtLeast };
                let before = if *without_last { Relation::Less } else { Relation::AtMost };
                holds(after, one, &first) && holds(before, one, &last)
            }
            Domain::Array(array) => match array.eval(messages, frame) {
                Some(Seen::List(items)) => items.iter().any(|item| is(Seen::of(item))),
                _ => false,
            },
        }
    }

    /// Calls something with each value (for arrays: each index) until it is enough; false if there is nothing to look at.
    fn each(
        &self,
        messages: &Messages<'_>,
        frame: Option<&Frame<'_>>,
        see: &mut dyn FnMut(Option<Seen<'_>>) -> bool,
    ) -> bool {
        match self {
            Domain::Set(items) => {
                let _ = items.iter().all(|item| see(item.eval(messages, frame)));
                true
            }
            Domain::Range { ends, without_first, without_last } => {
                let (Some(first), Some(last)) = (ends.0.eval(messages, frame), ends.1.eval(messages, frame))
                else {
                    return false;
                };
                let Some((first, last)) = whole_range(&first, &last, *without_first, *without_last) else {
                    return false;
                };
                let _ = (first..=last).all(|value| see(Some(Seen::Int(value))));
                true
            }
            Domain::Array(array) => match array.eval(messages, frame) {
                Some(Seen::List(items)) => {
                    let _ = (0..items.len()).all(|index| see(Some(Seen::Int(index as i128))));
                    true
                }
                _ => false,
            },
        }
    }
}

/// The whole numbers of a range; nothing if its ends are none, or there are too many.
pub(crate) fn whole_range(
    first: &Seen<'_>,
    last: &Seen<'_>,
    without_first: bool,
    without_last: bool,
) -> Option<(i128, i128)> {
    let whole = |value: &Seen<'_>, up: bool| match value {
        Seen::Int(value) => Some((*value, true)),
        Seen::Float(value) if value.abs() < 1e18 => {
            let rounded = if up { value.ceil() } else { value.floor() };
            Some((rounded as i128, rounded == *value))
        }
        _ => None,
    };
    let ((first, first_exact), (last, last_exact)) = (whole(first, true)?, whole(last, false)?);
    let first = first.checked_add(i128::from(without_first && first_exact))?;
    let last = last.checked_sub(i128::from(without_last && last_exact))?;
    (last.checked_sub(first)? <= RANGE_MAX).then_some((first, last))
}

impl Access {
    #[inline]
    fn value<'a>(&'a self, messages: &Messages<'a>, frame: Option<&Frame<'a>>) -> Option<Seen<'a>> {
        let mut value = match self.root {
            AccessRoot::Message(slot) => messages[slot as usize]?,
            AccessRoot::Variable(out) => {
                let mut bound = frame?;
                for _ in 0..out {
                    bound = bound.outer?;
                }
                let bound = bound.value.as_ref()?;
                let Some((first, rest)) = self.steps.split_first() else { return Some(bound.clone()) };
                let mut value = match (bound, first) {
                    (Seen::Record(record), AccessStep::Field(name)) => name.of(record)?,
                    (Seen::List(items), AccessStep::Index(index)) => element(items, index, messages, frame)?,
                    _ => return None,
                };
                for step in rest {
                    value = take(value, step, messages, frame)?;
                }
                return Seen::of(value);
            }
        };
        for step in &self.steps {
            value = take(value, step, messages, frame)?;
        }
        Seen::of(value)
    }
}

/// An element of an array.
fn element<'a>(
    items: &'a [Value],
    index: &'a Term,
    messages: &Messages<'a>,
    frame: Option<&Frame<'a>>,
) -> Option<&'a Value> {
    match index.eval(messages, frame)? {
        Seen::Int(index) => items.get(usize::try_from(index).ok()?),
        Seen::Float(index) if index.fract() == 0.0 && index >= 0.0 => items.get(index as usize),
        _ => None,
    }
}

#[inline]
fn take<'a>(
    value: &'a Value,
    step: &'a AccessStep,
    messages: &Messages<'a>,
    frame: Option<&Frame<'a>>,
) -> Option<&'a Value> {
    match (value, step) {
        (Value::Record(record), AccessStep::Field(name)) => name.of(record),
        (Value::List(items), AccessStep::Index(index)) => element(items, index, messages, frame),
        _ => None,
    }
}

/// Arithmetic: exact in whole numbers, floats otherwise.
pub(crate) fn calculate<'a>(operator: Arithmetic, one: &Seen<'_>, two: &Seen<'_>) -> Option<Seen<'a>> {
    if let (Seen::Int(one), Seen::Int(two)) = (one, two) {
        let whole = match operator {
            Arithmetic::Add => one.checked_add(*two),
            Arithmetic::Subtract => one.checked_sub(*two),
            Arithmetic::Multiply => one.checked_mul(*two),
            Arithmetic::Power if *two >= 0 => return power(*one, *two).map(Seen::Int),
            _ => return real(operator, *one as f64, *two as f64).map(Seen::Float),
        };
        return whole.map(Seen::Int);
    }
    real(operator, one.float()?, two.float()?).map(Seen::Float)
}

fn power(base: i128, exponent: i128) -> Option<i128> {
    match base {
        0 => Some(i128::from(exponent == 0)),
        1 => Some(1),
        -1 => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => base.checked_pow(u32::try_from(exponent).ok()?),
    }
}

fn real(operator: Arithmetic, one: f64, two: f64) -> Option<f64> {
    Some(match operator {
        Arithmetic::Add => one + two,
        Arithmetic::Subtract => one - two,
        Arithmetic::Multiply => one * two,
        Arithmetic::Divide if two == 0.0 => return None,
        Arithmetic::Divide => one / two,
        Arithmetic::Power => {
            let value = one.powf(two);
            let is_out = value.is_nan() && !one.is_nan() && !two.is_nan() || one == 0.0 && two < 0.0;
            return (!is_out).then_some(value);
        }
    })
}

fn call<'a>(
    function: Function,
    arguments: &'a [Argument],
    messages: &Messages<'a>,
    frame: Option<&Frame<'a>>,
) -> Option<Seen<'a>> {
    let one = |place: usize| match arguments.get(place)? {
        Argument::One(term) => term.eval(messages, frame),
        Argument::Several(_) => None,
    };
    let float = |place: usize| one(place)?.float();
    let by = |of: fn(f64) -> f64| Some(Seen::Float(of(float(0)?)));
    let within = |least: f64, most: f64, of: fn(f64) -> f64| {
        // (Of what is no number, nothing is a number.)
        let value = float(0)?;
        (value.is_nan() || (least..=most).contains(&value)).then(|| Seen::Float(of(value)))
    };
    match function {
        Function::Abs => match one(0)? {
            Seen::Int(value) => value.checked_abs().map(Seen::Int),
            Seen::Float(value) => Some(Seen::Float(value.abs())),
            _ => None,
        },
        Function::Bool => Some(Seen::Bool(match one(0)? {
            Seen::Bool(value) => value,
            Seen::Int(value) => value != 0,
            Seen::Float(value) => value != 0.0,
            Seen::Text(text) => !text.is_empty(),
            Seen::List(items) => !items.is_empty(),
            Seen::Record(_) => return None,
        })),
        Function::Int => match one(0)? {
            Seen::Bool(value) => Some(Seen::Int(value.into())),
            Seen::Int(value) => Some(Seen::Int(value)),
            Seen::Float(value) => whole(value.trunc()),
            Seen::Text(text) => text.trim().parse().ok().map(Seen::Int),
            _ => None,
        },
        Function::Float => match one(0)? {
            Seen::Bool(value) => Some(Seen::Float(f64::from(u8::from(value)))),
            Seen::Text(text) => text.trim().parse().ok().map(Seen::Float),
            other => other.float().map(Seen::Float),
        },
        Function::Str => Some(Seen::Text(Cow::Owned(match one(0)? {
            Seen::Bool(true) => "True".into(),
            Seen::Bool(false) => "False".into(),
            Seen::Text(text) => text.into_owned(),
            other => other.to_value().to_string(),
        }))),
        Function::Len => match arguments.first()? {
            Argument::Several(_) => Some(Seen::Int(several(arguments, messages, frame)?.len() as i128)),
            Argument::One(_) => match one(0)? {
                Seen::List(items) => Some(Seen::Int(items.len() as i128)),
                Seen::Text(text) => Some(Seen::Int(text.chars().count() as i128)),
                _ => None,
            },
        },
        Function::Sum | Function::Prod | Function::Min | Function::Max | Function::Gcd => {
            let values = several(arguments, messages, frame)?;
            fold(function, &values)
        }
        Function::Sqrt => within(0.0, f64::INFINITY, f64::sqrt),
        Function::Ceil => rounded(one(0)?, f64::ceil),
        Function::Floor => rounded(one(0)?, f64::floor),
        Function::Log => {
            let value = float(0)?;
            let base = if arguments.len() == 2 { float(1)? } else { std::f64::consts::E };
            let is_in = value > 0.0 && base > 0.0 && base != 1.0;
            (is_in || value.is_nan() || base.is_nan())
                .then(|| Seen::Float(if arguments.len() == 2 { value.ln() / base.ln() } else { value.ln() }))
        }
        Function::Sin => by(f64::sin),
        Function::Cos => by(f64::cos),
        Function::Tan => by(f64::tan),
        Function::Asin => within(-1.0, 1.0, f64::asin),
        Function::Acos => within(-1.0, 1.0, f64::acos),
        Function::Atan => by(f64::atan),
        Function::Atan2 => Some(Seen::Float(float(0)?.atan2(float(1)?))),
        Function::Deg => by(f64::to_degrees),
        Function::Rad => by(f64::to_radians),
        Function::Roll | Function::Pitch | Function::Yaw => {
            let quaternion = if arguments.len() == 4 {
                [float(0)?, float(1)?, float(2)?, float(3)?]
            } else {
                let Seen::Record(record) = one(0)? else { return None };
                let part = |name: &str| Seen::of(record.get(name)?)?.float();
                [part("x")?, part("y")?, part("z")?, part("w")?]
            };
            Some(Seen::Float(angle(function, quaternion)))
        }
    }
}

fn angle(function: Function, [x, y, z, w]: [f64; 4]) -> f64 {
    match function {
        Function::Roll => (2.0 * (w * x + y * z)).atan2(1.0 - 2.0 * (x * x + y * y)),
        Function::Pitch => (2.0 * (w * y - z * x)).clamp(-1.0, 1.0).asin(),
        _ => (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z)),
    }
}

fn whole<'a>(value: f64) -> Option<Seen<'a>> {
    // (Beyond, nothing is exact.)
    (value.abs() < i128::MAX as f64).then_some(Seen::Int(value as i128))
}

fn rounded(value: Seen<'_>, round: fn(f64) -> f64) -> Option<Seen<'_>> {
    match value {
        Seen::Int(value) => Some(Seen::Int(value)),
        Seen::Float(value) => whole(round(value)),
        _ => None,
    }
}

/// The values of arguments: those of an array, or they themselves.
fn several<'a>(
    arguments: &'a [Argument],
    messages: &Messages<'a>,
    frame: Option<&Frame<'a>>,
) -> Option<Vec<Seen<'a>>> {
    let mut values = Vec::new();
    for argument in arguments {
        match argument {
            Argument::Several(Domain::Set(items)) => {
                for item in items {
                    values.push(item.eval(messages, frame)?);
                }
            }
            Argument::Several(Domain::Range { ends, without_first, without_last }) => {
                let (first, last) = (ends.0.eval(messages, frame)?, ends.1.eval(messages, frame)?);
                let (first, last) = whole_range(&first, &last, *without_first, *without_last)?;
                values.extend((first..=last).map(Seen::Int));
            }
            Argument::Several(Domain::Array(_)) => return None,
            Argument::One(term) => match term.eval(messages, frame)? {
                Seen::List(items) => {
                    for item in items {
                        values.push(Seen::of(item)?);
                    }
                }
                other => values.push(other),
            },
        }
    }
    Some(values)
}

fn fold<'a>(function: Function, values: &[Seen<'a>]) -> Option<Seen<'a>> {
    let numbers = values.iter().all(|value| matches!(value, Seen::Int(_) | Seen::Float(_)));
    if !numbers {
        return None;
    }
    match function {
        Function::Sum => {
            values.iter().try_fold(Seen::Int(0), |sum, value| calculate(Arithmetic::Add, &sum, value))
        }
        Function::Prod => values
            .iter()
            .try_fold(Seen::Int(1), |product, value| calculate(Arithmetic::Multiply, &product, value)),
        Function::Min | Function::Max => {
            let relation = if function == Function::Min { Relation::Less } else { Relation::Greater };
            let mut best = values.first()?;
            for value in values {
                if holds(relation, value, best) {
                    best = value;
                }
            }
            Some(best.clone())
        }
        _ => values
            .iter()
            .try_fold(0u128, |divisor, value| match value {
                Seen::Int(value) => Some(greatest_divisor(divisor, value.unsigned_abs())),
                _ => None,
            })
            .and_then(|divisor| i128::try_from(divisor).ok())
            .map(Seen::Int),
    }
}

fn greatest_divisor(mut one: u128, mut two: u128) -> u128 {
    while two != 0 {
        (one, two) = (two, one % two);
    }
    one
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Slot::Activator => "activator",
            Slot::First => "first event",
            Slot::Second => "second event",
            Slot::Terminator => "terminator",
        })
    }
}
