//! Shared resources in a Java machine, and what can go wrong with one.

use crate::support::{assert_contains, gave_up, seeded};
use crate::trials::{Call, Count, any_call};
use gainsay::resource::{InChild, Json, Policy, Round, Trial, Trouble, in_child, java, json, trial};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn encode(call: &Call) -> (String, Vec<Json>) {
    match call {
        Call::Up(by) => ("up".into(), vec![json!(by)]),
        Call::Down => ("down".into(), vec![]),
        Call::Sideways => ("sideways".into(), vec![]),
    }
}

fn decode(value: &Json) -> Result<u32, String> {
    value.as_u64().map(|value| value as u32).ok_or_else(|| "a number is wanted".into())
}

/// A class with this body, in a file of its own.
fn file(class: &str, body: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("gainsay-tests-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{class}.java"));
    let imports = "import java.util.concurrent.*;\nimport java.util.concurrent.locks.*;\n";
    std::fs::write(&path, format!("{imports}public class {class} {{\n{body}\n}}\n")).unwrap();
    path
}

fn subject(class: &str, body: &str) -> Result<InChild<Call, u32>, Trouble> {
    java(&[&file(class, body)], class, [], encode, decode)
}

fn counter(class: &str, body: &str) -> Trial<Count> {
    let real = subject(class, body).unwrap();
    trial(class, Count, Policy::any(), any_call, real).settings(seeded(1).cases(60)).phases(15, 3)
}

/// What the tests are about, right, with the body of `down` to be changed.
fn with_down(down: &str) -> String {
    format!(
        "private int count = 0;
         public synchronized int up(int by) {{ int before = count; count += by; notifyAll(); return before; }}
         public synchronized int down() throws Exception {{ {down} return count--; }}"
    )
}

fn failed(trial: Trial<Count>) -> String {
    let verdict = trial.verdict();
    verdict.counterexample().map(|counterexample| counterexample.message.clone()).unwrap_or_default()
}

#[test]
fn what_is_right_passes_and_what_is_wrong_does_not() {
    let right = counter("Right", &with_down("while (count == 0) wait();"));
    assert_eq!(right.verdict().to_string(), "passed: 60 cases");
    // Threads that wait for a lock look as if they waited for a timer.
    let mut contended = counter(
        "Contended",
        "private final Object door = new Object();
         private final Semaphore permits = new Semaphore(0);
         private int count = 0;
         public int up(int by) { synchronized (this) { int before = count; count += by; permits.release(by); return before; } }
         public int down() throws Exception {
             synchronized (door) { permits.acquire(); synchronized (this) { return count--; } }
         }",
    );
    for round in Round::ALL {
        let verdict = contended.verdict_round(round);
        assert_eq!(verdict.to_string(), "passed: 60 cases", "{round}");
    }
    let message = failed(counter("Once", &with_down("if (count == 0) wait();")));
    assert_contains(&message, "a call r");
    let message = failed(counter("Hasty", &with_down("if (count == 0) return 0;")));
    assert_contains(&message, "phase 1  Down  unblocks Down → 0\nCPRE");
}

#[test]
fn exceptions_and_the_end_of_the_machine_are_told() {
    let message =
        failed(counter("Thrower", &with_down("if (count == 0) throw new IllegalStateException(\"empty\");")));
    assert_contains(&message, "exception: a call panicked or threw");
    assert_contains(&message, "java.lang.IllegalStateException: empty at Thrower.down");
    let message = failed(counter(
        "Quitter",
        &with_down("if (count == 0) { System.err.println(\"good bye\"); System.exit(7); }"),
    ));
    assert_contains(&message, "dead worker: the thread or the process of a call is gone");
    assert_contains(&message, "exit status: 7");
    assert_contains(&message, "good bye");
    let message =
        failed(counter("Unmade", "public Unmade() { throw new IllegalStateException(\"no room\"); }"));
    assert_contains(&message, "constructor: a new one could not be made");
    assert_contains(&message, "no room");
}

#[test]
fn errors_are_told_as_what_they_are() {
    let message = failed(counter("Unready", "static int ready = Integer.parseInt(\"boom\");"));
    assert_contains(&message, "constructor: a new one could not be made");
    assert_contains(&message, "For input string: \"boom\"");
    // What it returns cannot be written, and what it throws cannot be shown.
    let selfish = "public java.util.List<Object> up(int by) {
        java.util.List<Object> list = new java.util.ArrayList<>(); list.add(list); return list; }
        public int down() { throw new RuntimeException() { public String toString() { throw new Error(); } }; }";
    assert_contains(&failed(counter("Selfish", selfish)), "exception: a call panicked or threw");
}

