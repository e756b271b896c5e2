//! What was missing when its time was over, and came after all: too late.

use super::link::Link;
use super::pool::Pool;
use super::{Monitor, Role, Violation};
use crate::rule::Rule;
use crate::show::shown_untimed;
use crate::term::{Messages, Slot};
use crate::time;
use crate::trace::Message;
use std::sync::Arc;

/// So many stimuli are kept where they are looked up by a key, or all are answered at once.
const STIMULI_MAX: usize = 1 << 16;
/// So many are kept where each must be looked at.
const LOOKED_AT_MAX: usize = 64;

/// What may still come, in the scope that is open.
#[derive(Debug, Clone, Default)]
pub(super) struct Overdue {
    /// `causes`: stimuli that were not answered in time, the latest of them. (Most monitors never have any.)
    stimuli: Option<Box<Pool>>,
    /// `some`: whether its time is over.
    is_missed: bool,
}

impl Overdue {
    pub(super) fn is_missed(&self) -> bool {
        self.is_missed
    }

    pub(super) fn has_stimuli(&self) -> bool {
        self.stimuli.is_some()
    }

    /// The time of `some` is over.
    pub(super) fn miss(&mut self) {
        self.is_missed = true;
    }

    /// The time of a stimulus is over.
    pub(super) fn keep<'a>(
        &mut self,
        rule: &Rule,
        links: &[Link],
        stimulus: &'a Arc<Message>,
        activator: Option<&'a Arc<Message>>,
    ) {
        let stimuli = self.stimuli.get_or_insert_with(|| Box::new(Pool::new(rule, links)));
        let mut messages: Messages<'a> = [None; Slot::COUNT];
        messages[Slot::Activator as usize] = activator.map(|message| &message.value);
        stimuli.add(links, stimulus, messages);
        let is_found = |link: &Link| link.has_keys() || !link.is_linked;
        let most = if links.iter().all(is_found) { STIMULI_MAX } else { LOOKED_AT_MAX };
        if stimuli.count() > most {
            stimuli.take_oldest();
        }
    }
}

impl Monitor {
    /// What `some` has missed is there.
    #[cold]
    pub(super) fn see_missed(&mut self, message: &Arc<Message>) {
        self.overdue.is_missed = false;
        // (In this scope nothing was violated since.)
        if let Some(missed) = self.violations.last_mut() {
            missed.come(&self.rule, message);
        }
    }

    /// What stimuli have missed may be there.
    #[cold]
    pub(super) fn see_late(&mut self, channel: usize, message: &Arc<Message>, messages: Messages<'_>) {
        let (Some(stimuli), Some(bound)) = (&mut self.overdue.stimuli, self.bound) else { return };
        for place in &self.roles[channel].second {
            for stimulus in stimuli.take_answered(&self.links[*place], *place, messages) {
                let at = stimulus.at + bound;
                let first = self.violations.partition_point(|violation| violation.at < at);
                let is_its = |violation: &&mut Violation| {
                    violation.of(Role::Stimulus).is_some_and(|known| Arc::ptr_eq(known, &stimulus))
                };
                if let Some(violation) = self.violations[first..].iter_mut().find(is_its) {
                    violation.come(&self.rule, message);
                }
            }
        }
        if stimuli.is_empty() {
            self.overdue.stimuli = None;
        }
    }
}

impl Violation {
    /// What was missing came when its time was over.
    fn come(&mut self, rule: &Rule, message: &Arc<Message>) {
        let (came, needed) = (time::shown_ms(message.at), time::shown_ms(self.at));
        let said = shown_untimed(rule, message);
        self.what += &format!("; {said} came at {came} ms, needed before {needed} ms");
        self.late = Some(Arc::clone(message));
    }
}
