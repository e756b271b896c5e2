//! Message systems, through what users see.

mod drawing;
mod judges;
mod language;
#[path = "../../../../benches/src/monitor/random.rs"]
mod random;
mod robust;
mod scopes;
mod stories;
mod values;
