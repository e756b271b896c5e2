//! Complete suites: tests that tell an implementation from every other with no more states than assumed.

use super::Table;
use super::separate::Separators;
use super::tree::{Node, ROOT, Tree};
use gainsay_core::{Error, plural};
use std::fmt;

/// How the tests of a complete suite are put together. All of them find the same implementations wrong; they differ in length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// After every transition, all inputs that tell any two states apart.
    W,
    /// The same after every state; after the other transitions, inputs that tell the state reached from all others.
    Wp,
    /// After every transition, inputs that tell the state reached from all others, chosen such that any two states have some in common.
    Hsi,
    /// For any two states reached, inputs that tell them apart, chosen such that they lengthen the tests least.
    H,
    /// The same, where what follows a sequence may be tested after any other that has been shown to lead to the same state.
    Spyh,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] = [Method::W, Method::Wp, Method::Hsi, Method::H, Method::Spyh];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::W => "W",
            Method::Wp => "Wp",
            Method::Hsi => "HSI",
            Method::H => "H",
            Method::Spyh => "SPYH",
        })
    }
}

/// So many more states may be assumed.
const EXTRA_MAX: usize = 1000;

/// Tests of inputs: none is the beginning of another.
#[derive(Debug)]
pub struct Suite {
    tree: Tree,
    /// The last inputs of the tests, those of short ones first.
    ends: Vec<(u32, Node)>,
}

impl Suite {
    /// So many inputs a suite has at most, unless somebody says otherwise.
    pub const STEPS_MAX: usize = 200_000_000;

    /// A suite that finds every implementation wrong that is, has at most `extra` states more than the specification, answers alike
    /// whenever it is asked alike, and starts anew when it is told to. `table` must be minimal.
    ///
    /// # Errors
    /// If the specification has states that cannot be reached or told apart, if a method needs a complete one, or if the suite would be too
    /// long.
    pub fn complete(table: &Table, method: Method, extra: usize) -> Result<Suite, Error> {
        Suite::complete_within(table, method, extra, Suite::STEPS_MAX)
    }

    /// Like [`complete`](Suite::complete), with so many inputs at most.
    ///
    /// # Errors
    /// The same, as soon as there are more inputs.
    pub fn complete_within(
        table: &Table,
        method: Method,
        extra: usize,
        steps_max: usize,
    ) -> Result<Suite, Error> {
        let number = |number: u32| number.to_string();
        Suite::named(table, method, extra, steps_max, &number, &number)
    }

    /// The same, with names for states and inputs.
    pub(super) fn named(
        table: &Table,
        method: Method,
        extra: usize,
        steps_max: usize,
        state_name: &dyn Fn(u32) -> String,
        input_name: &dyn Fn(u32) -> String,
    ) -> Result<Suite, Error> {
        if extra > EXTRA_MAX {
            return Err(Error::specification(format!(
                "a suite for {extra} more states would be too long: assume at most {EXTRA_MAX}"
            )));
        }
        if matches!(method, Method::W | Method::Wp)
            && let Some((state, input)) = table.hole()
        {
            return Err(Error::specification(format!(
                "{method} needs a complete specification, and nothing is specified for input {} in state {}: \
                 use HSI, H or SPYH, or specify it",
                input_name(input),
                state_name(state)
            )));
        }
        let access = table.access();
        if let Some(state) = access.iter().position(Option::is_none) {
            let state = state_name(state as u32);
            return Err(Error::specification(format!("state {state} cannot be reached: leave it out")));
        }
        let cover: Vec<Vec<u32>> = access.into_iter().flatten().collect();
        let separators = Separators::new(table);
        if let Some((one, two)) = separators.twins() {
            let (one, two) = (state_name(one), state_name(two));
            return Err(Error::specification(format!(
                "states {one} and {two} answer alike to all inputs specified in both: {method} needs a minimal specification"
            )));
        }
        // (No method has fewer tests than there are transitions.)
        let forecast = (table.inputs() as f64).powi(extra as i32) * table.transitions() as f64;
        let mut building = Building { table, tree: Tree::new(table.inputs()), longest: extra + 1, steps_max };
        if forecast > steps_max as f64 {
            return Err(too_long(method, extra, steps_max));
        }
        match method {
            Method::W => {
                let set = separators.set();
                building.each_after(&cover, |tree, node, _, _| {
                    set.iter().for_each(|inputs| _ = tree.add(node, inputs));
                });
            }
            Method::Wp => {
                let set = separators.set();
                let of_each = separators.of_each_state(&set);
                building.each_after(&cover, |tree, node, state, length| {
                    let inputs = if length <= extra { &set } else { &of_each[state as usize] };
                    inputs.iter().for_each(|inputs| _ = tree.add(node, inputs));
                });
            }
            Method::Hsi => {
                let of_each = separators.harmonised();
                building.each_after(&cover, |tree, node, state, _| {
                    of_each[state as usize].iter().for_each(|inputs| _ = tree.add(node, inputs));
                });
            }
            Method::H => super::pairs::add(&mut building, &cover, &separators),
            Method::Spyh => super::spyh::add(&mut building, &cover, &separators),
        }
        match building.is_full() {
            true => Err(too_long(method, extra, steps_max)),
            false => Ok(Suite::of(building.tree)),
        }
    }

