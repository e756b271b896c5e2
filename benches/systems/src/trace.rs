//! Traces written by hand: a line is a time in milliseconds, a channel, and a value in JSON.

use gainsay_core::Case;
use gainsay_msg::{Bus, Class, EmbeddedBus, Message, Monitors, System, json_value};
use std::sync::Arc;

/// A system is watched so long after the last message, in milliseconds: longer than all bounds.
const REST_MS: u64 = 30_000;

/// The messages of a trace.
fn messages(system: &System, text: &str) -> Vec<Arc<Message>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let message = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_else(|| panic!("`{line}` is no message"));
        let (at, name, value) = (word(), word(), word());
        let at = at.parse().unwrap_or_else(|_| panic!("`{at}` is no time in milliseconds"));
        let channel = system.channel(name).unwrap_or_else(|| panic!("there is no channel `{name}`"));
        let value = json_value(value).unwrap_or_else(|error| panic!("{line}: {error}"));
        let value = channel.of.conform(value).unwrap_or_else(|why| panic!("{line}: {why}"));
        Arc::new(Message::at_ms(at, name, value))
    };
    lines.map(message).collect()
}

/// The properties that a system violates when it is sent a trace.
pub(crate) fn violated(system: &System, bus: &mut EmbeddedBus, text: &str) -> Vec<String> {
    let inputs = messages(system, text);
    let end = inputs.last().map_or(0, |last| last.at) + REST_MS * crate::MS;
    let mut seen = Vec::new();
    bus.begin(&mut Case::random(1, 0)).expect("it starts");
    for input in &inputs {
        bus.publish(input, &mut seen).expect("it takes messages");
    }
    bus.pass(end, false, &mut seen).expect("it runs on");
    let mut monitors = Monitors::new(system.rules.iter().cloned());
    for message in seen {
        let channel = system.channel(&message.channel).expect("it speaks on channels that it has");
        channel.of.conform(message.value.clone()).unwrap_or_else(|why| panic!("{message:?}: {why}"));
        monitors.see(message).expect("times do not go back");
    }
    monitors.pass_to(end).expect("times do not go back");
    let judged = monitors.judged();
    let violated = judged.iter().filter(|judged| !judged.violations.is_empty());
    let name = |rule: &gainsay_msg::Rule| {
        assert!(system.class(rule) != Class::Axiom, "the trace breaks the axiom `{}`", rule.id);
        rule.id.clone()
    };
    violated.map(|judged| name(judged.rule)).collect()
}
