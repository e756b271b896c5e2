//! Objects in a child process, called by lines of JSON.
//!
//! The protocol is told in the book (*Test what is written in another language*). One process serves many objects, one after the other;
//! one that has ended, hangs, or is full of threads that do not end is replaced.

use crate::asleep::{Census, Rest};
use crate::child::Child;
use crate::lines::Heard;
use crate::live::{Live, Made, Patience, Returned, Settled, Subject, Trouble, Waiting};
use serde_json::{Value as Json, json};
use std::collections::HashSet;
use std::fmt::{self, Debug};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a process may take to begin, and to answer what it must answer at once.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// So many threads may be left in a process before it is replaced.
const LEFT_MAX: u64 = 64;

/// What the names of threads begin with that go on whatever becomes of the objects, and let nobody wait.
const BYSTANDER: &str = "bystander";

/// How a call is told to a child: a method and its arguments.
type Encode<C> = Box<dyn Fn(&C) -> (String, Vec<Json>)>;

/// What a child's answer means.
type Decode<V> = Box<dyn Fn(&Json) -> Result<V, String>>;

/// Objects in a child process: see [`in_child`].
pub struct InChild<C, V> {
    command: Box<dyn Fn() -> Result<Command, Trouble>>,
    class: String,
    arguments: Vec<Json>,
    encode: Encode<C>,
    decode: Decode<V>,
    is_java: bool,
    /// Calls that wait do not end when they are interrupted, and stay in the process: they are better let go by other calls.
    is_stubborn: bool,
    running: Option<Running>,
}

impl<C, V> Debug for InChild<C, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InChild").field("class", &self.class).finish_non_exhaustive()
    }
}

/// Objects of a class in a child process that speaks the protocol. `encode` says which method a call is and with which arguments, and
/// `decode` what a returned value means.
pub fn in_child<C, V>(
    command: impl Fn() -> Result<Command, Trouble> + 'static,
    class: &str,
    arguments: impl IntoIterator<Item = Json>,
    encode: impl Fn(&C) -> (String, Vec<Json>) + 'static,
    decode: impl Fn(&Json) -> Result<V, String> + 'static,
) -> InChild<C, V> {
    InChild {
        command: Box::new(command),
        class: class.into(),
        arguments: arguments.into_iter().collect(),
        encode: Box::new(encode),
        decode: Box::new(decode),
        is_java: false,
        is_stubborn: false,
        running: None,
    }
}

impl<C, V> InChild<C, V> {
    /// The child is a Java machine: some of what its threads do has another meaning.
    #[must_use]
    pub(crate) fn java(mut self) -> InChild<C, V> {
        self.is_java = true;
        self
    }

    /// What to say of a constructor.
    fn unmade(&self, why: &str) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(Json::to_string).collect();
        format!("the constructor {}({}) {why}", self.class, arguments.join(", "))
    }
}

/// A process at work.
#[derive(Debug)]
struct Running {
    child: Child,
    census: Census,
    /// The threads of the workers, as far as they are known.
    workers: Vec<Option<u32>>,
    /// The threads that were there before the first object was.
    strangers: HashSet<u32>,
    /// The threads that objects have started, earlier ones too: they may share them.
    born: Vec<u32>,
    /// It was told that an object is not needed any more, and has not said yet what became of its threads.
    is_ending: bool,
    /// Workers were left in calls that do not end.
    has_left: bool,
    /// Which calls its workers are inside of, if it says so in a file: four bytes for each.
    counters: Option<(PathBuf, File)>,
    /// Who was born last when all threads were known.
    youngest: Option<u64>,
    /// The number of the next call: what is said late of calls of an earlier object must not be taken for one of this.
    next: u32,
}

/// What came of making an object.
enum Making {
    Made,
    /// Its constructor threw.
    Broken(String),
    /// The process has ended, or nothing more can be expected of it.
    Ended(String),
    /// The object before has left threads in it that go on, or too many.
    Stale,
}

