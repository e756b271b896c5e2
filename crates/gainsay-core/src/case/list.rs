//! Lists: whether there is another element is a choice.

use super::*;

impl Case {
    /// A list of elements drawn by `item`.
    ///
    /// ```
    /// # let mut case = gainsay_core::Case::random(1, 1);
    /// let digits = case.vec(1..=8, |case| case.int(0..=9u8));
    /// # assert!((1..=8).contains(&digits.len()));
    /// ```
    #[inline]
    #[track_caller]
    pub fn vec<T>(&mut self, len: RangeInclusive<usize>, mut item: impl FnMut(&mut Case) -> T) -> Vec<T> {
        let mut list = self.open_list(*len.start(), *len.end());
        let mut items = Vec::with_capacity(list.expected());
        // The random source has decided on the length; while elements are free, that is all there is to say.
        while self.next_planned(&mut list) {
            items.push(item(self));
        }
        while self.more(&mut list) {
            items.push(item(self));
        }
        self.close_list(&list);
        items
    }

    /// A list of any elements of their type: like [`vec`](Case::vec), and faster for integers.
    #[inline]
    #[track_caller]
    pub fn list<T: Arbitrary>(&mut self, len: RangeInclusive<usize>) -> Vec<T> {
        if let Some(shape) = T::one_choice()
            && let Some(numbers) = self.row(&len, shape)
        {
            return numbers.iter().map(|&number| T::of_number(number)).collect();
        }
        let mut list = self.open_list(*len.start(), *len.end());
        let mut items = Vec::with_capacity(list.expected());
        self.list_on(&mut list, &mut items);
        items
    }

    /// Draws another list in place of one. It keeps its memory: see [`Arbitrary::refill`].
    #[inline]
    #[track_caller]
    pub fn refill_list<T: Arbitrary>(&mut self, items: &mut Vec<T>, len: RangeInclusive<usize>) {
        if let Some(shape) = T::one_choice()
            && let Some(numbers) = self.row(&len, shape)
        {
            return put(numbers, items);
        }
        items.clear();
        let mut list = self.open_list(*len.start(), *len.end());
        self.list_on(&mut list, items);
    }

    #[inline]
    fn list_on<T: Arbitrary>(&mut self, list: &mut List, items: &mut Vec<T>) {
        T::fill(self, list, items);
        while self.more(list) {
            items.push(self.any());
        }
        self.close_list(list);
    }

    /// Draws again and again, as for a list with a length in `len`, not counting what turns out to be impossible (`false`). Some
    /// random cases do so far longer than the others, since much is found only where much has been done before.
    ///
    /// A random case draws something else instead, a few times, and ends if nothing is possible. In a replay, which may be of
    /// an edited record, the impossible is left out. An enumeration rejects it: without that it is a case of its own. If there
    /// must be something and nothing is possible, the case is rejected.
    #[inline]
    #[track_caller]
    pub fn repeat(&mut self, len: RangeInclusive<usize>, item: impl FnMut(&mut Case) -> bool) {
        self.repeat_longer(len, 1, item);
    }

    /// Like [`repeat`](Case::repeat), with random lengths so many times as large.
    #[inline]
    #[track_caller]
    pub fn repeat_longer(
        &mut self,
        len: RangeInclusive<usize>,
        factor: u32,
        mut item: impl FnMut(&mut Case) -> bool,
    ) {
        let reason = Reason::new("list of what is possible", Location::caller());
        let mut list = self.open_list_longer(*len.start(), *len.end(), factor.max(1));
        let mut tries = 0;
        loop {
            let mark = (self.choices.len(), self.spans.len());
            let outside = match self.next_planned(&mut list) {
                true => self.enter("item"),
                false if self.more(&mut list) => self.enter("item"),
                false => break,
            };
            let drawn = item(self);
            self.leave(outside);
            if drawn && self.end == End::Live {
                tries = 0;
            } else if !self.repeat_after_failure(&mut list, &mut tries, mark, reason) {
                break;
            }
        }
        self.close_list(&list);
    }

    /// Ends what is [repeated](Case::repeat) with what was drawn last, whoever decides on its length: whatever is drawn there says
    /// so, and `false`.
    #[doc(hidden)]
    #[cold]
    pub fn repeat_no_more(&mut self) -> bool {
        self.repeats_no_more = true;
        false
    }

