//! Draws: numbers, alternatives, values of a type.

use super::*;
use crate::source::random::usual_int;

impl Case {
    /// The random source, being the fastest, is inlined into every draw; the others are called.
    #[inline(always)]
    pub(super) fn draw(&mut self, shape: Shape, hint: Hint<'_>) -> u64 {
        if let Some(value) = self.draw_at_random(shape, hint) {
            return value;
        }
        if let Some(value) = self.draw_again(shape.kind, shape.max) {
            return value;
        }
        // The parts, not the whole: a shape whose address is taken would live in memory, and writing it from there
        // costs more than everything else in the hot loop.
        let Shape { max, below, kind, owner } = shape;
        self.draw_otherwise(kind, max, below, owner, hint)
    }

    #[inline(always)]
    pub(super) fn draw_at_random(&mut self, shape: Shape, hint: Hint<'_>) -> Option<u64> {
        let Feed::Plain = self.feed else {
            return None;
        };
        if !self.choices.has_slot() {
            return None;
        }
        let value = self.random.pick(shape, hint, &self.choices);
        self.choices.write(Choice { value, shape });
        Some(value)
    }

    #[inline(always)]
    fn int_at_random(&mut self, max: u64, below: u64) -> u64 {
        let words = self.random.two_words();
        if !self.random.is_special(words, self.choices.len()) {
            let value = usual_int(max, words);
            let shape = Shape { max, below, kind: Kind::Int, owner: 0 };
            if self.choices.write(Choice { value, shape }) {
                return value;
            }
        }
        self.int_specially(max, below, words)
    }

    /// Like [`int_at_random`](Case::int_at_random), with what rarely happens.
    #[inline(never)]
    fn int_specially(&mut self, max: u64, below: u64, words: (u64, u64)) -> u64 {
        let value = self.random.single_int(max, below, words, &self.choices);
        let shape = Shape { max, below, kind: Kind::Int, owner: 0 };
        if !self.choices.write(Choice { value, shape }) {
            if self.choices.len() >= self.room {
                return self.draw_past_end();
            }
            self.choices.push(Choice { value, shape });
        }
        if self.random.is_copying() {
            self.follow_copy();
        }
        value
    }

    /// In a walk, the choices that are as on the run before: they stand in the record already.
    #[inline(always)]
    pub(super) fn draw_again(&mut self, kind: Kind, max: u64) -> Option<u64> {
        if let Feed::Walk(walk) = &mut self.feed {
            return walk.again(kind, max);
        }
        if let Feed::Script(script) = &mut self.feed {
            return script.next().map(|number| number.min(max));
        }
        None
    }

    /// How many choices this run has made.
    #[inline]
    pub(super) fn made(&self) -> usize {
        match &self.feed {
            Feed::Walk(walk) => walk.made(),
            _ => self.choices.len(),
        }
    }

    #[inline(never)]
    pub(super) fn draw_otherwise(
        &mut self,
        kind: Kind,
        max: u64,
        below: u64,
        owner: u32,
        hint: Hint<'_>,
    ) -> u64 {
        let shape = Shape { max, below, kind, owner };
        if let Feed::Walk(walk) = &mut self.feed {
            walk.write_row(&mut self.choices);
            // A question other than the expected one leaves its record behind.
            self.choices.truncate(walk.made());
        }
        if self.choices.len() >= self.room {
            return self.draw_past_end();
        }
        let answer = match &mut self.feed {
            Feed::Plain | Feed::Random => self.random.choose(&shape, hint, &self.choices),
            Feed::Walk(walk) => walk.choose(&shape, hint, &self.choices),
            Feed::Script(_) => Some(0),
            Feed::Replay(replay) => replay.choose(&shape, hint, &self.choices),
            Feed::Other(source) => source.choose(&shape, hint, &self.choices),
        };
        let Some(value) = answer else {
            self.finish(End::Dead);
            return 0;
        };
        debug_assert!(value <= shape.max, "the source answered {value} to {shape:?}");
        self.choices.push(Choice { value, shape });
        if self.random.is_echoing() {
            self.follow_copy();
        }
        value
    }

