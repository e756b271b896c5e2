//! Programs and servers tested by a machine, by lines that they are told and say.

use crate::support::seeded;
use gainsay::machine::{Answers, Finite, Program, conformance, polled, program, server, translated};
use gainsay::{Report, settings};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

/// A lamp with two buttons; the second one asks.
fn lamp() -> Finite<String, String, String> {
    let dot = "digraph { __start0 -> off; off -> on [label=\"press / click\"]; on -> off [label=\"press / clack\"]; \
               off -> off [label=\"ask / dark\"]; on -> on [label=\"ask / light\"]; }";
    Finite::from_dot(dot).unwrap()
}

/// A program of the shell that answers each line.
fn shell(answer: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("n=0; while read -r line; do {answer}; done")]);
    command
}

const RIGHT: &str = "case $line in reset) n=0; echo;; ask) [ $n = 1 ] && echo light || echo dark;; *) n=$((1-n)); [ $n = 1 ] \
                     && echo click || echo clack;; esac";

fn tested(program: Program) -> Result<Report, gainsay::Error> {
    let settings = settings().seed(1).without_corpus();
    let inputs = ["press", "ask"].map(String::from);
    conformance("lamp", lamp(), program).inputs(inputs).settings(settings).cases(5).length(10).report()
}

fn shown(program: Program) -> String {
    tested(program).unwrap().verdict.to_string()
}

#[test]
fn programs_that_do_as_specified_are_proved_to() {
    let report = tested(program(shell(RIGHT)).reset_by("reset")).unwrap();
    assert!(report.verdict.to_string().starts_with("proved up to 3 states: all"), "{}", report.verdict);
    // A program that cannot be told to start anew is started anew.
    let report = tested(program(shell(RIGHT))).unwrap();
    assert!(report.verdict.to_string().starts_with("proved up to 3 states: all"), "{}", report.verdict);
}

#[test]
fn programs_that_do_not_are_found_out_and_shrunk() {
    let third = "case $line in reset) n=0; echo;; ask) [ $((n%2)) = 1 ] && echo light || echo dark;; *) n=$((n+1)); [ $n = 3 ] \
                 && echo bang || { [ $((n%2)) = 1 ] && echo click || echo clack; };; esac";
    let verdict = tested(program(shell(third)).reset_by("reset")).unwrap().verdict;
    let notes: Vec<&str> =
        verdict.counterexample().unwrap().notes.iter().map(|note| note.value.as_str()).collect();
    assert_eq!(notes, ["\"press\" → [\"click\"]", "\"press\" → [\"clack\"]", "\"press\" → [\"bang\"]"]);
}

#[test]
fn answers_may_have_several_lines_or_be_json() {
    let marked = RIGHT.to_string() + "; echo .";
    assert!(shown(program(shell(&marked)).answers(Answers::Until(".".into()))).starts_with("proved"));
    let json = "case $line in *reset*) n=0; echo '{\"ready\":true}';; *ask*) [ $n = 1 ] && echo '{\"outputs\":[\"light\"]}' || echo \
                '{\"outputs\":[\"dark\"]}';; *) n=$((1-n)); [ $n = 1 ] && echo '{\"outputs\":[\"click\"]}' || echo \
                '{\"outputs\":[\"clack\"]}';; esac";
    assert!(shown(program(shell(json)).answers(Answers::Json)).starts_with("proved"));
}

#[test]
fn whoever_answers_when_he_likes_is_judged_by_an_assumption() {
    // (Longer than a shell takes to answer on a busy machine: what comes later is taken for an answer to the next input.)
    let quiet = Answers::Quiet(Duration::from_millis(300));
    let settings = settings().seed(1).without_corpus();
    let implementation = program(shell(RIGHT)).reset_by("reset").answers(quiet);
    let mut tested = conformance("lamp", lamp(), implementation)
        .inputs(["press", "ask"].map(String::from))
        .settings(settings);
    let report = tested.report_suite(gainsay::machine::Method::H, 0).unwrap();
    let remark = "this rests on time: nothing comes of an input when nothing has come of it for 300 ms";
    assert!(report.remarks.iter().any(|told| told == remark), "{:?}", report.remarks);
    assert!(
        format!("{:?}", report.verdict).contains("nothing has come of it for 300 ms"),
        "{:?}",
        report.verdict
    );
}

#[test]
fn programs_that_end_hang_or_babble_are_failures_of_their_own() {
    let ends =
        shown(program(shell(&format!("[ $line = ask ] && {{ echo 'no such lamp' >&2; exit 7; }}; {RIGHT}"))));
    assert!(ends.contains("exit status: 7") && ends.contains("no such lamp"), "{ends}");
    let begun = Instant::now();
    // It answers no line: one that it does answer might take longer than the limit on a busy machine, and then the failure would be flaky.
    let hangs = shown(program(shell("sleep 1000")).limit(Duration::from_millis(200)));
    assert!(hangs.contains("no answer within 0.2 s (by timeout)"), "{hangs}");
    assert!(begun.elapsed() < Duration::from_secs(60));
    let garbage = shown(program(shell("echo 17")).answers(Answers::Json));
    assert!(garbage.contains("\"17\""), "{garbage}");
    let babbles = shown(program(shell("yes")).answers(Answers::Until(".".into())));
    assert!(babbles.contains("more than 10000 lines came of one input"), "{babbles}");
}

