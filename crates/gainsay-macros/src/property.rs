//! `#[property]`: from a function to a test.

mod argument;
mod emit;
mod example;
mod settings;

use crate::mistakes::Mistakes;
use crate::renamed;
use argument::Inputs;
use example::Example;
use proc_macro2::{Group, TokenStream};
use quote::ToTokens;
use settings::Setting;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Signature, Visibility};

/// A property as written, free of mistakes that can be seen in it.
struct Property {
    /// What shall stand on the test.
    attributes: Vec<Attribute>,
    visibility: Visibility,
    /// As written, less the attributes that are ours.
    signature: Signature,
    body: Group,
    inputs: Inputs,
    settings: Vec<Setting>,
    examples: Vec<Example>,
}

/// A function whose body is taken as it is: it is none of our business, and may be half written.
struct Function {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    body: Group,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> Result<Function, Error> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse().map_err(|error| {
            Error::new(error.span(), format!("`#[property]` stands on a function with arguments: {error}"))
        })?;
        let body = input.parse()?;
        Ok(Function { attributes, visibility, signature, body })
    }
}

/// The test, or the mistakes.
pub(crate) fn expand(settings: TokenStream, function: TokenStream) -> Result<TokenStream, Error> {
    let (gainsay, settings) = renamed::take(settings)?;
    let property = check(settings, syn::parse2(function)?)?;
    Ok(gainsay.put_into(emit::test(&property)))
}

fn check(settings: TokenStream, function: Function) -> Result<Property, Error> {
    let Function { mut attributes, visibility, mut signature, body } = function;
    let mut mistakes = Mistakes::default();
    let inputs = argument::read(&mut signature, &mut mistakes);
    let examples = example::take(&mut attributes);
    // An argument that could not be read is missing: examples would be counted wrongly.
    let examples = if mistakes.are_none() {
        example::read(&examples, &inputs.arguments, &mut mistakes)
    } else {
        Vec::new()
    };
    let settings = settings::read(settings, &mut mistakes);
    check_kind(&signature, &mut mistakes);
    for attribute in
        attributes.iter().filter(|a| a.path().segments.last().is_some_and(|last| last.ident == "test"))
    {
        mistakes.add(Error::new_spanned(
            attribute,
            "`#[property]` makes the test already: remove this attribute",
        ));
    }
    mistakes.or(Property { attributes, visibility, signature, body, inputs, settings, examples })
}

/// Refuses functions that a test harness or a generator of arguments could not call.
fn check_kind(signature: &Signature, mistakes: &mut Mistakes) {
    let name = &signature.ident;
    let mut refuse = |token: &dyn ToTokens, message: String| mistakes.add(Error::new_spanned(token, message));
    if let Some(token) = &signature.constness {
        refuse(token, format!("a property is no `const fn`: remove `const` from `{name}`"));
    }
    if let Some(token) = &signature.unsafety {
        let way_out = format!("move the `unsafe` into the body of `{name}`");
        refuse(token, format!("a property cannot be unsafe to call: {way_out}"));
    }
    if let Some(abi) = &signature.abi {
        let way_out = format!("call the foreign function in the body of `{name}`");
        refuse(abi, format!("a property has no foreign calling convention: {way_out}"));
    }
    for parameter in &signature.generics.params {
        let way_out = match parameter {
            syn::GenericParam::Lifetime(_) => "leave the lifetime out, arguments are borrowed for one case",
            _ => "write it for one type, and call it from a property for each of the others",
        };
        refuse(parameter, format!("the property `{name}` cannot be generic: {way_out}"));
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    /// Each bound that is broken is one error: nothing else may depend on the type.
    #[test]
    fn a_type_is_drawn_by_one_bound() {
        let function = quote!(
            fn small(a: Unknown, b: &Unknown) -> bool {
                true
            }
        );
        let emitted = super::expand(quote!(), function).expect("nothing is wrong").to_string();
        assert!(emitted.contains("any_argument :: < Unknown >"), "{emitted}");
        assert!(emitted.contains("any_argument_again :: < Unknown >"), "{emitted}");
        assert!(!emitted.contains(":: any ::") && !emitted.contains("(Unknown ,"), "{emitted}");
    }
}
