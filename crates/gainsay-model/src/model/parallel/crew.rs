//! Threads that wait for something to do, and the table at which they meet.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::Thread;
use std::time::{Duration, Instant};

type Job = Box<dyn FnOnce() + Send>;

/// The thread that leads the tests of a run, being one of the branches itself. Whoever asks it does not hang if it does.
#[derive(Debug, Default)]
pub(super) struct Lead {
    asked: Option<Sender<Task>>,
}

type Task = Box<dyn FnOnce(&mut Crew) + Send>;

impl Lead {
    /// Has something done, unless for so long nothing happens, as `progress` shows.
    pub(super) fn ask<T: Send + 'static>(
        &mut self,
        patience: impl Fn() -> Duration,
        progress: impl Fn() -> usize,
        task: impl FnOnce(&mut Crew) -> T + Send + 'static,
    ) -> Option<T> {
        let (answer, answers) = channel();
        let asked = self.asked.get_or_insert_with(Lead::hire);
        // A lead that is gone gives no answer, and that is noticed.
        let _ = asked.send(Box::new(move |crew| drop(answer.send(task(crew)))));
        let mut seen = progress();
        loop {
            match answers.recv_timeout(patience()) {
                Ok(answer) => return Some(answer),
                Err(RecvTimeoutError::Timeout) if progress() != seen => seen = progress(),
                Err(_) => return None,
            }
        }
    }

    fn hire() -> Sender<Task> {
        let (asked, tasks) = channel::<Task>();
        std::thread::spawn(move || {
            let mut crew = Crew::default();
            while let Ok(task) = tasks.recv() {
                task(&mut crew);
            }
        });
        asked
    }

    /// The lead hangs: there will be another one.
    pub(super) fn hung(&mut self) {
        self.asked = None;
    }
}

/// The threads of a run. They end with it, unless one hangs.
#[derive(Debug, Default)]
pub(super) struct Crew {
    hands: Vec<Hand>,
}

/// A thread, by what it is told.
#[derive(Debug)]
pub(super) struct Hand {
    jobs: Sender<Job>,
}

impl Hand {
    fn hire() -> Hand {
        let (jobs, waiting) = channel::<Job>();
        std::thread::spawn(move || {
            while let Some(job) = soon(&waiting) {
                job();
            }
        });
        Hand { jobs }
    }

    pub(super) fn send(&self, job: Job) {
        // A hand that is gone gives no answer, and that is noticed.
        let _ = self.jobs.send(job);
    }
}

impl Crew {
    pub(super) fn hands(&mut self, count: usize) -> &[Hand] {
        while self.hands.len() < count {
            self.hands.push(Hand::hire());
        }
        &self.hands[..count]
    }

    /// Replaces a thread that hangs.
    pub(super) fn lose(&mut self, hand: usize) {
        self.hands[hand] = Hand::hire();
    }
}

/// How often somebody looks before going to sleep.
const LOOKS: u32 = 2000;

