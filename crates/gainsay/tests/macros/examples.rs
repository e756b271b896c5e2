//! Examples: given values, tried first.

use crate::seen::{see, seen_by};
use gainsay::prelude::*;
use std::collections::BTreeMap;

const NAME: &str = "constant";
const TABLE: &[u8] = &[7, 8];

#[property(cases = 10, seed = 1)]
#[example("literal", "owned", "boxed", b"bytes")]
#[example(NAME, String::from("made"), Box::from("x"), &[1, 2])]
#[example(&"a".repeat(2), "b".to_string(), "y", [3])]
#[example(&String::from("c"), Default::default(), "z", TABLE)]
#[example("", "", "", [])]
#[example("e", "e", "e", [5].repeat(2))]
fn text(s: &str, t: String, u: Box<str>, bytes: &[u8]) -> bool {
    see((s, t, u, bytes));
    true
}

#[property(cases = 10, seed = 1)]
#[example(1, Some(2), &BTreeMap::from([(1, true)]), "x", &mut [4, 3], "up")]
#[example(0xff, None, BTreeMap::new(), String::new(), [6], "down")]
fn others(
    n: u8,
    option: Option<i64>,
    map: &BTreeMap<u8, bool>,
    text: &String,
    items: &mut [u16],
    word: &mut str,
) -> bool {
    items.sort_unstable();
    word.make_ascii_uppercase();
    see((n, option, map, text, items, word));
    true
}

#[property(cases = 10, seed = 1)]
#[example(9)]
fn with_case(case: &mut Case, #[with(0..10)] n: u8) -> bool {
    let m = case.int(0..=n);
    see((n, m));
    m <= n
}

#[property(cases = 10, seed = 1)]
#[example()]
fn case_alone(case: &mut Case) -> bool {
    let n: u8 = case.any();
    see(n);
    true
}

#[test]
fn examples_come_first_and_in_order() {
    assert_eq!(
        seen_by(text)[..6],
        [
            r#"("literal", "owned", "boxed", [98, 121, 116, 101, 115])"#,
            r#"("constant", "made", "x", [1, 2])"#,
            r#"("aa", "b", "y", [3])"#,
            r#"("c", "", "z", [7, 8])"#,
            r#"("", "", "", [])"#,
            r#"("e", "e", "e", [5, 5])"#,
        ]
    );
    assert_eq!(
        seen_by(others)[..2],
        [r#"(1, Some(2), {1: true}, "x", [3, 4], "UP")"#, r#"(255, None, {}, "", [6], "DOWN")"#]
    );
    assert_eq!(seen_by(with_case)[0], "(9, 0)");
    assert_eq!(seen_by(case_alone)[0], "0");
}

/// Shown as written, though over two lines.
#[property]
#[example(vec![1,2],
    "a  b")]
#[should_panic(expected = "    example = vec![1,2], \"a  b\"")]
fn failing_example(items: Vec<u8>, s: &str) -> bool {
    items.len() > s.len()
}

#[property(cases = 50, seed = 1)]
#[example(vec![1, 2], "a  b")]
fn passing_example(items: Vec<u8>, s: &str) -> bool {
    items.len() + s.len() >= s.len()
}
