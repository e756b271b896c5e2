//! Formulas with data: monitors say what formulas mean.

use crate::support::seeded;
use gainsay::Case;
use gainsay::temporal::mfotl::{
    Fact, Formula, Known, Monitor, Term, always, back_to, equal, eventually, exists, fact, facts, forall,
    historically, less, next, once, previous, release, since, test, until, value, var, weak_next,
    weak_previous, weak_until,
};
use std::collections::BTreeSet;
use std::time::Duration;

/// What an element says: `p(x)` of some values, `q(x)` of some, `r(x, y)` of some pairs, and `s`.
#[derive(Debug, Clone, Default)]
struct Said {
    p: Vec<u8>,
    q: Vec<u8>,
    r: Vec<[u8; 2]>,
    s: bool,
}

type F = Formula<Said, u8>;

struct Facts {
    p: Fact<Said, u8>,
    q: Fact<Said, u8>,
    r: Fact<Said, u8>,
    s: Fact<Said, u8>,
}

fn all_facts() -> Facts {
    Facts {
        p: facts("p", |said: &Said| said.p.iter().map(|x| [*x]).collect::<Vec<_>>()),
        q: facts("q", |said: &Said| said.q.iter().map(|x| [*x]).collect::<Vec<_>>()),
        r: facts("r", |said: &Said| said.r.clone()),
        s: fact("s", |said: &Said| said.s.then_some([])),
    }
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const NAMES: [&str; 3] = ["x", "y", "z"];

/// A formula with at most so many operators, over variables of which the first are bound.
fn formula(case: &mut Case, facts: &Facts, size: u32, bound: usize, is_past: bool) -> F {
    let term = |case: &mut Case| -> Term<u8> {
        match bound {
            0 => value(case.int(0..=2u8)),
            _ if case.flag_weighted(1, 6) => value(case.int(0..=2u8)),
            _ => var(NAMES[case.index(bound)]),
        }
    };
    if size == 0 {
        return match case.index_weighted(&[1, 5, 5, 5, 2, 2, 1, 1]) {
            0 => true.into(),
            1 => facts.p.of([term(case)]),
            2 => facts.q.of([term(case)]),
            3 => facts.r.of([term(case), term(case)]),
            4 => facts.s.of([]),
            5 => equal(term(case), term(case)),
            6 => less(term(case), term(case)),
            _ => test("odd", [term(case)], |values: &[&u8]| values[0] % 2 == 1),
        };
    }
    let left = case.int(0..=size - 1);
    let right = size - 1 - left;
    let one = |case: &mut Case| formula(case, facts, size - 1, bound, is_past);
    let two = |case: &mut Case| {
        (formula(case, facts, left, bound, is_past), formula(case, facts, right, bound, is_past))
    };
    let future = if is_past { 0 } else { 2 };
    match case.index_weighted(&[3, 3, 3, 2, 1, 6, future, future, future, future, 1, 1, 1, 1]) {
        0 => !one(case),
        1 => {
            let (one, two) = two(case);
            one & two
        }
        2 => {
            let (one, two) = two(case);
            one | two
        }
        3 => {
            let (one, two) = two(case);
            one.implies(two)
        }
        4 => {
            let (one, two) = two(case);
            one.iff(two)
        }
        // Mostly a fact says which values there are.
        5 if bound < NAMES.len() => {
            let name = NAMES[bound];
            let guard = match case.index(4) {
                0 => facts.p.of([var(name)]),
                1 => facts.q.of([var(name)]),
                2 => facts.r.of([var(name), var(NAMES[case.index(bound + 1)])]),
                _ => formula(case, facts, size.min(2) - 1, bound + 1, is_past),
            };
            let of = formula(case, facts, size - 1, bound + 1, is_past);
            if case.flag() { forall(name, guard.implies(of)) } else { exists(name, guard & of) }
        }
        5 => one(case),
        6 => {
            let of = one(case);
            let of = if case.flag() { next(of) } else { weak_next(of) };
            if case.flag() { windowed(case, of) } else { of }
        }
        7 => {
            let of = one(case);
            let of = if case.flag() { eventually(of) } else { always(of) };
            windowed(case, of)
        }
        8 => {
            let (one, two) = two(case);
            let of = until(one, two);
            windowed(case, of)
        }
        9 => {
            let (one, two) = two(case);
            let of = if case.flag() { weak_until(one, two) } else { release(one, two) };
            windowed(case, of)
        }
        10 => {
            let of = formula(case, facts, size - 1, bound, true);
            let of = if case.flag() { previous(of) } else { weak_previous(of) };
            if case.flag() { windowed(case, of) } else { of }
        }
        11 => {
            let of = formula(case, facts, size - 1, bound, true);
            let of = if case.flag() { once(of) } else { historically(of) };
            if case.flag() { windowed(case, of) } else { of }
        }
        12 | 13 => {
            let (one, two) =
                (formula(case, facts, left, bound, true), formula(case, facts, right, bound, true));
            let of = if case.flag_weighted(2, 1) { since(one, two) } else { back_to(one, two) };
            if case.flag() { windowed(case, of) } else { of }
        }
        _ => unreachable!(),
    }
}

fn windowed(case: &mut Case, of: F) -> F {
    let from = [0, 0, 1, 2][case.index(4)];
    let length = [0, 1, 3, 5][case.index(4)];
    of.within(ms(from)..=ms(from + length))
}

fn trace(case: &mut Case) -> Vec<(Duration, Said)> {
    let mut time = 0;
    case.vec(1..=7, |case| {
        time += [0, 1, 1, 2, 4][case.index(5)];
        let value = |case: &mut Case| case.int(0..=2u8);
        let said = Said {
            p: case.vec(0..=2, value),
            q: case.vec(0..=2, value),
            r: case.vec(0..=2, |case| [value(case), value(case)]),
            s: case.flag(),
        };
        (ms(time), said)
    })
}

/// Compares a monitor of `G f` with what `f` means at each element, after each beginning and in the end; whether it could be monitored.
fn compare(f: &F, trace: &[(Duration, Said)]) -> bool {
    let Ok(mut monitor) = Monitor::new(&always(f.clone())) else { return false };
    let mut broken = BTreeSet::new();
    let elements: Vec<(Duration, &Said)> = trace.iter().map(|(time, said)| (*time, said)).collect();
    let meant = |seen: usize, now: Option<Duration>| -> BTreeSet<usize> {
        let is_broken = |at: &usize| f.evaluate(&elements[..seen], *at, now).unwrap() == Known::False;
        (0..seen).filter(is_broken).collect()
    };
    for (place, (time, said)) in trace.iter().enumerate() {
        let found = monitor.see_at(*time, said).unwrap();
        broken.extend(found.iter().map(|violation| violation.element));
        assert_eq!(broken, meant(place + 1, Some(*time)), "{f}\nafter element {place} of {trace:#?}");
        let later = *time + Duration::from_micros(500);
        if trace.get(place + 1).is_some_and(|(next, _)| *next > *time) {
            let found = monitor.pass_to(later).unwrap();
            broken.extend(found.iter().map(|violation| violation.element));
            assert_eq!(
                broken,
                meant(place + 1, Some(later)),
                "{f}\na little after element {place} of {trace:#?}"
            );
        }
    }
    broken.extend(monitor.end().iter().map(|violation| violation.element));
    assert_eq!(broken, meant(trace.len(), None), "{f}\nin the end of {trace:#?}");
    assert_eq!(monitor.known(), if broken.is_empty() { Known::True } else { Known::False });
    true
}

#[test]
fn monitors_say_what_formulas_mean() {
    let facts = all_facts();
    let monitored = std::cell::Cell::new(0);
    seeded(1).cases(3000).check(|case| {
        let size = case.int(1..=5u32);
        let f = formula(case, &facts, size, 0, false);
        let trace = trace(case);
        monitored.set(monitored.get() + u32::from(compare(&f, &trace)));
    });
    assert!(monitored.get() > 1500, "{} of 3000 can be monitored", monitored.get());
}

/// The message of the error with which a formula is refused.
fn refused(f: &F) -> String {
    Monitor::new(f).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_monitored_is_refused_by_name() {
    let Facts { p, q, s, .. } = all_facts();
    let x = || var::<u8>("x");
    assert_eq!(
        refused(&always(p.of([x()]))),
        "nobody says what `x` is in G p(x): bind it by forall or exists"
    );
    let unbounded = always(forall("x", p.of([x()]).implies(eventually(q.of([x()])))));
    assert_eq!(
        refused(&unbounded),
        "F q(x) looks into the future without end: bound it (`within`), since nobody can wait for ever"
    );
    let from_on = always(s.of([]).implies(until(s.of([]), p.of([value(1)])).within(ms(5)..)));
    assert!(refused(&from_on).starts_with("s U[5ms,] p(1) looks into the future without end"));
    let unguarded = always(forall("x", !p.of([x()]) | q.of([x()]).implies(s.of([])) & !q.of([x()])));
    assert!(Monitor::new(&unguarded).is_ok(), "each case says which values there are");
    let nobody = always(exists("x", !p.of([x()])));
    assert!(refused(&nobody).starts_with("nothing says which values `x` may have in exists x. !p(x)"));
    let back = always(once(eventually(s.of([])).within(ms(0)..=ms(1))));
    assert!(refused(&back).starts_with("O F[0s,1ms] s looks back at what later elements decide"));
}

#[test]
fn time_must_not_go_back_and_nothing_comes_after_the_end() {
    let s = all_facts().s;
    let mut monitor = Monitor::new(&always(s.of([]))).unwrap();
    monitor.see_at(ms(5), &Said { s: true, ..Said::default() }).unwrap();
    let error = monitor.see_at(ms(4), &Said::default()).unwrap_err().to_string();
    assert_eq!(error, "time goes back: element 1 is at 4ms, and there was something at 5ms before");
    assert_eq!(monitor.known(), Known::Unknown);
    assert!(monitor.end().is_empty());
    assert_eq!(monitor.known(), Known::True);
    let error = monitor.pass_to(ms(9)).unwrap_err().to_string();
    assert_eq!(error, "element 1 comes after the end");
    let f = s.of([]);
    let said = Said::default();
    let error = f.evaluate(&[(ms(1), &said), (ms(0), &said)], 0, None).unwrap_err().to_string();
    assert_eq!(error, "time goes back after element 0");
    assert!(f.evaluate(&[], 0, None).unwrap_err().to_string().starts_with("there is no element 0"));
}

#[test]
fn violations_name_the_values_and_what_is_kept_does_not_grow() {
    let Facts { p, q, .. } = all_facts();
    let x = || var::<u8>("x");
    let answered = eventually(q.of([x()])).within(ms(0)..ms(10));
    let asked = once(p.of([x()])).within(ms(0)..=ms(10));
    let both =
        always(forall("x", p.of([x()]).implies(answered))) & always(forall("x", q.of([x()]).implies(asked)));
    let mut monitor = Monitor::new(&both).unwrap();
    let mut found = Vec::new();
    let mut largest = 0;
    for time in 0..2000 {
        let x = (time % 100) as u8;
        let said = match time % 5 {
            0 => Said { p: vec![x], ..Said::default() },
            // One in a thousand is forgotten, and one is answered that nobody has asked.
            3 if time == 503 => Said::default(),
            3 if time == 803 => Said { q: vec![200, x - 3], ..Said::default() },
            3 => Said { q: vec![x - 3], ..Said::default() },
            _ => Said::default(),
        };
        let new = monitor.see_at(ms(time), &said).unwrap();
        found.extend(new.iter().map(ToString::to_string));
        largest = largest.max(monitor.size());
    }
    assert_eq!(
        found,
        ["element 500 at 500ms, x = 0: broken at 510ms", "element 803 at 803ms, x = 200: broken at 803ms"]
    );
    assert!(largest < 20, "{largest} are kept");
}

#[test]
fn what_is_waited_for_again_and_again_is_kept_once() {
    let Facts { p, q, .. } = all_facts();
    let x = || var::<u8>("x");
    let hour = Duration::from_secs(3600);
    for later in [next(q.of([x()])), eventually(q.of([x()])).within(ms(0)..=ms(0))] {
        let f = always(forall("x", p.of([x()]).implies(eventually(later).within(ms(0)..=hour))));
        let mut monitor = Monitor::new(&f).unwrap();
        monitor.see_at(ms(0), &Said { p: vec![1], ..Said::default() }).unwrap();
        for time in 1..5000 {
            monitor.see_at(ms(time), &Said::default()).unwrap();
        }
        assert!(monitor.size() < 4000, "{} are kept", monitor.size());
        monitor.see_at(ms(5000), &Said { q: vec![1], ..Said::default() }).unwrap();
        assert!(monitor.end().is_empty());
    }
    // Whoever is answered at once leaves nothing behind, however long there would have been time.
    let answered = eventually(q.of([x()])).within(ms(0)..=hour);
    let mut monitor = Monitor::new(&always(forall("x", p.of([x()]).implies(answered)))).unwrap();
    for time in 0..5000 {
        monitor.see_at(ms(time), &Said { p: vec![1], q: vec![], ..Said::default() }).unwrap();
        monitor.see_at(ms(time), &Said { q: vec![1], ..Said::default() }).unwrap();
    }
    assert!(monitor.size() < 4000, "{} are kept", monitor.size());
    // The same is told once, and quantifiers may stand outside.
    let f = forall("x", forall("y", always(p.of([x()]).implies(q.of([x()]) & q.of([x()])))));
    assert!(Monitor::new(&f).is_err(), "nothing says which values y may have");
    let f =
        forall("x", forall("y", always((p.of([x()]) & p.of([var("y")])).implies(q.of([x()]) & q.of([x()])))));
    let mut monitor = Monitor::new(&f).unwrap();
    assert_eq!(monitor.see_at(ms(0), &Said { p: vec![1], ..Said::default() }).unwrap().len(), 1);
}