    #[cold]
    pub(super) fn draw_past_end(&mut self) -> u64 {
        if self.end == End::Live {
            self.finish(End::Overrun);
        }
        self.idle_draws += 1;
        if self.idle_draws > 16 * self.choices.choices_max() + 1024 {
            std::panic::panic_any(Endless);
        }
        0
    }

    /// Something is to be known about this case.
    pub(super) fn touch(&mut self) {
        self.touched = true;
        self.resumes = false;
        if let Feed::Plain = self.feed {
            self.feed = Feed::Random;
        }
    }

    pub(super) fn finish(&mut self, end: End) {
        self.touch();
        if self.end == End::Live {
            self.end = end;
        }
        if let Feed::Walk(walk) = &mut self.feed {
            // Whatever is drawn from here on is no part of the case.
            walk.drop_guess();
        }
        self.room = 0;
    }

    #[cold]
    pub(super) fn write_down(&mut self, value: &dyn Debug) {
        if let Some(transcript) = &mut self.transcript {
            if !transcript.is_empty() && !transcript.ends_with(['[', '(']) {
                transcript.push_str(", ");
            }
            let _ = write!(transcript, "{value:?}");
        }
    }

    /// An integer of a range. The simplest is the one nearest to zero.
    ///
    /// ```
    /// # let mut case = gainsay_core::Case::random(1, 1);
    /// let digit = case.int(0..=9u8);
    /// let offset: i64 = case.int(-5..100);
    /// # assert!(digit <= 9 && (-5..100).contains(&offset));
    /// ```
    #[inline]
    #[track_caller]
    pub fn int<T: Int>(&mut self, range: impl RangeBounds<T>) -> T {
        let (low, high) = T::bounds(&range);
        self.int_between(low, high)
    }

