//! Whether threads are asleep, by what the kernel says of them.
//!
//! A thread that waits for nobody but others of its process is in a system call that has no end in time. That is read for every
//! thread, with the number of its time slices; and then for every thread that it still sleeps, and has not been given a processor since.
//! So there was an instant between at which all were asleep, and from then on none of them can run without a timer, a signal, or
//! somebody from outside.
//!
//! (The system call alone does not do: a thread that is being woken on another processor is still shown in it.)
//!
//! Threads that nobody watches may hold something up for a moment: a lock of the C library, the collector of a Java machine. Who waits
//! for these is told by the place in memory at which it waits; for all else see [`Census::let_others_run`].

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::{Duration, Instant};

/// So often threads are listed before we take what we have.
const LISTS_MAX: usize = 20;

/// So long the thread of a machine may take until it has nothing to do.
const MACHINE_MAX: Duration = Duration::from_secs(1);

/// So long a thread runs at most while it holds something up that others need.
const TURN: Duration = Duration::from_millis(20);

/// So long others may take to have their turn.
const TURNS_MAX: Duration = Duration::from_secs(1);

/// What threads do, together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rest {
    /// All wait, and nothing but somebody from outside can change that.
    Asleep,
    /// All wait, some of them for a timer as well.
    Timed,
    /// Some may be running.
    Running,
}

/// A thread, with its files held open.
#[derive(Debug)]
struct Thread {
    syscall: File,
    schedstat: File,
    stat: File,
    wchan: File,
    /// What it did when we looked last: it does so still, if it has not been given a processor since.
    last: Cell<Option<Look>>,
}

/// What a thread did when we looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    /// How often it has been given a processor.
    slices: u64,
    rest: Rest,
}

/// The threads of a process that are watched.
#[derive(Debug)]
pub struct Census {
    process: u32,
    /// In a Java machine, a thread that is stopped for its neighbours (a safepoint) looks as if it waits.
    is_java: bool,
    threads: BTreeMap<u32, Thread>,
    /// Where threads wait for others who go on by themselves: at the C library's own locks, and for what a machine does for them.
    brief: OnceCell<Vec<Range<u64>>>,
    /// The thread of a machine that works for others, and where they wait for it.
    machine: Option<(u32, Range<u64>)>,
    /// Says, among other things, which process or thread was born last.
    loadavg: Option<File>,
}

/// Whether the kernel says what is needed here.
pub fn is_supported() -> bool {
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
        && fs::read_to_string("/proc/self/syscall").is_ok()
        && fs::read_to_string("/proc/self/schedstat").is_ok()
}

impl Census {
    /// Watches no threads of a process yet.
    pub fn new(process: u32, is_java: bool) -> Census {
        Census {
            process,
            is_java,
            threads: BTreeMap::new(),
            brief: OnceCell::new(),
            machine: None,
            loadavg: File::open("/proc/loadavg").ok(),
        }
    }

    fn open(&self, thread: u32) -> io::Result<Thread> {
        let open = |what: &str| File::open(format!("/proc/{}/task/{thread}/{what}", self.process));
        Ok(Thread {
            syscall: open("syscall")?,
            schedstat: open("schedstat")?,
            stat: open("stat")?,
            wchan: open("wchan")?,
            last: Cell::new(None),
        })
    }

    /// This thread works for others, as a Java machine's does when it collects memory. They wait for it where it waits for them, and whoever
    /// waits there does not rest.
    pub(crate) fn watch_machine(&mut self, thread: u32) {
        let begun = Instant::now();
        while self.machine.is_none() && begun.elapsed() < MACHINE_MAX {
            // A condition has two words next to each other, and uses them in turn.
            self.machine = self.condition(thread).map(|place| (thread, place.saturating_sub(4)..place + 5));
            std::thread::yield_now();
        }
    }

    /// Where a thread waits for a condition, if it does.
    fn condition(&self, thread: u32) -> Option<u64> {
        let told = self.told(thread, "syscall")?;
        let (call, arguments) = system_call(told.as_bytes());
        (call == Some(calls::FUTEX) && arguments[1] & 0x7f == 9).then_some(arguments[0])
    }

