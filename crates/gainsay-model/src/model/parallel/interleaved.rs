//! Drawing commands that may run at the same time: each must be allowed in every state that any interleaving leads to.

use super::{Parallel, Test};
use crate::model::command::Freedom;
use crate::model::{Command, Commands, Model, Statistics};
use gainsay_core::Case;
use rustc_hash::FxHashSet;
use std::fmt::Debug;
use std::hash::Hash;

impl<S, R> Model<S, R>
where
    S: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    R: Clone + Send + 'static,
{
    pub(in crate::model) fn draw_parallel(
        &self,
        case: &mut Case,
        how: &Parallel,
        may_deadlock: bool,
        statistics: &mut Statistics,
    ) -> Test {
        statistics.begun_to_draw();
        self.drawing(case, &mut (self.start)(), statistics, |case, at, statistics| {
            self.draw_branches(case, how, may_deadlock, statistics, at)
        })
    }

    fn draw_branches(
        &self,
        case: &mut Case,
        how: &Parallel,
        may_deadlock: bool,
        statistics: &mut Statistics,
        last: &mut S,
    ) -> Test {
        let mut start = (self.start)();
        let none = || Commands::of(&self.operations);
        let (mut prefix, mut suffix) = (none(), none());
        case.span("prefix", |case| {
            self.draw(case, &mut start, 0..=how.prefix_max, statistics, &mut prefix);
            last.clone_from(&start);
        });
        let mut number = prefix.len() as u32;
        let count = case.int(2..=how.branches_max);
        let mut branches: Vec<Commands> = (0..count).map(|_| none()).collect();
        let mut choice = self.choice(Freedom { may_wait: true, ..Freedom::default() });
        for branch in 0..count {
            let mut state = start.clone();
            case.repeat(1..=how.commands_max, |case| {
                let commands = &mut branches[branch];
                last.clone_from(&state);
                if !self.draw_one(case, &mut state, number, &mut choice, statistics, commands) {
                    return false;
                }
                let is_alone = |command: Command<'_>| self.operations[command.operation()].is_alone();
                if commands.last().is_some_and(is_alone)
                    || matches!(self.ways(&start, &branches), Ways::Forbidden(_) | Ways::TooMany)
                {
                    // Taken back: the state must be what it was.
                    branches[branch].pop();
                    state = start.clone();
                    for command in branches[branch].iter() {
                        let operation = &self.operations[command.operation()];
                        if operation.is_enabled(&state, command) {
                            operation.next(&mut state, command);
                        }
                    }
                    return false;
                }
                number += 1;
                true
            });
        }
        let mut ends = self.let_end(&start, &mut branches, may_deadlock);
        let mut choice = self.choice(Freedom::default());
        case.span("suffix", |case| {
            case.repeat(0..=how.prefix_max / 2, |case| {
                let Some(mut first) = ends.first().cloned() else { return false };
                if !self.draw_one(case, &mut first, number, &mut choice, statistics, &mut suffix) {
                    return false;
                }
                let Some(command) = suffix.last() else { return false };
                let operation = &self.operations[command.operation()];
                let possible =
                    |state: &S| operation.allows(state, command) && operation.is_enabled(state, command);
                if !ends.iter().all(possible) {
                    suffix.pop();
                    return false;
                }
                ends.iter_mut().for_each(|state| operation.next(state, command));
                number += 1;
                true
            });
        });
        Test { prefix, branches, suffix }
    }

    /// Drops commands until no order of the others leaves one waiting for ever, unless that is to happen; the states in which the
    /// branches may end.
    fn let_end(&self, start: &S, branches: &mut [Commands], may_deadlock: bool) -> Vec<S> {
        loop {
            let at = match self.ways(start, branches) {
                Ways::TooMany => return Vec::new(),
                Ways::Allowed { ends, stuck: None } => return ends,
                Ways::Allowed { ends, .. } if may_deadlock => return ends,
                Ways::Allowed { stuck: Some(at), .. } => {
                    let waits = (0..branches.len()).rev().find(|&branch| at[branch] < branches[branch].len());
                    let Some(branch) = waits else { return Vec::new() };
                    (branch, at[branch])
                }
                // What was allowed only after something that was dropped.
                Ways::Forbidden(at) => at,
            };
            branches[at.0].remove(at.1);
        }
    }

    /// What all interleavings of branches lead to.
    fn ways(&self, start: &S, branches: &[Commands]) -> Ways<S> {
        // Sets that are gone through in the same order in every run: what is drawn depends on them.
        let mut met = FxHashSet::default();
        let mut ended = FxHashSet::default();
        let mut open = vec![(vec![0usize; branches.len()], start.clone())];
        let mut ends = Vec::new();
        let mut stuck = None;
        while let Some((at, state)) = open.pop() {
            if met.len() > WAYS_MAX {
                return Ways::TooMany;
            }
            let (mut over, mut waits) = (true, true);
            for (branch, commands) in branches.iter().enumerate() {
                let Some(command) = commands.get(at[branch]) else { continue };
                over = false;
                let operation = &self.operations[command.operation()];
                if !operation.allows(&state, command) {
                    return Ways::Forbidden((branch, at[branch]));
                }
                if !operation.is_enabled(&state, command) {
                    continue;
                }
                waits = false;
                let (mut at, mut state) = (at.clone(), state.clone());
                at[branch] += 1;
                operation.next(&mut state, command);
                if met.insert((at.clone(), state.clone())) {
                    open.push((at, state));
                }
            }
            if over {
                if ended.insert(state.clone()) {
                    ends.push(state);
                }
            } else if waits {
                stuck.get_or_insert(at);
            }
        }
        Ways::Allowed { ends, stuck }
    }
}

/// How many states interleavings may lead through; with more, branches are shorter.
const WAYS_MAX: usize = 4000;

/// What the interleavings of branches lead to.
enum Ways<S> {
    /// A command that is not allowed then: of which branch, and which.
    Forbidden((usize, usize)),
    /// There are too many to look at.
    TooMany,
    Allowed {
        /// The states when all is done.
        ends: Vec<S>,
        /// How far the branches have come where nothing can go on.
        stuck: Option<Vec<usize>>,
    },
}
