//! Runs that are aborted, or end while something that the system has started goes on: nobody is left behind.

use crate::desk::{ANSWERS, Desk};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Systems that do not want to end: their name, and a script. The innermost process makes a file when it is there.
const SYSTEMS: [(&str, &str); 5] = [
    ("deaf", "trap '' TERM INT HUP; echo '{\"idle\":true}'; : > there; while :; do sleep 1; done"),
    (
        "session",
        "echo '{\"idle\":true}'; setsid sh -c ': > there; while :; do sleep 1; done' & cat > /dev/null",
    ),
    ("forks-twice", "echo '{\"idle\":true}'; (setsid sh -c ': > there; exec sleep 600' &) & cat > /dev/null"),
    (
        "ends",
        "(setsid sh -c ': > there; exec sleep 600' > /dev/null 2>&1 &) ; while [ ! -e there ]; do :; done",
    ),
    ("floods", ": > there; while :; do echo '{\"at_ms\":0,\"channel\":\"/out\",\"msg\":{\"n\":1}}'; done"),
];

/// Waits for something, and says whether it came in time.
fn in_time(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > limit {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    true
}

/// The processes that were started with this variable, or by one of them.
fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("GAINSAY_ABORTED={mark}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_marked = |path: &std::path::Path| {
        fs::read(path.join("environ")).is_ok_and(|all| String::from_utf8_lossy(&all).contains(&wanted))
    };
    let found = processes.map(|process| process.path()).filter(|path| is_marked(path));
    found
        .map(|path| fs::read_to_string(path.join("cmdline")).unwrap_or_default().replace('\0', " "))
        .collect()
}

