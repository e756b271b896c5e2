//! Properties as data: what a formula came to, and why.
//!
//! A [`Property`] is evaluated at once and has no lifetime. Its truth has four values: *true*, *false*, *undefined* (it could not be
//! decided: an infinite domain without a witness) and *rejected* (the formula claims nothing about this case:
//! a false premise, no data).
//!
//! True, false and undefined combine as in Kleene's logic. Rejected is *a truth that does not count*: it behaves like
//! true, and where the result rests on it alone the result is rejected.
//!
//! | a      | b      | a ∧ b | a ∨ b | a ⇒ b | a ⇔ b |
//! |--------|--------|-------|-------|-------|-------|
//! | T      | x      | x, R → T | T  | x     | x     |
//! | F      | x      | F     | x     | R     | ¬x    |
//! | U      | T      | U     | T     | T     | U     |
//! | U      | F, U   | F, U  | U     | U     | U     |
//! | U      | R      | U     | R     | R     | R     |
//! | R      | T      | T     | T     | R     | R     |
//! | R      | F      | F     | R     | R     | R     |
//! | R      | U      | U     | R     | R     | R     |
//! | R      | R      | R     | R     | R     | R     |
//!
//! ¬R is R: the negation of a claim about nothing claims nothing.

use crate::arbitrary::Arbitrary;
use crate::case::{Case, End};
use crate::outcome::{Failure, Outcome, Status};
use crate::source::walk::Walk;
use std::fmt::{Debug, Display};
use std::ops::{BitAnd, BitOr, Not};

/// The truth of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// It does not hold.
    False,
    /// It could not be decided.
    Undefined,
    /// It claims nothing about this case.
    Rejected,
    /// It holds.
    True,
}

/// An evaluated property.
///
/// ```
/// use gainsay_core::{Claim, Truth, for_each};
/// let squares = for_each(0..10u32, |n| (n > 2).implies(|| n * n > 2 * n));
/// assert_eq!(squares.truth(), Truth::True);
/// assert_eq!(false.implies(|| false).truth(), Truth::Rejected);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a property that is not returned judges nothing"]
pub struct Property {
    truth: Truth,
    /// Something infinite was cut short.
    cut: bool,
    /// Instances of quantifiers that were judged and rejected.
    instances: u64,
    rejected: u64,
    /// The named clause that decided.
    clause: Option<String>,
    /// Why the truth is what it is, innermost first.
    because: Vec<String>,
}

impl Property {
    #[inline]
    fn of(truth: Truth) -> Property {
        Property { truth, cut: false, instances: 0, rejected: 0, clause: None, because: Vec::new() }
    }

    /// The truth it came to.
    pub fn truth(&self) -> Truth {
        self.truth
    }

    /// Instances of quantifiers that were judged.
    pub fn instances(&self) -> u64 {
        self.instances
    }

    /// Instances of quantifiers that were rejected.
    pub fn rejected(&self) -> u64 {
        self.rejected
    }

    /// Whether something infinite was cut short, so that truth proves nothing.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The reasons, innermost first.
    pub fn because(&self) -> &[String] {
        &self.because
    }

    /// The truth where it matters that nothing was cut short: for all that was looked at is not for all.
    fn strict(&self) -> Truth {
        if self.cut && self.truth == Truth::True { Truth::Undefined } else { self.truth }
    }

    /// Combines two verdicts; the reasons of those that have the result are kept.
    fn with(self, other: Property, truth: Truth) -> Property {
        let (cut, instances, rejected) =
            (self.cut || other.cut, self.instances + other.instances, self.rejected + other.rejected);
        let deciding = if self.truth == truth && !self.because.is_empty() {
            self
        } else if other.truth == truth && !other.because.is_empty() {
            other
        } else {
            Property { because: [self.because, other.because].concat(), ..self }
        };
        Property { truth, cut, instances, rejected, ..deciding }
    }

    fn explained(mut self, reason: impl FnOnce() -> String) -> Property {
        if self.truth != Truth::True && self.truth != Truth::Rejected {
            self.because.push(reason());
        }
        self
    }
}

