//! The watchman: a thread that notices cases which never end, and keeps a journal for those that end the process.
//!
//! The hot loop only counts; the watchman reads the count every few milliseconds. If it stands still for too long the case hangs: it is
//! saved, the line that replays it printed, and the process ended with [`EXIT_HANG`]. While the count moves, the watchman writes it
//! to a journal file, so that after an abort the next run knows where to look.

use crate::corpus::Corpus;
use crate::outcome::Kind;
use crate::private::lasting_folder;
use crate::source::replay::Replay;
use crate::wire::{self, Named};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

/// The exit code of a process that was ended because a case hung.
pub const EXIT_HANG: i32 = 86;

/// How often the watchman looks.
const ROUND: Duration = Duration::from_millis(10);

/// What the watchman knows about a run.
#[derive(Debug)]
pub(crate) struct Watch {
    id: u64,
    /// The random case at work and its size, in one word.
    index: AtomicU64,
    /// One more than the seed of the enumeration being walked; 0 if cases are random.
    walk: AtomicU64,
    /// The cases that worker threads are at; [`IDLE`] between cases.
    workers: Mutex<Vec<Arc<AtomicU64>>>,
    /// Cases run in a child or on workers: this process's own count says nothing.
    elsewhere: AtomicBool,
    /// Counts replayed cases.
    replays: AtomicU64,
    /// The replayed case at work, if it is not a random one.
    replay: Mutex<Option<(Replay, u32)>>,
    pub(crate) seed: u64,
    test: String,
    command: String,
    limit: Duration,
    corpus: Option<Corpus>,
    journal: Option<PathBuf>,
}

impl Watch {
    /// Begins to watch a run.
    pub(crate) fn start(
        test: &str,
        command: &str,
        seed: u64,
        limit: Duration,
        corpus: Option<Corpus>,
        journal: Option<PathBuf>,
    ) -> Arc<Watch> {
        static IDS: AtomicU64 = AtomicU64::new(0);
        let watch = Arc::new(Watch {
            id: IDS.fetch_add(1, Relaxed),
            index: AtomicU64::new(0),
            walk: AtomicU64::new(0),
            workers: Mutex::default(),
            elsewhere: AtomicBool::new(false),
            replays: AtomicU64::new(0),
            replay: Mutex::new(None),
            seed,
            test: test.to_string(),
            command: command.to_string(),
            limit,
            corpus,
            journal,
        });
        watch.write_journal();
        watchman().take_on(&watch);
        watch
    }

    /// A random case begins: its number and size, [`joined`].
    #[inline]
    pub(crate) fn random_case(&self, word: u64) {
        self.index.store(word, Relaxed);
    }

    /// A worker thread begins; it keeps the returned word up to date.
    pub(crate) fn worker(&self) -> Arc<AtomicU64> {
        let word = Arc::new(AtomicU64::new(IDLE));
        if let Ok(mut workers) = self.workers.lock() {
            workers.push(Arc::clone(&word));
        }
        word
    }

    /// The worker threads have ended.
    pub(crate) fn no_workers(&self) {
        if let Ok(mut workers) = self.workers.lock() {
            workers.clear();
        }
    }

    /// Whether cases run somewhere else from here on, where somebody else times them.
    pub(crate) fn elsewhere(&self, elsewhere: bool) {
        self.elsewhere.store(elsewhere, Relaxed);
    }

    /// A replayed case begins.
    pub(crate) fn replayed_case(&self, replay: Replay, size: u32) {
        if let Ok(mut at_work) = self.replay.lock() {
            *at_work = Some((replay, size));
        }
        self.replays.store(self.replays.load(Relaxed) + 1, Relaxed);
    }

    /// A case begins that was written as numbers. (There may be very many: the memory of the one before is used again.)
    pub(crate) fn written_case(&self, numbers: &[u64], size: u32) {
        if let Ok(mut at_work) = self.replay.lock() {
            let (replay, of_size) = at_work.get_or_insert_with(Default::default);
            replay.set_numbers(numbers);
            *of_size = size;
        }
        self.replays.store(self.replays.load(Relaxed) + 1, Relaxed);
    }