/// What comes next; soon, as a rule, so that it does not pay to sleep at once.
fn soon<T>(receiver: &Receiver<T>) -> Option<T> {
    for _ in 0..LOOKS {
        match receiver.try_recv() {
            Ok(value) => return Some(value),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
    receiver.recv().ok()
}

/// Where the branches of a test meet, again and again: one thread for each, the first being the tester's own.
#[derive(Debug)]
pub(super) struct Table<L, A> {
    seats: Vec<Seat<L, A>>,
    /// Where the tester's own thread runs.
    processor: AtomicUsize,
    /// How many rounds have begun.
    begun: AtomicUsize,
    arrived: AtomicUsize,
    done: AtomicUsize,
    over: AtomicBool,
    phase: AtomicUsize,
    /// Steps that were done in this phase.
    steps: AtomicUsize,
    /// Everything that has happened so far, to see that something does.
    happened: AtomicUsize,
}

/// What a test is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Constructing,
    Before,
    Together,
    After,
    Ending,
}

const PHASES: [Phase; 5] = [Phase::Constructing, Phase::Before, Phase::Together, Phase::After, Phase::Ending];

/// What a branch is given for a round, and what it has to show for it.
#[derive(Debug)]
struct Seat<L, A> {
    given: Mutex<Option<L>>,
    shown: Mutex<Option<A>>,
    /// How far it has come.
    at: AtomicUsize,
    who: Mutex<Option<Thread>>,
}

impl<L, A> Table<L, A> {
    pub(super) fn new(branches: usize) -> Table<L, A> {
        let seat = |_| Seat {
            given: Mutex::default(),
            shown: Mutex::default(),
            at: AtomicUsize::new(0),
            who: Mutex::default(),
        };
        Table {
            seats: (0..branches).map(seat).collect(),
            processor: AtomicUsize::new(ELSEWHERE),
            begun: AtomicUsize::new(0),
            arrived: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            phase: AtomicUsize::new(0),
            steps: AtomicUsize::new(0),
            happened: AtomicUsize::new(0),
        }
    }

    /// A phase begins.
    pub(super) fn enter(&self, phase: Phase) {
        self.phase.store(phase as usize, SeqCst);
        self.steps.store(0, SeqCst);
        self.happened.fetch_add(1, SeqCst);
    }

    pub(super) fn phase(&self) -> Phase {
        PHASES[self.phase.load(SeqCst)]
    }

    /// A step of this phase is done.
    pub(super) fn step(&self) {
        self.steps.fetch_add(1, SeqCst);
        self.happened.fetch_add(1, SeqCst);
    }

    pub(super) fn steps(&self) -> usize {
        self.steps.load(SeqCst)
    }

    /// Changes whenever something happens.
    pub(super) fn progress(&self) -> usize {
        let places: usize = self.seats.iter().map(|seat| seat.at.load(SeqCst)).sum();
        self.happened.load(SeqCst).wrapping_mul(1 << 16).wrapping_add(places)
    }

    /// Takes part in all rounds as `branch`.
    pub(super) fn attend(&self, branch: usize, play: impl Fn(usize, L, &AtomicUsize) -> A) {
        let seat = &self.seats[branch];
        if let Ok(mut who) = seat.who.lock() {
            *who = Some(std::thread::current());
        }
        let mut shunned = ELSEWHERE;
        for round in 0.. {
            self.rest(round);
            let shun = self.processor.load(SeqCst);
            if shun != shunned {
                processor::shun(shun);
                shunned = shun;
            }
            if !self.meet(round) {
                return;
            }
            let Some(given) = seat.given.lock().ok().and_then(|mut given| given.take()) else { return };
            let shown = play(round, given, &seat.at);
            if let Ok(mut place) = seat.shown.lock() {
                *place = Some(shown);
            }
            self.done.fetch_add(1, SeqCst);
        }
    }

    /// Gives something to every branch but the first.
    pub(super) fn deal(&self, mut give: impl FnMut() -> L) {
        self.seats[0].at.store(0, SeqCst);
        for seat in &self.seats[1..] {
            seat.at.store(0, SeqCst);
            if let Ok(mut given) = seat.given.lock() {
                *given = Some(give());
            }
        }
        self.processor.store(processor::current(), SeqCst);
        self.begun.fetch_add(1, SeqCst);
        self.wake();
    }

    fn wake(&self) {
        for seat in &self.seats[1..] {
            if let Ok(who) = seat.who.lock()
                && let Some(who) = who.as_ref()
            {
                who.unpark();
            }
        }
    }

    /// Sleeps until a round begins. A thread that is woken gets a processor of its own if there is one; two that wait in a hurry may
    /// share one for long, and never meet.
    fn rest(&self, round: usize) {
        while self.begun.load(SeqCst) <= round && !self.over.load(SeqCst) {
            std::thread::park_timeout(Duration::from_millis(10));
        }
    }

    /// Waits until all have come to this round, and then lets all go at once; false if there are no more rounds.
    pub(super) fn meet(&self, round: usize) -> bool {
        let all = (round + 1) * self.seats.len();
        self.arrived.fetch_add(1, SeqCst);
        patiently(None, || self.arrived.load(SeqCst) >= all || self.over.load(SeqCst));
        !self.over.load(SeqCst)
    }

    /// How far a branch has come.
    pub(super) fn place(&self, branch: usize) -> &AtomicUsize {
        &self.seats[branch].at
    }

    /// What the branches but the first have to show for a round, if all are done in time; otherwise those that are not.
    pub(super) fn collect(&self, round: usize, patience: Duration) -> Result<Vec<A>, Vec<usize>> {
        let all = (round + 1) * (self.seats.len() - 1);
        patiently(Some(patience), || self.done.load(SeqCst) >= all);
        let (mut shown, mut missing) = (Vec::new(), Vec::new());
        for (branch, seat) in self.seats.iter().enumerate().skip(1) {
            match seat.shown.lock().ok().and_then(|mut shown| shown.take()) {
                Some(done) => shown.push(done),
                None => missing.push(branch),
            }
        }
        if missing.is_empty() { Ok(shown) } else { Err(missing) }
    }

    /// There are no more rounds once what is returned is dropped.
    pub(super) fn leaving(&self) -> impl Drop + use<'_, L, A> {
        struct Leaving<'a, L, A>(&'a Table<L, A>);

        impl<L, A> Drop for Leaving<'_, L, A> {
            fn drop(&mut self) {
                self.0.leave();
            }
        }

        Leaving(self)
    }

    pub(super) fn leave(&self) {
        self.over.store(true, SeqCst);
        self.wake();
    }
}

/// Waits for a condition: first in a hurry, then letting others have their turn, then with more and more rest.
fn patiently(patience: Option<Duration>, met: impl Fn() -> bool) {
    let mut looks = 0u32;
    let mut start = None;
    while !met() {
        looks += 1;
        match looks {
            0..LOOKS => std::hint::spin_loop(),
            LOOKS..10_000 => std::thread::yield_now(),
            _ => std::thread::sleep(Duration::from_micros(50)),
        }
        if looks == LOOKS {
            start = Some(Instant::now());
        }
        if let (Some(patience), Some(start)) = (patience, start)
            && start.elapsed() > patience
        {
            return;
        }
    }
}

/// No processor that is known.
const ELSEWHERE: usize = usize::MAX;

/// Processors: two threads that share one never meet.
#[cfg(target_os = "linux")]
mod processor {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use std::cell::OnceCell;

    thread_local! {
        /// Where this thread may run at all.
        static ALL: OnceCell<Option<CpuSet>> = const { OnceCell::new() };
    }

    /// The processor that this thread runs on.
    pub(super) fn current() -> usize {
        sched_getcpu()
    }

    /// Keeps this thread off a processor, if there are others.
    pub(super) fn shun(processor: usize) {
        ALL.with(|all| {
            let Some(mut rest) = *all.get_or_init(|| sched_getaffinity(None).ok()) else { return };
            if processor < CpuSet::MAX_CPU {
                rest.unset(processor);
            }
            if rest.count() > 0 {
                // Where that is not allowed, threads meet less often.
                let _ = sched_setaffinity(None, &rest);
            }
        });
    }
}

#[cfg(not(target_os = "linux"))]
mod processor {
    pub(super) fn current() -> usize {
        super::ELSEWHERE
    }

    pub(super) fn shun(_: usize) {}
}
