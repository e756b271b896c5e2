//! Implementations of shared resources, on threads of this process.

use crate::support::{assert_contains, gave_up, seeded};
use gainsay::resource::{
    Asking, Both, Either, Policy, Resource, Round, Scheduled, Seen, Table, Trial, on_threads, trial,
};
use gainsay::{Case, Limits, Verdict};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// A number that does not fall below zero, and tells what it was.
#[derive(Clone)]
pub(crate) struct Count;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    Up(u32),
    Down,
    /// Makes no sense.
    Sideways,
}

impl Resource for Count {
    type State = u32;
    type Call = Call;
    type Value = u32;

    fn start(&self) -> u32 {
        0
    }

    fn pre(&self, call: &Call) -> bool {
        *call != Call::Sideways
    }

    fn cpre(&self, count: &u32, call: &Call) -> bool {
        *call != Call::Down || *count > 0
    }

    fn post(&self, count: &u32, call: &Call) -> Vec<(u32, u32)> {
        match call {
            Call::Up(by) => vec![(count + by, *count)],
            Call::Down => vec![(count - 1, *count)],
            Call::Sideways => Vec::new(),
        }
    }
}

pub(crate) fn any_call(_: &Seen<Count>, case: &mut Case) -> Option<Call> {
    Some(match case.index(3) {
        0 => Call::Down,
        1 => Call::Up(1),
        _ => Call::Up(case.int(2..=3)),
    })
}

/// What is wrong with a counter.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    /// Wakes one where several could go.
    WakesOne,
    /// Returns what it is afterwards.
    TellsAfter,
    /// Does not wait.
    DoesNotWait,
    /// Does not wake when it rises by three.
    ForgetsToWake,
    /// Panics at ten.
    Panics,
    /// Reads, and writes later.
    Splits,
    /// Waits by looking again and again.
    Spins,
    /// Waits for a while, and looks again.
    Polls,
    /// Works for a while before it does anything.
    Works,
}

/// Nobody spins any more.
static ENOUGH: AtomicBool = AtomicBool::new(false);

struct Real {
    count: Mutex<u32>,
    risen: Condvar,
    wrong: Wrong,
}

impl Real {
    fn new(wrong: Wrong) -> Real {
        Real { count: Mutex::new(0), risen: Condvar::new(), wrong }
    }

    fn call(&self, call: &Call) -> u32 {
        if self.wrong == Wrong::Works {
            let begun = std::time::Instant::now();
            while begun.elapsed() < Duration::from_millis(3) {
                std::hint::spin_loop();
            }
        }
        let mut count = self.count.lock().unwrap();
        let before;
        match call {
            Call::Sideways => panic!("nobody goes sideways"),
            Call::Up(by) if self.wrong == Wrong::Splits => {
                before = *count;
                drop(count);
                // Somebody else may be just here.
                let after = (0..50).fold(before, |sum, _| std::hint::black_box(sum)) + by;
                count = self.count.lock().unwrap();
                *count = after;
                self.risen.notify_all();
            }
            Call::Up(by) => {
                before = *count;
                *count += by;
                assert!(self.wrong != Wrong::Panics || *count < 10, "this is too much: {count}");
                match self.wrong {
                    Wrong::WakesOne => self.risen.notify_one(),
                    Wrong::ForgetsToWake if *by == 3 => {}
                    _ => self.risen.notify_all(),
                }
            }
            Call::Down => {
                while *count == 0 {
                    count = match self.wrong {
                        Wrong::DoesNotWait => return 0,
                        Wrong::Spins => {
                            drop(count);
                            if ENOUGH.load(Ordering::Relaxed) {
                                return 0;
                            }
                            self.count.lock().unwrap()
                        }
                        Wrong::Polls => self.risen.wait_timeout(count, Duration::from_millis(1)).unwrap().0,
                        _ => self.risen.wait(count).unwrap(),
                    };
                }
                before = *count;
                *count -= 1;
            }
        }
        if self.wrong == Wrong::TellsAfter { *count } else { before }
    }
}

