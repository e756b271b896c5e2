//! Formulas with data: monitors say what formulas mean.

use super::random::{F, Facts, Kinds, Random, Said, all_facts, ms, trace};
use gainsay_core::{Settings, settings};
use gainsay_temporal::mfotl::{
    Aggregate, Known, Monitor, Violation, aggregate, always, equal, eventually, exists, forall, less, next,
    once, since, until, value, var,
};
use std::collections::BTreeSet;
use std::time::Duration;

fn seeded(seed: u64) -> Settings {
    settings().seed(seed).without_corpus()
}

type Elements<'a> = [(Duration, &'a Said)];

/// At which elements a formula does not hold, by its meaning.
fn meant(f: &F, elements: &Elements<'_>, now: Option<Duration>) -> BTreeSet<usize> {
    let is_broken = |at: &usize| f.evaluate(elements, *at, now).unwrap() == Known::False;
    (0..elements.len()).filter(is_broken).collect()
}

/// What a monitor of `G f` reports: each violation once.
#[derive(Default)]
struct Told {
    violations: Vec<Violation<i64>>,
}

impl Told {
    fn add(&mut self, found: &[Violation<i64>], f: &F) {
        for violation in found {
            let is_same = |known: &Violation<i64>| {
                (known.element, &known.values) == (violation.element, &violation.values)
            };
            assert!(!self.violations.iter().any(is_same), "{violation} is told twice: G ({f})");
            self.violations.push(violation.clone());
        }
    }

    fn elements(&self) -> BTreeSet<usize> {
        self.violations.iter().map(|violation| violation.element).collect()
    }
}

/// Compares a monitor of `G f` with what `f` means at each element, after each beginning and in the end; whether it could be monitored, and
/// whether it is delayed.
fn compare(f: &F, trace: &[(Duration, Said)]) -> Option<bool> {
    let mut monitor = Monitor::new(&always(f.clone())).ok()?;
    let is_delayed = monitor.is_delayed();
    let mut told = Told::default();
    let elements: Vec<(Duration, &Said)> = trace.iter().map(|(time, said)| (*time, said)).collect();
    let in_the_end = meant(f, &elements, None);
    let check = |told: &Told, seen: usize, now: Duration| {
        let broken = told.elements();
        if is_delayed {
            // It is known later, and never wrongly.
            assert!(
                broken.is_subset(&in_the_end),
                "{f}\nat {now:?} of {trace:#?}\n{broken:?} {in_the_end:?}"
            );
        } else {
            assert_eq!(broken, meant(f, &elements[..seen], Some(now)), "{f}\nat {now:?} of {trace:#?}");
        }
    };
    for (place, (time, said)) in trace.iter().enumerate() {
        told.add(monitor.see_at(*time, said).unwrap(), f);
        check(&told, place + 1, *time);
        let later = *time + Duration::from_micros(500);
        if trace.get(place + 1).is_some_and(|(next, _)| *next > *time) {
            told.add(monitor.pass_to(later).unwrap(), f);
            check(&told, place + 1, later);
        }
    }
    // Bounds of all operators together are over.
    if is_delayed {
        let before = told.violations.len();
        let mut later = trace.last().unwrap().0;
        for _ in 0..10 {
            later += ms(8);
            told.add(monitor.pass_to(later).unwrap(), f);
        }
        assert!(told.elements().is_subset(&in_the_end), "{f} {trace:#?}");
        assert!(
            told.violations[before..]
                .iter()
                .all(|violation| violation.broken.is_some_and(|time| time <= later))
        );
    }
    told.add(monitor.end(), f);
    assert_eq!(told.elements(), in_the_end, "{f}\nin the end of {trace:#?}");
    assert_eq!(monitor.known(), if in_the_end.is_empty() { Known::True } else { Known::False });
    Some(is_delayed)
}