/// Something the child has said.
#[derive(Debug)]
enum Said {
    Returned {
        number: u32,
        returned: Result<Json, String>,
    },
    Made(Result<(), String>),
    Threads {
        inside: Vec<i64>,
        timed: u64,
    },
    Ended {
        left: u64,
        /// Threads of the object go on.
        is_busy: bool,
        /// The workers that are not there any more.
        gone: Vec<u64>,
    },
    Error(String),
    /// The thread of a worker.
    Worker {
        worker: usize,
        thread: u32,
    },
}

/// Workers have smaller numbers.
const WORKER_MAX: u64 = 100_000;

/// What a line of a child says.
fn read(line: &str) -> Result<Said, Trouble> {
    let said: Json = serde_json::from_str(line).map_err(|_| garbage(line))?;
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let number = |key: &str| said.get(key).and_then(Json::as_u64);
    if let Some(call) = number("returned") {
        let value = said.get("value").cloned().unwrap_or(Json::Null);
        return Ok(Said::Returned { number: call as u32, returned: Ok(value) });
    }
    if let Some(call) = number("threw") {
        let message = said.get("message").map(text).unwrap_or_default();
        return Ok(Said::Returned { number: call as u32, returned: Err(message) });
    }
    if let (Some(worker), Some(thread)) = (number("worker"), number("thread")) {
        if worker > WORKER_MAX {
            return Err(garbage(line));
        }
        return Ok(Said::Worker { worker: worker as usize, thread: thread as u32 });
    }
    if let Some(inside) = said.get("inside").and_then(Json::as_array) {
        let inside = inside.iter().filter_map(Json::as_i64).collect();
        return Ok(Said::Threads { inside, timed: number("timed").unwrap_or(0) });
    }
    if said.get("made").is_some() {
        return Ok(Said::Made(Ok(())));
    }
    if let Some(message) = said.get("broken") {
        return Ok(Said::Made(Err(text(message))));
    }
    if said.get("ended").is_some() {
        let gone = said.get("gone").and_then(Json::as_array).into_iter().flatten();
        let gone = gone.filter_map(Json::as_u64).collect();
        let is_busy = number("busy").is_some_and(|busy| busy > 0);
        return Ok(Said::Ended { left: number("left").unwrap_or(0), is_busy, gone });
    }
    match said.get("error") {
        Some(message) => Ok(Said::Error(text(message))),
        None => Err(garbage(line)),
    }
}

/// For the fuzzer alone.
#[cfg(fuzzing)]
pub(crate) fn fuzz_line(line: &str) {
    let _ = read(line).map(|said| format!("{said:?}"));
}

/// A file that a child may map into its memory.
fn counters() -> Option<(PathBuf, File)> {
    // (Under a name that nobody knows, and never a file or a link that is there already.)
    let folder = Some(Path::new("/dev/shm")).filter(|folder| folder.is_dir());
    let folder = folder.map_or_else(std::env::temp_dir, Path::to_path_buf);
    let path =
        folder.join(format!("gainsay-counters-{:016x}", RandomState::new().hash_one(std::process::id())));
    let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(&path).ok()?;
    file.set_len(4 * WORKERS_MAX as u64).ok()?;
    Some((path, file))
}

/// So many workers at most are counted.
const WORKERS_MAX: usize = 1024;

impl Running {
    fn start(mut command: Command, is_java: bool) -> Result<Running, Trouble> {
        let counters = counters();
        if let Some((path, _)) = &counters {
            command.env("GAINSAY_COUNTERS", path);
        }
        let child = Child::start(command).inspect_err(|_| {
            if let Some((path, _)) = &counters {
                let _ = std::fs::remove_file(path);
            }
        })?;
        let census = Census::new(child.id(), is_java);
        let mut running = Running {
            child,
            census,
            workers: Vec::new(),
            strangers: HashSet::new(),
            born: Vec::new(),
            is_ending: false,
            has_left: false,
            counters,
            youngest: None,
            next: 0,
        };
        let heard = running.child.line(ANSWER_MAX);
        if let Some((path, _)) = &running.counters {
            // Whoever wants it has it open by now.
            let _ = std::fs::remove_file(path);
        }
        match heard {
            Heard::Line(line) if line.contains("\"hello\"") => {
                if !line.contains("\"counters\"") {
                    running.counters = None;
                }
                let (all, _) = running.census.all().map_err(unlisted)?;
                if is_java {
                    let is_machine =
                        |id: &&u32| running.census.name(**id).is_some_and(|name| name == "VM Thread");
                    let machine = all.iter().find(is_machine).copied();
                    machine.into_iter().for_each(|id| running.census.watch_machine(id));
                }
                running.strangers.extend(all);
                Ok(running)
            }
            Heard::Line(line) => Err(garbage(&line)),
            Heard::Nothing => {
                Err(Trouble::new(format!("the child process has not greeted us within {ANSWER_MAX:?}")))
            }
            Heard::Gone => Err(Trouble::new(format!("nothing was made: {}", running.child.last_words()))),
        }
    }