fn counter(wrong: Wrong) -> Trial<Count> {
    let real = on_threads(move || Real::new(wrong), Real::call);
    trial("counter", Count, Policy::any(), any_call, real).settings(seeded(1).cases(150)).phases(20, 3)
}

fn failed(verdict: &Verdict) -> String {
    verdict.counterexample().map(|counterexample| counterexample.message.clone()).unwrap_or_default()
}

#[test]
fn what_is_right_passes_all_rounds_however_long_it_works() {
    for wrong in [Wrong::Nothing, Wrong::Works] {
        let mut trial = counter(wrong).cases(40);
        for round in Round::ALL {
            let verdict = trial.verdict_round(round);
            assert_eq!(verdict.to_string(), "passed: 40 cases", "{wrong:?}, {round}");
        }
    }
}

#[test]
fn the_clause_is_named_and_the_phases_are_few() {
    let message = failed(&counter(Wrong::WakesOne).verdict());
    assert_contains(&message, "phase 1  Down");
    assert_contains(&message, "progress: a call waits although it must run");
    assert_contains(&message, "Down must run");
    let message = failed(&counter(Wrong::TellsAfter).verdict());
    assert_contains(
        &message,
        "phase 1  Up(1)  unblocks Up(1) → 1\nPOST: a call returned something else than it may",
    );
    let message = failed(&counter(Wrong::DoesNotWait).verdict());
    assert_contains(
        &message,
        "phase 1  Down  unblocks Down → 0\nCPRE: a call ran although the state did not",
    );
    let message = failed(&counter(Wrong::ForgetsToWake).verdict());
    assert_contains(&message, "phase 1  Down   unblocks nobody");
    assert_contains(&message, "phase 2  Up(3)  unblocks Up(3) → 0  waiting Down\nprogress");
    let message = failed(&counter(Wrong::Panics).verdict());
    assert_contains(&message, "exception: a call panicked or threw");
    assert_contains(&message, "this is too much: 1");
}

#[test]
fn safety_does_not_ask_for_progress() {
    let mut trial = counter(Wrong::ForgetsToWake);
    assert!(trial.verdict_round(Round::Safety).is_good());
    assert!(!trial.verdict_round(Round::Progress).is_good());
}

#[test]
fn races_are_met() {
    let mut trial = counter(Wrong::Splits);
    assert!(trial.verdict_round(Round::Progress).is_good());
    // Luck is needed, and mostly comes in a second.
    let long =
        |limits: &mut Limits| (limits.cases_max, limits.time_max) = (u64::MAX, Duration::from_secs(60));
    let verdict = trial.settings(seeded(1).limits(long)).verdict_round(Round::Concurrent);
    assert_contains(&failed(&verdict), " ∥ ");
}

#[test]
fn who_never_rests_is_not_judged() {
    let patience = Duration::from_millis(200);
    let verdict = counter(Wrong::Spins).patience(patience, patience).verdict();
    ENOUGH.store(true, Ordering::Relaxed);
    assert_contains(
        gave_up(&verdict),
        "it did not come to rest within 200ms (by timeout): Down may still be running",
    );
}

#[test]
fn timers_may_fire_and_verdicts_say_so() {
    let timers = Duration::from_millis(5);
    let quick =
        || counter(Wrong::Polls).patience(Duration::from_secs(10), timers).settings(seeded(1).cases(30));
    let report = quick().report_round(Round::Progress).unwrap();
    assert!(report.verdict.is_good(), "{report}");
    assert_contains(&report.to_string(), "by timeout: in ");
    assert_contains(&report.to_string(), "progress was not judged there");
    let report = quick().assert_patience().report_round(Round::Progress).unwrap();
    assert!(report.verdict.is_good(), "{report}");
    assert_contains(&report.to_string(), "were taken to wait because time was over");
}

