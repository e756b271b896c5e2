//! All states that can be reached, and the ways between them.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hash;

/// States in the order of their distance from the first, and what leads from one to the other.
#[derive(Debug)]
pub(super) struct Graph<N, L> {
    pub(super) nodes: Vec<N>,
    pub(super) edges: Vec<Vec<(usize, L)>>,
    /// By which way each was found first: the shortest.
    found_by: Vec<Option<(usize, usize)>>,
    /// Whether nothing was left out.
    pub(super) is_complete: bool,
}

impl<N: Clone + Eq + Hash, L> Graph<N, L> {
    /// Explores everything from a start, but no more than so many states.
    pub(super) fn explore(
        start: N,
        nodes_max: usize,
        mut next: impl FnMut(&N, &mut Vec<(L, N)>),
    ) -> Graph<N, L> {
        let mut places: FxHashMap<N, usize> = FxHashMap::default();
        places.insert(start.clone(), 0);
        let mut graph =
            Graph { nodes: vec![start], edges: Vec::new(), found_by: vec![None], is_complete: true };
        let mut reached = Vec::new();
        while graph.edges.len() < graph.nodes.len() {
            let from = graph.edges.len();
            next(&graph.nodes[from], &mut reached);
            let mut edges = Vec::with_capacity(reached.len());
            for (label, node) in reached.drain(..) {
                let to = match places.get(&node) {
                    Some(place) => *place,
                    None if graph.nodes.len() >= nodes_max => {
                        graph.is_complete = false;
                        continue;
                    }
                    None => {
                        let place = graph.nodes.len();
                        places.insert(node.clone(), place);
                        graph.nodes.push(node);
                        graph.found_by.push(Some((from, edges.len())));
                        place
                    }
                };
                edges.push((to, label));
            }
            graph.edges.push(edges);
        }
        graph
    }

    /// A shortest way from the start.
    pub(super) fn path_to(&self, node: usize) -> Vec<&L> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some((from, edge)) = self.found_by[at] {
            path.push(&self.edges[from][edge].1);
            at = from;
        }
        path.reverse();
        path
    }

    /// A cycle of some ways through a node that is wanted: that node, the nearest to the start, and a shortest way around.
    pub(super) fn cycle(
        &self,
        allowed: impl Fn(usize, &L, usize) -> bool,
        wanted: impl Fn(usize) -> bool,
    ) -> Option<(usize, Vec<&L>)> {
        let edges = self.edges.iter().enumerate().flat_map(|(from, edges)| {
            let allowed = &allowed;
            edges
                .iter()
                .filter(move |(to, label)| allowed(from, label, *to))
                .map(move |(to, _)| (NodeIndex::new(from), NodeIndex::new(*to)))
        });
        let mut ways: DiGraph<(), ()> = DiGraph::from_edges(edges);
        while ways.node_count() < self.nodes.len() {
            ways.add_node(());
        }
        let mut part_of = vec![0; self.nodes.len()];
        for (part, members) in tarjan_scc(&ways).iter().enumerate() {
            members.iter().for_each(|member| part_of[member.index()] = part);
        }
        let inside =
            |from: usize, label: &L, to: usize| part_of[from] == part_of[to] && allowed(from, label, to);
        (0..self.nodes.len())
            .filter(|node| wanted(*node))
            .find_map(|node| self.around(node, &inside).map(|way| (node, way)))
    }

    /// A shortest way from a node to itself.
    fn around(&self, node: usize, allowed: &impl Fn(usize, &L, usize) -> bool) -> Option<Vec<&L>> {
        let mut found_by: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
        let mut open = VecDeque::from([node]);
        while let Some(from) = open.pop_front() {
            for (edge, (to, label)) in self.edges[from].iter().enumerate() {
                if !allowed(from, label, *to) || found_by.contains_key(to) {
                    continue;
                }
                found_by.insert(*to, (from, edge));
                if *to == node {
                    return Some(self.back(node, &found_by));
                }
                open.push_back(*to);
            }
        }
        None
    }

    fn back(&self, node: usize, found_by: &FxHashMap<usize, (usize, usize)>) -> Vec<&L> {
        let mut way = Vec::new();
        let mut at = node;
        while let Some(&(from, edge)) = found_by.get(&at) {
            way.push(&self.edges[from][edge].1);
            at = from;
            if at == node {
                break;
            }
        }
        way.reverse();
        way
    }
}
