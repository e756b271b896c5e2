//! Trace schemas: which messages a test must send, in which order and how far apart, and which it must not send between.
//!
//! ```text
//!        forbid /laser {dist < 40}
//! +0..:  publish /laser {dist < 40}
//! ```

mod parse;
mod refine;
mod specialise;

pub use parse::parse as parse_schema;
pub(crate) use refine::{Clash, clashes};
pub(crate) use specialise::{base, specialised};

use crate::rule::EventRule;
use crate::time;
use std::fmt;

/// A schema.
#[derive(Debug, Clone)]
pub struct Schema {
    /// What it is for.
    pub name: String,
    pub(crate) statements: Vec<Statement>,
}

/// A line of a schema.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    /// No such message is sent until the next that must be.
    Forbid(EventRule),
    /// Such a message is sent, so long after the one before: at least `least`, and less than `most`, in nanoseconds.
    Publish { least: u64, most: Option<u64>, event: EventRule },
    /// Such a message of the system is waited for.
    Await { event: EventRule },
}

impl Schema {
    /// Nothing must be sent, and everything may be.
    pub fn empty() -> Schema {
        Schema { name: "empty".into(), statements: Vec::new() }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, statement) in self.statements.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{statement}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Forbid(event) => write!(f, "forbid {}", event.text),
            Statement::Publish { least, most, event } => {
                let most = most.map(time::shown_ms).unwrap_or_default();
                write!(f, "+{}..{most}: publish {}", time::shown_ms(*least), event.text)
            }
            Statement::Await { event } => write!(f, "await {}", event.text),
        }
    }
}
