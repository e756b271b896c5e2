//! Isolation: cases run in a child process, so that what ends a process is an ordinary failure.
//!
//! The child is this program again. It runs the same test, and where it comes to the same property it connects to the parent
//! over loopback and serves cases: the parent names a case, the child streams every choice as it is made (a crash must not lose
//! them), then what came of it. One line a message:
//!
//! ```text
//! parent   run SHOW SIZE random SEED INDEX | run SHOW SIZE replay CHOICES;SPANS | run SHOW SIZE example NUMBER
//! child    c KIND VALUE MAX BELOW OWNER   enter LABEL   leave   retract N   note START END NAME VALUE
//! child    outcome STATUS CUT   kind …   message …   rejected …   overrun   label …   score …   draws …   done
//! ```

use crate::case::{Case, End, Label, Note, Reason, Remarks};
use crate::choice::{Choice, Kind, Shape};
use crate::error::Error;
use crate::outcome::{Failure, Outcome, Status};
use crate::quiet;
use crate::record::{Record, Span};
use crate::settings::Settings;
use crate::source::random::Random;
use crate::source::replay::Replay;
use crate::source::{Hint, Source};
use crate::wire::{self, escape, interned, unescape};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Names the parent's port, a token and the property; set for children only.
const VARIABLE: &str = "GAINSAY_CHILD";
/// How long a child may take to come to the property.
const START_TIME_MAX: Duration = Duration::from_secs(60);

/// What a child says about a case it ran.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) record: Record,
    pub(crate) end: End,
    pub(crate) reason: Option<Reason>,
    pub(crate) remarks: Remarks,
    pub(crate) transcript: Option<String>,
}

// ---- the parent's side ----

/// Runs cases in child processes, one child after another.
#[derive(Debug)]
pub(crate) struct Host {
    key: String,
    arguments: Vec<String>,
    limit: Duration,
    running: Option<Running>,
    /// Set when no child can be had at all.
    trouble: Option<String>,
}

#[derive(Debug)]
struct Running {
    process: Child,
    reader: BufReader<TcpStream>,
    errors: Arc<Mutex<Vec<u8>>>,
}

impl Host {
    /// A host for the property with this key; starts its first child.
    pub(crate) fn start(key: &str, test_name: Option<&str>, limit: Duration) -> Result<Host, Error> {
        let arguments = match test_name {
            Some(name) => ["--exact", name, "--nocapture", "--include-ignored"].map(String::from).to_vec(),
            None => std::env::args().skip(1).collect(),
        };
        // A limit too far away to be told is none.
        let limit = limit.min(Duration::from_secs(1 << 30));
        let mut host = Host { key: key.to_string(), arguments, limit, running: None, trouble: None };
        host.running = Some(host.launch().map_err(Error::child)?);
        Ok(host)
    }