    fn at(&self) -> (u64, u32) {
        split(self.index.load(Relaxed))
    }

    /// From here on, case numbers are those of an enumeration.
    pub(crate) fn walking(&self, seed: u64) {
        self.random_again();
        self.walk.store(seed.wrapping_add(1), Relaxed);
    }

    /// From here on, cases are random again.
    pub(crate) fn random_again(&self) {
        self.walk.store(0, Relaxed);
        if let Ok(mut at_work) = self.replay.lock() {
            *at_work = None;
        }
    }

    /// Looks whether a worker has been at one case for too long. `working` is what was seen before.
    fn look_after_workers(&self, working: &mut Vec<(Weak<AtomicU64>, u64, Duration)>, passed: Duration) {
        let workers = self.workers.lock().map(|workers| workers.clone()).unwrap_or_default();
        for worker in workers {
            let word = worker.load(Relaxed);
            match working.iter_mut().find(|(known, ..)| known.as_ptr() == Arc::as_ptr(&worker)) {
                None => working.push((Arc::downgrade(&worker), word, Duration::ZERO)),
                Some((_, last, waited)) if *last != word || word == IDLE => {
                    (*last, *waited) = (word, Duration::ZERO);
                }
                Some((_, _, waited)) => {
                    *waited += passed;
                    if *waited > self.limit {
                        self.index.store(word, Relaxed);
                        self.bark();
                    }
                }
            }
        }
    }

    fn write_journal(&self) {
        if let Some(path) = &self.journal {
            let (index, size) = self.at();
            let line = format!("{} {} {index} {size}\n", std::process::id(), self.seed);
            let _ = path.parent().map(fs::create_dir_all);
            let _ = fs::write(path, line);
        }
    }

    /// Saves the hanging case, says so, and ends the process: a thread cannot be stopped from outside.
    fn bark(&self) -> ! {
        let at_work = self.replay.lock().ok().and_then(|at_work| at_work.clone());
        let (replay, case) = match at_work {
            Some((replay, size)) => {
                let record = replay.record(size);
                (format!("{}:{size}:{}", wire::VERSION, replay.numbers()), Named::Record(record))
            }
            None if self.walk.load(Relaxed) > 0 => {
                let (seed, (run, _)) = (self.walk.load(Relaxed) - 1, self.at());
                (wire::replay_of_walk(seed, run), Named::Walk { seed, run })
            }
            None => {
                let (seed, (index, size)) = (self.seed, self.at());
                (wire::replay_of_random(seed, index, size), Named::Random { seed, index, size })
            }
        };
        let kind = Kind(format!("hang: a case took longer than {} ms", self.limit.as_millis()));
        let saved =
            self.corpus.as_ref().and_then(|corpus| corpus.save(&kind, &case, "a case that hangs").ok());
        self.remove_journal();
        let mut message = format!(
            "\n{}: a case hangs: it took longer than {:?}; the process ends with code {EXIT_HANG}\n",
            self.test, self.limit
        );
        if let Some(saved) = saved {
            message += &format!("  saved   {}\n", saved.display());
        }
        message += &format!("  replay  GAINSAY_REPLAY='{replay}' {}\n", self.command);
        message +=
            "  to shrink it, run the test with `isolate`: there a hanging case is a failure like any other\n";
        let _ = std::io::stderr().write_all(message.as_bytes());
        std::process::exit(EXIT_HANG);
    }

    fn remove_journal(&self) {
        if let Some(path) = &self.journal {
            let _ = fs::remove_file(path);
            // (The folder goes with its last journal.)
            let _ = path.parent().map(fs::remove_dir);
        }
    }
}

/// What a worker says between cases.
pub(crate) const IDLE: u64 = u64::MAX;

/// A random case and its size in one word.
#[inline]
pub(crate) fn joined(index: u64, size: u32) -> u64 {
    index << 16 | u64::from(size.min(0xffff))
}

fn split(word: u64) -> (u64, u32) {
    (word >> 16, (word & 0xffff) as u32)
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.remove_journal();
    }
}

