//! Objects of this process, called on threads of their own.
//!
//! Nobody can end a thread that waits for ever. Threads that are left so are not used again, and counted: see [`threads_left`].

use crate::asleep::{Census, Rest};
use crate::live::{Live, Made, Patience, Returned, Settled, Subject, Trouble, Waiting};
use crate::mark::{Mark, Marked};
use std::collections::{BTreeSet, HashSet};
use std::fmt::{self, Debug};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// How many threads of this process are left in calls that do not return.
pub fn threads_left() -> usize {
    LEFT.load(Ordering::Relaxed)
}

static LEFT: AtomicUsize = AtomicUsize::new(0);

/// Threads that were left in calls, or did not come to rest: they are no concern of anybody's any more. (A few of their numbers may be
/// those of others by now, long after.)
static ABANDONED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn abandon(thread: u32) {
    locked(&ABANDONED).insert(thread);
}

/// What a worker does next.
type Job = Box<dyn FnOnce() + Send>;

/// What a worker shares with whoever hands it calls.
#[derive(Default)]
struct Desk {
    job: Mutex<Option<Job>>,
    is_over: AtomicBool,
    is_left: AtomicBool,
    /// How many jobs have been begun, and ended.
    entered: AtomicU64,
    returned: AtomicU64,
}

/// A thread that makes calls.
struct Worker {
    desk: Arc<Desk>,
    thread: JoinHandle<()>,
    id: u32,
    /// How many jobs it was given.
    given: u64,
    /// The last job is to drop an object.
    drops: bool,
}

impl Worker {
    fn is_idle(&self) -> bool {
        self.desk.returned.load(Ordering::Acquire) == self.given
    }

    /// Whether it is inside the last job that it was given.
    fn is_inside(&self) -> bool {
        self.desk.entered.load(Ordering::Acquire) == self.given && !self.is_idle()
    }

    /// Nobody waits for it any more. It may end all the same, some time.
    fn leave(self) {
        LEFT.fetch_add(1, Ordering::Relaxed);
        self.desk.is_left.store(true, Ordering::Release);
        self.desk.is_over.store(true, Ordering::Release);
        self.thread.thread().unpark();
    }

