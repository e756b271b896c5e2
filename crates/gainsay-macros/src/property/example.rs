//! Examples: `#[example(value, value)]`.

use super::argument::{Argument, Passing};
use crate::mistakes::Mistakes;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, Lit, Meta, Token};

/// Given values, one for each argument.
pub(super) struct Example {
    /// As written, for the report.
    pub(super) shown: String,
    pub(super) values: Vec<Expr>,
}

/// Takes the examples out of the attributes of a property.
pub(super) fn take(attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    attributes.extract_if(.., |attribute| attribute.path().is_ident("example")).collect()
}

/// Reads examples of these arguments.
pub(super) fn read(examples: &[Attribute], arguments: &[Argument], mistakes: &mut Mistakes) -> Vec<Example> {
    examples.iter().filter_map(|attribute| mistakes.sift(one(attribute, arguments))).collect()
}

fn one(attribute: &Attribute, arguments: &[Argument]) -> Result<Example, Error> {
    let list = attribute.meta.require_list().map_err(|_| {
        Error::new_spanned(
            attribute,
            format!("an example gives a value for each argument: `#[example({})]`", names(arguments)),
        )
    })?;
    let values: Punctuated<Expr, Token![,]> = list.parse_args_with(Punctuated::parse_terminated)?;
    if values.len() != arguments.len() {
        let message = format!(
            "the example has {} and the property draws {}: `#[example({})]`",
            counted(values.len(), "value"),
            counted(arguments.len(), "argument"),
            names(arguments)
        );
        return Err(Error::new(list.delimiter.span().join(), message));
    }
    Ok(Example {
        shown: shown(&attribute.meta, list.delimiter.span().join()),
        values: values.into_iter().collect(),
    })
}

fn names(arguments: &[Argument]) -> String {
    let names: Vec<String> = arguments.iter().map(|argument| argument.shown.clone()).collect();
    names.join(", ")
}

fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// The values as written, on one line. Tokens alone would be shown with blanks that nobody wrote.
fn shown(meta: &Meta, parentheses: Span) -> String {
    let source = parentheses.source_text();
    let inside =
        source.as_deref().and_then(|text| text.strip_prefix(['(', '[', '{'])?.strip_suffix([')', ']', '}']));
    match (inside, meta) {
        (Some(text), _) => {
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
        }
        (None, Meta::List(list)) => list.tokens.to_string(),
        (None, _) => String::new(),
    }
}

/// What is passed for an argument if an example gives `value`.
pub(super) fn passed(argument: &Argument, value: &Expr) -> TokenStream {
    let (drawn, place) = (&argument.drawn, value.span());
    if is_text(value) {
        return match argument.passing {
            // It is what is asked for already.
            Passing::Shared if argument.is_unsized() => quote!(#value),
            Passing::Owned => quote_spanned!(place=> ::core::convert::From::from(#value)),
            Passing::Shared => quote_spanned!(place=> &::core::convert::From::from(#value)),
            Passing::Mutable => {
                quote_spanned!(place=> &mut <#drawn as ::core::convert::From<_>>::from(#value))
            }
        };
    }
    // Only text is converted: elsewhere a conversion would leave the type of the value open.
    match argument.passing {
        Passing::Owned => quote!(#value),
        Passing::Shared | Passing::Mutable if matches!(value, Expr::Reference(_)) => quote!(#value),
        Passing::Shared => quote_spanned!(place=> &(#value)),
        Passing::Mutable => quote_spanned!(place=> &mut (#value)),
    }
}

/// Whether a value is a literal of text or bytes.
fn is_text(value: &Expr) -> bool {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => matches!(lit, Lit::Str(_) | Lit::ByteStr(_)),
        Expr::Group(group) => is_text(&group.expr),
        _ => false,
    }
}
