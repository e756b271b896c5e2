//! The engine through its public face.

mod identity;
mod lost;
mod time;
