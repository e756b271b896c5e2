//! Temporal formulas: what they mean, how they are written, and what can be said of them.

use crate::support::seeded;
use gainsay::temporal::{
    Acceptor, Atom, Formula, Truth, always, atom, back_to, bits, eventually, formula, historically, next,
    once, parse, previous, relation, release, since, until, weak_next, weak_previous, weak_until,
};
use gainsay::{Case, Outcome, Status};
use std::time::Duration;

/// The atoms `a` and `b`: the two lowest bits.
fn two() -> Vec<Atom<u8>> {
    bits().into_iter().take(2).collect()
}

fn read(text: &str) -> Formula<u8> {
    parse(text, &bits()).unwrap_or_else(|error| panic!("{error}"))
}

/// What an acceptor says after each beginning of a word.
fn truths(text: &str, word: &[u8]) -> Vec<Truth> {
    let mut acceptor = Acceptor::new(&read(text)).unwrap();
    let mut truths = vec![acceptor.truth()];
    for letter in word {
        acceptor.see(letter);
        truths.push(acceptor.truth());
    }
    truths
}

/// Goes through all words up to a length, and compares an acceptor with the meaning of its formula.
fn compare(formula: &Formula<u8>, letters: u8, length_max: usize) {
    let mut acceptor = Acceptor::new(formula).unwrap();
    let mut words: Vec<Vec<u8>> = vec![Vec::new()];
    while let Some(word) = words.pop() {
        acceptor.reset();
        word.iter().for_each(|letter| acceptor.see(letter));
        let truth = acceptor.truth();
        let holds = formula.holds(&word);
        let agrees = match truth {
            Truth::PresumablyTrue => holds,
            Truth::PresumablyFalse => !holds,
            // What is certain for everything that follows may be otherwise if nothing does.
            Truth::True | Truth::False => true,
        };
        assert!(agrees, "{formula} of {word:?} is said to be {truth}");
        if word.len() < length_max {
            words.extend((0..letters).map(|letter| [word.as_slice(), &[letter]].concat()));
        }
    }
}

#[test]
fn acceptors_say_what_small_formulas_mean() {
    let report = seeded(1)
        .exhaustive()
        .limits(|limits| limits.exhaustive_cases_max = 20_000)
        .report_outcomes("small formulas", &mut |case: &mut Case| {
            let formula = formula(case, &two(), 3);
            if case.ready() {
                compare(&formula, 4, 3);
            }
            Outcome::of(Status::Passed)
        });
    let verdict = report.unwrap().verdict;
    assert!(verdict.to_string().starts_with("proved: all "), "{verdict}");
}

#[test]
fn acceptors_say_what_large_formulas_mean() {
    seeded(7).cases(1500).for_all(|formula: Formula<u8>, word: Vec<u8>| {
        let mut acceptor = Acceptor::new(&formula).unwrap();
        for (place, letter) in word.iter().take(8).enumerate() {
            acceptor.see(letter);
            let truth = acceptor.truth();
            let holds = formula.holds(&word[..=place]);
            assert!(!(holds && truth == Truth::PresumablyFalse || !holds && truth == Truth::PresumablyTrue));
        }
    });
}

#[test]
fn what_is_certain_is_said_at_once() {
    use Truth::{False, PresumablyFalse, PresumablyTrue, True};
    // Simplifying alone would not tell.
    assert_eq!(truths("F a | G !a", &[0]), [True, True]);
    assert_eq!(truths("F a & G !a", &[0]), [False, False]);
    assert_eq!(truths("G a", &[1, 0]), [PresumablyTrue, PresumablyTrue, False]);
    assert_eq!(truths("F a", &[0, 1]), [PresumablyFalse, PresumablyFalse, True]);
    assert_eq!(truths("G (a -> F b)", &[1, 2]), [PresumablyTrue, PresumablyFalse, PresumablyTrue]);
    assert_eq!(truths("a & X X !a & X X a | !a", &[1]), [PresumablyTrue, False]);
    assert_eq!(truths("G (a -> O b)", &[0, 2]), [PresumablyTrue, PresumablyTrue, True]);
    assert_eq!(truths("G (a -> P b)", &[2, 1, 1]), [PresumablyTrue, PresumablyTrue, PresumablyTrue, False]);
    // A bound inside of another.
    let mut nested = truths("G[0,10] F[0,100] a", &[0; 120]);
    assert_eq!(nested.pop(), Some(False));
    assert_eq!(nested[100], PresumablyFalse);
    assert_eq!(nested[101], False);
}

