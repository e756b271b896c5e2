//! Formulas are read as they are printed.

use super::random::{F, Facts, Kinds, Random, Said, all_facts, ms};
use gainsay_core::settings;
use gainsay_temporal::mfotl::{Formula, Language, Monitor, always, fact, function, next, value, var};

pub(crate) fn language() -> Language<Said, i64> {
    let Facts { p, q, r, s } = all_facts();
    let sum = function("sum", 2, |values: &[&i64]| Some(values[0] + values[1]));
    Language::new()
        .fact(&p)
        .fact(&q)
        .fact(&r)
        .fact(&s)
        .test("odd", 1, |values: &[&i64]| values[0] % 2 != 0)
        .function(&sum)
}

#[test]
fn formulas_are_read_as_they_are_printed() {
    let facts = all_facts();
    let kinds = Kinds { computes: true, aggregates: true, is_free: true };
    settings().seed(1).cases(3000).without_corpus().check(|case| {
        let size = case.int(0..=8u32);
        let bound = case.int(0..=2usize);
        let f = Random { facts: &facts, kinds }.formula(case, size, bound, false);
        let read = language().parse(&f.to_string()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.to_string(), f.to_string());
        assert_eq!(read.free_variables(), f.free_variables());
        // Nothing is mistaken for something else: what is read has the same meaning.
        let trace = super::random::trace(case);
        let elements: Vec<_> = trace.iter().map(|(time, said)| (*time, said)).collect();
        if size < 4 && bound == 0 {
            assert_eq!(
                read.evaluate(&elements, 0, None).unwrap(),
                f.evaluate(&elements, 0, None).unwrap(),
                "{f}"
            );
        }
    });
}

/// How a text is printed after it was read.
fn read(text: &str) -> String {
    language().parse(text).map_or_else(|error| error.to_string(), |formula| formula.to_string())
}

#[test]
fn terms_and_formulas_are_told_apart() {
    for (text, printed) in [
        ("G(p(x)->q(x))", "G (p(x) -> q(x))"),
        ("forall x, y. r(x, y) -> x > y", "forall x. forall y. r(x, y) -> y < x"),
        ("((x) + 1) * 2 >= (y) & (s)", "y <= (x + 1) * 2 & s"),
        ("x != -3 | x - 3 = - x", "!(x = -3) | x - 3 = -x"),
        ("s = 3 & s", "s = 3 & s"),
        ("-(3) = sum(x, -(y + 1)) - (1 - x)", "-(3) = sum(x, -(y + 1)) - (1 - x)"),
        ("p(1) U q(2) U s", "p(1) U (q(2) U s)"),
        ("F[0,1min] s & G[1s,2h) s & O[5us,] s", "F[0s,60s] s & G[1s,7200s) s & O[5us,] s"),
        ("n <- count x by y. r(x, y) & n = 3", "n <- count x by y. r(x, y) & n = 3"),
        ("forall `x y`. p(`x y`)", "forall `x y`. p(`x y`)"),
        (
            "a & (b & c)",
            "there is no fact, test or function called b: there are p, q, r, s, odd, sum (line 1, column 6)\n  | a & (b & c)\n  |      ^",
        ),
        ("s & (s & s) & s", "s & (s & s) & s"),
    ] {
        // (The result of an aggregation is no variable of its formula.)
        if text.starts_with("n <-") {
            assert!(
                read(text).starts_with("`n` is the result of an aggregation, and a variable of"),
                "{}",
                read(text)
            );
            continue;
        }
        assert_eq!(read(text), printed);
    }
}

