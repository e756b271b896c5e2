//! Formulas with data as text: how names are written, and the language in which formulas are read.
//!
//! ```text
//! formula      true  false  p(t, …)  p  `any name`(t, …)  t = t  t != t  t < t  t <= t  t > t  t >= t  ! f  f & f  f | f  f -> f  f <-> f  ( f )
//! values       forall x. f   exists x, y. f      x <- sum t by g, h. f      (count, sum, min, max, average)
//! future       X f (next)   N f (next, if any)   F f (eventually)   G f (always)   f U f (until)   f W f (weak until)   f R f (release)
//! past         P f (previous)   Z f (previous, if any)   O f (once)   H f (historically)   f S f (since)   f B f (back to)
//! bounds       F[0s,3s] f   f U[2ms,5ms) f   G[1s,] f   X[0s,3s] f      ns, us, ms, s, min, h, d
//! term         x  3  "text"  t + t  t - t  t * t  t / t  t % t  - t  f(t, …)  ( t )
//! ```
//!
//! Calls bind tightest, then `-`, `* / %`, `+ -`, comparisons and the operators with one operand, then `U W R S B`, then `&`, `|`, `->`, `<->`;
//! quantifiers and aggregations reach as far to the right as they can.

mod lex;
mod parse;

use super::fact::{Fact, Holds, test};
use super::formula::Formula;
use super::term::{Arithmetic, Function, Term};
use crate::text::SyntaxError;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// A value that is read from text. It must read what its `Debug` writes.
pub trait Literal: Arithmetic {
    /// The value of a number such as `-3` or `1.5`, of a text with its quotation marks, or of `true` or `false`; nothing if it is none.
    fn from_literal(text: &str) -> Option<Self>;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Literal for $integer {
            fn from_literal(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// The names that formulas are made of: facts, tests and functions.
///
/// ```
/// use gainsay_temporal::mfotl::{Language, fact};
///
/// let request = fact("request", |line: &(char, i64)| (line.0 == '?').then_some([line.1]));
/// let response = fact("response", |line: &(char, i64)| (line.0 == '!').then_some([line.1]));
/// let language = Language::new().fact(&request).fact(&response);
/// let rule = language.parse("G (forall x. request(x) -> F[0s,500ms) response(x + 1))")?;
/// assert_eq!(rule.to_string(), "G (forall x. request(x) -> F[0s,500ms) response(x + 1))");
/// let error = language.parse("G (request(x) -> answer(x))").unwrap_err().to_string();
/// assert!(error.starts_with("there is no fact, test or function called answer: there are request, response (line 1, column 18)"));
/// # Ok::<(), gainsay_temporal::SyntaxError>(())
/// ```
///
/// # Limits
/// Formulas and terms are nested 200 deep at most. Chains of `&` and `|` may be of any length.
pub struct Language<E, V> {
    facts: Vec<Fact<E, V>>,
    tests: Vec<NamedTest<V>>,
    functions: Vec<Function<V>>,
}

struct NamedTest<V> {
    name: String,
    arity: usize,
    holds: Arc<Holds<V>>,
}

impl<E, V> Default for Language<E, V> {
    fn default() -> Language<E, V> {
        Language::new()
    }
}

impl<E, V> Debug for Language<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Language").field("names", &self.names()).finish()
    }
}

impl<E, V> Language<E, V> {
    /// A language without names.
    pub fn new() -> Language<E, V> {
        Language { facts: Vec::new(), tests: Vec::new(), functions: Vec::new() }
    }

    /// Adds a fact, by its name.
    #[must_use]
    pub fn fact(mut self, fact: &Fact<E, V>) -> Language<E, V> {
        self.facts.push(fact.clone());
        self
    }

    /// Adds something that is true or false of so many values.
    #[must_use]
    pub fn test(
        mut self,
        name: impl Into<String>,
        arity: usize,
        holds: impl Fn(&[&V]) -> bool + Send + Sync + 'static,
    ) -> Language<E, V> {
        self.tests.push(NamedTest { name: name.into(), arity, holds: Arc::new(holds) });
        self
    }

    /// Adds a function, by its name.
    #[must_use]
    pub fn function(mut self, function: &Function<V>) -> Language<E, V> {
        self.functions.push(function.clone());
        self
    }

    /// Reads a formula.
    ///
    /// # Errors
    /// If the text is no formula, is nested too deeply, or names something that is not there; the error shows the place.
    pub fn parse(&self, text: &str) -> Result<Formula<E, V>, SyntaxError>
    where
        V: Literal + 'static,
    {
        parse::parse(self, text)
    }

    fn names(&self) -> Vec<&str> {
        let facts = self.facts.iter().map(Fact::name);
        let tests = self.tests.iter().map(|test| test.name.as_str());
        facts.chain(tests).chain(self.functions.iter().map(Function::name)).collect()
    }

    /// A fact or test of that name about some terms; or how many there must be.
    fn said(&self, name: &str, terms: Vec<Term<V>>) -> Option<Result<Formula<E, V>, usize>>
    where
        V: 'static,
    {
        if let Some(fact) = self.facts.iter().find(|fact| fact.name() == name) {
            let arity = fact.inside.arity;
            return Some(if terms.len() == arity { Ok(fact.of(terms)) } else { Err(arity) });
        }
        let NamedTest { arity, holds, .. } = self.tests.iter().find(|test| test.name == name)?;
        if terms.len() != *arity {
            return Some(Err(*arity));
        }
        let holds = Arc::clone(holds);
        Some(Ok(test(name, terms, move |values: &[&V]| holds(values))))
    }

    /// The value of a function for some terms; or how many there must be.
    fn computed(&self, name: &str, terms: Vec<Term<V>>) -> Option<Result<Term<V>, usize>> {
        let function = self.functions.iter().find(|function| function.name() == name)?;
        let arity = function.arity();
        Some(if terms.len() == arity { Ok(function.of(terms)) } else { Err(arity) })
    }
}

/// Words that are no names.
const WORDS: [&str; 13] = ["true", "false", "forall", "exists", "by", "G", "F", "H", "O", "X", "N", "P", "Z"];

/// A name as it must be written: in backquotes if it is no word, a path such as `/laser`, or something in braces.
pub(super) fn quoted(name: &str) -> String {
    if !WORDS.contains(&name) && (is_word(name) || is_path(name) || is_braced(name)) {
        name.to_string()
    } else {
        format!("`{}`", name.replace('`', "``"))
    }
}

/// A variable as it must be written.
pub(super) fn quoted_variable(name: &str) -> String {
    let is_plain = !WORDS.contains(&name) && is_word(name);
    if is_plain { name.to_string() } else { format!("`{}`", name.replace('`', "``")) }
}

fn is_word(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
}

fn is_path(name: &str) -> bool {
    name.strip_prefix('/').is_some_and(|path| path.split('/').all(is_word))
}

fn is_braced(name: &str) -> bool {
    let Some(inside) = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) else { return false };
    let mut depth = 0_i64;
    inside.chars().all(|c| {
        depth += i64::from(c == '{') - i64::from(c == '}');
        depth >= 0
    }) && depth == 0
}
