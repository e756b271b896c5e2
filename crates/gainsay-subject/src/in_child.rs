//! Objects in a child process, called by lines of JSON.
//!
//! The protocol is told in the book (*Test what is written in another language*). One process serves many objects, one after the other;
//! one that has ended, hangs, or is full of threads that do not end is replaced.

use crate::asleep::{Census, Rest};
use crate::child::{Child, Heard};
use crate::live::{Live, Made, Patience, Returned, Settled, Subject, Trouble};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long a process may take to begin, and to answer what it must answer at once.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// So many threads may be left in a process before it is replaced.
const LEFT_MAX: u64 = 64;

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
}

/// A process at work.
#[derive(Debug)]
struct Running {
    child: Child,
    census: Census,
    /// The threads of the workers, as far as they are known.
    workers: Vec<Option<u32>>,
    /// The names of threads that are not workers.
    names: HashMap<u32, String>,
    /// How many threads of earlier objects have not ended.
    left: u64,
    /// Which calls its workers are inside of, if it says so in a file: four bytes for each.
    counters: Option<(PathBuf, File)>,
    /// Who was born last when it was asked for its threads, and it had none of its own.
    youngest: Option<u64>,
    /// The number of the next call: what is said late of calls of an earlier object must not be taken for one of this.
    next: u32,
}

/// Something the child has said.
#[derive(Debug)]
enum Said {
    Returned {
        number: u32,
        returned: Result<Json, String>,
        others: u64,
    },
    Made(Result<(), String>),
    Threads {
        inside: Vec<i64>,
        others: Vec<String>,
        timed: u64,
    },
    Ended {
        left: u64,
        /// The workers that are not there any more.
        gone: Vec<u64>,
    },
    Error(String),
    /// Told us a thread, or greeted us.
    Other,
}

/// A file that a child may map into its memory.
fn counters() -> Option<(PathBuf, File)> {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new("/dev/shm");
    let folder = if folder.is_dir() { folder.to_path_buf() } else { std::env::temp_dir() };
    let path = folder.join(format!("gainsay-counters-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).ok()?;
    file.set_len(4 * WORKERS_MAX as u64).ok()?;
    Some((path, file))
}

/// So many workers at most are counted.
const WORKERS_MAX: usize = 1024;

impl Drop for Running {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.counters {
            // It is of no use to anybody else, and small.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Running {
    fn start(mut command: Command, is_java: bool) -> Result<Running, Trouble> {
        let counters = counters();
        if let Some((path, _)) = &counters {
            command.env("GAINSAY_COUNTERS", path);
        }
        let child = Child::start(command)?;
        let census = Census::new(child.id(), is_java);
        let mut running = Running {
            child,
            census,
            workers: Vec::new(),
            names: HashMap::new(),
            left: 0,
            counters,
            youngest: None,
            next: 0,
        };
        match running.child.line(ANSWER_MAX) {
            Heard::Line(line) if line.contains("\"hello\"") => {
                if !line.contains("\"counters\"") {
                    running.counters = None;
                }
                Ok(running)
            }
            Heard::Line(line) => Err(garbage(&line)),
            Heard::Nothing => {
                Err(Trouble::new(format!("the child process has not greeted us within {ANSWER_MAX:?}")))
            }
            Heard::Gone => Err(Trouble::new(format!("nothing was made: {}", running.child.last_words()))),
        }
    }

    /// What a line says.
    fn read(&mut self, line: &str) -> Result<Said, Trouble> {
        let said: Json = serde_json::from_str(line).map_err(|_| garbage(line))?;
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let number = |key: &str| said.get(key).and_then(Json::as_u64);
        let others = number("others").unwrap_or(0);
        if let Some(call) = number("returned") {
            let value = said.get("value").cloned().unwrap_or(Json::Null);
            return Ok(Said::Returned { number: call as u32, returned: Ok(value), others });
        }
        if let Some(call) = number("threw") {
            let message = said.get("message").map(text).unwrap_or_default();
            return Ok(Said::Returned { number: call as u32, returned: Err(message), others });
        }
        if let (Some(worker), Some(thread)) = (number("worker"), number("thread")) {
            let worker = worker as usize;
            if worker > 100_000 {
                return Err(garbage(line));
            }
            self.workers.resize(self.workers.len().max(worker + 1), None);
            self.workers[worker] = Some(thread as u32);
            self.census.add(thread as u32).map_err(|error| {
                Trouble::new(format!("the kernel does not say what threads of a child do (/proc): {error}"))
            })?;
            return Ok(Said::Other);
        }
        if let Some(inside) = said.get("inside").and_then(Json::as_array) {
            let inside = inside.iter().filter_map(Json::as_i64).collect();
            let others =
                said.get("others").and_then(Json::as_array).into_iter().flatten().map(text).collect();
            return Ok(Said::Threads { inside, others, timed: number("timed").unwrap_or(0) });
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
            return Ok(Said::Ended { left: number("left").unwrap_or(0), gone });
        }
        match said.get("error") {
            Some(message) => Ok(Said::Error(text(message))),
            None => Err(garbage(line)),
        }
    }

    /// Whether all these calls are being made, by what the workers write down themselves, and no thread was born since the object was
    /// known to have none of its own.
    fn are_inside(&self, open: &[Open]) -> bool {
        let Some((_, file)) = &self.counters else { return false };
        if self.youngest.is_none() || self.census.youngest() != self.youngest {
            return false;
        }
        let mut bytes = [0; 256];
        let Ok(read) = file.read_at(&mut bytes, 0) else { return false };
        open.iter().all(|open| {
            let place = 4 * open.worker;
            let written = bytes[..read].get(place..place + 4).and_then(|bytes| bytes.try_into().ok());
            written.map(u32::from_ne_bytes) == Some(open.told)
        })
    }

    /// The threads with these names; nothing if one cannot be found, since threads get their names a little after they are born.
    fn named(&mut self, names: &[String]) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        if names.is_empty() {
            return Some(found);
        }
        // The kernel keeps the first fifteen bytes of a name.
        let short = |name: &str| name.bytes().take(15).collect::<Vec<u8>>();
        let mut wanted: HashMap<Vec<u8>, usize> = HashMap::new();
        names.iter().for_each(|name| *wanted.entry(short(name)).or_default() += 1);
        for thread in self.census.all().unwrap_or_default() {
            if self.workers.contains(&Some(thread)) {
                continue;
            }
            let census = &self.census;
            let name = self.names.entry(thread).or_insert_with(|| census.name(thread).unwrap_or_default());
            // (Those of earlier objects may have the same names.)
            if let Some(missing) = wanted.get_mut(name.as_bytes())
                && self.census.add(thread).is_ok()
            {
                *missing = missing.saturating_sub(1);
                found.push(thread);
            }
        }
        if wanted.values().any(|missing| *missing > 0) {
            self.names.clear();
            return None;
        }
        Some(found)
    }
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
        if self.running.as_ref().is_some_and(|running| running.left > LEFT_MAX) {
            self.running = None;
        }
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(Running::start((self.command)()?, self.is_java)?),
        };
        let line = json!({"do": "new", "class": self.class, "arguments": self.arguments, "worker": 0});
        running.child.send(line.to_string());
        running.youngest = None;
        let begun = Instant::now();
        loop {
            let broken = match running.child.line(Duration::from_millis(100)) {
                Heard::Line(line) => match running.read(&line)? {
                    Said::Made(Ok(())) => break,
                    Said::Made(Err(why)) => return Ok(Made::Broken(why)),
                    Said::Error(why) => return Err(Trouble::new(why)),
                    _ => continue,
                },
                Heard::Gone => running.child.last_words(),
                Heard::Nothing if begun.elapsed() > MAKE_MAX => {
                    format!("the constructor did not return within {MAKE_MAX:?}")
                }
                Heard::Nothing => continue,
            };
            self.running = None;
            return Ok(Made::Broken(broken));
        }
        Ok(Made::Ready(Box::new(Object { subject: self, open: Vec::new(), others: 0, is_lost: false })))
    }
}

