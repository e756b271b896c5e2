//! Values at which code goes wrong more often than at others.

use crate::choice::{chars, index};
use crate::rng::scale;

/// An integer at an edge, by two uniform words.
#[inline]
pub(super) fn int(max: u64, below: u64, word: u64, other: u64) -> u64 {
    match word & 15 {
        0..=1 => 0,
        2 => 1.min(max),
        3 => 2.min(max),
        // The largest and the smallest integer, wherever zero lies between them.
        4..=5 => index(i128::from(max - below), below, max),
        6..=7 => index(-i128::from(below), below, max),
        8 => max.saturating_sub(1),
        9 => max / 2,
        // Powers of two and their neighbours, where widths and buffers end.
        10..=12 => {
            let spread = if below == 0 { 3 } else { 7 };
            let near = (1u64 << (word >> 8 & 63)).wrapping_add(word >> 16 & spread);
            near.wrapping_sub(spread / 2).min(max)
        }
        _ => decimal(max, below, word, other),
    }
}

/// A multiple of a power of ten, or a neighbour of one: where digits, units and rounding change.
fn decimal(max: u64, below: u64, word: u64, other: u64) -> u64 {
    let is_negative = below > 0 && word >> 4 & 1 == 1;
    let far = if is_negative { below } else { max - below };
    let Some(digits @ 1..) = far.checked_ilog10() else { return scale(word, max) };
    let power = 10u64.pow(1 + scale(word, u64::from(digits) - 1) as u32);
    let times = match word >> 5 & 3 {
        0 => 1,
        1 => 1 + scale(other, 8),
        // Uniform in the number of its bits.
        _ => 1 + (scale(other, far / power - 1) >> scale(other << 16, u64::from((far / power).ilog2()))),
    };
    let multiple = power * times.min(far / power);
    let near = match word >> 8 & 7 {
        0 => multiple - 1,
        1 => (multiple + 1).min(far),
        _ => multiple,
    };
    index(if is_negative { -i128::from(near) } else { near.into() }, below, max)
}

/// A character at an edge, by a uniform word.
pub(super) fn char(max: u64, word: u64) -> u64 {
    chars::encode(CHARS[scale(word, CHARS.len() as u64 - 1) as usize]).min(max)
}

/// Ends of lines and of encodings of one, two, three and four bytes; the neighbours of the surrogates; marks that begin a text or stand
/// for what could not be read; what combines, turns the direction, takes no room, or changes its length with its case.
const CHARS: [char; 32] = [
    '\0',
    '\t',
    '\n',
    '\n',
    '\r',
    '\r',
    '\r',
    '\u{1b}',
    '\u{7f}',
    '\u{80}',
    '\u{a0}',
    'ß',
    '\u{ff}',
    '\u{100}',
    'İ',
    'ı',
    '\u{301}',
    '\u{7ff}',
    '\u{800}',
    '\u{200d}',
    '\u{202e}',
    '\u{2028}',
    '\u{d7ff}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{e000}',
    '\u{feff}',
    '\u{fffd}',
    '\u{ffff}',
    '\u{10000}',
    '\u{1f600}',
    '\u{10ffff}',
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::offset;
    use crate::rng::Rng;

    #[test]
    fn edges_are_within_every_range() {
        let mut rng = Rng::of_case(1, 1);
        for (below, max) in
            [(0, 0), (0, 1), (0, 9), (0, 10), (5, 7), (7, 7), (128, 255), (0, u64::MAX), (1 << 63, u64::MAX)]
        {
            for _ in 0..2000 {
                assert!(int(max, below, rng.next(), rng.next()) <= max, "below {below}, max {max}");
            }
        }
    }

    #[test]
    fn multiples_of_large_powers_of_ten_are_among_them() {
        let mut rng = Rng::of_case(1, 1);
        let values =
            (0..4000).map(|_| offset(int(u64::MAX, 1 << 63, rng.next(), rng.next()), 1 << 63, u64::MAX));
        let large = values.filter(|value| *value != 0 && value % 1_000_000_000 == 0).count();
        assert!(large > 100, "{large} of 4000");
    }
}