    fn launch(&self) -> Result<Running, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| e.to_string())?;
        let port = listener.local_addr().map_err(|e| e.to_string())?.port();
        let token = format!("{:016x}{:016x}", token(), token());
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut process = Command::new(program)
            .args(&self.arguments)
            .env(VARIABLE, format!("{port} {token} {}", self.key))
            .env_remove("GAINSAY_REPLAY")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let errors = Arc::new(Mutex::new(Vec::new()));
        if let Some(mut pipe) = process.stderr.take() {
            let errors = Arc::clone(&errors);
            std::thread::spawn(move || {
                let mut chunk = [0; 1024];
                while let Ok(n @ 1..) = pipe.read(&mut chunk) {
                    if let Ok(mut errors) = errors.lock() {
                        errors.extend_from_slice(&chunk[..n]);
                        let excess = errors.len().saturating_sub(1 << 16);
                        errors.drain(..excess);
                    }
                }
            });
        }
        match accept(&listener, &token, &mut process) {
            Ok(stream) => Ok(Running { process, reader: BufReader::new(stream), errors }),
            Err(trouble) => {
                let _ = process.kill();
                let _ = process.wait();
                let said =
                    errors.lock().map(|e| String::from_utf8_lossy(&e).into_owned()).unwrap_or_default();
                Err(format!("{trouble}\n{said}"))
            }
        }
    }

    pub(crate) fn run_random(&mut self, case: &mut Case, seed: u64, index: u64, size: u32) -> Outcome {
        self.run(case, size, &format!("run 0 {size} random {seed} {index}"))
    }

    pub(crate) fn run_replay(&mut self, case: &mut Case, replay: &Replay, size: u32) -> Outcome {
        self.run(case, size, &format!("run 0 {size} replay {}", write_replay(replay)))
    }

    pub(crate) fn run_shown(&mut self, case: &mut Case, replay: &Replay, size: u32) -> Outcome {
        self.run(case, size, &format!("run 1 {size} replay {}", write_replay(replay)))
    }

    /// Runs an example given with the property.
    pub(crate) fn run_example(&mut self, case: &mut Case, number: usize) -> Outcome {
        self.run(case, 0, &format!("run 0 0 example {number}"))
    }

    /// What went wrong with the children themselves.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    fn run(&mut self, case: &mut Case, size: u32, request: &str) -> Outcome {
        let mut running = match self.running.take().map_or_else(|| self.launch(), Ok) {
            Ok(running) => running,
            Err(trouble) => {
                self.trouble = Some(trouble);
                return Outcome::of(Status::Unjudged);
            }
        };
        let mut reply = Reply { record: Record { size, ..Record::default() }, ..Reply::default() };
        let end = running.ask(request, &mut reply, Instant::now() + self.limit);
        let outcome = match end {
            Answer::Whole => {
                let outcome = reply.outcome();
                self.running = Some(running);
                outcome
            }
            Answer::Late => {
                let _ = running.process.kill();
                let _ = running.process.wait();
                Outcome::failed(Failure::new("hang", format!("hangs: no end within {:?}", self.limit)))
            }
            Answer::Gone => {
                let status = running.process.wait().ok();
                Outcome::failed(crash(status, &running.said()))
            }
        };
        case.load(reply.into_ran());
        outcome
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A child that has nothing to do ends when its parent hangs up; one that does not is ended.
        let _ = self.reader.get_ref().shutdown(std::net::Shutdown::Both);
        let limit = Instant::now() + Duration::from_millis(200);
        while matches!(self.process.try_wait(), Ok(None)) {
            if Instant::now() > limit {
                let _ = self.process.kill();
                let _ = self.process.wait();
                break;
            }
            std::thread::yield_now();
        }
    }
}

enum Answer {
    Whole,
    Late,
    Gone,
}

impl Running {
    fn ask(&mut self, request: &str, reply: &mut Reply, deadline: Instant) -> Answer {
        if self.reader.get_mut().write_all(format!("{request}\n").as_bytes()).is_err() {
            return Answer::Gone;
        }
        let mut line = String::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Answer::Late;
            }
            let _ = self.reader.get_ref().set_read_timeout(Some(left));
            match self.reader.read_line(&mut line) {
                Ok(0) => return Answer::Gone,
                Ok(_) if !line.ends_with('\n') => {}
                Ok(_) => {
                    if reply.hear(line.trim_end_matches('\n')) {
                        return Answer::Whole;
                    }
                    line.clear();
                }
                Err(error)
                    if matches!(
                        error.kind(),
                        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                    ) =>
                {
                    return Answer::Late;
                }
                Err(_) => return Answer::Gone,
            }
        }
    }

    /// What the child wrote to its standard error. The last of it may still be on its way, and a process of the child's own may
    /// keep the pipe open.
    fn said(&self) -> String {
        let limit = Instant::now() + Duration::from_secs(1);
        while Arc::strong_count(&self.errors) > 1 && Instant::now() < limit {
            std::thread::yield_now();
        }
        self.errors.lock().map(|errors| String::from_utf8_lossy(&errors).into_owned()).unwrap_or_default()
    }
}

