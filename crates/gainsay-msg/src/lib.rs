//! Message systems: what must hold of the messages between components is said in the language [`hpl`], judged by monitors, and read as a
//! guide to the messages that may show it to be wrong.

mod bus;
mod classify;
pub mod conformance;
mod construct;
mod consumer;
pub mod diagnostic;
mod draw;
mod guide;
pub mod hpl;
pub mod mfotl;
mod monitor;
mod mutate;
mod names;
mod plain;
pub mod ros;
mod rule;
mod schema;
mod show;
mod system;
mod term;
mod test;
mod time;
mod trace;
pub mod types;
mod value;
mod worth;

#[cfg(feature = "tokio")]
pub use bus::{AsyncBus, Outgoing};
pub use bus::{
    Bus, EmbeddedBus, MESSAGES_MAX, Node, Outbox, Ready, Starting, StdioBus, Trouble, TroubleKind,
    check_flood,
};
pub use classify::{Class, Direction, classify};
pub use construct::Policy;
pub use monitor::{Exercise, Judged, Judgement, Monitors, Role, Violation, Witness};
pub use mutate::{Apart, Mutant, Operation, mutants, told_apart};
pub use rule::{AnyChannels, Channels, Rule, resolve};
pub use schema::{Schema, parse_schema};
pub use system::{BusKind, Channel, Schemas, System, SystemFile, Timing};
pub use test::{Guidance, SystemTest, Tested, trace_lines};
pub use time::shown_ms;
pub use trace::{
    Format, Message, Source, Trace, TraceError, json_value, monitor, monitor_all, monitor_system,
};
pub use value::{Names, Record, Value, message};

/// What a fuzzer feeds.
#[cfg(fuzzing)]
pub mod fuzz {
    /// Lines of a system on standard output.
    pub fn system_lines(text: &str) {
        let mut reader = crate::trace::json::LineReader::default();
        for line in text.lines() {
            let _ = reader.hear(line);
        }
    }
}
