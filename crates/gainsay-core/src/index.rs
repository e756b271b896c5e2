//! The n-th case of the enumeration, by counting instead of walking.
//!
//! The choices still to be made are a stack of spaces, a *rest*. How many ways there are to spend a given cost on a rest is counted
//! once and remembered; the n-th way is then found choice by choice, in the very order in which the exhaustive source walks.

mod steps;

use crate::arbitrary::Indexable;
use crate::case::Case;
use crate::space::{Grammar, Node, Space};
use std::collections::HashMap;
use std::marker::PhantomData;
use steps::Steps;

/// The values of `T` by their place in the enumeration.
///
/// ```
/// use gainsay_core::Index;
/// let mut index = Index::<Vec<bool>>::new();
/// assert_eq!(index.nth(0), Some(vec![]));
/// assert_eq!(index.nth(5), Some(vec![false, true]));
/// assert_eq!(Index::<(bool, bool)>::new().len(), Some(4));
/// ```
#[derive(Debug)]
pub struct Index<T> {
    counter: Counter,
    case: Case,
    values: PhantomData<fn() -> T>,
}

impl<T: Indexable> Default for Index<T> {
    fn default() -> Index<T> {
        Index::new()
    }
}

impl<T: Indexable> Index<T> {
    /// An index with empty count tables; they fill as it is used.
    pub fn new() -> Index<T> {
        Index { counter: Counter::of::<T>(), case: Case::with_choices_max(usize::MAX), values: PhantomData }
    }

    /// How many values there are; `None` if infinitely many or more than 2^128.
    pub fn len(&self) -> Option<u128> {
        self.counter.grammar.cardinality(self.counter.root)
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// How many values cost exactly `cost`.
    pub fn len_of_level(&mut self, cost: u64) -> u128 {
        self.counter.count(self.counter.start, cost)
    }

    /// The `n`-th value of the enumeration, from 0; `None` past the last.
    pub fn nth(&mut self, n: u128) -> Option<T> {
        let choices = self.choices(n)?;
        Some(self.replay(choices))
    }

    /// The `n`-th of the values that cost `cost`.
    pub fn nth_of_level(&mut self, cost: u64, n: u128) -> Option<T> {
        let choices = self.counter.unrank(cost, n)?;
        Some(self.replay(choices))
    }

    /// The numbers of the `n`-th case: what the exhaustive source chooses on its `n`-th run.
    pub fn choices(&mut self, n: u128) -> Option<Vec<u64>> {
        let (level, rest) = self.counter.level_of(n)?;
        self.counter.unrank(level, rest)
    }

    /// Shows every value that costs at most `cost` to `visit`, in order; ends early when it answers false. Returns how many were
    /// shown.
    ///
    /// ```
    /// let mut pairs = Vec::new();
    /// gainsay_core::Index::<(u8, bool)>::new().walk(1, &mut |pair| {
    ///     pairs.push(*pair);
    ///     true
    /// });
    /// assert_eq!(pairs, [(0, false), (0, true), (1, false)]);
    /// ```
    pub fn walk(&mut self, cost: u64, visit: &mut dyn FnMut(&T) -> bool) -> u128 {
        let mut value: Option<T> = None;
        let mut shown = 0;
        for level in 0..=cost {
            let mut steps = Steps::new(level);
            while steps.next(&mut self.counter, self.case.rewind_to_script()) {
                shown += 1;
                match &mut value {
                    Some(value) => value.refill(&mut self.case),
                    None => value = Some(T::arbitrary(&mut self.case)),
                }
                if value.as_ref().is_some_and(|value| !visit(value)) {
                    return shown;
                }
            }
        }
        shown
    }

    fn replay(&mut self, choices: Vec<u64>) -> T {
        let script = self.case.rewind_to_script();
        script.rows.clear();
        script.numbers = choices;
        T::arbitrary(&mut self.case)
    }
}

/// The `n`-th value of `T` in the order of the enumeration; `None` past the last.
///
/// Keeps no tables: for many values, use an [`Index`].
pub fn nth<T: Indexable>(n: u128) -> Option<T> {
    Index::new().nth(n)
}

/// A stack of spaces still to be drawn from; 0 is the empty one.
type Rest = u32;

const END: Rest = 0;

/// What stands on top of a rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Top {
    Node(Space),
    /// A list of which some elements are drawn already.
    List(Space, usize),
}

