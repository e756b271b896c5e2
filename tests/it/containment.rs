//! Containment: loops without end, aborts, overflows; hooks; interrupts.

use crate::child::{Ended, Lab, wait_for};
use crate::support::{assert_contains, found, gave_up, seeded};
use gainsay::EXIT_HANG;
use std::fs;
use std::time::Duration;

const SHORT: (&str, &str) = ("GAINSAY_CASE_TIME_MS", "300");

/// The watchdog has ended the process, has said so, and has saved the case.
#[track_caller]
fn assert_hang(lab: &Lab, ended: &Ended, scenario: &str) {
    assert_eq!(ended.code, Some(EXIT_HANG), "{ended:?}");
    assert_contains(&ended.err, &format!("{scenario}: a case hangs: it took longer than 300ms"));
    assert_contains(&ended.err, "the process ends with code 86");
    let [entry] = lab.entries().try_into().unwrap();
    assert_contains(&ended.err, &format!("saved   {}", entry.display()));
    assert_contains(&fs::read_to_string(&entry).unwrap(), "status: failing\nkind: hang");
}

#[test]
fn an_endless_loop_ends_with_a_code_an_entry_and_a_replay_line() {
    assert_eq!(EXIT_HANG, 86, "as documented");
    for scenario in ["hangs", "hangs early"] {
        let lab = Lab::new(&scenario.replace(' ', "-"));
        let ended = lab.run(scenario, &[SHORT]);
        assert_hang(&lab, &ended, scenario);
        // By its line and from the corpus the case hangs again; a case that holds does not.
        let replayed = lab.run(scenario, &[SHORT, ("GAINSAY_REPLAY", &ended.replay())]);
        assert_eq!(replayed.code, Some(EXIT_HANG), "{replayed:?}");
        let again = lab.run(scenario, &[SHORT, ("GAINSAY_CASES", "1")]);
        assert!(again.code != Some(0) && again.err.contains("hangs"), "{again:?}");
        let other = lab.run(scenario, &[SHORT, ("GAINSAY_REPLAY", "1:1:0")]);
        assert_eq!(other.code, Some(0), "{other:?}");
    }
}

#[test]
fn a_case_that_hangs_while_another_is_shrunk_is_kept_so_that_it_hangs_again() {
    let lab = Lab::new("hangs-while-shrinking");
    let ended = lab.run("hangs while shrinking", &[SHORT]);
    assert_eq!(ended.code, Some(EXIT_HANG), "{ended:?}");
    let replayed = lab.run("hangs while shrinking", &[SHORT, ("GAINSAY_REPLAY", &ended.replay())]);
    assert_eq!(replayed.code, Some(EXIT_HANG), "by its line: {replayed:?}");
    let hanging = |path: &std::path::PathBuf| fs::read_to_string(path).unwrap().contains("kind: hang");
    let entry = lab.entries().into_iter().find(hanging).unwrap();
    let name = format!("entry={}", entry.file_stem().unwrap().to_string_lossy());
    let replayed = lab.run("hangs while shrinking", &[SHORT, ("GAINSAY_REPLAY", &name)]);
    assert_eq!(replayed.code, Some(EXIT_HANG), "from its file: {replayed:?}");
    // The failure that was being shrunk is kept as well.
    let failing = |path: &std::path::PathBuf| fs::read_to_string(path).unwrap().contains("too large");
    assert!(lab.entries().iter().any(failing), "{:?}", lab.entries());
}

#[test]
fn a_hang_on_one_of_several_threads_names_the_case_that_hangs() {
    let lab = Lab::new("hangs-on-a-thread");
    let ended = lab.run("hangs on a thread", &[SHORT]);
    assert_hang(&lab, &ended, "hangs on a thread");
    let replayed = lab.run("hangs on a thread", &[SHORT, ("GAINSAY_REPLAY", &ended.replay())]);
    assert_eq!(replayed.code, Some(EXIT_HANG), "another case was named: {replayed:?}");
}

#[test]
fn slow_cases_on_several_threads_are_not_taken_for_a_hang() {
    let lab = Lab::new("slow");
    let ended = lab.run("slow on threads", &[SHORT]);
    assert_eq!(ended.code, Some(0), "each case takes 8 ms: {ended:?}");
}

