//! Sequences of inputs that share their beginnings.

/// A place in a tree: what has been put in to get there.
pub(super) type Node = u32;

/// Before anything is put in.
pub(super) const ROOT: Node = 0;

const NONE: Node = Node::MAX;

#[derive(Debug, Clone, Copy)]
struct Place {
    parent: Node,
    input: u32,
    /// The first of those that go on from here, and the next one that goes on from the parent.
    first: Node,
    next: Node,
}

/// Sequences, each by its last place.
#[derive(Debug)]
pub(super) struct Tree {
    places: Vec<Place>,
}

impl Tree {
    pub(super) fn new() -> Tree {
        Tree { places: vec![Place { parent: NONE, input: 0, first: NONE, next: NONE }] }
    }

    /// Where an input leads, if it is there.
    #[inline]
    pub(super) fn find(&self, node: Node, input: u32) -> Option<Node> {
        let mut at = self.places[node as usize].first;
        while at != NONE {
            let place = self.places[at as usize];
            if place.input == input {
                return Some(at);
            }
            at = place.next;
        }
        None
    }

    /// Where an input leads.
    #[inline]
    pub(super) fn child(&mut self, node: Node, input: u32) -> Node {
        if let Some(found) = self.find(node, input) {
            return found;
        }
        let new = self.places.len() as Node;
        let next = std::mem::replace(&mut self.places[node as usize].first, new);
        self.places.push(Place { parent: node, input, first: NONE, next });
        new
    }

    /// Where inputs lead.
    pub(super) fn add(&mut self, node: Node, inputs: &[u32]) -> Node {
        inputs.iter().fold(node, |node, input| self.child(node, *input))
    }

    /// Whether nothing goes on from here.
    pub(super) fn is_end(&self, node: Node) -> bool {
        self.places[node as usize].first == NONE
    }

    /// What goes on from here.
    pub(super) fn children(&self, node: Node) -> impl Iterator<Item = (u32, Node)> + '_ {
        let some = |node: Node| (node != NONE).then_some(node);
        let first = some(self.places[node as usize].first);
        std::iter::successors(first, move |node| some(self.places[*node as usize].next))
            .map(|node| (self.places[node as usize].input, node))
    }

    /// The inputs that lead to a place.
    pub(super) fn path(&self, node: Node, inputs: &mut Vec<u32>) {
        inputs.clear();
        let mut at = node;
        while at != ROOT {
            inputs.push(self.places[at as usize].input);
            at = self.places[at as usize].parent;
        }
        inputs.reverse();
    }

    /// The places from which nothing goes on, with how many inputs lead there. (Nobody is tested by nothing.)
    pub(super) fn ends(&self) -> Vec<(u32, Node)> {
        let mut depths = vec![0u32; self.places.len()];
        let mut ends = Vec::new();
        for node in 1..self.places.len() as Node {
            // (Parents come first.)
            depths[node as usize] = depths[self.places[node as usize].parent as usize] + 1;
            if self.is_end(node) {
                ends.push((depths[node as usize], node));
            }
        }
        ends
    }
}
