//! Terms: variables, values, and values that are computed from others.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::sync::Arc;

/// What variables stand for. `<` is by [`PartialOrd`].
pub trait Value: Clone + Eq + Hash + PartialOrd + Debug {}

impl<T: Clone + Eq + Hash + PartialOrd + Debug> Value for T {}

/// Values to compute with: `x + 1`, and aggregations. `None` is no value, such as a quotient by zero or a sum that is too large: whatever is
/// said of it does not hold.
pub trait Arithmetic: Value {
    /// The sum.
    fn add(&self, other: &Self) -> Option<Self>;
    /// The difference.
    fn subtract(&self, other: &Self) -> Option<Self>;
    /// The product.
    fn multiply(&self, other: &Self) -> Option<Self>;
    /// The quotient. That of integers is rounded towards zero.
    fn divide(&self, other: &Self) -> Option<Self>;
    /// What a division leaves over.
    fn remainder(&self, other: &Self) -> Option<Self>;
    /// The value with the other sign.
    fn negate(&self) -> Option<Self>;
    /// A number of things, as a value.
    fn from_count(count: usize) -> Option<Self>;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Arithmetic for $integer {
            fn add(&self, other: &Self) -> Option<Self> {
                self.checked_add(*other)
            }

            fn subtract(&self, other: &Self) -> Option<Self> {
                self.checked_sub(*other)
            }

            fn multiply(&self, other: &Self) -> Option<Self> {
                self.checked_mul(*other)
            }

            fn divide(&self, other: &Self) -> Option<Self> {
                self.checked_div(*other)
            }

            fn remainder(&self, other: &Self) -> Option<Self> {
                self.checked_rem(*other)
            }

            fn negate(&self) -> Option<Self> {
                self.checked_neg()
            }

            fn from_count(count: usize) -> Option<Self> {
                count.try_into().ok()
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// A variable, a value, or a value that is computed: see [`var`], [`value`] and [`function`]. Terms of [`Arithmetic`] values are added,
/// subtracted, multiplied and divided by the operators of Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term<V> {
    pub(crate) kind: Kind<V>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind<V> {
    Variable(Arc<str>),
    Value(V),
    Computed(Computation<V>, Vec<Term<V>>),
}

/// How a value is computed from others.
pub(crate) enum Computation<V> {
    Operator(Operator, fn(&[&V]) -> Option<V>),
    Function(Function<V>),
}

impl<V> Computation<V> {
    pub(crate) fn compute(&self, values: &[&V]) -> Option<V> {
        match self {
            Computation::Operator(_, compute) => compute(values),
            Computation::Function(function) => (function.inside.compute)(values),
        }
    }
}

impl<V> Clone for Computation<V> {
    fn clone(&self) -> Computation<V> {
        match self {
            Computation::Operator(operator, compute) => Computation::Operator(*operator, *compute),
            Computation::Function(function) => Computation::Function(function.clone()),
        }
    }
}

impl<V> Debug for Computation<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Computation::Operator(operator, _) => write!(f, "{operator:?}"),
            Computation::Function(function) => write!(f, "{function:?}"),
        }
    }
}

impl<V> PartialEq for Computation<V> {
    fn eq(&self, other: &Computation<V>) -> bool {
        match (self, other) {
            (Computation::Operator(one, _), Computation::Operator(two, _)) => one == two,
            (Computation::Function(one), Computation::Function(two)) => Arc::ptr_eq(&one.inside, &two.inside),
            _ => false,
        }
    }
}

impl<V> Eq for Computation<V> {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
}

impl Operator {
    /// As it is written.
    pub(crate) fn symbol(self) -> char {
        match self {
            Operator::Add => '+',
            Operator::Subtract | Operator::Negate => '-',
            Operator::Multiply => '*',
            Operator::Divide => '/',
            Operator::Remainder => '%',
        }
    }

    /// How tightly it binds: more is tighter.
    fn tightness(self) -> u8 {
        match self {
            Operator::Add | Operator::Subtract => 0,
            Operator::Multiply | Operator::Divide | Operator::Remainder => 1,
            Operator::Negate => 2,
        }
    }

    pub(crate) fn of<V: Arithmetic>(self, terms: Vec<Term<V>>) -> Term<V> {
        let compute: fn(&[&V]) -> Option<V> = match self {
            Operator::Add => |values| values[0].add(values[1]),
            Operator::Subtract => |values| values[0].subtract(values[1]),
            Operator::Multiply => |values| values[0].multiply(values[1]),
            Operator::Divide => |values| values[0].divide(values[1]),
            Operator::Remainder => |values| values[0].remainder(values[1]),
            Operator::Negate => |values| values[0].negate(),
        };
        Term { kind: Kind::Computed(Computation::Operator(self, compute), terms) }
    }
}