    /// An integer in `low..=high`.
    #[inline(always)]
    pub(crate) fn int_between<T: Int>(&mut self, low: T, high: T) -> T {
        let Some((below, max)) = T::shape(low, high) else { return self.int_of_several_choices(low, high) };
        // Nothing is written down while choices are random or enumerated: what is shown is replayed.
        if let Feed::Plain = self.feed {
            return T::decode(low, high, self.int_at_random(max, below));
        }
        if let Some(number) = self.draw_again(Kind::Int, max) {
            return T::decode(low, high, number);
        }
        let value = T::decode(low, high, self.draw_otherwise(Kind::Int, max, below, 0, Hint::None));
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    fn int_of_several_choices<T: Int>(&mut self, low: T, high: T) -> T {
        let value = T::draw(low, high, &mut |kind, below, max| {
            let hint = if kind == Kind::Int { Hint::Lower } else { Hint::None };
            self.draw(Shape { max, below, kind, owner: 0 }, hint)
        });
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// Yes or no; no is simpler.
    #[inline]
    pub fn flag(&mut self) -> bool {
        let value = self.draw(Shape::new(Kind::Flag, 1), Hint::None) == 1;
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// Yes in about `yes` of `yes + no` random cases.
    pub fn flag_weighted(&mut self, yes: u32, no: u32) -> bool {
        let value = self.draw(Shape::new(Kind::Flag, 1), Hint::Weights(&[no, yes])) == 1;
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// Whether a recursive value grows further: random cases stop in time.
    pub(crate) fn flag_growing(&mut self) -> bool {
        let depth = self.depth as usize;
        self.draw(Shape::new(Kind::Flag, 1), Hint::Growing(depth)) == 1
    }

    /// A float: any bit pattern, infinities and NaNs included.
    pub fn float(&mut self) -> f64 {
        use crate::choice::floats::F64;
        let value = f64::from_bits(F64.decode(self.draw(Shape::new(Kind::Float, F64.max()), Hint::None)));
        self.write_down(&value);
        value
    }

    /// An integer of a range, of which random cases take a favoured one half of the time: bounds of a specification, say.
    ///
    /// ```
    /// # let mut case = gainsay_core::Case::random(1, 1);
    /// let delay_ms = case.int_favouring(0..=2000, &[499, 500, 501]);
    /// # assert!((0..=2000).contains(&delay_ms));
    /// ```
    ///
    /// # Panics
    /// If the range is empty.
    #[track_caller]
    pub fn int_favouring(&mut self, range: RangeInclusive<i128>, favoured: &[i128]) -> i128 {
        self.int_favouring_by(range, || favoured.to_vec())
    }

    /// [`int_favouring`](Case::int_favouring) of numbers that take some work to find out: that is done only if one of them is wanted.
    ///
    /// # Panics
    /// If the range is empty.
    #[track_caller]
    pub fn int_favouring_by(
        &mut self,
        range: RangeInclusive<i128>,
        favoured: impl Fn() -> Vec<i128>,
    ) -> i128 {
        let (low, high) = <i128 as Int>::bounds(&range);
        let origin = 0.clamp(low, high);
        let (Ok(below), Ok(max)) = (u64::try_from(origin - low), u64::try_from(high.saturating_sub(low)))
        else {
            return self.int_between(low, high);
        };
        let numbers = || {
            let favoured = favoured().into_iter().filter(|value| range.contains(value));
            favoured.map(|value| crate::choice::index(value - origin, below, max)).collect()
        };
        let shape = Shape { max, below, kind: Kind::Int, owner: 0 };
        let number = self.draw(shape, Hint::Favoured(Favoured(&numbers)));
        let value = origin + crate::choice::offset(number, below, max);
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// A float in `low..=high`, of which random cases take a favoured one half of the time. The simplest is the simplest of all floats, if it
    /// is in the range.
    ///
    /// # Panics
    /// If nothing is in the range.
    #[track_caller]
    pub fn float_favouring(&mut self, range: RangeInclusive<f64>, favoured: &[f64]) -> f64 {
        self.float_favouring_by(range, || favoured.to_vec())
    }

    /// [`float_favouring`](Case::float_favouring) of numbers that take some work to find out: that is done only if one of them is wanted.
    ///
    /// # Panics
    /// If nothing is in the range.
    #[track_caller]
    pub fn float_favouring_by(&mut self, range: RangeInclusive<f64>, favoured: impl Fn() -> Vec<f64>) -> f64 {
        use crate::choice::floats::F64;
        let (low, high) = (*range.start(), *range.end());
        assert!(low <= high, "the range {low}..={high} of floats is empty: nothing can be drawn from it");
        let numbers = || {
            let favoured = favoured().into_iter().filter(|value| range.contains(value));
            favoured.map(|value| F64.encode(value.to_bits())).collect()
        };
        let number = self.draw(Shape::new(Kind::Float, F64.max()), Hint::Favoured(Favoured(&numbers)));
        let mut value = f64::from_bits(F64.decode(number));
        if !range.contains(&value) {
            // Each float is enumerated once.
            if let Feed::Walk(_) = self.feed {
                self.finish(End::Rejected);
            }
            // What stands for something outside stands for something inside as well, evenly.
            let part = number as f64 / u64::MAX as f64;
            value = (low * (1.0 - part) + high * part).clamp(low, high);
        }
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// A single-precision float: any bit pattern.
    pub fn float32(&mut self) -> f32 {
        use crate::choice::floats::F32;
        let number = self.draw(Shape::new(Kind::Float, F32.max()), Hint::None);
        let value = f32::from_bits(F32.decode(number) as u32);
        self.write_down(&value);
        value
    }

    /// A character.
    #[inline]
    pub fn char(&mut self) -> char {
        use crate::choice::chars;
        let value = chars::decode(self.draw(Shape::new(Kind::Char, chars::MAX), Hint::None));
        if self.transcript.is_some() {
            self.write_down(&value);
        }
        value
    }

    /// A number in `0..n`: one of `n` alternatives, the first being the simplest.
    #[track_caller]
    pub fn index(&mut self, n: usize) -> usize {
        assert!(n > 0, "there is no alternative to choose from");
        let value = self.draw(Shape::new(Kind::Index, n as u64 - 1), Hint::None) as usize;
        self.write_down(&value);
        value
    }

    /// One of several alternatives by weight. Put the simplest first.
    #[track_caller]
    pub fn index_weighted(&mut self, weights: &[u32]) -> usize {
        assert!(!weights.is_empty(), "there is no alternative to choose from");
        let value =
            self.draw(Shape::new(Kind::Index, weights.len() as u64 - 1), Hint::Weights(weights)) as usize;
        self.write_down(&value);
        value
    }

    /// A number in `0..n`, for options of which a case may do without some: half of the random cases leave some of them out and favour
    /// others, so that they get further. By weight, or, if `weights` are empty, one as often as the other.
    #[inline(always)]
    #[track_caller]
    pub fn option(&mut self, n: usize, weights: &[u32]) -> usize {
        assert!(n > 0, "there is no option to choose from");
        assert!(weights.is_empty() || weights.len() == n, "{n} options have {} weights", weights.len());
        let shape = Shape::new(Kind::Index, n as u64 - 1);
        if matches!(self.feed, Feed::Plain) && self.choices.has_slot() {
            let value = self.random.option(n, weights);
            self.choices.write(Choice { value, shape });
            return value as usize;
        }
        self.draw(shape, Hint::Options(weights)) as usize
    }

    /// What this case leans to in something that it decides again and again, by a number of that: another number, the same in the whole
    /// case; 0 if it leans to nothing, as half of the random cases do and all others. Use it for weights only
    /// ([`index_weighted`](Case::index_weighted)): it is not recorded.
    pub fn leans(&mut self, of: u64) -> u64 {
        match &mut self.feed {
            Feed::Plain | Feed::Random => self.random.leans(of),
            Feed::Other(source) => source.leans(of),
            Feed::Walk(_) | Feed::Script(_) | Feed::Replay(_) => 0,
        }
    }

    /// A variant of `T` as a place in its declaration; used by `derive(Arbitrary)` inside a span.
    ///
    /// The cheapest variant that terminates is the simplest, whatever the order in which they were written.
    #[inline(always)]
    pub fn variant<T: Arbitrary>(&mut self, weights: &[u32]) -> usize {
        if matches!(self.feed, Feed::Plain)
            && self.choices.has_slot()
            && let Some(((value, declared), max)) =
                self.random.variant_again(TypeId::of::<T>(), self.depth as usize, self.choices.len())
        {
            self.choices.write(Choice { value: value.into(), shape: Shape::new(Kind::Index, max) });
            return declared.into();
        }
        self.variant_otherwise::<T>(weights)
    }

    #[inline(never)]
    fn variant_otherwise<T: Arbitrary>(&mut self, weights: &[u32]) -> usize {
        let plan = match self.plan {
            Some((id, plan)) if id == TypeId::of::<T>() => plan,
            _ => self.plan_of::<T>(weights),
        };
        let shape = Shape::new(Kind::Index, plan.variants.len() as u64 - 1);
        plan.variants[self.draw(shape, Hint::Variants(plan, self.depth as usize)) as usize].declared
    }

    #[cold]
    fn plan_of<T: Arbitrary>(&mut self, weights: &[u32]) -> &'static Plan {
        let plan = Plan::of::<T>(weights);
        self.plan = Some((TypeId::of::<T>(), plan));
        plan
    }

    /// One of several generators; put the simplest first.
    #[track_caller]
    pub fn one_of<T>(&mut self, alternatives: &[&dyn Fn(&mut Case) -> T]) -> T {
        self.span("one_of", |case| {
            let chosen = case.index(alternatives.len());
            alternatives[chosen](case)
        })
    }

    /// A value of any type that knows how to be generated.
    #[inline(always)]
    pub fn any<T: Arbitrary>(&mut self) -> T {
        if self.attended
            && let Some(value) = self.overridden::<T>()
        {
            return value;
        }
        T::arbitrary(self)
    }

    /// Draws another value in place of one: see [`Arbitrary::refill`].
    #[inline(always)]
    pub(crate) fn refill<T: Arbitrary>(&mut self, value: &mut T) {
        if self.attended {
            *value = self.any();
        } else {
            value.refill(self);
        }
    }

    #[cold]
    pub(super) fn overridden<T: Arbitrary>(&mut self) -> Option<T> {
        // A generator may draw other types that have overrides, but not its own.
        if self.overriding.contains(&TypeId::of::<T>()) {
            return None;
        }
        let overrides = Arc::clone(self.terms.overrides.as_ref()?);
        let draw = overrides.get(&TypeId::of::<T>())?;
        self.overriding.push(TypeId::of::<T>());
        let value = draw(self);
        self.overriding.pop();
        value.downcast().ok().map(|value| *value)
    }

    pub(crate) fn set_terms(&mut self, terms: Terms) {
        self.terms = terms;
        self.attend();
    }

    /// Draws an argument of a property and notes it under its name. Used by `#[property]` and
    /// [`for_all`](crate::for_all).
    #[doc(hidden)]
    #[inline(always)]
    pub fn argument<G: Generator<Value: Debug>>(&mut self, name: &str, generator: G) -> G::Value {
        if self.attended {
            return self.argument_attended(name, generator);
        }
        generator.generate(self)
    }

    /// Draws an argument of any value of its type. Used by `#[property]`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn any_argument<T: Arbitrary + Debug>(&mut self, name: &str) -> T {
        self.argument(name, crate::any::<T>())
    }

    /// Like [`argument_again`](Case::argument_again), of any value of its type.
    #[doc(hidden)]
    #[inline(always)]
    pub fn any_argument_again<'a, T: Arbitrary + Debug>(
        &mut self,
        name: &str,
        kept: &'a mut Option<T>,
    ) -> &'a T {
        self.argument_again(name, kept, &crate::any::<T>())
    }

    /// Like [`let_go`](Case::let_go), of any value of its type.
    #[doc(hidden)]
    #[inline(always)]
    pub fn let_any_go<T: Arbitrary>(kept: &mut Option<T>) {
        Case::let_go(kept, &crate::any::<T>());
    }

    /// Draws an argument that the property only looks at, into the memory of the case before. Whoever has called must call
    /// [`let_go`](Case::let_go) when the property has looked.
    #[doc(hidden)]
    #[inline(always)]
    pub fn argument_again<'a, G: Generator<Value: Debug>>(
        &mut self,
        name: &str,
        kept: &'a mut Option<G::Value>,
        generator: &G,
    ) -> &'a G::Value {
        if let Some(value) = kept
            && !self.attended
        {
            generator.refill(self, value);
        } else {
            *kept = None;
            *kept = Some(self.argument(name, |case: &mut Case| generator.generate(case)));
        }
        kept.as_ref().expect("it has just been drawn")
    }

    /// The property has looked at an argument: if it is not to be filled again, it ends with its case.
    #[doc(hidden)]
    #[inline(always)]
    pub fn let_go<G: Generator>(kept: &mut Option<G::Value>, _generator: &G) {
        if !G::REFILLS {
            *kept = None;
        }
    }

    /// Draws an argument where generators may be overridden, or somebody wants to see it.
    #[cold]
    fn argument_attended<G: Generator<Value: Debug>>(&mut self, name: &str, generator: G) -> G::Value {
        let start = self.choices.len();
        let value = generator.generate(self);
        if self.is_shown() {
            let choices = Some((start, self.choices.len()));
            self.add_note(Note { name: name.into(), value: format!("{value:?}"), choices });
        }
        value
    }

    /// A value from a generator: a function of `&mut Case`, a range, or a combination of such.
    #[inline]
    pub fn draw_from<G: Generator>(&mut self, generator: G) -> G::Value {
        generator.generate(self)
    }
}
