//! Programs and servers tested by a machine, and machines drawn, compared, minimised and tried out.

use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const LAMP: &str = "digraph { __start0 -> off; off -> on [label=\"press / click\"]; on -> off [label=\"press / clack\"]; \
                    off -> off [label=\"ask / dark\"]; on -> on [label=\"ask / light\"]; }";

/// A lamp in the shell: it takes `reset`, too.
const RIGHT: &str = "n=0; while read -r line; do case $line in reset) n=0; echo;; ask) [ $n = 1 ] && echo light || echo dark;; \
                     *) n=$((1-n)); [ $n = 1 ] && echo click || echo clack;; esac; done";

/// It never goes out.
const WRONG: &str = "n=0; while read -r line; do case $line in ask) [ $n = 1 ] && echo light || echo dark;; \
                     *) [ $n = 1 ] && echo clack || echo click; n=1;; esac; done";

/// A folder of its own, gone in the end.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Desk {
        let folder = std::env::temp_dir().join(format!("gainsay-cli-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let desk = Desk(folder);
        desk.write("lamp.dot", LAMP);
        desk
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// What is said, and the exit code.
    fn gainsay(&self, arguments: &[&str]) -> (String, i32) {
        self.gainsay_told(arguments, "")
    }

    fn gainsay_told(&self, arguments: &[&str], typed: &str) -> (String, i32) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gainsay"))
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let ended = child.wait_with_output().unwrap();
        let said = [ended.stdout, ended.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (said.concat(), ended.status.code().unwrap_or(-1))
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[track_caller]
fn assert_said(said: &(String, i32), code: i32, parts: &[&str]) {
    assert_eq!(said.1, code, "{}", said.0);
    parts.iter().for_each(|part| assert!(said.0.contains(part), "`{part}` is missing in:\n{}", said.0));
}

#[test]
fn a_program_whose_start_goes_wrong_later_is_never_proved() {
    for start in [2, 5, 15] {
        let desk = Desk::new(&format!("drifts-{start}"));
        let drifts = format!(
            "c=$(cat count 2>/dev/null || echo 0); c=$((c+1)); echo $c > count; n=0; [ $c -ge {start} ] && n=1; {}",
            RIGHT.trim_start_matches("n=0;")
        );
        let said =
            desk.gainsay(&["test", "lamp.dot", "--seed", "1", "--cases", "20", "--", "sh", "-c", &drifts]);
        assert_ne!(said.1, 0, "{}", said.0);
        assert!(!said.0.contains("generator") && !said.0.contains('✓'), "{}", said.0);
    }
    // Its twin is proved.
    let desk = Desk::new("drifts-not");
    let said = desk.gainsay(&["test", "lamp.dot", "--seed", "1", "--cases", "20", "--", "sh", "-c", RIGHT]);
    assert_said(&said, 0, &["✓ lamp.dot", "proved up to 3 states", "random walks as well"]);
}

#[test]
fn results_are_told_to_programs() {
    let desk = Desk::new("json");
    let tested = |program: &str| {
        let (said, _) = desk
            .gainsay(&["test", "lamp.dot", "--format", "json", "--suite", "1", "--", "sh", "-c", program]);
        said.lines().next().unwrap().parse::<Json>().unwrap()
    };
    let right = tested(RIGHT);
    assert_eq!(
        (&right["verdict"], &right["proved"], &right["scope"]),
        (&"passed".into(), &true.into(), &"up to 3 states".into())
    );
    assert!(right["remarks"][0].as_str().unwrap().starts_with("SPYH with 1 more state: "), "{right}");
    let wrong = tested(WRONG);
    assert_eq!(
        (&wrong["verdict"], &wrong["proved"], &wrong["shrunk_to"]),
        (&"falsified".into(), &false.into(), &3.into())
    );
    let steps: Vec<(&str, &str)> = wrong["trace"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["input"].as_str().unwrap(), step["outputs"][0].as_str().unwrap()))
        .collect();
    assert_eq!(steps, [("press", "click"), ("press", "clack"), ("press", "clack")]);
    let replay = wrong["replay"].as_str().unwrap();
    assert!(
        replay.starts_with("GAINSAY_REPLAY='1:") && replay.contains("gainsay test lamp.dot -- sh -c '"),
        "{replay}"
    );
}

#[test]
fn programs_are_reset_by_a_line_and_waited_for() {
    let desk = Desk::new("reset");
    // It is started once.
    let once = format!("[ -e started ] && exit 3; touch started; {RIGHT}");
    let said = desk.gainsay(&[
        "test", "lamp.dot", "--suite", "0", "--method", "h", "--reset", "reset", "--", "sh", "-c", &once,
    ]);
    assert_said(&said, 0, &["✓ lamp.dot", "H with 0 more states"]);
    let said = desk.gainsay(&[
        "test",
        "lamp.dot",
        "--suite",
        "0",
        "--timeout",
        "0.2",
        "--",
        "sh",
        "-c",
        "read x; sleep 100",
    ]);
    assert_said(&said, 1, &["no answer within 0.2 s (by timeout)"]);
}

/// A lamp that does not answer `reset` from the n-th time on; `press` and `ask` do what they do in another one.
fn mute_from(time: u32, lamp: &str) -> String {
    let counts = format!("reset) n=0; r=$((r+1)); [ $r -lt {time} ] && echo;; ask)");
    format!("r=0; {}", lamp.replace("reset) n=0; echo;; ask)", "ask)").replacen("ask)", &counts, 1))
}

#[test]
fn a_reset_line_that_is_not_answered_is_told_at_once() {
    let desk = Desk::new("mute");
    let tested = |program: &str| {
        desk.gainsay(&[
            "test",
            "lamp.dot",
            "--reset",
            "reset",
            "--timeout",
            "0.2",
            "--cases",
            "9",
            "--",
            "sh",
            "-c",
            program,
        ])
    };
    let unanswered = "the reset line `reset` was not answered within 0.2 s";
    let ways_out = "answer it as an input is answered, allow more time, or leave it out, so that the program is started anew";
    let said = tested(&mute_from(1, RIGHT));
    assert_said(&said, 4, &[&format!("{unanswered}: {ways_out}")]);
    assert_eq!(said.0.lines().count(), 1, "{}", said.0);
    let later = "though it was answered 2 times before; the last inputs were [\"";
    assert_said(&tested(&mute_from(3, RIGHT)), 4, &[unanswered, later, ways_out]);
    // A program that ends is told as that.
    let ends = RIGHT.replace("reset) n=0; echo", "reset) exit 3");
    assert_said(&tested(&ends), 4, &["the reset line `reset` was not answered (", "exit status: 3"]);
    // A wrong answer that was seen before is not lost, but confirmed and made small.
    let said = tested(&mute_from(1, WRONG));
    assert_said(
        &said,
        1,
        &["falsified after 1 test, shrunk to 3 inputs", "it was started anew: ", unanswered],
    );
    // Who answers it is proved.
    assert_said(&tested(&mute_from(1_000_000, RIGHT)), 0, &["✓ lamp.dot", "proved up to 3 states"]);
}

#[test]
fn the_run_shown_of_a_flaky_program_is_the_one_that_failed() {
    // The seventh input of all is answered wrongly.
    let once = format!(
        "c=$(cat count 2>/dev/null || echo 0); bang() {{ c=$((c+1)); echo $c > count; [ $c = 7 ] && echo bang || echo $1; }}; {}",
        RIGHT
            .replace("echo light", "bang light")
            .replace("echo dark", "bang dark")
            .replace("echo click", "bang click")
            .replace("echo clack", "bang clack")
    );
    let desk = Desk::new("flaky");
    let tested = |format: &str| {
        let _ = std::fs::remove_file(desk.0.join("count"));
        desk.gainsay(&["test", "lamp.dot", "--seed", "1", "--format", format, "--", "sh", "-c", &once])
    };
    let said = tested("text");
    assert_said(
        &said,
        3,
        &["? lamp.dot", "flaky after 1 test: failed once, then 0 of 20 times when run again"],
    );
    assert_said(&said, 3, &["\n      \"ask\" → [\"dark\"]\n      \"press\" → [\"bang\"]\n"]);
    let told: Json = tested("json").0.parse().unwrap();
    assert_eq!((&told["verdict"], &told["shrunk_to"]), (&"flaky".into(), &2.into()));
    assert_eq!(
        told["trace"],
        serde_json::json!([{"input": "ask", "outputs": ["dark"]}, {"input": "press", "outputs": ["bang"]}])
    );
    let answers = serde_json::json!([{"outputs": ["bang"]}, {"outputs": ["click"]}]);
    assert_eq!(told["parted"], serde_json::json!({"after": ["ask"], "input": "press", "answers": answers}));
    // Its twin answers alike each time.
    let (said, code) = desk.gainsay(&["test", "lamp.dot", "--format", "json", "--", "sh", "-c", RIGHT]);
    let told: Json = said.parse().unwrap();
    assert_eq!((code, told.get("parted"), told.get("trace")), (0, None, None), "{said}");
}

#[test]
fn a_server_that_is_not_there_is_trouble_with_the_system() {
    let desk = Desk::new("refused-connection");
    // The near end of a connection has a port, and does not listen at it: so nobody else does.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = desk.gainsay(&["test", "lamp.dot", "--connect", &address, "--timeout", "0.2"]);
    assert_said(&said, 4, &[&format!("failed to connect to `{address}`")]);
    for address in ["127.0.0.1", "127.0.0.1:http", ":7000", "127.0.0.1:0"] {
        let said = desk.gainsay(&["test", "lamp.dot", "--connect", address]);
        assert_said(&said, 2, &[&format!("`--connect {address}` is no address: say it as 127.0.0.1:7000")]);
    }
}

#[test]
fn states_that_no_input_leads_to_are_told() {
    let desk = Desk::new("unreachable");
    let bell = "digraph { __start0 -> off; off -> off [label=\"press / ring\"]; ";
    desk.write("far.dot", &format!("{bell} far -> off [label=\"ask / light\"]; }}"));
    desk.write("near.dot", &format!("{bell} }}"));
    let rings = "while read -r line; do echo ring; done";
    let said = desk.gainsay(&["test", "far.dot", "--cases", "3", "--", "sh", "-c", rings]);
    assert_said(&said, 0, &["the input \"ask\" is specified in no state that can be reached\n"]);
    assert_said(&said, 0, &["1 state cannot be reached, and nothing is tested there: `far`\n"]);
    let said = desk.gainsay(&["test", "near.dot", "--suite", "0", "--", "sh", "-c", rings]);
    assert_said(
        &said,
        0,
        &["proved up to 1 state: all 1 case", "at most 1 state,", "0 more states: 1 test, 1 input\n"],
    );
    assert!(!said.0.contains("reached"), "{}", said.0);
}

#[test]
fn servers_are_spoken_with_at_their_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut answers = stream.try_clone().unwrap();
            let mut is_on = false;
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                is_on ^= line == "press";
                let answer = match (line.as_str(), is_on) {
                    ("press", true) => "click",
                    ("press", false) => "clack",
                    (_, true) => "light",
                    (_, false) => "dark",
                };
                if writeln!(answers, "{answer}").is_err() {
                    break;
                }
            }
        }
    });
    let desk = Desk::new("server");
    let said = desk.gainsay(&["test", "lamp.dot", "--connect", &address, "--suite", "0"]);
    assert_said(&said, 0, &["✓ lamp.dot", "proved up to 2 states"]);
}

