//! The helper attributes `#[with(…)]` and `#[weight(…)]`.

use crate::mistakes::Mistakes;
use syn::{Attribute, Error, Expr, LitInt};

/// Takes the `#[with(generator)]` out of the attributes of an argument or a field.
pub(crate) fn take_with(attributes: &mut Vec<Attribute>, mistakes: &mut Mistakes) -> Option<Expr> {
    let with = take_only("with", attributes, mistakes)?;
    mistakes.sift(with.parse_args::<Expr>().map_err(|error| {
        Error::new(
            error.span(),
            format!("`#[with(…)]` names one generator, such as `#[with(0..10)]`: {error}"),
        )
    }))
}

/// Takes the `#[weight(n)]` out of the attributes of a variant.
pub(crate) fn take_weight(attributes: &mut Vec<Attribute>, mistakes: &mut Mistakes) -> Option<u32> {
    let weight = take_only("weight", attributes, mistakes)?;
    let number = weight.parse_args::<LitInt>().and_then(|literal| literal.base10_parse());
    let message = "`#[weight(…)]` needs a whole number below 2^32, such as `#[weight(3)]`";
    mistakes.sift(number.map_err(|error| Error::new(error.span(), message)))
}

/// Adds a mistake for each attribute `name`: it has no meaning here, and belongs to `place`.
pub(crate) fn refuse(name: &str, attributes: &[Attribute], place: &str, mistakes: &mut Mistakes) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
        let message = format!("`#[{name}(…)]` has no meaning here: put it on {place}, or remove it");
        mistakes.add(Error::new_spanned(attribute, message));
    }
}

/// Takes the attribute `name` out; a second one is a mistake.
fn take_only(name: &str, attributes: &mut Vec<Attribute>, mistakes: &mut Mistakes) -> Option<Attribute> {
    let mut found = attributes.extract_if(.., |attribute| attribute.path().is_ident(name));
    let first = found.next();
    for other in found {
        mistakes.add(Error::new_spanned(other, format!("there is a `#[{name}(…)]` already: keep one")));
    }
    first
}
