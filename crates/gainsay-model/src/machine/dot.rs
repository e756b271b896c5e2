//! Machines as `.dot` files: what learners of automata write, and Graphviz draws.

mod graph;
mod label;
mod lex;
mod moore;

use super::finite::Answers;
use super::{Finite, Table};
use gainsay_core::Error;
use graph::{Edge, Graph, Node};
use lex::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Debug;
use std::hash::Hash;
use std::path::Path;

impl Finite<String, String, String> {
    /// The machine that a text in the DOT language describes.
    ///
    /// - Labels of edges are `input / output`; several transitions are several lines. No output is no answer.
    /// - Or each label is `?input` or `!output`; then an answer is all outputs up to the next state without any.
    /// - Or each label is an input alone, and the outputs are those of states: of the state that an input leads to, the part of its
    ///   label after `|` (a Moore machine, whose states are called like the part before it); or `true` if that is a `doublecircle`,
    ///   else `false` (a DFA).
    /// - It starts where an edge without label leads to, from a node that is only there for that; else in the only
    ///   `doublecircle`, else in the first state.
    ///
    /// ```
    /// use gainsay_model::machine::Finite;
    ///
    /// let bell = r#"digraph { off -> on [label="press / -"]; on -> off [label="press / ring"]; start -> off }"#;
    /// let bell = Finite::from_dot(bell)?;
    /// assert_eq!(bell.states(), ["off", "on"]);
    /// # Ok::<(), gainsay_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is no graph in the DOT language, or not one of a deterministic machine. The error says where.
    pub fn from_dot(text: &str) -> Result<Self, Error> {
        let graph = Graph::read(text)?;
        let (labelled, blank): (Vec<_>, Vec<_>) = graph
            .edges
            .iter()
            .map(|edge| (edge, edge.label.as_ref().map(label::lines).unwrap_or_default()))
            .partition(|(_, lines)| !lines.is_empty());
        let lines: Vec<Line> = labelled
            .into_iter()
            .flat_map(|(edge, lines)| lines.into_iter().map(move |text| Line { edge, text }))
            .collect();
        let blank: Vec<&Edge> = blank.into_iter().map(|(edge, _)| edge).collect();
        let mut states = real_states(&graph, &lines, &blank)?;
        let start = start(&graph, &states, &blank)?;
        let mut names = graph.names();
        let steps = if is_alternating(&lines) {
            let steps = folded(&graph, &lines, start)?;
            states = reached(&steps, start, states.len());
            steps
        } else if let Some(moore) = moore::read(&graph, &lines, &states, !blank.is_empty())? {
            names = moore.names;
            lines.iter().map(|line| line.step_to(&moore.outputs)).collect()
        } else {
            lines.iter().map(Line::step).collect::<Result<_, _>>()?
        };
        numbered(&graph, &names, &states, start, &steps)
    }

    /// The machine in a `.dot` file: see [`from_dot`](Finite::from_dot).
    ///
    /// # Errors
    /// If the file cannot be read, or what is in it. The error names the file.
    pub fn read_dot(path: &Path) -> Result<Self, Error> {
        let text = gainsay_core::read_text(path)
            .map_err(|error| Error::specification(format!("failed to read `{}`: {error}", path.display())))?;
        Finite::from_dot(&text)
            .map_err(|error| Error::specification(format!("`{}`: {error}", path.display())))
    }

    /// It as a text in the DOT language: see [`to_dot`](Finite::to_dot). Several outputs are separated by blanks, and are one when
    /// they are read again.
    pub fn to_dot_text(&self) -> String {
        self.to_dot(Clone::clone, Clone::clone, |outputs| outputs.join(" "))
    }
}

