//! End-to-end tests of gainsay, through what its users see.

mod enumeration;
mod support;