/// Waits for the child. Somebody else who connects keeps nobody waiting: all are listened to at once, and each for a while only.
fn accept(listener: &TcpListener, token: &str, process: &mut Child) -> Result<TcpStream, String> {
    listener.set_nonblocking(true).map_err(|e| e.to_string())?;
    let deadline = Instant::now() + START_TIME_MAX;
    let mut callers: Vec<Caller> = Vec::new();
    loop {
        let before = callers.len();
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(true).map_err(|e| e.to_string())?;
                callers.push(Caller { stream, said: String::new(), called: Instant::now() });
                // (Those who came first and say nothing make room.)
                callers.drain(..callers.len().saturating_sub(CALLERS_MAX));
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.to_string()),
        }
        if let Some(place) = callers.iter_mut().position(|caller| caller.has_said(token)) {
            let stream = callers.swap_remove(place).stream;
            stream
                .set_nonblocking(false)
                .and_then(|()| stream.set_nodelay(true))
                .map_err(|e| e.to_string())?;
            return Ok(stream);
        }
        callers.retain(|caller| caller.called.elapsed() < HELLO_TIME_MAX);
        if callers.len() > before {
            continue;
        }
        if let Ok(Some(status)) = process.try_wait() {
            return Err(format!("it ended ({status}) before it came to the property"));
        }
        if Instant::now() > deadline {
            return Err(format!("it did not come to the property within {START_TIME_MAX:?}"));
        }
        std::thread::park_timeout(Duration::from_micros(200));
    }
}

/// Whoever connects says the token within this time.
const HELLO_TIME_MAX: Duration = Duration::from_secs(1);

/// So many are listened to at once.
const CALLERS_MAX: usize = 64;

/// Somebody who has connected.
struct Caller {
    stream: TcpStream,
    said: String,
    called: Instant,
}

impl Caller {
    /// Whether this is who was called. (Byte by byte: nothing that follows may be swallowed by a buffer.)
    fn has_said(&mut self, token: &str) -> bool {
        let mut byte = [0];
        while self.said.len() <= token.len() {
            match (&self.stream).read(&mut byte) {
                Ok(1) if byte[0] == b'\n' => return self.said == token,
                Ok(1) => self.said.push(byte[0] as char),
                _ => break,
            }
        }
        false
    }
}

fn crash(status: Option<ExitStatus>, said: &str) -> Failure {
    let how = match status {
        Some(status) => ended(status),
        None => "ended in an unknown way".to_string(),
    };
    let overflow = said.contains("has overflowed its stack");
    let what = if overflow { "stack overflow".to_string() } else { how.clone() };
    let tail: Vec<&str> = said.lines().rev().take(5).collect();
    let mut message = format!("the process {how}");
    for line in tail.iter().rev().filter(|line| !line.trim().is_empty()) {
        message += &format!("\n  {line}");
    }
    Failure::new("", message).with_signature(&format!("crash: {what}"))
}

#[cfg(unix)]
fn ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.signal(), status.code()) {
        (Some(6), _) => "aborted (signal 6)".to_string(),
        (Some(11), _) => "crashed (signal 11, segmentation fault)".to_string(),
        (Some(signal), _) => format!("was ended by signal {signal}"),
        (None, code) => format!("exited with code {}", code.unwrap_or_default()),
    }
}

#[cfg(not(unix))]
fn ended(status: ExitStatus) -> String {
    format!("ended ({status})")
}

#[derive(Debug, Default)]
struct Reply {
    record: Record,
    open: Vec<usize>,
    status: Option<Status>,
    cut: bool,
    kind: String,
    message: String,
    rejected: Option<Reason>,
    overrun: bool,
    remarks: Remarks,
    draws: Option<String>,
}

