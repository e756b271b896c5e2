//! Message systems, through what users see.

mod judges;
mod language;
#[path = "../../../../benches/src/monitor/random.rs"]
mod random;
mod robust;
mod scopes;
mod values;
