//! Formulas with data: monitors say what formulas mean, and formulas are read as they are printed.

mod monitor;
mod random;
mod text;

pub(crate) use text::language;
