//! The cases of one level, one after the other: only the tail that changes is decided anew.

use super::{Counter, END, Rest, Top};
use crate::row::Row;
use crate::source::script::Script;
use crate::space::{Node, Space};

#[derive(Debug)]
pub(super) struct Steps {
    /// For each number that was decided, and for each [row](Row).
    trail: Vec<Decided>,
    /// The rows, the last one last.
    rows: Vec<Stepped>,
    started: bool,
    level: u64,
}

/// What was left to draw and to spend before something was decided.
#[derive(Debug, Clone, Copy)]
struct Decided {
    rest: Rest,
    cost: u64,
    is_row: bool,
}

/// A row, and what comes after it.
#[derive(Debug)]
struct Stepped {
    row: Row,
    below: Rest,
    /// What is left to spend there, and how much can be.
    left: u64,
    after: u64,
}

impl Steps {
    pub(super) fn new(level: u64) -> Steps {
        Steps { trail: Vec::new(), rows: Vec::new(), started: false, level }
    }

    /// Writes the next case into a script, which holds the one before. False if there is none.
    #[inline]
    pub(super) fn next(&mut self, counter: &mut Counter, script: &mut Script) -> bool {
        if !self.started {
            return self.first(counter, script);
        }
        while let Some(&Decided { rest, cost, is_row }) = self.trail.last() {
            let stepped = if is_row { self.step_row(script) } else { step(counter, script, rest, cost) };
            if let Some((below, left)) = stepped {
                self.descend(counter, script, below, left);
                return true;
            }
            self.trail.pop();
        }
        false
    }

    #[cold]
    fn first(&mut self, counter: &mut Counter, script: &mut Script) -> bool {
        self.started = true;
        script.numbers.clear();
        script.rows.clear();
        let any = counter.count(counter.start, self.level) > 0;
        if any {
            self.descend(counter, script, counter.start, self.level);
        }
        any
    }

    /// Moves on to the next row in place of the last one: what is left then. Without one, it is gone.
    #[inline]
    fn step_row(&mut self, script: &mut Script) -> Option<(Rest, u64)> {
        let Stepped { row, below, left, after } = self.rows.last_mut()?;
        if let Some(now) = row.step(&mut script.numbers, *left, *after) {
            *left = now;
            script.numbers[row.start - 1] = row.count as u64;
            return Some((*below, now));
        }
        script.numbers.truncate(row.start - 1);
        script.rows.pop();
        self.rows.pop();
        None
    }

    /// Appends the first way to spend `cost` on `rest`, of which there is one.
    #[inline]
    fn descend(&mut self, counter: &mut Counter, script: &mut Script, rest: Rest, cost: u64) {
        let (mut rest, mut cost) = (rest, cost);
        while rest != END {
            let row = counter.row_on_top(rest);
            self.trail.push(Decided { rest, cost, is_row: row.is_some() });
            (rest, cost) = match row {
                Some((count_max, max)) => {
                    self.begin_row(counter, script, counter.rests[rest as usize].below, cost, count_max, max)
                }
                None => {
                    let (number, next) = counter.first(rest, cost);
                    script.numbers.push(number);
                    (next, cost - number)
                }
            };
        }
    }

    fn begin_row(
        &mut self,
        counter: &mut Counter,
        script: &mut Script,
        below: Rest,
        cost: u64,
        count_max: usize,
        max: u64,
    ) -> (Rest, u64) {
        let after = counter.reach(below, cost);
        let place = script.numbers.len();
        script.numbers.push(0);
        let row = Row::first(&mut script.numbers, count_max, max, cost, [after; 2]);
        let Some((row, left)) = row else { unreachable!("that there is a way was counted") };
        script.numbers[place] = row.count as u64;
        script.rows.push((place, row.slots));
        self.rows.push(Stepped { row, below, left, after });
        (below, left)
    }
}

/// Moves on to the next number in place of the last one: what is left then. Without one, it is gone.
#[inline]
fn step(counter: &mut Counter, script: &mut Script, rest: Rest, cost: u64) -> Option<(Rest, u64)> {
    let number = script.numbers.pop()?;
    for number in number + 1..=cost {
        let next = counter.after(rest, number)?;
        if counter.is_possible(next, cost - number) {
            script.numbers.push(number);
            return Some((next, cost - number));
        }
    }
    None
}

impl Counter {
    /// If a list on top of a rest is a row: how many elements it has at most, and the bound of an element.
    #[inline]
    fn row_on_top(&self, rest: Rest) -> Option<(usize, u64)> {
        let Top::List(space, 0) = self.rests[rest as usize].top else { return None };
        match *self.grammar.node(space) {
            Node::List { min: 0, max, item } => Some((max, self.one_choice(item)?)),
            _ => None,
        }
    }

    /// The bound of a space that is one choice.
    fn one_choice(&self, space: Space) -> Option<u64> {
        match self.grammar.node(space) {
            Node::Choice { max } => Some(*max),
            Node::Seq(parts) => match parts[..] {
                [part] => self.one_choice(part),
                _ => None,
            },
            _ => None,
        }
    }

    /// The most that can be spent on a rest, if that is at most `cost`.
    fn reach(&mut self, rest: Rest, cost: u64) -> u64 {
        if rest == END {
            return 0;
        }
        if let Some(bounds) = &self.rests[rest as usize].plain {
            return bounds.iter().fold(0, |sum: u64, bound| sum.saturating_add(*bound)).min(cost);
        }
        self.fill(rest, cost);
        // The costs that can be spent are an interval from 0.
        let possible = self.rests[rest as usize].ways[..=cost as usize].partition_point(|ways| *ways > 0);
        possible.saturating_sub(1) as u64
    }
}