    /// What a line says. Threads of workers are taken note of.
    fn read(&mut self, line: &str) -> Result<Said, Trouble> {
        let said = read(line)?;
        if let Said::Worker { worker, thread } = said {
            self.workers.resize(self.workers.len().max(worker + 1), None);
            self.workers[worker] = Some(thread);
            self.born.retain(|born| *born != thread);
            self.census.add(thread).map_err(|error| {
                Trouble::new(format!("the kernel does not say what threads of a child do (/proc): {error}"))
            })?;
        }
        Ok(said)
    }

    /// Whether all these calls are being made, by what the workers write down themselves; nothing if they do not.
    fn are_inside(&self, open: &[Open]) -> Option<bool> {
        let (_, file) = self.counters.as_ref()?;
        let mut bytes = [0; 4 * WORKERS_MAX];
        let last = open.iter().map(|open| 4 * open.worker + 4).max()?;
        file.read_exact_at(bytes.get_mut(..last)?, 0).ok()?;
        let written =
            |worker: usize| bytes.get(4 * worker..4 * worker + 4)?.try_into().map(u32::from_ne_bytes).ok();
        Some(open.iter().all(|open| written(open.worker) == Some(open.told)))
    }

    /// What came of making an object.
    fn made(&mut self) -> Result<Making, Trouble> {
        let begun = Instant::now();
        loop {
            let heard = self.child.line(Duration::from_millis(100));
            let is_late = begun.elapsed() > MAKE_MAX;
            match heard {
                Heard::Line(line) if !is_late => match self.read(&line)? {
                    Said::Made(Ok(())) => return Ok(Making::Made),
                    Said::Made(Err(why)) => return Ok(Making::Broken(why)),
                    Said::Error(why) => return Err(Trouble::new(why)),
                    Said::Ended { left, is_busy, gone } => {
                        self.is_ending = false;
                        self.has_left |= !gone.is_empty();
                        if is_busy || left > LEFT_MAX {
                            return Ok(Making::Stale);
                        }
                        for worker in gone {
                            let thread = self.workers.get_mut(worker as usize).and_then(Option::take);
                            if let Some(thread) = thread {
                                self.census.remove(thread);
                                self.strangers.insert(thread);
                            }
                        }
                    }
                    Said::Returned { .. } | Said::Threads { .. } | Said::Worker { .. } => {}
                },
                Heard::Nothing if !is_late && self.child.has_ended() => {
                    return Ok(Making::Ended(self.ended_making()));
                }
                Heard::Nothing if !is_late => {}
                _ if self.is_ending => return Ok(Making::Stale),
                Heard::Gone => return Ok(Making::Ended(self.ended_making())),
                Heard::Line(_) | Heard::Nothing => {
                    return Ok(Making::Ended(format!("did not return within {MAKE_MAX:?}")));
                }
            }
        }
    }

    /// What to say of a constructor that was the end of the process.
    fn ended_making(&mut self) -> String {
        format!("ended its process: {}", self.child.last_words())
    }

    /// Does not watch threads any more that are called bystanders. (They get their names a little after they are born.)
    fn let_bystanders_go(&mut self) {
        let is_bystander =
            |id: &mut u32| self.census.name(*id).is_some_and(|name| name.starts_with(BYSTANDER));
        let bystanders: Vec<u32> = self.born.extract_if(.., is_bystander).collect();
        for id in bystanders {
            self.census.remove(id);
            self.strangers.insert(id);
        }
    }

