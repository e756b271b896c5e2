//! Generators: laws of the combinators, functions, overrides, strings from expressions.

use crate::support::{Tree, assert_contains, proved, seeded};
use gainsay::Settings;
use gainsay::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Debug;

#[test]
fn recursive_values_end_and_vary_in_depth() {
    let trees: Vec<Tree> = (0..2000).map(|index| Case::random(17, index).any()).collect();
    assert!(trees.iter().any(|tree| tree.depth() == 0) && trees.iter().any(|tree| tree.depth() > 8));
    let by_hand = recursive(4, |_: &mut Case| 1u32, |case, smaller| smaller(case) + smaller(case));
    let leaves: BTreeSet<u32> =
        (0..2000).map(|index| by_hand.generate(&mut Case::random(1, index))).collect();
    assert!(leaves.contains(&1) && leaves.last() <= Some(&16) && leaves.len() > 8, "{leaves:?}");
}

/// The values of a generator, by enumeration.
fn all<G: Generator<Value: Debug + Clone>>(generator: G) -> Vec<G::Value> {
    let mut all = Vec::new();
    let verdict = seeded(0).exhaustive().verdict_with(generator, |value| all.push(value));
    assert_eq!(proved(&verdict), all.len() as u64);
    all
}

#[test]
fn permutations_are_all_of_them_once_each() {
    let all = all(permutation(&[1, 2, 3, 4]));
    assert_eq!(all[0], [1, 2, 3, 4], "the given order is the simplest");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 24);
    assert_eq!(all.len(), 24);
    assert!(all.iter().all(|p| p.iter().collect::<BTreeSet<_>>().len() == 4));
}

#[test]
fn subsets_are_all_of_them_once_each() {
    let all = all(subset(&["a", "b", "c"]));
    assert_eq!(all[0], [""; 0]);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 8);
    assert!(all.iter().all(|set| set.is_sorted()));
}

#[test]
fn combinations_mean_what_they_say() {
    assert_eq!(all(sampled(&['x', 'y', 'z'])), ['x', 'y', 'z']);
    assert_eq!(all(just(7)), [7]);
    assert_eq!(all(generator(0..=3u8).map(|n| n * 10)), [0, 10, 20, 30]);
    assert_eq!(all(generator(0..=9u8).filter(|n| n % 4 == 1)), [1, 5, 9]);
    assert_eq!(
        all(generator(0..=2usize).flat_map(|n| vec_of(n..=n, any::<()>()))),
        [vec![], vec![(); 1], vec![(); 2]]
    );
    assert_eq!(all(option_of(0..=1u8)), [None, Some(0), Some(1)]);
    let one = || one_of(vec![just(0u8).boxed(), generator(1..=2u8).boxed(), just(9u8).boxed()]);
    assert_eq!(all(one()), [0, 1, 2, 9]);
    assert_eq!(all(vec_of(1..=2, any::<bool>())).len(), 6);
}

#[test]
fn sizes_grow_and_go_on_to_vary() {
    let mut sizes = Vec::new();
    let sized = sized(|size| move |_: &mut Case| size);
    seeded(1).random_only().check_with(sized, |size| sizes.push(size));
    assert!(sizes[0] < 10 && sizes[..90].is_sorted() && sizes[99] == 100, "{:?}", &sizes[..100]);
    let late = &sizes[200..];
    let full = late.iter().filter(|size| **size == 100).count();
    assert!(full > late.len() / 2 && late.iter().any(|size| *size < 20), "{late:?}");
}

#[test]
fn weights_are_kept() {
    let generator = weighted(vec![(1, just('a').boxed()), (8, just('b').boxed()), (0, just('c').boxed())]);
    let mut counts = BTreeMap::new();
    (0..9000)
        .for_each(|index| *counts.entry(generator.generate(&mut Case::random(2, index))).or_insert(0) += 1);
    assert!(
        (700..1300).contains(&counts[&'a']) && counts[&'b'] > 7500 && !counts.contains_key(&'c'),
        "{counts:?}"
    );
    assert_eq!(
        all(weighted(vec![(1, just('a').boxed()), (0, just('c').boxed())])),
        ['a', 'c'],
        "rare is not impossible"
    );
    let yes = (0..4000).filter(|index| Case::random(2, *index).flag_weighted(1, 3)).count();
    assert!((800..1200).contains(&yes), "{yes}");
}