    /// These tests, without those that are the beginning of others.
    pub fn given<'a>(tests: impl IntoIterator<Item = &'a [u32]>) -> Suite {
        let mut tree = Tree::new(0);
        tests.into_iter().for_each(|inputs| _ = tree.add(ROOT, inputs));
        Suite::of(tree)
    }

    /// These tests in their order, and all of them.
    pub(super) fn in_order(tests: &[Vec<u32>]) -> Suite {
        let mut tree = Tree::new(0);
        let ends = tests.iter().map(|inputs| (inputs.len() as u32, tree.add(ROOT, inputs))).collect();
        Suite { tree, ends }
    }

    fn of(tree: Tree) -> Suite {
        let mut ends = tree.ends();
        ends.sort_by_key(|(depth, _)| *depth);
        Suite { tree, ends }
    }

    /// How many tests there are.
    pub fn tests(&self) -> usize {
        self.ends.len()
    }

    /// How many inputs they have in all.
    pub fn steps(&self) -> usize {
        self.tree.steps()
    }

    /// The inputs of a test, into a list; the short tests come first. Nothing if there is no such test.
    pub fn read(&self, number: usize, inputs: &mut Vec<u32>) -> bool {
        let Some((_, end)) = self.ends.get(number) else { return false };
        self.tree.path(*end, inputs);
        true
    }

    /// The tests, the short ones first.
    pub fn iter(&self) -> impl Iterator<Item = Vec<u32>> + '_ {
        (0..self.tests()).map(|number| {
            let mut inputs = Vec::new();
            self.read(number, &mut inputs);
            inputs
        })
    }
}

/// A suite has more inputs than it may have.
fn too_long(method: Method, extra: usize, steps_max: usize) -> Error {
    let smaller = match method {
        Method::W | Method::Wp | Method::Hsi => "use H or SPYH, which are shorter, assume fewer states",
        Method::H => "use SPYH, which is shorter, assume fewer states",
        Method::Spyh => "assume fewer states",
    };
    let (states, steps) = (plural(extra as u64, "more state"), plural(steps_max as u64, "input"));
    Error::specification(format!(
        "{method} with {states} has more than {steps}, the limit of steps: {smaller}, or allow for more steps"
    ))
}

/// A suite that is being put together.
pub(super) struct Building<'a> {
    pub(super) table: &'a Table,
    pub(super) tree: Tree,
    /// How many inputs follow each state of the cover.
    pub(super) longest: usize,
    /// So many inputs it may have.
    pub(super) steps_max: usize,
}

impl Building<'_> {
    /// Whether it has more inputs than it may have: what is missing does not matter.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.tree.steps() > self.steps_max
    }

    /// Every state of a cover, and what is reached from it by all inputs up to the longest.
    pub(super) fn each_after(
        &mut self,
        cover: &[Vec<u32>],
        mut add: impl FnMut(&mut Tree, Node, u32, usize),
    ) {
        for inputs in cover {
            let node = self.tree.add(ROOT, inputs);
            let Some(state) = self.table.after(0, inputs) else { continue };
            self.after(node, state, 0, &mut add);
        }
    }

    fn after(
        &mut self,
        node: Node,
        state: u32,
        length: usize,
        add: &mut impl FnMut(&mut Tree, Node, u32, usize),
    ) {
        add(&mut self.tree, node, state, length);
        if length == self.longest || self.is_full() {
            return;
        }
        for input in 0..self.table.inputs() as u32 {
            if let Some((next, _)) = self.table.step(state, input) {
                let node = self.tree.child(node, input);
                self.after(node, next, length + 1, add);
            }
        }
    }
}
