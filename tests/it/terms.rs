//! Terms: the judge of residuals against brute force.

use crate::support::{assert_contains, proved, seeded};
use gainsay::callout::{
    Method, Term, allow, assert, block, call, choice, fail, none, optional, par, permutation, repeat,
    replicate, self_call, seq, tagged, unblock, when,
};
use gainsay::mock::{Mocks, expect};
use gainsay::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) const A: Method<(), u8> = Method::new("a");
pub(crate) const B: Method<(), u8> = Method::new("b");

/// A term as data.
#[derive(Debug, Clone)]
enum Shape {
    Empty,
    Fail,
    Letter(bool),
    Optional(Box<Shape>),
    Repeat(Box<Shape>),
    Replicate(Box<Shape>),
    Allow(bool, Box<Shape>),
    Seq(Box<Shape>, Box<Shape>),
    Par(Box<Shape>, Box<Shape>),
    Permutation(Box<Shape>, Box<Shape>),
    Choice(Box<Shape>, Box<Shape>),
}

/// Shapes of at most so many constructors.
fn shapes(case: &mut Case, constructors: usize) -> Shape {
    let kinds = match constructors {
        0 | 1 => 4,
        2 => 9,
        _ => 13,
    };
    let inner = |case: &mut Case, left: usize| Box::new(shapes(case, left));
    match case.index(kinds) {
        0 => Shape::Empty,
        1 => Shape::Letter(false),
        2 => Shape::Letter(true),
        3 => Shape::Fail,
        4 => Shape::Optional(inner(case, constructors - 1)),
        5 => Shape::Repeat(inner(case, constructors - 1)),
        6 => Shape::Replicate(inner(case, constructors - 1)),
        7 => Shape::Allow(false, inner(case, constructors - 1)),
        8 => Shape::Allow(true, inner(case, constructors - 1)),
        kind => {
            let first = case.int(1..=constructors - 2);
            let (a, b) = (inner(case, first), inner(case, constructors - 1 - first));
            match kind {
                9 => Shape::Seq(a, b),
                10 => Shape::Par(a, b),
                11 => Shape::Permutation(a, b),
                _ => Shape::Choice(a, b),
            }
        }
    }
}

pub(crate) fn letter(is_b: bool) -> Term<()> {
    call(if is_b { B } else { A }).returns(7).into()
}

fn term(shape: &Shape) -> Term<()> {
    match shape {
        Shape::Empty => none(),
        Shape::Fail => fail("never"),
        Shape::Letter(is_b) => letter(*is_b),
        Shape::Optional(a) => optional(term(a)),
        Shape::Repeat(a) => repeat(term(a)),
        Shape::Replicate(a) => replicate(term(a)),
        Shape::Allow(is_b, a) => allow([letter(*is_b)], term(a)),
        Shape::Seq(a, b) => seq([term(a), term(b)]),
        Shape::Par(a, b) => par([term(a), term(b)]),
        Shape::Permutation(a, b) => permutation([term(a), term(b)]),
        Shape::Choice(a, b) => choice([term(a), term(b)]),
    }
}

/// A word without the letters in the mask, and those letters.
fn parted(word: &[bool], mask: usize) -> (Vec<bool>, Vec<bool>) {
    let (mut rest, mut taken) = (Vec::new(), Vec::new());
    for (place, &letter) in word.iter().enumerate() {
        if mask >> place & 1 == 1 { taken.push(letter) } else { rest.push(letter) }
    }
    (rest, taken)
}

/// Whether a word is one of a shape: by trying all ways to part it.
fn is_word(shape: &Shape, word: &[bool]) -> bool {
    let in_order =
        |a: &Shape, b: &Shape| (0..=word.len()).any(|n| is_word(a, &word[..n]) && is_word(b, &word[n..]));
    let masks = 0..1usize << word.len();
    match shape {
        Shape::Empty => word.is_empty(),
        Shape::Fail => false,
        Shape::Letter(is_b) => word == [*is_b],
        Shape::Optional(a) => word.is_empty() || is_word(a, word),
        Shape::Repeat(a) => {
            word.is_empty() || (1..=word.len()).any(|n| is_word(a, &word[..n]) && is_word(shape, &word[n..]))
        }
        Shape::Replicate(a) => {
            word.is_empty()
                || masks.clone().filter(|mask| mask & 1 == 1).any(|mask| {
                    let (rest, taken) = parted(word, mask);
                    is_word(a, &taken) && is_word(shape, &rest)
                })
        }
        Shape::Allow(is_b, a) => masks.clone().any(|mask| {
            let (rest, taken) = parted(word, mask);
            taken.iter().all(|letter| letter == is_b) && is_word(a, &rest)
        }),
        Shape::Seq(a, b) => in_order(a, b),
        Shape::Par(a, b) => masks.clone().any(|mask| {
            let (rest, taken) = parted(word, mask);
            is_word(a, &taken) && is_word(b, &rest)
        }),
        Shape::Permutation(a, b) => in_order(a, b) || in_order(b, a),
        Shape::Choice(a, b) => is_word(a, word) || is_word(b, word),
    }
}