#[test]
fn what_cannot_be_started_is_no_verdict() {
    let error = tested(program(Command::new("no-such-lamp"))).unwrap_err().to_string();
    assert!(error.contains("lamp cannot be tested") && error.contains("`no-such-lamp`"), "{error}");
    // The near end of a connection has a port, and does not listen at it: so nobody else does.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error = tested(server(&address).limit(Duration::from_millis(100))).unwrap_err().to_string();
    assert!(error.contains(&format!("failed to connect to `{address}`")), "{error}");
    let error = tested(server("nowhere")).unwrap_err().to_string();
    assert!(error.contains("failed to connect to `nowhere`"), "{error}");
}

/// A server of this process: each connection has a lamp of its own, and hangs up after so many lines.
fn serve(lines_max: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut answers = stream.try_clone().unwrap();
            let mut is_on = false;
            for line in BufReader::new(stream).lines().map_while(Result::ok).take(lines_max) {
                is_on ^= line == "press";
                let answer = match (line.as_str(), is_on) {
                    ("press", true) => "click",
                    ("press", false) => "clack",
                    (_, true) => "light",
                    (_, false) => "dark",
                };
                if writeln!(answers, "{answer}\r").is_err() {
                    break;
                }
            }
        }
    });
    address
}

#[test]
fn servers_are_tested_by_connections() {
    let report = tested(server(serve(usize::MAX))).unwrap();
    assert!(report.verdict.to_string().starts_with("proved up to 3 states: all"), "{}", report.verdict);
    let ends = shown(server(serve(2)));
    assert!(ends.contains("has closed the connection"), "{ends}");
}

#[test]
fn clocks_of_this_process_run_until_nobody_waits_for_them() {
    /// Rings some time after it was pressed.
    struct Bell {
        now: u64,
        rings_at: Vec<u64>,
    }
    let bell =
        gainsay::machine::machine((), |(): &(), times: &u64| [((), (0..*times).map(|_| "ring").collect())]);
    let make = |most: usize| {
        polled(
            || Bell { now: 0, rings_at: Vec::new() },
            move |bell: &mut Bell, times: &u64| {
                bell.rings_at.extend((1..=*times).map(|time| bell.now + 1000 * time).take(most));
            },
            |bell: &mut Bell| {
                let next = (!bell.rings_at.is_empty()).then(|| bell.rings_at.remove(0))?;
                bell.now = next;
                Some("ring")
            },
        )
    };
    conformance("bell", &bell, make(9)).inputs([1, 2, 3]).settings(seeded(1).cases(20)).check();
    let verdict =
        conformance("bell", &bell, make(2)).inputs([1, 2, 3]).settings(seeded(1).cases(20)).verdict();
    assert_eq!(verdict.counterexample().unwrap().notes[0].value, "3 → [\"ring\", \"ring\"]");
    let endless = polled(|| (), |(): &mut (), _: &u64| (), |(): &mut ()| Some("ring"));
    let verdict = conformance("bell", &bell, endless).inputs([1]).settings(seeded(1).cases(20)).verdict();
    assert!(verdict.to_string().contains("more than 10000 outputs came of one input"), "{verdict}");
}

#[test]
fn inputs_and_outputs_may_be_translated() {
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    struct Press;
    let counts = gainsay::machine::machine(0, |count: &u32, _: &Press| [((count + 1) % 3, vec![*count])]);
    let count = |most: u32| {
        let mut command = shell(&format!("echo $n; n=$(((n+1)%{most}))"));
        command.env("LANG", "C");
        translated(
            program(command),
            |_: &Press| "press".to_string(),
            |answer| answer.parse::<u32>().map_err(|error| format!("{answer:?} is no number: {error}")),
        )
    };
    conformance("counts", &counts, count(3)).inputs([Press]).settings(seeded(1).cases(3)).length(9).check();
    let verdict = conformance("counts", &counts, count(4))
        .inputs([Press])
        .settings(seeded(1).cases(9))
        .length(9)
        .verdict();
    assert_eq!(verdict.counterexample().unwrap().notes.len(), 4, "{verdict}");
}

#[test]
fn an_answer_has_one_limit_however_many_lines_it_has() {
    let dribbles = || {
        let mut command = Command::new("sh");
        command.args(["-c", "read x; while :; do echo tick; sleep 0.05; done"]);
        program(command).limit(Duration::from_millis(200))
    };
    let begun = Instant::now();
    for answers in [Answers::Until(".".into()), Answers::Quiet(Duration::from_millis(100))] {
        let verdict = shown(dribbles().answers(answers));
        assert!(verdict.contains("(by timeout)"), "{verdict}");
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn long_lines_go_both_ways_at_once() {
    let echo = gainsay::machine::machine((), |(): &(), input: &String| [((), vec![input.clone()])]);
    let inputs = ["x".repeat(400_000)];
    conformance("echo", echo, program(Command::new("cat")).limit(Duration::MAX))
        .inputs(inputs)
        .cases(3)
        .length(3)
        .check();
}