/// Anything that can be read as a property: `bool`, `()`, `Result`, [`Property`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no claim that can be judged",
    note = "a property returns `bool`, `()`, a `Result` or a `Property`"
)]
pub trait Claim: Sized {
    /// Evaluates the claim.
    fn property(self) -> Property;

    /// What the claim means as the result of a run.
    #[inline]
    fn outcome(self) -> Outcome {
        self.property().outcome_of_property()
    }

    /// If this holds, so must `then`; if it does not, nothing is claimed and the case does not count.
    fn implies<C: Claim>(self, then: impl FnOnce() -> C) -> Property {
        let premise = self.property();
        match premise.strict() {
            Truth::True => {
                let conclusion = then().property();
                let truth = conclusion.truth;
                premise.with(conclusion, truth)
            }
            Truth::False | Truth::Rejected => {
                Property { truth: Truth::Rejected, because: Vec::new(), ..premise }
            }
            Truth::Undefined => {
                let conclusion = then().property();
                let truth = match conclusion.truth {
                    Truth::True => Truth::True,
                    Truth::Rejected => Truth::Rejected,
                    Truth::False | Truth::Undefined => Truth::Undefined,
                };
                premise.with(conclusion, truth)
            }
        }
    }

    /// Both hold or neither.
    fn iff(self, other: impl Claim) -> Property {
        let (a, b) = (self.property(), other.property());
        let truth = match (a.strict(), b.strict()) {
            (Truth::Rejected, _) | (_, Truth::Rejected) => Truth::Rejected,
            (Truth::Undefined, _) | (_, Truth::Undefined) => Truth::Undefined,
            (a, b) if a == b => Truth::True,
            _ => Truth::False,
        };
        let (left, right) = (a.truth, b.truth);
        a.with(b, truth).explained(|| format!("the sides of ⇔ differ (left is {left}, right is {right})"))
    }

    /// Both hold.
    fn and(self, other: impl Claim) -> Property {
        let (a, b) = (self.property(), other.property());
        let truth = match (a.truth, b.truth) {
            (Truth::False, _) | (_, Truth::False) => Truth::False,
            (Truth::Undefined, _) | (_, Truth::Undefined) => Truth::Undefined,
            (Truth::Rejected, Truth::Rejected) => Truth::Rejected,
            _ => Truth::True,
        };
        a.with(b, truth)
    }

    /// At least one holds.
    fn or(self, other: impl Claim) -> Property {
        let (a, b) = (self.property(), other.property());
        let truth = a.truth.max(b.truth);
        a.with(b, truth)
    }

    /// Does not hold.
    fn negated(self) -> Property {
        let mut property = self.property();
        property.truth = match property.strict() {
            Truth::True => Truth::False,
            Truth::False => Truth::True,
            other => other,
        };
        if property.truth == Truth::True {
            property.because.clear();
        }
        property
    }

    /// Names the claim: failures of it are told from failures of other claims by this name.
    fn named(self, clause: &str) -> Property {
        let mut property = self.property();
        if property.truth == Truth::False {
            property.clause.get_or_insert_with(|| clause.to_string());
            property.because.push(format!("clause `{clause}` is false"));
        }
        property
    }

    /// Adds a line to the report if the claim does not hold.
    fn or_show(self, what: impl FnOnce() -> String) -> Property {
        self.property().explained(what)
    }
}

impl Property {
    fn outcome_of_property(self) -> Outcome {
        let status = match self.truth {
            Truth::True => Status::Passed,
            Truth::Rejected => Status::Rejected,
            Truth::Undefined => Status::Undefined,
            Truth::False => {
                let place = self.clause.as_deref().map_or("false".to_string(), |c| format!("clause `{c}`"));
                let message = match self.because.as_slice() {
                    [] => "the property is false".to_string(),
                    because => because.join("\n"),
                };
                // The kind is the clause, and the innermost reason without its values.
                let reason = self.because.first().filter(|reason| !reason.starts_with("clause `"));
                let reason = reason.map_or("", String::as_str);
                let kind = crate::outcome::Kind::new(&place, reason);
                return Outcome::failed(Failure::new("", message).with_signature(&kind.0));
            }
        };
        Outcome { status, cut: self.cut, failure: None }
    }
}

