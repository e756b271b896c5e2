//! The exhaustive source: walks the tree of choices by running the generator again and again.
//!
//! The *cost* of a choice is its number, the cost of a case is the sum. Level c holds the cases of cost c, and levels are
//! walked one after the other, each depth first in ascending order: for two integers that gives
//! (0,0) (0,1) (1,0) (0,−1) (1,1) (−1,0) …, fair to both.
//!
//! **Why no run is wasted (nearly).** A run must spend exactly the cost of its level, but nobody knows beforehand which choice is
//! the last. Two facts help. First, the costs that can follow a given prefix form an interval from 0: whoever can spend r > 0
//! can spend r − 1, by lowering the last positive choice and taking the simplest afterwards. Second, when level c
//! begins, all cheaper cases have been seen. So if nothing after a prefix ever spent r − 1, nothing there can spend r. Prefixes are
//! too many to remember; what is remembered is the largest cost ever spent after a choice *site* (the path of open spans
//! and the position in the innermost one), apart for 0 and for positive numbers. Sites lump prefixes together, and even
//! hashes of sites may collide: that makes the remembered maximum larger, hence the pruning weaker, never wrong.
//!
//! A level without a single case ends the tree, by the first fact.
//!
//! A list whose elements are one choice each is one node, and stepped as a whole: see [`row`].

mod row;

use super::{Hint, Source};
use crate::choice::{Choice, Kind, Shape};
use crate::rng::mix;
use crate::row::Row;
use crate::tape::Tape;

/// See [`Walk::guess`].
const NO_GUESS: usize = usize::MAX - 1;

/// The number of remembered sites.
const SITES: usize = 1 << 12;

/// A choice, or a [row].
#[derive(Debug, Clone, Copy)]
struct Node {
    value: u64,
    max: u64,
    /// What was left to spend here.
    budget: u64,
    /// The smallest positive number worth trying.
    low: u64,
    /// How many numbers are worth trying, and how many have been tried before this one.
    count: u64,
    tried: u64,
    /// How many choices were made before, and how many are made here.
    place: u32,
    width: u32,
    kind: Kind,
    site: u16,
    /// Whether 0 is worth trying.
    zero: bool,
    is_row: bool,
}

impl Node {
    /// How many choices were made up to here.
    #[inline]
    fn end(&self) -> usize {
        self.place as usize + self.width as usize
    }

    /// The `i`-th of the numbers worth trying.
    #[inline]
    fn nth(&self, i: u64) -> u64 {
        match (self.zero, i) {
            (true, 0) => 0,
            (true, _) => self.low + i - 1,
            (false, _) => self.low + i,
        }
    }
}

/// Walks all cases in order of cost.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    level: u64,
    nodes: Vec<Node>,
    /// The position of the next choice, and what is left to spend there.
    at: usize,
    left: u64,
    /// How many more choices than nodes there were so far: rows are several.
    more: usize,
    /// The first node that will teach something if this run is a case of the level; large if none will.
    news: usize,
    /// No number fits: the run ends here and shows nothing.
    dead: bool,
    /// Cases found on this level.
    found: bool,
    ended: bool,
    /// The generator asked something else than the last time.
    unsteady: bool,
    /// For each site, for 0 and for positive numbers: 0 if it was never followed by a choice, otherwise one more than the
    /// largest cost spent afterwards.
    reach: Box<[[u64; 2]]>,
    frame: Frame,
    /// The place of the last node, if that is only what the next run is expected to ask; [`NO_GUESS`] otherwise.
    guess: usize,
    /// For each node that is a row, what it is like, and the shape of its elements.
    rows: Vec<(Row, Shape)>,
    /// The numbers of the elements of all rows, in their slots.
    items: Vec<u64>,
    /// The last node is a row that is not in the record.
    unwritten: bool,
    /// What may be spent on the choices from a place on.
    bound: Option<(usize, u64)>,
    /// Permutes each level if not 0.
    seed: u64,
}

/// Where a choice is made: the innermost span, and how many choices and spans there were in it. Where there is no walk, it is known by its
/// number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    hash: u64,
    ordinal: u32,
    /// How many spans are open.
    depth: u32,
}

