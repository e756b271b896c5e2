//! Which values a field may still have.
//!
//! Numbers of every kind are counted: *ordinals* are whole numbers in the order of the values, so that what is less than 40 ends at the
//! last float before 40.

use crate::hpl::Relation;
use crate::term::{Seen, holds};
use crate::types::{Type, int_range};
use crate::value::Value;
use std::cmp::Ordering;

/// How ordinals stand for values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Int,
    Float32,
    Float64,
}

impl Scale {
    pub(crate) fn value(self, ordinal: i128) -> Value {
        match self {
            Scale::Int => Value::Int(ordinal),
            _ => Value::Float(self.float(ordinal)),
        }
    }

    pub(crate) fn float(self, ordinal: i128) -> f64 {
        let bits = ordinal.unsigned_abs();
        let magnitude = match self {
            Scale::Int => return ordinal as f64,
            Scale::Float32 => f64::from(f32::from_bits(bits as u32)),
            Scale::Float64 => f64::from_bits(bits as u64),
        };
        if ordinal < 0 { -magnitude } else { magnitude }
    }

    /// The ordinal of a value that it has.
    pub(crate) fn ordinal(self, value: &Value) -> Option<i128> {
        match (self, value) {
            (Scale::Int, Value::Int(int)) => Some(*int),
            (Scale::Int, Value::Float(float)) if float.fract() == 0.0 && float.abs() < 1e30 => {
                Some(*float as i128)
            }
            (_, Value::Float(float)) if !float.is_nan() => Some(self.of_float(*float)),
            (Scale::Float32 | Scale::Float64, Value::Int(int)) => Some(self.of_float(*int as f64)),
            _ => None,
        }
    }

    /// The ordinal of the nearest float.
    fn of_float(self, float: f64) -> i128 {
        let bits = match self {
            Scale::Float32 => i128::from((float.abs() as f32).to_bits()),
            _ => i128::from(float.abs().to_bits()),
        };
        if float < 0.0 { -bits } else { bits }
    }

    /// The largest ordinals of finite values.
    pub(crate) fn ends(self, infinite: bool) -> (i128, i128) {
        let most = match self {
            Scale::Int => return (i128::MIN, i128::MAX),
            Scale::Float32 => self.of_float(if infinite { f64::INFINITY } else { f64::from(f32::MAX) }),
            Scale::Float64 => self.of_float(if infinite { f64::INFINITY } else { f64::MAX }),
        };
        (-most, most)
    }

    /// The last ordinal whose value is less than another, and the first whose value is greater. Nothing if it is no number.
    fn around(self, seen: &Seen<'_>) -> Option<(i128, i128)> {
        let near = match (self, seen) {
            (Scale::Int, Seen::Int(int)) => *int,
            (Scale::Int, Seen::Float(float)) if float.is_nan() => return None,
            (Scale::Int, Seen::Float(float)) => {
                let clamped = float.clamp(-1e37, 1e37);
                clamped.round() as i128
            }
            (_, Seen::Float(float)) if float.is_nan() => return None,
            (_, Seen::Float(float)) => self.of_float(*float),
            (_, Seen::Int(int)) => self.of_float(*int as f64),
            _ => return None,
        };
        let compare = |ordinal: i128| {
            let value = self.value(ordinal);
            let here = Seen::of(&value)?;
            if holds(Relation::Less, &here, seen) {
                Some(Ordering::Less)
            } else if holds(Relation::Greater, &here, seen) {
                Some(Ordering::Greater)
            } else {
                Some(Ordering::Equal)
            }
        };
        Some(match compare(near)? {
            Ordering::Equal => (near.saturating_sub(1), near.saturating_add(1)),
            Ordering::Less => (near, near.saturating_add(1)),
            Ordering::Greater => (near.saturating_sub(1), near),
        })
    }
}

/// Ordinals that are left: intervals, in order, that do not touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Intervals {
    pub(crate) parts: Vec<(i128, i128)>,
}

impl Intervals {
    pub(crate) fn all(low: i128, high: i128) -> Intervals {
        Intervals { parts: if low <= high { vec![(low, high)] } else { Vec::new() } }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn hull(&self) -> Option<(i128, i128)> {
        Some((self.parts.first()?.0, self.parts.last()?.1))
    }

    pub(crate) fn keep(&mut self, low: i128, high: i128) -> bool {
        let before = self.parts.clone();
        self.parts.retain_mut(|part| {
            *part = (part.0.max(low), part.1.min(high));
            part.0 <= part.1
        });
        self.parts != before
    }

    pub(crate) fn remove(&mut self, low: i128, high: i128) -> bool {
        if low > high {
            return false;
        }
        let before = std::mem::take(&mut self.parts);
        for part in &before {
            for rest in
                [(part.0, part.1.min(low.saturating_sub(1))), (part.0.max(high.saturating_add(1)), part.1)]
            {
                if rest.0 <= rest.1 {
                    self.parts.push(rest);
                }
            }
        }
        self.parts != before
    }

    /// Those that are in one of several others.
    pub(crate) fn keep_any(&mut self, of: &[(i128, i128)]) -> bool {
        let before = std::mem::take(&mut self.parts);
        let mut parts: Vec<(i128, i128)> = Vec::new();
        for part in &before {
            for other in of {
                let both = (part.0.max(other.0), part.1.min(other.1));
                if both.0 <= both.1 {
                    parts.push(both);
                }
            }
        }
        parts.sort_unstable();
        for part in parts {
            match self.parts.last_mut() {
                Some(last) if part.0 <= last.1.saturating_add(1) => last.1 = last.1.max(part.1),
                _ => self.parts.push(part),
            }
        }
        self.parts != before
    }
}

/// Which values a field may still have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Domain {
    Number(Scale, Intervals),
    Bool {
        may_be_false: bool,
        may_be_true: bool,
    },
    /// One of these, if there are any said; none of those.
    Text {
        among: Option<Vec<String>>,
        without: Vec<String>,
    },
}

