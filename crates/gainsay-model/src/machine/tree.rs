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
    /// How many inputs lead there.
    depth: u32,
    /// The first of those that go on from here, and the next one that goes on from the parent.
    first: Node,
    next: Node,
    /// How many go on from here.
    count: u32,
    /// Where they are by their inputs, once they are many.
    row: u32,
}

/// Of so many that go on from a place, one is looked for in a row of all inputs.
const MANY: u32 = 4;

/// Sequences, each by its last place.
#[derive(Debug)]
pub(super) struct Tree {
    places: Vec<Place>,
    /// How many inputs there are, and rows of so many.
    inputs: usize,
    rows: Vec<Node>,
    steps: usize,
}

impl Tree {
    pub(super) fn new(inputs: usize) -> Tree {
        let root = Place { parent: NONE, input: 0, depth: 0, first: NONE, next: NONE, count: 0, row: NONE };
        Tree { places: vec![root], inputs, rows: Vec::new(), steps: 0 }
    }

    /// How many inputs all sequences have that are not the beginning of others.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// Where an input leads, if it is there.
    #[inline]
    pub(super) fn find(&self, node: Node, input: u32) -> Option<Node> {
        let place = self.places[node as usize];
        if place.row != NONE {
            return Some(self.rows[place.row as usize + input as usize]).filter(|node| *node != NONE);
        }
        let mut at = place.first;
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
        self.find(node, input).unwrap_or_else(|| self.grow(node, input))
    }

    fn grow(&mut self, node: Node, input: u32) -> Node {
        let new = self.places.len() as Node;
        let parent = &mut self.places[node as usize];
        let (next, depth) = (std::mem::replace(&mut parent.first, new), parent.depth + 1);
        parent.count += 1;
        let (row, is_many) = (parent.row, parent.count == MANY && self.inputs > MANY as usize);
        // (A sequence goes on, or another one begins like it.)
        self.steps += if next == NONE { 1 } else { depth as usize };
        self.places.push(Place { parent: node, input, depth, first: NONE, next, count: 0, row: NONE });
        if row != NONE {
            self.rows[row as usize + input as usize] = new;
        } else if is_many {
            let row = self.rows.len();
            self.rows.resize(row + self.inputs, NONE);
            for (input, child) in self.children(node).collect::<Vec<_>>() {
                self.rows[row + input as usize] = child;
            }
            self.places[node as usize].row = row as u32;
        }
        new
    }

    /// Where inputs lead.
    pub(super) fn add(&mut self, node: Node, inputs: &[u32]) -> Node {
        inputs.iter().fold(node, |node, input| self.child(node, *input))
    }

    /// How many go on from here.
    #[inline]
    pub(super) fn count(&self, node: Node) -> u32 {
        self.places[node as usize].count
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
        let mut ends = Vec::new();
        for node in 1..self.places.len() as Node {
            if self.is_end(node) {
                ends.push((self.places[node as usize].depth, node));
            }
        }
        ends
    }
}