/// What the judge says to a word.
fn judged(term: Term<()>, word: &[bool]) -> Result<(), String> {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        expect(term, || {
            let mocks = Mocks::current();
            for &is_b in word {
                mocks.call(if is_b { B } else { A }, (), || None);
            }
        });
    }));
    ran.map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[test]
fn residuals_are_what_brute_force_finds() {
    let words = |case: &mut Case| case.vec(0..=4, Case::flag);
    let all = |case: &mut Case| (shapes(case, 4), words(case));
    let (mut yes, mut no) = (0, 0);
    let verdict = seeded(0).exhaustive().verdict_with(all, |(shape, word)| {
        let expected = is_word(&shape, &word);
        *if expected { &mut yes } else { &mut no } += 1;
        assert_eq!(judged(term(&shape), &word).is_ok(), expected, "{shape:?} with {word:?}");
    });
    assert!(proved(&verdict) > 50_000, "{verdict}");
    assert!(yes > 5_000 && no > 5_000, "{yes} words of their terms, {no} not");
}

/// A term of calls, some of which wait for others.
#[derive(Debug, Clone)]
enum Waiting {
    Letter(bool),
    Block,
    Unblock,
    Seq(Box<Waiting>, Box<Waiting>),
    Par(Box<Waiting>, Box<Waiting>),
}

/// All with so many leaves.
fn waiting(case: &mut Case, leaves: usize) -> Waiting {
    if leaves == 1 {
        return match case.index(4) {
            0 => Waiting::Letter(false),
            1 => Waiting::Letter(true),
            2 => Waiting::Block,
            _ => Waiting::Unblock,
        };
    }
    let first = case.int(1..=leaves - 1);
    let (a, b) = (Box::new(waiting(case, first)), Box::new(waiting(case, leaves - first)));
    if case.flag() { Waiting::Par(a, b) } else { Waiting::Seq(a, b) }
}

fn waiting_term(shape: &Waiting) -> Term<()> {
    match shape {
        Waiting::Letter(is_b) => letter(*is_b),
        Waiting::Block => block("x"),
        Waiting::Unblock => unblock("x"),
        Waiting::Seq(a, b) => seq([waiting_term(a), waiting_term(b)]),
        Waiting::Par(a, b) => par([waiting_term(a), waiting_term(b)]),
    }
}

/// All stories of a shape, in which blocks and unblocks are told.
fn stories(shape: &Waiting) -> Vec<Vec<char>> {
    fn merged(a: &[char], b: &[char]) -> Vec<Vec<char>> {
        let Some((first, rest)) = a.split_first() else { return vec![b.to_vec()] };
        let Some((other, others)) = b.split_first() else { return vec![a.to_vec()] };
        let before = |c: char, stories: Vec<Vec<char>>| {
            stories.into_iter().map(move |story| [vec![c], story].concat())
        };
        before(*first, merged(rest, b)).chain(before(*other, merged(a, others))).collect()
    }
    let pairs = |a: &Waiting, b: &Waiting, join: fn(&[char], &[char]) -> Vec<Vec<char>>| {
        let (a, b) = (stories(a), stories(b));
        a.iter().flat_map(|a| b.iter().flat_map(move |b| join(a, b))).collect()
    };
    match shape {
        Waiting::Letter(is_b) => vec![vec![if *is_b { 'b' } else { 'a' }]],
        Waiting::Block => vec![vec!['-']],
        Waiting::Unblock => vec![vec!['+']],
        Waiting::Seq(a, b) => pairs(a, b, |a, b| vec![[a, b].concat()]),
        Waiting::Par(a, b) => pairs(a, b, merged),
    }
}