#[test]
fn threads_of_the_class_serve_all_objects() {
    let dispatched = "private static final BlockingQueue<Runnable> WORK = new LinkedBlockingQueue<>();
        static {
            Thread thread = new Thread(() -> {
                try { while (true) WORK.take().run(); } catch (InterruptedException end) { }
            });
            thread.setDaemon(true);
            thread.start();
        }
        private static void dispatched() throws Exception {
            CountDownLatch done = new CountDownLatch(1); WORK.add(done::countDown); done.await(); }";
    let body = with_down("while (count == 0) wait();");
    let body = body.replace(
        "public synchronized int up(int by) {",
        "public int up(int by) throws Exception { dispatched(); return rise(by); }
        private synchronized int rise(int by) {",
    );
    let verdict = counter("Dispatched", &format!("{dispatched}\n{body}")).verdict();
    assert_eq!(verdict.to_string(), "passed: 60 cases");
}

#[test]
fn bystanders_may_go_on_for_ever() {
    let collecting = "static {
            Thread thread = new Thread(() -> { while (true) System.gc(); }, \"bystander that collects\");
            thread.setDaemon(true);
            thread.start();
        }";
    let body = with_down("while (count == 0) wait();");
    let verdict =
        counter("Collected", &format!("{collecting}\n{body}")).settings(seeded(1).cases(10)).verdict();
    assert_eq!(verdict.to_string(), "passed: 10 cases");
}

#[test]
fn what_is_printed_does_not_disturb() {
    let chatty = counter(
        "Chatty",
        &with_down("System.out.println(\"{\\\"returned\\\":0}\"); while (count == 0) wait();"),
    );
    assert_eq!(chatty.verdict().to_string(), "passed: 60 cases");
}

#[test]
fn who_spins_is_noticed_and_its_machine_replaced() {
    let spinning = with_down("").replace(
        "public synchronized int down() throws Exception {",
        "private synchronized boolean isEmpty() { return count == 0; }
         public int down() { while (isEmpty()) { }",
    );
    let patience = Duration::from_millis(300);
    let verdict = counter("Spinner", &spinning).patience(patience, patience).verdict();
    assert_contains(
        gave_up(&verdict),
        "it did not come to rest within 300ms (by timeout): Down may still be running",
    );
}

#[test]
fn timers_are_told_from_waiting() {
    let polling = counter("Poller", &with_down("while (count == 0) wait(3);"))
        .patience(Duration::from_secs(10), Duration::from_millis(10))
        .settings(seeded(1).cases(20))
        .report_round(Round::Progress)
        .unwrap();
    assert!(polling.verdict.is_good(), "{polling}");
    assert_contains(&polling.to_string(), "by timeout: in ");
}

/// What is called on threads of a pool, each time after some work.
fn pooled(pool: &str) -> String {
    let work = "long end = System.nanoTime() + 300_000; while (System.nanoTime() < end) { }";
    format!(
        "{pool}
         private final Count inner = new Count();
         public int up(int by) throws Exception {{ return pool.submit(() -> {{ {work} return inner.up(by); }}).get(); }}
         public int down() throws Exception {{ return pool.submit(() -> {{ {work} return inner.down(); }}).get(); }}
         static class Count {{ {} }}",
        with_down("while (count == 0) wait();")
    )
}

#[test]
fn pools_of_its_own_are_waited_for() {
    let shared = pooled("private static final ExecutorService pool = Executors.newCachedThreadPool();");
    let own = pooled("private final ExecutorService pool = Executors.newFixedThreadPool(64);");
    let common = pooled("private final ForkJoinPool pool = new ForkJoinPool(64);");
    for (class, body) in [("SharedPool", shared), ("OwnPool", own), ("Forking", common)] {
        let verdict = counter(class, &body).settings(seeded(1).cases(8)).verdict();
        assert_eq!(verdict.to_string(), "passed: 8 cases", "{class}");
    }
    // A thread that waits for the hour of its next work waits for a timer.
    let later = "private final ScheduledExecutorService pool = Executors.newScheduledThreadPool(64);";
    let later = pooled(later).replace("{ return pool.submit(() ->", "{ return pool.schedule(() ->");
    let later = later.replace("}).get(); }", "}, 3, TimeUnit.MILLISECONDS).get(); }");
    let report = counter("Later", &later)
        .patience(Duration::from_secs(10), Duration::from_millis(20))
        .settings(seeded(1).cases(5))
        .report_round(Round::Progress)
        .unwrap();
    assert!(report.verdict.is_good(), "{report}");
}

#[test]
fn what_does_not_exist_is_named() {
    let error = subject("Wrong", "this is no Java").unwrap_err().to_string();
    assert_contains(&error, "`javac` refused the sources");
    assert_contains(&error, "Wrong.java");
    let missing: Result<InChild<Call, u32>, _> =
        java(&[Path::new("Nowhere.java")], "Nowhere", [], encode, decode);
    assert_contains(&missing.unwrap_err().to_string(), "failed to read `Nowhere.java`");
    let told = |trial: &mut Trial<Count>| trial.report().unwrap_err().to_string();
    let file = file("Here", &with_down("while (count == 0) wait();"));
    let elsewhere = java(&[&file], "Elsewhere", [], encode, decode).unwrap();
    let mut elsewhere = trial("elsewhere", Count, Policy::any(), any_call, elsewhere).settings(seeded(1));
    assert_contains(&told(&mut elsewhere), "elsewhere cannot be tested: there is no class Elsewhere");
    let given = java(&[&file], "Here", [json!("x")], encode, decode).unwrap();
    let mut given = trial("given", Count, Policy::any(), any_call, given).settings(seeded(1));
    assert_contains(&told(&mut given), "nothing called Here takes (\"x\")");
    let renamed = java(&[&file], "Here", [], |call: &Call| (format!("{call:?}"), vec![]), decode).unwrap();
    let mut renamed = trial("renamed", Count, Policy::any(), any_call, renamed).settings(seeded(1));
    assert_contains(&told(&mut renamed), "nothing called Here.");
}

#[test]
fn a_child_must_keep_to_the_protocol() {
    let child = |script: &'static str| {
        let command = move || {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            Ok(command)
        };
        let real = in_child(command, "Any", [], encode, decode);
        trial("child", Count, Policy::any(), any_call, real)
            .settings(seeded(1))
            .report()
            .unwrap_err()
            .to_string()
    };
    assert_contains(&child("echo what"), "said something that is not in the protocol: what");
    assert_contains(&child("exit 3"), "exit status: 3");
    assert_contains(&child("echo '{\"hello\":1}'; read x; echo '<html>'"), "not in the protocol: <html>");
    let command = || Ok(Command::new("/nowhere/to/be/found"));
    let real = in_child(command, "Any", [], encode, decode);
    let error =
        trial("child", Count, Policy::any(), any_call, real).settings(seeded(1)).report().unwrap_err();
    assert_contains(&error.to_string(), "failed to start `/nowhere/to/be/found`");
}

#[test]
fn no_process_is_left_behind() {
    let real = subject("Ended", &with_down("while (count == 0) wait();")).unwrap();
    let mut trial = trial("ended", Count, Policy::any(), any_call, real).settings(seeded(1).cases(5));
    assert!(trial.report().unwrap().verdict.is_good());
    // The machines of this process; other tests may have theirs.
    let machines = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|process| process.path());
        let is_its = |path: &PathBuf| {
            let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
            let parent = |path: &PathBuf| {
                let status = read(path.join("status"));
                status.lines().find_map(|line| line.strip_prefix("PPid:\t")?.parse::<u32>().ok())
            };
            let line = read(path.join("cmdline"));
            // (A warden stands between.)
            let warden = parent(path).map(|warden| PathBuf::from(format!("/proc/{warden}")));
            let is_ours = warden.and_then(|warden| parent(&warden)) == Some(std::process::id());
            line.contains("/java/") && line.contains("gainsay") && is_ours
        };
        processes.filter(is_its).map(|path| path.file_name().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let before = machines();
    drop(trial);
    assert!(!before.is_subset(&machines()), "{before:?}");
}

#[test]
fn failures_are_exported_as_programs_of_their_own() {
    let wrong = [
        ("Lonely", "notifyAll()", "notify()", "progress: a call waits although it must run"),
        (
            "Boastful",
            "return before",
            "return before + 1",
            "POST: a call returned something else than it may",
        ),
        (
            "Touchy",
            "return before",
            "if (by > 2) throw new Error(\"\\\\users */\"); return before",
            "exception: a call",
        ),
    ];
    for (class, right, mistake, clause) in wrong {
        let body = with_down("while (count == 0) wait();").replace(right, mistake);
        let file = file(class, &body);
        let real = java(&[&file], class, [], encode, decode).unwrap();
        let mut trial =
            trial(class, Count, Policy::any(), any_call, real).settings(seeded(1).cases(200)).phases(15, 3);
        let verdict = trial.report().unwrap().verdict;
        let phases = trial.phases_of(&verdict).expect("it failed");
        let source = phases.to_java(class, &[], encode);
        assert_contains(&source, &format!(" * {clause}"));
        // It is compiled and run beside the class that is wrong, and beside one that is right.
        let folder = file.parent().unwrap().join(format!("replay-{class}"));
        let replay = folder.join(format!("{class}Replay.java"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&replay, source).unwrap();
        let ended_with = |other: &Path| {
            let compiled = Command::new("javac")
                .arg("-J-XX:TieredStopAtLevel=1")
                .arg("-d")
                .arg(&folder)
                .arg(&replay)
                .arg(other)
                .output()
                .unwrap();
            assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
            let ran =
                Command::new("java").arg("-cp").arg(&folder).arg(format!("{class}Replay")).output().unwrap();
            ran.status.code()
        };
        assert_eq!(ended_with(&file), Some(1), "{class}");
        let mended = folder.join(format!("{class}.java"));
        let text = std::fs::read_to_string(&file).unwrap().replace(mistake, right);
        std::fs::write(&mended, text).unwrap();
        assert_eq!(ended_with(&mended), Some(0), "{class}");
    }
}
