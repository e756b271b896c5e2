//! A system that is spoken with in lines of JSON. Its first argument says how it behaves: well, or badly in one way. Messages are
//! `{"n": …}`; what comes on `/in` is answered on `/out`.

#![expect(clippy::print_stdout, reason = "this is how it speaks")]
#![expect(clippy::print_stderr, reason = "this is how it speaks")]

use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::process::{Command, ExitCode, exit};

/// So many starts are good, of one that is not at last.
const GOOD_STARTS: usize = 12;

struct System {
    behaviour: String,
    /// Messages since the start.
    messages: u64,
    /// The largest number so far.
    largest: i64,
    /// Answers for later, in milliseconds.
    timers: Vec<(f64, Value)>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let behaviour = arguments.next().unwrap_or_else(|| "echo".into());
    let file = arguments.next().unwrap_or_default();
    match behaviour.as_str() {
        "exits" => {
            eprintln!("there is no licence");
            return ExitCode::from(3);
        }
        "counts-starts" => drop(note_start(&file)),
        "starts-no-more" if note_start(&file) > GOOD_STARTS => {
            eprintln!("the disk is full");
            return ExitCode::from(5);
        }
        "has-child" => start_child(&file),
        _ => {}
    }
    if behaviour == "greets" {
        answer(&json!(0), "/out", &json!({"n": 1}));
    }
    let is_virtual = !behaviour.ends_with("-real");
    let first = if matches!(behaviour.as_str(), "ticks" | "stale") { Some(0) } else { None };
    if is_virtual && behaviour != "never-ready" && behaviour != "no-greeting" {
        say(&json!({"idle": true, "next_timer_ms": first}));
    }
    let mut system = System { behaviour, messages: 0, largest: 0, timers: Vec::new() };
    system.set_timers();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let said: Value = serde_json::from_str(&line).expect("a line of JSON");
        if let Some(until) = said.get("advance_to_ms").and_then(Value::as_f64) {
            system.advance(until);
        } else if said.get("reset").is_some() {
            system.reset();
        } else {
            system.receive(&said);
        }
    }
    ExitCode::SUCCESS
}

/// Who listens no more ends us.
fn say(line: &Value) {
    let mut output = std::io::stdout().lock();
    if writeln!(output, "{line}").and_then(|()| output.flush()).is_err() {
        exit(0);
    }
}

fn answer(at: &Value, channel: &str, message: &Value) {
    say(&json!({"at_ms": at, "channel": channel, "msg": message}));
}

/// Notes a start in a file; how many there were.
fn note_start(path: &str) -> usize {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("the file opens");
    writeln!(file, "start").expect("the file is written");
    std::fs::read_to_string(path).expect("the file is read").lines().count()
}

/// Starts a child that outlives us unless somebody ends it, and writes down who we both are.
#[expect(clippy::zombie_processes, reason = "whoever ends us ends it as well, or is found out")]
fn start_child(path: &str) {
    let child = Command::new("sleep").arg("1000").spawn().expect("sleep is there");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("the file opens");
    writeln!(file, "{}\n{}", std::process::id(), child.id()).expect("the file is written");
}

impl System {
    /// One that ticks does so at the beginning, for the first time.
    fn set_timers(&mut self) {
        if self.behaviour == "ticks" {
            self.timers.push((0.0, json!({"n": -1})));
        }
    }

    fn idle(&self) {
        let mut next = self.timers.iter().map(|(at, _)| *at).reduce(f64::min);
        if self.behaviour == "stale" {
            next = Some(0.0);
        }
        say(&json!({"idle": true, "next_timer_ms": next}));
    }

    fn reset(&mut self) {
        if self.behaviour == "no-reset" {
            return;
        }
        self.timers.clear();
        self.set_timers();
        self.messages = 0;
        self.largest = 0;
        self.idle();
    }

    fn advance(&mut self, until: f64) {
        if self.behaviour == "silent" {
            return;
        }
        self.fire(|at| at <= until);
        self.idle();
    }

    fn fire(&mut self, is_due: impl Fn(f64) -> bool) {
        while self.timers.first().is_some_and(|(at, _)| is_due(*at)) {
            let (at, message) = self.timers.remove(0);
            answer(&json!(at), "/out", &message);
        }
    }

    fn receive(&mut self, said: &Value) {
        let (at, message) = (&said["at_ms"], &said["msg"]);
        let now = at.as_f64().expect("a time");
        if self.behaviour != "late-told" {
            self.fire(|at| at < now);
        }
        let n = message["n"].as_i64().unwrap_or_default();
        self.messages += 1;
        self.largest = self.largest.max(n);
        match self.behaviour.as_str() {
            "late" | "late-told" => self.timers.push((now + 50.0, message.clone())),
            "forgetful" | "counts-starts" | "starts-no-more" if n >= 7 => {}
            "dies-third" if self.messages == 3 => die(),
            "dies-seven" if n >= 7 => die(),
            "floods" => loop {
                answer(at, "/out", message);
            },
            "undeclared" => answer(at, "/other", message),
            "speaks-for-us" => answer(at, "/in", message),
            "mute-real" => {}
            "ill-typed-later" => {
                answer(at, "/out", message);
                answer(at, "/out", &json!({"n": "seven"}));
            }
            "ill-typed" => answer(at, "/out", &json!({"n": "seven"})),
            "fieldless" => answer(at, "/out", &json!({})),
            "garbage" => println!("hello, world"),
            "past" => {
                answer(at, "/out", message);
                answer(&json!((now - 1.0).max(0.0)), "/out", message);
            }
            "future" => answer(&json!(now + 100_000.0), "/out", message),
            "long-line" => answer(at, "/out", &json!({"n": "x".repeat(300_000)})),
            "endless-line" => loop {
                let mut output = std::io::stdout().lock();
                if output.write_all(&[b'x'; 1 << 16]).is_err() {
                    exit(0);
                }
            },
            _ => answer(at, "/out", message),
        }
    }
}

fn die() -> ! {
    eprintln!("out of luck");
    exit(7)
}