/// Whether nothing passes before it is unblocked.
fn is_possible(story: &[char]) -> bool {
    let mut passes = 0;
    story.iter().all(|c| {
        passes += i32::from(*c == '+') - i32::from(*c == '-');
        passes >= 0
    })
}

#[test]
fn what_is_blocked_waits_as_brute_force_says() {
    let all = |case: &mut Case| {
        let leaves = case.int(1..=4);
        (waiting(case, leaves), case.vec(0..=3, Case::flag))
    };
    let (mut yes, mut no) = (0, 0);
    let verdict = seeded(0).exhaustive().verdict_with(all, |(shape, word)| {
        let word_of = |story: &Vec<char>| -> Vec<bool> {
            story.iter().filter(|c| c.is_alphabetic()).map(|c| *c == 'b').collect()
        };
        let expected =
            stories(&shape).iter().filter(|story| is_possible(story)).any(|story| word_of(story) == word);
        *if expected { &mut yes } else { &mut no } += 1;
        assert_eq!(judged(waiting_term(&shape), &word).is_ok(), expected, "{shape:?} with {word:?}");
    });
    assert!(proved(&verdict) > 100_000, "{verdict}");
    assert!(yes > 1_000 && no > 1_000, "{yes} words of their terms, {no} not");
    let endless = judged(seq([repeat(unblock("x")), letter(false)]), &[false]).unwrap_err();
    assert_contains(&endless, "too many ways to take the calls of the test");
    let stuck = judged(par([seq([block("x"), letter(true)]), letter(false)]), &[false]).unwrap_err();
    assert_contains(&stuck, "missing call: it returned, but somebody to let x pass was expected");
}

#[test]
fn what_is_wrong_with_calls_is_said() {
    let both = || seq([letter(false), letter(true)]);
    let says = |term: Term<()>, word: &[bool], text: &str| {
        let message = judged(term, word).unwrap_err();
        assert_contains(&message, text);
    };
    says(
        both(),
        &[true],
        "the test is expected to call a(), b()\n  expected    actual\n  a()       ✗ b()\nunexpected call b(), expected a()",
    );
    says(
        both(),
        &[false],
        "  expected    actual\n  a()       ✓ a()\n  b()       ✗ nothing\nmissing call: it returned, but b() was expected",
    );
    says(both(), &[false, true, true], "unexpected call b(), expected no more calls");
    says(fail("not like this"), &[], "missing call: it returned, but fail: not like this was expected");
    let ambiguous = || choice([letter(false), call(A).returns(8).into()]);
    says(ambiguous(), &[false], "the specification is ambiguous: a() is answered 7 by a(), and 8 by a()");
    says(call(A).into(), &[false], "nobody says what a() returns: add `.returns(…)` to the call-out");
}

#[test]
fn tags_and_assertions_follow_what_was_called() {
    let term = || -> Term<()> {
        tagged("way", [("short", letter(false)), ("long", seq([letter(true), letter(true)]))])
            .then(assert(|captured| captured.tag("way") == Some("long"), "the short way is closed"))
    };
    assert!(judged(term(), &[true, true]).is_ok());
    assert_contains(&judged(term(), &[false]).unwrap_err(), "fail: the short way is closed");
}

#[test]
fn what_is_allowed_may_come_in_any_order() {
    let allowed =
        || [call(A).returns(1).then(call(B).returns(2)), when(|_| true, call(A).given(()).returns(1))];
    let calls = || {
        let mocks = Mocks::current();
        let none = || None;
        [mocks.call(B, (), none).0, mocks.call(A, (), none).0, mocks.call(B, (), none).0]
    };
    assert_eq!(expect(allow(allowed(), none()), calls), [2, 1, 2]);
}

#[test]
fn what_was_taken_is_what_was_expected() {
    let silent = catch_unwind(|| expect(call(A), || Mocks::current().call(A, (), || None).0));
    let message = *silent.unwrap_err().downcast::<String>().unwrap();
    assert_contains(&message, "  a()       ✗ a()\n");
}

#[test]
fn self_calls_that_branch_for_ever_come_to_an_end() {
    fn branch() -> Term<()> {
        self_call("branch", |_| optional(branch()).then(optional(branch())), |()| {})
    }
    let endless = catch_unwind(|| expect(branch(), || Mocks::current().call(A, (), || None).0));
    assert!(endless.is_err());
}
