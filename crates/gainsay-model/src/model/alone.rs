//! The model alone, without a real thing: does it keep its own laws?

use super::sequential::differ;
use super::{Commands, Model, Statistics, violated};
use crate::explain::shown;
use gainsay_core::{Case, Claim, Error, Failure, Outcome, Report, Status, Verdict};
use std::fmt::Debug;
use std::sync::Arc;

impl<S: Clone + PartialEq + Debug + 'static, R: 'static> Model<S, R> {
    /// Adds a law about the state of the model, whatever the real thing does. It must hold at the start and after each command, in all
    /// kinds of runs.
    pub fn law<C: Claim>(
        mut self,
        name: &str,
        holds: impl Fn(&S) -> C + Send + Sync + 'static,
    ) -> Model<S, R> {
        let doubt = Arc::clone(&self.doubt);
        let holds = Box::new(move |state: &S| doubt.judged(holds(state).outcome()));
        self.laws.push((name.into(), holds));
        self
    }

    /// The verdict on the model alone: sequences of commands that it allows, judged by its [laws](Model::law). Nothing real is called.
    ///
    /// # Panics
    /// If the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn verdict_model_only(self) -> Verdict {
        self.report_model_only().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on the model alone.
    ///
    /// # Errors
    /// If the model is dynamic, or the model, the settings or the environment make no sense.
    #[track_caller]
    pub fn report_model_only(mut self) -> Result<Report, Error> {
        self.sound()?;
        self.static_only("runs of the model alone")?;
        let settings = self.take_settings();
        let mut statistics = Statistics::new(self.operations.len(), &settings);
        let name = format!("{} alone", self.name);
        let report = settings.report_outcomes(&name, &mut |case| self.test_alone(case, &mut statistics));
        report.map(|report| self.remarked(report, &statistics))
    }

    fn test_alone(&self, case: &mut Case, statistics: &mut Statistics) -> Outcome {
        let mut state = (self.start)();
        let mut commands = Commands::of(&self.operations);
        statistics.begun_to_draw();
        self.drawing(case, &mut state, statistics, |case, state, statistics| {
            self.draw(case, state, self.len.clone(), statistics, &mut commands);
        });
        if !case.ready() {
            return Outcome::of(Status::Unjudged);
        }
        let mut state = (self.start)();
        statistics.tested(commands.len());
        statistics.begun(&state);
        if let Some(failure) = self.check_laws(&state) {
            return Outcome::failed(failure);
        }
        for command in commands.iter() {
            let operation = &self.operations[command.operation()];
            let mut again = state.clone();
            operation.next(&mut state, command);
            operation.next(&mut again, command);
            statistics.executed(command.operation());
            statistics.moved(command.operation(), &state);
            case.tell(|| format!("{} leads to {}", operation.show_call(command), shown(&state)));
            if differ(&state, &again) {
                let message = format!(
                    "`next` of `{}` is not deterministic: {} or {}",
                    operation.name(),
                    shown(&state),
                    shown(&again)
                );
                return Outcome::failed(Failure::new("", message).with_signature("law is deterministic"));
            }
            if let Some(failure) = self.check_laws(&state) {
                return Outcome::failed(failure);
            }
        }
        Outcome::of(Status::Passed)
    }

    #[inline]
    pub(super) fn check_laws(&self, state: &S) -> Option<Box<Failure>> {
        for (name, holds) in &self.laws {
            if let Some(failure) = holds(state) {
                return Some(violated("law", name, state, &failure));
            }
        }
        None
    }
}