#[test]
fn errors_name_the_place() {
    let error = |text: &str| read(text).lines().next().unwrap().to_string();
    assert_eq!(error("G (p(x) ->\n q(x)"), "expected `)` or an operator, found the end (line 2, column 6)");
    assert_eq!(error("r(x)"), "r is about 2 values, not 1 (line 1, column 1)");
    assert_eq!(error("x + 1"), "expected a formula, found a term (line 1, column 1)");
    assert_eq!(error("p(s & s)"), "expected `,` or `)`, found `&` (line 1, column 5)");
    assert_eq!(error("p(p(1))"), "expected a term, found a formula (line 1, column 3)");
    assert_eq!(error("F[1s,0s] s"), "nothing lies between these (line 1, column 3)");
    assert_eq!(error("F[1,2s] s"), "a time needs its unit: ns, us, ms, s, min, h or d (line 1, column 3)");
    assert_eq!(
        error("F[1s,2days] s"),
        "`2days` is no unit of time: use ns, us, ms, s, min, h or d (line 1, column 6)"
            .replace("`2days`", "`days`")
    );
    assert_eq!(error("n <- mean x. p(x)"), "expected count, sum, min, max or average (line 1, column 6)");
    assert_eq!(
        error("n <- sum y. p(x)"),
        "`y` is no free variable of p(x): nothing can be aggregated by it (line 1, column 1)"
    );
    assert_eq!(
        error("p(99999999999999999999)"),
        "`99999999999999999999` is no value here (line 1, column 3)"
    );
    assert_eq!(error("s # s"), "`#` means nothing here (line 1, column 3)");
    assert_eq!(error("p(`x"), "a name that begins with ` does not end (line 1, column 3)");
    assert_eq!(error(""), "expected a formula or a term, found the end (line 1, column 1)");
    assert_eq!(error("s s"), "expected an operator or the end, found `s` (line 1, column 3)");
}

#[test]
fn names_of_all_kinds_are_read_as_they_are_printed() {
    let names = ["/laser/front", "{dist < {40}}", "G", "forall", "two words", "S", "a`b", "x.y", "B"];
    let mut language = Language::<i64, i64>::new();
    let mut formula: Formula<i64, i64> = true.into();
    for name in names {
        let said = fact(name, |element: &i64| Some([*element]));
        language = language.fact(&said);
        formula =
            formula & said.of([var(name)]) & gainsay_temporal::mfotl::less(var(name), var(name) / value(2));
    }
    let text = always(formula).to_string();
    assert_eq!(language.parse(&text).unwrap().to_string(), text);
}

#[test]
fn long_chains_are_read_and_deep_nesting_is_refused() {
    let chain = |part: &str, operator: &str| vec![part; 200_000].join(operator);
    for operator in [" & ", " | "] {
        let text = chain("s", operator);
        let f = language().parse(&text).unwrap();
        assert_eq!(f.to_string().len(), text.len());
        let mut monitor = Monitor::new(&always(f)).unwrap();
        assert_eq!(monitor.see_at(ms(0), &Said::default()).unwrap().len(), 1);
        let guarded = format!("forall x. p(x) -> ({})", chain("q(x)", operator));
        assert!(Monitor::new(&always(language().parse(&guarded).unwrap())).is_ok());
    }
    for text in [
        chain("s", " -> "),
        chain("s", " <-> "),
        chain("s", " U "),
        chain("1", " + ") + " = 1",
        "(".repeat(200_000),
        "!".repeat(200_000),
        "G ".repeat(200_000) + "s",
        "p(".repeat(200_000),
        "- ".repeat(200_000) + "1 = 1",
        "forall x. ".repeat(200_000) + "s",
        format!("forall {}. s", chain("x", ", ")),
        "n <- count x. ".repeat(200_000) + "p(x)",
        "s | (s & ".repeat(200_000),
    ] {
        let error = language().parse(&text).unwrap_err();
        assert_eq!(error.message(), "formulas are nested 200 deep at most", "{}", &text[..20]);
    }
    // What is allowed can be worked with.
    let mut f: F = all_facts().s.of([]);
    for _ in 0..150 {
        f = next(!f);
    }
    assert!(language().parse(&f.to_string()).is_err());
    let text = "X ".repeat(190) + "s";
    let f = language().parse(&text).unwrap();
    assert_eq!(f.to_string(), text);
    assert!(Monitor::new(&f).is_ok());
}
