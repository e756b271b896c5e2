//! Texts of any length are read or refused, with a limit that is named, and never end the process.

use super::mfotl::language;
use gainsay_temporal::{Acceptor, Atom, Truth, atom, parse};

fn atoms() -> Vec<Atom<bool>> {
    vec![atom("a", |element: &bool| *element)]
}

fn chain(of: &str, operator: &str, terms: usize) -> String {
    vec![of; terms].join(&format!(" {operator} "))
}

#[test]
fn a_chain_that_would_take_all_the_stack_is_refused() {
    for operator in ["&", "|", "<->", "->", "U", "&&", "S[0,3]"] {
        let refused = parse(&chain("a", operator, 200_000), &atoms()).unwrap_err();
        let message = refused.message();
        assert!(message.contains("1000") || message.contains("200 deep"), "{operator}: {message}");
    }
    // Chains in chains count together.
    let mut nested = chain("a", "&", 150);
    for _ in 0..15 {
        nested = format!("({nested}) & {}", chain("a", "&", 150));
    }
    assert!(parse(&nested, &atoms()).unwrap_err().message().contains("more than 1000 operators"));
}

#[test]
fn what_is_within_the_limit_is_judged() {
    for (operator, terms) in [("&", 999), ("|", 999), ("<->", 101)] {
        let text = chain("a", operator, terms);
        let formula = parse(&text, &atoms()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(formula.to_string(), text);
        assert!(formula.holds(&[true]));
        let mut acceptor = Acceptor::new(&formula).unwrap();
        acceptor.see(&true);
        assert_eq!(acceptor.truth(), Truth::True);
    }
    // Halves in brackets are as high as their logarithm.
    let mut text = String::from("a");
    for _ in 0..12 {
        text = format!("({text}) & ({text})");
    }
    assert!(parse(&text, &atoms()).is_ok_and(|formula| formula.holds(&[true])));
}

#[test]
fn formulas_with_data_are_bounded_like_that() {
    for (of, operator) in [("p(1)", "&"), ("p(1)", "|"), ("p(1)", "<->"), ("p(1)", "->"), ("p(1)", "S")] {
        let text = chain(of, operator, 20_000);
        if let Err(refused) = language().parse(&text) {
            assert!(refused.message().contains("nested 200 deep at most"), "{}", refused.message());
        }
    }
    let sum = format!("p({})", chain("1", "+", 200_000));
    assert!(language().parse(&sum).unwrap_err().message().contains("nested 200 deep at most"));
}

/// Found by the fuzzer: the place of a name was as long as the name is shown, and ended inside of a letter.
#[test]
fn a_name_that_is_shown_otherwise_than_written_is_told_with_its_place() {
    let refused = language().parse("forall x. //(ш) s").unwrap_err();
    assert_eq!(refused.span(), 10..12);
    assert!(refused.to_string().contains("there is no fact, test or function called"), "{refused}");
}