impl Reply {
    /// Takes in a line; true when it was the last.
    fn hear(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let parts: Vec<&str> = rest.split(' ').collect();
        match (word, parts.as_slice()) {
            ("c", [kind, value, max, below, owner]) => {
                if let (Some(kind), Ok(value), Ok(max), Ok(below), Ok(owner)) = (
                    kind.chars().next().and_then(Kind::of_letter),
                    value.parse(),
                    max.parse(),
                    below.parse(),
                    owner.parse(),
                ) {
                    self.record.choices.push(Choice { value, shape: Shape { max, below, kind, owner } });
                }
            }
            ("enter", [label]) => {
                let (start, depth) = (self.record.choices.len() as u32, self.open.len() as u32);
                self.open.push(self.record.spans.len());
                self.record.spans.push(Span {
                    label: interned(&wire::unlabel(label)),
                    start,
                    end: start,
                    depth,
                });
            }
            ("leave", _) => {
                if let Some(span) = self.open.pop() {
                    self.record.spans[span].end = self.record.choices.len() as u32;
                }
            }
            ("retract", [n]) => {
                let n = n.parse().unwrap_or(0);
                self.record.choices.truncate(n);
                let inner = self.open.last().map_or(0, |&span| span + 1);
                let kept = self.record.spans[inner..].iter().take_while(|s| (s.start as usize) < n).count();
                self.record.spans.truncate(inner + kept);
            }
            ("outcome", [status, cut]) => {
                self.status = status_of(status);
                self.cut = *cut == "true";
            }
            ("kind", _) => self.kind = unescape(rest),
            ("message", _) => self.message = unescape(rest),
            ("overrun", _) => self.overrun = true,
            ("rejected", [line, ..]) => {
                let mut texts = rest.split_once(' ').map_or("", |(_, texts)| texts).splitn(2, '\t');
                let (what, file) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
                let (what, file) = (interned(what), interned(file));
                self.rejected = Some(Reason { what, file, line: line.parse().unwrap_or(0) });
            }
            ("label", [holds, percent, ..]) => {
                let mut texts = rest.splitn(3, ' ').nth(2).unwrap_or_default().splitn(2, '\t');
                let table = texts.next().filter(|table| !table.is_empty()).map(interned);
                let text = unescape(texts.next().unwrap_or_default());
                let (holds, required_percent) = (*holds == "true", percent.parse().ok());
                self.remarks.labels.push(Label { table, text, holds, required_percent });
            }
            ("score", [score, ..]) => {
                let label = rest.split_once(' ').map_or("", |(_, label)| label);
                self.remarks.scores.push((unescape(label), score.parse().unwrap_or(0.0)));
            }
            ("note", [start, end, ..]) => {
                let mut texts = rest.splitn(3, ' ').nth(2).unwrap_or_default().splitn(2, '\t');
                let name = unescape(texts.next().unwrap_or_default());
                let value = unescape(texts.next().unwrap_or_default());
                let choices = start.parse().ok().zip(end.parse().ok());
                self.remarks.notes.push(Note { name, value, choices });
            }
            ("draws", _) => self.draws = Some(unescape(rest)),
            ("done", _) => return true,
            // The child is this very program: other lines do not occur, and would be no reason to stop.
            _ => {}
        }
        false
    }

    fn outcome(&self) -> Outcome {
        let status = self.status.unwrap_or(Status::Unjudged);
        if status == Status::Failed {
            return Outcome::failed(Failure::new("", self.message.clone()).with_signature(&self.kind));
        }
        Outcome { status, cut: self.cut, failure: None }
    }

    fn into_ran(self) -> Ran {
        let end = match (self.rejected, self.overrun) {
            (Some(_), _) => End::Rejected,
            (None, true) => End::Overrun,
            _ => End::Live,
        };
        Ran { record: self.record, end, reason: self.rejected, remarks: self.remarks, transcript: self.draws }
    }
}

const STATUSES: [Status; 6] =
    [Status::Unjudged, Status::Overrun, Status::Rejected, Status::Undefined, Status::Passed, Status::Failed];

fn status_of(name: &str) -> Option<Status> {
    STATUSES.into_iter().find(|status| format!("{status:?}") == name)
}

fn write_replay(replay: &Replay) -> String {
    let words: Vec<String> = replay
        .choices()
        .iter()
        .map(|(kind, value)| format!("{}{value}", kind.map_or('?', Kind::letter)))
        .collect();
    format!("{};{}", words.join(" "), wire::write_spans(replay.spans()))
}

fn read_replay(text: &str) -> Replay {
    let (choices, spans) = text.split_once(';').unwrap_or((text, ""));
    let choices = choices
        .split_whitespace()
        .filter_map(|word| {
            let mut letters = word.chars();
            let kind = letters.next().and_then(Kind::of_letter);
            Some((kind, letters.as_str().parse().ok()?))
        })
        .collect();
    Replay::from_parts(choices, wire::read_spans(spans).unwrap_or_default())
}