    /// Whether this is the thread of the machine, and it has nothing to do.
    fn is_idle_machine(&self, thread: u32) -> bool {
        self.machine.as_ref().is_some_and(|(machine, places)| {
            *machine == thread && self.condition(thread).is_some_and(|place| places.contains(&place))
        })
    }

    /// Watches a thread.
    ///
    /// # Errors
    /// If there is no such thread, or the kernel does not tell.
    pub fn add(&mut self, thread: u32) -> io::Result<()> {
        if !self.threads.contains_key(&thread) {
            self.threads.insert(thread, self.open(thread)?);
        }
        Ok(())
    }

    /// Does not watch a thread any more.
    pub fn remove(&mut self, thread: u32) {
        self.threads.remove(&thread);
    }

    /// Forgets what was seen: every thread is looked at closely the next time.
    pub(crate) fn forget(&self) {
        self.threads.values().for_each(|thread| thread.last.set(None));
    }

    /// Whether a thread that is watched had ended when it was looked at.
    pub(crate) fn has_ended(&self, thread: u32) -> bool {
        self.threads.get(&thread).is_some_and(|thread| thread.last.get().is_none())
    }

    /// Whether a thread is watched.
    pub fn has(&self, thread: u32) -> bool {
        self.threads.contains_key(&thread)
    }

    /// Which process or thread of the machine was born last: if it is the same as before, none was since.
    pub fn youngest(&self) -> Option<u64> {
        let mut buffer = [0; 128];
        let read = self.loadavg.as_ref()?.read_at(&mut buffer, 0).ok()?;
        str::from_utf8(&buffer[..read]).ok()?.split_ascii_whitespace().last()?.parse().ok()
    }

    /// All threads of the process, and who was born last when they were.
    ///
    /// # Errors
    /// If it is gone.
    pub fn all(&self) -> io::Result<(Vec<u32>, Option<u64>)> {
        let folder = format!("/proc/{}/task", self.process);
        // A list lacks threads if others end while the kernel is at it. If there are as many before and after, and none was born, none has
        // ended.
        let count = || fs::metadata(&folder).map(|folder| folder.nlink().saturating_sub(2));
        let mut all = Vec::new();
        for _ in 0..LISTS_MAX {
            let (youngest, before) = (self.youngest(), count()?);
            let listed = fs::read_dir(&folder)?;
            let listed = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            let listed: Vec<u32> = listed.collect();
            if listed.len() as u64 == before && count()? == before && self.youngest() == youngest {
                return Ok((listed, youngest));
            }
            // If that never happens, all that was seen is better than less.
            all.extend(listed);
            all.sort_unstable();
            all.dedup();
        }
        Ok((all, None))
    }

    /// Lets all other threads of the process have their turn: whoever runs may hold something up that the watched ones need.
    ///
    /// # Errors
    /// If the process is gone.
    pub(crate) fn let_others_run(&self, is_watched: impl Fn(u32) -> bool) -> io::Result<()> {
        let own = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        let is_other = |id: &u32| *id != own && !is_watched(*id) && !self.is_idle_machine(*id);
        let others = self.all()?.0.into_iter().filter(is_other);
        let others: Vec<(Thread, u64)> = others
            .filter_map(|id| {
                let thread = self.open(id).ok()?;
                let ran = thread.ran()?;
                Some((thread, ran))
            })
            .collect();
        let begun = Instant::now();
        // Until nobody runs, or whoever does has had his turn.
        let may_hold = |(thread, before): &(Thread, u64)| {
            // (Whoever has ended holds nothing.)
            let (Some(ran), Some(look)) = (thread.ran(), self.look(thread)) else { return false };
            look.rest == Rest::Running && u128::from(ran - before) < TURN.as_nanos()
        };
        while others.iter().any(may_hold) && begun.elapsed() < TURNS_MAX {
            std::thread::park_timeout(Duration::from_micros(200));
        }
        Ok(())
    }

    /// What a thread does; nothing if it has ended.
    fn look(&self, thread: &Thread) -> Option<Look> {
        let brief = self.brief.get_or_init(|| {
            let mut brief = locks(self.process);
            brief.extend(self.machine.iter().map(|(_, places)| places.clone()));
            brief
        });
        thread.look(self.is_java, brief)
    }

    /// The name that a thread has for the kernel: that of its parent, if it was given none.
    pub fn name(&self, thread: u32) -> Option<String> {
        Some(self.told(thread, "comm")?.trim_end().to_string())
    }

