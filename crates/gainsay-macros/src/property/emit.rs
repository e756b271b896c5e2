//! What `#[property]` writes.

use super::Property;
use super::argument::{Argument, Inputs, Passing};
use super::example::{Example, passed};
use super::settings::Setting;
use crate::hygiene::{local, local_at};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, ReturnType};

/// More arguments than this make no tuple whose values can be counted.
const COUNTED_MAX: usize = 12;

/// The test. Inside of it stands the function as written, under its own name, so that it may call itself.
pub(super) fn test(property: &Property) -> TokenStream {
    let Property { attributes, visibility, signature, body, inputs, settings, examples } = property;
    let name = &signature.ident;
    let (case, settings_name, function) = (local("case"), local("settings"), local("function"));
    let settings = settings.iter().map(Setting::call);
    let examples = examples.iter().map(|example| example_call(property, example));
    let cardinality = cardinality(inputs);
    let judge = judge(property);
    let path = quote!(::core::concat!(::core::module_path!(), "::", ::core::stringify!(#name)));
    // With the place of the name all over, a failing test points there instead of at the attribute.
    let check = quote_spanned! {name.span()=>
        ::__gainsay::check_property(
            #settings_name,
            #path,
            #cardinality,
            &|#case: &mut ::__gainsay::Case| -> ::__gainsay::Outcome { #judge },
        );
    };
    let (test, call) = how_it_runs(name, attributes);
    quote! {
        #(#attributes)*
        #test
        #visibility fn #name() {
            #signature #body

            // An argument may have the name of its property.
            let #function = #name;
            let #settings_name = ::__gainsay::settings() #(#settings)* #(#examples)*;
            #check
        }
        #call
    }
}

/// What stands before the test and behind it. Tests in a documentation example are not collected: there it is called at once.
fn how_it_runs(name: &Ident, attributes: &[Attribute]) -> (TokenStream, TokenStream) {
    // (Those that fail, or are not run otherwise either, are left to the reader.)
    let is_left = |attribute: &Attribute| {
        attribute.path().is_ident("ignore") || attribute.path().is_ident("should_panic")
    };
    if is_documentation_example() && !attributes.iter().any(is_left) {
        (TokenStream::new(), quote_spanned!(name.span()=> #name();))
    } else {
        (quote!(#[::core::prelude::v1::test]), TokenStream::new())
    }
}

/// Whether the compiler was called by `rustdoc --test`, which says which file an example is in, or puts several into one bundle.
fn is_documentation_example() -> bool {
    std::env::var_os("UNSTABLE_RUSTDOC_TEST_PATH").is_some()
        || std::env::args_os().any(|argument| argument.to_string_lossy().contains("doctest_bundle"))
}

/// Draws the arguments; if the engine wants it, calls the property.
fn judge(property: &Property) -> TokenStream {
    let inputs = &property.inputs;
    let case = local("case");
    let draws = inputs.arguments.iter().map(draw);
    let again = inputs.arguments.iter().filter(|argument| is_kept(argument));
    let memory = again.clone().map(|argument| {
        let (kept, drawn) = (kept(argument), &argument.drawn);
        quote!(let mut #kept: ::core::option::Option<#drawn> = ::core::option::Option::None;)
    });
    let memory = quote!(#(#memory)*);
    let gone = again.map(|argument| {
        let (kept, drawn) = (kept(argument), &argument.drawn);
        quote_spanned!(drawn.span()=> ::__gainsay::Case::let_any_go::<#drawn>(&mut #kept);)
    });
    let stop = if inputs.takes_case { quote!(#case.is_over()) } else { quote!(!#case.ready()) };
    let names = inputs.arguments.iter().map(|argument| {
        let name = &argument.name;
        quote!(#name)
    });
    let outcome = outcome(property, &local("function"), names.collect());
    let judged = local("outcome");
    // The arguments end with their case: whatever their ends do belongs to it.
    let one = quote! {
        let #judged = {
            #(#draws)*
            if #stop {
                ::__gainsay::Outcome::of(::__gainsay::Status::Unjudged)
            } else {
                #outcome
            }
        };
        #(#gone)*
    };
    if inputs.takes_case {
        return quote!(#memory #one #judged);
    }
    // A plain pass goes straight on to the next case.
    quote! {
        #memory
        loop {
            #one
            if !::__gainsay::Case::go_on(#case, &#judged) {
                return #judged;
            }
        }
    }
}

/// The memory for an argument that the property only looks at.
fn kept(argument: &Argument) -> Ident {
    local_at(&format!("kept_{}", argument.name.unraw()), argument.drawn.span())
}

/// Whether an argument is drawn into the memory of the case before. What a generator makes may borrow from other arguments.
fn is_kept(argument: &Argument) -> bool {
    argument.passing == Passing::Shared && argument.generator.is_none()
}

/// Draws one argument. Its name then has the type it was declared with, for the generators of later arguments.
fn draw(argument: &Argument) -> TokenStream {
    let Argument { name, shown, declared, drawn, passing, generator } = argument;
    let (case, value) = (local("case"), local("value"));
    // What cannot be drawn, or cannot be shown, is complained about where it is declared.
    let place = generator.as_ref().map_or_else(|| drawn.span(), Spanned::span);
    if is_kept(argument) {
        let kept = kept(argument);
        let draw = quote_spanned!(place=> ::__gainsay::Case::any_argument_again::<#drawn>(#case, #shown, &mut #kept));
        return quote!(let #name: #declared = #draw;);
    }
    let draw = match generator {
        Some(generator) => quote_spanned!(place=> ::__gainsay::Case::argument(#case, #shown, #generator)),
        None => quote_spanned!(place=> ::__gainsay::Case::any_argument::<#drawn>(#case, #shown)),
    };
    match passing {
        Passing::Owned => quote!(let #name: #declared = #draw;),
        Passing::Shared => quote! {
            let #value: #drawn = #draw;
            let #name: #declared = &#value;
        },
        Passing::Mutable => quote! {
            let mut #value: #drawn = #draw;
            let #name: #declared = &mut #value;
        },
    }
}

fn example_call(property: &Property, example: &Example) -> TokenStream {
    let Example { shown, values } = example;
    let arguments = &property.inputs.arguments;
    let case = if property.inputs.takes_case { local("case") } else { local("_case") };
    let outcome = outcome(
        property,
        &property.signature.ident,
        arguments.iter().zip(values).map(|(argument, value)| passed(argument, value)).collect(),
    );
    quote!(.example(#shown, |#case: &mut ::__gainsay::Case| -> ::__gainsay::Outcome { #outcome }))
}

/// What the property says about these arguments.
fn outcome(property: &Property, function: &Ident, arguments: Vec<TokenStream>) -> TokenStream {
    let signature = &property.signature;
    let case = property.inputs.takes_case.then(|| {
        let case = local("case");
        quote!(#case,)
    });
    let call = quote!(#function(#case #(#arguments),*));
    // What is no claim is complained about where the return type stands.
    let said = match &signature.output {
        ReturnType::Default => local("said"),
        ReturnType::Type(_, claim) => local_at("said", claim.span()),
    };
    match signature.asyncness {
        None => quote! {
            let #said = #call;
            ::__gainsay::Claim::outcome(#said)
        },
        Some(_) => quote! {
            ::__gainsay::block_on(::std::boxed::Box::pin(async {
                let #said = #call.await;
                ::__gainsay::Claim::outcome(#said)
            }))
        },
    }
}

/// How many cases there are: known only if everything is drawn by its type.
fn cardinality(inputs: &Inputs) -> TokenStream {
    let arguments = &inputs.arguments;
    let plain = arguments.iter().all(|argument| argument.generator.is_none());
    if inputs.takes_case || !plain || arguments.len() > COUNTED_MAX {
        return quote!(::core::option::Option::None);
    }
    // A type that cannot be drawn is complained about where it stands, and once.
    let each = arguments
        .iter()
        .map(|Argument { drawn, .. }| quote_spanned!(drawn.span()=> ::__gainsay::cardinality::<#drawn>()));
    quote!(::__gainsay::cardinality_of_all(&[#(#each),*]))
}
