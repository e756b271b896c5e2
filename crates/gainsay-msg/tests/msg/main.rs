//! Message systems, through what users see.

mod judges;
#[path = "../../../../benches/src/monitor/random.rs"]
mod random;
