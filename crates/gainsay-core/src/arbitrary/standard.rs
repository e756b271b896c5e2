//! Options, results, pointers, times, addresses, ranges.

use super::{Arbitrary, Indexable};
use crate::case::Case;
use crate::space::{Grammar, Space};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::Wrapping;
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

impl<T: Arbitrary> Arbitrary for Option<T> {
    fn arbitrary(case: &mut Case) -> Self {
        case.span("option", |case| match case.variant::<Self>(&[1, 3]) {
            0 => None,
            _ => Some(case.any::<T>()),
        })
    }

    fn space(grammar: &mut Grammar) -> Space {
        let none = grammar.seq(Vec::new());
        let some = grammar.of::<T>();
        grammar.alternatives(vec![none, some])
    }
}

impl<T: Indexable> Indexable for Option<T> {}

impl<T: Arbitrary, E: Arbitrary> Arbitrary for Result<T, E> {
    fn arbitrary(case: &mut Case) -> Self {
        case.span("result", |case| match case.variant::<Self>(&[3, 1]) {
            0 => Ok(case.any::<T>()),
            _ => Err(case.any::<E>()),
        })
    }

    fn space(grammar: &mut Grammar) -> Space {
        let variants = vec![grammar.of::<T>(), grammar.of::<E>()];
        grammar.alternatives(variants)
    }
}

impl<T: Indexable, E: Indexable> Indexable for Result<T, E> {}

impl<T: Arbitrary> Arbitrary for Bound<T> {
    fn arbitrary(case: &mut Case) -> Self {
        case.span("bound", |case| match case.variant::<Self>(&[1, 1, 1]) {
            0 => Bound::Unbounded,
            1 => Bound::Included(case.any::<T>()),
            _ => Bound::Excluded(case.any::<T>()),
        })
    }

    fn space(grammar: &mut Grammar) -> Space {
        let unbounded = grammar.seq(Vec::new());
        let value = grammar.of::<T>();
        grammar.alternatives(vec![unbounded, value, value])
    }
}

impl<T: Indexable> Indexable for Bound<T> {}

/// Types that hold exactly the choices of others.
macro_rules! made_of {
    ($([$($generics:tt)*] $type:ty, $parts:ty: $make:expr;)*) => {$(
        impl<$($generics)*> Arbitrary for $type {
            #[inline]
            fn arbitrary(case: &mut Case) -> Self {
                ($make)(case.any::<$parts>())
            }

            fn space(grammar: &mut Grammar) -> Space {
                grammar.of::<$parts>()
            }
        }
    )*};
}

made_of! {
    [T: Arbitrary] Box<T>, T: Box::new;
    [T: Arbitrary] Rc<T>, T: Rc::new;
    [T: Arbitrary] Arc<T>, T: Arc::new;
    [T: Arbitrary] Cell<T>, T: Cell::new;
    [T: Arbitrary] RefCell<T>, T: RefCell::new;
    [T: Arbitrary] Mutex<T>, T: Mutex::new;
    [T: Arbitrary] RwLock<T>, T: RwLock::new;
    [T: Arbitrary] Wrapping<T>, T: Wrapping;
    [T: Arbitrary] Reverse<T>, T: Reverse;
    [T: 'static] PhantomData<T>, (): |()| PhantomData;
    [T: Arbitrary] Box<[T]>, Vec<T>: Vec::into_boxed_slice;
    [T: Arbitrary] Rc<[T]>, Vec<T>: Rc::from;
    [T: Arbitrary] Arc<[T]>, Vec<T>: Arc::from;
    [T: Arbitrary + Clone] Cow<'static, [T]>, Vec<T>: Cow::Owned;
    [T: Arbitrary] Range<T>, (T, T): |(start, end)| start..end;
    [T: Arbitrary] RangeInclusive<T>, (T, T): |(start, end)| start..=end;
    [T: Arbitrary] RangeFrom<T>, T: |start| start..;
    [T: Arbitrary] RangeTo<T>, T: |end| ..end;
    [T: Arbitrary] RangeToInclusive<T>, T: |end| ..=end;
    [] RangeFull, (): |()| ..;
    [] Ipv4Addr, [u8; 4]: Ipv4Addr::from;
    [] Ipv6Addr, [u16; 8]: Ipv6Addr::from;
    [] SocketAddrV4, (Ipv4Addr, u16): |(ip, port)| SocketAddrV4::new(ip, port);
    [] SocketAddrV6, (Ipv6Addr, u16): |(ip, port)| SocketAddrV6::new(ip, port, 0, 0);
    [] IpAddr, Result<Ipv4Addr, Ipv6Addr>: |ip: Result<_, _>| ip.map_or_else(IpAddr::V6, IpAddr::V4);
    [] SocketAddr, (IpAddr, u16): |(ip, port)| SocketAddr::new(ip, port);
}

macro_rules! indexable {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Indexable for $type {}
    )*};
}

indexable! {
    [T: Indexable] Box<T>;
    [T: Indexable] Rc<T>;
    [T: Indexable] Arc<T>;
    [T: Indexable] Cell<T>;
    [T: Indexable] RefCell<T>;
    [T: Indexable] Mutex<T>;
    [T: Indexable] RwLock<T>;
    [T: Indexable] Wrapping<T>;
    [T: Indexable] Reverse<T>;
    [T: 'static] PhantomData<T>;
    [T: Indexable] Box<[T]>;
    [T: Indexable] Rc<[T]>;
    [T: Indexable] Arc<[T]>;
    [T: Indexable + Clone] Cow<'static, [T]>;
    [T: Indexable] Range<T>;
    [T: Indexable] RangeInclusive<T>;
    [T: Indexable] RangeFrom<T>;
    [T: Indexable] RangeTo<T>;
    [T: Indexable] RangeToInclusive<T>;
    [] RangeFull;
    [] Ipv4Addr;
    [] Ipv6Addr;
    [] SocketAddrV4;
    [] SocketAddrV6;
    [] IpAddr;
    [] SocketAddr;
}

impl Arbitrary for Ordering {
    fn arbitrary(case: &mut Case) -> Ordering {
        [Ordering::Equal, Ordering::Less, Ordering::Greater][case.index(3)]
    }

    fn space(grammar: &mut Grammar) -> Space {
        grammar.choice(2)
    }
}

impl Indexable for Ordering {}

/// Whole milliseconds are simpler than nanoseconds, short times simpler than long ones.
impl Arbitrary for Duration {
    fn arbitrary(case: &mut Case) -> Duration {
        let nanos = case.int(0..1_000_000u32);
        let millis = case.int(0..1000u64);
        let seconds: u64 = case.any();
        Duration::from_secs(seconds)
            .saturating_add(Duration::from_millis(millis) + Duration::from_nanos(nanos.into()))
    }
}

/// Times after 1970, to within 500 years, which every platform can represent.
impl Arbitrary for SystemTime {
    fn arbitrary(case: &mut Case) -> SystemTime {
        let seconds = case.int(0..16_000_000_000u64);
        let nanos = case.int(0..1_000_000_000u32);
        SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos)
    }
}
