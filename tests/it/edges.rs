//! Edge values: what random cases of each standard type meet before long.

use crate::support::Tree;
use gainsay::Arbitrary;
use gainsay::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::time::Duration;

/// Random values of a type.
fn random<T: Arbitrary>(n: u64) -> impl Iterator<Item = T> {
    (0..n).map(|index| Case::random(17, index).any())
}

/// A kind of values, by name.
type Wanted<'a, T> = (&'a str, fn(&T) -> bool);

/// Each of the descriptions fits some value.
#[track_caller]
fn meets<T: Arbitrary + Debug>(n: u64, wanted: &[Wanted<'_, T>]) {
    let values: Vec<T> = random(n).collect();
    for (name, is) in wanted {
        assert!(values.iter().any(is), "no {name} among {n} of {}", std::any::type_name::<T>());
    }
}

macro_rules! integers_meet_their_edges {
    ($($int:ident)*) => {$(
        meets::<$int>(3000, &[
            ("zero", |n| *n == 0),
            ("one", |n| *n == 1),
            ("largest", |n| *n == $int::MAX),
            ("smallest", |n| *n == $int::MIN),
            ("power of two", |n| *n > 16 && n & (n - 1) == 0),
            ("middling", |n| *n > $int::MAX / 8 && *n < $int::MAX / 2),
        ]);
    )*};
}

#[test]
fn integers_of_every_width_meet_their_edges() {
    integers_meet_their_edges! { u8 u16 u32 u64 usize i8 i16 i32 }
}

#[test]
fn integers_of_the_machines_width_meet_their_edges() {
    integers_meet_their_edges! { i64 isize }
}

#[test]
fn wide_integers_meet_their_edges() {
    integers_meet_their_edges! { u128 i128 }
}

#[track_caller]
fn bounds<T: gainsay::Int + std::hash::Hash>(low: T, high: T) {
    let seen: HashSet<T> = (0..3000).map(|index| Case::random(3, index).int(low..=high)).collect();
    assert!(seen.iter().all(|n| (low..=high).contains(n)), "{low}..={high} is left");
    assert!(seen.contains(&low) && seen.contains(&high), "not both ends of {low}..={high} are met");
}

#[test]
fn bounded_integers_stay_inside_and_meet_their_bounds() {
    bounds(-3i8, 2);
    bounds(-2i8, 3);
    bounds(-1i64, 0);
    bounds(i32::MIN, i32::MIN + 1);
    bounds(5u64, u64::MAX);
    bounds(7u128, 7);
}

#[test]
fn wide_bounded_integers_meet_their_bounds() {
    bounds(-1_000_000_007i64, 1_000_000_006);
    bounds(i64::MIN, i64::MAX - 1);
    bounds(-(1i128 << 90), (1 << 90) - 1);
}

#[test]
fn floats_meet_everything_odd() {
    meets::<f64>(
        3000,
        &[
            ("NaN", |x| x.is_nan()),
            ("infinity", |x| *x == f64::INFINITY),
            ("negative infinity", |x| *x == f64::NEG_INFINITY),
            ("subnormal", |x| x.is_subnormal()),
            ("negative zero", |x| *x == 0.0 && x.is_sign_negative()),
            ("zero", |x| *x == 0.0 && x.is_sign_positive()),
            ("largest", |x| *x == f64::MAX),
            ("whole", |x| *x > 1.0 && x.fract() == 0.0),
            ("fraction below one", |x| *x > 0.0 && *x < 1.0),
            ("negative", |x| *x < -1.0),
        ],
    );
    meets::<f32>(
        6000,
        &[
            ("NaN", |x| x.is_nan()),
            ("infinity", |x| *x == f32::INFINITY),
            ("negative infinity", |x| *x == f32::NEG_INFINITY),
            ("subnormal", |x| x.is_subnormal()),
            ("negative zero", |x| *x == 0.0 && x.is_sign_negative()),
            ("fraction below one", |x| *x > 0.0 && *x < 1.0),
        ],
    );
}

#[test]
fn characters_come_from_all_of_unicode() {
    meets::<char>(
        3000,
        &[
            ("letter", |c| c.is_ascii_lowercase()),
            ("digit", |c| c.is_ascii_digit()),
            ("control", |c| c.is_control()),
            ("two bytes", |c| c.len_utf8() == 2),
            ("three bytes", |c| c.len_utf8() == 3),
            ("four bytes", |c| c.len_utf8() == 4),
            ("quote", |c| *c == '"'),
        ],
    );
}

#[test]
fn collections_are_empty_small_and_large() {
    macro_rules! sizes {
        ($($type:ty)*) => {$(
            meets::<$type>(2000, &[
                ("empty one", |c| c.is_empty()),
                ("single one", |c| c.len() == 1),
                ("large one", |c| c.len() > 60),
            ]);
        )*};
    }
    sizes! { Vec<u8> VecDeque<i32> String BTreeSet<u32> HashSet<u64> BTreeMap<u16, bool> HashMap<i32, ()> Box<[u8]> }
    meets::<Vec<u8>>(2000, &[("duplicates", |list| list.len() > list.iter().collect::<BTreeSet<_>>().len())]);
    meets::<Vec<u64>>(
        2000,
        &[("duplicates", |list| list.len() > list.iter().collect::<BTreeSet<_>>().len())],
    );
    // What has few elements cannot be large, and is not tried for ever.
    meets::<BTreeSet<bool>>(200, &[("full one", |set| set.len() == 2)]);
    meets::<BTreeMap<(), u8>>(200, &[("full one", |map| map.len() == 1)]);
}

#[test]
fn every_standard_type_varies() {
    fn varies<T: Arbitrary + Debug>(least: usize) {
        let seen: HashSet<String> = random::<T>(300).map(|value| format!("{value:?}")).collect();
        assert!(seen.len() >= least, "{} of {}", seen.len(), std::any::type_name::<T>());
    }
    varies::<Option<bool>>(3);
    varies::<Result<u8, String>>(100);
    varies::<std::cmp::Ordering>(3);
    varies::<(u8, i8, u16, i16, u32, i32, u64, i64, bool, char, f32, ())>(290);
    varies::<[u8; 5]>(290);
    varies::<std::rc::Rc<std::cell::RefCell<u32>>>(200);
    varies::<std::sync::Arc<[u8]>>(200);
    varies::<std::borrow::Cow<'static, str>>(200);
    varies::<std::num::NonZeroU16>(100);
    varies::<std::num::NonZeroI64>(100);
    varies::<std::num::Wrapping<i16>>(100);
    varies::<Duration>(290);
    varies::<std::time::SystemTime>(290);
    varies::<std::ops::Range<u8>>(200);
    varies::<(std::ops::RangeFrom<u8>, std::ops::RangeToInclusive<i8>, std::ops::Bound<u8>)>(200);
    varies::<std::net::IpAddr>(200);
    varies::<std::net::SocketAddr>(290);
    varies::<std::path::PathBuf>(150);
    varies::<std::ffi::CString>(200);
    varies::<std::ffi::OsString>(200);
    varies::<std::collections::LinkedList<u8>>(200);
    varies::<Tree>(50);
}