    /// What the kernel tells of a thread; nothing if it has ended.
    pub(crate) fn told(&self, thread: u32, what: &str) -> Option<String> {
        fs::read_to_string(format!("/proc/{}/task/{thread}/{what}", self.process)).ok()
    }

    /// What these threads do, each of them when it was looked at: see [`slept`](Census::slept). Those that have ended do nothing.
    pub fn rest(&self, threads: &[u32]) -> Rest {
        let mut rest = Rest::Asleep;
        for thread in self.watched(threads) {
            let look = thread.last.get().or_else(|| self.look(thread));
            if look.is_some_and(|look| look.rest == Rest::Running) {
                return Rest::Running;
            }
            thread.last.set(look);
            rest = rest.max(look.map_or(Rest::Asleep, |look| look.rest));
        }
        rest
    }

    /// Whether all these threads have slept since they were looked at.
    pub fn slept(&self, threads: &[u32]) -> bool {
        let slept = self
            .watched(threads)
            .all(|thread| thread.last.get().is_none_or(|look| thread.sleeps_since(look)));
        if !slept {
            // Others may have run too since we looked last: all are looked at anew.
            self.watched(threads).for_each(|thread| thread.last.set(None));
        }
        slept
    }

    fn watched(&self, threads: &[u32]) -> impl Iterator<Item = &Thread> {
        threads.iter().filter_map(|thread| self.threads.get(thread))
    }
}

impl Thread {
    /// What it does; nothing if it has ended.
    fn look(&self, is_java: bool, brief: &[Range<u64>]) -> Option<Look> {
        let mut buffer = [0; 256];
        let slices = self.schedstat.read_at(&mut buffer, 0).map(|read| slices(&buffer[..read])).ok()?;
        let read = self.syscall.read_at(&mut buffer, 0).ok()?;
        let rest = rest(&buffer[..read], is_java, brief);
        Some(Look { slices, rest })
    }

    /// How long it has run, in nanoseconds; nothing if it has ended.
    fn ran(&self) -> Option<u64> {
        let mut buffer = [0; 64];
        let read = self.schedstat.read_at(&mut buffer, 0).ok()?;
        str::from_utf8(&buffer[..read]).ok()?.split_ascii_whitespace().next()?.parse().ok()
    }

    /// Whether it sleeps, and has not been given a processor since that look.
    fn sleeps_since(&self, look: Look) -> bool {
        let mut buffer = [0; 512];
        // Where in the kernel it sleeps; "0" if it does not, is being woken, or nobody may know.
        let Ok(read) = self.wchan.read_at(&mut buffer, 0) else { return false };
        if buffer[..read].starts_with(b"futex") {
            return self.has_slices(look.slices);
        }
        let Ok(read) = self.stat.read_at(&mut buffer, 0) else { return false };
        // The name stands in parentheses, and may have some itself.
        let state =
            buffer[..read].iter().rposition(|byte| *byte == b')').and_then(|end| buffer[..read].get(end + 2));
        // (While it waits for the disk, it does not wait for others.)
        state == Some(&b'S') && self.has_slices(look.slices)
    }

    fn has_slices(&self, expected: u64) -> bool {
        let mut buffer = [0; 64];
        self.schedstat.read_at(&mut buffer, 0).is_ok_and(|read| slices(&buffer[..read]) == expected)
    }
}

/// The last of three numbers.
fn slices(line: &[u8]) -> u64 {
    let text = str::from_utf8(line).unwrap_or_default();
    text.split_ascii_whitespace().nth(2).and_then(|number| number.parse().ok()).unwrap_or(u64::MAX)
}

/// Where the C library keeps locks of its own, by the map of a process.
fn locks(process: u32) -> Vec<Range<u64>> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let mut found: Vec<Range<u64>> = Vec::new();
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let range = words.next().and_then(|range| range.split_once('-'));
        let Some((Ok(start), Ok(end))) = range.map(|(start, end)| (address(start), address(end))) else {
            continue;
        };
        let is_written = words.next().is_some_and(|rights| rights.starts_with("rw"));
        let file = words.nth(3).and_then(|path| path.rsplit('/').next());
        // (What is zero at the start follows without a name.)
        let is_next = file.is_none() && found.last().is_some_and(|last| last.end == start);
        let is_library = file.is_some_and(|file| file.starts_with("libc.so") || file.starts_with("libc-"));
        if is_written && (is_library || is_next) {
            found.push(start..end);
        }
    }
    found
}

