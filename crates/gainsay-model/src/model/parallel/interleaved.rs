//! Drawing commands that may run at the same time: each must be allowed in every state that any interleaving leads to.

use super::{Parallel, Test};
use crate::model::{Command, Model, Statistics};
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
        let prefix = case.span("prefix", |case| self.draw(case, &mut start, 0..=how.prefix_max, statistics));
        let mut number = prefix.len() as u32;
        let count = case.int(2..=how.branches_max);
        let mut branches: Vec<Vec<Command>> = (0..count).map(|_| Vec::new()).collect();
        let mut weights = self.weights();
        for branch in 0..count {
            let mut state = start.clone();
            case.vec_of_some(1..=how.commands_max, |case| {
                let command = self.draw_one(case, &state, number, &mut weights, statistics)?;
                let operation = &self.operations[command.operation];
                if operation.is_alone() {
                    return None;
                }
                operation.next(&mut state, &command);
                branches[branch].push(command);
                if self.ends(&start, &branches).is_none() {
                    // Taken back: the state must be what it was.
                    branches[branch].pop();
                    state = branches[branch].iter().fold(start.clone(), |mut state, command| {
                        self.operations[command.operation].next(&mut state, command);
                        state
                    });
                    return None;
                }
                number += 1;
                Some(())
            });
        }
        let mut ends: Vec<S> = self.ends(&start, &branches).unwrap_or_default().into_iter().collect();
        let suffix = case.span("suffix", |case| {
            case.vec_of_some(0..=how.prefix_max / 2, |case| {
                let first = ends.first()?.clone();
                let command = self.draw_one(case, &first, number, &mut weights, statistics)?;
                let operation = &self.operations[command.operation];
                if !ends.iter().all(|state| operation.allows(state, &command)) {
                    return None;
                }
                ends.iter_mut().for_each(|state| operation.next(state, &command));
                number += 1;
                Some(command)
            })
        });
        Test { prefix, branches, suffix }
    }

    /// The states in which branches may end; `None` if some interleaving leads to a command that is not allowed then.
    fn ends(&self, start: &S, branches: &[Vec<Command>]) -> Option<HashSet<S>> {
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
