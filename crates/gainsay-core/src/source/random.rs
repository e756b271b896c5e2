//! The random source: edge values, duplicates, sizes, weights and swarm selection live here, never in the record.

mod echo;
mod edges;

pub(crate) use echo::last_alike;

use super::{Hint, Source};
use crate::choice::floats::{F32, F64};
use crate::choice::{Choice, Kind, Shape, chars};
use crate::plan::Plan;
use crate::rng::{Rng, key, mix, scale};
use crate::tape::Tape;
use echo::{Echo, beside};
use std::any::TypeId;
use std::hint::black_box;

/// Draws choices at random; case `index` of `seed` depends on nothing else.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    rng: Rng,
    size: u32,
    echo: Echo,
    /// How many lists are open: inner lists are shorter.
    lists: u32,
    /// What the case as a whole is like; decided when first needed, since many cases never ask.
    manner: Option<Manner>,
    /// The options of the case that were asked for last.
    options: Options,
    /// The variants that the case has of the type that was asked for last.
    variants: Variants,
}

/// Which variants of a type a case has, if they are few and have no weights.
#[derive(Debug, Clone, Copy)]
struct Variants {
    /// Of which type; those of `()` while they are of no use.
    of: TypeId,
    /// What they were made for: a type and a swarm.
    made_for: Option<(TypeId, u64)>,
    /// They, one by one: their numbers, and their places in the declaration.
    places: [(u8, u8); FEW],
    count: u64,
    /// The largest number of a variant.
    max: u64,
    /// The one that comes next. (It is decided ahead: what comes of it is a jump that nobody foresees, which would have to wait for it.)
    next: (u8, u8),
    /// Inside more spans, or past more choices, only some of them are left: those that end a recursion.
    depth_max: usize,
    so_far_max: usize,
}

/// Which of some options a case has, as bits.
#[derive(Debug, Clone, Copy, Default)]
struct Options {
    /// Of which swarm, and of how many.
    of: (u64, usize),
    on: u64,
    /// Those that come much more often than the others: what many calls of one kind lead to is not seen otherwise.
    favoured: u64,
    /// The same one by one, if there are few: first all, then those that are favoured.
    places: [[u8; FEW]; 2],
    counts: [u64; 2],
}

/// So many options are few.
pub(crate) const FEW: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Manner {
    /// Decides which alternatives this case does without; 0: none.
    swarm: u64,
    /// Recursive types end as soon as they can inside this many spans.
    depth_max: usize,
}

impl Options {
    #[inline(never)]
    fn new(swarm: u64, n: usize) -> Options {
        let bits = |holds: &dyn Fn(usize) -> bool| {
            (0..n.min(64)).filter(|&i| holds(i)).fold(0, |mask, i| mask | 1 << i)
        };
        let on = bits(&|i| is_on(swarm, n as u64, i));
        let favoured = bits(&|i| mix(swarm ^ mix(n as u64 ^ (i as u64) << 32)) >> 2 & 3 == 0);
        let mut options = Options { of: (swarm, n), on, favoured: on & favoured, ..Options::default() };
        if n <= FEW {
            // Where all are off, or none is favoured, there is a choice of all.
            let masks = [if on == 0 { u64::MAX } else { on }, options.favoured];
            for (list, mask) in masks.into_iter().enumerate() {
                for place in (0..n).filter(|place| mask >> place & 1 == 1) {
                    options.places[list][options.counts[list] as usize] = place as u8;
                    options.counts[list] += 1;
                }
            }
        }
        options
    }

    /// One of the options, by a uniform word.
    #[inline(always)]
    fn choose(&self, word: u64) -> u64 {
        let list = usize::from(self.counts[1] > 0 && word & 7 != 0);
        let place = scale(word, self.counts[list].wrapping_sub(1)) as usize;
        u64::from(self.places[list][place % FEW])
    }
}

impl Random {
    #[inline]
    pub(crate) fn new(seed: u64, index: u64, size: u32) -> Random {
        Random::of_key(key(seed), index, size)
    }

    /// Like [`new`](Random::new), with the seed mixed beforehand.
    #[inline(always)]
    pub(crate) fn of_key(key: u64, index: u64, size: u32) -> Random {
        Random {
            rng: Rng::of_key(key, index),
            size,
            echo: Echo::of_case(index),
            lists: 0,
            manner: None,
            options: Options::default(),
            variants: Variants::none(),
        }
    }

