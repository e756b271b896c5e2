//! Call-outs: the judge of residuals against brute force, mocks of traits, models with call-outs.

use crate::support::{assert_contains, proved, seeded};
use gainsay::callout::{
    Method, Term, allow, assert, block, call, choice, fail, none, optional, par, permutation, repeat,
    replicate, self_call, seq, tagged, unblock, when,
};
use gainsay::mock::{Mocks, expect};
use gainsay::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const A: Method<(), u8> = Method::new("a");
const B: Method<(), u8> = Method::new("b");

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

fn letter(is_b: bool) -> Term<()> {
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

#[gainsay::mock]
trait Store {
    fn open(&mut self, name: &str) -> u32;
    fn write(&mut self, file: u32, text: &[u8]) -> bool;
    fn read(&self, file: u32, into: &mut Vec<u8>) -> usize;
    fn close(self, file: u32);
    fn is_open(&self) -> bool {
        true
    }
}

#[gainsay::mock]
trait Lookup<K, V> {
    async fn get(&self, key: &K) -> Option<V>;
}

#[test]
fn traits_are_mocked_with_arguments_outs_and_captures() {
    let expected = || -> Term<()> {
        seq([
            call(MockStore::OPEN).given(("notes".into(),)).returns(7).capture_answer("file").into(),
            call(MockStore::WRITE)
                .with_captured(|(file, _), captured| captured.get("file") == Some(file))
                .capture("length", |(_, text)| text.len())
                .returns(true)
                .into(),
            when(
                |captured| captured.get("length") == Some(&2usize),
                call(MockStore::READ).replies(|(_, into)| {
                    into.extend(b"hi");
                    2
                }),
            ),
            call(MockStore::CLOSE).into(),
        ])
    };
    let session = |file_off: u32, text: &[u8], reads: bool| {
        expect(expected(), || {
            let mut store = MockStore::new();
            assert!(store.is_open());
            let file = store.open("notes");
            assert!(store.write(file + file_off, text));
            let mut into = vec![0];
            if reads {
                assert_eq!((store.read(file, &mut into), into.as_slice()), (2, &b"\0hi"[..]));
            }
            store.close(file);
        });
    };
    session(0, b"hi", true);
    session(0, b"hello", false);
    let wrong = |file_off, text: &'static [u8], reads| {
        let ran = catch_unwind(AssertUnwindSafe(|| session(file_off, text, reads)));
        ran.unwrap_err().downcast_ref::<String>().cloned().unwrap_or_default()
    };
    assert_contains(
        &wrong(1, b"hi", true),
        "unexpected call Store::write(8, [104, 105]), expected Store::write(_)",
    );
    assert_contains(&wrong(0, b"hi", false), "unexpected call Store::close(7), expected Store::read(_)");
    assert_contains(
        &wrong(0, b"hello", true),
        "unexpected call Store::read(7, [0]), expected Store::close(_)",
    );
}

#[test]
fn asynchronous_and_generic_traits_are_mocked() {
    let term = call(MockLookup::<u8, String>::GET).given((3,)).returns(Some("three".into()));
    let found = expect(term, || {
        let lookup = MockLookup::<u8, String>::new();
        let mut future = std::pin::pin!(lookup.get(&3));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(found) => found,
            std::task::Poll::Pending => panic!("a mock answers at once"),
        }
    });
    assert_eq!(found.as_deref(), Some("three"));
}

