//! Programs and servers tested by a machine, and machines drawn, compared, minimised and tried out.

use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
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
    assert!(right["remarks"][0].as_str().unwrap().starts_with("SPYH with 1 more states: "), "{right}");
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