    fn give(&mut self, job: Job) {
        self.given += 1;
        self.drops = false;
        *locked(&self.desk.job) = Some(job);
        self.thread.thread().unpark();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The workers, which serve one object after the other.
struct Crew {
    /// What all its threads have, and those that they start.
    mark: Mark,
    workers: Vec<Worker>,
    census: Census,
    /// Threads that are no concern of ours: they have another mark, or were left in a call of an earlier object.
    strangers: HashSet<u32>,
    /// Threads that objects have started, earlier ones too: they may share them.
    born: Vec<u32>,
    /// Who was born last when all threads were known.
    youngest: Option<u64>,
    watched: Vec<u32>,
}

impl Drop for Crew {
    fn drop(&mut self) {
        for worker in self.workers.drain(..) {
            if worker.is_idle() {
                worker.desk.is_over.store(true, Ordering::Release);
                worker.thread.thread().unpark();
                let _ = worker.thread.join();
            } else {
                abandon(worker.id);
                worker.leave();
            }
        }
        self.mark.give_back();
    }
}

impl Crew {
    fn new() -> Crew {
        Crew {
            mark: Mark::new(),
            workers: Vec::new(),
            census: Census::new(std::process::id(), false),
            strangers: HashSet::new(),
            born: Vec::new(),
            youngest: None,
            watched: Vec::new(),
        }
    }

    /// Forgets an object: whoever does not return any more is not asked again.
    fn begin(&mut self) {
        let (idle, busy): (Vec<_>, Vec<_>) =
            self.workers.drain(..).partition(|worker| worker.is_idle() || worker.drops);
        self.workers = idle;
        for worker in busy {
            self.census.remove(worker.id);
            self.strangers.insert(worker.id);
            abandon(worker.id);
            worker.leave();
        }
    }

    /// Forgets threads that do not come to rest.
    fn leave_born(&mut self) {
        for thread in self.born.drain(..) {
            self.census.remove(thread);
            self.strangers.insert(thread);
            abandon(thread);
        }
    }

    /// A worker that has nothing to do.
    fn idle(&mut self) -> Result<usize, Trouble> {
        match self.workers.iter().position(Worker::is_idle) {
            Some(place) => Ok(place),
            None => self.hire(),
        }
    }

    /// One more worker.
    fn hire(&mut self) -> Result<usize, Trouble> {
        let desk = Arc::new(Desk::default());
        let (shared, id) = (Arc::clone(&desk), Arc::new(AtomicU64::new(0)));
        let (own, asking) = (Arc::clone(&id), thread::current());
        let mark = self.mark;
        let thread = thread::Builder::new().name("subject".into()).spawn(move || {
            mark.put();
            own.store(u64::from(rustix::thread::gettid().as_raw_nonzero().get() as u32), Ordering::Release);
            asking.unpark();
            while !shared.is_over.load(Ordering::Acquire) {
                // (Nothing is locked while it works.)
                let job = locked(&shared.job).take();
                match job {
                    None => thread::park(),
                    Some(job) => job(),
                }
            }
            if shared.is_left.load(Ordering::Acquire) {
                LEFT.fetch_sub(1, Ordering::Relaxed);
            }
        });
        let thread =
            thread.map_err(|error| Trouble::new(format!("failed to start a thread for a call: {error}")))?;
        while id.load(Ordering::Acquire) == 0 {
            thread::park_timeout(Duration::from_millis(1));
        }
        let id = id.load(Ordering::Acquire) as u32;
        self.census.add(id).map_err(|error| {
            Trouble::new(format!("the kernel does not say what threads do (/proc/self/task): {error}"))
        })?;
        self.workers.push(Worker { desk, thread, id, given: 0, drops: false });
        Ok(self.workers.len() - 1)
    }

    /// Lets everybody else in the process have his turn, and takes nothing for granted then that was seen before.
    fn let_others_run(&mut self) -> Result<(), Trouble> {
        let abandoned = locked(&ABANDONED).clone();
        let others = self.census.let_others_run(|id| self.census.has(id) || abandoned.contains(&id));
        others.map_err(unlisted)?;
        self.youngest = None;
        self.census.forget();
        Ok(())
    }

    /// What the workers in these places do, those that still drop something, and the threads that they have started.
    fn rest(&mut self, places: impl Iterator<Item = usize>) -> Result<Rest, Trouble> {
        self.watched.clear();
        for place in places {
            let worker = &self.workers[place];
            if !worker.is_inside() {
                return Ok(Rest::Running);
            }
            self.watched.push(worker.id);
        }
        let dropping = self.workers.iter().filter(|worker| worker.drops && !worker.is_idle());
        self.watched.extend(dropping.map(|worker| worker.id));
        self.watched.extend(&self.born);
        let rest = self.census.rest(&self.watched);
        if rest == Rest::Running || !self.know()? || !self.census.slept(&self.watched) {
            return Ok(Rest::Running);
        }
        Ok(rest)
    }

    /// Gets to know all threads there are; whether they were known before.
    fn know(&mut self) -> Result<bool, Trouble> {
        let youngest = self.census.youngest();
        if youngest.is_some() && youngest == self.youngest {
            return Ok(true);
        }
        let (all, youngest) = self.census.all().map_err(unlisted)?;
        // Others may get the numbers of threads that have ended.
        self.strangers.retain(|id| all.contains(id));
        let ended: Vec<u32> = self.born.extract_if(.., |id| !all.contains(id)).collect();
        ended.into_iter().for_each(|id| self.census.remove(id));
        let mut were_known = true;
        for id in all {
            if self.census.has(id) || self.strangers.contains(&id) {
                continue;
            }
            let Some(status) = self.census.told(id, "status") else { continue };
            match self.mark.is_on(&status) {
                Marked::Yes if locked(&ABANDONED).contains(&id) => {
                    self.strangers.insert(id);
                }
                Marked::Yes => {
                    were_known = false;
                    // (It may have ended by now.)
                    if self.census.add(id).is_ok() {
                        self.born.push(id);
                    }
                }
                // Whoever sleeps is not so young.
                Marked::Unknown if !status.contains("State:\tS") => were_known = false,
                // (It may serve us when nobody else needs it.)
                Marked::Elsewhere => {}
                Marked::Unknown | Marked::No => {
                    self.strangers.insert(id);
                }
            }
        }
        self.youngest = youngest.filter(|_| were_known);
        Ok(were_known)
    }
}

fn unlisted(error: std::io::Error) -> Trouble {
    Trouble::new(format!("failed to list the threads: {error}"))
}

/// Calls an object.
type Call<T, C, V> = dyn Fn(&T, &C) -> Returned<V> + Send + Sync;

/// Objects of a type, called on threads of this process: see [`on_threads`].
pub struct OnThreads<T, C, V> {
    make: Arc<dyn Fn() -> Result<T, String> + Send + Sync>,
    call: Arc<Call<T, C, V>>,
    crew: Crew,
    make_limit: Duration,
}

impl<T, C, V> Debug for OnThreads<T, C, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnThreads").field("workers", &self.crew.workers.len()).finish_non_exhaustive()
    }
}