    /// Starts over, as another case.
    #[inline]
    pub(crate) fn restart_as(&mut self, key: u64, index: u64, size: u32) {
        self.size = size;
        self.echo = Echo::of_case(index);
        self.lists = 0;
        self.restart(key, index);
    }

    /// Starts over, as another case of the same size, which echoes if this one does.
    #[inline(always)]
    pub(crate) fn restart(&mut self, key: u64, index: u64) {
        self.rng = Rng::of_key(key, index);
        self.manner = None;
        self.variants.of = nobody();
    }

    #[inline]
    fn manner(&mut self) -> Manner {
        match self.manner {
            Some(manner) => manner,
            None => self.decide_manner(),
        }
    }

    fn decide_manner(&mut self) -> Manner {
        let word = self.rng.next();
        // Half of the cases use every alternative.
        let swarm = if word & 1 == 0 { 0 } else { word };
        // Mostly bushy values of logarithmic depth, sometimes deep ones.
        let log = u64::from(u32::BITS - self.size.leading_zeros());
        let deep = if word >> 1 & 7 == 0 { u64::from(self.size) } else { log + 1 };
        let manner = Manner { swarm, depth_max: 1 + scale(word, deep) as usize };
        self.manner = Some(manner);
        manner
    }

    /// Past this many choices lists and recursive types end as soon as they can.
    #[inline]
    fn budget(&self) -> usize {
        32 + 32 * self.size as usize
    }

    /// An integer. Half of them are uniform in value, half in the number of their bits, and some are special.
    #[inline(always)]
    fn int(&mut self, max: u64, below: u64, words: (u64, u64), so_far: &[Choice]) -> u64 {
        if self.is_special(words, so_far.len()) {
            return self.special(max, below, words.0, so_far);
        }
        usual_int(max, words)
    }

    /// The same where it is a value of its own: if it was there before, what followed it may follow again.
    #[inline(always)]
    pub(crate) fn single_int(&mut self, max: u64, below: u64, words: (u64, u64), so_far: &[Choice]) -> u64 {
        if !self.is_special(words, so_far.len()) {
            return usual_int(max, words);
        }
        if self.is_echoing() {
            return self.echoed_int(max, below, words, so_far);
        }
        self.special(max, below, words.0, so_far)
    }

    /// Whether a single integer shall be something special.
    #[inline(always)]
    pub(crate) fn is_special(&self, (_, selector): (u64, u64), so_far: usize) -> bool {
        // The lower half: cheap to test.
        (selector as u32) < self.echo.int_below[usize::from(so_far > 0)]
    }

    #[inline(always)]
    fn any_int(&mut self, shape: Shape, so_far: &[Choice]) -> u64 {
        let words = self.rng.next_two();
        self.int(shape.max, shape.below, words, so_far)
    }

    /// What an integer is made of.
    #[inline(always)]
    pub(crate) fn two_words(&mut self) -> (u64, u64) {
        self.rng.next_two()
    }

    /// Appends `n` elements of a list of integers: the choice that the list goes on, and the integer. There is room for them.
    #[inline]
    pub(crate) fn fill(&mut self, tape: &mut Tape, n: usize, owner: u32, shape: Shape) {
        // What a choice is made of is hidden from the compiler, which would write it constant by constant: the number of writes is
        // what costs here.
        let more = black_box(Choice { value: 1, shape: Shape { max: 1, below: 0, kind: Kind::More, owner } });
        let usual = black_box(Choice { value: 0, shape });
        let start = tape.len();
        // First all integers as if they were usual, then the special ones: the first loop is the hot one.
        let mut rng = self.rng.clone();
        let mut special = [0u64; 16];
        let (pairs, _) = tape.take(2 * n).as_chunks_mut::<2>();
        for (i, pair) in pairs.iter_mut().enumerate() {
            let words = rng.next_two();
            if (words.1 as u32) < u32::MAX / ONE_IN_LIST {
                special[i / 64 % 16] |= 1 << (i % 64);
            }
            *pair = [more, usual];
            pair[1].value = usual_int(shape.max, words);
        }
        self.rng = rng;
        for (block, mut marks) in special.into_iter().enumerate().take(n.div_ceil(64)) {
            while marks != 0 {
                // Lists of more than a thousand have no special values after that but where the first thousand have.
                let at = start + 2 * (64 * block + marks.trailing_zeros() as usize) + 1;
                marks &= marks - 1;
                if let Some((choice, so_far)) = tape.get_mut(..=at).and_then(|made| made.split_last_mut()) {
                    choice.value = self.special(shape.max, shape.below, mix(choice.value), so_far);
                }
            }
        }
        if self.is_echoing() && n > 1 {
            self.repeat_some(tape.get_mut(start..).unwrap_or_default().as_chunks_mut::<2>().0);
        }
    }