#[test]
fn calls_that_make_no_sense_are_made_if_somebody_says_what_must_come_of_them() {
    let sideways = |_: &Seen<Count>, case: &mut Case| {
        Some(match case.index(3) {
            0 => Call::Sideways,
            1 => Call::Up(1),
            _ => Call::Down,
        })
    };
    let real = || {
        on_threads(
            || Real::new(Wrong::Nothing),
            |real: &Real, call: &Call| match call {
                Call::Sideways => panic!("nobody goes sideways"),
                call => real.call(call),
            },
        )
    };
    let with = |said: &'static str| {
        trial("counter", Count, Policy::any(), sideways, real())
            .settings(seeded(1).cases(50))
            .refused(move |_, message| message.contains(said))
    };
    assert!(with("sideways").verdict().is_good());
    let message = failed(&with("upside down").verdict());
    assert_contains(&message, "PRE: a call that makes no sense was not refused as it should");
    // Without being asked for, they are not made.
    assert!(
        trial("counter", Count, Policy::any(), sideways, real())
            .settings(seeded(1).cases(50).allow_vacuous())
            .verdict()
            .is_good()
    );
}

#[test]
fn constructors_that_fail_or_never_return_are_told() {
    let broken = on_threads(|| -> Real { panic!("no room") }, Real::call);
    let verdict = trial("counter", Count, Policy::any(), any_call, broken).settings(seeded(1)).verdict();
    assert_contains(&failed(&verdict), "no room");
    let stuck = on_threads(
        || {
            loop {
                std::thread::park();
            }
        },
        Real::call,
    );
    let verdict = trial("counter", Count, Policy::any(), any_call, stuck).settings(seeded(1)).verdict();
    assert_contains(&failed(&verdict), "the constructor waits for ever");
}

/// A counter with a thread of its own, which works for a while before it answers.
struct Server {
    door: Mutex<Sender<(Call, Sender<u32>)>>,
}

impl Server {
    fn new() -> Server {
        let (door, calls) = channel::<(Call, Sender<u32>)>();
        let own = std::thread::Builder::new().name("server".into());
        own.spawn(move || {
            let (mut count, mut waiting) = (0, Vec::new());
            for (call, answer) in calls {
                let begun = std::time::Instant::now();
                while begun.elapsed() < Duration::from_micros(300) {
                    std::hint::spin_loop();
                }
                waiting.push((call, answer));
                while let Some(place) = waiting.iter().position(|(call, _)| Count.cpre(&count, call)) {
                    let (call, answer) = waiting.remove(place);
                    let (after, before) = Count.post(&count, &call)[0];
                    count = after;
                    let _ = answer.send(before);
                }
            }
        })
        .unwrap();
        Server { door: Mutex::new(door) }
    }

    fn call(&self, call: &Call) -> u32 {
        let (answer, answered) = channel();
        self.door.lock().unwrap().send((*call, answer)).unwrap();
        answered.recv().unwrap()
    }
}

#[test]
fn threads_of_its_own_are_waited_for() {
    let real = on_threads(Server::new, Server::call);
    let trial =
        trial("server", Count, Policy::any(), any_call, real).settings(seeded(1).cases(30)).phases(20, 3);
    assert_eq!(trial.verdict().to_string(), "passed: 30 cases");
}

#[test]
fn threads_that_several_objects_share_are_waited_for() {
    // It is there since the first object called it.
    static SERVER: std::sync::OnceLock<Server> = std::sync::OnceLock::new();
    let real = on_threads(
        || Real::new(Wrong::Nothing),
        |real, call| {
            // It answers after a while.
            SERVER.get_or_init(Server::new).call(&Call::Up(1));
            real.call(call)
        },
    );
    let trial =
        trial("shared", Count, Policy::any(), any_call, real).settings(seeded(1).cases(10)).phases(20, 3);
    assert_eq!(trial.verdict().to_string(), "passed: 10 cases");
}

#[test]
fn neighbours_who_need_the_same_memory_are_told_from_waiting() {
    let is_over = std::sync::Arc::new(AtomicBool::new(false));
    let neighbours: Vec<_> = (0..2)
        .map(|_| {
            let is_over = is_over.clone();
            std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    (0..1000).for_each(|size| drop(std::hint::black_box(vec![1u8; size * 10])));
                    let _ = std::thread::spawn(|| drop(std::hint::black_box(vec![1u8; 5000]))).join();
                }
            })
        })
        .collect();
    let real = on_threads(Server::new, Server::call);
    let trial =
        trial("neighbours", Count, Policy::any(), any_call, real).settings(seeded(1).cases(10)).phases(20, 3);
    let verdict = trial.verdict();
    is_over.store(true, Ordering::Relaxed);
    neighbours.into_iter().for_each(|neighbour| neighbour.join().unwrap());
    assert_eq!(verdict.to_string(), "passed: 10 cases");
}

