//! The settings of a property: `#[property(cases = 500, exhaustive)]`.

use crate::mistakes::Mistakes;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Ident, Token};

/// A setting that is known, with a value if it needs one.
pub(super) struct Setting {
    key: Key,
    name: Ident,
    value: Option<Expr>,
}

/// The settings there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Cases,
    Seed,
    Threads,
    TimeMs,
    Exhaustive,
    ExhaustiveUpTo,
    RandomOnly,
    Isolate,
    Statistics,
}

/// Each key, and how it is written.
const KEYS: [(Key, &str, Option<&str>); 9] = [
    (Key::Cases, "cases", Some("500")),
    (Key::Seed, "seed", Some("7")),
    (Key::Threads, "threads", Some("2")),
    (Key::TimeMs, "time_ms", Some("2000")),
    (Key::Exhaustive, "exhaustive", None),
    (Key::ExhaustiveUpTo, "exhaustive_up_to", Some("12")),
    (Key::RandomOnly, "random_only", None),
    (Key::Isolate, "isolate", None),
    (Key::Statistics, "statistics", None),
];

impl Key {
    /// Whether it says which cases are tried; only one setting can.
    fn is_mode(self) -> bool {
        matches!(self, Key::Exhaustive | Key::ExhaustiveUpTo | Key::RandomOnly)
    }
}

/// A setting as written.
struct Written {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for Written {
    fn parse(input: ParseStream<'_>) -> Result<Written, Error> {
        let name: Ident = input.parse()?;
        let value = input.parse::<Option<Token![=]>>()?.map(|_| input.parse()).transpose()?;
        if !input.is_empty() && !input.peek(Token![,]) {
            return Err(input
                .error(format!("a setting is written `{name}` or `{name} = value`, followed by a comma")));
        }
        Ok(Written { name, value })
    }
}

/// Reads what stands in the parentheses of `#[property(…)]`.
pub(super) fn read(tokens: TokenStream, mistakes: &mut Mistakes) -> Vec<Setting> {
    let written = mistakes.sift(Punctuated::<Written, Token![,]>::parse_terminated.parse2(tokens));
    let mut settings: Vec<Setting> = Vec::new();
    for written in written.into_iter().flatten() {
        let Some(setting) = mistakes.sift(known(written)) else {
            continue;
        };
        if let Some(clash) = settings.iter().find_map(|before| clash(before, &setting)) {
            mistakes.add(Error::new_spanned(&setting.name, clash));
        }
        settings.push(setting);
    }
    settings
}

fn known(written: Written) -> Result<Setting, Error> {
    let Written { name, value } = written;
    let Some((key, text, example)) = KEYS.iter().copied().find(|(_, text, _)| name == text) else {
        let all: Vec<String> = KEYS.iter().map(|(_, text, example)| form(text, *example)).collect();
        return Err(Error::new_spanned(
            &name,
            format!("unknown setting `{name}`; there are {}", all.join(", ")),
        ));
    };
    match (&value, example) {
        (None, Some(_)) => Err(Error::new_spanned(
            &name,
            format!("the setting `{text}` needs a value: {}", form(text, example)),
        )),
        (Some(value), None) => Err(Error::new_spanned(
            value,
            format!("the setting `{text}` has no value: write {}", form(text, None)),
        )),
        _ => Ok(Setting { key, name, value }),
    }
}

/// How a setting is written.
fn form(text: &str, example: Option<&str>) -> String {
    example.map_or_else(|| format!("`{text}`"), |example| format!("`{text} = {example}`"))
}

/// Why two settings cannot stand together, if they cannot.
fn clash(before: &Setting, after: &Setting) -> Option<String> {
    if before.key == after.key {
        Some(format!("the setting `{}` is there already: keep one", after.name))
    } else if before.key.is_mode() && after.key.is_mode() {
        Some(format!("`{}` and `{}` contradict each other: keep one", before.name, after.name))
    } else {
        None
    }
}

impl Setting {
    /// The call that makes the setting.
    pub(super) fn call(&self) -> TokenStream {
        let (value, span) = (&self.value, self.name.span());
        match self.key {
            Key::Cases => quote_spanned!(span=> .cases(#value)),
            Key::Seed => quote_spanned!(span=> .seed(#value)),
            Key::Threads => quote_spanned!(span=> .property_threads(#value)),
            Key::TimeMs => {
                let time = quote!(::core::time::Duration::from_millis(#value));
                quote_spanned!(span=> .time(#time))
            }
            Key::Exhaustive => quote_spanned!(span=> .exhaustive()),
            Key::ExhaustiveUpTo => quote_spanned!(span=> .exhaustive_up_to(#value)),
            Key::RandomOnly => quote_spanned!(span=> .random_only()),
            Key::Isolate => quote_spanned!(span=> .isolate()),
            Key::Statistics => quote_spanned!(span=> .statistics()),
        }
    }
}
