//! Systems that are listened to while a trace is drawn.

use super::runner::{Early, Runner, Running};
use crate::bus::Bus;
use crate::draw::Listener;
use crate::trace::Message;
use std::sync::Arc;

/// The system in virtual time, which is sent a trace while it is drawn.
pub(super) struct Live<'l, 'r, B: ?Sized> {
    pub(super) runner: &'l mut Runner<'r, B>,
    pub(super) running: &'l mut Running,
    /// Why the run ended early.
    pub(super) early: Option<Early>,
}

impl<B: Bus + ?Sized> Live<'_, '_, B> {
    /// Does something to the system, and adds what it said meanwhile; false if nothing more is to be seen.
    fn listen(
        &mut self,
        heard: &mut Vec<Arc<Message>>,
        act: impl FnOnce(&mut Runner<'_, B>, &mut Running) -> Result<bool, Early>,
    ) -> bool {
        let before = self.running.seen.len();
        match act(self.runner, self.running) {
            Ok(is_wrong) => {
                let new = self.running.seen[before..].iter();
                heard.extend(new.filter(|message| self.runner.system.is_output(&message.channel)).cloned());
                !is_wrong
            }
            Err(early) => {
                self.early = Some(early);
                false
            }
        }
    }
}

impl<B: Bus + ?Sized> Listener for Live<'_, '_, B> {
    fn is_there(&self) -> bool {
        true
    }

    fn send(&mut self, message: &Arc<Message>, heard: &mut Vec<Arc<Message>>) -> bool {
        self.listen(heard, |runner, running| runner.publish(message, running))
    }

    fn catch_up(&mut self, heard: &mut Vec<Arc<Message>>) -> bool {
        self.listen(heard, |runner, running| runner.catch_up(running))
    }

    fn wait(&mut self, until: u64, heard: &mut Vec<Arc<Message>>) -> Option<u64> {
        let mut reached = until;
        let goes_on = self.listen(heard, |runner, running| {
            // At one instant inputs come before timers: those of the last one wait for what is sent then.
            let passed = runner.bus.pass(until.saturating_sub(1), true, &mut running.seen)?;
            running.end = running.end.max(passed);
            reached = (passed + 1).min(until);
            runner.look(running)
        });
        goes_on.then_some(reached)
    }
}
