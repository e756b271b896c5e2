//! Call-outs: mocks of traits, models with call-outs.

use crate::support::{assert_contains, proved, seeded};
use crate::terms::{A, letter};
use gainsay::callout::{
    Method, Term, call, choice, none, par, permutation, repeat, replicate, self_call, seq, tagged, when,
};
use gainsay::mock::{Mocks, expect};
use gainsay::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

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
fn calls_that_nobody_can_judge_say_so() {
    // In no test.
    let stray = catch_unwind(|| MockStore::new().open("x")).unwrap_err();
    // (In words that people see, since nobody else tells them.)
    assert_contains(
        stray.downcast_ref::<String>().unwrap(),
        "Store::open(\"x\") was called on a mock that belongs to no test",
    );
    // After its test.
    let mut kept = expect(none(), MockStore::new);
    let late = catch_unwind(AssertUnwindSafe(|| kept.open("x"))).unwrap_err();
    assert_contains(
        late.downcast_ref::<String>().unwrap(),
        "Store::open(\"x\") was called after its test has ended",
    );
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
    let notes: Vec<&str> = counterexample.notes.iter().map(|note| note.value.as_str()).collect();
    assert_eq!(notes, ["save(0) [Store::write(1, [0]) → false] → true"], "{verdict}");
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
        assert_eq!(counterexample.notes[0].value, "op(0) [Net::get(0) → 77] → false");
        assert_eq!(counterexample.record.choices.last().map(|choice| choice.value), Some(77), "{verdict}");
    }
    assert!(!thick.settings(seeded(9)).verdict().is_good());
}

#[gainsay::mock]
trait Source {
    fn read(&self, into: &mut u8) -> bool;
    fn fill(&self, into: &mut [u8]);
    fn name_it(&self, message: &'static str);
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

    fn name_it(&self, message: &'static str) {
        let _ = catch_unwind(|| panic!("harmless"));
        std::panic::resume_unwind(Box::new(message))
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
    let panicking = |message: &'static str| {
        let mut into = 200;
        expect(call(MockSource::READ).panics(message), || {
            let _ = catch_unwind(AssertUnwindSafe(|| SpySource::new(RealSource).read(&mut into)));
        });
    };
    panicking("no such place");
    assert_contains(
        &message_of(|| panicking("full")),
        "such place\" where it panics: full by the specification",
    );
    // The panic that counts is the one that comes out.
    let resumed = |message: &'static str| {
        expect(call(MockSource::NAME_IT).panics("full"), move || {
            let spy = SpySource::new(RealSource);
            let _ = catch_unwind(AssertUnwindSafe(|| spy.name_it(message)));
        });
    };
    resumed("full");
    assert_contains(&message_of(|| resumed("empty")), "panicked with \"empty\"");
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
#[expect(dead_code, reason = "that it compiles is what is tested")]
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
fn numbers_that_are_not_equal_to_themselves_can_be_expected() {
    const MEASURE: Method<(f64,), f64> = Method::new("measure");
    let nan = call(MEASURE).given((f64::NAN,)).returns(1.0).or(call(MEASURE).given((0.0,)).returns(2.0));
    assert!(expect(nan, || Mocks::current().call(MEASURE, (f64::NAN,), || None).0) > 0.5);
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
fn an_answer_that_calls_a_mock_while_the_thread_unwinds_holds_nobody_up() {
    struct Cools(MockOven);
    impl Drop for Cools {
        fn drop(&mut self) {
            let _ = self.0.cool(3);
        }
    }
    let (told, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let ended = std::panic::catch_unwind(|| {
            let term = call(MockOven::BAKE)
                .given((1,))
                .returns(1)
                .then(call(MockOven::COOL).replies(|_| MockOven::new().bake(2)));
            expect(term, || {
                let cools = Cools(MockOven::new());
                cools.0.bake(9)
            })
        });
        told.send(ended.is_err())
    });
    assert_eq!(heard.recv_timeout(std::time::Duration::from_secs(60)), Ok(true));
}

#[gainsay::mock]
trait Oven {
    fn bake(&self, degrees: u8) -> u8;
    fn cool(&self, degrees: u8) -> u8;
}
