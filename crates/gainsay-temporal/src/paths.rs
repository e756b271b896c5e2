//! All words of a formula: from which state which lengths can still be met.

use crate::automaton::{Automaton, Number, START};
use crate::shape::Shape;
use rustc_hash::FxHashMap;

/// The states of a formula with all ways between them.
#[derive(Debug)]
pub(crate) struct Paths {
    /// By state: each letter, and where it leads.
    next: Vec<Vec<(u64, Number)>>,
    /// By number of elements left, and state: whether the formula can still hold in the end.
    reaches: Vec<Vec<bool>>,
    /// The same, in how many words.
    counts: Vec<Vec<f64>>,
}

/// A formula has more states than anybody can look at.
#[derive(Debug)]
pub(crate) struct TooLarge;

/// So many states of a formula are looked at, to draw streams of it.
pub const STATES_MAX: usize = 20_000;

/// So many steps from one state to another are.
const STEPS_MAX: usize = 1_000_000;

/// So many parts of a formula are looked at, and ways to meet it compared, to find its states and the steps between them.
pub const WORK_MAX: u64 = 20_000_000;

impl Paths {
    pub(crate) fn new(shape: &Shape, atoms: usize, letters: Vec<u64>) -> Result<Paths, TooLarge> {
        let mut automaton = Automaton::new(shape, atoms, letters);
        let letters = automaton.letters().to_vec();
        let mut next: Vec<Vec<(u64, Number)>> = Vec::new();
        while next.len() < automaton.states() {
            let state = next.len() as Number;
            let mut row = Vec::with_capacity(letters.len());
            for letter in &letters {
                row.push((*letter, automaton.step(state, 0, *letter).map_err(|_| TooLarge)?));
            }
            next.push(row);
            let steps = next.len() * letters.len();
            if automaton.states() > STATES_MAX || steps > STEPS_MAX || automaton.work() > WORK_MAX {
                return Err(TooLarge);
            }
        }
        let holds: Vec<bool> = (0..next.len() as Number).map(|state| automaton.holds(state)).collect();
        let (next, holds) = merged(&next, &holds);
        let counts = holds.iter().map(|holds| f64::from(u8::from(*holds))).collect();
        Ok(Paths { next, reaches: vec![holds], counts: vec![counts] })
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> usize {
        self.next.len()
    }

    /// Whether the formula can hold after so many more elements.
    pub(crate) fn reaches(&mut self, state: Number, left: usize) -> bool {
        while self.reaches.len() <= left {
            let before = &self.reaches[self.reaches.len() - 1];
            let row = |row: &Vec<(u64, Number)>| row.iter().any(|(_, to)| before[*to as usize]);
            // (Where nobody gets with fewer elements, nobody gets with one more.)
            let is_reached = before.contains(&true);
            let reaches = self.next.iter().map(|next| is_reached && row(next)).collect();
            self.reaches.push(reaches);
        }
        self.reaches[left][state as usize]
    }

    /// In how many words it does.
    pub(crate) fn count(&mut self, state: Number, left: usize) -> f64 {
        while self.counts.len() <= left {
            let before = &self.counts[self.counts.len() - 1];
            let row = |row: &Vec<(u64, Number)>| row.iter().map(|(_, to)| before[*to as usize]).sum();
            let mut counts: Vec<f64> = self.next.iter().map(row).collect();
            // Only their proportions matter.
            let most = counts.iter().copied().fold(0.0, f64::max);
            if most > 1e200 {
                counts.iter_mut().for_each(|count| *count /= 1e200);
            }
            self.counts.push(counts);
        }
        self.counts[left][state as usize]
    }

    /// The letters after which the formula can still hold after so many more elements, and where they lead.
    pub(crate) fn ways(&mut self, state: Number, left: usize) -> Vec<(u64, Number)> {
        self.reaches(START, left);
        let reaches = &self.reaches[left];
        self.next[state as usize].iter().filter(|(_, to)| reaches[*to as usize]).copied().collect()
    }

    /// The length nearest to a wanted one that some word has; nothing if none has up to the most.
    pub(crate) fn nearest(&mut self, wanted: usize, most: usize) -> Option<usize> {
        (0..=most)
            .flat_map(|away| [wanted.checked_sub(away), wanted.checked_add(away)])
            .flatten()
            .find(|length| *length <= most && self.reaches(START, *length))
    }
}

/// The same with states that nothing tells apart put together, unless that takes too long. (They are merged by refinement, after Moore, "Gedanken-
/// experiments on sequential machines", 1956.)
fn merged(next: &[Vec<(u64, Number)>], holds: &[bool]) -> (Vec<Vec<(u64, Number)>>, Vec<bool>) {
    let mut class: Vec<u32> = holds.iter().map(|holds| u32::from(*holds)).collect();
    let mut classes = 0;
    let steps: usize = next.iter().map(Vec::len).sum();
    for round in 0.. {
        if round * steps > 20 * STEPS_MAX {
            return (next.to_vec(), holds.to_vec());
        }
        let mut known: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
        let refined: Vec<u32> = (0..next.len())
            .map(|state| {
                let row = next[state].iter().map(|(_, to)| class[*to as usize]).collect();
                let count = known.len() as u32;
                *known.entry((class[state], row)).or_insert(count)
            })
            .collect();
        class = refined;
        if known.len() == classes {
            break;
        }
        classes = known.len();
    }
    // (The first state comes first: so it is in the first class.)
    let mut rows = vec![Vec::new(); classes];
    let mut held = vec![false; classes];
    for (state, class_of) in class.iter().enumerate() {
        let class_of = *class_of as usize;
        if rows[class_of].is_empty() {
            rows[class_of] = next[state].iter().map(|(letter, to)| (*letter, class[*to as usize])).collect();
        }
        held[class_of] = holds[state];
    }
    (rows, held)
}
