//! Several implementations of readers and writers (first come, first served), and what they have in common.

#![allow(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    clippy::new_without_default,
    reason = "subjects, as they were handed in"
)]

pub mod board;
pub mod numbers;
pub mod porter;
pub mod tickets;
pub mod turns;

#[cfg(test)]
mod hand_written;

pub trait ReadersWriters: Send + Sync + 'static {
    fn new() -> Self;
    fn before_read(&self);
    fn after_read(&self);
    fn before_write(&self);
    fn after_write(&self);
}

macro_rules! readers_writers {
    ($($name:ty),+ $(,)?) => {
        $(impl ReadersWriters for $name {
            fn new() -> Self {
                <$name>::new()
            }

            fn before_read(&self) {
                <$name>::before_read(self);
            }

            fn after_read(&self) {
                <$name>::after_read(self);
            }

            fn before_write(&self) {
                <$name>::before_write(self);
            }

            fn after_write(&self) {
                <$name>::after_write(self);
            }
        })+
    };
}

readers_writers!(board::Board, numbers::Numbers, porter::Porter, tickets::Tickets, turns::Turns,);
