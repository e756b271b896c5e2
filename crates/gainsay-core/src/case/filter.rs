//! Draws that may fail: filters and distinct elements.

use super::*;

impl Case {
    /// A list of distinct elements: `insert` answers false for a key that is there already, and draws what belongs to the key
    /// otherwise. Random cases draw a duplicate again; elsewhere it rejects the case; an enumeration takes keys in increasing order
    /// of their choices only, so that each set comes once.
    #[track_caller]
    pub fn distinct<K>(
        &mut self,
        len: RangeInclusive<usize>,
        key: impl Fn(&mut Case) -> K,
        insert: impl FnMut(K, &mut Case) -> bool,
    ) {
        self.keyed(len, false, key, insert);
    }

    /// Like [`distinct`](Case::distinct), where keys may repeat if `repeats`.
    #[track_caller]
    pub(crate) fn keyed<K>(
        &mut self,
        len: RangeInclusive<usize>,
        repeats: bool,
        key: impl Fn(&mut Case) -> K,
        mut insert: impl FnMut(K, &mut Case) -> bool,
    ) {
        let reason = Reason::new("set of distinct elements", Location::caller());
        let mut list = self.open_list(*len.start(), *len.end());
        let mut last: Option<(usize, usize)> = None;
        let mut tries = 0;
        if self.wasted > WASTED_MAX && !list.asks {
            list.planned = list.min;
        }
        let echoes = self.random.is_echoing();
        loop {
            let mark = (self.choices.len(), self.spans.len());
            if !self.more(&mut list) {
                break;
            }
            let start = self.made();
            let value = key(self);
            let end = self.made();
            self.settle();
            if self.end != End::Live {
                break;
            }
            let values = |(start, end): (usize, usize)| self.choices[start..end].iter().map(|c| c.value);
            let ordered = last.is_none_or(|last| {
                let order = values(last).cmp(values((start, end)));
                order.is_lt() || repeats && order.is_eq()
            });
            if (ordered || !self.is_exhaustive()) && insert(value, self) {
                last = Some((start, end));
                if echoes && !self.random.is_echoing() {
                    self.random.set_echoing(true);
                }
                continue;
            }
            if !self.is_random() || tries >= RETRIES_MAX {
                self.reject(reason);
                break;
            }
            tries += 1;
            self.wasted += end - start;
            self.retract(mark);
            list.drawn -= 1;
            let tired = tries > RETRIES_MAX / 2 || self.wasted > WASTED_MAX;
            if tired && list.drawn >= list.min {
                // There may be no further element: end here.
                list.end_here();
            }
            // Once more, and not what was there before.
            self.random.set_echoing(false);
        }
        if echoes && !self.random.is_echoing() {
            self.random.set_echoing(true);
        }
        self.close_list(&list);
    }

    pub(super) fn retract(&mut self, (choices, spans): (usize, usize)) {
        self.choices.truncate(choices);
        self.spans.truncate(spans);
        self.random.stop_copying();
        if let Feed::Other(source) = &mut self.feed {
            source.retract(choices);
        }
    }

    /// Draws until `accept` holds: a few times in random cases (what failed leaves no trace), once otherwise. If it does not hold
    /// then, the case is rejected and the last value returned.
    #[track_caller]
    pub fn filter<T>(&mut self, draw: impl Fn(&mut Case) -> T, accept: impl Fn(&T) -> bool) -> T {
        let at = Location::caller();
        self.filter_at(at, draw, accept)
    }

    pub(crate) fn filter_at<T>(
        &mut self,
        at: &'static Location<'static>,
        draw: impl Fn(&mut Case) -> T,
        accept: impl Fn(&T) -> bool,
    ) -> T {
        for attempt in 1..RETRIES_MAX {
            let mark = (self.choices.len(), self.spans.len());
            let value = if attempt == 1 { draw(self) } else { self.afresh(&draw) };
            if self.end != End::Live || accept(&value) {
                return value;
            }
            if !self.is_random() {
                self.reject(Reason::new("filter", at));
                return value;
            }
            self.retract(mark);
        }
        let value = self.afresh(&draw);
        if self.end == End::Live && !accept(&value) {
            self.reject(Reason::new("filter", at));
        }
        value
    }

    /// Draws something that random cases do not copy from what was drawn before. For whoever draws again, since what came was not wanted.
    pub fn afresh<T>(&mut self, draw: impl FnOnce(&mut Case) -> T) -> T {
        let echoes = self.random.is_echoing();
        if echoes {
            self.random.set_echoing(false);
        }
        let value = draw(self);
        if echoes {
            self.random.set_echoing(true);
        }
        value
    }

    /// In an enumeration, what is drawn here costs at most `cost_max`: the numbers of its choices add up to no more. Other cases are as
    /// they are. With all infinite things drawn within bounds, an enumeration ends.
    pub fn within<T>(&mut self, cost_max: u64, draw: impl FnOnce(&mut Case) -> T) -> T {
        let outer = match &mut self.feed {
            Feed::Walk(walk) => Some(walk.bound(cost_max)),
            _ => None,
        };
        let value = draw(self);
        if let (Feed::Walk(walk), Some(outer)) = (&mut self.feed, outer) {
            walk.restore(outer);
        }
        value
    }

    /// Whether choices are made at random. Use it for weights and lengths only: it is not recorded.
    #[doc(hidden)]
    pub fn is_random(&self) -> bool {
        match &self.feed {
            Feed::Plain | Feed::Random => true,
            Feed::Other(source) => source.is_random(),
            _ => false,
        }
    }

    pub(super) fn is_exhaustive(&self) -> bool {
        match &self.feed {
            Feed::Walk(_) => true,
            Feed::Other(source) => source.is_exhaustive(),
            _ => false,
        }
    }
}

/// How many choices of a case may be made in vain; after that sets are as small as can be.
const WASTED_MAX: usize = 5000;

/// How often a random draw is repeated for a filter or a set.
const RETRIES_MAX: usize = 100;
