//! Names in emitted code.

use proc_macro2::{Ident, Span};

/// A local variable that nothing the user writes can see or shadow.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The same, pointing at something that was written: complaints about it are shown there.
pub(crate) fn local_at(name: &str, place: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(place))
}
