//! Streams are drawn that satisfy formulas as people write them: eleven patterns, each in five scopes.

mod dwyer;

use crate::support::seeded;
use dwyer::{PATTERNS, atoms};
use gainsay::Case;
use gainsay::temporal::{
    Acceptor, Atom, Formula, Streams, Truth, always, atom, eventually, formula, parse, relation, tracked,
};

#[test]
fn streams_of_all_patterns_satisfy_them_and_are_not_empty_talk() {
    let atoms = atoms();
    for pattern in &PATTERNS {
        for (scope, text) in pattern.scopes.iter().enumerate() {
            let formula = parse(text, &atoms).unwrap_or_else(|error| panic!("{error}"));
            let tells = parse(&pattern.telling(scope), &atoms).unwrap_or_else(|error| panic!("{error}"));
            let streams = Streams::new(&formula).unwrap().length(5..=15);
            let mut telling = 0;
            for number in 0..40 {
                let stream = streams.draw(&mut Case::random(1, number));
                assert!(formula.holds(&stream), "{text} of {stream:?}");
                telling += u32::from(tells.holds(&stream));
            }
            assert!(telling >= 12, "{}, scope {scope}: {telling} of 40 streams tell something", pattern.name);
        }
    }
}

#[test]
fn streams_of_any_formula_satisfy_it_or_there_are_none() {
    let (mut drawn, mut none) = (0, 0);
    for number in 0..300 {
        let mut case = Case::random(2, number);
        let atoms = &gainsay::temporal::bits();
        let formula = formula(&mut case, atoms, 3 + number as usize % 10);
        match Streams::new(&formula) {
            Ok(streams) => {
                drawn += 1;
                for seed in 0..5 {
                    let stream = streams.draw(&mut Case::random(seed, number));
                    assert!(formula.holds(&stream), "{formula} of {stream:?}");
                }
            }
            Err(error) => {
                none += 1;
                assert!(error.to_string().contains("it contradicts itself"), "{error}");
                assert!(formula.satisfied_by().unwrap().is_none());
            }
        }
    }
    assert!(drawn > 200 && none > 5, "{drawn} and {none}");
}

#[test]
fn each_alternative_has_its_share() {
    let atoms = atoms();
    let formula = parse("G (p & q & r & s & t & z) | G (!p & !q) | F (p & X p & X X p)", &atoms).unwrap();
    let streams = Streams::new(&formula).unwrap().length(6..=6);
    let branches: Vec<Formula<u8>> = ["G (p & q & r & s & t & z)", "G (!p & !q)", "F (p & X p & X X p)"]
        .map(|text| parse(text, &atoms).unwrap())
        .into();
    let mut counts = [0; 3];
    for number in 0..600 {
        let stream = streams.draw(&mut Case::random(3, number));
        branches
            .iter()
            .zip(&mut counts)
            .for_each(|(branch, count)| *count += u32::from(branch.holds(&stream)));
    }
    assert!(counts.iter().all(|count| *count >= 100), "{counts:?}");
}

#[test]
fn words_are_equally_likely_on_request() {
    let atoms: Vec<Atom<u8>> = gainsay::temporal::bits().into_iter().take(1).collect();
    // Seven of the eight words of three letters; 000 is none of them.
    let streams = Streams::new(&eventually(atoms[0].clone())).unwrap().length(3..=3).uniform();
    let mut counts = [0u32; 8];
    for number in 0..7000 {
        let stream = streams.draw(&mut Case::random(5, number));
        counts[stream.iter().fold(0, |word, letter| 2 * word + usize::from(letter & 1))] += 1;
    }
    assert_eq!(counts[0], 0);
    assert!(counts[1..].iter().all(|count| (850..1150).contains(count)), "{counts:?}");
}

