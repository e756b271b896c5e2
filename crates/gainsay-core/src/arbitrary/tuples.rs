//! Tuples and arrays.

use super::{Arbitrary, Indexable};
use crate::case::Case;
use crate::space::{Grammar, Space};

impl Arbitrary for () {
    fn arbitrary(_case: &mut Case) {}

    fn space(grammar: &mut Grammar) -> Space {
        grammar.seq(Vec::new())
    }
}

impl Indexable for () {}

macro_rules! tuples {
    ($(($($part:ident),+))*) => {$(
        impl<$($part: Arbitrary),+> Arbitrary for ($($part,)+) {
            #[inline]
            fn arbitrary(case: &mut Case) -> Self {
                ($(case.any::<$part>(),)+)
            }

            fn space(grammar: &mut Grammar) -> Space {
                let parts = vec![$(grammar.of::<$part>()),+];
                grammar.seq(parts)
            }
        }

        impl<$($part: Indexable),+> Indexable for ($($part,)+) {}
    )*};
}

tuples! {
    (A) (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) (A, B, C, D, E, F) (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H) (A, B, C, D, E, F, G, H, I) (A, B, C, D, E, F, G, H, I, J)
    (A, B, C, D, E, F, G, H, I, J, K) (A, B, C, D, E, F, G, H, I, J, K, L)
}

impl<T: Arbitrary, const N: usize> Arbitrary for [T; N] {
    fn arbitrary(case: &mut Case) -> Self {
        std::array::from_fn(|_| case.any::<T>())
    }

    fn space(grammar: &mut Grammar) -> Space {
        let item = grammar.of::<T>();
        grammar.seq(vec![item; N])
    }
}

impl<T: Indexable, const N: usize> Indexable for [T; N] {}
