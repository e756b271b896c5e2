//! Temporal formulas through the public face of the crate.

mod certain;
mod compared;
mod mfotl;
mod reference;
