//! A choice: the atom of a test case.
//!
//! Every choice is a number in `0..=max`, and 0 is always the simplest value. What the number means (an integer in a
//! range, a character, a float, whether a list goes on) is told by its [`Kind`]; the maps from numbers to meanings
//! live here too, so that "simpler" is decided in one place: a smaller number is a simpler value.

/// What a choice decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
// As wide as its neighbour in a choice, so that both are written at once.
#[repr(u32)]
pub enum Kind {
    /// An integer of a range, ordered outwards from the value nearest to zero.
    Int,
    /// The upper half of an integer wider than 64 bits. An enumeration, which will never get that far, leaves it at 0.
    Wide,
    /// Yes or no.
    Flag,
    /// One of several alternatives.
    Index,
    /// A floating-point number.
    Float,
    /// A character.
    Char,
    /// Whether a list has another element.
    More,
}

impl Kind {
    /// The letter of this kind in written records.
    pub fn letter(self) -> char {
        match self {
            Kind::Int => 'i',
            Kind::Wide => 'w',
            Kind::Flag => 'b',
            Kind::Index => 'x',
            Kind::Float => 'f',
            Kind::Char => 'c',
            Kind::More => 'm',
        }
    }

    /// The kind written as `letter`.
    pub fn of_letter(letter: char) -> Option<Kind> {
        [Kind::Int, Kind::Wide, Kind::Flag, Kind::Index, Kind::Float, Kind::Char, Kind::More]
            .into_iter()
            .find(|kind| kind.letter() == letter)
    }
}

/// What a generator asks for: which numbers are allowed and what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The largest number allowed.
    pub max: u64,
    /// For [`Kind::Int`]: how many integers of the range lie below the simplest one.
    pub below: u64,
    /// What the number means.
    pub kind: Kind,
    /// For [`Kind::More`]: the number of the span of its list, so that elements can be told apart.
    pub owner: u32,
}

impl Shape {
    /// A number in `0..=max` of the given kind.
    #[inline]
    pub fn new(kind: Kind, max: u64) -> Shape {
        Shape { max, below: 0, kind, owner: 0 }
    }
}

/// A decided choice, as it stands in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The number decided on; 0 is the simplest.
    pub value: u64,
    /// What was asked for.
    pub shape: Shape,
}

impl Choice {
    /// The distance of the decoded integer from the simplest value of its range, for [`Kind::Int`].
    pub fn offset(&self) -> i128 {
        offset(self.value, self.shape.below, self.shape.max)
    }

    /// The number that stands for the integer at `offset` from the simplest value, if that is in range.
    pub fn at_offset(&self, offset: i128) -> Option<u64> {
        let (below, above) = (i128::from(self.shape.below), i128::from(self.shape.max - self.shape.below));
        (-below <= offset && offset <= above).then(|| index(offset, self.shape.below, self.shape.max))
    }
}

/// The integer that number `index` stands for, as its distance from the simplest value of the range.
///
/// The order is 0, 1, −1, 2, −2 … until one side of the range is used up, then outwards on the other.
#[inline]
pub(crate) fn offset(index: u64, below: u64, max: u64) -> i128 {
    if below == 0 {
        return i128::from(index);
    }
    let above = max - below;
    let both = below.min(above);
    if index / 2 < both || index == both.wrapping_mul(2) {
        let half = i128::from(index / 2);
        if index % 2 == 1 { half + 1 } else { -half }
    } else {
        let far = i128::from(index - both);
        if above > below { far } else { -far }
    }
}

/// The inverse of [`offset`].
pub(crate) fn index(offset: i128, below: u64, max: u64) -> u64 {
    let above = max - below;
    let both = below.min(above);
    let far = offset.unsigned_abs() as u64;
    if far > both {
        return far + both;
    }
    // At most 2^63 on either side, and then the far end of the longer one is the branch above.
    if offset > 0 { 2 * (far - 1) + 1 } else { far.wrapping_mul(2) }
}

/// The number by which an integer of `low..=high` is drawn; nothing if it is not in there, or such a range needs several choices.
pub fn number_of_int(value: i128, low: i128, high: i128) -> Option<u64> {
    let origin = 0.clamp(low.min(high), high);
    let (below, max) = (u64::try_from(origin - low).ok()?, u64::try_from(high.checked_sub(low)?).ok()?);
    (low..=high).contains(&value).then(|| index(value - origin, below, max))
}

/// The number by which a float is drawn.
pub fn number_of_float(value: f64) -> u64 {
    floats::F64.encode(value.to_bits())
}