/// How long a constructor may take.
const MAKE_MAX: Duration = Duration::from_secs(10);

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
    /// How many threads of its own the object has.
    others: u64,
    /// It never came to rest: its process is of no more use.
    is_lost: bool,
}

impl<C, V> Object<'_, C, V> {
    /// Takes what was said of calls.
    fn take(&mut self, said: Said, returned: &mut Vec<(u32, Returned<V>)>) -> Result<(), Trouble> {
        match said {
            Said::Returned { number, returned: value, others } => {
                // (Calls of earlier objects may end late.)
                let Some(place) = self.open.iter().position(|open| open.told == number) else {
                    return Ok(());
                };
                let number = self.open.remove(place).number;
                self.others = others;
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
            Said::Threads { .. } | Said::Made(_) | Said::Ended { .. } | Said::Other => {}
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
                    self.others = 0;
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
        let mut watched = Vec::with_capacity(self.open.len());
        for open in &self.open {
            match running.workers.get(open.worker) {
                Some(Some(thread)) => watched.push(*thread),
                _ => return Ok(Rest::Running),
            }
        }
        // Its own threads have names, which are known when it was asked once.
        let mut names = Vec::new();
        if self.others > 0 {
            match self.ask(returned)? {
                Some((_, others, _)) => names = others,
                None => return Ok(Rest::Running),
            }
        }
        let Some(running) = &mut self.subject.running else { return Ok(Rest::Asleep) };
        let Some(named) = running.named(&names) else { return Ok(Rest::Running) };
        watched.extend(named);
        // The census is lent to itself while the child is asked.
        let lent = Census::new(running.child.id(), self.subject.is_java);
        let census = std::mem::replace(&mut running.census, lent);
        let mut trouble = None;
        let is_brief = names.is_empty() && self.others == 0;
        let rest = census.rest(&watched, || {
            // Timers must be asked for; and so must be everything, if the workers do not say where they are.
            let knows = |object: &Self| {
                object.subject.running.as_ref().is_some_and(|running| running.are_inside(&object.open))
            };
            if is_brief && !census.seems_timed(&watched) && knows(self) {
                return Some(Rest::Timed);
            }
            let youngest = census.youngest();
            match self.ask(returned) {
                Ok(Some((inside, others, timed))) => {
                    let are_inside = self.open.iter().all(|open| inside.contains(&i64::from(open.told)));
                    self.others = others.len() as u64;
                    let is_known = others.iter().all(|other| names.contains(other));
                    let known = if timed == 0 { Rest::Asleep } else { Rest::Timed };
                    if let Some(running) = &mut self.subject.running {
                        running.youngest = youngest.filter(|_| others.is_empty());
                    }
                    (are_inside && is_known).then_some(known)
                }
                Ok(None) => None,
                Err(error) => {
                    trouble = Some(error);
                    None
                }
            }
        });
        if let Some(running) = &mut self.subject.running {
            // (Workers that were told of meanwhile are in the one that was lent.)
            let lent = std::mem::replace(&mut running.census, census);
            running.census.adopt(lent);
        }
        match trouble {
            Some(trouble) => Err(trouble),
            None => Ok(rest),
        }
    }

    /// Which calls are being made, which other threads there are, and how many wait for a timer; nothing if calls have returned
    /// meanwhile.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once")]
    fn ask(
        &mut self,
        returned: &mut Vec<(u32, Returned<V>)>,
    ) -> Result<Option<(Vec<i64>, Vec<String>, u64)>, Trouble> {
        let before = returned.len();
        let Some(running) = &mut self.subject.running else { return Ok(None) };
        running.child.send(r#"{"do":"threads"}"#.into());
        let begun = Instant::now();
        loop {
            let Some(running) = &mut self.subject.running else { return Ok(None) };
            match running.child.line(Duration::from_millis(100)) {
                Heard::Line(line) => match running.read(&line)? {
                    Said::Threads { inside, others, timed } => {
                        return Ok((returned.len() == before).then_some((inside, others, timed)));
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
        let begun = Instant::now();
        let mut timed: Option<Instant> = None;
        let mut returned = Vec::new();
        if self.subject.running.is_none() {
            let gone = "its process has ended before".to_string();
            returned.extend(self.open.drain(..).map(|open| (open.number, Returned::Died(gone.clone()))));
        }
        let mut wait = Duration::from_micros(10);
        loop {
            let news = !self.open.is_empty() && self.listen(wait, &mut returned)?;
            if self.open.is_empty() && self.others == 0 {
                return Ok(Settled { returned, rest: Rest::Asleep });
            }
            if news {
                continue;
            }
            let before = returned.len();
            let rest = self.rest(&mut returned)?;
            let news = returned.len() > before;
            if !news && rest == Rest::Asleep {
                return Ok(Settled { returned, rest });
            }
            // Who looks again from time to time runs now and then.
            if news {
                timed = None;
            } else if rest == Rest::Timed {
                timed.get_or_insert_with(Instant::now);
            }
            let is_timed =
                rest == Rest::Timed && timed.is_some_and(|since| since.elapsed() >= patience.timers);
            if is_timed || begun.elapsed() >= patience.running {
                self.is_lost = rest == Rest::Running;
                return Ok(Settled { returned, rest: rest.max(Rest::Timed) });
            }
            if self.open.is_empty() {
                std::thread::park_timeout(wait);
            }
            wait = (wait + wait / 4).min(Duration::from_millis(1));
        }
    }

    fn collect(&mut self, limit: Duration) -> Result<Vec<(u32, Returned<V>)>, Trouble> {
        let begun = Instant::now();
        let mut returned = Vec::new();
        while let Some(left) = limit.checked_sub(begun.elapsed()).filter(|_| !self.open.is_empty()) {
            self.listen(left, &mut returned)?;
        }
        Ok(returned)
    }

    /// Threads of a child end with it.
    fn busy(&self) -> usize {
        0
    }
}

impl<C, V> Drop for Object<'_, C, V> {
    fn drop(&mut self) {
        if self.is_lost {
            self.subject.running = None;
        }
        if self.open.is_empty() && self.others == 0 {
            return;
        }
        let Some(running) = &mut self.subject.running else { return };
        running.child.send(r#"{"do":"end"}"#.into());
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(5) {
            match running.child.line(Duration::from_millis(100)) {
                Heard::Line(line) => match running.read(&line) {
                    Ok(Said::Ended { left, gone }) => {
                        running.left = left;
                        for worker in gone {
                            let thread = running.workers.get_mut(worker as usize).and_then(Option::take);
                            thread.into_iter().for_each(|thread| running.census.remove(thread));
                        }
                        return;
                    }
                    Ok(_) => {}
                    Err(_) => break,
                },
                Heard::Nothing => {}
                Heard::Gone => break,
            }
        }
        self.subject.running = None;
    }
}