#[test]
fn an_interrupt_while_shrinking_loses_nothing() {
    let lab = Lab::new("interrupted");
    let mut child = lab.start("interrupted", &[]);
    wait_for(|| lab.out().contains("shrinking").then_some(())).expect("a failure is being shrunk");
    child.kill().unwrap();
    lab.finish(child);
    lab.assert_no_orphans();
    let [entry] = lab.entries().try_into().unwrap();
    assert_contains(&fs::read_to_string(&entry).unwrap(), "status: failing");
    // The next run begins with it.
    let again = lab.run(
        "interrupted",
        &[("GAINSAY_REPLAY", &format!("entry={}", entry.file_stem().unwrap().display()))],
    );
    assert_eq!(again.code, Some(101), "{again:?}");
}

#[test]
fn after_an_abort_the_next_run_names_the_case() {
    for scenario in ["aborts", "aborts early"] {
        let lab = Lab::new(&scenario.replace(' ', "-"));
        let first = lab.run(scenario, &[]);
        assert_eq!(
            (first.code, lab.entries().len()),
            (None, 0),
            "ended by a signal, with nothing said: {first:?}"
        );
        let second = lab.run(scenario, &[]);
        assert_contains(&second.err, "an earlier run was ended by its case");
        assert_contains(&second.err, "crash: aborted (signal 6)");
        assert_contains(&second.err, "run the test with `isolate` to shrink it");
        let [entry] = lab.entries().try_into().unwrap();
        assert_contains(
            &fs::read_to_string(entry).unwrap(),
            "status: failing\nkind: crash: aborted (signal 6)",
        );
    }
}

#[test]
fn a_run_that_came_to_its_end_leaves_no_journal() {
    let lab = Lab::new("journal");
    let ended = lab.run("holds", &[]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let left: Vec<_> = lab
        .folder
        .files()
        .into_iter()
        .filter(|path| path.starts_with(lab.folder.path().join("tmp")))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let again = lab.run("holds", &[]);
    assert_eq!(again.err, "");
}

/// In isolation the scenario shrinks to this, in this way; run again, it begins with its entry.
#[track_caller]
fn assert_isolated(scenario: &str, environment: &[(&str, &str)], minimum: &str, message: &str) {
    let lab = Lab::new(&scenario.replace(' ', "-"));
    let ended = lab.run(scenario, environment);
    assert_eq!(ended.code, Some(101), "{ended:?}");
    assert_contains(&ended.err, minimum);
    assert_contains(&ended.err, message);
    assert!(!ended.err.contains("another failure"), "one bug is one failure: {ended:?}");
    let replayed = lab.run(scenario, &[environment, &[("GAINSAY_REPLAY", &ended.replay())]].concat());
    assert_eq!(replayed.code, Some(101), "{replayed:?}");
    assert_contains(&replayed.err, minimum);
    assert_contains(&lab.run(scenario, environment).err, "from the corpus");
}

#[test]
fn an_abort_in_isolation_is_a_failure_that_shrinks() {
    assert_isolated("isolated abort", &[], "#1 = [1000]", "the process aborted (signal 6)");
    assert_isolated("isolated abort of a check", &[], "1000", "the process aborted (signal 6)");
}

#[test]
fn panics_that_end_the_process_say_what_led_to_it() {
    let lab = Lab::new("panics-and-aborts");
    let ended = lab.run("panics and aborts", &[]);
    assert_eq!(ended.code, None, "ended by a signal: {ended:?}");
    assert_contains(&ended.err, ": the first panic\n");
    assert_contains(&ended.err, ": and the destructor too\n");
    let lab = Lab::new("isolated-panics-and-abort");
    let ended = lab.run("isolated panics and abort", &[]);
    assert_eq!(ended.code, Some(101), "{ended:?}");
    assert_contains(&ended.err, "#1 = [1000]");
    assert_contains(&ended.err, ": the first panic\n");
}

#[test]
fn a_stack_overflow_in_isolation_is_a_failure_that_shrinks() {
    assert_isolated("isolated overflow", &[], "#1 = [0, 0, 0, 0, 0, 0, 0]", "has overflowed its stack");
}

#[test]
fn what_a_child_says_last_is_heard() {
    assert_isolated("isolated and loud", &[], "#1 = [0, 0, 0, 0, 0, 0, 0]", "has overflowed its stack");
}

#[test]
fn a_hang_in_isolation_is_a_failure_that_shrinks() {
    assert_isolated(
        "isolated hang",
        &[("GAINSAY_CASE_TIME_MS", "60")],
        "#1 = 77",
        "hangs: no end within 60ms",
    );
}

#[test]
fn an_exit_in_isolation_is_a_failure_that_shrinks() {
    assert_isolated("isolated exit", &[], "#1 = 50", "the process exited with code 3");
}

#[test]
fn a_panic_in_isolation_is_what_it_is_elsewhere() {
    assert_isolated("isolated panic", &[], "#1 = [1000]", "a panic");
}

#[test]
fn the_cases_are_the_same_in_isolation() {
    let beginning = |scenario: &str| {
        let ended = Lab::new(&format!("same-{scenario}").replace(' ', "-")).run(scenario, &[]);
        let found = |part: &str| ended.err.lines().find(|line| line.contains(part)).map(String::from);
        let after = found("falsified after").unwrap();
        let before = found("shrunk to").unwrap();
        (after.rsplit(' ').nth(1).map(String::from), before.split(" shrunk").next().map(String::from))
    };
    assert_eq!(beginning("isolated panic"), beginning("panic"));
}

#[test]
fn isolation_works_inside_the_test_harness() {
    let run = || seeded(1).random_only().isolate().limits(|limits| limits.case_time_max = Duration::MAX);
    // Several properties in one test: the child serves the one that was asked for.
    let holds = run().cases(50).verdict_for_all(|n: u32| u64::from(n) < 1 << 32);
    assert_eq!(holds.to_string(), "passed: 50 cases");
    let aborts = run().verdict_for_all(|n: u32, list: Vec<u8>| {
        if n >= 1000 && list.len() > 1 {
            std::process::abort();
        }
    });
    assert_eq!(found(&aborts).shown(), "#1 = 1000, #2 = [0, 0]");
    assert_contains(&found(&aborts).message, "the process aborted (signal 6)");
}

#[test]
fn an_exhaustive_run_says_that_it_cannot_be_isolated() {
    let verdict = seeded(1).exhaustive().isolate().verdict_for_all(|_: bool| true);
    assert_contains(gave_up(&verdict), "cannot be isolated");
}

#[test]
fn what_holds_in_isolation_passes() {
    let lab = Lab::new("isolated-and-holds");
    let ended = lab.run("isolated and holds", &[]);
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (Some(0), "came to its end\n", ""));
}

