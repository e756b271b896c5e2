//! A program under test.
fn main() {}