    /// Repeats some elements of a list of integers: mostly a few, sometimes many.
    fn repeat_some(&mut self, pairs: &mut [[Choice; 2]]) {
        let word = self.rng.next();
        let last = pairs.len() as u64 - 1;
        let copies = if word & 3 == 0 { last } else { 1 + scale(word, last.min(3)) };
        for _ in 0..copies {
            let (from, to) = self.rng.next_two();
            pairs[scale(to, last) as usize][1].value = pairs[scale(from, last) as usize][1].value;
        }
    }

    #[inline(always)]
    fn is_at_wide_end(&self, so_far: &[Choice]) -> bool {
        so_far.last().is_some_and(|last| last.shape.kind == Kind::Wide && last.value == last.shape.max)
    }

    /// An integer worth trying: at an edge, or seen before.
    #[inline(never)]
    fn special(&mut self, max: u64, below: u64, word: u64, so_far: &[Choice]) -> u64 {
        if word & 7 < 5 {
            edges::int(max, below, self.rng.next(), mix(word))
        } else {
            self.again(Kind::Int, max, below, so_far)
        }
    }

    /// An earlier value of the same shape, or a neighbour of one.
    #[inline(never)]
    fn again(&mut self, kind: Kind, max: u64, below: u64, so_far: &[Choice]) -> u64 {
        let word = self.rng.next();
        if !so_far.is_empty() {
            let start = scale(word, so_far.len() as u64 - 1) as usize;
            let like = |&i: &usize| {
                let Choice { value, shape } = so_far[i];
                shape.kind == kind && shape.max == max && shape.below == below && value > 0
            };
            let (before, after) =
                ((start.saturating_sub(8)..start).rev(), start..so_far.len().min(start + 8));
            if let Some(place) = after.chain(before).find(like) {
                let value = so_far[place].value;
                return match word >> 8 & 15 {
                    0..=2 => beside(value, word, below, max),
                    _ => value,
                };
            }
        }
        scale(word, max)
    }

    fn alternative(&mut self, max: u64, hint: Hint<'_>, so_far: usize) -> u64 {
        // These are drawn elsewhere as well, where that is faster: here as there.
        match hint {
            Hint::Options(weights) => return self.option(max as usize + 1, weights),
            Hint::Variants(plan @ Plan { ends: Some(ends), .. }, depth) => {
                return self.plain_variant(plan, *ends, depth, so_far);
            }
            _ => {}
        }
        let Manner { swarm, depth_max } = self.manner();
        match hint {
            Hint::Weights(weights) => self.weighted(weights.len(), |i| weights[i]),
            Hint::Variants(plan, depth) => {
                let room = depth <= depth_max && so_far <= self.budget();
                let variants = &plan.variants;
                let weight = |i: usize| {
                    let usable =
                        if room { is_on(swarm, plan.salt, i) } else { variants[i].depth == plan.depth };
                    if usable { variants[i].weight } else { 0 }
                };
                if (0..variants.len()).any(|i| weight(i) > 0) {
                    self.weighted(variants.len(), weight)
                } else if room {
                    // The swarm does without all that has a weight: it is not asked.
                    self.weighted(variants.len(), |i| variants[i].weight)
                } else {
                    // What ends the recursion has no weight: it must end all the same.
                    self.weighted(variants.len(), |i| u32::from(variants[i].depth == plan.depth))
                }
            }
            Hint::None | Hint::Lower | Hint::Growing(_) | Hint::Options(_) | Hint::Favoured(_) => {
                let n = max as usize + 1;
                let on = self.options(n).on;
                equal(n, on, self.rng.next())
            }
        }
    }

    /// A variant of a type that was asked for before in this case: its number and its place in the declaration, and the largest number.
    #[inline(always)]
    pub(crate) fn variant_again(
        &mut self,
        of: TypeId,
        depth: usize,
        so_far: usize,
    ) -> Option<((u8, u8), u64)> {
        let variants = &mut self.variants;
        if variants.of != of || depth > variants.depth_max || so_far > variants.so_far_max {
            return None;
        }
        let next = variants.next;
        variants.next = variants.by(self.rng.next());
        Some((next, variants.max))
    }

