//! The program `gainsay`, with nodes of its own.

use gainsay_msg::{Message, Node, Outbox, Value};
use std::process::ExitCode;

/// Answers what comes on `/in` on `/out`, at once.
struct Echo {
    /// What it does not answer.
    forgets: Option<i128>,
}

impl Node for Echo {
    fn subscribes(&self, channel: &str) -> bool {
        channel == "/in"
    }

    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        let forgets = |least: i128| matches!(message.value.at("n"), Some(Value::Int(n)) if *n >= least);
        if !self.forgets.is_some_and(forgets) {
            out.publish("/out", message.value.clone());
        }
    }
}

fn main() -> ExitCode {
    gainsay_cli::Program::new()
        .node("echo", |_| vec![Box::new(Echo { forgets: None })])
        .node("forgetful", |_| vec![Box::new(Echo { forgets: Some(7) })])
        .main()
}
