//! Sequential tests of models: planted bugs are found and shrunk to the least, and their correct twins pass.

use crate::support::{Folder, assert_contains, found, gave_up, proved, seeded};
use gainsay::{Model, Scenario, Settings, Var, Verdict, model};
use std::collections::{BTreeMap, VecDeque};

const CAPACITY: usize = 8;

/// A queue that holds at most `limit`, and forgets its order when it has been full.
#[derive(Debug)]
struct Queue {
    items: VecDeque<u32>,
    limit: usize,
}

impl Queue {
    fn push(&mut self, item: u32) -> bool {
        let room = self.items.len() < self.limit;
        if room {
            self.items.push_back(item);
        }
        room
    }

    fn pop(&mut self) -> Option<u32> {
        self.items.pop_front()
    }
}

fn queue(limit: usize) -> Model<VecDeque<u32>, Queue> {
    model(VecDeque::<u32>::new, move || Queue { items: VecDeque::new(), limit })
        .operation(
            "push",
            |_, case| case.any::<u32>(),
            |queue, item| queue.push(*item),
            |push| {
                push.returns(|state, _| state.len() < CAPACITY).next(|state, item| {
                    if state.len() < CAPACITY {
                        state.push_back(*item);
                    }
                })
            },
        )
        .operation(
            "pop",
            |_, _| (),
            |queue, ()| queue.pop(),
            |pop| {
                pop.returns(|state, ()| state.front().copied()).next(|state, ()| {
                    state.pop_front();
                })
            },
        )
        .invariant("as long as the model", |state, queue| state.len() == queue.items.len())
}

fn told(verdict: &Verdict) -> Vec<String> {
    found(verdict).notes.iter().map(|note| note.value.clone()).collect()
}

fn of(settings: Settings, model: Model<VecDeque<u32>, Queue>) -> Verdict {
    model.settings(settings).verdict()
}

#[test]
fn a_queue_that_is_too_short_is_filled() {
    for seed in 0..10 {
        let verdict = of(seeded(seed), queue(CAPACITY - 1));
        let mut expected = vec!["push(0) → true".to_string(); CAPACITY - 1];
        expected.push("push(0) → false".into());
        assert_eq!(told(&verdict), expected, "{verdict}");
    }
    let verdict = of(seeded(1), queue(CAPACITY));
    assert!(matches!(verdict, Verdict::Passed(_)), "{verdict}");
}

#[test]
fn all_short_sequences_prove_it_up_to_their_length() {
    let report = queue(CAPACITY).settings(seeded(0)).report_exhaustive(4, 2).unwrap();
    // 1 + 3 commands: pop, push(0), push(1), push(2).
    assert_eq!(proved(&report.verdict), 4 + 16 + 64 + 256);
    let shown = report.verdict.to_string();
    assert_contains(&shown, "proved up to 4 commands: all 340 cases");
    assert_contains(
        &shown,
        "assuming arguments up to size 2; a deterministic implementation; that every test begins anew",
    );
    // Lists of at most four of three items.
    assert_contains(&report.remarks.join("\n"), "the model was in 121 states");

    let verdict = queue(2).settings(seeded(0)).verdict_exhaustive(4, 1);
    assert_eq!(told(&verdict), ["push(0) → true", "push(0) → true", "push(0) → false"]);
}

/// A store of files, with handles.
#[derive(Debug, Default)]
struct Files {
    next: u32,
    open: BTreeMap<u32, Vec<u8>>,
    /// Closing a file closes the one opened after it as well.
    closes_two: bool,
}

#[derive(Debug)]
struct File(u32);

impl Files {
    fn open(&mut self) -> File {
        self.next += 1;
        self.open.insert(self.next, Vec::new());
        File(self.next)
    }

    fn write(&mut self, file: u32, byte: u8) -> Result<usize, String> {
        let bytes = self.open.get_mut(&file).ok_or("closed")?;
        bytes.push(byte);
        Ok(bytes.len())
    }

