//! The arguments of a property: what is drawn for each, and how it is passed.

use crate::attributes::{refuse, take_with};
use crate::hygiene::local;
use crate::mistakes::Mistakes;
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, Expr, FnArg, Ident, Pat, PatType, Signature, Type, TypeReference};

/// What a property takes.
pub(super) struct Inputs {
    /// Whether the case itself comes first.
    pub(super) takes_case: bool,
    pub(super) arguments: Vec<Argument>,
}

/// An argument that is drawn.
pub(super) struct Argument {
    /// The variable that holds it while the others are drawn.
    pub(super) name: Ident,
    /// How it is called in reports: by its name, if it has one.
    pub(super) shown: String,
    /// The type as written.
    pub(super) declared: Type,
    /// The type of the value that is drawn: `String` for `&str`.
    pub(super) drawn: Type,
    pub(super) passing: Passing,
    /// The generator named by `#[with(…)]`.
    pub(super) generator: Option<Expr>,
}

/// How a drawn value gets to the property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passing {
    Owned,
    Shared,
    Mutable,
}

/// Reads the arguments, and takes `#[with(…)]` out of the signature.
pub(super) fn read(signature: &mut Signature, mistakes: &mut Mistakes) -> Inputs {
    let mut inputs = Inputs { takes_case: false, arguments: Vec::new() };
    if signature.inputs.is_empty() {
        let message = format!(
            "the property `{0}` has no arguments, so that all its cases are equal: make it a `#[test]`",
            signature.ident
        );
        mistakes.add(Error::new(signature.paren_token.span.join(), message));
    }
    for (place, input) in signature.inputs.iter_mut().enumerate() {
        match input {
            FnArg::Receiver(receiver) => mistakes.add(Error::new_spanned(
                receiver,
                "a property belongs to no type: make it a function, and draw the value as an argument",
            )),
            FnArg::Typed(typed) if is_case(&typed.ty) => {
                refuse("with", &typed.attrs, "an argument that is drawn", mistakes);
                if place == 0 {
                    inputs.takes_case = true;
                } else {
                    mistakes.add(Error::new_spanned(
                        typed,
                        "the case must be the first argument: move it to the front",
                    ));
                }
            }
            FnArg::Typed(typed) => {
                let number = place + 1 - usize::from(inputs.takes_case);
                inputs.arguments.extend(argument(typed, number, mistakes));
            }
        }
    }
    inputs
}

fn argument(typed: &mut PatType, number: usize, mistakes: &mut Mistakes) -> Option<Argument> {
    let generator = take_with(&mut typed.attrs, mistakes);
    for attribute in typed.attrs.iter().filter(|a| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr"))
    {
        mistakes.add(Error::new_spanned(
            attribute,
            "an argument cannot depend on the configuration: write a property for each",
        ));
    }
    let (name, shown) = name(&typed.pat, number);
    let (drawn, passing) = mistakes.sift(drawn(&typed.ty))?;
    Some(Argument { name, shown, declared: (*typed.ty).clone(), drawn, passing, generator })
}

/// The variable that holds an argument, and how it is shown. What has no name of its own is the n-th.
fn name(pattern: &Pat, number: usize) -> (Ident, String) {
    let unnamed = || local(&format!("argument_{number}"));
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            (name.ident.clone(), name.ident.unraw().to_string())
        }
        Pat::Wild(_) => (unnamed(), format!("#{number}")),
        _ => {
            let written = pattern.span().source_text();
            (unnamed(), written.unwrap_or_else(|| pattern.to_token_stream().to_string()))
        }
    }
}

/// What is drawn for an argument of this type, and how it is passed.
fn drawn(declared: &Type) -> Result<(Type, Passing), Error> {
    match bare(declared) {
        Type::ImplTrait(_) => Err(Error::new_spanned(
            declared,
            "a value of `impl Trait` cannot be drawn: name a type that implements it",
        )),
        Type::Reference(reference) => {
            if let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident != "_") {
                return Err(Error::new_spanned(
                    lifetime,
                    "an argument is borrowed for one case and not longer: leave the lifetime out, or take it owned",
                ));
            }
            let passing = if reference.mutability.is_some() { Passing::Mutable } else { Passing::Shared };
            Ok((owned(reference), passing))
        }
        _ => Ok((declared.clone(), Passing::Owned)),
    }
}

/// What a reference of this type can be borrowed from.
fn owned(reference: &TypeReference) -> Type {
    let span = reference.elem.span();
    match bare(&reference.elem) {
        Type::Path(path) if path.path.is_ident("str") => {
            Type::Verbatim(quote_spanned!(span=> ::std::string::String))
        }
        Type::Slice(slice) => {
            let item = &slice.elem;
            Type::Verbatim(quote_spanned!(span=> ::std::vec::Vec<#item>))
        }
        other => other.clone(),
    }
}

/// Whether this is `&mut Case`, by its last name: more cannot be known here.
fn is_case(declared: &Type) -> bool {
    let Type::Reference(reference) = bare(declared) else {
        return false;
    };
    match bare(&reference.elem) {
        Type::Path(path) => {
            reference.mutability.is_some()
                && path.path.segments.last().is_some_and(|last| last.ident == "Case")
        }
        _ => false,
    }
}

/// A type without parentheses, and without the invisible ones that `macro_rules` puts around it.
fn bare(declared: &Type) -> &Type {
    match declared {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        other => other,
    }
}

impl Argument {
    /// Whether what is borrowed has a length of its own: `str` or a slice.
    pub(super) fn is_unsized(&self) -> bool {
        match bare(&self.declared) {
            Type::Reference(reference) => match bare(&reference.elem) {
                Type::Path(path) => path.path.is_ident("str"),
                other => matches!(other, Type::Slice(_)),
            },
            _ => false,
        }
    }
}
