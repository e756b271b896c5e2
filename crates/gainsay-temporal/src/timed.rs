//! Streams with times that satisfy a formula: the delay before each element is drawn as well.

use crate::atom::{self, Any, Context, letters};
use crate::automaton::{Automaton, Number, START};
use crate::formula::{Formula, nanoseconds};
use crate::relaxed::contradicts;
use gainsay_core::{Arbitrary, Case, Error, Generator};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::fmt::{self, Debug};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// Draws streams of elements with their times that satisfy a formula, whose bounds may be of time. Delays between elements come from a
/// distribution of the user's; where the formula needs another, something is moved to the moment at which it is due.
///
/// ```
/// use gainsay_core::Case;
/// use gainsay_temporal::{TimedStreams, always, atom, eventually};
/// use std::time::Duration;
///
/// let ms = Duration::from_millis;
/// let asked = atom("asked", |c: &char| *c == '?').when_true(['?']).when_false(['!', '.']);
/// let answered = atom("answered", |c: &char| *c == '!').when_true(['!']).when_false(['?', '.']);
/// let soon = always(asked.implies(eventually(answered).within(ms(10)..=ms(20))));
/// let streams = TimedStreams::new(&soon, move |case| ms(case.int(0..=100)))?.length(5..=5);
/// let stream = streams.draw(&mut Case::random(1, 1));
/// let elements: Vec<(Duration, &char)> = stream.iter().map(|(time, element)| (*time, element)).collect();
/// assert!(elements.len() == 5 && soon.holds_at_times(&elements));
/// # Ok::<(), gainsay_core::Error>(())
/// ```
pub struct TimedStreams<E> {
    formula: Formula<E>,
    automaton: RefCell<Automaton>,
    length: Option<RangeInclusive<usize>>,
    delays: Arc<Delays>,
    any: Option<Arc<Any<E>>>,
    /// Delays are multiples of so many nanoseconds.
    grain: u64,
}

/// Draws the time before the next element.
pub(crate) type Delays = dyn Fn(&mut Case) -> Duration + Send + Sync;

impl<E> Debug for TimedStreams<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimedStreams({})", self.formula)
    }
}

/// So many elements a stream has at most, unless somebody says otherwise.
const LENGTH_MAX: usize = 50;

/// So many steps are tried for one stream, each time with more care.
const STEPS_MAX: usize = 3000;

/// So often.
const TIMES: usize = 5;

/// No delay is longer, in nanoseconds: about half a year.
const DELAY_MAX: u64 = 1 << 54;

impl<E: Clone> TimedStreams<E> {
    /// Streams that satisfy a formula, with delays that are drawn so.
    ///
    /// # Errors
    /// If the formula has too many atoms.
    pub fn new(
        formula: &Formula<E>,
        delays: impl Fn(&mut Case) -> Duration + Send + Sync + 'static,
    ) -> Result<TimedStreams<E>, Error> {
        formula.must_be_clear()?;
        let letters = letters(&formula.atoms);
        if contradicts(&formula.shape, formula.atoms.len(), &letters) {
            return Err(Error::specification(format!(
                "no stream satisfies {formula}: it contradicts itself"
            )));
        }
        let automaton = Automaton::new(&formula.shape, formula.atoms.len(), letters);
        Ok(TimedStreams {
            formula: formula.clone(),
            automaton: RefCell::new(automaton),
            length: None,
            delays: Arc::new(delays),
            any: None,
            grain: 1,
        })
    }

    /// How many elements a stream has. Otherwise they become more as cases grow, up to fifty.
    #[must_use]
    pub fn length(mut self, length: RangeInclusive<usize>) -> TimedStreams<E> {
        self.length = Some(length);
        self
    }

    /// Delays are whole multiples of this, rounded up.
    #[must_use]
    pub fn grain(mut self, grain: Duration) -> TimedStreams<E> {
        self.grain = nanoseconds(grain).max(1);
        self
    }

    /// Where nobody says which elements make atoms true or false, they are looked for among these.
    #[must_use]
    pub fn among(mut self, any: impl Fn(&mut Case) -> E + Send + Sync + 'static) -> TimedStreams<E> {
        self.any = Some(Arc::new(any));
        self
    }

    /// The same among all elements of the type.
    #[must_use]
    pub fn among_all(self) -> TimedStreams<E>
    where
        E: Arbitrary,
    {
        self.among(|case| case.any())
    }