#[test]
fn calls_that_wait_are_let_go_after_the_test() {
    // Counts the calls that have ended.
    static ENDED: AtomicU32 = AtomicU32::new(0);
    static BEGUN: AtomicU32 = AtomicU32::new(0);
    let real = on_threads(
        || Real::new(Wrong::Nothing),
        |real, call| {
            BEGUN.fetch_add(1, Ordering::Relaxed);
            let value = real.call(call);
            ENDED.fetch_add(1, Ordering::Relaxed);
            value
        },
    );
    let mut trial = trial("counter", Count, Policy::any(), any_call, real).settings(seeded(1).cases(100));
    assert!(trial.verdict_round(Round::Progress).is_good());
    drop(trial);
    let (begun, ended) = (BEGUN.load(Ordering::Relaxed), ENDED.load(Ordering::Relaxed));
    assert!(begun - ended <= begun / 100, "{ended} of {begun}");
}

#[test]
fn two_resources_are_tested_together() {
    // The second wakes nobody if the first was called just before: it looks at what it should not know.
    let pair = |wrong: bool| {
        let real = on_threads(
            || (Real::new(Wrong::Nothing), Real::new(Wrong::Nothing), AtomicBool::new(false)),
            move |(one, other, flag), call: &Either<Call, Call>| match call {
                Either::First(call) => {
                    flag.store(true, Ordering::Relaxed);
                    Either::First(one.call(call))
                }
                Either::Second(Call::Up(_)) if wrong && flag.swap(false, Ordering::Relaxed) => {
                    Either::Second(7)
                }
                Either::Second(call) => Either::Second(other.call(call)),
            },
        );
        let calls = |seen: &Seen<Both<Count, Count>>, case: &mut Case| {
            let waiting = seen.open().count();
            let call = if waiting < 4 && case.flag() { Call::Down } else { Call::Up(1) };
            Some(if case.flag() { Either::Second(call) } else { Either::First(call) })
        };
        let both = Both::new(Count, Count).invariant(|_, _| true);
        trial("pair", both, Policy::both(Policy::any(), Policy::any()), calls, real)
            .settings(seeded(1).cases(60))
            .phases(20, 3)
    };
    let mut table = Table::new();
    assert!(table.add(pair(false)).is_some_and(|verdict| verdict.is_good()));
    assert!(table.add(pair(true)).is_some_and(|verdict| !verdict.is_good()));
    assert_eq!(table.passed().collect::<Vec<_>>(), ["pair"]);
    let (_, verdict) = table.failed(Round::Safety).next().unwrap();
    assert_contains(&failed(verdict), "POST");
    assert_contains(&table.to_string(), "✗ POST");
    assert_contains(&table.to_string(), "    1 failed: safety\n");
}

#[test]
fn invariants_of_both_are_judged() {
    let real = on_threads(
        || (Real::new(Wrong::Nothing), Real::new(Wrong::Nothing)),
        |(one, other), call: &Either<Call, Call>| match call {
            Either::First(call) => Either::First(one.call(call)),
            Either::Second(call) => Either::Second(other.call(call)),
        },
    );
    let calls = |_: &Seen<Both<Count, Count>>, case: &mut Case| {
        Some(if case.flag() { Either::Second(Call::Up(1)) } else { Either::First(Call::Up(1)) })
    };
    let both = Both::new(Count, Count).invariant(|one, other| one + other <= 3);
    let trial =
        trial("pair", both, Policy::both(Policy::any(), Policy::any()), calls, real).settings(seeded(1));
    let message = failed(&trial.verdict());
    assert_contains(&message, "INVARIANT: it holds in no state that is possible");
    assert_contains(&message, "phase 4");
    assert!(!message.contains("phase 5"), "{message}");
}

