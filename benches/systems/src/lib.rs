//! Six message systems in this process, in virtual time, each with a specification and five planted bugs: an exam for
//! tests of running systems.
//!
//! A bug is selected by its number; 0 is the correct twin. Bugs of one number are of one [`Kind`] in all systems. For
//! each bug there is a trace, written by hand, that shows it.
//!
//! | system | what it does |
//! |---|---|
//! | pump | gives doses that are asked for, with a lockout, a limit and a stop |
//! | lift | answers calls, waits with open doors, goes down in a fire |
//! | charger | charges a battery in phases, not when it is hot |
//! | sorter | sends parcels to lanes, and knows which are on their way |
//! | gate | lets in who has a badge, and counts who is inside |
//! | ventilation | follows the air with hysteresis, for a while as much as it can |

mod charger;
pub mod exam;
mod gate;
mod lift;
mod pump;
mod sorter;
mod trace;
mod ventilation;

use gainsay_msg::{EmbeddedBus, Message, Node, Outbox, System, SystemFile, Value};
use std::path::Path;

/// Bugs in each system.
pub const BUGS: usize = 5;

/// The systems.
pub const SUBJECTS: [Subject; 6] =
    [pump::SUBJECT, lift::SUBJECT, charger::SUBJECT, sorter::SUBJECT, gate::SUBJECT, ventilation::SUBJECT];

/// What a bug depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An input near a constant that the specification names of an output only, or in another property.
    Value,
    /// A message on a channel that the violated property does not name.
    Unnamed,
    /// State that builds up over five messages or more: a sum, a count, an order.
    Buildup,
    /// The time of a message after an output.
    Timing,
    /// Equal ids, repeated values, an old id again, the second entry of a scope.
    Again,
}

impl Kind {
    /// The kind of the bugs of a number, from 1.
    ///
    /// # Panics
    /// If there is no such bug.
    pub fn of(bug: usize) -> Kind {
        [Kind::Value, Kind::Unnamed, Kind::Buildup, Kind::Timing, Kind::Again][bug - 1]
    }
}

/// A system, right and wrong.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// What it is.
    pub name: &'static str,
    /// Its system file: types, channels, properties.
    file: &'static str,
    /// The node with a bug.
    node: fn(usize) -> Box<dyn Node>,
    /// What shows each bug.
    traces: [&'static str; BUGS],
}

impl Subject {
    /// Its channels, and what must hold of them.
    ///
    /// # Panics
    /// If its specification is wrong.
    pub fn system(&self) -> System {
        match SystemFile::parse(self.name, self.file, Path::new(".")) {
            Ok((file, _)) => file.system,
            Err(troubles) => panic!("{troubles}"),
        }
    }

    /// A bus with the system, wrong by a bug; 0 is the correct one.
    pub fn bus(&self, bug: usize) -> EmbeddedBus {
        let node = self.node;
        EmbeddedBus::new(move |_| vec![node(bug)])
    }

    /// A bus with a system that listens, and never says anything.
    pub fn mute(&self) -> EmbeddedBus {
        EmbeddedBus::new(|_| vec![Box::new(Mute)])
    }

    /// The properties that the system with a bug violates when it is sent what shows the bug `shown`.
    ///
    /// # Panics
    /// If the trace is not well-formed, not of the types of the system, or breaks an axiom.
    pub fn violated(&self, bug: usize, shown: usize) -> Vec<String> {
        let system = self.system();
        trace::violated(&system, &mut self.bus(bug), self.traces[shown - 1])
    }
}

/// Says nothing.
struct Mute;

impl Node for Mute {
    fn receive(&mut self, _message: &Message, _out: &mut Outbox) {}
}

/// Nanoseconds in a millisecond.
const MS: u64 = 1_000_000;

/// A field that is a whole number.
fn whole(message: &Message, field: &str) -> i64 {
    match message.value.at(field) {
        Some(Value::Int(whole)) => i64::try_from(*whole).unwrap_or(i64::MAX),
        other => unreachable!("`{field}` on `{}` is {other:?}", message.channel),
    }
}

/// A field that is true or false.
fn flag(message: &Message, field: &str) -> bool {
    match message.value.at(field) {
        Some(Value::Bool(flag)) => *flag,
        other => unreachable!("`{field}` on `{}` is {other:?}", message.channel),
    }
}