    /// Draws a stream.
    ///
    /// # Panics
    /// If none is found: see [`try_draw`](TimedStreams::try_draw).
    #[track_caller]
    pub fn draw(&self, case: &mut Case) -> Vec<(Duration, E)> {
        self.try_draw(case).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Draws a stream.
    ///
    /// # Errors
    /// If none is found of the lengths that were asked for, or no element of which an atom is as it must be (the error names the atom).
    pub fn try_draw(&self, case: &mut Case) -> Result<Vec<(Duration, E)>, Error> {
        let lengths = match &self.length {
            Some(length) => length.clone(),
            None => 0..=LENGTH_MAX.min(1 + case.size() as usize),
        };
        let (least, most) = (*lengths.start(), *lengths.end());
        let first = if least < most { case.int(least..=most) } else { least };
        let mut automaton = self.automaton.borrow_mut();
        automaton.keep_few(START);
        let mut drawn = Vec::new();
        // The length that was drawn, or the nearest one that some stream is found of.
        let farther = (1..=most - least).flat_map(|away| [first.checked_sub(away), first.checked_add(away)]);
        let others = farther.flatten().filter(|length| lengths.contains(length));
        for length in std::iter::once(first).chain(others).take(LENGTHS_MAX) {
            let mut dead = FxHashSet::default();
            for time in 0..TIMES {
                let mut search = Search {
                    automaton: &mut automaton,
                    delays: &*self.delays,
                    grain: self.grain,
                    drawn: &mut drawn,
                    dead: &mut dead,
                    path: Vec::new(),
                    steps: 0,
                    bold: length * (TIMES - 1 - time) / (TIMES - 1),
                };
                if search.go_on(START, length, case) {
                    let path = search.path;
                    return self.elements(&path, case);
                }
                // (If all was tried, it is no use to try again.)
                let is_all = search.steps <= STEPS_MAX;
                if case.is_over() {
                    return Ok(Vec::new());
                }
                if is_all {
                    break;
                }
            }
        }
        Err(Error::specification(format!(
            "no stream of {least} to {most} elements was found that satisfies {}, with these delays or at the moments of its bounds",
            self.formula
        )))
    }

    /// Elements with these atoms, after these delays.
    fn elements(&self, path: &[(u64, u64)], case: &mut Case) -> Result<Vec<(Duration, E)>, Error> {
        let mut stream: Vec<(Duration, E)> = Vec::with_capacity(path.len());
        let (mut time, mut context) = (Duration::ZERO, Context::new(&self.formula.atoms));
        for (delay, letter) in path {
            time = time.saturating_add(Duration::from_nanos(*delay));
            let element = atom::draw(&self.formula.atoms, *letter, &context, self.any.as_deref(), case);
            let element = element.map_err(|why| {
                Error::specification(format!(
                    "no element {} was found for {}: {why}",
                    stream.len(),
                    self.formula
                ))
            })?;
            context.see(&self.formula.atoms, &element);
            stream.push((time, element));
        }
        Ok(stream)
    }
}

/// So many lengths are tried.
const LENGTHS_MAX: usize = 20;

/// Looks for a way to satisfy a formula, depth first.
struct Search<'a> {
    automaton: &'a mut Automaton,
    delays: &'a Delays,
    grain: u64,
    /// What was drawn for each place: a delay, and which letter is tried first.
    drawn: &'a mut Vec<(u64, usize)>,
    /// Where it is known to be in vain: a state, and how many elements are left.
    dead: &'a mut FxHashSet<(Number, usize)>,
    path: Vec<(u64, u64)>,
    steps: usize,
    /// So many elements are as they were drawn, if possible; from then on those come first that leave least to be done.
    bold: usize,
}

impl Search<'_> {
    fn go_on(&mut self, state: Number, left: usize, case: &mut Case) -> bool {
        if left == 0 {
            return self.automaton.holds(state);
        }
        if self.dead.contains(&(state, left)) || case.is_over() {
            return false;
        }
        let letters = self.automaton.letters().to_vec();
        if letters.is_empty() {
            return false;
        }
        let place = self.path.len();
        if self.drawn.len() == place {
            let delay = self.whole(nanoseconds((self.delays)(case)));
            let letter = if letters.len() == 1 { 0 } else { case.index(letters.len()) };
            self.drawn.push((delay, letter));
        }
        let (delay, first) = self.drawn[place];
        // The delay that was drawn is the first to be tried, then those at which something is due or over.
        let moments = self.automaton.moments(state).into_iter().map(|moment| self.whole(moment));
        let moments: Vec<u64> =
            std::iter::once(delay).chain(moments.filter(|moment| *moment != delay)).collect();
        let mut ways: Vec<(u64, u64, Number)> = Vec::new();
        for delay in moments {
            for letter in (0..letters.len()).map(|turn| letters[(first + turn) % letters.len()]) {
                let Ok(next) = self.automaton.step(state, delay, letter) else { continue };
                ways.push((delay, letter, next));
            }
        }
        if place >= self.bold {
            ways.sort_by_key(|(_, _, next)| self.automaton.burden(*next));
        }
        for (delay, letter, next) in ways {
            self.steps += 1;
            if self.steps > STEPS_MAX {
                return false;
            }
            self.path.push((delay, letter));
            if self.go_on(next, left - 1, case) {
                return true;
            }
            self.path.pop();
        }
        if self.steps <= STEPS_MAX {
            self.dead.insert((state, left));
        }
        false
    }

    /// A delay that is whole, and not too long.
    fn whole(&self, delay: u64) -> u64 {
        delay.min(DELAY_MAX).div_ceil(self.grain).saturating_mul(self.grain).min(2 * DELAY_MAX)
    }
}

impl<E: Clone> Generator for TimedStreams<E> {
    type Value = Vec<(Duration, E)>;

    fn generate(&self, case: &mut Case) -> Vec<(Duration, E)> {
        self.draw(case)
    }
}