#[test]
fn failures_are_exported_as_tests() {
    let mut trial = counter(Wrong::ForgetsToWake);
    let verdict = trial.report().unwrap().verdict;
    let phases = trial.phases_of(&verdict).expect("it failed");
    assert_eq!(phases.phases(), [(vec![Call::Down], vec![]), (vec![Call::Up(3)], vec![1])]);
    let call = |call: &Call| match call {
        Call::Up(by) => format!("subject.up({by})"),
        _ => "subject.down()".into(),
    };
    let source = phases.to_rust("counter::Counter::new()", call);
    assert_contains(&source, "/// progress: a call waits although it must run");
    assert_contains(&source, "fn counter_is_mended() {");
    let boastful = on_threads(
        || Real::new(Wrong::Nothing),
        |real: &Real, call: &Call| real.call(call) + u32::from(matches!(call, Call::Up(_))),
    );
    let mut boastful =
        self::trial("2 counters", Count, Policy::any(), any_call, boastful).settings(seeded(1).cases(50));
    let verdict = boastful.report().unwrap().verdict;
    let values = boastful.phases_of(&verdict).expect("it failed").to_rust("counter::Counter::new()", call);
    assert_contains(&values, "fn _2_counters_is_mended() {");
    // It fails beside what is wrong, and passes beside what is right.
    let folder = std::env::temp_dir().join(format!("gainsay-exported-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let passes = |source: &str, wakes: &str, more: u32| {
        let counter = format!(
            "mod counter {{
                use std::sync::{{Condvar, Mutex}};
                pub struct Counter(Mutex<u32>, Condvar);
                impl Counter {{
                    pub fn new() -> Counter {{ Counter(Mutex::new(0), Condvar::new()) }}
                    pub fn up(&self, by: u32) -> u32 {{
                        let mut count = self.0.lock().unwrap();
                        *count += by;
                        {wakes}
                        *count - by + {more}
                    }}
                    pub fn down(&self) -> u32 {{
                        let mut count = self.0.lock().unwrap();
                        while *count == 0 {{ count = self.1.wait(count).unwrap(); }}
                        *count -= 1;
                        *count + 1
                    }}
                }}
            }}\n"
        );
        let (file, program) = (folder.join("exported.rs"), folder.join("exported"));
        std::fs::write(&file, counter + source).unwrap();
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let compiled = std::process::Command::new(rustc)
            .args(["--edition", "2024", "--test", "-o"])
            .args([&program, &file])
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        std::process::Command::new(program).output().unwrap().status.success()
    };
    assert!(!passes(&source, "if by != 3 { self.1.notify_all(); }", 0));
    assert!(passes(&source, "self.1.notify_all();", 0));
    assert!(!passes(&values, "self.1.notify_all();", 1));
    assert!(passes(&values, "self.1.notify_all();", 0));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Permits that two kinds of takers want.
#[derive(Clone)]
struct Permits;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Permit {
    Give,
    Left,
    Right,
}

impl Resource for Permits {
    type State = u32;
    type Call = Permit;
    type Value = ();

    fn start(&self) -> u32 {
        0
    }

    fn cpre(&self, permits: &u32, call: &Permit) -> bool {
        *call == Permit::Give || *permits > 0
    }

    fn post(&self, permits: &u32, call: &Permit) -> Vec<(u32, ())> {
        vec![(if *call == Permit::Give { permits + 1 } else { permits - 1 }, ())]
    }
}

/// Gives permits to the left and the right in turn, where both wait.
#[derive(Default)]
struct Turns {
    /// How many permits there are, how many wait on each side, and who was the last.
    inner: Mutex<(u32, [u32; 2], Option<Permit>)>,
    changed: Condvar,
}

impl Turns {
    fn call(&self, call: Permit, in_turn: bool) {
        let mut inner = self.inner.lock().unwrap();
        if call == Permit::Give {
            inner.0 += 1;
        } else {
            let (mine, other) = if call == Permit::Left { (0, 1) } else { (1, 0) };
            inner.1[mine] += 1;
            while inner.0 == 0 || in_turn && inner.2 == Some(call) && inner.1[other] > 0 {
                inner = self.changed.wait(inner).unwrap();
            }
            inner.1[mine] -= 1;
            inner.0 -= 1;
            inner.2 = Some(call);
        }
        self.changed.notify_all();
    }
}

