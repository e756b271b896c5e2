//! Whether what is owed can be met at all, by some infinite continuation.
//!
//! A way to meet what is owed is a node of a graph; an element leads to others. There is a continuation if some cycle can be reached on which
//! nothing is put off for ever: each until is met, or is not owed, again and again.

use crate::closure::{Closure, Node, Part};
use crate::owed::{Owed, TooMany, Way, is_easier};
use crate::shape::Bound;
use crate::step::{Memory, State};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// What must be met, and what is remembered.
type Place = (Way, Vec<Memory>, bool);

/// The untils that an element meets, or that are not owed after it: all but these.
type PutOff = Vec<Part>;

/// Ways to go on, as far as they were looked at.
#[derive(Debug)]
pub(crate) struct Future {
    letters: Vec<u64>,
    is_timed: bool,
    graph: DiGraph<Place, PutOff>,
    places: FxHashMap<Place, NodeIndex>,
    /// Whether there is a continuation, where that is known.
    is_live: FxHashMap<NodeIndex, bool>,
}

/// So many places are looked at. Past that everything is possible.
const PLACES_MAX: usize = 20_000;

impl Future {
    pub(crate) fn new(letters: Vec<u64>, is_timed: bool) -> Future {
        Future {
            letters,
            is_timed,
            graph: DiGraph::new(),
            places: FxHashMap::default(),
            is_live: FxHashMap::default(),
        }
    }

    pub(crate) fn letters(&self) -> &[u64] {
        &self.letters
    }

    /// Whether what is owed can be met.
    pub(crate) fn is_possible(
        &mut self,
        owed: &Owed,
        memory: &[Memory],
        has_begun: bool,
        closure: &Closure,
    ) -> bool {
        // With bounds of time, whether an element can come at the right moment is not looked into: only what is broken already is impossible.
        if self.is_timed {
            return !owed.is_impossible();
        }
        owed.ways.iter().any(|way| {
            let way = way.iter().map(|duty| crate::owed::Duty { weak: false, ..*duty }).collect();
            self.is_way_possible((way, memory.to_vec(), has_begun), closure).unwrap_or(true)
        })
    }

    fn is_way_possible(&mut self, place: Place, closure: &Closure) -> Result<bool, TooMany> {
        if self.letters.is_empty() {
            return Ok(false);
        }
        // (Where nothing is owed, anything may follow.)
        if place.0.is_empty() {
            return Ok(true);
        }
        let (root, is_new) = self.place(place);
        if let Some(known) = self.is_live.get(&root) {
            return Ok(*known);
        }
        let mut open = if is_new { vec![root] } else { Vec::new() };
        while let Some(node) = open.pop() {
            self.explore(node, closure, &mut open)?;
            if self.graph.node_count() > PLACES_MAX {
                // (What was looked at in part must not be taken for whole.)
                self.graph.clear();
                self.places.clear();
                self.is_live.clear();
                return Err(TooMany);
            }
        }
        self.mark();
        Ok(self.is_live.get(&root).copied().unwrap_or(true))
    }

    fn place(&mut self, place: Place) -> (NodeIndex, bool) {
        if let Some(node) = self.places.get(&place) {
            return (*node, false);
        }
        let node = self.graph.add_node(place.clone());
        self.places.insert(place, node);
        (node, true)
    }

    /// Adds what may come next.
    fn explore(
        &mut self,
        node: NodeIndex,
        closure: &Closure,
        open: &mut Vec<NodeIndex>,
    ) -> Result<(), TooMany> {
        let (way, memory, has_begun) = self.graph[node].clone();
        if way.is_empty() {
            return Ok(());
        }
        let untils: Vec<Part> =
            way.iter().map(|duty| duty.part).filter(|part| is_endless(closure.node(*part))).collect();
        // What is owed, and each until alone.
        let mut owed = vec![Owed { ways: vec![way.clone()] }];
        owed.extend(
            way.iter().filter(|duty| is_endless(closure.node(duty.part))).map(|duty| Owed::duty(*duty)),
        );
        let state = State { has_begun, owed, memory };
        for letter in self.letters.clone() {
            let after = state.after(letter, closure)?;
            for next in &after.owed[0].ways {
                let next: Way = next.iter().map(|duty| crate::owed::Duty { weak: false, ..*duty }).collect();
                let put_off = untils.iter().zip(&after.owed[1..]).filter(|(until, alone)| {
                    let is_owed = |way: &Way| way.iter().any(|duty| duty.part == **until);
                    let is_met = |way: &Way| !is_owed(way) && is_easier(way, &next, closure);
                    is_owed(&next) && !alone.ways.iter().any(is_met)
                });
                let put_off: PutOff = put_off.map(|(until, _)| *until).collect();
                let (to, is_new) = self.place((next, after.memory.clone(), true));
                if is_new {
                    open.push(to);
                }
                self.graph.add_edge(node, to, put_off);
            }
        }
        Ok(())
    }

    /// Marks who can go on for ever without putting anything off for ever.
    fn mark(&mut self) {
        let components = tarjan_scc(&self.graph);
        let mut component_of: FxHashMap<NodeIndex, usize> = FxHashMap::default();
        for (number, nodes) in components.iter().enumerate() {
            nodes.iter().for_each(|node| _ = component_of.insert(*node, number));
        }
        // (Components come in the order in which they are left: what they lead to is known.)
        let mut is_live = vec![false; components.len()];
        for (number, nodes) in components.iter().enumerate() {
            let mut ever: Option<FxHashSet<Part>> = None;
            let mut leads_on = false;
            for edge in nodes.iter().flat_map(|node| self.graph.edges(*node)) {
                let target = component_of[&edge.target()];
                if self.graph[edge.target()].0.is_empty() || target != number && is_live[target] {
                    leads_on = true;
                }
                if target == number {
                    let put_off = edge.weight().iter().copied().collect::<FxHashSet<Part>>();
                    ever = Some(match ever {
                        None => put_off,
                        Some(ever) => ever.intersection(&put_off).copied().collect(),
                    });
                }
            }
            is_live[number] = leads_on || ever.is_some_and(|ever| ever.is_empty());
        }
        for (node, component) in component_of {
            let nothing_is_owed = self.graph[node].0.is_empty();
            self.is_live.insert(node, nothing_is_owed || is_live[component]);
        }
    }
}

/// Whether it may be put off without end.
fn is_endless(node: &Node) -> bool {
    matches!(node, Node::Until(Bound::None | Bound::Steps(_, None) | Bound::Time(_, None), ..))
}
