//! Shortest words that satisfy a formula: breadth first through its tableau, for words that end.

use crate::closure::Closure;
use crate::evaluate;
use crate::owed::TooMany;
use crate::shape::Shape;
use crate::step::State;
use crate::tableau::{Edge, Place, Tableau};
use rustc_hash::{FxHashMap, FxHashSet};

/// The places that are reached after so many elements and not before, and how to go on.
type Layer = Vec<Vec<Edge>>;

/// The first of the shortest words over these letters that satisfy a formula; nothing if there is none.
///
/// # Errors
/// If that takes too much work.
pub(crate) fn shortest(shape: &Shape, atoms: usize, letters: Vec<u64>) -> Result<Option<Vec<u64>>, TooMany> {
    if evaluate::holds(shape, &[], 0) {
        return Ok(Some(Vec::new()));
    }
    let mut closure = Closure::default();
    let formula = closure.add(shape, true);
    let memory = State::start(&closure, &[formula]).memory;
    let mut tableau = Tableau::new(letters, atoms, true, &closure);
    let start = tableau.place([formula].into_iter(), &memory, &closure);
    // By place: after how many elements it is reached, and as which one.
    let mut known: FxHashMap<Place, (usize, usize)> = FxHashMap::default();
    known.insert(start.clone(), (0, 0));
    let mut layers: Vec<Layer> = Vec::new();
    let mut here = vec![start];
    while !here.is_empty() {
        let mut layer = Vec::with_capacity(here.len());
        let (mut there, mut ends) = (Vec::new(), false);
        for place in here {
            let edges = tableau.edges(&place, &closure)?;
            ends |= edges.iter().any(|edge| edge.branch.may_end);
            for edge in &edges {
                known.entry(edge.to.clone()).or_insert_with(|| {
                    there.push(edge.to.clone());
                    (layers.len() + 1, there.len() - 1)
                });
            }
            layer.push(edges);
        }
        layers.push(layer);
        if ends {
            return Ok(Some(first_word(&layers, &known, tableau.letters())));
        }
        here = there;
    }
    Ok(None)
}

/// The first word that ends in the last layer.
fn first_word(layers: &[Layer], known: &FxHashMap<Place, (usize, usize)>, letters: &[u64]) -> Vec<u64> {
    // (An edge to a place that was reached before leads nowhere in time.)
    let next = |edge: &Edge, depth: usize| {
        known.get(&edge.to).filter(|place| place.0 == depth + 1).map(|place| place.1)
    };
    let mut goes_on: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); layers.len() + 1];
    let leads = |edge: &Edge, depth: usize, goes_on: &[FxHashSet<usize>]| match depth + 1 == layers.len() {
        true => edge.branch.may_end,
        false => next(edge, depth).is_some_and(|place| goes_on[depth + 1].contains(&place)),
    };
    for depth in (0..layers.len()).rev() {
        let good = |edges: &Vec<Edge>| edges.iter().any(|edge| leads(edge, depth, &goes_on));
        goes_on[depth] = (0..layers[depth].len()).filter(|place| good(&layers[depth][*place])).collect();
    }
    let mut here: FxHashSet<usize> = [0].into_iter().collect();
    let mut word = Vec::with_capacity(layers.len());
    for (depth, layer) in layers.iter().enumerate() {
        let edges: Vec<&Edge> = here
            .iter()
            .flat_map(|place| &layer[*place])
            .filter(|edge| leads(edge, depth, &goes_on))
            .collect();
        let letter = letters.iter().find(|letter| edges.iter().any(|edge| edge.branch.allows(**letter)));
        let Some(letter) = letter.copied() else { break };
        word.push(letter);
        here = edges
            .into_iter()
            .filter(|edge| edge.branch.allows(letter))
            .filter_map(|edge| next(edge, depth))
            .collect();
    }
    word
}