/// Objects that `make` makes, each call of which is made by `call` on a thread of its own. Neither may panic.
pub fn on_threads<T, C, V>(
    make: impl Fn() -> Result<T, String> + Send + Sync + 'static,
    call: impl Fn(&T, &C) -> Returned<V> + Send + Sync + 'static,
) -> OnThreads<T, C, V> {
    OnThreads {
        make: Arc::new(make),
        call: Arc::new(call),
        crew: Crew::new(),
        make_limit: Duration::from_secs(10),
    }
}

/// Where calls leave what came of them.
struct Tray<V> {
    done: Mutex<Vec<(u32, Returned<V>)>>,
    /// Who waits for it.
    owner: Thread,
}

struct Object<'a, T: Send + Sync + 'static, C, V> {
    subject: &'a mut OnThreads<T, C, V>,
    object: Option<Arc<T>>,
    tray: Arc<Tray<V>>,
    /// The calls that are open, each with the place of its worker.
    open: Vec<(u32, usize)>,
}

impl<T: Send + Sync + 'static, C: Clone + Send + 'static, V: Send + 'static> Subject<C, V>
    for OnThreads<T, C, V>
{
    fn make(&mut self) -> Result<Made<Box<dyn Live<C, V> + '_>>, Trouble> {
        if !crate::is_supported() {
            return Err(Trouble::new(
                "the kernel does not say what threads do (/proc/self/syscall): blocked calls cannot be told from slow ones here",
            ));
        }
        self.crew.begin();
        let place = self.crew.idle()?;
        let made = Arc::new(Mutex::new(None));
        let (make, leave, owner) = (Arc::clone(&self.make), Arc::clone(&made), thread::current());
        let desk = Arc::clone(&self.crew.workers[place].desk);
        let given = self.crew.workers[place].given + 1;
        self.crew.workers[place].give(Box::new(move || {
            desk.entered.store(given, Ordering::Release);
            let object = make();
            desk.returned.store(given, Ordering::Release);
            *locked(&leave) = Some(object);
            owner.unpark();
        }));
        let begun = Instant::now();
        let made = loop {
            if let Some(made) = locked(&made).take() {
                break made;
            }
            if self.crew.rest(std::iter::once(place))? == Rest::Asleep && locked(&made).is_none() {
                // Others may need what it waits for as well.
                self.crew.let_others_run()?;
                if self.crew.rest(std::iter::once(place))? == Rest::Asleep && locked(&made).is_none() {
                    break Err("the constructor waits for ever".into());
                }
            }
            if begun.elapsed() > self.make_limit {
                break Err(format!("the constructor did not return within {:?}", self.make_limit));
            }
            thread::park_timeout(Duration::from_micros(50));
        };
        let object = match made {
            Ok(object) => Arc::new(object),
            Err(message) => return Ok(Made::Broken(message)),
        };
        let tray = Arc::new(Tray { done: Mutex::default(), owner: thread::current() });
        Ok(Made::Ready(Box::new(Object { subject: self, object: Some(object), tray, open: Vec::new() })))
    }

    fn threads_left(&self) -> usize {
        threads_left()
    }
}

impl<T: Send + Sync + 'static, C, V> Object<'_, T, C, V> {
    /// What has returned; whether there was something.
    fn take(&mut self, returned: &mut Vec<(u32, Returned<V>)>) -> bool {
        let mut done = locked(&self.tray.done);
        let any = !done.is_empty();
        for (number, value) in done.drain(..) {
            self.open.retain(|(open, _)| *open != number);
            returned.push((number, value));
        }
        any
    }
}