#[test]
fn functions_are_functions() {
    seeded(1).for_all(|f: Function<u32, u8>, x: u32, y: u32| {
        let twin = f.clone();
        let before = (f.call(&x), f.call(&y));
        before == (f.call(&x), f.call(&y)) && before == (twin.call(&x), twin.call(&y))
    });
    let constant = seeded(1).verdict_for_all(|f: Function<u8, bool>| f.call(&1) == f.call(&2));
    assert!(matches!(constant, Verdict::Falsified(_)), "not all are constant: {constant}");
    // An argument is shown as it was before the property ran: what the function can give.
    assert_contains(&constant.to_string(), "|x| one of [false, true]");
}

#[test]
fn overrides_replace_the_generator_of_a_type_everywhere() {
    let dice = || seeded(1).generator(|case: &mut Case| case.int(1..=6u8));
    let holds = |settings: Settings| {
        settings.verdict_for_all(|a: u8, list: Vec<u8>, o: Option<(u8, bool)>| {
            let mut all = list.into_iter().chain(o.map(|(b, _)| b)).chain([a]);
            all.all(|die| (1..=6).contains(&die))
        })
    };
    assert!(holds(dice()).is_good(), "{}", holds(dice()));
    assert!(!holds(seeded(1)).is_good(), "and without it does not hold");
    // One override may use another.
    let two = dice().generator(|case: &mut Case| case.vec(0..=3, Case::any::<u8>));
    let verdict =
        two.verdict_for_all(|list: Vec<u8>| list.len() <= 3 && list.iter().all(|die| (1..=6).contains(die)));
    assert!(verdict.is_good(), "{verdict}");
}

#[test]
fn an_override_that_panics_stays_in_force() {
    let picky = |case: &mut Case| {
        let n = case.int(0..=99u8);
        assert!(n < 50, "no {n}");
        n
    };
    let verdict = seeded(1).random_only().generator(picky).verdict_for_all(|n: u8| n < 100);
    assert_eq!(crate::support::found(&verdict).record.values(), [50], "{verdict}");
}

#[test]
fn strings_match_the_expression_they_were_drawn_from() {
    for pattern in [
        "[a-z]+",
        "(foo|bar){2,3}",
        "\\d{3}-\\d{2}",
        "[^a-zA-Z]*x?",
        "^\\w+@\\w+\\.(com|org)$",
        "",
        "é.{0,3}",
        "(?i)abc",
    ] {
        let whole = regex::Regex::new(&format!("^(?:{pattern})$")).unwrap();
        let generator = string_matching(pattern);
        let drawn: HashSet<String> =
            (0..300).map(|index| generator.generate(&mut Case::random(8, index))).collect();
        for text in &drawn {
            assert!(whole.is_match(text), "{text:?} does not match `{pattern}`");
        }
        assert!(drawn.len() > 3 || pattern.is_empty(), "`{pattern}` varies: {drawn:?}");
    }
    assert_eq!(all(string_matching("a?(b|c)")), ["b", "c", "ab", "ac"]);
    let verdict = seeded(1).verdict_with(string_matching("[a-z]{2,9}[0-9]*"), |s| s.len() < 5);
    assert_eq!(crate::support::minimum(&verdict), "\"aa000\"");
}

#[test]
fn expressions_that_cannot_be_drawn_from_are_refused() {
    for (pattern, reason) in
        [("a(", "is not a regular expression"), ("\\bword\\b", "it looks around"), ("[a&&b]", "empty class")]
    {
        let panic = std::panic::catch_unwind(|| string_matching(pattern)).map(|_| ()).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert_contains(message, &format!("`{pattern}`"));
        assert_contains(message, reason);
    }
    // An anchor inside can never match.
    let inside = std::panic::catch_unwind(|| string_matching("a^b"));
    assert!(inside.is_err(), "`a^b` matches nothing, and must not draw `ab`");
}
