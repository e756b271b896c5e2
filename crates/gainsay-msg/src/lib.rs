//! Message systems: what must hold of the messages between components is said in the language [`hpl`], judged by monitors, and read as a
//! guide to the messages that may show it to be wrong.

mod construct;
pub mod diagnostic;
pub mod hpl;
pub mod mfotl;
mod monitor;
mod names;
mod rule;
mod term;
mod time;
mod trace;
pub mod types;
mod value;

pub use construct::Policy;
pub use monitor::{Judged, Judgement, Monitors, Role, Violation, Witness};
pub use rule::{AnyChannels, Channels, Rule, resolve};
pub use time::shown_ms;
pub use trace::{Format, Message, Trace, TraceError, monitor};
pub use value::{Names, Record, Value, message};