#[test]
fn policies_may_remember_what_has_run() {
    let with = |in_turn: bool| {
        let resource = Scheduled::new(Permits, None, |last: &Option<Permit>, call, _| match call {
            Permit::Give => *last,
            _ => Some(*call),
        });
        let policy = Policy::new("in turn", |asking: &Asking<'_, Scheduled<Permits, Option<Permit>>>| {
            let (call, (_, last)) = (*asking.call(), asking.state());
            let is_other = |other: &Permit| *other != Permit::Give && *other != call;
            call == Permit::Give || *last != Some(call) || !asking.waiting(is_other)
        })
        .regardless_of_age();
        let calls =
            |_: &Seen<_>, case: &mut Case| Some([Permit::Give, Permit::Left, Permit::Right][case.index(3)]);
        let real = on_threads(Turns::default, move |turns: &Turns, call: &Permit| turns.call(*call, in_turn));
        trial("turns", resource, policy, calls, real).settings(seeded(1).cases(100)).phases(20, 3)
    };
    assert_eq!(with(true).verdict().to_string(), "passed: 100 cases");
    let message = failed(&with(false).verdict());
    // The state is shown with what is remembered.
    assert_contains(&message, "Some(Left)");
    assert_contains(&message, "scheduling: a call ran although others come first");
}

/// A counter that lets those that wait go in the order in which they came, or the last one first.
#[derive(Default)]
struct Queue {
    inner: Mutex<(u32, Vec<std::thread::ThreadId>)>,
    changed: Condvar,
}

impl Queue {
    fn call(&self, call: &Call, first: bool) -> u32 {
        let mut inner = self.inner.lock().unwrap();
        let before = match call {
            Call::Up(by) => {
                inner.0 += by;
                inner.0 - by
            }
            _ => {
                let me = std::thread::current().id();
                inner.1.push(me);
                let next = |queue: &[_]| if first { queue.first().copied() } else { queue.last().copied() };
                while inner.0 == 0 || next(&inner.1) != Some(me) {
                    inner = self.changed.wait(inner).unwrap();
                }
                inner.1.retain(|other| *other != me);
                inner.0 -= 1;
                inner.0 + 1
            }
        };
        self.changed.notify_all();
        before
    }
}

#[test]
fn overtakings_are_bounded_if_somebody_says_so() {
    let with = |first: bool| {
        let real = on_threads(Queue::default, move |queue: &Queue, call: &Call| queue.call(call, first));
        let calls =
            |_: &Seen<Count>, case: &mut Case| Some(if case.flag() { Call::Up(1) } else { Call::Down });
        trial("queue", Count, Policy::any(), calls, real).settings(seeded(1).cases(100)).phases(20, 1)
    };
    let downs = |older: &Call, younger: &Call| (*older, *younger) == (Call::Down, Call::Down);
    assert_eq!(with(true).overtakings(0, downs).verdict().to_string(), "passed: 100 cases");
    assert_eq!(with(false).verdict().to_string(), "passed: 100 cases");
    let message = failed(&with(false).overtakings(1, downs).verdict());
    let clause = "overtaken: a call waits while too many that came later went past it";
    assert_contains(&message, &format!("{clause}\n  Down waits, and past it went Down, Down"));
    // Three go in, and two come out again.
    assert_eq!(message.matches("phase ").count(), 5, "{message}");
}

/// Works for so long.
fn work(time: Duration) {
    let begun = std::time::Instant::now();
    while begun.elapsed() < time {
        std::hint::spin_loop();
    }
}

#[test]
fn objects_may_share_a_lock_with_those_before_them() {
    static REGISTRY: Mutex<()> = Mutex::new(());
    struct Registered(Real);
    impl Drop for Registered {
        fn drop(&mut self) {
            let _registry = REGISTRY.lock();
            work(Duration::from_millis(4));
        }
    }
    let make = || {
        drop(REGISTRY.lock());
        Registered(Real::new(Wrong::Nothing))
    };
    let real = on_threads(make, |registered, call| {
        drop(REGISTRY.lock());
        registered.0.call(call)
    });
    let trial = trial("registered", Count, Policy::any(), any_call, real).settings(seeded(1).cases(20));
    assert_eq!(trial.phases(10, 3).verdict().to_string(), "passed: 20 cases");
}

