//! All sequences of commands up to a length.

use super::command::Freedom;
use super::{Commands, Model, Statistics};
use gainsay_core::{Case, Error, Outcome, Report, Scope, Status, Verdict};
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

impl<S: Clone + Eq + Hash + Debug + 'static, R: 'static> Model<S, R> {
    /// The verdict on all sequences of at most `commands` commands whose arguments cost at most `size`.
    ///
    /// # Panics
    /// If the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn verdict_exhaustive(self, commands: usize, size: u64) -> Verdict {
        self.report_exhaustive(commands, size).unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on all sequences of at most `commands` commands whose arguments cost at most `size`: the sum of the numbers of
    /// their choices. An integer costs its place in 0, 1, −1, 2 …
    ///
    /// # Errors
    /// If the model is dynamic, or the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn report_exhaustive(mut self, commands: usize, size: u64) -> Result<Report, Error> {
        self.sound()?;
        self.static_only("exhaustive runs")?;
        let settings = self.take_settings().exhaustive();
        self.len = 1.min(commands)..=commands;
        let mut statistics = Statistics::new(self.operations.len(), &settings);
        statistics.is_whole = true;
        let mut states = HashSet::new();
        self.before_all.iter().for_each(|begin| begin());
        let report = settings.report_outcomes(&format!("{} exhaustively", self.name), &mut |case| {
            self.test_within(case, size, &mut statistics, &mut states)
        });
        self.after_all.iter().for_each(|end| end());
        let mut report = self.remarked(report?, &statistics);
        if let Verdict::Proved(proved) = &mut report.verdict {
            let noun = if commands == 1 { "command" } else { "commands" };
            proved.scope = Scope::UpTo(format!("{commands} {noun}"));
            proved.assumptions = vec![format!("arguments up to size {size}")];
            proved.assumptions.extend(super::assumptions());
        }
        let (count, noun) = (states.len(), if states.len() == 1 { "state" } else { "states" });
        report.remarks.push(format!("the model was in {count} {noun}"));
        Ok(report)
    }

    fn test_within(
        &self,
        case: &mut Case,
        size: u64,
        statistics: &mut Statistics,
        states: &mut HashSet<S>,
    ) -> Outcome {
        statistics.begun_to_draw();
        let mut state = (self.start)();
        let mut met = vec![state.clone()];
        let mut commands = Commands::of(&self.operations);
        self.drawing(case, &mut state, statistics, |case, state, statistics| {
            let mut choice = self.choice(Freedom { size: Some(size), ..Freedom::default() });
            let mut number = 0;
            case.repeat(self.len.clone(), |case| {
                let drawn = self.draw_one(case, state, number, &mut choice, statistics, &mut commands);
                if drawn {
                    met.push(state.clone());
                    number += 1;
                }
                drawn
            });
        });
        if !self.is_drawn(case) {
            return Outcome::of(Status::Unjudged);
        }
        states.extend(met);
        self.execute(&commands, &state, case, statistics)
    }
}

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Refuses a model whose operations call mocks.
    pub(super) fn without_calls(&self, what: &str) -> Result<(), Error> {
        match self.operations.iter().find(|operation| operation.has_calls()) {
            None => Ok(()),
            Some(operation) => Err(Error::specification(format!(
                "`{}` of the model `{}` calls mocks, which answer one thread: {what} need a model without `calls`",
                operation.name(),
                self.name
            ))),
        }
    }

    /// Refuses a dynamic model.
    pub(super) fn static_only(&self, what: &str) -> Result<(), Error> {
        match self.operations.iter().find(|operation| operation.is_dynamic()) {
            None => Ok(()),
            Some(operation) => Err(Error::specification(format!(
                "the model `{}` is dynamic: `{}` observes what it returns or calls, so that commands cannot be known before \
                 they run; {what} need a model without `observe`, `observe_calls` and `self_calls`",
                self.name,
                operation.name()
            ))),
        }
    }
}