impl Domain {
    /// All values of a type; nothing if it is no single value.
    pub(crate) fn of(kind: &Type, infinite: bool) -> Option<Domain> {
        let number = |scale: Scale| {
            let (low, high) = scale.ends(infinite);
            Domain::Number(scale, Intervals::all(low, high))
        };
        Some(match kind {
            Type::Bool => Domain::Bool { may_be_false: true, may_be_true: true },
            Type::Int { signed, bits } => {
                let (low, high) = int_range(*signed, *bits);
                Domain::Number(Scale::Int, Intervals::all(low, high))
            }
            Type::Float32 => number(Scale::Float32),
            Type::Float64 => number(Scale::Float64),
            Type::Text => Domain::Text { among: None, without: Vec::new() },
            _ => return None,
        })
    }

    /// Whether a value is one of them.
    pub(crate) fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Domain::Number(scale, intervals), value) => scale.ordinal(value).is_some_and(|ordinal| {
                intervals.parts.iter().any(|(low, high)| (*low..=*high).contains(&ordinal))
            }),
            (Domain::Bool { may_be_false, may_be_true }, Value::Bool(value)) => {
                if *value {
                    *may_be_true
                } else {
                    *may_be_false
                }
            }
            (Domain::Text { among, without }, Value::Text(text)) => {
                among.as_ref().is_none_or(|among| among.iter().any(|one| **one == **text))
                    && !without.iter().any(|one| **one == **text)
            }
            _ => false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Domain::Number(_, intervals) => intervals.is_empty(),
            Domain::Bool { may_be_false, may_be_true } => !may_be_false && !may_be_true,
            Domain::Text { among, .. } => among.as_ref().is_some_and(Vec::is_empty),
        }
    }

    /// Keeps what stands so to a value; whether anything changed.
    pub(crate) fn relate(&mut self, relation: Relation, to: &Seen<'_>) -> bool {
        let before = self.clone();
        match (&mut *self, to) {
            (Domain::Number(scale, intervals), Seen::Int(_) | Seen::Float(_)) => {
                let Some((below, above)) = scale.around(to) else {
                    // Nothing but `!=` holds of what is no number.
                    if relation != Relation::Unequal {
                        intervals.parts.clear();
                    }
                    return *self != before;
                };
                match relation {
                    Relation::Less => intervals.keep(i128::MIN, below),
                    Relation::AtMost => intervals.keep(i128::MIN, above.saturating_sub(1)),
                    Relation::Greater => intervals.keep(above, i128::MAX),
                    Relation::AtLeast => intervals.keep(below.saturating_add(1), i128::MAX),
                    Relation::Equal => intervals.keep(below.saturating_add(1), above.saturating_sub(1)),
                    _ => intervals.remove(below.saturating_add(1), above.saturating_sub(1)),
                };
            }
            (Domain::Bool { may_be_false, may_be_true }, Seen::Bool(value)) => {
                let is_equal = relation == Relation::Equal;
                *may_be_true &= *value == is_equal;
                *may_be_false &= *value != is_equal;
            }
            (Domain::Text { among, without }, Seen::Text(text)) => match relation {
                Relation::Equal => {
                    let fits = !without.iter().any(|other| other == text)
                        && among.as_ref().is_none_or(|among| among.iter().any(|one| one == text));
                    *among = Some(if fits { vec![text.to_string()] } else { Vec::new() });
                }
                Relation::Unequal => {
                    if let Some(among) = among {
                        among.retain(|one| one != text);
                    }
                    if !without.iter().any(|other| other == text) {
                        without.push(text.to_string());
                    }
                }
                _ => {}
            },
            // Values of different kinds are never equal, and have no order.
            _ => {
                if relation != Relation::Unequal {
                    *self = Domain::Text { among: Some(Vec::new()), without: Vec::new() };
                }
            }
        }
        *self != before
    }

    /// Keeps what equals one of some values.
    pub(crate) fn keep_among(&mut self, values: &[Seen<'_>]) -> bool {
        let before = self.clone();
        let mut parts = Vec::new();
        let mut texts = Vec::new();
        let (mut is_true, mut is_false) = (false, false);
        for value in values {
            let mut one = before.clone();
            one.relate(Relation::Equal, value);
            match one {
                Domain::Number(_, intervals) => parts.extend(intervals.parts),
                Domain::Bool { may_be_false, may_be_true } => {
                    is_true |= may_be_true;
                    is_false |= may_be_false;
                }
                Domain::Text { among, .. } => texts.extend(among.unwrap_or_default()),
            }
        }
        match self {
            Domain::Number(_, intervals) => {
                intervals.keep_any(&parts);
            }
            Domain::Bool { may_be_false, may_be_true } => (*may_be_false, *may_be_true) = (is_false, is_true),
            Domain::Text { among, .. } => *among = Some(texts),
        }
        *self != before
    }
}
