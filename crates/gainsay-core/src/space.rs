//! Spaces: what the choices of a type look like, known before any is made.
//!
//! A generator is a function and shows its choices only when it runs. Built-in and derived types also *describe* them, as a
//! small grammar. From the grammar follow the number of values, the number of cases on a level of the
//! enumeration, and the choices of the n-th case ([`Index`](crate::index::Index)).

use crate::arbitrary::Arbitrary;
use std::any::TypeId;
use std::collections::HashMap;

/// The space of a type or of a part of one: a node of a [`Grammar`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Space(pub(crate) u32);

#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// Not described yet: a recursive type is being entered.
    Pending,
    /// One choice in `0..=max`.
    Choice { max: u64 },
    /// One after the other.
    Seq(Vec<Space>),
    /// A choice of an alternative, then what belongs to it; in the order of their numbers once depths are known.
    Alt(Vec<Space>),
    /// A choice before each element and after the last one.
    List { min: usize, max: usize, item: Space },
    /// The upper half of an integer wider than 64 bits: 0, as far as an enumeration gets.
    Wide,
    /// A generator that nothing is known about.
    Opaque,
}

/// How deeply the simplest value of a space is nested, and how many choices it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    Finite(u32, u32),
    Infinite,
}

impl Depth {
    /// One after the other.
    fn then(self, next: Depth) -> Depth {
        match (self, next) {
            (Depth::Finite(a, m), Depth::Finite(b, n)) => Depth::Finite(a.max(b), m.saturating_add(n)),
            _ => Depth::Infinite,
        }
    }
}

/// Describes types in terms of each other. See [`Arbitrary::space`].
#[derive(Debug, Default)]
pub struct Grammar {
    nodes: Vec<Node>,
    by_type: HashMap<TypeId, Space>,
}

impl Grammar {
    /// The space of `T`; the same node for every mention of `T`, which is what makes recursion finite.
    pub fn of<T: Arbitrary>(&mut self) -> Space {
        if let Some(&space) = self.by_type.get(&TypeId::of::<T>()) {
            return space;
        }
        let space = self.add(Node::Pending);
        self.by_type.insert(TypeId::of::<T>(), space);
        let described = T::space(self);
        self.nodes[space.0 as usize] = Node::Seq(vec![described]);
        space
    }

    /// One choice in `0..=max`.
    pub fn choice(&mut self, max: u64) -> Space {
        self.add(Node::Choice { max })
    }

    /// The upper half of an integer wider than 64 bits.
    pub(crate) fn wide(&mut self) -> Space {
        self.add(Node::Wide)
    }

    /// Parts drawn one after the other.
    pub fn seq(&mut self, parts: Vec<Space>) -> Space {
        self.add(Node::Seq(parts))
    }

    /// One of several variants, drawn by [`Case::variant`](crate::case::Case::variant) or
    /// [`Case::one_of`](crate::case::Case::one_of).
    pub fn alternatives(&mut self, variants: Vec<Space>) -> Space {
        self.add(Node::Alt(variants))
    }

    /// A list, drawn by [`Case::vec`](crate::case::Case::vec).
    pub fn list(&mut self, min: usize, max: usize, item: Space) -> Space {
        self.add(Node::List { min, max, item })
    }

    /// A generator that nothing is known about: its type cannot be indexed.
    pub fn opaque(&mut self) -> Space {
        self.add(Node::Opaque)
    }

    fn add(&mut self, node: Node) -> Space {
        self.nodes.push(node);
        Space(self.nodes.len() as u32 - 1)
    }

    pub(crate) fn node(&self, space: Space) -> &Node {
        &self.nodes[space.0 as usize]
    }

