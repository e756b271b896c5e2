//! Whether what is owed can be met at all, by some infinite continuation.
//!
//! The tableau is a Büchi automaton with an acceptance set for each until. It accepts something if a strongly connected component can be reached
//! in which no until is put off by all edges. Components are found while the tableau is explored, after Couvreur ("On-the-fly verification of
//! linear temporal logic", 1999): a depth-first search keeps a stack of the roots of components, each with what all its edges put off, and ends
//! as soon as that is nothing.

use crate::closure::Closure;
use crate::owed::{Owed, TooMany};
use crate::parts::Parts;
use crate::step::Memory;
use crate::tableau::{Edge, Place, Tableau};
use rustc_hash::FxHashMap;

/// Ways to go on, as far as they were looked at.
#[derive(Debug)]
pub(crate) struct Future {
    is_timed: bool,
    tableau: Tableau,
    places: FxHashMap<Place, usize>,
    known: Vec<Known>,
}

/// What is known of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    /// It was met in this search, as the one with this number.
    Open(usize),
    /// There is a continuation.
    Live,
    /// There is none.
    Dead,
}

/// A place that is being looked at, and the edges that are left.
struct Frame {
    place: usize,
    edges: std::vec::IntoIter<Edge>,
}

/// The first place of a component that may still grow.
struct Root {
    number: usize,
    /// What the edge that led here puts off.
    entered: Parts,
    /// What all edges within the component put off; nothing is known if there are no edges.
    ever: Option<Parts>,
}

impl Future {
    pub(crate) fn new(letters: Vec<u64>, atoms: usize, is_timed: bool, closure: &Closure) -> Future {
        Future {
            is_timed,
            tableau: Tableau::new(letters, atoms, false, closure),
            places: FxHashMap::default(),
            known: Vec::new(),
        }
    }

    pub(crate) fn letters(&self) -> &[u64] {
        self.tableau.letters()
    }

    /// Whether something took too much work.
    pub(crate) fn gave_up(&self) -> bool {
        self.tableau.is_exhausted()
    }

    /// Whether what is owed can be met.
    ///
    /// # Errors
    /// If that takes too much work.
    pub(crate) fn is_possible(
        &mut self,
        owed: &Owed,
        memory: &[Memory],
        closure: &Closure,
    ) -> Result<bool, TooMany> {
        // With bounds of time, whether an element can come at the right moment is not looked into: only what is broken already is impossible.
        if self.is_timed || owed.is_impossible() {
            return Ok(!owed.is_impossible());
        }
        if self.tableau.letters().is_empty() {
            return Ok(false);
        }
        let mut is_open = false;
        for way in &owed.ways {
            let place = self.tableau.place(way.iter().map(|duty| duty.part), memory, closure);
            match self.is_live(&place, closure) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(TooMany) => is_open = true,
            }
        }
        if is_open { Err(TooMany) } else { Ok(false) }
    }

    /// Whether there is a continuation from a place.
    fn is_live(&mut self, place: &Place, closure: &Closure) -> Result<bool, TooMany> {
        let number = self.number(place);
        match self.known[number] {
            Known::Live => return Ok(true),
            Known::Dead => return Ok(false),
            Known::Nothing | Known::Open(_) => {}
        }
        let mut met = Vec::new();
        let found = self.search(place, &mut met, closure);
        // If a good component was found, all places that are still open lead to it. Otherwise there is none of them, or the search was given up.
        let now = if matches!(found, Ok(true)) { Known::Live } else { Known::Nothing };
        met.into_iter().for_each(|place| self.known[place] = now);
        found
    }

    fn number(&mut self, place: &Place) -> usize {
        if let Some(number) = self.places.get(place) {
            return *number;
        }
        let number = self.known.len();
        self.places.insert(place.clone(), number);
        self.known.push(if place.is_free() { Known::Live } else { Known::Nothing });
        number
    }

    /// Looks for a component that can be gone round for ever. All places that were met and belong to components that may still grow are open, in
    /// the order in which they were met; all that were left behind are dead.
    fn search(&mut self, start: &Place, open: &mut Vec<usize>, closure: &Closure) -> Result<bool, TooMany> {
        let (mut frames, mut roots) = (Vec::new(), Vec::new());
        let mut entered = Some((start.clone(), Parts::default()));
        loop {
            if let Some((place, put_off)) = entered.take() {
                let number = self.number(&place);
                self.known[number] = Known::Open(open.len());
                roots.push(Root { number: open.len(), entered: put_off, ever: None });
                open.push(number);
                frames.push(Frame { place: number, edges: self.tableau.edges(&place, closure)?.into_iter() });
            }
            let Some(frame) = frames.last_mut() else { return Ok(false) };
            let Some(Edge { to, branch }) = frame.edges.next() else {
                let place = frame.place;
                frames.pop();
                // A component whose root is left behind is complete, and was not good.
                if let Some(root) = roots.pop_if(|root| self.known[place] == Known::Open(root.number)) {
                    open.drain(root.number..).for_each(|place| self.known[place] = Known::Dead);
                }
                continue;
            };
            let target = self.number(&to);
            match self.known[target] {
                Known::Live => return Ok(true),
                Known::Dead => {}
                Known::Nothing => entered = Some((to, branch.put_off)),
                Known::Open(number) => {
                    if closed(&mut roots, number, branch.put_off).is_empty() {
                        return Ok(true);
                    }
                }
            }
        }
    }
}

/// An edge leads back to a place: what lies between becomes one component. What all its edges put off.
fn closed(roots: &mut Vec<Root>, back_to: usize, put_off: Parts) -> Parts {
    let mut ever = put_off;
    while let Some(root) = roots.pop() {
        if let Some(known) = &root.ever {
            ever.intersect(known);
        }
        if root.number <= back_to {
            roots.push(Root { ever: Some(ever.clone()), ..root });
            break;
        }
        ever.intersect(&root.entered);
    }
    ever
}