#[test]
fn options_that_do_nothing_are_refused() {
    let desk = Desk::new("refused");
    for option in [
        &["--jobs", "2"][..],
        &["--fail-fast"],
        &["--empty-schemas"],
        &["--shard", "1/2"],
        &["--property", "p"],
        &["--export", "there"],
    ] {
        let said = desk.gainsay(&[&["test", "lamp.dot"], option, &["--", "sh", "-c", RIGHT]].concat());
        assert_said(&said, 2, &[&format!("`{}` is for system files", option[0])]);
    }
    let said = desk.gainsay(&["test", "lamp.dot", "--suite", "0", "--cases", "7", "--", "sh", "-c", RIGHT]);
    assert_said(&said, 2, &["`--cases` does nothing beside `--suite`"]);
    let said = desk.gainsay(&["test", "lamp.dot", "--method", "Q", "--", "sh", "-c", RIGHT]);
    assert_said(&said, 2, &["it is W, Wp, HSI, H or SPYH"]);
    for option in [
        ["--suite", "1"],
        ["--reset", "r"],
        ["--connect", "127.0.0.1:1"],
        ["--timeout", "1"],
        ["--method", "W"],
    ] {
        let said = desk.gainsay(&["test", "system.toml", option[0], option[1]]);
        assert_said(&said, 2, &[&format!("`{}` is for machines", option[0])]);
    }
}

