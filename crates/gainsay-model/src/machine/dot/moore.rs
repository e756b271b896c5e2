//! Machines whose states have outputs, and whose edges have inputs alone: Moore machines and DFAs, as AALpy writes them.

use super::Line;
use super::graph::{Graph, Node};
use super::label;
use gainsay_core::Error;
use rustc_hash::FxHashSet;

/// What states say.
pub(super) struct Moore {
    /// The outputs of each state.
    pub(super) outputs: Vec<Vec<String>>,
    /// What each state is called.
    pub(super) names: Vec<String>,
}

/// A Moore machine or a DFA; nothing if it is another kind of machine.
pub(super) fn read(
    graph: &Graph,
    lines: &[Line<'_>],
    states: &[bool],
    has_start: bool,
) -> Result<Option<Moore>, Error> {
    let real = || graph.nodes.iter().zip(states).filter(|(_, is_state)| **is_state).map(|(node, _)| node);
    let has_slash = |line: &&Line<'_>| label::halves(&line.text).is_some();
    if lines.iter().all(|line| has_slash(&line)) {
        return Ok(None);
    }
    if let Some(line) = lines.iter().find(has_slash) {
        // (The others are told that they lack a slash, if states have no outputs.)
        return match real().all(|node| named(node).is_some()) {
            true => Err(line.edge.place.trouble(format!(
                "the label `{}` has an output, and so have the states, as `name|output`: expected an input alone, with `&#47;` \
                 for a slash in it",
                line.text.trim()
            ))),
            false => Ok(None),
        };
    }
    if real().any(|node| named(node).is_some()) {
        if let Some(mute) = real().find(|node| named(node).is_none()) {
            return Err(Error::specification(format!(
                "state `{}` has no output: expected a label like `name|output`, as other states have",
                mute.name
            )));
        }
        return Ok(Some(moore(graph, states)));
    }
    // (Without a start, a single double circle is that.)
    if !has_start || !real().any(is_accepting) {
        return Ok(None);
    }
    let outputs = graph.nodes.iter().map(|node| vec![is_accepting(node).to_string()]).collect();
    Ok(Some(Moore { outputs, names: graph.names() }))
}

fn moore(graph: &Graph, states: &[bool]) -> Moore {
    let read: Vec<Option<(String, String)>> = graph.nodes.iter().map(named).collect();
    let outputs = read.iter().map(|it| it.iter().map(|(_, output)| output.clone()).collect());
    let outputs: Vec<Vec<String>> = outputs.collect();
    let names = || read.iter().zip(&graph.nodes).map(|(it, node)| it.as_ref().map_or(&node.name, |it| &it.0));
    let mut taken = FxHashSet::default();
    let mut of_states = names().zip(states).filter(|(_, is_state)| **is_state).map(|(name, _)| name);
    let are_names = of_states.all(|name| !name.is_empty() && taken.insert(name));
    Moore {
        outputs: outputs
            .into_iter()
            .map(|outputs| outputs.into_iter().filter(|it| !it.is_empty()).collect())
            .collect(),
        names: if are_names { names().cloned().collect() } else { graph.names() },
    }
}

/// Name and output of a state whose label is `name|output`, in braces or not.
fn named(node: &Node) -> Option<(String, String)> {
    let lines = label::lines(node.attributes.label.as_ref()?);
    let label = lines.first()?.trim();
    let label = label.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(label);
    // (A name may have a bar itself.)
    let of_name = label.strip_prefix(&*node.name).and_then(|rest| rest.trim_start().strip_prefix('|'));
    let (name, output) = match of_name {
        Some(output) => (node.name.clone(), output),
        None => label.split_once('|').map(|(name, output)| (label::decoded(name), output))?,
    };
    Some((name, label::decoded(output)))
}

fn is_accepting(node: &Node) -> bool {
    node.attributes.shape.as_deref() == Some("doublecircle")
}
