//! Families of formulas that are hard for whoever makes automata of them, from the literature: they are decided, or given up by a limit.

use gainsay_temporal::{Acceptor, Atom, BRANCHES_MAX, Formula, Truth, atom, parse};

/// Atoms that are the bits of a number.
fn atoms(names: &[String]) -> Vec<Atom<u16>> {
    let atom_of = |(bit, name): (usize, &String)| {
        let holds = move |number: &u16| number >> bit & 1 == 1;
        atom(name, holds).one_by_name()
    };
    names.iter().enumerate().map(atom_of).collect()
}

/// The formula of a text whose names are its atoms.
pub(crate) fn read(text: &str) -> Formula<u16> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut names: Vec<String> = words
        .filter(|word| word.starts_with(char::is_lowercase) && *word != "true")
        .map(Into::into)
        .collect();
    names.sort();
    names.dedup();
    parse(text, &atoms(&names)).unwrap_or_else(|error| panic!("{error}"))
}

/// Something for each of the first numbers, joined.
fn joined(count: usize, operator: &str, text: impl Fn(usize) -> String) -> String {
    (1..=count).map(|number| format!("({})", text(number))).collect::<Vec<_>>().join(operator)
}

/// Gastin and Oddoux, "Fast LTL to Büchi automata translation", 2001.
fn fairness(n: usize) -> String {
    format!("!(({}) -> G (q -> F r))", joined(n, " & ", |i| format!("G F p{i}")))
}

/// Again and again one after the other.
fn chain(n: usize) -> String {
    let inner = (1..=n).rev().fold(String::new(), |inner, i| match inner.is_empty() {
        true => format!("F p{i}"),
        false => format!("F (p{i} & X {inner})"),
    });
    format!("G (p0 & X {inner})")
}

/// Etessami and Holzmann, "Optimizing Büchi automata", 2000.
const PATTERNS: [&str; 12] = [
    "p0 U (p1 & G p2)",
    "p0 U (p1 & X (p2 U p3))",
    "p0 U (p1 & X (p2 & F (p3 & X F (p4 & X F (p5 & X F p6)))))",
    "F (p0 & X G p1)",
    "F (p0 & X (p1 & X F p2))",
    "F (p0 & X (p1 U p2))",
    "F G p0 | G F p1",
    "G (p0 -> (p1 U p2))",
    "G (p0 & X F (p1 & X F (p2 & X F p3)))",
    "G F p0 & G F p1 & G F p2 & G F p3 & G F p4",
    "(p0 U (p1 U p2)) | (p1 U (p2 U p0)) | (p2 U (p0 U p1))",
    "G (p0 -> (p1 U (G p2 | G p3)))",
];

/// Kupferman and Rosenberg, "The blowup in translating LTL to deterministic automata", 2010: of linear size.
pub(crate) fn blowup(n: usize) -> String {
    let either = |i: usize| format!("(a{i} | b{i})");
    let steps = match n {
        1 => "true".into(),
        _ => joined(n - 1, " & ", |i| format!("{} -> X {}", either(i), either(i + 1))),
    };
    let last = (0..n).fold("G c".to_string(), |last, _| format!("X {last}"));
    let again = |letter: char, i: usize| format!("({letter}{i} & F (d & F {letter}{i}))");
    let any = joined(n, " | ", |i| format!("{} | {}", again('a', i), again('b', i)));
    let words = joined(n, " | ", |i| format!("a{i} | b{i}"));
    let exclusive = joined(n, " & ", |i| format!("a{i} -> !b{i}"));
    let parts = [
        format!("c & X ({} | d)", either(1)),
        format!("G ({steps})"),
        format!("G ({} -> X (c & X ({} | d | G c)))", either(n), either(1)),
        format!("!d U (d & X ({} & {last}))", either(1)),
        format!("F (c & X (!c & (({any}) U c)))"),
        format!("G ((c | d) -> !({words})) & G (c -> !d) & G ({exclusive})"),
    ];
    joined(parts.len(), " & ", |part| parts[part - 1].clone())
}