fn address(digits: &str) -> Result<u64, std::num::ParseIntError> {
    u64::from_str_radix(digits, 16)
}

/// Whether a place guards the memory that threads take from (`malloc` of glibc), or is one of those: nobody keeps others there for long, but
/// it may be somebody who is not watched.
fn is_brief(place: u64, brief: &[Range<u64>]) -> bool {
    // Where the heap of a thread begins, with its lock.
    const HEAP: u64 = 64 << 20;
    place % HEAP < 0x100 || brief.iter().any(|range| range.contains(&place))
}

/// The system call that a thread is in, if any, and its arguments.
fn system_call(line: &[u8]) -> (Option<i64>, [u64; 6]) {
    let text = str::from_utf8(line).unwrap_or_default();
    let mut words = text.split_ascii_whitespace();
    let call = words.next().and_then(|word| word.parse().ok());
    let mut arguments = [0u64; 6];
    for (argument, word) in arguments.iter_mut().zip(words) {
        let digits = word.trim_start_matches("0x");
        *argument = u64::from_str_radix(digits, 16).unwrap_or(1);
    }
    (call, arguments)
}

/// What a thread does that is in this system call.
fn rest(line: &[u8], is_java: bool, brief: &[Range<u64>]) -> Rest {
    let (Some(call), arguments) = system_call(line) else { return Rest::Running };
    let timed_by = |limit: u64| if limit == 0 { Rest::Asleep } else { Rest::Timed };
    // A limit of -1 milliseconds is none.
    let timed_in = |limit: u64| if limit as u32 == u32::MAX { Rest::Asleep } else { Rest::Timed };
    match call {
        calls::FUTEX => {
            const PRIVATE: u64 = 0x80;
            let operation = arguments[1];
            match operation & 0x7f {
                // A thread stopped at a safepoint.
                0 if is_java && operation & !0x100 == PRIVATE => Rest::Running,
                _ if is_brief(arguments[0], brief) => Rest::Running,
                // FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI, FUTEX_LOCK_PI2
                0 | 6 | 9 | 11 | 13 => timed_by(arguments[3]),
                _ => Rest::Running,
            }
        }
        calls::FUTEX_WAITV => timed_by(arguments[3]),
        calls::NANOSLEEP | calls::CLOCK_NANOSLEEP => Rest::Timed,
        calls::READ | calls::READV | calls::ACCEPT | calls::ACCEPT4 | calls::RECVFROM | calls::RECVMSG => {
            Rest::Asleep
        }
        calls::PAUSE | calls::RT_SIGSUSPEND => Rest::Asleep,
        // A child process ends when it likes, as a timer does.
        calls::WAIT4 | calls::WAITID => Rest::Timed,
        calls::POLL => timed_in(arguments[2]),
        calls::PPOLL => timed_by(arguments[2]),
        calls::EPOLL_WAIT | calls::EPOLL_PWAIT => timed_in(arguments[3]),
        calls::SELECT | calls::PSELECT6 => timed_by(arguments[4]),
        _ => Rest::Running,
    }
}

/// System calls that wait.
#[cfg(target_arch = "x86_64")]
mod calls {
    pub(super) const READ: i64 = 0;
    pub(super) const POLL: i64 = 7;
    pub(super) const READV: i64 = 19;
    pub(super) const SELECT: i64 = 23;
    pub(super) const PAUSE: i64 = 34;
    pub(super) const NANOSLEEP: i64 = 35;
    pub(super) const ACCEPT: i64 = 43;
    pub(super) const RECVFROM: i64 = 45;
    pub(super) const RECVMSG: i64 = 47;
    pub(super) const WAIT4: i64 = 61;
    pub(super) const RT_SIGSUSPEND: i64 = 130;
    pub(super) const WAITID: i64 = 247;
    pub(super) const FUTEX: i64 = 202;
    pub(super) const CLOCK_NANOSLEEP: i64 = 230;
    pub(super) const EPOLL_WAIT: i64 = 232;
    pub(super) const PSELECT6: i64 = 270;
    pub(super) const PPOLL: i64 = 271;
    pub(super) const EPOLL_PWAIT: i64 = 281;
    pub(super) const ACCEPT4: i64 = 288;
    pub(super) const FUTEX_WAITV: i64 = 449;
}