#[test]
fn stubs_are_not_judged_and_spies_are() {
    let mut calls = 0;
    expect(none(), || {
        let mut store = MockStore::new().stub(MockStore::OPEN, |(name,)| name.len() as u32);
        calls += store.open("four");
    });
    assert_eq!(calls, 4);
    struct Real;
    impl Store for Real {
        fn open(&mut self, name: &str) -> u32 {
            name.len() as u32
        }
        fn write(&mut self, _: u32, _: &[u8]) -> bool {
            false
        }
        fn read(&self, _: u32, _: &mut Vec<u8>) -> usize {
            0
        }
        fn close(self, _: u32) {}
    }
    let spied = |expected: u32| {
        catch_unwind(|| {
            expect(call(MockStore::OPEN).returns(expected), || {
                SpyStore::new(Real).open("four");
            });
        })
    };
    assert!(spied(4).is_ok());
    let message = spied(5).unwrap_err().downcast_ref::<String>().cloned().unwrap_or_default();
    assert_contains(&message, "the real Store::open returned 4 where 5 is expected");
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
fn calls_that_nobody_can_judge_say_so() {
    // In no test.
    let stray = catch_unwind(|| MockStore::new().open("x")).unwrap_err();
    let message = stray.downcast_ref::<gainsay::Failure>().map(|failure| failure.message.clone());
    assert_contains(&message.unwrap(), "Store::open(\"x\") was called on a mock that belongs to no test");
    // After its test.
    let mut kept = expect(none(), MockStore::new);
    let late = catch_unwind(AssertUnwindSafe(|| kept.open("x"))).unwrap_err();
    let message = late.downcast_ref::<gainsay::Failure>().map(|failure| failure.message.clone());
    assert_contains(&message.unwrap(), "Store::open(\"x\") was called after its test has ended");
    // From another thread, which keeps it to itself.
    let elsewhere = catch_unwind(|| {
        expect(call(MockStore::OPEN).returns(1), || {
            let mut store = MockStore::new();
            let _ = std::thread::spawn(move || store.open("x")).join();
        });
    });
    let message = elsewhere.unwrap_err().downcast_ref::<String>().cloned().unwrap_or_default();
    assert_contains(&message, "Store::open(\"x\") was called from another thread than that of its test");
}

#[test]
fn a_mock_that_is_called_while_its_thread_unwinds_does_not_panic() {
    struct Closes(Option<MockStore>);
    impl Drop for Closes {
        fn drop(&mut self) {
            if let Some(store) = &mut self.0 {
                store.write(0, b"bye");
            }
        }
    }
    let ran = catch_unwind(|| {
        expect(call(MockStore::OPEN).returns(1), || {
            let mut closes = Closes(Some(MockStore::new()));
            if let Some(store) = &mut closes.0 {
                store.open("x");
            }
            panic!("by itself");
        });
    });
    let message = ran.unwrap_err().downcast_ref::<String>().cloned().unwrap_or_default();
    assert_contains(&message, "unexpected call Store::write(0, [98, 121, 101]), expected no more calls");
}

#[test]
fn answers_are_drawn_and_shrink_with_their_commands() {
    let device = |checks: bool| {
        gainsay::model(|| 0u32, MockStore::new)
            .operation(
                "save",
                |_, case| case.any::<u8>(),
                move |store, item| {
                    let written = store.write(1, &[*item]);
                    written || !checks
                },
                |save| {
                    save.calls(|_, item| {
                        let item = *item;
                        call(MockStore::WRITE)
                            .with(move |(_, text)| *text == [item])
                            // One write in four fails.
                            .draws(|case| case.flag_weighted(3, 1))
                            .capture_answer("written")
                    })
                    .returns_captured(|_, _, captured| captured.get("written").copied().unwrap_or_default())
                    .observe_calls(|state, _, captured| {
                        *state += u32::from(captured.get("written") == Some(&true))
                    })
                },
            )
            .settings(seeded(0))
    };
    assert!(device(true).verdict().is_good());
    let verdict = device(false).verdict();
    let counterexample = crate::support::found(&verdict);
    assert_contains(&counterexample.message, "save(0) returned true in state 0; expected false");
    assert_eq!(counterexample.notes.len(), 1, "{verdict}");
}

#[test]
fn models_with_calls_are_refused_where_mocks_cannot_answer() {
    let model = gainsay::model(|| (), || std::sync::Arc::new(())).operation(
        "call",
        |_, _| (),
        |_, ()| (),
        |op| op.calls(|_, ()| none()),
    );
    let error = model.report_parallel(&gainsay::Parallel::default()).unwrap_err().to_string();
    assert_contains(&error, "`call` of the model");
    assert_contains(&error, "parallel runs need a model without `calls`");
}

#[test]
fn another_operation_is_called_with_what_it_changes() {
    use gainsay::callout::self_call;
    let twice = |declared: bool| {
        gainsay::model(|| 0u32, MockStore::new)
            .operation(
                "twice",
                |_, _| (),
                |store, ()| store.open("a") + store.open("a"),
                move |twice| {
                    let once = || {
                        self_call(
                            "once",
                            |state: &u32| call(MockStore::OPEN).returns(*state),
                            |state| *state += 1,
                        )
                    };
                    let twice =
                        twice.calls(move |_, ()| seq([once(), once()])).returns(|state, ()| 2 * state + 1);
                    if declared { twice.self_calls() } else { twice }
                },
            )
            .settings(seeded(0).cases(50))
    };
    assert!(twice(true).verdict().is_good());
    let undeclared = twice(false).verdict();
    assert_contains(&crate::support::found(&undeclared).message, "say `.self_calls()` after `.calls(…)`");
}

#[test]
fn a_wrong_call_is_the_same_failure_whatever_the_arguments() {
    let device = |wrong: bool| {
        gainsay::model(|| (), MockStore::new)
            .operation(
                "save",
                |_, case| case.int(0..=200u8),
                move |store, item| store.write(1, &[if wrong && *item >= 70 { 0 } else { *item }]),
                |save| save.calls(|_, item| call(MockStore::WRITE).given((1, vec![*item])).returns(true)),
            )
            .operation(
                "peek",
                |_, case| case.int(0..=200u8),
                move |store, item| if wrong && *item >= 90 { store.open("x") } else { 0 },
                |peek| peek,
            )
            .settings(seeded(0))
    };
    assert!(device(false).verdict().is_good());
    let verdict = device(true).verdict();
    let Verdict::Falsified(falsified) = &verdict else { panic!("{verdict}") };
    let first = &falsified.counterexample;
    let messages: Vec<&str> =
        [first].into_iter().chain(&falsified.others).map(|other| other.message.as_str()).collect();
    let all = messages.join("\n");
    assert!(
        all.contains("unexpected call Store::write(1, [0]), expected Store::write(1, [70])")
            || all.contains("by peek(90)"),
        "{all}"
    );
    assert!(!first.kind.0.contains("70") && !first.kind.0.contains("90"), "{}", first.kind);
}

#[test]
fn too_many_ways_decide_nothing() {
    // Each of so many calls may have been any of the others.
    let many = |count: usize| par((0..count).map(|_| letter(false)));
    let model = |count: usize| {
        gainsay::model(|| (), Mocks::current)
            .operation(
                "all",
                |_, _| (),
                move |mocks, ()| {
                    (0..count).for_each(|_| {
                        mocks.call(A, (), || None);
                    })
                },
                move |op| {
                    op.calls(move |_, ()| {
                        let _: &() = &();
                        many(count)
                    })
                },
            )
            .len(1..=1)
            .settings(seeded(0).cases(2))
    };
    assert!(model(4).verdict().is_good());
    let report = model(18).report().expect("it makes sense");
    assert!(!matches!(report.verdict, Verdict::Falsified(_)), "{report}");
    assert!(
        report.remarks.iter().any(|remark| remark.contains("too many ways to take the calls of all()")),
        "{report}"
    );
}

#[gainsay::mock]
trait Reader {
    fn close(&self);
}

#[gainsay::mock]
trait Writer {
    fn close(&self);
}

#[test]
fn methods_of_the_same_name_are_told_apart() {
    let both = || call(MockReader::CLOSE).then(call(MockWriter::CLOSE));
    expect(both(), || {
        MockReader::new().close();
        MockWriter::new().close();
    });
    let wrong = catch_unwind(|| expect(both(), || MockWriter::new().close())).unwrap_err();
    let message = wrong.downcast_ref::<String>().unwrap();
    assert_contains(message, "unexpected call Writer::close(), expected Reader::close()");
}

#[test]
fn a_hundred_thousand_calls_are_no_trouble() {
    let mut count = 0;
    expect(repeat(call(MockReader::CLOSE)), || {
        let reader = MockReader::new();
        (0..100_000).for_each(|_| reader.close());
        count = 100_000;
    });
    assert_eq!(count, 100_000);
}

#[test]
fn a_stub_may_call_its_own_mock() {
    expect(call(MockStore::WRITE).returns(true), || {
        let store = MockStore::new();
        let again = store.clone();
        let mut store = store.stub(MockStore::OPEN, move |(name,)| {
            again.clone().write(0, name.as_bytes());
            3
        });
        assert_eq!(store.open("x"), 3);
    });
}

#[gainsay::mock]
trait Net {
    fn get(&self, at: u8) -> u8;
    fn log(&self);
}

#[test]
fn drawn_answers_are_part_of_what_is_enumerated_and_shrunk() {
    let model = |wrong_from: u8| {
        gainsay::model(|| (), MockNet::new).operation(
            "op",
            |_, _| (),
            move |net, ()| net.get(0) < wrong_from,
            |op| op.calls(|_, ()| call(MockNet::GET).draws(|case| case.int(0..=3u8))).returns(|_, ()| true),
        )
    };
    assert!(!model(3).settings(seeded(0)).verdict_exhaustive(2, 2).is_good());
    assert!(!model(3).len(1..=1).settings(seeded(0)).verdict().is_good());
    let verdict = model(4).settings(seeded(0)).verdict_exhaustive(2, 2);
    // One command with four answers, or two with sixteen.
    assert_eq!(proved(&verdict), 20, "{verdict}");
    let thick = gainsay::model(|| (), MockNet::new).operation(
        "op",
        |_, case| case.any::<u8>(),
        |net, at| net.get(*at) < 77,
        |op| op.calls(|_, at| call(MockNet::GET).given((*at,)).draws(Case::any::<u8>)).returns(|_, _| true),
    );
    for seed in 0..5 {
        let verdict = gainsay::model(|| (), MockNet::new)
            .operation(
                "op",
                |_, case| case.any::<u8>(),
                |net, at| net.get(*at) < 77,
                |op| {
                    op.calls(|_, at| call(MockNet::GET).given((*at,)).draws(Case::any::<u8>))
                        .returns(|_, _| true)
                },
            )
            .settings(seeded(seed))
            .verdict();
        let counterexample = crate::support::found(&verdict);
        assert_eq!(counterexample.notes.len(), 1, "{verdict}");
        assert_eq!(counterexample.notes[0].value, "op(0) → false");
        assert_eq!(counterexample.record.choices.last().map(|choice| choice.value), Some(77), "{verdict}");
    }
    assert!(!thick.settings(seeded(9)).verdict().is_good());
}

#[gainsay::mock]
trait Source {
    fn read(&self, into: &mut u8) -> bool;
    fn fill(&self, into: &mut [u8]);
    fn name(&self) -> String {
        "by default".into()
    }
}

struct RealSource;

impl Source for RealSource {
    fn read(&self, into: &mut u8) -> bool {
        assert!(*into < 200, "there is no such place");
        *into = 99;
        true
    }

    fn fill(&self, into: &mut [u8]) {
        into.fill(1);
    }

    fn name(&self) -> String {
        "the real one".into()
    }
}

fn message_of(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it goes wrong");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn spies_judge_what_the_real_one_does_to_its_arguments_and_when_it_panics() {
    let read = |expected: u8, place: u8| {
        let term = call(MockSource::READ).replies(move |(into,)| {
            *into = expected;
            true
        });
        expect(term, || {
            let mut into = place;
            let _ = catch_unwind(AssertUnwindSafe(|| SpySource::new(RealSource).read(&mut into)));
        });
    };
    read(99, 0);
    assert_contains(&message_of(|| read(5, 0)), "returned true with (99,) where true with (5,) is expected");
    assert_contains(
        &message_of(|| read(99, 200)),
        "the real Source::read panicked where true with (99,) is expected",
    );
    expect(none::<()>(), || assert_eq!(SpySource::new(RealSource).name(), "the real one"));
    let short = || call(MockSource::FILL).replies(|(into,)| into.truncate(1));
    let message = message_of(|| expect(short(), || MockSource::new().fill(&mut [0, 0])));
    assert_contains(&message, "fill lends 2 elements, but its answer in the specification gives 1 back");
}

#[gainsay::mock]
trait Shelf<A> {
    fn get(&self) -> A;
    fn put(&self, item: A);
}

mod elsewhere {
    #[gainsay::mock]
    pub(super) trait Net {
        fn log(&self);
    }
}

#[test]
fn methods_are_told_apart_by_their_types_and_modules() {
    let both = || {
        par([
            call(MockShelf::<u8>::GET).returns(1).into(),
            call(MockShelf::<String>::GET).returns("x".into()).into(),
        ])
    };
    expect(both(), || {
        assert_eq!(MockShelf::<String>::new().get(), "x");
        assert_eq!(MockShelf::<u8>::new().get(), 1);
    });
    let put = || call(MockShelf::<String>::PUT);
    assert_contains(
        &message_of(|| expect(put(), || MockShelf::<u8>::new().put(1))),
        "unexpected call Shelf::put(1)",
    );
    let log = || call(MockNet::LOG);
    let message = message_of(|| expect(log(), || elsewhere::Net::log(&elsewhere::MockNet::new())));
    assert_contains(&message, "unexpected call Net::log()");
    expect(log(), || MockNet::new().log());
}

#[test]
fn equal_answers_are_no_ambiguity_and_drawn_ones_are_drawn_once() {
    let ways = || {
        let plain = call(MockNet::GET).given((5,)).returns(1).then(call(MockNet::LOG));
        let computed = call(MockNet::GET).given((5,)).replies(|_| 1);
        choice([plain, computed.into()])
    };
    expect(ways(), || {
        MockNet::new().get(5);
    });
    let drawn = |log: bool| {
        gainsay::model(|| (), MockNet::new)
            .operation(
                "op",
                |_, _| (),
                move |net, ()| {
                    net.get(0);
                    if log {
                        net.log();
                    }
                },
                |op| {
                    op.calls(|_, ()| {
                        let get = || call(MockNet::GET).draws(|case| case.int(0..=9u8));
                        choice([get().into(), get().then(call(MockNet::LOG))])
                    })
                },
            )
            .settings(seeded(0))
    };
    assert!(drawn(true).verdict().is_good());
    assert!(drawn(false).verdict().is_good());
}

#[test]
fn captures_that_depend_on_the_derivation_are_ambiguous_where_they_matter() {
    let model = |used: bool| {
        gainsay::model(|| (), MockNet::new)
            .operation(
                "op",
                |_, _| (),
                |net, ()| {
                    net.get(1);
                    net.get(2)
                },
                move |op| {
                    let op = op.calls(|_, ()| {
                        let get = || call(MockNet::GET).returns(7);
                        par([get().capture("x", |(at,)| *at).into(), get().into()])
                    });
                    if used { op.returns_captured(|_, (), captured| *captured.get("x").unwrap()) } else { op }
                },
            )
            .settings(seeded(0))
            .verdict()
    };
    assert_contains(&crate::support::found(&model(true)).message, "the specification is ambiguous");
    assert!(model(false).is_good());
}

#[gainsay::mock]
trait Lock {
    fn unlock(&self) -> Result<u8, std::num::ParseIntError>;
    fn key(&self) -> std::num::NonZero<u8>;
    fn note(&self, number: u32);
}

/// What unlocks when it is dropped.
struct Guard(MockLock);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.unlock();
        self.0.key();
    }
}