impl<S, I, O> Finite<S, I, O>
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
{
    /// It as a text in the DOT language, by what its states, inputs and answers are called. Different inputs should be called differently;
    /// of states that are called alike, the later ones get a `'`. Inputs that are nowhere specified are left out.
    pub fn to_dot(
        &self,
        state: impl Fn(&S) -> String,
        input: impl Fn(&I) -> String,
        outputs: impl Fn(&[O]) -> String,
    ) -> String {
        let mut taken = FxHashSet::default();
        let names: Vec<String> = self.states().iter().map(|it| free(state(it), &mut taken)).collect();
        let ids: Vec<String> = names.iter().map(|name| label::quoted(name)).collect();
        let start = label::quoted(&free("__start0".into(), &mut taken));
        let inputs: Vec<String> = self.inputs().iter().map(|it| label::encoded_input(&input(it))).collect();
        let answers: Vec<String> = self.answers().iter().map(|it| label::encoded(&outputs(it))).collect();
        let mut text = format!("digraph g {{\n{start} [label=\"\" shape=\"none\"];\n\n");
        for (id, name) in ids.iter().zip(&names) {
            text += &format!("\t{id} [shape=\"circle\" label=\"{}\"];\n", label::encoded(name));
        }
        for (from, by, to, answer) in ordered(self.table()) {
            let (from, to) = (&ids[from as usize], &ids[to as usize]);
            let (input, answer) = (&inputs[by as usize], &answers[answer as usize]);
            text += &format!("\t{from} -> {to} [label=\"{input} / {answer}\"];\n");
        }
        text + &format!("\n{start} -> {};\n}}\n", ids[0])
    }
}

/// A name that is not taken, like this one.
fn free(mut name: String, taken: &mut FxHashSet<String>) -> String {
    while !taken.insert(name.clone()) {
        name.push('\'');
    }
    name
}

/// Transitions by their states; unless inputs would then first occur in another order, which would give them other numbers.
fn ordered(table: &Table) -> Vec<(u32, u32, u32, u32)> {
    let mut all = Vec::new();
    let mut seen = FxHashSet::default();
    let mut news = Vec::new();
    for state in 0..table.states() as u32 {
        for input in 0..table.inputs() as u32 {
            let Some((to, answer)) = table.step(state, input) else { continue };
            all.push((state, input, to, answer));
            if seen.insert(input) {
                news.push(input);
            }
        }
    }
    if !news.is_sorted() {
        all.sort_by_key(|(_, input, ..)| *input);
    }
    all
}

/// A line of the label of an edge.
struct Line<'a> {
    edge: &'a Edge,
    text: String,
}

impl Line<'_> {
    /// It as `input / output`.
    fn step(&self) -> Result<Step, Error> {
        let Edge { from, to, place, .. } = *self.edge;
        let (input, output) = label::halves(&self.text).ok_or_else(|| {
            place.trouble(format!(
                "the label `{}` has no `/`: expected `input / output`, or `?input` or `!output` for all edges; or inputs alone \
                 for all edges, with a start and accepting states that are a `doublecircle` (a DFA), or with states that \
                 are labelled `name|output` (a Moore machine)",
                self.text.trim()
            ))
        })?;
        let outputs = if output.is_empty() { vec![] } else { vec![output] };
        Ok(Step { from, input, outputs, to, place })
    }

    /// It as an input, answered by the state that it leads to.
    fn step_to(&self, outputs: &[Vec<String>]) -> Step {
        let Edge { from, to, place, .. } = *self.edge;
        Step { from, input: label::decoded(self.text.trim()), outputs: outputs[to].clone(), to, place }
    }

    fn is_marked(&self, mark: char) -> bool {
        self.text.trim_start().starts_with(mark)
    }

    /// What is after its `?` or `!`.
    fn name(&self) -> String {
        label::decoded(self.text.trim_start().get(1..).unwrap_or_default())
    }
}

/// A transition, between nodes.
struct Step {
    from: usize,
    input: String,
    outputs: Vec<String>,
    to: usize,
    place: Place,
}

