//! Aggregations: one value of a group of many.
//! After Basin, Klaedtke, Marinovic and Zălinescu (2015), "Monitoring of temporal first-order properties with aggregations".

use super::formula::{Formula, Said};
use super::term::{Arithmetic, Term, Value};
use std::cmp::Ordering;
use std::fmt::{self, Display};
use std::sync::Arc;

/// How many values become one: see [`aggregate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Aggregate {
    /// How many there are.
    Count,
    /// Their sum.
    Sum,
    /// The least one.
    Min,
    /// The greatest one.
    Max,
    /// Their sum, divided by how many there are; that of integers is rounded towards zero.
    Average,
}

impl Aggregate {
    pub(crate) const ALL: [Aggregate; 5] =
        [Aggregate::Count, Aggregate::Sum, Aggregate::Min, Aggregate::Max, Aggregate::Average];

    fn fold<V: Arithmetic>(self, mut values: Vec<V>) -> Option<V> {
        // (In one order, so that rounding and overflow do not depend on the order in which values were found.)
        values.sort_by(|one, two| one.partial_cmp(two).unwrap_or(Ordering::Equal));
        match self {
            Aggregate::Count => V::from_count(values.len()),
            Aggregate::Min => values.first().cloned(),
            Aggregate::Max => values.last().cloned(),
            Aggregate::Sum => sum(&values),
            Aggregate::Average if values.is_empty() => None,
            Aggregate::Average => sum(&values)?.divide(&V::from_count(values.len())?),
        }
    }
}

fn sum<V: Arithmetic>(values: &[V]) -> Option<V> {
    values.iter().try_fold(V::from_count(0)?, |sum, value| sum.add(value))
}

impl Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Aggregate::Count => "count",
            Aggregate::Sum => "sum",
            Aggregate::Min => "min",
            Aggregate::Max => "max",
            Aggregate::Average => "average",
        })
    }
}

/// What an aggregation says of its formula.
pub(crate) struct Aggregation<V> {
    pub(crate) result: Arc<str>,
    pub(crate) operator: Aggregate,
    pub(crate) term: Term<V>,
    pub(crate) by: Vec<Arc<str>>,
    fold: fn(Aggregate, Vec<V>) -> Option<V>,
}

impl<V: Value> Aggregation<V> {
    /// The value of a group; where there are no groups, nothing at all is one as well.
    pub(crate) fn fold(&self, values: Vec<V>) -> Option<V> {
        if values.is_empty() && !self.by.is_empty() {
            return None;
        }
        (self.fold)(self.operator, values)
    }
}

/// `result` is the count, sum, … of a term, over all values of the other variables for which a formula holds; `by` names the variables whose
/// values make a group, each of which has its own result.
///
/// A term counts once for each way in which the formula holds: the sum of `a` where `paid(id, a)` holds counts each `id`, also where their
/// amounts are the same. Without `by`, the count and the sum of nothing are 0; nothing is the least, greatest, or average of nothing.
///
/// ```
/// use gainsay_temporal::mfotl::{Aggregate, Monitor, aggregate, always, at_most, fact, once, value, var};
/// use std::time::Duration;
///
/// let paid = fact("paid", |said: &[i64; 3]| Some(*said));
/// let recent = once(paid.of([var("user"), var("id"), var("a")])).within(Duration::ZERO..=Duration::from_secs(60));
/// let sum = aggregate("s", Aggregate::Sum, var("a"), ["user"], recent);
/// let rule = always(sum.implies(at_most(var("s"), value(100))));
/// assert_eq!(rule.to_string(), "G ((s <- sum a by user. O[0s,60s] paid(user, id, a)) -> s <= 100)");
///
/// let mut monitor = Monitor::new(&rule)?;
/// assert!(monitor.see_at(Duration::from_secs(0), &[7, 1, 60])?.is_empty());
/// let broken = monitor.see_at(Duration::from_secs(9), &[7, 2, 60])?;
/// assert_eq!(broken[0].to_string(), "element 1 at 9s, s = 120, user = 7: broken at 9s");
/// assert!(monitor.see_at(Duration::from_secs(70), &[7, 3, 60])?.is_empty());
/// # Ok::<(), gainsay_core::Error>(())
/// ```
///
/// # Panics
/// If `by` or the term names a variable that is not free in the formula, or `result` is one that is.
#[track_caller]
pub fn aggregate<'a, E, V: Arithmetic>(
    result: &str,
    operator: Aggregate,
    term: Term<V>,
    by: impl IntoIterator<Item = &'a str>,
    of: Formula<E, V>,
) -> Formula<E, V> {
    let by = by.into_iter().map(Arc::from).collect();
    checked(result.into(), operator, term, by, of).unwrap_or_else(|message| panic!("{message}"))
}

/// An aggregation, or what is wrong with it.
pub(crate) fn checked<E, V: Arithmetic>(
    result: Arc<str>,
    operator: Aggregate,
    term: Term<V>,
    mut by: Vec<Arc<str>>,
    of: Formula<E, V>,
) -> Result<Formula<E, V>, String> {
    let free = of.said.free();
    let mut used = by.clone();
    term.variables(&mut used);
    if let Some(name) = used.iter().find(|name| !free.contains(name)) {
        return Err(format!("`{name}` is no free variable of {of}: nothing can be aggregated by it"));
    }
    if free.contains(&result) {
        return Err(format!(
            "`{result}` is the result of an aggregation, and a variable of {of} as well: rename one"
        ));
    }
    by.sort();
    by.dedup();
    let fold = |operator: Aggregate, values: Vec<V>| operator.fold(values);
    Ok(Said::Aggregate(Arc::new(Aggregation { result, operator, term, by, fold }), of.said).into())
}