#[derive(Debug, Clone, Copy, Default)]
enum Next {
    #[default]
    Unknown,
    None,
    Some(Rest),
}

#[derive(Debug)]
struct Counted {
    top: Top,
    below: Rest,
    /// What is left after the numbers 0 and 1, once asked.
    next: [Next; 2],
    /// Ways to spend 0, 1, 2 … and their running sums.
    ways: Vec<u128>,
    sums: Vec<u128>,
    /// If only a few plain choices are left, their bounds: their ways have a closed form.
    plain: Option<Vec<u64>>,
}

#[derive(Debug)]
struct Counter {
    grammar: Grammar,
    root: Space,
    start: Rest,
    rests: Vec<Counted>,
    interned: HashMap<(Top, Rest), Rest>,
    /// Cases on all levels before each.
    levels: Vec<u128>,
}

impl Counter {
    fn of<T: Indexable>() -> Counter {
        let mut grammar = Grammar::default();
        let root = grammar.of::<T>();
        assert!(
            !grammar.is_opaque(root),
            "the values of `{}` cannot be indexed: some part of it is drawn by a generator about which nothing is known \
             (sets and maps are such parts)",
            std::any::type_name::<T>()
        );
        assert!(
            grammar.is_finite(root),
            "`{}` has no finite value: it always contains another one of itself; \
             put the recursion into an `Option` or a `Vec`",
            std::any::type_name::<T>()
        );
        grammar.order();
        let end = Counted {
            top: Top::Node(root),
            below: END,
            next: [Next::default(); 2],
            ways: Vec::new(),
            sums: Vec::new(),
            plain: None,
        };
        let (rests, interned) = (vec![end], HashMap::new());
        let mut counter = Counter { grammar, root, start: END, rests, interned, levels: vec![0] };
        counter.start = counter.push(Top::Node(root), END);
        counter
    }

    /// Puts a space on a rest; sequences are taken apart, so that equal rests are found to be equal.
    fn push(&mut self, top: Top, below: Rest) -> Rest {
        let mut top = top;
        if let Top::Node(space) = top {
            match self.grammar.node(space) {
                Node::Seq(parts) => {
                    let parts = parts.clone();
                    return parts.iter().rev().fold(below, |below, &part| self.push(Top::Node(part), below));
                }
                Node::List { .. } => top = Top::List(space, 0),
                _ => {}
            }
        }
        if let Top::List(space, drawn) = top
            && let Node::List { min, max: usize::MAX, .. } = *self.grammar.node(space)
        {
            // Without an upper bound, all that counts is whether the list may end.
            top = Top::List(space, drawn.min(min));
        }
        if let Some(&rest) = self.interned.get(&(top, below)) {
            return rest;
        }
        let plain = match top {
            Top::Node(space) => match (self.grammar.node(space), below) {
                (&Node::Choice { max }, END) => Some(vec![max]),
                (&Node::Wide, below) => self.rests[below as usize].plain.clone(),
                (&Node::Choice { max }, below) => {
                    let others =
                        self.rests[below as usize].plain.as_ref().filter(|others| others.len() < PLAIN_MAX);
                    others.map(|others| [others.as_slice(), &[max]].concat())
                }
                _ => None,
            },
            Top::List(..) => None,
        };
        self.rests.push(Counted {
            top,
            below,
            next: [Next::default(); 2],
            ways: Vec::new(),
            sums: Vec::new(),
            plain,
        });
        let rest = self.rests.len() as u32 - 1;
        self.interned.insert((top, below), rest);
        rest
    }

    /// Ways to spend exactly `cost` on a rest.
    fn count(&mut self, rest: Rest, cost: u64) -> u128 {
        if rest == END {
            return u128::from(cost == 0);
        }
        if let Some(bounds) = &self.rests[rest as usize].plain {
            return plain_ways(bounds, cost, 0);
        }
        self.fill(rest, cost);
        self.rests[rest as usize].ways[cost as usize]
    }

    /// Ways to spend at most `cost` on a rest.
    fn count_up_to(&mut self, rest: Rest, cost: u64) -> u128 {
        if rest == END {
            return 1;
        }
        if let Some(bounds) = &self.rests[rest as usize].plain {
            return plain_ways(bounds, cost, 1);
        }
        self.fill(rest, cost);
        self.rests[rest as usize].sums[cost as usize]
    }

