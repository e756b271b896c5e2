//! Machines as pictures: an SVG that needs nothing else.
//!
//! States stand in layers by their distance from the start, from left to right; each layer is a column. Between two of them is a column
//! for the labels of transitions. A line crosses a column only where a place is kept for it, so none goes through a box or a label.

mod layout;
mod order;
mod place;
mod svg;
mod text;

use super::{Finite, Table, shown};
use layout::Layout;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt::Debug;
use std::hash::Hash;

/// Nobody finds anything in a picture of more states.
const STATES_MAX: usize = 250;

impl<S, I, O> Finite<S, I, O>
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
{
    /// It as a picture, an SVG that can be put into a file or a page.
    ///
    /// All transitions from one state to another share an arrow. Long names are shortened, and so are long lists of transitions; a tooltip
    /// has them in full. Arrows that come from afar to the same state share the last part of their way. States that cannot be reached
    /// are dashed. Of more than 250 states, those nearest to the start are drawn.
    ///
    /// ```
    /// use gainsay_model::machine::{Finite, machine};
    ///
    /// let bell = machine("off", |state: &&str, _: &&str| match *state {
    ///     "off" => [("on", vec![])],
    ///     _ => [("off", vec!["ring"])],
    /// });
    /// let bell = Finite::explore(&bell, ["press"], 10)?;
    /// assert!(bell.to_svg().starts_with("<svg xmlns="));
    /// assert!(bell.to_svg().contains(">press / ring</tspan>"));
    /// # Ok::<(), gainsay_core::Error>(())
    /// ```
    pub fn to_svg(&self) -> String {
        self.to_svg_marked(&[])
    }

    /// It as a picture in which the transitions that these inputs take are marked: the way to a difference, for example. They are
    /// marked as far as they are specified.
    pub fn to_svg_marked(&self, inputs: &[I]) -> String {
        let outputs = |all: &[O]| all.iter().map(shown).collect::<Vec<_>>().join(" ");
        self.to_svg_named(|state| shown(state), |input| shown(input), outputs, inputs)
    }

    /// It as a picture, by what its states, inputs and answers are called, with the transitions that some inputs take marked.
    pub fn to_svg_named(
        &self,
        state: impl Fn(&S) -> String,
        input: impl Fn(&I) -> String,
        outputs: impl Fn(&[O]) -> String,
        marked: &[I],
    ) -> String {
        let names: Vec<String> = self.states().iter().map(state).collect();
        let inputs: Vec<String> = self.inputs().iter().map(input).collect();
        let answers: Vec<String> = self.answers().iter().map(|it| outputs(it)).collect();
        let numbers: Vec<u32> = marked.iter().map_while(|input| self.number(input)).collect();
        let marks = taken(self.table(), &numbers);
        let layers = Layers::of(self.table());
        let arrows = arrows(self.table(), &layers, &marks, |input, answer| {
            Line::new(&inputs[input as usize], &answers[answer as usize])
        });
        let left_out = names.len() - layers.drawn;
        svg::write(&names, &arrows, &Layout::of(&names, &layers, &arrows), left_out)
    }
}

/// All transitions from one state to another.
struct Arrow {
    from: usize,
    to: usize,
    /// What is marked comes first, so that it is seen.
    lines: Vec<Line>,
}

impl Arrow {
    fn is_marked(&self) -> bool {
        self.lines.iter().any(|line| line.is_marked)
    }
}

/// A transition, as it is written beside its arrow.
struct Line {
    short: String,
    full: String,
    is_marked: bool,
}

impl Line {
    fn new(input: &str, answer: &str) -> Line {
        let full = if answer.is_empty() { input.into() } else { format!("{input} / {answer}") };
        Line { short: text::shortened_step(input, answer), full, is_marked: false }
    }
}

/// How far states are from the start.
struct Layers {
    /// Nothing for a state that is not drawn.
    of: Vec<Option<usize>>,
    reached: Vec<bool>,
    drawn: usize,
}

impl Layers {
    /// What cannot be reached begins again in the first layer.
    fn of(table: &Table) -> Layers {
        let mut layers = Layers { of: vec![None; table.states()], reached: Vec::new(), drawn: 0 };
        layers.spread(table, 0);
        layers.reached = layers.of.iter().map(Option::is_some).collect();
        (1..table.states()).for_each(|state| layers.spread(table, state));
        layers
    }

    /// All states that can be reached from one, as far as there is room.
    fn spread(&mut self, table: &Table, from: usize) {
        let mut open = VecDeque::new();
        self.enter(from, 0, &mut open);
        while let Some((state, layer)) = open.pop_front() {
            for input in 0..table.inputs() as u32 {
                if let Some((next, _)) = table.step(state as u32, input) {
                    self.enter(next as usize, layer + 1, &mut open);
                }
            }
        }
    }

    fn enter(&mut self, state: usize, layer: usize, open: &mut VecDeque<(usize, usize)>) {
        if self.of[state].is_none() && self.drawn < STATES_MAX {
            self.of[state] = Some(layer);
            self.drawn += 1;
            open.push_back((state, layer));
        }
    }
}

/// The transitions that inputs take, as far as they are specified.
fn taken(table: &Table, inputs: &[u32]) -> FxHashSet<(u32, u32)> {
    let mut state = 0;
    let step = |input: &u32| {
        let from = state;
        state = table.step(state, *input)?.0;
        Some((from, *input))
    };
    inputs.iter().map_while(step).collect()
}

/// All arrows between states that are drawn, by where they come from.
fn arrows(
    table: &Table,
    layers: &Layers,
    marks: &FxHashSet<(u32, u32)>,
    line: impl Fn(u32, u32) -> Line,
) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for state in (0..table.states()).filter(|state| layers.of[*state].is_some()) {
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for input in 0..table.inputs() as u32 {
            let Some((to, answer)) = table.step(state as u32, input) else { continue };
            if layers.of[to as usize].is_none() {
                continue;
            }
            let place = *places.entry(to).or_insert_with(|| {
                arrows.push(Arrow { from: state, to: to as usize, lines: Vec::new() });
                arrows.len() - 1
            });
            let is_marked = marks.contains(&(state as u32, input));
            arrows[place].lines.push(Line { is_marked, ..line(input, answer) });
        }
    }
    for arrow in &mut arrows {
        arrow.lines.sort_by_key(|line| !line.is_marked);
    }
    arrows
}
