//! Formulas with data, and how they are written.

use super::aggregate::Aggregation;
use super::fact::{Fact, Test, TestKind};
use super::term::Term;
use super::text::quoted;
use crate::formula::nanoseconds;
use crate::shape::{Binary, Unary};
use crate::text::amount;
use std::fmt::{self, Debug, Display};
use std::ops::{BitAnd, BitOr, Not, Range, RangeFrom, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

/// Something that is said of a stream of elements and the values in them: made of [facts](super::fact), `!`, `&`, `|`, and the functions of
/// this module.
pub struct Formula<E, V> {
    pub(crate) said: Arc<Said<E, V>>,
}

pub(crate) type Part<E, V> = Arc<Said<E, V>>;

/// A formula, by its operands.
pub(crate) enum Said<E, V> {
    Constant(bool),
    Fact(Fact<E, V>, Vec<Term<V>>),
    Test(Arc<Test<V>>),
    Not(Part<E, V>),
    And(Vec<Part<E, V>>),
    Or(Vec<Part<E, V>>),
    Implies(Part<E, V>, Part<E, V>),
    Iff(Part<E, V>, Part<E, V>),
    /// Of all values, or of some.
    Quantified {
        all: bool,
        name: Arc<str>,
        of: Part<E, V>,
    },
    Next {
        weak: bool,
        window: Window,
        of: Part<E, V>,
    },
    Previous {
        weak: bool,
        window: Window,
        of: Part<E, V>,
    },
    One(Unary, Window, Part<E, V>),
    Two(Binary, Window, Part<E, V>, Part<E, V>),
    /// A value of a group; its formula's other variables are bound by it.
    Aggregate(Arc<Aggregation<V>>, Part<E, V>),
}

/// So many nanoseconds away, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: u64,
    pub(crate) to: Option<u64>,
}

impl Window {
    pub(crate) const ALL: Window = Window { from: 0, to: None };

    pub(crate) fn contains(self, away: u64) -> bool {
        away >= self.from && self.to.is_none_or(|to| away <= to)
    }

    /// Whether it is over.
    pub(crate) fn is_over(self, away: u64) -> bool {
        self.to.is_some_and(|to| away > to)
    }
}

/// How far away in time something may be: `a..=b`, `a..b` (`b` does not count), `a..`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within {
    window: Window,
}

impl From<RangeInclusive<Duration>> for Within {
    fn from(time: RangeInclusive<Duration>) -> Within {
        Within { window: Window { from: nanoseconds(*time.start()), to: Some(nanoseconds(*time.end())) } }
    }
}

impl From<Range<Duration>> for Within {
    /// # Panics
    /// If nothing is in it.
    #[track_caller]
    fn from(time: Range<Duration>) -> Within {
        assert!(
            time.start < time.end,
            "nothing is at least {:?} and less than {:?} away",
            time.start,
            time.end
        );
        Within { window: Window { from: nanoseconds(time.start), to: Some(nanoseconds(time.end) - 1) } }
    }
}

impl From<RangeFrom<Duration>> for Within {
    fn from(time: RangeFrom<Duration>) -> Within {
        Within { window: Window { from: nanoseconds(time.start), to: None } }
    }
}

impl<E, V> Clone for Formula<E, V> {
    fn clone(&self) -> Formula<E, V> {
        Formula { said: Arc::clone(&self.said) }
    }
}

impl<E, V> From<Said<E, V>> for Formula<E, V> {
    fn from(said: Said<E, V>) -> Formula<E, V> {
        Formula { said: Arc::new(said) }
    }
}

impl<E, V> From<bool> for Formula<E, V> {
    fn from(holds: bool) -> Formula<E, V> {
        Said::Constant(holds).into()
    }
}

impl<E, V> Formula<E, V> {
    /// If this, then another.
    #[must_use]
    pub fn implies(self, then: impl Into<Formula<E, V>>) -> Formula<E, V> {
        Said::Implies(self.said, then.into().said).into()
    }