    fn close(&mut self, file: u32) {
        self.open.remove(&file);
        if self.closes_two {
            self.open.remove(&(file + 1));
        }
    }
}

fn files(closes_two: bool) -> Model<Vec<(Var<File>, usize)>, Files> {
    model(Vec::<(Var<File>, usize)>::new, move || Files { closes_two, ..Files::default() })
        .operation(
            "open",
            |_, _| (),
            |files, ()| files.open(),
            |open| open.next_with(|state, (), file| state.push((file, 0))),
        )
        .operation(
            "write",
            |state, case| (state[case.index(state.len())].0, case.any::<u8>()),
            |files, (file, byte)| {
                let file = file.of(files).0;
                files.write(file, *byte)
            },
            |write| {
                write
                    .when(|state| !state.is_empty())
                    .precondition(|state, (file, _)| state.iter().any(|(open, _)| open == file))
                    .returns(|state, (file, _)| {
                        Ok(1 + state.iter().find(|(open, _)| open == file).map_or(0, |(_, length)| *length))
                    })
                    .next(|state, (file, _)| {
                        state
                            .iter_mut()
                            .filter(|(open, _)| open == file)
                            .for_each(|(_, length)| *length += 1);
                    })
            },
        )
        .operation(
            "close",
            |state, case| state[case.index(state.len())].0,
            |files, file| {
                let file = file.of(files).0;
                files.close(file);
            },
            |close| {
                close
                    .when(|state| !state.is_empty())
                    .next(|state, file| state.retain(|(open, _)| open != file))
            },
        )
}

#[test]
fn handles_are_repaired_while_commands_are_dropped() {
    for seed in 0..10 {
        let verdict = files(true).settings(seeded(seed)).verdict();
        assert_eq!(
            told(&verdict),
            ["#1 = open() → File(1)", "#2 = open() → File(2)", "close(#1)", "write(#2, 0) → Err(\"closed\")"],
            "{verdict}"
        );
    }
    let verdict = files(false).settings(seeded(1)).verdict();
    assert!(matches!(verdict, Verdict::Passed(_)), "{verdict}");
}

#[test]
fn a_panic_of_the_real_thing_is_a_failure_with_its_story() {
    let fragile = |limit: i64| {
        model(|| 0i64, move || limit).operation(
            "add",
            |_, case| case.int(0..=10i64),
            |left, n| {
                **left -= n;
                assert!(**left >= 0, "no more than that");
            },
            |add| add.next(|state, n| *state += n),
        )
    };
    let verdict = fragile(25).settings(seeded(3)).verdict();
    let message = &found(&verdict).message;
    assert_contains(message, "no more than that");
    let last = told(&verdict).pop().unwrap();
    assert!(last.ends_with("panicked"), "{last}");
    assert!(fragile(i64::MAX).settings(seeded(3)).verdict().is_good());
}

#[test]
fn the_real_thing_is_tidied_up_however_a_test_ends() {
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    static MADE: AtomicU64 = AtomicU64::new(0);
    static ENDED: AtomicU64 = AtomicU64::new(0);
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let verdict = model(|| (), || MADE.fetch_add(1, SeqCst))
        .operation("boom", |_, case| case.any::<u8>(), |_, n| assert!(*n < 100), |boom| boom)
        .before_all(|| assert_eq!(RUNS.fetch_add(1, SeqCst), 0))
        .after_each(|(), _| {
            ENDED.fetch_add(1, SeqCst);
        })
        .after_all(|| assert_eq!(RUNS.fetch_add(1, SeqCst), 1))
        .settings(seeded(1))
        .verdict();
    assert_eq!(told(&verdict), ["boom(100) panicked"]);
    assert_eq!(MADE.load(SeqCst), ENDED.load(SeqCst));
    assert_eq!(RUNS.load(SeqCst), 2);
}

