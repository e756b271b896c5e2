//! Several implementations of the warehouses, and what they have in common.

#![allow(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    clippy::new_without_default,
    reason = "subjects, as they were handed in"
)]

pub mod depot;
pub mod monitor;
pub mod rooms;
pub mod sections;
pub mod server;
pub mod tally;
pub mod yard;

#[cfg(test)]
mod hand_written;

pub trait Warehouse: Send + Sync + 'static {
    fn new(count: usize, weight_max: u32) -> Self;
    fn enter(&self, n: usize, weight: u32);
    fn exit(&self, n: usize, weight: u32);
}

macro_rules! warehouses {
    ($($name:ty),+ $(,)?) => {
        $(impl Warehouse for $name {
            fn new(count: usize, weight_max: u32) -> Self {
                <$name>::new(count, weight_max)
            }

            fn enter(&self, n: usize, weight: u32) {
                <$name>::enter(self, n, weight);
            }

            fn exit(&self, n: usize, weight: u32) {
                <$name>::exit(self, n, weight);
            }
        })+
    };
}

warehouses!(
    depot::Depot,
    monitor::Monitor,
    rooms::Rooms,
    sections::Sections,
    server::Server,
    tally::Tally,
    yard::Yard,
);
