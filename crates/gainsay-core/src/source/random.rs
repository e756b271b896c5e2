//! The random source: edge values, duplicates, sizes, weights and swarm selection live here, never in the record.

use super::{Hint, Source};
use crate::choice::floats::{F32, F64};
use crate::choice::{Choice, Kind, Shape};
use crate::rng::{Rng, mix, scale};

/// Draws choices at random; case `index` of `seed` depends on nothing else.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    rng: Rng,
    size: u32,
    /// Decides which alternatives this case does without; 0: none.
    swarm: u64,
    /// Past this many choices lists and recursive types end as soon as they can.
    budget: usize,
    /// Recursive types end as soon as they can inside this many spans.
    depth_max: usize,
    /// How many lists are open: inner lists are shorter.
    lists: u32,
}

impl Random {
    pub(crate) fn new(seed: u64, index: u64, size: u32) -> Random {
        let mut rng = Rng::of_case(seed, index);
        let word = rng.next();
        // Half of the cases use every alternative.
        let swarm = if word & 1 == 0 { 0 } else { word };
        // Mostly bushy values of logarithmic depth, sometimes deep ones.
        let log = u64::from(u32::BITS - size.leading_zeros());
        let deep = if word >> 1 & 7 == 0 { u64::from(size) } else { log + 1 };
        let depth_max = 1 + scale(word, deep) as usize;
        Random { rng, size, swarm, budget: 32 + 32 * size as usize, depth_max, lists: 0 }
    }

    #[inline]
    fn int(&mut self, shape: &Shape, so_far: &[Choice]) -> u64 {
        let word = self.rng.next();
        let selector = word >> 56;
        if shape.max <= 0xff {
            // A small range: uniform, with the ends and repetitions a little more often.
            return match selector {
                0..=7 => 0,
                8..=15 => shape.max,
                16..=31 => self.again(shape, so_far),
                _ => scale(word << 8, shape.max),
            };
        }
        match selector {
            // Uniform in the whole range.
            0..=127 => scale(self.rng.next(), shape.max),
            // Uniform in the number of bits.
            128..=175 => {
                let bits = 64 - shape.max.leading_zeros();
                let shift = 64 - bits + scale(word << 8, u64::from(bits - 1)) as u32;
                (self.rng.next() >> shift).min(shape.max)
            }
            // Small.
            176..=219 => scale(word << 8, shape.max.min(2 * u64::from(self.size) + 2)),
            220..=235 => self.edge(shape.max),
            _ => self.again(shape, so_far),
        }
    }

    #[cold]
    fn edge(&mut self, max: u64) -> u64 {
        let word = self.rng.next();
        match word & 15 {
            0..=1 => 0,
            2 => 1,
            3 => 2,
            4..=6 => max,
            7..=8 => max - 1,
            9 => max / 2,
            // Powers of two and their neighbours, where widths and buffers end.
            _ => (1u64 << (word >> 8 & 63)).wrapping_add(word >> 16 & 3).wrapping_sub(1).min(max),
        }
    }

    /// An earlier value of the same shape, or a neighbour of one.
    #[cold]
    fn again(&mut self, shape: &Shape, so_far: &[Choice]) -> u64 {
        let word = self.rng.next();
        if !so_far.is_empty() {
            let start = scale(word, so_far.len() as u64 - 1) as usize;
            let (before, after) = (&so_far[start.saturating_sub(8)..start], &so_far[start..]);
            let like = |c: &&Choice| {
                c.shape.kind == shape.kind && c.shape.max == shape.max && c.shape.below == shape.below
            };
            if let Some(choice) = after.iter().take(8).chain(before.iter().rev()).find(like) {
                // Numbers of one sign are two apart where both signs exist.
                let step = if shape.below == 0 { 1 } else { 2 } * (1 + (word >> 4 & 1));
                return match word & 15 {
                    0..=1 => choice.value.saturating_add(step).min(shape.max),
                    2..=3 => choice.value.saturating_sub(step),
                    _ => choice.value,
                };
            }
        }
        scale(word, shape.max)
    }

    fn alternative(&mut self, shape: &Shape, hint: Hint<'_>, so_far: usize) -> u64 {
        let swarm = self.swarm;
        match hint {
            Hint::Weights(weights) => self.weighted(weights.len(), |i| weights[i]),
            Hint::Variants(plan, depth) => {
                let room = depth <= self.depth_max && so_far <= self.budget;
                self.weighted(plan.variants.len(), |i| {
                    let variant = &plan.variants[i];
                    let usable = if room { is_on(swarm, plan.salt, i) } else { variant.depth == plan.depth };
                    if usable { variant.weight } else { 0 }
                })
            }
            Hint::None | Hint::Growing(_) => {
                let salt = shape.max;
                self.weighted(shape.max as usize + 1, |i| u32::from(is_on(swarm, salt, i)))
            }
        }
    }