#[test]
fn domains_of_atoms_decide_what_is_possible() {
    let high = atom("high", |n: &u8| *n > 10).when_true(11..=20).when_false(0..=10);
    let low = atom("low", |n: &u8| *n < 5).when_true(0..=4).when_false(5..=20);
    let both = eventually(high.clone() & low.clone());
    assert_eq!(Acceptor::new(&both).unwrap().truth(), Truth::False);
    assert!(both.satisfied_by().unwrap().is_none());
    let either = eventually(!high & !low);
    let stream = either.satisfied_by().unwrap().unwrap();
    assert!(stream.len() == 1 && (5..=10).contains(&stream[0]), "{stream:?}");
}

/// A formula with bounds of time, of at most so many operators.
fn timed_formula(case: &mut Case, size: u32) -> Formula<u8> {
    let atoms = two();
    if size == 0 {
        return atoms[case.index(2)].clone().into();
    }
    let left = case.int(0..=size - 1);
    let bound = |case: &mut Case, of: Formula<u8>| {
        let from = [0, 0, 1, 3][case.index(4)];
        match case.index(4) {
            0 => of,
            1 => of.within(Duration::from_millis(from)..),
            length => {
                of.within(Duration::from_millis(from)..=Duration::from_millis(from + 3 * length as u64 - 6))
            }
        }
    };
    let one = timed_formula(case, left);
    match case.index(14) {
        0 => !one,
        1 => next(one),
        2 => weak_next(one),
        3 => previous(one),
        4 => weak_previous(one),
        5 => bound(case, always(one)),
        6 => bound(case, eventually(one)),
        7 => bound(case, historically(one)),
        8 => bound(case, once(one)),
        9 => one & timed_formula(case, size - 1 - left),
        10 => {
            let two = timed_formula(case, size - 1 - left);
            bound(case, until(one, two))
        }
        11 => {
            let two = timed_formula(case, size - 1 - left);
            bound(case, release(one, two))
        }
        12 => {
            let two = timed_formula(case, size - 1 - left);
            bound(case, since(one, two))
        }
        _ => {
            let two = timed_formula(case, size - 1 - left);
            let of = if case.flag() { weak_until(one, two) } else { back_to(one, two) };
            bound(case, of)
        }
    }
}

#[test]
fn acceptors_say_what_formulas_with_bounds_of_time_mean() {
    seeded(1).cases(6000).check(|case| {
        let size = case.int(1..=5u32);
        let formula = timed_formula(case, size);
        let mut time = 0;
        let word = case.vec(1..=6, |case| {
            time += [0, 1, 2, 4][case.index(4)];
            (Duration::from_millis(time), case.int(0..=3u8))
        });
        let mut acceptor = Acceptor::new(&formula).unwrap();
        let mut certain: Option<Truth> = None;
        for (place, (time, letter)) in word.iter().enumerate() {
            acceptor.see_at(*time, letter).unwrap();
            let seen: Vec<(Duration, &u8)> =
                word[..=place].iter().map(|(time, letter)| (*time, letter)).collect();
            let (truth, holds) = (acceptor.truth(), formula.holds_at_times(&seen));
            let agrees = match truth {
                Truth::PresumablyTrue => holds,
                Truth::PresumablyFalse => !holds,
                Truth::True | Truth::False => true,
            };
            assert!(agrees, "{formula} of {seen:?} is said to be {truth}");
            // What is certain stays so.
            assert!(
                certain.is_none_or(|certain| certain == truth),
                "{formula} of {seen:?} was {certain:?}, and is {truth}"
            );
            certain = certain.or(matches!(truth, Truth::True | Truth::False).then_some(truth));
        }
    });
}