/// Whether each edge is an input or an output. (Where all are `?input / !output`, these are only names.)
fn is_alternating(lines: &[Line<'_>]) -> bool {
    let marked = lines.iter().all(|line| line.is_marked('?') || line.is_marked('!'));
    marked && lines.iter().any(|line| line.is_marked('!') || !line.text.contains('/'))
}

/// Which nodes are states, and not there for marking the start, or as a remark.
fn real_states(graph: &Graph, lines: &[Line<'_>], blank: &[&Edge]) -> Result<Vec<bool>, Error> {
    let mut inner = vec![false; graph.nodes.len()];
    graph.edges.iter().for_each(|edge| inner[edge.to] = true);
    lines.iter().for_each(|line| inner[line.edge.from] = true);
    let mut real: Vec<bool> =
        graph.nodes.iter().enumerate().map(|(node, it)| inner[node] || !is_hidden(it)).collect();
    for edge in blank {
        let from = &graph.nodes[edge.from];
        if inner[edge.from] || !is_mark(from) {
            return Err(edge.place.trouble(format!(
                "the edge from `{}` to `{}` has no label: expected `input / output`",
                from.name, graph.nodes[edge.to].name
            )));
        }
        real[edge.from] = false;
    }
    Ok(real)
}

/// Whether no state is drawn for a node.
fn is_hidden(node: &Node) -> bool {
    let shape = node.attributes.shape.as_deref();
    let style = node.attributes.style.as_deref();
    matches!(shape, Some("none" | "point" | "plaintext" | "plain"))
        || style.is_some_and(|style| style.contains("invis"))
}

/// Whether a node looks like one that only marks the start.
fn is_mark(node: &Node) -> bool {
    let name = node.name.trim_start_matches('_').to_ascii_lowercase();
    let named = name.is_empty() || ["start", "init", "entry"].iter().any(|prefix| name.starts_with(prefix));
    let unlabelled = node.attributes.label.as_ref().is_some_and(|label| label::lines(label).is_empty());
    is_hidden(node) || unlabelled || named || !node.declared
}

/// The state to start in.
fn start(graph: &Graph, states: &[bool], blank: &[&Edge]) -> Result<usize, Error> {
    if let Some(first) = blank.first() {
        if let Some(other) = blank.iter().find(|edge| edge.to != first.to) {
            return Err(other.place.trouble(format!(
                "the machine starts in `{}` here, and in `{}` in line {}: remove one of the two",
                graph.nodes[other.to].name, graph.nodes[first.to].name, first.place.line
            )));
        }
        return Ok(first.to);
    }
    let doubled = |state: &usize| graph.nodes[*state].attributes.shape.as_deref() == Some("doublecircle");
    let real = || (0..states.len()).filter(|node| states[*node]);
    let mut doubles = real().filter(doubled);
    match (doubles.next(), doubles.next()) {
        (Some(only), None) => Ok(only),
        _ => real().next().ok_or_else(|| {
            Error::specification(
                "there is no state: expected edges like `s0 -> s1 [label=\"input / output\"];`",
            )
        }),
    }
}

/// Transitions of a machine whose edges are inputs or outputs: each input with all outputs after it.
fn folded(graph: &Graph, lines: &[Line<'_>], start: usize) -> Result<Vec<Step>, Error> {
    let (outputs, inputs): (Vec<&Line<'_>>, Vec<_>) = lines.iter().partition(|line| line.is_marked('!'));
    let mut given: Vec<Option<&Line<'_>>> = vec![None; graph.nodes.len()];
    for line in outputs {
        let place = &mut given[line.edge.from];
        if let Some(other) = *place
            && (other.edge.to, other.name()) != (line.edge.to, line.name())
        {
            return Err(line.edge.place.trouble(format!(
                "the machine is not deterministic: state `{}` gives `!{}` here, and `!{}` in line {}",
                graph.nodes[line.edge.from].name,
                line.name(),
                other.name(),
                other.edge.place.line
            )));
        }
        *place = Some(line);
    }
    if let Some(line) = given[start] {
        return Err(line.edge.place.trouble(format!(
            "the machine starts in state `{}`, which gives `!{}` before it takes an input: start where it waits for one",
            graph.nodes[start].name,
            line.name()
        )));
    }
    inputs.into_iter().map(|line| answered(graph, line, &given)).collect()
}

/// An input with all outputs after it.
fn answered(graph: &Graph, line: &Line<'_>, given: &[Option<&Line<'_>>]) -> Result<Step, Error> {
    let Edge { from, mut to, place, .. } = *line.edge;
    if let Some(output) = given[from] {
        return Err(place.trouble(format!(
            "state `{}` takes `?{}` here, but gives `!{}` in line {}: expected either inputs or one output",
            graph.nodes[from].name,
            line.name(),
            output.name(),
            output.edge.place.line
        )));
    }
    let mut outputs = Vec::new();
    while let Some(output) = given[to] {
        if outputs.len() == graph.nodes.len() {
            return Err(output.edge.place.trouble(format!(
                "state `{}` is on a cycle of outputs, which never ends after `?{}` in line {}",
                graph.nodes[to].name,
                line.name(),
                place.line
            )));
        }
        outputs.push(output.name());
        to = output.edge.to;
    }
    Ok(Step { from, input: line.name(), outputs, to, place })
}

/// Which nodes transitions lead to.
fn reached(steps: &[Step], start: usize, nodes: usize) -> Vec<bool> {
    let mut after = vec![Vec::new(); nodes];
    steps.iter().for_each(|step| after[step.from].push(step.to));
    let mut reached = vec![false; nodes];
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(&after[node]);
        }
    }
    reached
}

/// The machine, with the start first, and everything else in the order in which it occurs.
fn numbered(
    graph: &Graph,
    names: &[String],
    states: &[bool],
    start: usize,
    steps: &[Step],
) -> Result<Finite<String, String, String>, Error> {
    let others = (0..states.len()).filter(|node| states[*node] && *node != start);
    let nodes: Vec<usize> = std::iter::once(start).chain(others).collect();
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut inputs = Vec::new();
    let mut cells: FxHashMap<(usize, usize), &Step> = FxHashMap::default();
    for step in steps.iter().filter(|step| states[step.from]) {
        let input = *numbers.entry(&step.input).or_insert_with(|| {
            inputs.push(step.input.clone());
            inputs.len() - 1
        });
        let first = *cells.entry((step.from, input)).or_insert(step);
        if (first.to, &first.outputs) != (step.to, &step.outputs) {
            return Err(ambiguous(graph, first, step));
        }
    }
    if inputs.is_empty() {
        return Err(Error::specification(
            "there is no input: expected edges like `s0 -> s1 [label=\"input / output\"];`",
        ));
    }
    let mut places = vec![0; states.len()];
    nodes.iter().enumerate().for_each(|(place, node)| places[*node] = place as u32);
    let mut table = Table::new(nodes.len(), inputs.len());
    let mut answers = Answers::default();
    for (state, node) in nodes.iter().enumerate() {
        for input in 0..inputs.len() {
            if let Some(step) = cells.get(&(*node, input)) {
                let answer = answers.number(&step.outputs);
                table.set(state as u32, input as u32, places[step.to], answer);
            }
        }
    }
    let names = nodes.into_iter().map(|node| names[node].clone()).collect();
    Ok(Finite::new(table, names, inputs, answers.all))
}

/// That an input leads to two things.
fn ambiguous(graph: &Graph, first: &Step, second: &Step) -> Error {
    let told = |step: &Step| format!("`{}` with {:?}", graph.nodes[step.to].name, step.outputs);
    second.place.trouble(format!(
        "the machine is not deterministic: in state `{}`, `{}` leads to {} here, and to {} in line {}: remove one of the two",
        graph.nodes[second.from].name,
        second.input,
        told(second),
        told(first),
        first.place.line
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::machine;

    type Plain = Finite<String, String, String>;

    fn read(text: &str) -> Plain {
        Plain::from_dot(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The states, and each transition in a line.
    fn told(text: &str) -> String {
        let machine = read(text);
        let mut told = machine.states().join(" ");
        for state in 0..machine.table().states() as u32 {
            for input in 0..machine.table().inputs() as u32 {
                if let Some((to, answer)) = machine.table().step(state, input) {
                    let names = machine.states();
                    let (from, to) = (&names[state as usize], &names[to as usize]);
                    let (input, answer) =
                        (&machine.inputs()[input as usize], &machine.answers()[answer as usize]);
                    told += &format!("\n{from} {input} {answer:?} {to}");
                }
            }
        }
        told
    }

    fn trouble(text: &str) -> String {
        Plain::from_dot(text).map_or_else(|error| error.to_string(), |machine| panic!("{machine:?}"))
    }

    /// As LearnLib writes it, with most of what the language has.
    const LEARNED: &str = r#"/* learned */ strict digraph "g" {
# 1 "g"
__start0 [label="" shape="none"];
	s0 [shape="circle" label="s0"]; // one
	s1 [shape="circle" label="1"];
	s0 -> s1 [label="a / x&lt;1&gt;"];
	s0:n -> s0 [label="b/c" + "d\\\"", color=red; style="bold"] [penwidth=2];
	s1 -> s0 [label=<<table border="0"><tr><td>a</td><td>/</td><td>-</td></tr></table>>];
	subgraph cluster_0 { rank=same edge [label="b / "]; s1 -> s1 }
__start0 -> s0;
}
"#;

    const LEARNED_TOLD: &str =
        "s0 s1\ns0 a [\"x<1>\"] s1\ns0 b [\"cd\\\\\\\"\"] s0\ns1 a [\"-\"] s0\ns1 b [] s1";

    #[test]
    fn a_learned_machine_is_read() {
        assert_eq!(told(LEARNED), LEARNED_TOLD);
        assert_eq!(told(&format!("\u{feff}{}", LEARNED.replace('\n', "\r\n"))), LEARNED_TOLD);
    }

    #[test]
    fn the_start_is_found() {
        let edges = r#"a -> b [label="i/0"]; b -> a [label="i/1"]"#;
        let first = |before: &str, after: &str| {
            read(&format!("digraph {{ {before}; {edges} {after} }}")).states().join(" ")
        };
        assert_eq!(first("a", ""), "a b");
        assert_eq!(first("b", ""), "b a");
        assert_eq!(first("b [shape=doublecircle]", ""), "b a");
        assert_eq!(first("a [shape=doublecircle]; b [shape=doublecircle]", ""), "a b");
        assert_eq!(first("a [shape=doublecircle]", "__start0 -> b"), "b a");
        assert_eq!(first("x [label=\"\"]; a", "x -> b [label=\"\"]"), "b a");
        assert_eq!(first("{ node [shape=point] x } a", "x -> b [label=\" \"]"), "b a");
        assert_eq!(first("INIT [shape=Plaintext, label=start]", "INIT -> b"), "b a");
        assert_eq!(first("\"\" [style=invis]", "\"\" -> b; \"\" -> b"), "b a");
        assert_eq!(first("__start0 [label=\"\" shape=none]; legend [shape=none label=\"i/o\"]", ""), "a b");
    }

    #[test]
    fn labels_are_read() {
        let label = |label: &str| told(&format!("digraph {{ s -> s [label={label}] }}")).replace('\n', ";");
        assert_eq!(label(r#""a/0\nb / 1\lc/\r""#), r#"s;s a ["0"] s;s b ["1"] s;s c [] s"#);
        assert_eq!(label("\"a/0\nb/1\""), r#"s;s a ["0"] s;s b ["1"] s"#);
        assert_eq!(label(r#""x/y / z/ / u""#), r#"s;s x/y ["z/ / u"] s"#);
        assert_eq!(label(r#""x/y/z""#), r#"s;s x ["y/z"] s"#);
        assert_eq!(label(r#""?a / !b""#), r#"s;s ?a ["!b"] s"#);
        assert_eq!(
            label(r#""&#65;&#x42;&amp;lt;&none;& / &quot;&#39;&gt;""#),
            r#"s;s AB&lt;&none;& ["\"'>"] s"#
        );
        assert_eq!(
            label("<<!-- > --><B>a</B>b&nbsp;/ &lt;i&gt;<BR />c/d>"),
            r#"s;s ab ["<i>"] s;s c ["d"] s"#
        );
        assert_eq!(label("\"a\\\n/0\""), r#"s;s a ["0"] s"#);
    }

    #[test]
    fn groups_chains_and_numbers_are_read() {
        let text = r#"DiGraph 7 { Graph [rankdir=LR,]; EDGE [label="i/o"] 0 -> -1.5 -> {x é} ; x -> é:p:ne, é -> 0 }"#;
        assert!(trouble(text).contains("in state `-1.5`, `i` leads to `é`"));
        let text = text.replace("x é", "{ x }");
        assert_eq!(
            told(&text),
            "0 -1.5 x é\n0 i [\"o\"] -1.5\n-1.5 i [\"o\"] x\nx i [\"o\"] é\né i [\"o\"] 0"
        );
        // (An edge within a group keeps its own label, and one that is there twice counts once.)
        let text = r#"digraph { a -> { b -> b [label="j/p"] } [label="i/o"]; a -> b [label="i / o"] }"#;
        assert_eq!(told(text), "a b\na i [\"o\"] b\nb j [\"p\"] b");
    }

    /// As AALpy writes them: the label of a state is `name|output`.
    #[test]
    fn states_of_moore_machines_are_called_like_the_first_part_of_their_label() {
        let lamp = |off: &str, on: &str| {
            told(&format!(
                "digraph {{ {off}, shape=record, style=rounded]; {on}, shape=record, style=rounded]; s0 -> s1 [label=\"press\"]; \
                 s1 -> s0 [label=\"press\"]; s1 -> s1 [label=\"a&#47;b\"]; __start0 [shape=none, label=\"\"]; __start0 -> s0 [label=\"\"]; }}"
            ))
        };
        let by_ids = "s0 s1\ns0 press [\"light\"] s1\ns1 press [] s0\ns1 a/b [\"light\"] s1";
        assert_eq!(lamp("s0 [label=\"s0|\"", "s1 [label=\"s1|light\""), by_ids);
        let by_labels = by_ids.replace("s0", "off").replace("s1", "on");
        assert_eq!(lamp("s0 [label=\"{off|}\"", "s1 [label=\"on | light\""), by_labels);
        // Names that are no names are not taken; and those of nodes may have a bar.
        assert_eq!(lamp("s0 [label=\"q|\"", "s1 [label=\"q|light\""), by_ids);
        assert_eq!(lamp("s0 [label=\"|\"", "s1 [label=\"|light\""), by_ids);
        let barred = "digraph { \"q|1\" [label=\"q|1|True\"]; \"q|1\" -> \"q|1\" [label=\"i\"] }";
        assert_eq!(told(barred), "q|1\nq|1 i [\"True\"] q|1");
    }

    #[test]
    fn inputs_and_outputs_are_folded() {
        let text = r#"digraph { 0 -> 1 [label="?a"]; 1 -> 2 [label="!x"]; 2 -> 3 [label="! y/z"]; 3 -> 0 [label="?b"];
            3 -> 2 [label="?a"]; 9 -> 9 [label="?c"]; }"#;
        assert_eq!(told(text), "0 3\n0 a [\"x\", \"y/z\"] 3\n3 a [\"y/z\"] 3\n3 b [] 0");
    }

    #[test]
    fn troubles_are_told_with_their_place() {
        for (text, expected) in [
            (
                "",
                "line 1, column 1: expected `digraph`, which has edges with a direction, found the end of the text",
            ),
            (
                "graph {",
                "line 1, column 1: expected `digraph`, which has edges with a direction, found `graph`",
            ),
            ("digraph {\r\n  a -> ", "line 2, column 8: expected a node, found the end of the text"),
            ("digraph { é [label=x }", "line 1, column 22: expected an attribute or `]`, found `}`"),
            (
                "digraph { a -- b }",
                "line 1, column 13: expected `->`, since the edges of a machine have a direction, found `--`",
            ),
            (
                "digraph { a } }",
                "line 1, column 15: expected the end of the text, since there is one machine in a file, found `}`",
            ),
            ("digraph {\n\"a", "line 2, column 1: this string has no end: expected another `\"`"),
            ("digraph { a = \"a\" + b }", "line 1, column 21: expected another string in quotes after `+`"),
            (
                "digraph { a [label=<<b>] }",
                "line 1, column 20: this label has no end: expected as many `>` as `<`",
            ),
            ("digraph { /* }", "line 1, column 11: this comment has no end: expected `*/`"),
            (
                "digraph { a # b\n }",
                "line 1, column 13: '#' has no meaning here: names that are not only letters, digits and `_` must be in quotes",
            ),
            ("digraph {}", "there is no state: expected edges like `s0 -> s1 [label=\"input / output\"];`"),
            (
                "digraph { a }",
                "there is no input: expected edges like `s0 -> s1 [label=\"input / output\"];`",
            ),
            (
                "digraph { a -> b [label=c] }",
                "line 1, column 25: the label `c` has no `/`: expected `input / output`, or `?input` or `!output` for all edges; \
                 or inputs alone for all edges, with a start and accepting states that are a `doublecircle` (a DFA), or with \
                 states that are labelled `name|output` (a Moore machine)",
            ),
            (
                "digraph { a [label=\"a|x\"]; a -> a [label=c]; a -> a [label=\"d/e\"] }",
                "line 1, column 60: the label `d/e` has an output, and so have the states, as `name|output`: expected an input \
                 alone, with `&#47;` for a slash in it",
            ),
            (
                "digraph { a [label=\"a|x\"]; b [label=b]; a -> b [label=c] }",
                "state `b` has no output: expected a label like `name|output`, as other states have",
            ),
            (
                "digraph { a -> a }",
                "line 1, column 13: the edge from `a` to `a` has no label: expected `input / output`",
            ),
            (
                "digraph { s -> a; s\n-> b }",
                "line 2, column 1: the machine starts in `b` here, and in `a` in line 1: remove one of the two",
            ),
            (
                "digraph { a -> b [label=\"i/o\"]\na -> b [label=\"i/\"] }",
                "line 2, column 15: the machine is not deterministic: in state `a`, `i` leads to `b` \
                 with [] here, and to `b` with [\"o\"] in line 1: remove one of the two",
            ),
            (
                "digraph { a -> b [label=\"?i\"]\nb -> a [label=\"!x\"] b -> b [label=\"!x\"] }",
                "line 2, column 35: the machine is not deterministic: state `b` gives `!x` here, and `!x` in line 2",
            ),
            (
                "digraph { a -> b [label=\"?i\"]\nb -> b [label=\"!x\"] }",
                "line 2, column 15: state `b` is on a cycle of outputs, which never ends after `?i` in line 1",
            ),
            (
                "digraph { a -> b [label=\"?i\"]\nb -> a [label=\"!x\"] b -> b [label=\"?i\"] }",
                "line 2, column 35: state `b` takes `?i` here, but gives `!x` in line 2: expected either inputs or one output",
            ),
            (
                "digraph { a -> b [label=\"!x\"] }",
                "line 1, column 25: the machine starts in state `a`, which gives `!x` before it takes an input: start where it waits for one",
            ),
        ] {
            assert_eq!(trouble(text), expected, "{text}");
        }
        let deep = format!("digraph {}", "{".repeat(100_000));
        assert_eq!(trouble(&deep), "line 1, column 109: more than 100 groups are nested here: use fewer");
    }

    #[test]
    fn groups_of_many_nodes_do_not_make_more_edges_than_there_is_room_for() {
        let group = |letter: char| (0..3000).map(|n| format!("{letter}{n} ")).collect::<String>();
        let text = format!("digraph {{ {{{}}} -> {{{}}} [label=\"i/o\"] }}", group('a'), group('b'));
        let told = trouble(&text);
        assert!(
            told.contains("there are more than 500000 edges, with those from 3000 to 3000 nodes here"),
            "{told}"
        );
        // The same by many small steps.
        let told = trouble(&format!(
            "digraph {{ {{{}}} {} }}",
            group('a'),
            "-> {b0 b1 b2} -> {a0 a1 a2 a3 a4 a5}".repeat(30_000)
        ));
        assert!(told.contains("there are more than 500000 edges"), "{told}");
    }

    #[test]
    fn a_file_is_named_in_its_trouble() {
        let path = std::env::temp_dir().join(format!("gainsay-dot-{}.dot", std::process::id()));
        let failed = || Plain::read_dot(&path).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(failed().starts_with(&format!("failed to read `{}`: ", path.display())));
        std::fs::write(&path, "digraph { a }").expect("a file can be written");
        assert!(failed().starts_with(&format!("`{}`: there is no input", path.display())));
        std::fs::write(&path, LEARNED).expect("a file can be written");
        assert_eq!(failed(), "");
        std::fs::remove_file(&path).expect("the file is there");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let names =
            ["__start0", "", " a\"\\", "\\", "!/ / /", "?&amp;\n\r", "\u{a0}é\t", "start", "node", "\\N'"];
        let name = |number: usize| String::from(names[number % 10]);
        // Each state takes an input fewer, the first one not the first input, and the last one none.
        let odd = machine(0usize, |state: &usize, input: &String| {
            let number = names.iter().position(|name| name == input).unwrap_or_default();
            let answer = if number == 1 { vec![] } else { vec![name(number)] };
            (*state < 9 && number != *state).then(|| ((state + 1 + number * 2) % 10, answer))
        });
        let odd = Finite::explore(&odd, (0..10).map(name), 10).unwrap_or_else(|error| panic!("{error}"));
        let text = odd.to_dot(|state| name(*state), Clone::clone, |outputs| outputs.join(" "));
        let again = read(&text);
        assert_eq!(again.table(), odd.table(), "{text}");
        assert_eq!(again.states(), odd.states().iter().map(|state| name(*state)).collect::<Vec<_>>());
        assert_eq!((again.inputs(), again.answers()), (odd.inputs(), odd.answers()));
        assert_eq!(again.difference(&odd), None);
        assert_eq!(again.to_dot_text(), text);
        assert_eq!(read(&odd.to_dot(|_| "s".into(), Clone::clone, |it| it.concat())).table(), odd.table());
        assert_eq!(read(&read(LEARNED).to_dot_text()).difference(&read(LEARNED)), None);
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let folded = r#"digraph { 0 -> 1 [label="?é"]; 1 -> 2 [label="!x\n"]; subgraph { 2 } -> 0 [label=<?b<br/>>]; }"#;
        for text in [LEARNED, folded] {
            for (at, char) in text.char_indices() {
                let _ = Plain::from_dot(&text[..at]);
                let _ = Plain::from_dot(&text[at..]);
                let _ = Plain::from_dot(&format!("{}{}", &text[..at], &text[at + char.len_utf8()..]));
            }
        }
    }
}
