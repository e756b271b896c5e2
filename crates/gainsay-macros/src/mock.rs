//! `#[mock]`: a trait is read, checked and followed by a mock and a spy of it.

mod emit;

use crate::mistakes::Mistakes;
use crate::renamed;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Error, FnArg, GenericParam, ItemTrait, Pat, ReturnType, Signature, TraitItem, TraitItemFn, Type};

/// A trait that can be mocked.
pub(crate) struct Subject<'a> {
    item: &'a ItemTrait,
    methods: Vec<Method<'a>>,
    /// What has a body needs no mock, and a spy passes it on.
    defaults: Vec<&'a TraitItemFn>,
}

/// A method that mocks answer.
pub(crate) struct Method<'a> {
    item: &'a TraitItemFn,
    arguments: Vec<Argument<'a>>,
    /// `None`: nothing.
    returns: Option<&'a Type>,
}

/// An argument of a method.
pub(crate) struct Argument<'a> {
    name: Ident,
    kind: Kind<'a>,
}

/// How an argument is handed over, and what is kept of it.
pub(crate) enum Kind<'a> {
    Owned(&'a Type),
    Text,
    Slice(&'a Type),
    Borrowed(&'a Type),
    /// A type without a size that has an owned twin, such as a path.
    Unsized(&'a Type),
    /// Lent to be changed: what the call is answered may say how.
    Lent(&'a Type),
}

pub(crate) fn expand(settings: TokenStream, item: TokenStream) -> Result<TokenStream, Error> {
    let item: ItemTrait = syn::parse2(item)?;
    let (gainsay, settings) = renamed::take(settings)?;
    if !settings.is_empty() {
        return Err(Error::new(settings.span(), "`#[mock]` has no settings but `crate = gs`"));
    }
    let mut mistakes = Mistakes::default();
    let subject = read(&item, &mut mistakes);
    match mistakes.or(()) {
        Ok(()) => {
            let mock = gainsay.put_into(emit::mock(&subject));
            Ok(quote!(#item #mock))
        }
        Err(error) => {
            let error = error.into_compile_error();
            // The trait itself is all right: only one mistake is shown for everything that uses it.
            Ok(quote!(#item #error))
        }
    }
}

fn read<'a>(item: &'a ItemTrait, mistakes: &mut Mistakes) -> Subject<'a> {
    let name = &item.ident;
    if let Some(unsafety) = &item.unsafety {
        let why = format!("`{name}` cannot be mocked: it is unsafe, and nobody vouches for a mock");
        mistakes.add(Error::new(unsafety.span(), why));
    }
    for parameter in &item.generics.params {
        match parameter {
            GenericParam::Type(_) => {}
            GenericParam::Lifetime(lifetime) => mistakes.add(Error::new(
                lifetime.span(),
                format!("`{name}` cannot be mocked: it has a lifetime, and what a mock notes of a call must outlive it"),
            )),
            GenericParam::Const(constant) => mistakes
                .add(Error::new(constant.span(), format!("`{name}` cannot be mocked: it has a constant parameter"))),
        }
    }
    let (mut methods, mut defaults) = (Vec::new(), Vec::new());
    for part in &item.items {
        match part {
            TraitItem::Fn(method) if method.default.is_some() => defaults.push(method),
            TraitItem::Fn(method) => methods.extend(mistakes.sift(read_method(name, method))),
            TraitItem::Type(kind) => mistakes.add(Error::new(
                kind.span(),
                format!(
                    "`{name}` cannot be mocked: nobody can say what `{}` is in a mock; make it a parameter of the trait",
                    kind.ident
                ),
            )),
            TraitItem::Const(constant) if constant.default.is_some() => {}
            other => mistakes.add(Error::new(
                other.span(),
                format!("`{name}` cannot be mocked: this is not a method, and has no default"),
            )),
        }
    }
    let constant = |method: &Method<'_>| method.item.sig.ident.unraw().to_string().to_uppercase();
    for (place, method) in methods.iter().enumerate() {
        if let Some(other) = methods[..place].iter().find(|other| constant(other) == constant(method)) {
            mistakes.add(Error::new(
                method.item.sig.ident.span(),
                format!(
                    "`{name}` cannot be mocked: `{}` and `{}` would both be `{}` in a specification; rename one",
                    other.item.sig.ident,
                    method.item.sig.ident,
                    constant(method)
                ),
            ));
        }
    }
    Subject { item, methods, defaults }
}

fn read_method<'a>(of: &Ident, item: &'a TraitItemFn) -> Result<Method<'a>, Error> {
    let name = item.sig.ident.unraw();
    let refuse = |place: proc_macro2::Span, why: &str| {
        Error::new(place, format!("`{of}::{name}` cannot be mocked: {why}"))
    };
    if let Some(GenericParam::Type(_) | GenericParam::Const(_)) =
        item.sig.generics.params.iter().find(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
    {
        let why = "it is generic, and a specification must know the types of its calls; make the parameter one of the trait";
        return Err(refuse(item.sig.generics.span(), why));
    }
    match item.sig.receiver() {
        None => {
            return Err(refuse(
                item.sig.span(),
                "it has no `self`, so that no mock is called; give it a body",
            ));
        }
        Some(receiver) if receiver.colon_token.is_some() => {
            return Err(refuse(
                receiver.span(),
                "its `self` has a type of its own; use `self`, `&self` or `&mut self`",
            ));
        }
        Some(_) => {}
    }
    if let Some(unsafety) = &item.sig.unsafety {
        return Err(refuse(unsafety.span(), "it is unsafe"));
    }
    let mut arguments = Vec::new();
    for input in item.sig.inputs.iter() {
        let FnArg::Typed(input) = input else { continue };
        let Pat::Ident(pattern) = &*input.pat else {
            return Err(refuse(input.pat.span(), "an argument has no name"));
        };
        let kind = kind_of(&input.ty);
        if let Some((place, why)) = obstacle(&input.ty, &kind) {
            return Err(refuse(place, why));
        }
        arguments.push(Argument { name: pattern.ident.clone(), kind });
    }
    if arguments.len() > ARGUMENTS_MAX {
        let why = "it takes more than 12 arguments, which cannot be shown together; take some of them as one struct";
        return Err(refuse(item.sig.inputs.span(), why));
    }
    let returns = match &item.sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, kind) => Some(&**kind),
    };
    if let Some(kind) = returns {
        if borrows(kind) {
            let why = "it returns something borrowed, which a mock does not have; return an owned value";
            return Err(refuse(kind.span(), why));
        }
        if found(kind, |kind| matches!(kind, Type::TraitObject(_))) {
            let why = "it returns something behind a `dyn`, which can neither be compared nor shown; return a type with a name \
                       (of a future: write `async fn`)";
            return Err(refuse(kind.span(), why));
        }
        if found(kind, |kind| matches!(kind, Type::ImplTrait(_) | Type::Never(_))) {
            return Err(refuse(kind.span(), "nobody can name what it returns"));
        }
        if found(kind, is_self) {
            let why = "it returns `Self`, and a specification would have to make a mock; give it a body, or return something else";
            return Err(refuse(kind.span(), why));
        }
    }
    Ok(Method { item, arguments, returns })
}

/// So many values are shown together.
const ARGUMENTS_MAX: usize = 12;

/// `Self`, or what belongs to it.
fn is_self(kind: &Type) -> bool {
    matches!(kind, Type::Path(path) if path.path.segments.first().is_some_and(|first| first.ident == "Self"))
}

/// Whether `Self` is among the types of a method.
fn speaks_of_self(signature: &Signature) -> bool {
    let returns = match &signature.output {
        ReturnType::Type(_, kind) => Some(&**kind),
        ReturnType::Default => None,
    };
    let arguments = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(&*input.ty),
        FnArg::Receiver(_) => None,
    });
    arguments.chain(returns).any(|kind| found(kind, is_self))
}

/// Why an argument cannot be noted, and where.
fn obstacle(kind: &Type, read: &Kind) -> Option<(proc_macro2::Span, &'static str)> {
    if found(kind, is_self) {
        return Some((
            kind.span(),
            "an argument is `Self`, which for a mock would be a mock; give the method a body",
        ));
    }
    if found(kind, |kind| matches!(kind, Type::ImplTrait(_))) {
        return Some((
            kind.span(),
            "it is generic (`impl …`), and a specification must know the types of its calls",
        ));
    }
    if found(kind, |kind| matches!(kind, Type::TraitObject(_))) {
        let why =
            "an argument is behind a `dyn`, which can neither be kept nor shown; take a type with a name";
        return Some((kind.span(), why));
    }
    if found(kind, hides_lifetime) {
        let why = "an argument borrows without saying so (its lifetime is left out), and a mock cannot keep it; take it owned";
        return Some((kind.span(), why));
    }
    let kept = match read {
        Kind::Owned(kind)
        | Kind::Slice(kind)
        | Kind::Borrowed(kind)
        | Kind::Unsized(kind)
        | Kind::Lent(kind) => kind,
        Kind::Text => return None,
    };
    let why = "an argument has something borrowed inside, which a mock cannot keep; take it owned, or as a plain reference";
    if let Kind::Lent(Type::Path(path)) = read
        && (path.path.is_ident("str") || is_unsized(path))
    {
        return Some((kind.span(), "an argument without a size is lent to be changed; lend an owned one"));
    }
    (borrows(kept) && !is_static(kept)).then(|| (kind.span(), why))
}

/// Whether a type of the standard library is known by its name to borrow, and does not say for how long.
fn hides_lifetime(kind: &Type) -> bool {
    let Type::Path(path) = kind else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let says = matches!(&last.arguments, syn::PathArguments::AngleBracketed(arguments)
        if arguments.args.iter().any(|argument| matches!(argument, syn::GenericArgument::Lifetime(_))));
    !says && matches!(last.ident.to_string().as_str(), "Cow" | "Formatter" | "Arguments" | "Chars")
}

fn is_static(kind: &Type) -> bool {
    let Type::Reference(reference) = kind else { return false };
    reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static")
        && !borrows(&reference.elem)
}

/// Whether a type, or one in it, is such.
fn found(kind: &Type, is_such: fn(&Type) -> bool) -> bool {
    struct Finder(bool, fn(&Type) -> bool);

    impl<'a> Visit<'a> for Finder {
        fn visit_type(&mut self, kind: &'a Type) {
            self.0 |= (self.1)(kind);
            syn::visit::visit_type(self, kind);
        }
    }

    let mut finder = Finder(false, is_such);
    finder.visit_type(kind);
    finder.0
}

/// Whether a type of the standard library is known by its name to have no size.
fn is_unsized(path: &syn::TypePath) -> bool {
    let last = path.path.segments.last().map(|segment| segment.ident.to_string());
    matches!(last.as_deref(), Some("Path" | "OsStr" | "CStr"))
}

/// Whether a type has a reference in it.
fn borrows(kind: &Type) -> bool {
    struct Finder(bool);

    impl<'a> Visit<'a> for Finder {
        fn visit_type_reference(&mut self, reference: &'a syn::TypeReference) {
            let is_static = reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static");
            self.0 |= !is_static;
        }

        fn visit_lifetime(&mut self, lifetime: &'a syn::Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
    }

    let mut finder = Finder(false);
    finder.visit_type(kind);
    finder.0
}

fn kind_of(kind: &Type) -> Kind<'_> {
    // Types from the arguments of a macro come in groups that nobody sees.
    if let Type::Group(syn::TypeGroup { elem, .. }) | Type::Paren(syn::TypeParen { elem, .. }) = kind {
        return kind_of(elem);
    }
    let Type::Reference(reference) = kind else { return Kind::Owned(kind) };
    if reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static") {
        return Kind::Owned(kind);
    }
    let inner = &*reference.elem;
    match inner {
        _ if reference.mutability.is_some() => Kind::Lent(inner),
        Type::Slice(slice) => Kind::Slice(&slice.elem),
        Type::Path(path) if path.path.is_ident("str") => Kind::Text,
        Type::Path(path) if is_unsized(path) => Kind::Unsized(inner),
        _ => Kind::Borrowed(inner),
    }
}
