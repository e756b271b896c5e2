//! The graph that a text in the DOT language describes: its nodes, its edges, and those attributes that matter for a machine.

use super::lex::{Lexer, Place, Text, Word};
use gainsay_core::Error;
use rustc_hash::FxHashMap;

/// How deep groups may be nested: reading them takes stack.
const DEPTH_MAX: usize = 100;

/// How many edges there may be: one arrow between two groups stands for all edges from one to the other.
const EDGES_MAX: usize = 500_000;

#[derive(Debug, Clone, Default)]
pub(super) struct Attributes {
    pub(super) label: Option<Text>,
    pub(super) shape: Option<String>,
    pub(super) style: Option<String>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) attributes: Attributes,
    /// Whether it has a statement of its own, and is not only the end of an edge.
    pub(super) declared: bool,
}

#[derive(Debug)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Option<Text>,
    /// Where its label is, or else its arrow.
    pub(super) place: Place,
}

/// Nodes and edges in the order in which they occur. Groups are no part of it, only what is in them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
}

impl Graph {
    /// What its nodes are called.
    pub(super) fn names(&self) -> Vec<String> {
        self.nodes.iter().map(|node| node.name.clone()).collect()
    }

    pub(super) fn read(text: &str) -> Result<Graph, Error> {
        let mut lexer = Lexer::new(text);
        let (ahead, place) = lexer.next()?;
        let mut reader = Reader {
            lexer,
            ahead,
            place,
            graph: Graph::default(),
            numbers: FxHashMap::default(),
            nodes: Attributes::default(),
            edges: Attributes::default(),
            depth: 0,
        };
        reader.takes_keyword("strict")?;
        if !reader.takes_keyword("digraph")? {
            return Err(reader.expected("`digraph`, which has edges with a direction"));
        }
        if matches!(reader.ahead, Word::Text(_)) {
            reader.text("a name")?;
        }
        reader.group()?;
        match reader.ahead {
            Word::End => Ok(reader.graph),
            _ => Err(reader.expected("the end of the text, since there is one machine in a file")),
        }
    }
}

/// Reads statements, one word ahead.
struct Reader<'a> {
    lexer: Lexer<'a>,
    ahead: Word,
    /// Where the word ahead is.
    place: Place,
    graph: Graph,
    numbers: FxHashMap<String, usize>,
    /// What new nodes have, here.
    nodes: Attributes,
    /// What new edges have, here.
    edges: Attributes,
    depth: usize,
}