#[test]
fn a_model_may_learn_from_what_was_returned() {
    let tickets = |wraps: u32| {
        model(Vec::<u32>::new, || 0u32).operation(
            "ticket",
            |_, _| (),
            move |next, ()| {
                **next = (**next + 1) % wraps;
                **next
            },
            |ticket| {
                ticket
                    .ensures(|state, (), ticket| !state.contains(ticket))
                    .observe(|state, (), ticket| state.push(*ticket))
            },
        )
    };
    let verdict = tickets(3).settings(seeded(1)).verdict();
    assert_eq!(told(&verdict).len(), 4, "{verdict}");
    assert_contains(&found(&verdict).message, "its postcondition does not hold");
    assert!(tickets(u32::MAX).settings(seeded(1)).verdict().is_good());
    let error = tickets(3).report_exhaustive(2, 2).unwrap_err().to_string();
    assert_contains(&error, "is dynamic: `ticket` observes what it returns");
}

#[test]
fn a_scenario_is_allowed_or_not() {
    let queue = queue(CAPACITY);
    let pushed = || Scenario::new().call("push", 7u32, true);
    assert_eq!(queue.allows(pushed().call("pop", (), Some(7u32)).call("pop", (), None::<u32>)), Ok(()));
    let why = |scenario| queue.allows(scenario).unwrap_err().to_string();
    assert_eq!(
        why(pushed().call("pop", (), Some(8u32))),
        "call 2: pop() does not return Some(8) in state [7]"
    );
    assert_eq!(why(pushed().call("peek", (), 0u32)), "call 2: there is no operation `peek`, only push, pop");
    assert_contains(&why(pushed().call("push", 1u8, true)), "another type than those of `push`");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let none = model(|| 0, || ());
    assert_contains(&none.settings(seeded(0)).report().unwrap_err().to_string(), "has no operation");
    let twice = queue(1).operation("pop", |_, _| (), |_, ()| (), |pop| pop);
    assert_contains(
        &twice.settings(seeded(0)).report().unwrap_err().to_string(),
        "two operations called `pop`",
    );

    let never = || {
        model(|| 0u32, || ()).operation(
            "go",
            |_, case| case.any::<u8>(),
            |_, _| (),
            |go| go.precondition(|_, n| u32::from(*n) > 255),
        )
    };
    let mut settings = seeded(0);
    settings = settings.cases(100);
    let verdict = never().settings(settings).verdict();
    assert_contains(gave_up(&verdict), "the precondition of `go` never held");
    let report = never()
        .operation("stay", |_, _| (), |_, ()| (), |stay| stay)
        .operation("leave", |_, _| (), |_, ()| (), |leave| leave.when(|state| *state > 3))
        .settings(seeded(0))
        .report()
        .unwrap();
    let told = report.verdict.to_string();
    assert_contains(&told, "never met the operation `go` (its precondition held for none of");
    assert_contains(&told, "nor the operation `leave` (no state that was reached allows it");
    assert!(!report.verdict.is_good());
}

#[test]
fn requirements_are_counted() {
    let tagged = |never: bool| {
        model(|| 0u32, || ())
            .operation("go", |_, _| (), |_, ()| (), |go| go.requirement("R1").requirement("R2"))
            .operation(
                "stop",
                |_, _| (),
                |_, ()| (),
                move |stop| stop.requirement("R2").requirement("R3").when(move |_| !never),
            )
            .settings(seeded(1))
            .report()
            .unwrap()
            .remarks
            .join("\n")
    };
    assert_contains(&tagged(true), "2 of 3 requirements are covered, not R3");
    assert_contains(&tagged(false), "all 3 requirements are covered");
}

