//! Streams that satisfy a formula, drawn element by element: the atoms first, then an element of which they are so.

use crate::acceptor::Acceptor;
use crate::atom::{self, Any, Atom, Context, letters};
use crate::automaton::{START, Truth};
use crate::formula::Formula;
use crate::paths::{Paths, STATES_MAX, WORK_MAX};
use crate::shape::Shape;
use gainsay_core::{Arbitrary, Case, Error, Generator};
use std::cell::RefCell;
use std::fmt::{self, Debug};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Draws streams that satisfy a formula. Whatever must come eventually comes before the stream ends.
///
/// ```
/// use gainsay_core::Case;
/// use gainsay_temporal::{Streams, always, atom};
///
/// let high = atom("pressure > 10", |pressure: &i32| *pressure > 10).when_true(11..=20).when_false(0..=10);
/// let mut case = Case::random(1, 1);
/// let calm = Streams::new(&always(!high))?.length(5..=5).draw(&mut case);
/// assert!(calm.len() == 5 && calm.iter().all(|pressure| *pressure <= 10));
/// # Ok::<(), gainsay_core::Error>(())
/// ```
pub struct Streams<E> {
    formula: Formula<E>,
    /// What a stream may be about: one of the parts of which one must hold.
    branches: RefCell<Vec<Paths>>,
    length: Option<RangeInclusive<usize>>,
    is_uniform: bool,
    any: Option<Arc<Any<E>>>,
    next: Option<Arc<NextBy<E>>>,
}

/// Draws the next element by those so far; nothing if there is none.
type NextBy<E> = dyn Fn(&[E], &mut Case) -> Option<E> + Send + Sync;

impl<E> Debug for Streams<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Streams({})", self.formula)
    }
}

/// So many elements a stream has at most, unless somebody says otherwise.
const LENGTH_MAX: usize = 100;

/// So far a length is looked for that some stream has.
const FAR: usize = 1000;

impl<E: Clone> Streams<E> {
    /// Streams that satisfy a formula.
    ///
    /// # Errors
    /// If there are none, up to a thousand elements; if it has too many atoms, or two of one name that may mean different things; if it has more
    /// than [`STATES_MAX`] states, or takes more than [`WORK_MAX`] steps to find them; or if it bounds something by time.
    pub fn new(formula: &Formula<E>) -> Result<Streams<E>, Error> {
        formula.must_be_clear()?;
        if formula.shape.is_timed() {
            return Err(Error::specification(format!(
                "{formula} has a bound of time: draw elements with their times (`TimedStreams`), or bound it by elements"
            )));
        }
        let letters = letters(&formula.atoms);
        let mut branches = Vec::new();
        for branch in branches_of(&formula.shape) {
            let mut paths = Paths::new(&branch, formula.atoms.len(), letters.clone()).map_err(|_| {
                Error::specification(format!(
                    "{formula} has too many states to draw streams of it: more than {STATES_MAX} (`STATES_MAX`), or more than \
                     {WORK_MAX} steps are needed to find them (`WORK_MAX`)"
                ))
            })?;
            if paths.nearest(0, FAR).is_some() {
                branches.push(paths);
            }
        }
        if branches.is_empty() {
            return Err(Error::specification(format!(
                "no stream of up to {FAR} elements satisfies {formula}: it contradicts itself"
            )));
        }
        let branches = RefCell::new(branches);
        Ok(Streams {
            formula: formula.clone(),
            branches,
            length: None,
            is_uniform: false,
            any: None,
            next: None,
        })
    }

    /// How many elements a stream has. Otherwise they become more as cases grow, up to a hundred.
    #[must_use]
    pub fn length(mut self, length: RangeInclusive<usize>) -> Streams<E> {
        self.length = Some(length);
        self
    }

    /// All words of atoms of a length are equally likely; otherwise they are in half of the cases, and the others lean to some atoms.
    #[must_use]
    pub fn uniform(mut self) -> Streams<E> {
        self.is_uniform = true;
        self
    }

    /// Where nobody says which elements make atoms true or false, they are looked for among these.
    #[must_use]
    pub fn among(mut self, any: impl Fn(&mut Case) -> E + Send + Sync + 'static) -> Streams<E> {
        self.any = Some(Arc::new(any));
        self
    }

    /// The same among all elements of the type.
    #[must_use]
    pub fn among_all(self) -> Streams<E>
    where
        E: Arbitrary,
    {
        self.among(|case| case.any())
    }