impl Reader<'_> {
    fn expected(&self, what: &str) -> Error {
        self.place.trouble(format!("expected {what}, found {}", self.ahead))
    }

    fn take(&mut self) -> Result<Word, Error> {
        let (word, place) = self.lexer.next()?;
        self.place = place;
        Ok(std::mem::replace(&mut self.ahead, word))
    }

    fn takes(&mut self, word: &Word) -> Result<bool, Error> {
        let found = self.ahead == *word;
        if found {
            self.take()?;
        }
        Ok(found)
    }

    fn takes_mark(&mut self, mark: char) -> Result<bool, Error> {
        self.takes(&Word::Mark(mark))
    }

    fn takes_keyword(&mut self, keyword: &str) -> Result<bool, Error> {
        let found = self.ahead.is(keyword);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    fn text(&mut self, what: &str) -> Result<Text, Error> {
        let Word::Text(text) = self.ahead.clone() else { return Err(self.expected(what)) };
        self.take()?;
        Ok(text)
    }

    /// Statements in braces; gives the nodes in them. What new nodes and edges have is set for the group only.
    fn group(&mut self) -> Result<Vec<usize>, Error> {
        if self.depth == DEPTH_MAX {
            return Err(self
                .place
                .trouble(format!("more than {DEPTH_MAX} groups are nested here: use fewer")));
        }
        if !self.takes_mark('{')? {
            return Err(self.expected("`{`"));
        }
        self.depth += 1;
        let outside = (self.nodes.clone(), self.edges.clone());
        let mut members = Vec::new();
        while !self.takes_mark('}')? {
            self.statement(&mut members)?;
            while self.takes_mark(';')? || self.takes_mark(',')? {}
        }
        (self.nodes, self.edges) = outside;
        self.depth -= 1;
        Ok(members)
    }

    fn statement(&mut self, members: &mut Vec<usize>) -> Result<(), Error> {
        if self.takes_keyword("graph")? {
            return self.attributes(&mut Attributes::default()).map(drop);
        }
        if self.takes_keyword("node")? {
            let mut nodes = std::mem::take(&mut self.nodes);
            self.attributes(&mut nodes)?;
            self.nodes = nodes;
            return Ok(());
        }
        if self.takes_keyword("edge")? {
            let mut edges = std::mem::take(&mut self.edges);
            self.attributes(&mut edges)?;
            self.edges = edges;
            return Ok(());
        }
        if self.at_group() {
            let from = self.ends()?;
            return self.edges(from, members);
        }
        let name = self.text("a node, an edge or `}`")?;
        if self.takes_mark('=')? {
            return self.text("a value").map(drop);
        }
        let node = self.node(&name)?;
        if matches!(self.ahead, Word::Arrow | Word::Line) {
            return self.edges(vec![node], members);
        }
        members.push(node);
        let mut attributes = self.graph.nodes[node].attributes.clone();
        self.attributes(&mut attributes)?;
        self.graph.nodes[node].attributes = attributes;
        self.graph.nodes[node].declared = true;
        Ok(())
    }

    fn at_group(&self) -> bool {
        self.ahead == Word::Mark('{') || self.ahead.is("subgraph")
    }

    /// What an edge can start or end with: a node, or all nodes of a group.
    fn ends(&mut self) -> Result<Vec<usize>, Error> {
        if self.takes_keyword("subgraph")? {
            if matches!(self.ahead, Word::Text(_)) {
                self.take()?;
            }
            return self.group();
        }
        if self.at_group() {
            return self.group();
        }
        let name = self.text("a node")?;
        Ok(vec![self.node(&name)?])
    }

    /// A node by its name; the port after it does not matter.
    fn node(&mut self, name: &Text) -> Result<usize, Error> {
        while self.takes_mark(':')? {
            self.text("a port")?;
        }
        let name = name.name();
        if let Some(number) = self.numbers.get(&name) {
            return Ok(*number);
        }
        let number = self.graph.nodes.len();
        self.numbers.insert(name.clone(), number);
        self.graph.nodes.push(Node { name, attributes: self.nodes.clone(), declared: false });
        Ok(number)
    }

    /// The rest of `a -> b -> c [..]`. There may be no arrow at all, after a group.
    fn edges(&mut self, mut from: Vec<usize>, members: &mut Vec<usize>) -> Result<(), Error> {
        members.extend(&from);
        let mut edges = Vec::new();
        loop {
            let place = self.place;
            if self.ahead == Word::Line {
                return Err(self.expected("`->`, since the edges of a machine have a direction"));
            }
            if !self.takes(&Word::Arrow)? {
                break;
            }
            let to = self.ends()?;
            members.extend(&to);
            let all = self.graph.edges.len() + edges.len();
            if all.saturating_add(from.len().saturating_mul(to.len())) > EDGES_MAX {
                let (from, to) = (from.len(), to.len());
                return Err(place.trouble(format!(
                    "there are more than {EDGES_MAX} edges, with those from {from} to {to} nodes here: a machine has one for each state and input"
                )));
            }
            for from in from {
                edges.extend(to.iter().map(|to| Edge { from, to: *to, label: None, place }));
            }
            from = to;
        }
        let mut attributes = self.edges.clone();
        let label = self.attributes(&mut attributes)?;
        self.graph.edges.extend(edges.into_iter().map(|edge| Edge {
            label: attributes.label.clone(),
            place: label.unwrap_or(edge.place),
            ..edge
        }));
        Ok(())
    }

    /// Any number of lists of attributes; gives the place of the label.
    fn attributes(&mut self, attributes: &mut Attributes) -> Result<Option<Place>, Error> {
        let mut label = None;
        while self.takes_mark('[')? {
            while !self.takes_mark(']')? {
                let name = self.text("an attribute or `]`")?;
                if self.takes_mark('=')? {
                    let place = self.place;
                    let value = self.text("a value")?;
                    match name.raw.as_str() {
                        "label" => (attributes.label, label) = (Some(value), Some(place)),
                        "shape" => attributes.shape = Some(value.raw.to_ascii_lowercase()),
                        "style" => attributes.style = Some(value.raw.to_ascii_lowercase()),
                        _ => (),
                    }
                }
                while self.takes_mark(';')? || self.takes_mark(',')? {}
            }
        }
        Ok(label)
    }
}
