//! What `#[mock]` writes beside a trait: `Mock…`, `Spy…`, and a description of each method.

use super::{Argument, Kind, Method, Subject, speaks_of_self};
use crate::hygiene::local;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Attribute, FnArg, GenericParam, Generics, TraitItemFn, Type, parse_quote};

pub(super) fn mock(subject: &Subject) -> TokenStream {
    let item = subject.item;
    let (name, visibility) = (&item.ident, &item.vis);
    let (mock, spy) = (format_ident!("Mock{}", name.unraw()), format_ident!("Spy{}", name.unraw()));
    let generics = bounded(&item.generics);
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let trait_arguments = item.generics.split_for_impl().1;
    let phantom = phantom(&item.generics);
    let descriptions = subject.methods.iter().map(|method| describe(subject, method));
    let mocked = subject.methods.iter().map(|method| answered(method));
    let real = format_ident!("GainsayReal");
    let mut spy_generics = generics.clone();
    spy_generics.params.push(parse_quote!(#real: #name #trait_arguments));
    let (spy_parameters, spy_arguments, spy_conditions) = spy_generics.split_for_impl();
    let mut passing = spy_generics.clone();
    if !item.supertraits.is_empty() {
        // Whoever wants to spy on such a trait says what a spy has of the others.
        let supertraits = &item.supertraits;
        passing.make_where_clause().predicates.push(parse_quote!(#spy #spy_arguments: #supertraits));
    }
    let passing = passing.split_for_impl().2;
    let spied = subject.methods.iter().map(|method| passed_on(subject, &mock, method));
    let passed_by = subject.defaults.iter().filter_map(|method| passed_by(subject, method));
    let mock_doc = format!("Stands in for a [`{name}`] in tests: asks the specification what to answer.");
    let spy_doc =
        format!("Passes the calls of a [`{name}`] on to a real one; the specification judges both.");
    quote! {
        #[doc = #mock_doc]
        #[derive(Debug, Clone)]
        #visibility struct #mock #parameters #conditions {
            mocks: ::__gainsay::mock::Mocks,
            of: #phantom,
        }

        impl #parameters #mock #arguments #conditions {
            #(#descriptions)*

            /// A mock of the test that is running.
            #visibility fn new() -> Self {
                Self { mocks: ::__gainsay::mock::Mocks::current(), of: ::std::marker::PhantomData }
            }

            /// Answers calls of a method by a closure; they are not judged.
            #visibility fn stub<GainsayArguments: 'static, GainsayAnswer: Send + 'static>(
                self,
                method: ::__gainsay::callout::Method<GainsayArguments, GainsayAnswer>,
                answer: impl FnMut(&mut GainsayArguments) -> GainsayAnswer + Send + 'static,
            ) -> Self {
                self.mocks.stub(method, answer);
                self
            }
        }

        impl #parameters ::std::default::Default for #mock #arguments #conditions {
            fn default() -> Self {
                Self::new()
            }
        }

        impl #parameters #name #trait_arguments for #mock #arguments #conditions {
            #(#mocked)*
        }

        #[doc = #spy_doc]
        #[derive(Debug, Clone)]
        #visibility struct #spy #spy_parameters #spy_conditions {
            mocks: ::__gainsay::mock::Mocks,
            real: #real,
            of: #phantom,
        }

        impl #spy_parameters #spy #spy_arguments #spy_conditions {
            /// A spy on this one.
            #visibility fn new(real: #real) -> Self {
                Self { mocks: ::__gainsay::mock::Mocks::current(), real, of: ::std::marker::PhantomData }
            }
        }

        #[allow(deprecated)]
        impl #spy_parameters #name #trait_arguments for #spy #spy_arguments #passing {
            #(#spied)*
            #(#passed_by)*
        }
    }
}

