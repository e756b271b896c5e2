//! What is certain of a formula, held against an independent decision: see `reference`. The bench `mended` goes through many more.

use crate::compared::{Numbers, count, differences, equivalence, numbered, random, words};
use crate::reference::{One, Tree};
use gainsay_temporal::{Acceptor, Formula, Truth, always, bits, eventually, next, parse, stream};

fn read(text: &str) -> Formula<u8> {
    parse(text, &bits()).unwrap_or_else(|error| panic!("{error}"))
}

fn truth(text: &str) -> Truth {
    Acceptor::new(&read(text)).unwrap().truth()
}

#[test]
fn eventualities_inside_next_are_put_off_each_on_its_own() {
    assert_eq!(truth("F (N (G (N b)))"), Truth::PresumablyFalse);
    assert_eq!(truth("G X F X b"), Truth::PresumablyTrue);
    assert_eq!(truth("G (a & X F (b & X F c))"), Truth::PresumablyTrue);
    assert_eq!(truth("F N G F a"), Truth::PresumablyFalse);
    assert_eq!(truth("(F N G N b) | (b -> d)"), Truth::PresumablyTrue);
    // These are certain.
    assert_eq!(truth("G X F X b & F G !b"), Truth::False);
    assert_eq!(truth("G (a & X F (b & X F c)) & F G !c"), Truth::False);
    assert_eq!(truth("F p | G !p".replace('p', "a").as_str()), Truth::True);
    assert_eq!(truth("(G X F X b) <-> (G F b)"), Truth::True);
}

#[test]
fn a_constant_stream_satisfies_what_recurs() {
    let b = || bits().swap_remove(1);
    let always_again = always(next(eventually(next(b()))));
    let ones = || |_: u8| 2u8;
    let verdict = stream("ones", ones).among_all().expect(always_again).verdict();
    assert!(verdict.counterexample().is_none(), "{verdict}");
    let zeros = || |_: u8| 0u8;
    let strict = stream("zeros", zeros).among_all().strict().expect(read("F N G F a")).verdict();
    assert!(!strict.is_good(), "{strict}");
}

#[test]
fn small_formulas_say_for_certain_what_the_reference_says() {
    let words = words(4, 1);
    let (mut numbers, mut compared) = (Numbers(1), 0);
    let mut compare = |tree: &Tree| {
        let (certain, satisfiable) = differences(tree, 2, &words).expect("it is small");
        assert!(certain.is_empty() && satisfiable.is_empty(), "{certain:#?} {satisfiable:#?}");
        compared += 1;
    };
    (0..=1).for_each(|operators| {
        (0..count(operators, 2)).for_each(|number| compare(&numbered(operators, 2, number)));
    });
    for operators in [2, 3, 4] {
        for _ in 0..700 {
            compare(&numbered(operators, 2, numbers.below(count(operators, 2))));
        }
    }
    assert_eq!(compared, 2 + 54 + 2100);
}

#[test]
fn chains_of_unary_operators_say_for_certain_what_the_reference_says() {
    let words = words(2, 2);
    let mut trees = vec![Tree::Atom(0)];
    for _ in 0..5 {
        let ones = [One::Next, One::Always, One::Eventually];
        let longer = trees.iter().flat_map(|of| ones.map(|one| Tree::One(one, None, Box::new(of.clone()))));
        trees = longer.collect();
        for tree in &trees {
            let (certain, satisfiable) = differences(tree, 1, &words).expect("it is small");
            assert!(certain.is_empty() && satisfiable.is_empty(), "{certain:#?} {satisfiable:#?}");
        }
    }
}

#[test]
fn random_formulas_say_for_certain_what_the_reference_says() {
    let (mut numbers, mut compared) = (Numbers(2), 0);
    while compared < 300 {
        let (operators, atoms) = (5 + numbers.below(4), 1 + numbers.below(3));
        let tree = random(&mut numbers, operators, atoms);
        let Some((certain, satisfiable)) = differences(&tree, atoms, &words(1 << atoms, 1)) else { continue };
        assert!(certain.is_empty() && satisfiable.is_empty(), "{certain:#?} {satisfiable:#?}");
        compared += 1;
    }
}

#[test]
fn formulas_are_equivalent_if_the_reference_says_so() {
    let (mut numbers, mut same) = (Numbers(3), 0);
    for _ in 0..600 {
        let operators = 1 + numbers.below(2);
        let mut draw = || numbered(operators, 1, numbers.below(count(operators, 1)));
        let (one, two) = (draw(), draw());
        assert_eq!(equivalence(&one, &two, 1), Some(Vec::new()));
        same += usize::from(one.formula().is_equivalent(&two.formula()).unwrap());
    }
    assert_eq!(same, 164);
}
