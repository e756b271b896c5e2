//! Characters, strings, paths.

use super::{Arbitrary, Indexable};
use crate::case::Case;
use crate::choice::chars;
use crate::space::{Grammar, Space};
use std::borrow::Cow;
use std::ffi::{CString, OsString};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

impl Arbitrary for char {
    #[inline]
    fn arbitrary(case: &mut Case) -> char {
        case.char()
    }

    fn space(grammar: &mut Grammar) -> Space {
        grammar.choice(chars::MAX)
    }
}

impl Indexable for char {}

impl Arbitrary for String {
    fn arbitrary(case: &mut Case) -> String {
        case.string(0..=usize::MAX)
    }

    fn space(grammar: &mut Grammar) -> Space {
        Vec::<char>::space(grammar)
    }
}

impl Indexable for String {}

macro_rules! strings {
    ($($type:ty),*) => {$(
        impl Arbitrary for $type {
            fn arbitrary(case: &mut Case) -> Self {
                String::arbitrary(case).into()
            }

            fn space(grammar: &mut Grammar) -> Space {
                String::space(grammar)
            }
        }

        impl Indexable for $type {}
    )*};
}

strings!(Box<str>, Rc<str>, Arc<str>, Cow<'static, str>, OsString);

/// A string without its terminator: no character is zero.
impl Arbitrary for CString {
    fn arbitrary(case: &mut Case) -> CString {
        let bytes = case.vec(0..=usize::MAX, |case| case.int(1..=255u8));
        CString::new(bytes).unwrap_or_default()
    }

    fn space(grammar: &mut Grammar) -> Space {
        let byte = grammar.choice(254);
        grammar.list(0, usize::MAX, byte)
    }
}

impl Indexable for CString {}

/// Relative and absolute paths; parts may be `..`, and the first `.`, where it makes a difference.
impl Arbitrary for PathBuf {
    fn arbitrary(case: &mut Case) -> PathBuf {
        let mut path = PathBuf::from(["", "/", "."][case.index_weighted(&[6, 2, 1])]);
        let name = |case: &mut Case| -> String {
            let c = |case: &mut Case| case.filter(Case::char, |c| !matches!(c, '/' | '\\' | '\0'));
            case.vec(1..=12, c).into_iter().collect()
        };
        path.extend(case.vec(0..=8, |case| match case.index_weighted(&[6, 1]) {
            0 => case.filter(name, |name| name != "." && name != ".."),
            _ => "..".to_string(),
        }));
        path
    }
}

#[cfg(feature = "regex")]
mod matching {
    use crate::case::Case;
    use crate::generate::{Gen, Generator, generator};
    use regex_syntax::hir::{Class, Hir, HirKind, Look};

    /// Strings that match a regular expression, whole.
    ///
    /// Unbounded repetitions go at most 16 beyond their minimum. Anchors are allowed at the ends only; word boundaries are not.
    ///
    /// ```
    /// use gainsay_core::{Case, Generator, string_matching};
    /// let plate = string_matching("[A-Z]{1,3}-[0-9]{1,4}");
    /// assert!(plate.generate(&mut Case::random(1, 1)).contains('-'));
    /// ```
    ///
    /// # Panics
    /// If the expression is malformed, can match nothing, or uses what cannot be generated; the message says what.
    #[track_caller]
    pub fn string_matching(pattern: &str) -> Gen<impl Generator<Value = String> + use<>> {
        let hir = match regex_syntax::parse(pattern) {
            Ok(hir) => hir,
            Err(error) => panic!("`{pattern}` is not a regular expression: {error}"),
        };
        if let Err(trouble) = drawable(&hir, true, true) {
            panic!("no string can be drawn from `{pattern}`: {trouble}");
        }
        generator(move |case: &mut Case| {
            let mut out = Vec::new();
            draw(&hir, case, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        })
    }

    /// Whether strings can be drawn from an expression that stands first or last in the whole.
    fn drawable(hir: &Hir, first: bool, last: bool) -> Result<(), String> {
        match hir.kind() {
            HirKind::Empty | HirKind::Literal(_) => Ok(()),
            HirKind::Class(class) if class.is_empty() => {
                Err("it contains an empty class of characters".into())
            }
            HirKind::Class(Class::Bytes(_)) => Err("it speaks of bytes, not characters".into()),
            HirKind::Class(_) => Ok(()),
            HirKind::Look(Look::Start | Look::StartLF) if first => Ok(()),
            HirKind::Look(Look::End | Look::EndLF) if last => Ok(()),
            HirKind::Look(look) => Err(format!("it looks around in the middle ({look:?})")),
            HirKind::Repetition(repetition) => drawable(&repetition.sub, false, false),
            HirKind::Capture(capture) => drawable(&capture.sub, first, last),
            HirKind::Alternation(parts) => parts.iter().try_for_each(|part| drawable(part, first, last)),
            HirKind::Concat(parts) => {
                // Anchors stand at the ends, beside each other if need be.
                let is_look = |part: &Hir| matches!(part.kind(), HirKind::Look(_));
                let start = parts.iter().take_while(|part| is_look(part)).count();
                let end = parts.iter().rev().take_while(|part| is_look(part)).count();
                parts.iter().enumerate().try_for_each(|(i, part)| {
                    drawable(part, first && i <= start, last && i + end + 1 >= parts.len())
                })
            }
        }
    }

    fn draw(hir: &Hir, case: &mut Case, out: &mut Vec<u8>) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
            HirKind::Class(class) => {
                let Class::Unicode(class) = class else { return };
                let c = draw_class(class.ranges(), case);
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            HirKind::Repetition(repetition) => {
                let min = repetition.min as usize;
                let max = repetition.max.map_or(min + 16, |max| max as usize);
                case.vec(min..=max, |case| draw(&repetition.sub, case, out));
            }
            HirKind::Capture(capture) => draw(&capture.sub, case, out),
            HirKind::Concat(parts) => parts.iter().for_each(|part| draw(part, case, out)),
            HirKind::Alternation(parts) => case.span("alternation", |case| {
                let chosen = case.index(parts.len());
                draw(&parts[chosen], case, out);
            }),
        }
    }

    fn draw_class(ranges: &[regex_syntax::hir::ClassUnicodeRange], case: &mut Case) -> char {
        let count = |r: &regex_syntax::hir::ClassUnicodeRange| (r.start()..=r.end()).count();
        // Letters and digits are simpler than what stands before them in the table.
        let start = ranges.iter().position(|r| r.end() >= '0').unwrap_or(0);
        let (before, after) = ranges.split_at(start);
        let total: usize = ranges.iter().map(count).sum();
        let mut at = case.int(0..total);
        for range in after.iter().chain(before) {
            let count = count(range);
            if at < count {
                return (range.start()..=range.end()).nth(at).unwrap_or(range.start());
            }
            at -= count;
        }
        ranges[0].start()
    }
}

#[cfg(feature = "regex")]
pub use matching::string_matching;