    /// Elements are drawn by hand: by those so far, the next one, or none if the stream ends there. One is taken only if the formula can
    /// still be satisfied then; otherwise another is drawn, a few times.
    #[must_use]
    pub fn by_hand(
        mut self,
        next: impl Fn(&[E], &mut Case) -> Option<E> + Send + Sync + 'static,
    ) -> Streams<E> {
        self.next = Some(Arc::new(next));
        // (Which alternative it will be is not known beforehand.)
        let Formula { shape, atoms } = &self.formula;
        if let Ok(paths) = Paths::new(shape, atoms.len(), letters(atoms)) {
            self.branches = RefCell::new(vec![paths]);
        }
        self
    }

    /// How many states the formula has, all its alternatives taken together.
    pub fn states(&self) -> usize {
        self.branches.borrow().iter().map(Paths::states).sum()
    }

    /// Draws a stream.
    ///
    /// # Panics
    /// If there is none of the lengths that were asked for, or no element of which an atom is as it must be: see [`try_draw`](Streams::try_draw).
    #[track_caller]
    pub fn draw(&self, case: &mut Case) -> Vec<E> {
        match self.try_draw(case) {
            Ok(stream) => stream,
            // (It is rejected, and nobody looks at it.)
            Err(_) if case.is_over() => Vec::new(),
            Err(error) => panic!("{error}"),
        }
    }

    /// Draws a stream.
    ///
    /// # Errors
    /// If there is none of the lengths that were asked for (the error says which is the nearest), or no element of which an atom is as it must be
    /// (the error names the atom).
    pub fn try_draw(&self, case: &mut Case) -> Result<Vec<E>, Error> {
        let lengths = match &self.length {
            Some(length) => length.clone(),
            None => 0..=LENGTH_MAX.min(1 + case.size() as usize),
        };
        let mut branches = self.branches.borrow_mut();
        let mut possible: Vec<(usize, Vec<usize>)> = Vec::new();
        for (place, paths) in branches.iter_mut().enumerate() {
            let lengths: Vec<usize> =
                lengths.clone().filter(|length| paths.reaches(START, *length)).collect();
            if !lengths.is_empty() {
                possible.push((place, lengths));
            }
        }
        if possible.is_empty() && self.length.is_none() {
            // Nobody has asked for a length: the shortest there is will do.
            let shortest = branches.iter_mut().map(|paths| paths.nearest(0, FAR)).enumerate();
            possible = shortest.filter_map(|(place, length)| Some((place, vec![length?]))).collect();
            possible.sort_by_key(|(_, lengths)| lengths[0]);
            possible.truncate(1);
        }
        if possible.is_empty() {
            let nearest = branches.iter_mut().filter_map(|paths| paths.nearest(*lengths.end(), FAR));
            let nearest = nearest.min_by_key(|length| length.abs_diff(*lengths.end()));
            let nearest = nearest.map(|length| format!(": the nearest is {length}")).unwrap_or_default();
            return Err(Error::specification(format!(
                "no stream of {} to {} elements satisfies {}{nearest}",
                lengths.start(),
                lengths.end(),
                self.formula
            )));
        }
        let branch = if possible.len() == 1 { 0 } else { case.index(possible.len()) };
        let (place, lengths) = &possible[branch];
        let length = lengths[if lengths.len() == 1 { 0 } else { case.index(lengths.len()) }];
        self.draw_path(&mut branches[*place], length, case)
    }

    fn draw_path(&self, paths: &mut Paths, length: usize, case: &mut Case) -> Result<Vec<E>, Error> {
        let mut stream: Vec<E> = Vec::with_capacity(length);
        let mut state = START;
        let leaning = leaning(self.formula.atoms.len(), case);
        let mut context = Context::new(&self.formula.atoms);
        for left in (0..length).rev() {
            let ways = paths.ways(state, left);
            if let Some(next) = &self.next {
                match self.draw_by_hand(&**next, &stream, &context, &ways, case)? {
                    Some((element, to)) => {
                        context.see(&self.formula.atoms, &element);
                        stream.push(element);
                        state = to;
                        continue;
                    }
                    None if paths.reaches(state, 0) || case.is_over() => break,
                    None => {
                        return Err(Error::specification(format!(
                            "the stream ends after {} elements, which do not satisfy {}",
                            stream.len(),
                            self.formula
                        )));
                    }
                }
            }
            let way = match ways.len() {
                1 => 0,
                // (Whoever goes where little is left to happen tells little.)
                _ if self.is_uniform || leaning.is_none() => {
                    let counts: Vec<f64> = ways.iter().map(|(_, to)| paths.count(*to, left)).collect();
                    let all: f64 = counts.iter().sum();
                    let weight = |count: &f64| (count / all * f64::from(1u32 << 20)).ceil() as u32;
                    case.index_weighted(&counts.iter().map(weight).collect::<Vec<u32>>())
                }
                _ => {
                    let leaning = leaning.as_deref().unwrap_or_default();
                    let weights = ways.iter().map(|(letter, _)| weight(leaning, *letter));
                    case.index_weighted(&weights.collect::<Vec<u32>>())
                }
            };
            let (letter, to) = ways[way];
            state = to;
            let atoms: &[Atom<E>] = &self.formula.atoms;
            let drawn = atom::draw(atoms, letter, &context, self.any.as_deref(), case);
            let element = drawn.map_err(|why| {
                Error::specification(format!(
                    "no element {} was found for {}: {why}",
                    stream.len(),
                    self.formula
                ))
            })?;
            context.see(atoms, &element);
            stream.push(element);
        }
        Ok(stream)
    }
}