#[test]
fn what_no_bound_of_time_can_change_is_certain_at_once() {
    use Truth::{False, PresumablyFalse, PresumablyTrue, True};
    let first = |text: &str| Acceptor::new(&read(text)).unwrap().truth();
    assert_eq!(first("F[0s,1s] a & G !a"), False);
    assert_eq!(first("F[2s,3s] a -> F a"), True);
    assert_eq!(first("G a & (!a U[0s,1s] b & !b)"), False);
    assert_eq!(first("F[0s,1s] a | G !a"), PresumablyTrue);
    assert_eq!(first("F[0s,1s] a"), PresumablyFalse);
    let mut acceptor = Acceptor::new(&read("G (a -> F[1s,2s] b) & F a & G !b")).unwrap();
    assert_eq!(acceptor.truth(), False);
    acceptor.see_at(Duration::ZERO, &0).unwrap();
    assert_eq!(acceptor.truth(), False);
}

#[test]
fn names_with_backquotes_are_read_again() {
    let odd = always(atom("a`b``", |n: &u8| *n > 0));
    let text = odd.to_string();
    assert_eq!(text, "G `a``b`````");
    assert_eq!(parse(&text, odd.atoms()).unwrap().to_string(), text);
    let mut acceptor = Acceptor::new(&read("G a & F !a")).unwrap();
    acceptor.truth();
    assert_eq!(acceptor.decided().unwrap().to_string(), "false whatever comes");
}

#[test]
fn time_is_taken_into_account() {
    let ms = Duration::from_millis;
    let asked = atom("asked", |c: &char| *c == '?');
    let answered = atom("answered", |c: &char| *c == '!');
    let soon = eventually(answered).within(ms(0)..=ms(500));
    let mut acceptor = Acceptor::new(&always(asked.implies(soon))).unwrap();
    acceptor.see_at(ms(100), &'?').unwrap();
    assert_eq!(acceptor.truth(), Truth::PresumablyFalse);
    acceptor.see_at(ms(400), &'?').unwrap();
    acceptor.see_at(ms(600), &'!').unwrap();
    assert_eq!(acceptor.truth(), Truth::PresumablyTrue);
    acceptor.see_at(ms(700), &'?').unwrap();
    acceptor.pass_to(ms(1200)).unwrap();
    assert_eq!(acceptor.truth(), Truth::PresumablyFalse);
    acceptor.pass_to(ms(1201)).unwrap();
    assert_eq!(acceptor.truth(), Truth::False);
    assert_eq!(acceptor.decided().unwrap().to_string(), "false since no element 4 came in time");
    let error = acceptor.see_at(ms(1000), &'!').unwrap_err().to_string();
    assert_eq!(error, "time goes back: element 4 is at 1s, and there was something at 1.201s before");
}

#[test]
fn what_a_right_moment_could_still_meet_is_not_called_false() {
    // The next element must come at 4 ns, and another at 5 ns: no bound names the first of these moments.
    let formula = read("b & X (a & F[0,1ns] c) & G (c -> O[5ns,] b) & G[5ns,] !a");
    let mut acceptor = Acceptor::new(&formula).unwrap();
    assert_ne!(acceptor.truth(), Truth::False);
    for (time, letter) in [(0, 2), (4, 1), (5, 4)] {
        acceptor.see_at(Duration::from_nanos(time), &letter).unwrap();
        assert_ne!(acceptor.truth(), Truth::False, "at {time} ns");
    }
    let word = [(0, &2), (4, &1), (5, &4)].map(|(time, letter)| (Duration::from_nanos(time), letter));
    assert!(formula.holds_at_times(&word));
}

#[test]
fn timed_acceptors_say_what_formulas_mean() {
    let texts = [
        "G (a -> F[0,3ns] b)",
        "F[2ns,4ns] a",
        "a U[1ns,3ns] b",
        "G[1ns,] (a | b)",
        "a R[0,2ns] b",
        "G (a -> O[0,2ns] b)",
        "G (b -> H[1ns,3ns] a)",
        "F (a S[1ns,] b)",
        "G (a -> (a B[0,2ns] b))",
        "F[0,5ns] G[0,2ns] a",
        "O[0,2ns] X a",
        "G (a W[0,2ns] b)",
    ];
    for text in texts {
        let formula = read(text);
        let mut acceptor = Acceptor::new(&formula).unwrap();
        seeded(3).cases(300).check(|case| {
            let word = case.vec(0..=7, |case| (case.int(0..=2u64), case.int(0..=3u8)));
            acceptor.reset();
            let mut time = 0;
            let mut timed = Vec::new();
            for (passed, letter) in &word {
                time += passed;
                timed.push((Duration::from_nanos(time), letter));
                acceptor.see_at(Duration::from_nanos(time), letter).unwrap();
                let (truth, holds) = (acceptor.truth(), formula.holds_at_times(&timed));
                assert!(
                    !(holds && truth == Truth::PresumablyFalse || !holds && truth == Truth::PresumablyTrue),
                    "{formula} of {timed:?} is said to be {truth}"
                );
            }
        });
    }
}