    /// An alternative by weight; if no alternative has any, all are equal.
    #[inline]
    fn weighted(&mut self, n: usize, weight: impl Fn(usize) -> u32) -> u64 {
        let total: u64 = (0..n).map(|i| u64::from(weight(i))).sum();
        if total == 0 {
            return self.rng.up_to(n as u64 - 1);
        }
        let mut at = self.rng.up_to(total - 1);
        for i in 0..n {
            let w = u64::from(weight(i));
            if at < w {
                return i as u64;
            }
            at -= w;
        }
        0
    }

    fn float(&mut self, shape: &Shape, so_far: &[Choice]) -> u64 {
        let word = self.rng.next();
        let wide = shape.max > u64::from(u32::MAX);
        let encode = |value: f64| {
            if wide { F64.encode(value.to_bits()) } else { F32.encode(u64::from((value as f32).to_bits())) }
        };
        let number = match word & 15 {
            // A small whole number.
            0..=3 => scale(word, 4 * u64::from(self.size) + 4),
            // A short fraction.
            4..=6 => encode((word as i64 >> 44) as f64 / f64::from(1u32 << (word >> 8 & 15))),
            // In −1..1.
            7..=9 => encode((word as i64 >> 11) as f64 / (1u64 << 52) as f64),
            10 => encode(FLOAT_EDGES[scale(word, FLOAT_EDGES.len() as u64 - 1) as usize]),
            11 => self.again(shape, so_far),
            // Any pattern at all.
            _ => self.rng.next() & shape.max,
        };
        number.min(shape.max)
    }

    #[inline]
    fn char(&mut self, shape: &Shape, so_far: &[Choice]) -> u64 {
        let word = self.rng.next();
        match word >> 58 {
            // Mostly printable ASCII, which the simple end of the order is.
            0..=41 => scale(word << 6, shape.max.min(94)),
            42..=51 => scale(word << 6, shape.max.min(0xff + 32)),
            52..=57 => self.again(shape, so_far),
            58..=60 => scale(word << 6, shape.max.min(0xffff)),
            _ => scale(word << 6, shape.max),
        }
    }
}

const FLOAT_EDGES: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    f64::EPSILON,
    9_007_199_254_740_993.0,
    0.1,
];

/// Swarm selection: whether a case uses alternative `i` at all.
#[inline]
fn is_on(swarm: u64, salt: u64, i: usize) -> bool {
    swarm == 0 || mix(swarm ^ mix(salt ^ (i as u64) << 32)) & 3 != 0
}

impl Source for Random {
    #[inline]
    fn choose(&mut self, shape: &Shape, hint: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        Some(match shape.kind {
            Kind::Int => self.int(shape, so_far),
            // Half of the wide integers are narrow ones.
            Kind::Wide => if self.rng.one_in(2) { 0 } else { self.int(shape, so_far) },
            Kind::Flag | Kind::More => match hint {
                Hint::Weights(weights) => self.weighted(2, |i| weights[i]),
                Hint::Growing(depth) => {
                    let room = depth <= self.depth_max + 2 && so_far.len() <= self.budget;
                    u64::from(room && self.rng.up_to(7) < 5)
                }
                _ => scale(self.rng.next(), shape.max),
            },
            Kind::Char => self.char(shape, so_far),
            Kind::Index => self.alternative(shape, hint, so_far.len()),
            Kind::Float => self.float(shape, so_far),
        })
    }

    #[inline]
    fn open_list(&mut self, min: usize, max: usize, so_far: usize) -> Option<usize> {
        let usual = u64::from(self.size >> (2 * self.lists).min(31)).max(3);
        self.lists += 1;
        if so_far > self.budget {
            return Some(min);
        }
        let room = ((max - min) as u64).min(usual);
        let word = self.rng.next();
        let more = match word & 31 {
            0 => 0,
            1 => room,
            _ => scale(word, room),
        };
        Some(min + more as usize)
    }

    #[inline]
    fn close_list(&mut self) {
        self.lists = self.lists.saturating_sub(1);
    }

    fn is_random(&self) -> bool {
        true
    }
}

/// A stream of words for the decisions of the engine itself (which case to mutate, which values to try).
pub(crate) fn decisions(seed: u64) -> Rng {
    Rng::of_case(mix(seed), u64::MAX)
}
