//! Message systems, through what users see.

mod drawing;
mod entailed;
mod judges;
mod language;
mod late;
mod limits;
mod mutants;
#[path = "../../../../benches/src/monitor/random.rs"]
mod random;
mod recordings;
mod robust;
mod said;
mod scopes;
mod stories;
mod tickets;
mod trouble;
mod vacuous;
mod values;
