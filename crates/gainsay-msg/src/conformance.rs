//! Tests that every implementation of an extension trait must pass.

use crate::bus::Bus;
use crate::trace::Message;
use crate::value::{Value, message};
use gainsay_core::Case;
use std::sync::Arc;

/// The channel on which [`bus`] sends.
pub const IN: &str = "/in";
/// The channel on which it expects the same message at once.
pub const OUT: &str = "/out";

/// Checks that a bus does what [`Bus`] says. The system behind it must answer each message on [`IN`], `{n: …}`, by the same one on [`OUT`], at
/// once, and say nothing else; its first run must not be seen in its second.
///
/// # Panics
/// If it does not.
#[track_caller]
pub fn bus(bus: &mut dyn Bus) {
    let ms = |ms: u64| ms * 1_000_000;
    for run in 0..2 {
        let mut seen: Vec<Arc<Message>> = Vec::new();
        let mut case = Case::random(1, run);
        let before =
            bus.begin(&mut case).unwrap_or_else(|trouble| panic!("run {run} does not begin: {trouble}"));
        assert!(before.is_empty(), "nothing is said before the start: {before:?}");
        let numbers: Vec<i64> = (0..5).map(|n| 10 * run as i64 + n).collect();
        for (place, n) in numbers.iter().enumerate() {
            // The second and the third come at one time.
            let at = [20, 40, 40, 41, 80][place];
            let sent = Arc::new(Message::at_ms(at, IN, message([("n", (*n).into())])));
            bus.publish(&sent, &mut seen)
                .unwrap_or_else(|trouble| panic!("it does not take message {n}: {trouble}"));
        }
        // Until the last answer has come; a bus that stops does so at a message.
        let mut now = 0;
        while now < ms(1500) && seen.iter().filter(|message| &*message.channel == OUT).count() < numbers.len()
        {
            let before = seen.len();
            now = bus
                .pass(ms(1500), true, &mut seen)
                .unwrap_or_else(|trouble| panic!("it does not go on: {trouble}"));
            assert!(now >= ms(1500) || seen.len() > before, "it stopped at {now} ns, and nothing was seen");
        }
        let end = now.max(ms(100));
        let reached =
            bus.pass(end, false, &mut seen).unwrap_or_else(|trouble| panic!("it does not go on: {trouble}"));
        assert!(reached >= end, "it was to go on until {end} ns, and stopped at {reached}");
        bus.finish();
        let said = |channel: &str| -> Vec<Value> {
            let on = seen.iter().filter(|message| &*message.channel == channel);
            on.filter_map(|message| message.value.at("n").cloned()).collect()
        };
        let wanted: Vec<Value> = numbers.iter().map(|n| (*n).into()).collect();
        assert_eq!(said(IN), wanted, "what was sent is seen once each, in order");
        assert_eq!(said(OUT), wanted, "all is answered once, in order, and nothing of another run is seen");
        assert!(seen.is_sorted_by_key(|message| message.at), "times do not go back: {seen:?}");
        let place = |channel: &str, n: &Value| {
            seen.iter().position(|message| &*message.channel == channel && message.value.at("n") == Some(n))
        };
        for n in &wanted {
            assert!(place(IN, n) < place(OUT, n), "a message is seen before what comes of it");
        }
        assert!(seen[0].at >= ms(20), "the first message is sent at its time");
    }
}