/// The number by which a character is drawn.
pub fn number_of_char(value: char) -> u64 {
    chars::encode(value)
}

/// The characters in the order in which they are simple: a–z, digits, A–Z, the rest of printable ASCII, then the rest
/// of Unicode by code point.
pub(crate) mod chars {
    const SIMPLE: &[u8; 95] =
        b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    /// All characters but one: `char` has 0x110000 code points less 0x800 surrogates.
    pub(crate) const MAX: u64 = 0x0011_0000 - 0x800 - 1;

    #[inline]
    pub(crate) fn decode(number: u64) -> char {
        if number < 95 {
            return SIMPLE[number as usize] as char;
        }
        // What remains, by code point: 0..=31, 127.. without the surrogates.
        let n = number - 95;
        let point = if n < 32 { n } else { n - 32 + 127 } as u32;
        let point = if point < 0xD800 { point } else { point + 0x800 };
        char::from_u32(point).unwrap_or('a')
    }

    pub(crate) fn encode(c: char) -> u64 {
        if (' '..='~').contains(&c) {
            return SIMPLE.iter().position(|&s| s as char == c).unwrap_or(0) as u64;
        }
        let point = u64::from(u32::from(c));
        let point = if point < 0xD800 { point } else { point - 0x800 };
        95 + if point < 32 { point } else { point - 127 + 32 }
    }
}

/// Floats in the order in which they are simple: whole numbers first, then numbers near 1 with short fractions,
/// outwards to the huge and the tiny, then infinity, then NaNs. The sign is the lowest bit, so that a negative number follows
/// its positive twin. Every bit pattern has exactly one number.
pub(crate) mod floats {
    use std::sync::LazyLock;

    /// A binary floating-point format and the order of its exponents.
    pub(crate) struct Format {
        mantissa_bits: u64,
        bias: u64,
        /// Biased exponents, simplest first, each with the number of patterns before it.
        order: Vec<(u64, u64)>,
        /// For each biased exponent the number of patterns before it.
        before: Vec<u64>,
    }

    pub(crate) static F64: LazyLock<Format> = LazyLock::new(|| Format::new(52, 1023));
    pub(crate) static F32: LazyLock<Format> = LazyLock::new(|| Format::new(23, 127));

    impl Format {
        fn new(mantissa_bits: u64, bias: u64) -> Format {
            let mut format = Format { mantissa_bits, bias, order: Vec::new(), before: Vec::new() };
            format.before = vec![0; 2 * bias as usize + 2];
            let mut before = 0;
            // 0.5..1 first, then 1..2, outwards to the subnormals (exponent 0), then the largest, then infinity and NaN.
            for exponent in (0..bias).flat_map(|d| [bias - 1 - d, bias + d]).chain([2 * bias, 2 * bias + 1]) {
                format.order.push((exponent, before));
                format.before[exponent as usize] = before;
                before += format.fractional(exponent);
            }
            format
        }

        /// The largest number of this format.
        pub(crate) fn max(&self) -> u64 {
            if self.mantissa_bits == 52 { u64::MAX } else { u64::from(u32::MAX) }
        }

        /// Magnitudes below this stand for themselves.
        fn whole(&self) -> u64 {
            2 << self.mantissa_bits
        }

        /// The bit pattern that `number` stands for.
        pub(crate) fn decode(&self, number: u64) -> u64 {
            let sign_bit = self.max() / 2 + 1;
            let sign = if number & 1 == 1 { sign_bit } else { 0 };
            let magnitude = number >> 1;
            if magnitude < self.whole() {
                return sign | self.pattern_of_whole(magnitude);
            }
            let rank = magnitude - self.whole();
            let at = self.order.partition_point(|&(_, before)| before <= rank);
            // Exponents without any fractional pattern share their count with the next: take the last that fits.
            let (exponent, before) = self.order[at.saturating_sub(1)];
            sign | self.pattern(exponent, rank - before)
        }

        /// The number that stands for a bit pattern.
        pub(crate) fn encode(&self, bits: u64) -> u64 {
            let sign_bit = self.max() / 2 + 1;
            let (sign, bits) = (u64::from(bits & sign_bit != 0), bits & !sign_bit);
            let magnitude = match self.whole_of_pattern(bits) {
                Some(whole) => whole,
                None => {
                    let exponent = bits >> self.mantissa_bits;
                    let mantissa = bits & ((1 << self.mantissa_bits) - 1);
                    self.whole() + self.before[exponent as usize] + self.rank(exponent, mantissa)
                }
            };
            magnitude << 1 | sign
        }