fn aborted(system: &str, script: &str, signal: Option<&str>) {
    let mark = format!("{system}-{}-{}", signal.unwrap_or("ends"), std::process::id());
    let desk = Desk::new(&format!("aborted-{mark}"));
    desk.write("system.sh", script);
    desk.system(
        "start = [\"sh\", \"system.sh\"]",
        "start_ms = 60000",
        "globally: /in causes /out within 1 s",
    );
    let mut gainsay = desk
        .command(&["test", "system.toml", "--seed", "1", "--no-corpus"])
        .env("GAINSAY_ABORTED", &mark)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    if let Some(signal) = signal {
        assert!(in_time(Duration::from_secs(30), || desk.folder().join("there").exists()), "{mark}");
        assert!(marked(&mark).len() > 1, "{mark}: the system is there");
        let sent = Command::new("kill").args([&format!("-{signal}"), &gainsay.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }
    assert!(in_time(Duration::from_secs(60), || gainsay.try_wait().unwrap().is_some()), "{mark} goes on");
    let is_over = in_time(Duration::from_secs(5), || marked(&mark).is_empty());
    assert!(is_over, "{mark}: {:?} are left", marked(&mark));
}

#[test]
fn nobody_is_left_behind_by_an_aborted_run() {
    for (system, script) in SYSTEMS {
        for signal in ["INT", "TERM", "HUP", "KILL"] {
            // (It may be over before it can be aborted.)
            if system != "ends" {
                aborted(system, script, Some(signal));
            }
        }
    }
}

#[test]
fn nobody_is_left_behind_by_a_run_that_ends() {
    for (system, script) in SYSTEMS.into_iter().filter(|(system, _)| ["ends", "floods"].contains(system)) {
        aborted(system, script, None);
    }
}

#[test]
fn what_was_found_is_told_when_a_run_is_interrupted() {
    let desk = Desk::new("aborted-told");
    // It answers everything but a 7, with which it never ends.
    desk.script(
        &format!("case \"$line\" in *'\"n\":7'*) : > there; sleep 600 ;; *) {ANSWERS} ;; esac"),
        "answer_ms = 600000",
        "# id: small\nglobally: no /out {n > 0}\n# id: answered\nglobally: /in {n = 7} causes /out within 1 s\n# id: last\n\
         globally: no /out {n > 9}\n",
    );
    for (signal, format) in [("INT", "text"), ("TERM", "json"), ("HUP", "junit")] {
        let _ = fs::remove_file(desk.folder().join("there"));
        let gainsay = desk
            .command(&[
                "test",
                "system.toml",
                "--seed",
                "1",
                "--no-corpus",
                "--cases",
                "50",
                "--format",
                format,
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        assert!(in_time(Duration::from_secs(60), || desk.folder().join("there").exists()), "{signal}");
        let sent = Command::new("kill").args([&format!("-{signal}"), &gainsay.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let output = gainsay.wait_with_output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{signal}: {out}");
        let parts = match format {
            "text" => ["✗ small", "? answered", "interrupted by SIGINT before it was decided", "? last"],
            "json" => ["\"verdict\":\"falsified\"", "\"verdict\":\"interrupted\"", "SIGTERM", "\"last\""],
            _ => ["<testsuite ", "</testsuites>", "interrupted by SIGHUP", "name=\"last\""],
        };
        parts.iter().for_each(|part| assert!(out.contains(part), "{signal}: no `{part}` in\n{out}"));
    }
}

/// Interrupts a run when something has been reached; its exit code, and what it said.
fn interrupted(
    desk: &Desk,
    mut gainsay: Child,
    signal: &str,
    is_reached: impl FnMut() -> bool,
) -> (Option<i32>, String) {
    let reached = in_time(Duration::from_secs(60), is_reached);
    let sent = Command::new("kill").args([&format!("-{signal}"), &gainsay.id().to_string()]).status();
    assert!(reached && sent.unwrap().success(), "{}", desk.folder().display());
    // (Whatever is said, it ends soon.)
    let begun = Instant::now();
    let standing = gainsay.stdin.take();
    let output = gainsay.wait_with_output().unwrap();
    drop(standing);
    assert!(begun.elapsed() < Duration::from_secs(20), "{}", desk.folder().display());
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn started(desk: &Desk, arguments: &[&str]) -> Child {
    let mut command = desk.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_failure_that_is_still_being_shrunk_is_told_when_a_run_is_interrupted() {
    let desk = Desk::new("aborted-shrinking");
    // It answers wrongly in one run, and never ends when it is asked in another.
    desk.write(
        "system.sh",
        "[ -e first ] && again=1; echo '{\"idle\":true}'\nwhile read -r line; do case \"$line\" in\n\
         *reset*) [ -e first ] && again=1; echo '{\"idle\":true}' ;;\n\
         *channel*) if [ \"$again\" ]; then : > there; sleep 600; fi; \
         : > first; echo \"${line%%,*},\\\"channel\\\":\\\"/out\\\",\\\"msg\\\":{\\\"n\\\":500}}\" ;;\n\
         *) echo '{\"idle\":true}' ;; esac; done\n",
    );
    desk.system(
        "start = [\"sh\", \"system.sh\"]",
        "answer_ms = 600000",
        "# id: small\nglobally: no /out {n > 100}\n",
    );
    for (format, parts) in [
        (
            "text",
            [
                "✗ small",
                "falsified, and interrupted by SIGTERM",
                "replay  gainsay replay --corpus corpus system.toml small ",
            ],
        ),
        ("json", ["\"verdict\":\"falsified\"", "\"interrupted\":\"SIGTERM\"", "\"replay\":\"gainsay replay"]),
        ("junit", ["failures=\"1\"", "interrupted by SIGTERM", "</testsuites>"]),
    ] {
        for file in ["there", "first"] {
            let _ = fs::remove_file(desk.folder().join(file));
        }
        let _ = fs::remove_dir_all(desk.folder().join("corpus"));
        let gainsay =
            started(&desk, &["test", "system.toml", "--seed", "1", "--corpus", "corpus", "--format", format]);
        let there = desk.folder().join("there");
        let (code, out) = interrupted(&desk, gainsay, "TERM", || there.exists());
        assert_eq!(code, Some(1), "{format}: {out}");
        parts.iter().for_each(|part| assert!(out.contains(part), "{format}: no `{part}` in\n{out}"));
        let kept = fs::read_dir(desk.folder().join("corpus")).unwrap().count();
        assert_eq!(kept, 1, "{format}");
    }
}

#[test]
fn tests_of_machines_mutants_and_recordings_tell_what_they_know_when_they_are_interrupted() {
    let desk = Desk::new("aborted-others");
    let is_there = |desk: &Desk| {
        let there = desk.folder().join("there");
        move || there.exists()
    };
    desk.write("m.dot", "digraph { __start0 -> a; a -> a [label=\"i/o\"]; }\n");
    let program = ["--", "sh", "-c", ": > there; sleep 600"];
    let machine = ["test", "m.dot", "--timeout", "600"];
    let gainsay = started(&desk, &[&machine[..], &program].concat());
    let (code, out) = interrupted(&desk, gainsay, "INT", is_there(&desk));
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("interrupted by SIGINT before it was decided"), "{out}");

    // The third system that is started never answers.
    fs::remove_file(desk.folder().join("there")).unwrap();
    desk.script(
        &format!("echo x >> asked; [ $(wc -l < asked) -gt 3000 ] && {{ : > there; sleep 600; }}; {ANSWERS}"),
        "answer_ms = 600000",
        "# id: answered\nglobally: /in {n > 5} causes /out {n = 1} within 100 ms\n",
    );
    let gainsay = started(&desk, &["mutate", "system.toml", "--seed", "1", "--cases", "20"]);
    let (code, out) = interrupted(&desk, gainsay, "TERM", is_there(&desk));
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("  interrupted by SIGTERM after "), "{out}");

    // A recording that goes on: what was violated so far is told.
    desk.write("p.hpl", "globally: no /bad\n");
    let mut gainsay = started(&desk, &["monitor", "p.hpl", "-"]);
    let mut typed = gainsay.stdin.take().unwrap();
    let line = "{\"at_ms\":1,\"channel\":\"/bad\",\"msg\":{}}\n{\"at_ms\":2,\"chan";
    std::io::Write::write_all(&mut typed, line.as_bytes()).unwrap();
    gainsay.stdin = Some(typed);
    // (It reads what was written, and then waits for more.)
    let fdinfo = format!("/proc/{}/task", gainsay.id());
    let has_reader = || fs::read_dir(&fdinfo).is_ok_and(|threads| threads.count() >= 3);
    let (code, out) = interrupted(&desk, gainsay, "INT", has_reader);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("at 1 ms"), "{out}");
}

#[test]
fn whoever_does_not_read_what_is_told_keeps_no_interrupt_waiting() {
    let desk = Desk::new("aborted-unread");
    let properties: String =
        (0..2000).map(|number| format!("# id: p{number}\nglobally: /in causes /out within 1 s\n")).collect();
    desk.script(": > there; sleep 600", "answer_ms = 600000", &properties);
    let mut gainsay =
        started(&desk, &["test", "system.toml", "--seed", "1", "--no-corpus", "--format", "json"]);
    assert!(in_time(Duration::from_secs(60), || desk.folder().join("there").exists()));
    let sent = Command::new("kill").args(["-INT", &gainsay.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert!(in_time(Duration::from_secs(20), || gainsay.try_wait().unwrap().is_some()), "it goes on");
    assert_eq!(gainsay.wait().unwrap().code(), Some(130));
}