/// For each atom, how much more often a case lets it be true, or false; nothing if it does not care. (Where some atoms are rare and
/// others are not, streams get further.)
fn leaning(atoms: usize, case: &mut Case) -> Option<Vec<[u32; 2]>> {
    let leaning: Vec<[u32; 2]> = (0..atoms as u64)
        .map(|atom| match case.leans(atom) & 3 {
            1 => [1, 4],
            2 => [4, 1],
            _ => [1, 1],
        })
        .collect();
    leaning.iter().any(|[no, yes]| no != yes).then_some(leaning)
}

fn weight(leaning: &[[u32; 2]], letter: u64) -> u32 {
    let weights = leaning.iter().enumerate().map(|(bit, weights)| weights[(letter >> bit & 1) as usize]);
    weights.fold(1, u32::saturating_mul)
}

impl<E: Clone> Streams<E> {
    fn draw_by_hand(
        &self,
        next: &NextBy<E>,
        stream: &[E],
        context: &Context<E>,
        ways: &[(u64, u32)],
        case: &mut Case,
    ) -> Result<Option<(E, u32)>, Error> {
        let way = |element: &E| {
            let letter = context.try_out(&self.formula.atoms, element);
            ways.iter().find(|(way, _)| *way == letter).map(|(_, to)| *to)
        };
        let is_over = case.is_over();
        let fits = |element: &Option<E>| element.as_ref().is_none_or(|element| way(element).is_some());
        let Some(element) = case.filter(|case| next(stream, case), fits) else { return Ok(None) };
        if let Some(to) = way(&element) {
            return Ok(Some((element, to)));
        }
        if is_over {
            return Ok(None);
        }
        Err(Error::specification(format!(
            "no element {} that is drawn by hand goes with {}",
            stream.len(),
            self.formula
        )))
    }
}

/// Draws beginnings of recorded streams that satisfy a formula.
///
/// # Errors
/// If there is none.
pub fn recorded<E: Clone, I: IntoIterator<Item = Vec<E>>>(
    formula: &Formula<E>,
    recordings: I,
) -> Result<impl Fn(&mut Case) -> Vec<E> + use<E, I>, Error> {
    let mut acceptor = Acceptor::new(formula)?;
    let mut good: Vec<(Vec<E>, Vec<usize>)> = Vec::new();
    for recording in recordings {
        acceptor.reset();
        let mut lengths = Vec::new();
        for length in 0..=recording.len() {
            if length > 0 {
                acceptor.see(&recording[length - 1]);
            }
            match acceptor.truth() {
                // (Certain is what holds of everything that follows: not of nothing.)
                Truth::False => break,
                Truth::PresumablyTrue => lengths.push(length),
                Truth::True if formula.holds(&recording[..length]) => lengths.push(length),
                Truth::True | Truth::PresumablyFalse => {}
            }
        }
        if !lengths.is_empty() {
            good.push((recording, lengths));
        }
    }
    if good.is_empty() {
        return Err(Error::specification(format!(
            "no recorded stream has a beginning that satisfies {formula}"
        )));
    }
    Ok(move |case: &mut Case| {
        let (recording, lengths) = &good[if good.len() == 1 { 0 } else { case.index(good.len()) }];
        recording[..lengths[if lengths.len() == 1 { 0 } else { case.index(lengths.len()) }]].to_vec()
    })
}

/// The alternatives of a formula: each of them is enough.
fn branches_of(shape: &Shape) -> Vec<Shape> {
    match shape {
        Shape::Or(one, two) => [branches_of(one), branches_of(two)].concat(),
        Shape::Implies(one, two) => [branches_of(&Shape::not(Shape::clone(one))), branches_of(two)].concat(),
        Shape::Not(of) => match &**of {
            Shape::And(one, two) => {
                [branches_of(&Shape::not(Shape::clone(one))), branches_of(&Shape::not(Shape::clone(two)))]
                    .concat()
            }
            Shape::Not(of) => branches_of(of),
            _ => vec![shape.clone()],
        },
        other => vec![other.clone()],
    }
}

impl<E: Clone> Generator for Streams<E> {
    type Value = Vec<E>;

    fn generate(&self, case: &mut Case) -> Vec<E> {
        self.draw(case)
    }
}
