//! Who listens to a trace while it is drawn.

use crate::trace::Message;
use std::sync::Arc;

/// A system that is sent a trace while it is drawn, so that what it says can be answered.
pub(crate) trait Listener {
    /// Whether there is one: otherwise messages are sent when all of them are drawn.
    fn is_there(&self) -> bool;

    /// Sends a message, and adds what the system says to what was heard. False if nothing more is to be sent.
    fn send(&mut self, message: &Arc<Message>, heard: &mut Vec<Arc<Message>>) -> bool;

    /// Adds what the system has said to all that was sent, at the time it is. False if nothing more is to be sent.
    fn catch_up(&mut self, heard: &mut Vec<Arc<Message>>) -> bool;

    /// Waits until the system says something, or until then: the time that was reached; nothing if nothing more is to be sent.
    fn wait(&mut self, until: u64, heard: &mut Vec<Arc<Message>>) -> Option<u64>;
}

/// There is no system yet.
pub(crate) struct Nobody;

impl Listener for Nobody {
    fn is_there(&self) -> bool {
        false
    }

    fn send(&mut self, _: &Arc<Message>, _: &mut Vec<Arc<Message>>) -> bool {
        true
    }

    fn catch_up(&mut self, _: &mut Vec<Arc<Message>>) -> bool {
        true
    }

    fn wait(&mut self, until: u64, _: &mut Vec<Arc<Message>>) -> Option<u64> {
        Some(until)
    }
}