#[test]
fn formulas_are_written_and_read() {
    seeded(5).cases(2000).for_all(|formula: Formula<u8>| {
        let text = formula.to_string();
        assert_eq!(read(&text).to_string(), text);
        assert!(read(&text).told_apart(&formula).unwrap().is_none());
    });
    for text in
        ["F[0s,500ms] a", "G[1s,] a", "a U[2,5] b", "X[3] a", "H[1us,2s] a", "a -> b -> c", "(a -> b) -> c"]
    {
        assert_eq!(read(text).to_string(), text);
    }
    let odd = parse("G `pressure > 10`", &[atom("pressure > 10", |n: &u8| *n > 10)]).unwrap();
    assert_eq!(odd.to_string(), "G `pressure > 10`");
}

#[test]
fn what_is_no_formula_is_shown_with_its_place() {
    let shown = |text: &str| parse(text, &two()).unwrap_err().to_string();
    assert_eq!(
        shown("G (a -> F)"),
        "expected a formula, found `)` (line 1, column 10)\n  | G (a -> F)\n  |          ^"
    );
    assert_eq!(
        shown("a &\n  frobs U b"),
        "there is no atom called frobs: there are a, b (line 2, column 3)\n  |   frobs U b\n  |   ^^^^^"
    );
    for (text, said) in [
        ("", "expected a formula, found the end"),
        ("a b", "expected an operator or the end, found `b`"),
        ("(a", "expected `)` or an operator, found the end"),
        ("F[3,1] a", "nothing lies between these"),
        ("F[0,500] a U[0,5] ", "expected a formula, found the end"),
        ("F[0,2000] a", "a bound is at most 1000 elements"),
        ("F[1,5ms] a", "a time needs its unit"),
        ("F[0,5h] a", "`h` is no unit of time"),
        ("U a", "`U` stands between two formulas"),
        ("a # b", "`#` means nothing here"),
        ("`a", "a name that begins with ` does not end"),
        ("F[99999999999999999999,1] a", "this number is too large"),
        ("X[0] a", "expected a number of elements from 1"),
    ] {
        assert!(shown(text).contains(said), "{text}: {}", shown(text));
    }
    assert!(shown(&"!".repeat(1000)).contains("nested 200 deep at most"));
    assert!(shown(&"(".repeat(100_000)).contains("nested 200 deep at most"));
}

#[test]
fn any_text_is_a_formula_or_an_error() {
    seeded(11).cases(3000).for_all(|text: String| {
        let _ = parse(&text, &two());
    });
    seeded(12).cases(3000).check(|case| {
        let parts = ["G", "F", "[", "0", ",", "3ms", "]", "(", ")", "a", "!", "&", "U", "->", "`", "é", "\n"];
        let text: Vec<&str> = case.vec(0..=12, |case| parts[case.index(parts.len())]);
        let _ = parse(&text.join(" "), &two());
    });
}

#[test]
fn simpler_formulas_mean_the_same() {
    seeded(9).cases(1500).for_all(|formula: Formula<u8>| {
        let simpler = formula.simplified();
        assert!(simpler.size() <= formula.size());
        assert_eq!(simpler.told_apart(&formula).unwrap(), None, "{simpler}");
    });
    for (text, simple) in [
        ("!!a", "a"),
        ("a & a", "a"),
        ("a & (a | b)", "a"),
        ("a | a & b", "a"),
        ("a & !a", "false"),
        ("G G a", "G a"),
        ("F F (a | a)", "F a"),
        ("(a & b) & !a", "false"),
        ("a | b | !a", "true"),
        ("true -> a", "a"),
    ] {
        assert_eq!(read(text).simplified().to_string(), simple);
    }
}