impl Frame {
    pub(crate) const ROOT: Frame = Frame { hash: 0x9e37_79b9_7f4a_7c15, ordinal: 0, depth: 0 };

    /// Where a span with a number begins, inside so many others.
    #[inline(always)]
    pub(crate) fn of_span(number: usize, depth: u32) -> Frame {
        Frame { hash: number as u64, ordinal: 0, depth }
    }

    /// The span that begins here, and how many are open outside of it.
    #[inline(always)]
    pub(crate) fn span(&self) -> (usize, u32) {
        (self.hash as usize, self.depth)
    }

    /// The frame of a span that begins here.
    #[inline]
    fn inside(&self, label: &'static str) -> Frame {
        let hash =
            (self.hash ^ u64::from(self.ordinal)).wrapping_mul(0xa076_1d64_78bd_642f) ^ label.len() as u64;
        Frame { hash: hash ^ hash >> 29, ordinal: 0, depth: self.depth + 1 }
    }

    #[inline]
    fn site(&self) -> u16 {
        let hash = (self.hash ^ u64::from(self.ordinal)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (hash >> 52) as u16
    }
}

impl Walk {
    /// A walk from level 0; a `seed` other than 0 permutes the cases inside each level.
    pub(crate) fn new(seed: u64) -> Walk {
        Walk {
            level: 0,
            nodes: Vec::new(),
            at: 0,
            left: 0,
            more: 0,
            news: usize::MAX,
            dead: false,
            found: false,
            ended: false,
            unsteady: false,
            reach: vec![[0; 2]; SITES].into_boxed_slice(),
            frame: Frame::ROOT,
            guess: NO_GUESS,
            rows: Vec::new(),
            items: Vec::new(),
            unwritten: false,
            bound: None,
            seed,
        }
    }

    /// The cost of the cases being walked.
    pub(crate) fn level(&self) -> u64 {
        self.level
    }

    /// Whether the generator asked different questions in the same place.
    pub(crate) fn is_unsteady(&self) -> bool {
        self.unsteady
    }

    /// Whether the run so far is a case of this level: nothing left to spend.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.left == 0 && !self.dead && self.at == self.nodes.len()
    }

    /// Whether no number fitted.
    #[inline]
    pub(crate) fn is_dead(&self) -> bool {
        self.dead
    }

    /// Before a run: `choices`, the record of the run before, keeps what will be the same.
    #[inline]
    pub(crate) fn start(&mut self, choices: &mut Tape) {
        self.at = 0;
        self.more = 0;
        self.left = self.level;
        self.dead = false;
        self.frame = Frame::ROOT;
        self.bound = None;
        let Some(node) = self.nodes.last() else { return choices.clear() };
        self.left = node.budget - node.value;
        choices.truncate(node.end());
        // (A row that has changed is written when somebody wants to see it.)
        if !node.is_row
            && let Some(choice) = choices.last_mut()
        {
            choice.value = node.value;
        }
        if self.guess != NO_GUESS
            && let ([.., before, _], [.., choice, _]) = (self.nodes.as_slice(), &mut **choices)
        {
            choice.value = before.value;
        }
    }

    /// The next choice, if it is one that is as on the run before.
    #[inline(always)]
    pub(crate) fn again(&mut self, kind: Kind, max: u64) -> Option<u64> {
        let node = self.nodes.get(self.at)?;
        if node.max != max || self.at == self.guess && (node.site != self.frame.site() || node.kind != kind) {
            return self.again_otherwise(max);
        }
        self.at += 1;
        self.frame.ordinal = self.frame.ordinal.wrapping_add(1);
        Some(node.value)
    }

    /// The question is not the one that was expected.
    #[cold]
    fn again_otherwise(&mut self, max: u64) -> Option<u64> {
        let node = self.nodes[self.at];
        if self.at == self.guess {
            self.drop_guess();
            return None;
        }
        self.at += 1;
        self.frame.ordinal = self.frame.ordinal.wrapping_add(1);
        self.unsteady |= node.max != max;
        Some(node.value.min(max))
    }

