//! Formulas: what is said of streams.

use crate::atom::{ATOMS_MAX, Atom};
use crate::shape::{Binary, Bound, Shape, Unary};
use crate::text;
use gainsay_core::Error;
use std::fmt::{self, Debug, Display};
use std::ops::{BitAnd, BitOr, Not, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

/// Something that is said of a stream of elements: made of [`atom`](crate::atom)s, `!`, `&`, `|`, and the functions of this crate, or read from
/// text by [`parse`](crate::parse).
pub struct Formula<E> {
    pub(crate) shape: Arc<Shape>,
    pub(crate) atoms: Vec<Atom<E>>,
}

impl<E> Clone for Formula<E> {
    fn clone(&self) -> Formula<E> {
        Formula { shape: Arc::clone(&self.shape), atoms: self.atoms.clone() }
    }
}

impl<E> Display for Formula<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(f, &self.shape, &|atom| self.atoms[atom as usize].name())
    }
}

impl<E> Debug for Formula<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Formula({self})")
    }
}

impl<E> From<Atom<E>> for Formula<E> {
    fn from(atom: Atom<E>) -> Formula<E> {
        Formula { shape: Arc::new(Shape::Atom(0)), atoms: vec![atom] }
    }
}

impl<E> From<bool> for Formula<E> {
    fn from(holds: bool) -> Formula<E> {
        Formula { shape: Arc::new(if holds { Shape::True } else { Shape::False }), atoms: Vec::new() }
    }
}

/// How far away something may be: of elements, or of time. Both ends count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within {
    pub(crate) bound: Bound,
}

impl From<RangeInclusive<u64>> for Within {
    fn from(steps: RangeInclusive<u64>) -> Within {
        Within { bound: Bound::Steps(*steps.start(), Some(*steps.end())) }
    }
}

impl From<RangeInclusive<Duration>> for Within {
    fn from(time: RangeInclusive<Duration>) -> Within {
        Within { bound: Bound::Time(nanoseconds(*time.start()), Some(nanoseconds(*time.end()))) }
    }
}

impl From<std::ops::RangeFrom<u64>> for Within {
    fn from(steps: std::ops::RangeFrom<u64>) -> Within {
        Within { bound: Bound::Steps(steps.start, None) }
    }
}

impl From<std::ops::RangeFrom<Duration>> for Within {
    fn from(time: std::ops::RangeFrom<Duration>) -> Within {
        Within { bound: Bound::Time(nanoseconds(time.start), None) }
    }
}

pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl<E> Formula<E> {
    fn one(of: impl Into<Formula<E>>, make: impl FnOnce(Arc<Shape>) -> Shape) -> Formula<E> {
        let Formula { shape, atoms } = of.into();
        Formula { shape: Arc::new(make(shape)), atoms }
    }

    fn two(
        one: impl Into<Formula<E>>,
        two: impl Into<Formula<E>>,
        make: impl FnOnce(Arc<Shape>, Arc<Shape>) -> Shape,
    ) -> Formula<E> {
        let (one, two) = (one.into(), two.into());
        let mut atoms = one.atoms;
        let mut numbers = Vec::with_capacity(two.atoms.len());
        for atom in two.atoms {
            let known = atoms.iter().position(|known| known.is_same(&atom));
            numbers.push(known.unwrap_or(atoms.len()) as u32);
            match known {
                None => atoms.push(atom),
                Some(known) if atom.knows_more_than(&atoms[known]) => atoms[known] = atom,
                Some(_) => {}
            }
        }
        let is_same = numbers.iter().enumerate().all(|(place, number)| place as u32 == *number);
        let shape = match is_same {
            true => two.shape,
            false => Arc::new(two.shape.renumbered(&|atom| numbers[atom as usize])),
        };
        Formula { shape: Arc::new(make(one.shape, shape)), atoms }
    }

    /// If this, then another.
    #[must_use]
    pub fn implies(self, then: impl Into<Formula<E>>) -> Formula<E> {
        Formula::two(self, then, Shape::Implies)
    }

    /// This exactly when another.
    #[must_use]
    pub fn iff(self, other: impl Into<Formula<E>>) -> Formula<E> {
        Formula::two(self, other, Shape::Iff)
    }

    /// Bounds the outermost operator: how far away it looks.
    ///
    /// # Panics
    /// If it has no bound (next, previous, not, and, or), or the bound is empty.
    #[must_use]
    #[track_caller]
    pub fn within(self, within: impl Into<Within>) -> Formula<E> {
        let bound = within.into().bound;
        if let Bound::Steps(from, Some(to)) | Bound::Time(from, Some(to)) = bound {
            assert!(from <= to, "nothing is at least {from} and at most {to} away");
        }
        let shape = match &*self.shape {
            Shape::One(operator, _, of) => Shape::One(*operator, bound, of.clone()),
            Shape::Two(operator, _, one, two) => Shape::Two(*operator, bound, one.clone(), two.clone()),
            _ => panic!("{self} has no bound: bound always, eventually, until and their like"),
        };
        Formula { shape: Arc::new(shape), atoms: self.atoms }
    }

    /// Its atoms.
    pub fn atoms(&self) -> &[Atom<E>] {
        &self.atoms
    }

    /// How many atoms and operators it has.
    pub fn size(&self) -> usize {
        self.shape.size()
    }

    /// There are not too many atoms, and each has a name of its own.
    pub(crate) fn must_be_clear(&self) -> Result<(), Error> {
        if self.atoms.len() > ATOMS_MAX {
            return Err(Error::specification(format!(
                "a formula has at most {ATOMS_MAX} atoms, and {self} has {}: put some together",
                self.atoms.len()
            )));
        }
        let mut names = self.atoms.iter().map(Atom::name).enumerate();
        match names.find(|(place, name)| self.atoms[..*place].iter().any(|atom| atom.name() == *name)) {
            None => Ok(()),
            Some((_, name)) => Err(Error::specification(format!(
                "two atoms of {self} are called `{name}`, and may mean different things: use clones of one atom, say `one_by_name` of both if \
                 they mean the same, or give them different names"
            ))),
        }
    }

    /// Whether it holds of a finite stream, which is all there is. By its meaning, word by word: slow, and as plain as can be.
    pub fn holds(&self, elements: &[E]) -> bool {
        let timed: Vec<(Duration, &E)> = elements.iter().map(|element| (Duration::ZERO, element)).collect();
        self.holds_at_times(&timed)
    }

    /// The same of elements with their times, which must not go back.
    pub fn holds_at_times(&self, elements: &[(Duration, &E)]) -> bool {
        let (mut before, mut tracks) = (None, crate::atom::tracks(&self.atoms));
        let word: Vec<(u64, u64)> = elements
            .iter()
            .map(|(time, element)| {
                let letter = crate::atom::letter_of(&self.atoms, &mut tracks, before, element);
                before = Some(*element);
                (letter, nanoseconds(*time))
            })
            .collect();
        crate::evaluate::holds(&self.shape, &word, 0)
    }
}

impl<E> Not for Formula<E> {
    type Output = Formula<E>;

    fn not(self) -> Formula<E> {
        Formula::one(self, Shape::Not)
    }
}

impl<E> Not for Atom<E> {
    type Output = Formula<E>;

    fn not(self) -> Formula<E> {
        !Formula::from(self)
    }
}

macro_rules! operators {
    ($($of:ident)*) => {$(
        impl<E, T: Into<Formula<E>>> BitAnd<T> for $of<E> {
            type Output = Formula<E>;

            fn bitand(self, other: T) -> Formula<E> {
                Formula::two(self, other, Shape::And)
            }
        }

        impl<E, T: Into<Formula<E>>> BitOr<T> for $of<E> {
            type Output = Formula<E>;

            fn bitor(self, other: T) -> Formula<E> {
                Formula::two(self, other, Shape::Or)
            }
        }
    )*};
}

operators!(Formula Atom);