#[test]
fn formulas_are_decided_with_a_witness() {
    assert_eq!(read("F a & F b & G (a -> !b)").satisfied_by().unwrap().unwrap().len(), 2);
    assert_eq!(read("a & X X !a & X X a").satisfied_by().unwrap(), None);
    assert_eq!(read("G a -> F a").broken_by().unwrap(), Some(vec![]));
    assert_eq!(read("a -> F a").broken_by().unwrap(), None);
    assert_eq!(read("!F a").told_apart(&read("G !a")).unwrap(), None);
    // Of finite streams, both speak of the last element; if there is none, they differ.
    assert_eq!(read("F G a").told_apart(&read("G F a")).unwrap(), Some(vec![]));
    assert_eq!(read("F G a").told_apart(&read("G F a & F true")).unwrap(), None);
    assert_eq!(read("F X a").told_apart(&read("F N a")).unwrap().unwrap().len(), 1);
    let error = read("F[0,5ms] a").satisfied_by().unwrap_err().to_string();
    assert!(error.contains("has a bound of time"), "{error}");
}

#[test]
fn atoms_may_look_back() {
    let rises = relation("rises", |before: Option<&u8>, now: &u8| before.is_none_or(|before| before < now));
    let mut acceptor = Acceptor::new(&always(rises)).unwrap();
    for number in [1, 3, 7] {
        acceptor.see(&number);
    }
    assert_eq!(acceptor.truth(), Truth::PresumablyTrue);
    acceptor.see(&7);
    assert_eq!(acceptor.truth(), Truth::False);
    assert_eq!(acceptor.decided().unwrap().to_string(), "false by element 3, where ✗ rises");
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    let mut acceptor = Acceptor::new(&read("G (a -> F b) & G F[0,20] c")).unwrap();
    for number in 0..100_000u32 {
        acceptor.see(&((number.wrapping_mul(2_654_435_761) >> 28) as u8));
    }
    assert!(acceptor.states() < 100, "{}", acceptor.states());
}

#[test]
fn what_is_kept_of_times_does_not_grow_either() {
    let mut acceptor = Acceptor::new(&read("G (a -> F[0,1s] b)")).unwrap();
    let mut time = 0u64;
    for number in 0..100_000u64 {
        let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Hardly any two differences of time are the same.
        time += random >> 38;
        acceptor.see_at(Duration::from_nanos(time), &((random >> 20 & 3) as u8)).unwrap();
    }
    assert!(acceptor.states() <= 20_000, "{}", acceptor.states());
    assert_ne!(acceptor.truth(), Truth::False);
    acceptor.see_at(Duration::from_nanos(time + 1), &1).unwrap();
    acceptor.pass_to(Duration::from_nanos(time + 1_000_000_002)).unwrap();
    assert_eq!(acceptor.truth(), Truth::False);
}

#[test]
fn many_elements_at_once_are_the_same() {
    let formula = read("G (a -> F[0,3] b) & (c W d)");
    seeded(4).cases(50).for_all(move |word: Vec<u8>| {
        let word: Vec<u8> = word.iter().cycle().take(200.min(word.len() * 9)).copied().collect();
        let mut one_by_one = Acceptor::new(&formula).unwrap();
        word.iter().for_each(|letter| one_by_one.see(letter));
        let mut at_once = Acceptor::new(&formula).unwrap();
        at_once.see_all(&word);
        assert_eq!(one_by_one.truth(), at_once.truth());
        let mut at_times = Acceptor::new(&formula).unwrap();
        at_times.see_all_at(&word, |_| 5).unwrap();
        assert_eq!(one_by_one.truth(), at_times.truth());
    });
    let mut back = Acceptor::new(&read("F[0,5ns] a")).unwrap();
    assert!(
        back.see_all_at(&[5, 3], |letter| u64::from(*letter))
            .unwrap_err()
            .to_string()
            .starts_with("time goes back")
    );
}

#[test]
fn operators_read_well() {
    let (a, b) = (atom("a", |n: &u8| n & 1 == 1), atom("b", |n: &u8| n & 2 == 2));
    let formula = always(a.clone().implies(next(until(!b.clone(), a.clone() | b.clone()))))
        & eventually(b).within(0..=3);
    assert_eq!(formula.to_string(), "G (a -> X (!b U (a | b))) & F[0,3] b");
    assert!(formula.holds(&[2]));
}