#[test]
fn a_model_is_tested_alone() {
    let account = |limited: bool| {
        model(|| 0i64, || -> () { panic!("nothing real is called") })
            .operation("pay", |_, case| case.int(1..=9i64), |_, _| (), |pay| pay.next(|state, n| *state += n))
            .operation(
                "take",
                |_, case| case.int(1..=9i64),
                |_, _| (),
                move |take| {
                    take.precondition(move |state, n| !limited || state >= n).next(|state, n| *state -= n)
                },
            )
            .law("never below zero", |state| *state >= 0)
            .settings(seeded(1))
            .verdict_model_only()
    };
    let verdict = account(false);
    assert_eq!(told(&verdict), ["take(1) leads to -1"]);
    assert_contains(&found(&verdict).message, "the law `never below zero` does not hold in state -1");
    assert!(account(true).is_good());
}

#[test]
fn a_next_state_that_depends_on_something_else_is_noticed() {
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let verdict = model(|| 0u64, || ())
        .operation(
            "tick",
            |_, _| (),
            |_, ()| (),
            |tick| tick.next(|state, ()| *state = CALLS.fetch_add(1, SeqCst)),
        )
        .settings(seeded(1))
        .verdict_model_only();
    let message = &verdict.counterexample().expect("a counterexample").message;
    assert_contains(message, "`next` of `tick` is not deterministic");
}

/// A place for one item.
#[derive(Debug, Default)]
struct Slot {
    item: Option<u8>,
}

#[test]
fn asynchronous_calls_are_driven_and_blocked_ones_noticed() {
    use std::future::poll_fn;
    use std::sync::{Arc, Mutex};
    use std::task::Poll;
    let slot = |guarded: bool| {
        model(|| None::<u8>, || Arc::new(Mutex::new(Slot::default())))
            .async_operation(
                "put",
                |_, case| case.any::<u8>(),
                async |slot, item| {
                    poll_fn(|_| {
                        let mut slot = slot.lock().unwrap();
                        if slot.item.is_some() {
                            // The waker is not kept: nobody will ever wake it.
                            return Poll::Pending;
                        }
                        slot.item = Some(*item);
                        Poll::Ready(())
                    })
                    .await;
                },
                move |put| {
                    put.when(move |state| !guarded || state.is_none())
                        .next(|state, item| *state = Some(*item))
                },
            )
            .async_operation(
                "take",
                |_, _| (),
                async |slot, ()| {
                    // Once around through the executor, as a call does that lets others have their turn.
                    let mut turns = 0;
                    poll_fn(|context| {
                        turns += 1;
                        context.waker().wake_by_ref();
                        if turns < 2 { Poll::Pending } else { Poll::Ready(()) }
                    })
                    .await;
                    slot.lock().unwrap().item.take()
                },
                |take| take.returns(|state, ()| *state).next(|state, ()| *state = None),
            )
            .settings(seeded(1))
            .verdict()
    };
    let verdict = slot(false);
    assert_eq!(told(&verdict), ["put(0)", "put(0) panicked"]);
    assert_contains(
        &found(&verdict).message,
        "`put` is blocked: it waits, and nobody is left who could wake it",
    );
    assert!(slot(true).is_good(), "{}", slot(true));
}

#[test]
fn a_small_model_that_is_walked_whole_is_proved_with_its_assumptions() {
    let verdict = model(|| (), || ())
        .operation("go", |_, _| (), |_, ()| (), |go| go)
        .len(1..=2)
        .settings(seeded(1))
        .verdict();
    let expected =
        "proved: all 2 cases\n  assuming a deterministic implementation; that every test begins anew";
    assert_eq!(verdict.to_string(), expected);
}

/// The size of a mailbox and its letters.
type Letters = Option<(u16, VecDeque<u8>)>;

