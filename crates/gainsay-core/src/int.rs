//! Integers as choices.

use crate::choice::Kind;
#[cfg(test)]
use crate::choice::{index, offset};
use std::fmt::{Debug, Display};
use std::ops::{Bound, RangeBounds};

/// An integer type that can be drawn from a range.
pub trait Int: Copy + Ord + Display + Debug + 'static + private::Sealed {
    /// The smallest integer of this type.
    const LOWEST: Self;
    /// The largest integer of this type.
    const HIGHEST: Self;

    /// The next larger integer, if there is one.
    fn successor(self) -> Option<Self>;
    /// The next smaller integer, if there is one.
    fn predecessor(self) -> Option<Self>;
    /// For integers of one choice: how many of `low..=high` lie below the simplest one, and the largest number.
    #[doc(hidden)]
    fn shape(_low: Self, _high: Self) -> Option<(u64, u64)> {
        None
    }
    /// For integers of one choice: the one that `number` stands for.
    #[doc(hidden)]
    fn decode(low: Self, _high: Self, _number: u64) -> Self {
        low
    }
    /// Draws an integer of `low..=high`; `choose(kind, below, max)` decides numbers.
    fn draw(low: Self, high: Self, choose: &mut impl FnMut(Kind, u64, u64) -> u64) -> Self;
    /// The bounds of the choices that [`draw`](Int::draw) makes for `low..=high` in an enumeration.
    fn spans(low: Self, high: Self) -> Vec<u64>;

    /// The first and last integer of a range; panics if it is empty.
    #[inline]
    #[track_caller]
    fn bounds(range: &impl RangeBounds<Self>) -> (Self, Self) {
        let low = match range.start_bound() {
            Bound::Included(&low) => Some(low),
            Bound::Excluded(&low) => low.successor(),
            Bound::Unbounded => Some(Self::LOWEST),
        };
        let high = match range.end_bound() {
            Bound::Included(&high) => Some(high),
            Bound::Excluded(&high) => high.predecessor(),
            Bound::Unbounded => Some(Self::HIGHEST),
        };
        match (low, high) {
            (Some(low), Some(high)) if low <= high => (low, high),
            _ => panic!(
                "the range {:?}..{:?} of integers is empty: nothing can be drawn from it",
                range.start_bound(),
                range.end_bound()
            ),
        }
    }
}

mod private {
    pub trait Sealed {}
}

macro_rules! narrow {
    ($($int:ty as $wide:ty),*) => {$(
        impl private::Sealed for $int {}

        impl Int for $int {
            const LOWEST: Self = <$int>::MIN;
            const HIGHEST: Self = <$int>::MAX;

            #[inline]
            fn successor(self) -> Option<Self> { self.checked_add(1) }

            #[inline]
            fn predecessor(self) -> Option<Self> { self.checked_sub(1) }

            #[inline(always)]
            fn shape(low: Self, high: Self) -> Option<(u64, u64)> {
                // Sign extension makes differences of 64-bit words right for every width.
                let (low, high) = (low as $wide as u64, high as $wide as u64);
                let origin = (0 as $int).clamp(low as $int, high as $int) as $wide as u64;
                Some((origin.wrapping_sub(low), high.wrapping_sub(low)))
            }

            #[inline(always)]
            fn decode(low: Self, high: Self, number: u64) -> Self {
                let whole = low == <$int>::MIN && high == <$int>::MAX;
                let (low, high) = (low as $wide as u64, high as $wide as u64);
                let origin = (0 as $int).clamp(low as $int, high as $int) as $wide as u64;
                let (below, above) = (origin.wrapping_sub(low), high.wrapping_sub(origin));
                origin.wrapping_add(signed(number, below, above, whole)) as $int
            }

            fn draw(low: Self, high: Self, choose: &mut impl FnMut(Kind, u64, u64) -> u64) -> Self {
                let (below, max) = Self::shape(low, high).unwrap_or_default();
                Self::decode(low, high, choose(Kind::Int, below, max))
            }

            fn spans(low: Self, high: Self) -> Vec<u64> {
                vec![(high as $wide as u64).wrapping_sub(low as $wide as u64)]
            }
        }
    )*};
}

narrow!(u8 as u64, u16 as u64, u32 as u64, u64 as u64, usize as u64);
narrow!(i8 as i64, i16 as i64, i32 as i64, i64 as i64, isize as i64);