    /// A variant of a type that has few and no weights. (Whoever asks, the same words are used in the same order.)
    fn plain_variant(&mut self, plan: &Plan, ends: u64, depth: usize, so_far: usize) -> u64 {
        if let Some(((number, _), _)) = self.variant_again(plan.of, depth, so_far) {
            return number.into();
        }
        let Manner { swarm, depth_max } = self.manner();
        let word = self.rng.next();
        let is_flat = ends.count_ones() as usize == plan.variants.len();
        if !is_flat && (depth > depth_max || so_far > self.budget()) {
            return equal(plan.variants.len(), ends, word);
        }
        if swarm == 0 && self.variants.of != plan.of && self.variants.of != nobody() {
            // Those of another type are kept: that they come in turn must not cost more.
            return scale(word, plan.variants.len() as u64 - 1);
        }
        if self.variants.made_for != Some((plan.of, swarm)) {
            self.variants = Variants::new(plan, swarm);
        }
        let so_far_max = self.budget();
        let variants = &mut self.variants;
        variants.of = plan.of;
        // Where each of them ends a recursion, nothing has to be done to that end.
        (variants.depth_max, variants.so_far_max) =
            if is_flat { (usize::MAX, usize::MAX) } else { (depth_max, so_far_max) };
        variants.next = variants.by(self.rng.next());
        variants.by(word).0.into()
    }

    /// What the case leans to; 0 if to nothing.
    fn leaning(&mut self, of: u64) -> u64 {
        match self.manner().swarm {
            0 => 0,
            swarm => mix(swarm ^ mix(of ^ 0x6c65_616e)),
        }
    }

    /// One of `n` options by weight, of those that the case has, mostly of those that it favours. Without weights all are equal.
    #[inline(always)]
    pub(crate) fn option(&mut self, n: usize, weights: &[u32]) -> u64 {
        if !weights.is_empty() {
            return self.weighted_option(n, weights);
        }
        let word = self.rng.next();
        match self.manner().swarm {
            0 => scale(word, n as u64 - 1),
            swarm if self.options.of == (swarm, n) && n <= FEW => self.options.choose(word),
            _ => self.option_at_first(n, word),
        }
    }

    #[inline(never)]
    fn option_at_first(&mut self, n: usize, word: u64) -> u64 {
        equal(n, self.usable(n, word), word)
    }

    #[inline(never)]
    fn weighted_option(&mut self, n: usize, weights: &[u32]) -> u64 {
        let word = self.rng.next();
        let (mask, on) = (self.usable(n, word), self.options(n).on);
        let weight = |mask: u64, i: usize| if mask >> (i % 64) & 1 == 1 { weights[i] } else { 0 };
        let usable = [mask, on, u64::MAX].into_iter().find(|mask| (0..n).any(|i| weight(*mask, i) > 0));
        let usable = usable.unwrap_or(u64::MAX);
        self.weighted(n, |i| weight(usable, i))
    }

    /// The options to choose from this time, as bits.
    #[inline]
    fn usable(&mut self, n: usize, word: u64) -> u64 {
        let Options { on, favoured, .. } = self.options(n);
        if favoured != 0 && word & 7 != 0 { favoured } else { on }
    }