#[test]
fn guards_that_are_dropped_while_unwinding_are_answered() {
    let one = std::num::NonZero::new(1).unwrap();
    let message = message_of(|| {
        let term = seq([call(MockLock::NOTE).given((5,)).into(), call(MockLock::KEY).returns(one).into()]);
        expect(term, || {
            let guard = Guard(MockLock::new());
            guard.0.note(1);
        });
    });
    assert_contains(&message, "unexpected call Lock::note(1), expected Lock::note(5)");
}

/// What says goodbye.
struct Polite(MockNet);

impl Drop for Polite {
    fn drop(&mut self) {
        self.0.log();
    }
}

#[test]
fn calls_of_a_real_thing_that_is_dropped_are_told_unless_something_else_is_wrong() {
    let model = |right: u8| {
        gainsay::model(|| (), || Polite(MockNet::new()))
            .operation(
                "get",
                |_, _| (),
                |polite, ()| polite.0.get(0),
                move |get| get.calls(|_, ()| call(MockNet::GET).returns(1)).returns(move |_, ()| right),
            )
            .settings(seeded(0))
            .verdict()
    };
    let dropped = crate::support::found(&model(1)).message.clone();
    assert_contains(&dropped, "Net::log() was called outside of an operation");
    assert_contains(&crate::support::found(&model(2)).message, "get() returned 1 in state (); expected 2");
    let quiet = gainsay::model(|| (), || Polite(MockNet::new().stub(MockNet::LOG, |_| ()))).operation(
        "none",
        |_, _| (),
        |_, ()| (),
        |none| none.calls(|_, ()| repeat(call(MockNet::LOG))),
    );
    assert!(quiet.settings(seeded(0)).verdict().is_good());
}