/// How many of so many random formulas can be monitored, and how many of them are delayed. All agree with their meaning.
fn compared(seed: u64, cases: u64, kinds: Kinds) -> (u32, u32) {
    let facts = all_facts();
    let counts = std::cell::Cell::new((0, 0));
    seeded(seed).cases(cases).check(|case| {
        let size = case.int(1..=5u32);
        let f = Random { facts: &facts, kinds }.formula(case, size, 0, false);
        let trace = trace(case);
        if let Some(is_delayed) = compare(&f, &trace) {
            let (monitored, delayed) = counts.get();
            counts.set((monitored + 1, delayed + u32::from(is_delayed)));
        }
    });
    counts.get()
}

#[test]
fn monitors_say_what_formulas_mean() {
    let (monitored, _) = compared(1, 3000, Kinds::default());
    assert!(monitored > 1500, "{monitored} of 3000 can be monitored");
}

#[test]
fn monitors_say_what_formulas_mean_whose_values_come_later() {
    let (monitored, delayed) = compared(2, 3000, Kinds { is_free: true, ..Kinds::default() });
    assert!(monitored > 1500 && delayed > 300, "{monitored} of 3000 can be monitored, {delayed} are delayed");
}

#[test]
fn monitors_say_what_formulas_mean_with_computed_values() {
    let (monitored, _) = compared(3, 1500, Kinds { computes: true, ..Kinds::default() });
    assert!(monitored > 700, "{monitored} of 1500 can be monitored");
    let (monitored, delayed) = compared(4, 1500, Kinds { computes: true, is_free: true, ..Kinds::default() });
    assert!(monitored > 700 && delayed > 100, "{monitored} of 1500 can be monitored, {delayed} are delayed");
}

#[test]
fn monitors_say_what_formulas_mean_with_aggregations() {
    let (monitored, _) = compared(5, 800, Kinds { aggregates: true, ..Kinds::default() });
    assert!(monitored > 350, "{monitored} of 800 can be monitored");
    let (monitored, delayed) = compared(6, 800, Kinds { computes: true, aggregates: true, is_free: true });
    assert!(monitored > 400 && delayed > 100, "{monitored} of 800 can be monitored, {delayed} are delayed");
}