    /// This exactly when another.
    #[must_use]
    pub fn iff(self, other: impl Into<Formula<E, V>>) -> Formula<E, V> {
        Said::Iff(self.said, other.into().said).into()
    }

    /// Bounds the outermost operator: how far away in time it looks.
    ///
    /// # Panics
    /// If it does not look at other elements (facts, not, and, or, quantifiers), or the bound is empty.
    #[must_use]
    #[track_caller]
    pub fn within(self, within: impl Into<Within>) -> Formula<E, V>
    where
        V: Debug,
    {
        let Within { window } = within.into();
        assert!(window.to.is_none_or(|to| window.from <= to), "nothing is in an empty bound");
        match &*self.said {
            Said::One(operator, _, of) => Said::One(*operator, window, Arc::clone(of)),
            Said::Two(operator, _, one, two) => {
                Said::Two(*operator, window, Arc::clone(one), Arc::clone(two))
            }
            Said::Next { weak, of, .. } => Said::Next { weak: *weak, window, of: Arc::clone(of) },
            Said::Previous { weak, of, .. } => Said::Previous { weak: *weak, window, of: Arc::clone(of) },
            _ => panic!("{self} has no bound: bound always, eventually, until, next and their like"),
        }
        .into()
    }

    /// The variables that nobody binds, in order.
    pub fn free_variables(&self) -> Vec<String> {
        self.said.free().into_iter().map(|name| name.to_string()).collect()
    }
}

impl<E, V> Said<E, V> {
    /// Calls something with each operand.
    pub(crate) fn each_part<'a>(&'a self, mut see: impl FnMut(&'a Part<E, V>)) {
        match self {
            Said::Constant(_) | Said::Fact(..) | Said::Test(_) => {}
            Said::Not(of)
            | Said::Quantified { of, .. }
            | Said::Next { of, .. }
            | Said::Previous { of, .. }
            | Said::One(_, _, of)
            | Said::Aggregate(_, of) => see(of),
            Said::And(parts) | Said::Or(parts) => parts.iter().for_each(see),
            Said::Implies(one, two) | Said::Iff(one, two) | Said::Two(_, _, one, two) => {
                see(one);
                see(two);
            }
        }
    }

    /// Its own terms.
    pub(crate) fn terms(&self) -> &[Term<V>] {
        match self {
            Said::Fact(_, terms) => terms,
            Said::Test(test) => &test.terms,
            _ => &[],
        }
    }

    /// The variables that nobody binds, in order.
    pub(crate) fn free(&self) -> Vec<Arc<str>> {
        let mut free = Vec::new();
        match self {
            Said::Aggregate(aggregation, _) => {
                free.extend(aggregation.by.iter().cloned().chain([Arc::clone(&aggregation.result)]));
            }
            Said::Quantified { name, of, .. } => {
                free = of.free();
                free.retain(|free| free != name);
            }
            _ => {
                self.terms().iter().for_each(|term| term.variables(&mut free));
                self.each_part(|part| free.extend(part.free()));
            }
        }
        free.sort();
        free.dedup();
        free
    }

    /// Whether its outermost operator looks at later elements.
    pub(crate) fn is_future(&self) -> bool {
        match self {
            Said::Next { .. } => true,
            Said::One(operator, ..) => matches!(operator, Unary::Always | Unary::Eventually),
            Said::Two(operator, ..) => !matches!(operator, Binary::Since | Binary::BackTo),
            _ => false,
        }
    }

    /// Whether it looks at later elements.
    pub(crate) fn has_future(&self) -> bool {
        let mut has = self.is_future();
        self.each_part(|part| has |= part.has_future());
        has
    }
}

impl<E, V> Not for Formula<E, V> {
    type Output = Formula<E, V>;

    fn not(self) -> Formula<E, V> {
        Said::Not(self.said).into()
    }
}