/// System calls that wait; negative numbers stand for those that there are not.
#[cfg(not(target_arch = "x86_64"))]
mod calls {
    pub(super) const READ: i64 = 63;
    pub(super) const POLL: i64 = -7;
    pub(super) const READV: i64 = 65;
    pub(super) const SELECT: i64 = -23;
    pub(super) const PAUSE: i64 = -34;
    pub(super) const NANOSLEEP: i64 = 101;
    pub(super) const ACCEPT: i64 = 202;
    pub(super) const RECVFROM: i64 = 207;
    pub(super) const RECVMSG: i64 = 212;
    pub(super) const WAIT4: i64 = 260;
    pub(super) const RT_SIGSUSPEND: i64 = 133;
    pub(super) const WAITID: i64 = 95;
    pub(super) const FUTEX: i64 = 98;
    pub(super) const CLOCK_NANOSLEEP: i64 = 115;
    pub(super) const EPOLL_WAIT: i64 = -232;
    pub(super) const PSELECT6: i64 = 72;
    pub(super) const PPOLL: i64 = 73;
    pub(super) const EPOLL_PWAIT: i64 = 22;
    pub(super) const ACCEPT4: i64 = 242;
    pub(super) const FUTEX_WAITV: i64 = 449;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the field, on the processor they were seen on.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn lines_are_read_as_what_they_are() {
        let brief = [0x7f5000..0x7f6000, 0x7f7004..0x7f700d];
        let said = |line: &str, is_java| rest(line.as_bytes(), is_java, &brief);
        assert_eq!(said("running\n", false), Rest::Running);
        assert_eq!(said("-1 0x7ffc 0x7f64\n", false), Rest::Running);
        assert_eq!(said("202 0x7f00 0x189 0x0 0x0 0x0 0xffffffff 0x7ff 0x7f6\n", true), Rest::Asleep);
        assert_eq!(said("202 0x7f00 0x89 0x0 0x7ffd10 0x0 0xffffffff 0x7ff 0x7f6\n", true), Rest::Timed);
        assert_eq!(said("202 0x7f00 0x80 0x0 0x0 0x0 0x0 0x7ff 0x7f6\n", true), Rest::Running);
        assert_eq!(said("202 0x7f00 0x80 0x0 0x0 0x0 0x0 0x7ff 0x7f6\n", false), Rest::Asleep);
        assert_eq!(said("202 0x7f00 0x81 0x1 0x0 0x0 0x0 0x7ff 0x7f6\n", false), Rest::Running);
        assert_eq!(said("230 0x0 0x0 0x7ffd 0x0 0x0 0x0 0x7ff 0x7f6\n", false), Rest::Timed);
        assert_eq!(said("7 0x7f 0x1 0xffffffff 0x0 0x0 0x0 0x7ff 0x7f6\n", false), Rest::Asleep);
        assert_eq!(said("7 0x7f 0x1 0x64 0x0 0x0 0x0 0x7ff 0x7f6\n", false), Rest::Timed);
        // Locks of the C library, and of its memory.
        assert_eq!(said("202 0x7f5c60 0x80 0x2 0x0 0x0 0x0 0x7ff 0x7f6\n", false), Rest::Running);
        assert_eq!(said("202 0x7f0fe8000030 0x80 0x2 0x0 0x0 0x0 0x7ff 0x7f6\n", false), Rest::Running);
        assert_eq!(said("202 0x7f0fe8000b30 0x80 0x2 0x0 0x0 0x0 0x7ff 0x7f6\n", false), Rest::Asleep);
        // For the machine, and for somebody beside it.
        assert_eq!(said("202 0x7f700c 0x189 0x0 0x0 0x0 0xffffffff 0x7ff 0x7f6\n", true), Rest::Running);
        assert_eq!(said("202 0x7f7034 0x189 0x0 0x0 0x0 0xffffffff 0x7ff 0x7f6\n", true), Rest::Asleep);
        assert_eq!(slices(b"123 456 789\n"), 789);
    }
}