        fn pattern_of_whole(&self, whole: u64) -> u64 {
            if self.mantissa_bits == 52 {
                (whole as f64).to_bits()
            } else {
                u64::from((whole as f32).to_bits())
            }
        }

        fn whole_of_pattern(&self, bits: u64) -> Option<u64> {
            let value = if self.mantissa_bits == 52 {
                f64::from_bits(bits)
            } else {
                f64::from(f32::from_bits(bits as u32))
            };
            (value.fract() == 0.0 && value < self.whole() as f64).then_some(value as u64)
        }

        /// How many patterns with this exponent are not whole numbers below [`Format::whole`].
        fn fractional(&self, exponent: u64) -> u64 {
            let all = 1 << self.mantissa_bits;
            match exponent {
                0 => all - 1,
                e if e < self.bias || e > self.bias + self.mantissa_bits => all,
                e => all - (1 << (e - self.bias)),
            }
        }

        /// How many bits of the mantissa stand left of the binary point; `None` where that is no question.
        fn whole_bits(&self, exponent: u64) -> Option<u64> {
            (self.bias..self.bias + self.mantissa_bits).contains(&exponent).then(|| exponent - self.bias)
        }

        /// The `rank`-th fractional pattern of this exponent. Fractions are counted with their bits reversed, so that
        /// 0.5 comes before 0.25 before 0.75.
        fn pattern(&self, exponent: u64, rank: u64) -> u64 {
            let mantissa = if exponent == 0 {
                rank + 1
            } else if let Some(whole_bits) = self.whole_bits(exponent) {
                let fraction_bits = self.mantissa_bits - whole_bits;
                let whole = rank & ((1 << whole_bits) - 1);
                whole << fraction_bits | reversed((rank >> whole_bits) + 1, fraction_bits)
            } else {
                reversed(rank, self.mantissa_bits)
            };
            exponent << self.mantissa_bits | mantissa
        }

        /// The inverse of [`Format::pattern`].
        fn rank(&self, exponent: u64, mantissa: u64) -> u64 {
            if exponent == 0 {
                return mantissa - 1;
            }
            let Some(whole_bits) = self.whole_bits(exponent) else {
                return reversed(mantissa, self.mantissa_bits);
            };
            let fraction_bits = self.mantissa_bits - whole_bits;
            let fraction = reversed(mantissa & ((1 << fraction_bits) - 1), fraction_bits);
            (fraction - 1) << whole_bits | mantissa >> fraction_bits
        }
    }

    /// The lowest `width` bits of `bits` in reverse order.
    fn reversed(bits: u64, width: u64) -> u64 {
        bits.reverse_bits() >> (64 - width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_go_outwards_from_zero() {
        let shown: Vec<i128> = (0..=8).map(|i| offset(i, 2, 8)).collect();
        assert_eq!(shown, [0, 1, -1, 2, -2, 3, 4, 5, 6]);
        let shown: Vec<i128> = (0..=5).map(|i| offset(i, 4, 5)).collect();
        assert_eq!(shown, [0, 1, -1, -2, -3, -4]);
    }

    #[test]
    fn every_integer_has_one_number() {
        for (below, max) in [(0, 7), (3, 7), (7, 7), (5, 7), (128, 255)] {
            for i in 0..=max {
                assert_eq!(index(offset(i, below, max), below, max), i, "below {below}, max {max}");
            }
        }
        let (below, max) = (1 << 63, u64::MAX);
        for i in [0, 1, 2, 3, u64::MAX - 1, u64::MAX] {
            assert_eq!(index(offset(i, below, max), below, max), i);
        }
        assert_eq!(offset(u64::MAX, below, max), i128::from(i64::MIN));
    }

    #[test]
    fn every_character_has_one_number() {
        for number in 0..=chars::MAX {
            assert_eq!(chars::encode(chars::decode(number)), number);
        }
    }

    #[test]
    fn every_float_has_one_number() {
        for format in [&floats::F64, &floats::F32] {
            let max = format.max();
            for number in
                (0..1000).chain((0..64).map(|b| 1u64 << b)).chain((0..=4000).map(|k| max / 4000 * k))
            {
                let number = number.min(max);
                assert_eq!(format.encode(format.decode(number)), number);
            }
            assert_eq!(format.decode(max), max);
        }
        for value in
            [0.0, -0.0, 1.0, 0.5, -0.25, 1.5, f64::MIN_POSITIVE, 5e-324, f64::MAX, 1e300, f64::INFINITY]
        {
            assert_eq!(floats::F64.decode(floats::F64.encode(value.to_bits())), value.to_bits());
        }
    }
}