/// For the fuzzer alone: lines of a child, and a request to one.
#[cfg(fuzzing)]
pub(crate) fn fuzz(text: &str) {
    let mut reply = Reply::default();
    for line in text.lines() {
        if reply.hear(line) {
            break;
        }
    }
    let _ = reply.outcome();
    let _ = reply.into_ran();
    let mut case = Case::from_source(Box::new(read_replay(text)));
    case.vec(0..=20, |case| (case.int(0..=9u32), case.flag()));
}

// ---- the child's side ----

/// What a process is to the property at hand.
pub(crate) enum Role {
    /// An ordinary run.
    Parent,
    /// The child that serves this property.
    Child(TcpStream),
    /// A child that serves another property of the same test.
    Bystander,
}

/// Finds out what this process is to the property with this key.
pub(crate) fn role(key: &str) -> Result<Role, Error> {
    let Ok(value) = std::env::var(VARIABLE) else {
        return Ok(Role::Parent);
    };
    let mut parts = value.splitn(3, ' ');
    let (port, token, wanted) = (parts.next(), parts.next().unwrap_or_default(), parts.next());
    if wanted != Some(key) {
        return Ok(Role::Bystander);
    }
    let port: u16 = port
        .and_then(|port| port.parse().ok())
        .ok_or_else(|| Error::variable("GAINSAY_CHILD", &value, "a port, a token and a test"))?;
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        .and_then(|mut stream| {
            stream.set_nodelay(true)?;
            stream.write_all(format!("{token}\n").as_bytes())?;
            Ok(stream)
        })
        .map_err(|e| Error::child(format!("its parent does not listen: {e}")))?;
    Ok(Role::Child(stream))
}

/// Serves cases until the parent hangs up, then ends the process.
pub(crate) fn serve(
    stream: TcpStream,
    property: &mut dyn FnMut(&mut Case) -> Outcome,
    mut settings: Settings,
) -> ! {
    quiet::install_hook();
    let mut case = Case::with_choices_max(settings.limits.choices_max);
    case.set_terms(settings.terms.clone());
    if let Ok(watching) = stream.try_clone() {
        // A child that is lost in a case would not see its parent go.
        std::thread::spawn(move || {
            while matches!(watching.peek(&mut [0]), Ok(1..)) {
                std::thread::park_timeout(Duration::from_millis(50));
            }
            std::process::exit(0);
        });
    }
    if let Ok(reading) = stream.try_clone() {
        for request in BufReader::new(reading).lines().map_while(Result::ok) {
            let example =
                request.split_once(" example ").and_then(|(_, number)| number.parse::<usize>().ok());
            let answered = match example.and_then(|number| settings.examples.get_mut(number)) {
                Some((_, example)) => answer(&request, &stream, &mut |case| example(case), &mut case),
                None => answer(&request, &stream, property, &mut case),
            };
            if answered.is_err() {
                break;
            }
        }
    }
    std::process::exit(0)
}