impl<E> Atom<E> {
    /// If this, then another.
    #[must_use]
    pub fn implies(self, then: impl Into<Formula<E>>) -> Formula<E> {
        Formula::from(self).implies(then)
    }

    /// This exactly when another.
    #[must_use]
    pub fn iff(self, other: impl Into<Formula<E>>) -> Formula<E> {
        Formula::from(self).iff(other)
    }
}

/// There is a next element, and this holds there.
pub fn next<E>(of: impl Into<Formula<E>>) -> Formula<E> {
    next_n(1, of)
}

/// There is an element so many further on, and this holds there.
pub fn next_n<E>(steps: u32, of: impl Into<Formula<E>>) -> Formula<E> {
    Formula::one(of, |of| Shape::Next { weak: false, steps, of })
}

/// If there is a next element, this holds there.
pub fn weak_next<E>(of: impl Into<Formula<E>>) -> Formula<E> {
    Formula::one(of, |of| Shape::Next { weak: true, steps: 1, of })
}

/// At the next element at which something is observed, this holds. For signals that get lost: what is not observed says nothing.
pub fn next_observed<E>(observed: impl Into<Formula<E>>, of: impl Into<Formula<E>>) -> Formula<E> {
    let observed = observed.into();
    next(until(!observed.clone(), observed & of))
}

/// There is an element before, and this holds there.
pub fn previous<E>(of: impl Into<Formula<E>>) -> Formula<E> {
    Formula::one(of, |of| Shape::Previous { weak: false, steps: 1, of })
}

/// If there is an element before, this holds there.
pub fn weak_previous<E>(of: impl Into<Formula<E>>) -> Formula<E> {
    Formula::one(of, |of| Shape::Previous { weak: true, steps: 1, of })
}

/// Now and at all later elements.
pub fn always<E>(of: impl Into<Formula<E>>) -> Formula<E> {
    Formula::one(of, |of| Shape::One(Unary::Always, Bound::None, of))
}

/// Now or at a later element.
pub fn eventually<E>(of: impl Into<Formula<E>>) -> Formula<E> {
    Formula::one(of, |of| Shape::One(Unary::Eventually, Bound::None, of))
}

/// Now and at all earlier elements.
pub fn historically<E>(of: impl Into<Formula<E>>) -> Formula<E> {
    Formula::one(of, |of| Shape::One(Unary::Historically, Bound::None, of))
}

/// Now or at an earlier element.
pub fn once<E>(of: impl Into<Formula<E>>) -> Formula<E> {
    Formula::one(of, |of| Shape::One(Unary::Once, Bound::None, of))
}

/// The second comes, and the first holds until then.
pub fn until<E>(one: impl Into<Formula<E>>, two: impl Into<Formula<E>>) -> Formula<E> {
    Formula::two(one, two, |one, two| Shape::Two(Binary::Until, Bound::None, one, two))
}

/// The first holds until the second comes, or for ever.
pub fn weak_until<E>(one: impl Into<Formula<E>>, two: impl Into<Formula<E>>) -> Formula<E> {
    Formula::two(one, two, |one, two| Shape::Two(Binary::WeakUntil, Bound::None, one, two))
}

/// The second holds until the first does as well, or for ever.
pub fn release<E>(one: impl Into<Formula<E>>, two: impl Into<Formula<E>>) -> Formula<E> {
    Formula::two(one, two, |one, two| Shape::Two(Binary::Release, Bound::None, one, two))
}

/// The second was once, and the first has held since then.
pub fn since<E>(one: impl Into<Formula<E>>, two: impl Into<Formula<E>>) -> Formula<E> {
    Formula::two(one, two, |one, two| Shape::Two(Binary::Since, Bound::None, one, two))
}

/// The first has held since the second was, or from the beginning.
pub fn back_to<E>(one: impl Into<Formula<E>>, two: impl Into<Formula<E>>) -> Formula<E> {
    Formula::two(one, two, |one, two| Shape::Two(Binary::BackTo, Bound::None, one, two))
}