#[test]
fn pools_of_earlier_trials_are_watched_too() {
    static POOL: std::sync::OnceLock<Server> = std::sync::OnceLock::new();
    for number in 0..2 {
        let real = on_threads(
            || Real::new(Wrong::Nothing),
            |real, call| {
                POOL.get_or_init(Server::new).call(&Call::Up(1));
                real.call(call)
            },
        );
        let trial = trial("pool", Count, Policy::any(), any_call, real).settings(seeded(1).cases(10));
        assert_eq!(trial.phases(10, 3).verdict().to_string(), "passed: 10 cases", "{number}");
    }
}

#[test]
fn what_is_only_slow_is_neither_refused_nor_overtaken() {
    let sideways =
        |_: &Seen<Count>, case: &mut Case| Some(if case.flag() { Call::Sideways } else { Call::Up(1) });
    let slow = || {
        on_threads(
            || Real::new(Wrong::Nothing),
            |real: &Real, call: &Call| {
                if *call == Call::Sideways {
                    // A timer of the subject's own: that is what is tested.
                    std::thread::sleep(Duration::from_millis(30));
                    panic!("not sideways");
                }
                real.call(call)
            },
        )
    };
    let patience = |trial: Trial<Count>| trial.patience(Duration::from_secs(10), Duration::from_millis(5));
    let refused = trial("slow", Count, Policy::any(), sideways, slow()).settings(seeded(1).cases(10));
    let refused = patience(refused.phases(5, 1)).refused(|_, message| message.contains("sideways"));
    let verdict = refused.verdict();
    assert!(verdict.is_good(), "{verdict}");
    let sleeping = on_threads(
        || Real::new(Wrong::Nothing),
        |real: &Real, call: &Call| {
            if *call == Call::Up(2) {
                // Again.
                std::thread::sleep(Duration::from_millis(60));
            }
            real.call(call)
        },
    );
    let calls = |seen: &Seen<Count>, case: &mut Case| {
        Some(if seen.open().count() == 0 && case.flag() { Call::Up(2) } else { Call::Up(1) })
    };
    let overtaken = trial("slow", Count, Policy::any(), calls, sleeping).settings(seeded(1).cases(10));
    let verdict = patience(overtaken.phases(8, 1)).overtakings(0, |_, _| true).verdict();
    assert!(verdict.is_good(), "{verdict}");
}

#[test]
fn what_was_found_is_kept_when_a_smaller_one_never_rests() {
    let real = on_threads(
        || Real::new(Wrong::Nothing),
        |real: &Real, call: &Call| match call {
            Call::Up(by) if *by > 50 => 1_000_000,
            Call::Up(50) => loop {
                std::hint::spin_loop();
            },
            _ => real.call(call),
        },
    );
    let calls = |seen: &Seen<Count>, case: &mut Case| {
        (seen.open().count() == 0).then(|| Call::Up(case.int(50..=100)))
    };
    let patience = Duration::from_millis(200);
    let verdict = trial("spinning below", Count, Policy::any(), calls, real)
        .settings(seeded(3).cases(10))
        .patience(patience, patience)
        .phases(1, 1)
        .verdict();
    assert_contains(&failed(&verdict), "Up(51) → 1000000");
}

#[test]
fn calls_that_make_no_sense_and_wait_are_no_trouble_later() {
    let sideways = |_: &Seen<Count>, case: &mut Case| {
        Some(match case.index(3) {
            0 => Call::Sideways,
            1 => Call::Down,
            _ => Call::Up(1),
        })
    };
    let real = on_threads(
        || Real::new(Wrong::Nothing),
        |real: &Real, call: &Call| real.call(if *call == Call::Sideways { &Call::Down } else { call }),
    );
    let trial = trial("waits", Count, Policy::any(), sideways, real).settings(seeded(1).cases(50));
    let message = failed(&trial.refused(|_, _| true).verdict());
    assert_contains(&message, "Sideways waits");
}
