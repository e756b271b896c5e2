//! Random formulas and streams.

use gainsay_core::Case;
use gainsay_temporal::mfotl::{
    Aggregate, Fact, Formula, Term, aggregate, always, at_most, back_to, equal, eventually, exists, fact,
    facts, forall, function, historically, less, next, once, previous, release, since, test, until, value,
    var, weak_next, weak_previous, weak_until,
};
use std::time::Duration;

/// What an element says: `p(x)` of some values, `q(x)` of some, `r(x, y)` of some pairs, and `s`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    pub(crate) p: Vec<i64>,
    pub(crate) q: Vec<i64>,
    pub(crate) r: Vec<[i64; 2]>,
    pub(crate) s: bool,
}

pub(crate) type F = Formula<Said, i64>;

pub(crate) struct Facts {
    pub(crate) p: Fact<Said, i64>,
    pub(crate) q: Fact<Said, i64>,
    pub(crate) r: Fact<Said, i64>,
    pub(crate) s: Fact<Said, i64>,
}

pub(crate) fn all_facts() -> Facts {
    Facts {
        p: facts("p", |said: &Said| said.p.iter().map(|x| [*x]).collect::<Vec<_>>()),
        q: facts("q", |said: &Said| said.q.iter().map(|x| [*x]).collect::<Vec<_>>()),
        r: facts("r", |said: &Said| said.r.clone()),
        s: fact("s", |said: &Said| said.s.then_some([])),
    }
}

pub(crate) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub(crate) const NAMES: [&str; 4] = ["x", "y", "z", "w"];

/// Which formulas are made.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Kinds {
    /// Values that are computed.
    pub(crate) computes: bool,
    pub(crate) aggregates: bool,
    /// Past operators over future ones, and quantifiers whose values come later.
    pub(crate) is_free: bool,
}

pub(crate) struct Random<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) kinds: Kinds,
}