/// Piterman, Pnueli and Sa'ar, "Synthesis of reactive(1) designs", 2006: an arbiter with so many clients.
pub(crate) fn arbiter(n: usize, is_strict: bool) -> String {
    let quiet = |letter: char| joined(n, " & ", |i| format!("!{letter}{i}"));
    let asks = joined(n, " & ", |i| format!("!(r{i} <-> g{i}) -> (r{i} <-> X r{i})"));
    let grants = joined(n, " & ", |i| {
        let alone = joined(i - 1, " & ", |j| format!("!(g{i} & g{j})"));
        let alone = if i == 1 { "true".into() } else { alone };
        format!("{alone} & ((r{i} <-> g{i}) -> (g{i} <-> X g{i}))")
    });
    let released = joined(n, " & ", |i| format!("G F !(r{i} & g{i})"));
    let answered = joined(n, " & ", |i| format!("G F (r{i} <-> g{i})"));
    let given = format!("(G ({asks}) & {released})");
    match is_strict {
        false => format!("({}) -> (({}) & ({given} -> (G ({grants}) & {answered})))", quiet('r'), quiet('g')),
        true => {
            let safe = format!("(({grants}) W !({asks}))");
            format!("({}) -> (({}) & {safe} & ({given} -> ({answered})))", quiet('r'), quiet('g'))
        }
    }
}

/// All of them, by family and size.
fn families() -> Vec<(String, Formula<u16>)> {
    let mut all = Vec::new();
    let mut add = |name: &str, size: usize, text: String| all.push((format!("{name} {size}"), read(&text)));
    (1..=10).for_each(|n| add("fairness", n, fairness(n)));
    (1..=12).for_each(|n| add("chain", n, chain(n)));
    (1..=12).for_each(|n| add("pattern", n, PATTERNS[n - 1].into()));
    (1..=5).for_each(|n| add("blowup", n, blowup(n)));
    (1..=5).for_each(|n| add("arbiter", n, arbiter(n, false)));
    (1..=5).for_each(|n| add("strict arbiter", n, arbiter(n, true)));
    all
}

#[test]
fn hard_formulas_are_decided_or_given_up() {
    let (mut decided, mut given_up) = (0, Vec::new());
    for (name, formula) in families() {
        for (name, formula) in [(name.clone(), formula.clone()), (format!("not {name}"), !formula)] {
            match formula.is_satisfiable() {
                Ok(is_satisfiable) => {
                    assert!(is_satisfiable, "{name}");
                    decided += 1;
                }
                Err(error) => {
                    let limit = format!("takes more than {BRANCHES_MAX} steps to decide (`BRANCHES_MAX`)");
                    assert!(error.to_string().contains(&limit), "{error}");
                    given_up.push(name);
                }
            }
        }
    }
    assert_eq!(given_up, ["not arbiter 5", "not strict arbiter 5"]);
    assert_eq!(decided, 2 * (10 + 12 + 12 + 5 + 5 + 5) - 2);
}

#[test]
fn hard_formulas_that_contradict_themselves_are_told() {
    for n in 1..=8 {
        let again = joined(n, " & ", |i| format!("G F p{i}"));
        assert!(!read(&format!("{again} & F G !p{n}")).is_satisfiable().unwrap());
        assert!(!read(&format!("{} & F G !p{n}", chain(n))).is_satisfiable().unwrap());
    }
}

#[test]
fn an_acceptor_that_gives_up_presumes_and_says_so() {
    let mut acceptor = Acceptor::new(&!read(&arbiter(7, false))).unwrap();
    assert!(!acceptor.gave_up());
    assert_eq!(acceptor.truth(), Truth::PresumablyFalse);
    assert!(acceptor.gave_up());
}
