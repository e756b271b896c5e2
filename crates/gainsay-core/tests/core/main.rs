//! The engine through its public face.

mod distribution;
mod identity;
mod limits;
mod lost;
mod shrinking;
mod time;