impl<E, V, T: Into<Formula<E, V>>> BitAnd<T> for Formula<E, V> {
    type Output = Formula<E, V>;

    fn bitand(self, other: T) -> Formula<E, V> {
        let mut parts = match Arc::try_unwrap(self.said) {
            Ok(Said::And(parts)) => parts,
            Ok(said) => vec![Arc::new(said)],
            Err(said) => match &*said {
                Said::And(parts) => parts.clone(),
                _ => vec![said],
            },
        };
        parts.push(other.into().said);
        Said::And(parts).into()
    }
}

impl<E, V, T: Into<Formula<E, V>>> BitOr<T> for Formula<E, V> {
    type Output = Formula<E, V>;

    fn bitor(self, other: T) -> Formula<E, V> {
        let mut parts = match Arc::try_unwrap(self.said) {
            Ok(Said::Or(parts)) => parts,
            Ok(said) => vec![Arc::new(said)],
            Err(said) => match &*said {
                Said::Or(parts) => parts.clone(),
                _ => vec![said],
            },
        };
        parts.push(other.into().said);
        Said::Or(parts).into()
    }
}

/// Whatever value a variable stands for.
pub fn forall<E, V>(name: &str, of: Formula<E, V>) -> Formula<E, V> {
    Said::Quantified { all: true, name: name.into(), of: of.said }.into()
}

/// For some value of a variable.
pub fn exists<E, V>(name: &str, of: Formula<E, V>) -> Formula<E, V> {
    Said::Quantified { all: false, name: name.into(), of: of.said }.into()
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident($($of:ident),+) => $make:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name<E, V>($($of: Formula<E, V>),+) -> Formula<E, V> {
            ($make)($($of.said),+).into()
        }
    )*};
}

operators! {
    /// There is a next element, and this holds there.
    next(of) => |of| Said::Next { weak: false, window: Window::ALL, of };
    /// If there is a next element, this holds there.
    weak_next(of) => |of| Said::Next { weak: true, window: Window::ALL, of };
    /// There is an element before, and this holds there.
    previous(of) => |of| Said::Previous { weak: false, window: Window::ALL, of };
    /// If there is an element before, this holds there.
    weak_previous(of) => |of| Said::Previous { weak: true, window: Window::ALL, of };
    /// Now and at all later elements.
    always(of) => |of| Said::One(Unary::Always, Window::ALL, of);
    /// Now or at a later element.
    eventually(of) => |of| Said::One(Unary::Eventually, Window::ALL, of);
    /// Now and at all earlier elements.
    historically(of) => |of| Said::One(Unary::Historically, Window::ALL, of);
    /// Now or at an earlier element.
    once(of) => |of| Said::One(Unary::Once, Window::ALL, of);
    /// The second comes, and the first holds until then.
    until(one, two) => |one, two| Said::Two(Binary::Until, Window::ALL, one, two);
    /// The first holds until the second comes, or for as long as the bound says.
    weak_until(one, two) => |one, two| Said::Two(Binary::WeakUntil, Window::ALL, one, two);
    /// The second holds until the first does as well, or for as long as the bound says.
    release(one, two) => |one, two| Said::Two(Binary::Release, Window::ALL, one, two);
    /// The second was once, and the first has held since then.
    since(one, two) => |one, two| Said::Two(Binary::Since, Window::ALL, one, two);
    /// The first has held since the second was, or for as long as the bound says.
    back_to(one, two) => |one, two| Said::Two(Binary::BackTo, Window::ALL, one, two);
}

impl<E, V: Debug> Debug for Formula<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Formula({self})")
    }
}

impl<E, V: Debug> Display for Formula<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Shown(&self.said, 0))
    }
}

/// A formula, in brackets if it binds less than so tightly.
pub(crate) struct Shown<'a, E, V>(pub(crate) &'a Said<E, V>, pub(crate) u8);