    fn fill(&mut self, rest: Rest, cost: u64) {
        for cost in self.rests[rest as usize].ways.len() as u64..=cost {
            let ways = self.count_anew(rest, cost);
            let counted = &mut self.rests[rest as usize];
            let sum = counted.sums.last().copied().unwrap_or(0).saturating_add(ways);
            counted.ways.push(ways);
            counted.sums.push(sum);
        }
    }

    fn count_anew(&mut self, rest: Rest, cost: u64) -> u128 {
        let below = self.rests[rest as usize].below;
        if let Some(max) = self.choice_on_top(rest) {
            let all = self.count_up_to(below, cost);
            return match cost.checked_sub(max).and_then(|over| over.checked_sub(1)) {
                Some(over) if all != u128::MAX => all - self.count_up_to(below, over),
                _ => all,
            };
        }
        let mut sum = 0u128;
        for number in 0..=cost {
            match self.after(rest, number) {
                Some(next) => sum = sum.saturating_add(self.count(next, cost - number)),
                None => break,
            }
        }
        sum
    }

    /// The bound of a plain choice on top of a rest.
    fn choice_on_top(&self, rest: Rest) -> Option<u64> {
        let Top::Node(space) = self.rests[rest as usize].top else {
            return None;
        };
        match self.grammar.node(space) {
            Node::Choice { max } => Some(*max),
            _ => None,
        }
    }

    /// What is left when the choice on top is `number`; `None` if that is out of its range.
    #[inline]
    fn after(&mut self, rest: Rest, number: u64) -> Option<Rest> {
        let known = self.rests[rest as usize].next.get(number as usize).copied();
        match known {
            Some(Next::Some(next)) => Some(next),
            Some(Next::None) => None,
            Some(Next::Unknown) => {
                let next = self.after_anew(rest, number);
                self.rests[rest as usize].next[number as usize] = next.map_or(Next::None, Next::Some);
                next
            }
            None => self.after_anew(rest, number),
        }
    }

    fn after_anew(&mut self, rest: Rest, number: u64) -> Option<Rest> {
        let Counted { top, below, .. } = self.rests[rest as usize];
        match top {
            Top::Node(space) => match self.grammar.node(space) {
                Node::Choice { max } => (number <= *max).then_some(below),
                Node::Wide => (number == 0).then_some(below),
                Node::Alt(variants) => {
                    let variant = *variants.get(usize::try_from(number).ok()?)?;
                    Some(self.push(Top::Node(variant), below))
                }
                node => unreachable!("{node:?} cannot be counted: `Indexable` promised otherwise"),
            },
            Top::List(space, drawn) => {
                let &Node::List { min, max, item } = self.grammar.node(space) else {
                    unreachable!("a list is a list")
                };
                let must = drawn < min;
                let may = drawn < max;
                match number {
                    0 if !must => Some(below),
                    // A forced choice has the one number 0.
                    0 | 1 if may && (must == (number == 0)) => {
                        let others = self.push(Top::List(space, drawn.saturating_add(1)), below);
                        Some(self.push(Top::Node(item), others))
                    }
                    _ => None,
                }
            }
        }
    }

    /// The level of the `n`-th case, and its place there.
    fn level_of(&mut self, n: u128) -> Option<(u64, u128)> {
        if let Some(bounds) = &self.rests[self.start as usize].plain {
            // No table for tuples of wide integers: the level is found by bisection.
            let (mut low, mut high) = (0, bounds.iter().fold(0u64, |sum, bound| sum.saturating_add(*bound)));
            if plain_ways(bounds, high, 1) <= n {
                return None;
            }
            while low < high {
                let middle = low + (high - low) / 2;
                if plain_ways(bounds, middle, 1) > n { high = middle } else { low = middle + 1 }
            }
            let before = if low == 0 { 0 } else { plain_ways(bounds, low - 1, 1) };
            return Some((low, n - before));
        }
        while self.levels.last().is_some_and(|&total| total <= n) {
            let level = self.levels.len() as u64 - 1;
            let ways = self.count(self.start, level);
            if ways == 0 {
                return None;
            }
            let total = self.levels[level as usize].saturating_add(ways);
            self.levels.push(total);
        }
        let level = self.levels.partition_point(|&before| before <= n) - 1;
        Some((level as u64, n - self.levels[level]))
    }

