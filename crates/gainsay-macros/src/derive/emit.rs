//! What `#[derive(Arbitrary)]` writes.

use super::{Field, Shape, Subject, Variant};
use crate::hygiene::local;
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Generics, Index, parse_quote};

/// `Arbitrary`, and `Indexable` where all choices are described.
pub(super) fn implementations(subject: &Subject) -> TokenStream {
    let arbitrary = arbitrary(subject);
    let indexable = subject.is_described().then(|| indexable(subject));
    quote!(#arbitrary #indexable)
}

fn arbitrary(subject: &Subject) -> TokenStream {
    let Subject { name, generics, shape } = subject;
    let generics = bounded(generics, &quote!(::__gainsay::Arbitrary));
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let (case, grammar) = (local("case"), local("grammar"));
    let label = name.unraw().to_string();
    let (draw, space) = match shape {
        Shape::Struct(fields) => (construct(&quote!(Self), fields), sequence(fields)),
        Shape::Enum(variants) => (choose(variants), alternatives(variants)),
    };
    // A struct without fields draws nothing.
    let inner = if matches!(shape, Shape::Struct(fields) if fields.is_empty()) {
        local("_case")
    } else {
        case.clone()
    };
    quote! {
        #[automatically_derived]
        impl #parameters ::__gainsay::Arbitrary for #name #arguments #conditions {
            fn arbitrary(#case: &mut ::__gainsay::Case) -> Self {
                #case.span(#label, |#inner| #draw)
            }

            fn space(#grammar: &mut ::__gainsay::Grammar) -> ::__gainsay::Space {
                #space
            }
        }
    }
}

/// Fields are not bounded, only parameters are: of a recursive type, nobody could prove that a field is indexable first.
fn indexable(subject: &Subject) -> TokenStream {
    let Subject { name, generics, .. } = subject;
    let generics = bounded(generics, &quote!(::__gainsay::Indexable));
    let (parameters, arguments, conditions) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters ::__gainsay::Indexable for #name #arguments #conditions {}
    }
}

fn bounded(generics: &Generics, bound: &TokenStream) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#bound));
    }
    generics
}

/// Draws a variant, then its fields.
fn choose(variants: &[Variant]) -> TokenStream {
    let case = local("case");
    let weights = variants.iter().map(|variant| variant.weight);
    let last = variants.len() - 1;
    let arms = variants.iter().enumerate().map(|(place, variant)| {
        let name = &variant.name;
        let value = construct(&quote!(Self::#name), &variant.fields);
        if place == last { quote!(_ => #value,) } else { quote!(#place => #value,) }
    });
    quote!(match #case.variant::<Self>(const { &[#(#weights),*] }) { #(#arms)* })
}

/// Draws the fields in order. Braces are right for all kinds of structs: `Self { 0: … }`.
fn construct(path: &TokenStream, fields: &[Field]) -> TokenStream {
    if fields.iter().all(|field| field.generator.is_none()) {
        let fields = fields.iter().enumerate().map(|(place, field)| {
            let value = draw(field);
            match &field.name {
                Some(name) => quote!(#name: #value),
                None => {
                    let place = Index::from(place);
                    quote!(#place: #value)
                }
            }
        });
        return quote!(#path { #(#fields),* });
    }
    // Fields get their own names, so that generators of later ones can use them.
    let names = fields
        .iter()
        .enumerate()
        .map(|(place, field)| field.name.clone().unwrap_or_else(|| local(&format!("field_{place}"))));
    let names: Vec<Ident> = names.collect();
    let draws = names.iter().zip(fields).map(|(name, field)| {
        let (ty, value) = (&field.ty, draw(field));
        quote!(let #name: #ty = #value;)
    });
    let members = names.iter().zip(fields).enumerate().map(|(place, (name, field))| match &field.name {
        Some(_) => quote!(#name),
        None => {
            let place = Index::from(place);
            quote!(#place: #name)
        }
    });
    quote!({ #(#draws)* #path { #(#members),* } })
}

fn draw(field: &Field) -> TokenStream {
    let (case, ty) = (local("case"), &field.ty);
    match &field.generator {
        Some(generator) => quote!(#case.draw_from(#generator)),
        None => {
            // A type that cannot be drawn is complained about where it stands.
            let any = quote_spanned!(ty.span()=> any::<#ty>);
            quote!(#case.#any())
        }
    }
}

fn alternatives(variants: &[Variant]) -> TokenStream {
    let grammar = local("grammar");
    let spaces = variants.iter().map(|variant| sequence(&variant.fields));
    let variants = local("variants");
    quote! {
        let #variants = ::std::vec![#({ #spaces }),*];
        #grammar.alternatives(#variants)
    }
}

fn sequence(fields: &[Field]) -> TokenStream {
    let (grammar, parts) = (local("grammar"), local("parts"));
    let spaces = fields.iter().map(|field| match &field.generator {
        Some(_) => quote!(#grammar.opaque()),
        None => {
            let ty = &field.ty;
            quote!(#grammar.of::<#ty>())
        }
    });
    quote! {
        let #parts = ::std::vec![#(#spaces),*];
        #grammar.seq(#parts)
    }
}