    /// Whether to go on after something was impossible, or the case has ended.
    #[cold]
    fn repeat_after_failure(
        &mut self,
        list: &mut List,
        tries: &mut usize,
        mark: (usize, usize),
        reason: Reason,
    ) -> bool {
        const TRIES_MAX: usize = 20;
        if std::mem::take(&mut self.repeats_no_more) || self.end != End::Live {
            return false;
        }
        if self.is_exhaustive() {
            self.reject(reason);
            return false;
        }
        self.retract(mark);
        list.drawn -= 1;
        *tries += 1;
        if *tries > TRIES_MAX && list.drawn < list.min {
            self.reject(reason);
            return false;
        }
        if *tries > TRIES_MAX && self.is_random() {
            list.end_here();
        }
        true
    }

    /// Records that a list goes on, if its length was decided by a random source, the element is not one that must be, and there
    /// is room.
    #[inline(always)]
    pub(crate) fn next_planned(&mut self, list: &mut List) -> bool {
        let plain = list.drawn < list.planned
            && list.drawn >= list.min
            && matches!(self.feed, Feed::Plain)
            && self.choices.has_slot();
        if plain {
            list.drawn += 1;
            let shape = Shape { max: 1, below: 0, kind: Kind::More, owner: list.owner };
            self.choices.write(Choice { value: 1, shape });
        }
        plain
    }

    /// Draws the planned elements of a list of integers in one go: two choices an element, written where they belong.
    #[inline]
    pub(crate) fn fill_with_integers<T: Int>(&mut self, list: &mut List, items: &mut Vec<T>) {
        let Some((below, max)) = T::shape(T::LOWEST, T::HIGHEST) else { return };
        if !matches!(self.feed, Feed::Plain) || list.drawn < list.min || list.asks {
            return;
        }
        let wanted = list.planned.saturating_sub(list.drawn);
        let n = self.choices.reserve(2 * wanted) / 2;
        let shape = Shape { max, below, kind: Kind::Int, owner: 0 };
        let start = self.choices.len();
        self.random.fill(&mut self.choices, n, list.owner, shape);
        let (pairs, _) = self.choices[start..].as_chunks::<2>();
        items.extend(pairs.iter().map(|[_, number]| T::decode(T::LOWEST, T::HIGHEST, number.value)));
        list.drawn += n;
    }

    /// Draws a whole list of elements of one choice each, if a walk or a script can do that: the numbers of the elements.
    #[inline(always)]
    fn row(&mut self, len: &RangeInclusive<usize>, item: Shape) -> Option<&[u64]> {
        let row = match &mut self.feed {
            // What depends on anything but the choices before must not matter here, unless it is the same in the whole walk.
            Feed::Walk(walk) if *len.start() == 0 && !self.attended && self.room > 0 && walk.has_rows() => {
                walk.row(&mut self.choices, self.room, *len.end(), item)
            }
            Feed::Script(script) if !self.attended => Some(script.row()?),
            _ => return None,
        };
        if row.is_none() {
            let dead = matches!(&self.feed, Feed::Walk(walk) if walk.is_dead());
            self.finish(if dead { End::Dead } else { End::Overrun });
        }
        match &self.feed {
            Feed::Walk(walk) => walk.items().get(row.unwrap_or_default()),
            Feed::Script(script) => script.numbers.get(row?),
            _ => None,
        }
    }

    /// A string with a length in `len`, in characters.
    pub fn string(&mut self, len: RangeInclusive<usize>) -> String {
        let mut list = self.open_list(*len.start(), *len.end());
        let mut string = String::with_capacity(list.expected());
        while self.next_planned(&mut list) {
            string.push(self.char());
        }
        while self.more(&mut list) {
            string.push(self.char());
        }
        self.close_list(&list);
        string
    }

    /// Begins a list of `min..=max` elements; [`more`](Case::more) asks for each, [`close_list`](Case::close_list) ends it.
    #[inline]
    #[track_caller]
    pub(crate) fn open_list(&mut self, min: usize, max: usize) -> List {
        self.open_list_longer(min, max, 0)
    }