impl Display for Truth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Truth::False => "false",
            Truth::Undefined => "undefined",
            Truth::Rejected => "rejected",
            Truth::True => "true",
        })
    }
}

impl Claim for Property {
    #[inline]
    fn property(self) -> Property {
        self
    }

    #[inline]
    fn outcome(self) -> Outcome {
        match (self.truth, self.cut) {
            (Truth::True, false) => Outcome::of(Status::Passed),
            (Truth::Rejected, false) => Outcome::of(Status::Rejected),
            _ => self.outcome_of_property(),
        }
    }
}

impl Claim for bool {
    #[inline]
    fn implies<C: Claim>(self, then: impl FnOnce() -> C) -> Property {
        if self { then().property() } else { Property::of(Truth::Rejected) }
    }

    #[inline]
    fn property(self) -> Property {
        Property::of(if self { Truth::True } else { Truth::False })
    }

    #[inline]
    fn outcome(self) -> Outcome {
        if self { Outcome::of(Status::Passed) } else { self.property().outcome_of_property() }
    }
}

impl Claim for () {
    fn property(self) -> Property {
        Property::of(Truth::True)
    }

    #[inline]
    fn outcome(self) -> Outcome {
        Outcome::of(Status::Passed)
    }
}

impl<C: Claim, E: Debug> Claim for Result<C, E> {
    fn property(self) -> Property {
        match self {
            Ok(claim) => claim.property(),
            Err(error) => {
                let clause = Some(format!("error {}", std::any::type_name::<E>()));
                Property { clause, because: vec![format!("error: {error:?}")], ..Property::of(Truth::False) }
            }
        }
    }

    fn outcome(self) -> Outcome {
        match self {
            Ok(claim) => claim.outcome(),
            Err(error) => {
                Outcome::failed(Failure::new(std::any::type_name::<E>(), format!("error: {error:?}")))
            }
        }
    }
}

impl Not for Property {
    type Output = Property;

    fn not(self) -> Property {
        self.negated()
    }
}

impl<C: Claim> BitAnd<C> for Property {
    type Output = Property;

    fn bitand(self, other: C) -> Property {
        self.and(other)
    }
}

impl<C: Claim> BitOr<C> for Property {
    type Output = Property;

    fn bitor(self, other: C) -> Property {
        self.or(other)
    }
}

/// How many instances a quantifier looks at.
pub const INSTANCES_MAX: u64 = 10_000;

/// The claim holds for every item of the data.
///
/// Items whose claim is rejected do not count; if none counts (no data at all, say) the whole is rejected. Of infinite data
/// the first [`INSTANCES_MAX`] items are judged; that all of those hold proves nothing.
pub fn for_each<I: IntoIterator<Item: Clone + Debug>, C: Claim>(
    items: I,
    mut claim: impl FnMut(I::Item) -> C,
) -> Property {
    let mut all = Property::of(Truth::Rejected);
    for (n, item) in items.into_iter().enumerate() {
        if n as u64 >= INSTANCES_MAX {
            all.cut = true;
            break;
        }
        let one = claim(item.clone()).property();
        let cut = one.cut;
        match one.truth {
            Truth::Rejected => all.rejected += 1,
            _ => all.instances += 1,
        }
        let shown = |one: Property| one.explained(|| format!("for the item {item:?}"));
        match one.truth {
            Truth::False => {
                let (instances, rejected) = (all.instances, all.rejected);
                return Property { instances, rejected, ..shown(one) };
            }
            Truth::Undefined if all.truth != Truth::Undefined => {
                all =
                    Property { instances: all.instances, rejected: all.rejected, cut: all.cut, ..shown(one) };
            }
            Truth::True if all.truth == Truth::Rejected => all.truth = Truth::True,
            _ => {}
        }
        all.cut |= cut;
    }
    all
}