struct Watchman {
    watches: Mutex<Vec<Weak<Watch>>>,
    work: Condvar,
}

fn watchman() -> &'static Watchman {
    static WATCHMAN: OnceLock<Watchman> = OnceLock::new();
    static THREAD: OnceLock<()> = OnceLock::new();
    let watchman = WATCHMAN.get_or_init(|| Watchman { watches: Mutex::default(), work: Condvar::new() });
    THREAD.get_or_init(|| {
        // Without a thread nothing is watched, and tests still run.
        let _ = std::thread::Builder::new().name("gainsay-watchman".into()).spawn(|| watchman.stand_guard());
    });
    watchman
}

impl Watchman {
    fn take_on(&self, watch: &Arc<Watch>) {
        let mut watches = self.watches.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        watches.push(Arc::downgrade(watch));
        self.work.notify_one();
    }

    fn stand_guard(&self) {
        // For each watch: the last counts seen, for how long, and the index last written to the journal.
        let mut seen: Vec<(u64, (u64, u64), Duration, u64)> = Vec::new();
        let mut working: Vec<(Weak<AtomicU64>, u64, Duration)> = Vec::new();
        let mut looked = Instant::now();
        loop {
            // A machine that stood still, or a process that was stopped, is no hang: only time that was seen to pass counts.
            let passed = looked.elapsed().min(2 * ROUND);
            looked = Instant::now();
            let mut watches = self.watches.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            watches.retain(|watch| watch.strong_count() > 0);
            while watches.is_empty() {
                seen.clear();
                watches = self.work.wait(watches).unwrap_or_else(|poisoned| poisoned.into_inner());
            }
            let alive: Vec<Arc<Watch>> = watches.iter().filter_map(Weak::upgrade).collect();
            drop(watches);
            for watch in &alive {
                let id = watch.id;
                let index = watch.index.load(Relaxed);
                let beats = (index, watch.replays.load(Relaxed));
                match seen.iter_mut().find(|(known, ..)| *known == id) {
                    None => seen.push((id, beats, Duration::ZERO, index)),
                    Some((_, last, waited, written)) => {
                        if *last != beats || watch.elsewhere.load(Relaxed) {
                            (*last, *waited) = (beats, Duration::ZERO);
                        } else {
                            *waited += passed;
                            if *waited > watch.limit {
                                watch.bark();
                            }
                        }
                        if *written != index {
                            *written = index;
                            watch.write_journal();
                        }
                    }
                }
            }
            for watch in &alive {
                watch.look_after_workers(&mut working, passed);
            }
            working.retain(|(word, ..)| word.strong_count() > 1);
            seen.retain(|(id, ..)| alive.iter().any(|watch| watch.id == *id));
            drop(alive);
            let watches = self.watches.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            drop(self.work.wait_timeout(watches, ROUND));
        }
    }
}

/// What the journal of an aborted run says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Aborted {
    pub(crate) seed: u64,
    pub(crate) index: u64,
}

/// Where the journals of a test lie, if there is a place for them: they concern this machine alone.
pub(crate) fn journal_folder(test: &str) -> Option<PathBuf> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (test, std::env::var_os("CARGO_MANIFEST_DIR"), std::env::current_exe().ok()).hash(&mut hasher);
    Some(lasting_folder()?.join("journal").join(format!("{:016x}", hasher.finish())))
}

/// Finds the journals that processes left behind which are no more, and takes them away.
pub(crate) fn aborted(folder: &std::path::Path) -> Vec<Aborted> {
    let Ok(files) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut aborted = Vec::new();
    for path in files.flatten().map(|file| file.path()) {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let numbers: Vec<u64> = text.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        let &[pid, seed, index, _] = numbers.as_slice() else {
            continue;
        };
        let alive = pid == u64::from(std::process::id()) || PathBuf::from(format!("/proc/{pid}")).exists();
        if !alive {
            let _ = fs::remove_file(&path);
            aborted.push(Aborted { seed, index });
        }
    }
    aborted
}