macro_rules! operators {
    ($($name:ident $method:ident)*) => {$(
        impl<V: Arithmetic> $name for Term<V> {
            type Output = Term<V>;

            fn $method(self, other: Term<V>) -> Term<V> {
                operators!(@ $name).of(vec![self, other])
            }
        }
    )*};
    (@ Add) => { Operator::Add };
    (@ Sub) => { Operator::Subtract };
    (@ Mul) => { Operator::Multiply };
    (@ Div) => { Operator::Divide };
    (@ Rem) => { Operator::Remainder };
}

operators! { Add add Sub sub Mul mul Div div Rem rem }

impl<V: Arithmetic> Neg for Term<V> {
    type Output = Term<V>;

    fn neg(self) -> Term<V> {
        Operator::Negate.of(vec![self])
    }
}

/// A variable.
pub fn var<V>(name: &str) -> Term<V> {
    Term { kind: Kind::Variable(name.into()) }
}

/// A value.
pub fn value<V>(value: V) -> Term<V> {
    Term { kind: Kind::Value(value) }
}

/// A way to compute a value from others: see [`function`].
pub struct Function<V> {
    inside: Arc<Inside<V>>,
}

struct Inside<V> {
    name: String,
    arity: usize,
    compute: Box<Compute<V>>,
}

type Compute<V> = dyn Fn(&[&V]) -> Option<V> + Send + Sync;

/// A way to compute a value from `arity` others. Where it gives none, whatever is said of its value does not hold.
pub fn function<V>(
    name: impl Into<String>,
    arity: usize,
    compute: impl Fn(&[&V]) -> Option<V> + Send + Sync + 'static,
) -> Function<V> {
    Function { inside: Arc::new(Inside { name: name.into(), arity, compute: Box::new(compute) }) }
}

impl<V> Function<V> {
    /// Its value for these.
    ///
    /// # Panics
    /// If it takes another number of values.
    #[track_caller]
    pub fn of(&self, terms: impl IntoIterator<Item = Term<V>>) -> Term<V> {
        let terms: Vec<Term<V>> = terms.into_iter().collect();
        let Inside { name, arity, .. } = &*self.inside;
        assert!(terms.len() == *arity, "`{name}` takes {arity} values, not {}", terms.len());
        Term { kind: Kind::Computed(Computation::Function(self.clone()), terms) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inside.name
    }

    pub(crate) fn arity(&self) -> usize {
        self.inside.arity
    }
}

impl<V> Clone for Function<V> {
    fn clone(&self) -> Function<V> {
        Function { inside: Arc::clone(&self.inside) }
    }
}

impl<V> Debug for Function<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({}/{})", self.inside.name, self.inside.arity)
    }
}

impl<V> Term<V> {
    pub(crate) fn is_computed(&self) -> bool {
        matches!(self.kind, Kind::Computed(..))
    }

    /// Calls something with each term in it, and itself.
    pub(crate) fn each<'a>(&'a self, see: &mut dyn FnMut(&'a Term<V>)) {
        see(self);
        if let Kind::Computed(_, terms) = &self.kind {
            terms.iter().for_each(|term| term.each(see));
        }
    }

    /// Adds the names of its variables.
    pub(crate) fn variables(&self, names: &mut Vec<Arc<str>>) {
        self.each(&mut |term| {
            if let Kind::Variable(name) = &term.kind {
                names.push(Arc::clone(name));
            }
        });
    }
}

impl<V: Debug> Display for Term<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl<V: Debug> Term<V> {
    /// Writes it, in brackets if it binds less than so tightly.
    fn write(&self, f: &mut fmt::Formatter<'_>, around: u8) -> fmt::Result {
        match &self.kind {
            Kind::Variable(name) => f.write_str(&super::text::quoted_variable(name)),
            Kind::Value(value) => write!(f, "{value:?}"),
            Kind::Computed(Computation::Function(function), terms) => {
                f.write_str(&super::text::quoted(function.name()))?;
                f.write_str("(")?;
                for (place, term) in terms.iter().enumerate() {
                    write!(f, "{}{term}", if place == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Kind::Computed(Computation::Operator(operator, _), terms) => {
                let own = operator.tightness();
                let is_in_brackets = own < around;
                if is_in_brackets {
                    f.write_str("(")?;
                }
                match terms.as_slice() {
                    [one, two] => {
                        one.write(f, own)?;
                        write!(f, " {} ", operator.symbol())?;
                        two.write(f, own + 1)?;
                    }
                    // (The brackets tell the negation of a number from a negative number.)
                    [one] if matches!(one.kind, Kind::Value(_)) => write!(f, "-({one})")?,
                    terms => {
                        write!(f, "{}", operator.symbol())?;
                        terms.iter().try_for_each(|term| term.write(f, 3))?;
                    }
                }
                if is_in_brackets { f.write_str(")") } else { Ok(()) }
            }
        }
    }
}
