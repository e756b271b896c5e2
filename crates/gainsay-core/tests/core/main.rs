//! The engine through its public face.

mod distribution;
mod identity;
mod lost;
mod shrinking;
mod time;