#[test]
fn long_and_strange_terms_are_borne() {
    fn endless() -> Term<()> {
        self_call("again", |(): &()| endless(), |()| ())
    }
    let message = message_of(|| expect(endless(), || MockNet::new().log()));
    assert_contains(&message, "unexpected call Net::log(), expected fail: again goes on calling itself");
    let long = (0..5000).fold(none(), |term: Term<()>, _| term.then(call(MockNet::LOG)));
    let calls = |count: usize| (0..count).for_each(|_| MockNet::new().log());
    expect(long, || calls(5000));
    expect(replicate(call(MockNet::LOG)), || calls(20_000));
    let silent = seq((0..22).map(|_| tagged("t", [("a", none()), ("b", none())])));
    expect(silent, || ());
}

#[test]
fn a_stub_that_panics_is_still_there() {
    expect(none::<()>(), || {
        let net = MockNet::new().stub(MockNet::GET, |(at,)| {
            assert!(*at > 0, "not there");
            *at
        });
        assert!(catch_unwind(AssertUnwindSafe(|| net.get(0))).is_err());
        assert_eq!(net.get(3), 3);
    });
}

#[test]
fn other_operations_that_call_nothing_may_come_first() {
    let model = |in_any_order: fn([Term<u8>; 2]) -> Term<u8>, at: u8| {
        gainsay::model(|| 0_u8, MockNet::new)
            .operation(
                "op",
                |_, _| (),
                move |net, ()| {
                    net.get(at);
                },
                move |op| {
                    op.calls(move |_, ()| {
                        let set = self_call("set", |_: &u8| none(), |state: &mut u8| *state = 1);
                        let send = self_call(
                            "send",
                            |state: &u8| call(MockNet::GET).given((*state,)).returns(0),
                            |_| (),
                        );
                        in_any_order([set, send])
                    })
                    .self_calls()
                },
            )
            .len(1..=1)
            .settings(seeded(0))
            .verdict()
    };
    for in_any_order in [permutation, par, |[set, send]: [Term<u8>; 2]| par([send, set])] {
        assert!(model(in_any_order, 1).is_good());
        assert!(model(in_any_order, 0).is_good());
        assert!(!model(in_any_order, 2).is_good());
    }
    assert!(!model(seq, 0).is_good());
}

