//! What random values are like: equal ones are common, edges come, long things are rare but there.

use gainsay_core::{Arbitrary, Case, Verdict, settings};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;

/// How many of the first thousand random cases have values of which this holds.
fn count<T: Arbitrary + Debug>(holds: impl Fn(T) -> bool) -> usize {
    let mut count = 0;
    let settings = settings().random_only().seed(1).cases(1000).without_corpus();
    settings.check_with(|case: &mut Case| case.any::<T>(), |value| count += usize::from(holds(value)));
    count
}

#[test]
fn two_values_of_one_type_are_often_equal() {
    assert!(count(|(a, b): (i64, i64)| a == b) > 150);
    assert!(count(|(a, b): (f64, f64)| a == b) > 100);
    assert!(count(|(a, b): (String, String)| a == b && !a.is_empty()) > 100);
    assert!(count(|(a, b): (Vec<u32>, Vec<u32>)| a == b && !a.is_empty()) > 100);
    assert!(count(|(a, b): ((i64, u16), (i64, u16))| a == b) > 80);
    assert!(
        count(|texts: Vec<String>| {
            let mut seen = HashSet::new();
            texts.iter().any(|text| !text.is_empty() && !seen.insert(text))
        }) > 180
    );
    // And most are not.
    assert!(count(|(a, b): (i64, i64)| a == b) < 300);
    assert!(count(|(a, b): (String, String)| a == b) < 300);
}

#[test]
fn nearly_equal_values_come_as_well() {
    assert!(count(|(a, b): (i64, i64)| a != b && a.abs_diff(b) <= 2) > 15);
    assert!(
        count(|(a, b): (String, String)| {
            let same = a.chars().zip(b.chars()).filter(|(a, b)| a == b).count();
            a != b && same > 2 && 2 * same > a.chars().count()
        }) > 15
    );
    assert!(
        count(|(a, b): (Vec<u32>, Vec<u32>)| a != b
            && a.len() > 2
            && b.len() > 2
            && (a.starts_with(&b) || b.starts_with(&a)))
            > 5
    );
}

#[test]
fn sets_are_no_smaller_where_values_repeat() {
    assert!(count(|set: BTreeSet<u64>| set.len() > 50) > 350);
}

#[test]
fn characters_at_which_encodings_change_come() {
    for c in ['\u{d7ff}', '\u{e000}', '\u{feff}', '\u{fffd}', '\u{10ffff}', '\u{7f}', '\0'] {
        assert!(count(|text: String| text.contains(c)) > 5, "{c:?}");
    }
    assert!(count(|text: String| text.contains("\r\n")) > 5);
}

#[test]
fn long_lists_and_texts_are_rare_but_there() {
    let lists = count(|list: Vec<u8>| list.len() >= 256);
    let texts = count(|text: String| text.chars().count() >= 256);
    assert!((1..30).contains(&lists) && (1..30).contains(&texts), "{lists} {texts}");
}

/// The verdicts of a few seeds.
fn verdicts(run: impl Fn(gainsay_core::Settings) -> Verdict) -> Vec<Verdict> {
    (0..5).map(|seed| run(settings().seed(seed).without_corpus())).collect()
}

/// Writes an integer in groups of three digits; the wrong one forgets the zeros of groups that are nothing but zeros.
fn grouped(n: i64, is_right: bool) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut groups: Vec<String> =
        digits.as_bytes().rchunks(3).rev().map(|g| String::from_utf8_lossy(g).into()).collect();
    while !is_right && groups.len() > 3 && groups.ends_with(&["000".into(), "000".into(), "000".into()]) {
        groups.truncate(groups.len() - 3);
    }
    groups.join("_")
}

#[test]
fn a_bug_at_multiples_of_powers_of_ten_is_found() {
    let law = |n: i64, is_right: bool| grouped(n, is_right).replace('_', "") == n.unsigned_abs().to_string();
    for verdict in verdicts(|s| s.cases(4000).verdict_for_all(move |n: i64| law(n, false))) {
        let found = verdict.counterexample().map(|found| found.notes[0].value.clone());
        assert_eq!(found.as_deref(), Some("1000000000"), "{verdict}");
    }
    assert!(verdicts(|s| s.verdict_for_all(move |n: i64| law(n, true))).iter().all(Verdict::is_good));
}

/// Counts the elements of a list in a byte, or in a word.
fn counted(list: &[bool], is_right: bool) -> usize {
    if is_right { list.len() } else { usize::from(list.len() as u8) }
}

#[test]
fn a_count_that_leaves_its_byte_is_found() {
    for verdict in verdicts(|s| s.verdict_for_all(|list: Vec<bool>| counted(&list, false) == list.len())) {
        let found = verdict.counterexample().map(|found| found.notes[0].value.clone());
        assert_eq!(found, Some(format!("{:?}", [false; 256])), "{verdict}");
    }
    let right = verdicts(|s| s.verdict_for_all(|list: Vec<bool>| counted(&list, true) == list.len()));
    assert!(right.iter().all(Verdict::is_good));
}

#[test]
fn what_goes_wrong_for_equal_texts_is_found() {
    // A replacement that never ends where both are equal is cut short wrongly.
    let replaced = |text: &str, from: &str, to: &str, is_right: bool| {
        if from.is_empty() || (!is_right && from == to && from.chars().count() > 4) {
            String::new()
        } else {
            text.replace(from, to)
        }
    };
    let law = move |from: String, to: String, is_right: bool| {
        from.is_empty() || replaced(&from, &from, &to, is_right) == to
    };
    for verdict in verdicts(|s| s.verdict_for_all(move |from: String, to: String| law(from, to, false))) {
        let found = verdict.counterexample().map(|found| found.shown());
        assert_eq!(found.as_deref(), Some("#1 = \"aaaaa\", #2 = \"aaaaa\""), "{verdict}");
    }
    assert!(
        verdicts(|s| s.verdict_for_all(move |a: String, b: String| law(a, b, true)))
            .iter()
            .all(Verdict::is_good)
    );
}