/// A mailbox of a size that is given when it is made. If `small`, it holds 128 letters at most, whatever was said.
fn mailbox(small: bool) -> Model<Letters, Letters> {
    let full = move |real: &Letters| {
        real.as_ref().is_none_or(|(size, letters)| {
            letters.len() >= usize::from(*size).min(if small { 128 } else { 256 })
        })
    };
    model(|| None, || None)
        .operation(
            "create",
            |_, case| case.int(1..=256u16),
            |real, size| **real = Some((*size, VecDeque::new())),
            |create| {
                create
                    .when(|state: &Letters| state.is_none())
                    .next(|state, size| *state = Some((*size, VecDeque::new())))
            },
        )
        .operation(
            "post",
            |_, case| case.any::<u8>(),
            move |real, letter| {
                let room = !full(real);
                real.as_mut().filter(|_| room).map(|(_, letters)| letters.push_back(*letter)).is_some()
            },
            |post| {
                let room = |state: &Letters| {
                    state.as_ref().is_some_and(|(size, letters)| letters.len() < usize::from(*size))
                };
                post.when(Option::is_some).returns(move |state, _| room(state)).next(move |state, letter| {
                    if room(state) {
                        state.as_mut().unwrap().1.push_back(*letter);
                    }
                })
            },
        )
        .operation(
            "fetch",
            |_, _| (),
            |real, ()| real.as_mut().and_then(|(_, letters)| letters.pop_front()),
            |fetch| {
                fetch
                    .when(Option::is_some)
                    .returns(|state, ()| state.as_ref().and_then(|(_, letters)| letters.front().copied()))
                    .next(|state, ()| {
                        state.as_mut().unwrap().1.pop_front();
                    })
            },
        )
}

#[test]
fn a_limit_deep_inside_is_found_without_tuning() {
    for seed in 0..8 {
        let verdict = mailbox(true).settings(seeded(seed)).verdict();
        let counterexample = found(&verdict);
        let told: Vec<&str> = counterexample.notes.iter().map(|note| note.value.as_str()).collect();
        assert_eq!(told.len(), 130, "seed {seed}: {verdict}");
        assert_eq!(told[0], "create(129)", "seed {seed}: {verdict}");
        assert!(told[1..129].iter().all(|line| *line == "post(0) → true"), "seed {seed}: {verdict}");
        assert_eq!(told[129], "post(0) → false", "seed {seed}: {verdict}");
        assert!(counterexample.evaluations < 1500, "seed {seed}: {} evaluations", counterexample.evaluations);
    }
    assert!(mailbox(false).settings(seeded(0)).verdict().is_good());
}

#[test]
fn statistics_say_what_was_done_how_long_and_where() {
    let report = queue(8).len(1..=50).settings(seeded(0).statistics()).report().unwrap();
    let count = |table: &str, label: &str| {
        let found = report.labels.iter().find(|l| l.table.as_deref() == Some(table) && l.label == label);
        found.map_or(0, |label| label.cases)
    };
    let lengths: u64 =
        report.labels.iter().filter(|l| l.table.as_deref() == Some("length")).map(|l| l.cases).sum();
    assert_eq!(lengths, report.verdict.cases(), "{report}");
    assert!(count("length", "32–63") > 100, "{report}");
    assert!(count("operation", "push") > 5000 && count("operation", "pop") > 5000, "{report}");
    let places = report.remarks.iter().find(|remark| remark.contains("different transitions"));
    assert!(places.is_some(), "{report}");
}

/// Requirements R1 (pushing) and R2 (popping), and R3, which nothing covers.
fn required() -> Model<Vec<u8>, Vec<u8>> {
    model(Vec::new, Vec::new)
        .operation(
            "push",
            |_, case| case.any::<u8>(),
            |real, item| real.push(*item),
            |push| push.requirement("R1").next(|state, item| state.push(*item)),
        )
        .operation(
            "pop",
            |_, _| (),
            |real, ()| real.pop(),
            |pop| {
                pop.requirement("R2")
                    .when(|state: &Vec<u8>| !state.is_empty())
                    .returns(|state, ()| state.last().copied())
                    .next(|state, ()| {
                        state.pop();
                    })
            },
        )
        .operation("never", |_, _| (), |_, ()| (), |never| never.requirement("R3").when(|_| false))
}

