//! gainsay under another name: a dependency `gs = { package = "gainsay" }` is told by `crate = gs`.
//!
//! What the macros emit names the crate `::__gainsay`. At the end that becomes `::gainsay`, or what the user said.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Path, Token};

/// The path of gainsay, as the user's crate knows it.
pub(crate) struct Name(TokenStream);

impl Default for Name {
    fn default() -> Name {
        Name(quote!(::gainsay))
    }
}

/// Takes `crate = path` out of settings, where it comes first or alone.
pub(crate) fn take(settings: TokenStream) -> Result<(Name, TokenStream), Error> {
    let read = |input: ParseStream<'_>| {
        if !input.peek(Token![crate]) {
            return Ok((Name::default(), input.parse()?));
        }
        input.parse::<Token![crate]>()?;
        input.parse::<Token![=]>()?;
        let path: Path = input.call(Path::parse_mod_style)?;
        input.parse::<Option<Token![,]>>()?;
        Ok((Name(quote!(#path)), input.parse()?))
    };
    read.parse2(settings)
}

/// Takes the `#[arbitrary(crate = path)]` of a type.
pub(crate) fn of_type(attributes: &[Attribute]) -> Result<Name, Error> {
    let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("arbitrary")) else {
        return Ok(Name::default());
    };
    let (name, rest) = take(attribute.parse_args()?)?;
    if rest.is_empty() {
        return Ok(name);
    }
    Err(Error::new_spanned(rest, "`#[arbitrary(…)]` says under which name gainsay is known: `crate = gs`"))
}

impl Name {
    /// Emitted code with this name in it.
    pub(crate) fn put_into(&self, emitted: TokenStream) -> TokenStream {
        let mut tokens: Vec<TokenTree> = Vec::new();
        for token in emitted {
            match token {
                TokenTree::Group(group) => {
                    let mut named = Group::new(group.delimiter(), self.put_into(group.stream()));
                    named.set_span(group.span());
                    tokens.push(named.into());
                }
                TokenTree::Ident(ident) if ident == "__gainsay" => {
                    // With the two colons before it.
                    tokens.truncate(tokens.len().saturating_sub(2));
                    tokens.extend(self.0.clone().into_iter().map(|mut part| {
                        part.set_span(ident.span());
                        part
                    }));
                }
                other => tokens.push(other),
            }
        }
        tokens.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    #[test]
    fn no_other_name_is_left_in_what_is_emitted() {
        let property = crate::property::expand(
            quote!(crate = gs, cases = 3),
            quote!(
                fn small(n: u8, text: &str, &(a, _): &(u8, u8)) -> bool {
                    n < 9
                }
            ),
        );
        let derived = crate::derive::expand(quote!(
            #[arbitrary(crate = gs)]
            enum Colour {
                Red,
                Grey(u8),
            }
        ));
        let mocked = crate::mock::expand(
            quote!(crate = gs),
            quote!(
                trait Store {
                    fn open(&mut self, name: &str) -> u32;
                }
            ),
        );
        for emitted in [property, derived, mocked] {
            let emitted = emitted.expect("nothing is wrong").to_string();
            assert!(emitted.contains("gs ::") && !emitted.contains("gainsay"), "{emitted}");
        }
    }

    #[test]
    fn without_a_word_it_is_gainsay() {
        let derived = crate::derive::expand(quote!(
            struct Point(u8);
        ));
        let derived = derived.expect("nothing is wrong").to_string();
        assert!(derived.contains(":: gainsay :: Arbitrary") && !derived.contains("__"), "{derived}");
    }
}
