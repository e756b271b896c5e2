//! Messages that are made to meet conditions, rather than drawn until they do.
//!
//! Conditions are taken apart into simple claims about fields; each claim narrows what the field may be, by itself or by what the others may
//! be; then one field after the other is drawn from what is left.

mod branch;
mod domain;
mod narrow;

use branch::{Claim, branches};
pub(crate) use branch::{Wish, opposite, turned, with_variable};
use domain::{Domain, Intervals, Scale};
use narrow::narrow;

use crate::hpl::Function;
use crate::term::{self, Access, AccessRoot, AccessStep, Argument, Messages, Slot, Term};
use crate::types::{MessageType, Type};
use crate::value::{Record, Value};
use gainsay_core::Case;
use std::sync::Arc;

/// Which values are sent where nothing says otherwise.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Policy {
    /// Whether floats may be no numbers: no.
    pub nan: bool,
    /// Whether floats may be infinite: no.
    pub infinite: bool,
    /// Arrays have at most so many elements: 4.
    pub array_max: usize,
    /// Text has at most so many characters: 8.
    pub text_max: usize,
    /// Numbers of a type (`float64`) or field (`Laser.dist`) are within these.
    pub ranges: Vec<(String, f64, f64)>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { nan: false, infinite: false, array_max: 4, text_max: 8, ranges: Vec::new() }
    }
}

impl Policy {
    pub(crate) fn range(&self, owner: &str, field: &str, kind: &Type) -> Option<(f64, f64)> {
        if self.ranges.is_empty() {
            return None;
        }
        let of_field = format!("{owner}.{field}");
        let kind = kind.to_string();
        let by_field = self.ranges.iter().find(|(name, ..)| *name == of_field);
        by_field
            .or_else(|| self.ranges.iter().find(|(name, ..)| *name == kind))
            .map(|(_, low, high)| (*low, *high))
    }
}

/// Values that are worth trying in a field, by its path.
pub(crate) trait Favoured {
    /// Values, some several times: the more often, the more they are worth.
    fn values(&self, path: &str) -> Vec<Value>;

    /// Values that the system has produced for this field, the latest first.
    fn produced(&self, path: &str) -> Vec<Value>;
}

/// A field that has a single value.
#[derive(Debug, Clone)]
struct Leaf {
    /// From the message to the field: places of fields, and indices.
    way: Vec<usize>,
    /// The names on the way, without indices.
    path: String,
    domain: Domain,
    is_narrowed: bool,
}

/// A message that is being made. What is not decided yet is nothing.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    made: Value,
    leaves: Vec<Leaf>,
}

/// Makes a message that meets all wishes; nothing if none was found.
pub(crate) fn construct(
    case: &mut Case,
    of: &Type,
    wishes: &[Wish<'_>],
    policy: &Policy,
    favoured: &dyn Favoured,
) -> Option<Value> {
    for _ in 0..ATTEMPTS {
        let mut draft = Draft { made: Value::Null, leaves: Vec::new() };
        draft.made = draft.skeleton(case, of, wishes, policy, ("", ""), &mut Vec::new(), &mut String::new());
        if wishes.is_empty() {
            draft.fill(case, &[], wishes, policy, favoured);
            return Some(draft.made);
        }
        let mut possible: Vec<(Draft, Vec<Claim>)> = Vec::new();
        for claims in branches(wishes, &draft.made) {
            let mut one = draft.clone();
            if narrow(&mut one, &claims, wishes) {
                possible.push((one, claims));
            }
        }
        if possible.is_empty() {
            // Another length of an array may do.
            if !has_arrays(of) {
                return None;
            }
            continue;
        }
        let chosen = if possible.len() > 1 { case.index(possible.len()) } else { 0 };
        let (mut draft, claims) = possible.swap_remove(chosen);
        if draft.fill(case, &claims, wishes, policy, favoured)
            && wishes.iter().all(|wish| wish.is_met(&draft.made))
        {
            return Some(draft.made);
        }
    }
    None
}

/// Before it is given up.
const ATTEMPTS: usize = 4;

/// Whether a condition on messages of a type can be true (or false) at all. Sound: what is called impossible is.
pub(crate) fn is_possible(of: &Type, term: &Term, wanted: bool, slot: Slot) -> bool {
    let mut simple = true;
    term.each_access(&mut |access| simple &= access.root == AccessRoot::Message(slot));
    // (Of floats that are no numbers, a relation and its opposite are both false.)
    let single = |access: &Access| kind_of(of, access).is_some_and(|kind| Domain::of(kind, true).is_some());
    term.each_access(&mut |access| simple &= single(access));
    if !simple || has_refused_floats(of, term, wanted) {
        return true;
    }
    let wish = Wish { term: term.clone(), wanted, unknown: slot, known: [None; Slot::COUNT] };
    let mut draft = Draft { made: Value::Null, leaves: Vec::new() };
    let policy = Policy { nan: true, infinite: true, ..Policy::default() };
    let wishes = [wish];
    let mut case = Case::random(0, 0);
    draft.made =
        draft.skeleton(&mut case, of, &wishes, &policy, ("", ""), &mut Vec::new(), &mut String::new());
    branches(&wishes, &draft.made).into_iter().any(|claims| narrow(&mut draft.clone(), &claims, &wishes))
}

/// The type of what an access leads to, by fields alone.
fn kind_of<'t>(of: &'t Type, access: &Access) -> Option<&'t Type> {
    access.steps.iter().try_fold(of, |kind, step| match (kind, step) {
        (Type::Record(message), AccessStep::Field(name)) => message.field(&name.name),
        _ => None,
    })
}