    /// The question that was expected next is not asked: the run has ended, or it asks another one.
    pub(crate) fn drop_guess(&mut self) {
        if self.at == self.guess
            && let Some(node) = self.nodes.pop()
        {
            self.guess = NO_GUESS;
            self.left = node.budget;
        }
    }

    /// How many of the next choices are known, at least.
    #[inline]
    pub(crate) fn known(&self) -> usize {
        self.nodes.len().saturating_sub(self.at)
    }

    /// From here on no more than `cost_max` is spent, until [`restore`](Walk::restore).
    pub(crate) fn bound(&mut self, cost_max: u64) -> Option<(usize, u64)> {
        let inside = cost_max.min(self.bounded());
        self.bound.replace((self.at, inside))
    }

    pub(crate) fn restore(&mut self, outer: Option<(usize, u64)>) {
        self.bound = outer;
    }

    /// What may be spent here.
    #[inline]
    fn bounded(&self) -> u64 {
        match self.bound {
            None => u64::MAX,
            Some((start, cost_max)) => {
                let spent = self
                    .nodes
                    .get(start..self.at)
                    .map_or(0, |nodes| nodes.iter().map(|node| node.value).sum());
                cost_max.saturating_sub(spent)
            }
        }
    }

    /// A span begins. Returns where it does: that is where it [ends](Walk::leave), too.
    #[inline]
    pub(crate) fn enter(&mut self, label: &'static str) -> Frame {
        let inside = self.frame.inside(label);
        self.frame.ordinal = self.frame.ordinal.wrapping_add(1);
        std::mem::replace(&mut self.frame, inside)
    }

    #[inline]
    pub(crate) fn leave(&mut self, outside: Frame) {
        self.frame = outside;
    }

    /// How many spans are open.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.frame.depth as usize
    }

    /// How many choices this run has made.
    #[inline]
    pub(crate) fn made(&self) -> usize {
        self.at + self.more
    }

    /// After a run: learns from it and moves on. False when the tree has ended.
    pub(crate) fn advance(&mut self) -> bool {
        if self.advance_within_level() {
            return true;
        }
        self.ended = !self.found;
        self.found = false;
        self.level += 1;
        !self.ended
    }

    /// After a run: learns from it and moves on to another one of this level. False when there is none, and then
    /// [`advance`](Walk::advance) has the next level.
    #[inline]
    pub(crate) fn advance_within_level(&mut self) -> bool {
        let complete = self.is_complete();
        if complete && self.step_last_two() {
            return true;
        }
        self.drop_guess();
        self.guess = NO_GUESS;
        if self.at < self.nodes.len() {
            // The generator stopped earlier than on the run before, in the same place.
            self.unsteady |= !self.dead;
            self.truncate(self.at);
        }
        if complete {
            self.found = true;
            self.learn();
        }
        while let Some(node) = self.nodes.last_mut() {
            node.tried += 1;
            if node.is_row {
                if self.step_row() {
                    return true;
                }
            } else if node.tried < node.count {
                if self.seed == 0 {
                    node.value = if node.value == 0 { node.low } else { node.value + 1 };
                } else {
                    node.value = node.nth(permuted(self.seed, node));
                }
                self.expect_news();
                return true;
            }
            self.nodes.pop();
        }
        (self.at, self.more) = (0, 0);
        false
    }

    /// Forgets all nodes but the first `n`.
    #[cold]
    fn truncate(&mut self, n: usize) {
        self.nodes.truncate(n);
        self.rows.truncate(self.nodes.iter().filter(|node| node.is_row).count());
        self.items.truncate(self.rows.last().map_or(0, |(row, _)| row.end()));
        self.unwritten = false;
    }

    /// The last node, whose number was chosen, will teach something, unless no less is known about its site.
    #[inline]
    fn expect_news(&mut self) {
        if let Some(node) = self.nodes.last() {
            let known = self.reach[node.site as usize][usize::from(node.value > 0)];
            self.expect_news_beyond(known, node.budget - node.value);
        }
    }

    /// The same, by what is known and what is left after the node.
    #[inline(always)]
    fn expect_news_beyond(&mut self, known: u64, left: u64) {
        let place = self.nodes.len() - 1;
        if self.news >= place {
            self.news = if known > left { usize::MAX } else { place };
        }
    }

    /// Takes the same step as the last time and starts the next run, if that is possible: see
    /// [`step_last_two`](Walk::step_last_two), whose conditions hold on.
    #[inline(always)]
    pub(crate) fn repeat_step(&mut self, choices: &mut [Choice]) -> bool {
        // That it was asked in full, and is complete.
        if self.at.wrapping_sub(1) != self.guess || self.left != 0 || self.dead {
            return false;
        }
        let [.., before, last] = self.nodes.as_mut_slice() else { return false };
        let [.., first, second] = choices else { return false };
        if last.value < 2 || before.tried + 1 >= before.count {
            return false;
        }
        before.tried += 1;
        before.value += 1;
        last.budget -= 1;
        last.value -= 1;
        first.value = before.value;
        second.value = last.value;
        (self.at, self.more) = (0, 0);
        self.frame = Frame::ROOT;
        true
    }

    /// After a case of this level, the most frequent step by far: the last choice, which nothing ever follows, gives one to the choice
    /// before it. That the next run will ask the last question again is a guess, taken back by [`again`](Walk::again) if it does not.
    #[inline]
    fn step_last_two(&mut self) -> bool {
        if self.seed != 0 || self.news.saturating_add(1) < self.nodes.len() {
            return false;
        }
        let reach = &self.reach;
        let [.., before, last] = self.nodes.as_mut_slice() else { return false };
        let steps = last.count == 1
            && last.value > 1
            && last.value == last.budget
            && before.value > 0
            && before.tried + 1 < before.count
            && reach[last.site as usize] == [0, 0]
            && reach[before.site as usize][1] > last.value;
        if steps {
            before.tried += 1;
            before.value += 1;
            last.budget -= 1;
            last.value -= 1;
            self.found = true;
            self.guess = self.nodes.len() - 1;
        }
        steps
    }

    /// Learns from a case of this level. (Another run teaches nothing: it was a case of an earlier level.)
    #[inline]
    fn learn(&mut self) {
        // Nothing follows the last choice. After the others all that was left has been spent.
        let followed = self.nodes.len().saturating_sub(1);
        for node in self.nodes.get(self.news..followed).unwrap_or_default() {
            let reach = node.budget - node.value + 1;
            let slot = &mut self.reach[node.site as usize][usize::from(node.value > 0)];
            *slot = reach.max(*slot);
        }
        self.news = usize::MAX;
    }
}