/// The message of the error with which a formula is refused.
fn refused(f: &F) -> String {
    Monitor::new(f).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_monitored_is_refused_by_name() {
    let Facts { p, q, s, .. } = all_facts();
    let x = || var::<i64>("x");
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
    let free = always((!p.of([x()])).implies(q.of([x()])));
    assert!(refused(&free).starts_with("nothing says which values `x` may have in forall x. !p(x) -> q(x)"));
}

#[test]
fn too_many_cases_are_refused() {
    let Facts { p, q, .. } = all_facts();
    let mut none: F = true.into();
    for number in 0..60 {
        let (one, two) = (var("x") + value(number), var("x") - value(number));
        none = none & (!p.of([one]) | !q.of([two]));
    }
    let either = p.of([var("x")]) | q.of([var("x")]);
    assert!(Monitor::new(&always(exists("x", none.clone() & either))).is_ok());
    // Where it is not seen which cases say which values there are, all are tried.
    let hidden = p.of([var("x")]) | (q.of([var("x")]) | p.of([var("x")]));
    let error = refused(&always(exists("x", none & hidden)));
    assert!(
        error.starts_with("the formula has more than 10000 cases in which values must be found"),
        "{error}"
    );
}

/// Everything that a monitor reports of a stream, as it is printed.
fn reported(f: &F, trace: &[(u64, Said)]) -> Vec<String> {
    let mut monitor = Monitor::new(f).unwrap();
    let mut told = Vec::new();
    for (time, said) in trace {
        told.extend(monitor.see_at(ms(*time), said).unwrap().iter().map(ToString::to_string));
    }
    told.extend(monitor.end().iter().map(ToString::to_string));
    told
}

fn said_p(values: &[i64]) -> Said {
    Said { p: values.to_vec(), ..Said::default() }
}

#[test]
fn a_violation_is_reported_once_though_two_parts_of_a_formula_do_not_hold() {
    let Facts { p, q, r, .. } = all_facts();
    // G !(F[2s,7s] B(3) | A(2) S[0s,0s] B(1))
    let later = eventually(q.of([value(3)])).within(ms(2)..=ms(7));
    let now = since(p.of([value(2)]), q.of([value(1)])).within(ms(0)..=ms(0));
    let one = Said { q: vec![1], ..Said::default() };
    let three = Said { q: vec![3], ..Said::default() };
    let trace = [(0, one), (3, three), (20, Said::default())];
    assert_eq!(reported(&always(!(later | now)), &trace), ["element 0 at 0ns: broken at 0ns"]);
    // The same of values; other values are another violation.
    let x = || var::<i64>("x");
    let later = next(q.of([x()]));
    let f = always(forall("x", p.of([x()]).implies(q.of([x()]) & later)));
    let trace = [
        (0, Said { p: vec![1, 2, 1], q: vec![2], ..Said::default() }),
        (1, Said::default()),
        (2, Said { r: vec![[1, 1], [1, 1]], ..Said::default() }),
    ];
    let told = ["element 0 at 0ns, x = 1: broken at 0ns", "element 0 at 0ns, x = 2: broken at 1ms"];
    assert_eq!(reported(&f, &trace), told);
    let f = always(!r.of([x(), value(1)]));
    assert_eq!(reported(&f, &trace), ["element 2 at 2ms, x = 1: broken at 2ms"]);
}

#[test]
fn free_variables_are_left_open_and_listed() {
    let Facts { p, q, r, .. } = all_facts();
    let (x, y) = (|| var::<i64>("x"), || var::<i64>("y"));
    let answered = eventually(q.of([x()])).within(ms(0)..=ms(2));
    let f = always(p.of([x()]).implies(answered)) & always(r.of([x(), y()]).implies(less(x(), y())));
    let trace = [
        (0, Said { p: vec![1, 2], ..Said::default() }),
        (1, Said { q: vec![2], r: vec![[1, 2], [2, 2]], ..Said::default() }),
        (9, Said::default()),
    ];
    assert_eq!(
        reported(&f, &trace),
        ["element 1 at 1ms, x = 2, y = 2: broken at 1ms", "element 0 at 0ns, x = 1: broken at 2.000001ms"]
    );
}

#[test]
fn free_variables_are_said_of_all_values() {
    let facts = all_facts();
    let violations = std::cell::Cell::new(0);
    let kinds = Kinds { computes: true, aggregates: true, is_free: true };
    seeded(7).cases(1500).check(|case| {
        let size = case.int(0..=3u32);
        let guard = if case.flag() { facts.p.of([var("x")]) } else { facts.r.of([var("x"), var("y")]) };
        let guard = if case.flag() { eventually(guard).within(ms(0)..=ms(1)) } else { guard };
        let f = guard.implies(Random { facts: &facts, kinds }.formula(case, size, 2, false));
        let trace = trace(case);
        let Ok(mut monitor) = Monitor::new(&always(f.clone())) else { return };
        let elements: Vec<(Duration, &Said)> = trace.iter().map(|(time, said)| (*time, said)).collect();
        let mut told = Told::default();
        for (time, said) in &trace {
            told.add(monitor.see_at(*time, said).unwrap(), &f);
        }
        told.add(monitor.end(), &f);
        let names = f.free_variables();
        let mut expected = Vec::new();
        for at in 0..elements.len() {
            for (x, y) in (0..=2).flat_map(|x| (0..=2).map(move |y| (x, y))) {
                let all = [("x", x), ("y", y)];
                let values: Vec<(&str, i64)> =
                    all.into_iter().filter(|(name, _)| names.iter().any(|known| known == name)).collect();
                if f.evaluate_with(&elements, at, None, &values).unwrap() == Known::False {
                    let values = values.into_iter().map(|(name, value)| (name.to_string(), value));
                    expected.push((at, values.collect::<Vec<_>>()));
                }
            }
        }
        expected.sort();
        expected.dedup();
        // (Variables that are bound inside are listed as well.)
        let open = |violation: &Violation<i64>| {
            let values = violation.values.iter().filter(|(name, _)| names.contains(name)).cloned();
            let mut values: Vec<(String, i64)> = values.collect();
            values.dedup_by(|two, one| two.0 == one.0);
            (violation.element, values)
        };
        let mut found: Vec<_> = told.violations.iter().map(open).collect();
        found.sort();
        found.dedup();
        violations.set(violations.get() + found.len());
        assert_eq!(found, expected, "{f}\n{trace:#?}");
    });
    assert!(violations.get() > 500, "{}", violations.get());
}

#[test]
fn values_may_be_given_by_what_comes_later() {
    let Facts { p, q, s, .. } = all_facts();
    let x = || var::<i64>("x");
    let comes = eventually(p.of([x()])).within(ms(0)..=ms(5));
    let f = always(forall("x", comes.implies(q.of([x()]) | less(value(1), x()))));
    let trace = [(0, Said { q: vec![1], ..Said::default() }), (4, said_p(&[0, 1, 2])), (20, Said::default())];
    let told = [
        "element 0 at 0ns, x = 0: broken at 5.000001ms",
        "element 1 at 4ms, x = 0: broken at 9.000001ms",
        "element 1 at 4ms, x = 1: broken at 9.000001ms",
    ];
    let mut found = reported(&f, &trace);
    found.sort();
    assert_eq!(found, told);
    // The past of the future.
    let f = always(once(eventually(s.of([])).within(ms(0)..=ms(1))));
    assert_eq!(reported(&f, &trace[..1]), ["element 0 at 0ns: broken by the end"]);
}

#[test]
fn what_is_delayed_is_not_kept_for_ever() {
    let Facts { p, q, r, .. } = all_facts();
    let (x, y) = (|| var::<i64>("x"), || var::<i64>("y"));
    let comes = until(!q.of([x()]), r.of([x(), y()])).within(ms(0)..=ms(5));
    let sum = aggregate("y", Aggregate::Sum, x(), [], once(p.of([x()])).within(ms(0)..=ms(5)));
    let f = always(forall("x", exists("y", comes).implies(less(x(), value(3)))))
        & always(forall("y", sum.implies(less(y(), value(100)))));
    let mut monitor = Monitor::new(&f).unwrap();
    assert!(monitor.is_delayed());
    let mut largest = 0;
    for time in 0..3000 {
        let x = (time % 3) as i64;
        let said = Said { p: vec![x], q: vec![time as i64], r: vec![[x, time as i64]], s: true };
        assert!(monitor.see_at(ms(time), &said).unwrap().is_empty());
        largest = largest.max(monitor.size());
    }
    assert!(largest < 150, "{largest} are kept");
}

#[test]
fn values_are_computed_and_what_has_none_does_not_hold() {
    let Facts { p, q, r, .. } = all_facts();
    let (x, y) = (|| var::<i64>("x"), || var::<i64>("y"));
    // The next number is one more.
    let f = always(p.of([x()]).implies(next(p.of([x() + value(1)]))));
    assert_eq!(f.to_string(), "G (p(x) -> X p(x + 1))");
    let trace = [(0, said_p(&[1])), (1, said_p(&[2])), (2, said_p(&[4]))];
    assert_eq!(
        reported(&f, &trace),
        ["element 1 at 1ms, x = 2: broken at 2ms", "element 2 at 2ms, x = 4: broken by the end"]
    );
    // A value that only a sum gives.
    let f = always(forall("y", (r.of([x(), value(2)]) & equal(y(), x() + value(1))).implies(q.of([y()]))));
    let said = Said { r: vec![[3, 2], [4, 2]], q: vec![4], ..Said::default() };
    assert_eq!(reported(&f, &[(0, said)]), ["element 0 at 0ns, x = 4, y = 5: broken at 0ns"]);
    // Nothing is divided by zero, and nothing is larger than the largest number.
    for term in [x() / value(0), x() % value(0), x() + value(i64::MAX), -(x() - value(i64::MAX) - value(2))] {
        let f = always(p.of([x()]).implies(equal(term.clone(), term)));
        assert_eq!(reported(&f, &[(0, said_p(&[1]))]).len(), 1, "{f}");
    }
}

#[test]
fn groups_have_their_own_results() {
    let Facts { p, r, .. } = all_facts();
    let (x, y, n) = (|| var::<i64>("x"), || var::<i64>("y"), || var::<i64>("n"));
    let said = Said { p: vec![1, 2, 4], r: vec![[1, 5], [1, 7], [2, 5], [2, 5]], ..Said::default() };
    let results = |operator: Aggregate| {
        let by = aggregate("n", operator, y(), ["x"], r.of([x(), y()]));
        let all = aggregate("n", operator, y(), [], r.of([x(), y()]));
        let none = aggregate("n", operator, y(), [], r.of([x(), y()]) & less(y(), value(0)));
        let none_by = aggregate("n", operator, y(), ["x"], r.of([x(), y()]) & less(y(), value(0)));
        let told = |f: F| {
            let mut told: Vec<Vec<(String, i64)>> = Vec::new();
            let mut monitor = Monitor::new(&always(!f)).unwrap();
            told.extend(
                monitor.see_at(ms(0), &said).unwrap().iter().map(|violation| violation.values.clone()),
            );
            let mut told: Vec<Vec<i64>> =
                told.into_iter().map(|values| values.into_iter().map(|(_, value)| value).collect()).collect();
            told.sort();
            told
        };
        // (Names are listed in order: n, x.)
        assert_eq!(told(none_by), Vec::<Vec<i64>>::new());
        (told(by), told(all), told(none))
    };
    let one = |value: i64| vec![vec![value]];
    assert_eq!(results(Aggregate::Count), (vec![vec![1, 2], vec![2, 1]], one(3), one(0)));
    assert_eq!(results(Aggregate::Sum), (vec![vec![5, 2], vec![12, 1]], one(17), one(0)));
    assert_eq!(results(Aggregate::Min), (vec![vec![5, 1], vec![5, 2]], one(5), vec![]));
    assert_eq!(results(Aggregate::Max), (vec![vec![5, 2], vec![7, 1]], one(7), vec![]));
    assert_eq!(results(Aggregate::Average), (vec![vec![5, 2], vec![6, 1]], one(5), vec![]));
    // What is aggregated may be computed, and results may be compared with other values.
    let f = always(
        aggregate("n", Aggregate::Sum, x() * x(), [], p.of([x()]))
            .implies(exists("x", p.of([x()]) & less(n(), x()))),
    );
    assert_eq!(f.to_string(), "G ((n <- sum x * x. p(x)) -> (exists x. p(x) & n < x))");
    assert_eq!(reported(&f, &[(0, said)]), ["element 0 at 0ns, n = 21: broken at 0ns"]);
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
    let x = || var::<i64>("x");
    let answered = eventually(q.of([x()])).within(ms(0)..ms(10));
    let asked = once(p.of([x()])).within(ms(0)..=ms(10));
    let both =
        always(forall("x", p.of([x()]).implies(answered))) & always(forall("x", q.of([x()]).implies(asked)));
    let mut monitor = Monitor::new(&both).unwrap();
    let mut found = Vec::new();
    let mut largest = 0;
    for time in 0..2000 {
        let x = (time % 100) as i64;
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
    let x = || var::<i64>("x");
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