impl<E, V: Debug> Display for Shown<'_, E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shown(said, around) = self;
        let own = match said {
            Said::Quantified { .. } | Said::Aggregate(..) => 0,
            Said::Iff(..) => 1,
            Said::Implies(..) => 2,
            Said::Or(_) => 3,
            Said::And(_) => 4,
            Said::Two(..) => 5,
            Said::Test(test) if !matches!(test.kind, TestKind::Other(_)) => 5,
            _ => 6,
        };
        if own < *around {
            return write!(f, "({})", Shown(said, 0));
        }
        match said {
            Said::Constant(holds) => write!(f, "{holds}"),
            Said::Fact(fact, terms) => write_call(f, fact.name(), terms),
            Said::Test(test) => match (&test.kind, test.terms.as_slice()) {
                (TestKind::Equal | TestKind::Less | TestKind::AtMost, [one, two]) => {
                    write!(f, "{one} {} {two}", test.name)
                }
                _ => write_call(f, &test.name, &test.terms),
            },
            Said::Not(of) => write!(f, "!{}", Shown(of, 6)),
            Said::And(parts) => write_chain(f, parts, "&", 5),
            Said::Or(parts) => write_chain(f, parts, "|", 4),
            Said::Implies(one, two) => write!(f, "{} -> {}", Shown(one, 3), Shown(two, 2)),
            Said::Iff(one, two) => write!(f, "{} <-> {}", Shown(one, 2), Shown(two, 2)),
            Said::Quantified { all, name, of } => {
                let quantifier = if *all { "forall" } else { "exists" };
                write!(f, "{quantifier} {}. {}", quoted(name), Shown(of, 0))
            }
            Said::Aggregate(aggregation, of) => {
                let Aggregation { result, operator, term, by, .. } = &**aggregation;
                write!(f, "{} <- {operator} {term}", quoted(result))?;
                for (place, name) in by.iter().enumerate() {
                    write!(f, "{}{}", if place == 0 { " by " } else { ", " }, quoted(name))?;
                }
                write!(f, ". {}", Shown(of, 0))
            }
            Said::Next { weak, window, of } => {
                write!(f, "{}{window} {}", if *weak { "N" } else { "X" }, Shown(of, 6))
            }
            Said::Previous { weak, window, of } => {
                write!(f, "{}{window} {}", if *weak { "Z" } else { "P" }, Shown(of, 6))
            }
            Said::One(operator, window, of) => {
                write!(f, "{}{window} {}", operator.letter(), Shown(of, 6))
            }
            Said::Two(operator, window, one, two) => {
                write!(f, "{} {}{window} {}", Shown(one, 6), operator.letter(), Shown(two, 6))
            }
        }
    }
}

/// Parts that an operator joins; each binds at least so tightly.
fn write_chain<E, V: Debug>(
    f: &mut fmt::Formatter<'_>,
    parts: &[Part<E, V>],
    operator: &str,
    tightness: u8,
) -> fmt::Result {
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            write!(f, " {operator} ")?;
        }
        write!(f, "{}", Shown(part, tightness))?;
    }
    Ok(())
}

fn write_call<V: Debug>(f: &mut fmt::Formatter<'_>, name: &str, terms: &[Term<V>]) -> fmt::Result {
    f.write_str(&quoted(name))?;
    let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
    if terms.is_empty() { Ok(()) } else { write!(f, "({})", terms.join(", ")) }
}

impl Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |nanoseconds: u64| amount(nanoseconds);
        match (self.from, self.to) {
            (0, None) => Ok(()),
            (from, None) => write!(f, "[{},]", shown(from)),
            // What ends just before something round was written so.
            (from, Some(to)) if to % 1000 == 999 => write!(f, "[{},{})", shown(from), shown(to + 1)),
            (from, Some(to)) => write!(f, "[{},{}]", shown(from), shown(to)),
        }
    }
}