impl Random<'_> {
    pub(crate) fn term(&self, case: &mut Case, bound: usize) -> Term<i64> {
        let plain = |case: &mut Case| match bound {
            0 => value(case.int(0..=2i64)),
            _ if case.flag_weighted(1, 6) => value(case.int(0..=2i64)),
            _ => var(NAMES[case.index(bound)]),
        };
        if !self.kinds.computes || !case.flag_weighted(1, 4) {
            return plain(case);
        }
        let (one, two) = (plain(case), plain(case));
        // (Few values: the meaning ranges over all of them.)
        match case.index(5) {
            0 => one + value(1),
            1 => one - value(1),
            2 => one / two,
            3 => one % two,
            _ => function("sum", 2, |values: &[&i64]| (*values[0] < 4).then(|| (values[0] + values[1]) % 5))
                .of([one, two]),
        }
    }

    /// A formula with at most so many operators, over variables of which the first are bound.
    pub(crate) fn formula(&self, case: &mut Case, size: u32, bound: usize, is_past: bool) -> F {
        let is_past = is_past && !self.kinds.is_free;
        let term = |case: &mut Case| self.term(case, bound);
        if size == 0 {
            return match case.index_weighted(&[1, 5, 5, 5, 2, 2, 1, 1, 1]) {
                0 => true.into(),
                1 => self.facts.p.of([term(case)]),
                2 => self.facts.q.of([term(case)]),
                3 => self.facts.r.of([term(case), term(case)]),
                4 => self.facts.s.of([]),
                5 => equal(term(case), term(case)),
                6 => less(term(case), term(case)),
                7 => at_most(term(case), term(case)),
                _ => test("odd", [term(case)], |values: &[&i64]| values[0] % 2 != 0),
            };
        }
        let left = case.int(0..=size - 1);
        let right = size - 1 - left;
        let two = |case: &mut Case, is_past: bool| {
            (self.formula(case, left, bound, is_past), self.formula(case, right, bound, is_past))
        };
        let future = if is_past { 0 } else { 2 };
        let aggregates = u32::from(self.kinds.aggregates) * 3;
        let weights = [3, 3, 3, 2, 1, 6, future, future, future, future, 1, 1, 2, aggregates];
        match case.index_weighted(&weights) {
            0 => !self.formula(case, size - 1, bound, is_past),
            kind @ 1..=4 => {
                let (one, two) = two(case, is_past);
                match kind {
                    1 => one & two,
                    2 => one | two,
                    3 => one.implies(two),
                    _ => one.iff(two),
                }
            }
            5 if bound < NAMES.len() => self.quantified(case, size, bound, is_past),
            13 if bound < NAMES.len() => self.aggregated(case, size, bound, is_past),
            5 | 13 => self.formula(case, size - 1, bound, is_past),
            6 => {
                let of = self.formula(case, size - 1, bound, is_past);
                let of = if case.flag() { next(of) } else { weak_next(of) };
                if case.flag() { windowed(case, of) } else { of }
            }
            7 => {
                let of = self.formula(case, size - 1, bound, is_past);
                let of = if case.flag() { eventually(of) } else { always(of) };
                windowed(case, of)
            }
            8 => {
                let (one, two) = two(case, is_past);
                windowed(case, until(one, two))
            }
            9 => {
                let (one, two) = two(case, is_past);
                let of = if case.flag() { weak_until(one, two) } else { release(one, two) };
                windowed(case, of)
            }
            10 => {
                let of = self.formula(case, size - 1, bound, true);
                let of = if case.flag() { previous(of) } else { weak_previous(of) };
                if case.flag() { windowed(case, of) } else { of }
            }
            11 => {
                let of = self.formula(case, size - 1, bound, true);
                let of = if case.flag() { once(of) } else { historically(of) };
                if case.flag() { windowed(case, of) } else { of }
            }
            _ => {
                let (one, two) = two(case, true);
                let of = if case.flag_weighted(2, 1) { since(one, two) } else { back_to(one, two) };
                if case.flag() { windowed(case, of) } else { of }
            }
        }
    }

    /// What says which values the next variable may have; mostly a fact.
    fn guard(&self, case: &mut Case, size: u32, bound: usize, is_past: bool) -> F {
        let name = NAMES[bound];
        let Facts { p, q, r, .. } = self.facts;
        let guard = match case.index(5) {
            0 => p.of([var(name)]),
            1 => q.of([var(name)]),
            2 => r.of([var(name), var(NAMES[case.index(bound + 1)])]),
            3 if self.kinds.computes => equal(var(name), self.term(case, bound)),
            _ => self.formula(case, size.min(2) - 1, bound + 1, is_past),
        };
        match case.index(6) {
            0 if self.kinds.is_free => windowed(case, eventually(guard)),
            1 if self.kinds.is_free => next(guard),
            2 if self.kinds.is_free => {
                let held = self.formula(case, 0, bound + 1, true);
                windowed(case, until(held, guard))
            }
            3 => windowed(case, once(guard)),
            _ => guard,
        }
    }

    fn quantified(&self, case: &mut Case, size: u32, bound: usize, is_past: bool) -> F {
        let name = NAMES[bound];
        let guard = self.guard(case, size, bound, is_past);
        let of = self.formula(case, size - 1, bound + 1, is_past);
        if case.flag() { forall(name, guard.implies(of)) } else { exists(name, guard & of) }
    }

    /// An aggregation, and what is said of its result.
    fn aggregated(&self, case: &mut Case, size: u32, bound: usize, is_past: bool) -> F {
        let name = NAMES[bound];
        let (one, two) = ("a", "b");
        let Facts { p, q, r, .. } = self.facts;
        let guard = match case.index(4) {
            0 => p.of([var(one)]),
            1 => q.of([var(one)]),
            2 => p.of([var(one)]) | q.of([var(one)]),
            _ => r.of([var(one), var(two)]),
        };
        let of = match case.index(6) {
            0 => windowed(case, once(guard)),
            1 => once(guard),
            2 if !is_past => windowed(case, eventually(guard)),
            3 => guard & less(value(0), var(one)),
            _ => guard,
        };
        let has_two = of.free_variables().len() == 2;
        let operators =
            [Aggregate::Count, Aggregate::Sum, Aggregate::Min, Aggregate::Max, Aggregate::Average];
        let operator = operators[case.index(operators.len())];
        let by_two = has_two && bound > 0 && case.flag();
        let term = if self.kinds.computes && case.flag() { var(one) + value(1) } else { var(one) };
        let by: &[&str] = if by_two { &[two] } else { &[] };
        let of = aggregate(name, operator, term, by.iter().copied(), of);
        // (A group is one that is known.)
        let of = if by_two { exists(two, equal(var(two), var(NAMES[case.index(bound)])) & of) } else { of };
        let rest = self.formula(case, size - 1, bound + 1, is_past);
        if case.flag() { forall(name, of.implies(rest)) } else { exists(name, of & rest) }
    }
}

fn windowed(case: &mut Case, of: F) -> F {
    let from = [0, 0, 1, 2][case.index(4)];
    let length = [0, 1, 3, 5][case.index(4)];
    of.within(ms(from)..=ms(from + length))
}

pub(crate) fn trace(case: &mut Case) -> Vec<(Duration, Said)> {
    let mut time = 0;
    case.vec(1..=7, |case| {
        time += [0, 1, 1, 2, 4][case.index(5)];
        let value = |case: &mut Case| case.int(0..=2i64);
        let said = Said {
            p: case.vec(0..=2, value),
            q: case.vec(0..=2, value),
            r: case.vec(0..=2, |case| [value(case), value(case)]),
            s: case.flag(),
        };
        (ms(time), said)
    })
}