    /// Like [`open_list`](Case::open_list) for what is done one after the other: so many times longer than usual, some much longer; 0
    /// for a list as others.
    #[inline]
    #[track_caller]
    fn open_list_longer(&mut self, min: usize, max: usize, factor: u32) -> List {
        assert!(min <= max, "a list cannot have at least {min} and at most {max} elements");
        let planned = match &mut self.feed {
            Feed::Plain | Feed::Random => {
                let planned =
                    self.random.open_list(min, max, self.depth as usize, self.choices.len(), factor);
                // A copy is as long as what it copies.
                if self.random.is_echoing() && self.is_copy("vec") { None } else { planned }
            }
            Feed::Other(source) => {
                source.open_list(min, max, self.depth as usize, self.choices.len(), factor)
            }
            Feed::Walk(_) | Feed::Script(_) | Feed::Replay(_) => None,
        };
        let known = match &self.feed {
            Feed::Walk(walk) => walk.known() / 2,
            Feed::Script(script) => script.known() / 2,
            _ => 4,
        };
        let outside = self.enter_list();
        let owner = self.spans.len() as u32;
        List {
            drawn: 0,
            min,
            max,
            planned: planned.unwrap_or(0),
            asks: planned.is_none(),
            known,
            owner,
            outside,
        }
    }

    /// Whether the list goes on.
    #[inline]
    pub(crate) fn more(&mut self, list: &mut List) -> bool {
        if let Feed::Script(script) = &mut self.feed
            && list.drawn >= list.min
            && list.drawn < list.max
            && script.takes(1)
        {
            list.drawn += 1;
            return true;
        }
        let must = list.drawn < list.min;
        let may = list.drawn < list.max;
        let (max, owner) = (u64::from(may && !must), list.owner);
        // The random source has decided on the length already.
        let more = if !list.asks && self.choices.len() < self.room {
            let more = list.drawn < list.planned;
            let shape = Shape { max, below: 0, kind: Kind::More, owner };
            self.choices.push(Choice { value: u64::from(more && !must), shape });
            if let Feed::Other(_) = &self.feed {
                self.tell_decided();
            }
            more
        } else if let Some(value) = self.draw_again(Kind::More, max) {
            value == 1 || must
        } else {
            self.draw_otherwise(Kind::More, max, 0, owner, Hint::None) == 1 || must
        };
        list.drawn += usize::from(more);
        more
    }

    #[cold]
    pub(super) fn tell_decided(&mut self) {
        if let (Feed::Other(source), Some(choice)) = (&mut self.feed, self.choices.last()) {
            source.decided(choice);
        }
    }

    #[inline]
    pub(crate) fn close_list(&mut self, list: &List) {
        match &mut self.feed {
            Feed::Plain | Feed::Random => self.random.close_list(),
            Feed::Other(source) => source.close_list(),
            Feed::Walk(_) | Feed::Script(_) | Feed::Replay(_) => {}
        }
        self.leave(list.outside);
    }
}

/// Puts the values of numbers in place of those of a list, several at a time: that is faster than one by one.
#[inline]
fn put<T: Arbitrary>(numbers: &[u64], items: &mut Vec<T>) {
    items.truncate(numbers.len());
    if let Some(more @ [_, ..]) = numbers.get(items.len()..) {
        items.extend(more.iter().map(|&number| T::of_number(number)));
    }
    let (items, other_items) = items.as_chunks_mut::<4>();
    let (numbers, other_numbers) = numbers.as_chunks::<4>();
    for ([p, q, r, s], &[a, b, c, d]) in items.iter_mut().zip(numbers) {
        *p = T::of_number(a);
        *q = T::of_number(b);
        *r = T::of_number(c);
        *s = T::of_number(d);
    }
    for (item, &number) in other_items.iter_mut().zip(other_numbers) {
        *item = T::of_number(number);
    }
}

/// A list being drawn.
#[doc(hidden)]
#[derive(Debug)]
pub struct List {
    pub(super) drawn: usize,
    pub(super) min: usize,
    max: usize,
    pub(super) planned: usize,
    /// Nothing is planned: it is asked before each element whether there is one.
    pub(super) asks: bool,
    /// How many elements there are if the choices that are known make elements of one choice each.
    known: usize,
    owner: u32,
    /// Where it began.
    outside: Frame,
}

/// For how many elements room is made beforehand.
const EXPECTED_MAX: usize = 1 << 12;

impl List {
    /// There are to be no further elements.
    pub(super) fn end_here(&mut self) {
        (self.planned, self.asks) = (self.drawn, false);
    }

    /// How many elements are to come, if that is known.
    #[inline]
    fn expected(&self) -> usize {
        // A list may be asked to be longer than memory, before it turns out to have too many choices.
        if self.asks { self.max.min(self.known + 4) } else { self.planned.min(EXPECTED_MAX) }
    }
}