    /// The nesting of the simplest value of every node.
    fn depths(&self) -> Vec<Depth> {
        let mut depths = vec![Depth::Infinite; self.nodes.len()];
        loop {
            let mut changed = false;
            for i in 0..self.nodes.len() {
                let of = |space: &Space| depths[space.0 as usize];
                let depth = match &self.nodes[i] {
                    Node::Pending => Depth::Infinite,
                    Node::Choice { .. } | Node::Wide | Node::Opaque | Node::List { min: 0, .. } => {
                        Depth::Finite(0, 1)
                    }
                    Node::List { item, .. } => of(item),
                    Node::Seq(parts) => parts.iter().map(of).fold(Depth::Finite(0, 0), Depth::then),
                    Node::Alt(variants) => match variants.iter().map(of).min() {
                        Some(Depth::Finite(depth, length)) => {
                            Depth::Finite(depth + 1, length.saturating_add(1))
                        }
                        _ => Depth::Infinite,
                    },
                };
                changed |= depth != depths[i];
                depths[i] = depth;
            }
            if !changed {
                return depths;
            }
        }
    }

    /// The nesting of each variant of an enumeration, as declared.
    pub(crate) fn depths_of_variants(&self, space: Space) -> Vec<Depth> {
        let depths = self.depths();
        let mut space = space;
        loop {
            match self.node(space) {
                Node::Seq(parts) if parts.len() == 1 => space = parts[0],
                Node::Alt(variants) => return variants.iter().map(|v| depths[v.0 as usize]).collect(),
                _ => return vec![depths[space.0 as usize]],
            }
        }
    }

    /// Puts alternatives into the order of their numbers: the cheapest first, the infinite ones left out.
    pub(crate) fn order(&mut self) {
        let depths = self.depths();
        for node in &mut self.nodes {
            // What can never be completed is in no list.
            if let Node::List { min: 0, max, item } = node
                && depths[item.0 as usize] == Depth::Infinite
            {
                *max = 0;
            }
            if let Node::Alt(variants) = node {
                variants.retain(|v| depths[v.0 as usize] != Depth::Infinite);
                if let Some(first) = (0..variants.len()).min_by_key(|&i| depths[variants[i].0 as usize]) {
                    let simplest = variants.remove(first);
                    variants.insert(0, simplest);
                }
            }
        }
    }

    /// Whether there is a value that can be completed.
    pub(crate) fn is_finite(&self, space: Space) -> bool {
        self.depths()[space.0 as usize] != Depth::Infinite
    }

    /// Whether some part is a generator that nothing is known about.
    pub(crate) fn is_opaque(&self, space: Space) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![space];
        while let Some(space) = open.pop() {
            if std::mem::replace(&mut seen[space.0 as usize], true) {
                continue;
            }
            match self.node(space) {
                Node::Opaque | Node::Pending => return true,
                Node::Choice { .. } | Node::Wide => {}
                Node::Seq(parts) | Node::Alt(parts) => open.extend(parts),
                Node::List { item, .. } => open.push(*item),
            }
        }
        false
    }

    /// How many values a space has; `None` if infinitely many, too many to count, or unknown.
    pub(crate) fn cardinality(&self, space: Space) -> Option<u128> {
        self.cardinality_inside(space, &mut Vec::new())
    }

    fn cardinality_inside(&self, space: Space, open: &mut Vec<Space>) -> Option<u128> {
        if open.contains(&space) {
            return None;
        }
        open.push(space);
        let of = |open: &mut Vec<Space>, space: &Space| self.cardinality_inside(*space, open);
        let count = match self.node(space) {
            Node::Pending | Node::Opaque | Node::Wide => None,
            Node::Choice { max } => Some(u128::from(*max) + 1),
            Node::Seq(parts) => {
                parts.iter().try_fold(1u128, |product, part| product.checked_mul(of(open, part)?))
            }
            Node::Alt(variants) => variants.iter().try_fold(0u128, |sum, v| sum.checked_add(of(open, v)?)),
            Node::List { min, max, item } => of(open, item).and_then(|item| {
                // Longer lists have too many values anyway, unless the element has but one.
                let lengths = *min..=*max;
                (max - min < 1000).then_some(())?;
                lengths
                    .map(|n| item.checked_pow(n.try_into().ok()?))
                    .try_fold(0u128, |sum, n| sum.checked_add(n?))
            }),
        };
        open.pop();
        count
    }
}
