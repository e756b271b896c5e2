//! Temporal formulas through the public face of the crate.

mod certain;
mod compared;
mod families;
mod limits;
mod mfotl;
mod reference;
mod streams;