/// [`offset`] in wrapping 64-bit arithmetic.
#[inline(always)]
fn signed(number: u64, below: u64, above: u64, whole: bool) -> u64 {
    if below == 0 {
        return number;
    }
    let both = below.min(above);
    // Of a whole machine type the far end wraps to where it belongs.
    if whole || number / 2 < both || number == both.wrapping_mul(2) {
        // (number + 1) / 2 with the sign of the lowest bit, without a branch: it could not be predicted.
        let odd = number & 1;
        let minus = odd.wrapping_sub(1);
        ((number / 2).wrapping_add(odd) ^ minus).wrapping_sub(minus)
    } else {
        let far = number.wrapping_sub(both);
        if above > below { far } else { far.wrapping_neg() }
    }
}

/// Wide integers take two choices: whether and how far they leave the reach of 64 bits, and the rest.
macro_rules! wide {
    ($($int:ty),*) => {$(
        impl private::Sealed for $int {}

        impl Int for $int {
            const LOWEST: Self = <$int>::MIN;
            const HIGHEST: Self = <$int>::MAX;

            #[inline]
            fn successor(self) -> Option<Self> { self.checked_add(1) }

            #[inline]
            fn predecessor(self) -> Option<Self> { self.checked_sub(1) }

            fn draw(low: Self, high: Self, choose: &mut impl FnMut(Kind, u64, u64) -> u64) -> Self {
                let origin = (0 as $int).clamp(low, high);
                let (below, above) = (origin.abs_diff(low), high.abs_diff(origin));
                let total = below.wrapping_add(above);
                // Numbers 0..=total, outwards from the origin as for narrow integers, as two words.
                let high_word = if total >> 64 == 0 { 0 } else { choose(Kind::Wide, 0, (total >> 64) as u64) };
                let rest_max = if u128::from(high_word) == total >> 64 { total as u64 } else { u64::MAX };
                let number = u128::from(high_word) << 64 | u128::from(choose(Kind::Int, 0, rest_max));
                let both = below.min(above);
                if number / 2 < both || number == both.wrapping_mul(2) {
                    let half = (number / 2) as $int;
                    if number & 1 == 1 { origin.wrapping_add(half).wrapping_add(1) } else { origin.wrapping_sub(half) }
                } else {
                    let far = number.wrapping_sub(both) as $int;
                    if above > below { origin.wrapping_add(far) } else { origin.wrapping_sub(far) }
                }
            }

            fn spans(low: Self, high: Self) -> Vec<u64> {
                let total = high.abs_diff(low);
                if total >> 64 == 0 { vec![total as u64] } else { vec![0, u64::MAX] }
            }
        }
    )*};
}

wide!(u128, i128);

#[cfg(test)]
mod tests {
    use super::*;

    /// All integers of a range in the order of their numbers.
    fn numbered<T: Int>(low: T, high: T) -> Vec<T> {
        let max = T::spans(low, high)[0];
        (0..=max).map(|n| T::draw(low, high, &mut |_, _, _| n)).collect()
    }

    #[test]
    fn narrow_and_wide_integers_agree_with_the_decoding_of_choices() {
        for (low, high) in [(-3i8, 9), (-3, 2), (2, 6), (-9, -4), (-7, 2), (i8::MIN, i8::MAX)] {
            let narrow = numbered(low, high);
            let wide = numbered(i128::from(low), i128::from(high));
            assert!(narrow.iter().map(|&n| i128::from(n)).eq(wide.iter().copied()));
            let origin = 0i8.clamp(low, high);
            let (below, max) = (origin.abs_diff(low).into(), high.abs_diff(low).into());
            for (number, &value) in narrow.iter().enumerate() {
                assert_eq!(offset(number as u64, below, max), i128::from(value) - i128::from(origin));
                assert_eq!(index(i128::from(value) - i128::from(origin), below, max), number as u64);
            }
        }
        assert_eq!(i64::draw(i64::MIN, i64::MAX, &mut |_, _, max| max), i64::MIN);
        assert_eq!(i128::draw(i128::MIN, i128::MAX, &mut |_, _, max| max), i128::MIN);
        assert_eq!(u128::draw(0, u128::MAX, &mut |_, _, max| max), u128::MAX);
    }
}
