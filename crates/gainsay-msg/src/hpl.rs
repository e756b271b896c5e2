//! The property language HPL: what must hold of the messages of a system.
//!
//! ```
//! use gainsay_msg::hpl;
//!
//! let file = hpl::parse("# id: stops\nglobally: /laser {dist < 40} causes /vel {linear.x = 0} within 500ms");
//! assert!(file.troubles.is_empty());
//! assert_eq!(file.properties[0].id(), Some("stops"));
//! assert_eq!(
//!     file.properties[0].to_string(),
//!     "globally: /laser {dist < 40} causes /vel {linear.x = 0} within 500 ms"
//! );
//! ```
//! The book says what everything means.

mod hints;
mod lex;
mod parse;
mod print;
mod tree;

pub use parse::{File, parse, parse_condition, parse_event};
pub use print::format;
pub use tree::{
    Arithmetic, Bound, Comment, Constant, Event, Expr, ExprKind, Function, Name, Operator, Pattern,
    PatternKind, Property, Relation, Root, Scope, Simple, Step, Unit,
};