#[test]
fn machines_are_drawn_compared_minimised_and_tried_out() {
    let desk = Desk::new("tools");
    // The same lamp, with a state too many.
    desk.write(
        "double.dot",
        "digraph { __start0 -> off; off -> on [label=\"press / click\"]; on -> out [label=\"press / clack\"]; \
         out -> on [label=\"press / click\"]; off -> off [label=\"ask / dark\"]; on -> on [label=\"ask / light\"]; \
         out -> out [label=\"ask / dark\"]; }",
    );
    desk.write("broken.dot", &LAMP.replace("on -> off", "on -> on"));
    assert_said(&desk.gainsay(&["machine", "compare", "lamp.dot", "double.dot"]), 0, &["✓ both do the same"]);
    let said = desk.gainsay(&["machine", "compare", "lamp.dot", "broken.dot", "--draw", "way.svg"]);
    assert_said(&said, 1, &["✗ they differ after 3 inputs", "      press / click\n      press / clack\n"]);
    assert!(desk.read("way.svg").starts_with("<svg"));
    let (small, code) = desk.gainsay(&["machine", "minimise", "double.dot"]);
    assert_eq!((code, small.matches(" -> ").count()), (0, 5), "{small}");
    assert_said(&desk.gainsay(&["machine", "draw", "lamp.dot", "-o", "lamp.svg"]), 0, &[]);
    assert!(desk.read("lamp.svg").contains("press / click"));
    let said = desk.gainsay_told(&["machine", "simulate", "lamp.dot"], "press\nask\nquit\n");
    assert_said(&said, 0, &["state \"off\"", "[\"light\"]"]);
    assert_said(&desk.gainsay(&["machine", "draw", "missing.dot"]), 2, &["failed to read `missing.dot`"]);
}