fn answer(
    request: &str,
    stream: &TcpStream,
    property: &mut dyn FnMut(&mut Case) -> Outcome,
    case: &mut Case,
) -> std::io::Result<()> {
    let mut words = request.splitn(5, ' ');
    let (show, size) = (words.nth(1) == Some("1"), words.next().and_then(|n| n.parse().ok()).unwrap_or(0));
    let (way, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let inner: Box<dyn Source> = if way == "random" {
        let numbers: Vec<u64> = rest.split(' ').filter_map(|n| n.parse().ok()).collect();
        let &[seed, index] = numbers.as_slice() else {
            return Ok(());
        };
        Box::new(Random::new(seed, index, size))
    } else {
        Box::new(read_replay(rest))
    };
    case.rewind_to(Box::new(Streaming { inner, stream: stream.try_clone()? }), size);
    if show {
        case.show();
    }
    let outcome = quiet::run(property, case);
    let mut text = format!("outcome {:?} {}\n", outcome.status, outcome.cut);
    if let Some(failure) = &outcome.failure {
        text += &format!("kind {}\nmessage {}\n", escape(&failure.kind.0), escape(&failure.message));
    }
    match (case.end(), case.reason()) {
        (End::Rejected, Some(reason)) => {
            text += &format!("rejected {} {}\t{}\n", reason.line, reason.what, reason.file);
        }
        (End::Overrun, _) => text += "overrun\n",
        _ => {}
    }
    for label in &case.remarks.labels {
        let percent = label.required_percent.map_or("-".to_string(), |p| p.to_string());
        text += &format!(
            "label {} {percent} {}\t{}\n",
            label.holds,
            label.table.unwrap_or(""),
            escape(&label.text)
        );
    }
    for (label, score) in &case.remarks.scores {
        text += &format!("score {score} {}\n", escape(label));
    }
    if show {
        text += &format!("draws {}\n", escape(case.transcript()));
    }
    text += "done\n";
    (&mut &*stream).write_all(text.as_bytes())
}

/// Tells every choice to the parent at once, so that a crash does not lose it.
struct Streaming {
    inner: Box<dyn Source>,
    stream: TcpStream,
}

impl Streaming {
    fn say(&mut self, line: &str) {
        // If the parent is gone, so is the reason to say anything.
        let _ = self.stream.write_all(line.as_bytes());
    }

    fn say_choice(&mut self, value: u64, shape: &Shape) {
        let Shape { max, below, kind, owner } = shape;
        self.say(&format!("c {} {value} {max} {below} {owner}\n", kind.letter()));
    }
}

impl Source for Streaming {
    fn choose(&mut self, shape: &Shape, hint: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        let value = self.inner.choose(shape, hint, so_far)?;
        self.say_choice(value, shape);
        Some(value)
    }

    fn enter(&mut self, label: &'static str, so_far: usize) {
        self.inner.enter(label, so_far);
        self.say(&format!("enter {}\n", wire::label(label)));
    }

    fn leave(&mut self, so_far: usize) {
        self.inner.leave(so_far);
        self.say("leave\n");
    }

    fn open_list(
        &mut self,
        min: usize,
        max: usize,
        depth: usize,
        so_far: usize,
        factor: u32,
    ) -> Option<usize> {
        self.inner.open_list(min, max, depth, so_far, factor)
    }

    fn close_list(&mut self) {
        self.inner.close_list();
    }

    fn retract(&mut self, so_far: usize) {
        self.inner.retract(so_far);
        self.say(&format!("retract {so_far}\n"));
    }

    fn decided(&mut self, choice: &Choice) {
        self.say_choice(choice.value, &choice.shape);
    }

    fn noted(&mut self, note: &Note) {
        let (start, end) =
            note.choices.map_or(("-".into(), "-".into()), |(s, e)| (s.to_string(), e.to_string()));
        let name = escape(&note.name).replace('\t', " ");
        self.say(&format!("note {start} {end} {name}\t{}\n", escape(&note.value)));
    }

    fn is_random(&self) -> bool {
        self.inner.is_random()
    }

    fn leans(&mut self, of: u64) -> u64 {
        self.inner.leans(of)
    }

    fn is_exhaustive(&self) -> bool {
        self.inner.is_exhaustive()
    }
}

/// A seed nobody chose.
pub(crate) fn fresh_seed() -> u64 {
    token() & 0xffff_ffff_ffff
}

/// A number that nobody else knows.
pub(crate) fn token() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    // Every `RandomState` is made from keys of the operating system.
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_connects_and_says_nothing_or_something_else_keeps_nobody_waiting() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let connect = |words: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(words.as_bytes()).unwrap();
            stream
        };
        let strangers =
            ["", "another token\n", "much more than a token is long, and no end of a line", "\n", "tok"];
        let strangers: Vec<TcpStream> = strangers.map(connect).into();
        let _child = connect("token\nrun");
        let mut process = Command::new("sleep").arg("600").spawn().unwrap();
        let begun = Instant::now();
        let stream = accept(&listener, "token", &mut process);
        process.kill().and_then(|()| process.wait()).unwrap();
        assert!(begun.elapsed() < START_TIME_MAX / 2, "the child was waiting all the time");
        let mut rest = [0; 3];
        stream.unwrap().read_exact(&mut rest).unwrap();
        assert_eq!((&rest, strangers.len()), (b"run", 5));
    }
}
