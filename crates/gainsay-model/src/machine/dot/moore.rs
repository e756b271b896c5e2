//! Machines whose states have outputs, and whose edges have inputs alone: Moore machines and DFAs, as AALpy writes them.

use super::Line;
use super::graph::{Graph, Node};
use super::label;

/// The outputs of each state; nothing if it is another kind of machine.
pub(super) fn outputs(
    graph: &Graph,
    lines: &[Line<'_>],
    states: &[bool],
    has_start: bool,
) -> Option<Vec<Vec<String>>> {
    if lines.is_empty() || lines.iter().any(|line| label::halves(&line.text).is_some()) {
        return None;
    }
    let real = || graph.nodes.iter().zip(states).filter(|(_, is_state)| **is_state).map(|(node, _)| node);
    if real().all(|node| output(node).is_some()) {
        let outputs_of = |node: &Node| output(node).filter(|output| !output.is_empty()).into_iter().collect();
        return Some(graph.nodes.iter().map(outputs_of).collect());
    }
    // (Without a start, a single double circle is that.)
    if !has_start || !real().any(is_accepting) {
        return None;
    }
    Some(graph.nodes.iter().map(|node| vec![is_accepting(node).to_string()]).collect())
}

/// What is after the `|` of its label.
fn output(node: &Node) -> Option<String> {
    let lines = label::lines(node.attributes.label.as_ref()?);
    let (_, output) = lines.first()?.split_once('|')?;
    Some(label::decoded(output.trim()))
}

fn is_accepting(node: &Node) -> bool {
    node.attributes.shape.as_deref() == Some("doublecircle")
}