impl<T: Send + Sync + 'static, C: Clone + Send + 'static, V: Send + 'static> Live<C, V>
    for Object<'_, T, C, V>
{
    fn start(&mut self, calls: &[(u32, C)]) -> Result<(), Trouble> {
        let Some(object) = &self.object else { return Ok(()) };
        let mut jobs: Vec<(usize, Job)> = Vec::with_capacity(calls.len());
        let gate = Arc::new(AtomicUsize::new(0));
        let together = calls.len();
        for (number, call) in calls {
            // (Those chosen before are idle still, but not free.)
            let free = self.subject.crew.workers.iter().enumerate().position(|(place, worker)| {
                worker.is_idle() && jobs.iter().all(|(taken, _)| *taken != place)
            });
            let place = match free {
                Some(place) => place,
                None => self.subject.crew.hire()?,
            };
            let worker = &self.subject.crew.workers[place];
            let (desk, given) = (Arc::clone(&worker.desk), worker.given + 1);
            let (object, tray, gate) = (Arc::clone(object), Arc::clone(&self.tray), Arc::clone(&gate));
            let (run, call, number) = (Arc::clone(&self.subject.call), call.clone(), *number);
            self.open.push((number, place));
            jobs.push((
                place,
                Box::new(move || {
                    meet(&gate, together);
                    desk.entered.store(given, Ordering::Release);
                    let returned = run(&object, &call);
                    // The object may go before anybody is told that this is over.
                    drop(object);
                    // Whoever sees what was returned may find the worker idle.
                    desk.returned.store(given, Ordering::Release);
                    locked(&tray.done).push((number, returned));
                    tray.owner.unpark();
                }),
            ));
        }
        for (place, job) in jobs {
            self.subject.crew.workers[place].give(job);
        }
        Ok(())
    }

    fn settle(&mut self, patience: Patience) -> Result<Settled<V>, Trouble> {
        let mut waiting = Waiting::new(patience);
        let mut returned = Vec::new();
        let mut looks = 0;
        loop {
            self.take(&mut returned);
            // If no call is open, there is nothing to know.
            if self.open.is_empty() {
                return Ok(Settled { returned, rest: Rest::Asleep });
            }
            let places = self.open.iter().map(|(_, place)| *place);
            let rest = self.subject.crew.rest(places)?;
            let news = self.take(&mut returned);
            if let Some(rest) = waiting.end(rest, news) {
                if rest == Rest::Running {
                    self.subject.crew.leave_born();
                }
                return Ok(Settled { returned, rest });
            }
            looks += 1;
            pause(looks, Duration::MAX);
        }
    }

    fn reconsider(&mut self, patience: Patience) -> Result<Settled<V>, Trouble> {
        self.subject.crew.let_others_run()?;
        self.settle(patience)
    }

    fn collect(&mut self, limit: Duration) -> Result<Vec<(u32, Returned<V>)>, Trouble> {
        let begun = Instant::now();
        let mut returned = Vec::new();
        let mut looks = 0;
        loop {
            self.take(&mut returned);
            let Some(left) = limit.checked_sub(begun.elapsed()).filter(|_| !self.open.is_empty()) else {
                return Ok(returned);
            };
            looks += 1;
            pause(looks, left);
        }
    }

    fn busy(&self) -> usize {
        self.open.len()
    }
}

impl<T: Send + Sync + 'static, C, V> Drop for Object<'_, T, C, V> {
    /// Objects may wait for their threads when they are dropped: a worker sees to that, since nobody waits for him.
    fn drop(&mut self) {
        let Some(object) = self.object.take() else { return };
        let Ok(place) = self.subject.crew.idle() else { return };
        let worker = &mut self.subject.crew.workers[place];
        let (desk, given) = (Arc::clone(&worker.desk), worker.given + 1);
        worker.give(Box::new(move || {
            desk.entered.store(given, Ordering::Release);
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(object)));
            drop(dropped);
            desk.returned.store(given, Ordering::Release);
        }));
        worker.drops = true;
    }
}

/// Waits a little for the others of a phase, so that they really are called together.
fn meet(gate: &AtomicUsize, together: usize) {
    if together < 2 {
        return;
    }
    gate.fetch_add(1, Ordering::AcqRel);
    let mut looks = 0;
    while gate.load(Ordering::Acquire) < together {
        looks += 1;
        match looks {
            0..200 => std::hint::spin_loop(),
            200..10_000 => thread::yield_now(),
            // Somebody does not come: the machine is busy with others.
            _ => return,
        }
    }
    stagger();
}

/// Lets half of the calls begin a little later, mostly very little: so they meet at different places inside.
fn stagger() {
    static TURNS: AtomicU64 = AtomicU64::new(0);
    let mut luck = TURNS.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
    luck = (luck ^ luck >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    luck ^= luck >> 32;
    if luck & 1 == 0 {
        let spins = 1 << (luck >> 1 & 7);
        (0..(luck >> 8) % spins).for_each(|_| std::hint::spin_loop());
    }
}

/// Lets others run before the next look: soon it comes at the beginning, and later and later then.
fn pause(looks: u64, limit: Duration) {
    match looks {
        0..150 => thread::yield_now(),
        _ => thread::park_timeout(Duration::from_micros(20 * (looks - 149).min(50)).min(limit)),
    }
}