    /// Which of `n` options the case has; the same in every draw of the case.
    #[inline]
    fn options(&mut self, n: usize) -> Options {
        let swarm = self.manner().swarm;
        if swarm == 0 {
            return Options { on: u64::MAX, ..Options::default() };
        }
        if self.options.of != (swarm, n) {
            self.options = Options::new(swarm, n);
        }
        self.options
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

    #[inline(never)]
    fn float(&mut self, max: u64, so_far: &[Choice]) -> u64 {
        let word = self.rng.next();
        let wide = max > u64::from(u32::MAX);
        let encode = |value: f64| {
            if wide { F64.encode(value.to_bits()) } else { F32.encode(u64::from((value as f32).to_bits())) }
        };
        if self.is_echoing() && word >> 4 & 3 > 0 {
            return self.again(Kind::Float, max, 0, so_far);
        }
        let number = match word & 15 {
            // A small whole number.
            0..=3 => scale(word, 4 * u64::from(self.size) + 4),
            // A short fraction.
            4..=6 => encode((word as i64 >> 44) as f64 / f64::from(1u32 << (word >> 8 & 15))),
            // In −1..1.
            7..=9 => encode((word as i64 >> 11) as f64 / (1u64 << 52) as f64),
            10 => encode(FLOAT_EDGES[scale(word, FLOAT_EDGES.len() as u64 - 1) as usize]),
            11 => self.again(Kind::Float, max, 0, so_far),
            // Any pattern at all.
            _ => self.rng.next() & max,
        };
        number.min(max)
    }

    /// A character: mostly printable ASCII, which the simple end of the order is.
    #[inline(always)]
    fn char(&mut self, max: u64, so_far: &[Choice]) -> u64 {
        let (word, selector) = self.rng.next_two();
        if (selector >> 32) as u32 <= self.echo.char_below {
            return self.special_char(max, word, so_far);
        }
        scale(word, max.min(94))
    }

    #[inline(never)]
    fn special_char(&mut self, max: u64, word: u64, so_far: &[Choice]) -> u64 {
        // A line ends by one character or by two.
        let is_return =
            |choice: &&Choice| choice.shape.kind == Kind::Char && choice.value == chars::encode('\r');
        if so_far.iter().rev().take(2).any(|choice| is_return(&choice)) {
            return chars::encode('\n').min(max);
        }
        match word & 15 {
            0..=4 => scale(word, max.min(0xff + 32)),
            5..=9 => self.again(Kind::Char, max, 0, so_far),
            10..=11 => scale(word, max.min(0xffff)),
            12..=13 => edges::char(max, mix(word)),
            _ => scale(word, max),
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

/// One in so many integers of a list is special. A list is one value: these are more than of single integers.
const ONE_IN_LIST: u32 = 16;

/// An integer in `0..=max`, uniform in value or in the number of its bits.
#[inline(always)]
pub(crate) fn usual_int(max: u64, (word, selector): (u64, u64)) -> u64 {
    let value = scale(word, max);
    if max <= 0xff {
        return value;
    }
    // Without a branch: which of the two it is cannot be predicted.
    let bits = u64::from(64 - max.leading_zeros());
    let shift = (u64::from(SHIFTS[(selector >> 50 & 127) as usize]) * bits) >> 6;
    value >> shift
}

/// By how many of 64 bits an integer is shortened: half of them not at all.
const SHIFTS: [u8; 128] = {
    let mut shifts = [0; 128];
    let mut i = 64;
    while i < 128 {
        shifts[i] = i as u8 - 64;
        i += 1;
    }
    shifts
};

/// One of `n` alternatives, of those in the mask, by a uniform word.
#[inline]
fn equal(n: usize, mask: u64, word: u64) -> u64 {
    if mask == u64::MAX || mask == 0 {
        return scale(word, n as u64 - 1);
    }
    if n > 64 {
        return equal_of_many(n, mask, word);
    }
    let mut left = mask;
    for _ in 0..scale(word, u64::from(mask.count_ones()) - 1) {
        left &= left - 1;
    }
    u64::from(left.trailing_zeros())
}

#[cold]
fn equal_of_many(n: usize, mask: u64, word: u64) -> u64 {
    // Alternatives that many apart are on together.
    let on = |i: &u64| mask >> (i % 64) & 1 == 1;
    let count = (0..n as u64).filter(on).count() as u64;
    (0..n as u64).filter(on).nth(scale(word, count - 1) as usize).unwrap_or(0)
}

/// A type that has no variants.
#[inline(always)]
fn nobody() -> TypeId {
    TypeId::of::<()>()
}

impl Variants {
    #[inline(always)]
    fn none() -> Variants {
        Variants {
            of: nobody(),
            made_for: None,
            places: [(0, 0); FEW],
            count: 0,
            max: 0,
            next: (0, 0),
            depth_max: 0,
            so_far_max: 0,
        }
    }

    #[inline(never)]
    fn new(plan: &Plan, swarm: u64) -> Variants {
        let all = 0..plan.variants.len();
        let max = all.len() as u64 - 1;
        let mut variants = Variants { made_for: Some((plan.of, swarm)), max, ..Variants::none() };
        // A swarm that does without all of them is not asked.
        let has_any = all.clone().any(|i| is_on(swarm, plan.salt, i));
        for i in all.filter(|i| !has_any || is_on(swarm, plan.salt, *i)) {
            variants.places[variants.count as usize] = (i as u8, plan.variants[i].declared as u8);
            variants.count += 1;
        }
        variants
    }

    /// One of them, by a uniform word.
    #[inline(always)]
    fn by(&self, word: u64) -> (u8, u8) {
        self.places[scale(word, self.count.wrapping_sub(1)) as usize % FEW]
    }
}

/// Swarm selection: whether a case uses alternative `i` at all.
#[inline]
fn is_on(swarm: u64, salt: u64, i: usize) -> bool {
    swarm == 0 || mix(swarm ^ mix(salt ^ (i as u64) << 32)) & 3 != 0
}

impl Random {
    /// The next choice. The shape is taken by value and never lent out: in the hot loop it must stay in registers.
    #[inline(always)]
    pub(crate) fn pick(&mut self, shape: Shape, hint: Hint<'_>, so_far: &[Choice]) -> u64 {
        if let Hint::Favoured(favoured) = hint
            && self.rng.one_in(2)
            && let favoured @ [_, ..] = (favoured.0)().as_slice()
        {
            let place = self.rng.up_to(favoured.len() as u64 - 1) as usize;
            return favoured[place].min(shape.max);
        }
        match shape.kind {
            // Half of the wide integers are narrow ones.
            Kind::Wide if self.rng.one_in(2) => 0,
            Kind::Wide if self.rng.one_in(8) => shape.max,
            Kind::Wide => self.any_int(shape, so_far),
            // The end of a wide integer needs both halves.
            Kind::Int if matches!(hint, Hint::Lower) && self.is_at_wide_end(so_far) && self.rng.one_in(2) => {
                shape.max - self.rng.up_to(2).min(shape.max)
            }
            Kind::Int => self.any_int(shape, so_far),
            Kind::Flag | Kind::More => match hint {
                Hint::Weights(&[no, yes]) => {
                    u64::from(self.rng.up_to((u64::from(no) + u64::from(yes)).max(1) - 1) < u64::from(yes))
                }
                Hint::Growing(depth) => {
                    let room = depth <= self.manner().depth_max + 2 && so_far.len() <= self.budget();
                    u64::from(room && self.rng.up_to(7) < 5)
                }
                // A list that was to be the copy of another one, and is not.
                _ if shape.kind == Kind::More && self.is_echoing() => {
                    u64::from(shape.max > 0 && self.rng.next() & 7 != 0)
                }
                _ => scale(self.rng.next(), shape.max),
            },
            Kind::Char => self.char(shape.max, so_far),
            Kind::Index => self.alternative(shape.max, hint, so_far.len()),
            Kind::Float => self.float(shape.max, so_far),
        }
    }
}

impl Source for Random {
    fn choose(&mut self, shape: &Shape, hint: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        if let Some(value) = self.copied(shape, so_far) {
            return Some(value);
        }
        if shape.kind == Kind::Int && matches!(hint, Hint::None) {
            let words = self.rng.next_two();
            return Some(self.single_int(shape.max, shape.below, words, so_far));
        }
        Some(self.pick(*shape, hint, so_far))
    }

    #[inline]
    fn open_list(
        &mut self,
        min: usize,
        max: usize,
        depth: usize,
        so_far: usize,
        factor: u32,
    ) -> Option<usize> {
        let mut usual = u64::from(self.size >> (2 * self.lists).min(31)).max(3);
        if factor > 0 {
            // Much is only found where much has been done before: some are far longer than usual.
            let longer = match self.rng.next() & 15 {
                0 => 16,
                1..=3 => 4,
                _ => 1,
            };
            usual = usual.saturating_mul(longer * u64::from(factor));
        }
        self.lists += 1;
        // What is nested more than a few deep may well be recursive.
        if so_far > self.budget() || depth > 3 && depth > self.manner().depth_max + 2 {
            return Some(min);
        }
        let room = ((max - min) as u64).min(usual);
        let word = self.rng.next();
        let more = match word & 31 {
            0 => 0,
            1 => room,
            // Long lists are rare, but there: where a count leaves its byte, say. (Who wants small cases gets none.)
            2 | 3 if self.size > 64 && self.lists == 1 && factor == 0 && word >> 5 & 3 == 0 => {
                let longest = ((max - min) as u64).min(4 * usual);
                room + scale(word, longest - room)
            }
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

    fn leans(&mut self, of: u64) -> u64 {
        self.leaning(of)
    }
}
