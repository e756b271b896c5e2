//! Shared resources in a Java machine.

use crate::support::{assert_contains, seeded};
use gainsay_core::Case;
use gainsay_model::resource::{InChild, Json, Policy, Resource, Round, Seen, Trial, java, json, trial};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A number that does not fall below zero, and tells what it was.
struct Count;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Call {
    Up(u32),
    Down,
}

impl Resource for Count {
    type State = u32;
    type Call = Call;
    type Value = u32;

    fn start(&self) -> u32 {
        0
    }

    fn cpre(&self, count: &u32, call: &Call) -> bool {
        *call != Call::Down || *count > 0
    }

    fn post(&self, count: &u32, call: &Call) -> Vec<(u32, u32)> {
        match call {
            Call::Up(by) => vec![(count + by, *count)],
            Call::Down => vec![(count - 1, *count)],
        }
    }
}

fn any_call(_: &Seen<Count>, case: &mut Case) -> Option<Call> {
    Some(match case.index(3) {
        0 => Call::Down,
        1 => Call::Up(1),
        _ => Call::Up(case.int(2..=3)),
    })
}

fn encode(call: &Call) -> (String, Vec<Json>) {
    match call {
        Call::Up(by) => ("up".into(), vec![json!(by)]),
        Call::Down => ("down".into(), vec![]),
    }
}

fn decode(value: &Json) -> Result<u32, String> {
    value.as_u64().map(|value| value as u32).ok_or_else(|| "a number is wanted".into())
}

/// A class with this body, in a file of its own.
fn file(class: &str, body: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gainsay-model-tests-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{class}.java"));
    std::fs::write(&path, format!("public class {class} {{\n{body}\n}}\n")).unwrap();
    path
}

fn counter_in(path: &Path, class: &str) -> Trial<Count> {
    let real: InChild<Call, u32> = java(&[path], class, [], encode, decode).unwrap();
    trial(class, Count, Policy::any(), any_call, real).settings(seeded(1).cases(60)).phases(15, 3)
}

fn counter(class: &str, body: &str) -> Trial<Count> {
    counter_in(&file(class, body), class)
}

/// A count on the monitor of Java, with what `down` does while there is nothing.
fn with_down(down: &str) -> String {
    format!(
        "private int count = 0;
         public synchronized int up(int by) {{ int before = count; count += by; notifyAll(); return before; }}
         public synchronized int down() throws Exception {{ {down} return count--; }}"
    )
}

/// Calls of earlier objects that nobody could end do so at last, when the next object is at work.
#[test]
fn a_worker_that_was_left_does_not_write_into_the_place_of_another() {
    let body = "private static final Object DOOR = new Object();
        private static int generation = 0;
        private final int own;
        private int count = 0;
        public Left() { synchronized (DOOR) { own = ++generation; } }
        public int up(int by) { synchronized (DOOR) { int before = count; count += by; DOOR.notifyAll(); return before; } }
        public int down() {
            synchronized (DOOR) {
                DOOR.notifyAll();
                while (count == 0) {
                    if (own != generation) throw new IllegalStateException(\"my object is not there any more\");
                    try { DOOR.wait(); } catch (InterruptedException ignored) { }
                }
                return count--;
            }
        }";
    let mut left = counter("Left", body).patience(Duration::from_secs(5), Duration::from_millis(100));
    for round in Round::ALL {
        let report = left.report_round(round).unwrap();
        assert_eq!(report.verdict.to_string(), "passed: 60 cases", "{round}");
        assert_eq!(report.remarks, Vec::<String>::new(), "{round}");
    }
}

/// A server thread for each object, which waits for writers of channels.
#[test]
fn processes_with_channels_come_to_rest() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/model/java/CspCount.java");
    let mut csp = counter_in(&source, "CspCount");
    for round in Round::ALL {
        let report = csp.report_round(round).unwrap();
        assert_eq!(report.verdict.to_string(), "passed: 60 cases", "{round}");
        assert_eq!(report.remarks, Vec::<String>::new(), "{round}");
    }
}

/// One of all objects never comes to rest; or one of five.
#[test]
fn one_test_without_rest_does_not_end_a_round() {
    let restless = |class: &str, which: &str| {
        let body = with_down("").replace(
            "public synchronized int down() throws Exception {",
            &format!(
                "private static int made = 0; private final boolean isRestless = ++made % 5 == 3 && {which};
                private synchronized boolean isEmpty() {{ return count == 0; }}
                private synchronized int taken() throws Exception {{ while (count == 0) wait(); return count--; }}
                public int down() throws Exception {{ while (isRestless && isEmpty()) {{ }} return taken(); }}
                private synchronized int unused() throws Exception {{"
            ),
        );
        let patience = Duration::from_millis(300);
        counter(class, &body).patience(patience, patience).report_round(Round::Progress).unwrap()
    };
    // (Its machine is replaced: who comes first is written down elsewhere.)
    let mark = file("RestlessOnce", "").with_extension("mark");
    let report = restless("RestlessOnce", &format!("new java.io.File({:?}).mkdir()", mark.to_str().unwrap()));
    assert_contains(&report.verdict.to_string(), "passed: 60 cases");
    assert_contains(
        &report.remarks.join("\n"),
        "1 of 60 tests were not judged: it did not come to rest within 300ms (by timeout): Down",
    );
    let report = restless("RestlessAgain", "true");
    assert_contains(&report.verdict.to_string(), "it did not come to rest within 300ms");
}

/// Who is interrupted while he waits, and waits on, is let go by other calls: otherwise machines would be filled with such threads.
#[test]
fn calls_that_cannot_be_interrupted_do_not_use_up_machines() {
    let mark = file("Stubborn", "").with_extension("marks");
    std::fs::write(&mark, "").unwrap();
    let body = format!(
        "static {{ try (java.io.FileWriter marks = new java.io.FileWriter({:?}, true)) {{ marks.write(\"x\"); }}
            catch (java.io.IOException problem) {{ throw new Error(problem); }} }}
        {}",
        mark.to_str().unwrap(),
        with_down("while (count == 0) try { wait(); } catch (InterruptedException ignored) { }")
    );
    let mut stubborn = counter("Stubborn", &body).settings(seeded(1).cases(100));
    for round in Round::ALL {
        assert_eq!(stubborn.verdict_round(round).to_string(), "passed: 100 cases", "{round}");
    }
    let machines = std::fs::read_to_string(&mark).unwrap().len();
    assert!(machines <= 2, "{machines} machines");
}

#[test]
fn a_constructor_that_hangs_or_throws_is_named() {
    let hangs = |class: &str, when: &str| {
        let body = format!(
            "private static int made = 0;
            public {class}() throws Exception {{ if ({when}) synchronized (this) {{ wait(); }} }}\n{}",
            with_down("while (count == 0) wait();")
        );
        counter(class, &body).report().unwrap().verdict
    };
    for (class, when) in [("Hangs", "true"), ("HangsLater", "++made > 5")] {
        let verdict = hangs(class, when);
        let message = &verdict.counterexample().expect("it hangs").message;
        let expected = "constructor: a new one could not be made";
        assert_eq!(*message, format!("{expected}\n  the constructor {class}() did not return within 10s"));
    }
}
