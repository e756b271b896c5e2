//! Every form of argument.

use crate::seen::{see, seen_by};
use gainsay::prelude::*;
use std::collections::BTreeSet;

#[property(cases = 100, seed = 1)]
fn owned(n: u32, text: String) -> bool {
    text.len() as u64 + u64::from(n) >= u64::from(n)
}

#[property(cases = 100, seed = 1)]
fn rebound(mut n: u64, mut items: Vec<u8>) -> bool {
    n /= 2;
    items.push(0);
    n <= u64::MAX / 2 && !items.is_empty()
}

#[property(cases = 100, seed = 1)]
fn shared(pair: &(u8, bool), set: &BTreeSet<u8>, array: &[u8; 3]) -> bool {
    let (n, _) = pair;
    set.iter().filter(|m| *m == n).count() <= 1 && array.len() == 3
}

#[property(cases = 100, seed = 1)]
fn shared_text(s: &str) -> bool {
    s.len() >= s.chars().count()
}

#[property(cases = 100, seed = 1)]
fn shared_slice(items: &[u16], nested: &[Vec<bool>]) -> bool {
    items.iter().rev().count() == items.len() && nested.iter().flatten().count() >= nested.concat().len()
}

#[property(cases = 100, seed = 1)]
fn mutable(items: &mut Vec<u8>, n: &mut u16) -> bool {
    items.push(1);
    *n |= 1;
    !items.is_empty() && *n % 2 == 1
}

#[property(cases = 100, seed = 1)]
fn mutable_slice(items: &mut [i16], text: &mut str) {
    items.sort_unstable();
    text.make_ascii_uppercase();
    assert!(items.is_sorted());
    assert!(!text.contains('a'));
}

#[property(cases = 100, seed = 1)]
fn anonymous_lifetime(s: &'_ str) -> bool {
    s.is_char_boundary(0)
}

#[property(cases = 100, seed = 1)]
fn named_alike(named_alike: u8, other: &str) -> bool {
    u16::from(named_alike) < 256 && other.is_char_boundary(0)
}

#[property(cases = 100, seed = 1)]
async fn named_alike_and_later(named_alike_and_later: &[u8], _: bool) -> bool {
    named_alike_and_later.iter().map(|_| 1).sum::<usize>() == named_alike_and_later.len()
}

#[property(cases = 100, seed = 1)]
#[example((1, 2), 3, [true, false], 4)]
fn patterns((a, b): (u8, u16), _: u8, [x, y]: [bool; 2], &n: &u8) -> bool {
    see((a, b, x, y, n));
    true
}

#[test]
fn patterns_and_what_has_no_name_are_drawn() {
    let drawn: BTreeSet<String> = seen_by(patterns).into_iter().collect();
    assert!(drawn.len() > 90, "{}", drawn.len());
}

/// gainsay under another name.
mod renamed {
    use gainsay as gs;
    use gs::Arbitrary;

    #[derive(Debug, Arbitrary)]
    #[arbitrary(crate = gs)]
    enum Colour {
        Red,
        Grey(u8),
    }

    #[gs::property(crate = gs, cases = 100, seed = 1)]
    fn drawn(colour: Colour, name: &str) -> bool {
        match colour {
            Colour::Red => name.is_char_boundary(0),
            Colour::Grey(shade) => u16::from(shade) < 256,
        }
    }
}

/// Attributes of arguments stay.
#[property(cases = 100, seed = 1)]
fn attribute(s: &str, #[expect(unused_variables, reason = "it is not used")] unused: u8) -> bool {
    s.is_char_boundary(s.len())
}

#[property(cases = 100, seed = 1)]
fn case_alone(case: &mut Case) -> bool {
    let items = case.vec(0..=5, |case| case.int(0..=9u8));
    items.iter().all(|digit| *digit < 10)
}

#[property(cases = 100, seed = 1)]
fn case_by_path_and_more(testing: &mut gainsay::Case, high: u8, s: &str) {
    let low = testing.int(0..=high);
    testing.classify("empty", s.is_empty());
    if !testing.assume(low != 3) {
        return;
    }
    assert!(low <= high && low != 3);
}

#[property(cases = 20, seed = 1)]
#[expect(clippy::too_many_arguments, reason = "more than can be counted")]
#[rustfmt::skip]
fn many(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8) -> bool {
    [a, b, c, d, e, f, g, h, i, j, k, l, m].iter().map(|n| u64::from(*n)).sum::<u64>() <= 13 * 255
}

/// The names that the macro uses are not in the way of others.
#[property(cases = 100, seed = 1)]
fn names_do_not_clash(
    case: u8,
    settings: &str,
    value: &[u8],
    #[with(0..=case)] property: u8,
    r#type: bool,
) -> bool {
    property <= case && settings.len() < usize::MAX && value.len() < usize::MAX && u8::from(r#type) < 2
}

/// A property may call itself: inside, its name is its own.
#[property(cases = 100, seed = 1)]
fn recursive_property(n: u8) -> bool {
    n == 0 || recursive_property(n / 2)
}

macro_rules! zero_is_least {
    ($($name:ident: $type:ty;)*) => {$(
        #[property(cases = 100, seed = 1)]
        fn $name(x: $type) -> bool {
            *x >= <$type>::default()[..]
        }
    )*};
}

mod borrowed {
    use gainsay::prelude::*;

    macro_rules! properties {
        ($($name:ident: $type:ty;)*) => {$(
            #[property(cases = 100, seed = 1)]
            fn $name(x: $type) -> bool {
                x.len() < usize::MAX
            }
        )*};
    }

    // A type that comes out of another macro has invisible parentheses.
    properties! {
        text: &str;
        slice: &[u8];
        list: Vec<u8>;
    }
}

zero_is_least! {
    text_is_least_when_empty: String;
    list_is_least_when_empty: Vec<u8>;
}

#[property]
fn all_bytes(a: &u8) -> bool {
    see(a);
    true
}

#[property]
fn all_flags(a: bool, b: &bool, c: &mut bool) -> bool {
    see((a, b, c));
    true
}

#[test]
fn few_values_are_tried_completely() {
    assert_eq!(seen_by(all_bytes).len(), 256);
    assert_eq!(seen_by(all_flags).len(), 8);
}
