//! Drawing commands that may run at the same time: each must be allowed in every state that any interleaving leads to.

use super::{Parallel, Test};
use crate::model::{Command, Commands, Model, Statistics};
use gainsay_core::Case;
use std::collections::HashSet;
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
        statistics: &mut Statistics,
    ) -> Test {
        let mut start = (self.start)();
        let none = || Commands::of(&self.operations);
        let (mut prefix, mut suffix) = (none(), none());
        case.span("prefix", |case| {
            self.draw(case, &mut start, 0..=how.prefix_max, statistics, &mut prefix);
        });
        let mut number = prefix.len() as u32;
        let count = case.int(2..=how.branches_max);
        let mut branches: Vec<Commands> = (0..count).map(|_| none()).collect();
        let mut weights = self.weights();
        for branch in 0..count {
            let mut state = start.clone();
            case.repeat(1..=how.commands_max, |case| {
                let commands = &mut branches[branch];
                if !self.draw_one(case, &mut state, number, &mut weights, statistics, commands) {
                    return false;
                }
                let is_alone = |command: Command<'_>| self.operations[command.operation].is_alone();
                if commands.last().is_some_and(is_alone) || self.ends(&start, &branches).is_none() {
                    // Taken back: the state must be what it was.
                    branches[branch].pop();
                    state = branches[branch].iter().fold(start.clone(), |mut state, command| {
                        self.operations[command.operation].next(&mut state, command);
                        state
                    });
                    return false;
                }
                number += 1;
                true
            });
        }
        let mut ends: Vec<S> = self.ends(&start, &branches).unwrap_or_default().into_iter().collect();
        case.span("suffix", |case| {
            case.repeat(0..=how.prefix_max / 2, |case| {
                let Some(mut first) = ends.first().cloned() else { return false };
                if !self.draw_one(case, &mut first, number, &mut weights, statistics, &mut suffix) {
                    return false;
                }
                let Some(command) = suffix.last() else { return false };
                let operation = &self.operations[command.operation];
                if !ends.iter().all(|state| operation.allows(state, command)) {
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

    /// The states in which branches may end; `None` if some interleaving leads to a command that is not allowed then.
    fn ends(&self, start: &S, branches: &[Commands]) -> Option<HashSet<S>> {
        let mut met = HashSet::new();
        let mut open = vec![(vec![0usize; branches.len()], start.clone())];
        let mut ends = HashSet::new();
        while let Some((at, state)) = open.pop() {
            let mut over = true;
            for (branch, commands) in branches.iter().enumerate() {
                let Some(command) = commands.get(at[branch]) else { continue };
                over = false;
                let operation = &self.operations[command.operation];
                if !operation.allows(&state, command) {
                    return None;
                }
                let (mut at, mut state) = (at.clone(), state.clone());
                at[branch] += 1;
                operation.next(&mut state, command);
                if met.insert((at.clone(), state.clone())) {
                    open.push((at, state));
                }
            }
            if over {
                ends.insert(state);
            }
        }
        Some(ends)
    }
}