    /// Gets to know all threads there are; whether they were known before.
    fn know(&mut self) -> Result<bool, Trouble> {
        let census = &mut self.census;
        let youngest = census.youngest();
        if youngest.is_some() && youngest == self.youngest {
            return Ok(true);
        }
        let (all, youngest) = census.all().map_err(unlisted)?;
        // Others may get the numbers of threads that have ended.
        self.strangers.retain(|id| all.contains(id));
        let ended: Vec<u32> = self.born.extract_if(.., |id| !all.contains(id)).collect();
        ended.into_iter().for_each(|id| census.remove(id));
        let mut were_known = true;
        for id in all {
            if self.strangers.contains(&id) || census.has(id) {
                continue;
            }
            // (It may have ended by now.)
            if census.add(id).is_ok() {
                self.born.push(id);
                were_known = false;
            }
        }
        self.youngest = youngest;
        Ok(were_known)
    }
}

fn unlisted(error: std::io::Error) -> Trouble {
    Trouble::new(format!("failed to list the threads of the child process: {error}"))
}

fn garbage(line: &str) -> Trouble {
    let line: String = line.chars().take(200).collect();
    Trouble::new(format!("the child process said something that is not in the protocol: {line}"))
}

impl<C: 'static, V: 'static> Subject<C, V> for InChild<C, V> {
    fn make(&mut self) -> Result<Made<Box<dyn Live<C, V> + '_>>, Trouble> {
        if !crate::is_supported() {
            return Err(Trouble::new(
                "the kernel does not say what threads do (/proc/self/syscall): blocked calls cannot be told from slow ones here",
            ));
        }
        let line = json!({"do": "new", "class": self.class, "arguments": self.arguments, "worker": 0});
        loop {
            let running = match &mut self.running {
                Some(running) => running,
                none => none.insert(Running::start((self.command)()?, self.is_java)?),
            };
            running.child.send(line.to_string());
            let making = running.made()?;
            self.is_stubborn |= running.has_left;
            match making {
                Making::Made => break,
                Making::Broken(why) => return Ok(Made::Broken(self.unmade(&format!("threw {why}")))),
                Making::Ended(why) => {
                    self.running = None;
                    return Ok(Made::Broken(self.unmade(&why)));
                }
                Making::Stale => self.running = None,
            }
        }
        Ok(Made::Ready(Box::new(Object { subject: self, open: Vec::new(), together: 0, is_lost: false })))
    }
}

/// How long a constructor may take.
const MAKE_MAX: Duration = Duration::from_secs(10);

/// So long we listen at least before we look at threads.
const SOONEST: Duration = Duration::from_micros(10);

/// So long a process may take to end after its first thread.
const DYING_MAX: Duration = Duration::from_millis(500);

/// So long calls are left alone that are to meet.
const TOGETHER: Duration = Duration::from_micros(150);

/// A call that is open.
#[derive(Debug)]
struct Open {
    number: u32,
    /// Its number for the child.
    told: u32,
    worker: usize,
}

struct Object<'a, C, V> {
    subject: &'a mut InChild<C, V>,
    /// The calls that are open.
    open: Vec<Open>,
    /// So many calls were started together just now.
    together: usize,
    /// It never came to rest: its process is of no more use.
    is_lost: bool,
}