/// Which of the numbers of a node comes next: a rotation by a pseudo-random amount.
fn permuted(seed: u64, node: &Node) -> u64 {
    let place = u64::from(node.site) ^ node.budget << 16;
    ((u128::from(mix(seed ^ mix(place))) + u128::from(node.tried)) % u128::from(node.count)) as u64
}

impl Source for Walk {
    #[inline]
    fn choose(&mut self, shape: &Shape, _hint: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        debug_assert_eq!(self.at, self.nodes.len(), "choices that are as before are not asked for");
        let site = self.frame.site();
        self.frame.ordinal = self.frame.ordinal.wrapping_add(1);
        let [after_zero, after_positive] = self.reach[site as usize];
        let budget = self.left;
        let wide = shape.kind == Kind::Wide;
        let low = if wide { u64::MAX } else { budget.saturating_sub(after_positive).max(1) };
        let zero = budget <= after_zero;
        let high = shape.max.min(budget).min(self.bounded());
        let count = u64::from(zero) + if high >= low { high - low + 1 } else { 0 };
        if count == 0 {
            self.dead = true;
            return None;
        }
        let value = if zero { 0 } else { low };
        let mut node = Node {
            value,
            max: shape.max,
            budget,
            low,
            count,
            tried: 0,
            place: so_far.len() as u32,
            width: 1,
            kind: shape.kind,
            site,
            zero,
            is_row: false,
        };
        if self.seed != 0 {
            node.value = node.nth(permuted(self.seed, &node));
        }
        self.left = budget - node.value;
        self.nodes.push(node);
        self.at += 1;
        self.expect_news_beyond(if node.value > 0 { after_positive } else { after_zero }, self.left);
        Some(node.value)
    }

    fn is_exhaustive(&self) -> bool {
        true
    }
}