/// Whether a relation of floats must not hold somewhere.
fn has_refused_floats(of: &Type, term: &Term, wanted: bool) -> bool {
    match term {
        Term::Not(inner) => has_refused_floats(of, inner, !wanted),
        Term::And(one, two) | Term::Or(one, two) => {
            has_refused_floats(of, one, wanted) || has_refused_floats(of, two, wanted)
        }
        Term::Compare(..) | Term::In(..) if wanted => false,
        Term::Constant(_) | Term::Field(_) => false,
        other => {
            let mut has_floats = false;
            other.each_access(&mut |access| {
                has_floats |= matches!(kind_of(of, access), Some(Type::Float32 | Type::Float64));
            });
            has_floats
        }
    }
}

fn has_arrays(of: &Type) -> bool {
    match of {
        Type::Array(..) => true,
        Type::Record(message) => message.fields.iter().any(|(_, kind)| has_arrays(kind)),
        _ => false,
    }
}

impl Wish<'_> {
    fn is_met(&self, made: &Value) -> bool {
        let mut messages: Messages<'_> = self.known;
        messages[self.unknown as usize] = Some(made);
        self.term.is_true(&messages) == self.wanted
    }
}

impl Draft {
    /// A message with nothing in its fields, and all arrays as long as they will be.
    #[expect(clippy::too_many_arguments, reason = "a recursion over a type, with what it has passed")]
    fn skeleton(
        &mut self,
        case: &mut Case,
        of: &Type,
        wishes: &[Wish<'_>],
        policy: &Policy,
        (owner, field): (&str, &str),
        way: &mut Vec<usize>,
        path: &mut String,
    ) -> Value {
        match of {
            Type::Record(message) => self.record(case, message, wishes, policy, way, path),
            Type::Array(items, length) => {
                let length = match length {
                    Some(length) => *length,
                    None => length_of(case, wishes, policy, path),
                };
                let mut values = Vec::with_capacity(length);
                for index in 0..length {
                    way.push(index);
                    values.push(self.skeleton(case, items, wishes, policy, (owner, field), way, path));
                    way.pop();
                }
                Value::List(values)
            }
            kind => {
                if let Some(mut domain) = Domain::of(kind, policy.infinite) {
                    if let (Domain::Number(scale, intervals), Some((low, high))) =
                        (&mut domain, policy.range(owner, field, kind))
                    {
                        let end = |value: f64| scale.ordinal(&Value::Float(value));
                        intervals.keep(end(low).unwrap_or(i128::MIN), end(high).unwrap_or(i128::MAX));
                    }
                    self.leaves.push(Leaf {
                        way: way.clone(),
                        path: path.clone(),
                        domain,
                        is_narrowed: false,
                    });
                }
                Value::Null
            }
        }
    }

    fn record(
        &mut self,
        case: &mut Case,
        message: &Arc<MessageType>,
        wishes: &[Wish<'_>],
        policy: &Policy,
        way: &mut Vec<usize>,
        path: &mut String,
    ) -> Value {
        let mut values = Vec::with_capacity(message.fields.len());
        for (place, (name, kind)) in message.fields.iter().enumerate() {
            let length = path.len();
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
            way.push(place);
            values.push(self.skeleton(case, kind, wishes, policy, (&message.name, name), way, path));
            way.pop();
            path.truncate(length);
        }
        Value::Record(Record::of(Arc::clone(message.names()), values))
    }

    /// The field that an access leads to, if it is one that is not decided yet.
    fn leaf(&self, access: &Access, messages: &Messages<'_>) -> Option<usize> {
        let way = way_of(access, &self.made, messages)?;
        let place = self.leaves.iter().position(|leaf| leaf.way == way)?;
        (*at(&self.made, &way)? == Value::Null).then_some(place)
    }

    /// Draws one field after the other.
    fn fill(
        &mut self,
        case: &mut Case,
        claims: &[Claim],
        wishes: &[Wish<'_>],
        policy: &Policy,
        favoured: &dyn Favoured,
    ) -> bool {
        for place in 0..self.leaves.len() {
            let leaf = &self.leaves[place];
            let value = draw(case, leaf, policy, favoured);
            let is_narrowed = leaf.is_narrowed;
            let way = leaf.way.clone();
            put(&mut self.made, &way, value);
            if is_narrowed && !narrow(self, claims, wishes) {
                return false;
            }
        }
        true
    }
}

/// How long an array is, given what is said of its length and its elements.
fn length_of(case: &mut Case, wishes: &[Wish<'_>], policy: &Policy, path: &str) -> usize {
    let mut lengths = Intervals::all(0, policy.array_max as i128);
    let mut favoured = Vec::new();
    // An element that is spoken of is there, mostly; and always, if what is wanted of it is never so without.
    let (mut least, mut needed) = (0, 0);
    for wish in wishes {
        lengths_said(&wish.term, wish, path, &mut favoured);
        least = least.max(length_for(&wish.term, wish.unknown, path));
        needed = needed.max(length_needed(&wish.term, wish.wanted, wish.unknown, path));
    }
    let most = favoured.iter().copied().chain([least]).max().unwrap_or(0).min(10_000);
    let most = lengths.hull().map_or(0, |(_, high)| high).max(most);
    let mut domain = Domain::Number(Scale::Int, Intervals::all(0, most));
    for wish in wishes {
        lengths_wanted(&wish.term, wish.wanted, wish, path, &mut domain);
    }
    if let Domain::Number(_, mut wanted) = domain {
        wanted.keep(needed.min(most), i128::MAX);
        lengths = wanted;
    }
    favoured.push(least);
    let place = if lengths.parts.len() > 1 { case.index(lengths.parts.len()) } else { 0 };
    let (low, high) = lengths.parts.get(place).copied().unwrap_or((0, most));
    let length = if low == high { low } else { case.int_favouring(low..=high, &favoured) };
    usize::try_from(length).unwrap_or(0)
}

/// How long the array at a path is at least if all elements are there that a term speaks of; if it speaks of some one, that is the first.
fn length_for(term: &Term, unknown: Slot, path: &str) -> i128 {
    let mut least = 0;
    term.each_access(&mut |access| {
        if access.root != AccessRoot::Message(unknown) {
            return;
        }
        let mut names = String::new();
        for step in &access.steps {
            match step {
                AccessStep::Field(name) => {
                    if !names.is_empty() {
                        names.push('.');
                    }
                    names.push_str(&name.name);
                }
                AccessStep::Index(Term::Constant(Value::Int(index))) if names == path => {
                    least = least.max(index.saturating_add(1));
                }
                AccessStep::Index(_) if names == path => least = least.max(1),
                AccessStep::Index(_) => {}
            }
        }
    });
    least
}

/// How long the array at a path must be for a term to be so, or not: a relation with an element that is not there is not so.
fn length_needed(term: &Term, wanted: bool, unknown: Slot, path: &str) -> i128 {
    let again = |term: &Term, wanted: bool| length_needed(term, wanted, unknown, path);
    match (term, wanted) {
        (Term::Not(inner), _) => again(inner, !wanted),
        (Term::And(one, two), true) | (Term::Or(one, two), false) => {
            again(one, wanted).max(again(two, wanted))
        }
        (Term::And(one, two), false) | (Term::Or(one, two), true) => {
            again(one, wanted).min(again(two, wanted))
        }
        (Term::Compare(..) | Term::In(..) | Term::Field(_), true) => length_for(term, unknown, path),
        // What some element is like, or not.
        (Term::Quantified { all, domain: term::Domain::Array(array), .. }, _) if *all != wanted => {
            match &**array {
                Term::Field(access) if access.root == AccessRoot::Message(unknown) => {
                    i128::from(names_of(access) == path)
                }
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// The names on the way of an access, without indices.
pub(crate) fn names_of(access: &Access) -> String {
    let names = access.steps.iter().filter_map(|step| match step {
        AccessStep::Field(name) => Some(&*name.name),
        AccessStep::Index(_) => None,
    });
    names.collect::<Vec<&str>>().join(".")
}

/// What must be so of the length of an array in any case.
fn lengths_wanted(term: &Term, wanted: bool, wish: &Wish<'_>, path: &str, domain: &mut Domain) {
    match (term, wanted) {
        (Term::Not(inner), _) => lengths_wanted(inner, !wanted, wish, path, domain),
        (Term::And(one, two), true) | (Term::Or(one, two), false) => {
            lengths_wanted(one, wanted, wish, path, domain);
            lengths_wanted(two, wanted, wish, path, domain);
        }
        (Term::Compare(relation, one, two), _) => {
            let relation = if wanted { *relation } else { opposite(*relation) };
            for (length, relation, other) in [(one, relation, two), (two, turned(relation), one)] {
                if is_length_of(length, path)
                    && let Some(seen) = other.value(&wish.known)
                {
                    domain.relate(relation, &seen);
                }
            }
        }
        _ => {}
    }
}

/// Whether a term is the length of the array at a path.
fn is_length_of(term: &Term, path: &str) -> bool {
    let Term::Call(Function::Len, arguments) = term else { return false };
    let [Argument::One(Term::Field(access))] = arguments.as_slice() else { return false };
    let names = access.steps.iter().map(|step| match step {
        AccessStep::Field(name) => &*name.name,
        AccessStep::Index(_) => "",
    });
    names.collect::<Vec<&str>>().join(".") == path
}

/// The numbers that the length of an array is compared with, and their neighbours.
fn lengths_said(term: &Term, wish: &Wish<'_>, path: &str, found: &mut Vec<i128>) {
    let mut see = |one: &Term, two: &Term| {
        if !is_length_of(one, path) {
            return;
        }
        if let Some(crate::term::Seen::Int(length)) = two.value(&wish.known) {
            found.extend(
                [length - 1, length, length + 1].into_iter().filter(|length| (0..=10_000).contains(length)),
            );
        }
    };
    match term {
        Term::Compare(_, one, two) => {
            see(one, two);
            see(two, one);
        }
        Term::Not(inner) => lengths_said(inner, wish, path, found),
        Term::And(one, two) | Term::Or(one, two) | Term::Iff(one, two) => {
            lengths_said(one, wish, path, found);
            lengths_said(two, wish, path, found);
        }
        _ => {}
    }
}

/// The way that an access takes through a message.
fn way_of(access: &Access, made: &Value, messages: &Messages<'_>) -> Option<Vec<usize>> {
    let mut way = Vec::with_capacity(access.steps.len());
    let mut here = made;
    for step in &access.steps {
        let place = match (here, step) {
            (Value::Record(record), AccessStep::Field(name)) => record.names().place(&name.name)?,
            (Value::List(_), AccessStep::Index(index)) => match index.value(messages)? {
                crate::term::Seen::Int(index) => usize::try_from(index).ok()?,
                _ => return None,
            },
            _ => return None,
        };
        here = match here {
            Value::Record(record) => record.values().get(place)?,
            Value::List(items) => items.get(place)?,
            _ => return None,
        };
        way.push(place);
    }
    Some(way)
}

fn at<'v>(value: &'v Value, way: &[usize]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, place| match value {
        Value::Record(record) => record.values().get(*place),
        Value::List(items) => items.get(*place),
        _ => None,
    })
}

fn put(into: &mut Value, way: &[usize], value: Value) {
    let Some((place, rest)) = way.split_first() else {
        *into = value;
        return;
    };
    let next = match into {
        Value::Record(record) => record.values_mut().get_mut(*place),
        Value::List(items) => items.get_mut(*place),
        _ => None,
    };
    if let Some(next) = next {
        put(next, rest, value);
    }
}

/// One of the values that a field may still have.
fn draw(case: &mut Case, leaf: &Leaf, policy: &Policy, favoured: &dyn Favoured) -> Value {
    let mut produced = favoured.produced(&leaf.path);
    produced.retain(|value| leaf.domain.holds(value));
    if !produced.is_empty() && case.index_weighted(&[2, 1]) == 1 {
        let place = if produced.len() > 1 { case.index(produced.len()) } else { 0 };
        return produced.swap_remove(place);
    }
    match &leaf.domain {
        Domain::Bool { may_be_false: true, may_be_true: true } => Value::Bool(case.flag()),
        Domain::Bool { may_be_true, .. } => Value::Bool(*may_be_true),
        Domain::Text { among: Some(among), .. } => {
            let place = if among.len() > 1 { case.index(among.len()) } else { 0 };
            Value::Text(among.get(place).map_or("", String::as_str).into())
        }
        Domain::Text { among: None, without } => {
            let mut known: Vec<String> = Vec::new();
            for value in favoured.values(&leaf.path) {
                if let Value::Text(text) = value
                    && !known.iter().any(|other| **other == *text)
                {
                    known.push(text.into_string());
                }
            }
            known.retain(|text| !without.contains(text));
            let place = if known.is_empty() { 0 } else { case.index(1 + known.len()) };
            if place > 0 {
                return Value::Text(known[place - 1].as_str().into());
            }
            let text = case.filter(|case| case.string(0..=policy.text_max), |text| !without.contains(text));
            Value::Text(text.into())
        }
        Domain::Number(scale, intervals) => {
            let is_float = *scale != Scale::Int;
            if policy.nan && is_float && !leaf.is_narrowed && case.flag_weighted(1, 15) {
                return Value::Float(f64::NAN);
            }
            let place = if intervals.parts.len() > 1 { case.index(intervals.parts.len()) } else { 0 };
            let Some((low, high)) = intervals.parts.get(place).copied() else { return Value::Null };
            number(case, *scale, (low, high), leaf, favoured)
        }
    }
}

fn number(
    case: &mut Case,
    scale: Scale,
    (low, high): (i128, i128),
    leaf: &Leaf,
    favoured: &dyn Favoured,
) -> Value {
    if low == high {
        return scale.value(low);
    }
    let ordinals = || {
        let values = favoured.values(&leaf.path);
        // What is worth trying has neighbours that are.
        let mut ordinals = Vec::with_capacity(3 * values.len() + 2);
        for ordinal in values.iter().filter_map(|value| scale.ordinal(value)) {
            ordinals.extend([ordinal, ordinal - 1, ordinal + 1]);
        }
        if leaf.is_narrowed {
            ordinals.extend([low, high]);
        }
        ordinals.retain(|ordinal| (low..=high).contains(ordinal));
        ordinals
    };
    match scale {
        Scale::Int => Value::Int(case.int_favouring_by(low..=high, ordinals)),
        _ => {
            let floats = || ordinals().into_iter().map(|ordinal| scale.float(ordinal)).collect();
            let float = case.float_favouring_by(scale.float(low)..=scale.float(high), floats);
            // (A float of double precision may be none of single.)
            let ordinal = scale.ordinal(&Value::Float(float)).unwrap_or(low).clamp(low, high);
            Value::Float(scale.float(ordinal))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hpl;
    use crate::rule::{Channels, resolve};
    use crate::types::Types;

    struct Nothing;

    impl Favoured for Nothing {
        fn values(&self, _: &str) -> Vec<Value> {
            Vec::new()
        }

        fn produced(&self, _: &str) -> Vec<Value> {
            Vec::new()
        }
    }

    struct One(Type);

    impl Channels for One {
        fn type_of(&self, _: &str) -> Option<Type> {
            Some(self.0.clone())
        }

        fn names(&self) -> Vec<&str> {
            Vec::new()
        }
    }

    /// How many of 200 tries make a message that meets a condition.
    fn made(condition: &str) -> usize {
        let mut types = Types::new();
        let field = |name: &str, kind: &str| (name.to_string(), types.named(kind, None).expect("a type"));
        let fields = vec![
            field("x", "int32"),
            field("y", "int32"),
            field("u", "uint8"),
            field("d", "float64"),
            field("e", "float64"),
            field("f", "float32"),
            field("on", "bool"),
            field("s", "string"),
            field("xs", "int32[]"),
            field("fs", "float64[3]"),
            field("p", "geometry_msgs/Point"),
        ];
        types.add(MessageType::new("M", fields, vec![("RED".into(), Value::Int(7))]));
        let of = types.named("M", None).expect("it was added");
        let file = hpl::parse(&format!("globally: no /c {{{condition}}}"));
        let (rules, troubles) = resolve(&file.properties, &One(of.clone()));
        assert!(
            file.troubles.is_empty() && troubles.iter().all(|t| !t.is_error()),
            "{condition}: {troubles:?}"
        );
        let term = rules[0].first.alternatives[0].condition.clone().expect("a condition");
        let wish =
            |wanted| Wish { term: term.clone(), wanted, unknown: Slot::First, known: [None; Slot::COUNT] };
        let one = |seed: u64, wanted: bool| {
            let mut case = Case::random(seed, 1);
            let value = construct(&mut case, &of, &[wish(wanted)], &Policy::default(), &Nothing);
            if let Some(value) = &value {
                assert!(of.conform(value.clone()).is_ok(), "{value}");
            }
            value.is_some()
        };
        assert!(is_possible(&of, &term, true, Slot::First));
        (0..200)
            .filter(|seed| one(*seed, true))
            .count()
            .min((0..200).filter(|seed| one(*seed, false)).count())
    }

    #[test]
    fn conditions_are_met_by_construction() {
        let mut few = Vec::new();
        for condition in [
            "x = 123456",
            "x = RED and u in {1, 2}",
            "not x in {1, 2, 3} and x > 0 and x < 5",
            "d >= 39.99 and d < 40",
            "d < 40 and d > 39.999999999",
            "x < y and y < x + 3",
            "x + y = 10 and x > 3",
            "2 * x + 1 = 15",
            "d = e and e in ![0 to 1]!",
            "abs(d) < 0.001 and d != 0",
            "abs(x) > 1000000",
            "f = 0.1",
            "s = \"lab\" or s = \"home\"",
            "s != \"\" and on",
            "len(xs) = 3 and xs[2] = 9",
            "len(xs) >= 2 and (forall i in xs: xs[@i] > 5)",
            "exists i in xs: xs[@i] = 77",
            "forall i in fs: fs[@i] in [0 to 1]",
            "fs[0] < fs[1] and fs[1] < fs[2]",
            "max(fs) < 3.5 and min(fs) > 3",
            "p.x * 2 > 100 and p.x < 51",
            "p.x ** 2 <= 4 and p.x ** 2 > 1",
            "d - e > 100 and d < 10",
            "x > 5 implies y = 3",
            "x > 5 iff on",
            "sqrt(d) < 2 and d > 3.9",
            "d / 4 = 2.5",
            "-x > 100 and -x < 102",
            "x in [y to y + 1]",
            "not (x in [0 to 1000]) and x > -5",
            "x < 3 or y > 8 or d = 1.5",
            "xs[1] = xs[0] + 1",
        ] {
            let made = made(condition);
            if made < 190 {
                few.push(format!("{condition}: {made} of 200"));
            }
        }
        assert_eq!(few, Vec::<String>::new());
    }

    #[test]
    fn what_is_impossible_is_told() {
        let mut types = Types::new();
        types.add(MessageType::new(
            "M",
            vec![("u".into(), Type::Int { signed: false, bits: 8 })],
            Vec::new(),
        ));
        let of = types.named("M", None).expect("it was added");
        for (condition, always, never) in [
            ("u < 0", false, true),
            ("u >= 0", true, false),
            ("u > 3 and u < 4", false, true),
            ("u > 3 and u < 5", false, false),
            ("u = 300 or u < 0", false, true),
            ("u in [0 to 255]", true, false),
        ] {
            let file = hpl::parse(&format!("globally: no /c {{{condition}}}"));
            let (rules, _) = resolve(&file.properties, &One(of.clone()));
            let term = rules[0].first.alternatives[0].condition.as_ref().expect("a condition");
            assert_eq!(!is_possible(&of, term, true, Slot::First), never, "{condition}");
            assert_eq!(!is_possible(&of, term, false, Slot::First), always, "{condition}");
        }
    }
}
