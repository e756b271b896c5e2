//! Integers, floats, truth values.

use super::{Arbitrary, Indexable};
use crate::case::{Case, List};
use crate::choice::floats::{F32, F64};
use crate::choice::{Kind, Shape};
use crate::int::Int;
use crate::space::{Grammar, Space};

macro_rules! integers {
    ($($int:ty),*) => {$(
        impl Arbitrary for $int {
            #[inline(always)]
            fn arbitrary(case: &mut Case) -> Self {
                case.int_between(<$int>::MIN, <$int>::MAX)
            }

            #[inline]
            fn fill(case: &mut Case, list: &mut List, items: &mut Vec<Self>) {
                case.fill_with_integers(list, items);
            }

            #[inline]
            fn one_choice() -> Option<Shape> {
                let (below, max) = <$int>::shape(<$int>::MIN, <$int>::MAX)?;
                Some(Shape { max, below, kind: Kind::Int, owner: 0 })
            }

            #[inline]
            fn of_number(number: u64) -> Self {
                <$int>::decode(<$int>::MIN, <$int>::MAX, number)
            }

            fn space(grammar: &mut Grammar) -> Space {
                let Some((_, max)) = <$int>::shape(<$int>::MIN, <$int>::MAX) else {
                    let parts = vec![grammar.wide(), grammar.choice(u64::MAX)];
                    return grammar.seq(parts);
                };
                grammar.choice(max)
            }
        }

        impl Indexable for $int {}
    )*};
}

integers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

macro_rules! nonzero {
    ($($nonzero:ident($int:ty)),*) => {$(
        /// 1 is the simplest.
        impl Arbitrary for std::num::$nonzero {
            fn arbitrary(case: &mut Case) -> Self {
                let value = case.int_between(<$int>::MIN.max(1), <$int>::MAX);
                std::num::$nonzero::new(value).unwrap_or(std::num::$nonzero::MIN)
            }

            fn space(grammar: &mut Grammar) -> Space {
                let (_, max) = <$int>::shape(<$int>::MIN.max(1), <$int>::MAX).unwrap_or_default();
                grammar.choice(max)
            }
        }

        impl Indexable for std::num::$nonzero {}
    )*};
}

nonzero!(NonZeroU8(u8), NonZeroU16(u16), NonZeroU32(u32), NonZeroU64(u64), NonZeroUsize(usize));

macro_rules! nonzero_signed {
    ($($nonzero:ident($int:ty)),*) => {$(
        /// 1 is the simplest, then 2, −1, 3, −2 …
        impl Arbitrary for std::num::$nonzero {
            fn arbitrary(case: &mut Case) -> Self {
                let value = case.int_between(<$int>::MIN, <$int>::MAX - 1);
                let value = if value >= 0 { value + 1 } else { value };
                std::num::$nonzero::new(value).unwrap_or(std::num::$nonzero::MIN)
            }

            fn space(grammar: &mut Grammar) -> Space {
                let (_, max) = <$int>::shape(<$int>::MIN, <$int>::MAX - 1).unwrap_or_default();
                grammar.choice(max)
            }
        }

        impl Indexable for std::num::$nonzero {}
    )*};
}

nonzero_signed!(NonZeroI8(i8), NonZeroI16(i16), NonZeroI32(i32), NonZeroI64(i64), NonZeroIsize(isize));

impl Arbitrary for bool {
    #[inline]
    fn arbitrary(case: &mut Case) -> bool {
        case.flag()
    }

    #[inline]
    fn one_choice() -> Option<Shape> {
        Some(Shape::new(Kind::Flag, 1))
    }

    #[inline]
    fn of_number(number: u64) -> bool {
        number & 1 == 1
    }

    fn space(grammar: &mut Grammar) -> Space {
        grammar.choice(1)
    }
}

impl Indexable for bool {}

impl Arbitrary for f64 {
    fn arbitrary(case: &mut Case) -> f64 {
        case.float()
    }

    fn space(grammar: &mut Grammar) -> Space {
        grammar.choice(F64.max())
    }
}

impl Indexable for f64 {}

impl Arbitrary for f32 {
    fn arbitrary(case: &mut Case) -> f32 {
        case.float32()
    }

    fn space(grammar: &mut Grammar) -> Space {
        grammar.choice(F32.max())
    }
}

impl Indexable for f32 {}
