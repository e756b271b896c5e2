//! `#[with(…)]` on arguments and on fields.

use gainsay::prelude::*;

fn even(case: &mut Case) -> u32 {
    2 * case.int(0..1000)
}

/// A generator made by a function.
fn multiple_of(n: u32) -> Gen<impl Generator<Value = u32>> {
    generator(0..1000u32).map(move |m| m * n)
}

#[property(cases = 200, seed = 1)]
fn ranges(
    #[with(0..10)] a: u8,
    #[with(-5..=5)] b: i64,
    #[with(250..)] c: u8,
    #[with(..=3)] d: usize,
) -> bool {
    a < 10 && (-5..=5).contains(&b) && c >= 250 && d <= 3
}

#[property(cases = 100, seed = 1)]
fn functions(
    #[with(even)] a: u32,
    #[with(multiple_of(3))] b: u32,
    #[with(|case: &mut Case| case.int(7..9))] c: u8,
) -> bool {
    a.is_multiple_of(2) && b.is_multiple_of(3) && (7..9).contains(&c)
}

#[property(cases = 100, seed = 1)]
fn combinations(
    #[with(vec_of(1..=3, 0..5))] items: Vec<i32>,
    #[with(option_of(just("x")))] option: Option<&'static str>,
    #[with(sampled(&[1, 2, 4]))] power: u64,
) -> bool {
    (1..=3).contains(&items.len())
        && items.iter().all(|n| (0..5).contains(n))
        && option.is_none_or(|x| x == "x")
        && power.is_power_of_two()
}

#[property(cases = 100, seed = 1)]
fn borrowed(
    #[with(sampled(&["a", "b"]).map(String::from))] s: &str,
    #[with(vec_of(2..=2, 1..3))] items: &[u8],
    #[with(0..5)] n: &u8,
    #[with(5..9)] m: &mut u16,
) -> bool {
    *m += 1;
    s.len() == 1 && items.iter().all(|n| (1..3).contains(n)) && *n < 5 && (6..10).contains(m)
}

/// The arguments before it are in scope, with the types they were declared with.
#[property(cases = 100, seed = 1)]
fn dependent(
    items: &[u8],
    #[with(0..=items.len())] at: usize,
    text: &str,
    #[with(just(text.len()))] len: usize,
) -> bool {
    let (left, right) = items.split_at(at);
    left.len() + right.len() == items.len() && text.len() == len
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Range {
    low: u8,
    #[with(low..)]
    high: u8,
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Dice(#[with(1..=6)] u8, #[with(1..=6)] u8, bool);

#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Command {
    Roll(#[with(1..=6)] u8),
    Move {
        steps: Vec<Range>,
        #[with(even)]
        to: u32,
    },
    Stop,
}

#[derive(Debug, Clone, PartialEq, Arbitrary)]
struct Labelled<T> {
    #[with(sampled(&["a", "b"]).map(String::from))]
    label: String,
    value: T,
}

#[property(cases = 200, seed = 1)]
fn fields(range: Range, dice: &Dice, command: Command, labelled: Labelled<bool>) {
    assert!(range.low <= range.high);
    assert!((1..=6).contains(&dice.0) && (1..=6).contains(&dice.1));
    assert!(labelled.label.len() == 1);
    match command {
        Command::Roll(n) => assert!((1..=6).contains(&n)),
        Command::Move { steps, to } => assert!(to % 2 == 0 && steps.iter().all(|step| step.low <= step.high)),
        Command::Stop => {}
    }
}

#[test]
fn with_is_enumerated_all_the_same() {
    let dice: Vec<Dice> = values().collect();
    assert_eq!(dice.len(), 72);
    assert_eq!(dice[0], Dice(1, 1, false));
    assert_eq!(values::<Labelled<bool>>().count(), 4);
    let verdict = settings().seed(1).without_corpus().verdict_for_all(|dice: Dice| dice.0 + dice.1 < 12);
    assert_eq!(verdict.counterexample().map(|c| c.shown()).as_deref(), Some("#1 = Dice(6, 6, false)"));
    let verdict =
        settings().seed(1).without_corpus().exhaustive().verdict_for_all(|dice: Dice| dice.0 + dice.1 <= 12);
    assert_eq!(verdict.to_string(), "proved: all 72 cases");
}