/// A method with a body of its own, which a real one may have changed: it is passed on, and not judged.
fn passed_by(subject: &Subject, method: &TraitItemFn) -> Option<TokenStream> {
    if speaks_of_self(&method.sig) {
        // Where the real one would have to be a spy, a spy does by itself what the body says.
        return None;
    }
    let mut signature = method.sig.clone();
    let receiver = match signature.receiver() {
        Some(receiver) if receiver.colon_token.is_some() => return None,
        Some(receiver) if receiver.reference.is_none() => quote!(self.real),
        Some(receiver) if receiver.mutability.is_some() => quote!(&mut self.real),
        Some(_) => quote!(&self.real),
        None => return None,
    };
    let names: Vec<Ident> =
        (0..signature.inputs.len() - 1).map(|place| local(&format!("argument{place}"))).collect();
    let arguments = signature.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    });
    for (argument, name) in arguments.zip(&names) {
        *argument.pat = parse_quote!(#name);
    }
    let (trait_name, name) = (&subject.item.ident, &signature.ident);
    let arguments = subject.item.generics.split_for_impl().1;
    let turbofish = arguments.as_turbofish();
    let types: Vec<&Ident> = signature
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(&parameter.ident),
            GenericParam::Const(parameter) => Some(&parameter.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    let types = if types.is_empty() { TokenStream::new() } else { quote!(::<#(#types),*>) };
    let called = quote!(#trait_name #turbofish::#name #types(#receiver, #(#names),*));
    let called = if signature.asyncness.is_some() { quote!(#called.await) } else { called };
    let attributes = kept(&method.attrs);
    Some(quote! {
        #(#attributes)*
        #signature {
            #called
        }
    })
}

/// The attributes of a method that its implementations have as well.
fn kept(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    let only_declared = ["doc", "deprecated", "must_use", "inline", "track_caller"];
    attributes
        .iter()
        .filter(move |attribute| !only_declared.iter().any(|name| attribute.path().is_ident(name)))
}

/// What passes through a mock is noted, compared and shown.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.default = None;
            parameter.eq_token = None;
            parameter.bounds.push(parse_quote!(::std::clone::Clone));
            parameter.bounds.push(parse_quote!(::std::fmt::Debug));
            parameter.bounds.push(parse_quote!(::std::marker::Send));
            parameter.bounds.push(parse_quote!('static));
        }
    }
    generics
}

fn phantom(generics: &Generics) -> TokenStream {
    let types = generics.type_params().map(|parameter| &parameter.ident);
    quote!(::std::marker::PhantomData<fn() -> (#(#types,)*)>)
}

/// The name under which a method is described: its own in capital letters.
fn constant(method: &Method) -> Ident {
    let name = &method.item.sig.ident;
    format_ident!("{}", name.unraw().to_string().to_uppercase(), span = name.span())
}

fn describe(subject: &Subject, method: &Method) -> TokenStream {
    let (constant, visibility) = (constant(method), &subject.item.vis);
    let name = method.item.sig.ident.unraw();
    let shown = format!("{}::{name}", subject.item.ident.unraw());
    let owned = owned_types(method);
    let returns = returned(method);
    let doc = format!("The method `{name}`, for specifications.");
    let conditions = method.item.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    quote! {
        #[doc = #doc]
        #(#conditions)*
        #visibility const #constant: ::__gainsay::callout::Method<(#(#owned,)*), #returns> =
            ::__gainsay::callout::Method::declared(#shown, ::core::module_path!());
    }
}

fn returned(method: &Method) -> TokenStream {
    method.returns.map_or_else(|| quote!(()), |kind| quote!(#kind))
}

fn owned_types(method: &Method) -> Vec<TokenStream> {
    method.arguments.iter().map(|argument| owned_type(&argument.kind)).collect()
}

fn owned_type(kind: &Kind) -> TokenStream {
    match kind {
        Kind::Owned(kind) | Kind::Borrowed(kind) => quote!(#kind),
        Kind::Text => quote!(::std::string::String),
        Kind::Unsized(kind) => quote!(<#kind as ::std::borrow::ToOwned>::Owned),
        Kind::Slice(element) => quote!(::std::vec::Vec<#element>),
        Kind::Lent(Type::Slice(slice)) => {
            let element = &slice.elem;
            quote!(::std::vec::Vec<#element>)
        }
        Kind::Lent(kind) => quote!(#kind),
    }
}

/// What is noted of an argument.
fn owned(argument: &Argument) -> TokenStream {
    let name = &argument.name;
    match &argument.kind {
        Kind::Owned(_) => quote!(::std::clone::Clone::clone(&#name)),
        Kind::Text => quote!(::std::string::String::from(#name)),
        Kind::Unsized(_) => quote!(::std::borrow::ToOwned::to_owned(#name)),
        Kind::Slice(_) | Kind::Lent(Type::Slice(_)) => quote!(<[_]>::to_vec(#name)),
        Kind::Borrowed(_) | Kind::Lent(_) => quote!(::std::clone::Clone::clone(&*#name)),
    }
}

/// How an argument that was lent gets its new value.
fn given_back(method: &str, argument: &Argument, value: &TokenStream) -> Option<TokenStream> {
    let name = &argument.name;
    match &argument.kind {
        Kind::Lent(Type::Slice(_)) => Some(quote!(::__gainsay::mock::give_back(#method, #name, &#value);)),
        Kind::Lent(_) => Some(quote!(*#name = #value;)),
        _ => None,
    }
}

/// A method that the specification answers.
fn answered(method: &Method) -> TokenStream {
    let (attributes, signature) = (&method.item.attrs, &method.item.sig);
    let attributes = kept(attributes);
    let constant = constant(method);
    let owned = method.arguments.iter().map(owned);
    let (answer, after, probe) = (local("answer"), local("after"), local("probe"));
    let returns = returned(method);
    let back: Vec<TokenStream> = method
        .arguments
        .iter()
        .enumerate()
        .filter_map(|(place, argument)| {
            let place = syn::Index::from(place);
            given_back(&method.item.sig.ident.to_string(), argument, &quote!(#after.#place))
        })
        .collect();
    let back = if back.is_empty() {
        quote!(let _ = #after;)
    } else {
        quote!(if let ::std::option::Option::Some(#after) = #after { #(#back)* })
    };
    quote! {
        #(#attributes)*
        #signature {
            // The answer while the thread unwinds, if the type has a default.
            let #probe: fn() -> ::std::option::Option<#returns> = || {
                #[allow(unused_imports)]
                use ::__gainsay::mock::{NoDefault as _, OkDefault as _, SomeDefault as _};
                (&&&::__gainsay::mock::probe::<#returns>()).default_answer()
            };
            let (#answer, #after) = self.mocks.call(Self::#constant, (#(#owned,)*), #probe);
            #back
            #answer
        }
    }
}

/// A method that a real one answers.
fn passed_on(subject: &Subject, mock: &Ident, method: &Method) -> TokenStream {
    let (attributes, signature) = (&method.item.attrs, &method.item.sig);
    let attributes = kept(attributes);
    let name = &method.item.sig.ident;
    let trait_name = &subject.item.ident;
    let arguments = subject.item.generics.split_for_impl().1;
    let turbofish = arguments.as_turbofish();
    let constant = constant(method);
    let noted: Vec<TokenStream> = method.arguments.iter().map(owned).collect();
    let names = method.arguments.iter().map(|argument| {
        let name = &argument.name;
        if matches!(argument.kind, Kind::Lent(_)) { quote!(&mut *#name) } else { quote!(#name) }
    });
    let receiver = match signature.receiver() {
        Some(receiver) if receiver.reference.is_none() => quote!(self.real),
        Some(receiver) if receiver.mutability.is_some() => quote!(&mut self.real),
        _ => quote!(&self.real),
    };
    let (spied, after, value) = (local("spied"), local("after"), local("value"));
    let call = quote!(#trait_name #turbofish::#name(#receiver, #(#names),*));
    // What was lent is looked at again.
    let seen: Vec<TokenStream> = method
        .arguments
        .iter()
        .enumerate()
        .filter(|(_, argument)| matches!(argument.kind, Kind::Lent(_)))
        .map(|(place, argument)| {
            let (place, owned) = (syn::Index::from(place), owned(argument));
            quote!(#after.#place = #owned;)
        })
        .collect();
    let answered = match signature.asyncness {
        Some(_) => quote!(::__gainsay::mock::caught_async(#call).await),
        None => quote!(::__gainsay::mock::caught(|| #call)),
    };
    quote! {
        #(#attributes)*
        #signature {
            let #spied = self.mocks.spy(#mock #turbofish::#constant, (#(#noted,)*));
            let #value = match #answered {
                ::core::result::Result::Ok(value) => value,
                ::core::result::Result::Err(panic) => #spied.panicked(panic),
            };
            #spied.returned(
                |#after| {
                    #(#seen)*
                    let _ = #after;
                },
                #value,
            )
        }
    }
}
