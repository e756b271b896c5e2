//! `#[derive(Arbitrary)]`: from a type to its generator and its space.

mod emit;

use crate::attributes::{refuse, take_weight, take_with};
use crate::mistakes::Mistakes;
use crate::renamed;
use proc_macro2::TokenStream;
use syn::{Attribute, Data, DeriveInput, Error, Expr, Fields, GenericParam, Generics, Ident, Type};

/// A type as written, free of mistakes that can be seen in it.
struct Subject {
    name: Ident,
    generics: Generics,
    shape: Shape,
}

enum Shape {
    Struct(Vec<Field>),
    Enum(Vec<Variant>),
}

struct Variant {
    name: Ident,
    weight: u32,
    fields: Vec<Field>,
}

struct Field {
    /// None in a tuple.
    name: Option<Ident>,
    ty: Type,
    /// The generator named by `#[with(…)]`.
    generator: Option<Expr>,
}

/// The implementations, or the mistakes.
pub(crate) fn expand(item: TokenStream) -> Result<TokenStream, Error> {
    let item: DeriveInput = syn::parse2(item)?;
    let gainsay = renamed::of_type(&item.attrs)?;
    let subject = check(item)?;
    Ok(gainsay.put_into(emit::implementations(&subject)))
}

fn check(item: DeriveInput) -> Result<Subject, Error> {
    let DeriveInput { attrs, ident: name, generics, data, .. } = item;
    let mut mistakes = Mistakes::default();
    refuse_all(&attrs, &mut mistakes);
    for parameter in &generics.params {
        if let GenericParam::Lifetime(lifetime) = parameter {
            let message = format!(
                "`{name}` cannot borrow: a drawn value owns what it holds; use `String`, `Vec` or `Cow<'static, _>`"
            );
            mistakes.add(Error::new_spanned(lifetime, message));
        }
    }
    let shape = match data {
        Data::Struct(data) => Shape::Struct(fields(data.fields, &mut mistakes)),
        Data::Enum(data) => Shape::Enum(variants(&name, data, &mut mistakes)),
        Data::Union(data) => {
            let message = format!(
                "`{name}` is a union, and nothing says which of its fields to draw: implement `Arbitrary` by hand"
            );
            mistakes.add(Error::new_spanned(data.union_token, message));
            Shape::Struct(Vec::new())
        }
    };
    mistakes.or(Subject { name, generics, shape })
}

fn variants(name: &Ident, data: syn::DataEnum, mistakes: &mut Mistakes) -> Vec<Variant> {
    let mut variants = Vec::new();
    for mut variant in data.variants {
        refuse("with", &variant.attrs, "a field", mistakes);
        let weight = take_weight(&mut variant.attrs, mistakes).unwrap_or(1);
        variants.push(Variant { name: variant.ident, weight, fields: fields(variant.fields, mistakes) });
    }
    if variants.is_empty() {
        mistakes.add(Error::new_spanned(
            name,
            format!("`{name}` has no variants, so there is no value of it to draw"),
        ));
    } else if variants.iter().all(|variant| variant.weight == 0) {
        let message = format!(
            "all variants of `{name}` have the weight 0, so none could be drawn: give one another weight"
        );
        mistakes.add(Error::new_spanned(name, message));
    }
    variants
}

fn fields(fields: Fields, mistakes: &mut Mistakes) -> Vec<Field> {
    let field = |mut field: syn::Field| {
        refuse("weight", &field.attrs, "a variant", mistakes);
        let generator = take_with(&mut field.attrs, mistakes);
        Field { name: field.ident, ty: field.ty, generator }
    };
    fields.into_iter().map(field).collect()
}

fn refuse_all(attributes: &[Attribute], mistakes: &mut Mistakes) {
    refuse("with", attributes, "a field", mistakes);
    refuse("weight", attributes, "a variant", mistakes);
}

impl Subject {
    /// Whether all its choices can be described, so that its values can be counted.
    fn is_described(&self) -> bool {
        let plain = |fields: &[Field]| fields.iter().all(|field| field.generator.is_none());
        match &self.shape {
            Shape::Struct(fields) => plain(fields),
            Shape::Enum(variants) => variants.iter().all(|variant| plain(&variant.fields)),
        }
    }
}