impl<C, V> Object<'_, C, V> {
    /// Takes what was said of calls.
    fn take(&mut self, said: Said, returned: &mut Vec<(u32, Returned<V>)>) -> Result<(), Trouble> {
        match said {
            Said::Returned { number, returned: value } => {
                // (Calls of earlier objects may end late.)
                let Some(place) = self.open.iter().position(|open| open.told == number) else {
                    return Ok(());
                };
                let number = self.open.remove(place).number;
                let outcome = match value {
                    Ok(value) => match (self.subject.decode)(&value) {
                        Ok(value) => Returned::Value(value),
                        Err(why) => {
                            Returned::Threw(format!("returned {value}, which means nothing here: {why}"))
                        }
                    },
                    Err(message) => Returned::Threw(message),
                };
                returned.push((number, outcome));
            }
            Said::Error(why) => return Err(Trouble::new(why)),
            Said::Threads { .. } | Said::Made(_) | Said::Ended { .. } | Said::Worker { .. } => {}
        }
        Ok(())
    }

    /// Takes all lines there are, the first within a limit. `false` if there was none, or will be none any more.
    fn listen(&mut self, limit: Duration, returned: &mut Vec<(u32, Returned<V>)>) -> Result<bool, Trouble> {
        let mut limit = limit;
        let mut any = false;
        loop {
            let Some(running) = &mut self.subject.running else { return Ok(any) };
            match running.child.line(limit) {
                Heard::Nothing => return Ok(any),
                Heard::Line(line) => {
                    let said = running.read(&line)?;
                    self.take(said, returned)?;
                }
                Heard::Gone => {
                    let words = running.child.last_words();
                    self.subject.running = None;
                    for open in self.open.drain(..) {
                        returned.push((open.number, Returned::Died(words.clone())));
                    }
                    return Ok(false);
                }
            }
            any = true;
            // If nothing is open, nothing more is to come.
            if self.open.is_empty() {
                return Ok(true);
            }
            limit = Duration::ZERO;
        }
    }

    /// What its threads do, if nothing was said meanwhile.
    fn rest(&mut self, returned: &mut Vec<(u32, Returned<V>)>) -> Result<Rest, Trouble> {
        let Some(running) = &mut self.subject.running else { return Ok(Rest::Asleep) };
        // (That is soon known, and mostly so.)
        if running.are_inside(&self.open) == Some(false) {
            return Ok(Rest::Running);
        }
        let mut watched = Vec::with_capacity(self.open.len());
        for open in &self.open {
            match running.workers.get(open.worker) {
                Some(Some(thread)) => watched.push(*thread),
                _ => return Ok(Rest::Running),
            }
        }
        watched.extend(&running.born);
        let mut rest = running.census.rest(&watched);
        if rest == Rest::Running {
            running.let_bystanders_go();
            return Ok(Rest::Running);
        }
        if !running.know()? {
            return Ok(Rest::Running);
        }
        // Between two looks: while all sleep.
        let are_inside = running.are_inside(&self.open);
        if are_inside == Some(false) {
            return Ok(Rest::Running);
        }
        // Timers must be asked for; and so must be everything, if the workers do not say where they are.
        if rest == Rest::Timed || are_inside.is_none() {
            let Some((inside, timed)) = self.ask(returned)? else { return Ok(Rest::Running) };
            if !self.open.iter().all(|open| inside.contains(&i64::from(open.told))) {
                return Ok(Rest::Running);
            }
            rest = rest.min(if timed == 0 { Rest::Asleep } else { Rest::Timed });
        }
        let Some(running) = &mut self.subject.running else { return Ok(Rest::Asleep) };
        if !running.census.slept(&watched) {
            return Ok(Rest::Running);
        }
        // Whoever has ended does not wait.
        watched.truncate(self.open.len());
        if watched.iter().any(|thread| running.census.has_ended(*thread)) {
            // (The threads of a process end before it does.)
            let is_over = running.child.ends_within(DYING_MAX);
            let words = match is_over {
                true => running.child.last_words(),
                false => "the thread of the call has ended".to_string(),
            };
            for (open, thread) in std::mem::take(&mut self.open).into_iter().zip(watched) {
                match is_over || running.census.has_ended(thread) {
                    true => returned.push((open.number, Returned::Died(words.clone()))),
                    false => self.open.push(open),
                }
            }
            // It has lost a worker, if not its life.
            self.is_lost = true;
            return Ok(Rest::Running);
        }
        Ok(rest)
    }

    /// Which calls are being made, and how many threads wait for a timer; nothing if calls have returned meanwhile.
    fn ask(&mut self, returned: &mut Vec<(u32, Returned<V>)>) -> Result<Option<(Vec<i64>, u64)>, Trouble> {
        let before = returned.len();
        let Some(running) = &mut self.subject.running else { return Ok(None) };
        running.child.send(r#"{"do":"threads"}"#.into());
        let begun = Instant::now();
        loop {
            let Some(running) = &mut self.subject.running else { return Ok(None) };
            match running.child.line(Duration::from_millis(100)) {
                Heard::Line(line) => match running.read(&line)? {
                    Said::Threads { inside, timed } => {
                        return Ok((returned.len() == before).then_some((inside, timed)));
                    }
                    said => self.take(said, returned)?,
                },
                Heard::Nothing if begun.elapsed() > ANSWER_MAX => {
                    return Err(Trouble::new(format!(
                        "the child process has not said what its threads do within {ANSWER_MAX:?}"
                    )));
                }
                Heard::Nothing => {}
                Heard::Gone => {
                    self.listen(Duration::ZERO, returned)?;
                    return Ok(None);
                }
            }
        }
    }
}