#[test]
fn given_values_are_isolated_too() {
    let lab = Lab::new("isolated-and-given");
    let ended = lab.run("isolated and given", &[]);
    assert_eq!(ended.code, Some(101), "the abort was not contained: {ended:?}");
    assert_contains(&ended.err, "value = 3");
}

#[test]
fn labels_notes_and_rejections_come_out_of_isolation() {
    let lab = Lab::new("isolated-and-rejected");
    let ended = lab.run("isolated and rejected", &[]);
    assert_contains(&ended.out, "n = 200");
    assert_contains(&ended.out, " %  large");
}

#[test]
fn a_child_does_not_outlive_its_parent() {
    let lab = Lab::new("endless-child");
    let mut child = lab.start("endless child", &[("GAINSAY_CASE_TIME_MS", "60000")]);
    let sign = lab.folder.path().join("tmp").join("hanging");
    wait_for(|| sign.exists().then_some(())).expect("the child hangs");
    assert_eq!(lab.processes().len(), 2);
    child.kill().unwrap();
    lab.finish(child);
    lab.assert_no_orphans();
}

#[test]
fn only_what_happens_inside_a_case_is_silent() {
    let lab = Lab::new("hooks");
    let ended = lab.run("hooks", &[]);
    assert_contains(&ended.out, "a panic inside");
    assert!(!ended.err.contains("a panic inside"), "{}", ended.err);
    // The case of 1000 is run several times: to find, to confirm, to shrink and to show it.
    assert_contains(&ended.err, "[the first hook]\n");
    assert_contains(&ended.err, "a panic elsewhere");
    let after = ended.err.split("[the second hook]").nth(1).unwrap();
    assert!(
        after.starts_with("\n[the first hook]\n") && after.contains("a panic afterwards"),
        "{}",
        ended.err
    );
}

#[test]
fn a_subject_whose_hook_is_silent_does_not_silence_the_report() {
    let lab = Lab::new("silent-hook");
    let ended = lab.run("silent hook", &[]);
    assert_eq!(ended.code, Some(101), "{ended:?}");
    assert_contains(&ended.err, "#1 = 700");
}

#[test]
fn a_subject_that_replaces_the_hook_still_fails_with_its_message() {
    let lab = Lab::new("hook-of-another");
    let ended = lab.run("hook of another", &[]);
    assert_contains(&ended.out, "too large");
    assert_contains(&ended.out, "#1 = 1000001");
    assert_contains(&ended.out, "suspicious");
}