trait Named {
    fn name(&self) -> &'static str;
}

/// With a path, a supertrait, and something static.
#[gainsay::mock]
#[allow(dead_code, reason = "that it compiles is what is tested")]
trait Files: Named + Send {
    #[deprecated]
    fn old(&self);
    #[must_use]
    fn count(&self) -> u8;
    #[cfg(any())]
    fn gone(&self, nobody: Nobody);
    fn twice(self) -> Self
    where
        Self: Sized,
    {
        self
    }
    fn size<T, const N: usize>(&self) -> usize {
        N * size_of::<T>()
    }
    fn load(&self, path: &Path, mode: &'static str) -> Option<Vec<u8>>;
}

impl Named for MockFiles {
    fn name(&self) -> &'static str {
        "mocked"
    }
}

#[test]
fn paths_are_noted_and_supertraits_are_given() {
    let loaded = call(MockFiles::LOAD).given((PathBuf::from("/a"), "r")).returns(Some(vec![1]));
    let read = expect(loaded, || {
        let files = MockFiles::new();
        (files.name(), files.load(Path::new("/a"), "r"))
    });
    assert_eq!(read, ("mocked", Some(vec![1])));
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
fn numbers_that_are_not_equal_to_themselves_can_be_expected() {
    const MEASURE: Method<(f64,), f64> = Method::new("measure");
    let nan = call(MEASURE).given((f64::NAN,)).returns(1.0).or(call(MEASURE).given((0.0,)).returns(2.0));
    assert!(expect(nan, || Mocks::current().call(MEASURE, (f64::NAN,), || None).0) > 0.5);
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

#[test]
fn mocks_never_panic_twice() {
    #[gainsay::mock]
    trait Guarded {
        fn fill(&self, all: &mut [u8]);
        fn count(&self) -> u8;
    }
    struct Guard(MockGuarded);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.fill(&mut [1, 2]);
            assert_eq!(self.0.count(), 0);
        }
    }
    let calls = call(MockGuarded::FILL).replies(|(all,)| all.clear());
    let ended = catch_unwind(AssertUnwindSafe(|| {
        expect(calls, || {
            let _guard = Guard(MockGuarded::new().stub(MockGuarded::COUNT, |_| panic!("a second time")));
            panic!("the first time")
        })
    }));
    assert!(ended.is_err());
}
