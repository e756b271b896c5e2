//! What formulas say of single elements and values.

use super::formula::{Formula, Said};
use super::term::{Term, Value};
use std::fmt::{self, Debug};
use std::sync::Arc;

/// Something that elements say of values, any number of times: see [`fact`] and [`facts`].
pub struct Fact<E, V> {
    pub(crate) inside: Arc<Reading<E, V>>,
}

pub(crate) struct Reading<E, V> {
    pub(crate) name: String,
    /// How many values it is about.
    pub(crate) arity: usize,
    pub(crate) read: Box<Read<E, V>>,
}

/// Adds the values of which an element says it, one after the other; how often it does.
pub(crate) type Read<E, V> = dyn Fn(&E, &mut Vec<V>) -> usize + Send + Sync;

impl<E, V> Clone for Fact<E, V> {
    fn clone(&self) -> Fact<E, V> {
        Fact { inside: Arc::clone(&self.inside) }
    }
}

impl<E, V> Debug for Fact<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fact({}/{})", self.inside.name, self.inside.arity)
    }
}

/// Something that an element says of some values, or does not say.
pub fn fact<E, V, const N: usize>(
    name: impl Into<String>,
    read: impl Fn(&E) -> Option<[V; N]> + Send + Sync + 'static,
) -> Fact<E, V> {
    facts(name, read)
}

/// Something that an element may say several times, each time of other values.
pub fn facts<E, V, I: IntoIterator<Item = [V; N]>, const N: usize>(
    name: impl Into<String>,
    read: impl Fn(&E) -> I + Send + Sync + 'static,
) -> Fact<E, V> {
    let read = move |element: &E, values: &mut Vec<V>| {
        let mut count = 0;
        for tuple in read(element) {
            values.extend(tuple);
            count += 1;
        }
        count
    };
    Fact { inside: Arc::new(Reading { name: name.into(), arity: N, read: Box::new(read) }) }
}

impl<E, V> Fact<E, V> {
    /// The element says it of these.
    ///
    /// # Panics
    /// If it is about another number of values.
    #[track_caller]
    pub fn of(&self, terms: impl IntoIterator<Item = Term<V>>) -> Formula<E, V> {
        let terms: Vec<Term<V>> = terms.into_iter().collect();
        let Reading { name, arity, .. } = &*self.inside;
        assert!(terms.len() == *arity, "`{name}` is about {arity} values, not {}", terms.len());
        Said::Fact(self.clone(), terms).into()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inside.name
    }

    pub(crate) fn is_same(&self, other: &Fact<E, V>) -> bool {
        Arc::ptr_eq(&self.inside, &other.inside)
    }
}

/// Whether values are so.
pub(crate) type Holds<V> = dyn Fn(&[&V]) -> bool + Send + Sync;

/// Something that is true or false of values, whatever the element says.
pub(crate) struct Test<V> {
    pub(crate) name: String,
    pub(crate) terms: Vec<Term<V>>,
    pub(crate) kind: TestKind<V>,
}

pub(crate) enum TestKind<V> {
    Equal,
    Less,
    AtMost,
    Other(Box<Holds<V>>),
}

impl<V: Value> TestKind<V> {
    pub(crate) fn holds(&self, values: &[&V]) -> bool {
        match (self, values) {
            (TestKind::Equal, [one, two]) => one == two,
            (TestKind::Less, [one, two]) => one < two,
            (TestKind::AtMost, [one, two]) => one <= two,
            (TestKind::Other(holds), _) => holds(values),
            _ => false,
        }
    }
}

/// Both are the same value.
pub fn equal<E, V>(one: Term<V>, two: Term<V>) -> Formula<E, V> {
    Said::Test(Arc::new(Test { name: "=".into(), terms: vec![one, two], kind: TestKind::Equal })).into()
}

/// The first is less than the second.
pub fn less<E, V>(one: Term<V>, two: Term<V>) -> Formula<E, V> {
    Said::Test(Arc::new(Test { name: "<".into(), terms: vec![one, two], kind: TestKind::Less })).into()
}

/// The first is less than the second, or the same.
pub fn at_most<E, V>(one: Term<V>, two: Term<V>) -> Formula<E, V> {
    Said::Test(Arc::new(Test { name: "<=".into(), terms: vec![one, two], kind: TestKind::AtMost })).into()
}

/// Something else that is true or false of values.
pub fn test<E, V>(
    name: impl Into<String>,
    terms: impl IntoIterator<Item = Term<V>>,
    holds: impl Fn(&[&V]) -> bool + Send + Sync + 'static,
) -> Formula<E, V> {
    let terms = terms.into_iter().collect();
    Said::Test(Arc::new(Test { name: name.into(), terms, kind: TestKind::Other(Box::new(holds)) })).into()
}