    fn unrank(&mut self, cost: u64, n: u128) -> Option<Vec<u64>> {
        let (mut rest, mut cost, mut n) = (self.start, cost, n);
        if n >= self.count(rest, cost) {
            return None;
        }
        let mut choices = Vec::new();
        while rest != END {
            let (number, skipped) = self.find(rest, cost, n);
            choices.push(number);
            n -= skipped;
            cost -= number;
            rest = self.after(rest, number).unwrap_or(END);
        }
        Some(choices)
    }

    /// The smallest number of the choice on top that leaves a way to spend the rest, and what is left then.
    #[inline]
    fn first(&mut self, rest: Rest, cost: u64) -> (u64, Rest) {
        for number in 0..=cost.min(1) {
            match self.after(rest, number) {
                Some(next) if self.is_possible(next, cost - number) => return (number, next),
                Some(_) => {}
                None => break,
            }
        }
        let (number, _) = self.find(rest, cost, 0);
        (number, self.after(rest, number).unwrap_or(END))
    }

    /// Whether there is a way to spend exactly `cost`.
    #[inline]
    fn is_possible(&mut self, rest: Rest, cost: u64) -> bool {
        match self.rests[rest as usize].ways.get(cost as usize) {
            Some(ways) => *ways > 0,
            None => self.count(rest, cost) > 0,
        }
    }

    /// The number of the choice on top in the `n`-th way, and how many ways come before that number.
    fn find(&mut self, rest: Rest, cost: u64, n: u128) -> (u64, u128) {
        if let Some(max) = self.choice_on_top(rest) {
            let below = self.rests[rest as usize].below;
            let all = self.count_up_to(below, cost);
            // Ways with a number below v: all that leave at least cost - v + 1 to spend.
            let before = |counter: &mut Counter, v: u64| match v {
                0 => 0,
                _ => all - counter.count_up_to(below, cost - v),
            };
            let (mut low, mut high) = (0, max.min(cost));
            while low < high {
                let middle = low + (high - low).div_ceil(2);
                if before(self, middle) <= n { low = middle } else { high = middle - 1 }
            }
            return (low, before(self, low));
        }
        let mut skipped = 0;
        for number in 0..=cost {
            let Some(next) = self.after(rest, number) else {
                break;
            };
            let ways = self.count(next, cost - number);
            if n < skipped + ways {
                return (number, skipped);
            }
            skipped += ways;
        }
        unreachable!("the place of a case is below the count of its level")
    }
}

/// So many plain choices are counted in closed form: the form has two to that power terms.
const PLAIN_MAX: usize = 8;

/// Ways to spend exactly (`slack` 0) or at most (`slack` 1) `cost` on plain choices with these bounds: by inclusion and exclusion of
/// the choices that leave their bounds.
fn plain_ways(bounds: &[u64], cost: u64, slack: u64) -> u128 {
    let k = bounds.len() as u64 - 1 + slack;
    if bounds.iter().all(|bound| *bound >= cost) {
        return binomial(cost, k);
    }
    let (mut plus, mut minus) = (0u128, 0u128);
    for subset in 0u32..1 << bounds.len() {
        let excess = (0..bounds.len())
            .filter(|i| subset >> i & 1 == 1)
            .try_fold(0u64, |sum, i| sum.checked_add(bounds[i])?.checked_add(1));
        let Some(left) = excess.and_then(|excess| cost.checked_sub(excess)) else { continue };
        let side = if subset.count_ones() % 2 == 0 { &mut plus } else { &mut minus };
        *side = side.saturating_add(binomial(left, k));
    }
    if plus == u128::MAX { plus } else { plus - minus }
}

/// (cost + k choose k): ways to spend exactly `cost` on k + 1 choices without bounds, or at most `cost` on k.
fn binomial(cost: u64, k: u64) -> u128 {
    let mut ways = 1u128;
    for i in 1..=u128::from(k) {
        match ways.checked_mul(u128::from(cost) + i) {
            Some(product) => ways = product / i,
            None => return u128::MAX,
        }
    }
    ways
}