/// The claim holds for some item of the data. Without a witness it is false if the data ended, undefined if it was cut after
/// [`INSTANCES_MAX`] items.
pub fn exists<I: IntoIterator<Item: Clone + Debug>, C: Claim>(
    items: I,
    mut claim: impl FnMut(I::Item) -> C,
) -> Property {
    let mut none = Property::of(Truth::False);
    for (n, item) in items.into_iter().enumerate() {
        if n as u64 >= INSTANCES_MAX {
            none.truth = Truth::Undefined;
            none.because = vec![format!("no witness among the first {INSTANCES_MAX} items")];
            return none;
        }
        let one = claim(item.clone()).property();
        match one.truth {
            Truth::Rejected => none.rejected += 1,
            _ => none.instances += 1,
        }
        match one.truth {
            Truth::True => {
                let (instances, rejected) = (none.instances, none.rejected);
                let because = vec![format!("witness: {item:?}")];
                return Property { instances, rejected, because, ..one };
            }
            Truth::Undefined => none.truth = Truth::Undefined,
            _ => {}
        }
    }
    none.because = vec![format!("no witness among {} items", none.instances + none.rejected)];
    none
}

/// The values of `T`, small to large, without end if there are infinitely many.
///
/// ```
/// use gainsay_core::values;
/// assert_eq!(values::<i8>().take(5).collect::<Vec<_>>(), [0, 1, -1, 2, -2]);
/// assert_eq!(values::<(bool, bool)>().count(), 4);
/// ```
pub fn values<T: Arbitrary>() -> impl Iterator<Item = T> {
    crate::quiet::install_hook();
    let mut case = Case::walk(Walk::new(0), crate::case::CHOICES_MAX);
    let mut ended = false;
    std::iter::from_fn(move || {
        while !ended {
            case.rewind_walk();
            let mut drawn = None;
            let outcome = crate::quiet::run(
                &mut |case| {
                    drawn = Some(T::arbitrary(case));
                    Outcome::of(Status::Passed)
                },
                &mut case,
            );
            match outcome.status {
                Status::Overrun => panic!(
                    "the values of `{}` cannot be walked: one of them needs more than {} choices, or has no end{}",
                    std::any::type_name::<T>(),
                    case.choices_max(),
                    case.reason().map_or_else(String::new, |reason| format!(" ({reason})")),
                ),
                Status::Failed => {
                    panic!("{}", outcome.failure.map_or_else(String::new, |failure| failure.message))
                }
                _ => {}
            }
            let complete = case.end() == End::Live && case.ready();
            ended = case.walking().is_none_or(|walk| !walk.advance());
            if complete && drawn.is_some() {
                return drawn;
            }
        }
        None
    })
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident: $bound:ident, $operator:tt;)*) => {$(
        $(#[$doc])*
        pub fn $name<A: $bound<B> + Debug, B: Debug>(a: A, b: B) -> Property {
            Property::of(if a $operator b { Truth::True } else { Truth::False })
                .explained(|| format!("left {} right does not hold\n  left:  {a:?}\n  right: {b:?}", stringify!($operator)))
        }
    )*};
}

comparisons! {
    /// `a == b`, showing both if not.
    equal: PartialEq, ==;
    /// `a != b`, showing both if not.
    unequal: PartialEq, !=;
    /// `a < b`, showing both if not.
    less: PartialOrd, <;
    /// `a <= b`, showing both if not.
    at_most: PartialOrd, <=;
    /// `a > b`, showing both if not.
    greater: PartialOrd, >;
    /// `a >= b`, showing both if not.
    at_least: PartialOrd, >=;
}

/// Two floats differ by at most `tolerance`, absolutely or relative to the larger one; NaN is close to NaN, and an infinity to
/// itself.
pub fn close(a: f64, b: f64, tolerance: f64) -> Property {
    let difference = (a - b).abs();
    let holds = a == b
        || a.is_nan() && b.is_nan()
        || difference <= tolerance
        || difference.is_finite() && difference <= tolerance * a.abs().max(b.abs());
    Property::of(if holds { Truth::True } else { Truth::False }).explained(|| {
        format!(
            "the floats differ by {difference:e}, more than {tolerance:e}\n  left:  {a:?}\n  right: {b:?}"
        )
    })
}