#[test]
fn a_suite_covers_each_requirement_with_its_smallest_case() {
    let folder = Folder::new("suite");
    let run = || {
        required()
            .settings(seeded(0).corpus(folder.path()).keep("requirement").allow_vacuous())
            .report()
            .unwrap()
    };
    let report = run();
    assert_contains(&report.remarks.join("\n"), "2 of 3 requirements are covered, not R3");
    let files = || -> Vec<(String, String)> {
        let mut files: Vec<_> = folder
            .files()
            .into_iter()
            .map(|path| {
                (
                    path.file_name().unwrap().to_string_lossy().into_owned(),
                    std::fs::read_to_string(&path).unwrap(),
                )
            })
            .collect();
        files.sort();
        files
    };
    let first = files();
    assert_eq!(first.len(), 2, "{first:?}");
    assert_contains(&first[0].0, "kept-R1-");
    assert_contains(&first[0].1, "status: kept\nkind: R1\nshown: push(0)\n");
    assert_contains(&first[1].1, "status: kept\nkind: R2\nshown: push(0)");
    // The suite is tried first, and stays as it is.
    assert!(run().verdict.is_good());
    assert_eq!(files(), first);
}

#[test]
fn known_failures_are_excluded_and_others_found() {
    let two_bugs = || {
        model(|| 0u32, || 0u32)
            .operation(
                "add",
                |_, case| case.int(1..=9u32),
                |real, n| {
                    **real += n;
                    assert!(*n != 7, "seven is not supported");
                },
                |add| add.next(|state, n| *state += n),
            )
            .operation(
                "get",
                |_, _| (),
                |real, ()| if **real > 20 { 20 } else { **real },
                |get| get.returns(|state, ()| *state),
            )
    };
    let all = two_bugs().settings(seeded(0).known("seven is not").known("get returns")).report().unwrap();
    assert!(matches!(all.verdict, Verdict::Passed(_)), "{all}");
    assert_contains(&all.remarks.join("\n"), "the known failure `seven is not` was met in");
    let one = two_bugs().settings(seeded(0).known("seven is not")).verdict();
    assert_contains(&found(&one).message, "get() returned 20 in state 21; expected 21");
    let other = two_bugs().settings(seeded(0).known("get returns")).verdict();
    assert_contains(&found(&other).message, "seven is not supported");
}

#[test]
fn a_known_failure_forbids_a_proof_and_is_not_marked_fixed() {
    let folder = Folder::new("known");
    let settings = |known: bool| {
        let settings = seeded(0).corpus(folder.path());
        if known { settings.known("three") } else { settings }
    };
    let property = |n: u8| assert!(n != 3, "three");
    let verdict = settings(false).verdict_for_all(property);
    assert_contains(&found(&verdict).message, "three");
    let report = settings(true).report_for_all(property).unwrap();
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{report}");
    let file = std::fs::read_to_string(&folder.files()[0]).unwrap();
    assert_contains(&file, "status: failing");
    let verdict = settings(true).exhaustive().verdict_for_all(property);
    assert!(!matches!(verdict, Verdict::Proved(_)), "{verdict}");
}

#[test]
fn a_common_postcondition_holds_for_every_operation() {
    let counter = |jumps: bool| {
        model(|| 0u32, || 0u32)
            .operation(
                "add",
                |_, case| case.int(1..=3u32),
                |real, n| **real += n,
                |add| add.next(|state, n| *state += n),
            )
            .operation(
                "reset",
                |_, _| (),
                |real, ()| **real = 0,
                move |reset| reset.next(move |state, ()| *state = if jumps { *state + 10 } else { 0 }),
            )
            .postcondition("no leaps", |before, operation, after, _| {
                operation == "reset" && *after == 0 || *after <= before + 3
            })
            .settings(seeded(0))
    };
    let verdict = counter(true).verdict();
    assert_contains(&found(&verdict).message, "the postcondition `no leaps` does not hold in state 0");
    assert_eq!(found(&verdict).notes.len(), 1, "{verdict}");
    assert!(counter(false).verdict().is_good());
}