impl<C, V> Live<C, V> for Object<'_, C, V> {
    fn start(&mut self, calls: &[(u32, C)]) -> Result<(), Trouble> {
        self.together = calls.len();
        let mut worker = 0;
        let mut list = Vec::with_capacity(calls.len());
        for (number, call) in calls {
            while self.open.iter().any(|open| open.worker == worker) {
                worker += 1;
            }
            let (method, arguments) = (self.subject.encode)(call);
            let told = self.subject.running.as_mut().map_or(0, |running| {
                running.next = (running.next + 1) % 1_000_000_000;
                running.next
            });
            list.push(json!({"number": told, "worker": worker, "method": method, "arguments": arguments}));
            self.open.push(Open { number: *number, told, worker });
        }
        if let Some(running) = &mut self.subject.running {
            running.child.send(json!({"do": "call", "calls": list}).to_string());
        }
        Ok(())
    }

    fn settle(&mut self, patience: Patience) -> Result<Settled<V>, Trouble> {
        let mut waiting = Waiting::new(patience);
        let mut returned = Vec::new();
        if self.subject.running.is_none() {
            let gone = "its process has ended before".to_string();
            returned.extend(self.open.drain(..).map(|open| (open.number, Returned::Died(gone.clone()))));
        }
        // Whoever looks takes a processor from those that are to meet.
        if let (2.., Some(running)) = (std::mem::take(&mut self.together), &self.subject.running) {
            running.child.await_line(TOGETHER);
        }
        let mut wait = SOONEST;
        loop {
            let news = !self.open.is_empty() && self.listen(wait, &mut returned)?;
            // If no call is open, there is nothing to know.
            if self.open.is_empty() {
                return Ok(Settled { returned, rest: Rest::Asleep });
            }
            if news {
                continue;
            }
            let before = returned.len();
            let rest = self.rest(&mut returned)?;
            if let Some(rest) = waiting.end(rest, returned.len() > before) {
                self.is_lost |= rest == Rest::Running;
                return Ok(Settled { returned, rest });
            }
            // Soon we look at the beginning, and later and later then.
            wait = (waiting.begun.elapsed() / 20).clamp(SOONEST, Duration::from_millis(1));
        }
    }

    fn reconsider(&mut self, patience: Patience) -> Result<Settled<V>, Trouble> {
        if let Some(running) = &mut self.subject.running {
            let census = &running.census;
            census.let_others_run(|id| census.has(id)).map_err(unlisted)?;
            running.youngest = None;
            census.forget();
        }
        self.settle(patience)
    }

    fn collect(&mut self, limit: Duration) -> Result<Vec<(u32, Returned<V>)>, Trouble> {
        let begun = Instant::now();
        let mut returned = Vec::new();
        while let Some(left) = limit.checked_sub(begun.elapsed()).filter(|_| !self.open.is_empty()) {
            self.listen(left, &mut returned)?;
        }
        Ok(returned)
    }

    /// Threads of a child end with it at the latest. But those that do not end before cost time, and in the end another child.
    fn busy(&self) -> usize {
        if self.subject.is_stubborn { self.open.len() } else { 0 }
    }
}

impl<C, V> Drop for Object<'_, C, V> {
    fn drop(&mut self) {
        if self.is_lost {
            self.subject.running = None;
        }
        let Some(running) = &mut self.subject.running else { return };
        if self.open.is_empty() && running.born.is_empty() {
            return;
        }
        // (What it says to that is read when the next one is made.)
        running.child.send(r#"{"do":"end"}"#.into());
        running.is_ending = true;
    }
}