#[test]
fn lengths_that_no_stream_has_are_refused() {
    let high = atom("high", |n: &u8| *n > 10).when_true(11..=20).when_false(0..=10);
    let four = parse("X[3] true & !X[4] true", std::slice::from_ref(&high)).unwrap();
    let error = Streams::new(&four).unwrap().length(6..=9).try_draw(&mut Case::random(0, 0)).unwrap_err();
    assert!(error.to_string().contains("no stream of 6 to 9 elements satisfies"), "{error}");
    assert!(error.to_string().ends_with("the nearest is 4"), "{error}");
    let error = Streams::new(&(always(high.clone()) & eventually(!high))).unwrap_err().to_string();
    assert!(error.contains("it contradicts itself"), "{error}");
}

#[test]
fn atoms_of_which_nobody_knows_are_named() {
    let opaque = atom("is a large prime", |n: &u64| *n > 1 << 60);
    let error = Streams::new(&always(opaque.clone()))
        .unwrap()
        .length(1..=1)
        .try_draw(&mut Case::random(0, 0))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("nobody says which elements there are for which `is a large prime` is true"),
        "{error}"
    );
    let streams = Streams::new(&always(opaque)).unwrap().length(1..=1).among(|case| case.int(0..=9));
    let error = streams.try_draw(&mut Case::random(0, 0)).unwrap_err().to_string();
    assert!(error.ends_with("`is a large prime` is never true"), "{error}");
}

#[test]
fn streams_may_depend_on_all_that_was() {
    // No more is spent than there is.
    let affordable = tracked("affordable", 10, |left: &mut i32, price: &i32| {
        *left -= price;
        *left >= 0
    });
    let streams = Streams::new(&always(affordable.clone())).unwrap().length(1..=6);
    let streams = streams.among(|case| case.int(0..=9));
    for number in 0..100 {
        // (A last one that costs nothing is always found.)
        let stream = streams.draw(&mut Case::random(1, number));
        assert!(stream.iter().sum::<i32>() <= 10, "{stream:?}");
    }
    let mut acceptor = Acceptor::new(&always(affordable)).unwrap();
    for (price, truth) in [(4, Truth::PresumablyTrue), (6, Truth::PresumablyTrue), (1, Truth::False)] {
        acceptor.see(&price);
        assert_eq!(acceptor.truth(), truth);
    }
    acceptor.reset();
    acceptor.see(&10);
    assert_eq!(acceptor.truth(), Truth::PresumablyTrue);
}

#[test]
fn all_streams_of_a_formula_up_to_a_length_are_tried() {
    let two = |name: &str, bit: u8| {
        let of = move |wanted: bool| (0..4u8).filter(|n| (n >> bit & 1 == 1) == wanted).collect::<Vec<u8>>();
        atom(name, move |n: &u8| n >> bit & 1 == 1).when_true(of(true)).when_false(of(false))
    };
    let formula = parse("G (a -> F b)", &[two("a", 0), two("b", 1)]).unwrap();
    // By counting: all words of the four letters that satisfy it.
    let mut words: Vec<Vec<u8>> = vec![Vec::new()];
    let mut expected = 0;
    for _ in 0..=4 {
        expected += words.iter().filter(|word| formula.holds(word)).count();
        words = words.iter().flat_map(|word| (0..4).map(|n| [word.as_slice(), &[n]].concat())).collect();
    }
    let streams = Streams::new(&formula).unwrap().length(0..=4);
    let mut drawn = std::collections::HashSet::new();
    let verdict = seeded(1).exhaustive().verdict_with(streams, |stream: Vec<u8>| {
        assert!(formula.holds(&stream));
        drawn.insert(stream)
    });
    assert_eq!(verdict.to_string(), format!("proved: all {expected} cases"));
    assert_eq!(drawn.len(), expected);
}

#[test]
fn streams_may_rise() {
    let rises = relation("rises", |before: Option<&u32>, now: &u32| before.is_none_or(|before| before < now))
        .draws(|before, wanted, case| {
            let before = before.copied().unwrap_or(0);
            if wanted { Some(before + case.int(1..=5)) } else { Some(case.int(0..=before)) }
        });
    let streams = Streams::new(&always(rises)).unwrap().length(10..=10);
    seeded(1).cases(50).check(|case| {
        let stream = streams.draw(case);
        assert!(stream.windows(2).all(|pair| pair[0] < pair[1]));
    });
}
