//! Counterexamples reach their normal form whatever the seed, where one part must grow for another to shrink.

use gainsay_core::{Arbitrary, Case, Verdict, settings};

/// What is shown of the counterexamples of ten seeds: each once.
fn forms(run: impl Fn(gainsay_core::Settings) -> Verdict) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for seed in 0..10 {
        let verdict = run(settings().seed(seed).cases(20_000).random_only().without_corpus());
        let found = verdict.counterexample().unwrap_or_else(|| panic!("seed {seed}: {verdict}"));
        let shown: Vec<String> = found.notes.iter().map(|note| note.value.clone()).collect();
        let shown = shown.join(", ");
        if !forms.contains(&shown) {
            forms.push(shown);
        }
    }
    forms
}

fn holds(run: impl Fn(gainsay_core::Settings) -> Verdict) {
    for seed in 0..3 {
        let verdict = run(settings().seed(seed).without_corpus());
        assert!(verdict.is_good(), "seed {seed}: {verdict}");
    }
}

#[test]
fn factors_of_a_product_that_overflows_are_as_small_as_can_be() {
    assert_eq!(forms(|s| s.verdict_for_all(|a: u32, b: u32| a.checked_mul(b).is_some())), ["2, 2147483648"]);
    assert_eq!(
        forms(|s| s.verdict_for_all(|a: i64, b: i64| a.checked_mul(b).is_some())),
        ["-1, -9223372036854775808"]
    );
    assert_eq!(
        forms(|s| s.verdict_for_all(|a: u16, b: u16, c: u16| a
            .checked_mul(b)
            .and_then(|ab| ab.checked_mul(c))
            .is_some())),
        ["1, 2, 32768"]
    );
    holds(|s| s.verdict_for_all(|a: u32, b: u32| u64::from(a).checked_mul(u64::from(b)).is_some()));
}

/// A value as many formats have it.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Nothing,
    Number(u32),
    Size { width: u16, height: u16 },
    Text(String),
}

impl Arbitrary for Value {
    fn arbitrary(case: &mut Case) -> Value {
        case.span("Value", |case| match case.index(4) {
            0 => Value::Nothing,
            1 => Value::Number(case.any()),
            2 => Value::Size { width: case.any(), height: case.any() },
            _ => Value::Text(case.any()),
        })
    }
}

/// Each variant takes more room than there is from another bound on.
fn fits(value: &Value, widest: u64) -> bool {
    match value {
        Value::Nothing => true,
        Value::Number(number) => u64::from(*number) < 5000 * widest,
        Value::Size { width, height } => u64::from(*width) + u64::from(*height) < 300 * widest,
        Value::Text(text) => (text.chars().count() as u64) < 5 * widest,
    }
}

#[test]
fn the_simplest_of_the_variants_that_fail_is_shown() {
    assert_eq!(forms(|s| s.verdict_for_all(|value: Value| fits(&value, 1))), ["Number(5000)"]);
    assert_eq!(
        forms(|s| s.verdict_for_all(|_: u8, value: Value, _: bool| fits(&value, 1))),
        ["0, Number(5000), false"]
    );
    holds(|s| s.verdict_for_all(|value: Value| fits(&value, 1 << 40)));
}

/// Jaro's similarity (Jaro 1989, *Advances in record-linkage methodology*): how much of two texts matches within a window. The window is
/// that of the first text, as some implementations have it.
fn jaro(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let window = (a.len() / 2).saturating_sub(1);
    let mut taken = vec![false; b.len()];
    let mut matched_a = Vec::new();
    for (i, c) in a.iter().enumerate() {
        let mut near = i.saturating_sub(window)..(i + window + 1).min(b.len());
        if let Some(j) = near.find(|&j| !taken[j] && b[j] == *c) {
            taken[j] = true;
            matched_a.push(*c);
        }
    }
    let matched_b: Vec<char> = b.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(c, _)| *c).collect();
    let matches = matched_a.len() as f64;
    if matches == 0.0 {
        return 0.0;
    }
    let swapped = matched_a.iter().zip(&matched_b).filter(|(a, b)| a != b).count() as f64 / 2.0;
    (matches / a.len() as f64 + matches / b.len() as f64 + (matches - swapped) / matches) / 3.0
}

/// The right one: the longer text comes first, whichever was given first.
fn jaro_right(a: &str, b: &str) -> f64 {
    let (a, b) = if (a.chars().count(), a) < (b.chars().count(), b) { (b, a) } else { (a, b) };
    jaro(a, b)
}

#[test]
fn two_texts_that_are_compared_are_as_short_as_can_be() {
    let agrees =
        |jaro: fn(&str, &str) -> f64| move |a: String, b: String| (jaro(&a, &b) - jaro(&b, &a)).abs() < 1e-9;
    assert_eq!(forms(|s| s.verdict_for_all(agrees(jaro))), ["\"a\", \"baaa\""]);
    holds(|s| s.verdict_for_all(agrees(jaro_right)));
}

/// So many delays, and then as many values.
fn in_columns(case: &mut Case, least: usize) -> Vec<(u32, u32)> {
    let count = case.int(least..=6);
    let delays: Vec<u32> = (0..count).map(|_| case.int(0..=300)).collect();
    delays.into_iter().map(|delay| (delay, case.int(0..=9))).collect()
}

#[test]
fn what_is_drawn_column_by_column_is_as_short_as_can_be() {
    for least in [0, 1] {
        let run = |is_late: fn(u32) -> bool| {
            move |s: gainsay_core::Settings| {
                s.verdict_with(
                    move |case: &mut Case| in_columns(case, least),
                    move |rows: Vec<(u32, u32)>| {
                        let of_seven = rows.iter().filter(|(_, value)| *value == 7);
                        of_seven.filter(|(delay, _)| is_late(*delay)).count() < 2
                    },
                )
            }
        };
        assert_eq!(forms(run(|delay| delay > 4)), ["[(5, 7), (5, 7)]"]);
        holds(run(|delay| delay > 300));
    }
}
